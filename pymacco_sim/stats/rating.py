"""Ratings from who won at which table, whatever the order of the games."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pymacco_sim.stats.intervals import LEVEL

ELO = 400 / math.log(10)
"""Points of the Elo scale per unit of log strength."""


class Rating(NamedTuple):
    """Ratings with their intervals, float64[n_policies] each, centred on 0."""

    values: np.ndarray
    low: np.ndarray
    high: np.ndarray


def rate_policies(line_ups: Sequence[Sequence[int]], wins: np.ndarray, n_policies: int, level: float = LEVEL) -> Rating:
    """Return the maximum-likelihood strengths of Luce's choice model, with jackknife intervals.

    At a table, policy `i` wins with probability ``w_i / sum of w over the table``; with two seats this is the model
    of Bradley and Terry.

    Parameters
    ----------
    line_ups : sequence of sequence of int
        Policies at each table; copies of one policy share its strength.
    wins : float64[n_batches, n_line_ups, n_seats]
        Wins of each seat (shared wins split) by batch of deals.
    n_policies : int

    Returns
    -------
    Rating
        NaN if nobody won; NaN bounds with a single batch.

    Notes
    -----
    One game a table is added, its win shared by all seats, so that a policy that never won has a finite rating.
    Intervals come from leaving out one batch at a time (delete-a-group jackknife), so that games on a common deal are
    accounted for.

    References
    ----------
    R. D. Luce, *Individual Choice Behavior* (1959). J. Shao, D. Tu, *The Jackknife and Bootstrap* (1995).

    Examples
    --------
    >>> rating = rate_policies([(0, 1)], np.array([[[300.0, 100.0]], [[300.0, 100.0]]]), 2)
    >>> (rating.values[0] - rating.values[1]).round().item()
    191.0
    """
    from scipy.stats import t

    total = wins.sum(axis=0)
    strengths = _fit(line_ups, total, np.zeros(n_policies))
    values = strengths * ELO
    n_batches = len(wins)
    if total.sum() == 0:
        unknown = np.full(n_policies, math.nan)
        return Rating(unknown, unknown, unknown)
    if n_batches < 2:
        unknown = np.full(n_policies, math.nan)
        return Rating(values, unknown, unknown)
    without = np.array([_fit(line_ups, total - batch, strengths) for batch in wins]) * ELO
    spread = np.sqrt((n_batches - 1) / n_batches * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    half = t.ppf(0.5 + level / 2, n_batches - 1) * spread
    return Rating(values, values - half, values + half)


def _fit(line_ups: Sequence[Sequence[int]], wins: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Fit log strengths by Newton's method, from a start near the answer; their mean is 0."""
    from scipy.optimize import minimize

    seated, n_policies = np.asarray(line_ups), start.size
    counts = wins + 1.0 / seated.shape[1]
    tables = counts.sum(axis=1, keepdims=True)
    size = counts.sum()
    one, two = (
        np.broadcast_to(part, (*seated.shape, seated.shape[1])) for part in (seated[:, :, None], seated[:, None])
    )

    def chances(strengths: np.ndarray) -> np.ndarray:
        raised = np.exp(strengths[seated] - strengths[seated].max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def loss(strengths: np.ndarray) -> float:
        return -float((counts * np.log(chances(strengths))).sum()) / size

    def slope(strengths: np.ndarray) -> np.ndarray:
        short = (tables * chances(strengths) - counts).ravel()
        return np.bincount(seated.ravel(), short, minlength=n_policies) / size

    def curvature(strengths: np.ndarray) -> np.ndarray:
        p = chances(strengths)
        bend = np.zeros((n_policies, n_policies))
        np.add.at(bend, (seated, seated), tables * p)
        np.add.at(bend, (one, two), -tables[:, :, None] * p[:, :, None] * p[:, None, :])
        return bend / size

    fitted = minimize(loss, start, jac=slope, hess=curvature, method="trust-exact", options={"gtol": 1e-10})
    found = np.asarray(fitted.x)
    for _ in range(2):  # to the last digits, whatever route led here; the ones take the free mean out
        found = found - np.linalg.solve(curvature(found) + 1.0, slope(found))
    return found - found.mean()
