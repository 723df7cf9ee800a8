"""`bolzplatz simulate GAME`: millions of matches between computer players, with intervals and a chart."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from bolzplatz.bots import usual_level
from bolzplatz.cli.common import (
    DONE,
    INTERRUPTED,
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
)
from bolzplatz.cli.players import add_players, plug_in_players
from bolzplatz.core.game import Game
from bolzplatz.games import game_spec, load_game

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from bolzplatz.simulate import Share, SimulationResult

MATCHES = 100_000


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "simulate",
        help="let computer players play thousands of matches",
        description="Play many matches between computer players on all cores: win shares with 99 % intervals, lengths, "
        "scores, the advantage of each seat. The same seed gives the same numbers for any number of workers.",
        epilog="Where policies differ they take turns at the seats, so that the worth of a policy and that of a seat "
        "can be told apart. Ctrl-C prints what is done so far.",
    )
    add_game(parser)
    parser.add_argument(
        "--policies",
        metavar="A,B,…",
        help="computer players: one for all seats, or one a seat (default: good ones)",
    )
    add_run(parser, MATCHES)
    add_workplace(parser)
    add_players(parser)
    add_options(parser)
    add_data(parser)
    parser.add_argument("--no-rotate", action="store_true", help="let every policy keep its seat")
    parser.add_argument("--plot", metavar="FILE", help="draw a chart as .svg or .png")
    add_language(parser, "of the chart")
    add_json(parser, "all numbers")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    plug_in_players(given, strict=True)
    named = usual_level(given.game) if given.policies is None else given.policies
    policies = [policy.strip() for policy in named.split(",")]
    game = _load(given, len(policies))
    if given.plot is not None:
        from bolzplatz.simulate.plot import check_plot

        check_plot(given.plot)
    from bolzplatz.simulate import seat_policies, simulate

    seat_policies(game, policies)
    with at_workplace(given), _progress(given.matches) as progress:
        result = simulate(
            game, policies, given.matches, given.seed, given.workers, not given.no_rotate, progress=progress
        )
    if given.json:
        print_json(result.to_dict())
    else:
        _report(open_console(), result)
    if given.plot is not None:
        from bolzplatz.simulate.plot import write_plot

        write_plot(result, given.plot, given.lang)
        print(f"The chart is in {given.plot}.", file=sys.stderr)
    if result.interrupted:
        print(f"Stopped after {result.matches:,} of {result.wanted:,} matches.", file=sys.stderr)
        return INTERRUPTED
    return DONE


def _load(given: argparse.Namespace, policies: int) -> Game:
    """Load the game; where the number of players is an option that is not given, it is that of the policies."""
    options: dict[str, Any] = read_game_options(given)
    counted = any(option.name == "players" for option in game_spec(given.game).options)
    if counted and policies > 1:
        options.setdefault("players", policies)
    return load_game(given.game, **options)


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None] | None]:
    """Show a bar on the error output, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling the rules", total=total)
        yield lambda done: bar.update(task, completed=done, description="playing")


# --- the report ---------------------------------------------------------------------------------------------------


def _report(console: "Console", result: "SimulationResult") -> None:
    console.print(f"{result.title}: {result.matches:,} matches, seed {result.seed}", style="bold green")
    if result.changed_options:
        console.print(f"with {', '.join(result.changed_options)}", soft_wrap=True)
    if len(result.by_policy) > 1:
        console.print(_policy_table(result))
    console.print(_seat_table(result))
    console.print(_seat_verdict(result), soft_wrap=True)
    console.print(_number_table(result))
    for count, what in ((result.undecided, "without a winner"), (result.unfinished, "given up as too long")):
        if count:
            console.print(f"{count:,} matches {what}.", style="yellow")
    speed = f"{result.matches_per_second:,.0f} matches a second, {result.workers} at a time"
    console.print(f"{result.seconds:.2f} s: {speed}.", style="dim")


def _percent(share: "Share") -> tuple[str, str]:
    """Return a share and its interval in percent."""
    low, high = share.interval
    return f"{100 * share.share:.2f}", f"{100 * low:.2f} to {100 * high:.2f}"


def _policy_table(result: "SimulationResult") -> "Table":
    headings = ("policy", "seats", "wins %", "99 % interval", "fair %")
    table = new_table(*headings, title="Policies", right=headings[1:])
    for policy in result.by_policy:
        table.add_row(policy.policy, str(policy.seats), *_percent(policy.wins), f"{100 * policy.fair:.2f}")
    return table


def _seat_table(result: "SimulationResult") -> "Table":
    headings = ("seat", "played by", "wins %", "99 % interval", "fair %", "mean score")
    table = new_table(*headings, title="Seats", right=headings[2:])
    turns = len(result.seatings) > 1
    for seat in result.seats:
        policy = "all in turn" if turns else result.policies[seat.seat]
        fair, score = f"{100 * seat.fair:.2f}", f"{seat.scores.mean:,.2f}"
        table.add_row(str(seat.seat), policy, *_percent(seat.wins), fair, score)
    return table


def _seat_verdict(result: "SimulationResult") -> str:
    """Say in a sentence whether seats matter."""
    if len(result.by_policy) > 1 and len(result.seatings) == 1:
        return "Each policy kept its seat: the numbers show policy and seat together."
    best = max(result.seats, key=lambda seat: seat.advantage[0])
    points, low, high = (100 * value for value in best.advantage)
    if low <= 0:
        return "No seat is seen to win more often than is fair."
    return (
        f"Seat {best.seat} has the advantage: {points:+.2f} percentage points over its fair share "
        f"({low:+.2f} to {high:+.2f})."
    )


def _number_table(result: "SimulationResult") -> "Table":
    headings = ("", "mean", "sd", "least", "5 %", "median", "95 %", "most")
    table = new_table(*headings, title="Lengths and scores", right=headings[1:])
    rows = [("moves and throws of a match", result.lengths)]
    rows += [(f"score of seat {seat.seat}", seat.scores) for seat in result.seats]
    for name, numbers in rows:
        least, most = min(numbers.counts, default=0), max(numbers.counts, default=0)
        whole = (least, numbers.quantile(5), numbers.quantile(50), numbers.quantile(95), most)
        table.add_row(name, f"{numbers.mean:,.2f}", f"{numbers.sd:,.2f}", *(f"{value:,}" for value in whole))
    return table
