"""Graded players: what their decisions cost, how likely they slip, and that a better level wins more often."""

import itertools
import math
from collections import Counter

import pytest

from bolzplatz import load_game
from bolzplatz.bots import levels, memory_of
from bolzplatz.bots.fifty_fifty import KNOBS
from bolzplatz.bots.graded import FULL, GIVEN_AWAY, GRADED, knob, weight_of
from bolzplatz.core.fast import FastStream
from bolzplatz.simulate import simulate
from bolzplatz.simulate.bench import pairs_of
from bolzplatz.simulate.grading import mean_loss, player_of
from bolzplatz.solve import move_chances, solve
from bolzplatz.solve.turn_kernels import ONE


def test_the_levels_stand_between_a_child_and_best_play():
    for name in ("bar-bolz", "5050"):
        known = levels(name)
        assert [known.index(level) for level in ("child", *GRADED, "optimal")] == sorted(
            known.index(level) for level in ("child", *GRADED, "optimal")
        )
        assert list(GIVEN_AWAY[name]) == list(GRADED)
        assert list(GIVEN_AWAY[name].values()) == sorted(GIVEN_AWAY[name].values(), reverse=True)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.2])
def test_weights_fall_exponentially(share):
    """One knob given away means 1/e of the weight of a best move."""
    for level in (0.004, 0.05):
        exact = FULL * math.exp(-share / level)
        assert abs(weight_of(round(share * ONE), knob(level)) - exact) < FULL * 0.016 + 1


def test_a_choice_is_drawn_as_softmax_on_exact_values():
    """The share of each move, against exp(-loss / knob) worked out from the solution in floats."""
    game = load_game("5050", target=500)
    state = game.new_initial_state().play("throw 112455")
    solution, draws = solve(game), 4000
    chances = move_chances(solution, state)
    stream, choose = FastStream(5), player_of(game, "casual")
    chosen = Counter(choose(state, 0, stream) for _ in range(draws))
    best = max(chances.values())
    weights = {action: math.exp(-(best - chance) / (KNOBS[0] / ONE)) for action, chance in chances.items()}
    for action, weight in weights.items():
        share = weight / sum(weights.values())
        assert abs(chosen[action] / draws - share) < 4 * math.sqrt(share * (1 - share) / draws) + 0.01


@pytest.mark.parametrize("level", GRADED)
def test_a_decision_costs_what_the_level_says_in_bar_bolz(level):
    mean, error = mean_loss(solve(load_game("bar-bolz")), level, matches=700, seed=11)
    assert abs(mean - GIVEN_AWAY["bar-bolz"][level]) < 4 * error
    assert error < 0.25 * GIVEN_AWAY["bar-bolz"][level]


@pytest.mark.long
@pytest.mark.parametrize("level", GRADED)
def test_a_decision_costs_what_the_level_says_in_5050(level):
    mean, error = mean_loss(solve(load_game("5050")), level, matches=300, seed=11)
    assert abs(mean - GIVEN_AWAY["5050"][level]) < 0.05 * GIVEN_AWAY["5050"][level] + 3 * error


def test_a_better_level_wins_more_often():
    """Points against best play rise from level to level, with the same dice for all of them."""
    game = load_game("5050", target=1000)
    memory_of(game, ("optimal",))
    points = []
    for level in ("random", "child", *GRADED):
        counts, _ = pairs_of(game, level, "optimal", seed=3)(0, 500)
        points.append(sum(i * count for i, count in enumerate(counts)) / (4 * sum(counts)))
    doubt = 2 * (0.05 / 500) ** 0.5
    """Of a difference: nearly all pairs of good players end level."""
    assert all(better > worse - doubt for worse, better in itertools.pairwise(points))
    assert points[0] < points[1] < points[2] < points[-1]
    assert points[-1] < 0.5 + doubt


def test_graded_players_play_in_mass():
    result = simulate(load_game("bar-bolz", black_faces="5"), ["casual", "keen"], matches=400, seed=2)
    assert result.unfinished == 0
