"""Computer players: one module per game, named like the game's room, each with `LEVELS` and `choose`.

A computer player is given what its seat may see and the legal actions, never the match itself. Its luck comes from a
stream that the caller keys, so that a replay chooses alike; it is never the stream of the dice.
"""

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType

from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.games import game_spec


def _players_of(game_name: str) -> ModuleType:
    name = f"bolzplatz.bots.{game_spec(game_name).rules.begin.__module__.rpartition('.')[2]}"
    if importlib.util.find_spec(name) is None:
        raise OptionError(f"{game_name}: no computer player knows this game yet")
    return importlib.import_module(name)


def levels(game_name: str) -> tuple[str, ...]:
    """Return the names of the levels that a game's computer players have, weakest first; OptionError if it has none."""
    names: tuple[str, ...] = _players_of(game_name).LEVELS
    return names


def chooser(game_name: str) -> Callable[..., int]:
    """Return a game's `choose`, a function of the compiled subset, for `core.engine`; OptionError: no such game."""
    choose: Callable[..., int] = _players_of(game_name).choose
    return choose


def level_index(game_name: str, level: str) -> int:
    """Return the number by which `choose` knows a level; raises OptionError that lists the known ones."""
    known = levels(game_name)
    if level not in known:
        raise OptionError(f"{game_name}: unknown level {level!r}; known: {', '.join(known)}")
    return known.index(level)


def pick_action(game: Game, state: State, seat: int, level: str, stream: FastStream) -> int:
    """Return the id of the legal action that a computer player of that level chooses for `seat`.

    Raises OptionError for an unknown level, ValueError where the seat has nothing to decide.
    """
    actions = state.legal_actions(seat)
    if not actions:
        raise ValueError(f"seat {seat} has nothing to decide here")
    number = level_index(game.name, level)
    return chooser(game.name)(number, state.masked(seat), game.setup, seat, actions, len(actions), stream.rng)
