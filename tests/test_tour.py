"""What greets a newcomer."""

from __future__ import annotations

import re

import pytest

from pymacco_sim.cli import tour
from pymacco_sim.cli.app import command


def test_no_arguments_show_the_start_page(capsys: pytest.CaptureFixture[str]) -> None:
    command.main([], standalone_mode=False)
    assert "pymacco-sim demo" in capsys.readouterr().out


def test_every_command_of_the_start_page_exists() -> None:
    shown = set(re.findall(r"pymacco-sim ([a-z][a-z-]+)", tour.START)) - {"plays"}
    assert shown <= set(command.commands)  # type: ignore[attr-defined]


def test_help_still_says_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["--help"], standalone_mode=False)
    assert "Monte Carlo for game strategies" in capsys.readouterr().out


def test_tour_gives_an_answer_and_owns_up_to_one_it_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["demo"], standalone_mode=False)
    said = capsys.readouterr().out
    assert "is better than" in said
    assert "Cannot tell at 1,000 games each" in said
    assert "cannot be told from it" in said
    assert "282,001 games" in said
