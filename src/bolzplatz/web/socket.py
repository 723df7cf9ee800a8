"""The table's WebSocket: reads a page's messages, asks the table service, sends frames and answers.

Holds no rules and no state of its own. Nothing that a page sends can do more than earn it a refusal: what cannot be
read is answered and counted, who sends too fast is read more slowly, and who goes on is shut out with a reason.
"""

import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from bolzplatz.core.grab import PIECES
from bolzplatz.table.commands import (
    PROPOSALS,
    Add,
    Agree,
    Back,
    Choose,
    Do,
    Enter,
    Fill,
    Friendly,
    Move,
    Propose,
    Rename,
    Renew,
    Rise,
    Sit,
    Start,
    Substitute,
    Undo,
    Witness,
)
from bolzplatz.table.frames import Frame
from bolzplatz.table.limits import Bucket, LimitError
from bolzplatz.table.racing import POINTERS
from bolzplatz.table.service import EMOTES, SPEEDS, Answer, Subscription, TableActor, TableService
from bolzplatz.table.store import StoreError
from bolzplatz.web.security import address_of, same_origin

MAX_MESSAGE: Final = 4096
"""Bytes; no message of our pages comes near."""
MAX_MOVES: Final = 32
MAX_MOVE: Final = 200
MAX_ID: Final = 64
MAX_NAME: Final = 80
"""Characters of a name as it is sent; which names are offered is the table's matter."""

CLOSE_FOREIGN: Final = 1008
CLOSE_FAILED: Final = 1011
CLOSE_UNREADABLE: Final = 4400
CLOSE_NO_TABLE: Final = 4404
CLOSE_TOO_MUCH: Final = 4429

_HEX: Final = re.compile(r"[0-9a-f]{64}")
_log = logging.getLogger(__name__)


class UnreadableError(ValueError):
    """A message that no page of ours sends, with what is wrong."""


class _ShutOutError(Exception):
    """The socket is to be closed by this side, with a code, a reason's key and a sentence."""

    def __init__(self, code: int, key: str, text: str) -> None:
        super().__init__(text)
        self.code, self.key, self.text = code, key, text


@dataclass(frozen=True, slots=True)
class SocketLimits:
    """How much one socket may send.

    Attributes:
        rate: messages a second; above it they are read more slowly.
        burst: messages that may come at once.
        flood: so many messages in a row that came too fast shut the socket out.
        bad: so many messages that cannot be read shut it out.
        now: a clock in seconds.
        sleep: waits for seconds.
    """

    rate: float = 50.0
    burst: int = 200
    flood: int = 1500
    bad: int = 20
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep


@dataclass(slots=True)
class _Page:
    """One connected page, and how it behaves."""

    actor: TableActor
    subscription: Subscription
    limits: SocketLimits
    bucket: Bucket = field(init=False)
    hasty: int = 0
    bad: int = 0

    def __post_init__(self) -> None:
        self.bucket = Bucket(self.limits.rate, self.limits.burst)

    async def slow_down(self) -> None:
        """Wait until the next message may be read; raises _ShutOutError for one that never lets up."""
        limits = self.limits
        if self.bucket.take(limits.now()):
            self.hasty = 0
            return
        self.hasty += 1
        if self.hasty >= limits.flood:
            raise _ShutOutError(CLOSE_TOO_MUCH, "too_fast", "this page sends far too much")
        await limits.sleep(self.bucket.wait(limits.now()))
        self.bucket.take(limits.now())

    def count_bad(self) -> None:
        """Count a message that cannot be read; raises _ShutOutError after the last one."""
        self.bad += 1
        if self.bad >= self.limits.bad:
            raise _ShutOutError(CLOSE_UNREADABLE, "too_many_bad", "too many messages that cannot be read")


def table_socket(
    service: Callable[[WebSocket], TableService],
    renderer: Callable[[WebSocket], Callable[[Frame], dict[str, Any]]],
    token: Callable[[WebSocket], str | None],
    reader: Callable[[WebSocket], Hashable] | None = None,
    limits: SocketLimits | None = None,
) -> Callable[[WebSocket], Awaitable[None]]:
    """Return the endpoint of `/t/{id}/ws`.

    Args:
        service: finds the table service of the application.
        renderer: returns what draws frames for this page, in its reader's language: the fields of the frame message
            that are HTML, sentences and cues (`web.render.draw_frame`).
        token: returns the token of the page's browser, None for a spectator.
        reader: returns all that the drawing of a frame takes from its page; those that are equal there share it.
            None: none do.
        limits: how much one socket may send.
    """
    limits = limits or SocketLimits()

    async def endpoint(socket: WebSocket) -> None:
        if not same_origin(socket.headers):
            await socket.close(CLOSE_FOREIGN)
            return
        await socket.accept()
        tables, address = service(socket), address_of(socket)
        try:
            tables.enter(address)
        except LimitError as fault:
            await _say_goodbye(socket, CLOSE_TOO_MUCH, fault.key, fault.text)
            return
        try:
            await serve(socket, tables, address)
        finally:
            tables.leave(address)

    async def serve(socket: WebSocket, tables: TableService, address: str | None) -> None:
        try:
            actor = await tables.open(socket.path_params["id"])
        except StoreError as fault:
            _log.error("%s", fault)
            await _send(socket, {"type": "trouble", "reason": "store_failed", "text": str(fault)})
            await socket.close(CLOSE_FAILED)
            return
        if actor is None:
            await _say_goodbye(socket, CLOSE_NO_TABLE, "deleted", "there is no such table")
            return
        try:
            page = _Page(actor, actor.subscribe(token(socket), address), limits)
        except LimitError as fault:
            await _say_goodbye(socket, CLOSE_TOO_MUCH, fault.key, fault.text)
            return
        shared = None if reader is None else reader(socket)
        try:
            shut_out = await _until_one_ends(
                _read(socket, page), _write(socket, page.subscription, renderer(socket), shared)
            )
        finally:
            actor.unsubscribe(page.subscription)
        if shut_out is not None:
            await _say_goodbye(socket, shut_out.code, shut_out.key, shut_out.text)

    return endpoint


async def _say_goodbye(socket: WebSocket, code: int, key: str, text: str) -> None:
    """Close a socket from this side, and say why."""
    with suppress(WebSocketDisconnect):
        await _send(socket, {"type": "bye", "reason": key, "text": text})
        await socket.close(code, key)


async def _until_one_ends(*works: Awaitable[None]) -> _ShutOutError | None:
    """Run both directions until one ends; a page that went away is no fault.

    Returns:
        Why the page is shut out, None where it is not. The socket may be closed then: nobody writes to it any more.
    """
    faults: list[_ShutOutError] = []
    async with anyio.create_task_group() as directions:

        async def run(work: Awaitable[None]) -> None:
            try:
                await work
            except WebSocketDisconnect:
                pass
            except _ShutOutError as fault:
                faults.append(fault)
            directions.cancel_scope.cancel()

        for work in works:
            directions.start_soon(run, work)
    return faults[0] if faults else None


async def _send(socket: WebSocket, message: dict[str, Any]) -> None:
    await socket.send_text(_text(message))


def _text(message: dict[str, Any]) -> str:
    return orjson.dumps(message).decode()


async def _write(
    socket: WebSocket, subscription: Subscription, render: Callable[[Frame], dict[str, Any]], shared: Hashable
) -> None:
    while True:
        message = await subscription.get()
        if subscription.dismissed is not None:
            raise _ShutOutError(CLOSE_TOO_MUCH, subscription.dismissed.key, subscription.dismissed.text)
        if not isinstance(message, Frame):
            await _send(socket, message)
        elif shared is None:
            await _send(socket, _frame_message(message, render(message)))
        else:
            if shared not in message.shared:
                message.shared[shared] = _text(_frame_message(message, render(message)))
            await socket.send_text(message.shared[shared])


def _frame_message(frame: Frame, drawn: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "frame",
        "version": frame.version,
        "since": frame.since,
        **drawn,
        "waiting": frame.waiting,
        "seat": frame.seat,
        "mine": frame.mine,
        "draw": frame.draw,
        "rematch": frame.rematch,
        "refresh": frame.refresh,
        "who": frame.who,
        "host": frame.host,
        "presence": frame.presence,
        "substitutes": frame.substitutes,
        "clock": frame.clock,
        "proposal": frame.proposal,
        "code": frame.code,
        "spectators": frame.spectators,
        "round": frame.round,
    }


async def _read(socket: WebSocket, page: _Page) -> None:
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return
        await page.slow_down()
        await _take(page, received.get("text"))


async def _take(page: _Page, text: str | None) -> None:
    """Carry one message out and answer it; raises _ShutOutError."""
    message_id, bad = None, False
    try:
        message = _parse(text)
        message_id = _id_of(message)
        answer = await _carry_out(page, message, message_id)
    except UnreadableError as fault:
        bad, answer = True, Answer(False, page.actor.table.version, "unreadable", str(fault))
    if answer is not None:
        page.subscription.put({"type": "answer", "id": message_id, **answer.to_dict()})
    if bad:
        page.count_bad()


def _parse(text: str | None) -> dict[str, Any]:
    # A character has at most four bytes: most texts need not be encoded to be measured.
    if text is None or len(text) > MAX_MESSAGE or (4 * len(text) > MAX_MESSAGE and _size(text) > MAX_MESSAGE):
        raise UnreadableError(f"a message is a text of at most {MAX_MESSAGE} bytes")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableError("a message is JSON") from None
    if not isinstance(message, dict):
        raise UnreadableError("a message is a JSON object")
    return message


def _size(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


async def _carry_out(page: _Page, message: dict[str, Any], message_id: str | None) -> Answer | None:
    """Do what a message asks; None where no answer is due."""
    actor, subscription = page.actor, page.subscription
    match message.get("type"):
        case "hello":
            actor.greet(subscription, _number(message, "have"), _number(message, "draws"))
            return None
        case "do":
            moves, throw = message.get("moves", []), message.get("throw", False)
            if not isinstance(moves, list) or len(moves) > MAX_MOVES or not isinstance(throw, bool):
                raise UnreadableError(f"moves: a list of at most {MAX_MOVES} texts; throw: true or false")
            texts = tuple(_short(move, "moves") for move in moves)
            seat, version = _number(message, "seat"), _number(message, "version")
            return await actor.command(subscription, Do(_need(message_id), version, seat, texts, throw))
        case "hand":
            text, version = _short(message.get("text"), "text"), _number(message, "version")
            return await actor.command(subscription, Enter(_need(message_id), version, text))
        case "undo":
            return await actor.command(subscription, Undo(_need(message_id), _number(message, "version")))
        case "tip":
            return await actor.tip(subscription, _bytes(message, "tip"), _number(message, "version"))
        case "value":
            head, value = _bytes(message, "head"), _bytes(message, "value")
            answer = actor.value(subscription, _number(message, "k"), head, value)
            return None if answer.ok else answer
        case "rematch":
            return await actor.rematch(subscription, _need(message_id))
        case "ready":
            pointer = _one_of(message, "pointer", POINTERS)
            place = _number(message, "round"), _number(message, "seat")
            return actor.answer(actor.racing.ready(subscription, *place, _yes_or_no(message, "on"), pointer))
        case "grab":
            piece, reaction = _one_of(message, "piece", PIECES), message.get("reaction")
            place = _number(message, "round"), _number(message, "seat")
            reported = None if reaction is None else _number(message, "reaction")
            return actor.answer(actor.racing.grab(subscription, *place, piece, reported))
        case "tap":
            reaction = message.get("reaction")
            place = _number(message, "round"), _number(message, "seat")
            reported = None if reaction is None else _number(message, "reaction")
            return actor.answer(actor.racing.tap(subscription, *place, reported))
        case "still":
            place = _number(message, "round"), _number(message, "seat")
            return actor.answer(actor.racing.still(subscription, *place))
        case "pong":
            actor.racing.pong(subscription, _number(message, "n"))
            return None
        case "emote":
            return actor.emote(subscription, _one_of(message, "emote", EMOTES))
        case "seen":
            actor.hide(subscription, _yes_or_no(message, "hidden"))
            return None
        case "speed":
            actor.hurry(subscription, _one_of(message, "speed", tuple(SPEEDS)))
            return None
        case str() as kind if kind in _FRIENDLY:
            return await actor.act(subscription, _FRIENDLY[kind](_need(message_id), message))
    raise UnreadableError(f"type: {', '.join((*_OWN, *_FRIENDLY))}")


_OWN: Final = (
    *("hello", "tip", "do", "value", "hand", "undo", "rematch", "emote", "seen", "speed"),
    *("ready", "grab", "tap", "still", "pong"),
)
_FRIENDLY: Final[dict[str, Callable[[str, dict[str, Any]], Friendly]]] = {
    "sit": lambda i, m: Sit(i, _number(m, "seat"), _name(m)),
    "rise": lambda i, m: Rise(i, _number(m, "seat")),
    "move": lambda i, m: Move(i, _number(m, "seat"), _number(m, "to")),
    "rename": lambda i, m: Rename(i, _number(m, "seat"), _name(m)),
    "fill": lambda i, m: Fill(
        i, _number(m, "seat"), _word(m, "kind"), _word(m, "level", ""), _name(m) if "name" in m else None
    ),
    "add": lambda i, _: Add(i),
    "start": lambda i, _: Start(i),
    "witness": lambda i, m: Witness(i, _yes_or_no(m, "on")),
    "substitute": lambda i, m: Substitute(i, _number(m, "seat"), _yes_or_no(m, "on")),
    "back": lambda i, _: Back(i),
    "propose": lambda i, m: Propose(
        i,
        _one_of(m, "what", PROPOSALS),
        _number(m, "step") if "step" in m else 0,
        _number(m, "seat") if "seat" in m else 0,
        _name(m) if "name" in m else "",
    ),
    "agree": lambda i, m: Agree(i, _number(m, "n"), _yes_or_no(m, "yes")),
    "renew": lambda i, _: Renew(i),
    "choose": lambda i, m: Choose(i, _number(m, "round"), _number(m, "seat"), _short(m.get("wish"), "wish")),
}
"""What a browser asks in its own name, by the type of the message."""


def _id_of(message: dict[str, Any]) -> str | None:
    given = message.get("id")
    if given is not None and (not _is_text(given, MAX_ID)):
        raise UnreadableError(f"id: a text of at most {MAX_ID} characters")
    return given


def _need(message_id: str | None) -> str:
    if message_id is None:
        raise UnreadableError("id: a command needs one")
    return message_id


def _number(message: dict[str, Any], name: str) -> int:
    given = message.get(name, 0 if name in ("have", "draws") else None)
    if type(given) is not int or not 0 <= given < 2**53:
        raise UnreadableError(f"{name}: a number from 0 on")
    return given


def _short(given: Any, name: str) -> str:
    if not _is_text(given, MAX_MOVE):
        raise UnreadableError(f"{name}: a text of at most {MAX_MOVE} characters")
    return str(given)


def _name(message: dict[str, Any]) -> str:
    """Read a name as it was typed: any text that is short; the table says what is wrong with it."""
    given = message.get("name")
    if not isinstance(given, str) or len(given) > MAX_NAME:
        raise UnreadableError(f"name: a text of at most {MAX_NAME} characters")
    return given


def _word(message: dict[str, Any], name: str, otherwise: str | None = None) -> str:
    given = message.get(name, otherwise)
    if not isinstance(given, str) or not (given == otherwise or _is_text(given, MAX_ID)):
        raise UnreadableError(f"{name}: a word is expected")
    return given


def _one_of(message: dict[str, Any], name: str, offered: tuple[str, ...]) -> str:
    given = message.get(name)
    if given not in offered:
        raise UnreadableError(f"{name}: one of {', '.join(offered)}")
    return str(given)


def _yes_or_no(message: dict[str, Any], name: str) -> bool:
    given = message.get(name)
    if not isinstance(given, bool):
        raise UnreadableError(f"{name}: true or false")
    return given


def _is_text(given: Any, longest: int) -> bool:
    # Printable: half a surrogate pair could neither be stored nor sent back.
    return isinstance(given, str) and 0 < len(given) <= longest and given.isprintable()


def _bytes(message: dict[str, Any], name: str) -> bytes:
    given = message.get(name)
    if not isinstance(given, str) or not _HEX.fullmatch(given):
        raise UnreadableError(f"{name}: 64 hex digits")
    return bytes.fromhex(given)
