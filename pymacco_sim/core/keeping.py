"""Things made once and kept for the next time, as long as they do not take too much memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")

REST_BYTES = 4096
"""What a thing takes beside its arrays, about."""


class Keeper(Generic[Thing]):
    """Keeps what was made; when its arrays take more than `most_bytes` together, what was not used for longest goes.

    Parameters
    ----------
    most_bytes : int
        The newest thing stays, however large it is.

    Examples
    --------
    >>> keeper = Keeper(1_000_000)
    >>> keeper.get("answer", lambda: 42), keeper.get("answer", lambda: 43)
    (42, 42)
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._things: OrderedDict[Hashable, tuple[Thing, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """Return what is kept under `key`, or make it; one thread at a time, so nothing is made twice at once."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key][0]
            thing = make()
            size = count_bytes(thing)
            self._things[key] = thing, size
            self._bytes += size
            while self._bytes > self.most_bytes and len(self._things) > 1:
                self._bytes -= self._things.popitem(last=False)[1][1]
            return thing


def count_bytes(thing: object) -> int:
    """Return about how many bytes a thing takes: the arrays among its attributes, and something for the rest."""
    return REST_BYTES + sum(int(getattr(value, "nbytes", 0)) for value in getattr(thing, "__dict__", {}).values())
