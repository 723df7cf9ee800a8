"""Who is at the table right now, in words, and what follows from it: nothing of this is in the log.

A browser is known by the digest of its token. Times are passed in, seconds since 1970.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from bolzplatz.table.clock import TurnClock
from bolzplatz.table.rounds import RoundNow

HERE: Final = "here"
RECONNECTING: Final = "reconnecting"
AWAY: Final = "away"
"""Not looking: its page is hidden, or it has been off the line for a while."""
GONE: Final = "gone"

AWAY_SECONDS: Final = 10.0
GONE_SECONDS: Final = 30.0
MOST_REMEMBERED: Final = 500
"""Browsers; beyond that those that are gone are forgotten, which comes to the same."""


@dataclass(slots=True)
class _Browser:
    pages: int = 0
    hidden: bool = False
    since: float = 0.0
    """When the last page went off the line."""


@dataclass(slots=True)
class Attendance:
    """Which browsers have a page open at a table; `last_seen` stands for those that have not shown up here yet."""

    last_seen: float
    _browsers: dict[str, _Browser] = field(default_factory=dict)

    def arrive(self, owner: str) -> None:
        """A page of this browser begins to listen."""
        browser = self._browsers.setdefault(owner, _Browser())
        browser.pages += 1
        browser.hidden = False

    def leave(self, owner: str, now: float) -> None:
        """A page of this browser is off the line."""
        browser = self._browsers[owner]
        browser.pages -= 1
        browser.since = now
        if len(self._browsers) > MOST_REMEMBERED:
            self._browsers = {
                who: each for who, each in self._browsers.items() if each.pages or now - each.since < GONE_SECONDS
            }

    def hide(self, owner: str, hidden: bool) -> None:
        """This browser's page has gone to the background, or has come back."""
        self._browsers.setdefault(owner, _Browser(since=self.last_seen)).hidden = hidden

    def word(self, owner: str, now: float) -> str:
        """Return HERE, RECONNECTING, AWAY or GONE."""
        browser = self._browsers.get(owner)
        if browser is not None and browser.pages:
            return AWAY if browser.hidden else HERE
        off = self.off_line(owner, now)
        return RECONNECTING if off < AWAY_SECONDS else AWAY if off < GONE_SECONDS else GONE

    def off_line(self, owner: str, now: float) -> float:
        """Return for how many seconds a browser has had no page here; 0 while it has one."""
        browser = self._browsers.get(owner)
        if browser is not None and browser.pages:
            return 0.0
        return max(0.0, now - (self.last_seen if browser is None else browser.since))

    def next_change(self, owner: str, now: float) -> float | None:
        """Return when the word for a browser changes by itself, in seconds since 1970; None: never."""
        browser = self._browsers.get(owner)
        if browser is not None and browser.pages:
            return None
        since = self.last_seen if browser is None else browser.since
        off = self.off_line(owner, now)
        return next((since + after for after in (AWAY_SECONDS, GONE_SECONDS) if off < after), None)


@dataclass(frozen=True, slots=True)
class Company:
    """What a command or a frame needs to know of the people around a table.

    Attributes:
        host: the browser that is host now; None: as the log says.
        presence: a word for every browser that plays a seat; one that is missing counts as here.
        spectators: browsers without a seat that watch.
        clock: the clock of the turn, if the table has one and a person is to act.
        round: what of a round in which all move at once is not in the log.
    """

    host: str | None = None
    presence: Mapping[str, str] = field(default_factory=dict)
    spectators: int = 0
    clock: TurnClock | None = None
    round: RoundNow = field(default_factory=RoundNow)

    def word(self, owner: str) -> str:
        """Return the word for a browser."""
        return self.presence.get(owner, HERE)

    def is_gone(self, owner: str) -> bool:
        """Say whether a browser is gone, so that the others may go on without it."""
        return self.word(owner) == GONE
