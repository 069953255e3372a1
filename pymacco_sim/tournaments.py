"""Many policies against one another: all line-ups on the same deals, ranked with intervals and a rating."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pymacco_sim._check import RequestError, whole
from pymacco_sim.durable import Resume, open_store
from pymacco_sim.games.base import FINISHED, Cell, Entrant, Rules
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.registry import find_game, make_cell
from pymacco_sim.identity import describe_cell
from pymacco_sim.markup import make_table, make_view, title_rows
from pymacco_sim.panel import Panel, PanelChunk, Pick, stream_ranges
from pymacco_sim.play import MAX_GAMES, Ratio, make_plan, prepare_cell
from pymacco_sim.progress import open_progress
from pymacco_sim.simulation import describe_machine
from pymacco_sim.stats.paired import Difference, Ends, combine_ratios
from pymacco_sim.stats.rating import Rating, rate_policies
from pymacco_sim.wording import merge_intervals

MAX_LINE_UPS = 2_000
MAX_POLICIES = 60
N_BATCHES = 20
"""Fewest batches of deals from which the rating's intervals come (fewer deals: one batch a deal)."""

FIGURES = ("win", "loss", "place")


class Standings:
    """Mixes the unit vectors of a tournament's panel into sums by policy and by pair of policies.

    Parameters
    ----------
    line_ups : sequence of tuple of int
        Policies (by number) of each line-up.
    panel : Panel
        Its picks are what is mixed.
    n_policies : int

    Notes
    -----
    Columns: for each figure, the sum over the seats of each policy; the number of those seats' games; for each pair,
    the difference of wins (mean over the copies of each) and the number of games they met in, both times
    :attr:`common`, which keeps them whole.
    """

    def __init__(self, line_ups: Sequence[tuple[int, ...]], panel: Panel, n_policies: int) -> None:
        self.n = n_policies
        self.figures = [name for name in FIGURES if any(p.ratio.outcome.name == name for p in panel.picks)]
        self.scales = {p.ratio.outcome.name: p.ratio.outcome.scale for p in panel.picks}
        self.pairs = list(itertools.combinations(range(n_policies), 2))
        self.common = math.lcm(*{line_up.count(who) for line_up in line_ups for who in line_up})
        self.weights = np.zeros((len(self.figures) * n_policies + n_policies + 2 * len(self.pairs), panel.width))
        for pick, ends in zip(panel.picks, panel.ends, strict=True):
            who = line_ups[pick.cell][pick.ratio.place]
            name = pick.ratio.outcome.name
            self.weights[self.figures.index(name) * n_policies + who, ends[0]] += 1
            if name == "win":
                self.weights[len(self.figures) * n_policies + who, ends[1]] += 1
                self._add_pairs(line_ups[pick.cell], pick.ratio.place, ends)
        self.wins = [
            len(self.weights) + ends[0]
            for pick, ends in zip(panel.picks, panel.ends, strict=True)
            if pick.ratio.outcome.name == "win"
        ]
        """Places of the wins of each seat of each line-up among the sums."""

    def _add_pairs(self, line_up: tuple[int, ...], seat: int, ends: Ends) -> None:
        """Count the wins of one seat for and against every other policy at the table."""
        base = (len(self.figures) + 1) * self.n
        who = line_up[seat]
        share = self.common // line_up.count(who)
        for index, (i, j) in enumerate(self.pairs):
            if who in (i, j) and i in line_up and j in line_up:
                self.weights[base + 2 * index, ends[0]] += share if who == i else -share
                if seat == line_up.index(i):
                    self.weights[base + 2 * index + 1, ends[1]] += self.common

    @property
    def groups(self) -> Iterator[tuple[int, ...]]:
        """Columns that are compared: one figure of all policies, with their games; and each pair's."""
        games = [len(self.figures) * self.n + who for who in range(self.n)]
        for index in range(len(self.figures)):
            yield (*range(index * self.n, (index + 1) * self.n), *games)
        yield from map(self.pair, range(len(self.pairs)))

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        return self.weights @ vectors

    def figure(self, name: str, who: int) -> tuple[int, int]:
        """Return the places of one figure of one policy: its sum, and its number of games."""
        return self.figures.index(name) * self.n + who, len(self.figures) * self.n + who

    def pair(self, index: int) -> tuple[int, int]:
        """Return the places of a pair's win difference and its games, both times :attr:`common`."""
        top = (len(self.figures) + 1) * self.n + 2 * index
        return top, top + 1


@dataclass(frozen=True, repr=False)
class Tournament:
    """What a tournament came to.

    Parameters
    ----------
    names : tuple of str
    line_ups : tuple of tuple of int
        Policies of each line-up, by number.
    cells : tuple of Cell
    standings : Standings
    batches : tuple of PanelChunk
        The integers behind it, by batch of deals.
    """

    names: tuple[str, ...]
    line_ups: tuple[tuple[int, ...], ...]
    cells: tuple[Cell, ...]
    standings: Standings
    batches: tuple[PanelChunk, ...]

    @property
    def chunk(self) -> PanelChunk:
        """All batches together."""
        total = self.batches[0]
        for batch in self.batches[1:]:
            total = total + batch
        return total

    def _combine(self, chunk: PanelChunk, weights: Mapping[tuple[int, int], float]) -> Difference:
        moments = chunk.moments
        return combine_ratios(moments.n_units, moments.total, moments.products, weights)

    @property
    def table(self) -> pd.DataFrame:
        """One row a policy, best first: games, win share, loss share, mean place, rating, each with its interval."""
        chunk, rating = self.chunk, self.rating
        rows = []
        best = self.best
        for who, name in enumerate(self.names):
            games = int(chunk.moments.total[self.standings.figure("win", who)[1]])
            row: dict[str, Any] = {"policy": name, "n_games": games}
            for figure in self.standings.figures:
                scale = self.standings.scales[figure]
                found = self._combine(chunk, {self.standings.figure(figure, who): 1.0 / scale})
                column = "mean_place" if figure == "place" else f"{figure}_share"
                row |= {column: found.value, f"{figure}_low": found.low, f"{figure}_high": found.high}
            row |= {"rating": rating.values[who], "rating_low": rating.low[who], "rating_high": rating.high[who]}
            rows.append(row | {"may_be_best": name in best})
        return pd.DataFrame(rows).sort_values("win_share", ascending=False, ignore_index=True)

    @property
    def best(self) -> list[str]:
        """Policies that cannot be told from the best (paired differences of win share, Holm-corrected, 95%)."""
        from statsmodels.stats.multitest import multipletests

        chunk, standings = self.chunk, self.standings
        scale = standings.scales["win"]
        shares = [self._combine(chunk, {standings.figure("win", i): 1.0}).value for i in range(len(self.names))]
        top = int(np.nanargmax(shares))
        others = [i for i in range(len(self.names)) if i != top]
        if not others:
            return [self.names[top]]
        p_values = []
        for i in others:
            weights = {standings.figure("win", top): 1.0 / scale, standings.figure("win", i): -1.0 / scale}
            p_value = self._combine(chunk, weights).p_value
            p_values.append(1.0 if math.isnan(p_value) else p_value)
        rejected = multipletests(p_values, alpha=0.05, method="holm")[0]
        return [self.names[top], *[self.names[i] for i, away in zip(others, rejected, strict=True) if not away]]

    @property
    def pairs(self) -> pd.DataFrame:
        """One row a pair that met: difference of win shares over those games, interval, p-value by Holm, mark."""
        from statsmodels.stats.multitest import multipletests

        chunk, scale = self.chunk, self.standings.scales["win"]
        rows = []
        for index, (i, j) in enumerate(self.standings.pairs):
            top, bottom = self.standings.pair(index)
            games = int(chunk.moments.total[bottom]) // self.standings.common
            if games:
                found = self._combine(chunk, {(top, bottom): 1.0 / scale})
                rows.append(
                    {
                        "first": self.names[i],
                        "second": self.names[j],
                        "n_games": games,
                        "difference": found.value,
                        "low": found.low,
                        "high": found.high,
                        "p_value": 1.0 if math.isnan(found.p_value) else found.p_value,
                    }
                )
        table = pd.DataFrame(rows)
        if len(table):
            table["p_holm"] = multipletests(table["p_value"], method="holm")[1]
            table["better"] = np.where(
                table["p_holm"] >= 0.05, "", np.where(table["difference"] > 0, table["first"], table["second"])
            )
        return table

    @property
    def matrix(self) -> pd.DataFrame:
        """Difference of win shares, row minus column, over the games that both sat in."""
        table = pd.DataFrame(math.nan, index=list(self.names), columns=list(self.names))
        for row in self.pairs.itertuples():
            table.loc[row.first, row.second] = row.difference
            table.loc[row.second, row.first] = -row.difference
        return table

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as they are stored."""
        return {
            "table": self.table,
            "pairs": self.pairs,
            "matrix": self.matrix.rename_axis("policy").reset_index(),
            "totals": self.totals.to_frame().T.infer_objects(),
        }

    @property
    def rating(self) -> Rating:
        """Strength on the Elo scale by Luce's model of who wins at a table, centred on 0."""
        size = len(self.line_ups), len(self.line_ups[0])
        scale = self.standings.scales["win"]
        wins = [
            np.array([int(b.moments.total[k]) for k in self.standings.wins]).reshape(size) / scale for b in self.batches
        ]
        return rate_policies(self.line_ups, np.array(wins), len(self.names))

    @property
    def totals(self) -> pd.Series:
        """Games in all, finished and stalled, and where the wins went: shares that add up to 1."""
        statuses = self.chunk.statuses.sum(axis=0)
        n_games = int(statuses.sum())
        won = (
            sum(int(self.chunk.moments.total[self.standings.figure("win", who)[0]]) for who in range(len(self.names)))
            / self.standings.scales["win"]
        )
        return pd.Series(
            {
                "n_games": n_games,
                "n_line_ups": len(self.line_ups),
                "n_finished": int(statuses[FINISHED]),
                "n_stalled": n_games - int(statuses[FINISHED]),
                "won_share": won / n_games,
                "nobody_won_share": 1 - won / n_games,
            },
            dtype=object,
        )

    @property
    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat the tournament."""
        return {
            "kind": "tournament",
            "policies": list(self.names),
            "line_ups": [list(line_up) for line_up in self.line_ups],
            "first_cell": describe_cell(self.cells[0]),
            "n_games": int(self.chunk.statuses.sum()),
            "made_with": describe_machine(),
        }

    @property
    def leader(self) -> str:
        """Who has the highest win share, with its interval, in a few words."""
        chunk, scale = self.chunk, self.standings.scales["win"]
        shares = [self._combine(chunk, {self.standings.figure("win", i): 1.0 / scale}) for i in range(len(self.names))]
        top = max(range(len(shares)), key=lambda i: (not math.isnan(shares[i].value), shares[i].value))
        half = (shares[top].high - shares[top].low) / 2
        return f"best: {self.names[top]} win_share {shares[top].value:.5g} ± {half:.2g}"

    def __repr__(self) -> str:
        return f"Tournament({len(self.names)} policies, {len(self.line_ups)} line-ups; best: {', '.join(self.best)})"

    def _repr_html_(self) -> str:
        rows = [merge_intervals(row) for row in self.table.to_dict("records")]
        totals = self.totals
        line = f"{totals['n_games']:,} games, {totals['n_stalled']:,} stalled; may be best: {', '.join(self.best)}."
        return make_view(f"Tournament of {len(self.names)}", [line], make_table(title_rows(rows)))


def tournament(
    game: str,
    policies: Sequence[Any],
    *,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    n_games: Any = 20_000,
    seed: int = 0,
    scope: str | None = None,
    max_line_ups: int = 300,
    n_jobs: int | None = None,
    progress: bool | None = None,
    resume: Resume = None,
) -> Tournament:
    """Let policies play in all line-ups of `players` seats, seats rotated, every line-up on the same deals.

    Parameters
    ----------
    game : str
    policies : sequence of str, policy
        2 to 60, each a different one.
    players : int, optional
        Seats; the game's usual number, or 2.
    rules, scope, n_jobs, progress
        As for :func:`pymacco_sim.simulate`.
    n_games : int
        Games of each line-up, rounded up to whole rotations.
    seed : int
    max_line_ups : int
        If there are more, a balanced random sample of that size is played: every policy sits equally often, give or
        take one.
    resume : str or Path, optional
        Folder for the counts of what is finished: the same call goes on from there after it was stopped, whatever
        stopped it, with the same result; more games only play what is missing. None keeps nothing.

    Returns
    -------
    Tournament

    Raises
    ------
    RequestError, PolicyError
        If anything about the request is unknown or not allowed.

    Notes
    -----
    With fewer policies than seats, line-ups hold copies of a policy.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> found = pm.tournament("macke", ["points:200", "points:350", "points:900"], players=2, n_games=2000, seed=1)
    >>> found.table["policy"][0]
    'points:200'
    """
    family, preset = find_game(game)
    entrants = [parse_entrant(family, spec) for spec in policies]
    _check_entrants(entrants)
    n_seats = whole(
        "players",
        players if players is not None else max(preset.default_seats, 2),
        max(preset.seats[0], 2),
        preset.seats[1],
    )
    line_ups = make_line_ups(len(entrants), n_seats, whole("max_line_ups", max_line_ups, 1, MAX_LINE_UPS), seed)
    cells = tuple(
        make_cell(game, [entrants[i] for i in line_up], rules, seed=seed, scope=scope, seating="rotate")
        for line_up in line_ups
    )
    picks = _pick_figures(cells)
    standings = Standings(line_ups, Panel(cells, picks), len(entrants))
    panel = Panel(cells, picks, standings)
    deals = -(-whole("n_games", n_games, 1, MAX_GAMES) // n_seats)
    for cell in cells:
        prepare_cell(cell)
    names = tuple(entrant.label for entrant in entrants)
    ranges = _cut(deals)
    last = len(ranges) - 1 - (ranges[-1][1] < ranges[0][1])  # a shorter range belongs to the batch before it
    batches: dict[int, PanelChunk] = {}

    def so_far() -> Tournament:
        return Tournament(names, line_ups, cells, standings, tuple(batches[index] for index in sorted(batches)))

    with (
        open_store(resume, games=deals, unit="deals") as store,
        open_progress(deals * n_seats * len(cells), f"{preset.name}: tournament", progress) as bar,
    ):
        bar.describe(lambda: so_far().leader if batches else "")
        for index, chunk in stream_ranges(panel, ranges, n_jobs, store):
            batch = min(index, last)
            batches[batch] = batches[batch] + chunk if batch in batches else chunk
            bar.update(chunk.moments.n_units * n_seats * len(cells), chunk.stored)
    return so_far()


def _check_entrants(entrants: Sequence[Entrant]) -> None:
    labels = [entrant.label for entrant in entrants]
    whole("number of policies", len(entrants), 2, MAX_POLICIES)
    for label in labels:
        if labels.count(label) > 1:
            raise RequestError(f"policy {label!r} is named twice; each policy takes part once.")


def make_line_ups(n_policies: int, n_seats: int, most: int, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """Return all line-ups of different policies (with copies if there are too few), or a balanced random sample.

    Examples
    --------
    >>> make_line_ups(3, 2, 10)
    ((0, 1), (0, 2), (1, 2))
    >>> make_line_ups(2, 3, 10)
    ((0, 0, 1), (0, 1, 1))
    """
    if n_policies >= n_seats:
        count = math.comb(n_policies, n_seats)
        found: Any = itertools.combinations(range(n_policies), n_seats)
    else:
        count = math.comb(n_policies + n_seats - 1, n_seats) - n_policies
        found = (c for c in itertools.combinations_with_replacement(range(n_policies), n_seats) if len(set(c)) > 1)
    if count <= most:
        return tuple(found)
    rng = np.random.default_rng(np.random.PCG64(seed))
    return _sample_line_ups(n_policies, n_seats, most, rng)


def _sample_line_ups(n_policies: int, n_seats: int, most: int, rng: np.random.Generator) -> tuple[tuple[int, ...], ...]:
    """Deal the policies out in shuffled rounds, so that all sit equally often, give or take one."""
    chosen: list[tuple[int, ...]] = []
    queue: list[int] = []
    while len(chosen) < most:
        line_up: list[int] = []
        while len(line_up) < n_seats:
            if not queue:
                queue = [int(i) for i in rng.permutation(n_policies)]
            usable = next((k for k, i in enumerate(queue) if i not in line_up), None)
            if usable is None:
                queue += [int(i) for i in rng.permutation(n_policies)]
                continue
            line_up.append(queue.pop(usable))
        chosen.append(tuple(sorted(line_up)))
    return tuple(chosen)


def _cut(deals: int) -> list[tuple[int, int]]:
    """Cut the deals into the ranges (first, number) of the rating's batches.

    A range is a power of two deals, so that those of a shorter tournament lie within those of a longer one; the last
    one may be shorter.

    Examples
    --------
    >>> [len(_cut(deals)) for deals in (7, 20, 1000, 1280)]
    [7, 20, 32, 20]
    >>> _cut(1000)[-2:]
    [(960, 32), (992, 8)]
    """
    size = 2 ** math.floor(math.log2(max(deals / N_BATCHES, 1)))
    return [(first, min(size, deals - first)) for first in range(0, deals, size)]


def _pick_figures(cells: Sequence[Cell]) -> tuple[Pick, ...]:
    picks = []
    for index, cell in enumerate(cells):
        wanted: list[Ratio] = [r for r in make_plan(cell).ratios if r.kind == "entrant" and r.outcome.name in FIGURES]
        picks += [Pick(index, ratio) for ratio in wanted]
    return tuple(picks)
