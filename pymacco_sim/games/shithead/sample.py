"""Positions as they come up in play, to try a user's policy on."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymacco_sim.games.base import column_names
from pymacco_sim.games.lineup import LINEUP
from pymacco_sim.games.shithead.bulk import FACE_DOWN, FACE_UP, KEY, MAIN, TABLE
from pymacco_sim.games.shithead.log import list_legal, play_logged
from pymacco_sim.games.shithead.outcomes import OUTCOMES
from pymacco_sim.games.shithead.policies import LOWEST, RANDOM, UNIFORM_DOWN, UNIFORM_UP
from pymacco_sim.games.shithead.state import CHOOSING, HAND, STATE, UP
from pymacco_sim.games.shithead.view import make_view

N_POSITIONS = 40
_LOG_SIZE = 400
_MOST_GAMES = 40
_A_GAME = 5


def sample_positions(law: np.ndarray, part: int) -> tuple[np.ndarray, list[Any]]:
    """Return positions in which a part is asked, and what the seat to act sees in them.

    They come from games in which every second seat plays at random.

    Parameters
    ----------
    law : recarray of RULES, shape (1,)
    part : int
        0 for plays from hand or face-up, 1 for face-up choices, 2 for face-down cards.

    Returns
    -------
    states : recarray of STATE, up to 40
    views : list of View
    """
    law = law.copy()
    law["max_turns"] = np.minimum(law["max_turns"], _LOG_SIZE)
    law["watch_from"] = np.minimum(law["watch_from"], _LOG_SIZE)
    players = int(law[0].players)
    lineup = np.zeros(2 * players, dtype=LINEUP).view(np.recarray)
    lineup.code[:] = RANDOM, UNIFORM_UP, UNIFORM_DOWN
    lineup.code[::2, MAIN] = LOWEST
    out = np.zeros((len(column_names(OUTCOMES, players)), 1), dtype=np.int32)
    states, tables, keys = (np.zeros(n, dtype=kind).view(np.recarray) for n, kind in ((2, STATE), (1, TABLE), (1, KEY)))
    restless, log = np.full(2 * players, 7), np.zeros(_LOG_SIZE + players, dtype=STATE).view(np.recarray)
    decisions, found = np.zeros(log.size, dtype=np.int64), []
    for game in range(_MOST_GAMES):
        count = play_logged(states, tables, law, lineup, restless, keys, game, out, log, decisions)
        fitting = np.flatnonzero(asked(log[:count], law) == part)
        found.append(log[fitting[:: max(1, fitting.size // _A_GAME)][:_A_GAME]])
        if sum(map(len, found)) >= N_POSITIONS:
            break
    see = getattr(make_view, "py_func", make_view)
    positions = np.concatenate(found).view(np.recarray)
    return positions, [see(state, int(state.seat), law[0]) for state in positions]


def asked(states: np.ndarray, law: np.ndarray) -> np.ndarray:
    """Return by position the part that is asked there; -1 where there is nothing to decide.

    Parameters
    ----------
    states : recarray of STATE, shape (n,), games that go on
    law : recarray of RULES, shape (1,)

    Returns
    -------
    int64[n]
    """
    ranks = np.zeros(states.size, dtype=np.int64)
    list_legal(states, law, ranks)
    seats = np.take_along_axis(states["seats"], states["seat"][:, None].astype(np.int64), axis=1)[:, 0]
    down = (seats["mask"][:, HAND] == 0) & (seats["mask"][:, UP] == 0)
    part = np.where(down, FACE_DOWN, np.where(ranks != 0, MAIN, -1))
    return np.where(states["phase"] == CHOOSING, FACE_UP, part)
