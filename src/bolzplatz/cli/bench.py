"""`bolzplatz bench GAME A B`: how strong one computer player is against another: points and Elo, with an interval."""

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.cli.common import (
    DONE,
    INTERRUPTED,
    CommandError,
    add_data,
    add_game,
    add_json,
    add_options,
    add_seed_and_workers,
    add_workplace,
    at_workplace,
    new_table,
    open_console,
    print_json,
    read_game_options,
    reason_of,
    whole_number,
)
from bolzplatz.cli.players import add_players, plug_in_players
from bolzplatz.games import load_game

if TYPE_CHECKING:
    from bolzplatz.core.game import Game
    from bolzplatz.simulate.sequential import Duel

PAIRS: Final = 100_000
MARGIN: Final = 10


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        help="measure one computer player against another",
        description="Let two computer players play pairs of matches with changed seats and the same dice for the same "
        "seat, turn and throw, until a sequential test knows which one is stronger: points, Elo and 95 % interval. "
        "Where both can be followed through the solved game the answer is exact and takes no match. "
        "The same seed gives the same numbers for any number of workers.",
        epilog="Ctrl-C prints what is done so far; with --results the next run goes on from there.",
    )
    add_game(parser)
    parser.add_argument("a", metavar="A", help="a computer player, as `bolzplatz games GAME` lists them")
    parser.add_argument("b", metavar="B", help="the other one")
    parser.add_argument(
        "--pairs", metavar="N", type=whole_number(1), default=PAIRS, help="at most so many (default: %(default)s)"
    )
    parser.add_argument("--minutes", metavar="M", type=_minutes, default=math.inf, help="stop after so many")
    parser.add_argument(
        "--margin",
        metavar="ELO",
        type=whole_number(1),
        default=MARGIN,
        help="the test decides between A that much weaker and that much stronger (default: %(default)s)",
    )
    parser.add_argument(
        "--matches", action="store_true", help="play matches where the answer could be worked out exactly, too"
    )
    parser.add_argument("--results", metavar="FILE", help="keep what is done in FILE, where the next run finds it")
    add_seed_and_workers(parser)
    add_workplace(parser)
    add_players(parser)
    add_options(parser)
    add_data(parser)
    add_json(parser, "all numbers")
    parser.set_defaults(run=run)


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = math.nan
    if not minutes > 0:
        raise argparse.ArgumentTypeError(f"a number above 0 is expected, not {text!r}")
    return minutes


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    plug_in_players(given, strict=True)
    game = load_game(given.game, **read_game_options(given))
    from joblib import cpu_count

    from bolzplatz.simulate.bench import check_players, pairs_of
    from bolzplatz.simulate.sequential import settle

    check_players(game, (given.a, given.b))
    if not given.matches and (share := _exactly(game, given.a, given.b)) is not None:
        _say_exactly(given, game, share)
        return DONE
    kept = _Kept(given, game)
    duel, stopped = kept.duel, False
    try:
        with at_workplace(given), _progress(given.pairs) as progress:
            progress(duel)
            play = pairs_of(game, given.a, given.b, given.seed)
            until = time.monotonic() + 60 * given.minutes
            for _ in settle(duel, play, given.workers or cpu_count(), until, given.pairs):
                kept.write()
                progress(duel)
    except KeyboardInterrupt:
        if not duel.pairs:
            raise
        stopped = True
    if given.json:
        print_json({"game": game.name, "options": dict(game.options), "seed": given.seed, **as_data(duel)})
    else:
        _report(game.spec.title, duel, given.margin)
    if stopped:
        print(f"Stopped after {duel.pairs:,} pairs.", file=sys.stderr)
    return INTERRUPTED if stopped else DONE


def _exactly(game: "Game", a: str, b: str) -> float | None:
    from bolzplatz.simulate.exactly import exact_share

    return exact_share(game, a, b)


def _say_exactly(given: argparse.Namespace, game: "Game", share: float) -> None:
    from bolzplatz.simulate.sequential import elo_of

    elo = elo_of(share)
    if given.json:
        found = {"a": given.a, "b": given.b, "exact": True, "points": {"value": share}, "elo": {"value": elo}}
        print_json({"game": game.name, "options": dict(game.options), **found})
        return
    console = open_console()
    console.print(f"{game.spec.title}: {given.a} against {given.b}", style="bold green", soft_wrap=True)
    console.print(f"{given.a} gets {100 * share:.4f} % of the points, {elo:+.2f} Elo: exactly.", soft_wrap=True)


class _Kept:
    """The duel, and the file in which it is kept if there is one."""

    def __init__(self, given: argparse.Namespace, game: "Game") -> None:
        from bolzplatz.simulate.bench import digest_of
        from bolzplatz.simulate.sequential import Duel, read_results, share_of

        self.file = None if given.results is None else Path(given.results)
        changed = [f"{name}={value}" for name, value in game.changed_options().items()]
        self.key = " ".join([game.name, given.a, given.b, str(given.seed), *changed])
        digest = digest_of(game, players=(given.a, given.b))
        self.duel = Duel(given.a, given.b, digest, low=share_of(-given.margin), high=share_of(given.margin))
        self.done: dict[str, Any] = {}
        if self.file is None:
            return
        if not self.file.parent.is_dir():  # said before the work, not after it
            raise CommandError(f"{given.results} cannot be written: no such folder")
        try:
            self.done = read_results(self.file)
            if not all("counts" in each for each in self.done.values()):
                raise ValueError("something else, to which nothing should be added")
            if (old := self.done.get(self.key)) and old["digest"] == self.duel.digest:
                if any(type(count) is not int or count < 0 for count in old["counts"]):
                    raise ValueError("no counts")
                self.duel.add(old["counts"], old["seconds"])
        except OSError as fault:
            raise CommandError(f"{given.results} cannot be read: {reason_of(fault)}") from None
        except (ValueError, KeyError, TypeError):
            raise CommandError(f"{given.results} holds no results of an earlier run") from None

    def write(self) -> None:
        """Write what is done, if a file was named."""
        from bolzplatz.simulate.sequential import write_results

        if self.file is not None:
            self.done[self.key] = asdict(self.duel)
            try:
                write_results(self.file, self.done)
            except OSError as fault:
                raise CommandError(f"{self.file} cannot be written: {reason_of(fault)}") from None


@contextlib.contextmanager
def _progress(most: int) -> Iterator[Callable[["Duel"], None]]:
    """Show a bar on the error output, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _duel: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling the rules", total=most)

        def show(duel: "Duel") -> None:
            said = f"{100 * duel.mean:.1f} %, evidence {duel.evidence:+.2f}" if duel.pairs else "compiling the rules"
            bar.update(task, completed=duel.pairs, description=said)

        yield show


def as_data(duel: "Duel") -> dict[str, Any]:
    """Return a duel as JSON-able data; an Elo that is infinite as None."""
    from bolzplatz.simulate.sequential import elo_of

    low, high = duel.interval
    elo = [value if math.isfinite(value) else None for value in map(elo_of, (duel.mean, low, high))]
    return {
        "a": duel.strong,
        "b": duel.weak,
        "exact": False,
        "pairs": duel.pairs,
        "counts": duel.counts,
        "points": {"value": duel.mean, "low": low, "high": high},
        "elo": dict(zip(("value", "low", "high"), elo, strict=True)),
        "evidence": duel.evidence,
        "verdict": {"yes": "stronger", "no": "weaker"}.get(duel.verdict, "open"),
    }


def _report(title: str, duel: "Duel", margin: int) -> None:
    data, console = as_data(duel), open_console()
    console.print(f"{title}: {duel.strong} against {duel.weak}", style="bold green", soft_wrap=True)
    table = new_table("", "value", "95 % interval", right=("value", "95 % interval"))
    points, elo = data["points"], data["elo"]
    table.add_row(
        "points %", f"{100 * points['value']:.2f}", f"{100 * points['low']:.2f} to {100 * points['high']:.2f}"
    )
    shown = {name: "beyond measure" if value is None else f"{value:+.1f}" for name, value in elo.items()}
    table.add_row("Elo", shown["value"], f"{shown['low']} to {shown['high']}")
    console.print(table)
    said = {
        "stronger": f"{duel.strong} is stronger than {duel.weak}",
        "weaker": f"{duel.strong} is weaker than {duel.weak}",
        "open": f"not settled whether {duel.strong} is {margin} Elo stronger or weaker",
    }[data["verdict"]]
    console.print(f"{duel.pairs:,} pairs: {said} (evidence {duel.evidence:+.2f}).", soft_wrap=True)
