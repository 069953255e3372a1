"""The wording of errors, in one place: what came, what is allowed, what to do."""

from __future__ import annotations

import difflib
import os
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol

HOME = f"{Path(__file__).parent}{os.sep}"


class BriefError(Exception):
    """What a notebook shows in two lines instead of dozens."""

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this: the caller's own line and what is wrong, not the rooms in between.
        if os.environ.get("PYMACCO_DEBUG"):
            return traceback.format_exception(self)
        frames = traceback.extract_tb(self.__traceback__)
        callers = list(takewhile(lambda frame: not frame.filename.startswith(HOME), frames))
        where = [f"line {frame.lineno}: {frame.line}" for frame in callers[-1:]]
        return [*where, f"{type(self).__name__}: {self}"]


class RequestError(BriefError, ValueError):
    """A request that cannot be carried out as it stands; one line that says what came and what is allowed."""


class PolicyError(RequestError):
    """A policy that does not load, does not compile, or took a decision that the rules forbid."""


class StorageError(BriefError, RuntimeError):
    """A file that cannot be written or read; one line that says which, why, and what is safe."""


class WorkerError(BriefError, RuntimeError):
    """Workers that died and could not be replaced."""


class Stopped(KeyboardInterrupt):
    """An interruption that says what is saved."""


class InterruptedRun(RuntimeError):  # noqa: N818, it is no error
    """The end of an interrupted command: what is saved, and the command that goes on."""


def unknown(what: str, came: object, allowed: Iterable[str]) -> RequestError:
    """Build the error for a name nobody knows, with the nearest right one.

    Parameters
    ----------
    what : str
        The kind of thing that was named: ``"game"``, ``"policy"``.
    came : object
        What was asked for.
    allowed : iterable of str
        All right names.

    Returns
    -------
    RequestError
        To be raised by the caller.

    Examples
    --------
    >>> print(unknown("game", "threas", ["macke", "threes"]))
    unknown game 'threas': did you mean 'threes'? Allowed: macke, threes.
    """
    names = list(allowed)
    close = difflib.get_close_matches(str(came).lower(), names, n=1, cutoff=0.5)
    hint = f": did you mean {close[0]!r}?" if close else "."
    listed = ", ".join(names) if names else "none"
    return RequestError(f"unknown {what} {came!r}{hint} Allowed: {listed}.")


def point_to_sweep(option: str) -> str:
    """Return where several values belong.

    Examples
    --------
    >>> point_to_sweep("--keep 0,10")
    'Several are for a sweep: --keep 0,10.'
    """
    return f"Several are for a sweep: {option}."


def whole(name: str, value: Any, low: int, high: int) -> int:
    """Return `value` as an int in ``[low, high]``; ``"1e6"`` and ``1e6`` count as whole numbers.

    Raises
    ------
    RequestError
        If it is not a whole number in that range.

    Examples
    --------
    >>> whole("n_games", "1e6", 1, 10**12)
    1000000
    """
    allowed = f"a whole number from {_short(low)} to {_short(high)}"
    number = None if isinstance(value, bool) else _as_whole(value)
    if number is None or not low <= number <= high:
        raise RequestError(f"{name} is {value!r}; it must be {allowed}.")
    return number


def _as_whole(value: Any) -> int | None:
    try:
        return int(value.replace("_", "")) if isinstance(value, str) else value.__index__()
    except (AttributeError, TypeError, ValueError):
        pass
    try:
        number = float(value.replace("_", "") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else None


def _short(number: int) -> str:
    text = f"{number:.0e}".replace("e+0", "e").replace("e+", "e")
    return text if number >= 10**7 and int(float(text)) == number else f"{number:,}"


def real(name: str, value: Any, low: float, high: float) -> float:
    """Return `value` as a float in ``[low, high]``.

    Raises
    ------
    RequestError
        If it is not a number in that range.

    Examples
    --------
    >>> real("greed", "0.3", 0.0, 1.0)
    0.3
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not low <= number <= high:
        raise RequestError(f"{name} is {value!r}; it must be a number from {low:g} to {high:g}.")
    return number


class Allowed(Protocol):
    """What a rule field may hold: `words` says it, `convert` turns a value or a text into it or raises."""

    @property
    def words(self) -> str: ...

    def convert(self, name: str, value: Any) -> Any: ...


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`."""

    low: int
    high: int

    @property
    def words(self) -> str:
        return f"{_short(self.low)} to {_short(self.high)}"

    def convert(self, name: str, value: Any) -> int:
        return whole(name, value, self.low, self.high)


@dataclass(frozen=True)
class Flag:
    """True or False; as text ``true/yes/on/1`` or ``false/no/off/0``."""

    @property
    def words(self) -> str:
        return "true or false"

    def convert(self, name: str, value: Any) -> bool:
        word = str(value).lower()
        if word in ("true", "yes", "on", "1"):
            return True
        if word in ("false", "no", "off", "0"):
            return False
        raise RequestError(f"{name} is {value!r}; it must be true or false.")


@dataclass(frozen=True)
class OneOf:
    """One of a few words."""

    options: tuple[str, ...]

    @property
    def words(self) -> str:
        return ", ".join(self.options)

    def convert(self, name: str, value: Any) -> str:
        word = str(value).lower().replace("-", "_")
        for option in self.options:
            if word == option.replace("-", "_"):
                return option
        raise unknown(name, value, self.options)
