"""What a policy for Tomacco and Threes needs: the helpers of the view, decisions, ranks.

Everything here works in policies (compiled) and in plain Python alike.

Examples
--------
>>> from pymacco_sim.shithead import JACK, lay, play, rank_name
>>> play(JACK, 2), lay(lay(0, 2), 2), rank_name(JACK)
(43, 34, 'J')
"""

from pymacco_sim.core.bits import count_bits, has_bit, highest_bit, lowest_bit, nth_bit
from pymacco_sim.core.streams import draw_below, draw_uniform
from pymacco_sim.games.shithead.counts import ranks_of
from pymacco_sim.games.shithead.state import DOWN, HAND, UP
from pymacco_sim.games.shithead.view import (
    View,
    accepted_after,
    copies,
    decline,
    face_up_ranks,
    lay,
    n_cards,
    next_seat,
    play,
    run_before,
    strongest,
    strongest_legal,
    turn_known,
    turn_over,
    unseen,
    weakest,
    weakest_legal,
    would_burn,
    zone_at,
)
from pymacco_sim.games.shithead.words import rank_name

JACK, QUEEN, KING, ACE, JOKER = 11, 12, 13, 14, 15

__all__ = [
    "accepted_after",
    "copies",
    "count_bits",
    "decline",
    "draw_below",
    "draw_uniform",
    "face_up_ranks",
    "has_bit",
    "highest_bit",
    "lay",
    "lowest_bit",
    "n_cards",
    "next_seat",
    "nth_bit",
    "play",
    "rank_name",
    "ranks_of",
    "run_before",
    "strongest",
    "strongest_legal",
    "turn_known",
    "turn_over",
    "unseen",
    "weakest",
    "weakest_legal",
    "would_burn",
    "zone_at",
    "ACE",
    "DOWN",
    "HAND",
    "JACK",
    "JOKER",
    "KING",
    "QUEEN",
    "UP",
    "View",
]
