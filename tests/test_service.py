"""The running tables: stored before it is answered, nothing twice, nobody held up by anybody else."""

import asyncio
import gc
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Sequence
from itertools import count
from pathlib import Path
from typing import Any, ClassVar
from weakref import ref

import pytest

import bolzplatz
from bolzplatz.core import sealed
from bolzplatz.core.record import read_record, verify_record
from bolzplatz.core.sealed import Contributor, new_secret
from bolzplatz.table import service as service_module
from bolzplatz.table import warmth
from bolzplatz.table.commands import Do, Enter, Undo
from bolzplatz.table.frames import Frame
from bolzplatz.table.service import (
    BLINK_SECONDS,
    CONTRIBUTION_SECONDS,
    QUEUE_LENGTH,
    RETRY_SECONDS,
    Answer,
    Message,
    Subscription,
    TableActor,
    TableService,
)
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.store import Entry, NewTable, SqliteStore, StoreError
from tests.table_kit import bot, human, setup_of

TAPS = count()
"""Numbers for command ids, which no two pages share."""
TOKEN, OTHER = "token of the first browser", "token of another browser"


@pytest.fixture(autouse=True)
def quick_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 2)


class Clock:
    """A clock that a test moves by hand."""

    def __init__(self) -> None:
        self.time = 1000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        if seconds == 0:
            await asyncio.sleep(0)
            return
        wakes: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.time + seconds, wakes))
        await wakes

    def advance(self, seconds: float) -> None:
        self.time += seconds
        due = [wakes for when, wakes in self._sleepers if when <= self.time]
        self._sleepers = [(when, wakes) for when, wakes in self._sleepers if when > self.time]
        for wakes in due:
            if not wakes.done():
                wakes.set_result(None)

    async def somebody_sleeps(self, seconds: float) -> None:
        """Wait until somebody waits for that long."""
        while not any(abs(when - self.time - seconds) < 1e-9 and not f.done() for when, f in self._sleepers):
            await asyncio.sleep(0)


class House:
    """One server process: a store, a clock, a service."""

    def __init__(self, path: Path, pace: float = 0.0, factory: type[sqlite3.Connection] = sqlite3.Connection) -> None:
        self.clock = Clock()
        self.store = SqliteStore.open(path, factory=factory)
        self.service = TableService(self.store, now=self.clock.now, sleep=self.clock.sleep, pace=lambda _: pace)

    async def actor(self, table_id: str) -> TableActor:
        actor = await self.service.open(table_id)
        assert actor is not None
        return actor

    async def blink(self) -> None:
        """Let so much time pass that a throw that is still being made is shown."""
        await self.clock.somebody_sleeps(BLINK_SECONDS)
        self.clock.advance(BLINK_SECONDS)


class Page:
    """One open page: reads its messages as a browser does, contributes to the dice, checks every throw."""

    def __init__(self, actor: TableActor, token: str | None = TOKEN, browser: Contributor | None = None) -> None:
        self.actor = actor
        self.subscription: Subscription = actor.subscribe(token)
        who = actor.table.contributor_name(self.subscription.owner)
        self.browser = browser or Contributor(actor.table.id, who, None if who is None else new_secret())
        self.silent = False
        self.seen: list[Message] = []
        self.version = 0

    def hello(self) -> "Page":
        self.actor.greet(self.subscription, self.version, self.browser.k)
        return self

    @property
    def frames(self) -> list[Frame]:
        return [message for message in self.seen if isinstance(message, Frame)]

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.seen if isinstance(message, dict) and message["type"] == kind]

    async def read(self) -> Message:
        """Take the next message and do what a page does by itself."""
        message = await asyncio.wait_for(self.subscription.get(), 120)
        self.seen.append(message)
        if isinstance(message, Frame):
            self.version = message.version
            if message.waiting["for"] == "tip" and self.browser.who is not None and not self.silent:
                await self.actor.tip(self.subscription, self.browser.tip(), message.version)
        elif message["type"] == "opening":
            self.browser.open(message["opening"])
            for entry in message["entries"]:
                self.browser.accept(entry)
        elif message["type"] == "ask" and not self.silent:
            request = message["request"]
            value = self.browser.answer(request)
            self.actor.value(self.subscription, request["k"], bytes.fromhex(request["head"]), value)
        elif message["type"] == "drawn":
            self.browser.accept(message["entry"])
        return message

    async def until(self, reached: Callable[[Frame], bool]) -> Frame:
        """Read until a frame of the present version says what is wanted."""
        while True:
            message = await self.read()
            if isinstance(message, Frame) and message.version == self.actor.table.version and reached(message):
                return message

    async def my_turn(self) -> Frame:
        def reached(frame: Frame) -> bool:
            return frame.mine or frame.waiting["for"] == "over"

        if self.frames and self.version == self.actor.table.version and reached(self.frame):
            return self.frame
        return await self.until(reached)

    def command(self, frame: Frame, choice: int = 0) -> Do:
        """Return the command by which a person goes on."""
        seat = frame.waiting["seat"]
        move = () if frame.waiting["for"] == "throw" else (frame.legal[choice % len(frame.legal)],)
        return Do(f"tap {next(TAPS)}", frame.version, seat, move, not move)

    async def do(self, command: Do | Enter | Undo) -> Answer:
        return await asyncio.wait_for(self.actor.command(self.subscription, command), 120)

    async def play_on(self, moves: int = 10**6) -> Frame:
        """Play until the end, or for some moves; return the frame where the next move would be."""
        frame = await self.my_turn()
        while frame.waiting["for"] != "over" and moves > 0:
            moves -= 1
            assert (await self.do(self.command(frame, moves))).ok
            frame = await self.my_turn()
        return frame

    def leave(self) -> None:
        self.actor.unsubscribe(self.subscription)


Work = Callable[[House], Coroutine[Any, Any, None]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tables.sqlite3"


def run(path: Path, work: Work, **house: Any) -> None:
    async def whole() -> None:
        inside = House(path, **house)
        try:
            await asyncio.wait_for(work(inside), 120)
        finally:
            await inside.service.close()

    asyncio.run(whole())


def two_people(**more: Any) -> TableSetup:
    return setup_of("5050", human("Mia"), human("Ben"), target=1000, **more)


def with_computer(level: str = "child") -> TableSetup:
    return setup_of("5050", human("Mia"), bot("Robo", level), target=1000)


async def sit(house: House, setup: TableSetup) -> Page:
    table_id, token = await house.service.create(setup, TOKEN)
    assert token == TOKEN
    return Page(await house.actor(table_id)).hello()


async def stored(house: House, table_id: str) -> NewTable:
    found = await house.store.load(table_id)
    assert found is not None
    return found


# --- whole matches --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "setup",
    [
        lambda: setup_of("bar-bolz", human("Mia"), bot("Robo")),
        lambda: setup_of("5050", human("Mia"), bot("Robo", "random"), human("Ben"), bot("Roba"), target=1000),
        lambda: setup_of("5050", bot("Robo", "random"), bot("Roba"), target=600),
    ],
)
def test_a_match_is_played_to_the_end_and_its_record_proves_it(path: Path, setup: Callable[[], TableSetup]) -> None:
    async def work(house: House) -> None:
        page = await sit(house, setup())
        last = await page.play_on()
        assert last.result is not None
        assert sum(last.result["returns"]) == pytest.approx(0)
        assert page.browser.k == len(page.of_type("drawn"))
        text = await house.service.record(last.table)
        assert text is not None
        found = verify_record(read_record(text.encode()), bolzplatz.load_game)
        assert found.ok, found.faults
        assert [note for note in found.notes if note.kind == "absent"] == []
        assert list(found.words) == last.words
        assert len((await stored(house, last.table)).entries) == last.version
        # Every event was told exactly once, in order, to a page that stayed.
        told = [event for frame in page.frames for event in frame.events]
        assert told == [event.to_dict() for event in page.actor.table.state.events(last.seat)]

    run(path, work)


def test_real_dice_are_entered_and_corrected(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people(dice="hand"))
        await page.my_turn()
        assert (await page.do(Enter("a", 0, "throw 112346"))).ok
        assert (await page.do(Undo("b", 1))).ok
        assert (await page.do(Enter("c", 2, "throw 111346"))).ok
        frame = await page.until(lambda frame: frame.version == 3)
        assert frame.draw is not None
        assert frame.draw["move"] == "throw 111346"
        assert (await page.do(Enter("d", 3, "throw 111346"))).reason == "not_now"
        kinds = [entry.kind for entry in (await stored(house, frame.table)).entries]
        assert kinds == ["hand", "undo", "hand"]

    run(path, work)


# --- stored before it is answered -----------------------------------------------------------------------------


class GatedStore(SqliteStore):
    """A store that holds appends back until the test lets them through."""

    gate: asyncio.Event

    async def append(
        self, table_id: str, expected: int, entries: Sequence[Entry], beside: NewTable | None = None
    ) -> None:
        await self.gate.wait()
        await super().append(table_id, expected, entries, beside)


def test_nothing_is_shown_or_answered_before_it_is_stored(path: Path) -> None:
    async def whole() -> None:
        store = GatedStore.open(path)
        store.gate = asyncio.Event()
        store.gate.set()
        service = TableService(store, sleep=Clock().sleep, pace=lambda _: 0)
        table_id, _ = await service.create(two_people(dice="hand"), TOKEN)
        actor = await service.open(table_id)
        assert actor is not None
        page = Page(actor).hello()
        await page.my_turn()
        store.gate.clear()
        sent = asyncio.ensure_future(page.do(Enter("a", 0, "throw 112346")))
        for _ in range(50):
            await asyncio.sleep(0)
        assert not sent.done()
        assert page.subscription.waiting() == 0
        assert actor.frame(TOKEN).version == 0
        store.gate.set()
        assert await sent == Answer(True, 1)
        other = SqliteStore.open(path)
        found = await other.load(table_id)
        assert found is not None
        assert [entry.command for entry in found.entries] == ["a"]
        other.close()
        await service.close()

    asyncio.run(asyncio.wait_for(whole(), 120))


def test_a_page_that_goes_away_does_not_take_its_command_with_it(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people(dice="hand"))
        await page.my_turn()
        sent = asyncio.ensure_future(page.actor.command(page.subscription, Enter("a", 0, "throw 112346")))
        await asyncio.sleep(0)
        sent.cancel()
        page.leave()
        while page.actor.table.version == 0:
            await asyncio.sleep(0)
        assert len((await stored(house, page.actor.table.id)).entries) == 1
        again = Page(page.actor).hello()
        assert await again.do(Enter("a", 0, "throw 112346")) == Answer(True, 1)

    run(path, work)


# --- once, and on the present version -------------------------------------------------------------------------


def test_a_repeated_command_is_answered_and_not_done_again(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people(dice="hand"))
        await page.my_turn()
        command = Enter("a", 0, "throw 112346")
        answers = await asyncio.gather(*(page.do(command) for _ in range(5)))
        assert answers == [Answer(True, 1)] * 5
        assert (await page.do(Do("b", 1, 0, ("keep 1",), False))).ok
        assert await page.do(command) == Answer(True, 1)
        assert len((await stored(house, page.actor.table.id)).entries) == 2
        table_id = page.actor.table.id
        # The same after a restart: another process knows what was done.
        second = House(path)
        again = Page(await second.actor(table_id)).hello()
        assert await again.do(command) == Answer(True, 1)
        assert await again.do(Do("b", 1, 0, ("keep 1",), False)) == Answer(True, 2)
        assert len((await stored(house, table_id)).entries) == 2
        await second.service.close()

    run(path, work)


def test_a_stale_command_is_refused_and_the_present_is_sent(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people(dice="hand"))
        await page.my_turn()
        assert (await page.do(Enter("a", 0, "throw 112346"))).ok
        await page.until(lambda frame: frame.version == 1)
        for version in (0, 2, 99):
            answer = await page.do(Do(f"old {version}", version, 0, ("keep 1",), False))
            assert (answer.ok, answer.reason, answer.version) == (False, "stale", 1)
            assert (await page.until(lambda frame: True)).version == 1
        refused = await page.do(Do("bad", 1, 0, ("keep 222",), False))
        assert (refused.reason, refused.rule) == ("illegal", "5050 §4")
        assert refused == await page.do(Do("bad", 1, 0, ("keep 222",), False))

    run(path, work)


def test_nobody_plays_anothers_seat(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, with_computer())
        await page.my_turn()
        actor = page.actor
        spectator, stranger = Page(actor, None).hello(), Page(actor, OTHER).hello()
        for who, seat in ((spectator, 0), (stranger, 0), (page, 1), (page, 7)):
            answer = await who.do(Do("x", actor.table.version, seat, (), True))
            assert (answer.ok, answer.reason) == (False, "not_yours")
        for who in (spectator, stranger):
            assert (await actor.tip(who.subscription, bytes(32), actor.table.version)).reason == "not_yours"
            assert (await actor.rematch(who.subscription, "r")).reason == "not_yours"
            assert (await who.do(Undo("u", actor.table.version))).reason == "not_yours"
        frame = (await spectator.until(lambda frame: True)).to_dict()
        assert (frame["seat"], frame["seats"], frame["mine"], frame["view"]["seat"]) == (None, (), False, None)

    run(path, work)


def test_the_store_knows_no_token(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, with_computer())
        await page.play_on(3)

    run(path, work)
    assert all(TOKEN.encode() not in file.read_bytes() for file in path.parent.iterdir())


# --- several pages --------------------------------------------------------------------------------------------


def test_two_tabs_see_the_same_and_the_first_browser_contributes(path: Path) -> None:
    async def work(house: House) -> None:
        first = await sit(house, two_people())
        await first.my_turn()
        actor = first.actor
        # The second tab shares the browser's storage: secret, answers, results. A stranger shares nothing.
        second = Page(actor, TOKEN, first.browser).hello()
        stranger = Page(actor, OTHER).hello()
        first.silent = True  # the first tab sleeps; the second answers for the browser
        frame = await second.my_turn()
        assert (await second.do(second.command(frame))).ok
        await second.my_turn()
        await stranger.until(lambda frame: frame.draw is not None)
        await first.until(lambda frame: frame.version == second.frame.version)
        assert second.frame.to_dict() | {"since": 0, "events": []} == first.frame.to_dict() | {"since": 0, "events": []}
        assert len(second.of_type("ask")) == len(first.of_type("ask")) == 1
        assert stranger.of_type("ask") == []
        drawn = second.of_type("drawn")
        assert drawn == first.of_type("drawn") == stranger.of_type("drawn")
        assert drawn[0]["throw"]["absent"] == []
        assert (await actor.tip(second.subscription, bytes(32), actor.table.version)).reason == "opened_already"

    run(path, work)


def test_only_the_contributors_own_value_for_this_draw_counts(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people())
        frame = await page.my_turn()
        page.silent = True
        stranger = Page(page.actor, OTHER).hello()
        assert (await page.do(page.command(frame))).ok
        await house.blink()
        await page.until(lambda frame: frame.waiting["for"] == "contribute")
        request = page.actor.table.request
        assert request is not None
        k, head, actor = request.k, request.head, page.actor
        value = page.browser.answer(request.to_json())
        assert actor.value(stranger.subscription, k, head, value).reason == "not_yours"
        assert actor.value(page.subscription, k, head, bytes(32)).reason == "sealed"
        assert actor.value(page.subscription, k + 1, head, value).reason == "stale"
        assert actor.value(page.subscription, k, bytes(32), value).reason == "stale"
        assert page.of_type("drawn") == []
        assert actor.value(page.subscription, k, head, value).ok
        assert actor.value(page.subscription, k, head, value).ok
        await page.my_turn()
        assert [message["throw"]["absent"] for message in page.of_type("drawn")] == [[]]

    run(path, work)


def test_a_throw_is_shown_while_it_is_made_only_if_that_takes_time(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people())
        frame = await page.my_turn()
        before = len(page.frames)
        assert (await page.do(page.command(frame))).ok
        lies = await page.until(lambda frame: frame.draw is not None)
        (shown,) = page.frames[before:]
        assert shown is lies
        # It says all that happened since the page's last frame, the draw included.
        assert (lies.since, lies.events[0]["kind"]) == (frame.version, "throw")

        frame = await page.my_turn()
        while frame.waiting["for"] != "throw":
            assert (await page.do(page.command(frame))).ok
            frame = await page.my_turn()
        page.silent = True
        before = len(page.frames)
        assert (await page.do(page.command(frame))).ok
        while page.of_type("ask")[-1]["request"]["k"] != page.browser.k + 1:
            await page.read()
        assert page.frames[before:] == []
        await house.blink()
        assert (await page.read()).waiting["for"] == "contribute"  # type: ignore[union-attr]

    run(path, work)


def test_who_stays_silent_is_left_out_after_two_seconds(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people())
        frame = await page.my_turn()
        page.silent = True
        assert (await page.do(page.command(frame))).ok
        await house.blink()
        left = CONTRIBUTION_SECONDS - BLINK_SECONDS
        await house.clock.somebody_sleeps(left)
        house.clock.advance(left - 0.01)
        for _ in range(20):
            await asyncio.sleep(0)
        assert page.actor.table.request is not None
        house.clock.advance(0.02)
        await page.my_turn()
        assert page.of_type("drawn")[0]["throw"]["absent"] == ["seat-0"]

    run(path, work)


def test_a_tip_that_was_asked_for_earlier_is_no_tip_for_now(path: Path) -> None:
    """On a slow line the tip of an opening may come when the chains are made anew already."""

    async def work(house: House) -> None:
        page = await sit(house, two_people())
        page.silent = True
        frame = await page.until(lambda frame: frame.waiting["for"] == "tip")
        late = await page.actor.tip(page.subscription, bytes(31) + b"1", frame.version - 1)
        assert (late.ok, late.reason) == (False, "stale")
        assert (await page.actor.tip(page.subscription, page.browser.tip(), frame.version)).ok

    run(path, work)


def test_a_table_that_nobody_watches_waits(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", bot("Robo"), human("Mia"), target=1000))
        page.silent = True
        await page.until(lambda frame: frame.waiting["for"] == "tip")
        assert (await page.actor.tip(page.subscription, page.browser.tip(), page.frame.version)).ok
        await house.clock.somebody_sleeps(1.0)
        page.leave()
        house.clock.advance(60)
        for _ in range(200):
            await asyncio.sleep(0)
        assert page.actor.table.version == 1
        back = Page(page.actor, TOKEN, page.browser).hello()
        await house.clock.somebody_sleeps(1.0)
        house.clock.advance(1.0)
        await back.until(lambda frame: frame.draw is not None)

    run(path, work, pace=1.0)


def test_a_reader_that_never_reads_holds_nobody_up_and_starts_afresh(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", human("Mia"), bot("Robo"), target=10**6))
        slow = Page(page.actor, None).hello()
        while page.actor.table.version <= 2 * QUEUE_LENGTH:
            await page.play_on(1)
        assert slow.subscription.waiting() <= QUEUE_LENGTH
        message = await slow.read()
        assert message == {"type": "resync"}
        assert slow.subscription.waiting() == 0
        slow.hello()
        frame = await slow.until(lambda frame: True)
        assert frame.version == page.actor.table.version
        assert slow.browser.k == page.browser.k  # it has checked every throw

    run(path, work)


def test_a_page_that_comes_back_gets_what_it_missed(path: Path) -> None:
    async def work(house: House) -> None:
        # Nobody wins so much before all have come back, whatever the dice show.
        page = await sit(house, setup_of("5050", human("Mia"), bot("Robo", "child"), target=10**6))
        away = Page(page.actor, None).hello()
        await page.play_on(1)
        while away.version != page.actor.table.version:
            if await away.read() == {"type": "resync"}:  # the computer had a long turn
                away.hello()
        version, draws = away.version, away.browser.k
        away.leave()
        await page.play_on(3)
        assert page.browser.k > draws > 0
        back = Page(page.actor, None, away.browser)
        back.version = version
        frame = await back.hello().until(lambda frame: True)
        entries = back.of_type("opening")[0]["entries"]
        assert [entry["draw"]["k"] for entry in entries] == list(range(draws + 1, page.browser.k + 1))
        assert back.browser.k == page.browser.k
        assert frame.since == version
        first_new = page.actor.table.steps_since(version)
        everything = [event.to_dict() for event in page.actor.table.state.events(None)]
        assert frame.events == [event for event in everything if event["step"] >= first_new] != []

    run(path, work)


# --- the computer ---------------------------------------------------------------------------------------------


def test_computer_players_think_outside_the_event_loop(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, go_on, threads = threading.Event(), threading.Event(), set()
    choose = service_module.pick_action

    def slow(*args: Any) -> int:
        threads.add(threading.current_thread())
        thinking.set()
        assert go_on.wait(120)
        return choose(*args)

    monkeypatch.setattr(service_module, "pick_action", slow)

    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", bot("Robo"), bot("Roba"), target=1000))
        while not thinking.is_set():
            await asyncio.wait_for(page.read(), 120) if page.subscription.waiting() else await asyncio.sleep(0)
        other = Page(page.actor, None).hello()  # the loop is free for others
        await other.until(lambda frame: frame.waiting["for"] == "bot")
        go_on.set()
        await page.my_turn()
        assert threads
        assert threading.main_thread() not in threads

    run(path, work)


def test_a_computer_player_that_gets_ready_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins when the table is opened, and only the choice waits for it."""
    begun, ready = threading.Event(), threading.Event()

    def warm_up(game: bolzplatz.Game, level: str) -> None:
        assert (game.name, level) == ("5050", "good")
        begun.set()
        assert ready.wait(120)

    monkeypatch.setattr(warmth, "starts_slowly", lambda game, level: level == "good")
    monkeypatch.setattr(warmth, "warm_up", warm_up)

    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", bot("Robo", "good"), human("Mia"), dice="hand"))
        assert await asyncio.to_thread(begun.wait, 120)
        frame = await page.until(lambda frame: frame.waiting["for"] == "throw")
        assert page.of_type("trouble") == []
        assert (await page.do(Enter("e", frame.version, "throw 111346"))).ok  # which leaves it a choice
        while not page.of_type("trouble"):
            await page.read()
        assert [told["reason"] for told in page.of_type("trouble")] == ["warming"]
        ready.set()
        await page.my_turn()
        assert [told["reason"] for told in page.of_type("trouble")] == ["warming", "ready"]

    run(path, work)


def test_a_table_that_closes_while_a_player_gets_ready_leaves_it_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait on, and are told that it is ready when it is, not before."""
    ready = threading.Event()
    monkeypatch.setattr(warmth, "starts_slowly", lambda game, level: True)
    monkeypatch.setattr(warmth, "warm_up", lambda game, level: ready.wait(120))

    async def work() -> None:
        shared, game = warmth.Warmth(), bolzplatz.load_game("5050")
        closed, other = (asyncio.create_task(shared.wait(game, "good")) for _ in range(2))
        await asyncio.sleep(0)  # both have begun to wait
        closed.cancel()
        await asyncio.wait([closed])
        assert closed.cancelled()
        assert not shared.begin(game, "good")
        assert not other.done()
        ready.set()
        await asyncio.wait_for(other, 120)
        assert shared.begin(game, "good")

    asyncio.run(work())


def test_the_table_moves_at_its_pace(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", bot("Robo"), human("Mia"), target=1000))
        await page.until(lambda frame: frame.waiting["for"] == "bot")
        await house.clock.somebody_sleeps(1.5)
        assert page.actor.table.version == 1
        house.clock.advance(1.4)
        for _ in range(20):
            await asyncio.sleep(0)
        assert page.actor.table.version == 1
        house.clock.advance(0.2)
        await page.until(lambda frame: frame.draw is not None)

    run(path, work, pace=1.5)


def test_a_further_decision_of_the_same_seat_comes_sooner(path: Path) -> None:
    """Each step of a turn takes seven tenths of the last one's time, and half of that right after a decision."""

    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", bot("Robo", "child"), human("Mia"), dice="hand"))
        frame = await page.until(lambda frame: frame.waiting["for"] == "throw")
        assert (await page.do(Enter("e", frame.version, "throw 111346"))).ok
        for moves, wait in ((1, 0.7), (2, 0.7 * 0.7 / 2)):
            assert len(page.actor.table.moves()) == moves
            await house.clock.somebody_sleeps(wait)
            house.clock.advance(wait)
            await page.until(lambda frame, moves=moves: len(page.actor.table.moves()) == moves + 1)
        assert page.actor.table.moves() == ["throw 111346", "keep 111", "stop"]

    run(path, work, pace=1.0)


def test_who_wants_to_see_it_at_once_waits_for_the_computer_less(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", bot("Robo", "child"), human("Mia"), dice="hand"))
        frame = await page.until(lambda frame: frame.waiting["for"] == "throw")
        page.actor.hurry(page.subscription, "instant")
        assert (await page.do(Enter("e", frame.version, "throw 111346"))).ok
        await house.clock.somebody_sleeps(0.7 * 0.25)

    run(path, work, pace=1.0)


def test_the_groups_of_one_throw_follow_each_other_at_once(path: Path) -> None:
    async def work(house: House) -> None:
        setup = setup_of("gooaaaaal", bot("Robo", "child"), human("Mia"), edition="nine")
        page = await sit(house, setup)
        await page.until(lambda frame: frame.waiting["for"] == "bot")
        await house.clock.somebody_sleeps(1.5)
        house.clock.advance(1.5)
        # Nobody's time passes any more: all five groups of dice lie there before the table waits again.
        await page.until(lambda frame: frame.view["shown"]["next"] == "decide")
        assert [text.split()[0] for text in page.actor.table.moves()] == ["throw"] * 5
        await house.clock.somebody_sleeps(1.5 * 0.7)

    run(path, work, pace=1.5)


def test_a_computer_player_that_fails_is_reported_and_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose, calls = service_module.pick_action, []

    def failing(*args: Any) -> int:
        calls.append(args)
        if len(calls) == 1:
            raise RuntimeError("a fault in the computer player")
        return choose(*args)

    monkeypatch.setattr(service_module, "pick_action", failing)

    async def work(house: House) -> None:
        page = await sit(house, setup_of("5050", bot("Robo"), bot("Roba"), target=1000))
        while not page.of_type("trouble"):
            await page.read()
        assert page.of_type("trouble")[0]["reason"] == "failed"
        await house.clock.somebody_sleeps(RETRY_SECONDS)
        house.clock.advance(RETRY_SECONDS)
        await page.my_turn()
        assert len(calls) > 1

    run(path, work)


# --- faults of the store --------------------------------------------------------------------------------------


class FullDisk(sqlite3.Connection):
    """A connection whose disk has no room while `full`."""

    full: ClassVar[bool] = False

    def executemany(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if FullDisk.full:
            raise sqlite3.OperationalError("database or disk is full")
        return super().executemany(sql, *args)


@pytest.fixture(autouse=True)
def room_on_disk() -> None:
    FullDisk.full = False


def test_a_full_disk_refuses_in_one_line_and_the_table_stays_usable(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people())
        frame = await page.my_turn()
        FullDisk.full = True
        command = page.command(frame)
        for _ in range(2):
            answer = await page.do(command)
            assert (answer.ok, answer.reason, answer.version) == (False, "store_full", frame.version)
            assert answer.text is not None
            assert "\n" not in answer.text
        with pytest.raises(StoreError, match="full"):
            await house.service.create(two_people(), TOKEN)
        watcher = Page(page.actor, None).hello()
        assert (await watcher.until(lambda frame: True)).waiting == frame.waiting  # looking on still works
        FullDisk.full = False
        assert (await page.do(command)).ok  # the same command, asked again
        await page.play_on()

    run(path, work, factory=FullDisk)


def test_the_tables_own_steps_wait_for_room(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people())
        frame = await page.my_turn()
        page.silent = True
        assert (await page.do(page.command(frame))).ok
        await house.blink()
        await page.until(lambda frame: frame.waiting["for"] == "contribute")
        request = page.actor.table.request
        assert request is not None
        FullDisk.full = True
        value = page.browser.answer(request.to_json())
        page.actor.value(page.subscription, request.k, request.head, value)
        while not page.of_type("trouble"):
            await page.read()
        assert page.of_type("trouble")[0]["reason"] == "store_full"
        assert page.actor.table.request == request
        FullDisk.full = False
        await house.clock.somebody_sleeps(RETRY_SECONDS)
        house.clock.advance(RETRY_SECONDS)
        await page.my_turn()
        assert [message["throw"]["absent"] for message in page.of_type("drawn")] == [[]]

    run(path, work, factory=FullDisk)


def test_a_really_full_file_stops_no_table(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people(dice="hand"))
        await page.my_turn()
        connection = house.store._connection
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        done, answer = 0, Answer(True, 0)
        while answer.ok and done < 400:
            version = page.actor.table.version
            command = Undo(f"{done}", version) if version % 2 else Enter(f"{done}", version, "throw 112346")
            answer = await page.do(command)
            done += answer.ok
        assert answer.reason == "store_full"
        assert len((await stored(house, page.actor.table.id)).entries) == page.actor.table.version == done > 0
        connection.execute("PRAGMA max_page_count = 1000000")
        assert (await page.do(command)).ok

    run(path, work)


def test_another_process_on_the_same_store_is_noticed(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people(dice="hand"))
        await page.my_turn()
        table_id = page.actor.table.id
        second = House(path)
        there = Page(await second.actor(table_id)).hello()
        assert (await there.do(Enter("there", 0, "throw 112346"))).ok
        answer = await page.do(Enter("here", 0, "throw 222346"))
        assert (answer.ok, answer.reason, answer.version) == (False, "stale", 1)
        frame = await page.until(lambda frame: frame.version == 1)
        assert frame.draw is not None
        assert frame.draw["move"] == "throw 112346"
        assert (await page.do(Do("next", 1, 0, ("keep 1",), False))).ok
        assert [entry.command for entry in (await stored(house, table_id)).entries] == ["there", "next"]
        await second.service.close()

    run(path, work)


def test_a_damaged_table_is_one_clear_error(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, two_people(dice="hand"))
        await page.my_turn()
        assert (await page.do(Enter("a", 0, "throw 112346"))).ok
        house.store._connection.execute("UPDATE entries SET body = replace(body, '112346', '112345')")
        second = House(path)
        with pytest.raises(StoreError, match=f"damaged: table {page.actor.table.id}") as caught:
            await second.service.open(page.actor.table.id)
        assert "\n" not in str(caught.value)
        await second.service.close()

    run(path, work)


# --- the next match, and tables that come and go --------------------------------------------------------------


def test_a_rematch_is_one_table_however_often_it_is_asked_for(path: Path) -> None:
    async def work(house: House) -> None:
        page = await sit(house, with_computer())
        frame = await page.my_turn()
        assert (await page.actor.rematch(page.subscription, "early")).reason == "not_now"
        assert (await page.do(page.command(frame))).ok
        last = await page.play_on()
        assert last.result is not None
        tab = Page(page.actor, TOKEN, page.browser)
        answers = await asyncio.gather(
            *(page.actor.rematch(who.subscription, f"r{i}") for i, who in enumerate((page, tab, page)))
        )
        (table_id,) = {answer.table for answer in answers}
        assert all(answer.ok for answer in answers)
        assert table_id is not None
        assert (await page.until(lambda frame: frame.rematch is not None)).rematch == table_id
        following = Page(await house.actor(table_id)).hello()
        frame = await following.until(lambda frame: frame.waiting["for"] not in ("tip", "contribute"))
        assert frame.players == last.players
        assert frame.setup["options"]["first"] == last.result["winners"][0]
        assert following.subscription.seats == page.subscription.seats
        # Another process is told the same table.
        second = House(path)
        there = Page(await second.actor(page.actor.table.id)).hello()
        assert (await second.actor(last.table)).table.rematch == table_id
        assert (await there.actor.rematch(there.subscription, "later")).table == table_id
        await second.service.close()

    run(path, work)


def test_a_table_has_one_actor_while_somebody_looks_and_none_afterwards(path: Path) -> None:
    async def work(house: House) -> None:
        assert await house.service.open("nowhere") is None
        assert await house.service.record("nowhere") is None
        table_id, _ = await house.service.create(two_people(), TOKEN)
        actors = await asyncio.gather(*(house.service.open(table_id) for _ in range(4)))
        assert len({id(actor) for actor in actors}) == 1
        gc.disable()  # nothing holds it in a circle: the server hardly ever looks for those
        try:
            actor = await house.actor(table_id)
            gone = ref(actor)
            page = Page(actor).hello()
            await page.my_turn()
            page.leave()
            del actor, actors, page
            for _ in range(5):
                await asyncio.sleep(0)
            assert gone() is None
        finally:
            gc.enable()
        page = Page(await house.actor(table_id), None).hello()
        assert (await page.until(lambda frame: True)).version == 1

    run(path, work)


def test_ids_and_tokens_are_made_anew(path: Path) -> None:
    async def work(house: House) -> None:
        made = [await house.service.create(two_people()) for _ in range(20)]
        assert len({table_id for table_id, _ in made}) == len({token for _, token in made}) == 20
        assert all(len(token) >= 32 for _, token in made)
        assert all(len(table_id) >= 12 and table_id.isalnum() for table_id, _ in made)

    run(path, work)
