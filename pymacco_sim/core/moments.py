"""First and second moments of integer vectors, one vector an independent unit (a deal, a game).

Whatever a comparison wants to know (paired differences, who is ahead of whom, fairness of seats) is arithmetic on the
mean and the products of one vector a unit. Products of integers are formed in floating point, block by block: every
partial sum stays below 2**53, so the result is exact in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pymacco_sim._jit import jit, reorder
from pymacco_sim.core.counting import ALL, PLAIN

EXACT = 2.0**53


COLUMN = np.dtype([(name, np.int64) for name in ("row", "seat", "turning", "mask", "value")])
"""One column of the unit vectors: outcome row (-1: the constant 1), seat to add to it (-1: none), whether that seat
turns with the rotation, the status that counts (:data:`~pymacco_sim.core.counting.ALL`: any), and which value is
counted (:data:`~pymacco_sim.core.counting.PLAIN`: the number itself is summed)."""


@jit
def sum_columns(out, unit, n_seats, first, columns, vectors):
    """Fill the columns of the unit vectors: outcome rows summed over the games of each unit of a block.

    Parameters
    ----------
    out : int32[n_rows, n_games]
    unit, n_seats, first
        As for :func:`pymacco_sim.core.counting.sum_ratios`.
    columns : COLUMN[k]
    vectors : float64[k, n_units]
        Filled; whole numbers.
    """
    for index in range(columns.size):
        column, own = columns[index], vectors[index]
        if column.row < 0 and column.mask == ALL:
            own[:] = unit
        elif column.value != PLAIN:
            _sum_turning(out, unit, n_seats, first, column, own)
        elif unit == 1 and not column.turning and column.mask == ALL:
            own[:] = out[column.row + max(column.seat, 0)]
        elif unit == 1 and not column.turning:
            _take_masked(out[0], column.mask, out[max(column.row + max(column.seat, 0), 0)], column.row < 0, own)
        else:
            _sum_turning(out, unit, n_seats, first, column, own)


@jit
def _take_masked(status, mask, values, count, own):
    for game in range(own.size):
        value = 1 if count else values[game]
        own[game] = value if status[game] == mask else 0


@jit
def _sum_turning(out, unit, n_seats, first, column, own):
    for u in range(own.size):
        total = np.int64(0)
        for game in range(u * unit, (u + 1) * unit):
            if column.mask == ALL or out[0, game] == column.mask:
                turn = (first + game) % n_seats if column.turning else 0
                row = column.row if column.seat < 0 else column.row + (column.seat + turn) % n_seats
                if column.value != PLAIN:
                    total += np.int64(out[row, game] == column.value)
                else:
                    total += out[row, game] if column.row >= 0 else 1
        own[u] = total


TILE = 1024
"""Units whose columns are multiplied together while they are in the cache."""


@reorder
def _multiply(vectors, places, products):
    for start in range(0, vectors.shape[1], TILE):
        end = min(start + TILE, vectors.shape[1])
        for index in range(places.shape[0]):
            one, two = vectors[places[index, 0]], vectors[places[index, 1]]
            total = 0.0
            for u in range(start, end):
                total += one[u] * two[u]
            products[index] += total


class Pairs:
    """Which products of columns are wanted: those within each group of columns that are compared.

    Parameters
    ----------
    groups : iterable of iterable of int
        Columns by number; a column may be in several groups.

    Examples
    --------
    >>> Pairs([(0, 1), (1, 2)]).places.tolist()
    [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2]]
    """

    def __init__(self, groups: Iterable[Iterable[int]]) -> None:
        found = {(i, j) for group in map(tuple, groups) for i in group for j in group if i >= j}
        self.places = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
        self._index = {(int(i), int(j)): place for place, (i, j) in enumerate(self.places)}

    def find(self, one: int, two: int) -> int:
        """Return the position of a product, whichever column comes first; KeyError if it was not wanted."""
        return self._index[(one, two) if one >= two else (two, one)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairs) and np.array_equal(self.places, other.places)

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Products:
    """Sums of products of columns, read as ``products[i, j]``.

    Parameters
    ----------
    pairs : Pairs
    values : object[n_pairs]
        Python integers.
    """

    pairs: Pairs
    values: np.ndarray

    def __getitem__(self, places: tuple[int, int]) -> int:
        return int(self.values[self.pairs.find(*places)])

    def __add__(self, other: Products) -> Products:
        return Products(self.pairs, self.values + other.values)


@dataclass
class Moments:
    """Sums of unit vectors and of their products.

    Parameters
    ----------
    n_units : int
    total : object[k or more]
        Sum of the vectors, Python integers; behind them sums of further columns, if any.
    products : Products
    """

    n_units: int
    total: np.ndarray
    products: Products

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n_units + other.n_units, self.total + other.total, self.products + other.products)

    def to_plain(self) -> dict[str, Any]:
        """Return the integers as lists, for files."""
        products = self.products.values.tolist()
        return {"n_units": self.n_units, "total": self.total.tolist(), "products": products}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], pairs: Pairs) -> Moments:
        """Return the moments of :meth:`to_plain`."""
        total, products = (np.array(plain[name], dtype=object) for name in ("total", "products"))
        return cls(plain["n_units"], total, Products(pairs, products))


def collect_moments(vectors: np.ndarray, pairs: Pairs | None = None, further: np.ndarray | None = None) -> Moments:
    """Return the moments of unit vectors.

    Parameters
    ----------
    vectors : float64[k, n_units]
        Whole numbers.
    pairs : Pairs, optional
        Which products are wanted; all unless given.
    further : float64[m, n_units], optional
        Columns of which only the sums are kept, behind the others.

    Returns
    -------
    Moments

    Raises
    ------
    OverflowError
        If a product is too large to be exact, which no game's outcomes are.

    Examples
    --------
    >>> moments = collect_moments(np.array([[1.0, 2.0], [0.0, 1.0]]))
    >>> moments.total.tolist(), moments.products[0, 1]
    ([3, 1], 2)
    """
    pairs = pairs if pairs is not None else Pairs([range(len(vectors))])
    products = np.zeros(len(pairs.places))
    _multiply(vectors, pairs.places, products)
    if products.size and products.max() >= EXACT:
        raise OverflowError("unit sums too large for exact products; play smaller blocks")
    total = _whole(vectors.sum(axis=1))
    if further is not None:
        total = np.concatenate([total, _whole(further.sum(axis=1))])
    return Moments(vectors.shape[1], total, Products(pairs, _whole(products)))


def _whole(values: np.ndarray) -> np.ndarray:
    return values.astype(np.int64).astype(object)
