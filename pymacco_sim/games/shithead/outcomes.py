"""What a game reports; :func:`pymacco_sim.games.shithead.bulk.write_game` fills the same list in the same order."""

from __future__ import annotations

from pymacco_sim.games.base import Outcome

PLACE_SCALE = 2
"""Places count in halves: players still in when a game stops share the mean of what is left."""

OUTCOMES = (
    Outcome("win", "first out, of all games", seat=True, share=True, better=1),
    Outcome("loss", "the one who is left with cards, of all games", seat=True, share=True, better=-1),
    Outcome("place", "finishing place, 1 is first", seat=True, scale=PLACE_SCALE, better=-1),
    Outcome("turns", "turns of a finished game", per="finished", histogram=True),
    Outcome("burns", "plays that burned the pile"),
    Outcome("pickups", "times that the pile was picked up, failed face-down cards included"),
    Outcome("failed", "face-down cards that could not be played"),
    Outcome("cycle_length", "turns after which an endless game repeats itself", per="cycle", histogram=True),
)
