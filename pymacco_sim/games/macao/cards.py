"""The 54 kinds of card, numbered 0 to 53, and their names.

Kind ``4 * (rank - 2) + suit`` for ranks 2 to 14 (ace) and suits clubs 0, diamonds 1, hearts 2, spades 3; the black
joker is 52, the red one 53. So rising kind is the order that breaks ties everywhere: rank first, then suit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pymacco_sim._check import RequestError

N_KINDS = 54
N_RANKS = 17
CLUBS, DIAMONDS, HEARTS, SPADES, NO_SUIT = 0, 1, 2, 3, 4
JACK, QUEEN, KING, ACE, BLACK_JOKER, RED_JOKER = 11, 12, 13, 14, 15, 16

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "BJ", "RJ")
"""Names of ranks 2 to 16; the jokers' ranks are ``BJ`` and ``RJ``."""

SUITS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")

_WORDS = {"black": "BJ", "red": "RJ", "ace": "A", "king": "K", "queen": "Q", "jack": "J", "t": "10"}


def rank(card):
    """Return the rank of a card: 2 to 14 (ace), 15 black joker, 16 red joker.

    Examples
    --------
    >>> rank(card_number("KH")), rank(card_number("RJ"))
    (13, 16)
    """
    return 2 + card // 4 if card < 52 else card - 37


def suit(card):
    """Return the suit of a card: clubs 0, diamonds 1, hearts 2, spades 3, or 4 for a joker.

    Examples
    --------
    >>> suit(card_number("KH")), suit(card_number("RJ"))
    (2, 4)
    """
    return card % 4 if card < 52 else 4


def rank_number(name: Any) -> int:
    """Return the rank, 2 to 16, of a name such as ``"7"``, ``"A"``, ``"BJ"`` or ``"red joker"``.

    Raises
    ------
    RequestError
        If there is no such rank.

    Examples
    --------
    >>> rank_number("K"), rank_number(7), rank_number("black joker")
    (13, 7, 15)
    """
    word = str(name).strip().lower().removesuffix("joker").rstrip(" _-")
    word = _WORDS.get(word, word).upper()
    if word in RANKS:
        return RANKS.index(word) + 2
    if word.isdigit() and 11 <= int(word) <= RED_JOKER:
        return int(word)
    raise RequestError(f"rank is {name!r}; it must be one of {', '.join(RANKS)}.")


def card_number(name: str) -> int:
    """Return the number of a card written as rank and suit: ``"10S"``, ``"AH"``, ``"BJ"``.

    Raises
    ------
    RequestError
        If there is no such card.

    Examples
    --------
    >>> [card_number(name) for name in ("2C", "AS", "BJ", "RJ")]
    [0, 51, 52, 53]
    """
    word = name.strip().upper()
    if word in ("BJ", "RJ"):
        return 52 + (word == "RJ")
    if word[:-1] in RANKS[:13] and word[-1] in SUITS:
        return 4 * RANKS.index(word[:-1]) + SUITS.index(word[-1])
    raise RequestError(f"card is {name!r}; write rank and suit, such as 10S, AH, BJ or RJ.")


def card_name(card: int) -> str:
    """Return the name of a card: the inverse of :func:`card_number`.

    Examples
    --------
    >>> card_name(32), card_name(53)
    ('10C', 'RJ')
    """
    return RANKS[card // 4] + SUITS[card % 4] if card < 52 else RANKS[card - 39]


def card_names(cards: Any) -> list[str]:
    """Return the names of the cards of a set (int64) or of counts by kind, ascending.

    Examples
    --------
    >>> card_names(0b1001)
    ['2C', '2S']
    """
    if np.ndim(cards):
        return [card_name(kind) for kind in range(N_KINDS) for _ in range(int(cards[kind]))]
    return [card_name(kind) for kind in range(N_KINDS) if int(cards) >> kind & 1]


def rank_mask(*ranks: int) -> int:
    """Return the set of all cards of some ranks.

    Examples
    --------
    >>> card_names(rank_mask(14, 15))
    ['AC', 'AD', 'AH', 'AS', 'BJ']
    """
    return sum(1 << kind for kind in range(N_KINDS) if rank(kind) in ranks)


def suit_mask(wanted: int) -> int:
    """Return the set of all cards of a suit."""
    return sum(1 << kind for kind in range(52) if kind % 4 == wanted)
