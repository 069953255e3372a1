"""The laboratory's statistics are right where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pymacco_sim.core.moments import collect_moments
from pymacco_sim.looks import plan_looks, planned_units
from pymacco_sim.stats.fairness import check_equal
from pymacco_sim.stats.intervals import estimate_sequence, sequence_width
from pymacco_sim.stats.paired import combine_ratios, units_needed
from pymacco_sim.stats.rating import rate_policies

DIFFERENCE = {(0, 1): 1.0, (2, 3): -1.0}


def within(hits: int, n: int, p: float, z: float = 3.3) -> bool:
    return abs(hits - n * p) <= z * math.sqrt(n * p * (1 - p)) + 0.5


def paired_units(rng: np.random.Generator, n: int, gap: float = 0.0) -> np.ndarray:
    """Wins of two candidates on common deals: half of the deals decide for both alike."""
    luck, shared = rng.random(n), rng.random(n) < 0.5
    other = np.where(shared, luck, rng.random(n))
    mine, theirs = (luck < 0.3 + gap).astype(float), (other < 0.3).astype(float)
    return np.array([mine, np.ones(n), theirs, np.ones(n)])


def test_paired_difference_equals_the_paired_t_test() -> None:
    vectors = paired_units(np.random.default_rng(1), 500)
    moments = collect_moments(vectors)
    found = combine_ratios(500, moments.total, moments.products, DIFFERENCE)
    expected = stats.ttest_rel(vectors[0], vectors[2])
    low, high = expected.confidence_interval()
    assert found.p_value == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    alone = vectors[0].var(ddof=1) + vectors[2].var(ddof=1)
    assert found.paired_away == pytest.approx(1 - (vectors[0] - vectors[2]).var(ddof=1) / alone)


def test_false_alarms_come_at_the_stated_rate() -> None:
    rng, n, alarms = np.random.default_rng(2), 2000, 0
    for _ in range(n):
        moments = collect_moments(paired_units(rng, 400))
        alarms += combine_ratios(400, moments.total, moments.products, DIFFERENCE).p_value < 0.05
    assert within(alarms, n, 0.05)


def test_holm_keeps_the_rate_of_any_false_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gc.collect", lambda *_: 0)  # statsmodels collects garbage at every call
    rng, n, alarms = np.random.default_rng(3), 600, 0
    for _ in range(n):
        p_values = []
        for _ in range(8):
            moments = collect_moments(paired_units(rng, 200))
            p_values.append(combine_ratios(200, moments.total, moments.products, DIFFERENCE).p_value)
        alarms += bool(multipletests(p_values, method="holm")[0].any())
    assert alarms <= stats.binom.ppf(0.999, n, 0.05)


def test_a_sequence_covers_at_all_looks_together_and_a_fixed_interval_does_not() -> None:
    rng, n, truth, units = np.random.default_rng(4), 400, 0.3, 40_000
    missed = missed_fixed = 0
    for _ in range(n):
        wins = np.cumsum(rng.random(units) < truth)
        out = out_fixed = False
        for first, step in plan_looks(units, sequential=True):
            size = first + step
            x = int(wins[size - 1])
            figure = estimate_sequence(size, [x, size, x, x, size], planned_units(units))
            out |= not figure.low <= truth <= figure.high
            out_fixed |= abs(figure.value - truth) > 1.96 * figure.se
        missed += out
        missed_fixed += out_fixed
    assert missed <= stats.binom.ppf(0.999, n, 0.05)
    assert missed_fixed > stats.binom.ppf(0.999, n, 0.05)


def test_the_sequence_is_tightest_about_where_it_was_planned() -> None:
    widths = {n: sequence_width(n, 20_000) for n in (200, 20_000, 2_000_000)}
    assert widths[20_000] == min(widths.values())


def test_the_planner_keeps_its_word() -> None:
    rng, gap = np.random.default_rng(5), 0.02
    pilot = collect_moments(paired_units(rng, 20_000, gap))
    se = combine_ratios(20_000, pilot.total, pilot.products, DIFFERENCE).se
    units = round(units_needed(20_000, se, gap, power=0.8))
    found, n = 0, 500
    for _ in range(n):
        moments = collect_moments(paired_units(rng, units, gap))
        found += combine_ratios(units, moments.total, moments.products, DIFFERENCE).p_value < 0.05
    assert within(found, n, 0.8)


def test_fairness_is_rejected_at_the_stated_rate_and_found_when_it_is_broken() -> None:
    rng, n = np.random.default_rng(6), 800
    ends = [(2 * s, 2 * s + 1) for s in range(4)]

    def p_value(shares: list[float]) -> float:
        winner = rng.choice(4, 500, p=shares)
        vectors = np.ones((8, 500))
        vectors[0::2] = np.arange(4)[:, None] == winner
        moments = collect_moments(vectors)
        return check_equal(500, moments.total, moments.products, ends).p_value

    assert within(sum(p_value([0.25] * 4) < 0.05 for _ in range(n)), n, 0.05)
    assert p_value([0.4, 0.2, 0.2, 0.2]) < 1e-6


def test_the_rating_recovers_planted_strengths_whatever_the_order() -> None:
    rng = np.random.default_rng(7)
    strength = np.array([1.0, 2.0, 4.0, 4.0])
    truth = 400 * np.log10(strength)
    truth -= truth.mean()
    line_ups = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    shares = [strength[list(t)] / strength[list(t)].sum() for t in line_ups]
    hits, n = np.zeros(4), 60
    for _ in range(n):
        wins = np.array([[rng.multinomial(200, p) for p in shares] for _ in range(10)]).astype(float)
        rating = rate_policies(line_ups, wins, 4)
        hits += (rating.low < truth) & (truth < rating.high)
    assert np.all(hits >= stats.binom.ppf(0.0005, n, 0.95))
    assert np.allclose(rate_policies(line_ups, wins[::-1], 4).values, rating.values)


def test_the_rating_agrees_with_a_library_of_ratings() -> None:
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(8)
    games = [(int(winner), int(loser)) for winner, loser in (rng.permutation(3)[:2] for _ in range(600))]
    games += [(0, 1)] * 50 + [(1, 2)] * 30
    line_ups = [(0, 1), (0, 2), (1, 2)]
    wins = np.array([[[games.count((i, j)), games.count((j, i))] for i, j in line_ups]], dtype=float)
    theirs = choix.ilsr_pairwise(3, games) * 400 / math.log(10)
    ours = rate_policies(line_ups, wins, 3).values
    assert np.allclose(ours, theirs - theirs.mean(), atol=1.0)  # one shared game a pair is added in ours
