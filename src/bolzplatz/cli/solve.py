"""`bolzplatz solve GAME`: best play, proven, with the figures that follow from it."""

import argparse
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bolzplatz.cli.common import (
    DONE,
    add_game,
    add_json,
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
    from bolzplatz.solve import Progress, Solution


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "solve",
        help="work out best play exactly",
        description="Work out best play of a game exactly, or open the table of an earlier run, and print its figures. "
        "Solved are bar-bolz with every option, 5050 for two players, and gooaaaaal for two with four equal dice.",
        epilog="Ctrl-C keeps what is done; the next run with the same options goes on from there. Tables lie in the "
        "cache folder ($BOLZPLATZ_CACHE); one that is damaged or of other rules is never used.",
    )
    add_game(parser)
    add_options(parser)
    parser.add_argument(
        "--workers", metavar="W", type=whole_number(1), help="threads that solve (default: one for each core)"
    )
    add_workplace(parser)
    parser.add_argument("--plot", metavar="FILE", help="draw a chart of best play as .svg or .png")
    add_json(parser, "all figures")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    game = load_game(given.game, **read_options(given.options))
    if given.plot is not None:
        from bolzplatz.simulate.plot import check_plot

        check_plot(given.plot)
    from bolzplatz.solve import solve

    with at_workplace(given), progress_bar() as progress:
        solution = solve(game, progress, given.workers)
    if given.json:
        print_json({"game": game.name, "options": dict(game.options), **solution.facts()})
    else:
        _report(solution)
    if given.plot is not None:
        from bolzplatz.simulate.plot_solved import write_solved_plot

        write_solved_plot(solution, given.plot)
        print(f"The chart is in {given.plot}.", file=sys.stderr)
    return DONE


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


def _report(solution: "Solution") -> None:
    game, console = solution.game, open_console()
    console.print(f"{game.spec.title}, solved", style="bold green")
    changed = [
        f"{option.name}={show_value(game.options[option.name])}"
        for option in game.spec.options
        if game.options[option.name] != option.check(game.name, option.default)
    ]
    if changed:
        console.print(f"with {', '.join(changed)}", soft_wrap=True)
    table = new_table("figure", "value")
    for name, value in _flat(solution.facts()):
        table.add_row(name.replace("_", " "), f"{value:.10f}" if isinstance(value, float) else str(value))
    console.print(table)


def _flat(facts: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield figures with the names of all that they lie in."""
    if isinstance(facts, dict):
        for key, value in facts.items():
            yield from _flat(value, f"{name} {key}".strip())
    elif isinstance(facts, list):
        yield name, "; ".join(", ".join(f"{k} {v}" for k, v in entry.items()) for entry in facts) or "never"
    elif facts is not None:
        yield name, facts
