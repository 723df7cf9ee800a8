"""How a table is set up: game, options, who sits where, how the dice are thrown. Checked once, then never changed."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final, Self

from bolzplatz.bots import level_fault, levels
from bolzplatz.core.errors import BolzplatzError, IllegalActionError, OptionError
from bolzplatz.core.game import Game, State
from bolzplatz.core.grab import BY_LOT, MOST_HANDICAP, MS, TIE_RULES
from bolzplatz.core.sealed_throw import deal_size
from bolzplatz.core.spec import OptionValue
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.games import game_spec, load_game
from bolzplatz.table.clock import TURN_SECONDS
from bolzplatz.table.rounds import GRAB, THINKING

HUMAN: Final = "human"
BOT: Final = "bot"
OPEN: Final = "open"
"""Nobody sits here yet; the table waits for somebody before the match."""
SEALED: Final = "sealed"
"""The dice come from the protocol *sealed draws*."""
HAND: Final = "hand"
"""The players throw real dice and enter what they show."""
DICE: Final = (SEALED, HAND)
PACES: Final = {"calm": 2.0, "normal": 1.1, "quick": 0.3}
"""Seconds before the table throws or moves by itself, by the table's speed."""
MODES: Final = ("kids", "normal", "expert")
NAME_LENGTH: Final = 20
_NAME: Final = re.compile(r"(?:[^\W_]|[ .'’-])+")
"""What is left of a name without its accents: letters and digits of any script, and what may stand between them."""
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and accents that show nothing (Default_Ignorable_Code_Point of Unicode)."""
_PICTURE: Final = (
    "(?:[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26bd\u26be\u26c4\u26c5"
    "\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u270a\u270b\u2728\u2b50\U0001f300-\U0001f3fa\U0001f400-\U0001f511"
    "\U0001f514-\U0001f64f\U0001f680-\U0001f6fc\U0001f7e0-\U0001f7eb\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff]\ufe0f?"
    "|[\u2600-\u2604\u2618\u2620\u262e\u262f\u263a\u2640\u2642\u2660\u2663\u2665\u2666\u2694\u26c8\u26f0\u26f9\u2708\u270c"
    "\u270d\u2744\u2764]\ufe0f)[\U0001f3fb-\U0001f3ff]?"
)
"""One emoji: a picture by itself, or a sign with U+FE0F. Ticks, crosses and locks belong to the page."""
_EMOJI: Final = re.compile(
    f"\U0001f3f4[\U000e0061-\U000e007a]{{3,6}}\U000e007f|[\U0001f1e6-\U0001f1ff]{{2}}|{_PICTURE}(?:\u200d{_PICTURE})*"
)
"""Emoji as people type them: joined ones (U+200D), flags of countries, flags of regions."""
_AGREED: Final = ("pace", "strict", "tie", "training")
"""What is agreed on for rounds in which all move at once."""
_FIELDS: Final = frozenset(
    (
        "game",
        "options",
        "seats",
        "dice",
        "speed",
        "mode",
        "language",
        "turn_seconds",
        "open_hands",
        "room",
        "given",
        "coach",
    )
).union(_AGREED)
LOOKS: Final = 10
"""How many looks (colour with pattern) a page can tell apart."""
ROUND_PACES: Final = (THINKING, GRAB)
"""How rounds go in which all move at once."""


class SetupError(BolzplatzError):
    """A table that cannot be set up like this.

    Attributes:
        place: what is wrong, such as `seats[1].name` or `options`.
        key: the reason's key in the text catalogues.
        reason: the reason in English, one sentence.
        option: the name of the rule option that does not fit, where it is one.
    """

    def __init__(self, place: str, key: str, reason: str, option: str = "") -> None:
        super().__init__(f"{place}: {reason}")
        self.place, self.key, self.reason, self.option = place, key, reason, option


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat.

    Attributes:
        kind: human, bot or open.
        name: the nickname.
        level: the bot's.
        look: the number of its colour and pattern.
        handicap: the head start in milliseconds that this seat gives the others where hands race.
    """

    kind: str
    name: str
    level: str | None = None
    look: int = 0
    handicap: int = 0

    @property
    def is_bot(self) -> bool:
        """Return whether the computer plays this seat."""
        return self.kind == BOT


@dataclass(frozen=True, slots=True)
class Given:
    """Where a match was played on from: the table, and the moves that led to the position."""

    table: str
    moves: tuple[str, ...]


@dataclass(frozen=True)
class TableSetup:
    """A table's setup; `from_dict` is the way in for anything that comes from outside.

    Attributes:
        game: the game's name.
        options: every option of the game with its value.
        seats: entry i sits at seat i of the game.
        dice: SEALED or HAND.
        speed: one of PACES.
        mode: one of MODES.
        language: the language that the table was set up in.
        turn_seconds: one of `clock.TURN_SECONDS`.
        open_hands: whether everybody sees what is hidden in the hands.
        room: whether the host starts the match; else it begins at once.
        given: the position that the match is played on from, None: the game's beginning.
        pace: one of ROUND_PACES, for games in which all move at once.
        strict: whether what browsers measure is not believed (`core.grab`).
        tie: how level hands are parted, one of `core.grab.TIE_RULES`.
        training: one person races the clock; the computer's hands keep still.
        coach: whether everybody is told the chances of every move, where the game is solved.
    """

    game: str
    options: Mapping[str, OptionValue]
    seats: tuple[Seat, ...]
    dice: str = SEALED
    speed: str = "normal"
    mode: str = "normal"
    language: str = "en"
    turn_seconds: int = 0
    open_hands: bool = False
    room: bool = False
    given: Given | None = None
    pace: str = THINKING
    strict: bool = False
    tie: str = BY_LOT
    training: bool = False
    coach: bool = False

    @cached_property
    def loaded(self) -> Game:
        """The game with its options."""
        return load_game(self.game, **self.options)

    @property
    def all_at_once(self) -> bool:
        """Whether the game has moments when all act at once."""
        return self.loaded.rules.apply_joint is not None

    @property
    def humans(self) -> tuple[int, ...]:
        """The seats that people play."""
        return self._seats_of(HUMAN)

    @property
    def open_seats(self) -> tuple[int, ...]:
        """The seats that wait for somebody."""
        return self._seats_of(OPEN)

    def _seats_of(self, kind: str) -> tuple[int, ...]:
        return tuple(i for i, seat in enumerate(self.seats) if seat.kind == kind)

    @cached_property
    def tapped(self) -> bool:
        """Whether hands at this table race for throws, each tap one (`core.taps`); real hands are told, not timed."""
        return self.dice == SEALED and bool(getattr(self.loaded.setup, "tapped", 0))

    @property
    def given_moves(self) -> tuple[str, ...]:
        """The moves before the match begins at this table."""
        return () if self.given is None else self.given.moves

    def first_state(self) -> State:
        """Return the position in which the match begins at this table."""
        return self.loaded.replay(self.given_moves)

    def seated(self, seats: Sequence[Seat]) -> Self:
        """Return the setup with these seats instead, checked anew; raises SetupError.

        Another number of seats counts the players anew, and parts them into teams anew where the number itself is no
        option; all other options stay, and who begins is still at the table.
        """
        if len(seats) == len(self.seats):
            _check_names(seats)
            _check_levels(self.loaded, seats)
            agreed = {name: getattr(self, name) for name in _AGREED}
            return replace(self, seats=tuple(seats), **_rounds(self.loaded, seats, self.dice, agreed))
        options = {name: value for name, value in self.options.items() if name != "players"}
        first = options.get("first")
        if isinstance(first, int) and first >= len(seats):
            options["first"] = 0
        if "teams" in options and "players" not in self.options:
            options["teams"] = even_teams(len(seats))
        changed = {**self.to_dict(), "options": options, "seats": [asdict(seat) for seat in seats]}
        return self.from_dict(changed, kept=True)

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
            "turn_seconds": self.turn_seconds,
            "open_hands": self.open_hands,
            "room": self.room,
            "given": None if self.given is None else {"table": self.given.table, "moves": list(self.given.moves)},
            "pace": self.pace,
            "strict": self.strict,
            "tie": self.tie,
            "training": self.training,
            "coach": self.coach,
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], kept: bool = False) -> Self:
        """Read and check a setup; raises SetupError. All but the game and the seats may be left out.

        A game whose number of players is an option takes it from the number of seats, unless it is given. A table with
        open seats is a room. `kept`: it comes from the store, so its names passed the rules of their day.
        """
        unknown = set(given) - _FIELDS
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
        seated = tuple(_seat(game.name, i, seat, kept) for i, seat in enumerate(seats))
        _check_names(seated)
        _check_levels(game, seated)
        waits = any(seat.kind == OPEN for seat in seated)
        room = _flag("room", given.get("room", waits))
        if waits and not room:
            raise SetupError("room", "not_offered", "a match cannot begin while seats are open")
        dice = _one_of(DICE, "dice", given.get("dice", SEALED))
        return cls(
            game.name,
            game.options,
            seated,
            dice,
            _one_of(tuple(PACES), "speed", given.get("speed", "normal")),
            _one_of(MODES, "mode", given.get("mode", "normal")),
            _one_of(LANGUAGES, "language", given.get("language", "en")),
            _turn_seconds(given.get("turn_seconds", 0)),
            _flag("open_hands", given.get("open_hands", False)),
            room,
            _given(game, given.get("given")),
            **_rounds(game, seated, dice, given),
            coach=_flag("coach", given.get("coach", False)),
        )


def _rounds(game: Game, seats: Sequence[Seat], dice: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Read what was agreed on rounds in which all move at once; other games have nothing to agree on."""
    agreed: dict[str, Any] = {
        "pace": _one_of(ROUND_PACES, "pace", given.get("pace", THINKING)),
        "strict": _flag("strict", given.get("strict", False)),
        "tie": _one_of(TIE_RULES, "tie", given.get("tie", BY_LOT)),
        "training": _flag("training", given.get("training", False)),
    }
    if game.rules.apply_joint is None:
        plain = {"pace": THINKING, "strict": False, "tie": BY_LOT, "training": False}
        taps = dice == SEALED and bool(getattr(game.setup, "tapped", 0))
        place = next(
            (name for name, value in agreed.items() if value != plain[name] and not (taps and name == "strict")), None
        )
        if place is None and not taps and any(seat.handicap for seat in seats):
            place = "seats"
        if place is not None:
            raise SetupError(place, "not_offered", f"in {game.name} nobody moves at the same time as others")
        return agreed
    if dice == HAND and any(seat.is_bot for seat in seats):
        raise SetupError("seats", "no_computer", "the computer cannot reach for real pieces")
    if dice == SEALED and game.spec.deal is not None and not deal_size(game.new_initial_state()):
        raise SetupError("options", "needs_real_cards", "a box that is not known can only be played with real cards")
    if agreed["training"]:
        if sum(seat.kind == HUMAN for seat in seats) != 1 or any(seat.kind == OPEN for seat in seats):
            raise SetupError("seats", "not_offered", "one person trains, against computer players that keep still")
        agreed["pace"] = GRAB
    return agreed


def even_teams(seats: int) -> str | None:
    """Return two teams of so many seats, as the option `teams` has them: level, or the first one larger by one.

    >>> even_teams(4), even_teams(5), even_teams(2)
    ('2v2', '3v2', None)
    """
    return f"{(seats + 1) // 2}v{seats // 2}" if seats > 2 else None


def _check_names(seats: Sequence[Seat]) -> None:
    names = [unicodedata.normalize("NFKC", seat.name).casefold().replace("\ufe0f", "") for seat in seats]
    for i, name in enumerate(names):
        if name and name in names[:i]:
            raise SetupError(f"seats[{i}].name", "same_name", f"{seats[i].name} sits here already")


def _check_levels(game: Game, seats: Sequence[Seat]) -> None:
    """Raise SetupError where a computer player cannot play this variant at its level."""
    for i, seat in enumerate(seats):
        reason = level_fault(game, seat.level) if seat.level is not None else None
        if reason is not None:
            raise SetupError(f"seats[{i}].level", "not_solved", reason)


def _turn_seconds(given: Any) -> int:
    if type(given) is not int or given not in TURN_SECONDS:
        raise SetupError("turn_seconds", "not_offered", f"{given!r} is not offered; possible: {TURN_SECONDS}")
    return given


def _flag(place: str, given: Any) -> bool:
    if type(given) is not bool:
        raise SetupError(place, "not_offered", f"true or false is expected, not {given!r}")
    return given


def _given(game: Game, given: Any) -> Given | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != {"table", "moves"} or not isinstance(given["table"], str):
        raise SetupError("given", "bad_given", "a table and its moves are expected")
    moves = given["moves"]
    if not isinstance(moves, Sequence) or isinstance(moves, str):
        raise SetupError("given", "bad_given", "a list of moves is expected")
    try:
        state = game.replay(moves)
    except IllegalActionError as fault:
        raise SetupError("given", "bad_given", str(fault)) from None
    if state.is_terminal():
        raise SetupError("given", "given_over", "the match is over in this position: there is nothing to play on")
    return Given(given["table"], tuple(moves))


def _load(name: Any, options: Any, seats: int) -> Game:
    if not isinstance(name, str):
        raise SetupError("game", "no_game", "the name of a game is expected")
    if not isinstance(options, Mapping) or not all(isinstance(key, str) for key in options):
        raise SetupError("options", "bad_option", "option names with values are expected")
    try:
        counted = any(option.name == "players" for option in game_spec(name).options) and "players" not in options
        game = load_game(name, **options, **({"players": seats} if counted else {}))
    except OptionError as fault:
        raise SetupError("options", "bad_option", str(fault), fault.option) from None
    return game


def _seat(game: str, index: int, given: Any, kept: bool) -> Seat:
    place = f"seats[{index}]"
    if not isinstance(given, Mapping) or set(given) - {"kind", "name", "level", "look", "handicap"}:
        raise SetupError(place, "bad_seat", "a seat has kind, name, level, look and handicap, nothing else")
    kind = _one_of((HUMAN, BOT, OPEN), f"{place}.kind", given.get("kind"))
    name = "" if kind == OPEN else str(given["name"]) if kept else check_name(f"{place}.name", given.get("name"))
    level = given.get("level")
    if kind == BOT:
        level = _one_of(offered_levels(game, f"{place}.level"), f"{place}.level", level)
    elif level is not None:
        raise SetupError(f"{place}.level", "level_of_human", "only a computer player has a level")
    look = given.get("look", index % LOOKS)
    if type(look) is not int or not 0 <= look < LOOKS:
        raise SetupError(f"{place}.look", "bad_look", f"a number from 0 to {LOOKS - 1} is expected")
    handicap = given.get("handicap", 0)
    if type(handicap) is not int or not 0 <= handicap <= MOST_HANDICAP // MS:
        raise SetupError(f"{place}.handicap", "bad_handicap", f"0 to {MOST_HANDICAP // MS} milliseconds are possible")
    return Seat(kind, name, level, look, handicap)


def offered_levels(game: str, place: str) -> tuple[str, ...]:
    """Return the levels of a game's computer players; raises SetupError for a game that has none."""
    try:
        return levels(game)
    except OptionError as fault:
        raise SetupError(place, "no_computer", str(fault)) from None


def check_name(place: str, given: Any) -> str:
    """Return a nickname in normal form (NFC, single spaces); raises SetupError for any that is not offered.

    Letters and digits of any script, emoji, spaces, hyphens, apostrophes and full stops: nothing that could hide, turn
    the direction of reading, or pass for a part of the page.
    """
    if not isinstance(given, str):
        raise SetupError(place, "no_name", "a name is expected")
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not name:
        raise SetupError(place, "no_name", "a name is expected")
    if len(name) > NAME_LENGTH:
        raise SetupError(place, "long_name", f"a name has at most {NAME_LENGTH} characters")
    # What is left of it with a letter for each emoji: an emoji is seen as one sign, and may stand alone.
    plain = _EMOJI.sub("x", name)
    letters = "".join(c for c in plain if not unicodedata.category(c).startswith("M"))
    accents = len(plain) - len(letters)
    written = _NAME.fullmatch(letters) and any(c.isalnum() for c in letters) and not _UNSEEN.search(plain)
    if not written or accents > len(letters):
        raise SetupError(place, "bad_name", "a name has letters, digits, emoji, spaces and the signs - ' . only")
    return name


def _one_of(allowed: Sequence[str], place: str, given: Any) -> str:
    if not isinstance(given, str) or given not in allowed:
        raise SetupError(place, "not_offered", f"{given!r} is not offered; possible: {', '.join(allowed)}")
    return given
