"""The laboratory keeps its word on real games, where the truth is known.

Races and sessions of Macke have exact values. Two policies that toss a coin at every decision, one for heads and one
for tails, are equal in law and differ game by game: whatever is found between them is a false alarm.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import pymacco_sim as pm
from pymacco_sim.games.policy import Policy
from pymacco_sim.macke import draw_uniform, keep

QUIET: dict[str, Any] = {"n_jobs": 1, "progress": False}


def heads(view: Any, params: Any, stream: Any) -> int:
    return keep(0, view.points + view.choice_points[0] >= (250 if draw_uniform(stream) < 0.5 else 400))


def tails(view: Any, params: Any, stream: Any) -> int:
    return keep(0, view.points + view.choice_points[0] >= (250 if draw_uniform(stream) >= 0.5 else 400))


def middle(view: Any, params: Any, stream: Any) -> int:
    return keep(0, view.points + view.choice_points[0] >= (250 if 0.25 <= draw_uniform(stream) < 0.75 else 400))


TWINS = [
    Policy("macke", function.__name__, "", "turn", function=function, stochastic=True)
    for function in (heads, tails, middle)
]


def within(hits: int, n: int, p: float, z: float = 3.3) -> bool:
    return abs(hits - n * p) <= z * math.sqrt(n * p * (1 - p)) + 0.5


def most(n: int, p: float = 0.05) -> int:
    """Return what `n` trials of chance `p` exceed once in a thousand times."""
    return int(binom.ppf(0.999, n, p))


@pytest.mark.parametrize(
    ("players", "outcome", "n_games"), [(2, "win", 600), (1, "score", 300), (1, "turns", 300), (1, "bust", 300)]
)
def test_intervals_hold_the_exact_difference_as_often_as_promised(players: int, outcome: str, n_games: int) -> None:
    pair, n = ("points:200", "points:350"), 250
    first = pm.compare("macke", *pair, players=players, n_games=n_games, exact=True, **QUIET)
    place = [item.name for item in first.outcomes].index(outcome)
    truth = first.table["difference_exact"][place]
    gaps = [
        pm.compare("macke", *pair, players=players, n_games=n_games, seed=seed, **QUIET).difference(outcome)
        for seed in range(n)
    ]
    assert within(sum(gap.low <= truth <= gap.high for gap in gaps), n, 0.95)
    errors = [(gap.value - truth) / gap.se for gap in gaps]
    assert abs(np.mean(errors)) < 3.3 / math.sqrt(n)


def test_equal_policies_raise_false_alarms_at_the_stated_rate_and_no_more_after_holm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gc.collect", lambda *_: 0)  # statsmodels collects garbage at every call
    n = 400
    tables = [pm.compare("macke", *TWINS[:2], n_games=300, seed=seed, **QUIET).table for seed in range(n)]
    assert within(sum(table["p_value"][0] < 0.05 for table in tables), n, 0.05)
    assert sum((table["p_holm"] < 0.05).any() for table in tables) <= most(n)
    assert sum((table["p_value"] < 0.05).any() for table in tables) > most(n)  # without Holm there are more


def test_equal_policies_are_seldom_decided_however_often_one_looks() -> None:
    n, settings = 200, {"n_games": 20_000, "scope": "turn", "until": "decided", **QUIET}
    found = [pm.compare("macke", *TWINS[:2], seed=seed, **settings) for seed in range(n)]
    decided = [one for one in found if one.verdict != "cannot tell"]
    assert len(decided) <= most(n)
    assert all(one.n_games == 20_000 for one in found if one not in decided)


def test_a_small_difference_is_found_at_the_planned_number_of_games_within_its_power() -> None:
    pair = ("points:200", "points:250")
    pilot = pm.compare("macke", *pair, n_games=200_000, seed=1, exact=True, **QUIET)
    gap = pilot.table["difference_exact"][0]
    planned, n = round(pilot.games_needed(gap, power=0.8)), 250
    assert planned > 1000
    found = [pm.compare("macke", *pair, n_games=planned, seed=seed, **QUIET) for seed in range(100, 100 + n)]
    right = "better" if gap > 0 else "worse"
    assert within(sum(one.verdict == right for one in found), n, 0.8)


def test_twins_of_a_tournament_stay_together_and_share_their_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gc.collect", lambda *_: 0)
    n, apart, marked, rated = 150, 0, 0, 0
    for seed in range(n):
        found = pm.tournament("macke", TWINS, players=2, n_games=400, seed=seed, **QUIET)
        apart += len(found.best) < 3
        marked += (found.pairs["better"] != "").any()
        rated += int(((found.rating.low <= 0) & (found.rating.high >= 0)).sum())
    assert apart <= most(n)
    assert marked <= most(n)
    assert rated >= binom.ppf(0.0005, 3 * n, 0.95) - 3  # the three of one tournament go together
