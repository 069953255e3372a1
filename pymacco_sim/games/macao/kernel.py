"""Bulk play: numbered games of one cell into an outcome block, and the log of one game for replay."""

from __future__ import annotations

from pymacco_sim._jit import inline, jit
from pymacco_sim.core.calls import ask
from pymacco_sim.core.streams import seed_stream
from pymacco_sim.games.base import ILLEGAL
from pymacco_sim.games.macao.engine import (
    apply,
    deal,
    is_legal,
    is_over,
    match_over,
    other_action,
    playable,
    score,
    start,
)
from pymacco_sim.games.macao.outcomes import write_game
from pymacco_sim.games.macao.policies import decide_play, decide_suit

PLAY, SUIT = 0, 1
"""Kinds of decision: which card or other action; which suit an ace names."""


@inline
def _decide(state, rules, entrant, stream):
    """Return the decision of the seat to play, and whether it is certainly legal.

    The policy in `entrant` (a record of LINEUP) is asked only where there is a choice.
    """
    part = SUIT if state.naming else PLAY
    if part == PLAY and playable(state, rules) == 0:
        return other_action(state, rules), True
    code = entrant.code[part]
    if code < 0:
        decision = ask(entrant.address[part], state, state.to_play, rules, entrant.params[part], stream)
        return decision, is_legal(state, rules, decision)
    if part == PLAY:
        return decide_play(code, state, rules, entrant.params[part], stream), True
    return decide_suit(code, state, rules, entrant.params[part], stream), True


@jit
def _play_hand(state, rules, lineup, shift, states, decisions):
    """Play the hand that was dealt to its end; return False at an illegal decision, which is then the last in the log.

    With a log (`states` not empty) every position and the decision taken in it are written down.
    """
    while not is_over(state):
        seat = state.to_play
        index = seat - shift if seat >= shift else seat - shift + rules.players
        decision, legal = _decide(state, rules, lineup[index], state.streams[seat])
        if states.size > 0 and state.decisions < states.size:
            states[state.decisions] = state
            decisions[state.decisions] = decision
        if not legal:
            state.fault = decision
            return False
        apply(state, rules, decision)
    return True


@jit
def play_games(rules, lineup, key, match, unit, stochastic, first, out, scratch, states, decisions):
    """Play games `first`, `first` + 1, ..., one a column of `out`.

    Parameters
    ----------
    rules : recarray of RULES, shape (1,)
    lineup : recarray of LINEUP, shape (players,)
    key : uint64[2]
        Seed and cell.
    match : bool
        Whether a game is a match or a hand.
    unit : int
        Games that share a deal: 1, or the number of seats if they rotate.
    stochastic : bool
        Whether any policy draws random numbers.
    first : int
    out : int32[columns, games]
    scratch : recarray of STATE, shape (1,)
        The position; after an illegal decision the one it was taken in, with the decision in `fault`.
    states, decisions : recarray of STATE, int64, shape (n,)
        Log of a single game, or empty.
    """
    law, state = rules[0], scratch[0]
    for column in range(out.shape[1]):
        game = first + column
        number = game // unit
        if stochastic:
            for seat in range(law.players):
                seed_stream(state.streams[seat], key[0], key[1], game, 1 + seat)
        start(state, law, key[0], key[1], number, match)
        while True:
            deal(state, law, key[0], key[1], number)
            if not _play_hand(state, law, lineup, game % unit, states, decisions):
                out[0, column] = ILLEGAL
                out[1, column] = state.to_play
                out[2, column] = min(max(state.fault, -(1 << 31)), (1 << 31) - 1)
                out[3, column] = SUIT if state.naming else PLAY
                return
            score(state, law)
            if not match or match_over(state, law):
                break
        write_game(state, law, match, out, column)


@jit
def list_legal(states, rules, cards, others):
    """Write down, for every position, the set of playable cards and the one other legal action.

    Parameters
    ----------
    states : recarray of STATE, shape (n,)
    rules : recarray of RULES, shape (1,)
    cards, others : int64[n]
        Filled in place; where a suit has to be named, `cards` is 0.
    """
    for index in range(states.size):
        state = states[index]
        cards[index] = 0 if state.naming else playable(state, rules[0])
        others[index] = other_action(state, rules[0])
