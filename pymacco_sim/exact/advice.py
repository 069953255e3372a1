"""What to do with a roll: every choice with its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError, unknown, whole
from pymacco_sim.exact.evaluation import make_exact_cell
from pymacco_sim.exact.planner import GOALS
from pymacco_sim.exact.positions import SIGNS, UNITS, Position, find_place, find_position
from pymacco_sim.games.macke.rolls import Choice, Rolls, best_scores, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.macke.table import reachable
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.markup import make_table, make_view


@dataclass(frozen=True)
class Option:
    """One choice, and what comes of it.

    Attributes
    ----------
    keep : tuple of int
        Pips to keep.
    points : int
        Points that they add.
    dice : int
        Dice to roll next if the turn goes on.
    stop : bool
        Whether stopping is then best.
    value : float
        Worth of the better of stopping and rolling on.
    stop_value, roll_value : float
        Worth of each; NaN where one may not stop.
    cost : float
        What is lost by this choice against the best one, in units of the value.
    """

    keep: tuple[int, ...]
    points: int
    dice: int
    stop: bool
    value: float
    stop_value: float
    roll_value: float
    cost: float

    @property
    def words(self) -> str:
        """What to do, in words."""
        act = "stop" if self.stop else f"roll {self.dice} {'die' if self.dice == 1 else 'dice'}"
        return f"keep {' '.join(map(str, self.keep))} and {act}"


@dataclass(frozen=True, repr=False)
class Advice:
    """All choices for a roll, the best first.

    Attributes
    ----------
    goal : str
    options : tuple of Option
        Empty for a bust.
    position : Position
        The worths of the turn.
    """

    goal: str
    options: tuple[Option, ...]
    position: Position

    @property
    def unit(self) -> str:
        """What the values are."""
        return UNITS[self.goal]

    @property
    def best(self) -> Option:
        """The best choice.

        Raises
        ------
        RequestError
            If the roll is a bust.
        """
        if not self.options:
            raise RequestError("nothing scores: the roll is a bust, and there is nothing to choose.")
        return self.options[0]

    @property
    def sentence(self) -> str:
        """The advice in a sentence."""
        if not self.options:
            return "Nothing scores: a bust."
        words = self.best.words
        return f"{words[0].upper()}{words[1:]}."

    @property
    def explanation(self) -> str:
        """What the best choice is worth, and what the second best costs."""
        if not self.options:
            return ""
        best, unit = self.options[0], UNITS[self.goal]
        text = f"Worth {_figure(best.value, self.goal)} {unit}"
        if self.options[1:]:
            return f"{text}; the next best, {self.options[1].words}, costs {_figure(self.options[1].cost, self.goal)}."
        return f"{text}; there is no other choice."

    def rows(self) -> list[dict[str, Any]]:
        """Return the options as table rows."""
        return [
            {
                "keep": " ".join(map(str, option.keep)),
                "points": option.points,
                "then": "stop" if option.stop else f"roll {option.dice}",
                "value": option.value,
                "stop_value": option.stop_value,
                "roll_value": option.roll_value,
                "cost": option.cost,
            }
            for option in self.options
        ]

    def __repr__(self) -> str:
        return f"Advice({self.sentence} {self.explanation})".replace(" )", ")")

    def _repr_html_(self) -> str:
        return make_view(self.sentence, [self.explanation], make_table(self.rows()))


def _figure(value: float, goal: str) -> str:
    return f"{value:.4f}" if goal == "race" else f"{value:.2f}"


def advise(
    game: str,
    roll: Sequence[int],
    points: int = 0,
    *,
    total: int = 0,
    rival: int | None = None,
    streak: int = 0,
    rival_streak: int = 0,
    goal: str | None = None,
    against: Any = None,
    rules: Rules | Mapping[str, Any] | None = None,
) -> Advice:
    """Rank all choices for a roll.

    Parameters
    ----------
    game : str
        ``"macke"`` or a relative.
    roll : sequence of int
        The dice just rolled, in any order.
    points : int
        Points of the turn before this roll.
    total : int
        Banked points.
    rival : int, optional
        The rival's banked points.
    streak, rival_streak : int
        Busts in a row before this turn, own and the rival's, where the rules have a penalty for them.
    goal : {"turn", "session", "race"}, optional
        Most points a turn, fewest turns to the target, or the race of two; unless given, the race if `rival` is, the
        session if `total` is, else the turn.
    against : str, policy or function, optional
        A rival whose policy is known; unless given, one who plays best as well.
    rules : MackeRules or mapping, optional

    Returns
    -------
    Advice

    Raises
    ------
    RequestError
        If the roll, the points or the totals cannot come up.

    Examples
    --------
    >>> best = advise("macke", [1, 1, 5, 2, 4], 300).best
    >>> best.keep, best.stop, round(best.value, 3)
    ((1, 1, 5), True, 550.0)
    """
    cell = make_exact_cell(game, ["points"] if against is None else ["points", against], rules)
    law = cell.rules
    assert isinstance(law, MackeRules)
    banked = whole("total", total, -10_000_000, law.target - 1)
    goal = goal or ("race" if rival is not None or against is not None else "session" if banked else "turn")
    if goal not in GOALS:
        raise unknown("goal", goal, GOALS)
    if against is not None and goal != "race":
        raise RequestError(f"against is given, but a {goal} has no rival; ask for the goal 'race'.")
    rolls = enumerate_rolls(law)
    units = check_roll(law, rolls, roll, points)
    place = find_place(law, goal, banked, rival or 0, streak, rival_streak)
    at = find_position(law, goal, *place, against=cell.entrants[1].main if against is not None else None)
    return Advice(goal, _rank(law, rolls, roll, units, at), at)


def check_roll(rules: MackeRules, rolls: Rolls, roll: Sequence[int], points: Any) -> int:
    """Return the turn's points before the roll in units; refuse what cannot come up in a turn."""
    if isinstance(roll, str) or not isinstance(roll, (Sequence, np.ndarray)):
        raise RequestError(f"roll is {roll!r}; give the dice as a list, such as [1, 1, 5, 2, 4].")
    rolls.find(roll)
    points = whole("points", points, 0, 1_000_000)
    if points % rolls.unit:
        raise RequestError(f"points is {points}; turn points are multiples of {rolls.unit}.")
    units, dice = points // rolls.unit, len(roll)
    possible = [found for row, found in reachable(rules, rolls, units + 2) if row == units] if units < 100_000 else []
    if dice not in possible:
        say = " or ".join(map(str, possible)) or "no number of"
        raise RequestError(f"a turn with {points} points never rolls {dice} dice; it rolls {say}.")
    return units


def _rank(rules: MackeRules, rolls: Rolls, roll: Sequence[int], units: int, at: Position) -> tuple[Option, ...]:
    sign, found = SIGNS[at.goal], []
    for choice in rolls.choices(rolls.find(roll)):
        after, left = units + choice.points // rolls.unit, choice.dice_left
        stop, on, stops = at.stop_value(after, left), at.roll_value(after, left), at.stops(after, left)
        found.append((choice, stop if stops else on, stop, on, stops))
    best = max((sign * value for _, value, *_ in found), default=0.0)
    found.sort(key=lambda item: (round(best - sign * item[1], 12), not item[4], -item[0].points))
    return tuple(
        Option(
            keep=name_dice(rules, roll, choice),
            points=choice.points,
            dice=choice.dice_left or rules.dice,
            stop=stops,
            value=value,
            stop_value=stop,
            roll_value=on,
            cost=max(0.0, best - sign * value),
        )
        for choice, value, stop, on, stops in found
    )


def name_dice(rules: MackeRules, roll: Sequence[int], choice: Choice) -> tuple[int, ...]:
    """Return the pips of a roll that make up a choice; all of them for the points of a roll of nothing.

    Examples
    --------
    >>> name_dice(MackeRules(), [2, 1, 5, 1, 6], Choice(150, 3))
    (1, 5)
    """
    best = best_scores(rules)
    counts = [list(roll).count(pip) for pip in range(1, rules.sides + 1)]
    for kept in product(*(range(count + 1) for count in counts)):
        if sum(kept) == len(roll) - choice.dice_left and best.get(kept, 0) == choice.points:
            return tuple(pip for pip, count in enumerate(kept, start=1) for _ in range(count))
    return tuple(sorted(roll))
