"""The contract of a game: rules, policies, entrants, cells, outcomes.

A game is added by one subclass of :class:`Game` and its kernels; everything above this floor (simulation, sweeps,
comparisons, replay, the command line, plots) knows games only through what stands here.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from pymacco_sim._check import Allowed, RequestError, unknown
from pymacco_sim.core.limits import MAX_PARAMETERS
from pymacco_sim.core.travel import pack_function, rebuild

FINISHED, CAP, CYCLE, IDLE = 0, 1, 2, 3
STATUS_NAMES = ("finished", "cap", "cycle", "idle")
"""Words for the values of the outcome column `status`; all but ``finished`` are stalls, by cause."""

ILLEGAL = -1
"""Status of a game that stopped at an illegal decision; outcome rows 1 to 3 then hold seat, decision and part."""

RulesT = TypeVar("RulesT", bound="Rules")


# --- rules -------------------------------------------------------------------------------------------------------


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
            value = item.metadata["allowed"].convert(item.name, getattr(self, item.name))
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


# --- policies ----------------------------------------------------------------------------------------------------


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
        if self.options:
            word = str(value).lower()
            if word not in self.options:
                raise unknown(label, value, self.options)
            return word
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        wrong = isinstance(value, bool) or not self.low <= number <= self.high
        if wrong or (self.whole and not number.is_integer()):
            kind = "a whole number" if self.whole else "a number"
            listed = isinstance(value, str) and "," in value
            hint = f" Several are for a sweep: --{self.name} {value}." if listed else ""
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


# --- cells and outcomes ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """What is played: rules, line-up and random key. With a game number it names one game for ever.

    Parameters
    ----------
    game : str
        Family name.
    preset : str
        Name under which the user asked for it.
    rules : Rules
    entrants : tuple of Entrant
        One a seat; entrant 0 sits at seat 0 unless seats rotate.
    scope : str
        How much is one game: one of :attr:`Game.scopes`.
    rotate : bool
        Whether game `g` plays deal ``g // n_seats`` with entrant `j` at seat ``(j + g % n_seats) % n_seats``.
    seed : int
        0 to 2**64 - 1.
    stream : int
        Second half of the random key; cells share 0 for common random numbers.
    """

    game: str
    preset: str
    rules: Rules
    entrants: tuple[Entrant, ...]
    scope: str
    rotate: bool = False
    seed: int = 0
    stream: int = 0

    def __hash__(self) -> int:
        # Plans and set-ups are looked up by cell once a block of games, so the hash is worked out only once.
        known = self.__dict__.get("_hash")
        if known is None:
            known = hash((self.game, self.rules, self.entrants, self.scope, self.rotate, self.seed, self.stream))
            self.__dict__["_hash"] = known
        return int(known)

    def __getstate__(self) -> dict[str, Any]:
        # Hashes of texts differ from process to process.
        return {key: value for key, value in self.__dict__.items() if key != "_hash"}

    @property
    def n_seats(self) -> int:
        """Number of seats."""
        return len(self.entrants)

    @property
    def unit(self) -> int:
        """Games that share one deal: the independent unit of every interval."""
        return self.n_seats if self.rotate else 1


@dataclass(frozen=True)
class Outcome:
    """One integer that a game reports, per game or per seat.

    Parameters
    ----------
    name : str
        Stem of its table columns: ``"turns"``, ``"win"``.
    words : str
        What it is, with its unit.
    seat : bool
        One value a seat instead of one a game.
    scale : int
        The integer counts ``1 / scale``.
    per : str
        What it is averaged over: ``"game"``, ``"finished"``, ``"cycle"`` (games of that status), or the name of
        another outcome (a ratio, such as busts per turn).
    share : bool
        Whether it lies in [0, 1] and is reported as ``NAME_share``, else as ``NAME_mean``.
    histogram : bool
        Whether its distribution over the games of `per` is kept (quantiles, plots).
    better : {-1, 0, 1}
        Whether more (1) or less (-1) is better for the player.
    """

    name: str
    words: str
    seat: bool = False
    scale: int = 1
    per: str = "game"
    share: bool = False
    histogram: bool = False
    better: int = 0


def column_names(outcomes: Sequence[Outcome], n_seats: int) -> list[str]:
    """Return the row labels of an outcome block: ``status``, then each outcome, once or once a seat.

    Examples
    --------
    >>> column_names([Outcome("turns", "turns"), Outcome("win", "first out", seat=True)], 2)
    ['status', 'turns', 'win_0', 'win_1']
    """
    names = ["status"]
    for outcome in outcomes:
        names += [f"{outcome.name}_{seat}" for seat in range(n_seats)] if outcome.seat else [outcome.name]
    return names


# --- the game ----------------------------------------------------------------------------------------------------


class Game(ABC):
    """A family of games on one engine."""

    name: ClassVar[str]
    words: ClassVar[str]
    rules_type: ClassVar[type[Rules]]
    presets: ClassVar[Mapping[str, Preset]]
    parts: ClassVar[tuple[str, ...]]
    """Kinds of decision, the main one first: a policy's `part` is one of them."""
    default_parts: ClassVar[tuple[str, ...]]
    """Name of the policy that takes the decisions of each further part unless one is asked for."""
    policies: ClassVar[tuple[Policy, ...]]
    scopes: ClassVar[tuple[str, ...]]
    """How much one game may be, the usual one first."""
    block: ClassVar[int] = 4096
    """Games that one call of :meth:`play` gets: enough to hide the call, few enough to stop within a fraction of a
    second."""
    fills_block: ClassVar[bool] = False
    """Whether :meth:`play` writes every row of every game; otherwise the block is all 0 before."""
    table_style: ClassVar[bool] = False
    """Whether a plain Python function of four arguments may be tabulated (see :mod:`pymacco_sim.games.load`)."""

    def find_policy(self, name: str, part: str | None = None) -> Policy:
        """Return the built-in policy of that name for a part (the main one by default)."""
        part = part or self.parts[0]
        names = [policy.name for policy in self.policies if policy.part == part]
        for policy in self.policies:
            if policy.part == part and policy.name == name.lower():
                return policy
        raise unknown(f"{self.name} policy", name, names)

    def make_rules(self, preset: str, fields: Mapping[str, Any]) -> Rules:
        """Return the rules of a preset with some fields changed."""
        return self.rules_type().replace(**{**self.presets[preset].fields, **fields})

    def seat_rules(self, rules: Rules, n_seats: int) -> Rules:
        """Return `rules` for that many seats; the base checks nothing, a game with a `players` rule sets it."""
        return rules

    def pick_scope(self, scope: str | None, n_seats: int) -> str:
        """Return the scope that was asked for, or the usual one for that many seats."""
        if scope is None:
            return self.scopes[0]
        if scope not in self.scopes:
            raise unknown(f"scope of {self.name}", scope, self.scopes)
        return scope

    @abstractmethod
    def outcomes(self, cell: Cell) -> tuple[Outcome, ...]:
        """Return what a game reports, in the order of the outcome block's rows (after ``status``)."""

    @abstractmethod
    def prepare(self, cell: Cell) -> Any:
        """Compile, tabulate and pack everything that :meth:`play` needs; checks what only the game can check.

        Raises
        ------
        RequestError, PolicyError
            If the cell cannot be played.
        """

    @abstractmethod
    def play(self, setup: Any, first: int, out: np.ndarray) -> None:
        """Play games `first`, `first` + 1, ... and fill `out` (int32, one row an outcome column, one column a game).

        A game that stops at an illegal decision gets status :data:`ILLEGAL`, and no later game is played.
        """

    @abstractmethod
    def record(self, setup: Any, game: int) -> list[dict[str, Any]]:
        """Play one game by the same functions and return it as JSON-ready rows, one an event, the deal first."""

    @abstractmethod
    def narrate(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Yield the lines of a transcript that a player can read."""

    def explain_illegal(self, setup: Any, seat: int, decision: int, part: int) -> str:
        """Return what was wrong with a decision, in words; the caller adds policy, seat, game and replay command."""
        return f"decision {decision} for {self.parts[part]}"
