"""What happened, in the reader's words: catalogues `texts/<game>.<language>.toml`, and the sentences made from them.

A catalogue has three tables: [events] with a template for each kind of event, [refusals] with a sentence for each
reason to refuse a move, [words] for the names that stand in an event's arguments; and where a game has editions of
people's own, [edition] with what may be wrong with one. Templates are filled by `str.format`:
`{name}` is the name of the seat that the event concerns, `{other}` the name of the seat in the argument of that name,
and every further place is an argument of the event; an argument that is a text is looked up in [words], a list of texts
word by word.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

LANGUAGES: Final = ("en", "de", "fr")


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


def rulebook(game: str, language: str) -> str:
    """Return a game's rules in our own words, as Markdown; FileNotFoundError for a game or language without them.

    They lie in the package (`rulebooks`, put there when the wheel is built) or, in a working copy, in docs/rules.
    """
    name = f"{game}.{language}.md"
    packed = files("bolzplatz") / "rulebooks" / name
    source = packed if packed.is_file() else Path(__file__).parents[3] / "docs" / "rules" / name
    return source.read_text(encoding="utf-8")
