"""Who sits with whom: the line-ups of a tournament, and its deals in batches."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

N_BATCHES = 20
"""Fewest batches of deals from which the rating's intervals come (fewer deals: one batch a deal)."""


def make_line_ups(n_policies: int, n_seats: int, most: int, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """Return all line-ups of different policies (with copies if there are too few), or a balanced random sample.

    Examples
    --------
    >>> make_line_ups(3, 2, 10)
    ((0, 1), (0, 2), (1, 2))
    >>> make_line_ups(2, 3, 10)
    ((0, 0, 1), (0, 1, 1))
    """
    if n_policies >= n_seats:
        count = math.comb(n_policies, n_seats)
        found: Any = itertools.combinations(range(n_policies), n_seats)
    else:
        count = math.comb(n_policies + n_seats - 1, n_seats) - n_policies
        found = (c for c in itertools.combinations_with_replacement(range(n_policies), n_seats) if len(set(c)) > 1)
    if count <= most:
        return tuple(found)
    rng = np.random.default_rng(np.random.PCG64(seed))
    return _sample_line_ups(n_policies, n_seats, most, rng)


def _sample_line_ups(n_policies: int, n_seats: int, most: int, rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
    """Deal the policies out in shuffled rounds, so that all sit equally often, give or take one."""
    chosen: list[tuple[int, ...]] = []
    queue: list[int] = []
    while len(chosen) < most:
        line_up: list[int] = []
        while len(line_up) < n_seats:
            if not queue:
                queue = [int(i) for i in rng.permutation(n_policies)]
            usable = next((k for k, i in enumerate(queue) if i not in line_up), None)
            if usable is None:
                queue += [int(i) for i in rng.permutation(n_policies)]
                continue
            line_up.append(queue.pop(usable))
        chosen.append(tuple(sorted(line_up)))
    return tuple(chosen)


def cut_deals(deals: int) -> list[tuple[int, int]]:
    """Cut the deals into the ranges (first, number) of the rating's batches.

    A range is a power of two deals, so that those of a shorter tournament lie within those of a longer one; the last
    one may be shorter.

    Examples
    --------
    >>> [len(cut_deals(deals)) for deals in (7, 20, 1000, 1280)]
    [7, 20, 32, 20]
    >>> cut_deals(1000)[-2:]
    [(960, 32), (992, 8)]
    """
    size = 2 ** math.floor(math.log2(max(deals / N_BATCHES, 1)))
    return [(first, min(size, deals - first)) for first in range(0, deals, size)]
