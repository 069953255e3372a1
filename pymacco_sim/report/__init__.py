"""A stored result as one page: question, findings, figure, tables, set-up, how to repeat it."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pymacco_sim._check import RequestError, StorageError
from pymacco_sim.report.details import describe_setup, repeat_text
from pymacco_sim.report.findings import find
from pymacco_sim.report.page import Page, render
from pymacco_sim.report.tables import show_tables
from pymacco_sim.store import find_damage, read_manifest, read_table

TABLES = {
    "run": ("table", "totals", "turns"),
    "sweep": ("table",),
    "compare": ("table",),
    "tournament": ("table", "pairs"),
    "compare-rules": ("table", "fairness"),
}
"""Tables that the report of each kind of result is made from."""

OPTIONAL = {"tournament": ("totals",)}
MAX_SVG = 1_500_000
"""Characters beyond which a figure is put in as PNG."""

__all__ = ["make_report", "write_report"]


def make_report(folder: str | Path) -> str:
    """Return the report of a stored result as one HTML page that needs no network.

    Parameters
    ----------
    folder : str or Path
        As the command line writes it: tables and a manifest.

    Returns
    -------
    str
        The same text for the same files, whenever and wherever it is made.

    Raises
    ------
    RequestError
        If the folder holds no result, files of it are missing or damaged, or it is of a kind without report.

    Examples
    --------
    >>> make_report("no-such-folder")
    Traceback (most recent call last):
    ...
    pymacco_sim._check.RequestError: no-such-folder holds no result (no manifest.json); pymacco-sim results lists ...
    """
    place = Path(folder)
    manifest = read_manifest(place)
    kind = str(manifest.get("kind"))
    if kind not in TABLES:
        raise RequestError(f"{place} is a result of kind {kind!r}; there are reports of: {', '.join(TABLES)}.")
    damage = find_damage(place)
    if damage:
        raise RequestError(f"no report of a damaged result: {damage[0]}.")
    tables = {name: read_table(place, name) for name in TABLES[kind]}
    tables |= {n: read_table(place, n) for n in OPTIONAL.get(kind, ()) if (place / f"{n}.parquet").is_file()}
    name = place.resolve().name
    page = Page(
        question=_question(manifest),
        findings=find(kind, tables, manifest),
        figure=_figure(tables, manifest),
        tables=show_tables(kind, tables, manifest),
        setup=describe_setup(manifest),
        repeat=repeat_text(name, manifest),
    )
    return render(page)


def write_report(folder: str | Path, path: str | Path) -> None:
    """Write the report of a stored result to a file.

    Parameters
    ----------
    folder, path : str or Path

    Raises
    ------
    RequestError
        As :func:`make_report`.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> write_report("no-such-folder", "report.html")
    Traceback (most recent call last):
    ...
    pymacco_sim._check.RequestError: no-such-folder holds no result (no manifest.json); pymacco-sim results lists ...
    """
    text = make_report(folder)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}.") from error


def _question(manifest: Mapping[str, Any]) -> str:
    """Return the question; without one, what was compared or swept."""
    asked = manifest.get("request", {}).get("question")
    if asked is None and manifest["kind"] == "compare":
        one, two = (manifest[side]["policies"][0]["policy"] for side in ("first", "second"))
        return f"{manifest['first']['game']}: {one} or {two}, which is better?"
    if asked is None and manifest["kind"] == "sweep":
        request = manifest["request"]
        swept = [*request.get("grid", {}), *request.get("rules", {}), *(["players"] if "players" in request else [])]
        by = f" by {', '.join(swept)}" if swept else ""
        return f"{request['game']}: {_names(request['policies'])}{by}"
    return str(asked or manifest.get("question", manifest["kind"]))


def _names(policies: str | list[str]) -> str:
    return policies if isinstance(policies, str) else ", ".join(policies)


def _figure(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> str:
    """Return the figure as a data URI; empty if the tables hold nothing to draw."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from pymacco_sim.plots.figures import draw_result

    with mpl.rc_context({"svg.hashsalt": "pymacco_sim", "svg.fonttype": "path"}):
        try:
            figure = draw_result(tables, {**manifest, "question": ""})
        except RequestError:
            return ""
        data = io.BytesIO()
        figure.savefig(data, format="svg", metadata={"Date": None})
        form = "svg+xml"
        if data.tell() > MAX_SVG:
            data, form = io.BytesIO(), "png"
            figure.savefig(data, format="png", dpi=120)
        plt.close(figure)
    return f"data:image/{form};base64,{base64.b64encode(data.getvalue()).decode()}"
