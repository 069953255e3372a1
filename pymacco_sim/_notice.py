"""Tell whoever watches that kernels are being compiled: the first run of a game takes its time, and only that one."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from typing import Any

from numba.core import event

PATIENCE = 2.0
"""Seconds of compiling before it is said."""

NOTICE = "compiling for this computer: once, up to a minute; later runs start at once."


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
    """Says once a process that kernels of the package are being compiled, if that goes on for a while."""

    def __init__(self) -> None:
        self._depth = 0
        self._timer: threading.Timer | None = None
        self._said = False

    def on_start(self, event: Any) -> None:
        """Begin to wait when the outermost kernel begins; a user's policy is compiled anew each time and left out."""
        self._depth += 1
        name = event.data["dispatcher"].py_func.__module__
        if self._said or self._timer is not None or not name.startswith("pymacco_sim.") or name.endswith(".calls"):
            return
        self._timer = threading.Timer(PATIENCE, self._say)
        self._timer.daemon = True
        self._timer.start()

    def on_end(self, event: Any) -> None:
        """Note that a kernel is done."""
        self._depth -= 1

    def _say(self) -> None:
        self._timer = None
        if self._depth > 0 and is_watched() and multiprocessing.current_process().name == "MainProcess":
            self._said = True
            from tqdm import tqdm

            tqdm.write(f"pymacco-sim: {NOTICE}", file=sys.stderr)


def watch_compiler() -> None:
    """Begin to listen."""
    event.register("numba:compile", CompileNotice())
