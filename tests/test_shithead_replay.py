"""Rows and transcripts of one game, and the same games without the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pymacco_sim.games.shithead import GAME

from .shithead_tools import PRESETS, make_setup, play

GOLDEN = Path(__file__).parent / "data" / "golden"
EVENTS = {"deal", "lay", "play", "pick_up", "face_down", "end"}


def golden_lines(preset: str) -> list[str]:
    """The transcript of a preset's golden game."""
    return list(GAME.narrate(GAME.record(make_setup(["lowest", "blocker", "random"], preset=preset, seed=1), 17)))


@pytest.mark.parametrize("preset", PRESETS)
def test_golden_transcript(preset: str) -> None:
    assert golden_lines(preset) == (GOLDEN / f"{preset}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("game", [0, 7, 123])
def test_rows_tell_the_game_that_was_counted(preset: str, game: int) -> None:
    setup = make_setup(["random", "lowest", "burner"], preset=preset, rotate=True)
    got = play(setup, 1, first=game)
    rows = GAME.record(setup, game)
    assert json.loads(json.dumps(rows)) == rows
    assert {row["event"] for row in rows} <= EVENTS
    turns = [row for row in rows if "turn" in row]
    assert [row["turn"] for row in turns] == list(range(1, got["turns"][0] + 1))
    assert sum(row.get("burned", 0) > 0 for row in turns) == got["burns"][0]
    failed = [row for row in turns if row["event"] == "face_down" and not row["played"]]
    assert len(failed) == got["failed"][0]
    assert sum(row["event"] == "pick_up" for row in turns) + len(failed) == got["pickups"][0]
    end = rows[-1]
    assert end["places"] == [got[f"place_{seat}"][0] / 2 for seat in range(3)]
    out = sum(not cards for cards in end["left"])
    assert [row["place"] for row in turns if row["place"]] == list(range(1, 1 + out))
    assert rows[0]["policies"][(1 + game % 3) % 3] == "lowest"
    for row, later in pairwise(turns):
        assert row["next"] == later["seat"]


def test_plays_say_why_they_are_legal() -> None:
    setup = make_setup(["random", "lowest", "lowest"], preset="threes", seed=3)
    rows = [row for game in range(20) for row in GAME.record(setup, game)]
    reasons = {" ".join(row["why"].split()[:2]) for row in rows if row["event"] == "play"}
    assert reasons == {"the pile", "only transparent", "equal or", "wild", "equal to", "higher than"}


def test_stalls_are_told() -> None:
    cycles = make_setup(["highest"] * 4)
    assert "the position repeats every" in "\n".join(GAME.narrate(GAME.record(cycles, 0)))
    capped = make_setup(["lowest"] * 4, {"max_turns": 5})
    assert "After 5 turns the game is stalled: the cap on turns is reached" in "\n".join(
        GAME.narrate(GAME.record(capped, 0))
    )


PLAIN = """
import json, sys
sys.path.insert(0, {root!r})
from tests.shithead_tools import make_setup, play
from pymacco_sim.games.load import make_policy
from pymacco_sim.games.shithead import GAME
from pymacco_sim import shithead

def own(view, params):
    rank = shithead.weakest_legal(view)
    return shithead.play(rank, shithead.copies(view, rank))

line_up = ["random", "blocker", make_policy(GAME, own, None, None, {{}}), "thinner+face_up=plain+face_down=prober"]
for preset, rules in (("tomacco", {{}}), ("threes", {{"max_turns": 300}}), ("threes-2022", {{"max_turns": 300}})):
    got = play(make_setup(line_up, rules, preset, seed=2**64 - 1, rotate=True), 4)
    print(json.dumps({{name: column.tolist() for name, column in got.items()}}))
"""


def test_the_same_games_come_out_without_the_compiler() -> None:
    root = str(Path(__file__).parents[1])
    outputs = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", PLAIN.format(root=root)],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": root},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert np.sum(json.loads(outputs[0].splitlines()[0])["turns"]) > 0
