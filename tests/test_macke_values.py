"""Figures that are known exactly: worked values, published optima, and identities between outcomes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pymacco_sim import RequestError
from pymacco_sim.games.macke.optimum import solve_turn
from pymacco_sim.games.macke.policies import POLICIES, make_table
from pymacco_sim.games.macke.rolls import enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.policy import Decider

from .macke_tools import make_setup, play
from .referee import macke as referee

VALUES = json.loads((Path(__file__).parent / "data" / "macke_values.json").read_text())
PIG = MackeRules(dice=1, singles=(0, 2, 3, 4, 5, 6), triples=(0,) * 6, hot_dice="may_stop", target=100)
N_SESSIONS = 200_000
WIDTH = 4.0
"""Standard errors that an estimate may be off: 1 in 16,000 by chance, and the seed is fixed."""


def ratio(top: np.ndarray, bottom: np.ndarray) -> tuple[float, float]:
    """Estimate of a ratio of means, and its standard error."""
    value = top.sum() / bottom.sum()
    return value, float(np.std(top - value * bottom) / bottom.mean() / math.sqrt(len(top)))


@pytest.mark.parametrize(
    ("policy", "exact"),
    [
        ("points:200", VALUES["points_threshold"]["200"]),
        ("points:350", VALUES["points_threshold"]["350"]),
        ("dice:2", VALUES["dice_threshold"]["2"]),
        ("optimal", {"mean": VALUES["optimal_turn_mean"]}),
    ],
)
def test_worked_values(policy: str, exact: dict[str, float]) -> None:
    got = play(make_setup([policy], seed=11), N_SESSIONS)
    ones = np.ones(N_SESSIONS)
    names = {"mean": "score", "bust": "bust", "rolls": "rolls", "hot_dice_share": "hot_dice"}
    for name, outcome in names.items():
        if name in exact:
            value, error = ratio(got[outcome], got["turns"])
            assert abs(value - exact[name]) < WIDTH * error, name
    if "turns_to_5000" in exact:
        value, error = ratio(got["turns"], ones)
        assert abs(value - exact["turns_to_5000"]) < WIDTH * error


def test_single_turns_have_the_worked_variance() -> None:
    got = play(make_setup(["points:350"], scope="turn", seed=5), 1_000_000)["score"].astype(float)
    exact = VALUES["points_threshold"]["350"]
    assert abs(got.mean() - exact["mean"]) < WIDTH * math.sqrt(exact["variance"] / got.size)
    squares = (got - exact["mean"]) ** 2
    assert abs(squares.mean() - exact["variance"]) < WIDTH * squares.std() / math.sqrt(got.size)


def test_worked_race() -> None:
    got = play(make_setup(["points:200", "points:350"], seed=2), N_SESSIONS)
    share = got["win_0"].mean() / 840
    exact = VALUES["race_points_200_vs_points_350_first_player_wins"]
    assert abs(share - exact) < WIDTH * math.sqrt(exact * (1 - exact) / N_SESSIONS)


def test_the_optimum_of_a_turn() -> None:
    best = solve_turn(MackeRules())
    assert best.mean == pytest.approx(VALUES["optimal_turn_mean"], abs=1e-10)
    for dice, points in VALUES["optimal_turn_stop_points_by_dice_left"].items():
        on = best.value[:, int(dice)]
        stops = np.flatnonzero(np.arange(len(on)) * 50 >= on)
        assert stops[0] * 50 == points
        assert (np.diff(stops) == 1).all()


def test_the_optimum_is_its_own_bellman_equation() -> None:
    # by another route: exact fractions and the referee's choices, on a few rows
    best = solve_turn(MackeRules())
    for points, dice in [(0, 5), (150, 3), (300, 3), (950, 4), (400, 5)]:
        mean = 0.0
        for roll, chance in referee.roll_classes({}, dice):
            worth = [0.0]
            for gain, left in referee.set_asides({}, roll):
                on = best.value[(points + gain) // 50, left or 5]
                worth.append(max(on, points + gain if left else 0))
            mean += float(chance) * max(worth)
        assert best.value[points // 50, dice] == pytest.approx(mean, abs=1e-9)


def test_no_built_in_beats_the_optimum() -> None:
    top = solve_turn(MackeRules()).mean
    for policy in ["points:200", "points:300:keep=best", "dice:2", "expected", "either:300:2", "bust:0.4:keep=best"]:
        value, error = ratio(*(play(make_setup([policy], seed=4), 50_000)[name] for name in ("score", "turns")))
        assert value < top + WIDTH * error


def test_pig_is_rule_data() -> None:
    # T. Neller, C. Presser, "Optimal play of the dice game Pig" (2004): hold at 20, a mean of 8.14 points a turn
    best = solve_turn(PIG)
    holds = np.flatnonzero(np.arange(len(best.value)) >= best.value[:, 1] - 1e-9)
    assert holds[0] == 20
    assert best.mean == pytest.approx(8.1418, abs=1e-4)
    rolls = enumerate_rolls(PIG)
    assert rolls.unit == 1
    assert rolls.bust_chance(1) == pytest.approx(1 / 6)


def test_rules_without_a_bust_have_no_optimum() -> None:
    with pytest.raises(RequestError, match="these rules have no best turn"):
        solve_turn(MackeRules(singles=(10,) * 6))


def test_tables_know_when_they_are_a_plain_limit() -> None:
    points, dice = POLICIES[0], POLICIES[1]
    rules = MackeRules()

    def limit(policy: Any, law: MackeRules = rules, **values: Any) -> int | None:
        return make_table(law, Decider(policy, policy.values(values))).limit()

    assert limit(points, threshold=350) == limit(points, threshold=301) == 7
    assert limit(points, threshold=350, keep="fewest") == 7
    assert limit(points, threshold=0) == 1
    assert limit(points, threshold=350, keep="best") is None
    assert limit(points, threshold=350, special="finish") is None
    assert limit(points, rules.replace(min_first_bank=500), threshold=350) is None
    assert limit(dice, threshold=2) is None
    # a stop rule by points is only passed over while the bank's minimum is not reached
    assert limit(points, rules.replace(min_bank=400), threshold=350) is None


def test_a_threshold_beyond_the_tables_says_so() -> None:
    fine = MackeRules(singles=(101, 0, 0, 0, 50, 0))
    with pytest.raises(RequestError, match="take a lower threshold"):
        make_table(fine, Decider(POLICIES[0], POLICIES[0].values({"threshold": 99_999})))
