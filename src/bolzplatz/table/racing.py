"""Rounds in which all move at once, as one running table plays them: pings, "ready", 3-2-1, cards, hands, verdict.

Nothing here decides anything: the log does (`rounds`), the arbiter does (`live`, `core.grab`). What is only here is
lost when the server stops: who was ready, how the lines are, and a race that was running, which is then broken off.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import pick_action, reaction_ms
from bolzplatz.core.grab import (
    MS,
    PIECES,
    PING_GAP,
    PING_GAP_AT_FIRST,
    PINGS_AT_FIRST,
    ROUND_LIMIT,
    Conduct,
    GrabError,
    Link,
    Race,
    RaceRules,
    Terms,
    silence,
    tie_window,
)
from bolzplatz.core.taps import first_tap, tap_rules
from bolzplatz.table.commands import Arm, AskLot, Command, OpenCards, Raced, Refused, Tapped, Together
from bolzplatz.table.live import Hand, LiveRound, reaches
from bolzplatz.table.rounds import GRAB, Line, RoundNow
from bolzplatz.table.table import WAIT_GRAB, WAIT_OVER, WAIT_READY, WAIT_ROOM, WAIT_TAP, Table
from bolzplatz.table.tapping import LiveTaps

if TYPE_CHECKING:
    from bolzplatz.table.service import Answer, Subscription

COUNT_WORDS: Final = 3
COUNT_MS: Final = 600
"""3, 2, 1, and each for so long."""
POINTERS: Final = ("touch", "mouse", "key")
SLOW_HAND_MS: Final = 1500
"""How long a computer's hand needs where its player does not say."""
PINGS_OUT: Final = 16
"""Pings that a page may leave unanswered before the oldest is forgotten."""

_NOT_NOW: Final = Refused("not_now", "that is not possible now")
_NOT_YOURS: Final = Refused("not_yours", "this seat is played from another browser")


@dataclass(frozen=True, slots=True)
class Desk:
    """What a running table lends: its parts, and ways to change it, to wait and to tell.

    `changed_or` waits for a change since the last call of `heed`, or for a time.
    """

    table: Callable[[], Table]
    pages: Callable[[], Sequence["Subscription"]]
    ticks: Callable[[], int]
    sleep: Callable[[float], Awaitable[None]]
    pace: Callable[[], float]
    carry_out: Callable[[Command], Awaitable["Answer"]]
    draw: Callable[[], Awaitable["Answer | None"]]
    within: Callable[[float, int, Callable[[], bool]], Awaitable[bool]]
    heed: Callable[[], None]
    changed_or: Callable[[asyncio.Future[None]], Awaitable[None]]
    stir: Callable[[], None]


class Wire:
    """One page's line: the pings that are out, and how long they took."""

    def __init__(self) -> None:
        self.link = Link()
        self.due = 0
        """When the next ping goes out."""
        self._sent: dict[int, int] = {}
        self._count = self._heard = 0

    def ping(self, now: int) -> int:
        """Return the number of a new ping."""
        self._count += 1
        self._sent[self._count] = now
        if len(self._sent) > PINGS_OUT:
            del self._sent[min(self._sent)]
        hurried = self._heard < PINGS_AT_FIRST and self._count < PINGS_OUT
        self.due = now + (PING_GAP_AT_FIRST if hurried else PING_GAP)
        return self._count

    def pong(self, n: int, now: int) -> None:
        """Note that a ping came back, once."""
        sent = self._sent.pop(n, None)
        if sent is not None:
            self._heard += 1
            self.link = self.link.heard(now, now - sent)


_NO_ROUND: Final = RoundNow()


class Racing:
    """The rounds of one running table."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._ready: dict[int, tuple[Subscription, str]] = {}
        """Seats that are ready for the round `_ready_for`, each with its page and kind of pointer."""
        self._ready_for = 0
        self._counting = False
        self._live: LiveRound | None = None
        self._taps: LiveTaps | None = None
        self._conduct: dict[str, Conduct] = {}
        """How browsers reported so far."""

    @property
    def _table(self) -> Table:
        return self._desk.table()

    # --- what is told of it -----------------------------------------------------------------------------------

    def now(self) -> RoundNow:
        """Return what is to be shown of the present round beyond the log."""
        table = self._table
        if not table.setup.all_at_once and not table.setup.tapped:
            return _NO_ROUND
        if not self.races or table.waiting.kind in (WAIT_ROOM, WAIT_OVER):
            lines: tuple[Line | None, ...] = ()
        else:
            lines = tuple(self._line(seat) for seat in range(len(table.owners)))
        return RoundNow(tuple(sorted(self._ready_seats())), self._counting, lines)

    @property
    def races(self) -> bool:
        """Whether hands race at this table, for pieces or for throws."""
        table = self._table
        if table.setup.tapped:
            return True
        return table.setup.all_at_once and table.setup.pace == GRAB and not table.by_hand

    def _line(self, seat: int) -> Line | None:
        link = self._link(seat)
        return None if link is None or not link.known else Line(link.bars, link.weak, round(link.smallest / MS))

    def _link(self, seat: int) -> Link | None:
        """Return the line of a seat: of the page that said ready for it, else of its browser's first one."""
        page = self._ready[seat][0] if seat in self._ready_seats() else None
        owner = self._table.owners[seat]
        if page is None and owner is not None:
            page = next((each for each in self._desk.pages() if each.owner == owner), None)
        return None if page is None else page.wire.link

    def _ready_seats(self) -> set[int]:
        if self._ready_for != self._table.rounds.n:
            return set()
        return set(self._ready) & set(self._table.called)

    @property
    def all_ready(self) -> bool:
        """Whether nobody is waited for before the cards."""
        return self._table.waiting.kind == WAIT_READY and self._ready_seats() == set(self._table.called)

    # --- pages ------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Let the races go by who is there now: a page came or went, or a seat has changed hands."""
        for seat, (page, _) in list(self._ready.items()):
            if page not in self._desk.pages() or seat not in page.seats:
                del self._ready[seat]
        table, now = self._table, self._desk.ticks()
        browsers = {page.owner for page in self._desk.pages()} - {None}
        there = [seat for seat, owner in enumerate(table.owners) if table.plays_itself(seat) or owner in browsers]
        if self._live is not None and self._running():
            self._live.follow(there, now)
        if self._taps is not None and self._tapping():
            self._taps.follow(there, now)

    def greet(self, page: "Subscription") -> None:
        """Show a page that came late the cards that everybody sees."""
        if self._live is not None and self._running() and self._live.due(page.seats, self._desk.ticks()):
            page.put(self._cards())
        if self._taps is not None and self._tapping() and self._taps.due(page.seats, self._desk.ticks()):
            page.put(self._whistle())

    def pong(self, page: "Subscription", n: int) -> None:
        """A ping came back."""
        before = page.wire.link.known
        page.wire.pong(n, self._desk.ticks())
        if page.wire.link.known != before:
            self._desk.stir()

    async def ping(self) -> None:
        """Send pings as long as there are races to come, from the start of the match on."""
        while (waits := self._table.waiting.kind) != WAIT_OVER:
            now = self._desk.ticks()
            for page in self._desk.pages() if waits != WAIT_ROOM else ():
                if page.seats and page.listening and page.wire.due <= now:
                    page.put({"type": "ping", "n": page.wire.ping(now)})
            await self._desk.sleep(PING_GAP_AT_FIRST / 1e6)

    # --- what people do ---------------------------------------------------------------------------------------

    def ready(self, page: "Subscription", n: int, seat: int, on: bool, pointer: str) -> Refused | None:
        """A person is ready for the cards of round `n`, or no longer."""
        if seat not in page.seats:
            return _NOT_YOURS
        table = self._table
        if table.waiting.kind != WAIT_READY or table.rounds.n != n or seat not in table.called:
            return _NOT_NOW
        if self.races and on and not page.wire.link.known:
            return Refused("no_link", "this line has not been measured yet")
        if self._ready_for != n:
            self._ready, self._ready_for = {}, n
        if on == (seat in self._ready):
            return None
        if on:
            self._ready[seat] = (page, pointer)
        else:
            del self._ready[seat]
        self._desk.stir()
        return None

    def grab(self, page: "Subscription", n: int, seat: int, piece: str, reported: int | None) -> Refused | None:
        """A person's hand is on a piece; that it has arrived is all that the sender is told."""
        if seat not in page.seats:
            return _NOT_YOURS
        if self._live is None or self._live.n != n or not self._running() or seat in self._live.computers:
            return Refused("late", "this round is not being played now")
        try:
            self._live.grab(seat, piece, reported, self._desk.ticks())
        except GrabError as fault:
            return Refused("too_fast", str(fault))
        self._desk.stir()
        return None

    def tap(self, page: "Subscription", n: int, seat: int, reported: int | None) -> Refused | None:
        """A person's hand taps, to throw; that it has arrived, or came too soon, is all that the sender is told."""
        if seat not in page.seats:
            return _NOT_YOURS
        if self._taps is None or self._taps.n != n or not self._tapping() or self._table.plays_itself(seat):
            return Refused("late", "this race is not being run now")
        try:
            counts = self._taps.tap(seat, reported, self._desk.ticks())
        except GrabError as fault:
            return Refused("not_now", str(fault))
        self._desk.stir()
        return None if counts else Refused("too_soon", "nobody sees dice in so short a time: the hand is held back")

    def still(self, page: "Subscription", n: int, seat: int) -> Refused | None:
        """A person sees no goal, and is not waited for."""
        if seat not in page.seats:
            return _NOT_YOURS
        if self._live is None or self._live.n != n or not self._running() or seat in self._live.computers:
            return Refused("late", "this round is not being played now")
        if not self._live.due(page.seats, self._desk.ticks()):
            return _NOT_NOW
        self._live.keep_still(seat, self._desk.ticks())
        self._desk.stir()
        return None

    # --- what the table does ----------------------------------------------------------------------------------

    async def begin(self) -> "Answer | None":
        """All are ready: count 3-2-1, then let the race begin; where there is time to think, lay the cards open."""
        table = self._table
        version, n = table.version, table.rounds.n
        if not table.called:
            await self._desk.sleep(self._desk.pace())
        if self._table.version != version or not self.all_ready:
            return None
        if not self.races:
            return await self._desk.carry_out(OpenCards(version))
        self._count(n, COUNT_WORDS)
        try:
            still_all = await self._desk.within(COUNT_WORDS * COUNT_MS / 1000, version, lambda: not self.all_ready)
        finally:
            self._counting = False
        if not still_all or not self.all_ready:
            self._count(n, 0)
            return None
        return await self._arm(version)

    def _count(self, n: int, words: int) -> None:
        self._counting = words > 0
        self._tell({"type": "count", "round": n, "words": words, "ms": COUNT_MS})
        self._desk.stir()

    def _tell(self, message: dict[str, Any]) -> None:
        for page in self._desk.pages():
            page.put(message)

    async def _arm(self, version: int) -> "Answer":
        table, people = self._table, self._table.called
        links = {seat: self._ready[seat][0].wire.link for seat in people}
        terms = [self._terms(seat, links.get(seat)) for seat in range(len(table.owners))]
        browsers = {table.owners[seat] for seat in people}
        one_device = len(browsers) == 1 and len(people) == len(table.taps or table.owners)
        window = tie_window([self._ready[seat][1] for seat in people], one_device)
        # One person against the computer takes any time (WCAG 2.2.1): it waits for a hand, or for "no goal". Where
        # somebody else sits at the table, played for this time, nobody may keep the others waiting.
        alone = len(people) == 1 and sum(owner is not None for owner in table.owners) == 1
        limit = None if alone else ROUND_LIMIT
        rules = RaceRules(tie=window, tie_rule=table.setup.tie, strict=table.setup.strict, limit=limit)
        if table.taps:
            rules = tap_rules(window, table.setup.strict)
        luck = table.bot_stream(len(table.owners))
        arm = Arm(
            version,
            tuple(asdict(each) for each in terms),
            asdict(rules),
            silence(luck.below),
            () if table.taps else tuple(hand for seat in self._computers() for hand in self._reaches(seat)),
        )
        racers = table.taps
        answer = await self._desk.carry_out(arm)
        started = self._table.rounds.tapping
        if answer.ok and started is not None:
            self._taps = LiveTaps.begin(self._table.rounds.n, started, links, racers, self._desk.ticks())
        armed = self._table.rounds.armed
        if answer.ok and armed is not None:
            self._live = LiveRound.begin(self._table.rounds.n, armed, links, self._computers(), self._desk.ticks())
        self.follow()
        return answer

    def _computers(self) -> list[int]:
        people = self._table.playing
        return [seat for seat in range(len(self._table.owners)) if seat not in people]

    def _terms(self, seat: int, link: Link | None) -> Terms:
        table = self._table
        handicap, chips = table.handicaps[seat] * MS, table.state.scores()[seat]
        if link is None:
            return Terms.here(handicap, chips)
        conduct = self._conduct.get(table.owners[seat] or "", Conduct())
        return Terms.of(link, conduct, handicap, chips)

    def _reaches(self, seat: int) -> list[Hand]:
        """Return what a computer player's hand will do: from the open cards, with the luck of this match alone."""
        table, level = self._table, self._table.level_of(seat)
        if level is None or table.setup.training:
            return []
        state, luck = table.open_state, table.bot_stream(seat)
        action = pick_action(state.game, state, seat, level, luck)
        wish = state.action_to_string(action, seat)
        if not any(piece in wish for piece in PIECES):
            return []
        reaction = reaction_ms(state.game, state, seat, level, action, luck)
        return [] if reaction is None else reaches(seat, wish, reaction * MS)

    def _running(self) -> bool:
        table = self._table
        return self._live is not None and table.rounds.n == self._live.n and table.waiting.kind == WAIT_GRAB

    async def race(self) -> "Answer | None":
        """Run the race that the log says has begun, to its verdict; one that this process has not begun is over."""
        if self._live is None or not self._running():
            if self._table.asked:
                return await self._desk.draw()  # what was asked for is drawn first
            return await self._desk.carry_out(Raced(self._table.version, None))
        live = self._live
        while self._running():
            self._desk.heed()
            now = self._desk.ticks()
            self._show_cards(live, now)
            live.advance(now)
            for taken in live.news():
                self._tell({"type": "taken", "round": live.n, "piece": taken.piece, "seat": taken.seat})
            if live.over:
                return await self._end(live)
            if live.race.lot is not None:

                def cast(order: tuple[int, ...]) -> None:
                    live.cast(order, self._desk.ticks())

                if (trouble := await self._draw_lot(live.race.lot[1], live.casts, cast)) is not None:
                    return trouble
                continue
            await self._until(live.next_time(), now)
        return None

    # --- races for throws -------------------------------------------------------------------------------------

    def _tapping(self) -> bool:
        """Say whether the race of taps that this process runs is still on; a draw may be going on in it."""
        rounds = self._table.rounds
        return self._taps is not None and rounds.tapping is not None and rounds.n == self._taps.n

    async def taps(self) -> "Answer | None":
        """Run a race of taps to its next throw; one that this process has not begun begins anew."""
        if self._taps is None or not self._tapping():
            return await self._desk.carry_out(Tapped(self._table.version, None))
        live = self._taps
        while self._tapping() and self._table.waiting.kind == WAIT_TAP:
            self._desk.heed()
            now = self._desk.ticks()
            self._blow(live, now)
            self.tell_dice()
            live.drive(self._computers(), self._reaction)
            live.advance(now)
            race = live.race(now)
            if race.lot is not None:
                if (trouble := await self._draw_lot(race.lot[1], 0, live.cast)) is not None:
                    return trouble
                continue
            if race.settled:
                try:
                    answer = await self._desk.carry_out(Tapped(self._table.version, race.record()))
                except BaseException:
                    # The last page went just now: the tap may be in the log or not, so the race begins anew.
                    self._taps = None
                    raise
                if answer.ok:
                    live.thrown(race)
                    self._learn(race)
                return answer
            await self._until(live.next_time(race, now), now)
        return None

    def _blow(self, live: LiveTaps, now: int) -> None:
        """Let the whistle be heard by all browsers whose time has come."""
        for page in self._desk.pages():
            if page.cards != live.n and live.due(page.seats, now):
                page.cards = live.n
                page.put(self._whistle())
        if self._table.rounds.tapping is not None and live.unheard:
            for seat in [seat for seat in live.unheard if live.whistles[seat] <= now]:
                live.unheard.discard(seat)
                live.show(seat, self._desk.ticks())

    def _whistle(self) -> dict[str, Any]:
        return {"type": "whistle", "round": self._table.rounds.n}

    def tell_dice(self) -> None:
        """Show everybody the dice that a tap threw, at once and before all else: the hand may tap on from there."""
        live, table = self._taps, self._table
        if live is None or not self._tapping() or table.waiting.kind != WAIT_TAP:
            return
        for seat in live.racers:
            if seat not in live.seen and seat not in live.unheard:
                self._tell({"type": "dice", "round": live.n, "seat": seat, **_thrown_last(table, seat)})
                live.show(seat, self._desk.ticks())

    def _reaction(self, seat: int) -> int:
        """Draw how long a computer player's hand needs from its dice to its tap, in microseconds."""
        table, level = self._table, self._table.level_of(seat)
        state, luck = table.state, table.bot_stream(seat)
        reaction = None if level is None else reaction_ms(state.game, state, seat, level, 0, luck)
        return (reaction or SLOW_HAND_MS) * MS

    def _learn(self, race: Race) -> None:
        """Note how far the report of the hand that throws lay below what its line explains."""
        owner = self._table.owners[first_tap(race)[0]]
        if owner is not None:
            margin = race.margins().get(first_tap(race)[0])
            self._conduct[owner] = self._conduct.get(owner, Conduct()).after(margin)

    # --- what both have in common -----------------------------------------------------------------------------

    async def _until(self, moment: int | None, now: int) -> None:
        """Wait until a moment, or until something comes in."""
        timeout = asyncio.ensure_future(self._desk.sleep(3600.0 if moment is None else max(0, moment - now) / 1e6))
        try:
            await self._desk.changed_or(timeout)
        finally:
            timeout.cancel()

    def _show_cards(self, live: LiveRound, now: int) -> None:
        """Send the cards to all browsers whose time has come."""
        for page in self._desk.pages():
            if page.cards != live.n and live.due(page.seats, now):
                page.cards = live.n
                page.put(self._cards())
        for seat, at in live.sends.items():
            if seat not in live.computers and live.began + at <= now:
                live.shown(seat, self._desk.ticks())

    def _cards(self) -> dict[str, Any]:
        shown = self._table.open_state.view(None)["shown"]
        return {"type": "cards", "round": self._table.rounds.n, "cards": shown["cards"]}

    async def _draw_lot(
        self, seats: Sequence[int], used: int, cast: Callable[[tuple[int, ...]], None]
    ) -> "Answer | None":
        """Let the sealed draws part hands that are level; return what went wrong, if anything did.

        `used`: so many lots of this round, or for this throw, parted others before. One that lies there already was
        drawn while nobody waited for it here, since the table moved on beside it.
        """
        n = self._table.rounds.n
        if len(self._table.rounds.lots) <= used:
            if not self._table.asked:
                answer = await self._desk.carry_out(AskLot(self._table.version, tuple(seats)))
                if not answer.ok:
                    return answer
            drew = await self._desk.draw()
            if drew is not None and not drew.ok:
                return drew
        if self._table.rounds.n == n and len(self._table.rounds.lots) > used:
            cast(self._table.rounds.lots[used])
        return None

    async def _end(self, live: LiveRound) -> "Answer":
        answer = await self._desk.carry_out(Raced(self._table.version, live.race.record()))
        if answer.ok:
            for seat, margin in live.race.margins().items():
                owner = self._table.owners[seat]
                if owner is not None:
                    self._conduct[owner] = self._conduct.get(owner, Conduct()).after(margin)
            self._live = None
        return answer

    async def choose(self) -> "Answer | None":
        """All people have chosen: let the computer players choose, too, and lay everything open."""
        table = self._table
        version = table.version
        if not table.playing:
            await self._desk.sleep(self._desk.pace())
            if self._table.version != version:
                return None
        actions = {}
        for seat in self._computers():
            level = table.level_of(seat)
            if level is not None:
                luck = table.bot_stream(seat)
                actions[seat] = pick_action(table.state.game, table.state.clone(), seat, level, luck)
        return await self._desk.carry_out(Together(version, actions))


def _thrown_last(table: Table, seat: int) -> dict[str, Any]:
    """Return what the last throw of a seat in a race showed: its faces, and how many quarters are together now."""
    thrown = next(
        event for event in reversed(table.state.events(None)) if event.kind == "race_throw" and event.seat == seat
    )
    return {"faces": list(thrown.data["faces"]), "quarters": thrown.data["number"]}
