"""First and second moments of integer vectors, one vector an independent unit (a deal, a game).

Whatever a comparison wants to know (paired differences, who is ahead of whom, fairness of seats) is arithmetic on the
mean and the products of one vector a unit. Products of integers are formed by floating-point matrix multiplication,
block by block: every partial sum stays below 2**53, so the result is exact in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pymacco_sim._jit import jit
from pymacco_sim.core.counting import ALL

EXACT = 2.0**53


@jit
def sum_units(out, unit, n_seats, first, specs, tops, bottoms):
    """Fill numerator and denominator of each ratio, summed over the games of each unit of a block.

    Parameters
    ----------
    out : int32[n_rows, n_games]
    unit, n_seats, first, specs
        As for :func:`pymacco_sim.core.counting.sum_ratios`.
    tops, bottoms : float64[n_ratios, n_units]
        Filled; whole numbers.
    """
    for index in range(specs.size):
        spec = specs[index]
        for u in range(tops.shape[1]):
            p = q = np.int64(0)
            for game in range(u * unit, (u + 1) * unit):
                if spec.mask != ALL and out[0, game] != spec.mask:
                    continue
                turn = (first + game) % n_seats if spec.turning else 0
                top = spec.top if spec.top_seat < 0 else spec.top + (spec.top_seat + turn) % n_seats
                p += out[top, game]
                if spec.bottom < 0:
                    q += 1
                else:
                    q += out[
                        spec.bottom if spec.bottom_seat < 0 else spec.bottom + (spec.bottom_seat + turn) % n_seats, game
                    ]
            tops[index, u] = p
            bottoms[index, u] = q


@dataclass
class Moments:
    """Sums of unit vectors and of their products.

    Parameters
    ----------
    n_units : int
    total : object[k]
        Sum of the vectors, Python integers.
    products : object[k, k]
        Sum of their outer products, Python integers.
    """

    n_units: int
    total: np.ndarray
    products: np.ndarray

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n_units + other.n_units, self.total + other.total, self.products + other.products)

    def to_plain(self) -> dict[str, Any]:
        """Return the integers as lists, for files; the products' upper triangle only."""
        rows = [row[index:].tolist() for index, row in enumerate(self.products)]
        return {"n_units": self.n_units, "total": self.total.tolist(), "products": rows}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Moments:
        """Return the moments of :meth:`to_plain`."""
        size = len(plain["total"])
        products = np.empty((size, size), dtype=object)
        for index, row in enumerate(plain["products"]):
            products[index, index:] = row
            products[index:, index] = row
        return cls(plain["n_units"], np.array(plain["total"], dtype=object), products)


def collect_moments(vectors: np.ndarray) -> Moments:
    """Return the moments of unit vectors.

    Parameters
    ----------
    vectors : float64[k, n_units]
        Whole numbers.

    Returns
    -------
    Moments

    Raises
    ------
    OverflowError
        If a product is too large to be exact, which no game's outcomes are.

    Examples
    --------
    >>> collect_moments(np.array([[1.0, 2.0], [0.0, 1.0]])).products.tolist()
    [[5, 2], [2, 1]]
    """
    products = vectors @ vectors.T
    if products.size and products.max() >= EXACT:
        raise OverflowError("unit sums too large for exact products; play smaller blocks")
    return Moments(vectors.shape[1], _whole(vectors.sum(axis=1)), _whole(products))


def _whole(values: np.ndarray) -> np.ndarray:
    return values.astype(np.int64).astype(object)
