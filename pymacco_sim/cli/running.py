"""Commands that play games and keep what came of it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from threading import Thread
from typing import Any

from pymacco_sim._check import RequestError
from pymacco_sim.cli.output import picture_path, save_picture, show_rows
from pymacco_sim.cli.parse import find_folder, read_rules, split_options
from pymacco_sim.cli.session import Session, Setting, open_session, use_files_only
from pymacco_sim.wording import drop_constant, is_minor, merge_intervals

SHOWN_ROWS = 60
"""Most rows of a sweep on the screen; the files hold all."""


def run(
    game: str,
    policies: Sequence[str],
    *,
    rules: Sequence[str] | None,
    setting: Setting,
    **request: Any,
) -> None:
    """Play one line-up, print it, and write it if a folder is named."""
    from pymacco_sim.games.registry import find_game, make_cell
    from pymacco_sim.identity import describe_cell
    from pymacco_sim.play import check_games
    from pymacco_sim.simulation import simulate

    fields = read_rules(rules)
    line_up = policies[0] if len(policies) == 1 else list(policies)
    find_game(game)
    asked = {key: request[key] for key in ("seed", "scope", "seating", "players")}
    cell = make_cell(game, line_up, fields or None, **asked)
    count = check_games(cell, request["n_games"])
    manifest = {"kind": "run", "question": _run_title(cell), **describe_cell(cell), "n_games": count}
    if request["first_game"] not in ("0", 0):
        manifest["first_game"] = request["first_game"]
    if request["exact"]:
        manifest["exact"] = True
    if request.get("until") is not None:
        manifest |= {"until": request["until"], "most_games": count}
    with open_session(setting, None, manifest) as session:
        started = time.perf_counter()
        result = simulate(game, line_up, fields or None, resume=session.store, **request)
        _show_result(result, time.perf_counter() - started)
        write_run(session, result)


def _run_title(cell: Any) -> str:
    return f"{cell.preset}: {', '.join(entrant.label for entrant in cell.entrants)}"


def _show_result(result: Any, seconds: float) -> None:
    cell, totals = result.cell, result.totals.to_dict()
    if any(outcome.seat for outcome in result.plan.outcomes):
        show_rows([merge_intervals(row) for row in result.seats.to_dict("records")], title=_run_title(cell))
    title = "" if cell.n_seats > 1 else _run_title(cell)
    shown = merge_intervals({name: value for name, value in totals.items() if value == value})  # NaN: not one game
    show_rows(
        [{"figure": name, "value": _figure_text(value)} for name, value in shown.items()],
        title=title,
        caption=f"± is the wider half of the 95% interval. {seconds:.1f} s, seed {cell.seed}.",
    )


def _figure_text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def write_run(session: Session, result: Any) -> None:
    """Write a run's tables, manifest and picture, if it has a folder."""
    from pymacco_sim.plots.figures import draw_run, save_figure

    totals = result.totals.to_frame().T.infer_objects()
    tables = {"table": result.seats, "totals": totals, "turns": result.histogram()}
    if len(result.places):
        tables["places"] = result.places
    stalled = float(result.totals["stalled_share"])
    question = session.manifest["question"]
    ranges = {"n_games": result.tally.n_games, "ranges": [list(part) for part in result.ranges]}
    session.write(
        tables,
        lambda part: save_figure(draw_run(result.seats, tables["turns"], stalled, question), part),
        ranges,
    )


def sweep(
    game: str,
    words: Sequence[str],
    given: Mapping[str, Any],
    *,
    rules: Sequence[str] | None,
    setting: Setting,
    plot: bool,
    progress: bool | None,
) -> None:
    """Play a grid, print its table, and write table, manifest and plot."""
    from pymacco_sim.experiments import play_experiment

    experiment = (
        _read_file(game, words, given, rules) if game.endswith(".toml") else _read_flags(game, words, given, rules)
    )
    if experiment.kind != "sweep":
        from pymacco_sim.cli.lab import play_question

        return play_question(experiment, setting, progress)
    manifest = describe_experiment(experiment)
    with open_session(setting, experiment.name, manifest) as session:
        started = time.perf_counter()
        _import_ahead("statsmodels.stats.proportion", *(["pymacco_sim.plots.figures"] if plot else []))
        table = play_experiment(experiment, progress=progress, resume=session.store)
        show_sweep(table, experiment.question, time.perf_counter() - started)
        session.write({"table": table}, _drawing(table, experiment.question) if plot else None)


def _import_ahead(*modules: str) -> None:
    """Import what tables and pictures need at the end while the kernels play: a second less to wait."""
    Thread(target=lambda: [import_module(module) for module in modules], daemon=True).start()


def _drawing(table: Any, question: str) -> Any:
    from pymacco_sim.plots.figures import draw_sweep, save_figure

    return lambda part: save_figure(draw_sweep(table, question), part)


def _read_file(path: str, words: Sequence[str], given: Mapping[str, Any], rules: Sequence[str] | None) -> Any:
    from pymacco_sim.experiments import change_experiment, read_experiment

    if words or rules or set(given) - {"n_games", "seed", "exact"}:
        raise RequestError(
            f"{path} says what to play; only --games, --seed, --exact, --jobs, --out, --plot go with a file."
        )
    return change_experiment(read_experiment(path), given)


def _read_flags(game: str, words: Sequence[str], given: Mapping[str, Any], rules: Sequence[str] | None) -> Any:
    from pymacco_sim.experiments import check_request

    names, grid = split_options(words)
    if not names:
        raise RequestError(f"no policy given; write pymacco-sim sweep {game} POLICY --PARAMETER VALUES.")
    request = {"game": game, "policies": names[0] if len(names) == 1 else names, "grid": grid, **given}
    if rules:
        request["rules"] = read_rules(rules)
    named = {key: value for key, value in request.items() if key != "n_games"}
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:8]
    main = names[0].split(":")[0] if ".py" not in names[0] else names[0].split(":")[1]
    experiment = check_request(f"{game}-{main}-{digest}", {k: v for k, v in request.items() if v not in ({}, None)})
    return replace(experiment, question=_sweep_title(game, names, grid, request))


def _sweep_title(game: str, names: Sequence[str], grid: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    """Return what a sweep's words ask, such as ``macke: points, threshold 50:1000:50``."""
    swept = [*grid.items(), *request.get("rules", {}).items()]
    swept += [(key, request[key]) for key in ("players",) if key in request]
    return f"{game}: " + ", ".join([" against ".join(names), *(f"{key} {value}" for key, value in swept)])


def describe_experiment(experiment: Any) -> dict[str, Any]:
    """Return the manifest of a sweep: the request, its first cell in full, and what each further cell changes."""
    from pymacco_sim.identity import describe_cell

    cells = [item.cell for item in experiment.cells]
    return {
        "kind": "sweep",
        "question": experiment.question,
        "request": dict(experiment.request),
        "n_games": experiment.n_games,
        "n_cells": len(cells),
        "first_cell": describe_cell(cells[0]),
        "policies": sorted({e.spec for cell in cells for e in cell.entrants}) if len(cells) <= 1000 else None,
    }


def show_sweep(table: Any, title: str, seconds: float) -> None:
    """Print a sweep's table: what changes, then the estimates with their errors."""
    records = table.head(SHOWN_ROWS).to_dict("records")
    rows = [{k: v for k, v in merge_intervals(row).items() if not is_minor(k)} for row in records]
    shown, constant = drop_constant(rows, keep=("turns_mean", "score_mean", "win_share"))
    same = ", ".join(f"{k} {v:,}" if isinstance(v, int) else f"{k} {v}" for k, v in constant.items())
    more = f" {len(table) - SHOWN_ROWS} more rows in the files." if len(table) > SHOWN_ROWS else ""
    caption = f"± is the wider half of the 95% interval. {same}. {seconds:.1f} s.{more}"
    show_rows(shown, title=title, caption=caption.replace(". .", "."))


def plot(folder: str, *, x: str | None, y: str | None, hue: str | None, out: str | None) -> None:
    """Draw a stored result again."""
    from pymacco_sim.plots.figures import IF_THERE, TABLES, draw_result
    from pymacco_sim.store import has_table, read_manifest, read_table

    use_files_only()
    place = find_folder(folder)
    manifest = read_manifest(place)
    names = [*TABLES.get(str(manifest.get("kind")), ("table",)), *(n for n in IF_THERE if has_table(place, n))]
    figure = draw_result({name: read_table(place, name) for name in names}, manifest, x=x, y=y, hue=hue)
    save_picture(figure, picture_path(out) or place / "plot.png")
