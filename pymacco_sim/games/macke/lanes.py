"""Many solo sessions side by side in vector lanes: the fast path for tabulated policies.

All lanes live in one flat int32 array at constant offsets, and every step is a few plain loops over the lanes without
branches, which the compiler turns into vector code. A lane that reaches the target goes dead and is refilled at the
next boundary, every :data:`STEPS` rolls. What is rare (caps near, very many points in one turn) leaves its lane there
and is finished by the step-wise engine, from the very same state.

A lane's words: `POINTS` = points of the turn in units << 16 | hot dice << 8 | rolls; `TOTAL` = banked units << 16 |
rolls of the turns that ended; `FACES` = ``sides ** d`` for the `d` dice of the next roll, 0 when dead; `COUNTS` = turns
with hot dice << 20 | busts << 10 | turns.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import JIT, inline, jit
from pymacco_sim.core.streams import CHANCE, draw, philox
from pymacco_sim.games.base import FINISHED
from pymacco_sim.games.macke.engine import play_on, write_game
from pymacco_sim.games.macke.state import PLAYING
from pymacco_sim.games.macke.table import MAY_STOP, NEXT_MASK, STOPS, UNITS_MASK, UNITS_SHIFT

LANES = 64
STEPS = 8

_S0, _S1, _S2, _S3, FACES, POINTS, TOTAL, COUNTS, _DRAW, INDEX, ENTRY, ROW = (block * LANES for block in range(12))
WORDS = 12 * LANES

MOST_UNITS = 12_000
"""Most units of the target, and of one turn, that fit into a lane's words."""

HIGHEST_LIMIT = 32_000
"""A stop limit in units that no lane reaches."""

MOST_ROLLS = 200
"""Rolls of one turn at which a lane is left at the latest."""

BUST_BIT, HOT_BIT, TURN_MASK = 10, 20, 1023
"""Where a lane counts busts and turns with hot dice, above its turns, and the mask of each."""

MOST_TURNS = 1000
"""Turns of a session at which a lane is left at the latest."""

MOST_SUM = 48_000
"""Rolls of the finished turns at which a lane is left."""

_I, _U = np.int32, np.uint32
_GAIN, _HIGH = _I(UNITS_MASK << UNITS_SHIFT), _I(-65536)


def _advance_jit(f):
    for i in range(LANES):
        a, b, c, d = _U(f[_S0 + i]), _U(f[_S1 + i]), _U(f[_S2 + i]), _U(f[_S3 + i])
        s = _U(a + d)
        f[_DRAW + i] = _I(_U(_U(_U(s << _U(7)) | _U(s >> _U(25))) + a))
        t = _U(b << _U(9))
        c = _U(c ^ a)
        d = _U(d ^ b)
        b = _U(b ^ c)
        a = _U(a ^ d)
        c = _U(c ^ t)
        f[_S0 + i], f[_S1 + i], f[_S2 + i] = _I(a), _I(b), _I(c)
        f[_S3 + i] = _I(_U(_U(d << _U(11)) | _U(d >> _U(21))))


def _advance_python(f):
    words = f.view(np.uint32)
    for i in range(LANES):
        words[_DRAW + i] = draw(words[i : i + 4 * LANES : LANES])


advance = inline(_advance_jit) if JIT else _advance_python
advance.__doc__ = """Draw the next uint32 of every lane's stream into `_DRAW`."""


@inline
def number_rolls(f):
    """Position of the roll among those of its number of dice, behind `sides ** d`."""
    for i in range(LANES):
        faces = np.uint64(_U(f[FACES + i]))
        f[INDEX + i] = _I(((np.uint64(_U(f[_DRAW + i])) * faces) >> np.uint64(32)) + faces)


@inline
def _look_rolls(f, word_of_roll):
    for i in range(LANES):
        f[ENTRY + i] = word_of_roll[_U(f[INDEX + i])]


@inline
def _look_table(f, class_of, words, last, width):
    for i in range(LANES):
        row = _I(f[POINTS + i] >> _I(16))
        f[ROW + i] = _I((row if row < last else last) * width)
    for i in range(LANES):
        f[ENTRY + i] = words[np.uint64(_U(f[ROW + i])) + np.uint64(class_of[_U(f[INDEX + i])])]


@inline
def add_roll(points, e):
    """Points word after the roll of entry `e`."""
    return _I(_I(points + _I(e & _GAIN)) + _I(_I(_I(e >> _I(31)) & _I(256)) + _I(1)))


@inline
def mask(flag):
    """All bits set where `flag` holds. A conditional value would become a masked store, which is slow."""
    return _I(_I(0) - _I(flag))


@inline
def _close(e, p, total, counts, stop, goal, full):
    """End of a step, the same for every policy: the lane's new points, total, counts and faces."""
    bank, bust = mask(stop), mask(e == full)
    end = _I(bank | bust)
    total = _I(total + _I(p & _I(_I(bank & _HIGH) | _I(end & _I(0xFF)))))
    hot = _I(mask(_I(p & _I(0xFF00)) != _I(0)) & _I(1 << HOT_BIT))
    tally = _I(_I(_I(1) + _I(bust & _I(1 << BUST_BIT))) + hot)
    counts = _I(counts + _I(end & tally))
    following = _I(_I(end & full) | _I(_I(e & _I(NEXT_MASK)) & _I(~end)))
    return _I(p & _I(~end)), total, counts, _I(following & mask(total < goal))


@inline
def _step_limit(f, limit, goal, full):
    """A roll of a policy that stops at a number of points."""
    for i in range(LANES):
        e = f[ENTRY + i]
        p = add_roll(f[POINTS + i], e)
        stop = (p >= limit) & (_I(e & _I(MAY_STOP)) != _I(0))
        p, total, counts, faces = _close(e, p, f[TOTAL + i], f[COUNTS + i], stop, goal, full)
        f[POINTS + i], f[TOTAL + i], f[COUNTS + i], f[FACES + i] = p, total, counts, faces


@inline
def _step_table(f, roll_limit, finish, goal, full):
    """A roll of any tabulated policy."""
    for i in range(LANES):
        e = f[ENTRY + i]
        p = add_roll(f[POINTS + i], e)
        wish = (_I(p & _I(0xFF)) >= roll_limit) | (_I(f[TOTAL + i] + p) >= finish)
        stop = (_I(e & _I(STOPS)) != _I(0)) | (wish & (_I(e & _I(MAY_STOP)) != _I(0)))
        p, total, counts, faces = _close(e, p, f[TOTAL + i], f[COUNTS + i], stop, goal, full)
        f[POINTS + i], f[TOTAL + i], f[COUNTS + i], f[FACES + i] = p, total, counts, faces


@inline
def _mark(f, goal, most_turns, most_rolls):
    """Mark in `INDEX` the lanes that need a look: finished, or close to what a lane holds."""
    for i in range(LANES):
        p, total = f[POINTS + i], f[TOTAL + i]
        full = (_I(f[COUNTS + i] & _I(TURN_MASK)) >= most_turns) | (_I(total & _I(0xFFFF)) >= _I(MOST_SUM))
        rare = full | (_I(p & _I(0xFF)) >= most_rolls) | (p >= _I(MOST_UNITS << 16))
        f[INDEX + i] = _I(rare | (total >= goal))


@inline
def seed_lane(f, k, key, number):
    """Seed a lane's stream for game `number`."""
    x0, x1, _, _ = philox(key[0], key[1], number, CHANCE)
    low = np.uint64(0xFFFFFFFF)
    f[_S0 + k], f[_S1 + k] = _I(_U(x0 & low)), _I(_U(x0 >> np.uint64(32)))
    f[_S2 + k], f[_S3 + k] = _I(_U(x1 & low)), _I(_U(x1 >> np.uint64(32)))


@inline
def _deal(f, k, key, number, full):
    """Deal a game to a lane."""
    seed_lane(f, k, key, number)
    f[FACES + k] = full
    f[POINTS + k] = f[TOTAL + k] = f[COUNTS + k] = 0


@inline
def _drop(f, k):
    """Leave a lane without a game."""
    f[FACES + k] = f[POINTS + k] = f[TOTAL + k] = f[COUNTS + k] = 0


@inline
def _write(f, k, unit, out, column):
    """Write a lane's finished session."""
    total, counts = f[TOTAL + k], f[COUNTS + k]
    out[0, column] = FINISHED
    out[1, column] = counts & TURN_MASK
    out[2, column] = (total >> 16) * unit
    out[3, column] = (counts >> BUST_BIT) & TURN_MASK
    out[4, column] = total & 0xFFFF
    out[5, column] = counts >> HOT_BIT


@inline
def leave_turn(f, k, state, rules):
    """Copy the running turn of a lane into a record, for the step-wise engine."""
    for word in range(4):
        state.stream[word] = np.uint32(np.int64(f[word * LANES + k]) & 0xFFFFFFFF)
    points = np.int64(f[POINTS + k])
    state.points, state.turn_rolls, state.turn_hot = (points >> 16) * rules.unit, points & 0xFF, (points >> 8) & 0xFF
    state.dice = 1
    while rules.faces[state.dice] != f[FACES + k]:
        state.dice += 1


@jit
def _leave(f, k, state, rules):
    """Copy the session of a lane that is not finished into a record."""
    leave_turn(f, k, state, rules)
    state.n_seats, state.one_turn, state.status, state.seat, state.winner = 1, 0, PLAYING, 0, -1
    state.totals[0], state.streak[0] = (np.int64(f[TOTAL + k]) >> 16) * rules.unit, 0
    counts = np.int64(f[COUNTS + k])
    state.turns[0], state.busts[0] = counts & TURN_MASK, (counts >> BUST_BIT) & TURN_MASK
    state.hot[0], state.rolls[0] = counts >> HOT_BIT, np.int64(f[TOTAL + k]) & 0xFFFF


@jit
def play_lanes(rules, tables, seats, entries, words, word_of_roll, limit, key, first, out, states):
    """Play solo sessions `first`, `first` + 1, ... of one tabulated policy into `out`.

    Parameters
    ----------
    rules, states : recarrays of RULES and STATE, length 1
    tables : ClassTables
    seats : SEAT[1]
        With one layer.
    entries, words : int64[rows * width], int32[rows * width]
        The decision table, and the lower half of each of its entries.
    word_of_roll : int32[2 * sides**dice]
        The table's word for each roll, for a policy that stops at `limit` points; empty for any other.
    limit : int
        In units; 0 for a policy that needs its table.
    key : uint64[2]
    first : int
    out : int32[6, n_games]
    """
    law, state, seat = rules[0], states[0], seats[0]
    n = out.shape[1]
    full = _I(law.faces[law.dice])
    target = _I(-(-law.target // law.unit) << 16)
    finish = target if seat.finish else _I(2**31 - 1)
    roll_limit = _I(min(seat.roll_limit, 1 << 20))
    last, width, bound = _I(seat.rows - 1), _I(law.width), _I(limit << 16)
    most_turns = _I(min(MOST_TURNS, law.max_turns) - STEPS)
    most_rolls = _I(min(MOST_ROLLS, law.max_rolls) - STEPS)
    f = np.zeros(WORDS, dtype=np.int32)
    game = np.full(LANES, -1, dtype=np.int64)
    streams = np.zeros((1, 4), dtype=np.uint32)
    dealt = 0
    while dealt < min(n, LANES):
        _deal(f, dealt, key, np.uint64(first + dealt), full)
        game[dealt] = dealt
        dealt += 1
    live = dealt
    while live > 0:
        for _ in range(STEPS):
            advance(f)
            number_rolls(f)
            if limit > 0:
                _look_rolls(f, word_of_roll)
                _step_limit(f, bound, target, full)
            else:
                _look_table(f, tables.class_of, words, last, width)
                _step_table(f, roll_limit, finish, target, full)
        _mark(f, target, most_turns, most_rolls)
        for k in range(LANES):
            if f[INDEX + k] == 0 and game[k] >= 0:
                continue
            if game[k] >= 0:
                if f[TOTAL + k] >= target:
                    _write(f, k, law.unit, out, game[k])
                else:
                    _leave(f, k, state, law)
                    play_on(state, law, tables, seats, entries, 0, streams)
                    write_game(state, law, out, game[k])
                game[k] = -1
                live -= 1
                if dealt < n:
                    _deal(f, k, key, np.uint64(first + dealt), full)
                    game[k] = dealt
                    dealt += 1
                    live += 1
                    continue
            _drop(f, k)
