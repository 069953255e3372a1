"""The exact optimum of a single turn: which dice to keep and when to stop for the highest expected turn score.

Dynamic programming over (points of the turn, dice to roll). Points only grow, so the values are filled from the top
down. Above the table the optimal decisions no longer change and the value is a straight line in the points, which is
solved first; hence nothing is cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.games.macke.rolls import Rolls, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules

TIE = 1e-9
"""Values closer than this (in points) are equal; the choice listed first then wins, and stopping wins over rolling."""

_FAR = 1e7
_MOST_ROUNDS = 3000
_MOST_ROWS = 16_384


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best single turn under given rules.

    Attributes
    ----------
    value : float64[rows, dice + 1]
        Expected final turn score with ``row * unit`` points and that many dice about to be rolled; column 0 unused.
    choice : int64[rows, n_classes]
        Best choice of each roll class (position among its choices; -1: a bust) with the row's points before the roll.
    stop : bool[rows, n_classes]
        Whether the optimum stops after that choice.
    """

    value: np.ndarray
    choice: np.ndarray
    stop: np.ndarray

    @property
    def mean(self) -> float:
        """Expected score of a turn."""
        return float(self.value[0, -1])


class _Backup:
    """One step of the recursion: values of all choices, the best choice of each class, means over the classes."""

    def __init__(self, rules: MackeRules, rolls: Rolls) -> None:
        self.scoring = np.flatnonzero(np.diff(rolls.choice_first))
        self.starts = rolls.choice_first[self.scoring]
        self.gain = rolls.choice_points.astype(float)
        self.units = rolls.choice_points // rolls.unit
        self.next_dice = np.where(rolls.choice_left == 0, rules.dice, rolls.choice_left)
        self.free = (rolls.choice_left > 0) | (rules.hot_dice == "may_stop")
        self.owner = np.repeat(self.scoring, np.diff(rolls.choice_first)[self.scoring])
        self.order = np.arange(len(self.gain)) - rolls.choice_first[self.owner]
        self.chance = rolls.chance()
        self.dice_of = rolls.dice
        self.n_dice = rules.dice

    def best(self, worth: np.ndarray) -> np.ndarray:
        """Return the position of the best choice of each scoring class; ties to the first listed."""
        top = np.repeat(np.maximum.reduceat(worth, self.starts), np.diff(np.append(self.starts, len(worth))))
        candidates = np.where(worth >= top - TIE, np.arange(len(worth)), len(worth))
        return np.minimum.reduceat(candidates, self.starts)

    def mean(self, worth_of_class: np.ndarray) -> np.ndarray:
        """Return the mean over the rolls of each number of dice of a value per scoring class: float64[dice + 1]."""
        weights = self.chance[self.scoring] * worth_of_class
        return np.bincount(self.dice_of[self.scoring], weights=weights, minlength=self.n_dice + 1)


def _solve_tail(backup: _Backup) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and intercept of the value as a function of the points, by number of dice, for very many points."""
    slope, intercept = np.zeros(backup.n_dice + 1), np.zeros(backup.n_dice + 1)
    for _ in range(_MOST_ROUNDS):
        roll_slope = slope[backup.next_dice]
        roll_rest = roll_slope * backup.gain + intercept[backup.next_dice]
        stops = backup.free & (backup.gain >= roll_rest - (1 - roll_slope) * _FAR - TIE)
        choice_slope = np.where(stops, 1.0, roll_slope)
        choice_rest = np.where(stops, backup.gain, roll_rest)
        best = backup.best(choice_slope * _FAR + choice_rest)
        new_slope, new_rest = backup.mean(choice_slope[best]), backup.mean(choice_rest[best])
        change = max(np.abs(new_slope - slope).max() * 1e3, np.abs(new_rest - intercept).max())
        slope, intercept = new_slope, new_rest
        if change < 1e-13 * max(1.0, float(np.abs(intercept).max())):
            return slope, intercept
    raise RequestError("these rules have no best turn: without a bust to fear, rolling on never stops paying.")


def _fill(backup: _Backup, tail: tuple[np.ndarray, np.ndarray], rows: int, unit: int, need: int) -> Optimum:
    """Fill the table of `rows` rows from the top down."""
    slope, intercept = tail
    widest = int(backup.units.max())
    above = (np.arange(rows, rows + widest)[:, None] * unit) * slope[None, :] + intercept[None, :]
    value = np.vstack([np.zeros((rows, backup.n_dice + 1)), above])
    choice = np.full((rows, len(backup.chance)), -1, dtype=np.int64)
    stop = np.zeros((rows, len(backup.chance)), dtype=bool)
    for row in range(rows - 1, -1, -1):
        points = row * unit + backup.gain
        on = value[row + backup.units, backup.next_dice]
        stops = backup.free & (points >= need) & (points >= on - TIE)
        worth = np.where(stops, np.maximum(points, on), on)
        best = backup.best(worth)
        value[row] = backup.mean(worth[best])
        choice[row, backup.scoring] = backup.order[best]
        stop[row, backup.scoring] = stops[best]
    return Optimum(value[:rows], choice, stop)


@lru_cache(maxsize=32)
def solve_turn(rules: MackeRules, need: int = 0) -> Optimum:
    """Solve the single turn.

    Parameters
    ----------
    rules : MackeRules
        The streak penalty plays no part in a single turn.
    need : int
        Points that the turn must have before it may stop.

    Returns
    -------
    Optimum
        Its last row holds for all higher totals as well.

    Raises
    ------
    RequestError
        If rolling on pays for ever under these rules.

    Examples
    --------
    >>> round(solve_turn(MackeRules()).mean, 9)
    293.600934729
    """
    rolls = enumerate_rolls(rules)
    backup = _Backup(rules, rolls)
    tail = _solve_tail(backup)
    widest = int(backup.units.max())
    rows = -(-need // rolls.unit) + 4 * widest
    while rows <= _MOST_ROWS:
        solved = _fill(backup, tail, rows, rolls.unit, need)
        settled = solved.choice[-2 * widest :], solved.stop[-2 * widest :]
        if all((part == part[-1]).all() for part in settled):
            return solved
        rows *= 2
    raise RequestError("these rules have no best turn within reach: its decisions keep changing with the points.")
