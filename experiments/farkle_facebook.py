"""The best race of two at Facebook Farkle, busts in a row included: does the first player win 53.487%?

    python experiments/farkle_facebook.py [--target 10000] [--low -2500] [--sweeps 6]

M. Busche (www.mattbusche.org/blog/article/farkle_win_probability) gives 53.487% for two best players, with banked
scores cut off at -2,500. What a position is worth then depends on both totals and on both players' busts in a row. A
bust raises the sum of the two streaks until a penalty sends its player back, so a sweep from the highest totals down is
exact but for the penalties, and a few sweeps are enough. On two cores a sweep takes some minutes at the full target.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from pymacco_sim._jit import jit
from pymacco_sim.exact.model import Model, make_model
from pymacco_sim.exact.optima import place_after_bust, race_turn
from pymacco_sim.exact.solvers import make_space, most_units, needs_by_total
from pymacco_sim.games.registry import find_family


@jit
def sweep_pairs(menus, safe, hot_free, needs, penalty, total, first, last, waits, stop_value, worth, slope, on):
    """Improve all positions whose totals sum to `total`, the higher one `first` to ``last - 1``; returns the change.

    `waits` (float64[streaks, streaks, totals, totals]) holds the chance to win of the player who is not to move, by the
    busts in a row of the one who is and of himself, and by the totals of the one who is and his own.
    """
    streaks, change = waits.shape[0], 0.0
    for high in range(first, last):
        for both in range(2 * streaks - 2, -1, -1):
            for s in range(max(0, both - streaks + 1), min(streaks - 1, both) + 1):
                t = both - s
                for turn in range(2 if high != total - high else 1):
                    own = high if turn == 0 else total - high
                    rival = total - own
                    after, place = place_after_bust(s, own, streaks, penalty)
                    lose = waits[t, after, rival, place]
                    found, _ = race_turn(
                        menus, safe, hot_free, needs[own], own, rival, lose, waits[t, 0], stop_value, worth, slope, on
                    )
                    change = max(change, abs(1.0 - found - waits[s, t, own, rival]))
                    waits[s, t, own, rival] = 1.0 - found
    return change


def solve_race(model: Model, low: int, sweeps: int, tolerance: float = 1e-10) -> tuple[float, int]:
    """Return the first player's chance to win, and the number of sweeps; `low` is the lowest total in units."""
    n, streaks = model.n_totals - low, model.n_streaks
    waits = np.full((streaks, streaks, n, n), 0.5)
    given = (model.best, model.safe, model.hot_free, needs_by_total(model, low), model.penalty)
    spaces = [make_space(model, most_units(model, n)) for _ in range(os.cpu_count() or 1)]
    with ThreadPoolExecutor(len(spaces)) as pool:
        for sweep in range(1, sweeps + 1):
            started, change = time.perf_counter(), 0.0
            for total in range(2 * n - 2, -1, -1):
                cuts = np.linspace(-(-total // 2), min(n - 1, total) + 1, len(spaces) + 1).astype(int)
                work = [
                    pool.submit(sweep_pairs, *given, total, first, last, waits, *space)
                    for first, last, space in zip(cuts[:-1], cuts[1:], spaces, strict=True)
                    if last > first
                ]
                change = max([change, *(part.result() for part in work)])
            share, seconds = 1.0 - waits[0, 0, -low, -low], time.perf_counter() - started
            print(f"sweep {sweep}: {share:.7f} (largest change {change:.1e}), {seconds:.0f} s", flush=True)
            if change < tolerance:
                break
    return float(share), sweep


def main() -> None:
    """Solve and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", type=int, default=10_000)
    parser.add_argument("--low", type=int, default=-2500, help="banked points below which none are told apart")
    parser.add_argument("--sweeps", type=int, default=6, help="most sweeps")
    asked = parser.parse_args()
    model = make_model(find_family("macke").make_rules("farkle-facebook", {"target": asked.target}))
    share, _ = solve_race(model, asked.low // model.unit, asked.sweeps)
    print(f"Of two best players the first wins {share:.5%}; published for a target of 10,000: 53.487%.")


if __name__ == "__main__":
    main()
