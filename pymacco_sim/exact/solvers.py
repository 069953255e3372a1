"""The solvers proper: from a rule set to the worths of all positions and to a plan, as plain arrays."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from pymacco_sim._check import RequestError
from pymacco_sim.exact import optima
from pymacco_sim.exact.chains import list_moves
from pymacco_sim.exact.memory import Arrays
from pymacco_sim.exact.model import Menus, Model
from pymacco_sim.exact.strategy import Strategy
from pymacco_sim.games.macke.optimum import solve_turn

FIRST_ROOM = 1 << 12
"""Rows of decisions that there is room for at first."""

MOST_INDEX = 1 << 28
"""Most entries of the index of a plan (4 bytes each)."""


def needs_by_total(model: Model, low: int = 0) -> np.ndarray:
    """Return the units that a turn needs before it may stop, for every total from `low` on: int64[totals]."""
    return np.array([model.need(total) for total in range(low, model.n_totals)], dtype=np.int64)


def make_space(model: Model, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return working space of the kernels for turns of up to `most` units: stop_value, worth, slope, on."""
    rows = most + model.widest + 1
    return (
        np.zeros(most + 1),
        np.zeros((rows, model.dice)),
        np.zeros((rows, model.dice)),
        np.zeros((most + 1, model.dice + 1)),
    )


def most_units(model: Model, n_totals: int) -> int:
    """Return how many units of a turn matter on the way through that many totals."""
    return max(n_totals, model.most_needed, 1)


class _Rows:
    """Different rows of decisions, numbered; makes room as needed."""

    def __init__(self, menus: Menus) -> None:
        self.n_menus = len(menus.option_first) - 1
        self.count = 0
        self.keys = np.zeros((FIRST_ROOM, self.n_menus), dtype=np.uint8)
        self.table = np.full(4 * FIRST_ROOM, -1, dtype=np.int32)

    def add(self, number: Callable[[np.ndarray, np.ndarray, int], int]) -> None:
        """Call ``number(keys, table, count) -> new count``, again with more room for as long as that is -1."""
        while (count := int(number(self.keys, self.table, self.count))) < 0:
            stored = int((self.table >= 0).sum())
            room = 2 * len(self.keys)
            keys, self.table = self.keys[:stored], np.full(4 * room, -1, dtype=np.int32)
            self.keys = np.zeros((room, self.n_menus), dtype=np.uint8)
            for place in range(stored):
                optima.remember(keys[place], self.keys, self.table, place)
            self.count = stored
        self.count = count

    @property
    def used(self) -> np.ndarray:
        """The rows so far: uint8[count, menus]."""
        return self.keys[: self.count].copy()


def _check_size(streaks: int, totals: int, rivals: int, rows: int) -> None:
    size = streaks * totals * rivals * rows
    if size > MOST_INDEX:
        raise RequestError(
            f"a plan for these rules needs {size:,} entries ({totals} totals, {rivals} of the rival, {rows} of the "
            f"turn); at most {MOST_INDEX:,} fit: take a lower target."
        )


# --- one turn ------------------------------------------------------------------------------------------------------


def solve_turns(model: Model) -> Arrays:
    """Return the best plan for the highest mean score, with penalties the highest long-run mean of all turns.

    Returns
    -------
    dict
        ``mean`` float64[2], of a turn with nothing banked and of later ones; ``worth`` float64[streaks], worth of a
        bust in points after that many busts in a row; and the plan (see :func:`solve_session`).
    """
    streaks, top = model.n_streaks, settled_row(model)
    most = top + model.widest
    _, worth, slope, on = make_space(model, most)
    stop_value = np.arange(len(worth)) * float(model.unit)

    def value(need: int, lose: float) -> float:
        return float(
            optima.solve_linear(model.best, model.hot_free, need, top, float(model.unit), lose, worth, slope, on)
        )

    bust = np.zeros(streaks)
    bust[-1] = -float(model.rules.bust_penalty) if model.rules.bust_streak else 0.0
    mean = value(model.need(1), bust[0])
    while streaks > 1:
        for streak in range(streaks - 2, -1, -1):
            bust[streak] = value(model.need(1), bust[streak + 1]) - mean
        before, mean = mean, value(model.need(1), bust[0])
        if abs(mean - before) < 1e-12 * abs(mean):
            break
    rows = _Rows(model.every)
    index = np.zeros((streaks, 2, 1, top + 1), dtype=np.int32)
    means = np.zeros(2)
    for layer, need in enumerate((model.need(0), model.need(1))):
        for streak in range(streaks - 1, -1, -1):
            means[layer] = value(need, bust[streak])

            def number(keys: np.ndarray, table: np.ndarray, count: int, at: Any = (streak, layer, 0)) -> int:
                need = model.need(at[1])
                return int(
                    optima.index_turn(
                        model.every, model.hot_free, need, top, worth, stop_value, keys, table, count, index[at]
                    )
                )

            rows.add(number)
    return {"mean": means, "bust": bust, "keys": rows.used, "index": index}


def settled_row(model: Model) -> int:
    """Return a row from which on the best is to stop: twice as far as a bust of all that was won can hurt."""
    far = max(len(solve_turn(model.rules, need * model.unit).value) for need in {model.need(0), model.need(1)})
    return far + model.penalty


# --- a session -----------------------------------------------------------------------------------------------------


def solve_session(model: Model) -> Arrays:
    """Return the plan for the fewest mean turns to the target.

    Returns
    -------
    dict
        ``turns`` float64[streaks, totals], mean turns to go; ``low``, the first total; the plan: ``keys``
        uint8[rows, menus], its different rows of decisions, and ``index`` int32[streaks, totals, 1, rows].
    """
    low = model.lowest()
    needs, n = needs_by_total(model, low), model.n_totals - low
    most = most_units(model, n)
    _check_size(model.n_streaks, n, 1, most + 1)
    space = make_space(model, most)
    a_turn = solve_turn(model.rules).mean / model.unit
    turns = np.tile((n - np.arange(n)) / a_turn + 1.0, (model.n_streaks, 1))
    sweep = (model.best, model.safe, model.hot_free, needs, model.penalty)
    while optima.sweep_session(*sweep, turns, *space) > 1e-12 and model.rules.bust_streak:
        pass
    rows, index = _Rows(model.every), np.zeros((model.n_streaks, n, 1, most + 1), dtype=np.int32)
    given = (model.best, model.every, *sweep[1:])
    rows.add(lambda *room: optima.index_session(*given, turns, *space, *room, index[:, :, 0]))
    return {"turns": turns, "low": np.array(low), "keys": rows.used, "index": index}


# --- a race --------------------------------------------------------------------------------------------------------


def check_race(model: Model, fixed_rival: bool) -> None:
    """Refuse races that have no solution here."""
    rules = model.rules
    if rules.last_round:
        raise RequestError("the best race is solved for races without a last round: set last_round=false.")
    if rules.bust_streak and fixed_rival:
        raise RequestError(
            "the best response is solved for rules without a penalty for busts in a row: set bust_streak=0, or leave "
            "the rival out."
        )


def solve_race(model: Model, against: Strategy | None = None, n_jobs: int | None = None) -> Arrays:
    """Return the plan that wins most races of two, against a best player or a given one.

    Returns
    -------
    dict
        ``wins`` float64[totals, totals], chance to win when to move, by own and rival's total; ``waits``, the same
        when the rival is to move, by the rival's and the own total; and the plan (see :func:`solve_session`).
    """
    n, needs = model.n_totals, needs_by_total(model)
    most = most_units(model, n)
    _check_size(1, n, n, most + 1)
    wins, waits = np.zeros((n, n)), np.zeros((n, n))
    common = (model.every if against and against.sees_rival else model.best, model.safe, model.hot_free, needs)
    solve: Callable[..., None] = optima.solve_races
    given: tuple[np.ndarray, ...] = ()
    if against is not None:
        moves = list_moves(against, 0)
        solve, given = optima.solve_responses, (moves.bank[0], moves.bust[0])
    spaces = [make_space(model, most) for _ in range(n_jobs or os.cpu_count() or 1)]
    with ThreadPoolExecutor(len(spaces)) as pool:
        for total in range(2 * n - 2, -1, -1):
            lowest = -(-total // 2) if against is None else max(0, total - n + 1)
            cuts = np.linspace(lowest, min(n - 1, total) + 1, len(spaces) + 1).astype(int)
            work = [
                pool.submit(solve, *common, *given, total, first, last, wins, waits, *space)
                for first, last, space in zip(cuts[:-1], cuts[1:], spaces, strict=True)
                if last > first
            ]
            for part in work:
                part.result()
    rows, index = _Rows(model.every), np.zeros((1, n, n, most + 1), dtype=np.int32)
    for own in range(n):
        rows.add(
            lambda *room, own=own: optima.index_race(
                common[0], model.every, *common[1:], own, waits, *spaces[0], *room, index[0, own]
            )
        )
    return {"wins": wins, "waits": waits, "keys": rows.used, "index": index}
