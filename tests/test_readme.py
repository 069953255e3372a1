"""Every Python block of the README runs, and its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", README, flags=re.S)
"""Code, and the output that stands behind it, if any."""


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block_runs(number: int, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, shown = BLOCKS[number]
    source = tmp_path / f"block_{number}.py"
    source.write_text(code)
    exec(compile(code, str(source), "exec"), {"__name__": "block"})
    printed = capsys.readouterr().out.strip()
    assert printed
    assert not shown or printed == shown.strip()


def test_every_command_shown_exists() -> None:
    from pymacco_sim.cli.app import command

    shown = set(re.findall(r"^pymacco-sim ([a-z-]+)", README, flags=re.M))
    assert shown <= set(command.commands)


def test_every_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[>=<\[]", item)[0] for item in project["dependencies"]}
    table = README.split("## Why these dependencies")[1].split("##")[0]
    assert names <= set(re.findall(r"[a-z]+", table))
