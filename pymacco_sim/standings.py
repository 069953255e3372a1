"""What each policy made of a tournament's deals: sums by policy and by pair of policies."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pymacco_sim.games.base import Cell
from pymacco_sim.panel import Panel, Pick
from pymacco_sim.play import make_plan
from pymacco_sim.stats.paired import Ends
from pymacco_sim.wording import count_games, with_error

FIGURES = ("win", "loss", "place")
"""Outcomes of a tournament's table, as far as a game has them."""


def pick_figures(cells: Sequence[Cell]) -> tuple[Pick, ...]:
    """Return what is followed in each line-up: the outcomes of the table, and how often each place was taken."""
    return tuple(
        Pick(index, ratio)
        for index, cell in enumerate(cells)
        for ratio in make_plan(cell).ratios
        if ratio.kind == "rank" or (ratio.kind == "entrant" and ratio.outcome.name in FIGURES)
    )


def say_standings(table: pd.DataFrame, totals: Mapping[str, Any]) -> str:
    """Return in a sentence or two who is strongest, as far as that is known.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``Tournament.table``.
    totals : mapping
        As ``Tournament.totals``.
    """
    games, stalled = int(totals["n_games"]), int(totals["n_stalled"])
    if stalled == games:
        return f"Every game stalled ({count_games(games)}): nothing tells the policies apart."
    if totals["won_share"] == 0:
        return f"Nobody won any of {count_games(games)}: nothing tells the policies apart."
    note = f" Stalled: {stalled / games:.1%} of the games." if stalled > 0.005 * games else ""
    top = table.iloc[0]
    share = with_error(top["win_share"], top["win_low"], top["win_high"])
    best = table.loc[table["may_be_best"], "policy"].tolist()
    if table["win_share"].nunique() == 1:
        return f"All policies won equally often ({share}): cannot tell which is strongest.{note}"
    if len(best) == 1:
        return f"{best[0]} is strongest: win share {share}, clearly ahead of every other (95%, Holm).{note}"
    others = "all of them may be" if len(best) == len(table) else f"{', '.join(best[:-1])} and {best[-1]} may be"
    return f"Cannot tell which is strongest: {others}; {top['policy']} has the highest win share, {share}.{note}"


class Standings:
    """Mixes the unit vectors of a tournament's panel into sums by policy and by pair of policies.

    Parameters
    ----------
    line_ups : sequence of tuple of int
        Policies (by number) of each line-up.
    panel : Panel
        Its picks (:func:`pick_figures`) are what is mixed.
    n_policies : int

    Notes
    -----
    Columns: for each figure, the sum over the seats of each policy; the number of those seats' games; for each pair,
    the difference of wins (mean over the copies of each) and the number of games they met in, both times
    :attr:`common`, which keeps them whole.
    """

    def __init__(self, line_ups: Sequence[tuple[int, ...]], panel: Panel, n_policies: int) -> None:
        self.n = n_policies
        self.scales = {p.ratio.outcome.name: p.ratio.outcome.scale for p in panel.picks}
        ranks = sorted({p.ratio.value: p.ratio.outcome.name for p in panel.picks if p.ratio.kind == "rank"}.items())
        self.places = dict(ranks)
        """Place (0: none) to the name of its figure."""
        self.figures = [*(name for name in FIGURES if name in self.scales), *self.places.values()]
        self.pairs = list(itertools.combinations(range(n_policies), 2))
        self.common = math.lcm(*{line_up.count(who) for line_up in line_ups for who in line_up})
        self._spots: dict[tuple[int, int], int] = {}
        for pick, ends in zip(panel.picks, panel.ends, strict=True):
            line_up, seat = line_ups[pick.cell], pick.ratio.place
            name = pick.ratio.outcome.name
            self._add(self.figure(name, line_up[seat])[0], ends[0], 1)
            if name == "win":
                self._add(self.figure(name, line_up[seat])[1], ends[1], 1)
                self._add_pairs(line_up, seat, ends)
        self.n_columns = (len(self.figures) + 1) * n_policies + 2 * len(self.pairs)
        self.wins = [
            self.n_columns + ends[0]
            for pick, ends in zip(panel.picks, panel.ends, strict=True)
            if pick.ratio.outcome.name == "win"
        ]
        """Places of the wins of each seat of each line-up among the sums."""
        self._weights = self._make_weights(panel.width)

    def _add(self, column: int, place: int, weight: int) -> None:
        self._spots[column, place] = self._spots.get((column, place), 0) + weight

    def _add_pairs(self, line_up: tuple[int, ...], seat: int, ends: Ends) -> None:
        """Count the wins of one seat for and against every other policy at the table."""
        who = line_up[seat]
        share = self.common // line_up.count(who)
        for other in set(line_up) - {who}:
            i, j = sorted((who, other))
            top, bottom = self.pair(i * self.n - i * (i + 1) // 2 + j - i - 1)
            self._add(top, ends[0], share if who == i else -share)
            if seat == line_up.index(i):
                self._add(bottom, ends[1], self.common)

    def _make_weights(self, width: int) -> Any:
        from scipy.sparse import csr_array

        spots, weights = list(self._spots), np.array(list(self._spots.values()), dtype=float)
        columns, places = (np.array(numbers, dtype=np.int64) for numbers in zip(*spots, strict=True))
        return csr_array((weights, (columns, places)), shape=(self.n_columns, width))

    @property
    def key(self) -> str:
        """What the columns are, in a word: equal keys, equal columns."""
        return hashlib.sha256(repr(sorted(self._spots.items())).encode()).hexdigest()

    @property
    def groups(self) -> Iterator[tuple[int, ...]]:
        """Columns that are compared: the wins of all policies; else each sum with its own games."""
        wins, games = zip(*(self.figure("win", who) for who in range(self.n)), strict=True)
        yield (*wins, *games)
        for name in self.figures:
            yield from (self.figure(name, who) for who in range(self.n))
        yield from map(self.pair, range(len(self.pairs)))

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self._weights @ vectors)

    def figure(self, name: str, who: int) -> tuple[int, int]:
        """Return the places of one figure of one policy: its sum, and its number of games."""
        return self.figures.index(name) * self.n + who, len(self.figures) * self.n + who

    def pair(self, index: int) -> tuple[int, int]:
        """Return the places of a pair's win difference and its games, both times :attr:`common`."""
        top = (len(self.figures) + 1) * self.n + 2 * index
        return top, top + 1
