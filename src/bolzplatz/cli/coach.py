"""`bolzplatz coach FILE`: a recorded match looked at afterwards: win chances, luck and skill apart, the worst moves.

Several files are an evening: who was luckiest over all its matches.
"""

import argparse
import sys
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.cli.common import (
    DONE,
    CommandError,
    add_json,
    add_language,
    new_table,
    open_console,
    print_json,
    read_record_file,
    visible,
    whole_number,
)
from bolzplatz.cli.solve import progress_bar
from bolzplatz.core.errors import RecordError
from bolzplatz.games import load_game

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from bolzplatz.core.game import Game
    from bolzplatz.core.record import Record
    from bolzplatz.solve import Progress
    from bolzplatz.solve.coach import Analysis
    from bolzplatz.solve.dribbel_fieber import Choice

WORST: Final = 5


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "coach",
        help="look at a recorded match: win chances, luck, worst moves",
        description="Work out for a .bolz record of a solved game each seat's chance to win after every throw and "
        "move, how much of the result was luck, and which moves gave away most. For each seat: result = chance at the "
        "start + luck - what its own moves gave away + what the others' moves gave away. Of a match of dribbel-fieber "
        "that is told of the last turn, and of all its shots how likely they made a goal.",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="the record; several are an evening: who was luckiest in all of them"
    )
    parser.add_argument(
        "--worst", metavar="N", type=whole_number(0), default=WORST, help="how many moves (default: %(default)s)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the win chances as .svg or .png")
    add_language(parser, "of the chart")
    add_json(parser, "everything")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    if len(given.files) > 1:
        return _evening(given)
    from bolzplatz.core.record import load_recorded_game, read_record

    (file,) = given.files
    if given.plot is not None:
        from bolzplatz.simulate.plot import check_plot

        check_plot(given.plot)
    try:
        record = read_record(read_record_file(file))
        game = load_recorded_game(record, load_game)
        with progress_bar() as progress:
            analysis = _analysed(game, record, progress)
            if given.plot is not None and isinstance(analysis, str):
                raise CommandError(f"{file}: no chart: {analysis}")
            shots = _shots(game, record)
    except RecordError as fault:
        raise CommandError(f"{file}, {fault}") from None
    names = [visible(name) for name in record.seats]
    if given.json:
        data = {"game": game.name, "seats": names, **_as_data(analysis, given.worst)}
        print_json(data if shots is None else {**data, "shots": [shot.to_dict() for shot in shots]})
    else:
        _report(game.spec.title, names, analysis, given.worst, record.given)
        if shots:
            open_console().print(_shot_table(names, shots))
    if given.plot is not None and not isinstance(analysis, str):
        from bolzplatz.simulate.plot_solved import write_match_plot

        write_match_plot(game, names, analysis, given.plot, given.lang)
        print(f"The chart is in {given.plot}.", file=sys.stderr)
    return DONE


def _analysed(game: "Game", record: "Record", progress: "Progress") -> "Analysis | str":
    """Look at a match, or at its end where only that is solved; say why, where nothing is known of that either.

    Raises SolveError for a game of which nothing is solved.
    """
    from bolzplatz.solve import SolveError, solve
    from bolzplatz.solve.subgames import sub_games
    from bolzplatz.table.afterwards import look_at

    def tell(done: int) -> None:
        progress(done / max(1, len(record.moves)), "looking at the match")

    try:
        return look_at(game, record, lambda each: solve(each, progress), tell)
    except SolveError as fault:
        if sub_games(game) is None:
            raise
        return str(fault)


def _shots(game: "Game", record: "Record") -> "list[Choice] | None":
    """Return the shots of a match of Dribbel-Fieber; None of other games."""
    from bolzplatz.games.dribbel_fieber import NAME
    from bolzplatz.solve.dribbel_fieber import shots_of

    return shots_of(game, record.moves) if game.name == NAME else None


def _evening(given: argparse.Namespace) -> int:
    from bolzplatz.core.record import read_record
    from bolzplatz.solve import solve
    from bolzplatz.table.evening import evening_of, match_of

    if given.plot is not None:
        raise CommandError("--plot draws one match, not an evening")
    matches = []
    with progress_bar() as progress:
        for number, file in enumerate(given.files):
            progress(number / len(given.files), "looking at the matches")
            try:
                matches.append(match_of(read_record(read_record_file(file)), solve))
            except RecordError as fault:
                raise CommandError(f"{file}, {fault}") from None
    evening = evening_of(matches)
    if given.json:
        luckiest = None if evening.luckiest is None else evening.luckiest.name
        people = [person.to_dict() for person in evening.people]
        print_json({"matches": len(matches), "people": people, "luckiest": luckiest})
        return DONE
    console = open_console()
    console.print(f"{len(matches)} matches", style="bold green")
    headings = ("", "played", "won", "to be expected", "luck", "own moves", "others' moves")
    table = new_table(*headings, title="Matches won, and what they are made of", right=headings[1:])
    for person in evening.people:
        parts = (person.luck, -person.own_losses, person.gifts)
        known = (f"{person.start:.2f}", *(f"{part:+.2f}" for part in parts)) if person.known else ("",) * 4
        table.add_row(visible(person.name), str(person.matches), f"{person.won:g}", *known)
    console.print(table)
    if evening.luckiest is not None:
        said = f"Luckiest of the evening: {visible(evening.luckiest.name)}, {evening.luckiest.luck:+.2f} matches."
        console.print(said, soft_wrap=True)
    return DONE


def _as_data(analysis: "Analysis | str", worst: int) -> dict[str, Any]:
    if isinstance(analysis, str):
        return {"refusal": analysis}
    return {
        "start": list(analysis.start),
        "balances": [balance.to_dict() for balance in analysis.balances],
        "worst": [step.to_dict() for step in analysis.worst(worst)],
        "steps": [step.to_dict() for step in analysis.steps],
    }


def _report(title: str, names: "Sequence[str]", analysis: "Analysis | str", worst: int, begun: int) -> None:
    console = open_console()
    console.print(f"{title}: {', '.join(names)}", style="bold green", soft_wrap=True)
    if isinstance(analysis, str):
        console.print(f"{analysis[0].upper()}{analysis[1:]}.", soft_wrap=True)
        return
    if analysis.given > begun:
        console.print(f"From move {analysis.given + 1} on: best play is not known before.", soft_wrap=True)
    console.print(_balance_table(names, analysis))
    luckiest = max(analysis.balances, key=lambda balance: balance.luck)
    console.print(f"Luckiest: {names[luckiest.seat]}, {100 * luckiest.luck:+.1f} percentage points.", soft_wrap=True)
    if not (steps := analysis.worst(worst)):
        console.print("Every move was a best one.")
        return
    headings = ("move", "who", "played", "best", "gave away %", "")
    table = new_table(*headings, title="Moves that gave away most", right=("move", "gave away %"))
    for step in steps:
        who = "" if step.seat is None else names[step.seat]
        table.add_row(str(step.number), who, step.move, " or ".join(step.best), f"{100 * step.loss:.2f}", step.mark)
    console.print(table)


def _shot_table(names: "Sequence[str]", shots: "Sequence[Choice]") -> "Table":
    headings = ("move", "who", "done", "goal %", "likeliest goal", "goal %")
    table = new_table(*headings, title="Shots with all that may bounce back", right=("move", "goal %"))
    for shot in shots:
        chances = (f"{100 * chance:.2f}" for chance in (shot.goal, shot.best_goal))
        table.add_row(str(shot.number), names[shot.seat], shot.move, next(chances), shot.best, next(chances))
    return table


def _balance_table(names: "Sequence[str]", analysis: "Analysis") -> "Table":
    headings = ("", "at the start", "luck", "own moves", "others' moves", "in the end")
    table = new_table(*headings, title="Chances to win, in percent", right=headings[1:])
    for balance in analysis.balances:
        parts = (balance.luck, -balance.own_losses, balance.gifts)
        table.add_row(
            names[balance.seat],
            f"{100 * balance.start:.2f}",
            *(f"{100 * part:+.2f}" for part in parts),
            f"{100 * balance.end:.2f}",
        )
    return table
