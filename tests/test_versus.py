"""5050: what a player brings who does not look at the score, and how often best play beats one."""

import pytest

from bolzplatz import load_game
from bolzplatz.games import fifty_fifty as fifty_rules
from bolzplatz.solve import fifty_fifty as fifty
from bolzplatz.solve import solve
from bolzplatz.solve.versus import law_of, law_of_best_turn, win_share


def test_the_law_of_the_best_turn_has_its_known_mean_and_bust():
    """Computed independently: 533.7981242 points, and a bust in 24.493 % of turns."""
    turn = fifty.turn_of(load_game("5050"))
    law = law_of_best_turn(turn)
    assert abs(sum(chance * steps * turn.unit for steps, chance in enumerate(law.written)) - 533.7981242) < 5e-7
    assert abs(law.bust - 0.24493) < 5e-6
    assert abs(sum(law.written) + law.bust - 1) < 1e-12


@pytest.mark.long
def test_best_play_beats_one_who_counts_points_only_as_often_as_is_known():
    """Computed independently for two who never look at the score.

    52.63 % against the best turn by expected points, 63.79 % against one who takes all points that lie there and stops
    as soon as it may.
    """
    game = load_game("5050")
    solution = solve(game)
    assert isinstance(solution, fifty.FiftyFifty)
    assert abs(win_share(solution, law_of_best_turn(solution.turn)) - 0.5263) < 5e-5

    def points(keep):
        return fifty_rules.keep_points(game.setup, keep)

    def all_points(_data, keeps):
        """The keep that takes all points and leaves most dice: two fives are turned into a one."""
        return {max(keeps, key=lambda keep: (points(keep), -fifty_rules.KEEP_DICE[keep])): 1.0}

    assert abs(win_share(solution, law_of(game, solution.turn.unit, all_points, 1.0)) - 0.6379) < 5e-5
    # One who gets ahead in the last round where it can is harder to beat.
    assert 0.5 < win_share(solution, law_of_best_turn(solution.turn, needs=True)) < 0.5263
