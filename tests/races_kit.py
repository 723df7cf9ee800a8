"""A table of races in a world of its own: a clock that jumps from one appointment to the next, lines with delays.

Everything runs in one thread and takes no real time. A `Person` sits at a page behind a line; what it sends and is sent
is on its way for as long as the line takes.
"""

import asyncio
import hashlib
import heapq
import math
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest

from bolzplatz.core import sealed
from bolzplatz.core.grab import MS
from bolzplatz.core.sealed import Contributor
from bolzplatz.table import table as table_module
from bolzplatz.table.commands import Choose, Sit, Start
from bolzplatz.table.frames import Frame
from bolzplatz.table.service import Answer, Message, TableActor, TableService
from bolzplatz.table.setup import TableSetup
from tests.wire_kit import Inline, MemoryStore

SETTLED = 20
"""So many turns of the event loop after which nothing moves without time."""
MOST_STEPS = 20_000
TAPS = count()
FIRST, SECOND, THIRD = "token of the first browser", "token of the second browser", "token of the third browser"


@dataclass
class World:
    """The clock, and a table service that lives by it."""

    now_us: int = 0
    wall: float = 1000.0
    """What the wall clock shows at the beginning."""
    store: MemoryStore = field(default_factory=MemoryStore)
    steps: int = 0
    _calls: list[tuple[int, int, Callable[[], Any]]] = field(default_factory=list)
    _number: Any = field(default_factory=count)
    _tasks: set[asyncio.Future[Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.service = self.new_service()

    def new_service(self) -> TableService:
        """Start the server (anew); its computer players think at once, where they are asked."""
        service = TableService(
            self.store,
            now=lambda: self.wall + self.now_us / 1e6,
            ticks=lambda: self.now_us,
            sleep=self.sleep,
            pace=lambda _: 0.5,
            new_id=lambda: f"table-{next(self._number)}",
        )
        service._around = replace(service._around, executor=Inline())
        return service

    async def sleep(self, seconds: float) -> None:
        wakes: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.at(self.now_us + max(1, math.ceil(seconds * 1e6)), lambda: wakes.done() or wakes.set_result(None))
        await wakes

    def at(self, moment: int, call: Callable[[], Any]) -> None:
        """Make an appointment; what the call returns is awaited if it can be."""
        heapq.heappush(self._calls, (moment, next(self._number), call))

    async def settle(self) -> None:
        for _ in range(SETTLED):
            await asyncio.sleep(0)

    async def until(self, reached: Callable[[], Any]) -> None:
        """Let time go by until something is so."""
        await self.settle()
        while not reached():
            self.steps += 1
            assert self._calls, "nothing more will happen"
            assert self.steps < MOST_STEPS, "it does not happen"
            moment, _, call = heapq.heappop(self._calls)
            self.now_us = max(self.now_us, moment)
            made = call()
            if isinstance(made, Awaitable):
                task = asyncio.ensure_future(made)
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            await self.settle()

    async def after(self, ms: float) -> None:
        """Let that much time go by."""
        due, passed = self.now_us + round(ms * MS), list[int]()
        self.at(due, lambda: passed.append(1))
        await self.until(lambda: passed)

    async def table(self, setup: TableSetup) -> TableActor:
        """Set a table up at the browser FIRST and open it."""
        table_id, _ = await self.service.create(setup, FIRST)
        return await self.actor(table_id)

    async def restart(self, actor: TableActor) -> TableActor:
        """Let the server crash and come up again; all lines are cut."""
        self._calls.clear()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await self.settle()
        self.service = self.new_service()
        return await self.actor(actor.table.id)

    async def actor(self, table_id: str) -> TableActor:
        found = await self.service.open(table_id)
        assert found is not None
        return found


Hand = tuple[str, float | None, float]
"""A hand: the piece, what the browser reports in ms (None: nothing), and when it is there, in ms after the cards."""


class Person:
    """Somebody at a page behind a line; plays all seats of the browser.

    Attributes:
        delay: how long a message takes, one way, in ms.
        hands: called with the seat and the cards (their names) when they lie open; returns the hands of this round.
        choose: called with the seat and the frame; returns the wish.
        pointer: with what it points.
        seen: every message, in order, with the time at which it was there.
    """

    def __init__(self, world: World, actor: TableActor, token: str | None, delay: float = 0.0) -> None:
        self.world, self.actor, self.token, self.delay = world, actor, token, delay
        self.hands: Callable[[int, list[str]], Sequence[Hand]] = lambda seat, cards: ()
        self.choose: Callable[[int, Frame], str] = lambda seat, frame: "none"
        self.taps: Callable[[int], Sequence[tuple[float | None, float]]] = lambda seat: ()
        """Called with a seat when the whistle blows or its dice lie there: what is reported of its taps, and when."""
        self.pointer = "touch"
        self.gets_ready = True
        self.still_after: float | None = None
        """When it says that it sees no goal, in ms after the cards; None: it says nothing."""
        self.seen: list[tuple[int, Message]] = []
        self.answers: list[Answer] = []
        self.guard: Contributor | None = None
        self.subscription: Any = None
        self._reader: asyncio.Task[None] | None = None

    async def come(self) -> "Person":
        """Open the page."""
        self.subscription = self.actor.subscribe(self.token)
        who = self.actor.table.contributor_name(self.subscription.owner)
        if self.guard is None:
            self._take_guard(who)
        have = next((message.version for _, message in reversed(self.seen) if isinstance(message, Frame)), 0)
        self._reader = asyncio.create_task(self._read())
        self.actor.greet(self.subscription, have, self.guard.k)
        return self

    def _take_guard(self, who: str | None) -> None:
        secret = None if who is None else hashlib.sha256(who.encode()).digest()
        self.guard = Contributor(self.actor.table.id, who, secret)

    async def go(self) -> None:
        """Close the page: the line is gone at once."""
        assert self._reader is not None
        self._reader.cancel()
        self.actor.unsubscribe(self.subscription)

    @property
    def frames(self) -> list[Frame]:
        return [message for _, message in self.seen if isinstance(message, Frame)]

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def of_type(self, kind: str) -> list[tuple[int, dict[str, Any]]]:
        return [(at, each) for at, each in self.seen if isinstance(each, dict) and each["type"] == kind]

    async def _read(self) -> None:
        while True:
            message = await self.subscription.get()
            self.world.at(self.world.now_us + round(self.delay * MS), lambda message=message: self._take(message))

    async def sit(self, seat: int, name: str) -> None:
        assert (await self.actor.act(self.subscription, Sit(f"tap {next(TAPS)}", seat, name))).ok

    async def start(self) -> None:
        assert (await self.actor.act(self.subscription, Start(f"tap {next(TAPS)}"))).ok

    def later(self, ms: float, call: Callable[[], Any]) -> None:
        """Do something at the server, by a message that leaves here in so many ms."""
        self.world.at(self.world.now_us + round((ms + self.delay) * MS), call)

    def _take(self, message: Message) -> None:
        """Do what a page and its person do."""
        self.seen.append((self.world.now_us, message))
        assert self.guard is not None
        if isinstance(message, Frame):
            self._see(message)
        elif message["type"] == "opening" and message["opening"] is not None:
            if self.guard.opening is None:
                self.guard.open(message["opening"])
            for entry in message["entries"]:
                self.guard.accept(entry)
        elif message["type"] == "ask":
            request = message["request"]
            value, head = self.guard.answer(request), bytes.fromhex(request["head"])
            self.later(0, lambda: self.actor.value(self.subscription, request["k"], head, value))
        elif message["type"] == "drawn":
            take = self.guard.renew if "renewal" in message["entry"] else self.guard.accept
            take(message["entry"])
        elif message["type"] == "ping":
            self.later(0, lambda: self.actor.racing.pong(self.subscription, message["n"]))
        elif message["type"] in ("whistle", "dice"):
            mine = [seat for seat in self.subscription.seats if message.get("seat", seat) == seat]
            for seat in mine if message["type"] == "dice" else [s for s in mine if s in self.actor.table.taps]:
                for reported, ms in self.taps(seat):
                    self.tap(seat, reported, ms, message["round"])
        elif message["type"] == "cards":
            for seat in self.subscription.seats:
                for piece, reported, ms in self.hands(seat, [card["name"] for card in message["cards"]]):
                    self.grab(seat, piece, reported, ms, message["round"])
                if self.still_after is not None:
                    self.still(seat, self.still_after, message["round"])

    def _see(self, frame: Frame) -> None:
        if frame.waiting["for"] == "tip" and frame.who is not None:
            if self.guard is None or (self.guard.opening is None and self.guard.who != frame.who):
                self._take_guard(frame.who)
            assert self.guard is not None
            tip = self.guard.tip()
            self.later(0, lambda: self.actor.tip(self.subscription, tip, frame.version))
        elif frame.round is not None and frame.waiting["for"] == "ready" and self.gets_ready:
            for seat in frame.round["waited"]:
                if seat in frame.seats:
                    self.ready(seat, frame.round["n"])
        elif frame.round is not None and frame.waiting["for"] == "choose":
            for seat in frame.round["choosing"]:
                if seat in frame.seats:
                    chosen = Choose(f"tap {next(TAPS)}", frame.round["n"], seat, self.choose(seat, frame))
                    self.later(0, lambda chosen=chosen: self.actor.act(self.subscription, chosen))

    def ready(self, seat: int, n: int, on: bool = True, ms: float = 0) -> None:
        """Say that one is ready; again and again until the line is known."""

        def there() -> None:
            refused = self.actor.racing.ready(self.subscription, n, seat, on, self.pointer)
            if refused is not None and refused.reason == "no_link":
                self.world.at(self.world.now_us + 150 * MS, there)

        self.later(ms, there)

    def grab(self, seat: int, piece: str, reported: float | None, ms: float, n: int) -> None:
        """Lay a hand on a piece in so many ms."""
        told = None if reported is None else round(reported * MS)
        self.later(ms, lambda: self._keep(self.actor.racing.grab(self.subscription, n, seat, piece, told)))

    def tap(self, seat: int, reported: float | None, ms: float, n: int) -> None:
        """Tap in so many ms, to throw."""
        told = None if reported is None else round(reported * MS)
        self.later(ms, lambda: self._keep(self.actor.racing.tap(self.subscription, n, seat, told)))

    def still(self, seat: int, ms: float, n: int) -> None:
        self.later(ms, lambda: self._keep(self.actor.racing.still(self.subscription, n, seat)))

    def _keep(self, refused: Any) -> None:
        self.answers.append(self.actor.answer(refused))


@pytest.fixture(autouse=True)
def same_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same luck in every run."""
    number = count()
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 2)
    monkeypatch.setattr(table_module, "new_secret", lambda: hashlib.sha256(b"%d" % next(number)).digest())


def run(work: Callable[[World], Coroutine[Any, Any, None]]) -> None:
    """Do work in a world of its own, and leave nothing running."""

    async def whole() -> None:
        world = World()
        try:
            await work(world)
        finally:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
            await world.settle()
            world.service._executor.shutdown()

    asyncio.run(whole())
