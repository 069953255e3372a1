"""What can be rolled and what can be kept: every roll class and its choices, enumerated from the rule data.

A roll of `d` dice is a number below ``sides ** d`` (its digits are the dice); rolls with the same dice in another
order form a class. Engine, decision tables and exact solvers all read the tables made here.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pymacco_sim._check import RequestError, whole
from pymacco_sim.games.macke.rules import MackeRules

MAX_CHOICES = 64
"""Most different choices of one roll: a roll of six different dice has 63 non-empty subsets."""

Choice = namedtuple("Choice", "points dice_left")
Choice.__doc__ = """One way to keep dice: the points it adds and the dice left to roll (0: all dice are set aside)."""

ClassTables = namedtuple("ClassTables", "class_of counts choice_first choice_points choice_left")
ClassTables.__doc__ = """The arrays of :class:`Rolls` that kernels read, in one argument."""

Counts = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Rolls:
    """All roll classes of a rule set, by number of dice and then in the order of their sorted pips.

    Attributes
    ----------
    unit : int
        Greatest common divisor of all points that can be kept.
    class_of : uint16[2 * sides**dice]
        Class of roll `i` of `d` dice at position ``sides**d + i``; elsewhere n_classes, which stands for no roll.
    first : int64[dice + 2]
        Classes of `d` dice are ``first[d]`` to ``first[d + 1] - 1``.
    dice : int64[n_classes]
        Number of dice of each class.
    counts : int64[n_classes, sides + 1]
        Dice of the class by pip; column 0 is unused.
    ways : int64[n_classes]
        Ordered rolls of the class; its chance is ``ways / sides**dice``.
    choice_first : int64[n_classes + 1]
        Choices of class `c` are ``choice_first[c]`` to ``choice_first[c + 1] - 1``; none means a bust.
    choice_points, choice_left : int64[n_choices]
        Points, and dice left to roll; fewest dice left first, then most points.
    """

    unit: int
    class_of: np.ndarray
    first: np.ndarray
    dice: np.ndarray
    counts: np.ndarray
    ways: np.ndarray
    choice_first: np.ndarray
    choice_points: np.ndarray
    choice_left: np.ndarray

    @property
    def n_classes(self) -> int:
        """Number of roll classes over all numbers of dice."""
        return len(self.dice)

    @property
    def tables(self) -> ClassTables:
        """The arrays that kernels read."""
        return ClassTables(self.class_of, self.counts, self.choice_first, self.choice_points, self.choice_left)

    def chance(self) -> np.ndarray:
        """Return the chance of each class among the rolls of its number of dice: float64[n_classes]."""
        totals = np.add.reduceat(self.ways, self.first[1:-1])
        return self.ways / totals[self.dice - 1]

    def bust_chance(self, dice: int) -> float:
        """Return the chance that a roll of that many dice is a bust.

        Examples
        --------
        >>> round(enumerate_rolls(MackeRules()).bust_chance(2), 6)
        0.444444
        """
        own = slice(self.first[dice], self.first[dice + 1])
        bust = np.diff(self.choice_first)[own] == 0
        return float(self.ways[own][bust].sum() / self.ways[own].sum())

    def find(self, roll: Sequence[int]) -> int:
        """Return the class of a roll given as pips in any order.

        Raises
        ------
        RequestError
            If it is not a roll of these dice.
        """
        sides, most = self.counts.shape[1] - 1, len(self.first) - 2
        pips = [whole("a die", pip, 1, sides) for pip in roll]
        if not 1 <= len(pips) <= most:
            raise RequestError(f"the roll has {len(pips)} dice; it must have 1 to {most}.")
        digits = sum((pip - 1) * sides**place for place, pip in enumerate(pips))
        return int(self.class_of[sides ** len(pips) + digits])

    def choices(self, roll_class: int) -> tuple[Choice, ...]:
        """Return the choices of a class: fewest dice left first, then most points; empty for a bust.

        Examples
        --------
        >>> rolls = enumerate_rolls(MackeRules())
        >>> rolls.choices(rolls.find([5, 1]))[:2]
        (Choice(points=150, dice_left=0), Choice(points=100, dice_left=1))
        """
        own = slice(self.choice_first[roll_class], self.choice_first[roll_class + 1])
        pairs = zip(self.choice_points[own].tolist(), self.choice_left[own].tolist(), strict=True)
        return tuple(Choice(points, left) for points, left in pairs)

    def pips(self, roll_class: int) -> tuple[int, ...]:
        """Return the sorted pips of a class."""
        return tuple(np.repeat(np.arange(self.counts.shape[1]), self.counts[roll_class]).tolist())


def combinations(rules: MackeRules) -> Iterator[tuple[Counts, int]]:
    """Yield everything that scores as (dice by pip, points), straight from the rule data."""
    sides = rules.sides

    def dice(*pips: int) -> Counts:
        counted = Counter(pips)
        return tuple(counted[pip] for pip in range(1, sides + 1))

    for pip, (single, triple) in enumerate(zip(rules.singles, rules.triples, strict=True), start=1):
        yield dice(pip), single
        yield dice(*[pip] * 3), triple
        for size, value in enumerate(rules.n_of_a_kind, start=4):
            yield dice(*[pip] * size), int(value[1:]) * triple if isinstance(value, str) else value
    if sides >= 6:
        for points, run in zip(rules.straights, (range(1, 6), range(2, 7), range(1, 7)), strict=True):
            yield dice(*run), points
    pips = range(1, sides + 1)
    for pairs in (itertools.combinations_with_replacement if rules.pairs_alike else itertools.combinations)(pips, 3):
        yield dice(*pairs, *pairs), rules.three_pairs
    for triples in itertools.combinations(pips, 2):
        yield dice(*triples, *triples, *triples), rules.two_triples


def best_scores(rules: MackeRules) -> dict[Counts, int]:
    """Return the best score of every set of dice that scores in full, by its dice by pip."""
    scoring = [(need, points) for need, points in combinations(rules) if points > 0 and sum(need) <= rules.dice]
    best: dict[Counts, int] = {(0,) * rules.sides: 0}
    frontier = list(best)
    while frontier:
        reached: dict[Counts, int] = {}
        for base in frontier:
            for need, points in scoring:
                union = tuple(have + more for have, more in zip(base, need, strict=True))
                if sum(union) <= rules.dice and best[base] + points > best.get(union, 0):
                    best[union] = reached[union] = best[base] + points
        frontier = list(reached)
    return best


def _choices_of(counts: Counts, best: dict[Counts, int], rules: MackeRules) -> list[Choice]:
    """Return the distinct choices of one roll, each set of dice at its best score."""
    n_dice = sum(counts)
    found = set()
    for kept in itertools.product(*(range(count + 1) for count in counts)):
        points = best.get(kept, 0)
        if points:
            found.add(Choice(points, n_dice - sum(kept)))
    if not found and rules.nothing and n_dice == rules.dice:
        found.add(Choice(rules.nothing, 0))
    return sorted(found, key=lambda choice: (choice.dice_left, -choice.points))


@lru_cache(maxsize=64)
def enumerate_rolls(rules: MackeRules) -> Rolls:
    """Enumerate all roll classes of a rule set and their choices.

    Parameters
    ----------
    rules : MackeRules

    Returns
    -------
    Rolls

    Examples
    --------
    >>> enumerate_rolls(MackeRules()).n_classes
    461
    """
    best = best_scores(rules)
    pips_of = [
        pips
        for n_dice in range(1, rules.dice + 1)
        for pips in itertools.combinations_with_replacement(range(1, rules.sides + 1), n_dice)
    ]
    counts = np.array([[pips.count(pip) for pip in range(rules.sides + 1)] for pips in pips_of], dtype=np.int64)
    choices = [_choices_of(tuple(row[1:]), best, rules) for row in counts.tolist()]
    points = np.array([choice.points for own in choices for choice in own], dtype=np.int64)
    left = np.array([choice.dice_left for own in choices for choice in own], dtype=np.int64)
    unit = int(np.gcd.reduce(points))
    n_dice = counts.sum(axis=1)
    return Rolls(
        unit=unit,
        class_of=_number_rolls(rules, pips_of),
        first=np.searchsorted(n_dice, np.arange(rules.dice + 2)),
        dice=n_dice,
        counts=counts,
        ways=np.array([_orders(row) for row in counts.tolist()], dtype=np.int64),
        choice_first=np.concatenate([[0], np.cumsum([len(own) for own in choices])]),
        choice_points=points,
        choice_left=left,
    )


def _orders(counts: Sequence[int]) -> int:
    return math.factorial(sum(counts)) // math.prod(math.factorial(count) for count in counts)


def _number_rolls(rules: MackeRules, pips_of: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return the class of every ordered roll; see :attr:`Rolls.class_of`."""
    number = {pips: index for index, pips in enumerate(pips_of)}
    class_of = np.full(2 * rules.sides**rules.dice, len(pips_of), dtype=np.uint16)
    for n_dice in range(1, rules.dice + 1):
        size = rules.sides**n_dice
        digits = np.arange(size)[:, None] // rules.sides ** np.arange(n_dice)[None, :] % rules.sides + 1
        key = np.sort(digits, axis=1) @ (rules.sides + 1) ** np.arange(n_dice)
        unique, inverse = np.unique(key, return_inverse=True)
        classes = [number[_digits(int(value), rules.sides + 1, n_dice)] for value in unique]
        class_of[size : 2 * size] = np.array(classes, dtype=np.uint16)[inverse]
    return class_of


def _digits(value: int, base: int, length: int) -> tuple[int, ...]:
    return tuple(value // base**place % base for place in range(length))
