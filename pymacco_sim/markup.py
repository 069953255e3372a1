"""Tables as HTML, for notebooks and reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pymacco_sim.games.rulebook import join_items


def cell_text(value: Any) -> str:
    """Return a table's value for people: thousands apart, six figures, yes and no, a dash for what is missing.

    Examples
    --------
    >>> cell_text(12345), cell_text(0.123456789), cell_text(float("nan")), cell_text(True)
    ('12,345', '0.123457', '-', 'yes')
    """
    kind = type(value).__name__
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if kind.startswith("bool"):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return join_items(value)
    if isinstance(value, float) or kind.startswith("float"):
        return f"{value:,.6g}"
    return f"{value:,}" if kind.startswith(("int", "uint")) else str(value)


def _is_number(text: str) -> bool:
    head = text.lstrip("+-\N{MINUS SIGN}<= ")
    return text == "-" or head[:1].isdigit()


def make_table(rows: Sequence[Mapping[str, Any]], caption: str = "") -> str:
    """Return rows as an HTML table; what looks like numbers stands to the right. Empty without rows.

    Parameters
    ----------
    rows : sequence of mapping
        Column title to value; the first row names the columns. Everything is escaped.
    caption : str

    Examples
    --------
    >>> make_table([{"policy": "<b>", "games": 1000}]).count("&lt;b&gt;")
    1
    """
    if not rows:
        return ""
    titles = list(rows[0])
    texts = [[cell_text(row.get(title)) for title in titles] for row in rows]
    right = [all(_is_number(row[i]) for row in texts) for i in range(len(titles))]
    styles = ["text-align:right" if flag else "text-align:left" for flag in right]
    head = "".join(f'<th scope="col" style="{s}">{escape(t)}</th>' for t, s in zip(titles, styles, strict=True))
    body = "".join(
        "<tr>" + "".join(f'<td style="{s}">{escape(t)}</td>' for t, s in zip(row, styles, strict=True)) + "</tr>\n"
        for row in texts
    )
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def title_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with the columns' names as titles for people.

    Examples
    --------
    >>> title_rows([{"n_games": 1, "win_share": 0.5, "turns_q10": 3}])
    [{'games': 1, 'win share': 0.5, 'turns, 10%': 3}]
    """
    return [{column_title(name): value for name, value in row.items()} for row in rows]


def column_title(column: str) -> str:
    """Return a column's name as a title for people.

    Examples
    --------
    >>> column_title("turns_q50"), column_title("n_finished")
    ('turns, 50%', 'finished')
    """
    head, mark, q = column.rpartition("_q")
    if mark and q.isdigit():
        return f"{head.replace('_', ' ')}, {q}%"
    return column.removeprefix("n_").replace("_", " ")


def make_view(title: str, lines: Sequence[str] = (), *tables: str) -> str:
    """Return what a notebook shows of a result: a line in bold, sentences, tables that scroll in their own box.

    Parameters
    ----------
    title : str
    lines : sequence of str
        Plain text; escaped here.
    *tables : str
        HTML of :func:`make_table`.

    Examples
    --------
    >>> make_view("two & two", ["four"]).startswith("<div><p><b>two &amp; two</b></p>")
    True
    """
    said = "".join(f"<li>{escape(line)}</li>" for line in lines)
    boxes = "".join(f'<div style="overflow-x:auto">{table}</div>' for table in tables if table)
    return f"<div><p><b>{escape(title)}</b></p>{f'<ul>{said}</ul>' if said else ''}{boxes}</div>"
