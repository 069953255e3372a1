"""The switch from a built-in's number to its code, one a part."""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.hints import unlikely
from pymacco_sim.games.shithead import baselines as base
from pymacco_sim.games.shithead import strategies as plan
from pymacco_sim.games.shithead.view import make_view

LOWEST, HIGHEST, SINGLE, RANDOM, HOARDER, THINNER, BURNER, BLOCKER = range(8)
STRONGEST, UNIFORM_UP, TOGETHER, PLAIN = range(4)
KNOWN, UNIFORM_DOWN, PROBER = range(3)


@inline
def split(decision):
    """Return rank and number of copies of a play, each as soon as it is known."""
    return np.int64(decision) & 15, np.int64(decision) >> 4


@inline
def decide_play(code, state, seat, rules, params, stream):
    """Return the decision of a built-in play policy: rank and number of copies."""
    if unlikely(code >= HOARDER):
        return split(decide_planned(code, state, seat, rules, params))
    view = make_view(state, seat, rules)
    if code == LOWEST:
        return split(base.lowest(view, params))
    if code == HIGHEST:
        return split(base.highest(view, params))
    if code == SINGLE:
        return split(base.single(view, params))
    return split(base.random(view, params, stream))


@inline
def decide_face_up(code, state, seat, rules, params, stream):
    """Return the choice of a built-in face-up policy."""
    if code >= TOGETHER:
        return decide_laid(code, state, seat, rules, params)
    view = make_view(state, seat, rules)
    if code == STRONGEST:
        return base.lay_strongest(view, params)
    return base.lay_random(view, params, stream)


@inline
def decide_face_down(code, state, seat, rules, params, stream):
    """Return the decision of a built-in face-down policy."""
    view = make_view(state, seat, rules)
    if code == KNOWN:
        return base.turn_lowest(view, params)
    if code == PROBER:
        return plan.turn_prober(view, params)
    return base.turn_random(view, params, stream)


@jit
def decide_planned(code, state, seat, rules, params):
    """Return the decision of a play policy that weighs; a function of its own, so that the others stay short."""
    view = make_view(state, seat, rules)
    if code == HOARDER:
        return plan.hoarder(view, params)
    if code == THINNER:
        return plan.thinner(view, params)
    if code == BURNER:
        return plan.burner(view, params)
    return plan.blocker(view, params)


@jit
def decide_laid(code, state, seat, rules, params):
    """Return the choice of a face-up policy that weighs."""
    view = make_view(state, seat, rules)
    if code == TOGETHER:
        return plan.lay_together(view, params)
    return plan.lay_plain(view, params)
