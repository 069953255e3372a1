"""``pymacco-sim results``: list, verify, show, export, merge, forget."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from pymacco_sim import durable
from pymacco_sim.cli import main
from pymacco_sim.durable import CountStore

RUN = ("run", "macke", "points:350", "--seed", "1")
SWEEP = ("sweep", "macke", "points", "--threshold", "200,350", "--seed", "1", "--no-plot", "-o", "grid")


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(words)
    return int(left.value.code or 0)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".csv", ".parquet", ".counts")}


def test_merged_runs_are_the_whole_run(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*RUN, "-n", "3000", "-o", "whole") == 0
    assert run(*RUN, "-n", "1000", "-o", "one") == 0
    assert run(*RUN, "-n", "2000", "--first-game", "1000", "-o", "two") == 0
    assert run("results", "merge", "two", "one", "-o", "both") == 0
    assert files(results / "both") == files(results / "whole")
    assert json.loads((results / "both/manifest.json").read_text())["ranges"] == [[0, 3000]]
    assert run("results", "--verify") == 0
    capsys.readouterr()

    assert run("results", "merge", "one", "both", "-o", "wrong") == 2
    assert "game 0 is in both results" in capsys.readouterr().err
    assert run("run", "macke", "points:350", "--seed", "2", "-n", "1000", "-o", "other") == 0
    assert run("results", "merge", "one", "other", "-o", "wrong") == 2
    assert "differ in seed" in capsys.readouterr().err
    assert run(*SWEEP, "-n", "500") == 0
    assert run("results", "merge", "one", "grid", "-o", "wrong") == 2
    assert run("results", "merge", "one", "-o", "wrong") == 2
    assert not (results / "wrong").exists()


def test_extended_result_reuses_what_is_there(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*SWEEP, "-n", "2000") == 0
    expected = files(results / "grid")
    assert run(*SWEEP[:-1], "again", "-n", "1000") == 0
    capsys.readouterr()
    assert run(*SWEEP[:-1], "again", "-n", "2000") == 0
    assert "resuming: 0 of 2 cells, 2,000 games are there" in capsys.readouterr().err
    assert files(results / "again") == expected
    assert run(*SWEEP[:-1], "again", "-n", "1000") == 2
    assert "with 2,000 games already" in capsys.readouterr().err
    assert sorted(path.name for path in results.iterdir()) == ["again", "grid"]


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "macke", "points:200", "points:350"),
        ("tournament", "macke", "points:200", "points:350", "--players", "2"),
        ("compare-rules", "macke", "points:350", "--rules", "macke", "--rules", "may stop:hot_dice=may_stop"),
    ],
)
def test_laboratory_results_are_checked_and_extended(
    words: tuple[str, ...], results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words, "-n", "1000", "--seed", "1", "-o", "lab") == 0
    assert run(*words, "-n", "1000", "--seed", "1", "-o", "lab") == 0
    assert "deals are there" in capsys.readouterr().err
    assert run(*words, "-n", "1000", "--seed", "2", "-o", "lab") == 2
    assert "another run" in capsys.readouterr().err
    assert run(*words, "-n", "2000", "--seed", "1", "-o", "lab") == 0
    assert run(*words, "-n", "2000", "--seed", "1", "-o", "plain") == 0
    assert files(results / "lab") == files(results / "plain")
    assert run("results", "--verify") == 0


def test_list_and_verify_name_what_is_wrong(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("results") == 0
    assert "No results" in capsys.readouterr().out
    for name in ("a", "b", "c", "d"):
        assert run(*RUN, "-n", "1000", "-o", name) == 0
    assert run("results", "--verify") == 0
    text = (results / "a/table.csv").read_text()
    (results / "a/table.csv").write_text(text.replace("1", "2", 1))
    (results / "b/games.counts").unlink()
    (results / "c/manifest.json").write_text("{")
    capsys.readouterr()
    assert run("results") == 1  # a manifest that cannot be read
    assert run("results", "--verify") == 1
    said = capsys.readouterr().out
    for line in ("a/table.csv is damaged", "b/games.counts is missing", "c/manifest.json is damaged"):
        assert line in said
    assert "results/d" not in said


def test_damaged_counts_are_named_and_played_again(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*SWEEP, "-n", "1000") == 0
    expected = files(results / "grid")
    counts = results / "grid/games.counts"
    lines = counts.read_bytes().splitlines(keepends=True)
    counts.write_bytes(b"".join([*lines[:-1], lines[-1].replace(b"1000", b"1001", 1)]))
    assert run("results", "--verify") == 1
    assert "grid/games.counts is damaged" in capsys.readouterr().out
    assert run(*SWEEP, "-n", "1000") == 0
    said = capsys.readouterr().err
    assert "grid/games.counts is damaged: 1 of its 2 records are played again" in said
    assert "resuming: 1 of 2 cells, 1,000 games are there" in said
    assert files(results / "grid") == expected
    assert run("results", "--verify") == 0


def test_verify_makes_tables_from_counts(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pymacco_sim.store import _write_sums

    assert run(*SWEEP, "-n", "1000") == 0
    folder = results / "grid"
    table = pd.read_parquet(folder / "table.parquet")
    table.loc[0, "turns_mean"] += 1e-6
    table.to_parquet(folder / "table.parquet", index=False)
    (folder / "SHA256SUMS").unlink()
    _write_sums(folder)  # someone who covers it up
    assert run("results", "--verify") == 1
    assert "is not what games.counts says" in capsys.readouterr().out


def test_show_and_export(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*SWEEP, "-n", "1000") == 0
    capsys.readouterr()
    assert run("results", "show", "grid") == 0
    assert json.loads(capsys.readouterr().out)["n_cells"] == 2
    table = pd.read_parquet(results / "grid/table.parquet")
    assert run("results", "export", "grid", "-o", "t.csv") == 0
    assert Path("t.csv").read_bytes() == (results / "grid/table.csv").read_bytes()
    assert run("results", "export", "grid", "-o", "t.parquet") == 0
    pd.testing.assert_frame_equal(pd.read_parquet("t.parquet"), table)
    assert run("results", "export", "grid", "-o", "t", "--format", "json") == 0
    stored = json.loads(Path("t").read_text())
    assert [row["threshold"] for row in stored["table"]] == [200, 350]
    assert stored["manifest"]["request"]["game"] == "macke"
    assert run("results", "export", "grid", "-o", "t.xlsx") == 2
    assert run("results", "export", "grid", "-o", "t.csv", "--table", "none") == 2
    assert run("results", "show", "none") == 2
    assert run("results", "export", "grid", "-o", "no/such/folder.csv") == 1


def test_cut_off_runs_are_listed_and_forgotten(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    about = {"command": "pymacco-sim run macke points:350", "games": 100, "unit": "games"}
    with CountStore(results / ".chunks/mine", about=about) as store:
        store.add("k", 0, 40, [1])
    assert run("results") == 0
    said = capsys.readouterr().out
    for words in ("mine", "40 of 100 games", "pymacco-sim run macke points:350"):
        assert words in said
    assert run("results", "forget", "other") == 2
    assert run("results", "forget", "mine") == 0
    assert run("results") == 0
    assert "No results" in capsys.readouterr().out


def test_quick_run_without_a_name_leaves_nothing(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*RUN, "-n", "1000") == 0
    assert not results.exists()
    monkeypatch.setattr(durable, "SECONDS", 0)
    assert run(*RUN, "-n", "1000") == 0
    assert len(list((results / ".chunks").iterdir())) == 1


def test_rows_and_counts_go_together(results: Path) -> None:
    assert run(*RUN, "-n", "1000", "-o", "plain") == 0
    assert run(*RUN, "-n", "1000", "-o", "rows", "--rows", "rows.parquet") == 0
    assert files(results / "plain") == files(results / "rows")
    assert len(pd.read_parquet("rows.parquet")) == 1000


@pytest.mark.parametrize(
    "words",
    [
        ("run", "macke", "points:200", "points:350", "--until", "0.03", "-n", "50000"),
        ("run", "macke", "points:200", "--exact", "-n", "500"),
        ("sweep", "macke", "points", "--threshold", "200,300", "--exact", "-n", "500"),
    ],
)
def test_sequences_and_exact_values_are_made_again_from_the_counts(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*words, "--quiet", "-o", "again") == 0
    assert run("results", "--verify") == 0
