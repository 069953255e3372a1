"""Solutions on disk: what was solved once is read the next time, in whatever process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from joblib import Memory
from platformdirs import user_cache_dir

Arrays = dict[str, np.ndarray]

VARIABLE = "PYMACCO_SIM_CACHE"
"""Environment variable that names another folder."""


def cache_folder() -> Path:
    """Return the folder of the solutions: the user's cache folder, unless the environment names another."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path(user_cache_dir("pymacco-sim", appauthor=False))


def recall(key: str, solve: Callable[[], Arrays]) -> Arrays:
    """Return what `solve` returns, from the disk if it is there under `key`; a damaged file is solved again.

    Where the folder cannot be written, everything works but nothing is kept.
    """
    try:
        return dict(Memory(cache_folder(), verbose=0, compress=1).cache(_solve, ignore=["solve"])(key, solve))
    except OSError:
        return solve()


def _solve(key: str, solve: Callable[[], Arrays]) -> Arrays:
    return solve()
