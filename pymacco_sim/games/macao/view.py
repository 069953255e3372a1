"""What a policy may see: the view, and helpers for the common questions.

The helpers work inside policies (compiled) and in plain Python alike. Sets of cards are integers with one bit a card
kind (see :mod:`pymacco_sim.games.macao.cards`).
"""

from __future__ import annotations

from collections import namedtuple

from numba.extending import register_jitable

from pymacco_sim._jit import inline
from pymacco_sim.core.bits import count_bits, lowest_bit
from pymacco_sim.core.calls import frozen
from pymacco_sim.games.macao.engine import other_action, playable
from pymacco_sim.games.macao.state import LEAD_SUIT

View = namedtuple(
    "View",
    "hand held playable other top lead named draw skip kind chain played cards totals stock seen seat players "
    "points follow leads forced skips cancels wild target",
)
View.__doc__ = """Everything that the seat to play may see; the arrays are read-only.

A policy is asked only where there is a choice: some card is playable, or a suit has to be named.

Attributes
----------
hand : int16[54]
    Cards held, by kind.
held : int
    The same as a set.
playable : int
    Set of the cards that may be played now. Empty while a suit has to be named.
other : int
    The one legal action that is no card: ``DRAW``, ``TAKE`` (what is pending), ``END`` (the turn) or ``PASS``.
top : int
    Card on top of the pile.
lead : int
    What a card must follow: index into `follow`.
named : int
    Suit named by the wild card on top (0 to 3), or -1.
draw, skip, kind : int
    What is pending: cards to draw, turns to lose, and which kind of card answers (a rank; 15 for both jokers; 0: none).
    After the first card of a turn it is what the next seat will find.
chain : int64[played]
    The cards played so far this turn, in order.
played : int
    How many they are.
cards : int64[players]
    Number of cards of every seat.
totals : int64[players]
    Points of every seat in the match so far; zeros in a single hand.
stock : int
    Cards left to draw.
seen : int64[54]
    Cards played so far this hand, by kind, with the one turned up; reshuffled cards still count.
seat, players : int
    The own seat, and how many there are; ``(seat + 1) % players`` plays next.
points : int64[54]
    Penalty points, by kind.
follow : int64[60]
    Which cards may follow a lead: a card kind (0 to 53), a named suit (54 to 57), anything (58), free cards only (59).
leads : int64[54]
    What a played card makes the lead, by kind; -1 if it leaves it as it is.
forced : int64[54]
    Cards that the next player must draw, by kind.
skips : int64[54]
    1 for kinds that make the next player lose a turn.
cancels : int64[54]
    1 for kinds that cancel pending draws.
wild : int64[54]
    1 for kinds that name a suit.
target : int
    Points that end the match.
"""


@inline
def make_view(state, seat, rules):
    """Return the :class:`View` of `seat`, whose turn it must be."""
    lead = state.lead
    return View(
        frozen(state.counts[seat]),
        state.held[seat],
        0 if state.naming else playable(state, rules),
        other_action(state, rules),
        state.top,
        lead,
        lead - LEAD_SUIT if LEAD_SUIT <= lead < LEAD_SUIT + 4 else -1,
        state.draw,
        state.skip,
        state.kind,
        frozen(state.chain[: state.played]),
        state.played,
        frozen(state.cards[: rules.players]),
        frozen(state.totals[: rules.players]),
        state.stock,
        frozen(state.seen[:]),
        seat,
        rules.players,
        frozen(rules.points[:]),
        frozen(rules.follow[:]),
        frozen(rules.lead[:]),
        frozen(rules.forced[:]),
        frozen(rules.skip[:]),
        frozen(rules.cancel[:]),
        frozen(rules.wild[:]),
        rules.target,
    )


@register_jitable
def play(card, named=-1):
    """Return the decision to play `card`; a wild card may name its suit (0 to 3) at once, else it is asked for.

    Examples
    --------
    >>> play(10), play(51, 2)
    (10, 243)
    """
    return card + 64 * (1 + named)


@register_jitable
def best_card(cards, points):
    """Return the card of a set with the most penalty points (ties: lowest rank, then suit order); -1 if it is empty.

    Examples
    --------
    >>> best_card(0b10011, [10, 10, 10, 10, 15])
    4
    """
    best, most = -1, -1
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if points[card] > most:
            best, most = card, points[card]
    return best


@register_jitable
def cheapest_card(cards, points):
    """Return the card of a set with the fewest penalty points (ties as :func:`best_card`); -1 if it is empty."""
    best, fewest = -1, 1 << 60
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if points[card] < fewest:
            best, fewest = card, points[card]
    return best


@register_jitable
def count_suit(hand, wanted):
    """Return how many cards of a suit there are in counts by kind (``view.hand``, ``view.seen``).

    Examples
    --------
    >>> count_suit([1, 0, 0, 0, 2] + [0] * 49, 0)
    3
    """
    total = 0
    for rank_index in range(13):
        total += hand[4 * rank_index + wanted]
    return total


@register_jitable
def longest_suit(hand):
    """Return the suit with the most cards in counts by kind (ties: clubs, diamonds, hearts, spades)."""
    best, most = 0, -1
    for wanted in range(4):
        count = count_suit(hand, wanted)
        if count > most:
            best, most = wanted, count
    return best


@register_jitable
def count_cards(cards):
    """Return how many cards are in a set."""
    return count_bits(cards)


@register_jitable
def drop_card(counts, held, card):
    """Take one `card` out of counts by kind, in place, and return the set `held` as it is then."""
    counts[card] -= 1
    return held if counts[card] > 0 else held & ~(1 << card)


@register_jitable
def fewest_cards(view):
    """Return the number of cards of the rival who holds fewest."""
    fewest = 1 << 30
    for seat in range(view.players):
        if seat != view.seat:
            fewest = min(fewest, view.cards[seat])
    return fewest


@register_jitable
def next_seat(view):
    """Return the seat that plays next."""
    return (view.seat + 1) % view.players


@register_jitable
def followers(view, card):
    """Return the set of own other cards that could follow `card` in the same turn, by rank, suit or as free cards.

    For a wild card that is every card, as it names the suit.
    """
    rest = view.held
    if view.hand[card] == 1:
        rest &= ~(1 << card)
    if view.wild[card]:
        return rest
    lead = view.leads[card]
    return rest & view.follow[lead if lead >= 0 else view.lead]
