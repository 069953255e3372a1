"""Speed as a ratio: the engines against C programs that do the same work, alternating in one run.

    python experiments/benchmark.py [--yardstick ../shared/yardstick] [--rounds 5] [name ...]
    python experiments/benchmark.py --laboratory [--rounds 5] [name ...]

One thread, CPU time of both; our side is `pm.simulate` with its counting, after one warm-up. The C sources are
compiled with gcc -O3 -march=native; where they are absent the ratios are skipped.

With --laboratory: `pm.compare` against the bare `pm.simulate` of the games that it plays, as many and with the same
seating: the first candidate's table and the second's, or a single one where two policies meet at a table of two
(both tables then hold the same games).
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import pymacco_sim as pm

HERE = Path(__file__).parent
USER = HERE / "user_policies.py"


@dataclass(frozen=True)
class Case:
    """One line: a C program with its arguments, and the same work here."""

    name: str
    goal: float
    program: str
    n_games: int
    game: str
    policies: Any
    unit: str = "games"
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        """The C program's arguments, without its seed."""
        words = self.name.replace("user's ", "").split()
        if self.program == "macke":
            return ["table", str(max(self.n_games, 2_000_000)), "350"]
        if self.program == "shithead":
            return [words[0], "4", words[1], str(self.n_games)]
        return ["match", "4", words[1], str(self.n_games)]


CASES = (
    Case("macke points:350", 3.0, "macke", 2_000_000, "macke", "points:350"),
    Case("macke optimal", 2.0, "macke", 2_000_000, "macke", "optimal", "turns"),
    Case("macke rolls:2:fewest", 2.0, "macke", 1_000_000, "macke", "rolls:2:fewest", "turns"),
    Case("macke user's table", 2.0, "macke", 2_000_000, "macke", f"{USER}:stop_at:350"),
    Case("macke race of two", 1.0, "macke", 1_000_000, "macke", ["points:350", "points:350"], "turns"),
    Case("threes lowest", 0.8, "shithead", 100_000, "threes", "lowest"),
    Case("tomacco lowest", 0.8, "shithead", 200_000, "tomacco", "lowest"),
    Case("threes random", 0.5, "shithead", 10_000, "threes", "random"),
    Case("tomacco random", 0.5, "shithead", 50_000, "tomacco", "random"),
    Case("threes user's lowest", 0.5, "shithead", 100_000, "threes", f"{USER}:users_lowest"),
    Case("tomacco user's lowest", 0.5, "shithead", 200_000, "tomacco", f"{USER}:users_lowest"),
    Case("macao greedy", 0.7, "macao", 50_000, "macao", "greedy", "hands"),
    Case("macao thrifty", 0.7, "macao", 50_000, "macao", "thrifty", "hands"),
    Case("macao random", 0.7, "macao", 10_000, "macao", "random", "hands"),
    Case("macao user's greedy", 0.5, "macao", 50_000, "macao", f"{USER}:users_greedy", "hands"),
)


@dataclass(frozen=True)
class Duel:
    """One line of the laboratory: two policies to compare at a table."""

    name: str
    game: str
    a: str
    b: str
    players: int
    n_games: int

    @property
    def tables(self) -> list[Any]:
        """The line-ups that are played."""
        if self.players == 1:
            return [self.a, self.b]
        tables = [[one, *[other] * (self.players - 1)] for one, other in ((self.a, self.b), (self.b, self.a))]
        return tables[:1] if self.players == 2 else tables


DUELS = (
    Duel("macke sessions", "macke", "points:250", "points:350", 1, 10_000_000),
    Duel("macke races of two", "macke", "points:250", "points:350", 2, 4_000_000),
    Duel("macke races of four", "macke", "points:250", "points:350", 4, 1_000_000),
    Duel("threes of four", "threes", "lowest", "highest", 4, 100_000),
    Duel("threes of two", "threes", "lowest", "highest", 2, 200_000),
    Duel("macao of four", "macao", "greedy", "thrifty", 4, 20_000),
)
GOAL = 1.3
"""Most that a comparison may take, in times of the bare simulation."""


def time_duel(duel: Duel, seed: int) -> tuple[float, float]:
    """Return CPU seconds of a comparison and of the bare simulation of its games."""
    settings: dict[str, Any] = {"n_games": duel.n_games, "seed": seed, "n_jobs": 1, "progress": False}
    started = time.process_time()
    pm.compare(duel.game, duel.a, duel.b, players=duel.players, **settings)
    compared = time.process_time()
    for table in duel.tables:
        pm.simulate(duel.game, table, seating="rotate", **settings)
    return compared - started, time.process_time() - compared


def time_laboratory(names: list[str], rounds: int) -> Table:
    """Return the table of comparisons against bare simulations."""
    table = Table("case", "games each", "compare", "simulate", "ratio", "lowest .. highest", "goal", "")
    for duel in DUELS:
        if names and not any(name in duel.name for name in names):
            continue
        time_duel(duel, 0)
        pairs = [time_duel(duel, seed) for seed in range(1, rounds + 1)]
        ratios = sorted(compared / bare for compared, bare in pairs)
        ratio = statistics.median(ratios)
        table.add_row(
            duel.name,
            f"{duel.n_games:,}",
            *(f"{statistics.median(column):.2f} s" for column in zip(*pairs, strict=True)),
            f"{ratio:.2f}",
            f"{ratios[0]:.2f} .. {ratios[-1]:.2f}",
            f"{GOAL}",
            "ok" if ratio <= GOAL else "above",
        )
    return table


def count_units(result: Any, unit: str) -> float:
    """Return how many games, turns or hands a result holds."""
    if unit == "games":
        return float(result.counts.n_games)
    return float(result.counts.sums[result.plan.find(unit)][0])


def time_ours(case: Case, seed: int) -> float:
    """Return units per CPU second of one run."""
    started = time.process_time()
    result = pm.simulate(case.game, case.policies, n_games=case.n_games, seed=seed, n_jobs=1, progress=False)
    return count_units(result, case.unit) / (time.process_time() - started)


def time_theirs(case: Case, folder: Path, seed: int) -> float:
    """Return units per CPU second of the C program."""
    run = subprocess.run([folder / case.program, *case.command, str(seed)], capture_output=True, text=True, check=True)
    line = json.loads(run.stdout)
    if case.program == "macke":
        return line["sessions_per_s"] * (line["turns_per_session"] if case.unit == "turns" else 1)
    return line[f"{case.unit}_per_s"]


def compile_programs(sources: Path, folder: Path) -> bool:
    """Compile the C programs; say why if that cannot be."""
    if not sources.is_dir() or shutil.which("gcc") is None:
        Console().print(f"No C programs at {sources} (or no gcc): ratios are skipped.")
        return False
    for source in sources.glob("*.c"):
        subprocess.run(["gcc", "-O3", "-march=native", "-o", folder / source.stem, source], check=True)
    return True


def main() -> None:
    """Time every case and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yardstick", type=Path, default=HERE.parent.parent / "shared" / "yardstick")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--laboratory", action="store_true", help="comparisons against bare simulations")
    parser.add_argument("names", nargs="*", help="only cases whose names contain one of these")
    wanted = parser.parse_args()
    if wanted.laboratory:
        Console(width=110).print(time_laboratory(wanted.names, wanted.rounds))
        return
    table = Table("case", "ours / s", "C / s", "ratio", "lowest .. highest", "goal", "")
    with tempfile.TemporaryDirectory() as folder:
        has_c = compile_programs(wanted.yardstick, Path(folder))
        for case in CASES:
            if wanted.names and not any(name in case.name for name in wanted.names):
                continue
            time_ours(case, 0)
            ours, theirs = [], []
            for seed in range(1, wanted.rounds + 1):
                ours.append(time_ours(case, seed))
                theirs.append(time_theirs(case, Path(folder), seed) if has_c else float("nan"))
            ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True))
            ratio = statistics.median(ratios)
            table.add_row(
                case.name,
                f"{statistics.median(ours):,.0f} {case.unit}",
                f"{statistics.median(theirs):,.0f}",
                f"{ratio:.2f}",
                f"{ratios[0]:.2f} .. {ratios[-1]:.2f}",
                f"{case.goal:.1f}",
                "ok" if ratio >= case.goal else "" if ratio != ratio else "below",
            )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
