"""Reports of solved games: exact values, what options change exactly, and how much is luck."""

import math

import pytest

from bolzplatz import load_game
from bolzplatz.simulate import report_bar_bolz, report_fifty_fifty
from bolzplatz.simulate.report import Asked
from bolzplatz.simulate.report_solved import sections


def told(game, policy="good", matches=30, **options):
    return {section.key: section for section in sections(Asked(load_game(game, **options), policy, matches, seed=1))}


def test_best_play_is_told_exactly_and_against_the_standard_rules():
    standard = told("bar-bolz")["best_play"]
    assert abs(standard.data["chances"][0] - 0.5272403576) < 5e-11
    assert "standard" not in standard.data
    other = told("bar-bolz", penalty_optional=False, black_faces="5,foul")["best_play"]
    assert other.data["standard"] == standard.data["chances"]
    assert [row[1] for row in other.tables[0].rows] == ["52.7240 %", "47.2760 %"]


def test_where_every_move_is_a_best_one_all_is_luck():
    """With three dark faces the good player always shoots, which is best."""
    luck = told("bar-bolz")["luck"]
    assert abs(luck.data["luck"] - 1) < 1e-12
    assert abs(luck.data["mean_loss"]) < 1e-12
    assert luck.data["moves"] > 0


def test_the_child_gives_chances_away():
    """It plays on from the spot, where a shot scores half the time and playing on .3671 at the best (RULINGS §1a)."""
    luck = told("bar-bolz", "child")["luck"]
    assert luck.data["luck"] < 0.999
    assert 0.02 < luck.data["mean_loss"] < 0.15


@pytest.mark.parametrize(("game", "options"), [("5050", {"players": 3}), ("5050", {"target": 10**6})])
def test_what_is_not_solved_has_no_such_sections(game, options):
    assert told(game, **options) == {}


def test_both_solved_games_have_these_sections():
    assert report_bar_bolz.sections is report_fifty_fifty.sections is sections
    assert [*told("bar-bolz", matches=1)] == ["best_play", "luck", "skill"]


def test_the_depth_of_skill_is_exact_where_it_can_be():
    """Levels stand in their order, and Elo follows from the points by its formula."""
    skill = told("bar-bolz")["skill"].data
    assert all(level["exact"] for level in skill["levels"].values())
    points = {level: found["points"] for level, found in skill["levels"].items()}
    assert points["good"] == 0.5
    assert points["child"] > points["random"] > points["casual"] > points["adult"] > points["keen"] > 0.5
    share = points["random"]
    assert skill["depth"] == pytest.approx(400 * math.log10(share / (1 - share)))
