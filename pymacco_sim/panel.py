"""Several cells on the same deals: the joint moments that every comparison is made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.core.counting import ALL, PLAIN, count_values
from pymacco_sim.core.moments import COLUMN, Moments, Pairs, collect_moments, sum_columns
from pymacco_sim.games.base import STATUS_NAMES, Cell
from pymacco_sim.identity import cell_key, hash_plain
from pymacco_sim.play import BLOCKS_PER_CHUNK, Ratio, Store, block_size, make_plan, play_block
from pymacco_sim.stats.paired import Difference, Ends, combine_ratios
from pymacco_sim.workers import Piece, check_stop, run_pieces


class Pick(NamedTuple):
    """One ratio of one cell."""

    cell: int
    ratio: Ratio


class Mix(Protocol):
    """Makes vectors out of unit vectors, and says which of them are to be compared."""

    @property
    def key(self) -> str:
        """What the columns are, in a word."""

    @property
    def groups(self) -> Iterable[Iterable[int]]:
        """Numbers of the made columns whose products are wanted, group by group."""

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        """Return ``float64[m, n]`` for unit vectors ``float64[k, n]``."""


@dataclass(frozen=True)
class Panel:
    """Cells that share deals, and the ratios to follow in them.

    Parameters
    ----------
    cells : tuple of Cell
        Same seed, same number of games a deal.
    picks : tuple of Pick
        Pick `i` has its numerator and its denominator at the places ``ends[i]`` of the unit vectors.
    mix : Mix, optional
        Makes the vectors whose moments are kept from the unit vectors; of the unit vectors then only the sums are
        kept, behind them.

    Notes
    -----
    Products of columns are kept within the picks of one outcome, over all cells, seats and line-up positions: only
    those can be compared.
    """

    cells: tuple[Cell, ...]
    picks: tuple[Pick, ...]
    mix: Mix | None = None

    @property
    def unit(self) -> int:
        """Games a cell that share one deal."""
        return self.cells[0].unit

    @cached_property
    def _layout(self) -> tuple[list[np.ndarray], list[Ends]]:
        """Columns of the unit vectors by cell, each once, and the places of each pick's numerator and denominator."""
        known: list[dict[tuple[int, ...], int]] = [{} for _ in self.cells]
        for pick in self.picks:
            for column in _columns_of(self.cells[pick.cell], pick.ratio):
                known[pick.cell].setdefault(column, len(known[pick.cell]))
        starts = np.concatenate([[0], np.cumsum([len(own) for own in known])]).astype(int)
        ends = []
        for pick in self.picks:
            top, bottom = _columns_of(self.cells[pick.cell], pick.ratio)
            own, start = known[pick.cell], int(starts[pick.cell])
            ends.append((start + own[top], start + own[bottom]))
        return [np.array(list(own), dtype=COLUMN).view(np.recarray) for own in known], ends

    @property
    def columns(self) -> list[np.ndarray]:
        """What each cell contributes to the unit vectors."""
        return self._layout[0]

    @property
    def ends(self) -> list[Ends]:
        """Places of numerator and denominator of each pick in the unit vectors."""
        return self._layout[1]

    @cached_property
    def pairs(self) -> Pairs:
        """Which products of columns are kept."""
        if self.mix is not None:
            return Pairs(self.mix.groups)
        groups: dict[str, set[int]] = {}
        for pick, ends in zip(self.picks, self.ends, strict=True):
            groups.setdefault(pick.ratio.outcome.name, set()).update(ends)
        return Pairs(groups.values())

    @property
    def width(self) -> int:
        """Number of columns of the unit vectors, before the mixed ones."""
        return sum(own.size for own in self.columns)


def _columns_of(cell: Cell, ratio: Ratio) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the columns of a ratio's numerator and denominator."""
    plan = make_plan(cell)
    spec = plan.specs[plan.ratios.index(ratio)]
    top, top_seat, bottom, bottom_seat, turning, mask, value = (int(number) for number in spec.tolist())
    return (
        (top, top_seat, turning if top_seat >= 0 else 0, mask, value),
        (bottom, bottom_seat, turning if bottom_seat >= 0 else 0, mask, PLAIN),
    )


@dataclass
class PanelChunk:
    """Moments of a range of deals, and the games by status of each cell (int64[n_cells, n_statuses])."""

    first_unit: int
    moments: Moments
    statuses: np.ndarray
    stored: bool = False
    """Whether it came out of a store and was not played now."""

    def __add__(self, other: PanelChunk) -> PanelChunk:
        first = min(self.first_unit, other.first_unit)
        return PanelChunk(first, self.moments + other.moments, self.statuses + other.statuses)


def play_panel(panel: Panel, first_unit: int, n_units: int) -> PanelChunk:
    """Play deals `first_unit` ... in all cells and return their chunk."""
    size = min(block_size(cell) for cell in panel.cells) // panel.unit
    total: PanelChunk | None = None
    for start in range(first_unit, first_unit + n_units, size):
        check_stop()
        part = _play_panel_block(panel, start, min(size, first_unit + n_units - start))
        total = part if total is None else total + part
    assert total is not None
    return total


def _play_panel_block(panel: Panel, first_unit: int, n_units: int) -> PanelChunk:
    vectors = np.empty((panel.width, n_units))
    statuses = np.zeros((len(panel.cells), len(STATUS_NAMES)), dtype=np.int64)
    start = 0
    for index, (cell, columns) in enumerate(zip(panel.cells, panel.columns, strict=True)):
        first = first_unit * panel.unit
        out = play_block(cell, first, n_units * panel.unit)
        sum_columns(out, panel.unit, cell.n_seats, first, columns, vectors[start : start + columns.size])
        count_values(out[0], out[0], ALL, statuses[index])
        start += columns.size
    if panel.mix is None:
        return PanelChunk(first_unit, collect_moments(vectors, panel.pairs), statuses)
    return PanelChunk(first_unit, collect_moments(panel.mix(vectors), panel.pairs, vectors), statuses)


def stream_panel(
    panel: Panel, first_unit: int, n_units: int, n_jobs: int | None = None, store: Store | None = None
) -> Iterator[PanelChunk]:
    """Play a range of deals on workers and yield its chunks; what `store` has of it comes first, unplayed."""
    for _, chunk in stream_ranges(panel, [(first_unit, n_units)], n_jobs, store):
        yield chunk


def stream_ranges(
    panel: Panel, ranges: Sequence[tuple[int, int]], n_jobs: int | None = None, store: Store | None = None
) -> Iterator[tuple[int, PanelChunk]]:
    """Play ranges of deals on workers and yield their chunks, each with the number of its range, as they finish.

    Parameters
    ----------
    panel : Panel
    ranges : sequence of (first, number of deals)
    n_jobs : int, optional
    store : Store, optional
        Its deals come first and are not played again; what is played goes there.
    """
    size = min(block_size(cell) for cell in panel.cells) // panel.unit * BLOCKS_PER_CHUNK // len(panel.cells)
    key = panel_key(panel) if store is not None else ""
    pieces = []
    for index, part in enumerate(ranges):
        gaps = [part]
        if store is not None:
            found, gaps = store.find(key, *part)
            for first, _, plain in found:
                moments = Moments.from_plain(plain["moments"], panel.pairs)
                statuses = np.array(plain["statuses"], dtype=np.int64)
                yield index, PanelChunk(first, moments, statuses, stored=True)
        pieces += [Piece(index, panel, first, count, max(size, 1)) for first, count in gaps]
    if store is not None:
        store.tell_found(1, not pieces)
    with closing(run_pieces(play_panel, pieces, n_jobs)) as stream:
        for done in stream:
            chunk: PanelChunk = done.value
            if store is not None:
                plain = {"moments": chunk.moments.to_plain(), "statuses": chunk.statuses.tolist()}
                store.add(key, done.first, done.count, plain)
            yield done.index, chunk


def panel_key(panel: Panel) -> str:
    """Return 32 hex digits that name a panel's moments for ever."""
    picks = [[p.cell, p.ratio.outcome.name, p.ratio.kind, p.ratio.place] for p in panel.picks]
    return hash_plain([[cell_key(cell) for cell in panel.cells], picks, panel.mix.key if panel.mix else ""])


def subtract(panel: Panel, moments: Moments, one: int, two: int, scale: int, width: float = 0.0) -> Difference:
    """Return the paired difference of two picks (first minus second), in real units."""
    if panel.ends[one] == panel.ends[two]:
        found = single(panel, moments, one, scale)
        if math.isnan(found.se):
            return found._replace(value=found.value - found.value)
        varied = 1.0 if found.se > 0 else math.nan
        return Difference(0.0, 0.0, 0.0, 0.0, 1.0, varied)
    weights = {panel.ends[one]: 1.0 / scale, panel.ends[two]: -1.0 / scale}
    return combine_ratios(moments.n_units, moments.total, moments.products, weights, width=width)


def single(panel: Panel, moments: Moments, pick: int, scale: int, width: float = 0.0) -> Difference:
    """Return the estimate of one pick, in real units."""
    weights = {panel.ends[pick]: 1.0 / scale}
    return combine_ratios(moments.n_units, moments.total, moments.products, weights, width=width)


def check_panel(cells: Iterable[Cell]) -> None:
    """Check that cells can share deals.

    Raises
    ------
    RequestError
        If they have different numbers of games a deal.
    """
    units = {cell.unit for cell in cells}
    if len(units) > 1:
        raise RequestError("candidates with different numbers of seats cannot play the same deals.")
