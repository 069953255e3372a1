"""The notebooks run as they stand and come to the numbers that are stored with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
names = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 5


@names
def test_outputs_are_stored_without_errors_and_paths(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    kinds = [output["output_type"] for cell in cells for output in cell["outputs"]]
    assert "error" not in kinds
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell["outputs"])
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(mark in text for mark in ("site-packages", "/home/", "/tmp/", "/root/", "Traceback"))
    assert len(text) < 400_000


def shown_numbers(cells: Iterable[Any]) -> list[list[str]]:
    """All numbers in the texts that each code cell shows."""
    found = []
    for cell in cells:
        if cell["cell_type"] == "code":
            texts = ["".join(o["text"]) for o in cell["outputs"] if o.get("name") == "stdout"]
            for output in cell["outputs"]:
                data = output.get("data", {})
                if "image/png" not in data:
                    texts += ["".join(data.get("text/html", data.get("text/markdown", "")))]
            plain = re.sub(r"<style.*?</style>|<[^>]*>", " ", " ".join(texts), flags=re.DOTALL)
            found.append(re.findall(r"\d[\d.,]*", plain))
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@names
def test_runs(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbclient: pip install 'pymacco-sim[notebook]'")
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient: pip install 'pymacco-sim[notebook]'")
    pytest.importorskip("ipykernel", reason="needs ipykernel: pip install 'pymacco-sim[notebook]'")
    notebook = nbformat.read(path, as_version=4)
    stored = shown_numbers(notebook["cells"])
    place = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources=place).execute()
    assert sum(map(len, stored)) > 20
    assert shown_numbers(notebook["cells"]) == stored
