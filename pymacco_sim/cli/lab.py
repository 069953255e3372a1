"""Commands of the laboratory: compare policies, rank them, compare rules; replay a game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from pymacco_sim._check import RequestError
from pymacco_sim.cli.output import open_console, show_rows, with_error
from pymacco_sim.cli.parse import read_rules
from pymacco_sim.cli.session import Session, Setting, open_session


def replay(
    game_name: str, policies: Sequence[str], *, rules: Sequence[str] | None, as_json: bool, **request: Any
) -> None:
    """Print one game."""
    from pymacco_sim.replays import replay as replay_game

    line_up = policies[0] if len(policies) == 1 else list(policies)
    story = replay_game(game_name, line_up, rules=read_rules(rules) or None, **request)
    print(story.json_lines if as_json else story.text)


def compare(
    game: str,
    a: str,
    b: str,
    *,
    rules: Sequence[str] | None,
    field: Sequence[str] | None,
    setting: Setting,
    **request: Any,
) -> None:
    """Compare two policies and print the answer."""
    from pymacco_sim.comparison import compare as compare_policies

    others = (list(field) if len(field) > 1 else field[0]) if field else None
    fields = read_rules(rules)
    asked = _describe("compare", game, [a, b], rules=fields, field=others, **request)
    started = time.perf_counter()
    with open_session(setting, None, asked) as session:
        found = compare_policies(game, a, b, rules=fields or None, field=others, resume=session.store, **request)
        _show_comparison(game, found, time.perf_counter() - started)
        _write(session, {"table": found.table}, found, found.sentence, "draw_differences", found.table)


def _show_comparison(game: str, found: Any, seconds: float) -> None:
    rows = [
        {
            "outcome": row["outcome"],
            found.names[0] + " (1)": f"{row['first']:,.5g}",
            found.names[1] + " (2)": f"{row['second']:,.5g}",
            "difference": with_error(row["difference"], row["low"], row["high"]),
            "p (Holm)": f"{row['p_holm']:.2g}",
            "variance paired away": f"{row['paired_away']:.0%}" if row["paired_away"] == row["paired_away"] else "-",
        }
        for row in found.table.to_dict("records")
    ]
    show_rows(
        rows,
        title=f"{game}: (1) against (2)",
        caption=f"± is half the interval. {found.n_games:,} games each, {seconds:.1f} s.",
    )
    open_console().print(found.sentence)


def tournament(
    game: str,
    policies: Sequence[str],
    *,
    rules: Sequence[str] | None,
    setting: Setting,
    **request: Any,
) -> None:
    """Play a tournament and print table and pairs."""
    from pymacco_sim.tournaments import tournament as play_tournament

    fields = read_rules(rules)
    asked = _describe("tournament", game, list(policies), rules=fields, **request)
    started = time.perf_counter()
    with open_session(setting, None, asked) as session:
        found = play_tournament(game, list(policies), rules=fields or None, resume=session.store, **request)
        table, pairs = found.table, found.pairs
        _show_tournament(game, found.totals, table, pairs, time.perf_counter() - started)
        tables = {"table": table, "pairs": pairs, "matrix": found.matrix.rename_axis("policy").reset_index()}
        _write(session, tables, found, f"{game}: who is strongest?", "draw_tournament", table, pairs)


def _show_tournament(game: str, totals: Any, table: Any, pairs: Any, seconds: float) -> None:
    rows = []
    for row in table.to_dict("records"):
        shown = {"policy": row["policy"], "games": row["n_games"]}
        for column, stem in (
            ("win_share", "win"),
            ("loss_share", "loss"),
            ("mean_place", "place"),
            ("rating", "rating"),
        ):
            if column in row:
                shown[column] = with_error(row[column], row[f"{stem}_low"], row[f"{stem}_high"])
        rows.append({**shown, "may be best": row["may_be_best"]})
    show_rows(
        rows,
        title=f"{game}: tournament of {len(rows)}, {totals['n_line_ups']} line-ups",
        caption=f"± is half the 95% interval. {totals['n_games']:,} games, {totals['n_stalled']:,} stalled; won "
        f"{totals['won_share']:.4f} + nobody {totals['nobody_won_share']:.4f} = 1. {seconds:.1f} s.",
    )
    show_rows(
        [
            {
                "pair": f"{p.first} - {p.second}",
                "games": p.n_games,
                "win share difference": with_error(p.difference, p.low, p.high),
                "p (Holm)": f"{p.p_holm:.2g}",
                "better": p.better or "cannot tell",
            }
            for p in pairs.itertuples()
        ],
        title="Pairs, over the games that both sat in",
    )


def compare_rules(
    game: str,
    policies: Sequence[str],
    *,
    sets: Sequence[str],
    setting: Setting,
    **request: Any,
) -> None:
    """Compare rule sets and print what is clear."""
    from pymacco_sim.house_rules import compare_rules as compare_sets

    line_up = policies[0] if len(policies) == 1 else list(policies)
    named = read_rule_sets(sets)
    asked = _describe("compare-rules", game, list(policies), sets=named, **request)
    started = time.perf_counter()
    with open_session(setting, None, asked) as session:
        found = compare_sets(game, named, line_up, resume=session.store, **request)
        table = found.table
        _show_rules(game, found, table, time.perf_counter() - started)
        tables = {"table": table, "seats": found.seats, "fairness": found.fairness}
        _write(session, tables, found, f"{game}: {' or '.join(found.labels)}?", "draw_rules", table)


def _show_rules(game: str, found: Any, table: Any, seconds: float) -> None:
    rows = []
    for figure, group in table.groupby("figure", sort=False):
        row: dict[str, Any] = {"figure": figure}
        for item in group.to_dict("records"):
            row[item["rules"]] = with_error(item["value"], item["low"], item["high"])
            if item["rules"] != found.labels[0]:
                gap = with_error(item["difference"], item["difference_low"], item["difference_high"])
                row[f"{item['rules']} - {found.labels[0]}"] = gap + (" *" if item["p_holm"] < 0.05 else "")
        rows.append(row)
    show_rows(
        rows,
        title=f"{game}: rules compared",
        caption=f"± is half the 95% interval; * clear after Holm's correction. {found.n_games:,} games each, "
        f"{seconds:.1f} s.",
    )
    if found.panel.cells[0].n_seats > 1:
        show_rows(
            [
                {
                    "rules": r.rules,
                    "chi-square": f"{r.chi_square:.1f}",
                    "p": f"{r.p_value:.2g}",
                    "seats": "unfair" if r.p_value < 0.05 else "no unfairness seen",
                }
                for r in found.fairness.itertuples()
            ],
            title="Are the seats fair?",
        )


def read_rule_sets(texts: Sequence[str]) -> dict[str, Any]:
    """Return rule sets from ``LABEL:NAME=VALUE,NAME=VALUE``, a preset's name, or ``LABEL:`` for the game's own.

    Examples
    --------
    >>> read_rule_sets(["threes-2022", "next seat:pickup_plays_again=false"])
    {'threes-2022': 'threes-2022', 'next seat': {'pickup_plays_again': 'false'}}
    """
    sets: dict[str, Any] = {}
    for text in texts:
        label, mark, fields = text.partition(":")
        if not mark and "=" in text:
            label, fields, mark = text, text, ":"
        if label in sets:
            raise RequestError(f"two rule sets are called {label!r}; write LABEL:NAME=VALUE.")
        sets[label] = read_rules([f for f in fields.split(",") if f]) if mark else text
    return sets


def _describe(kind: str, game: str, policies: Sequence[str], **request: Any) -> dict[str, Any]:
    """Return the manifest of a command before it has played: what was asked for."""
    kept = {key: value for key, value in request.items() if key != "progress" and value not in (None, {})}
    return {"kind": kind, "request": {"game": game, "policies": list(policies), **kept}}


def _write(session: Session, tables: dict[str, Any], found: Any, question: str, draw: str, *data: Any) -> None:
    if session.folder is None:
        return
    from pymacco_sim.plots import figures

    manifest = {key: value for key, value in found.manifest.items() if key not in ("kind", "made_with")}
    session.write(
        tables,
        lambda part: figures.save_figure(getattr(figures, draw)(*data, title=question), part),
        {**manifest, "question": question},
    )
