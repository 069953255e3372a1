"""The switch from a built-in's number to its code, one a part."""

from __future__ import annotations

from pymacco_sim._jit import inline
from pymacco_sim.games.shithead import baselines as base
from pymacco_sim.games.shithead.view import make_view

LOWEST, HIGHEST, SINGLE, RANDOM = range(4)
STRONGEST, UNIFORM_UP = range(2)
KNOWN, UNIFORM_DOWN = range(2)


@inline
def decide_play(code, state, seat, rules, params, stream):
    """Return the decision of a built-in play policy."""
    view = make_view(state, seat, rules)
    if code == LOWEST:
        return base.lowest(view, params)
    if code == HIGHEST:
        return base.highest(view, params)
    if code == SINGLE:
        return base.single(view, params)
    return base.random(view, params, stream)


@inline
def decide_face_up(code, state, seat, rules, params, stream):
    """Return the choice of a built-in face-up policy."""
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
    return base.turn_random(view, params, stream)
