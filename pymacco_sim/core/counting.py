"""From outcome blocks to integer sums: the same answer in any order of blocks, chunks and workers.

Every estimate of the package is a ratio ``sum(x) / sum(y)`` over independent units (games, or the group of games
that rotate the seats over one deal): a mean has ``y = 1``, a figure over finished games ``y = 1`` only for those, a
rate such as busts per turn ``y = turns``. Five integer sums a ratio give its value and its variance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pymacco_sim._jit import jit

ALL = -1
"""Mask: every game counts; a mask of 0 or more is the status that counts."""

SPEC = np.dtype(
    [
        ("top", np.int64),
        ("top_seat", np.int64),
        ("bottom", np.int64),
        ("bottom_seat", np.int64),
        ("turning", np.int64),
        ("mask", np.int64),
        ("value", np.int64),
    ]
)
"""One ratio: rows of numerator and denominator (-1: the constant 1), the seat to add to each (-1: none), whether that
seat turns with the rotation, the mask, and which value of the numerator is counted (:data:`PLAIN`: the number itself
is summed)."""

PLAIN = -1

X, Y, XX, XY, YY = range(5)


@jit
def mark_stalled(out):
    """Set the last row of an outcome block to 1 for a stalled game, else 0.

    Returns
    -------
    int
        The first game with a status below 0, which stopped at an illegal decision; -1 if there is none.
    """
    status, stalled, lowest = out[0], out[out.shape[0] - 1], np.int32(0)
    for game in range(out.shape[1]):
        stalled[game] = np.int32(status[game] > 0)
        lowest = min(lowest, status[game])
    if lowest < 0:
        for game in range(out.shape[1]):
            if status[game] < 0:
                return game
    return -1


@jit
def sum_ratios(out, unit, n_seats, first, specs, sums):
    """Add the five sums of each ratio over the units of one block.

    Parameters
    ----------
    out : int32[n_rows, n_games]
        Outcome block; row 0 is the status.
    unit : int
        Games a unit; divides `first` and n_games.
    n_seats : int
    first : int
        Number of the block's first game.
    specs : SPEC[n_ratios]
    sums : int64[n_ratios, 5]
        Added to in place.
    """
    for index in range(specs.size):
        spec = specs[index]
        top = spec.top + max(spec.top_seat, 0)
        bottom = spec.bottom + max(spec.bottom_seat, 0)
        if unit > 1 or spec.turning or spec.value != PLAIN or (spec.mask != ALL and spec.bottom >= 0):
            _sum_units(out, unit, n_seats, first, spec, sums[index])
        elif spec.mask != ALL:
            _sum_masked(out[0], spec.mask, out[top], sums[index])
        elif spec.bottom < 0:
            _sum_row(out[top], sums[index])
        else:
            _sum_rows(out[top], out[bottom], sums[index])


@jit
def _sum_row(top, sums):
    x = xx = np.int64(0)
    for game in range(top.size):
        value = np.int64(top[game])
        x += value
        xx += value * value
    sums[0] += x
    sums[1] += top.size
    sums[2] += xx
    sums[3] += x
    sums[4] += top.size


@jit
def _sum_masked(status, mask, top, sums):
    x = y = xx = np.int64(0)
    for game in range(top.size):
        kept = np.int64(status[game] == mask)
        value = kept * np.int64(top[game])
        x += value
        y += kept
        xx += value * value
    sums[0] += x
    sums[1] += y
    sums[2] += xx
    sums[3] += x
    sums[4] += y


@jit
def _sum_rows(top, bottom, sums):
    x = y = xx = xy = yy = np.int64(0)
    for game in range(top.size):
        p, q = np.int64(top[game]), np.int64(bottom[game])
        x += p
        y += q
        xx += p * p
        xy += p * q
        yy += q * q
    sums[0] += x
    sums[1] += y
    sums[2] += xx
    sums[3] += xy
    sums[4] += yy


@jit
def _sum_units(out, unit, n_seats, first, spec, sums):
    for start in range(0, out.shape[1], unit):
        p = q = np.int64(0)
        for game in range(start, start + unit):
            if spec.mask != ALL and out[0, game] != spec.mask:
                continue
            turn = (first + game) % n_seats if spec.turning else 0
            number = out[_row(spec.top, spec.top_seat, turn, n_seats), game]
            p += number if spec.value == PLAIN else np.int64(number == spec.value)
            q += out[_row(spec.bottom, spec.bottom_seat, turn, n_seats), game] if spec.bottom >= 0 else 1
        sums[0] += p
        sums[1] += q
        sums[2] += p * p
        sums[3] += p * q
        sums[4] += q * q


@jit
def _row(base, seat, turn, n_seats):
    return base if seat < 0 else base + (seat + turn) % n_seats


@jit
def rank_seats(status, values, kept, ranks):
    """Write the place of each seat: 1 and the number of seats that are ahead of it, 0 for none.

    Parameters
    ----------
    status : int32[n_games]
        0 for a finished game.
    values : int32[n_seats, n_games]
        Less is better.
    kept : bool
        Whether a seat has its place in an unfinished game too, if no other seat has the same value.
    ranks : int32[n_seats, n_games]
        Filled.
    """
    for game in range(status.size):
        for seat in range(values.shape[0]):
            own, ahead, alike = values[seat, game], 0, 0
            for other in range(values.shape[0]):
                ahead += np.int64(values[other, game] < own)
                alike += np.int64(values[other, game] == own)
            has_place = status[game] == 0 or (kept and alike == 1)
            ranks[seat, game] = ahead + 1 if has_place else 0


@jit
def count_values(status, values, mask, bins):
    """Add a histogram of `values` (int32[n_games], each in ``[0, bins.size)``) over the games of a mask to `bins`."""
    for game in range(values.size):
        if mask == ALL or status[game] == mask:
            bins[values[game]] += 1


def add_bins(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Add two histograms (int64, bin = value) of any lengths.

    Examples
    --------
    >>> add_bins(np.array([1, 2]), np.array([1, 1, 5])).tolist()
    [2, 3, 5]
    """
    long, short = (first, second) if first.size >= second.size else (second, first)
    total = long.copy()
    total[: short.size] += short
    return total


@dataclass
class Tally:
    """The integers behind a result.

    Parameters
    ----------
    n_games, n_units : int
        Games played; independent units among them.
    statuses : int64[4]
        Games by status: finished, then stalls by cause.
    sums : object[n_ratios, 5]
        Python integers, so that no run is too long for them.
    bins : tuple of int64[...]
        Histograms, in the order of the plan.
    """

    n_games: int
    n_units: int
    statuses: np.ndarray
    sums: np.ndarray
    bins: tuple[np.ndarray, ...]

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.n_games + other.n_games,
            self.n_units + other.n_units,
            self.statuses + other.statuses,
            self.sums + other.sums,
            tuple(add_bins(a, b) for a, b in zip(self.bins, other.bins, strict=True)),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return the integers as lists, for files; plain tallies of disjoint games add up leaf by leaf."""
        return {
            "n_games": self.n_games,
            "n_units": self.n_units,
            "statuses": self.statuses.tolist(),
            "sums": self.sums.tolist(),
            "bins": [b.tolist() for b in self.bins],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Tally:
        """Return the tally of :meth:`to_plain`."""
        return cls(
            plain["n_games"],
            plain["n_units"],
            np.array(plain["statuses"], dtype=np.int64),
            np.array(plain["sums"], dtype=object).reshape(len(plain["sums"]), 5),
            tuple(np.array(b, dtype=np.int64) for b in plain["bins"]),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            (self.n_games, self.n_units) == (other.n_games, other.n_units)
            and np.array_equal(self.statuses, other.statuses)
            and np.array_equal(self.sums, other.sums)
            and all(np.array_equal(a, b) for a, b in zip(self.bins, other.bins, strict=True))
        )
