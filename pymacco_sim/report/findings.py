"""What a result says, in sentences that claim no more than the intervals allow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from pymacco_sim.house_rules import say_difference
from pymacco_sim.plots.figures import PANELS
from pymacco_sim.plots.style import label_column
from pymacco_sim.plots.sweeps import LESS_IS_BETTER, Z95
from pymacco_sim.simulation import say_stalled
from pymacco_sim.stats.best import find_best
from pymacco_sim.wording import p_text, with_interval

ALPHA = 0.05
NAMED = 6
"""Most settings that one sentence lists."""

NO_SETTINGS = ("seat", "policy")


class Finding(NamedTuple):
    """A sentence, and whether it is a clear answer, "cannot tell", or (None) just a figure."""

    text: str
    clear: bool | None = None


def find(kind: str, tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> list[Finding]:
    """Return the findings of a stored result, the main one first.

    Parameters
    ----------
    kind : {"run", "sweep", "compare", "tournament", "compare-rules"}
    tables : mapping
        Name to table, as stored.
    manifest : mapping
    """
    by = {
        "run": _find_run,
        "sweep": _find_sweep,
        "compare": _find_compare,
        "tournament": _find_tournament,
        "compare-rules": _find_rules,
    }
    return list(by[kind](tables, manifest))


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _stem(column: str) -> str:
    return "place" if column == "mean_place" else column.rsplit("_", 1)[0]


def _say(row: Mapping[str, Any], column: str) -> str:
    stem = _stem(column)
    return with_interval(row[column], row[f"{stem}_low"], row[f"{stem}_high"])


def _join(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _find_run(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> Iterator[Finding]:
    seats, totals = tables["table"], tables["totals"].iloc[0].to_dict()
    if "win_share" in seats and len(seats) > 1:
        fair = 1 / len(seats)
        for row in seats.to_dict("records"):
            who = f"{row['policy']} (seat {row['seat']}) wins {_say(row, 'win_share')} of the games"
            if row["win_low"] > fair or row["win_high"] < fair:
                side = "more" if row["win_low"] > fair else "less"
                yield Finding(f"{who}: {side} than an equal share of {fair:.4g}.", True)
            else:
                yield Finding(f"{who}: cannot be told from an equal share of {fair:.4g}.", False)
    for column in ("score_mean", "turns_mean"):
        if column in totals:
            yield Finding(f"{_first_up(label_column(column))}: {_say(totals, column)}.")
    yield Finding(say_stalled(totals))


def _find_sweep(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> Iterator[Finding]:
    table = tables["table"]
    if "seat" in table:
        table = table[table["seat"] == 0]
    table = table.reset_index(drop=True)
    before = list(table.columns[: list(table.columns).index("n_games")])
    settings = [n for n in before if n not in NO_SETTINGS and table[n].nunique(dropna=False) > 1]
    names = [_name_setting(row, settings) for row in table.to_dict("records")]
    judged = [n for n in PANELS if n in table and f"{_stem(n)}_low" in table and table[n].notna().any()]
    for column in [name for name in judged if name != "stalled_share"][:2]:
        yield from _rank(table, names, column, seat="seat" in tables["table"])
    if "stalled_share" in table:
        worst = int(table["stalled_share"].idxmax())
        if table["stalled_share"][worst] > 0:
            where = f" ({names[worst]})" if names[worst] else ""
            yield Finding(f"Stalled games: at most {_say(table.iloc[worst].to_dict(), 'stalled_share')}{where}.")
        else:
            yield Finding("No game stalled.")


def _name_setting(row: Mapping[str, Any], settings: list[str]) -> str:
    known = [(name, row[name]) for name in settings if not pd.isna(row[name])]
    return ", ".join(
        str(v)
        if name == "method"
        else f"{name.replace('_', ' ')} {v:g}"
        if isinstance(v, float)
        else f"{name.replace('_', ' ')} {v}"
        for name, v in known
    )


def _rank(table: pd.DataFrame, names: list[str], column: str, seat: bool) -> Iterator[Finding]:
    """Say where a figure is best, what cannot be told from it, and how much there is between best and worst."""
    stem, what = (
        _stem(column),
        _first_up(label_column(column)) + (", seat 0" if seat and column != "turns_mean" else ""),
    )
    less = any(column.startswith(word) for word in LESS_IS_BETTER)
    rows = table.to_dict("records")
    if len(rows) == 1:
        yield Finding(f"{what}: {_say(rows[0], column)}.")
        return
    errors = ((table[f"{stem}_high"] - table[f"{stem}_low"]) / (2 * Z95)).tolist()
    best, together = find_best(table[column].tolist(), errors, not less)
    others = [names[i] for i in range(len(rows)) if together[i] and i != best]
    end, far = ("lowest", "highest") if less else ("highest", "lowest")
    worst = int(table[column].idxmax() if less else table[column].idxmin())
    text = f"{what}: {end} with {names[best]}, {_say(rows[best], column)}; {far} with {names[worst]}, "
    text += f"{_say(rows[worst], column)}."
    if len(others) == len(rows) - 1:
        yield Finding(f"{text} But no setting can be told from any other at this number of games.", False)
    elif others:
        rest = len(rows) - 1 - len(others)
        yield Finding(f"{text} The {end} cannot be told from {_join(others)}; the other {rest} are clearly off.", False)
    else:
        yield Finding(f"{text} All {len(rows) - 1} others are clearly off the {end}.", True)


def _is_clear(row: Mapping[str, Any], sequential: bool) -> bool:
    if sequential or math.isnan(row["p_holm"]):
        return bool(row["low"] > 0 or row["high"] < 0)
    return bool(row["p_holm"] < ALPHA)


def _find_compare(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> Iterator[Finding]:
    rows, sequential = tables["table"].to_dict("records"), bool(manifest.get("sequential"))
    sentence = str(manifest.get("answer") or manifest["question"])
    decided = rows[0]["low"] > 0 or rows[0]["high"] < 0
    yield Finding(sentence, bool(decided))
    unclear = []
    for row in rows[1:]:
        what = label_column(row["outcome"])
        if row["difference"] == 0 == row["high"] - row["low"]:
            continue
        if not _is_clear(row, sequential):
            unclear.append(f"{what} {with_interval(row['difference'], row['low'], row['high'], signed=True)}")
            continue
        gap = with_interval(row["difference"], row["low"], row["high"], signed=True)
        tail = "" if sequential else f", p {p_text(row['p_holm'])} after Holm's correction"
        yield Finding(f"{_first_up(what)}: first minus second is {gap}{tail}.", True)
    if unclear:
        yield Finding(f"Cannot tell a difference in: {'; '.join(unclear)}.", False)
    away = rows[0]["paired_away"]
    if not math.isnan(away) and away > 0:
        yield Finding(
            f"Playing the same deals and dice took away {away:.0%} of the variance of the main difference: "
            f"as good as {1 / (1 - away):.3g} times the games."
            if away < 1
            else "Both played every deal alike."
        )


def _find_tournament(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> Iterator[Finding]:
    table, pairs = tables["table"], tables["pairs"]
    rows = table.to_dict("records")
    best = [row["policy"] for row in rows if row["may_be_best"]]
    top = rows[0]
    if len(best) == 1:
        yield Finding(
            f"{best[0]} is the strongest here: it wins {_say(top, 'win_share')} of its games, more than any "
            f"other (Holm's correction over {len(rows) - 1} comparisons).",
            True,
        )
    else:
        yield Finding(
            f"Cannot tell which is strongest of {_join(best)}; {top['policy']} is ahead with "
            f"{_say(top, 'win_share')} of its games won.",
            False,
        )
    last = rows[-1]
    yield Finding(f"{last['policy']} wins least: {_say(last, 'win_share')}.")
    unclear = [f"{p.first} and {p.second}" for p in pairs.itertuples() if not p.better]
    if unclear:
        yield Finding(f"Cannot tell apart: {_join(unclear)}.", False)
    if len(pairs) > len(unclear):
        yield Finding(f"{len(pairs) - len(unclear)} of {len(pairs)} pairs differ clearly (Holm's correction).", True)
    if "totals" in tables:
        totals = tables["totals"].iloc[0].to_dict()
        share = totals["n_stalled"] / totals["n_games"]
        yield Finding(
            f"{totals['n_stalled']:,} of {totals['n_games']:,} games stalled ({share:.1%})."
            if totals["n_stalled"]
            else "No game stalled."
        )


def _find_rules(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> Iterator[Finding]:
    first = manifest["rules"][0]
    found = []
    for row in tables["table"].itertuples():
        if row.rules != first:
            alike = row.difference == row.difference_low == row.difference_high == 0
            clear = None if math.isnan(row.p_value) or alike else bool(row.p_holm < ALPHA)
            found.append(Finding(say_difference(row, first), clear))
    yield from sorted(found, key=lambda finding: finding.clear is not True)
    for row in tables["fairness"].itertuples():
        test = f"chi-square {row.chi_square:.1f}, p {p_text(row.p_value)}"
        if row.p_value < ALPHA:
            yield Finding(f"Under {row.rules} the seats do not win equally often ({test}).", True)
        else:
            yield Finding(f"Under {row.rules} no unfairness between the seats was seen ({test}).", False)
