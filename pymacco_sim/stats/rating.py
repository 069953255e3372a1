"""Ratings from who won at which table, whatever the order of the games."""

from __future__ import annotations

import math
import warnings
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
    of Bradley and Terry. It is fitted as a Poisson regression with one constant a table, which has the same maximum.

    Parameters
    ----------
    line_ups : sequence of sequence of int
        Policies at each table; copies of one policy share its strength.
    wins : float64[n_batches, n_line_ups, n_seats]
        Wins of each seat (shared wins split) by batch of deals.
    n_policies : int

    Notes
    -----
    One game a table is added, its win shared by all seats, so that a policy that never won has a finite rating.
    Intervals come from leaving out one batch at a time (delete-a-group jackknife), so that games on a common deal are
    accounted for.

    References
    ----------
    R. D. Luce, *Individual Choice Behavior* (1959). S. E. Fienberg, K. Larntz, Biometrika 63 (1976), for the
    log-linear form. J. Shao, D. Tu, *The Jackknife and Bootstrap* (1995).

    Examples
    --------
    >>> rating = rate_policies([(0, 1)], np.array([[[300.0, 100.0]], [[300.0, 100.0]]]), 2)
    >>> (rating.values[0] - rating.values[1]).round().item()
    191.0
    """
    from scipy.stats import t

    total = wins.sum(axis=0)
    values = _fit(line_ups, total, n_policies)
    n_batches = len(wins)
    if n_batches < 2:
        unknown = np.full(n_policies, math.nan)
        return Rating(values, unknown, unknown)
    without = np.array([_fit(line_ups, total - batch, n_policies) for batch in wins])
    spread = np.sqrt((n_batches - 1) / n_batches * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    half = t.ppf(0.5 + level / 2, n_batches - 1) * spread
    return Rating(values, values - half, values + half)


def _fit(line_ups: Sequence[Sequence[int]], wins: np.ndarray, n_policies: int) -> np.ndarray:
    """Fit log strengths on the Elo scale; policy 0 is the reference inside, the mean outside."""
    from statsmodels.api import GLM, families
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    n_tables, n_seats = wins.shape
    design = np.zeros((n_tables, n_seats, n_policies - 1 + n_tables))
    for table, line_up in enumerate(line_ups):
        design[table, :, n_policies - 1 + table] = 1.0
        for seat, who in enumerate(line_up):
            if who:
                design[table, seat, who - 1] = 1.0
    counts = (wins + 1.0 / n_seats).ravel()
    model = GLM(counts, design.reshape(n_tables * n_seats, -1), family=families.Poisson())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", PerfectSeparationWarning)  # a table of two is fitted exactly, as it should be
        fitted = model.fit(scale=1.0)
    strengths = np.concatenate([[0.0], np.asarray(fitted.params)[: n_policies - 1]]) * ELO
    return strengths - strengths.mean()
