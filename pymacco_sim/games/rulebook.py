"""Rules as data: fields with their words and limits, and named sets of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pymacco_sim._check import Allowed, RequestError, point_to_sweep, unknown

RulesT = TypeVar("RulesT", bound="Rules")


def rule(default: Any, words: str, allowed: Allowed, mark: str = "S") -> Any:
    """Declare one rule field of a :class:`Rules` dataclass.

    Parameters
    ----------
    default : object
        Value in the family's main preset.
    words : str
        What the rule says, for people.
    allowed : Allowed
        Which values it may take; converts texts of the command line as well.
    mark : {"S", "R"}
        Whether a source states the default or it is this project's reading.

    Returns
    -------
    dataclasses.field
    """
    return field(default=default, metadata={"words": words, "allowed": allowed, "mark": mark})


@dataclass(frozen=True)
class Rules:
    """Base of all rules: a frozen dataclass whose fields are declared by :func:`rule`.

    Values are converted and checked on construction; a subclass adds checks across fields in :meth:`check`.

    Raises
    ------
    RequestError
        If a value is not allowed, or values do not go together.
    """

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            came = getattr(self, item.name)
            try:
                value = item.metadata["allowed"].convert(item.name, came)
            except RequestError as error:
                if isinstance(came, str) and "," in came:
                    raise RequestError(f"{error} {point_to_sweep(f'--rule {item.name}={came}')}") from error
                raise
            object.__setattr__(self, item.name, value)
        self.check()

    def check(self) -> None:
        """Check what no single field can tell; raises :class:`RequestError`."""

    def replace(self: RulesT, **fields: Any) -> RulesT:
        """Return a copy with some fields changed; an unknown field is an error that names the nearest right one."""
        known = [item.name for item in dataclasses.fields(self)]
        for name in fields:
            if name not in known:
                raise unknown("rule", name, known)
        return dataclasses.replace(self, **fields)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values that JSON and TOML can hold."""
        plain = dataclasses.asdict(self)
        return {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}

    def describe(self) -> list[dict[str, Any]]:
        """Return one row a field: name, value, allowed values, words, and who says so."""
        return [
            {
                "rule": item.name,
                "value": getattr(self, item.name),
                "allowed": item.metadata["allowed"].words,
                "says": {"S": "source", "R": "reading"}[item.metadata["mark"]],
                "words": item.metadata["words"],
            }
            for item in dataclasses.fields(self)
        ]


def join_items(items: Iterable[Any]) -> str:
    """Return a rule's ranks, or numbers by rank, as the command line takes them.

    Examples
    --------
    >>> join_items(["2", "8"]), join_items([("2", 10), ("3", 15)]), join_items([])
    ('2+8', '2:10+3:15', 'none')
    """
    texts = (":".join(map(str, item)) if isinstance(item, (list, tuple)) else str(item) for item in items)
    return "+".join(texts) or "none"


@dataclass(frozen=True)
class Preset:
    """A named rule set of a game.

    Parameters
    ----------
    name : str
        As users type it: ``"threes-2022"``.
    words : str
        One line for people.
    fields : mapping
        What differs from the defaults of the game's :class:`Rules`.
    seats : tuple of int
        Fewest and most seats.
    default_seats : int
        Seats that a single policy fills; 1 means that it plays alone.
    """

    name: str
    words: str
    fields: Mapping[str, Any]
    seats: tuple[int, int]
    default_seats: int
