"""How far policies are from the optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.exact.evaluation import Evaluation, make_cell_strategy, make_exact_cell
from pymacco_sim.exact.positions import SIGNS
from pymacco_sim.exact.solution import Solution, solve
from pymacco_sim.exact.strategy import Strategy
from pymacco_sim.games.rulebook import Rules

ROUNDING = 1e-9
"""Distances below this are rounding."""


def rank(
    game: str,
    policies: Sequence[Any],
    goal: str = "turn",
    *,
    against: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Return the exact value of each policy and its distance to the optimum, the best first.

    Parameters
    ----------
    game : str
        ``"macke"`` or a relative.
    policies : sequence
        Names, policies, functions.
    goal : {"turn", "session", "race"}
        Mean points of the first turn (with a penalty for busts in a row: of all turns, penalties taken off); mean turns
        to the target; chance to win a race of two, the mean of both seats.
    against : str, policy or function, optional
        The rival of a race; unless given, the optimal one, so that no policy is above one half.
    rules : MackeRules or mapping, optional

    Returns
    -------
    list of dict
        `policy`, `goal`, `value`, `optimum`, `distance`, for pandas or
        :func:`pymacco_sim.plots.plot_distances`.

    Raises
    ------
    RequestError
        If a policy has no exact value, or the goal no optimum.

    Examples
    --------
    >>> [(row["policy"], round(row["distance"], 2)) for row in rank("macke", ["points:350", "points:200", "optimal"])]
    [('optimal', 0.0), ('points:200', 19.78), ('points:350', 50.62)]
    """
    names = [policies] if isinstance(policies, str) else list(policies)
    if not names:
        raise RequestError("no policies given; name at least one.")
    best = solve(game, goal, against=against, rules=rules)
    top = _value_of_best(best, game, rules)
    rows = []
    for policy in names:
        found = _value(game, policy, best, rules)
        distance = SIGNS[goal] * (top - found[1])
        distance = 0.0 if abs(distance) < ROUNDING else distance
        rows.append({"policy": found[0], "goal": goal, "value": found[1], "optimum": top, "distance": distance})
    return sorted(rows, key=lambda row: (round(row["distance"], 9), row["policy"]))


def _value_of_best(best: Solution, game: str, rules: Any) -> float:
    if best.goal != "race":
        return best.value()
    return 0.5 if best.against is None else _value(game, best.policy, best, rules)[1]


def _value(game: str, policy: Any, best: Solution, rules: Any) -> tuple[str, float]:
    """Return a policy's label and its value for the goal of a solution."""
    rival = [] if best.goal != "race" else [best.against or best.policy]
    cell = make_exact_cell(game, [policy, *rival], rules)
    value = Evaluation(*(make_cell_strategy(cell, seat) for seat in range(cell.n_seats)))
    if best.goal == "turn":
        figure = long_run_mean(value.strategy) if value.rules.bust_streak else value.turn().mean
    elif best.goal == "session":
        figure = value.turns().mean
    else:
        figure = (value.wins() + value.wins(first=False)) / 2
    return cell.entrants[0].label, figure


def long_run_mean(strategy: Strategy) -> float:
    """Return the mean points of a turn in the long run, penalties for busts in a row taken off.

    Parameters
    ----------
    strategy : Strategy
        Its turns with something banked are looked at.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> value = pm.exact.evaluate("zilch", pm.exact.solve("zilch").policy)
    >>> round(long_run_mean(value.strategy), 3)
    620.855
    """
    model = strategy.model
    turns = [strategy.turn(1, 0, streak) for streak in range(model.n_streaks)]
    moves = np.zeros((len(turns), len(turns)))
    for streak, turn in enumerate(turns):
        moves[streak, 0] += 1.0 - turn.bust
        moves[streak, (streak + 1) % len(turns)] += turn.bust
    system = np.vstack([moves.T - np.eye(len(turns)), np.ones(len(turns))])
    share = np.linalg.lstsq(system, np.append(np.zeros(len(turns)), 1.0), rcond=None)[0]
    lost = model.penalty * model.unit * share[-1] * turns[-1].bust
    return float(share @ [turn.mean for turn in turns] - lost)
