"""From a goal to a policy: solve the rules when a game is set up, and play by the plan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError, unknown
from pymacco_sim.exact.memory import Arrays, recall
from pymacco_sim.games.macke.plan import PlanTable, pack_choices
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.policy import Decider, Policy
from pymacco_sim.identity import fingerprint, hash_plain, hash_sources

GOALS = ("turn", "session", "race")
"""Most points a turn on average; fewest turns to the target on average; most races of two won."""


@dataclass(frozen=True)
class Planner:
    """The best plan for a goal, whatever the rules.

    Parameters
    ----------
    goal : str
        One of :data:`GOALS`.
    against : Decider or None
        The rival in a race; None for one that plays best as well.
    """

    goal: str
    against: Decider | None = None

    def __call__(self, rules: MackeRules) -> PlanTable:
        """Return the plan under these rules, solved or remembered."""
        return make_plan(rules, self.goal, self.against)

    def describe(self) -> dict[str, Any]:
        """Return what tells this plan from others, as plain values; the code of solvers and rival included."""
        rival = self.against and [self.against.spec, [*map(repr, self.against.values)], fingerprint(self.against)]
        return {"goal": self.goal, "against": rival, "solver": hash_sources("exact", "games/macke")}


@lru_cache(maxsize=8)
def solve_arrays(rules: MackeRules, goal: str, against: Decider | None = None) -> Arrays:
    """Return the solution for a goal as arrays (see :mod:`.solvers`), from the disk if it was solved before.

    Raises
    ------
    RequestError
        If the goal is unknown, or these rules have no solution of that kind.
    """
    from pymacco_sim.exact import solvers
    from pymacco_sim.exact.model import make_model
    from pymacco_sim.exact.strategy import make_strategy
    from pymacco_sim.exact.streaks import solve_streak_race

    model = make_model(rules)
    key = hash_plain({**Planner(goal, against).describe(), "rules": rules.to_dict()})
    if goal == "turn":
        return recall(key, lambda: solvers.solve_turns(model))
    if goal == "session":
        return recall(key, lambda: solvers.solve_session(model))
    if goal != "race":
        raise unknown("goal", goal, GOALS)
    solvers.check_race(model, against is not None)
    if rules.bust_streak:
        return recall(key, lambda: solve_streak_race(model))
    rival = make_strategy(rules, against) if against is not None else None
    return recall(key, lambda: solvers.solve_race(model, rival))


@lru_cache(maxsize=8)
def make_plan(rules: MackeRules, goal: str, against: Decider | None = None) -> PlanTable:
    """Return the solution for a goal as a plan that the engine plays.

    Raises
    ------
    RequestError
        If there is no solution, or it is too large for a plan.
    """
    from pymacco_sim.exact.model import make_model

    if goal == "race" and rules.bust_streak:
        raise RequestError(
            "the best race with a penalty for busts in a row is solved for values and advice, but its plan (by both "
            "streaks and both totals) is too large to be played: set bust_streak=0, or play quickest."
        )
    solved, menu = solve_arrays(rules, goal, against), make_model(rules).menu_of_class
    keys = np.where(menu < 0, 0, solved["keys"][:, menu]).astype(np.int64)
    low = int(solved["low"]) if "low" in solved else 0
    return PlanTable(pack_choices(rules, keys >> 1, (keys & 1) == 1), solved["index"], low)


def make_policy(goal: str, against: Decider | None = None) -> Policy:
    """Return the policy that plays the best plan for a goal."""
    if goal not in GOALS:
        raise unknown("goal", goal, GOALS)
    if against is not None:
        words = f"wins the most races of two against {against.label}"
        return _policy(f"response to {against.label}", words, goal, against)
    named = {"session": QUICKEST, "race": RACER}
    return named.get(goal) or _policy("steady", "the most points a turn in the long run", goal)


def _policy(name: str, words: str, goal: str, against: Decider | None = None) -> Policy:
    return Policy("macke", name, words, "turn", function=Planner(goal, against), style="plan", source="exact solver")


QUICKEST = _policy("quickest", "the exact optimum of a session: fewest turns to the target on average", "session")
RACER = _policy("racer", "the exact optimum of a race of two: wins the most against a rival who plays it too", "race")
