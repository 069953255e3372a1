"""Many games side by side, any number of seats: races, single turns, and solo sessions with layered tables.

The rolls of a turn are vector code as in :mod:`pymacco_sim.games.macke.lanes`. A turn that ends is booked lane by lane
in a few words; whether the game is over, and what it then reports, is the step-wise engine's business.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.streams import CHANCE, philox
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
    number_rolls,
    seed_lane,
)
from pymacco_sim.games.macke.rules import MAX_SEATS
from pymacco_sim.games.macke.state import PLAYING
from pymacco_sim.games.macke.table import MAY_STOP, NEXT_MASK, STOPS

BASE, LAST, ROLL_LIMIT, FINISH, ENDED, SEATED, ROUND, WINNER, TURNED = (WORDS + b * LANES for b in range(9))
"""Further words of a lane. Of the seat to play: offset and last row of its table, its roll limit, the points word at
which it stops to finish. How the roll ended the turn; the seat to play; rounds played; who reached the target first
(-1: nobody); the first place in the list of entrants by seat for this game's rotation."""

TOTALS, STREAKS = (WORDS + (9 + b * MAX_SEATS) * LANES for b in range(2))
"""Banked units and busts in a row, one block of lanes a seat."""

ALL_WORDS = WORDS + (9 + 2 * MAX_SEATS) * LANES

BANKED, BUSTED, RARE = 1, 2, 3

HOT_SHIFT, BUST_SHIFT = 28, 46
"""Where a seat's turns with hot dice and busts are counted in its tally, above its rolls."""

MOST_TURNS = 200_000
"""Most turns of a seat that the tally's fields hold."""

_I, _U = np.int32, np.uint32

_LANE, _SEAT, _PLACE = (
    LANES - 1,
    MAX_SEATS - 1,
    MAX_SEATS * MAX_SEATS - 1,
)  # masks: they tell the compiler that an index is not negative


@inline
def _look_up(f, class_of, entries, width):
    for i in range(LANES):
        row = _I(f[POINTS + i] >> _I(16))
        last = f[LAST + i]
        f[ROW + i] = _I(_I((row if row < last else last) * width) + f[BASE + i])
    for i in range(LANES):
        f[ENTRY + i] = entries[np.uint64(_U(f[ROW + i])) + np.uint64(class_of[_U(f[INDEX + i])])]


@inline
def _step(f, full, most_rolls):
    """A roll of every lane; a turn that ended keeps its points word for the booking."""
    for i in range(LANES):
        e = f[ENTRY + i]
        p = add_roll(f[POINTS + i], e)
        rolls = _I(p & _I(0xFF))
        wish = (rolls >= f[ROLL_LIMIT + i]) | (p >= f[FINISH + i])
        stop = (_I(e & _I(STOPS)) != _I(0)) | (wish & (_I(e & _I(MAY_STOP)) != _I(0)))
        bust = e == full
        rare = (rolls >= most_rolls) | (p >= _I(MOST_UNITS << 16))
        ended = _I(BANKED) if stop else (_I(RARE) if rare else _I(0))
        f[ENDED + i] = _I(BUSTED) if bust else ended
        f[POINTS + i] = p
        f[FACES + i] = full if stop | bust else _I(e & _I(NEXT_MASK))


@inline
def _collect(f, ended):
    """Write the lanes whose turn has ended into `ended`; returns their number."""
    count = 0
    for k in range(LANES):
        ended[count] = k
        count += 1 if f[ENDED + k] != 0 else 0
    return count


@inline
def _begin(f, k, seat, width, goal):
    """Set up a lane for the turn of its seat, who decides by the record `seat`."""
    total = np.int64(f[TOTALS + (f[SEATED + k] & _SEAT) * LANES + k])
    f[BASE + k] = seat.offset
    if seat.layers > 1:
        f[BASE + k] += min(max(total, 0), seat.layers - 1) * seat.rows * width
    f[LAST + k] = seat.rows - 1
    f[ROLL_LIMIT + k] = min(seat.roll_limit, 1 << 20)
    f[FINISH + k] = 2**31 - 1
    if seat.finish:
        f[FINISH + k] = min(max(goal - total, 0), 32_767) << 16
    f[POINTS + k] = 0


@inline
def _deal(f, k, tally, key, number, shift, n_seats, full):
    """Deal a game to a lane."""
    seed_lane(f, k, key, number)
    f[FACES + k] = full
    f[SEATED + k] = f[ROUND + k] = 0
    f[WINNER + k] = -1
    f[TURNED + k] = shift * n_seats
    for seat in range(n_seats):
        f[TOTALS + seat * LANES + k] = f[STREAKS + seat * LANES + k] = 0
        tally[seat * LANES + k] = 0


@jit
def _leave(f, k, tally, state, law, n_seats, one_turn, taken):
    """Copy a lane's game into a record; `taken` is 1 if the seat to play has taken its turn of this round."""
    state.n_seats, state.one_turn, state.status = n_seats, one_turn, PLAYING
    state.seat, state.winner = f[SEATED + k], f[WINNER + k]
    for seat in range(n_seats):
        own = tally[seat * LANES + k]
        state.totals[seat] = f[TOTALS + seat * LANES + k] * law.unit
        state.streak[seat] = f[STREAKS + seat * LANES + k]
        state.turns[seat] = f[ROUND + k] + (1 if seat < state.seat + taken else 0)
        state.rolls[seat] = own & ((1 << HOT_SHIFT) - 1)
        state.hot[seat] = (own >> HOT_SHIFT) & ((1 << (BUST_SHIFT - HOT_SHIFT)) - 1)
        state.busts[seat] = own >> BUST_SHIFT


@jit
def play_many(rules, tables, seats, entries, key, unit, one_turn, first, out, states):
    """Play games `first`, `first` + 1, ... of tabulated policies into `out`.

    Parameters
    ----------
    rules, states : recarrays of RULES and STATE, length 1
        A penalty must be a multiple of the rules' unit.
    tables : ClassTables
    seats : SEAT[n_seats]
        By entrant; all with decision tables.
    entries : int32[...]
    key : uint64[2]
    unit : int
        Games that share a deal: 1, or the number of seats when the seats rotate.
    one_turn : bool
    first : int
    out : int32[rows, n_games]
    """
    law, state, n, n_seats, class_of = rules[0], states[0], out.shape[1], seats.size, tables.class_of
    full, width = _I(law.faces[law.dice]), _I(law.width)
    goal, last_seat = -(-law.target // law.unit), n_seats - 1
    most_rolls = _I(min(MOST_ROLLS, law.max_rolls - 1))
    most_busts = law.bust_streak if law.bust_streak > 0 else 1 << 30
    penalty = law.bust_penalty // law.unit
    f = np.zeros(ALL_WORDS, dtype=np.int32)
    tally = np.zeros(MAX_SEATS * LANES, dtype=np.int64)
    column, ended = np.full(LANES, -1, dtype=np.int64), np.zeros(LANES + 1, dtype=np.int64)
    streams = np.zeros((n_seats, 4), dtype=np.uint32)
    entrant = np.zeros(MAX_SEATS * MAX_SEATS, dtype=np.int64)
    for place in range(n_seats * n_seats):
        entrant[place] = (place % n_seats - place // n_seats) % n_seats
    dealt = min(n, LANES)
    for k in range(dealt):
        column[k] = k
        _deal(f, k, tally, key, np.uint64((first + k) // unit), (first + k) % unit, n_seats, full)
        _begin(f, k, seats[entrant[f[TURNED + k] & _PLACE] & _SEAT], width, goal)
    live = dealt
    while live > 0:
        advance(f)
        number_rolls(f)
        _look_up(f, class_of, entries, width)
        _step(f, full, most_rolls)
        for index in range(_collect(f, ended)):
            k = ended[index] & _LANE
            seat, p, how = np.int64(f[SEATED + k]) & _SEAT, f[POINTS + k], f[ENDED + k]
            own = seat * LANES + k
            over = column[k] < 0
            if how == RARE or over:
                if over:
                    f[POINTS + k] = f[FACES + k] = 0
                    continue
                _leave(f, k, tally, state, law, n_seats, one_turn, 0)
                leave_turn(f, k, state, law)
                play_on(state, law, tables, seats, entries, f[TURNED + k] // n_seats, streams)
                over = True
            else:
                busted = how - 1
                streak = (f[STREAKS + own] + 1) * busted
                fine = streak >= most_busts
                total = f[TOTALS + own] + ((p >> 16) * (1 - busted) if not fine else -penalty)
                f[STREAKS + own] = streak if not fine else 0
                f[TOTALS + own] = total
                tally[own] += (p & 0xFF) + ((1 << HOT_SHIFT) if p & 0xFF00 else 0) + (np.int64(busted) << BUST_SHIFT)
                last = seat == last_seat
                if (total >= goal) | (f[WINNER + k] >= 0) | (last & (f[ROUND + k] >= law.max_turns - 1)) | one_turn:
                    _leave(f, k, tally, state, law, n_seats, one_turn, 1)
                    judge(state, law)
                    f[WINNER + k] = state.winner
                    over = state.status != PLAYING
                f[SEATED + k] = 0 if last else seat + 1
                f[ROUND + k] += 1 if last else 0
            if over:
                write_game(state, law, out, column[k])
                column[k] = -1
                live -= 1
                if dealt == n:
                    f[POINTS + k] = f[FACES + k] = 0
                    continue
                column[k] = dealt
                game = first + dealt
                _deal(f, k, tally, key, np.uint64(game // unit), game % unit, n_seats, full)
                dealt += 1
                live += 1
            _begin(f, k, seats[entrant[(f[TURNED + k] + f[SEATED + k]) & _PLACE] & _SEAT], width, goal)
