"""Play ranges of numbered games and return their integers, over any number of workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from pymacco_sim._check import PolicyError, whole
from pymacco_sim.core.counting import ALL, PLAIN, SPEC, Tally, count_values, mark_stalled, rank_seats, sum_ratios
from pymacco_sim.core.keeping import Keeper
from pymacco_sim.games.base import CYCLE, FINISHED, STATUS_NAMES, Cell, Outcome, column_names
from pymacco_sim.games.registry import find_family
from pymacco_sim.games.rulebook import join_items
from pymacco_sim.identity import cell_key
from pymacco_sim.workers import Piece, check_stop, count_workers, run_pieces, run_tasks

MAX_GAMES = 10**13
"""Most games of one request."""

BLOCKS_PER_CHUNK = 16

ROWS_BYTES = 128 * 2**20
"""Most memory for outcome blocks that wait to be written as rows."""

STALLED = Outcome("stalled", "share of games that never ended", share=True, better=-1)
"""Reported by every game, from its status."""

RANK = Outcome("rank", "place among the seats; 0 for none", seat=True)
"""Follows from the first outcome of :data:`RANKED` that a game has for each seat."""

RANKED = ("place", "total", "points")
MAX_RANKED = 8
"""Most seats for which places are counted."""

SETUP_BYTES = 16 * 2**20
"""Most memory for set-ups that may be needed again."""

_setups: Keeper[Any] = Keeper(SETUP_BYTES)


class Ratio(NamedTuple):
    """What one row of a tally's sums is about."""

    outcome: Outcome
    kind: str
    """``"game"``, ``"entrant"`` (position in the line-up) or ``"seat"`` (place at the table, when seats rotate);
    ``"rank"``: how often a position in the line-up comes out at one place."""
    place: int
    value: int = PLAIN
    """The place that is counted, of kind ``"rank"``; 0 for none."""


@dataclass(frozen=True)
class Plan:
    """How a cell's outcome blocks are counted."""

    outcomes: tuple[Outcome, ...]
    ratios: tuple[Ratio, ...]
    specs: np.ndarray
    histograms: tuple[Ratio, ...]
    ranked: int = -1
    """Row of the outcome by which the seats are ranked; -1 if they are not."""
    kept: bool = False
    """Whether a seat that has its place keeps it when the game stalls."""

    def find(self, name: str, kind: str = "game", place: int = 0) -> int:
        """Return the position of a ratio by outcome name."""
        for position, ratio in enumerate(self.ratios):
            if (ratio.outcome.name, ratio.kind, ratio.place) == (name, kind, place):
                return position
        raise KeyError(name)


@dataclass
class Chunk:
    """Games `first` to ``first + n_games - 1`` of request `index`: their tally, and the outcome block if asked for."""

    index: int
    first: int
    n_games: int
    tally: Tally
    block: np.ndarray | None = None
    stored: bool = False
    """Whether it came out of a store and was not played now."""


@lru_cache(maxsize=1024)
def make_plan(cell: Cell) -> Plan:
    """Return the counting plan of a cell."""
    own = find_family(cell.game).outcomes(cell)
    ranked = next((name for name in RANKED for o in own if o.name == name and o.seat), None)
    ranked = ranked if 1 < cell.n_seats <= MAX_RANKED else None
    outcomes = (*own, *((RANK,) if ranked else ()), STALLED)
    rows = {name: row for row, name in reversed(list(enumerate(column_names(outcomes, cell.n_seats))))}
    base = {o.name: rows[f"{o.name}_0" if o.seat else o.name] for o in outcomes}
    seated = {o.name for o in outcomes if o.seat}
    ratios: list[Ratio] = []
    for outcome in outcomes:
        kinds = ("entrant", "seat") if cell.rotate else ("entrant",)
        if outcome is RANK:
            places = range(cell.n_seats + 1)
            ratios += [Ratio(_place_share(p), "rank", seat, p) for seat in range(cell.n_seats) for p in places]
        elif outcome.seat:
            ratios += [Ratio(outcome, kind, seat) for kind in kinds for seat in range(cell.n_seats)]
        else:
            ratios.append(Ratio(outcome, "game", 0))
    specs = np.zeros(len(ratios), dtype=SPEC).view(np.recarray)
    for spec, ratio in zip(specs, ratios, strict=True):
        per = ratio.outcome.per
        turning = cell.rotate and ratio.kind in ("entrant", "rank")
        name = RANK.name if ratio.kind == "rank" else ratio.outcome.name
        spec["top"], spec["top_seat"] = base[name], ratio.place if ratio.outcome.seat else -1
        spec["bottom"] = base.get(per, -1)
        spec["bottom_seat"] = ratio.place if per in seated else -1
        spec["turning"] = turning
        spec["mask"] = {"finished": FINISHED, "cycle": CYCLE}.get(per, ALL)
        spec["value"] = ratio.value
    histograms = tuple(r for r in ratios if r.outcome.histogram and r.kind != "seat")
    return Plan(outcomes, tuple(ratios), specs, histograms, base[ranked] if ranked else -1, ranked == "place")


def _place_share(place: int) -> Outcome:
    words = f"came out at place {place}" if place else "came out at no place"
    return Outcome(f"rank_{place}", words, seat=True, share=True)


def prepare_cell(cell: Cell) -> Any:
    """Return the game's set-up for a cell (policies compiled, tables filled), kept for the next time.

    Raises
    ------
    RequestError, PolicyError
        If the cell cannot be played.
    """
    return _setups.get(cell, lambda: find_family(cell.game).prepare(cell))


def check_games(cell: Cell, n_games: Any) -> int:
    """Return `n_games` as an int, rounded up to whole rotations of the seats."""
    number = whole("n_games", n_games, 1, MAX_GAMES)
    return -(-number // cell.unit) * cell.unit


def block_size(cell: Cell) -> int:
    """Return the number of games of one kernel call, a multiple of the cell's unit."""
    return max(find_family(cell.game).block // cell.unit, 1) * cell.unit


def play_block(cell: Cell, first: int, n_games: int) -> np.ndarray:
    """Play games `first` ... and return their outcome block.

    Parameters
    ----------
    cell : Cell
    first, n_games : int
        Both multiples of ``cell.unit``.

    Returns
    -------
    int32[n_rows, n_games]
        Rows as named by :func:`~pymacco_sim.games.base.column_names`, the last one 1 for a stalled game.

    Raises
    ------
    PolicyError
        If a policy takes an illegal decision; names policy, seat, game and the way to replay it.
    """
    setup = prepare_cell(cell)
    game = find_family(cell.game)
    plan = make_plan(cell)
    out = np.empty((len(column_names(plan.outcomes, cell.n_seats)), n_games), dtype=np.int32)
    if not game.fills_block:
        out.fill(0)  # quicker than np.zeros, which takes new pages of memory every time
    own = out[:-1] if plan.ranked < 0 else out[: -1 - cell.n_seats]
    game.play(setup, first, own)
    wrong = mark_stalled(out)
    if wrong >= 0:
        raise illegal_decision(cell, setup, first + int(wrong), *(int(v) for v in out[1:4, wrong]))
    if plan.ranked >= 0:
        rank_seats(out[0], out[plan.ranked : plan.ranked + cell.n_seats], plan.kept, out[len(own) : -1])
    return out


def illegal_decision(cell: Cell, setup: Any, game: int, seat: int, decision: int, part: int) -> PolicyError:
    """Word the error for an illegal decision in game number `game`."""
    family = find_family(cell.game)
    shift = game % cell.n_seats if cell.rotate else 0
    entrant = cell.entrants[(seat - shift) % cell.n_seats]
    return PolicyError(
        f"policy {entrant.deciders[part].label!r} at seat {seat} took an illegal decision in game {game}: "
        f"{family.explain_illegal(setup, seat, decision, part)}. To see it: {replay_command(cell, game)}"
    )


def replay_command(cell: Cell, game: int) -> str:
    """Return the command line that replays one game of a cell."""
    policies = " ".join(f"'{entrant.spec}'" for entrant in cell.entrants)
    usual = find_family(cell.game).make_rules(cell.preset, {})
    changed = {k: v for k, v in cell.rules.to_dict().items() if v != usual.to_dict()[k] and k != "players"}
    rules = "".join(f" --rule {key}={_rule_text(value)}" for key, value in changed.items())
    seating = " --seating rotate" if cell.rotate else ""
    scope = "" if cell.scope == find_family(cell.game).pick_scope(None, cell.n_seats) else f" --scope {cell.scope}"
    return f"pymacco-sim replay {cell.preset} {policies} --seed {cell.seed} --game {game}{scope}{seating}{rules}"


def _rule_text(value: Any) -> str:
    return join_items(value) if isinstance(value, list) else str(value).lower()


def play_range(cell: Cell, first: int, n_games: int, index: int = 0, keep_block: bool = False) -> Chunk:
    """Play a range of games block by block and return their :class:`Chunk`."""
    plan = make_plan(cell)
    sums = np.zeros((len(plan.ratios), 5), dtype=np.int64)
    statuses = np.zeros(len(STATUS_NAMES), dtype=np.int64)
    bins = [np.zeros(1, dtype=np.int64) for _ in plan.histograms]
    blocks = []
    size = block_size(cell)
    for start in range(first, first + n_games, size):
        check_stop()
        out = play_block(cell, start, min(size, first + n_games - start))
        sum_ratios(out, cell.unit, cell.n_seats, start, plan.specs, sums)
        count_values(out[0], out[0], ALL, statuses)
        bins = [_add_histogram(cell, plan, r, out, start, b) for r, b in zip(plan.histograms, bins, strict=True)]
        if keep_block:
            blocks.append(out)
    trimmed = tuple(np.trim_zeros(b, "b") if b.any() else b[:1] for b in bins)
    tally = Tally(n_games, n_games // cell.unit, statuses, sums.astype(object), trimmed)
    return Chunk(index, first, n_games, tally, np.concatenate(blocks, axis=1) if keep_block else None)


def _add_histogram(cell: Cell, plan: Plan, ratio: Ratio, out: np.ndarray, first: int, bins: np.ndarray) -> np.ndarray:
    spec = plan.specs[plan.ratios.index(ratio)]
    if spec["top_seat"] < 0:
        values = out[spec["top"]]
    else:
        turn = (np.arange(first, first + out.shape[1]) % cell.n_seats) if spec["turning"] else 0
        values = out[spec["top"] + (spec["top_seat"] + turn) % cell.n_seats, np.arange(out.shape[1])]
    most = int(values.max())
    if most >= bins.size:
        bins = np.concatenate([bins, np.zeros(most + 1 - bins.size, dtype=np.int64)])
    count_values(out[0], np.ascontiguousarray(values), spec["mask"], bins)
    return bins


def split_range(cell: Cell, first: int, n_games: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield chunks (first, n_games) of a range: whole blocks of games, and no more than `most` if that is a block."""
    block = block_size(cell)
    size = block * min(max(most // block, 1), BLOCKS_PER_CHUNK)
    for start in range(first, first + n_games, size):
        yield start, min(size, first + n_games - start)


class Store(Protocol):
    """Where finished ranges are kept; :class:`pymacco_sim.durable.CountStore` is one."""

    def find(self, key: str, first: int, count: int) -> tuple[list[tuple[int, int, Any]], list[tuple[int, int]]]:
        """Return what is there of a range as (first, count, plain value), and the gaps (first, count)."""

    def tell_found(self, n_cells: int, n_done: int) -> None:
        """Say what a run goes on from."""

    def add(self, key: str, first: int, count: int, value: Any) -> None:
        """Keep the plain value of a range."""

    def note(self, count: int, found: bool = False) -> None:
        """Count numbers as saved that are kept elsewhere."""


class Kept(Protocol):
    """Where rows are kept; :class:`pymacco_sim.rowparts.RowParts` is one."""

    def find(self, first: int, n_games: int) -> list[tuple[int, int, Any]]:
        """Return what is there of a range, in order: (first, games, plain tally)."""


def play_tally(cell: Cell, first: int, n_games: int) -> Tally:
    """Play a range of games and return its tally."""
    return play_range(cell, first, n_games).tally


def stream_chunks(
    requests: Iterable[tuple[int, Cell, int, int]],
    n_jobs: int | None = None,
    keep_block: bool = False,
    store: Store | None = None,
    kept: Kept | None = None,
) -> Iterator[Chunk]:
    """Play many ranges and yield their chunks as they finish (in order when blocks are kept).

    Parameters
    ----------
    requests : iterable of (index, cell, first, n_games)
        Each index once.
    n_jobs : int, optional
        As for :func:`pymacco_sim.workers.run_tasks`.
    keep_block : bool
        Whether chunks carry their outcome blocks; nothing is then taken from the store, only added to it, when the
        range is complete.
    store : Store, optional
        Its games come first and are not played again; what is played goes there.
    kept : Kept, optional
        Where rows are kept: their games come first, without a block, and are not played again.
    """
    wanted = list(requests)
    keys = {index: cell_key(cell) for index, cell, _, _ in wanted} if store is not None else {}
    if keep_block:
        for request in wanted:
            yield from _stream_rows(request, n_jobs, store, kept)
        return
    pieces = []
    n_done = 0
    for index, cell, first, n_games in wanted:
        gaps = [(first, n_games)]
        if store is not None:
            found, gaps = store.find(keys[index], first, n_games)
            n_done += not gaps
            for at, count, plain in found:
                yield Chunk(index, at, count, Tally.from_plain(plain), stored=True)
        pieces += [Piece(index, cell, *gap, step=block_size(cell) * BLOCKS_PER_CHUNK) for gap in gaps]
    if store is not None:
        store.tell_found(len(wanted), n_done)
    with closing(run_pieces(play_tally, pieces, n_jobs)) as stream:
        for done in stream:
            if store is not None:
                store.add(keys[done.index], done.first, done.count, done.value.to_plain())
            yield Chunk(done.index, done.first, done.count, done.value)


def _stream_rows(
    request: tuple[int, Cell, int, int], n_jobs: int | None, store: Store | None, kept: Kept | None
) -> Iterator[Chunk]:
    """Yield chunks with their outcome blocks in order, so few at a time that they fit into :data:`ROWS_BYTES`."""
    index, cell, first, n_games = request
    total: Tally | None = None
    gaps, at = [], first
    for start, count, plain in kept.find(first, n_games) if kept is not None else []:
        chunk = Chunk(index, start, count, Tally.from_plain(plain), stored=True)
        total = chunk.tally if total is None else total + chunk.tally
        gaps += [(at, start - at)] if start > at else []
        at = start + count
        if store is not None:
            store.note(count, found=True)
        yield chunk
    gaps += [(at, first + n_games - at)] if at < first + n_games else []
    if store is not None:
        store.tell_found(1, not gaps)
    window = 4 * count_workers(n_jobs)
    most = ROWS_BYTES // (window * len(column_names(make_plan(cell).outcomes, cell.n_seats)) * 4)
    calls = ((cell, *part, index, True) for gap in gaps for part in split_range(cell, *gap, most))
    with closing(run_tasks(play_range, calls, n_jobs, ordered=True, window=window)) as stream:
        for chunk in stream:
            total = chunk.tally if total is None else total + chunk.tally
            yield chunk
            if store is not None:
                store.note(chunk.n_games)
    if store is not None and total is not None:
        store.note(-n_games)
        store.add(cell_key(cell), first, n_games, total.to_plain())


def play_games(cell: Cell, n_games: Any, first: int = 0, n_jobs: int | None = None) -> Tally:
    """Play `n_games` games of a cell, from number `first`, and return the tally."""
    total: Tally | None = None
    for chunk in stream_chunks([(0, cell, first, check_games(cell, n_games))], n_jobs):
        total = chunk.tally if total is None else total + chunk.tally
    assert total is not None
    return total
