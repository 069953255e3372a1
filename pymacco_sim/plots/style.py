"""Colours, markers and labels that all figures share."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.ticker import AutoLocator, MaxNLocator

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""M. Okabe and K. Ito's palette, told apart by the colour-blind and, by lightness, in print."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")

LABELS = {
    "score_mean": "mean turn score (points)",
    "turns_mean": "turns to finish (mean)",
    "bust_share": "share of turns that bust",
    "rolls_mean": "rolls per turn",
    "win_share": "share of games won",
    "loss_share": "share of games lost",
    "mean_place": "mean place",
    "stalled_share": "share of games that stall",
    "turns": "turns",
    "burns_mean": "burns a game",
    "pickups_mean": "pick-ups a game",
    "failed_mean": "failed face-down cards a game",
    "first_seat_edge": "edge of the first seat (win share)",
    "skill": "skill (0: luck decides, 1: the stronger always wins)",
}


def label_column(column: str) -> str:
    """Return the axis label of a column."""
    words = column.removesuffix("_mean").removesuffix("_share").replace("_", " ")
    ending = " (mean)" if column.endswith("_mean") else " (share)" if column.endswith("_share") else ""
    return LABELS.get(column, words + ending)


def get_axes(ax: Any, width: float = 7.0, height: float = 4.2) -> Any:
    """Return the given axes, or new ones in a figure of that size (inches)."""
    if ax is not None:
        return ax
    _, made = plt.subplots(figsize=(width, height), layout="constrained")
    return made


def tidy_axes(ax: Any) -> None:
    """Take away what does not help: the upper and right frame; add a faint grid behind."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    for axis in (ax.xaxis, ax.yaxis):
        if isinstance(axis.get_major_locator(), AutoLocator):
            axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
