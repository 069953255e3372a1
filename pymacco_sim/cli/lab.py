"""Commands of the laboratory: compare policies, rank them, compare rules; replay a game."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pymacco_sim._check import RequestError
from pymacco_sim.cli.output import open_console, show_rows
from pymacco_sim.cli.parse import read_rules
from pymacco_sim.cli.session import Session, Setting, open_session
from pymacco_sim.wording import with_error

Search = Mapping[str, Any]


def replay(
    game_name: str,
    policies: Sequence[str],
    *,
    rules: Sequence[str] | None,
    as_json: bool,
    search: Search,
    game: Any,
    **request: Any,
) -> None:
    """Print one game: the one with that number, or the one that is looked for."""
    from pymacco_sim.replays import replay as replay_game
    from pymacco_sim.search import find_game

    line_up = policies[0] if len(policies) == 1 else list(policies)
    request["rules"] = read_rules(rules) or None
    if _asks(search):
        story = find_game(game_name, line_up, **search, **request)
    else:
        story = replay_game(game_name, line_up, game=game, **request)
    print(story.json_lines if as_json else story.text)


def _asks(search: Search) -> bool:
    return any(search[key] is not None for key in ("where", "most", "least"))


def compare(
    game: str,
    a: str,
    b: str,
    *,
    rules: Sequence[str] | None,
    field: Sequence[str] | None,
    setting: Setting,
    rows: str | None,
    search: Search,
    **request: Any,
) -> None:
    """Compare two policies and print the answer."""
    others = (list(field) if len(field) > 1 else field[0]) if field else None
    asked = {"a": a, "b": b, "rules": read_rules(rules), "field": others, **request}
    _play("compare", game, setting, asked, rows, search)


def tournament(
    game: str,
    policies: Sequence[str],
    *,
    rules: Sequence[str] | None,
    setting: Setting,
    rows: str | None,
    search: Search,
    **request: Any,
) -> None:
    """Play a tournament and print table and pairs."""
    asked = {"policies": list(policies), "rules": read_rules(rules), **request}
    _play("tournament", game, setting, asked, rows, search)


def compare_rules(game: str, policies: Sequence[str], *, sets: Sequence[str], setting: Setting, **request: Any) -> None:
    """Compare rule sets and print what is clear."""
    line_up = policies[0] if len(policies) == 1 else list(policies)
    _play("compare-rules", game, setting, {"policies": line_up, "rule_sets": read_rule_sets(sets), **request})


def _play(
    kind: str,
    game: str,
    setting: Setting,
    request: dict[str, Any],
    rows: str | None = None,
    search: Search | None = None,
) -> None:
    """Play what a command's words ask for; written only if a folder is named."""
    from pymacco_sim.experiments import check_request

    settings = {"progress": request.pop("progress", None)} | ({"rows": rows} if rows is not None else {})
    kept = {key: value for key, value in request.items() if value not in (None, {})}
    found = play_question(check_request("", {"kind": kind, "game": game, **kept}), setting, **settings)
    if search is not None and _asks(search):
        stories = found.find(**search)
        for story in stories if isinstance(stories, tuple) else (stories,):
            print(f"\n{story.text}")


def play_question(experiment: Any, setting: Setting, progress: bool | None = None, **settings: Any) -> Any:
    """Play an experiment of the laboratory, print its answer, and write it under its name, if it has one."""
    from pymacco_sim.experiments import play_experiment

    asked = {"kind": experiment.kind, "request": {k: v for k, v in experiment.request.items() if k != "kind"}}
    started = time.perf_counter()
    with open_session(setting, experiment.name or None, asked) as session:
        found = play_experiment(experiment, progress=progress, resume=session.store, **settings)
        game, seconds = experiment.request["game"], time.perf_counter() - started
        _SHOW[experiment.kind](game, found, seconds)
        _write(session, found, experiment.question or _QUESTIONS[experiment.kind](game, found))
    return found


def _show_comparison(game: str, found: Any, seconds: float) -> None:
    rows = [
        {
            "outcome": row["outcome"],
            found.names[0] + " (1)": f"{row['first']:,.5g}",
            found.names[1] + " (2)": f"{row['second']:,.5g}",
            "difference": with_error(row["difference"], row["low"], row["high"]),
            **({"exact": f"{row['difference_exact']:.6g}".replace("nan", "-")} if found.exact else {}),
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


def _show_tournament(game: str, found: Any, seconds: float) -> None:
    totals, table, pairs = found.totals, found.table, found.pairs
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


def _show_rules(game: str, found: Any, seconds: float) -> None:
    rows = []
    for figure, group in found.table.groupby("figure", sort=False):
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


def _write(session: Session, found: Any, question: str) -> None:
    if session.folder is None:
        return
    from pymacco_sim.plots import figures

    tables = found.tables
    manifest = {key: value for key, value in found.manifest.items() if key not in ("kind", "made_with")}
    manifest["question"] = question
    drawn = {**manifest, "kind": session.manifest["kind"]}
    session.write(tables, lambda part: figures.save_figure(figures.draw_result(tables, drawn), part), manifest)


_SHOW = {"compare": _show_comparison, "tournament": _show_tournament, "compare-rules": _show_rules}
_QUESTIONS: dict[str, Any] = {
    "compare": lambda game, found: found.sentence,
    "tournament": lambda game, found: f"{game}: who is strongest?",
    "compare-rules": lambda game, found: f"{game}: {' or '.join(found.labels)}?",
}
