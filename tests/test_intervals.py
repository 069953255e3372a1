"""Intervals: exact small cases, and coverage checked by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pymacco_sim.stats.best import find_best
from pymacco_sim.stats.intervals import estimate_mean, estimate_quantile, estimate_share


def sums_of(x: np.ndarray, y: np.ndarray) -> list[int]:
    return [int(v) for v in (x.sum(), y.sum(), (x * x).sum(), (x * y).sum(), (y * y).sum())]


def test_mean_is_students_interval() -> None:
    x = np.array([3, 5, 4, 9, 2, 2, 7])
    figure = estimate_mean(7, sums_of(x, np.ones(7, int)))
    low, high = stats.t.interval(0.95, 6, loc=x.mean(), scale=stats.sem(x))
    assert figure.value == pytest.approx(x.mean())
    assert (figure.low, figure.high) == (pytest.approx(low), pytest.approx(high))


def test_share_is_wilsons_interval() -> None:
    x = np.array([1] * 7 + [0] * 33)
    figure = estimate_share(40, sums_of(x, np.ones(40, int)))
    expected = stats.binomtest(7, 40).proportion_ci(method="wilson")
    assert (figure.low, figure.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


@pytest.mark.parametrize("hits", [0, 25])
def test_a_share_that_never_varied_still_has_an_interval(hits: int) -> None:
    figure = estimate_share(25, [hits, 25, hits, hits, 25])
    assert 0 <= figure.low <= figure.value <= figure.high <= 1
    assert figure.high - figure.low > 0.1


def test_nothing_known() -> None:
    assert math.isnan(estimate_mean(10, [0, 0, 0, 0, 0]).value)
    assert math.isnan(estimate_share(10, [0, 0, 0, 0, 0]).value)
    one = estimate_mean(1, [4, 1, 16, 4, 1])
    assert one.value == 4
    assert math.isnan(one.low)
    assert math.isnan(estimate_quantile(np.zeros(3, int), 0.5, 0).value)


def coverage(hits: int, n: int) -> bool:
    """Whether `hits` of `n` fits 95% within its own simulation error (99.9%)."""
    return abs(hits - 0.95 * n) < 3.3 * math.sqrt(n * 0.95 * 0.05) + 0.01 * n


def test_ratio_interval_covers() -> None:
    rng = np.random.default_rng(1)
    truth, hits, n = 3.0 / 8.0, 0, 2000
    for _ in range(n):
        y = rng.poisson(8, 300)
        x = rng.binomial(y, truth)
        figure = estimate_share(300, sums_of(x, y))
        hits += figure.low <= truth <= figure.high
    assert coverage(hits, n)


def test_clustered_share_covers_where_the_binomial_would_not() -> None:
    rng = np.random.default_rng(2)
    hits, naive, n = 0, 0, 2000
    for _ in range(n):
        wins = 4 * rng.binomial(1, 0.25, 400)  # the four games of a deal end alike
        figure = estimate_share(400, sums_of(wins, np.full(400, 4)))
        hits += figure.low <= 0.25 <= figure.high
        plain = stats.binomtest(int(wins.sum()), 1600).proportion_ci(method="wilson")
        naive += plain.low <= 0.25 <= plain.high
    assert coverage(hits, n)
    assert not coverage(naive, n)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_quantile_interval_covers(q: float) -> None:
    rng = np.random.default_rng(3)
    truth, hits, n = stats.poisson.ppf(q, 20), 0, 1000
    for _ in range(n):
        figure = estimate_quantile(np.bincount(rng.poisson(20, 400)), q, 400)
        hits += figure.low <= truth <= figure.high
    assert hits >= 0.94 * n


def test_the_best_is_in_its_set_as_often_as_promised() -> None:
    rng = np.random.default_rng(4)
    truth = np.array([1.0, 1.02, 1.05, 1.04, 0.9])
    hits = 0
    for _ in range(1000):
        seen = rng.normal(truth, 0.02)
        best, together = find_best(seen, np.full(5, 0.02), True)
        assert together[best]
        hits += together[2]
    assert hits >= 940
