"""GOOAAAAAL! on the page without a browser: what the dice of whoever acts are offered as."""

import html
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from bolzplatz.core.game import State
from bolzplatz.games import load_game
from bolzplatz.table.frames import build_frame
from bolzplatz.table.setup import Seat, SetupError, TableSetup
from bolzplatz.table.table import Secrets, Table
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.render import draw_frame
from bolzplatz.web.render.room import scene
from bolzplatz.web.setup_form import first_answers, read_setup

BALLS = ("throw BB", "throw BT", "throw K", "throw TT", "throw TT", "place B 1", "place B 2", "place B 3", "done")
CALLED = ("throw-on", "throw TO", "throw TT", "throw K", "throw TT", "throw TT")


def drawn(state: State, language: str = "en", seat: int = 1, **options: Any) -> str:
    """Return the table's pieces as whoever is asked sees them, with real dice."""
    names = ("Ann", "Ben", "Cem", "Dora")[: state.game.num_players]
    seats = [{"kind": "human", "name": name} for name in names]
    setup = TableSetup.from_dict({"game": "gooaaaaal", "seats": seats, "dice": "hand", "options": options})
    table = Table.fresh("t", setup, Secrets.fresh(names, "Ann"))
    table.state = state
    table._waiting = None
    return str(draw_frame(build_frame(table, [seat], 0), language)["html"])


def uses_of(page: str, face: str) -> list[dict[str, Any]]:
    """Return what the die with a face may be used as."""
    found = re.search(rf'<button[^>]*data-face="{face}"[^>]*>', page)
    assert found
    uses = re.search(r"data-uses=(['\"])(.*?)\1", found[0])
    assert uses
    return list(json.loads(html.unescape(uses[2])))


def plan_of(page: str) -> dict[str, Any]:
    found = re.search(r"data-plan=(['\"])(.*?)\1", page)
    assert found
    return dict(json.loads(html.unescape(found[2])))


def test_the_form_offers_head_starts_and_strict_mode_for_races_of_taps_alone() -> None:
    answers = first_answers("gooaaaaal", False, catalogue("en")) | {
        "o-mode": "sudden-death",
        "handicap-0": "500",
        "strict": "yes",
    }
    plain = TableSetup.from_dict(read_setup(answers, "en"))
    assert (plain.strict, [seat.handicap for seat in plain.seats]) == (False, [0, 0])
    answers["o-penalty_model"] = "tap-race"
    setup = TableSetup.from_dict(read_setup(answers | {"begins": "0"}, "en"))
    assert (setup.tapped, setup.strict, [seat.handicap for seat in setup.seats]) == (True, True, [500, 0])
    # Real hands are told, not timed.
    real = TableSetup.from_dict(read_setup(answers | {"dice": "hand"}, "en"))
    assert (real.tapped, real.strict, [seat.handicap for seat in real.seats]) == (False, False, [0, 0])
    with pytest.raises(SetupError):
        TableSetup.from_dict(read_setup(answers | {"handicap-0": "9999"}, "en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_race_of_taps_shows_who_gives_a_head_start(language: str) -> None:
    seats = [{"kind": "human", "name": "Ann", "handicap": 500}, {"kind": "human", "name": "Ben"}]
    options = {"mode": "sudden-death", "penalty_model": "tap-race"}
    setup = TableSetup.from_dict({"game": "gooaaaaal", "seats": seats, "options": options, "strict": True})
    table = Table.fresh("t", setup, Secrets.fresh(("ann", "ben"), "ann"))
    page = str(draw_frame(build_frame(table, [1], 0), language)["html"])
    (gives,) = re.findall(r'<span class="gives".*?</span>([^<]+)</span>', page)
    assert re.fullmatch(r"0[.,]50 s", gives)
    room = replace(setup, room=True, seats=(setup.seats[0], Seat("open", "", None, 1)))
    waits = build_frame(Table.fresh("t", room, Secrets.fresh(("ann", None), "ann")), [0], 0)
    facts = " ".join(scene(waits, catalogue(language))["facts"])
    assert gives in facts
    assert catalogue(language)("room.strict") in facts


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_offside_asks_which_ball_goes_where_their_dice_differ(language: str) -> None:
    state = load_game("gooaaaaal", edition="nine", mode="match").new_initial_state().play(*BALLS, *CALLED)
    page = drawn(state, language, edition="nine", mode="match")
    offered = [use for use in uses_of(page, "offside") if use["use"] == "offside"]
    assert len({use["label"] for use in offered}) == 2, "two kinds of dice lie on the line, and each has its words"
    assert [use["picture"] for use in offered] == ["g-offside", "g-yellow"]
    plan = plan_of(page)
    assert plan["targets"] == [["off-side 1", "off-side 2"], ["off-side 3"]]
    assert [plan["limits"][use["limit"]] for use in offered] == [2, 1]
    for use, place in zip(offered, ([0], [2]), strict=True):
        after = state.clone().play(plan["targets"][use["kind"]][0])
        dice = after.view()["shown"]["players"][0]["dice"]
        balls = [die["number"] - 1 for die in dice if die["face"] == "ball" and die["place"] == "placed"]
        assert sorted({0, 1, 2} - set(balls)) == place


@pytest.mark.parametrize("language", LANGUAGES)
def test_whose_only_die_lies_in_the_middle_is_asked_for_it(language: str) -> None:
    state = load_game("gooaaaaal", teams="2v2").new_initial_state()
    state.play("throw BBBQ", "place B", "place B", "place B", "aside Q", "done", "throw WWWW", "done", "throw-on")
    page = drawn(state, language, seat=0, teams="2v2")
    assert [use["move"] for use in uses_of(page, "quarter")] == ["return Q"]
    assert 'id="act"' in page, "done"


def test_quarters_that_are_a_penalty_are_shown_and_of_no_more_use() -> None:
    state = load_game("gooaaaaal").new_initial_state().play("throw QQWW")
    page = drawn(state, seat=0)
    assert page.count('data-face="quarter"') == 2
    assert uses_of(page, "quarter") == []


def test_of_balls_on_dice_that_are_alike_nobody_is_asked_which() -> None:
    state = load_game("gooaaaaal", edition="nine", mode="match").new_initial_state()
    state.play("throw BB", "throw TT", "throw K", "throw TT", "throw TT", "place B 1", "place B 2", "done", *CALLED)
    offered = uses_of(drawn(state, edition="nine", mode="match"), "offside")
    assert [(use["use"], use["label"]) for use in offered] == [
        ("offside", "take a ball away"),
        ("keep", "keep for later"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_real_dice_a_tap_race_asks_whose_hand_is_next(language: str) -> None:
    options = {"mode": "shoot-out", "penalty_model": "tap-race"}
    state = load_game("gooaaaaal", **options).new_initial_state()
    page = drawn(state, language, **options)
    named = re.findall(r'data-act="hand" data-text="(tap \d)">(\w+)<', page)
    assert named == [("tap 0", "Ann"), ("tap 1", "Ben")]
    state.play("tap 1")
    assert 'data-act="face"' in drawn(state, language, **options), "then Ben's dice are entered"
    state.play("throw QWWW")
    assert 'data-text="tap 0"' in drawn(state, language, **options)
