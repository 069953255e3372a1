"""Tomacco and Threes as a :class:`~pymacco_sim.games.base.Game`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pymacco_sim.core.calls import Compiled, compile_policy
from pymacco_sim.games.base import ILLEGAL, Cell, Game, Outcome
from pymacco_sim.games.lineup import pack_lineup, rehearse
from pymacco_sim.games.policy import Decider
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.games.shithead.bulk import FACE_UP, KEY, play_games
from pymacco_sim.games.shithead.catalogue import POLICIES
from pymacco_sim.games.shithead.engine import legal, may_decide, may_lay
from pymacco_sim.games.shithead.outcomes import OUTCOMES
from pymacco_sim.games.shithead.record import make_rows, new_states, new_tables
from pymacco_sim.games.shithead.rules import PRESETS, RULES, ShitheadRules, pack_rules
from pymacco_sim.games.shithead.sample import sample_positions
from pymacco_sim.games.shithead.state import CHOOSING, STATE, zone_of
from pymacco_sim.games.shithead.tell import tell
from pymacco_sim.games.shithead.view import make_view
from pymacco_sim.games.shithead.words import explain_decision


@dataclass
class Setup:
    """All that :meth:`Shithead.play` needs; read only while games are played, so threads may share it."""

    cell: Cell
    rules: np.ndarray
    lineup: np.ndarray
    """The line-up twice, so that every rotation of it lies in a row."""
    restless: np.ndarray
    """By entrant, twice as well: bit `part` is set where that part draws random numbers."""
    key: np.ndarray
    keep: list[Compiled]
    faults: dict[tuple[int, int, int], np.ndarray] = field(default_factory=dict)
    """Positions of illegal decisions, by (seat, decision, part)."""


class Shithead(Game):
    """Tomacco and Threes: get rid of your cards, hand, face-up and face-down."""

    name = "shithead"
    words = "get rid of hand, face-up and face-down cards by playing on a pile that burns; the last one in loses"
    rules_type = ShitheadRules
    presets = PRESETS
    parts = ("play", "face_up", "face_down")
    default_parts = ("strongest", "known")
    policies = POLICIES
    scopes = ("game",)
    block = 8176  # no power of two: the rows of an outcome block then fall into different cache sets

    def seat_rules(self, rules: Rules, n_seats: int) -> Rules:
        """Return `rules` for that many seats."""
        return rules.replace(players=n_seats)

    def outcomes(self, cell: Cell) -> tuple[Outcome, ...]:
        """Return what a game reports."""
        return OUTCOMES

    def prepare(self, cell: Cell) -> Setup:
        """Rehearse and compile the user's policies, pack rules and line-up."""
        assert isinstance(cell.rules, ShitheadRules)
        law = pack_rules(cell.rules)
        for decider in {d.label: d for entrant in cell.entrants for d in entrant.deciders}.values():
            if decider.policy.code < 0:
                _rehearse(decider, law)
        lineup, keep = pack_lineup(cell.entrants, _compile)
        key = np.zeros(1, dtype=KEY).view(np.recarray)
        key.seed, key.cell, key.rotate = cell.seed, cell.stream, cell.rotate
        twice = np.concatenate([lineup, lineup]).view(np.recarray)
        return Setup(cell, law, twice, np.tile(_restless(cell), 2), key, keep)

    def play(self, setup: Setup, first: int, out: np.ndarray) -> None:
        """Play games into `out`; see :meth:`Game.play`."""
        states = new_states(2)
        play_games(states, new_tables(), setup.rules, setup.lineup, setup.restless, setup.key, first, out)
        for column in np.flatnonzero(out[0] == ILLEGAL):
            seat, decision, part = (int(value) for value in out[1:4, column])
            setup.faults[seat, decision, part] = states[:1]

    def record(self, setup: Setup, game: int) -> list[dict[str, Any]]:
        """Return one game as rows, one an event; see :mod:`pymacco_sim.games.shithead.record`."""
        return make_rows(setup, game)

    def narrate(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Yield the lines of a transcript."""
        return tell(rows)

    def explain_illegal(self, setup: Setup, seat: int, decision: int, part: int) -> str:
        """Return what was decided and what would have been legal."""
        fault = setup.faults.get((seat, decision, part))
        if fault is None:
            return super().explain_illegal(setup, seat, decision, part)
        return _explain(fault[0], setup.rules, decision)


def _restless(cell: Cell) -> np.ndarray:
    """By entrant: one bit for every part that draws random numbers."""
    return np.array(
        [
            sum(decider.policy.stochastic << part for part, decider in enumerate(entrant.deciders))
            for entrant in cell.entrants
        ],
        dtype=np.int64,
    )


def _compile(function: Any, part: str, parameters: tuple[str, ...], takes_stream: bool) -> Compiled:
    return compile_policy(function, make_view, STATE, RULES, parameters, takes_stream)


def _explain(state: np.record, law: np.ndarray, decision: int) -> str:
    ranks = 0 if state.phase == CHOOSING else int(legal(state, law[0]))
    return explain_decision(state, law[0], decision, ranks)


def _rehearse(decider: Decider, law: np.ndarray) -> None:
    part = Shithead.parts.index(decider.policy.part)
    if part == FACE_UP and law[0].up_size == 0:
        return
    states, views = sample_positions(law, part)
    streams = np.arange(4 * len(views), dtype=np.uint32).reshape(-1, 4) + np.uint32(1)

    def judge(position: int, decision: int) -> str | None:
        state = states[position]
        fits = abs(decision) < 2**62 and _fits(state, law[0], decision)
        return None if fits else _explain(state, law, decision)

    rehearse(decider, zip(views, streams, strict=True), judge)


def _fits(state: np.record, law: np.record, decision: int) -> bool:
    me = state.seats[int(state.seat)]
    if state.phase == CHOOSING:
        return bool(may_lay(law, me, decision))
    return bool(may_decide(state, law, me, zone_of(me), legal(state, law), decision))


GAME = Shithead()
