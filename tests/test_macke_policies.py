"""A user's own policies: what a good one gets to see, and what a bad one gets to hear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pymacco_sim as pm
from pymacco_sim.games.macke import GAME
from pymacco_sim.games.macke.rolls import Choice, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.macke.state import keep
from pymacco_sim.games.macke.table import tabulate
from pymacco_sim.games.policy import Decider, Parameter, Policy

from .macke_tools import make_setup, play

THRESHOLD = Parameter("threshold", 300.0, 0.0, 1000.0)


def user(function: Any, style: str, *parameters: Parameter, **given: Any) -> Decider:
    """A user's policy as an entrant's decider."""
    policy = Policy("macke", function.__name__, "", "turn", parameters, function=function, style=style)
    return Decider(policy, policy.values(given))


def hear(policies: list[Any], n_games: int = 400) -> str:
    """What is said when these play."""
    with pytest.raises(pm.PolicyError) as caught:
        pm.simulate("macke", policies, n_games=n_games, seed=1, n_jobs=1)
    words = str(caught.value)
    assert "\n" not in words
    return words


def test_a_table_policy_sees_every_position_once() -> None:
    seen = []
    rolls = enumerate_rolls(MackeRules())

    def watcher(points: int, dice: int, roll: tuple[int, ...], choices: tuple[Choice, ...]) -> tuple[int, bool]:
        seen.append((points, dice, roll, choices))
        return len(choices) - 1, True

    table = tabulate(MackeRules(), user(watcher, "table"))
    assert len(seen) == len(set(seen))
    assert all(len(roll) == dice and list(roll) == sorted(roll) for _, dice, roll, _ in seen)
    assert {(roll, choices) for _, _, roll, choices in seen} == {
        (rolls.pips(index), rolls.choices(index)) for index in range(rolls.n_classes) if rolls.choices(index)
    }
    assert {points for points, _, _, _ in seen} == set(range(0, 5001, 50))
    assert {dice for points, dice, _, _ in seen if points == 0} == {5}
    assert {dice for points, dice, _, _ in seen if points == 50} == {4}
    forced = (table.gain > 0) & (table.left == 0)
    assert not table.stop[forced].any()
    assert table.stop[(table.gain > 0) & (table.left > 0)].any()


def test_parameters_reach_both_kinds_of_policy() -> None:
    def tabled(points: int, dice: int, roll: Any, choices: Any, params: Any) -> tuple[int, bool]:
        return 0, points + choices[0].points >= params.threshold

    def compiled(view: Any, params: Any) -> int:
        return keep(0, view.points + view.choice_points[0] >= params.threshold)

    for threshold in (200, 350):
        built_in = play(make_setup([f"points:{threshold}"]), 200)
        for policy in (
            user(tabled, "table", THRESHOLD, threshold=threshold),
            user(compiled, "compiled", THRESHOLD, threshold=threshold),
        ):
            got = play(make_setup([policy]), 200)
            assert all((got[name] == built_in[name]).all() for name in built_in)


def test_the_view_holds_what_a_player_sees() -> None:
    def checker(view: Any, params: Any) -> int:
        total = 0
        for pip in range(1, 7):
            total += view.counts[pip]
        best = 0
        for seat in range(view.n_seats):
            if seat != view.seat and view.totals[seat] > best:
                best = view.totals[seat]
        right = total == view.dice and best == view.best_rival and view.totals[view.seat] == view.total
        right = right and view.target == 5000 and view.rolls >= 1 and view.turns >= 0 and view.hot <= view.rolls
        may = view.choice_may_stop[0] == (1 if view.choice_left[0] > 0 else 0)
        if not (right and may and view.n_choices >= 1):
            return -2
        return keep(0, view.points + view.choice_points[0] >= (250 if view.best_rival > view.total else 350))

    got = play(make_setup([user(checker, "compiled"), "points:350", "optimal"], rotate=True), 300)
    assert set(got["status"]) == {0}


def test_random_policies_keep_the_dice_of_everybody_else() -> None:
    def moody(view: Any, params: Any, stream: Any) -> int:
        from_bits = stream[0] & 1
        stream[0] = stream[0] * np.uint32(1664525) + np.uint32(1013904223)
        return keep(0, from_bits == 1)

    policy = Policy("macke", "moody", "", "turn", function=moody, stochastic=True)
    setup = make_setup([Decider(policy, ()), "points:350"])
    first = play(setup, 100)
    again = play(setup, 40, first=60)
    assert all((values[60:] == again[name]).all() for name, values in first.items())


def no_choice(points: int, dice: int, roll: Any, choices: Any) -> Any:
    return (99, True) if points == 350 else (0, False)


def no_pair(points: int, dice: int, roll: Any, choices: Any) -> Any:
    return 0


def foreign_choice(points: int, dice: int, roll: Any, choices: Any) -> Any:
    return Choice(1234, 1), True


def no_stop(points: int, dice: int, roll: Any, choices: Any) -> Any:
    return 0, "yes"


def breaks(points: int, dice: int, roll: Any, choices: Any) -> Any:
    return 0, 1 / (points - 400) > 0


def spins(points: int, dice: int, roll: Any, choices: Any) -> Any:
    while True:
        points += 1


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (no_choice, "policy 'no_choice' returned (99, True) with 350 points in the turn and the roll 1"),
        (no_pair, "policy 'no_pair' returned 0 with 0 points in the turn and the roll 1 1 1 1 1; it must return"),
        (foreign_choice, "returned (Choice(points=1234, dice_left=1), True)"),
        (no_stop, "returned (0, 'yes')"),
        (breaks, "policy 'breaks' raised ZeroDivisionError: "),
        (spins, "policy 'spins' seems endless"),
    ],
)
def test_a_bad_table_policy(function: Any, words: str) -> None:
    assert words in hear([function])
    assert words in hear(["points:350", function])


def raises(view: Any, params: Any) -> int:
    if view.points >= 0:
        raise ValueError("not today")
    return 0


def raises_late(view: Any, params: Any) -> int:
    if view.turns == 15:
        raise ValueError("enough")
    return 0


def illegal(view: Any, params: Any) -> int:
    return keep(view.n_choices, True)


def illegal_late(view: Any, params: Any) -> int:
    return keep(0 if view.turns < 15 else view.n_choices, view.choice_left[0] < 3)


def no_int(view: Any, params: Any) -> Any:
    return "stop"


def endless(view: Any, params: Any) -> int:
    while view.points >= 0:
        pass
    return 0


def scribbles(view: Any, params: Any) -> int:
    view.totals[view.seat] = 5000
    return 0


def unknown_field(view: Any, params: Any) -> int:
    return view.luck


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (raises, "policy 'raises' raised ValueError: not today"),
        (raises_late, ": it raised an exception. To see it: "),
        (illegal, "policy 'illegal' took an illegal decision in rehearsal: it returned"),
        (illegal_late, "at seat 0 took an illegal decision in game"),
        (no_int, "policy 'no_int' returned 'stop', a str; it must return an int."),
        (endless, "policy 'endless' seems endless"),
        (scribbles, "policy 'scribbles' raised ValueError"),
        (unknown_field, "policy 'unknown_field' raised AttributeError"),
    ],
)
def test_a_bad_compiled_policy(function: Any, words: str) -> None:
    assert words in hear([function])


def test_an_illegal_decision_ends_the_record() -> None:
    setup = make_setup([user(illegal_late, "compiled")])
    rows = GAME.record(setup, 0)
    assert rows[-1]["event"] == "illegal"
    assert "the roll has no such choice; there were" in rows[-1]["why"]
    assert any("illegal decision" in line for line in GAME.narrate(rows))


def test_policies_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import pymacco_sim as pm\n"
        "from pymacco_sim.macke import keep\n\n"
        "def plain(points, dice, roll, choices):\n"
        "    return choices[0], points + choices[0].points >= 350\n\n"
        "@pm.policy('macke', threshold=(300, 0, 1000))\n"
        "def tuned(view, params):\n"
        "    return keep(0, view.points + view.choice_points[0] >= params.threshold)\n"
    )
    built_in = pm.simulate("macke", "points:350", n_games=500, seed=1).totals["turns_mean"]
    for spec in (f"{path}:plain", f"{path}:tuned:threshold=350", f"{path}:tuned:350"):
        assert pm.simulate("macke", spec, n_games=500, seed=1).totals["turns_mean"] == built_in


@pytest.mark.parametrize(
    ("policies", "words"),
    [
        ("pints:350", "unknown macke policy 'pints': did you mean 'points'?"),
        ("points:-5", "threshold of policy 'points' is '-5'; it must be a number from 0 to 100000."),
        ("points:many", "threshold of policy 'points' is 'many'"),
        ("points:treshold=3", "unknown parameter of policy 'points' 'treshold': did you mean 'threshold'?"),
        ("points:350:keep=most", "unknown keep of policy 'points' 'most'"),
        ("dice:2.5", "threshold of policy 'dice' is '2.5'; it must be a whole number from 0 to 6."),
        (["points"] * 9, "9"),
    ],
)
def test_bad_requests(policies: Any, words: str) -> None:
    with pytest.raises(pm.RequestError) as caught:
        pm.simulate("macke", policies, n_games=10)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("policies", "scope"), [(["points"], "race"), (["points", "dice"], "session"), (["points"], "x")]
)
def test_bad_scopes(policies: list[str], scope: str) -> None:
    with pytest.raises(pm.RequestError, match="scope"):
        pm.simulate("macke", policies, n_games=10, scope=scope)
