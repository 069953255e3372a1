"""The figure that goes with a stored result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from pymacco_sim._check import RequestError
from pymacco_sim.plots.lengths import plot_lengths
from pymacco_sim.plots.seats import plot_seats
from pymacco_sim.plots.sweeps import plot_sweep

PANELS = ("score_mean", "win_share", "turns_mean", "stalled_share")
"""Estimates worth a panel, in order; a figure shows the first two that a table has."""


def draw_sweep(
    table: pd.DataFrame, title: str = "", x: str | None = None, y: str | None = None, hue: str | None = None
) -> Any:
    """Return the figure of a sweep's table: the setting with most values along x, the next one as lines.

    Parameters
    ----------
    table : pandas.DataFrame
    title : str
        The question.
    x, y, hue : str, optional
        Columns to use instead of the chosen ones; `y` may name several, with commas.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    RequestError
        If the table holds nothing to draw or a named column is missing.
    """
    if "seat" in table:
        table = table[table["seat"] == 0]
    before = table.columns[: list(table.columns).index("n_games")]
    settings = [name for name in before if name not in ("seat", "policy") and table[name].nunique(dropna=False) > 1]
    swept = sorted(settings, key=lambda name: -table[name].nunique())
    x = x or next((name for name in swept if name != "method"), "method")
    if hue is None:
        table, hue = _name_lines(table, [name for name in settings if name != x])
    columns = y.split(",") if y else [name for name in PANELS if name in table and table[name].notna().any()][:2]
    if not columns:
        raise RequestError("the table holds no estimate to draw.")
    panels = plot_sweep(table, x, columns, hue)
    panels[0].set_title(title, loc="left", fontsize="medium")
    return panels[0].figure


def _name_lines(table: pd.DataFrame, settings: list[str]) -> tuple[pd.DataFrame, str | None]:
    """Add the column that tells the lines of a figure apart."""
    if not settings:
        return table, None
    texts = [table[name].map(lambda v, n=name: str(v) if n == "method" else f"{n} {v}") for name in settings]
    names = texts[0].str.cat(texts[1:], sep=", ") if len(texts) > 1 else texts[0]
    return table.assign(line=names), "line"


def draw_run(seats: pd.DataFrame, turns: pd.DataFrame, stalled_share: float, title: str = "") -> Any:
    """Return the figure of one line-up: win share by seat above, game lengths below."""
    has_wins = "win_share" in seats
    height = 3.2 + (1.2 + 0.4 * len(seats) if has_wins else 0)
    figure, axes = plt.subplots(
        1 + has_wins,
        1,
        figsize=(7.2, height),
        layout="constrained",
        squeeze=False,
        height_ratios=[1.2 + 0.4 * len(seats), 3.2] if has_wins else None,
    )
    if has_wins:
        plot_seats(seats, "win_share", ax=axes[0, 0])
    plot_lengths(turns, stalled_share, ax=axes[-1, 0])
    axes[0, 0].set_title(title, loc="left", fontsize="medium")
    return figure


def draw_result(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any], **columns: str | None) -> Any:
    """Return the figure of a stored result by its kind."""
    title = str(manifest.get("question", ""))
    if manifest.get("kind") == "run":
        totals = tables["totals"].iloc[0]
        return draw_run(tables["table"], tables["turns"], float(totals["stalled_share"]), title)
    return draw_sweep(tables["table"], title, **columns)


def save_figure(figure: Any, folder: Path, name: str = "plot") -> None:
    """Write a figure as PNG and SVG and close it."""
    for ending in ("png", "svg"):
        figure.savefig(folder / f"{name}.{ending}", dpi=144, metadata={"Date": None} if ending == "svg" else None)
    plt.close(figure)
