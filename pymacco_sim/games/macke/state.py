"""The state of a game as one flat record, what the seats decide by, and what a user's policy may see."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from pymacco_sim._jit import inline
from pymacco_sim.core.calls import frozen
from pymacco_sim.core.limits import MAX_PARAMETERS
from pymacco_sim.core.streams import STREAM
from pymacco_sim.games.macke.rolls import MAX_CHOICES
from pymacco_sim.games.macke.rules import MAX_SEATS, MAX_SIDES

PLAYING = -2
"""Value of :data:`STATE`'s `status` while the game is on; later it is the game's outcome status."""

STATE = np.dtype(
    [
        ("stream", STREAM),
        ("n_seats", np.int32),
        ("one_turn", np.int32),
        ("status", np.int32),
        ("seat", np.int32),
        ("winner", np.int32),
        ("points", np.int32),
        ("dice", np.int32),
        ("turn_rolls", np.int32),
        ("turn_hot", np.int32),
        ("roll", np.int32),
        ("roll_class", np.int32),
        ("n_choices", np.int32),
        ("totals", np.int32, (MAX_SEATS,)),
        ("streak", np.int32, (MAX_SEATS,)),
        ("turns", np.int32, (MAX_SEATS,)),
        ("busts", np.int32, (MAX_SEATS,)),
        ("rolls", np.int32, (MAX_SEATS,)),
        ("hot", np.int32, (MAX_SEATS,)),
        ("choice_points", np.int32, (MAX_CHOICES,)),
        ("choice_left", np.int32, (MAX_CHOICES,)),
        ("choice_may_stop", np.int32, (MAX_CHOICES,)),
        ("counts", np.int32, (MAX_SIDES + 1,)),
    ],
    align=True,
)
"""One game. `points`, `dice`, `turn_rolls` and `turn_hot` are the running turn's (points and hot dice before the roll
on the table); `totals` to `hot` are by seat: banked total, busts in a row, turns, busts, rolls, turns with hot dice."""

SEAT = np.dtype(
    [
        ("address", np.int64),
        ("params", np.float64, (MAX_PARAMETERS,)),
        ("table", np.int64),
        ("offset", np.int64),
        ("layers", np.int64),
        ("rows", np.int64),
        ("index", np.int64),
        ("streaks", np.int64),
        ("totals", np.int64),
        ("rivals", np.int64),
        ("low", np.int64),
        ("roll_limit", np.int64),
        ("finish", np.int64),
    ],
    align=True,
)
"""How one entrant decides: by the compiled policy at `address`, the decision table at `offset`, or a plan, whose rows
are at `offset` and whose index of `streaks` x `totals` (the first is `low`) x `rivals` x `rows` is at `index`."""

COMPILED, TABLE, PLAN = 0, 1, 2
"""Values of :data:`SEAT`'s `table`."""

NEVER = 1 << 40
"""A number of rolls or points that no turn reaches."""

View = namedtuple(
    "View",
    "points dice rolls hot counts n_choices choice_points choice_left choice_may_stop "
    "seat n_seats total totals best_rival turns target",
)
View.__doc__ = """What a compiled policy sees when it has rolled something that scores.

points : points of the turn before this roll; dice : dice rolled; rolls : rolls of the turn, this one included;
hot : times that all dice were set aside this turn; counts : dice of the roll by pip (index 1 and up);
n_choices, choice_points, choice_left, choice_may_stop : what can be kept, fewest dice left first, then most points
(dice left 0: all dice set aside), and whether one may stop after it; seat, n_seats; total : own banked total;
totals : banked totals by seat; best_rival : highest banked total of the others (0 alone); turns : own turns so far;
target : points that end the session or race.
"""


@inline
def best_rival(state, seat):
    """Highest banked total of the other seats; 0 alone."""
    best = np.int64(0)
    for other in range(state.n_seats):
        if other != seat and state.totals[other] > best:
            best = np.int64(state.totals[other])
    return best


@inline
def make_view(state, seat, rules):
    """Return the :data:`View` of the seat to play; arrays are read-only."""
    return View(
        state.points,
        state.dice,
        state.turn_rolls,
        state.turn_hot,
        frozen(state.counts[:]),
        state.n_choices,
        frozen(state.choice_points[:]),
        frozen(state.choice_left[:]),
        frozen(state.choice_may_stop[:]),
        np.int64(seat),
        state.n_seats,
        state.totals[seat],
        frozen(state.totals[:]),
        best_rival(state, seat),
        state.turns[seat],
        rules.target,
    )


@inline
def keep(choice, stop):
    """Return the decision to keep choice number `choice` and then to stop or to roll on.

    What a compiled policy returns; a wish to stop where the rules forbid it is passed over.

    Examples
    --------
    >>> keep(2, True)
    5
    """
    return np.int64(choice) * 2 + (1 if stop else 0)


def new_states(count: int = 1) -> np.ndarray:
    """Return zeroed states, a recarray of :data:`STATE`."""
    return np.zeros(count, dtype=STATE).view(np.recarray)
