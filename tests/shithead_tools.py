"""What the Shithead tests share: set-ups, positions, and the referee's words for the engine's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pymacco_sim._jit import jit
from pymacco_sim.games.base import Cell, column_names
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.policy import Decider, Entrant, Policy
from pymacco_sim.games.shithead import GAME
from pymacco_sim.games.shithead.engine import find_first, legal_from, may_decide
from pymacco_sim.games.shithead.game import Setup
from pymacco_sim.games.shithead.record import new_states
from pymacco_sim.games.shithead.rules import ShitheadRules, pack_rules, parse_rank
from pymacco_sim.games.shithead.state import DOWN, HAND, PLAYING, UP, zone_of

PRESETS = tuple(GAME.presets)


def make_setup(
    policies: Sequence[Any],
    rules: Mapping[str, Any] | None = None,
    preset: str = "threes",
    seed: int = 1,
    rotate: bool = False,
) -> Setup:
    """Set-up of a line-up under changed rules."""
    law = GAME.make_rules(preset, {"players": len(policies), **(rules or {})})
    entrants = tuple(parse_entrant(GAME, policy) for policy in policies)
    return GAME.prepare(Cell("shithead", preset, law, entrants, "game", rotate, seed))


def with_part(policy: Policy, main: str = "lowest") -> Entrant:
    """Entrant whose `policy.part` decisions are taken by a policy, and the others as by `main`."""
    entrant = parse_entrant(GAME, main)
    deciders = list(entrant.deciders)
    deciders[GAME.parts.index(policy.part)] = Decider(policy, policy.values({}))
    return Entrant(tuple(deciders), entrant.default_parts)


def play(setup: Setup, n_games: int, first: int = 0) -> dict[str, np.ndarray]:
    """Outcome columns of many games by name."""
    names = column_names(GAME.outcomes(setup.cell), setup.cell.n_seats)
    out = np.zeros((len(names), n_games), dtype=np.int32)
    GAME.play(setup, first, out)
    return dict(zip(names, out, strict=True))


def own_share(got: Mapping[str, np.ndarray], name: str, seats: int = 4) -> tuple[float, float]:
    """Mean of the first entrant's outcome over rotated games, and its standard error over deals."""
    own = np.arange(got["status"].size) % seats
    values = np.choose(own, [got[f"{name}_{seat}"] for seat in range(seats)]).reshape(-1, seats).mean(axis=1)
    return float(values.mean()), float(values.std() / np.sqrt(values.size))


def referee_rules(rules: ShitheadRules) -> dict[str, Any]:
    """The same rules in the referee's words: the same field names."""
    return rules.to_dict()


def ranks(names: Sequence[str]) -> list[int]:
    """Rank numbers of rank names."""
    return [parse_rank("test", name) for name in names]


def place_cards(
    rules: ShitheadRules,
    hands: Sequence[Sequence[str]],
    face_up: Sequence[Sequence[str]],
    face_down: Sequence[Sequence[str]],
    pile: Sequence[str] = (),
    stock: Sequence[str] = (),
    known_down: Sequence[Sequence[int]] = (),
    out: Sequence[int] = (),
    to_play: int | None = 0,
) -> tuple[np.record, np.record]:
    """Position of given cards (see the referee's Table) and its packed rules."""
    law, state = pack_rules(rules)[0], new_states(1)[0]
    for seat in range(rules.players):
        me, cards = state.seats[seat], ranks(face_down[seat])
        for zone, held in ((HAND, hands[seat]), (UP, face_up[seat])):
            me.cards[zone] = np.bincount(ranks(held), minlength=16)
            me.mask[zone], me.held[zone] = sum(1 << rank for rank in set(ranks(held))), len(held)
        me.down, me.held[DOWN] = sum(rank << 4 * slot for slot, rank in enumerate(cards)), len(cards)
        known = list(known_down[seat]) if known_down else []
        me.seen = sum(1 << slot for slot in known)
        me.known[:] = np.bincount([cards[slot] for slot in known], minlength=16)
    for place, seat in enumerate(out):
        state.seats[seat].place = place + 1
    state.still, state.n_out = sum(1 << s for s in range(rules.players) if s not in out), len(out)
    lay_pile(state, rules, ranks(pile))
    state.stock[: len(stock)], state.n_stock = ranks(stock)[::-1], len(stock)
    state.phase, state.chance[:] = PLAYING, 1
    state.seat = find_first(state, law) if to_play is None else to_play
    return state, law


def lay_pile(state: np.record, rules: ShitheadRules, cards: Sequence[int]) -> None:
    """Put a pile into a position, with its value and run."""
    state.pile_cards[: len(cards)], state.n_pile = cards, len(cards)
    state.pile[:] = np.bincount(np.array(cards, dtype=int), minlength=16)
    state.pile_mask = sum(1 << rank for rank in set(cards))
    for index, rank in enumerate(cards):
        if rank in rules.transparent:
            if index == 0 and rules.plain_bottom:
                state.value, state.run = rank, 1
            state.tail = 1 + (int(state.tail) if state.tail_rank == rank else 0)
            state.tail_rank = rank
        else:
            state.run = 1 + (int(state.run) if state.value == rank else 0)
            state.value, state.tail, state.tail_rank = rank, 0, 0


@jit
def list_copies(states, rules, most):
    """Most copies of every rank that the engine takes in each position: uint8[n, 16]; 0 where none may be played."""
    for index in range(states.size):
        state, law = states[index], rules[0]
        if state.phase != PLAYING or state.seat >= law.players:
            continue
        me = state.seats[state.seat]
        zone = zone_of(me)
        options = legal_from(state, law, me, zone)
        for rank in range(2, 16):
            copies = 1
            while zone != DOWN and options != 0 and may_decide(state, law, me, zone, options, 16 * copies + rank):
                most[index, rank] = copies
                copies += 1
