"""Reports of solved games: exact values, what options change exactly, and how much is luck."""

import itertools
import random

import pytest

from bolzplatz import load_game
from bolzplatz.simulate import report_bar_bolz, report_fifty_fifty, report_gooaaaaal
from bolzplatz.simulate.plot_solved import goes_for_it, stop_thresholds, write_solved_plot
from bolzplatz.simulate.report import Asked
from bolzplatz.simulate.report_solved import sections
from bolzplatz.solve import move_chances, solve


def told(game, policy="good", matches=30, **options):
    return {section.key: section for section in sections(Asked(load_game(game, **options), policy, matches, seed=1))}


def test_best_play_is_told_exactly_and_against_the_standard_rules():
    standard = told("bar-bolz")["best_play"]
    assert abs(standard.data["chances"][0] - 0.5272403576) < 5e-11
    assert "standard" not in standard.data
    other = told("bar-bolz", penalty_optional=False, black_faces="5,foul")["best_play"]
    assert other.data["standard"] == standard.data["chances"]
    assert [row[1] for row in other.tables[0].rows] == ["52.7240 %", "47.2760 %"]


def test_the_map_of_stops_is_that_of_best_moves():
    """What the maps tell from the tables of turns, against the chances of both moves in matches that come about."""
    game, luck, seen = load_game("5050", target=600), random.Random(4), set()
    solution = solve(game)
    thresholds = stop_thresholds(solution)
    late = goes_for_it(solution, thresholds)
    for _ in range(150):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            names = [state.action_to_string(action) for action in legal]
            if names == ["stop", "go"] and state.current_player() == 0:
                view = state.view()
                risk, dice = view["shown"]["at_risk"], view["shown"]["dice_next"]
                own, other = (score // 50 for score in view["scores"])
                stop, go = (move_chances(solution, state)[action] for action in legal)
                threshold = float(thresholds[dice, own, other])
                if risk < threshold:
                    assert stop <= go
                elif risk == threshold:
                    assert stop > go
                if late[dice, own, other] and risk + 50 * own < 600:
                    assert stop <= go
                seen.add(((risk > threshold) - (risk < threshold), bool(late[dice, own, other])))
            state.apply_action(luck.choice(legal))
    assert seen >= {(side, where) for side in (-1, 0) for where in (False, True)}


def test_the_maps_for_three_are_those_of_best_moves(tmp_path, monkeypatch):
    """Likewise, at all scores: what the maps tell of the first decisions that come about in some matches."""
    monkeypatch.setattr("bolzplatz.solve.tables.table_folder", lambda: tmp_path)
    game, luck, seen = load_game("5050", players=3, target=200, threshold=100), random.Random(4), set()
    solution = solve(game)
    maps = [stop_thresholds(solution, third) for third in range(4)]
    for _ in range(12):
        state = game.new_initial_state()
        while [state.action_to_string(action) for action in state.legal_actions()] != ["stop", "go"]:
            state.apply_action(luck.choice(state.legal_actions()))
        shown = state.view()["shown"]
        for scores in itertools.product(range(4), repeat=3):
            # Whoever came to decide: the seat that began does it.
            state._data.mover, state._data.written[:] = 0, [50 * score for score in scores]
            stop, go = (move_chances(solution, state)[action] for action in state.legal_actions())
            threshold = float(maps[scores[2]][shown["dice_next"], scores[0], scores[1]])
            if shown["at_risk"] < threshold:
                assert stop <= go
            elif shown["at_risk"] == threshold:
                assert stop > go
            seen.add(((shown["at_risk"] > threshold) - (shown["at_risk"] < threshold), scores[2] > 0))
    assert seen >= {(side, behind) for side in (-1, 0) for behind in (False, True)}
    write_solved_plot(solution, str(tmp_path / "stops.svg"), "de")
    assert (tmp_path / "stops.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_a_report_tells_nothing_of_the_machine():
    """Where a table lies, and how long it took with how many workers, is another matter on every machine."""
    best = next(sections(Asked(load_game("5050", target=150), "good", 1, seed=1)))
    assert (best.key, {"table", "table_bytes", "provenance"} & best.data.keys()) == ("best_play", set())
    assert best.data["starter"] == best.data["chances"][0]


def test_where_every_move_is_a_best_one_all_is_luck():
    """With three dark faces the good player always shoots, which is best."""
    luck = told("bar-bolz")["luck"]
    assert abs(luck.data["luck"] - 1) < 1e-12
    assert abs(luck.data["mean_loss"]) < 1e-12
    assert luck.data["moves"] > 0


def test_the_child_gives_chances_away():
    """It plays on from the spot, where a shot scores half the time and playing on .3671 at the best (RULINGS §1a)."""
    luck = told("bar-bolz", "child")["luck"]
    assert luck.data["luck"] < 0.999
    assert 0.02 < luck.data["mean_loss"] < 0.15


@pytest.mark.parametrize(("game", "options"), [("5050", {"players": 3}), ("5050", {"target": 10**6})])
def test_what_is_not_solved_has_no_such_sections(game, options):
    assert told(game, **options) == {}


def test_all_solved_games_have_these_sections():
    assert report_bar_bolz.sections is report_fifty_fifty.sections is report_gooaaaaal.sections is sections
    assert [*told("bar-bolz", matches=1)] == ["best_play", "luck"]
