"""Exact answers against published figures, independent calculations and each other."""

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolzplatz import load_game
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game
from bolzplatz.solve import SolveError, best_moves, expected_chances, move_chances, refusal, solve
from bolzplatz.solve import fifty_fifty as fifty
from bolzplatz.solve.bar_bolz import BarBolz
from bolzplatz.solve.exact import explore_exactly, value_exactly
from bolzplatz.solve.graph import explore, value_graph
from bolzplatz.solve.solution import final_chances
from bolzplatz.solve.tables import TableError, read_table, table_path, write_table
from bolzplatz.solve.turn_kernels import FIRST, ONE, SECOND, TOTAL
from tests import brute_5050
from tests.toy_games import duel, pig


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    """Compiled code may be shared, tables may not."""
    monkeypatch.setattr("bolzplatz.solve.tables.table_folder", lambda: tmp_path)


# --- graphs -------------------------------------------------------------------------------------------------------


def clip_pig(s, o):
    """More points at risk than win the match are worth no more than those."""
    left = o.target - s.banked[s.mover]
    if s.at_risk > left:
        s.at_risk = left


def test_pig_has_the_published_value():
    """Neller and Presser (2004): the player who begins wins with probability 0.530593, playing to 100."""
    graph = explore(pig(), clip_pig)
    values = value_graph(graph)
    assert abs(values[0] - 0.530593) < 5e-7
    # They hold at 21 with no points on either side, and roll on below.
    at_risk = {20: pig().new_initial_state(), 21: pig().new_initial_state()}
    for points, state in at_risk.items():
        for face in ("6", "6", "6", str(points - 18)):
            state.play("roll", face)
        roll, hold = (values[graph.node(state.clone().play(move))] for move in ("roll", "hold"))
        assert (roll > hold) == (points == 20), points


@pytest.mark.parametrize("target", [6, 12])
def test_floats_and_fractions_agree_on_pig(target):
    def payoff(state):
        return Fraction(int(final_chances(state)[0])) if state.is_terminal() else None

    game = pig(target=target)
    apply = game.rules.apply

    def apply_and_clip(s, o, action, log):
        apply(s, o, action, log)
        clip_pig(s, o)

    spec = dataclasses.replace(game.spec, rules=dataclasses.replace(game.rules, apply=apply_and_clip))
    clipped = Game(spec, {"target": target})
    exact, _ = value_exactly(explore_exactly(clipped.new_initial_state(), payoff), lambda seat: seat == 0)
    values = value_graph(explore(game, clip_pig))
    assert abs(float(exact[0]) - values[0]) < 1e-13


def test_simultaneous_choices_and_crowds_are_refused():
    with pytest.raises(SolveError, match="at once"):
        explore(duel(players=2))
    with pytest.raises(SolveError, match="two sides"):
        explore(duel(players=3))
    with pytest.raises(SolveError, match="at once"):
        explore_exactly(duel(players=2).new_initial_state(), lambda _state: None)


# --- Bar-Bolz-Bande -------------------------------------------------------------------------------------------------


def test_bar_bolz_has_the_known_values():
    """Computed independently; the chances of an attack are also in RULINGS §1."""
    solution = BarBolz(load_game("bar-bolz"))
    start = solution.game.new_initial_state()
    attack = solution.attack(start)
    assert attack.chance(start._data) == Fraction(132142139, 679477248)
    assert attack.chance_without_penalties == Fraction(63369837, 409600000)
    assert abs(float(solution.chance_of_a(start)) - 0.5272403576) < 5e-11
    assert attack.declines() == []
    best_of = {n: solve(load_game("bar-bolz", series=n)).facts()["starter"] for n in (3, 5)}
    assert abs(best_of[3] - 0.51366) < 5e-6
    assert abs(best_of[5] - 0.51024) < 5e-6


def test_with_two_dark_faces_a_shot_from_30_is_declined():
    """RULINGS §1c B-5: rolling on from 30, and shooting next time, scores with chance .3356, a shot with .3333."""
    solution = BarBolz(load_game("bar-bolz", black_faces="5,foul"))
    state = solution.game.new_initial_state().play("10", "pass")
    attack = solution.attack(state)
    always, _ = value_exactly(attack.graph, lambda _seat: True, lambda _node: 0)
    assert abs(float(always[attack.nodes[0, 30, 0]]) - 0.3356) < 5e-5
    assert attack.chance(state._data) > always[attack.nodes[0, 30, 0]]
    state.play("penalty")
    assert state.action_to_string(*best_moves(move_chances(solution, state))) == "decline"
    assert solution.attack(state).declines() == [(30, 0)]


@pytest.mark.parametrize("faces", ["5", "5,foul", "5,10,foul,offside/5,foul"])
def test_the_whole_match_as_one_graph_gives_the_same(faces):
    """The chain of attacks against all positions of a match in one graph, by fractions and by compiled floats."""
    game = load_game("bar-bolz", black_faces=faces)
    solution = BarBolz(game)

    def payoff(state):
        return Fraction(int(final_chances(state)[0])) if state.is_terminal() else None

    whole = explore_exactly(game.new_initial_state(), payoff)
    values, _ = value_exactly(whole, lambda seat: seat == 0)
    graph = explore(game)
    floats = value_graph(graph)
    assert len(graph) == len(values)
    for match in range(20):
        state, driver, stream = game.new_initial_state(), FastDriver(5, match), FastStream(6, match)
        while not state.is_terminal():
            assert values[whole.index[game.layout.key(state._data)]] == solution.chance_of_a(state)
            assert abs(floats[graph.node(state)] - float(solution.chance_of_a(state))) < 1e-13
            _step(state, driver, stream)


CONTESTS = [
    {"series": 3, "next_starter": "loser"},
    {"series": 5, "stop_when_decided": False},
    {"teams": "1v2"},
    {"teams": "2v2"},
    {"penalty_optional": False},
]


@given(st.sampled_from(CONTESTS), st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_values_of_bar_bolz_are_means_and_bests_of_what_follows(options, seed):
    solution = solve(load_game("bar-bolz", **options))
    _check_equations(solution, seed, steps=60)


def _step(state, driver, stream):
    """Go on at random."""
    if state.is_chance_node():
        state.apply_action(driver.draw(state).outcome)
    else:
        legal = state.legal_actions()
        state.apply_action(legal[stream.below(len(legal))])


def _check_equations(solution, seed, steps):
    """At every node of a random match the value must be the mean, or the best, of what follows."""
    state, driver, stream = solution.game.new_initial_state(), FastDriver(seed), FastStream(seed, 1)
    for _ in range(steps):
        if state.is_terminal():
            break
        chances = solution.win_chances(state)
        assert all(0 <= chance <= 1 for chance in chances)
        if state.is_chance_node():
            expected = expected_chances(solution, state)
            assert all(abs(a - b) < 1e-12 for a, b in zip(chances, expected, strict=True))
        else:
            moves = move_chances(solution, state)
            assert abs(max(moves.values()) - chances[state.current_player()]) < 1e-12
        _step(state, driver, stream)
    else:
        return
    assert solution.win_chances(state) == final_chances(state)


# --- 5050 -----------------------------------------------------------------------------------------------------------

VARIANTS = [
    {},
    {"finish_round": False},
    {"threshold": 500, "converted_one_in_triple": True},
    {"threshold": 0, "six_kind_is_three_pairs": False, "max_conversions": 0},
    {"threshold": 300, "max_conversions": 1, "first": 1},
]


@pytest.mark.parametrize("options", VARIANTS)
def test_a_turn_is_the_same_graph_wherever_it_is_played(options):
    """The merged classes against what the rules offer at positions of random matches, whatever lies aside."""
    game = load_game("5050", **options)
    turn = fifty.turn_of(game)
    checked = 0
    for match in range(6):
        state, driver, stream = game.new_initial_state(), FastDriver(11, match), FastStream(12, match)
        for _ in range(60):
            if state.is_terminal():
                break
            if state.is_chance_node():
                key, _ = fifty.read_turn(state._data)
                assert turn.offers[turn.class_of[key]] == _offers(turn, state)
                checked += 1
            _step(state, driver, stream)
    assert checked > 50


def _offers(turn, state):
    """What the throws of a position offer, straight from the rules."""
    found = {}
    scale = TOTAL // sum(weight for _, weight in state.chance_weights())
    mover, (_, at_risk) = state.roller(), fifty.read_turn(state._data)
    for outcome, weight in state.chance_weights():
        thrown = state.clone()
        thrown.apply_action(outcome)
        options = set()
        for action in thrown.legal_actions() if thrown.current_player() == mover else []:
            after = thrown.clone()
            after.apply_action(action)
            stop = after.current_player() == mover
            if stop:
                after.play("go")
            key, points = fifty.read_turn(after._data)
            options.add((points - at_risk, stop, turn.class_of[key]))
        offer = frozenset(options)
        found[offer] = found.get(offer, 0) + scale * weight
    return found


@pytest.mark.parametrize("options", VARIANTS)
def test_5050_to_a_small_target_agrees_with_an_independent_solver(options):
    variant = {name: value for name, value in options.items() if name != "first"}
    first, second = brute_5050.solve(brute_5050.Variant(target=200, **variant))
    solution = fifty.solve(load_game("5050", target=200, **options))
    assert np.abs(solution.first / ONE - first).max() < 1e-10
    assert np.abs(solution.second / ONE - second).max() < 1e-10


@pytest.mark.long
@pytest.mark.parametrize("options", VARIANTS)
def test_5050_to_500_agrees_with_an_independent_solver(options):
    variant = {name: value for name, value in options.items() if name != "first"}
    first, second = brute_5050.solve(brute_5050.Variant(target=500, **variant))
    solution = fifty.solve(load_game("5050", target=500, **options))
    assert np.abs(solution.first / ONE - first).max() < 1e-10
    assert np.abs(solution.second / ONE - second).max() < 1e-10


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "starter"),
    [({}, 0.4775320215), ({"converted_one_in_triple": True}, 0.475791), ({"finish_round": False}, 0.544034)],
)
def test_5050_has_the_known_values(options, starter):
    solution = fifty.solve(load_game("5050", **options))
    assert abs(solution.first[0, 0] / ONE - starter) < (5e-11 if not options else 5e-7)
    if not options:
        assert abs(solution.second[0, 0] / ONE - 0.6082853409) < 5e-11


def test_the_best_single_turn_has_the_known_value():
    """Computed independently: 533.7981242 points, and a bust in 24.493 % of turns."""
    points, bust = fifty.best_turn(fifty.turn_of(load_game("5050")))
    assert abs(points - 533.7981242) < 5e-8
    assert abs(bust - 0.24493) < 5e-6


def test_a_player_alone_needs_the_known_number_of_turns():
    """Computed independently: 10.348 turns to 5050 at the least, on average."""
    game = load_game("5050")
    turn = fifty.turn_of(game)
    assert abs(fifty.fewest_turns(turn, fifty.steps_of(game, turn)) - 10.348) < 5e-4


@given(st.sampled_from([{}, {"finish_round": False}, {"first": 1}, {"threshold": 0}]), st.integers(0, 2**32))
@settings(max_examples=12, deadline=None)
def test_values_of_5050_are_means_and_bests_of_what_follows(options, seed):
    solution = solve(load_game("5050", target=400, **options))
    _check_equations(solution, seed, steps=40)


def test_what_is_not_solved_says_so():
    assert "for three, not for 4" in str(refusal(load_game("5050", players=4)))
    assert "targets up to" in str(refusal(load_game("5050", target=10**6)))
    assert "no solver" in str(refusal(load_game("wilde-kerle")))
    for options in ({"teams": "2v2"}, {"players": 3}, {"edition": "nine"}, {"dice": "3xBKSQWT,BBKSQT"}):
        assert "solved" in str(refusal(load_game("gooaaaaal", **options)))
    for game in (
        load_game("5050"),
        load_game("gooaaaaal", mode="match"),
        load_game("5050", target=10000),
        load_game("bar-bolz", teams="3v2"),
    ):
        assert refusal(game) is None
    with pytest.raises(SolveError, match="two players"):
        solve(load_game("5050", players=4))


# --- GOOAAAAAL! -----------------------------------------------------------------------------------------------------


def test_gooaaaaal_with_four_dice_has_nearly_the_known_value():
    """Computed independently for four dice with six different faces, five goals: who begins wins with 0.492021.

    That program's reading of level scores and team spirit is not known. Without the spirit in a re-throw the start is
    worth 0.4920225, or 0.4920204 where level scores of five and more are drawn; with it, 0.4919589.
    """
    solution = solve(load_game("gooaaaaal", spirit_on_rethrow=False))
    assert abs(solution.facts()["starter"] - 0.492021) < 2e-6
    for seed in range(4):
        _check_equations(solution, seed, steps=150)


KICKING = [
    {},
    {"mode": "match"},
    {"mode": "match", "dead_heat": "saved", "joker_faces": "BKQ"},
    {"five_goals_tie": "sudden-death", "penalty_model": "tap-race"},
    {"five_goals_tie": "draw", "supporter_chain": False, "dead_heat": "coin"},
    {"dice": "4xBBKSQT", "mode": "match"},
    {"mode": "match", "dice": "4xBKSQQT", "edition": "junior"},
    {"mode": "shoot-out", "n": 3, "dead_heat": "saved"},
    {"mode": "sudden-death", "dead_heat": "coin"},
]


@pytest.mark.long
@pytest.mark.parametrize("options", KICKING, ids=str)
def test_values_of_gooaaaaal_are_means_and_bests_of_what_follows(options):
    """A function that fulfils these equations at all positions, up to the end, can only be the value."""
    solution = solve(load_game("gooaaaaal", **options))
    for seed in range(30):
        _check_equations(solution, seed, steps=300)


def test_a_penalty_and_a_shoot_out_are_fair_and_their_races_add_up():
    """Taker and keeper throw alike; a dead heat that counts as saved takes what RULINGS 4a tells of dead heats."""
    even = solve(load_game("gooaaaaal", mode="shoot-out"))
    assert abs(even.facts()["penalty_goal"] - 0.5) < 1e-11
    assert abs(even.facts()["starter"] - 0.5) < 1e-11
    saved = solve(load_game("gooaaaaal", mode="shoot-out", dead_heat="saved"))
    assert abs(saved.facts()["penalty_goal"] - (1 - 0.0520) / 2) < 5e-5
    _check_equations(saved, 3, steps=60)


# --- tables ---------------------------------------------------------------------------------------------------------

SMALL = {"target": 300}


def test_a_table_is_used_again_and_the_same_for_any_number_of_workers(tmp_path):
    game = load_game("5050", **SMALL)
    path = table_path(fifty.identity(game))
    contents = set()
    for workers in (1, 2, 3):
        path.unlink(missing_ok=True)
        table = fifty.solve(game, workers=workers).table
        contents.add(tuple(array.tobytes() for array in table.arrays.values()))
        assert table.header["provenance"]["workers"] == workers
    assert len(contents) == 1
    changed = path.stat().st_mtime_ns
    assert fifty.solve(game).table.header == table.header
    assert path.stat().st_mtime_ns == changed, "opened, not solved again"
    with pytest.raises(ValueError, match="read-only"):
        fifty.solve(game).first[0, 0] = 0


@pytest.mark.parametrize("place", [0, 20, 60, 300, -200, -1])
def test_a_tampered_table_is_refused_and_rebuilt(place):
    game = load_game("5050", **SMALL)
    names = fifty.identity(game)
    good = fifty.solve(game)
    path = good.table.path
    start = int(good.first[0, 0])
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.unlink()
    path.write_bytes(content)
    with pytest.raises(TableError):
        read_table(path, names)
    again = fifty.solve(game)
    assert int(again.first[0, 0]) == start
    read_table(path, names)


def test_no_bit_of_a_table_may_be_another(tmp_path):
    """Nor in its header: where an array begins, its shape and its name lie there."""
    file, names = tmp_path / "x", {"game": "x"}
    write_table(file, names, {"by": "test"}, {"a": np.arange(12).reshape(3, 4), "b": np.arange(3)})
    content = file.read_bytes()
    for place in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            file.unlink()
            file.write_bytes(changed)
            with pytest.raises(TableError):
                read_table(file, names)


def test_what_lies_in_the_place_of_a_table_costs_no_answer(tmp_path):
    """Neither a folder there nor a full disk: the game is solved, and its table lies elsewhere."""
    game = load_game("5050", **SMALL)
    start, path = int(fifty.solve(game).first[0, 0]), table_path(fifty.identity(game))
    path.unlink()
    path.mkdir()
    path.with_suffix(".part").mkdir()
    times = iter(range(0, 10**6, 100))
    again = fifty.solve(game, clock=lambda: float(next(times)))
    assert int(again.first[0, 0]) == start
    assert again.table.path.parent != path.parent
    again.table.path.unlink()


def test_whoever_stops_a_run_is_told_when_nothing_could_be_kept():
    game = load_game("5050", **SMALL)
    table_path(fifty.identity(game)).with_suffix(".part").mkdir()

    def stop(share, _what):
        if share > 0:
            raise KeyboardInterrupt

    with pytest.raises(SolveError, match="what was done is lost"):
        fifty.solve(game, progress=stop)


def test_a_table_of_other_rules_or_cut_short_is_refused():
    game = load_game("5050", **SMALL)
    names = fifty.identity(game)
    table = fifty.solve(game).table
    for change in ({"sources": "0" * 64}, {"format": 0}, {"options": {}}, {"rules_version": "0"}):
        with pytest.raises(TableError, match="other rules"):
            read_table(table.path, {**names, **change})
    content = table.path.read_bytes()
    for size in (0, 10, 100, len(content) - 8):
        table.path.unlink()
        table.path.write_bytes(content[:size])
        with pytest.raises(TableError):
            read_table(table.path, names)
    with pytest.raises(TableError, match="no table"):
        read_table(table.path.with_suffix(".none"), names)


def test_every_rule_option_and_every_source_has_a_table_of_its_own(monkeypatch):
    def path(**options):
        return table_path(fifty.identity(load_game("5050", **options)))

    changes = [{}, {"threshold": 300}, {"target": 5000}, {"finish_round": False}, {"max_conversions": 1}, {"first": 1}]
    paths = {path(**change) for change in changes}
    assert len(paths) == len(changes)
    monkeypatch.setattr("bolzplatz.solve.tables._digest_of_sources", lambda sources: "edited")
    assert path() not in paths


def test_an_interrupted_run_goes_on_where_it_was():
    game = load_game("5050", target=600)
    seen = []

    def stop_half_way(share, _what):
        seen.append(share)
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fifty.solve(game, progress=stop_half_way)
    partial = table_path(fifty.identity(game)).with_suffix(".part")
    assert partial.exists()
    shares = []
    resumed = fifty.solve(game, progress=lambda share, _what: shares.append(share))
    assert resumed.table.header["provenance"]["resumed"]
    assert shares[0] > 0.5
    assert not partial.exists()
    contents = [array.tobytes() for array in resumed.table.arrays.values()]
    resumed.table.path.unlink()
    straight = fifty.solve(game)
    assert not straight.table.header["provenance"]["resumed"]
    assert contents == [array.tobytes() for array in straight.table.arrays.values()]


def test_a_run_saves_what_it_has_now_and_then():
    """After a power cut, too, little is lost: the clock says when to save."""
    game = load_game("5050", target=600)
    times = iter(range(0, 10**6, 100))
    partial = table_path(fifty.identity(game)).with_suffix(".part")
    seen = []
    fifty.solve(game, progress=lambda _share, _what: seen.append(partial.exists()), clock=lambda: float(next(times)))
    assert not seen[0]
    assert all(seen[1:-1])


def test_a_table_holds_what_was_written(tmp_path):
    arrays = {"a": np.arange(7), "b": np.full((3, 5), -(2**62))}
    write_table(tmp_path / "x", {"game": "x"}, {"by": "test"}, arrays)
    table = read_table(tmp_path / "x", {"game": "x"})
    assert {name: array.tolist() for name, array in table.arrays.items()} == {n: a.tolist() for n, a in arrays.items()}
    assert table.header["provenance"] == {"by": "test"}
    assert os.stat(tmp_path / "x").st_mode & 0o222 == 0


def test_many_threads_may_ask_a_solution():
    """A server does: the coach, evenings and variants share it."""
    solution = fifty.solve(load_game("5050", target=400))
    keys = [(role, first, second) for role in (FIRST, SECOND) for first in range(8) for second in range(8)]
    one_by_one = [solution.turn_values(*key) for key in keys]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            solution._turns.clear()
            for alone, beside in zip(
                one_by_one, threads.map(lambda key: solution.turn_values(*key), keys), strict=True
            ):
                assert np.array_equal(alone, beside)


def test_threads_that_ask_for_the_same_game_get_the_same_solution():
    game = load_game("bar-bolz", series=5)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(solve, [game] * 4))
    assert all(each is found[0] for each in found)
