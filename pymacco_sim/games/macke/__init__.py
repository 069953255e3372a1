"""Macke and its relatives (Farkle, Zilch, Ten Thousand): rules as data, decision tables, engine and fast kernels."""

from pymacco_sim.games.macke.game import GAME

__all__ = ["GAME"]
