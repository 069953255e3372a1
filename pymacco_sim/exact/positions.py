"""What stopping and rolling on are worth, anywhere in a turn, when the rest is played by the best plan for a goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError, whole
from pymacco_sim.exact import optima
from pymacco_sim.exact.kernels import TIE
from pymacco_sim.exact.model import Model, make_model
from pymacco_sim.exact.planner import solve_arrays
from pymacco_sim.exact.solvers import make_space, most_units, settled_row
from pymacco_sim.games.macke.optimum import solve_turn
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.policy import Decider

SIGNS = {"turn": 1.0, "session": -1.0, "race": 1.0}
"""Whether more of a goal's value is better (1) or less (-1)."""

UNITS = {"turn": "points", "session": "turns to go", "race": "chance to win"}
"""What the values of a goal are."""


@dataclass(frozen=True, eq=False)
class Position:
    """The worths in one turn, by points of the turn in units and dice to roll.

    Attributes
    ----------
    model : Model
    goal : str
    place : tuple of int
        Banked totals in units, own and the rival's.
    need : int
        Units that the turn needs before it may stop.
    stop : float64[rows]
        Value of stopping; the last row holds for all higher ones.
    roll : float64[rows, dice + 1]
        Value of rolling that many dice; also for all higher rows. For the goal ``"turn"`` both go on as straight lines.
    """

    model: Model
    goal: str
    place: tuple[int, int]
    need: int
    stop: np.ndarray
    roll: np.ndarray

    @property
    def total(self) -> int:
        """Banked points before the turn."""
        return self.place[0] * self.model.unit

    @property
    def rival(self) -> int:
        """The rival's banked points."""
        return self.place[1] * self.model.unit

    @property
    def value(self) -> float:
        """Value of the turn before its first roll."""
        return float(self.roll[0, self.model.dice])

    def stop_value(self, units: int, left: int) -> float:
        """Return the value of stopping after a keep; NaN where the rules forbid it."""
        if units < self.need or (left == 0 and not self.model.hot_free):
            return float("nan")
        return self._look_up(self.stop, units)

    def roll_value(self, units: int, left: int) -> float:
        """Return the value of rolling on after a keep that leaves so many dice (0: all are rolled again)."""
        return self._look_up(self.roll[:, left or self.model.dice], units)

    def _look_up(self, values: np.ndarray, units: int) -> float:
        last = len(values) - 1
        beyond = max(units - last, 0) if self.goal == "turn" else 0
        return float(values[min(units, last)] + beyond * (values[last] - values[last - 1]))

    def stops(self, units: int, left: int) -> bool:
        """Whether stopping is best after a keep; it is if both are worth the same."""
        stop, on, sign = self.stop_value(units, left), self.roll_value(units, left), SIGNS[self.goal]
        return bool(sign * stop >= sign * on - TIE * max(1.0, abs(on)))


def find_place(
    rules: MackeRules, goal: str, total: Any, rival: Any, streak: Any = 0, rival_streak: Any = 0
) -> tuple[int, int, int, int]:
    """Return checked total and rival's total in units, and busts in a row of both.

    Raises
    ------
    RequestError
        If nobody can have banked that: it is no multiple of the unit, too little to be banked, or the game is over.
    """
    model = make_model(rules)
    totals = []
    for name, came in (("total", total), ("rival", rival)):
        points = whole(name, came, -10_000_000 if rules.bust_streak else 0, rules.target - 1)
        first = max(rules.min_bank, rules.min_first_bank)
        if points % model.unit:
            raise RequestError(f"{name} is {points}; banked points are multiples of {model.unit}.")
        if 0 < points < first and not rules.bust_streak:
            raise RequestError(f"{name} is {points}; the first turn that banks brings at least {first} points.")
        totals.append(points // model.unit)
    if totals[1] and goal != "race":
        raise RequestError(f"rival is {rival}, but a {goal} has none; ask for the goal 'race'.")
    most = model.n_streaks - 1
    return totals[0], totals[1], whole("streak", streak, 0, most), whole("rival_streak", rival_streak, 0, most)


@lru_cache(maxsize=256)
def find_position(
    rules: MackeRules,
    goal: str,
    total: int = 0,
    rival: int = 0,
    streak: int = 0,
    rival_streak: int = 0,
    against: Decider | None = None,
) -> Position:
    """Return the worths in a turn.

    Parameters
    ----------
    rules : MackeRules
    goal : {"turn", "session", "race"}
    total, rival : int
        Banked totals in units.
    streak, rival_streak : int
        Busts in a row so far.
    against : Decider or None
        The rival of a race.

    Examples
    --------
    >>> round(find_position(MackeRules(), "turn").value, 4)
    293.6009
    """
    model = make_model(rules)
    if goal == "turn" and not rules.bust_streak:
        values = solve_turn(rules, model.need(total) * model.unit).value
        points = np.arange(len(values)) * float(model.unit)
        return Position(model, goal, (total, 0), model.need(total), points, values)
    arrays = solve_arrays(rules, goal, against)
    if goal == "turn":
        return _in_turn(model, arrays["bust"][streak], total)
    if goal == "session":
        return _in_session(model, arrays["turns"], int(arrays["low"]), total, streak)
    if rules.bust_streak:
        return _in_streak_race(model, arrays["wins"], int(arrays["low"]), (total, rival), (streak, rival_streak))
    return _in_race(model, arrays["waits"], total, rival)


def _in_turn(model: Model, lose: float, total: int) -> Position:
    need = model.need(total)
    top = settled_row(model) + model.widest
    _, worth, slope, on = make_space(model, top)
    optima.solve_linear(model.best, model.hot_free, need, top, float(model.unit), lose, worth, slope, on)
    return Position(model, "turn", (total, 0), need, np.arange(top + 1) * float(model.unit), on)


def _in_session(model: Model, turns: np.ndarray, low: int, total: int, streak: int) -> Position:
    own, need = max(total - low, 0), model.need(total)
    top = max(turns.shape[1] - own, need)
    stop, worth, slope, on = make_space(model, most_units(model, turns.shape[1]))
    optima.session_turn(
        model.best, model.safe, model.hot_free, need, model.penalty, turns, own, streak, stop, worth, slope, on
    )
    return Position(model, "session", (total, 0), need, 1.0 - stop[: top + 1], 1.0 - on[: top + 1])


def _in_race(model: Model, waits: np.ndarray, total: int, rival: int) -> Position:
    return _race_position(model, waits, float(waits[rival, total]), (total, rival), 0)


def _in_streak_race(
    model: Model, wins: np.ndarray, low: int, totals: tuple[int, int], streaks: tuple[int, int]
) -> Position:
    own, rival = (max(total - low, 0) for total in totals)
    after, place = optima.place_after_bust(streaks[0], own, model.n_streaks, model.penalty)
    lose = 1.0 - float(wins[streaks[1], after, rival, place])
    return _race_position(model, 1.0 - wins[streaks[1], 0], lose, totals, low)


def _race_position(model: Model, waits: np.ndarray, lose: float, totals: tuple[int, int], low: int) -> Position:
    """Return the worths by the chances while the rival is to move; both totals start at `low`."""
    own, rival = (max(total - low, 0) for total in totals)
    need, n = model.need(totals[0]), len(waits)
    top = max(n - own, need)
    stop, worth, slope, on = make_space(model, most_units(model, n))
    optima.race_turn(model.best, model.safe, model.hot_free, need, own, rival, lose, waits, stop, worth, slope, on)
    return Position(model, "race", totals, need, stop[: top + 1], on[: top + 1])
