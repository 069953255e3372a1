"""The command line, started in this process; a bad request is one line and exit code 2."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import pymacco_sim as pm
from pymacco_sim.cli import main
from pymacco_sim.games.registry import make_cell
from pymacco_sim.games.rulebook import join_items
from pymacco_sim.play import replay_command


@pytest.fixture(autouse=True)
def in_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(words)
    return int(left.value.code or 0)


def test_listings_name_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("games") == 0
    assert run("policies", "macke") == 0
    assert run("rules", "macke") == 0
    printed = capsys.readouterr().out
    for word in ("macke", "optimal", "hot_dice", "last_round"):
        assert word in printed


def test_run_prints_estimates_with_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", "macke", "points:350", "-n", "2e3", "--seed", "1") == 0
    printed = capsys.readouterr().out
    assert "turns_mean" in printed
    assert "±" in printed


def test_sweep_writes_everything_and_refuses_to_overwrite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("sweep", "macke", "points", "--threshold", "200:400:100", "-n", "1000", "--seed", "1", "-o", "mine")
    assert run(*words) == 0
    folder = tmp_path / "results" / "mine"
    names = {path.name for path in folder.iterdir()}
    assert {"table.parquet", "table.csv", "manifest.json", "plot.png", "plot.svg"} <= names
    table = pd.read_parquet(folder / "table.parquet")
    assert table["threshold"].tolist() == [200, 300, 400]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["request"]["grid"] == {"threshold": "200:400:100"}
    assert run(*words) == 0
    assert run(*words[:-2], "--seed", "2", "-o", "mine") == 2
    assert "another run" in capsys.readouterr().err
    assert run("plot", "mine", "--y", "bust_share", "-o", "busts.png") == 0
    assert (tmp_path / "busts.png").stat().st_size > 5000


def test_sweep_from_a_file_goes_to_a_folder_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "q.toml").write_text("question='Where?'\ngame='macke'\npolicies='dice'\nn_games=500\n"
                                     "[grid]\nthreshold=[1, 2]\n")  # fmt: skip
    assert run("sweep", "q.toml", "--no-plot") == 0
    assert pd.read_csv(tmp_path / "results" / "q" / "table.csv")["threshold"].tolist() == [1, 2]


def test_compare_tournament_and_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", "macke", "points:200", "points:350", "-n", "5000", "-o", "c") == 0
    assert (
        run("tournament", "macke", "points:200", "points:350", "dice:2", "--players", "2", "-n", "2000", "-o", "t") == 0
    )
    assert run("compare-rules", "macke", "points:350", "--rules", "must:", "--rules", "may:hot_dice=may_stop",
               "-n", "2000", "-o", "r") == 0  # fmt: skip
    printed = capsys.readouterr().out
    for words in ("better than", "best?", "Pairs", "may - must"):
        assert words in printed
    for name in "ctr":
        assert (tmp_path / "results" / name / "plot.png").is_file()
        assert run("plot", name) == 0


def test_converge_shows_the_way_to_the_exact_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("converge", "macke", "points:350", "-n", "5000", "--exact", "--plot", "path.png") == 0
    printed = capsys.readouterr().out
    assert "Exact: 242.98" in printed
    assert "5,000" in printed
    assert (tmp_path / "path.png").stat().st_size > 5000
    assert run("converge", "macke", "points:350", "--outcome", "wins") == 2
    assert run("converge", "macke", "points:350", "--seat", "1") == 2
    assert run("converge", "threes", "lowest", "--exact") == 2
    errors = capsys.readouterr().err.splitlines()
    assert [("outcome" in errors[0]), ("from 0 to 0" in errors[1]), ("no exact values" in errors[2])] == [True] * 3


@pytest.mark.parametrize(
    ("game", "spec", "policy", "option"),
    [
        ("threes", "hoarder:keep=0,10", "hoarder", "--keep 0,10"),
        ("macke", "points:350:keep=all,best", "points:350", "--keep all,best"),
        ("macke", "points:threshold=200:400:50", "points", "--threshold 200:400:50"),
        ("macke", "either:200:400:50", "either", "--threshold 200:400:50"),
    ],
)
def test_several_values_in_a_policy_point_to_the_sweep(
    game: str, spec: str, policy: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("sweep", game, spec, "-n", "100") == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert shown.endswith(f"Several are for a sweep: {option}.\n")
    assert run("sweep", game, policy, *option.split(), "-n", "100", "--no-plot") == 0


def test_a_picture_that_cannot_be_written_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("converge macke points:350 -n 1e13", "solve macke", "evaluate macke points:350"):
        for name in ("nowhere/path.png", "path.foo"):
            assert run(*command.split(), "--plot", name) == 2
    assert run("solve", "macke", "--goal", "turn", "--shift", "shift.png") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 7
    assert run("evaluate", "macke", "points:350", "--plot", "bare") == 0
    assert "Drawn to bare.png" in capsys.readouterr().out
    assert (tmp_path / "bare.png").is_file()


def test_replay_prints_a_story(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", "macke", "points:350", "--seed", "1", "--game", "17") == 0
    assert capsys.readouterr().out.startswith("macke, game 17 of seed 1")
    assert run("replay", "macke", "points:350", "--game", "17", "--json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) > 5


BAD = [
    (("run", "mackee", "points"), "did you mean 'macke'"),
    (("run", "macke", "pionts"), "did you mean 'points'"),
    (("run", "macke", "points:x"), "must be a number"),
    (("run", "macke", "points:-1"), "from 0 to"),
    (("run", "macke", "points:thresold=3"), "did you mean 'threshold'"),
    (("run", "macke", "points", "-n", "0"), "n_games is '0'"),
    (("run", "macke", "points", "-n", "1e30"), "n_games is '1e30'"),
    (("run", "macke", "points", "--seed", "1.5"), "seed is '1.5'"),
    (("run", "macke", "points", "--rule", "hotdice=may_stop"), "did you mean 'hot_dice'"),
    (("run", "macke", "points", "--rule", "hot_dice=maybe"), "may_stop"),
    (("run", "macke", "points", "--rule", "hot_dice"), "NAME=VALUE"),
    (("run", "macke", "points", "-j", "0"), "'0' is no number of workers"),
    (("run", "macke", "points", "-j", "two"), "'two'"),
    (("run", "macke", "gone.py:f"), "is not there"),
    (("run", "macke", *["points"] * 9), "1 to 8 seats"),
    (("run", "macke"), "policies"),
    (("sweep", "macke"), "no policy given"),
    (("sweep", "macke", "points", "--threshold", "50:100:0"), "step must not be zero"),
    (("sweep", "macke", "points", "--threshold", "a:b"), "FIRST:LAST:STEP"),
    (("sweep", "macke", "points", "--treshold", "3"), "did you mean 'threshold'"),
    (("sweep", "macke", "points", "--threshold"), "has no value"),
    (("sweep", "gone.toml"), "cannot be read"),
    (("plot", "nothing"), "holds no result"),
    (("compare", "macke", "points", "dices"), "did you mean 'dice'"),
    (("compare", "macke", "points", "dice", "--until", "soon"), "until is 'soon'"),
    (("tournament", "macke", "points"), "number of policies"),
    (("compare-rules", "macke", "points", "--rules", "must:"), "at least two"),
    (("replay", "macke", "points", "--game", "-3"), "game is '-3'"),
    (("swep", "macke"), "swep"),
]


@pytest.mark.parametrize(("words", "expected"), BAD, ids=[" ".join(words)[:50] for words, _ in BAD])
def test_a_bad_request_is_one_line_and_exit_2(
    words: tuple[str, ...], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 2
    printed = capsys.readouterr()
    assert expected in printed.err
    assert len(printed.err.strip().splitlines()) == 1
    assert not (tmp_path / "results").exists() or not any((tmp_path / "results").iterdir())


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def f(points, dice, roll, choices):\n    return 99, True\n", "f"),
        ("def f(points, dice, roll, choices):\n    return 'all'\n", "f"),
        ("def f(points, dice, roll, choices):\n    return 1 / 0\n", "ZeroDivisionError"),
        ("def f(points, dice, roll, choices):\n    while True: pass\n", "endless"),
        ("def f(view, params):\n    return undefined_name\n", "undefined_name"),
    ],
)
def test_a_bad_policy_is_one_line_and_exit_2(
    code: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.py").write_text(code)
    assert run("run", "macke", "bad.py:f", "-n", "100") == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert "'f'" in printed
    assert len(printed.strip().splitlines()) == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert run("sweep", "macke", "points", "--threshold", "300", "-n", "10", "-o", "file/below") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_module_is_the_same_program() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pymacco_sim", "--help"], capture_output=True, text=True, check=True
    )
    assert "sweep experiments/macke-thresholds.toml" in done.stdout


def test_it_runs_without_the_compiler(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "pymacco_sim",
        "run",
        "macke",
        "points:350",
        "-n",
        "20",
        "--seed",
        "1",
    ]
    printed = {
        subprocess.run(
            words, capture_output=True, text=True, check=True, env={**os.environ, "NUMBA_DISABLE_JIT": off}
        ).stdout.split("95%")[0]
        for off in "01"
    }
    assert len(printed) == 1


def test_rules_are_printed_as_they_are_typed() -> None:
    for name in pm.games()["preset"]:
        rules = pm.rules(name)
        for row in rules.describe():
            if isinstance(row["value"], tuple):
                assert getattr(rules.replace(**{row["rule"]: join_items(row["value"])}), row["rule"]) == row["value"]


def test_a_replay_command_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    cell = make_cell("macao", ["greedy", "thrifty"], {"points": "2:10+3:20", "free_ranks": "none"}, seed=3)
    words = shlex.split(replay_command(cell, 2))
    assert run(*words[1:]) == 0
    changed = pm.replay("macao", ["greedy", "thrifty"], rules=cell.rules, seed=3, game=2).text
    assert changed in capsys.readouterr().out
    assert changed != pm.replay("macao", ["greedy", "thrifty"], seed=3, game=2).text


@pytest.mark.parametrize(
    ("words", "pointer"),
    [
        ("run", "pymacco-sim games lists"),
        ("run threes", "pymacco-sim policies GAME lists"),
        ("compare macke points", "pymacco-sim policies GAME lists"),
        ("report nothing", "pymacco-sim results lists"),
        ("run threes lowest --rule run_to_burn=3,4", "for a sweep: --rule run_to_burn=3,4."),
        ("run macke points --seed -1", "from 0 to 18,446,744,073,709,551,615."),
        ("run macke points --scope race", "one seat plays a session or a turn."),
    ],
)
def test_an_error_says_where_to_go_on(words: str, pointer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words.split()) == 2
    shown = capsys.readouterr().err
    assert pointer in shown
    assert shown.count("\n") == 1
