"""Referee of Macao: one hand and the match, slow, plain, independent of the package.

Cards are written as text: rank then suit (``10S``, ``AH``), ``BJ`` and ``RJ`` for the jokers.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

Action = dict[str, Any]

SUITS = "CDHS"
RANKS = {**{str(n): n for n in range(2, 11)}, "J": 11, "Q": 12, "K": 13, "A": 14}
NAMES = {number: name for name, number in RANKS.items()}
BLACK, RED, ACE = 15, 16, 14
CARD_RANKS = {**{name + suit: rank for name, rank in RANKS.items() for suit in SUITS}, "BJ": BLACK, "RJ": RED}

DEFAULTS: dict[str, Any] = {
    "players": 4,
    "decks": 3,
    "hand_size": 5,
    "target": 300,
    "wild_ranks": (ACE,),
    "joker_follow": "any",
    "forced_draw": {2: 2, 3: 3, BLACK: 5, RED: 10},
    "skip_ranks": (4,),
    "cancel_ranks": (7,),
    "reshuffle": False,
    "skips_stack": False,
    "seven_needs_match": False,
    "ace_answers": False,
    "cross_stacking": False,
    "points": {
        **{2: 10, 3: 15, 4: 30, 5: 5, 6: 6, 7: 40, 8: 8, 9: 9},
        **{10: 10, 11: 10, 12: 10, 13: 10, ACE: 50, BLACK: 25, RED: 50},
    },
    "max_turns": 10_000,
    "max_hands": 1_000,
}


class IllegalMove(ValueError):  # noqa: N818
    """The action is not allowed in this position."""


def read_rules(rules: Mapping[str, Any]) -> SimpleNamespace:
    """Fill in the defaults and refuse fields the referee does not know."""
    unknown = sorted(set(rules) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"the referee does not know the rule fields {unknown}")
    full = SimpleNamespace(**{**DEFAULTS, **rules})
    if full.joker_follow != "any":
        raise ValueError(f"joker_follow={full.joker_follow!r} is not known to the referee")
    return full


def rank_of(card: str) -> int:
    """Rank number of a card; 15 and 16 are the black and the red joker."""
    return CARD_RANKS[card]


def suit_of(card: str) -> str:
    """Suit letter, empty for a joker."""
    return "" if rank_of(card) >= BLACK else card[-1]


def card_order(card: str) -> tuple[int, int]:
    """Sort key: rank, then clubs, diamonds, hearts, spades."""
    return (rank_of(card), SUITS.find(suit_of(card)))


def full_deck(decks: int) -> list[str]:
    """All cards of the game in a fixed order."""
    return list(CARD_RANKS) * decks


class Hand:
    """One hand of Macao, changed by `apply`.

    Parameters
    ----------
    rules : mapping
        Rule fields; missing ones have their default.
    state : mapping
        ``hands`` (per seat), ``top``, ``stock`` (next card first); optionally ``named_suit``, ``pending``
        (``draw``, ``skip``, ``kind``), ``to_play``, ``played``, ``passes`` and ``pile`` (bottom to top).
    shuffle : callable, optional
        Puts the cards of a reshuffle (pile without its top card, bottom to top) into stock order, next
        card first. Only needed with ``reshuffle=True``.
    """

    def __init__(
        self,
        rules: Mapping[str, Any],
        state: Mapping[str, Any],
        shuffle: Callable[[list[str]], Sequence[str]] | None = None,
    ) -> None:
        self.rules = read_rules(rules)
        self.hands = [list(cards) for cards in state["hands"]]
        self.pile = list(state.get("pile") or [state["top"]])
        self.stock = list(state["stock"])
        self.named_suit: str | None = state.get("named_suit")
        pending = state.get("pending") or {"draw": 0, "skip": 0, "kind": None}
        self.draw, self.skip = pending["draw"], int(pending["skip"])
        self.kind: str | None = pending["kind"]
        self.to_play: int | None = state.get("to_play", 0)
        self.played, self.passes = state.get("played", 0), state.get("passes", 0)
        self.shuffle = shuffle
        self.seen = Counter(self.pile)
        self.turns = self.lost_turns = self.cards_played = self.cards_drawn = 0
        self.status, self.winner = "playing", None

    @property
    def over(self) -> bool:
        return self.status != "playing"

    @property
    def top(self) -> str:
        return self.pile[-1]

    @property
    def must_answer(self) -> bool:
        """Whether something is pending and not yet answered."""
        return bool(self.draw or self.skip) and not self.played

    def kind_of(self, rank: int) -> str | None:
        """Kind of a penalty card: its rank, ``joker``, or None for other cards."""
        if rank in self.rules.skip_ranks:
            return NAMES[self.rules.skip_ranks[0]]
        if rank not in self.rules.forced_draw:
            return None
        return "joker" if rank >= BLACK else NAMES[rank]

    def follows(self, card: str) -> bool:
        """Whether a card may go on the top card when nothing has to be answered."""
        if rank_of(card) >= BLACK or rank_of(card) in self.rules.wild_ranks or rank_of(self.top) >= BLACK:
            return True
        if self.named_suit:
            return suit_of(card) == self.named_suit
        return suit_of(card) == suit_of(self.top) or rank_of(card) == rank_of(self.top)

    def answers(self, card: str) -> bool:
        """Whether a card answers what is pending."""
        rank, rules = rank_of(card), self.rules
        if self.kind_of(rank) == self.kind or (rules.ace_answers and rank == ACE):
            return True
        if not self.draw:
            return False
        if rank in rules.cancel_ranks:
            return self.follows(card) if rules.seven_needs_match else True
        return rules.cross_stacking and rank in rules.forced_draw

    def legal(self) -> dict[str, Any]:
        """Distinct playable cards and the one other action (``draw``, ``take``, ``end`` or ``pass``)."""
        if self.over:
            return {"cards": [], "other": None}
        allowed = self.answers if self.must_answer else self.follows
        cards = sorted({card for card in self.hands[self.to_play] if allowed(card)}, key=card_order)
        if self.played:
            other = "end"
        elif self.must_answer:
            other = "take"
        else:
            other = "draw" if self._can_draw() else "pass"
        return {"cards": cards, "other": other}

    def _can_draw(self) -> bool:
        return bool(self.stock) or (self.rules.reshuffle and len(self.pile) > 1)

    def apply(self, action: Action) -> None:
        """Carry out one action of the seat to play.

        Raises
        ------
        IllegalMove
            If the action is not legal; the position is then unchanged.
        """
        legal = self.legal()
        if "card" in action:
            if action["card"] not in legal["cards"]:
                raise IllegalMove(f"{action['card']} is not among {legal['cards']}")
            self._play(action["card"], action.get("suit"))
            return
        if len(action) != 1 or legal["other"] not in action:
            raise IllegalMove(f"{sorted(action)} is not {legal['other']!r}")
        if legal["other"] == "draw":
            self._draw_cards(1)
        elif legal["other"] == "take":
            self._take()
        elif legal["other"] == "pass":
            self.passes += 1
        self._end_turn()

    def _play(self, card: str, suit: str | None) -> None:
        rank, hand = rank_of(card), self.hands[self.to_play]
        names = rank in self.rules.wild_ranks
        may_omit = not names or len(hand) == 1
        if not (may_omit if suit is None else names and suit in tuple(SUITS)):
            raise IllegalMove(f"{card} cannot name the suit {suit!r}")
        hand.remove(card)
        self.pile.append(card)
        self.seen[card] += 1
        self.named_suit = suit
        self.played += 1
        self.cards_played += 1
        self.passes = 0
        self._power(rank)
        if not hand:
            self.winner = self.to_play
            self._end_turn()

    def _power(self, rank: int) -> None:
        if rank in self.rules.forced_draw:
            self.draw += self.rules.forced_draw[rank]
        if rank in self.rules.skip_ranks:
            self.skip = self.skip + 1 if self.rules.skips_stack else 1
        self.kind = self.kind_of(rank) or self.kind
        if rank in self.rules.cancel_ranks:
            self.draw = 0
        self._settle_kind()

    def _settle_kind(self) -> None:
        """Without cards to draw only a skip can be pending."""
        if not self.draw:
            self.kind = NAMES[self.rules.skip_ranks[0]] if self.skip else None

    def _take(self) -> None:
        self._draw_cards(self.draw)
        self.lost_turns += 1
        self.draw = 0
        self.skip = max(0, self.skip - 1) if self.rules.skips_stack else 0
        self._settle_kind()

    def _draw_cards(self, wanted: int) -> None:
        hand = self.hands[self.to_play]
        for _ in range(wanted):
            if not self._can_draw():
                return
            if not self.stock:
                cards, self.pile = self.pile[:-1], self.pile[-1:]
                if self.shuffle is None:
                    raise ValueError("a reshuffle is due, but no shuffle was given")
                self.stock = list(self.shuffle(cards))
            hand.append(self.stock.pop(0))
            self.cards_drawn += 1
            self.passes = 0

    def _end_turn(self) -> None:
        self.turns += 1
        self.played = 0
        self.to_play = (self.to_play + 1) % self.rules.players
        if self.winner is not None:
            self.status = "won"
        elif self.passes >= self.rules.players:
            self.status = "blocked"
        elif self.turns >= self.rules.max_turns:
            self.status = "stalled"
        if self.over:
            self.to_play = None

    def points(self) -> list[int]:
        """Penalty points every seat holds."""
        return [sum(self.rules.points[rank_of(card)] for card in cards) for cards in self.hands]

    def snapshot(self) -> dict[str, Any]:
        """Plain copy of everything there is to know about the position."""
        return {
            "hands": [sorted(cards, key=card_order) for cards in self.hands],
            "top": self.top,
            "named_suit": self.named_suit,
            "pending": {"draw": self.draw, "skip": self.skip, "kind": self.kind},
            "stock": list(self.stock),
            "to_play": self.to_play,
            "played": self.played,
            "passes": self.passes,
            "turns": self.turns,
            "lost_turns": self.lost_turns,
            "seen": dict(self.seen),
            "points": self.points(),
            "over": self.over,
            "status": self.status,
            "winner": self.winner,
        }


class Match:
    """Totals over the hands of a match, with a dealer going round.

    Parameters
    ----------
    rules : mapping
        Rule fields.
    dealer : int
        Seat of the first dealer.
    totals : sequence of int, optional
        Totals to start from.
    """

    def __init__(self, rules: Mapping[str, Any], dealer: int, totals: Sequence[int] | None = None) -> None:
        self.rules = read_rules(rules)
        self.dealer = dealer
        self.totals = list(totals or [0] * self.rules.players)
        self.hands = 0
        self.status = "playing"

    @property
    def over(self) -> bool:
        return self.status != "playing"

    @property
    def starter(self) -> int:
        """Seat that starts the coming hand."""
        return (self.dealer + 1) % self.rules.players

    def add_hand(self, points: Sequence[int], stalled: bool = False) -> None:
        """Enter the penalty points of one hand and pass the deal on."""
        if self.over:
            raise IllegalMove("the match is over")
        self.totals = [total + more for total, more in zip(self.totals, points, strict=True)]
        self.hands += 1
        self.dealer = self.starter
        if stalled:
            self.status = "stalled"
        elif max(self.totals) >= self.rules.target:
            self.status = "finished"
        elif self.hands >= self.rules.max_hands:
            self.status = "stalled"

    def win_shares(self) -> list[float]:
        """One win, shared among the lowest totals; nobody has it in an unfinished or stalled match."""
        if self.status != "finished":
            return [0.0] * self.rules.players
        best = min(self.totals)
        return [(total == best) / self.totals.count(best) for total in self.totals]


def deal(rules: Mapping[str, Any], starter: int, rng: random.Random) -> Hand:
    """Shuffle, deal and turn a card up."""
    full = read_rules(rules)
    deck = full_deck(full.decks)
    if full.players * full.hand_size >= len(deck):
        raise ValueError(f"{len(deck)} cards do not suffice for {full.players} players")
    rng.shuffle(deck)
    hands = [[deck.pop() for _ in range(full.hand_size)] for _ in range(full.players)]
    state = {"hands": hands, "top": deck.pop(), "stock": deck, "to_play": starter}
    return Hand(rules, state, lambda cards: rng.sample(cards, len(cards)))
