"""Many policies against one another: all line-ups on the same deals, ranked with intervals and a rating."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pymacco_sim._check import RequestError, whole
from pymacco_sim.durable import Resume, open_store
from pymacco_sim.games.base import FINISHED, Cell
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.policy import Entrant
from pymacco_sim.games.registry import find_game, make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.identity import describe_cell
from pymacco_sim.line_ups import cut_deals, make_line_ups
from pymacco_sim.markup import make_table, make_view, title_rows
from pymacco_sim.panel import Panel, PanelChunk, stream_ranges
from pymacco_sim.play import MAX_GAMES, prepare_cell
from pymacco_sim.progress import open_progress
from pymacco_sim.replays import Replay, replay_cell
from pymacco_sim.rows import RowsWriter
from pymacco_sim.search import check_range, pick_row, seated_rows
from pymacco_sim.simulation import describe_machine
from pymacco_sim.standings import FIGURES, Standings, pick_figures, say_standings
from pymacco_sim.stats.intervals import Estimate, estimate_mean, estimate_share
from pymacco_sim.stats.paired import Difference, combine_ratios
from pymacco_sim.stats.rating import Rating, rate_policies
from pymacco_sim.wording import count_games, merge_intervals, with_error

MAX_LINE_UPS = 2_000
MAX_POLICIES = 60


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

    @cached_property
    def chunk(self) -> PanelChunk:
        """All batches together."""
        total = self.batches[0]
        for batch in self.batches[1:]:
            total = total + batch
        return total

    def _combine(self, chunk: PanelChunk, weights: Mapping[tuple[int, int], float]) -> Difference:
        moments = chunk.moments
        return combine_ratios(moments.n_units, moments.total, moments.products, weights)

    def _estimate(self, chunk: PanelChunk, figure: str, who: int) -> Estimate:
        """Return one figure of one policy."""
        top, bottom = self.standings.figure(figure, who)
        total, products = chunk.moments.total, chunk.moments.products
        sums = (total[top], total[bottom], products[top, top], products[top, bottom], products[bottom, bottom])
        by = estimate_mean if figure == "place" else estimate_share
        return by(chunk.moments.n_units, sums, self.standings.scales[figure])

    @property
    def table(self) -> pd.DataFrame:
        """One row a policy, best first: games, win share, loss share, mean place, rating, each with its interval."""
        chunk, rating = self.chunk, self.rating
        rows = []
        best = self.best
        for who, name in enumerate(self.names):
            games = int(chunk.moments.total[self.standings.figure("win", who)[1]])
            row: dict[str, Any] = {"policy": name, "n_games": games}
            for figure in filter(self.standings.figures.__contains__, FIGURES):
                found = self._estimate(chunk, figure, who)
                column = "mean_place" if figure == "place" else f"{figure}_share"
                row |= {column: found.value, f"{figure}_low": found.low, f"{figure}_high": found.high}
            row |= {"rating": rating.values[who], "rating_low": rating.low[who], "rating_high": rating.high[who]}
            rows.append(row | {"may_be_best": name in best})
        return pd.DataFrame(rows).sort_values("win_share", ascending=False, ignore_index=True)

    @property
    def places(self) -> pd.DataFrame:
        """One row a policy, best first, and place: how often it came out there, with intervals (95%).

        Columns ``policy``, ``place`` (1 is first; 0: none, as the game stalled), ``n_games``, ``share``,
        ``share_low``, ``share_high``; equal scores share the better place. Empty for a game without places, such as
        Macke, and for more than eight seats.
        """
        chunk, rows = self.chunk, []
        for name, games in self.table[["policy", "n_games"]].itertuples(index=False):
            for place, figure in self.standings.places.items():
                found = self._estimate(chunk, figure, self.names.index(name))
                rows.append((name, place, games, found.value, found.low, found.high))
        return pd.DataFrame(rows, columns=["policy", "place", "n_games", "share", "share_low", "share_high"])

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

    def rows(self, n_games: Any = 1000, first_game: Any = 0) -> pd.DataFrame:
        """Return the games themselves.

        Parameters
        ----------
        n_games, first_game : int
            Which games of each line-up; they are played again.

        Returns
        -------
        pandas.DataFrame
            One row a game: ``line_up`` (its number), ``policy_0`` ... (who sat at each seat), then ``game``, ``deal``,
            ``shift``, ``status`` and the outcomes, ``NAME_0`` for the player at seat 0.
        """
        first, count = check_range(len(self.line_ups[0]), n_games, first_game)
        return pd.concat(self._rows(first, count), ignore_index=True)

    def _rows(self, first: int, n_games: int, n_jobs: int | None = None) -> Iterator[pd.DataFrame]:
        return seated_rows(self.cells, first, n_games, n_jobs)

    def find(self, where: str | None = None, most: str | None = None, least: str | None = None) -> Replay:
        """Look through the games of all line-ups for one, and tell its story.

        Parameters
        ----------
        where, most, least : str, optional
            On the columns of :meth:`rows`, as for :func:`pymacco_sim.find_game`.

        Examples
        --------
        >>> import pymacco_sim as pm
        >>> found = pm.tournament("macke", ["points:200", "points:350"], players=2, n_games=500, seed=1)
        >>> longest = found.find(most="turns")
        >>> upset = found.find("policy_0 == 'points:350' and win_0 == 1", least="turns")
        """
        games = self.chunk.moments.n_units * len(self.line_ups[0])
        row = pick_row(self._rows(0, games), where, most, least)
        return replay_cell(self.cells[int(row["line_up"])], int(row["game"]))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as they are stored."""
        return {
            "table": self.table,
            "places": self.places,
            "pairs": self.pairs,
            "matrix": self.matrix.rename_axis("policy").reset_index(),
            "totals": self.totals.to_frame().T.infer_objects(),
        }

    @cached_property
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
        return f"best: {self.names[top]} win_share {with_error(*shares[top][:3])}"

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        return say_standings(self.table, self.totals)

    def __repr__(self) -> str:
        return f"Tournament({len(self.names)} policies, {len(self.line_ups)} line-ups; best: {', '.join(self.best)})"

    def _repr_html_(self) -> str:
        rows = [merge_intervals(row) for row in self.table.to_dict("records")]
        totals = self.totals
        line = f"{count_games(totals['n_games'])}, {totals['n_stalled']:,} stalled."
        return make_view(self.sentence, [line], make_table(title_rows(rows)))


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
    rows: str | None = None,
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
    rows : str, optional
        Path of a Parquet file for one row a game of every line-up, as :meth:`Tournament.rows` returns them; the games
        are played a second time for it.
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
    picks = pick_figures(cells)
    standings = Standings(line_ups, Panel(cells, picks), len(entrants))
    panel = Panel(cells, picks, standings)
    deals = -(-whole("n_games", n_games, 1, MAX_GAMES) // n_seats)
    for cell in cells:
        prepare_cell(cell)
    names = tuple(entrant.label for entrant in entrants)
    ranges = cut_deals(deals)
    last = len(ranges) - 1 - (ranges[-1][1] < ranges[0][1])  # a shorter range belongs to the batch before it
    batches: dict[int, PanelChunk] = {}

    def so_far() -> Tournament:
        return Tournament(names, line_ups, cells, standings, tuple(batches[index] for index in sorted(batches)))

    writer = RowsWriter(rows) if rows is not None else None
    with (
        writer or nullcontext(),
        open_store(resume, games=deals, unit="deals") as store,
        open_progress(deals * n_seats * len(cells), f"{preset.name}: tournament", progress) as bar,
    ):
        bar.describe(lambda: so_far().leader if batches else "")
        for index, chunk in stream_ranges(panel, ranges, n_jobs, store):
            batch = min(index, last)
            batches[batch] = batches[batch] + chunk if batch in batches else chunk
            bar.update(chunk.moments.n_units * n_seats * len(cells), chunk.stored)
        found = so_far()
        if writer is not None:
            writer.write_tables(found._rows(0, deals * n_seats, n_jobs))
    return found


def _check_entrants(entrants: Sequence[Entrant]) -> None:
    labels = [entrant.label for entrant in entrants]
    whole("number of policies", len(entrants), 2, MAX_POLICIES)
    for label in labels:
        if labels.count(label) > 1:
            raise RequestError(f"policy {label!r} is named twice; each policy takes part once.")
