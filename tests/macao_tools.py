"""What the Macao tests share: cells, logged games, translation between the engine's numbers and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pymacco_sim.games.base import Cell, column_names
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.macao import GAME
from pymacco_sim.games.macao.cards import SUITS, card_number
from pymacco_sim.games.macao.game import Setup
from pymacco_sim.games.macao.state import DRAW, END, PASS, TAKE

OTHERS = {"draw": DRAW, "take": TAKE, "end": END, "pass": PASS}


def make_setup(
    policies: Sequence[Any],
    rules: Mapping[str, Any] | None = None,
    scope: str = "hand",
    seed: int = 1,
    rotate: bool = False,
) -> Setup:
    """Set-up of a line-up under changed rules."""
    law = GAME.make_rules("macao", {"players": len(policies), **(rules or {})})
    entrants = tuple(parse_entrant(GAME, policy) for policy in policies)
    return GAME.prepare(Cell("macao", "macao", law, entrants, scope, rotate, seed))


def play(setup: Setup, n_games: int, first: int = 0) -> dict[str, np.ndarray]:
    """Outcome columns of many games by name."""
    names = column_names(GAME.outcomes(setup.cell), setup.cell.n_seats)
    out = np.zeros((len(names), n_games), dtype=np.int32)
    GAME.play(setup, first, out)
    return dict(zip(names, out, strict=True))


def decision_of(action: Mapping[str, Any]) -> int:
    """Decision number of an action in words."""
    if "card" in action:
        suit = action.get("suit")
        return card_number(action["card"]) + (64 * (1 + SUITS.index(suit)) if suit else 0)
    return OTHERS[next(iter(action))]
