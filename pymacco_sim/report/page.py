"""The page: HTML and its style, readable by day, by night, on a phone and on paper."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from pymacco_sim.report.findings import Finding

STYLE = """
:root { color-scheme: light dark; --ink: #1c1f23; --soft: #59616b; --paper: #ffffff; --line: #d7dbe0;
  --box: #f3f5f7; --clear: #0b6e4f; --open: #8a5a00; --accent: #0062a3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #a3abb5; --paper: #15181b; --line: #383e45;
  --box: #1f2429; --clear: #6fd3ab; --open: #efbe6a; --accent: #7cc0f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1.2rem; text-wrap: balance; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
ul.findings { list-style: none; margin: 0; padding: 0; }
ul.findings li { margin: .5rem 0; padding: .1rem 0 .1rem .8rem; border-left: 3px solid var(--line); }
ul.findings li.clear { border-color: var(--clear); }
ul.findings li.open { border-color: var(--open); }
ul.findings li:first-child { font-size: 1.08rem; padding: .7rem .9rem; background: var(--box);
  border-radius: 0 .4rem .4rem 0; }
.mark { font-size: .8rem; font-weight: 600; margin-right: .35rem; }
.clear .mark { color: var(--clear); } .open .mark { color: var(--open); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; }
.scroll:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; min-width: 100%; }
th, td { padding: .35rem .7rem; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); vertical-align: bottom; }
tbody tr:nth-child(even) { background: var(--box); }
figure { margin: 0; }
figure img { display: block; min-width: 30rem; width: 100%; max-width: 52rem; height: auto; margin: 0 auto; }
.canvas { background: #ffffff; padding: .6rem; }
.note { color: var(--soft); font-size: .88rem; margin: .4rem 0; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .35rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem; margin: .4rem 0;
  font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 34rem) { h1 { font-size: 1.35rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; } }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --line: #bbb; --box: #f3f3f3;
    --clear: #0b6e4f; --open: #8a5a00; }
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; border: 0; }
  table { font-size: 7.5pt; min-width: 0; width: 100%; } th, td { white-space: normal; padding: .2rem .35rem; }
  thead { display: table-header-group; } tr, figure, ul.findings li { break-inside: avoid; }
  h2, h3 { break-after: avoid; } figure img { min-width: 0; max-width: 17cm; }
}
"""

READING = (
    "Every estimate has a 95% interval; ± is its wider half. Each interval is right in 95 of 100 such runs by itself, "
    "so of many intervals some miss. Games that share a deal count as one unit. “Cannot tell” means that the "
    "difference may be nothing: it is no proof that there is none."
)


@dataclass(frozen=True)
class Page:
    """What a report holds.

    Parameters
    ----------
    question : str
    findings : list of Finding
        The main one first.
    figure : str
        Data URI of a picture; empty for none.
    tables : list of (heading, HTML, note)
    setup : list of (term, words)
    repeat : str
        What to type.
    """

    question: str
    findings: list[Finding]
    figure: str
    tables: list[tuple[str, str, str]]
    setup: list[tuple[str, str]]
    repeat: str


def render(page: Page) -> str:
    """Return a page as HTML: style and pictures inside, no script, nothing to fetch.

    Examples
    --------
    >>> text = render(Page("Is <b> better?", [Finding("Yes.", True)], "", [], [("Game", "macke")], "pymacco-sim games"))
    >>> "Is &lt;b&gt; better?" in text
    True
    """
    parts = [f"<h1>{escape(page.question)}</h1>", "<section><h2>Findings</h2>", _findings(page.findings)]
    parts.append(f'<p class="note">{READING}</p></section>')
    if page.figure:
        alt = escape(f"Figure to the question: {page.question} The tables below hold its values.")
        parts.append(
            '<section><h2>Figure</h2><figure class="scroll canvas" tabindex="0" role="region" aria-label="Figure">'
            f'<img src="{page.figure}" alt="{alt}"></figure></section>'
        )
    parts.append("<section><h2>Tables</h2>")
    for heading, table, note in page.tables:
        parts.append(f"<h3>{escape(heading)}</h3>")
        parts.append(f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(heading)}">{table}</div>')
        parts.append(f'<p class="note">{escape(note)}</p>' if note else "")
    terms = "".join(f"<dt>{escape(term)}</dt><dd>{escape(words)}</dd>\n" for term, words in page.setup)
    parts.append(f"</section><section><h2>Set-up</h2><dl>{terms}</dl></section>")
    parts.append(
        f"<section><h2>How to repeat it</h2><pre>{escape(page.repeat)}</pre>"
        '<p class="note">Same version, same seed, same games: bit for bit, whatever the machine and the number of '
        "workers.</p></section>"
    )
    return _frame(page.question, "\n".join(part for part in parts if part))


def _findings(findings: list[Finding]) -> str:
    items = []
    for text, clear in findings:
        name, mark = ("", "") if clear is None else ("clear", "Clear") if clear else ("open", "Cannot tell")
        shown = f'<span class="mark">{mark}</span>' if mark else ""
        items.append(f'<li class="{name}">{shown}{escape(text)}</li>' if name else f"<li>{escape(text)}</li>")
    return f'<ul class="findings">{"".join(items)}</ul>'


def _frame(title: str, body: str) -> str:
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n"
        "</html>\n"
    )
