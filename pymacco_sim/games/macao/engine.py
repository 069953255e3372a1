"""The rules of play: deal, legal, apply, is_over, score. Everything that plays, replays or checks uses these.

The kernels validate nothing; a decision that may be wrong goes through :func:`is_legal` first.
"""

from __future__ import annotations

import numpy as np

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.bits import lowest_bit
from pymacco_sim.core.streams import CHANCE, draw_below, seed_stream
from pymacco_sim.games.macao.cards import N_KINDS
from pymacco_sim.games.macao.state import (
    BLOCKED,
    DRAW,
    END,
    LEAD_SUIT,
    PASS,
    PLAYING,
    STALLED,
    TAKE,
    WON,
)

_HAND_SHIFT = 8
"""Hand `h` of a match shuffles by purpose ``h << 8``, so that its deck does not depend on how hand ``h - 1`` went."""


@jit
def start(state, rules, seed, cell, deal_number, match):
    """Make `state` ready for the first hand of a game.

    Parameters
    ----------
    state : record of STATE
        Changed in place. Set its field `ordered` before: 1 puts the stock in order when it is shuffled, 0 draws from
        it at random; the cards come out the same.
    rules : record of RULES
    seed, cell, deal_number : uint64
        Key of the chance stream.
    match : bool
        Whether a dealer is needed (a match), or `start_seat` begins (a single hand).
    """
    state.turns = state.blocked = state.first_turn_win = state.stalled_hands = state.stock_empty = 0
    state.lost_turns = state.cards_played = state.cards_drawn = 0
    state.forced_taken = state.forced_cards = state.forced_answered = state.skips = 0
    state.hands = state.decisions = 0
    for seat in range(rules.players):
        state.totals[seat] = 0
        state.won[seat] = 0
    seed_stream(state.chance, seed, cell, deal_number, CHANCE)
    state.dealer = rules.start_seat - 1
    if match:
        state.dealer = rules.first_dealer if rules.first_dealer >= 0 else draw_below(state.chance, rules.players)


@jit
def deal(state, rules, seed, cell, deal_number):
    """Deal the next hand of the game that `state` is in; arguments as for :func:`start`."""
    if state.hands > 0:
        seed_stream(state.chance, seed, cell, deal_number, state.hands << _HAND_SHIFT)
    for index in range(rules.n_cards):
        state.deck[index] = rules.deck[index]
    state.stock = rules.n_cards
    if state.ordered:
        _order_stock(state)
    for kind in range(N_KINDS):
        state.seen[kind] = 0
    for seat in range(rules.players):
        for kind in range(N_KINDS):
            state.counts[seat, kind] = 0
        state.held[seat] = 0
        state.cards[seat] = rules.hand_size
        for _ in range(rules.hand_size):
            card = _next_card(state)
            state.counts[seat, card] += 1
            state.held[seat] |= 1 << card
    card = _next_card(state)
    state.top, state.lead, state.seen[card] = card, rules.up_lead[card], 1
    state.pile = 1
    state.draw = state.skip = state.kind = state.played = state.naming = 0
    state.passes = state.turn = 0
    state.over, state.winner = PLAYING, -1
    state.to_play = (state.dealer + 1) % rules.players


@jit
def _order_stock(state):
    """Shuffle the stock now (Fisher-Yates from the end, the same draws that :func:`_next_card` would make)."""
    for last in range(state.stock - 1, -1, -1):
        other = draw_below(state.chance, last + 1)
        state.deck[last], state.deck[other] = state.deck[other], state.deck[last]


@inline
def _next_card(state):
    """Remove a card from the stock, which must not be empty, and return it."""
    last = state.stock - 1
    state.stock = last
    if state.ordered:
        return np.int64(state.deck[last])
    other = draw_below(state.chance, last + 1)
    card = np.int64(state.deck[other])
    state.deck[other] = state.deck[last]
    return card


@jit
def _reshuffle(state, rules):
    """Make a new stock of the pile but its top card: all cards that nobody holds."""
    state.stock = 0
    decks = rules.n_cards // N_KINDS
    for kind in range(N_KINDS):
        count = decks - (1 if kind == state.top else 0)
        for seat in range(rules.players):
            count -= state.counts[seat, kind]
        for _ in range(count):
            state.deck[state.stock] = kind
            state.stock += 1
    state.pile = 1
    if state.ordered:
        _order_stock(state)


@inline
def may_draw(state, rules):
    """Return whether a card can be drawn, after a reshuffle if need be."""
    return state.stock > 0 or (rules.reshuffle != 0 and state.pile > 1)


@inline
def must_answer(state):
    """Return whether the seat to play has something pending before it."""
    return state.played == 0 and (state.draw | state.skip) != 0


@inline
def playable(state, rules):
    """Return the set of cards (int64 mask by kind) that the seat to play may play now.

    While a suit has to be named nothing is playable; the decision is then a suit, 0 to 3.
    """
    follow = rules.follow[state.lead]
    if must_answer(state):
        answers = rules.answer[state.kind] | rules.ace_mask
        if state.draw > 0:
            cancels = rules.cancel_mask & follow if rules.cancel_must_match else rules.cancel_mask
            answers |= cancels | rules.any_draw_mask
        follow = answers
    return state.held[state.to_play] & follow


@inline
def other_action(state, rules):
    """Return the one legal action of the seat to play that is no card: END, TAKE, DRAW or PASS."""
    if state.played > 0:
        return END
    if (state.draw | state.skip) != 0:
        return TAKE
    return DRAW if may_draw(state, rules) else PASS


@jit
def is_legal(state, rules, decision):
    """Return whether `decision` is legal for the seat to play.

    A card may carry the suit it names (``card + 64 * (1 + suit)``) if its rank is wild; when a suit has to be named,
    the decision is that suit.
    """
    if state.naming:
        return 0 <= decision < 4
    if decision < 0:
        return decision == other_action(state, rules)
    card, named = decision & 63, decision >> 6
    if named > 4 or (named > 0 and (card >= N_KINDS or not rules.wild[card])):
        return False
    return (playable(state, rules) >> card) & 1 != 0


@inline
def apply(state, rules, decision):
    """Carry out a legal decision of the seat to play."""
    state.decisions += 1
    if state.naming:
        state.lead, state.naming = LEAD_SUIT + decision, 0
    elif decision >= 0:
        _play_card(state, rules, decision & 63, (decision >> 6) - 1)
    else:
        if decision == DRAW:
            _draw_cards(state, rules, 1)
        elif decision == TAKE:
            _take(state, rules)
        elif decision == PASS:
            state.passes += 1
        _end_turn(state, rules)


@inline
def _play_card(state, rules, card, named):
    seat = state.to_play
    if state.played == 0 and state.draw > 0:
        state.forced_answered += 1
    state.counts[seat, card] -= 1
    if state.counts[seat, card] == 0:
        state.held[seat] &= ~(1 << card)
    state.cards[seat] -= 1
    state.seen[card] += 1
    state.chain[state.played] = card
    state.played += 1
    state.pile += 1
    state.passes = 0
    state.top = card
    if rules.lead[card] >= 0:
        state.lead = rules.lead[card]
    _add_power(state, rules, card)
    if named >= 0:
        state.lead = LEAD_SUIT + named
    elif rules.wild[card] and state.cards[seat] > 0:
        state.naming = 1
    if state.cards[seat] == 0:
        state.winner, state.over = seat, WON
        _end_turn(state, rules)


@inline
def _add_power(state, rules, card):
    draws = 0 if rules.cancel[card] else state.draw + rules.forced[card]
    skips = state.skip
    if rules.skip[card]:
        skips = skips + 1 if rules.skips_stack else 1
    kind = rules.kind[card] if rules.kind[card] > 0 else state.kind
    if draws == 0:
        kind = rules.skip_kind if skips > 0 else 0
    state.draw, state.skip, state.kind = draws, skips, kind


@inline
def _draw_cards(state, rules, wanted):
    seat = state.to_play
    for _ in range(wanted):
        if state.stock == 0:
            if not may_draw(state, rules):
                return
            _reshuffle(state, rules)
        card = _next_card(state)
        state.counts[seat, card] += 1
        state.held[seat] |= 1 << card
        state.cards[seat] += 1
        state.cards_drawn += 1
        state.passes = 0


@inline
def _take(state, rules):
    before = state.cards_drawn
    if state.draw > 0:
        state.forced_taken += 1
        _draw_cards(state, rules, state.draw)
        state.forced_cards += state.cards_drawn - before
    state.lost_turns += 1
    if state.skip > 0:
        state.skips += 1
    state.draw = 0
    state.skip = state.skip - 1 if rules.skips_stack and state.skip > 0 else 0
    state.kind = rules.skip_kind if state.skip > 0 else 0


@inline
def _end_turn(state, rules):
    state.turn += 1
    state.turns += 1
    state.cards_played += state.played
    state.played = 0
    state.to_play = state.to_play + 1 if state.to_play + 1 < rules.players else 0
    if state.over == PLAYING:
        if state.passes >= rules.players:
            state.over = BLOCKED
        elif state.turn >= rules.max_turns:
            state.over = STALLED


@inline
def is_over(state):
    """Return whether the hand is over: won, blocked or stalled."""
    return state.over != PLAYING


@inline
def hand_points(state, rules, seat):
    """Return the penalty points of the cards that `seat` holds."""
    points, mask = 0, state.held[seat]
    while mask:
        card = lowest_bit(mask)
        mask &= mask - 1
        points += state.counts[seat, card] * rules.points[card]
    return points


@jit
def score(state, rules):
    """Enter a finished hand into totals and counters and pass the deal on."""
    for seat in range(rules.players):
        state.totals[seat] += hand_points(state, rules, seat)
    if state.over == WON:
        state.won[state.winner] += 1
        if state.turn == 1:
            state.first_turn_win += 1
    elif state.over == BLOCKED:
        state.blocked += 1
    else:
        state.stalled_hands += 1
    if state.stock == 0:
        state.stock_empty += 1
    state.hands += 1
    state.dealer = (state.dealer + 1) % rules.players


@jit
def match_over(state, rules):
    """Return whether the match has ended: the target is reached, or it is stalled."""
    most = 0
    for seat in range(rules.players):
        most = max(most, state.totals[seat])
    return most >= rules.target or state.over == STALLED or state.hands >= rules.max_hands
