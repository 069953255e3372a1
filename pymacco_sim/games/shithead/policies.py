"""placeholder"""
from __future__ import annotations

from pymacco_sim._jit import inline
from pymacco_sim.games.shithead import baselines as base
from pymacco_sim.games.shithead.view import make_view


@inline
def decide_play(code, state, seat, rules, params, stream):
    view = make_view(state, seat, rules)
    if code == 0:
        return base.lowest(view, params)
    if code == 1:
        return base.highest(view, params)
    if code == 2:
        return base.single(view, params)
    return base.random(view, params, stream)


@inline
def decide_face_up(code, state, seat, rules, params, stream):
    view = make_view(state, seat, rules)
    if code == 0:
        return base.lay_strongest(view, params)
    return base.lay_random(view, params, stream)


@inline
def decide_face_down(code, state, seat, rules, params, stream):
    view = make_view(state, seat, rules)
    if code == 0:
        return base.turn_lowest(view, params)
    return base.turn_random(view, params, stream)
