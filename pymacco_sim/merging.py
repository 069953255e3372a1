"""Results from disk: their cells again, their tables from their counts, and several runs made one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pymacco_sim._check import RequestError
from pymacco_sim.core.counting import Tally
from pymacco_sim.counts import Record, read_counts
from pymacco_sim.experiments import check_request
from pymacco_sim.games.registry import make_cell
from pymacco_sim.grid import GridCell
from pymacco_sim.identity import cell_key
from pymacco_sim.looks import planned_units
from pymacco_sim.simulation import Result, join_ranges
from pymacco_sim.store import COUNTS, find_damage, read_manifest, read_table, round_table
from pymacco_sim.sweeps import cell_rows

SAME = ("game", "rules", "policies", "scope", "seating", "seed", "stream", "version")
"""Keys of a run's manifest that say which games it could hold."""


def read_cells(folder: Path, manifest: Mapping[str, Any]) -> Sequence[GridCell]:
    """Return the cells of a stored run or sweep.

    Raises
    ------
    RequestError
        If it is of another kind, or its policies cannot be found any more.
    """
    if manifest.get("kind") == "sweep":
        return check_request(folder.name, manifest["request"]).cells
    if manifest.get("kind") != "run":
        raise RequestError(f"{folder} is no run or sweep but {manifest.get('kind')!r}; its games are of several cells.")
    line_up = [policy["policy"] for policy in manifest["policies"]]
    asked = {key: manifest[key] for key in ("seed", "scope", "seating", "stream")}
    cell = make_cell(manifest["game"], line_up, manifest["rules"], **asked)
    return [GridCell(cell, (("method", cell.entrants[0].main.policy.name),))]


def read_records(folder: Path) -> dict[str, list[Record]]:
    """Return the records of a stored result by the key of their cell.

    Raises
    ------
    RequestError
        If they are missing or damaged.
    """
    records, n_damaged = read_counts(folder / COUNTS)
    if n_damaged:
        raise RequestError(f"{folder / COUNTS} is damaged; run its command again to play what is missing.")
    by_key: dict[str, list[Record]] = {}
    for record in records:
        by_key.setdefault(record.key, []).append(record)
    return by_key


def add_tallies(records: Sequence[Record]) -> Tally:
    """Return the sum of records of one cell."""
    total = Tally.from_plain(records[0].value)
    for record in records[1:]:
        total = total + Tally.from_plain(record.value)
    return total


def read_run(folder: Path) -> tuple[Result, list[Record]]:
    """Return a stored run as the :class:`~pymacco_sim.simulation.Result` that it was, and its records."""
    cells, by_key = read_cells(folder, read_manifest(folder)), read_records(folder)
    if len(cells) != 1 or len(by_key) != 1:
        raise RequestError(f"{folder} is a sweep; only runs can be merged. Play it with more games to extend it.")
    records = next(iter(by_key.values()))
    ranges = join_ranges([(record.first, record.count) for record in records])
    return Result(cells[0].cell, add_tallies(records), ranges), records


def merge_runs(folders: Sequence[Path]) -> tuple[Result, list[Record]]:
    """Pool stored runs of one cell over different games, exactly.

    Raises
    ------
    RequestError
        If they are of different cells, or share a game.
    """
    if len(folders) < 2:
        raise RequestError("one result merges with nothing; name at least two.")
    first = read_manifest(folders[0])
    for folder in folders[1:]:
        manifest = read_manifest(folder)
        for key in SAME:
            if manifest.get(key) != first.get(key):
                raise RequestError(f"{folders[0]} and {folder} differ in {key}; only runs of the same cell merge.")
    runs = [read_run(folder) for folder in folders]
    if len({record.key for _, records in runs for record in records}) > 1:
        raise RequestError("these runs were played by different editions of the package or of a policy's code.")
    total = runs[0][0]
    for result, _ in runs[1:]:
        total = total + result
    return total, [record for _, records in runs for record in records]


def verify(folder: Path) -> list[str]:
    """Return what is wrong with a stored result, one line each: files, checksums, and tables against their counts
    (where this edition of the package and of the policies is the one that played).
    """
    wrong = find_damage(folder)
    manifest = read_manifest(folder)
    if wrong or manifest.get("kind") not in ("run", "sweep") or not (folder / COUNTS).is_file():
        return wrong
    try:
        cells, by_key = read_cells(folder, manifest), read_records(folder)
    except RequestError as error:
        return [f"{folder}: files are sound, but the tables cannot be made again: {error}"]
    keys = [cell_key(item.cell) for item in cells]
    if not set(keys) <= set(by_key):
        return []  # played by another edition of the package or of a policy, whose tables this one cannot make
    tallies = [add_tallies(by_key[key]) for key in keys]
    exact = bool(manifest.get("exact") or manifest.get("request", {}).get("exact"))
    if manifest["kind"] == "run":
        cell = cells[0].cell
        planned = planned_units(manifest["most_games"] // cell.unit) if "most_games" in manifest else 0
        table = Result(cell, tallies[0], (), planned, exact).seats
    else:
        rows = [row for item, tally in zip(cells, tallies, strict=True) for row in cell_rows(item, tally, exact)]
        table = pd.DataFrame(rows)
    same = round_table(table).to_csv(index=False) == read_table(folder).to_csv(index=False)
    return [] if same else [f"{folder / 'table.parquet'} is not what {COUNTS} says"]
