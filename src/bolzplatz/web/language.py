"""Which language a browser reads, and the texts of the pages in it (`core.texts.catalogue`)."""

from typing import Final

from bolzplatz.core.texts import Catalogue, catalogue

__all__ = ["DEFAULT", "LANGUAGES", "LANGUAGE_COOKIE", "Catalogue", "catalogue", "choose", "seconds"]

LANGUAGES: Final = {"en": "English", "de": "Deutsch", "fr": "Français"}
DEFAULT: Final = "en"
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


def seconds(ms: int, t: Catalogue) -> str:
    """Write a time in seconds with two decimals, as the language does."""
    hundredths = (ms + 5) // 10
    return t("new.seconds", whole=hundredths // 100, rest=f"{hundredths % 100:02d}")
