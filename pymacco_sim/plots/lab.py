"""Figures of the laboratory: differences, pairs, places, rules, convergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from pymacco_sim._check import RequestError
from pymacco_sim.plots.style import COLORS, get_axes, label_column, tidy_axes
from pymacco_sim.wording import with_error

DARK = (0.0, 0.267, 0.447)
"""The darkest of the shades by place."""


def plot_differences(
    table: pd.DataFrame, label: str = "outcome", ax: Any = None, names: tuple[str, str] | None = None
) -> Any:
    """Draw paired differences as a forest: each in units of its own standard error, so that all share one axis.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns `label`, ``difference``, ``low``, ``high`` and, for filled dots, ``p_holm``.
    label : str
        Column that names the rows.
    ax : matplotlib Axes, optional
    names : tuple of str, optional
        The candidates: first minus second.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> rows = pd.DataFrame({"outcome": ["win_share"], "difference": [0.1], "low": [0.05], "high": [0.15]})
    >>> len(plot_differences(rows).get_yticklabels())
    1
    """
    known = table[table["high"] > table["low"]].reset_index(drop=True)
    ax = get_axes(ax, height=1.3 + 0.34 * max(len(known), 1))
    rows = np.arange(len(known))[::-1]
    for row, item in zip(rows, known.itertuples(), strict=True):
        half = (item.high - item.low) / 2
        clear = getattr(item, "p_holm", 0.0 if item.low > 0 or item.high < 0 else 1.0) < 0.05
        color = COLORS[0] if clear else "0.55"
        spot = np.sign(item.difference) * np.log1p(abs(item.difference) / half)
        ends = [np.sign(v) * np.log1p(abs(v) / half) for v in (item.low, item.high)]
        ax.plot(ends, [row, row], color=color, linewidth=2.2, solid_capstyle="butt")
        ax.plot([spot], [row], "o", color=color, markersize=6, markerfacecolor=color if clear else "white")
        ax.annotate(
            ("+" if item.difference > 0 else "") + with_error(item.difference, item.low, item.high),
            (1.01, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize="small",
        )
    ax.axvline(0, color="black", linewidth=0.8)
    ticks = np.array([-100, -10, -1, 0, 1, 10, 100])
    ax.set_xticks(np.sign(ticks) * np.log1p(abs(ticks)), [f"{t:+d}" if t else "0" for t in ticks])
    ax.set_yticks(rows, [label_column(str(name)) for name in known[label]])
    ax.set_ylim(-0.7, len(known) - 0.3)
    what = f"{names[0]} minus {names[1]}" if names else "difference"
    ax.set_xlabel(f"{what}, in half-widths of its 95% interval (log scale; filled: clear after Holm)")
    tidy_axes(ax)
    return ax


def plot_matrix(pairs: pd.DataFrame, order: list[str] | None = None, ax: Any = None) -> Any:
    """Draw the differences of win share of all pairs, row minus column; a star where Holm's test is clear.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As ``Tournament.pairs``.
    order : list of str, optional
        Policies, best first.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> pairs = pd.DataFrame({"first": ["a"], "second": ["b"], "difference": [0.2], "p_holm": [0.01]})
    >>> len(plot_matrix(pairs).texts)
    2
    """
    names = order or list(dict.fromkeys([*pairs["first"], *pairs["second"]]))
    ax = get_axes(ax, width=2.6 + 0.75 * len(names), height=1.6 + 0.55 * len(names))
    values = np.full((len(names), len(names)), np.nan)
    marks = np.zeros(values.shape, dtype=bool)
    for pair in pairs.itertuples():
        i, j = names.index(str(pair.first)), names.index(str(pair.second))
        values[i, j], values[j, i] = pair.difference, -pair.difference
        marks[i, j] = marks[j, i] = pair.p_holm < 0.05
    reach = max(float(np.nanmax(np.abs(values))), 1e-9) if np.isfinite(values).any() else 1.0
    ax.imshow(values, cmap="PuOr", vmin=-reach, vmax=reach, aspect="auto")
    for i in range(len(names)):
        for j in range(len(names)):
            if np.isfinite(values[i, j]):
                dark = abs(values[i, j]) > 0.65 * reach
                ax.text(
                    j,
                    i,
                    f"{values[i, j]:+.3f}{'*' if marks[i, j] else ''}",
                    ha="center",
                    va="center",
                    fontsize="small",
                    color="white" if dark else "black",
                )
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("win share of row minus column (* clear, Holm)")
    ax.spines[:].set_visible(False)
    return ax


def plot_ranking(table: pd.DataFrame, column: str = "win_share", ax: Any = None) -> Any:
    """Draw a tournament's table: one row a policy, filled where it may be the best.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``Tournament.table``.
    column : str
        ``"win_share"``, ``"rating"``, ``"mean_place"`` ...
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> rows = {"policy": ["a"], "win_share": [0.5], "win_low": [0.4], "win_high": [0.6], "may_be_best": [True]}
    >>> plot_ranking(pd.DataFrame(rows)).get_xlabel()
    'share of games won (filled: may be the best)'
    """
    stem = {"mean_place": "place", "rating": "rating"}.get(column, column.rsplit("_", 1)[0])
    ax = get_axes(ax, height=1.2 + 0.4 * len(table))
    rows = np.arange(len(table))[::-1]
    for row, item in zip(rows, table.to_dict("records"), strict=True):
        color = COLORS[0] if item["may_be_best"] else "0.45"
        ax.plot([item[f"{stem}_low"], item[f"{stem}_high"]], [row, row], color=color, linewidth=2.2)
        ax.plot(
            [item[column]],
            [row],
            "o",
            color=color,
            markersize=6,
            markerfacecolor=color if item["may_be_best"] else "white",
        )
    ax.set_yticks(rows, table["policy"])
    ax.set_ylim(-0.5, len(table) - 0.5)
    ax.set_xlabel(f"{label_column(column)} (filled: may be the best)")
    tidy_axes(ax)
    return ax


def plot_places(places: pd.DataFrame, ax: Any = None) -> Any:
    """Draw how often each policy takes each place: a bar a place, its interval on top, policies side by side.

    Parameters
    ----------
    places : pandas.DataFrame
        As ``Tournament.places`` or ``Result.places``: columns ``policy``, ``place`` (0: none), ``share`` and, for
        intervals, ``share_low`` and ``share_high``; with ``seat``, policies are told apart by it.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    RequestError
        If the table is empty, as of a game without places.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> plot_places(pd.DataFrame({"policy": ["a", "a"], "place": [1, 2], "share": [0.6, 0.4]})).get_ylabel()
    'share of games'
    """
    if not len(places):
        raise RequestError("there are no places to draw: the game has none, or more than eight seats.")
    names, groups = zip(*_group_places(places), strict=True)
    values = sorted((int(v) for v in places["place"].unique() if v), key=int)
    if (places.loc[places["place"] == 0, "share"] > 0).any():
        values.append(0)
    ax = get_axes(ax, width=min(max(2.2 + 0.3 * len(values) * len(names), 4.8), 12.0), height=4.0)
    width = 0.84 / len(values)
    blues = np.linspace(0.15, 0.8, max(sum(v > 0 for v in values), 2))
    for index, place in enumerate(values):
        own = [group[group["place"] == place] for group in groups]
        share = np.array([part["share"].sum() for part in own])
        spots = np.arange(len(names)) + (index - (len(values) - 1) / 2) * width
        color = tuple(np.array(DARK) + (1 - np.array(DARK)) * blues[index]) if place else "0.88"
        style = {"hatch": "///", "edgecolor": "0.45"} if place == 0 else {"edgecolor": DARK}
        label = {0: "none: the game stalled", 1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
        ax.bar(spots, share, width * 0.92, color=color, linewidth=0.6, label=label, **style)
        if "share_low" in places:
            low, high = (np.array([part[f"share_{end}"].sum() for part in own]) for end in ("low", "high"))
            ax.errorbar(
                spots, share, [share - low, high - share], fmt="none", color="black", linewidth=0.9, capsize=1.5
            )
    ax.set_xticks(range(len(names)), names, **_slant(names))
    ax.set_ylabel("share of games")
    ax.set_ylim(bottom=0)
    ax.legend(title="place", frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    tidy_axes(ax)
    ax.grid(axis="x", visible=False)
    return ax


def _group_places(places: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    if "seat" in places:
        return [(f"{own['policy'].iloc[0]}\n(seat {seat})", own) for seat, own in places.groupby("seat", sort=False)]
    return [(str(name), own) for name, own in places.groupby("policy", sort=False)]


def _slant(names: Sequence[str]) -> dict[str, Any]:
    """Return how tick labels stand: slanted if they would run into one another."""
    long = max(len(line) for name in names for line in name.split("\n")) > 14
    return {"rotation": 25, "ha": "right", "rotation_mode": "anchor"} if long else {}


def plot_rules(table: pd.DataFrame, figure: str, ax: Any = None) -> Any:
    """Draw one figure under each set of rules with its interval: a filled square where it clearly differs from the
    first rules, an open dot where it does not.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``RuleComparison.table``.
    figure : str
        Which of its figures.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> rows = pd.DataFrame({"figure": ["turns_mean"], "rules": ["a"], "value": [0.2], "low": [0.1], "high": [0.3]})
    >>> plot_rules(rows, "turns_mean").get_xlabel()
    'turns to finish (mean)'
    """
    own = table[table["figure"] == figure].reset_index(drop=True)
    ax = get_axes(ax, height=1.1 + 0.34 * len(own))
    rows = np.arange(len(own))[::-1]
    for row, item in zip(rows, own.to_dict("records"), strict=True):
        clear = item.get("p_holm", 1.0) < 0.05
        color = COLORS[0] if row == len(own) - 1 else COLORS[1] if clear else "0.45"
        fill = "white" if row < len(own) - 1 and not clear else color
        ax.plot([item["low"], item["high"]], [row, row], color=color, linewidth=2.2)
        ax.plot([item["value"]], [row], "s" if clear else "o", color=color, markersize=6, markerfacecolor=fill)
    if len(own):
        ax.axvline(own["value"][0], color=COLORS[0], linewidth=0.8, linestyle=":", zorder=0)
    ax.set_yticks(rows, own["rules"])
    ax.set_ylim(-0.6, len(own) - 0.4)
    ax.set_xlabel(label_column(figure))
    tidy_axes(ax)
    return ax


def plot_convergence(path: pd.DataFrame, truth: float | None = None, ax: Any = None) -> Any:
    """Draw an estimate as games come in, with its fixed interval and the sequence that is valid at every look.

    Parameters
    ----------
    path : pandas.DataFrame
        As :func:`pymacco_sim.converge` returns it.
    truth : float, optional
        The exact value, if it is known.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> columns = ("n_games", "value", "low", "high", "sequence_low", "sequence_high")
    >>> plot_convergence(pd.DataFrame([[10, 0.5, 0.4, 0.6, 0.3, 0.7]], columns=columns)).get_xscale()
    'log'
    """
    ax = get_axes(ax)
    n = path["n_games"]
    ax.fill_between(
        n,
        path["sequence_low"],
        path["sequence_high"],
        color=COLORS[0],
        alpha=0.15,
        linewidth=0,
        label="sequence (95% over all looks)",
    )
    ax.fill_between(
        n, path["low"], path["high"], color=COLORS[0], alpha=0.35, linewidth=0, label="interval (95% at one look)"
    )
    ax.plot(n, path["value"], color=COLORS[0], linewidth=1.4, label="estimate")
    if truth is not None:
        ax.axhline(truth, color="black", linestyle="--", linewidth=1.0, label="exact value")
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("games")
    ax.set_ylabel(label_column(str(path["outcome"].iloc[0])) if "outcome" in path else "estimate")
    ax.legend(frameon=False, fontsize="small")
    tidy_axes(ax)
    return ax
