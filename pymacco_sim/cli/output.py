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


def with_error(value: float, low: float, high: float) -> str:
    """Return an estimate and the wider half of its interval, to two figures of the latter.

    Examples
    --------
    >>> with_error(242.98123, 242.51, 243.45)
    '242.98 ± 0.47'
    """
    if math.isnan(value):
        return "-"
    half = max(value - low, high - value)
    if math.isnan(half):
        return f"{value:.4g}"
    digits = 0 if half <= 0 else max(1 - math.floor(math.log10(half)), 0)
    digits = min(digits, 8) if half > 0 else 4
    return f"{value:,.{digits}f} ± {half:,.{digits}f}"


def merge_intervals(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table row with each estimate and its bounds as one text; quantiles without bounds.

    Examples
    --------
    >>> merge_intervals({"n_games": 10, "win_share": 0.5, "win_low": 0.2, "win_high": 0.8})
    {'n_games': 10, 'win_share': '0.50 ± 0.30'}
    """
    shown: dict[str, Any] = {}
    for name, value in row.items():
        stem = "place" if name == "mean_place" else name.rsplit("_", 1)[0]
        if name.endswith(("_low", "_high")):
            continue
        key = name if f"{name}_low" in row else stem
        if f"{key}_low" in row and "_q" not in name:
            shown[name] = with_error(value, row[f"{key}_low"], row[f"{key}_high"])
        else:
            shown[name] = value
    return shown


Rows = list[dict[str, Any]]


def drop_constant(rows: Sequence[dict[str, Any]], keep: Sequence[str] = ()) -> tuple[Rows, dict[str, Any]]:
    """Return rows without the columns that never change, and those columns' values.

    Examples
    --------
    >>> drop_constant([{"a": 1, "b": 2}, {"a": 1, "b": 3}])
    ([{'b': 2}, {'b': 3}], {'a': 1})
    """
    if len(rows) < 2:
        return list(rows), {}
    constant = {k: v for k, v in rows[0].items() if k not in keep and all(row.get(k) == v for row in rows)}
    return [{k: v for k, v in row.items() if k not in constant} for row in rows], constant
