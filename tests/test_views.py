"""What a notebook shows of a result."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

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
