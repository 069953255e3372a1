"""Many games side by side, any number of seats: races, single turns, and solo sessions with layered tables.

The rolls of a turn are vector code as in :mod:`pymacco_sim.games.macke.lanes`. A turn that ends is booked lane by lane
in a few words; whether the game is over, and what it then reports, is the step-wise engine's business.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.games.macke.engine import judge, play_on, write_game
from pymacco_sim.games.macke.lanes import (
    ENTRY,
    FACES,
    INDEX,
    LANES,
    MOST_ROLLS,
    MOST_UNITS,
    POINTS,
    ROW,
    WORDS,
    add_roll,
    advance,
    leave_turn,
    mask,
    number_rolls,
    seed_lane,
)
from pymacco_sim.games.macke.rules import MAX_SEATS
from pymacco_sim.games.macke.state import PLAYING
from pymacco_sim.games.macke.table import MAY_STOP, NEXT_MASK, STOPS

BASE, LAST, ROLL_LIMIT, FINISH, ENDED, SEATED, WINNER, TURNED = (WORDS + block * LANES for block in range(8))
"""Further words of a lane. Of the seat to play: offset and last row of its table, its roll limit, the points word at
which it stops to finish. How the roll ended the turn; the seat to play; who reached the target first (-1: nobody);
the first place of this game's rotation in the list of turns."""

TOTALS, STREAKS = (WORDS + (8 + block * MAX_SEATS) * LANES for block in range(2))
"""Banked units and busts in a row, one block of lanes a seat."""

ALL_WORDS = WORDS + (8 + 2 * MAX_SEATS) * LANES

BANKED, BUSTED, RARE = 1, 2, 3

HOT_SHIFT, BUST_SHIFT, TURN_SHIFT = 24, 37, 50
"""Where a seat's tally counts turns with hot dice, busts and turns, above its rolls."""

MOST_TURNS = (1 << 13) - 1
"""Most turns of a seat that a tally holds, and the mask of its fields."""

_I, _U = np.int32, np.uint32

_LANE, _SEAT, _PLACE = (
    LANES - 1,
    MAX_SEATS - 1,
    MAX_SEATS * MAX_SEATS - 1,
)  # masks: they tell the compiler that an index is not negative


@inline
def _look_up(f, class_of, words, width):
    for i in range(LANES):
        row = _I(f[POINTS + i] >> _I(16))
        last = f[LAST + i]
        f[ROW + i] = _I(_I((row if row < last else last) * width) + f[BASE + i])
    for i in range(LANES):
        f[ENTRY + i] = words[np.uint64(_U(f[ROW + i])) + np.uint64(class_of[_U(f[INDEX + i])])]


@inline
def _step(f, full, most_rolls):
    """A roll of every lane; a turn that ended keeps its points word for the booking."""
    for i in range(LANES):
        e = f[ENTRY + i]
        p = add_roll(f[POINTS + i], e)
        rolls = _I(p & _I(0xFF))
        wish = (rolls >= f[ROLL_LIMIT + i]) | (p >= f[FINISH + i])
        stop = (_I(e & _I(STOPS)) != _I(0)) | (wish & (_I(e & _I(MAY_STOP)) != _I(0)))
        banks, busts = mask(stop), mask(e == full)
        rare = _I(mask((rolls >= most_rolls) | (p >= _I(MOST_UNITS << 16))) & _I(~banks))
        ended = _I(_I(banks & _I(BANKED)) | _I(rare & _I(RARE)))
        f[ENDED + i] = _I(_I(busts & _I(BUSTED)) | _I(ended & _I(~busts)))
        f[POINTS + i] = p
        over = _I(banks | busts)
        f[FACES + i] = _I(_I(over & full) | _I(_I(e & _I(NEXT_MASK)) & _I(~over)))


@inline
def _collect(f, ended):
    """Write the lanes whose turn has ended into `ended`; returns their number."""
    count = 0
    for k in range(LANES):
        ended[count] = k
        count += 1 if f[ENDED + k] != 0 else 0
    return count


@jit
def _list_turns(seats, width, turns):
    """Write what a turn needs to know by place: offset, last row and roll limit of the table, size of a layer, last
    layer, and whether to finish; returns whether any seat has layers or finishes, and whether all are alike."""
    n, special, alike = seats.size, False, True
    for place in range(n * n):
        seat = seats[(place % n - place // n) % n]
        turns[place, 0], turns[place, 1] = seat.offset, seat.rows - 1
        turns[place, 2] = min(seat.roll_limit, 1 << 20)
        turns[place, 3], turns[place, 4], turns[place, 5] = seat.rows * width, seat.layers - 1, seat.finish
        special = special or seat.layers > 1 or seat.finish != 0
        for item in range(3):
            alike = alike and turns[place, item] == turns[0, item]
    return special, alike and not special


@inline
def _begin(f, k, seat, turn, special, goal):
    """Set up a lane for the next turn of `seat`; `turn` is its row of :func:`_list_turns`."""
    f[SEATED + k] = seat
    f[POINTS + k] = 0
    f[BASE + k], f[LAST + k], f[ROLL_LIMIT + k] = turn[0], turn[1], turn[2]
    if special:
        total = f[TOTALS + seat * LANES + k]
        f[BASE + k] += min(max(total, 0), turn[4]) * turn[3]
        f[FINISH + k] = min(max(goal - total, 0), 32_767) << 16 if turn[5] else 2**31 - 1


@inline
def _deal(f, k, tally, key, number, shift, n_seats, full):
    """Deal a game to a lane."""
    seed_lane(f, k, key, number)
    f[FACES + k] = full
    f[SEATED + k] = 0
    f[WINNER + k] = -1
    f[TURNED + k] = shift * n_seats
    for seat in range(n_seats):
        f[TOTALS + seat * LANES + k] = f[STREAKS + seat * LANES + k] = 0
        tally[seat * LANES + k] = 0


@inline
def _book(f, k, seat, tally, busted, streaks, penalty):
    """Book the turn that has ended; returns the seat's new total in units and its number of turns."""
    own, p = seat * LANES + k, f[POINTS + k]
    gain = (p >> 16) * (1 - busted)
    if streaks > 0:
        streak = (f[STREAKS + own] + 1) * busted
        if streak >= streaks:
            streak, gain = 0, -penalty
        f[STREAKS + own] = streak
    total = f[TOTALS + own] + gain
    f[TOTALS + own] = total
    hot = 1 if p & 0xFF00 else 0
    tallied = tally[own] + (p & 0xFF) + (hot << HOT_SHIFT) + (busted << BUST_SHIFT) + (1 << TURN_SHIFT)
    tally[own] = tallied
    return total, tallied >> TURN_SHIFT


@jit
def _leave(f, k, tally, state, law, n_seats, one_turn):
    """Copy a lane's game into a record."""
    state.n_seats, state.one_turn, state.status = n_seats, one_turn, PLAYING
    state.seat, state.winner = f[SEATED + k], f[WINNER + k]
    for seat in range(n_seats):
        own = tally[seat * LANES + k]
        state.totals[seat] = f[TOTALS + seat * LANES + k] * law.unit
        state.streak[seat] = f[STREAKS + seat * LANES + k]
        state.rolls[seat] = own & ((1 << HOT_SHIFT) - 1)
        state.hot[seat] = (own >> HOT_SHIFT) & MOST_TURNS
        state.busts[seat] = (own >> BUST_SHIFT) & MOST_TURNS
        state.turns[seat] = own >> TURN_SHIFT


@jit
def play_many(rules, tables, seats, entries, words, key, unit, one_turn, first, out, states):
    """Play games `first`, `first` + 1, ... of tabulated policies into `out`.

    Parameters
    ----------
    rules, states : recarrays of RULES and STATE, length 1
        A penalty must be a multiple of the rules' unit.
    tables : ClassTables
    seats : SEAT[n_seats]
        By entrant; all with decision tables.
    entries, words : int64[...], int32[...]
        All decision tables in one, and the lower half of each entry.
    key : uint64[2]
    unit : int
        Games that share a deal: 1, or the number of seats when the seats rotate.
    one_turn : bool
    first : int
    out : int32[rows, n_games]
    """
    law, state, n, n_seats, class_of = rules[0], states[0], out.shape[1], seats.size, tables.class_of
    full, width = _I(law.faces[law.dice]), _I(law.width)
    streaks, penalty = law.bust_streak, law.bust_penalty // law.unit
    goal, last_seat = -(-law.target // law.unit), n_seats - 1
    most_turns = law.max_turns if not one_turn else 1
    most_rolls = _I(min(MOST_ROLLS, law.max_rolls - 1))
    f = np.zeros(ALL_WORDS, dtype=np.int32)
    f[FINISH : FINISH + LANES] = 2**31 - 1
    tally = np.zeros(MAX_SEATS * LANES, dtype=np.int64)
    turns = np.zeros((MAX_SEATS * MAX_SEATS, 6), dtype=np.int64)
    special, alike = _list_turns(seats, width, turns)
    column, ended = np.full(LANES, -1, dtype=np.int64), np.zeros(LANES + 1, dtype=np.int64)
    streams = np.zeros((n_seats, 4), dtype=np.uint32)
    dealt = min(n, LANES)
    for k in range(dealt):
        column[k] = k
        _deal(f, k, tally, key, np.uint64((first + k) // unit), (first + k) % unit, n_seats, full)
        _begin(f, k, 0, turns[f[TURNED + k]], special, goal)
    live = dealt
    while live > 0:
        advance(f)
        number_rolls(f)
        _look_up(f, class_of, words, width)
        _step(f, full, most_rolls)
        for index in range(_collect(f, ended)):
            k = ended[index] & _LANE
            seat, how = np.int64(f[SEATED + k] & _SEAT), f[ENDED + k]
            if how != RARE:
                total, taken = _book(f, k, seat, tally, np.int64(how) - 1, streaks, penalty)
                following = 0 if seat == last_seat else seat + 1
                closing = (total >= goal) | (f[WINNER + k] >= 0) | (taken >= most_turns)
                if not closing:
                    if alike:
                        f[SEATED + k], f[POINTS + k] = following, 0
                    else:
                        _begin(f, k, following, turns[(f[TURNED + k] + following) & _PLACE], special, goal)
                    continue
                _leave(f, k, tally, state, law, n_seats, one_turn)
                judge(state, law)
                f[WINNER + k] = state.winner
                if state.status == PLAYING:
                    _begin(f, k, following, turns[(f[TURNED + k] + following) & _PLACE], special, goal)
                    continue
            elif column[k] >= 0:
                _leave(f, k, tally, state, law, n_seats, one_turn)
                leave_turn(f, k, state, law)
                play_on(state, law, tables, seats, entries, f[TURNED + k] // n_seats, streams)
            f[POINTS + k] = f[FACES + k] = 0
            if column[k] >= 0:
                write_game(state, law, out, column[k])
                column[k] = -1
                live -= 1
            if dealt < n:
                column[k] = dealt
                game = first + dealt
                _deal(f, k, tally, key, np.uint64(game // unit), game % unit, n_seats, full)
                _begin(f, k, 0, turns[f[TURNED + k] & _PLACE], special, goal)
                dealt += 1
                live += 1
