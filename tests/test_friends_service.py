"""The table among friends as a whole, over the texts that pages send, with time that the tests move: who is there in
words, codes, playing on from a position, deletion, seats that change devices, how much one may ask for."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from bolzplatz.core import sealed
from bolzplatz.table.limits import LimitError
from bolzplatz.table.service import (
    EMOTE_BURST,
    EMOTE_SECONDS,
    MOST_PAGES,
    MOST_PAGES_OF_ONE,
    NotAllowedError,
    ServiceLimits,
    TableService,
)
from bolzplatz.table.setup import SetupError, TableSetup
from bolzplatz.table.store import SqliteStore
from tests import hidden_game
from tests.table_kit import human
from tests.wire_kit import Browser, Clock, MemoryStore, World, pump

OPEN = {"kind": "open"}
DAY = 24 * 3600.0


@pytest.fixture(autouse=True)
def quick_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 1)


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 120))


def room(*seats: dict[str, Any], game: str = "bar-bolz", **more: Any) -> TableSetup:
    return TableSetup.from_dict({"game": game, "seats": list(seats), **more})


async def settle(browsers: Sequence[Browser], rounds: int = 8) -> None:
    """Let everybody read until nothing comes any more."""
    for _ in range(rounds):
        await pump()
        for browser in browsers:
            await browser.read()


async def pass_by(world: World, seconds: float, *browsers: Browser) -> None:
    world.clock.advance(seconds)
    await settle(browsers)


async def two_friends(world: World, setup: TableSetup | None = None) -> tuple[Browser, Browser]:
    """Return the browsers of Mia, who is the host, and of Ben; their match has begun."""
    table_id = await world.create(setup or room(human("Mia"), OPEN), "token-mia")
    mia = await Browser(world, table_id, "token-mia").connect()
    ben = await Browser(world, table_id, "token-ben").connect()
    await settle((mia, ben))
    assert (await ben.ask("sit", seat=1, name="Ben"))["ok"]
    assert (await mia.ask("start"))["ok"]
    await settle((mia, ben))
    return mia, ben


async def play(browsers: Sequence[Browser], moves: int = 10**4) -> None:
    """Let whoever is to act make the first move that there is, until the end or for so many moves."""
    while moves and browsers[0].frame["waiting"]["for"] != "over":
        done = [await browser.play() for browser in browsers]
        moves -= any(answer is not None and answer["ok"] for answer in done)
        await settle(browsers, 3)


# --- who is there -------------------------------------------------------------------------------------------------


def test_presence_in_words_as_time_goes_by() -> None:
    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world)

        def of_ben() -> str:
            return str(mia.frame["presence"][1])

        assert of_ben() == "here"
        await ben.say("seen", hidden=True)
        await settle((mia,))
        assert of_ben() == "away"
        await ben.say("seen", hidden=False)
        await settle((mia,))
        assert of_ben() == "here"
        version = mia.version
        ben.cut()
        await settle((mia,))
        assert of_ben() == "reconnecting"
        for seconds, word in ((9.9, "reconnecting"), (0.2, "away"), (19.8, "away"), (0.2, "gone"), (1000.0, "gone")):
            await pass_by(world, seconds, mia)
            assert of_ben() == word, seconds
        # All that came as refreshed frames of the same version: nothing of it is in the log.
        assert mia.version == version
        assert mia.frame["refresh"]
        assert mia.frame["can_substitute"] == [1]
        await ben.connect()
        await settle((mia, ben))
        assert of_ben() == "here"
        assert mia.frame["can_substitute"] == []
        await world.restart()

    run(work())


def test_after_a_restart_nobody_is_gone_before_there_was_time_to_come_back() -> None:
    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world)
        mia.page = ben.page = None
        await world.restart()
        await mia.connect()
        await settle((mia,))
        assert mia.frame["presence"] == ["here", "reconnecting"]
        await pass_by(world, 29.9, mia)
        assert mia.frame["presence"] == ["here", "away"]
        await pass_by(world, 0.2, mia)
        assert mia.frame["presence"] == ["here", "gone"]
        # A table that has been quiet for long has nobody who might just be coming.
        mia.page = None
        await world.restart()
        world.clock.advance(3600.0)
        await mia.connect()
        await settle((mia,))
        assert mia.frame["presence"] == ["here", "gone"]
        await world.restart()

    run(work())


def test_two_tabs_of_one_seat_are_one_person() -> None:
    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world)
        tab = Browser(world, mia.table_id, "token-mia")
        tab.guard = mia.guard  # one browser, one storage
        await tab.connect()
        await settle((mia, ben, tab))
        assert tab.frame["mine"] == mia.frame["mine"]
        assert tab.frame["seats"] == mia.frame["seats"] == (0,)
        assert ben.frame["spectators"] == 0
        # Whichever tab acts, both follow, and a tab that closes takes nobody away.
        for turn in range(6):
            actor = (mia, tab)[turn % 2] if mia.frame["mine"] else ben
            answer = await actor.play()
            assert answer is not None
            assert answer["ok"]
            await settle((mia, ben, tab))
            assert mia.version == tab.version == ben.version
        tab.cut()
        await settle((mia, ben))
        assert ben.frame["presence"][0] == "here"
        await world.restart()

    run(work())


# --- codes --------------------------------------------------------------------------------------------------------


def test_a_code_is_one_tables_alone_and_leads_there_until_it_is_over() -> None:
    async def work() -> None:
        offered = iter(["111111", "111111", "111111", "222222", "333333"])
        service = TableService(MemoryStore(), now=Clock().now, new_code=lambda: next(offered))
        first, _ = await service.create(room(human("Mia"), OPEN))
        second, _ = await service.create(room(human("Ann"), OPEN))
        assert (await service.find("111111"), await service.find("222222")) == (first, second)
        assert await service.find("333333") is None
        await service.close()

        world = World()
        mia, ben = await two_friends(world)
        code = mia.frame["code"]
        assert await world.service.find(code) == mia.table_id
        await play((mia, ben))
        assert mia.frame["waiting"]["for"] == "over"
        assert await world.service.find(code) is None
        # With the next match in the same room it leads there.
        answer = await ben.ask("rematch")
        assert await world.service.find(code) == answer["table"]
        assert await world.service.newest(mia.table_id) == answer["table"]
        await world.restart()

    run(work())


# --- from a position ----------------------------------------------------------------------------------------------


def test_a_match_is_played_on_from_any_step_by_somebody_else() -> None:
    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world)
        await play((mia, ben), 6)
        table, steps = mia.page.actor.table, mia.page.actor.steps
        assert steps >= 6
        for step in (0, 3, steps):
            new, token = await world.service.play_on(table.id, step, None, "token-eve")
            assert token == "token-eve"
            actor = await world.actor(new)
            assert actor.table.moves() == table.moves()[:step]
            assert actor.frame("token-eve").seats == (0, 1)
            assert actor.frame("token-mia").seats == ()
            assert actor.frame("token-eve").given == ({"table": table.id, "step": step} if step else None)
        # Other people sit there, if that is wanted.
        new, _ = await world.service.play_on(
            table.id, 3, [human("Eve"), {"kind": "bot", "name": "Robo", "level": "good"}]
        )
        assert [seat.name for seat in (await world.actor(new)).table.setup.seats] == ["Eve", "Robo"]
        for step in (-1, steps + 1):
            with pytest.raises(NotAllowedError) as caught:
                await world.service.play_on(table.id, step, None)
            assert caught.value.key == "no_step"
        with pytest.raises(NotAllowedError) as caught:
            await world.service.play_on("nowhere", 0, None)
        assert caught.value.key == "no_table"
        await play((mia, ben))
        with pytest.raises(SetupError):
            await world.service.play_on(table.id, mia.page.actor.steps, None)  # there it is over
        await world.restart()

    run(work())


def test_a_position_with_secrets_is_given_away_only_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden_game.bring(monkeypatch)

    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world, room(human("Mia"), OPEN, game="cards"))
        await play((mia, ben), 4)
        with pytest.raises(NotAllowedError) as caught:
            await world.service.play_on(mia.table_id, 2, None, "token-eve")
        assert caught.value.key == "still_hidden"
        assert await world.service.record(mia.table_id) is None
        await play((mia, ben))
        new, _ = await world.service.play_on(mia.table_id, 2, None, "token-eve")
        assert (await world.actor(new)).steps == 2
        await world.restart()

    run(work())


# --- deletion -----------------------------------------------------------------------------------------------------


def test_tables_go_after_their_days_and_no_nickname_stays(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite3"

    async def work() -> None:
        clock = Clock()
        store = SqliteStore.open(path)
        service = TableService(store, now=clock.now, sleep=clock.sleep, pace=lambda _: 0)
        old, _ = await service.create(room(human("Zacharias"), OPEN), "token")
        clock.advance(20 * DAY)
        young, _ = await service.create(room(human("Mia"), OPEN), "token")
        watched, _ = await service.create(room(human("Ann"), OPEN), "token")
        cleaning = asyncio.ensure_future(service.keep_clean(30))
        clock.advance(9.9 * DAY)
        await _until(clock, lambda: store.load(old), lambda found: found is not None)
        actor = await service.open(watched)  # somebody looks at it all the time
        clock.advance(0.2 * DAY)
        await _until(clock, lambda: store.load(old), lambda found: found is None)
        assert await store.load(young) is not None
        clock.advance(40 * DAY)
        await _until(clock, lambda: store.load(young), lambda found: found is None)
        assert await service.open(watched) is actor
        cleaning.cancel()
        await service.close()

    run(work())
    data = path.read_bytes()
    assert b"Zacharias" not in data
    assert b"Ann" in data


async def _until(
    clock: Clock, ask: Callable[[], Coroutine[Any, Any, Any]], reached: Callable[[Any], bool], tries: int = 400
) -> None:
    """Ask until the answer is right: the store works in a thread of its own."""
    for _ in range(tries):
        found = await ask()
        if reached(found):
            return
        clock.advance(0.0)
        await asyncio.sleep(0)
    raise AssertionError("it did not come about")


# --- seats that change devices ------------------------------------------------------------------------------------


def test_a_person_goes_on_at_another_device_once_the_first_one_agrees() -> None:
    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world)
        phone = await Browser(world, mia.table_id, "token-phone").connect()
        await settle((mia, ben, phone))
        assert "seat" in phone.frame["can_propose"]
        assert (await phone.ask("propose", what="seat", seat=1, name="Ben 2"))["ok"]
        await settle((mia, ben, phone))
        assert (mia.frame["proposal"]["you"], ben.frame["proposal"]["you"]) == ("none", "asked")
        n = ben.frame["proposal"]["n"]
        assert (await mia.ask("agree", n=n, yes=True))["reason"] == "not_yours"
        assert (await ben.ask("agree", n=n, yes=True))["ok"]
        await settle((mia, ben, phone))
        assert (phone.frame["seats"], ben.frame["seats"]) == ((1,), ())
        assert [each["name"] for each in mia.frame["players"]] == ["Mia", "Ben 2"]
        # It has no share in the dice yet, and can ask for one; the old device only watches.
        assert (phone.frame["can_renew"], ben.frame["can_renew"]) == (True, False)
        assert (await phone.ask("renew"))["ok"]
        await settle((mia, ben, phone))
        assert phone.guard.contributing
        await play((mia, phone, ben))
        assert mia.frame["waiting"]["for"] == "over"
        assert mia.guard.k == phone.guard.k == ben.guard.k
        await world.restart()

    run(work())


def test_open_hands_need_everybody_and_are_open_to_all_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden_game.bring(monkeypatch)

    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world, room(human("Mia"), OPEN, game="cards"))
        eve = await Browser(world, mia.table_id, "token-eve").connect()
        await play((mia, ben), 2)
        await settle((mia, ben, eve))

        def seen(browser: Browser) -> list[Any] | None:
            hands = browser.frame["hands"]
            return None if hands is None else [hands[seat]["fields"]["hand"][seat] for seat in (0, 1)]

        assert (seen(mia), seen(eve), eve.frame["open_hands"]) == (None, None, False)
        for yes in (False, True):
            assert (await mia.ask("propose", what="open_hands"))["ok"]
            await settle((mia, ben, eve))
            assert seen(eve) is None
            assert (await ben.ask("agree", n=ben.frame["proposal"]["n"], yes=yes))["ok"]
            await settle((mia, ben, eve))
            assert eve.frame["open_hands"] is yes
        assert seen(eve) == seen(mia) == seen(ben) != None  # noqa: E711
        assert seen(eve) == [mia.page.actor.table.state.view(seat)["fields"]["hand"][seat] for seat in (0, 1)]
        await world.restart()

    run(work())


# --- how much one may ask for -------------------------------------------------------------------------------------


def test_emotes_come_a_few_at_once_and_then_slowly() -> None:
    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world)
        eve = await Browser(world, mia.table_id, "token-eve").connect()
        answers = [await mia.ask("emote", emote="wow") for _ in range(EMOTE_BURST + 2)]
        assert [each["reason"] for each in answers] == [None] * EMOTE_BURST + ["too_fast"] * 2
        assert (await ben.ask("emote", emote="hello"))["ok"]  # that is mia's matter alone
        assert (await eve.ask("emote", emote="wow"))["reason"] == "not_yours"
        await pass_by(world, EMOTE_SECONDS, mia, ben, eve)
        assert (await mia.ask("emote", emote="laugh"))["ok"]
        await settle((ben, eve))
        called = [each["emote"] for each in eve.heard if each["type"] == "emote"]
        assert called == ["wow"] * EMOTE_BURST + ["hello", "laugh"]
        await world.restart()

    run(work())


def test_a_table_has_room_for_so_many_pages_and_always_for_who_plays() -> None:
    async def work() -> None:
        world = World()
        mia, ben = await two_friends(world)
        actor = mia.page.actor
        watching = [actor.subscribe(f"token {i}") for i in range(MOST_PAGES - 2)]
        for token in ("one more", None):
            with pytest.raises(LimitError) as caught:
                actor.subscribe(token)
            assert caught.value.key == "too_many_pages"
        tabs = [actor.subscribe("token-ben") for _ in range(MOST_PAGES_OF_ONE - 1)]
        with pytest.raises(LimitError):
            actor.subscribe("token-ben")
        actor.unsubscribe(tabs.pop())
        actor.unsubscribe(watching.pop())
        actor.subscribe("token-ben")
        await play((mia, ben), 2)
        assert mia.version == ben.version == actor.table.version
        await world.restart()

    run(work())


def test_an_address_sets_up_so_many_tables_and_opens_so_many_sockets() -> None:
    async def work() -> None:
        clock, limits = Clock(), ServiceLimits(tables_an_hour=6, codes_a_minute=3, sockets=2)
        service = TableService(MemoryStore(), now=clock.now, limits=limits)
        setup = room(human("Mia"), OPEN)
        for _ in range(6):
            await service.create(setup, "token", "10.0.0.7")
        with pytest.raises(LimitError) as caught:
            await service.create(setup, "another token", "10.0.0.7")
        assert caught.value.key == "too_many_tables"
        assert caught.value.wait == pytest.approx(600.0)
        await service.create(setup, "token", "10.0.0.8")
        clock.advance(600.0)
        await service.create(setup, "token", "10.0.0.7")
        for _ in range(3):
            assert await service.find("999999", "10.0.0.7") is None
        with pytest.raises(LimitError) as caught:
            await service.find("999999", "10.0.0.7")
        assert caught.value.key == "too_many_guesses"
        for _ in range(2):
            service.enter("10.0.0.7")
        with pytest.raises(LimitError) as caught:
            service.enter("10.0.0.7")
        assert caught.value.key == "too_many_sockets"
        service.enter("10.0.0.8")
        service.leave("10.0.0.7")
        service.enter("10.0.0.7")
        await service.close()

    run(work())
