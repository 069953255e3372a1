"""Referee of Macke and its relatives: set-asides by brute force, a turn, a solo session, a race."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from types import SimpleNamespace
from typing import Any

Choice = tuple[int, int]  # points, dice left

DEFAULTS: dict[str, Any] = {
    "dice": 5,
    "sides": 6,
    "singles": {1: 100, 5: 50},
    "triples": {1: 1000, 2: 200, 3: 300, 4: 400, 5: 500, 6: 600},
    "n_of_a_kind": {},  # {4: ("times", 2)} of the triple's points, or {4: ("fixed", 1000)}
    "straights": {},  # {(1, 2, 3, 4, 5, 6): 1500}
    "three_pairs": 0,
    "two_triples": 0,
    "pairs_may_repeat": False,
    "hot_dice": "must_roll",
    "min_bank": 0,
    "min_first_bank": 0,
    "target": 5000,
    "last_round": False,
    "max_turns": 10_000,
}


class IllegalMove(ValueError):  # noqa: N818
    """The action is not allowed in this position."""


def read_rules(rules: Mapping[str, Any]) -> SimpleNamespace:
    """Fill in the defaults (Macke) and refuse fields or words the referee does not know."""
    unknown = sorted(set(rules) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"the referee does not know the rule fields {unknown}")
    full = SimpleNamespace(**{**DEFAULTS, **rules})
    if full.hot_dice not in ("must_roll", "may_stop"):
        raise ValueError(f"hot_dice must be 'must_roll' or 'may_stop', not {full.hot_dice!r}")
    return full


def _scoring(rules: Mapping[str, Any]) -> tuple[Any, ...]:
    """Scoring table in a hashable form, so that values can be remembered."""
    full = read_rules(rules)
    tables = (full.singles, full.triples, full.n_of_a_kind, full.straights)
    frozen = (tuple(sorted((key, _as_key(value)) for key, value in table.items())) for table in tables)
    return (*frozen, full.three_pairs, full.two_triples, full.pairs_may_repeat)


def _as_key(value: Any) -> Any:
    return value if isinstance(value, int) else tuple(value)


def _pattern_value(scoring: tuple[Any, ...], dice: tuple[int, ...]) -> int:
    """Value of sorted dice as one single pattern of the rule data, 0 if they are none."""
    singles, triples, n_of_a_kind, straights = (dict(table) for table in scoring[:4])
    three_pairs, two_triples, pairs_may_repeat = scoring[4:]
    counts = Counter(dice)
    values = [straights.get(dice, 0)]
    if len(counts) == 1:
        face, n = dice[0], len(dice)
        if n == 1:
            values.append(singles.get(face, 0))
        elif n == 3:
            values.append(triples.get(face, 0))
        elif n in n_of_a_kind:
            how, number = n_of_a_kind[n]
            values.append(number if how == "fixed" else number * triples.get(face, 0))
    shape = sorted(counts.values())
    repeated = pairs_may_repeat and len(dice) == 6 and all(n % 2 == 0 for n in shape)
    if shape == [2, 2, 2] or repeated:
        values.append(three_pairs)
    if shape == [3, 3]:
        values.append(two_triples)
    return max(values)


@cache
def _best_value(scoring: tuple[Any, ...], dice: tuple[int, ...]) -> int:
    """Best split of sorted dice into patterns that uses them all, 0 if there is none."""
    first, others = dice[0], dice[1:]
    found = [0]
    for n in range(len(others) + 1):
        for picked in combinations(range(len(others)), n):
            value = _pattern_value(scoring, (first, *(others[i] for i in picked)))
            rest = tuple(die for i, die in enumerate(others) if i not in picked)
            rest_value = _best_value(scoring, rest) if value and rest else 0
            if value and (not rest or rest_value):
                found.append(value + rest_value)
    return max(found)


@cache
def _set_asides(scoring: tuple[Any, ...], roll: tuple[int, ...]) -> frozenset[Choice]:
    sizes = range(1, len(roll) + 1)
    subsets = {subset for n in sizes for subset in combinations(roll, n)}
    values = {subset: _best_value(scoring, subset) for subset in subsets}
    return frozenset((value, len(roll) - len(dice)) for dice, value in values.items() if value)


def set_asides(rules: Mapping[str, Any], roll: Sequence[int]) -> set[Choice]:
    """Every ``(points, dice left)`` a roll offers; empty for a bust."""
    return set(_set_asides(_scoring(rules), tuple(sorted(roll))))


def take_all(choices: Iterable[Choice]) -> Choice:
    """Keep rule ``all``: every scoring die."""
    return min(choices, key=lambda choice: (choice[1], -choice[0]))


def fewest(choices: Iterable[Choice]) -> Choice:
    """Keep rule ``fewest``: the fewest dice, ties to the most points."""
    return max(choices, key=lambda choice: (choice[1], choice[0]))


def roll_classes(rules: Mapping[str, Any], dice: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Sorted rolls of a number of dice with their probabilities."""
    sides = read_rules(rules).sides
    for roll in combinations_with_replacement(range(1, sides + 1), dice):
        ways = factorial(dice) // prod(factorial(n) for n in Counter(roll).values())
        yield roll, Fraction(ways, sides**dice)


def bust_chance(rules: Mapping[str, Any], dice: int) -> Fraction:
    """Chance that a roll offers nothing."""
    return sum((p for roll, p in roll_classes(rules, dice) if not set_asides(rules, roll)), Fraction(0))


def mean_after_one_roll(rules: Mapping[str, Any], points: int, dice: int) -> Fraction:
    """Mean turn points after one more roll with every scoring die taken, a bust counting 0."""
    mean = Fraction(0)
    for roll, p in roll_classes(rules, dice):
        choices = set_asides(rules, roll)
        if choices:
            mean += p * (points + take_all(choices)[0])
    return mean


class Turn:
    """One player's turn: `roll`, `keep`, then `roll` again or `bank`.

    Parameters
    ----------
    rules : mapping
        Rule fields; missing ones are those of Macke.
    banked : int
        What the player has banked before; 0 makes ``min_first_bank`` count.
    """

    def __init__(self, rules: Mapping[str, Any], banked: int = 0) -> None:
        self.rules, self._fields = read_rules(rules), rules
        self.points, self.rolls, self.hot_dice = 0, 0, 0
        self.dice_left = self.rules.dice
        self.choices: set[Choice] = set()
        self.status = "rolling"
        self.score = 0
        self.needed = max(self.rules.min_bank, self.rules.min_first_bank if banked == 0 else 0)
        self._must_roll = True

    @property
    def over(self) -> bool:
        return self.status in ("bust", "banked")

    @property
    def may_bank(self) -> bool:
        return self.status == "rolling" and not self._must_roll and self.points >= self.needed

    def roll(self, dice: Sequence[int]) -> set[Choice]:
        """Enter the dice thrown; returns the choices, none for a bust, which ends the turn."""
        if self.status != "rolling":
            raise IllegalMove(f"no roll while the turn is {self.status}")
        if len(dice) != self.dice_left or not all(1 <= die <= self.rules.sides for die in dice):
            raise IllegalMove(f"{dice} is no roll of {self.dice_left} dice")
        self.rolls += 1
        self.choices = set_asides(self._fields, dice)
        if self.choices:
            self.status = "keeping"
        else:
            self.status, self.points = "bust", 0
        return self.choices

    def keep(self, points: int, dice_left: int) -> None:
        """Set aside one choice of the roll."""
        if self.status != "keeping" or (points, dice_left) not in self.choices:
            raise IllegalMove(f"{(points, dice_left)} is not among {sorted(self.choices)} ({self.status})")
        self.points += points
        self._must_roll = dice_left == 0 and self.rules.hot_dice == "must_roll"
        self.hot_dice += dice_left == 0
        self.dice_left = dice_left or self.rules.dice
        self.status, self.choices = "rolling", set()

    def bank(self) -> int:
        """Stop and score."""
        if not self.may_bank:
            raise IllegalMove(f"the turn may not be banked ({self.status}, {self.points} points)")
        self.status, self.score = "banked", self.points
        return self.score


class Race:
    """Players in seat order up to the target; with one player the solo session.

    ``turns`` counts all turns; ``max_turns`` caps the turns of every seat.
    """

    def __init__(self, rules: Mapping[str, Any], players: int = 2) -> None:
        self.rules, self._fields = read_rules(rules), rules
        self.totals = [0] * players
        self.to_play: int | None = 0
        self.turns = 0
        self.status = "playing"
        self.triggered_by: int | None = None

    @property
    def over(self) -> bool:
        return self.status != "playing"

    def new_turn(self) -> Turn:
        """Turn of the seat to play."""
        if self.over:
            raise IllegalMove("the race is over")
        return Turn(self._fields, self.totals[self.to_play])

    def end_turn(self, turn: Turn) -> None:
        """Enter a finished turn of the seat to play."""
        if self.over or not turn.over:
            raise IllegalMove("no finished turn to enter")
        seat = self.to_play
        self.totals[seat] += turn.score
        self.turns += 1
        if self.triggered_by is None and self.totals[seat] >= self.rules.target:
            self.triggered_by = seat
        last_of_round = seat == len(self.totals) - 1
        if self.triggered_by is not None and (last_of_round or not self.rules.last_round):
            self.status = "finished"
        elif last_of_round and self.turns >= self.rules.max_turns * len(self.totals):
            self.status = "stalled"
        self.to_play = None if self.over else (seat + 1) % len(self.totals)

    def win_shares(self) -> list[float]:
        """One win: for the first to reach the target, or shared by the highest totals of a last round."""
        if self.status != "finished":
            return [0.0] * len(self.totals)
        if not self.rules.last_round:
            return [float(seat == self.triggered_by) for seat in range(len(self.totals))]
        best = max(self.totals)
        return [(total == best) / self.totals.count(best) for total in self.totals]


class Session(Race):
    """Solo session: one player up to the target; the outcome is ``turns``."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        super().__init__(rules, players=1)


def wants_to_stop(method: str, threshold: Any, turn: Turn) -> bool:
    """Answer of a stop rule of the rules page (not ``optimal``), asked when the player may stop."""
    rules, points, dice = turn._fields, turn.points, turn.dice_left
    if method == "points":
        return points >= threshold
    if method == "dice":
        return dice <= threshold
    if method == "rolls":
        return turn.rolls >= threshold
    if method == "bust":
        return bust_chance(rules, dice) >= threshold
    if method == "either":
        return points >= threshold[0] or dice <= threshold[1]
    if method == "both":
        return points >= threshold[0] and dice <= threshold[1]
    if method == "expected":
        return points >= mean_after_one_roll(rules, points, dice)
    raise ValueError(f"no stop rule is called {method!r}")


def play_turn(
    turn: Turn,
    stop: Callable[[Turn], bool],
    throw: Callable[[int], Sequence[int]],
    keep: Callable[[Iterable[Choice]], Choice] = take_all,
) -> Turn:
    """Play a turn to its end with a stop rule, a source of dice and a keep rule."""
    while not turn.over:
        choices = turn.roll(throw(turn.dice_left))
        if choices:
            turn.keep(*keep(choices))
            if turn.may_bank and stop(turn):
                turn.bank()
    return turn
