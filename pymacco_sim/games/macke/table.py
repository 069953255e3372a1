"""Decision tables: what a policy does with every roll at every number of turn points, as arrays.

Every policy that looks at the turn only is turned into one table. The bulk kernels, the step-wise engine and the exact
solvers read the very same arrays.
"""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pymacco_sim._check import PolicyError
from pymacco_sim.games.lineup import call_guarded
from pymacco_sim.games.macke.rolls import Choice, Rolls, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.policy import Decider

STOPS, MAY_STOP = 1 << 30, 1 << 29
UNITS_SHIFT, UNITS_MASK = 16, 0x3FF
LEFT_SHIFT, LEFT_MASK = 26, 0x7
NEXT_MASK, GAIN_SHIFT = 0xFFFF, 32


@dataclass(frozen=True, eq=False)
class DecisionTable:
    """The decisions of one policy under one rule set.

    A row is the turn's points before the roll in units of :attr:`unit`; totals beyond the last row use the last row.
    A layer holds for the banked total ``layer * unit``, the last layer for all totals from there on; so one layer
    serves every total, and two tell the opening turns (nothing banked) from the rest.

    Attributes
    ----------
    gain : int32[layers, rows, n_classes]
        Points kept from the roll; 0 for a bust.
    left : int8[layers, rows, n_classes]
        Dice left to roll after the keep; 0 if all are set aside.
    stop : bool[layers, rows, n_classes]
        Whether the policy then stops; never true where the rules forbid it.
    may_stop : bool[layers, rows, n_classes]
        Whether the rules allow to stop.
    unit : int
        Points of one row.
    roll_limit : int
        Stop as soon as allowed after that many rolls of the turn; 0 for no limit.
    finish : bool
        Stop as soon as allowed when banked total and turn points together reach the target.
    """

    gain: np.ndarray
    left: np.ndarray
    stop: np.ndarray
    may_stop: np.ndarray
    unit: int
    roll_limit: int = 0
    finish: bool = False

    @property
    def shape(self) -> tuple[int, int, int]:
        """Layers, rows, classes."""
        layers, rows, classes = self.gain.shape
        return layers, rows, classes

    def trimmed(self) -> DecisionTable:
        """Return the same table without rows and layers that only repeat what precedes them at the end."""
        parts = (self.gain, self.left, self.stop, self.may_stop)
        rows = max(_useful(part, 1) for part in parts)
        layers = max(_useful(part, 0) for part in parts)
        gain, left, stop, may_stop = (np.ascontiguousarray(part[:layers, :rows]) for part in parts)
        return replace(self, gain=gain, left=left, stop=stop, may_stop=may_stop)

    def limit(self) -> int | None:
        """Return the one number of turn points (in units) at which this table stops, if that is all it does.

        None if the keep depends on the points, the stop on more than the points, or there is more than one layer.
        """
        layers, rows, _ = self.shape
        if layers > 1 or self.roll_limit or self.finish:
            return None
        gain, left, may_stop = self.gain[0], self.left[0], self.may_stop[0]
        if any((part != part[:1]).any() for part in (gain, left, may_stop)):
            return None
        after = np.arange(rows)[:, None] + gain // self.unit
        stopping, going = after[self.stop[0]], after[may_stop & ~self.stop[0]]
        limit = int(stopping.min()) if stopping.size else None
        last_goes = (may_stop[-1] & ~self.stop[0, -1]).any()
        if limit is None or last_goes or (going.size and going.max() >= limit):
            return None
        return limit

    def packed(self, rules: MackeRules) -> np.ndarray:
        """Return the table as int64[layers * rows * (n_classes + 1)] for the kernels; the last class is no roll.

        Bits 0-15: ``sides ** d`` for the `d` dice of the next roll if the turn goes on (a bust: all dice); 16-25:
        points kept, in units; 26-28: dice left; 29: the rules allow to stop; 30: the policy stops; 31: all dice set
        aside; from 32: points kept. The lanes read the lower half only.
        """
        gain, left = self.gain.astype(np.int64), self.left.astype(np.int64)
        bust = gain == 0
        entries = rules.sides ** np.where(bust | (left == 0), rules.dice, left)
        entries |= (np.minimum(gain // self.unit, UNITS_MASK) << UNITS_SHIFT) | (left << LEFT_SHIFT)
        entries |= np.where(self.may_stop, MAY_STOP, 0) | np.where(self.stop, STOPS, 0)
        entries |= np.where(~bust & (left == 0), 1 << 31, 0) | (gain << GAIN_SHIFT)
        return np.pad(entries, ((0, 0), (0, 0), (0, 1))).ravel()


def lower_half(entries: np.ndarray) -> np.ndarray:
    """Return what the lanes read of packed entries: int32."""
    return (entries & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def _useful(part: np.ndarray, axis: int) -> int:
    """Return how many entries along an axis are needed when the last one stands for all that follow."""
    last = np.take(part, [-1], axis=axis)
    differs = (part != last).any(axis=tuple(other for other in range(part.ndim) if other != axis))
    return int(differs.nonzero()[0][-1]) + 2 if differs.any() else 1


def allowed_stops(rules: MackeRules, gain: np.ndarray, left: np.ndarray, unit: int, need: int) -> np.ndarray:
    """Return where the rules allow to stop: bool[rows, n_classes].

    Parameters
    ----------
    gain, left : int64[rows, n_classes]
    unit : int
        Points of one row.
    need : int
        Points that the turn must have.
    """
    points = np.arange(len(gain))[:, None] * unit + gain
    free = (left > 0) | (rules.hot_dice == "may_stop")
    return (gain > 0) & free & (points >= need)


def layer_needs(rules: MackeRules) -> list[int]:
    """Return the points a turn needs before it may stop, layer by layer: while nothing is banked, and later."""
    opening = max(rules.min_bank, rules.min_first_bank)
    return [rules.min_bank] if opening == rules.min_bank else [opening, rules.min_bank]


def build_table(
    rules: MackeRules, layers: Sequence[tuple[np.ndarray, np.ndarray]], roll_limit: int = 0, finish: bool = False
) -> DecisionTable:
    """Build a table from the chosen choice and the wish to stop of each layer.

    Parameters
    ----------
    rules : MackeRules
    layers : sequence of (int64[rows, n_classes], bool[rows, n_classes])
        Position of the kept choice among the choices of its class (ignored for a bust), and whether the policy wants
        to stop; one layer, or as many as :func:`layer_needs` lists.
    roll_limit, finish
        As for :class:`DecisionTable`.
    """
    rolls = enumerate_rolls(rules)
    needs = layer_needs(rules)
    rows = max(-(-max(needs) // rolls.unit) + 1, *(len(choice) for choice, _ in layers))
    parts = []
    every = list(layers) * len(needs) if len(layers) == 1 else layers
    for (choice, wish), need in zip(every, needs, strict=True):
        choice, wish = (np.concatenate([part, np.repeat(part[-1:], rows - len(part), 0)]) for part in (choice, wish))
        bust = np.diff(rolls.choice_first) == 0
        index = np.minimum(rolls.choice_first[:-1] + np.where(bust, 0, choice), len(rolls.choice_points) - 1)
        gain, left = np.where(bust, 0, rolls.choice_points[index]), np.where(bust, 0, rolls.choice_left[index])
        may_stop = allowed_stops(rules, gain, left, rolls.unit, need)
        parts.append((gain, left, wish & may_stop, may_stop))
    gain, left, stop, may_stop = (np.stack(part) for part in zip(*parts, strict=True))
    table = DecisionTable(gain.astype(np.int32), left.astype(np.int8), stop, may_stop, rolls.unit, roll_limit, finish)
    return table.trimmed()


# --- a user's plain function ---------------------------------------------------------------------------------------


def tabulate(rules: MackeRules, decider: Decider) -> DecisionTable:
    """Ask a user's plain Python function for every position of a turn and return its table.

    The function is called as ``f(points, dice, roll, choices[, params])``: points of the turn before this roll, number
    of dice rolled, the sorted pips, and the choices as :class:`~pymacco_sim.games.macke.rolls.Choice` (fewest dice
    left first, then most points). It returns ``(choice, stop)``; the choice may be given by its position. Positions
    that cannot come up are not asked for; turn points from the target on count as the target.

    Raises
    ------
    PolicyError
        If the function raises, seems endless, or returns anything but a choice of that roll and whether to stop.
    """
    rolls = enumerate_rolls(rules)
    rows = -(-max(rules.target, *layer_needs(rules)) // rolls.unit) + 1
    choice, wish = np.zeros((rows, rolls.n_classes), dtype=np.int64), np.zeros((rows, rolls.n_classes), dtype=bool)
    ask = _asker(decider)
    menus = [(rolls.pips(index), rolls.choices(index)) for index in range(rolls.n_classes)]
    for row, dice in reachable(rules, rolls, rows):
        for index in range(rolls.first[dice], rolls.first[dice + 1]):
            pips, choices = menus[index]
            if choices:
                choice[row, index], wish[row, index] = ask(row * rolls.unit, dice, pips, choices)
    return build_table(rules, [(choice, wish)])


def reachable(rules: MackeRules, rolls: Rolls, rows: int) -> Iterable[tuple[int, int]]:
    """Yield every (row, dice to roll) that can come up in a turn, whatever is kept."""
    owner = np.repeat(np.arange(rolls.n_classes), np.diff(rolls.choice_first))
    following = np.where(rolls.choice_left == 0, rules.dice, rolls.choice_left)
    steps = sorted(
        set(
            zip(
                rolls.dice[owner].tolist(),
                (rolls.choice_points // rolls.unit).tolist(),
                following.tolist(),
                strict=True,
            )
        )
    )
    seen = np.zeros((rows, rules.dice + 1), dtype=bool)
    seen[0, rules.dice] = True
    for row in range(rows):
        while True:
            before = seen[row].copy()
            for dice, units, after in steps:
                if seen[row, dice]:
                    seen[min(row + units, rows - 1), after] = True
            if (before == seen[row]).all():
                break
        yield from ((row, int(dice)) for dice in np.flatnonzero(seen[row]))


def _asker(decider: Decider) -> Callable[[int, int, tuple[int, ...], tuple[Choice, ...]], tuple[int, bool]]:
    """Return a function that asks the user's function once and checks its answer."""
    policy = decider.policy
    function = policy.function
    assert function is not None
    extra: tuple[Any, ...] = ()
    if len(inspect.signature(function).parameters) > 4:
        names = tuple(parameter.name for parameter in policy.parameters) or ("none",)
        bundle = namedtuple("params", names)  # type: ignore[misc]
        extra = (bundle._make(decider.values or (0.0,)),)

    def ask(points: int, dice: int, roll: tuple[int, ...], choices: tuple[Choice, ...]) -> tuple[int, bool]:
        try:
            answer = call_guarded(policy.name, function, (points, dice, roll, choices, *extra))
        except PolicyError as error:
            raise PolicyError(f"{str(error).rstrip('.')} {_position(points, roll)}.") from error
        found = _read_answer(answer, choices)
        if found is None:
            listed = ", ".join(f"{i}: {c.points} points, {c.dice_left} left" for i, c in enumerate(choices))
            raise PolicyError(
                f"policy {policy.name!r} returned {answer!r} {_position(points, roll)}; "
                f"it must return (choice, stop) with a choice of {listed}."
            )
        return found

    return ask


def _position(points: int, roll: tuple[int, ...]) -> str:
    return f"with {points} points in the turn and the roll {' '.join(map(str, roll))}"


def _read_answer(answer: Any, choices: tuple[Choice, ...]) -> tuple[int, bool] | None:
    """Return position of the choice and whether to stop, or None if the answer makes no sense."""
    if not isinstance(answer, tuple) or len(answer) != 2 or isinstance(answer, Choice):
        return None
    choice, stop = answer
    if not (isinstance(stop, (bool, np.bool_)) or (isinstance(stop, (int, np.integer)) and stop in (0, 1))):
        return None
    if isinstance(choice, tuple) and choice in choices:
        return choices.index(Choice(*choice)), bool(stop)
    if isinstance(choice, (int, np.integer)) and not isinstance(choice, bool) and 0 <= choice < len(choices):
        return int(choice), bool(stop)
    return None
