"""The state of a game: one record of fixed size, and the smallest questions about it."""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline
from pymacco_sim.core.bits import lowest_bit
from pymacco_sim.core.hints import unlikely
from pymacco_sim.games.shithead.rules import MAX_CARDS, MAX_SEATS, N_RANKS

HAND, UP, DOWN = 0, 1, 2
"""Zones, in the order in which a player plays them."""

NOBODY = 255
"""Seat that plays next after the end of the game."""

CHOOSING, PLAYING = 0, 1
"""Phases of a game: everybody lays face-up cards, then turns are played."""

PILE_SLACK = 4
"""Entries beyond the pile's top that a play may overwrite: up to so many cards are laid without a loop."""

SEAT = np.dtype(
    [
        ("cards", np.uint8, (2, N_RANKS)),
        ("known", np.uint8, (N_RANKS,)),
        ("down", np.uint32),
        ("mask", np.uint16, (2,)),
        ("seen", np.uint8),
        ("place", np.uint8),
        ("held", np.uint16, (3,)),
    ],
    align=True,
)
"""What lies before one seat: 64 bytes, one line of a processor's cache.

=============  ===================================================================================================
cards          cards by zone (hand, face-up) and rank; ``mask`` their ranks as bits
held           number of cards by zone (hand, face-up, face-down)
down           face-down cards by slot, four bits each; ``seen`` the slots that their owner knows, as bits
known          face-down cards that their owner knows, by rank
place          finishing place, 0 while in
=============  ===================================================================================================
"""

STATE = np.dtype(
    [
        ("seat", np.uint32),
        ("phase", np.int32),
        ("value", np.uint32),
        ("run", np.int32),
        ("tail_rank", np.uint32),
        ("tail", np.int32),
        ("n_pile", np.uint32),
        ("pile_mask", np.uint32),
        ("n_stock", np.uint32),
        ("n_out", np.int32),
        ("still", np.int32),
        ("turns", np.int32),
        ("moved", np.int32),
        ("burns", np.int32),
        ("pickups", np.int32),
        ("failed", np.int32),
        ("slot", np.int32),
        ("shown", np.int32),
        ("chance", np.uint32, (4,)),
        ("pile", np.uint8, (N_RANKS,)),
        ("burnt", np.uint8, (N_RANKS,)),
        ("seats", SEAT, (MAX_SEATS,)),
        ("laid", np.int32, (MAX_SEATS,)),
        ("pile_cards", np.uint8, (MAX_CARDS + PILE_SLACK,)),
        ("stock", np.uint8, (MAX_CARDS,)),
    ],
    align=True,
)
"""A position, with everything hidden. Fields that serve as indices are unsigned: they need no check for counting from
the end.

=============  ===================================================================================================
seat           who acts next; :data:`NOBODY` once the game has ended by its rules
phase          :data:`CHOOSING` or :data:`PLAYING`
value          rank that the next play is compared with: the topmost card that counts; 0: none, anything may follow
run            cards of that rank in a row, transparent ones skipped
tail_rank      rank of the transparent cards on top of the pile, 0 if the top card is not transparent
tail           how many of them lie there uninterrupted (a plain bottom card of that rank included)
pile           cards in the pile by rank, ``pile_cards[:n_pile]`` from bottom to top, ``pile_mask`` their ranks as bits
stock          ``stock[:n_stock]``, the next card last
burnt          cards out of the game by rank
n_out          seats that are out, ``still`` those that are in (bits)
seats          what lies before each seat: :data:`SEAT`
laid           face-up choices by seat while everybody chooses
turns          turns so far; ``moved`` as of the last burn, draw, new face-down card or player out
burns          plays that burned; ``pickups`` piles taken, ``failed`` those after a face-down card
slot, shown    slot and rank of the latest face-down try
chance         random stream of the deck and of blind picks (uint32[4])
=============  ===================================================================================================
"""


@inline
def zone_of(me):
    """Zone that a seat plays from: the hand while it has cards, then face-up, then face-down."""
    if me.mask[HAND] != 0:
        return HAND
    return UP if me.mask[UP] != 0 else DOWN


@inline
def weakest_rank(mask, strong):
    """Weakest rank of a set that is not empty: plain ranks ascending, then wild or burning ones ascending."""
    plain = np.int64(mask) & ~np.int64(strong)
    return lowest_bit(plain if plain != 0 else np.int64(mask))


@inline
def joins(state, rules, me):
    """Whether face-up cards may join the last hand cards: the stock is empty and the hand of one rank."""
    if unlikely(rules.join != 0):
        mask = np.int64(me.mask[HAND])
        return state.n_stock == 0 and mask != 0 and mask & (mask - 1) == 0
    return False


@inline
def slot_rank(me, slot):
    """Rank of the face-down card in a slot."""
    return (np.int64(me.down) >> (4 * slot)) & 15


@inline
def unknown_slots(me):
    """Set of the face-down slots (bits) that their owner has not seen."""
    return ((np.int64(1) << np.int64(me.held[DOWN])) - 1) & ~np.int64(me.seen)
