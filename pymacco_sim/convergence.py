"""How an estimate settles as games come in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from pymacco_sim._check import unknown, whole
from pymacco_sim.core.counting import Tally
from pymacco_sim.estimates import estimate, main_positions, value_column
from pymacco_sim.games.registry import make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.looks import plan_looks, planned_units
from pymacco_sim.play import Plan, check_games, make_plan, play_games
from pymacco_sim.truth import find_truth


def converge(
    game: str,
    policies: Any,
    n_games: Any = 100_000,
    seed: int = 0,
    *,
    outcome: str | None = None,
    seat: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
    players: int | None = None,
    scope: str | None = None,
    seating: str = "fixed",
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Return an estimate at growing numbers of games, with its interval at each and the sequence valid at all.

    Parameters
    ----------
    game, policies, n_games, seed, rules, players, scope, seating, n_jobs
        As for :func:`pymacco_sim.simulate`.
    outcome : str, optional
        Name of an outcome (``"win"``, ``"turns"`` ...); the one by which policies are judged unless given.
    seat : int
        Position in the line-up, for an outcome per seat.

    Returns
    -------
    pandas.DataFrame
        One row a look: ``outcome``, ``n_games``, ``value``, ``low``, ``high``, ``sequence_low``, ``sequence_high``.

    Raises
    ------
    RequestError
        If the outcome is unknown.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> path = pm.converge("macke", "points:350", n_games=5000, seed=1)
    >>> path["n_games"].tolist()[:2]
    [2000, 2500]
    """
    cell = make_cell(game, policies, rules, seed=seed, scope=scope, seating=seating, players=players)
    plan = make_plan(cell)
    position = _find_position(plan, cell.n_seats, outcome, seat)
    units = check_games(cell, n_games) // cell.unit
    rows = []
    tally: Tally | None = None
    for first, step in plan_looks(units, sequential=True):
        part = play_games(cell, step * cell.unit, first * cell.unit, n_jobs)
        tally = part if tally is None else tally + part
        fixed, moving = estimate(plan, tally, position), estimate(plan, tally, position, planned_units(units))
        rows.append((tally.n_games, fixed.value, fixed.low, fixed.high, moving.low, moving.high))
    table = pd.DataFrame(rows, columns=["n_games", "value", "low", "high", "sequence_low", "sequence_high"])
    table.insert(0, "outcome", value_column(plan.ratios[position].outcome))
    return table


def find_limit(game: str, policies: Any, *, outcome: str | None = None, seat: Any = 0, **request: Any) -> float:
    """Return the exact value that :func:`converge` with the same request approaches; NaN if that figure has none.

    Raises
    ------
    RequestError
        If the outcome is unknown, or the line-up has no exact values.

    Examples
    --------
    >>> round(find_limit("macke", "points:350"), 4)
    242.9803
    """
    asked: dict[str, Any] = {name: request.get(name) for name in ("scope", "players")}
    cell = make_cell(game, policies, request.get("rules"), seating=request.get("seating", "fixed"), **asked)
    plan = make_plan(cell)
    ratio = plan.ratios[_find_position(plan, cell.n_seats, outcome, seat)]
    whole, seats = find_truth(cell)
    return (whole if ratio.kind == "game" else seats[ratio.place]).get(value_column(ratio.outcome), math.nan)


def _find_position(plan: Plan, n_seats: int, outcome: str | None, seat: Any) -> int:
    """Return the position of the ratio that is asked for."""
    places = [i for i, r in enumerate(plan.ratios) if r.outcome.name == outcome and r.kind != "seat"]
    if outcome is not None and not places:
        raise unknown("outcome", outcome, list(dict.fromkeys(r.outcome.name for r in plan.ratios)))
    places = places or main_positions(plan)
    seat = whole("seat", seat, 0, n_seats - 1)
    return places[min(seat, len(places) - 1)]
