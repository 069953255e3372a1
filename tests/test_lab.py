"""Comparisons, tournaments and rule comparisons on real games."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pymacco_sim as pm


def test_a_known_win_chance_is_covered_as_often_as_promised() -> None:
    hits, n = 0, 200
    truth = pm.exact.evaluate("macke", "points:200", against="points:350").wins()
    for seed in range(n):
        seat = pm.simulate("macke", ["points:200", "points:350"], n_games=1000, seed=seed, n_jobs=1).seats.iloc[0]
        hits += seat["win_low"] <= truth <= seat["win_high"]
    assert abs(hits - 0.95 * n) <= 3.3 * math.sqrt(n * 0.95 * 0.05)


def test_comparison_is_the_same_for_any_number_of_workers() -> None:
    found = [
        pm.compare("macke", "points:200", "points:350", n_games=60_000, seed=3, n_jobs=jobs).table for jobs in (1, 2)
    ]
    assert found[0].equals(found[1])


def test_a_clear_difference_is_found_and_swapping_the_candidates_swaps_the_sign() -> None:
    one = pm.compare("macke", "points:200", "points:350", n_games=20_000, seed=1)
    two = pm.compare("macke", "points:350", "points:200", n_games=20_000, seed=1)
    assert (one.verdict, two.verdict) == ("better", "worse")
    assert one.difference().value == pytest.approx(-two.difference().value)
    assert "better than" in one.sentence
    assert one.difference().paired_away > 0.3


def test_a_verdict_names_what_speaks_against_it() -> None:
    # exact: 250 scores .596 points more a turn than 200, and takes .042 turns longer to 5,000
    found = pm.compare("macke", "points:200", "points:250", n_games=200_000, seed=0)
    assert found.verdict == "worse"
    assert "By turns it is better: -0.0" in found.sentence
    assert " By " not in pm.compare("macke", "points:200", "points:350", n_games=20_000, seed=1).sentence


def test_the_difference_agrees_with_exact_values() -> None:
    found = pm.compare("macke", "points:200", "points:350", n_games=200_000, seed=2, exact=True)
    gap, table = found.difference("score"), found.table.set_index("outcome")
    assert abs(gap.value - table.loc["score_mean", "difference_exact"]) < 4 * gap.se


def test_until_decided_stops_early_and_at_the_same_game_everywhere() -> None:
    found = [
        pm.compare("macke", "points:200", "points:350", n_games=10**6, seed=1, until="decided", n_jobs=jobs)
        for jobs in (1, 2)
    ]
    assert found[0].n_games == found[1].n_games < 100_000
    assert found[0].verdict == "better"


def test_until_always_ends_at_the_most_games() -> None:
    found = pm.compare("macke", "points:350", "either:350:0", n_games=4000, until="decided", seed=1)
    assert found.n_games == 4000
    assert found.verdict == "cannot tell"


def test_cannot_tell_says_how_many_games_would_be_needed() -> None:
    found = pm.compare("macke", "points:200", "points:250", n_games=2000, seed=5)
    assert found.verdict == "cannot tell"
    assert "would be needed" in found.sentence or "may well be nothing" in found.sentence
    assert found.games_needed(1.0) > 2000


def test_a_field_fills_the_other_seats() -> None:
    found = pm.compare("macke", "points:200", "points:350", field="points:250", players=3, n_games=3000, seed=1)
    assert [e.label for e in found.cells[1].entrants] == ["points:350", *["points:250"] * 2]
    with pytest.raises(pm.RequestError, match="field has 2 policies"):
        pm.compare("macke", "points:200", "points:350", field=["points:1", "points:2"], players=5)


def test_tournament_shares_add_up_and_equals_are_equal() -> None:
    found = pm.tournament("macke", ["points:200", "either:200:0", "points:900"], players=2, n_games=20_000, seed=1)
    table = found.table.set_index("policy")
    totals = found.totals
    wins = (table["win_share"] * table["n_games"]).sum()
    assert wins == pytest.approx(totals["won_share"] * totals["n_games"])
    assert totals["won_share"] + totals["nobody_won_share"] == pytest.approx(1)
    assert set(found.best) == {"points:200", "either:200:0"}
    twins = table.loc[["points:200", "either:200:0"]]
    assert twins["rating"].diff().abs().max() < (twins["rating_high"] - twins["rating_low"]).max()
    assert np.allclose(found.matrix, -found.matrix.T, equal_nan=True)
    assert (found.pairs["better"] != "points:900").all()


def test_tournament_does_not_depend_on_workers_or_order() -> None:
    names = ["points:200", "points:300", "points:900"]
    one = pm.tournament("macke", names, players=2, n_games=4000, seed=1, n_jobs=1).table
    two = pm.tournament("macke", names, players=2, n_games=4000, seed=1, n_jobs=2).table
    assert one.equals(two)


def test_a_sample_of_line_ups_is_balanced() -> None:
    from pymacco_sim.line_ups import make_line_ups

    line_ups = make_line_ups(30, 4, 100, seed=1)
    seats = np.bincount(np.concatenate(line_ups), minlength=30)
    assert seats.max() - seats.min() <= 1
    assert all(len(set(line_up)) == 4 for line_up in line_ups)


def test_rule_comparison_pairs_the_same_deals() -> None:
    found = pm.compare_rules(
        "macke", {"must": {}, "may": {"hot_dice": "may_stop"}}, ["points:350", "points:200"], n_games=20_000, seed=1
    )
    table = found.table.set_index(["figure", "rules"])
    assert table.loc[("turns_mean", "may"), "paired_away"] > 0
    assert {"first_seat_edge", "skill"} <= set(found.table["figure"])
    edge = found.fairness.set_index("rules")
    assert (edge["p_value"] < 0.001).all()  # whoever begins a race wins more often
    assert len(found.sentences) == len(found.figures)


def test_the_same_rules_twice_come_out_alike() -> None:
    found = pm.compare_rules("macke", {"a": {}, "b": {}}, "points:350", n_games=500, seed=1)
    assert all("deal for deal" in sentence for sentence in found.sentences)


def test_rule_sets_are_checked() -> None:
    with pytest.raises(pm.RequestError, match="at least two"):
        pm.compare_rules("macke", {"a": {}}, "points:350")
    with pytest.raises(pm.RequestError, match="hot_dice"):
        pm.compare_rules("macke", {"a": {}, "b": {"hot_dies": "may_stop"}}, "points:350")


@pytest.mark.parametrize(("game", "a", "b"), [("macke", "points:250", "points:350"), ("tomacco", "lowest", "highest")])
def test_a_duel_is_played_once_and_comes_out_as_if_played_twice(
    game: str, a: str, b: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = pm.compare(game, a, b, players=2, n_games=2000, seed=1)
    monkeypatch.setattr("pymacco_sim.pairing.is_mirrored", lambda *cells: False)
    twice = pm.compare(game, a, b, players=2, n_games=2000, seed=1)
    assert (len(once.panel.cells), len(twice.panel.cells)) == (1, 2)
    assert once.table.equals(twice.table)
    assert once.sentence == twice.sentence


def test_a_duel_of_policies_that_draw_numbers_of_their_own_is_played_from_both_sides() -> None:
    found = pm.compare("tomacco", "lowest", "random", players=2, n_games=200, seed=1)
    assert len(found.panel.cells) == 2


def test_places_of_a_run_agree_with_its_wins_losses_and_games() -> None:
    found = pm.simulate("threes", ["lowest", "highest", "single"], n_games=600, seed=1, seating="rotate")
    shares = found.places.pivot(index="seat", columns="place", values="share")
    assert shares.sum(axis=1).to_numpy() == pytest.approx(1.0)
    assert shares[1].to_numpy() == pytest.approx(found.seats["win_share"].to_numpy())
    assert shares[3].to_numpy() == pytest.approx(found.seats["loss_share"].to_numpy())
    assert shares[0].sum() > 0  # some games stall
    assert pm.simulate("macke", ["points", "points:200"], n_games=20, seed=1).places.empty


def test_places_of_a_tournament_agree_with_its_table() -> None:
    found = pm.tournament("threes", ["lowest", "highest", "single"], players=3, n_games=300, seed=1)
    shares = found.places.pivot(index="policy", columns="place", values="share").loc[found.table["policy"]]
    assert shares.sum(axis=1).to_numpy() == pytest.approx(1.0)
    assert shares[1].to_numpy() == pytest.approx(found.table["win_share"].to_numpy())
    assert shares[3].to_numpy() == pytest.approx(found.table["loss_share"].to_numpy())
    within = found.places["share_low"].le(found.places["share"]) & found.places["share"].le(found.places["share_high"])
    assert within.all()


def test_a_share_that_was_never_seen_has_an_interval_under_each_rule_set() -> None:
    found = pm.compare_rules("macke", {"a": {}, "b": {"hot_dice": "may_stop"}}, "points:350", n_games=300, seed=1)
    stalled = found.table.set_index("figure").loc["stalled_share"]
    assert (stalled["value"] == 0).all()
    assert (stalled["low"] == 0).all()
    assert stalled["high"].between(0.005, 0.05).all()
