"""Plans: decisions that depend on the banked totals as well as on the turn.

A decision table for every pair of totals would fill the memory, but most of their rows are alike. So a plan keeps
each different row once, and an index that says which row holds where.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pymacco_sim.games.macke.rolls import enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.macke.table import DecisionTable


@dataclass(frozen=True, eq=False)
class PlanTable:
    """The decisions of one plan under one rule set; of every axis of `index` the last place holds for all beyond.

    Attributes
    ----------
    entries : int64[n_rows, n_classes + 1]
        Every different row once, packed as :meth:`.table.DecisionTable.packed` does.
    index : int32[streaks, totals, rivals, rows]
        Row of `entries` by busts in a row, own banked total, highest total of a rival, and points of the turn before
        the roll, the last three in units.
    low : int
        Units of the first own total.
    """

    entries: np.ndarray
    index: np.ndarray
    low: int = 0

    def packed(self, rules: MackeRules) -> np.ndarray:
        """Return the rows, then the index, as one array for the kernels: int64."""
        return np.concatenate([self.entries.ravel(), self.index.ravel().astype(np.int64)])


def pack_choices(rules: MackeRules, choice: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return packed rows from the position of the kept choice and whether the plan then stops.

    Parameters
    ----------
    rules : MackeRules
    choice : int64[n_rows, n_classes]
        Ignored for a bust.
    stop : bool[n_rows, n_classes]
        Where the rules allow it only.

    Returns
    -------
    int64[n_rows, n_classes + 1]
    """
    rolls = enumerate_rolls(rules)
    bust = np.diff(rolls.choice_first) == 0
    at = np.where(bust, 0, rolls.choice_first[:-1] + choice)
    gain, left = np.where(bust, 0, rolls.choice_points[at]), np.where(bust, 0, rolls.choice_left[at])
    stops = stop & ~bust
    table = DecisionTable(gain[None], left[None], stops[None], stops[None], rolls.unit)
    return table.packed(rules).reshape(len(choice), -1)
