"""What the kernels read and write: one record for the rules, one for the position."""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from pymacco_sim.core.streams import STREAM
from pymacco_sim.games.macao.cards import (
    ACE,
    BLACK_JOKER,
    N_KINDS,
    N_RANKS,
    RANKS,
    RED_JOKER,
    rank,
    rank_mask,
    rank_number,
    suit,
    suit_mask,
)
from pymacco_sim.games.macao.rules import DECK_SIZE, MAX_DECKS, MAX_SEATS, MacaoRules

for function in (rank, suit):
    register_jitable(function)  # here, so that the cards' names come without the compiler

MAX_CARDS = DECK_SIZE * MAX_DECKS

DRAW, TAKE, END, PASS = -1, -2, -3, -4
"""Decisions that are no card: draw a card; take what is pending; end the turn; pass."""

PLAYING, WON, BLOCKED, STALLED = 0, 1, 2, 3
"""Values of the state field `over`."""

LEAD_SUIT, LEAD_ANY, LEAD_FREE, N_LEADS = 54, 58, 59, 60
"""What a card must follow, beside card kinds 0 to 53: a named suit (54 to 57), nothing, free cards only."""

RULES = np.dtype(
    [
        *((name, np.int64) for name in ("players", "n_cards", "hand_size", "target", "first_dealer", "start_seat")),
        *((name, np.int64) for name in ("max_turns", "max_hands", "reshuffle", "skips_stack", "skip_kind")),
        *((name, np.int64) for name in ("cancel_mask", "cancel_must_match", "any_draw_mask", "ace_mask")),
        ("follow", np.int64, (N_LEADS,)),
        ("answer", np.int64, (N_RANKS,)),
        *((name, np.int64, (N_KINDS,)) for name in ("points", "forced", "kind", "skip", "cancel", "wild")),
        ("lead", np.int64, (N_KINDS,)),
        ("up_lead", np.int64, (N_KINDS,)),
        ("deck", np.uint8, (MAX_CARDS,)),
    ],
    align=True,
)
"""Rules as the kernels read them. Sets of cards are int64 masks by kind; tables are by kind unless noted.

``follow`` : by lead, which cards may follow; ``answer`` : by kind of penalty (the rank, 15 for both jokers), which
cards answer it; ``cancel_mask``, ``any_draw_mask``, ``ace_mask`` : which further cards answer (the last two are empty
unless the rules let them); ``kind`` : which kind of penalty a card is, 0 for none; ``lead`` : what a played card makes
the lead, -1 for no change; ``up_lead`` : the same for the card turned up.
"""

COUNTERS = (
    *("turns", "blocked", "first_turn_win", "stalled_hands", "stock_empty", "lost_turns", "cards_played"),
    *("cards_drawn", "forced_taken", "forced_cards", "forced_answered", "skips"),
)
"""State fields that add up over the hands of one game."""

STATE = np.dtype(
    [
        *((name, np.int64) for name in ("to_play", "top", "lead", "draw", "skip", "kind", "played", "naming")),
        *((name, np.int64) for name in ("stock", "pile", "ordered", "passes", "turn", "over", "winner")),
        *((name, np.int64) for name in ("hands", "dealer", "decisions", "fault")),
        *((name, np.int64) for name in COUNTERS),
        *((name, np.int64, (MAX_SEATS,)) for name in ("held", "cards", "totals", "won")),
        ("seen", np.int64, (N_KINDS,)),
        ("chance", STREAM),
        ("streams", STREAM, (MAX_SEATS,)),
        ("counts", np.int16, (MAX_SEATS, N_KINDS)),
        ("chain", np.int64, (MAX_CARDS,)),
        ("deck", np.uint8, (MAX_CARDS,)),
    ],
    align=True,
)
"""A position.

``counts`` : cards held, by seat and kind, and ``held`` the same as sets; ``deck[:stock]`` : the stock, next card last
if ``ordered``, else still to be shuffled (cards are drawn from it at random, which is the same and cheaper); ``lead``
: what the next card must follow; ``draw``, ``skip``, ``kind`` : what is pending; ``chain[:played]`` : what the seat to
play has played this turn; ``naming`` : 1 when it has to name a suit; ``seen`` : cards played so far; ``turn`` : turns
of this hand; ``hands`` : hands finished; ``totals`` and ``won`` : points and hands won by seat; ``chance``
and ``streams`` : random streams of the cards and of the policies by seat.
"""


def pack_rules(rules: MacaoRules) -> np.ndarray:
    """Return the rules as one record of :data:`RULES`.

    Parameters
    ----------
    rules : MacaoRules

    Returns
    -------
    numpy.recarray, shape (1,)
    """
    law = np.zeros(1, dtype=RULES).view(np.recarray)
    record = law[0]
    for name in ("players", "hand_size", "target", "start_seat", "max_turns", "max_hands"):
        record[name] = getattr(rules, name)
    record.n_cards = rules.decks * DECK_SIZE
    record.first_dealer = -1 if rules.first_dealer == "drawn" else int(rules.first_dealer)
    record.reshuffle, record.skips_stack = rules.reshuffle, rules.skips_stack
    record.deck[: record.n_cards] = np.repeat(np.arange(N_KINDS), rules.decks)
    record.points[:] = [dict(rules.points)[RANKS[rank(kind) - 2]] for kind in range(N_KINDS)]
    _pack_powers(record, rules)
    _pack_leads(record, rules)
    return law


def _pack_powers(record: np.record, rules: MacaoRules) -> None:
    forced = {rank_number(name): number for name, number in rules.forced_draw}
    skips = [rank_number(name) for name in rules.skip_ranks]
    cancels = [rank_number(name) for name in rules.cancel_ranks]
    wilds = [rank_number(name) for name in rules.wild_ranks]
    record.skip_kind = skips[0] if skips else 0
    for kind in range(N_KINDS):
        value = rank(kind)
        record.forced[kind] = forced.get(value, 0)
        record.skip[kind], record.cancel[kind], record.wild[kind] = value in skips, value in cancels, value in wilds
        penalty = record.skip_kind if value in skips else min(value, BLACK_JOKER) if value in forced else 0
        record.kind[kind] = penalty
        record.answer[penalty] |= 1 << kind
    record.answer[0] = 0
    record.cancel_mask, record.cancel_must_match = rank_mask(*cancels), rules.seven_needs_match
    record.any_draw_mask = rank_mask(*forced) if rules.cross_stacking else 0
    record.ace_mask = rank_mask(ACE) if rules.ace_answers else 0


def _pack_leads(record: np.record, rules: MacaoRules) -> None:
    free = rank_mask(*(rank_number(name) for name in (*rules.wild_ranks, *rules.free_ranks)))
    jokers = rank_mask(BLACK_JOKER, RED_JOKER)
    for kind in range(N_KINDS):
        joker = rank(kind) >= BLACK_JOKER
        record.follow[kind] = free | (jokers if joker else rank_mask(rank(kind)) | suit_mask(suit(kind)))
        after_joker = {"any": LEAD_ANY, "free": LEAD_FREE, "below": -1}[rules.joker_follow]
        record.lead[kind] = after_joker if joker else kind
        record.up_lead[kind] = (LEAD_FREE if after_joker == LEAD_FREE else LEAD_ANY) if joker else kind
    for number in range(4):
        record.follow[LEAD_SUIT + number] = free | suit_mask(number)
    record.follow[LEAD_ANY] = (1 << N_KINDS) - 1
    record.follow[LEAD_FREE] = free | jokers


def new_states(count: int = 1) -> np.ndarray:
    """Return empty positions, a recarray of :data:`STATE`."""
    return np.zeros(count, dtype=STATE).view(np.recarray)


NO_STATES = new_states(0)
"""Stands for no log of positions."""

NO_LOG = np.zeros(0, dtype=np.int64)
"""Stands for no log of decisions."""
