"""Which language a browser reads, and the texts of the pages in it (`texts/page.*.toml`, and of best play `solved.*`).

Keys are written with dots: `catalogue("home.title")`. A text may hold places such as `{name}`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

LANGUAGES: Final = {"en": "English", "de": "Deutsch", "fr": "Français"}
DEFAULT: Final = "en"
PARTS: Final = ("page", "solved")
LANGUAGE_COOKIE: Final = "language"


def choose(cookie: str | None, accept: str | None) -> str:
    """Return the language to show: the one chosen on the page, else the best that the browser accepts.

    >>> choose(None, "pt-BR, fr-CH;q=0.8, en;q=0.9"), choose("de", "fr"), choose("xx", None)
    ('en', 'de', 'en')
    """
    if cookie in LANGUAGES:
        return str(cookie)
    for wanted in _by_preference(accept or ""):
        if wanted in LANGUAGES:
            return wanted
    return DEFAULT


def _by_preference(accept: str) -> list[str]:
    """Return the primary languages of an Accept-Language header, best first, refused ones left out."""
    found: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept.split(",")[:20]):
        # Spaces may stand around the sign between a language and its weight.
        tag, _, quality = "".join(part.split()).partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            continue
        if weight > 0:
            found.append((-weight, place, tag.partition("-")[0].lower()))
    return [tag for _, _, tag in sorted(found)]


def flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of a nested table with its dotted key."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


class Catalogue:
    """The texts of the pages in one language."""

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


@cache
def catalogue(language: str) -> Catalogue:
    """Read the pages' texts in one of `LANGUAGES`; read once."""
    texts: dict[str, str] = {}
    for part in PARTS:
        source = files("bolzplatz") / "texts" / f"{part}.{language}.toml"
        texts |= flatten(tomllib.loads(source.read_text(encoding="utf-8")))
    return Catalogue(language, texts)


def seconds(ms: int, t: Catalogue) -> str:
    """Write a time in seconds with two decimals, as the language does."""
    hundredths = (ms + 5) // 10
    return t("new.seconds", whole=hundredths // 100, rest=f"{hundredths % 100:02d}")
