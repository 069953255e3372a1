"""Play a grid of cells and collect a tidy DataFrame."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from pymacco_sim.core.counting import Tally
from pymacco_sim.durable import Resume, open_store
from pymacco_sim.estimates import MAIN, entrant_rows, total_row, value_column
from pymacco_sim.games.base import Cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.grid import GridCell, make_grid
from pymacco_sim.play import Store, check_games, make_plan, prepare_cell, stream_chunks
from pymacco_sim.progress import Progress, open_progress
from pymacco_sim.simulation import say_figure
from pymacco_sim.truth import add_truth, find_truth


def sweep(
    game: str,
    policies: Any,
    grid: Mapping[str, Any] | None = None,
    n_games: Any = 100_000,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    *,
    rules: Rules | Mapping[str, Any] | None = None,
    players: Any = None,
    scope: str | None = None,
    seating: str = "fixed",
    common: bool = True,
    resume: Resume = None,
    exact: bool = False,
) -> pd.DataFrame:
    """Play every cell of a grid and return one row a cell (a cell and seat, where seats have outcomes).

    Parameters
    ----------
    game : str
    policies : str, policy, sequence, or mapping
        A line-up; the grid is over parameters of its first policy. Or several methods, each with a grid of its own:
        ``{"points": {"threshold": "50:1000:50"}, "dice": {"threshold": [1, 2, 3]}}``.
    grid : mapping, optional
        Parameter to values: a list, a range, ``"50:1000:50"``.
    n_games : int
        Games a cell.
    seed : int
    n_jobs, progress, scope, seating
        As for :func:`pymacco_sim.simulate`.
    rules : Rules or mapping, optional
        A field given a list is swept: ``{"run_to_burn": [3, 4]}``.
    players : int, str or sequence, optional
        Numbers of seats to sweep over (the single policy fills them).
    common : bool
        Whether all cells play the same deals and dice, so that their differences are less noisy than they are.
    resume : str or Path, optional
        Folder for the counts of what is finished: the same call goes on from there after it was stopped, whatever
        stopped it, with the same result; more games only play what is missing. None keeps nothing.
    exact : bool
        Whether the table shows the exact values beside the estimates, as ``NAME_exact`` (Macke and relatives, one seat
        or two).

    Returns
    -------
    pandas.DataFrame
        Settings first (`method`, its parameters, swept rules), then `n_games`, then every estimate with ``_low`` and
        ``_high`` (95%). Rows are in the order of the grid, whatever finished first.

    Raises
    ------
    RequestError, PolicyError
        Before anything is played.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> table = pm.sweep("macke", "points", {"threshold": [200, 350]}, n_games=1000, seed=1)
    >>> table["threshold"].tolist()
    [200, 350]
    """
    cells = make_grid(
        game, policies, grid, rules=rules, players=players, seed=seed, scope=scope, seating=seating, common=common
    )
    return sweep_cells(cells, n_games, n_jobs, progress, resume, exact)


def sweep_cells(
    cells: Sequence[GridCell],
    n_games: Any,
    n_jobs: int | None = None,
    progress: bool | None = None,
    resume: Resume = None,
    exact: bool = False,
) -> pd.DataFrame:
    """Play prepared cells; see :func:`sweep`."""
    rows: list[list[dict[str, Any]]] = [[] for _ in cells]
    counts = [check_games(item.cell, n_games) for item in cells]
    for cell in _one_of_a_kind(cells):
        prepare_cell(cell)
        if exact:
            find_truth(cell)
    best = Best()
    with (
        open_store(resume, games=sum(counts), cells=len(cells)) as store,
        open_progress(sum(counts), f"{len(cells)} cells", progress, len(cells)) as bar,
    ):
        bar.describe(best.say)
        for index, tally in _finished_cells(cells, counts, n_jobs, bar, store):
            rows[index] = cell_rows(cells[index], tally, exact)
            best.see(cells[index], rows[index][0])
            bar.finish_cell()
    return pd.DataFrame([row for group in rows for row in group])


def _one_of_a_kind(cells: Sequence[GridCell]) -> list[Cell]:
    """Return a cell for each combination of rules and policies: parameters were checked as they were read."""
    kinds: dict[Any, Cell] = {}
    for item in cells:
        policies = tuple(decider.policy for entrant in item.cell.entrants for decider in entrant.deciders)
        kinds.setdefault((item.cell.game, item.cell.rules, item.cell.scope, policies), item.cell)
    return list(kinds.values())


def _finished_cells(
    cells: Sequence[GridCell], counts: Sequence[int], n_jobs: int | None, bar: Progress, store: Store | None
) -> Iterator[tuple[int, Tally]]:
    requests = ((index, item.cell, 0, counts[index]) for index, item in enumerate(cells))
    open_cells: dict[int, Tally] = {}
    for chunk in stream_chunks(requests, n_jobs, store=store):
        tally = open_cells.pop(chunk.index, None)
        tally = chunk.tally if tally is None else tally + chunk.tally
        bar.update(chunk.n_games, chunk.stored)
        if tally.n_games == counts[chunk.index]:
            yield chunk.index, tally
        else:
            open_cells[chunk.index] = tally


class Best:
    """The best cell so far, by the figure that policies are judged by."""

    def __init__(self) -> None:
        self._value = math.nan
        self._words = ""

    def see(self, item: GridCell, row: Mapping[str, Any]) -> None:
        """Take a finished cell's first row into account."""
        outcomes = {outcome.name: outcome for outcome in make_plan(item.cell).outcomes}
        judged = next((outcomes[name] for name in MAIN if name in outcomes), None)
        if judged is None or math.isnan(value := row[value_column(judged)] * (judged.better or 1)):
            return
        if not self._value >= value:
            settings = " ".join(f"{name}={value}" for name, value in item.settings if name != "method")
            self._value, self._words = value, f"best: {item.settings[0][1]} {settings} {say_figure(row)}"

    def say(self) -> str:
        """Return it in words."""
        return self._words


def cell_rows(item: GridCell, tally: Tally, exact: bool = False) -> list[dict[str, Any]]:
    """Return the table rows of one finished cell."""
    cell: Cell = item.cell
    plan = make_plan(cell)
    totals, seats = total_row(cell, plan, tally), entrant_rows(cell, plan, tally)
    if exact:
        whole, each = find_truth(cell)
        totals, seats = add_truth(totals, whole), [add_truth(row, own) for row, own in zip(seats, each, strict=True)]
    if not any(outcome.seat for outcome in plan.outcomes):
        return [dict(item.settings) | totals]
    return [
        dict(item.settings) | row | {name: value for name, value in totals.items() if name not in row} for row in seats
    ]
