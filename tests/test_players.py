"""Computer players from outside: plugged-in callables and programs of the line protocol, in mass play and at tables."""

import sys
from pathlib import Path

import numpy as np
import pytest

import bolzplatz
from bolzplatz.adapters.line import LinePlayer
from bolzplatz.adapters.vector import VectorMatches
from bolzplatz.bots import chance_drawer, chooser, level_index, levels, pick_action, reaction_ms, usual_level
from bolzplatz.bots.plugins import PlayerError, plug_in, unplug
from bolzplatz.cli.main import main
from bolzplatz.core.engine import Engine
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.record import read_record
from bolzplatz.simulate import simulate
from bolzplatz.simulate.plain import play_plainly
from bolzplatz.table.setup import TableSetup
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.setup_form import first_answers, questions
from tests.table_kit import bot, setup_of
from tests.test_service import run, sit

ROOT = Path(__file__).parent.parent
BOT = [sys.executable, str(ROOT / "examples" / "line_bot.py")]


@pytest.fixture
def plugged():
    """Plug players in, and forget them after the test."""
    names = []

    def plug(game, name, player, **how):
        plug_in(game, name, player, **how)
        names.append((game, name))

    yield plug
    for game, name in names:
        unplug(game, name)


@pytest.mark.parametrize(("name", "level"), [("bar-bolz", "child"), ("wilde-kerle", "child"), ("5050", "good")])
def test_plain_matches_are_the_compiled_ones(name, level):
    game = bolzplatz.load_game(name)
    policies = [level, *["random"] * (game.num_players - 1)]
    engine = Engine(game, chooser(name, policies), chance_drawer(name))
    compiled = engine.play(3, seed=5, first=40, levels=[level_index(name, each) for each in policies])
    for ours, theirs in zip(play_plainly(game, policies, 3, 5, 40, 10**6), compiled, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_plugged_in_player_is_not_the_usual_one_of_a_game_that_has_its_own(plugged):
    plugged("wilde-kerle", "newcomer", lambda view, legal: legal[0])
    plugged("5050", "newcomer", lambda view, legal: legal[0])
    assert levels("wilde-kerle")[-1] == "newcomer"
    assert (usual_level("wilde-kerle"), usual_level("5050")) == ("expert", "good")


def test_a_player_sees_what_its_seat_may_see_and_its_choice_is_played(plugged):
    seen = []

    def last(view, legal):
        seen.append((view, legal))
        return legal[-1]

    plugged("dribbel-fieber", "last", last)
    assert levels("dribbel-fieber")[-1] == "last"
    game = bolzplatz.load_game("dribbel-fieber")
    state, stream = game.new_initial_state(), FastStream(1)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    seat = state.current_player()
    assert pick_action(game, state, seat, "last", stream) == state.legal_actions()[-1]
    view, legal = seen[0]
    assert legal == state.legal_actions()
    assert view.pop("observation") == [seat, *state.observation(seat)]
    assert view == state.view(seat)
    assert stream.rng == FastStream(1).rng, "its luck is its own"


def test_answers_may_be_notation_and_wrong_ones_are_told(plugged):
    state = bolzplatz.load_game("5050").new_initial_state().play("throw 112355")
    game = state.game
    plugged("5050", "by-name", lambda view, legal: "keep 1 1 5 5")
    assert pick_action(game, state, 0, "by-name", FastStream(1)) == state.string_to_action("keep 1 1 5 5")
    plugged("5050", "wrong", lambda view, legal: "stop")
    with pytest.raises(PlayerError, match=r"wrong.*5050 §4"):
        pick_action(game, state, 0, "wrong", FastStream(1))
    plugged("5050", "wrong", lambda view, legal: 10**6, strict=False)
    assert pick_action(game, state, 0, "wrong", FastStream(1)) == state.legal_actions()[0]


@pytest.mark.parametrize("name", ["good", "a b", ""])
def test_names_that_cannot_be_used(name):
    with pytest.raises(OptionError):
        plug_in("5050", name, lambda view, legal: legal[0])


def test_mass_play_asks_plugged_in_players_and_compiled_rows_refuse_them(plugged):
    plugged("bar-bolz", "taker", lambda view, legal: legal[0])
    game = bolzplatz.load_game("bar-bolz")
    result = simulate(game, ["taker", "random"], matches=10, workers=1)
    assert {policy.policy for policy in result.by_policy} == {"taker", "random"}
    assert result.matches == 10
    with pytest.raises(OptionError, match="taker"):
        VectorMatches(game, 2, opponent="taker")


def test_where_hands_race_a_plugged_in_player_has_hands(plugged):
    plugged("wilde-kerle", "calm", lambda view, legal: 0)
    game = bolzplatz.load_game("wilde-kerle")
    result = simulate(game, ["calm", "child", "child"], matches=3, workers=1, rotate=False)
    assert result.matches == 3
    state = game.new_initial_state()
    while not state.is_simultaneous_node():
        state.apply_action(state.legal_actions()[0])
    assert reaction_ms(game, state, 0, "calm", 1, FastStream(2)) > 0


def test_the_table_offers_a_plugged_in_player_by_its_name(plugged):
    plugged("5050", "ann", lambda view, legal: legal[0])
    seats = [{"kind": "human", "name": "Me"}, {"kind": "bot", "name": "Ann", "level": "ann"}]
    setup = TableSetup.from_dict({"game": "5050", "options": {}, "seats": seats, "dice": "sealed", "language": "en"})
    assert setup.seats[1].level == "ann"
    assert {catalogue(language)("level.ann") for language in LANGUAGES} == {"ann"}
    texts = catalogue("en")
    asked = questions("5050", first_answers("5050", True, texts), texts)
    assert {"value": "bot-ann", "label": "ann"} in asked["levels"]
    assert asked["names"]["bot-ann"] == ["ann"]


# --- the line protocol ------------------------------------------------------------------------------------------


def test_a_program_plays(plugged):
    with LinePlayer(BOT, seconds=60) as program:
        assert program.name == "Greedy"
        plugged("5050", "greedy", program)
        state = bolzplatz.load_game("5050").new_initial_state().play("throw 112345")
        chosen = state.action_to_string(pick_action(state.game, state, 0, "greedy", FastStream(1)))
        assert chosen == "keep 1 1 5"
        other = bolzplatz.load_game("bar-bolz").replay(["pass", "10", "penalty"])
        assert program(other.view(0), other.legal_actions()) == "take"
    assert program._program.returncode == 0


def test_a_program_plays_at_a_served_table(plugged, tmp_path):
    asked = []

    async def work(house):
        while not asked:  # a short match may leave it no choice
            page = await sit(house, setup_of("5050", bot("Robo", "greedy"), bot("Roba", "random"), target=400))
            last = await page.play_on()
            assert last.result is not None
            record = read_record((await house.service.record(last.table)).encode())
            assert bolzplatz.load_game("5050", target=400).replay(record.moves).is_terminal()

    with LinePlayer(BOT, seconds=60) as program:
        plugged("5050", "greedy", lambda view, legal: asked.append(view["seat"]) or program(view, legal), strict=False)
        run(tmp_path / "tables.sqlite", work)
    assert set(asked) == {0}


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("print('ready', flush=True); input(); input(); input(); input(); print('info x'); print('move fly')", "fly"),
        ("input(); print('ready', flush=True)", "has ended"),
        ("print('ready', flush=True); [input() for _ in range(5)]", "does not answer within 0.2 seconds"),
    ],
)
def test_a_program_that_fails_is_named(plugged, program, told):
    with LinePlayer([sys.executable, "-c", program], seconds=60) as player:
        if "not answer" in told:
            player.seconds = 0.2  # it has started; now it may not take long
        plugged("5050", "odd", player)
        state = bolzplatz.load_game("5050").new_initial_state().play("throw 112355")
        with pytest.raises(PlayerError, match=told):
            pick_action(state.game, state, 0, "odd", FastStream(1))


SLOW_AT_FIRST = """
print("ready", flush=True)
asked = 0
while (line := input()) != "quit":
    asked += line.startswith("go")
    if line.startswith("go") and asked > 1:
        print(*["move late"] * (asked == 2), "move keep 5", sep="\\n", flush=True)
"""


def test_a_late_answer_is_not_taken_for_the_next_one(plugged):
    state = bolzplatz.load_game("5050").new_initial_state().play("throw 112355")
    with LinePlayer([sys.executable, "-c", SLOW_AT_FIRST], seconds=60) as player:
        plugged("5050", "slow", player, strict=False)
        player.seconds = 0.2
        assert pick_action(state.game, state, 0, "slow", FastStream(1)) == state.legal_actions()[0]
        player.seconds = 60  # what it did not say in time is said now, before its next answer
        for _ in range(2):
            answer = pick_action(state.game, state, 0, "slow", FastStream(1))
            assert state.action_to_string(answer) == "keep 5"


def test_programs_that_do_not_start():
    with pytest.raises(PlayerError, match="does not start"):
        LinePlayer("no-such-program-anywhere")
    with pytest.raises(PlayerError, match="has ended"):
        LinePlayer([sys.executable, "-c", ""])


# --- the command ------------------------------------------------------------------------------------------------


def test_the_command_plugs_players_in(plugged, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    plugged("bar-bolz", "line", lambda view, legal: legal[0])  # forgotten after the test, like its successor
    player = f"line=bar-bolz:line:{sys.executable} examples/line_bot.py"
    assert (
        main(["simulate", "bar-bolz", "--player", player, "--policies", "line,child", "--matches", "4", "--json"]) == 0
    )
    assert '"line"' in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    ["mine", "mine=5050:java:x", "mine=5050:python:no_such_module:f", "mine=5050:python:math:pi",
     "mine=chess:python:os:getpid", "good=5050:python:os:getpid", "mine=5050:line:no-such-program-anywhere"],
)  # fmt: skip
def test_players_that_cannot_be_plugged_in_are_told_in_one_line(text, capsys):
    assert main(["simulate", "5050", "--player", text]) == 2
    assert capsys.readouterr().err.count("\n") == 1
