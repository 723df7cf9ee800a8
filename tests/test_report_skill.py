"""Reports: what the player can do and what only luck can, for games with and without a solver."""

import math

import pytest

from bolzplatz import load_game
from bolzplatz.simulate import skill
from bolzplatz.simulate.bench import pairs_of
from bolzplatz.simulate.report import Asked

UNSOLVED = 10**5
"""A target of 5050 for which no table is made."""


def told(game, policy="good", matches=30, workers=None, **options):
    asked = Asked(load_game(game, **options), policy, matches, seed=1, workers=workers)
    return {section.key: section for section in skill.sections(asked)}


def test_the_depth_of_skill_is_exact_where_it_can_be():
    """Levels stand in their order, and Elo follows from the points by its formula."""
    found = told("bar-bolz")
    assert [*found] == ["skill"]
    data = found["skill"].data
    assert all(level["exact"] and level["interval"] is None for level in data["levels"].values())
    points = {level: each["points"] for level, each in data["levels"].items()}
    assert points["good"] == 0.5
    assert points["child"] > points["random"] > points["casual"] > points["adult"] > points["keen"] > 0.5
    share = points["random"]
    assert data["depth"] == pytest.approx(400 * math.log10(share / (1 - share)))


def test_where_no_solver_knows_the_game_matches_tell_the_same_with_any_number_of_threads():
    one, two = (told("5050", "good", 60, workers, target=UNSOLVED) for workers in (1, 2))
    assert [*one] == ["luck", "skill"]
    assert {key: section.data for key, section in one.items()} == {key: section.data for key, section in two.items()}
    data = one["skill"].data
    assert data["best"] == "good"
    assert [*data["levels"]] == ["random", "child"]
    counts, _ = pairs_of(load_game("5050", target=UNSOLVED), "good", "random", 1)(0, 30)
    weakest = data["levels"]["random"]
    assert not weakest["exact"]
    assert weakest["points"] == sum(quarters * n for quarters, n in enumerate(counts)) / 120
    low, high = weakest["interval"]
    assert 0.5 < low <= weakest["points"] <= high <= 1
    assert one["luck"].data["alike"]["of"] == one["luck"].data["pairs"] == 30


def test_where_nothing_is_chosen_the_same_draws_end_alike():
    """With three dark faces the good player of Bar-Bolz-Bande always shoots: whoever sits there has the same match."""
    game = load_game("bar-bolz")
    assert skill._luck(Asked(game, "good", 60, seed=1)).data["alike"]["share"] == 1
    assert skill._luck(Asked(game, "random", 400, seed=1)).data["alike"]["share"] < 1


def test_among_more_than_two_one_of_the_best_is_measured_against_its_fair_share():
    data = told("5050", matches=400, players=4, target=1000)["skill"].data
    assert [*told("5050", matches=4, players=4, target=1000)] == ["skill"]
    assert data["best"] == "good"
    weakest = data["levels"]["random"]
    assert weakest["wins"]["low"] > weakest["fair"] == pytest.approx(0.25, abs=0.01)


def test_what_no_match_shows_is_no_number():
    """Who won all matches is ahead by more Elo points than any number."""
    section = told("5050", matches=2, target=UNSOLVED)["skill"]
    assert section.data["levels"]["random"]["points"] == 1
    assert section.data["depth"] is section.data["levels"]["random"]["elo"] is None
    assert section.tables[0].rows[0][3] == "∞"
    assert "Elo" in section.lines[0]


def test_levels_that_think_at_length_or_need_a_solver_are_no_rungs():
    assert skill.ladder_of(load_game("dribbel-fieber")) == ("random", "child", "good")
    assert skill.ladder_of(load_game("5050"))[-1] == "optimal"
    assert skill.ladder_of(load_game("5050", players=4)) == ("random", "child", "good")
