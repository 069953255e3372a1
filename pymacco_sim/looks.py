"""When to look at a running comparison, and when to stop it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pymacco_sim._check import RequestError

FIRST_LOOK = 2_000
"""Units before the first look: the sequence's normal approximation needs some."""

GROWTH = 1.25


def plan_looks(n_units: int, sequential: bool) -> Iterator[tuple[int, int]]:
    """Yield (first unit, units) of the stages between looks: one stage, or growing ones.

    Stages do not depend on workers or on time, so that a sequential run stops at the same game everywhere.

    Examples
    --------
    >>> list(plan_looks(5000, True))
    [(0, 2000), (2000, 500), (2500, 625), (3125, 781), (3906, 976), (4882, 118)]
    """
    done = 0
    while done < n_units:
        step = n_units if not sequential else FIRST_LOOK if done == 0 else int(done * (GROWTH - 1))
        step = min(step, n_units - done)
        yield done, step
        done += step


def planned_units(n_units: int) -> int:
    """Return where the sequence of a run of at most `n_units` is to be tightest: early, where most runs stop.

    Examples
    --------
    >>> planned_units(10**9)
    20000
    """
    return min(n_units, 10 * FIRST_LOOK)


def read_until(until: Any) -> float | None:
    """Return the wanted half-width, 0.0 for ``"decided"``, None for no stopping.

    Raises
    ------
    RequestError
        If it is something else.
    """
    if until is None:
        return None
    if isinstance(until, str) and until.lower() == "decided":
        return 0.0
    try:
        width = float(until)
    except (TypeError, ValueError):
        width = -1.0
    if not 0 < width < float("inf"):
        raise RequestError(f"until is {until!r}; it must be 'decided', or the half-width to reach, such as 0.001.")
    return width
