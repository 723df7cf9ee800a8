"""Running tables without threads and without real time, driven by the very texts that pages send, for tests.

`World` is a server process over a store that outlives it; `Browser` is one person's browser with its guard over the
dice.
Every message that is queued for anybody is scanned for what its receiver may not know.
"""

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

import pytest

from bolzplatz.core.sealed import Contributor, new_secret
from bolzplatz.table import service as service_module
from bolzplatz.table.frames import Frame
from bolzplatz.table.service import Message, Subscription, TableActor, TableService, owner_of
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.store import ConflictError, Entry, NewTable, StoreError, StoreFullError, canonical
from bolzplatz.table.table import Table
from bolzplatz.web import socket as socket_module
from bolzplatz.web.socket import SocketLimits
from tests import hidden_game

CARD_NAMES = [hidden_game.card_name(card) for card in range(hidden_game.CARDS)]


class Clock:
    """Time that a test moves on, with those who sleep in it."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        wakes: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sleepers.append((self.time + seconds, wakes))
        await wakes

    def advance(self, seconds: float) -> None:
        self.time += seconds
        due = [wakes for when, wakes in self.sleepers if when <= self.time]
        self.sleepers = [(when, wakes) for when, wakes in self.sleepers if when > self.time and not wakes.done()]
        for wakes in due:
            if not wakes.done():
                wakes.set_result(None)


class MemoryStore:
    """A store in memory that keeps texts, as a disk would, and can be full."""

    def __init__(self) -> None:
        self.tables: dict[str, NewTable] = {}
        self.codes: dict[str, str] = {}
        self.full = False

    def _room(self) -> None:
        if self.full:
            raise StoreFullError("the store is full")

    async def create(self, table: NewTable) -> None:
        self._room()
        if table.id in self.tables or table.code in self.codes:
            raise ConflictError("taken")
        self.tables[table.id] = copied(replace(table, code=None))
        if table.code is not None:
            self.codes[table.code] = table.id

    async def append(
        self, table_id: str, expected: int, entries: Sequence[Entry], beside: NewTable | None = None
    ) -> None:
        self._room()
        table = self.tables.get(table_id)
        if table is None or len(table.entries) != expected:
            raise ConflictError("behind")
        known = {entry.command for entry in table.entries if entry.command is not None}
        if any(entry.command in known for entry in entries):
            raise ConflictError("twice")
        if beside is not None:
            self.codes = {code: owner for code, owner in self.codes.items() if owner != table_id}
            await self.create(beside)
        added = copied(NewTable(table.id, table.created, {}, {}, tuple(entries))).entries
        self.tables[table_id] = replace(table, entries=(*table.entries, *added))

    async def load(self, table_id: str) -> NewTable | None:
        table = self.tables.get(table_id)
        code = next((code for code, owner in self.codes.items() if owner == table_id), None)
        return None if table is None else replace(copied(table), code=code)

    async def room(self, table_id: str, most: int) -> list[str]:
        room = []
        while table_id in self.tables and len(room) <= most:
            room.insert(0, table_id)
            table_id = self.tables[table_id].secrets.get("follows", "")
        while room and (moved := [e.body["table"] for e in self.tables[room[-1]].entries if e.kind == "rematch"]):
            room.append(moved[-1])
        return room

    async def claim_code(self, table_id: str, code: str) -> None:
        if code in self.codes or table_id in self.codes.values():
            raise ConflictError("taken")
        self.codes[code] = table_id

    async def find_code(self, code: str) -> str | None:
        return self.codes.get(code)

    async def expire(self, before: float, keep: Collection[str] = ()) -> list[str]:
        raise StoreError("not here")

    def close(self) -> None:
        pass


def copied(table: NewTable) -> NewTable:
    entries = tuple(replace(entry, body=json.loads(canonical(entry.body))) for entry in table.entries)
    setup, secrets = json.loads(canonical(table.setup)), json.loads(canonical(table.secrets))
    return replace(table, setup=setup, secrets=secrets, entries=entries)


class Inline(Executor):
    """Does work at once, where it is asked for."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as fault:
            done.set_exception(fault)
        return done


class World:
    """One server process, and all that it has ever told anybody."""

    def __init__(self, store: MemoryStore | None = None, clock: Clock | None = None, pace: float = 0.0) -> None:
        self.store, self.clock, self.pace = store or MemoryStore(), clock or Clock(), pace
        self.service = self._serve()
        self.told = 0
        self.browsers = 0
        self.secrets: set[str] = set()
        """Texts that nobody may ever be told."""

    def _serve(self) -> TableService:
        service = TableService(self.store, now=self.clock.now, sleep=self.clock.sleep, pace=lambda _: self.pace)
        service._around = replace(service._around, executor=Inline())
        return service

    async def create(self, setup: TableSetup, token: str) -> str:
        table_id, _ = await self.service.create(setup, token)
        self.know(table_id)
        return table_id

    def know(self, table_id: str) -> None:
        """Learn a table's secrets, to look for them."""
        secrets = self.store.tables[table_id].secrets
        self.secrets |= {secrets["chain"], secrets["deck"], secrets["creator"]}
        self.secrets |= {owner for owner in secrets["owners"] if owner is not None}

    async def actor(self, table_id: str) -> TableActor:
        actor = await self.service.open(table_id)
        assert actor is not None
        return actor

    async def restart(self) -> None:
        """Let the process go and begin a new one; whoever was connected has to come back."""
        await self.service.close()
        self.service = self._serve()

    def scan(self, subscription: Subscription, table: Table, message: Message) -> None:
        """Look into a message for what its receiver may not know."""
        self.told += 1
        content = message.to_dict() if isinstance(message, Frame) else message
        text = json.dumps(content, ensure_ascii=False)
        for secret in self.secrets:
            assert secret not in text, f"a secret is told: {secret[:12]} in {text[:200]}"
        if table.setup.game != hidden_game.SPEC.name or table.over or table.open_hands:
            return
        mine = table.seats_of(subscription.owner)
        state = table.state
        shown = {card - 1 for card in state._data.table if card}
        # What somebody has played is known from then on.
        shown |= {event.data["card"] for event in state.events(None) if event.kind == "played"}
        own = {event.data["card"] for seat in mine for event in state.events(seat) if event.kind == "dealt"}
        for card, name in enumerate(CARD_NAMES):
            assert name not in text or name in own or name in shown or card in shown, (
                f"{name} is told to {mine}: {text}"
            )
        if isinstance(message, Frame):
            assert set(message.view["fields"].get("hand", {})) <= set(mine)
            assert "pile" not in message.view["fields"]


async def pump(rounds: int = 40) -> None:
    """Let everything that can go on go on."""
    for _ in range(rounds):
        await asyncio.sleep(0)


class Browser:
    """One person's browser at one table: sends texts, reads messages, contributes to the dice, checks each throw."""

    def __init__(self, world: World, table_id: str, token: str | None) -> None:
        self.world, self.table_id, self.token = world, table_id, token
        world.browsers += 1
        self.number = world.browsers
        self.owner = None if token is None else owner_of(token)
        if self.owner is not None and token is not None:
            world.secrets |= {self.owner, token}
        self.guard = Contributor(table_id)
        self.page: Any = None
        self.version = 0
        self.frame: dict[str, Any] = {}
        self.answers: dict[str, dict[str, Any]] = {}
        self.heard: list[dict[str, Any]] = []
        self.sent: list[str] = []
        self.silent = False
        self.taps = 0
        self.forgotten: dict[str, set[str]] = {}
        """Tips that this browser no longer knows to be its own, by name."""

    # --- the wire ---

    async def connect(self) -> "Browser":
        actor = await self.world.actor(self.table_id)
        self.page = socket_module._Page(actor, actor.subscribe(self.token), SocketLimits(now=self.world.clock.now))
        await self.say("hello", have=self.version, draws=self.guard.k)
        return self

    def cut(self) -> None:
        """The line is cut: what was not read is lost."""
        if self.page is not None:
            self.page.actor.unsubscribe(self.page.subscription)
            self.page = None

    @property
    def connected(self) -> bool:
        return self.page is not None

    async def say(self, kind: str, /, **fields: Any) -> None:
        await self.send(json.dumps({"type": kind, **fields}))

    async def send(self, text: str) -> None:
        """Let the server take a text; time passes if it waits for something meanwhile."""
        taken = asyncio.ensure_future(socket_module._take(self.page, text))
        await pump(10)
        while not taken.done():
            self.world.clock.advance(1.0)
            await pump(10)
        await taken

    def tap(self) -> str:
        self.taps += 1
        return f"tap {self.number} {self.taps}"

    async def ask(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """Send a command and return its answer."""
        tap = self.tap()
        text = json.dumps({"type": kind, "id": tap, **fields})
        self.sent.append(text)
        await self.send(text)
        await self.read()
        return self.answers[tap]

    async def read(self) -> None:
        """Take all that waits, and do what a page does by itself."""
        while self.connected and self.page.subscription.waiting():
            await self.take(await self.page.subscription.get())

    async def take(self, message: Message) -> None:
        if isinstance(message, Frame):
            self.frame, self.version = message.to_dict(), message.version
            if message.waiting["for"] == "tip" and message.who is not None and not self.silent:
                await self.send_tip(message.who, message.version)
            return
        self.heard.append(message)
        kind = message["type"]
        if kind == "answer":
            self.answers[message["id"]] = message
        elif kind == "opening":
            await self.open(message)
        elif kind == "ask" and self.guard.contributing and not self.silent:
            request = message["request"]
            value = self.guard.answer(request).hex()
            await self.say("value", k=request["k"], head=request["head"], value=value)
        elif kind == "drawn":
            await self.check(message["entry"])
        elif kind == "resync":
            await self.say("hello", have=self.version, draws=self.guard.k)

    async def open(self, message: dict[str, Any]) -> None:
        tips = message["opening"]["tips"]
        if (
            self.guard.opening is None
            and self.guard.who is not None
            and tips.get(self.guard.who) != self.guard.tip().hex()
        ):
            self.guard = Contributor(self.table_id)  # its tip came too late: it can only watch
        self.guard.open(message["opening"])
        for entry in message["entries"]:
            await self.check(entry)

    async def check(self, entry: dict[str, Any]) -> None:
        """Check an entry; what does not fit fails the test, as it would alarm the player."""
        if "renewal" not in entry:
            self.guard.accept(entry)
        elif entry["renewal"]["k"] == self.guard.k:
            tips, guard = entry["renewal"]["tips"], self.guard
            if guard.who in self.forgotten and tips.get(guard.who) in self.forgotten[guard.who]:
                # It was asked for its tip, sent it, and lost its storage before the renewal came: it is a stranger now.
                self.lose_storage()
                await self.say("hello", have=0, draws=0)
            else:
                guard.renew(entry)

    async def send_tip(self, who: str, version: int) -> None:
        if self.guard.who is None:
            if self.guard.opening is None:
                self.guard = Contributor(self.table_id, who, new_secret())
            else:
                self.guard.join(who, new_secret())
        await self.say("tip", tip=self.guard.tip().hex(), version=version)

    def lose_storage(self) -> None:
        """Forget everything, as a browser does whose data were deleted; the token stays."""
        if self.guard.who is not None:
            self.forgotten.setdefault(self.guard.who, set()).add(self.guard.tip().hex())
        self.guard = Contributor(self.table_id)
        self.version = 0

    # --- playing ---

    def mine(self) -> bool:
        return bool(self.frame) and self.frame["mine"] and self.version == self.page.actor.table.version

    async def play(self, choice: int = 0, throw: bool = False) -> dict[str, Any] | None:
        """Do what the frame asks of this browser, if it asks anything."""
        if not self.connected or not self.mine():
            return None
        waiting, version = self.frame["waiting"], self.version
        if self.frame["outcomes"]:
            text = self.frame["outcomes"][choice % len(self.frame["outcomes"])]
            return await self.ask("hand", version=version, text=text)
        legal = self.frame["legal"]
        moves = [legal[choice % len(legal)]] if legal else []
        return await self.ask("do", version=version, seat=waiting["seat"], moves=moves, throw=throw or not moves)


def scan_everything(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """Scan each message at the moment when it is queued."""
    plain_put, plain_subscribe = Subscription.put, TableActor.subscribe
    tables: dict[int, TableActor] = {}

    def subscribe(actor: TableActor, token: str | None) -> Subscription:
        subscription = plain_subscribe(actor, token)
        tables[id(subscription)] = actor
        return subscription

    def put(subscription: Subscription, message: Message) -> None:
        world.scan(subscription, tables[id(subscription)].table, message)
        plain_put(subscription, message)

    monkeypatch.setattr(service_module.TableActor, "subscribe", subscribe)
    monkeypatch.setattr(service_module.Subscription, "put", put)
