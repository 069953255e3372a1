"""``pymacco-sim report``: a stored result as one page."""

from __future__ import annotations

from pathlib import Path

from pymacco_sim.cli.output import open_console
from pymacco_sim.cli.parse import find_folder
from pymacco_sim.cli.session import use_files_only


def report(name: str, out: str | None) -> None:
    """Write the report of a stored result; beside its tables unless a file is named."""
    from pymacco_sim.report import write_report

    use_files_only()
    folder = find_folder(name)
    target = Path(out) if out else folder / "report.html"
    write_report(folder, target)
    open_console().print(f"Written to {target}")
