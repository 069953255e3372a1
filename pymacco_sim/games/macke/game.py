"""Macke as a :class:`~pymacco_sim.games.base.Game`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.core.calls import Compiled, compile_policy
from pymacco_sim.games.base import Cell, Decider, Game, Outcome
from pymacco_sim.games.lineup import compile_user
from pymacco_sim.games.macke.engine import play_steps
from pymacco_sim.games.macke.lanes import HIGHEST_LIMIT, MOST_UNITS, STEPS, play_lanes
from pymacco_sim.games.macke.many import MOST_TURNS, play_many
from pymacco_sim.games.macke.outcomes import list_outcomes
from pymacco_sim.games.macke.policies import POLICIES, make_table
from pymacco_sim.games.macke.rehearsal import rehearse_policy
from pymacco_sim.games.macke.rolls import Rolls, enumerate_rolls
from pymacco_sim.games.macke.rules import MAX_SEATS, PRESETS, RULES, MackeRules, pack_rules
from pymacco_sim.games.macke.state import NEVER, SEAT, STATE, make_view, new_states
from pymacco_sim.games.macke.story import explain, make_rows, tell
from pymacco_sim.games.macke.table import DecisionTable


@dataclass
class Setup:
    """All that :meth:`Macke.play` needs; read only while games are played, so threads may share it."""

    cell: Cell
    rolls: Rolls
    rules: np.ndarray
    seats: np.recarray
    entries: np.ndarray
    entry_of_roll: np.ndarray
    limit: int
    key: np.ndarray
    keep: list[Compiled] = field(repr=False, default_factory=list)

    @property
    def one_turn(self) -> bool:
        """Whether a game is a single turn."""
        return self.cell.scope == "turn"

    @property
    def tabulated(self) -> bool:
        """Whether all policies have decision tables."""
        return bool(self.seats["table"].all())

    @property
    def fits_lanes(self) -> bool:
        """Whether the fastest kernel can play this cell."""
        law = self.rules[0]
        return bool(
            self.cell.scope == "session"
            and self.tabulated
            and self.seats["layers"][0] == 1
            and law.bust_streak == 0
            and law.target // law.unit < MOST_UNITS
            and law.max_turns > 2 * STEPS
        )

    @property
    def fits_many(self) -> bool:
        """Whether the kernel for tabulated policies at any number of seats can play this cell."""
        law = self.rules[0]
        return bool(self.tabulated and law.max_turns <= MOST_TURNS and law.bust_penalty % law.unit == 0)


def run_lanes(setup: Setup, first: int, out: np.ndarray) -> None:
    """Play with the fastest kernel."""
    s = setup
    play_lanes(s.rules, s.rolls.tables, s.seats, s.entries, s.entry_of_roll, s.limit, s.key, first, out, new_states())


def run_many(setup: Setup, first: int, out: np.ndarray) -> None:
    """Play with the kernel for tabulated policies at any number of seats."""
    s = setup
    play_many(s.rules, s.rolls.tables, s.seats, s.entries, s.key, s.cell.unit, s.one_turn, first, out, new_states())


def run_steps(setup: Setup, first: int, out: np.ndarray) -> None:
    """Play step by step."""
    s = setup
    stochastic = any(entrant.main.policy.stochastic for entrant in s.cell.entrants)
    play_steps(
        s.rules,
        s.rolls.tables,
        s.seats,
        s.entries,
        s.key,
        s.cell.unit,
        s.one_turn,
        stochastic,
        first,
        out,
        new_states(),
    )


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
    table_style = True

    def pick_scope(self, scope: str | None, n_seats: int) -> str:
        """Return the scope: for one seat a session or a single turn, for more a race."""
        if scope is None:
            return "session" if n_seats == 1 else "race"
        picked = super().pick_scope(scope, n_seats)
        if (picked == "race") == (n_seats == 1):
            usual = "a session or a turn" if n_seats == 1 else "a race"
            raise RequestError(f"scope is {scope!r} with {n_seats} policies; that many play {usual}.")
        return picked

    def outcomes(self, cell: Cell) -> tuple[Outcome, ...]:
        """Return what a session, race or turn reports."""
        return list_outcomes(cell.scope)

    def prepare(self, cell: Cell) -> Setup:
        """Make decision tables, rehearse and compile the user's policies, pack the rules."""
        rules = cell.rules
        assert isinstance(rules, MackeRules)
        if cell.n_seats > MAX_SEATS:
            raise RequestError(f"{cell.n_seats} policies are too many for {self.name}; it has 1 to {MAX_SEATS} seats.")
        rolls = enumerate_rolls(rules)
        seats = np.zeros(cell.n_seats, dtype=SEAT).view(np.recarray)
        keep: list[Compiled] = []
        tables: dict[Decider, tuple[int, DecisionTable]] = {}
        pieces = [np.zeros(0, dtype=np.int32)]
        for seat, entrant in zip(seats, cell.entrants, strict=True):
            if is_tabulated(entrant.main):
                if entrant.main not in tables:
                    tables[entrant.main] = sum(map(len, pieces)), make_table(rules, entrant.main)
                    pieces.append(tables[entrant.main][1].packed(rules))
                _seat_table(seat, *tables[entrant.main])
            else:
                rehearse_policy(entrant.main, rules, cell.n_seats)
                keep.append(compile_user(entrant.main, _compile))
                seat.address, seat.params = keep[-1].address, entrant.main.encoded()
        entries = np.concatenate(pieces)
        if entries.size >= 2**31:
            raise RequestError(f"the decision tables of these policies have {entries.size:,} entries; too many.")
        limit = (
            min(tables[cell.entrants[0].main][1].limit() or 0, HIGHEST_LIMIT) if len(tables) == cell.n_seats == 1 else 0
        )
        entry_of_roll = entries[rolls.class_of] if limit else np.zeros(0, dtype=np.int32)
        key = np.array([cell.seed, cell.stream], dtype=np.uint64)
        law = pack_rules(rules, rolls.unit, rolls.n_classes)
        return Setup(cell, rolls, law, seats, entries, entry_of_roll, limit, key, keep)

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


def is_tabulated(decider: Decider) -> bool:
    """Whether a policy is played from a decision table."""
    return decider.policy.code >= 0 or decider.policy.style == "table"


def _seat_table(seat: Any, offset: int, table: DecisionTable) -> None:
    seat.table, seat.offset = 1, offset
    seat.layers, seat.rows, _ = table.shape
    seat.roll_limit, seat.finish = table.roll_limit or NEVER, table.finish


def _compile(function: Any, part: str, parameters: tuple[str, ...], takes_stream: bool) -> Compiled:
    return compile_policy(function, make_view, STATE, RULES, parameters, takes_stream)


GAME = Macke()
