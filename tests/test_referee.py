"""The referees of the card games against the worked positions and known statistics."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from .referee import macao, macao_policies, shithead, shithead_policies

DATA = Path(__file__).parent / "data"
CARDS = json.loads((DATA / "cards.json").read_text())["scenarios"]
STATS = {row["id"]: row for row in json.loads((DATA / "card_stats.json").read_text())["rows"]}
RANKS = {**{str(n): n for n in range(2, 11)}, "J": 11, "Q": 12, "K": 13, "A": 14, "Jk": 15}


def family(name: str) -> Any:
    """Parametrize over the scenarios of a family."""
    chosen = [scenario for scenario in CARDS if scenario["family"] == name]
    return pytest.mark.parametrize("scenario", chosen, ids=[scenario["id"] for scenario in chosen])


def ranks(names: Iterable[str]) -> list[int]:
    """Rank numbers of rank names."""
    return [RANKS[name] for name in names]


def assert_near(got: float, expected: float, variance: float, n: int, reference_se: float = 0.0) -> None:
    """Within five standard errors of both sides together."""
    se = math.sqrt(max(variance, 1e-12) / n + reference_se**2)
    assert abs(got - expected) <= 5 * se, f"{got} is {(got - expected) / se:.1f} errors off {expected}"


def assert_share(hits: int, n: int, p: float) -> None:
    """Share within five standard errors."""
    assert_near(hits / n, p, p * (1 - p), n)


# ---- shithead family: positions ----


def table_of(scenario: dict[str, Any]) -> shithead.Table:
    """Position of a scenario."""
    state = dict(scenario["state"])
    for field in ("hands", "face_up", "face_down"):
        state[field] = [ranks(cards) for cards in state[field]]
    state |= {"pile": ranks(state["pile"]), "stock": ranks(state["stock"])}
    return shithead.Table(shithead.preset(scenario["rules"], scenario["players"]), state)


def translated(action: dict[str, Any]) -> dict[str, Any]:
    """Action with its rank as a number."""
    play = action.get("play")
    return {"play": {**play, "rank": RANKS[play["rank"]]}} if play else action


def check_table(table: shithead.Table, expected: dict[str, Any]) -> None:
    """Compare the given fields of a position."""
    got = table.snapshot() | {"newly_burnt": table.burnt}
    for field, value in expected.items():
        if field in ("hands", "face_up"):
            for seat, cards in value.items():
                assert got[field][int(seat)] == sorted(ranks(cards))
        elif field in ("face_down", "known_down"):
            for seat, cards in value.items():
                assert got[field][int(seat)] == (cards if field == "known_down" else ranks(cards))
        elif field in ("pile", "newly_burnt"):
            assert got[field] == ranks(value)
        elif field == "stock":
            assert table.stock == ranks(value)
        elif field == "value":
            assert got[field] == (RANKS[value] if value else 0)
        else:
            assert got[field] == value, field


@family("shithead")
def test_shithead_position(scenario: dict[str, Any]) -> None:
    rules = shithead.preset(scenario["rules"], scenario["players"])
    table, expect, rng = table_of(scenario), scenario["expect"], random.Random(1)
    for action in scenario["do"]:
        table.apply(translated(action))
    check_table(table, expect.get("state", {}))
    if "legal" in expect:
        legal, wanted = table.legal(), expect["legal"]
        assert legal["zone"] == wanted["zone"].replace("-", "_")
        assert legal["plays"] == {RANKS[name]: n for name, n in wanted["plays"].items()}
        assert legal["must_pick_up"] == wanted["must_pick_up"]
    if "first_player" in expect:
        assert shithead.first_player(rules, table.hands) == expect["first_player"]
    if "policy" in expect:
        choice = expect["policy"]["choice"]
        action = translated({"play": choice} if "rank" in choice else choice)
        assert shithead_policies.POLICIES[expect["policy"]["name"]](table, rng) == action
    if "choose_up" in expect:
        up = shithead_policies.choose_face_up(expect["choose_up"]["name"], rules, table.hands[0], rng)
        assert sorted(up) == sorted(ranks(expect["choose_up"]["face_up"]))


def two_seats(rules: str, changes: dict[str, Any], **state: Any) -> shithead.Table:
    """Position of two players with nothing but what is named."""
    empty = {"hands": [[], []], "face_up": [[], []], "face_down": [[], []], "to_play": 0}
    return shithead.Table({**shithead.preset(rules, 2), **changes}, {**empty, **state})


@pytest.mark.parametrize(
    "action",
    [
        {"pick_up": True},
        {"play": {"rank": 4, "copies": 1, "join": 0}},
        {"play": {"rank": 12, "copies": 2, "join": 0}},
        {"play": {"rank": 12, "copies": 1, "join": 1}},
        {"face_down": 0},
        {"decline": 0},
        {"pass": True},
    ],
)
def test_shithead_refuses_illegal_actions(action: dict[str, Any]) -> None:
    table = two_seats("threes", {}, hands=[[12, 4], [5]], face_up=[[12], []], pile=[9])
    before = table.snapshot()
    with pytest.raises(shithead.IllegalMove):
        table.apply(action)
    assert table.snapshot() == before


def test_shithead_stops() -> None:
    state = {"hands": [[4], [5], [6]], "face_up": [[]] * 3, "face_down": [[]] * 3}
    one_out = shithead.Table({"players": 3, "play_until": "first"}, state)
    one_out.apply({"play": {"rank": 4, "copies": 1}})
    assert (one_out.status, one_out.ranks(), one_out.loser()) == ("finished", [1, 2.5, 2.5], None)
    for limit, cause in (("max_turns", "cap"), ("max_idle", "idle")):
        table = two_seats("threes", {limit: 2}, hands=[[4, 4], [5, 5]])
        table.apply({"play": {"rank": 4, "copies": 1}})
        assert not table.over
        table.apply({"play": {"rank": 5, "copies": 1}})
        assert (table.status, table.cause, table.ranks()) == ("stalled", cause, [1.5, 1.5])


def reachable(table: shithead.Table) -> set[Any]:
    """All positions reachable by anything the players may do; none of them may end the game."""
    found, waiting = set(), [table]
    while waiting:
        here = waiting.pop()
        assert not here.over
        if here.position_key() in found:
            continue
        found.add(here.position_key())
        legal = here.legal()
        pairs = [(rank, n) for rank, most in legal["plays"].items() for n in range(1, most + 1)]
        actions = [{"play": {"rank": rank, "copies": n}} for rank, n in pairs]
        actions += [{"pick_up": True}] if legal["must_pick_up"] else []
        actions += [{"face_down": slot} for slot in legal["face_down"]]
        actions += [{"decline": slot} for slot in legal["may_decline"]]
        for action in actions:
            after = copy.deepcopy(here)
            after.apply(action)
            waiting.append(after)
    return found


def test_closed_endgames() -> None:
    threes = two_seats("threes", {}, hands=[[12], [9]], face_up=[[4], [3]])
    assert len(reachable(threes)) == 16
    seats = {"hands": [[], [7]], "face_up": [[], [4]], "face_down": [[7], []], "known_down": [[0], []]}
    assert len(reachable(two_seats("tomacco", {}, **seats, pile=[7, 9]))) == 6


# ---- Macao: positions ----


@family("macao")
def test_macao_position(scenario: dict[str, Any]) -> None:
    rules = {"players": scenario["players"], **(scenario["options"] or {})}
    hand, expect = macao.Hand(rules, scenario["state"]), scenario["expect"]
    for action in scenario["do"]:
        hand.apply(action)
    got = hand.snapshot()
    for field, value in expect.get("state", {}).items():
        if field == "hands":
            for seat, cards in value.items():
                assert sorted(got["hands"][int(seat)]) == sorted(cards)
        else:
            assert got[field] == value, field
    if "legal" in expect:
        legal = hand.legal()
        assert sorted(legal["cards"]) == sorted(expect["legal"]["cards"])
        assert legal["other"] == expect["legal"]["other"]
    if "policy" in expect:
        choice = expect["policy"]["choice"]
        action = {choice["other"]: True} if "other" in choice else choice
        assert macao_policies.POLICIES[expect["policy"]["name"]](hand, random.Random(1)) == action


@family("macao-match")
def test_macao_match_position(scenario: dict[str, Any]) -> None:
    state, expect = scenario["state"], scenario["expect"]
    rules = {"players": scenario["players"], "target": state["target"]}
    match = macao.Match(rules, 0, state["totals_before"])
    match.add_hand(state["hand_points"])
    assert match.totals == expect["totals"]
    assert match.over == expect["match_over"]
    assert match.win_shares() == expect["win_shares"]


def macao_hand(changes: dict[str, Any], own: list[str], top: str, **state: Any) -> macao.Hand:
    """Two players; the seat to play holds ``own`` and a card that never matters."""
    hands = {"hands": [[*own, "6C"], ["5C", "5D"]], "top": top, "stock": ["9C", "9D", "8C", "8D"], **state}
    return macao.Hand({"players": 2, **changes}, hands, shuffle=lambda cards: cards)


def pending(draw: int, skip: int, kind: str | None) -> dict[str, Any]:
    """Pending penalty as a state field."""
    return {"draw": draw, "skip": skip, "kind": kind}


@pytest.mark.parametrize(
    ("changes", "answers"),
    [
        ({}, ["2H", "7H"]),
        ({"seven_needs_match": True}, ["2H"]),
        ({"ace_answers": True}, ["2H", "7H", "AH"]),
        ({"cross_stacking": True}, ["2H", "3H", "7H", "RJ"]),
    ],
)
def test_macao_answers(changes: dict[str, Any], answers: list[str]) -> None:
    own = ["2H", "3H", "4H", "7H", "AH", "RJ"]
    hand = macao_hand(changes, own, "KS", pending=pending(2, 0, "2"))
    assert hand.legal() == {"cards": answers, "other": "take"}


def test_macao_options_and_blocks() -> None:
    hand = macao_hand({"skips_stack": True}, ["KH"], "4S", pending=pending(0, 2, "4"), passes=1)
    hand.apply({"take": True})
    assert (hand.snapshot()["pending"], hand.passes) == (pending(0, 1, "4"), 1)
    hand = macao_hand({"reshuffle": True}, ["KH"], "4S", stock=[], pile=["2C", "3C", "4S"])
    hand.apply({"draw": True})
    assert (hand.hands[0], hand.stock, hand.pile) == (["KH", "6C", "2C"], ["3C"], ["4S"])
    hand = macao_hand({}, ["KH"], "4S", stock=[])
    for _ in range(2):
        hand.apply({"pass": True})
    assert (hand.status, hand.winner, hand.points()) == ("blocked", None, [16, 10])
    with pytest.raises(macao.IllegalMove):
        macao_hand({}, ["AH"], "4S").apply({"card": "AH", "suit": None})


# ---- statistics of whole games ----


@pytest.mark.parametrize(
    ("row_id", "n"),
    [
        ("shithead/tomacco/4p/all-lowest", 500),
        ("shithead/tomacco/6p/all-lowest", 100),
        ("shithead/threes/4p/all-lowest", 250),
        ("shithead/threes-2022/4p/all-lowest", 250),
        ("shithead/tomacco/2p/all-random", 150),
        ("shithead/threes/3p/all-random", 30),
        ("shithead/threes/4p/lowest+random+random+random", 30),
    ],
)
def test_shithead_statistics(row_id: str, n: int) -> None:
    row, rng = STATS[row_id], random.Random(20)
    rules = shithead.preset(row["rules"], row["players"])
    games = [shithead_policies.play_game(rules, row["policies"], rng) for _ in range(n)]
    for seat in range(row["players"]):
        assert_share(sum(g.out[:1] == [seat] for g in games), n, row["p_first_out"]["p"][seat])
        assert_share(sum(g.loser() == seat for g in games), n, row["p_loser"]["p"][seat])
    assert_share(sum(g.status == "stalled" for g in games), n, row["stalled"]["p"])
    assert_near(sum(g.burns for g in games) / n, row["burns"]["mean"], row["burns"]["var"], n)
    ended, known = [g.turns for g in games if g.status == "finished"], row["turns_of_ended_games"]
    assert_near(sum(ended) / len(ended), known["mean"], known["var"], len(ended), known["se"])


@pytest.mark.parametrize(
    ("changes", "stalled"), [({"pickup_plays_again": False}, 0.021), ({"failed_card": "stays"}, 0.569)]
)
def test_threes_house_rules(changes: dict[str, Any], stalled: float) -> None:
    rng, n = random.Random(3), 120
    rules = {**shithead.preset("threes"), **changes}
    games = [shithead_policies.play_game(rules, ["lowest"] * 4, rng) for _ in range(n)]
    assert_share(sum(g.status == "stalled" for g in games), n, stalled)


@pytest.mark.parametrize(
    ("row_id", "n"), [("macao/hand/4p/all-greedy/start0", 1500), ("macao/hand/2p/all-random/start0", 250)]
)
def test_macao_hand_statistics(row_id: str, n: int) -> None:
    row, rng = STATS[row_id], random.Random(5)
    rules = {"players": row["players"]}
    hands = [macao_policies.play_hand(rules, row["policies"], rng) for _ in range(n)]
    for seat in range(row["players"]):
        assert_share(sum(h.winner == seat for h in hands), n, row["p_wins_hand"]["p"][seat])
        points, known = sum(h.points()[seat] for h in hands) / n, row["penalty_points"]
        assert_near(points, known["mean"][seat], known["var"][seat], n)
    assert_share(sum(h.status == "blocked" for h in hands), n, row["blocked"]["p"])
    for got, known in (("turns", row["turns"]), ("lost_turns", row["turns_lost_to_a_penalty"])):
        assert_near(sum(getattr(h, got) for h in hands) / n, known["mean"], known["var"], n)


def test_macao_match_statistics() -> None:
    row, rng, n = STATS["macao/match/4p/all-thrifty"], random.Random(6), 500
    matches = [macao_policies.play_match({}, ["thrifty"] * 4, rng) for _ in range(n)]
    assert_near(sum(m.hands for m in matches) / n, row["hands"]["mean"], row["hands"]["var"], n)
    known = row["final_score_of_winner"]
    assert_near(sum(min(m.totals) for m in matches) / n, known["mean"], known["var"], n)
    for seat in range(4):
        assert_share(sum(m.win_shares()[seat] for m in matches), n, 0.25)
