"""The evening at a table in words: matches and players, and who was luckiest."""

import threading
from collections import OrderedDict
from typing import Any, Final

from bolzplatz.core.errors import RecordError
from bolzplatz.core.record import read_record
from bolzplatz.table.coaching import COACH
from bolzplatz.table.evening import Evening, Match, evening_of, match_of
from bolzplatz.web.language import Catalogue

KEPT: Final = 256
"""Matches that are kept as taken apart: they are over, and stay as they are."""

_matches = OrderedDict[str, Match]()
_lock = threading.Lock()


def look_back(records: list[tuple[str, str]]) -> Evening:
    """Take the matches of an evening apart; for a thread, since each one may take a second.

    Args:
        records: the ids of their tables, and their records.
    """
    found = []
    for table, text in records:
        try:
            found.append(_match(table, text))
        except RecordError:
            continue  # ended by agreement before it was over
    return evening_of(found)


def _match(table: str, text: str) -> Match:
    with _lock:
        if table in _matches:
            _matches.move_to_end(table)
            return _matches[table]
    match = match_of(read_record(text.encode()), COACH.solution)
    if not match.pending:
        with _lock:
            _matches[table] = match
            if len(_matches) > KEPT:
                _matches.popitem(last=False)
    return match


def told(evening: Evening, t: Catalogue) -> dict[str, Any]:
    """Return what the page shows."""
    known = any(person.known for person in evening.people)
    luckiest = evening.luckiest
    said = t("evening.nothing")
    if luckiest is not None:
        said = t("evening.luckiest", name=luckiest.name, n=_signed(luckiest.luck, t))
    elif known:
        said = t("evening.even")
    elif evening.matches and not evening.pending:
        said = t("evening.unknown")
    return {
        "said": said,
        "pending": evening.pending,
        "known": known,
        "matches": [
            {
                "title": t(f"games.{match.game}.short"),
                "names": " – ".join(match.names),
                "winner": t("end.and").join(name for name, won in zip(match.names, match.won, strict=True) if won > 0)
                or t("end.level"),
            }
            for match in evening.matches
        ],
        "people": [
            {
                "name": person.name,
                "matches": person.matches,
                "won": _number(person.won, t),
                "start": _number(person.start, t),
                "luck": _signed(person.luck, t),
                "own": _signed(-person.own_losses, t),
                "gifts": _signed(person.gifts, t),
                "known": person.known > 0,
                "bar": round(100 * person.luck / max(abs(each.luck) for each in evening.people)) if person.luck else 0,
            }
            for person in evening.people
        ],
    }


def _number(value: float, t: Catalogue) -> str:
    return f"{value:.2f}".replace(".", t("training.say.point"))


def _signed(value: float, t: Catalogue) -> str:
    shown = _number(abs(value), t)
    return f"{'−' if value < 0 else '+'}{shown}"
