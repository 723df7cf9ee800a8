"""Luck and skill: the sum that must come out at every recorded match, single moves told right, the command."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolzplatz import load_game
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.errors import RecordError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.record import HAND_DICE, record_of, write_record
from bolzplatz.solve import solve
from bolzplatz.solve.coach import analyse
from bolzplatz.solve.solution import final_chances
from tests.test_cli import answer, command

GAMES = [
    ("bar-bolz", {}),
    ("bar-bolz", {"series": 3, "black_faces": "5,foul/5,10,foul,offside"}),
    ("bar-bolz", {"teams": "2v1", "black_faces": "5"}),
    ("5050", {"target": 400}),
    ("5050", {"target": 300, "finish_round": False, "threshold": 200, "first": 1}),
]


def random_match(game, seed, most):
    """A match of random moves, of at most so many entries."""
    state, driver, stream = game.new_initial_state(), FastDriver(seed), FastStream(seed, 1)
    while not state.is_terminal() and state.move_number() < most:
        if state.is_chance_node():
            state.apply_action(driver.draw(state).outcome)
        else:
            legal = state.legal_actions()
            state.apply_action(legal[stream.below(len(legal))])
    return state


LARGE = [
    ("gooaaaaal", {}),
    ("gooaaaaal", {"mode": "match", "dead_heat": "coin", "joker_faces": "BKQ"}),
    ("5050", {"players": 3, "target": 300}),
    ("5050", {"players": 3, "target": 200, "finish_round": False, "first": 2}),
]


@given(st.sampled_from(GAMES), st.integers(0, 2**32), st.sampled_from([0, 0, 1, 7]))
@settings(max_examples=25, deadline=None)
def test_luck_and_losses_add_up_to_the_result(setup, seed, given_moves):
    name, options = setup
    check_sums(random_match(load_game(name, **options), seed, 120), given_moves)


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), LARGE, ids=str)
def test_luck_and_losses_add_up_in_larger_games(name, options):
    """With three seats choices that are level for one may differ for the others: the sums come out all the same."""
    game = load_game(name, **options)
    for seed, most in enumerate((10**4, 10**4, 50)):
        check_sums(random_match(game, seed, most), seed)


def check_sums(state, given_moves):
    given_moves = min(given_moves, state.move_number())
    found = analyse(solve(state.game), state.history(), given_moves)
    for balance in found.balances:
        total = balance.start + balance.luck - balance.own_losses + balance.gifts
        assert abs(total - balance.end) < 1e-9
        assert balance.own_losses >= -1e-12
        if state.is_terminal():
            assert balance.end == final_chances(state)[balance.seat]
    for step in found.steps:
        assert step.loss >= -1e-12
        if step.decision:
            assert (step.loss < 1e-11) == (step.move in step.best)
    assert [step.move for step in found.steps] == state.history()[given_moves:]


def test_a_match_without_choices_is_luck_alone():
    """Bar-Bolz without a penalty: seat 0 wins two goals to none; what it gained was all luck."""
    moves = ["pass", "pass", "10", "foul", "referee black", "pass", "pass", "10"]
    found = analyse(solve(load_game("bar-bolz")), moves)
    winner, loser = found.balances
    assert (winner.own_losses, winner.gifts, loser.own_losses, loser.gifts) == (0, 0, 0, 0)
    assert abs(winner.luck - (1 - 0.5272403576)) < 1e-9
    assert found.worst(5) == []


def test_a_declined_penalty_is_a_mistake_of_known_size():
    """With three dark faces a shot from 30 scores half the time, rolling on with .3671 (RULINGS §1a)."""
    game = load_game("bar-bolz")
    found = analyse(solve(game), ["10", "pass", "penalty", "decline"])
    (step,) = found.worst(5)
    assert (step.number, step.seat, step.best, step.mark) == (4, 0, ("take",), "mistake")
    goal, none = (solve(game).win_chances(game.replay(moves))[0] for moves in
                  (["pass", "pass", "10"], ["foul", "referee black"]))  # fmt: skip
    assert abs(step.loss - (0.5 - 0.3671) * (goal - none)) < 1e-4
    assert abs(found.balances[0].own_losses - step.loss) < 1e-12
    assert abs(found.balances[1].gifts - step.loss) < 1e-12


def test_a_move_that_the_rules_refuse_is_named():
    with pytest.raises(RecordError, match="move 2"):
        analyse(solve(load_game("bar-bolz")), ["pass", "take"])


@pytest.fixture
def record(tmp_path):
    file = tmp_path / "match.bolz"
    state = random_match(load_game("bar-bolz", black_faces="5,foul"), 8, 10**6)
    file.write_text(write_record(record_of(state, ["Mia", "Otto"], HAND_DICE)), encoding="utf-8")
    return file


def test_the_command_tells_it_all(record, tmp_path):
    told = answer("coach", record)
    assert "Mia" in told
    assert "Luckiest" in told
    found = json.loads(answer("coach", record, "--json", "--worst", "2"))
    assert found["seats"] == ["Mia", "Otto"]
    assert len(found["worst"]) <= 2
    for balance in found["balances"]:
        total = balance["start"] + balance["luck"] - balance["own_losses"] + balance["gifts"]
        assert abs(total - balance["end"]) < 1e-9
    chart = tmp_path / "match.svg"
    command("coach", record, "--plot", chart, "--lang", "fr")
    assert chart.read_text(encoding="utf-8").startswith("<?xml")


def test_the_command_refuses_what_is_not_solved(tmp_path):
    file = tmp_path / "match.bolz"
    state = random_match(load_game("5050", players=3, target=600), 1, 10)
    file.write_text(write_record(record_of(state, ["A", "B", "C"], HAND_DICE)), encoding="utf-8")
    for arguments in (("coach", file), ("coach", tmp_path / "none.bolz"), ("coach", file, "--plot", "x.gif")):
        done = command(*arguments)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_solving_from_the_command_line(tmp_path):
    found = json.loads(answer("solve", "bar-bolz", "--json"))
    assert found["attacks"]["A"]["goal"] == "132142139/679477248"
    small = json.loads(answer("solve", "5050", "--set", "target=200", "--json"))
    assert 0 < small["starter"] < 1
    assert "0.5272403576" in answer("solve", "bar-bolz")
    chart = tmp_path / "best.svg"
    command("solve", "5050", "--set", "target=200", "--plot", chart)
    assert chart.read_text(encoding="utf-8").startswith("<?xml")
    for arguments in (
        ("solve", "wilde-kerle", "--set", "pro=true"),
        ("solve", "5050", "--set", "players=4"),
        ("solve", "gooaaaaal", "--plot", chart),
        ("solve", "wilde-kerle", "--set", "pro=true", "--estimate"),
        ("solve", "chess"),
    ):
        done = command(*arguments)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
