"""The games: one room per game, found by name here. Nothing else knows a rule."""

import importlib
from typing import Any, Final

from bolzplatz.core.errors import OptionError, shorten
from bolzplatz.core.game import Game
from bolzplatz.core.spec import GameSpec

_ROOMS: Final = {
    "5050": "bolzplatz.games.fifty_fifty",
    "bar-bolz": "bolzplatz.games.bar_bolz",
    "dribbel-fieber": "bolzplatz.games.dribbel_fieber",
    "gooaaaaal": "bolzplatz.games.gooaaaaal",
    "wilde-kerle": "bolzplatz.games.wilde_kerle",
}


def game_names() -> list[str]:
    """Return the names of all games, sorted.

    >>> game_names()
    ['5050', 'bar-bolz', 'dribbel-fieber', 'gooaaaaal', 'wilde-kerle']
    """
    return sorted(_ROOMS)


def game_spec(name: str) -> GameSpec:
    """Return what a game declares about itself; raises OptionError for an unknown name."""
    if not isinstance(name, str) or name not in _ROOMS:
        raise OptionError(f"unknown game {shorten(name)}; known: {', '.join(game_names())}")
    spec: GameSpec = importlib.import_module(_ROOMS[name]).GAME
    return spec


def load_game(name: str, /, **options: Any) -> Game:
    """Return a game with its options; all that are not given have their defaults.

    Raises OptionError for an unknown game or option, or a value that is not allowed.
    """
    return Game(game_spec(name), options)
