"""Mass play against exact chances worked out here or in the rulings, never against its own output."""

import itertools
import math
import statistics
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from fractions import Fraction

import pytest

from bolzplatz import CHANCE, OptionError, load_game
from bolzplatz.bots import pick_action
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream
from bolzplatz.simulate import Distribution, Share, run, seat_policies, simulate
from bolzplatz.simulate.plot import PlotError, check_plot, write_plot

GOAL = {  # RULINGS 1a: chance of a goal in one attack, by the number of black faces, the penalty always taken
    "5": 0.192291,
    "5,foul": 2635189 / 13436928,
    "5,foul,offside": 132142139 / 679477248,
    "5,foul,offside,10": 0.188796,
    "5,foul,offside,10,penalty": 0.180497,
}


def contains(share, chance):
    low, high = share.interval
    return low <= chance <= high


def near(share, chance):
    """Four deviations: for tests that look at so many numbers that one in a hundred may not fail."""
    return abs(share.share - chance) <= 4 * math.sqrt(chance * (1 - chance) / share.of)


def final_scores(goal):
    """Chance of each result of a match: attacks in turn, each a goal with that chance, up to two goals."""
    results, playing = Counter(), {(0, 0): 1.0}
    for attack in range(2000):
        following = Counter()
        for (a, b), chance in playing.items():
            scored = (a + 1, b) if attack % 2 == 0 else (a, b + 1)
            (results if 2 in scored else following)[scored] += chance * goal
            following[a, b] += chance * (1 - goal)
        playing = following
    return results


def starter_wins(goal):
    return sum(chance for (a, _), chance in final_scores(goal).items() if a == 2)


# --- statistics ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "of"), [(0, 10), (1, 10), (5, 10), (10, 10), (527, 1000), (999_999, 1_000_000)])
def test_interval_ends_where_the_share_lies_2_58_deviations_off(count, of):
    """Wilson's interval holds the chances p from which the share is at most z deviations sqrt(p(1-p)/n) away."""
    for end in Share(count, of).interval:
        deviation = math.sqrt(end * (1 - end) / of)
        assert abs(count / of - end) == pytest.approx(statistics.NormalDist().inv_cdf(0.995) * deviation, abs=1e-9)


def test_share_of_nothing_says_nothing():
    assert Share(0, 0).share == 0
    assert Share(0, 0).interval == (0, 1)


def test_distribution_against_plain_statistics():
    numbers = [3, 3, 3, 7, 8, 8, 20, 1, 5, 5]
    found = Distribution(Counter(numbers))
    assert found.mean == pytest.approx(statistics.mean(numbers))
    assert found.sd == pytest.approx(statistics.stdev(numbers))
    assert [found.quantile(percent) for percent in (1, 10, 11, 50, 90, 91, 99)] == [1, 1, 3, 5, 8, 20, 20]
    shown = found.to_dict()
    assert (shown["min"], shown["max"]) == (1, 20)
    assert shown["counts"] == [[1, 1], [3, 3], [5, 2], [7, 1], [8, 2], [20, 1]]


def test_distribution_of_nothing():
    shown = Distribution({}).to_dict()
    assert (shown["mean"], shown["sd"], shown["counts"]) == (0, 0, [])
    assert Distribution({4: 1}).sd == 0


# --- Bar-Bolz-Bande: exact values ---------------------------------------------------------------------------------


def test_starter_of_a_match_wins_as_often_as_is_exact():
    exact = starter_wins(GOAL["5,foul,offside"])
    assert exact == pytest.approx(0.5272403576, abs=1e-9)
    result = simulate(load_game("bar-bolz"), ["good"], 1_000_000, seed=11)
    assert contains(result.seats[0].wins, exact)
    assert contains(result.seats[1].wins, 1 - exact)
    assert not contains(result.seats[0].wins, 0.5)
    assert result.seats[0].advantage[0] == pytest.approx(exact - 0.5, abs=0.002)
    assert (result.undecided, result.unfinished, result.matches) == (0, 0, 1_000_000)
    # Three throws are the quickest goal, a foul with a dark face the quickest end of the other side's attack.
    assert min(result.lengths.counts) == 3 + 2 + 3


@pytest.mark.parametrize(("series", "published"), [(3, 0.51366), (5, 0.51024)])
def test_starter_of_a_series_wins_as_often_as_is_exact(series, published):
    wins = starter_wins(GOAL["5,foul,offside"])
    exact = 0.0
    for won in itertools.product((True, False), repeat=series):
        chances = (wins if number % 2 == 0 else 1 - wins for number in range(series))
        chance = math.prod(p if victory else 1 - p for p, victory in zip(chances, won, strict=True))
        exact += chance if sum(won) > series / 2 else 0
    assert exact == pytest.approx(published, abs=5e-6)
    result = simulate(load_game("bar-bolz", series=series), ["good"], 150_000, seed=series)
    assert contains(result.seats[0].wins, exact)
    assert set(result.seats[0].scores.counts) == set(range(series // 2 + 2))


@pytest.mark.parametrize("black_faces", GOAL)
def test_goals_of_a_match_are_as_frequent_as_is_exact(black_faces):
    exact = final_scores(GOAL[black_faces])
    result = simulate(load_game("bar-bolz", black_faces=black_faces), ["good"], 200_000, seed=5)
    for seat in (0, 1):
        for goals in (0, 1, 2):
            share = Share(result.seats[seat].scores.counts[goals], result.matches)
            assert near(share, sum(chance for score, chance in exact.items() if score[seat] == goals))


def test_teams_win_together_and_change_sides_whole():
    game = load_game("bar-bolz", teams="2v2")
    result = simulate(game, ["good", "good", "child", "child"], 20_000, seed=3)
    assert [seating.policies for seating in result.seatings] == [
        ("good", "good", "child", "child"),
        ("child", "child", "good", "good"),
    ]
    wins = [seat.wins.count for seat in result.seats]
    assert wins[0] == wins[1] == result.matches - wins[2] == result.matches - wins[3]
    assert {seat.fair for seat in result.seats} == {0.5}
    assert sum(policy.wins.count for policy in result.by_policy) == result.matches


# --- 5050: exact values -------------------------------------------------------------------------------------------


def test_a_turn_without_hurdle_fails_as_often_as_is_exact():
    """With target 50 and no hurdle a game is over after the first round in which anybody writes points.

    A player who takes what brings most fails a turn with a throw that holds nothing (1080 of 46656), or, after a
    straight (720), three pairs (1800 of kind 2+2+2, 450 of kind 4+2) or six alike but ones (5), in confirming it.
    """
    nothing, to_confirm = Fraction(1080, 46656), Fraction(720 + 1800 + 450 + 5, 46656)
    fails = nothing / (1 - to_confirm)
    no_points = fails / (1 + fails)  # this seat fails, the other does not, given that not both fail
    game = load_game("5050", target=50, threshold=0)
    result = simulate(game, ["child"], 400_000, seed=21)
    for seat in result.seats:
        assert contains(Share(seat.scores.counts[0], result.matches), float(no_points))


def test_policies_and_seats_are_told_apart():
    result = simulate(load_game("5050"), ["good", "child"], 40_001, seed=2)
    assert [seating.policies for seating in result.seatings] == [("good", "child"), ("child", "good")]
    assert [seating.matches for seating in result.seatings] == [20_001, 20_000]
    good, child = result.by_policy
    assert good.wins.count + child.wins.count == result.matches
    first, second = result.seatings
    assert good.wins.count == first.wins[0].count + second.wins[1].count
    assert result.seats[0].wins.count == first.wins[0].count + second.wins[0].count
    assert good.wins.interval[0] > 0.6  # the better player wins from either seat
    assert all(0.45 < seat.wins.share < 0.55 for seat in result.seats)


def test_kept_seats_are_one_seating():
    result = simulate(load_game("5050"), ["good", "random"], 500, seed=2, rotate=False)
    assert [seating.policies for seating in result.seatings] == [("good", "random")]
    assert result.seats[0].wins.count == result.by_policy[0].wins.count


def test_three_seats_with_two_alike():
    result = simulate(load_game("5050", players=3), ["good", "good", "child"], 3_000, seed=2)
    assert len(result.seatings) == 3
    good, child = result.by_policy
    assert (good.seats, child.seats) == (2, 1)
    assert (good.wins.of, child.wins.of) == (2 * result.matches, result.matches)
    assert good.fair == child.fair == pytest.approx(1 / 3)
    assert good.wins.count + child.wins.count == result.matches
    assert sum(seat.wins.count for seat in result.seats) == result.matches


def test_matches_without_a_winner_are_nobodys_disadvantage():
    """What is fair is the mean of the seats, whether or not somebody wins each match, and whether or not alone."""
    result = simulate(load_game("bar-bolz"), ["good"], 5_000, seed=3, limit=80)
    shares = [seat.wins.share for seat in result.seats]
    assert sum(shares) < 0.9
    assert [seat.fair for seat in result.seats] == pytest.approx([sum(shares) / 2] * 2)
    assert sum(seat.advantage[0] for seat in result.seats) == pytest.approx(0)


# --- the same numbers, however they are reached -------------------------------------------------------------------


def played_again(game, policies, seed, number):
    """One match of a run by the plain rules, its dice drawn by the number of the match alone."""
    state, driver = game.new_initial_state(), FastDriver(seed, number)
    while not state.is_terminal():
        seat = state.current_player()
        if seat == CHANCE:
            state.apply_action(driver.draw(state).outcome)
        else:
            state.apply_action(pick_action(game, state, seat, policies[seat], FastStream(0)))
    return state


def test_each_match_can_be_played_again_alone():
    game = load_game("5050")
    result = simulate(game, ["good", "child"], 6, seed=-9)
    lengths, scores = Counter(), [Counter(), Counter()]
    for seating in result.seatings:
        for number in range(seating.matches):
            state = played_again(game, seating.policies, -9, seating.first + number)
            lengths[state.move_number()] += 1
            for seat, score in enumerate(state.scores()):
                scores[seat][score] += 1
    assert result.lengths.counts == lengths
    assert [seat.scores.counts for seat in result.seats] == scores


def numbers(result):
    shown = result.to_dict()
    del shown["timing"]
    return shown


def test_workers_and_chunks_do_not_matter(monkeypatch):
    game, policies = load_game("5050"), ["good", "random"]
    expected = numbers(simulate(game, policies, 5_003, seed=4, workers=1))
    assert numbers(simulate(game, policies, 5_003, seed=4, workers=2)) == expected
    monkeypatch.setattr(run, "FIRST_CHUNK", 1)
    monkeypatch.setattr(run._Chunks, "learn", lambda chunks, count, _seconds: setattr(chunks, "size", count % 97 + 1))
    assert numbers(simulate(game, policies, 5_003, seed=4, workers=3)) == expected
    assert numbers(simulate(game, policies, 5_003, seed=5, workers=3)) != expected


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_run_is_a_shorter_run(workers):
    game, policies = load_game("5050"), ["good", "child"]
    seen = []

    def stop(done):
        seen.append(done)
        if len(seen) == 4:
            raise KeyboardInterrupt

    result = simulate(game, policies, 10_000_000, seed=6, workers=workers, progress=stop)
    assert result.interrupted
    assert seen[0] == 0
    assert result.matches == seen[-1] > 0
    shorter = numbers(simulate(game, policies, result.matches, seed=6))
    assert numbers(result) == shorter | {"interrupted": True, "wanted": 10_000_000}


def test_interrupt_before_the_first_match_goes_on_to_the_caller():
    def stop(_done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(load_game("5050"), ["good"], 100, progress=stop)


def test_matches_without_end_are_given_up_and_counted():
    result = simulate(load_game("bar-bolz"), ["good"], 1_000, seed=1, limit=60)
    assert 0 < result.unfinished < 1_000
    assert result.undecided == result.unfinished
    assert result.lengths.total == 1_000 - result.unfinished
    assert max(result.lengths.counts) <= 60
    assert result.seats[0].scores.total == result.lengths.total


def test_numbers_beyond_the_dense_count_and_below_zero():
    import numpy as np

    values = [5, -3, 5, 2**40]
    assert run._counter(np.array(values)) == Counter(values)
    assert run._counter(np.array([5, 0, 5])) == Counter([5, 0, 5])
    assert run._counter(np.array([], dtype=np.int64)) == Counter()


def test_policies_that_do_not_fit_are_refused():
    game = load_game("5050", players=3)
    assert seat_policies(game, ["child"]) == ("child",) * 3
    with pytest.raises(OptionError, match="2 policies for 3 seats"):
        seat_policies(game, ["child", "good"])
    with pytest.raises(OptionError, match="clever"):
        simulate(game, ["clever"], 10)
    for matches, workers in ((0, 1), (10, 0)):
        with pytest.raises(ValueError, match="at least one"):
            simulate(game, ["good"], matches, workers=workers)


# --- the chart ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "policies", "matches"),
    [
        ("5050", {}, ["good", "child"], 300),
        ("5050", {"players": 6}, ["good"], 300),
        ("bar-bolz", {"teams": "3v2"}, ["good"], 300),
        ("bar-bolz", {"series": 3}, ["good"], 1),
    ],
)
def test_chart_is_the_same_for_the_same_numbers(name, options, policies, matches, tmp_path):
    files = []
    for workers in (1, 2):
        result = simulate(load_game(name, **options), policies, matches, seed=8, workers=workers)
        files.append(tmp_path / f"{workers}.svg")
        write_plot(result, str(files[-1]))
    assert files[0].read_bytes() == files[1].read_bytes()
    root = ElementTree.fromstring(files[0].read_text(encoding="utf-8"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_chart_as_png_has_its_size(tmp_path):
    from PIL import Image

    write_plot(simulate(load_game("bar-bolz"), ["good"], 500, seed=8), str(tmp_path / "chart.png"))
    with Image.open(tmp_path / "chart.png") as picture:
        assert picture.size == (1690, 1040)
        corner = picture.convert("RGB").getpixel((5, 1035))
    assert corner == (0x1E, 0x6B, 0x3C)  # the pitch


def test_chart_files_that_cannot_be(tmp_path):
    for name in ("chart.gif", "chart", "no-folder/chart.svg"):
        with pytest.raises(PlotError):
            check_plot(str(tmp_path / name))
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(PlotError):
        check_plot(str(tmp_path / "folder.svg"))


def test_chart_without_matplotlib_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("bolzplatz.simulate.plot.find_spec", lambda _name: None)
    with pytest.raises(PlotError, match=r"bolzplatz\[plot\]"):
        check_plot(str(tmp_path / "chart.svg"))
