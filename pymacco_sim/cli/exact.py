"""Commands that work out instead of playing: advice for a roll, the best plan, true values."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pymacco_sim._check import RequestError
from pymacco_sim.cli.options import RulePairs

Game = Annotated[str, typer.Argument(help="macke or a relative: farkle, farkle-facebook, zilch, ten-thousand.")]
Goal = Annotated[str, typer.Option(help="turn, session or race.")]
Against = Annotated[str | None, typer.Option(help="A rival with a fixed policy; else one who plays best.")]
Plot = Annotated[str | None, typer.Option("--plot", help="Picture file (.png, .svg, .pdf).")]
Total = Annotated[str, typer.Option(help="Banked points.")]

GOAL_WORDS = {
    "turn": "mean score of a turn (points)",
    "session": "mean turns to the target",
    "race": "chance to win, the mean of both seats",
}


def advise_command(
    game: Game,
    roll: Annotated[str, typer.Option(help="The dice just rolled: 1,1,5,2,4.")],
    points: Annotated[str, typer.Option(help="Points of the turn before this roll.")] = "0",
    total: Total = "0",
    rival: Annotated[str | None, typer.Option(help="The rival's banked points.")] = None,
    goal: Annotated[
        str | None, typer.Option(help="turn, session or race; unless given: race with --rival, session with --total.")
    ] = None,
    against: Against = None,
    streak: Annotated[str, typer.Option(help="Busts in a row before this turn, where they cost a penalty.")] = "0",
    rival_streak: Annotated[str, typer.Option(help="The rival's busts in a row.")] = "0",
    rule: RulePairs = None,
) -> None:
    """What to keep of a roll, and whether to stop: every choice with its exact value.

    Examples:

      pymacco-sim advise macke --roll 1,1,5,2,4 --points 300

      pymacco-sim advise macke --roll 1,1,5,2,4 --points 300 --total 3200 --rival 4100
    """
    from pymacco_sim.cli.output import open_console, show_rows
    from pymacco_sim.cli.parse import read_rules
    from pymacco_sim.exact import advise

    with _waiting():
        found = advise(
            game,
            _read_roll(roll),
            points,  # type: ignore[arg-type]
            total=total,  # type: ignore[arg-type]
            rival=rival,  # type: ignore[arg-type]
            streak=streak,  # type: ignore[arg-type]
            rival_streak=rival_streak,  # type: ignore[arg-type]
            goal=goal,
            against=against,
            rules=read_rules(rule) or None,
        )
    console = open_console()
    console.print(found.sentence, style="bold")
    if found.options:
        console.print(found.explanation)
        show_rows(found.rows(), caption=f"Values: {found.unit}. Goal: {found.goal}.")


def solve_command(
    game: Game,
    goal: Goal = "session",
    against: Against = None,
    total: Total = "0",
    rival: Annotated[str, typer.Option(help="The rival's banked points.")] = "0",
    rule: RulePairs = None,
    plot: Plot = None,
    shift: Annotated[str | None, typer.Option(help="Picture of how the stops shift with the banked points.")] = None,
) -> None:
    """The best plan for a goal: what it is worth, and where it stops. It is kept on disk once solved.

    Examples:

      pymacco-sim solve macke --goal session --total 4000

      pymacco-sim solve macke --goal race --plot map.png --shift shift.png
    """
    from pymacco_sim.cli.output import open_console, picture_path, save_axes, show_rows
    from pymacco_sim.cli.parse import read_rules
    from pymacco_sim.exact import solve

    map_path, shift_path = picture_path(plot), picture_path(shift)
    if shift_path and goal != "race":
        raise RequestError(f"a {goal} has no rival, so there is nothing to draw both totals of; use --goal race.")
    with _waiting():
        best = solve(game, goal, against=against, rules=read_rules(rule) or None)
    at = best.position(total, rival)  # type: ignore[arg-type]
    places = f" with {at.total:,} banked" if goal != "turn" else ""
    places += f", rival {at.rival:,}" if goal == "race" else ""
    console = open_console()
    console.print(f"{game}: {best.words}", style="bold")
    console.print(f"{at.value:.9g} {best.unit}{places}.")
    thresholds = best.thresholds(at.total, at.rival)
    rows = [
        {"dice left": dice, "stops from": "never" if points is None else f"{points:,} points"}
        for dice, points in thresholds.items()
    ]
    show_rows(rows, caption=_how_to_play(best, game))
    if map_path:
        from pymacco_sim.plots import plot_stop_map

        save_axes(plot_stop_map(best.stop_map(at.total, at.rival), title=f"{game}: {best.words}{places}"), map_path)
    if shift_path:
        from pymacco_sim.plots import plot_shift

        save_axes(plot_shift(best.shifts(step=100), title=f"{game}: {best.words}"), shift_path)


def evaluate_command(
    game: Game,
    policies: Annotated[list[str], typer.Argument(help="Policies with a decision table, or solved plans.")],
    goal: Goal = "session",
    against: Against = None,
    rule: RulePairs = None,
    plot: Plot = None,
) -> None:
    """The true values of policies, and how far each is from the optimum.

    Examples:

      pymacco-sim evaluate macke points:200 points:350 dice:2 expected optimal

      pymacco-sim evaluate macke points:200 optimal quickest --goal race --plot distances.png
    """
    from pymacco_sim.cli.output import picture_path, save_axes, show_rows
    from pymacco_sim.cli.parse import read_rules
    from pymacco_sim.exact import evaluate, rank

    picture = picture_path(plot)
    rules = read_rules(rule) or None
    with _waiting():
        rows = rank(game, policies, goal, against=against, rules=rules)
    if len(rows) == 1 and goal != "race":
        figures = evaluate(game, policies[0], rules=rules).figures
        show_rows([{"figure": name, "exact value": value} for name, value in figures.items()], title=rows[0]["policy"])
    shown = [{key: row[key] for key in ("policy", "value", "optimum", "distance")} for row in rows]
    show_rows(shown, title=f"{game}: {GOAL_WORDS[goal]}", caption="Exact values: nothing is simulated.")
    if picture:
        from pymacco_sim.plots import plot_distances

        save_axes(plot_distances(rows, title=f"{game}: {GOAL_WORDS[goal]}"), picture)


COMMANDS: dict[str, Any] = {"advise": advise_command, "solve": solve_command, "evaluate": evaluate_command}


def _waiting() -> Any:
    """Say on a terminal what takes so long: seconds, or minutes where busts in a row cost a penalty in a race."""
    from rich.console import Console

    return Console(stderr=True).status("Solving; the solution is kept on disk for the next time.")


def _read_roll(text: str) -> list[int]:
    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise RequestError(f"roll is {text!r}; write the dice with commas, such as 1,1,5,2,4.") from None


def _how_to_play(best: Any, game: str) -> str:
    if best.goal == "race" and best.rules.bust_streak:
        return f"No policy plays it; pymacco-sim advise {game} --goal race tells what to do."
    if best.against is not None or (best.goal == "turn" and best.rules.bust_streak):
        return "From Python, solve(...).policy plays it."
    name = {"turn": "optimal", "session": "quickest", "race": "racer"}[best.goal]
    return f"The policy {name!r} plays it: pymacco-sim run {game} {name}" + (" optimal" if best.goal == "race" else "")
