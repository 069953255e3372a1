"""The engine on worked positions, and on the readings that are rule fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pymacco_sim.games.shithead import GAME
from pymacco_sim.games.shithead.engine import PICK_UP, apply, is_over, legal, may_lay, score
from pymacco_sim.games.shithead.policies import decide_face_down, decide_face_up, decide_play
from pymacco_sim.games.shithead.rules import ShitheadRules, parse_rank
from pymacco_sim.games.shithead.state import CHOOSING, DOWN, HAND, UP, zone_of
from pymacco_sim.games.shithead.words import ZONE_NAMES, chosen_cards, face_down_cards, most_copies, name_counts
from pymacco_sim.shithead import decline, lay, turn_over
from pymacco_sim.shithead import play as played

from .shithead_tools import place_cards, ranks

SCENARIOS = json.loads((Path(__file__).parent / "data" / "cards.json").read_text())["scenarios"]
POSITIONS = [scenario for scenario in SCENARIOS if scenario["family"] == "shithead"]
STREAM = np.ones(4, dtype=np.uint32)


def names(cards: list[str]) -> list[str]:
    """Cards as the package writes them, ascending."""
    return name_counts(np.bincount(ranks(cards), minlength=16))


def position(rules: dict[str, Any], hands: Any, **rest: Any) -> tuple[np.record, np.record]:
    """Position of two or more seats with nothing but what is named."""
    empty: list[list[str]] = [[] for _ in hands]
    rest = {"face_up": empty, "face_down": empty, **rest}
    return place_cards(ShitheadRules(players=len(hands), **rules), hands, **rest)


def decision_of(state: np.record, action: dict[str, Any]) -> int:
    """Decision number of an action in words."""
    if "pick_up" in action:
        return PICK_UP
    if "play" in action:
        what = action["play"]
        return int(played(parse_rank("test", what["rank"]), what["copies"] + what["join"]))
    (kind, slot), *_ = action.items()
    me = state.seats[state.seat]
    rank = parse_rank("test", face_down_cards(me)[slot])
    known = int(me.seen) >> slot & 1
    if kind == "decline":
        return int(decline(rank)) if known else int(turn_over(1 << rank))
    return rank if known else int(turn_over(0))


def do(state: np.record, law: np.record, action: dict[str, Any]) -> None:
    """Carry out an action; a blind pick is drawn again until it is the slot that is meant."""
    slot = action.get("face_down", action.get("decline"))
    before = state.copy()
    for _ in range(200):
        assert apply(state, law, decision_of(state, action))
        if slot is None or state.slot == slot:
            return
        chance = state.chance.copy()
        for name in state.dtype.names:
            state[name] = before[name]
        state.chance[:] = chance
    raise AssertionError("the slot never came up")


def snapshot(state: np.record, law: np.record, burnt: np.ndarray) -> dict[str, Any]:
    """The position in the words of the scenarios, cards by name."""
    seats = [state.seats[seat] for seat in range(int(law.players))]
    value = int(state.value)
    return {
        "hands": [name_counts(me.cards[HAND]) for me in seats],
        "face_up": [name_counts(me.cards[UP]) for me in seats],
        "face_down": [face_down_cards(me) for me in seats],
        "known_down": [[slot for slot in range(int(me.held[DOWN])) if int(me.seen) >> slot & 1] for me in seats],
        "pile": state.pile_cards[: int(state.n_pile)].tolist(),
        "newly_burnt": name_counts(state.burnt - burnt),
        "stock": state.stock[: int(state.n_stock)][::-1].tolist(),
        "value": value,
        "inverted": bool(int(law.inverts) >> value & 1),
        "run": int(state.tail if state.tail_rank else state.run),
        "to_play": None if is_over(state) else int(state.seat),
        "places": [int(me.place) for me in seats],
        "over": bool(is_over(state)),
        "status": "finished" if is_over(state) else "playing",
        "turns": int(state.turns),
        "burns": int(state.burns),
        "pick_ups": int(state.pickups),
        "failed_face_down": int(state.failed),
    }


def check(got: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare the given fields of a position."""
    for field, value in expected.items():
        if field in ("hands", "face_up"):
            for seat, cards in value.items():
                assert got[field][int(seat)] == names(cards)
        elif field == "known_down":
            assert {seat: got[field][int(seat)] for seat in value} == value
        elif field == "face_down":
            for seat, cards in value.items():
                assert ranks(got[field][int(seat)]) == ranks(cards)
        elif field in ("pile", "stock"):
            assert got[field] == ranks(value)
        elif field == "newly_burnt":
            assert got[field] == names(value)
        elif field == "value":
            assert got[field] == (parse_rank("test", value) if value else 0)
        else:
            assert got[field] == value, field


@pytest.mark.parametrize("scenario", POSITIONS, ids=[scenario["id"] for scenario in POSITIONS])
def test_scenario(scenario: dict[str, Any]) -> None:
    rules = GAME.make_rules(scenario["rules"], {"players": scenario["players"]})
    assert isinstance(rules, ShitheadRules)
    state, law = place_cards(rules, **scenario["state"])
    burnt, expect = state.burnt.copy(), scenario["expect"]
    for action in scenario["do"]:
        do(state, law, action)
    check(snapshot(state, law, burnt), expect.get("state", {}))
    if "legal" in expect:
        wanted, me = expect["legal"], state.seats[state.seat]
        assert ZONE_NAMES[int(zone_of(me))] == wanted["zone"].replace("-", "_")
        options = int(legal(state, law))
        plays = {} if zone_of(me) == DOWN else most_copies(state, law, options)
        assert {parse_rank("t", name): most for name, most in plays.items()} == {
            parse_rank("t", name): most for name, most in wanted["plays"].items()
        }
        assert wanted["must_pick_up"] == (zone_of(me) != DOWN and options == 0)
    if "first_player" in expect:
        assert place_cards(rules, **{**scenario["state"], "to_play": None})[0].seat == expect["first_player"]
    if "policy" in expect:
        check_policy(state, law, **expect["policy"])
    if "choose_up" in expect:
        state.phase, code = CHOOSING, GAME.find_policy("strongest", "face_up").code
        choice = int(decide_face_up(code, state, 0, law, np.zeros(8), STREAM))
        assert may_lay(law, state.seats[0], choice)
        assert chosen_cards(choice, 3) == names(expect["choose_up"]["face_up"])


def check_policy(state: np.record, law: np.record, name: str, choice: dict[str, Any]) -> None:
    """A baseline decides as the scenario says."""
    seat = int(state.seat)
    if "pick_up" in choice:
        assert legal(state, law) == 0, "the engine asks nobody who cannot play"
        return
    if zone_of(state.seats[seat]) == DOWN:
        code = GAME.find_policy("known", "face_down").code
        decision = decide_face_down(code, state, seat, law, np.zeros(8), STREAM)
    else:
        rank, copies = decide_play(GAME.find_policy(name).code, state, seat, law, np.zeros(8), STREAM)
        decision = played(rank, copies)
    assert int(decision) == decision_of(state, {"play": choice} if "rank" in choice else choice)


@pytest.mark.parametrize(
    "decision", [played(12, 2), played(9, 1), played(12, 0), PICK_UP, -1, played(1, 1), played(12, 1 << 40), 2**62]
)
def test_illegal_decisions_change_nothing(decision: int) -> None:
    state, law = position({"wild": "2"}, [["Q", "4"], ["5"]], face_up=[["Q"], []], pile=["9"])
    before = state.copy()
    assert not apply(state, law, np.int64(decision))
    assert state == before


@pytest.mark.parametrize(("field", "legal_now"), [(True, True), (False, False)])
def test_declining_is_a_rule(field: bool, legal_now: bool) -> None:
    state, law = position({"may_decline": field}, [[], ["5"]], face_down=[["Q"], []], pile=["9"])
    assert apply(state, law, int(turn_over(1 << 12))) == legal_now
    empty, law = position({"may_decline": field}, [[], ["5"]], face_down=[["Q"], []])
    assert not apply(empty, law, int(turn_over(1 << 12))), "an empty pile is never picked up"


def test_a_face_up_choice_is_of_own_cards() -> None:
    state, law = position({}, [["2", "2", "5", "7", "J", "A"], ["5"] * 6])
    state.phase, state.seat = CHOOSING, 0
    for cards, fits in (((2, 2, 14), True), ((2, 2, 2), False), ((2, 5), False), ((3, 5, 7), False)):
        choice = 0
        for card in cards:
            choice = int(lay(choice, card))
        assert bool(may_lay(law, state.seats[0], choice)) == fits


def test_players_still_in_share_the_places_that_are_left() -> None:
    rules = {"play_until": "first"}
    state, law = position(rules, [["Q"], ["5"], ["5"]], pile=["9"])
    assert apply(state, law, int(played(12, 1)))
    assert is_over(state)
    assert [int(score(state, law, seat)) for seat in range(3)] == [2, 5, 5]
