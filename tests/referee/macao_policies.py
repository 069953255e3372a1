"""Baseline policies of Macao, whole hands and whole matches, in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .macao import SUITS, Action, Hand, Match, card_order, deal, rank_of, read_rules, suit_of


def random_move(hand: Hand, rng: random.Random) -> Action:
    """Uniform over the legal actions; a suit uniform over four."""
    legal = hand.legal()
    choice = rng.choice([*legal["cards"], None])
    if choice is None:
        return {legal["other"]: True}
    names = rank_of(choice) in hand.rules.wild_ranks
    return {"card": choice, "suit": rng.choice(SUITS) if names else None}


def _by_points(hand: Hand, sign: int) -> Action:
    legal = hand.legal()
    if not legal["cards"]:
        return {legal["other"]: True}
    points = hand.rules.points
    card = min(legal["cards"], key=lambda c: (sign * points[rank_of(c)], card_order(c)))
    if rank_of(card) not in hand.rules.wild_ranks:
        return {"card": card, "suit": None}
    left = list(hand.hands[hand.to_play])
    left.remove(card)
    held = Counter(suit_of(c) for c in left)
    return {"card": card, "suit": max(SUITS, key=lambda suit: held[suit])}


def greedy(hand: Hand, rng: random.Random) -> Action:
    """Most penalty points first, until nothing is playable."""
    return _by_points(hand, -1)


def thrifty(hand: Hand, rng: random.Random) -> Action:
    """Fewest penalty points first, until nothing is playable."""
    return _by_points(hand, 1)


POLICIES: dict[str, Callable[[Hand, random.Random], Action]] = {
    "random": random_move,
    "greedy": greedy,
    "thrifty": thrifty,
}


def play_hand(
    rules: Mapping[str, Any],
    policies: Sequence[str],
    rng: random.Random,
    starter: int = 0,
) -> Hand:
    """Play one hand of named baseline policies."""
    hand = deal(rules, starter, rng)
    while not hand.over:
        hand.apply(POLICIES[policies[hand.to_play]](hand, rng))
    return hand


def play_match(rules: Mapping[str, Any], policies: Sequence[str], rng: random.Random) -> Match:
    """Play one match of named baseline policies; the first dealer is drawn."""
    match = Match(rules, rng.randrange(read_rules(rules).players))
    while not match.over:
        hand = play_hand(rules, policies, rng, match.starter)
        match.add_hand(hand.points(), stalled=hand.status == "stalled")
    return match
