"""What happened, in the reader's words: catalogues `texts/<game>.<language>.toml`, and the sentences made from them.

A catalogue has three tables: [events] with a template for each kind of event, [refusals] with a sentence for each
reason to refuse a move, [words] for the names that stand in an event's arguments; and where a game has editions of
people's own, [edition] with what may be wrong with one. Templates are filled by `str.format`:
`{name}` is the name of the seat that the event concerns, `{other}` the name of the seat in the argument of that name,
and every further place is an argument of the event; an argument that is a text is looked up in [words], a list of texts
word by word.

What is said outside of events, by pages, reports and charts, lies in the files PARTS, one of each for every language;
`catalogue` has all of it. Keys are written with dots: `catalogue("en")("home.title")`. A text may hold places such as
`{name}`.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

LANGUAGES: Final = ("en", "de", "fr")
PARTS: Final = ("page", "solved", "report")


@dataclass(frozen=True, slots=True)
class GameTexts:
    """The catalogue of one game in one language."""

    events: Mapping[str, str]
    refusals: Mapping[str, str]
    words: Mapping[str, str]
    edition: Mapping[str, str] = field(default_factory=dict)


@cache
def game_texts(game: str, language: str) -> GameTexts:
    """Read a game's catalogue, once; raises FileNotFoundError for a game or language that has none."""
    source = files("bolzplatz") / "texts" / f"{game}.{language}.toml"
    tables = tomllib.loads(source.read_text(encoding="utf-8"))
    return GameTexts(tables["events"], tables["refusals"], tables["words"], tables.get("edition", {}))


def _in_words(texts: GameTexts, value: object) -> object:
    if isinstance(value, list):
        return ", ".join(texts.words.get(word, word) for word in value)
    return texts.words.get(value, value) if isinstance(value, str) else value


def event_text(texts: GameTexts, event: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the sentence for one event, given as `Event.to_dict` gives it; `names` are those of the seats.

    >>> texts = GameTexts({"rolled": "{name} throws {face}."}, {}, {"pass": "a through pass"})
    >>> event_text(texts, {"kind": "rolled", "seat": 0, "data": {"face": "pass"}}, ["Mia", "Ben"])
    'Mia throws a through pass.'
    """
    places = {key: _in_words(texts, value) for key, value in event["data"].items()}
    if isinstance(event["data"].get("other"), int):
        places["other"] = names[event["data"]["other"]]
    if event["seat"] is not None:
        places["name"] = names[event["seat"]]
    return texts.events[event["kind"]].format(**places)


# --- outside of events ----------------------------------------------------------------------------------------------


def flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of a nested table with its dotted key."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


class Catalogue:
    """The texts of pages, reports and charts in one language, and how numbers are written in it."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self.texts = dict(texts)

    def __call__(self, key: str, **places: object) -> str:
        """Return the text of `key` with its places filled in; a missing key is a programming error (KeyError).

        Players that are plugged in have no texts: their level and their name at the table is the name they came by.
        """
        kind, _, name = key.partition(".")
        text = self.texts.get(key, name) if kind in ("level", "names") else self.texts[key]
        return text.format(**places) if places else text

    def has(self, key: str) -> bool:
        """Say whether there is such a text."""
        return key in self.texts

    def under(self, prefix: str) -> dict[str, str]:
        """Return the texts below a key, by the rest of their keys; for what the page's scripts say by themselves."""
        start = f"{prefix}."
        return {key.removeprefix(start): text for key, text in self.texts.items() if key.startswith(start)}

    def number(self, value: float, digits: int = 0, *, signed: bool = False) -> str:
        """Write a number with so many decimals as the language does, its thousands set apart, with a true minus.

        What is rounded to nothing has no sign.

        >>> [catalogue(language).number(1234.56, 1) for language in ("en", "de")]
        ['1,234.6', '1.234,6']
        >>> [catalogue("en").number(value, 2, signed=True) for value in (0.04, -0.001, 0.0)]
        ['+0.04', '0.00', '0.00']
        """
        rounded = round(value, digits) + 0.0  # the zero below zero becomes a plain one
        text = f"{rounded:{'+' if signed and rounded else ''},.{digits}f}"
        signs = {",": self.texts["report.thousands"], ".": self.texts["training.say.point"], "-": "−"}
        return "".join(signs.get(sign, sign) for sign in text)


@cache
def catalogue(language: str) -> Catalogue:
    """Read all texts in one of LANGUAGES that are not of one game alone; read once."""
    texts: dict[str, str] = {}
    for part in PARTS:
        source = files("bolzplatz") / "texts" / f"{part}.{language}.toml"
        texts |= flatten(tomllib.loads(source.read_text(encoding="utf-8")))
    return Catalogue(language, texts)


def rulebook(game: str, language: str) -> str:
    """Return a game's rules in our own words, as Markdown; FileNotFoundError for a game or language without them.

    They lie in the package (`rulebooks`, put there when the wheel is built) or, in a working copy, in docs/rules.
    """
    name = f"{game}.{language}.md"
    packed = files("bolzplatz") / "rulebooks" / name
    source = packed if packed.is_file() else Path(__file__).parents[3] / "docs" / "rules" / name
    return source.read_text(encoding="utf-8")
