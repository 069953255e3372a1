"""Baseline policies of the shithead family and whole games, in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .shithead import Action, Table, deal, read_rules


def strength(rules: Any, rank: int) -> tuple[bool, int]:
    """Sort key of the strength order: wild and burning ranks above the others, ascending by rank."""
    return (rank in rules.wild or rank in rules.burns, rank)


def choose_face_up(
    name: str,
    rules: Mapping[str, Any],
    cards: Sequence[int],
    rng: random.Random,
) -> list[int]:
    """Face-up cards a baseline policy lays out of its own cards."""
    full = read_rules(rules)
    if name == "random":
        return rng.sample(list(cards), full.up_size)
    return sorted(cards, key=lambda rank: strength(full, rank))[len(cards) - full.up_size :]


def random_move(table: Table, rng: random.Random) -> Action:
    """Uniform over (rank, copies) pairs, or over the face-down slots."""
    legal = table.legal()
    if legal["must_pick_up"]:
        return {"pick_up": True}
    if legal["zone"] == "face_down":
        return {"face_down": rng.choice(legal["face_down"])}
    pairs = [(rank, n) for rank, most in legal["plays"].items() for n in range(1, most + 1)]
    return _play_action(table, *rng.choice(pairs))


def _play_action(table: Table, rank: int, total: int) -> Action:
    copies = min(total, table.zone_cards(table.to_play).count(rank))
    return {"play": {"rank": rank, "copies": copies, "join": total - copies}}


def _ordered_move(table: Table, rng: random.Random, strongest: bool, one_copy: bool) -> Action:
    legal, seat = table.legal(), table.to_play

    def order(rank: int) -> tuple[bool, int]:
        return strength(table.rules, rank)

    if legal["must_pick_up"]:
        return {"pick_up": True}
    if legal["zone"] == "face_down":
        cards = table.face_down[seat]
        known = [slot for slot in legal["face_down"] if table.known[seat][slot]]
        good = [slot for slot in known if table.playable(cards[slot])]
        unknown = [slot for slot in legal["face_down"] if slot not in known]
        if unknown and not good:
            return {"face_down": rng.choice(unknown)}
        return {"face_down": min(good or known, key=lambda slot: order(cards[slot]))}
    rank = (max if strongest else min)(legal["plays"], key=order)
    return _play_action(table, rank, 1 if one_copy else legal["plays"][rank])


def lowest(table: Table, rng: random.Random) -> Action:
    """Weakest legal rank, all copies."""
    return _ordered_move(table, rng, strongest=False, one_copy=False)


def highest(table: Table, rng: random.Random) -> Action:
    """Strongest legal rank, all copies; face-down as `lowest`."""
    return _ordered_move(table, rng, strongest=True, one_copy=False)


def single(table: Table, rng: random.Random) -> Action:
    """As `lowest`, one copy."""
    return _ordered_move(table, rng, strongest=False, one_copy=True)


POLICIES: dict[str, Callable[[Table, random.Random], Action]] = {
    "random": random_move,
    "lowest": lowest,
    "highest": highest,
    "single": single,
}


def play_game(rules: Mapping[str, Any], policies: Sequence[str], rng: random.Random) -> Table:
    """Play one game of named baseline policies to its end, stopping at a proven cycle."""
    own, down, stock = deal(rules, rng)
    laid = [choose_face_up(name, rules, cards, rng) for name, cards in zip(policies, own, strict=True)]
    table = Table.dealt(rules, own, laid, down, stock)
    seen: set[tuple[Any, ...]] = set()
    while not table.over:
        key, name = table.position_key(), policies[table.to_play]
        if name == "random":
            seen.clear()
        elif key in seen:
            table.stall()
            break
        else:
            seen.add(key)
        table.apply(POLICIES[name](table, rng))
    return table
