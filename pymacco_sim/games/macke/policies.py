"""The built-in policies: a stop rule, a rule for which dice to keep, and what is special near the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.core.keeping import Keeper
from pymacco_sim.games.macke.optimum import TIE, solve_turn
from pymacco_sim.games.macke.plan import PlanTable
from pymacco_sim.games.macke.rolls import Rolls, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.macke.table import DecisionTable, build_table, layer_needs, tabulate
from pymacco_sim.games.policy import Decider, Parameter, Policy

KEEPS = ("all", "fewest", "best")
SPECIALS = ("none", "finish", "fewest", "fewest+finish")

MAX_ENTRIES = 8_000_000
"""Most entries of one decision table."""


def _keep(default: str) -> Parameter:
    words = "dice to keep: every scoring die, as few as possible, or what the single-turn optimum prefers"
    return Parameter("keep", default, words=words, options=KEEPS)


_SPECIAL = Parameter(
    "special",
    "none",
    words="finish: stop whenever the total would reach the target; fewest: keep as few dice as possible",
    options=SPECIALS,
)
_POINTS = Parameter("threshold", 350, 0, 100_000, "points of the turn at which it stops", main=True)
_DICE = Parameter("dice", 2, 0, 6, "dice of the next roll at which it stops", whole=True, main=True)


def _policy(code: int, name: str, words: str, *parameters: Parameter, keep: str = "all") -> Policy:
    return Policy("macke", name, words, "turn", (*parameters, _keep(keep), _SPECIAL), code=code)


POLICIES = (
    _policy(0, "points", "stops at a number of turn points", _POINTS),
    _policy(
        1,
        "dice",
        "stops when few dice are left to roll",
        Parameter("threshold", 2, 0, 6, "dice of the next roll at which it stops", whole=True, main=True),
    ),
    _policy(
        2,
        "rolls",
        "stops after a number of rolls",
        Parameter("threshold", 2, 1, 1000, "rolls of the turn after which it stops", whole=True, main=True),
    ),
    _policy(
        3,
        "bust",
        "stops when the next roll is too likely to bust",
        Parameter("threshold", 0.25, 0, 1, "chance of a bust at which it stops", main=True),
    ),
    _policy(4, "either", "stops at a number of turn points or when few dice are left", _POINTS, _DICE),
    _policy(5, "both", "stops at a number of turn points once few dice are left", _POINTS, _DICE),
    _policy(6, "expected", "stops when one more roll, every scoring die taken, would not add points on average"),
    _policy(7, "optimal", "the exact optimum of a single turn: most points a turn on average", keep="best"),
)
"""The built-in policies, by code."""

Values = Mapping[str, Any]
Wish = Callable[[Values, Rolls, np.ndarray, np.ndarray], np.ndarray]
"""``(values, rolls, points after the keep, dice of the next roll) -> bool`` array: does it want to stop?"""


def _at_points(values: Values, rolls: Rolls, points: np.ndarray, dice: np.ndarray) -> np.ndarray:
    return points >= values["threshold"]


def _at_dice(values: Values, rolls: Rolls, points: np.ndarray, dice: np.ndarray) -> np.ndarray:
    return np.broadcast_to(dice <= values.get("dice", values["threshold"]), points.shape)


def _at_bust(values: Values, rolls: Rolls, points: np.ndarray, dice: np.ndarray) -> np.ndarray:
    chances = np.array([0.0, *(rolls.bust_chance(number) for number in range(1, len(rolls.first) - 1))])
    return np.broadcast_to(chances[dice] >= values["threshold"], points.shape)


def _at_either(values: Values, rolls: Rolls, points: np.ndarray, dice: np.ndarray) -> np.ndarray:
    return _at_points(values, rolls, points, dice) | _at_dice(values, rolls, points, dice)


def _at_both(values: Values, rolls: Rolls, points: np.ndarray, dice: np.ndarray) -> np.ndarray:
    return _at_points(values, rolls, points, dice) & _at_dice(values, rolls, points, dice)


def _at_expected(values: Values, rolls: Rolls, points: np.ndarray, dice: np.ndarray) -> np.ndarray:
    busts, gains = one_more_roll(rolls)
    return points * busts[dice] >= gains[dice]


def _never(values: Values, rolls: Rolls, points: np.ndarray, dice: np.ndarray) -> np.ndarray:
    return np.zeros(points.shape, dtype=bool)


_WISHES: dict[str, Wish] = {
    "points": _at_points,
    "dice": _at_dice,
    "rolls": _never,
    "bust": _at_bust,
    "either": _at_either,
    "both": _at_both,
    "expected": _at_expected,
}


def one_more_roll(rolls: Rolls) -> tuple[np.ndarray, np.ndarray]:
    """Return, by number of dice, the rolls that bust and the points of all others, every scoring die taken: int64.

    One more roll adds nothing on average as soon as ``points * busts >= gains``.

    Examples
    --------
    >>> busts, gains = one_more_roll(enumerate_rolls(MackeRules()))
    >>> int(busts[1]), int(gains[1])
    (4, 150)
    """
    size = len(rolls.first) - 1
    bust = np.diff(rolls.choice_first) == 0
    take_all = rolls.choice_points[np.where(bust, 0, rolls.choice_first[:-1])]
    busts, gains = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    np.add.at(busts, rolls.dice, np.where(bust, rolls.ways, 0))
    np.add.at(gains, rolls.dice, np.where(bust, 0, rolls.ways * take_all))
    return busts, gains


def _kept(rules: MackeRules, rolls: Rolls, keep: str, need: int) -> np.ndarray:
    """Return the position of the kept choice: int64[rows, n_classes] (one row if it does not depend on the points)."""
    if keep == "best":
        return solve_turn(rules, need).choice
    choice = np.zeros((1, rolls.n_classes), dtype=np.int64)
    if keep == "fewest":
        for index in range(rolls.n_classes):
            lefts = [option.dice_left for option in rolls.choices(index)]
            choice[0, index] = lefts.index(lefts[-1]) if lefts else 0
    return choice


def _stop_rows(policy: Policy, values: Values, rules: MackeRules, rolls: Rolls, need: int) -> int:
    """Return from which row on the wish to stop no longer depends on the points."""
    if policy.name == "optimal":
        return len(solve_turn(rules, need).stop)
    if policy.name in ("points", "either", "both"):
        return int(-(-values["threshold"] // rolls.unit)) + 1
    if policy.name == "expected":
        busts, gains = one_more_roll(rolls)
        return int((gains // np.maximum(busts, 1)).max()) // rolls.unit + 2
    return 1


def _layer(rules: MackeRules, policy: Policy, values: Values, keep: str, need: int) -> tuple[np.ndarray, np.ndarray]:
    """Return kept choice and wish to stop of a built-in policy: int64 and bool [rows, n_classes]."""
    rolls = enumerate_rolls(rules)
    choice = _kept(rules, rolls, keep, need)
    rows = max(len(choice), _stop_rows(policy, values, rules, rolls, need))
    if rows * rolls.n_classes > MAX_ENTRIES:
        raise RequestError(
            f"policy {policy.name!r} with {values} needs {rows:,} rows of {rolls.unit} points; the decision table "
            f"holds {MAX_ENTRIES // rolls.n_classes:,}: take a lower threshold."
        )
    choice = np.concatenate([choice, np.repeat(choice[-1:], rows - len(choice), axis=0)])
    bust = np.diff(rolls.choice_first) == 0
    index = np.where(bust, 0, rolls.choice_first[:-1] + choice)
    points = np.arange(rows)[:, None] * rolls.unit + rolls.choice_points[index]
    left = rolls.choice_left[index]
    dice = np.where(left == 0, rules.dice, left)
    if policy.name == "optimal":
        value = solve_turn(rules, need).value
        row = np.minimum(points // rolls.unit, len(value) - 1)
        return choice, row * rolls.unit >= value[row, dice] - TIE
    return choice, _WISHES[policy.name](values, rolls, points, dice)


TABLE_BYTES = 8 * 2**20
"""Most memory for decision tables that may be needed again."""

_tables: Keeper[DecisionTable] = Keeper(TABLE_BYTES)


def make_table(rules: MackeRules, decider: Decider) -> DecisionTable:
    """Return the decision table of a built-in policy or of a user's plain function.

    Parameters
    ----------
    rules : MackeRules
    decider : Decider

    Returns
    -------
    DecisionTable

    Raises
    ------
    PolicyError, RequestError
        If a user's function fails somewhere, or the optimum does not exist under these rules.

    Examples
    --------
    >>> points = Decider(POLICIES[0], POLICIES[0].values({"threshold": 350}))
    >>> make_table(MackeRules(), points).limit()
    7
    """
    return _tables.get((rules, decider), lambda: _fill_table(rules, decider))


def _fill_table(rules: MackeRules, decider: Decider) -> DecisionTable:
    policy = decider.policy
    if policy.style == "table":
        return tabulate(rules, decider)
    values = {parameter.name: value for parameter, value in zip(policy.parameters, decider.values, strict=True)}
    special = str(values["special"])
    keep = "fewest" if "fewest" in special else str(values["keep"])
    needs = layer_needs(rules) if "best" in (keep, policy.name.replace("optimal", "best")) else [rules.min_bank]
    layers = [_layer(rules, policy, values, keep, need) for need in needs]
    limit = int(values["threshold"]) if policy.name == "rolls" else 0
    return build_table(rules, layers, limit, "finish" in special)


def make_decisions(rules: MackeRules, decider: Decider) -> DecisionTable | PlanTable:
    """Return the decision table of a policy that looks at the turn, or the plan of one that looks at the totals too."""
    if decider.policy.style == "plan":
        assert decider.policy.function is not None
        plan: PlanTable = decider.policy.function(rules)
        return plan
    return make_table(rules, decider)
