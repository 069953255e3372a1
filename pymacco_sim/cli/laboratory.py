"""What the commands of the laboratory take: compare, tournament, compare-rules, converge, replay."""

from __future__ import annotations

from typing import Annotated

import typer

from pymacco_sim.cli.options import (
    Backend,
    Exact,
    Fresh,
    GameName,
    Games,
    Jobs,
    Least,
    Most,
    Out,
    Overwrite,
    Players,
    Progress,
    Rows,
    RulePairs,
    Scheduler,
    Scope,
    Seating,
    Seed,
    Where,
)


def replay_command(
    game_name: GameName,
    policies: Annotated[list[str], typer.Argument(help="The line-up, as for run.")],
    game: Annotated[str, typer.Option(help="Number of the game, from 0.")] = "0",
    seed: Seed = "0",
    rule: RulePairs = None,
    players: Players = None,
    seating: Seating = "fixed",
    scope: Scope = None,
    where: Where = None,
    most: Most = None,
    least: Least = None,
    n_games: Annotated[str, typer.Option("-n", "--games", help="Games to look through for it.")] = "10000",
    jobs: Jobs = None,
    json: Annotated[bool, typer.Option("--json", help="JSON lines instead of a transcript.")] = False,
) -> None:
    """Tell the story of one game, the same that a run plays under that number.

    Examples:

      pymacco-sim replay threes lowest highest random --seed 1 --game 17

      pymacco-sim replay threes lowest highest random --most turns -n 1e4

      pymacco-sim replay macke points:200 points:350 --where "win_1 == 1 and turns < 30"
    """
    from pymacco_sim.cli import lab

    lab.replay(
        game_name,
        policies,
        rules=rule,
        as_json=json,
        search={"where": where, "most": most, "least": least, "n_games": n_games, "n_jobs": jobs},
        game=game,
        seed=seed,
        players=players,
        seating=seating,
        scope=scope,
    )


def compare_command(
    game: GameName,
    a: Annotated[str, typer.Argument(help="A policy.")],
    b: Annotated[str, typer.Argument(help="Another; differences are the first minus this one.")],
    field: Annotated[list[str] | None, typer.Option(help="Who else sits there; mirrored tables unless given.")] = None,
    n_games: Games = "100000",
    seed: Seed = "0",
    until: Annotated[
        str | None,
        typer.Option(help="Stop when 'decided', or at a half-width; -n is the most. Intervals then widen."),
    ] = None,
    rule: RulePairs = None,
    players: Annotated[str | None, typer.Option(help="Number of seats.")] = None,
    seating: Annotated[str, typer.Option(help="rotate, or fixed.")] = "rotate",
    scope: Scope = None,
    exact: Exact = False,
    rows: Rows = None,
    where: Where = None,
    most: Most = None,
    least: Least = None,
    jobs: Jobs = None,
    out: Out = None,
    overwrite: Overwrite = False,
    fresh: Fresh = False,
    backend: Backend = None,
    scheduler: Scheduler = None,
    progress: Progress = None,
) -> None:
    """Is one policy better than another? Both play the same deals and dice from the same seats.

    Examples:

      pymacco-sim compare macke points:300 points:350 -n 1e6

      pymacco-sim compare threes lowest my_policies.py:hoarder --until decided -n 1e6

      pymacco-sim compare threes lowest single --where "first_win == 1 and second_win == 0"
    """
    from pymacco_sim.cli import lab
    from pymacco_sim.cli.session import Setting

    lab.compare(
        game,
        a,
        b,
        rules=rule,
        field=field,
        n_games=n_games,
        seed=seed,
        until=until,
        players=players,
        seating=seating,
        scope=scope,
        exact=exact or None,
        setting=Setting(jobs, out, overwrite, fresh, backend, scheduler),
        progress=progress,
        rows=rows,
        search={"where": where, "most": most, "least": least},
    )


def tournament_command(
    game: GameName,
    policies: Annotated[list[str], typer.Argument(help="The policies that take part.")],
    n_games: Annotated[str, typer.Option("-n", "--games", help="Games a line-up.")] = "20000",
    seed: Seed = "0",
    rule: RulePairs = None,
    players: Annotated[str | None, typer.Option(help="Number of seats.")] = None,
    scope: Scope = None,
    line_ups: Annotated[str, typer.Option(help="Most line-ups; a balanced sample if there are more.")] = "300",
    rows: Rows = None,
    where: Where = None,
    most: Most = None,
    least: Least = None,
    jobs: Jobs = None,
    out: Out = None,
    overwrite: Overwrite = False,
    fresh: Fresh = False,
    backend: Backend = None,
    scheduler: Scheduler = None,
    progress: Progress = None,
) -> None:
    """Let policies play one another in all line-ups, seats rotated, on common deals.

    Examples:

      pymacco-sim tournament tomacco lowest highest random single --players 4

      pymacco-sim tournament tomacco lowest highest random single --rows games.parquet --most turns
    """
    from pymacco_sim.cli import lab
    from pymacco_sim.cli.session import Setting

    lab.tournament(
        game,
        policies,
        rules=rule,
        n_games=n_games,
        seed=seed,
        players=players,
        scope=scope,
        max_line_ups=line_ups,
        setting=Setting(jobs, out, overwrite, fresh, backend, scheduler),
        progress=progress,
        rows=rows,
        search={"where": where, "most": most, "least": least},
    )


def compare_rules_command(
    game: GameName,
    policies: Annotated[list[str], typer.Argument(help="The line-up; of different ones the first is the stronger.")],
    rules: Annotated[list[str], typer.Option("--rules", help="A preset, or LABEL:NAME=VALUE,...; at least two.")],
    n_games: Games = "100000",
    seed: Seed = "0",
    players: Players = None,
    scope: Scope = None,
    jobs: Jobs = None,
    out: Out = None,
    overwrite: Overwrite = False,
    fresh: Fresh = False,
    backend: Backend = None,
    scheduler: Scheduler = None,
    progress: Progress = None,
) -> None:
    """What does a house rule change? The same deals under each set of rules.

    Example: pymacco-sim compare-rules threes lowest --rules threes --rules "next seat:pickup_plays_again=false"
    """
    from pymacco_sim.cli import lab
    from pymacco_sim.cli.session import Setting

    lab.compare_rules(
        game,
        policies,
        sets=rules,
        n_games=n_games,
        seed=seed,
        players=players,
        scope=scope,
        setting=Setting(jobs, out, overwrite, fresh, backend, scheduler),
        progress=progress,
    )


def converge_command(
    game: GameName,
    policies: Annotated[list[str], typer.Argument(help="The line-up, as for run.")],
    outcome: Annotated[str | None, typer.Option(help="Such as win, score, turns; what policies are judged by.")] = None,
    seat: Annotated[str, typer.Option(help="Position in the line-up, from 0.")] = "0",
    n_games: Games = "100000",
    seed: Seed = "0",
    rule: RulePairs = None,
    players: Players = None,
    seating: Seating = "fixed",
    scope: Scope = None,
    exact: Exact = False,
    plot: Annotated[str | None, typer.Option("--plot", help="Picture file (.png, .svg, .pdf).")] = None,
    jobs: Jobs = None,
) -> None:
    """How does an estimate settle as games come in? With the interval that is valid however often one looks.

    Examples:

      pymacco-sim converge macke points:250 -n 1e6 --exact --plot path.png

      pymacco-sim converge threes lowest random --outcome win --seat 1
    """
    from pymacco_sim.cli import lab

    lab.converge(
        game,
        policies,
        rules=rule,
        exact=exact,
        plot=plot,
        outcome=outcome,
        seat=seat,
        n_games=n_games,
        seed=seed,
        players=players,
        seating=seating,
        scope=scope,
        n_jobs=jobs,
    )


COMMANDS = {
    "replay": replay_command,
    "compare": compare_command,
    "tournament": tournament_command,
    "compare-rules": compare_rules_command,
    "converge": converge_command,
}
