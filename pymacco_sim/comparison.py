"""Is one policy better than another? Both play the same deals, from the same seats, against the same field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pymacco_sim._check import RequestError, whole
from pymacco_sim.durable import Resume, open_store
from pymacco_sim.estimates import MAIN, value_column
from pymacco_sim.games.base import FINISHED, Cell, Outcome
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.identity import describe_cell
from pymacco_sim.looks import plan_looks, planned_units, read_until
from pymacco_sim.markup import make_table, make_view
from pymacco_sim.pairing import make_pair, make_panel
from pymacco_sim.panel import Panel, PanelChunk, single, stream_panel, subtract
from pymacco_sim.play import MAX_GAMES, prepare_cell
from pymacco_sim.progress import open_progress
from pymacco_sim.replays import Replay, replay_cell
from pymacco_sim.rows import RowsWriter
from pymacco_sim.search import check_range, pair_rows, pick_row
from pymacco_sim.simulation import describe_machine
from pymacco_sim.stats.intervals import sequence_width
from pymacco_sim.stats.paired import Difference, units_needed
from pymacco_sim.truth import find_truth
from pymacco_sim.wording import count_games, p_text, with_bounds, with_error


@dataclass(frozen=True, repr=False)
class Comparison:
    """What a paired comparison came to.

    Parameters
    ----------
    cells : tuple of Cell
        The first candidate's games and the second's.
    panel : Panel
        What was played: both cells, or one where the second would play the same games in another order.
    chunk : PanelChunk
        The integers behind it.
    sequential : bool
        Whether intervals are those of a sequence, valid at every look.
    planned : int
        Units at which the sequence was to be tightest.
    exact : bool
        Whether the table shows the exact values too.
    """

    cells: tuple[Cell, Cell]
    panel: Panel
    chunk: PanelChunk
    sequential: bool
    planned: int
    exact: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """Labels of the two candidates."""
        return self.cells[0].entrants[0].label, self.cells[1].entrants[0].label

    @property
    def n_units(self) -> int:
        """Deals behind the intervals."""
        return self.chunk.moments.n_units

    @property
    def n_games(self) -> int:
        """Games that each candidate played."""
        return self.n_units * self.panel.unit

    @property
    def outcomes(self) -> list[Outcome]:
        """Compared outcomes, the deciding one first."""
        return [pick.ratio.outcome for pick in self.panel.picks[0::2]]

    def _width(self) -> float:
        return sequence_width(self.n_units, self.planned) if self.sequential else 0.0

    def difference(self, name: str | None = None) -> Difference:
        """Return the paired difference (first candidate minus second) of one outcome, the deciding one by default.

        Raises
        ------
        RequestError
            If the outcome was not compared.
        """
        names = [outcome.name for outcome in self.outcomes]
        name = name or names[0]
        if name not in names:
            raise RequestError(f"outcome {name!r} was not compared; there are: {', '.join(names)}.")
        index = names.index(name)
        scale = self.outcomes[index].scale
        return subtract(self.panel, self.chunk.moments, 2 * index, 2 * index + 1, scale, self._width())

    @property
    def table(self) -> pd.DataFrame:
        """One row an outcome: both values, the difference with interval, p-value (also by Holm), variance removed."""
        from statsmodels.stats.multitest import multipletests

        rows = []
        for index, outcome in enumerate(self.outcomes):
            gap = self.difference(outcome.name)
            rows.append(
                {
                    "outcome": value_column(outcome),
                    "n_games": self.n_games,
                    "first": single(self.panel, self.chunk.moments, 2 * index, outcome.scale).value,
                    "second": single(self.panel, self.chunk.moments, 2 * index + 1, outcome.scale).value,
                    "difference": gap.value,
                    "low": gap.low,
                    "high": gap.high,
                    "p_value": gap.p_value,
                    "paired_away": gap.paired_away,
                    **(self._truth(outcome) if self.exact else {}),
                }
            )
        table = pd.DataFrame(rows)
        known = table["p_value"].notna()
        table["p_holm"] = math.nan
        if known.any():
            table.loc[known, "p_holm"] = multipletests(table.loc[known, "p_value"], method="holm")[1]
        return table

    def _truth(self, outcome: Outcome) -> dict[str, float]:
        """Return the exact values of one outcome: of both candidates, and their difference; NaN if unknown."""
        known = [
            {**whole, **seats[0]}.get(value_column(outcome), math.nan) for whole, seats in map(find_truth, self.cells)
        ]
        return {"first_exact": known[0], "second_exact": known[1], "difference_exact": known[0] - known[1]}

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name, as they are stored."""
        return {"table": self.table}

    @property
    def verdict(self) -> str:
        """``"better"``, ``"worse"`` or ``"cannot tell"``: the first candidate against the second."""
        gap, sign = self.difference(), self.outcomes[0].better or 1
        if gap.low > 0 or gap.high < 0:
            return "better" if gap.value * sign > 0 else "worse"
        return "cannot tell"

    def games_needed(self, difference: float | None = None, power: float = 0.8) -> float:
        """Return how many games would find a difference of that size (the one seen by default) with that power."""
        gap = self.difference()
        size = gap.value if difference is None else difference
        return units_needed(self.n_units, gap.se, size, power) * self.panel.unit

    def rows(self, n_games: Any = 10_000, first_game: Any = 0) -> pd.DataFrame:
        """Return the games themselves: what each candidate made of the same deal from the same seat.

        Parameters
        ----------
        n_games, first_game : int
            Which games; they are played again.

        Returns
        -------
        pandas.DataFrame
            One row a game number: ``game``, ``deal``, ``seat`` (of the candidate), ``first_status``,
            ``second_status``, and ``first_NAME``, ``second_NAME`` for each outcome (win, turns ...).

        Examples
        --------
        >>> import pymacco_sim as pm
        >>> found = pm.compare("macke", "points:200", "points:350", players=2, n_games=2000, seed=1)
        >>> found.rows(100).query("first_win == 1 and second_win == 0").columns[:3].tolist()
        ['game', 'deal', 'seat']
        """
        return pd.concat(self._rows(*check_range(self.panel.unit, n_games, first_game)), ignore_index=True)

    def _rows(self, first: int, n_games: int) -> Iterator[pd.DataFrame]:
        return pair_rows(self.cells, self.outcomes, first, n_games)

    def find(
        self, where: str | None = None, most: str | None = None, least: str | None = None
    ) -> tuple[Replay, Replay]:
        """Look through the games for one, and tell what either candidate made of it.

        Parameters
        ----------
        where, most, least : str, optional
            On the columns of :meth:`rows`, as for :func:`pymacco_sim.find_game`.

        Returns
        -------
        tuple of Replay
            The same game number with the first candidate, and with the second.

        Examples
        --------
        A deal that the first candidate won and the second, from the same seat, lost:

        >>> import pymacco_sim as pm
        >>> found = pm.compare("macke", "points:200", "points:350", players=2, n_games=2000, seed=1)
        >>> won, lost = found.find("first_win == 1 and second_win == 0")
        >>> won.game == lost.game
        True
        """
        found = pick_row(self._rows(0, self.n_games), where, most, least)
        return self.replay(int(found["game"]), 0), self.replay(int(found["game"]), 1)

    def replay(self, game: int, candidate: int = 0) -> Replay:
        """Return the story of one game of the first (0) or second (1) candidate."""
        return replay_cell(self.cells[candidate], game)

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        return _say(self)

    @property
    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat the comparison."""
        return {
            "kind": "compare",
            "first": describe_cell(self.cells[0]),
            "second": describe_cell(self.cells[1]),
            "n_games": self.n_games,
            "sequential": self.sequential,
            "made_with": describe_machine(),
        }

    def __repr__(self) -> str:
        return f"Comparison({self.sentence})"

    def _repr_html_(self) -> str:
        one, two = self.names
        rows = [
            {
                "figure": row["outcome"].replace("_", " "),
                f"{one} (1)": row["first"],
                f"{two} (2)": row["second"],
                "(1) minus (2)": with_error(row["difference"], row["low"], row["high"]),
                "p (Holm)": "-" if math.isnan(row["p_holm"]) else p_text(row["p_holm"]).removeprefix("= "),
            }
            for row in self.table.to_dict("records")
        ]
        return make_view(self.sentence, [], make_table(rows))


def _say(found: Comparison) -> str:
    one, two = found.names
    outcome, gap = found.outcomes[0], found.difference()
    what = value_column(outcome).replace("_", " ").replace(" mean", "")
    games = f"{count_games(found.n_games)} each"
    stalled = [1 - row[FINISHED] / row.sum() for row in found.chunk.statuses]
    shares = " and ".join(dict.fromkeys(f"{share:.1%}" for share in stalled))
    note = "" if max(stalled) < 0.005 else f" Stalled: {shares} of the games."
    if min(stalled) == 1:
        return f"Every game stalled ({games}): {one} and {two} cannot be told apart by {what}."
    if math.isnan(gap.value):
        return f"Cannot tell: no game in {games} has a {what}.{note}"
    if math.isnan(gap.low):
        return f"Cannot tell at {games}: one deal has no error bar; play more.{note}"
    if gap.se == 0 and gap.value == 0 and one == two:
        return f"Both candidates are {one}: {games} came out alike, and more cannot tell them apart.{note}"
    if gap.se == 0 and gap.value == 0:
        return f"{one} and {two} came out alike on every deal ({games}): no difference in {what} was seen.{note}"
    span = with_bounds(*gap[:3])
    if found.verdict == "cannot tell":
        needed = found.games_needed()
        about = (
            f"about {_round(needed)} would be needed" if needed < MAX_GAMES else "the difference may well be nothing"
        )
        return f"Cannot tell at {games}: {what} of {one} minus {two} is {span}; {about}.{note}"
    kind = "95% sequence, valid at every look" if found.sequential else f"95%, p {p_text(gap.p_value)}"
    return f"{one} is {found.verdict} than {two}: {what} {span}, {kind}, {games}.{_say_opposite(found)}{note}"


def _say_opposite(found: Comparison) -> str:
    """Return what else policies are judged by and speaks against the verdict, with its interval; else nothing."""
    for outcome in found.outcomes[1:]:
        gap, sign = found.difference(outcome.name), outcome.better or 1
        other = "better" if gap.value * sign > 0 else "worse"
        if outcome.name in MAIN and (gap.low > 0 or gap.high < 0) and other != found.verdict:
            return f" By {outcome.name} it is {other}: {with_bounds(*gap[:3])}."
    return ""


def _round(number: float) -> str:
    digits = max(len(str(round(number))) - 2, 0)
    return f"{round(number, -digits):,.0f}"


def compare(
    game: str,
    a: Any,
    b: Any,
    *,
    field: Any = None,
    players: int | None = None,
    rules: Rules | Mapping[str, Any] | None = None,
    n_games: Any = 100_000,
    seed: int = 0,
    until: Any = None,
    scope: str | None = None,
    seating: str = "rotate",
    n_jobs: int | None = None,
    progress: bool | None = None,
    rows: str | None = None,
    resume: Resume = None,
    exact: bool = False,
) -> Comparison:
    """Compare two policies on the same deals and dice, from the same seats, against the same field.

    Parameters
    ----------
    game : str
    a, b : str, policy
        The candidates; differences are `a` minus `b`.
    field : policy or sequence of them, optional
        Who sits at the other seats (a single one fills them). None for mirrored tables: `a` among copies of `b`
        against `b` among copies of `a`.
    players : int, optional
        Seats; the game's usual number (1 for Macke: both play alone on the same dice).
    rules, scope, n_jobs, progress
        As for :func:`pymacco_sim.simulate`.
    n_games : int
        Games for each candidate; with `until`, the most.
    seed : int
    until : {None, "decided"} or float, optional
        Stop as soon as the deciding outcome's sequence excludes zero, or is that narrow (half-width). Intervals then
        are those of the sequence: valid however often one looks, and wider.
    seating : {"rotate", "fixed"}
        Whether the candidates play every deal from every seat.
    rows : str, optional
        Path of a Parquet file for one row a game number, as :meth:`Comparison.rows` returns them; the games are
        played a second time for it.
    resume : str or Path, optional
        Folder for the counts of what is finished: the same call goes on from there after it was stopped, whatever
        stopped it, with the same result; more games only play what is missing. None keeps nothing.
    exact : bool
        Whether the table shows the exact values beside the estimates (Macke and relatives, one seat or two).

    Returns
    -------
    Comparison

    Raises
    ------
    RequestError, PolicyError
        If anything about the request is unknown or not allowed.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> answer = pm.compare("macke", "points:200", "points:350", n_games=20_000, seed=1)
    >>> answer.verdict
    'better'
    """
    cells = make_pair(game, a, b, field, players, rules, seed, scope, seating)
    panel = make_panel(cells)
    width = read_until(until)
    count = whole("n_games", n_games, 1, MAX_GAMES)
    units = -(-count // panel.unit)
    for cell in cells:
        prepare_cell(cell)
        if exact:
            find_truth(cell)
    total: PanelChunk | None = None
    found = None
    writer = RowsWriter(rows) if rows is not None else None
    with (
        writer or nullcontext(),
        open_store(resume, games=units, unit="deals") as store,
        open_progress(len(panel.cells) * units * panel.unit, f"{cells[0].preset}: compare", progress) as bar,
    ):
        bar.describe(lambda: _say_so_far(found) if found is not None else "")
        for first, step in plan_looks(units, width is not None):
            for chunk in stream_panel(panel, first, step, n_jobs, store):
                total = chunk if total is None else total + chunk
                found = Comparison(cells, panel, total, width is not None, planned_units(units), exact)
                bar.update(len(panel.cells) * chunk.moments.n_units * panel.unit, chunk.stored)
            assert total is not None
            found = Comparison(cells, panel, total, width is not None, planned_units(units), exact)
            if width is not None and _is_enough(found, width):
                break
        if writer is not None and found is not None:
            writer.write_tables(found._rows(0, found.n_games))
    assert found is not None
    return found


def _say_so_far(found: Comparison) -> str:
    gap = found.difference()
    what = value_column(found.outcomes[0])
    return f"difference in {what} {gap.value:+.4g} ± {(gap.high - gap.low) / 2:.2g}"


def _is_enough(found: Comparison, width: float) -> bool:
    gap = found.difference()
    if math.isnan(gap.low):
        return False
    return found.verdict != "cannot tell" if width == 0 else (gap.high - gap.low) / 2 <= width
