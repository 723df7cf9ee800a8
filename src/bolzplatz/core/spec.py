"""What a game declares about itself: `GameSpec`, one a game, read by everything above the rules.

The rules are plain functions of a module, gathered in `Rules`; `s` is the declared state, `o` the declared setup (the
options as integers, with the number of seats in `o.seats`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bolzplatz.core.errors import OptionError, shorten

OptionValue = str | int | bool | None
Options = Mapping[str, OptionValue]
_NUMBER = re.compile("-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Option:
    """One rule option: its type, what it allows, its default, and the ruling behind it.

    `kind` is int, bool or str. `choices` lists all allowed values; otherwise `low`..`high` bounds an int. `nullable`
    allows None. `form` says in words what a text must look like, `examples` gives values worth testing, and `normal`
    brings a text into the one form that records keep, or raises OptionError. Anything that depends on several options,
    or on the form of other texts, is checked by the game's `encode`.
    """

    name: str
    kind: type
    default: OptionValue
    ruling: str
    doc: str
    choices: tuple[OptionValue, ...] = ()
    low: int = 0
    high: int = 0
    nullable: bool = False
    form: str = ""
    examples: tuple[OptionValue, ...] = ()
    normal: Callable[[str], str] | None = None

    def values(self) -> str:
        """Return the allowed values as the documentation writes them."""
        if self.choices:
            text = ", ".join(show_value(choice) for choice in self.choices)
        elif self.kind is bool:
            text = "true, false"
        else:
            text = self.form or f"{self.low}..{self.high}"
        return f"none, {text}" if self.nullable else text

    def samples(self) -> tuple[OptionValue, ...]:
        """Return values that stand for all that the option allows, the default first."""
        if self.choices or self.examples:
            values: tuple[OptionValue, ...] = self.choices or self.examples
        elif self.kind is bool:
            values = (False, True)
        else:
            values = (self.low, self.high)
        return tuple(dict.fromkeys((self.default, *values, *((None,) if self.nullable else ()))))

    def check(self, game: str, value: object) -> OptionValue:
        """Return the value if the option allows it, else raise OptionError. Text from a command line is read too."""
        if isinstance(value, str) and (self.kind is not str or (self.nullable and value.lower() == "none")):
            value = read_value(value)
        if isinstance(value, str) and self.normal is not None:
            value = self.normal(value)
        if value is None:
            fits = self.nullable
        elif type(value) is not self.kind:
            fits = False
        elif self.choices:
            fits = value in self.choices
        elif isinstance(value, str):
            fits = value.isprintable()  # one line of a record
        else:
            fits = self.kind is bool or self.low <= value <= self.high  # type: ignore[operator]
        if not fits:
            reason = f"{game}: option {self.name} is {shorten(value)}; allowed: {self.values()} ({self.ruling})"
            raise OptionError(reason, self.name)
        return value  # type: ignore[return-value]


def read_value(text: str) -> OptionValue:
    """Read an option's value from a command line: `true`, `none`, `12`; anything else stays a text."""
    words: dict[str, OptionValue] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    return int(text) if _NUMBER.fullmatch(text) else text


def read_number(text: str) -> int | None:
    """Read a whole number from 0 on of at most nine digits, as a form or a command line has it; None: it is none.

    >>> read_number("350"), read_number("-1"), read_number("9" * 5000)
    (350, None, None)
    """
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None


def show_value(value: OptionValue) -> str:
    """Write an option's value as `read_value` reads it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def fill_options(game: str, options: tuple[Option, ...], given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return every option with its value, each checked by itself; raises OptionError."""
    known = {option.name for option in options}
    for name in given:
        if name not in known:
            raise OptionError(f"{game}: unknown option {shorten(name)}; known: {', '.join(sorted(known))}")
    return {o.name: o.check(game, given.get(o.name, o.default)) for o in options}


@dataclass(frozen=True, slots=True)
class DataFile:
    """What an owner of the real box writes down in a file, such as an edition, dice or a deck: one option's value.

    Attributes:
        option: the name of the option.
        what: what the file tells, in a few words.
        read: the file's text to the option's value.
        show: the option's value, as `Game.options` has it, to a few words for a heading.
    """

    option: str
    what: str
    read: Callable[[str], str] = str.strip
    show: Callable[[str], str] = str


def entries_of_lines(text: str) -> str:
    """Return the lines of a text file in one, parted by `;`: what stands behind `#` says nothing.

    Empty lines stay, so that whoever reads the entries can name the line (`numbered_entries`).

    >>> entries_of_lines("# my dice\\n3xBKSQWT\\n\\nBBKSQT  # the worn one\\n")
    ';3xBKSQWT;;BBKSQT'
    """
    return ";".join(line.partition("#")[0].strip().strip(",") for line in text.splitlines())


def numbered_entries(text: str) -> list[tuple[int, str]]:
    """Return the entries of a text, each with its line from 1; where all stand on one line commas are counted.

    >>> numbered_entries(";3xBKSQWT;;BBKSQT")
    [(2, '3xBKSQWT'), (4, 'BBKSQT')]
    """
    lines = re.split("[;\\n]", text)
    if len(lines) == 1:
        return [(number, entry.strip()) for number, entry in enumerate(text.split(","), 1)]
    told = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    return [(number, entry.strip()) for number, line in told for entry in line.split(",")]


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument of an event: its name and how the integer reads for people and programs."""

    name: str
    decode: Callable[[int], Any] = int


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event; its index in `GameSpec.events` is the integer that the rules emit."""

    name: str
    rule: str
    args: tuple[Arg, ...] = ()
    seat_only: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason to refuse a move; its index in `GameSpec.refusals` is the code that the rules return (0: legal)."""

    name: str
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The compiled subset of one game: plain functions over state `s` and setup `o`.

    begin(s, o): set up the first node in a zeroed state.
    player_to_act(s, o) -> seat, CHANCE, SIMULTANEOUS or TERMINAL.
    roller(s, o) -> the seat that throws at a chance node, or NOBODY.
    legal(s, o, seat, out) -> how many; writes the legal actions of a decision node into `out`, ascending.
    refusal(s, o, seat, action) -> 0 if `legal` lists the action, else the code of the reason.
    chance_count(s, o) -> how many outcome ids the chance node has (ids 0..count-1).
    chance_weight(s, o, outcome) -> the integer weight of one of them (0: impossible here).
    chance_form(s, o) -> the packed physical form (`core.forms`).
    outcome_of(s, o, drawn) -> the outcome's id for the integers that a dice form drew.
    apply(s, o, action, log): carry out a decision or a chance outcome, known to be legal.
    apply_joint(s, o, actions, log): the same for a simultaneous node, one action a seat.
    winners(s, o, out): write 1 for each winning seat, 0 for the others; all 0 while nobody has won.
    scores(s, o, out): write each seat's score.
    """

    begin: Callable[[Any, Any], None]
    player_to_act: Callable[[Any, Any], int]
    roller: Callable[[Any, Any], int]
    legal: Callable[[Any, Any, int, Any], int]
    refusal: Callable[[Any, Any, int, int], int]
    chance_count: Callable[[Any, Any], int]
    chance_weight: Callable[[Any, Any, int], int]
    chance_form: Callable[[Any, Any], int]
    outcome_of: Callable[[Any, Any, Any], int]
    apply: Callable[[Any, Any, int, Any], None]
    winners: Callable[[Any, Any, Any], None]
    scores: Callable[[Any, Any, Any], None]
    apply_joint: Callable[[Any, Any, Any, Any], None] | None = None


@dataclass(frozen=True, slots=True)
class Notation:
    """How moves are written (docs/notation.md), both ways.

    action_text(s, o, seat, action) and outcome_text(s, o, outcome) write; read_action(s, o, seat, text) and
    read_outcome(s, o, text) read and return an id that is well-formed, legal or not; they raise Unreadable.
    """

    action_text: Callable[[Any, Any, int, int], str]
    outcome_text: Callable[[Any, Any, int], str]
    read_action: Callable[[Any, Any, int, str], int]
    read_outcome: Callable[[Any, Any, str], int]


class Unreadable(ValueError):  # noqa: N818 - a signal between notation and core, never shown by this name
    """A text that is no move of the notation, with the reason; `refusal` names the one that it meets by a rule."""

    def __init__(self, reason: str, refusal: str = "") -> None:
        super().__init__(reason)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Deal:
    """How one shuffle decides several chance nodes in a row: cards that lie face down until the last one has come.

    Attributes:
        size: size(s, o): how many tickets are shuffled for the run of nodes that begins here; 0: no run begins here.
        outcomes: outcomes(s, o, order): the outcomes of these nodes by the shuffled tickets 0..size-1.
    """

    size: Callable[[Any, Any], int]
    outcomes: Callable[[Any, Any, Sequence[int]], list[int]]


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game: what kind it is, how it is set up, its rules, its notation and its texts' keys."""

    name: str
    title: str
    source: str
    rules_version: str
    min_players: int
    max_players: int
    perfect_information: bool
    options: tuple[Option, ...]
    encode: Callable[[Options], Any]
    """Options, each checked by itself, to the setup record; checks them together; raises OptionError."""
    state: type[Any]
    setup: type[Any]
    rules: Rules
    notation: Notation
    num_actions: Callable[[Any], int]
    max_chance_outcomes: Callable[[Any], int]
    max_length: Callable[[Any], int | None]
    events: tuple[EventKind, ...]
    refusals: tuple[Refusal, ...]
    board: Callable[[Any, Any], str]
    """The position for a person to read in a terminal."""
    shown: Callable[[Any, Any], dict[str, Any]] = field(default=lambda _s, _o: {})
    """What a page shows beyond the fields, derived from a state that is already masked for the viewer."""
    resample: Callable[[Any, Any, int, Any], None] | None = None
    """resample(s, o, seat, rng), of the compiled subset: in a state masked for `seat` (NOBODY: a spectator) fill in
    what is hidden with one of the ways it may be, drawn by their chances as far as the seat can tell. None: nothing
    is hidden, or nobody has said how."""
    face_text: Callable[[Any, Any, int], str] | None = None
    """The name of the face that one drawn integer stands for at a chance node; None: the number plus one."""
    drawer: Callable[[Any, Any], int] | None = None
    """drawer(s, o): the seat that draws a hidden card and alone may know it; None: the game hides no drawn cards."""
    complete: Callable[[Options], dict[str, OptionValue]] = dict
    """Options, each checked by itself, with what follows from others: as `Game.options` has them."""
    data_file: DataFile | None = None
    """The option whose value may be a file of the owner's own; None: the game has none."""
    reads_data: bool = False
    """Whether `encode` reads data files: records then pin what was read, by the setup that it led to."""
    deal: Deal | None = None
    """How cards are dealt at a table where nobody may know them before all lie open."""
