"""The coach at the table: the same for all seats, only where asked for and where it knows; what the page says."""

import re
import threading

import pytest

from bolzplatz import load_game
from bolzplatz.bots.playouts import judge
from bolzplatz.bots.search import Budget
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.solve import SolveError, move_chances, refusal, solve
from bolzplatz.solve.dribbel_fieber import SHOOTING, TURNS
from bolzplatz.table import coaching, frames
from bolzplatz.table.coaching import HIDDEN, READY, SOLVING, UNCOUNTED, UNKNOWN, Coach, can_coach, has_odds
from bolzplatz.table.commands import Do, Enter
from bolzplatz.table.frames import build_frame
from bolzplatz.table.setup import SetupError, TableSetup
from bolzplatz.table.table import WAIT_DECIDE
from bolzplatz.web.language import catalogue
from bolzplatz.web.render import draw_frame
from bolzplatz.web.render.coach import advice, balls_lost, move_label
from tests.table_kit import Stored, human


class AtOnce(threading.Thread):
    """A thread that has done its work when it is started."""

    def start(self):
        self.run()


class Never(threading.Thread):
    """A thread that does not come to it."""

    def start(self):
        pass


@pytest.fixture(autouse=True)
def coach(monkeypatch):
    monkeypatch.setattr(coaching, "Thread", AtOnce)
    fresh = Coach(Budget(iterations=2))
    monkeypatch.setattr(frames, "COACH", fresh)
    return fresh


def table(game, coached=True, people=2, **options):
    seats = [human(name) for name in ("Mia", "Ben", "Pia", "Zoe")[:people]]
    setup = {"game": game, "seats": seats, "dice": "hand", "options": options, "coach": coached}
    return Stored.new(TableSetup.from_dict(setup))


def play(stored, *moves):
    for move in moves:
        version, seat = stored.table.version, stored.table.waiting.seat
        entered = stored.table.state.is_chance_node()
        command = Enter(f"e{version}", version, move) if entered else Do(f"d{version}", version, seat, (move,), False)
        assert stored.do(command) is None
    return stored


def test_everybody_is_told_the_chances_of_every_move():
    stored = play(table("bar-bolz"), "10", "pass", "penalty")
    assert stored.table.waiting.kind == WAIT_DECIDE
    told = [build_frame(stored.table, seats, 0).coach for seats in ([0], [1], [])]
    assert told[0] == told[1] == told[2]
    assert told[0]["state"] == READY
    solution, state = solve(load_game("bar-bolz")), stored.table.state
    assert told[0]["chances"] == list(solution.win_chances(state))
    exact = {state.action_to_string(action): chance for action, chance in move_chances(solution, state).items()}
    assert {move["move"]: move["chance"] for move in told[0]["moves"]} == exact
    assert told[0]["moves"][0]["move"] == "take"


def test_at_a_throw_it_tells_the_chances_of_the_seats_alone():
    told = build_frame(table("bar-bolz").table, [0], 0).coach
    assert told["moves"] == []
    assert abs(told["chances"][0] - 0.5272403576) < 1e-9
    assert abs(told["prospects"]["goal"] - 132142139 / 679477248) < 1e-12


def test_the_best_of_it_is_whispered_below_the_head_line(monkeypatch):
    """On a phone the rest of it lies in a drawer."""
    t = catalogue("en")

    def whispered(stored):
        strip = draw_frame(build_frame(stored.table, [0], 0), "en")["strip"]
        said = re.search(r'<span class="whispered">(.*?)</span>', strip)
        return said[1] if said else None

    assert whispered(table("bar-bolz")) == t("coach.goal")
    assert whispered(play(table("bar-bolz"), "10", "pass", "penalty")) == t("coach.move.take")
    assert whispered(table("5050", people=4, target=300)) == "Mia"
    assert whispered(table("bar-bolz", coached=False)) is None
    solving = table("5050", people=4, target=400)
    monkeypatch.setattr(coaching, "Thread", Never)
    assert whispered(solving) == t("coach.solving")


def test_it_is_silent_unless_it_was_asked_for_and_when_all_is_over():
    assert build_frame(table("bar-bolz", coached=False).table, [0], 0).coach is None
    over = play(table("bar-bolz"), "pass", "pass", "10", "foul", "referee black", "pass", "pass", "10")
    assert over.table.over
    assert build_frame(over.table, [0], 0).coach is None
    with pytest.raises(SetupError):
        table("bar-bolz", coached="yes")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_move_that_is_not_the_best_says_what_it_would_cost(language):
    """A shot scores half the time, rolling on from 30 with .3671 (RULINGS §1a): 3.7 of a hundred matches."""
    stored = play(table("bar-bolz"), "10", "pass", "penalty")
    frame = build_frame(stored.table, [0], 0)
    rows = advice(frame, catalogue(language))["moves"]
    assert [row["best"] for row in rows] == [True, False]
    point = catalogue(language)("training.say.point")
    assert [row["behind"] for row in rows] == ["", f"−3{point}7"]
    assert f"<small>−3{point}7</small>" in draw_frame(frame, language)["people"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("game", "options"), [("gooaaaaal", {"dice": "any"}), ("dribbel-fieber", {"deck": "any"})])
def test_of_a_real_box_that_nobody_has_counted_it_tells_no_chances(game, options, language):
    """RULINGS, by hand: no odds are shown until somebody has said what the box holds."""
    stored, counted = table(game, **options), table(game)
    t = catalogue(language)
    assert build_frame(stored.table, [0], 0).coach == {"state": UNCOUNTED}
    assert build_frame(counted.table, [0], 0).coach["state"] != UNCOUNTED
    shown = draw_frame(build_frame(stored.table, [0], 0), language)["people"]
    assert t("coaching.uncounted") in shown
    assert "coach-percent" not in shown


def test_what_comes_of_a_shot_hangs_on_no_card():
    """Dice and colours of a shot in the last turn are known, whatever the cards: there it tells the chances."""
    state = load_game("dribbel-fieber", deck="any").new_initial_state()
    assert not has_odds(state)
    state._data.turn, state._data.phase = TURNS, SHOOTING[0]
    assert has_odds(state)
    assert "no chances" in str(refusal(load_game("gooaaaaal", dice="any")))
    assert refusal(load_game("gooaaaaal", dice="4xBKSQWT")) is None


def test_where_all_move_at_once_it_knows_nothing():
    state = load_game("wilde-kerle", players=3).new_initial_state()
    assert Coach().advice(state) == {"state": UNKNOWN}
    assert not can_coach(state.game)


def test_where_nothing_is_solved_it_plays_on_and_says_how_far_off_it_may_be(coach):
    stored = play(table("5050", people=4, target=300), "throw 111446", "keep 111")
    told = [build_frame(stored.table, seats, 0).coach for seats in ([0], [1], [])]
    assert told[0] == told[1] == told[2]
    assert told[0]["state"] == READY
    assert {move["move"] for move in told[0]["moves"]} == {"stop", "go"}
    assert all(0 < move["error"] < 0.5 for move in told[0]["moves"])
    assert sum(told[0]["chances"]) == pytest.approx(1)
    for language in LANGUAGES:
        shown = draw_frame(build_frame(stored.table, [0], 0), language)["people"]
        assert "±" in shown
        off = max(1, round(100 * told[0]["moves"][0]["error"]))
        assert catalogue(language)("coaching.played", n=told[0]["matches"], m=off) in shown


def test_of_many_variants_only_those_asked_for_last_are_kept(monkeypatch, coach):
    solved = []
    one = solve(load_game("bar-bolz"))
    monkeypatch.setattr(coaching, "solve", lambda game: solved.append(game) or one)
    first, *others = (load_game("5050", target=100 * n) for n in range(1, coaching.VARIANTS_KEPT + 3))
    monkeypatch.setattr(type(one), "win_chances", lambda _solution, _state: (0.5, 0.5))
    for game in others:
        assert coach.solution(first) is one, "it is asked for again and again, and stays"
        assert coach.solution(game) is one
    assert solved == [first, *others]
    assert len(coach._solutions) == coaching.VARIANTS_KEPT
    coach.solution(first)
    coach.solution(others[0])
    assert solved == [first, *others, others[0]]


def test_what_cannot_be_solved_is_not_tried_again_and_not_many_at_once(monkeypatch, coach):
    tried = []

    def fail(game):
        tried.append(game)
        raise OSError("no space left")

    monkeypatch.setattr(coaching, "solve", fail)
    game = load_game("5050", target=700)
    for _ in range(2):
        with pytest.raises(SolveError):
            coach.solution(game)
    assert tried == [game]
    monkeypatch.setattr(coaching, "Thread", Never)
    variants = [load_game("5050", target=100 * n) for n in range(10, 11 + coaching.MOST_SOLVING)]
    assert [coach.solution(each) for each in variants] == [None] * len(variants)
    assert list(coach._solutions.values()).count(SOLVING) == coaching.MOST_SOLVING


def test_playing_on_comes_to_what_is_known():
    """Under the standard rules of Bar-Bolz good players play best: their matches must show the exact chances."""
    game = load_game("bar-bolz")
    for moves in (("10", "pass"), ("10", "pass", "penalty")):
        state = game.new_initial_state().play(*moves)
        judged = judge(state, 5, Budget(iterations=8))
        exact = solve(game).win_chances(state)
        assert judged.chances == pytest.approx(exact, abs=3 * (0.25 / 500) ** 0.5)
        known = move_chances(solve(game), state)
        assert set(judged.moves) == set(known)
        for action, (chance, error) in judged.moves.items():
            assert abs(chance - known[action]) < 2 * error


def test_hidden_cards_have_no_part_in_it():
    game = load_game("dribbel-fieber")
    state, driver = game.new_initial_state(), FastDriver(3)
    while state.is_chance_node():
        state.apply_action(driver.draw(state).outcome)
    seat, few = state.current_player(), Coach(Budget(iterations=1))
    assert few.advice(state, [1 - seat]) == {"state": HIDDEN}
    assert few.advice(state, []) == {"state": HIDDEN}
    assert few.advice(state, [0, 1]) == {"state": HIDDEN}
    others = [state.resample(seat, FastStream(n)) for n in range(2)]
    assert others[0] != others[1]
    told = [Coach(Budget(iterations=1)).advice(other, [seat]) for other in (state, *others)]
    assert told[0]["state"] == READY
    assert told[0] == told[1] == told[2]


def test_why_is_said_in_a_sentence():
    stored = play(table("bar-bolz"), "10", "pass", "penalty")
    key, places = build_frame(stored.table, [0], 0).coach["why"]
    assert (key, places["goals"]) == ("take", 50)
    for language in LANGUAGES:
        assert (
            catalogue(language)("why.bar-bolz.take", **places)
            in draw_frame(build_frame(stored.table, [0], 0), language)["people"]
        )


def test_who_listens_is_told_when_it_knows_more(coach):
    heard = []
    deaf = coach.listen(lambda: heard.append(1))
    coach.advice(load_game("bar-bolz").new_initial_state())
    assert heard == [1]
    deaf()
    coach.advice(load_game("bar-bolz", series=3).new_initial_state())
    assert heard == [1]


def test_until_the_game_is_solved_it_says_that_it_is_at_work(coach, monkeypatch):
    waiting = []

    def later(target, args, daemon):
        waiting.append((target, args))
        return AtOnce()

    monkeypatch.setattr(coaching, "Thread", later)
    stored = table("bar-bolz")
    assert build_frame(stored.table, [0], 0).coach == {"state": SOLVING}
    assert build_frame(stored.table, [1], 0).coach == {"state": SOLVING}
    (work, arguments), _ = waiting
    work(*arguments)
    assert build_frame(stored.table, [0], 0).coach["state"] == READY


def test_the_page_shows_balls_and_a_sentence():
    stored = play(table("5050", target=300), "throw 111446", "keep 111")
    frame = build_frame(stored.table, [0], 0)
    t = catalogue("en")
    shown = advice(frame, t)
    assert [row["label"] for row in shown["moves"]] == ["Stop", "Throw on"]
    assert shown["said"].startswith("Stop wins ")
    html = draw_frame(frame, "en")["people"]
    assert 'id="coach"' in html
    assert shown["said"] in html
    assert "coach" not in draw_frame(build_frame(table("bar-bolz", coached=False).table, [0], 0), "en")["people"]


def test_to_children_it_counts_in_tens():
    setup = {"game": "5050", "seats": [human("Mia"), human("Ben")], "dice": "hand", "options": {"target": 300}}
    stored = Stored.new(TableSetup.from_dict({**setup, "coach": True, "mode": "kids"}))
    shown = advice(build_frame(play(stored, "throw 111446", "keep 111").table, [0], 0), catalogue("en"))
    assert re.match(r"Stop wins (10|\d) of 10 such games, Throw on \d\.", shown["said"])


@pytest.mark.parametrize(
    ("chance", "lost"),
    [(0.0, 10), (1e-6, 9.5), (0.04, 9.5), (0.26, 7.5), (0.5, 5), (0.74, 2.5), (0.999, 0.5), (1.0, 0)],
)
def test_ten_balls_never_say_never_or_always_where_it_is_not_so(chance, lost):
    assert balls_lost(chance) == lost


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_move_of_the_solved_games_has_words(language):
    t = catalogue(language)
    for move in ("stop", "go", "take", "decline", "keep 123456", "keep pairs"):
        assert move_label(move, t) != move.removeprefix("keep ")
    assert move_label("keep 111 5 55>1", t) == "111 5 55→1"


def test_where_solving_fails_the_coach_plays_on(coach, monkeypatch):
    def fail(game):
        raise OSError("no room on the disk")

    monkeypatch.setattr(coaching, "solve", fail)
    state = load_game("bar-bolz").replay(["10", "pass", "penalty"])
    assert coach.advice(state)["state"] == READY
    assert "error" in coach.advice(state)["moves"][0]
    with pytest.raises(SolveError, match="could not be solved"):
        coach.solution(state.game)
