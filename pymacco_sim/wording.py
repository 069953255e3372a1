"""Figures in words: an estimate with its error, rows of a table for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Rows = list[dict[str, Any]]


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
    digits = _digits(half)
    return f"{value:,.{digits}f} ± {half:,.{digits}f}"


def _digits(half: float) -> int:
    return min(max(1 - math.floor(math.log10(half)), 0), 8) if half > 0 else 4


def with_bounds(value: float, low: float, high: float) -> str:
    """Return a difference and its interval, signed, to two figures of the half-width.

    Examples
    --------
    >>> with_bounds(0.35028, 0.33301, 0.36749)
    '+0.350 (+0.333 .. +0.367)'
    """
    form = f"+,.{_digits(max(value - low, high - value))}f"
    return f"{value:{form}} ({low:{form}} .. {high:{form}})"


def with_interval(value: float, low: float, high: float, signed: bool = False) -> str:
    """Return an estimate and its 95% interval as part of a sentence.

    Parameters
    ----------
    value, low, high : float
    signed : bool
        Whether to show a plus sign, as for a difference.

    Examples
    --------
    >>> with_interval(242.98123, 242.51, 243.45)
    '242.98 (95%: 242.51 to 243.45)'
    """
    if math.isnan(value):
        return "unknown"
    half = max(value - low, high - value)
    if math.isnan(half):
        return f"{value:.4g} (no interval)"
    form = f"{'+' if signed else ''},.{_digits(half)}f"
    return f"{value:{form}} (95%: {low:{form}} to {high:{form}})"


def count_games(number: int) -> str:
    """Return a number of games in words.

    Examples
    --------
    >>> count_games(1), count_games(2000)
    ('1 game', '2,000 games')
    """
    return f"{number:,} game{'' if number == 1 else 's'}"


def number_text(value: float, form: str = ".5g") -> str:
    """Return a number for a table; a dash for one that is not known.

    Examples
    --------
    >>> number_text(0.123456), number_text(float("nan"))
    ('0.12346', '-')
    """
    return "-" if math.isnan(value) else f"{value:{form}}"


def p_text(p: float) -> str:
    """Return a p-value as it stands after the letter p; never "= 0".

    Examples
    --------
    >>> p_text(0.0312), p_text(0.0)
    ('= 0.031', '< 1e-300')
    """
    if math.isnan(p):
        return "unknown"
    return f"= {p:.2g}" if p >= 1e-300 else "< 1e-300"


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
        if f"{key}_low" in row and "_q" not in name and not name.endswith("_exact"):
            shown[name] = with_error(value, row[f"{key}_low"], row[f"{key}_high"])
        else:
            shown[name] = value
    return shown


def is_minor(column: str) -> bool:
    """Whether tables for people leave out a column, to have room; the files hold all.

    Examples
    --------
    >>> is_minor("score_exact"), is_minor("bust_exact"), is_minor("n_finished")
    (False, True, True)
    """
    main = ("turns_exact", "score_exact", "win_exact")
    return column in ("n_finished", "n_stalled") or (column.endswith("_exact") and column not in main)


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
