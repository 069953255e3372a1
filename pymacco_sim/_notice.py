"""Tell whoever watches that kernels are being compiled: the first run of a game takes its time, and only that one."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from typing import Any

from numba.core import event

PATIENCE = 2.0
"""Seconds of compiling before it is said."""

NOTICE = "compiling {engine} for this computer: once, up to a minute; later runs start at once."


def is_watched() -> bool:
    """Whether standard error is a terminal, or a notebook shows it."""
    return sys.stderr.isatty() or is_notebook()


def is_notebook() -> bool:
    """Whether a notebook's kernel runs this process."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


class CompileNotice(event.Listener):
    """Says once for each engine that its kernels are being compiled, if that goes on for a while."""

    def __init__(self) -> None:
        self._depth = 0
        self._engine = ""
        self._timer: threading.Timer | None = None
        self._said: set[str] = set()

    def on_start(self, event: Any) -> None:
        """Begin to wait when an engine's kernel begins; helpers and a user's policy are left out."""
        self._depth += 1
        engine = find_engine(event.data["dispatcher"].py_func.__module__)
        if not engine:
            return
        self._engine = engine
        if engine in self._said or self._timer is not None:
            return
        self._timer = threading.Timer(PATIENCE, self._say)
        self._timer.daemon = True
        self._timer.start()

    def on_end(self, event: Any) -> None:
        """Note that a kernel is done."""
        self._depth -= 1

    def _say(self) -> None:
        self._timer = None
        if self._depth <= 0 or self._engine in self._said or not is_watched():
            return
        if multiprocessing.current_process().name != "MainProcess":
            return
        self._said.add(self._engine)
        from tqdm import tqdm

        tqdm.write(f"pymacco-sim: {NOTICE.format(engine=self._engine)}", file=sys.stderr)


def find_engine(module: str) -> str:
    """Return what the package that a kernel stands in calls its engine: its `ENGINE`, or nothing.

    Examples
    --------
    >>> find_engine("pymacco_sim.core.calls")
    ''
    """
    ours = module.startswith("pymacco_sim.")
    return str(getattr(sys.modules.get(module.rpartition(".")[0]), "ENGINE", "")) if ours else ""


def watch_compiler() -> None:
    """Begin to listen."""
    event.register("numba:compile", CompileNotice())
