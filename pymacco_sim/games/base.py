"""The contract of a game: cells, outcomes, and what a game must be able to do.

A game is added by one subclass of :class:`Game` and its kernels; everything above this floor (simulation, sweeps,
comparisons, replay, the command line, plots) knows games only through what stands here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pymacco_sim._check import unknown
from pymacco_sim.games.policy import Entrant, Policy
from pymacco_sim.games.rulebook import Preset, Rules

FINISHED, CAP, CYCLE, IDLE = 0, 1, 2, 3
STATUS_NAMES = ("finished", "cap", "cycle", "idle")
"""Words for the values of the outcome column `status`; all but ``finished`` are stalls, by cause."""

ILLEGAL = -1
"""Status of a game that stopped at an illegal decision; outcome rows 1 to 3 then hold seat, decision and part."""


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

    @property
    def spoken(self) -> str:
        """The game as users name it: by itself, or by its presets."""
        return self.name if self.name in self.presets else "/".join(self.presets)

    def find_policy(self, name: str, part: str | None = None) -> Policy:
        """Return the built-in policy of that name for a part (the main one by default)."""
        part = part or self.parts[0]
        names = [policy.name for policy in self.policies if policy.part == part]
        for policy in self.policies:
            if policy.part == part and policy.name == name.lower():
                return policy
        raise unknown(f"{self.spoken} policy", name, names)

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
