"""The best plan for a goal, and where it stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pymacco_sim._check import RequestError, unknown, whole
from pymacco_sim.exact.evaluation import make_exact_cell
from pymacco_sim.exact.planner import GOALS, make_policy
from pymacco_sim.exact.positions import UNITS, Position, find_place, find_position
from pymacco_sim.games.macke.rolls import enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.policy import Decider, Policy
from pymacco_sim.games.registry import find_family
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.markup import make_view


@dataclass(frozen=True, repr=False)
class Solution:
    """The optimum for one goal under one rule set.

    Parameters
    ----------
    rules : MackeRules
    goal : {"turn", "session", "race"}
    against : Decider or None
        The fixed rival of a race; None for a race of two best players.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> best = pm.exact.solve("macke", goal="session")
    >>> round(best.value(), 6), best.policy.name
    (17.745755, 'quickest')
    >>> best.thresholds(), best.thresholds(total=4500)
    ({1: 200, 2: 200, 3: 350, 4: 950, 5: None}, {1: 200, 2: 500, 3: 500, 4: 500, 5: None})
    """

    rules: MackeRules
    goal: str
    against: Decider | None = None

    @property
    def policy(self) -> Policy:
        """The policy that plays this plan, for :func:`pymacco_sim.simulate`, ``compare`` and ``tournament``."""
        if self.goal == "turn" and not self.rules.bust_streak:
            return find_family("macke").find_policy("optimal")
        return make_policy(self.goal, self.against)

    def value(self, total: int = 0, rival: int = 0, streak: int = 0, rival_streak: int = 0) -> float:
        """Return what a turn from here is worth when all play goes on by the plan.

        Parameters
        ----------
        total, rival : int
            Banked points, own and the rival's; the own turn is next.
        streak, rival_streak : int
            Busts in a row so far, own and the rival's.

        Returns
        -------
        float
            Mean points of the turn, mean turns to the target (this one included), or the chance to win.
        """
        return self.position(total, rival, streak, rival_streak).value

    def position(self, total: int = 0, rival: int = 0, streak: int = 0, rival_streak: int = 0) -> Position:
        """Return the worths of stopping and rolling on in a turn from here."""
        place = find_place(self.rules, self.goal, total, rival, streak, rival_streak)
        return find_position(self.rules, self.goal, *place, against=self.against)

    def stop_map(self, total: int = 0, rival: int = 0, most_points: int = 1500) -> list[dict[str, Any]]:
        """Return where the plan stops, one row for each number of points and of dice left after a keep.

        Parameters
        ----------
        total, rival : int
            Banked points.
        most_points : int
            Highest number of points in the turn.

        Returns
        -------
        list of dict
            `points`, `dice` (to roll next), `stop`, `stop_value`, `roll_value`; for pandas or
            :func:`pymacco_sim.plots.plot_stop_map`.
        """
        at = self.position(total, rival)
        unit, dice = at.model.unit, at.model.dice
        rows = []
        for units in range(1, most_points // unit + 1):
            for left in range(1, dice + 1):
                kept = left if left < dice else 0
                rows.append(
                    {
                        "goal": self.goal,
                        "points": units * unit,
                        "dice": left,
                        "stop": at.stops(units, kept),
                        "stop_value": at.stop_value(units, kept),
                        "roll_value": at.roll_value(units, kept),
                    }
                )
        return rows

    def thresholds(self, total: int = 0, rival: int = 0) -> dict[int, int | None]:
        """Return by dice to roll next the fewest points of the turn from which on it stops; None for never.

        Never means not within the points that the target needs, nor beyond them.
        """
        at = self.position(total, rival)
        most, found = len(at.stop) - 1, {}
        for dice in range(1, at.model.dice + 1):
            left = dice % at.model.dice
            rows = [units for units in range(most + 1) if not at.stops(units, left)]
            start = rows[-1] + 1 if rows else 0
            found[dice] = start * at.model.unit if start <= most else None
        return found

    def shifts(self, dice: int = 3, step: int = 250) -> list[dict[str, Any]]:
        """Return how the points at which the plan stops depend on the banked totals, with so many dice left.

        Parameters
        ----------
        dice : int
            Dice to roll next.
        step : int
            Points from one total to the next.

        Returns
        -------
        list of dict
            `total`, `rival` (a race only; else 0), `threshold` (NaN for never), `dice`; for pandas or
            :func:`pymacco_sim.plots.plot_shift`.
        """
        dice = whole("dice", dice, 1, self.rules.dice)
        unit = enumerate_rolls(self.rules).unit
        step = -(-whole("step", step, 1, self.rules.target) // unit) * unit
        first = max(self.rules.min_bank, self.rules.min_first_bank)
        totals = [total for total in range(0, self.rules.target, step) if total == 0 or total >= first]
        rows = []
        for total in totals:
            for rival in totals if self.goal == "race" else [0]:
                found = self.thresholds(total, rival)[dice]
                threshold = float("nan") if found is None else float(found)
                rows.append({"total": total, "rival": rival, "threshold": threshold, "dice": dice})
        return rows

    def __repr__(self) -> str:
        return f"Solution({self.words}: {self.value():.6g} {UNITS[self.goal]})"

    @property
    def unit(self) -> str:
        """What the values are."""
        return UNITS[self.goal]

    @property
    def words(self) -> str:
        """The goal in words."""
        if self.goal == "race":
            rival = self.against.label if self.against else "a rival who plays as well"
            return f"best race of two against {rival}"
        return {"turn": "highest mean score of a turn", "session": "fewest mean turns to the target"}[self.goal]

    def _repr_html_(self) -> str:
        return make_view(f"Exact: {self.words}", [f"{self.value():.6f} {UNITS[self.goal]}"])


def solve(
    game: str, goal: str = "turn", *, against: Any = None, rules: Rules | Mapping[str, Any] | None = None
) -> Solution:
    """Find the best plan, choice of dice included; it is kept on disk and found again the next time.

    Parameters
    ----------
    game : str
        ``"macke"`` or a relative.
    goal : {"turn", "session", "race"}
        Highest mean score of a turn (with a penalty for busts in a row: of all turns in the long run); fewest mean
        turns to the target; highest chance to win a race of two when both play best.
    against : str, policy or function, optional
        A fixed rival: the best response to it. For the goal ``"race"`` only.
    rules : MackeRules or mapping, optional
        As for :func:`pymacco_sim.simulate`.

    Returns
    -------
    Solution

    Raises
    ------
    RequestError
        If the goal is unknown or the rules have no such optimum (races with a last round; best responses under a
        penalty for busts in a row).

    Notes
    -----
    Races by value iteration over all pairs of totals from the highest sum down (T. Neller and C. Presser, Optimal
    play of the dice game Pig, The UMAP Journal 25, 2004), with Newton's method for the two positions that only a bust
    connects, so that each is solved to rounding. With a penalty for busts in a row both players' streaks count too:
    such a race takes minutes, has values and advice, but no plan that an engine could play.

    Examples
    --------
    >>> solve("macke", "turn").thresholds()
    {1: 200, 2: 200, 3: 350, 4: 950, 5: None}
    """
    cell = make_exact_cell(game, ["points"] if against is None else ["points", against], rules)
    assert isinstance(cell.rules, MackeRules)
    if goal not in GOALS:
        raise unknown("goal", goal, GOALS)
    if against is not None and goal != "race":
        raise RequestError(f"against is given, but a {goal} has no rival; ask for the goal 'race'.")
    best = Solution(cell.rules, goal, cell.entrants[1].main if against is not None else None)
    best.value()
    return best
