"""Macke by the names of its source: four classes that roll, play a turn, a session, and many of them.

They are faces of the same engine: the same seed and game number give the same dice as :func:`pymacco_sim.simulate`,
:func:`pymacco_sim.sweep` and :func:`pymacco_sim.replay`. Here is also what a compiled Macke policy needs.

Examples
--------
>>> from pymacco_sim.macke import DiceRolls, PlayGame, RunSession
>>> DiceRolls([1, 1, 5, 2, 4]).points
250
>>> session = RunSession("points", 350, seed=1)
>>> session.total >= 5000
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pymacco_sim._check import RequestError, whole
from pymacco_sim.core.streams import CHANCE, draw_below, draw_uniform, seed_stream
from pymacco_sim.games.base import Cell
from pymacco_sim.games.macke.game import GAME
from pymacco_sim.games.macke.rolls import Choice, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.macke.state import View, keep
from pymacco_sim.games.registry import MAX_SEED, make_cell
from pymacco_sim.play import MAX_GAMES, prepare_cell

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Choice",
    "CreateSummaryData",
    "DiceRolls",
    "MackeRules",
    "PlayGame",
    "RunSession",
    "View",
    "draw_below",
    "draw_uniform",
    "keep",
]

Rules = MackeRules | Mapping[str, Any] | None
Threshold = float | Sequence[float] | None


def _read_rules(rules: Rules) -> MackeRules:
    return rules if isinstance(rules, MackeRules) else MackeRules().replace(**(rules or {}))


class DiceRolls:
    """Some dice, rolled or given, and what they are worth.

    Parameters
    ----------
    dice : int or sequence of int
        How many dice to roll, or the pips of a roll.
    seed, game : int
        Name the dice: the first roll of this object is the first roll of that game.
    rules : MackeRules or mapping, optional

    Attributes
    ----------
    rolls : tuple of int
        The pips.
    macke : bool
        Whether no die scores.
    toaks : tuple of int
        Pips that came up three times or more.
    points : int
        Points if every scoring die is taken; 0 for a Macke.
    remaining : int
        Dice left then; all of them for a Macke.
    choices : tuple of Choice
        All there is to choose: fewest dice left first, then most points.

    Raises
    ------
    RequestError
        If these are no dice of the rules.

    Examples
    --------
    >>> roll = DiceRolls([3, 3, 3, 5, 2])
    >>> roll.macke, roll.toaks, roll.points, roll.remaining
    (False, (3,), 350, 1)
    """

    def __init__(self, dice: int | Sequence[int] = 5, *, seed: int = 0, game: int = 0, rules: Rules = None) -> None:
        self.rules = _read_rules(rules)
        self._tables = enumerate_rolls(self.rules)
        self._stream = np.zeros(4, dtype=np.uint32)
        key = np.uint64(whole("seed", seed, 0, MAX_SEED)), np.uint64(whole("game", game, 0, MAX_GAMES))
        seed_stream(self._stream, key[0], np.uint64(0), key[1], CHANCE)
        if isinstance(dice, (Sequence, np.ndarray)) and not isinstance(dice, str):
            self.evaluate(dice)
        else:
            self.roll(dice)

    def roll(self, dice: int | None = None) -> DiceRolls:
        """Roll that many dice (None: those remaining, or all of them), evaluate them, and return this object."""
        count = (self.remaining or self.rules.dice) if dice is None else whole("dice", dice, 1, self.rules.dice)
        index = int(draw_below(self._stream, self.rules.sides**count))
        return self.evaluate([index // self.rules.sides**die % self.rules.sides + 1 for die in range(count)])

    def evaluate(self, rolls: Iterable[int]) -> DiceRolls:
        """Evaluate given pips and return this object."""
        self.rolls = tuple(int(whole("a die", pip, 1, self.rules.sides)) for pip in rolls)
        self.choices = self._tables.choices(self._tables.find(self.rolls))
        self.macke = not self.choices
        self.toaks = tuple(pip for pip in range(1, self.rules.sides + 1) if self.rolls.count(pip) >= 3)
        best = self.choices[0] if self.choices else Choice(0, len(self.rolls))
        self.points, self.remaining = best.points, best.dice_left
        return self

    def __repr__(self) -> str:
        worth = "Macke" if self.macke else f"{self.points} points, {self.remaining} left"
        return f"DiceRolls({' '.join(map(str, self.rolls))}: {worth})"


def _make_cell(
    method: str, threshold: Threshold, special: str | None, keep: str | None, seed: int, rules: Rules, scope: str
) -> Cell:
    """Return the cell of one player with that method."""
    values = _values(method, threshold, special)
    if keep is not None:
        values["keep"] = keep
    spec = ":".join([method, *(f"{name}={value}" for name, value in values.items())])
    return make_cell("macke", [spec], rules, seed=seed, scope=scope)


def _values(method: str, threshold: Threshold, special: str | None) -> dict[str, Any]:
    """Return the parameters of a method; a pair is points and dice."""
    names = {parameter.name for parameter in GAME.find_policy(method).parameters}
    values: dict[str, Any] = {} if special is None else {"special": special}
    if threshold is None:
        return values
    if isinstance(threshold, Sequence) and not isinstance(threshold, str):
        if "dice" not in names or len(threshold) != 2:
            pair = "a pair (points, dice)" if "dice" in names else "one number"
            raise RequestError(f"threshold of method {method!r} is {threshold!r}; it must be {pair}.")
        return {"threshold": threshold[0], "dice": threshold[1], **values}
    return {"threshold": threshold, **values}


class PlayGame:
    """One turn by a method and a threshold.

    Parameters
    ----------
    method : str
        ``"points"``, ``"dice"``, ``"rolls"``, ``"bust"``, ``"either"``, ``"both"``, ``"expected"`` or ``"optimal"``.
    threshold : number or pair, optional
        The method's number; a pair (points, dice) for ``either`` and ``both``; None for the method's default.
    keep : {"all", "fewest", "best"}, optional
    seed, game : int
        Name the dice.
    rules : MackeRules or mapping, optional

    Attributes
    ----------
    score : int
        Banked points; 0 after a bust.
    macke : bool
        Whether it was a bust.
    hot_dice : int
        How often all dice were set aside.
    rolls : list of DiceRolls
        Every roll of the turn.

    Raises
    ------
    RequestError
        If a name or value is not known or not allowed.

    Examples
    --------
    >>> turn = PlayGame("points", 350, seed=1)
    >>> turn.macke == turn.rolls[-1].macke
    True
    """

    def __init__(
        self,
        method: str = "points",
        threshold: Threshold = None,
        *,
        keep: str | None = None,
        seed: int = 0,
        game: int = 0,
        rules: Rules = None,
    ) -> None:
        cell = _make_cell(method, threshold, None, keep, seed, rules, "turn")
        number = whole("game", game, 0, MAX_GAMES)
        events = [row for row in GAME.record(prepare_cell(cell), number) if row["event"] == "roll"]
        self.method, self.threshold = method, threshold
        self.rolls = [DiceRolls(row["dice"], rules=_read_rules(rules)) for row in events]
        self.macke = bool(events[-1]["bust"])
        self.score = 0 if self.macke else int(events[-1]["points"])
        self.hot_dice = sum(row["hot_dice"] for row in events)

    def __repr__(self) -> str:
        end = "Macke" if self.macke else f"{self.score} points"
        return f"PlayGame({self.method}, {self.threshold}: {end} in {len(self.rolls)} rolls)"


class RunSession:
    """One solo session to the target by a method, a threshold and what is special.

    Parameters
    ----------
    method, threshold, keep, seed, game, rules
        As for :class:`PlayGame`.
    special : {"finish", "fewest", "fewest+finish"}, optional
        ``finish``: stop whenever the total would reach the target; ``fewest``: keep as few dice as possible.

    Attributes
    ----------
    turns : int
        Turns taken.
    total : int
        Banked points at the end.
    scores : list of int
        Score of each turn.
    mackes : int
        Turns that were a bust.
    stalled : bool
        Whether the cap on turns ended it before the target.

    Examples
    --------
    >>> session = RunSession("points", 350, "finish", seed=1)
    >>> session.turns == len(session.scores), session.total == sum(session.scores)
    (True, True)
    """

    def __init__(
        self,
        method: str = "points",
        threshold: Threshold = None,
        special: str | None = None,
        *,
        keep: str | None = None,
        seed: int = 0,
        game: int = 0,
        rules: Rules = None,
    ) -> None:
        cell = _make_cell(method, threshold, special, keep, seed, rules, "session")
        rows = GAME.record(prepare_cell(cell), whole("game", game, 0, MAX_GAMES))
        ends = [row for row in rows if row["event"] == "roll" and (row["bust"] or row["stop"])]
        self.method, self.threshold, self.special = method, threshold, special
        self.scores = [0 if row["bust"] else int(row["points"]) for row in ends]
        self.turns, self.total = int(rows[-1]["turns"][0]), int(rows[-1]["totals"][0])
        self.mackes = sum(row["bust"] for row in ends)
        self.stalled = rows[-1]["status"] != "finished"

    def __repr__(self) -> str:
        return f"RunSession({self.method}, {self.threshold}, {self.special}: {self.total} points in {self.turns} turns)"


class CreateSummaryData:
    """Many sessions over many thresholds and methods; calling it returns the DataFrame of :func:`pymacco_sim.sweep`.

    Parameters
    ----------
    methods : str, sequence of str, or mapping
        Methods to run; a mapping gives each its own thresholds.
    thresholds : iterable, optional
        Thresholds to run each method at (pairs for ``either`` and ``both``); passed over by methods without one.
    n : int
        Sessions of each.
    special : str or sequence of str, optional
        What is special; several are run one after the other.
    seed : int
    rules : MackeRules or mapping, optional
    n_jobs, progress
        As for :func:`pymacco_sim.sweep`.

    Returns
    -------
    pandas.DataFrame
        One row for each method, threshold and special.

    Raises
    ------
    RequestError
        If a name or value is not known or not allowed.

    Examples
    --------
    >>> table = CreateSummaryData("points", [200, 350], n=1000, seed=1)
    >>> table[["method", "threshold"]].values.tolist()
    [['points', 200], ['points', 350]]
    """

    def __new__(
        cls,
        methods: str | Sequence[str] | Mapping[str, Iterable[Any]] = "points",
        thresholds: Iterable[Any] | None = range(50, 1001, 50),
        n: Any = 10_000,
        special: str | Sequence[str | None] | None = None,
        seed: int = 0,
        rules: Rules = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Run them."""
        from pymacco_sim.grid import make_grid
        from pymacco_sim.sweeps import sweep_cells

        specials = ["none" if item is None else item for item in _listed(special)]
        cells: list[Any] = []
        for method, own in _listed_methods(methods, thresholds):
            for grid in _grids(method, own, specials):
                cells += make_grid("macke", method, grid, rules=_read_rules(rules), seed=seed)
        return sweep_cells(cells, n, n_jobs, progress)


def _listed(value: Any) -> list[Any]:
    return [value] if value is None or isinstance(value, str) else list(value)


def _listed_methods(methods: Any, thresholds: Iterable[Any] | None) -> list[tuple[str, list[Any]]]:
    if isinstance(methods, Mapping):
        return [(method, _listed(own)) for method, own in methods.items()]
    shared = [] if thresholds is None else list(thresholds)
    return [(method, shared) for method in _listed(methods)]


def _grids(method: str, thresholds: list[Any], specials: list[str]) -> list[dict[str, Any]]:
    """Return the grids of one method: one over all thresholds, or one for each pair."""
    names = [parameter.name for parameter in GAME.find_policy(method).parameters]
    if "threshold" not in names or not thresholds:
        return [{"special": specials}]
    if "dice" in names and any(isinstance(item, Sequence) for item in thresholds):
        pairs = [_values(method, pair, None) for pair in thresholds]
        return [{**{name: [value] for name, value in pair.items()}, "special": specials} for pair in pairs]
    return [{"threshold": thresholds, "special": specials}]
