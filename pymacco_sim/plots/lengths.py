"""How long games last, and how many never end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pymacco_sim.plots.style import COLORS, get_axes, label_column, tidy_axes


def plot_lengths(
    histogram: pd.DataFrame, stalled_share: float = 0.0, name: str | None = None, ax: Any = None, max_bins: int = 60
) -> Any:
    """Draw the distribution of game lengths; stalled games stand apart as a bar of their own.

    Parameters
    ----------
    histogram : pandas.DataFrame
        Columns `value` and `n_games`, as ``Result.histogram`` returns it; finished games only.
    stalled_share : float
        Share of all games that stalled.
    name : str, optional
        What is counted; the table's own ``attrs["outcome"]`` unless given.
    ax : matplotlib Axes, optional
    max_bins : int
        Most bars; the longest 0.5% of games lie beyond the right edge, which the label then says.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> plot_lengths(pd.DataFrame({"value": [3, 4], "n_games": [5, 5]}), 0.1).get_xlabel()
    'turns'
    """
    ax = get_axes(ax)
    finished = 1.0 - stalled_share
    if len(histogram):
        values, weights = histogram["value"].to_numpy(), histogram["n_games"].to_numpy()
        share = weights / weights.sum() * finished
        last = values[np.searchsorted(np.cumsum(share), 0.995 * finished).clip(max=len(values) - 1)]
        width = max(int(np.ceil((last - values.min() + 1) / max_bins)), 1)
        shown = values <= last
        bins = ((values[shown] - values.min()) // width).astype(int)
        heights = np.bincount(bins, weights=share[shown])
        left = values.min() + width * np.arange(heights.size)
        ax.bar(left, heights, width=width * 0.92, align="edge", color=COLORS[0], label="finished")
        right = left[-1] + width
    else:
        width, right = 1, 1.0
    if stalled_share > 0:
        spot = right + max(3 * width, 0.06 * (right - ax.get_xlim()[0]))
        ax.bar(
            [spot],
            [stalled_share],
            width=3 * width,
            color=COLORS[1],
            hatch="//",
            edgecolor="white",
            label=f"stalled ({stalled_share:.1%})",
        )
        ax.legend(frameon=False, fontsize="small")
    beyond = " (the longest 0.5% lie further right)" if len(histogram) and not shown.all() else ""
    ax.set_xlabel(label_column(name or histogram.attrs.get("outcome", "turns")) + beyond)
    ax.set_ylabel("share of all games")
    tidy_axes(ax)
    return ax
