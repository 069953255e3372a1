"""Properties of every game: cards are conserved, points add up, hidden cards never matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymacco_sim.games.macao import GAME
from pymacco_sim.games.macao.engine import is_legal
from pymacco_sim.games.macao.policies import decide_play, decide_suit
from pymacco_sim.games.macao.record import log_game
from pymacco_sim.games.macao.sample import sample_positions
from pymacco_sim.games.macao.state import DRAW, END, NO_LOG, NO_STATES, PASS, TAKE, new_states, pack_rules
from pymacco_sim.games.macao.view import make_view

from .macao_tools import make_setup, play

PLAYERS = [policy for policy in GAME.policies if policy.part == "play"]
NAMERS = [policy for policy in GAME.policies if policy.part == "suit"]
SEE = getattr(make_view, "py_func", make_view)

rule_changes = st.fixed_dictionaries(
    {},
    optional={
        "decks": st.integers(1, 4),
        "hand_size": st.integers(1, 6),
        "target": st.integers(1, 400),
        "reshuffle": st.booleans(),
        "skips_stack": st.booleans(),
        "seven_needs_match": st.booleans(),
        "ace_answers": st.booleans(),
        "cross_stacking": st.booleans(),
        "joker_follow": st.sampled_from(["any", "free", "below"]),
        "wild_ranks": st.sampled_from(["A", "none", "8", "A+8"]),
        "free_ranks": st.sampled_from(["BJ+RJ", "none", "5+RJ"]),
        "max_turns": st.integers(1, 300),
        "max_hands": st.integers(1, 30),
    },
)
line_ups = st.lists(st.sampled_from([policy.name for policy in PLAYERS]), min_size=2, max_size=8)


@given(line_up=line_ups, rules=rule_changes, seed=st.integers(0, 2**64 - 1), scope=st.sampled_from(["hand", "match"]))
@settings(max_examples=60)
def test_cards_and_points_are_conserved(line_up: list[str], rules: dict[str, Any], seed: int, scope: str) -> None:
    setup = make_setup(line_up, rules, scope, seed)
    law, seats = setup.rules[0], len(line_up)
    states, decisions, _ = log_game(setup, 3)
    counts, held = states["counts"][:, :seats], states["held"][:, :seats]
    decks = int(law.n_cards) // 54
    assert (counts >= 0).all()
    assert (counts.sum(axis=2) == states["cards"][:, :seats]).all()
    assert (((held[..., None] >> np.arange(54)) & 1) == (counts > 0)).all()
    for state, cards in zip(states, counts, strict=True):
        stock = np.bincount(state.deck[: int(state.stock)], minlength=54)
        pile = decks - cards.sum(axis=0) - stock
        assert (pile >= 0).all()
        assert pile.sum() == state.pile
        assert pile[int(state.top)] > 0
        assert state.seen.sum() >= state.pile
    fresh = np.flatnonzero((states.turn == 0) & (states.played == 0) & (states.over == 0))
    assert (states.naming[fresh] == 0).all()
    assert not ((states.lead[fresh] >= 54) & (states.lead[fresh] < 58)).any(), "a named suit outlived its hand"
    assert (states.draw[fresh] + states.skip[fresh] == 0).all()
    final = states[-1]
    assert final.over != 0
    assert final.turns >= final.turn > 0
    assert int(final.won[:seats].sum() + final.blocked + final.stalled_hands) == final.hands
    points = (states["counts"][-1, :seats] @ law.points).tolist()
    before = states["totals"][-2, :seats] if len(decisions) else np.zeros(seats)
    assert (final.totals[:seats] - before).tolist() == points
    assert (final.hands == 1) or scope == "match"


@given(line_up=line_ups, rules=rule_changes, seed=st.integers(0, 2**32), rotate=st.booleans())
@settings(max_examples=25)
def test_a_game_is_a_number(line_up: list[str], rules: dict[str, Any], seed: int, rotate: bool) -> None:
    setup = make_setup(line_up, rules, "match", seed, rotate)
    many = play(setup, 12)
    alone = play(setup, 1, first=9)
    logged = log_game(setup, 9)[2]
    for row, (name, column) in enumerate(many.items()):
        assert column[9] == alone[name][0] == logged[row]


@given(
    rules=rule_changes.map(lambda fields: {**fields, "max_turns": 300}),
    seats=st.integers(2, 8),
    seed=st.integers(0, 2**32),
    part=st.sampled_from([0, 1]),
)
@settings(max_examples=25)
def test_hidden_cards_never_influence_a_decision(rules: dict[str, Any], seats: int, seed: int, part: int) -> None:
    law = pack_rules(GAME.make_rules("macao", {"players": seats, **rules}))
    states, _ = sample_positions(law, True, part)
    rng = np.random.default_rng(seed)
    for state in states[::4]:
        other = new_states()
        other[0] = state
        twin = other[0]
        _redeal(twin, law[0], rng)
        for mine, theirs in zip(
            SEE(state, int(state.to_play), law[0]), SEE(twin, int(state.to_play), law[0]), strict=True
        ):
            np.testing.assert_array_equal(mine, theirs)
        for policy in NAMERS if part else PLAYERS:
            decide = decide_suit if part else decide_play
            params = np.zeros(8)
            params[: len(policy.parameters)] = [parameter.default for parameter in policy.parameters]
            mine, theirs = (
                decide(policy.code, position, law[0], params, np.arange(1, 5, dtype=np.uint32))
                for position in (state, twin)
            )
            assert mine == theirs, policy.name
            assert is_legal(state, law[0], mine), policy.name


def _redeal(state: Any, law: Any, rng: np.random.Generator) -> None:
    """Shuffle what the seat to play cannot see: the rivals' hands and the stock."""
    rivals = [seat for seat in range(int(law.players)) if seat != state.to_play]
    stock = state.deck[: int(state.stock)]
    hidden = np.concatenate([*(np.repeat(np.arange(54), state.counts[seat]) for seat in rivals), stock])
    rng.shuffle(hidden)
    for seat in rivals:
        cards, hidden = np.split(hidden, [int(state.cards[seat])])
        state.counts[seat] = np.bincount(cards, minlength=54)
        state.held[seat] = sum(1 << int(card) for card in set(cards.tolist()))
    stock[:] = hidden


def test_the_deal_does_not_depend_on_who_plays() -> None:
    first, second = (
        log_game(make_setup(line_up, scope="match", seed=5), 2)[0] for line_up in (["random"] * 3, ["planner"] * 3)
    )
    for hand in range(3):
        deals = [states[np.flatnonzero(states.hands == hand)[0]] for states in (first, second)]
        for field in ("counts", "top", "to_play", "dealer"):
            np.testing.assert_array_equal(deals[0][field], deals[1][field])
        stock = int(deals[0].stock)
        np.testing.assert_array_equal(deals[0].deck[:stock], deals[1].deck[:stock])


def test_rotation_seats_everybody_everywhere_on_the_same_deals() -> None:
    setup = make_setup(["greedy", "thrifty", "planner"], rotate=True)
    states = [log_game(setup, game)[0][0] for game in range(3)]
    for state in states[1:]:
        np.testing.assert_array_equal(states[0].counts, state.counts)
    same = play(make_setup(["greedy"] * 3, rotate=True), 30)
    for game in range(0, 30, 3):
        assert len({int(turns) for turns in same["turns"][game : game + 3]}) == 1


@pytest.mark.parametrize("scope", ["hand", "match"])
def test_stalled_games_are_reported(scope: str) -> None:
    got = play(make_setup(["holder:danger=0"] * 2, {"max_turns": 3}, scope), 200)
    stalled = got["status"] == 1
    assert stalled.any()
    assert not np.any([got[f"win_{seat}"][stalled] for seat in range(2)])
    long = play(make_setup(["greedy"] * 2, {"max_hands": 2}, "match"), 200)
    assert ((long["hands"] == 2) | (long["status"] == 0)).all()
    assert (long["status"] == 1).any()


def test_decisions_that_are_no_card_are_distinct() -> None:
    assert len({DRAW, TAKE, END, PASS}) == 4
    assert max(DRAW, TAKE, END, PASS) < 0
    assert NO_STATES.size == NO_LOG.size == 0
