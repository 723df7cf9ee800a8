"""`bolzplatz rules GAME`: the rules in our own words."""

import argparse
import sys
from typing import Any

from bolzplatz.cli.common import DONE, add_game, add_json, add_language, open_console, print_json
from bolzplatz.core.texts import rulebook
from bolzplatz.games import game_spec


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "rules",
        help="tell how a game is played",
        description="Print the rules of a game, with the numbered paragraphs that refusals and events name.",
    )
    add_game(parser)
    add_language(parser)
    add_json(parser, "the text (Markdown)")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    spec = game_spec(given.game)
    text = rulebook(spec.name, given.lang)
    if given.json:
        print_json({"game": spec.name, "rules_version": spec.rules_version, "language": given.lang, "text": text})
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        open_console().print(Markdown(text))
    else:
        print(text, end="")
    return DONE
