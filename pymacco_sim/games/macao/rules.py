"""Rules of Macao as data: every number and every reading of the rules page is a field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pymacco_sim._check import Flag, OneOf, RequestError, Whole, whole
from pymacco_sim.games.macao.cards import RANKS, rank_number
from pymacco_sim.games.rulebook import Preset, Rules, rule

MAX_SEATS = 8
MAX_DECKS = 20
DECK_SIZE = 54

DEFAULT_POINTS = (
    *(("2", 10), ("3", 15), ("4", 30), ("5", 5), ("6", 6), ("7", 40), ("8", 8), ("9", 9)),
    *(("10", 10), ("J", 10), ("Q", 10), ("K", 10), ("A", 50), ("BJ", 25), ("RJ", 50)),
)


def _rank_name(value: Any) -> str:
    return RANKS[rank_number(value) - 2]


@dataclass(frozen=True)
class RankSet:
    """Some ranks, as a tuple of names in rank order; as text ``"A+8"``, or ``"none"``."""

    jokers: bool = False

    @property
    def words(self) -> str:
        return "ranks joined by +, or none"

    def convert(self, name: str, value: Any) -> tuple[str, ...]:
        if isinstance(value, (str, int)):
            value = re.split(r"[+;/ ]+", re.sub(r"[ _-]joker", "", str(value).strip().lower()))
        try:
            ranks = {_rank_name(item) for item in value if str(item).lower() not in ("", "none")}
        except (TypeError, RequestError) as error:
            raise RequestError(f"{name} is {value!r}; it must be ranks joined by +, such as A+8, or none.") from error
        if not self.jokers and ranks & {"BJ", "RJ"}:
            raise RequestError(f"{name} is {value!r}; a joker cannot be among them.")
        return tuple(rank for rank in RANKS if rank in ranks)


@dataclass(frozen=True)
class RankNumbers:
    """A whole number for some ranks, as a tuple of pairs in rank order; as text ``"2:2+3:3"``, or ``"none"``.

    With `missing` pairs, ranks that are not named keep the numbers given there; otherwise they have none.
    """

    low: int
    high: int
    missing: tuple[tuple[str, int], ...] = ()

    @property
    def words(self) -> str:
        return f"rank:number joined by +, numbers {self.low} to {self.high:,}"

    def convert(self, name: str, value: Any) -> tuple[tuple[str, int], ...]:
        if isinstance(value, str):
            value = [piece for piece in re.split(r"[+;/ ]+", value.strip()) if piece.lower() not in ("", "none")]
        found = dict(self.missing)
        try:
            for pair in value.items() if isinstance(value, Mapping) else value:
                key, number = pair.split(":", 1) if isinstance(pair, str) else pair
                found[_rank_name(key)] = whole(f"{name} of {key}", number, self.low, self.high)
        except (TypeError, ValueError) as error:
            if isinstance(error, RequestError):
                raise
            raise RequestError(f"{name} is {value!r}; it must be rank:number joined by +, such as 2:2+3:3.") from error
        return tuple((rank, found[rank]) for rank in RANKS if rank in found)


@dataclass(frozen=True)
class MacaoRules(Rules):
    """Rules of Macao; ``help`` for each field stands in :meth:`describe`.

    Examples
    --------
    >>> MacaoRules(wild_ranks="A+8", forced_draw="2:2+RJ:7").forced_draw
    (('2', 2), ('RJ', 7))
    >>> MacaoRules(players=8, decks=1, hand_size=7)
    Traceback (most recent call last):
    ...
    pymacco_sim._check.RequestError: 8 players with 7 cards each and one card turned up need 57 cards; ... hold 54.
    """

    players: int = rule(4, "seats at the table", Whole(2, MAX_SEATS))
    decks: int = rule(3, "decks of 54 cards shuffled together", Whole(1, MAX_DECKS))
    hand_size: int = rule(5, "cards dealt to each player", Whole(1, 100))
    target: int = rule(300, "a match ends after the hand in which some total reaches this many points", Whole(1, 10**6))
    first_dealer: str = rule(
        "drawn",
        "seat that deals the first hand of a match, or drawn uniformly; the seat to its left starts",
        OneOf(("drawn", *map(str, range(MAX_SEATS)))),
    )
    start_seat: int = rule(0, "seat that starts a single hand", Whole(0, MAX_SEATS - 1), "R")
    points: tuple[tuple[str, int], ...] = rule(
        DEFAULT_POINTS,
        "penalty points of a card left in the hand, by rank; ranks that are not named keep the usual number",
        RankNumbers(0, 1000, DEFAULT_POINTS),
    )
    wild_ranks: tuple[str, ...] = rule(("A",), "ranks that may be played on anything and name a suit", RankSet(), "R")
    free_ranks: tuple[str, ...] = rule(
        ("BJ", "RJ"), "further ranks that may be played on anything, without naming a suit", RankSet(jokers=True), "R"
    )
    forced_draw: tuple[tuple[str, int], ...] = rule(
        (("2", 2), ("3", 3), ("BJ", 5), ("RJ", 10)),
        "cards that the next player must draw, by rank",
        RankNumbers(1, 100),
    )
    skip_ranks: tuple[str, ...] = rule(("4",), "ranks that make the next player lose a turn", RankSet(jokers=True))
    cancel_ranks: tuple[str, ...] = rule(("7",), "ranks that cancel pending draws", RankSet(jokers=True))
    joker_follow: str = rule(
        "any",
        "what follows a joker: any card, free cards only, or what would have followed the card below it",
        OneOf(("any", "free", "below")),
        "R",
    )
    skips_stack: bool = rule(False, "several skips add up: each lost turn takes one away", Flag(), "R")
    seven_needs_match: bool = rule(False, "a cancelling card that answers must match the top card", Flag(), "R")
    ace_answers: bool = rule(False, "an ace answers; all that is pending moves on", Flag(), "R")
    cross_stacking: bool = rule(False, "any card that makes others draw answers pending draws", Flag(), "R")
    reshuffle: bool = rule(False, "an empty stock is made anew of all played cards but the top one", Flag())
    max_turns: int = rule(10_000, "turns after which a hand counts as stalled", Whole(1, 10**6))
    max_hands: int = rule(1_000, "hands after which a match counts as stalled", Whole(1, 10**6))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values; numbers by rank become texts such as ``"2:2"``."""
        plain = super().to_dict()
        for name in ("points", "forced_draw"):
            plain[name] = [f"{rank}:{number}" for rank, number in getattr(self, name)]
        return plain

    def check(self) -> None:
        """Check that cards and seats suffice and that no rank has two powers."""
        need, have = self.players * self.hand_size + 1, self.decks * DECK_SIZE
        if need > have:
            raise RequestError(
                f"{self.players} players with {self.hand_size} cards each and one card turned up need {need} cards; "
                f"{self.decks} decks hold {have}."
            )
        if self.start_seat >= self.players:
            raise RequestError(
                f"start_seat is {self.start_seat}; with {self.players} players it must be 0 to {self.players - 1}."
            )
        if self.first_dealer != "drawn" and int(self.first_dealer) >= self.players:
            raise RequestError(
                f"first_dealer is {self.first_dealer}; with {self.players} players it must be drawn or "
                f"0 to {self.players - 1}."
            )
        powers = [*(rank for rank, _ in self.forced_draw), *self.skip_ranks, *self.cancel_ranks]
        twice = sorted({rank for rank in powers if powers.count(rank) > 1})
        if twice:
            raise RequestError(
                f"rank {twice[0]} has two powers; forced_draw, skip_ranks and cancel_ranks must not share a rank."
            )


PRESETS = {
    "macao": Preset(
        name="macao",
        words="shed your cards in chains; aces name suits, 2, 3 and jokers make others draw; matches to 300 points",
        fields={},
        seats=(2, MAX_SEATS),
        default_seats=4,
    )
}
