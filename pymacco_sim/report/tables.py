"""The tables of a report, for people: estimates with their errors, what never changes left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pymacco_sim.markup import column_title, make_table, title_rows
from pymacco_sim.wording import drop_constant, is_minor, merge_intervals, p_text, with_error

MAX_ROWS = 200


def show_tables(
    kind: str, tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    """Return the tables of a result as (heading, HTML, note).

    Parameters
    ----------
    kind : {"run", "sweep", "compare", "tournament", "compare-rules"}
    tables : mapping
        Name to table, as stored.
    manifest : mapping
    """
    by = {"run": _run, "sweep": _sweep, "compare": _compare, "tournament": _tournament, "compare-rules": _rules}
    return by[kind](tables, manifest)


def _merged(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows = [merge_intervals(row) for row in table.to_dict("records")]
    return [{k: v for k, v in row.items() if not is_minor(k)} for row in rows]


def _run(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    totals = merge_intervals(tables["totals"].iloc[0].to_dict())
    figures = [{"figure": column_title(name), "value": value} for name, value in totals.items()]
    shown = [("The table as a whole", make_table(figures), "Rows with 10%, 50%, 90% are quantiles.")]
    if tables["table"].shape[1] > 3:
        shown.insert(0, ("Seats", make_table(title_rows(_merged(tables["table"]))), ""))
    return shown


def _sweep(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    rows, constant = drop_constant(_merged(tables["table"]), keep=("turns_mean", "score_mean", "win_share"))
    same = ", ".join(
        f"{column_title(k)} {v:,}" if isinstance(v, int) else f"{column_title(k)} {v}" for k, v in constant.items()
    )
    note = f"In every row: {same}." if same else ""
    if len(rows) > MAX_ROWS:
        note += f" {len(rows) - MAX_ROWS:,} more rows are in table.csv."
    return [("All settings", make_table(title_rows(rows[:MAX_ROWS])), note)]


def _compare(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    one, two = (manifest[side]["policies"][0]["policy"] for side in ("first", "second"))
    rows = [
        {
            "figure": column_title(row["outcome"]),
            f"first: {one}": row["first"],
            f"second: {two}": row["second"],
            "first minus second": with_error(row["difference"], row["low"], row["high"]),
            "p (Holm)": _p(row["p_holm"]),
            "variance paired away": f"{row['paired_away']:.0%}" if row["paired_away"] == row["paired_away"] else "-",
        }
        for row in tables["table"].to_dict("records")
    ]
    kind = "of a 95% sequence, valid at every look" if manifest.get("sequential") else "of a 95% interval"
    return [("Differences", make_table(rows), f"± is half {kind}; {manifest['n_games']:,} games each.")]


def _p(value: float) -> str:
    return "-" if value != value else p_text(value).removeprefix("= ")


def _tournament(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    pairs = [
        {
            "pair": f"{p.first} - {p.second}",
            "games": p.n_games,
            "win share difference": with_error(p.difference, p.low, p.high),
            "p (Holm)": _p(p.p_holm),
            "better": p.better or "cannot tell",
        }
        for p in tables["pairs"].itertuples()
    ]
    shown = pairs[:MAX_ROWS]
    more = f" {len(pairs) - MAX_ROWS:,} more pairs are in pairs.csv." if len(pairs) > MAX_ROWS else ""
    return [
        ("Ranking", make_table(title_rows(_merged(tables["table"]))), "Rating: Elo scale, mean 0."),
        ("Pairs", make_table(shown), f"Over the games that both sat in.{more}"),
    ]


def _rules(tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    first, rows = manifest["rules"][0], []
    for figure, group in tables["table"].groupby("figure", sort=False):
        row: dict[str, Any] = {"figure": column_title(str(figure))}
        for item in group.to_dict("records"):
            row[item["rules"]] = with_error(item["value"], item["low"], item["high"])
            if item["rules"] != first:
                gap = with_error(item["difference"], item["difference_low"], item["difference_high"])
                row[f"{item['rules']} minus {first}"] = gap + (" *" if item["p_holm"] < 0.05 else "")
        rows.append(row)
    fairness = [
        {"rules": r.rules, "chi-square": f"{r.chi_square:.1f}", "degrees": r.degrees, "p": _p(r.p_value)}
        for r in tables["fairness"].itertuples()
    ]
    games = f"{manifest['n_games']:,} games under each set of rules"
    shown = [("Figures", make_table(rows), f"* is clear after Holm's correction; {games}.")]
    return [*shown, ("Are the seats fair?", make_table(fairness), "")] if fairness else shown
