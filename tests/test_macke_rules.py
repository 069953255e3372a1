"""Rules as data, roll classes and choices: the worked rolls, the referee, and the words of errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pymacco_sim import RequestError
from pymacco_sim.games.macke.rolls import Rolls, enumerate_rolls
from pymacco_sim.games.macke.rules import PRESETS, MackeRules

from .macke_tools import referee_rules
from .referee import macke as referee

DATA = Path(__file__).parent / "data"
ROLLS = json.loads((DATA / "macke_rolls.json").read_text())["rolls"]
VALUES = json.loads((DATA / "macke_values.json").read_text())


@pytest.mark.parametrize("row", ROLLS, ids=["".join(map(str, row["roll"])) for row in ROLLS])
def test_worked_roll(row: dict[str, Any]) -> None:
    rolls = enumerate_rolls(MackeRules())
    choices = rolls.choices(rolls.find(row["roll"]))
    assert set(choices) == {(c["points"], c["dice_left"]) for c in row["set_asides"]}
    assert len(set(choices)) == len(choices)
    assert row["macke"] == (not choices)
    if choices:
        assert choices[0] == (row["take_all"]["points"], row["take_all"]["dice_left"])


def same_as_referee(rules: MackeRules, rolls: Rolls) -> None:
    words = referee_rules(rules)
    for index in range(rolls.n_classes):
        assert set(rolls.choices(index)) == referee.set_asides(words, rolls.pips(index)), rolls.pips(index)


@pytest.mark.parametrize("preset", ["macke", "farkle", "farkle-facebook", "ten-thousand"])
def test_presets_offer_what_the_referee_offers(preset: str) -> None:
    rules = MackeRules(**PRESETS[preset].fields)
    same_as_referee(rules, enumerate_rolls(rules))


points = st.sampled_from([0, 0, 50, 100, 250, 400])
scoring = st.fixed_dictionaries(
    {
        "dice": st.integers(1, 6),
        "singles": st.lists(points, min_size=6, max_size=6).filter(any),
        "triples": st.lists(st.sampled_from([0, 200, 500, 1000]), min_size=6, max_size=6),
        "n_of_a_kind": st.lists(st.sampled_from([0, 1000, "x2", "x4"]), min_size=3, max_size=3),
        "straights": st.lists(st.sampled_from([0, 700, 1500]), min_size=3, max_size=3),
        "three_pairs": st.sampled_from([0, 750]),
        "pairs_alike": st.booleans(),
        "two_triples": st.sampled_from([0, 2500]),
    }
)


@given(scoring, st.data())
@settings(max_examples=30)
def test_any_scoring_table_offers_what_the_referee_offers(fields: dict[str, Any], data: st.DataObject) -> None:
    rules = MackeRules(**fields)
    rolls, words = enumerate_rolls(rules), referee_rules(rules)
    for _ in range(25):
        dice = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=rules.dice))
        assert set(rolls.choices(rolls.find(dice))) == referee.set_asides(words, sorted(dice))


@given(scoring)
@settings(max_examples=30)
def test_classes_partition_the_rolls(fields: dict[str, Any]) -> None:
    rules = MackeRules(**fields)
    rolls = enumerate_rolls(rules)
    for dice in range(1, rules.dice + 1):
        size = rules.sides**dice
        classes = rolls.class_of[size : 2 * size]
        counted = np.bincount(classes, minlength=rolls.n_classes)
        own = slice(rolls.first[dice], rolls.first[dice + 1])
        assert (counted[own] == rolls.ways[own]).all()
        assert counted.sum() == counted[own].sum() == size
    assert (rolls.choice_points % rolls.unit == 0).all()
    for index in range(rolls.n_classes):
        choices = rolls.choices(index)
        assert list(choices) == sorted(choices, key=lambda choice: (choice.dice_left, -choice.points))


def test_bust_chances() -> None:
    macke, farkle = enumerate_rolls(MackeRules()), enumerate_rolls(MackeRules(**PRESETS["farkle"].fields))
    for dice, text in VALUES["bust_probability_of_n_dice"].items():
        top, bottom = map(int, text.split("/"))
        assert macke.bust_chance(int(dice)) == pytest.approx(top / bottom, abs=1e-15)
        assert farkle.bust_chance(int(dice)) == pytest.approx(top / bottom, abs=1e-15)
    # https://en.wikipedia.org/wiki/Farkle, "Probabilities": six dice without and with three pairs
    assert farkle.bust_chance(6) == pytest.approx(5 / 162, abs=1e-15)
    pairs = enumerate_rolls(MackeRules(**{**PRESETS["farkle"].fields, "three_pairs": 1500}))
    assert pairs.bust_chance(6) == pytest.approx(5 / 216, abs=1e-15)


def test_zilch_pays_for_nothing_with_all_dice_only() -> None:
    rolls = enumerate_rolls(MackeRules(**PRESETS["zilch"].fields))
    assert rolls.choices(rolls.find([2, 2, 3, 4, 6, 6])) == ((500, 0),)
    assert rolls.choices(rolls.find([2, 2, 3, 4, 6])) == ()
    assert rolls.choices(rolls.find([3, 3, 3, 3, 2, 2]))[0] == (1500, 0)
    assert (1200, 1) in rolls.choices(rolls.find([3, 3, 3, 3, 3, 6]))


def test_values_may_be_typed() -> None:
    typed = MackeRules(singles="100+0+0+0+50+0", n_of_a_kind="x2, 1000, X4", hot_dice="may-stop", target="1e4")
    assert typed.n_of_a_kind == ("x2", 1000, "x4")
    assert (typed.singles, typed.hot_dice, typed.target) == (MackeRules().singles, "may_stop", 10_000)
    assert MackeRules(**typed.to_dict()) == typed
    assert hash(typed) == hash(MackeRules(**typed.to_dict()))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"singles": (100, 0)}, "singles has 2 entries (100, 0); it must have 6."),
        ({"singles": 100}, "singles is 100; it must be points by pip, such as 100,0,50."),
        ({"n_of_a_kind": "y2,0,0"}, "n_of_a_kind is 'y2'; it must be a whole number from 0 to 1,000,000."),
        ({"dice": 7}, "dice is 7; it must be a whole number from 1 to 6."),
        ({"dice": 6, "sides": 8, "singles": [50] * 8, "triples": [0] * 8}, "6 dice of 8 sides have 262,144 rolls"),
        ({"sides": 4, "singles": [5] * 4, "triples": [0] * 4, "straights": "1,0,0"}, "a die of 4 sides has none"),
        ({"singles": [0] * 6}, "at least one pip must score on its own"),
        ({"hot_dice": "never"}, "unknown hot_dice 'never'"),
        ({"target": "soon"}, "target is 'soon'; it must be a whole number from 1 to 1e7."),
    ],
)
def test_wrong_rules_say_what_is_allowed(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestError) as caught:
        MackeRules(**fields)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
