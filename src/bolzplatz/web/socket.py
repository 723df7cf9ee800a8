"""The table's WebSocket: reads a page's messages, asks the table service, sends frames and answers.

Holds no rules and no state of its own. Nothing that a page sends can do more than earn it a refusal.
"""

import json
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from bolzplatz.table.frames import Frame
from bolzplatz.table.service import Answer, Subscription, TableActor, TableService
from bolzplatz.table.store import StoreError
from bolzplatz.table.commands import Do, Enter, Undo
from bolzplatz.web.security import same_origin

MAX_MESSAGE: Final = 4096
"""Characters; no message of our pages comes near."""
MAX_MOVES: Final = 32
MAX_MOVE: Final = 200
MAX_ID: Final = 64

CLOSE_FOREIGN: Final = 1008
CLOSE_FAILED: Final = 1011
CLOSE_NO_TABLE: Final = 4404

_HEX: Final = re.compile(r"[0-9a-f]{64}")
_log = logging.getLogger(__name__)


class UnreadableError(ValueError):
    """A message that no page of ours sends, with what is wrong."""


@dataclass(frozen=True, slots=True)
class _Page:
    """One connected page."""

    actor: TableActor
    subscription: Subscription


def table_socket(
    service: Callable[[WebSocket], TableService],
    renderer: Callable[[WebSocket], Callable[[Frame], dict[str, Any]]],
    token: Callable[[WebSocket], str | None],
) -> Callable[[WebSocket], Awaitable[None]]:
    """Return the endpoint of `/t/{id}/ws`.

    Args:
        service: finds the table service of the application.
        renderer: returns what draws frames for this page, in its reader's language: the fields of the frame message
            that are HTML, sentences and cues (`web.render.draw_frame`).
        token: returns the token of the page's browser, None for a spectator.
    """

    async def endpoint(socket: WebSocket) -> None:
        if not same_origin(socket.headers):
            await socket.close(CLOSE_FOREIGN)
            return
        await socket.accept()
        try:
            actor = await service(socket).open(socket.path_params["id"])
        except StoreError as fault:
            _log.error("%s", fault)
            await _send(socket, {"type": "trouble", "reason": "store_failed", "text": str(fault)})
            await socket.close(CLOSE_FAILED)
            return
        if actor is None:
            await socket.close(CLOSE_NO_TABLE)
            return
        page = _Page(actor, actor.subscribe(token(socket)))
        try:
            await _until_one_ends(_read(socket, page), _write(socket, page.subscription, renderer(socket)))
        finally:
            actor.unsubscribe(page.subscription)

    return endpoint


async def _until_one_ends(*works: Awaitable[None]) -> None:
    """Run both directions until one ends; a page that went away is no fault."""
    async with anyio.create_task_group() as directions:

        async def run(work: Awaitable[None]) -> None:
            with suppress(WebSocketDisconnect):
                await work
            directions.cancel_scope.cancel()

        for work in works:
            directions.start_soon(run, work)


async def _send(socket: WebSocket, message: dict[str, Any]) -> None:
    await socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))


async def _write(socket: WebSocket, subscription: Subscription, render: Callable[[Frame], dict[str, Any]]) -> None:
    while True:
        message = await subscription.get()
        await _send(socket, _frame_message(message, render(message)) if isinstance(message, Frame) else message)


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
    }


async def _read(socket: WebSocket, page: _Page) -> None:
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return
        message_id = None
        try:
            message = _parse(received.get("text"))
            message_id = _id_of(message)
            answer = await _carry_out(page, message, message_id)
        except UnreadableError as fault:
            answer = Answer(False, page.actor.table.version, "unreadable", str(fault))
        if answer is not None:
            page.subscription.put({"type": "answer", "id": message_id, **answer.to_dict()})


def _parse(text: str | None) -> dict[str, Any]:
    if text is None or len(text) > MAX_MESSAGE:
        raise UnreadableError(f"a message is a text of at most {MAX_MESSAGE} characters")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableError("a message is JSON") from None
    if not isinstance(message, dict):
        raise UnreadableError("a message is a JSON object")
    return message


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
            return await actor.tip(subscription, _bytes(message, "tip"))
        case "value":
            head, value = _bytes(message, "head"), _bytes(message, "value")
            answer = actor.value(subscription, _number(message, "k"), head, value)
            return None if answer.ok else answer
        case "rematch":
            return await actor.rematch(subscription, _need(message_id))
    raise UnreadableError("type: hello, tip, do, value, hand, undo or rematch")


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


def _is_text(given: Any, longest: int) -> bool:
    # Printable: half a surrogate pair could neither be stored nor sent back.
    return isinstance(given, str) and 0 < len(given) <= longest and given.isprintable()


def _bytes(message: dict[str, Any], name: str) -> bytes:
    given = message.get(name)
    if not isinstance(given, str) or not _HEX.fullmatch(given):
        raise UnreadableError(f"{name}: 64 hex digits")
    return bytes.fromhex(given)
