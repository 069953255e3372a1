"""Recorded hands and matches, move by move, against the plain-Python referee."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pymacco_sim.games.base import CAP
from pymacco_sim.games.macao import GAME
from pymacco_sim.games.macao.cards import SUITS, card_name, card_names, rank_number
from pymacco_sim.games.macao.game import Setup
from pymacco_sim.games.macao.kernel import list_legal
from pymacco_sim.games.macao.record import OTHER_NAMES, log_game
from pymacco_sim.games.macao.rules import MacaoRules

from .macao_tools import make_setup
from .referee import macao as referee
from .referee.macao_policies import POLICIES as JUDGES

NAMES = [card_name(kind) for kind in range(54)]
KINDS = {name: kind for kind, name in enumerate(NAMES)}
PLAYERS = [policy.name for policy in GAME.policies if policy.part == "play"]
NAMERS = [policy.name for policy in GAME.policies if policy.part == "suit"]
FIELDS = ("to_play", "lead", "draw", "skip", "kind", "played", "naming", "stock", "passes", "turn", "hands")
RESULTS = {"won": 1, "blocked": 2, "stalled": 3}


def referee_rules(rules: MacaoRules) -> dict[str, Any]:
    """The same rules in the referee's words."""
    kept = ("players", "decks", "hand_size", "target", "reshuffle", "skips_stack", "seven_needs_match", "ace_answers")
    words = {name: getattr(rules, name) for name in (*kept, "cross_stacking", "max_turns", "max_hands")}
    for name in ("wild_ranks", "skip_ranks", "cancel_ranks"):
        words[name] = tuple(rank_number(rank) for rank in getattr(rules, name))
    for name in ("forced_draw", "points"):
        words[name] = {rank_number(rank): number for rank, number in getattr(rules, name)}
    return words


class Replay:
    """One logged game, replayed by the referee."""

    def __init__(self, setup: Setup, game: int) -> None:
        self.setup, self.rules = setup, referee_rules(setup.cell.rules)  # type: ignore[arg-type]
        self.states, self.decisions, self.out = log_game(setup, game)
        count = len(self.states)
        cards, others = np.zeros((2, count), dtype=np.int64)
        list_legal(self.states, setup.rules, cards, others)
        self.cards, self.others = cards.tolist(), others.tolist()
        self.fields = {name: self.states[name].tolist() for name in FIELDS}
        self.seats = setup.cell.n_seats
        shift = game % setup.cell.unit
        self.entrants = [setup.cell.entrants[(seat - shift) % self.seats] for seat in range(self.seats)]
        self.moves = 0

    def deal(self, index: int) -> referee.Hand:
        """The hand that was dealt before position `index`."""
        state = self.states[index]
        table = {
            "hands": [card_names(state.counts[seat]) for seat in range(self.seats)],
            "top": NAMES[int(state.top)],
            "stock": [NAMES[card] for card in state.deck[: int(state.stock)][::-1]],
            "to_play": int(state.to_play),
        }
        assert sum(map(len, table["hands"])) + 1 + len(table["stock"]) == 54 * self.rules["decks"]
        return referee.Hand(self.rules, table, self.shuffle)

    def shuffle(self, pile: list[str]) -> list[str]:
        """The order in which the engine shuffled the pile into a new stock."""
        order = [NAMES[card] for card in self.states[self.moves].deck[: len(pile)][::-1]]
        assert Counter(order) == Counter(pile)
        return order

    def check_position(self, index: int, hand: referee.Hand, seat: int) -> None:
        """Compare everything that a move can change; `seat` is the one that has moved."""
        got = {name: self.fields[name][index] for name in FIELDS}
        kind = {None: 0, "joker": 15}.get(hand.kind) if hand.kind in (None, "joker") else referee.RANKS[str(hand.kind)]
        assert (got["draw"], got["skip"], got["kind"]) == (hand.draw, hand.skip, kind)
        assert (got["stock"], got["passes"], got["turn"]) == (len(hand.stock), hand.passes, hand.turns)
        named = got["lead"] - 54
        assert (SUITS[named] if 0 <= named < 4 else None) == hand.named_suit
        assert self.hand_of(index, seat) == sorted(KINDS[card] for card in hand.hands[seat])
        if not hand.over:
            assert (got["to_play"], got["played"]) == (hand.to_play, hand.played)
            legal = hand.legal()
            assert self.cards[index] == sum(1 << KINDS[card] for card in legal["cards"])
            assert OTHER_NAMES[self.others[index]] == legal["other"]
            assert self.states.top[index] == KINDS[hand.top]

    def hand_of(self, index: int, seat: int) -> list[int]:
        """Cards of a seat, ascending."""
        counts = self.states["counts"][index, seat]
        kinds = np.flatnonzero(counts)
        return np.repeat(kinds, counts[kinds]).tolist()

    def action(self) -> dict[str, Any]:
        """The next action in the referee's words; an ace and the suit it names are one."""
        decision = int(self.decisions[self.moves])
        self.moves += 1
        if decision < 0:
            return {OTHER_NAMES[decision]: True}
        suit = SUITS[(decision >> 6) - 1] if decision >> 6 else None
        if self.moves < len(self.decisions) and self.fields["naming"][self.moves]:
            suit = SUITS[int(self.decisions[self.moves])]
            self.moves += 1
        return {"card": NAMES[decision & 63], "suit": suit}

    def play_hand(self) -> referee.Hand:
        """Replay one hand to its end."""
        hand = self.deal(self.moves)
        self.check_position(self.moves, hand, 0)
        rng = random.Random(0)
        while not hand.over:
            seat = hand.to_play
            assert seat is not None
            judge, suit_judge = (decider.policy.name for decider in self.entrants[seat].deciders)
            expected = JUDGES[judge](hand, rng) if judge in ("greedy", "thrifty") else None
            action = self.action()
            if expected is not None and suit_judge != "longest":
                expected["suit"] = action.get("suit") if "card" in expected else None
            if expected is not None and "card" in action and len(hand.hands[seat]) > 1:
                assert action == expected
            hand.apply(action)
            if not hand.over:
                self.check_position(self.moves, hand, seat)
        return hand

    def check_end(self, hand: referee.Hand, before: list[int]) -> list[int]:
        """Compare points and result of a hand that is over; returns its points."""
        points = (self.states["totals"][self.moves, : self.seats] - before).tolist()
        assert points == hand.points()
        return points


def replay_hand(setup: Setup, game: int) -> int:
    """Replay a single hand; returns the number of moves."""
    replay = Replay(setup, game)
    hand = replay.play_hand()
    replay.check_end(hand, [0] * replay.seats)
    state = replay.states[-1]
    assert int(state.over) == RESULTS[hand.status]
    assert int(state.winner) == (-1 if hand.winner is None else hand.winner)
    replay.check_position(len(replay.decisions), hand, max(int(state.winner), 0))
    assert {KINDS[card]: n for card, n in hand.seen.items()} == {k: int(n) for k, n in enumerate(state.seen) if n}
    assert (state.cards_played, state.cards_drawn) == (hand.cards_played, hand.cards_drawn)
    assert (state.turns, state.lost_turns) == (hand.turns, hand.lost_turns)
    wins = replay.out[1 : 1 + replay.seats].tolist()
    assert wins == [int(seat == hand.winner) for seat in range(replay.seats)]
    return len(replay.decisions)


def replay_match(setup: Setup, game: int) -> int:
    """Replay a whole match; returns the number of moves."""
    replay = Replay(setup, game)
    match = referee.Match(replay.rules, int(replay.states[0].dealer))
    while not match.over:
        assert replay.fields["to_play"][replay.moves] == match.starter
        before = replay.states["totals"][replay.moves, : replay.seats]
        hand = replay.play_hand()
        match.add_hand(replay.check_end(hand, before), stalled=hand.status == "stalled")
    assert replay.moves == len(replay.decisions)
    assert replay.states[-1].hands == match.hands
    assert replay.states["totals"][-1, : replay.seats].tolist() == match.totals
    shares = (replay.out[1 : 1 + replay.seats] / 840).tolist()
    assert shares == pytest.approx(match.win_shares())
    assert (replay.out[0] == CAP) == (match.status == "stalled")
    return len(replay.decisions)


CHANGED: tuple[dict[str, Any], ...] = (
    {},
    {"reshuffle": True, "decks": 1},
    {"skips_stack": True, "cross_stacking": True},
    {"seven_needs_match": True, "ace_answers": True},
    {"wild_ranks": "8+A", "hand_size": 7},
    {"wild_ranks": "none", "cancel_ranks": "5+6", "skip_ranks": "4+9"},
    {"forced_draw": "2:1+9:4+BJ:8", "points": "K:20+A:11", "decks": 2},
    {"skip_ranks": "none", "cancel_ranks": "none", "hand_size": 3, "max_turns": 40},
    {"reshuffle": True, "decks": 1, "cross_stacking": True, "skips_stack": True, "ace_answers": True},
)
"""Rule changes of the replayed games."""


def line_up(rng: random.Random, seats: int) -> list[str]:
    """Any policies, suit policies included."""
    return [f"{rng.choice(PLAYERS)}+suit={rng.choice(NAMERS)}" for _ in range(seats)]


@pytest.mark.parametrize("seats", range(2, 9))
def test_hands(seats: int) -> None:
    rng = random.Random(seats)
    played = 0
    for index in range(54):
        setup = make_setup(line_up(rng, seats), CHANGED[index % 9], seed=index, rotate=index % 2 == 1)
        for game in range(54):
            replay_hand(setup, game)
            played += 1
    assert played == 2_916


@pytest.mark.parametrize("seats", range(2, 9))
def test_matches(seats: int) -> None:
    rng = random.Random(100 + seats)
    played = 0
    for index in range(27):
        rules = {**CHANGED[index % 9], "target": (150, 300, 40)[index // 9]}
        rules["max_hands"] = 12 if index % 4 == 0 else 1000
        setup = make_setup(line_up(rng, seats), rules, "match", seed=index, rotate=index % 2 == 1)
        for game in range(11):
            replay_match(setup, game)
            played += 1
    assert played == 297
