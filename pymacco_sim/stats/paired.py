"""Differences of ratios over the same units, their intervals and what they would need to be decided."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from pymacco_sim.stats.intervals import LEVEL


class Difference(NamedTuple):
    """A difference with its interval, two-sided p-value and the share of variance that pairing took away."""

    value: float
    low: float
    high: float
    se: float
    p_value: float
    paired_away: float


NO_DIFFERENCE = Difference(math.nan, math.nan, math.nan, math.nan, math.nan, math.nan)


class Products(Protocol):
    """Sums of products of columns: an array, or :class:`pymacco_sim.core.moments.Products`."""

    def __getitem__(self, places: tuple[int, int], /) -> Any:
        """Return the sum of the products of two columns, an integer."""


def ratio_covariance(n_units: int, total: np.ndarray, products: Products, one: Ends, two: Ends) -> float:
    """Return the covariance of two ratios of sums over the same units, by the delta method.

    Parameters
    ----------
    n_units : int
        At least 2.
    total : object[k]
        Sums of the unit vectors (Python integers).
    products : Products
        Sums of their products, Python integers.
    one, two : tuple of int
        Positions of numerator and denominator of each ratio.

    Notes
    -----
    W. G. Cochran, *Sampling Techniques* (1977), section 6.3; formed in integers, so that nothing cancels.
    """
    x, y, v, w = total[one[0]], total[one[1]], total[two[0]], total[two[1]]
    xv, xw = products[one[0], two[0]], products[one[0], two[1]]
    yv, yw = products[one[1], two[0]], products[one[1], two[1]]
    residual = int(xv * y * w - xw * y * v - yv * x * w + yw * x * v)
    return n_units / (n_units - 1) * (residual / int(y * w)) / int(y * w)


Ends = tuple[int, int]
Weights = Mapping[Ends, float]


def combine_ratios(
    n_units: int, total: np.ndarray, products: Products, weights: Weights, level: float = LEVEL, width: float = 0.0
) -> Difference:
    """Return a weighted sum of ratios (a difference has weights 1 and -1) with its interval and test of zero.

    Parameters
    ----------
    n_units, total, products
        As for :func:`ratio_covariance`.
    weights : mapping
        Positions of numerator and denominator to weight.
    level : float
        Confidence level of a Student interval.
    width : float
        Half-width in standard errors to use instead, for sequences.

    Examples
    --------
    >>> total = np.array([6, 4, 3, 4], dtype=object)
    >>> products = np.array([[10, 6, 5, 6], [6, 4, 3, 4], [5, 3, 3, 3], [6, 4, 3, 4]], dtype=object)
    >>> combine_ratios(4, total, products, {(0, 1): 1.0, (2, 3): -1.0}).value
    0.75
    """
    from scipy.stats import t

    if any(total[ends[1]] <= 0 for ends in weights):
        return NO_DIFFERENCE
    value = sum(weight * (int(total[top]) / int(total[bottom])) for (top, bottom), weight in weights.items())
    if n_units < 2:
        return Difference(value, math.nan, math.nan, math.nan, math.nan, math.nan)
    together = alone = 0.0
    for one, a in weights.items():
        for two, b in weights.items():
            part = a * b * ratio_covariance(n_units, total, products, one, two)
            together += part
            alone += part if one == two else 0.0
    if together < 1e-12 * alone:
        together = 0.0  # what is left of alike columns after rounding
    se = math.sqrt(together)
    if se == 0 and abs(value) < 1e-12:
        value = 0.0
    half = (width or float(t.ppf(0.5 + level / 2, n_units - 1))) * se
    sure = 1.0 if value == 0 else math.nan
    p_value = float(2 * t.sf(abs(value) / se, n_units - 1)) if se > 0 else sure
    away = 1 - together / alone if alone > 0 else math.nan
    return Difference(value, value - half, value + half, se, p_value, away)


def units_needed(n_units: int, se: float, difference: float, power: float = 0.8, level: float = LEVEL) -> float:
    """Return the number of units at which a difference would be told from zero, with that power.

    Parameters
    ----------
    n_units : int
        Units behind `se`.
    se : float
        Standard error at `n_units`.
    difference : float
        The true difference that is to be found.

    Examples
    --------
    >>> round(units_needed(1000, 0.01, 0.02))
    1962
    """
    from statsmodels.stats.power import normal_sample_size_one_tail

    if se <= 0 or difference == 0 or math.isnan(se):
        return math.inf if difference == 0 or math.isnan(se) else float(n_units)
    spread = se * math.sqrt(n_units)
    return float(normal_sample_size_one_tail(abs(difference), power, (1 - level) / 2, spread))
