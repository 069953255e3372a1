"""Tidy tables in, Matplotlib axes out. Nothing here knows a game; every function takes ``ax=`` and returns it."""

from pymacco_sim.plots.lengths import plot_lengths
from pymacco_sim.plots.seats import plot_seats
from pymacco_sim.plots.sweeps import plot_sweep

__all__ = ["plot_lengths", "plot_seats", "plot_sweep"]
