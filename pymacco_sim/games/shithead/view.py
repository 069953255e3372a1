"""What a player may see, and the helpers with which a policy asks and answers.

Everything here is compiled, and callable in plain Python as well. Sets of ranks are bits of an int:
``has_bit(mask, 10)`` asks whether the ten is in it. Ranks are 2 to 10, jack 11, queen 12, king 13, ace 14, joker 15;
arrays by rank have 16 entries, of which the first two stay 0.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from pymacco_sim._jit import inline
from pymacco_sim.core.bits import count_bits, has_bit, highest_bit
from pymacco_sim.core.calls import frozen
from pymacco_sim.games.shithead.counts import ranks_of
from pymacco_sim.games.shithead.engine import DECLINE_SHIFT
from pymacco_sim.games.shithead.rules import ALL_RANKS
from pymacco_sim.games.shithead.state import DOWN, HAND, UP, joins, unknown_slots, weakest_rank, zone_of

View = namedtuple(
    "View",
    "seat players zone legal accepted cards hand own_up face_up known n_unknown n_hand n_up n_down place "
    "pile pile_counts value inverted run run_rank value_run stock burnt joins declinable "
    "wild burns strong transparent inverts plain_bottom run_to_burn accepts in_game "
    "hand_size up_size draw_to burner_again pickup_again first_ends",
)
View.__doc__ = """What the player at one seat may see. Arrays are the game's own, read-only.

Attributes
----------
seat, players : int
    Own seat, and the number of seats at the start; the turn passes to higher seats.
zone : int
    Zone that is played from now: 0 hand, 1 face-up, 2 face-down.
legal : int
    Set of ranks: what may be played now from hand or face-up; with face-down cards, the known ones that would be
    playable. For a face-up choice: the ranks held.
accepted : int
    Set of ranks that the pile takes, whoever holds them.
cards : uint8[16]
    Own cards by rank in the zone that is played from (the known ones when that is face-down).
hand : uint8[16]
    Own hand by rank; before the face-up choice, all cards to choose from.
own_up : uint8[16]
    Own face-up cards by rank.
face_up : uint8[players, 16]
    Everybody's face-up cards by rank.
known : uint8[16]
    Own face-down cards already seen, by rank.
n_unknown : int
    Number of own face-down cards never seen.
n_hand, n_up, n_down : uint16[players]
    Everybody's number of hand, face-up and face-down cards.
place : uint8[players]
    Finishing place of who is out, 0 for who is still in.
pile : uint8[n]
    Cards in the pile, bottom to top.
pile_counts : uint8[16]
    The same by rank.
value : int
    Rank that a play is compared with; 0: anything may follow.
inverted : bool
    Whether a play must be equal or lower.
run, run_rank : int
    Length and rank of the run on top; 0, 0 on an empty pile.
value_run : int
    Cards in a row of rank `value`, transparent ones skipped: the run that another card of that rank continues.
stock : int
    Cards left in the stock.
burnt : uint8[16]
    Cards out of the game by rank.
joins : bool
    Whether own face-up cards of the same rank may join: the stock is empty, and the whole hand is of one rank.
declinable : bool
    Whether a playable face-down card may be kept now (see :func:`turn_over`).
wild, burns, strong, transparent, inverts : int
    Sets of ranks: wild, burning, either of these two, transparent, inverting.
plain_bottom : bool
    Whether a transparent card counts by its rank as the pile's bottom card.
run_to_burn : int
    Length of the run that burns.
accepts : int32[16]
    By value of the pile: the set of ranks that may be played on it; entry 0: a pile without a value.
in_game : uint8[16]
    Cards of each rank that the game began with.
hand_size, up_size : int
    Cards in hand and face-up that everybody begins with.
draw_to : int
    Hand size up to which a player draws; 0: one card each turn.
burner_again, pickup_again, first_ends : bool
    Whether who burns plays again, whether who picks up does, and whether the game ends with the first player out.
"""


@inline
def make_view(state, seat, rules):
    """Return the :data:`View` of `seat`."""
    me, seats = state.seats[seat], state.seats
    zone = zone_of(me)
    accepted = np.int64(rules.accepts[state.value])
    if zone == DOWN:
        cards, held = me.known[:], ranks_of(me.known)
    else:
        cards, held = me.cards[zone], np.int64(me.mask[zone])
    players = rules.players
    inverted = has_bit(rules.inverts, np.int64(state.value))
    run = np.int64(state.tail if state.tail_rank != 0 else state.run)
    run_rank = np.int64(state.tail_rank if state.tail_rank != 0 else state.value)
    declinable = rules.may_decline != 0 and state.n_pile != 0
    fields = (
        np.int64(seat),
        np.int64(players),
        np.int64(zone),
        accepted & held,
        accepted,
        frozen(cards),
        frozen(me.cards[HAND]),
        frozen(me.cards[UP]),
        frozen(seats["cards"][:players, UP]),
        frozen(me.known[:]),
        count_bits(unknown_slots(me)),
        frozen(seats["held"][:players, HAND]),
        frozen(seats["held"][:players, UP]),
        frozen(seats["held"][:players, DOWN]),
        frozen(seats["place"][:players]),
        frozen(state.pile_cards[: state.n_pile]),
        frozen(state.pile[:]),
        np.int64(state.value),
        inverted,
        run,
        run_rank,
        np.int64(state.run),
        np.int64(state.n_stock),
        frozen(state.burnt[:]),
        joins(state, rules, me),
        declinable,
        np.int64(rules.wild),
        np.int64(rules.burns),
        np.int64(rules.strong),
        np.int64(rules.transparent),
        np.int64(rules.inverts),
        rules.plain_bottom != 0,
        np.int64(rules.run_to_burn),
        frozen(rules.accepts[:]),
        frozen(rules.copies[:]),
        np.int64(rules.hand_size),
        np.int64(rules.up_size),
        np.int64(rules.draw_to),
        rules.burner_again != 0,
        rules.pickup_again != 0,
        rules.first_ends != 0,
    )
    return View(*fields)


# --- questions ---------------------------------------------------------------------------------------------------


@inline
def copies(view, rank):
    """Most copies of a legal rank that can be played now, joined face-up ones included."""
    if view.joins:
        return np.int64(view.cards[rank]) + np.int64(view.own_up[rank])
    return np.int64(view.cards[rank])


@inline
def weakest(view, mask):
    """Weakest rank of a set that is not empty: plain ranks ascending, then wild or burning ones ascending."""
    return weakest_rank(mask, view.strong)


@inline
def strongest(view, mask):
    """Strongest rank of a set that is not empty: the reverse of :func:`weakest`."""
    strong = np.int64(mask) & view.strong
    return highest_bit(strong if strong != 0 else np.int64(mask))


@inline
def weakest_legal(view):
    """Weakest rank that may be played now."""
    return weakest(view, view.legal)


@inline
def strongest_legal(view):
    """Strongest rank that may be played now."""
    return strongest(view, view.legal)


@inline
def next_seat(view):
    """Seat that plays next after this one, if nobody burns or goes out."""
    seat = view.seat
    for _ in range(view.players):
        seat = seat + 1 if seat + 1 < view.players else 0
        if view.place[seat] == 0:
            return seat
    return seat


@inline
def zone_at(view, seat):
    """Zone that another seat will play from: 0 hand, 1 face-up, 2 face-down."""
    if view.n_hand[seat] != 0:
        return HAND
    return UP if view.n_up[seat] != 0 else DOWN


@inline
def face_up_ranks(view, seat):
    """Set of the ranks that lie face-up before a seat."""
    return ranks_of(view.face_up[seat])


@inline
def n_cards(view, seat):
    """Cards that a seat still has to get rid of, over all zones."""
    return np.int64(view.n_hand[seat]) + np.int64(view.n_up[seat]) + np.int64(view.n_down[seat])


@inline
def run_before(view, rank):
    """Cards of a rank on the pile that a play of it would continue as a run."""
    if has_bit(view.transparent, rank):
        return view.run if view.run_rank == rank else np.int64(0)
    return view.value_run if view.value == rank else np.int64(0)


@inline
def would_burn(view, rank, count):
    """Whether playing `count` cards of a rank burns the pile."""
    return has_bit(view.burns, rank) or run_before(view, rank) + count >= view.run_to_burn


@inline
def accepted_after(view, rank, count):
    """Set of ranks that the pile would take after `count` cards of a rank were played on it."""
    if would_burn(view, rank, count):
        return np.int64(ALL_RANKS)
    value = np.int64(rank)
    if has_bit(view.transparent, rank) and not (view.plain_bottom and len(view.pile) == 0):
        value = view.value
    return np.int64(view.accepts[value])


@inline
def unseen(view, rank):
    """Cards of a rank that this player cannot see: in other hands, the stock, or face-down and unknown."""
    count = np.int64(view.in_game[rank]) - np.int64(view.burnt[rank]) - np.int64(view.pile_counts[rank])
    count -= np.int64(view.hand[rank]) + np.int64(view.known[rank])
    for seat in range(view.players):
        count -= np.int64(view.face_up[seat, rank])
    return count


# --- answers -----------------------------------------------------------------------------------------------------


@inline
def play(rank, count):
    """Decision of the main part: play `count` cards of a rank; more than the zone holds joins face-up ones."""
    return np.int64(16) * np.int64(count) + np.int64(rank)


@inline
def turn_over(declined=0):
    """Decision of the face-down part: a random unknown card.

    `declined` is a set of ranks (bits): if the card is one of them it is kept and the pile picked up, though it
    could be played. Allowed only where the rules let a player decline and the pile has cards.
    """
    return np.int64(declined) << DECLINE_SHIFT


@inline
def turn_known(rank):
    """Decision of the face-down part: the known card of that rank."""
    return np.int64(rank)


@inline
def decline(rank):
    """Decision of the face-down part: turn over the known card of that rank, keep it, and pick up the pile."""
    return np.int64(rank) + ((np.int64(1) << np.int64(rank)) << DECLINE_SHIFT)


@inline
def lay(chosen, rank):
    """Decision of the face-up part: the cards `chosen` so far (0 at first) and one of `rank`.

    >>> lay(lay(lay(0, 14), 10), 10) == 14 * 256 + 10 * 16 + 10
    True
    """
    return np.int64(16) * np.int64(chosen) + np.int64(rank)
