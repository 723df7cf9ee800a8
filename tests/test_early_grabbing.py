"""The report on early grabbing against what can be worked out exactly."""

from math import comb

import pytest

import bolzplatz
from bolzplatz.simulate.early import BLIND, STILL, Early, early_grabbing

DEALS = {3: (10996, 17204, 6020), 4: (137564, 245550, 104521)}
"""Deals of the usual deck with no, one and two scoring colours, as published in the rules."""


@pytest.fixture(scope="module")
def found() -> dict[int | str, Early]:
    game = bolzplatz.load_game("wilde-kerle", players=3)
    return {each.hurry: each for each in early_grabbing(game, "adult", 1500, seed=3, steps=(0, 2, 6))}


def test_a_blind_hand_gets_what_the_deck_gives(found: dict[int | str, Early]) -> None:
    """Black scores in half the deals with one goal and all with two: a chip then, and two lost otherwise."""
    _, one, two = DEALS[3]
    chance = (one / 2 + two) / comb(60, 3)
    blind = found[BLIND]
    assert abs(blind.chips - (chance - 2 * (1 - chance))) < blind.reach
    assert blind.took.share > 0.99
    low, high = blind.right.interval
    assert low < chance < high
    assert blind.mean_ms == 600


def test_who_keeps_still_neither_wins_nor_pays(found: dict[int | str, Early]) -> None:
    assert (found[STILL].chips, found[STILL].took.count, found[STILL].mean_ms) == (0, 0, None)


def test_hurry_is_quicker_and_gets_more_figures(found: dict[int | str, Early]) -> None:
    times = [found[step].mean_ms or 0 for step in (0, 2, 6)]
    assert times == sorted(times, reverse=True)
    # The non-random part of the time shrinks by 8 % a step, from 980 ms and more.
    assert times[0] - times[2] > 0.48 * 980 * 0.9
    assert found[0].took.interval[1] < found[6].took.interval[0]


def test_chips_are_the_right_figures_less_twice_the_wrong_ones(found: dict[int | str, Early]) -> None:
    """Nobody runs out of chips in a first round, so a wrong figure always costs two."""
    for each in found.values():
        right, wrong = each.right.count, each.right.of - each.right.count
        assert round(each.chips * each.took.of) == right - 2 * wrong


def test_a_seat_among_equals_hurries_as_they_do() -> None:
    """The three moods of an ordinary player, each taken alone, are on average what one of three equals gets."""
    game = bolzplatz.load_game("wilde-kerle", players=3)
    ways = early_grabbing(game, "keen", 700, seed=11, steps=(0, 1, 2))[:3]
    share = sum(each.took.share for each in ways) / 3
    both = 2 * (DEALS[3][2] / comb(60, 3)) + DEALS[3][1] / comb(60, 3)
    # Nearly every goal is grabbed by one of the three, seldom a wrong figure besides.
    assert abs(3 * share - both) < 0.15
