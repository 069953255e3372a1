"""A policy as the exact solvers see it: its packed decisions, and the turn that they make from any position."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.exact.kernels import spread_turn
from pymacco_sim.exact.model import Model, make_model
from pymacco_sim.games.macke.optimum import solve_turn
from pymacco_sim.games.macke.plan import PlanTable
from pymacco_sim.games.macke.policies import make_table
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.policy import Decider

MOST_ROWS = 1 << 16
"""Most units that a turn is followed to."""

FLOOR = 1e-19
"""A turn is followed until the chance left over, times the square of the units reached, is below this."""

Key = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Turn:
    """The exact turn of one policy from one position.

    Attributes
    ----------
    bank : float64[n]
        Chance to bank each number of units; index 0 is no bank.
    bust : float
        Chance that the turn ends in a bust.
    rolls : float
        Mean number of rolls.
    hot_dice : float
        Chance that all dice are set aside at least once.
    unit : int
        Points of one unit.
    left_over : float
        Chance of turns that were not followed to their end.
    bound : float
        Most by which the left-over turns can change mean and variance (in points and their square).
    """

    bank: np.ndarray
    bust: float
    rolls: float
    hot_dice: float
    unit: int
    left_over: float
    bound: float

    @property
    def points(self) -> np.ndarray:
        """Turn scores that :attr:`chance` belongs to: int64[n]."""
        return np.arange(len(self.bank)) * self.unit

    @property
    def chance(self) -> np.ndarray:
        """Distribution of the turn score; a bust scores 0: float64[n]."""
        full = self.bank.copy()
        full[0] += self.bust
        return full

    @property
    def mean(self) -> float:
        """Mean turn score."""
        return float(self.points @ self.bank)

    @property
    def variance(self) -> float:
        """Variance of the turn score."""
        return float(((self.points - self.mean) ** 2) @ self.chance)


@dataclass(eq=False)
class Strategy:
    """All turns of one policy under one rule set.

    Parameters
    ----------
    model : Model
    label : str
    entries : int64[rows, n_classes + 1]
        Packed decisions.
    index : int32[streaks, totals, rivals, rows]
        Row of `entries`; the last place of an axis stands for all higher ones.
    low : int
        Total in units of the first place of `index`.
    limit : int
        Rolls after which it stops; 0 for never.
    finish : bool
        Whether it stops when the total would reach the target.
    """

    model: Model
    label: str
    entries: np.ndarray
    index: np.ndarray
    low: int = 0
    limit: int = 0
    finish: bool = False
    _turns: dict[tuple[int, int, int, int], Turn] = field(default_factory=dict, repr=False)

    @property
    def sees_rival(self) -> bool:
        """Whether decisions depend on the rival's total."""
        return self.index.shape[2] > 1

    @property
    def sees_total(self) -> bool:
        """Whether decisions depend on the banked total."""
        return self.finish or self.index.shape[1] > 1

    def turn(self, total: int = 0, rival: int = 0, streak: int = 0) -> Turn:
        """Return the turn with these units banked, by the player and by the best rival, after `streak` busts."""
        streaks, owns, rivals, _ = self.index.shape
        gap = max(self.model.n_totals - total, 1) if self.finish else 1 << 40
        place = min(streak, streaks - 1), min(max(total - self.low, 0), owns - 1), min(max(rival, 0), rivals - 1)
        key = (*place, gap)
        if key not in self._turns:
            self._turns[key] = self._spread(self.index[place], gap)
        return self._turns[key]

    def _spread(self, row_of: np.ndarray, finish: int) -> Turn:
        model = self.model
        ring = np.zeros((model.widest + 1, self.limit + 1, 2, model.dice + 1))
        first, chance = model.rolls.first, model.rolls.chance()
        bank = np.zeros(min(256, MOST_ROWS) + model.widest)
        while True:
            bust, rolls, hot, rows, left = spread_turn(
                first, chance, self.entries, row_of, model.unit, model.dice, self.limit, finish, FLOOR, bank, ring
            )
            if rows < len(bank) - model.widest or left == 0.0:
                break
            if len(bank) > MOST_ROWS:
                raise RequestError(
                    f"policy {self.label!r} never ends its turns: it is still rolling with {left:.1e} of all turns "
                    f"at {MOST_ROWS * model.unit:,} points."
                )
            ring, bank = np.zeros_like(ring), np.zeros(4 * len(bank))
        used = int(np.flatnonzero(bank)[-1]) + 1 if bank.any() else 1
        farthest = (rows + model.widest) * model.unit + _most_more(model.rules)
        return Turn(bank[:used], bust, rolls, hot, model.unit, left, left * farthest * max(farthest, 1.0))


@lru_cache(maxsize=64)
def _most_more(rules: MackeRules) -> float:
    """Return a bound of the mean points that any policy adds to a turn that has gone far."""
    solved = solve_turn(rules)
    return float(solved.value[-1].max())


@lru_cache(maxsize=128)
def make_strategy(rules: MackeRules, decider: Decider) -> Strategy:
    """Return the strategy of a policy under rules.

    Parameters
    ----------
    rules : MackeRules
    decider : Decider

    Raises
    ------
    RequestError
        If the policy has no decision table: it was written for a view of the whole game.
    """
    model, policy = make_model(rules), decider.policy
    width = model.rolls.n_classes + 1
    if policy.style == "plan":
        assert policy.function is not None
        plan: PlanTable = policy.function(rules)
        return Strategy(model, decider.label, plan.entries, plan.index, plan.low)
    if policy.code < 0 and policy.style != "table":
        raise RequestError(
            f"policy {policy.name!r} looks at the whole game, so it has no decision table and no exact value; "
            "write it as (points, dice, roll, choices)."
        )
    table = make_table(rules, decider)
    layers, rows, _ = table.shape
    entries = table.packed(rules).reshape(-1, width)
    index = np.arange(layers * rows, dtype=np.int32).reshape(1, layers, 1, rows)
    return Strategy(model, decider.label, entries, index, 0, table.roll_limit, table.finish)
