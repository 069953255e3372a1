"""Play one line-up and read off the result: per seat, in total, and the integers behind it."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pymacco_sim._check import RequestError, whole
from pymacco_sim.core.counting import Tally
from pymacco_sim.durable import CountStore, Resume, open_store
from pymacco_sim.estimates import entrant_rows, estimate, main_positions, total_row
from pymacco_sim.games.base import CAP, CYCLE, IDLE, STATUS_NAMES, Cell
from pymacco_sim.games.registry import make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.identity import describe_cell
from pymacco_sim.looks import plan_looks, planned_units, read_until
from pymacco_sim.markup import make_table, make_view, title_rows
from pymacco_sim.play import MAX_GAMES, Plan, check_games, make_plan, stream_chunks
from pymacco_sim.progress import open_progress
from pymacco_sim.rowparts import RowParts
from pymacco_sim.truth import add_truth, find_truth
from pymacco_sim.wording import merge_intervals


def describe_machine() -> dict[str, str]:
    """Return the versions that a manifest names beside the request; results do not depend on them."""
    import numba

    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "pandas": pd.__version__,
    }


@dataclass(frozen=True, repr=False)
class Result:
    """What a line-up's games came to.

    Parameters
    ----------
    cell : Cell
        What was played.
    tally : Tally
        Integer sums over all games; also as :attr:`counts`.
    ranges : tuple of (first, n_games)
        Which game numbers are in it.
    planned : int
        Units at which the sequence was to be tightest, if the run was to stop by itself; then intervals are those of
        the sequence.
    exact : bool
        Whether tables show the exact values too, as ``NAME_exact``.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> result = pm.simulate("macke", "points:350", n_games=1000, seed=1)
    >>> int(result.totals["n_games"])
    1000
    >>> more = pm.simulate("macke", "points:350", n_games=1000, seed=1, first_game=1000)
    >>> int((result + more).totals["n_games"])
    2000
    """

    cell: Cell
    tally: Tally
    ranges: tuple[tuple[int, int], ...]
    planned: int = 0
    exact: bool = False

    @property
    def plan(self) -> Plan:
        """How the tally's sums are to be read."""
        return make_plan(self.cell)

    @property
    def counts(self) -> Tally:
        """The integers behind the result."""
        return self.tally

    @property
    def seats(self) -> pd.DataFrame:
        """One row a line-up position, with intervals (95%); shares are of all games, stalled ones included."""
        rows = entrant_rows(self.cell, self.plan, self.tally, planned=self.planned)
        if self.exact:
            rows = [add_truth(row, known) for row, known in zip(rows, find_truth(self.cell)[1], strict=True)]
        return pd.DataFrame(rows)

    @property
    def seat_effect(self) -> pd.DataFrame:
        """One row a place at the table, whoever sat there; needs ``seating="rotate"``."""
        if not self.cell.rotate:
            raise RequestError("seats did not rotate, so seat and policy cannot be told apart; use seating='rotate'.")
        return pd.DataFrame(entrant_rows(self.cell, self.plan, self.tally, kind="seat", planned=self.planned))

    @property
    def places(self) -> pd.DataFrame:
        """One row a line-up position and place: how often it came out there, with intervals (95%).

        Columns ``seat``, ``policy``, ``place`` (1 is first; 0: none, as the game stalled), ``n_games``, ``share``,
        ``share_low``, ``share_high``; equal scores share the better place. Empty for a game without places, such as
        Macke, and for more than eight seats.
        """
        rows = []
        for position, ratio in enumerate(self.plan.ratios):
            if ratio.kind == "rank":
                found = estimate(self.plan, self.tally, position, self.planned)
                rows.append((ratio.place, self.cell.entrants[ratio.place].label, ratio.value, *found[:3]))
        table = pd.DataFrame(rows, columns=["seat", "policy", "place", "share", "share_low", "share_high"])
        table.insert(3, "n_games", self.tally.n_games)
        return table

    @property
    def totals(self) -> pd.Series:
        """Games by status, and every figure of the table as a whole with its interval (95%)."""
        row = total_row(self.cell, self.plan, self.tally, self.planned)
        return pd.Series(add_truth(row, find_truth(self.cell)[0]) if self.exact else row, dtype=object)

    @property
    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat the result."""
        return {
            **describe_cell(self.cell),
            "n_games": self.tally.n_games,
            "ranges": [list(r) for r in self.ranges],
            "made_with": describe_machine(),
        }

    @property
    def half_width(self) -> float:
        """Widest half of an interval among the deciding figure's (win share of any seat; score; turns)."""
        figures = [estimate(self.plan, self.tally, p, self.planned) for p in main_positions(self.plan)]
        halves = [(figure.high - figure.low) / 2 for figure in figures]
        return max(halves) if halves and not any(map(math.isnan, halves)) else math.inf

    def histogram(self, name: str | None = None, seat: int | None = None) -> pd.DataFrame:
        """Return the distribution of an outcome: columns `value` and `n_games`.

        Parameters
        ----------
        name : str, optional
            The game's first distribution (turns; hands of a match) unless given.
        seat : int, optional
            Position in the line-up, for an outcome per seat.

        Raises
        ------
        RequestError
            If no distribution of that name was kept.
        """
        pairs = sorted(zip(self.plan.histograms, self.tally.bins, strict=True), key=lambda p: p[0].kind != "game")
        for ratio, bins in pairs:
            if name in (None, ratio.outcome.name) and (seat is None or ratio.place == seat):
                values = np.flatnonzero(bins)
                table = pd.DataFrame({"value": values / ratio.outcome.scale, "n_games": bins[values]})
                table.attrs["outcome"] = ratio.outcome.name
                return table
        kept = sorted({ratio.outcome.name for ratio in self.plan.histograms})
        raise RequestError(f"no distribution of {name!r} was kept; there are: {', '.join(kept) or 'none'}.")

    def __add__(self, other: Result) -> Result:
        """Pool two runs of the same cell over different games."""
        if not isinstance(other, Result):
            return NotImplemented
        if self.cell != other.cell:
            raise RequestError("these results are of different cells (rules, policies, seed ...); they do not add up.")
        ranges = join_ranges((*self.ranges, *other.ranges))
        return Result(self.cell, self.tally + other.tally, ranges, self.planned, self.exact)

    def __repr__(self) -> str:
        line_up = ", ".join(entrant.label for entrant in self.cell.entrants)
        return f"Result({self.cell.preset}: {line_up}; n_games={self.tally.n_games:,}, seed={self.cell.seed})"

    def _repr_html_(self) -> str:
        totals = merge_intervals(self.totals.to_dict())
        seats = [merge_intervals(row) for row in self.seats.to_dict("records")]
        shown = seats if len(seats[0]) > 3 else []
        title = f"{self.cell.preset}: {', '.join(entrant.label for entrant in self.cell.entrants)}"
        figures = make_table(title_rows([{k: v for k, v in totals.items() if k not in ("n_finished", "n_stalled")}]))
        lines = [f"seed {self.cell.seed}; {say_stalled(self.totals)}"]
        return make_view(title, lines, make_table(title_rows(shown)), figures)


def say_figure(row: Mapping[str, Any]) -> str:
    """Return the figure by which a table's row is judged, in a few words; empty if it has none.

    Examples
    --------
    >>> say_figure({"turns_mean": 12.5, "turns_low": 12.25, "turns_high": 12.75})
    'turns_mean 12.5 ± 0.25'
    """
    for name in ("score_mean", "win_share", "turns_mean"):
        stem = name.rsplit("_", 1)[0]
        if f"{stem}_low" in row and name in row:
            return f"{name} {row[name]:.5g} ± {(row[f'{stem}_high'] - row[f'{stem}_low']) / 2:.2g}"
    return ""


def say_stalled(totals: Mapping[str, Any]) -> str:
    """Return in a sentence how many games never ended, and why.

    Parameters
    ----------
    totals : mapping
        As :attr:`Result.totals`.

    Examples
    --------
    >>> say_stalled({"n_games": 1000, "n_stalled": 20, "stalled_cap_share": 0.02})
    '20 of 1,000 games stalled (2.0%): cap 2.0%.'
    """
    n_games, n_stalled = int(totals["n_games"]), int(totals["n_stalled"])
    if not n_stalled:
        return f"None of {n_games:,} games stalled."
    shares = {
        STATUS_NAMES[status]: totals.get(f"stalled_{STATUS_NAMES[status]}_share") for status in (CYCLE, IDLE, CAP)
    }
    causes = ", ".join(f"{name} {share:.1%}" for name, share in shares.items() if share == share and share)
    return f"{n_stalled:,} of {n_games:,} games stalled ({n_stalled / n_games:.1%})" + (
        f": {causes}." if causes else "."
    )


def join_ranges(ranges: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return ranges (first, n_games) in order, neighbours made one; a game in two of them is an error."""
    joined: list[tuple[int, int]] = []
    for first, n in sorted(ranges):
        if joined and first < sum(joined[-1]):
            raise RequestError(f"game {first} is in both results; a game counts once.")
        if joined and first == sum(joined[-1]):
            joined[-1] = (joined[-1][0], joined[-1][1] + n)
        else:
            joined.append((first, n))
    return tuple(joined)


def simulate(
    game: str,
    policies: Any,
    rules: Rules | Mapping[str, Any] | None = None,
    n_games: Any = 100_000,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    *,
    scope: str | None = None,
    seating: str = "fixed",
    players: int | None = None,
    first_game: Any = 0,
    rows: str | None = None,
    until: float | None = None,
    resume: Resume = None,
    exact: bool = False,
) -> Result:
    """Play `n_games` games of one line-up.

    Parameters
    ----------
    game : str
        ``"macke"``, ``"tomacco"``, ``"threes"``, ``"threes-2022"``, ``"macao"`` ...; see :func:`pymacco_sim.games`.
    policies : str, policy, or a sequence of them
        One a seat (``"points:350"``, ``"my_policies.py:hoarder:greed=0.3"``, a decorated function). A single one
        plays Macke alone, and fills all seats of a card game.
    rules : Rules or mapping, optional
        Whole rules, or the fields that differ from the preset.
    n_games : int
        1 to 1e13; with ``seating="rotate"`` rounded up to whole rotations.
    seed : int
        0 to 2**64 - 1. Same seed, same games, whatever the number of workers.
    n_jobs : int, optional
        Workers; None for all cores.
    progress : bool, optional
        Whether to show a bar; None for: on a terminal or in a notebook, if it takes more than a moment.
    scope : str, optional
        How much one game is: ``"turn"``, ``"session"``, ``"race"``; ``"hand"``, ``"match"``.
    seating : {"fixed", "rotate"}
        ``"rotate"`` plays each deal once for every rotation of the line-up; intervals then go by deals.
    players : int, optional
        Seats that a single policy fills.
    first_game : int
        Number of the first game, for adding to an earlier run.
    rows : str, optional
        Path of a Parquet file for one row a game.
    until : float, optional
        Stop as soon as the win share of every seat (Macke alone: the turn score) is known to that half-width;
        `n_games` is then the most. Intervals are those of a sequence, valid at every look.
    resume : str or Path, optional
        Folder for the counts of what is finished: the same call goes on from there after it was stopped, whatever
        stopped it, with the same result; more games only play what is missing. None keeps nothing.
    exact : bool
        Whether the tables show the exact values beside the estimates (Macke and relatives, one seat or two).

    Returns
    -------
    Result

    Raises
    ------
    RequestError
        If anything about the request is unknown or not allowed.
    PolicyError
        If a user's policy does not compile or takes an illegal decision.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> result = pm.simulate("macke", ["points:200", "points:350"], n_games=2000, seed=1)
    >>> result.seats[["policy", "n_games"]].to_dict("list")
    {'policy': ['points:200', 'points:350'], 'n_games': [2000, 2000]}
    """
    cell = make_cell(game, policies, rules, seed=seed, scope=scope, seating=seating, players=players)
    count = check_games(cell, n_games)
    first = -(-whole("first_game", first_game, 0, MAX_GAMES) // cell.unit) * cell.unit
    width = read_until(until)
    if exact:
        find_truth(cell)
    planned = planned_units(count // cell.unit) if width is not None else 0
    tally: Tally | None = None
    result: Result | None = None
    with (
        open_store(resume, games=count) as store,
        open_progress(count, cell.preset, progress) as bar,
        _open_rows(rows, cell, store) as writer,
    ):
        bar.describe(lambda: say_figure(total_row(cell, make_plan(cell), tally)) if tally is not None else "")
        for start, units in plan_looks(count // cell.unit, sequential=width is not None):
            request = (0, cell, first + start * cell.unit, units * cell.unit)
            for chunk in stream_chunks([request], n_jobs, keep_block=writer is not None, store=store, kept=writer):
                tally = chunk.tally if tally is None else tally + chunk.tally
                if writer is not None and not chunk.stored:
                    writer.write(chunk)
                bar.update(chunk.n_games, chunk.stored)
            assert tally is not None
            result = Result(cell, tally, ((first, tally.n_games),), planned, exact)
            if width is not None and result.half_width <= width:
                break
    assert result is not None
    return result


def _open_rows(path: str | None, cell: Cell, store: CountStore | None) -> AbstractContextManager[RowParts | None]:
    if path is None:
        return nullcontext()
    return RowParts(path, cell, keep=store is not None, fresh=store is not None and store.fresh)
