"""Rules of Macao: text forms, checks, what they become for the kernels."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pymacco_sim._check import RequestError
from pymacco_sim.games.base import column_names
from pymacco_sim.games.macao import GAME
from pymacco_sim.games.macao.cards import card_name, card_names, card_number, rank, rank_number, suit
from pymacco_sim.games.macao.rules import MacaoRules
from pymacco_sim.games.macao.state import pack_rules

from .macao_tools import make_setup


def test_defaults_are_the_rules_page() -> None:
    rules = GAME.make_rules("macao", {})
    assert (rules.players, rules.decks, rules.hand_size, rules.target) == (4, 3, 5, 300)
    points = dict(rules.points)
    assert points == {
        "A": 50,
        "4": 30,
        "2": 10,
        "3": 15,
        "BJ": 25,
        "RJ": 50,
        "7": 40,
        "J": 10,
        "Q": 10,
        "K": 10,
        "5": 5,
        "6": 6,
        "8": 8,
        "9": 9,
        "10": 10,
    }
    assert dict(rules.forced_draw) == {"2": 2, "3": 3, "BJ": 5, "RJ": 10}
    assert (rules.skip_ranks, rules.cancel_ranks, rules.wild_ranks) == (("4",), ("7",), ("A",))
    assert not any([rules.reshuffle, rules.skips_stack, rules.seven_needs_match, rules.ace_answers])
    assert (rules.max_turns, rules.max_hands) == (10_000, 1_000)


@pytest.mark.parametrize(
    ("field", "given", "held"),
    [
        ("wild_ranks", "8+A", ("8", "A")),
        ("wild_ranks", [14, "8"], ("8", "A")),
        ("wild_ranks", 8, ("8",)),
        ("wild_ranks", "none", ()),
        ("free_ranks", "red joker", ("RJ",)),
        ("free_ranks", ("black", "king"), ("K", "BJ")),
        ("forced_draw", "3:3+2:2", (("2", 2), ("3", 3))),
        ("forced_draw", {"BJ": 4, 2: 1}, (("2", 1), ("BJ", 4))),
        ("forced_draw", [["2", 2]], (("2", 2),)),
        ("forced_draw", ["2:2", "RJ:9"], (("2", 2), ("RJ", 9))),
        ("first_dealer", 2, "2"),
    ],
)
def test_values_are_read_in_many_forms(field: str, given: Any, held: Any) -> None:
    assert getattr(GAME.make_rules("macao", {field: given}), field) == held


def test_ranks_without_points_keep_the_usual_ones() -> None:
    points = dict(MacaoRules(points="A:20").points)  # type: ignore[arg-type]
    assert (points["A"], points["7"]) == (20, 40)


def test_plain_values_make_the_same_rules_again() -> None:
    rules = MacaoRules(wild_ranks="8+A", forced_draw="2:4", points={"A": 1}, reshuffle=True)  # type: ignore[arg-type]
    assert MacaoRules(**rules.to_dict()) == rules
    assert hash(MacaoRules(**rules.to_dict())) == hash(rules)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"players": 9}, "players is 9; it must be a whole number from 2 to 8"),
        ({"players": 8, "decks": 1, "hand_size": 7}, "need 57 cards; 1 decks hold 54"),
        ({"wild_ranks": "Z"}, "wild_ranks is ['z']; it must be ranks joined by +"),
        ({"wild_ranks": "RJ"}, "a joker cannot be among them"),
        ({"forced_draw": "2"}, "forced_draw is ['2']; it must be rank:number"),
        ({"forced_draw": "2:x"}, "forced_draw of 2 is 'x'"),
        ({"forced_draw": 7}, "forced_draw is 7; it must be rank:number"),
        ({"skip_ranks": "2"}, "rank 2 has two powers"),
        ({"start_seat": 4}, "start_seat is 4; with 4 players it must be 0 to 3"),
        ({"first_dealer": 5}, "first_dealer is 5; with 4 players it must be drawn or 0 to 3"),
        ({"first_dealer": "me"}, "unknown first_dealer 'me'"),
        ({"joker_follow": "all"}, "unknown joker_follow 'all'"),
        ({"jokers": 2}, "unknown rule 'jokers'"),
    ],
)
def test_wrong_rules_are_explained(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestError, match=re.escape(words)):
        GAME.make_rules("macao", fields)


def test_seats_set_the_players() -> None:
    assert GAME.seat_rules(MacaoRules(), 7).players == 7  # type: ignore[attr-defined]


def test_every_field_is_described() -> None:
    rows = MacaoRules().describe()
    assert len(rows) == 20
    assert all(row["words"] and row["allowed"] for row in rows)


def test_packed_rules_hold_the_tables() -> None:
    law = pack_rules(MacaoRules())[0]
    assert card_names(law.answer[15]) == ["BJ", "RJ"]
    assert card_names(law.answer[4]) == ["4C", "4D", "4H", "4S"]
    assert law.answer[0] == 0
    king = card_names(law.follow[card_number("KH")])
    assert len(king) == 13 + 3 + 3 + 2
    assert law.n_cards == 162
    assert (law.deck[:162] == 53).sum() == 3


def test_card_names_and_numbers() -> None:
    assert [card_number(card_name(card)) for card in range(54)] == list(range(54))
    assert [rank(card) for card in (0, 51, 52, 53)] == [2, 14, 15, 16]
    assert [suit(card) for card in (0, 51, 52, 53)] == [0, 3, 4, 4]
    assert [rank_number(name) for name in ("10", "J", 13, "ace", "black_joker")] == [10, 11, 13, 14, 15]
    for name in ("1S", "10X", "", "S"):
        with pytest.raises(RequestError, match="card is"):
            card_number(name)


@pytest.mark.parametrize("scope", ["hand", "match"])
@pytest.mark.parametrize("seats", [2, 8])
def test_outcome_rows_fit_the_names(scope: str, seats: int) -> None:
    setup = make_setup(["greedy"] * seats, scope=scope)
    outcomes = GAME.outcomes(setup.cell)
    names = column_names(outcomes, seats)
    assert len(set(names)) == len(names)
    assert {outcome.per for outcome in outcomes} <= {"game", "finished", *names}
