"""Results on disk: a folder with tables, a manifest and pictures; complete or not there at all."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pymacco_sim._check import RequestError, StorageError
from pymacco_sim.counts import Record, read_counts, write_counts

MANIFEST = "manifest.json"
COUNTS = "games.counts"
SUMS = "SHA256SUMS"
DIGITS = 10
"""Significant digits of stored floats: processors differ in the last two or three of the sixteen that floats have."""

VOLATILE = ("made_with", "n_games", "most_games", "ranges", "question", "answer")
"""Keys of a manifest that do not change which games were played, only how many of them, on what, and what for."""


def check_folder(folder: Path, manifest: Mapping[str, Any], overwrite: bool = False) -> None:
    """Check, before anything is played, that a result can go into `folder`.

    Raises
    ------
    RequestError
        If the folder cannot be made or written, or holds another run's result, the same with more games, or other
        files.
    """
    if folder.exists() and not overwrite:
        if not (folder / MANIFEST).is_file():
            if not folder.is_dir() or any(folder.iterdir()):
                raise RequestError(f"{folder} exists and holds no result; choose another name with --out.")
        else:
            _check_same(folder, read_manifest(folder), manifest)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        probe = folder.parent / f".{folder.name}.{os.getpid()}.probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise RequestError(f"{folder.parent} cannot be written: {error.strerror}.") from error


def _check_same(folder: Path, there: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """Let a result be replaced only by the same run with as many games or more."""
    what = f"{folder} holds"
    ways = "choose another name with --out, or --overwrite"
    if _identity({key: there.get(key) for key in manifest}) != _identity(manifest):
        raise RequestError(f"{what} another run's result; {ways}.")
    if there.get("n_games", 0) > manifest.get("n_games", math.inf):
        raise RequestError(f"{what} this run with {there['n_games']:,} games already; {ways}.")


def _identity(manifest: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in manifest.items() if key not in VOLATILE}
    if isinstance(kept.get("request"), Mapping):
        kept["request"] = {key: value for key, value in kept["request"].items() if key not in VOLATILE}
    return json.dumps(kept, sort_keys=True, default=str)


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
        raise RequestError(
            f"{folder} holds no result (no {MANIFEST}); pymacco-sim results lists what is there."
        ) from None
    except json.JSONDecodeError as error:
        raise RequestError(f"{folder / MANIFEST} is damaged: {error}.") from error
    return manifest


def has_table(folder: Path, name: str) -> bool:
    """Whether a result holds a table of that name."""
    return (folder / f"{name}.parquet").is_file()


def read_table(folder: Path, name: str = "table") -> pd.DataFrame:
    """Return one table of a result."""
    path = folder / f"{name}.parquet"
    if not path.is_file():
        raise RequestError(f"{folder} holds no {name}.parquet.")
    return pd.read_parquet(path)


def round_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its floats rounded to :data:`DIGITS` significant digits.

    Examples
    --------
    >>> round_table(pd.DataFrame({"n": [3], "mean": [2 / 3]}))["mean"].tolist()
    [0.6666666667]
    """
    floats = table.select_dtypes("floating")
    return table.assign(**{name: [float(f"{value:.{DIGITS}g}") for value in floats[name]] for name in floats})


def write_result(
    folder: Path,
    tables: Mapping[str, pd.DataFrame],
    manifest: Mapping[str, Any],
    draw: Callable[[Path], None] | None = None,
    counts: Sequence[Record] = (),
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
    counts : sequence of Record, optional
        The integers behind the tables.

    Raises
    ------
    StorageError
        If it cannot be written; an older result is still there then.
    """
    for stale in folder.parent.glob(f".{folder.name}.*.part"):
        shutil.rmtree(stale, ignore_errors=True)
    part = folder.parent / f".{folder.name}.{os.getpid()}.part"
    try:
        part.mkdir(parents=True)
        for name, table in tables.items():
            rounded = round_table(table)
            rounded.to_parquet(part / f"{name}.parquet", index=False)
            rounded.to_csv(part / f"{name}.csv", index=False)
        text = json.dumps(manifest, indent=2, default=str, ensure_ascii=False)
        (part / MANIFEST).write_text(text + "\n", encoding="utf-8")
        if counts:
            write_counts(part / COUNTS, counts)
        _write_sums(part)
        if draw is not None:
            draw(part)
        _move(part, folder)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _move(part: Path, folder: Path) -> None:
    """Put a complete result in its place; an older one goes only when the new one is there."""
    old = folder.parent / f".{folder.name}.{os.getpid()}.old.part"
    if folder.exists():
        os.replace(folder, old)
    os.replace(part, folder)
    shutil.rmtree(old, ignore_errors=True)


def _write_sums(folder: Path) -> None:
    """Write the checksums of all files, as ``sha256sum --check`` reads them; pictures may be drawn again later."""
    lines = [f"{hash_file(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file in hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_damage(folder: Path) -> list[str]:
    """Return what is wrong with a result's files, one line each; nothing if all is well.

    Raises
    ------
    RequestError
        If the folder holds no result.
    """
    manifest = read_manifest(folder)
    wrong = []
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
        sums = {line[66:]: line[:64] for line in lines}
    except OSError:
        return [f"{folder / SUMS} is missing"]
    for name, digest in sums.items():
        path = folder / name
        if not path.is_file():
            wrong.append(f"{path} is missing")
        elif hash_file(path) != digest:
            wrong.append(f"{path} is damaged")
    if not wrong and (folder / COUNTS).is_file():
        wrong += _check_counts(folder, manifest)
    return wrong


def _check_counts(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    records, n_damaged = read_counts(folder / COUNTS)
    wrong = [f"{folder / COUNTS}: {n_damaged} damaged records"] if n_damaged else []
    if manifest.get("kind") in ("run", "sweep") and "n_games" in manifest:
        cells = manifest.get("n_cells", 1)
        unequal = {key for key, n in _count_games(records).items() if n < manifest["n_games"]}
        if unequal or len(_count_games(records)) > cells:
            wrong.append(f"{folder / COUNTS} does not hold the {manifest['n_games']:,} games of every cell")
    return wrong


def _count_games(records: Sequence[Record]) -> dict[str, int]:
    games: dict[str, int] = {}
    for record in records:
        games[record.key] = games.get(record.key, 0) + record.count
    return games
