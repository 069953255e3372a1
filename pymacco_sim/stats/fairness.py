"""Do all seats win equally often?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pymacco_sim.stats.paired import Ends, Products, ratio_covariance


class Fairness(NamedTuple):
    """Wald's chi-square test that all ratios are equal: statistic, degrees of freedom, p-value."""

    chi_square: float
    degrees: int
    p_value: float


def check_equal(n_units: int, total: np.ndarray, products: Products, ends: Sequence[Ends]) -> Fairness:
    """Test that several ratios over the same units are equal, with their full covariance.

    Parameters
    ----------
    n_units, total, products
        As for :func:`pymacco_sim.stats.paired.ratio_covariance`.
    ends : sequence of tuple of int
        Numerator and denominator of each ratio.

    Returns
    -------
    Fairness
        With NaN where there is nothing to test.
    """
    from scipy.stats import chi2

    if n_units < 2 or len(ends) < 2 or any(total[bottom] <= 0 for _, bottom in ends):
        return Fairness(math.nan, max(len(ends) - 1, 0), math.nan)
    values = np.array([int(total[top]) / int(total[bottom]) for top, bottom in ends])
    covariance = np.array([[ratio_covariance(n_units, total, products, a, b) for b in ends] for a in ends])
    contrast = np.eye(len(ends))[1:] - 1.0 / len(ends)
    gaps, spread = contrast @ values, contrast @ covariance @ contrast.T
    if not spread.any():
        return Fairness(math.nan, len(ends) - 1, 1.0 if not gaps.any() else math.nan)
    statistic = float(gaps @ np.linalg.pinv(spread, hermitian=True) @ gaps)
    degrees = int(np.linalg.matrix_rank(spread, hermitian=True))
    return Fairness(statistic, degrees, float(chi2.sf(statistic, degrees)))
