"""A real server on loopback and clients that behave badly: the others play on, and nothing is lost or kept for ever."""

import asyncio
import gc
import json
import random
import socket
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.server import ServerState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from bolzplatz.cli.serve import LARGEST_MESSAGE
from bolzplatz.table.frames import Frame
from bolzplatz.table.service import QUEUE_LENGTH, TableService, owner_of
from bolzplatz.table.store import SqliteStore
from bolzplatz.web.socket import MAX_MESSAGE, SocketLimits, table_socket
from bolzplatz.web.wire import TableProtocol
from tests.table_kit import human, setup_of

LONGEST = 120.0
MIA, SLOTH, PHONE = "token of mia", "token of a sloth", "token of a phone"
BIG = 1_000_000
"""Characters of a frame for the sloth: the buffers of the system are full after a few."""
USUAL = 12_000
"""Characters of a frame, for the phone; half of its bits are news the first time, whatever compresses it."""
THROWS = ("throw 112346", "throw 111346", "throw 123455")
"""Throws that leave a choice: nothing follows by itself."""


class Server:
    """The table's socket as it is served, in a thread of its own, with limits that a test can reach."""

    def __init__(self, path: Path, limits: SocketLimits) -> None:
        self.service = TableService(SqliteStore.open(path), pace=lambda _: 0)
        luck = random.Random(1)
        heavy = "".join(luck.choices("0123456789abcdef", k=BIG))

        def renderer(page: WebSocket) -> Callable[[Frame], dict[str, Any]]:
            html = {SLOTH: heavy, PHONE: heavy[:USUAL]}.get(page.cookies.get("seat", ""), "")
            return lambda frame: {"html": html, "legal": frame.legal}

        endpoint = table_socket(lambda _: self.service, renderer, lambda page: page.cookies.get("seat"), None, limits)
        app = Starlette(routes=[WebSocketRoute("/t/{id}/ws", endpoint)])
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listening.getsockname()[1])
        started = threading.Event()

        class Announcing(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                started.set()

        config = uvicorn.Config(
            app,
            log_level="warning",
            ws=TableProtocol,
            ws_max_size=LARGEST_MESSAGE,
            ws_ping_interval=None,  # who reads nothing answers no ping, however fast or slow the machine is
            timeout_graceful_shutdown=1,
        )
        self.uvicorn = Announcing(config)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        assert started.wait(LONGEST)

    def _run(self) -> None:
        async def whole() -> None:
            self.loop = asyncio.get_running_loop()
            await self.uvicorn.serve(sockets=[self.listening])
            await self.service.close()

        asyncio.run(whole())

    def stop(self) -> None:
        self.uvicorn.should_exit = True
        self.thread.join(LONGEST)
        assert not self.thread.is_alive(), "the server did not stop"

    def new_table(self) -> str:
        setup = setup_of("5050", human("Mia"), human("Ben"), dice="hand")
        made = asyncio.run_coroutine_threadsafe(self.service.create(setup, MIA), self.loop)
        return made.result(LONGEST)[0]

    def connect(self, table_id: str, token: str | None = MIA, **options: Any) -> ClientConnection:
        return connect(
            f"ws://127.0.0.1:{self.port}/t/{table_id}/ws",
            additional_headers={} if token is None else {"Cookie": f"seat={token}"},
            open_timeout=LONGEST,
            ping_interval=None,
            max_size=None,
            **{"compression": None, **options},
        )


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    running: list[Server] = []

    def start(**limits: Any) -> Server:
        running.append(Server(tmp_path / "tables.sqlite3", SocketLimits(**limits)))
        return running[-1]

    yield start
    for server in running:
        server.stop()


class Player:
    """Somebody at the table who enters what real dice show and takes it back, and hears every answer in time."""

    def __init__(self, wire: ClientConnection, name: str = "a") -> None:
        self.wire, self.name, self.version, self.taps = wire, name, 0, 0
        self.say("hello", have=0, draws=0)
        assert self.hear("frame")["mine"] is True

    def say(self, kind: str, **fields: Any) -> None:
        self.wire.send(json.dumps({"type": kind, **fields}))

    def hear(self, kind: str) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(self.wire.recv(LONGEST))
            if message["type"] == "frame":
                self.version = message["version"]
            if message["type"] == kind:
                return message

    def move(self) -> None:
        self.taps += 1
        tap, text = f"{self.name} {self.taps}", THROWS[self.taps % len(THROWS)]
        if self.version % 2:
            self.say("undo", id=tap, version=self.version)
        else:
            self.say("hand", id=tap, version=self.version, text=text)
        answer = self.hear("answer")
        assert (answer["id"], answer["ok"], answer["version"]) == (tap, True, self.version), answer


def say_hello(wire: ClientConnection) -> None:
    """Come to the table, and wait for the first frame."""
    wire.send(json.dumps({"type": "hello"}))
    assert json.loads(wire.recv(LONGEST))["type"] == "frame"


def read_on(wire: ClientConnection) -> tuple[list[dict[str, Any]], int]:
    """Read until the other side hangs up; return what came, and with which code."""
    heard = []
    try:
        while True:
            heard.append(json.loads(wire.recv(LONGEST)))
    except ConnectionClosed as end:
        return heard, -1 if end.rcvd is None else end.rcvd.code


def test_who_floods_is_read_slowly_and_then_shut_out_with_a_reason(serve: Callable[..., Server]) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    # The clock stands still: whatever the machine does meanwhile, all comes at once.
    server = serve(rate=50.0, burst=50, flood=100, now=lambda: 0.0, sleep=sleep)
    table_id = server.new_table()
    with server.connect(table_id) as mia, server.connect(table_id, None) as flood, ThreadPoolExecutor(1) as pool:
        player = Player(mia)
        text = json.dumps({"type": "seen", "hidden": False})

        def pour() -> tuple[list[dict[str, Any]], int]:
            try:
                for _ in range(3000):
                    flood.send(text)
            except ConnectionClosed:
                pass
            return read_on(flood)

        poured = pool.submit(pour)
        for _ in range(20):
            player.move()
        heard, code = poured.result(LONGEST)
        assert (heard[-1]["type"], heard[-1]["reason"], code) == ("bye", "too_fast", 4429)
        assert len(waits) == 99  # each that came too soon was to wait, and the hundredth was one too many
        assert min(waits) > 0
        player.move()
        # It may come again, and is a page like any other then.
        with server.connect(table_id, None) as again:
            say_hello(again)
        player.move()


def test_a_frame_costs_what_differs_from_the_one_before(serve: Callable[..., Server]) -> None:
    server = serve()
    table_id = server.new_table()
    came: list[int] = []
    with server.connect(table_id) as mia, server.connect(table_id, PHONE, compression="deflate") as phone:
        take = phone.protocol.receive_data

        def counted(data: bytes) -> None:
            came.append(len(data))
            take(data)

        phone.protocol.receive_data = counted  # type: ignore[method-assign]
        say_hello(phone)
        first = sum(came)
        player = Player(mia)
        player.move()
        while json.loads(phone.recv(LONGEST))["version"] < player.version:
            pass
        assert USUAL / 2 < first < USUAL
        assert sum(came) - first < first / 5


def test_ten_thousand_messages_that_cannot_be_read(serve: Callable[..., Server]) -> None:
    """Each is answered, the last one of a socket shuts it out, and somebody plays at the same table meanwhile."""
    bad, sockets, at_once, least = 5000, 2, 50, 10
    has_played = threading.Event()
    server = serve(rate=1e6, burst=10**6, bad=bad)
    table_id = server.new_table()
    luck = random.Random(7)
    pieces = ["{", "[]", "null", '"do"', '{"type":"do"}', '{"type":["do"]}', "\\ud800", "[" * 900, '{"id":5}']
    pieces += [
        "x" * MAX_MESSAGE + "y",
        '{"type":"sit","id":"a","seat":-1}',
        "\x00",
        '{"type":"hand","version":1e99}',
        "",
    ]

    def babble() -> tuple[list[str], dict[str, Any], int]:
        with server.connect(table_id, None) as wire:
            say_hello(wire)
            answers = []
            while len(answers) < bad - at_once:
                for _ in range(at_once):
                    wire.send(luck.choice(pieces))
                for _ in range(at_once):
                    while (message := json.loads(wire.recv(LONGEST)))["type"] != "answer":
                        pass
                    answers.append(message["reason"])
            assert has_played.wait(LONGEST)
            for _ in range(at_once):
                wire.send("{")
            heard, code = read_on(wire)
            return answers, heard[-1], code

    with server.connect(table_id) as mia, ThreadPoolExecutor(sockets) as pool:
        player = Player(mia)
        babbling = [pool.submit(babble) for _ in range(sockets)]
        moves = 0
        while not all(each.done() for each in babbling):
            player.move()
            moves += 1
            if moves >= least:
                has_played.set()
        for each in babbling:
            answers, last, code = each.result(LONGEST)
            assert answers == ["unreadable"] * (bad - at_once)
            assert (last["type"], last["reason"], code) == ("bye", "too_many_bad", 4400)
        assert moves >= least
        player.move()


def test_a_page_hangs_up_after_twenty_and_what_is_no_message_at_all_ends_only_its_own_wire(
    serve: Callable[..., Server],
) -> None:
    server = serve()
    table_id = server.new_table()
    with server.connect(table_id) as mia:
        player = Player(mia)
        with server.connect(table_id, None) as wire:
            say_hello(wire)
            for _ in range(SocketLimits().bad):
                wire.send("{")
            heard, code = read_on(wire)
            assert (heard[-1]["type"], heard[-1]["reason"], code) == ("bye", "too_many_bad", 4400)
        with server.connect(table_id, None) as wire:
            wire.send("x" * (LARGEST_MESSAGE + 1))  # it is not even read
            assert read_on(wire)[1] == 1009
        # Not the protocol at all, and a wire that is cut in the middle of a message.
        for data in (b"\x00\xff" * 500, b"\x81\xfe\x00\xff1234abc"):
            wire = server.connect(table_id, None)
            wire.socket.sendall(data)
            wire.socket.close()
        player.move()
        player.move()


def test_who_never_reads_is_dropped_from_the_queue_and_starts_afresh(serve: Callable[..., Server]) -> None:
    server = serve(rate=1e6, burst=10**6)
    table_id = server.new_table()
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    raw.connect(("127.0.0.1", server.port))
    with server.connect(table_id) as mia, server.connect(table_id, SLOTH, sock=raw, max_queue=1) as sloth:
        player = Player(mia)
        sloth.send(json.dumps({"type": "hello"}))
        (subscription,) = _subscriptions(server, table_id, SLOTH)
        moves = 0
        while subscription.listening:
            player.move()  # each is answered at once, though the other one does not read
            moves += 1
            assert subscription.waiting() <= QUEUE_LENGTH
            assert moves < 1000, "the sloth was never dropped"
        assert moves > QUEUE_LENGTH
        for _ in range(10):
            player.move()
        assert subscription.waiting() <= 1  # nothing is kept for it any more but that it is to start afresh
        # It wakes up: what it missed is not sent one by one, it asks for the present.
        versions = []
        while True:
            message = json.loads(sloth.recv(LONGEST))
            if message["type"] == "resync":
                break
            if message["type"] == "frame":
                versions.append(message["version"])
        assert versions == sorted(versions)
        assert versions[-1] < player.version - 10
        sloth.send(json.dumps({"type": "hello", "have": versions[-1]}))
        while message["type"] != "frame":
            message = json.loads(sloth.recv(LONGEST))
        assert (message["version"], message["since"]) == (player.version, versions[-1])
        player.move()


def _subscriptions(server: Server, table_id: str, token: str) -> list[Any]:
    """Return the subscriptions of a browser, once it listens."""
    ends = time.monotonic() + LONGEST
    while time.monotonic() < ends:
        found = [
            each
            for each in server.service._actors[table_id]._subscribers
            if each.owner == owner_of(token) and each.listening
        ]
        if found:
            return found
    raise AssertionError("nobody listens")


def test_a_closed_connection_is_freed_at_once() -> None:
    """Its compression holds 80 kB; the server looks for circular garbage among old objects but once an hour."""

    class Transport(asyncio.Transport):
        def get_extra_info(self, name: str, default: object = None) -> object:
            return default

        def close(self) -> None:
            pass

    async def work() -> None:
        config = uvicorn.Config(lambda scope, receive, send: None, log_level="critical")
        config.load()
        protocol = TableProtocol(config, ServerState(), {})
        protocol.connection_made(Transport())
        kept = weakref.ref(protocol.conn)
        protocol.connection_lost(None)
        del protocol
        assert kept() is None

    gc.collect()
    gc.disable()
    try:
        asyncio.run(work())
    finally:
        gc.enable()
