"""Exact values: where a plan stops, how it shifts with the score, how far policies are from the optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.ticker import MaxNLocator

from pymacco_sim._check import RequestError
from pymacco_sim.plots.style import COLORS, get_axes, tidy_axes

ROLL, STOP, BARRED = "#FBE3C4", "#0072B2", "#DDDDDD"
"""Fills of a stop map; light and dark enough to be told apart in print."""

UNITS = {"turn": "points a turn", "session": "turns to the target", "race": "chance to win"}


def plot_stop_map(rows: Any, ax: Any = None, title: str = "") -> Any:
    """Draw where a plan stops, by dice left and points of the turn.

    Parameters
    ----------
    rows : DataFrame or sequence of mapping
        As :meth:`pymacco_sim.exact.Solution.stop_map` returns them: `points`, `dice`, `stop`, `stop_value`.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    RequestError
        If a column is missing or there are no rows.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pymacco_sim as pm
    >>> plot_stop_map(pm.exact.solve("macke", "turn").stop_map()).get_ylabel()
    'points of the turn'
    """
    table = _read(rows, ("points", "dice", "stop", "stop_value"))
    ax = get_axes(ax, 4.2, 4.6)
    kinds = np.where(table["stop_value"].isna(), 2, np.where(table["stop"], 1, 0))
    grid = table.assign(kind=kinds).pivot(index="points", columns="dice", values="kind")
    step = float(np.diff(grid.index).min()) if len(grid) > 1 else 1.0
    edges = np.append(grid.index - step / 2, grid.index[-1] + step / 2)
    sides = np.append(grid.columns - 0.5, grid.columns[-1] + 0.5)
    fills = ListedColormap([ROLL, STOP, BARRED])
    ax.pcolormesh(sides, edges, grid, cmap=fills, vmin=-0.5, vmax=2.5)
    ax.vlines(sides[1:-1], edges[0], edges[-1], color="white", linewidth=1.5)
    for dice in grid.columns:
        stops = grid.index[grid[dice] == 1]
        if len(stops):
            ax.annotate(
                f"{stops[0]:,}",
                (dice, stops[0] - step / 2),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                va="bottom",
                color="white",
                fontweight="bold",
            )
    ax.set_xlabel("dice left to roll")
    ax.set_ylabel("points of the turn")
    ax.set_xticks(list(grid.columns))
    ax.spines[["top", "right"]].set_visible(False)
    if title:
        ax.set_title(title, loc="left", fontsize="medium")
    names = ["roll", "stop", "may not stop"]
    present = [kind for kind in range(3) if (kinds == kind).any()]
    handles = [_patch(fills(kind), names[kind]) for kind in present]
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, frameon=False)
    return ax


def plot_shift(rows: Any, ax: Any = None, title: str = "") -> Any:
    """Draw how the points at which a race's optimum stops depend on both banked totals.

    Parameters
    ----------
    rows : DataFrame or sequence of mapping
        As :meth:`pymacco_sim.exact.Solution.shifts` returns them: `total`, `rival`, `threshold`, `dice`.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    RequestError
        If a column is missing or there are no rows.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> rows = [{"total": t, "rival": r, "threshold": 200.0 + r, "dice": 2} for t in (0, 500) for r in (0, 500)]
    >>> plot_shift(rows).get_xlabel()
    "rival's banked points"
    """
    table = _read(rows, ("total", "rival", "threshold", "dice"))
    ax = get_axes(ax, 5.6, 4.6)
    grid = table.pivot(index="total", columns="rival", values="threshold")
    found = grid.to_numpy()[np.isfinite(grid.to_numpy())]
    # Far behind near the end a plan stops only when it has won: those thresholds would take up the whole scale.
    most = min(found.max(), 3 * np.median(found)) + 1e-9
    bounds = MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]).tick_values(found.min(), most)
    norm = BoundaryNorm(bounds, 256, extend="max" if found.max() > bounds[-1] else "neither")
    ax.set_facecolor(BARRED)
    mesh = ax.pcolormesh(grid.columns, grid.index, grid, cmap="cividis", norm=norm, shading="nearest")
    bar = ax.figure.colorbar(mesh, ax=ax, pad=0.02)
    dice = int(table["dice"].iloc[0])
    bar.set_label(f"stops from that many points on, {dice} {'die' if dice == 1 else 'dice'} left")
    bar.outline.set_visible(False)
    ax.set_xlabel("rival's banked points")
    ax.set_ylabel("own banked points")
    ax.spines[["top", "right"]].set_visible(False)
    if title:
        ax.set_title(title, loc="left", fontsize="medium")
    return ax


def plot_distances(rows: Any, ax: Any = None, title: str = "") -> Any:
    """Draw the exact values of policies and their distance to the optimum, the best on top.

    Parameters
    ----------
    rows : DataFrame or sequence of mapping
        As :func:`pymacco_sim.exact.rank` returns them: `policy`, `goal`, `value`, `optimum`, `distance`.
    ax : matplotlib Axes, optional
    title : str

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    RequestError
        If a column is missing or there are no rows.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> import pymacco_sim as pm
    >>> plot_distances(pm.exact.rank("macke", ["points:200", "optimal"])).get_xlabel()
    'points a turn'
    """
    table = _read(rows, ("policy", "goal", "value", "optimum", "distance"))
    ax = get_axes(ax, 7.0, 1.4 + 0.3 * len(table))
    top, places = float(table["optimum"].iloc[0]), np.arange(len(table))[::-1]
    ax.axvline(top, color="black", linewidth=0.9)
    ax.annotate(
        f"optimum {top:,.5g}",
        (top, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        fontsize="small",
    )
    ax.hlines(places, table["value"], top, color=COLORS[0], linewidth=1.4, alpha=0.5)
    ax.plot(table["value"], places, "o", color=COLORS[0], markersize=5)
    before = table["value"].mean() < top
    span = float((table["value"] - top).abs().max()) or abs(top) or 1.0
    ax.set_xlim(*((top - 1.5 * span, top + 0.12 * span) if before else (top - 0.12 * span, top + 1.5 * span)))
    for place, row in zip(places, table.itertuples(), strict=True):
        said = f"{row.value:,.5g}" if abs(row.distance) < 1e-9 else f"{row.value:,.5g} ({row.distance:.3g} off)"
        ax.annotate(
            said,
            (row.value, place),
            xytext=(-7 if before else 7, 0),
            textcoords="offset points",
            ha="right" if before else "left",
            va="center",
            fontsize="small",
        )
    ax.set_yticks(places, table["policy"])
    ax.set_ylim(-0.7, len(table) - 0.3)
    ax.set_xlabel(UNITS.get(str(table["goal"].iloc[0]), "value"))
    tidy_axes(ax)
    ax.grid(visible=False, axis="y")
    if title:
        ax.set_title(title, loc="left", fontsize="medium", pad=18)
    return ax


def _read(rows: Any, needed: tuple[str, ...]) -> pd.DataFrame:
    table = pd.DataFrame(rows)
    for name in needed:
        if name not in table:
            raise RequestError(f"there is no column {name!r}; there are: {', '.join(map(str, table)) or 'none'}.")
    return table.reset_index(drop=True)


def _patch(color: Any, label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=color, label=label)
