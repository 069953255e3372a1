"""One game as rows, one a roll, and as a transcript for dice players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pymacco_sim.core.calls import RAISED
from pymacco_sim.core.streams import seed_stream
from pymacco_sim.games.base import STATUS_NAMES
from pymacco_sim.games.macke.engine import WIN, apply_bust, apply_keep, deal, decide, is_over, roll_dice, wins
from pymacco_sim.games.macke.rolls import Choice
from pymacco_sim.games.macke.state import new_states

if TYPE_CHECKING:
    from pymacco_sim.games.macke.setup import Setup

Row = dict[str, Any]


def make_rows(setup: Setup, game: int) -> list[Row]:
    """Play one game step by step and return it as JSON-ready rows.

    Events are ``start``, then ``roll`` (with what was kept, and whether it ended the turn by a bust or a stop),
    ``illegal`` if a policy decided against the rules, and ``end``.
    """
    cell, law = setup.cell, setup.rules[0]
    shift = game % cell.unit
    labels = [cell.entrants[(seat - shift) % cell.n_seats].label for seat in range(cell.n_seats)]
    streams = np.zeros((cell.n_seats, 4), dtype=np.uint32)
    for seat in range(cell.n_seats):
        seed_stream(streams[seat], setup.key[0], setup.key[1], np.uint64(game), 1 + seat)
    state = new_states()[0]
    deal(state, law, setup.key[0], setup.key[1], np.uint64(game // cell.unit), cell.n_seats, setup.one_turn)
    rows: list[Row] = [
        {"event": "start", "game": game, "scope": cell.scope, "policies": labels, "target": int(law.target)}
    ]
    while not is_over(state):
        row = _roll_row(setup, state, labels)
        rows.append(row)
        place = int(state.seat)
        if row["bust"]:
            apply_bust(state, law)
        else:
            seat = setup.seats[(place - shift) % cell.n_seats]
            points, left, stop, decision = decide(state, law, setup.rolls.tables, seat, setup.entries, streams[place])
            if points == 0:
                rows.append({**row, "event": "illegal", "why": explain(int(decision), len(row["choices"]))})
                return rows
            apply_keep(state, law, points, left, stop)
            row |= {"kept": int(points), "dice_left": int(left), "stop": bool(stop), "hot_dice": int(left) == 0}
            row["points"] += int(points)
        row["total"] = int(state.totals[place])
    rows.append(_end_row(state, law, cell.n_seats))
    return rows


def _roll_row(setup: Setup, state: np.record, labels: Sequence[str]) -> Row:
    """Roll the dice and return what there is to see before the decision."""
    place, dice = int(state.seat), int(state.dice)
    row: Row = {
        "event": "roll",
        "seat": place,
        "policy": labels[place],
        "turn": int(state.turns[place]) + 1,
        "before": int(state.points),
        "total": int(state.totals[place]),
    }
    n_choices = roll_dice(state, setup.rules[0], setup.rolls.tables)
    sides = int(setup.rules[0].sides)
    choices = setup.rolls.choices(int(state.roll_class))
    return row | {
        "roll": int(state.turn_rolls),
        "dice": [int(state.roll) // sides**die % sides + 1 for die in range(dice)],
        "choices": [list(choice) for choice in choices],
        "bust": int(n_choices) == 0,
        "kept": 0,
        "dice_left": dice,
        "stop": False,
        "hot_dice": False,
        "points": 0 if int(n_choices) == 0 else row["before"],
    }


def _end_row(state: np.record, law: np.record, n_seats: int) -> Row:
    seats = range(n_seats)
    return {
        "event": "end",
        "status": STATUS_NAMES[int(state.status)],
        "totals": [int(state.totals[seat]) for seat in seats],
        "turns": [int(state.turns[seat]) for seat in seats],
        "wins": [int(wins(state, law, seat)) / WIN for seat in seats],
    }


def explain(decision: int, n_choices: int | None = None) -> str:
    """Say what is wrong with a compiled policy's decision."""
    if decision in (RAISED, -(2**31)):
        return "it raised an exception"
    had = "" if n_choices is None else f"; there were {n_choices}"
    return f"it returned {decision}, which keeps choice number {decision >> 1}; the roll has no such choice{had}"


def tell(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a transcript."""
    start = rows[0]
    alone = len(start["policies"]) == 1
    names = ", ".join(name if alone else f"seat {seat}: {name}" for seat, name in enumerate(start["policies"]))
    what = "single turn" if start["scope"] == "turn" else f"{start['scope']} to {start['target']:,}"
    yield f"{what}: {names}"
    for row in rows[1:]:
        if row["event"] == "end":
            yield from _tell_end(row, alone)
        elif row["event"] == "illegal":
            choices = ", ".join(f"{i}: {Choice(*choice).points}" for i, choice in enumerate(row["choices"]))
            yield f"  illegal decision: {row['why']} ({choices})"
        else:
            if row["roll"] == 1:
                who = "" if alone else f", seat {row['seat']} ({row['policy']})"
                before = row["total"] - (row["points"] if row["stop"] else 0)
                yield f"turn {row['turn']}{who}, total {before:,}"
            yield "  " + " ".join(map(str, row["dice"])) + ": " + _tell_roll(row)


def _tell_roll(row: Mapping[str, Any]) -> str:
    if row["bust"]:
        return f"bust, {row['before']:,} points lost"
    kept = f"keeps {row['kept']:,}"
    kept += ", all dice set aside" if row["hot_dice"] else f", {row['dice_left']} left"
    if row["stop"]:
        return f"{kept}; stops with {row['points']:,}, total {row['total']:,}"
    return f"{kept}; rolls on with {row['points']:,}"


def _tell_end(row: Mapping[str, Any], alone: bool) -> Iterator[str]:
    if row["status"] != "finished":
        yield f"stalled ({row['status']}) after {sum(row['turns']):,} turns"
    elif alone:
        turns = row["turns"][0]
        yield f"{row['totals'][0]:,} points after {turns} turn{'s' * (turns > 1)}"
    else:
        totals = ", ".join(f"seat {seat} {total:,}" for seat, total in enumerate(row["totals"]))
        winners = [seat for seat, share in enumerate(row["wins"]) if share > 0]
        won = f"seat {winners[0]} wins" if len(winners) == 1 else f"seats {', '.join(map(str, winners))} share the win"
        yield f"{won} ({totals})"
