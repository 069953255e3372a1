"""``pymacco-sim results``: what is in the results' folder, and what can be done with it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from pymacco_sim._check import RequestError, unknown
from pymacco_sim.cli.output import open_console, show_rows
from pymacco_sim.cli.parse import find_folder
from pymacco_sim.cli.session import CHUNKS, Setting, open_session

FORMATS = ("csv", "parquet", "json")

app = typer.Typer(invoke_without_command=True, help="List stored results; check, show, export and merge them.")
Name = Annotated[str, typer.Argument(help="A result's folder, or its name under results/.")]


@app.callback()
def list_command(
    context: typer.Context,
    folder: Annotated[str, typer.Option(help="Where the results are.")] = "results",
    verify: Annotated[bool, typer.Option("--verify", help="Check files, checksums, tables against counts.")] = False,
) -> None:
    """List what is in results/, runs that were cut off included; check it with --verify.

    Examples:

      pymacco-sim results --verify

      pymacco-sim results show macke-thresholds

      pymacco-sim results export macke-thresholds -o thresholds.json

      pymacco-sim results merge first second -o both
    """
    if context.invoked_subcommand is None:
        show_results(Path(folder), verify)


@app.command("show")
def show_command(name: Name) -> None:
    """Print a result's manifest: everything that is needed to repeat it."""
    from pymacco_sim.store import read_manifest

    print(json.dumps(read_manifest(find_folder(name)), indent=2, ensure_ascii=False))


@app.command("export")
def export_command(
    name: Name,
    out: Annotated[str, typer.Option("-o", "--out", help="File to write; its ending says how, unless --format does.")],
    form: Annotated[str | None, typer.Option("--format", help="csv, parquet or json.")] = None,
    table: Annotated[str, typer.Option(help="Which of the result's tables.")] = "table",
) -> None:
    """Write one table of a result to a file."""
    export(find_folder(name), Path(out), form, table)


@app.command("merge")
def merge_command(
    names: Annotated[list[str], typer.Argument(help="Results of run, of the same cell and different games.")],
    out: Annotated[str, typer.Option("-o", "--out", help="Folder of the merged result.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another run's result.")] = False,
) -> None:
    """Pool runs of the same cell over different games (run --first-game) into one result, exactly.

    Example: pymacco-sim results merge first second -o both
    """
    merge([find_folder(name) for name in names], Setting(out=out, overwrite=overwrite))


@app.command("forget")
def forget_command(
    names: Annotated[list[str], typer.Argument(help="Names of runs that were cut off, as results lists them.")],
    folder: Annotated[str, typer.Option(help="Where the results are.")] = "results",
) -> None:
    """Throw away what runs that were cut off had finished."""
    for name in names:
        place = Path(folder) / CHUNKS / name
        if not place.is_dir():
            raise unknown("cut-off run", name, [path.name for path in _cut_off(Path(folder))])
        shutil.rmtree(place)


def show_results(folder: Path, check: bool) -> None:
    """Print one row a result; exits with 1 if one is damaged."""
    from pymacco_sim.merging import verify
    from pymacco_sim.store import MANIFEST, read_manifest

    rows: list[dict[str, Any]] = []
    wrong: list[str] = []
    for place in sorted(path.parent for path in folder.glob(f"*/{MANIFEST}")):
        try:
            row = _describe(place, read_manifest(place))
            if check:
                found = verify(place)
                wrong += found
                row["files"] = "damaged" if found else "sound"
        except RequestError as error:
            wrong.append(str(error))
            row = {"result": place.name, "kind": "damaged", "games": "-", "question": "-"}
            row |= {"files": "damaged"} if check else {}
        rows.append(row)
    if rows:
        show_rows(rows, title=f"{folder}/")
    cut_off = [_describe_cut_off(path) for path in _cut_off(folder)]
    if cut_off:
        show_rows(cut_off, title="Runs cut off, or without a folder (-o): the same command goes on from what is kept")
    if not rows and not cut_off:
        open_console().print(f"No results in {folder}/.")
    for line in wrong:
        open_console().print(line)
    if wrong:
        raise typer.Exit(1)


def _describe(place: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    cells = f"{manifest['n_cells']:,} cells x " if "n_cells" in manifest else ""
    games = f"{cells}{manifest['n_games']:,}" if isinstance(manifest.get("n_games"), int) else "-"
    return {
        "result": place.name,
        "kind": str(manifest.get("kind", "-")),
        "games": games,
        "question": str(manifest.get("question", "-")),
    }


def _cut_off(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / CHUNKS).glob("*") if path.is_dir())


def _describe_cut_off(place: Path) -> dict[str, Any]:
    from pymacco_sim.counts import SUFFIX, join_neighbours, read_counts
    from pymacco_sim.durable import ABOUT

    try:
        about = json.loads((place / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        about = {}
    records = join_neighbours(r for path in sorted(place.glob(f"*{SUFFIX}")) for r in read_counts(path)[0])
    done = f"{sum(record.count for record in records):,}"
    wanted = f" of {about['games']:,} {about.get('unit', 'games')}" if "games" in about else ""
    return {"run": place.name, "kept": done + wanted, "command": str(about.get("command", "-"))}


def export(folder: Path, out: Path, form: str | None, table: str) -> None:
    """Write one table of a result as CSV, Parquet, or JSON with its manifest."""
    from pymacco_sim._check import StorageError
    from pymacco_sim.store import read_manifest, read_table

    form = (form or out.suffix.removeprefix(".")).lower()
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    frame, manifest = read_table(folder, table), read_manifest(folder)
    try:
        if form == "csv":
            frame.to_csv(out, index=False)
        elif form == "parquet":
            frame.to_parquet(out, index=False)
        else:
            rows = json.loads(frame.to_json(orient="records", double_precision=15))
            out.write_text(json.dumps({"manifest": manifest, table: rows}, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{out} cannot be written: {error.strerror or error}.") from error
    open_console().print(f"Written to {out}")


def merge(folders: list[Path], setting: Setting) -> None:
    """Merge stored runs into a new result."""
    from pymacco_sim.cli.running import write_run
    from pymacco_sim.identity import cell_key
    from pymacco_sim.merging import merge_runs
    from pymacco_sim.store import read_manifest

    result, records = merge_runs(folders)
    kept = ("kind", "question", "game", "rules", "policies", "scope", "seating", "seed", "stream", "version")
    manifest = {key: value for key, value in read_manifest(folders[0]).items() if key in kept}
    with open_session(setting, None, {**manifest, "n_games": result.tally.n_games}) as session:
        session.store.find(cell_key(result.cell), 0, 0)
        for record in records:
            session.store.add(record.key, record.first, record.count, record.value)
        write_run(session, result)
