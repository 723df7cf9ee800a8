"""The evening at a table in words: matches and players, and who was luckiest."""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bolzplatz.core.errors import RecordError
from bolzplatz.core.record import read_record
from bolzplatz.table.coaching import COACH
from bolzplatz.table.evening import Evening, Match, evening_of, match_of
from bolzplatz.web.language import Catalogue

KEPT: Final = 256
"""Matches that are kept as taken apart: they are over, and stay as they are."""

_matches = OrderedDict[str, tuple[str, Match | None]]()
"""By table: the record that was taken apart, and its match; None where it ended by agreement before it was over."""
_lock = threading.Lock()


def taken_apart(table: str) -> bool:
    """Say whether the match of a table was taken apart already: its record need not be read for that again."""
    with _lock:
        return table in _matches


def look_back(room: Sequence[str], records: Mapping[str, str | None]) -> Evening:
    """Take the matches of an evening apart; for a thread, since each one may take a second.

    Args:
        room: the ids of its tables, in order.
        records: those that were read, None for a match that is not over; the others were taken apart before.
    """
    found = (_match(table, records.get(table, "")) for table in room)
    return evening_of(match for match in found if match is not None)


def _match(table: str, text: str | None) -> Match | None:
    """Return a match from its record; from an empty one, as it was taken apart before."""
    if text is None:
        return None
    with _lock:
        read, match = _matches.get(table, ("", None))
        if table in _matches:
            _matches.move_to_end(table)
    if text in ("", read):
        return match
    try:
        match = match_of(read_record(text.encode()), COACH.solution)
    except RecordError:
        match = None
    if match is None or not match.pending:
        with _lock:
            _matches[table] = (text, match)
            if len(_matches) > KEPT:
                _matches.popitem(last=False)
    return match


def told(evening: Evening, t: Catalogue) -> dict[str, Any]:
    """Return what the page shows."""
    known = any(person.known for person in evening.people)
    luckiest = evening.luckiest
    said = t("evening.nothing")
    if luckiest is not None:
        said = t("evening.luckiest", name=luckiest.name, n=t.number(luckiest.luck, 2, signed=True))
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
                "won": t.number(person.won, 2),
                "start": t.number(person.start, 2),
                "luck": t.number(person.luck, 2, signed=True),
                "own": t.number(-person.own_losses, 2, signed=True),
                "gifts": t.number(person.gifts, 2, signed=True),
                "known": person.known > 0,
                "bar": round(100 * person.luck / max(abs(each.luck) for each in evening.people)) if person.luck else 0,
            }
            for person in evening.people
        ],
    }
