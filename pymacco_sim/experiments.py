"""Experiments: one TOML file a question."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pymacco_sim._check import RequestError, unknown, whole
from pymacco_sim.grid import GridCell, make_grid
from pymacco_sim.play import MAX_GAMES
from pymacco_sim.sweeps import sweep_cells

KEYS: Mapping[str, tuple[type, ...]] = {
    "question": (str,),
    "game": (str,),
    "policies": (str, list),
    "method": (list,),
    "grid": (dict,),
    "rules": (dict,),
    "players": (int, str, list),
    "n_games": (int, float, str),
    "seed": (int, str),
    "scope": (str,),
    "seating": (str,),
}
"""Keys of a sweep's file and the types they may have."""


@dataclass(frozen=True)
class Experiment:
    """A question, and the cells that answer it.

    Parameters
    ----------
    name : str
        The file's name without its ending; also of the result's folder.
    question : str
    request : mapping
        The file as it was read.
    cells : list of GridCell
    n_games : int
        Games a cell.
    """

    name: str
    question: str
    request: Mapping[str, Any]
    cells: list[GridCell]
    n_games: int


def read_experiment(path: str | Path) -> Experiment:
    """Read and check an experiment's file.

    Raises
    ------
    RequestError
        If the file is missing, is no TOML, or has a wrong key, type or value; the file and the key are named.
    """
    file = Path(path)
    try:
        request = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"experiment {str(file)!r} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"experiment {str(file)!r} is not valid TOML: {error}.") from error
    try:
        return check_request(file.stem, request)
    except RequestError as error:
        raise type(error)(f"{file}: {error}") from error


def check_request(name: str, request: Mapping[str, Any]) -> Experiment:
    """Return the experiment of a request with the keys of a file.

    Raises
    ------
    RequestError
        If a key, a type or a value is wrong.
    """
    for key, value in request.items():
        if key not in KEYS:
            raise unknown("key", key, KEYS)
        if not isinstance(value, KEYS[key]) or isinstance(value, bool):
            wanted = " or ".join(
                {"dict": "table", "str": "text", "list": "list"}.get(t.__name__, "number") for t in KEYS[key]
            )
            raise RequestError(f"{key} is {value!r}; it must be a {wanted}.")
    if "game" not in request:
        raise RequestError("key 'game' is missing.")
    if ("policies" in request) == ("method" in request):
        raise RequestError("give either 'policies' (one line-up, with [grid]) or [[method]] tables, and not both.")
    n_games = whole("n_games", request.get("n_games", 100_000), 1, MAX_GAMES)
    if "method" in request:
        methods = [_read_method(table) for table in request["method"]]
        policies: Any = dict(methods)
        if len(policies) < len(methods):
            raise RequestError("two [[method]] tables have the same policy; put their values into one list.")
    else:
        policies = request["policies"]
    cells = make_grid(
        request["game"],
        policies,
        request.get("grid"),
        rules=request.get("rules"),
        players=request.get("players"),
        seed=request.get("seed", 0),
        scope=request.get("scope"),
        seating=request.get("seating", "fixed"),
    )
    return Experiment(name, request.get("question", name), request, cells, n_games)


def change_experiment(experiment: Experiment, given: Mapping[str, Any]) -> Experiment:
    """Return the experiment with some keys (``n_games``, ``seed``) changed."""
    return check_request(experiment.name, {**experiment.request, **given}) if given else experiment


def _read_method(table: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(table, dict) or not isinstance(table.get("policy"), str):
        raise RequestError(f"[[method]] is {table!r}; it must be a table: a 'policy', values for its parameters.")
    return table["policy"], {key: value for key, value in table.items() if key != "policy"}


def run_experiment(path: str | Path, n_jobs: int | None = None, progress: bool | None = None) -> pd.DataFrame:
    """Run an experiment's file and return its table, as :func:`pymacco_sim.sweep` does.

    Parameters
    ----------
    path : str or Path
        A TOML file, such as those in ``experiments/``.
    n_jobs, progress
        As for :func:`pymacco_sim.simulate`.

    Raises
    ------
    RequestError
        If the file is wrong; see :func:`read_experiment`.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> pm.run_experiment("no-such-file.toml")
    Traceback (most recent call last):
    ...
    pymacco_sim._check.RequestError: experiment 'no-such-file.toml' cannot be read: No such file or directory.
    """
    experiment = read_experiment(path)
    return sweep_cells(experiment.cells, experiment.n_games, n_jobs, progress)
