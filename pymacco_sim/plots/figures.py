"""The figure that goes with a stored result."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pymacco_sim._check import RequestError
from pymacco_sim.plots.lab import plot_differences, plot_matrix, plot_places, plot_ranking, plot_rules
from pymacco_sim.plots.lengths import plot_lengths
from pymacco_sim.plots.seats import plot_seats
from pymacco_sim.plots.sweeps import plot_sweep

PANELS = ("score_mean", "win_share", "turns_mean")
"""Estimates worth a panel, in order; a figure shows the first two that a table has, and the stalled games if any."""

FEW_STALLED = 0.005
"""Stalled games that are worth no panel."""

RULE_FIGURES = ("turns_mean", "stalled_share", "first_seat_edge", "skill")
"""Figures of a rule comparison that come first."""

TABLES = {"run": ("table", "totals", "turns"), "tournament": ("table", "pairs")}
"""Tables that the figure of each kind of result needs, where it is more than ``table``."""

IF_THERE = ("places",)
"""Tables that are drawn if the result holds them."""


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
    columns = y.split(",") if y else _pick_panels(table)
    if not columns:
        raise RequestError("the table holds no estimate to draw.")
    panels = plot_sweep(table, x, columns, hue)
    panels[0].set_title(title, loc="left", fontsize="medium")
    return panels[0].figure


def _pick_panels(table: pd.DataFrame) -> list[str]:
    """Return the estimates that the figure of a sweep shows."""
    columns = [name for name in PANELS if name in table and table[name].notna().any()][:2]
    stalls = "stalled_share" in table and table["stalled_share"].max() >= FEW_STALLED
    return columns + (["stalled_share"] if stalls or not columns else [])


def _name_lines(table: pd.DataFrame, settings: list[str]) -> tuple[pd.DataFrame, str | None]:
    """Add the column that tells the lines of a figure apart."""
    if not settings:
        return table, None
    texts = [table[name].map(lambda v, n=name: _say_setting(n, v)) for name in settings]
    names = texts[0].str.cat(texts[1:], sep=", ") if len(texts) > 1 else texts[0]
    return table.assign(line=names), "line"


def _say_setting(name: str, value: Any) -> str:
    if name == "method":
        return str(value)
    words = ("yes" if value else "no") if isinstance(value, (bool, np.bool_)) else value
    return f"{name.replace('_', ' ')}: {words}"


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


def draw_differences(
    table: pd.DataFrame, title: str = "", answer: str = "", names: tuple[str, str] | None = None
) -> Any:
    """Return the figure of a comparison: a forest of paired differences."""
    figure, ax = plt.subplots(figsize=(8.4, 1.9 + 0.34 * len(table)), layout="constrained")
    plot_differences(table, ax=ax, names=names)
    _add_title(figure, title, answer)
    return figure


def draw_tournament(
    table: pd.DataFrame, pairs: pd.DataFrame, places: pd.DataFrame | None = None, title: str = "", answer: str = ""
) -> Any:
    """Return the figure of a tournament: ranking beside the matrix of pairs, places taken below."""
    size, has_places = len(table), places is not None and len(places) > 0
    width, height = 7.5 + 0.7 * size, 2.0 + 0.5 * size
    figure = plt.figure(figsize=(width, height + (3.2 if has_places else 0)), layout="constrained")
    grid = figure.add_gridspec(1 + has_places, 2, height_ratios=[height, 3.2][: 1 + has_places])
    left, right = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1])
    plot_ranking(table, ax=left)
    plot_matrix(pairs, table["policy"].tolist(), ax=right)
    right.set_yticks([])
    if has_places:
        plot_places(places, ax=figure.add_subplot(grid[1, :]))
    _add_title(figure, title, answer)
    return figure


def draw_places(places: pd.DataFrame, title: str = "") -> Any:
    """Return the figure of places taken, alone."""
    figure = plot_places(places).figure
    _add_title(figure, title)
    return figure


def draw_rules(table: pd.DataFrame, title: str = "") -> Any:
    """Return the figure of a rule comparison: one panel each for the figures that change most, clear ones first."""
    never = table.loc[table["figure"] == "stalled_share", "value"].max() < FEW_STALLED
    shown = table[table["figure"] != "stalled_share"] if never else table
    order = shown.groupby("figure", sort=False)["p_value"].min().sort_values(kind="stable").index
    wanted = [name for name in RULE_FIGURES if name in set(order)]
    names = [*wanted, *[name for name in order if name not in wanted]][:6]
    rules = table["rules"].nunique()
    figure, axes = plt.subplots(
        -(-len(names) // 2),
        2,
        figsize=(10, 0.6 + (1.0 + 0.32 * rules) * -(-len(names) // 2)),
        layout="constrained",
        squeeze=False,
        sharey=True,
    )
    for name, ax in zip(names, axes.flat, strict=False):
        plot_rules(table, name, ax=ax)
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    first = table["rules"].iloc[0]
    _add_title(
        figure, title, f"Filled squares differ clearly from {first} (95%, Holm); open dots cannot be told from it."
    )
    return figure


def _add_title(figure: Any, title: str, answer: str = "") -> None:
    """Write the question above a figure, and what came of it below that."""
    room = int(figure.get_figwidth() * 13)
    lines = [line for text in (title, answer) for line in textwrap.wrap(text, room)]
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize="medium")


def draw_result(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any], **columns: str | None) -> Any:
    """Return the figure of a stored result by its kind; with ``y="places"``, of the places taken."""
    title, answer = str(manifest.get("question", "")), str(manifest.get("answer", ""))
    kind = manifest.get("kind")
    if columns.get("y") == "places":
        return draw_places(tables["places"] if "places" in tables else pd.DataFrame(), title)
    if kind == "compare":
        return draw_differences(tables["table"], title, answer, _find_names(manifest))
    if kind == "tournament":
        return draw_tournament(tables["table"], tables["pairs"], tables.get("places"), title, answer)
    if kind == "compare-rules":
        return draw_rules(tables["table"], title)
    if kind == "run":
        totals = tables["totals"].iloc[0]
        return draw_run(tables["table"], tables["turns"], float(totals["stalled_share"]), title)
    return draw_sweep(tables["table"], title, **columns)


def _find_names(manifest: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the candidates of a comparison as its manifest names them."""
    try:
        return manifest["first"]["policies"][0]["policy"], manifest["second"]["policies"][0]["policy"]
    except (KeyError, IndexError, TypeError):
        return None


def save_figure(figure: Any, folder: Path, name: str = "plot") -> None:
    """Write a figure as PNG and SVG and close it."""
    for ending in ("png", "svg"):
        figure.savefig(folder / f"{name}.{ending}", dpi=144, metadata={"Date": None} if ending == "svg" else None)
    plt.close(figure)
