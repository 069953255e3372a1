"""What a hand and a match report, and the kernel that writes it: two lists in one order."""

from __future__ import annotations

from pymacco_sim._jit import jit
from pymacco_sim.games.base import CAP, FINISHED, Outcome
from pymacco_sim.games.macao.state import STALLED

WIN_SCALE = 840
"""One match win; divisible by 1 to 8, so that ties split exactly."""

_PER_HAND = {
    "turns": "turns a hand, with lost turns, passes and the winning turn",
    "first_turn_win": "hands won in their first turn",
    "blocked": "hands blocked: everybody passed in a row, nobody won",
    "stock_empty": "hands that ended with an empty stock",
    "lost_turns": "turns lost to a pending penalty",
    "cards_played": "cards played",
    "cards_drawn": "cards drawn, by choice or by force",
    "forced_taken": "times that pending draws were taken",
    "forced_cards": "cards drawn by force",
    "forced_answered": "times that pending draws were answered with a card",
    "skips": "turns lost with a skip pending",
}
_SHARES = ("first_turn_win", "blocked", "stock_empty")


def list_outcomes(match: bool) -> tuple[Outcome, ...]:
    """Return the outcomes of a match or of a single hand."""
    return _MATCH if match else _HAND


_HAND = (
    Outcome("win", "hand won", seat=True, share=True, better=1),
    Outcome("points", "penalty points of the hand", seat=True, histogram=True, better=-1),
    *(Outcome(n, words, share=n in _SHARES, histogram=n == "turns") for n, words in _PER_HAND.items()),
)

_MATCH = (
    Outcome("win", "match won; the lowest totals share it", seat=True, scale=WIN_SCALE, share=True, better=1),
    Outcome("hand_win", "hands won", seat=True, per="hands", share=True, better=1),
    Outcome("points", "penalty points a hand", seat=True, per="hands", better=-1),
    Outcome("total", "final score", seat=True, per="finished", histogram=True, better=-1),
    *(Outcome(n, words, per="hands", share=n in _SHARES) for n, words in _PER_HAND.items()),
    Outcome("hands", "hands a match", histogram=True),
    Outcome("stalled_hands", "hands that reached the cap on turns", per="hands", share=True),
    Outcome("winner_score", "lowest final score", per="finished", histogram=True),
    Outcome("tied", "matches with several lowest scores", per="finished", share=True),
)


@jit
def write_game(state, rules, match, out, column):
    """Write a game that has ended into a column of the outcome block."""
    stalled = state.over == STALLED
    if match:
        most = 0
        for seat in range(rules.players):
            most = max(most, state.totals[seat])
        stalled = stalled or most < rules.target
    out[0, column] = CAP if stalled else FINISHED
    if match:
        row = _write_match_seats(state, rules, stalled, out, column)
    else:
        row = _write_hand_seats(state, rules, out, column)
    out[row, column], out[row + 1, column] = state.turns, state.first_turn_win
    out[row + 2, column], out[row + 3, column] = state.blocked, state.stock_empty
    out[row + 4, column], out[row + 5, column] = state.lost_turns, state.cards_played
    out[row + 6, column], out[row + 7, column] = state.cards_drawn, state.forced_taken
    out[row + 8, column], out[row + 9, column] = state.forced_cards, state.forced_answered
    out[row + 10, column] = state.skips
    if match:
        _write_match(state, rules, row + 11, out, column)


@jit
def _write_hand_seats(state, rules, out, column):
    for seat in range(rules.players):
        out[1 + seat, column] = state.won[seat]
        out[1 + rules.players + seat, column] = state.totals[seat]
    return 1 + 2 * rules.players


@jit
def _lowest(state, rules):
    """Return the lowest total and how many seats have it."""
    low, ties = state.totals[0], 0
    for seat in range(rules.players):
        low = min(low, state.totals[seat])
    for seat in range(rules.players):
        ties += state.totals[seat] == low
    return low, ties


@jit
def _write_match_seats(state, rules, stalled, out, column):
    low, ties = _lowest(state, rules)
    players = rules.players
    for seat in range(players):
        wins = not stalled and state.totals[seat] == low
        out[1 + seat, column] = WIN_SCALE // ties if wins else 0
        out[1 + players + seat, column] = state.won[seat]
        out[1 + 2 * players + seat, column] = state.totals[seat]
        out[1 + 3 * players + seat, column] = state.totals[seat]
    return 1 + 4 * players


@jit
def _write_match(state, rules, row, out, column):
    low, ties = _lowest(state, rules)
    out[row, column], out[row + 1, column] = state.hands, state.stalled_hands
    out[row + 2, column], out[row + 3, column] = low, ties > 1
