"""The strong player of Dribbel-Fieber, the search that it thinks with at the table, and the ladder of levels."""

import json
import math
import random
import statistics
from collections import Counter
from fractions import Fraction

import pytest
from benchmarks import ladder

import bolzplatz
from bolzplatz.bots import dribbel_fieber_tree as tree
from bolzplatz.bots import levels, pick_action
from bolzplatz.bots.dribbel_fieber_tree import CELLS, CHANCES, POINTS, chance_to_win
from bolzplatz.bots.dribbel_fieber_worth import FITTED, PLAIN, ball_worth, places_worth
from bolzplatz.bots.search import Budget
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream, start_stream
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, SPACES
from tests.test_dribbel_fieber import SHOT_TABLE, position

FEW = Budget(iterations=40)


@pytest.fixture(scope="module")
def game() -> bolzplatz.Game:
    return bolzplatz.load_game("dribbel-fieber")


def some_decisions(game: bolzplatz.Game, count: int) -> list[bolzplatz.State]:
    """Decisions of all kinds out of random matches."""
    luck, found, match = random.Random(2), [], 0
    while len(found) < count:
        state, chance = game.new_initial_state(), FastDriver(8, match)
        match += 1
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.draw(state).outcome)
                continue
            actions = state.legal_actions()
            if len(actions) > 1 and luck.random() < 0.05:
                found.append(state.clone())
            state.apply_action(luck.choice(actions))
    return found[:count]


def test_the_strong_player_sees_views_only_and_repeats_itself(game):
    """Whatever the hidden cards are, and however often it is asked, the same stream gives the same action."""
    for number, state in enumerate(some_decisions(game, 12)):
        seat = state.current_player()
        others = [state, state, *(state.resample(seat, FastStream(n)) for n in range(2))]
        chosen = {pick_action(game, other, seat, "strong", FastStream(number), FEW) for other in others}
        assert len(chosen) == 1
        assert chosen <= set(state.legal_actions())


def test_the_search_disturbs_nothing_and_ends_in_time(game):
    state = some_decisions(game, 1)[0]
    before = state.clone()
    assert pick_action(game, state, state.current_player(), "strong", FastStream(1), Budget(seconds=0.0)) >= 0
    assert state == before


@pytest.mark.parametrize("ball", ["c7", "c5"])
def test_in_the_last_turn_the_strong_player_takes_the_best_chance(game, ball):
    """Level before the last shot of the match: nothing but the chance of a goal counts."""
    blue = ["c8", "d6", "c6", "b6", "c6"]
    state = position(game, ["c1", "b3", "c4", ball, ball], blue, ball, volleys=2, turn=12)
    assert len(state.legal_actions()) >= 6
    chances = {}
    for action in state.legal_actions():
        after = state.clone()
        after.apply_action(action)
        shot = after.view()["shown"]["shot"]
        chances[action] = Fraction(SHOT_TABLE[shot["value"]][0], 6) if after.is_chance_node() else Fraction(0)
    chosen = pick_action(game, state, 0, "strong", FastStream(3), Budget(iterations=200))
    assert chances[chosen] == max(chances.values())


def test_in_mass_play_a_decision_takes_one_number_of_the_stream(monkeypatch):
    """Its trees draw from streams of their own, and the luck of the match goes on as if they had not."""
    monkeypatch.setattr(tree, "plant", lambda *_: None)
    monkeypatch.setattr(tree, "think", lambda _v, _o, _seat, _work, rng, seed, _count: start_stream(rng, seed, 1))
    monkeypatch.setattr(tree, "verdict", lambda *_: 7)
    stream, other = FastStream(5), FastStream(5)
    assert tree.strong_choice(None, None, 0, [0] * tree.TREE_END, 2, stream.rng) == 7
    other.below(2)
    assert stream.rng == other.rng


def test_chances_to_win():
    """At the end the result stands; before it, a lead is worth the more the fewer turns are left."""
    assert [chance_to_win(0, ahead, 900) for ahead in (-1, 0, 1)] == [0, POINTS // 2, POINTS]
    for left in range(1, 13):
        for ahead in range(4):
            lead, behind = chance_to_win(left, ahead, 100), chance_to_win(left, -ahead, -100)
            assert abs(lead + behind - POINTS) <= 2
        assert chance_to_win(left, 1, 0) > chance_to_win(min(12, left + 1), 1, 0) - (left == 12)
    assert len(CHANCES) == 13 * CELLS


@pytest.mark.parametrize("eyes", [PLAIN, FITTED])
def test_eyes_see_both_wings_and_both_sides_alike(game, eyes):
    """Mirrored from wing to wing, or turned with the sides changed, a position is worth the same to who moves next."""
    luck, seen = random.Random(3), set()
    view = game.new_initial_state().masked(None)
    for _ in range(30):
        where, ball = [luck.randrange(SPACES) for _ in range(10)], luck.randrange(SPACES)
        found = []
        for mirror in (False, True):
            for mover in (0, 1):
                spaces = [
                    space // COLUMNS * COLUMNS + 4 - space % COLUMNS if mirror else space for space in (*where, ball)
                ]
                if mover == 1:
                    spaces = [SPACES - 1 - space for space in (*spaces[5:10], *spaces[:5], spaces[10])]
                view.where[:], view.ball = spaces[:10], spaces[10]
                found.append(places_worth(view, game.setup, mover, eyes) + ball_worth(view, game.setup, mover, eyes))
        assert len(set(found)) == 1
        seen.add(found[0])
    assert len(seen) > 5


# --- the ladder ---------------------------------------------------------------------------------------------------


def test_ten_pairs_of_each_rung(game):
    """Only that nothing breaks: how strong they are, `make bench-ladder` says."""
    for weak, strong in zip(levels(game.name), levels(game.name)[1:], strict=False):
        counts, seconds = ladder.play_pairs(game, strong, weak, 0, 10, iterations=8)
        assert sum(counts) == 10
        assert seconds > 0


def test_shares_and_evidence_of_a_rung():
    results = [0.0] * 3 + [0.25] * 5 + [0.5] * 20 + [0.75] * 30 + [1.0] * 42
    rung = ladder.new_rung("strong", "weak", "", [3, 5, 20, 30, 42])
    assert math.isclose(rung.mean, statistics.fmean(results))
    assert math.isclose(rung.variance, statistics.pvariance(results), rel_tol=0.02)
    low, high = (statistics.NormalDist(mean, rung.variance**0.5) for mean in (ladder.LOW, ladder.HIGH))
    ratio = sum(math.log(high.pdf(x) / low.pdf(x)) for x in results)
    assert math.isclose(rung.evidence, ratio)
    assert rung.verdict == "yes"
    assert ladder.new_rung("strong", "weak", "", [30, 20, 30, 10, 10]).verdict == "no"
    assert ladder.new_rung("strong", "weak", "", [0, 0, 0, 0, 9]).verdict == "open"


def test_the_ladder_goes_on_where_it_stopped(tmp_path, monkeypatch):
    """What is in the file counts, as long as players and rules are the same."""
    played = Counter()

    def play(game, strong, weak, first, pairs, iterations=0):
        played[strong] += pairs
        return ([0, 0, pairs, 0, 0] if pairs else [0] * 5), 0.5

    monkeypatch.setattr(ladder, "play_pairs", play)
    game, file = bolzplatz.load_game("bar-bolz"), tmp_path / "ladder.json"
    names, done = ("random", "child", "good"), ladder.read_results(file)
    rungs = ladder.rungs_of(game, done, names)
    assert [(rung.strong, rung.weak, rung.pairs) for rung in rungs] == [("child", "random", 0), ("good", "child", 0)]
    steps = ladder.climb(game, rungs[0], 2, math.inf, 100)
    next(steps)
    ladder.keep_rungs(file, done, game.name, rungs)
    again = ladder.rungs_of(game, ladder.read_results(file), names)
    assert [rung.pairs for rung in again] == [2, 0]
    assert sum(played.values()) == 2
    kept = json.loads(file.read_text())
    kept[game.name][0]["digest"] = "older players"
    file.write_text(json.dumps(kept))
    assert [rung.pairs for rung in ladder.rungs_of(game, ladder.read_results(file), names)] == [0, 0]
