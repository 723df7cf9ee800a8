"""What one browser is told about a table: `Frame`, made from the view of its seat alone, at one version.

A frame is complete: a page can be drawn from it without any earlier one. `events` says what happened since the version
that the browser had, so that the page can show it; a frame that carries none is simply the present state.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from bolzplatz.core.forms import FORM_DICE, form_count, form_kind, form_sides
from bolzplatz.core.nodes import CHANCE
from bolzplatz.table.table import WAIT_DECIDE, WAIT_THROW, Table

LOG_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything that one browser may know.

    Attributes:
        table: the table's id.
        version: number of entries of the table's log; every command names the version it was made on.
        since: the version after which `events` happened.
        waiting: {"for": one of the WAIT_ constants of `table.table`, "seat": seat or None}.
        seat: the seat whose view this is: the acting one if this browser owns it, else its first; None: a spectator.
        seats: all seats that this browser owns.
        mine: whether this browser may act now (its seat is waited for, or dice are entered by hand).
        view: `State.view(seat)`.
        legal: texts of the legal moves, only if this browser decides now.
        outcomes: texts of all throws that may be entered now, only with dice by hand.
        dice: {"count", "sides"} of the throw that comes next or was asked for, else None.
        events: what happened since, as the seat may see it: dicts of kind, seat, data, rule, step.
        log: the last events of the match, oldest first, at most LOG_SHOWN; `log_length` counts all.
        draw: the last throw that stands, or None: {"by": "sealed"|"hand", "seat", "move", "step", "faces": texts or
            None by hand, "drawn": 0-based sides or None by hand, "k": number of the draw, "absent": protocol names of
            contributors that did not answer}.
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


def build_frame(table: Table, seats: Sequence[int], since: int) -> Frame:
    """Return the frame of a table for a browser that owns `seats` and had version `since`."""
    state, waiting = table.state, table.waiting
    seat = waiting.seat if waiting.seat in seats else next(iter(seats), None)
    entering = table.by_hand and waiting.kind == WAIT_THROW
    mine = bool(seats) and (entering or (waiting.kind in (WAIT_THROW, WAIT_DECIDE) and waiting.seat in seats))
    view = state.view(seat)
    events = state.events(seat)
    seen = table.steps_since(since)
    setup = table.setup.to_dict()
    players = setup.pop("seats")
    return Frame(
        table=table.id,
        version=table.version,
        since=since,
        waiting=waiting.to_dict(),
        seat=seat,
        seats=tuple(seats),
        mine=mine,
        view=view,
        legal=view["legal_actions"] if mine and waiting.kind == WAIT_DECIDE else [],
        outcomes=[state.action_to_string(outcome) for outcome in state.legal_actions()] if mine and entering else [],
        dice=_dice(table),
        events=[event.to_dict() for event in events if event.step >= seen],
        log=[event.to_dict() for event in events[-LOG_SHOWN:]],
        log_length=len(events),
        draw=table.last_throw,
        players=players,
        setup=setup,
        can_undo=bool(seats) and table.undo_start() is not None,
        result=_result(table),
        rematch=table.rematch,
        words=list(table.words),
    )


def _dice(table: Table) -> dict[str, int] | None:
    if table.state.current_player() != CHANCE or form_kind(form := table.state.chance_form()) != FORM_DICE:
        return None
    return {"count": form_count(form), "sides": form_sides(form)}


def _result(table: Table) -> dict[str, Any] | None:
    if not table.state.is_terminal():
        return None
    returns = table.state.returns()
    winners = [seat for seat, share in enumerate(returns) if share > 0]
    return {"returns": returns, "scores": table.state.scores(), "winners": winners}
