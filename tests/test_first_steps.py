"""Somebody's first hour: what goes wrong at the command line is told in one line; the form promises what is true."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import bolzplatz
from bolzplatz.bots.plugins import PlayerError, plug_in, unplug, what_failed
from bolzplatz.cli.main import main
from bolzplatz.simulate import simulate
from bolzplatz.simulate.sequential import write_results
from bolzplatz.web.app import create_app
from bolzplatz.web.language import LANGUAGES, catalogue

OWN_PLAYERS = {
    "def player(view, legal)\n    return legal[0]\n": ("cannot be imported", "SyntaxError", "line 1"),
    "import math\nfast = math.nothing\n": ("cannot be imported", "AttributeError", "mine.py, line 2"),
    "import sys\n\nsys.exit('no player here')\n": ("cannot be imported", "no player here", "mine.py, line 3"),
    "import chess_of_mars\n": ("cannot be imported", "chess_of_mars"),
    "other = 1\n": ("cannot be imported", "'player'"),
    "def player(view, legal):\n    return view['nothing']\n": ("player own", "KeyError: 'nothing'", "mine.py, line 2"),
    "import json\n\ndef player(view, legal):\n    return json.loads('{')\n": ("JSONDecodeError", "mine.py, line 4"),
    "def player(view, legal):\n    return None\n": ("player own", "None is neither an action id nor a move"),
    "def player(view, legal):\n    return legal[0] + 0.5\n": ("player own", "is neither an action id nor a move"),
    "def player(view, legal):\n    return 'keep 7'\n": ("player own", "'keep 7' is refused"),
}
"""Modules with a player that is wrong, and what is told of it."""


def complaint(capsys, *arguments):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("bolzplatz: ")
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize("code", OWN_PLAYERS)
def test_what_is_wrong_in_a_player_of_ones_own_is_told_with_its_line(code, tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    try:
        told = complaint(
            capsys,
            *("simulate", "5050", "--player", "own=5050:python:mine:player"),
            *("--policies", "own,random", "--matches", "1", "--workers", "1"),
        )
    finally:
        unplug("5050", "own")
        sys.modules.pop("mine", None)
    for words in OWN_PLAYERS[code]:
        assert words in told


def test_an_action_id_may_be_any_whole_number():
    """NumPy's, as learners have them."""
    import numpy as np

    plug_in("bar-bolz", "counting", lambda view, legal: np.asarray(legal)[0])
    try:
        assert simulate(bolzplatz.load_game("bar-bolz"), ["counting", "random"], 2, workers=1).matches == 2
    finally:
        unplug("bar-bolz", "counting")


def test_errors_of_this_package_say_all_themselves():
    assert what_failed(PlayerError("it has ended")) == "it has ended"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("play 5050 --nope", "--nope (see bolzplatz play --help)"),
        ("rules 5050 more", "more (see bolzplatz rules --help)"),
        ("--nope", "--nope (see bolzplatz --help)"),
        ("simulate 5050 --address tcp://host:1", "'tcp://host:1'"),
        ("bench 5050 good child --results no/folder/results.json", "no/folder/results.json cannot be written"),
        ("play 5050 --player me=5050:python:math:floor", "me is the person at this keyboard"),
    ],
)
def test_mistakes_name_what_is_wrong_and_where_to_read_on(line, named, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert named in complaint(capsys, *line.split())


def test_no_policy_is_none(capsys):
    assert "unknown level ''" in complaint(capsys, "simulate", "5050", "--policies", "", "--matches", "1")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that can close a stream")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("line", ["games", "--help", "play bar-bolz --seats child,child"])
def test_a_closed_stream_is_no_failure(line, closed, tmp_path):
    command = f'"{sys.executable}" -m bolzplatz {line} {closed}'
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=180)
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == (">&-" not in closed.replace("2>&-", ""))


def test_results_leave_files_of_a_similar_name_alone(tmp_path):
    other = tmp_path / "results.part"
    other.write_text("mine", encoding="utf-8")
    write_results(tmp_path / "results.json", {})
    assert other.read_text(encoding="utf-8") == "mine"
    assert sorted(Path(each).name for each in tmp_path.iterdir()) == ["results.json", "results.part"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_says_who_sees_what_the_coach_knows(language, tmp_path):
    """Everybody, where all lies open; where hands are hidden only the side that decides."""
    t = catalogue(language)
    with TestClient(create_app(str(tmp_path / "tables.sqlite3")), cookies={"language": language}) as client:
        pages = {game: client.get(f"/new/{game}?with=people").text for game in bolzplatz.game_names()}
    everybody = [game for game, page in pages.items() if t("new.coach_more") in page]
    assert everybody == ["5050", "bar-bolz", "gooaaaaal"]
    assert [game for game, page in pages.items() if t("new.coach_hidden") in page] == ["dribbel-fieber"]
