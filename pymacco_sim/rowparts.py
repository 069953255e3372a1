"""Per-game rows that survive: finished ranges as files beside the final one, which is made of them at the end."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from pymacco_sim._check import RequestError, StorageError
from pymacco_sim.counts import add_trees, remove_quietly
from pymacco_sim.games.base import STATUS_NAMES, Cell
from pymacco_sim.identity import cell_key
from pymacco_sim.play import Chunk
from pymacco_sim.rows import rows_table

ROW_GROUP = 2**17
"""Games of a row group of the final file, whatever the parts were: the same games give the same bytes."""
KEY, TALLY, RANGES = b"pymacco_sim_cell", b"pymacco_sim_tally", b"pymacco_sim_ranges"


class RowParts:
    """Rows of one cell, a file a finished range, each whole or not at all, with the range's tally in it.

    Parameters
    ----------
    path : str
        Parquet file to make at the end; the parts are in ``PATH.parts`` until then.
    cell : Cell
    keep : bool
        Whether a run that is stopped leaves its parts for the next one, and finds them.
    fresh : bool
        Forget what is there.

    Raises
    ------
    RequestError
        If the file exists and is not this cell's, if another process writes it, or its folder cannot be written.
    """

    def __init__(self, path: str, cell: Cell, keep: bool = False, fresh: bool = False) -> None:
        self.path, self.cell, self.keep = Path(path), cell, keep
        self.folder = self.path.with_name(self.path.name + ".parts")
        self._key = cell_key(cell).encode()
        self._asked: list[tuple[int, int]] = []
        self._tallies: dict[tuple[int, int], Any] = {}
        self._files: dict[tuple[int, int], Path] = {}
        self._complete = self._read_final() if keep and self.path.exists() and not fresh else None
        if self.path.exists() and self._complete is None:
            raise RequestError(f"{path} exists already; name another file for the rows.")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self.folder / "lock")
            self._lock.acquire(timeout=0)
        except Timeout:
            raise RequestError(f"{path} is being written by another process; wait for it, or stop it.") from None
        except OSError as error:
            raise RequestError(f"rows cannot be written to {path}: {error.strerror}.") from error
        for file in self.folder.glob("*.parquet"):
            if fresh or not keep or not self._load(file):
                remove_quietly(file)

    def _read_final(self) -> dict[tuple[int, int], Any] | None:
        try:
            meta = pq.read_schema(self.path).metadata or {}
            if meta.get(KEY) != self._key:
                return None
            return {(first, count): plain for first, count, plain in json.loads(meta[RANGES])}
        except (OSError, pa.ArrowException, KeyError, ValueError):
            return None

    def _load(self, file: Path) -> bool:
        """Take note of a part; one that is damaged or of another cell is of no use."""
        try:
            with pq.ParquetFile(file) as part:
                meta = part.schema_arrow.metadata or {}
                first, count = (int(word) for word in file.stem.split("-"))
                if meta.get(KEY) != self._key or part.metadata.num_rows != count:
                    return False
                self._tallies[first, count] = json.loads(meta[TALLY])
        except (OSError, pa.ArrowException, KeyError, ValueError):
            return False
        self._files[first, count] = file
        return True

    def find(self, first: int, n_games: int) -> list[tuple[int, int, Any]]:
        """Return what is there of a range, in order and without overlap: (first, games, plain tally)."""
        self._asked.append((first, n_games))
        if self._complete is not None:
            if (first, n_games) not in self._complete:
                raise RequestError(f"{self.path} exists already; name another file for the rows.")
            return [(first, n_games, self._complete[first, n_games])]
        return self._cover(first, n_games)

    def _cover(self, first: int, n_games: int) -> list[tuple[int, int, Any]]:
        found, at = [], first
        for start, count in sorted(self._files, key=lambda part: (part[0], -part[1])):
            if start >= at and start + count <= first + n_games:
                found.append((start, count, self._tallies[start, count]))
                at = start + count
        return found

    def write(self, chunk: Chunk) -> None:
        """Keep one chunk's rows.

        Raises
        ------
        StorageError
            If the disk is full, or gone.
        """
        assert chunk.block is not None
        table = rows_table(self.cell, chunk.first, chunk.block)
        place = table.schema.get_field_index("status")
        table = table.set_column(place, "status", pa.array(chunk.block[0], pa.int8()))
        tally = json.dumps(chunk.tally.to_plain())
        file = self.folder / f"{chunk.first}-{chunk.n_games}.parquet"
        part = file.with_suffix(".part")
        try:
            pq.write_table(table.replace_schema_metadata({KEY: self._key, TALLY: tally}), part, compression="zstd")
            os.replace(part, file)
        except OSError as error:
            remove_quietly(part)
            raise StorageError(f"rows cannot be written to {self.path}: {error.strerror or error}.") from error
        self._files[chunk.first, chunk.n_games] = file
        self._tallies[chunk.first, chunk.n_games] = chunk.tally.to_plain()

    def finish(self) -> None:
        """Make the final file of the parts; the ranges that were asked for and their tallies stand in it."""
        if self._complete is not None:
            return
        ranges = [(*part, self._sum(*part)) for part in self._asked]
        meta = {KEY: self._key, RANGES: json.dumps(ranges)}
        target = self.folder / "all.part"
        writer = None
        for table in self._row_groups():
            if writer is None:
                writer = pq.ParquetWriter(target, table.schema.with_metadata(meta), compression="zstd")
            writer.write_table(table.replace_schema_metadata(meta), row_group_size=ROW_GROUP)
        if writer is not None:
            writer.close()
            os.replace(target, self.path)

    def _row_groups(self) -> Iterator[pa.Table]:
        waiting: list[pa.Table] = []
        for first, n_games in self._asked:
            for start, count, _ in self._cover(first, n_games):
                waiting.append(pq.read_table(self._files[start, count]).replace_schema_metadata(None))
                while sum(table.num_rows for table in waiting) >= ROW_GROUP:
                    whole = pa.concat_tables(waiting)
                    yield _name_status(whole.slice(0, ROW_GROUP))
                    waiting = [whole.slice(ROW_GROUP)]
        rest = pa.concat_tables(waiting)
        if rest.num_rows:
            yield _name_status(rest)

    def __enter__(self) -> RowParts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if kind is None:
                self.finish()
        except OSError as failure:
            raise StorageError(f"rows cannot be written to {self.path}: {failure.strerror or failure}.") from failure
        finally:
            self._lock.release()
            if (kind is None and self.path.exists()) or not self.keep:
                shutil.rmtree(self.folder, ignore_errors=True)

    def _sum(self, first: int, count: int) -> Any:
        total: Any = None
        for _, _, plain in self._cover(first, count):
            total = plain if total is None else add_trees(total, plain)
        return total


def _name_status(table: pa.Table) -> pa.Table:
    """Give the games' status its names, in the same order everywhere."""
    table = table.combine_chunks()
    place = table.schema.get_field_index("status")
    codes = table.column(place).combine_chunks()
    return table.set_column(place, "status", pa.DictionaryArray.from_arrays(codes, pa.array(STATUS_NAMES)))
