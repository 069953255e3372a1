"""Grids: the reading of ranges, lists and numbers, and the cells that a sweep plays."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pymacco_sim._check import RequestError, unknown
from pymacco_sim.games.base import Cell
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.policy import Entrant
from pymacco_sim.games.registry import find_game, find_rules, make_cell
from pymacco_sim.games.rulebook import Rules, join_items

MAX_CELLS = 100_000


def read_values(name: str, text: Any) -> list[Any]:
    """Return the list that a grid's value stands for.

    Parameters
    ----------
    name : str
        Of the parameter, for errors.
    text : object
        ``"50:1000:50"`` (both ends included), ``"3,4"``, a single value, or any iterable of values.

    Raises
    ------
    RequestError
        If a range has a step of zero, does not go anywhere, or is not made of numbers.

    Examples
    --------
    >>> read_values("threshold", "50:200:50")
    [50, 100, 150, 200]
    >>> read_values("threshold", "200,350")
    ['200', '350']
    """
    if isinstance(text, str):
        if ":" in text:
            return _read_range(name, text)
        values: list[Any] = [item.strip() for item in text.split(",")]
    elif isinstance(text, Iterable):
        values = [value.item() if hasattr(value, "item") else value for value in text]
    else:
        values = [text]
    if not values or "" in values:
        raise RequestError(f"{name} is {text!r}; give a value, a list such as 3,4 or a range such as 50:1000:50.")
    return values


def _read_range(name: str, text: str) -> list[float]:
    pieces = text.split(":")
    try:
        numbers = [float(piece) for piece in pieces]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 3):
        raise RequestError(f"{name} is {text!r}; a range is FIRST:LAST:STEP in numbers, such as 50:1000:50.")
    first, last, step = (*numbers, 1.0)[:3]
    if not all(map(math.isfinite, numbers)) or step == 0 or (last - first) * step < 0:
        raise RequestError(f"{name} is {text!r}; the step must not be zero and must lead from {first:g} to {last:g}.")
    count = math.floor((last - first) / step + 1e-9) + 1
    if count > MAX_CELLS:
        raise RequestError(f"{name} is {text!r}: {count:,} values; at most {MAX_CELLS:,}.")
    values = [first + step * index for index in range(count)]
    return [int(v) if v.is_integer() else v for v in values]


@dataclass(frozen=True)
class GridCell:
    """A cell of a sweep with the settings that tell it from the others, by column."""

    cell: Cell
    settings: tuple[tuple[str, Any], ...]


def make_grid(
    game: str,
    policies: Any,
    grid: Mapping[str, Any] | None = None,
    *,
    rules: Rules | Mapping[str, Any] | None = None,
    players: Any = None,
    seed: int = 0,
    scope: str | None = None,
    seating: str = "fixed",
    common: bool = True,
) -> list[GridCell]:
    """Return the cells of a sweep.

    Parameters
    ----------
    game : str
    policies : str, policy, sequence, or mapping
        A line-up as for :func:`pymacco_sim.simulate`; or several, as a mapping from policy to its own grid.
    grid : mapping, optional
        Parameter of the line-up's first policy to its values.
    rules : Rules or mapping, optional
        A field's value may be a list (or text such as ``"3,4"``): the grid then runs over it.
    players : int, str or sequence, optional
        Numbers of seats for a single policy to fill.
    seed, scope, seating
        As for :func:`pymacco_sim.simulate`.
    common : bool
        Whether all cells share the chance streams (common random numbers).

    Raises
    ------
    RequestError
        If anything is unknown or not allowed, or there are more than 100,000 cells.
    """
    family, preset = find_game(game)
    if isinstance(policies, Mapping):
        if grid:
            raise RequestError("with a mapping of policies each carries its own grid; leave the other one out.")
        line_ups = [(policy, own or {}) for policy, own in policies.items()]
    else:
        line_ups = [(policies, grid or {})]
    law = find_rules(preset, family, _fixed_rules(rules))
    rule_grid = _rule_grid(law, rules)
    seats = [None] if players is None else read_values("players", players)
    found: list[GridCell] = []
    for line_up, own in line_ups:
        entrants = _parse_line_up(family, line_up)
        values = _parameter_grid(entrants[0], own)
        for numbers in itertools.product(*values.values()):
            tuned = [entrants[0].changed(**dict(zip(values, numbers, strict=True))), *entrants[1:]]
            for fields in itertools.product(*rule_grid.values()):
                changed = dict(zip(rule_grid, fields, strict=True))
                for count in seats:
                    stream = 0 if common else len(found) + 1
                    asked = rules if isinstance(rules, Rules) else {**_fixed_rules(rules), **changed}
                    cell = make_cell(
                        game, tuned, asked, seed=seed, scope=scope, seating=seating, players=count, stream=stream
                    )
                    found.append(GridCell(cell, _settings(cell, changed, count)))
        if len(found) > MAX_CELLS:
            raise RequestError(f"the grid has over {MAX_CELLS:,} cells; make it coarser.")
    return found


def _parse_line_up(family: Any, line_up: Any) -> list[Entrant]:
    single = isinstance(line_up, str) or not isinstance(line_up, Sequence)
    specs = [line_up] if single else list(line_up)
    if not specs:
        raise RequestError("no policies given; name at least one.")
    return [parse_entrant(family, spec) for spec in specs]


def _parameter_grid(entrant: Entrant, grid: Mapping[str, Any]) -> dict[str, list[Any]]:
    policy = entrant.main.policy
    names = [parameter.name for parameter in policy.parameters]
    for name in grid:
        if name not in names:
            raise unknown(f"parameter of policy {policy.name!r}", name, names)
    return {name: read_values(name, value) for name, value in grid.items()}


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, range)) or (isinstance(value, str) and ("," in value or ":" in value))


def _fixed_rules(rules: Rules | Mapping[str, Any] | None) -> Any:
    if rules is None or isinstance(rules, Rules):
        return rules or {}
    return {name: value for name, value in rules.items() if not _is_list(value)}


def _rule_grid(law: Rules, rules: Rules | Mapping[str, Any] | None) -> dict[str, list[Any]]:
    if rules is None or isinstance(rules, Rules):
        return {}
    lists = {name: value for name, value in rules.items() if _is_list(value)}
    known = [row["rule"] for row in law.describe()]
    for name in lists:
        if name not in known:
            raise unknown("rule", name, known)
    return {name: read_values(name, value) for name, value in lists.items()}


def _settings(cell: Cell, changed: Mapping[str, Any], players: Any) -> tuple[tuple[str, Any], ...]:
    main = cell.entrants[0]
    settings: dict[str, Any] = {"method": main.main.policy.name, **main.parameters()}
    settings |= {name: _cell_value(getattr(cell.rules, name)) for name in changed}
    if players is not None:
        settings["players"] = cell.n_seats
    return tuple(settings.items())


def _cell_value(value: Any) -> Any:
    return join_items(value) if isinstance(value, tuple) else value
