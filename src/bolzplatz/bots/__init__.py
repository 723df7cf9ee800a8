"""Computer players: one module per game, named like the game's room, each with `LEVELS` and `choose`.

A computer player is given what its seat may see and the legal actions, never the match itself. Its luck comes from a
stream that the caller keys, so that a replay chooses alike; it is never the stream of the dice.

A search wants memory and speed. A module that declares `WORK` finds so many integers of work memory in `actions`, from
`game.num_actions` on, with anything in them; the levels that it names in `COMPILED` always choose in compiled code.
Where some levels take much longer to compile, `choose_lightly` knows the others, which `LIGHT` names. The levels in
`SEARCHING` think as long as they are given (`search`).

A level named in `SOLVED` knows best play: it is there where the game with its options is solved (`solve`), and finds
in its work memory what the module's `memory` makes of the solution.

Players from outside are plugged in under a name of their own (`plugins`), which is a level then.

Where it matters who is first, a module has two functions more: `reaction_ms` says when a hand moves, and `draw_chance`
(`core.kernels`) orders the hands of computer players among themselves.
"""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Final

from bolzplatz.bots.plugins import ask, plugged_in
from bolzplatz.bots.search import Budget, search_action
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.engine import Engine, work_of
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.forms import MAX_DRAWN
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import CHANCE
from bolzplatz.games import game_spec
from bolzplatz.solve import refusal

USUAL_LEVEL: Final = "good"


def players_of(game_name: str) -> ModuleType:
    """Return the module of a game's computer players; OptionError if it has none."""
    name = f"bolzplatz.bots.{game_spec(game_name).rules.begin.__module__.rpartition('.')[2]}"
    if importlib.util.find_spec(name) is None:
        raise OptionError(f"{game_name}: no computer player knows this game yet")
    return importlib.import_module(name)


def levels(game_name: str) -> tuple[str, ...]:
    """Return the names of the levels that a game's computer players have, weakest first; OptionError if it has none.

    Players that are plugged in come last.
    """
    names: tuple[str, ...] = players_of(game_name).LEVELS
    return names + plugged_in(game_name)


def usual_level(game_name: str) -> str:
    """Return the level that plays where none is named: `good`, or a game's best where no level has that name.

    Raises OptionError where no computer player knows the game.
    """
    known: tuple[str, ...] = players_of(game_name).LEVELS or levels(game_name)
    return USUAL_LEVEL if USUAL_LEVEL in known else known[-1]


def chooser(game_name: str, levels: Sequence[str] | None = None) -> Callable[..., int]:
    """Return a game's `choose`, a function of the compiled subset, for `core.engine`; OptionError: no such game.

    Where levels are named, it need not know any others, and may be compiled sooner.
    """
    players = players_of(game_name)
    light = levels is not None and set(levels) <= set(getattr(players, "LIGHT", ()))
    choose: Callable[..., int] = players.choose_lightly if light else players.choose
    return choose


def chance_drawer(game_name: str) -> Callable[..., int] | None:
    """Return a game's `draw_chance`, a function of the compiled subset, for `core.engine`; None where it has none."""
    draw: Callable[..., int] | None = getattr(players_of(game_name), "draw_chance", None)
    return draw


def level_index(game_name: str, level: str) -> int:
    """Return the number by which `choose` knows a level; raises OptionError that lists the known ones.

    A plugged-in player has the number of the middle level, whose hands it has where hands race.
    """
    known = levels(game_name)
    if level not in known:
        raise OptionError(f"{game_name}: unknown level {level!r}; known: {', '.join(known)}")
    own = len(known) - len(plugged_in(game_name))
    return known.index(level) if known.index(level) < own else own // 2


def knows_best_play(game_name: str, level: str) -> bool:
    """Say whether a level plays by the solved game: its variant has to be solved before its first choice."""
    return level in getattr(players_of(game_name), "SOLVED", ())


def level_fault(game: Game, level: str) -> str | None:
    """Return why no computer player of that level can play this variant, None where one can; OptionError: no such."""
    level_index(game.name, level)
    if not knows_best_play(game.name, level):
        return None
    reason = refusal(game)
    return reason and f"no {level} player: {reason}"


def memory_of(game: Game, levels: Sequence[str]) -> Sequence[int]:
    """Return what computer players of these levels must find in their work memory, for `core.engine`.

    A level that knows best play waits for the solution, which may take a while the first time. Raises OptionError where
    there is none.
    """
    for level in levels:
        if reason := level_fault(game, level):
            raise OptionError(f"{game.name}: {reason}")
    return _memory(game) if any(knows_best_play(game.name, level) for level in levels) else ()


MEMORIES_KEPT = 4
"""Games with their options of which computer players remember best play, those asked for last."""


@lru_cache(maxsize=MEMORIES_KEPT)
def _memory(game: Game) -> Sequence[int]:
    memory: Sequence[int] = players_of(game.name).memory(game)
    return memory


def pick_action(
    game: Game, state: State, seat: int, level: str, stream: FastStream, budget: Budget | None = None
) -> int:
    """Return the id of the legal action that a computer player of that level chooses for `seat`.

    A level that searches may think as long as `budget` says; as long as one does at the table where None. Raises
    OptionError for an unknown level, ValueError where the seat has nothing to decide.
    """
    actions = state.legal_actions(seat)
    if not actions:
        raise ValueError(f"seat {seat} has nothing to decide here")
    if level in plugged_in(game.name):
        return ask(state, seat, level)
    number, players = level_index(game.name, level), players_of(game.name)
    memory = memory_of(game, (level,))
    if len(actions) > 1 and level in getattr(players, "SEARCHING", ()):
        return search_action(game, players, state, seat, stream, budget or Budget())[0]
    if level in getattr(players, "COMPILED", ()):
        engine = Engine(game, chooser(game.name, (level,)), memory=memory)
        engine.load(state)
        return engine.choose(seat, number, stream)
    count = len(actions)
    if work := max(work_of(players.choose), len(memory)):
        actions += [0] * (game.num_actions + work - count)
        actions[game.num_actions : game.num_actions + len(memory)] = memory
    choice: int = players.choose(number, state.masked(seat), game.setup, seat, actions, count, stream.rng)
    return choice


def starts_slowly(game_name: str, level: str) -> bool:
    """Say whether the first choice of a level compiles code, which may take half a minute when it was never done."""
    return level in getattr(players_of(game_name), "COMPILED", ())


def warm_up(game: Game, level: str) -> None:
    """Compile what a level needs, so that its next choice takes no longer than all others."""
    state, chance = game.new_initial_state(), FastDriver(0)
    while not state.is_terminal():
        seat = state.current_player()
        actions = state.legal_actions(max(seat, 0))
        if seat >= 0 and len(actions) > 1:
            pick_action(game, state, seat, level, FastStream(0), Budget(iterations=1))
            return
        state.apply_action(chance.draw(state).outcome if seat == CHANCE else actions[0])


def pick_outcome(game: Game, state: State, levels: Sequence[str], stream: FastStream) -> int | None:
    """Return the outcome of a chance node that is the doing of the computer players, such as whose hand was first.

    `levels` has one a seat. None where the weights decide. Raises OptionError for an unknown level.
    """
    draw = chance_drawer(game.name)
    if draw is None or not state.is_chance_node():
        return None
    numbers = [level_index(game.name, level) for level in levels]
    outcome = draw(numbers, state.masked(None), game.setup, stream.rng, [0] * MAX_DRAWN)
    return None if outcome < 0 else outcome


def reaction_ms(game: Game, state: State, seat: int, level: str, action: int, stream: FastStream) -> int | None:
    """Return when the hand of a computer player moves that chose `action` at this node, in milliseconds from its start.

    None in games where the time does not matter. Raises OptionError for an unknown level.
    """
    react: Callable[..., int] | None = getattr(players_of(game.name), "reaction_ms", None)
    if react is None:
        return None
    return react(level_index(game.name, level), state.masked(seat), game.setup, action, stream.rng)
