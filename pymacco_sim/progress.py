"""How far a run is, for whoever watches: a bar on a terminal or in a notebook, a line now and then in a log."""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any

from pymacco_sim._notice import is_watched

LOG_SECONDS = 30.0
"""Between two lines where nobody watches live."""
NOTE_SECONDS = 1.0
"""Between two looks at the best so far."""


class Progress:
    """Tells games and cells done, the rate, the time left and the best so far.

    Parameters
    ----------
    n_games : int
        Games in all.
    words : str
        What stands in front.
    wanted : bool, optional
        False: say nothing. None or True: a bar when somebody watches, else one line every 30 seconds; with True the
        bar comes at once and the last line always.
    n_cells : int
        Cells in all.
    """

    def __init__(self, n_games: int, words: str, wanted: bool | None = None, n_cells: int = 1) -> None:
        self.n_games, self.words, self.n_cells = n_games, words, n_cells
        self.n_done = self.n_stored = self.cells_done = 0
        self._wanted = wanted
        self._bar: Any = _open_bar(n_games, words, wanted) if wanted is not False and is_watched() else None
        self._describe: Callable[[], str] | None = None
        self._started = time.monotonic()
        self._log_due = self._started + LOG_SECONDS
        self._note_due = self._started + NOTE_SECONDS

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._wanted and kind is None:
            self._log()

    def update(self, n_games: int, stored: bool = False) -> None:
        """Count games as done; those that came out of a store do not count for the rate."""
        self.n_done += n_games
        now = time.monotonic()
        if stored:
            self.n_stored += n_games
        if self._bar is not None:
            if stored:
                self._bar.initial += n_games
            self._bar.update(n_games)
            if now >= self._note_due:
                self._bar.set_postfix_str(self._note())
                self._note_due = now + NOTE_SECONDS
        elif self._wanted is not False and now >= self._log_due:
            self._log()
            self._log_due = now + LOG_SECONDS

    def finish_cell(self) -> None:
        """Count a cell as done."""
        self.cells_done += 1

    def describe(self, function: Callable[[], str]) -> None:
        """Have the best so far, in words, from `function`; it is asked about once a second."""
        self._describe = function

    def _note(self) -> str:
        cells = f"{self.cells_done:,}/{self.n_cells:,} cells" if self.n_cells > 1 else ""
        return ", ".join(text for text in (cells, self._describe() if self._describe else "") if text)

    def line(self) -> str:
        """Return everything in one line, as a log gets it."""
        seconds = max(time.monotonic() - self._started, 1e-9)
        rate = (self.n_done - self.n_stored) / seconds
        left = (self.n_games - self.n_done) / rate if rate > 0 else math.inf
        share = self.n_done / max(self.n_games, 1)
        facts = [f"{self.n_done:,} of {self.n_games:,} games ({share:.0%})", f"{rate:,.0f} a second"]
        facts += [f"{say_seconds(left)} left"] if self.n_done < self.n_games else []
        return ", ".join([f"{self.words}: {facts[0]}", *facts[1:], *([note] if (note := self._note()) else [])])

    def _log(self) -> None:
        print(f"pymacco-sim: {self.line()}", file=sys.stderr, flush=True)


def say_seconds(seconds: float) -> str:
    """Return a span of time in words.

    Examples
    --------
    >>> say_seconds(5), say_seconds(600), say_seconds(100_000)
    ('5 s', '10 min', '27.8 h')
    """
    if not math.isfinite(seconds):
        return "unknown time"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def open_progress(n_games: int, words: str, wanted: bool | None = None, n_cells: int = 1) -> Progress:
    """Return a :class:`Progress`, to be used in a ``with`` statement."""
    return Progress(n_games, words, wanted, n_cells)


def _open_bar(n_games: int, words: str, wanted: bool | None) -> Any:
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)  # a notebook without ipywidgets gets the bar of a terminal
        from tqdm.auto import tqdm

    return tqdm(
        total=n_games,
        desc=words,
        unit=" games",
        unit_scale=True,
        delay=0.0 if wanted else 0.5,
        leave=False,
        dynamic_ncols=True,
        smoothing=0.1,
    )
