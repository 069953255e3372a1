"""Macke and its relatives (Farkle, Zilch, Ten Thousand): rules as data, decision tables, engine and fast kernels."""

from typing import Any

ENGINE = "the Macke engine"
"""What is being compiled at the first run, in words."""


def __getattr__(name: str) -> Any:
    # The game comes with its engine and the compiler, the rules without.
    if name == "GAME":
        from pymacco_sim.games.macke.game import GAME

        return GAME
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
