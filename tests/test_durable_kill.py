"""Real processes, really killed: the same command goes on, and the result is the same to the byte."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

N_KILLS = 20
SWEEP = ("sweep", "macke", "points", "--threshold", "100:1000:100", "--seed", "1", "-j", "2", "--no-plot", "-o", "mine")
LONG = ("run", "macke", "points:350", "-n", "1e11", "--seed", "1", "-o", "long")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of this kind are POSIX")


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pymacco_sim", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def read_files(folder: Path) -> dict[str, bytes]:
    """Bytes of a result's files; the manifest without what it was made with, and the checksums without its line."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    manifest = json.loads(files["manifest.json"])
    manifest.pop("made_with")
    files["manifest.json"] = json.dumps(manifest).encode()
    files["SHA256SUMS"] = re.sub(rb"\w+  manifest.json\n", b"", files["SHA256SUMS"])
    return files


def wait_for_work(folder: Path, process: subprocess.Popen[str], seconds: float = 120.0) -> None:
    """Wait until a run has written something."""
    end = time.monotonic() + seconds
    while not list(folder.glob("results/.chunks/*/*.counts")):
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_killed_sweep_is_the_same_to_the_byte(tmp_path: Path) -> None:
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    whole.mkdir()
    torn.mkdir()
    words = (*SWEEP, "-n", "1.5e6")
    started = time.monotonic()
    first = start(whole, *words)
    first.communicate()
    assert first.returncode == 0
    seconds = time.monotonic() - started
    expected = read_files(whole / "results" / "mine")
    moments = random.Random(7)
    resumed = 0
    for number in range(N_KILLS):
        process = start(torn, *words)
        if number % 2:  # half of the kills come while it writes, the others at any time
            try:
                wait_for_work(torn, process)
            except AssertionError:
                assert process.returncode == 0
        try:
            process.wait(timeout=moments.uniform(0.0, 0.7 * seconds))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        said = process.communicate()[1]
        resumed += "resuming" in said
        assert process.returncode in (0, -signal.SIGKILL), said
        if process.returncode == 0:
            assert read_files(torn / "results" / "mine") == expected
            for path in (torn / "results" / "mine").iterdir():
                path.unlink()
            (torn / "results" / "mine").rmdir()
    last = start(torn, *words)
    said = last.communicate()[1]
    assert last.returncode == 0, said
    assert read_files(torn / "results" / "mine") == expected
    assert resumed >= 3
    assert [path.name for path in (torn / "results").iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("backend", "number"),
    [
        ("threads", signal.SIGINT),
        ("threads", signal.SIGTERM),
        ("loky", signal.SIGINT),
        ("loky", signal.SIGTERM),
        pytest.param("dask", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("ray", signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_interrupted_run_ends_soon_and_says_how_to_go_on(tmp_path: Path, backend: str, number: signal.Signals) -> None:
    if backend in ("dask", "ray"):
        pytest.importorskip("distributed" if backend == "dask" else "ray", reason=f"the extra {backend} is not there")
    process = start(tmp_path, *LONG, "--backend", backend, "-j", "2")
    wait_for_work(tmp_path, process)
    started = time.monotonic()
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    said = process.communicate()[1]
    assert time.monotonic() - started < 2.0
    assert process.returncode == 130
    (line,) = [line for line in said.splitlines() if line.startswith("pymacco-sim: ")]
    assert re.search(r"stopped; [\d,]+ of 100,000,000,000 games are saved in results/.chunks/long\.", line)
    assert "To go on: pymacco-sim run macke points:350 -n 1e11" in line
    assert "Traceback" not in said
    if backend != "threads":
        return

    again = start(tmp_path, *LONG, "-j", "1")
    assert again.stderr is not None
    assert "resuming: " in again.stderr.readline()
    again.kill()
    again.communicate()


def test_killed_rows_are_the_same_to_the_byte(tmp_path: Path) -> None:
    words = ("run", "macke", "points:350", "-n", "3e6", "--seed", "1", "-o", "mine", "--rows", "rows.parquet", "-j")
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    whole.mkdir()
    torn.mkdir()
    first = start(whole, *words, "2")
    first.communicate()
    assert first.returncode == 0
    resumed = 0
    for number, moment in enumerate((0, 2, 5, None)):
        process = start(torn, *words, str(1 + number % 2), *([] if moment is None else ["--quiet"]))
        while moment is not None and process.poll() is None:
            if len(list(torn.glob("rows.parquet.parts/*.parquet"))) > moment:
                os.killpg(process.pid, signal.SIGKILL)
                break
            time.sleep(0.005)
        resumed += "resuming" in process.communicate()[1]
    assert process.returncode == 0
    assert resumed
    assert (torn / "rows.parquet").read_bytes() == (whole / "rows.parquet").read_bytes()
    assert read_files(torn / "results" / "mine") == read_files(whole / "results" / "mine")
    assert sorted(path.name for path in torn.iterdir()) == ["results", "rows.parquet"]
    again = start(torn, *words, "2")  # as if it was killed between the rows and the result
    assert "3,000,000 games are there" in again.communicate()[1]
    assert again.returncode == 0


@pytest.mark.parametrize("seconds", [0.5, 1.0, 1.5, 2.0])
def test_processes_caught_while_they_start_are_silent(tmp_path: Path, seconds: float) -> None:
    process = start(tmp_path, *LONG, "--backend", "loky", "-j", "2")
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in said or "pymacco-sim: " not in said  # before the program has begun, Python speaks


@pytest.mark.slow
def test_terminated_worker_is_replaced(tmp_path: Path) -> None:
    """Processes that die are started again, and their games played again."""
    code = """
import os, signal, sys, threading, time
import psutil
import pymacco_sim as pm
from pymacco_sim.clusters import use_backend

def kill_one():
    while True:
        time.sleep(1)
        for child in psutil.Process().children(recursive=True):
            words = " ".join(child.cmdline())
            if "loky" in words and "tracker" not in words and child.cpu_times().user > 1:
                child.send_signal(signal.SIGKILL)
                print("killed", flush=True)
                return

threading.Thread(target=kill_one, daemon=True).start()
with use_backend("loky", 2):
    found = pm.simulate("macke", "points:350", n_games=40_000_000, seed=1)
print(found.tally == pm.simulate("macke", "points:350", n_games=40_000_000, seed=1).tally)
"""
    pytest.importorskip("psutil")
    script = tmp_path / "script.py"
    script.write_text(code)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["killed", "True"], run.stderr
