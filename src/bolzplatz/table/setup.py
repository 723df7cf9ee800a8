"""How a table is set up: game, options, who sits where, how the dice are thrown. Checked once, then never changed."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, Self

from bolzplatz.bots import levels
from bolzplatz.core.errors import BolzplatzError, OptionError
from bolzplatz.core.game import Game
from bolzplatz.core.spec import OptionValue
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.games import game_spec, load_game

HUMAN: Final = "human"
BOT: Final = "bot"
SEALED: Final = "sealed"
"""The dice come from the protocol *sealed draws*."""
HAND: Final = "hand"
"""The players throw real dice and enter what they show."""
DICE: Final = (SEALED, HAND)
PACES: Final = {"calm": 2.0, "normal": 1.1, "quick": 0.3}
"""Seconds before the table throws or moves by itself, by the table's speed."""
MODES: Final = ("kids", "normal", "expert")
NAME_LENGTH: Final = 24
_JOINERS: Final = "\u200c\u200d"
LOOKS: Final = 10
"""How many looks (colour with pattern) a page can tell apart."""


class SetupError(BolzplatzError):
    """A table that cannot be set up like this.

    Attributes:
        place: what is wrong, such as `seats[1].name` or `options`.
        key: the reason's key in the text catalogues.
        reason: the reason in English, one sentence.
    """

    def __init__(self, place: str, key: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place, self.key, self.reason = place, key, reason


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat: `kind` is human or bot, `level` the bot's, `look` the number of its colour and pattern."""

    kind: str
    name: str
    level: str | None = None
    look: int = 0

    @property
    def is_bot(self) -> bool:
        """Return whether the computer plays this seat."""
        return self.kind == BOT


@dataclass(frozen=True)
class TableSetup:
    """A table's setup; `from_dict` is the way in for anything that comes from outside.

    `options` has every option of the game with its value. Entry i of `seats` sits at seat i of the game.
    """

    game: str
    options: Mapping[str, OptionValue]
    seats: tuple[Seat, ...]
    dice: str = SEALED
    speed: str = "normal"
    mode: str = "normal"
    language: str = "en"

    @cached_property
    def loaded(self) -> Game:
        """The game with its options."""
        return load_game(self.game, **self.options)

    @property
    def humans(self) -> tuple[int, ...]:
        """The seats that people play."""
        return tuple(i for i, seat in enumerate(self.seats) if not seat.is_bot)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict that `from_dict` reads."""
        return {
            "game": self.game,
            "options": dict(self.options),
            "seats": [asdict(seat) for seat in self.seats],
            "dice": self.dice,
            "speed": self.speed,
            "mode": self.mode,
            "language": self.language,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Read and check a setup; raises SetupError. Options, dice, speed, mode and language may be left out.

        A game whose number of players is an option takes it from the number of seats, unless it is given.
        """
        unknown = set(given) - {"game", "options", "seats", "dice", "speed", "mode", "language"}
        if unknown:
            raise SetupError("setup", "unknown_field", f"unknown: {', '.join(sorted(map(str, unknown)))}")
        seats = given.get("seats")
        if not isinstance(seats, Sequence) or isinstance(seats, str) or not seats:
            raise SetupError("seats", "no_seats", "a list of seats is expected")
        game = _load(given.get("game"), given.get("options", {}), len(seats))
        if game.num_players != len(seats):
            raise SetupError(
                "seats", "seat_count", f"{game.name} with these options has {game.num_players} seats, not {len(seats)}"
            )
        setup = cls(
            game.name,
            game.options,
            tuple(_seat(game.name, i, seat) for i, seat in enumerate(seats)),
            _one_of(DICE, "dice", given.get("dice", SEALED)),
            _one_of(tuple(PACES), "speed", given.get("speed", "normal")),
            _one_of(MODES, "mode", given.get("mode", "normal")),
            _one_of(LANGUAGES, "language", given.get("language", "en")),
        )
        names = [seat.name.casefold() for seat in setup.seats]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise SetupError(f"seats[{i}].name", "same_name", f"{setup.seats[i].name} sits here already")
        return setup


def _load(name: Any, options: Any, seats: int) -> Game:
    if not isinstance(name, str):
        raise SetupError("game", "no_game", "the name of a game is expected")
    if not isinstance(options, Mapping) or not all(isinstance(key, str) for key in options):
        raise SetupError("options", "bad_option", "option names with values are expected")
    try:
        counted = any(option.name == "players" for option in game_spec(name).options) and "players" not in options
        game = load_game(name, **options, **({"players": seats} if counted else {}))
    except OptionError as fault:
        raise SetupError("options", "bad_option", str(fault)) from None
    if game.rules.apply_joint is not None:
        raise SetupError(
            "game", "not_at_table", f"{name} has moments when all act at once; a table cannot hold them yet"
        )
    return game


def _seat(game: str, index: int, given: Any) -> Seat:
    place = f"seats[{index}]"
    if not isinstance(given, Mapping) or set(given) - {"kind", "name", "level", "look"}:
        raise SetupError(place, "bad_seat", "a seat has kind, name, level and look, nothing else")
    kind = _one_of((HUMAN, BOT), f"{place}.kind", given.get("kind"))
    name = check_name(f"{place}.name", given.get("name"))
    level = given.get("level")
    if kind == BOT:
        level = _one_of(_levels(game, f"{place}.level"), f"{place}.level", level)
    elif level is not None:
        raise SetupError(f"{place}.level", "level_of_human", "only a computer player has a level")
    look = given.get("look", index % LOOKS)
    if type(look) is not int or not 0 <= look < LOOKS:
        raise SetupError(f"{place}.look", "bad_look", f"a number from 0 to {LOOKS - 1} is expected")
    return Seat(kind, name, level, look)


def _levels(game: str, place: str) -> tuple[str, ...]:
    try:
        return levels(game)
    except OptionError as fault:
        raise SetupError(place, "no_computer", str(fault)) from None


def check_name(place: str, given: Any) -> str:
    """Return a nickname in normal form (NFC, single spaces); raises SetupError if it is empty, long or unprintable."""
    if not isinstance(given, str):
        raise SetupError(place, "no_name", "a name is expected")
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not name.strip(_JOINERS):
        raise SetupError(place, "no_name", "a name is expected")
    if len(name) > NAME_LENGTH:
        raise SetupError(place, "long_name", f"a name has at most {NAME_LENGTH} characters")
    # Cf would hide characters or turn the reading direction of the whole page, but joiners are part of names and emoji.
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn") and c not in _JOINERS for c in name):
        raise SetupError(place, "bad_name", "a name has visible characters only")
    return name


def _one_of(allowed: Sequence[str], place: str, given: Any) -> str:
    if not isinstance(given, str) or given not in allowed:
        raise SetupError(place, "not_offered", f"{given!r} is not offered; possible: {', '.join(allowed)}")
    return given
