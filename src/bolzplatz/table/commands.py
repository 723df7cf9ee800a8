"""What may be asked of a table: one class a command, and `Refused` for those that are not carried out.

`owner` is the browser that asks (a digest of its token). It is filled in by the table service and never comes from a
page; whoever has it may speak for the seats that it owns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

# --- playing ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Do:
    """A person's moves in order, all or nothing; `throw` also asks for the throw that follows them."""

    id: str
    version: int
    seat: int
    moves: tuple[str, ...]
    throw: bool


@dataclass(frozen=True, slots=True)
class Enter:
    """What real dice show, in notation; `seats` are those of the browser that enters it, None: anybody's."""

    id: str
    version: int
    text: str
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the own last decision or entry by hand back; `seats` are those of the browser, None: anybody's."""

    id: str
    version: int
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose in secret in a round in which all move at once; until all have chosen it may be changed."""

    id: str
    round: int
    seat: int
    wish: str
    owner: str = ""


# --- the room before the match ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sit:
    """Take an open seat."""

    id: str
    seat: int
    name: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Rise:
    """Give a seat back; the host may free anybody's."""

    id: str
    seat: int
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """Change to an open seat; the host may let any two seats change places."""

    id: str
    seat: int
    to: int
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Rename:
    """Change the name at the own seat; the host those of the computer players."""

    id: str
    seat: int
    name: str
    owner: str = ""


REMOVE: Final = "none"


@dataclass(frozen=True, slots=True)
class Fill:
    """The host says what a seat without a person is: open, the computer's, a person here, or REMOVE: not there."""

    id: str
    seat: int
    kind: str
    level: str | None = None
    name: str | None = None
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Add:
    """The host adds an open seat at the end."""

    id: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """The host begins the match."""

    id: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Witness:
    """A spectator contributes to the dice, or no longer; until the opening."""

    id: str
    on: bool
    owner: str = ""


# --- among friends ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Substitute:
    """Let a computer play on for somebody who is gone or whose time has run out, or no longer."""

    id: str
    seat: int
    on: bool
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Back:
    """I am back: no computer plays for me any more."""

    id: str
    owner: str = ""


REWIND: Final = "rewind"
END: Final = "end"
OPEN_HANDS: Final = "open_hands"
SEAT: Final = "seat"
PROPOSALS: Final = (REWIND, END, OPEN_HANDS, SEAT)


@dataclass(frozen=True, slots=True)
class Propose:
    """Ask the others: REWIND to before the history entry `step`, END the match, OPEN_HANDS, or take over a SEAT."""

    id: str
    what: str
    step: int = 0
    seat: int = 0
    name: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Agree:
    """Answer a proposal; the proposer takes it back with no."""

    id: str
    n: int
    yes: bool
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Renew:
    """Ask for new chains of the sealed draws, for a browser that has no part in them."""

    id: str
    owner: str = ""


# --- what the table does by itself --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tips:
    """The chain tips that came in: contributor to its browser and tip. Opens the match, or renews the chains."""

    tips: Mapping[str, tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class OwnThrow:
    """The table throws for a computer player, or where no seat does."""

    version: int


@dataclass(frozen=True, slots=True)
class OwnMove:
    """The table moves: what a computer player chose, or the only move there is."""

    version: int
    action: int


@dataclass(frozen=True, slots=True)
class OpenCards:
    """The table lays the cards of a round open: all are ready, and there is no hurry."""

    version: int


@dataclass(frozen=True, slots=True)
class Together:
    """All have chosen: these are the computer players' actions, by seat."""

    version: int
    actions: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Arm:
    """A race of hands or taps begins: `terms`, `rules`, `silence` as `core.grab` has them, the computer's `hands`."""

    version: int
    terms: tuple[Mapping[str, int], ...]
    rules: Mapping[str, int | str | bool | None]
    silence: int
    hands: tuple[tuple[int, str, int], ...]


@dataclass(frozen=True, slots=True)
class AskLot:
    """Hands in a race are level: a lot is to part these seats."""

    version: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Raced:
    """A race has ended, with its record (`core.grab.Race.record`); None: it was broken off, and no hand counts."""

    version: int
    race: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Tapped:
    """The hand that throws next in a race of taps, by its record (`core.taps`); None: the race begins anew."""

    version: int
    race: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Contribute:
    """The values that came in for the draw that was asked for; whoever is missing is left out."""

    version: int
    values: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Settle:
    """Carry out a proposal to which all who are there have agreed: somebody who had not is gone."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """The next match is played at the table `table`."""

    id: str
    table: str


Versioned = Do | Enter | Undo | OwnThrow | OwnMove | OpenCards | Together | Arm | AskLot | Raced | Tapped | Contribute
"""Commands that count only on the version that they were made on."""
Gathering = Sit | Rise | Move | Rename | Fill | Add | Start
"""Commands of the room before the match."""
Friendly = Gathering | Witness | Substitute | Back | Propose | Agree | Renew | Choose
"""What a browser asks in its own name: these have an owner."""
Named = Do | Enter | Undo | Rematch | Friendly
"""Commands with an id, which are carried out once."""
Command = Versioned | Friendly | Tips | Settle | Rematch


@dataclass(frozen=True, slots=True)
class Refused:
    """A command that is not carried out.

    Attributes:
        reason: the key of the reason: stale, not_now, illegal, …
        text: one sentence in English.
        rule: the paragraph of the rules that refuses a move.
        code: the name of the game's refusal, the key of its translations.
    """

    reason: str
    text: str
    rule: str | None = None
    code: str | None = None
