"""Built-in policies: functions of the view, like a user's."""

from __future__ import annotations

from numba.extending import register_jitable

from pymacco_sim.core.bits import count_bits, nth_bit
from pymacco_sim.core.streams import draw_below
from pymacco_sim.games.macao.view import best_card, cheapest_card, longest_suit


@register_jitable
def play_random(view, params, stream):
    """Uniform over the legal actions."""
    count = count_bits(view.playable)
    index = draw_below(stream, count + 1)
    return nth_bit(view.playable, index) if index < count else view.other


@register_jitable
def play_greedy(view, params, stream):
    """Most penalty points first."""
    card = best_card(view.playable, view.points)
    return card if card >= 0 else view.other


@register_jitable
def play_thrifty(view, params, stream):
    """Fewest penalty points first."""
    card = cheapest_card(view.playable, view.points)
    return card if card >= 0 else view.other


@register_jitable
def name_longest(view, params, stream):
    """The suit held most of."""
    return longest_suit(view.hand)


@register_jitable
def name_uniform(view, params, stream):
    """Uniform over the four suits."""
    return draw_below(stream, 4)


RANDOM, GREEDY, THRIFTY = 0, 1, 2
LONGEST, UNIFORM = 0, 1


@register_jitable
def choose_play(code, view, params, stream):
    """Decision of the built-in play policy with that code."""
    if code == GREEDY:
        return play_greedy(view, params, stream)
    if code == THRIFTY:
        return play_thrifty(view, params, stream)
    return play_random(view, params, stream)


@register_jitable
def choose_suit(code, view, params, stream):
    """Decision of the built-in suit policy with that code."""
    if code == LONGEST:
        return name_longest(view, params, stream)
    return name_uniform(view, params, stream)
