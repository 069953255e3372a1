"""One game as rows, one an event, and as a transcript for card players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pymacco_sim.core.calls import RAISED
from pymacco_sim.games.base import ILLEGAL
from pymacco_sim.games.macao.cards import N_KINDS, RANKS, SUIT_NAMES, SUITS, card_name, card_names
from pymacco_sim.games.macao.engine import apply, hand_points, other_action, playable
from pymacco_sim.games.macao.state import BLOCKED, DRAW, END, LEAD_SUIT, PASS, PLAYING, TAKE, WON, new_states

if TYPE_CHECKING:
    from pymacco_sim.games.macao.game import Setup

OTHER_NAMES = {DRAW: "draw", TAKE: "take", END: "end", PASS: "pass"}

Row = dict[str, Any]


def log_game(setup: Setup, game: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play one game and return every position and the decision taken in it.

    Parameters
    ----------
    setup : Setup
    game : int

    Returns
    -------
    states : recarray of STATE, shape (n + 1,)
        The position before each decision, its stock in order (next card last), and the end of the game.
    decisions : int64[n]
    out : int32[columns]
        What the game reports.
    """
    out = np.zeros((4096, 1), dtype=np.int32)
    scratch = new_states()
    setup.run(game, out, scratch)
    illegal = int(out[0, 0] == ILLEGAL)
    count = int(scratch[0].decisions) + illegal
    states, decisions = new_states(count + 1), np.zeros(count, dtype=np.int64)
    scratch[0].ordered = 1
    setup.run(game, out, scratch, (states, decisions))
    states[count] = scratch[0]
    return states, decisions, out[:, 0]


def pending(state: np.record) -> Row:
    """Return what is pending: cards to draw, turns to lose, kind of card that answers."""
    kind = int(state.kind)
    name = None if kind == 0 else "joker" if kind > 14 else RANKS[kind - 2]
    return {"draw": int(state.draw), "skip": int(state.skip), "kind": name}


def named_suit(state: np.record) -> str | None:
    """Return the letter of the suit that a wild card on top has named."""
    number = int(state.lead) - LEAD_SUIT
    return SUITS[number] if 0 <= number < 4 and not state.naming else None


def legal_actions(state: np.record, law: np.record) -> Row:
    """Return the legal actions: cards by name, and the one other action; or the suits when one has to be named."""
    if state.over != PLAYING:
        return {"cards": [], "other": None}
    if state.naming:
        return {"suits": list(SUITS)}
    return {"cards": card_names(playable(state, law)), "other": OTHER_NAMES[int(other_action(state, law))]}


def decision_row(decision: int, naming: bool) -> Row:
    """Return a decision as plain words: ``{"card": "AH", "suit": "S"}``, ``{"suit": "S"}`` or ``{"draw": True}``."""
    if naming:
        return {"suit": SUITS[decision]}
    if decision < 0:
        return {OTHER_NAMES[decision]: True}
    named = decision >> 6
    return {"card": card_name(decision & 63), "suit": SUITS[named - 1] if named else None}


def make_rows(setup: Setup, game: int, states: np.ndarray, decisions: np.ndarray, out: np.ndarray) -> list[Row]:
    """Return a logged game as JSON-ready rows, one an event.

    Events are ``deal``, then ``play``, ``name``, ``draw``, ``take``, ``end``, ``pass`` (or ``illegal``), ``hand`` when
    one is over, and ``match``. Cards are written as rank and suit; stock: next card first.
    """
    law, cell = setup.rules[0], setup.cell
    shift = game % cell.unit
    labels = [cell.entrants[(seat - shift) % cell.n_seats].label for seat in range(cell.n_seats)]
    rows: list[Row] = []
    for index, decision in enumerate(decisions):
        before, after = states[index], states[index + 1]
        if before.turn == 0 and before.played == 0:
            rows.append({**_deal_row(before, law), "game": game, "scope": cell.scope, "policies": labels})
        if out[0] == ILLEGAL and index == len(decisions) - 1:
            rows.append(
                {
                    **_move_row(before, law, labels),
                    "event": "illegal",
                    "why": explain_decision(before, law, int(decision)),
                }
            )
            return rows
        if after.hands > before.hands or index == len(decisions) - 1:
            after = _finish(before, law, int(decision))
        rows.append(_decision_event(before, after, law, labels, int(decision)))
        if after.over != PLAYING:
            rows.append(_hand_row(after, law, before))
    if setup.match:
        rows.append(_match_row(states[-1], cell.n_seats, int(out[0])))
    return rows


def _finish(before: np.record, law: np.record, decision: int) -> np.record:
    """Return the position after a decision, before the next hand is dealt."""
    after = new_states()
    after[0] = before
    apply(after[0], law, decision)
    return after[0]


def _deal_row(state: np.record, law: np.record) -> Row:
    seats = range(int(law.players))
    return {
        "event": "deal",
        "hand": int(state.hands) + 1,
        "dealer": int(state.dealer) % int(law.players),
        "starts": int(state.to_play),
        "hands": [card_names(state.counts[seat]) for seat in seats],
        "up": card_name(int(state.top)),
        "stock": [card_name(int(card)) for card in state.deck[: int(state.stock)][::-1]],
        "totals": [int(state.totals[seat]) for seat in seats],
    }


def _move_row(state: np.record, law: np.record, labels: Sequence[str]) -> Row:
    seat = int(state.to_play)
    return {
        "event": "",
        "hand": int(state.hands) + 1,
        "turn": int(state.turn) + 1,
        "seat": seat,
        "policy": labels[seat],
        "top": card_name(int(state.top)),
        "named_suit": named_suit(state),
        "pending": pending(state),
        "played": [card_name(int(card)) for card in state.chain[: int(state.played)]],
        "holds": card_names(state.counts[seat]),
        "legal": legal_actions(state, law),
        "cards": [int(count) for count in state.cards[: int(law.players)]],
        "stock": int(state.stock),
    }


def _decision_event(before: np.record, after: np.record, law: np.record, labels: Sequence[str], decision: int) -> Row:
    row = _move_row(before, law, labels)
    seat = row["seat"]
    if before.naming:
        return {**row, "event": "name", "suit": SUITS[decision]}
    if decision < 0:
        drawn = after.counts[seat].astype(int) - before.counts[seat]
        return {
            **row,
            "event": OTHER_NAMES[decision],
            "drawn": card_names(np.maximum(drawn, 0)),
            "reshuffled": bool(after.pile < before.pile),
        }
    event = {**row, "event": "play", **decision_row(decision, False), "follows": _why(before, law, decision & 63)}
    return {**event, "leaves": pending(after)}


def _why(state: np.record, law: np.record, card: int) -> str:
    """Say why a card may be played."""
    if state.played == 0 and (state.draw or state.skip):
        if law.kind[card] == state.kind:
            return "answers"
        return "cancels the draws" if law.cancel[card] else "answers"
    if law.wild[card]:
        return "wild"
    lead = int(state.lead)
    if lead >= N_KINDS:
        named = LEAD_SUIT <= lead < LEAD_SUIT + 4
        matches = named and card < 52 and card % 4 == lead - LEAD_SUIT
        return "the named suit" if matches else "follows anything" if named else "anything follows"
    if card < 52 and lead < 52 and card % 4 == lead % 4:
        return "same suit"
    return "same rank" if card < 52 and card // 4 == lead // 4 else "follows anything"


def _hand_row(state: np.record, law: np.record, before: np.record) -> Row:
    seats = range(int(law.players))
    points = [int(hand_points(state, law, seat)) for seat in seats]
    result = {WON: "won", BLOCKED: "blocked"}.get(int(state.over), "stalled")
    return {
        "event": "hand",
        "hand": int(before.hands) + 1,
        "result": result,
        "winner": int(state.winner) if result == "won" else None,
        "turns": int(state.turn),
        "left": [card_names(state.counts[seat]) for seat in seats],
        "points": points,
        "totals": [int(before.totals[seat]) + points[seat] for seat in seats],
    }


def _match_row(state: np.record, players: int, status: int) -> Row:
    totals = [int(total) for total in state.totals[:players]]
    winners = [seat for seat, total in enumerate(totals) if total == min(totals)] if status == 0 else []
    return {
        "event": "match",
        "hands": int(state.hands),
        "totals": totals,
        "winners": winners,
        "result": "finished" if status == 0 else "stalled",
    }


def explain_decision(state: np.record, law: np.record, decision: int) -> str:
    """Return what a decision would do, and what would have been legal, in words."""
    legal = legal_actions(state, law)
    if decision == RAISED:
        came = "it raised an error"
    elif state.naming:
        came = f"it named suit {decision}; suits are 0 to 3"
        return came
    elif decision in OTHER_NAMES:
        came = f"it chose to {OTHER_NAMES[decision]}"
    elif decision >= 0 and decision & 63 < N_KINDS and decision >> 6 <= 4:
        came = f"it played {card_name(decision & 63)}"
        came += f" and named {SUIT_NAMES[(decision >> 6) - 1]}" if decision >> 6 else ""
    else:
        came = f"decision {decision} is no card and no action"
    under = f"{card_name(int(state.top))} on top"
    if named_suit(state):
        under += f", {SUIT_NAMES[SUITS.index(str(named_suit(state)))]} named"
    if not state.played and (state.draw or state.skip):
        under += f", {_pending_words(pending(state))} pending"
    return f"{came} with {under}; legal: {', '.join([*legal.get('cards', []), str(legal.get('other'))])}"


def _pending_words(what: Mapping[str, Any]) -> str:
    parts = [f"{what['draw']} to draw"] if what["draw"] else []
    if what["skip"]:
        parts.append("a lost turn" if what["skip"] == 1 else f"{what['skip']} lost turns")
    return " and ".join(parts)


# --- the transcript -------------------------------------------------------------------------------------------------


def tell(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a transcript from the rows of :func:`make_rows`."""
    turn = (0, 0)
    for row in rows:
        event = row["event"]
        if event == "deal":
            yield from _tell_deal(row)
        elif event == "hand":
            yield from _tell_hand(row)
        elif event == "match":
            yield from _tell_match(row)
        else:
            if (row["hand"], row["turn"]) != turn:
                turn = (row["hand"], row["turn"])
                yield _tell_turn(row)
            yield f"    {_tell_move(row)}"


def _tell_deal(row: Mapping[str, Any]) -> Iterator[str]:
    if row["hand"] == 1:
        what = "a match" if row["scope"] == "match" else "one hand"
        yield f"Macao, game {row['game']}: {what}"
        yield from (f"  seat {seat}: {label}" for seat, label in enumerate(row["policies"]))
    yield ""
    dealt = f"seat {row['dealer']} deals, " if row["scope"] == "match" else ""
    yield f"Hand {row['hand']}: {dealt}seat {row['starts']} starts; turned up: {row['up']}"


def _tell_turn(row: Mapping[str, Any]) -> str:
    under = row["top"] if row["named_suit"] is None else f"{row['top']} ({_suit_word(row['named_suit'])})"
    due = _pending_words(row["pending"])
    return (
        f"  Turn {row['turn']}, seat {row['seat']} ({row['policy']}) on {under}"
        f"{f', pending: {due}' if due else ''}; holds {' '.join(row['holds'])}"
    )


def _suit_word(letter: str) -> str:
    return SUIT_NAMES[SUITS.index(letter)]


def _tell_move(row: Mapping[str, Any]) -> str:
    event = row["event"]
    if event == "play":
        named = f", names {_suit_word(row['suit'])}" if row["suit"] else ""
        due = _pending_words(row["leaves"])
        return f"plays {row['card']} ({row['follows']}){named}{f'; pending: {due}' if due else ''}"
    if event == "name":
        return f"names {_suit_word(row['suit'])}"
    if event == "illegal":
        return f"illegal: {row['why']}"
    new_stock = " (the pile was shuffled into a new stock)" if row.get("reshuffled") else ""
    could = row["legal"]["cards"]
    instead = f", though {' '.join(could)} could be played" if could else ""
    if event == "draw":
        return f"draws {' '.join(row['drawn'])}{instead}{new_stock}"
    if event == "take":
        drawn = f"draws {' '.join(row['drawn'])} and " if row["drawn"] else ""
        return f"{drawn}loses the turn{instead}{new_stock}"
    if event == "pass":
        return f"passes{instead}"
    left = len(row["holds"])
    return f"ends the turn with {left} card{'' if left == 1 else 's'}{instead}"


def _tell_hand(row: Mapping[str, Any]) -> Iterator[str]:
    words = {
        "won": f"seat {row['winner']} has no cards left and wins the hand",
        "blocked": "everybody passed: the hand is blocked, nobody wins it",
        "stalled": "the cap on turns is reached: the hand is stalled",
    }
    yield f"  After {row['turns']} turns {words[row['result']]}"
    for seat, (left, points, total) in enumerate(zip(row["left"], row["points"], row["totals"], strict=True)):
        yield f"    seat {seat}: {points} points ({' '.join(left) or 'nothing left'}), total {total}"


def _tell_match(row: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    if row["result"] == "stalled":
        yield f"After {row['hands']} hands the match is stalled; it has no winner"
        return
    who = " and ".join(f"seat {seat}" for seat in row["winners"])
    low = min(row["totals"])
    yield f"After {row['hands']} hands {who} win{'s' if len(row['winners']) == 1 else ''} the match with {low} points"
