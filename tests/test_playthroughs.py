"""The golden playthroughs are what the rules, the notation and the texts say today (tests/playthrough.py)."""

import pytest

import bolzplatz
from bolzplatz.games import game_spec
from tests.playthrough import FOLDER, MOVE, play, read_script, render

FILES = sorted(FOLDER.glob("*.txt"))
SCRIPTS = {path.stem: read_script(path.read_text(encoding="utf-8")) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthrough(path):
    text = path.read_text(encoding="utf-8")
    assert render(read_script(text)) == text, f"python -m tests.playthrough --update {path}; then read the difference"


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_playthrough_is_named_after_its_game_and_ends(name):
    script = SCRIPTS[name]
    assert name.startswith(f"{script.game}-")
    *_, (_, last) = play(script)
    assert last.is_terminal()
    assert len(script.about) > 20


@pytest.mark.parametrize("game", bolzplatz.game_names())
def test_the_playthroughs_of_a_game_show_every_kind_of_event(game):
    told = set()
    for script in SCRIPTS.values():
        if script.game == game:
            steps = 0
            for move, state in play(script):
                seats = (None, *range(state.game.num_players))
                if move.startswith(MOVE):
                    told |= {event.kind for seat in seats for event in state.events(seat) if event.step >= steps}
                steps = state.move_number()
    assert told == {kind.name for kind in game_spec(game).events}


def test_a_move_that_is_refused_stops_the_program():
    script = read_script("game: 5050\noptions: none\nabout: it\n--> throw 12\n")
    with pytest.raises(bolzplatz.IllegalActionError):
        render(script)
    with pytest.raises(AssertionError, match="was to be refused and is legal"):
        render(script._replace(moves=["--x throw 112233"]))
