"""The bulk kernels and the step-wise engine play the same games, with and without the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymacco_sim.games.base import CAP, FINISHED
from pymacco_sim.games.macke.rolls import Choice
from pymacco_sim.games.macke.setup import run_lanes, run_many, run_steps
from pymacco_sim.games.macke.state import keep
from pymacco_sim.games.policy import Decider, Policy

from .macke_tools import METHODS, make_setup, play


def careful(points: int, dice: int, roll: tuple[int, ...], choices: tuple[Choice, ...]) -> tuple[Choice, bool]:
    """Keeps one die while four remain, stops earlier with fewer dice."""
    pick = choices[-1] if dice == 5 else choices[0]
    return pick, points + pick.points >= 100 * (1 + pick.dice_left)


def at_350(points: int, dice: int, roll: tuple[int, ...], choices: tuple[Choice, ...]) -> tuple[int, bool]:
    """The same as ``points:350``."""
    return 0, points + choices[0].points >= 350


def compiled_350(view: Any, params: Any) -> int:
    """The same again, as a compiled policy."""
    return keep(0, view.points + view.choice_points[0] >= 350)


def user(function: Any, style: str, stochastic: bool = False) -> Decider:
    """A user's policy as an entrant's decider."""
    policy = Policy("macke", function.__name__, "", "turn", function=function, style=style, stochastic=stochastic)
    return Decider(policy, ())


def same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    """Every game of two blocks agrees."""
    assert first.keys() == second.keys()
    for name, values in first.items():
        np.testing.assert_array_equal(values, second[name], err_msg=name)


@pytest.mark.parametrize(
    "policy", [*METHODS, user(careful, "table"), user(at_350, "table")], ids=lambda p: getattr(p, "label", str(p))
)
def test_sessions_agree_game_by_game(policy: Any) -> None:
    setup = make_setup([policy], seed=3)
    assert setup.fits_lanes
    n_games = 60 if policy == "points:0:keep=best" else 400
    lanes = play(setup, n_games, run_lanes, first=1000)
    same(lanes, play(setup, n_games, run_steps, first=1000))
    same(lanes, play(setup, n_games, run_many, first=1000))
    part = play(setup, 50, first=1100)
    same(part, {name: values[100:150] for name, values in lanes.items()})


@pytest.mark.parametrize(
    ("policies", "preset", "rules"),
    [
        (["points:350", "optimal"], "macke", {}),
        (["points:350", "dice:2:special=finish", "rolls:2"], "macke", {"last_round": True, "target": 1500}),
        (["optimal", "expected", "bust:0.4:special=finish"], "farkle", {}),
        (["points:400", "points:600:keep=best"], "zilch", {}),
        (["points:600", "optimal"], "farkle-facebook", {"last_round": True}),
        (["points:350:keep=best", "expected"], "ten-thousand", {}),
        (["points:300"] * 8, "macke", {"target": 1000}),
        (["points:300"], "ten-thousand", {}),
        (["points:300", "points:250"], "macke", {"target": 501, "min_bank": 275}),
    ],
)
@pytest.mark.parametrize("rotate", [False, True])
def test_races_agree_game_by_game(policies: list[str], preset: str, rules: dict[str, Any], rotate: bool) -> None:
    setup = make_setup(policies, rules, preset, rotate=rotate and len(policies) > 1)
    assert setup.fits_many
    many = play(setup, 240, run_many)
    same(many, play(setup, 240, run_steps))
    if len(policies) > 1:
        wins = [many[f"win_{seat}"] for seat in range(len(policies))]
        assert (sum(wins) == 840).all()
        assert (sum(many[f"own_turns_{seat}"] for seat in range(len(policies))) == many["turns"]).all()


def test_single_turns_agree() -> None:
    setup = make_setup(["optimal"], scope="turn")
    many = play(setup, 3000, run_many)
    same(many, play(setup, 3000, run_steps))
    assert set(many["turns"]) == {1}
    assert ((many["score"] == 0) == (many["bust"] == 1)).all()


@pytest.mark.parametrize("scope", [None, "turn"])
@pytest.mark.parametrize("seats", [1, 3])
def test_user_policies_play_like_the_built_in(seats: int, scope: str | None) -> None:
    if scope == "turn" and seats > 1:
        pytest.skip("a single turn has one seat")
    built_in = play(make_setup(["points:350"] * seats, scope=scope), 300)
    same(built_in, play(make_setup([user(at_350, "table")] * seats, scope=scope), 300))
    same(built_in, play(make_setup([user(compiled_350, "compiled")] * seats, scope=scope), 300))
    mixed = [user(compiled_350, "compiled"), "points:350", user(at_350, "table")][:seats]
    same(built_in, play(make_setup(mixed, scope=scope), 300))


@given(
    st.sampled_from(METHODS),
    st.fixed_dictionaries(
        {
            "dice": st.integers(2, 6),
            "target": st.sampled_from([300, 1234, 5000]),
            "hot_dice": st.sampled_from(["must_roll", "may_stop"]),
            "min_bank": st.sampled_from([0, 0, 150]),
            "min_first_bank": st.sampled_from([0, 0, 500]),
            "max_turns": st.sampled_from([3, 40, 1000]),
            "three_pairs": st.sampled_from([0, 750]),
            "pairs_alike": st.booleans(),
            "bust_streak": st.sampled_from([0, 2]),
            "bust_penalty": st.sampled_from([0, 500]),
        }
    ),
)
@settings(max_examples=25)
def test_any_rules_agree(policy: str, rules: dict[str, Any]) -> None:
    setup = make_setup([policy], rules, seed=7)
    steps = play(setup, 64, run_steps)
    same(steps, play(setup, 64))
    same(steps, play(setup, 64, run_many))


def test_fine_scores_are_played_step_by_step() -> None:
    setup = make_setup(["points:350"], {"singles": (101, 0, 0, 0, 50, 0)})
    assert not setup.fits_many
    score = play(setup, 100)["score"]
    assert (score >= 5000).all()
    assert (score % 50 != 0).any()


@pytest.mark.parametrize("policies", [["points:20000"], ["points:20000", "rolls:1000"]])
def test_hopeless_policies_stall_and_win_nothing(policies: list[str]) -> None:
    rules = {"max_turns": 50}
    setup = make_setup(policies, rules)
    got = play(setup, 100)
    same(got, play(setup, 100, run_steps))
    assert set(got["status"]) == {CAP}
    assert set(got["turns"]) == {50 * len(policies)}
    assert all((got[name] == 0).all() for name in got if name.startswith("win"))


def test_a_turn_without_end_stalls() -> None:
    # every pip scores, so a turn that never stops never busts either
    rules = {"dice": 1, "singles": [50] * 6, "triples": [0] * 6}
    setup = make_setup(["points:100"], rules)
    got = play(setup, 70)
    same(got, play(setup, 70, run_steps))
    same(got, play(setup, 70, run_many))
    assert set(got["status"]) == {CAP}
    assert set(got["rolls"]) == {0}
    may_stop = play(make_setup(["points:100"], {**rules, "hot_dice": "may_stop"}), 70)
    assert set(may_stop["status"]) == {FINISHED}
    assert set(may_stop["turns"]) == {50}


def test_more_lanes_than_games_and_more_games_than_lanes() -> None:
    setup = make_setup(["points:350"])
    whole = play(setup, 200)
    for n_games in (1, 63, 64, 65):
        same(play(setup, n_games), {name: values[:n_games] for name, values in whole.items()})


def test_game_numbers_may_be_large() -> None:
    setup = make_setup(["points:350", "points:350"], seed=2**64 - 1, rotate=True)
    first = 10**12
    same(play(setup, 20, run_many, first), play(setup, 20, run_steps, first))


SCRIPT = """
import numpy as np
from tests.macke_tools import make_setup, play
from tests.test_macke_kernels import compiled_350, user
from pymacco_sim.games.macke.setup import run_lanes, run_many, run_steps
for policies, preset in [(["points:350"], "macke"), (["optimal"], "macke"), (["points:400", "optimal"], "zilch")]:
    setup = make_setup(policies, preset=preset, rotate=len(policies) > 1)
    for run in (run_lanes, run_many, run_steps) if len(policies) == 1 else (run_many, run_steps):
        print([values.tolist() for values in play(setup, 3, run).values()])
print([values.tolist() for values in play(make_setup([user(compiled_350, "compiled")]), 2).values()])
"""


def test_the_same_games_without_the_compiler() -> None:
    def run(**environment: str) -> str:
        command = [sys.executable, "-W", "error", "-c", SCRIPT]
        there = {**os.environ, **environment, "PYTHONPATH": str(Path(__file__).parent.parent)}
        done = subprocess.run(command, env=there, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    plain = run(NUMBA_DISABLE_JIT="1")
    assert plain == run()
    lines = plain.splitlines()
    assert lines[0] == lines[1] == lines[2]
    assert lines[6] == lines[7]
