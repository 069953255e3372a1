"""Solutions on disk: what was solved once is read the next time, in whatever process.

Not :class:`joblib.Memory`: that tells of a damaged entry with a traceback.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
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
    path = cache_folder() / f"{key}.npz"
    with (
        suppress(OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error),
        np.load(path) as stored,
    ):
        return {name: stored[name] for name in stored.files}
    solved = solve()
    with suppress(OSError):
        _write(path, solved)
    return solved


def _write(path: Path, arrays: Arrays) -> None:
    """Write a file that is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        try:
            np.savez_compressed(part, allow_pickle=False, **arrays)
        except OSError:
            os.unlink(part.name)
            raise
    os.replace(part.name, path)
