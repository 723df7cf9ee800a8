"""Several browsers at one table, in any order of sense and nonsense: nothing lost, nothing double, nothing leaked."""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import bolzplatz
from bolzplatz.core import sealed
from bolzplatz.core.record import read_record, verify_record
from bolzplatz.table.service import EMOTES, QUEUE_LENGTH
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.table import Table
from tests import hidden_game
from tests.table_kit import bot, human, picture
from tests.wire_kit import Browser, World, pump, scan_everything

OPEN = {"kind": "open"}
TABLES: dict[str, dict[str, Any]] = {
    "cards": {"game": "cards", "seats": [human("Ann"), OPEN, OPEN]},
    "cards with a computer": {"game": "cards", "seats": [human("Ann"), OPEN, bot("Robo")], "turn_seconds": 30},
    "cards, all here": {"game": "cards", "seats": [human("Ann"), human("Al")], "room": True},
    "cards, open hands": {"game": "cards", "seats": [human("Ann"), OPEN], "open_hands": True},
}
NAMES = ["Ben", "Cleo", "Dan", "ann", "", "Robo", "x" * 30, "M\u202eia", "Zoë"]
KINDS = ["open", "bot", "human", "none", "ghost"]
PROPOSED = ["rewind", "end", "open_hands", "seat"]
NONSENSE = [
    *("sit", "rise", "move", "rename", "fill", "add", "start", "witness", "substitute", "back", "propose", "agree"),
    *("emote", "renew", "do", "undo", "rematch", "seen"),
]


class AtOneTable(RuleBasedStateMachine):
    """Ann sets a table up; Ben, Cleo, a spectator with a token and one without come and go and press what they like."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(sealed, "CHAIN_LENGTH", 5)
        self.patch.setattr(sealed, "WORD_ROUNDS", 1)
        hidden_game.bring(self.patch)
        self.loop = asyncio.new_event_loop()
        self.world = World()
        scan_everything(self.patch, self.world)

    def teardown(self) -> None:
        self.run(self.world.restart())
        self.loop.close()
        self.patch.undo()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        async def whole() -> Any:
            result = await work
            await pump()
            return result

        return self.loop.run_until_complete(whole())

    @initialize(name=st.sampled_from(sorted(TABLES)), rounds=st.integers(-1, 25))
    def set_up(self, name: str, rounds: int) -> None:
        """Set a table up; from 0 rounds on the match has begun, and that much has been played."""

        async def work() -> None:
            setup = TableSetup.from_dict(TABLES[name])
            self.table_id = await self.world.create(setup, "token-ann")
            tokens = ["token-ann", "token-ben", "token-cleo", "token-dan", None]
            self.browsers = [Browser(self.world, self.table_id, token) for token in tokens]
            for browser in self.browsers[:3]:
                await browser.connect()
                await browser.read()

        self.run(work())
        if rounds >= 0:
            self.gather_and_start()
            self.play(0, rounds, False)

    def browser(self, number: int) -> Browser:
        return self.browsers[number % len(self.browsers)]

    def table(self) -> Table:
        actor = self.world.service._actors.get(self.table_id)
        assert actor is not None
        return actor.table

    def somebody_is_there(self) -> bool:
        return any(browser.connected for browser in self.browsers)

    # --- coming and going ---

    @rule(who=st.integers(0, 4))
    def come(self, who: int) -> None:
        browser = self.browser(who)
        if not browser.connected:
            self.run(browser.connect())

    @rule(who=st.integers(0, 4))
    def go(self, who: int) -> None:
        self.browser(who).cut()

    @rule(who=st.integers(0, 4))
    def read(self, who: int) -> None:
        self.run(self.browser(who).read())

    @rule(rounds=st.integers(1, 4))
    def all_read(self, rounds: int) -> None:
        async def work() -> None:
            for _ in range(rounds):
                for browser in self.browsers:
                    await browser.read()
                await pump(10)

        self.run(work())

    @rule(who=st.integers(0, 4), silent=st.booleans())
    def fall_silent(self, who: int, silent: bool) -> None:
        self.browser(who).silent = silent

    @rule(who=st.integers(0, 4))
    def lose_storage(self, who: int) -> None:
        browser = self.browser(who)
        if not browser.connected:
            browser.lose_storage()

    @rule(seconds=st.sampled_from([0.5, 2.0, 5.0, 12.0, 35.0, 130.0]))
    def wait(self, seconds: float) -> None:
        async def work() -> None:
            self.world.clock.advance(seconds)

        self.run(work())

    @rule()
    def restart(self) -> None:
        for browser in self.browsers:
            browser.page = None
        self.run(self.world.restart())

    @rule(full=st.sampled_from([True, False, False, False]))
    def fill_the_disk(self, full: bool) -> None:
        self.world.store.full = full

    @rule(who=st.integers(0, 4), hidden=st.booleans())
    def look_away(self, who: int, hidden: bool) -> None:
        self.say(who, "seen", hidden=hidden)

    # --- what pages send ---

    def say(self, who: int, kind: str, /, **fields: Any) -> dict[str, Any] | None:
        browser = self.browser(who)
        if not browser.connected:
            return None
        owned = self.table().seats_of(browser.owner)
        answer: dict[str, Any] | None
        if kind == "seen":
            self.run(browser.say(kind, **fields))
            return None
        if not browser.page.subscription.listening:
            self.run(browser.read())
        answer = self.run(browser.ask(kind, **fields))
        if answer is not None and answer["ok"] and kind in ("do", "rise", "rename", "substitute"):
            seat = fields["seat"]
            by_host = kind in ("rise", "rename")
            assert by_host or (seat in owned) == (kind == "do"), f"{kind} for a seat of somebody else"
        return answer

    @rule(who=st.integers(0, 4), seat=st.integers(0, 3), name=st.sampled_from(NAMES))
    def sit(self, who: int, seat: int, name: str) -> None:
        before = self.table().owners if self.browser(who).connected else ()
        answer = self.say(who, "sit", seat=seat, name=name)
        if answer is not None and answer["ok"]:
            assert before[seat] is None
            assert self.browser(who).owner is not None

    @rule(
        who=st.integers(0, 4),
        kind=st.sampled_from(NONSENSE),
        seat=st.integers(0, 3),
        to=st.integers(0, 3),
        yes=st.booleans(),
        name=st.sampled_from(NAMES),
        fills=st.sampled_from(KINDS),
        what=st.sampled_from(PROPOSED),
        move=st.sampled_from(["pass", "play 1"]),
    )
    def press_anything(
        self, who: int, kind: str, seat: int, to: int, yes: bool, name: str, fills: str, what: str, move: str
    ) -> None:
        """One message with everything in it; each kind takes what it knows."""
        if not self.browser(who).connected:
            return
        version = max(0, self.table().version - to // 2)
        fields = {"seat": seat, "to": to, "on": yes, "yes": yes, "name": name, "kind": fills, "level": "good", "n": to}
        fields |= {
            "what": what,
            "step": seat * to,
            "emote": EMOTES[to],
            "version": version,
            "moves": [move],
            "throw": yes,
        }
        self.say(who, kind, **fields)

    @rule()
    def gather_and_start(self) -> None:
        """What usually happens: the open seats are taken and the host begins."""
        if not self.browsers[0].connected or self.table().started:
            return
        for seat in self.table().setup.open_seats:
            for who, name in ((1, "Ben"), (2, "Cleo")):
                if self.browsers[who].connected and not self.table().seats_of(self.browsers[who].owner):
                    self.say(who, "sit", seat=seat, name=name)
                    break
            else:
                self.say(0, "fill", seat=seat, kind="bot", level="good", name=f"Bot {seat}")
        self.say(0, "start")

    @rule(choice=st.integers(0, 30), rounds=st.integers(1, 6), throw=st.booleans())
    def play(self, choice: int, rounds: int, throw: bool) -> None:
        """What usually happens: everybody reads, and whose turn it is plays."""

        async def work() -> None:
            for turn in range(rounds):
                for browser in self.browsers:
                    await browser.read()
                    if browser.connected and browser.page.subscription.listening:
                        await browser.play(choice + turn, throw and turn % 3 == 0)
                await pump(15)

        self.run(work())

    @rule()
    def all_come(self) -> None:
        for who in range(4):
            self.come(who)
        self.all_read(3)

    @rule(choice=st.integers(0, 3))
    def decide_and_take_it_back(self, choice: int) -> None:
        for who, browser in enumerate(self.browsers):
            self.run(browser.read())
            if browser.connected and browser.mine() and browser.frame["waiting"]["for"] == "decide":
                moves = self.table().moves()
                done = self.run(browser.play(choice))
                self.run(browser.read())
                if done and done["ok"] and browser.frame["can_undo"] and browser.mine() is False:
                    answer = self.say(who, "undo", version=browser.version)
                    assert answer is not None
                    assert not answer["ok"] or self.table().moves() == moves
                return

    @rule(who=st.integers(0, 2))
    def lose_all_and_take_part_again(self, who: int) -> None:
        """A browser whose storage is gone is left out of a draw, notices, and asks for new chains."""
        browser = self.browser(who)
        browser.cut()
        browser.lose_storage()
        self.come(who)
        self.play(1, 4, False)
        self.wait(2.5)
        self.run(browser.read())
        if browser.frame.get("can_renew"):
            answer = self.say(who, "renew")
            assert answer is not None
            assert answer["ok"] or answer["reason"] in ("store_full", "not_now")

    @rule(who=st.integers(0, 2), goes=st.integers(0, 2))
    def help_out(self, who: int, goes: int) -> None:
        """Somebody is gone for long, and another lets the computer play on."""
        if goes == who or not self.browser(who).connected:
            return
        self.browser(goes).cut()
        self.wait(35.0)
        self.run(self.browser(who).read())
        for seat in self.browser(who).frame.get("can_substitute", []):
            answer = self.say(who, "substitute", seat=seat, on=True)
            assert answer is not None
            # The disk may be full, or the turn may just have passed.
            assert answer["ok"] or answer["reason"] in ("store_full", "not_gone", "not_now", "stale")

    @rule(
        who=st.integers(0, 4),
        what=st.sampled_from(["rewind", "rewind", "rewind", "seat", "seat", "open_hands", "end"]),
        step=st.integers(0, 12),
        answers=st.lists(st.booleans()),
    )
    def ask_the_others(self, who: int, what: str, step: int, answers: list[bool]) -> None:
        self.all_come()
        if what not in self.browser(who).frame.get("can_propose", []):
            return
        self.say(who, "propose", what=what, step=step, seat=step % 3, name="Newcomer")
        for other, yes in zip(range(5), [*answers, True, True, True, True, True], strict=False):
            browser = self.browser(other)
            if browser.connected:
                self.run(browser.read())
                asked = browser.frame.get("proposal")
                if asked and asked["you"] == "asked":
                    self.say(other, "agree", n=asked["n"], yes=yes)

    @rule(who=st.integers(0, 4), kind=st.sampled_from(["back", "renew", "rematch"]))
    def ask_for_oneself(self, who: int, kind: str) -> None:
        browser = self.browser(who)
        if browser.connected and (kind != "renew" or browser.frame.get("can_renew")):
            self.say(who, kind)

    @rule(who=st.integers(0, 4), which=st.integers(0, 20))
    def repeat(self, who: int, which: int) -> None:
        """A command is sent again, as after a break in the line: it gets an answer and is not done again."""
        browser = self.browser(who)
        if not browser.connected or not browser.sent:
            return
        text = browser.sent[-1 - which % len(browser.sent)]
        tap = json.loads(text)["id"]
        before = browser.answers.get(tap)
        done = sum(entry.command == tap for entry in self.stored().entries)

        async def work() -> None:
            await browser.send(text)
            await browser.read()

        self.run(work())
        if done:
            assert sum(entry.command == tap for entry in self.stored().entries) == 1
            if before is not None and before["ok"] and browser.page.subscription.listening:
                again = browser.answers[tap]
                gave_its_seat_away = again["reason"] == "not_yours" and not self.table().seats_of(browser.owner)
                assert gave_its_seat_away or (again["ok"], again["version"]) == (True, before["version"])

    @rule(
        who=st.integers(0, 4),
        text=st.sampled_from(["", "{", "[]", '{"type":"sit"}', '{"type":"sit","id":"x","seat":0}']),
    )
    def babble(self, who: int, text: str) -> None:
        browser = self.browser(who)
        if browser.connected and browser.page.bad < browser.page.limits.bad - 1:
            self.run(browser.send(text))

    # --- what always holds ---

    def stored(self) -> Any:
        return self.world.store.tables[self.table_id]

    @precondition(lambda self: hasattr(self, "table_id") and self.somebody_is_there())
    @invariant()
    def the_log_is_the_truth(self) -> None:
        table = self.table()
        stored = self.stored()
        assert picture(Table.load(stored)) == picture(table)
        commands = [entry.command for entry in stored.entries if entry.command is not None]
        assert len(set(commands)) == len(commands)
        assert len(table.owners) == len(table.setup.seats)
        for seat, owner in zip(table.setup.seats, table.owners, strict=True):
            assert (owner is not None) == (seat.kind == "human")

    @precondition(lambda self: hasattr(self, "table_id"))
    @invariant()
    def queues_are_bounded(self) -> None:
        for browser in self.browsers:
            assert not browser.connected or browser.page.subscription.waiting() <= QUEUE_LENGTH

    @precondition(lambda self: hasattr(self, "table_id") and self.somebody_is_there())
    @rule()
    def the_record_proves_itself(self) -> None:
        table = self.table()
        if table.sealed is None or table.asked or not table.record_is_open:
            return
        found = verify_record(read_record(table.record().encode()), hidden_game.load)
        assert found.ok, found.faults
        for browser in self.browsers:
            if browser.guard.opening is not None:
                notes = {note.kind for note in browser.guard.compare(table.sealed.proof(closed=True))}
                assert notes <= {"left-out"}, notes


TestAtOneTable = AtOneTable.TestCase
TestAtOneTable.settings = settings(
    max_examples=40, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)


def test_the_scan_finds_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test: tell one seat another's card, and the scan says so."""
    hidden_game.bring(monkeypatch)
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 1)
    world = World()
    scan_everything(monkeypatch, world)

    async def work() -> None:
        setup = TableSetup.from_dict({"game": "cards", "seats": [human("Ann"), human("Al")], "room": True})
        table_id = await world.create(setup, "token-ann")
        ann = await Browser(world, table_id, "token-ann").connect()
        ben = await Browser(world, table_id, "token-ben").connect()
        await ann.ask("start")
        for _ in range(12):
            await ann.read()
            await pump(30)
        table = ann.page.actor.table
        assert table.state.view(0)["shown"]["hands"]
        card = table.state.view(0)["shown"]["hands"][0]
        ann.page.subscription.put({"type": "x", "card": card})
        with pytest.raises(AssertionError, match="is told"):
            ben.page.subscription.put({"type": "x", "card": card})
        with pytest.raises(AssertionError, match="a secret is told"):
            ben.page.subscription.put({"type": "x", "token": "token-ann"})
        await world.restart()

    asyncio.run(work())
    assert bolzplatz.load_game("5050").name == "5050"
