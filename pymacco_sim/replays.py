"""Tell the story of one game."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pymacco_sim._check import whole
from pymacco_sim.games.base import Cell
from pymacco_sim.games.registry import find_family, make_cell
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.play import MAX_GAMES, prepare_cell, replay_command


@dataclass(frozen=True, repr=False)
class Replay:
    """One game, event by event.

    Parameters
    ----------
    cell : Cell
    game : int
        Its number; with the cell's seed it names the deal for ever.
    rows : list of dict
        One an event, the deal first; plain values.
    """

    cell: Cell
    game: int
    rows: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """A transcript that a player can read."""
        head = f"{self.cell.preset}, game {self.game} of seed {self.cell.seed}"
        return "\n".join([head, *find_family(self.cell.game).narrate(self.rows)])

    @property
    def json_lines(self) -> str:
        """One JSON object a line."""
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in self.rows)

    @property
    def command(self) -> str:
        """The command line that shows the same game."""
        return replay_command(self.cell, self.game)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def replay(
    game_name: str,
    policies: Any,
    seed: int = 0,
    game: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
    *,
    scope: str | None = None,
    seating: str = "fixed",
    players: int | None = None,
) -> Replay:
    """Replay one game: the same that a bulk run with these settings plays under that number.

    Parameters
    ----------
    game_name : str
        ``"threes"``, ``"macke"`` ...
    policies, rules, scope, seating, players
        As for :func:`pymacco_sim.simulate`.
    seed : int
    game : int
        Number of the game, from 0.

    Returns
    -------
    Replay
        Prints as a transcript; ``.rows`` has it as plain rows.

    Raises
    ------
    RequestError, PolicyError
        If anything about the request is unknown or not allowed.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> story = pm.replay("macke", "points:350", seed=1, game=17)
    >>> story.text.splitlines()[0]
    'macke, game 17 of seed 1'
    """
    cell = make_cell(game_name, policies, rules, seed=seed, scope=scope, seating=seating, players=players)
    return replay_cell(cell, game)


def replay_cell(cell: Cell, game: int) -> Replay:
    """Replay one game of a cell; see :func:`replay`."""
    number = whole("game", game, 0, MAX_GAMES)
    return Replay(cell, number, find_family(cell.game).record(prepare_cell(cell), number))
