"""Per-game rows, streamed to Parquet one row group a chunk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pymacco_sim._check import RequestError, StorageError
from pymacco_sim.games.base import STATUS_NAMES, Cell, column_names
from pymacco_sim.play import make_plan

if TYPE_CHECKING:
    import pandas as pd


def rows_table(cell: Cell, first: int, block: np.ndarray) -> pa.Table:
    """Return an outcome block as a table: `game`, `status`, one column an outcome (and seat, in real units).

    Parameters
    ----------
    cell : Cell
    first : int
        Number of the block's first game; the numbers are those that replay understands.
    block : int32[n_rows, n_games]

    Notes
    -----
    With rotating seats, ``NAME_0`` is the place at the table; ``deal`` names the shared deal and ``shift`` the
    rotation: entrant `j` sat at seat ``(j + shift) % n_seats``.
    """
    outcomes = make_plan(cell).outcomes[:-1]  # the last one repeats the status
    names = column_names(outcomes, cell.n_seats)
    scales = [1] + [o.scale for o in outcomes for _ in range(cell.n_seats if o.seat else 1)]
    game = np.arange(first, first + block.shape[1], dtype=np.int64)
    columns: dict[str, pa.Array] = {"game": pa.array(game)}
    if cell.rotate:
        columns |= {"deal": pa.array(game // cell.n_seats), "shift": pa.array(game % cell.n_seats)}
    columns["status"] = pa.DictionaryArray.from_arrays(pa.array(block[0], pa.int8()), pa.array(STATUS_NAMES))
    for name, scale, values in zip(names[1:], scales[1:], block[1:-1], strict=True):
        columns[name] = pa.array(values if scale == 1 else values / scale)
    return pa.table(columns)


class RowsWriter:
    """Write tables to one Parquet file; the file appears under its name only when complete.

    Parameters
    ----------
    path : str
        Must not exist yet.

    Raises
    ------
    RequestError
        If the file exists or its folder cannot be written.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self._writer: pq.ParquetWriter | None = None
        self._part = self.path.with_name(self.path.name + ".part")
        if self.path.exists():
            raise RequestError(f"{path} exists already; name another file for the rows.")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._part.touch()
        except OSError as error:
            raise RequestError(f"rows cannot be written to {path}: {error.strerror}.") from error

    def write_tables(self, tables: Iterable[pd.DataFrame]) -> None:
        """Append tables with the same columns, a row group each.

        Raises
        ------
        StorageError
            If the disk is full, or gone.
        """
        for table in tables:
            self._write(pa.Table.from_pandas(table, preserve_index=False))

    def _write(self, table: pa.Table) -> None:
        try:
            if self._writer is None:
                self._writer = pq.ParquetWriter(self._part, table.schema, compression="zstd")
            self._writer.write_table(table)
        except OSError as error:
            raise StorageError(f"rows cannot be written to {self.path}: {error.strerror or error}.") from error

    def __enter__(self) -> RowsWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if self._writer is not None:
                self._writer.close()
            if kind is None:
                os.replace(self._part, self.path)
        except OSError as failure:
            raise StorageError(f"rows cannot be written to {self.path}: {failure.strerror or failure}.") from failure
        finally:
            self._part.unlink(missing_ok=True)
