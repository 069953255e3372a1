"""A store of finished ranges, so that a run goes on where it was cut off, however it was cut off."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from pymacco_sim._check import RequestError, Stopped, StorageError
from pymacco_sim.counts import (
    SUFFIX,
    Record,
    cover,
    cover_all,
    join_neighbours,
    read_counts,
    remove_quietly,
    write_counts,
)

SECONDS = 1.0
"""Finished ranges are written about this often: so much work is lost at most."""
PATIENCE = 50
"""Writing waits at least so many times as long as the last writing took, so that a slow disk costs 2% at most."""
FILES = 32
"""So many files of one size are joined into one of the next."""
LOCK, OWNER, ABOUT = "lock", "owner.json", "about.json"


def say_on_stderr(text: str) -> None:
    """Print one line for people."""
    print(f"pymacco-sim: {text}", file=sys.stderr, flush=True)


class CountStore:
    """Keeps what finished ranges came to, in a folder; one process at a time.

    Parameters
    ----------
    folder : Path
        Made when there is something to write (or at once, if `eager`).
    more : sequence of Path
        Further files of counts to read: those of a finished result that is extended.
    fresh : bool
        Forget what is there.
    eager : bool
        Lock the folder on entering; else when the first second of work is written.
    about : mapping, optional
        What the run is, for those who find its folder: ``command``, ``cells``, ``games``.
    say : callable, optional
        Where messages go; standard error if None.

    Notes
    -----
    A file holds about a second's work and is never changed; 32 of them are joined into a larger one, so that a run of
    any length has few files. A record that fails its checksum is played again, and its file named.

    Raises
    ------
    RequestError
        On entering, if another process writes there.
    StorageError
        If something cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        more: Iterable[Path] = (),
        *,
        fresh: bool = False,
        eager: bool = True,
        about: Mapping[str, Any] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.say = say or say_on_stderr
        self.n_found = self.n_added = 0
        """Numbers found in the store, and added to it."""
        self._more = [] if fresh else [Path(path) for path in more]
        self.fresh, self._eager, self._about = fresh, eager, dict(about or {})
        self._known: dict[str, list[Record]] = {}
        self._edges: dict[str, set[int]] = {}
        self._pending: list[Record] = []
        self._lock: Any = None
        self._next = 0
        self._due = 0.0
        self._broken = self._told = self._off = False

    # --- opening and closing ---

    def __enter__(self) -> CountStore:
        if self._eager:
            self._take_lock()
        elif self.folder.exists():
            self._try_lock()
        if self.fresh and not self._off:
            for path in self._files():
                remove_quietly(path)
        for path in [*self._more, *([] if self._off else self._files())]:
            self._load(path)
        self._due = time.monotonic() + SECONDS
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if not self._broken and (self._lock is not None or kind is not None):
                self.flush()
        finally:
            self._release()
        if kind is not None and issubclass(kind, KeyboardInterrupt) and not isinstance(error, Stopped):
            raise Stopped(f"stopped; {self.saved()}.") from None

    def about(self, **facts: Any) -> None:
        """Note what the run is, for messages and for those who find its folder."""
        self._about |= facts
        if self._lock is not None:
            self._write_plain(ABOUT, self._about)

    def saved(self) -> str:
        """Return in words what is safe, and where."""
        unit = self._about.get("unit", "games")
        wanted = f" of {self._about['games']:,}" if "games" in self._about else ""
        count = self.n_found + self.n_added
        return f"{count:,}{wanted} {unit} are saved in {self.folder}" if count else "nothing was finished yet"

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else []

    def _take_lock(self) -> None:
        from filelock import FileLock, Timeout

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / LOCK)
            lock.acquire(timeout=0)
        except Timeout:
            raise RequestError(f"{self.folder} is being written by {self._owner()}; wait for it, or stop it.") from None
        except OSError as error:
            raise StorageError(f"{self.folder} cannot be written: {error.strerror or error}.") from error
        self._lock = lock
        for path in self.folder.glob(".*.part"):
            remove_quietly(path)
        self._next = 1 + max((int(path.stem.split("-")[1]) for path in self._files()), default=-1)
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        self._write_plain(OWNER, owner)
        if self._about:
            self._write_plain(ABOUT, self._about)

    def _try_lock(self) -> None:
        """Take the lock, or go on without saving: nobody named this run's result, so nobody waits for it."""
        try:
            self._take_lock()
        except RequestError as error:
            self._off = True
            self.say(f"{error} This run goes on without saving.")

    def _owner(self) -> str:
        try:
            owner = json.loads((self.folder / OWNER).read_text(encoding="utf-8"))
            return f"process {owner['pid']} on {owner['host']} (since {owner['since']})"
        except (OSError, ValueError, KeyError):
            return "another process"

    def _write_plain(self, name: str, value: Mapping[str, Any]) -> None:
        part = self.folder / f".{name}.part"
        try:
            part.write_text(json.dumps(value), encoding="utf-8")
            os.replace(part, self.folder / name)
        except OSError as error:
            remove_quietly(part)
            self._broken = True
            self._release()
            raise StorageError(f"{self.folder} cannot be written: {error.strerror or error}.") from error

    def _release(self) -> None:
        if self._lock is not None:
            remove_quietly(self.folder / OWNER)
            self._lock.release()
            self._lock = None

    def _load(self, path: Path) -> None:
        records, n_damaged = read_counts(path)
        for record in records:
            self._known.setdefault(record.key, []).append(record)
        if n_damaged:
            self.say(f"{path} is damaged: {n_damaged} of its {len(records) + n_damaged} records are played again.")
            if path.parent == self.folder:
                self._write(0, records)
                os.replace(path, path.with_name(path.name + ".damaged"))

    # --- finding and adding ---

    def find(self, key: str, first: int, count: int) -> tuple[list[tuple[int, int, Any]], list[tuple[int, int]]]:
        """Return what is there of a range. What is added within it is never joined with what is outside.

        Returns
        -------
        found : list of (first, count, value)
        gaps : list of (first, count)
            What remains to be played.
        """
        self._edges.setdefault(key, set()).update((first, first + count))
        records, gaps = cover(self._known.get(key, ()), first, count)
        self.n_found += sum(record.count for record in records)
        return [(record.first, record.count, record.value) for record in records], gaps

    def tell_found(self, n_cells: int, n_done: int) -> None:
        """Say once, in one line, what a run goes on from, and whether other runs' counts lie beside it."""
        if self._told:
            return
        self._told = True
        unit = self._about.get("unit", "games")
        n_there = self.n_found
        if unit != "games":  # stages are asked for one by one
            n_there = max(n_there, sum(r.count for key in self._edges for r in self._known.get(key, ())))
        if n_there:
            cells = f"{n_done:,} of {n_cells:,} cells, " if n_cells > 1 else ""
            self.say(f"resuming: {cells}{n_there:,} {unit} are there.")
        others = len(set(self._known) - set(self._edges))
        if others:
            words = "other rules, policies or their code, seed or version"
            self.say(f"{self.folder} also holds counts of {others:,} cells of {words}; they are not mixed in.")

    def add(self, key: str, first: int, count: int, value: Any) -> None:
        """Keep what a range came to; written within about a second.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        if self._off:
            return
        self._edges.setdefault(key, set())
        self._pending.append(Record.of(key, first, count, value))
        self.n_added += count
        if time.monotonic() >= self._due:
            self.flush()

    def note(self, count: int, found: bool = False) -> None:
        """Count numbers as saved (or found) that are kept elsewhere, beside per-game rows."""
        if found:
            self.n_found += count
        else:
            self.n_added += count

    def flush(self) -> None:
        """Write what was added."""
        if not self._pending:
            return
        started = time.monotonic()
        if self._lock is None:
            self._try_lock()
        if self._off:
            return
        joined = join_neighbours(self._pending, self._edges)
        try:
            self._write(0, joined)
        except StorageError as error:
            self._broken = True
            self.n_added -= sum(record.count for record in self._pending)
            raise StorageError(f"{error} {self.saved().capitalize()}; make room and run it again to go on.") from error
        self._pending.clear()
        self._join_files(0)
        spent = time.monotonic() - started
        self._due = started + spent + max(SECONDS, PATIENCE * spent)

    def _write(self, level: int, records: list[Record]) -> None:
        write_counts(self.folder / f"{level}-{self._next:08d}{SUFFIX}", records)
        self._next += 1

    def _join_files(self, level: int) -> None:
        files = sorted(self.folder.glob(f"{level}-*{SUFFIX}"))
        if len(files) < FILES:
            return
        records = [record for path in files for record in read_counts(path)[0]]
        self._write(level + 1, join_neighbours(records, self._edges))
        for path in files:
            remove_quietly(path)
        self._join_files(level + 1)

    # --- for results ---

    def collect(self) -> list[Record]:
        """Return all records of the keys that were asked for or added, joined, in order, and every number once."""
        self.flush()
        kept = [record for records in self._known.values() for record in records]
        kept += [record for path in self._files() for record in read_counts(path)[0]]
        joined = join_neighbours((record for record in kept if record.key in self._edges), self._edges)
        return [r for _, group in itertools.groupby(joined, lambda r: r.key) for r in cover_all(list(group))]

    def remove(self) -> None:
        """Remove the folder: its counts are part of a result now."""
        self._release()
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):
            self.folder.parent.rmdir()  # only if nobody else's is in it


Resume = str | Path | CountStore | None
"""Where a run keeps its counts: a folder, an open store, or nowhere."""


@contextmanager
def open_store(resume: Resume, *, games: int, cells: int = 1, unit: str = "games") -> Iterator[CountStore | None]:
    """Open the store of a run; one that is open already stays so.

    Parameters
    ----------
    resume : str, Path, CountStore or None
    games : int
        Games (or deals, by `unit`) of the whole run.
    cells : int
    unit : str
    """
    if isinstance(resume, CountStore):
        resume.about(games=games, cells=cells, unit=unit)
        yield resume
    elif resume is None:
        yield None
    else:
        with CountStore(Path(resume), about={"games": games, "cells": cells, "unit": unit}) as store:
            yield store
