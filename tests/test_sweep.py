"""Sweeps: grids, tidy tables, the same bits for any workers and cuts, files complete or not there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pymacco_sim as pm
from pymacco_sim import experiments, play, store
from pymacco_sim.games.registry import make_cell
from pymacco_sim.grid import make_grid, read_values
from pymacco_sim.plots import plot_sweep
from pymacco_sim.plots.figures import draw_sweep


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("50:200:50", [50, 100, 150, 200]),
        ("1:3", [1, 2, 3]),
        ("3:1:-1", [3, 2, 1]),
        ("0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        (range(2), [0, 1]),
        (np.array([1.5]), [1.5]),
        ("a,b", ["a", "b"]),
        (7, [7]),
    ],
)
def test_values_are_read(text: object, values: list) -> None:
    assert read_values("x", text) == values


@pytest.mark.parametrize("text", ["50:1000:0", "50:1000:-50", "a:b", "1:2:3:4", "", [], "1,,2", "0:1e9:1", "0:inf:1"])
def test_wrong_values_get_one_clear_line(text: object) -> None:
    with pytest.raises(pm.RequestError, match="x is") as caught:
        read_values("x", text)
    assert "\n" not in str(caught.value)


def test_the_table_is_tidy() -> None:
    table = pm.sweep("macke", "points", {"threshold": [200, 350], "special": ["none", "finish"]}, n_games=500, seed=1)
    assert table["threshold"].tolist() == [200, 200, 350, 350]
    wanted = ["method", "threshold", "special", "n_games"]
    wanted += [f"{name}_{end}" for name in ("score", "turns", "rolls") for end in ("mean", "low", "high")]
    wanted += [f"{name}_{end}" for name in ("bust", "hot_dice") for end in ("share", "low", "high")]
    wanted += [f"turns_{q}{end}" for q in ("q10", "q50", "q90") for end in ("", "_low", "_high")]
    assert set(wanted) <= set(table.columns)
    for name in ("score", "turns", "rolls"):
        assert (table[f"{name}_low"] < table[f"{name}_mean"]).all()
        assert (table[f"{name}_mean"] < table[f"{name}_high"]).all()


def test_methods_with_grids_of_their_own() -> None:
    table = pm.sweep("macke", {"points": {"threshold": [300]}, "dice": {"threshold": [1, 2]}}, n_games=200, seed=1)
    assert table["method"].tolist() == ["points", "dice", "dice"]


def test_races_have_a_row_a_seat_and_rules_are_swept() -> None:
    table = pm.sweep("macke", ["points", "points:250"], {"threshold": [200, 300]}, n_games=500, seed=1,
                     rules={"last_round": [False, True]})  # fmt: skip
    assert len(table) == 2 * 2 * 2
    assert table.groupby(["threshold", "last_round"])["win_share"].sum().round(9).eq(1).all()


def test_cells_share_the_dice_unless_told_otherwise() -> None:
    same = make_grid("macke", "points", {"threshold": [200, 300]})
    apart = make_grid("macke", "points", {"threshold": [200, 300]}, common=False)
    assert {item.cell.stream for item in same} == {0}
    assert len({item.cell.stream for item in apart}) == 2


def test_workers_do_not_change_a_bit() -> None:
    tables = [
        pm.sweep("macke", "points", {"threshold": [200, 350]}, n_games=70_000, seed=5, n_jobs=jobs)
        for jobs in (1, 2, 3)
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@settings(max_examples=15)
@given(st.lists(st.integers(1, 3000), min_size=1, max_size=6), st.integers(0, 10**6))
def test_cuts_do_not_change_a_count(sizes: list[int], first: int) -> None:
    cell = make_cell("macke", ["points:300", "dice:2"], seed=9)
    whole = play.play_range(cell, first, sum(sizes)).tally
    parts = None
    for size in sizes:
        part = play.play_range(cell, first, size).tally
        parts = part if parts is None else parts + part
        first += size
    assert parts == whole


def test_results_pool_and_refuse_to_count_a_game_twice() -> None:
    one = pm.simulate("macke", "points:350", n_games=300, seed=1)
    two = pm.simulate("macke", "points:350", n_games=200, seed=1, first_game=300)
    assert (one + two).counts == pm.simulate("macke", "points:350", n_games=500, seed=1).counts
    with pytest.raises(pm.RequestError, match="counts once"):
        one + one
    with pytest.raises(pm.RequestError, match="do not add up"):
        one + pm.simulate("macke", "points:350", n_games=300, seed=2, first_game=300)


def test_rotation_plays_every_deal_from_every_seat() -> None:
    result = pm.simulate("macke", ["points:200", "points:350"], n_games=2001, seed=1, seating="rotate")
    assert result.totals["n_games"] == 2002
    effect = result.seat_effect
    assert effect["win_share"].iloc[0] > effect["win_share"].iloc[1]
    with pytest.raises(pm.RequestError, match="rotate"):
        _ = pm.simulate("macke", ["points:200", "points:350"], n_games=100).seat_effect


def test_rows_have_every_game_once_and_replay_knows_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    result = pm.simulate("macke", "points:350", n_games=5000, seed=3, rows=str(path), n_jobs=2)
    rows = pd.read_parquet(path)
    assert rows["game"].tolist() == list(range(5000))
    assert rows["turns"].mean() == pytest.approx(result.totals["turns_mean"])
    longest = rows.loc[rows["turns"].idxmax()]
    story = pm.replay("macke", "points:350", seed=3, game=int(longest["game"]))
    assert max(row.get("turn", 0) for row in story.rows) == longest["turns"]
    with pytest.raises(pm.RequestError, match="exists already"):
        pm.simulate("macke", "points:350", n_games=10, rows=str(path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("game = 'macke'\npolicies = 'points'\nthreshold = 3\n", "unknown key 'threshold'"),
        ("game = 'macke'\npolicy = 'points'\n", "did you mean 'policies'"),
        ("game = 3\npolicies = 'points'\n", "game is 3; it must be a text"),
        ("policies = 'points'\n", "'game' is missing"),
        ("game = 'macke'\n", "give either 'policies'"),
        ("game = 'macke'\npolicies = 'points'\nn_games = 0\n", "n_games is 0"),
        ("game = 'macke'\npolicies = 'points'\n[grid]\nthreshold = '1:2:0'\n", "step must not be zero"),
        ("game = 'macke\n", "is not valid TOML"),
        ("game = 'macke'\n[[method]]\nname = 'points'\n", "a 'policy'"),
    ],
)
def test_a_wrong_experiment_names_file_and_key(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(pm.RequestError, match=words) as caught:
        experiments.read_experiment(path)
    assert "wrong.toml" in str(caught.value)


def test_every_shipped_experiment_reads() -> None:
    files = sorted(Path(__file__).parent.parent.glob("experiments/*.toml"))
    assert files
    for file in files:
        experiment = experiments.read_experiment(file)
        assert experiment.cells or experiment.kind != "sweep"


def test_a_result_is_never_overwritten_silently(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    table = pd.DataFrame({"a": [1]})
    store.write_result(folder, {"table": table}, {"kind": "sweep", "seed": 1})
    store.check_folder(folder, {"kind": "sweep", "seed": 1, "made_with": "later"})
    with pytest.raises(pm.RequestError, match="another run"):
        store.check_folder(folder, {"kind": "sweep", "seed": 2})
    assert json.loads((folder / "manifest.json").read_text())["seed"] == 1


def test_a_failing_picture_leaves_nothing_behind(tmp_path: Path) -> None:
    def draw(_: Path) -> None:
        raise OSError("no space left on device")

    with pytest.raises(Exception, match="no space"):
        store.write_result(tmp_path / "new", {"table": pd.DataFrame({"a": [1]})}, {}, draw)
    assert list(tmp_path.iterdir()) == []


def test_the_plot_marks_the_best_and_its_equals() -> None:
    table = pm.sweep("macke", "points", {"threshold": "50:600:50"}, n_games=3000, seed=1)
    axes = plot_sweep(table, "threshold", ["score_mean", "turns_mean"])
    labels = axes[0].get_legend_handles_labels()[1]
    assert "best" in labels
    assert any("cannot be told" in label for label in labels)
    with pytest.raises(pm.RequestError, match="no column"):
        plot_sweep(table, "thresold", "score_mean")


@pytest.mark.parametrize(("stalled", "panels"), [([0.0, 0.0], 2), ([0.0, 0.004], 2), ([0.02, 0.3], 3)])
def test_a_figure_shows_stalled_games_if_there_are_any(stalled: list[float], panels: int) -> None:
    values = {"win": 0.25, "turns": 170.0, "stalled": np.array(stalled)}
    bounds = {f"{name}_{end}": value for name, value in values.items() for end in ("low", "high")}
    means = {"win_share": 0.25, "turns_mean": 170.0, "stalled_share": stalled}
    table = pd.DataFrame({"pickup_plays_again": [False, True], "n_games": 1000, **means, **bounds})
    labels = [ax.get_ylabel() for ax in draw_sweep(table, "").axes]
    assert len(labels) == panels
    assert ("share of games that stall" in labels) == (panels == 3)
