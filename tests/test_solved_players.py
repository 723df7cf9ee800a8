"""Computer players that know best play, held to the solution: move by move, in mass play, and where they refuse."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolzplatz import OptionError, load_game
from bolzplatz.bots import MEMORIES_KEPT, level_fault, memory_of, pick_action
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream
from bolzplatz.simulate import seat_policies, simulate
from bolzplatz.simulate.bench import pairs_of
from bolzplatz.solve import best_moves, move_chances, solve
from bolzplatz.table import warmth
from bolzplatz.table.setup import SetupError, TableSetup

SMALL = [
    ("5050", {"target": 300}),
    ("5050", {"target": 300, "finish_round": False, "threshold": 300}),
    ("5050", {"target": 300, "first": 1, "threshold": 600, "converted_one_in_triple": True}),
    ("bar-bolz", {"black_faces": "5,foul"}),
    ("bar-bolz", {"black_faces": "5", "teams": "2v2"}),
]
LONG = [("gooaaaaal", {}), ("gooaaaaal", {"mode": "match"})]


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), LONG, ids=str)
def test_the_optimal_player_of_a_longer_game_moves_best_and_wins_as_often_as_is_known(name, options):
    game = load_game(name, **options)
    solution, stream, driver, state = solve(game), FastStream(2), FastDriver(3), game.new_initial_state()
    for _ in range(200):
        if state.is_terminal():
            break
        if state.is_chance_node():
            state.apply_action(driver.draw(state).outcome)
            continue
        best = best_moves(move_chances(solution, state))
        assert pick_action(game, state, state.current_player(), "optimal", stream) in best
        legal = state.legal_actions()
        state.apply_action(legal[stream.below(len(legal))])
    matches = 20_000
    share = simulate(game, ["optimal"], matches=matches, seed=5).seats[0].wins.share
    assert abs(share - solution.win_chances(game.new_initial_state())[0]) < 4 * (0.25 / matches) ** 0.5
    for level in ("strong", "good", "child"):
        wins = {p.policy: p.wins.share for p in simulate(game, ["optimal", level], matches=2000, seed=3).by_policy}
        assert wins["optimal"] > 0.5 - 3 * (0.25 / 2000) ** 0.5, level


@pytest.mark.long
@pytest.mark.parametrize(("options", "share"), [({}, 0.812), ({"mode": "match"}, 0.632)], ids=str)
def test_in_pairs_of_matches_the_optimal_player_of_gooaaaaal_wins_as_often_as_was_worked_out(options, share):
    """Worked out over all throws of the periods: how often best play beats the good player; nobody beats it."""
    game, pairs = load_game("gooaaaaal", **options), 8000
    for level, exact in (("good", share), ("strong", None), ("child", None)):
        counts, _ = pairs_of(game, "optimal", level, seed=6)(0, pairs)
        mean = sum(i * count for i, count in enumerate(counts)) / (4 * pairs)
        error = (0.125 / pairs) ** 0.5
        assert mean > 0.5 - 3 * error, level
        assert exact is None or abs(mean - exact) < 4 * error + 0.0005


@given(st.sampled_from(SMALL), st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_the_optimal_player_makes_a_best_move(setup, seed):
    name, options = setup
    game = load_game(name, **options)
    solution, stream, driver = solve(game), FastStream(seed), FastDriver(seed, 1)
    state = game.new_initial_state()
    for _ in range(40):
        if state.is_terminal():
            break
        if state.is_chance_node():
            state.apply_action(driver.draw(state).outcome)
            continue
        seat = state.current_player()
        assert pick_action(game, state, seat, "optimal", stream) in best_moves(move_chances(solution, state))
        legal = state.legal_actions()
        state.apply_action(legal[stream.below(len(legal))])  # so that odd positions come about, too


@pytest.mark.parametrize(("name", "options"), SMALL, ids=str)
def test_between_optimal_players_seats_win_as_often_as_is_known(name, options):
    game = load_game(name, **options)
    matches = 2000
    result = simulate(game, ["optimal"], matches=matches, seed=5)
    exact = solve(game).win_chances(game.new_initial_state())[0]
    share = result.seats[0].wins.share
    assert abs(share - exact) < 4 * (0.25 / matches) ** 0.5
    assert result.unfinished == 0


def test_nobody_beats_the_optimal_player():
    game = load_game("5050", target=600)
    for level in ("good", "child", "random"):
        wins = {p.policy: p.wins.share for p in simulate(game, ["optimal", level], matches=2000, seed=3).by_policy}
        assert wins["optimal"] > 0.5 - 3 * (0.25 / 2000) ** 0.5, level


def test_where_nothing_is_solved_there_is_no_optimal_player():
    four = load_game("5050", players=4)
    assert level_fault(load_game("5050"), "optimal") is None
    assert level_fault(four, "good") is None
    assert "not for 4" in str(level_fault(four, "optimal"))
    with pytest.raises(OptionError, match="no optimal player"):
        seat_policies(four, ["optimal", "good", "good", "good"])
    with pytest.raises(OptionError, match="no optimal player"):
        memory_of(four, ["good", "optimal"])
    state = four.new_initial_state().play("throw 111446")
    with pytest.raises(OptionError, match="no optimal player"):
        pick_action(four, state, 0, "optimal", FastStream(1))


def test_a_table_offers_the_optimal_player_where_there_is_one():
    seats = [{"kind": "human", "name": "Mia"}, {"kind": "bot", "name": "Otto", "level": "optimal"}]
    assert TableSetup.from_dict({"game": "5050", "seats": seats}).seats[1].level == "optimal"
    more = [*seats, {"kind": "human", "name": "Ben"}]
    with pytest.raises(SetupError, match="no optimal player"):
        TableSetup.from_dict({"game": "5050", "seats": more})


def test_every_variant_is_solved_before_the_choice_and_code_is_compiled_once(monkeypatch):
    """Else it would be solved where all tables' computer players choose, and keep them waiting."""
    begun = []

    class AtOnce(warmth.threading.Thread):
        def start(self):
            self.run()

    monkeypatch.setattr(warmth, "threading", type("Threads", (), {"Thread": AtOnce}))
    monkeypatch.setattr(warmth, "warm_up", lambda game, level: begun.append((game, level)))
    ready, variants = warmth.Warmth(), [load_game("5050", target=target) for target in (300, 400)]
    for game in (*variants, *variants):
        assert ready.begin(game, "optimal")
    assert begun == [(game, "optimal") for game in variants]
    # Those that the players have forgotten are got ready again, and are not left to it in a turn.
    many = [load_game("5050", target=100 * n) for n in range(5, 6 + MEMORIES_KEPT)]
    for game in many:
        assert ready.begin(game, "optimal")
    assert begun[2:] == [(game, "optimal") for game in many]
    assert ready.begin(many[-1], "optimal")
    assert ready.begin(variants[0], "optimal")
    assert begun[-1] == (variants[0], "optimal")
    assert len(ready._begun) <= MEMORIES_KEPT + 1
    begun[2:] = []
    usual = load_game("dribbel-fieber")
    for game in (usual, load_game("dribbel-fieber", start_coins=5)):
        assert ready.begin(game, "strong")
    assert begun[2:] == [(usual, "strong")]
