"""From a cell to what the kernels read, and which kernel plays it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.core.calls import Compiled, compile_policy
from pymacco_sim.games.base import Cell
from pymacco_sim.games.lineup import compile_user
from pymacco_sim.games.macke.engine import play_steps
from pymacco_sim.games.macke.lanes import HIGHEST_LIMIT, MOST_UNITS, STEPS, play_lanes
from pymacco_sim.games.macke.many import MOST_TURNS, play_many
from pymacco_sim.games.macke.plan import PlanTable
from pymacco_sim.games.macke.policies import make_decisions
from pymacco_sim.games.macke.rehearsal import rehearse_policy
from pymacco_sim.games.macke.rolls import Rolls, enumerate_rolls
from pymacco_sim.games.macke.rules import MAX_SEATS, RULES, MackeRules, pack_rules
from pymacco_sim.games.macke.state import NEVER, PLAN, SEAT, STATE, TABLE, make_view, new_states
from pymacco_sim.games.macke.table import UNITS_MASK, DecisionTable, lower_half
from pymacco_sim.games.policy import Decider


@dataclass
class Setup:
    """All that a kernel needs; read only while games are played, so threads may share it.

    Attributes
    ----------
    cell : Cell
    rolls : Rolls
    rules : recarray of RULES, length 1
    seats : recarray of SEAT, one an entrant
    entries : int64[...]
        The decision tables of all entrants, packed one behind the other.
    words : int32[...]
        The lower half of each entry.
    word_of_roll : int32[...]
        For a policy that stops at `limit` units: its word for each roll.
    limit : int
        0 for any other policy or line-up.
    key : uint64[2]
    keep : list of Compiled
        What must stay alive as long as the seats' addresses are used.
    """

    cell: Cell
    rolls: Rolls
    rules: np.recarray
    seats: np.recarray
    entries: np.ndarray
    words: np.ndarray
    word_of_roll: np.ndarray
    limit: int
    key: np.ndarray
    keep: list[Compiled]

    @property
    def one_turn(self) -> bool:
        """Whether a game is a single turn."""
        return self.cell.scope == "turn"

    @cached_property
    def fits_lanes(self) -> bool:
        """Whether the fastest kernel can play this cell."""
        law = self.rules[0]
        return bool(
            self.cell.scope == "session"
            and self._fits_words()
            and self.seats["layers"][0] == 1
            and law.bust_streak == 0
            and law.target // law.unit < MOST_UNITS
            and law.max_turns > 2 * STEPS
        )

    @cached_property
    def fits_many(self) -> bool:
        """Whether the kernel for tabulated policies at any number of seats can play this cell."""
        law = self.rules[0]
        return bool(self._fits_words() and law.max_turns <= MOST_TURNS and law.bust_penalty % law.unit == 0)

    def _fits_words(self) -> bool:
        tabulated = (self.seats["table"] == TABLE).all()
        return bool(tabulated and self.rolls.choice_points.max() <= UNITS_MASK * self.rolls.unit)


def make_setup(cell: Cell) -> Setup:
    """Make decision tables, rehearse and compile the user's policies, and pack it all."""
    rules = cell.rules
    assert isinstance(rules, MackeRules)
    if cell.n_seats > MAX_SEATS:
        raise RequestError(f"{cell.n_seats} policies are too many for {cell.game}; it has 1 to {MAX_SEATS} seats.")
    rolls = enumerate_rolls(rules)
    seats = np.zeros(cell.n_seats, dtype=SEAT).view(np.recarray)
    keep: list[Compiled] = []
    tables: dict[Decider, tuple[int, DecisionTable | PlanTable]] = {}
    pieces = [np.zeros(0, dtype=np.int64)]
    for seat, entrant in zip(seats, cell.entrants, strict=True):
        if is_tabulated(entrant.main):
            if entrant.main not in tables:
                tables[entrant.main] = sum(map(len, pieces)), make_decisions(rules, entrant.main)
                pieces.append(tables[entrant.main][1].packed(rules))
            _seat_table(seat, *tables[entrant.main])
        else:
            rehearse_policy(entrant.main, rules, cell.n_seats)
            keep.append(compile_user(entrant.main, _compile))
            seat.address, seat.params = keep[-1].address, entrant.main.encoded()
    entries = np.concatenate(pieces)
    words = lower_half(entries)
    only = tables[cell.entrants[0].main][1] if cell.n_seats == len(tables) == 1 else None
    limit = min(only.limit() or 0, HIGHEST_LIMIT) if isinstance(only, DecisionTable) else 0
    word_of_roll = words[rolls.class_of] if limit else words[:0]
    key = np.array([cell.seed, cell.stream], dtype=np.uint64)
    law = pack_rules(rules, rolls.unit, rolls.n_classes)
    return Setup(cell, rolls, law, seats, entries, words, word_of_roll, limit, key, keep)


def is_tabulated(decider: Decider) -> bool:
    """Whether a policy is played from a decision table."""
    return decider.policy.code >= 0 or decider.policy.style in ("table", "plan")


def _seat_table(seat: Any, offset: int, table: DecisionTable | PlanTable) -> None:
    seat.offset = offset
    if isinstance(table, PlanTable):
        seat.table, seat.index, seat.low = PLAN, offset + table.entries.size, table.low
        seat.streaks, seat.totals, seat.rivals, seat.rows = table.index.shape
        seat.roll_limit = NEVER
        return
    seat.table = TABLE
    seat.layers, seat.rows, _ = table.shape
    seat.roll_limit, seat.finish = table.roll_limit or NEVER, table.finish


def _compile(function: Any, part: str, parameters: tuple[str, ...], takes_stream: bool) -> Compiled:
    return compile_policy(function, make_view, STATE, RULES, parameters, takes_stream)


def run_lanes(setup: Setup, first: int, out: np.ndarray) -> None:
    """Play with the fastest kernel."""
    s = setup
    play_lanes(
        s.rules, s.rolls.tables, s.seats, s.entries, s.words, s.word_of_roll, s.limit, s.key, first, out, new_states()
    )


def run_many(setup: Setup, first: int, out: np.ndarray) -> None:
    """Play with the kernel for tabulated policies at any number of seats."""
    s = setup
    play_many(
        s.rules, s.rolls.tables, s.seats, s.entries, s.words, s.key, s.cell.unit, s.one_turn, first, out, new_states()
    )


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
