"""Policies, the numbers that tune them, and who plays by them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError, point_to_sweep, unknown
from pymacco_sim.core.limits import MAX_PARAMETERS
from pymacco_sim.core.travel import pack_function, rebuild


@dataclass(frozen=True)
class Parameter:
    """One number, or one of a few words, that tunes a policy.

    Parameters
    ----------
    name : str
    default : float or str
    low, high : float
        Range of a number.
    words : str
        What it does.
    whole : bool
        Whether only whole numbers make sense.
    options : tuple of str
        For a choice among words; the policy sees the index of the word as a float.
    main : bool
        Whether the policy is hardly named without it: labels show it, default or not. Such parameters come first.
    """

    name: str
    default: float | str
    low: float = 0.0
    high: float = 1.0
    words: str = ""
    whole: bool = False
    options: tuple[str, ...] = ()
    main: bool = False

    @property
    def allowed(self) -> str:
        """Range or options, in words."""
        return ", ".join(self.options) if self.options else f"{self.low:g} to {self.high:g}"

    def convert(self, policy: str, value: Any) -> float | str:
        """Return `value` as this parameter holds it, or raise a :class:`RequestError` that names the policy."""
        label = f"{self.name} of policy {policy!r}"
        hint = f" {point_to_sweep(f'--{self.name} {value}')}" if isinstance(value, str) and "," in value else ""
        if self.options:
            word = str(value).lower()
            if word not in self.options:
                raise RequestError(f"{unknown(label, value, self.options)}{hint}")
            return word
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        wrong = isinstance(value, bool) or not self.low <= number <= self.high
        if wrong or (self.whole and not number.is_integer()):
            kind = "a whole number" if self.whole else "a number"
            raise RequestError(f"{label} is {value!r}; it must be {kind} from {self.low:g} to {self.high:g}.{hint}")
        return int(number) if number.is_integer() else number

    def encode(self, value: float | str) -> float:
        """Return the float that the kernels see."""
        return float(self.options.index(str(value))) if self.options else float(value)


@dataclass(frozen=True)
class Policy:
    """A way to decide, before its parameters have values.

    Parameters
    ----------
    game : str
        Family: ``"macke"``, ``"shithead"``, ``"macao"``.
    name : str
    words : str
        What it does, for people.
    part : str
        Which kind of decision it takes; one of the game's :attr:`Game.parts`.
    parameters : tuple of Parameter
    stochastic : bool
        Whether it draws random numbers of its own.
    code : int
        Number of a built-in in the engine's switch; -1 for a user's.
    function : callable or None
        A user's Python function, or a built-in's own.
    style : str
        How `function` is turned into something fast: ``"compiled"`` (``(view, params[, stream])``) or, where a game
        has it, ``"table"``.
    source : str
        ``"built-in"``, a file's path, an entry point's name or ``"notebook"``.
    usual : tuple of str
        For a policy of the main part: the policies that take the decisions of the further parts unless others are
        asked for; empty for the game's :attr:`Game.default_parts`.
    """

    game: str
    name: str
    words: str
    part: str
    parameters: tuple[Parameter, ...] = ()
    stochastic: bool = False
    code: int = -1
    function: Callable[..., Any] | None = None
    style: str = "compiled"
    source: str = "built-in"
    usual: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.parameters) > MAX_PARAMETERS:
            raise RequestError(f"policy {self.name!r} has {len(self.parameters)} parameters; at most {MAX_PARAMETERS}.")

    def __call__(self, *arguments: Any) -> Any:
        """Call the function in plain Python: a decorated policy still works as the function it was."""
        if self.function is None:
            raise RequestError(f"policy {self.name!r} is built in and has no Python function to call.")
        return self.function(*arguments)

    def __reduce__(self) -> Any:
        """Travel to a worker: a user's function goes by value, and is one and the same object there every time."""
        fields = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        function = fields.pop("function")
        if function is None or self.code >= 0:
            return _restore, (type(self), fields, function)
        return rebuild, (type(self), fields, pack_function(function))

    def values(self, given: Mapping[str, Any]) -> tuple[float | str, ...]:
        """Return one value a parameter: the given one, checked, or the default."""
        names = [parameter.name for parameter in self.parameters]
        for name in given:
            if name not in names:
                raise unknown(f"parameter of policy {self.name!r}", name, names)
        return tuple(p.convert(self.name, given.get(p.name, p.default)) for p in self.parameters)


def _restore(kind: type[Policy], fields: dict[str, Any], function: Callable[..., Any] | None) -> Policy:
    return kind(**fields, function=function)


@dataclass(frozen=True)
class Decider:
    """A policy with values for its parameters."""

    policy: Policy
    values: tuple[float | str, ...]

    @property
    def label(self) -> str:
        """``"points:350:keep=best"``: the name, the main parameters, and the others that are not the default."""
        pairs = list(zip(self.policy.parameters, self.values, strict=True))
        main = [_plain(value) for p, value in pairs if p.main]
        changed = [f"{p.name}={_plain(value)}" for p, value in pairs if value != p.default and not p.main]
        return ":".join([self.policy.name, *main, *changed])

    @property
    def spec(self) -> str:
        """The label as it can be typed again: a policy from a file with its path in front."""
        path = self.policy.source if self.policy.source.endswith(".py") else ""
        return f"{path}:{self.label}" if path else self.label

    def encoded(self) -> np.ndarray:
        """Parameter values as the float64 row (padded with 0) that kernels read."""
        row = np.zeros(MAX_PARAMETERS)
        for index, (parameter, value) in enumerate(zip(self.policy.parameters, self.values, strict=True)):
            row[index] = parameter.encode(value)
        return row


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


@dataclass(frozen=True)
class Entrant:
    """Who sits at a seat: one :class:`Decider` for each part of the game, the main part first."""

    deciders: tuple[Decider, ...]
    default_parts: tuple[str, ...] = ()

    @property
    def main(self) -> Decider:
        """The decider of the game's main part; it gives the entrant its name."""
        return self.deciders[0]

    @property
    def label(self) -> str:
        """The main decider's label, and ``+part=label`` for every part that is not the default."""
        return self._join(self.main.label)

    @property
    def spec(self) -> str:
        """The label as it can be typed again."""
        return self._join(self.main.spec)

    def _join(self, main: str) -> str:
        parts = zip(self.deciders[1:], self.default_parts, strict=True)
        return main + "".join(f"+{d.policy.part}={d.spec}" for d, usual in parts if d.label != usual)

    def parameters(self) -> dict[str, float | str]:
        """Parameter values of the main decider by name."""
        return {p.name: v for p, v in zip(self.main.policy.parameters, self.main.values, strict=True)}

    def changed(self, **values: Any) -> Entrant:
        """Return a copy with some parameters of the main decider changed."""
        policy = self.main.policy
        main = Decider(policy, policy.values({**self.parameters(), **values}))
        return dataclasses.replace(self, deciders=(main, *self.deciders[1:]))
