"""Which game was it? Rows of single games, and the one that somebody asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pymacco_sim._check import RequestError, unknown, whole
from pymacco_sim.games.base import STATUS_NAMES, Cell, Outcome, column_names
from pymacco_sim.games.registry import make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.play import MAX_GAMES, block_size, check_games, make_plan, play_block, stream_chunks
from pymacco_sim.replays import Replay, replay_cell
from pymacco_sim.rows import rows_table

if TYPE_CHECKING:
    import pandas as pd

ROWS_BLOCKS = 16
"""Blocks of games that are looked through at a time."""


def find_game(
    game_name: str,
    policies: Any,
    *,
    where: str | None = None,
    most: str | None = None,
    least: str | None = None,
    n_games: Any = 10_000,
    seed: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
    players: int | None = None,
    scope: str | None = None,
    seating: str = "fixed",
    n_jobs: int | None = None,
) -> Replay:
    """Look through games for one, and tell its story.

    Parameters
    ----------
    game_name, policies, rules, seed, players, scope, seating, n_jobs
        As for :func:`pymacco_sim.simulate`.
    where : str, optional
        A condition on the columns that ``simulate(..., rows=...)`` writes, as for :meth:`pandas.DataFrame.query`:
        ``"win_0 == 1 and turns > 40"``.
    most, least : str, optional
        Column that is to be as large or as small as can be, among the games for which `where` holds. Without either,
        the first such game.
    n_games : int
        How many games to look through, from number 0.

    Returns
    -------
    Replay
        Its ``game`` is the number.

    Raises
    ------
    RequestError
        If the condition cannot be read, a column is unknown, or no game is like that.

    Examples
    --------
    The longest of a thousand games, and the first that the player in seat 1 won:

    >>> import pymacco_sim as pm
    >>> story = pm.find_game("macke", ["points:200", "points:350"], most="turns", n_games=1000, seed=1)
    >>> story.text.splitlines()[0] == f"macke, game {story.game} of seed 1"
    True
    >>> story = pm.find_game("macke", ["points:200", "points:350"], where="win_1 == 1", n_games=1000, seed=1)
    """
    cell = make_cell(game_name, policies, rules, seed=seed, scope=scope, seating=seating, players=players)
    found = pick_row(line_up_rows(cell, 0, check_games(cell, n_games), n_jobs), where, most, least)
    return replay_cell(cell, int(found["game"]))


def line_up_rows(cell: Cell, first: int, n_games: int, n_jobs: int | None = None) -> Iterator[pd.DataFrame]:
    """Play games and yield their rows, as they are written to files, a few blocks at a time."""
    for chunk in stream_chunks([(0, cell, first, n_games)], n_jobs, keep_block=True):
        assert chunk.block is not None
        yield rows_table(cell, chunk.first, chunk.block).to_pandas()


def seated_rows(cells: Sequence[Cell], first: int, n_games: int, n_jobs: int | None = None) -> Iterator[pd.DataFrame]:
    """Play games of line-ups whose seats rotate, one after another; their rows say who sat where."""
    for index, cell in enumerate(cells):
        names = np.array([entrant.label for entrant in cell.entrants])
        for table in line_up_rows(cell, first, n_games, n_jobs):
            shift = table["shift"].to_numpy()
            for seat in reversed(range(names.size)):
                table.insert(0, f"policy_{seat}", names[(seat - shift) % names.size])
            table.insert(0, "line_up", index)
            yield table


def pair_rows(
    cells: tuple[Cell, Cell], outcomes: Iterable[Outcome], first: int, n_games: int
) -> Iterator[pd.DataFrame]:
    """Play games of two candidates (entrant 0 of each cell) and yield both in one row a game number."""
    kept = list(outcomes)
    size = min(map(block_size, cells)) * ROWS_BLOCKS
    for start in range(first, first + n_games, size):
        yield _pair_block(cells, kept, start, min(size, first + n_games - start))


def _pair_block(cells: tuple[Cell, Cell], outcomes: Iterable[Outcome], first: int, count: int) -> pd.DataFrame:
    import pandas as pd

    games = np.arange(first, first + count)
    seats = games % cells[0].unit
    columns: dict[str, Any] = {"game": games, "deal": games // cells[0].unit, "seat": seats}
    for label, cell in zip(("first", "second"), cells, strict=True):
        block = play_block(cell, first, count)
        columns[f"{label}_status"] = np.array(STATUS_NAMES)[block[0]]
        names = column_names(make_plan(cell).outcomes, cell.n_seats)
        for outcome in outcomes:
            row = names.index(f"{outcome.name}_0") + seats if outcome.seat else names.index(outcome.name)
            columns[f"{label}_{outcome.name}"] = block[row, np.arange(count)] / outcome.scale
    return pd.DataFrame(columns)


def pick_row(
    tables: Iterable[pd.DataFrame], where: str | None = None, most: str | None = None, least: str | None = None
) -> dict[str, Any]:
    """Return the row that is asked for; see :func:`find_game`.

    Raises
    ------
    RequestError
        If the condition cannot be read, a column is unknown, or there is no such row.
    """
    if most is not None and least is not None:
        raise RequestError("give either 'most' or 'least', and not both.")
    column, sign, best, n_seen = most or least, 1 if most else -1, None, 0
    for table in tables:
        n_seen += len(table)
        if column is not None and (column not in table or table[column].dtype.kind not in "iuf"):
            raise unknown("column", column, [name for name in table if table[name].dtype.kind in "iuf"])
        rows = table if where is None else _query(table, where)
        if not len(rows):
            continue
        if column is None:
            return dict(rows.iloc[0])
        found = rows.iloc[int(np.argmax(sign * rows[column].to_numpy()))]
        if best is None or sign * found[column] > sign * best[column]:
            best = found
    if best is None:
        raise RequestError(f"none of {n_seen:,} games is like that: {where}.")
    return dict(best)


def _query(table: pd.DataFrame, where: str) -> pd.DataFrame:
    try:
        return table.query(where, engine="python")
    except Exception as error:  # whatever the reader of conditions may raise
        names = ", ".join(map(str, table.columns))
        raise RequestError(f"the condition {where!r} cannot be read: {error}. Columns: {names}.") from error


def check_range(unit: int, n_games: Any, first_game: Any) -> tuple[int, int]:
    """Return first game and number of games, both whole rotations of the seats."""
    first = whole("first_game", first_game, 0, MAX_GAMES) // unit * unit
    return first, -(-whole("n_games", n_games, 1, MAX_GAMES) // unit) * unit
