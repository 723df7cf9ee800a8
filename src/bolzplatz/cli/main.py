"""The command `bolzplatz`: reads the command line, runs one command, turns what goes wrong into one line.

Exit codes: 0 done, 1 the answer is no, 2 bad input, 130 stopped with Ctrl-C. Every module here imports what is heavy
inside its functions, so that small commands start at once.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rich_argparse import RawDescriptionRichHelpFormatter

from bolzplatz import BolzplatzError, __version__
from bolzplatz.cli import games, play, replay, rules, serve, simulate, verify
from bolzplatz.cli.common import BAD_INPUT, BROKEN_PIPE, DONE, INTERRUPTED, CommandError, reason_of, visible

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
    for command in (serve, play, games, rules, verify, replay, simulate):
        command.add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default this process's own, and return the exit code."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except CommandError as fault:
        return _complain(str(fault))
    except BolzplatzError as fault:
        return _complain(str(fault))
    except KeyboardInterrupt:
        print("\nStopped." if sys.stderr.isatty() else "Stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as fault:
        _drop_output()
        return _complain(f"{fault.filename or 'output'}: {reason_of(fault)}")
    return code


def _run(arguments: Sequence[str] | None) -> int:
    parser = build_parser()
    try:
        given = parser.parse_args(arguments)
        if given.command is None:
            parser.print_help()
            return DONE
    except SystemExit:  # after --help and --version
        return DONE
    code: int = given.run(given)
    return code


def _complain(reason: str) -> int:
    print(f"bolzplatz: {visible(reason)}", file=sys.stderr)
    return BAD_INPUT


def _drop_output() -> None:
    """Let what is still to be written go nowhere: the reader is gone, and Python would complain when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
