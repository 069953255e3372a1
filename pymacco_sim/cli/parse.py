"""Reading what a command gets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from pymacco_sim._check import RequestError


def split_options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return policies and ``--parameter values`` pairs from a command's free words.

    Examples
    --------
    >>> split_options(["points", "--threshold", "50:1000:50", "--keep=all"])
    (['points'], {'threshold': '50:1000:50', 'keep': 'all'})
    """
    names: list[str] = []
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            if word.startswith("-") and not word[1:2].isdigit():
                raise RequestError(f"unknown option {word!r}; see --help.")
            names.append(word)
            continue
        key, mark, value = word[2:].partition("=")
        if not mark:
            if not rest:
                raise RequestError(f"option {word!r} has no value; write {word} VALUES.")
            value = rest.pop(0)
        options[key.replace("-", "_")] = value
    return names, options


def read_rules(pairs: Sequence[str] | None) -> dict[str, Any]:
    """Return rule fields from ``name=value`` texts.

    Examples
    --------
    >>> read_rules(["run_to_burn=3,4"])
    {'run_to_burn': '3,4'}
    """
    fields = {}
    for pair in pairs or []:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise RequestError(f"--rule is {pair!r}; write --rule NAME=VALUE.")
        fields[name.strip().replace("-", "_")] = value.strip()
    return fields


def read_jobs(text: str | int) -> int:
    """Return a number of workers; -1 stands for all cores.

    Raises
    ------
    typer.BadParameter
        If it is no whole number, or zero.

    Examples
    --------
    >>> read_jobs("2")
    2
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number == 0:
        raise typer.BadParameter(f"{text!r} is no number of workers; give 1, 2, ... or -1 for all cores")
    return number


def result_folder(out: str | None, name: str) -> Path:
    """Return the folder for a result: ``results/NAME``, or the one given (a bare name goes under ``results``)."""
    if out is None:
        return Path("results") / name
    return Path(out) if len(Path(out).parts) > 1 else Path("results") / out


EXAMPLES = "examples"
"""Folder under ``results`` with the finished results that come with the source."""


def find_folder(name: str) -> Path:
    """Return the folder of a stored result that was named: as it stands, under ``results``, or of the examples."""
    places = (Path(name), result_folder(name, ""), Path("results") / EXAMPLES / name)
    return next((place for place in places if place.is_dir()), places[1])
