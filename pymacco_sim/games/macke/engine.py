"""Macke step by step: deal, roll, the legal choices, keep, stop, the end. All play is defined here.

The bulk kernels of :mod:`pymacco_sim.games.macke.lanes` must give the same games; replay and the tests use these
functions one at a time.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.calls import ask
from pymacco_sim.core.streams import CHANCE, draw_below, seed_stream
from pymacco_sim.games.base import CAP, FINISHED, ILLEGAL
from pymacco_sim.games.macke.state import PLAN, PLAYING, best_rival
from pymacco_sim.games.macke.table import GAIN_SHIFT, LEFT_MASK, LEFT_SHIFT, MAY_STOP, STOPS

WIN = 840
"""One win in the outcome block; divisible by 1 to 8, so that ties split exactly."""


@jit
def deal(state, rules, seed, cell, number, n_seats, one_turn):
    """Reset `state` to the start of game `number` (of its chance stream) with `n_seats` seats."""
    seed_stream(state.stream, seed, cell, number, CHANCE)
    state.n_seats = n_seats
    state.one_turn = one_turn
    state.status = PLAYING
    state.winner = -1
    for seat in range(n_seats):
        state.totals[seat] = 0
        state.streak[seat] = 0
        state.turns[seat] = 0
        state.busts[seat] = 0
        state.rolls[seat] = 0
        state.hot[seat] = 0
    begin_turn(state, rules, 0)


@inline
def begin_turn(state, rules, seat):
    """Give the dice to a seat."""
    state.seat = seat
    state.points = 0
    state.dice = rules.dice
    state.turn_rolls = 0
    state.turn_hot = 0


@inline
def is_over(state):
    """Whether the game has ended, for whatever reason."""
    return state.status != PLAYING


@inline
def throw(state, rules):
    """Roll the dice of the running turn; returns the roll's position in ``class_of``."""
    faces = rules.faces[state.dice]
    state.roll = draw_below(state.stream, faces)
    state.turn_rolls += 1
    return faces + state.roll


@jit
def roll_dice(state, rules, tables):
    """Roll the dice of the running turn and look up what they are; returns the number of choices, 0 for a bust."""
    state.roll_class = tables.class_of[throw(state, rules)]
    own = np.int64(state.roll_class)
    state.n_choices = tables.choice_first[own + 1] - tables.choice_first[own]
    return state.n_choices


@inline
def points_needed(state, rules):
    """Points that the running turn needs before it may stop."""
    if state.totals[state.seat] <= 0 and rules.min_first_bank > rules.min_bank:
        return rules.min_first_bank
    return rules.min_bank


@jit
def list_choices(state, rules, tables):
    """Write the roll's dice and choices into the state, for policies that look at them."""
    for pip in range(rules.sides + 1):
        state.counts[pip] = tables.counts[state.roll_class, pip]
    own, need = tables.choice_first[state.roll_class], points_needed(state, rules)
    for index in range(state.n_choices):
        points, left = tables.choice_points[own + index], tables.choice_left[own + index]
        state.choice_points[index] = points
        state.choice_left[index] = left
        free = left > 0 or rules.may_stop_hot
        state.choice_may_stop[index] = 1 if free and state.points + points >= need else 0


@jit
def find_planned(state, rules, seat, entries):
    """Position of a planned seat's decision for the roll on the table among all entries."""
    streak = min(np.int64(state.streak[state.seat]), seat.streaks - 1)
    own = min(max(state.totals[state.seat] // rules.unit - seat.low, 0), seat.totals - 1)
    rival = np.int64(0)
    if seat.rivals > 1:
        rival = min(best_rival(state, state.seat) // rules.unit, seat.rivals - 1)
    row = min(state.points // rules.unit, seat.rows - 1)
    place = ((streak * seat.totals + own) * seat.rivals + rival) * seat.rows + row
    return seat.offset + entries[seat.index + place] * rules.width + state.roll_class


@inline
def find_entry(state, rules, seat, entries):
    """Position of a seat's decision for the roll on the table among all entries."""
    if seat.table == PLAN:
        return find_planned(state, rules, seat, entries)
    layer = row = np.int64(0)
    if seat.layers > 1:
        layer = min(max(state.totals[state.seat] // rules.unit, 0), seat.layers - 1)
    if seat.rows > 1:
        row = min(state.points // rules.unit, seat.rows - 1)
    return seat.offset + (layer * seat.rows + row) * rules.width + state.roll_class


@inline
def read_entry(state, rules, seat, entry):
    """Return (points, dice left, stop) that an entry of a decision table says; 0 points are a bust."""
    points = entry >> GAIN_SHIFT
    stop = (entry & STOPS) != 0
    if (entry & MAY_STOP) != 0 and not stop:
        stop = state.turn_rolls >= seat.roll_limit
        stop = stop or (seat.finish != 0 and state.totals[state.seat] + state.points + points >= rules.target)
    return points, (entry >> LEFT_SHIFT) & LEFT_MASK, stop


@jit
def apply_keep(state, rules, points, left, stop):
    """Keep dice worth `points` with `left` dice to go, then stop (if `stop`) or go on with the turn."""
    state.points += points
    if left == 0:
        state.turn_hot += 1
    state.dice = left if left > 0 else rules.dice
    if stop:
        bank(state, rules)
    elif state.turn_rolls >= rules.max_rolls:
        state.status = CAP


@inline
def bank(state, rules):
    """Stop: the points of the turn go to the seat's total."""
    end_turn(state, rules, state.points)


@inline
def apply_bust(state, rules):
    """Lose the points of the turn."""
    end_turn(state, rules, 0)


@jit
def end_turn(state, rules, points):
    """Book a turn that has ended with `points` (0: a bust); unless that ends the game, the next turn begins."""
    seat = state.seat
    if points == 0:
        state.busts[seat] += 1
        state.streak[seat] += 1
        if rules.bust_streak > 0 and state.streak[seat] >= rules.bust_streak:
            state.streak[seat] = 0
            points = -rules.bust_penalty
    else:
        state.streak[seat] = 0
    state.totals[seat] += points
    state.turns[seat] += 1
    state.rolls[seat] += state.turn_rolls
    state.hot[seat] += 1 if state.turn_hot > 0 else 0
    judge(state, rules)
    if state.status == PLAYING:
        begin_turn(state, rules, 0 if seat == state.n_seats - 1 else seat + 1)


@inline
def judge(state, rules):
    """Set the status after a turn of `state.seat` that is booked: still playing, finished or stalled."""
    seat = state.seat
    last = seat == state.n_seats - 1
    if state.totals[seat] >= rules.target and state.winner < 0:
        state.winner = seat
    if state.one_turn or (state.winner >= 0 and (last or not rules.last_round)):
        state.status = FINISHED
    elif last and state.turns[seat] >= rules.max_turns:
        state.status = CAP


@jit
def wins(state, rules, seat):
    """Return what a seat has won, in units of 1 / 840 win: ties of a last round share."""
    if state.status != FINISHED or state.winner < 0:
        return 0
    if not rules.last_round:
        return WIN if seat == state.winner else 0
    best, ties = state.totals[0], 0
    for other in range(state.n_seats):
        best = max(best, state.totals[other])
    for other in range(state.n_seats):
        ties += 1 if state.totals[other] == best else 0
    return WIN // ties if state.totals[seat] == best else 0


@inline
def read_decision(state, decision):
    """Return (points, dice left, stop) that a compiled policy's word means; 0 points if the rules forbid it."""
    choice = decision >> 1
    if choice < 0 or choice >= state.n_choices:
        return np.int64(0), np.int64(0), False
    stop = (decision & 1) != 0 and state.choice_may_stop[choice] != 0
    return np.int64(state.choice_points[choice]), np.int64(state.choice_left[choice]), stop


@jit
def decide(state, rules, tables, seat, entries, stream):
    """Return (points, dice left, stop, decision) of the seat to play for the roll on the table.

    `decision` is a compiled policy's own word (0 for a table); 0 points mean that the rules forbid it.
    """
    if seat.table:
        points, left, stop = read_entry(state, rules, seat, entries[find_entry(state, rules, seat, entries)])
        return points, left, stop, np.int64(0)
    list_choices(state, rules, tables)
    decision = ask(seat.address, state, state.seat, rules, seat.params, stream)
    points, left, stop = read_decision(state, decision)
    return points, left, stop, decision


@jit
def play_on(state, rules, tables, seats, entries, shift, streams):
    """Play a game to its end; returns (ILLEGAL, decision) if a policy decides against the rules, else (status, 0).

    Parameters
    ----------
    state : STATE record
        Anywhere between two rolls.
    rules : RULES record
    tables : ClassTables
    seats : SEAT[n_seats]
        By entrant.
    entries : int64[...]
        All decision tables in one.
    shift : int
        Entrant `j` sits at seat ``(j + shift) % n_seats``.
    streams : uint32[n_seats, 4]
        Each seat's own stream of random numbers.
    """
    # Arrays handed to a function inside the loop would be counted in and out at every roll.
    class_of, choice_first, decision = tables.class_of, tables.choice_first, np.int64(0)
    while state.status == PLAYING:
        roll_class = np.int64(class_of[throw(state, rules)])
        state.roll_class = roll_class
        state.n_choices = choice_first[roll_class + 1] - choice_first[roll_class]
        if state.n_choices == 0:
            apply_bust(state, rules)
            continue
        place = np.int64(state.seat) - shift
        seat = seats[place + state.n_seats if place < 0 else place]
        if seat.table:
            points, left, stop = read_entry(state, rules, seat, entries[find_entry(state, rules, seat, entries)])
        else:
            points, left, stop, decision = decide(state, rules, tables, seat, entries, streams[state.seat])
            if points == 0:
                return ILLEGAL, decision
        apply_keep(state, rules, points, left, stop)
    return np.int64(state.status), decision


@jit
def write_game(state, rules, out, column):
    """Write a game that has ended into a column of the outcome block (rows as in :mod:`.outcomes`)."""
    n = state.n_seats
    out[0, column] = state.status
    if n == 1:
        out[1, column] = state.turns[0]
        out[2, column] = state.totals[0]
        out[3, column] = state.busts[0]
        out[4, column] = state.rolls[0]
        out[5, column] = state.hot[0]
        return
    turns = 0
    for seat in range(n):
        turns += state.turns[seat]
        out[2 + seat, column] = wins(state, rules, seat)
        out[2 + n + seat, column] = state.turns[seat]
        out[2 + 2 * n + seat, column] = state.totals[seat]
        out[2 + 3 * n + seat, column] = state.busts[seat]
        out[2 + 4 * n + seat, column] = state.rolls[seat]
        out[2 + 5 * n + seat, column] = state.hot[seat]
    out[1, column] = turns


@jit
def play_steps(rules, tables, seats, entries, key, unit, one_turn, stochastic, first, out, states):
    """Play games `first`, `first` + 1, ... step by step into `out`.

    Parameters
    ----------
    rules, states : recarrays of RULES and STATE, length 1
    tables, seats, entries
        As for :func:`play_on`.
    key : uint64[2]
        Seed, and the cell's half of the key.
    unit : int
        Games that share a deal: 1, or the number of seats when the seats rotate.
    one_turn : bool
        Whether a game is a single turn.
    stochastic : bool
        Whether some policy draws random numbers.
    first : int
    out : int32[rows, n_games]
    """
    law, state = rules[0], states[0]
    streams = np.zeros((seats.size, 4), dtype=np.uint32)
    for column in range(out.shape[1]):
        game = first + column
        deal(state, law, key[0], key[1], np.uint64(game // unit), seats.size, one_turn)
        if stochastic:
            for seat in range(seats.size):
                seed_stream(streams[seat], key[0], key[1], np.uint64(game), 1 + seat)
        status, decision = play_on(state, law, tables, seats, entries, game % unit, streams)
        if status == ILLEGAL:
            out[0, column] = ILLEGAL
            out[1, column] = state.seat
            out[2, column] = min(max(decision, -(2**31)), 2**31 - 1)
            out[3, column] = 0
            return
        write_game(state, law, out, column)
