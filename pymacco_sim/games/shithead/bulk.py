"""Play many games: one kernel for every line-up and every rule set of the family."""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.bits import has_bit
from pymacco_sim.core.calls import ask
from pymacco_sim.core.hints import no_overlap, unlikely
from pymacco_sim.core.streams import seed_stream
from pymacco_sim.games.base import CAP, CYCLE, FINISHED, IDLE, ILLEGAL
from pymacco_sim.games.shithead.counts import copy_counts, unequal_ranks
from pymacco_sim.games.shithead.deal import deal
from pymacco_sim.games.shithead.engine import (
    PICK_UP,
    choose_face_up,
    legal_from,
    may_decide,
    may_lay,
    play_cards,
    score,
    take_pile,
    try_face_down,
)
from pymacco_sim.games.shithead.policies import decide_face_down, decide_face_up, decide_play, split
from pymacco_sim.games.shithead.rules import MAX_SEATS
from pymacco_sim.games.shithead.state import DOWN, HAND, NOBODY, UP, zone_of

MAIN, FACE_UP, FACE_DOWN = 0, 1, 2
"""Parts of a line-up."""

TABLE = np.dtype(
    [
        ("streams", np.uint32, (MAX_SEATS, 4)),
        ("restless", np.int64),
        ("deal", np.uint64),
        ("asked", np.int64),
        ("since", np.int64),
        ("quiet", np.int64),
        ("limit", np.int64),
        ("cycle", np.int64),
    ],
    align=True,
)
"""What surrounds one game: policy streams by seat, which parts of a seat draw random numbers
(``restless``: bit ``3 * seat + part``), the number of the deal, the turn at which such a part was last asked
(``asked``), and the search for a repeated position: turn at which the present stretch began (``since``), pick-ups in
it (``quiet``), how many of them until the next mark (``limit``), and the length of the cycle that was found."""

KEY = np.dtype([("seed", np.uint64), ("cell", np.uint64), ("rotate", np.int64)], align=True)
"""Random key of a cell, and whether seats rotate."""

GOING_ON = -2
"""Status of a game that is not over."""

FIRST_MARK = 2
"""Pick-ups without progress after which the search for a repeated position begins."""


@inline
def ask_face_up(state, rules, seat, row, stream):
    """Ask the entrant at `seat` (`row` of the line-up) for its face-up choice."""
    if row.code[FACE_UP] < 0:
        return ask(row.address[FACE_UP], state, seat, rules, row.params[FACE_UP], stream)
    return decide_face_up(row.code[FACE_UP], state, seat, rules, row.params[FACE_UP], stream)


@inline
def ask_face_down(state, rules, seat, row, stream):
    """Ask the entrant at `seat` which face-down card it turns over."""
    if row.code[FACE_DOWN] < 0:
        return ask(row.address[FACE_DOWN], state, seat, rules, row.params[FACE_DOWN], stream)
    return decide_face_down(row.code[FACE_DOWN], state, seat, rules, row.params[FACE_DOWN], stream)


@inline
def seat_entrants(table, restless, key, game, players):
    """Find the deal of game `game`, and seed the streams of those who draw.

    Returns
    -------
    int
        Row of the doubled line-up that sits at seat 0; the following rows sit at the following seats.
    """
    shift, table.deal = np.int64(0), np.uint64(game)
    if key.rotate != 0:
        shift, table.deal = np.int64(game % players), np.uint64(game // players)
    offset = players - shift
    table.restless = 0
    for seat in range(players):
        if restless[offset + seat] != 0:
            table.restless |= np.int64(restless[offset + seat]) << (3 * seat)
            seed_stream(table.streams[seat], key.seed, key.cell, np.uint64(game), np.uint64(1 + seat))
    return offset


@jit
def repeats(table, state, mark, players):
    """Whether the position after this pick-up was there before, with neither chance nor a restless policy since.

    A position can only repeat if somebody picks up on the way, since every other turn takes cards out of the zones;
    so positions are compared after pick-ups, when the pile is empty. Brent's search: one mark, moved after 2, 4, 8,
    ... pick-ups of a stretch without progress.
    """
    since = max(np.int64(state.moved), table.asked)
    if since != table.since:
        table.since, table.quiet, table.limit = since, 0, FIRST_MARK
    table.quiet += 1
    if table.limit > FIRST_MARK and same(state, mark, players):
        table.cycle = state.turns - mark.turns
        return True
    if table.quiet == table.limit:
        remember(mark, state, players)
        table.limit *= 2
    return False


@inline
def same(state, mark, players):
    """Whether two positions after a pick-up without progress since are the same.

    Without progress nobody draws, burns, goes out or learns a face-down card, and the pile is empty: what can differ
    is who plays and what lies in the hands and face-up.
    """
    if state.seat != mark.seat:
        return False
    different = np.int64(0)
    for seat in range(players):
        different |= unequal_ranks(state.seats[seat].cards[HAND], mark.seats[seat].cards[HAND])
        different |= unequal_ranks(state.seats[seat].cards[UP], mark.seats[seat].cards[UP])
    return different == 0


@inline
def remember(mark, state, players):
    """Copy what :func:`same` compares."""
    mark.seat, mark.turns = state.seat, state.turns
    for seat in range(players):
        copy_counts(mark.seats[seat].cards[HAND], state.seats[seat].cards[HAND])
        copy_counts(mark.seats[seat].cards[UP], state.seats[seat].cards[UP])


@jit
def open_game(table, state, rules, restless, key, game):
    """Seat the entrants and deal; returns the row of the doubled line-up at seat 0."""
    offset = seat_entrants(table, restless, key, game, np.int64(rules.players))
    deal(state, rules, key.seed, key.cell, table.deal)
    table.asked = table.since = table.quiet = table.cycle = 0
    table.limit = FIRST_MARK
    return offset


@jit
def choose_all(table, state, rules, rows):
    """Ask everybody for the face-up choice; returns status, seat, decision and part."""
    for seat in range(rules.players):
        row = rows[seat]
        choice = ask_face_up(state, rules, seat, row, table.streams[seat])
        if row.code[FACE_UP] < 0 and not may_lay(rules, state.seats[seat], choice):
            return ILLEGAL, np.uint32(seat), choice, FACE_UP
        choose_face_up(state, rules, seat, choice)
    return GOING_ON, state.seat, np.int64(0), FACE_UP


@inline
def step(table, state, mark, rules, rows, seat, value):
    """Take one turn: ask who has a choice, carry it out, see whether the game goes on.

    `seat` and `value` are the state's own, in registers.

    Built-in policies are trusted, a user's decision is checked.

    Returns
    -------
    status : int
        :data:`GOING_ON`, or how the game ended.
    seat, value : int
        Who plays next (who decided, if that was illegal), and the pile's value.
    decision, part : int
        What was decided, by which part.
    """
    state.value = value
    row, stream, me = rows[seat], table.streams[seat], state.seats[seat]
    zone = zone_of(me)
    options = legal_from(state, rules, me, zone)
    if unlikely(zone == DOWN):
        return step_face_down(table, state, mark, rules, row, stream, seat, options)
    if options == 0:
        later, value = take_pile(state, rules, me, np.int64(seat), False)
        return look_around(table, state, mark, rules, later, True), later, value, np.int64(PICK_UP), MAIN
    if unlikely(row.code[MAIN] < 0):
        decision = ask(row.address[MAIN], state, seat, rules, row.params[MAIN], stream)
        if not may_decide(state, rules, me, zone, options, decision):
            return ILLEGAL, seat, value, decision, MAIN
        rank, copies = split(decision)
    else:
        rank, copies = decide_play(row.code[MAIN], state, seat, rules, row.params[MAIN], stream)
    note_asked(table, state, seat, MAIN)
    later, value = play_cards(state, rules, me, np.int64(seat), zone, rank, copies)
    return look_around(table, state, mark, rules, later, False), later, value, 16 * copies + rank, MAIN


@jit
def step_face_down(table, state, mark, rules, row, stream, seat, options):
    """Take a turn from the face-down cards; returns as :func:`step` does."""
    me, pickups = state.seats[seat], state.pickups
    decision = ask_face_down(state, rules, seat, row, stream)
    if row.code[FACE_DOWN] < 0 and not may_decide(state, rules, me, DOWN, options, decision):
        return ILLEGAL, seat, np.int64(state.value), decision, FACE_DOWN
    note_asked(table, state, seat, FACE_DOWN)
    later, value = try_face_down(state, rules, me, np.int64(seat), decision)
    status = look_around(table, state, mark, rules, later, state.pickups != pickups)
    return status, later, value, decision, FACE_DOWN


@inline
def note_asked(table, state, seat, part):
    """Remember the turn, if this part of this seat draws random numbers."""
    if unlikely(table.restless != 0) and has_bit(table.restless, 3 * np.int64(seat) + part):
        table.asked = state.turns + 1


@inline
def look_around(table, state, mark, rules, later, picked_up):
    """Return how the game stands after a turn: finished, stalled for a cause, or going on."""
    if unlikely(later == NOBODY):
        return FINISHED
    if unlikely(state.turns >= rules.watch_from):
        if state.turns >= rules.max_turns:
            return CAP
        if rules.max_idle != 0 and state.turns - state.moved >= rules.max_idle:
            return IDLE
    if picked_up and repeats(table, state, mark, rules.players):
        return CYCLE
    return GOING_ON


@jit
def write_game(out, column, table, state, rules, status):
    """Fill the outcome rows of one game."""
    players = np.int64(rules.players)
    out[0, column] = status
    for seat in range(players):
        place = state.seats[seat].place
        out[1 + seat, column] = place == 1
        lost = status == FINISHED and rules.first_ends == 0 and place == 0
        out[1 + players + seat, column] = lost
        out[1 + 2 * players + seat, column] = score(state, rules, seat)
    row = 1 + 3 * players
    out[row, column], out[row + 1, column], out[row + 2, column] = state.turns, state.burns, state.pickups
    out[row + 3, column], out[row + 4, column] = state.failed, table.cycle


@inline
def write_illegal(out, column, seat, decision, part):
    """Fill the outcome rows of a game that stopped at an illegal decision."""
    out[0, column], out[1, column], out[3, column] = ILLEGAL, seat, part
    out[2, column] = min(max(decision, np.int64(-(2**31))), np.int64(2**31 - 1))


@jit
def play_games(states, tables, rules, lineup, restless, keys, first, out):
    """Play games `first`, `first` + 1, ... into the columns of `out`; stop at an illegal decision.

    Parameters
    ----------
    states : STATE[2]
        Work space: the state, and the position marked by the search for cycles.
    tables : TABLE[1]
        Work space.
    rules : RULES[1]
    lineup : LINEUP[2 * players]
        The line-up twice, so that every rotation of it lies in a row.
    restless : int64[2 * players]
        By entrant, twice as well: bit `part` is set where that part draws random numbers.
    keys : KEY[1]
    first : int
    out : int32[rows, games]
    """
    no_overlap()
    state, mark, table, law, key = states[0], states[1], tables[0], rules[0], keys[0]
    for column in range(out.shape[1]):
        rows = lineup[open_game(table, state, law, restless, key, first + column) :]
        status, seat, decision, part = choose_all(table, state, law, rows)
        value = np.int64(0)
        while status == GOING_ON:
            status, seat, value, decision, part = step(table, state, mark, law, rows, seat, value)
        if status == ILLEGAL:
            write_illegal(out, column, seat, decision, part)
            return
        write_game(out, column, table, state, law, status)
