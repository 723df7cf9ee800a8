"""The examples do what they say: a player trained in seconds beats the child."""

import sys
from pathlib import Path

import numpy as np
import pytest

import bolzplatz
from bolzplatz.bots import pick_action
from bolzplatz.bots.plugins import plug_in, unplug
from bolzplatz.core.fast import FastStream

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import train_5050

MATCHES = 10_000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_player_trained_for_seconds_beats_the_child(seed, tmp_path):
    """55 % of 10,000 matches, with the lower 99 % bound above one half; what is saved plays the same."""
    player = train_5050.TrainedPlayer(train_5050.train(seed, updates=50).weights)
    won, bound = train_5050.measure(player, "child", MATCHES, seed=100 + seed)
    assert won >= 0.55 * MATCHES
    assert bound > 0.5
    np.savez(tmp_path / "player.npz", *player.network.weights)
    plug_in("5050", "trained", train_5050.TrainedPlayer.load(str(tmp_path / "player.npz")))
    try:
        state = bolzplatz.load_game("5050").new_initial_state().play("throw 112355")
        masks = np.zeros((1, state.game.num_actions), dtype=np.int8)
        masks[0, state.legal_actions()] = 1
        chosen = player.choose(np.array([[0, *state.observation(0)]]), masks)[0]
        assert pick_action(state.game, state, 0, "trained", FastStream(1)) == chosen
    finally:
        unplug("5050", "trained")


def test_the_bound_is_wilsons():
    """99 % of 60 won of 100: 0.470 by Wilson's formula, solved as a quadratic here."""
    z, n, p = 2.5758, 100, 0.6
    roots = np.roots([1 + z * z / n, -(2 * p + z * z / n), p * p])
    assert train_5050.lower_bound(60, 100) == pytest.approx(min(roots))
