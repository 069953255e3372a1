"""The true values of a policy: its turn, its way to the target, its races."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.exact.chains import Race, Session, chain_race, chain_session
from pymacco_sim.exact.positions import find_place
from pymacco_sim.exact.strategy import Strategy, Turn, make_strategy
from pymacco_sim.games.base import Cell
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.registry import find_game, make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.markup import make_table, make_view

QUANTILES = (0.1, 0.5, 0.9)

REST = 1e-12
"""Most chance not to end at the cap on turns at which a session counts as one that ends."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """A distribution on whole numbers.

    Attributes
    ----------
    values : int64[n]
    chance : float64[n]
        Sums to 1, but for games that do not end.
    """

    values: np.ndarray
    chance: np.ndarray

    @property
    def mean(self) -> float:
        """Mean, given that the game ends."""
        return float(self.values @ self.chance / self.chance.sum()) if self.chance.sum() > 0 else float("nan")

    @property
    def variance(self) -> float:
        """Variance, given that the game ends."""
        if not self.chance.sum() > 0:
            return float("nan")
        return float(((self.values - self.mean) ** 2) @ self.chance / self.chance.sum())

    def quantile(self, q: float) -> int:
        """Return the lowest value that a share `q` of the games does not exceed, given that the game ends."""
        reached = np.cumsum(self.chance) / self.chance.sum()
        return int(self.values[min(int(np.searchsorted(reached, q * (1 - 1e-14))), len(self.values) - 1)])


@dataclass(frozen=True, eq=False)
class Evaluation:
    """All about one policy under one rule set, exactly.

    Parameters
    ----------
    strategy : Strategy
    rival : Strategy or None

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> value = pm.exact.evaluate("macke", "points:350", against="points:200")
    >>> round(value.turn().mean, 6), round(value.turns().mean, 6), value.turns(4500).quantile(0.5)
    (242.980317, 21.920588, 3)
    >>> round(value.wins(), 7), round(value.wins(first=False), 7)
    (0.3971608, 0.3442755)
    """

    strategy: Strategy
    rival: Strategy | None = None

    @property
    def rules(self) -> MackeRules:
        """The rules of the policy's games."""
        return self.strategy.model.rules

    def turn(self, total: int = 0, rival: int = 0, streak: int = 0) -> Turn:
        """Return the turn from a banked total: mean and variance in points, bust chance, rolls, hot dice, distribution.

        Parameters
        ----------
        total, rival : int
            Banked points, own and the best rival's; they matter to policies that look at them.
        streak : int
            Busts in a row so far.
        """
        own, other, busts, _ = find_place(self.rules, "race", total, rival, streak)
        return self.strategy.turn(own, other, busts)

    @cached_property
    def session(self) -> Session:
        """The chain of turns of a policy that plays alone."""
        if self.strategy.sees_rival:
            raise RequestError(f"policy {self.strategy.label!r} plays a race; alone it has no rival to look at.")
        return chain_session(self.strategy)

    @cached_property
    def race(self) -> Race:
        """The race against the rival, this policy in the first seat."""
        return chain_race(self.strategy, self._rival())

    @cached_property
    def return_race(self) -> Race:
        """The race against the rival, this policy in the second seat."""
        return chain_race(self._rival(), self.strategy)

    def _rival(self) -> Strategy:
        if self.rival is None:
            raise RequestError("there is no rival: name one, as in evaluate('macke', 'points:350', against='optimal').")
        return self.rival

    def turns(self, total: int = 0, streak: int = 0) -> Distribution:
        """Return the distribution of the turns to the target from a banked total (cut at the rules' `max_turns`)."""
        own, _, busts, _ = find_place(self.rules, "session", total, 0, streak)
        reached = self.session.reached[:, busts, own - self.session.low]
        return Distribution(np.arange(len(reached)), np.diff(reached, prepend=0.0))

    def wins(self, total: int = 0, rival: int = 0, first: bool = True) -> float:
        """Return the chance to win the race of two.

        Parameters
        ----------
        total, rival : int
            Banked points of this policy and of the rival; the player of the first seat is to move.
        first : bool
            Whether this policy sits in the first seat.
        """
        own, other, *_ = find_place(self.rules, "race", total, rival)
        race = self.race if first else self.return_race
        one, two = (own, other) if first else (other, own)
        return float(race.wins[0 if first else 1, 0, 0, 0, one - race.low, two - race.low])

    @property
    def figures(self) -> dict[str, float]:
        """The values under the names that :func:`pymacco_sim.simulate` gives to their estimates, without intervals."""
        found = {} if self.strategy.sees_rival else session_figures(self)
        if self.rival is not None:
            found |= {"win_share_first": self.wins(), "win_share_second": self.wins(first=False)}
        return found

    @property
    def bound(self) -> float:
        """Bound of the error of a turn's mean (points) and variance, by turns that were not followed to the end."""
        return self.turn().bound

    def __repr__(self) -> str:
        against = f" against {self.rival.label}" if self.rival else ""
        shown = ", ".join(f"{name} {value:.6g}" for name, value in self.figures.items())
        return f"Evaluation({self.strategy.label}{against}: {shown})"

    def _repr_html_(self) -> str:
        rows = [{"figure": name, "exact value": value} for name, value in self.figures.items()]
        against = f" against {self.rival.label}" if self.rival else ""
        return make_view(f"Exact: {self.strategy.label}{against}", [], make_table(rows))


def turn_figures(strategy: Strategy) -> dict[str, float]:
    """Return the figures of a single turn with nothing banked."""
    turn = strategy.turn()
    return {
        "score_mean": turn.mean,
        "bust_share": turn.bust,
        "rolls_mean": turn.rolls,
        "hot_dice_share": turn.hot_dice,
    }


def session_figures(value: Evaluation) -> dict[str, float]:
    """Return the figures of a session from nothing: turns to the target, and means over all its turns.

    Only those of a turn for a policy that may never get to the target.
    """
    strategy, model, chain = value.strategy, value.strategy.model, value.session
    turns = value.turns()
    if 1.0 - turns.chance.sum() > REST:
        return {} if strategy.sees_total or model.n_streaks > 1 else turn_figures(strategy)
    found = dict.fromkeys(("score_mean", "bust_share", "rolls_mean", "hot_dice_share"), 0.0)
    for streak, place in np.ndindex(*chain.visits.shape):
        share = chain.visits[streak, place] / chain.visits.sum()
        turn = strategy.turn(place + chain.low, 0, streak)
        lost = model.penalty * model.unit * turn.bust if streak == model.n_streaks - 1 else 0.0
        found["score_mean"] += float(share * (turn.mean - lost))
        found["bust_share"] += float(share * turn.bust)
        found["rolls_mean"] += float(share * turn.rolls)
        found["hot_dice_share"] += float(share * turn.hot_dice)
    quantiles = {f"turns_q{round(100 * q)}": float(turns.quantile(q)) for q in QUANTILES}
    return {"turns_mean": turns.mean, **quantiles, **found}


def evaluate(
    game: str, policy: Any, *, against: Any = None, rules: Rules | Mapping[str, Any] | None = None
) -> Evaluation:
    """Work out the true values of a Macke policy that has a decision table or a plan.

    Parameters
    ----------
    game : str
        ``"macke"`` or a relative: ``"farkle"``, ``"zilch"`` ...
    policy : str, policy or function
        Built-in, a user's plain function of the turn, or a solved plan (:func:`solve`).
    against : str, policy or function, optional
        The rival of a race of two.
    rules : MackeRules or mapping, optional
        As for :func:`pymacco_sim.simulate`.

    Returns
    -------
    Evaluation

    Raises
    ------
    RequestError
        If the game is not of this family, or a policy looks at more than turn and totals.

    Examples
    --------
    >>> round(evaluate("macke", "optimal").turn().mean, 6)
    293.600935
    """
    cell = make_exact_cell(game, [policy] if against is None else [policy, against], rules)
    strategies = [make_cell_strategy(cell, seat) for seat in range(cell.n_seats)]
    return Evaluation(*strategies)


def make_exact_cell(game: str, policies: Any, rules: Rules | Mapping[str, Any] | None) -> Cell:
    """Return the checked cell of a request for exact values."""
    check_family(game)
    return make_cell(game, policies, rules)


def check_family(game: str) -> None:
    """Refuse games without exact values."""
    family, preset = find_game(game)
    if family.rules_type is not MackeRules:
        raise RequestError(f"{preset.name} has no exact values; macke and its relatives have.")


def make_cell_strategy(cell: Cell, seat: int) -> Strategy:
    """Return the strategy of one entrant of a cell."""
    assert isinstance(cell.rules, MackeRules)
    return make_strategy(cell.rules, cell.entrants[seat].main)


def cell_figures(cell: Cell) -> tuple[dict[str, float], list[dict[str, float]]]:
    """Return the exact values of what a cell's simulation estimates, of the table as a whole and by line-up position.

    Raises
    ------
    RequestError
        If the cell has no exact values: another game, more than two seats, a policy of the whole game.
    """
    check_family(cell.preset)
    if cell.n_seats > 2:
        raise RequestError(f"exact values exist for one seat and for two; this line-up has {cell.n_seats}.")
    value = Evaluation(*(make_cell_strategy(cell, seat) for seat in range(cell.n_seats)))
    if cell.scope == "turn":
        return turn_figures(value.strategy), [{}]
    if cell.scope == "session":
        return session_figures(value), [{}]
    first = value.wins()
    second = 1.0 - first if value.race.wins[:, 0, 0, 0, -value.race.low, -value.race.low].sum() > 1 - 1e-9 else 0.0
    if cell.rotate:
        back = value.return_race.wins[:, 0, 0, 0, -value.race.low, -value.race.low]
        first, second = (first + float(back[1])) / 2, (second + float(back[0])) / 2
    return {}, [{"win_share": first}, {"win_share": second}]
