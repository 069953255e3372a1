"""Tomacco and Threes: one engine, rules as data."""

from pymacco_sim.games.shithead.game import GAME

__all__ = ["GAME"]
