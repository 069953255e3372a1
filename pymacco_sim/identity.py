"""What makes two runs the same: the description of a cell, the fingerprints of its code, and the key of both."""

from __future__ import annotations

import dis
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from pymacco_sim._version import __version__
from pymacco_sim.core.travel import is_users
from pymacco_sim.games.base import Cell
from pymacco_sim.games.policy import Decider, Policy

PACKAGE = Path(__file__).parent
MAX_DEPTH = 8


def fingerprint(decider: Decider) -> str:
    """Return 16 hex digits that change when a user's policy code changes; built-ins go by the package's version.

    The code of helper functions counts, and the values of globals, defaults and closures that it reads: numbers,
    texts, arrays, lists and dictionaries of them, and modules of the user's own. Comments and line numbers do not.
    """
    function = decider.policy.function
    if decider.policy.code >= 0 or function is None:
        return ""
    if decider.policy.style == "plan":
        return hash_plain(function.describe())[:16]  # type: ignore[attr-defined]
    return hashlib.sha256("\n".join(_tell(function, frozenset(), 0)).encode()).hexdigest()[:16]


def _tell(value: Any, seen: frozenset[int], depth: int) -> Iterator[str]:
    """Yield texts that are the same in every process and differ when `value` behaves differently."""
    if id(value) in seen or depth > MAX_DEPTH:
        return
    seen |= {id(value)}
    inner = value.function if isinstance(value, Policy) else getattr(value, "py_func", value)
    if isinstance(value, np.ndarray):
        yield f"array {value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    elif isinstance(value, CodeType):
        yield from _tell_code(value, seen, depth)
    elif hasattr(inner, "__code__"):
        yield from _tell_function(inner, seen, depth)
    elif isinstance(value, ModuleType):
        yield _tell_module(value)
    elif isinstance(value, (set, frozenset)):
        yield "set " + " ".join(sorted(" ".join(_tell(item, seen, depth + 1)) for item in value))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from (f"key {key!r}", *_tell(item, seen, depth + 1))
    elif isinstance(value, (tuple, list)):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _tell(item, seen, depth + 1)
    elif value is None or isinstance(value, (int, float, complex, str, bytes, bool, np.generic)):
        yield f"{type(value).__name__} {value!r}"
    else:
        yield f"a {type(value).__qualname__} {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"


def _tell_code(code: CodeType, seen: frozenset[int], depth: int) -> Iterator[str]:
    yield f"code {code.co_argcount} {code.co_code.hex()} {' '.join((*code.co_names, *code.co_freevars))}"
    for constant in code.co_consts:
        yield from _tell(constant, seen, depth + 1)


def _tell_function(function: Any, seen: frozenset[int], depth: int) -> Iterator[str]:
    if str(getattr(function, "__module__", "")).split(".")[0] == PACKAGE.name:
        yield f"own {function.__module__}.{function.__qualname__}"
        return
    yield from _tell_code(function.__code__, seen, depth)
    for name in sorted(_global_names(function.__code__)):
        if name in function.__globals__:
            yield from (f"global {name}", *_tell(function.__globals__[name], seen, depth + 1))
    for cell in function.__closure__ or ():
        yield from _tell(cell.cell_contents, seen, depth + 1)
    yield from _tell(function.__defaults__ or (), seen, depth + 1)


def _global_names(code: CodeType) -> set[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _global_names(constant)
    return names


def _tell_module(module: ModuleType) -> str:
    if not is_users(module):
        return f"module {module.__name__}"
    return f"module {module.__name__} {_hash_file(Path(str(module.__file__)))}"


def _hash_file(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


@lru_cache(maxsize=16)
def engine_code(family: str) -> str:
    """Return 16 hex digits of the source that plays a family's games, so that no two editions of it ever mix."""
    return hash_sources("core", "games", f"games/{family}", "play.py", "panel.py")


@lru_cache(maxsize=16)
def hash_sources(*places: str) -> str:
    """Return 16 hex digits of the package's source in these folders (not below them) and files."""
    files: set[Path] = set()
    for place in places:
        path = PACKAGE / place
        files |= {path} if path.suffix else set(path.glob("*.py"))
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path.relative_to(PACKAGE).as_posix()} {_hash_file(path)}\n".encode())
    return total.hexdigest()[:16]


def describe_cell(cell: Cell) -> dict[str, Any]:
    """Return everything that fixes the games of a cell, as plain values."""
    policies = []
    for entrant in cell.entrants:
        codes = [code for decider in entrant.deciders if (code := fingerprint(decider))]
        policies.append({"policy": entrant.spec} | ({"code": "+".join(codes)} if codes else {}))
    return {
        "game": cell.preset,
        "rules": cell.rules.to_dict(),
        "policies": policies,
        "scope": cell.scope,
        "seating": "rotate" if cell.rotate else "fixed",
        "seed": cell.seed,
        "stream": cell.stream,
        "version": __version__,
    }


@lru_cache(maxsize=4096)
def cell_key(cell: Cell) -> str:
    """Return 32 hex digits that name a cell's games for ever: equal keys, equal games.

    Examples
    --------
    >>> from pymacco_sim.games.registry import make_cell
    >>> one, two = (make_cell("macke", "points:350", seed=seed) for seed in (1, 2))
    >>> cell_key(one) == cell_key(two)
    False
    """
    exact = [[repr(value) for value in decider.values] for e in cell.entrants for decider in e.deciders]
    return hash_plain({**describe_cell(cell), "values": exact, "engine": engine_code(cell.game)})


def hash_plain(value: Any) -> str:
    """Return 32 hex digits of plain values (mappings, lists, texts, numbers), whatever the order of the keys."""
    text = json.dumps(value, sort_keys=True, default=str, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
