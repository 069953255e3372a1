"""Positions as they come up in play, to try a user's policy on."""

from __future__ import annotations

from typing import Any

import numpy as np

from pymacco_sim.games.lineup import LINEUP
from pymacco_sim.games.macao.kernel import list_legal, play_games
from pymacco_sim.games.macao.outcomes import list_outcomes
from pymacco_sim.games.macao.policies import RANDOM, UNIFORM
from pymacco_sim.games.macao.state import new_states
from pymacco_sim.games.macao.view import make_view

N_POSITIONS = 40
_LOG_SIZE = 120
_MOST_GAMES = 40


def sample_positions(law: np.ndarray, match: bool, part: int) -> tuple[np.ndarray, list[Any]]:
    """Return positions of games among random players, and what the seat to play sees in them.

    Parameters
    ----------
    law : recarray of RULES, shape (1,)
    match : bool
        Whether to play matches or single hands.
    part : int
        0 for positions in which some card may be played, 1 for those in which a suit is to be named.

    Returns
    -------
    states : recarray of STATE, up to 40
    views : list of View
    """
    players = int(law[0].players)
    lineup = np.zeros(players, dtype=LINEUP).view(np.recarray)
    lineup.code[:, :2] = RANDOM, UNIFORM
    rows = 1 + sum(players if outcome.seat else 1 for outcome in list_outcomes(match))
    out = np.zeros((rows, 1), dtype=np.int32)
    key, scratch = np.zeros(2, dtype=np.uint64), new_states()
    log, decisions = new_states(_LOG_SIZE), np.zeros(_LOG_SIZE, dtype=np.int64)
    found = new_states(N_POSITIONS)
    count = 0
    for game in range(_MOST_GAMES):
        play_games(law, lineup, key, match, 1, True, game, out, scratch, log, decisions)
        length = min(int(scratch[0].decisions), _LOG_SIZE)
        cards, others = np.zeros((2, length), dtype=np.int64)
        list_legal(log[:length], law, cards, others)
        fitting = np.flatnonzero(log["naming"][:length] if part else cards)
        picked = fitting[:: max(1, fitting.size // 5)][: N_POSITIONS - count]
        found[count : count + picked.size] = log[picked]
        count += picked.size
        if count == N_POSITIONS:
            break
    see = getattr(make_view, "py_func", make_view)
    return found[:count], [see(state, int(state.to_play), law[0]) for state in found[:count]]
