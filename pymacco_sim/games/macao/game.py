"""Macao as a :class:`~pymacco_sim.games.base.Game`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pymacco_sim.core.calls import Compiled, compile_policy
from pymacco_sim.games.base import ILLEGAL, Cell, Game, Outcome
from pymacco_sim.games.lineup import pack_lineup, rehearse
from pymacco_sim.games.macao.catalogue import POLICIES
from pymacco_sim.games.macao.engine import is_legal
from pymacco_sim.games.macao.kernel import play_games
from pymacco_sim.games.macao.outcomes import list_outcomes
from pymacco_sim.games.macao.record import explain_decision, log_game, make_rows, tell
from pymacco_sim.games.macao.rules import PRESETS, MacaoRules
from pymacco_sim.games.macao.sample import sample_positions
from pymacco_sim.games.macao.state import NO_LOG, NO_STATES, RULES, STATE, new_states, pack_rules
from pymacco_sim.games.macao.view import make_view
from pymacco_sim.games.policy import Decider
from pymacco_sim.games.rulebook import Rules


@dataclass
class Setup:
    """All that :meth:`Macao.play` needs; read only while games are played, so threads may share it."""

    cell: Cell
    rules: np.ndarray
    lineup: np.ndarray
    key: np.ndarray
    stochastic: bool
    keep: list[Compiled]
    faults: dict[tuple[int, int, int], np.ndarray] = field(default_factory=dict)
    """Positions of illegal decisions, by (seat, decision, part)."""

    @property
    def match(self) -> bool:
        """Whether a game is a match."""
        return self.cell.scope == "match"

    def run(self, first: int, out: np.ndarray, scratch: np.ndarray, log: tuple[Any, Any] = (NO_STATES, NO_LOG)) -> None:
        """Play games into `out`, with a log of the first one if arrays for it are given."""
        play_games(
            self.rules, self.lineup, self.key, self.match, self.cell.unit, self.stochastic, first, out, scratch, *log
        )


class Macao(Game):
    """Macao: shed your cards in chains, to 300 penalty points."""

    name = "macao"
    words = "shed your cards in chains of rank, suit and power cards; penalty points for what is left"
    rules_type = MacaoRules
    presets = PRESETS
    parts = ("play", "suit")
    default_parts = ("longest",)
    policies = POLICIES
    scopes = ("match", "hand")
    block = 4080  # no power of two: the rows of an outcome block then fall into different cache sets

    def seat_rules(self, rules: Rules, n_seats: int) -> Rules:
        """Return `rules` for that many seats."""
        return rules.replace(players=n_seats)

    def outcomes(self, cell: Cell) -> tuple[Outcome, ...]:
        """Return what a match or a hand reports."""
        return list_outcomes(cell.scope == "match")

    def prepare(self, cell: Cell) -> Setup:
        """Rehearse and compile the user's policies, pack rules and line-up."""
        law = pack_rules(_macao_rules(cell))
        for decider in {d.label: d for entrant in cell.entrants for d in entrant.deciders}.values():
            if decider.policy.code < 0:
                _rehearse(decider, law, cell.scope == "match")
        lineup, keep = pack_lineup(cell.entrants, _compile)
        key = np.array([cell.seed, cell.stream], dtype=np.uint64)
        stochastic = any(d.policy.stochastic for entrant in cell.entrants for d in entrant.deciders)
        return Setup(cell, law, lineup, key, stochastic, keep)

    def play(self, setup: Setup, first: int, out: np.ndarray) -> None:
        """Play games into `out`; see :meth:`Game.play`."""
        scratch = new_states()
        setup.run(first, out, scratch)
        for column in np.flatnonzero(out[0] == ILLEGAL):
            seat, decision, part = (int(value) for value in out[1:4, column])
            setup.faults[seat, decision, part] = scratch

    def record(self, setup: Setup, game: int) -> list[dict[str, Any]]:
        """Return one game as rows, one an event; see :mod:`pymacco_sim.games.macao.record`."""
        return make_rows(setup, game, *log_game(setup, game))

    def narrate(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Yield the lines of a transcript."""
        return tell(rows)

    def explain_illegal(self, setup: Setup, seat: int, decision: int, part: int) -> str:
        """Return what was decided and what would have been legal."""
        fault = setup.faults.get((seat, decision, part))
        if fault is None:
            return super().explain_illegal(setup, seat, decision, part)
        return explain_decision(fault[0], setup.rules[0], int(fault[0].fault))


def _macao_rules(cell: Cell) -> MacaoRules:
    assert isinstance(cell.rules, MacaoRules)
    return cell.rules


def _compile(function: Any, part: str, parameters: tuple[str, ...], takes_stream: bool) -> Compiled:
    return compile_policy(function, make_view, STATE, RULES, parameters, takes_stream)


def _rehearse(decider: Decider, law: np.ndarray, match: bool) -> None:
    states, views = sample_positions(law, match, Macao.parts.index(decider.policy.part))
    streams = np.arange(4 * len(views), dtype=np.uint32).reshape(-1, 4) + np.uint32(1)

    def judge(position: int, decision: int) -> str | None:
        if abs(decision) < 2**62 and is_legal(states[position], law[0], decision):
            return None
        return explain_decision(states[position], law[0], decision)

    rehearse(decider, zip(views, streams, strict=True), judge)


GAME = Macao()
