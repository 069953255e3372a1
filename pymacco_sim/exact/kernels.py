"""Kernels of the exact solvers: the best turn by backward induction, the turn of a policy by forward distribution.

Points are in units. A row is the turn's points; worth rows hold, for each number of dice left after a keep (0: all set
aside), the better of stopping there and rolling on.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.games.macke.table import GAIN_SHIFT, LEFT_MASK, LEFT_SHIFT, MAY_STOP, STOPS

TIE = 1e-13
"""Values closer than this (relative, if above 1) are equal: then stopping wins over rolling, and the choice listed
first over later ones."""


@inline
def fill_flat(safe, hot_free, top, widest, stop_value, lose, worth, slope):
    """Fill the worth rows `top` to ``top + widest``: all stops are worth `stop_value`, which is at least `lose`."""
    dice = safe.size - 1
    for row in range(top, top + widest + 1):
        for left in range(dice):
            following = left if left > 0 else dice
            if left > 0 or hot_free:
                worth[row, left], slope[row, left] = stop_value, 0.0
            else:
                worth[row, left] = safe[following] * stop_value + (1.0 - safe[following]) * lose
                slope[row, left] = 1.0 - safe[following]


@inline
def roll_best(menus, count, row, lose, worth, slope):
    """Return worth and slope of rolling `count` dice with `row` units."""
    value, rate = menus.bust[count] * lose, menus.bust[count]
    for pair in range(menus.pair_first[count], menus.pair_first[count + 1]):
        menu = menus.pair_menu[pair]
        option = menus.option_first[menu]
        at, left = row + menus.option_units[option], menus.option_left[option]
        best = worth[at, left]
        for other in range(option + 1, menus.option_first[menu + 1]):
            found = worth[row + menus.option_units[other], menus.option_left[other]]
            if found > best:
                best, at, left = found, row + menus.option_units[other], menus.option_left[other]
        value += menus.pair_chance[pair] * best
        rate += menus.pair_chance[pair] * slope[at, left]
    return value, rate


@jit
def best_turn(menus, hot_free, need, top, stop_value, lose, worth, slope, on):
    """Return (value, slope) of the best turn: nearby, the value is ``value + slope * (worth of a bust - lose)``.

    Parameters
    ----------
    menus : Menus
    hot_free : bool
        Whether one may stop with all dice set aside.
    need : int
        Units that the turn needs before it may stop; at most `top`.
    top : int
    stop_value : float64[top + 1]
        Worth of a stop by row.
    lose : float
        Worth of a bust.
    worth, slope : float64[>= top + widest + 1, dice]
        Filled from `top` on by the caller, below by this function.
    on : float64[>= top + 1, dice + 1]
        Filled: worth of rolling that many dice.
    """
    dice = menus.bust.size - 1
    value, rate = 0.0, 0.0
    for row in range(top, -1, -1):
        for count in range(1, dice + 1):
            value, rate = roll_best(menus, count, row, lose, worth, slope)
            on[row, count] = value
            if row == top:
                continue
            left = count % dice
            if row >= need and (left > 0 or hot_free) and stop_value[row] >= value - TIE * max(1.0, abs(value)):
                worth[row, left], slope[row, left] = stop_value[row], 0.0
            else:
                worth[row, left], slope[row, left] = value, rate
    return value, rate


@jit
def spread_turn(first, chance, entries, row_of, unit, full, limit, finish, floor, bank, ring):
    """Spread the chance of one turn of a policy forwards; returns (bust, rolls, hot, rows used, chance left over).

    Parameters
    ----------
    first : int64[dice + 2]
        Roll classes by number of dice.
    chance : float64[n_classes]
    entries : int64[..., n_classes + 1]
        Packed decisions, as :meth:`DecisionTable.packed` writes them.
    row_of : int32[rows]
        Row of `entries` for each number of units before the roll; the last one for all higher ones.
    unit, full : int
        Points of a unit; dice of a new turn.
    limit : int
        Stop as soon as allowed after that many rolls; 0 for never.
    finish : int
        Stop as soon as allowed at that many units.
    floor : float
        Go on until the chance left over, times the square of the units reached, is below this.
    bank : float64[rows]
        Filled: chance to bank each number of units.
    ring : float64[widest + 1, limit + 1, 2, dice + 1]
        Zeros; working space: by units (modulo its length), rolls so far, hot dice so far, dice to roll.
    """
    width, n_rolls = ring.shape[0], ring.shape[1]
    bust, rolls, hot = 0.0, 0.0, 0.0
    ring[0, 0, 0, full] = 1.0
    row = 0
    while row < bank.size:
        if row % width == 0 and ring.sum() * float(row + width) ** 2 < floor:
            break
        place = row % width
        decisions = entries[row_of[min(row, row_of.size - 1)]]
        for used in range(n_rolls):
            after = min(used + 1, n_rolls - 1)
            for was_hot in range(2):
                for dice in range(1, full + 1):
                    mass = ring[place, used, was_hot, dice]
                    if mass == 0.0:
                        continue
                    ring[place, used, was_hot, dice] = 0.0
                    rolls += mass
                    lost, warm = 0.0, 0.0
                    for roll in range(first[dice], first[dice + 1]):
                        entry = np.int64(decisions[roll])
                        part = mass * chance[roll]
                        units, left = (entry >> GAIN_SHIFT) // unit, (entry >> LEFT_SHIFT) & LEFT_MASK
                        if units == 0:
                            lost += part
                            continue
                        now_hot = 1 if left == 0 else was_hot
                        stop = (entry & STOPS) != 0
                        if (entry & MAY_STOP) != 0 and not stop:
                            stop = (limit > 0 and used + 1 >= limit) or row + units >= finish
                        if stop:
                            at = min(row + units, bank.size - 1)
                            bank[at] += part
                            warm += part * now_hot
                        else:
                            ring[(row + units) % width, after, now_hot, left if left > 0 else full] += part
                    bust += lost
                    hot += lost * was_hot + warm
        row += 1
    return bust, rolls, hot, row, ring.sum()
