"""Which house rule is better? The same deals under different rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from pymacco_sim._check import RequestError, whole
from pymacco_sim.durable import Resume, open_store
from pymacco_sim.estimates import value_column
from pymacco_sim.games.base import Cell
from pymacco_sim.games.registry import find_game, make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.identity import describe_cell
from pymacco_sim.markup import make_table, make_view
from pymacco_sim.panel import Panel, PanelChunk, Pick, check_panel, stream_panel
from pymacco_sim.play import MAX_GAMES, make_plan, prepare_cell
from pymacco_sim.progress import open_progress
from pymacco_sim.simulation import describe_machine
from pymacco_sim.stats.fairness import check_equal
from pymacco_sim.stats.intervals import Estimate, estimate_share
from pymacco_sim.stats.paired import Difference, Ends, combine_ratios
from pymacco_sim.wording import with_bounds, with_error


@dataclass(frozen=True)
class Figure:
    """A quantity under each rule set: a weighted sum of ratios; a share is a single one, between 0 and 1."""

    name: str
    weights: tuple[Mapping[Ends, float], ...]
    share: bool = False


@dataclass(frozen=True, repr=False)
class RuleComparison:
    """What different rules do to the same deals.

    Parameters
    ----------
    labels : tuple of str
        The rule sets; the first is the one that the others are compared with.
    panel : Panel
    chunk : PanelChunk
        The integers behind it.
    """

    labels: tuple[str, ...]
    panel: Panel
    chunk: PanelChunk

    @property
    def n_games(self) -> int:
        """Games under each rule set."""
        return self.chunk.moments.n_units * self.panel.unit

    def _combine(self, weights: Mapping[Ends, float]) -> Difference:
        moments = self.chunk.moments
        return combine_ratios(moments.n_units, moments.total, moments.products, weights)

    def _share(self, ends: Ends, scale: int) -> Estimate:
        moments, (top, bottom) = self.chunk.moments, ends
        total, products = moments.total, moments.products
        sums = (total[top], total[bottom], products[top, top], products[top, bottom], products[bottom, bottom])
        return estimate_share(moments.n_units, sums, scale)

    def _value(self, figure: Figure, rule: int) -> Estimate:
        """Return a figure under one rule set, with its interval."""
        if figure.share:
            ((ends, weight),) = figure.weights[rule].items()
            return self._share(ends, round(1 / weight))
        return Estimate(*self._combine(figure.weights[rule])[:4])

    def _ends(self, rule: int, kind: str, name: str, place: int = 0) -> Ends:
        for position, pick in enumerate(self.panel.picks):
            ratio = pick.ratio
            if (pick.cell, ratio.kind, ratio.outcome.name, ratio.place) == (rule, kind, name, place):
                return self.panel.ends[position]
        raise KeyError(name)

    @cached_property
    def figures(self) -> list[Figure]:
        """Everything that is compared: each outcome of the table, the first seat's edge, and skill."""
        found = []
        for pick in self.panel.picks:
            if pick.cell == 0 and pick.ratio.kind == "game":
                outcome = pick.ratio.outcome
                ends = [self._ends(rule, "game", outcome.name) for rule in range(len(self.labels))]
                weights = tuple({e: 1.0 / outcome.scale} for e in ends)
                found.append(Figure(value_column(outcome), weights, outcome.share))
        return [*found, *self._seat_figures()]

    def _seat_figures(self) -> Iterator[Figure]:
        cell = self.panel.cells[0]
        if cell.n_seats < 2 or not any(p.ratio.outcome.name == "win" for p in self.panel.picks):
            return
        scale = next(p.ratio.outcome.scale for p in self.panel.picks if p.ratio.outcome.name == "win")
        rules, seats = range(len(self.labels)), range(cell.n_seats)
        edge = [
            {self._ends(r, self.seat_kind, "win", s): ((s == 0) - 1 / cell.n_seats) / scale for s in seats}
            for r in rules
        ]
        yield Figure("first_seat_edge", tuple(edge))
        strong = [s for s in seats if cell.entrants[s] == cell.entrants[0]]
        if len(strong) < cell.n_seats:
            fair = len(strong) / cell.n_seats
            shares = [1.0 if s in strong else -fair / (1 - fair) for s in seats]
            skill = [{self._ends(r, "entrant", "win", s): shares[s] / scale for s in seats} for r in rules]
            yield Figure("skill", tuple(skill))

    @property
    def seat_kind(self) -> str:
        """Which ratios of a plan are places at the table."""
        return "seat" if self.panel.cells[0].rotate else "entrant"

    @property
    def table(self) -> pd.DataFrame:
        """One row a figure and rule set: value with interval, and its paired difference from the first rule set.

        ``first_seat_edge`` is the win share of seat 0 less the mean of all seats. ``skill`` is
        ``w - v f / (1 - f)``, with `w` the win share of the first policy of the line-up, `v` that of all others
        together and `f` the first one's share of the seats: 0 if only luck decides between the policies (or every
        game stalls), 1 if the first policy always wins.
        """
        from statsmodels.stats.multitest import multipletests

        rows = []
        for figure in self.figures:
            for rule, label in enumerate(self.labels):
                own = self._value(figure, rule)
                row = {
                    "figure": figure.name,
                    "rules": label,
                    "n_games": self.n_games,
                    "value": own.value,
                    "low": own.low,
                    "high": own.high,
                }
                if rule:
                    gap = self._combine({**figure.weights[rule], **{e: -w for e, w in figure.weights[0].items()}})
                    row |= {
                        "difference": gap.value,
                        "difference_low": gap.low,
                        "difference_high": gap.high,
                        "p_value": gap.p_value,
                        "paired_away": gap.paired_away,
                    }
                rows.append(row)
        table = pd.DataFrame(rows)
        table["p_holm"] = math.nan
        tested = table["p_value"].notna() if "p_value" in table else pd.Series(False, index=table.index)
        if tested.any():
            table.loc[tested, "p_holm"] = multipletests(table.loc[tested, "p_value"], method="holm")[1]
        return table

    @property
    def seats(self) -> pd.DataFrame:
        """One row a rule set and seat: win share of that place at the table, whoever sat there."""
        rows = []
        for rule, label in enumerate(self.labels):
            for pick in self.panel.picks:
                if (pick.cell, pick.ratio.kind, pick.ratio.outcome.name) == (rule, self.seat_kind, "win"):
                    ends = self._ends(rule, self.seat_kind, "win", pick.ratio.place)
                    found = self._share(ends, pick.ratio.outcome.scale)
                    rows.append(
                        {
                            "rules": label,
                            "seat": pick.ratio.place,
                            "n_games": self.n_games,
                            "win_share": found.value,
                            "win_low": found.low,
                            "win_high": found.high,
                        }
                    )
        return pd.DataFrame(rows)

    @property
    def fairness(self) -> pd.DataFrame:
        """One row a rule set: test that all seats win equally often (Wald's chi-square, deals as units)."""
        moments, n_seats = self.chunk.moments, self.panel.cells[0].n_seats
        rows: list[dict[str, Any]] = []
        if n_seats < 2:
            return pd.DataFrame(rows, columns=["rules", "n_games", "chi_square", "degrees", "p_value"])
        for rule, label in enumerate(self.labels):
            ends = [self._ends(rule, self.seat_kind, "win", seat) for seat in range(n_seats)]
            rows.append(
                {
                    "rules": label,
                    "n_games": self.n_games,
                    **check_equal(moments.n_units, moments.total, moments.products, ends)._asdict(),
                }
            )
        return pd.DataFrame(rows)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as they are stored."""
        return {"table": self.table, "seats": self.seats, "fairness": self.fairness}

    @property
    def sentences(self) -> list[str]:
        """The differences that are clear after Holm's correction, and which are not, in plain words."""
        return [say_difference(row, self.labels[0]) for row in self.table.itertuples() if row.rules != self.labels[0]]

    @property
    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat the comparison."""
        return {
            "kind": "compare-rules",
            "rules": list(self.labels),
            "cells": [describe_cell(cell) for cell in self.panel.cells],
            "n_games": self.n_games,
            "made_with": describe_machine(),
        }

    def __repr__(self) -> str:
        return f"RuleComparison({' / '.join(self.labels)}; n_games={self.n_games:,})"

    def _repr_html_(self) -> str:
        rows = []
        for figure, group in self.table.groupby("figure", sort=False):
            row: dict[str, Any] = {"figure": str(figure).replace("_", " ")}
            for item in group.to_dict("records"):
                row[item["rules"]] = with_error(item["value"], item["low"], item["high"])
            rows.append(row)
        title = f"{' / '.join(self.labels)}: {self.n_games:,} games each"
        return make_view(title, self.sentences, make_table(rows))


def say_difference(row: Any, first: str) -> str:
    """Return one row of :attr:`RuleComparison.table` in plain words.

    Parameters
    ----------
    row : named tuple
        Of a rule set that is not the first.
    first : str
        Label of the first one.
    """
    what = str(row.figure).replace("_", " ").removesuffix(" mean")
    if math.isnan(row.difference):
        return f"{row.rules}: {what} cannot be compared with {first}: there are no such games under one of them."
    if math.isnan(row.p_value):
        return f"{row.rules}: {what} {row.difference:+.4g} against {first}, without an error bar."
    if row.difference == row.difference_low == row.difference_high == 0:
        return f"{row.rules}: {what} came out as under {first}, deal for deal."
    span = with_bounds(row.difference, row.difference_low, row.difference_high)
    if row.p_holm < 0.05:
        return f"{row.rules}: {what} {span} against {first}."
    return f"{row.rules}: cannot tell a difference in {what} from {first}: {span}."


def compare_rules(
    game: str,
    rules: Mapping[str, Any] | Sequence[Any],
    policies: Any,
    *,
    players: int | None = None,
    n_games: Any = 100_000,
    seed: int = 0,
    scope: str | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    resume: Resume = None,
) -> RuleComparison:
    """Play the same deals under different rules.

    Parameters
    ----------
    game : str
    rules : mapping or sequence
        Rule sets, by label or in order: a preset's name, a mapping of changed fields (with ``preset``: of another
        preset), or a rules object. The others are compared with the first.
    policies : policy or sequence of them
        One line-up for all rules; if it has different policies the seats rotate, and the first is taken as the
        stronger one of the figure ``skill``.
    players : int, optional
        Seats that a single policy fills.
    n_games : int
        Games under each rule set.
    seed, scope, n_jobs, progress
        As for :func:`pymacco_sim.simulate`.
    resume : str or Path, optional
        Folder for the counts of what is finished: the same call goes on from there after it was stopped, whatever
        stopped it, with the same result; more games only play what is missing. None keeps nothing.

    Returns
    -------
    RuleComparison

    Raises
    ------
    RequestError, PolicyError
        If anything about the request is unknown or not allowed.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> hot = {"must roll on": {}, "may stop": {"hot_dice": "may_stop"}}
    >>> found = pm.compare_rules("macke", hot, "points:350", n_games=2000, seed=1)
    >>> found.labels
    ('must roll on', 'may stop')
    """
    named = _name_rules(game, rules)
    several = not isinstance(policies, str) and isinstance(policies, Sequence) and len(set(map(str, policies))) > 1
    seating = "rotate" if several else "fixed"
    cells = tuple(
        make_cell(preset, policies, fields, seed=seed, scope=scope, seating=seating, players=players)
        for preset, fields in named.values()
    )
    check_panel(cells)
    panel = Panel(cells, tuple(_pick_all(cells)))
    units = -(-whole("n_games", n_games, 1, MAX_GAMES) // panel.unit)
    for cell in cells:
        prepare_cell(cell)
    total: PanelChunk | None = None
    with (
        open_store(resume, games=units, unit="deals") as store,
        open_progress(len(cells) * units * panel.unit, f"{game}: rules", progress) as bar,
    ):
        for chunk in stream_panel(panel, 0, units, n_jobs, store):
            total = chunk if total is None else total + chunk
            bar.update(len(cells) * chunk.moments.n_units * panel.unit, chunk.stored)
    assert total is not None
    return RuleComparison(tuple(named), panel, total)


def _name_rules(game: str, rules: Mapping[str, Any] | Sequence[Any]) -> dict[str, tuple[str, Any]]:
    """Return label to (preset, changed fields or rules object)."""
    family, preset = find_game(game)
    pairs = rules.items() if isinstance(rules, Mapping) else [(_label(item, preset.name), item) for item in rules]
    named: dict[str, tuple[str, Any]] = {}
    for label, item in pairs:
        if label in named:
            raise RequestError(f"two rule sets are called {label!r}; give them as a mapping with labels of their own.")
        if isinstance(item, str):
            other, found = find_game(item)
            if other is not family:
                raise RequestError(f"{item!r} is a preset of {other.name}; its rules cannot be compared with {game}'s.")
            named[label] = (found.name, None)
        elif isinstance(item, Mapping):
            fields = {key: value for key, value in item.items() if key != "preset"}
            named[label] = (str(item.get("preset", preset.name)), fields or None)
        else:
            named[label] = (preset.name, item)
    if len(named) < 2:
        raise RequestError("one rule set compares with nothing; give at least two.")
    return named


def _label(item: Any, usual: str) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, Rules):
        return repr(item)
    return ", ".join(f"{key}={value}" for key, value in item.items()) or usual


def _pick_all(cells: Sequence[Cell]) -> Iterator[Pick]:
    for index, cell in enumerate(cells):
        for ratio in make_plan(cell).ratios:
            if (ratio.kind == "game" and ratio.outcome.per != "cycle") or ratio.outcome.name == "win":
                yield Pick(index, ratio)
