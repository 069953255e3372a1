"""Commands that list what there is."""

from __future__ import annotations

from collections.abc import Sequence

from pymacco_sim.cli.output import show_rows
from pymacco_sim.cli.parse import read_rules


def show_games() -> None:
    """Print the games and presets."""
    from pymacco_sim.games.registry import list_presets

    show_rows(
        [
            {
                "game": preset.name,
                "family": family,
                "players": "-".join(map(str, preset.seats)),
                "words": preset.words,
            }
            for family, preset in list_presets().values()
        ]
    )


def show_policies(name: str) -> None:
    """Print the policies of a game."""
    from pymacco_sim.games.load import known_policies
    from pymacco_sim.games.registry import find_game

    game, _ = find_game(name)
    rows = [
        {
            "policy": policy.name,
            "part": policy.part,
            "parameters (allowed)": "\n".join(f"{p.name}={p.default} ({p.allowed})" for p in policy.parameters),
            "random": policy.stochastic,
            "what it does": policy.words,
        }
        for policy in known_policies(game)
    ]
    if len(game.parts) == 1:
        rows = [{key: value for key, value in row.items() if key != "part"} for row in rows]
    show_rows(rows)


def show_rules(name: str, pairs: Sequence[str] | None) -> None:
    """Print the rules of a game."""
    from pymacco_sim.games.registry import find_game

    game, preset = find_game(name)
    rules = game.make_rules(preset.name, read_rules(pairs))
    rows = [
        {"rule": r["rule"], "value": r["value"], "allowed": r["allowed"], "said by": r["says"], "what": r["words"]}
        for r in rules.describe()
    ]
    show_rows(
        [{**row, "value": _plain(row["value"])} for row in rows],
        title=f"{preset.name}: {preset.words}",
        caption="Change one with --rule NAME=VALUE; lists of cards are written 2+8+Joker.",
    )


def _plain(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
