"""Macke as a :class:`~pymacco_sim.games.base.Game`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.games.base import Cell, Game, Outcome
from pymacco_sim.games.macke.outcomes import list_outcomes
from pymacco_sim.games.macke.policies import POLICIES
from pymacco_sim.games.macke.rules import PRESETS, MackeRules
from pymacco_sim.games.macke.setup import Setup, make_setup, run_lanes, run_many, run_steps
from pymacco_sim.games.macke.story import explain, make_rows, tell


class Macke(Game):
    """Macke and its relatives: dice, a turn, a session, a race."""

    name = "macke"
    words = "roll and keep scoring dice; bank in time or lose the turn's points"
    rules_type = MackeRules
    presets = PRESETS
    parts = ("turn",)
    default_parts = ()
    policies = POLICIES
    scopes = ("session", "race", "turn")
    block = 32_752
    fills_block = True
    table_style = True

    def pick_scope(self, scope: str | None, n_seats: int) -> str:
        """Return the scope: for one seat a session or a single turn, for more a race."""
        if scope is None:
            return "session" if n_seats == 1 else "race"
        picked = super().pick_scope(scope, n_seats)
        if (picked == "race") == (n_seats == 1):
            usual = "one seat plays a session or a turn" if n_seats == 1 else f"{n_seats} seats play a race"
            raise RequestError(f"scope is {scope!r}, but {usual}.")
        return picked

    def outcomes(self, cell: Cell) -> tuple[Outcome, ...]:
        """Return what a session, race or turn reports."""
        return list_outcomes(cell.scope)

    def prepare(self, cell: Cell) -> Setup:
        """Make decision tables, rehearse and compile the user's policies, pack the rules."""
        return make_setup(cell)

    def play(self, setup: Setup, first: int, out: np.ndarray) -> None:
        """Play games into `out`; see :meth:`Game.play`."""
        if setup.fits_lanes:
            run_lanes(setup, first, out)
        elif setup.fits_many:
            run_many(setup, first, out)
        else:
            run_steps(setup, first, out)

    def record(self, setup: Setup, game: int) -> list[dict[str, Any]]:
        """Return one game as rows, one a roll; see :mod:`pymacco_sim.games.macke.story`."""
        return make_rows(setup, game)

    def narrate(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Yield the lines of a transcript."""
        return tell(rows)

    def explain_illegal(self, setup: Setup, seat: int, decision: int, part: int) -> str:
        """Return what was wrong with a decision, in words."""
        return explain(decision)


GAME = Macke()
