"""Rules of Macke and its relatives, as data: one dataclass, named presets, and the flat record that kernels read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from pymacco_sim._check import Flag, OneOf, RequestError, Whole
from pymacco_sim.games.rulebook import Preset, Rules, rule

MAX_DICE = 6
"""Most dice."""

MAX_SIDES = 8
"""Most sides of a die."""

MAX_SEATS = 8
"""Most seats of a race."""

MAX_ROLLS_OF_DICE = 65_535
"""Most different ordered rolls of all dice: they are numbered in 16 bits."""


@dataclass(frozen=True)
class PointList:
    """Points, one entry a pip (or a combination): a sequence of whole numbers, or a text of them with commas or pluses.

    With `multiples`, ``"x2"`` stands for twice the triple of the same pip.
    """

    what: str
    multiples: bool = False

    @property
    def words(self) -> str:
        """What the field may hold."""
        return f"points {self.what}" + (", or x2, x3, ... for that many triples" if self.multiples else "")

    def convert(self, name: str, value: Any) -> tuple[int | str, ...]:
        """Return the points as a tuple, or raise."""
        items = re.split(r"[,+]", value) if isinstance(value, str) else value
        try:
            return tuple(self._item(name, item) for item in items)
        except TypeError:
            raise RequestError(f"{name} is {value!r}; it must be {self.words}, such as 100,0,50.") from None

    def _item(self, name: str, item: Any) -> int | str:
        text = str(item).strip().lower()
        if self.multiples and text.startswith("x"):
            return f"x{Whole(1, 100).convert(name, text[1:])}"
        return Whole(0, 1_000_000).convert(name, item)


@dataclass(frozen=True)
class MackeRules(Rules):
    """How the dice score, how a turn runs, and when a session or race ends.

    All fields are described by :meth:`describe`; the defaults are Macke's own.

    Raises
    ------
    RequestError
        If a value is not allowed, or values do not go together.

    Examples
    --------
    >>> MackeRules().replace(hot_dice="may_stop").hot_dice
    'may_stop'
    >>> MackeRules(triples="1000,200,300,400,500,600") == MackeRules()
    True
    """

    dice: int = rule(5, "dice that a turn starts with", Whole(1, MAX_DICE))
    sides: int = rule(6, "sides of a die", Whole(2, MAX_SIDES))
    singles: tuple[int, ...] = rule((100, 0, 0, 0, 50, 0), "points of one die, by pip", PointList("by pip"))
    triples: tuple[int, ...] = rule(
        (1000, 200, 300, 400, 500, 600), "points of three of a kind, by pip", PointList("by pip")
    )
    n_of_a_kind: tuple[int | str, ...] = rule(
        (0, 0, 0),
        "points of four, five and six of a kind (0: they are not a combination)",
        PointList("for 4, 5, 6 of a kind", multiples=True),
    )
    straights: tuple[int, ...] = rule(
        (0, 0, 0), "points of the straights 1-5, 2-6 and 1-6", PointList("for 1-5, 2-6, 1-6")
    )
    three_pairs: int = rule(0, "points of three pairs", Whole(0, 1_000_000), "R")
    pairs_alike: bool = rule(True, "whether two of three pairs may be alike: four of a kind and a pair", Flag(), "R")
    two_triples: int = rule(0, "points of two different triples in one roll", Whole(0, 1_000_000))
    nothing: int = rule(0, "points of a roll of all dice in which no die scores (0: a bust)", Whole(0, 1_000_000))
    hot_dice: str = rule(
        "must_roll", "whether a player with all dice set aside must roll them again", OneOf(("must_roll", "may_stop"))
    )
    min_bank: int = rule(0, "points that a turn needs before it may stop", Whole(0, 1_000_000), "R")
    min_first_bank: int = rule(0, "the same while nothing is banked yet", Whole(0, 1_000_000), "R")
    bust_streak: int = rule(0, "busts in a row that cost a penalty (0: never)", Whole(0, 100), "R")
    bust_penalty: int = rule(0, "points taken from the banked total after such a streak", Whole(0, 1_000_000), "R")
    target: int = rule(5000, "banked points that end the session or race", Whole(1, 10_000_000))
    last_round: bool = rule(
        False, "whether every later seat gets one last turn, highest total wins, ties share", Flag(), "R"
    )
    max_turns: int = rule(1000, "turns a seat after which a session or race counts as stalled", Whole(1, 10**6), "R")
    max_rolls: int = rule(1000, "rolls after which a turn counts as stalled", Whole(100, 10**6), "R")

    def check(self) -> None:
        """Check the lengths of the lists, the size of the dice, and that something scores."""
        lengths = {"singles": self.sides, "triples": self.sides, "n_of_a_kind": 3, "straights": 3}
        for name, length in lengths.items():
            came = getattr(self, name)
            if len(came) != length:
                raise RequestError(f"{name} has {len(came)} entries {came}; it must have {length}.")
        if self.sides**self.dice > MAX_ROLLS_OF_DICE:
            raise RequestError(
                f"{self.dice} dice of {self.sides} sides have {self.sides**self.dice:,} rolls; "
                f"at most {MAX_ROLLS_OF_DICE:,} are allowed: take fewer dice or sides."
            )
        if self.sides < 6 and any(self.straights):
            raise RequestError(f"straights is {self.straights}; a die of {self.sides} sides has none: set it to 0,0,0.")
        if not any(self.singles):
            raise RequestError(f"singles is {self.singles}; at least one pip must score on its own.")


PRESETS = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset(
                "macke", "Macke: five dice to 5,000; all dice set aside must be rolled again", {}, (1, MAX_SEATS), 1
            ),
            Preset(
                "farkle",
                "Farkle with the scores that all descriptions share, to 10,000 "
                "(https://en.wikipedia.org/wiki/Farkle, 'Standard scoring')",
                {"dice": 6, "hot_dice": "may_stop", "target": 10_000, "last_round": True},
                (1, MAX_SEATS),
                1,
            ),
            Preset(
                "farkle-facebook",
                "Farkle as on Facebook: more of a kind add a triple each, 300 to bank, 500 lost at three busts in a "
                "row (M. Busche, https://www.mattbusche.org/blog/article/farkle_win_probability/)",
                {
                    "dice": 6,
                    "n_of_a_kind": ("x2", "x3", "x4"),
                    "straights": (0, 0, 1500),
                    "three_pairs": 750,
                    "pairs_alike": False,
                    "hot_dice": "may_stop",
                    "min_bank": 300,
                    "bust_streak": 3,
                    "bust_penalty": 500,
                    "target": 10_000,
                },
                (1, MAX_SEATS),
                1,
            ),
            Preset(
                "zilch",
                "Zilch: more of a kind double, a roll of nothing is worth 500, 300 to bank, 500 lost at three busts in "
                "a row (http://zilch.playr.co.uk/rules.php; https://www.mattbusche.org/blog/article/zilch/)",
                {
                    "dice": 6,
                    "n_of_a_kind": ("x2", "x4", "x8"),
                    "straights": (0, 0, 1500),
                    "three_pairs": 1500,
                    "nothing": 500,
                    "hot_dice": "may_stop",
                    "min_bank": 300,
                    "bust_streak": 3,
                    "bust_penalty": 500,
                    "target": 10_000,
                },
                (1, MAX_SEATS),
                1,
            ),
            Preset(
                "ten-thousand",
                "Ten Thousand: more of a kind double, 1,000 to open, a last round "
                "(https://en.wikipedia.org/wiki/Dice_10000)",
                {
                    "dice": 6,
                    "n_of_a_kind": ("x2", "x4", "x8"),
                    "straights": (0, 0, 1500),
                    "three_pairs": 750,
                    "hot_dice": "may_stop",
                    "min_first_bank": 1000,
                    "target": 10_000,
                    "last_round": True,
                },
                (1, MAX_SEATS),
                1,
            ),
        )
    }
)
"""The named rule sets; what a description leaves open follows Macke."""


RULES = np.dtype(
    [
        ("dice", np.int64),
        ("sides", np.int64),
        ("faces", np.int64, (MAX_DICE + 1,)),
        ("unit", np.int64),
        ("width", np.int64),
        ("may_stop_hot", np.int64),
        ("min_bank", np.int64),
        ("min_first_bank", np.int64),
        ("bust_streak", np.int64),
        ("bust_penalty", np.int64),
        ("target", np.int64),
        ("last_round", np.int64),
        ("max_turns", np.int64),
        ("max_rolls", np.int64),
    ],
    align=True,
)
"""The rules as kernels read them: `faces[d]` is the number of ordered rolls of `d` dice, `unit` divides all points,
`width` is the length of a row of a decision table."""


def pack_rules(rules: MackeRules, unit: int, n_classes: int) -> np.recarray:
    """Return the rules as one record of :data:`RULES` (a recarray of length 1)."""
    packed = np.zeros(1, dtype=RULES).view(np.recarray)
    for name in ("dice", "sides", "min_bank", "min_first_bank", "bust_streak", "bust_penalty", "target", "last_round"):
        packed[name] = getattr(rules, name)
    packed["faces"][0] = [rules.sides**dice for dice in range(MAX_DICE + 1)]
    packed["unit"], packed["width"] = unit, n_classes + 1
    packed["may_stop_hot"] = rules.hot_dice == "may_stop"
    packed["max_turns"], packed["max_rolls"] = rules.max_turns, rules.max_rolls
    return packed
