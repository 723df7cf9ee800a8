"""`bolzplatz solve GAME`: best play, proven, with the figures that follow from it."""

import argparse
import contextlib
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.cli.common import (
    DONE,
    NO,
    add_game,
    add_json,
    add_language,
    add_options,
    add_workplace,
    at_workplace,
    new_table,
    open_console,
    print_json,
    read_options,
    whole_number,
)
from bolzplatz.core.spec import show_value
from bolzplatz.games import load_game

if TYPE_CHECKING:
    from bolzplatz.core.game import Game
    from bolzplatz.solve import Estimate, Progress
    from bolzplatz.solve.subgames import Figures

LONG: Final = 120.0
"""Seconds; what takes longer is begun only where that is asked for."""


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "solve",
        help="work out best play exactly",
        description="Work out best play of a game exactly, or open the table of an earlier run, and print its figures. "
        "Solved are bar-bolz with every option, 5050 for two and three players, and gooaaaaal for two with four equal "
        "dice; of dribbel-fieber shot sequences and the last turn, of wilde-kerle when to grab among hands as the "
        "computer has them.",
        epilog="Ctrl-C keeps what is done; the next run with the same options goes on from there. Tables lie in the "
        "cache folder ($BOLZPLATZ_CACHE); one that is damaged or of other rules is never used.",
    )
    add_game(parser)
    add_options(parser)
    parser.add_argument(
        "--workers", metavar="W", type=whole_number(1), help="threads that solve (default: one for each core)"
    )
    add_workplace(parser)
    parser.add_argument(
        "--estimate", action="store_true", help="only measure how long it takes, and say how large the table will be"
    )
    parser.add_argument("--long", action="store_true", help="begin a run that takes hours, or go on with it")
    parser.add_argument("--plot", metavar="FILE", help="draw a chart of best play as .svg or .png")
    add_language(parser, "of the chart")
    add_json(parser, "all figures")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    game = load_game(given.game, **read_options(given.options))
    if given.plot is not None:
        from bolzplatz.simulate.plot import check_plot
        from bolzplatz.simulate.plot_solved import check_drawn

        check_plot(given.plot)
        check_drawn(game)
    if given.estimate or not given.long:
        expected = _expected(game, given.workers, given.estimate)
        if given.estimate or (expected is not None and expected.seconds > LONG):
            _tell(game, expected, given)
            return DONE if given.estimate else NO
    with at_workplace(given), progress_bar() as progress:
        solution = _solved(game, progress, given.workers)
        facts = solution.facts()
    if given.json:
        print_json({"game": game.name, "options": dict(game.options), **facts})
    else:
        _report(game, facts)
    if given.plot is not None:
        from bolzplatz.simulate.plot_solved import write_solved_plot

        write_solved_plot(solution, given.plot, given.lang)
        print(f"The chart is in {given.plot}.", file=sys.stderr)
    return DONE


def _solved(game: "Game", progress: "Progress", workers: int | None) -> "Figures":
    """Return the solved game, or what is solved of it; raises SolveError where nothing is."""
    from bolzplatz.solve import solve

    return _parts(game) or solve(game, progress, workers, long=True)


def _parts(game: "Game") -> "Figures | None":
    """Return what is solved of a game that is not solved as a whole; None where nothing is. Raises SolveError."""
    from bolzplatz.simulate import grabbing
    from bolzplatz.solve import SolveError
    from bolzplatz.solve.subgames import sub_games

    if game.name != grabbing.NAME:
        return sub_games(game)
    if reason := grabbing.deals_refusal(game):
        raise SolveError(reason)
    return grabbing.GrabDecisions(game)


def _expected(game: "Game", workers: int | None, asked: bool) -> "Estimate | None":
    """Return what it takes to solve a game, measured where somebody asks for it or it may take long; else None."""
    from bolzplatz.solve import estimate, refusal

    if _parts(game) is not None:  # none takes long
        return None
    may_take_long = refusal(game) is not None and refusal(game, long=True) is None
    return estimate(game, workers) if asked or may_take_long else None


def _tell(game: "Game", expected: "Estimate | None", given: argparse.Namespace) -> None:
    """Say what it takes, and how to begin."""
    if given.json:
        data = {} if expected is None else asdict(expected)
        print_json({"game": game.name, "options": dict(game.options), **data})
    elif expected is None:
        print("That takes a minute at most.")
    elif expected.done == 1:
        print(f"That is solved; the table has {expected.table_bytes:,} bytes.")
    else:
        time = f"{expected.seconds / 3600:.1f} hours" if expected.seconds > 3600 else f"{expected.seconds:.0f} seconds"
        done = f" {100 * expected.done:.0f} % are done." if expected.done else ""
        threads = "one thread" if expected.workers == 1 else f"{expected.workers} threads"
        print(f"That takes about {time} on {threads}, and a table of {expected.table_bytes:,} bytes.{done}")
        if not given.estimate:
            print("--long begins it. It may be stopped at any time; the next run goes on from there.")


@contextlib.contextmanager
def progress_bar() -> Iterator["Progress"]:
    """Show a bar on the error output, if that is a terminal."""
    from bolzplatz.solve import say_nothing

    if not sys.stderr.isatty():
        yield say_nothing
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading the rules", total=1.0)
        yield lambda share, what: bar.update(task, completed=share, description=what)


def _report(game: "Game", facts: dict[str, Any]) -> None:
    console = open_console()
    console.print(f"{game.spec.title}, {'solved in parts' if 'solved' in facts else 'solved'}", style="bold green")
    changed = [f"{name}={show_value(value)}" for name, value in game.changed_options().items()]
    if changed:
        console.print(f"with {', '.join(changed)}", soft_wrap=True)
    grids = {name: value for name, value in facts.items() if _is_grid(value)}
    table = new_table("figure", "value")
    for name, value in _flat({name: value for name, value in facts.items() if name not in grids}):
        table.add_row(name.replace("_", " "), f"{value:.10f}" if isinstance(value, float) else str(value))
    console.print(table)
    for title, grid in grids.items():
        columns = list(next(iter(grid.values())))
        table = new_table("", *columns, title=f"{title.replace('_', ' ').capitalize()}, in percent", right=columns)
        for name, row in grid.items():
            table.add_row(name, *(f"{100 * value:.3f}" for value in row.values()))
        console.print(table)


def _is_grid(value: Any) -> bool:
    """Say whether figures are rows of chances under common headings."""
    rows = list(value.values()) if isinstance(value, dict) else []
    return (
        bool(rows)
        and all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows)
        and all(isinstance(cell, float) for row in rows for cell in row.values())
    )


def _flat(facts: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield figures with the names of all that they lie in."""
    if isinstance(facts, dict):
        for key, value in facts.items():
            yield from _flat(value, f"{name} {key}".strip())
    elif isinstance(facts, list):
        yield name, "; ".join(", ".join(f"{k} {v}" for k, v in entry.items()) for entry in facts) or "never"
    elif facts is not None:
        yield name, facts
