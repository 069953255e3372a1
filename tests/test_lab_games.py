"""Games behind the laboratory's answers: rows, and the one that somebody asks for."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import pymacco_sim as pm
from pymacco_sim import plots
from pymacco_sim.cli import main

THREE = ["lowest", "highest", "single"]


def run(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0


def test_the_longest_game_is_found_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    pm.simulate("tomacco", THREE, n_games=300, seed=1, rows=str(path))
    rows = pd.read_parquet(path).set_index("game")
    story = pm.find_game("tomacco", THREE, most="turns", n_games=300, seed=1)
    assert rows.loc[story.game, "turns"] == rows["turns"].max()
    assert story.rows == pm.replay("tomacco", THREE, seed=1, game=story.game).rows
    first = pm.find_game("tomacco", THREE, where="win_1 == 1", n_games=300, seed=1)
    assert first.game == rows.query("win_1 == 1").index[0]


def test_rows_of_a_comparison_add_up_to_its_table(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    found = pm.compare("tomacco", "lowest", "highest", players=3, n_games=300, seed=1, rows=str(path))
    rows, table = pd.read_parquet(path), found.table.set_index("outcome")
    assert len(rows) == found.n_games
    for side in ("first", "second"):
        assert rows[f"{side}_win"].mean() == pytest.approx(table.loc["win_share", side])
        assert rows[f"{side}_place"].mean() == pytest.approx(table.loc["mean_place", side])
    assert rows["deal"].tolist() == [game // 3 for game in rows["game"]]


def test_a_game_that_one_won_and_the_other_lost_on_the_same_deal() -> None:
    found = pm.compare("tomacco", "lowest", "highest", players=3, n_games=300, seed=1)
    won, lost = found.find("first_win == 1 and second_loss == 1")
    row = found.rows(3, won.game).set_index("game").loc[won.game]
    assert won.game == lost.game
    assert (row["first_win"], row["second_win"], row["second_loss"]) == (1, 0, 1)
    assert won.cell.entrants[0].label == lost.cell.entrants[1].label == "lowest"


def test_rows_of_a_tournament_add_up_to_its_table(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    found = pm.tournament("tomacco", [*THREE, "random"], players=3, n_games=60, seed=1, rows=str(path))
    rows = pd.read_parquet(path)
    seats = pd.concat([rows[[f"policy_{s}", f"win_{s}"]].set_axis(["policy", "win"], axis=1) for s in range(3)])
    shares = seats.groupby("policy")["win"].mean()
    assert shares.to_dict() == pytest.approx(found.table.set_index("policy")["win_share"].to_dict())
    longest = found.find("status == 'finished'", most="turns")
    assert rows.query("status == 'finished'")["turns"].max() == longest.rows[-1]["turns"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"where": "turns >"}, "cannot be read"),
        ({"where": "foo > 1"}, "'foo' is not defined"),
        ({"most": "status"}, "unknown column 'status'"),
        ({"where": "turns > 1e9"}, "none of 60 games is like that"),
        ({"most": "turns", "least": "turns"}, "and not both"),
    ],
)
def test_a_search_that_cannot_be_says_why(settings: dict, words: str) -> None:
    with pytest.raises(pm.RequestError, match=words):
        pm.find_game("tomacco", THREE, n_games=60, seed=1, **settings)


def test_command_line_shows_the_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "tomacco", "lowest", "highest", "--players", "3", "-n", "300", "--seed", "1"]
    search = ["--where", "first_win == 1 and second_loss == 1", "--rows", str(tmp_path / "pairs.parquet")]
    run([*words, *search])
    shown = capsys.readouterr().out
    assert shown.count("of seed 1") == 2
    assert (tmp_path / "pairs.parquet").is_file()
    run(["replay", "tomacco", *THREE, "--most", "turns", "-n", "100"])
    assert "of seed 0" in capsys.readouterr().out


def test_places_are_drawn_from_a_stored_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run(["tournament", "tomacco", *THREE, "--players", "3", "-n", "60", "--out", "three"])
    run(["run", "tomacco", *THREE, "-n", "60", "--out", "one"])
    for name in ("three", "one"):
        run(["plot", name, "--y", "places", "-o", f"{name}.png"])
        assert (tmp_path / f"{name}.png").stat().st_size > 0
    run(["run", "macke", "points", "points:200", "-n", "60", "--out", "macke"])
    with pytest.raises(SystemExit):
        main(["plot", "macke", "--y", "places"])
    assert "no places to draw" in capsys.readouterr().err


def test_bars_are_the_shares_of_places() -> None:
    found = pm.tournament("tomacco", THREE, players=3, n_games=90, seed=1)
    ax = plots.plot_places(found.places)
    heights = sorted(bar.get_height() for bar in ax.patches)
    assert heights == pytest.approx(sorted(found.places["share"]))
