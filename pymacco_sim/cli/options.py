"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from pymacco_sim.cli.parse import read_jobs

Games = Annotated[str, typer.Option("-n", "--games", help="Games a cell; 200000 or 2e5.")]
Seed = Annotated[str, typer.Option(help="Random seed, 0 to 2^64 - 1; same seed, same games.")]
Jobs = Annotated[
    int | None,
    typer.Option("-j", "--jobs", parser=read_jobs, metavar="N", help="Workers; all cores unless given."),
]
RulePairs = Annotated[list[str] | None, typer.Option("--rule", help="Change a rule: NAME=VALUE. May be repeated.")]
Players = Annotated[str | None, typer.Option(help="Seats that a single policy fills.")]
Seating = Annotated[str, typer.Option(help="fixed, or rotate: every deal once for each rotation of the line-up.")]
Scope = Annotated[str | None, typer.Option(help="How much one game is: turn, session, race; hand, match.")]
Out = Annotated[str | None, typer.Option("-o", "--out", help="Folder of the result; a bare name goes under results/.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace another run's result.")]
Progress = Annotated[bool | None, typer.Option("--progress/--quiet", help="Show a progress bar; on a terminal: yes.")]
GameName = Annotated[str, typer.Argument(help="A game: macke, tomacco, threes, macao ...; see: pymacco-sim games")]

Exact = Annotated[bool, typer.Option("--exact", help="Show the exact values too (Macke, one seat or two).")]
Rows = Annotated[str | None, typer.Option(help="Parquet file for one row a game.")]
Where = Annotated[
    str | None,
    typer.Option(help="Show the first game like that; or, with --most or --least, of all games like that."),
]
Most = Annotated[str | None, typer.Option(help="Show the game with the most of this column, such as turns.")]
Least = Annotated[str | None, typer.Option(help="Show the game with the least of this column.")]

Fresh = Annotated[bool, typer.Option("--fresh/--resume", help="Forget what an interrupted run finished; or go on.")]
Backend = Annotated[str | None, typer.Option(help="Workers: threads, loky (processes), dask or ray.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler, tcp://HOST:8786, or a Ray head.")]
