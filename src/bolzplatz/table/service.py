"""The running tables: one actor each, which stores before it acknowledges, moves for the computer, tells who watches.

An actor holds the fold of its table and is the only one in this process that adds to it; another process that is
quicker is noticed by the store, and the actor then reads the table anew. Time, sleep, ids and the store are passed in.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from secrets import choice, token_urlsafe
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from bolzplatz.bots import pick_action
from bolzplatz.table.frames import Frame, build_frame
from bolzplatz.table.setup import PACES, TableSetup
from bolzplatz.table.store import ConflictError, Entry, NewTable, Store, StoreError, StoreFullError
from bolzplatz.table.table import (
    WAIT_BOT,
    WAIT_CONTRIBUTE,
    Command,
    Contribute,
    Do,
    Enter,
    OwnMove,
    OwnThrow,
    Refused,
    Rematch,
    Secrets,
    Table,
    Tip,
    Undo,
)

T = TypeVar("T")
Message = Frame | dict[str, Any]
"""What a subscriber is sent: a frame, or a message that is JSON already."""

CONTRIBUTION_SECONDS: Final = 2.0
"""How long a draw waits for its contributors."""
RETRY_SECONDS: Final = 2.0
"""How long the table waits after a failure before it tries its own next step again."""
QUEUE_LENGTH: Final = 64
"""Messages that wait for a subscriber before it is asked to start afresh."""
_ID_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender of a command hears.

    Attributes:
        ok: whether the command was carried out, now or earlier under the same id.
        version: the version after it, or the present one where it is refused.
        reason: the key of the refusal, as `table.Refused` has it, or store_full, store_failed, not_yours.
        text: one sentence in English.
        rule: the paragraph that refuses a move.
        code: the name of the game's refusal.
        table: the next match's table, the answer to a rematch.
    """

    ok: bool
    version: int
    reason: str | None = None
    text: str | None = None
    rule: str | None = None
    code: str | None = None
    table: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return asdict(self)


class Subscription:
    """One page that watches a table. `get` waits for the next message; nothing comes before `TableActor.greet`."""

    def __init__(self, owner: str | None, seats: Sequence[int]) -> None:
        self.owner = owner
        self.seats = tuple(seats)
        self.version = 0
        """The version of the last frame that was queued."""
        self.listening = False
        self._queue: asyncio.Queue[Message] = asyncio.Queue()

    async def get(self) -> Message:
        """Return the next message."""
        return await self._queue.get()

    def waiting(self) -> int:
        """Return how many messages wait."""
        return self._queue.qsize()

    def put(self, message: Message) -> None:
        """Queue a message; one too many, and all that wait are dropped and the page is asked to start afresh."""
        if not self.listening:
            return
        if self._queue.qsize() < QUEUE_LENGTH:
            self._queue.put_nowait(message)
            return
        self.restart()
        self._queue.put_nowait({"type": "resync"})

    def restart(self) -> None:
        """Forget what waits, and listen no more until the page says hello."""
        self.listening = False
        while not self._queue.empty():
            self._queue.get_nowait()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an actor needs of the world around it."""

    store: Store
    executor: Executor
    now: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    pace: Callable[[TableSetup], float]
    new_id: Callable[[], str]


class TableActor:
    """One table in this process. All methods may be called by many pages at once."""

    def __init__(self, table: Table, around: Surroundings) -> None:
        self.table = table
        self._around = around
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._subscribers: list[Subscription] = []
        self._values: dict[str, bytes] = {}
        """Contributions that came in for the present request."""
        self._driver: asyncio.Task[None] | None = None
        self._running: set[asyncio.Task[Any]] = set()

    # --- pages come and go ------------------------------------------------------------------------------------

    def subscribe(self, token: str | None) -> Subscription:
        """Let a page watch; `token` is its browser's, None for a spectator without one."""
        owner = None if token is None else owner_of(token)
        subscription = Subscription(owner, self.table.seats_of(owner))
        self._subscribers.append(subscription)
        if self._driver is None:
            self._driver = asyncio.create_task(self._drive())
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Let a page go. A table that nobody watches waits: the computer does not play on by itself."""
        subscription.restart()
        self._subscribers.remove(subscription)
        if not self._subscribers and self._driver is not None:
            self._driver.cancel()
            self._driver = None

    def greet(self, subscription: Subscription, version: int, draws: int) -> None:
        """Send a page what it lacks, and everything from now on.

        Args:
            subscription: the page.
            version: the version that it shows, 0 for none.
            draws: the number of the last sealed draw that it has checked; it is sent all later ones.
        """
        subscription.restart()
        subscription.listening = True
        subscription.version = version
        sealed = self.table.sealed
        if sealed is not None:
            missed = [entry for entry in sealed.entries if _comes_after(entry, draws)]
            subscription.put(self._opening_message(missed))
        self._send_frame(subscription)
        self._ask([subscription])
        self._changed.set()

    def frame(self, token: str | None) -> Frame:
        """Return the present state for a page that is drawn without a subscription."""
        seats = self.table.seats_of(None if token is None else owner_of(token))
        return build_frame(self.table, seats, self.table.version)

    # --- commands ---------------------------------------------------------------------------------------------

    async def command(self, subscription: Subscription, command: Do | Enter | Undo) -> Answer:
        """Carry out a person's command, once: a repeated id gets the answer of the first time.

        A command on an old version is refused as stale, and the page is sent the present frame.
        """
        seats = subscription.seats
        if not seats or (isinstance(command, Do) and command.seat not in seats):
            return self._refusal(Refused("not_yours", "this seat is played from another browser"))
        answer = await self._finish(self._carry_out(command))
        if answer.reason == "stale":
            self._send_frame(subscription)
        return answer

    async def tip(self, subscription: Subscription, tip: bytes) -> Answer:
        """Take a browser's chain tip: the first one opens the match and makes that browser the contributor."""
        who = self.table.contributor_name(subscription.owner)
        if who is None or subscription.owner is None:
            return self._refusal(Refused("not_yours", "a spectator does not contribute to the dice"))
        return await self._finish(self._carry_out(Tip(who, subscription.owner, tip)))

    def value(self, subscription: Subscription, k: int, head: bytes, value: bytes) -> Answer:
        """Take a browser's value for draw `k` on the log head `head`."""
        request, sealed = self.table.request, self.table.sealed
        if request is None or sealed is None or (request.k, request.head) != (k, head):
            return self._refusal(Refused("stale", "this draw is not asked for"))
        names = [who for who, owner in self.table.contributors.items() if owner == subscription.owner]
        fitting = [who for who in names if sealed.accepts(who, value)]
        if not fitting:
            reason = "the value does not belong to the chain" if names else "another browser contributes to the dice"
            return self._refusal(Refused("sealed" if names else "not_yours", reason))
        self._values[fitting[0]] = value
        self._changed.set()
        return Answer(True, self.table.version)

    async def rematch(self, subscription: Subscription, command_id: str) -> Answer:
        """Set up the next match with the same seats, once: a later request is told the same table."""
        if self.table.contributor_name(subscription.owner) is None:
            return self._refusal(Refused("not_yours", "a spectator does not ask for the next match"))
        return await self._finish(self._rematch(command_id))

    async def _rematch(self, command_id: str) -> Answer:
        if self.table.rematch is None:
            secrets = Secrets.fresh(self.table.secrets.owners, self.table.secrets.creator)
            following = _new_table(self._around, self.table.next_setup(), secrets)
            answer = await self._carry_out(Rematch(command_id, following.id), following)
            if self.table.rematch is None:
                return answer
        return Answer(True, self.table.version, table=self.table.rematch)

    async def _finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work to its end even if the page that asked for it goes away."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def _carry_out(self, command: Command, beside: NewTable | None = None) -> Answer:
        """Store what the command leads to, then show and acknowledge it; a failure leaves the table as it was."""
        async with self._lock:
            if isinstance(command, Do | Enter | Undo | Rematch) and command.id in self.table.applied:
                return Answer(True, self.table.applied[command.id])
            entries = self.table.handle(command, self._around.now())
            if isinstance(entries, Refused):
                return self._refusal(entries)
            try:
                await self._around.store.append(self.table.id, self.table.version, entries, beside)
            except ConflictError:
                return await self._read_anew()
            except StoreError as fault:
                return self._failure(fault)
            self.table.absorb(entries)
            self._publish(entries)
            return Answer(True, self.table.version)

    async def _read_anew(self) -> Answer:
        """Somebody else added to the table: take over what the store has."""
        try:
            stored = await self._around.store.load(self.table.id)
            if stored is None:
                raise StoreError(f"table {self.table.id} is gone from the store")
            self.table = Table.load(stored)
        except StoreError as fault:
            return self._failure(fault)
        self._publish([])
        return self._refusal(Refused("stale", f"the table has moved on to version {self.table.version}"))

    def _refusal(self, refused: Refused) -> Answer:
        return Answer(False, self.table.version, refused.reason, refused.text, refused.rule, refused.code)

    def _failure(self, fault: StoreError) -> Answer:
        _log.error("%s", fault)
        full = isinstance(fault, StoreFullError)
        text = "the disk is full: nothing was changed, try again when there is room" if full else str(fault)
        return self._refusal(Refused("store_full" if full else "store_failed", text))

    async def close(self) -> None:
        """Stop moving by itself, and wait for the commands that are being carried out."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.cancel()
            await asyncio.gather(driver, return_exceptions=True)
        await asyncio.gather(*self._running, return_exceptions=True)

    # --- telling the pages ------------------------------------------------------------------------------------

    def _publish(self, entries: Iterable[Entry]) -> None:
        """Tell every page what these entries, just absorbed, brought."""
        self._values.clear()
        for entry in entries:
            message = self._message_of(entry)
            if message is not None:
                for subscription in self._subscribers:
                    subscription.put(message)
        for subscription in self._subscribers:
            self._send_frame(subscription)
        self._ask(self._subscribers)
        self._changed.set()

    def _message_of(self, entry: Entry) -> dict[str, Any] | None:
        if entry.kind == "opened":
            return self._opening_message([])
        if entry.kind == "draw":
            return {"type": "drawn", "entry": entry.body, "throw": self.table.last_throw}
        if entry.kind == "renewal":
            return {"type": "drawn", "entry": entry.body["entry"], "words": list(self.table.words)}
        return None

    def _opening_message(self, entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
        sealed = self.table.sealed
        opening = None if sealed is None else sealed.opening.to_json()
        return {"type": "opening", "opening": opening, "words": list(self.table.words), "entries": list(entries)}

    def _send_frame(self, subscription: Subscription) -> None:
        if subscription.listening:
            subscription.put(build_frame(self.table, subscription.seats, subscription.version))
            subscription.version = self.table.version

    def _ask(self, subscriptions: Iterable[Subscription]) -> None:
        request = self.table.request
        if request is not None:
            for subscription in subscriptions:
                if subscription.owner in self.table.contributors.values():
                    subscription.put({"type": "ask", "request": request.to_json()})

    # --- what the table does by itself ------------------------------------------------------------------------

    def _watched(self) -> bool:
        return any(subscription.listening for subscription in self._subscribers)

    async def _drive(self) -> None:
        """Move for the computer, throw what nobody throws, draw what was asked for; as long as somebody watches."""
        while True:
            self._changed.clear()
            kind = self.table.waiting.kind
            if not self._watched() or kind not in (WAIT_BOT, WAIT_CONTRIBUTE):
                await self._changed.wait()
                continue
            try:
                answer = await (self._move_itself() if kind == WAIT_BOT else self._draw())
                trouble = None if answer is None or answer.ok or answer.reason == "stale" else answer
            except Exception:
                _log.exception("table %s cannot go on", self.table.id)
                trouble = self._refusal(Refused("failed", "the computer player failed; the table tries again"))
            if trouble is not None:
                for subscription in self._subscribers:
                    subscription.put({"type": "trouble", **trouble.to_dict()})
                await self._around.sleep(RETRY_SECONDS)

    async def _move_itself(self) -> Answer | None:
        version = self.table.version
        await self._around.sleep(self._around.pace(self.table.setup))
        if self.table.version != version or not self._watched():
            return None
        if self.table.state.is_chance_node():
            return await self._finish(self._carry_out(OwnThrow(version)))
        return await self._finish(self._carry_out(OwnMove(version, await self._choose())))

    async def _choose(self) -> int:
        """Return the only move there is, or the computer player's choice, made outside the event loop."""
        state, seat = self.table.state, self.table.state.current_player()
        legal = state.legal_actions(seat)
        level = self.table.setup.seats[seat].level
        if len(legal) == 1 or level is None:
            return legal[0]
        stream = self.table.bot_stream()
        return await asyncio.get_running_loop().run_in_executor(
            self._around.executor, pick_action, state.game, state.clone(), seat, level, stream
        )

    async def _draw(self) -> Answer | None:
        """Wait for the contributions, not longer than their time, and make the draw."""
        version, request = self.table.version, self.table.request
        timeout = asyncio.ensure_future(self._around.sleep(CONTRIBUTION_SECONDS))
        try:
            while request is not None and not timeout.done() and not self._values.keys() >= set(request.expected):
                self._changed.clear()
                change = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait((timeout, change), return_when=asyncio.FIRST_COMPLETED)
                change.cancel()
        finally:
            timeout.cancel()
        if self.table.version != version or not self._watched():
            return None
        return await self._finish(self._carry_out(Contribute(version, dict(self._values))))


def owner_of(token: str) -> str:
    """Return what is stored of a browser's token: who reads the store cannot play in its name."""
    return hashlib.sha256(f"bolzplatz browser {token}".encode()).hexdigest()


def _comes_after(entry: dict[str, Any], draws: int) -> bool:
    """Say whether a page that has checked that many draws lacks this entry; moves it needs not."""
    if "renewal" in entry:
        return bool(entry["renewal"]["k"] >= draws)
    return "draw" in entry and bool(entry["draw"]["k"] > draws)


def _new_table(around: Surroundings, setup: TableSetup, secrets: Secrets) -> NewTable:
    return NewTable(around.new_id(), around.now(), setup.to_dict(), secrets.to_dict())


class TableService:
    """All tables that this process serves.

    Args:
        store: where they live.
        now: the clock, seconds since 1970.
        sleep: waits for seconds.
        pace: seconds before the table moves by itself.
        new_id: makes ids of tables and tokens of browsers that cannot be guessed.
    """

    def __init__(
        self,
        store: Store,
        *,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pace: Callable[[TableSetup], float] = lambda setup: PACES[setup.speed],
        new_id: Callable[[], str] = lambda: "".join(choice(_ID_LETTERS) for _ in range(12)),
    ) -> None:
        self._executor = ThreadPoolExecutor(max_workers=2, thread_name_prefix="bolzplatz-computer-player")
        self._around = Surroundings(store, self._executor, now, sleep, pace, new_id)
        # An actor lives as long as a page holds it; the truth is in the store.
        self._actors: WeakValueDictionary[str, TableActor] = WeakValueDictionary()

    async def create(self, setup: TableSetup, token: str | None = None) -> tuple[str, str]:
        """Set a table up and return its id and the token of the browser that owns its seats; StoreError.

        `token` is the browser's if it has one already; else a new one is made.
        """
        token = token or token_urlsafe(24)
        owner = owner_of(token)
        owners = tuple(None if seat.is_bot else owner for seat in setup.seats)
        table = _new_table(self._around, setup, Secrets.fresh(owners, owner))
        await self._around.store.create(table)
        return table.id, token

    async def open(self, table_id: str) -> TableActor | None:
        """Return the actor of a table, rebuilt from the store if need be; None: no such table. StoreError."""
        actor = self._actors.get(table_id)
        if actor is None:
            stored = await self._around.store.load(table_id)
            if stored is None:
                return None
            # Another page may have opened it while the store was read.
            actor = self._actors.get(table_id) or TableActor(Table.load(stored), self._around)
            self._actors[table_id] = actor
        return actor

    async def record(self, table_id: str) -> str | None:
        """Return the match of a table as a `.bolz` text, finished or not; None: no such table. StoreError."""
        actor = await self.open(table_id)
        return None if actor is None else actor.table.record()

    async def close(self) -> None:
        """Let all tables go and close the store."""
        for actor in list(self._actors.values()):
            await actor.close()
        self._executor.shutdown()
        self._around.store.close()
