"""The commands of ``pymacco-sim``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pymacco_sim.cli import exact, laboratory, results
from pymacco_sim.cli.options import (
    Backend,
    Exact,
    Fresh,
    GameName,
    Games,
    Jobs,
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
)

app = typer.Typer(
    help="Monte Carlo for game strategies: which threshold, which policy, which house rule, and how sure.\n\n"
    "Examples:\n\n"
    "  pymacco-sim games\n\n"
    "  pymacco-sim run macke points:350 optimal -n 1e6 --seed 1\n\n"
    "  pymacco-sim sweep macke points --threshold 50:1000:50 -n 1e5\n\n"
    "  pymacco-sim sweep experiments/macke-thresholds.toml",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)

FREE = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.callback()
def start(context: typer.Context) -> None:
    # No docstring: the help above would give way to it.
    if context.invoked_subcommand is None:
        from pymacco_sim.cli import tour

        tour.show_start()


@app.command("demo")
def demo_command() -> None:
    """Take a tour in half a minute: a game, a sweep, an answer, and one that cannot be given yet."""
    from pymacco_sim.cli import tour

    tour.show_tour()


@app.command("games")
def games_command() -> None:
    """List the games and their presets."""
    from pymacco_sim.cli import listing

    listing.show_games()


@app.command("policies")
def policies_command(game: GameName) -> None:
    """List the policies of a game, with parameters and what they do.

    Example: pymacco-sim policies threes
    """
    from pymacco_sim.cli import listing

    listing.show_policies(game)


@app.command("rules")
def rules_command(game: GameName, rule: RulePairs = None) -> None:
    """List the rules of a game: values, what is allowed, and whether a source or our reading says so.

    Example: pymacco-sim rules threes
    """
    from pymacco_sim.cli import listing

    listing.show_rules(game, rule)


@app.command("run")
def run_command(
    game: GameName,
    policies: Annotated[list[str], typer.Argument(help="One policy a seat; a single one fills a card game's seats.")],
    n_games: Games = "100000",
    seed: Seed = "0",
    rule: RulePairs = None,
    players: Players = None,
    seating: Seating = "fixed",
    scope: Scope = None,
    jobs: Jobs = None,
    out: Out = None,
    rows: Rows = None,
    until: Annotated[
        str | None,
        typer.Option(help="Stop when known to this half-width; -n is the most. Intervals then widen."),
    ] = None,
    first_game: Annotated[str, typer.Option(help="Number of the first game, for adding to another run.")] = "0",
    exact: Exact = False,
    overwrite: Overwrite = False,
    fresh: Fresh = False,
    backend: Backend = None,
    scheduler: Scheduler = None,
    progress: Progress = None,
) -> None:
    """Play one line-up and show what came of it.

    Examples:

      pymacco-sim run macke points:350 -n 1e6 --seed 1

      pymacco-sim run threes lowest random highest my_policies.py:hoarder --seating rotate

      pymacco-sim run tomacco lowest --players 6 --rule run_to_burn=3
    """
    from pymacco_sim.cli import running
    from pymacco_sim.cli.session import Setting

    running.run(
        game,
        policies,
        n_games=n_games,
        seed=seed,
        rules=rule,
        players=players,
        seating=seating,
        scope=scope,
        setting=Setting(jobs, out, overwrite, fresh, backend, scheduler),
        rows=rows,
        until=until,
        first_game=first_game,
        exact=exact,
        progress=progress,
    )


@app.command("sweep", context_settings=FREE)
def sweep_command(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="A game, or an experiment's TOML file.")],
    n_games: Annotated[str | None, typer.Option("-n", "--games", help="Games a cell; 200000 or 2e5.")] = None,
    seed: Annotated[str | None, typer.Option(help="Random seed, 0 to 2^64 - 1; same seed, same games.")] = None,
    rule: Annotated[list[str] | None, typer.Option("--rule", help="NAME=VALUE, or a list NAME=V1,V2 to sweep.")] = None,
    players: Annotated[str | None, typer.Option(help="Numbers of seats, such as 2:6.")] = None,
    seating: Annotated[str | None, typer.Option(help="fixed, or rotate.")] = None,
    scope: Scope = None,
    exact: Exact = False,
    jobs: Jobs = None,
    out: Out = None,
    overwrite: Overwrite = False,
    fresh: Fresh = False,
    backend: Backend = None,
    scheduler: Scheduler = None,
    plot: Annotated[bool, typer.Option("--plot/--no-plot", help="Draw the result.")] = True,
    progress: Progress = None,
) -> None:
    """Play a grid, or any experiment's file, and write table, manifest and plot to results/NAME/.

    Parameters of the first policy are swept by options of their own names, as ranges FIRST:LAST:STEP or lists.

    Examples:

      pymacco-sim sweep experiments/macke-thresholds.toml

      pymacco-sim sweep macke points --threshold 50:1000:50 --special none,finish -n 2e5

      pymacco-sim sweep threes lowest --players 2:6 --rule run_to_burn=3,4
    """
    from pymacco_sim.cli import running
    from pymacco_sim.cli.session import Setting

    given: dict[str, Any] = {"n_games": n_games, "seed": seed, "players": players, "seating": seating, "scope": scope}
    given["exact"] = exact or None
    running.sweep(
        game,
        context.args,
        {k: v for k, v in given.items() if v is not None},
        rules=rule,
        setting=Setting(jobs, out, overwrite, fresh, backend, scheduler),
        plot=plot,
        progress=progress,
    )


@app.command("plot")
def plot_command(
    folder: Annotated[str, typer.Argument(help="A result's folder, or its name under results/.")],
    x: Annotated[str | None, typer.Option(help="Column along the x axis.")] = None,
    y: Annotated[str | None, typer.Option(help="Estimates, one panel each, with commas; or places.")] = None,
    hue: Annotated[str | None, typer.Option(help="Column whose values get lines of their own.")] = None,
    out: Annotated[str | None, typer.Option("-o", "--out", help="Picture file (.png, .svg, .pdf).")] = None,
) -> None:
    """Draw a stored result again, with other axes if you like.

    Examples:

      pymacco-sim plot macke-thresholds --y bust_share,rolls_mean -o busts.png

      pymacco-sim plot threes-strength --y places -o places.png
    """
    from pymacco_sim.cli import running

    running.plot(folder, x=x, y=y, hue=hue, out=out)


@app.command("report")
def report_command(
    name: results.Name,
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="HTML file; in the result's folder if not given.")
    ] = None,
) -> None:
    """Write a stored result as one page: findings, figure, tables, and how to repeat it.

    Example: pymacco-sim report macke-thresholds -o report.html
    """
    from pymacco_sim.cli import reporting

    reporting.report(name, out)


for name, function in {**laboratory.COMMANDS, **exact.COMMANDS}.items():
    app.command(name)(function)

app.add_typer(results.app, name="results")

command: Any = typer.main.get_command(app)
