"""Tomacco and Threes: one engine, rules as data."""

from typing import Any

ENGINE = "the engine of Threes and Tomacco"
"""What is being compiled at the first run, in words."""


def __getattr__(name: str) -> Any:
    # The game comes with its engine and the compiler, the rules without.
    if name == "GAME":
        from pymacco_sim.games.shithead.game import GAME

        return GAME
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
