"""Editions: what board, figures, cards and coins show, read from TOML and checked field by field (docs/edition.md).

An edition is given as the name of one that ships with Bolzplatz or as its whole text. Records keep `name:digest` or the
canonical text, so that a match always says exactly what it was played with. Nothing here is a rule of the game.
"""

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from bolzplatz.core.errors import OptionError, shorten
from bolzplatz.core.texts import game_texts
from bolzplatz.games.dribbel_fieber.pitch import (
    COLUMNS,
    DIRECTION_NAMES,
    DIRECTIONS,
    HALF,
    NEXT_SPACE,
    OFF_PITCH,
    ROWS,
    SPACE_NAMES,
    SPACES,
    turned,
)
from bolzplatz.games.dribbel_fieber.state import (
    BLUE,
    CAPACITY,
    COLOURS,
    FIGURES,
    MAX_PATHS,
    MAX_STEPS,
    POLDIS,
    RED,
)

SHIPPED: Final = ("placeholder", "diagonals")
"""Names of the editions in the folder `editions`."""
CARD_NAMES: Final = ("running", "dribbling", "short-pass", "cross", "pressing")
VOLLEY_NAME: Final = "volley"
COLOUR_NAMES: Final = (
    "white", "yellow", "orange", "pink", "purple", "green", "red", "blue", "black", "brown", "grey", "turquoise",
)  # fmt: skip
"""The colours that a goalkeeper die may have: those with a name in every language."""
ACTION_CARDS: Final = 9
COINS: Final = 28
LOWEST_NUMBER: Final = 120
HIGHEST_NUMBER: Final = 333
"""First and last of the numbers on the Poldi cards."""
MAX_PRICE: Final = 20
MAX_TEXT: Final = 20_000
MAX_TITLE: Final = 60
DIGEST_LENGTH: Final = 12
NO_COLOUR: Final = "-"
RULE: Final = "dribbel-fieber §11"
"""The paragraph that says what an edition is."""

Path = tuple[int, ...]
"""One way of a symbol: directions, in order."""


class EditionError(OptionError):
    """An edition that cannot be played with.

    Attributes:
        field: the field that is wrong, such as `figures.start[1]`; `edition` where it is none in particular.
        code: the key of what is wrong with it, in the table [edition] of the text catalogues.
        values: what stands in that sentence.
    """

    def __init__(self, field: str, code: str, **values: object) -> None:
        self.field, self.code, self.values = field, code, values
        super().__init__(self.told("en"), "edition")

    def told(self, language: str) -> str:
        """Return field, reason and rule."""
        return f"dribbel-fieber: option edition: {self.field}: {self.reason(language)} ({RULE})"

    def reason(self, language: str) -> str:
        """Return what is wrong with the field, in one of the languages of the catalogues.

        A colour is named in that language, and as the edition writes it.
        """
        texts, places = game_texts("dribbel-fieber", language), dict(self.values)
        if "colour" in places:
            name = str(places["colour"])
            places["colour"] = name if texts.words[name] == name else f"{texts.words[name]} ({name})"
        return texts.edition[self.code].format(**places)


@dataclass(frozen=True, slots=True)
class Poldi:
    """One Poldi card; `card` is the place of its action in CARD_NAMES, None for a volley."""

    number: int
    price: int
    card: int | None
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition, checked. Spaces are as red sees them; colours count from 1, 0 is none; `poldi` by number."""

    title: str
    colours: tuple[str, ...]
    colour: tuple[int, ...]
    area: frozenset[int]
    goal: int
    kick_off: int
    bonus: tuple[int, ...]
    start: tuple[int, ...]
    attack: tuple[int, ...]
    free_action: tuple[Path, ...]
    counts: tuple[int, ...]
    paths: tuple[tuple[Path, ...], ...]
    poldi: tuple[Poldi, ...]
    ones: int
    twos: int

    def canonical(self) -> str:
        """Return the edition as one line of JSON that `read_edition` reads: equal editions, equal texts."""
        return json.dumps(self.data(), separators=(",", ":"), sort_keys=True)

    def data(self) -> dict[str, Any]:
        """Return the edition as tables and lists, as its text has them (docs/edition.md)."""
        rows = [self.colour[COLUMNS * row : COLUMNS * (row + 1)] for row in reversed(range(ROWS))]
        bonus = [self.bonus[COLUMNS * row : COLUMNS * (row + 1)] for row in reversed(range(ROWS // 2, ROWS))]
        return {
            "title": self.title,
            "pitch": {
                "colours": self.colours,
                "rows": [" ".join((NO_COLOUR, *self.colours)[colour] for colour in row) for row in rows],
                "area": [SPACE_NAMES[space] for space in sorted(self.area)],
                "goal": SPACE_NAMES[self.goal],
                "kick_off": SPACE_NAMES[self.kick_off],
                "bonus": [" ".join(map(str, row)) for row in bonus],
            },
            "figures": {"start": [SPACE_NAMES[space] for space in self.start], "attack": self.attack},
            "free_action": {"arrows": _write_paths(self.free_action)},
            "cards": {
                name: {"count": count, "arrows": _write_paths(paths)}
                for name, count, paths in zip(CARD_NAMES, self.counts, self.paths, strict=True)
            },
            "poldi": [self._poldi_data(card) for card in self.poldi],
            "coins": {"ones": self.ones, "twos": self.twos},
        }

    def toml(self) -> str:
        """Return the edition as a file for people: TOML that `read_edition` reads back as the same edition."""
        data = self.data()
        lines = [f"title = {_toml(data['title'])}"]
        for name in ("pitch", "figures", "free_action"):
            lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in data[name].items())]
        for name in CARD_NAMES:
            lines += ["", f"[cards.{name}]", *(f"{key} = {_toml(value)}" for key, value in data["cards"][name].items())]
        for poldi in data["poldi"]:
            lines += ["", "[[poldi]]", *(f"{key} = {_toml(value)}" for key, value in poldi.items())]
        lines += ["", "[coins]", *(f"{key} = {_toml(value)}" for key, value in data["coins"].items())]
        return "\n".join(lines) + "\n"

    def _poldi_data(self, poldi: Poldi) -> dict[str, Any]:
        name = VOLLEY_NAME if poldi.card is None else CARD_NAMES[poldi.card]
        data: dict[str, Any] = {"number": poldi.number, "price": poldi.price, "card": name}
        if poldi.card is not None and poldi.paths != self.paths[poldi.card]:
            data["arrows"] = _write_paths(poldi.paths)
        return data

    def digest(self) -> str:
        """Return the first digits of the SHA-256 of the canonical text, in hexadecimal."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()[:DIGEST_LENGTH]


def _toml(value: object) -> str:
    """Write a text, a number or a list of them; texts of JSON are texts of TOML as well."""
    if isinstance(value, list | tuple):
        longest = max((len(str(item)) for item in value), default=0)
        if longest * len(value) <= 60:
            return f"[{', '.join(_toml(item) for item in value)}]"
        return "[\n" + "".join(f"    {_toml(item)},\n" for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _write_paths(paths: Sequence[Path]) -> list[str]:
    return [" ".join(DIRECTION_NAMES[direction] for direction in path) for path in paths]


# --- reading ----------------------------------------------------------------------------------------------------


def read_edition(value: str) -> Edition:
    """Return the edition that an option's value means: `name`, `name:digest`, or a text in TOML or canonical JSON.

    Raises EditionError that names field and reason.
    """
    name, colon, digest = value.partition(":")
    if name not in SHIPPED:
        return _parse(value)
    edition = _shipped(name)
    if colon and digest != edition.digest():
        raise EditionError(
            "edition", "other", ours=f"{name}:{edition.digest()}", found=f"{name}:{shorten(digest)[1:-1]}"
        )
    return edition


def normal_form(value: str) -> str:
    """Return an edition as records keep it: `name:digest` for one that ships, else its canonical text."""
    name = value.partition(":")[0]
    edition = read_edition(value)
    return f"{name}:{edition.digest()}" if name in SHIPPED else edition.canonical()


@cache
def _shipped(name: str) -> Edition:
    source = files("bolzplatz") / "games" / "dribbel_fieber" / "editions" / f"{name}.toml"
    return _parse(source.read_text(encoding="utf-8"))


def check_arrows(arrows: Sequence[str]) -> None:
    """Raise EditionError unless these are the ways of a symbol (docs/edition.md)."""
    _read_paths(_Table("", {"arrows": list(arrows)}))


def _parse(text: str) -> Edition:
    if len(text) > MAX_TEXT:
        raise EditionError("edition", "too_long", most=MAX_TEXT)
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        # Half of a surrogate pair, which JSON may hold, can be neither kept nor shown.
        json.dumps(data, ensure_ascii=False, default=str).encode()
    except (ValueError, RecursionError) as fault:
        raise EditionError("edition", "unreadable", shipped=", ".join(SHIPPED), fault=str(fault)) from None
    return _check(_Table("", data))


class _Table:
    """A table of the edition's text; every way in checks the type and names the field."""

    def __init__(self, place: str, data: object) -> None:
        if not isinstance(data, dict):
            raise EditionError(place or "edition", "table")
        self.place, self.data = place, data

    def path(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def only(self, *keys: str, optional: Sequence[str] = ()) -> None:
        """Refuse a table that lacks one of these keys or has others."""
        for key in keys:
            if key not in self.data:
                raise EditionError(self.path(key), "missing")
        for key in self.data:
            if key not in keys and key not in optional:
                name = key if key.isidentifier() and len(key) < MAX_TITLE else shorten(key)
                raise EditionError(self.path(name), "unknown", expected=", ".join((*keys, *optional)))

    def table(self, key: str) -> "_Table":
        return _Table(self.path(key), self.data[key])

    def text(self, key: str) -> str:
        return _text(self.path(key), self.data[key])

    def integer(self, key: str, low: int, high: int) -> int:
        return _integer(self.path(key), self.data[key], low, high)

    def items(self, key: str, count: int | None = None) -> Iterator[tuple[str, object]]:
        """Yield place and value of each entry of a list."""
        values = self.data[key]
        if not isinstance(values, list | tuple):
            raise EditionError(self.path(key), "list")
        if count is not None and len(values) != count:
            raise EditionError(self.path(key), "entries", needed=count, found=len(values))
        yield from ((f"{self.path(key)}[{i}]", value) for i, value in enumerate(values))


def _text(place: str, value: object) -> str:
    if not isinstance(value, str):
        raise EditionError(place, "text", found=shorten(value))
    return value


def _integer(place: str, value: object, low: int, high: int) -> int:
    if type(value) is not int:
        raise EditionError(place, "whole", found=shorten(value))
    if not low <= value <= high:
        raise EditionError(place, "negative" if value < 0 else "range", found=shorten(value), low=low, high=high)
    return value


def _space(place: str, value: object) -> int:
    if value not in SPACE_NAMES:
        raise EditionError(place, "off_pitch", found=shorten(value))
    return SPACE_NAMES.index(str(value))


def _check(data: _Table) -> Edition:
    data.only("title", "pitch", "figures", "free_action", "cards", "poldi", "coins")
    title = data.text("title")
    if not title.strip() or len(title) > MAX_TITLE or not title.isprintable():
        raise EditionError("title", "title", most=MAX_TITLE)
    pitch, figures, coins = data.table("pitch"), data.table("figures"), data.table("coins")
    pitch.only("colours", "rows", "area", "goal", "kick_off", "bonus")
    colours = _read_colours(pitch)
    colour = _read_rows(pitch, colours)
    area = _read_area(pitch, colours, colour)
    goal, kick_off = (_own_space(pitch, key) for key in ("goal", "kick_off"))
    figures.only("start", "attack")
    start = _read_start(figures, kick_off)
    attack = tuple(_integer(place, value, 1, 3) for place, value in figures.items("attack", FIGURES))
    free_action = data.table("free_action")
    free_action.only("arrows")
    cards = data.table("cards")
    cards.only(*CARD_NAMES)
    kinds = [cards.table(name) for name in CARD_NAMES]
    for kind in kinds:
        kind.only("count", "arrows")
    counts = tuple(kind.integer("count", 0, ACTION_CARDS) for kind in kinds)
    if sum(counts) != ACTION_CARDS:
        raise EditionError("cards", "cards", needed=ACTION_CARDS, found=sum(counts))
    paths = tuple(_read_paths(kind) for kind in kinds)
    coins.only("ones", "twos")
    ones, twos = (coins.integer(key, 0, COINS) for key in ("ones", "twos"))
    if ones + twos != COINS:
        raise EditionError("coins", "coins", needed=COINS, found=ones + twos)
    return Edition(
        title,
        colours,
        colour,
        area,
        goal,
        kick_off,
        _read_bonus(pitch),
        start,
        attack,
        _read_paths(free_action),
        counts,
        paths,
        _read_poldi(data, paths),
        ones,
        twos,
    )


def _read_colours(pitch: _Table) -> tuple[str, ...]:
    colours = [_text(place, value) for place, value in pitch.items("colours", COLOURS)]
    for colour in colours:
        if colour not in COLOUR_NAMES:
            raise EditionError("pitch.colours", "colour", found=shorten(colour), known=", ".join(COLOUR_NAMES))
    if len(set(colours)) != COLOURS:
        raise EditionError("pitch.colours", "colours_differ")
    return tuple(colours)


def _read_rows(pitch: _Table, colours: Sequence[str]) -> tuple[int, ...]:
    """Read the colours of the pitch, row 8 first, and count them in each half."""
    rows = []
    for place, value in pitch.items("rows", ROWS):
        words = _text(place, value).split()
        if len(words) != COLUMNS:
            raise EditionError(place, "row", needed=COLUMNS, found=len(words))
        for word in words:
            if word != NO_COLOUR and word not in colours:
                raise EditionError(place, "row_colour", found=shorten(word), known=", ".join(colours))
        rows.append(words)
    names = [word for row in reversed(rows) for word in row]
    for side, spaces in (("red", names[:HALF]), ("blue", names[HALF:])):
        found = Counter(word for word in spaces if word != NO_COLOUR)
        for colour in colours:
            if found[colour] != 3:
                code = f"{side}_total" if found.total() != 3 * COLOURS else f"{side}_half"
                raise EditionError("pitch.rows", code, colour=colour, found=found[colour], total=found.total())
    return tuple(0 if name == NO_COLOUR else colours.index(name) + 1 for name in names)


def _read_area(pitch: _Table, colours: Sequence[str], colour: Sequence[int]) -> frozenset[int]:
    """Read red's penalty area: six spaces of its half, each colour once, in blue's area as well."""
    spaces = [_space(place, value) for place, value in pitch.items("area", COLOURS)]
    if len(set(spaces)) != COLOURS or max(spaces) >= HALF:
        raise EditionError("pitch.area", "area")
    for seat, side in ((RED, "red"), (BLUE, "blue")):
        found = Counter(colour[turned(seat, space)] for space in spaces)
        for number, name in enumerate(colours, 1):
            if found[number] != 1:
                raise EditionError("pitch.area", f"{side}_area", colour=name, found=found[number])
    return frozenset(spaces)


def _own_space(pitch: _Table, key: str) -> int:
    """Read a space of red's half."""
    space = _space(pitch.path(key), pitch.data[key])
    if space >= HALF:
        raise EditionError(pitch.path(key), "own_half", space=SPACE_NAMES[space])
    return space


def _read_bonus(pitch: _Table) -> tuple[int, ...]:
    """Read what the spaces of the opposing half add to a shot, the row at the goal first; the own half adds nothing."""
    rows = []
    for place, value in pitch.items("bonus", ROWS // 2):
        words = _text(place, value).split()
        if len(words) != COLUMNS or any(word not in ("0", "1", "2", "3") for word in words):
            raise EditionError(place, "bonus", needed=COLUMNS)
        rows.append([int(word) for word in words])
    return (0,) * HALF + tuple(value for row in reversed(rows) for value in row)


def _read_start(figures: _Table, kick_off: int) -> tuple[int, ...]:
    start = tuple(_space(place, value) for place, value in figures.items("start", FIGURES))
    for space, count in Counter(start).items():
        if count > CAPACITY:
            raise EditionError("figures.start", "room", found=count, space=SPACE_NAMES[space], most=CAPACITY)
    if start.count(kick_off) != CAPACITY:
        raise EditionError("figures.start", "kick_off", space=SPACE_NAMES[kick_off])
    if kick_off < HALF - COLUMNS:
        raise EditionError("pitch.kick_off", "halfway", space=SPACE_NAMES[kick_off])
    return start


def _read_paths(table: _Table) -> tuple[Path, ...]:
    """Read the arrows of a symbol: every entry is one way, and no two are the same."""
    paths = []
    for place, value in table.items("arrows"):
        words = _text(place, value).split()
        if not 1 <= len(words) <= MAX_STEPS or any(word not in DIRECTION_NAMES for word in words):
            raise EditionError(place, "steps", most=MAX_STEPS, known=", ".join(DIRECTION_NAMES), found=shorten(value))
        path = tuple(DIRECTION_NAMES.index(word) for word in words)
        if not any(_walk(space, path) not in (OFF_PITCH, space) for space in range(SPACES)):
            raise EditionError(place, "nowhere", found=shorten(value))
        paths.append(path)
    if not 1 <= len(paths) <= MAX_PATHS or len(set(paths)) != len(paths):
        raise EditionError(table.path("arrows"), "ways", most=MAX_PATHS)
    return tuple(paths)


def _walk(space: int, path: Path) -> int:
    for direction in path:
        if space != OFF_PITCH:
            space = NEXT_SPACE[space * DIRECTIONS + direction]
    return space


def _read_poldi(data: _Table, paths: Sequence[tuple[Path, ...]]) -> tuple[Poldi, ...]:
    found: dict[int, Poldi] = {}
    for place, value in data.items("poldi", POLDIS):
        table = _Table(place, value)
        table.only("number", "price", "card", optional=("arrows",))
        number = table.integer("number", LOWEST_NUMBER, HIGHEST_NUMBER)
        if number in found:
            raise EditionError(f"{place}.number", "number_twice", found=number)
        name = table.text("card")
        if name not in (*CARD_NAMES, VOLLEY_NAME):
            raise EditionError(
                f"{place}.card", "card", found=shorten(name), known=", ".join((*CARD_NAMES, VOLLEY_NAME))
            )
        card = None if name == VOLLEY_NAME else CARD_NAMES.index(name)
        own = _read_paths(table) if "arrows" in table.data else None
        if card is None and own is not None:
            raise EditionError(f"{place}.arrows", "volley_arrows")
        ways = () if card is None else own or paths[card]
        found[number] = Poldi(number, table.integer("price", 0, MAX_PRICE), card, ways)
    return tuple(found[number] for number in sorted(found))


# --- distances --------------------------------------------------------------------------------------------------


def distances(metric: str, free_action: Sequence[Path]) -> list[int]:
    """Return the steps from each space to each in the chase, at from * SPACES + to, as the side sees the pitch.

    `orthogonal` and `king` count spaces; `symbol` counts free actions, with SPACES where they do not lead.
    """
    found = []
    for a in range(SPACES):
        if metric == "symbol":
            found += _free_actions(a, free_action)
            continue
        for b in range(SPACES):
            columns, rows = abs(a % COLUMNS - b % COLUMNS), abs(a // COLUMNS - b // COLUMNS)
            found.append(max(columns, rows) if metric == "king" else columns + rows)
    return found


def _free_actions(start: int, paths: Sequence[Path]) -> list[int]:
    """Return how many free actions lead from one space to each."""
    counts = [SPACES] * SPACES
    counts[start], border, steps = 0, [start], 0
    while border:
        steps += 1
        ends = {_walk(space, path) for space in border for path in paths} - {OFF_PITCH}
        border = [space for space in ends if counts[space] == SPACES]
        for space in border:
            counts[space] = steps
    return counts
