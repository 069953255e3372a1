"""Commands of the laboratory: compare policies, rank them, compare rules; replay a game."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pymacco_sim._check import RequestError
from pymacco_sim.cli.output import open_console, picture_path, save_axes, show_rows
from pymacco_sim.cli.parse import read_rules
from pymacco_sim.cli.session import Session, Setting, open_session
from pymacco_sim.wording import count_games, number_text, with_error

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


def converge(
    game: str,
    policies: Sequence[str],
    *,
    rules: Sequence[str] | None,
    exact: bool,
    plot: str | None,
    **request: Any,
) -> None:
    """Print how an estimate settles, and draw it."""
    from pymacco_sim.convergence import converge as follow
    from pymacco_sim.convergence import find_limit

    picture = picture_path(plot)
    line_up = policies[0] if len(policies) == 1 else list(policies)
    request["rules"] = read_rules(rules) or None
    limit = find_limit(game, line_up, **request) if exact else math.nan
    truth = None if math.isnan(limit) else limit
    path = follow(game, line_up, **request)
    column = str(path["outcome"].iloc[0])
    rows = [
        {
            "n_games": row.n_games,
            column: with_error(row.value, row.low, row.high),
            "valid at every look": f"{number_text(row.sequence_low)} .. {number_text(row.sequence_high)}",
        }
        for row in path.itertuples()
    ]
    note = f" Exact: {truth:.9g}." if truth is not None else " No exact value is known." if exact else ""
    show_rows(rows, f"{game}: {', '.join(policies)}", f"± is the 95% interval at one look.{note}")
    if picture:
        from pymacco_sim.plots import plot_convergence

        save_axes(plot_convergence(path, truth), picture)


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
            "(1)": number_text(row["first"]),
            "(2)": number_text(row["second"]),
            "(1) - (2)": with_error(row["difference"], row["low"], row["high"]),
            **({"exact": number_text(row["difference_exact"], ".6g")} if found.exact else {}),
            "p (Holm)": number_text(row["p_holm"], ".2g"),
            "paired": number_text(row["paired_away"], ".0%"),
        }
        for row in found.table.to_dict("records")
    ]
    show_rows(
        rows,
        title=f"{game}: (1) {found.names[0]} against (2) {found.names[1]}",
        caption=f"± is half the interval; paired: the share of variance that common deals removed. "
        f"{count_games(found.n_games)} each, {seconds:.1f} s.",
    )
    open_console().print(found.sentence)


def _show_tournament(game: str, found: Any, seconds: float) -> None:
    totals, table, pairs = found.totals, found.table, found.pairs
    rows, unequal = [], table["n_games"].nunique() > 1
    for row in table.to_dict("records"):
        shown = {"policy": row["policy"]} | ({"games": row["n_games"]} if unequal else {})
        for column, stem in (
            ("win_share", "win"),
            ("loss_share", "loss"),
            ("mean_place", "place"),
            ("rating", "rating"),
        ):
            if column in row:
                shown[column] = with_error(row[column], row[f"{stem}_low"], row[f"{stem}_high"])
        rows.append({**shown, "best?": row["may_be_best"]})
    line_ups = f"{totals['n_line_ups']} line-up{'' if totals['n_line_ups'] == 1 else 's'}"
    show_rows(
        rows,
        title=f"{game}: tournament of {len(rows)}, {line_ups}",
        caption=f"± is half the 95% interval; best?: may be. {count_games(totals['n_games'])}, "
        f"{totals['n_stalled']:,} stalled; won {totals['won_share']:.4f} + nobody "
        f"{totals['nobody_won_share']:.4f} = 1. {seconds:.1f} s.",
    )
    show_rows(
        [
            {
                "pair": f"{p.first} - {p.second}",
                "games": p.n_games,
                "win share difference": with_error(p.difference, p.low, p.high),
                "p (Holm)": number_text(p.p_holm, ".2g"),
                "better": p.better or "cannot tell",
            }
            for p in pairs[:MOST_PAIRS].itertuples()
        ],
        title="Pairs, over the games that both sat in",
        caption=f"{len(pairs) - MOST_PAIRS} more pairs in the files." if len(pairs) > MOST_PAIRS else "",
    )
    open_console().print(found.sentence)


MOST_PAIRS = 60
"""Most pairs of a tournament on the screen; the files hold all."""


def _show_rules(game: str, found: Any, seconds: float) -> None:
    rows = []
    first = found.labels[0]
    for figure, group in found.table.groupby("figure", sort=False):
        items = group.to_dict("records")
        values = {item["rules"]: with_error(item["value"], item["low"], item["high"]) for item in items}
        gaps = {item["rules"]: _gap_text(item) for item in items[1:]}
        if len(items) == 2:
            rows.append({"figure": figure, **values, f"{found.labels[1]} - {first}": gaps[found.labels[1]]})
        else:
            rows += [
                {
                    "figure": figure if label == first else "",
                    "rules": label,
                    "value": value,
                    f"less {first}": gaps.get(label, ""),
                }
                for label, value in values.items()
            ]
    show_rows(
        rows,
        title=f"{game}: rules compared",
        caption=f"± is half the 95% interval; * clear after Holm's correction. {count_games(found.n_games)} each, "
        f"{seconds:.1f} s.",
    )
    if found.panel.cells[0].n_seats > 1:
        show_rows(
            [
                {
                    "rules": r.rules,
                    "chi-square": number_text(r.chi_square, ".1f"),
                    "p": number_text(r.p_value, ".2g"),
                    "seats": "unfair"
                    if r.p_value < 0.05
                    else "no unfairness seen"
                    if r.p_value <= 1
                    else "cannot tell",
                }
                for r in found.fairness.itertuples()
            ],
            title="Are the seats fair?",
        )


def _gap_text(item: Mapping[str, Any]) -> str:
    gap = with_error(item["difference"], item["difference_low"], item["difference_high"])
    return gap + (" *" if item["p_holm"] < 0.05 else "")


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
    manifest |= {"question": question, "answer": _ANSWERS[session.manifest["kind"]](found)}
    drawn = {**manifest, "kind": session.manifest["kind"]}
    session.write(tables, lambda part: figures.save_figure(figures.draw_result(tables, drawn), part), manifest)


_SHOW = {"compare": _show_comparison, "tournament": _show_tournament, "compare-rules": _show_rules}
_ANSWERS: dict[str, Any] = {
    "compare": lambda found: found.sentence,
    "tournament": lambda found: found.sentence,
    "compare-rules": lambda found: " ".join(found.sentences),
}
_QUESTIONS: dict[str, Any] = {
    "compare": lambda game, found: f"{game}: {found.names[0]} or {found.names[1]}?",
    "tournament": lambda game, found: f"{game}: who is strongest?",
    "compare-rules": lambda game, found: f"{game}: {' or '.join(found.labels)}?",
}
