"""One turn as a decision problem on arrays: what can be rolled, what can be kept, what ends the turn.

Rolls that offer the same choices are one *menu*; the solvers work on menus, and on points in the rules' unit.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.games.macke.rolls import Rolls, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.macke.table import layer_needs

Menus = namedtuple("Menus", "pair_first pair_menu pair_chance bust option_first option_units option_left")
Menus.__doc__ = """Rolls by number of dice, and the options they offer.

pair_first : int64[dice + 2], rolls of `d` dice are pairs ``pair_first[d]`` to ``pair_first[d + 1] - 1``;
pair_menu, pair_chance : menu of each pair and its chance; bust : float64[dice + 1], chance of a bust;
option_first : int64[n_menus + 1]; option_units, option_left : points in units, dice left (0: all set aside).
"""

Options = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Model:
    """The turn under one rule set.

    Attributes
    ----------
    rules : MackeRules
    rolls : Rolls
    best : Menus
        Only options that can be best when more points are never worse: for each number of dice left the most points.
    every : Menus
        All options, in the order of :attr:`Rolls.choices`.
    menu_of_class : int64[n_classes]
        Menu of `every` that each roll class offers; -1 for a bust.
    safe : float64[dice + 1]
        Highest chance to end a turn by stopping, by dice about to be rolled, when any stop will do.
    n_totals : int
        Totals below the target, in units.
    widest : int
        Most units of one keep.
    hot_free : bool
        Whether one may stop with all dice set aside.
    """

    rules: MackeRules
    rolls: Rolls
    best: Menus
    every: Menus
    menu_of_class: np.ndarray
    safe: np.ndarray
    n_totals: int
    widest: int
    hot_free: bool

    @property
    def unit(self) -> int:
        """Points of one unit."""
        return self.rolls.unit

    @property
    def dice(self) -> int:
        """Dice that a turn starts with."""
        return self.rules.dice

    @property
    def n_streaks(self) -> int:
        """How many numbers of busts in a row matter."""
        return max(self.rules.bust_streak, 1)

    @property
    def penalty(self) -> int:
        """Units that a streak of busts costs."""
        return self.rules.bust_penalty // self.unit if self.rules.bust_streak else 0

    def need(self, total: int) -> int:
        """Units that a turn needs before it may stop, with `total` units banked."""
        needs = layer_needs(self.rules)
        return -(-needs[0 if total <= 0 else -1] // self.unit)

    @property
    def most_needed(self) -> int:
        """Highest :meth:`need`."""
        return max(self.need(0), self.need(1))

    def lowest(self, reach: int = 8) -> int:
        """Lowest total in units that is told apart: `reach` penalties below nothing; lower ones count as it."""
        return -reach * self.penalty


def _prune(options: Options) -> Options:
    most: dict[int, int] = {}
    for units, left in options:
        most[left] = max(units, most.get(left, 0))
    return tuple((units, left) for left, units in sorted(most.items()))


def _make_menus(rolls: Rolls, options: Sequence[Options], dice: int) -> tuple[Menus, np.ndarray]:
    """Return the menus of the classes, whose options are given, and the menu of each class."""
    numbers: dict[Options, int] = {}
    menu_of_class = np.array([numbers.setdefault(own, len(numbers)) if own else -1 for own in options])
    chance = rolls.chance()
    bust, first, menus, chances = np.zeros(dice + 1), [0, 0], [], []
    for count in range(1, dice + 1):
        own = slice(rolls.first[count], rolls.first[count + 1])
        weight = np.bincount(menu_of_class[own] + 1, weights=chance[own], minlength=len(numbers) + 1)
        bust[count] = weight[0]
        used = np.flatnonzero(weight[1:])
        menus.append(used)
        chances.append(weight[1:][used])
        first.append(first[-1] + len(used))
    listed = [option for own in numbers for option in own]
    return (
        Menus(
            np.array(first),
            np.concatenate(menus),
            np.concatenate(chances),
            bust,
            np.concatenate([[0], np.cumsum([len(own) for own in numbers])]),
            np.array([units for units, _ in listed]),
            np.array([left for _, left in listed]),
        ),
        menu_of_class,
    )


def _safest(menus: Menus, dice: int, hot_free: bool) -> np.ndarray:
    """Return :attr:`Model.safe`: a fixed point, because all dice set aside may have to be rolled again."""
    safe = np.zeros(dice + 1)
    pair_dice = np.repeat(np.arange(dice + 1), np.diff(menus.pair_first))
    for _ in range(10_000):
        worth = np.where((menus.option_left > 0) | hot_free, 1.0, safe[dice])
        best = np.maximum.reduceat(worth, menus.option_first[:-1])
        before, weights = safe, menus.pair_chance * best[menus.pair_menu]
        safe = np.asarray(np.bincount(pair_dice, weights=weights, minlength=dice + 1))
        if np.abs(safe - before).max() < 1e-17:
            break
    return safe


@lru_cache(maxsize=16)
def make_model(rules: MackeRules) -> Model:
    """Return the turn of a rule set on arrays.

    Parameters
    ----------
    rules : MackeRules

    Returns
    -------
    Model

    Raises
    ------
    RequestError
        If a penalty is no multiple of the points that can be scored.

    Examples
    --------
    >>> model = make_model(MackeRules())
    >>> model.n_totals, len(model.every.option_first) - 1
    (100, 90)
    """
    rolls = enumerate_rolls(rules)
    if rules.bust_streak and rules.bust_penalty % rolls.unit:
        raise RequestError(
            f"bust_penalty is {rules.bust_penalty}; exact values need a multiple of {rolls.unit}, the unit of scores."
        )
    options: list[Options] = [
        tuple((choice.points // rolls.unit, choice.dice_left) for choice in rolls.choices(index))
        for index in range(rolls.n_classes)
    ]
    every, menu_of_class = _make_menus(rolls, options, rules.dice)
    best, _ = _make_menus(rolls, [_prune(own) for own in options], rules.dice)
    hot_free = rules.hot_dice == "may_stop"
    return Model(
        rules=rules,
        rolls=rolls,
        best=best,
        every=every,
        menu_of_class=menu_of_class,
        safe=_safest(best, rules.dice, hot_free),
        n_totals=-(-rules.target // rolls.unit),
        widest=int(rolls.choice_points.max()) // rolls.unit,
        hot_free=hot_free,
    )
