"""What a session, a race and a single turn report; the rows of the outcome block, in order."""

from __future__ import annotations

from pymacco_sim.games.base import Outcome
from pymacco_sim.games.macke.engine import WIN

_SESSION = (
    Outcome("turns", "turns to the target", per="finished", histogram=True, better=-1),
    Outcome("score", "banked points a turn", per="turns", better=1),
    Outcome("bust", "turns that end in a bust", per="turns", share=True, better=-1),
    Outcome("rolls", "rolls a turn", per="turns"),
    Outcome("hot_dice", "turns in which all dice are set aside at least once", per="turns", share=True),
)

_TURN = (
    Outcome("turns", "turns", per="finished"),
    Outcome("score", "points of the turn", histogram=True, better=1),
    Outcome("bust", "turns that end in a bust", share=True, better=-1),
    Outcome("rolls", "rolls a turn", histogram=True),
    Outcome("hot_dice", "turns in which all dice are set aside at least once", share=True),
)

_RACE = (
    Outcome("turns", "turns of all seats together", per="finished", histogram=True),
    Outcome("win", "race won; ties of a last round share it", seat=True, scale=WIN, share=True, better=1),
    Outcome("own_turns", "turns taken", seat=True),
    Outcome("score", "banked points a turn", seat=True, per="own_turns", better=1),
    Outcome("bust", "turns that end in a bust", seat=True, per="own_turns", share=True, better=-1),
    Outcome("rolls", "rolls a turn", seat=True, per="own_turns"),
    Outcome("hot_dice", "turns with all dice set aside at least once", seat=True, per="own_turns", share=True),
)


def list_outcomes(scope: str) -> tuple[Outcome, ...]:
    """Return the outcomes of a scope: ``"session"``, ``"race"`` or ``"turn"``."""
    return {"session": _SESSION, "turn": _TURN, "race": _RACE}[scope]
