"""How much one sender may ask of the tables: token buckets, limits by address, and the spoken codes that they guard.

Nothing here waits or looks at a clock; the present time is passed in.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from secrets import randbelow
from typing import Final

from bolzplatz.core.errors import BolzplatzError

CODE_DIGITS: Final = 6
_KEPT: Final = 10_000
"""Senders that a `Limiter` remembers before it forgets those who have had their fill of waiting."""


class LimitError(BolzplatzError):
    """Somebody asks for too much.

    Attributes:
        key: the key of the reason in the text catalogues.
        text: one sentence in English.
        wait: seconds after which to try again.
    """

    def __init__(self, key: str, text: str, wait: float = 0.0) -> None:
        super().__init__(text)
        self.key, self.text, self.wait = key, text, wait


@dataclass(slots=True)
class Bucket:
    """A token bucket: `rate` tokens a second come in, at most `burst` are kept; it starts full.

    >>> bucket = Bucket(rate=1.0, burst=2)
    >>> [bucket.take(0.0) for _ in range(3)], bucket.wait(0.0), bucket.take(1.0)
    ([True, True, False], 1.0, True)
    """

    rate: float
    burst: float
    _tokens: float = -1.0
    _at: float = 0.0

    def _fill(self, now: float) -> float:
        if self._tokens < 0:
            self._tokens = self.burst
        else:
            self._tokens = min(self.burst, self._tokens + max(0.0, now - self._at) * self.rate)
        self._at = now
        return self._tokens

    def take(self, now: float) -> bool:
        """Take a token if there is one."""
        if self._fill(now) < 1:
            return False
        self._tokens -= 1
        return True

    def wait(self, now: float) -> float:
        """Return the seconds until there is a token."""
        return max(0.0, (1 - self._fill(now)) / self.rate)

    def full(self, now: float) -> bool:
        """Say whether nothing is missing: a full bucket may be forgotten."""
        return self._fill(now) >= self.burst


class Limiter:
    """A bucket for each sender; None as a sender (an address that is not known) is not limited."""

    def __init__(self, rate: float, burst: float, key: str, text: str) -> None:
        self._rate, self._burst, self._key, self._text = rate, burst, key, text
        self._buckets: dict[Hashable, Bucket] = {}

    def check(self, sender: Hashable | None, now: float) -> None:
        """Count one request of a sender; raises LimitError where it is one too many."""
        if sender is None:
            return
        bucket = self._buckets.setdefault(sender, Bucket(self._rate, self._burst))
        if not bucket.take(now):
            raise LimitError(self._key, self._text, bucket.wait(now))
        if len(self._buckets) > _KEPT:
            self._buckets = {who: each for who, each in self._buckets.items() if not each.full(now)}


def new_code() -> str:
    """Return a spoken code: six digits, the first one no zero, the same in every language."""
    lowest = 10 ** (CODE_DIGITS - 1)
    return str(lowest + randbelow(9 * lowest))


def read_code(text: str) -> str | None:
    """Return the code that somebody typed, with or without gaps; None if it is none.

    >>> read_code(" 482 913 "), read_code("482-913"), read_code("48291")
    ('482913', '482913', None)
    """
    digits = re.sub(r"[\s.\-]", "", text[:40])
    return digits if re.fullmatch(f"[1-9][0-9]{{{CODE_DIGITS - 1}}}", digits) else None
