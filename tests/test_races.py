"""Races of hands at a running table, in a world with a clock of its own: lines, bad grabs, vanished seats, crashes."""

import asyncio
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import bolzplatz
from bolzplatz.cli.main import main
from bolzplatz.core import grab
from bolzplatz.core.errors import RecordError
from bolzplatz.core.grab import CAP_MARGIN, MS, PINGS_AT_FIRST, ROUND_LIMIT, TIE, TIE_ONE_DEVICE, RaceRules, Terms
from bolzplatz.core.proven import proven_moves
from bolzplatz.core.record import Verification, read_record, verify_record
from bolzplatz.core.sealed import verify_proof
from bolzplatz.table.commands import SEAT, Agree, Propose, Substitute
from bolzplatz.table.live import MOST_GRABS
from bolzplatz.table.racing import COUNT_MS, COUNT_WORDS
from bolzplatz.table.service import TableActor
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.table import WAIT_GRAB, WAIT_READY, Table
from bolzplatz.web.language import LANGUAGES, catalogue
from bolzplatz.web.render import draw_frame
from bolzplatz.web.render.around import told
from tests.races_kit import FIRST, SECOND, THIRD, Person, World, run, same_secrets  # noqa: F401 (a fixture)
from tests.table_kit import bot, human, picture

OPEN = {"kind": "open"}


def racing(*seats: dict[str, Any], **more: Any) -> TableSetup:
    return TableSetup.from_dict({"game": "wilde-kerle", "pace": "grab", "seats": list(seats), **more})


def two_and_a_computer(**more: Any) -> TableSetup:
    return racing(human("Mia"), OPEN, bot("Robo", "child"), training=False, **more)


async def two(
    world: World, delays: tuple[float, float] = (2.0, 2.0), setup: TableSetup | None = None
) -> tuple[Person, Person]:
    """Let two people on two devices sit down and begin; a third seat is the computer's or the first one's."""
    actor = await world.table(setup or two_and_a_computer())
    mia = await Person(world, actor, FIRST, delays[0]).come()
    ben = await Person(world, actor, SECOND, delays[1]).come()
    await ben.sit(1, "Ben")
    await mia.start()
    return mia, ben


def no_computer(mia: Person) -> None:
    """Let the computer's hand be out of the way: its level never is, so its hands are taken from the plan."""
    mia.actor.racing._reaches = lambda seat: []  # type: ignore[method-assign]


async def next_verdict(world: World, actor: TableActor) -> dict[str, Any]:
    rounds = len(actor.table.rounds.verdicts)
    await world.until(lambda: len(actor.table.rounds.verdicts) > rounds)
    found: dict[str, Any] = actor.table.rounds.verdicts[-1]
    return found


async def end_by_agreement(world: World, mia: Person, ben: Person) -> None:
    asked = asyncio.ensure_future(mia.actor.act(mia.subscription, Propose("the end?", "end")))
    await world.until(asked.done)
    agreed = asyncio.ensure_future(ben.actor.act(ben.subscription, Agree("yes", asked.result().version, True)))
    await world.until(agreed.done)
    assert agreed.result().ok
    assert mia.actor.table.over


def races_of(world: World, actor: TableActor) -> list[dict[str, Any]]:
    """Return the records of all races in the log."""
    entries = world.store.tables[actor.table.id].entries
    return [entry.body["race"] for entry in entries if entry.kind == "race" and entry.body["race"] is not None]


def checked(table: Table) -> Verification:
    return verify_record(read_record(table.record().encode()), bolzplatz.load_game)


def said_by_verify(table: Table) -> str:
    """Return what the command says of a table's record."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as said:
        file = Path(folder) / "match.bolz"
        file.write_text(table.record(), encoding="utf-8")
        assert main(["verify", str(file)]) == 0
    return " ".join(said.getvalue().split())


def hand_of(verdict: dict[str, Any], seat: int) -> dict[str, Any]:
    return next(hand for hand in verdict["hands"] if hand["seat"] == seat)


# --- the quicker hand, not the quicker line ---------------------------------------------------------------------


@pytest.mark.parametrize(("mia_ms", "ben_ms", "first"), [(501.1, 556.5, 0), (556.5, 501.1, 1)])
def test_the_quicker_hand_wins_and_not_the_quicker_line(mia_ms: float, ben_ms: float, first: int) -> None:
    """The run that was measured: 120 ms one way against 2, and the packet of the quicker hand comes much later."""

    async def work(world: World) -> None:
        mia, ben = await two(world, (120.0, 2.0))
        no_computer(mia)
        mia.hands = lambda _seat, _cards: [("red", mia_ms, mia_ms)]
        ben.hands = lambda _seat, _cards: [("red", ben_ms, ben_ms)]
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"] == {"black": None, "red": first}
        assert [(hand["seat"], hand["took"]) for hand in verdict["hands"]] == [(first, True), (1 - first, False)]
        assert [hand_of(verdict, seat)["ms"] for seat in (0, 1)] == [round(mia_ms), round(ben_ms)]
        (shown_to_mia,), (shown_to_ben,) = mia.of_type("cards"), ben.of_type("cards")
        assert abs(shown_to_mia[0] - shown_to_ben[0]) <= 1 * MS
        arrived = {made["seat"]: made["arrived"] for made in races_of(world, mia.actor)[0]["grabs"]}
        assert arrived[0] - arrived[1] > (60 if first == 0 else 150) * MS
        assert hand_of(verdict, 0)["allowance"] == 240
        # Nobody hears more of a grab than that it is there, before everybody hears of it.
        assert [answer.ok for answer in (*mia.answers, *ben.answers)] == [True, True]

    run(work)


def test_in_strict_mode_the_usual_round_trip_is_taken_off_and_no_report_counts() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (120.0, 2.0), two_and_a_computer(strict=True))
        no_computer(mia)
        mia.hands = lambda _seat, _cards: [("red", 200.0, 700.0)]
        ben.hands = lambda _seat, _cards: [("red", 650.0, 650.0)]
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["red"] == 1
        assert [hand_of(verdict, seat)["ms"] for seat in (0, 1)] == [700, 650]

    run(work)


def test_a_report_is_believed_only_as_far_as_the_line_explains_it() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        mia.hands = lambda _seat, _cards: [("red", 160.0, 700.0)]
        ben.hands = lambda _seat, _cards: [("red", None, 600.0)]
        verdict = await next_verdict(world, mia.actor)
        # Round trip 4 ms: the lie is worth the margin of the bounds at most, and no report earns nothing.
        assert hand_of(verdict, 0)["ms"] == 700 - CAP_MARGIN // MS
        assert hand_of(verdict, 1)["ms"] == 604
        assert verdict["taken"]["red"] == 1

    run(work)


def test_a_handicap_is_a_head_start_for_the_others_and_told_in_the_opening() -> None:
    async def work(world: World) -> None:
        setup = racing({**human("Mia"), "handicap": 300}, OPEN, bot("Robo", "child"))
        mia, ben = await two(world, setup=setup)
        no_computer(mia)
        mia.hands = lambda _seat, _cards: [("black", 500.0, 500.0)]
        ben.hands = lambda _seat, _cards: [("black", 700.0, 700.0)]
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["black"] == 1
        assert [(hand_of(verdict, 0)[name]) for name in ("ms", "handicap", "time")] == [500, 300, 800]
        assert mia.actor.table.sealed is not None
        assert [seat.get("handicap") for seat in mia.actor.table.sealed.opening.seats] == [300, None, None]

    run(work)


# --- before the cards -------------------------------------------------------------------------------------------


def test_everybody_is_ready_3_2_1_a_silence_and_then_the_cards_for_all_at_once() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (40.0, 2.0))
        ben.gets_ready = False
        watcher = await Person(world, mia.actor, None).come()
        await world.until(lambda: mia.frames and mia.frame.round and mia.frame.round["ready"] == [0])
        assert mia.frame.round is not None
        assert mia.frame.round["waited"] == [1]
        assert not mia.frame.mine
        assert ben.frame.mine
        await world.after(5000)
        assert mia.of_type("count") == []
        table = mia.actor.table
        ben.ready(1, table.rounds.n)
        await world.until(lambda: mia.of_type("count"))
        ben.ready(1, table.rounds.n, on=False)
        await world.until(lambda: len(mia.of_type("count")) == 2)
        assert [message["words"] for _, message in mia.of_type("count")] == [COUNT_WORDS, 0]
        await world.after(5000)
        assert mia.of_type("cards") == []
        ben.ready(1, table.rounds.n)
        await world.until(lambda: mia.of_type("cards") and watcher.of_type("cards"))
        counted = ben.of_type("count")[-1][0]
        silence = ben.of_type("cards")[0][0] - counted - COUNT_WORDS * COUNT_MS * MS
        assert grab.SILENCE[0] <= silence <= grab.SILENCE[1] + 40 * MS
        assert mia.of_type("cards")[0][1]["cards"] == ben.of_type("cards")[0][1]["cards"]
        # Who only watches does not see them before those who play.
        assert watcher.of_type("cards")[0][0] >= ben.of_type("cards")[0][0] - 2 * MS

    run(work)


def test_the_clock_runs_for_whoever_is_not_ready_and_the_others_may_go_on() -> None:
    """Nobody is held up: when the time is over, the computer plays this one round by a tap of the others."""

    async def work(world: World) -> None:
        mia, ben = await two(world, setup=two_and_a_computer(turn_seconds=30))
        ben.gets_ready = False
        mia.hands = lambda _seat, _cards: [("black", 900.0, 900.0)]
        await world.until(lambda: mia.frames and mia.frame.clock and mia.frame.clock["seats"] == [1])
        assert mia.frame.clock is not None
        assert mia.frame.clock["limit"] == 30
        asked = world.now_us
        await world.after(39_000)
        assert mia.frame.can_substitute == []
        assert mia.of_type("cards") == []
        await world.until(lambda: mia.frame.can_substitute)
        assert 39_000 * MS <= world.now_us - asked <= 41_000 * MS
        assert (mia.frame.can_substitute, ben.frame.can_substitute) == ([1], [])
        said = {language: str(draw_frame(mia.frame, language)["strip"]) for language in LANGUAGES}
        assert "Ben is not ready" in said["en"]
        assert "Let the computer play this round" in said["en"]
        assert len(set(said.values())) == len(LANGUAGES)
        assert (await mia.actor.act(mia.subscription, Substitute("go on", 1, True))).ok
        n = mia.actor.table.rounds.n
        await world.until(lambda: mia.of_type("cards"))
        # Mia may not keep Ben waiting for ever, though she is the only one to reach this time.
        assert mia.actor.table.rounds.armed is not None
        assert mia.actor.table.rounds.armed["rules"]["limit"] is not None
        ben.grab(1, "red", 400.0, 0, n)
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["black"] is not None
        assert [answer.reason for answer in ben.answers] == ["late"], "the computer's hand plays this round"
        assert "computer plays this round for Ben" in " ".join(told["text"] for told in told_of(mia))
        # The next one is Ben's own again, with time of its own.
        await world.until(lambda: mia.actor.table.waiting.kind == WAIT_READY)
        assert mia.actor.table.substitutes == {}
        await world.until(lambda: mia.frame.clock and mia.frame.clock["seats"] == [1])
        assert mia.frame.clock["left"] > 25
        ben.gets_ready = True
        ben.ready(1, mia.actor.table.rounds.n)
        await next_verdict(world, mia.actor)
        await end_by_agreement(world, mia, ben)
        assert checked(mia.actor.table).ok, checked(mia.actor.table).faults
        assert picture(Table.load(world.store.tables[mia.actor.table.id])) == picture(mia.actor.table)

    run(work)


def told_of(page: Person) -> list[dict[str, Any]]:
    return told(page.frame, catalogue("en"))


def test_without_a_clock_everybody_is_waited_for() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        ben.gets_ready = False
        await world.after(600_000)
        assert mia.frame.clock is None
        assert mia.frame.can_substitute == []
        assert mia.actor.table.waiting.kind == WAIT_READY

    run(work)


def test_without_a_measured_line_nobody_is_ready() -> None:
    async def work(world: World) -> None:
        mia, _ben = await two(world)
        await world.until(lambda: mia.frames and mia.frame.waiting["for"] == "ready")
        stranger = Person(world, mia.actor, FIRST)
        stranger.guard = mia.guard
        await stranger.come()
        n = mia.actor.table.rounds.n
        refused = mia.actor.racing.ready(stranger.subscription, n, 0, True, "touch")
        assert refused is not None
        assert refused.reason == "no_link"
        await world.after(PINGS_AT_FIRST * 100)
        assert mia.actor.racing.ready(stranger.subscription, n, 0, True, "touch") is None

    run(work)


def test_a_weak_line_is_told_and_may_play() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (300.0, 2.0))
        await world.until(lambda: mia.of_type("cards"))
        lines = [frame.round["links"] for frame in ben.frames if frame.round and frame.round["links"][0]]
        assert lines[-1][0] == {"bars": 0, "weak": True, "rtt": 600}
        assert lines[-1][1] == {"bars": 4, "weak": False, "rtt": 4}
        assert lines[-1][2] is None

    run(work)


# --- whole matches ----------------------------------------------------------------------------------------------


def plays(luck: Iterator[int]) -> Callable[[int, list[str]], Sequence[tuple[str, float | None, float]]]:
    """Somebody who looks at the cards of strikers only, now quick, now slow, sometimes with both hands in turn."""

    def hands(seat: int, cards: list[str]) -> Sequence[tuple[str, float | None, float]]:
        ms = 450.0 + 37 * (next(luck) * 7919 % 23) + 11 * seat
        pieces = [{"b": "black", "r": "red"}[card[1]] for card in cards if card.startswith("S")]
        return [(piece, ms + 150 * i, ms + 150 * i) for i, piece in enumerate(dict.fromkeys(pieces))]

    return hands


@pytest.mark.parametrize(
    ("seats", "delays"),
    [
        ([human("Mia"), OPEN, bot("Robo", "adult")], (10.0, 60.0)),
        ([human("Mia"), OPEN, human("Zoë"), bot("Robo", "expert"), bot("Roba", "child")], (3.0, 110.0)),
    ],
)
def test_a_match_is_raced_to_the_end_and_its_record_judges_every_round_anew(
    seats: list[dict[str, Any]], delays: tuple[float, float]
) -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, delays, racing(*seats, options={"pro": True}))
        mia.hands = ben.hands = plays(count(1))
        mia.still_after = 1500.0
        table = mia.actor.table
        await world.until(lambda: mia.frames and mia.frame.waiting["for"] == "over")
        assert table.over
        races = races_of(world, mia.actor)
        assert len(races) == len(table.rounds.verdicts) >= 2 * 60 // len(seats)
        for race, verdict in zip(races, table.rounds.verdicts, strict=True):
            assert grab.replay(json.loads(json.dumps(race))).verdict.wishes == tuple(verdict["wishes"])
        hands = [hand for verdict in table.rounds.verdicts for hand in verdict["hands"]]
        by_computer = [hand for hand in hands if hand["seat"] > 2 and hand["took"]]
        assert all(hand["ms"] >= 600 for hand in by_computer)
        found = checked(table)
        assert found.ok, found.faults
        assert f"{len(races)} races were judged anew" in said_by_verify(table)
        kept = world.store.tables[table.id]
        assert picture(Table.load(kept)) == picture(table)
        # No page ever had a card by any other message than those that lay them open.
        for page in (mia, ben):
            others = [message for _, message in page.seen if isinstance(message, dict)]
            assert {message["type"] for message in others} <= {
                *("opening", "ask", "drawn", "ping", "count", "cards", "taken"),
            }
            dealt = [each for each in others if each["type"] == "drawn" and each["throw"]["hidden"]]
            assert len(dealt) == len(races)
            assert all(each["entry"]["draw"]["faces"] is each["throw"]["drawn"] is None for each in dealt)
            held = [frame for frame in page.frames if frame.waiting["for"] in ("ready", "grab")]
            for frame in held:
                last = frame.round["last"] if frame.round else None
                assert all(event["step"] < (last["end"] if last else 0) for event in (*frame.events, *frame.log))
        # Each event was told once, in order, to a page that stayed.
        told = [event for frame in mia.frames for event in frame.events]
        assert told == [event.to_dict() for event in table.state.events(0)]

    run(work)


def test_three_people_around_one_device_race_by_one_clock() -> None:
    async def work(world: World) -> None:
        actor = await world.table(racing(human("Mia"), human("Ben"), human("Zoë")))
        all_three = Person(world, actor, FIRST, 30.0)
        times = {0: 512.0, 1: 500.0, 2: 491.0}
        all_three.hands = lambda seat, _cards: [("black", times[seat], times[seat])]
        await all_three.come()
        verdict = await next_verdict(world, actor)
        (race,) = races_of(world, actor)
        assert race["rules"]["tie"] == TIE_ONE_DEVICE
        # 9 ms apart: on one device that is no tie.
        assert verdict["taken"]["black"] == 2
        assert verdict["tied"]["black"] == []
        assert verdict["order"] == [2, 1, 0]

    run(work)


# --- ties ---------------------------------------------------------------------------------------------------------


def test_level_hands_are_parted_by_the_sealed_draws() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (50.0, 2.0))
        no_computer(mia)
        mia.hands = lambda _seat, _cards: [("red", 700.0, 700.0)]
        ben.hands = lambda _seat, _cards: [("red", 710.0, 710.0)]
        table = mia.actor.table
        winners = []
        while len(set(winners)) < 2:
            verdict = await next_verdict(world, mia.actor)
            assert sorted(verdict["tied"]["red"]) == [0, 1]
            winners.append(verdict["taken"]["red"])
            assert verdict["tied"]["red"][0] == winners[-1]
        assert table.sealed is not None
        lots = [entry for entry in table.sealed.entries if "draw" in entry and entry["draw"]["purpose"] == "lot"]
        assert [[0, 1][lot["draw"]["faces"][0]] for lot in lots] == winners
        await end_by_agreement(world, mia, ben)
        found = checked(table)
        assert found.ok, found.faults
        # A race that was decided by another lot than the one that was drawn is found.
        at = next(i for i, entry in enumerate(table.sealed.entries) if "race" in entry)
        told = table.sealed.entries[at]["race"]
        race = grab.Race(tuple(Terms(**terms) for terms in told["terms"]), RaceRules(**told["rules"]))
        for kind, when, *what in told["inputs"]:
            if kind == "cast":
                race.cast([*reversed(what[0])], when)
            elif kind == "grab":
                race.grab(what[0], what[1], when, what[2])
            else:
                getattr(race, kind)(what[0], when)
        race.look(told["now"])
        change = {"race": race.record(), "order": race.verdict.order_text, "move": " ".join(race.verdict.wishes)}
        assert _rewritten(table, at, {}) == ""
        assert "not parted by the lot" in _rewritten(table, at, json.loads(json.dumps(change)))

    run(work)


@pytest.mark.parametrize(("tie", "holder"), [("nobody", None), ("arrival", 1), ("chips", None)])
def test_ties_go_by_the_rule_that_was_agreed_on(tie: str, holder: int | None) -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (50.0, 2.0), two_and_a_computer(tie=tie))
        no_computer(mia)
        # Alone at the black piece, she is one chip up or two chips down after the first round.
        mia.hands = lambda _seat, _cards: [("black", 600.0, 600.0)]
        first = await next_verdict(world, mia.actor)
        assert first["taken"]["black"] == 0
        before = mia.actor.table.state.scores()
        holder_now = int(before[0] > before[1]) if tie == "chips" else holder
        mia.hands = lambda _seat, _cards: [("red", 700.0, 700.0)]
        ben.hands = lambda _seat, _cards: [("red", 700.0 + TIE / MS - 1, 700.0 + TIE / MS - 1)]
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["red"] == holder_now

    run(work)


# --- bad grabs ------------------------------------------------------------------------------------------------------


def test_early_doubled_late_and_forged_grabs_are_kept_and_do_not_count() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        table = mia.actor.table
        await world.until(lambda: table.waiting.kind == WAIT_GRAB)
        n = table.rounds.n
        mia.grab(0, "red", 400.0, 100, n)  # in the silence
        for seat, piece in ((1, "red"), (2, "red"), (7, "red")):
            mia.grab(seat, piece, 400.0, 0, n)  # somebody else's hand, the computer's, nobody's
        mia.grab(0, "red", 400.0, 0, n - 1)  # another round
        await world.until(lambda: mia.of_type("cards"))
        assert [answer.reason for answer in mia.answers] == ["not_yours"] * 3 + ["late", None]
        mia.answers.clear()
        mia.grab(0, "black", 100.0, 100, n)  # nobody reads cards in a tenth of a second
        mia.grab(0, "black", 900.0, 900, n)
        mia.grab(0, "black", 950.0, 950, n)
        ben.grab(1, "red", 1200.0, 1200, n)
        ben.grab(1, "black", 1400.0, 1400, n)
        verdict = await next_verdict(world, mia.actor)
        mia.grab(0, "red", 1000.0, 0, n)
        await world.after(100)
        assert [answer.reason for answer in mia.answers] == [None, None, None, "late"]
        await world.after(300)
        assert [answer.reason for answer in ben.answers] == [None, "late"]
        kinds = [(hand["seat"], hand["piece"], hand["status"]) for hand in verdict["hands"]]
        assert sorted(kinds) == sorted(
            [
                (0, "red", "false start"),
                (0, "black", "false start"),
                (0, "black", "counted"),
                (0, "black", "doubled"),
                (1, "red", "counted"),
            ]
        )
        assert verdict["taken"] == {"black": 0, "red": 1}

    run(work)


def test_a_flood_of_grabs_is_cut_off_and_the_round_goes_on() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        ben.hands = lambda _seat, _cards: [("red", 700.0, 700.0)]
        await world.until(lambda: mia.of_type("cards"))
        n = mia.actor.table.rounds.n
        for i in range(300):
            mia.grab(0, "black", 0.0, i, n)
            mia.still(0, i, n)
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["red"] == 1
        assert [answer.reason for answer in mia.answers].count("too_fast") >= 250
        (race,) = races_of(world, mia.actor)
        assert sum(made["seat"] == 0 for made in race["grabs"]) == MOST_GRABS
        assert len(race["inputs"]) < 30

    run(work)


def test_a_hand_that_was_beaten_is_free_for_the_other_piece() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        mia.hands = lambda _seat, _cards: [("red", 500.0, 500.0)]
        ben.hands = lambda _seat, _cards: [("red", 540.0, 540.0), ("black", 800.0, 800.0)]
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"] == {"black": 1, "red": 0}
        assert verdict["wishes"] == ["red", "red>black", "none"]
        # That a piece is gone is told as soon as it is certain, and no earlier.
        await world.after(10)
        assert [message["piece"] for _, message in ben.of_type("taken")] == ["red", "black"]
        assert ben.of_type("taken")[0][0] > ben.of_type("cards")[0][0] + 500 * MS

    run(work)


def test_all_keep_still_and_the_round_is_over_at_once() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        mia.still_after, ben.still_after = 800.0, 900.0
        verdict = await next_verdict(world, mia.actor)
        assert verdict["hands"] == []
        assert world.now_us - mia.of_type("cards")[0][0] < 1000 * MS
        ben.still_after = None
        at = len(mia.of_type("cards"))
        await next_verdict(world, mia.actor)
        assert world.now_us - mia.of_type("cards")[at][0] >= ROUND_LIMIT

    run(work)


def test_one_person_against_the_computer_may_take_any_time() -> None:
    """TABLE §2.3 (WCAG 2.2.1): there is no limit, and what came of it proves itself all the same."""

    async def work(world: World) -> None:
        actor = await world.table(racing(human("Mia"), bot("Robo", "child"), bot("Roba", "child")))
        mia = await Person(world, actor, FIRST, 2.0).come()
        no_computer(mia)
        await world.until(lambda: mia.of_type("cards"))
        await world.after(600_000.0)
        assert actor.table.waiting.kind == WAIT_GRAB
        mia.still(0, 0.0, actor.table.rounds.n)
        assert (await next_verdict(world, actor))["hands"] == []
        (race,) = races_of(world, actor)
        assert race["rules"]["limit"] is None
        asked = asyncio.ensure_future(actor.act(mia.subscription, Propose("the end", "end")))
        await world.until(asked.done)
        assert checked(actor.table).ok, checked(actor.table).faults

    run(work)


# --- vanished seats, jumping clocks, crashes ------------------------------------------------------------------------


def test_a_seat_that_vanishes_in_the_verdict_window_is_not_waited_for() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (2.0, 100.0))
        no_computer(mia)
        mia.hands = lambda _seat, _cards: [("red", 700.0, 700.0)]
        await world.until(lambda: ben.of_type("cards"))
        await world.after(710)
        assert races_of(world, mia.actor) == []
        await ben.go()
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["red"] == 0
        (race,) = races_of(world, mia.actor)
        assert ["leave", 1] in [[kind, *what] for kind, _, *what in race["inputs"]]
        assert world.now_us - mia.of_type("cards")[0][0] < 2600 * MS
        # The next round waits for it, and not without end: the others may let the computer play.
        await world.after(40_000)
        assert mia.actor.table.waiting.kind == WAIT_READY
        assert mia.frame.can_substitute == [1]

    run(work)


def test_a_page_that_is_back_in_the_race_may_still_grab() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        await world.until(lambda: ben.of_type("cards"))
        await ben.go()
        await world.after(300)
        again = Person(world, mia.actor, SECOND, 2.0)
        again.guard = ben.guard
        again.hands = lambda _seat, _cards: [("red", 600.0, 600.0)]
        await again.come()
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["red"] == 1
        # The time runs from the first sending: a new page is no second start.
        assert hand_of(verdict, 1)["ms"] >= 850

    run(work)


async def asks_for_the_seat(world: World, zoe: Person) -> int:
    """Let somebody ask for Ben's seat; return the number of the question."""
    asked = asyncio.ensure_future(zoe.actor.act(zoe.subscription, Propose("mine?", SEAT, seat=1, name="Zoe")))
    await world.until(asked.done)
    assert asked.result().ok
    return asked.result().version


def test_who_takes_a_seat_over_in_the_middle_of_a_race_has_its_hands_at_once() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        zoe = await Person(world, mia.actor, THIRD, 30.0).come()
        question = await asks_for_the_seat(world, zoe)
        await world.until(lambda: zoe.of_type("cards"))
        assert (await mia.actor.act(ben.subscription, Agree("yes", question, True))).ok
        n = mia.actor.table.rounds.n
        ben.grab(1, "red", 500.0, 10, n)
        await ben.go()
        await world.after(200)
        assert mia.actor.table.waiting.kind == WAIT_GRAB
        assert (zoe.frame.seats, zoe.frame.mine, ben.frames[-1].seats) == ((1,), True, ())
        zoe.grab(1, "red", None, 100, n)
        mia.hands = lambda _seat, _cards: ()
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"]["red"] == 1
        assert [answer.reason for answer in ben.answers] == ["not_yours"]
        (race,) = races_of(world, mia.actor)
        assert "leave" not in [kind for kind, *_ in race["inputs"]], "the seat's person is there"

    run(work)


def test_who_takes_a_seat_over_before_the_cards_is_asked_to_be_ready() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.gets_ready = False
        zoe = Person(world, mia.actor, THIRD)
        zoe.gets_ready = False
        await zoe.come()
        question = await asks_for_the_seat(world, zoe)
        await world.until(lambda: mia.actor.racing.now().ready == (1,))
        assert (await mia.actor.act(ben.subscription, Agree("yes", question, True))).ok
        assert mia.actor.racing.now().ready == ()
        mia.ready(0, mia.actor.table.rounds.n)
        await world.after(5000)
        assert mia.of_type("cards") == []
        assert mia.frame.round is not None
        assert mia.frame.round["waited"] == [1]

    run(work)


def test_a_clock_that_jumps_ends_the_round_by_its_limit() -> None:
    async def work(world: World) -> None:
        mia, _ben = await two(world)
        no_computer(mia)
        await world.until(lambda: mia.of_type("cards"))
        world.wall -= 86_400.0  # the wall clock is put back a day: races do not look at it
        await world.after(500)
        world.now_us += 3600 * 1_000_000  # the machine slept
        mia.grab(0, "red", 500.0, 0, mia.actor.table.rounds.n)
        verdict = await next_verdict(world, mia.actor)
        assert verdict["taken"] == {"black": None, "red": None}
        assert [hand["status"] for hand in verdict["hands"]] in ([], ["late"])
        (race,) = races_of(world, mia.actor)
        assert grab.replay(json.loads(json.dumps(race))).closed_at is not None

    run(work)


@pytest.mark.parametrize("in_lot", [False, True])
def test_a_race_that_a_crash_broke_off_is_over_and_the_log_says_how(in_lot: bool) -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        no_computer(mia)
        mia.hands = ben.hands = lambda _seat, _cards: [("red", 700.0, 700.0)]
        if in_lot:
            await world.until(lambda: mia.actor.table.rounds.lot)
        else:
            await world.until(lambda: mia.of_type("cards"))
        before = mia.actor.table.state.scores()
        actor = await world.restart(mia.actor)
        assert actor.table.rounds.armed is not None
        for person in (mia, ben):
            person.actor, person.hands = actor, lambda _seat, _cards: ()
            await person.come()
        verdict = await next_verdict(world, actor)
        assert verdict["how"] == "interrupted"
        assert verdict["taken"] == {"black": None, "red": None}
        assert actor.table.state.scores() == before
        await next_verdict(world, actor)
        await end_by_agreement(world, mia, ben)
        found = checked(actor.table)
        assert found.ok, found.faults
        assert [(note.kind, note.count) for note in found.notes if note.kind == "broken-off"] == [("broken-off", 3)]

    run(work)


# --- what an audit finds --------------------------------------------------------------------------------------------


def test_a_record_whose_races_were_touched_is_found_out() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.hands = ben.hands = plays(count(1))
        table = mia.actor.table
        await world.until(lambda: any(len(verdict["order"]) > 1 for verdict in table.rounds.verdicts))
        assert table.sealed is not None
        entries = table.sealed.entries
        race = next(i for i, entry in enumerate(entries) if entry.get("race") and entry["order"])

        def judged(**change: Any) -> str:
            """Change one race as the server itself could, everything else recomputed, and say what is found."""
            return _rewritten(table, race, change)

        told = entries[race]
        hands = told["order"].split()
        assert judged() == ""
        assert "do not follow from the round" in judged(order=" ".join([hands[0], *reversed(hands[1:])]))
        assert "do not follow from the round" in judged(move=told["move"].replace("none", "red", 1))
        assert "does not bear out" in judged(cards=[*reversed(told["cards"])])
        later = json.loads(json.dumps(told["race"]))
        later["inputs"][-1][1] += 1
        assert "does not follow from what came in" in judged(race=later)
        other = json.loads(json.dumps(told["race"]))
        other["terms"][0]["handicap"] = 1000
        assert judged(race=other)
        assert "do not follow" in judged(race=None)

    run(work)


async def after_some_rounds(world: World) -> Table:
    """Play a match of two up to its fourth verdict."""
    mia, ben = await two(world)
    mia.hands = ben.hands = plays(count(1))
    table = mia.actor.table
    await world.until(lambda: len(table.rounds.verdicts) > 3)
    return table


def test_rules_that_change_between_rounds_are_found_out() -> None:
    async def work(world: World) -> None:
        table = await after_some_rounds(world)
        assert table.sealed is not None
        entries = table.sealed.entries
        # A round in which nobody was level comes to the same under every tie rule.
        at = [i for i, entry in enumerate(entries) if entry.get("race") and not _lots_in(entry["race"])][-1]
        assert any(entry.get("race") for entry in entries[:at])
        other = json.loads(json.dumps(entries[at]["race"]))
        assert _rewritten(table, at, {"race": other}) == ""
        other["rules"]["tie_rule"] = "chips"
        assert "not those of the rounds before" in _rewritten(table, at, {"race": other})

    run(work)


def test_a_race_on_terms_that_no_table_gives_is_found_out() -> None:
    """TABLE: cap = min(smallest round trip + 40, 250 ms); level within 8, 25 or 35 ms; chips are those of the match."""

    async def work(world: World) -> None:
        table = await after_some_rounds(world)
        assert table.sealed is not None
        at = [i for i, entry in enumerate(table.sealed.entries) if entry.get("race")][-1]
        told = table.sealed.entries[at]["race"]
        # Each alone may leave the verdict as it is, which is then judged anew to the same.
        for part, name, value, said in (
            (told["terms"][0], "cap", 10_000_000, "more is allowed"),
            (told["terms"][0], "cap", -1, "more is allowed"),
            (told["terms"][1], "usual", 250_001, "more is allowed"),
            (told["rules"], "tie", 99_999, "more is allowed"),
            (told["rules"], "tie", 0, "more is allowed"),
            (told["rules"], "limit", 60_000_000, "no round lasts so long"),
            (told["rules"], "last_call", 1, "no round lasts so long"),
            (told["terms"][1], "chips", 99, "not those of the match"),
        ):
            right, part[name] = part[name], value
            changed = _judged_anew(told)
            part[name] = right
            assert said in _rewritten(table, at, {"race": json.loads(json.dumps(changed))}), (name, value)
        assert _rewritten(table, at, {}) == ""

    run(work)


def _judged_anew(told: dict[str, Any]) -> dict[str, Any]:
    """Return what a dishonest server would write: the same hands, judged on the terms and rules that are told now."""
    race = grab.Race(tuple(Terms(**terms) for terms in told["terms"]), RaceRules(**told["rules"]))
    for kind, at, seat, *what in told["inputs"]:
        if kind == "grab":
            race.grab(seat, what[0], at, what[1])
        elif kind != "cast":
            grab._INPUTS[kind](race, seat, at)
    race.look(told["now"] + 70_000 * MS)
    return race.record()


def _lots_in(race: dict[str, Any]) -> bool:
    return any(kept[0] == "cast" for kept in race["inputs"])


def _rewritten(table: Table, at: int, change: dict[str, Any]) -> str:
    """Return the fault of a proof with one entry changed whose later draws are left out, '' without one."""

    assert table.sealed is not None
    proof = table.sealed.proof(closed=True)
    entries = [*proof["entries"][:at], {**proof["entries"][at], **change}]
    draws = [draw for draw in verify_proof(proof).draws if draw.entry < at]
    try:
        proven_moves(table.state.game, (), entries, draws, proof["opening"]["seats"])
    except RecordError as fault:
        return fault.reason
    return ""
