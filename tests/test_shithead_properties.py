"""Properties of every game: cards are conserved, it ends or is reported stalled, hidden cards never matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymacco_sim.games.base import CAP, CYCLE, FINISHED, IDLE
from pymacco_sim.games.shithead import GAME
from pymacco_sim.games.shithead.engine import legal, may_decide, may_lay
from pymacco_sim.games.shithead.policies import decide_face_down, decide_face_up, decide_play
from pymacco_sim.games.shithead.record import log_game, new_states
from pymacco_sim.games.shithead.rules import pack_rules
from pymacco_sim.games.shithead.sample import sample_positions
from pymacco_sim.games.shithead.state import CHOOSING, DOWN, HAND, NOBODY, UP, slot_rank, zone_of
from pymacco_sim.games.shithead.view import make_view

from .shithead_tools import PRESETS, make_setup, play

PARTS = {part: [policy for policy in GAME.policies if policy.part == part] for part in GAME.parts}
SEE = getattr(make_view, "py_func", make_view)
RANK_SETS = st.sampled_from(["none", "2", "2+10", "8+Joker", "10+A", "7", "3+7+Q"])

rule_changes = st.fixed_dictionaries(
    {"max_turns": st.integers(1, 400)},
    optional={
        "decks": st.integers(3, 6),
        "jokers_per_deck": st.integers(0, 3),
        "compare": st.sampled_from(["higher", "equal_or_higher"]),
        "wild": RANK_SETS,
        "burns": RANK_SETS,
        "inverts": RANK_SETS,
        "transparent": RANK_SETS,
        "plain_bottom": st.booleans(),
        "run_to_burn": st.integers(0, 6),
        "burner_plays_again": st.booleans(),
        "pickup_plays_again": st.booleans(),
        "draw": st.sampled_from(["one_each_turn", "up_to_hand_size"]),
        "hand_size": st.integers(1, 4),
        "up_size": st.integers(0, 4),
        "down_size": st.integers(0, 4),
        "failed_card": st.sampled_from(["stays", "to_hand"]),
        "join_last_cards": st.booleans(),
        "may_decline": st.booleans(),
        "first_player": st.sampled_from(["seat_0", "lowest_card"]),
        "play_until": st.sampled_from(["last", "first"]),
        "max_idle": st.integers(0, 40),
    },
)
specs = st.tuples(*(st.sampled_from([policy.name for policy in PARTS[part]]) for part in GAME.parts)).map(
    lambda names: f"{names[0]}+face_up={names[1]}+face_down={names[2]}"
)
line_ups = st.lists(specs, min_size=2, max_size=7)
presets = st.sampled_from(PRESETS)


def in_zones(state: np.record, seats: int) -> np.ndarray:
    """Cards by rank over everything: hands, face-up, face-down, stock, pile, burnt."""
    total = state.burnt.astype(int) + np.bincount(state.pile_cards[: int(state.n_pile)], minlength=16)
    total += np.bincount(state.stock[: int(state.n_stock)], minlength=16)
    for me in state.seats[:seats]:
        total += me.cards[HAND].astype(int) + me.cards[UP]
        for slot in range(int(me.held[DOWN])):
            total[int(slot_rank(me, slot))] += 1
    return total


@given(line_up=line_ups, rules=rule_changes, seed=st.integers(0, 2**64 - 1), preset=presets)
@settings(max_examples=60, deadline=None)
def test_cards_are_conserved_and_games_end(line_up: list[str], rules: dict[str, Any], seed: int, preset: str) -> None:
    setup = make_setup(line_up, {"decks": 3, **rules}, preset, seed)
    law, seats = setup.rules[0], len(line_up)
    states, decisions, out = log_game(setup, 3)
    for state in states:
        np.testing.assert_array_equal(in_zones(state, seats), law.copies)
    near = states["seats"][:, :seats]
    assert (near["cards"].sum(axis=3) == near["held"][:, :, :DOWN]).all()
    assert (((near["mask"][..., None] >> np.arange(16)) & 1) == (near["cards"] > 0)).all()
    assert (states["pile"] == [np.bincount(s.pile_cards[: int(s.n_pile)], minlength=16) for s in states]).all()
    turns = states[seats:-1]
    movers = near[np.arange(seats, len(states) - 1), turns["seat"]]
    assert ((movers["held"][:, HAND] > 0) | (turns["n_stock"] == 0)).all(), "the stock outlives every hand"
    assert (movers["place"] == 0).all()
    final, status = states[-1], int(out[0])
    assert len(decisions) == seats + final.turns
    assert status in (FINISHED, CAP, CYCLE, IDLE)
    assert (final.seat == NOBODY) == (status == FINISHED)
    assert status != CAP or final.turns == rules["max_turns"]
    assert status != IDLE or final.turns - final.moved >= rules["max_idle"] > 0
    places = out[1 + 2 * seats : 1 + 3 * seats]
    assert places.sum() == seats * (seats + 1)
    still = [seat for seat in range(seats) if near[-1, seat]["held"].any()]
    assert still == [seat for seat in range(seats) if final.seats[seat].place == 0]
    if status == FINISHED:
        assert len(still) == (seats - 1 if law.first_ends else 1)
        assert out[1 + seats : 1 + 2 * seats].sum() == (not law.first_ends)


@given(line_up=line_ups, rules=rule_changes, seed=st.integers(0, 2**32), rotate=st.booleans(), preset=presets)
@settings(max_examples=25, deadline=None)
def test_a_game_is_a_number(line_up: list[str], rules: dict[str, Any], seed: int, rotate: bool, preset: str) -> None:
    setup = make_setup(line_up, {"decks": 3, **rules}, preset, seed, rotate)
    many = play(setup, 12)
    alone = play(setup, 1, first=9)
    logged = log_game(setup, 9)[2]
    for row, (name, column) in enumerate(many.items()):
        assert column[9] == alone[name][0] == logged[row]


@given(
    rules=rule_changes.map(lambda fields: {**fields, "max_turns": 400}),
    seats=st.integers(2, 6),
    seed=st.integers(0, 2**32),
    part=st.sampled_from([0, 1, 2]),
    preset=presets,
)
@settings(max_examples=30, deadline=None)
def test_hidden_cards_never_influence_a_decision(
    rules: dict[str, Any], seats: int, seed: int, part: int, preset: str
) -> None:
    law = pack_rules(GAME.make_rules(preset, {"decks": 3, **rules, "players": seats}))  # type: ignore[arg-type]
    states, views = sample_positions(law, part)
    rng = np.random.default_rng(seed)
    decide = (decide_main, decide_face_up, decide_face_down)[part]
    for state, view in list(zip(states, views, strict=True))[::4]:
        other, seat = new_states(1), int(state.seat)
        other[0] = state
        twin = other[0]
        redeal(twin, int(law[0].players), rng)
        for mine, theirs in zip(view, SEE(twin, seat, law[0]), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        for policy in PARTS[GAME.parts[part]]:
            params = np.zeros(8)
            params[: len(policy.parameters)] = [parameter.default for parameter in policy.parameters]
            mine, theirs = (
                int(decide(policy.code, position, seat, law[0], params, np.arange(1, 5, dtype=np.uint32)))
                for position in (state, twin)
            )
            assert mine == theirs, policy.name
            assert fits(state, law[0], mine), policy.name


def decide_main(*arguments: Any) -> int:
    """Play of a built-in as one number."""
    rank, copies = decide_play(*arguments)
    return int(16 * copies + rank)


def fits(state: np.record, law: np.record, decision: int) -> bool:
    """Whether a decision is legal."""
    me = state.seats[int(state.seat)]
    if state.phase == CHOOSING:
        return bool(may_lay(law, me, decision))
    return bool(may_decide(state, law, me, zone_of(me), legal(state, law), decision))


def redeal(state: np.record, seats: int, rng: np.random.Generator) -> None:
    """Shuffle what the seat to act cannot see: other hands, the stock, and face-down cards that it has not seen."""
    hidden, me = [], int(state.seat)
    stock = state.stock[: int(state.n_stock)]
    hidden += stock.tolist()
    blind = []
    for seat in range(seats):
        near = state.seats[seat]
        for slot in range(int(near.held[DOWN])):
            if seat != me or not int(near.seen) >> slot & 1:
                blind.append((seat, slot))
                hidden.append(int(slot_rank(near, slot)))
        if seat != me:
            hidden += np.repeat(np.arange(16), near.cards[HAND]).tolist()
    rng.shuffle(hidden)
    stock[:] = [hidden.pop() for _ in range(stock.size)]
    for seat, slot in blind:
        down = int(state.seats[seat].down) & ~(15 << 4 * slot)
        state.seats[seat].down = down | hidden.pop() << 4 * slot
    for seat in range(seats):
        if seat != me:
            near = state.seats[seat]
            near.cards[HAND] = np.bincount([hidden.pop() for _ in range(int(near.held[HAND]))], minlength=16)
            near.mask[HAND] = sum(1 << rank for rank in range(16) if near.cards[HAND, rank])
    assert not hidden


def test_the_deal_does_not_depend_on_who_plays() -> None:
    first, second = (log_game(make_setup(line_up, seed=5), 2)[0][0] for line_up in (["random"] * 3, ["blocker"] * 3))
    np.testing.assert_array_equal(first.seats["cards"][:3], second.seats["cards"][:3])
    np.testing.assert_array_equal(first.seats["down"][:3], second.seats["down"][:3])
    np.testing.assert_array_equal(first.stock, second.stock)


def test_rotation_seats_everybody_everywhere_on_the_same_deals() -> None:
    setup = make_setup(["lowest", "highest", "hoarder"], rotate=True)
    states = [log_game(setup, game)[0][0] for game in range(3)]
    for state in states[1:]:
        np.testing.assert_array_equal(states[0].seats["cards"][:3], state.seats["cards"][:3])
    same = play(make_setup(["lowest"] * 3, preset="tomacco", rotate=True), 30)
    for game in range(0, 30, 3):
        assert len({int(turns) for turns in same["turns"][game : game + 3]}) == 1


@pytest.mark.parametrize("seats", [2, 20])
def test_from_two_to_twenty_seats(seats: int) -> None:
    got = play(make_setup(["lowest"] * seats, preset="tomacco"), 50)
    assert (got["status"] == FINISHED).any()
    assert np.sum([got[f"place_{seat}"] for seat in range(seats)], axis=0).tolist() == [seats * (seats + 1)] * 50
