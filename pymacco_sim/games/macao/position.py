"""A position written in card names, as a record that the engine can go on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.games.macao.cards import SUITS, card_number, rank_number
from pymacco_sim.games.macao.rules import MacaoRules
from pymacco_sim.games.macao.state import LEAD_SUIT, new_states, pack_rules


def place_cards(
    rules: MacaoRules,
    hands: Sequence[Sequence[str]],
    top: str,
    stock: Sequence[str] = (),
    *,
    named_suit: str | None = None,
    pending: Mapping[str, Any] | None = None,
    to_play: int = 0,
    played: int = 0,
    passes: int = 0,
    pile: int = 1,
    totals: Sequence[int] = (),
) -> np.ndarray:
    """Return a position made of named cards.

    Parameters
    ----------
    rules : MacaoRules
    hands : sequence of sequences of str
        Cards of each seat: ``[["10H", "AC"], ["BJ"], ...]``.
    top : str
        Card on top of the pile.
    stock : sequence of str
        Cards to draw, next card first.
    named_suit : str, optional
        Letter of the suit that an ace on top has named.
    pending : mapping, optional
        ``draw``, ``skip`` and ``kind`` (a rank, or ``"joker"``).
    to_play, played, passes : int
        Seat whose turn it is, cards it has played this turn, passes in a row.
    pile : int
        Cards in the pile.
    totals : sequence of int
        Match totals by seat.

    Returns
    -------
    numpy.recarray of STATE, shape (1,)

    Raises
    ------
    RequestError
        If a card does not exist or the number of hands does not fit the rules.

    Examples
    --------
    >>> states = place_cards(MacaoRules(players=2), [["10H", "3S"], ["5C"]], "10S", ["9C"])
    >>> int(states[0].cards[0])
    2
    """
    if len(hands) != rules.players:
        raise RequestError(f"{len(hands)} hands are given for {rules.players} players.")
    law = pack_rules(rules)[0]
    states = new_states()
    state = states[0]
    for seat, names in enumerate(hands):
        for card in map(card_number, names):
            state.counts[seat, card] += 1
            state.held[seat] |= 1 << card
        state.cards[seat] = len(names)
    state.top = card_number(top)
    state.lead = law.up_lead[state.top] if named_suit is None else LEAD_SUIT + SUITS.index(named_suit)
    state.seen[state.top] += 1
    state.deck[: len(stock)] = [card_number(name) for name in reversed(stock)]
    state.stock, state.ordered, state.pile = len(stock), 1, pile
    due = pending or {}
    state.draw, state.skip = due.get("draw", 0), int(due.get("skip", 0))
    kind = due.get("kind")
    state.kind = 0 if kind is None else 15 if kind == "joker" else rank_number(kind)
    state.to_play, state.played, state.passes = to_play, played, passes
    state.winner = -1
    state.totals[: len(totals)] = totals
    return states
