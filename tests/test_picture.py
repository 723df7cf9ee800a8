"""Pictures of positions: the drawings of the page, without a browser, and nothing that spectators may not see."""

import random
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import bolzplatz
from bolzplatz.adapters.picture import draw
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream
from bolzplatz.web.picture import SIZE, board_svg
from bolzplatz.web.templating import fill
from tests.test_pettingzoo import garbled

SVG = "{http://www.w3.org/2000/svg}"
VIEWS = {
    "5050": [{}, {"players": 10}],
    "bar-bolz": [{}],
    "gooaaaaal": [{}, {"players": 5}, {"teams": "2v2"}, {"edition": "nine"}],
    "wilde-kerle": [{}, {"players": 5}],
    "dribbel-fieber": [{}],
}
"""Options that bring another board."""


def walk(game, seed, steps):
    """The states of a random match."""
    state, driver, luck = game.new_initial_state(), FastDriver(seed), random.Random(seed)
    for _ in range(steps):
        yield state
        if state.is_terminal():
            return
        if state.is_chance_node():
            state.apply_action(driver.draw(state).outcome)
        elif state.is_simultaneous_node():
            state.apply_actions([luck.choice(state.legal_actions(seat)) for seat in range(game.num_players)])
        else:
            state.apply_action(luck.choice(state.legal_actions()))


def names_of(state):
    return [f"Nr. {seat}" for seat in range(state.game.num_players)]


def tree(state):
    return ET.fromstring(board_svg(state, names_of(state)))


def words(picture):
    return [text.text for text in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name, several in VIEWS.items() for options in several]
)
def test_every_board_is_complete(name, options):
    """Along a match: a rasteriser finds all that it needs in the picture, and all of it lies on the picture."""
    game = bolzplatz.load_game(name, **options)
    for step, state in enumerate(walk(game, 3, 110)):
        if step % 27 == 0:
            svg = board_svg(state, names_of(state))
            assert "var(" not in svg
            assert "currentColor" not in svg
            picture = ET.fromstring(svg)
            used = {value[5:-1] for each in picture.iter() for value in each.attrib.values() if value[:5] == "url(#"}
            assert used <= {each.get("id") for each in picture.iter()}
            assert picture.get("viewBox") == f"0 0 {SIZE[0]} {SIZE[1]}"
            for piece in picture:
                if piece.tag == f"{SVG}svg":
                    x, y, width, height = (float(piece.get(side)) for side in ("x", "y", "width", "height"))
                    assert -1 <= x <= x + width <= SIZE[0] + 1, piece.attrib
                    assert -1 <= y <= y + height <= SIZE[1] + 1, piece.attrib


def test_the_dice_show_what_was_thrown():
    state = bolzplatz.load_game("5050").new_initial_state().play("throw 112346")
    pips = [each for each in tree(state).iter(f"{SVG}circle") if each.get("r") in ("9.5", "13")]
    assert len(pips) == 1 + 1 + 2 + 3 + 4 + 6
    state.play("keep 1 1")
    assert sum(each.get("r") == "13" for each in tree(state).iter(f"{SVG}circle")) == 2, "two ones lie aside"
    assert {"Nr. 0", "Nr. 1", "200", "/ 350"} <= set(words(tree(state)))


def test_the_ball_lies_where_the_points_are():
    state = bolzplatz.load_game("bar-bolz").replay(["10", "10"])
    shown = words(tree(state))
    assert shown.count("20") == 2, "on the ball's tag and at the edge of the lane"
    state = bolzplatz.load_game("bar-bolz").replay(["pass", "10", "penalty"])
    assert "20" not in words(tree(state)), "the goal's mouth is in the lane's place"


def test_it_is_the_pages_own_drawing():
    """Every path of the page's ball is in the picture, and a sheet's colour is where the sheet says."""
    ball = ET.fromstring(fill("sprite.svg", t=str)).find(f".//{SVG}symbol[@id='ball']")
    drawn = {
        each.get("d"): each for each in tree(bolzplatz.load_game("bar-bolz").new_initial_state()).iter(f"{SVG}path")
    }
    for path in ball.iter(f"{SVG}path"):
        assert path.get("d") in drawn
    patch = next(path for path in ball.iter(f"{SVG}path") if path.get("class") == "ball-patch")
    assert drawn[patch.get("d")].get("fill") == "#16202a"


@pytest.mark.parametrize("name", ["dribbel-fieber", "wilde-kerle"])
def test_nothing_hidden_is_in_a_picture(name):
    luck = FastStream(2)
    for state in [each.clone() for each in walk(bolzplatz.load_game(name), 5, 40)][10::10]:
        seen = board_svg(state, names_of(state))
        for _ in range(3):
            other = garbled(state, None, luck)
            assert other.key() != state.key()
            assert board_svg(other, names_of(state)) == seen


@pytest.mark.parametrize("name", bolzplatz.game_names())
def test_pixels_change_with_the_position(name):
    first, second = (each.clone() for step, each in enumerate(walk(bolzplatz.load_game(name), 4, 9)) if step in (1, 8))
    one, two = draw(first, names_of(first)), draw(second, names_of(second))
    assert one.shape == two.shape == (SIZE[1], SIZE[0], 3)
    assert one.dtype == np.uint8
    assert (one != two).any()
    assert len(np.unique(one.reshape(-1, 3), axis=0)) > 50
