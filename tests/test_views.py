"""What a notebook shows of a result."""

from __future__ import annotations

import subprocess
import sys
from html import escape
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest

import pymacco_sim as pm

MADE = {
    "alone": lambda: pm.simulate("macke", "points:350", n_games=500),
    "race": lambda: pm.simulate("macke", ["points:250", "points:350"], n_games=500),
    "compare": lambda: pm.compare("macke", "points:200", "points:350", n_games=500),
    "tournament": lambda: pm.tournament("macke", ["points:200", "points:350"], players=2, n_games=500),
    "rules": lambda: pm.compare_rules("macke", {"<a>": {}, "b & c": {"target": 3000}}, "points", n_games=500),
}


class Balance(HTMLParser):
    """Fails where tags do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", MADE)
def test_view_is_sound_and_has_errors_on_it(name: str) -> None:
    found: Any = MADE[name]()
    view = found._repr_html_()
    reader = Balance()
    reader.feed(view)
    assert not reader.open
    assert "±" in view
    assert "nan" not in view
    assert "<a>" not in view


def test_a_notebook_shows_an_error_in_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pm.RequestError) as caught:
        pm.simulate("threes", ["lowst", "random"])
    shown = caught.value._render_traceback_()
    assert len(shown) == 2
    assert shown[0].endswith(': pm.simulate("threes", ["lowst", "random"])')
    assert shown[1] == f"RequestError: {caught.value}"
    monkeypatch.setenv("PYMACCO_DEBUG", "1")
    assert "registry.py" in "".join(caught.value._render_traceback_())


def test_ipython_asks_the_error_how_to_show_itself() -> None:
    pytest.importorskip("IPython")
    cell = "import pymacco_sim as pm\npm.rules('chess')"
    command = [sys.executable, "-m", "IPython", "--HistoryManager.enabled=False", "-c", cell]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    shown = done.stdout.strip().splitlines()
    assert shown[0] == "line 2: pm.rules('chess')"
    assert len(shown) == 2


def test_listings_show_their_words_in_full() -> None:
    for table in (pm.games(), pm.policies("macao")):
        view = table._repr_html_()
        assert all(escape(words) in view for words in table["words"])
        assert type(table.head()) is pd.DataFrame
