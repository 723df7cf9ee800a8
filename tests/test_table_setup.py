"""How a table is set up: what is filled in, and what is refused with the place where it is wrong."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bolzplatz
from bolzplatz import bots as bots_module
from bolzplatz.bots import levels, pick_action
from bolzplatz.core.fast import FastStream
from bolzplatz.table.setup import NAME_LENGTH, SetupError, TableSetup
from tests.table_kit import bot, human
from tests.toy_games import PIG

GOOD: dict[str, Any] = {"game": "5050", "seats": [human("Mia"), bot("Robo"), human("Ben")]}


def test_what_is_left_out_has_its_default() -> None:
    setup = TableSetup.from_dict(GOOD)
    assert setup.options == bolzplatz.load_game("5050", players=3).options
    assert (setup.dice, setup.speed, setup.mode, setup.language) == ("sealed", "normal", "normal", "en")
    assert [seat.look for seat in setup.seats] == [0, 1, 2]
    assert [seat.is_bot for seat in setup.seats] == [False, True, False]
    assert setup.humans == (0, 2)


def test_a_setup_survives_the_store() -> None:
    given_setup = {
        **GOOD,
        "dice": "hand",
        "speed": "quick",
        "mode": "kids",
        "language": "de",
        "options": {"target": 99},
    }
    setup = TableSetup.from_dict(given_setup)
    assert TableSetup.from_dict(json.loads(json.dumps(setup.to_dict()))) == setup
    assert setup.options["target"] == 99


def test_options_may_come_as_texts_from_a_form() -> None:
    assert TableSetup.from_dict({**GOOD, "options": {"target": "2000", "finish_round": "false"}}).options == (
        bolzplatz.load_game("5050", players=3, target=2000, finish_round=False).options
    )


@pytest.mark.parametrize(
    ("change", "place", "key"),
    [
        ({"game": "chess"}, "options", "bad_option"),
        ({"game": None}, "game", "no_game"),
        ({"colour": "red"}, "setup", "unknown_field"),
        ({"options": {"tempo": 3}}, "options", "bad_option"),
        ({"options": {"target": -1}}, "options", "bad_option"),
        ({"options": {"players": 2}}, "seats", "seat_count"),
        ({"options": [1]}, "options", "bad_option"),
        ({"options": {1: 2}}, "options", "bad_option"),
        ({"seats": []}, "seats", "no_seats"),
        ({"seats": "Mia"}, "seats", "no_seats"),
        ({"seats": [human("Mia")]}, "options", "bad_option"),
        ({"seats": [human(f"P{i}") for i in range(11)]}, "options", "bad_option"),
        ({"seats": ["Mia", "Ben"]}, "seats[0]", "bad_seat"),
        ({"seats": [human("Mia"), {**human("Ben"), "age": 6}]}, "seats[1]", "bad_seat"),
        ({"seats": [human("Mia"), {"kind": "ghost", "name": "Ben"}]}, "seats[1].kind", "not_offered"),
        ({"seats": [human("Mia"), bot("Robo", "godlike")]}, "seats[1].level", "not_offered"),
        ({"seats": [human("Mia"), {"kind": "bot", "name": "Robo"}]}, "seats[1].level", "not_offered"),
        ({"seats": [human("Mia"), {**human("Ben"), "level": "good"}]}, "seats[1].level", "level_of_human"),
        ({"seats": [human("Mia"), {**human("Ben"), "look": 10}]}, "seats[1].look", "bad_look"),
        ({"seats": [human("Mia"), {**human("Ben"), "look": True}]}, "seats[1].look", "bad_look"),
        ({"seats": [human("Mia"), human(" mia ")]}, "seats[1].name", "same_name"),
        ({"dice": "loaded"}, "dice", "not_offered"),
        ({"speed": ["quick"]}, "speed", "not_offered"),
        ({"mode": 1}, "mode", "not_offered"),
        ({"language": "xx"}, "language", "not_offered"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change: dict[str, Any], place: str, key: str) -> None:
    with pytest.raises(SetupError) as caught:
        TableSetup.from_dict({**GOOD, **change})
    assert (caught.value.place, caught.value.key) == (place, key)
    assert "\n" not in str(caught.value)


KERLE = {"game": "wilde-kerle", "seats": [human("Mia"), human("Ben"), bot("Robo", "adult")]}


def test_rounds_are_agreed_on_where_all_move_at_once() -> None:
    given = {**KERLE, "pace": "grab", "strict": True, "tie": "nobody"}
    given["seats"] = [{**human("Mia"), "handicap": 300}, *KERLE["seats"][1:]]
    setup = TableSetup.from_dict(given)
    assert (setup.pace, setup.strict, setup.tie, setup.training) == ("grab", True, "nobody", False)
    assert [seat.handicap for seat in setup.seats] == [300, 0, 0]
    assert TableSetup.from_dict(setup.to_dict()) == setup
    assert TableSetup.from_dict(KERLE).pace == "thinking"


def test_who_trains_is_alone_and_against_the_clock() -> None:
    alone = {**KERLE, "seats": [human("Mia"), bot("Robo", "adult"), bot("Roba", "adult")], "training": True}
    assert TableSetup.from_dict(alone).pace == "grab"


@pytest.mark.parametrize(
    ("change", "place", "key"),
    [
        ({"pace": "slow"}, "pace", "not_offered"),
        ({"strict": "yes"}, "strict", "not_offered"),
        ({"tie": "coin"}, "tie", "not_offered"),
        ({"training": True}, "seats", "not_offered"),
        (
            {"seats": [human("Mia"), human("Ben"), {**human("Zoë"), "handicap": 1501}]},
            "seats[2].handicap",
            "bad_handicap",
        ),
        (
            {"seats": [human("Mia"), human("Ben"), {**human("Zoë"), "handicap": 0.5}]},
            "seats[2].handicap",
            "bad_handicap",
        ),
        ({"dice": "hand"}, "seats", "no_computer"),
        ({"options": {"deck": "any"}}, "options", "needs_real_cards"),
        ({"game": "5050", "pace": "grab"}, "pace", "not_offered"),
        ({"game": "5050", "training": True}, "training", "not_offered"),
        ({"game": "5050", "seats": [human("Mia"), {**human("Ben"), "handicap": 5}]}, "seats", "not_offered"),
    ],
)
def test_what_cannot_be_agreed_on_is_named(change: dict[str, Any], place: str, key: str) -> None:
    seats = [human("Mia"), human("Ben")] if "game" in change else KERLE["seats"]
    with pytest.raises(SetupError) as caught:
        TableSetup.from_dict({**KERLE, "seats": seats, **change})
    assert (caught.value.place, caught.value.key) == (place, key)


def test_a_box_that_is_not_known_is_played_with_real_cards() -> None:
    people = [human("Mia"), human("Ben"), human("Zoë")]
    setup = TableSetup.from_dict({**KERLE, "seats": people, "dice": "hand", "options": {"deck": "any"}})
    assert setup.options["deck"] == "any"


def test_a_game_without_computer_players_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots_module, "game_spec", lambda _: PIG)
    with pytest.raises(SetupError, match="no computer player") as caught:
        TableSetup.from_dict({"game": "bar-bolz", "seats": [human("Mia"), bot("Robo")]})
    assert (caught.value.place, caught.value.key) == ("seats[1].level", "no_computer")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (None, "no_name"),
        (7, "no_name"),
        ("", "no_name"),
        ("  \t ", "no_name"),
        ("x" * (NAME_LENGTH + 1), "long_name"),
        ("Mia\u202eneB", "bad_name"),  # would turn the reading direction
        ("Mi\u0000a", "bad_name"),
        ("\u200b", "bad_name"),
        ("\u200d", "bad_name"),
        ("Mi\u200da", "bad_name"),  # would pass for Mia
        ("Mia\ufe0f", "bad_name"),
        ("\u3164", "bad_name"),  # a letter that shows nothing
        ("👩\u200d Ada", "bad_name"),  # a joiner that joins nothing
        ("Mia \u202e🦊", "bad_name"),
        ("🦊\ufe0f\ufe0f", "bad_name"),
        ("❤", "bad_name"),  # a sign, not an emoji, without U+FE0F
        ("✅ Mia", "bad_name"),  # the page's own ticks, crosses and locks
        ("❌", "bad_name"),
        ("🔒 Mia", "bad_name"),
        ("🇩", "bad_name"),
        ("🦊" * (NAME_LENGTH + 1), "long_name"),
        ("<b>Mia</b>", "bad_name"),
        ("Mia_Ben", "bad_name"),
        ("- . '", "bad_name"),
        ("M" + "\u0301" * 9, "bad_name"),  # accents piled up
        ("\ud800", "bad_name"),
    ],
)
def test_names_are_short_and_visible(name: Any, key: str) -> None:
    with pytest.raises(SetupError) as caught:
        TableSetup.from_dict({"game": "bar-bolz", "seats": [human("Ben"), human(name)]})
    assert (caught.value.place, caught.value.key) == ("seats[1].name", key)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("  Mia   Lu ", "Mia Lu"),
        ("Zoe\u0308", "Zoë"),
        ("O’Neil-2 Jr.", "O’Neil-2 Jr."),
        ("Ольга", "Ольга"),
        ("👩‍🦰  Ada", "👩‍🦰 Ada"),
        ("🦊", "🦊"),
        ("Mia⚽❤️👍🏽", "Mia⚽❤️👍🏽"),
        ("🇩🇪 Ben 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇩🇪 Ben 🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    ],
)
def test_names_are_kept_in_one_form(written: str, kept: str) -> None:
    setup = TableSetup.from_dict({"game": "bar-bolz", "seats": [human(written), human("Ben")]})
    assert setup.seats[0].name == kept


def test_names_that_look_the_same_are_the_same() -> None:
    with pytest.raises(SetupError) as caught:
        TableSetup.from_dict({"game": "bar-bolz", "seats": [human("⚽ Mia"), human("⚽\ufe0f mia")]})
    assert caught.value.key == "same_name"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


FIELDS = (*GOOD, "options", "dice", "speed", "mode", "language")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON)))
def test_any_json_is_a_setup_or_a_setup_error(fields: dict[str, Any]) -> None:
    for given_setup in (fields, {**GOOD, **fields}):
        with suppress(SetupError):  # nothing else may come out
            TableSetup.from_dict(given_setup)


@pytest.mark.parametrize("game_name", ["5050", "bar-bolz"])
def test_every_level_plays_legally_and_the_same_again(game_name: str) -> None:
    game = bolzplatz.load_game(game_name, **({"target": 300} if game_name == "5050" else {}))
    for level in levels(game_name):
        for _ in range(2):
            state, dice, picked = game.new_initial_state(), FastStream(7), []
            while not state.is_terminal() and state.move_number() < 400:
                if state.is_chance_node():
                    outcomes = state.legal_actions()
                    state.apply_action(outcomes[dice.below(len(outcomes))])
                else:
                    seat = state.current_player()
                    before = state.clone()
                    action = pick_action(game, state, seat, level, FastStream(3, state.move_number()))
                    assert action in state.legal_actions()
                    assert pick_action(game, state, seat, level, FastStream(3, state.move_number())) == action
                    assert state == before
                    picked.append(action)
                    state.apply_action(action)
            assert picked


def test_asking_for_nothing_or_for_nobody_is_an_error() -> None:
    game = bolzplatz.load_game("bar-bolz")
    state = game.new_initial_state()
    with pytest.raises(ValueError, match="nothing to decide"):
        pick_action(game, state, 0, "good", FastStream(1))
    state.play("pass", "10", "penalty")
    with pytest.raises(bolzplatz.OptionError, match="godlike"):
        pick_action(game, state, 0, "godlike", FastStream(1))
    with pytest.raises(bolzplatz.OptionError, match="unknown game"):
        levels("chess")
