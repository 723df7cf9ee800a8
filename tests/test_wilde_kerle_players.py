"""The computer players of Die wilden Fußballkerle against their own data file, worked out by a second, exact model."""

import itertools
import math
import tomllib
from collections import Counter
from fractions import Fraction
from functools import cache
from importlib.resources import files
from statistics import NormalDist, mean, stdev

import pytest

import bolzplatz
from bolzplatz import bots
from bolzplatz.bots import wilde_kerle as players
from bolzplatz.core import kernels
from bolzplatz.core.drivers import FastDriver, draw_from
from bolzplatz.core.engine import Engine
from bolzplatz.core.fast import FastStream
from bolzplatz.core.forms import MAX_DRAWN
from bolzplatz.games import wilde_kerle as rules
from bolzplatz.simulate import simulate

DATA = tomllib.loads((files("bolzplatz.bots") / "wilde_kerle.toml").read_text(encoding="utf-8"))
SKILLED = ("child", "casual", "adult", "keen", "expert")
GAME = "wilde-kerle"
skilled = pytest.mark.parametrize("level", SKILLED)


# --- the model again: from the words in the data file, exact up to rounding ---------------------------------------


def duel(cards: list[tuple[str, str, int]], colour: str) -> tuple[bool, int, int | None]:
    """Of a colour: whether it scores, how many cards are to compare, and how far striker and keeper are apart."""
    strikers = [value for role, own, value in cards if role == "S" and own == colour]
    keepers = [value for role, own, value in cards if role == "K" and own != colour]
    if not strikers:
        return False, 0, None
    gap = abs(max(strikers) - max(keepers)) if keepers else None
    return max(strikers) > max(keepers, default=0), len(strikers) + len(keepers), gap


@cache
def deals() -> dict[tuple, Fraction]:
    """Both duels of all three-card deals of 16-14, black first, with their chances."""
    copies = {("K", colour, value): 2 for colour in "br" for value in range(5, 13)}
    copies |= {("S", colour, value): 2 if 8 <= value <= 11 else 1 for colour in "br" for value in range(5, 15)}
    found: Counter = Counter()
    for cards in itertools.combinations_with_replacement(copies, 3):
        ways = math.prod(math.comb(copies[card], count) for card, count in Counter(cards).items())
        found[duel(cards, "b"), duel(cards, "r")] += ways
    return {duels: Fraction(ways, math.comb(60, 3)) for duels, ways in found.items() if ways}


def mean_time(mu: float, sigma: float, tau: float, floor: float) -> float:
    """The mean of an ex-Gaussian time that is never below the floor."""
    normal, z = NormalDist(), (mu - floor) / sigma
    above = sigma * normal.pdf(z) + (mu - floor) * normal.cdf(z) + tau * normal.cdf(z)
    return floor + above + tau * math.exp((mu - floor) / tau + (sigma / tau) ** 2 / 2) * normal.cdf(-z - sigma / tau)


@cache
def expected(level: str) -> dict[str, float]:
    """Mean times of right and wrong first reaches, and the shares of rounds that are wrong, or wrong by reaching."""
    own = DATA[level]
    share, time = Counter(), Counter()
    for (duels, chance), mood, first in itertools.product(deals().items(), range(3), range(2)):
        sees, cost = [], []
        for goal, cards, gap in duels:
            closeness = 0 if gap is None else 1 / (1 + gap)
            error = own["error"] + own["near_error"] * closeness
            error *= (1 + mood * own["hurry_costs"] / 1000) / 1000
            sees.append(1 - error if goal else error)
            cost.append(own["card_ms"] * cards + own["near_ms"] * closeness)
        second = 1 - first
        weight = float(chance) / 6
        for colour, likely, looked in (
            (first, sees[first], cost[first]),
            (second, (1 - sees[first]) * sees[second], cost[first] + cost[second]),
        ):
            kind = "right" if duels[colour][0] else "wrong"
            mu = (own["base_ms"] + looked) * (1 - mood * own["hurry_saves"] / 1000)
            share[kind] += weight * likely
            time[kind] += weight * likely * mean_time(mu, own["sigma_ms"], own["tau_ms"], DATA["floor_ms"])
        if duels[0][0] or duels[1][0]:
            share["missed"] += weight * (1 - sees[0]) * (1 - sees[1])
    return {
        "right_ms": time["right"] / share["right"],
        "wrong_ms": time["wrong"] / share["wrong"],
        "wrong": share["wrong"] + share["missed"],
        "reaches_wrongly": share["wrong"],
    }


@skilled
def test_golden_figures_of_the_data_file(level):
    assert round(expected(level)["right_ms"]) == DATA[level]["mean_ms"]
    assert round(1000 * expected(level)["wrong"]) == DATA[level]["wrong"]


def test_levels_get_quicker_and_more_careful():
    assert ("random", *SKILLED) == players.LEVELS
    for weaker, stronger in itertools.pairwise(SKILLED):
        for figure in ("right_ms", "wrong_ms", "wrong"):
            assert expected(stronger)[figure] < expected(weaker)[figure]
    assert 1350 < expected("adult")["right_ms"] < 1650, "a person reads three cards in about a second and a half"


# --- what they do ------------------------------------------------------------------------------------------------


def rounds(count: int, options: dict | None = None, seed: int = 3):
    """States in which all hands are asked, each in a freshly shuffled first round."""
    game = bolzplatz.load_game(GAME, **(options or {}))
    for match in range(count):
        state, driver = game.new_initial_state(), FastDriver(seed, match)
        while state.is_chance_node():
            state.apply_action(driver.draw(state).outcome)
        yield state


def scoring(state: bolzplatz.State) -> set[str]:
    """The colours that score, from the cards' names."""
    names = [card["name"] for card in state.view()["shown"]["cards"]]
    cards = [(name[0], name[1], int(name[2:])) for name in names]
    return {word for word in ("black", "red") if duel(cards, word[0])[0]}


def within(sample: list[float], value: float) -> bool:
    return abs(mean(sample) - value) < 4 * stdev(sample) / len(sample) ** 0.5


@skilled
def test_players_do_what_the_model_says(level):
    wrong, times = [], {True: [], False: []}
    for number, state in enumerate(rounds(6000)):
        luck, goals = FastStream(9, number), scoring(state)
        action = bots.pick_action(state.game, state, 1, level, luck)
        first = rules.WISHES[action].split(">")[0]
        wrong.append(float(first not in goals if action else bool(goals)))
        if action:
            ms = bots.reaction_ms(state.game, state, 1, level, action, luck)
            assert ms >= 600
            times[first in goals].append(ms)
    assert within(wrong, expected(level)["wrong"])
    assert within(times[True], expected(level)["right_ms"])
    assert within(times[False], expected(level)["wrong_ms"]), "times are drawn given the wish, moods and all"


def test_the_order_in_which_colours_are_looked_at_shows_in_time_and_wish():
    """Red scores with one look, black with a close one: who reaches for red first has seen it sooner."""
    state = bolzplatz.load_game(GAME, players=4).new_initial_state().play("Sb9", "Kr8", "Sr14", "Sr13")
    wishes = Counter(bots.pick_action(state.game, state, 0, "adult", FastStream(4, n)) for n in range(4000))
    both = wishes[rules.BLACK_THEN_RED] + wishes[rules.RED_THEN_BLACK]
    assert both > 3400
    assert abs(wishes[rules.RED_THEN_BLACK] / both - 0.5) < 0.04, "either colour is looked at first"
    times = [
        [bots.reaction_ms(state.game, state, 0, "adult", wish, FastStream(8, n)) for n in range(4000)]
        for wish in (rules.BLACK_THEN_RED, rules.RED_THEN_BLACK, rules.ONLY_RED)
    ]
    own = DATA["adult"]
    black, red = 2 * own["card_ms"] + own["near_ms"] / 2, 2 * own["card_ms"]
    moods = [1 - mood * own["hurry_saves"] / 1000 for mood in range(3)]
    for sample, looked in zip(times, (black, red), strict=False):
        exact = mean(mean_time((own["base_ms"] + looked) * mood, own["sigma_ms"], own["tau_ms"], 600) for mood in moods)
        # Who sees both goals is a little calmer than the average player.
        assert abs(mean(sample) - exact) < 12 + 4 * stdev(sample) / 4000**0.5
    assert mean(times[2]) > mean(times[1]) + 100, "some of them have looked at black, in vain, before"


@skilled
def test_whistles_and_the_end_card_are_overlooked_as_often_as_the_file_says(level):
    own = DATA[level]
    hurry = mean(1 + mood * own["hurry_costs"] / 1000 for mood in range(3))
    whistle = bolzplatz.load_game(GAME, pro=True).new_initial_state().play("Sbw", "Kr5", "Kr6")
    end = bolzplatz.load_game(GAME, end_in_second_half=True).new_initial_state()
    while end.view()["shown"]["half"] == "first_half":
        end.play("none none none") if end.is_simultaneous_node() else end.apply_action(end.legal_actions()[0])
    end.play("END", "Sb14", "Sb13")
    for state, error in ((whistle, own["whistle_error"]), (end, own["end_error"])):
        luck = (FastStream(5, n) for n in range(5000))
        grabs = [float(bots.pick_action(state.game, state, 0, level, stream) in (2, 4)) for stream in luck]
        expected_share = hurry * error / 1000 * (1 if state is whistle else 1 - hurry * own["error"] / 1000)
        assert abs(mean(grabs) - expected_share) < 0.004 + 4 * (expected_share / 5000) ** 0.5
    ms = bots.reaction_ms(end.game, end, 0, level, rules.ONLY_BLACK, FastStream(1))
    assert ms >= 600


def test_random_players_do_anything_any_time():
    state = next(rounds(1))
    wishes = Counter(bots.pick_action(state.game, state, 0, "random", FastStream(4, n)) for n in range(500))
    assert min(wishes[action] for action in range(5)) > 60
    times = [bots.reaction_ms(state.game, state, 0, "random", 1, FastStream(4, n)) for n in range(2000)]
    assert 600 <= min(times) < 620
    assert 2580 < max(times) < 2600


def test_they_see_only_what_lies_open():
    """What they do depends on the open cards alone: not on chips, stacks, halves, or who sits where."""
    state = next(rounds(1, {"players": 4}))
    blank = rules.State(phase=state._data.phase, open=list(state._data.open))
    turned = rules.State(phase=state._data.phase, open=[*state._data.open[3::-1], 0])
    for level, n in itertools.product(range(6), range(100)):
        calls = [
            players.choose(level, data, state.game.setup, 2, list(range(5)), 5, FastStream(7, n).rng)
            for data in (state._data, blank, turned)
        ]
        assert calls[0] == calls[1] == calls[2]
        if calls[0]:
            times = {
                players.reaction_ms(level, data, state.game.setup, calls[0], FastStream(7, n).rng)
                for data in (state._data, blank, turned)
            }
            assert len(times) == 1


# --- who is first -------------------------------------------------------------------------------------------------


def test_order_follows_the_reaction_times_and_nothing_but_them():
    state = bolzplatz.load_game(GAME, players=5).new_initial_state()
    state.play("Sb14", "Kr5", "Kb5", "Kb6", "Kb7", "black none black black black>red")
    first = Counter()
    for n in range(3000):
        levels = ["expert", "random", "child", "adult", "adult"]
        text = state.action_to_string(bots.pick_outcome(state.game, state, levels, FastStream(2, n)))
        first[text.split()[1]] += 1
    assert first["0"] > first["3"] > first["2"] > 0
    assert abs(first["3"] - first["4"]) < 4 * (first["3"] + first["4"]) ** 0.5
    assert first["1"] == 0


def test_equals_are_first_equally_often_wherever_they_sit():
    state = bolzplatz.load_game(GAME).new_initial_state().play("Sb14", "Kr5", "Kb5", "black black black")
    orders = Counter(bots.pick_outcome(state.game, state, ["keen"] * 3, FastStream(6, n)) for n in range(6000))
    assert set(orders) == set(range(6))
    assert max(abs(count - 1000) for count in orders.values()) < 4 * 1000**0.5


def test_cards_come_as_usual():
    state = bolzplatz.load_game(GAME).new_initial_state()
    assert bots.pick_outcome(state.game, state, ["adult"] * 3, FastStream(1)) is None
    state.play("Sb14", "Kr5", "Kb5")
    assert bots.pick_outcome(state.game, state, ["adult"] * 3, FastStream(1)) is None


def test_other_games_have_no_times():
    game = bolzplatz.load_game("bar-bolz")
    state = game.new_initial_state()
    assert bots.chance_drawer("bar-bolz") is None
    assert bots.pick_outcome(game, state, ["good", "good"], FastStream(1)) is None
    assert bots.reaction_ms(game, state, 0, "good", 0, FastStream(1)) is None


@pytest.mark.parametrize("options", [{}, {"players": 5, "pro": True}], ids=str)
def test_compiled_matches_are_the_interpreted_ones(options):
    game = bolzplatz.load_game(GAME, **options)
    levels = [(1 + seat) % 6 for seat in range(game.num_players)]
    played = Engine(game, players.choose, players.draw_chance).play(4, seed=11, levels=levels)
    for match in range(4):
        state, stream = game.new_initial_state(), FastStream(11, match)
        while not state.is_terminal():
            if state.is_simultaneous_node():
                seats = range(game.num_players)
                views = [state.masked(seat) for seat in seats]
                wishes = list(range(5))
                state.apply_actions(
                    [players.choose(levels[i], views[i], game.setup, i, wishes, 5, stream.rng) for i in seats]
                )
                continue
            drawn = [0] * MAX_DRAWN
            outcome = players.draw_chance(levels, state.masked(None), game.setup, stream.rng, drawn)
            state.apply_action(draw_from(stream, state).outcome if outcome < 0 else outcome)
        assert state.scores() == played.scores[match].tolist()
        assert state.move_number() == played.steps[match]


def test_kernels_leave_chance_alone_without_players():
    assert kernels.draw_as_usual(None, None, None, None, None) == -1


@pytest.mark.parametrize(("weaker", "stronger"), list(itertools.pairwise(players.LEVELS)))
def test_levels_are_ordered_by_the_matches_they_win(weaker, stronger):
    """One against two either way, in the same matches with changed seats, with 99 % intervals."""
    game = bolzplatz.load_game(GAME)
    for policies in ((weaker, stronger, stronger), (weaker, weaker, stronger)):
        result = simulate(game, policies, matches=900, seed=2, workers=1)
        shares = {policy.policy: policy for policy in result.by_policy}
        assert shares[weaker].wins.interval[1] < shares[weaker].fair
        assert shares[stronger].wins.interval[0] > shares[stronger].fair


def test_simulated_seats_are_alike():
    result = simulate(bolzplatz.load_game(GAME, players=4), ["adult"], matches=4000, seed=3, workers=1)
    for seat in result.seats:
        low, high = seat.wins.interval
        # Shared wins count for each of the winners: seats together win a little more often than there are matches.
        assert low < sum(other.wins.share for other in result.seats) / 4 < high
