"""Estimates with their intervals from integer sums."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

LEVEL = 0.95
"""Confidence level unless another is asked for."""


class Estimate(NamedTuple):
    """A figure with its interval: `value` between `low` and `high`, standard error `se`; NaN where nothing is known."""

    value: float
    low: float
    high: float
    se: float


UNKNOWN = Estimate(math.nan, math.nan, math.nan, math.nan)


@lru_cache(maxsize=1024)
def _t_quantile(level: float, degrees: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.5 + level / 2, degrees))


def ratio_variance(n_units: int, sums: Sequence[int]) -> float:
    """Return the variance of the ratio ``sum(x) / sum(y)`` over independent units, by the delta method.

    Parameters
    ----------
    n_units : int
        At least 2.
    sums : sequence of five int
        ``x, y, xx, xy, yy`` summed over units; ``y > 0``.

    Notes
    -----
    W. G. Cochran, *Sampling Techniques*, 3rd ed. (1977), section 6.3. The residual sum of squares is formed in
    integers, so that nothing cancels.
    """
    x, y, xx, xy, yy = (int(value) for value in sums)
    residual = xx * y * y - 2 * xy * x * y + yy * x * x
    return n_units / (n_units - 1) * (residual / (y * y)) / (y * y)


def estimate_mean(n_units: int, sums: Sequence[int], scale: int = 1, level: float = LEVEL) -> Estimate:
    """Return ``sum(x) / sum(y) / scale`` with a Student interval; NaN bounds with fewer than two units.

    Examples
    --------
    >>> estimate_mean(4, [10, 4, 30, 10, 4]).value
    2.5
    """
    x, y = int(sums[0]), int(sums[1])
    if y <= 0:
        return UNKNOWN
    value = x / y / scale
    if n_units < 2:
        return Estimate(value, math.nan, math.nan, math.nan)
    se = math.sqrt(max(ratio_variance(n_units, sums), 0.0)) / scale
    half = _t_quantile(level, n_units - 1) * se
    return Estimate(value, value - half, value + half, se)


def estimate_share(n_units: int, sums: Sequence[int], scale: int = 1, level: float = LEVEL) -> Estimate:
    """Return a share in [0, 1] with a Wilson interval at its effective sample size.

    The effective size is that of the binomial with the share's own variance, so that games which share a deal and
    wins which are split are accounted for. A share that never varied counts every unit as one trial.

    References
    ----------
    E. B. Wilson, JASA 22 (1927). E. L. Korn, B. I. Graubard, Survey Methodology 24 (1998), for the effective size.

    Examples
    --------
    >>> share = estimate_share(100, [50, 100, 50, 50, 100])
    >>> f"{share.value:.2f} {share.low:.3f} {share.high:.3f}"
    '0.50 0.404 0.596'
    """
    from statsmodels.stats.proportion import proportion_confint

    x, y = int(sums[0]), int(sums[1])
    if y <= 0:
        return UNKNOWN
    value = x / y / scale
    variance = ratio_variance(n_units, sums) / scale**2 if n_units > 1 else 0.0
    size = float(n_units)
    if variance > 0:
        size = value * (1 - value) / (variance * (n_units - 1) / n_units)
    low, high = proportion_confint(value * size, size, alpha=1 - level, method="wilson")
    return Estimate(value, min(max(float(low), 0.0), value), max(min(float(high), 1.0), value), math.sqrt(variance))


def estimate_sequence(
    n_units: int, sums: Sequence[int], planned_units: int, scale: int = 1, share: bool = False
) -> Estimate:
    """Return ``sum(x) / sum(y) / scale`` with the bounds of a confidence sequence: valid however often one looks.

    Parameters
    ----------
    n_units, sums, scale
        As for :func:`estimate_mean`.
    planned_units : int
        Where the sequence is tightest; see :func:`sequence_width`.
    share : bool
        Whether the figure lies in [0, 1], and the bounds with it.

    Examples
    --------
    >>> estimate_sequence(10_000, [5000, 10_000, 5000, 5000, 10_000], 10_000).low > 0.48
    True
    """
    figure = estimate_mean(n_units, sums, scale)
    if math.isnan(figure.se):
        return figure
    half = sequence_width(n_units, planned_units) * figure.se
    low, high = figure.value - half, figure.value + half
    return Estimate(figure.value, max(low, 0.0) if share else low, min(high, 1.0) if share else high, figure.se)


def sequence_width(n_units: int, planned_units: int, level: float = LEVEL) -> float:
    """Return the half-width, in standard errors, of an interval that holds at every look.

    Parameters
    ----------
    n_units : int
        Units so far.
    planned_units : int
        Where the sequence is to be tightest.
    level : float

    Notes
    -----
    Asymptotic confidence sequence of I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas,
    "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52 (2024),
    theorem 2.2 and its choice of rho for a planned time. About 1.5 times a fixed interval where it is tightest.

    Examples
    --------
    >>> 2.5 < sequence_width(10_000, 10_000) < 3.5
    True
    """
    alpha = 1 - level
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / planned_units
    scaled = n_units * rho2
    return math.sqrt(2 * (scaled + 1) / scaled * math.log(math.sqrt(scaled + 1) / alpha))


def estimate_quantile(bins: np.ndarray, q: float, n_units: int, level: float = LEVEL) -> Estimate:
    """Return a quantile of a histogram with a distribution-free interval from order statistics.

    Parameters
    ----------
    bins : int64[...]
        Games by value (bin = value).
    q : float
        0 to 1.
    n_units : int
        Independent units behind the histogram; with fewer than games the ranks are those of the units.

    References
    ----------
    H. A. David, H. N. Nagaraja, *Order Statistics*, 3rd ed. (2003), section 7.1.

    Examples
    --------
    >>> estimate_quantile(np.array([0, 50, 50]), 0.9, 100).value
    2.0
    """
    from scipy.stats import binom

    total = int(bins.sum())
    if total == 0:
        return UNKNOWN
    size = min(n_units, total)
    cumulated = np.cumsum(bins)

    def at(rank: float) -> float:
        share = min(max(rank / size, 1 / total), 1.0)
        return float(np.searchsorted(cumulated, math.ceil(share * total - 1e-9)))

    low, high = binom.ppf([0.5 - level / 2, 0.5 + level / 2], size, q)
    value = at(q * size)
    return Estimate(value, at(low), at(high + 1), math.nan)
