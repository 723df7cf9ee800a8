"""The event buffer that rules write to while they apply an action.

A buffer is a flat run of integers: the number of events, then `EVENT_WIDTH` integers for each event: kind, seat and
three arguments. Interpreted it is a list, compiled it is an array; `None` switches recording off, and Numba then
removes every call. `emit` belongs to the compiled subset.
"""

from typing import Any, Final, NamedTuple

EVENT_WIDTH: Final = 5
EVENT_CAPACITY: Final = 64


def emit(log: Any, kind: int, seat: int, a: int = 0, b: int = 0, c: int = 0) -> None:
    """Append one event to `log`; nothing happens where `log` is None."""
    if log is not None:
        at = 1 + log[0] * EVENT_WIDTH
        log[at] = kind
        log[at + 1] = seat
        log[at + 2] = a
        log[at + 3] = b
        log[at + 4] = c
        log[0] += 1


def new_log() -> list[int]:
    """Return an empty interpreted buffer with room for `EVENT_CAPACITY` events of one action."""
    return [0] * (1 + EVENT_CAPACITY * EVENT_WIDTH)


class RawEvent(NamedTuple):
    """One event as the rules wrote it; `step` is the index of the history entry that caused it."""

    step: int
    kind: int
    seat: int
    a: int
    b: int
    c: int


def drain(log: list[int], step: int) -> list[RawEvent]:
    """Take the events out of an interpreted buffer and leave it empty."""
    found = [RawEvent(step, *log[at : at + EVENT_WIDTH]) for at in range(1, 1 + log[0] * EVENT_WIDTH, EVENT_WIDTH)]
    log[0] = 0
    return found
