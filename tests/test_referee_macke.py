"""The referee of Macke against the worked rolls and the exact values."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .referee import macke

DATA = Path(__file__).parent / "data"
ROLLS = json.loads((DATA / "macke_rolls.json").read_text())["rolls"]
VALUES = json.loads((DATA / "macke_values.json").read_text())


def all_outcomes() -> dict[int, list[tuple[float, set[macke.Choice]]]]:
    """Chance and choices of every roll of one to five dice."""
    rolls = {n: macke.roll_classes({}, n) for n in range(1, 6)}
    return {n: [(float(p), macke.set_asides({}, roll)) for roll, p in rolls[n]] for n in rolls}


def greedy_outcomes() -> dict[int, Counter]:
    """Chance of every result of a roll when all scoring dice are taken; None is a bust."""
    results = {n: Counter() for n in range(1, 6)}
    for n, outcomes in all_outcomes().items():
        for p, choices in outcomes:
            results[n][macke.take_all(choices) if choices else None] += p
    return results


@pytest.mark.parametrize("row", ROLLS, ids=["".join(map(str, row["roll"])) for row in ROLLS])
def test_macke_roll(row: dict[str, Any]) -> None:
    choices = macke.set_asides({}, row["roll"])
    assert choices == {(c["points"], c["dice_left"]) for c in row["set_asides"]}
    assert row["macke"] == (not choices)
    if choices:
        assert macke.take_all(choices) == (row["take_all"]["points"], row["take_all"]["dice_left"])
    assert row["can_reset"] == any(left == 0 for _, left in choices)
    assert row["reset_compulsory"] == (bool(choices) and all(left == 0 for _, left in choices))


def turn_law(stop: Callable[[int, int], bool]) -> tuple[Counter, float, float, float]:
    """Law of the turn score, then the chance to bust, the mean rolls and the share with hot dice."""
    outcomes = greedy_outcomes()
    law: Counter = Counter()
    bust = rolls = hot_share = 0.0
    live = Counter({(0, 5, False): 1.0})
    while sum(live.values()) > 1e-15:
        following: Counter = Counter()
        for (points, dice, hot), mass in live.items():
            rolls += mass
            for choice, p in outcomes[dice].items():
                if choice is None:
                    bust, hot_share, law[0] = bust + mass * p, hot_share + hot * mass * p, law[0] + mass * p
                    continue
                gain, left = choice
                if left and stop(points + gain, left):
                    law[points + gain] += mass * p
                    hot_share += hot * mass * p
                else:
                    following[(points + gain, left or 5, hot or not left)] += mass * p
        live = following
    return law, bust, rolls, hot_share


def turns_law(law: Counter, target: int = 5000) -> list[float]:
    """Chance that the session takes 1, 2, 3, ... turns."""
    totals, chances = Counter({0: 1.0}), []
    while sum(totals.values()) > 1e-12:
        after: Counter = Counter()
        for total, mass in totals.items():
            for score, p in law.items():
                after[min(total + score, target)] += mass * p
        chances.append(after.pop(target, 0.0))
        totals = after
    return chances


def test_macke_exact_values() -> None:
    for dice, chance in VALUES["bust_probability_of_n_dice"].items():
        assert str(macke.bust_chance({}, int(dice))) == chance
    sessions = []
    for threshold, row in VALUES["points_threshold"].items():
        law, bust, rolls, hot = turn_law(lambda points, dice, t=int(threshold): points >= t)
        mean = sum(score * p for score, p in law.items())
        variance = sum(score**2 * p for score, p in law.items()) - mean**2
        sessions.append(turns_law(law))
        turns = sum((k + 1) * p for k, p in enumerate(sessions[-1]))
        got = {"mean": mean, "bust": bust, "rolls": rolls, "variance": variance}
        assert got | {"hot_dice_share": hot, "turns_to_5000": turns} == pytest.approx(row, rel=1e-6)
    law, bust, rolls, _ = turn_law(lambda points, dice: dice <= 2)
    got = {"mean": sum(score * p for score, p in law.items()), "bust": bust, "rolls": rolls}
    assert got == pytest.approx(VALUES["dice_threshold"]["2"], rel=1e-6)
    first = sum(p * sum(sessions[1][k:]) for k, p in enumerate(sessions[0]))
    assert first == pytest.approx(VALUES["race_points_200_vs_points_350_first_player_wins"], abs=1e-6)


def test_macke_exact_optimum() -> None:
    outcomes = all_outcomes()
    rolling: dict[tuple[int, int], float] = {}
    stop_at = {}
    for points in range(9000, -1, -50):
        for dice in range(1, 6):
            value = 0.0
            for p, choices in outcomes[dice]:
                after = [(points + gain, left) for gain, left in choices]
                kept = [max(t if left else 0, rolling.get((t, left or 5), t)) for t, left in after]
                value += p * max(kept, default=0)
            rolling[points, dice] = value
            if points >= value:
                stop_at[dice] = points
    assert rolling[0, 5] == pytest.approx(VALUES["optimal_turn_mean"], abs=1e-9)
    wanted = VALUES["optimal_turn_stop_points_by_dice_left"]
    assert {str(dice): stop_at[dice] for dice in range(1, 5)} == wanted


def test_macke_relatives() -> None:
    rules = {"dice": 6, "n_of_a_kind": {4: ("times", 2), 5: ("fixed", 2000)}, "three_pairs": 750}
    rules |= {"straights": {(1, 2, 3, 4, 5, 6): 1500}, "two_triples": 2500}
    best_values = {"123456": 1500, "224466": 750, "222444": 2500, "444411": 1000, "222225": 2050}
    for roll, best in best_values.items():
        assert (best, 0) in macke.set_asides(rules, [int(die) for die in roll])
    assert macke.set_asides(rules, [2, 2, 2, 2, 3, 4]) == {(200, 3), (400, 2)}


def test_macke_turn_and_race() -> None:
    turn = macke.Turn({"min_first_bank": 300})
    turn.roll([1, 5, 2, 2, 3])
    with pytest.raises(macke.IllegalMove):
        turn.keep(1000, 2)
    turn.keep(150, 3)
    assert not turn.may_bank
    turn.roll([2, 2, 2])
    turn.keep(200, 0)
    assert (turn.dice_left, turn.hot_dice, turn.may_bank) == (5, 1, False)
    assert not turn.roll([2, 2, 3, 3, 4])
    assert turn.status == "bust"
    race = macke.Race({"target": 100, "last_round": True, "max_turns": 2}, players=3)
    for dice in ([2, 2, 3, 3, 4], [1, 2, 3, 4, 6], [1, 2, 3, 4, 6]):
        current = race.new_turn()
        macke.play_turn(current, lambda _: True, lambda _, dice=dice: dice)
        race.end_turn(current)
    assert (race.status, race.win_shares()) == ("finished", [0, 0.5, 0.5])


def test_macke_sessions_by_dice() -> None:
    rng, turns, n = random.Random(7), [], 400

    def throw(dice: int) -> list[int]:
        return [rng.randint(1, 6) for _ in range(dice)]

    for _ in range(n):
        session = macke.Session({})
        while not session.over:
            turn = session.new_turn()
            session.end_turn(macke.play_turn(turn, lambda t: macke.wants_to_stop("points", 200, t), throw))
        turns.append(session.turns)
    mean = sum(turns) / n
    se = math.sqrt(sum((t - mean) ** 2 for t in turns)) / n
    assert abs(mean - VALUES["points_threshold"]["200"]["turns_to_5000"]) <= 5 * se
