"""Kernels that find the best plan: longest mean turn, fewest turns to the target, most races won.

Everything is a *game of one turn* whose stops and bust have given worths; :func:`.kernels.best_turn` solves it. What
couples the turns is only the worth of a bust, which leaves the totals as they are. As a function of that worth the
value of the turn is convex and piecewise linear, so Newton's method (here the same as policy iteration) ends after a
few steps, up to rounding.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.exact.kernels import TIE, best_turn, fill_flat

CLOSE = 4e-16
"""Relative change at which Newton's method has arrived."""

MOST_STEPS = 60


@jit
def solve_linear(menus, hot_free, need, top, unit, lose, worth, slope, on):
    """Return the best mean score of a turn in which a bust is worth `lose` points; `worth` and so on are filled.

    From `top` on the best is to stop as soon as allowed and to keep the most points.
    """
    dice = menus.bust.size - 1
    rest, kept = 0.0, 1.0
    for _ in range(MOST_STEPS):
        more, sure = 0.0, 0.0
        for pair in range(menus.pair_first[dice], menus.pair_first[dice + 1]):
            menu, chance = menus.pair_menu[pair], menus.pair_chance[pair]
            most = -1
            for option in range(menus.option_first[menu], menus.option_first[menu + 1]):
                if menus.option_left[option] > 0 or hot_free:
                    most = max(most, menus.option_units[option])
            if most >= 0:
                more += chance * most * unit
                sure += chance
            else:
                more += chance * (kept * menus.option_units[menus.option_first[menu]] * unit + rest)
                sure += chance * kept
        rest, kept = more, sure
    stop_value = np.empty(worth.shape[0])
    for row in range(worth.shape[0]):
        stop_value[row] = row * unit
        for left in range(dice):
            worth[row, left], slope[row, left] = stop_value[row], 0.0
        if not hot_free:
            worth[row, 0] = kept * stop_value[row] + rest + (1.0 - kept) * lose
            slope[row, 0] = 1.0 - kept
    return best_turn(menus, hot_free, need, top, stop_value, lose, worth, slope, on)[0]


@inline
def place_after_bust(streak, own, streaks, penalty):
    """Return streak and place of the total after a bust; totals below the lowest count as it."""
    if streak + 1 < streaks:
        return streak + 1, own
    return 0, max(own - penalty, 0)


@inline
def turns_after(turns, own, top, stop_value):
    """Write minus the turns that a stop leaves to go, by row."""
    n = turns.shape[1]
    for row in range(top + 1):
        stop_value[row] = -turns[0, own + row] if own + row < n else 0.0


@jit
def sweep_session(menus, safe, hot_free, needs, penalty, turns, stop_value, worth, slope, on):
    """Improve the fewest mean turns to the target, from the highest total down; returns the largest change.

    Parameters
    ----------
    menus, safe, hot_free, worth, slope, on
        As for :func:`.kernels.best_turn` and :func:`.kernels.fill_flat`.
    needs : int64[totals]
        Units that a turn needs before it may stop.
    penalty : int
    turns : float64[streaks, totals]
        By busts in a row; without penalties one sweep from anything is enough.
    stop_value : float64[most + 1]
        Working space for up to `most` units; `worth` has as many rows and as many as the widest keep.
    """
    streaks, n = turns.shape
    change, widest = 0.0, worth.shape[0] - stop_value.size
    for own in range(n - 1, -1, -1):
        top = max(n - own, needs[own])
        for streak in range(streaks - 1, -1, -1):
            turns_after(turns, own, top, stop_value)
            after, place = place_after_bust(streak, own, streaks, penalty)
            lose, stays = -turns[after, place], after == streak and place == own
            if stays:
                lose = -turns[0, own + 1] - 1.0 if own + 1 < n else -2.0
            for _ in range(MOST_STEPS):
                fill_flat(safe, hot_free, top, widest, 0.0, lose, worth, slope)
                value, rate = best_turn(menus, hot_free, needs[own], top, stop_value, lose, worth, slope, on)
                if not stays:
                    new = value - 1.0
                    break
                new = (value - 1.0 - rate * lose) / (1.0 - rate)
                if abs(new - lose) <= CLOSE * abs(new):
                    break
                lose = new
            change = max(change, abs(turns[streak, own] + new))
            turns[streak, own] = -new
    return change


@jit
def race_turn(menus, safe, hot_free, need, total, rival, lose, waits, stop_value, worth, slope, on):
    """Return value and slope of the best turn of a race, by the chance `lose` to win after a bust.

    `waits` holds the chance to win when the rival is to move, by the rival's total and the player's own.
    """
    n = waits.shape[0]
    top = max(n - total, need)
    for row in range(top + 1):
        stop_value[row] = waits[rival, total + row] if total + row < n else 1.0
    fill_flat(safe, hot_free, top, worth.shape[0] - stop_value.size, 1.0, lose, worth, slope)
    return best_turn(menus, hot_free, need, top, stop_value, lose, worth, slope, on)


@jit
def solve_races(menus, safe, hot_free, needs, total, first, last, wins, waits, stop_value, worth, slope, on):
    """Solve the race of two best players for pairs of totals with a given sum; those with higher sums are known.

    Parameters
    ----------
    menus, safe, hot_free, worth, slope, on
        As for :func:`.kernels.best_turn` and :func:`.kernels.fill_flat`.
    needs : int64[totals]
    total, first, last : int
        Sum of the totals; the pairs are those whose higher total is `first` to ``last - 1``.
    wins, waits : float64[totals, totals]
        Chance to win of the player to move, by his total and the other's, and of the other one.
    stop_value
        Working space.
    """
    for i in range(first, last):
        j = total - i
        x = y = 0.5
        for _ in range(MOST_STEPS):
            lose = 1.0 - y
            a, s = race_turn(menus, safe, hot_free, needs[i], i, j, lose, waits, stop_value, worth, slope, on)
            a += s * (1.0 - lose)
            if i == j:
                new_x = new_y = a / (1.0 + s)
            else:
                lose = 1.0 - x
                b, t = race_turn(menus, safe, hot_free, needs[j], j, i, lose, waits, stop_value, worth, slope, on)
                b += t * (1.0 - lose)
                new_x = (a - s * b) / (1.0 - s * t)
                new_y = b - t * new_x
            change = max(abs(new_x - x), abs(new_y - y))
            x, y = new_x, new_y
            if change <= CLOSE:
                break
        wins[i, j], wins[j, i] = x, y
        waits[i, j], waits[j, i] = 1.0 - x, 1.0 - y


@jit
def solve_responses(menus, safe, hot_free, needs, bank, bust, total, first, last, wins, waits, stop, worth, slope, on):
    """Solve the race against a given rival for pairs of totals with a given sum; those with higher sums are known.

    Parameters
    ----------
    menus, safe, hot_free, needs, worth, slope, on
        As for :func:`solve_races`.
    bank, bust : float64[totals, rivals, totals], float64[totals, rivals]
        The rival's turns, by his own total and by that of the player (an axis of length 1 serves all).
    total, first, last : int
        Sum of the totals; the player's are `first` to ``last - 1``.
    wins : float64[totals, totals]
        The player's chance to win when he is to move, by his total and the rival's.
    waits : float64[totals, totals]
        The same when the rival is to move, by the rival's total and the player's.
    stop
        Working space.
    """
    n = wins.shape[0]
    for i in range(first, last):
        j = total - i
        seen = min(i, bust.shape[1] - 1)
        later, miss = 0.0, bust[j, seen]
        for k in range(j + 1, n):
            later += bank[j, seen, k] * wins[i, k]
        x = 0.5
        for _ in range(MOST_STEPS):
            lose = later + miss * x
            a, s = race_turn(menus, safe, hot_free, needs[i], i, j, lose, waits, stop, worth, slope, on)
            new = (a + s * (later - lose)) / (1.0 - s * miss) if s * miss < 1.0 else 0.0
            change, x = abs(new - x), new
            if change <= CLOSE:
                break
        wins[i, j], waits[j, i] = x, later + miss * x


# --- from worths to decisions --------------------------------------------------------------------------------------


@jit
def list_decisions(menus, hot_free, need, row, last, worth, stop_value, key):
    """Write what is best with `row` units before the roll, menu by menu: twice the option, plus 1 for a stop.

    `last` is the row of `stop_value` that holds for all higher ones.
    """
    for menu in range(key.size):
        first = menus.option_first[menu]
        chosen, best = first, worth[row + menus.option_units[first], menus.option_left[first]]
        for option in range(first + 1, menus.option_first[menu + 1]):
            found = worth[row + menus.option_units[option], menus.option_left[option]]
            if found > best + TIE * max(1.0, abs(best)):
                best, chosen = found, option
        after, left = row + menus.option_units[chosen], menus.option_left[chosen]
        free = after >= need and (left > 0 or hot_free)
        stops = free and worth[after, left] == stop_value[min(after, last)]
        key[menu] = 2 * (chosen - first) + (1 if stops else 0)


@jit
def remember(key, keys, table, count):
    """Return the number of a row of decisions, a new one if it is not in `keys` yet, or -1 if there is no room left.

    Parameters
    ----------
    key : uint8[menus]
    keys : uint8[room, menus]
        The rows so far, `count` of them.
    table : int32[a power of two, more than `room`]
        Where they are by their hash; -1 for nothing.
    """
    mask, mixed = table.size - 1, np.int64(0)
    for word in key:
        mixed = (mixed * 1_000_003 + np.int64(word)) & 0x7FFFFFFF
    place = (mixed ^ (mixed >> 13)) & mask
    while table[place] >= 0:
        row, menu = table[place], 0
        while menu < key.size and keys[row, menu] == key[menu]:
            menu += 1
        if menu == key.size:
            return np.int64(row)
        place = (place + 1) & mask
    if count == keys.shape[0]:
        return np.int64(-1)
    for menu in range(key.size):
        keys[count, menu] = key[menu]
    table[place] = count
    return np.int64(count)


@inline
def index_rows(menus, hot_free, need, top, last, worth, stop_value, key, keys, table, count, index):
    """Number the decisions of the rows 0 to `top`; later rows are like it. Returns the new count, or -1 if no room."""
    found = np.int64(0)
    for row in range(index.size):
        if row <= top:
            list_decisions(menus, hot_free, need, row, last, worth, stop_value, key)
            found = remember(key, keys, table, count)
            if found < 0:
                return np.int64(-1)
            count = max(count, found + 1)
        index[row] = found
    return count


@jit
def index_race(best, every, safe, hot_free, needs, own, waits, stop_value, worth, slope, on, keys, table, count, index):
    """Number the best decisions of a race with `own` units banked: ``index`` is int32[rivals, rows].

    Other parameters as for :func:`solve_races` and :func:`remember`; returns the new count, or -1 if there is no room.
    """
    key = np.zeros(keys.shape[1], dtype=np.uint8)
    n = waits.shape[0]
    top = max(n - own, needs[own])
    for rival in range(n):
        lose = waits[rival, own]
        race_turn(best, safe, hot_free, needs[own], own, rival, lose, waits, stop_value, worth, slope, on)
        count = index_rows(
            every, hot_free, needs[own], top, top, worth, stop_value, key, keys, table, count, index[rival]
        )
        if count < 0:
            break
    return count


@jit
def session_turn(menus, safe, hot_free, need, penalty, turns, own, streak, stop_value, worth, slope, on):
    """Solve the best turn of a session from the place `own` of a total, when all that may follow is known.

    Values are minus the turns that follow this one; parameters as for :func:`sweep_session`.
    """
    streaks, n = turns.shape
    top = max(n - own, need)
    turns_after(turns, own, top, stop_value)
    after, place = place_after_bust(streak, own, streaks, penalty)
    lose = -turns[after, place]
    fill_flat(safe, hot_free, top, worth.shape[0] - stop_value.size, 0.0, lose, worth, slope)
    best_turn(menus, hot_free, need, top, stop_value, lose, worth, slope, on)


@jit
def index_session(
    best, every, safe, hot_free, needs, penalty, turns, stop_value, worth, slope, on, keys, table, count, index
):
    """Number the decisions for the fewest turns: ``index`` is int32[streaks, totals, rows]; see :func:`index_race`."""
    key = np.zeros(keys.shape[1], dtype=np.uint8)
    streaks, n = turns.shape
    for own in range(n):
        top = max(n - own, needs[own])
        for streak in range(streaks):
            session_turn(best, safe, hot_free, needs[own], penalty, turns, own, streak, stop_value, worth, slope, on)
            count = index_rows(
                every, hot_free, needs[own], top, top, worth, stop_value, key, keys, table, count, index[streak, own]
            )
            if count < 0:
                return count
    return count


@jit
def index_turn(menus, hot_free, need, top, worth, stop_value, keys, table, count, index):
    """Number the decisions for the highest score of one turn; see :func:`index_race`."""
    key = np.zeros(keys.shape[1], dtype=np.uint8)
    last = stop_value.size - 1
    return index_rows(menus, hot_free, need, top, last, worth, stop_value, key, keys, table, count, index)
