"""One game as rows, one an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pymacco_sim.games.base import FINISHED, ILLEGAL, STATUS_NAMES
from pymacco_sim.games.shithead.bulk import TABLE
from pymacco_sim.games.shithead.log import list_legal, play_logged
from pymacco_sim.games.shithead.outcomes import OUTCOMES, PLACE_SCALE
from pymacco_sim.games.shithead.rules import RANK_NAMES
from pymacco_sim.games.shithead.state import CHOOSING, DOWN, HAND, NOBODY, STATE, UP, unknown_slots, zone_of
from pymacco_sim.games.shithead.words import (
    ZONE_NAMES,
    chosen_cards,
    explain_decision,
    face_down_cards,
    known_cards,
    most_copies,
    name_cards,
    name_counts,
    say_why,
)

if TYPE_CHECKING:
    from pymacco_sim.games.shithead.game import Setup

Row = dict[str, Any]


def new_states(count: int) -> np.ndarray:
    """Return `count` blank positions."""
    return np.zeros(count, dtype=STATE).view(np.recarray)


def new_tables() -> np.ndarray:
    """Return the work space around one game."""
    return np.zeros(1, dtype=TABLE).view(np.recarray)


def log_game(setup: Setup, game: int, guess: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play one game and return every position and the decision taken in it.

    Parameters
    ----------
    setup : Setup
    game : int
    guess : int
        Positions to make room for at first; a longer game is played again.

    Returns
    -------
    states : recarray of STATE, shape (n + 1,)
        The position before each decision, and the end of the game.
    decisions : int64[n]
        Face-up choices by seat, then one decision a turn.
    out : int32[columns]
        What the game reports.
    """
    seats = setup.cell.n_seats
    out = np.zeros((1 + sum(seats if outcome.seat else 1 for outcome in OUTCOMES), 1), dtype=np.int32)
    states, tables = new_states(2), new_tables()
    while True:
        log, decisions = new_states(guess), np.zeros(guess, dtype=np.int64)
        fixed = setup.rules, setup.lineup, setup.restless, setup.key
        count = int(play_logged(states, tables, *fixed, game, out, log, decisions))
        if count < guess:
            log[count] = states[0]
            return log[: count + 1], decisions[:count], out[:, 0]
        guess = count + 1


def make_rows(setup: Setup, game: int) -> list[Row]:
    """Play one game and return it as JSON-ready rows.

    Events are ``deal``, ``lay`` (a face-up choice), ``play``, ``pick_up``, ``face_down`` (or ``illegal``), and
    ``end``. Cards are written as names of ranks; the stock with the next card first, the pile from bottom to top.
    """
    states, decisions, out = log_game(setup, game)
    law, cell = setup.rules[0], setup.cell
    shift = game % cell.unit
    labels = [cell.entrants[(seat - shift) % cell.n_seats].label for seat in range(cell.n_seats)]
    ranks = np.zeros(states.size, dtype=np.int64)
    list_legal(states, setup.rules, ranks)
    rows: list[Row] = [_deal_row(states[0], law, game, cell.preset, labels)]
    for index, decision in enumerate(decisions.tolist()):
        before, after = states[index], states[index + 1]
        if out[0] == ILLEGAL and index == len(decisions) - 1:
            why = explain_decision(before, law, decision, int(ranks[index]))
            seat = int(before.seat)
            rows.append(
                {
                    "event": "illegal",
                    "turn": int(before.turns) + 1,
                    "seat": seat,
                    "policy": labels[seat],
                    "decision": decision,
                    "why": why,
                }
            )
            return rows
        if before.phase == CHOOSING:
            rows.append(_lay_row(before, law, labels, decision))
        else:
            rows.append(_turn_row(before, after, law, labels, decision, int(ranks[index])))
    rows.append(_end_row(states[-1], law, out))
    return rows


def _deal_row(state: np.record, law: np.record, game: int, preset: str, labels: list[str]) -> Row:
    seats = [state.seats[seat] for seat in range(int(law.players))]
    return {
        "event": "deal",
        "game": game,
        "preset": preset,
        "policies": labels,
        "own": [name_counts(me.cards[HAND]) for me in seats],
        "face_down": [face_down_cards(me) for me in seats],
        "stock": name_cards(state.stock[: int(state.n_stock)][::-1]),
    }


def _lay_row(state: np.record, law: np.record, labels: list[str], choice: int) -> Row:
    seat = int(state.seat)
    own = name_counts(state.seats[seat].cards[HAND])
    laid = chosen_cards(choice, int(law.up_size))
    kept = list(own)
    for card in laid:
        kept.remove(card)
    return {"event": "lay", "seat": seat, "policy": labels[seat], "own": own, "face_up": laid, "hand": kept}


def _turn_row(before: np.record, after: np.record, law: np.record, labels: list[str], decision: int, ranks: int) -> Row:
    seat = int(before.seat)
    me, later = before.seats[seat], after.seats[seat]
    zone = int(zone_of(me))
    row = {
        "event": "",
        "turn": int(before.turns) + 1,
        "seat": seat,
        "policy": labels[seat],
        "zone": ZONE_NAMES[zone],
        "pile": name_cards(before.pile_cards[: int(before.n_pile)]),
        "value": RANK_NAMES[int(before.value)] or None,
        "inverted": bool(int(law.inverts) >> int(before.value) & 1),
        "run": int(before.tail if before.tail_rank else before.run),
        "holds": known_cards(me) if zone == DOWN else name_counts(me.cards[zone]),
        **_move(before, after, law, decision, ranks, zone),
        "drew": name_cards(before.stock[int(after.n_stock) : int(before.n_stock)][::-1]),
        "left": {name: int(later.held[index]) for index, name in enumerate(ZONE_NAMES)},
        "stock": int(after.n_stock),
        "place": int(later.place) or None,
        "next": None if after.seat == NOBODY else int(after.seat),
    }
    return row


def _move(before: np.record, after: np.record, law: np.record, decision: int, ranks: int, zone: int) -> Row:
    """Return what was done in a turn, and what came of it."""
    if zone == DOWN:
        return _face_down_move(before, after, law, decision)
    if ranks == 0:
        return {"event": "pick_up", "legal": {}, "took": int(before.n_pile)}
    rank, copies = decision & 15, decision >> 4
    own = int(before.seats[before.seat].cards[zone, rank])
    return {
        "event": "play",
        "legal": most_copies(before, law, ranks),
        "card": RANK_NAMES[rank],
        "copies": copies,
        "joined": max(copies - own, 0),
        "why": say_why(before, law, rank),
        "burned": _burned(before, after, copies),
    }


def _face_down_move(before: np.record, after: np.record, law: np.record, decision: int) -> Row:
    shown = int(after.shown)
    played = bool(after.failed == before.failed)
    fits = bool(int(law.accepts[int(before.value)]) >> shown & 1)
    return {
        "event": "face_down",
        "unknown": bin(int(unknown_slots(before.seats[before.seat]))).count("1"),
        "card": RANK_NAMES[shown],
        "blind": decision & 15 == 0,
        "played": played,
        "declined": fits and not played,
        "why": say_why(before, law, shown) if played else None,
        "took": 0 if played else int(before.n_pile),
        "burned": _burned(before, after, 1) if played else 0,
    }


def _burned(before: np.record, after: np.record, copies: int) -> int:
    """Return how many cards left the game with this play."""
    return int(before.n_pile) + copies if after.burns > before.burns else 0


def _end_row(state: np.record, law: np.record, out: np.ndarray) -> Row:
    players = int(law.players)
    status = int(out[0])
    losers = np.flatnonzero(out[1 + players : 1 + 2 * players])
    return {
        "event": "end",
        "result": "finished" if status == FINISHED else "stalled",
        "cause": None if status == FINISHED else STATUS_NAMES[status],
        "cycle_length": int(out[-1]) or None,
        "turns": int(state.turns),
        "burns": int(state.burns),
        "pickups": int(state.pickups),
        "failed": int(state.failed),
        "places": (out[1 + 2 * players : 1 + 3 * players] / PLACE_SCALE).tolist(),
        "loser": int(losers[0]) if losers.size else None,
        "left": [
            name_counts(me.cards[HAND]) + name_counts(me.cards[UP]) + face_down_cards(me)
            for me in state.seats[:players]
        ],
    }
