"""The four classes of the source are faces of the same engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pymacco_sim as pm
from pymacco_sim.macke import CreateSummaryData, DiceRolls, MackeRules, PlayGame, RunSession

ROLLS = json.loads((Path(__file__).parent / "data" / "macke_rolls.json").read_text())["rolls"]


@pytest.mark.parametrize("row", ROLLS, ids=["".join(map(str, row["roll"])) for row in ROLLS])
def test_given_rolls(row: dict[str, Any]) -> None:
    roll = DiceRolls(row["roll"])
    assert roll.rolls == tuple(row["roll"])
    assert roll.macke == row["macke"]
    assert (roll.points, roll.remaining) == (
        (row["take_all"]["points"], row["take_all"]["dice_left"]) if row["take_all"] else (0, row["n_dice"])
    )


def test_rolled_dice() -> None:
    roll = DiceRolls(5, seed=1)
    assert len(roll.rolls) == 5
    assert roll.rolls == DiceRolls(5, seed=1).rolls
    assert {DiceRolls(5, seed=1, game=game).rolls for game in range(20)} != {roll.rolls}
    assert roll.roll(3) is roll
    assert len(roll.rolls) == 3
    assert DiceRolls([2, 2, 2, 4, 4]).toaks == (2,)
    assert "Macke" in repr(DiceRolls([2, 3]))


def test_a_turn_is_the_same_turn_everywhere() -> None:
    for game in range(30):
        turn = PlayGame("points", 350, seed=5, game=game)
        rows = pm.replay("macke", "points:350", seed=5, game=game, scope="turn").rows
        assert [list(roll.rolls) for roll in turn.rolls] == [row["dice"] for row in rows if row["event"] == "roll"]
        assert turn.score == rows[-1]["totals"][0]
        assert turn.macke == (turn.score == 0)
        assert turn.rolls[0].rolls == DiceRolls(5, seed=5, game=game).rolls


def test_a_session_is_the_same_session_everywhere() -> None:
    turns = [RunSession("either", (300, 2), "finish", seed=9, game=game).turns for game in range(40)]
    result = pm.simulate("macke", "either:300:2:special=finish", n_games=40, seed=9)
    assert sum(turns) / 40 == pytest.approx(result.totals["turns_mean"])
    session = RunSession("points", 350, seed=9)
    assert session.total == sum(session.scores) >= 5000
    assert session.turns == len(session.scores)
    assert session.mackes == session.scores.count(0)
    assert not session.stalled


def test_summary_data_is_the_sweep() -> None:
    mine = CreateSummaryData("points", range(200, 401, 100), n=3000, seed=4)
    theirs = pm.sweep("macke", "points", {"threshold": [200, 300, 400]}, n_games=3000, seed=4)
    shared = [column for column in theirs.columns if column in mine.columns]
    assert "score_mean" in shared
    pd.testing.assert_frame_equal(mine[shared], theirs[shared])


def test_summary_data_of_several_methods() -> None:
    table = CreateSummaryData(
        {"points": [300, 350], "dice": [2], "either": [(300, 2), (350, 3)], "optimal": []},
        n=500,
        special=[None, "finish"],
        seed=1,
    )
    assert len(table) == 2 * (2 + 1 + 2 + 1)
    assert set(table["method"]) == {"points", "dice", "either", "optimal"}
    assert set(table["special"]) == {"none", "finish"}
    either = table[table["method"] == "either"]
    assert set(zip(either["threshold"], either["dice"], strict=True)) == {(300, 2), (350, 3)}


def test_other_rules() -> None:
    farkle = pm.rules("farkle")
    assert DiceRolls(6, rules=farkle).rolls != ()
    assert RunSession("points", 500, rules=farkle).total >= 10_000
    assert DiceRolls([1, 1, 1], rules={"triples": (300, 200, 300, 400, 500, 600)}).points == 300
    assert isinstance(farkle, MackeRules)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: DiceRolls(6), "dice is 6; it must be a whole number from 1 to 5."),
        (lambda: DiceRolls([1, 7]), "a die is 7; it must be a whole number from 1 to 6."),
        (lambda: DiceRolls([]), "the roll has 0 dice; it must have 1 to 5."),
        (lambda: PlayGame("pints", 3), "unknown macke policy 'pints': did you mean 'points'?"),
        (lambda: PlayGame("points", (300, 2)), "threshold of method 'points' is (300, 2); it must be one number."),
        (lambda: RunSession("either", (1, 2, 3)), "it must be a pair (points, dice)."),
        (lambda: RunSession("points", 350, "finnish"), "did you mean 'finish'?"),
        (lambda: CreateSummaryData("points", [200], n=0), "n_games is 0"),
    ],
)
def test_wrong_calls(call: Any, words: str) -> None:
    with pytest.raises(pm.RequestError) as caught:
        call()
    assert words in str(caught.value)
