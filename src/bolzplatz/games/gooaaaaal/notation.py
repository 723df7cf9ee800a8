"""How moves are written and read: docs/notation.md, section GOOAAAAAL!."""

import re
from typing import Final

from bolzplatz.core.spec import Unreadable
from bolzplatz.games.gooaaaaal.decisions import joker_choice, joker_face
from bolzplatz.games.gooaaaaal.dice import kinds_of_rank, throw_rank, thrown_count, thrown_die
from bolzplatz.games.gooaaaaal.flow import coin_seat
from bolzplatz.games.gooaaaaal.state import (
    BALL,
    BALL_PLACED,
    COIN,
    FACES,
    KEEPER,
    KEEPER_PLACED,
    LETTERS,
    MAX_DICE,
    OFFSIDE_ASIDE,
    OUT,
    QUARTER_ASIDE,
    QUARTER_ASIDE_NEW,
    QUARTER_USED,
    SPIRIT_JOKER,
    TAP,
    USED,
    Setup,
    State,
)
from bolzplatz.games.gooaaaaal.throws import names_seat

LINES: Final = ("left", "right")
ITEMS: Final = (
    "place B", "place K", "aside Q", "return Q", "rethrow S", "joker",
    "off-side", "aside O", "red", "free-kick", "done",
)  # fmt: skip
"""How the decisions within a throw begin, in the order in which they are made."""
_NUMBER: Final = re.compile("[1-9]")
"""The number of a die; there are no other spellings."""
_NAMING: Final = {COIN: "coin", TAP: "tap"}
"""How an outcome begins that names a seat."""
_SIGNS: Final = {
    **{face: LETTERS[face] for face in range(1, FACES + 1)},
    USED: "x",
    SPIRIT_JOKER: "T",
    QUARTER_USED: "u",
    BALL_PLACED: "B",
    KEEPER_PLACED: "K",
    QUARTER_ASIDE: "q",
    QUARTER_ASIDE_NEW: "q",
    OFFSIDE_ASIDE: "o",
}
"""How a die is called where all are alike: its face, small if it lies aside; x, and u for a quarter, if used up."""


def action_text(s: State, o: Setup, seat: int, action: int) -> str:
    """Write a decision."""
    if action >= o.at_done:
        endings = ("done", "throw-on", "stop", *(f"penalty {line}" for line in LINES))
        return endings[action - o.at_done]
    if action >= o.at_kick:
        return f"free-kick {_kick_text(s, o, seat, action - o.at_kick + 1)}"
    if action >= o.at_remove:
        return f"remove {_removed_sign(s, o, seat, action - o.at_remove)}".rstrip()
    if action >= o.at_red:
        return ("red penalty", "red die")[action - o.at_red]
    if action == o.at_again:
        return "rethrow S"
    number = f" {action_slot(o, action) + 1}" if o.named else ""
    return f"{_item_text(o, action)}{number}"


def action_slot(o: Setup, action: int) -> int:
    """Return which die of its kind an action below `at_red` names; 0 where dice are alike."""
    starts = (0, o.at_keeper, o.at_aside, o.at_return, o.at_joker, o.at_offside, o.at_keep_offside)
    return (action - max(start for start in starts if start <= action)) % o.slots


def _item_text(o: Setup, action: int) -> str:
    """Write an action on a die without the die's number."""
    if action < o.at_aside:
        letter, start = ("B", 0) if action < o.at_keeper else ("K", o.at_keeper)
        return f"place {letter}{_line_text(o, (action - start) // o.slots)}"
    if action < o.at_return:
        return "aside Q"
    if action < o.at_again:
        return "return Q"
    if action < o.at_offside:
        choice = joker_choice(o, action)
        face = joker_face(o, choice)
        line = _line_text(o, choice % o.lines) if face in (BALL, KEEPER) else ""
        return f"joker {LETTERS[face]}{line}"
    return "off-side" if action < o.at_keep_offside else "aside O"


def _line_text(o: Setup, line: int) -> str:
    return f" {LINES[line]}" if o.lines == 2 else ""


def _kick_text(s: State, o: Setup, seat: int, chosen: int) -> str:
    """Name the dice of a free kick: by number, or by what they show where all are alike."""
    dice = [die for die in range(o.dice) if chosen >> die & 1]
    if o.named:
        return " ".join(str(die + 1) for die in dice)
    return "".join(sorted(_SIGNS.get(s.dice[seat * MAX_DICE + die], "-") for die in dice))


def _removed_sign(s: State, o: Setup, seat: int, die: int) -> str:
    """Name a die to be given up: by number, or by its place where all are alike; nothing for one in the hand."""
    if o.named:
        return str(die + 1)
    return _SIGNS.get(s.dice[seat * MAX_DICE + die], "").upper()


def read_action(s: State, o: Setup, seat: int, text: str) -> int:
    """Read a decision, legal or not; raises Unreadable."""
    word, *rest = text.split(" ")
    if word == "free-kick" and o.bonus:
        return o.at_kick + _read_kick(s, o, seat, rest) - 1
    if word == "remove" and o.bonus:
        return o.at_remove + _read_removed(s, o, seat, rest)
    if word == "throw":
        raise Unreadable("a decision comes before the next throw")
    for action in range(o.actions):
        if not o.at_remove <= action < o.at_done and action_text(s, o, seat, action) == text:
            return action
    raise Unreadable(_advice(o, word))


def _advice(o: Setup, word: str) -> str:
    """Say how a decision of that kind is written."""
    number = " and the number of the die" if o.named else ""
    forms = {
        "place": f"place B or place K{', then left or right' if o.lines == 2 else ''}{number}",
        "aside": f"aside Q{' or aside O' if o.bonus else ''}{number}",
        "return": f"return Q{number}: only a quarter comes back, what is placed stays",
        "rethrow": "rethrow S: all supporters, and nothing else",
        "joker": f"joker and the face to play{', then left or right for B and K' if o.lines == 2 else ''}{number}",
        "red": "red penalty or red die",
        "off-side": "off-side and the number of the opponent's ball die" if o.named else "off-side",
    }
    if word not in forms:
        return "a decision begins with place, aside, return, rethrow, joker, off-side, red, free-kick, done or the like"
    return f"it reads {forms[word]}"


def _read_kick(s: State, o: Setup, seat: int, words: list[str]) -> int:
    """Return the set of dice, one bit each, that a free kick names."""
    if o.named:
        numbers = [int(word) if _NUMBER.fullmatch(word) else 0 for word in words]
        if not numbers or numbers != sorted(set(numbers)) or not 1 <= numbers[0] <= numbers[-1] <= o.dice:
            raise Unreadable(f"free-kick takes numbers of dice from 1 to {o.dice}, ascending, such as free-kick 2 5 7")
        return sum(1 << number - 1 for number in numbers)
    chosen = 0
    at = seat * MAX_DICE
    for sign in words[0] if len(words) == 1 else "":
        free = [die for die in range(o.dice) if not chosen >> die & 1 and _SIGNS.get(s.dice[at + die]) == sign]
        if not free:
            raise Unreadable(f"no such die lies there: {sign}")
        chosen |= 1 << free[0]
    if not chosen or words[0] != "".join(sorted(words[0])):
        raise Unreadable("free-kick takes what the dice show, in order of the alphabet, such as free-kick BKW")
    return chosen


def _read_removed(s: State, o: Setup, seat: int, words: list[str]) -> int:
    """Return the number, from 0, of the die that is given up."""
    if o.named:
        die = int(words[0]) - 1 if len(words) == 1 and _NUMBER.fullmatch(words[0]) else -1
        if not 0 <= die < o.dice:
            raise Unreadable(f"remove takes the number of a die from 1 to {o.dice}")
        return die
    sign = " ".join(words)
    for die in range(o.dice):
        if s.dice[seat * MAX_DICE + die] != OUT and _removed_sign(s, o, seat, die) == sign:
            return die
    raise Unreadable("remove takes nothing for a die in the hand, or B, K, Q or O for one that lies there")


def outcome_text(s: State, o: Setup, outcome: int) -> str:
    """Write a throw of one group of dice, a coin, or a tap."""
    if names_seat(s):
        return f"{_NAMING[s.phase]} {coin_seat(s, outcome)}"
    first = thrown_die(s, o)
    return f"throw {throw_letters(o, first, outcome, thrown_count(s, o, first))}"


def throw_letters(o: Setup, first: int, rank: int, count: int) -> str:
    """Return the letters of a throw of dice like die `first`, in order."""
    kinds = kinds_of_rank(rank, count, o.kinds[first] - 1)
    return "".join(LETTERS[o.kind_face[first * FACES + kind]] for kind in kinds)


def read_outcome(s: State, o: Setup, text: str) -> int:
    """Read a throw, a coin or a tap; raises Unreadable."""
    word, _, faces = text.partition(" ")
    if names_seat(s):
        seats = [seat for seat in range(o.seats) if s.racing[seat]]
        if word != _NAMING[s.phase] or faces not in map(str, seats):
            raise Unreadable(f"it reads {_NAMING[s.phase]} and one of the seats {', '.join(map(str, seats))}")
        return seats.index(int(faces))
    first = thrown_die(s, o)
    count = thrown_count(s, o, first)
    dice = f"die {first + 1}" if count == 1 else f"{count} dice like die {first + 1}"
    if word != "throw" or len(faces) != count or any(face not in LETTERS[1:] for face in faces):
        raise Unreadable(f"throw takes {count} letters of {LETTERS[1:]}, for {dice}")
    if list(faces) != sorted(faces, key=LETTERS.index):
        raise Unreadable(f"the letters come in this order: {LETTERS[1:]}")
    own = [LETTERS[o.kind_face[first * FACES + kind]] for kind in range(o.kinds[first])]
    for face in faces:
        if face not in own:
            raise Unreadable(f"{face} is not on {dice}; there are {' '.join(own)}")
    side_kinds = o.side_kind[first * FACES : first * FACES + o.die_sides[first]]
    return throw_rank(o, first, [side_kinds.index(own.index(face)) for face in faces], count)


def face_text(s: State, o: Setup, drawn: int) -> str:
    """Name the face that one drawn number stands for: the sides of a die are counted in the order of its table."""
    first = thrown_die(s, o)
    return LETTERS[o.kind_face[first * FACES + o.side_kind[first * FACES + drawn]]]
