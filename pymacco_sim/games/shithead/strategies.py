"""Policies that plan a little: what to keep, what to shed at once, when to burn, whom to stop.

All weigh every legal rank by one number and play the best one. A rank starts with minus its place in the strength
order, so that without further weights the weakest is played.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from pymacco_sim._jit import inline
from pymacco_sim.core.bits import has_bit, lowest_bit
from pymacco_sim.games.shithead.counts import ranks_of
from pymacco_sim.games.shithead.view import (
    accepted_after,
    copies,
    lay,
    next_seat,
    play,
    turn_known,
    turn_over,
    unseen,
    weakest,
    would_burn,
)

STRONG = 16.0
"""Places by which wild and burning ranks lie above the others."""

Weights = namedtuple("Weights", "one copies fragile burn pile block")
Weights.__doc__ = """What counts for a play, in places of the strength order.

Attributes
----------
one : bool
    Whether ranks that fit on everything are played one at a time.
copies : float
    For every copy beyond the first.
fragile : float
    For a burning rank that does not fit on everything, so that it may not be playable later.
burn, pile : float
    For burning the pile at all, and for every card that goes with it.
block : float
    For certainty that the next seat cannot play; chances count in proportion.
"""


@inline
def fits_always(view):
    """Set of the wild or burning ranks that fit on every pile; nothing is played on what burns."""
    ranks = view.strong
    for value in range(2, 16):
        if view.in_game[value] != 0 and not has_bit(view.burns, value):
            ranks &= np.int64(view.accepts[value])
    return ranks


@inline
def weigh(view, weights):
    """Play the legal rank with the greatest weight, all copies unless it is kept for later."""
    always = fits_always(view)
    best, choice, left = -1e18, np.int64(0), view.legal
    while left != 0:
        rank = lowest_bit(left)
        left &= left - 1
        count = np.int64(1) if weights.one and has_bit(always, rank) else copies(view, rank)
        weight = weights.copies * (count - 1) - rank - (STRONG if has_bit(view.strong, rank) else 0.0)
        if has_bit(view.burns & ~always, rank):
            weight += weights.fragile
        if would_burn(view, rank, count):
            weight += weights.burn + weights.pile * len(view.pile)
        elif weights.block != 0.0:
            weight += weights.block * stuck(view, accepted_after(view, rank, count))
        if weight > best:
            best, choice = weight, play(rank, count)
    return choice


@inline
def stuck(view, accepted):
    """Chance that the next seat cannot play on a pile that takes the ranks `accepted`.

    Face-up cards are known; hand and face-down cards count as drawn from everything unseen.
    """
    seat = next_seat(view)
    if view.n_hand[seat] == 0 and view.n_up[seat] != 0:
        return 1.0 if ranks_of(view.face_up[seat]) & accepted == 0 else 0.0
    fitting, total = np.int64(0), np.int64(0)
    for rank in range(2, 16):
        cards = unseen(view, rank)
        total += cards
        fitting += cards if has_bit(accepted, rank) else 0
    cards = max(np.int64(view.n_hand[seat]), 1)
    return (1.0 - fitting / max(total, 1)) ** cards


@inline
def is_near(view, few):
    """Whether the next seat has at most `few` hand cards, or plays from the table."""
    return view.n_hand[next_seat(view)] <= few


# --- play --------------------------------------------------------------------------------------------------------


@inline
def hoarder(view, params):
    """Hoard what fits on everything while the stock has over ``params[0]`` cards; see :func:`hoard`."""
    return hoard(view, params[0], params[1], params[2], 0.0)


@inline
def hoard(view, until, keep, fragile, block):
    """Play ranks that fit on everything one at a time, and burn late (`keep` places back); neither near the end.

    Burning ranks that do not fit on everything are played `fragile` places earlier near the end.
    """
    if view.stock > until:
        return weigh(view, Weights(True, 0.0, 0.0, -keep, 0.0, block))
    return weigh(view, Weights(False, 0.0, fragile, 0.0, 0.0, block))


@inline
def thinner(view, params):
    """Shed multiples: a further copy is worth ``params[0]`` places while the hand has over ``params[1]`` cards."""
    worth = params[0] if view.n_hand[view.seat] > params[1] else 0.0
    return weigh(view, Weights(False, worth, params[2], 0.0, 0.0, 0.0))


@inline
def burner(view, params):
    """Burn: worth ``params[0]`` places, ``params[1]`` for every pile card, ``params[2]`` more for a fragile rank."""
    return weigh(view, Weights(False, 0.0, params[2], params[0], params[1], 0.0))


@inline
def blocker(view, params):
    """Stop the next seat once it holds at most ``params[1]`` cards: worth ``params[0]`` places; else :func:`hoard`."""
    return hoard(view, 0, params[2], params[3], params[0] if is_near(view, params[1]) else 0.0)


# --- face-up choice ----------------------------------------------------------------------------------------------


@inline
def lay_together(view, params):
    """Lay equal cards together: every further copy held is worth ``params[0]`` places of the strength order."""
    return lay_best(view, params[0], STRONG)


@inline
def lay_plain(view, params):
    """Lay high plain cards; wild and burning ones count ``params[0]`` places less than by rank."""
    return lay_best(view, 0.0, -params[0])


@inline
def lay_best(view, copy, strong):
    """Lay the cards with the greatest weights: rank, `copy` for further copies, `strong` for strong ranks."""
    chosen, taken = np.int64(0), np.int64(0)
    for _ in range(view.up_size):
        best, pick = -1e18, np.int64(0)
        for rank in range(2, 16):
            held = np.int64(view.hand[rank])
            if held <= (taken >> (4 * rank)) & 15:
                continue
            weight = rank + copy * (held - 1) + (strong if has_bit(view.strong, rank) else 0.0)
            if weight > best:
                best, pick = weight, np.int64(rank)
        taken += np.int64(1) << (4 * pick)
        chosen = lay(chosen, pick)
    return chosen


# --- face-down ---------------------------------------------------------------------------------------------------


@inline
def turn_prober(view, params):
    """Try unknown cards while the pile has at most ``params[0]`` cards; known ones then wait.

    On an empty pile everything fits, so a known card up to rank ``params[1]`` goes first: it fits nowhere else.
    """
    if view.n_unknown > 0 and len(view.pile) <= params[0]:
        if len(view.pile) == 0 and view.legal != 0:
            rank = weakest(view, view.legal)
            if rank <= params[1] and not has_bit(view.strong, rank):
                return turn_known(rank)
        return turn_over(0)
    if view.legal != 0:
        return turn_known(weakest(view, view.legal))
    if view.n_unknown > 0:
        return turn_over(0)
    return turn_known(weakest(view, ranks_of(view.known)))
