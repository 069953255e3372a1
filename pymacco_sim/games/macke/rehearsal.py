"""Positions as they come up in play, to try a user's compiled policy on before it is compiled."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from pymacco_sim.games.lineup import rehearse
from pymacco_sim.games.macke.engine import apply_bust, apply_keep, deal, is_over, list_choices, roll_dice
from pymacco_sim.games.macke.rolls import enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules, pack_rules
from pymacco_sim.games.macke.state import make_view, new_states
from pymacco_sim.games.macke.story import explain
from pymacco_sim.games.policy import Decider

N_POSITIONS = 60
_PER_GAME = 6


@lru_cache(maxsize=8)
def sample_positions(rules: MackeRules, n_seats: int) -> tuple[np.ndarray, list[Any]]:
    """Return positions with a decision to take, from games among random players, and what the seat to play sees.

    Parameters
    ----------
    rules : MackeRules
    n_seats : int

    Returns
    -------
    states : recarray of STATE, shape (60,)
    views : list of View
    """
    rolls = enumerate_rolls(rules)
    law = pack_rules(rules, rolls.unit, rolls.n_classes)
    chance = np.random.default_rng(0)
    found, count = new_states(N_POSITIONS), 0
    while count < N_POSITIONS:
        state = new_states()[0]
        deal(state, law[0], np.uint64(0), np.uint64(0), np.uint64(count), n_seats, False)
        for seat in range(n_seats):
            state.totals[seat] = int(chance.integers(0, max(rules.target // rolls.unit, 1))) * rolls.unit
        for _ in range(_PER_GAME * (1 + count // _PER_GAME % 4)):
            if is_over(state):
                break
            if roll_dice(state, law[0], rolls.tables) == 0:
                apply_bust(state, law[0])
                continue
            list_choices(state, law[0], rolls.tables)
            if count < N_POSITIONS:
                found[count] = state
                count += 1
            pick = int(chance.integers(state.n_choices))
            stop = bool(state.choice_may_stop[pick]) and chance.random() < 0.2
            apply_keep(state, law[0], int(state.choice_points[pick]), int(state.choice_left[pick]), stop)
    see = getattr(make_view, "py_func", make_view)
    return found, [see(state, int(state.seat), law[0]) for state in found]


def rehearse_policy(decider: Decider, rules: MackeRules, n_seats: int) -> None:
    """Let a compiled policy decide on sampled positions in plain Python; raises :class:`PolicyError` if it fails."""
    states, views = sample_positions(rules, n_seats)
    streams = np.arange(4 * len(views), dtype=np.uint32).reshape(-1, 4) + np.uint32(1)

    def judge(position: int, decision: int) -> str | None:
        n_choices = int(states[position].n_choices)
        return None if 0 <= decision >> 1 < n_choices else explain(decision, n_choices)

    rehearse(decider, zip(views, streams, strict=True), judge)
