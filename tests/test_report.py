"""Reports: self-contained, escaped, true to the intervals, the same every time, and right to repeat by."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from pymacco_sim._check import RequestError
from pymacco_sim.cli.app import command
from pymacco_sim.report import make_report, write_report
from pymacco_sim.report.details import repeat_text, toml_text
from pymacco_sim.report.findings import find
from pymacco_sim.store import read_manifest, read_table

from .browser import PROGRAM, Browser

COMMANDS = {
    "alone": "run macke points:350 -n 2000 --seed 1",
    "race": "run macke points:250 points:350 -n 2000 --seed 1 --seating rotate --rule target=3000",
    "sweep": "sweep macke points --threshold 200:400:50 --keep all,fewest -n 1000 --seed 1",
    "compare": "compare macke points:200 points:350 -n 1000 --seed 1",
    "close": "compare macke points:200 points:250 -n 100 --seed 1",
    "tournament": "tournament macke points:200 points:350 points:250 --players 2 -n 500 --seed 1",
    "rules": "compare-rules macke points:250 points:350 --rules macke --rules <stop>:hot_dice=may_stop -n 500 --seed 1",
    "until": "run macke points:250 --until 3 -n 20000 --seed 1",
}


def run(line: str, out: Path | str) -> None:
    command.main([*line.split(), "--quiet", "--out", str(out)], standalone_mode=False)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    base = tmp_path_factory.mktemp("results")

    def make(name: str) -> Path:
        if not (base / name).exists():
            run(COMMANDS[name], base / name)
        return base / name

    return make


class Reader(HTMLParser):
    """Checks that tags match, and collects what a page refers to."""

    VOID = ("meta", "link", "img", "br")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.refers: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.refers += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", COMMANDS)
def test_needs_nothing_but_itself(result: Callable[[str], Path], name: str) -> None:
    text = make_report(result(name))
    reader = Reader()
    reader.feed(text)
    assert not reader.open
    assert "script" not in reader.tags
    assert all(refer.startswith("data:") for refer in reader.refers)
    assert not re.search(r"@import|url\(", text)
    assert len(text) < 2_000_000


@pytest.mark.parametrize("name", COMMANDS)
def test_says_everything(result: Callable[[str], Path], name: str) -> None:
    text = make_report(result(name))
    for heading in ("Findings", "Figure", "Tables", "Set-up", "How to repeat it"):
        assert f"<h2>{heading}</h2>" in text
    assert "data:image/svg+xml;base64," in text
    assert 'class="findings"' in text
    assert "nan" not in re.sub(r"<style>.*?</style>|base64,[^\"]*", "", text, flags=re.S).lower().replace(
        "dominance", ""
    )


def test_same_files_same_page(result: Callable[[str], Path], tmp_path: Path) -> None:
    assert make_report(result("compare")) == make_report(result("compare"))
    write_report(result("compare"), tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == make_report(result("compare"))


def test_what_users_write_is_escaped(result: Callable[[str], Path]) -> None:
    text = make_report(result("rules"))
    assert "<stop>" not in text
    assert "&lt;stop&gt;" in text


def test_close_candidates_are_not_told_apart(result: Callable[[str], Path]) -> None:
    text = make_report(result("close"))
    assert '<li class="open"><span class="mark">Cannot tell</span>Cannot tell at 100 games each' in text


def test_clear_answer_is_called_clear(result: Callable[[str], Path]) -> None:
    assert '<li class="clear"><span class="mark">Clear</span>points:200 is better' in make_report(result("compare"))


def test_every_claim_of_a_sweep_agrees_with_its_intervals(result: Callable[[str], Path]) -> None:
    table = read_table(result("sweep"))
    main = find("sweep", {"table": table}, read_manifest(result("sweep")))[0]
    best = table.loc[table["score_mean"].idxmax()]
    rivals = table[(table["score_high"] >= best["score_low"]) & (table.index != best.name)]
    assert f"highest with threshold {best['threshold']}" in main.text
    assert (main.clear is False) >= (len(rivals) > 0)


def test_sweep_without_differences_says_so(result: Callable[[str], Path]) -> None:
    table = read_table(result("sweep")).assign(score_mean=100.0, score_low=90.0, score_high=110.0)
    found = find("sweep", {"table": table}, {})
    assert found[0].clear is False
    assert "no setting can be told from any other" in found[0].text


def test_seats_near_an_equal_share_are_not_judged(result: Callable[[str], Path]) -> None:
    row = {"seat": 0, "policy": "a", "n_games": 100, "win_share": 0.52, "win_low": 0.45, "win_high": 0.59}
    seats = pd.DataFrame([row, {**row, "seat": 1, "policy": "b", "win_share": 0.3, "win_low": 0.2, "win_high": 0.4}])
    totals = read_table(result("race"), "totals")
    found = find("run", {"table": seats, "totals": totals}, {})
    assert [finding.clear for finding in found[:2]] == [False, True]


@pytest.mark.parametrize("name", COMMANDS)
def test_repeats_by_what_it_says(
    result: Callable[[str], Path], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = repeat_text(name, read_manifest(result(name)))
    assert unescape(text) == text
    assert text.splitlines()[0] in unescape(make_report(result(name)))
    for line in text.splitlines():
        if line.startswith("pymacco-sim"):
            Path(f"{name}.toml").write_text(text.split("# then")[0], encoding="utf-8")
            command.main([*line.split()[1:], "--quiet"], standalone_mode=False)
    again = Path("results") / f"{name}-again"
    pd.testing.assert_frame_equal(read_table(again), read_table(result(name)))


def test_toml_comes_back() -> None:
    request = {"question": 'A "why"?', "n": 3, "x": [1, 2], "rule sets": {"a b": {"c": True}, "d": {}}, "m": [{"k": 1}]}
    assert tomllib.loads(toml_text(request)) == request


def test_damage_is_refused(tmp_path: Path) -> None:
    run("compare macke points:200 points:350 -n 100 --seed 1", tmp_path / "one")
    (tmp_path / "one" / "table.csv").write_text("changed")
    with pytest.raises(RequestError, match="damaged"):
        make_report(tmp_path / "one")


def test_command_writes_where_it_is_told(result: Callable[[str], Path], tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    command.main(["report", str(result("alone")), "-o", str(out)], standalone_mode=False)
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.browser
@pytest.mark.skipif(PROGRAM is None, reason="no Chromium here; apt-get install chromium, then this looks at the pages")
@pytest.mark.parametrize("name", ["sweep", "rules", "race", "tournament", "compare"])
def test_fits_its_window(result: Callable[[str], Path], name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_report(result(name), page)
    with Browser(tmp_path / "profile") as browser:
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                browser.open(page, width, scheme)
                assert browser.run("document.documentElement.scrollWidth") <= width
                assert browser.run("document.images[0].naturalWidth") > 0
                assert browser.complaints() == []
                paper, ink = (browser.run(f"getComputedStyle(document.body).{c}") for c in ("backgroundColor", "color"))
                assert contrast(paper, ink) > 7
        browser.open(page, 700, "dark", media="print")
        assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert browser.run("document.documentElement.scrollWidth") <= 700


def contrast(one: str, two: str) -> float:
    """Return the contrast of two CSS colours by WCAG's definition."""

    def light(color: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted((light(one), light(two)))
    return (bright + 0.05) / (dark + 0.05)
