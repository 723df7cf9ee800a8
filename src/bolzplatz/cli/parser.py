"""The parser of the whole command line, put together from the commands."""

import argparse
from typing import Any, NoReturn

from rich_argparse import RawDescriptionRichHelpFormatter

from bolzplatz import __version__
from bolzplatz.cli import bench, coach, games, play, puzzle, replay, report, rules, serve, simulate, solve, verify
from bolzplatz.cli.common import CommandError

DESCRIPTION = "Table-top football games as real software: exact rules, dice that anyone can check."
EPILOG = """
Begin with `bolzplatz serve` for the table in the browser, or `bolzplatz play 5050` in this terminal.
Every command explains itself: `bolzplatz simulate --help`.
"""


class _Help(RawDescriptionRichHelpFormatter):
    """Help in colour; what looks like markup in it is none."""

    help_markup = text_markup = False
    group_name_formatter = str.capitalize

    def __init__(self, prog: str, **kwargs: Any) -> None:
        super().__init__(prog, max_help_position=28, **kwargs)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line instead of repeating the usage; help that cannot be written is no success."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(formatter_class=_Help, allow_abbrev=False, **kwargs)

    def print_help(self, file: Any = None) -> None:
        print(self.format_help(), end="", file=file)

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message} (see {self.prog} --help)")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(prog="bolzplatz", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"bolzplatz {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for command in (serve, play, games, rules, verify, replay, simulate, report, solve, coach, bench, puzzle):
        command.add_to(commands)
    return parser
