"""Recorded games, turn by turn, against the plain-Python referee."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pymacco_sim.games.base import CYCLE, FINISHED, STATUS_NAMES
from pymacco_sim.games.shithead import GAME
from pymacco_sim.games.shithead.game import Setup
from pymacco_sim.games.shithead.record import log_game
from pymacco_sim.games.shithead.state import DOWN, HAND, MAX_SEATS, NOBODY, UP, slot_rank

from .referee import shithead as referee
from .referee.shithead_policies import POLICIES as JUDGES
from .shithead_tools import PRESETS, list_copies, make_setup, referee_rules

PARTS = {part: [policy for policy in GAME.policies if policy.part == part] for part in GAME.parts}
FIELDS = (
    "seat",
    "value",
    "run",
    "tail",
    "tail_rank",
    "n_pile",
    "n_stock",
    "turns",
    "burns",
    "pickups",
    "failed",
    "slot",
    "phase",
)
ZONES = {"hand": HAND, "face_up": UP, "face_down": DOWN}


class Recorded:
    """A logged game as plain lists and bytes, quick to compare."""

    def __init__(self, setup: Setup, game: int) -> None:
        self.setup, self.seats = setup, setup.cell.n_seats
        self.states, decisions, self.out = log_game(setup, game)
        self.decisions = decisions.tolist()
        self.count = len(self.states)
        self.fields = {name: self.states[name].tolist() for name in FIELDS}
        most = np.zeros((self.count, 16), dtype=np.uint8)
        list_copies(self.states, setup.rules, most)
        self.most = most.tobytes()
        self.bytes = {name: np.ascontiguousarray(self.states[name]).tobytes() for name in ("pile_cards", "burnt")}
        seats = self.states["seats"]
        self.cards, self.known = (np.ascontiguousarray(seats[name]).tobytes() for name in ("cards", "known"))
        self.held, self.seen, self.down = (seats[name][:, : self.seats].tolist() for name in ("held", "seen", "down"))
        self.rows = list(zip(*(self.fields[name] for name in FIELDS[1:-2]), strict=True))
        self.width = len(self.bytes["pile_cards"]) // self.count
        shift = game % setup.cell.unit
        self.entrants = [setup.cell.entrants[(seat - shift) % self.seats] for seat in range(self.seats)]

    def zone_counts(self, index: int, seat: int, zone: int) -> bytes:
        """Cards by rank in a zone, one byte a rank."""
        start = ((index * MAX_SEATS + seat) * 2 + zone) * 16
        return self.cards[start : start + 16]

    def check_bystanders(self) -> None:
        """Nothing that lies before a seat changes in another seat's turn."""
        seats = self.states["seats"]
        first = self.seats
        changed = (seats[first + 1 :] != seats[first:-1])[:, : self.seats]
        movers = self.states["seat"][first:-1]
        changed[np.arange(len(movers)), movers] = False
        assert not changed.any()

    def table(self) -> referee.Table:
        """The position that was dealt, after the face-up choices that were taken."""
        size, start = int(self.setup.rules[0].up_size), self.states[0]
        rules = referee_rules(self.setup.cell.rules)  # type: ignore[arg-type]
        seats = range(self.seats)
        own = [list(elements(self.zone_counts(0, seat, HAND))) for seat in seats]
        laid = [[self.decisions[seat] >> 4 * index & 15 for index in range(size)] for seat in seats]
        down = [[int(slot_rank(me, slot)) for slot in range(me.held[DOWN])] for me in start.seats[: self.seats]]
        stock = start.stock[: int(start.n_stock)][::-1].tolist()
        dealt = Counter(stock) + Counter(card for cards in (*own, *down) for card in cards)
        assert dealt == Counter(dict(enumerate(self.setup.rules[0].copies.tolist())))
        return referee.Table.dealt(rules, own, laid, down, stock)


def elements(counts: bytes) -> Any:
    """Ranks of counts by rank."""
    return Counter(dict(enumerate(counts))).elements()


def counted(cards: list[int]) -> bytes:
    """Counts by rank, one byte a rank."""
    counts = bytearray(16)
    for card in cards:
        counts[card] += 1
    return bytes(counts)


def check_position(log: Recorded, index: int, table: referee.Table, seat: int) -> None:
    """Compare everything that a turn of `seat` can change, and what may be done next."""
    value, run, tail, tail_rank, n_pile, *rest = log.rows[index]
    assert rest == [len(table.stock), table.turns, table.burns, table.pick_ups, table.failed_face_down]
    assert (value, tail if tail_rank else run) == (table.value, table.run)
    assert log.bytes["pile_cards"][index * log.width : index * log.width + n_pile] == bytes(table.pile)
    assert log.bytes["burnt"][16 * index : 16 * index + 16] == counted(table.burnt)
    for zone, cards in ((HAND, table.hands), (UP, table.face_up)):
        assert log.zone_counts(index, seat, zone) == counted(cards[seat])
        assert log.held[index][seat][zone] == len(cards[seat])
    down, known = table.face_down[seat], table.known[seat]
    assert log.held[index][seat][DOWN] == len(down)
    assert log.down[index][seat] & (1 << 4 * len(down)) - 1 == sum(rank << 4 * slot for slot, rank in enumerate(down))
    assert log.seen[index][seat] == sum(1 << slot for slot, seen in enumerate(known) if seen)
    check_legal(log, index, table)


def check_legal(log: Recorded, index: int, table: referee.Table) -> None:
    """Compare who plays, from where, and every legal rank with its copies."""
    if table.over:
        return
    assert log.fields["seat"][index] == table.to_play
    legal, seat = table.legal(), table.to_play
    assert seat is not None
    most = log.most[16 * index : 16 * index + 16]
    assert {rank: copies for rank, copies in enumerate(most) if copies} == legal["plays"]
    held = log.held[index][seat]
    assert next(zone for zone in (HAND, UP, DOWN) if held[zone]) == ZONES[legal["zone"]]
    if legal["zone"] == "face_down":
        assert log.known[(index * MAX_SEATS + seat) * 16 :][:16] == counted(
            [card for card, seen in zip(table.face_down[seat], table.known[seat], strict=True) if seen]
        )


def action_of(log: Recorded, index: int, table: referee.Table) -> dict[str, Any]:
    """The decision of a turn in the referee's words."""
    seat, decision = table.to_play, log.decisions[index]
    assert seat is not None
    if table.zone(seat) == "face_down":
        slot = log.fields["slot"][index + 1]
        rank = table.face_down[seat][slot]
        assert (decision & 15 == 0) != table.known[seat][slot]
        assert decision & 15 in (0, rank)
        failed = log.fields["failed"][index + 1] > log.fields["failed"][index]
        return {"decline" if failed and table.playable(rank) else "face_down": slot}
    if decision == 0:
        return {"pick_up": True}
    rank, copies = decision & 15, decision >> 4
    own = table.zone_cards(seat).count(rank)
    return {"play": {"rank": rank, "copies": min(own, copies), "join": max(copies - own, 0)}}


def check_baseline(log: Recorded, table: referee.Table, action: dict[str, Any], rng: random.Random) -> None:
    """An exact baseline does what the referee's twin does, up to the slot of a blind pick."""
    seat = table.to_play
    assert seat is not None
    face_down = table.zone(seat) == "face_down"
    decider = log.entrants[seat].deciders[2 if face_down else 0]
    name = "lowest" if face_down and decider.policy.name == "known" else decider.policy.name
    if face_down != (decider.policy.name == "known") or name not in ("lowest", "highest", "single"):
        return
    expected = JUDGES[name](table, rng)
    if face_down:
        slots = [what.get("face_down", -1) for what in (action, expected)]
        known = [table.known[seat][slot] for slot in slots]
        assert known == [False, False] or table.face_down[seat][slots[0]] == table.face_down[seat][slots[1]]
    else:
        assert action == expected


def check_cycle(log: Recorded, keys: dict[int, Any], table: referee.Table) -> None:
    """A claimed cycle is one: the same position, and neither chance nor a random policy on the way."""
    length = int(log.out[-1])
    assert length > 0
    assert keys[table.turns - length] == table.position_key()
    for index in range(log.count - 1 - length, log.count - 1):
        seat, state = log.fields["seat"][index], log.states[index]
        me, choice = state.seats[seat], log.most[16 * index : 16 * index + 16] != bytes(16)
        face_down = me.held[HAND] + me.held[UP] == 0
        part = 2 if face_down else 0
        if face_down:
            assert log.decisions[index] & 15
        if face_down or choice:
            assert not log.entrants[seat].deciders[part].policy.stochastic


def replay(setup: Setup, game: int) -> int:
    """Replay one game by the referee; returns the status it ended with."""
    log, rng = Recorded(setup, game), random.Random(0)
    log.check_bystanders()
    table = log.table()
    status, seats = int(log.out[0]), log.seats
    for seat in range(seats):
        check_position(log, seats, table, seat)
    keys, repeated = {}, log.fields["turns"][-1] - int(log.out[-1])
    for index in range(seats, log.count - 1):
        if status == CYCLE and table.turns == repeated:
            keys[repeated] = table.position_key()
        action, mover = action_of(log, index, table), table.to_play
        assert mover is not None
        if game % 2 == 0:
            check_baseline(log, table, action, rng)
        table.apply(action)
        check_position(log, index + 1, table, mover)
    if status == CYCLE:
        check_cycle(log, keys, table)
        table.stall()
    check_end(log, table, status)
    return status


def check_end(log: Recorded, table: referee.Table, status: int) -> None:
    """Compare how the game ended, and the outcomes by seat."""
    seats = log.seats
    assert table.over
    assert (table.cause or table.status) == STATUS_NAMES[status]
    assert (log.fields["seat"][-1] == NOBODY) == (status == 0)
    assert (log.out[1 + 2 * seats : 1 + 3 * seats] / 2).tolist() == table.ranks()
    assert log.out[1 : 1 + seats].tolist() == [int(place == 1) for place in table.places]
    assert log.out[1 + seats : 1 + 2 * seats].tolist() == [int(seat == table.loser()) for seat in range(seats)]
    turns, burns, pickups, failed = log.out[1 + 3 * seats : 5 + 3 * seats].tolist()
    assert (turns, burns, pickups, failed) == (table.turns, table.burns, table.pick_ups, table.failed_face_down)


CHANGED: tuple[dict[str, Any], ...] = (
    {},
    {"run_to_burn": 3, "max_turns": 250},
    {"pickup_plays_again": True, "burner_plays_again": False, "decks": 2},
    {"failed_card": "stays", "may_decline": True, "draw": "one_each_turn"},
    {"compare": "equal_or_higher", "inverts": "9+4", "transparent": "3+8", "plain_bottom": True, "run_to_burn": 2},
    {"join_last_cards": True, "draw": "up_to_hand_size", "hand_size": 4, "up_size": 2, "down_size": 4, "decks": 2},
    {"first_player": "lowest_card", "play_until": "first", "jokers_per_deck": 3, "wild": "none", "decks": 2},
    {"max_idle": 12, "failed_card": "to_hand", "pickup_plays_again": False},
    {"burns": "none", "compare": "higher", "max_turns": 100, "wild": "2+5"},
    {"up_size": 0, "hand_size": 1, "down_size": 5, "decks": 2, "inverts": "Q", "transparent": "Q+3"},
)
"""Rule changes of the replayed games."""

GAMES = {2: 80, 3: 30, 4: 12, 5: 7, 6: 5}
"""Games a line-up, by seats: short games are many."""


def line_up(rng: random.Random, seats: int) -> list[str]:
    """Any policies; one seat in three mixes its parts."""
    chosen = []
    for _ in range(seats):
        spec = rng.choice(PARTS["play"]).name
        if rng.random() < 1 / 3:
            spec += "".join(f"+{part}={rng.choice(PARTS[part]).name}" for part in GAME.parts[1:])
        chosen.append(spec)
    return chosen


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("preset", PRESETS)
def test_recorded_games(preset: str, seats: int) -> None:
    rng = random.Random(f"{preset} {seats}")
    ends: Counter[int] = Counter()
    for index in range(50):
        whole = index < len(CHANGED)
        rules = {"max_turns": 400 if whole else 60, **CHANGED[index % len(CHANGED)]}
        setup = make_setup(line_up(rng, seats), rules, preset, seed=index, rotate=index % 2 == 1)
        for game in range(GAMES[seats]):
            ends[replay(setup, game)] += 1
    assert ends[FINISHED] > 20


def test_there_are_enough_of_them() -> None:
    assert sum(GAMES.values()) * 50 * len(PRESETS) >= 20_000


@pytest.mark.parametrize("preset", PRESETS)
def test_baselines_under_the_rules_as_they_are(preset: str) -> None:
    ends: Counter[int] = Counter()
    for policy in ("lowest", "highest", "single"):
        setup = make_setup([policy] * 4, preset=preset)
        for game in range(40):
            ends[replay(setup, game)] += 1
    assert ends[CYCLE] > 0
