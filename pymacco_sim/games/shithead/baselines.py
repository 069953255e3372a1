"""The yardstick policies, exactly as the rules page words them."""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline
from pymacco_sim.core.bits import lowest_bit
from pymacco_sim.core.streams import draw_below
from pymacco_sim.games.shithead.counts import ranks_of
from pymacco_sim.games.shithead.view import (
    copies,
    lay,
    play,
    strongest,
    turn_known,
    turn_over,
    weakest,
)

# --- play --------------------------------------------------------------------------------------------------------


@inline
def lowest(view, params):
    """Play the weakest legal rank, all copies."""
    rank = weakest(view, view.legal)
    return play(rank, copies(view, rank))


@inline
def highest(view, params):
    """Play the strongest legal rank, all copies."""
    rank = strongest(view, view.legal)
    return play(rank, copies(view, rank))


@inline
def single(view, params):
    """Play one copy of the weakest legal rank."""
    return play(weakest(view, view.legal), 1)


@inline
def random(view, params, stream):
    """Play a uniformly random pair of legal rank and number of copies."""
    total, left = np.int64(0), view.legal
    while left != 0:
        total += copies(view, lowest_bit(left))
        left &= left - 1
    pick, left = draw_below(stream, total), view.legal
    while True:
        rank = lowest_bit(left)
        count = copies(view, rank)
        if pick < count:
            return play(rank, pick + 1)
        pick -= count
        left &= left - 1


# --- face-up choice ----------------------------------------------------------------------------------------------


@inline
def lay_strongest(view, params):
    """Lay the strongest cards."""
    chosen, left, taken = np.int64(0), view.legal, 0
    for _ in range(view.up_size):
        rank = strongest(view, left)
        chosen = lay(chosen, rank)
        taken += 1
        if taken == view.hand[rank]:
            left, taken = left & ~(np.int64(1) << rank), 0
    return chosen


@inline
def lay_random(view, params, stream):
    """Lay a uniformly random choice of cards."""
    chosen, taken = np.int64(0), np.int64(0)
    total = view.up_size + view.hand_size
    for number in range(view.up_size):
        pick = draw_below(stream, total - number)
        for rank in range(2, 16):
            count = np.int64(view.hand[rank]) - ((taken >> (4 * rank)) & 15)
            if 0 <= pick < count:
                chosen = lay(chosen, rank)
                taken += np.int64(1) << (4 * rank)
            pick -= count
    return chosen


# --- face-down ---------------------------------------------------------------------------------------------------


@inline
def turn_lowest(view, params):
    """Turn over the weakest known playable card, else a random unknown one, else the weakest known one."""
    if view.legal != 0:
        return turn_known(weakest(view, view.legal))
    if view.n_unknown > 0:
        return turn_over(0)
    return turn_known(weakest(view, ranks_of(view.known)))


@inline
def turn_random(view, params, stream):
    """Turn over a uniformly random card, known or not."""
    pick = draw_below(stream, np.int64(view.n_down[view.seat]))
    for rank in range(2, 16):
        if 0 <= pick < view.known[rank]:
            return turn_known(rank)
        pick -= np.int64(view.known[rank])
    return turn_over(0)
