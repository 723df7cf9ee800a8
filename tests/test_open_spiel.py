"""OpenSpiel: its own suites over every game, its algorithms on small ones, and what the adapter adds."""

import json
import pickle
import re
import subprocess
import sys
import unittest

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, ismcts, mcts
from open_spiel.python.observation import make_observation

import bolzplatz
from bolzplatz.adapters import observation
from bolzplatz.adapters.open_spiel import short_name
from bolzplatz.core.fast import FastStream

every_game = pytest.mark.parametrize("name", bolzplatz.game_names())
TOWARDS_A_GOAL = "pass;pass;10;pass;10;offside;pass;10;penalty"
SMALL = f"bolzplatz_bar_bolz(start={TOWARDS_A_GOAL},horizon=4)"
"""One goal ahead, thirty points, and a penalty to take or to decline."""
TREE_START = "pass;10;penalty"
TREE_DEPTH = 3
TREE = f"bolzplatz_bar_bolz(start={TREE_START},horizon={TREE_DEPTH})"


def short(name, horizon=60):
    return f"{short_name(name)}(horizon={horizon})"


@every_game
def test_random_matches_pass_openspiels_simulation_test(name):
    pyspiel.random_sim_test(pyspiel.load_game(short(name)), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["bar-bolz", "dribbel-fieber"])
def test_whole_matches_pass_openspiels_simulation_test(name):
    """To the end that the rules set; matches of the other games are longer when played at random."""
    pyspiel.random_sim_test(pyspiel.load_game(short_name(name)), num_sims=1, serialize=False, verbose=False)


GAMES_AGAIN = """
import pickle, sys
for game in pickle.loads(sys.stdin.buffer.read()):
    print(game, *game.new_initial_state().legal_actions())
"""


def test_games_and_their_states_travel_to_other_processes():
    """Pickled, into a process that has imported nothing."""
    games = [pyspiel.load_game(short_name(name)) for name in bolzplatz.game_names()] + [pyspiel.load_game(SMALL)]
    sent = pickle.dumps(games)
    told = subprocess.run([sys.executable, "-c", GAMES_AGAIN], input=sent, capture_output=True, check=True).stdout
    assert told.decode().splitlines() == [
        f"{game} {' '.join(map(str, game.new_initial_state().legal_actions()))}" for game in games
    ]
    state = games[-1].new_initial_state()
    state.apply_action(state.legal_actions()[0])
    again = pickle.loads(pickle.dumps(state))
    assert (again.history(), str(again)) == (state.history(), str(state))


@every_game
def test_openspiels_interface_test_finds_no_fault(name):
    """The suite that OpenSpiel runs over each of its own games."""
    case = type(
        "Suite",
        (api_test.EnforceAPIOnPartialTreeBase,),
        {"game_name": short_name(name), "game": pyspiel.load_game(short(name))},
    )
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert [text for _, text in result.failures + result.errors] == []


def test_openspiels_interface_test_finds_no_fault_in_a_whole_tree(monkeypatch):
    """Its checks of every state of a game: here the last throws of a Bar-Bolz, with nodes counted by the rules."""
    nodes, informed = count_nodes(start_of(TREE_START), TREE_DEPTH)
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, TREE, nodes)
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, TREE, informed)
    case = type("Tree", (api_test.EnforceAPIOnFullTreeBase,), {"game_name": TREE, "game": pyspiel.load_game(TREE)})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 8
    assert [text for _, text in result.failures + result.errors] == []


def start_of(moves):
    return bolzplatz.load_game("bar-bolz").replay(moves.split(";"))


def count_nodes(state, left):
    """(chance, playable, terminal) nodes of a tree of histories, and how many of them a player decides at."""
    if state.is_terminal() or not left:
        return (0, 0, 1), 0
    chance = state.is_chance_node()
    found, decided = np.array([chance, not chance, 0]), int(not chance)
    for action in state.legal_actions():
        below = state.clone()
        below.apply_action(action)
        nodes, informed = count_nodes(below, left - 1)
        found, decided = found + nodes, decided + informed
    return tuple(int(each) for each in found), decided


@every_game
def test_a_playthrough_can_be_read_and_played_again(name):
    text = generate_playthrough.playthrough(short(name, 24), None, seed=3)
    assert text == generate_playthrough.playthrough(short(name, 24), None, seed=3)
    assert "ChanceMode.EXPLICIT_STOCHASTIC" in text
    match = bolzplatz.load_game(name).new_initial_state()
    applied = re.findall(r"^# Apply (?:joint )?action (.+)$", text, re.MULTILINE)
    for words in applied:
        joint = re.findall(r'"([^"]*)"', words)
        match.play(" ".join(joint))
    assert match.move_number() == len(applied) >= 20


def test_types_tell_what_kind_of_game_it_is():
    kinds = {name: pyspiel.load_game(short_name(name)).get_type() for name in bolzplatz.game_names()}
    simultaneous = pyspiel.GameType.Dynamics.SIMULTANEOUS
    assert [name for name, kind in kinds.items() if kind.dynamics == simultaneous] == ["wilde-kerle"]
    hidden = pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert [name for name, kind in kinds.items() if kind.information == hidden] == ["dribbel-fieber", "wilde-kerle"]
    with pytest.raises(bolzplatz.OptionError):
        pyspiel.load_game("bolzplatz_5050(target=7)")
    with pytest.raises(bolzplatz.OptionError, match="horizon"):
        pyspiel.load_game("bolzplatz_5050(horizon=-3)")
    assert pyspiel.load_game("bolzplatz_5050(players=3)").num_players() == 3
    black = pyspiel.load_game("bolzplatz_bar_bolz(black_faces=5+foul)").match_game
    assert black.options["black_faces"] == bolzplatz.load_game("bar-bolz", black_faces="5,foul").options["black_faces"]


# --- what a player sees -----------------------------------------------------------------------------------------


def random_walk(game, seed, steps):
    return go_on(game.new_initial_state(), np.random.default_rng(seed), steps)


def go_on(state, luck, steps):
    while not state.is_terminal() and steps:
        steps -= 1
        if state.is_simultaneous_node():
            seats = range(state.get_game().num_players())
            state.apply_actions([int(luck.choice(state.legal_actions(seat))) for seat in seats])
        else:
            state.apply_action(int(luck.choice(state.legal_actions())))
    return state


@every_game
def test_observations_are_the_named_planes(name):
    game = pyspiel.load_game(short_name(name))
    observer = make_observation(game)
    state = random_walk(game, 4, 30)
    for seat in range(game.num_players()):
        observer.set_from(state, seat)
        seen = observation.observe(state.match, seat)
        np.testing.assert_array_equal(observer.tensor, seen.astype(np.float32))
        for plane in observation.planes(state.match.game):
            np.testing.assert_array_equal(observer.dict[plane.name], seen[plane.entries])


def test_information_states_remember_what_was_seen_and_nothing_else():
    """Deal two hands in two orders: who sees a card drawn remembers it, the other player's memory is the same."""
    game = pyspiel.load_game("bolzplatz_dribbel_fieber")
    one, two = game.new_initial_state(), game.new_initial_state()
    for state in (one, two):
        state.apply_action(state.legal_actions()[0])  # the coin
    drawer = next(seat for seat in (0, 1) if draws(one, seat))
    first, second = one.legal_actions()[:2]
    one.apply_action(first)
    two.apply_action(second)
    assert one.information_state_string(drawer) != two.information_state_string(drawer)
    assert one.information_state_string(1 - drawer) == two.information_state_string(1 - drawer)
    assert one.observation_string(1 - drawer) == two.observation_string(1 - drawer)


def draws(state, seat):
    after = state.child(state.legal_actions()[0])
    return after.observation_string(seat) != state.observation_string(seat) and (
        after.match.observation(seat)[:-1] != state.match.observation(seat)[:-1]
    )


@pytest.mark.parametrize("tell", ["to_json", "to_dict", "to_struct"])
def test_states_are_told_as_json_and_read_back(tell):
    game = pyspiel.load_game("bolzplatz_gooaaaaal")
    state = random_walk(game, 1, 25)
    again = game.new_initial_state(getattr(state, tell)())
    assert again.match == state.match
    assert state.to_struct()["game"] == "gooaaaaal"
    assert again.legal_actions() == state.legal_actions()


def test_structs_tell_a_player_what_it_may_see_and_moves_in_notation():
    state = random_walk(pyspiel.load_game("bolzplatz_dribbel_fieber"), 5, 30)
    player = state.current_player()
    assert player >= 0
    for seat in (0, 1):
        assert json.loads(state.to_observation_struct(seat).to_json()) == json.loads(json.dumps(state.match.view(seat)))
    assert state.to_observation_struct() == state.match.view(player)
    move = state.action_to_struct(state.legal_actions()[0]).to_dict()
    assert move == {"move": state.match.action_to_string(state.legal_actions()[0])}


@pytest.mark.parametrize("name", ["dribbel-fieber", "gooaaaaal"])
def test_with_a_horizon_the_information_state_is_a_tensor_too(name):
    """Tensors are equal where strings are: over states of many matches, and for both players."""
    game = pyspiel.load_game(f"{short_name(name)}(horizon=12)")
    assert game.get_type().provides_information_state_tensor
    assert not pyspiel.load_game(short_name(name)).get_type().provides_information_state_tensor
    strings, tensors = {}, {}
    for seed in range(6):
        for steps in range(12):
            state = random_walk(game, seed, steps)
            if state.is_chance_node() or state.is_terminal():
                continue
            for player in (0, 1):
                said = state.information_state_string(player)
                told = tuple(state.information_state_tensor(player))
                assert strings.setdefault(said, told) == told
                assert tensors.setdefault(told, said) == said
    assert len(strings) > 10


# --- algorithms -------------------------------------------------------------------------------------------------


def value_of(state, left, answer):
    """Expected result of seat 0 within `left` entries; `answer(values, seat)` says what a decision is worth."""
    if state.is_terminal() or not left:
        return state.returns()[0]
    if state.is_chance_node():
        return sum(float(chance) * value_of(after(state, o), left - 1, answer) for o, chance in state.chance_outcomes())
    values = [value_of(after(state, action), left - 1, answer) for action in state.legal_actions()]
    return answer(values, state.current_player())


def after(state, action):
    child = state.clone()
    child.apply_action(action)
    return child


def test_exploitability_of_a_small_bar_bolz_is_what_the_rules_say():
    game = pyspiel.load_game(SMALL)
    start = bolzplatz.load_game("bar-bolz").replay(TOWARDS_A_GOAL.split(";"))
    mean = np.mean
    best = [
        value_of(
            start, 4, lambda values, seat, me=me: (max if me == 0 else min)(values) if seat == me else mean(values)
        )
        for me in (0, 1)
    ]
    random_play = policy.UniformRandomPolicy(game)
    assert exploitability.exploitability(game, random_play) == pytest.approx((best[0] - best[1]) / 2, abs=1e-9)
    solver = cfr.CFRSolver(game)
    for _ in range(15):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.05 * (best[0] - best[1])


def test_mcts_stops_where_that_wins_at_5050():
    moves = "throw 122346;keep 1;stop;throw 111234;keep 111"
    game = pyspiel.load_game(f"bolzplatz_5050(target=50,threshold=50,start={moves})")
    bot = mcts.MCTSBot(game, 1.4, 40, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), solve=False,
                       random_state=np.random.RandomState(2))  # fmt: skip
    state = game.new_initial_state()
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["stop", "go"]
    assert state.action_to_string(bot.step(state)) == "stop"


@pytest.mark.parametrize("by_observation", [True, False])
def test_ismcts_plays_dribbel_fieber_on_resampled_states(by_observation):
    game = pyspiel.load_game("bolzplatz_dribbel_fieber(horizon=90)")
    state = game.new_initial_state()
    luck = np.random.RandomState(3)
    while state.is_chance_node() or len(state.legal_actions()) < 2:
        state.apply_action(int(luck.choice(state.legal_actions())))
    before = everything_about(state)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = ismcts.ISMCTSBot(game, evaluator, 1.4, 12, random_state=luck, use_observation_string=by_observation,
                           allow_inconsistent_action_sets=True)  # fmt: skip
    assert bot.step(state) in state.legal_actions()
    assert everything_about(state) == before


def everything_about(state):
    """A state with a horizon as a value: the match, and what each player remembers of it."""
    seats = range(state.get_game().num_players())
    remembered = [(state.information_state_string(seat), state.information_state_tensor(seat)) for seat in seats]
    return state.match.to_json(), remembered


@pytest.mark.parametrize("name", [each for each in bolzplatz.game_names() if each != "wilde-kerle"])
def test_what_happens_in_a_resampled_state_stays_there(name):
    """Moves there leave the true state alone; where nothing is hidden it is the true state that is drawn."""
    game = pyspiel.load_game(short(name))
    state = random_walk(game, 7, 20)
    before = everything_about(state)
    drawn = state.resample_from_infostate(0, lambda: 0.3)
    assert everything_about(drawn)[1][0] == before[1][0], "what the player knows"
    if game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION:
        assert everything_about(drawn) == before
    go_on(drawn, np.random.default_rng(7), 10)
    assert everything_about(drawn)[1][0] != before[1][0]
    assert everything_about(state) == before


def test_resampled_states_are_written_down_and_read_back():
    game = pyspiel.load_game("bolzplatz_dribbel_fieber")
    drawn = random_walk(game, 7, 40).resample_from_infostate(0, lambda: 0.3)
    assert game.new_initial_state(drawn.to_json()).match == drawn.match
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, drawn))
    assert again.match == drawn.match


def test_resampled_states_keep_what_the_player_knows():
    game = pyspiel.load_game("bolzplatz_dribbel_fieber")
    state = random_walk(game, 7, 40)
    seat = 0
    stream = FastStream(1)
    hands = set()
    for _ in range(8):
        drawn = state.resample_from_infostate(seat, lambda: stream.below(2**30) / 2**30)
        assert drawn.observation_string(seat) == state.observation_string(seat)
        assert drawn.information_state_string(seat) == state.information_state_string(seat)
        hands.add(drawn.observation_string(1 - seat))
    assert len(hands) > 1
