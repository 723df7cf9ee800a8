"""What one browser is told about a table: `Frame`, made from the view of its seat alone, at one version.

A frame is complete: a page can be drawn from it without any earlier one. `events` says what happened since the version
that the browser had, so that the page can show it; a frame that carries none is simply the present state.
`plan_replay` makes a frame of any step of a match, from a perspective that is allowed.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from operator import attrgetter
from typing import Any, Final

from bolzplatz.core.declare import Seen
from bolzplatz.core.forms import FORM_DICE, form_count, form_kind, form_sides
from bolzplatz.core.game import Event, State
from bolzplatz.core.nodes import CHANCE
from bolzplatz.core.taps import TAP
from bolzplatz.table.clock import GRACE_SECONDS
from bolzplatz.table.coaching import COACH
from bolzplatz.table.commands import SEAT
from bolzplatz.table.company import Company
from bolzplatz.table.room import Room
from bolzplatz.table.rounds import HAND
from bolzplatz.table.setup import HUMAN
from bolzplatz.table.table import (
    PROPOSAL_SECONDS,
    WAIT_CHOOSE,
    WAIT_DECIDE,
    WAIT_GRAB,
    WAIT_HANDS,
    WAIT_OVER,
    WAIT_READY,
    WAIT_ROOM,
    WAIT_TAP,
    WAIT_THROW,
    WAIT_TIP,
    Table,
    Waiting,
)

LOG_SHOWN: Final = 80
TURNS_SHOWN: Final = 40
_LOG: Final = "log"
_STEP: Final = attrgetter("step")
ALL: Final = "all"
"""The perspective from which everything is seen, hidden things included."""


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
        mine: whether this browser may act now (its seat is waited for, or it enters what real dice show).
        view: `State.view(seat)`.
        legal: texts of the legal moves, only if this browser decides now.
        outcomes: texts of all throws that may be entered now, only with dice by hand.
        dice: {"count", "sides"} of the throw that comes next or was asked for, else None.
        events: what happened since, as the seat may see it: dicts of kind, seat, data, rule, step.
        log_length: how many events the match has had; `log` are the last of them.
        draw: the last throw that stands, or None: {"by": "sealed"|"hand", "seat", "move", "step", "faces": texts or
            None where the table threw no dice, "drawn": their 0-based sides or None, "k": number of the draw, "absent":
            protocol names of contributors that did not answer, "hidden": whether not everybody may know it (move,
            faces, drawn: None)}.
        players: per seat {"kind", "name", "level", "look", "handicap"}; kind is human, bot or, before the start, open.
        setup: {"game", "options", "dice", "speed", "mode", "language", "turn_seconds", "open_hands", "room", "pace",
            "strict", "tie", "training", "coach", "tapped": whether hands race for throws}.
        can_undo: whether this browser may take its last decision or entry back now.
        result: None before the end; then {"returns", "scores", "winners": list of seats}.
        rematch: id of the table where the next match is played, once it is there.
        words: the six words of the opening record, sealed dice only.
        refresh: whether the version was shown before: only something around the match has changed.
        room: None after the start; before it {"can_start", "open": seats} and, for the host, what may be changed:
            {"can_add", "can_remove": seats, "kinds": by seat without a person what may be there, kind and level}.
        owners: per seat a small number, the same for the seats of one browser; None where no person sits.
        presence: per seat a word of `table.company`; None where no person sits.
        host: whether this browser is the host; `host_seat`: the host's first seat or None.
        substitutes: seats that the computer plays on for somebody.
        can_substitute: seats that this browser may let the computer play on now.
        clock: None, or {"seats": whose time it is, "limit", "grace", "left": seconds, "state": running, grace or over}.
        proposal: None, or the open question {"n", "what", "by": seat or None, "name", "step", "seat", "agreed": seats,
            "asked": seats that have not said yes, "you": by, asked, agreed or none, "left": seconds}.
        can_propose: what this browser may propose now.
        emotes: whether this browser may send emotes.
        code: the spoken code of the table, or None.
        spectators: how many browsers without a seat watch.
        witness: whether this browser contributes to the dice without a seat; `witnesses`: how many do.
        who: this browser's name in the sealed draws, or None.
        contributors: name in the sealed draws to first seat or None, of all that have a part in them.
        silent: seats of people whose browser has no part in the dice.
        can_renew: whether this browser may ask for new chains.
        open_hands: whether everybody sees what is hidden in the hands.
        hands: None, or the views of all seats, where hidden things are open.
        turns: where the last turns began: {"step", "seat": None where all move at once}, oldest first.
        round: None where all never move at once, and before the match is open; else
            {"n": the round's number, "pace": thinking, grab, hand or, while hands race for throws, tap, "strict",
            "tie", "training", "waited": seats of people who have not said ready, "ready": those that have,
            "choosing": those that still choose, "counting": whether 3-2-1 is running,
            "links": per seat None or {"bars", "weak", "rtt"},
            "last": None or the verdict on the last round: {"n", "step" and "end": its history entries, "pace", "hands":
            quickest first
            {"seat", "piece", "ms", "handicap", "time", "plus_minus", "allowance", "status", "took"}, "taken": seat or
            None by piece, "tied": seats by piece, "wishes", "order", "how": over or interrupted}}.
        ended: whether the match was ended by agreement.
        given: None, or {"table", "step"}: the match is played on from there.
        happenings: what happened around the match, oldest first: dicts of version, step, kind and details.
        replay: None, or {"step", "steps", "perspective", "perspectives"}: this is a step of a replay.
        coach: None where there is none, else what it says (`table.coaching`).
        history: all events of the match as the seat may see them, for pages that show more than `log`.
        shared: what was made of this frame once for all that are sent it; neither is part of `to_dict`.
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
    log_length: int
    draw: dict[str, Any] | None
    players: list[dict[str, Any]]
    setup: dict[str, Any]
    can_undo: bool
    result: dict[str, Any] | None
    rematch: str | None
    words: list[str]
    refresh: bool = False
    room: dict[str, Any] | None = None
    owners: list[int | None] = field(default_factory=list)
    presence: list[str | None] = field(default_factory=list)
    host: bool = False
    host_seat: int | None = None
    substitutes: list[int] = field(default_factory=list)
    can_substitute: list[int] = field(default_factory=list)
    clock: dict[str, Any] | None = None
    proposal: dict[str, Any] | None = None
    can_propose: list[str] = field(default_factory=list)
    emotes: bool = False
    code: str | None = None
    spectators: int = 0
    witness: bool = False
    witnesses: int = 0
    who: str | None = None
    contributors: dict[str, int | None] = field(default_factory=dict)
    silent: list[int] = field(default_factory=list)
    can_renew: bool = False
    open_hands: bool = False
    hands: list[dict[str, Any]] | None = None
    turns: list[dict[str, int | None]] = field(default_factory=list)
    round: dict[str, Any] | None = None
    ended: bool = False
    given: dict[str, Any] | None = None
    happenings: list[dict[str, Any]] = field(default_factory=list)
    replay: dict[str, Any] | None = None
    coach: dict[str, Any] | None = None
    history: Sequence[Event] = field(default=(), compare=False, repr=False)
    shared: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def log(self) -> list[dict[str, Any]]:
        """The last events of the match, oldest first, at most LOG_SHOWN."""
        if _LOG not in self.shared:
            self.shared[_LOG] = [event.to_dict() for event in self.history[-LOG_SHOWN:]]
        found: list[dict[str, Any]] = self.shared[_LOG]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        whole = asdict(replace(self, history=(), shared={}))
        return {name: value for name, value in whole.items() if name not in ("history", "shared")} | {"log": self.log}


@dataclass(frozen=True, slots=True)
class Viewer:
    """For whom a frame is made, and what is around the table then.

    Attributes:
        owner: the browser, None for a spectator without a token.
        company: who is there.
        now: seconds since 1970.
        code: the table's spoken code.
    """

    owner: str | None = None
    company: Company = field(default_factory=Company)
    now: float = 0.0
    code: str | None = None


def build_frame(
    table: Table, seats: Sequence[int], since: int, viewer: Viewer | None = None, refresh: bool = False
) -> Frame:
    """Return the frame of a table for a browser that owns `seats` and had version `since`."""
    state, waiting = table.state, table.waiting
    viewer = viewer or Viewer()
    seat = waiting.seat if waiting.seat in seats else next(iter(seats), None)
    entering = table.by_hand and waiting.kind in (WAIT_THROW, WAIT_HANDS)
    mine = bool(seats) and (table.may_enter(seats) if entering else _acts(table, seats, viewer.company))
    view = state.view(seat)
    events = state.events(seat)
    setup, players = _setup(table)
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
        outcomes=[state.action_to_string(outcome) for outcome in state.legal_actions()]
        if mine and entering and waiting.kind == WAIT_THROW
        else [],
        dice=_dice(state),
        **_told(events, table.steps_since(since)),
        draw=table.last_throw,
        players=players,
        setup=setup,
        can_undo=bool(seats) and table.undo_start(seats) is not None,
        result=_result(state, table.over),
        rematch=table.rematch,
        words=list(table.words),
        refresh=refresh,
        open_hands=table.open_hands,
        hands=_hands(table),
        turns=[{"step": turn.step, "seat": turn.seat} for turn in table.turns[-TURNS_SHOWN:]],
        round=_round(table, viewer.company),
        ended=table.ended,
        given=_given(table),
        happenings=list(table.happenings),
        substitutes=sorted(table.substitutes),
        coach=_coach(table, seats),
        **_around(table, seats, viewer),
    )


def _coach(table: Table, seats: Sequence[int]) -> dict[str, Any] | None:
    """Return what the coach says now; nothing before the start and after the end."""
    if not table.setup.coach or table.over or table.waiting.kind in (WAIT_ROOM, WAIT_TIP):
        return None
    return COACH.advice(table.state, seats)


def coach_stage(table: Table) -> tuple[str, bool]:
    """Return how far the coach is with this position, and whether it knows by playing on; asked, it begins to think."""
    told = _coach(table, [table.state.current_player()])
    return ("", False) if told is None else (told["state"], "matches" in told)


def when_coach_knows_more(listener: Callable[[], None]) -> Callable[[], None]:
    """Let `listener` be called from a thread when the coach has found something out; return what ends that."""
    return COACH.listen(listener)


def _acts(table: Table, seats: Sequence[int], company: Company) -> bool:
    """Say whether a browser that plays `seats` has something to press."""
    waiting = table.waiting
    if waiting.kind == WAIT_READY:
        return any(seat not in company.round.ready for seat in table.called if seat in seats)
    if waiting.kind == WAIT_CHOOSE:
        return any(seat in seats for seat in table.choosing)
    if waiting.kind == WAIT_GRAB:
        return any(seat in seats for seat in table.playing)
    if waiting.kind == WAIT_TAP:
        return any(seat in seats for seat in table.called)
    return waiting.kind in (WAIT_THROW, WAIT_DECIDE) and waiting.seat in seats


def _round(table: Table, company: Company, step: int | None = None) -> dict[str, Any] | None:
    """Return `Frame.round`, as it is now or, in a replay, as it was after `step` entries of the history."""
    setup, rounds, now, asks = table.setup, table.rounds, company.round, table.waiting.kind
    taps = setup.tapped and step is None and (bool(table.taps) or rounds.tapping is not None)
    if not (setup.all_at_once or taps) or asks in (WAIT_ROOM, WAIT_TIP):
        return None
    asks = asks if step is None else ""
    return {
        "n": rounds.n,
        "pace": TAP if taps else HAND if table.by_hand else setup.pace,
        "strict": setup.strict,
        "tie": setup.tie,
        "training": setup.training,
        "waited": [seat for seat in table.called if seat not in now.ready] if asks == WAIT_READY else [],
        "ready": list(now.ready) if asks == WAIT_READY else [],
        "choosing": table.choosing if asks == WAIT_CHOOSE else [],
        "counting": now.counting,
        "links": [None if line is None else asdict(line) for line in now.lines] or [None] * len(table.owners),
        "last": rounds.last(step),
    }


def _setup(table: Table) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    setup = table.setup
    chosen = {
        "game": setup.game,
        "options": dict(setup.options),
        "dice": setup.dice,
        "speed": setup.speed,
        "mode": setup.mode,
        "language": setup.language,
        "turn_seconds": setup.turn_seconds,
        "open_hands": setup.open_hands,
        "room": setup.room,
        "pace": setup.pace,
        "strict": setup.strict,
        "tie": setup.tie,
        "tapped": setup.tapped,
        "training": setup.training,
        "coach": setup.coach,
    }
    return chosen, [asdict(seat) for seat in setup.seats]


def _told(events: Sequence[Event], seen: int) -> dict[str, Any]:
    """Return the fields of a frame that say what happened; events from the history entry `seen` on are new."""
    return {
        "events": [event.to_dict() for event in events[bisect_left(events, seen, key=_STEP) :]],
        "log_length": len(events),
        "history": events,
    }


def _around(table: Table, seats: Sequence[int], viewer: Viewer) -> dict[str, Any]:
    """Return the fields of a frame that say who is there and what they may do besides playing."""
    owner, company, now = viewer.owner, viewer.company, viewer.now
    host = company.host or table.host
    browsers = [each for each in dict.fromkeys(table.owners) if each is not None]
    clock = company.clock
    return {
        "room": _room(table, owner is not None and owner == host),
        "owners": [None if each is None else browsers.index(each) for each in table.owners],
        "presence": [None if each is None else company.word(each) for each in table.owners],
        "host": owner is not None and owner == host,
        "host_seat": next(iter(table.seats_of(host)), None),
        "can_substitute": [
            seat
            for seat in range(len(table.owners))
            if seats and seat not in seats and table.may_substitute(seat, now, company)
        ],
        "clock": None
        if clock is None
        else {
            "seats": list(clock.seats),
            "limit": clock.limit,
            "grace": GRACE_SECONDS,
            "left": round(clock.left(now), 1),
            "state": clock.state(now),
        },
        "proposal": _proposal(table, owner, company, now),
        "can_propose": [] if owner is None else table.may_propose(owner, company),
        "emotes": bool(seats),
        "code": viewer.code,
        "spectators": company.spectators,
        "witness": owner in table.witnesses,
        "witnesses": len(table.witnesses),
        "who": table.contributor_name(owner),
        "contributors": {who: next(iter(table.seats_of(browser)), None) for who, browser in table.contributors.items()},
        "silent": list(table.silent),
        "can_renew": owner is not None and table.may_renew(owner),
    }


def _room(table: Table, host: bool) -> dict[str, Any] | None:
    if table.waiting.kind != WAIT_ROOM:
        return None
    waits = list(table.setup.open_seats)
    found: dict[str, Any] = {"can_start": not waits, "open": waits, "can_add": False, "can_remove": [], "kinds": {}}
    if host:
        room, seats = Room(table.setup, table.owners), range(len(table.owners))
        found["can_add"] = room.can_add
        found["can_remove"] = [seat for seat in seats if room.can_remove(seat)]
        found["kinds"] = {seat: room.kinds(seat) for seat in seats if table.setup.seats[seat].kind != HUMAN}
    return found


def _proposal(table: Table, owner: str | None, company: Company, now: float) -> dict[str, Any] | None:
    asked = table.open_proposal(now)
    if asked is None:
        return None
    open_ones = table.asked_of(asked, company) - set(asked.agreed)
    places = {"by": (asked.owner,), "agreed": asked.agreed, "asked": open_ones}
    you = next((place for place, browsers in places.items() if owner in browsers), "none")
    by = next(iter(table.seats_of(asked.owner)), None)
    return {
        "n": asked.n,
        "what": asked.what,
        "by": by,
        "name": asked.name if asked.what == SEAT or by is None else table.setup.seats[by].name,
        "step": asked.step,
        "seat": asked.seat,
        "agreed": sorted(seat for browser in asked.agreed for seat in table.seats_of(browser)),
        "asked": sorted(seat for browser in open_ones for seat in table.seats_of(browser)),
        "you": you,
        "left": round(asked.at + PROPOSAL_SECONDS - now, 1),
    }


def _dice(state: State) -> dict[str, int] | None:
    if state.current_player() != CHANCE or form_kind(form := state.chance_form()) != FORM_DICE:
        return None
    return {"count": form_count(form), "sides": form_sides(form)}


def _result(state: State, over: bool) -> dict[str, Any] | None:
    if not over:
        return None
    returns = state.returns()
    winners = [seat for seat, share in enumerate(returns) if share > 0]
    return {"returns": returns, "scores": state.scores(), "winners": winners}


def _hands(table: Table) -> list[dict[str, Any]] | None:
    if not table.has_hands or not (table.open_hands or table.over):
        return None
    return [table.state.view(seat) for seat in range(len(table.owners))]


def _given(table: Table) -> dict[str, Any] | None:
    given = table.setup.given
    return None if given is None else {"table": given.table, "step": len(given.moves)}


# --- replay -------------------------------------------------------------------------------------------------------

Perspective = int | str | None
"""A seat, None for a spectator, or ALL."""


def perspectives(table: Table, seats: Sequence[int]) -> list[Perspective]:
    """Return the perspectives from which a browser that owns `seats` may see the match again.

    While hidden things are hidden these are its own; after the end, and where nothing is hidden, all.
    """
    everybody: list[Perspective] = [None, *range(len(table.owners))]
    if not table.has_secrets:
        return everybody
    if table.over:
        return [*everybody, ALL]
    return everybody if table.open_hands else [None, *seats]


def plan_replay(
    table: Table, seats: Sequence[int], step: int, perspective: Perspective, viewer: Viewer
) -> Callable[[], Frame]:
    """Take from a table what the frame of the match after `step` entries needs, and return what makes that frame.

    To play a long match again takes a while, so that it may be done on any thread, and the table may change meanwhile.
    The frame shows the match as one perspective does; `events` is what that step brought. The caller has checked that
    step and perspective are allowed.
    """
    moves, game, ended = table.moves(), table.setup.loaded, table.ended
    setup, players = _setup(table)
    told_by_table = {
        "table": table.id,
        "version": table.version,
        "since": table.version,
        "seats": tuple(seats),
        "draw": table.throw_before(step),
        "players": players,
        "setup": setup,
        "rematch": table.rematch,
        "words": list(table.words),
        "round": _round(table, viewer.company, step),
        "given": _given(table),
        "replay": {
            "step": step,
            "steps": len(moves),
            "perspective": perspective,
            "perspectives": perspectives(table, seats),
        },
        **_around(table, seats, viewer),
    }

    def make() -> Frame:
        state = game.replay(moves[:step])
        over = state.is_terminal() or (ended and step == len(moves))
        seat = perspective if isinstance(perspective, int) else None
        if perspective == ALL:
            view, events = _open_view(state), _all_events(state)
        else:
            view, events = state.view(seat), state.events(seat)
        player = state.current_player()
        kind = WAIT_OVER if over else WAIT_THROW if player == CHANCE else WAIT_DECIDE
        waited = None if over or player < CHANCE else state.roller() if player == CHANCE else player
        return Frame(
            waiting=Waiting(kind, waited).to_dict(),
            seat=seat,
            mine=False,
            view={**view, "legal_actions": []},
            legal=[],
            outcomes=[],
            dice=_dice(state),
            can_undo=False,
            result=_result(state, over),
            ended=ended and over,
            **_told(events, step - 1),
            **told_by_table,
        )

    return make


def _open_view(state: State) -> dict[str, Any]:
    """Return a view in which nothing is hidden: what each seat sees of its own, and what nobody sees."""
    game, whole = state.game, state.game.layout.to_dict(state._data)
    fields = game.layout.visible(state._data, None, game.num_players)
    for declared in game.layout.fields:
        if declared.seen_by is Seen.OWNER:
            views = (game.layout.visible(state._data, seat, game.num_players) for seat in range(game.num_players))
            fields[declared.name] = {seat: value for view in views for seat, value in view[declared.name].items()}
        elif declared.seen_by is Seen.NOBODY:
            fields[declared.name] = whole[declared.name]
    return {**state.view(None), "fields": fields, "shown": game.spec.shown(state._data, game.setup)}


def _all_events(state: State) -> list[Event]:
    """Return all that happened, what only one seat may see included, in order."""
    merged = state.events(None)
    for seat in range(state.game.num_players):
        at = 0
        for event in state.events(seat):
            while at < len(merged) and merged[at].step < event.step:
                at += 1
            same_step = takewhile(lambda place: merged[place].step == event.step, range(at, len(merged)))  # noqa: B023
            known = next((place for place in same_step if merged[place] == event), None)
            if known is None:
                merged.insert(at, event)
            at = (at if known is None else known) + 1
    return merged
