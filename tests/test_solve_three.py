"""Best play of 5050 for three, against an independent solver, its own equations, and a process that is killed."""

import hashlib
import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from bolzplatz import load_game
from bolzplatz.bots import pick_action
from bolzplatz.cli.main import main
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream
from bolzplatz.simulate import simulate
from bolzplatz.solve import SolveError, best_moves, estimate, expected_chances, move_chances, refusal, solve
from bolzplatz.solve import fifty_fifty_three as three
from bolzplatz.solve.coach import analyse
from bolzplatz.solve.solution import final_chances, say_nothing
from bolzplatz.solve.tables import table_path
from bolzplatz.solve.triple_kernels import F_LOSS, F_SIZE, F_TRIPLE
from bolzplatz.solve.turn_kernels import ONE
from tests import brute_5050
from tests.test_cli import answer


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    """Compiled code may be shared, tables may not."""
    monkeypatch.setattr("bolzplatz.solve.tables.table_folder", lambda: tmp_path)


def game_of(**options):
    return load_game("5050", players=3, **options)


def chances_of(solution):
    """All seats' chances by seat to move and scores, (3, n, n, n, 3), in the order of the round."""
    own, following = solution.triples[:, 0] / ONE, solution.triples[:, 1] / ONE
    worth = np.zeros((*own.shape, 3))
    for seat in range(3):
        worth[seat, ..., seat] = own[seat]
        worth[seat, ..., (seat + 1) % 3] = following[seat]
        worth[seat, ..., (seat + 2) % 3] = 1 - own[seat] - following[seat]
    return worth


def check_against_brute(target, options, longest=200, off=1e-10):
    """Compare with value iteration; where that does not settle the solver must have fixed the choices, and say so."""
    variant = {name: value for name, value in options.items() if name != "first"}
    solution = three.solve(game_of(target=target, **options))
    chances = chances_of(solution)
    worth, settled = brute_5050.solve_three(brute_5050.Variant(target=target, **variant), chances, longest)
    assert np.abs(worth - chances).max() < off
    assert sorted(solution.fixed[:, F_TRIPLE]) == np.flatnonzero(~settled.ravel()).tolist()
    return solution


@pytest.mark.parametrize(
    "options",
    [
        {"finish_round": False},
        {"finish_round": False, "threshold": 0, "six_kind_is_three_pairs": False, "max_conversions": 0},
    ],
)
def test_three_to_a_small_target_agree_with_an_independent_solver(options):
    check_against_brute(150, options)


def test_three_with_a_last_round_agree_with_an_independent_solver():
    """That one looks at turns of up to 6,000 points here, which saves time; more happen once in 2,000 turns."""
    check_against_brute(100, {}, longest=120, off=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": 0},
        {"threshold": 300, "max_conversions": 1, "first": 1},
        {"finish_round": False, "threshold": 500, "converted_one_in_triple": True},
    ],
)
def test_three_to_300_agree_with_an_independent_solver(options):
    check_against_brute(300, options, longest=300)


def check_replies(target, options):
    """Each turn, played best, must bring what the table says; where choices are fixed, hardly more to who plays it."""
    solution = three.solve(game_of(target=target, **options))
    chances = chances_of(solution)
    replies = brute_5050.replies_of_three(brute_5050.Variant(target=target, **options), chances)
    n = len(chances[0])
    fixed = np.zeros(n**3, dtype=bool)
    fixed[solution.fixed[:, F_TRIPLE]] = True
    fixed = fixed.reshape(n, n, n)
    assert np.abs(replies - chances)[:, ~fixed].max() < 1e-10
    for seat in range(3):
        more = (replies - chances)[seat, fixed, seat]
        assert (more > -1e-10).all()
        assert (more < solution.fixed[:, F_LOSS].max(initial=0) / ONE + 1e-10).all()
    return solution


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "begin", "fixed"),
    [(500, (0.28274, 0.32997, 0.38729), 1), (1000, (0.28944, 0.32939, 0.38117), 2)],
    ids=["500", "1000"],
)
def test_three_to_1000_is_an_equilibrium_by_independent_rules(target, begin, fixed):
    """To the end: at every triple of scores, whoever is to move, for all three. The figures are those of the docs."""
    solution = check_replies(target, {})
    n, chances = solution.steps, chances_of(solution)
    assert np.abs(chances[0, 0, 0, 0] - begin).max() <= 5e-6
    assert solution.fixed[:, F_LOSS].max() / ONE < 5.5e-7
    assert len(solution.fixed) == fixed
    for triple in solution.fixed[:, F_TRIPLE].tolist():
        scores = (triple // n**2, triple // n % n, triple % n)
        for mover in range(3):
            state = solution.game.new_initial_state()
            state._data.mover = mover
            state._data.written[:] = [50 * score for score in scores]
            assert np.allclose(solution.win_chances(state), chances[mover, *scores], rtol=0, atol=1e-12)
            assert np.allclose(expected_chances(solution, state), chances[mover, *scores], rtol=0, atol=1e-12)


# --- positions of matches -------------------------------------------------------------------------------------------

PLAYED = [{"target": 150}, {"target": 250, "finish_round": False, "first": 1}]


def random_match(game, seed, steps=80):
    """Positions of a match, somebody choosing at random, and the moves in notation."""
    state, driver, stream = game.new_initial_state(), FastDriver(seed), FastStream(seed, 1)
    positions, moves = [state.clone()], []
    while not state.is_terminal() and len(moves) < steps:
        legal = [driver.draw(state).outcome] if state.is_chance_node() else state.legal_actions()
        action = legal[stream.below(len(legal))]
        moves.append(state.action_to_string(action))
        state.apply_action(action)
        positions.append(state.clone())
    return positions, moves


@pytest.mark.parametrize("options", PLAYED, ids=str)
def test_values_are_means_and_what_the_mover_likes_best(options):
    """Of each seat, at every position of random matches; with that the values can only be those of best play."""
    solution = solve(game_of(**options))
    decisions = last_rounds = 0
    for seed in range(12):
        for state in random_match(solution.game, seed)[0]:
            chances = solution.win_chances(state)
            assert abs(sum(chances) - 1) < 1e-12
            assert all(0 <= chance <= 1 for chance in chances)
            if state.is_terminal():
                assert chances == final_chances(state)
            elif state.is_chance_node():
                assert np.allclose(chances, expected_chances(solution, state), rtol=0, atol=1e-12)
                last_rounds += state._data.last_round
            else:
                moves = move_chances(solution, state)
                assert abs(max(moves.values()) - chances[state.current_player()]) < 1e-12
                after = [state.clone() for _ in moves]
                for position, action in zip(after, best_moves(moves), strict=False):
                    position.apply_action(action)
                assert any(np.allclose(chances, solution.win_chances(each), rtol=0, atol=1e-12) for each in after)
                decisions += len(moves) > 1
    assert decisions > 40
    assert last_rounds > 3 or not options.get("finish_round", True)


def test_luck_and_skill_add_up_to_the_result_for_each_seat():
    solution = solve(game_of(target=150))
    for seed in range(3):
        positions, moves = random_match(solution.game, seed, steps=40)
        analysis = analyse(solution, moves)
        assert len(analysis.balances) == 3
        assert all(abs(balance.rest) < 1e-9 for balance in analysis.balances)
        assert np.allclose([balance.end for balance in analysis.balances], solution.win_chances(positions[-1]))


def test_seats_stand_as_far_in_the_round_as_they_do():
    """Chances go with the place in the round and the way to the target; more points are better for who has them."""
    starts = [three.solve(game_of(target=150, first=first)) for first in range(3)]
    begin = [solution.win_chances(solution.game.new_initial_state()) for solution in starts]
    assert begin[1] == (begin[0][2], begin[0][0], begin[0][1])
    assert begin[2] == (begin[0][1], begin[0][2], begin[0][0])
    chances = chances_of(starts[0])
    # What counts is how far it is to the target.
    assert np.array_equal(three.solve(game_of(target=200)).triples[:, :, 1:, 1:, 1:], starts[0].triples)
    for mover in range(3):
        for seat in range(3):
            assert (np.diff(chances[mover, ..., seat], axis=seat) > 0).all()


def test_optimal_players_move_best_and_win_as_often_as_is_known():
    game = game_of(target=150, first=2)
    solution = solve(game)
    for seed in range(3):
        for state in random_match(game, seed, steps=30)[0]:
            if (seat := state.current_player()) >= 0:
                move = pick_action(game, state, seat, "optimal", FastStream(seed))
                assert move in best_moves(move_chances(solution, state))
    matches = 2000
    seats = simulate(game, ["optimal"], matches=matches, seed=5).seats
    for seat, chance in zip(seats, solution.win_chances(game.new_initial_state()), strict=True):
        assert abs(seat.wins.share - chance) < 4 * (0.25 / matches) ** 0.5


# --- long runs ------------------------------------------------------------------------------------------------------

RUN = """
import sys
from itertools import count
from pathlib import Path
import bolzplatz.solve.tables as tables
from bolzplatz import load_game
from bolzplatz.solve import fifty_fifty_three as three
tables.table_folder = lambda: Path(sys.argv[1])
ticks = count(0, 100)  # by this clock it is time to save after every layer
lines = count(1)

def tell(share, what):
    print(share, flush=True)
    if next(lines) == int(sys.argv[3]):
        sys.stdin.readline()  # until it is killed

three.solve(
    load_game("5050", players=3, target=200, finish_round=False),
    progress=tell,
    workers=int(sys.argv[2]),
    clock=lambda: float(next(ticks)),
)
"""


def run(folder, workers, last=None):
    """Solve in a process of its own, and kill it before the layer of that number; return the shares it told of."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-c", RUN, str(folder), str(workers), str(last or 0)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        shares = []
        for line in process.stdout:
            shares.append(float(line))
            if len(shares) == last:
                process.kill()
                break
    assert process.returncode == (0 if last is None else -signal.SIGKILL)
    return shares


def content(folder):
    (table,) = folder.glob("*.table")
    header, body = three.read_table(table, three.identity(game_of(target=200, finish_round=False))), table.read_bytes()
    return header.header["provenance"]["resumed"], hashlib.sha256(body[-header.header["bytes"] :]).hexdigest()


def test_a_killed_run_goes_on_and_finds_the_same_table(tmp_path):
    assert run(tmp_path / "straight", 1)[0] == 0.0
    killed = run(tmp_path / "killed", 2, last=5)
    assert not list((tmp_path / "killed").glob("*.table"))
    again = run(tmp_path / "killed", 2)
    assert again[0] == killed[-1] > 0, "it goes on from what was saved before the last layer"
    assert not list((tmp_path / "killed").glob("*.part"))
    (resumed, digest), (straight, expected) = content(tmp_path / "killed"), content(tmp_path / "straight")
    assert (resumed, straight) == (True, False)
    assert digest == expected


def test_a_layer_that_is_done_once_more_lists_its_triples_once(monkeypatch):
    """Ctrl-C within a layer saves what its pieces have told so far; the next run tells it again."""
    monkeypatch.setattr(three, "compile_functions", lambda _: None)
    monkeypatch.setattr(three, "last_round", lambda _: np.zeros(1, dtype=np.int64))
    game = game_of(target=100, finish_round=False)
    rows = np.full((3, F_SIZE), three.NOTHING, dtype=np.int64)
    rows[0], rows[2] = range(5, 5 + F_SIZE), range(3, 3 + F_SIZE)
    before, after = (three._Run(game, three.turn_of(game), three.identity(game), 1, say_nothing, float) for _ in "ab")
    before._note(rows[:2])
    before.save()
    after.resume()
    after._note(rows)
    assert after.arrays()["fixed"].tolist() == [rows[2].tolist(), rows[0].tolist()]


def test_nobody_begins_a_long_run_unasked(monkeypatch):
    long, quick = game_of(target=800), game_of(target=150)
    assert refusal(quick) is None
    assert "says how long" in str(refusal(long))
    assert "says how long" in str(refusal(game_of()))
    asked = "--set players=3 --set target=800 --set finish_round=false`"
    assert asked in str(refusal(game_of(target=800, finish_round=False)))
    assert refusal(long, long=True) is None
    with pytest.raises(SolveError, match="not solved here"):
        solve(long)
    # A table that somebody has solved is used; one that cannot be used is no reason to begin.
    path = table_path(three.identity(long))
    path.write_bytes(b"damaged")
    assert refusal(long) is None
    with pytest.raises(SolveError, match="not solved here"):
        solve(long)
    monkeypatch.setattr(three, "QUICK_STEPS", 2)
    assert refusal(quick) is not None
    three.solve(quick)
    assert refusal(quick) is None
    assert solve(quick).facts()["positions"] == 3 * 3**3


def test_what_a_run_takes_is_measured_before_it_begins():
    game = game_of(target=150, finish_round=False)
    expected = estimate(game, workers=1)
    assert (expected.workers, expected.done) == (1, 0.0)
    assert expected.seconds > 0
    solution = three.solve(game)
    assert 0 <= solution.table.header["bytes"] - expected.table_bytes < 64 * len(solution.table.arrays)
    assert estimate(game).done == 1.0
    assert estimate(load_game("bar-bolz")) is None
    # 5050 points: 101 steps, two numbers for each of three movers, and nobody waits for hours to know.
    assert 6 * 8 * 101**3 < estimate(game_of(finish_round=False)).table_bytes < 6 * 8 * 101**3 * 1.01
    with pytest.raises(SolveError, match="targets up to"):
        estimate(game_of(target=10**6))


def test_the_command_says_what_a_long_run_takes_and_begins_it_only_when_asked(monkeypatch, capsys):
    asked = ("solve", "5050", "--set", "players=3", "--set", "finish_round=false")
    told = json.loads(answer(*asked, "--estimate", "--json", "--workers", "1"))
    assert told["seconds"] > 0
    assert told["table_bytes"] > 6 * 8 * 101**3
    monkeypatch.setattr("bolzplatz.cli.solve.LONG", 0.0)
    assert main([*asked, "--workers", "1"]) == 1
    assert "--long begins it" in capsys.readouterr().out
    small = json.loads(answer(*asked, "--set", "target=100", "--json"))
    assert abs(small["starter"] + small["second"] + small["third"] - 1) < 1e-12
