"""Tidy tables in, Matplotlib axes out. Nothing here knows a game; every function takes ``ax=`` and returns it."""

from pymacco_sim.plots.exact import plot_distances, plot_shift, plot_stop_map
from pymacco_sim.plots.lab import (
    plot_convergence,
    plot_differences,
    plot_matrix,
    plot_places,
    plot_ranking,
    plot_rules,
)
from pymacco_sim.plots.lengths import plot_lengths
from pymacco_sim.plots.seats import plot_seats
from pymacco_sim.plots.sweeps import plot_sweep

__all__ = [
    "plot_convergence",
    "plot_differences",
    "plot_distances",
    "plot_lengths",
    "plot_matrix",
    "plot_places",
    "plot_ranking",
    "plot_rules",
    "plot_seats",
    "plot_shift",
    "plot_stop_map",
    "plot_sweep",
]
