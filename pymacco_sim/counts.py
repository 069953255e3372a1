"""Files of integer counts: one checked line a range of games, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymacco_sim._check import RequestError, StorageError

FORMAT = "pymacco-sim counts 1"
SUFFIX = ".counts"


@dataclass
class Record:
    """What numbers `first` to ``first + count - 1`` of the thing named by `key` came to.

    Parameters
    ----------
    key : str
    first, count : int
    text : str
        A tree of integers as JSON: lists and dictionaries down to integers, added leaf by leaf (:func:`add_trees`).
        It stays a text until it is needed, which takes a tenth of the memory.
    """

    key: str
    first: int
    count: int
    text: str

    @classmethod
    def of(cls, key: str, first: int, count: int, value: Any) -> Record:
        """Return the record of a tree."""
        return cls(key, first, count, json.dumps(value, separators=(",", ":")))

    @property
    def value(self) -> Any:
        """The tree of integers."""
        return json.loads(self.text)

    @property
    def end(self) -> int:
        """The first number behind it."""
        return self.first + self.count


def add_trees(one: Any, two: Any) -> Any:
    """Add two trees of integers leaf by leaf; the longer list keeps its tail.

    Examples
    --------
    >>> add_trees({"a": [1, 2], "b": 3}, {"a": [1, 1, 5], "b": 4})
    {'a': [2, 3, 5], 'b': 7}
    """
    if isinstance(one, dict):
        return {name: add_trees(value, two[name]) for name, value in one.items()}
    if isinstance(one, list):
        long, short = (one, two) if len(one) >= len(two) else (two, one)
        return [add_trees(a, b) for a, b in zip(long, short, strict=False)] + long[len(short) :]
    return one + two


def join_neighbours(records: Iterable[Record], edges: Mapping[str, Container[int]] | None = None) -> list[Record]:
    """Return the records in order, those of one key that follow one another made one.

    Parameters
    ----------
    records : iterable of Record
    edges : mapping, optional
        Key to the numbers at which records stay apart, because they may be asked for up to there only.

    Examples
    --------
    >>> join_neighbours([Record("k", 5, 5, "[1]"), Record("k", 0, 5, "[2]"), Record("k", 20, 5, "[4]")])
    [Record(key='k', first=0, count=10, text='[3]'), Record(key='k', first=20, count=5, text='[4]')]
    """
    joined: list[Record] = []
    for record in sorted(records, key=lambda r: (r.key, r.first, -r.count)):
        last = joined[-1] if joined else None
        if last is not None and last.key == record.key and record.first < last.end:
            if record.end <= last.end:
                continue  # written twice by a run that was killed between two files
        elif (
            last is not None
            and last.key == record.key
            and last.end == record.first
            and (edges is None or record.first not in edges.get(record.key, ()))
        ):
            value = add_trees(last.value, record.value)
            joined[-1] = Record.of(last.key, last.first, last.count + record.count, value)
            continue
        joined.append(record)
    return joined


def cover(records: Sequence[Record], first: int, count: int) -> tuple[list[Record], list[tuple[int, int]]]:
    """Return records of one key that cover as much of a range as can be without overlap, and the gaps (first, count).

    Examples
    --------
    >>> found, gaps = cover([Record("k", 0, 10, "1"), Record("k", 20, 10, "1")], 0, 40)
    >>> len(found), gaps
    (2, [(10, 10), (30, 10)])
    """
    at, end = first, first + count
    found: list[Record] = []
    gaps: list[tuple[int, int]] = []
    for record in sorted(records, key=lambda r: (r.first, -r.count)):
        if record.first < at or record.end > end:
            continue
        if record.first > at:
            gaps.append((at, record.first - at))
        found.append(record)
        at = record.end
    if at < end:
        gaps.append((at, end - at))
    return found, gaps


def cover_all(records: Sequence[Record]) -> list[Record]:
    """Return records of one key without those that overlap others."""
    first = min(record.first for record in records)
    return cover(records, first, max(record.end for record in records) - first)[0]


def _line(text: str) -> str:
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}\n"


def write_counts(path: Path, records: Sequence[Record]) -> None:
    """Write records to a file that appears under its name only when it is complete and on the disk.

    Raises
    ------
    StorageError
        If it cannot be written; nothing is left behind then.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(_line(json.dumps({"format": FORMAT, "records": len(records)})))
            for r in records:
                file.write(_line(f"{r.key} {r.first} {r.count} {r.text}"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        sync_folder(path.parent)
    except OSError as error:
        remove_quietly(part)
        raise StorageError(f"{path} cannot be written: {error.strerror or error}.") from error


def sync_folder(folder: Path) -> None:
    """Make sure that names written in a folder survive a power cut, where the system can do that."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_quietly(path: Path) -> None:
    """Remove a file that may not be there, or not be removable."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return


def read_counts(path: Path) -> tuple[list[Record], int]:
    """Return the sound records of a file, and how many are damaged or missing.

    Raises
    ------
    RequestError
        If the file cannot be read, or is of a later format.
    """
    records: list[Record] = []
    n_lines = 0
    n_records = None
    try:
        with path.open("rb") as file:
            for line in file:
                n_lines += 1
                text = _check_line(line)
                if text is not None and text.startswith("{"):
                    n_records = _read_head(path, json.loads(text))
                elif text is not None:
                    key, first, count, tree = text.split(" ", 3)
                    records.append(Record(key, int(first), int(count), tree))
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror or error}.") from error
    if n_records is None:
        return records, max(n_lines - len(records), 1)
    return records, max(n_records - len(records), n_lines - 1 - len(records), 0)


def _read_head(path: Path, head: dict[str, Any]) -> int:
    if head.get("format") != FORMAT:
        raise RequestError(f"{path} is in the format {head.get('format')!r}; this version reads {FORMAT!r}.")
    return int(head["records"])


def _check_line(line: bytes) -> str | None:
    mark, _, text = line.rstrip(b"\n").partition(b" ")
    sound = line.endswith(b"\n") and hashlib.sha256(text).hexdigest()[:16].encode() == mark
    return text.decode() if sound else None
