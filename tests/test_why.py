"""Why a move is the best one: sentences in all languages, and what they claim held to the rules."""

import random

import pytest

from bolzplatz import load_game
from bolzplatz.bots.search import Budget
from bolzplatz.core.drivers import enumerate_outcomes
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.solve import move_chances, solve
from bolzplatz.table.frames import build_frame
from bolzplatz.table.why import reason
from bolzplatz.web.language import catalogue
from bolzplatz.web.render import draw_frame
from tests.test_coach_page import coach, play, table

__all__ = ["coach"]

VARIANTS = [{}, {"mode": "match"}, {"edition": "nine"}, {"players": 3}, {"teams": "2v2"}]


def why(moves, best, other, **options):
    return reason(None, load_game("gooaaaaal", **options).replay(moves), best, other)


def test_reasons_of_a_throw():
    """Positions worked out by hand, the standard dice with one face of each kind."""
    first = ["throw BKQW"]
    assert why(first, "place B", "done") == ("ball", {"n": 31})  # 1 - (5/6) ** 2: two throws are left
    assert why(first, "place K", "place B") == ("hand", {})
    assert why(first, "done", "place K") == ("keeper_early", {"n": 31})
    assert why(first, "place K", "done") == ("keeper_waits", {"throws": 3})
    assert why(first, "aside Q", "done") == ("quarter", {"n": 42})  # 1 - (5/6) ** 3
    assert why(first, "done", "aside Q") == ("quarter_alone", {"n": 42})
    assert why(["throw BSSW"], "rethrow S", "done") == ("again", {})
    assert why([*first, "place B", "done"], "throw-on", "stop") == ("throw_on", {})
    second = ["throw BKWW", "place B", "place K", "done", "stop"]
    assert why([*second, "throw BKSW"], "place K", "done") == ("saves", {})
    assert why([*second, "throw BKSW"], "place B", "done") == ("ball_early", {"balls": 1, "keepers": 1})
    assert why([*second, "throw BKSW"], "done", "place B") == ("ball_vain", {"balls": 1, "keepers": 1})
    more = [*second, "throw BBKW", "place B"]
    assert why(more, "place B", "place K") == ("ball_counts", {})
    assert why([*more, "place B", "place K", "done", "throw-on", "throw K"], "done", "place K") == ("keeper_vain", {})


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_what_a_reason_claims_is_so(options):
    """Random positions and pairs of moves: goals and throws that are spoken of, against the rules' own account."""
    game, luck, said = load_game("gooaaaaal", **options), random.Random(5), set()
    wanted = {"throw_on", "ball", "ball_vain", "saves", "keeper_waits", "quarter", "hand"}
    wanted |= {"offside", "offside_goal", "red_die"} if "edition" in options else set()
    wanted |= {"side_ball", "side_keeper"} if "players" in options else set()
    state = game.new_initial_state()
    for step in range(40_000):
        if step > 1500 and wanted <= said:
            break
        if state.is_terminal():
            state = game.new_initial_state()
        legal = state.legal_actions()
        if not state.is_chance_node() and len(legal) > 1:
            best, other = (state.action_to_string(action) for action in luck.sample(legal, 2))
            found = reason(None, state, best, other)
            if found is not None:
                said.add(found[0])
                _check(state, best, other, *found)
                for language in LANGUAGES:
                    assert catalogue(language)(f"why.gooaaaaal.{found[0]}", **found[1])
        state.apply_action(luck.choice(legal))
    assert wanted <= said


def _check(state, best, other, key, places):
    shown, seat = state.view()["shown"], state.current_player()
    spoken = other if key in ("ball_vain", "keeper_vain", "keeper_early") else best
    line = int("right" in spoken.split())
    facing = shown["players"][seat]["lines"][line]["other"]
    throws, theirs = shown["players"][facing]["throws_left"], len(shown["players"][facing]["lines"]) - 1 - line
    after = state.clone().play(spoken).view()["shown"]
    gained = after["players"][seat]["lines"][line]["goals_now"] - shown["players"][seat]["lines"][line]["goals_now"]
    saved = [now["players"][facing]["lines"][theirs]["goals_now"] for now in (shown, after)]
    if key in ("ball_early", "ball_vain"):
        assert gained == 0
        assert places["balls"] <= places["keepers"]
    elif key == "ball_counts":
        assert (gained, throws) == (1, 0)
    elif key in ("saves", "offside_goal"):
        assert saved[1] == saved[0] - 1
    elif key == "keeper_waits":
        assert saved[0] == 0
        assert places["throws"] == throws > 0
    elif key == "keeper_vain":
        assert saved[0] == throws == 0
    elif key == "side_keeper":
        assert places["open"] == saved[0] > places["others"]
    elif key == "quarter" and best.startswith("aside") and not shown["named"] and len(shown["players"]) == 2:
        _check_second_quarter(state.clone().play(best), seat, places["n"])


def _check_second_quarter(state, seat, percent):
    """The rules throw all dice that are left: how often do they show a quarter?"""
    state.play("done")
    if not state.is_chance_node() and "throw-on" in state.view()["legal_actions"]:
        state.play("throw-on")
    if state.is_chance_node() and state.roller() == seat:  # in a match the other side throws between
        drawn = [(state.action_to_string(action), chance) for action, chance, _ in enumerate_outcomes(state)]
        exact = 100 * sum(chance for text, chance in drawn if "Q" in text.removeprefix("throw "))
        assert abs(percent - exact) <= 0.5


@pytest.mark.long
def test_the_page_says_it_where_the_game_is_solved():
    """The sentence goes with the exact chances: the first move listed is the best one of the solution."""
    stored = play(table("gooaaaaal"), "throw BKWW")
    told = build_frame(stored.table, [0], 0).coach
    state = stored.table.state
    exact = {state.action_to_string(action): c for action, c in move_chances(solve(state.game), state).items()}
    assert {move["move"]: move["chance"] for move in told["moves"]} == exact
    assert told["why"] == ("ball", {"n": 31})
    for language in LANGUAGES:
        html = draw_frame(build_frame(stored.table, [0], 0), language)["people"]
        assert catalogue(language)("why.gooaaaaal.ball", n=31) in html


def test_where_nothing_is_solved_it_speaks_only_of_moves_that_playing_on_can_tell_apart(coach):
    stored = play(table("gooaaaaal", people=3), "throw BKWW")
    coach._thinking = Budget(iterations=1)
    frame = build_frame(stored.table, [0], 0)
    told = dict(frame.coach)
    assert "error" in told["moves"][0]
    first, second = (move["move"] for move in told["moves"][:2])
    assert told["why"] == reason(None, stored.table.state, first, second)
    moves = [{"move": "place B left", "chance": 0.6, "error": 0.01}, {"move": "done", "chance": 0.4, "error": 0.01}]
    frame.coach.update(moves=moves, why=("ball", {"n": 31}))
    for error, said in ((0.01, True), (0.3, False)):
        moves[1]["error"] = error
        for language, words in (("en", "Ball to the left"), ("de", "Ball nach links"), ("fr", "Ballon à gauche")):
            html = draw_frame(frame, language)["people"]
            assert (catalogue(language)("why.gooaaaaal.ball", n=31) in html) == said
            assert words in html


def test_three_players_of_5050_hear_why_too():
    state = load_game("5050", players=3, target=300).replay(["throw 111446", "keep 111"])
    fails = round(100 * 60 / 216)  # three dice without a one, a five or three alike: see RULES 5050 §3
    assert reason(None, state, "stop", "go") == ("bank", {"points": 1000, "fails": fails, "dice": 3, "rivals": 0})
