"""The player that `train_5050.py --save player.npz` wrote, for `--player`:

cd examples; bolzplatz serve --player mine=5050:python:trained_player:player
"""

from train_5050 import TrainedPlayer

player = TrainedPlayer.load("player.npz")
