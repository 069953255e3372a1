"""Built-in policies: functions of the view, as a user would write them, and the switch between them.

Each takes ``(view, params, stream)``; `params` is the row of parameter values in the order of
:mod:`pymacco_sim.games.macao.catalogue`.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.bits import count_bits, nth_bit
from pymacco_sim.core.streams import draw_below
from pymacco_sim.games.macao.chain import best_chain
from pymacco_sim.games.macao.view import (
    best_card,
    cheapest_card,
    count_suit,
    fewest_cards,
    longest_suit,
    make_view,
    next_seat,
)

RANDOM, GREEDY, THRIFTY, PLANNER, SAVER, HOLDER, ATTACKER, DUMPER = range(8)
"""Codes of the policies that play."""

LONGEST, UNIFORM, SCARCE = range(3)
"""Codes of the policies that name a suit."""

_BUDGET = 400


@inline
def play_random(view, stream):
    """Uniform over the legal actions."""
    count = count_bits(view.playable)
    if count == 0:
        return view.other
    index = draw_below(stream, count + 1)
    return nth_bit(view.playable, index) if index < count else view.other


@inline
def play_greedy(view):
    """Most penalty points first."""
    card = best_card(view.playable, view.points)
    return card if card >= 0 else view.other


@inline
def play_thrifty(view):
    """Fewest penalty points first."""
    card = cheapest_card(view.playable, view.points)
    return card if card >= 0 else view.other


@register_jitable
def play_dumper(view, params):
    """Thrifty until a rival has few cards, then greedy."""
    return play_greedy(view) if fewest_cards(view) <= params[0] else play_thrifty(view)


@register_jitable
def _gains(view, bonus):
    gain = np.empty(54, dtype=np.float64)
    for card in range(54):
        gain[card] = view.points[card] + bonus
    return gain


@register_jitable
def play_planner(view, params):
    """The chain that sheds the most points and cards, all of them if possible."""
    return best_chain(view, _gains(view, params[0]), 0.0, params[1])


@register_jitable
def play_saver(view, params):
    """As the planner, but cards that answer or follow anything are worth keeping while no rival is near the end."""
    gain = _gains(view, 0.0)
    if fewest_cards(view) > params[2]:
        for card in range(54):
            if view.forced[card] or view.skips[card] or view.cancels[card]:
                gain[card] -= params[0]
            elif view.wild[card]:
                gain[card] -= params[1]
    return best_chain(view, gain, 0.0, _BUDGET)


@register_jitable
def play_holder(view, params):
    """No card before all can go at once, unless a rival has few cards left."""
    if fewest_cards(view) > params[0]:
        return best_chain(view, np.full(54, -1.0), 0.0, _BUDGET)
    return best_chain(view, _gains(view, 0.0), 0.0, _BUDGET)


@register_jitable
def play_attacker(view, params):
    """As the planner, but draws left for the next seat count when it is near the end or leads the match."""
    following = next_seat(view)
    attack = params[0] if view.cards[following] <= params[1] else 0.0
    leads = True
    for seat in range(view.players):
        leads = leads and view.totals[following] <= view.totals[seat]
    if leads:
        attack += params[2]
    return best_chain(view, _gains(view, 0.0), attack, _BUDGET)


@register_jitable
def name_scarce(view, params):
    """The suit that is long in the own hand and has been played most, so that rivals should hold few."""
    best, most = 0, -1.0
    for wanted in range(4):
        score = params[0] * count_suit(view.hand, wanted) + params[1] * count_suit(view.seen, wanted)
        if score > most:
            best, most = wanted, score
    return best


@jit
def decide_planned(code, state, rules, params):
    """Return the decision of a policy that plans: compiled apart, so that the simple ones stay fast."""
    view = make_view(state, state.to_play, rules)
    if code == PLANNER:
        return play_planner(view, params)
    if code == SAVER:
        return play_saver(view, params)
    if code == HOLDER:
        return play_holder(view, params)
    if code == ATTACKER:
        return play_attacker(view, params)
    return play_dumper(view, params)


@inline
def decide_play(code, state, rules, params, stream):
    """Return the decision of the built-in play policy with that code for the seat to play."""
    if code > THRIFTY:
        return decide_planned(code, state, rules, params)
    view = make_view(state, state.to_play, rules)
    if code == GREEDY:
        return play_greedy(view)
    if code == THRIFTY:
        return play_thrifty(view)
    return play_random(view, stream)


@jit
def decide_suit(code, state, rules, params, stream):
    """Return the suit that the built-in suit policy with that code names for the seat to play."""
    view = make_view(state, state.to_play, rules)
    if code == LONGEST:
        return longest_suit(view.hand)
    if code == UNIFORM:
        return draw_below(stream, 4)
    return name_scarce(view, params)
