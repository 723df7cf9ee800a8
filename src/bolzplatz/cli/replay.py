"""`bolzplatz replay FILE`: a recorded match step by step: the move, what happened, the board."""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bolzplatz.cli.common import (
    DONE,
    CommandError,
    add_json,
    add_language,
    name_seats,
    open_console,
    print_json,
    read_record_file,
    sentences,
    visible,
    whole_number,
)
from bolzplatz.core.errors import IllegalActionError, RecordError
from bolzplatz.core.game import Event, State
from bolzplatz.core.texts import GameTexts, game_texts
from bolzplatz.games import load_game

if TYPE_CHECKING:
    from bolzplatz.core.record import Record


class Step(NamedTuple):
    """One entry of a recorded match: its number from 1, who moved or threw (None: nobody), and how it stands then."""

    number: int
    seat: int | None
    move: str
    scores: list[int]
    board: str


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "replay",
        help="show a recorded match step by step",
        description="Play a .bolz record again: each move or throw, what happened, and the board after it.",
    )
    parser.add_argument("file", metavar="FILE", help="the record")
    parser.add_argument(
        "--at", metavar="N", type=whole_number(0), help="show the position after N moves and throws only; 0: the start"
    )
    add_language(parser)
    add_json(parser, "the match")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    from bolzplatz.core.record import load_recorded_game, read_record

    try:
        record = read_record(read_record_file(given.file))
        state = load_recorded_game(record, load_game).new_initial_state()
        if given.at is not None and given.at > len(record.moves):
            raise CommandError(f"{given.file} has {len(record.moves)} moves and throws: {given.at} is beyond its end")
        names = [visible(name) for name in record.seats]
        opening = name_seats(str(state), names)
        steps = list(_steps(state, record.moves[: given.at], names))
    except RecordError as fault:
        raise CommandError(f"{given.file}, {fault}") from None
    shown = steps if given.at is None else steps[-1:]
    happened = defaultdict[int, list[Event]](list)
    for event in state.events():
        happened[event.step + 1].append(event)
    texts = game_texts(record.game, given.lang)
    if given.json:
        print_json(_as_data(record, shown, happened, state, texts))
        return DONE
    console = open_console()
    console.print(f"{state.game.spec.title}: {', '.join(names)}", style="bold", soft_wrap=True)
    if given.at is None or not shown:
        console.print(opening, soft_wrap=True)
    for step in shown:
        who = "" if step.seat is None else f" {names[step.seat]}:"
        console.print(f"\n{step.number}.{who} {step.move}", style="bold green", soft_wrap=True)
        for sentence in sentences(happened[step.number], texts, names):
            console.print(f"   {sentence}", soft_wrap=True)
        console.print(step.board, soft_wrap=True)
    if given.at is None:
        console.print(f"\nResult: {visible(record.result)}", style="bold", soft_wrap=True)
    return DONE


def _steps(state: State, moves: Sequence[str], names: Sequence[str]) -> Iterator[Step]:
    """Play moves and yield the steps; raises RecordError that names the move which the rules refuse."""
    for number, move in enumerate(moves, 1):
        player = state.current_player()
        seat = player if player >= 0 else state.roller()
        try:
            state.play(move)
        except IllegalActionError as fault:
            raise RecordError(f"move {number}", str(fault)) from None
        yield Step(number, seat, move, state.scores(), name_seats(str(state), names))


def _as_data(
    record: "Record", steps: Sequence[Step], happened: Mapping[int, list[Event]], last: State, texts: GameTexts
) -> dict[str, Any]:
    return {
        "game": record.game,
        "rules_version": record.rules_version,
        "options": dict(last.game.options),
        "seats": list(record.seats),
        "dice": record.dice,
        "result": record.result,
        "moves": len(record.moves),
        "steps": [
            {
                "number": step.number,
                "seat": step.seat,
                "move": step.move,
                "events": [event.to_dict() for event in happened[step.number]],
                "sentences": sentences(happened[step.number], texts, record.seats),
                "scores": step.scores,
            }
            for step in steps
        ],
        "position": last.view(None),
    }
