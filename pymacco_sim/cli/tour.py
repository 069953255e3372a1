"""What greets a newcomer: the start page, and a tour in half a minute."""

from __future__ import annotations

import time
from typing import Any

from pymacco_sim.cli.output import open_console, show_rows
from pymacco_sim.wording import with_error

START = """\
pymacco-sim plays millions of games of Macke, Tomacco, Threes and Macao under strategies you choose,
and gives the answer with an honest error bar.

  a tour in half a minute     pymacco-sim demo
  what can be played          pymacco-sim games
  which strategies there are  pymacco-sim policies macke
  one line-up                 pymacco-sim run macke points:250 optimal
  at how many points to stop  pymacco-sim sweep macke points --threshold 50:600:50
  is one better than another  pymacco-sim compare macke points:250 points:350
  who is strongest            pymacco-sim tournament macke points:250 points:350 dice
  what a house rule changes   pymacco-sim compare-rules tomacco lowest --rules tomacco --rules "four:run_to_burn=4"
  what to do with a roll      pymacco-sim advise macke --roll 1,1,5,2,4 --points 300
  how far from the optimum    pymacco-sim evaluate macke points:250 optimal
  watch one game              pymacco-sim replay macke points:250 optimal --seed 1

All commands: pymacco-sim --help. One of them: pymacco-sim sweep --help."""

SEED = 1


def show_start() -> None:
    """Print the start page."""
    open_console().print(START, soft_wrap=True)


def show_tour() -> None:
    """Play the tour: Macke from one game to a clear answer, and one that cannot be given yet."""
    started = time.perf_counter()
    say = open_console().print
    say("Macke: roll five dice, set scoring ones aside, go on or stop; a roll without points loses the turn's points.")
    say("First to 5,000.")
    for step in (_watch, _sweep, _compare, _wonder):
        step(say)
    say(f"\nThat was {_games():,} games in {time.perf_counter() - started:.0f} s. The card games play the same way;")
    say("their engines take half a minute to compile, the first time only. Next: pymacco-sim, or pymacco-sim --help.")


SWEEP, PAIR, FEW = 20_000, 20_000, 1_000


def _games() -> int:
    return 1 + 12 * SWEEP + 2 * (PAIR + FEW)


def _head(say: Any, number: int, what: str, command: str) -> None:
    say(f"\n{number}. {what}", style="bold")
    say(f"$ pymacco-sim {command} --seed {SEED}", style="dim")


def _watch(say: Any) -> None:
    from pymacco_sim.replays import replay

    _head(say, 1, "One game, as it goes.", "replay macke points:250")
    lines = replay("macke", "points:250", seed=SEED).text.splitlines()
    say("\n".join([*lines[:9], f"... {len(lines) - 11} more lines ...", *lines[-2:]]), markup=False)


def _sweep(say: Any) -> None:
    from pymacco_sim.stats.best import find_best
    from pymacco_sim.sweeps import sweep

    _head(say, 2, "At how many points should I stop?", f"sweep macke points --threshold 50:600:50 -n {SWEEP}")
    table = sweep("macke", "points", {"threshold": "50:600:50"}, n_games=SWEEP, seed=SEED, progress=False)
    errors = (table["score_high"] - table["score_low"]) / 3.92
    best, together = find_best(table["score_mean"].tolist(), errors.tolist(), True)
    marks = ["best" if i == best else "cannot be told from it" if together[i] else "" for i in range(len(table))]
    show_rows(
        [
            {
                "threshold": row["threshold"],
                "points a turn": with_error(row["score_mean"], row["score_low"], row["score_high"]),
                "turns to 5,000": with_error(row["turns_mean"], row["turns_low"], row["turns_high"]),
                "": mark,
            }
            for row, mark in zip(table.to_dict("records"), marks, strict=True)
        ]
    )


def _compare(say: Any) -> None:
    from pymacco_sim.comparison import compare

    _head(say, 3, "Is 250 better than 350? Both play the same dice.", f"compare macke points:250 points:350 -n {PAIR}")
    say(compare("macke", "points:250", "points:350", n_games=PAIR, seed=SEED, progress=False).sentence)


def _wonder(say: Any) -> None:
    from pymacco_sim.comparison import compare

    _head(say, 4, "And 200 or 250, after few games?", f"compare macke points:200 points:250 -n {FEW}")
    say(compare("macke", "points:200", "points:250", n_games=FEW, seed=SEED, progress=False).sentence)
