"""What every command that plays has in common: workers, resuming, the result's folder."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymacco_sim._check import InterruptedRun, Stopped
from pymacco_sim.cli.output import open_console
from pymacco_sim.cli.parse import result_folder

CHUNKS = ".chunks"
"""Folder beside the results for the counts of runs that are not finished."""


@dataclass(frozen=True)
class Setting:
    """How a command is to play and where it keeps what came of it.

    Parameters
    ----------
    jobs : int, optional
    out : str, optional
        The result's folder.
    overwrite : bool
    fresh : bool
        Whether to forget what an interrupted run finished.
    backend, scheduler : str, optional
        As for :func:`pymacco_sim.clusters.use_backend`.
    """

    jobs: int | None = None
    out: str | None = None
    overwrite: bool = False
    fresh: bool = False
    backend: str | None = None
    scheduler: str | None = None


@dataclass
class Session:
    """A command while it plays: `store` for its counts, `folder` for its result, if it is to have one."""

    store: Any
    folder: Path | None
    manifest: Mapping[str, Any]
    overwrite: bool

    def write(
        self,
        tables: Mapping[str, Any],
        draw: Callable[[Path], None] | None = None,
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the result with its counts, if it has a folder, and say so."""
        if self.folder is None:
            return
        from pymacco_sim.simulation import describe_machine
        from pymacco_sim.store import check_folder, write_result

        full = {**self.manifest, **(manifest or {})}
        check_folder(self.folder, full, self.overwrite)
        use_files_only()
        write_result(self.folder, tables, {**full, "made_with": describe_machine()}, draw, counts=self.store.collect())
        self.store.remove()
        open_console().print(f"Written to {self.folder}/")


@contextmanager
def open_session(setting: Setting, name: str | None, manifest: Mapping[str, Any]) -> Iterator[Session]:
    """Check the result's folder, take its lock, start the workers.

    Parameters
    ----------
    setting : Setting
    name : str or None
        Of a result that is written even if no folder was named; None for one that is only shown then.
    manifest : mapping
        What is to be played, as far as it is known beforehand.
    """
    from pymacco_sim.clusters import use_backend
    from pymacco_sim.durable import CountStore
    from pymacco_sim.identity import hash_plain
    from pymacco_sim.store import COUNTS, VOLATILE, check_folder

    named = setting.out is not None or name is not None
    folder = result_folder(setting.out, name or "") if named else None
    if folder is not None:
        check_folder(folder, manifest, setting.overwrite)
    known = {key: value for key, value in manifest.items() if key not in VOLATILE}
    place = folder or Path("results") / f"{manifest['kind']}-{hash_plain(known)[:12]}"
    store = CountStore(
        place.parent / CHUNKS / place.name,
        [folder / COUNTS] if folder is not None and (folder / COUNTS).is_file() else [],
        fresh=setting.fresh,
        eager=named,
        about={"command": command_line()},
    )
    try:
        with _stop_on_terminate(), use_backend(setting.backend, setting.jobs, setting.scheduler), store:
            yield Session(store, folder, manifest, setting.overwrite)
    except Stopped as error:
        raise InterruptedRun(f"{error} To go on: {command_line()}") from error


def command_line() -> str:
    """Return the command that goes on with what this process does."""
    words = [word for word in sys.argv[1:] if word != "--fresh"]
    return f"pymacco-sim {shlex.join(words)}"


@contextmanager
def _stop_on_terminate() -> Iterator[None]:
    """Take a polite end (SIGTERM, as from a cluster's scheduler) like Ctrl-C: save, say so, go."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def use_files_only() -> None:
    """Let Matplotlib draw without a display."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "pymacco-sim"  # the same picture, the same bytes
