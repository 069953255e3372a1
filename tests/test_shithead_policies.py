"""Policies: users' equal to built-ins, parts combined by name, strength, errors that name the culprit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pymacco_sim._check import PolicyError
from pymacco_sim.games.base import ILLEGAL
from pymacco_sim.games.load import make_policy, parse_entrant
from pymacco_sim.games.shithead import GAME
from pymacco_sim.shithead import (
    copies,
    draw_below,
    has_bit,
    lay,
    lowest_bit,
    play,
    ranks_of,
    strongest,
    turn_known,
    turn_over,
    weakest,
    weakest_legal,
)

from .shithead_tools import PRESETS, make_setup, own_share, with_part
from .shithead_tools import play as play_games


def own_lowest(view: Any, params: Any) -> int:
    rank = weakest_legal(view)
    return play(rank, copies(view, rank))


def bare_lowest(view: Any, params: Any) -> int:
    best, least = 0, 1000
    for rank in range(2, 16):
        if (view.legal >> rank) & 1:
            order = rank + 100 * ((view.strong >> rank) & 1)
            if order < least:
                best, least = rank, order
    count = view.cards[best]
    if view.joins:
        count += view.own_up[best]
    return 16 * np.int64(count) + best


def own_random(view: Any, params: Any, stream: Any) -> int:
    total = 0
    left = view.legal
    while left != 0:
        total += copies(view, lowest_bit(left))
        left &= left - 1
    pick = draw_below(stream, total)
    left = view.legal
    while pick >= copies(view, lowest_bit(left)):
        pick -= copies(view, lowest_bit(left))
        left &= left - 1
    return play(lowest_bit(left), pick + 1)


def own_strongest(view: Any, params: Any) -> int:
    chosen = 0
    left = view.legal
    taken = 0
    for _ in range(view.up_size):
        rank = strongest(view, left)
        chosen = lay(chosen, rank)
        taken += 1
        if taken == view.hand[rank]:
            left &= ~(1 << rank)
            taken = 0
    return chosen


def own_known(view: Any, params: Any) -> int:
    if view.legal != 0:
        return turn_known(weakest(view, view.legal))
    if view.n_unknown > 0:
        return turn_over(0)
    return turn_known(weakest(view, ranks_of(view.known)))


def made(function: Callable[..., Any], part: str | None = None, **parameters: Any) -> Any:
    """A user's policy."""
    return make_policy(GAME, function, part, None, parameters)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("user", "built_in"),
    [
        (made(own_lowest), "lowest"),
        (made(bare_lowest), "lowest"),
        (made(own_random), "random+face_up=strongest+face_down=known"),
        (with_part(made(own_strongest, "face_up")), "lowest"),
        (with_part(made(own_known, "face_down")), "lowest"),
    ],
    ids=["lowest", "bare", "random", "face_up", "face_down"],
)
def test_a_users_policy_plays_as_the_built_in(user: Any, built_in: str, preset: str) -> None:
    rest = ["highest", "hoarder", "random"]
    ours = play_games(make_setup([user, *rest], {"max_turns": 600}, preset, rotate=True), 200)
    theirs = play_games(make_setup([built_in, *rest], {"max_turns": 600}, preset, rotate=True), 200)
    for name, column in theirs.items():
        np.testing.assert_array_equal(ours[name], column, name)


def test_naming_a_baseline_names_all_of_it() -> None:
    parts = {
        name: [d.policy.name for d in parse_entrant(GAME, name).deciders]
        for name in ("random", "lowest", "highest", "single", "blocker")
    }
    assert parts["random"] == ["random", "uniform", "uniform"]
    for name in ("lowest", "highest", "single"):
        assert parts[name] == [name, "strongest", "known"]
    assert parts["blocker"] == ["blocker", "together", "known"]


def test_parts_are_combined_by_name() -> None:
    spec = "hoarder:keep=3+face_up=together:copies=2+face_down=prober:pile=1"
    entrant = parse_entrant(GAME, spec)
    assert entrant.label == spec
    assert [d.policy.part for d in entrant.deciders] == list(GAME.parts)
    same = play_games(make_setup(["lowest+face_up=strongest+face_down=known"] * 3), 100)
    for name, column in play_games(make_setup(["lowest"] * 3), 100).items():
        np.testing.assert_array_equal(same[name], column, name)
    other = play_games(make_setup([spec, "lowest", "random"], preset="tomacco"), 100)
    assert (other["status"] >= 0).all()


@pytest.mark.parametrize(("preset", "least"), [("tomacco", 0.01), ("threes", 0.03), ("threes-2022", 0.0)])
@pytest.mark.parametrize("policy", ["hoarder", "blocker", "burner", "thinner"])
def test_planned_policies_beat_lowest(policy: str, preset: str, least: float) -> None:
    got = play_games(make_setup([policy, "lowest", "lowest", "lowest"], preset=preset, seed=31, rotate=True), 80_000)
    base = play_games(make_setup(["lowest"] * 4, preset=preset, seed=31, rotate=True), 80_000)
    (win, win_se), (place, place_se) = own_share(got, "win"), own_share(got, "place")
    usual, usual_se = own_share(base, "win")
    assert win - usual - 4 * np.hypot(win_se, usual_se) > least
    assert place / 2 + 4 * place_se / 2 < 2.5


@pytest.mark.parametrize("preset", ["tomacco", "threes"])
def test_equal_cards_are_laid_together_with_profit(preset: str) -> None:
    got = play_games(
        make_setup(["lowest+face_up=together", *["lowest"] * 3], preset=preset, seed=32, rotate=True), 200_000
    )
    place, error = own_share(got, "place")
    assert place / 2 + 5 * error / 2 < 2.5


def raises(view: Any, params: Any) -> int:
    return [1, 2][view.players]


def returns_float(view: Any, params: Any) -> Any:
    return 1.5


def plays_anything(view: Any, params: Any) -> int:
    return play(12, 4)


def endless(view: Any, params: Any) -> int:
    while True:
        pass


def writes(view: Any, params: Any) -> int:
    view.hand[3] = 1
    return 0


def is_moody(view: Any, params: Any) -> int:
    return play(weakest_legal(view), 1 if np.random.random() < 0.5 else 2)


def does_not_compile(view: Any, params: Any) -> int:
    return own_lowest(view, params) + int(str(view.seat)[:0] or "0") * eval("0")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (raises, "raised IndexError"),
        (returns_float, "returned 1.5, a float; it must return an int"),
        (plays_anything, r"illegal decision in rehearsal: it played 4 x Q; .*legal: "),
        (endless, "seems endless"),
        (writes, "read-only"),
        (is_moody, "illegal decision in rehearsal|decides differently"),
        (does_not_compile, "does not compile"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_wrong_policies_are_named(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(PolicyError, match=rf"policy '{function.__name__}'.*({words})"):
        make_setup([made(function), "lowest"])


def lays_nothing(view: Any, params: Any) -> int:
    return 0


def declines(view: Any, params: Any) -> int:
    return turn_over(0xFFFC)


@pytest.mark.parametrize(
    ("function", "part", "words"),
    [(lays_nothing, "face_up", "chose the cards 0; legal: any 3 of"), (declines, "face_down", "may not be declined")],
)
def test_wrong_parts_are_named(function: Callable[..., Any], part: str, words: str) -> None:
    entrant = with_part(made(function, part))
    with pytest.raises(PolicyError, match=rf"policy '{function.__name__}'.*{words}"):
        make_setup([entrant, "lowest"])


def fails_late(view: Any, params: Any) -> int:
    rank = weakest_legal(view)
    return play(rank, 60 if view.burnt[4] == 8 else 1)


def test_an_illegal_decision_stops_the_run_and_is_explained() -> None:
    setup = make_setup([made(fails_late), "random"], {"max_turns": 2000})
    got = play_games(setup, 400)
    wrong = int(np.flatnonzero(got["status"] == ILLEGAL)[0])
    assert not got["turns"][wrong + 1 :].any()
    out = np.zeros((len(got), 1), dtype=np.int32)
    GAME.play(setup, wrong, out)
    seat, decision, part = (int(value) for value in out[1:4, 0])
    assert (seat, part) == (0, 0)
    words = GAME.explain_illegal(setup, seat, decision, part)
    assert words.startswith("it played 60 x ")
    assert "legal: " in words
    rows = GAME.record(setup, wrong)
    assert rows[-1]["event"] == "illegal"
    assert rows[-1]["why"] == words
    assert "illegal: it played" in list(GAME.narrate(rows))[-1]


def raises_late(view: Any, params: Any) -> int:
    if view.burnt[4] == 8:
        raise ValueError("no")
    rank = weakest_legal(view)
    return play(rank, copies(view, rank))


def test_an_error_at_run_time_stops_the_run() -> None:
    setup = make_setup([made(raises_late), "random"], {"max_turns": 2000})
    got = play_games(setup, 400)
    wrong = int(np.flatnonzero(got["status"] == ILLEGAL)[0])
    play_games(setup, 1, first=wrong)
    (key, *_) = setup.faults
    assert "it raised an error" in GAME.explain_illegal(setup, *key)


def test_helpers_answer_in_plain_python_too() -> None:
    assert int(play(11, 2)) == 43
    assert has_bit(0b100, 2)
