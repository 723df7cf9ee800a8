"""`bolzplatz report GAME`: what a game with these options is like, as a page, as numbers, or in the terminal."""

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import level_index, usual_level
from bolzplatz.cli.common import (
    DONE,
    INTERRUPTED,
    CommandError,
    add_data,
    add_game,
    add_json,
    add_language,
    add_options,
    add_run,
    add_workplace,
    at_workplace,
    new_table,
    open_console,
    print_json,
    read_game_options,
    write_file,
)
from bolzplatz.games import load_game

if TYPE_CHECKING:
    from bolzplatz.simulate.report import Progress, Report

MATCHES: Final = 2000
PAGE: Final = (".html", ".htm")
NUMBERS: Final = ".json"


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="say what a game with these options is like",
        description="Play many matches between equal computer players and say what the game is like: what each seat is "
        "worth, how long a match is, what is scored, what the options change, what is luck and what is skill; for "
        "dribbel-fieber also goals, shots, the kick-off, and the worth of every card. The same seed gives the same "
        "numbers for any number of workers.",
        epilog="Ctrl-C ends with the sections that are done.",
    )
    add_game(parser)
    parser.add_argument("--policy", metavar="LEVEL", help="the level of the computer players (default: good)")
    add_run(parser, MATCHES)
    add_workplace(parser)
    add_options(parser)
    add_data(parser)
    parser.add_argument("--out", metavar="FILE", help="write the report as a page (.html) with charts, or as .json")
    add_language(parser)
    add_json(parser, "all numbers")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    policy = given.policy or usual_level(given.game)
    level_index(given.game, policy)
    game = load_game(given.game, **read_game_options(given))
    _check_out(given.out)
    from bolzplatz.simulate.page import page_of
    from bolzplatz.simulate.report import Asked, make_report

    with at_workplace(given), _progress() as progress:
        report = make_report(Asked(game, policy, given.matches, given.seed, given.workers, progress, given.lang))
    if given.out is not None and report.sections:
        as_page = Path(given.out).suffix.lower() in PAGE
        write_file(given.out, page_of(report) if as_page else json.dumps(report.to_dict(), ensure_ascii=False) + "\n")
        print(f"The report is in {given.out}.", file=sys.stderr)
    if given.json:
        print_json(report.to_dict())
    elif given.out is None:
        _show(report)
    if report.interrupted:
        print(f"Stopped after {len(report.sections)} sections.", file=sys.stderr)
        return INTERRUPTED
    return DONE


def _check_out(file: str | None) -> None:
    """Refuse a file that could not be written, before the long work."""
    if file is None:
        return
    path = Path(file)
    if path.suffix.lower() not in (*PAGE, NUMBERS):
        raise CommandError(f"a report is written as .html or .json, not as {file!r}")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise CommandError(f"no report can be written to {file!r}: no such folder, or it is one")
    if path.suffix.lower() in PAGE:
        from bolzplatz.simulate.plot import need_matplotlib

        need_matplotlib()


@contextlib.contextmanager
def _progress() -> Iterator["Progress"]:
    """Show a bar on the error output, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _share, _what: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling the rules", total=1.0)
        yield lambda share, what: bar.update(task, completed=share, description=what)


def _show(report: "Report") -> None:
    console = open_console()
    console.print(report.title, style="bold green")
    console.print(report.setting, soft_wrap=True)
    for section in report.sections:
        console.print(f"\n{section.title}", style="bold")
        for line in section.lines:
            console.print(line, soft_wrap=True)
        for table in section.tables:
            shown = new_table(*table.headings, title=table.title or None, right=table.headings[1:])
            for row in table.rows:
                shown.add_row(*row)
            console.print(shown)
