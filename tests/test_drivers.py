"""Who supplies chance: fast, scripted, by hand, enumerating, sealed; and what faces mean at a node."""

import dataclasses
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import bolzplatz
from bolzplatz.core.drivers import (
    ByHandDriver,
    Draw,
    FastDriver,
    ScriptedDriver,
    draw_from,
    enumerate_outcomes,
    outcome_of_faces,
)
from bolzplatz.core.errors import IllegalActionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.forms import (
    FORM_DICE,
    FORM_HIDDEN,
    FORM_WEIGHTED,
    describe,
    dice,
    form_count,
    form_kind,
    form_sides,
    hidden,
    weighted,
)
from bolzplatz.core.game import Game, State
from bolzplatz.core.sealed_throw import data_digest, face_texts, outcome_of_sealed, sealed_form
from tests.toy_games import DUEL, duel, pig


def thrown(game: str, *moves: str, **options: Any) -> State:
    return bolzplatz.load_game(game, **options).new_initial_state().play(*moves)


def nodes_without_chance() -> list[State]:
    return [
        pig().new_initial_state(),
        pig(target=5).new_initial_state().play("roll", "6", "hold"),
        duel(players=2).new_initial_state().play("card 1", "card 2"),
        thrown("5050", "throw 112255"),
        thrown("bar-bolz", "pass", "10", "penalty"),
    ]


# --- fast -------------------------------------------------------------------------------------------------------


def test_a_match_is_drawn_again_from_seed_and_number_alone():
    def throws(driver: FastDriver) -> list[Draw]:
        state, found = thrown("bar-bolz"), []
        while not state.is_terminal():
            if state.is_chance_node():
                found.append(driver.draw(state))
                state.apply_action(found[-1].outcome)
            else:
                state.apply_action(0)
        return found

    first = throws(FastDriver(5, 7_123_456))
    other_matches = [throws(FastDriver(5, match)) for match in range(3)]
    assert throws(FastDriver(5, 7_123_456)) == first
    assert all(first != other for other in [*other_matches, throws(FastDriver(6, 7_123_456))])


def test_a_driver_changes_no_state():
    state = thrown("5050")
    before = state.to_json()
    draws = [FastDriver(1, match).draw(state) for match in range(50)]
    assert state.to_json() == before
    assert all(sorted(draw.faces) == _faces(state, draw.outcome) for draw in draws)
    assert len({draw.faces for draw in draws}) > 40


def _faces(state: State, outcome: int) -> list[int]:
    return [int(digit) - 1 for digit in state.action_to_string(outcome).removeprefix("throw ")]


def test_a_pile_is_drawn_by_weight_and_shows_no_faces():
    state = duel().new_initial_state().play("card 4", "card 4")
    draws = [FastDriver(3, match).draw(state) for match in range(4000)]
    assert {draw.faces for draw in draws} == {()}
    counts = Counter(draw.outcome for draw in draws)
    assert set(counts) == {0, 1, 2, 3}, "both cards 4 are gone"
    # Standard deviation: sqrt(4000 · 1/4 · 3/4) = 27.4
    assert all(abs(count - 1000) < 4 * 27.4 for count in counts.values())


class Loaded:
    """A source whose raw draws are known."""

    def __init__(self, faces: list[int]) -> None:
        self.faces, self.asked = faces, list[Any]()

    def dice(self, count: int, sides: int) -> list[int]:
        self.asked.append((count, sides))
        return self.faces

    def weighted(self, weights: Any) -> int:
        self.asked.append(list(weights))
        return self.faces[0]


def test_a_source_is_asked_for_the_form_of_the_node():
    source = Loaded([4, 0, 0, 4, 1, 2])
    state = thrown("5050")
    assert state.action_to_string(draw_from(source, state).outcome) == "throw 112355"
    assert draw_from(source, state).faces == (4, 0, 0, 4, 1, 2)
    two_left = thrown("5050", "throw 111235", "keep 111 5", threshold=2000)
    assert two_left.action_to_string(draw_from(Loaded([5, 0]), two_left).outcome) == "throw 16"
    cards = Loaded([2])
    hand = duel().new_initial_state().play("card 1", "card 1")
    assert hand.action_to_string(draw_from(cards, hand).outcome) == "card 3", "third of those that are left"
    assert (source.asked[0], cards.asked) == ((6, 6), [[2, 2, 2, 2]])


@pytest.mark.parametrize("faces", [[], [0] * 5, [0] * 7, [0, 1, 2, 3, 4, 6], [-1, 0, 0, 0, 0, 0]])
def test_faces_that_do_not_fit_the_throw_are_refused(faces):
    with pytest.raises(ValueError, match="do not fit the throw"):
        outcome_of_faces(thrown("5050"), faces)


def test_cards_have_no_faces():
    with pytest.raises(ValueError, match="do not fit the throw"):
        outcome_of_faces(duel().new_initial_state(), [0])


# --- scripted and by hand ---------------------------------------------------------------------------------------


def test_a_script_is_followed_and_ends():
    driver = ScriptedDriver(["6", "7", "2"])
    state = pig().new_initial_state().play("roll")
    state.apply_action(driver.draw(state).outcome)
    state.play("roll")
    with pytest.raises(IllegalActionError, match="'7'"):
        driver.draw(state)
    with pytest.raises(IllegalActionError, match="'7'"):
        driver.draw(state)
    assert state.history() == ["roll", "6", "roll"]
    with pytest.raises(IndexError):
        ScriptedDriver([]).draw(state)


def test_entries_by_hand_are_asked_for_until_one_can_come_up():
    entries = iter(["throw 12", "1", "throw 654321", "throw 123456", "throw 111111"])
    asked: list[State] = []
    refused: list[str] = []

    def ask(state: State) -> str:
        asked.append(state)
        return next(entries)

    state = thrown("5050")
    draw = ByHandDriver(ask, lambda fault: refused.append(fault.text)).draw(state)
    assert state.action_to_string(draw.outcome) == "throw 123456"
    assert refused == ["throw 12", "1", "throw 654321"]
    assert asked == [state] * 4
    assert next(entries) == "throw 111111", "not asked again"


@pytest.mark.parametrize("state", nodes_without_chance(), ids=repr)
def test_drivers_draw_at_chance_nodes_only(state):
    drivers = [FastDriver(1), ScriptedDriver(["take"]), ByHandDriver(lambda _: "take", lambda _: None)]
    for driver in drivers:
        with pytest.raises(ValueError, match="no chance node") as refused:
            driver.draw(state)
        assert not isinstance(refused.value, IllegalActionError), "a slip of the program, nobody is asked again"
    with pytest.raises(ValueError, match="no chance node"):
        list(enumerate_outcomes(state))


# --- enumerating: exact values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        pig().new_initial_state().play("roll"),
        duel().new_initial_state().play("card 3"),
        thrown("bar-bolz"),
        thrown("bar-bolz", "foul", black_faces="5,foul/5,10,foul,offside"),
        thrown("5050"),
    ],
    ids=repr,
)
def test_outcomes_are_all_there_once_with_the_states_after_them(state):
    before = state.to_json()
    found = list(enumerate_outcomes(state))
    assert sum(chance for _, chance, _ in found) == 1
    assert [(outcome, chance) for outcome, chance, _ in found] == state.chance_outcomes()
    for outcome, _, child in found:
        assert child.history() == [*state.history(), state.action_to_string(outcome)]
    assert state.to_json() == before


@pytest.mark.parametrize(
    ("left", "busts"),
    [(1, Fraction(4, 6)), (2, Fraction(16, 36)), (3, Fraction(60, 216)), (4, Fraction(204, 1296)),
     (5, Fraction(600, 7776)), (6, Fraction(1080, 46656))],
)  # fmt: skip
def test_chance_of_a_throw_with_nothing_usable(left, busts):
    """The published chances of 5050 §9, with so many dice left in the first turn."""
    aside = 6 - left
    state = thrown("5050", threshold=2000)
    for i in range(aside):
        # One 1 of each throw goes aside.
        state.play(f"throw 1{'2346666'[: 5 - i]}", "keep 1")
    assert sum(chance for _, chance, child in enumerate_outcomes(state) if child.roller() == 1) == busts


def test_expected_gain_of_one_throw_of_pig():
    """A throw adds 2 to 6 with equal chances or loses everything: 20/6 on average with nothing at risk."""
    state = pig().new_initial_state().play("roll")
    gain = sum(chance * child._data.at_risk for _, chance, child in enumerate_outcomes(state))
    assert gain == Fraction(20, 6)


@pytest.mark.parametrize(
    ("black_faces", "published"),
    [("5,foul", Fraction(2635189, 13436928)), ("5,foul,offside", Fraction(132142139, 679477248))],
)
def test_chance_that_an_attack_becomes_a_goal(black_faces, published):
    """The check values of bar-bolz §11, by walking over every outcome with its exact chance."""

    @cache
    def chance_of_goal(state: State) -> Fraction:
        if sum(state._data.goals):
            return Fraction(1)
        if state._data.attacker != 0:
            return Fraction(0)
        if not state.is_chance_node():
            return chance_of_goal(state.clone().play("take"))
        stays, total = Fraction(0), Fraction(0)
        for _, chance, child in enumerate_outcomes(state):
            if child == state:
                stays += chance  # an ignored face: thrown again
            else:
                total += chance * chance_of_goal(child)
        return total / (1 - stays)

    assert chance_of_goal(thrown("bar-bolz", black_faces=black_faces)) == published


# --- sealed -----------------------------------------------------------------------------------------------------


def test_the_sealed_form_of_a_node():
    assert sealed_form(thrown("5050")) == ("d6", 6)
    assert sealed_form(thrown("5050", "throw 111235", "keep 111 5", threshold=2000)) == ("d6", 2)
    assert sealed_form(thrown("bar-bolz")) == sealed_form(thrown("bar-bolz", "foul")) == ("d6", 1)
    state = duel().new_initial_state()
    assert sealed_form(state) == ("weighted 2,2,2,2,2", 1)
    assert sealed_form(state.play("card 1", "card 1")) == ("weighted 2,2,2,2", 1)


def test_sealed_dice_count_from_one():
    state = thrown("5050")
    draw = outcome_of_sealed(state, [5, 1, 1, 5, 2, 3])
    assert (state.action_to_string(draw.outcome), draw.faces) == ("throw 112355", (4, 0, 0, 4, 1, 2))
    for wrong in ([0, 1, 1, 5, 2, 3], [7, 1, 1, 5, 2, 3], [1], []):
        with pytest.raises(ValueError, match="do not fit"):
            outcome_of_sealed(state, wrong)


def test_a_sealed_weight_counts_what_is_left():
    state = duel().new_initial_state().play("card 1", "card 1")
    assert [state.action_to_string(outcome_of_sealed(state, [i]).outcome) for i in range(4)] == [
        "card 0", "card 2", "card 3", "card 4",
    ]  # fmt: skip
    for wrong in ([4], [-1], [], [0, 0]):
        with pytest.raises(ValueError, match="do not fit"):
            outcome_of_sealed(state, wrong)


def hidden_duel() -> State:
    """Duel whose cards come from a pile that nobody sees into."""
    spec = dataclasses.replace(DUEL, rules=dataclasses.replace(DUEL.rules, chance_form=lambda _s, _o: hidden()))
    return Game(spec, {}).new_initial_state()


def test_a_hidden_card_is_the_top_of_a_sealed_deck():
    state = hidden_duel().play("card 1", "card 1")
    assert sealed_form(state) == ("deck", 8)
    # Two cards each of 0, 2, 3 and 4 are left, in this order; the first face is the one on top.
    for top in range(8):
        faces = [top, *(face for face in range(8) if face != top)]
        assert state.action_to_string(outcome_of_sealed(state, faces).outcome) == f"card {[0, 2, 3, 4][top // 2]}"
    for wrong in ([0], [], list(range(9)), [0] * 8, [1, 2, 3, 4, 5, 6, 7, 8]):
        with pytest.raises(ValueError, match="are no order of the 8 cards"):
            outcome_of_sealed(state, wrong)
    assert FastDriver(1).draw(hidden_duel()) == FastDriver(1).draw(duel().new_initial_state())


def test_forms_are_packed_and_told():
    for form, kind, count, sides, told in [
        (dice(6, 6), FORM_DICE, 6, 6, "6d6"),
        (dice(16, 4095), FORM_DICE, 16, 4095, "16d4095"),
        (weighted(), FORM_WEIGHTED, 1, 0, "weighted"),
        (hidden(), FORM_HIDDEN, 1, 0, "hidden"),
    ]:
        assert (form_kind(form), form_count(form), form_sides(form), describe(form)) == (kind, count, sides, told)


def test_faces_have_the_names_that_the_game_gives_them():
    attack, referee = thrown("bar-bolz"), thrown("bar-bolz", "foul")
    names = ["5", "10", "pass", "foul", "offside", "penalty"]
    assert face_texts(attack, range(6)) == face_texts(referee, range(6)) == names
    assert face_texts(thrown("5050"), [0, 5]) == ["1", "6"]


def test_only_the_colour_counts_for_the_referee_and_the_face_is_kept():
    state = thrown("bar-bolz", "foul")
    draws = [outcome_of_sealed(state, [face]) for face in range(1, 7)]
    colours = [state.action_to_string(draw.outcome).removeprefix("referee ") for draw in draws]
    assert colours == ["black", "white", "white", "black", "black", "white"], "5, foul and offside are dark"
    assert [draw.faces for draw in draws] == [(face,) for face in range(6)]


def test_the_digest_of_what_is_played_depends_on_every_option():
    games = [bolzplatz.load_game("5050"), bolzplatz.load_game("bar-bolz")]
    changes = {"players": 3, "target": 5000, "threshold": 300, "finish_round": False, "first": 1}
    games += [bolzplatz.load_game("5050", **{name: value}) for name, value in changes.items()]
    digests = {data_digest(game) for game in games}
    assert len(digests) == len(games)
    assert data_digest(bolzplatz.load_game("5050", target=5050)) == data_digest(games[0])
    # sha256sum over {"game":"pig","options":{"target":100},"rules_version":"1"}
    assert data_digest(pig()) == "ea2d9664cf59c1a86b0d4362ad6af9c9557a6dca91616cf0837ced605340a972"


def test_fast_faces_are_the_streams_own():
    state = thrown("5050")
    assert list(FastDriver(8, 3).draw(state).faces) == FastStream(8, 3).dice(6, 6)
