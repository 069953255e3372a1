"""The race of two where busts in a row cost a penalty: what every position is worth to two best players.

A position is both totals and both players' busts in a row. A bust makes the streaks longer together until a penalty
sends its player back, so a sweep from the highest totals down is exact but for the penalties, and a few sweeps are
enough. Positions whose totals have the same sum do not depend on one another while the streaks do not change: the
kernels work on :data:`LANES` of them at once, in loops that compilers turn into vector instructions.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
from scipy.special import ndtr

from pymacco_sim._jit import inline, jit
from pymacco_sim.exact.memory import Arrays
from pymacco_sim.exact.model import Model
from pymacco_sim.games.macke.optimum import solve_turn

LANES = 32
"""Positions that are solved together."""

REACH = 5
"""Penalties below nothing that totals are told apart for; lower ones count as the lowest."""


@inline
def roll_lanes(menus, count, row, lose, worth, value, best):
    """Write the worth of rolling `count` dice with `row` units to `value`, for all lanes."""
    for lane in range(LANES):
        value[lane] = menus.bust[count] * lose[lane]
    for pair in range(menus.pair_first[count], menus.pair_first[count + 1]):
        menu, chance = menus.pair_menu[pair], menus.pair_chance[pair]
        first, after = menus.option_first[menu], menus.option_first[menu + 1]
        one = worth[row + menus.option_units[first], menus.option_left[first]]
        if after == first + 1:
            for lane in range(LANES):
                value[lane] += chance * one[lane]
            continue
        two = worth[row + menus.option_units[first + 1], menus.option_left[first + 1]]
        for lane in range(LANES):
            best[lane] = max(one[lane], two[lane])
        for option in range(first + 2, after):
            more = worth[row + menus.option_units[option], menus.option_left[option]]
            for lane in range(LANES):
                best[lane] = max(best[lane], more[lane])
        for lane in range(LANES):
            value[lane] += chance * best[lane]


@inline
def start_lanes(wins, needs, safe, hot_free, penalty, total, streak, other, first, lose, worth):
    """Write the worth of a bust and of turns that reach the target, for all lanes; returns the first such row."""
    n, dice = needs.size, safe.size - 1
    lanes, top = min(LANES, min(n - 1, total) - first + 1), 1
    for lane in range(LANES):
        rival = first + min(lane, lanes - 1)
        own = total - rival
        top = max(top, n - own, needs[own])
        place = max(own - penalty, 0)
        if streak + 1 < wins.shape[0]:
            lose[lane] = 1.0 - wins[other, streak + 1, total, rival]
        else:
            lose[lane] = 1.0 - wins[other, 0, place + rival, rival]
    for row in range(top, worth.shape[0]):
        for left in range(dice):
            sure = 1.0 if left > 0 or hot_free else safe[dice]
            for lane in range(LANES):
                worth[row, left, lane] = sure + (1.0 - sure) * lose[lane]
    return top, lanes


@jit
def solve_lanes(menus, safe, hot_free, needs, penalty, wins, total, streak, other, first, worth, lose, value, best):
    """Improve the positions with the sum `total`, a rival's total of `first` or up to LANES more; returns the change.

    Parameters
    ----------
    menus, safe, hot_free
        As for :func:`.kernels.best_turn` and :func:`.kernels.fill_flat`.
    needs : int64[totals]
        Units that a turn needs before it may stop.
    penalty : int
        Units that a streak of busts costs.
    wins : float64[streaks, streaks, sums, totals]
        Chance to win of the player to move, by the busts in a row of both, the sum of the totals and his own total; 0
        where the other one has reached the target.
    total, streak, other : int
        The sum; busts in a row of the player and of the rival.
    worth : float64[rows, dice, LANES]
        Working space; row and dice as for :func:`.kernels.best_turn`.
    lose, value, best : float64[LANES]
        Working space.
    """
    dice, change = safe.size - 1, 0.0
    top, lanes = start_lanes(wins, needs, safe, hot_free, penalty, total, streak, other, first, lose, worth)
    for row in range(top - 1, -1, -1):
        rival_wins = wins[other, 0, total + row]
        for count in range(1, dice + 1):
            roll_lanes(menus, count, row, lose, worth, value, best)
            left = count % dice
            after = worth[row, left]
            for lane in range(LANES):
                rival = first + min(lane, lanes - 1)
                free = row >= needs[total - rival] and (left > 0 or hot_free)
                after[lane] = max(value[lane], 1.0 - rival_wins[rival]) if free else value[lane]
    for lane in range(lanes):
        own = total - first - lane
        change = max(change, abs(value[lane] - wins[streak, other, total, own]))
        wins[streak, other, total, own] = value[lane]
    return change


def solve_streak_race(model: Model, reach: int = REACH, tolerance: float = 1e-9, most_sweeps: int = 100) -> Arrays:
    """Return every position's chance to win when both play best.

    Parameters
    ----------
    model : Model
        Of rules with a penalty for busts in a row.
    reach : int
        Penalties below nothing that totals are told apart for.
    tolerance : float
        End when no chance changes by more in a sweep.
    most_sweeps : int

    Returns
    -------
    dict
        ``wins`` float64[streaks, streaks, totals, totals], chance to win of the player to move, by his busts in a row
        and the rival's, and by his total and the rival's; ``low``, the first total in units; ``change``, the largest of
        the last sweep.
    """
    low, streaks = model.lowest(reach), model.n_streaks
    n = model.n_totals - low
    needs = np.array([model.need(total) for total in range(low, model.n_totals)], dtype=np.int64)
    wins = _guess(model, n)
    given = (model.best, model.safe, model.hot_free, needs, model.penalty, wins)
    rows = max(n, model.most_needed) + model.widest + 1
    spaces = [(np.ones((rows, model.dice, LANES)), *np.zeros((3, LANES))) for _ in range(os.cpu_count() or 1)]

    def work(space: tuple[np.ndarray, ...], total: int, places: list[tuple[tuple[int, int], int]]) -> float:
        return max((solve_lanes(*given, total, *pair, first, *space) for pair, first in places), default=0.0)

    change = 1.0
    with ThreadPoolExecutor(len(spaces)) as pool:
        for _ in range(most_sweeps):
            change = 0.0
            for total in range(2 * n - 2, -1, -1):
                firsts = range(max(0, total - n + 1), min(n - 1, total) + 1, LANES)
                for both in range(2 * streaks - 2, -1, -1):
                    pairs = [(own, both - own) for own in range(streaks) if 0 <= both - own < streaks]
                    places = list(product(pairs, firsts))
                    parts = [
                        pool.submit(work, space, total, places[start :: len(spaces)])
                        for start, space in enumerate(spaces)
                    ]
                    change = max([change, *(part.result() for part in parts)])
            if change <= tolerance:
                break
    own, rival = np.indices((n, n))
    return {"wins": wins[:, :, own + rival, own], "low": np.array(low), "change": np.array(change)}


def _guess(model: Model, n: int) -> np.ndarray:
    """Return chances to start from: the lead against the spread of the turns to go, as for sums of many turns."""
    turn = solve_turn(model.rules).mean / model.unit
    wins = np.zeros((model.n_streaks, model.n_streaks, 3 * n + model.most_needed, n))
    for total in range(2 * n - 1):
        own = np.arange(max(0, total - n + 1), min(n - 1, total) + 1)
        spread = 0.94 * turn * np.sqrt((2 * n - total) / turn + 0.5)
        wins[:, :, total, own] = ndtr((2 * own - total + turn / 2) / spread)
    return wins
