"""One game with every position and decision written down: for replay, rehearsal and tests."""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.games.base import ILLEGAL
from pymacco_sim.games.shithead.bulk import (
    FACE_UP,
    GOING_ON,
    ask_face_up,
    open_game,
    step,
    write_game,
    write_illegal,
)
from pymacco_sim.games.shithead.engine import choose_face_up, legal, may_lay
from pymacco_sim.games.shithead.state import CHOOSING, NOBODY


@inline
def write_state(log, index, state):
    """Keep a position if the log has room for it."""
    if index < log.size:
        log[index] = state


@inline
def write_decision(decisions, index, decision):
    """Keep a decision if the log has room for it."""
    if index < decisions.size:
        decisions[index] = decision


@jit
def choose_logged(table, state, rules, rows, log, decisions):
    """Ask everybody for the face-up choice; returns as :func:`~pymacco_sim.games.shithead.bulk.choose_all` does."""
    for seat in range(rules.players):
        row = rows[seat]
        write_state(log, seat, state)
        choice = ask_face_up(state, rules, seat, row, table.streams[seat])
        write_decision(decisions, seat, choice)
        if row.code[FACE_UP] < 0 and not may_lay(rules, state.seats[seat], choice):
            return ILLEGAL, seat, choice, FACE_UP
        choose_face_up(state, rules, seat, choice)
    return GOING_ON, int(state.seat), choice, FACE_UP


@jit
def play_logged(states, tables, rules, lineup, restless, keys, game, out, log, decisions):
    """Play one game as :func:`~pymacco_sim.games.shithead.bulk.play_games` does, and write it down.

    Parameters
    ----------
    states, tables, rules, lineup, restless, keys
        As for `play_games`.
    game : int
    out : int32[rows, 1]
    log : STATE[n]
        Filled with the position before each decision, as far as it goes.
    decisions : int64[n]
        The decisions: the face-up choice of every seat, then one a turn (0 for a pick-up without choice).

    Returns
    -------
    int
        Number of decisions, an illegal one included.
    """
    state, mark, table, law, key = states[0], states[1], tables[0], rules[0], keys[0]
    rows = lineup[open_game(table, state, law, restless, key, game) :]
    status, seat, decision, part = choose_logged(table, state, law, rows, log, decisions)
    count = seat + 1 if status == ILLEGAL else int(law.players)
    value = np.int64(0)
    while status == GOING_ON:
        write_state(log, count, state)
        status, seat, value, decision, part = step(table, state, mark, law, rows, seat, value)
        write_decision(decisions, count, decision)
        count += 1
    if status == ILLEGAL:
        write_illegal(out, 0, seat, decision, part)
    else:
        write_game(out, 0, table, state, law, status)
    return count


@jit
def list_legal(states, rules, ranks):
    """Write down the set of ranks that may be played in every position (:func:`~.engine.legal`) into int64[n]."""
    for index in range(states.size):
        choosing_or_over = states[index].phase == CHOOSING or states[index].seat == NOBODY
        ranks[index] = 0 if choosing_or_over else legal(states[index], rules[0])
