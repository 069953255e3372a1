"""The three ways in for a policy, and the reading of names."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import pymacco_sim as pm
from pymacco_sim.games import load
from pymacco_sim.games.registry import find_game, make_cell

MACKE = find_game("macke")[0]

GOOD = """
import pymacco_sim as pm

@pm.policy("macke", goal=(300, 50, 5000))
def greedy_stop(points, dice, roll, choices, params):
    "Take all; stop at the goal."
    best = choices[0]
    return best, points + best.points >= params.goal

def plain(points, dice, roll, choices):
    return choices[0], points >= 200
"""


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize(
    ("spec", "label"),
    [
        ("points", "points:350"),
        ("points:350", "points:350"),
        ("points:200", "points:200"),
        ("points:threshold=200:keep=fewest", "points:200:keep=fewest"),
        ("either:300:2", "either:300:2"),
        ("points:special=fewest+finish", "points:350:special=fewest+finish"),
        ("POINTS:2e2", "points:200"),
    ],
)
def test_names_are_read(spec: str, label: str) -> None:
    assert load.parse_entrant(MACKE, spec).label == label


@pytest.mark.parametrize("spec", ["points:200", "either:300:1", "points:keep=fewest:special=finish"])
def test_a_label_reads_back_as_the_same_policy(spec: str) -> None:
    entrant = load.parse_entrant(MACKE, spec)
    assert load.parse_entrant(MACKE, entrant.spec) == entrant


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("pionts:350", "did you mean 'points'"),
        ("points:thresold=3", "did you mean 'threshold'"),
        ("points:many", "must be a number from 0 to"),
        ("points:nan", "must be a number"),
        ("points:keep=sum", "Allowed: all, fewest, best"),
        ("points:1:all:none:7", "no place for '7'"),
        (7, "give a name"),
        ("no/such/file.py:f", "is not there"),
        ("mine.py", "names a file only"),
    ],
)
def test_wrong_names_get_one_clear_line(spec: object, words: str) -> None:
    with pytest.raises(pm.RequestError, match=words) as caught:
        load.parse_entrant(MACKE, spec)
    assert "\n" not in str(caught.value)


def test_a_policy_from_a_file(policy_file: Path) -> None:
    entrant = load.parse_entrant(MACKE, f"{policy_file}:greedy_stop:goal=250")
    assert entrant.parameters() == {"goal": 250}
    assert entrant.spec == f"{policy_file}:greedy_stop:goal=250"
    same = pm.simulate("macke", f"{policy_file}:greedy_stop:350", n_games=500, seed=1)
    built_in = pm.simulate("macke", "points:350", n_games=500, seed=1)
    assert same.counts == built_in.counts


def test_a_plain_function_of_a_file_is_a_policy(policy_file: Path) -> None:
    assert load.parse_entrant(MACKE, f"{policy_file}:plain").label == "plain"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(:\n", r"does not parse \(line 1\)"),
        ("import no_such_module_at_all\n", "does not run: ModuleNotFoundError"),
        ("x = 3\n", "unknown policy in"),
        ("f = 3\n", "it must be a function or a policy"),
        ("def f(a):\n    return 1\n", "takes 1 arguments"),
        ("import pymacco_sim as pm\n@pm.policy('macke', goal='x')\ndef f(a, b, c, d, e):\n    return 1\n", "goal"),
    ],
)
def test_a_wrong_file_gets_one_clear_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    with pytest.raises(pm.PolicyError, match=words) as caught:
        load.parse_entrant(MACKE, f"{path}:f")
    assert "\n" not in str(caught.value)


def test_a_decorated_function_is_known_by_name_and_listed() -> None:
    @pm.policy("macke", margin=0.5)
    def cautious_lister(points: int, dice: int, roll: tuple, choices: tuple, params: object) -> tuple:
        """Stop at once."""
        return choices[0], True

    assert load.parse_entrant(MACKE, "cautious_lister:0.7").label == "cautious_lister:margin=0.7"
    row = pm.policies("macke").set_index("policy").loc["cautious_lister"]
    assert (row["words"], row["source"]) == ("Stop at once.", "notebook")
    assert cautious_lister(0, 5, (), ("all",), None) == ("all", True)


def test_a_built_in_name_cannot_be_taken() -> None:
    def points(points: int, dice: int, roll: tuple, choices: tuple) -> tuple:
        return choices[0], True

    with pytest.raises(pm.PolicyError, match="choose another"):
        pm.policy("macke")(points)


def test_a_policy_from_an_entry_point(monkeypatch: pytest.MonkeyPatch, policy_file: Path) -> None:
    monkeypatch.syspath_prepend(policy_file.parent)
    point = EntryPoint("greedy_stop", "mine:greedy_stop", load.ENTRY_POINT_GROUP)
    monkeypatch.setattr(load, "entry_points", lambda group: [point] if group == load.ENTRY_POINT_GROUP else [])
    monkeypatch.setattr(load, "_decorated", {})
    assert load.parse_entrant(MACKE, "greedy_stop:400").label == "greedy_stop:goal=400"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seed": 1.5}, "seed is 1.5"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"scope": "hands"}, "unknown scope"),
        ({"seating": "circle"}, "unknown seating"),
        ({"players": 99}, "players is 99"),
        ({"rules": {"targt": 3}}, "did you mean 'target'"),
        ({"rules": {"target": 0}}, "target is 0"),
        ({"rules": 3}, "rules for macke"),
    ],
)
def test_wrong_requests_get_one_clear_line(settings: dict, words: str) -> None:
    with pytest.raises(pm.RequestError, match=words):
        make_cell("macke", "points:350", **settings)


@pytest.mark.parametrize("n_games", [0, -1, "x", 1e30, 2.5, None, True])
def test_wrong_numbers_of_games(n_games: object) -> None:
    with pytest.raises(pm.RequestError, match="n_games is"):
        pm.simulate("macke", "points:350", n_games=n_games)
