"""Progress tells the truth: games, cells, rate, time left and the best so far, after a resume too."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

import pymacco_sim as pm
from pymacco_sim import _notice, progress, workers
from pymacco_sim.games import macke, shithead
from pymacco_sim.progress import Progress

GRID = {"threshold": [200, 350, 900]}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_line_counts_only_what_was_played_now(clock: list[float]) -> None:
    with Progress(1000, "x", n_cells=4) as bar:
        bar.update(600, stored=True)
        bar.finish_cell()
        clock[0] = 10.0
        bar.update(100)
        assert bar.line() == "x: 700 of 1,000 games (70%), 10 a second, 30 s left, 1/4 cells"


def test_log_gets_a_line_now_and_then(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(1000, "x") as bar:
        bar.describe(lambda: "best: this ± 1")
        for _ in range(100):
            clock[0] += 1.0
            bar.update(10)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(re.search(r"games \(\d+%\), 10 a second, .* left, best: this ± 1", line) for line in lines)


def test_quiet_is_quiet(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(1000, "x", wanted=False) as bar:
        clock[0] += 100.0
        bar.update(1000)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sweep_names_the_best_cell(n_jobs: int, capsys: pytest.CaptureFixture[str]) -> None:
    pm.sweep("macke", "points", GRID, n_games=2000, seed=1, n_jobs=n_jobs, progress=True)
    line = capsys.readouterr().err.splitlines()[-1]
    assert "6,000 of 6,000 games (100%)" in line
    assert "3/3 cells" in line
    assert re.search(r"best: points threshold=200.* score_mean \d+(\.\d+)? ± \d", line)


def test_resumed_sweep_starts_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pm.sweep("macke", "points", GRID, n_games=1000, seed=1, resume=tmp_path)
    capsys.readouterr()
    pm.sweep("macke", "points", GRID, n_games=2000, seed=1, resume=tmp_path, progress=True)
    assert "6,000 of 6,000 games (100%)" in capsys.readouterr().err.splitlines()[-1]


def test_every_kind_of_run_says_how_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    pm.simulate("macke", "points:350", n_games=1000, progress=True)
    assert "score_mean" in capsys.readouterr().err
    pm.compare("macke", "points:200", "points:350", n_games=1000, progress=True)
    assert "difference in score_mean +" in capsys.readouterr().err
    pm.tournament("macke", ["points:200", "points:900"], players=2, n_games=1000, progress=True)
    assert "best: points:200 win_share" in capsys.readouterr().err


def test_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    monkeypatch.setattr(progress, "NOTE_SECONDS", 0.0)
    monkeypatch.setattr(workers, "TASK_SECONDS", 0.0)
    with Progress(1000, "x", wanted=True, n_cells=2) as bar:
        bar.update(500, stored=True)
        bar.finish_cell()
        bar.update(250)
    shown = capsys.readouterr().err
    assert "75%" in shown
    assert "1/2 cells" in shown
    assert sys.stderr is not None


class Kernel:
    """Stands for what the compiler tells of the function that it begins or ends to compile."""

    def __init__(self, module: str) -> None:
        function = lambda: None  # noqa: E731
        function.__module__ = module
        self.data = {"dispatcher": type("Dispatcher", (), {"py_func": function})}


@pytest.mark.parametrize(
    ("module", "seconds", "watched", "said"),
    [
        ("pymacco_sim.games.shithead.bulk", 0.3, True, True),
        ("pymacco_sim.games.shithead.bulk", 0.0, True, False),
        ("pymacco_sim.games.shithead.bulk", 0.3, False, False),
        ("pymacco_sim.core.calls", 0.3, True, False),
        ("somebody.else", 0.3, True, False),
    ],
)
def test_long_compiling_is_said(
    module: str,
    seconds: float,
    watched: bool,
    said: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(_notice, "PATIENCE", 0.05)
    monkeypatch.setattr(_notice, "is_watched", lambda: watched)
    notice = _notice.CompileNotice()
    for _ in range(2):
        notice.on_start(Kernel(module))
        time.sleep(seconds)
        notice.on_end(Kernel(module))
    time.sleep(0.1)
    assert capsys.readouterr().err.count("later runs start at once") == int(said)


def test_each_engine_is_named_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(_notice, "PATIENCE", 0.02)
    monkeypatch.setattr(_notice, "is_watched", lambda: True)
    notice = _notice.CompileNotice()
    for room in ("macke", "shithead", "shithead", "macke"):
        notice.on_start(Kernel(f"pymacco_sim.games.{room}.kernel"))
        time.sleep(0.2)
        notice.on_end(Kernel(f"pymacco_sim.games.{room}.kernel"))
    said = [line.partition(" for this computer")[0] for line in capsys.readouterr().err.splitlines() if line]
    assert said == [f"pymacco-sim: compiling {engine}" for engine in (macke.ENGINE, shithead.ENGINE)]
