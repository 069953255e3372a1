"""From a tally to estimates: figures with their intervals, by seat and for the whole table."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymacco_sim.core.counting import Tally
from pymacco_sim.games.base import CAP, CYCLE, FINISHED, IDLE, STATUS_NAMES, Cell, Outcome
from pymacco_sim.play import Plan
from pymacco_sim.stats.intervals import Estimate, estimate_mean, estimate_quantile, estimate_sequence, estimate_share

QUANTILES = (0.1, 0.5, 0.9)

MAIN = ("win", "score", "turns")
"""Outcomes by which policies are judged: the first of these that the game has."""


def value_column(outcome: Outcome) -> str:
    """Return the name of an outcome's estimate: ``win_share``, ``turns_mean``, but ``mean_place``."""
    if outcome.name == "place":
        return "mean_place"
    return f"{outcome.name}_{'share' if outcome.share else 'mean'}"


def estimate(plan: Plan, tally: Tally, position: int, planned: int = 0) -> Estimate:
    """Return the estimate of one ratio of a plan; of a sequence if one was planned (see :mod:`pymacco_sim.looks`)."""
    outcome = plan.ratios[position].outcome
    if planned:
        return estimate_sequence(tally.n_units, tally.sums[position], planned, outcome.scale, outcome.share)
    by = estimate_share if outcome.share else estimate_mean
    return by(tally.n_units, tally.sums[position], outcome.scale)


def named_estimate(outcome: Outcome, figure: Estimate) -> dict[str, float]:
    """Return an estimate as the three columns of a table."""
    name = outcome.name
    return {value_column(outcome): figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}


def main_positions(plan: Plan) -> list[int]:
    """Return the positions of the figure by which policies are judged: one a line-up position, or a single one."""
    for name in MAIN:
        found = [i for i, r in enumerate(plan.ratios) if r.outcome.name == name and r.kind != "seat"]
        if found:
            return found
    return []


def entrant_rows(cell: Cell, plan: Plan, tally: Tally, kind: str = "entrant", planned: int = 0) -> list[dict[str, Any]]:
    """Return one row a line-up position (or, for ``kind="seat"``, a place at the table)."""
    rows = []
    for index, entrant in enumerate(cell.entrants):
        row: dict[str, Any] = {"seat": index}
        if kind == "entrant":
            row["policy"] = entrant.label
        row["n_games"] = tally.n_games
        for position, ratio in enumerate(plan.ratios):
            if (ratio.kind, ratio.place) == (kind, index):
                row |= named_estimate(ratio.outcome, estimate(plan, tally, position, planned))
        rows.append(row)
    return rows


def total_row(cell: Cell, plan: Plan, tally: Tally, planned: int = 0) -> dict[str, Any]:
    """Return the figures of the whole table: games by status, every game outcome, quantiles."""
    n_finished = int(tally.statuses[FINISHED])
    n_stalled = tally.n_games - n_finished
    row: dict[str, Any] = {"n_games": tally.n_games, "n_finished": n_finished, "n_stalled": n_stalled}
    for status in (CAP, CYCLE, IDLE):
        if tally.statuses[status]:
            row[f"stalled_{STATUS_NAMES[status]}_share"] = int(tally.statuses[status]) / tally.n_games
    for position, ratio in enumerate(plan.ratios):
        if ratio.kind == "game":
            row |= named_estimate(ratio.outcome, estimate(plan, tally, position, planned))
    for ratio, bins in zip(plan.histograms, tally.bins, strict=True):
        if ratio.kind == "game":
            row |= _quantiles(ratio.outcome, bins, tally.n_units)
    return row


def _quantiles(outcome: Outcome, bins: np.ndarray, n_units: int) -> dict[str, float]:
    row: dict[str, float] = {}
    for q in QUANTILES:
        figure = estimate_quantile(bins, q, n_units)
        name = f"{outcome.name}_q{round(100 * q)}"
        row |= {
            name: figure.value / outcome.scale,
            f"{name}_low": figure.low / outcome.scale,
            f"{name}_high": figure.high / outcome.scale,
        }
    return row
