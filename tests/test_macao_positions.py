"""The engine on worked positions, and on the readings that are rule fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pymacco_sim.games.macao import GAME
from pymacco_sim.games.macao.cards import card_names
from pymacco_sim.games.macao.engine import apply, hand_points, is_legal, is_over, match_over
from pymacco_sim.games.macao.outcomes import WIN_SCALE, list_outcomes, write_game
from pymacco_sim.games.macao.policies import decide_play, decide_suit
from pymacco_sim.games.macao.position import place_cards
from pymacco_sim.games.macao.record import decision_row, legal_actions, named_suit, pending
from pymacco_sim.games.macao.rules import MacaoRules
from pymacco_sim.games.macao.state import pack_rules

from .macao_tools import decision_of

SCENARIOS = json.loads((Path(__file__).parent / "data" / "cards.json").read_text())["scenarios"]


def family(name: str) -> Any:
    """Parametrize over the scenarios of a family."""
    chosen = [scenario for scenario in SCENARIOS if scenario["family"] == name]
    return pytest.mark.parametrize("scenario", chosen, ids=[scenario["id"] for scenario in chosen])


class Position:
    """A position, its rules, and moves in words."""

    def __init__(self, rules: dict[str, Any], hands: list[list[str]], top: str, stock: Any = (), **rest: Any) -> None:
        made = MacaoRules(**{"players": len(hands), **rules})
        self.law = pack_rules(made)[0]
        self.state = place_cards(made, hands, top, stock, **rest)[0]

    def do(self, *actions: dict[str, Any]) -> Position:
        """Carry out legal actions."""
        for action in actions:
            decision = decision_of(action)
            assert is_legal(self.state, self.law, decision), action
            apply(self.state, self.law, decision)
        return self

    @property
    def legal(self) -> dict[str, Any]:
        return legal_actions(self.state, self.law)

    def choice(self, policy: str) -> dict[str, Any]:
        """What a built-in policy does here, the suit of an ace included."""
        stream = np.ones(4, dtype=np.uint32)
        code = GAME.find_policy(policy).code
        decision = int(decide_play(code, self.state, self.law, np.zeros(8), stream))
        words = decision_row(decision, False)
        if decision >= 0 and self.law.wild[decision & 63]:
            apply(self.state, self.law, decision)
            if not is_over(self.state):
                suit = decide_suit(GAME.find_policy("longest", "suit").code, self.state, self.law, np.zeros(8), stream)
                words["suit"] = decision_row(int(suit), True)["suit"]
        return words

    def snapshot(self) -> dict[str, Any]:
        """The position in the words of the scenarios."""
        state, seats = self.state, range(int(self.law.players))
        what = pending(state)
        return {
            "hands": {str(seat): card_names(state.counts[seat]) for seat in seats},
            "top": card_names(1 << int(state.top))[0],
            "named_suit": named_suit(state),
            "pending": what,
            "stock": [card_names(1 << int(card))[0] for card in state.deck[: int(state.stock)][::-1]],
            "to_play": None if is_over(state) else int(state.to_play),
            "played": int(state.played),
            "passes": int(state.passes),
            "over": bool(is_over(state)),
            "winner": int(state.winner) if state.winner >= 0 else None,
            "points": [int(hand_points(state, self.law, seat)) for seat in seats],
        }


@family("macao")
def test_scenario(scenario: dict[str, Any]) -> None:
    state = dict(scenario["state"])
    position = Position(scenario["options"] or {}, state.pop("hands"), state.pop("top"), state.pop("stock"), **state)
    position.do(*scenario["do"])
    got, expect = position.snapshot(), scenario["expect"]
    for field, value in expect.get("state", {}).items():
        if field == "hands":
            for seat, cards in value.items():
                assert sorted(got["hands"][seat]) == sorted(cards)
        else:
            assert got[field] == value, field
    if "legal" in expect:
        assert sorted(position.legal["cards"]) == sorted(expect["legal"]["cards"])
        assert position.legal["other"] == expect["legal"]["other"]
    if "policy" in expect:
        choice = dict(expect["policy"]["choice"])
        choice = {choice["other"]: True} if "other" in choice else choice
        assert position.choice(expect["policy"]["name"]) == choice


@family("macao-match")
def test_match_scenario(scenario: dict[str, Any]) -> None:
    before, expect = scenario["state"], scenario["expect"]
    totals = [total + more for total, more in zip(before["totals_before"], before["hand_points"], strict=True)]
    rules = MacaoRules(players=scenario["players"], target=before["target"])
    states, law = place_cards(rules, [["5C"]] * scenario["players"], "5D", totals=totals), pack_rules(rules)
    assert match_over(states[0], law[0]) == expect["match_over"]
    seats = scenario["players"]
    out = np.zeros((1 + sum(seats if o.seat else 1 for o in list_outcomes(True)), 1), dtype=np.int32)
    write_game(states[0], law[0], True, out, 0)
    assert (out[1 : 1 + seats, 0] / WIN_SCALE).tolist() == expect["win_shares"]


def two(own: list[str], top: str, stock: Any = ("5C", "6C"), rules: dict[str, Any] | None = None, **rest: Any) -> Any:
    """A position of two seats, the first to play."""
    return Position(rules or {}, [own, ["9D", "9H"]], top, stock, **rest)


DRAW_TWO = {"draw": 2, "skip": 0, "kind": "2"}


@pytest.mark.parametrize(
    ("rules", "answers"),
    [
        ({}, ["2H", "7D", "7S"]),
        ({"seven_needs_match": True}, ["2H", "7S"]),
        ({"ace_answers": True}, ["2H", "7D", "7S", "AD"]),
        ({"cross_stacking": True}, ["2H", "3D", "7D", "7S", "RJ"]),
        ({"cancel_ranks": "9"}, ["2H", "9C"]),
        ({"forced_draw": "2:2+9:4", "cross_stacking": True}, ["2H", "7D", "7S", "9C"]),
    ],
)
def test_answers(rules: dict[str, Any], answers: list[str]) -> None:
    own = ["2H", "3D", "4S", "7D", "7S", "9C", "AD", "RJ"]
    assert two(own, "KS", rules=rules, pending=DRAW_TWO).legal == {"cards": answers, "other": "take"}


def test_cross_stacking_changes_the_kind() -> None:
    position = two(["3D", "KH"], "2S", rules={"cross_stacking": True}, pending=DRAW_TWO)
    assert pending(position.do({"card": "3D"}, {"end": True}).state) == {"draw": 5, "skip": 0, "kind": "3"}


def test_an_ace_that_answers_moves_all_on() -> None:
    position = two(["AD", "KH"], "2S", rules={"ace_answers": True}, pending={**DRAW_TWO, "skip": 1})
    position.do({"card": "AD", "suit": "H"}, {"end": True})
    assert pending(position.state) == {"draw": 2, "skip": 1, "kind": "2"}


def test_skips_stack_and_fall_one_by_one() -> None:
    position = two(["4C", "KH"], "4S", rules={"skips_stack": True}, pending={"draw": 0, "skip": 1, "kind": "4"})
    position.do({"card": "4C"}, {"end": True})
    assert position.state.skip == 2
    position.do({"take": True})
    assert pending(position.state) == {"draw": 0, "skip": 1, "kind": "4"}
    position.do({"take": True})
    assert pending(position.state) == {"draw": 0, "skip": 0, "kind": None}


@pytest.mark.parametrize(
    ("follow", "cards"),
    [("any", ["3C", "8D", "AC", "BJ"]), ("free", ["AC", "BJ"]), ("below", ["8D", "AC", "BJ"])],
)
def test_what_follows_a_joker(follow: str, cards: list[str]) -> None:
    position = two(["RJ", "3C", "8D", "AC", "BJ"], "KD", rules={"joker_follow": follow})
    assert position.do({"card": "RJ"}).legal["cards"] == cards


def test_a_joker_below_reading_keeps_the_named_suit() -> None:
    position = two(["AC", "RJ", "8H", "8D"], "KD", rules={"joker_follow": "below"})
    assert position.do({"card": "AC", "suit": "H"}, {"card": "RJ"}).legal["cards"] == ["8H"]


@pytest.mark.parametrize(
    ("rules", "cards"),
    [
        ({"wild_ranks": "8"}, ["8D", "KC", "BJ"]),
        ({"wild_ranks": "none"}, ["KC", "BJ"]),
        ({"free_ranks": "none"}, ["KC", "AH"]),
        ({"free_ranks": "5"}, ["5D", "KC", "AH"]),
    ],
)
def test_wild_and_free_ranks(rules: dict[str, Any], cards: list[str]) -> None:
    assert two(["5D", "8D", "KC", "AH", "BJ"], "KS", rules=rules).legal["cards"] == cards


def test_a_suit_is_named_after_the_ace_or_with_it() -> None:
    position = two(["AC", "KH"], "10S").do({"card": "AC"})
    assert position.legal == {"suits": ["C", "D", "H", "S"]}
    assert not is_legal(position.state, position.law, 4)
    apply(position.state, position.law, 2)
    assert named_suit(position.state) == "H"
    assert position.legal == {"cards": ["KH"], "other": "end"}


def test_only_wild_cards_name_suits() -> None:
    position = two(["10H", "KH"], "10S")
    assert not is_legal(position.state, position.law, decision_of({"card": "10H", "suit": "C"}))


def test_an_empty_stock_blocks_the_hand_after_as_many_passes_as_seats() -> None:
    position = two(["KH"], "4S", stock=())
    assert position.legal == {"cards": [], "other": "pass"}
    position.do({"pass": True}, {"pass": True})
    assert position.snapshot()["over"]
    assert position.snapshot()["winner"] is None


def test_a_lost_turn_without_a_draw_is_no_pass() -> None:
    position = two(["KH"], "4S", stock=(), pending={"draw": 0, "skip": 1, "kind": "4"}, passes=1)
    assert position.do({"take": True}).state.passes == 1


def test_forced_draws_take_what_the_stock_has() -> None:
    position = two(["KH"], "2S", stock=["5C"], pending={"draw": 3, "skip": 0, "kind": "3"}, passes=1)
    got = position.do({"take": True}).snapshot()
    assert got["hands"]["0"] == ["5C", "KH"]
    assert got["passes"] == 0
    assert got["pending"] == {"draw": 0, "skip": 0, "kind": None}


def test_reshuffle_makes_a_stock_of_the_pile_but_its_top() -> None:
    position = two(["KH"], "4S", stock=(), rules={"reshuffle": True, "decks": 1}, pile=51)
    assert position.legal["other"] == "draw"
    state = position.do({"draw": True}).state
    assert (state.stock, state.pile, state.cards[0]) == (54 - 5, 1, 2)


def test_a_pile_of_one_card_gives_no_stock() -> None:
    assert two(["KH"], "4S", stock=(), rules={"reshuffle": True}).legal["other"] == "pass"


def test_max_turns_stalls_a_hand() -> None:
    position = two(["KH"], "4S", rules={"max_turns": 1}).do({"draw": True})
    assert position.snapshot()["over"]
    assert position.snapshot()["winner"] is None
