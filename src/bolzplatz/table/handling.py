"""What commands lead to: `handle` answers one with the entries to store, or with the reason why it is not carried out.

Nothing here changes a table: entries are stored first and folded in afterwards (`Table.absorb`). No clock, no store.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from bolzplatz.core.errors import IllegalActionError
from bolzplatz.core.grab import replay
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS
from bolzplatz.core.proven import NO_HAND
from bolzplatz.core.sealed import SERVER, Opening, SealedError, deck_commitment
from bolzplatz.core.sealed_throw import ORDER, data_digest
from bolzplatz.core.taps import TAP, first_tap
from bolzplatz.table.commands import (
    END,
    OPEN_HANDS,
    REMOVE,
    REWIND,
    SEAT,
    Add,
    Agree,
    Arm,
    AskLot,
    Back,
    Choose,
    Command,
    Contribute,
    Do,
    Enter,
    Fill,
    Gathering,
    Move,
    Named,
    OpenCards,
    OwnMove,
    OwnThrow,
    Propose,
    Raced,
    Refused,
    Rematch,
    Rename,
    Renew,
    Rise,
    Settle,
    Sit,
    Start,
    Substitute,
    Tapped,
    Tips,
    Together,
    Undo,
    Versioned,
    Witness,
)
from bolzplatz.table.company import Company
from bolzplatz.table.room import Room
from bolzplatz.table.setup import Seat, SetupError, check_name, offered_levels
from bolzplatz.table.store import Entry
from bolzplatz.table.table import (
    COMPUTER,
    FORCED,
    PERSON,
    WAIT_BOT,
    WAIT_CHOOSE,
    WAIT_DECIDE,
    WAIT_GRAB,
    WAIT_HANDS,
    WAIT_READY,
    WAIT_TAP,
    WAIT_THROW,
    WAIT_TIP,
    Proposal,
    Table,
)

MOST_WITNESSES: Final = 8

_Draft = tuple[str, dict[str, Any]]
_NOT_NOW: Final = Refused("not_now", "that is not possible now")


def handle(table: Table, command: Command, now: float, company: Company | None = None) -> list[Entry] | Refused:
    """Return the entries that a command leads to, to be stored and then absorbed; or why it is refused.

    Whether the sender may speak for the seat of a `Do` is the caller's question, and whether `command.id` was
    carried out before (`applied`). `now` is in seconds since 1970; without `company` all are there.
    """
    if isinstance(command, Versioned) and command.version != table.version:
        return Refused("stale", f"the table has moved on to version {table.version}")
    drafts = _draft(table, command, now, company or Company())
    if isinstance(drafts, Refused):
        return drafts
    entries = [Entry(table.version + 1 + i, kind, body, now) for i, (kind, body) in enumerate(drafts)]
    if isinstance(command, Named):
        entries[-1] = replace(entries[-1], command=command.id)
    return entries


def _draft(table: Table, command: Command, now: float, company: Company) -> list[_Draft] | Refused:
    try:
        match command:
            case Do():
                return _do(table, command)
            case Enter(text=text, seats=seats):
                return _enter(table, text, seats)
            case Undo(seats=seats):
                return _undo(table, seats)
            case Tips(tips=tips):
                return _take_tips(table, tips)
            case Choose():
                return _choose(table, command)
            case OpenCards():
                ready = table.waiting.kind == WAIT_READY
                return [("reveal", {"cards": list(table.rounds.dealt)})] if ready else _NOT_NOW
            case Together(actions=actions):
                return _together(table, actions)
            case Arm():
                armed = {key: value for key, value in asdict(command).items() if key != "version"}
                return [("armed", _plain(armed))] if table.waiting.kind == WAIT_READY else _NOT_NOW
            case AskLot(seats=seats):
                racing = table.waiting.kind in (WAIT_GRAB, WAIT_TAP) and not table.asked
                return [("lot", {"seats": sorted(seats)})] if racing else _NOT_NOW
            case Raced(race=race):
                return _raced(table, race)
            case Tapped(race=race):
                return _tapped(table, race)
            case OwnThrow():
                return [("throw", {"seat": table.state.roller()})] if _throws_itself(table) else _NOT_NOW
            case OwnMove(action=action):
                return _own_move(table, action)
            case Contribute(values=values):
                return _draw(table, values)
            case Rematch(table=following):
                over = table.over and table.rematch is None
                return [("rematch", {"table": following})] if over else _NOT_NOW
            case Witness(owner=owner, on=on):
                return _witness(table, owner, on)
            case Substitute():
                return _substitute(table, command, now, company)
            case Back(owner=owner):
                return _back(table, table.seats_of(owner)) or _NOT_NOW
            case Propose():
                return _propose(table, command, now, company)
            case Agree():
                return _agree(table, command, now, company)
            case Settle():
                return _settle(table, now, company)
            case Renew(owner=owner):
                return _renew(table, owner)
            case _:
                return _gather(table, command, company)
    except IllegalActionError as fault:
        return Refused("illegal", fault.reason, fault.rule, fault.code)
    except SealedError as fault:
        return Refused("sealed", str(fault))
    except SetupError as fault:
        return Refused(fault.key, fault.reason)


# --- before the match -------------------------------------------------------------------------------------------------


def _as_host(table: Table, owner: str) -> list[_Draft]:
    """Return the entry that makes a browser the host from here on, if it is not."""
    return [] if owner == table.host else [("host", {"owner": owner})]


def _gather(table: Table, command: Gathering, company: Company) -> list[_Draft] | Refused:
    if table.started:
        return Refused("started", "the match has begun")
    owner = command.owner
    by_host, room = table.is_host(owner, company), Room(table.setup, table.owners)
    match command:
        case Sit(seat=seat, name=name):
            return _seating("joined", room.sit(owner, seat, name), seat=seat)
        case Rise(seat=seat):
            return _seating("left", room.rise(owner, seat, by_host), seat=seat)
        case Move(seat=seat, to=to):
            return _seating("moved", room.move(owner, seat, to, by_host), seat=to, other=seat)
        case Rename(seat=seat, name=name):
            return _seating("renamed", room.rename(owner, seat, name, by_host), seat=seat)
    if not by_host:
        return Refused("not_host", "that is for the host of this table")
    match command:
        case Fill(seat=seat, kind=kind):
            return [
                *_as_host(table, owner),
                *_seating("removed" if kind == REMOVE else "filled", room.fill(owner, command), seat=seat),
            ]
        case Add():
            return [*_as_host(table, owner), *_seating("added", room.add(), seat=len(table.owners))]
        case Start():
            if table.setup.open_seats:
                return Refused("seats_open", "there are still open seats")
            return [*_as_host(table, owner), ("started", {})]


def _seating(kind: str, room: Room, **told: int) -> list[_Draft]:
    seats = [asdict(seat) for seat in room.setup.seats]
    return [(kind, {**told, "seats": seats, "owners": list(room.owners)})]


def _witness(table: Table, owner: str, on: bool) -> list[_Draft] | Refused:
    if table.by_hand or table.sealed is not None or table.takes_part(owner) or on == (owner in table.witnesses):
        return _NOT_NOW
    if on and len(table.witnesses) >= MOST_WITNESSES:
        return Refused("too_many", f"there are {MOST_WITNESSES} witnesses already")
    return [("witness", {"owner": owner, "on": on})]


def _take_tips(table: Table, tips: Mapping[str, tuple[str, bytes]]) -> list[_Draft] | Refused:
    if table.waiting.kind != WAIT_TIP:
        return Refused("opened_already", "the match is open already")
    contributors = {who: owner for who, (owner, _) in tips.items()}
    values = {who: tip for who, (_, tip) in tips.items()}
    if table.sealed is not None:
        return [("renewal", {"entry": table.sealed.plan_renewal(values), "contributors": contributors})]
    game = table.state.game
    opening = Opening(
        table.id,
        table.setup.game,
        game.rules_version,
        data_digest(game, table.setup.given_moves),
        table.setup.options,
        [_opening_seat(seat) for seat in table.setup.seats],
        {SERVER: table.server_tip, **values},
        deck_commitment(table.secrets.deck, table.id),
    ).to_json()
    Opening.from_json(opening)
    return [("opened", {"opening": opening, "contributors": contributors})]


def _opening_seat(seat: Seat) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": seat.kind, "name": seat.name, "level": seat.level}
    return told | ({"handicap": seat.handicap} if seat.handicap else {})


# --- the match --------------------------------------------------------------------------------------------------------


def _do(table: Table, command: Do) -> list[_Draft] | Refused:
    if table.waiting.kind not in (WAIT_THROW, WAIT_DECIDE, WAIT_BOT):
        return _NOT_NOW
    trial, drafts = table.state.clone(), list[_Draft]()
    for move in command.moves:
        if trial.current_player() not in (command.seat, CHANCE):
            return _NOT_NOW
        action = trial.string_to_action(move)
        if trial.current_player() == CHANCE:
            return Refused("not_now", "the dice decide here")
        drafts.append(("action", {"seat": command.seat, "move": trial.action_to_string(action), "by": PERSON}))
        trial.apply_action(action)
    if command.throw:
        if table.by_hand or trial.roller() != command.seat:
            return _NOT_NOW
        drafts.append(("throw", {"seat": command.seat}))
    return [*_back(table, (command.seat,)), *drafts] if drafts else _NOT_NOW


def _enter(table: Table, text: str, seats: tuple[int, ...] | None) -> list[_Draft] | Refused:
    if not table.by_hand or table.waiting.kind not in (WAIT_THROW, WAIT_HANDS):
        return _NOT_NOW
    if not table.may_enter(seats):
        return Refused("not_yours", "these dice are thrown by somebody else")
    roller = table.state.roller()
    body: dict[str, Any] = {"seat": roller}
    if table.setup.all_at_once:
        body["moves"] = _whole_deal(table, text) if table.waiting.kind == WAIT_THROW else _hands(table, text)
    else:
        body["move"] = table.state.action_to_string(table.state.string_to_action(text))
    if seats:
        body["entered"] = roller if roller in seats else seats[0]
    return [("hand", body)]


def _whole_deal(table: Table, text: str) -> list[str]:
    """Read the cards of a round, all at once, in seat order; IllegalActionError."""
    trial, moves = table.state.clone(), text.split()
    for move in moves:
        if trial.current_player() != CHANCE:
            raise IllegalActionError(text, "one card for each player is expected")
        trial.apply_action(trial.string_to_action(move))
    if trial.current_player() == CHANCE:
        raise IllegalActionError(text, "the cards of all players are expected")
    return moves


def _hands(table: Table, text: str) -> list[str]:
    """Read who took what; the order of two hands that took different pieces follows by itself. IllegalActionError."""
    trial, wishes = table.state.clone(), text.split()
    trial.play_joint(wishes)
    taken = [wish for wish in wishes if wish != NO_HAND]
    if len(set(taken)) < len(taken) or any(">" in wish for wish in taken):
        raise IllegalActionError(text, "each piece is taken by one hand")
    moves = [" ".join(wishes)]
    if len(taken) > 1:
        moves.append(" ".join([ORDER, *(str(seat) for seat, wish in enumerate(wishes) if wish != NO_HAND)]))
        trial.play(moves[-1])
    return moves


def _choose(table: Table, command: Choose) -> list[_Draft] | Refused:
    seat = command.seat
    if seat not in table.seats_of(command.owner):
        return Refused("not_yours", "this seat is played from another browser")
    if table.waiting.kind != WAIT_CHOOSE or command.round != table.rounds.n:
        return _NOT_NOW
    wish = table.state.action_to_string(table.state.string_to_action(command.wish, seat), seat)
    return [*_back(table, (seat,)), ("choice", {"seat": seat, "wish": wish})]


def _together(table: Table, actions: Mapping[int, int]) -> list[_Draft] | Refused:
    if table.waiting.kind != WAIT_BOT or table.state.current_player() != SIMULTANEOUS:
        return _NOT_NOW
    choices, seats = table.rounds.choices, range(len(table.owners))
    wishes = [choices[seat] if seat in choices else table.state.action_to_string(actions[seat], seat) for seat in seats]
    by = [PERSON if seat in choices else COMPUTER for seat in seats]
    return [("together", {"seat": None, "move": " ".join(wishes), "by": by})]


def _raced(table: Table, race: Mapping[str, Any] | None) -> list[_Draft] | Refused:
    """Return the end of a race: the joint move and the order of the hands that it came to."""
    if table.waiting.kind != WAIT_GRAB or table.asked:
        return _NOT_NOW
    body: dict[str, Any] = {"cards": list(table.rounds.dealt), "race": None if race is None else _plain(race)}
    if race is None:
        body |= {"move": " ".join([NO_HAND] * len(table.owners)), "order": None}
    else:
        verdict = body["race"]["verdict"]
        order = [ORDER, *map(str, verdict["order"])] if len(verdict["order"]) > 1 else None
        body |= {"move": " ".join(verdict["wishes"]), "order": None if order is None else " ".join(order)}
    return [("race", body)]


def _tapped(table: Table, race: Mapping[str, Any] | None) -> list[_Draft] | Refused:
    """Return whose hand throws next, with the record of its race: the throw is asked for with it."""
    if table.waiting.kind != WAIT_TAP:
        return _NOT_NOW
    if race is None:
        return [("tap", {"seat": None, "tap": None})]
    seat, _ = first_tap(replay(race))
    return [("tap", {"seat": None, "tap": _plain(race), "move": f"{TAP} {seat}"})]


def _plain(value: Any) -> Any:
    """Return a value in the shape in which the store gives it back."""
    return json.loads(json.dumps(value))


def _undo(table: Table, seats: tuple[int, ...] | None) -> list[_Draft] | Refused:
    start = table.undo_start(seats)
    if start is None:
        return Refused("no_undo", "there is nothing that may be taken back")
    return [("undo", {"from": start})]


def _throws_itself(table: Table) -> bool:
    return table.waiting.kind == WAIT_BOT and table.state.is_chance_node()


def _own_move(table: Table, action: int) -> list[_Draft] | Refused:
    waiting = table.waiting
    if waiting.kind != WAIT_BOT or waiting.seat is None or table.state.is_chance_node():
        return _NOT_NOW
    move = table.state.action_to_string(action)
    table.state.string_to_action(move)
    by = COMPUTER if table.plays_itself(waiting.seat) else FORCED
    return [("action", {"seat": waiting.seat, "move": move, "by": by})]


def _draw(table: Table, values: Mapping[str, bytes]) -> list[_Draft] | Refused:
    request = table.request
    if request is None or table.sealed is None:
        return _NOT_NOW
    return [("draw", table.sealed.plan_draw(values))]


# --- among friends ----------------------------------------------------------------------------------------------------


def _substitute(table: Table, command: Substitute, now: float, company: Company) -> list[_Draft] | Refused:
    seat, helpers = command.seat, table.seats_of(command.owner)
    person = table.owners[seat] if 0 <= seat < len(table.owners) else None
    if person is None or not helpers or person == command.owner:
        return Refused("not_yours", "the others at the table may ask for a substitute")
    if not table.started or table.over or (not command.on and seat not in table.substitutes):
        return _NOT_NOW
    body = {"seat": seat, "on": command.on, "turn": False, "by": helpers[0]}
    if not command.on:
        return [("substitute", body)]
    if table.by_hand and table.setup.all_at_once:
        return Refused("no_computer", "the computer cannot reach for real pieces")
    if not table.may_substitute(seat, now, company):
        return Refused("not_gone", "this person is still here, and there is time")
    body["turn"] = not company.is_gone(person)
    offered_levels(table.setup.game, "level")
    return [("substitute", body)]


def _back(table: Table, seats: Sequence[int]) -> list[_Draft]:
    mine = [seat for seat in seats if seat in table.substitutes]
    return [("substitute", {"seat": seat, "on": False, "turn": False, "by": seat}) for seat in mine]


def _propose(table: Table, command: Propose, now: float, company: Company) -> list[_Draft] | Refused:
    open_now = table.open_proposal(now)
    if not table.started or (open_now is not None and open_now.owner != command.owner):
        return _NOT_NOW
    refused = _why_not(table, command, company)
    if refused is not None:
        return refused
    what, owner = command.what, command.owner
    proposal = Proposal(table.version + 1, what, owner, now, command.step, command.seat, command.name)
    if what == SEAT:
        proposal = replace(proposal, name=check_name("name", command.name))
        seats = list(table.setup.seats)
        seats[command.seat] = replace(seats[command.seat], name=proposal.name)
        table.setup.seated(seats)
    alone = not {other for other in table.owners if other is not None} - {owner}
    if not table.asked_of(proposal, company):
        if alone and what != SEAT:
            return _as_host_for(table, what, owner) + _effect(table, proposal)
        return Refused("nobody_to_ask", "nobody is there who could agree")
    body = {key: value for key, value in asdict(proposal).items() if key not in ("n", "at", "agreed")}
    return [*_as_host_for(table, what, owner), ("proposed", body)]


def _as_host_for(table: Table, what: str, owner: str) -> list[_Draft]:
    return _as_host(table, owner) if what == REWIND else []


def _why_not(table: Table, command: Propose, company: Company) -> Refused | None:
    """Say what stands against a proposal of this sender."""
    what, seated = command.what, bool(table.seats_of(command.owner))
    if what == SEAT:
        there = 0 <= command.seat < len(table.owners) and table.owners[command.seat] is not None
        if seated or not there:
            return Refused("not_yours", "this seat cannot be taken over from here")
    elif what == REWIND and not table.is_host(command.owner, company):
        return Refused("not_host", "that is for the host of this table")
    elif what != REWIND and not seated:
        return Refused("not_yours", "that is for those who play")
    if what == REWIND:
        place = command.step - len(table.setup.given_moves)
        if not 0 <= place < len(table._steps):
            return Refused("no_step", "the match has no such step to go back to")
        if table.asked or table.rematch is not None or table.settled_for_good:
            return _NOT_NOW
    elif table.over or (what == OPEN_HANDS and (table.open_hands or not table.has_hands)):
        return _NOT_NOW
    return None


def _agree(table: Table, command: Agree, now: float, company: Company) -> list[_Draft] | Refused:
    proposal = table.open_proposal(now)
    if proposal is None or proposal.n != command.n:
        return Refused("no_proposal", "this question is not open any more")
    asked, owner = table.asked_of(proposal, company), command.owner
    seats = table.seats_of(owner)
    if not command.yes and (owner == proposal.owner or owner in asked):
        return [("declined", {"n": proposal.n, "seat": seats[0] if seats else None})]
    if owner not in asked:
        return Refused("not_yours", "this question is for others")
    if owner in proposal.agreed or (proposal.what == REWIND and table.asked):
        return _NOT_NOW
    agreed = (*proposal.agreed, owner)
    said: list[_Draft] = [("agreed", {"n": proposal.n, "owner": owner, "seat": seats[0] if seats else None})]
    return said + (_effect(table, proposal) if asked <= set(agreed) else [])


def _settle(table: Table, now: float, company: Company) -> list[_Draft] | Refused:
    return _effect(table, table.proposal) if table.settled(now, company) and table.proposal else _NOT_NOW


def _effect(table: Table, proposal: Proposal) -> list[_Draft]:
    if proposal.what == REWIND:
        start = table._steps[proposal.step - len(table.setup.given_moves)].seq
        return [("undo", {"from": start, "agreed": True})]
    if proposal.what == SEAT:
        return [("seat_taken", {"seat": proposal.seat, "name": proposal.name, "owner": proposal.owner})]
    return [({END: "ended", OPEN_HANDS: "open_hands"}[proposal.what], {})]


def _renew(table: Table, owner: str) -> list[_Draft] | Refused:
    if owner not in table.owners:
        return Refused("not_yours", "that is for those who play")
    if table.sealed is not None and table.has_part(owner):
        return Refused("has_part", "this browser has a part in the dice")
    return [("renewing", {"seat": table.seats_of(owner)[0]})] if table.may_renew(owner) else _NOT_NOW
