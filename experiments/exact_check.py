"""Simulation against the exact values: many policies, many turns, every figure.

    python experiments/exact_check.py [-n 1e8] [--sessions]

Prints how far each estimate is from the exact value in standard errors, and how many 95% intervals hold it. With
common dice the policies' errors hang together; `--independent` gives each policy dice of its own.
"""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest

import pymacco_sim as pm

POLICIES = (
    *(f"points:{t}" for t in range(50, 1001, 50)),
    *(f"points:{t}:keep=fewest" for t in (200, 300, 400, 600)),
    *(f"points:{t}:keep=best" for t in (200, 300, 400)),
    *(f"dice:{t}" for t in (1, 2, 3, 4)),
    *(f"rolls:{t}" for t in (1, 2, 3, 4)),
    *(f"bust:{t}" for t in (0.2, 0.3, 0.5)),
    *(f"either:{t}:2" for t in (300, 400, 600)),
    *(f"both:{t}:3" for t in (200, 300)),
    "expected",
    "expected:keep=fewest",
    "optimal",
)
FIGURES = {"score": "score_mean", "bust": "bust_share", "rolls": "rolls_mean", "hot_dice": "hot_dice_share"}
Z95 = 1.959964


def main() -> None:
    """Play and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", default="1e8", help="turns a policy (default 1e8)")
    parser.add_argument("--sessions", action="store_true", help="whole sessions instead of single turns")
    parser.add_argument("--independent", action="store_true", help="dice of its own for each policy")
    parser.add_argument("--seed", type=int, default=2026)
    asked = parser.parse_args()
    table = Table("policy", *(f"{name}, z" for name in FIGURES), title=f"{asked.n} games a policy")
    scores: list[float] = []
    scope = "session" if asked.sessions else "turn"
    for index, policy in enumerate(POLICIES):
        seed = asked.seed + index * asked.independent
        totals = pm.simulate("macke", policy, n_games=asked.n, seed=seed, scope=scope, exact=True).totals
        own = []
        for name, column in FIGURES.items():
            error = (totals[f"{name}_high"] - totals[f"{name}_low"]) / 2 / Z95
            off = totals[column] - totals[f"{name}_exact"]
            own.append(off / error if error > 1e-12 else 0.0)
            scores += [own[-1]] if error > 1e-12 else []
        table.add_row(policy, *(f"{z:+.2f}" for z in own))
    inside = sum(abs(z) <= Z95 for z in scores)
    span = binomtest(inside, len(scores)).proportion_ci()
    console = Console(width=110)
    console.print(table)
    console.print(
        f"{len(POLICIES)} policies, {len(scores)} estimates: farthest {max(map(abs, scores)):.2f} standard errors; "
        f"{inside} in their 95% intervals, {inside / len(scores):.3f} ({span.low:.3f} .. {span.high:.3f})."
    )


if __name__ == "__main__":
    main()
