"""Referee of the shithead family (Tomacco, Threes): slow, plain, independent of the package."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

Action = dict[str, Any]

DEFAULTS: dict[str, Any] = {
    "players": 4,
    "decks": 2,
    "jokers_per_deck": 2,
    "compare": "equal_or_higher",
    "wild": (2, 8, 15),
    "burns": (10, 15),
    "inverts": (7,),
    "transparent": (8,),
    "plain_bottom": False,
    "run_to_burn": 4,
    "burner_plays_again": True,
    "pickup_plays_again": True,
    "draw": "up_to_hand_size",
    "hand_size": 3,
    "up_size": 3,
    "down_size": 3,
    "failed_card": "to_hand",
    "join_last_cards": False,
    "may_decline": False,
    "first_player": "lowest_card",
    "play_until": "last",
    "max_turns": 10_000,
    "max_idle": 0,
}
WORDS = {
    "compare": ("higher", "equal_or_higher"),
    "draw": ("one_each_turn", "up_to_hand_size"),
    "failed_card": ("stays", "to_hand"),
    "first_player": ("seat_0", "lowest_card"),
    "play_until": ("last", "first"),
}
SEARCH_ORDER = (*range(3, 15), 2, 15)


class IllegalMove(ValueError):  # noqa: N818
    """The action is not allowed in this position."""


def preset(name: str, players: int = 4) -> dict[str, Any]:
    """Rule fields of ``tomacco``, ``threes`` or ``threes-2022`` for a number of seats."""
    rules = {**DEFAULTS, "players": players}
    if name == "tomacco":
        rules |= {"decks": 0, "jokers_per_deck": 0, "run_to_burn": 0}
        rules |= {"compare": "higher", "wild": (2, 10), "burns": (10, 14), "inverts": (), "transparent": ()}
        rules |= {"pickup_plays_again": False, "draw": "one_each_turn", "failed_card": "stays"}
        rules |= {"may_decline": True, "first_player": "seat_0"}
    elif name == "threes-2022":
        rules |= {"wild": (2, 8, 10, 15), "plain_bottom": True, "join_last_cards": True}
    elif name != "threes":
        raise ValueError(f"no shithead rule set is called {name!r}")
    return rules


def read_rules(rules: Mapping[str, Any]) -> SimpleNamespace:
    """Fill in the defaults (Threes) and refuse fields or words the referee does not know.

    ``decks=0`` is one deck for every five players, ``run_to_burn=0`` three with one deck and four with more.
    """
    unknown = sorted(set(rules) - set(DEFAULTS))
    if unknown:
        raise ValueError(f"the referee does not know the rule fields {unknown}")
    full = {**DEFAULTS, **rules}
    for field, allowed in WORDS.items():
        if full[field] not in allowed:
            raise ValueError(f"{field} must be one of {allowed}, not {full[field]!r}")
    full["decks"] = full["decks"] or -(-full["players"] // 5)
    full["run_to_burn"] = full["run_to_burn"] or (3 if full["decks"] == 1 else 4)
    return SimpleNamespace(**full)


def first_player(rules: Mapping[str, Any], hands: Sequence[Sequence[int]]) -> int:
    """Seat that opens the game, given the hands after the face-up choice."""
    if read_rules(rules).first_player == "seat_0":
        return 0
    for rank in SEARCH_ORDER:
        for seat, hand in enumerate(hands):
            if rank in hand:
                return seat
    return 0


class Table:
    """A position, changed by `apply`.

    Parameters
    ----------
    rules : mapping
        Rule fields; missing ones are those of Threes.
    state : mapping
        ``hands``, ``face_up``, ``face_down`` (lists of ranks per seat); optionally ``known_down`` (slots per
        seat), ``pile`` (bottom to top), ``stock`` (next card first), ``out`` (seats in order of going out)
        and ``to_play`` (missing: found by the first-player rule).
    """

    def __init__(self, rules: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        self.rules = read_rules(rules)
        seats = range(self.rules.players)
        self.hands = [list(cards) for cards in state["hands"]]
        self.face_up = [list(cards) for cards in state["face_up"]]
        self.face_down = [list(cards) for cards in state["face_down"]]
        known = state.get("known_down") or [[] for _ in seats]
        self.known = [[slot in known[seat] for slot in range(len(self.face_down[seat]))] for seat in seats]
        self.pile = list(state.get("pile", ()))
        self.stock = list(state.get("stock", ()))
        self.out = list(state.get("out", ()))
        self.burnt: list[int] = []
        self.turns = self.burns = self.pick_ups = self.failed_face_down = self.idle = 0
        self.status, self.cause = "playing", ""
        start = state.get("to_play")
        self.to_play: int | None = first_player(rules, self.hands) if start is None else start
        self._progress = False

    @classmethod
    def dealt(
        cls,
        rules: Mapping[str, Any],
        own_cards: Sequence[Sequence[int]],
        face_up: Sequence[Sequence[int]],
        face_down: Sequence[Sequence[int]],
        stock: Sequence[int],
    ) -> Table:
        """Opening position: ``own_cards`` are the six cards of a seat, ``face_up`` the three it lays out."""
        hands, up_size = [], read_rules(rules).up_size
        for cards, laid in zip(own_cards, face_up, strict=True):
            if Counter(laid) - Counter(cards) or len(laid) != up_size:
                raise IllegalMove(f"face-up cards {laid} cannot be chosen out of {cards}")
            hands.append(list((Counter(cards) - Counter(laid)).elements()))
        return cls(rules, {"hands": hands, "face_up": face_up, "face_down": face_down, "stock": stock})

    @property
    def over(self) -> bool:
        return self.status != "playing"

    @property
    def value(self) -> int:
        """Rank the next play is compared with; 0 where anything may follow."""
        for index in reversed(range(len(self.pile))):
            if self._is_plain(index):
                return self.pile[index]
        return 0

    @property
    def inverted(self) -> bool:
        return self.value in self.rules.inverts

    @property
    def run(self) -> int:
        """Length of the run on top of the pile."""
        if not self.pile:
            return 0
        top, length = self.pile[-1], 0
        skipping = self._is_plain(len(self.pile) - 1)
        for index in reversed(range(len(self.pile))):
            if self.pile[index] == top:
                length += 1
            elif not skipping or self._is_plain(index):
                break
        return length

    def _is_plain(self, index: int) -> bool:
        bottom = index == 0 and self.rules.plain_bottom
        return bottom or self.pile[index] not in self.rules.transparent

    def playable(self, rank: int) -> bool:
        """Whether a card of this rank may go on the pile."""
        value = self.value
        if value == 0 or rank in self.rules.wild:
            return True
        if self.inverted:
            return rank <= value
        return rank > value or (rank == value and self.rules.compare == "equal_or_higher")

    def zone(self, seat: int) -> str:
        """Zone the seat plays from: ``hand``, ``face_up``, ``face_down`` or ``out``."""
        for name, cards in (("hand", self.hands), ("face_up", self.face_up), ("face_down", self.face_down)):
            if cards[seat]:
                return name
        return "out"

    def zone_cards(self, seat: int) -> list[int]:
        """Cards of the zone the seat plays from."""
        zones = {"hand": self.hands, "face_up": self.face_up, "face_down": self.face_down}
        return zones[self.zone(seat)][seat]

    def joinable(self, rank: int) -> int:
        """Face-up copies that may be added when the seat to play plays its whole hand of this rank."""
        hand = self.hands[self.to_play]
        allowed = self.rules.join_last_cards and not self.stock and hand
        return self.face_up[self.to_play].count(rank) if allowed and set(hand) == {rank} else 0

    def legal(self) -> dict[str, Any]:
        """Legal actions: zone, greatest number of copies per rank, pick-up, face-down slots."""
        if self.over:
            return {"zone": "out", "plays": {}, "must_pick_up": False, "face_down": [], "may_decline": []}
        seat = self.to_play
        zone, cards = self.zone(seat), self.zone_cards(seat)
        plays, slots, refusable = {}, [], []
        if zone == "face_down":
            slots = list(range(len(cards)))
            if self.rules.may_decline and self.pile:
                refusable = [slot for slot in slots if self.playable(cards[slot])]
        else:
            plays = {r: cards.count(r) + self.joinable(r) for r in sorted(set(cards)) if self.playable(r)}
        must = zone != "face_down" and not plays
        actions = {"plays": plays, "must_pick_up": must, "face_down": slots, "may_decline": refusable}
        return {"zone": zone, **actions}

    def apply(self, action: Action) -> None:
        """Carry out one action of the seat to play.

        Raises
        ------
        IllegalMove
            If the action is not legal; the position is then unchanged.
        """
        if self.over:
            raise IllegalMove("the game is over")
        if len(action) != 1:
            raise IllegalMove(f"an action has one key, not {sorted(action)}")
        (what, detail), *_ = action.items()
        self._progress = False
        if what == "play":
            self._play(detail["rank"], detail["copies"], detail.get("join", 0))
        elif what == "pick_up":
            self._pick_up()
        elif what in ("face_down", "decline"):
            self._try_face_down(detail, decline=what == "decline")
        else:
            raise IllegalMove(f"unknown action {what!r}")

    def _play(self, rank: int, copies: int, join: int) -> None:
        seat = self.to_play
        cards, zone = self.zone_cards(seat), self.zone(seat)
        if zone == "face_down":
            raise IllegalMove("from face-down a slot is played, not a rank")
        if not 1 <= copies <= cards.count(rank):
            raise IllegalMove(f"seat {seat} cannot play {copies} of rank {rank} from {zone} {cards}")
        if join and (copies < len(cards) or not 0 < join <= self.joinable(rank)):
            raise IllegalMove(f"seat {seat} may not join {join} face-up cards of rank {rank}")
        if not self.playable(rank):
            raise IllegalMove(f"rank {rank} may not go on {self.pile}")
        for _ in range(copies):
            cards.remove(rank)
        for _ in range(join):
            self.face_up[seat].remove(rank)
        self._lay(rank, copies + join)

    def _lay(self, rank: int, copies: int) -> None:
        self.pile += [rank] * copies
        burning = rank in self.rules.burns or self.run >= self.rules.run_to_burn
        if burning:
            self.burnt += self.pile
            self.pile = []
            self.burns += 1
            self._progress = True
        self._end_turn(burning and self.rules.burner_plays_again)

    def _pick_up(self) -> None:
        if not self.legal()["must_pick_up"]:
            raise IllegalMove(f"seat {self.to_play} can play and may not pick up")
        self._take_pile()

    def _take_pile(self) -> None:
        self.hands[self.to_play] += self.pile
        self.pile = []
        self.pick_ups += 1
        self._end_turn(self.rules.pickup_plays_again)

    def _try_face_down(self, slot: int, decline: bool) -> None:
        legal, seat = self.legal(), self.to_play
        if slot not in legal["face_down"]:
            raise IllegalMove(f"seat {seat} has no face-down card to play in slot {slot}")
        if decline and slot not in legal["may_decline"]:
            raise IllegalMove(f"seat {seat} may not decline the face-down card in slot {slot}")
        rank = self.face_down[seat][slot]
        self._progress = not self.known[seat][slot]
        if self.playable(rank) and not decline:
            del self.face_down[seat][slot], self.known[seat][slot]
            self._lay(rank, 1)
            return
        self.failed_face_down += 1
        if self.rules.failed_card == "stays":
            self.known[seat][slot] = True
        else:
            del self.face_down[seat][slot], self.known[seat][slot]
            self.hands[seat].append(rank)
        self._take_pile()

    def _draw(self) -> None:
        hand = self.hands[self.to_play]
        wanted = 1 if self.rules.draw == "one_each_turn" else max(0, self.rules.hand_size - len(hand))
        drawn, self.stock = self.stock[:wanted], self.stock[wanted:]
        hand += drawn
        self._progress = self._progress or bool(drawn)

    def _end_turn(self, again: bool) -> None:
        seat, n = self.to_play, self.rules.players
        self._draw()
        self.turns += 1
        if self.zone(seat) == "out":
            self.out.append(seat)
            self._progress, again = True, False
        self.idle = 0 if self._progress else self.idle + 1
        if not again:
            following = [(seat + k) % n for k in range(1, n + 1)]
            self.to_play = next(s for s in following if s not in self.out)
        if n - len(self.out) <= 1 or (self.out and self.rules.play_until == "first"):
            self._stop("finished", "")
        elif self.turns >= self.rules.max_turns:
            self._stop("stalled", "cap")
        elif self.rules.max_idle and self.idle >= self.rules.max_idle:
            self._stop("stalled", "idle")

    def _stop(self, status: str, cause: str) -> None:
        self.status, self.cause, self.to_play = status, cause, None

    def stall(self, cause: str = "cycle") -> None:
        """Stop the game as stalled, for a reason found outside (a repeated position)."""
        self._stop("stalled", cause)

    @property
    def places(self) -> list[int]:
        """Finishing place per seat, 0 for a seat that did not go out."""
        return [self.out.index(s) + 1 if s in self.out else 0 for s in range(self.rules.players)]

    def ranks(self) -> list[float]:
        """Finishing place per seat; the seats still in share the remaining places."""
        shared = (len(self.out) + 1 + self.rules.players) / 2
        return [float(place) if place else shared for place in self.places]

    def loser(self) -> int | None:
        """Seat left at the end of a finished game played until the last, else None."""
        if self.status != "finished" or self.rules.play_until == "first":
            return None
        return self.places.index(0)

    def position_key(self) -> tuple[Any, ...]:
        """Hashable full position: two equal keys of one game are the same position."""
        hands = tuple(tuple(sorted(cards)) for cards in (*self.hands, *self.face_up))
        down = tuple(tuple(zip(*pair, strict=True)) for pair in zip(self.face_down, self.known, strict=True))
        return (self.to_play, hands, down, tuple(self.pile), tuple(self.stock), tuple(self.out))

    def snapshot(self) -> dict[str, Any]:
        """Plain copy of everything there is to know about the position."""
        return {
            "hands": [sorted(cards) for cards in self.hands],
            "face_up": [sorted(cards) for cards in self.face_up],
            "face_down": [list(cards) for cards in self.face_down],
            "known_down": [[i for i, seen in enumerate(known) if seen] for known in self.known],
            "pile": list(self.pile),
            "value": self.value,
            "inverted": self.inverted,
            "run": self.run,
            "stock": len(self.stock),
            "burnt": dict(sorted(Counter(self.burnt).items())),
            "places": self.places,
            "to_play": self.to_play,
            "turns": self.turns,
            "burns": self.burns,
            "pick_ups": self.pick_ups,
            "failed_face_down": self.failed_face_down,
            "over": self.over,
            "status": self.status,
            "cause": self.cause,
        }


def deal(rules: Mapping[str, Any], rng: random.Random) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Shuffle and deal: own cards per seat, face-down cards per seat, stock."""
    full = read_rules(rules)
    deck = [*range(2, 15)] * 4 * full.decks + [15] * full.jokers_per_deck * full.decks
    own, seats = full.hand_size + full.up_size, range(full.players)
    if (own + full.down_size) * full.players > len(deck):
        raise ValueError(f"{len(deck)} cards do not suffice for {full.players} players")
    rng.shuffle(deck)
    cards = [[deck.pop() for _ in range(own)] for _ in seats]
    return cards, [[deck.pop() for _ in range(full.down_size)] for _ in seats], deck
