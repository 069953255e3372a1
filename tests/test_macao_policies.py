"""Users' policies: equal to built-ins, errors that name the culprit, views that hide what is hidden."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pymacco_sim._check import PolicyError
from pymacco_sim.games.base import ILLEGAL
from pymacco_sim.games.load import make_policy
from pymacco_sim.games.macao import GAME
from pymacco_sim.macao import SPADES, best_card, best_chain, draw_below, longest_suit, nth_bit, play

from .macao_tools import make_setup
from .macao_tools import play as play_games


def own_greedy(view: Any, params: Any) -> int:
    card = best_card(view.playable, view.points)
    return card if card >= 0 else view.other


def bare_greedy(view: Any, params: Any) -> int:
    best, most = -1, -1
    for card in range(54):
        if (view.playable >> card) & 1 and view.points[card] > most:
            best, most = card, view.points[card]
    return best if best >= 0 else view.other


def naming_greedy(view: Any, params: Any) -> int:
    card = best_card(view.playable, view.points)
    if card >= 0 and view.wild[card]:
        left = view.hand.copy()
        left[card] -= 1
        return play(card, longest_suit(left))
    return card if card >= 0 else view.other


def own_random(view: Any, params: Any, stream: Any) -> int:
    count = 0
    for card in range(54):
        count += (view.playable >> card) & 1
    if count == 0:
        return view.other
    index = draw_below(stream, count + 1)
    return nth_bit(view.playable, index) if index < count else view.other


def own_planner(view: Any, params: Any) -> int:
    return best_chain(view, view.points + params.card, 0.0, 400)


def own_longest(view: Any, params: Any) -> int:
    return longest_suit(view.hand)


def made(function: Callable[..., Any], part: str | None = None, **parameters: Any) -> Any:
    """A user's policy."""
    return make_policy(GAME, function, part, None, parameters)


@pytest.mark.parametrize(
    ("user", "built_in"),
    [
        (made(own_greedy), "greedy"),
        (made(bare_greedy), "greedy"),
        (made(naming_greedy), "greedy"),
        (made(own_random), "random+suit=longest"),
        (made(own_planner, card=5.0), "planner"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
@pytest.mark.parametrize("scope", ["hand", "match"])
def test_a_users_policy_plays_as_the_built_in(user: Any, built_in: str, scope: str) -> None:
    rest = ["thrifty", "random", "planner"]
    ours = play_games(make_setup([user, *rest], scope=scope, rotate=True), 400)
    theirs = play_games(make_setup([built_in, *rest], scope=scope, rotate=True), 400)
    for name, column in theirs.items():
        np.testing.assert_array_equal(ours[name], column, name)


def test_a_users_suit_policy_plays_as_the_built_in() -> None:
    from pymacco_sim.games.policy import Decider, Entrant

    policy = made(own_longest, "suit")
    main = Decider(GAME.find_policy("greedy"), ())
    ours = play_games(make_setup([Entrant((main, Decider(policy, ())), ("longest",))] * 4), 400)
    theirs = play_games(make_setup(["greedy"] * 4), 400)
    for name, column in theirs.items():
        np.testing.assert_array_equal(ours[name], column, name)


def raises(view: Any, params: Any) -> int:
    return [1, 2][view.players]


def returns_float(view: Any, params: Any) -> Any:
    return 1.5


def returns_text(view: Any, params: Any) -> Any:
    return "draw"


def plays_anything(view: Any, params: Any) -> int:
    return 53


def endless(view: Any, params: Any) -> int:
    while True:
        pass


def writes(view: Any, params: Any) -> int:
    view.hand[0] = 1
    return view.other


def is_moody(view: Any, params: Any) -> int:
    return view.other if np.random.random() < 0.5 else own_greedy(view, params)


def does_not_compile(view: Any, params: Any) -> int:
    table = {card: str(card) for card in range(54)}
    return int(table[own_greedy(view, params)]) if view.other > 5 else view.other + len(f"{table}") * 0 + eval("0")


def names_nothing(view: Any, params: Any) -> int:
    return 4


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (raises, "raised IndexError"),
        (returns_float, "returned 1.5, a float; it must return an int"),
        (returns_text, "returned 'draw', a str"),
        (plays_anything, "illegal decision in rehearsal: it played RJ with"),
        (endless, "seems endless"),
        (writes, "read-only"),
        (is_moody, "decides differently when asked twice"),
        (does_not_compile, "does not compile"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_wrong_policies_are_named(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(PolicyError, match=rf"policy '{function.__name__}'.*{words}"):
        make_setup([made(function), "greedy"])


def test_a_wrong_suit_is_named() -> None:
    from pymacco_sim.games.policy import Decider, Entrant

    entrant = Entrant((Decider(GAME.find_policy("greedy"), ()), Decider(made(names_nothing, "suit"), ())), ("longest",))
    with pytest.raises(PolicyError, match=r"policy 'names_nothing'.* named suit 4"):
        make_setup([entrant, entrant])


def fails_late(view: Any, params: Any) -> int:
    if view.stock < 60:
        return play(51, SPADES) if view.hand[51] == 0 else 52
    return view.other


def test_an_illegal_decision_stops_the_run_and_is_explained() -> None:
    setup = make_setup([made(fails_late), "random"], {"max_turns": 500})
    got = play_games(setup, 50)
    wrong = int(np.flatnonzero(got["status"] == ILLEGAL)[0])
    assert not got["turns"][wrong + 1 :].any()
    out = np.zeros((len(got), 1), dtype=np.int32)
    GAME.play(setup, wrong, out)
    seat, decision, part = (int(value) for value in out[1:4, 0])
    assert (seat, part) == (0, 0)
    words = GAME.explain_illegal(setup, seat, decision, part)
    assert words.startswith("it played ")
    assert "legal: " in words
    rows = GAME.record(setup, wrong)
    assert rows[-1]["event"] == "illegal"
    assert rows[-1]["why"] == words
    assert "illegal: it played" in list(GAME.narrate(rows))[-1]


def raises_late(view: Any, params: Any) -> int:
    if view.stock < 60:
        raise ValueError("no")
    return view.other


def test_an_error_at_run_time_stops_the_run() -> None:
    setup = make_setup([made(raises_late), "random"])
    got = play_games(setup, 50)
    wrong = int(np.flatnonzero(got["status"] == ILLEGAL)[0])
    out = np.zeros((len(got), 1), dtype=np.int32)
    GAME.play(setup, wrong, out)
    assert "it raised an error" in GAME.explain_illegal(setup, *(int(value) for value in out[1:4, 0]))
