"""What is solved of Dribbel-Fieber, against the rulebook's numbers and plain search over the interpreted rules."""

import json
import random
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import bolzplatz
from bolzplatz import CHANCE
from bolzplatz.bots.search import Budget
from bolzplatz.cli.main import main
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.errors import RecordError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.record import HAND_DICE, record_of, write_record
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.games.dribbel_fieber.state import KICK, SHOT, TURNS
from bolzplatz.solve import SolveError, move_chances
from bolzplatz.solve.coach import analyse
from bolzplatz.solve.dribbel_fieber import DribbelFieber, LastTurns, last_kick_offs, shot_table, value_shots
from bolzplatz.solve.graph import Graph
from bolzplatz.solve.solution import final_chances
from bolzplatz.solve.subgames import known_from, sub_games
from bolzplatz.table.coaching import READY, Coach, _exact, _worked_out
from bolzplatz.table.why import reason
from bolzplatz.web.language import catalogue
from tests.test_cli import answer
from tests.test_dribbel_fieber import AWAY, HOME_BLUE, HOME_RED, PHASES, position

KINDS, CARDS = 5, 17
NAME = "dribbel-fieber"


@pytest.fixture(scope="module")
def game() -> bolzplatz.Game:
    return bolzplatz.load_game(NAME)


# --- shot sequences -----------------------------------------------------------------------------------------------


def goal_and_bounce(value: int) -> tuple[Fraction, Fraction]:
    """A die above the shot value is a goal, the same number a bounce-back."""
    return Fraction(max(0, 6 - value), 6), Fraction(int(value <= 6), 6)


@cache
def alone(short: int, volleys: int, again: Fraction) -> Fraction:
    """The best chance of a lone shooter to whom every bounce-back comes back with the chance `again`."""
    found = []
    for spent in range(volleys + 1):
        goal, bounce = goal_and_bounce(max(1, short - spent))
        if spent:
            found.append(goal + bounce * again * alone(short, volleys - spent, again))
        else:  # the same shot again, and again: a geometric series
            found.append(goal / (1 - bounce * again))
    return max(found)


def test_shot_table(game):
    """One colour of six brings the ball back to who stands alone in the area; from outside it is lost."""
    table = shot_table(game)
    assert sorted(table["alone_in_the_area"]) == [1, 2, 3, 4, 5, 6]
    assert sorted(table["outside_the_area"]) == [1, 2, 3, 4, 5, 6, 7, 8]
    for where, again in (("alone_in_the_area", Fraction(1, 6)), ("outside_the_area", Fraction(0))):
        for value, row in table[where].items():
            assert row == {volleys: alone(value, volleys, again) for volleys in range(5)}


@pytest.mark.parametrize(("volleys", "best", "goal"), [(0, "shoot 5", (24, 35)), (1, "shoot 5 volley 1", (179, 210))])
def test_the_best_shot_and_its_chance(game, volleys, best, goal):
    """Shot value 2 from c7 with the attack value of 3: 4/6 + 1/36 of the same again; a volley makes it 1."""
    state = position(game, ["c1", *AWAY[:3], "c7"], ["c8", "a8", *AWAY[:3]], "c7", volleys=volleys)
    found = value_shots(state)
    assert found.goal == Fraction(*goal)
    assert state.action_to_string(found.best()[0]) == best


def crowded(game: bolzplatz.Game, luck: random.Random, volleys: int) -> bolzplatz.State:
    """A shot with figures of both sides anywhere in and around the penalty area."""
    spaces = [column + row for column in "bcd" for row in "678"]
    while True:
        red, blue = ([luck.choice(spaces) for _ in range(5)] for _ in range(2))
        if all(side.count(space) <= 2 for side in (red, blue) for space in side):
            return position(game, red, blue, luck.choice(red), volleys=volleys)


def sequence_by_iteration(state: bolzplatz.State) -> float:
    """The chance of a goal by value iteration: shots counted by hand, from the words of the rules."""
    game, s = state.game, state._data
    columns, goal, area = "abcde", "c8", {"b7", "c7", "d7", "b8", "c8", "d8"}
    names = [f"{c}{r}" for r in range(1, 9) for c in columns]
    red, blue = [names[i] for i in s.where[:5]], [names[i] for i in s.where[5:]]
    most = sum(place == 5 for place in s.poldi)

    def short(figure: int, space: str) -> int:
        defence = 7 if blue[0] == goal or (blue[0] == space and space in area) else 0
        return defence + blue[1:].count(space) - [1, 1, 2, 2, 3][figure] - (int(space[1]) - 5)

    values = {(space, v): 0.0 for space in {*area, names[s.ball]} for v in range(most + 1)}
    for _ in range(60):
        loose = [sum(values[space, v] for space in area) / 6 for v in range(most + 1)]
        for space, v in values:
            found = [0.0]
            for figure, spent in ((f, n) for f in range(5) if red[f] == space for n in range(v + 1)):
                scored, bounced = goal_and_bounce(max(1, short(figure, space) - spent))
                found.append(float(scored) + float(bounced) * loose[v - spent])
            values[space, v] = max(found)
    assert game.setup.attack == [1, 1, 2, 2, 3]
    return values[names[s.ball], most]


@pytest.mark.parametrize("seed", range(6))
def test_shots_that_come_back_to_many(game, seed):
    luck = random.Random(seed)
    state = crowded(game, luck, seed % 4)
    assert abs(float(value_shots(state).goal) - sequence_by_iteration(state)) < 1e-12


def test_shots_while_the_die_and_the_colour_are_awaited(game):
    state = position(game, ["c1", *AWAY[:3], "c7"], ["c8", "a8", *AWAY[:3]], "c7").play("shoot 5")
    rolled = value_shots(state)
    assert (rolled.goal, rolled.moves) == (Fraction(24, 35), {})
    assert value_shots(state.play("die 2")).goal == Fraction(1, 6) * Fraction(24, 35)
    with pytest.raises(SolveError):
        value_shots(position(game, HOME_RED, HOME_BLUE, "c4", phase="free"))


# --- the last turn: plain search over the interpreted rules --------------------------------------------------------


class Search:
    """The chance of a goal by recursion over positions as the rules leave them, until the ball is shot."""

    def __init__(self, game: bolzplatz.Game) -> None:
        self.game, self.values = game, dict[Any, float]()

    def value(self, s: Any) -> float:
        if s.phase == SHOT:
            return sequence_by_hand(self.game, s)
        key = self.game.layout.key(s)
        if key not in self.values:
            self.values[key] = self.work_out(s)
        return self.values[key]

    def work_out(self, s: Any) -> float:
        rules, setup = self.game.rules, self.game.setup
        player = rules.player_to_act(s, setup)
        if player == CHANCE:
            weights = [rules.chance_weight(s, setup, i) for i in range(rules.chance_count(s, setup))]
            likely = [(i, weight / sum(weights)) for i, weight in enumerate(weights) if weight]
            return sum(chance * self.after(s, i) for i, chance in likely)
        out = [0] * self.game.num_actions
        return max(self.after(s, action) for action in out[: rules.legal(s, setup, player, out)])

    def after(self, s: Any, move: int) -> float:
        after = self.game.layout.copy(s)
        self.game.rules.apply(after, self.game.setup, move, None)
        return self.value(after)


def sequence_by_hand(game: bolzplatz.Game, s: Any) -> float:
    """Red's shot sequence, nothing where it may not shoot."""
    if s.ball < 20 or s.ball not in s.where[:5]:
        return 0.0
    return sequence_by_iteration(bolzplatz.State(game, s))


def last_position(game: bolzplatz.Game, seed: int, cards: int) -> bolzplatz.State:
    """Red in its last turn, before its cards, with so many of them; the draw pile is nearly empty, a volley spent."""
    luck = random.Random(seed)
    red = luck.sample(["b5", "c5", "c6", "d6", "a5", "c6"], 3)
    blue = ["c8", *[luck.choice(["c6", "b6", "d7", "c7"]) for _ in range(2)], "a8", "e8"]
    hand = [luck.choice(["running", "dribbling", "short-pass"]) for _ in range(cards)]
    state = position(
        game, ["c1", *red, "a1"], blue, luck.choice(red), phase="cards", hand=hand, turn=TURNS, volleys=seed % 2,
        coins=(luck.randrange(4), 2),
    )  # fmt: skip
    s = state._data
    yellow = [i for i in range(12) if game.setup.action[KINDS + i] == 5]
    s.poldi[yellow[3]], s.discard[KINDS + yellow[3]] = 3, 1
    if luck.random() < 0.5:
        s.poldi[yellow[2]] = 1
    for kind in range(1, KINDS):  # what is left of the action cards lies on the discard pile, but for the runs
        s.discard[kind], s.pile[kind] = s.pile[kind], 0
    s.played = luck.randrange(2)
    return state


@pytest.mark.parametrize(("seed", "cards"), [(1, 1), (2, 1), (3, 1)])
def test_the_last_turn_against_plain_search(game, seed, cards):
    state = last_position(game, seed, cards)
    parts, search = DribbelFieber(game), Search(game)
    assert abs(parts.goal_chance(state) - search.value(state._data)) < 1e-12
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        assert abs(parts.goal_chance(after) - search.value(after._data)) < 1e-12


@pytest.mark.parametrize("phase", ["chase", pytest.param("free", marks=pytest.mark.long)])
def test_the_last_turn_from_its_beginning(game, phase):
    """A chase to a ball that nobody of red has, and a free action with it, before the one card."""
    state = last_position(game, 2, 1)
    s = state._data
    s.played, s.phase = 0, PHASES[phase]
    if phase == "chase":
        s.ball = next(space for space in (26, 28, 25, 29) if space not in s.where[:5])
    assert abs(DribbelFieber(game).goal_chance(state) - Search(game).value(s)) < 1e-12


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 14))
def test_the_last_turn_against_plain_search_at_length(game, seed):
    test_the_last_turn_against_plain_search(game, seed, 2)


def test_who_leads_and_by_how_much_says_what_a_goal_is_worth(game):
    """A goal wins at a draw, saves half a win at one behind, and is no use further behind; ahead all is won."""
    state = last_position(game, 1, 1)
    goal = DribbelFieber(game).goal_chance(state)
    assert 0 < goal < 1
    for goals, chance in (((2, 2), (1 + goal) / 2), ((1, 2), goal / 2), ((0, 2), 0), ((3, 2), 1)):
        state._data.goals = list(goals)
        mine, theirs = DribbelFieber(game).win_chances(state)
        assert abs(mine - chance) < 1e-12
        assert abs(mine + theirs - 1) < 1e-12


@pytest.mark.parametrize("seed", range(2))
def test_hidden_cards_have_no_part_in_it(game, seed):
    """The other hand and both draw piles dealt anew, as the seat must think possible: the same chances of each move."""
    state = last_position(game, seed, 2)
    known = move_chances(DribbelFieber(game), state)
    other = state.resample(0, FastStream(seed, 7))
    moved = state._data.hand != other._data.hand
    assert moved
    assert move_chances(DribbelFieber(game), other) == known
    strange = state.clone()
    strange._data.hand[CARDS:] = [0] * CARDS
    strange._data.pile[CARDS:] = [9] * CARDS
    assert move_chances(DribbelFieber(game), strange) == known


def test_blue_sees_its_last_turn_as_red_does(game):
    """The pitch turned around, sides changed: the same chances."""
    red = last_position(game, 3, 1)
    blue = red.clone()
    s = blue._data
    s.attacker = 1
    s.where = [39 - space for space in s.where[5:] + s.where[:5]]
    s.ball = 39 - s.ball
    for name in ("hand", "pile", "discard"):
        cards = getattr(s, name)
        setattr(s, name, cards[CARDS:] + cards[:CARDS])
    s.held.reverse()
    s.coins.reverse()
    s.poldi = [{3: 4, 4: 3, 5: 6, 6: 5}.get(place, place) for place in s.poldi]
    parts = DribbelFieber(game)
    assert abs(parts.goal_chance(blue) - parts.goal_chance(red)) < 1e-12
    assert abs(parts.win_chances(blue)[1] - parts.win_chances(red)[0]) < 1e-12


def test_the_goal_kick_before_is_aimed_at_the_best_turn(game):
    state = last_position(game, 2, 1)
    s = state._data
    s.phase, s.turn, s.attacker, s.colour, s.played = KICK, TURNS - 1, 1, 1, 0
    parts = DribbelFieber(game)
    after = []
    for action in state.legal_actions():
        kicked = state.clone()
        kicked.apply_action(action)
        assert kicked._data.turn == TURNS
        after.append(DribbelFieber(game).goal_chance(kicked))
    assert abs(parts.goal_chance(state) - max(after)) < 1e-12


def test_where_it_is_not_known(game):
    parts = sub_games(game)
    early = position(game, HOME_RED, HOME_BLUE, "c4", phase="free", turn=TURNS - 1)
    for state in (early, game.new_initial_state()):
        assert "last turn" in parts.refusal(state)
        with pytest.raises(SolveError):
            parts.win_chances(state)
    real = bolzplatz.load_game(NAME, deck="any")
    assert "counted" in sub_games(real).refusal(position(real, HOME_RED, HOME_BLUE, "c4", phase="free", turn=TURNS))
    assert sub_games(bolzplatz.load_game("5050")) is None


# --- the coach ----------------------------------------------------------------------------------------------------


def test_the_coach_knows_the_last_turn(game):
    """Exact chances without an error bar, to the seat that decides alone."""
    state = last_position(game, 2, 1)
    coach = Coach()
    coach.advice(state, [0])
    if coach._player is not None:
        coach._player.join(timeout=300)
    advice = coach.advice(state, [0])
    assert advice["state"] == READY
    assert coach.advice(state, [1])["state"] != READY
    known = move_chances(DribbelFieber(game), state)
    assert {move["move"]: move["chance"] for move in advice["moves"]} == {
        state.action_to_string(action): chance for action, chance in known.items()
    }
    assert all("error" not in move for move in advice["moves"])
    assert advice["prospects"]["goal"] == DribbelFieber(game).goal_chance(state)


@pytest.fixture
def searched(monkeypatch) -> list[Graph]:
    """All graphs of last turns that are begun."""
    begun = []

    class Noted(Graph):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            begun.append(self)

    monkeypatch.setattr("bolzplatz.solve.dribbel_fieber.Graph", Noted)
    return begun


def test_one_graph_answers_for_a_position_and_all_its_moves(game, searched):
    assert len(_exact(DribbelFieber(game), last_position(game, 2, 1))["moves"]) > 1
    assert len(searched) == 1


def test_graphs_of_all_editions_and_options_together_are_bounded(game, searched):
    turns = LastTurns()
    games = [game, *(bolzplatz.load_game(NAME, start_coins=coins) for coins in (0, 1))]
    for each in games:
        DribbelFieber(each, turns).goal_chance(last_position(each, 2, 1))
    assert len(searched) == 3
    DribbelFieber(games[2], turns).goal_chance(last_position(games[2], 2, 1))
    DribbelFieber(games[1], turns).goal_chance(last_position(games[1], 2, 1))
    assert len(searched) == 3, "two are kept"
    DribbelFieber(game, turns).goal_chance(last_position(game, 2, 1))
    assert len(searched) == 4
    DribbelFieber(games[1], turns).goal_chance(last_position(games[1], 2, 1))
    assert len(searched) == 4, "those that were asked for last"


def large_turn(game: bolzplatz.Game) -> bolzplatz.State:
    """A last turn with more than ten thousand positions."""
    red, blue = ["c1", "c5", "d5", "b6", "c6"], ["c8", "b5", "e5", "d6", "a6"]
    return position(game, red, blue, "c5", phase="free", turn=TURNS, hand=["running"] * 3)


def test_a_graph_has_room_for_the_most_positions_and_those_after_one_more(game, searched, monkeypatch):
    monkeypatch.setattr("bolzplatz.solve.dribbel_fieber.MOST_POSITIONS", 5000)
    parts = DribbelFieber(game)
    for _ in range(2):
        with pytest.raises(SolveError, match="more than 5,000 positions"):
            parts.goal_chance(large_turn(game))
    assert len(searched[0].rows) == 5000 + game.num_actions + game.max_chance_outcomes
    assert len(searched) == 1, "what was refused is not searched again"


def test_why_a_shot_is_better(game):
    """From c7 with attack 3 and the keeper at home: 6/7 with a volley now, 24/35 without one; the same in any turn."""
    for turn in (3, TURNS):
        state = position(game, ["c1", *AWAY[:3], "c7"], ["c8", "a8", *AWAY[:3]], "c7", volleys=1, turn=turn)
        solution = DribbelFieber(game) if turn == TURNS else None
        assert reason(solution, state, "shoot 5 volley 1", "shoot 5") == ("goals", {"goals": 85, "others": 69})
        assert reason(solution, state, "shoot 5", "shoot 5 volley 1") is None
    early = position(game, HOME_RED, HOME_BLUE, "c4", phase="free")
    assert reason(None, early, "stay", "free 2 b4") is None
    for language in LANGUAGES:
        assert "85" in catalogue(language)("why.dribbel-fieber.goals", goals=85, others=69)


def test_a_turn_with_too_many_positions_is_played_on(game, monkeypatch):
    """Cards of an own edition may lead everywhere."""
    monkeypatch.setattr("bolzplatz.solve.dribbel_fieber.MOST_POSITIONS", 10)
    state = large_turn(game)
    with pytest.raises(SolveError, match="more than 10 positions"):
        DribbelFieber(game).goal_chance(state)
    advice = _worked_out(state, Budget(iterations=1))
    assert advice["matches"] > 0
    assert "error" in advice["moves"][0]


@pytest.fixture(scope="module")
def match(game) -> bolzplatz.State:
    """A match of two who run at the ball and shoot whenever they may."""
    from bolzplatz.bots import pick_action

    state, driver, stream = game.new_initial_state(), FastDriver(31), FastStream(31, 1)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(driver.draw(state).outcome)
        else:
            state.apply_action(pick_action(game, state, state.current_player(), "child", stream))
    return state


def test_luck_and_losses_of_the_last_turn_add_up(game, match):
    moves = match.history()
    parts = sub_games(game)
    known = known_from(parts, moves)
    before = game.replay(moves[:known])
    assert (before._data.turn, before._data.phase == KICK) in ((TURNS, False), (TURNS - 1, True))
    found = analyse(parts, moves, known)
    for balance in found.balances:
        assert abs(balance.rest) < 1e-9
        assert balance.end == final_chances(match)[balance.seat]
    mover = found.balances[game.replay(moves[: known + 1])._data.attacker]
    assert min(abs(mover.luck), mover.own_losses) > 0.05, "this match had both"
    assert all(step.loss >= -1e-12 for step in found.steps)
    with pytest.raises(RecordError):
        known_from(parts, [*moves[:3], "nonsense"])


def test_the_command_tells_of_the_last_turn_and_of_all_shots(game, match, tmp_path):
    file = tmp_path / "match.bolz"
    file.write_text(write_record(record_of(match, ["Mia", "Otto"], HAND_DICE)), encoding="utf-8")
    found = json.loads(answer("coach", file, "--json"))
    taken = [event for event in match.events() if event.kind == "shoots"]
    assert [shot["move"].startswith("shoot") for shot in found["shots"]].count(True) == len(taken)
    assert all(0 <= shot["goal"] <= shot["best_goal"] < 1 for shot in found["shots"])
    assert found["steps"][-1]["number"] == match.move_number()
    told = answer("coach", file)
    assert "best play is not known before" in told
    assert "Shots with all that may bounce back" in told
    short = tmp_path / "short.bolz"
    short.write_text(
        write_record(record_of(game.replay(match.history()[:60]), ["Mia", "Otto"], HAND_DICE)), encoding="utf-8"
    )
    assert "does not come to that" in answer("coach", short)
    found = json.loads(answer("coach", short, "--json"))
    assert (found["game"], found["seats"]) == (NAME, ["Mia", "Otto"])
    assert "does not come to that" in found["refusal"]
    assert found["shots"]


def test_the_command_tells_of_shots_where_the_last_turn_has_too_many_positions(match, tmp_path, capsys, monkeypatch):
    """A chart is refused there, too."""
    monkeypatch.setattr("bolzplatz.table.afterwards.sub_games", DribbelFieber)
    monkeypatch.setattr("bolzplatz.solve.dribbel_fieber.MOST_POSITIONS", 10)
    file = tmp_path / "match.bolz"
    file.write_text(write_record(record_of(match, ["Mia", "Otto"], HAND_DICE)), encoding="utf-8")
    assert main(["coach", str(file)]) == 0
    told = capsys.readouterr().out
    assert "more than 10 positions" in told
    assert "Shots with all that may bounce back" in told
    assert main(["coach", str(file), "--plot", str(tmp_path / "match.svg")]) == 2
    said = capsys.readouterr()
    assert (said.out, list(tmp_path.iterdir())) == ("", [file])
    assert "no chart" in said.err


def test_the_command_prints_the_shot_table():
    """With uncounted cards there is no more to tell."""
    found = json.loads(answer("solve", NAME, "--set", "deck=any", "--json"))
    assert abs(found["goal_alone_in_the_area"]["shot value 2"]["volleys 0"] - 24 / 35) < 1e-12
    assert "68.571" in answer("solve", NAME, "--set", "deck=any")


def test_what_is_solved_in_parts_takes_no_long_run_and_has_no_chart(tmp_path, capsys):
    for name in (NAME, "wilde-kerle"):
        assert main(["solve", name, "--estimate"]) == 0
        assert "a minute at most" in capsys.readouterr().out
        assert main(["solve", name, "--plot", str(tmp_path / "best.svg")]) == 2
        said = capsys.readouterr()
        assert said.out == "", "it is refused before the work"
        assert f"{name}: no chart" in said.err


def test_last_kick_offs_are_all_hands(game):
    """Three of nine cards: 3 running, 2 dribbling, 2 short passes, a cross, a pressing."""
    shares = [share for share, _ in last_kick_offs(game)]
    assert sum(shares) == 1
    assert len(shares) == 23
    assert Fraction(1, 84) in shares  # three times running, or what is there once


@pytest.mark.long
def test_a_whole_last_turn_from_the_kick_off(game):
    """Hands without a run, which lead to fewer positions, by plain search; the mean over all hands, as the docs say."""
    for _, state in last_kick_offs(game):
        hand = state._data.hand
        if hand[0] == 0 and hand[3] == hand[4] == 1:
            assert abs(DribbelFieber(game).goal_chance(state) - Search(game).value(state._data)) < 1e-12
    facts = DribbelFieber(game).facts()
    assert abs(facts["goal_in_the_last_turn_after_a_kick_off"] - 0.25737) <= 5e-6
