"""Exact values against published ones, against a second method, and against simulation."""

from __future__ import annotations

import json
import math
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pymacco_sim as pm
from pymacco_sim import RequestError
from pymacco_sim.exact import memory, planner, positions
from pymacco_sim.exact.model import make_model
from pymacco_sim.exact.strategy import make_strategy
from pymacco_sim.exact.streaks import solve_streak_race
from pymacco_sim.games.macke import GAME
from pymacco_sim.games.macke.optimum import solve_turn
from pymacco_sim.games.macke.policies import make_table
from pymacco_sim.games.macke.rolls import Choice, enumerate_rolls
from pymacco_sim.games.macke.rules import MackeRules
from pymacco_sim.games.policy import Decider, Policy

from .naive_exact import fewest_turns, race_chances, streak_chances

VALUES = json.loads((Path(__file__).parent / "data" / "macke_values.json").read_text())
PIG = MackeRules(dice=1, singles=(0, 2, 3, 4, 5, 6), triples=(0,) * 6, hot_dice="may_stop", target=100)
HOLD_AT_20 = "points:20:special=finish"
POLICIES = [
    *(f"points:{t}" for t in range(50, 1001, 50)),
    *(f"points:{t}:keep=fewest" for t in (200, 300, 400)),
    *(f"points:{t}:keep=best" for t in (200, 300, 400)),
    *(f"dice:{t}" for t in (1, 2, 3, 4)),
    *(f"rolls:{t}" for t in (1, 2, 3, 4)),
    *(f"bust:{t}" for t in (0.2, 0.3, 0.5)),
    *(f"either:{t}:2" for t in (300, 400, 600)),
    *(f"both:{t}:3" for t in (200, 300)),
    "expected",
    "expected:keep=fewest",
    "optimal",
    "optimal:keep=all",
]
"""Policies of the turn alone; more than 40."""


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Solutions of these tests go to a folder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(memory.VARIABLE, str(tmp_path_factory.mktemp("solutions")))
        planner.solve_arrays.cache_clear()
        yield


# --- published and worked values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", ["200", "350"])
def test_worked_values(threshold: str) -> None:
    worked = VALUES["points_threshold"][threshold]
    value = pm.exact.evaluate("macke", f"points:{threshold}")
    turn = value.turn()
    assert turn.mean == pytest.approx(worked["mean"], abs=1e-6)
    assert turn.variance == pytest.approx(worked["variance"], rel=1e-6)
    assert turn.bust == pytest.approx(worked["bust"], abs=1e-7)
    assert turn.rolls == pytest.approx(worked["rolls"], abs=1e-6)
    assert turn.hot_dice == pytest.approx(worked["hot_dice_share"], abs=1e-7)
    assert value.turns().mean == pytest.approx(worked["turns_to_5000"], abs=1e-6)
    assert value.bound < 1e-12


def test_worked_race() -> None:
    value = pm.exact.evaluate("macke", "points:200", against="points:350")
    assert value.wins() == pytest.approx(VALUES["race_points_200_vs_points_350_first_player_wins"], abs=1e-7)


def test_bust_chances_of_one_to_six_dice() -> None:
    rolls = enumerate_rolls(MackeRules())
    for dice, chance in VALUES["bust_probability_of_n_dice"].items():
        assert rolls.bust_chance(int(dice)) == pytest.approx(float(Fraction(chance)), abs=1e-15)
    # six dice where straights and three pairs score (counted by hand: 1,080 of 46,656 rolls)
    facebook = enumerate_rolls(GAME.make_rules("farkle-facebook", {}))
    assert facebook.bust_chance(6) == pytest.approx(1080 / 46656, abs=1e-15)


def test_pig_is_as_published() -> None:
    # T. Neller and C. Presser, Optimal play of the dice game Pig, The UMAP Journal 25 (2004)
    both_hold = pm.exact.evaluate("macke", HOLD_AT_20, against=HOLD_AT_20, rules=PIG)
    assert both_hold.wins() == pytest.approx(0.534698, abs=5e-7)
    assert pm.exact.solve("macke", "race", rules=PIG).value() == pytest.approx(0.530593, abs=5e-7)


def test_zilch_is_as_published() -> None:
    # M. Busche, www.mattbusche.org/blog/article/zilch: 620.855 a turn in the long run. It takes the penalty of 500 at
    # three busts in a row, and that its count goes on from turn to turn; without the penalty it is 623.017.
    assert pm.exact.solve("zilch").value() == pytest.approx(620.855, abs=5e-4)
    free = pm.exact.solve("zilch", rules={"bust_streak": 0})
    assert free.value() == pytest.approx(623.017, abs=5e-4)
    assert free.value() == pytest.approx(solve_turn(free.rules, 300).mean, abs=1e-9)
    rows = pm.exact.rank("zilch", ["optimal", pm.exact.solve("zilch").policy, "points:300", "points:500"])
    assert [row["policy"] for row in rows][:2] == ["steady", "optimal"]
    assert rows[0]["distance"] == 0


@pytest.mark.slow
def test_facebook_farkle_is_as_published() -> None:
    # M. Busche, www.mattbusche.org/blog/article/farkle_win_probability: of two best players the first wins 53.487%,
    # with totals cut off at -2,500 and 423,765,000 positions. The number of positions is that of 300 to bank and of
    # both players' busts in a row; the chance is that of a penalty of 500 and of three different pairs. With 1,000 it
    # is 53.444%, with four of a kind and a pair as three pairs 53.482%, with both 53.439%. Further sweeps, or totals
    # down to -2,500, change the sixth digit.
    model = make_model(GAME.make_rules("farkle-facebook", {}))
    found = solve_streak_race(model, reach=1, most_sweeps=2)
    start = -int(found["low"])
    assert found["wins"][0, 0, start, start] == pytest.approx(0.53487, abs=5e-6)


# --- a second method -------------------------------------------------------------------------------------------------


def backward(rules: MackeRules, policy: str, rows: int = 1200) -> dict[str, float]:
    """Mean, second moment, bust chance and rolls of a turn by backward induction over the decision table."""
    chosen, rolls = GAME.find_policy(policy.split(":")[0]), enumerate_rolls(rules)
    words = policy.split(":")[1:]
    names = [p.name for p in chosen.parameters]
    given = dict(w.split("=") if "=" in w else (names[i], w) for i, w in enumerate(words))
    table = make_table(rules, Decider(chosen, chosen.values(given)))
    assert table.roll_limit == 0
    chance, last = rolls.chance(), table.shape[1] - 1
    gains, lefts, stops = table.gain[0], table.left[0], table.stop[0]
    value = np.zeros((rows + 200, rules.dice + 1, 4))
    for row in range(rows - 1, -1, -1):
        decided = min(row, last)
        after = row + gains[decided] // rolls.unit
        left = np.where(lefts[decided] == 0, rules.dice, lefts[decided])
        points = after * float(rolls.unit)
        ends = np.stack([points, points**2, np.zeros_like(points), np.zeros_like(points)], axis=1)
        worth = np.where(stops[decided][:, None], ends, value[after, left])
        worth[gains[decided] == 0] = (0, 0, 1, 0)
        worth[:, 3] += 1
        for dice in range(1, rules.dice + 1):
            own = slice(rolls.first[dice], rolls.first[dice + 1])
            value[row, dice] = chance[own] @ worth[own]
    mean, square, bust, n_rolls = value[0, rules.dice]
    return {"mean": mean, "variance": square - mean**2, "bust": bust, "rolls": n_rolls}


@pytest.mark.parametrize("policy", [p for p in POLICIES if not p.startswith("rolls")])
def test_forward_and_backward_agree(policy: str) -> None:
    turn = pm.exact.evaluate("macke", policy).turn()
    for name, value in backward(MackeRules(), policy).items():
        assert getattr(turn, name) == pytest.approx(value, rel=1e-10), name
    assert turn.chance.sum() == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("policy", ["points:350", "optimal", "dice:2:special=finish", "quickest"])
def test_distribution_and_linear_equations_agree(policy: str) -> None:
    value = pm.exact.evaluate("macke", policy)
    for total in (0, 2500, 4900):
        assert value.turns(total).mean == pytest.approx(value.session.mean[0, total // 50], abs=1e-9)


def test_a_session_in_plain_python() -> None:
    turns = fewest_turns(300)
    best = pm.exact.solve("macke", "session", rules={"target": 300})
    for total, mean in turns.items():
        assert best.value(total) == pytest.approx(mean, abs=1e-9)


def test_a_race_in_plain_python() -> None:
    best = pm.exact.solve("macke", "race", rules={"target": 200})
    for (own, rival), chance in race_chances(200).items():
        assert best.value(own, rival) == pytest.approx(chance, abs=1e-9)


def test_a_race_with_a_penalty_in_plain_python() -> None:
    model = make_model(MackeRules(target=200, bust_streak=2, bust_penalty=100))
    found = solve_streak_race(model, reach=1, tolerance=1e-12)
    low = int(found["low"])
    assert low == -2
    for (s, t, own, rival), chance in streak_chances(200, 100, -100).items():
        assert found["wins"][s, t, own // 50 - low, rival // 50 - low] == pytest.approx(chance, abs=1e-9)
    best = pm.exact.solve("macke", "race", rules=model.rules)
    assert best.value() == pytest.approx(solve_streak_race(model)["wins"][0, 0, 10, 10], abs=1e-9)
    assert best.value(streak=1) < best.value() < best.value(rival_streak=1)
    with pytest.raises(RequestError, match="too large to be played"):
        pm.simulate("macke", [best.policy, "optimal"], model.rules, n_games=10)


def test_policies_are_worth_what_their_solution_says() -> None:
    # value iteration on one side, the chain of a fixed policy on the other
    quick, race = pm.exact.solve("macke", "session"), pm.exact.solve("macke", "race")
    assert pm.exact.evaluate("macke", quick.policy).turns().mean == pytest.approx(quick.value(), abs=1e-10)
    value = pm.exact.evaluate("macke", "racer", against="racer")
    assert value.wins() == pytest.approx(race.value(), abs=1e-10)
    assert value.wins(3200, 4100) == pytest.approx(race.value(3200, 4100), abs=1e-10)
    response = pm.exact.solve("macke", "race", against="points:350")
    value = pm.exact.evaluate("macke", response.policy, against="points:350")
    assert value.wins() == pytest.approx(response.value(), abs=1e-10)
    assert response.value() > pm.exact.evaluate("macke", "racer", against="points:350").wins()


def test_a_streak_of_busts_has_its_price() -> None:
    quick = pm.exact.solve("zilch", "session", rules={"target": 2000})
    value = pm.exact.evaluate("zilch", quick.policy, rules={"target": 2000})
    assert value.turns().mean == pytest.approx(quick.value(), abs=1e-9)
    assert quick.value(streak=2) > quick.value(streak=1) > quick.value()


# --- the optimum -----------------------------------------------------------------------------------------------------


def test_no_policy_beats_the_optimum() -> None:
    for goal, policies in (("turn", POLICIES), ("session", [*POLICIES, "dice:2:special=finish"]), ("race", POLICIES)):
        some = policies if goal != "race" else policies[::7]
        rows = pm.exact.rank("macke", some, goal)
        assert all(row["distance"] >= 0 for row in rows)
        assert [row["distance"] for row in rows] == sorted(row["distance"] for row in rows)
    assert pm.exact.rank("macke", ["racer"], "race")[0]["distance"] == 0


LIMITS = st.lists(st.integers(0, 30), min_size=5, max_size=5)


@given(limits=LIMITS, pick=st.integers(0, 2))
@settings(max_examples=25)
def test_no_random_policy_beats_the_optimum(limits: list[int], pick: int) -> None:
    def stop_at(points: int, dice: int, roll: tuple[int, ...], choices: tuple[Choice, ...]) -> tuple[int, bool]:
        chosen = min(pick, len(choices) - 1)
        after = points + choices[chosen].points
        return chosen, after >= 50 * limits[choices[chosen].dice_left] or after >= 5000

    policy = Policy("macke", "stop_at", "", "turn", function=stop_at, style="table")
    law = MackeRules(target=1000)
    strategy = make_strategy(law, Decider(policy, ()))
    assert strategy.turn().mean <= solve_turn(law).mean + 1e-9
    value = pm.exact.Evaluation(strategy)
    assert value.turns().mean >= pm.exact.solve("macke", "session", rules=law).value() - 1e-9


# --- against simulation ----------------------------------------------------------------------------------------------


def test_simulated_turns_are_the_exact_ones() -> None:
    inside, wide, checks = 0, 0.0, 0
    for policy in POLICIES:
        totals = pm.simulate("macke", policy, n_games=200_000, seed=7, scope="turn", exact=True).totals
        for name in ("score", "bust", "rolls", "hot_dice"):
            estimate = totals[f"{name}_share" if f"{name}_share" in totals else f"{name}_mean"]
            exact, low, high = (totals[f"{name}_{word}"] for word in ("exact", "low", "high"))
            error = (high - low) / 2 / 1.96
            if error > 1e-12:
                inside, checks = inside + (low <= exact <= high), checks + 1
                wide = max(wide, abs(estimate - exact) / error)
    assert checks > 150
    assert wide < 4.5  # common dice: the checks hang together, so this is far from 4 x 44 chances
    assert inside / checks > 0.85


@pytest.mark.parametrize("policy", ["points:350", "optimal:special=finish", "quickest", "rolls:2"])
def test_simulated_sessions_are_the_exact_ones(policy: str) -> None:
    totals = pm.simulate("macke", policy, n_games=60_000, seed=5, exact=True).totals
    for name, value in (("turns", "turns_mean"), ("score", "score_mean"), ("bust", "bust_share")):
        error = (totals[f"{name}_high"] - totals[f"{name}_low"]) / 2 / 1.96
        assert abs(totals[value] - totals[f"{name}_exact"]) < 4 * error, name
    for q in (10, 50, 90):
        assert totals[f"turns_q{q}_low"] <= totals[f"turns_q{q}_exact"] <= totals[f"turns_q{q}_high"]


@pytest.mark.parametrize("seating", ["fixed", "rotate"])
def test_simulated_races_are_the_exact_ones(seating: str) -> None:
    for line_up in (["racer", "points:350"], ["points:200", "optimal"]):
        seats = pm.simulate("macke", line_up, n_games=40_000, seed=3, seating=seating, exact=True).seats
        for row in seats.to_dict("records"):
            assert abs(row["win_share"] - row["win_exact"]) < 4 * (row["win_high"] - row["win_low"]) / 2 / 1.96
        assert seats["win_exact"].sum() == pytest.approx(1, abs=1e-12)


def test_a_sweep_shows_the_exact_values() -> None:
    table = pm.sweep("macke", "points", {"threshold": [200, 350]}, n_games=20_000, seed=1, exact=True)
    assert table["turns_exact"].round(6).tolist() == [19.109932, 21.920588]
    assert list(table).index("turns_exact") == list(table).index("turns_high") + 1


def test_a_comparison_shows_the_exact_difference() -> None:
    alone = pm.compare("macke", "points:200", "points:350", n_games=20_000, seed=1, exact=True).table
    row = alone[alone["outcome"] == "turns_mean"].iloc[0]
    assert row["difference_exact"] == pytest.approx(19.109932 - 21.920588, abs=1e-6)
    assert abs(row["difference"] - row["difference_exact"]) < 4 * (row["high"] - row["low"]) / 2 / 1.96
    duel = pm.compare("macke", "points:200", "points:350", players=2, n_games=20_000, seed=1, exact=True).table
    row = duel[duel["outcome"] == "win_share"].iloc[0]
    assert abs(row["difference"] - row["difference_exact"]) < 4 * (row["high"] - row["low"]) / 2 / 1.96
    assert row["first_exact"] + row["second_exact"] == pytest.approx(1, abs=1e-12)


def test_last_rounds_are_exact_too() -> None:
    rules = {"last_round": True, "target": 1000}
    seats = pm.simulate("macke", ["points:350", "points:200"], rules, n_games=60_000, seed=2, exact=True).seats
    for row in seats.to_dict("records"):
        assert abs(row["win_share"] - row["win_exact"]) < 4 * (row["win_high"] - row["win_low"]) / 2 / 1.96


# --- advice -----------------------------------------------------------------------------------------------------------


def test_advice_is_the_plan_of_the_solution() -> None:
    # the engine plays the plan; the advice for each of its rolls is what it does
    for policy, goal in (("quickest", "session"), ("racer", "race")):
        line_up = [policy] if goal == "session" else [policy, "points:350"]
        rows = [r for r in pm.replay("macke", line_up, seed=4, game=2).rows if r["event"] == "roll"]
        totals = [0, 0]
        for row in rows:
            if row["seat"] == 0 and not row["bust"]:
                rival = totals[1] if goal == "race" else None
                found = pm.exact.advise("macke", row["dice"], row["before"], total=totals[0], rival=rival, goal=goal)
                assert (found.best.points, found.best.stop) == (row["kept"], row["stop"])
            if row["bust"] or row["stop"]:
                totals[row["seat"]] = row["total"]


def test_advice_ranks_by_value() -> None:
    found = pm.exact.advise("macke", [1, 1, 5, 2, 4], 300)
    assert [option.cost for option in found.options] == sorted(option.cost for option in found.options)
    assert found.best.value == max(option.value for option in found.options)
    turns = pm.exact.advise("macke", [1, 1, 5, 2, 4], 300, total=3200)
    assert turns.best.value == min(option.value for option in turns.options)
    bust = pm.exact.advise("macke", [2, 3], 300)
    assert bust.options == ()
    assert bust.sentence == "Nothing scores: a bust."
    with pytest.raises(RequestError, match="nothing to choose"):
        _ = bust.best


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"roll": [1, 7, 1, 1, 1]}, "a die is 7"),
        ({"roll": 15}, "roll is 15; give the dice as a list"),
        ({"roll": [1] * 6}, "the roll has 6 dice"),
        ({"roll": [1, 1]}, "a turn with 0 points never rolls 2 dice; it rolls 5"),
        ({"roll": [1, 1], "points": 130}, "multiples of 50"),
        ({"roll": [1] * 5, "total": 5000}, "total is 5000"),
        ({"roll": [1] * 5, "total": 25}, "multiples of 50"),
        ({"roll": [1] * 5, "rival": 100, "goal": "turn"}, "a turn has none"),
        ({"roll": [1] * 5, "goal": "rice"}, "did you mean 'race'"),
        ({"roll": [1] * 5, "against": "points", "goal": "turn"}, "a turn has no rival"),
    ],
)
def test_what_cannot_come_up_is_refused(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestError, match=words):
        pm.exact.advise("macke", **request_)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pm.exact.evaluate("threes", "lowest"), "threes has no exact values"),
        (lambda: pm.exact.evaluate("macke", lambda view, params: 0), "looks at the whole game"),
        (lambda: pm.exact.evaluate("macke", "racer").turns(), "alone it has no rival"),
        (lambda: pm.exact.evaluate("macke", "points").wins(), "there is no rival"),
        (lambda: pm.exact.solve("farkle", "race"), "last_round=false"),
        (lambda: pm.exact.solve("zilch", "race", against="points:300"), "set bust_streak=0"),
        (lambda: pm.exact.solve("macke", "turn", against="points"), "a turn has no rival"),
        (lambda: pm.exact.solve("macke", "win"), "unknown goal"),
        (lambda: pm.exact.rank("macke", []), "no policies"),
        (lambda: pm.simulate("threes", "lowest", n_games=10, exact=True), "no exact values"),
        (lambda: pm.simulate("macke", ["points"] * 3, n_games=10, exact=True), "this line-up has 3"),
    ],
)
def test_requests_without_an_answer(call: Any, words: str) -> None:
    with pytest.raises(RequestError, match=words):
        call()


def test_a_policy_that_never_gets_there() -> None:
    value = pm.exact.evaluate("macke", "points:6000", rules={"max_turns": 20})
    assert value.turns().chance.sum() < 1
    assert math.isfinite(value.figures["score_mean"])
    assert "turns_mean" not in value.figures


# --- the cache --------------------------------------------------------------------------------------------------------


def test_solutions_are_kept_and_damage_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(memory.VARIABLE, str(tmp_path))
    law, calls = MackeRules(target=500), []
    from pymacco_sim.exact import solvers

    whole = solvers.solve_session
    monkeypatch.setattr(solvers, "solve_session", lambda model: calls.append(1) or whole(model))

    def value() -> float:
        planner.solve_arrays.cache_clear()
        positions.find_position.cache_clear()
        return pm.exact.solve("macke", "session", rules=law).value()

    first = value()
    assert value() == first
    assert len(calls) == 1
    for file in tmp_path.glob("*.npz"):
        file.write_bytes(b"broken")
    assert value() == first
    assert len(calls) == 2
    shutil.rmtree(tmp_path)
    tmp_path.write_text("a file where the folder should be")
    assert value() == first


def test_plots_draw_what_the_solver_says() -> None:
    from pymacco_sim.plots import plot_distances, plot_shift, plot_stop_map

    best = pm.exact.solve("macke", "session")
    ax = plot_stop_map(best.stop_map())
    assert [text.get_text() for text in ax.texts] == ["200", "200", "350", "950"]
    rows = pm.exact.rank("macke", ["points:200", "optimal"])
    assert [tick.get_text() for tick in plot_distances(rows).get_yticklabels()] == ["optimal", "points:200"]
    race = pm.exact.solve("macke", "race", rules={"target": 1000})
    assert plot_shift(race.shifts(dice=2, step=100)).get_ylabel() == "own banked points"
    with pytest.raises(RequestError, match="no column 'points'"):
        plot_stop_map([])
