"""The rules in motion: legal, apply, is_over, score. Bulk play, replay and tests all drive these functions, from the
start that :func:`~pymacco_sim.games.shithead.deal.deal` makes.

A decision is an int64:

* face-up choice: four bits a card, in any order (``rank1 + 16 * rank2 + ...``);
* play from hand or face-up: ``16 * copies + rank``; :data:`PICK_UP` when nothing is legal;
* face-down: the rank of a known card, or 0 for a blind pick, plus ``32 * ranks`` with the set of ranks (as bits) that
  the player would rather keep and pick up for.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline
from pymacco_sim.core.bits import count_bits, has_bit, lowest_bit, nth_bit
from pymacco_sim.core.hints import unlikely
from pymacco_sim.core.streams import draw_below
from pymacco_sim.games.shithead.counts import add_counts, change_count, clear_counts, ranks_of
from pymacco_sim.games.shithead.rules import JOKER, N_RANKS
from pymacco_sim.games.shithead.state import (
    CHOOSING,
    DOWN,
    HAND,
    NOBODY,
    PILE_SLACK,
    PLAYING,
    UP,
    joins,
    slot_rank,
    unknown_slots,
    zone_of,
)

PICK_UP = 0
"""Decision (the engine's own) of a player without a legal card."""

DECLINE_SHIFT = 5
"""Bits before the set of declined ranks in a face-down decision."""


# --- the face-up choice ----------------------------------------------------------------------------------------------


@inline
def may_lay(rules, me, choice):
    """Whether a face-up choice is `rules.up_size` of the seat's own cards."""
    rest, taken = np.int64(choice), np.int64(0)
    for _ in range(rules.up_size):
        rank = rest & 15
        rest >>= 4
        if rank < 2 or np.int64(me.cards[HAND, rank]) <= (taken >> (4 * rank)) & 15:
            return False
        taken += np.int64(1) << (4 * rank)
    return rest == 0


@inline
def choose_face_up(state, rules, seat, choice):
    """Take a legal face-up choice; lay all of them once everybody has chosen."""
    state.laid[seat] = choice
    if seat + 1 < rules.players:
        state.seat = seat + 1
    else:
        lay_face_up(state, rules)


@inline
def lay_face_up(state, rules):
    """Lay everybody's chosen cards at once, and give the turn to the first player."""
    for seat in range(rules.players):
        me, choice = state.seats[seat], np.int64(state.laid[seat])
        hand, up = np.int64(me.mask[HAND]), np.int64(0)
        for _ in range(rules.up_size):
            rank = choice & 15
            choice >>= 4
            left = np.int64(me.cards[HAND, rank]) - 1
            change_count(me.cards[HAND], rank, -1)
            change_count(me.cards[UP], rank, 1)
            hand &= ~(np.int64(left == 0) << rank)
            up |= np.int64(1) << rank
        me.held[HAND], me.held[UP] = rules.hand_size, rules.up_size
        me.mask[HAND], me.mask[UP] = hand, up
    state.seat = find_first(state, rules)
    state.phase = PLAYING


@inline
def find_first(state, rules):
    """Seat that begins: 0, or the first with the lowest card in hand, searched 3 to ace, then 2, then joker."""
    if rules.lowest_begins == 0:
        return np.int64(0)
    for step in range(3, 17):
        rank = step if step < JOKER else (2 if step == JOKER else JOKER)
        for seat in range(rules.players):
            if state.seats[seat].cards[HAND, rank] != 0:
                return np.int64(seat)
    return np.int64(0)


# --- questions ---------------------------------------------------------------------------------------------------


@inline
def legal(state, rules):
    """Set of ranks (bits) that the seat to act may play: of its hand or face-up cards, or of its known face-down ones.

    An empty set means picking up from hand and face-up; from face-down any card may be tried, legal or not.
    """
    me = state.seats[state.seat]
    return legal_from(state, rules, me, zone_of(me))


@inline
def legal_from(state, rules, me, zone):
    """:func:`legal` for what lies before a seat, its zone being known."""
    accepted = np.int64(rules.accepts[state.value])
    if zone == DOWN:
        return accepted & ranks_of(me.known)
    return accepted & np.int64(me.mask[zone])


@inline
def is_over(state):
    """Whether the game has ended by its rules (a cap or a cycle is for the driver to see)."""
    return state.seat == NOBODY


@inline
def score(state, rules, seat):
    """Place of a seat in half places: twice its finishing place, or twice the mean place of those still in."""
    if state.seats[seat].place != 0:
        return 2 * np.int64(state.seats[seat].place)
    return np.int64(state.n_out + 1 + rules.players)


# --- a turn ------------------------------------------------------------------------------------------------------


@inline
def apply(state, rules, decision):
    """Carry out a decision of the seat to act.

    Returns
    -------
    bool
        False if it is illegal: nothing was changed.
    """
    seat = np.int64(state.seat)
    me = state.seats[seat]
    if state.phase == CHOOSING:
        if not may_lay(rules, me, decision):
            return False
        choose_face_up(state, rules, seat, decision)
        return True
    zone = zone_of(me)
    options = legal_from(state, rules, me, zone)
    if not may_decide(state, rules, me, zone, options, decision):
        return False
    if zone == DOWN:
        try_face_down(state, rules, me, seat, decision)
    elif options == 0:
        take_pile(state, rules, me, seat, False)
    else:
        play_cards(state, rules, me, seat, zone, np.int64(decision) & 15, np.int64(decision) >> 4)
    return True


@inline
def may_decide(state, rules, me, zone, options, decision):
    """Whether a decision is legal for what lies before a seat, zone and legal ranks being known."""
    if zone == DOWN:
        return may_turn_over(state, rules, me, decision)
    if options == 0 or decision < 0:
        return decision == PICK_UP and options == 0
    rank, copies = np.int64(decision) & 15, np.int64(decision) >> 4
    most = np.int64(me.cards[zone, rank])
    if zone == HAND and joins(state, rules, me):
        most += np.int64(me.cards[UP, rank])
    return has_bit(options, rank) and 1 <= copies <= most


@inline
def may_turn_over(state, rules, me, decision):
    """Whether a face-down decision is legal: a known rank or an unknown card, nothing declined against the rules."""
    wanted, declined = np.int64(decision) & 15, np.int64(decision) >> DECLINE_SHIFT
    if decision < 0 or (np.int64(decision) >> 4) & 1 != 0 or declined >= 1 << N_RANKS:
        return False
    if declined != 0 and (rules.may_decline == 0 or state.n_pile == 0):
        return False
    if wanted == 0:
        return unknown_slots(me) != 0
    return me.known[wanted] != 0


@inline
def play_cards(state, rules, me, seat, zone, rank, copies):
    """Play one or more cards of a rank from hand or face-up; returns as :func:`end_turn` does."""
    own = np.int64(me.cards[zone, rank])
    if unlikely(copies > own):
        remove(me, UP, rank, copies - own)
        remove(me, zone, rank, own)
    else:
        remove(me, zone, rank, copies)
    return lay_on_pile(state, rules, me, seat, rank, copies, False)


@inline
def remove(me, zone, rank, copies):
    """Take cards of a rank out of a hand or out of face-up cards."""
    left = np.int64(me.cards[zone, rank]) - copies
    change_count(me.cards[zone], rank, -copies)
    me.held[zone] = np.int64(me.held[zone]) - copies
    me.mask[zone] = np.int64(me.mask[zone]) & ~(np.int64(left == 0) << rank)


@inline
def lay_on_pile(state, rules, me, seat, rank, copies, progress):
    """Put cards on the pile or burn it with them, and end the turn; returns as :func:`end_turn` does."""
    value = rank
    if unlikely(has_bit(rules.transparent, rank)):
        if state.n_pile == 0 and rules.plain_bottom != 0:
            state.value, state.run = rank, 1
        value = np.int64(state.value)
        state.tail = copies + (state.tail if state.tail_rank == rank else 0)
        state.tail_rank = rank
        run = state.tail
    else:
        state.tail_rank = state.tail = 0
        run = copies + np.int64(state.run) * np.int64(state.value == rank)  # a product, not a branch: who can tell
        state.run, state.value = run, rank
    if has_bit(rules.burns, rank) or run >= rules.run_to_burn:
        add_counts(state.burnt, state.pile)
        change_count(state.burnt, rank, copies)
        empty_pile(state)
        state.burns += 1
        return end_turn(state, rules, me, seat, np.int64(0), rules.burner_again != 0, True)
    for index in range(PILE_SLACK):
        state.pile_cards[state.n_pile + index] = rank
    for index in range(PILE_SLACK, copies):
        state.pile_cards[state.n_pile + index] = rank
    state.n_pile += copies
    change_count(state.pile, rank, copies)
    state.pile_mask = np.int64(state.pile_mask) | (np.int64(1) << rank)
    return end_turn(state, rules, me, seat, value, False, progress)


@inline
def empty_pile(state):
    """Leave nothing on the pile."""
    clear_counts(state.pile)
    state.value = state.run = state.tail_rank = state.tail = state.n_pile = state.pile_mask = 0


@inline
def take_pile(state, rules, me, seat, progress):
    """Take the whole pile into the hand, and end the turn; returns as :func:`end_turn` does."""
    add_counts(me.cards[HAND], state.pile)
    me.mask[HAND] = np.int64(me.mask[HAND]) | np.int64(state.pile_mask)
    me.held[HAND] = np.int64(me.held[HAND]) + np.int64(state.n_pile)
    empty_pile(state)
    state.pickups += 1
    return end_turn(state, rules, me, seat, np.int64(0), rules.pickup_again != 0, progress)


@inline
def try_face_down(state, rules, me, seat, decision):
    """Turn over a face-down card, known or blind, and play it or pick up; returns as :func:`end_turn` does."""
    wanted, declined = np.int64(decision) & 15, np.int64(decision) >> DECLINE_SHIFT
    slot = find_slot(state, me, wanted)
    rank, new = slot_rank(me, slot), not has_bit(me.seen, slot)
    state.slot, state.shown = slot, rank
    if has_bit(rules.accepts[state.value], rank) and not has_bit(declined, rank):
        remove_down(me, slot, rank, new)
        return lay_on_pile(state, rules, me, seat, rank, np.int64(1), new)
    state.failed += 1
    if rules.failed_stays == 0:
        remove_down(me, slot, rank, new)
        add_to_hand(me, rank)
    elif new:
        me.seen = np.int64(me.seen) | (np.int64(1) << slot)
        me.known[rank] += np.uint8(1)
    return take_pile(state, rules, me, seat, new)


@inline
def find_slot(state, me, wanted):
    """Slot of a known card of rank `wanted`, or of a random unknown card if `wanted` is 0."""
    if wanted == 0:
        unknown = unknown_slots(me)
        return nth_bit(unknown, draw_below(state.chance, count_bits(unknown)))
    seen = np.int64(me.seen)
    while slot_rank(me, lowest_bit(seen)) != wanted:
        seen &= seen - 1
    return lowest_bit(seen)


@inline
def remove_down(me, slot, rank, new):
    """Take a face-down card away; later slots move up."""
    if not new:
        me.known[rank] -= np.uint8(1)
    seen, down = np.int64(me.seen), np.int64(me.down)
    below, cards_below = (np.int64(1) << slot) - 1, (np.int64(1) << (4 * slot)) - 1
    me.seen = (seen & below) | ((seen >> 1) & ~below)
    me.down = (down & cards_below) | ((down >> 4) & ~cards_below)
    me.held[DOWN] = np.int64(me.held[DOWN]) - 1


@inline
def add_to_hand(me, rank):
    """Put one card into a hand."""
    change_count(me.cards[HAND], rank, 1)
    me.mask[HAND] = np.int64(me.mask[HAND]) | (np.int64(1) << np.int64(rank))
    me.held[HAND] = np.int64(me.held[HAND]) + 1


@inline
def end_turn(state, rules, me, seat, value, again, progress):
    """Draw, see whether the player is out, and return who plays next (uint32) and the pile's `value` (int64).

    Both stand in the state as well; whoever goes on with the returned ones need not wait for memory.
    """
    if state.n_stock > 0:
        wanted = np.int64(1)
        if rules.draw_to != 0:
            wanted = np.int64(rules.draw_to) - np.int64(me.held[HAND])
        while wanted > 0 and state.n_stock > 0:
            state.n_stock -= 1
            add_to_hand(me, state.stock[state.n_stock])
            wanted -= 1
            progress = True
    state.turns += 1
    if unlikely((me.mask[HAND] | me.mask[UP] | me.held[DOWN]) == 0):
        state.n_out += 1
        me.place = state.n_out
        state.still &= ~(1 << seat)
        again, progress = False, True
        if state.n_out >= rules.players - 1 or rules.first_ends != 0:
            state.moved, state.seat = state.turns, NOBODY
            return np.uint32(NOBODY), value
    if progress:
        state.moved = state.turns
    if not again:
        seat = following(state, rules, seat)
        state.seat = seat
    return np.uint32(seat), value


@inline
def following(state, rules, seat):
    """Next seat clockwise that is still in."""
    seat = seat + 1 if seat + 1 < rules.players else np.int64(0)
    if unlikely(not has_bit(state.still, seat)):
        later = np.int64(state.still) >> seat
        return seat + lowest_bit(later) if later != 0 else lowest_bit(state.still)
    return seat
