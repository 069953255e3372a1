"""Requests at the edge: nothing finished, nothing won, one game, one policy, the same twice. Words, no NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pymacco_sim as pm
from pymacco_sim.cli import main

STALLED = {"max_turns": 3}
FAR = ["points:100000", "points:99999"]
SETS = {"a": {}, "b": {"hot_dice": "may_stop"}}
SHORT = {"a": {"max_turns": 3}, "b": {"max_turns": 2}}


def words(found: Any) -> str:
    return found.sentence if hasattr(found, "sentence") else " ".join(found.sentences)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: pm.compare("macke", *FAR, n_games=50, rules=STALLED), "Every game stalled"),
        (lambda: pm.compare("macke", *FAR, players=2, n_games=50, rules=STALLED), "Every game stalled"),
        (lambda: pm.compare("macke", *FAR, n_games=50, rules=STALLED, until="decided"), "Every game stalled"),
        (lambda: pm.compare("macke", "points:200", "points", n_games=1), "Cannot tell at 1 game each"),
        (lambda: pm.compare("macke", "points:200", "points", players=2, n_games=1), "one deal has no error bar"),
        (lambda: pm.compare("macke", "points:200", "points", n_games=1, until="decided"), "Cannot tell at 1 game"),
        (lambda: pm.compare("macke", "points", "points", n_games=50), "Both candidates are points:350"),
        (lambda: pm.compare("tomacco", "lowest", "lowest", n_games=40), "Both candidates are lowest"),
        (lambda: pm.compare("macke", "points", "either:350:0", players=2, n_games=50), "alike on every deal"),
        (lambda: pm.tournament("macke", FAR, players=2, n_games=50, rules=STALLED), "Every game stalled"),
        (lambda: pm.tournament("macke", ["points:200", "points"], players=2, n_games=1), "all of them may be"),
        (lambda: pm.tournament("tomacco", ["lowest", "highest"], n_games=1), "all of them may be"),
        (lambda: pm.tournament("macke", ["points", "either:350:0"], players=2, n_games=50), "equally often"),
        (lambda: pm.compare_rules("macke", SHORT, FAR[0], n_games=50), "turns cannot be compared"),
        (lambda: pm.compare_rules("macke", SHORT, FAR, n_games=50), "stalled share came out as under a"),
        (lambda: pm.compare_rules("macke", SETS, "points", n_games=1), "without an error bar"),
        (lambda: pm.compare_rules("macke", SETS, ["points", "points:200"], n_games=1), "without an error bar"),
        (lambda: pm.compare_rules("macke", {"a": {}, "b": {}}, "points", n_games=50), "deal for deal"),
    ],
)
def test_odd_requests_are_answered_in_words(ask: Callable[[], Any], said: str) -> None:
    found = ask()
    assert said in words(found)
    for shown in (words(found), found._repr_html_(), repr(found)):
        assert "nan" not in shown.lower()
    assert len(found.tables["table"])


@pytest.mark.parametrize(
    "request_words",
    [
        ["compare", "macke", *FAR, "--rule", "max_turns=3", "-n", "20"],
        ["compare", "macke", "points", "points:200", "--players", "2", "-n", "1"],
        ["compare", "macke", "points", "points", "--players", "2", "-n", "10"],
        ["tournament", "macke", *FAR, "--players", "2", "--rule", "max_turns=3", "-n", "20"],
        ["tournament", "macke", "points", "points:200", "--players", "2", "-n", "1"],
        ["compare-rules", "macke", *FAR, "--rules", "a:max_turns=3", "--rules", "b:max_turns=2", "-n", "10"],
        [
            "compare-rules",
            "macke",
            "points",
            "points:200",
            "--rules",
            "a:",
            "--rules",
            "b:hot_dice=may_stop",
            "-n",
            "1",
        ],
    ],
)
def test_odd_commands_print_no_nan(
    request_words: list[str], tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*request_words, "--quiet", "--out", "odd"])
    shown = capsys.readouterr()
    assert ended.value.code == 0, shown.err
    assert "nan" not in shown.out.lower()
    assert (tmp_path / "results" / "odd" / "plot.png").is_file()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: pm.tournament("macke", ["points"], players=2, n_games=10), "from 2 to 60"),
        (lambda: pm.tournament("macke", ["points", "points:350"], players=2, n_games=10), "named twice"),
        (lambda: pm.compare_rules("macke", [{"hot_dice": "may_stop"}], "points", n_games=10), "at least two"),
        (lambda: pm.compare_rules("threes", ["threes", "threes"], "lowest", n_games=10), "labels of their own"),
    ],
)
def test_requests_without_an_answer_are_refused(ask: Callable[[], Any], said: str) -> None:
    with pytest.raises(pm.RequestError, match=said):
        ask()


def test_one_deal_of_a_duel_has_no_difference_in_what_both_share() -> None:
    table = pm.compare("macke", "points", "points:200", players=2, n_games=1, seed=1).table.set_index("outcome")
    assert table.loc["turns_mean", "difference"] == 0
