"""OpenSpiel's own value iteration as a referee from outside: the same rules, none of our solver."""

import sys
import types

import pytest

from bolzplatz import load_game
from bolzplatz.solve.bar_bolz import BarBolz


def wrapped(game, pyspiel):
    """A game of ours as one of OpenSpiel's, in which a throw is a move of its own: that keeps chance from cycles."""
    kind = pyspiel.GameType(
        short_name="refereed",
        long_name="refereed",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=game.max_chance_outcomes,
        num_players=2,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=1000,
    )

    class Refereed(pyspiel.Game):
        def __init__(self):
            super().__init__(kind, info, {})

        def new_initial_state(self):
            return Position(self)

    class Position(pyspiel.State):
        def __init__(self, spiel_game):
            super().__init__(spiel_game)
            self.state, self.throwing = game.new_initial_state(), False

        def current_player(self):
            if self.state.is_terminal():
                return pyspiel.PlayerId.TERMINAL
            if self.state.is_chance_node():
                return pyspiel.PlayerId.CHANCE if self.throwing else self.state.roller()
            return self.state.current_player()

        def _legal_actions(self, _player):
            return [0] if self.state.is_chance_node() else self.state.legal_actions()

        def chance_outcomes(self):
            return [(outcome, float(chance)) for outcome, chance in self.state.chance_outcomes()]

        def _apply_action(self, action):
            if self.state.is_chance_node() and not self.throwing:
                self.throwing = True
            else:
                self.state.apply_action(action)
                self.throwing = False

        def _action_to_string(self, _player, action):
            return str(action)

        def is_terminal(self):
            return self.state.is_terminal()

        def returns(self):
            return self.state.returns()

        def __str__(self):
            return f"{self.state.key()} {self.throwing}"

    return Refereed()


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"black_faces": "5,foul"}, {"black_faces": "5"}], ids=str)
def test_openspiel_finds_the_same_value_of_bar_bolz(options, monkeypatch):
    pyspiel = pytest.importorskip("pyspiel", reason="the referee needs OpenSpiel: make bench installs it")
    # Its linear programs are for games in which seats choose at once, and want a package of their own.
    name = "open_spiel.python.algorithms.lp_solver"
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    from open_spiel.python.algorithms import value_iteration

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        game = load_game("bar-bolz", **options)
        refereed = wrapped(game, pyspiel)
        values = value_iteration.value_iteration(refereed, -1, 1e-11, cyclic_game=True)
    finally:
        sys.setrecursionlimit(limit)
    found = (values[str(refereed.new_initial_state())] + 1) / 2
    assert abs(found - BarBolz(game).facts()["starter"]) < 1e-9
