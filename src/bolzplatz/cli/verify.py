"""`bolzplatz verify FILE`: recompute all that a record claims, offline, and say in plain words what that proves."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.cli.common import (
    DONE,
    NO,
    add_json,
    new_table,
    open_console,
    print_json,
    read_record_file,
    visible,
)
from bolzplatz.core.errors import RecordError
from bolzplatz.games import load_game

if TYPE_CHECKING:
    from rich.console import Console

    from bolzplatz.core.record import Record, Verification
    from bolzplatz.core.sealed import CheckedDraw, Note

PROVEN_ALONE: Final = (
    "Proven: all dice follow from one seed that was fixed before the first throw; moves and scores follow the rules; "
    "nothing was changed afterwards. Not proven: that the seed was left to chance. Nobody else had a hand in it, so "
    "whoever ran the program could have tried several."
)
PROVEN_TOGETHER: Final = (
    "Proven: every throw was made from secret values of the server, {others}, all fixed before the first throw; moves "
    "and scores follow the rules; nothing was changed afterwards. So nobody at the table, the host included, could "
    "choose or foresee a throw as long as one of those who had a hand in it did not plot with the host."
)
RACES: Final = (
    "Who was first: {count} races were judged anew from all that came in, and the verdicts follow. The times are those "
    "of the host's clock."
)
NOTHING_THROWN: Final = "Proven: nothing was thrown yet, and the record says nothing else."
NOTES: Final = {
    "restarts": "the table was opened anew {count} times before this match; that costs nothing, but you should know",
    "server-alone": "nobody but the server had a hand in the dice",
    "no-chain": "{who} had no hand in the dice",
    "absent": "draw {k}: {who} did not answer in time and had no hand in it",
    "renewed": "after draw {k} the values were used up and new ones were fixed",
    "joined": "after draw {k} {who} joined in",
    "dropped": "after draw {k} {who} had no hand in the dice any more",
    "given": "the match was played on from a position: its first {count} moves and throws were given, not proven",
    "rewound": "the players went back by agreement: {count} draws, the last of them draw {k}, count no more",
    "broken-off": "after {count} moves a round was broken off, and no hand in it counts",
    "running": "the match is not over: the record is a part, and hidden shuffles cannot be checked yet",
}
"""The notes of `core.sealed` and `core.record`, in words."""


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verify",
        help="check the dice and the moves of a record",
        description="Recompute all that a .bolz record claims: commitments, every throw, every move, the result. Needs "
        "nothing but the file. Exit code 0: all is proven. 1: it is not.",
    )
    parser.add_argument("file", metavar="FILE", help="the record")
    parser.add_argument("--draws", action="store_true", help="list every draw")
    add_json(parser, "what was found")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Carry the command out."""
    from bolzplatz.core.record import Verification, read_record, verify_record

    data = read_record_file(given.file)
    record = None
    try:
        record = read_record(data)
        found = verify_record(record, load_game)
    except RecordError as fault:  # it says that it is a record, but has been damaged
        found = Verification(provable=True, faults=[(fault.place, fault.reason)])
    if given.json:
        print_json({"file": given.file, **_headers(record), **found.to_dict()})
    else:
        _report(open_console(), given, record, found)
    return DONE if found.ok else NO


def _headers(record: "Record | None") -> dict[str, Any]:
    if record is None:
        return {}
    return {"game": record.game, "seats": list(record.seats), "dice": record.dice, "result": record.result}


def _report(console: "Console", given: argparse.Namespace, record: "Record | None", found: "Verification") -> None:
    if record is not None:
        _tell_match(console, record, found)
    if given.draws and found.draws:
        _list_draws(console, found.draws, record.seats if record else ())
    for place, reason in found.faults:
        console.print(f"WRONG at {visible(place)}: {visible(reason)}", style="bold red", soft_wrap=True)
    if not found.provable and not found.faults:
        console.print("The moves follow the rules, and the result is right.", soft_wrap=True)
    if not found.provable:
        console.print("NOT PROVABLE: the record has no proof of its dice.", style="bold yellow", soft_wrap=True)
    if record is not None and found.ok:
        console.print("ALL RIGHT.", style="bold green")
        console.print(_proven(record, found), soft_wrap=True)
        if races := _races(record):
            console.print(RACES.format(count=races), soft_wrap=True)


def _tell_match(console: "Console", record: "Record", found: "Verification") -> None:
    table = new_table("", "")
    table.show_header = False
    table.add_row("game", visible(record.game))
    for number, name in enumerate(record.seats):
        table.add_row(f"seat {number}", visible(name))
    table.add_row("result", visible(record.result))
    table.add_row("dice", visible(record.dice))
    table.add_row("moves and throws", str(len(record.moves)))
    if found.words:
        table.add_row("six words", " ".join(found.words))
    if found.provable:
        table.add_row("sealed draws", str(len(found.draws)))
    for who, (answered, asked) in _contributions(found.draws).items():
        table.add_row("", f"{_person(who, record.seats)} had a hand in {answered} of {asked}")
    console.print(table)
    for frequency in found.frequencies:
        _tell_frequency(console, frequency)
    for note in found.notes:
        console.print(f"Note: {_note_text(note, record.seats)}.", style="yellow", soft_wrap=True)


def _contributions(draws: Sequence["CheckedDraw"]) -> dict[str, tuple[int, int]]:
    """Return how many draws each contributor had a hand in, the server apart, and how many it was asked for."""
    found: dict[str, tuple[int, int]] = {}
    for checked in draws:
        for who in checked.draw.request.expected:
            answered, asked = found.get(who, (0, 0))
            found[who] = (answered + (who in checked.draw.values), asked + 1)
    return found


def _tell_frequency(console: "Console", frequency: Any) -> None:
    """Print how often each face came up."""
    table = new_table(
        "face",
        "came up",
        "to expect",
        "",
        title=f"Dice {frequency.form}: {frequency.throws} thrown",
        right=("face", "came up", "to expect"),
    )
    for face, count in enumerate(frequency.counts, 1):
        inside = frequency.low <= count <= frequency.high
        band = f"{frequency.low} to {frequency.high}"
        table.add_row(str(face), str(count), band, "" if inside else "outside: one face in a hundred is")
    console.print(table)


def _list_draws(console: "Console", draws: Sequence["CheckedDraw"], seats: Sequence[str]) -> None:
    table = new_table("draw", "seat", "what", "faces", "missing", title="All draws", right=("draw", "seat"))
    for checked in draws:
        request = checked.draw.request
        faces = "hidden" if checked.faces is None else " ".join(map(str, checked.faces))
        seat = "" if request.seat is None else str(request.seat)
        missing = ", ".join(_person(who, seats) for who in checked.draw.absent)
        table.add_row(str(request.k), seat, f"{request.n} {request.form}", faces, missing)
    console.print(table)


def _note_text(note: "Note", seats: Sequence[str]) -> str:
    who = ", ".join(_person(who, seats) for who in note.who)
    return NOTES[note.kind].format(k=note.k, who=who, count=note.count)


def _proven(record: "Record", found: "Verification") -> str:
    """Say what follows from a proof that was found right."""
    if not found.draws:
        return NOTHING_THROWN
    others = [
        f"of {_person(who, record.seats)}" for who, (answered, _) in _contributions(found.draws).items() if answered
    ]
    return PROVEN_TOGETHER.format(others=", ".join(others)) if others else PROVEN_ALONE


def _races(record: "Record") -> int:
    """Count the races of hands in a record's proof, for pieces and for throws."""
    entries = [] if record.proof is None else record.proof["entries"]
    return sum(entry.get("race") is not None or entry.get("tap") is not None for entry in entries)


def _person(who: str, seats: Sequence[str]) -> str:
    """Return the name of a contributor as people know it: that of its seat."""
    kind, _, number = who.partition("-")
    return visible(seats[int(number)]) if kind == "seat" and int(number) < len(seats) else who
