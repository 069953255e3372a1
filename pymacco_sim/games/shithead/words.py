"""Cards and decisions in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pymacco_sim.core.calls import RAISED
from pymacco_sim.games.shithead.engine import DECLINE_SHIFT
from pymacco_sim.games.shithead.rules import RANK_NAMES
from pymacco_sim.games.shithead.state import CHOOSING, DOWN, HAND, UP, joins, slot_rank, unknown_slots, zone_of

ZONE_NAMES = ("hand", "face_up", "face_down")


def rank_name(rank: int) -> str:
    """Return the name of a rank 2 to 15: ``"10"``, ``"J"``, ``"Joker"``."""
    return RANK_NAMES[rank]


def name_counts(counts: Sequence[int] | np.ndarray) -> list[str]:
    """Return the cards of counts by rank, by name, ascending.

    Examples
    --------
    >>> name_counts([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2])
    ['2', 'J', 'J']
    """
    return [RANK_NAMES[rank] for rank, count in enumerate(counts) for _ in range(int(count))]


def name_cards(ranks: Iterable[int]) -> list[str]:
    """Return names of ranks, in the given order."""
    return [RANK_NAMES[int(rank)] for rank in ranks]


def name_set(mask: int) -> list[str]:
    """Return names of the ranks in a set of bits, ascending.

    Examples
    --------
    >>> name_set(0b10100)
    ['2', '4']
    """
    return [RANK_NAMES[rank] for rank in range(2, 16) if int(mask) >> rank & 1]


def face_down_cards(me: np.record) -> list[str]:
    """Return a seat's face-down cards by slot."""
    return [RANK_NAMES[int(slot_rank(me, slot))] for slot in range(int(me.held[DOWN]))]


def known_cards(me: np.record) -> list[str]:
    """Return the face-down cards that their owner knows."""
    return name_counts(me.known)


def chosen_cards(choice: int, size: int) -> list[str]:
    """Return the cards of a legal face-up choice, ascending."""
    return name_cards(sorted(choice >> 4 * index & 15 for index in range(size)))


def most_copies(state: np.record, law: np.record, ranks: int) -> dict[str, int]:
    """Return the most copies that may be played of every rank of a set, by name."""
    me = state.seats[state.seat]
    zone = int(zone_of(me))
    counts = me.cards[zone].astype(int)
    if zone == HAND and joins(state, law, me):
        counts = counts + me.cards[UP]
    return {RANK_NAMES[rank]: int(counts[rank]) for rank in range(2, 16) if ranks >> rank & 1}


def pile_words(state: np.record, law: np.record) -> str:
    """Return what a play is compared with, in words."""
    if state.n_pile == 0:
        return "the pile is empty"
    value = int(state.value)
    if value == 0:
        return "only transparent cards lie on the pile"
    if int(law.inverts) >> value & 1:
        return f"{RANK_NAMES[value]} asks for an equal or lower card"
    return f"the pile shows {RANK_NAMES[value]}"


def say_why(state: np.record, law: np.record, rank: int) -> str:
    """Return why a card may be played."""
    if state.n_pile == 0:
        return "the pile is empty"
    value = int(state.value)
    if value == 0:
        return "only transparent cards lie there"
    if int(law.inverts) >> value & 1 and rank <= value:
        return f"equal or lower than {RANK_NAMES[value]}"
    if int(law.wild) >> rank & 1:
        return "wild"
    return f"equal to {RANK_NAMES[value]}" if rank == value else f"higher than {RANK_NAMES[value]}"


def explain_decision(state: np.record, law: np.record, decision: int, ranks: int) -> str:
    """Return what a decision would do and what would have been legal, in words.

    Parameters
    ----------
    state, law : records
    decision : int
    ranks : int
        Ranks that may be played there, as a set of bits.
    """
    if decision == RAISED or decision == -(2**31):
        came = "it raised an error"
    elif state.phase == CHOOSING:
        came = f"it chose the cards {chosen_words(decision)}"
    elif zone_of(state.seats[state.seat]) == DOWN:
        came = _face_down_words(decision)
    else:
        copies, rank = decision >> 4, decision & 15
        came = f"decision {decision} is no play"
        if copies > 0 and rank > 1:
            came = f"it played {copies} x {RANK_NAMES[rank]}"
    return f"{came}; {legal_words(state, law, ranks)}"


def chosen_words(choice: int) -> str:
    """Return a face-up choice, right or wrong, in words."""
    names = []
    while choice > 0:
        names.append(RANK_NAMES[choice & 15] or "?")
        choice >>= 4
    return " ".join(reversed(names)) or str(choice)


def _face_down_words(decision: int) -> str:
    if decision < 0 or decision >> 4 & 1:
        return f"decision {decision} is no face-down card"
    rank, declined = decision & 15, name_set(decision >> DECLINE_SHIFT)
    came = f"it turned over a known {RANK_NAMES[rank] or '?'}" if rank else "it turned over an unknown card"
    return f"{came} and declined {' '.join(declined) or 'nothing'}" if decision >> DECLINE_SHIFT else came


def legal_words(state: np.record, law: np.record, ranks: int) -> str:
    """Return what is legal in a position, in words."""
    me = state.seats[state.seat]
    if state.phase == CHOOSING:
        return f"legal: any {int(law.up_size)} of {' '.join(name_counts(me.cards[HAND]))}"
    if zone_of(me) == DOWN:
        unknown = bin(int(unknown_slots(me))).count("1")
        known = " ".join(known_cards(me)) or "none"
        decline = "may be declined" if law.may_decline and state.n_pile else "may not be declined"
        return f"legal: known cards ({known}) or one of {unknown} unknown ones; a playable card {decline}"
    plays = most_copies(state, law, ranks)
    fitting = ", ".join(f"1 to {most} x {rank}" if most > 1 else f"1 x {rank}" for rank, most in plays.items())
    return f"{pile_words(state, law)}; legal: {fitting or 'only to pick up'}"
