"""Computer players from outside: any callable that gets a view and the legal actions and returns one of them.

Once it is plugged in under a name, such a player is a level of its game like any other: in mass play, in the terminal
and at the table. What it is shown is `State.view(seat)` with one key more, `observation`: the seat, then the integers
of `State.observation(seat)`. Legal actions are ids; `view["legal_actions"]` has the same moves in notation, in the same
order, and the answer may be either. Where hands race, a plugged-in player is as fast as the middle one of the others.
"""

import functools
import hashlib
import importlib
import inspect
import logging
import operator
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bolzplatz.core.errors import BolzplatzError, OptionError, shorten
from bolzplatz.core.game import State

Player = Callable[[dict[str, Any], list[int]], int | str]
_PACKAGE = Path(__file__).resolve().parent.parent
_IMPORTING = Path(importlib.__file__).resolve().parent
_log = logging.getLogger(__name__)


class PlayerError(BolzplatzError):
    """A plugged-in player that failed, or chose what is not legal."""


@dataclass(frozen=True, slots=True)
class _PluggedIn:
    player: Player
    strict: bool


_players: dict[str, dict[str, _PluggedIn]] = {}


def plug_in(game: str, name: str, player: Player, strict: bool = True) -> None:
    """Make a player known for a game, under a name that no level of it has; a plugged-in one of that name is replaced.

    Args:
        game: name of the game.
        name: of the player; letters, digits, `-` and `_`.
        player: called with (view, legal actions), returns an action id or a move in notation.
        strict: raise PlayerError when it fails; else log that, and take the first legal action: for a table, where the
            others want to play on.

    Raises OptionError for an unknown game or a name that cannot be used.
    """
    from bolzplatz.bots import levels

    if name in levels(game) and name not in _players.get(game, {}):
        raise OptionError(f"{game}: {name} is a level of its own; choose another name")
    if not name.replace("-", "").replace("_", "").isalnum():
        raise OptionError(f"{game}: {name!r} is no name for a player: letters, digits, - and _")
    _players.setdefault(game, {})[name] = _PluggedIn(player, strict)


def unplug(game: str, name: str) -> None:
    """Forget a plugged-in player; nothing happens if there is none of that name."""
    _players.get(game, {}).pop(name, None)


def plugged_in(game: str) -> tuple[str, ...]:
    """Return the names of the players that are plugged in for a game, in order."""
    return tuple(_players.get(game, {}))


def digest_of_player(game: str, name: str) -> str:
    """Return the digest of what is known of a plugged-in player's code: it changes where that does.

    That is its file, with the modules loaded from the folder of that file; or the files that `files()` of the player
    names, as those of a program of the line protocol. What else it reads, such as weights, does not count.
    """
    player = _players[game][name].player
    named = getattr(player, "files", None)
    files = set(named() if named is not None else _files_of(player))
    digest = hashlib.sha256(f"{type(player).__qualname__} {getattr(player, '__qualname__', '')}".encode())
    for file in sorted(files):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _files_of(player: Player) -> set[Path]:
    """Return the file of a callable's code, and those of modules loaded from its folder; none where it has no file."""
    code = inspect.unwrap(player)
    while isinstance(code, functools.partial):
        code = inspect.unwrap(code.func)
    try:
        own = inspect.getsourcefile(code if inspect.isroutine(code) else type(code))
    except TypeError:  # built in
        return set()
    if own is None or not Path(own).is_file():
        return set()
    folder = Path(own).resolve().parent
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    files = {Path(file).resolve() for file in loaded if file is not None}
    return {Path(own).resolve(), *(file for file in files if file.parent == folder and file.is_file())}


def what_failed(fault: BaseException) -> str:
    """Return what went wrong in code from outside: the kind of error, its words, and where in that code it was.

    Of an error of this package, which says all, the words alone.
    """
    if isinstance(fault, BolzplatzError):
        return str(fault)
    said = f"{type(fault).__name__}: {fault}".removesuffix(": ")
    if isinstance(fault, SyntaxError):  # it names its place itself
        return said
    outside = [
        step
        for step in traceback.extract_tb(fault.__traceback__)
        if (file := Path(step.filename).resolve()).is_file()
        and not file.is_relative_to(_PACKAGE)
        and not file.is_relative_to(_IMPORTING)
    ]
    # What is called from there may lie in a library; the place to look at is the last one in the player's own folder.
    own = [step for step in outside if Path(step.filename).parent == Path(outside[0].filename).parent]
    return f"{said} ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else said


def _action_of(answer: object) -> int:
    try:
        return operator.index(answer)  # type: ignore[arg-type]  # what a player answers may be anything
    except TypeError:
        raise PlayerError(f"{shorten(answer)} is neither an action id nor a move in notation") from None


def ask(state: State, seat: int, name: str) -> int:
    """Return the legal action that a plugged-in player chooses for `seat`; raises PlayerError."""
    legal = state.legal_actions(seat)
    asked = _players[state.game.name][name]
    try:
        view = state.view(seat) | {"observation": [seat, *state.observation(seat)]}
        answer = asked.player(view, list(legal))
        action = state.string_to_action(answer, seat) if isinstance(answer, str) else _action_of(answer)
        if action not in legal:
            raise PlayerError(f"action {action} is not legal here")
    except Exception as fault:
        if asked.strict:
            raise PlayerError(f"player {name}: {what_failed(fault)}") from fault
        _log.warning("player %s failed, the first legal action is taken: %s", name, what_failed(fault))
        return legal[0]
    return action
