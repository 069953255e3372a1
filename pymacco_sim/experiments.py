"""Experiments: one TOML file a question."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pymacco_sim._check import RequestError, unknown, whole
from pymacco_sim.comparison import compare
from pymacco_sim.durable import Resume
from pymacco_sim.grid import GridCell, make_grid
from pymacco_sim.house_rules import compare_rules
from pymacco_sim.play import MAX_GAMES
from pymacco_sim.sweeps import sweep_cells
from pymacco_sim.tournaments import tournament

TEXT, NUMBER, WHOLE = (str,), (int, float, str), (int, str)
COMMON: Mapping[str, tuple[type, ...]] = {
    "kind": TEXT,
    "question": TEXT,
    "game": TEXT,
    "n_games": NUMBER,
    "seed": WHOLE,
    "scope": TEXT,
}
KINDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "sweep": {
        "policies": (str, list),
        "method": (list,),
        "grid": (dict,),
        "rules": (dict,),
        "players": (int, str, list),
        "seating": TEXT,
        "exact": (bool,),
    },
    "compare": {
        "a": TEXT,
        "b": TEXT,
        "field": (str, list),
        "rules": (dict,),
        "players": WHOLE,
        "seating": TEXT,
        "until": NUMBER,
        "exact": (bool,),
    },
    "tournament": {"policies": (list,), "rules": (dict,), "players": WHOLE, "max_line_ups": WHOLE},
    "compare-rules": {"policies": (str, list), "rule_sets": (dict, list), "players": WHOLE},
}
"""Keys of a file by its kind, beside the common ones, and the types they may have."""

NEEDED = {"compare": ("a", "b"), "tournament": ("policies",), "compare-rules": ("policies", "rule_sets")}


@dataclass(frozen=True)
class Experiment:
    """A question, and what is to be played to answer it.

    Parameters
    ----------
    name : str
        The file's name without its ending; also of the result's folder.
    question : str
    request : mapping
        The file as it was read.
    kind : str
        ``"sweep"``, ``"compare"``, ``"tournament"`` or ``"compare-rules"``.
    n_games : int
        Games a cell.
    cells : tuple of GridCell
        Of a sweep.
    """

    name: str
    question: str
    request: Mapping[str, Any]
    kind: str
    n_games: int
    cells: tuple[GridCell, ...] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        """What the function of the laboratory is called with: the file's keys but for the kind and the question."""
        renamed = {"rule_sets": "rules"}
        kept = {k: v for k, v in self.request.items() if k not in ("kind", "question", "n_games")}
        return {renamed.get(k, k): v for k, v in kept.items()} | {"n_games": self.n_games}


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
    kind = request.get("kind", "sweep")
    if kind not in KINDS:
        raise unknown("kind", kind, KINDS)
    keys = {**COMMON, **KINDS[kind]}
    for key, value in request.items():
        if key not in keys:
            raise unknown("key", key, keys)
        if not isinstance(value, keys[key]) or isinstance(value, bool) is not (keys[key] == (bool,)):
            names = {"dict": "table", "str": "text", "list": "list", "bool": "true or false"}
            wanted = " or ".join(names.get(t.__name__, "number") for t in keys[key])
            raise RequestError(f"{key} is {value!r}; it must be a {wanted}.")
    for key in ("game", *NEEDED.get(kind, ())):
        if key not in request:
            raise RequestError(f"key {key!r} is missing.")
    n_games = whole("n_games", request.get("n_games", 100_000), 1, MAX_GAMES)
    cells = _make_cells(request) if kind == "sweep" else ()
    return Experiment(name, request.get("question", name), request, kind, n_games, cells)


def _make_cells(request: Mapping[str, Any]) -> tuple[GridCell, ...]:
    if ("policies" in request) == ("method" in request):
        raise RequestError("give either 'policies' (one line-up, with [grid]) or [[method]] tables, and not both.")
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
    return tuple(cells)


def change_experiment(experiment: Experiment, given: Mapping[str, Any]) -> Experiment:
    """Return the experiment with some keys (``n_games``, ``seed``) changed."""
    return check_request(experiment.name, {**experiment.request, **given}) if given else experiment


def _read_method(table: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(table, dict) or not isinstance(table.get("policy"), str):
        raise RequestError(f"[[method]] is {table!r}; it must be a table: a 'policy', values for its parameters.")
    return table["policy"], {key: value for key, value in table.items() if key != "policy"}


def run_experiment(
    path: str | Path, n_jobs: int | None = None, progress: bool | None = None, resume: Resume = None
) -> Any:
    """Run an experiment's file.

    Parameters
    ----------
    path : str or Path
        A TOML file, such as those in ``experiments/``.
    n_jobs, progress, resume
        As for :func:`pymacco_sim.simulate`.

    Returns
    -------
    pandas.DataFrame, Comparison, Tournament or RuleComparison
        What :func:`pymacco_sim.sweep`, :func:`pymacco_sim.compare`, :func:`pymacco_sim.tournament` or
        :func:`pymacco_sim.compare_rules` returns, by the file's ``kind``.

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
    return play_experiment(read_experiment(path), n_jobs=n_jobs, progress=progress, resume=resume)


def play_experiment(experiment: Experiment, **settings: Any) -> Any:
    """Play an experiment that has been read; `settings` go to the function of its kind.

    Returns
    -------
    pandas.DataFrame, Comparison, Tournament or RuleComparison
    """
    if experiment.kind == "sweep":
        exact = bool(experiment.request.get("exact", False))
        return sweep_cells(experiment.cells, experiment.n_games, **settings, exact=exact)
    functions: dict[str, Any] = {"compare": compare, "tournament": tournament, "compare-rules": compare_rules}
    return functions[experiment.kind](**experiment.arguments, **settings)
