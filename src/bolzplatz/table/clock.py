"""The time for a turn: a value that is asked with the present time and never waits itself.

Time that has run out takes nothing away by itself: it lets the others hand the turn to the computer, by a tap.
"""

from dataclasses import dataclass
from typing import Final

TURN_SECONDS: Final = (0, 30, 60, 180)
"""What a table may allow for a turn; 0: as long as anybody likes."""
GRACE_SECONDS: Final = 10

RUNNING: Final = "running"
GRACE: Final = "grace"
OVER: Final = "over"


@dataclass(frozen=True, slots=True)
class TurnClock:
    """The clock of one turn: whose it is, seconds allowed, and when it began (seconds since 1970).

    Where all choose in secret at once it is the turn of everybody who still does; before a race, of everybody who is
    not ready yet.
    """

    seats: tuple[int, ...]
    limit: int
    began: float

    def left(self, now: float) -> float:
        """Return the seconds that are left; below zero in the grace and after it."""
        return self.began + self.limit - now

    def state(self, now: float) -> str:
        """Return RUNNING, GRACE or OVER."""
        left = self.left(now)
        return RUNNING if left > 0 else GRACE if left > -GRACE_SECONDS else OVER

    def next_change(self, now: float) -> float | None:
        """Return when the state changes next, in seconds since 1970; None: never."""
        ends = (self.began + self.limit, self.began + self.limit + GRACE_SECONDS)
        return next((end for end in ends if end > now), None)
