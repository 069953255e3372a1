"""A per-seat figure with its intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pymacco_sim._check import RequestError
from pymacco_sim.plots.style import COLORS, get_axes, label_column, tidy_axes


def plot_seats(seats: pd.DataFrame, column: str = "win_share", ax: Any = None) -> Any:
    """Draw one estimate a seat, a dot with its interval, and the value that equal players would have.

    Parameters
    ----------
    seats : pandas.DataFrame
        As ``Result.seats`` returns it.
    column : str
        ``"win_share"``, ``"loss_share"``, ``"mean_place"`` ...
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    RequestError
        If the column is missing.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> seats = pd.DataFrame({"seat": [0], "policy": ["a"], "win_share": [0.5], "win_low": [0.4], "win_high": [0.6]})
    >>> plot_seats(seats).get_xlabel()
    'share of games won'
    """
    if column not in seats:
        raise RequestError(f"the table has no column {column!r}; it has {', '.join(map(str, seats.columns))}.")
    stem = "place" if column == "mean_place" else column.rsplit("_", 1)[0]
    ax = get_axes(ax, height=1.2 + 0.42 * len(seats))
    names = list(dict.fromkeys(seats["policy"])) if "policy" in seats else []
    rows = np.arange(len(seats))[::-1]
    for row, (_, seat) in zip(rows, seats.iterrows(), strict=True):
        color = COLORS[names.index(seat["policy"]) % len(COLORS)] if names else COLORS[0]
        ax.plot(
            [seat[f"{stem}_low"], seat[f"{stem}_high"]], [row, row], color=color, linewidth=2.4, solid_capstyle="butt"
        )
        ax.plot([seat[column]], [row], "o", color=color, markersize=6)
    if column == "win_share":
        ax.axvline(1 / len(seats), color="0.5", linewidth=0.9, linestyle="--", zorder=0)
    elif column == "mean_place":
        ax.axvline((len(seats) + 1) / 2, color="0.5", linewidth=0.9, linestyle="--", zorder=0)
    labels = [f"{seat.get('policy', '')}  (seat {seat['seat']})".strip() for _, seat in seats.iterrows()]
    ax.set_yticks(rows, labels)
    ax.set_ylim(-0.6, len(seats) - 0.4)
    ax.set_xlabel(label_column(column))
    tidy_axes(ax)
    return ax
