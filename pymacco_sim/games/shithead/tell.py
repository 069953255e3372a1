"""A recorded game as a transcript for card players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_ZONES = {"hand": "from hand", "face_up": "from face-up", "face_down": "from face-down"}
_MOST_SHOWN = 12


def tell(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a transcript from the rows of :func:`~pymacco_sim.games.shithead.record.make_rows`."""
    for row in rows:
        event = row["event"]
        if event == "deal":
            yield from _tell_deal(row)
        elif event == "lay":
            yield f"Seat {row['seat']} lays {_cards(row['face_up'])} face-up and keeps {_cards(row['hand'])}"
        elif event == "illegal":
            yield f"Turn {row['turn']}, seat {row['seat']} ({row['policy']}): illegal: {row['why']}"
        elif event == "end":
            yield from _tell_end(row)
        else:
            yield from _tell_turn(row)


def _cards(names: Sequence[str]) -> str:
    return " ".join(names) or "nothing"


def _count(number: int, thing: str = "card") -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _tell_deal(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"{row['preset']}, game {row['game']}: {_count(len(row['stock']))} in the stock"
    for seat, (label, own, down) in enumerate(zip(row["policies"], row["own"], row["face_down"], strict=True)):
        yield f"  seat {seat} ({label}): {_cards(own)}; face-down: {_cards(down)}"


def _tell_turn(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"Turn {row['turn']}, seat {row['seat']} ({row['policy']}) on {_pile(row)}"
    lead = f"    {_ZONES[row['zone']]} "
    if row["event"] == "pick_up":
        yield f"{lead}{_cards(row['holds'])}: nothing fits, picks up {_count(row['took'])}"
    elif row["event"] == "play":
        joined = f", {row['joined']} of them from face-up" if row["joined"] else ""
        yield f"{lead}{_cards(row['holds'])}: plays {_copies(row)} ({row['why']}){joined}{_burn(row)}"
    else:
        yield f"{lead}{_face_down(row)}"
    yield f"    {_after(row)}"


def _pile(row: Mapping[str, Any]) -> str:
    pile = row["pile"]
    if not pile:
        return "an empty pile"
    shown = f"{'... ' if len(pile) > _MOST_SHOWN else ''}{' '.join(pile[-_MOST_SHOWN:])}"
    notes = [f"{len(pile)} cards"] if len(pile) > _MOST_SHOWN else []
    if row["value"] is None:
        notes.append("no value")
    elif row["inverted"]:
        notes.append(f"{row['value']} or lower")
    elif row["value"] != pile[-1]:
        notes.append(f"value {row['value']}")
    if row["run"] > 1:
        notes.append(f"run of {row['run']}")
    return f"{shown} ({', '.join(notes)})" if notes else shown


def _copies(row: Mapping[str, Any]) -> str:
    return row["card"] if row["copies"] == 1 else f"{row['copies']} x {row['card']}"


def _burn(row: Mapping[str, Any]) -> str:
    return f"; the pile burns, {_count(row['burned'])} out of the game" if row["burned"] else ""


def _face_down(row: Mapping[str, Any]) -> str:
    what = f"turns over an unknown card: {row['card']}" if row["blind"] else f"takes the known {row['card']}"
    if row["played"]:
        return f"{what}, plays it ({row['why']}){_burn(row)}"
    reason = "keeps it" if row["declined"] else "it does not fit"
    return f"{what}, {reason}, picks up {_count(row['took'])}"


def _after(row: Mapping[str, Any]) -> str:
    left = row["left"]
    drew = f"draws {_cards(row['drew'])}; " if row["drew"] else ""
    if row["place"]:
        return f"{drew}has no cards left and is out in place {row['place']}"
    again = "; plays again" if row["next"] == row["seat"] else ""
    held = f"{left['hand']} in hand, {left['face_up']} face-up, {left['face_down']} face-down"
    return f"{drew}left: {held}; stock {row['stock']}{again}"


def _tell_end(row: Mapping[str, Any]) -> Iterator[str]:
    counts = f"{_count(row['burns'], 'burn')}, {_count(row['pickups'], 'pick-up')}"
    counts += f", {_count(row['failed'], 'failed face-down card')}"
    if row["result"] == "stalled":
        why = {"cap": "the cap on turns is reached", "idle": "nothing has happened for too long"}
        cycle = f"the position repeats every {_count(row['cycle_length'] or 0, 'turn')} for ever"
        yield f"After {_count(row['turns'], 'turn')} the game is stalled: {why.get(row['cause'], cycle)} ({counts})"
    else:
        yield f"After {_count(row['turns'], 'turn')} the game is over ({counts})"
    for seat, (place, left) in enumerate(zip(row["places"], row["left"], strict=True)):
        role = ", the loser" if seat == row["loser"] else ""
        yield f"  seat {seat}: place {place:g}{role}{f', left with {_cards(left)}' if left else ''}"
