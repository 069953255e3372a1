"""How a user's function gets to a worker: by value, and as the same object for the same function there.

It may come from a notebook or from a file that no worker can import, so its code is pickled, with that of helpers in
modules of the user's own. Kernels are compiled once for each function object, so a worker must not get a new object
with every task.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle

PACKAGE = "pymacco_sim"


def is_users(module: ModuleType | None) -> bool:
    """Whether a module is a file of the user's own: neither installed nor part of Python or of this package."""
    file = getattr(module, "__file__", None)
    if module is None or not isinstance(file, str) or module.__name__.split(".")[0] == PACKAGE:
        return False
    return not any(Path(file).is_relative_to(place) for place in _installed())


@lru_cache(maxsize=1)
def _installed() -> frozenset[str]:
    paths = sysconfig.get_paths()
    return frozenset(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))


@lru_cache(maxsize=1024)
def pack_function(function: Callable[..., Any]) -> bytes:
    """Return a function with its code and all that it reads; what is installed goes as a name only."""
    own = [module for name, module in list(sys.modules.items()) if name != "__main__" and is_users(module)]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        return bytes(cloudpickle.dumps(function))
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)


@lru_cache(maxsize=1024)
def unpack_function(packed: bytes) -> Callable[..., Any]:
    """Return the function of :func:`pack_function`, the same object every time in one process."""
    function: Callable[..., Any] = cloudpickle.loads(packed)
    return function


def rebuild(kind: Callable[..., Any], fields: dict[str, Any], packed: bytes) -> Any:
    """Return an object of `kind` with these fields and the function that travelled."""
    return kind(**fields, function=unpack_function(packed))
