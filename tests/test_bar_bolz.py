"""Bar-Bolz-Bande beyond the scenarios: what the log says, exact chances, dice, options, and properties of whole games.

The figures come from RULINGS.md §1a; the oracles below restate the rules in a few lines, on lists of faces.
"""

import math
import random
import string
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bolzplatz
from bolzplatz.bots import bar_bolz as bots
from bolzplatz.core.drivers import enumerate_outcomes, outcome_of_faces
from bolzplatz.core.fast import FastStream
from bolzplatz.core.texts import LANGUAGES, event_text, game_texts
from bolzplatz.games.bar_bolz import GAME, default_schedule

FACES = ["5", "10", "pass", "foul", "offside", "penalty"]
WORTH = {"5": 5, "10": 10, "pass": 20}
BLACK_BY_COUNT = {1: "5", 2: "5,foul", 3: "5,foul,offside", 4: "5,foul,offside,penalty", 5: "5,10,foul,offside,penalty"}

SCORE = ("pass", "pass", "10")
MISS = ("pass", "pass", "pass")
RUN_UP = {0: (), 20: ("pass",), 25: ("pass", "5"), 30: ("pass", "10"), 35: ("pass", "10", "5"), 40: ("pass", "pass"),
          45: ("pass", "pass", "5")}  # fmt: skip


def new_state(**options: Any) -> bolzplatz.State:
    return bolzplatz.load_game("bar-bolz", **options).new_initial_state()


def shown(state: bolzplatz.State) -> dict[str, Any]:
    view: dict[str, Any] = state.view()["shown"]
    return view


def told(state: bolzplatz.State, first_step: int = 0) -> list[tuple[Any, ...]]:
    """The events from one step on, each as kind, seat and the values of its arguments."""
    return [(e.kind, e.seat, *e.data.values()) for e in state.events() if e.step >= first_step]


def match_moves(first: int, winner: int, loser_goals: int) -> list[str]:
    """Moves of one match: side `first` attacks first, `winner` gets its second goal once the loser has its goals."""
    goals, side, moves = [0, 0], first, list[str]()
    while goals[winner] < 2:
        ready = goals[winner] == 0 or goals[1 - winner] == loser_goals
        scores = ready if side == winner else goals[side] < loser_goals
        goals[side] += scores
        moves += SCORE if scores else MISS
        side = 1 - side
    return moves


# --- what the log says --------------------------------------------------------------------------------------------


def test_shot_past_the_goal_says_55() -> None:  # B01
    state = new_state().play("5", "10", "10", "10", "pass")
    assert told(state) == [
        ("rolled", 0, "5", 5),
        ("rolled", 0, "10", 15),
        ("rolled", 0, "10", 25),
        ("rolled", 0, "10", 35),
        ("rolled", 0, "pass", 55),
        ("past_goal", 0, 55),
        ("attack_changes", 1),
    ]
    assert state.scores() == [0, 0]


def test_fouls_of_a_scoring_attack_are_booked_step_by_step() -> None:  # B03
    state = new_state()
    cards = []
    for move in ("pass", "foul", "referee white", "pass", "foul", "referee white"):
        state.play(move)
        cards.append((shown(state)["points"], shown(state)["fouls"], shown(state)["card"]))
    assert cards == [(20, 0, "none"), (20, 0, "none"), (20, 1, "warning"), (40, 1, "warning"), (40, 1, "warning"),
                     (40, 2, "yellow")]  # fmt: skip
    state.play("10")
    assert told(state, 1) == [
        ("rolled", 0, "foul", 20),
        ("foul", 0, 1),
        ("referee_rolled", 1, "white"),
        ("warning", 0),
        ("rolled", 0, "pass", 40),
        ("rolled", 0, "foul", 40),
        ("foul", 0, 2),
        ("referee_rolled", 1, "white"),
        ("yellow_card", 0),
        ("rolled", 0, "10", 50),
        ("goal", 0, "fifty", 1, 0),
        ("attack_changes", 1),
    ]


@pytest.mark.parametrize(
    ("moves", "ending"),
    [
        (  # B04: the second example of the rulebook's chapter on fouls
            ("5", "foul", "referee white", "10", "pass", "foul", "referee black"),
            [("referee_rolled", 1, "black"), ("red_card", 0), ("attack_over", 0, 35, "red_card")],
        ),
        (  # B05
            ("5", "5", "10", "10", "offside"),
            [("rolled", 0, "offside", 30), ("offside", 0, 30), ("attack_over", 0, 30, "offside")],
        ),
        (  # B07
            ("10", "pass", "penalty", "take", "shot white"),
            [("penalty_missed", 0), ("attack_over", 0, 30, "penalty_missed")],
        ),
        (  # B08
            ("5", "5", "10", "10", "penalty", "take", "shot black"),
            [("penalty_scored", 0), ("goal", 0, "penalty_shot", 1, 0)],
        ),
        (  # B09: no referee at the third foul
            ("foul", "referee white", "foul", "referee white", "foul"),
            [("rolled", 0, "foul", 0), ("foul", 0, 3), ("red_card", 0), ("attack_over", 0, 0, "red_card")],
        ),
        (  # B15
            ("pass", "pass", "5", "penalty", "take", "shot white"),
            [("penalty_missed", 0), ("attack_over", 0, 45, "penalty_missed")],
        ),
    ],
)
def test_how_an_attack_ends(moves: tuple[str, ...], ending: list[tuple[Any, ...]]) -> None:
    state = new_state().play(*moves)
    assert told(state)[-len(ending) - 1 :] == [*ending, ("attack_changes", 1)]
    assert (shown(state)["points"], shown(state)["fouls"], shown(state)["card"]) == (0, 0, "none")


def test_faces_below_30_are_told_and_change_nothing() -> None:  # B11, B06
    state = new_state().play("pass", "5")
    before = state.clone()
    state.play("penalty", "offside")
    assert told(state, 2) == [
        ("rolled", 0, "penalty", 25),
        ("penalty_ignored", 0, 25),
        ("rolled", 0, "offside", 25),
        ("offside_ignored", 0, 25),
    ]
    assert state == before


def test_a_declined_penalty_leaves_no_trace_in_the_state() -> None:  # B25
    state = new_state().play("pass", "10", "foul", "referee white")
    before = state.clone()
    state.play("penalty", "decline")
    assert told(state, 4) == [("rolled", 0, "penalty", 30), ("penalty_offered", 0, 30), ("penalty_declined", 0, 30)]
    assert state == before
    state.play("penalty", "take", "shot black")
    assert state.scores() == [1, 0]


def test_ways_to_lose_an_attack_lead_to_equal_states() -> None:
    lost = [
        new_state().play(*moves)
        for moves in (MISS, ("foul", "referee black"), ("pass", "10", "offside"), ("pass", "5", "5", "offside"))
    ]
    assert all(state == lost[0] and hash(state) == hash(lost[0]) for state in lost)


def test_last_goal_ends_match_and_log() -> None:  # B21
    state = new_state().play(*SCORE, *MISS, *SCORE)
    assert told(state, 8) == [("rolled", 0, "10", 50), ("goal", 0, "fifty", 2, 0), ("match_won", 0, 2, 0, 1)]
    assert (state.scores(), state.returns()) == ([2, 0], [1.0, -1.0])
    assert (shown(state)["goals"], shown(state)["match"], shown(state)["next"]) == ([2, 0], 1, "over")


def test_a_series_is_told() -> None:  # B31
    state = new_state(series=3).play(*match_moves(0, 0, 1))
    assert told(state)[-3:] == [("match_won", 0, 2, 1, 1), ("series_standing", 0, 1, 0, 1), ("match_starts", 1, 2, 0)]
    assert (shown(state)["match"], shown(state)["matches"], shown(state)["goals"]) == (2, 3, [0, 0])
    state.play(*match_moves(1, 0, 0))
    assert told(state)[-3:] == [("match_won", 0, 2, 0, 1), ("series_standing", 0, 2, 0, 1), ("series_won", 0, 2, 0, 1)]


def test_the_series_standing_is_told_from_seat_0_and_the_win_from_the_winner() -> None:
    state = new_state(series=3).play(*match_moves(0, 1, 0), *match_moves(1, 1, 0))
    assert told(state)[-3:] == [("match_won", 1, 2, 0, 0), ("series_standing", 0, 0, 2, 1), ("series_won", 1, 2, 0, 0)]


def test_team_play_is_told() -> None:  # B27, B29
    state = new_state(teams="2v2").play(*match_moves(0, 0, 0))
    standing = [("team_points", None, 1, 0), ("team_goals", None, 2, 0)]
    assert told(state)[-4:] == [("match_won", 0, 2, 0, 2), *standing, ("team_match_starts", 3, 2, 1)]
    state.play(*match_moves(1, 0, 0), *match_moves(0, 1, 1), *match_moves(1, 1, 0))
    assert told(state)[-3:] == [
        ("team_points", None, 2, 2),
        ("team_goals", None, 5, 4),
        ("team_won", None, "A", "on_goals"),
    ]
    assert state.returns() == [0.5, 0.5, -0.5, -0.5]


def test_points_come_before_goals() -> None:
    # A wins twice by 2:0 and loses three times by 1:2: more goals, fewer points.
    sheet = [(0, 0), (0, 0), (1, 1), (1, 1), (1, 1)]
    moves = [m for i, (winner, goals) in enumerate(sheet) for m in match_moves(i % 2, winner, goals)]
    state = new_state(teams="3v2").play(*moves)
    assert told(state)[-3:] == [
        ("team_points", None, 2, 3),
        ("team_goals", None, 7, 6),
        ("team_won", None, "B", "on_points"),
    ]


def test_a_decider_is_told() -> None:  # B30
    even = [*match_moves(0, 0, 1), *match_moves(1, 1, 1), *match_moves(0, 0, 1), *match_moves(1, 1, 1)]
    state = new_state(teams="2v2", decider="3v1").play(*even)
    assert told(state)[-4:] == [
        ("team_points", None, 2, 2),
        ("team_goals", None, 6, 6),
        ("team_tie", None, 2, 6),
        ("decider_starts", 1, 3),
    ]
    assert (shown(state)["deciding"], shown(state)["decider"], state.is_terminal()) == (True, [1, 3], False)
    state.play(*match_moves(0, 1, 1))
    assert told(state)[-3:] == [("team_points", None, 2, 3), ("team_goals", None, 7, 8), ("decider_won", None, "B")]
    assert (state.scores(), state.returns()) == ([2, 2, 3, 3], [-0.5, -0.5, 0.5, 0.5])


def test_every_event_cites_a_paragraph_and_everyone_sees_it() -> None:
    state = new_state().play("pass", "5", "offside", "10", "penalty", "take", "shot black")
    rules = {event.kind: event.rule for event in state.events()}
    assert rules == {
        "rolled": "bar-bolz §2",
        "offside_ignored": "bar-bolz §4",
        "penalty_offered": "bar-bolz §5",
        "penalty_taken": "bar-bolz §5",
        "penalty_scored": "bar-bolz §5",
        "goal": "bar-bolz §2",
        "attack_changes": "bar-bolz §6",
    }
    assert state.events(0) == state.events(1) == state.events(None)


# --- exact chances ------------------------------------------------------------------------------------------------


def chance_of_goal(start: bolzplatz.State) -> Fraction:
    """Walk the rules from a position of seat 0's attack; every penalty is taken. A face without effect comes again."""
    known: dict[Any, Fraction] = {}

    def walk(state: bolzplatz.State) -> Fraction:
        if state.key() in known:
            return known[state.key()]
        if state.current_player() >= 0:
            state = state.clone().play("take")
        total = stay = Fraction(0)
        for _, chance, after in enumerate_outcomes(state):
            if after == state:
                stay += chance
            elif after.scores() != start.scores():
                total += chance
            elif after.view()["fields"]["attacker"] == 0:
                total += chance * walk(after)
        known[state.key()] = total / (1 - stay)
        return known[state.key()]

    return walk(start)


@cache
def goal_by_hand(points: int, fouls: int, shooter_black: int, referee_black: int) -> Fraction:
    """The same chance from the rules as arithmetic: sixths of 50 - points and so on, without any game code."""
    sixth = Fraction(1, 6)
    total = sum(
        (sixth * (points + worth == 50 or goal_by_hand(points + worth, fouls, shooter_black, referee_black))
         for worth in (5, 10, 20) if points + worth <= 50),
        start=Fraction(0),
    )  # fmt: skip
    if fouls < 2:
        total += sixth * Fraction(6 - referee_black, 6) * goal_by_hand(points, fouls + 1, shooter_black, referee_black)
    if points < 30:
        return total / (1 - 2 * sixth)
    return total + sixth * Fraction(shooter_black, 6)


@pytest.mark.parametrize(
    ("black", "published"),
    [
        (1, 0.192291),
        (2, Fraction(2635189, 13436928)),
        (3, Fraction(132142139, 679477248)),
        (4, 0.188796),
        (5, 0.180497),
    ],
)
def test_chance_of_a_goal_in_one_attack(black: int, published: Fraction | float) -> None:
    exact = chance_of_goal(new_state(black_faces=BLACK_BY_COUNT[black]))
    assert exact == goal_by_hand(0, 0, black, black)
    assert exact == (published if isinstance(published, Fraction) else pytest.approx(published, abs=5e-7))


@pytest.mark.parametrize(
    ("total", "published"),
    [(0, 0.1945), (20, 0.2636), (25, 0.2385), (30, 0.3671), (35, 0.1988), (40, 0.3220), (45, 0.2726)],
)
def test_chance_of_a_goal_from_a_running_total(total: int, published: float) -> None:
    exact = chance_of_goal(new_state().play(*RUN_UP[total]))
    assert exact == goal_by_hand(total, 0, 3, 3)
    assert float(exact) == pytest.approx(published, abs=5e-5)


def test_chances_with_two_different_dice() -> None:
    # seat 0 shoots with its own die (one dark face) and is judged with the other one (four).
    exact = chance_of_goal(new_state(black_faces="5/5,10,foul,penalty"))
    assert exact == goal_by_hand(0, 0, 1, 4)
    assert exact != goal_by_hand(0, 0, 4, 1)


def test_whether_declining_can_pay() -> None:
    """B-5: rolling on is worth at most .367 with three dark faces, .3356 against 1/3 with two."""
    rolling_on = {
        black: max(chance_of_goal(new_state(black_faces=faces).play(*RUN_UP[total])) for total in (30, 35, 40, 45))
        for black, faces in BLACK_BY_COUNT.items()
    }
    assert float(rolling_on[3]) == pytest.approx(0.367, abs=5e-4)
    assert float(rolling_on[2]) == pytest.approx(0.3356, abs=5e-5)
    pays = {black for black, worth in rolling_on.items() if worth > Fraction(black, 6)}
    assert pays == {1, 2}


# --- dice ---------------------------------------------------------------------------------------------------------


def test_only_the_colour_of_the_throwers_own_die_counts() -> None:  # B-6, B-7, B17, B23
    options = {"black_faces": "5,10/5,foul,offside,penalty"}
    dark = [{0, 1}, {0, 3, 4, 5}]
    for attacker in (0, 1):
        start = new_state(**options).play(*MISS) if attacker else new_state(**options)
        foul = start.clone().play("foul")
        shot = start.clone().play("pass", "10", "penalty", "take")
        assert (foul.roller(), shot.roller()) == (1 - attacker, attacker)
        for face in range(6):
            referee = foul.action_to_string(outcome_of_faces(foul, [face]).outcome)
            scored = shot.action_to_string(outcome_of_faces(shot, [face]).outcome)
            assert referee == ("referee black" if face in dark[1 - attacker] else "referee white")
            assert scored == ("shot black" if face in dark[attacker] else "shot white")


def test_an_attack_roll_is_the_face_itself() -> None:
    state = new_state()
    assert [state.action_to_string(outcome_of_faces(state, [face]).outcome) for face in range(6)] == FACES
    assert GAME.face_text is not None
    assert [GAME.face_text(None, None, face) for face in range(6)] == FACES


def test_all_faces_of_a_referee_roll_together_weigh_what_the_outcome_weighs() -> None:
    for black in BLACK_BY_COUNT.values():
        for moves in (("foul",), ("pass", "10", "penalty", "take")):
            state = new_state(black_faces=black).play(*moves)
            faces = [outcome_of_faces(state, [face]).outcome for face in range(6)]
            assert {o: Fraction(faces.count(o), 6) for o in (0, 1)} == dict(state.chance_outcomes())


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "moves", "refused", "code", "rule"),
    [
        ({}, (), "take", "below_30", "bar-bolz §5"),
        ({}, ("pass", "5"), "decline", "below_30", "bar-bolz §5"),
        ({}, ("pass", "10"), "take", "no_penalty", "bar-bolz §5"),
        ({}, ("foul",), "take", "referee_first", "bar-bolz §3"),
        ({}, ("pass", "10", "penalty", "take"), "decline", "shot_first", "bar-bolz §5"),
        ({"penalty_optional": False}, ("pass", "10", "penalty"), "decline", "must_take", "bar-bolz §12"),
        ({}, ("pass", "10", "penalty"), "shot black", "notation", "notation"),
        ({}, ("foul",), "shot black", "notation", "notation"),
        ({}, ("pass", "10", "penalty", "take"), "referee black", "notation", "notation"),
        ({}, (), "referee white", "notation", "notation"),
        ({}, (), "stop", "notation", "notation"),
        ({}, (*SCORE, *MISS, *SCORE), "take", "over", "bar-bolz §7"),
    ],
)
def test_refused_moves_name_the_rule(
    options: dict[str, Any], moves: tuple[str, ...], refused: str, code: str, rule: str
) -> None:
    state = new_state(**options).play(*moves)
    before = state.clone()
    with pytest.raises(bolzplatz.IllegalActionError) as refusal:
        state.play(refused)
    assert (refusal.value.code, refusal.value.rule, refusal.value.text) == (code, rule, refused)
    assert state == before


def test_a_misread_throw_says_who_throws_what() -> None:
    asks = r"the defender throws as the referee; expected here: referee white, referee black \(notation\)"
    with pytest.raises(bolzplatz.IllegalActionError, match=asks):
        new_state().play("foul", "pass")


def random_states(seed: int, count: int, **options: Any) -> Iterator[bolzplatz.State]:
    rng = random.Random(seed)
    game = bolzplatz.load_game("bar-bolz", **options)
    for _ in range(count):
        state = game.new_initial_state()
        yield state
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            yield state


@pytest.mark.parametrize("options", [{}, {"penalty_optional": False}, {"teams": "2v1"}])
def test_refusal_is_silent_exactly_where_the_answer_is_legal(options: dict[str, Any]) -> None:
    reasons = set()
    for state in random_states(3, 3, **options):
        rules, data, setup = state.game.rules, state.masked(None), state.game.setup
        for seat in range(state.game.num_players):
            legal = state.legal_actions(seat)
            for action in range(-1, state.game.num_actions + 1):
                code = rules.refusal(data, setup, seat, action)
                assert (code == 0) == (action in legal)
                reasons.add(GAME.refusals[code].name)
    out_of_reach = {"must_take"} if options.get("penalty_optional", True) else set()
    expected = {reason.name for reason in GAME.refusals} - out_of_reach
    assert reasons == expected


# --- options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named", "reason", "ruling"),
    [
        ({"black_faces": "10,foul"}, "black_faces", "5 is black", "B-1"),
        ({"black_faces": "5,through_pass"}, "black_faces", "through pass is white", "B-1"),
        ({"black_faces": "5,foul,foul"}, "black_faces", "named twice", "B-1"),
        ({"black_faces": "5/5/5"}, "black_faces", "two dice", "B-2"),
        ({"black_faces": "5,corner"}, "black_faces", "'corner' is no face", "§11"),
        ({"teams": "1v1"}, "teams", "three players", "§9"),
        ({"teams": "3v9"}, "teams", "from 1 to 8", "§9"),
        ({"teams": "2v2", "series": 5}, "teams", "no series", "§9"),
        ({"teams": "3v2", "allow_uneven": False}, "teams", "differ in size", "§9"),
        ({"schedule": "0v1,0v1"}, "schedule", "belongs to team play", "B-16"),
        ({"decider": "0v1"}, "decider", "belongs to team play", "B-19"),
        ({"teams": "2v1", "schedule": "0v2,1v2"}, "schedule", "3 players play 3 matches, not 2", "B-16"),
        ({"teams": "2v1", "schedule": "0v2,1v2,0v1"}, "schedule", "'0v1' must name", "B-16"),
        ({"teams": "2v1", "schedule": "0v2,1v2,x"}, "schedule", "'x' is no pair", "B-16"),
        ({"teams": "2v1", "decider": "0v3"}, "decider", "'0v3' must name", "B-19"),
        ({"series": 7}, "series", "allowed: 1, 3, 5", "B-15"),
    ],
)
def test_refused_options_say_why(options: dict[str, Any], named: str, reason: str, ruling: str) -> None:
    with pytest.raises(bolzplatz.OptionError) as refusal:
        bolzplatz.load_game("bar-bolz", **options)
    message = str(refusal.value)
    assert f"option {named} is {options[named]!r}" in message
    assert reason in message
    assert ruling in message


def test_options_read_as_people_write_them() -> None:
    state = new_state(teams="2v2", black_faces="5, offside / penalty, 5", schedule="2v0, 3v1, 0v3, 1v2", decider="3v0")
    view = shown(state)
    assert view["black_faces"] == [["5", "offside"], ["5", "penalty"]]
    assert view["pairings"] == [[0, 2], [1, 3], [0, 3], [1, 2]]
    assert view["decider"] == [0, 3]
    assert new_state(allow_uneven=False).game.num_players == 2


def test_every_schedule_is_fair_and_varied() -> None:  # B-16
    for a in range(1, 9):
        for b in range(1, 9):
            schedule = default_schedule(a, b)
            assert len(schedule) == a + b
            assert len(set(schedule)) == min(a * b, a + b), "pairs repeat although other ones are left"
            for side, seats in ((0, range(a)), (1, range(a, a + b))):
                turns = [[pair[side] for pair in schedule].count(seat) for seat in seats]
                assert sum(turns) == a + b
                assert max(turns) - min(turns) <= 1


# --- properties of whole games --------------------------------------------------------------------------------------


class DiceUsedUp(Exception):  # noqa: N818
    """The oracle needs a throw or an answer that is not there."""


class Script:
    """Faces and answers in the order in which they are asked for."""

    def __init__(self, faces: list[str], answers: list[bool]) -> None:
        self._faces, self._answers = iter(faces), iter(answers)
        self.thrown = 0

    def throw(self) -> str:
        for face in self._faces:
            self.thrown += 1
            return face
        raise DiceUsedUp

    def takes(self) -> bool:
        for answer in self._answers:
            return answer
        raise DiceUsedUp


def oracle_attack(script: Script, own_black: set[str], referee_black: set[str]) -> bool:
    """Play one attack from the dice: whether it ends in a goal."""
    total = fouls = 0
    while True:
        face = script.throw()
        if face in WORTH:
            total += WORTH[face]
            if total >= 50:
                return total == 50
        elif face == "foul":
            fouls += 1
            if fouls == 3 or script.throw() in referee_black:
                return False
        elif total >= 30 and face == "offside":
            return False
        elif total >= 30 and script.takes():
            return script.throw() in own_black


long_games = st.integers(0, 10**6).map(lambda seed: random.Random(seed).choices(FACES, k=400))
dice_sets = st.sets(st.sampled_from(["10", "foul", "offside", "penalty"])).map(lambda faces: {"5"} | faces)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.sampled_from(FACES), max_size=60) | long_games,
    st.lists(st.booleans(), max_size=20) | st.just([True] * 400),
    dice_sets,
    dice_sets,
)
def test_a_match_agrees_with_the_oracle_throw_by_throw(
    faces: list[str], answers: list[bool], black_a: set[str], black_b: set[str]
) -> None:
    script, black = Script(faces, answers), (black_a, black_b)
    goals, attacker = [0, 0], 0
    try:
        while max(goals) < 2:
            goals[attacker] += oracle_attack(script, black[attacker], black[1 - attacker])
            attacker = 1 - attacker
    except DiceUsedUp:
        pass

    state = new_state(black_faces=f"{','.join(sorted(black_a))}/{','.join(sorted(black_b))}")
    mirror = Script(faces, answers)
    try:
        while not state.is_terminal():
            if state.current_player() >= 0:
                state.play("take" if mirror.takes() else "decline")
            else:
                state.apply_action(outcome_of_faces(state, [FACES.index(mirror.throw())]).outcome)
    except DiceUsedUp:
        pass

    assert state.scores() == goals
    assert mirror.thrown == script.thrown
    assert state.is_terminal() == (max(goals) == 2)
    if state.is_terminal():
        assert sorted(goals) in ([0, 2], [1, 2])
        assert state.returns() == ([1.0, -1.0] if goals[0] == 2 else [-1.0, 1.0])
    else:
        assert shown(state)["attacker"] == attacker


def test_counters_start_afresh_in_every_attack() -> None:
    fresh = {"points": 0, "fouls": 0, "card": "none", "danger": False}
    changes = 0
    for state in random_states(5, 4, series=3):
        events = state.events()
        if events and events[-1].kind in ("attack_changes", "match_starts"):
            changes += 1
            assert {key: shown(state)[key] for key in fresh} == fresh
    assert changes > 50


results = st.tuples(st.integers(0, 1), st.integers(0, 1))


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 8),
    st.integers(1, 8),
    st.sampled_from(["alternate", "loser", "winner", "same"]),
    st.lists(results, min_size=17, max_size=17),
)
def test_team_play_agrees_with_a_score_sheet(a: int, b: int, starter: str, sheet: list[tuple[int, int]]) -> None:
    if a + b < 3:
        b = 2
    state = new_state(teams=f"{a}v{b}", next_starter=starter)
    points, goals, previous, matches = [0, 0], [0, 0], None, 0
    while not state.is_terminal():
        winner, loser_goals = sheet[matches]
        if previous is None or starter == "same":
            first = 0
        else:
            first = {"alternate": matches % 2, "loser": 1 - previous, "winner": previous}[starter]
        i = matches
        pair = [0, a] if matches == a + b else [i % a, a + (i + i // math.lcm(a, b)) % b]
        assert [shown(state)["attacker"], shown(state)["defender"]] == (pair if first == 0 else pair[::-1])
        state.play(*match_moves(first, winner, loser_goals))
        previous, matches = winner, matches + 1
        points[winner] += 1
        goals[winner] += 2
        goals[1 - winner] += loser_goals
        assert (shown(state)["won"], shown(state)["team_goals"]) == (points, goals)
        level = points[0] == points[1] and goals[0] == goals[1]
        assert state.is_terminal() == (matches > a + b or (matches == a + b and not level))
    best = max((0, 1), key=lambda side: (points[side], goals[side]))
    sizes = (a, b)
    assert state.scores() == [points[0]] * a + [points[1]] * b
    assert state.returns() == [
        1 / sizes[side] if side == best else -1 / sizes[side] for side in (0, 1) for _ in range(sizes[side])
    ]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([3, 5]), st.booleans(), st.lists(results, min_size=5, max_size=5))
def test_a_series_has_the_same_winner_whether_it_is_played_to_the_end_or_not(
    length: int, stop: bool, sheet: list[tuple[int, int]]
) -> None:
    state = new_state(series=length, stop_when_decided=stop)
    won, played = [0, 0], 0
    while not state.is_terminal():
        winner, loser_goals = sheet[played]
        state.play(*match_moves(played % 2, winner, loser_goals))
        played += 1
        won[winner] += 1
    full = [winner for winner, _ in sheet[:length]]
    assert (state.returns()[1] > 0) == (sum(full) > length / 2)
    assert state.scores() == won
    assert (max(won) == length // 2 + 1) if stop else (played == length)


# --- what people and programs read ----------------------------------------------------------------------------------


def test_the_page_is_told_what_each_throw_would_bring() -> None:
    def outcomes(*moves: str) -> dict[str, str]:
        return {throw: kinds[-1 if throw == "foul" else 1] if len(kinds) > 1 else "points"
                for throw, kinds in shown(new_state().play(*moves))["outcomes"].items()}  # fmt: skip

    assert outcomes("pass", "5") == {
        "5": "points", "10": "points", "pass": "points",
        "foul": "foul", "offside": "offside_ignored", "penalty": "penalty_ignored",
    }  # fmt: skip
    assert outcomes("pass", "pass", "foul", "referee white") == {
        "5": "points", "10": "goal", "pass": "past_goal",
        "foul": "foul", "offside": "offside", "penalty": "penalty_offered",
    }  # fmt: skip
    third = shown(new_state().play("foul", "referee white", "foul", "referee white"))
    assert "red_card" in third["outcomes"]["foul"]
    assert shown(new_state().play("foul"))["outcomes"] == {
        "referee white": ["referee_rolled", "warning"],
        "referee black": ["referee_rolled", "red_card", "attack_over", "attack_changes"],
    }
    assert shown(new_state().play("pass", "10", "penalty"))["outcomes"] == {}


def test_looking_ahead_for_the_page_leaves_the_state_alone() -> None:
    state = new_state().play("pass", "10")
    before = (state.key(), len(state.events()))
    state.view(0)
    assert (state.key(), len(state.events())) == before


def test_the_page_is_told_what_comes_next() -> None:
    state = new_state()
    seen = [shown(state)["next"]]
    for move in ("foul", "referee white", "pass", "10", "penalty", "take", "shot white"):
        seen.append(shown(state.play(move))["next"])
    assert seen == ["attack_roll", "referee_roll", "attack_roll", "attack_roll", "attack_roll", "penalty_choice",
                    "penalty_shot", "attack_roll"]  # fmt: skip
    assert shown(new_state().play("pass", "5"))["danger"] is False
    assert shown(new_state().play("pass", "10"))["danger"] is True


def test_board_of_an_attack() -> None:
    state = new_state().play(*SCORE, "pass", "foul", "referee white", "5")
    assert str(state).splitlines() == [
        "Bar-Bolz-Bande",
        "  seat 0  [o.]  1 goal",
        "> seat 1  [..]  0 goals",
        "  0 [=====|....] 50  25 points",
        "  fouls: 1, card: warning",
        "  seat 1 attacks and throws",
    ]


@pytest.mark.parametrize(
    ("options", "moves", "lines"),
    [
        ({"series": 3}, match_moves(0, 0, 1), ["match 2 of 3 (won 1:0)", "> seat 1", "seat 1 attacks"]),
        ({"teams": "2v1"}, match_moves(0, 1, 1), ["match 2 of 3 (points 0:1, goals 1:2)", "> seat 2 (team B)"]),
        ({"teams": "2v2"}, [m for i in range(4) for m in match_moves(i % 2, i % 2, 0)], ["decider (points 2:2"]),
        ({"teams": "2v1"}, [m for i in range(3) for m in match_moves(i % 2, 1, 0)], ["team B wins"]),
        ({}, ["foul"], ["seat 1 throws as the referee"]),
        ({}, ["pass", "10", "penalty"], ["seat 0: take or decline", "=|"]),
        ({"penalty_optional": False}, ["pass", "10", "penalty"], ["seat 0: take"]),
        ({}, ["pass", "10", "penalty", "take"], ["seat 0 shoots the penalty"]),
        ({}, match_moves(0, 1, 0), ["seat 1 wins", "[oo]  2 goals"]),
    ],
)
def test_board_says_what_happens(options: dict[str, Any], moves: list[str], lines: list[str]) -> None:
    board = str(new_state(**options).play(*moves))
    for line in lines:
        assert line in board


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_complete(language: str) -> None:
    texts = game_texts("bar-bolz", language)
    assert set(texts.events) == {kind.name for kind in GAME.events}
    assert set(texts.refusals) == {refusal.name for refusal in GAME.refusals}
    for kind in GAME.events:
        places = {place for _, place, _, _ in string.Formatter().parse(texts.events[kind.name]) if place}
        assert places <= {"name", *(arg.name for arg in kind.args)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("options", [{"series": 3}, {"teams": "2v2", "decider": "1v3"}, {"teams": "1v2"}])
def test_every_log_can_be_told(language: str, options: dict[str, Any]) -> None:
    texts = game_texts("bar-bolz", language)
    names = ["Mia", "Ben", "Zoé", "Max"]
    # Four wins in turn, each 2:0, lead a contest of two against two into its decider.
    even = [m for i in range(4) for m in match_moves(i % 2, i % 2, 0)] if options.get("teams") == "2v2" else []
    state = new_state(**options).play(*even)
    rng = random.Random(11)
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    for event in state.events():
        sentence = event_text(texts, event.to_dict(), names)
        assert not set(sentence) & set("{}_")
        unexplained = {v for v in event.data.values() if isinstance(v, str)} - set(texts.words)
        assert not unexplained
        if event.seat is not None:
            assert names[event.seat] in sentence


def test_a_sentence_in_each_language() -> None:
    state = new_state().play("pass", "foul", "referee white")
    told_in = {
        language: [event_text(game_texts("bar-bolz", language), e.to_dict(), ["Mia", "Ben"]) for e in state.events()]
        for language in LANGUAGES
    }
    assert told_in["de"] == [
        "Mia würfelt einen Steilpass. Punkte: 20.",
        "Mia würfelt ein Foul. Punkte: 20.",
        "Foul Nummer 1 von Mia in diesem Angriff.",
        "Ben ist Schiedsrichter und würfelt eine helle Seite.",
        "Ermahnung für Mia. Der Angriff geht weiter.",
    ]
    assert told_in["en"][0] == "Mia throws a through pass. Points: 20."
    assert told_in["fr"][3] == "Ben fait l’arbitre et obtient une face claire."


# --- computer players -----------------------------------------------------------------------------------------------


def choices(level: str, **options: Any) -> set[str]:
    state = new_state(**options).play("pass", "10", "penalty")
    rng = FastStream(seed=4).rng
    legal = state.legal_actions()
    number = bots.LEVELS.index(level)
    return {
        state.action_to_string(bots.choose(number, state.masked(0), state.game.setup, 0, legal, len(legal), rng))
        for _ in range(40)
    }


def test_levels() -> None:
    assert bots.LEVELS == ("random", "child", "casual", "adult", "keen", "good", "optimal")
    assert choices("random") == {"take", "decline"}
    assert choices("child") == {"decline"}
    assert choices("good") == {"take"}


@pytest.mark.parametrize("level", bots.LEVELS)
def test_all_levels_take_where_they_must(level: str) -> None:
    assert choices(level, penalty_optional=False) == {"take"}
