"""Tables on the screen."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table


def open_console() -> Console:
    """Return a console as wide as the terminal, or wide enough for any table when it is not one."""
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False)


def show_rows(rows: Sequence[Mapping[str, Any]], title: str = "", caption: str = "") -> None:
    """Print rows as a table; numbers to the right."""
    if not rows:
        return
    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if _is_number(value) else "left", overflow="fold")
    for row in rows:
        table.add_row(*[_text(value) for value in row.values()])
    console = open_console()
    console.print(table)
    if caption:
        console.print(caption, style="dim")


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
        return "+".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
