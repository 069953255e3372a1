"""What is kept for the next time: made once, and no more of it than asked for."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from pymacco_sim.core.keeping import Keeper, count_bytes


def thing(kilobytes: int) -> SimpleNamespace:
    return SimpleNamespace(array=np.zeros(kilobytes * 1024, dtype=np.uint8), name="x")


def test_a_thing_counts_its_arrays() -> None:
    assert count_bytes(thing(100)) - count_bytes(thing(0)) == 100 * 1024
    assert count_bytes(7) > 0


def test_what_was_not_used_for_longest_goes() -> None:
    keeper: Keeper[SimpleNamespace] = Keeper(250 * 1024)
    first, second = keeper.get("first", lambda: thing(100)), keeper.get("second", lambda: thing(100))
    assert keeper.get("first", lambda: thing(100)) is first
    keeper.get("third", lambda: thing(100))
    assert keeper.get("first", lambda: thing(100)) is first
    assert keeper.get("second", lambda: thing(100)) is not second


def test_the_newest_stays_however_large() -> None:
    keeper: Keeper[SimpleNamespace] = Keeper(1024)
    large = keeper.get("large", lambda: thing(100))
    assert keeper.get("large", lambda: thing(100)) is large
