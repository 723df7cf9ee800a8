"""Bolzplatz: five table-top games as real software.

    import bolzplatz
    state = bolzplatz.load_game("5050", players=3).new_initial_state()

Importing this package is light: NumPy, Numba and the web come only when they are needed.
"""

from bolzplatz.core.errors import (
    BolzplatzError,
    IllegalActionError,
    OptionError,
    RecordError,
    SeatError,
    StateError,
)
from bolzplatz.core.game import Event, Game, State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS, TERMINAL
from bolzplatz.games import game_names, load_game

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "TERMINAL",
    "BolzplatzError",
    "Event",
    "Game",
    "IllegalActionError",
    "OptionError",
    "RecordError",
    "SeatError",
    "State",
    "StateError",
    "__version__",
    "game_names",
    "load_game",
]
