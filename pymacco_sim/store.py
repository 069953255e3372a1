"""Results on disk: a folder with tables, a manifest and pictures; complete or not there at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pymacco_sim._check import RequestError

MANIFEST = "manifest.json"
VOLATILE = ("made_with",)
"""Keys of a manifest that do not change what was played."""


def check_folder(folder: Path, manifest: Mapping[str, Any], overwrite: bool = False) -> None:
    """Check, before anything is played, that a result can go into `folder`.

    Raises
    ------
    RequestError
        If the folder cannot be made or written, or holds another run's result or other files.
    """
    if folder.exists() and not overwrite:
        if not (folder / MANIFEST).is_file():
            if not folder.is_dir() or any(folder.iterdir()):
                raise RequestError(f"{folder} exists and holds no result; choose another name with --out.")
        elif _identity(read_manifest(folder)) != _identity(manifest):
            raise RequestError(f"{folder} holds another run's result; choose another name with --out, or --overwrite.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        probe = folder.parent / f".{folder.name}.{os.getpid()}.probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise RequestError(f"{folder.parent} cannot be written: {error.strerror}.") from error


def _identity(manifest: Mapping[str, Any]) -> str:
    return json.dumps({k: v for k, v in manifest.items() if k not in VOLATILE}, sort_keys=True, default=str)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a result.

    Raises
    ------
    RequestError
        If the folder holds none, or it is damaged.
    """
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except OSError:
        raise RequestError(f"{folder} holds no result (no {MANIFEST}).") from None
    except json.JSONDecodeError as error:
        raise RequestError(f"{folder / MANIFEST} is damaged: {error}.") from error
    return manifest


def read_table(folder: Path, name: str = "table") -> pd.DataFrame:
    """Return one table of a result."""
    path = folder / f"{name}.parquet"
    if not path.is_file():
        raise RequestError(f"{folder} holds no {name}.parquet.")
    return pd.read_parquet(path)


def write_result(
    folder: Path,
    tables: Mapping[str, pd.DataFrame],
    manifest: Mapping[str, Any],
    draw: Callable[[Path], None] | None = None,
) -> None:
    """Write a result beside its final place and move it there in one step.

    Parameters
    ----------
    folder : Path
        Checked by :func:`check_folder`; an older result in it is replaced.
    tables : mapping
        Name to table; each is written as Parquet and CSV.
    manifest : mapping
        Everything to repeat it, as JSON.
    draw : callable, optional
        Draws the pictures into the folder it is given.
    """
    part = folder.parent / f".{folder.name}.{os.getpid()}.part"
    try:
        part.mkdir(parents=True)
        for name, table in tables.items():
            table.to_parquet(part / f"{name}.parquet", index=False)
            table.to_csv(part / f"{name}.csv", index=False)
        text = json.dumps(manifest, indent=2, default=str, ensure_ascii=False)
        (part / MANIFEST).write_text(text + "\n", encoding="utf-8")
        if draw is not None:
            draw(part)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(part, folder)
    except OSError as error:
        raise RequestError(f"{folder} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
