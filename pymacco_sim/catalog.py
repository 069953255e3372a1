"""What there is: games, their rules, their policies; and the decorator for a policy of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from pymacco_sim.games.load import decorate, known_policies
from pymacco_sim.games.policy import Policy
from pymacco_sim.games.registry import find_game, list_presets
from pymacco_sim.games.rulebook import Rules
from pymacco_sim.markup import make_table


class Listing(pd.DataFrame):
    """A table whose words a notebook shows in full; what is made from it is a plain table."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _repr_html_(self) -> str:
        return make_table(self.to_dict("records"))


def game_rows() -> list[dict[str, Any]]:
    """Return one plain row a game and preset."""
    return [
        {
            "game": family,
            "preset": preset.name,
            "players": f"{preset.seats[0]}-{preset.seats[1]}",
            "words": preset.words,
        }
        for family, preset in list_presets().values()
    ]


def policy_rows(game: str) -> list[dict[str, Any]]:
    """Return one plain row a policy of a game, built-in ones first."""
    family, _ = find_game(game)
    return [
        {
            "policy": policy.name,
            "part": policy.part,
            "parameters": ", ".join(f"{p.name}={p.default} ({p.allowed})" for p in policy.parameters),
            "stochastic": policy.stochastic,
            "source": policy.source,
            "words": policy.words,
        }
        for policy in known_policies(family)
    ]


def list_games() -> pd.DataFrame:
    """Return the games and presets: game, preset, players, what it is; also as ``pm.games()``.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> "threes-2022" in set(pm.games()["preset"])
    True
    """
    return Listing(game_rows())


def policies(game: str) -> pd.DataFrame:
    """Return the policies of a game: name, part, parameters with defaults and ranges, stochastic, source, words.

    Parameters
    ----------
    game : str
        Name of a preset, such as ``"threes"``.

    Returns
    -------
    pandas.DataFrame
        One row a policy, built-in ones first.

    Raises
    ------
    RequestError
        If there is no such game.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> "points" in set(pm.policies("macke")["policy"])
    True
    """
    return Listing(policy_rows(game))


def rules(game: str, **fields: Any) -> Rules:
    """Return the rules of a game, with some fields changed.

    Parameters
    ----------
    game : str
        Name of a preset.
    **fields
        New values; ``pymacco-sim rules GAME`` lists the fields.

    Returns
    -------
    Rules
        A frozen dataclass.

    Raises
    ------
    RequestError
        If a field is unknown or a value is not allowed.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> pm.rules("macke", target=3000).target
    3000
    """
    family, preset = find_game(game)
    return family.make_rules(preset.name, fields)


def policy(
    game: str, part: str | None = None, words: str | None = None, **parameters: Any
) -> Callable[[Callable[..., Any]], Policy]:
    """Make a function a policy of a game: a decorator.

    Parameters
    ----------
    game : str
        Name of a preset; the policy plays all presets of its family.
    part : str, optional
        Which decisions it takes (``"face_up"`` ...); the main ones unless said otherwise.
    words : str, optional
        What it does; the first line of the docstring unless given.
    **parameters
        Numbers that tune it: name to default, or to ``(default, lowest, highest)``.

    Returns
    -------
    callable
        The decorator; what it returns is a :class:`~pymacco_sim.games.policy.Policy` that can be called as before.

    Raises
    ------
    PolicyError
        If the function has the wrong number of arguments or a name that is taken.

    Examples
    --------
    >>> import pymacco_sim as pm
    >>> @pm.policy("macke", goal=(300, 50, 2000))
    ... def stop_at(points, dice, roll, choices, params):
    ...     "Take all that scores; stop at the goal."
    ...     best = choices[0]
    ...     return best, points + best.points >= params.goal
    >>> int(pm.simulate("macke", stop_at, n_games=100, seed=1).totals["n_games"])
    100
    """
    family, _ = find_game(game)
    return decorate(family, part, words, **parameters)
