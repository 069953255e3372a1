"""Exact values beside estimates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pymacco_sim.games.base import Cell

Figures = Mapping[str, float]


@lru_cache(maxsize=4096)
def find_truth(cell: Cell) -> tuple[Figures, tuple[Figures, ...]]:
    """Return the exact values of a cell's estimates: of the table as a whole, and by line-up position.

    Raises
    ------
    RequestError
        If the cell has no exact values (see :mod:`pymacco_sim.exact`).
    """
    from pymacco_sim.exact.evaluation import cell_figures

    whole, seats = cell_figures(cell)
    return whole, tuple(seats)


def add_truth(row: Mapping[str, Any], figures: Figures) -> dict[str, Any]:
    """Return a table row with ``NAME_exact`` behind the interval of every estimate whose exact value is known.

    Examples
    --------
    >>> add_truth({"score_mean": 243.1, "score_low": 242.5, "score_high": 243.7}, {"score_mean": 242.98})
    {'score_mean': 243.1, 'score_low': 242.5, 'score_high': 243.7, 'score_exact': 242.98}
    """
    known = {name if "_q" in name else name.rsplit("_", 1)[0]: value for name, value in figures.items()}
    full: dict[str, Any] = {}
    for name, value in row.items():
        full[name] = value
        stem = name.removesuffix("_high")
        if stem != name and stem in known:
            full[f"{stem}_exact"] = known[stem]
    return full
