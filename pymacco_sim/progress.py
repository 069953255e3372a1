"""A progress bar that is silent when nobody watches."""

from __future__ import annotations

import sys
from typing import Any


def is_watched() -> bool:
    """Whether standard error is a terminal, or a notebook shows it."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def open_progress(n_games: int, words: str, wanted: bool | None = None) -> Any:
    """Return a tqdm bar over games; shown after half a second, unless `wanted` says otherwise.

    Parameters
    ----------
    n_games : int
        Games in all.
    words : str
        What stands in front of the bar.
    wanted : bool, optional
        None: only when somebody watches.
    """
    from tqdm.auto import tqdm

    shown = is_watched() if wanted is None else wanted
    return tqdm(
        total=n_games,
        desc=words,
        unit=" games",
        unit_scale=True,
        disable=not shown,
        delay=0.5,
        leave=False,
        dynamic_ncols=True,
        smoothing=0.1,
    )
