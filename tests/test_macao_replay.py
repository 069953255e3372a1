"""Rows and transcripts of one game, and the same games without the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pymacco_sim.games.macao import GAME

from .macao_tools import make_setup, play

GOLDEN = Path(__file__).parent / "data" / "golden" / "macao.txt"
EVENTS = {"deal", "play", "name", "draw", "take", "end", "pass", "hand", "match"}


def golden_lines() -> list[str]:
    """The transcript of the golden match."""
    setup = make_setup(["greedy", "thrifty", "random", "planner"], scope="match", seed=1)
    return list(GAME.narrate(GAME.record(setup, 17)))


def test_golden_transcript() -> None:
    assert golden_lines() == GOLDEN.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("scope", ["hand", "match"])
@pytest.mark.parametrize("game", [0, 7, 123])
def test_rows_tell_the_game_that_was_counted(scope: str, game: int) -> None:
    setup = make_setup(["random", "greedy", "saver"], {"reshuffle": True, "decks": 1}, scope, rotate=True)
    got = play(setup, 1, first=game)
    rows = GAME.record(setup, game)
    assert json.loads(json.dumps(rows)) == rows
    assert rows[0]["event"] == "deal"
    assert {row["event"] for row in rows} <= EVENTS
    hands = [row for row in rows if row["event"] == "hand"]
    assert sum(row["turns"] for row in hands) == got["turns"][0]
    assert [sum(row["points"][seat] for row in hands) for seat in range(3)] == hands[-1]["totals"]
    won = "hand_win" if scope == "match" else "win"
    for seat in range(3):
        assert sum(row["winner"] == seat for row in hands) == got[f"{won}_{seat}"][0]
    drawn = sum(len(row["drawn"]) for row in rows if row["event"] in ("draw", "take"))
    assert drawn == got["cards_drawn"][0]
    assert sum(row["event"] == "play" for row in rows) == got["cards_played"][0]
    assert rows[0]["policies"][(1 + game % 3) % 3] == "greedy"
    if scope == "match":
        assert rows[-1]["event"] == "match"
        assert rows[-1]["totals"] == [int(got[f"total_{seat}"][0]) for seat in range(3)]


def test_moves_say_why_they_are_legal() -> None:
    setup = make_setup(["random"] * 4, seed=3)
    reasons = {row["follows"] for game in range(60) for row in GAME.record(setup, game) if row["event"] == "play"}
    assert reasons == {
        "answers",
        "cancels the draws",
        "wild",
        "the named suit",
        "follows anything",
        "anything follows",
        "same suit",
        "same rank",
    }


PLAIN = """
import json, sys
sys.path.insert(0, {root!r})
from tests.macao_tools import make_setup, play
from pymacco_sim.games.load import make_policy
from pymacco_sim.games.macao import GAME
from pymacco_sim.macao import best_card

def own(view, params):
    card = best_card(view.playable, view.points)
    return card if card >= 0 else view.other

line_up = ["random", "planner", make_policy(GAME, own, None, None, {{}}), "saver+suit=scarce"]
for scope, n in (("hand", 12), ("match", 2)):
    got = play(make_setup(line_up, {{"reshuffle": True, "decks": 1}}, scope, seed=2**64 - 1), n)
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
