"""`bolzplatz puzzle`: the puzzle of the day in the terminal."""

import argparse
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from bolzplatz.cli.common import (
    DONE,
    NO,
    CommandError,
    add_json,
    add_language,
    new_table,
    open_console,
    print_json,
)

if TYPE_CHECKING:
    from bolzplatz.simulate.puzzles import Puzzle
    from bolzplatz.web.language import Catalogue


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "puzzle",
        help="a position a day: find the best move",
        description="Show the puzzle of the day: a position of a solved game in which the best move is not the one "
        "that comes naturally. Everybody has the same one.",
        epilog="Exit code 1 says that an answer was not the best move.",
    )
    parser.add_argument("--date", metavar="YYYY-MM-DD", help="another day's puzzle (default: today's, UTC)")
    parser.add_argument("--answer", metavar="MOVE", help="answer with a move, in notation")
    parser.add_argument("--solution", action="store_true", help="show the solution")
    add_language(parser)
    add_json(parser, "position, moves and chances")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    from bolzplatz.simulate.puzzles import puzzle_of
    from bolzplatz.web.language import catalogue
    from bolzplatz.web.puzzle import told

    day = _day(given.date)
    puzzle, t = puzzle_of(day), catalogue(given.lang)
    if given.answer is not None and given.answer not in puzzle.chances:
        raise CommandError(f"--answer: {given.answer!r} is no move here; moves are {', '.join(puzzle.chances)}")
    answer = given.answer if given.answer is not None else puzzle.best if given.solution else None
    shown = told(day, answer, t)["answer"]
    good = shown is None or shown["good"]
    if given.json:
        print_json(_as_data(day, puzzle, given.answer, answer is not None, good))
    else:
        _show(day, puzzle, shown, given.answer is not None, t)
    return DONE if good else NO


def _day(text: str | None) -> date:
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandError(f"--date: {text!r} is no date such as 2026-11-30") from None


def _as_data(day: date, puzzle: "Puzzle", answer: str | None, solved: bool, good: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "date": day.isoformat(),
        "game": puzzle.game,
        "options": dict(puzzle.options),
        "position": dict(puzzle.position),
        "moves": list(puzzle.chances),
    }
    if solved:
        data |= {"best": puzzle.best, "natural": puzzle.natural, "chances": dict(puzzle.chances)}
    if answer is not None:
        data |= {"answer": answer, "good": good}
    return data


def _show(day: date, puzzle: "Puzzle", shown: dict[str, Any] | None, answered: bool, t: "Catalogue") -> None:
    console, state = open_console(), puzzle.state()
    console.print(f"{t('puzzle.title')}, {day.isoformat()}: {state.game.spec.title}", style="bold green")
    console.print(str(state))
    if shown is None:
        console.print(t("puzzle.lead"))
        for move in puzzle.chances:
            console.print(f"  {move}")
        console.print("bolzplatz puzzle --answer MOVE", style="dim")
        return
    for line in [shown["verdict"], *shown["lines"]] if answered else shown["lines"]:
        console.print(line, soft_wrap=True)
    table = new_table(t("puzzle.move"), t("puzzle.wins"), title=t("puzzle.chances"), right=(t("puzzle.wins"),))
    for move, chance in sorted(puzzle.chances.items(), key=lambda pair: -pair[1])[: len(shown["rows"])]:
        table.add_row(move, f"{100 * chance:.2f} %")
    console.print(table)
    console.print(t("puzzle.exact"), style="dim")
