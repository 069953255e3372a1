"""Finished games survive whatever ends a run, and count once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pymacco_sim as pm
from pymacco_sim import counts, durable, panel, play, workers
from pymacco_sim._check import RequestError, StorageError
from pymacco_sim.core.counting import Tally
from pymacco_sim.counts import Record, add_trees, cover, join_neighbours, read_counts, write_counts
from pymacco_sim.durable import CountStore
from pymacco_sim.identity import cell_key, engine_code
from pymacco_sim.workers import Piece, run_pieces

GRID = {"threshold": [200, 350, 500]}


def list_numbers(item: str, first: int, count: int) -> tuple[int, ...]:
    return tuple(range(first, first + count))


def play_sweep(n_games: int, **more: Any) -> pd.DataFrame:
    return pm.sweep("macke", "points", GRID, n_games=n_games, seed=1, **more)


# --- every number exactly once -----------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    ranges=st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 300)), min_size=1, max_size=6),
    step=st.integers(1, 64),
    n_jobs=st.integers(1, 4),
    seconds=st.sampled_from([0.0, 1e-5, 1e-3, 0.25]),
)
def test_every_number_is_played_once(ranges: list[tuple[int, int]], step: int, n_jobs: int, seconds: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "TASK_SECONDS", seconds)
        pieces = [Piece(index, "x", first, count, step) for index, (first, count) in enumerate(ranges)]
        found: dict[int, list[int]] = {index: [] for index in range(len(ranges))}
        for done in run_pieces(list_numbers, pieces, n_jobs):
            assert done.value == tuple(range(done.first, done.first + done.count))
            found[done.index] += done.value
    for index, (first, count) in enumerate(ranges):
        assert sorted(found[index]) == list(range(first, first + count))


@settings(max_examples=15)
@given(
    block=st.integers(1, 700),
    blocks=st.integers(1, 20),
    n_jobs=st.integers(1, 3),
    stops=st.lists(st.integers(1, 2000), max_size=3),
)
def test_counts_do_not_depend_on_chunks_workers_or_resumes(
    tmp_path_factory: pytest.TempPathFactory, block: int, blocks: int, n_jobs: int, stops: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("chunks")
    expected = pm.simulate("macke", "points:350", n_games=2000, seed=1, n_jobs=1).tally
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "block_size", lambda cell: block)
        patch.setattr(play, "BLOCKS_PER_CHUNK", blocks)
        patch.setattr(durable, "SECONDS", 0)
        patch.setattr(durable, "PATIENCE", 0)
        for n_games in [*sorted(stops), 2000]:
            result = pm.simulate("macke", "points:350", n_games=n_games, seed=1, n_jobs=n_jobs, resume=folder)
    assert result.tally == expected


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=12), st.integers(0, 20), st.integers(1, 80))
def test_cover_never_counts_twice(ranges: list[tuple[int, int]], first: int, count: int) -> None:
    records = [Record.of("k", a, n, [1]) for a, n in ranges]
    found, gaps = cover(records, first, count)
    parts = sorted([(r.first, r.count) for r in found] + gaps)
    assert [n for a, n in parts for n in range(a, a + n)] == list(range(first, first + count))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.randoms())
def test_joined_neighbours_are_the_whole(sizes: list[int], random: Any) -> None:
    edges = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    records = [Record.of("k", a, n, {"n": n, "list": [n] * n}) for a, n in zip(edges, sizes, strict=False)]
    random.shuffle(records)
    (whole,) = join_neighbours([*records, records[0]])
    assert (whole.first, whole.count, whole.value["n"]) == (0, sum(sizes), sum(sizes))


def test_plain_tally_is_the_tally() -> None:
    one = pm.simulate("macke", ["points:200", "points:350"], n_games=500, seed=1)
    two = pm.simulate("macke", ["points:200", "points:350"], n_games=700, seed=1, first_game=500)
    assert Tally.from_plain(one.tally.to_plain()) == one.tally
    assert Tally.from_plain(add_trees(one.tally.to_plain(), two.tally.to_plain())) == (one + two).tally


# --- resuming ----------------------------------------------------------------------------------------------------


def test_resumed_sweep_equals_uninterrupted_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = play_sweep(3000)
    play_sweep(1000, resume=tmp_path / "r")
    capsys.readouterr()
    table = play_sweep(3000, resume=tmp_path / "r")
    assert "resuming: 0 of 3 cells, 3,000 games are there" in capsys.readouterr().err
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "play_block", None)  # nothing may be played again
        again = play_sweep(3000, resume=tmp_path / "r")
    pd.testing.assert_frame_equal(again, expected, check_exact=True)


def test_laboratory_resumes(tmp_path: Path) -> None:
    def compare(n_games: int, **more: Any) -> pd.DataFrame:
        return pm.compare("macke", "points:200", "points:350", n_games=n_games, seed=1, **more).table

    def tournament(n_games: int, **more: Any) -> pd.DataFrame:
        policies = ["points:200", "points:350", "dice:2"]
        return pm.tournament("macke", policies, players=2, n_games=n_games, seed=1, **more).table

    compare(1000, resume=tmp_path / "c")
    pd.testing.assert_frame_equal(compare(3000, resume=tmp_path / "c"), compare(3000), check_exact=True)
    tournament(1000, resume=tmp_path / "t")
    pd.testing.assert_frame_equal(tournament(3000, resume=tmp_path / "t"), tournament(3000), check_exact=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(panel, "play_block", None)  # nothing may be played again
        tournament(3000, resume=tmp_path / "t")
        compare(3000, resume=tmp_path / "c")


def test_sequence_resumes_at_the_same_game(tmp_path: Path) -> None:
    def until(**more: Any) -> Any:
        return pm.compare("macke", "points:300", "points:310", n_games=40_000, seed=1, until="decided", **more)

    expected = until().sentence
    assert until(resume=tmp_path).sentence == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(panel, "play_block", None)
        assert until(resume=tmp_path).sentence == expected


def test_other_runs_never_mix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pm.simulate("macke", "points:350", n_games=500, seed=1, resume=tmp_path)
    capsys.readouterr()
    for policy, rules, seed in (("points:300", None, 1), ("points:350", {"target": 3000}, 1), ("points:350", None, 2)):
        result = pm.simulate("macke", policy, rules, n_games=500, seed=seed, resume=tmp_path)
        assert result.tally == pm.simulate("macke", policy, rules, n_games=500, seed=seed).tally
        assert "not mixed in" in capsys.readouterr().err


def test_changed_policy_code_gets_its_own_key(tmp_path: Path) -> None:
    def key(text: str) -> str:
        file = tmp_path / "mine.py"
        file.write_text(text)
        os.utime(file, ns=(time.time_ns(), time.time_ns()))
        return cell_key(pm.simulate("macke", f"{file}:mine", n_games=10, seed=1).cell)

    source = (
        "import numpy as np\nGOALS = np.array([300, 350])\n\n"
        "def goal(index):\n    return GOALS[index]\n\n"
        "def mine(points, dice, roll, choices):\n"
        "    best = choices[-1]\n    return best, points + best.points >= goal(1)\n"
    )
    first = key(source)
    assert key(source + "# a comment\n") == first
    assert key(source.replace("350", "400")) != first  # a table that a helper reads
    assert key(source.replace("GOALS[index]", "GOALS[0]")) != first  # a helper
    assert key(source.replace("choices[-1]", "choices[0]")) != first


def test_key_knows_exact_values_and_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(value: float) -> str:
        cell = pm.simulate("macke", f"bust:{value}", n_games=10, seed=1).cell
        cell_key.cache_clear()
        return cell_key(cell)

    assert key(0.25000001) != key(0.25000002)  # the same label, to six figures
    before = key(0.25)
    monkeypatch.setattr("pymacco_sim.identity.engine_code", lambda family: "changed")
    assert key(0.25) != before
    assert len(engine_code("macke")) == 16


# --- accidents ---------------------------------------------------------------------------------------------------


def test_damaged_file_is_named_and_played_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = play_sweep(2000)
    play_sweep(2000, resume=tmp_path)
    (file,) = tmp_path.glob("*.counts")
    lines = file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"2000", b"2001", 1)
    file.write_bytes(b"".join(lines))
    capsys.readouterr()
    table = play_sweep(2000, resume=tmp_path)
    said = capsys.readouterr().err
    assert f"{file} is damaged: 1 of its 3 records are played again" in said
    assert "resuming: 2 of 3 cells" in said
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
    play_sweep(2000, resume=tmp_path)
    assert "damaged" not in capsys.readouterr().err


@pytest.mark.parametrize("keep", [0, 1, 40, 400])
def test_truncated_file_is_found(tmp_path: Path, keep: int) -> None:
    file = tmp_path / "0-0.counts"
    write_counts(file, [Record.of("k" * 32, i, 1, [i] * 50) for i in range(3)])
    file.write_bytes(file.read_bytes()[:keep])
    records, n_damaged = read_counts(file)
    assert n_damaged >= 1
    assert [record.first for record in records] == list(range(len(records)))


def test_later_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "FORMAT", "pymacco-sim counts 2")
    write_counts(tmp_path / "0-0.counts", [])
    monkeypatch.undo()
    with pytest.raises(RequestError, match="in the format"):
        read_counts(tmp_path / "0-0.counts")


def test_full_disk_loses_nothing_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = pm.simulate("macke", "points:350", n_games=200_000, seed=1).tally
    real, left = os.fsync, [3]

    def fsync(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    for module, name in ((durable, "SECONDS"), (durable, "PATIENCE"), (workers, "TASK_SECONDS")):
        monkeypatch.setattr(module, name, 0)
    monkeypatch.setattr(play, "BLOCKS_PER_CHUNK", 1)
    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(StorageError, match="No space left on device") as stopped:
        pm.simulate("macke", "points:350", n_games=200_000, seed=1, n_jobs=1, resume=tmp_path)
    assert "are saved" in str(stopped.value)
    monkeypatch.undo()
    assert not list(tmp_path.glob(".*.part"))
    result = pm.simulate("macke", "points:350", n_games=200_000, seed=1, resume=tmp_path)
    assert result.tally == expected


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    made = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True, check=False
        )
        if sys.platform == "linux"
        else None
    )
    if made is None or made.returncode:
        pytest.skip("no small file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_full_file_system_ends_in_one_line(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(b"x" * 40_000)
    words = ["sweep", "macke", "points", "--threshold", "100:900:5", "-n", "2000", "--no-plot", "-o"]
    run = subprocess.run(
        [sys.executable, "-m", "pymacco_sim", *words, str(small_disk / "r" / "mine")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.strip().splitlines()[-1].startswith("pymacco-sim: ")
    assert "No space left on device" in run.stderr
    assert "Traceback" not in run.stderr


def test_interruption_says_what_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = play.play_block, [20]

    def interrupted(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(play, "play_block", interrupted)
    monkeypatch.setattr(play, "BLOCKS_PER_CHUNK", 1)
    monkeypatch.setattr(workers, "TASK_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt, match=r"stopped; [0-9,]+ of 1,000,000 games are saved in"):
        pm.simulate("macke", "points:350", n_games=1_000_000, seed=1, n_jobs=1, resume=tmp_path)


def test_second_writer_stops_with_one_line(tmp_path: Path) -> None:
    folder = tmp_path / ".chunks" / "mine"
    code = f"from pymacco_sim.durable import CountStore; from pathlib import Path; import time\n" \
        f"with CountStore(Path({str(folder)!r})): print('open', flush=True); time.sleep(60)"  # fmt: skip
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline().strip() == "open"
            with pytest.raises(RequestError, match=rf"being written by process {other.pid} on"):
                pm.simulate("macke", "points:350", n_games=1000, resume=folder)
            words = ["run", "macke", "points:350", "-n", "1000", "-o", str(tmp_path / "mine")]
            run = subprocess.run(
                [sys.executable, "-m", "pymacco_sim", *words], capture_output=True, text=True, check=False
            )
            assert run.returncode == 2
            assert len(run.stderr.strip().splitlines()) == 1
            assert str(other.pid) in run.stderr
        finally:
            other.kill()
    pm.simulate("macke", "points:350", n_games=1000, resume=folder)  # a dead owner's lock is no lock


def test_files_stay_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "SECONDS", 0)
    monkeypatch.setattr(durable, "PATIENCE", 0)
    monkeypatch.setattr(durable, "FILES", 4)
    with CountStore(tmp_path) as store:
        store.find("k", 0, 1000)
        store._edges["k"].add(70)
        for first in range(150):
            store.add("k", first, 1, [1])
    assert len(list(tmp_path.glob("*.counts"))) < 4 * durable.FILES
    with CountStore(tmp_path) as store:
        found, gaps = store.find("k", 0, 200)
        assert sum(value[0] for _, _, value in found) == 150
        assert gaps == [(150, 50)]
        assert any(first + count == 70 for first, count, _ in found)


def test_fresh_forgets(tmp_path: Path) -> None:
    with CountStore(tmp_path) as store:
        store.add("k", 0, 5, [1])
    with CountStore(tmp_path, fresh=True) as store:
        assert store.find("k", 0, 5) == ([], [(0, 5)])
