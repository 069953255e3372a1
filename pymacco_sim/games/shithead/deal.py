"""The start of a game: cards shuffled and dealt."""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.streams import CHANCE, seed_stream, shuffle
from pymacco_sim.games.shithead.counts import change_count, clear_counts
from pymacco_sim.games.shithead.state import CHOOSING, DOWN, HAND, UP


@jit
def deal(state, rules, seed, cell, number):
    """Shuffle and deal game `number`: own cards to the hands, face-down cards, the rest to the stock.

    Parameters
    ----------
    state : STATE record
        Overwritten.
    rules : RULES record
    seed, cell, number : uint64
        Random key and number of the deal.
    """
    clear(state, rules)
    seed_stream(state.chance, seed, cell, number, CHANCE)
    n_cards = np.int64(rules.n_cards)
    for index in range(n_cards):
        state.stock[index] = rules.deck[index]
    shuffle(state.chance, state.stock[:n_cards])
    own, left = rules.hand_size + rules.up_size, np.uint32(n_cards)
    for seat in range(rules.players):
        me = state.seats[seat]
        mask, down = np.int64(0), np.int64(0)
        for _ in range(own):
            left = np.uint32(left - 1)
            rank = np.int64(state.stock[left])
            change_count(me.cards[HAND], rank, 1)
            mask |= np.int64(1) << rank
        for slot in range(rules.down_size):
            left = np.uint32(left - 1)
            down |= np.int64(state.stock[left]) << (4 * slot)
        me.down = down
        me.held[HAND], me.held[DOWN] = own, rules.down_size
        me.mask[HAND] = mask
    state.n_stock = left


@inline
def clear(state, rules):
    """Empty the table for `rules.players` seats."""
    state.seat = state.value = state.run = state.tail_rank = state.tail = 0
    state.n_pile = state.pile_mask = state.n_stock = state.n_out = 0
    state.turns = state.moved = state.burns = state.pickups = state.failed = state.slot = state.shown = 0
    state.phase, state.still = CHOOSING, (1 << rules.players) - 1
    clear_counts(state.pile)
    clear_counts(state.burnt)
    for seat in range(rules.players):
        me = state.seats[seat]
        me.place = me.seen = 0
        me.mask[HAND] = me.mask[UP] = 0
        me.held[HAND] = me.held[UP] = me.held[DOWN] = 0
        clear_counts(me.cards[HAND])
        clear_counts(me.cards[UP])
        clear_counts(me.known)
