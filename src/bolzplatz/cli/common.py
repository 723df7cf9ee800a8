"""What the commands share: exit codes, the one error they raise, common arguments, printing, reading files."""

import argparse
import contextlib
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from bolzplatz.bots import levels
from bolzplatz.core.errors import OptionError, shorten
from bolzplatz.core.game import Event
from bolzplatz.core.texts import LANGUAGES, GameTexts, event_text
from bolzplatz.core.workplace import LOCAL, WORKPLACES, workplace
from bolzplatz.games import game_spec, load_game

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

DONE: Final = 0
NO: Final = 1
"""The command did its work, and the answer is no."""
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

PLAIN_WIDTH: Final = 100
"""Columns of tables that do not go to a terminal."""


class CommandError(Exception):
    """Input that a command cannot use: one clear line."""


# --- arguments ----------------------------------------------------------------------------------------------------


def add_game(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Add the argument GAME."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?" if optional else None, help="the game's name, as `bolzplatz games` lists it"
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--set name=value`."""
    parser.add_argument(
        "--set",
        dest="options",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a rule option of the game; may be given several times (`bolzplatz games GAME` lists them)",
    )


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add `--data FILE`."""
    parser.add_argument(
        "--data",
        metavar="FILE",
        help="what your own box holds: an edition of dribbel-fieber, the dice of gooaaaaal, the deck of wilde-kerle",
    )


def add_run(parser: argparse.ArgumentParser, matches: int) -> None:
    """Add the options of a run: how many matches (`matches` unless told), from which seed, by how many threads."""
    parser.add_argument(
        "--matches", metavar="N", type=whole_number(1), default=matches, help="how many (default: %(default)s)"
    )
    add_seed_and_workers(parser)


def add_workplace(parser: argparse.ArgumentParser) -> None:
    """Add `--backend` and `--address`."""
    parser.add_argument(
        "--backend",
        choices=WORKPLACES,
        default=WORKPLACES[0],
        help="threads of this machine, or the workers of a Dask cluster; results are the same (default: %(default)s)",
    )
    parser.add_argument(
        "--address",
        "--scheduler",
        metavar="ADDRESS",
        help="of the scheduler of the Dask cluster (default: one of W processes on this machine)",
    )


def at_workplace(given: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """Return the context in which the run of a command computes where it was told to; raises CommandError."""
    if given.backend != LOCAL and getattr(given, "players", None):
        raise CommandError("--player: a player of your own plays on this machine only, with --backend local")
    return workplace(given.backend, given.address, given.workers)


def add_seed_and_workers(parser: argparse.ArgumentParser) -> None:
    """Add `--seed` and `--workers`."""
    parser.add_argument(
        "--seed", metavar="S", type=whole_number(-(2**63)), default=1, help="any whole number (default: %(default)s)"
    )
    parser.add_argument(
        "--workers", metavar="W", type=whole_number(1), help="threads that play (default: one for each core)"
    )


def add_json(parser: argparse.ArgumentParser, what: str = "the answer") -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help=f"print {what} as JSON, for programs")


def add_language(parser: argparse.ArgumentParser, of: str = "") -> None:
    """Add `--lang`, the language `of the chart` for one; the default is that of the environment, or English."""
    what = f"the language {of}".strip()
    parser.add_argument("--lang", choices=LANGUAGES, default=_own_language(), help=f"{what} (default: %(default)s)")


def _own_language() -> str:
    named = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return named[:2] if named[:2] in LANGUAGES else LANGUAGES[0]


def whole_number(low: int) -> Any:
    """Return what reads an argument as a whole number from `low` on; `1_000_000` is one, too."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"a whole number is expected, not {shorten(text)}") from None
        if number < low:
            raise argparse.ArgumentTypeError(f"a number from {low} on is expected, not {shorten(number)}")
        return number

    return read


def read_options(pairs: Sequence[str]) -> dict[str, str]:
    """Return the options of `--set name=value`, still as texts; raises CommandError."""
    options: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise CommandError(f"--set takes NAME=VALUE, not {pair!r}")
        if name.strip() in options:
            raise CommandError(f"--set {name.strip()} is given twice")
        options[name.strip()] = value.strip()
    return options


def read_game_options(given: argparse.Namespace) -> dict[str, str]:
    """Return the options of `--set` and `--data`, still as texts; raises CommandError, which names the file."""
    options = read_options(given.options)
    if given.data is None:
        return options
    source = game_spec(given.game).data_file
    if source is None:
        raise CommandError(f"--data: {given.game} reads no file; everything in it is known")
    if source.option in options:
        raise CommandError(f"--data gives the option {source.option}, and so does --set")
    try:
        text = read_file(given.data).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandError(f"{given.data} is no text in UTF-8; expected: {source.what}") from None
    options[source.option] = source.read(text)
    try:
        load_game(given.game, **options)
    except OptionError as fault:
        raise CommandError(f"{given.data}: {fault.told(getattr(given, 'lang', LANGUAGES[0]))}") from None
    return options


def levels_of(game: str) -> tuple[str, ...]:
    """Return the levels of a game's computer players, weakest first; none where no computer player knows the game."""
    game_spec(game)
    try:
        return levels(game)
    except OptionError:
        return ()


# --- files --------------------------------------------------------------------------------------------------------


def read_file(name: str) -> bytes:
    """Return what is in a file; raises CommandError."""
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as fault:
        raise CommandError(f"{name} cannot be read: {reason_of(fault)}") from None


def read_record_file(name: str) -> bytes:
    """Return what is in a file that says that it is a record; raises CommandError."""
    from bolzplatz.core.record import MAGIC

    data = read_file(name)
    if not data.startswith(f"{MAGIC}\n".encode()):
        raise CommandError(f"{name} is not a Bolzplatz record: its first line is not {MAGIC!r}")
    return data


def write_file(name: str, text: str) -> None:
    """Write a text file, whole or not at all; raises CommandError."""
    partial = Path(f"{name}.part")
    try:
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(name)
    except (OSError, ValueError) as fault:
        with contextlib.suppress(OSError, ValueError):
            partial.unlink(missing_ok=True)
        raise CommandError(f"{name} cannot be written: {reason_of(fault)}") from None


def reason_of(fault: Exception) -> str:
    """Return why the system refuses something, in its own few words."""
    return (getattr(fault, "strerror", None) or str(fault)).lower()


# --- printing -----------------------------------------------------------------------------------------------------


def visible(text: str) -> str:
    """Return a text on one line, without signs that steer a terminal: for what comes out of files and arguments."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in " ".join(text.split()))


def open_console(*, stderr: bool = False) -> "Console":
    """Return where a command prints for people; texts are printed as they stand, never read as markup."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for `main`; Rich would end the process with the exit code that means no

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PLAIN_WIDTH
    return Plain(stderr=stderr, markup=False, emoji=False, highlight=False, width=width)


def new_table(*headings: str, title: str | None = None, right: Sequence[str] = ()) -> "Table":
    """Return an empty table; the columns named in `right` hold numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", title=title, title_justify="left", title_style="bold")
    for number, heading in enumerate(headings):
        style = "bold green" if number == 0 else None
        justify: Literal["left", "right"] = "right" if heading in right else "left"
        table.add_column(heading, style=style, no_wrap=number == 0, justify=justify, overflow="fold")
    return table


def print_json(value: Mapping[str, Any]) -> None:
    """Print the answer for a program: one line, or spread out where a person looks on."""
    print(json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))


def sentences(events: Iterable[Event], texts: GameTexts, names: Sequence[str]) -> list[str]:
    """Return events as sentences."""
    return [event_text(texts, event.to_dict(), names) for event in events]


def name_seats(board: str, names: Sequence[str]) -> str:
    """Return a board with the seats' names in place of their numbers; where a column follows, it stays straight."""
    width = max(map(len, names))
    board = re.sub(r"seat (\d+)(?=  )", lambda seat: names[int(seat[1])].ljust(width), board)
    return re.sub(r"seat (\d+)", lambda seat: names[int(seat[1])], board)
