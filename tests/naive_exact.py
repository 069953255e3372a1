"""Plain value iteration on the referee's choices: slow, for targets of a few hundred points, and written apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

from .referee import macke as referee

DICE = 5
Menu = tuple[tuple[int, int], ...]


@cache
def menus(dice: int) -> tuple[tuple[Menu, float], ...]:
    """What a roll may offer, with its chance."""
    found: Counter[Menu] = Counter()
    for roll, chance in referee.roll_classes({}, dice):
        found[tuple(sorted(referee.set_asides({}, roll)))] += float(chance)
    return tuple(found.items())


def best_turn(goal: int, stop: Callable[[int], float], bust: float, rounds: int = 40) -> float:
    """Value of a turn from nothing when `goal` more points are enough; `stop` tells what points are worth."""
    value = {(points, dice): bust for points in range(0, goal + 1, 50) for dice in range(1, DICE + 1)}
    for _ in range(rounds):
        for points, dice in sorted(value, reverse=True):
            mean = 0.0
            for menu, chance in menus(dice):
                worth = [bust] if not menu else []
                for gain, left in menu:
                    after = min(points + gain, goal)
                    on = value[after, left or DICE]
                    worth.append(max(on, stop(after)) if left else on)
                mean += chance * max(worth)
            value[points, dice] = mean
    return value[0, DICE]


def fewest_turns(target: int, sweeps: int = 40) -> dict[int, float]:
    """Fewest mean turns to the target, by banked total."""
    turns = dict.fromkeys(range(0, target, 50), 1.0)
    for _ in range(sweeps):
        for total in sorted(turns, reverse=True):
            left = target - total
            turns[total] = 1.0 - best_turn(left, lambda p, at=total: -turns.get(at + p, 0.0), -turns[total], rounds=3)
    return turns


def race_chances(target: int, sweeps: int = 40) -> dict[tuple[int, int], float]:
    """Chance to win of the player to move when both play best, by the player's and the rival's total."""
    totals = range(0, target, 50)
    wins = {(own, rival): 0.5 for own in totals for rival in totals}
    for _ in range(sweeps):
        for own, rival in sorted(wins, reverse=True):

            def stop(points: int, own: int = own, rival: int = rival) -> float:
                return 1.0 if own + points >= target else 1.0 - wins[rival, own + points]

            wins[own, rival] = best_turn(target - own, stop, 1.0 - wins[rival, own], rounds=3)
    return wins


def streak_chances(target: int, penalty: int, lowest: int, sweeps: int = 25) -> dict[tuple[int, int, int, int], float]:
    """The same where two busts in a row cost a penalty, by both players' busts in a row and both totals."""
    totals = range(lowest, target, 50)
    wins = {(s, t, own, rival): 0.5 for s in (0, 1) for t in (0, 1) for own in totals for rival in totals}
    for _ in range(sweeps):
        for s, t, own, rival in sorted(wins, key=lambda place: -sum(place[2:])):

            def stop(points: int, own: int = own, rival: int = rival, t: int = t) -> float:
                return 1.0 if own + points >= target else 1.0 - wins[t, 0, rival, own + points]

            after, place = (1, own) if s == 0 else (0, max(own - penalty, lowest))
            wins[s, t, own, rival] = best_turn(target - own, stop, 1.0 - wins[t, after, rival, place], rounds=3)
    return wins
