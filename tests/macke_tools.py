"""What the Macke tests share: cells, play by each kernel, and the rules in the referee's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pymacco_sim.games.base import Cell, column_names
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.macke import GAME
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.macke.setup import Setup

METHODS = [
    "points:350",
    "points:200:keep=fewest",
    "points:325:keep=best",
    "points:0",
    "dice:3",
    "rolls:2",
    "bust:0.3",
    "either:300:2",
    "both:300:3",
    "expected",
    "optimal",
    "optimal:keep=all",
    "dice:2:special=finish",
    "rolls:4:special=fewest+finish",
    "points:450:special=finish",
]
"""Every built-in, keep rule and special."""


def make_setup(
    policies: Sequence[Any],
    rules: Mapping[str, Any] | None = None,
    preset: str = "macke",
    scope: str | None = None,
    seed: int = 1,
    rotate: bool = False,
) -> Setup:
    """Prepare a cell."""
    entrants = tuple(parse_entrant(GAME, policy) for policy in policies)
    law = GAME.make_rules(preset, rules or {})
    return GAME.prepare(Cell("macke", preset, law, entrants, GAME.pick_scope(scope, len(entrants)), rotate, seed))


def play(setup: Setup, n_games: int, run: Callable[[Setup, int, np.ndarray], None] | None = None, first: int = 0):
    """Outcomes by column name, of games played by one kernel or by the one that the game picks."""
    names = column_names(GAME.outcomes(setup.cell), setup.cell.n_seats)
    out = np.zeros((len(names), n_games), dtype=np.int32)
    (run or GAME.play)(setup, first, out)
    return dict(zip(names, out, strict=True))


def referee_rules(rules: MackeRules) -> dict[str, Any]:
    """The same rules in the referee's words (it knows no penalty and no points for nothing)."""
    kinds = {}
    for size, value in enumerate(rules.n_of_a_kind, start=4):
        if value:
            kinds[size] = ("times", int(value[1:])) if isinstance(value, str) else ("fixed", value)
    runs = {(1, 2, 3, 4, 5): 0, (2, 3, 4, 5, 6): 1, (1, 2, 3, 4, 5, 6): 2}
    same = ("dice", "sides", "three_pairs", "two_triples", "hot_dice", "min_bank", "min_first_bank", "target")
    return {
        **{name: getattr(rules, name) for name in (*same, "last_round", "max_turns")},
        "singles": {pip: points for pip, points in enumerate(rules.singles, start=1) if points},
        "triples": {pip: points for pip, points in enumerate(rules.triples, start=1) if points},
        "n_of_a_kind": kinds,
        "straights": {run: rules.straights[place] for run, place in runs.items() if rules.straights[place]},
        "pairs_may_repeat": rules.pairs_alike,
    }
