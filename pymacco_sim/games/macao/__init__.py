"""Macao: one engine, rules as data."""

from typing import Any

ENGINE = "the Macao engine"
"""What is being compiled at the first run, in words."""


def __getattr__(name: str) -> Any:
    # The game comes with its engine and the compiler, the rules without.
    if name == "GAME":
        from pymacco_sim.games.macao.game import GAME

        return GAME
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
