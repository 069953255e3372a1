"""Figures of the laboratory: differences, pairs, places, rules, convergence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pymacco_sim.plots.style import COLORS, get_axes, label_column, tidy_axes


def plot_differences(table: pd.DataFrame, label: str = "outcome", ax: Any = None) -> Any:
    """Draw paired differences as a forest: each in units of its own standard error, so that all share one axis.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns `label`, ``difference``, ``low``, ``high`` and, for filled dots, ``p_holm``.
    label : str
        Column that names the rows.
    ax : matplotlib Axes, optional

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
            f"{item.difference:+.4g} ± {half:.2g}",
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
    ax.set_xlabel("difference, in half-widths of its 95% interval (log scale)")
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
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right")
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
    'share of games won'
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
    ax.set_ylim(-0.6, len(table) - 0.4)
    ax.set_xlabel(label_column(column))
    tidy_axes(ax)
    return ax


def plot_places(places: pd.DataFrame, ax: Any = None) -> Any:
    """Draw how often each policy takes each place, one stacked bar a policy.

    Parameters
    ----------
    places : pandas.DataFrame
        Columns ``policy``, ``place``, ``share``.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> plot_places(pd.DataFrame({"policy": ["a", "a"], "place": [1, 2], "share": [0.6, 0.4]})).get_xlabel()
    'share of games'
    """
    names = list(dict.fromkeys(places["policy"]))[::-1]
    ax = get_axes(ax, height=1.5 + 0.42 * len(names))
    values = sorted(places["place"].unique())
    shades = np.linspace(0.25, 0.95, len(values))
    left = np.zeros(len(names))
    for place, shade in zip(values, shades, strict=True):
        own = places[places["place"] == place].groupby("policy")["share"].sum()
        width = np.array([float(own.get(name, 0.0)) for name in names])
        color = tuple(1 - (1 - np.array([0.0, 0.447, 0.698])) * (1.2 - shade))
        ax.barh(names, width, left=left, color=color, edgecolor="white", label=f"{place:g}")
        left += width
    ax.set_xlabel("share of games")
    ax.legend(
        title="place",
        ncols=min(len(values), 8),
        frameon=False,
        fontsize="small",
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
    )
    tidy_axes(ax)
    return ax


def plot_rules(table: pd.DataFrame, figure: str, ax: Any = None) -> Any:
    """Draw one figure under each set of rules, a dot with its interval.

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
    >>> rows = pd.DataFrame({"figure": ["skill"], "rules": ["a"], "value": [0.2], "low": [0.1], "high": [0.3]})
    >>> plot_rules(rows, "skill").get_xlabel()
    'skill'
    """
    own = table[table["figure"] == figure].reset_index(drop=True)
    ax = get_axes(ax, height=1.1 + 0.34 * len(own))
    rows = np.arange(len(own))[::-1]
    for row, item in zip(rows, own.to_dict("records"), strict=True):
        clear = item.get("p_holm", 1.0) < 0.05
        color = COLORS[1] if clear else COLORS[0]
        ax.plot([item["low"], item["high"]], [row, row], color=color, linewidth=2.2)
        ax.plot([item["value"]], [row], "o", color=color, markersize=6)
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
    ax.set_xlabel("games")
    ax.set_ylabel(label_column(str(path["outcome"].iloc[0])) if "outcome" in path else "estimate")
    ax.legend(frameon=False, fontsize="small")
    tidy_axes(ax)
    return ax
