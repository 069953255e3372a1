"""Bulk play against the figures of independent programs, and the strength of the built-in policies."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .macao_tools import make_setup, play

ROWS = json.loads((Path(__file__).parent / "data" / "card_stats.json").read_text())["rows"]
STATS: dict[str, Any] = {row["id"]: row for row in ROWS}
N = 100_000
ERRORS = 4.5


def assert_mean(sample: np.ndarray, expected: float, se: float = 0.0) -> None:
    """Within 4.5 standard errors of both sides together."""
    own = max(float(sample.var()), 1e-12) / sample.size
    assert abs(float(sample.mean()) - expected) <= ERRORS * math.sqrt(own + se**2) + 1e-9


@pytest.mark.parametrize("name", ["macao/hand/4p/all-greedy/start0", "macao/hand/2p/all-random/start0"])
def test_hands_agree(name: str) -> None:
    row = STATS[name]
    got = play(make_setup(row["policies"], seed=11), N)
    for seat in range(row["players"]):
        assert_mean(got[f"win_{seat}"], row["p_wins_hand"]["p"][seat], row["p_wins_hand"]["se"][seat])
        points = row["penalty_points"]
        assert_mean(got[f"points_{seat}"], points["mean"][seat], points["se"][seat])
        # The variance of a sample variance needs the fourth moment; 3 % is beyond it at this size.
        assert got[f"points_{seat}"].var() == pytest.approx(points["var"][seat], rel=0.03)
    for column, key in (
        ("blocked", "blocked"),
        ("first_turn_win", "won_in_the_first_turn"),
        ("stock_empty", "stock_empty_at_end"),
    ):
        assert_mean(got[column], row[key]["p"], row[key]["se"])
    assert_mean(got["turns"], row["turns"]["mean"], row["turns"]["se"])
    assert_mean(got["lost_turns"], row["turns_lost_to_a_penalty"]["mean"], row["turns_lost_to_a_penalty"]["se"])
    assert_mean(got["cards_played"], row["cards_played"], got["cards_played"].std() / math.sqrt(row["n"]))
    assert_mean(got["cards_drawn"], row["cards_drawn"], got["cards_drawn"].std() / math.sqrt(row["n"]))
    for turns, share in row["turns_cdf"].items():
        assert_mean(got["turns"] <= int(turns), share, math.sqrt(share * (1 - share) / row["n"]))


def test_matches_agree() -> None:
    row = STATS["macao/match/4p/all-thrifty"]
    got = play(make_setup(row["policies"], scope="match", seed=12), N)
    for seat in range(4):
        assert_mean(got[f"win_{seat}"] / 840, row["p_wins_match"]["p"][seat], row["p_wins_match"]["se"][seat])
        assert_mean(got[f"total_{seat}"], row["final_score"]["mean"][seat], row["final_score"]["se"][seat])
    assert_mean(got["hands"], row["hands"]["mean"], row["hands"]["se"])
    assert_mean(got["winner_score"], row["final_score_of_winner"]["mean"], row["final_score_of_winner"]["se"])
    assert_mean(got["tied"], row["tied"]["p"], row["tied"]["se"])
    highest = np.max([got[f"total_{seat}"] for seat in range(4)], axis=0)
    assert_mean(highest, row["highest_final_score"]["mean"], row["highest_final_score"]["se"])


def test_who_starts_a_match_matters() -> None:
    row = STATS["macao/match/4p/all-thrifty"]["p_wins_match_relative_to_first_starter"]
    got = play(make_setup(["thrifty"] * 4, {"first_dealer": 3}, "match", seed=13), N)
    for seat in range(4):
        assert_mean(got[f"win_{seat}"] / 840, row["p"][seat], row["se"][seat])


def test_figures_of_the_rules_page() -> None:
    got = play(make_setup(["greedy"] * 4, scope="match", seed=14), N)
    assert got["hands"].mean() == pytest.approx(5.22, abs=0.03)
    assert got["winner_score"].mean() == pytest.approx(98.4, abs=1.0)
    hands = play(make_setup(["thrifty"] * 4, seed=15), N)
    assert hands["first_turn_win"].mean() == pytest.approx(0.24, abs=0.006)
    blocked = play(make_setup(["random"] * 4, seed=16), N // 4)["blocked"]
    assert blocked.mean() == pytest.approx(0.07, abs=0.008)


@pytest.mark.parametrize("policy", ["planner", "saver", "holder", "attacker", "dumper"])
def test_stronger_policies_beat_greedy(policy: str) -> None:
    setup = make_setup([policy, "greedy", "greedy", "greedy"], scope="match", seed=17, rotate=True)
    got = play(setup, 8_000)
    own = np.arange(8_000) % 4
    wins = np.choose(own, [got[f"win_{seat}"] for seat in range(4)]).reshape(-1, 4).mean(axis=1) / 840
    assert wins.mean() - 5 * wins.std() / math.sqrt(wins.size) > 0.25


@pytest.mark.parametrize("policy", ["planner", "saver", "attacker"])
def test_planners_beat_thrifty(policy: str) -> None:
    setup = make_setup([policy, "thrifty", "thrifty", "thrifty"], scope="match", seed=18, rotate=True)
    got = play(setup, 8_000)
    own = np.arange(8_000) % 4
    wins = np.choose(own, [got[f"win_{seat}"] for seat in range(4)]).reshape(-1, 4).mean(axis=1) / 840
    assert wins.mean() - 5 * wins.std() / math.sqrt(wins.size) > 0.25
