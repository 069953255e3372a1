"""Bulk play against the figures of independent programs, and the strength of the built-in policies."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pymacco_sim.games.base import CAP, CYCLE, FINISHED

from .shithead_tools import make_setup, play

ROWS = json.loads((Path(__file__).parent / "data" / "card_stats.json").read_text())["rows"]
STATS = [row for row in ROWS if row["family"] == "shithead"]
ERRORS = 5


def assert_mean(sample: np.ndarray, expected: float, se: float = 0.0, floor: float = 1e-12) -> None:
    """Within five standard errors of both sides together."""
    own = max(float(sample.var()), floor) / sample.size
    assert abs(float(sample.mean()) - expected) <= ERRORS * math.sqrt(own + se**2) + 1e-9


@pytest.mark.parametrize("row", STATS, ids=[row["id"].removeprefix("shithead/") for row in STATS])
def test_figures_agree(row: dict[str, Any]) -> None:
    stochastic = "random" in row["policies"]
    n_games = 8_000 if stochastic and row["rules"] != "tomacco" else 100_000
    got = play(make_setup(row["policies"], preset=row["rules"], seed=21), n_games)
    finished = got["status"] == FINISHED
    stalled = row["stalled"]["p"]
    assert_mean(~finished, stalled, row["stalled"]["se"], stalled * (1 - stalled))
    for seat in range(row["players"]):
        assert_mean(got[f"win_{seat}"], row["p_first_out"]["p"][seat], row["p_first_out"]["se"][seat])
        assert_mean(got[f"loss_{seat}"], row["p_loser"]["p"][seat], row["p_loser"]["se"][seat])
        assert_mean(got[f"place_{seat}"] / 2, row["mean_rank"]["mean"][seat], row["mean_rank"]["se"][seat])
    ended = row["turns_of_ended_games"]
    assert_mean(got["turns"][finished], ended["mean"], ended["se"])
    burns = math.sqrt(row["burns"]["var"] / row["n"])
    if not stochastic:
        assert (got["status"][~finished] == CYCLE).all(), "all stalls of deterministic policies are cycles"
    assert_mean(got["burns"], row["burns"]["mean"], burns)
    if stochastic:
        assert_mean(got["pickups"], row["pick_ups"]["mean"], row["pick_ups"]["se"])
        assert_mean(got["failed"], row["failed_face_down"]["mean"], row["failed_face_down"]["se"])
    for turns, share in row["turns_cdf_all_games"].items():
        ended_by = finished & (got["turns"] <= int(turns))
        assert_mean(ended_by, share, math.sqrt(share * (1 - share) / row["n"]), share * (1 - share))


@pytest.mark.parametrize(
    ("changes", "stalled"), [({}, 0.318), ({"pickup_plays_again": False}, 0.021), ({"failed_card": "stays"}, 0.569)]
)
def test_house_rules_decide_how_often_threes_ends(changes: dict[str, Any], stalled: float) -> None:
    got = play(make_setup(["lowest"] * 4, changes, seed=22), 40_000)
    assert np.mean(got["status"] != FINISHED) == pytest.approx(stalled, abs=0.015)


def test_four_highest_never_end() -> None:
    got = play(make_setup(["highest"] * 4, seed=23), 2_000)
    assert np.mean(got["status"] == CYCLE) > 0.99
    assert np.mean(play(make_setup(["highest", "lowest", "lowest", "lowest"]), 2_000)["status"] == FINISHED) > 0.3


def test_the_cap_and_idleness_stop_games() -> None:
    capped = play(make_setup(["random"] * 4, {"max_turns": 40}, seed=24), 500)
    assert (capped["turns"] <= 40).all()
    assert (capped["status"] == CAP).any()
    idle = play(make_setup(["highest"] * 4, {"max_idle": 5}, seed=24), 500)
    assert (idle["status"] == 3).mean() > 0.9
    for got in (capped, idle):
        places = np.array([got[f"place_{seat}"] for seat in range(4)])
        assert (places.sum(axis=0) == 20).all()
        stalled = got["status"] != FINISHED
        assert not np.any([got[f"loss_{seat}"][stalled] for seat in range(4)])
