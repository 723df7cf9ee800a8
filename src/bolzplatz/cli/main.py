"""The command `bolzplatz`: reads the command line, runs one command, turns what goes wrong into one line.

Exit codes: 0 done, 1 the answer is no, 2 bad input, 130 stopped with Ctrl-C. All else is imported inside functions:
every module here imports what is heavy only when it needs it, so that small commands start at once, and Ctrl-C ends
cleanly even while a large one is starting.
"""

import os
import sys
from collections.abc import Sequence

from bolzplatz import BolzplatzError
from bolzplatz.cli.common import BAD_INPUT, BROKEN_PIPE, DONE, INTERRUPTED, CommandError, reason_of, visible


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default this process's own, and return the exit code."""
    _open_closed_streams()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except (CommandError, BolzplatzError) as fault:
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
    from bolzplatz.cli.parser import build_parser

    parser = build_parser()
    try:
        given, unknown = parser.parse_known_args(arguments)
        if unknown:
            named = ("bolzplatz",) if given.command is None else ("bolzplatz", given.command)
            raise CommandError(f"unrecognized arguments: {' '.join(unknown)} (see {' '.join(named)} --help)")
        if given.command is None:
            parser.print_help()
            return DONE
    except SystemExit:  # after --help and --version
        return DONE
    code: int = given.run(given)
    return code


def _open_closed_streams() -> None:
    """Give streams that the caller has closed, as `>&-` does, nothing to read and a place where nothing is kept."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _complain(reason: str) -> int:
    print(f"bolzplatz: {visible(reason)}", file=sys.stderr)
    return BAD_INPUT


def _drop_output() -> None:
    """Let what is still to be written go nowhere: the reader is gone, and Python would complain when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
