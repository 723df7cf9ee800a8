"""The record of a match as a text file, `.bolz`: written for people, checked by machines.

Three parts with a blank line between them, UTF-8, each line ended by a line feed:

    Bolzplatz record 1
    game: 5050
    rules: 1
    data: 3f0c…
    option players: 2
    …
    seat 0: Mia
    seat 1: computer, good
    dice: sealed draws
    result: 5100 3050

    throw 112346
    keep 1 1
    …

    {"proof":{…},"text":"…"}

`data` is there where the rules read data files: the digest of what was read (`core.sealed_throw.data_digest`), so that
nobody replays a match with other dice or cards. Older records lack it, and are read all the same.

A match that was played on from a position has a header `given: N` before the result: its first N moves were given, and
the proof covers those after them. Moves are those that stand; what was taken back is in the proof alone, where an entry
`{"undo": n}` says that the match went on after n of its moves (throws taken back stay there, checked as all are).

The last part is one line of canonical JSON: the proof of the sealed draws (`core.sealed`) and the SHA-256 of all text
before it. Without it a record replays but proves nothing. `verify_record` trusts nothing in the file.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any, Final

from bolzplatz.core.errors import BolzplatzError, IllegalActionError, RecordError
from bolzplatz.core.game import Game, State
from bolzplatz.core.proven import proven_moves
from bolzplatz.core.sealed import (
    CheckedDraw,
    Note,
    Opening,
    canonical_json,
    read_canonical,
    read_form,
    six_words,
    verify_proof,
)
from bolzplatz.core.sealed_throw import data_digest
from bolzplatz.core.spec import OptionValue, show_value

MAGIC: Final = "Bolzplatz record 1"
SEALED_DICE: Final = "sealed draws"
HAND_DICE: Final = "by hand"
UNFINISHED: Final = "unfinished"
Z_99: Final = 2.5758
"""Half of a normal distribution's middle 99 %, in standard deviations."""

_GIVEN: Final = re.compile("[1-9][0-9]{0,8}")
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_EXTRA: Final = ("data", "given")
"""Headers that not every record has."""
LoadGame = Callable[..., Game]


@dataclass(frozen=True, slots=True)
class Record:
    """What a `.bolz` file holds.

    Attributes:
        game: the game's name.
        rules_version: the version of its rules.
        options: every option with its value.
        seats: a name for each seat.
        dice: `sealed draws` or `by hand`.
        result: the scores, or `unfinished`.
        moves: the history in notation.
        given: how many of the moves were given: the match was played on from there.
        data: the digest of the data that the rules read, empty where they read none and in older records.
        proof: the proof of the sealed draws, or None.
        text_digest: the digest of headers and moves that a file's proof block names; written_digest: their real one.
    """

    game: str
    rules_version: str
    options: Mapping[str, OptionValue]
    seats: tuple[str, ...]
    dice: str
    result: str
    moves: tuple[str, ...]
    proof: dict[str, Any] | None = None
    text_digest: str | None = None
    written_digest: str | None = None
    given: int = 0
    data: str = ""


def record_of(
    state: State, seats: Sequence[str], dice: str, proof: dict[str, Any] | None = None, given: int = 0
) -> Record:
    """Return the record of a match as it stands; `seats` are names, one a seat. Raises RecordError for other names.

    The first `given` moves of the state were given: the match was played on from there.
    """
    game = state.game
    if len(seats) != game.num_players or any("\n" in name for name in seats):
        raise RecordError("headers", f"{game.num_players} names of one line each are expected, not {list(seats)}")
    options, moves = dict(game.options), tuple(state.history())
    data = data_digest(game, moves[:given]) if game.spec.reads_data else ""
    return Record(
        game.name, game.rules_version, options, tuple(seats), dice, _result(state), moves, proof, given=given, data=data
    )


def _result(state: State) -> str:
    return " ".join(str(score) for score in state.scores()) if state.is_terminal() else UNFINISHED


def write_record(record: Record) -> str:
    """Return the text of a record."""
    lines = [MAGIC, f"game: {record.game}", f"rules: {record.rules_version}"]
    lines += [f"data: {record.data}"] if record.data else []
    lines += [f"option {name}: {show_value(value)}" for name, value in record.options.items()]
    lines += [f"seat {number}: {name}" for number, name in enumerate(record.seats)]
    lines += [f"dice: {record.dice}", *([f"given: {record.given}"] if record.given else [])]
    lines += [f"result: {record.result}", "", *record.moves, ""]
    text = "\n".join(lines) + "\n"
    if record.proof is None:
        return text
    proof = canonical_json({"proof": record.proof, "text": _digest(text)}).decode()
    return f"{text}{proof}\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_record(data: bytes) -> Record:
    """Read a record; raises RecordError that names the line where something does not fit.

    Whether the proof proves anything is for `verify_record` to say.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        raise RecordError(f"byte {fault.start}", "no UTF-8 text") from None
    if not text.startswith(MAGIC + "\n"):
        raise RecordError("line 1", f"not a record: it must begin with {MAGIC!r}")
    if not text.endswith("\n"):
        raise RecordError("end", "the last line is not ended: is the file cut off?")
    lines = text.split("\n")[:-1]
    header = lines[: lines.index("")] if "" in lines else lines
    rest = lines[len(header) + 1 :]
    if "" not in rest:
        raise RecordError("end", "headers and moves must each be followed by an empty line")
    moves = rest[: rest.index("")]
    proof = rest[len(moves) + 1 :]
    if len(proof) > 1:
        raise RecordError(f"line {len(lines) - len(proof) + 2}", "one line of proof is expected, and nothing after it")
    written = text[: len(text) - len(proof[0]) - 1] if proof else text
    block = _read_proof(proof[0].encode(), len(lines)) if proof else {}
    headers = _read_header(header)
    if headers["given"] > len(moves):
        raise RecordError("headers", f"{headers['given']} moves were given, but there are {len(moves)}")
    return Record(
        **headers,
        moves=tuple(moves),
        proof=block.get("proof"),
        text_digest=block.get("text"),
        written_digest=_digest(written),
    )


def _read_header(lines: list[str]) -> dict[str, Any]:
    """Read `key: value` lines: each key once, in the order in which they are written."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 2):
        key, colon, value = line.partition(": ")
        if not colon or key in found:
            raise RecordError(f"line {number}", f"one `key: value` a line is expected, each key once: {line[:60]!r}")
        found[key] = value
    options = {key.removeprefix("option "): found.pop(key) for key in list(found) if key.startswith("option ")}
    seats = {key: found.pop(key) for key in list(found) if key.startswith("seat ")}
    if list(seats) != [f"seat {number}" for number in range(len(seats))]:
        raise RecordError("headers", "seats must be numbered from 0")
    wanted = [key for key in ("game", "rules", "data", "dice", "given", "result") if key in found or key not in _EXTRA]
    if list(found) != wanted:
        raise RecordError("headers", f"expected: {', '.join(wanted)}, options and seats; found: {', '.join(found)}")
    if found["dice"] not in (SEALED_DICE, HAND_DICE):
        raise RecordError("headers", f"dice are {SEALED_DICE!r} or {HAND_DICE!r}, not {found['dice'][:40]!r}")
    given = found.get("given", "0")
    if "given" in found and not _GIVEN.fullmatch(given):
        raise RecordError("headers", f"given: a number of moves is expected, not {given[:40]!r}")
    data = found.get("data", "")
    if "data" in found and not _DIGEST.fullmatch(data):
        raise RecordError("headers", f"data: a digest in hexadecimal is expected, not {data[:40]!r}")
    return {
        "game": found["game"],
        "data": data,
        "given": int(given),
        "rules_version": found["rules"],
        "options": options,
        "seats": tuple(seats.values()),
        "dice": found["dice"],
        "result": found["result"],
    }


def _read_proof(line: bytes, number: int) -> dict[str, Any]:
    try:
        block = read_canonical(line)
    except ValueError as fault:
        raise RecordError(f"line {number}", f"the proof is not canonical JSON: {fault}") from None
    if not isinstance(block, dict) or set(block) != {"proof", "text"}:
        raise RecordError(f"line {number}", "the proof block must hold `proof` and `text`, and nothing else")
    return block


# --- replay and verification ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often each face of one kind of die came up, and between which counts 99 of 100 such runs would lie."""

    form: str
    throws: int
    counts: tuple[int, ...]
    low: int
    high: int


@dataclass(slots=True)
class Verification:
    """What `verify_record` found.

    Attributes:
        provable: whether the record has a proof.
        faults: (place, what is wrong); none where all was recomputed and found right.
        notes: what a reader should know though it is no fault: absent seats, restarts, an open deck (kinds of
            `core.sealed`); `given` (count: moves before the proof begins), `rewound` (k: the last draw before players
            went back by agreement, count: the draws that became void), `broken-off` (count: moves before a round
            that was broken off).
        draws: the draws that were recomputed.
        frequencies: one for each kind of die.
        words: the six words of the opening record.
    """

    provable: bool
    faults: list[tuple[str, str]] = field(default_factory=list)
    notes: tuple[Note, ...] = ()
    draws: tuple[CheckedDraw, ...] = ()
    frequencies: tuple[Frequency, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the record proves what it says."""
        return self.provable and not self.faults

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {
            "ok": self.ok,
            "provable": self.provable,
            "faults": [{"place": place, "reason": reason} for place, reason in self.faults],
            "notes": [note.to_json() for note in self.notes],
            "draws": len(self.draws),
            "frequencies": [asdict(frequency) for frequency in self.frequencies],
            "words": list(self.words),
        }


def load_recorded_game(record: Record, load_game: LoadGame) -> Game:
    """Return the game that a record was played with; raises RecordError where this version does not have it."""
    try:
        game = load_game(record.game, **{name: str(value) for name, value in record.options.items()})
    except BolzplatzError as fault:
        raise RecordError("headers", str(fault)) from None
    if game.rules_version != record.rules_version:
        raise RecordError(
            "headers",
            f"played under rules version {record.rules_version}; this program has version {game.rules_version}",
        )
    if len(record.seats) != game.num_players:
        raise RecordError("headers", f"{len(record.seats)} seats for {game.num_players} players")
    if record.data and record.data != (ours := data_digest(game, record.moves[: record.given])):
        raise RecordError(
            "headers", f"played with other dice or cards: data {record.data[:12]}…; this program has {ours[:12]}…"
        )
    return game


def replay_record(record: Record, load_game: LoadGame) -> State:
    """Return the match's last state; raises RecordError that names the move which the rules refuse."""
    return _replayed(load_recorded_game(record, load_game), record.moves)


def _replayed(game: Game, moves: Sequence[str]) -> State:
    state = game.new_initial_state()
    for number, move in enumerate(moves, 1):
        try:
            state.play(move)
        except IllegalActionError as fault:
            raise RecordError(f"move {number}", str(fault)) from None
    return state


def verify_record(record: Record, load_game: LoadGame) -> Verification:
    """Recompute everything that a record claims: chains, draws, dice, rules, scores. Never raises for bad input."""
    found = Verification(provable=record.proof is not None)
    if record.proof is not None:
        report = verify_proof(record.proof)
        found.notes, found.draws = report.notes, report.draws
        found.frequencies = _frequencies(report.draws)
        if report.fault is not None:
            found.faults.append(("proof", str(report.fault)))
    try:
        if record.proof is not None and not found.faults:
            opening = Opening.from_json(record.proof["opening"])
            found.words = six_words(opening.table, opening.digest())
            found.notes += _compare_with_proof(record, opening, load_recorded_game(record, load_game), found.draws)
        state = replay_record(record, load_game)
        if record.result != _result(state):
            raise RecordError("headers", f"the result is {_result(state)!r}, the file says {record.result!r}")
    except RecordError as fault:
        found.faults.append((fault.place, fault.reason))
    if record.proof is not None and record.text_digest != record.written_digest and not found.faults:
        found.faults.append(("text", "headers or moves were changed: their digest is not the one in the proof block"))
    return found


def _compare_with_proof(record: Record, opening: Opening, game: Game, draws: Sequence[CheckedDraw]) -> tuple[Note, ...]:
    """Check that headers and moves say what the proven log says, and return what to note; raises RecordError."""
    if record.dice != SEALED_DICE:
        raise RecordError("headers", f"the dice were {SEALED_DICE!r}, the file says {record.dice!r}")
    claims = {
        "game": (opening.game, record.game),
        "rules": (opening.rules_version, record.rules_version),
        "options": (dict(opening.options), game.options),
        "data": (opening.data_digest, data_digest(game, record.moves[: record.given])),
        "seats": ([seat.get("name") for seat in opening.seats], list(record.seats)),
    }
    for name, (proven, claimed) in claims.items():
        if proven != claimed:
            raise RecordError("headers", f"{name}: the opening record says {proven!r}, the file {claimed!r}")
    entries = [] if record.proof is None else record.proof["entries"]
    _replayed(game, record.moves[: record.given])
    proven, notes = proven_moves(game, record.moves[: record.given], entries, draws, opening.seats)
    for number, (written, move) in enumerate(zip_longest(record.moves[record.given :], proven), record.given + 1):
        if move is None:
            raise RecordError(f"move {number}", f"{written!r} is not in the proof")
        if written != move:
            raise RecordError(f"move {number}", f"the proof has {move!r} here, the file {written!r}")
    return (*([Note("given", count=record.given)] if record.given else []), *notes)


def _frequencies(draws: Sequence[CheckedDraw]) -> tuple[Frequency, ...]:
    """Count the faces of dice (forms d2 to d252) over all draws."""
    faces: dict[str, Counter[int]] = {}
    for checked in draws:
        if read_form(checked.draw.request.form)[0] == "d" and checked.faces is not None:
            faces.setdefault(checked.draw.request.form, Counter()).update(checked.faces)
    return tuple(_frequency(form, counts) for form, counts in sorted(faces.items()))


def _frequency(form: str, counts: Counter[int]) -> Frequency:
    sides, throws = read_form(form)[1][0], counts.total()
    spread = Z_99 * math.sqrt(throws * (1 / sides) * (1 - 1 / sides))
    low, high = max(0, math.ceil(throws / sides - spread)), math.floor(throws / sides + spread)
    return Frequency(form, throws, tuple(counts[face] for face in range(1, sides + 1)), low, high)
