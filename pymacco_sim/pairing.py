"""Two candidates at the same table: their cells, and what is followed in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymacco_sim._check import RequestError, whole
from pymacco_sim.estimates import MAIN
from pymacco_sim.games.base import Cell
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.policy import Entrant
from pymacco_sim.games.registry import find_game, make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.panel import Panel, Pick, check_panel
from pymacco_sim.play import Ratio, make_plan


def make_pair(
    game: str, a: Any, b: Any, field: Any, players: int | None, rules: Any, seed: int, scope: str | None, seating: str
) -> tuple[Cell, Cell]:
    """Return the games of both candidates; parameters as for :func:`pymacco_sim.compare`."""
    family, preset = find_game(game)
    one, two = parse_entrant(family, a), parse_entrant(family, b)
    others = _read_field(family, field)
    ruled = getattr(rules, "players", None) if isinstance(rules, Rules) else (rules or {}).get("players")
    asked = whole("players", players, *preset.seats) if players is not None else None
    n_seats = asked or (len(others) + 1 if len(others) > 1 else None) or ruled or preset.default_seats
    n_seats = whole("players", n_seats, *preset.seats)
    if n_seats == 1 and others:
        n_seats = max(2, preset.seats[0])
    if len(others) not in (0, 1, n_seats - 1):
        raise RequestError(f"field has {len(others)} policies; {n_seats} players leave {n_seats - 1} seats.")
    line_ups = []
    for mine, theirs in ((one, two), (two, one)):
        rest = [theirs] * (n_seats - 1) if not others else others * (n_seats - 1) if len(others) == 1 else others
        line_ups.append([mine, *rest])
    made = [make_cell(game, line_up, rules, seed=seed, scope=scope, seating=seating) for line_up in line_ups]
    check_panel(made)
    return made[0], made[1]


def _read_field(family: Any, field: Any) -> list[Entrant]:
    if field is None:
        return []
    single_one = isinstance(field, str) or not isinstance(field, Sequence)
    return [parse_entrant(family, spec) for spec in ([field] if single_one else field)]


def make_panel(cells: tuple[Cell, Cell]) -> Panel:
    """Pick every outcome of the candidate and of the table, the deciding one first, for both candidates in turn."""
    ratios = [r for r in make_plan(cells[0]).ratios if r.kind == "game" or (r.kind, r.place) == ("entrant", 0)]
    rank = {name: position for position, name in enumerate(MAIN)}
    ratios.sort(key=lambda ratio: rank.get(ratio.outcome.name, len(MAIN)))
    chosen: list[Ratio] = [ratio for ratio in ratios if ratio.outcome.per != "cycle"]
    if is_mirrored(*cells):
        across = [(r, r._replace(place=1) if r.kind == "entrant" else r) for r in chosen]
        return Panel(cells[:1], tuple(Pick(0, ratio) for both in across for ratio in both))
    return Panel(cells, tuple(Pick(cell, ratio) for ratio in chosen for cell in (0, 1)))


def is_mirrored(one: Cell, two: Cell) -> bool:
    """Whether the second cell plays the first one's games again, deal by deal, in another order."""
    duel = one.rotate and one.n_seats == 2 and one.entrants == two.entrants[::-1]
    return duel and not any(d.policy.stochastic for entrant in one.entrants for d in entrant.deciders)
