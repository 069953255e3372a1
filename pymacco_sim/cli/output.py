"""Tables on the screen."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from pymacco_sim._check import RequestError
from pymacco_sim.games.rulebook import join_items


def open_console() -> Console:
    """Return a console as wide as the terminal, or wide enough for any table when it is not one."""
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False)


def show_rows(rows: Sequence[Mapping[str, Any]], title: str = "", caption: str = "") -> None:
    """Print rows as a table; numbers to the right."""
    if not rows:
        return
    console = open_console()
    for part in _split_columns(rows, console.width):
        console.print(_make_table(part, title))
        title = ""
    if caption:
        console.print(caption, style="dim")


def picture_path(text: str | None) -> Path | None:
    """Return where a picture goes, checked before there is work behind it; without an ending it is a PNG."""
    if not text:
        return None
    from matplotlib.backend_bases import FigureCanvasBase

    path = Path(text) if Path(text).suffix else Path(f"{text}.png")
    if path.suffix[1:].lower() not in FigureCanvasBase.get_supported_filetypes():
        raise RequestError(f"{path} is no picture that can be drawn; end it in .png, .svg or .pdf.")
    if not path.parent.is_dir():
        raise RequestError(f"{path} cannot be written: there is no folder {path.parent}.")
    return path


def save_axes(ax: Any, path: Path) -> None:
    """Write the figure of some axes, and say so."""
    save_picture(ax.figure, path)


def save_picture(figure: Any, path: Path) -> None:
    """Write a figure, and say so."""
    try:
        figure.savefig(path, dpi=144)
    except (OSError, ValueError) as error:
        raise RequestError(f"{path} cannot be written: {error}.") from error
    open_console().print(f"Drawn to {path}")


COLUMN_ROOM = 3
"""Characters between two columns."""


def _split_columns(rows: Sequence[Mapping[str, Any]], width: int) -> list[Sequence[Mapping[str, Any]]]:
    """Return the rows in as many parts, one above the other, as the width asks for; all begin with a row's name."""
    names = list(rows[0])
    widths = {n: max(len(n), *(len(_text(row.get(n))) for row in rows)) + COLUMN_ROOM for n in names}
    first = next((i for i, n in enumerate(names) if i and "±" in _text(rows[0][n])), 1)
    keys, rest = names[:first], names[first:]
    used = sum(widths[n] for n in keys)
    if sum(widths.values()) <= width or used + max((widths[n] for n in rest), default=0) > width:
        return [rows]
    parts: list[list[str]] = [[]]
    for name in rest:
        if parts[-1] and used + sum(widths[n] for n in (*parts[-1], name)) > width:
            parts.append([])
        parts[-1].append(name)
    return [[{n: row.get(n) for n in (*keys, *part)} for row in rows] for part in parts]


def _make_table(rows: Sequence[Mapping[str, Any]], title: str) -> Table:
    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if _is_number(value) else "left", overflow="fold")
    for row in rows:
        table.add_row(*[_text(value) for value in row.values()])
    return table


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value[:1].isdigit() or value[:2].lstrip("-").isdigit()
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:,.6g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return join_items(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
