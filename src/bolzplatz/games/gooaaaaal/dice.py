"""The dice: their tables, checked, and the numbering of throws of equal dice.

A throw of k equal dice is a multiset of faces. Its number is its rank among all multisets of k in colexicographic
order: with the faces ascending, c1 <= c2 <= … <= ck counted from 0, it is the sum of C(ci + i - 1, i). That number does
not depend on how many faces there are, so one table of binomial coefficients serves all dice.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import comb
from typing import Any, Final

from bolzplatz.core.spec import numbered_entries
from bolzplatz.games.gooaaaaal.state import FACES, HAND, LETTERS, MAX_DICE, Setup, State

EDITIONS: Final = ("junior", "four", "nine", "collector")
DICE_OF: Final = {"junior": 4, "four": 4, "nine": 9, "collector": 9}
MAIN_FACES: Final = "BKSQWT"
SIDES: Final = 6
ANY_TOGETHER: Final = 3
"""Dice that nobody has counted have so many faces that nine of them are written three at a time."""

ANY: Final = "any"
_NAMES: Final = {
    "B": "ball", "K": "keeper", "S": "supporter", "Q": "quarter", "W": "wide", "T": "team spirit", "O": "off-side",
    "Y": "yellow card", "R": "red card", "J": "joker", "F": "free kick",
}  # fmt: skip
_LEAST: Final = {
    "B": (1, "no goal could ever be scored"),
    "K": (1, "no ball could ever be saved"),
    "S": (2, "supporters count from two on"),
    "Q": (4, "a ball could never be put together from four quarters"),
    "T": (2, "a team spirit could never come: it takes two dice at least"),
}
"""On how many dice a face must be, and why."""

COLUMNS: Final = MAX_DICE + 1
BINOMIAL: Final = tuple(comb(n, k) for n in range(MAX_DICE + FACES + 1) for k in range(COLUMNS))
"""C(n, k) at n * COLUMNS + k."""


class DiceError(ValueError):
    """A dice table that cannot be; the message names the die, and the line where there are lines."""


# --- tables -----------------------------------------------------------------------------------------------------


@cache
def edition_dice(edition: str) -> tuple[str, ...]:
    """Return the faces of an edition's dice, from the data file; raises DiceError where that file is wrong."""
    text = (files("bolzplatz.games.gooaaaaal") / "dice.toml").read_text(encoding="utf-8")
    return check_dice(tomllib.loads(text)[edition], edition)


def read_dice(text: str, edition: str) -> tuple[str, ...]:
    """Read a table from a text: dice separated by commas or lines, `3xBKSQTW` for three alike, or `any`.

    `any` stands for dice that nobody has looked at: every face of the edition on each of them. Empty lines count where
    a fault names its line. Raises DiceError.

    >>> read_dice("3xBKSQWT, BBKSQT", "four")
    ('BKSQWT', 'BKSQWT', 'BKSQWT', 'BBKSQT')
    """
    entries = numbered_entries(text)
    if [entry.lower() for _, entry in entries] == [ANY]:
        faces = MAIN_FACES if DICE_OF[edition] == 4 else LETTERS[1:]
        return (faces,) * DICE_OF[edition]
    dice: list[str] = []
    lines: list[int] = []
    for line, entry in entries:
        found = re.fullmatch(r"(?:([1-9])\s*[xX]\s*)?(\S*)", entry)
        if not found:
            raise DiceError(f"line {line}: {entry!r} is no die; one looks like BKSQWT, three alike 3xBKSQWT")
        dice += [found[2]] * int(found[1] or 1)
        lines += [line] * (len(dice) - len(lines))
        if len(dice) > MAX_DICE:
            raise DiceError(f"line {line}: more than {DICE_OF[edition]} dice; edition {edition} has so many")
    return check_dice(dice, edition, [f"line {line}, " for line in lines])


def check_dice(dice: list[str], edition: str, places: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the dice with their faces in order; raises DiceError that names the die or the face that is wrong.

    `places`: what to say before the number of each die, such as `line 5, `.
    """
    where = [f"{place}die {number}" for number, place in enumerate(places or [""] * len(dice), start=1)]
    checked = tuple(_check_die(place, die, edition) for place, die in zip(where, dice, strict=True))
    if len(dice) != DICE_OF[edition]:
        raise DiceError(f"{len(dice)} dice; edition {edition} has {DICE_OF[edition]}")
    for face, (least, why) in _LEAST.items():
        having = sum(face in die for die in checked)
        if having < least:
            raise DiceError(f"{face} ({_NAMES[face]}) is on {having} of the dice, at least {least} need it: {why}")
    if sum(die.count("Y") for die in checked) == 1:
        raise DiceError("Y (yellow card) is on one face only; two yellow cards make a red one, so two faces need it")
    return checked


def _check_die(place: str, die: object, edition: str) -> str:
    if not isinstance(die, str):
        raise DiceError(f"{place}: {die!r} is no text of six letters")
    faces = die.upper()
    if len(faces) != SIDES:
        raise DiceError(f"{place}: {die!r} has {len(faces)} faces; a die has {SIDES}")
    for face in faces:
        if face not in _NAMES:
            raise DiceError(f"{place}: {face!r} is no face; faces are {' '.join(LETTERS[1:])}")
        if face not in MAIN_FACES and DICE_OF[edition] == 4:
            raise DiceError(f"{place}: {face} ({_NAMES[face]}) is a bonus, and bonuses need nine dice")
    return "".join(sorted(faces, key=LETTERS.index))


def setup_fields(dice: tuple[str, ...]) -> dict[str, Any]:
    """Return what the rules need to know of the dice, as fields of Setup."""
    tables = list(dict.fromkeys(dice))
    named = len(tables) > 1
    room = MAX_DICE - len(dice)
    kinds = [sorted(set(die), key=LETTERS.index) for die in dice]
    groups = _groups(dice)
    return {
        "dice": len(dice),
        "named": int(named),
        "slots": len(dice) if named else 1,
        "kind_of": [tables.index(die) for die in dice] + [0] * room,
        "group_of": groups + [0] * room,
        "die_sides": [len(die) for die in dice] + [0] * room,
        "kinds": [len(kind) for kind in kinds] + [0] * room,
        "has_quarter": [int("Q" in die) for die in dice] + [0] * room,
        "kind_face": _rows([[LETTERS.index(face) for face in kind] for kind in kinds]),
        "kind_weight": _rows([[die.count(face) for face in kind] for die, kind in zip(dice, kinds, strict=True)]),
        "side_kind": _rows([[kind.index(face) for face in die] for die, kind in zip(dice, kinds, strict=True)]),
    }


def _groups(dice: tuple[str, ...]) -> list[int]:
    """Number the groups that are thrown at one node: equal dice; of those with more faces than a cube, three."""
    groups: list[int] = []
    for number, die in enumerate(dice):
        if len(die) > SIDES:
            groups.append(number // ANY_TOGETHER)
        else:
            groups.append(list(dict.fromkeys(dice)).index(die))
    return groups


def _rows(rows: list[list[int]]) -> list[int]:
    """Return the rows one after the other, each filled up to FACES entries, and as many rows as dice at most."""
    return [entry for row in rows + [[]] * (MAX_DICE - len(rows)) for entry in row + [0] * (FACES - len(row))]


def most_outcomes(o: Setup) -> int:
    """Return the number of outcomes of the largest node where dice are thrown."""
    most = 0
    for group in set(o.group_of[: o.dice]):
        members = [die for die in range(o.dice) if o.group_of[die] == group]
        most = max(most, comb(o.kinds[members[0]] + len(members) - 1, len(members)))
    return most


def kinds_of_rank(rank: int, count: int, limit: int) -> list[int]:
    """Return the kinds of the throw with this number, ascending; the inverse of `throw_rank`.

    >>> kinds_of_rank(0, 3, 5), kinds_of_rank(4, 2, 5)
    ([0, 0, 0], [1, 2])
    """
    found: list[int] = []
    while count > 0:
        limit = highest_kind(rank, count, limit)
        rank -= BINOMIAL[(limit + count - 1) * COLUMNS + count]
        found.insert(0, limit)
        count -= 1
    return found


# --- throws of equal dice: the compiled subset ------------------------------------------------------------------


def thrown_die(s: State, o: Setup) -> int:
    """Return the number of the first die of the group that is thrown next: the first that the mover has in hand."""
    at = s.mover * MAX_DICE
    for die in range(o.dice):
        if s.dice[at + die] == HAND:
            return die
    return 0


def thrown_count(s: State, o: Setup, first: int) -> int:
    """Return how many dice of the group of die `first` the mover has in hand."""
    at = s.mover * MAX_DICE
    found = 0
    for die in range(first, o.dice):
        if s.dice[at + die] == HAND and o.group_of[die] == o.group_of[first]:
            found += 1
    return found


def throw_rank(o: Setup, first: int, drawn: Any, count: int) -> int:
    """Return the number of the throw in which `count` dice like die `first` show the sides `drawn`."""
    rank = 0
    placed = 0
    for kind in range(o.kinds[first]):
        for i in range(count):
            if o.side_kind[first * FACES + drawn[i]] == kind:
                placed += 1
                rank += BINOMIAL[(kind + placed - 1) * COLUMNS + placed]
    return rank


def highest_kind(rank: int, count: int, limit: int) -> int:
    """Return the highest of `count` kinds in the throw with this number; it is `limit` at most."""
    kind = limit
    while BINOMIAL[(kind + count - 1) * COLUMNS + count] > rank:
        kind -= 1
    return kind


def throw_weight(o: Setup, first: int, rank: int, count: int) -> int:
    """Return in how many ways `count` ordered dice like die `first` show the throw with this number."""
    weight = 1
    kind = o.kinds[first] - 1
    run = 0
    left = count
    while left > 0:
        highest = highest_kind(rank, left, kind)
        rank -= BINOMIAL[(highest + left - 1) * COLUMNS + left]
        run = run + 1 if highest == kind and left < count else 1
        kind = highest
        weight = weight * (count - left + 1) // run * o.kind_weight[first * FACES + kind]
        left -= 1
    return weight
