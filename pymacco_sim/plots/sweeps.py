"""Estimates against a swept setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pymacco_sim._check import RequestError
from pymacco_sim.plots.style import COLORS, MARKERS, get_axes, label_column, tidy_axes
from pymacco_sim.stats.best import find_best
from pymacco_sim.stats.intervals import LEVEL

Z95 = 1.959963984540054
FEW_TICKS = 6
"""Up to so many settings get a tick each."""

LESS_IS_BETTER = ("turns", "bust", "loss", "place", "stalled", "points")


def plot_sweep(
    table: pd.DataFrame,
    x: str,
    y: str | Sequence[str] = ("score_mean", "turns_mean"),
    hue: str | None = "method",
    ax: Any = None,
    mark_best: bool = True,
) -> Any:
    """Draw estimates against a setting, intervals as bands, the best value and its equals marked.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`pymacco_sim.sweep` returns it: column `y` with ``_low`` and ``_high`` beside it.
    x : str
        Column of the swept setting.
    y : str or sequence of str
        One panel a column.
    hue : str, optional
        Column whose values get lines of their own.
    ax : matplotlib Axes or sequence of them, optional
        One a column of `y`.
    mark_best : bool
        Whether to mark, over all lines of a panel, the best value (star) and all that cannot be told from it (rings).

    Returns
    -------
    matplotlib Axes, or an array of them if `y` is a sequence.

    Raises
    ------
    RequestError
        If a column is missing.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> table = pd.DataFrame({"t": [1, 2], "a_mean": [3.0, 4.0], "a_low": [2.9, 3.9], "a_high": [3.1, 4.1]})
    >>> plot_sweep(table, "t", "a_mean", hue=None).get_xlabel()
    't'
    """
    columns = [y] if isinstance(y, str) else list(y)
    for column in (x, *columns):
        if column not in table:
            raise RequestError(f"the table has no column {column!r}; it has {', '.join(map(str, table.columns))}.")
    if ax is None and len(columns) > 1:
        _, ax = plt.subplots(len(columns), 1, figsize=(7.2, 3.1 * len(columns)), sharex=True, layout="constrained")
    panels = np.atleast_1d(np.asarray(ax if ax is not None else get_axes(None), dtype=object))
    for panel, column in zip(panels, columns, strict=True):
        _draw_panel(panel, table, x, column, hue if hue in table else None, mark_best)
    _add_legend(panels)
    panels[-1].set_xlabel(label_column(x))
    return panels[0] if isinstance(y, str) else panels


def _draw_panel(ax: Any, table: pd.DataFrame, x: str, column: str, hue: str | None, mark_best: bool) -> None:
    low, high = _bounds(table, column)
    groups = [("", table)] if hue is None else list(table.groupby(hue, sort=False, observed=True))
    numeric = pd.api.types.is_numeric_dtype(table[x])
    places = table[x] if numeric else pd.Series(pd.factorize(table[x])[0], index=table.index)
    for index, (name, group) in enumerate(groups):
        order = places[group.index].sort_values().index
        color, marker = COLORS[index % len(COLORS)], MARKERS[index % len(MARKERS)]
        ax.fill_between(places[order], low[order], high[order], color=color, alpha=0.2, linewidth=0)
        ax.plot(
            places[order],
            group.loc[order, column],
            color=color,
            marker=marker,
            markersize=3.5,
            linewidth=1.3,
            label=str(name) or None,
        )
        _draw_exact(ax, group.loc[order], places[order], column, labelled=index == len(groups) - 1)
    if not numeric:
        ax.set_xticks(range(table[x].nunique()), table[x].unique())
    elif table[x].nunique() <= FEW_TICKS:
        ax.set_xticks(sorted(table[x].unique()))
    if mark_best and len(table) > 1 and table[column].notna().any():
        _mark_best(ax, table, places, column, (high - low) / (2 * Z95))
    ax.set_ylabel(label_column(column))
    ax.margins(x=0.03)
    tidy_axes(ax)


def _add_legend(panels: Any) -> None:
    """Explain in the first panel what all of them show."""
    signs: dict[str, Any] = {}
    for panel in panels:
        for sign, label in zip(*panel.get_legend_handles_labels(), strict=True):
            signs.setdefault(label, sign)
    if signs:
        panels[0].legend(signs.values(), signs.keys(), frameon=False, fontsize="small", loc="best")


def _draw_exact(ax: Any, group: pd.DataFrame, places: pd.Series, column: str, labelled: bool) -> None:
    """Draw the exact values, where the table has them."""
    exact = f"{column.rsplit('_', 1)[0]}_exact"
    if exact in group:
        label = "exact" if labelled else None
        ax.plot(places, group[exact], color="black", linewidth=0.9, linestyle=(0, (1, 2)), label=label)


def _bounds(table: pd.DataFrame, column: str) -> tuple[pd.Series, pd.Series]:
    stem = "place" if column == "mean_place" else column.rsplit("_", 1)[0]
    for name in (column, stem):
        if f"{name}_low" in table:
            return table[f"{name}_low"], table[f"{name}_high"]
    return table[column], table[column]


def _mark_best(ax: Any, table: pd.DataFrame, places: pd.Series, column: str, errors: pd.Series) -> None:
    more = not any(column.startswith(stem) or column == f"mean_{stem}" for stem in LESS_IS_BETTER)
    best, together = find_best(table[column].tolist(), errors.tolist(), more)
    label = f"cannot be told from the best ({LEVEL:.0%})"
    if together.sum() > 1:
        ax.plot(
            places[together],
            table.loc[together, column],
            "o",
            markersize=9,
            markerfacecolor="none",
            markeredgecolor="black",
            markeredgewidth=0.9,
            linestyle="none",
            label=label,
        )
    spot, value = places.iloc[best], table[column].iloc[best]
    ax.plot([spot], [value], "*", color="black", markersize=11, linestyle="none", label="best")
    text = f"{value:,.1f}" if abs(value) >= 10 else f"{value:.4g}"
    ax.annotate(
        text, (spot, value), xytext=(0, 9 if more else -16), textcoords="offset points", ha="center", fontsize="small"
    )
    ax.margins(y=0.14)
