"""`--player NAME=GAME:KIND:WHAT`: computer players from outside, plugged in before a command runs."""

import argparse
import atexit
import importlib
import sys
from pathlib import Path
from typing import Final

from bolzplatz.bots.plugins import Player, PlayerError, plug_in, what_failed
from bolzplatz.cli.common import CommandError

KINDS: Final = ("python", "line")
PERSON: Final = "me"
"""Who sits at this keyboard, wherever seats are named."""


def add_players(parser: argparse.ArgumentParser) -> None:
    """Add `--player`."""
    parser.add_argument(
        "--player",
        dest="players",
        metavar="NAME=GAME:KIND:WHAT",
        action="append",
        default=[],
        help="a computer player of your own, as a level of that game: python:MODULE:CALLABLE, or line:COMMAND for a "
        "program that speaks the line protocol; may be given several times",
    )


def plug_in_players(given: argparse.Namespace, strict: bool) -> None:
    """Plug in what `--player` names; raises CommandError and OptionError."""
    for text in given.players:
        name, equals, rest = text.partition("=")
        parts = rest.split(":", 2)
        if not equals or len(parts) < 3 or parts[1] not in KINDS:
            raise CommandError(f"--player: {text!r} is not NAME=GAME:KIND:WHAT, with KIND one of {', '.join(KINDS)}")
        if name == PERSON:
            raise CommandError(f"--player: {PERSON} is the person at this keyboard; choose another name")
        game, kind, what = parts
        plug_in(game, name, _callable(what) if kind == "python" else _program(what), strict)


def _program(command: str) -> Player:
    from bolzplatz.adapters.line import LinePlayer

    try:
        program = LinePlayer(command)
    except PlayerError as fault:
        raise CommandError(f"--player: {fault}") from None
    atexit.register(program.close)
    return program


def _callable(what: str) -> Player:
    """Import MODULE:CALLABLE, modules of the present folder included."""
    module, _, attribute = what.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        player = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as fault:  # the module is run, and what is wrong in it may be anything
        raise CommandError(f"--player: {what!r} cannot be imported: {what_failed(fault)}") from None
    if not callable(player):
        raise CommandError(f"--player: {what!r} cannot be called")
    found: Player = player
    return found
