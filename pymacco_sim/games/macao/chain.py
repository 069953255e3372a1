"""Planning a turn: the chain of cards worth most, by a search over the own hand."""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from pymacco_sim._jit import jit
from pymacco_sim.core.bits import lowest_bit
from pymacco_sim.games.macao.view import drop_card, play

OUT = 1e12
"""Worth of a chain that empties the hand."""


def best_chain(view, gain, attack, budget):
    """Return the first decision of the chain worth most, or ``view.other`` if no chain is worth more than none.

    A chain is worth the gains of its cards, and `attack` for every card that it leaves the next seat to draw; one
    that empties the hand beats all others. A wild card names the suit of the card planned after it. The search goes
    depth first, low ranks before aces and jokers, and stops after `budget` cards tried.

    Parameters
    ----------
    view : View
    gain : float64[54]
        What it is worth to be rid of a card, by kind; negative for cards worth keeping.
    attack : float
    budget : int
        400 is plenty for hands up to ten cards.

    Returns
    -------
    int
        A decision.
    """
    size = view.cards[view.seat]
    counts = np.empty(54, dtype=np.int64)
    for kind in range(54):
        counts[kind] = view.hand[kind]
    todo = np.zeros(size + 1, dtype=np.int64)  # by depth: cards not yet tried, lead, card chosen, worth, draws left
    leads = np.zeros(size + 1, dtype=np.int64)
    chosen = np.zeros(size + 1, dtype=np.int64)
    worth = np.zeros(size + 1, dtype=np.float64)
    draws = np.zeros(size + 1, dtype=np.int64)
    todo[0], leads[0], draws[0] = view.playable, view.lead, view.draw
    held, depth, tried = view.held, 0, 0
    best = attack * view.draw if view.played > 0 else 0.0
    first, second = -1, -1
    while depth >= 0:
        if todo[depth] == 0 or tried >= budget:
            depth -= 1
            if depth >= 0:
                counts[chosen[depth]] += 1
                held |= 1 << chosen[depth]
            continue
        card = lowest_bit(todo[depth])
        todo[depth] &= todo[depth] - 1
        chosen[depth] = card
        tried += 1
        held = drop_card(counts, held, card)
        depth += 1
        worth[depth] = worth[depth - 1] + gain[card]
        draws[depth] = 0 if view.cancels[card] else draws[depth - 1] + view.forced[card]
        total = OUT if depth == size else worth[depth] + attack * draws[depth]
        if total > best:
            best, first, second = total, chosen[0], chosen[1] if depth > 1 else -1
            if depth == size:
                break
        leads[depth] = leads[depth - 1] if view.leads[card] < 0 else view.leads[card]
        todo[depth] = held if view.wild[card] else held & view.follow[leads[depth]]
    if first < 0:
        return view.other
    if view.wild[first] and 0 <= second < 52:
        return play(first, second % 4)
    return play(first)


_compiled = jit(best_chain)


@overload(best_chain)
def _best_chain(view, gain, attack, budget):
    """Call the compiled twin, which comes from the disk cache whoever's policy asks for it."""
    return lambda view, gain, attack, budget: _compiled(view, gain, attack, budget)
