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
    "best_card",
    "best_chain",
    "card_name",
    "card_names",
    "card_number",
    "cheapest_card",
    "count_bits",
    "count_cards",
    "count_suit",
    "draw_below",
    "draw_uniform",
    "drop_card",
    "fewest_cards",
    "followers",
    "has_bit",
    "highest_bit",
    "longest_suit",
    "lowest_bit",
    "next_seat",
    "nth_bit",
    "play",
    "rank",
    "suit",
    "ACE",
    "BLACK_JOKER",
    "CLUBS",
    "DIAMONDS",
    "DRAW",
    "END",
    "HEARTS",
    "JACK",
    "KING",
    "NO_SUIT",
    "N_KINDS",
    "PASS",
    "QUEEN",
    "RED_JOKER",
    "SPADES",
    "TAKE",
    "View",
]
