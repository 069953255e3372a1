"""Recorded sessions and races, roll by roll, against the plain-Python referee; transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from pymacco_sim.games.macke import GAME
from pymacco_sim.games.macke.setup import Setup

from .macke_tools import make_setup, play, referee_rules
from .referee import macke as referee

GOLDEN = Path(__file__).parent / "data" / "golden" / "macke.txt"


def near_target(banked: int, target: int) -> Callable[[referee.Turn], bool]:
    return lambda turn: banked + turn.points >= target


STOP_RULES: dict[str, tuple[str, Any, Callable[[Iterable[referee.Choice]], referee.Choice], bool]] = {
    "points:350": ("points", 350, referee.take_all, False),
    "points:0": ("points", 0, referee.take_all, False),
    "points:250:special=finish": ("points", 250, referee.take_all, True),
    "dice:3": ("dice", 3, referee.take_all, False),
    "rolls:3:special=fewest+finish": ("rolls", 3, referee.fewest, True),
    "bust:0.3": ("bust", 0.3, referee.take_all, False),
    "either:300:2": ("either", (300, 2), referee.take_all, False),
    "both:300:3:keep=fewest": ("both", (300, 3), referee.fewest, False),
    "expected": ("expected", None, referee.take_all, False),
}
"""Built-in policies in the referee's words: stop rule, threshold, keep rule, whether to stop at the target."""


def judge(setup: Setup, game: int) -> referee.Race:
    """Replay one recorded game with the referee, which must agree with every roll."""
    rules = referee_rules(setup.cell.rules)  # type: ignore[arg-type]
    rows = iter(GAME.record(setup, game))
    shift = game % setup.cell.unit
    assert next(rows)["event"] == "start"
    race = referee.Race(rules, setup.cell.n_seats)
    while not race.over:
        seat = race.to_play
        assert seat is not None
        banked, turn = race.totals[seat], race.new_turn()
        spec = setup.cell.entrants[(seat - shift) % setup.cell.n_seats].label
        while not turn.over:
            row = next(rows)
            assert (row["event"], row["seat"], row["before"]) == ("roll", seat, turn.points)
            assert row["roll"] == turn.rolls + 1
            choices = turn.roll(row["dice"])
            assert choices == {tuple(choice) for choice in row["choices"]}
            assert row["bust"] == (not choices)
            if choices:
                turn.keep(row["kept"], row["dice_left"])
                if spec in STOP_RULES:
                    method, threshold, keep, finish = STOP_RULES[spec]
                    assert (row["kept"], row["dice_left"]) == keep(choices)
                    wish = referee.wants_to_stop(method, threshold, turn)
                    wish = wish or (finish and near_target(banked, rules["target"])(turn))
                    assert row["stop"] == (turn.may_bank and wish)
                if row["stop"]:
                    turn.bank()
        race.end_turn(turn)
        assert row["total"] == race.totals[seat]
    end = next(rows)
    assert end["event"] == "end"
    assert (end["status"] == "finished") == (race.status == "finished")
    assert (end["totals"], end["wins"]) == (race.totals, race.win_shares())
    assert sum(end["turns"]) == race.turns
    assert next(rows, None) is None
    return race


@pytest.mark.parametrize("policy", [*STOP_RULES, "optimal", "points:400:keep=best"])
@pytest.mark.parametrize("preset", ["macke", "farkle", "ten-thousand"])
def test_sessions(policy: str, preset: str) -> None:
    setup = make_setup([policy], {"target": 2500}, preset, seed=21)
    for game in range(12):
        race = judge(setup, game)
        counted = play(setup, 1, first=game)
        assert counted["turns"][0] == race.turns
        assert counted["score"][0] == race.totals[0]


@pytest.mark.parametrize(
    ("policies", "rules"),
    [
        (["points:350", "dice:3"], {}),
        (["points:350", "expected", "optimal", "rolls:3:special=fewest+finish"], {"last_round": True, "target": 1500}),
        (["points:350", "points:0"], {"min_bank": 150, "min_first_bank": 450, "hot_dice": "may_stop"}),
        (["points:350", "both:300:3:keep=fewest"], {"max_turns": 5}),
        (["points:250:special=finish", "either:300:2"], {"dice": 6, "n_of_a_kind": "x2,1000,x8", "two_triples": 2500}),
    ],
)
def test_races(policies: list[str], rules: dict[str, Any]) -> None:
    setup = make_setup(policies, rules, rotate=True, seed=8)
    for game in range(15):
        race = judge(setup, game)
        counted = play(setup, len(policies), first=game - game % len(policies))
        column = game % len(policies)
        for seat, share in enumerate(race.win_shares()):
            assert counted[f"win_{seat}"][column] == share * 840
            assert counted[f"score_{seat}"][column] == race.totals[seat]


def test_a_penalty_is_booked() -> None:
    setup = make_setup(["points:5000", "points:300"], {"bust_streak": 2, "bust_penalty": 300, "max_turns": 30})
    rows = GAME.record(setup, 3)
    totals, streaks = [0, 0], [0, 0]
    for row in rows:
        if row["event"] != "roll" or not (row["bust"] or row["stop"]):
            continue
        seat = row["seat"]
        streaks[seat] = streaks[seat] + 1 if row["bust"] else 0
        totals[seat] += 0 if row["bust"] else row["points"]
        if streaks[seat] == 2:
            totals[seat], streaks[seat] = totals[seat] - 300, 0
        assert row["total"] == totals[seat]
    assert min(totals) < 0
    assert rows[-1]["totals"] == totals


def test_rows_are_plain_values() -> None:
    rows = GAME.record(make_setup(["points:350", "optimal"]), 5)
    assert json.loads(json.dumps(rows)) == rows


def golden_lines() -> list[str]:
    """Transcripts of a race, of a stalled session and of a single turn."""
    race = make_setup(["points:350", "optimal", "dice:3:special=finish"], {"target": 2000, "last_round": True}, seed=1)
    stalled = make_setup(["points:5000"], {"max_turns": 2}, seed=1)
    turn = make_setup(["points:300"], scope="turn", preset="zilch", seed=4)
    return [line for setup in (race, stalled, turn) for line in GAME.narrate(GAME.record(setup, 17))]


def test_golden_transcript() -> None:
    assert golden_lines() == GOLDEN.read_text(encoding="utf-8").splitlines()
