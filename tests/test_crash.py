"""A server that is killed at any moment and started again: nothing lost, nothing twice, the same draws asked for."""

import asyncio
import itertools
import json
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

import bolzplatz
from bolzplatz.core.record import read_record, verify_record
from bolzplatz.core.sealed import Contributor, new_secret
from bolzplatz.table.commands import Sit, Start
from bolzplatz.table.service import TableService
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.store import NewTable, SqliteStore
from bolzplatz.table.table import Table
from tests.table_kit import bot, human, setup_of

TOKEN, OTHER = "token of the browser", "token of another browser"
LONGEST = 120.0
"""Seconds after which a server that says nothing has failed the test."""


@dataclass
class Server:
    """A server process that is started anew whenever it died; the listening socket outlives it."""

    path: Path
    plan: Callable[[], tuple[str, ...]]
    listening: socket.socket
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])

    def start(self) -> None:
        if self.process is not None:
            assert self.process.wait(LONGEST) == -signal.SIGKILL
        fd = self.listening.fileno()
        command = [sys.executable, "-m", "tests.table_server", str(self.path), str(fd), *self.plan()]
        self.process = subprocess.Popen(command, pass_fds=[fd], cwd=Path(__file__).parents[1])
        self.starts += 1

    def revive(self, died: int) -> None:
        """Start the process again that died as the `died`-th one; whoever notices it first does so."""
        with self.lock:
            if self.starts == died:
                self.start()

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()

    def connect(self, table_id: str, token: str = TOKEN) -> ClientConnection:
        return connect(
            f"ws://127.0.0.1:{self.port}/t/{table_id}/ws",
            additional_headers={"Cookie": f"seat={token}"},
            open_timeout=LONGEST,
            ping_interval=None,
        )


@contextmanager
def serving(path: Path, plan: Callable[[], tuple[str, ...]]) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Server(path, plan, listening)
        try:
            server.start()
            yield server
        finally:
            server.kill()
            assert server.process is not None
            server.process.wait(LONGEST)


@dataclass
class Browser:
    """A browser that plays a match to its end whatever happens to the server: it says again what was not answered."""

    server: Server
    table_id: str
    contributor: Contributor
    kill_after: Callable[[], int] | None = None
    token: str = TOKEN
    version: int = 0
    pending: dict[str, Any] | None = None
    acknowledged: dict[str, int] = field(default_factory=dict)
    requests: dict[int, set[str]] = field(default_factory=dict)
    frame: dict[str, Any] = field(default_factory=dict)
    repeated: int = 0

    def play(self) -> None:
        while not self.frame or self.frame["waiting"]["for"] != "over" or self.pending is not None:
            alive = self.server.starts
            try:
                with self.server.connect(self.table_id, self.token) as connection:
                    self.talk(connection)
            except (ConnectionClosed, InvalidHandshake, ConnectionError, EOFError):
                self.server.revive(alive)

    def talk(self, connection: ClientConnection) -> None:
        def send(message: dict[str, Any]) -> None:
            connection.send(json.dumps(message))

        send({"type": "hello", "have": self.version, "draws": self.contributor.k})
        if self.pending is not None:
            self.repeated += 1
            send(self.pending)
        left = self.kill_after() if self.kill_after is not None else -1
        while True:
            message = json.loads(connection.recv(LONGEST))
            left -= 1
            if left == 0:
                self.server.kill()
            self.take(message, send)
            if self.pending is None and self.frame["waiting"]["for"] == "over":
                return

    def take(self, message: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> None:
        kind = message["type"]
        if kind == "frame":
            assert message["version"] >= self.version, "a version that was shown is gone"
            self.frame, self.version = message, message["version"]
            if message["waiting"]["for"] == "tip":
                send({"type": "tip", "tip": self.contributor.tip().hex(), "version": self.version})
        elif kind == "opening":
            self.contributor.open(message["opening"])
            for entry in message["entries"]:
                self.contributor.accept(entry)
        elif kind == "ask":
            request = message["request"]
            self.requests.setdefault(request["k"], set()).add(json.dumps(request, sort_keys=True))
            value = self.contributor.answer(request).hex()  # refuses another request of the same draw
            send({"type": "value", "k": request["k"], "head": request["head"], "value": value})
        elif kind == "drawn":
            self.contributor.accept(message["entry"])  # refuses another result of the same draw
        elif kind == "answer" and self.pending is not None and message["id"] == self.pending["id"]:
            assert message["ok"], message
            self.acknowledged[message["id"]] = message["version"]
            self.pending = None
        if self.pending is None and self.frame and self.frame["mine"] and self.is_present():
            self.pending = self.next_command()
            send(self.pending)

    def is_present(self) -> bool:
        return self.version >= max(self.acknowledged.values(), default=0)

    def next_command(self) -> dict[str, Any]:
        legal = json.loads(self.frame["html"])["legal"]
        moves = [legal[self.version % len(legal)]] if legal else []
        seat, number = self.frame["waiting"]["seat"], len(self.acknowledged)
        fields = {"seat": seat, "version": self.version, "moves": moves, "throw": not moves}
        return {"type": "do", "id": f"tap {number} of {self.contributor.who}", **fields}


def new_table(path: Path, setup: TableSetup) -> str:
    async def work() -> str:
        service = TableService(SqliteStore.open(path))
        table_id, _ = await service.create(setup, TOKEN)
        await service.close()
        return table_id

    return asyncio.run(work())


def read_table(path: Path, table_id: str) -> NewTable:
    async def work() -> NewTable:
        store = SqliteStore.open(path)
        found = await store.load(table_id)
        store.close()
        assert found is not None
        return found

    return asyncio.run(work())


def check(path: Path, browser: Browser) -> None:
    """Compare what the store holds with what the browser was told and gave."""
    stored = read_table(path, browser.table_id)
    table = Table.load(stored)
    assert table.version == browser.version
    commands = [entry.command for entry in stored.entries if entry.command is not None]
    assert sorted(commands) == sorted(browser.acknowledged)
    assert {command: table.applied[command] for command in commands} == browser.acknowledged
    assert all(len(requests) == 1 for requests in browser.requests.values())
    draws = sum(entry.kind == "draw" for entry in stored.entries)
    assert sorted(browser.requests) == list(range(1, draws + 1))
    assert browser.contributor.k == draws
    found = verify_record(read_record(table.record().encode()), bolzplatz.load_game)
    assert found.ok, found.faults
    assert [note for note in found.notes if note.kind == "absent"] == []
    assert table.sealed is not None
    assert browser.contributor.compare(table.sealed.proof(closed=True)) == ()


MATCHES = {
    "bar-bolz": lambda: setup_of("bar-bolz", human("Mia"), human("Ben")),
    "5050": lambda: setup_of("5050", human("Mia"), bot("Robo"), human("Ben"), target=800),
}


@pytest.mark.parametrize(("game", "seed"), [("5050", 1), ("5050", 2), ("bar-bolz", 3)])
def test_killed_around_storing_and_started_again(tmp_path: Path, game: str, seed: int) -> None:
    """Each life is a little longer than the one before: even the shortest match is broken off several times."""
    path, rng, lives = tmp_path / "tables.sqlite3", random.Random(seed), itertools.count(2)
    table_id = new_table(path, MATCHES[game]())

    def plan() -> tuple[str, ...]:
        return rng.choice(("before", "after")), str(next(lives))

    with serving(path, plan) as server:
        browser = Browser(server, table_id, Contributor(table_id, "seat-0", new_secret()))
        browser.play()
        assert server.starts > 3
    check(path, browser)


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_any_moment_and_started_again(tmp_path: Path, seed: int) -> None:
    path, rng = tmp_path / "tables.sqlite3", random.Random(seed)
    table_id = new_table(path, MATCHES["5050"]())
    with serving(path, lambda: ()) as server:
        contributor = Contributor(table_id, "seat-0", new_secret())
        browser = Browser(server, table_id, contributor, kill_after=lambda: rng.randint(5, 40))
        browser.play()
        assert server.starts > 1
    check(path, browser)


def new_table_of_two(path: Path) -> str:
    """Set up a table at which a second browser sits down; the host has begun."""

    async def work() -> str:
        service = TableService(SqliteStore.open(path))
        setup = {"game": "bar-bolz", "seats": [human("Mia"), {"kind": "open"}]}
        table_id, _ = await service.create(TableSetup.from_dict(setup), TOKEN)
        actor = await service.open(table_id)
        assert actor is not None
        mia, ben = actor.subscribe(TOKEN), actor.subscribe(OTHER)
        assert (await actor.act(ben, Sit("sit", 1, "Ben"))).ok
        assert (await actor.act(mia, Start("start"))).ok
        await service.close()
        return table_id

    return asyncio.run(work())


def test_killed_with_two_browsers_in_the_middle_of_a_match(tmp_path: Path) -> None:
    """Both come back by themselves: nothing is lost, nothing is done twice, and neither is shown other dice."""
    path, kills = tmp_path / "tables.sqlite3", iter([18, 18, 18])
    table_id = new_table_of_two(path)
    with serving(path, lambda: ()) as server, ThreadPoolExecutor(2) as pool:
        mia = Browser(server, table_id, Contributor(table_id, "seat-0", new_secret()), lambda: next(kills, -1))
        ben = Browser(server, table_id, Contributor(table_id, "seat-1", new_secret()), token=OTHER)
        for played in [pool.submit(each.play) for each in (mia, ben)]:
            played.result(4 * LONGEST)
        assert server.starts > 1
    stored = read_table(path, table_id)
    table = Table.load(stored)
    assert table.over
    assert table.version == mia.version == ben.version
    commands = [entry.command for entry in stored.entries if entry.command not in (None, "sit", "start")]
    acknowledged = mia.acknowledged | ben.acknowledged
    assert len(acknowledged) == len(mia.acknowledged) + len(ben.acknowledged)
    assert sorted(map(str, commands)) == sorted(acknowledged)
    assert {command: table.applied[command] for command in acknowledged} == acknowledged
    draws = sum(entry.kind == "draw" for entry in stored.entries)
    assert mia.contributor.k == ben.contributor.k == draws
    assert table.sealed is not None
    for browser in (mia, ben):
        # Each was asked for each draw in one and the same way, however often.
        assert all(len(requests) == 1 for requests in browser.requests.values())
        # Who was slow to come back may have been left out of a draw; nothing else may be amiss.
        assert {note.kind for note in browser.contributor.compare(table.sealed.proof(closed=True))} <= {"left-out"}
    found = verify_record(read_record(table.record().encode()), bolzplatz.load_game)
    assert found.ok, found.faults


@pytest.mark.parametrize(("moment", "applied"), [("before", False), ("after", True)])
def test_the_first_command_around_the_crash(tmp_path: Path, moment: str, applied: bool) -> None:
    """The match opens, then the first throw is asked for, and the server dies before or after it has stored that."""
    path = tmp_path / "tables.sqlite3"
    table_id = new_table(path, MATCHES["bar-bolz"]())
    plans = iter([(moment, "2"), ()])
    with serving(path, lambda: next(plans)) as server:
        browser = Browser(server, table_id, Contributor(table_id, "seat-0", new_secret()))
        with pytest.raises(ConnectionClosed), server.connect(table_id) as connection:
            browser.talk(connection)
        assert browser.pending is not None
        assert browser.acknowledged == {}
        assert server.process is not None
        server.process.wait(LONGEST)
        assert [entry.kind for entry in read_table(path, table_id).entries] == ["opened"] + ["throw"] * applied
        server.start()
        with server.connect(table_id) as connection:
            connection.send(json.dumps({"type": "hello", "have": 1, "draws": 0}))
            connection.send(json.dumps(browser.pending))
            while browser.pending is not None:
                browser.take(json.loads(connection.recv(LONGEST)), lambda m: connection.send(json.dumps(m)))
        assert browser.acknowledged == {"tap 0 of seat-0": 2}
    kinds = [entry.kind for entry in read_table(path, table_id).entries]
    assert kinds.count("throw") >= 1
    assert kinds[:2] == ["opened", "throw"]
