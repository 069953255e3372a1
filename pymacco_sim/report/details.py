"""What was played, and how to play it again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from pymacco_sim._check import RequestError
from pymacco_sim.games.base import Game
from pymacco_sim.games.registry import find_game
from pymacco_sim.games.rulebook import Preset, join_items

Rows = list[tuple[str, str]]


def _cells(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the described cells of a manifest of any kind."""
    if "cells" in manifest:
        return list(manifest["cells"])
    found = [manifest[key] for key in ("first_cell", "first", "second") if key in manifest]
    return found or [manifest]


def describe_setup(manifest: Mapping[str, Any]) -> Rows:
    """Return what was played as (term, words).

    Parameters
    ----------
    manifest : mapping
    """
    cells = _cells(manifest)
    cell, kind = cells[0], manifest["kind"]
    family, preset = _find(cell["game"])
    rows = [("Game", f"{cell['game']}: {preset.words}" if preset else str(cell["game"]))]
    rows += _policies(family, manifest, cells)
    cells_word = "" if "n_cells" not in manifest else f" for each of {manifest['n_cells']:,} settings"
    cells_word = (
        " for each candidate" if kind == "compare" else " for each set of rules" if "cells" in manifest else cells_word
    )
    line_ups = manifest.get("line_ups", ())
    cells_word = f" in all, over {len(line_ups):,} line-up{'s' * (len(line_ups) > 1)}" if line_ups else cells_word
    rows.append(("Games", f"{manifest['n_games']:,}{cells_word}"))
    until = manifest.get("until", manifest.get("request", {}).get("until"))
    if until is not None:
        rows.append(("Stopped by", f"until {until}; intervals are those of a sequence, valid at every look"))
    words = {"rotate": "every deal is played once from each seat", "fixed": "seats stay as they are listed"}
    if len(cell["policies"]) > 1:
        rows.append(("Seats", f"{len(cell['policies'])}; {words.get(cell['seating'], cell['seating'])}"))
    rows.append(("One game is", str(cell["scope"])))
    rows += _rules(manifest, cells)
    rows.append(("Seed", str(cell["seed"])))
    made = ", ".join(f"{name} {version}" for name, version in manifest.get("made_with", {}).items())
    rows.append(("Made with", f"pymacco_sim {cell['version']}" + (f" ({made})" if made else "")))
    return rows


def _find(name: str) -> tuple[Game, Preset] | tuple[None, None]:
    try:
        return find_game(name)
    except RequestError:
        return None, None


def _policies(family: Game | None, manifest: Mapping[str, Any], cells: list[Mapping[str, Any]]) -> Rows:
    if manifest["kind"] == "sweep":
        specs = manifest.get("policies") or [item["policy"] for item in cells[0]["policies"]]
    elif manifest["kind"] == "compare":
        specs = [item["policy"] for cell in cells for item in cell["policies"]]
    else:
        specs = manifest.get("policies") or cells[0]["policies"]
        specs = [item["policy"] if isinstance(item, Mapping) else item for item in specs]
    rows: Rows = []
    known = {policy.name: policy for policy in family.policies} if family is not None else {}
    by_name: dict[str, list[str]] = {}
    for spec in dict.fromkeys(specs):
        name = spec if ".py" in spec else spec.split(":")[0]
        by_name.setdefault(name, []).append(spec)
    for name, own in by_name.items():
        words = known[name].words if name in known else ""
        usual = ", ".join(f"{p.name} {p.default}" for p in known[name].parameters) if name in known else ""
        words += f" (unless it says otherwise: {usual})" if usual else ""
        listed = f"{len(own)} settings of {name}" if len(own) > 4 else ", ".join(own)
        rows.append(("Policy", f"{listed}: {words}" if words else listed))
    return rows


def _changed(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules of a cell that differ from its preset's; the number of players is told elsewhere."""
    family, preset = _find(cell["game"])
    if family is None or preset is None:
        return {}
    usual = family.make_rules(preset.name, {}).to_dict()
    plain = json.loads(json.dumps(usual))
    return {k: v for k, v in cell["rules"].items() if k != "players" and plain.get(k) != v}


def _rules(manifest: Mapping[str, Any], cells: list[Mapping[str, Any]]) -> Rows:
    if "cells" in manifest:
        rows = []
        for label, cell in zip(manifest["rules"], cells, strict=True):
            changed = _changed(cell)
            words = ", ".join(f"{k} {rule_text(v)}" for k, v in changed.items()) or "nothing changed"
            rows.append(("Rules", f"{label}: {cell['game']}, {words}"))
        return rows
    changed = _changed(cells[0])
    swept = manifest.get("request", {}).get("rules", {}) if manifest["kind"] == "sweep" else {}
    changed |= {k: v for k, v in swept.items() if isinstance(v, (str, list))}
    words = ", ".join(f"{name} {rule_text(value)}" for name, value in changed.items())
    return [("Rules changed", words)] if words else [("Rules", "those of the game, nothing changed")]


def rule_text(value: Any) -> str:
    """Return a rule's value as the command line takes it.

    Examples
    --------
    >>> rule_text([2, 8, "Joker"]), rule_text(False)
    ('2+8+Joker', 'false')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return join_items(value)
    return str(value)


def repeat_text(name: str, manifest: Mapping[str, Any]) -> str:
    """Return what to type to get the same result again: commands, or an experiment's file and its command.

    Parameters
    ----------
    name : str
        Of the result.
    manifest : mapping
    """
    if manifest["kind"] == "run":
        return _repeat_run(name, manifest)
    request = {"kind": manifest["kind"], **manifest["request"]}
    if request["kind"] == "sweep":
        del request["kind"]
    command = f"pymacco-sim sweep {shlex.quote(name + '.toml')} --out {shlex.quote(name + '-again')}"
    return f"# {name}.toml\n{toml_text(request)}\n# then\n{command}"


def _repeat_run(name: str, manifest: Mapping[str, Any]) -> str:
    words = ["pymacco-sim", "run", manifest["game"], *[item["policy"] for item in manifest["policies"]]]
    for key, value in _changed(manifest).items():
        words += ["--rule", f"{key}={rule_text(value)}"]
    words += ["--scope", manifest["scope"], "--seating", manifest["seating"], "--seed", str(manifest["seed"])]
    if "until" in manifest:
        most = manifest.get("most_games", manifest["n_games"])
        return shlex.join([*words, "-n", str(most), "--until", str(manifest["until"]), "--out", f"{name}-again"])
    parts = [(int(first), int(n)) for first, n in manifest.get("ranges", [[0, manifest["n_games"]]])]
    names = [f"{name}-again{f'-{i + 1}' if len(parts) > 1 else ''}" for i in range(len(parts))]
    lines = []
    for out, (first, n) in zip(names, parts, strict=True):
        start = ["--first-game", str(first)] if first else []
        lines.append(shlex.join([*words, "-n", str(n), *start, "--out", out]))
    if len(parts) > 1:
        lines.append(shlex.join(["pymacco-sim", "results", "merge", *names, "--out", f"{name}-again"]))
    return "\n".join(lines)


def toml_text(request: Mapping[str, Any]) -> str:
    """Return a request as the text of an experiment's file.

    Parameters
    ----------
    request : mapping
        Texts, numbers, lists of them, tables, and lists of tables.

    Examples
    --------
    >>> print(toml_text({"game": "macke", "method": [{"policy": "points"}], "rules": {"target": 3000}}), end="")
    game = "macke"
    <BLANKLINE>
    [[method]]
    policy = "points"
    <BLANKLINE>
    [rules]
    target = 3000
    """
    return "".join(_toml_lines(request, ()))


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _toml_lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    plain = {k: v for k, v in table.items() if not isinstance(v, Mapping) and not _is_tables(v)}
    lines = [f"{_toml_key(key)} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in plain.items()]
    for key, value in table.items():
        inner = (*path, _toml_key(key))
        if isinstance(value, Mapping):
            lines += [f"\n[{'.'.join(inner)}]\n", *_toml_lines(value, inner)]
        elif _is_tables(value):
            for item in value:
                lines += [f"\n[[{'.'.join(inner)}]]\n", *_toml_lines(item, inner)]
    return lines


def _toml_key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else json.dumps(key)
