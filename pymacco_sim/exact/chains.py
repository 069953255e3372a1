"""From turns to sessions and races: how long to the target, and who is there first.

Totals are in units. A streak is the number of busts in a row so far, where the rules have a penalty for it.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from pymacco_sim._jit import jit
from pymacco_sim.exact.model import Model
from pymacco_sim.exact.optima import place_after_bust
from pymacco_sim.exact.strategy import Strategy

TINY = 1e-15
"""Chance of a session that is still going at which its length is not followed further."""

Moves = namedtuple("Moves", "bank done bust")
Moves.__doc__ = """Turns of one player from everywhere.

bank : float64[streaks, totals, rivals, totals], chance that a turn banks to a total below the target;
done : float64[streaks, totals, rivals], chance that it reaches the target;
bust : float64[streaks, totals, rivals]. A rival axis of length 1 serves all.
"""


def list_moves(strategy: Strategy, low: int) -> Moves:
    """Return the turns of a strategy from every total from `low` units on."""
    model = strategy.model
    n_own = model.n_totals - low
    n_rivals = n_own if strategy.sees_rival else 1
    shape = (model.n_streaks, n_own, n_rivals)
    bank, done, bust = np.zeros((*shape, n_own)), np.zeros(shape), np.zeros(shape)
    for place in np.ndindex(*shape):
        streak, own, rival = place
        turn = strategy.turn(own + low, rival + low, streak)
        near = turn.bank[: n_own - own]
        bank[streak, own, rival, own : own + len(near)] = near
        done[place], bust[place] = turn.bank[n_own - own :].sum(), turn.bust
    return Moves(bank, done, bust)


def after_bust(model: Model, streak: int, own: int) -> tuple[int, int]:
    """Return streak and place of the total after a bust; totals below the lowest count as it."""
    after, place = place_after_bust(streak, own, model.n_streaks, model.penalty)
    return int(after), int(place)


@dataclass(frozen=True, eq=False)
class Session:
    """Turns to the target of one policy that plays alone, from everywhere.

    Attributes
    ----------
    model : Model
    low : int
        Units of the first total.
    reached : float64[turns + 1, streaks, totals]
        Chance to have reached the target after that many turns at most.
    mean : float64[streaks, totals]
        Mean number of turns without any cap on them; infinite if the target is never reached.
    visits : float64[streaks, totals]
        Mean number of turns that begin there in a session from nothing (cap or not).
    """

    model: Model
    low: int
    reached: np.ndarray
    mean: np.ndarray
    visits: np.ndarray


def chain_session(strategy: Strategy) -> Session:
    """Return the session of a strategy."""
    model = strategy.model
    low = model.lowest()
    moves = list_moves(strategy, low)
    bank, done, bust = moves.bank[:, :, 0], moves.done[:, :, 0], moves.bust[:, :, 0]
    streaks, n_own = done.shape
    step = np.zeros((streaks, n_own, streaks, n_own))
    step[:, :, 0, :] = bank
    lost = np.array([[after_bust(model, streak, own) for own in range(n_own)] for streak in range(streaks)])
    for place in np.ndindex(streaks, n_own):
        step[(*place, *lost[place])] += bust[place]
    size = streaks * n_own
    matrix, start = step.reshape(size, size), -low
    reached = _follow(matrix, done.ravel(), model.rules.max_turns, start)
    mean, visits = _solve_lengths(matrix, start)
    shape = (streaks, n_own)
    return Session(model, low, reached.reshape(-1, *shape), mean.reshape(shape), visits.reshape(shape))


def _follow(matrix: np.ndarray, done: np.ndarray, most: int, start: int) -> np.ndarray:
    """Return the chance to have finished after 0, 1, ... turns, until all have or at the cap."""
    rows = [np.zeros(len(done))]
    while len(rows) <= most and 1.0 - rows[-1].min() > TINY and not (len(rows) > 2 and (rows[-1] == rows[-2]).all()):
        rows.append(np.minimum(done + matrix @ rows[-1], 1.0))
    return np.array(rows)


def _solve_lengths(matrix: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
    """Return mean turns from everywhere, and mean visits from the start."""
    size = len(matrix)
    system, unit = np.eye(size) - matrix, np.zeros(size)
    unit[start] = 1.0
    try:
        mean, visits = np.linalg.solve(system, np.ones(size)), np.linalg.solve(system.T, unit)
    except np.linalg.LinAlgError:
        return np.full(size, np.inf), np.full(size, np.nan)
    if mean.min() < 0 or mean.max() > 1e12:
        return np.full(size, np.inf), np.full(size, np.nan)
    return mean, visits


@jit
def race_alone(one, two, done_one, done_two, wins):
    """Fill the chances of one of two players to win a race without penalties, from every pair of totals.

    Parameters
    ----------
    one, two : Moves
        Of the first player and of the second; their rival axis has length 1 or as many as totals.
    done_one, done_two : float64[totals, totals]
        Worth, to the player in question, of a turn of the first or second player that reaches the target, times its
        chance; by the first's total, then the second's.
    wins : float64[2, totals, totals]
        Filled: with the first player to move, by his total and the other's; with the second to move, by the second's
        total and the first's.
    """
    n = wins.shape[1]
    for total in range(2 * n - 2, -1, -1):
        for i in range(max(0, total - n + 1), min(n - 1, total) + 1):
            j = total - i
            a, b = min(j, one.bust.shape[2] - 1), min(i, two.bust.shape[2] - 1)
            mine, his = done_one[i, j], done_two[i, j]
            for k in range(i + 1, n):
                mine += one.bank[0, i, a, k] * wins[1, j, k]
            for k in range(j + 1, n):
                his += two.bank[0, j, b, k] * wins[0, i, k]
            lose, miss = one.bust[0, i, a], two.bust[0, j, b]
            both = 1.0 - lose * miss
            wins[0, i, j] = (mine + lose * his) / both if both > 1e-15 else 0.0
            wins[1, j, i] = his + miss * wins[0, i, j]


@jit
def race_streaks(one, two, done_one, done_two, penalty, wins):
    """Sweep once over the chances to win a race with penalties; returns the largest change.

    As :func:`race_alone`, but `done_one`, `done_two` (``float64[streaks, streaks, totals, totals]``) and `wins`
    (``float64[2, streaks, streaks, totals, totals]``) are by the busts in a row of the first player and of the second
    as well, of the player to move first. Repeated sweeps converge.
    """
    streaks, n, change = wins.shape[1], wins.shape[3], 0.0
    for total in range(2 * n - 2, -1, -1):
        for i in range(max(0, total - n + 1), min(n - 1, total) + 1):
            j = total - i
            a, b = min(j, one.bust.shape[2] - 1), min(i, two.bust.shape[2] - 1)
            for s in range(streaks - 1, -1, -1):
                for t in range(streaks - 1, -1, -1):
                    mine, his = done_one[s, t, i, j], done_two[s, t, i, j]
                    for k in range(i + 1, n):
                        mine += one.bank[s, i, a, k] * wins[1, t, 0, j, k]
                    for k in range(j + 1, n):
                        his += two.bank[t, j, b, k] * wins[0, s, 0, i, k]
                    s_next, i_next = (s + 1, i) if s + 1 < streaks else (0, max(i - penalty, 0))
                    t_next, j_next = (t + 1, j) if t + 1 < streaks else (0, max(j - penalty, 0))
                    mine += one.bust[s, i, a] * wins[1, t, s_next, j, i_next]
                    his += two.bust[t, j, b] * wins[0, s, t_next, i, j_next]
                    change = max(change, abs(mine - wins[0, s, t, i, j]), abs(his - wins[1, t, s, j, i]))
                    wins[0, s, t, i, j], wins[1, t, s, j, i] = mine, his
    return change


@dataclass(frozen=True, eq=False)
class Race:
    """Chances in a race of two policies.

    Attributes
    ----------
    low : int
        Units of the first total.
    wins : float64[2, 2, streaks, streaks, totals, totals]
        Chance to win of the first seat (0) and the second (1); with the first seat to move (0) or the second (1); by
        the busts in a row and the totals of the first seat and of the second.
    """

    low: int
    wins: np.ndarray


def chain_race(one: Strategy, two: Strategy) -> Race:
    """Return the race of two strategies, the first of which moves first."""
    model = one.model
    low = model.lowest(4)
    mine, his = list_moves(one, low), list_moves(two, low)
    shape = (model.n_streaks, model.n_streaks, mine.done.shape[1], mine.done.shape[1])
    reach_one = np.array(np.broadcast_to(mine.done[:, None], shape))
    reach_two = np.array(np.broadcast_to(his.done.transpose(0, 2, 1)[None], shape))
    caught = _caught(one, two, low, shape) if model.rules.last_round else np.zeros(shape)
    none = np.zeros(shape)
    first = _solve_race(model, mine, his, reach_one - caught, none)
    if model.rules.bust_streak and max(mine.bust.max(), his.bust.max()) < 1:
        return Race(low, np.stack([first, 1.0 - first]))
    return Race(low, np.stack([first, _solve_race(model, mine, his, caught, reach_two)]))


def _solve_race(model: Model, one: Moves, two: Moves, done_one: np.ndarray, done_two: np.ndarray) -> np.ndarray:
    wins = np.zeros((2, *done_one.shape))
    if not model.rules.bust_streak:
        race_alone(one, two, done_one[0, 0], done_two[0, 0], wins[:, 0, 0])
    else:
        while race_streaks(one, two, done_one, done_two, model.penalty, wins) > 1e-13:
            pass
    wins[1] = wins[1].transpose(1, 0, 3, 2).copy()
    return wins


def _caught(one: Strategy, two: Strategy, low: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return the worth to the second seat of its last turn, after the first has reached the target in one turn."""
    model, caught = one.model, np.zeros(shape)
    goal = model.n_totals
    for t, j in np.ndindex(shape[1], shape[3]):
        bank = two.turn(j + low, goal, t).bank
        beyond = np.append(np.cumsum(bank[::-1])[::-1], 0.0)
        level = beyond - np.append(bank, 0.0) / 2
        for s, i in np.ndindex(shape[0], shape[2]):
            ends = one.turn(i + low, j + low, s).bank
            first = goal - i - low
            if first >= len(ends):
                continue
            gap = np.arange(i - j + first, i - j + len(ends))
            caught[s, t, i, j] = ends[first:] @ np.where(gap < 0, 1.0, level[np.clip(gap, 0, len(level) - 1)])
    return caught
