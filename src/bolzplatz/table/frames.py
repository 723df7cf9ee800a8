"""What one browser is told about a table: `Frame`, made from the view of its seat alone, at one version.

A frame is complete: a page can be drawn from it without any earlier one. `events` says what happened since the version
that the browser had, so that the page can show it; a frame that carries none is simply the present state.
"""

from dataclasses import asdict, dataclass
from typing import Any, Final

WAIT_TIP: Final = "tip"
"""For the first browser's chain tip; the match opens with it (sealed dice only)."""
WAIT_THROW: Final = "throw"
"""For `seat` to throw: `do` with `throw: true`; by hand, for anybody to enter what the dice show."""
WAIT_DECIDE: Final = "decide"
"""For a decision of `seat`, a person."""
WAIT_CONTRIBUTE: Final = "contribute"
"""For the contributions to the draw that was asked for; nothing to press."""
WAIT_BOT: Final = "bot"
"""For the table itself: a computer player's move or throw, a single possible move, a throw that no seat makes."""
WAIT_OVER: Final = "over"
"""For nothing: the match is over."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a table waits for; `kind` is one of the WAIT_ constants."""

    kind: str
    seat: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what messages and frames carry."""
        return {"for": self.kind, "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything that one browser may know.

    Attributes:
        table: the table's id.
        version: number of entries of the table's log; every command names the version it was made on.
        since: the version after which `events` happened.
        waiting: {"for": one of the WAIT_ constants, "seat": seat or None}.
        seat: the seat whose view this is: the acting one if this browser owns it, else its first; None: a spectator.
        seats: all seats that this browser owns.
        mine: whether this browser may act now (its seat is waited for, or dice are entered by hand).
        view: `State.view(seat)`.
        legal: texts of the legal moves, only if this browser decides now.
        outcomes: texts of all throws that may be entered now, only with dice by hand.
        dice: {"count", "sides"} of the throw that comes next or was asked for, else None.
        events: what happened since, as the seat may see it: dicts of kind, seat, data, rule, step.
        log: the last events of the match, oldest first, at most LOG_SHOWN; `log_length` counts all.
        draw: the last throw, or None before the first: {"by": "sealed"|"hand", "seat", "move", "faces": list of
            texts or None, "drawn": list of 0-based sides or None, "k", "absent": list of seats, "step"}.
        players: per seat {"kind", "name", "level", "look"}.
        setup: {"game", "options", "dice", "speed", "mode", "language"}.
        can_undo: whether the last entry by hand may be taken back now.
        result: None before the end; then {"returns", "scores", "winners": list of seats}.
        rematch: id of the table where the next match is played, once it is there.
        words: the six words of the opening record, sealed dice only.
    """

    table: str
    version: int
    since: int
    waiting: dict[str, Any]
    seat: int | None
    seats: tuple[int, ...]
    mine: bool
    view: dict[str, Any]
    legal: list[str]
    outcomes: list[str]
    dice: dict[str, int] | None
    events: list[dict[str, Any]]
    log: list[dict[str, Any]]
    log_length: int
    draw: dict[str, Any] | None
    players: list[dict[str, Any]]
    setup: dict[str, Any]
    can_undo: bool
    result: dict[str, Any] | None
    rematch: str | None
    words: list[str]

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return asdict(self)


LOG_SHOWN: Final = 80
