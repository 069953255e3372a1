"""All games by the names users type, and the way from a request to a :class:`~pymacco_sim.games.base.Cell`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from pymacco_sim._check import RequestError, unknown, whole
from pymacco_sim.games.base import Cell, Game
from pymacco_sim.games.load import parse_entrant
from pymacco_sim.games.rulebook import Preset, Rules

FAMILIES = ("macke", "shithead", "macao")
"""Packages below :mod:`pymacco_sim.games`, each with a ``GAME`` in its module `game`."""

MAX_SEED = 2**64 - 1


@cache
def find_family(name: str) -> Game:
    """Return the game of a family name."""
    game: Game = import_module(f"pymacco_sim.games.{name}.game").GAME
    return game


@cache
def list_presets() -> dict[str, tuple[str, Preset]]:
    """Return family and preset by the preset's name, families in order; loads no engine."""
    presets = {family: import_module(f"pymacco_sim.games.{family}.rules").PRESETS for family in FAMILIES}
    return {preset.name: (family, preset) for family, own in presets.items() for preset in own.values()}


def find_game(name: object) -> tuple[Game, Preset]:
    """Return the game and preset of a name such as ``"threes-2022"``.

    Raises
    ------
    RequestError
        If there is none, with the nearest right name.
    """
    key = str(name).lower().replace("_", "-")
    if key not in list_presets():
        raise unknown("game", name, list(list_presets()))
    family, preset = list_presets()[key]
    return find_family(family), preset


def find_rules(preset: Preset, game: Game, rules: Rules | Mapping[str, Any] | None) -> Rules:
    """Return the rules to play by: the preset's, an object of the game's own type, or the preset with some changed."""
    if rules is None or isinstance(rules, Mapping):
        return game.make_rules(preset.name, rules or {})
    if not isinstance(rules, game.rules_type):
        wanted = game.rules_type.__name__
        raise RequestError(f"rules for {preset.name} are a {type(rules).__name__}; give {wanted}, a mapping or None.")
    return rules


def make_cell(
    game_name: str,
    policies: object,
    rules: Rules | Mapping[str, Any] | None = None,
    *,
    seed: Any = 0,
    scope: str | None = None,
    seating: str = "fixed",
    players: int | None = None,
    stream: int = 0,
) -> Cell:
    """Check a request and return what is to be played.

    Parameters
    ----------
    game_name : str
        Name of a preset.
    policies : str, Policy, Entrant, or a sequence of them
        One a seat; a single one fills all seats of a card game.
    rules : Rules, mapping or None
        Changed fields, or whole rules; None for the preset's.
    seed : int
        0 to 2**64 - 1.
    scope : str, optional
        How much one game is (``"hand"`` or ``"match"``, ``"turn"`` ...).
    seating : {"fixed", "rotate"}
        Whether each deal is played once, or once for every rotation of the line-up.
    players : int, optional
        Seats that a single policy fills.
    stream : int
        Second half of the random key; 0 for common random numbers.

    Raises
    ------
    RequestError
        If anything about the request is unknown or not allowed.
    """
    game, preset = find_game(game_name)
    law = find_rules(preset, game, rules)
    entrants = _fill_seats(game, preset, law, policies, players, explicit=rules is not None)
    if seating not in ("fixed", "rotate"):
        raise unknown("seating", seating, ("fixed", "rotate"))
    law = game.seat_rules(law, len(entrants))
    return Cell(
        game=game.name,
        preset=preset.name,
        rules=law,
        entrants=entrants,
        scope=game.pick_scope(scope, len(entrants)),
        rotate=seating == "rotate" and len(entrants) > 1,
        seed=whole("seed", seed, 0, MAX_SEED),
        stream=whole("stream", stream, 0, MAX_SEED),
    )


def _fill_seats(
    game: Game, preset: Preset, law: Rules, policies: object, players: int | None, explicit: bool
) -> tuple[Any, ...]:
    single = isinstance(policies, str) or not isinstance(policies, Sequence)
    specs = [policies] if single else list(policies)  # type: ignore[call-overload]
    if not specs:
        raise RequestError(f"no policies given; name one for each seat of {preset.name}.")
    entrants = tuple(parse_entrant(game, spec) for spec in specs)
    low, high = preset.seats
    if players is not None:
        players = whole("players", players, max(low, 1), high)
    if len(entrants) == 1:
        ruled = getattr(law, "players", None) if explicit else None
        entrants *= players or ruled or preset.default_seats
    elif players is not None and players != len(entrants):
        raise RequestError(f"players is {players}, but {len(entrants)} policies are given; give 1 or {players}.")
    if not low <= len(entrants) <= high:
        raise RequestError(f"{preset.name} is played with {low} to {high} seats; the line-up has {len(entrants)}.")
    return entrants


def with_seed(cell: Cell, seed: int) -> Cell:
    """Return the cell under another seed."""
    return dataclasses.replace(cell, seed=seed)
