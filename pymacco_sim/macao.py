"""What a Macao policy needs: the helpers of the view, card names and numbers, decisions.

Everything here works in policies (compiled) and in plain Python alike.

Examples
--------
>>> from pymacco_sim.macao import END, card_number, play, rank, suit
>>> ace = card_number("AH")
>>> rank(ace), suit(ace), play(ace, 3) > ace
(14, 2, True)
"""

from pymacco_sim.core.bits import count_bits, has_bit, highest_bit, lowest_bit, nth_bit
from pymacco_sim.core.streams import draw_below, draw_uniform
from pymacco_sim.games.macao.cards import (
    ACE,
    BLACK_JOKER,
    CLUBS,
    DIAMONDS,
    HEARTS,
    JACK,
    KING,
    N_KINDS,
    NO_SUIT,
    QUEEN,
    RED_JOKER,
    SPADES,
    card_name,
    card_names,
    card_number,
    rank,
    suit,
)
from pymacco_sim.games.macao.chain import best_chain
from pymacco_sim.games.macao.state import DRAW, END, PASS, TAKE
from pymacco_sim.games.macao.view import (
    View,
    best_card,
    cheapest_card,
    count_cards,
    count_suit,
    drop_card,
    fewest_cards,
    followers,
    longest_suit,
    next_seat,
    play,
)

__all__ = [
    *("View", "play", "best_card", "cheapest_card", "count_cards", "count_suit", "followers", "longest_suit"),
    *("best_chain", "drop_card", "fewest_cards", "next_seat", "rank", "suit", "card_name", "card_names", "card_number"),
    *("DRAW", "TAKE", "END", "PASS", "CLUBS", "DIAMONDS", "HEARTS", "SPADES", "NO_SUIT", "N_KINDS"),
    *("JACK", "QUEEN", "KING", "ACE", "BLACK_JOKER", "RED_JOKER"),
    *("count_bits", "has_bit", "highest_bit", "lowest_bit", "nth_bit", "draw_below", "draw_uniform"),
]
