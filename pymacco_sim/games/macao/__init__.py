"""Macao: one engine, rules as data."""

from pymacco_sim.games.macao.game import GAME

__all__ = ["GAME"]
