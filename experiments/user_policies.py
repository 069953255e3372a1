"""Policies as a user writes them; `benchmark.py` times them, the notebooks and the README use them."""

import pymacco_sim as pm
from pymacco_sim import macao, shithead


@pm.policy("macke", goal=(300, 50, 5000))
def stop_at(points, dice, roll, choices, params):
    """Take every scoring die; stop at the goal."""
    best = choices[0]
    return best, points + best.points >= params.goal


@pm.policy("threes")
def users_lowest(view, params):
    """Play the weakest legal rank, all copies: the built-in `lowest`, written by a user."""
    rank = shithead.weakest_legal(view)
    return shithead.play(rank, shithead.copies(view, rank))


@pm.policy("macao")
def users_greedy(view, params):
    """Play the card with most penalty points: the built-in `greedy`, written by a user."""
    return macao.best_card(view.playable, view.points)
