"""The running tables: one actor each, which stores before it acknowledges, moves for the computer, tells who watches.

An actor holds the fold of its table and is the only one in this process that adds to it; another process that is
quicker is noticed by the store, and the actor then reads the table anew. Time, sleep, ids and the store are passed in.
"""

import asyncio
import gc
import hashlib
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from secrets import choice, token_urlsafe
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary, proxy

from bolzplatz.bots import pick_action
from bolzplatz.core.errors import BolzplatzError
from bolzplatz.core.nodes import SIMULTANEOUS
from bolzplatz.table.commands import (
    Agree,
    Command,
    Contribute,
    Do,
    Enter,
    Friendly,
    Named,
    OwnMove,
    OwnThrow,
    Refused,
    Rematch,
    Settle,
    Tips,
    Undo,
)
from bolzplatz.table.company import AWAY, AWAY_SECONDS, GONE_SECONDS, HERE, Attendance, Company
from bolzplatz.table.frames import (
    Frame,
    Perspective,
    Viewer,
    build_frame,
    coach_stage,
    perspectives,
    plan_replay,
    when_coach_knows_more,
)
from bolzplatz.table.handling import handle
from bolzplatz.table.limits import Bucket, Limiter, LimitError, new_code
from bolzplatz.table.racing import Desk, Racing, Wire
from bolzplatz.table.setup import HUMAN, PACES, Given, SetupError, TableSetup
from bolzplatz.table.store import ConflictError, Entry, NewTable, Store, StoreError, StoreFullError
from bolzplatz.table.table import (
    PROPOSAL_SECONDS,
    WAIT_BOT,
    WAIT_CONTRIBUTE,
    WAIT_GRAB,
    WAIT_READY,
    WAIT_TAP,
    WAIT_TIP,
    Secrets,
    Table,
)
from bolzplatz.table.warmth import Warmth

T = TypeVar("T")
Message = Frame | dict[str, Any]
"""What a subscriber is sent: a frame, or a message that is JSON already."""

CONTRIBUTION_SECONDS: Final = 2.0
"""How long a draw waits for its contributors."""
DEAL_PACE: Final = 0.3
"""A card that is dealt, or a coin, takes this part of a move's time: many of them follow one another."""
FURTHER_PACE: Final = 0.5
"""A decision right after one of the same seat takes this part: one keeps a die and throws on in one go."""
QUICKER: Final = 0.7
QUICKEST: Final = 0.15
"""Each step of a turn takes this part of the one before it, down to QUICKEST of the first: long turns go faster."""
SPEEDS: Final = {"slow": 1.0, "normal": 1.0, "instant": 0.25}
"""What the table's time is multiplied by, by the speed that a person has set on the own browser."""
BLINK_SECONDS: Final = 0.1
"""A throw that is made sooner than this is shown only when it lies there, not while it is being made."""
TIP_SECONDS: Final = 5.0
"""How long an opening or a renewal waits for further tips after the first one."""
SETTLE_SECONDS: Final = 3.0
"""How long an answer to a question waits for a draw that is being made."""
RETRY_SECONDS: Final = 2.0
"""How long the table waits after a failure before it tries its own next step again."""
LONG_AGO_SECONDS: Final = 600.0
"""A table that was quiet for so long has nobody who might just be coming back."""
QUEUE_LENGTH: Final = 64
"""Messages that wait for a subscriber before it is asked to start afresh."""
MOST_PAGES: Final = 50
"""Pages that may watch one table; who plays there is let in beyond that, and who comes from elsewhere than a crowd."""
MOST_PAGES_OF_ONE: Final = 8
SPECTATORS_TOLD: Final = 9
"""Beyond so many, one more is no news."""
CLEANING_SECONDS: Final = 3600.0
CODE_TRIES: Final = 20
MOST_MATCHES: Final = 50
"""Matches of an evening that are looked at."""
EMOTES: Final = ("hello", "luck", "well", "wow", "ouch", "laugh", "hurry", "thanks")
EMOTE_BURST: Final = 3
EMOTE_SECONDS: Final = 3.0
"""So many emotes at once, and then one in so many seconds."""
_ID_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_ID_LENGTH: Final = 16
"""Of 31 letters each: 79 bits, which nobody guesses."""
_log = logging.getLogger(__name__)


class NotAllowedError(BolzplatzError):
    """Something that a table does not give away; `key` is the key of the reason in the text catalogues."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender of a command hears.

    Attributes:
        ok: whether the command was carried out, now or earlier under the same id.
        version: the version after it, or the present one where it is refused.
        reason: the key of the refusal, as `commands.Refused` has it, or store_full, store_failed, not_yours.
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

    def __init__(self, owner: str | None, seats: Sequence[int], address: str | None = None) -> None:
        self.owner, self.address = owner, address
        self.seats = tuple(seats)
        self.version = 0
        """The version of the last frame that was queued."""
        self.reseated = False
        """Whether its seats have changed since that frame."""
        self.listening = False
        self.dismissed: LimitError | None = None
        """Why it has to go: to make room for others."""
        self.speed = "normal"
        """How fast its person wants to see things happen, one of SPEEDS."""
        self.surroundings: Any = None
        """What was around the table in the last frame that was queued."""
        self.wire = Wire()
        """How long messages are on their way."""
        self.cards = 0
        """The number of the last round whose cards it was sent."""
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

    def dismiss(self, why: LimitError) -> None:
        """Let it hear no more but that it has to go."""
        self.restart()
        self.dismissed = why
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
    ticks: Callable[[], int]
    sleep: Callable[[float], Awaitable[None]]
    pace: Callable[[TableSetup], float]
    new_id: Callable[[], str]
    new_code: Callable[[], str]
    warmth: Warmth


class TableActor:
    """One table in this process. All methods may be called by many pages at once."""

    def __init__(self, table: Table, around: Surroundings, code: str | None = None) -> None:
        self.table = table
        self.code = code
        """The spoken code, None where there is none or where it has moved to the next match."""
        self._around = around
        self._opened_at = around.now()
        quiet = self._opened_at - table.last_at >= LONG_AGO_SECONDS
        self._attendance = Attendance(table.last_at if quiet else self._opened_at)
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        """Something has changed for the driver: the table, who watches, what came in."""
        self._stirred = asyncio.Event()
        """Something has changed around the table."""
        self._subscribers: list[Subscription] = []
        self._tips: dict[str, tuple[str, bytes]] = {}
        """Chain tips that came in, by the contributor's name: its browser and the tip."""
        self._values: dict[str, bytes] = {}
        """Contributions that came in for the draw `_values_for` (number and log head)."""
        self._values_for: tuple[int, bytes] | None = None
        self._frames: dict[Any, Frame] = {}
        """Frames of the present version and surroundings, by viewer."""
        self._framed: Any = None
        self._emotes: dict[str, Bucket] = {}
        me: TableActor = proxy(self)  # what it has must not hold it: it goes with its last page
        self.racing = Racing(
            Desk(
                table=lambda: me.table,
                pages=lambda: me._subscribers,
                ticks=around.ticks,
                sleep=around.sleep,
                pace=lambda: around.pace(me.table.setup),
                carry_out=lambda command: me._finish(me._carry_out(command)),
                draw=lambda: me._draw(),
                within=lambda seconds, version, complete: me._within(seconds, version, complete),
                heed=self._changed.clear,
                changed_or=lambda timeout: me._change_or(timeout),
                stir=lambda: me._stir(),
            )
        )
        """The rounds in which all move at once."""
        self._tasks: list[asyncio.Task[None]] = []
        self._running: set[asyncio.Task[Any]] = set()

    def warm_up(self) -> None:
        """Let the computer players that sit here get ready, unless the match is over."""
        if not self.table.over:
            for seat in self.table.setup.seats:
                if seat.is_bot and seat.level is not None:
                    self._around.warmth.begin(self.table.state.game, seat.level)

    # --- pages come and go ------------------------------------------------------------------------------------

    def subscribe(self, token: str | None, address: str | None = None) -> Subscription:
        """Let a page watch; LimitError: too many pages do.

        Args:
            token: its browser's, None for a spectator without one.
            address: from where it comes. One address alone cannot keep others out, however many pages it opens.
        """
        owner = None if token is None else owner_of(token)
        seats = self.table.seats_of(owner)
        of_one = sum(each.owner == owner for each in self._subscribers) if owner is not None else 0
        if of_one >= MOST_PAGES_OF_ONE:
            raise _too_many_pages()
        if not seats:
            self._make_room(address)
        subscription = Subscription(owner, seats, address)
        self._subscribers.append(subscription)
        if owner is not None:
            self._attendance.arrive(owner)
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._drive()), asyncio.create_task(self._attend())]
            if self.racing.races:
                self._tasks.append(asyncio.create_task(self.racing.ping()))
        self.racing.follow()
        self._stir()
        return subscription

    def _make_room(self, address: str | None) -> None:
        """Let a page more from an address watch: where there is no room left, in place of one of the biggest crowd.

        LimitError where no other address has more pages by two than this one.
        """
        staying = [each for each in self._subscribers if each.dismissed is None]
        if len(staying) < MOST_PAGES:
            return
        watching = [each for each in staying if not each.seats]
        crowds = Counter(each.address for each in watching)
        biggest = max(crowds, key=lambda each: crowds[each], default=address)
        if crowds[biggest] < crowds[address] + 2:
            raise _too_many_pages()
        next(each for each in reversed(watching) if each.address == biggest).dismiss(_too_many_pages())

    def unsubscribe(self, subscription: Subscription) -> None:
        """Let a page go. A table that nobody watches waits: the computer does not play on by itself."""
        subscription.restart()
        self._subscribers.remove(subscription)
        if subscription.owner is not None:
            self._attendance.leave(subscription.owner, self._around.now())
        self.racing.follow()
        self._stir()
        if not self._subscribers:
            tasks, self._tasks = self._tasks, []
            for task in tasks:
                task.cancel()

    def greet(self, subscription: Subscription, version: int, draws: int) -> None:
        """Send a page what it lacks, and everything from now on.

        Args:
            subscription: the page.
            version: the version that it shows, 0 for none.
            draws: the number of the last sealed draw that it has checked; it is sent all later ones.
        """
        if subscription.dismissed is not None:
            return
        subscription.restart()
        subscription.listening = True
        subscription.version = version
        sealed = self.table.sealed
        if sealed is not None:
            missed = [entry for entry in sealed.entries if _comes_after(entry, draws)]
            subscription.put(self._opening_message(missed))
        self._send_frame(subscription)
        self.racing.greet(subscription)
        self._ask([subscription])
        self._changed.set()

    def hide(self, subscription: Subscription, hidden: bool) -> None:
        """Note that a page has gone to the background, or has come back."""
        if subscription.owner is not None:
            self._attendance.hide(subscription.owner, hidden)
            self._stir()

    def hurry(self, subscription: Subscription, speed: str) -> None:
        """Note how fast a person wants to see things happen, one of SPEEDS."""
        subscription.speed = speed

    def frame(self, token: str | None) -> Frame:
        """Return the present state for a page that is drawn without a subscription."""
        owner = None if token is None else owner_of(token)
        return build_frame(self.table, self.table.seats_of(owner), self.table.version, self._viewer(owner))

    @property
    def steps(self) -> int:
        """How many steps a replay has."""
        return self.table.state.move_number()

    def replay(self, token: str | None, step: int, perspective: Perspective) -> Callable[[], Frame] | Refused:
        """Return what makes the frame of the match after `step` entries of its history; to be done beside the loop.

        Refused is a perspective that the browser may not take.
        """
        owner = None if token is None else owner_of(token)
        seats = self.table.seats_of(owner)
        if not 0 <= step <= self.steps:
            return Refused("no_step", f"the match has steps from 0 to {self.steps}")
        if perspective not in perspectives(self.table, seats):
            return Refused("not_yours", "this is hidden until the match is over")
        return plan_replay(self.table, seats, step, perspective, self._viewer(owner))

    # --- who is there -----------------------------------------------------------------------------------------

    def _company(self) -> Company:
        """Return who is at the table now."""
        now, table = self._around.now(), self.table
        browsers = [each for each in dict.fromkeys(table.owners) if each is not None]
        presence = {each: self._attendance.word(each, now) for each in browsers}
        host = table.host
        if self._attendance.off_line(host, now) >= GONE_SECONDS:
            # The host's place passes on to the first who is here; the log says so once that one acts as host.
            host = next((each for each in browsers if presence[each] in (HERE, AWAY) and each != host), host)
        watching = {each.owner or id(each) for each in self._subscribers if not each.seats}
        rounds = self.racing.now()
        clock = table.turn_clock(self._opened_at, rounds.ready)
        return Company(host, presence, len(watching), clock, rounds)

    def _viewer(self, owner: str | None) -> Viewer:
        return Viewer(owner, self._company(), self._around.now(), self.code)

    def _surroundings(self, company: Company) -> Any:
        """Return all of what is around the table that a page shows and that changes without a new version."""
        now, clock = self._around.now(), company.clock
        asked = self.table.open_proposal(now)
        return (
            tuple(company.presence.items()),
            company.host,
            min(company.spectators, SPECTATORS_TOLD),
            None if clock is None else (clock.seats, clock.began, clock.state(now)),
            None if asked is None else asked.n,
            company.round,
            coach_stage(self.table) if self.table.setup.coach else None,
        )

    def _next_change(self, company: Company) -> float | None:
        """Return when something around the table changes by itself, in seconds since 1970."""
        now, table = self._around.now(), self.table
        moments = [self._attendance.next_change(each, now) for each in {*company.presence, table.host}]
        moments.append(None if company.clock is None else company.clock.next_change(now))
        asked = table.open_proposal(now)
        moments.append(None if asked is None else asked.at + PROPOSAL_SECONDS)
        return min((moment for moment in moments if moment is not None), default=None)

    def _stir(self) -> None:
        self._stirred.set()
        self._changed.set()

    async def _attend(self) -> None:
        """Show what changes around the table: who is there, whose time is up, which question is over."""
        loop = asyncio.get_running_loop()

        def stir() -> None:
            loop.call_soon_threadsafe(self._stir)

        deaf = when_coach_knows_more(stir) if self.table.setup.coach else None
        try:
            await self._attend_on()
        finally:
            if deaf is not None:
                deaf()

    async def _attend_on(self) -> None:
        while True:
            self._stirred.clear()
            company = self._company()
            if self.table.settled(self._around.now(), company):
                await self._finish(self._carry_out(Settle()))
                company = self._company()
            surroundings = self._surroundings(company)
            for subscription in self._subscribers:
                behind = subscription.version != self.table.version  # a frame comes anyway
                if subscription.listening and subscription.surroundings != surroundings and not behind:
                    self._send_frame(subscription, company, refresh=True)
            moment = self._next_change(company)
            stirred = asyncio.ensure_future(self._stirred.wait())
            waits: list[asyncio.Future[Any]] = [stirred]
            if moment is not None:
                waits.append(asyncio.ensure_future(self._around.sleep(max(0.0, moment - self._around.now()))))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()

    # --- commands ---------------------------------------------------------------------------------------------

    async def command(self, subscription: Subscription, command: Do | Enter | Undo) -> Answer:
        """Carry out a person's command, once: a repeated id gets the answer of the first time.

        A command on an old version is refused as stale, and the page is sent the present frame.
        """
        seats = self.table.seats_of(subscription.owner)
        if not seats or (isinstance(command, Do) and command.seat not in seats):
            return self._refusal(Refused("not_yours", "this seat is played from another browser"))
        if not isinstance(command, Do):
            command = replace(command, seats=seats)
        answer = await self._finish(self._carry_out(command))
        if answer.reason == "stale":
            self._send_frame(subscription)
        return answer

    async def act(self, subscription: Subscription, command: Friendly) -> Answer:
        """Carry out what a browser asks in its own name: to sit down, to begin, to help out, to ask and to answer."""
        owner = subscription.owner
        if owner is None:
            return self._refusal(Refused("not_yours", "this browser is not known here: load the page anew"))
        if isinstance(command, Agree):
            await self._until_drawn()
        return await self._finish(self._carry_out(replace(command, owner=owner)))

    async def _until_drawn(self) -> None:
        """Wait for a draw that is being made, but not long: what was agreed on meanwhile would have to be refused."""
        if not self.table.asked:
            return
        timeout = asyncio.ensure_future(self._around.sleep(SETTLE_SECONDS))
        try:
            while self.table.asked and not timeout.done():
                await self._change_or(timeout)
        finally:
            timeout.cancel()

    async def _change_or(self, timeout: asyncio.Future[None]) -> None:
        change = asyncio.ensure_future(self._changed.wait())
        try:
            await asyncio.wait((timeout, change), return_when=asyncio.FIRST_COMPLETED)
        finally:
            change.cancel()

    async def tip(self, subscription: Subscription, tip: bytes, version: int) -> Answer:
        """Take a browser's chain tip: with those of all others the match opens, or goes on with new chains.

        Args:
            subscription: the page that the browser shows.
            tip: the tip.
            version: of the frame that asked for it. A tip on a slow line may come when the table waits for the next
                ones already; taken for those, it would bind the browser to a chain that it has given up.
        """
        table, owner = self.table, subscription.owner
        who = table.contributor_name(owner)
        if who is None or owner is None:
            return self._refusal(Refused("not_yours", "a spectator does not contribute to the dice"))
        if table.waiting.kind != WAIT_TIP:
            return self._refusal(Refused("opened_already", "the match is open already"))
        if version != table.version:
            return self._refusal(Refused("stale", "this tip was asked for at an earlier version"))
        others = [each for name, (_, each) in self._tips.items() if name != who]
        if tip in others or (table.sealed is None and tip == table.server_tip):
            return self._refusal(Refused("sealed", "this tip is somebody else's"))
        self._tips[who] = (owner, tip)
        self._changed.set()
        return Answer(True, table.version)

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
        if self._values_for != (k, head):
            self._values, self._values_for = {}, (k, head)
        self._values[fitting[0]] = value
        self._changed.set()
        return Answer(True, self.table.version)

    def emote(self, subscription: Subscription, emote: str) -> Answer:
        """Show one of the EMOTES to everybody, for somebody who plays."""
        owner, seats = subscription.owner, self.table.seats_of(subscription.owner)
        if owner is None or not seats or emote not in EMOTES:
            return self._refusal(Refused("not_yours", "that is for those who play"))
        bucket = self._emotes.setdefault(owner, Bucket(1 / EMOTE_SECONDS, EMOTE_BURST))
        if not bucket.take(self._around.now()):
            return self._refusal(Refused("too_fast", "a little slower, please"))
        seat = self.table.waiting.seat if self.table.waiting.seat in seats else seats[0]
        message = {"type": "emote", "seat": seat, "name": self.table.setup.seats[seat].name, "emote": emote}
        for each in self._subscribers:
            each.put(message)
        return Answer(True, self.table.version)

    async def rematch(self, subscription: Subscription, command_id: str) -> Answer:
        """Set up the next match with the same seats, once: a later request is told the same table."""
        if not self.table.takes_part(subscription.owner):
            return self._refusal(Refused("not_yours", "a spectator does not ask for the next match"))
        return await self._finish(self._rematch(command_id))

    async def _rematch(self, command_id: str) -> Answer:
        if self.table.rematch is None:
            table, now = self.table, self._around.now()
            secrets = Secrets.fresh(table.owners, table.host, follows=table.id)
            try:
                following = _new_table(self._around, table.next_setup(), secrets, self.code)
            except SetupError as fault:
                return self._refusal(Refused("not_now", fault.reason))
            entries = [Entry(i, "witness", {"owner": who, "on": True}, now) for i, who in enumerate(table.witnesses, 1)]
            following = replace(following, entries=tuple(entries))
            answer = await self._carry_out(Rematch(command_id, following.id), following)
            if self.table.rematch is None:
                return answer
            self.code = None
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
            if isinstance(command, Named) and command.id in self.table.applied:
                return Answer(True, self.table.applied[command.id])
            entries = handle(self.table, command, self._around.now(), self._company())
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
            self.table, self.code = Table.load(stored), stored.code
        except StoreError as fault:
            return self._failure(fault)
        self._publish([])
        return self._refusal(Refused("stale", f"the table has moved on to version {self.table.version}"))

    def answer(self, refused: Refused | None) -> Answer:
        """Return what the sender hears of something that is not in the log: that it arrived, or why not."""
        return Answer(True, self.table.version) if refused is None else self._refusal(refused)

    def _refusal(self, refused: Refused) -> Answer:
        return Answer(False, self.table.version, refused.reason, refused.text, refused.rule, refused.code)

    def _failure(self, fault: StoreError) -> Answer:
        _log.error("%s", fault)
        full = isinstance(fault, StoreFullError)
        text = "the disk is full: nothing was changed, try again when there is room" if full else str(fault)
        return self._refusal(Refused("store_full" if full else "store_failed", text))

    async def close(self) -> None:
        """Stop moving by itself, and wait for the commands that are being carried out."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *self._running, return_exceptions=True)

    # --- telling the pages ------------------------------------------------------------------------------------

    def _publish(self, entries: Iterable[Entry]) -> None:
        """Tell every page what these entries, just absorbed, brought."""
        if self.table.waiting.kind != WAIT_TIP:
            self._tips.clear()
        for subscription in self._subscribers:
            seats = self.table.seats_of(subscription.owner)
            subscription.reseated |= seats != subscription.seats
            subscription.seats = seats
        self.racing.follow()
        for entry in entries:
            message = self._message_of(entry)
            if message is not None:
                for subscription in self._subscribers:
                    subscription.put(message)
        self.racing.tell_dice()
        drawing = self.table.waiting.kind == WAIT_CONTRIBUTE and self._watched()  # `_draw` sees to the frames
        if not drawing:
            self._show()
        self._ask(self._subscribers)
        self._stir()

    def _show(self) -> None:
        """Send the present frame to all pages that have not got it; who sees a race is shown nothing but its end.

        Those whose seats have changed are shown it all the same: their hands are others now.
        """
        racing = self.table.rounds.armed_at if self.table.waiting.kind == WAIT_GRAB else self.table.version
        company = self._company()
        for subscription in self._subscribers:
            if subscription.reseated or not racing <= subscription.version <= self.table.version:
                self._send_frame(subscription, company)

    def _message_of(self, entry: Entry) -> dict[str, Any] | None:
        if entry.kind == "opened":
            return self._opening_message([])
        if entry.kind == "draw":
            return {"type": "drawn", "entry": entry.body, "throw": self.table.drawn}
        if entry.kind == "renewal":
            return {"type": "drawn", "entry": entry.body["entry"], "words": list(self.table.words)}
        return None

    def _opening_message(self, entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
        sealed = self.table.sealed
        opening = None if sealed is None else sealed.opening.to_json()
        return {"type": "opening", "opening": opening, "words": list(self.table.words), "entries": list(entries)}

    def _send_frame(self, subscription: Subscription, company: Company | None = None, refresh: bool = False) -> None:
        """Queue the present frame for a page; pages that see the same share it. `company` is the present one."""
        if not subscription.listening:
            return
        company = company or self._company()
        surroundings = self._surroundings(company)
        if self._framed != (self.table.version, surroundings):
            self._frames, self._framed = {}, (self.table.version, surroundings)
        owner, since = subscription.owner, subscription.version
        known = owner is not None and (self.table.takes_part(owner) or owner in self.table.witnesses)
        key = (owner if known else None, since, refresh)
        frame = self._frames.get(key)
        if frame is None:
            viewer = Viewer(owner, company, self._around.now(), self.code)
            frame = build_frame(self.table, subscription.seats, since, viewer, refresh)
            self._frames[key] = frame
        subscription.put(frame)
        subscription.reseated = False
        subscription.version, subscription.surroundings = self.table.version, surroundings

    def _ask(self, subscriptions: Iterable[Subscription]) -> None:
        request = self.table.request
        if request is not None:
            for subscription in subscriptions:
                if subscription.owner in self.table.contributors.values():
                    subscription.put({"type": "ask", "request": request.to_json()})

    # --- what the table does by itself ------------------------------------------------------------------------

    def _watched(self) -> bool:
        return any(subscription.listening for subscription in self._subscribers)

    def _has_work(self) -> bool:
        kind = self.table.waiting.kind
        if kind == WAIT_READY:
            return self._watched() and self.racing.all_ready
        itself = kind in (WAIT_BOT, WAIT_CONTRIBUTE, WAIT_GRAB, WAIT_TAP)
        return self._watched() and (itself or (kind == WAIT_TIP and bool(self._tips)))

    async def _drive(self) -> None:
        """Move for the computer, throw what nobody throws, draw what was asked for; as long as somebody watches."""
        work = {
            WAIT_BOT: self._move_itself,
            WAIT_CONTRIBUTE: self._draw,
            WAIT_TIP: self._open,
            WAIT_READY: self.racing.begin,
            WAIT_GRAB: self.racing.race,
            WAIT_TAP: self.racing.taps,
        }
        while True:
            self._changed.clear()
            if not self._has_work():
                await self._changed.wait()
                continue
            try:
                answer = await work[self.table.waiting.kind]()
                trouble = None if answer is None or answer.ok or answer.reason == "stale" else answer
            except Exception:
                _log.exception("table %s cannot go on", self.table.id)
                trouble = self._refusal(Refused("failed", "the computer player failed; the table tries again"))
            if trouble is not None:
                for subscription in self._subscribers:
                    subscription.put({"type": "trouble", **trouble.to_dict()})
                await self._around.sleep(RETRY_SECONDS)

    async def _within(self, seconds: float, version: int, complete: Callable[[], bool]) -> bool:
        """Wait until something is complete or the time is up; return whether the table is still the same then."""
        timeout = asyncio.ensure_future(self._around.sleep(seconds))
        try:
            while not timeout.done() and self.table.version == version and not complete():
                self._changed.clear()
                await self._change_or(timeout)
        finally:
            timeout.cancel()
        return self.table.version == version and self._watched()

    async def _open(self) -> Answer | None:
        """Wait for the tips of all who are there, but not long, and open the match or renew the chains."""
        version = self.table.version
        expected = self.table.expected_tips

        def complete() -> bool:
            now = self._around.now()
            return all(
                who in self._tips or self._attendance.off_line(owner, now) >= AWAY_SECONDS
                for who, owner in expected.items()
            )

        if not await self._within(TIP_SECONDS, version, complete):
            return None
        return await self._finish(self._carry_out(Tips(dict(self._tips))))

    async def _move_itself(self) -> Answer | None:
        version = self.table.version
        if self.table.state.current_player() == SIMULTANEOUS:
            return await self.racing.choose()
        if not self.table.setup.all_at_once and not self.table.throw_goes_on:
            # Cards that lie face down and the order of hands are nothing to wait for, nor is the rest of a throw.
            dealt = self.table.state.is_chance_node() and self.table.state.roller() is None
            part = DEAL_PACE if dealt else FURTHER_PACE if self.table.same_seat_decides_on else 1
            part *= max(QUICKEST, QUICKER**self.table.steps_in_a_row) * self._hurry()
            await self._around.sleep(self._around.pace(self.table.setup) * part)
        if self.table.version != version or not self._watched():
            return None
        if self.table.state.is_chance_node():
            return await self._finish(self._carry_out(OwnThrow(version)))
        return await self._finish(self._carry_out(OwnMove(version, await self._choose())))

    def _hurry(self) -> float:
        """Return what part of the table's time the people at it want to wait: the most patient one decides."""
        here = (each for each in self._subscribers if each.listening and self.table.takes_part(each.owner))
        return max((SPEEDS[each.speed] for each in here), default=1.0)

    async def _choose(self) -> int:
        """Return the only move there is, or the computer player's choice, made outside the event loop."""
        state, seat = self.table.state, self.table.state.current_player()
        legal = state.legal_actions(seat)
        level = self.table.level_of(seat)
        if len(legal) == 1 or level is None:
            return legal[0]
        if not self._around.warmth.begin(state.game, level):
            self._tell("warming", "the computer player gets ready; that takes a while the first time")
            await self._around.warmth.wait(state.game, level)
            self._tell("ready", "")
        stream = self.table.bot_stream()
        return await asyncio.get_running_loop().run_in_executor(
            self._around.executor, pick_action, state.game, state.clone(), seat, level, stream
        )

    def _tell(self, reason: str, text: str) -> None:
        """Tell all pages what the table waits for, where no frame does; an empty text: for nothing any more."""
        for subscription in self._subscribers:
            subscription.put({"type": "trouble", "reason": reason, "text": text})

    async def _draw(self) -> Answer | None:
        """Wait for the contributions, not longer than their time, and make the draw.

        Who has been off the line for as long already is not waited for.
        """
        version, request = self.table.version, self.table.request
        if request is None:
            return None
        place = (request.k, request.head)

        def complete() -> bool:
            now, came = self._around.now(), self._values if self._values_for == place else {}
            return all(
                who in came or self._attendance.off_line(self.table.contributors[who], now) >= CONTRIBUTION_SECONDS
                for who in request.expected
            )

        if not await self._within(BLINK_SECONDS, version, complete):
            return None
        if not complete():
            self._show()
            if not await self._within(CONTRIBUTION_SECONDS - BLINK_SECONDS, version, complete):
                return None
        came = dict(self._values) if self._values_for == place else {}
        answer = await self._finish(self._carry_out(Contribute(version, came)))
        self._show()  # what was asked for, where the draw could not be stored
        return answer


def _too_many_pages() -> LimitError:
    return LimitError("too_many_pages", "too many pages watch this table")


def owner_of(token: str) -> str:
    """Return what is stored of a browser's token: who reads the store cannot play in its name."""
    return hashlib.sha256(f"bolzplatz browser {token}".encode()).hexdigest()


def _comes_after(entry: dict[str, Any], draws: int) -> bool:
    """Say whether a page that has checked that many draws lacks this entry; moves it needs not."""
    if "renewal" in entry:
        return bool(entry["renewal"]["k"] >= draws)
    return "draw" in entry and bool(entry["draw"]["k"] > draws)


def _new_table(around: Surroundings, setup: TableSetup, secrets: Secrets, code: str | None) -> NewTable:
    return NewTable(around.new_id(), around.now(), setup.to_dict(), secrets.to_dict(), code=code)


def _record_of(stored: NewTable, finished: bool) -> str | None:
    """Write the record of a table as it is stored, for a thread: nothing of it is shared with the table that runs."""
    table = Table.load(stored)
    return table.record() if table.over or (table.record_is_open and not finished) else None


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """How much one address may ask for.

    New tables an hour; codes, reckoned pages, pages of tables and steps of replays a minute; sockets at a time.
    A whole school class may sit behind one address.
    """

    tables_an_hour: int = 120
    codes_a_minute: int = 20
    looks_a_minute: int = 600
    visits_a_minute: int = 600
    steps_a_minute: int = 1800
    sockets: int = 200


class TableService:
    """All tables that this process serves.

    Args:
        store: where they live.
        now: the clock, seconds since 1970.
        ticks: a clock in microseconds that never runs backwards, for races of hands.
        sleep: waits for seconds.
        pace: seconds before the table moves by itself.
        new_id: makes ids of tables that cannot be guessed.
        new_code: makes spoken codes.
        limits: how much one address may ask for.
    """

    def __init__(
        self,
        store: Store,
        *,
        now: Callable[[], float] = time.time,
        ticks: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pace: Callable[[TableSetup], float] = lambda setup: PACES[setup.speed],
        new_id: Callable[[], str] = lambda: "".join(choice(_ID_LETTERS) for _ in range(_ID_LENGTH)),
        new_code: Callable[[], str] = new_code,
        limits: ServiceLimits | None = None,
    ) -> None:
        limits = limits or ServiceLimits()
        self._executor = ThreadPoolExecutor(max_workers=2, thread_name_prefix="bolzplatz-computer-player")
        self._around = Surroundings(store, self._executor, now, ticks, sleep, pace, new_id, new_code, Warmth())
        # An actor lives as long as a page holds it; the truth is in the store.
        self._actors: WeakValueDictionary[str, TableActor] = WeakValueDictionary()
        self._new_tables = Limiter(
            limits.tables_an_hour / 3600,
            limits.tables_an_hour,
            "too_many_tables",
            "this address has set up many tables; try again later",
        )
        self._guesses = Limiter(
            limits.codes_a_minute / 60, limits.codes_a_minute, "too_many_guesses", "too many codes; wait a moment"
        )
        self._looks, self._visits, self._steps = (
            Limiter(a_minute / 60, a_minute, "too_many_looks", "this address asks for a lot; wait a moment")
            for a_minute in (limits.looks_a_minute, limits.visits_a_minute, limits.steps_a_minute)
        )
        self._most_sockets = limits.sockets
        self._sockets: Counter[str] = Counter()

    # --- tables come and go -----------------------------------------------------------------------------------

    async def create(self, setup: TableSetup, token: str | None = None, address: str | None = None) -> tuple[str, str]:
        """Set a table up and return its id and the token of the browser that owns its seats; StoreError, LimitError.

        `token` is the browser's if it has one already; else a new one is made. `address` is whose number of tables
        is limited, None: nobody's.
        """
        self._new_tables.check(address, self._around.now())
        token = token or token_urlsafe(24)
        owner = owner_of(token)
        owners = tuple(owner if seat.kind == HUMAN else None for seat in setup.seats)
        secrets = Secrets.fresh(owners, owner)
        for _ in range(CODE_TRIES):
            table = _new_table(self._around, setup, secrets, self._around.new_code())
            try:
                await self._around.store.create(table)
            except ConflictError:
                continue  # the code is another table's
            return table.id, token
        raise StoreError("no free code was found for a new table")

    async def open(self, table_id: str) -> TableActor | None:
        """Return the actor of a table, rebuilt from the store if need be; None: no such table. StoreError."""
        actor = self._actors.get(table_id)
        if actor is None:
            stored = await self._around.store.load(table_id)
            if stored is None:
                return None
            # A long match takes a while to fold: nobody else waits for that, and another page may have opened it since.
            table = await asyncio.to_thread(Table.load, stored)
            actor = self._actors.get(table_id) or TableActor(table, self._around, stored.code)
            self._actors[table_id] = actor
            actor.warm_up()
            if actor.code is None and actor.table.rematch is None:
                await self._claim_code(actor)
        return actor

    async def _claim_code(self, actor: TableActor) -> None:
        """Give a code to a table from before there were codes; it can do without."""
        for _ in range(CODE_TRIES):
            code = self._around.new_code()
            try:
                await self._around.store.claim_code(actor.table.id, code)
            except ConflictError:
                continue
            except StoreError as fault:
                _log.warning("%s", fault)
                return
            actor.code = code
            return

    async def newest(self, table_id: str) -> str:
        """Return the table where the room of a table is now: that of its last rematch. StoreError."""
        actor = self._actors.get(table_id)
        if actor is not None and actor.table.rematch is None:
            return table_id
        return [table_id, *await self._around.store.room(table_id, 0)][-1]

    async def evening(self, table_id: str) -> list[str]:
        """Return the tables of a room one after the other, as rematches followed: the last MOST_MATCHES; StoreError.

        Empty where there is no such table.
        """
        return (await self._around.store.room(table_id, MOST_MATCHES))[-MOST_MATCHES:]

    async def find(self, code: str, address: str | None = None) -> str | None:
        """Return the table with a spoken code (`limits.read_code`) that is not over; StoreError, LimitError."""
        self._guesses.check(address, self._around.now())
        table_id = await self._around.store.find_code(code)
        actor = None if table_id is None else await self.open(table_id)
        return None if actor is None or actor.table.over else actor.table.id

    async def record(self, table_id: str, finished: bool = False) -> str | None:
        """Return the match of a table as a `.bolz` text, finished or not; StoreError.

        None: there is no such table, or its record would give away what is still hidden, or, with `finished`, its match
        is not over.
        """
        stored = await self._around.store.load(table_id)
        return None if stored is None else await asyncio.to_thread(_record_of, stored, finished)

    async def play_on(
        self,
        table_id: str,
        step: int,
        seats: Sequence[Mapping[str, Any]] | None,
        token: str | None = None,
        address: str | None = None,
    ) -> tuple[str, str]:
        """Set up a table that plays a match on from the position after `step` entries of its history.

        Args:
            table_id: where the match is or was played.
            step: from which position.
            seats: who sits there, as in a setup; None: the same, and all people sit at this browser.
            token: the browser's, as in `create`.
            address: as in `create`.

        Returns:
            The new table's id and the browser's token.

        Raises:
            NotAllowedError: no_table, no_step, or still_hidden: the match goes on and has secrets.
            SetupError: seats that do not fit, or a position where the match is over.
        """
        actor = await self.open(table_id)
        if actor is None:
            raise NotAllowedError("no_table", "there is no such table")
        table = actor.table
        if not table.record_is_open:
            raise NotAllowedError("still_hidden", "the match has secrets and is not over yet")
        if not 0 <= step <= actor.steps:
            raise NotAllowedError("no_step", f"the match has steps from 0 to {actor.steps}")
        step = table.whole_step(step)
        given = Given(table.id, tuple(table.moves()[:step]))
        chosen = replace(table.setup, given=given if step else None, room=False).to_dict()
        if seats is not None:
            chosen = {key: value for key, value in chosen.items() if key != "room"} | {"seats": list(seats)}
        return await self.create(TableSetup.from_dict(chosen), token, address)

    async def expire(self, keep_days: float) -> int:
        """Delete all tables without an entry in so many days that nobody has open here; return how many. StoreError."""
        before = self._around.now() - keep_days * 24 * 3600
        return len(await self._around.store.expire(before, keep=set(self._actors)))

    async def keep_clean(self, keep_days: float) -> None:
        """Delete old tables, and what is left of them in memory, now and every hour, until cancelled."""
        while True:
            gc.collect()
            try:
                await self.expire(keep_days)
            except StoreError as fault:
                _log.error("%s", fault)
            await self._around.sleep(CLEANING_SECONDS)

    async def close(self) -> None:
        """Let all tables go and close the store."""
        for actor in list(self._actors.values()):
            await actor.close()
        self._executor.shutdown()
        self._around.store.close()

    def look(self, address: str | None) -> None:
        """Count a page for which something has to be reckoned; LimitError where an address asks for too many."""
        self._looks.check(address, self._around.now())

    def visit(self, address: str | None) -> None:
        """Count a page of a table; LimitError where an address asks for too many."""
        self._visits.check(address, self._around.now())

    def turn_over(self, address: str | None) -> None:
        """Count a step of a replay, which keeps nobody from joining; LimitError where an address asks for too many."""
        self._steps.check(address, self._around.now())

    # --- sockets ----------------------------------------------------------------------------------------------

    def enter(self, address: str | None) -> None:
        """Count a socket of an address; LimitError where it has too many. `leave` must follow."""
        if address is not None and self._sockets[address] >= self._most_sockets:
            raise LimitError("too_many_sockets", "this address has too many pages open")
        if address is not None:
            self._sockets[address] += 1

    def leave(self, address: str | None) -> None:
        """Count a socket of an address off."""
        if address is not None:
            self._sockets[address] -= 1
            if not self._sockets[address]:
                del self._sockets[address]
