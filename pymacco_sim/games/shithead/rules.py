"""Rules of Tomacco and Threes as data, and the flat record that the kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pymacco_sim._check import Flag, OneOf, RequestError, Whole, unknown
from pymacco_sim.games.rulebook import Preset, Rules, rule

MAX_SEATS = 20
"""Most seats that the state record holds."""

MAX_CARDS = 480
"""Most cards that the state record holds (eight decks with eight jokers each)."""

MAX_UP = 7
"""Most face-up cards a seat: a choice of them fits an int32, four bits a card."""

MAX_DOWN = 8
"""Most face-down cards a seat."""

N_RANKS = 16
"""Length of every array by rank; ranks are 2 to 15, so entries 0 and 1 stay empty."""

JOKER = 15

RANK_NAMES = ("", "", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "Joker")
"""Names by rank: jack 11, queen 12, king 13, ace 14, joker 15."""

ALL_RANKS = 0xFFFC
"""Set of the ranks 2 to 15, as bits."""

_WORDS = {**{name.lower(): rank for rank, name in enumerate(RANK_NAMES) if name}, "jk": JOKER, "jack": 11}
_WORDS |= {"queen": 12, "king": 13, "ace": 14, "11": 11, "12": 12, "13": 13, "14": 14, "15": 15}


def parse_rank(name: str, value: Any) -> int:
    """Return the rank 2 to 15 of a number or a word such as ``"10"``, ``"K"``, ``"joker"``.

    Raises
    ------
    RequestError
        If there is no such rank; `name` says what was being read.

    Examples
    --------
    >>> parse_rank("wild", "Q"), parse_rank("wild", 2)
    (12, 2)
    """
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise unknown(f"rank in {name}", value, RANK_NAMES[2:])
    return _WORDS[word]


def to_mask(ranks: Any) -> int:
    """Return a collection of ranks as a set of bits.

    Examples
    --------
    >>> bin(to_mask((2, 4)))
    '0b10100'
    """
    mask = 0
    for rank in ranks:
        mask |= 1 << int(rank)
    return mask


class Rank(int):
    """A rank 2 to 15 that is written as its name."""

    def __str__(self) -> str:
        return RANK_NAMES[self]


@dataclass(frozen=True)
class RankSet:
    """A set of ranks: an iterable, or a text such as ``"2+8+Joker"``; ``"none"`` is the empty set."""

    @property
    def words(self) -> str:
        return "ranks joined by +, such as 2+8+Joker, or none"

    def convert(self, name: str, value: Any) -> tuple[int, ...]:
        if isinstance(value, str):
            text = value.replace(",", "+").replace(" ", "+").strip("+")
            value = [] if text.lower() in ("", "none") else [word for word in text.split("+") if word]
        elif isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            value = [value]
        try:
            items = list(value)
        except TypeError:
            raise RequestError(f"{name} is {value!r}; it must be {self.words}.") from None
        return tuple(sorted({Rank(parse_rank(name, item)) for item in items}))


@dataclass(frozen=True)
class ShitheadRules(Rules):
    """Rules of the family; the defaults are those of Tomacco.

    Examples
    --------
    >>> rules = ShitheadRules(players=6)
    >>> rules.n_decks, rules.burn_run, rules.n_cards
    (2, 4, 104)
    >>> ShitheadRules(wild="2+Joker").wild
    (2, 15)
    """

    players: int = rule(4, "seats at the table", Whole(2, 999), "R")
    decks: int = rule(0, "decks of 52 shuffled together; 0: one for every five players", Whole(0, 99))
    jokers_per_deck: int = rule(0, "jokers added to each deck", Whole(0, 99), "R")
    compare: str = rule("higher", "what a card must be against the pile", OneOf(("higher", "equal_or_higher")))
    wild: tuple[int, ...] = rule((2, 10), "ranks that may be played on anything", RankSet())
    burns: tuple[int, ...] = rule((10, 14), "ranks that take the pile out of the game", RankSet())
    inverts: tuple[int, ...] = rule((), "ranks that must be followed by an equal or lower card", RankSet())
    transparent: tuple[int, ...] = rule((), "ranks that leave the value of the pile as it is", RankSet())
    plain_bottom: bool = rule(False, "whether a transparent card counts by its rank as the pile's bottom card", Flag())
    run_to_burn: int = rule(
        0, "equal cards in a row that burn the pile; 0: three with one deck, four with more", Whole(0, MAX_CARDS)
    )
    burner_plays_again: bool = rule(True, "whether who burns the pile plays again", Flag(), "R")
    pickup_plays_again: bool = rule(False, "whether who picks up plays again, on the empty pile", Flag(), "R")
    draw: str = rule("one_each_turn", "how cards are drawn from the stock", OneOf(("one_each_turn", "up_to_hand_size")))
    hand_size: int = rule(3, "cards in hand after the face-up choice", Whole(1, 9))
    up_size: int = rule(3, "face-up cards a player", Whole(0, MAX_UP))
    down_size: int = rule(3, "face-down cards a player", Whole(0, MAX_DOWN))
    failed_card: str = rule("stays", "where an unplayable face-down card goes", OneOf(("stays", "to_hand")))
    join_last_cards: bool = rule(
        False, "whether equal face-up cards may join the last hand cards once the stock is empty", Flag(), "R"
    )
    may_decline: bool = rule(True, "whether a playable face-down card may be kept and the pile picked up", Flag())
    first_player: str = rule("seat_0", "who begins", OneOf(("seat_0", "lowest_card")))
    play_until: str = rule(
        "last", "play until one player is left, or until the first is out", OneOf(("last", "first")), "R"
    )
    max_turns: int = rule(10_000, "turns after which a game stops as stalled", Whole(1, 10**8), "R")
    max_idle: int = rule(
        0,
        "turns without a burn, a draw, a new face-down card or a player out that stall a game; 0: never",
        Whole(0, 10**8),
        "R",
    )

    def check(self) -> None:
        """Check what the fields say together: record capacity, and enough cards for everybody."""
        if self.players > MAX_SEATS:
            raise RequestError(f"players is {self.players}; the state record holds at most {MAX_SEATS} seats.")
        if self.n_cards > MAX_CARDS:
            raise RequestError(
                f"{self.n_decks} decks with {self.jokers_per_deck} jokers each are {self.n_cards} cards; "
                f"the state record holds at most {MAX_CARDS}: use fewer decks or jokers."
            )
        needed = self.players * (self.hand_size + self.up_size + self.down_size)
        if needed > self.n_cards:
            raise RequestError(
                f"{self.players} players are dealt {needed} cards, but {self.n_decks} deck(s) have {self.n_cards}: "
                "set more decks, fewer players or fewer cards each."
            )

    @property
    def n_decks(self) -> int:
        """Decks in play, with the automatic value worked out."""
        return self.decks or -(-self.players // 5)

    @property
    def burn_run(self) -> int:
        """Length of the run that burns, with the automatic value worked out."""
        return self.run_to_burn or (3 if self.n_decks == 1 else 4)

    @property
    def n_cards(self) -> int:
        """Cards in play."""
        return self.n_decks * (52 + self.jokers_per_deck)


RULES = np.dtype(
    [
        ("accepts", np.int32, (N_RANKS,)),
        ("copies", np.uint8, (N_RANKS,)),
        ("deck", np.uint8, (MAX_CARDS,)),
        ("n_cards", np.int32),
        ("players", np.int32),
        ("wild", np.int32),
        ("burns", np.int32),
        ("inverts", np.int32),
        ("transparent", np.int32),
        ("strong", np.int32),
        ("plain_bottom", np.int32),
        ("run_to_burn", np.int32),
        ("burner_again", np.int32),
        ("pickup_again", np.int32),
        ("draw_to", np.int32),
        ("hand_size", np.int32),
        ("up_size", np.int32),
        ("down_size", np.int32),
        ("failed_stays", np.int32),
        ("join", np.int32),
        ("may_decline", np.int32),
        ("lowest_begins", np.int32),
        ("first_ends", np.int32),
        ("max_turns", np.int32),
        ("max_idle", np.int32),
        ("watch_from", np.int32),
    ],
    align=True,
)
"""The rules as kernels read them.

Sets of ranks are bits. ``accepts[v]`` is the set of ranks that a pile of value `v` takes (0: no value), ``copies``
the number of cards of each rank in the game, ``deck`` the cards in the order before the shuffle, ``strong`` the wild
and burning ranks, ``draw_to`` the hand size up to which a player draws (0: one card a turn), ``watch_from`` the
number of turns before which neither cap nor idleness can stop a game.
"""


def pack_rules(rules: ShitheadRules) -> np.recarray:
    """Return `rules` as an array of one :data:`RULES` record."""
    packed = np.zeros(1, dtype=RULES).view(np.recarray)
    record = packed[0]
    deck = [rank for rank in range(2, 15) for _ in range(4 * rules.n_decks)]
    deck += [JOKER] * (rules.jokers_per_deck * rules.n_decks)
    record.deck[: len(deck)] = deck
    record.copies[:] = np.bincount(deck, minlength=N_RANKS)
    record.accepts[:] = [_accepted(rules, value) for value in range(N_RANKS)]
    for name in ("wild", "burns", "inverts", "transparent"):
        record[name] = to_mask(getattr(rules, name))
    for name in ("players", "n_cards", "plain_bottom", "hand_size", "up_size", "down_size", "may_decline"):
        record[name] = getattr(rules, name)
    record.strong = record.wild | record.burns
    record.run_to_burn, record.join = rules.burn_run, rules.join_last_cards
    record.burner_again, record.pickup_again = rules.burner_plays_again, rules.pickup_plays_again
    record.draw_to = rules.hand_size if rules.draw == "up_to_hand_size" else 0
    record.failed_stays, record.lowest_begins = rules.failed_card == "stays", rules.first_player == "lowest_card"
    record.first_ends = rules.play_until == "first"
    record.max_turns, record.max_idle = rules.max_turns, rules.max_idle
    record.watch_from = min(rules.max_turns, rules.max_idle or rules.max_turns)
    return packed


def _accepted(rules: ShitheadRules, value: int) -> int:
    """Set of the ranks that may be played on a pile of that value; 0 stands for no value."""
    if value == 0:
        return ALL_RANKS
    if value in rules.inverts:
        fitting = [rank for rank in range(2, 16) if rank <= value]
    elif rules.compare == "higher":
        fitting = [rank for rank in range(2, 16) if rank > value]
    else:
        fitting = [rank for rank in range(2, 16) if rank >= value]
    return to_mask(fitting) | to_mask(rules.wild)


_THREES: dict[str, Any] = {
    "decks": 2,
    "jokers_per_deck": 2,
    "compare": "equal_or_higher",
    "wild": (2, 8, JOKER),
    "burns": (10, JOKER),
    "inverts": (7,),
    "transparent": (8,),
    "run_to_burn": 4,
    "pickup_plays_again": True,
    "draw": "up_to_hand_size",
    "failed_card": "to_hand",
    "may_decline": False,
    "first_player": "lowest_card",
}
_THREES_2022 = {**_THREES, "wild": (2, 8, 10, JOKER), "plain_bottom": True, "join_last_cards": True}

PRESETS = {
    preset.name: preset
    for preset in (
        Preset("tomacco", "strictly higher, 2 and 10 wild, 10 and ace burn", {}, (2, MAX_SEATS), 4),
        Preset("threes", "equal or higher, 7 inverts, 8 invisible, 10 and joker burn", _THREES, (2, MAX_SEATS), 4),
        Preset(
            "threes-2022",
            "Threes as of 2022: 10 wild, a bottom 8 is plain, last hand cards join face-up ones",
            _THREES_2022,
            (2, MAX_SEATS),
            4,
        ),
    )
}
"""The shipped rule sets by name."""
