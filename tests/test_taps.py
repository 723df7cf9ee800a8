"""Races in which each tap throws, at a running table in a world with a clock of its own: lines, hasty taps, crashes."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import pytest

import bolzplatz
from bolzplatz.core import grab, sealed
from bolzplatz.core.errors import RecordError
from bolzplatz.core.grab import FALSE_START, MS, TIE, TIE_ONE_DEVICE, Terms
from bolzplatz.core.proven import proven_moves
from bolzplatz.core.record import Verification, read_record, verify_record
from bolzplatz.core.sealed import verify_proof
from bolzplatz.core.taps import Hands, first_tap, tap_rules
from bolzplatz.core.taps import tapping as whose_tap
from bolzplatz.table.commands import END, SEAT, Agree, Back, Propose, Substitute
from bolzplatz.table.service import TableActor
from bolzplatz.table.setup import Given, SetupError, TableSetup
from bolzplatz.table.table import WAIT_READY, WAIT_TAP, WAIT_THROW, Table
from bolzplatz.table.tapping import LiveTaps
from tests.races_kit import FIRST, SECOND, THIRD, Person, World, run, same_secrets  # noqa: F401 (a fixture)
from tests.table_kit import bot, human

OPEN = {"kind": "open"}
SUDDEN = {"mode": "sudden-death", "penalty_model": "tap-race"}


def tapping(*seats: dict[str, Any], options: dict[str, Any] | None = None, **more: Any) -> TableSetup:
    return TableSetup.from_dict(
        {"game": "gooaaaaal", "options": SUDDEN if options is None else options, "seats": list(seats), **more}
    )


async def two(
    world: World, delays: tuple[float, float] = (2.0, 2.0), setup: TableSetup | None = None
) -> tuple[Person, Person]:
    """Let two people on two devices sit down and begin."""
    actor = await world.table(setup or tapping(human("Mia"), OPEN))
    mia = await Person(world, actor, FIRST, delays[0]).come()
    ben = await Person(world, actor, SECOND, delays[1]).come()
    await ben.sit(1, "Ben")
    await mia.start()
    return mia, ben


def every(reported: float, then: float | None = None) -> Callable[[int], list[tuple[float | None, float]]]:
    """Tap once, so many ms after the dice were seen, and say so."""
    return lambda _seat: [(reported, reported if then is None else then)]


def taps_of(world: World, actor: TableActor) -> list[dict[str, Any]]:
    """Return the records of all races for a throw in the log."""
    entries = world.store.tables[actor.table.id].entries
    return [entry.body["tap"] for entry in entries if entry.kind == "tap" and entry.body["tap"] is not None]


def firsts(world: World, actor: TableActor) -> list[tuple[int, int]]:
    """Return whose hand threw, and when by its clock in ms, throw by throw."""
    found = [first_tap(grab.replay(record)) for record in taps_of(world, actor)]
    return [(seat, at // MS) for seat, at in found]


def checked(table: Table) -> Verification:
    return verify_record(read_record(table.record().encode()), bolzplatz.load_game)


# --- whose hand is next ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delays", [(2.0, 2.0), (120.0, 2.0), (2.0, 120.0)])
def test_who_taps_faster_throws_more_often_whatever_the_line(delays: tuple[float, float]) -> None:
    """300 ms against 500 ms a tap: by their clocks the order of the throws is the same on every line."""

    async def work(world: World) -> None:
        mia, ben = await two(world, delays)
        mia.taps, ben.taps = every(300), every(500)
        await world.until(lambda: mia.actor.table.over or len(taps_of(world, mia.actor)) >= 9)
        # Merge 300, 600, 900, … with 500, 1000, 1500, …; level hands at 1500 ms draw lots and come both.
        due = sorted([(300 * n, 0) for n in range(1, 9)] + [(500 * n, 1) for n in range(1, 6)])
        found = [(at, seat) for seat, at in firsts(world, mia.actor)]
        assert len(found) >= 4
        assert sorted(found[: len(found) - 1]) == sorted(due[: len(found) - 1])
        assert [at for at, _ in found] == sorted(at for at, _ in found)

    run(work)


def test_a_race_ends_with_a_ball_and_the_record_proves_it() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (40.0, 2.0))
        mia.taps, ben.taps = every(320), every(410)
        await world.until(lambda: mia.actor.table.over)
        table = mia.actor.table
        found = checked(table)
        assert found.ok, found.faults
        assert found.provable
        taps = [move for move in table.moves() if move.startswith("tap")]
        assert taps == [f"tap {seat}" for seat, _ in firsts(world, mia.actor)]
        assert table.state.scores()[first_tap(grab.replay(taps_of(world, mia.actor)[-1]))[0]] == 1
        restored = Table.load(world.store.tables[table.id])
        assert (restored.state, restored.waiting) == (table.state, table.waiting)
        # Both were shown each throw but the last one at once, and the whistle first of all.
        for person in (mia, ben):
            assert len(person.of_type("whistle")) == 1
            assert [each["seat"] for _, each in person.of_type("dice")] == [int(move[-1]) for move in taps[:-1]]

    run(work)


def test_all_hear_the_whistle_at_the_same_instant() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world, (120.0, 2.0))
        await world.until(lambda: mia.of_type("whistle") and ben.of_type("whistle"))
        (heard_by_mia, _), (heard_by_ben, _) = mia.of_type("whistle")[0], ben.of_type("whistle")[0]
        assert abs(heard_by_mia - heard_by_ben) <= MS

    run(work)


def test_a_report_is_believed_only_as_far_as_the_line_explains() -> None:
    """Who says 200 ms and takes 600 is believed what the line of 4 ms and the margin allow."""

    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps, ben.taps = every(200, 600), every(500)
        await world.until(lambda: taps_of(world, mia.actor))
        race = grab.replay(taps_of(world, mia.actor)[0])
        assert first_tap(race)[0] == 1
        await world.until(lambda: len(taps_of(world, mia.actor)) > 1)
        race = grab.replay(taps_of(world, mia.actor)[1])
        (hers,) = [made for made in race.grabs if made.seat == 0 and made.status == grab.COUNTED]
        assert 600 * MS - grab.CAP_MARGIN - MS <= hers.accepted <= 600 * MS + 5 * MS

    run(work)


def test_hasty_taps_hold_a_hand_back() -> None:
    """Hammering is slower than looking: a tap sooner than anybody sees is void and holds the hand back."""

    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps = lambda _seat: [(float(ms), float(ms)) for ms in (60, 180, 300, 420)]
        ben.taps = every(400)
        await world.until(lambda: taps_of(world, mia.actor))
        race = grab.replay(taps_of(world, mia.actor)[0])
        # What follows while the hand is held back is not even kept.
        hers = [(made.status, made.time) for made in race.grabs if made.seat == 0]
        assert hers[0] == ("false start", 60 * MS)
        assert hers[1:] in ([], [("counted", 420 * MS)])
        assert first_tap(race) == (1, 400 * MS)

    run(work)


def test_level_hands_draw_lots() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps, ben.taps = every(400), every(410)
        await world.until(lambda: mia.actor.table.over)
        races = [grab.replay(record) for record in taps_of(world, mia.actor)]
        parted = [race for race in races if len(race.settled["black"].tied) == 2]
        assert parted
        assert parted[0].rules.tie == TIE
        draws = [draw for draw in _draws(mia.actor) if draw["purpose"] == "lot"]
        assert len(draws) >= len(parted)
        assert checked(mia.actor.table).ok

    run(work)


def test_a_question_beside_a_lot_does_not_make_it_drawn_twice() -> None:
    """The table moves on while the lot is drawn: the lot that fell counts, and no other is asked for."""

    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps, ben.taps = every(400), every(410)
        await world.until(lambda: mia.actor.table.rounds.lot)
        assert (await mia.actor.act(mia.subscription, Propose("asks", what=END))).ok
        await world.until(lambda: mia.actor.table.over)
        assert not mia.actor.table.ended
        assert checked(mia.actor.table).ok, checked(mia.actor.table).faults

    run(work)


def test_level_hands_of_which_one_has_left_are_parted() -> None:
    """Its tap stands: the lot ends the race, and the record of it says the same."""
    hands = Hands.at_whistle([0, 0]).heard(500 * MS, "grab", 0).heard(505 * MS, "grab", 1).heard(520 * MS, "leave", 1)
    race = hands.race([Terms(40 * MS, 20 * MS)] * 2, tap_rules(TIE, False), (0, 1), 520 * MS)
    assert race.lot is not None
    race.cast((0, 1), 520 * MS)
    assert first_tap(grab.replay(race.record())) == (0, 500 * MS)


def test_a_hand_that_is_back_while_a_lot_is_drawn_does_not_undo_it() -> None:
    """Seat 2 has thrown once and its clock is behind; level were 0 and 1, and their lot counts. Then it is next."""
    live = LiveTaps.begin(
        1,
        {"terms": [asdict(Terms(0, 0))] * 3, "rules": asdict(tap_rules(TIE, False)), "silence": 0},
        {},
        (0, 1, 2),
        0,
    )
    for seat in live.racers:
        live.show(seat, 0)
    live.unheard.clear()
    assert live.tap(2, None, 200 * MS)
    live.thrown(live.race(300 * MS))
    live.show(2, 1000 * MS)
    live.follow((0, 1), 1000 * MS)
    assert live.tap(0, None, 1100 * MS)
    assert live.tap(1, None, 1110 * MS)
    assert live.race(1200 * MS).lot is not None
    live.follow((0, 1, 2), 1210 * MS)
    assert live.tap(2, None, 1400 * MS)
    assert live.race(1400 * MS).lot is not None
    live.cast((1, 0))
    race = live.race(1500 * MS)
    assert first_tap(grab.replay(race.record())) == (1, 1110 * MS)
    live.thrown(race)
    assert first_tap(live.race(1600 * MS)) == (2, 600 * MS)


def test_who_plays_on_for_a_hasty_person_taps_when_the_hand_is_free() -> None:
    live = LiveTaps.begin(
        1, {"terms": [asdict(Terms(0, 0))] * 2, "rules": asdict(tap_rules(TIE, False)), "silence": 0}, {}, (0, 1), 0
    )
    for seat in live.racers:
        live.show(seat, 0)
    assert not live.tap(0, None, 100 * MS), "sooner than anybody sees"
    live.drive((0,), lambda _seat: 300 * MS)
    live.advance(1000 * MS)
    assert first_tap(live.race(1000 * MS)) == (0, 300 * MS + grab.LOCKED)


def _draws(actor: TableActor) -> list[dict[str, Any]]:
    assert actor.table.sealed is not None
    return [entry["draw"] for entry in actor.table.sealed.entries if "draw" in entry]


# --- who plays where ---------------------------------------------------------------------------------------------


def test_two_people_at_one_device_tap_each_in_their_half() -> None:
    async def work(world: World) -> None:
        actor = await world.table(tapping(human("Mia"), human("Ben")))
        both = await Person(world, actor, FIRST).come()
        both.taps = lambda seat: [(350.0 if seat else 500.0,) * 2]
        await world.until(lambda: actor.table.over)
        found = firsts(world, actor)
        assert taps_of(world, actor)[0]["rules"]["tie"] == TIE_ONE_DEVICE
        assert found[0] == (1, 350)
        assert {seat for seat, _ in found} == {0, 1} or len(found) == 1
        assert checked(actor.table).ok

    run(work)


@pytest.mark.parametrize("level", ["child", "strong"])
def test_against_the_computer(level: str) -> None:
    """The computer's hand taps in the rhythm of its level, never quicker than a person could."""

    async def work(world: World) -> None:
        actor = await world.table(tapping(human("Mia"), bot("Robo", level)))
        mia = await Person(world, actor, FIRST).come()
        mia.taps = every(900)
        await world.until(lambda: actor.table.over)
        times = [at for seat, at in [(0, 0), (1, 0), *firsts(world, actor)] if seat == 1]
        steps = [later - sooner for sooner, later in pairwise(times)]
        assert all(step >= 3 * FALSE_START // MS for step in steps), "no hand is as quick as that"
        assert checked(actor.table).ok

    run(work)


def test_computers_among_themselves_need_nobody_to_be_ready() -> None:
    async def work(world: World) -> None:
        actor = await world.table(tapping(bot("Robo"), bot("Bobo", "child")))
        await Person(world, actor, FIRST).come()
        await world.until(lambda: actor.table.over)
        assert checked(actor.table).ok

    run(work)


def test_only_taker_and_keeper_of_a_penalty_are_called() -> None:
    """In teams two of four race: the others need not be ready, and their taps are nobody's."""

    async def work(world: World) -> None:
        options = {"mode": "shoot-out", "penalty_model": "tap-race", "teams": "2v2", "players": 4}
        actor = await world.table(tapping(*map(human, ("Mia", "Ben", "Pia", "Jan")), options=options))
        all_four = await Person(world, actor, FIRST).come()
        all_four.taps = lambda seat: [(300.0 + 40 * seat,) * 2]
        await world.until(lambda: actor.table.waiting.kind == WAIT_READY)
        assert len(actor.table.called) == 2
        await world.until(lambda: actor.table.waiting.kind == WAIT_TAP)
        outside = next(seat for seat in range(4) if seat not in actor.table.taps)
        refused = actor.racing.tap(all_four.subscription, actor.table.rounds.n, outside, 300 * MS)
        assert refused is not None
        await world.until(lambda: actor.table.over)
        ended = [frame for frame in all_four.frames if frame.waiting["for"] == "ready" and frame.round is not None]
        # Every race has a whistle of its own, with a number of its own.
        assert len({frame.round["n"] for frame in ended if frame.round}) == len(all_four.of_type("whistle"))
        assert checked(actor.table).ok

    run(work)


@pytest.mark.parametrize("edition", ["four", "nine"])
def test_after_a_race_the_next_throw_is_somebodys_own(edition: str) -> None:
    """A penalty in the middle of a match: when its race is over, the match waits for whoever throws next."""
    options = {"penalty_model": "tap-race", "edition": edition}

    def until_a_race() -> tuple[str, ...]:
        luck = random.Random(1)
        while True:
            state, moves = bolzplatz.load_game("gooaaaaal", **options).new_initial_state(), list[str]()
            while not state.is_terminal():
                if whose_tap(state):
                    return tuple(moves)
                moves.append(state.action_to_string(luck.choice(list(state.legal_actions()))))
                state.play(moves[-1])

    async def work(world: World) -> None:
        setup = tapping(human("Mia"), human("Ben"), options=options)
        actor = await world.table(replace(setup, given=Given("before", until_a_race())))
        both = await Person(world, actor, FIRST).come()
        both.taps = lambda seat: [(300.0 + 40 * seat,) * 2]
        await world.until(lambda: actor.table.rounds.tapping is not None)
        await world.until(lambda: actor.table.state.view()["shown"]["race"] is None)
        table = actor.table
        assert (table.waiting.kind, table.waiting.seat) == (WAIT_THROW, table.state.roller())
        assert table.rounds.tapping is None
        assert Table.load(world.store.tables[table.id]).waiting == table.waiting

    run(work)


def test_a_throw_of_unlike_dice_needs_one_tap() -> None:
    """With nine dice a throw takes several draws: they follow one another, and the hand taps once."""

    async def work(world: World) -> None:
        mia, ben = await two(world, setup=tapping(human("Mia"), OPEN, options={**SUDDEN, "edition": "nine"}))
        mia.taps, ben.taps = every(300), every(450)
        await world.until(lambda: mia.actor.table.over)
        moves = mia.actor.table.moves()
        throws = [move for move in moves if move.startswith("throw")]
        assert len(throws) > len(moves) - len(throws) > 0
        assert checked(mia.actor.table).ok

    run(work)


@pytest.mark.parametrize("length", [11, 12, 14])
def test_chains_are_renewed_before_a_tap_whose_throw_they_could_not_bring(
    monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    """Nine dice are several draws that follow one another: the chains must not be used up between two of them."""
    monkeypatch.setattr(sealed, "CHAIN_LENGTH", length)

    async def work(world: World) -> None:
        mia, ben = await two(world, setup=tapping(human("Mia"), OPEN, options={**SUDDEN, "edition": "nine"}))
        mia.taps, ben.taps = every(300), every(450)
        await world.until(lambda: mia.actor.table.over)
        assert mia.actor.table.sealed is not None
        assert any("renewal" in entry for entry in mia.actor.table.sealed.entries)
        assert checked(mia.actor.table).ok

    run(work)


# --- lines that break, a server that stops -----------------------------------------------------------------------


def test_nobody_waits_for_a_hand_whose_line_broke() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps, ben.taps = every(300), lambda _seat: []
        await world.until(lambda: taps_of(world, mia.actor))
        await ben.go()
        await world.until(lambda: mia.actor.table.over)
        assert {seat for seat, _ in firsts(world, mia.actor)} == {0}
        assert checked(mia.actor.table).ok

    run(work)


def test_a_race_begins_anew_after_the_server_stopped_in_it() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps, ben.taps = every(300), every(500)
        await world.until(lambda: len(taps_of(world, mia.actor)) == 2)
        actor = await world.restart(mia.actor)
        for person in (mia, ben):
            person.actor = actor
            await person.come()
        await world.until(lambda: actor.table.over)
        assert len(mia.of_type("whistle")) >= 2
        found = checked(actor.table)
        assert found.ok, found.faults
        assert "broken-off" in {note.kind for note in found.notes}

    run(work)


async def asked_and_agreed(world: World, asks: Person, agrees: Person, seat: int = 1) -> None:
    """Let somebody take over a seat."""
    asked = asyncio.ensure_future(asks.actor.act(asks.subscription, Propose("mine?", SEAT, seat=seat, name="Zoe")))
    await world.until(asked.done)
    assert asked.result().ok, asked.result()
    yes = asyncio.ensure_future(agrees.actor.act(agrees.subscription, Agree("yes", asked.result().version, True)))
    await world.until(yes.done)
    assert yes.result().ok, yes.result()


def of_seat(world: World, actor: TableActor, seat: int) -> list[int]:
    return [at for who, at in firsts(world, actor) if who == seat]


def test_who_takes_a_seat_over_in_the_middle_of_a_race_is_waited_for() -> None:
    """Zoe's line is slow: only a table that waits for her tap finds out that it was the quicker one."""

    async def work(world: World) -> None:
        mia, ben = await two(world)
        zoe = await Person(world, mia.actor, THIRD, 100.0).come()
        await world.until(lambda: mia.of_type("whistle"))
        await ben.go()
        await world.after(31_000)
        await asked_and_agreed(world, zoe, mia)
        table = mia.actor.table
        assert table.waiting.kind == WAIT_TAP
        await world.after(200)
        assert zoe.frame.seats == (1,)
        zoe.tap(1, None, 300, table.rounds.n)
        mia.tap(0, None, 480, table.rounds.n)
        await world.until(lambda: taps_of(world, mia.actor))
        assert firsts(world, mia.actor)[0][0] == 1, "her tap came later and was the quicker one"
        assert ["come_back", 1] in [[kind, who] for kind, _, who, *_ in taps_of(world, mia.actor)[0]["inputs"]]
        zoe.taps, mia.taps = every(300), every(400)
        await world.until(lambda: table.over)
        assert checked(table).ok, checked(table).faults

    run(work)


def test_a_computer_that_plays_on_in_the_middle_of_a_race_is_waited_for_and_makes_up_for_nothing() -> None:
    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps = lambda _seat: [(40_000.0, 40_000.0)]
        await world.until(lambda: mia.of_type("whistle"))
        began = mia.of_type("whistle")[0][0]
        await ben.go()
        await world.after(31_000)
        helped = await mia.actor.act(mia.subscription, Substitute("plays on", 1, on=True))
        assert helped.ok
        since = (world.now_us - began) // MS
        await world.until(lambda: of_seat(world, mia.actor, 1))
        assert of_seat(world, mia.actor, 1)[0] > since, "no taps of the time in which nobody was there"
        assert not of_seat(world, mia.actor, 0), "she was not quicker only because nobody waited"
        # Whoever is back plays on where the computer's hand is.
        ben.taps = every(300)
        await ben.come()
        back = await mia.actor.act(ben.subscription, Back("here"))
        assert back.ok
        mia.taps = every(500)
        await world.until(lambda: mia.actor.table.over)
        assert checked(mia.actor.table).ok, checked(mia.actor.table).faults

    run(work)


def test_whoever_is_not_ready_in_time_may_be_played_for_in_that_race_alone() -> None:
    """In a shoot-out a race follows a race: the computer's hand leaves with the one for which it came."""

    async def work(world: World) -> None:
        options = {"mode": "shoot-out", "n": 2, "penalty_model": "tap-race"}
        mia, ben = await two(world, setup=tapping(human("Mia"), OPEN, options=options, turn_seconds=30))
        table = mia.actor.table
        await world.until(lambda: table.waiting.kind == WAIT_READY)
        ben.gets_ready = False
        mia.taps, ben.taps = every(600), every(300)
        if 1 in mia.actor.racing.now().ready:
            ben.ready(1, table.rounds.n, on=False)
        await world.until(lambda: mia.frame.clock and mia.frame.clock["seats"] == [1])
        await world.until(lambda: mia.frame.can_substitute == [1])
        assert not mia.of_type("whistle")
        assert (await mia.actor.act(mia.subscription, Substitute("go on", 1, True))).ok
        first = table.rounds.n
        await world.until(lambda: table.waiting.kind == WAIT_READY and table.rounds.n != first)
        assert len(taps_of(world, mia.actor)) > 1, "throws of one race do not end it"
        assert table.substitutes == {}
        assert [turn.seat for turn in table.turns][-2:] == [None, None], "a race is one turn of all"
        n = table.rounds.n
        ben.gets_ready = True
        ben.ready(1, n)
        await world.until(lambda: table.over)
        assert checked(table).ok, checked(table).faults
        assert Table.load(world.store.tables[table.id]).turns == table.turns

    run(work)


def test_whoever_was_played_for_in_a_race_has_the_own_turn_after_it() -> None:
    """A penalty in the first period: the next one belongs to the seat that was too late for the race alone."""
    options = {"mode": "five-goals", "penalty_model": "tap-race"}
    given = {"table": "before", "moves": moves_to_a_first_penalty(options)}

    async def work(world: World) -> None:
        setup = tapping(human("Mia"), OPEN, options=options, turn_seconds=30, given=given)
        mia, ben = await two(world, setup=setup)
        table = mia.actor.table
        await world.until(lambda: table.waiting.kind == WAIT_READY)
        ben.gets_ready = False
        mia.taps = every(600)
        if 1 in mia.actor.racing.now().ready:
            ben.ready(1, table.rounds.n, on=False)
        await world.until(lambda: mia.frame.can_substitute == [1])
        assert (await mia.actor.act(mia.subscription, Substitute("go on", 1, True))).ok
        await world.until(lambda: table.rounds.tapping is not None)
        await world.until(lambda: table.rounds.tapping is None)
        assert table.turns[-1].seat == 1
        assert table.substitutes == {}
        assert not table.plays_itself(1)

    run(work)


def moves_to_a_first_penalty(options: dict[str, Any]) -> list[str]:
    """Play at random until the seat that begins has a race before it, in the first period."""
    luck = random.Random(5)
    while True:
        state = bolzplatz.load_game("gooaaaaal", **options).new_initial_state()
        while not state.is_terminal() and not whose_tap(state):
            state.apply_action(luck.choice(state.legal_actions()))
        if not state.is_terminal() and state._data.starter == 0 and sum(state._data.penalties) == 0:
            return state.history()


# --- what a record is held to ------------------------------------------------------------------------------------


def forged(change: Callable[[list[dict[str, Any]]], None], fault: str) -> None:
    """Play a race, change what the log says of its taps, and see that the rules and the arbiter do not bear it out."""

    async def work(world: World) -> None:
        mia, ben = await two(world)
        mia.taps, ben.taps = every(300), every(500)
        await world.until(lambda: mia.actor.table.over)
        table = mia.actor.table
        assert table.sealed is not None
        proof = table.sealed.proof(closed=True)
        report = verify_proof(proof)
        entries = [dict(entry) for entry in proof["entries"]]
        seats = proof["opening"]["seats"]
        moves, _ = proven_moves(table.state.game, (), entries, report.draws, seats)
        assert moves == table.moves()
        change([entry for entry in entries if "tap" in entry])
        with pytest.raises(RecordError, match=fault):
            proven_moves(table.state.game, (), entries, report.draws, seats)

    run(work)


def test_a_record_with_another_hand_is_found_out() -> None:
    def change(taps: list[dict[str, Any]]) -> None:
        taps[0]["move"] = "tap 1"

    forged(change, "does not follow from the taps")


def test_a_record_with_clocks_set_back_is_found_out() -> None:
    def change(taps: list[dict[str, Any]]) -> None:
        terms = list(Hands.at_whistle([each["handicap"] for each in taps[1]["tap"]["terms"]]).clocks)
        terms[0] -= 100 * MS
        old = taps[1]["tap"]
        again = Hands(tuple(terms)).heard(terms[0] + 300 * MS, "grab", 0, 300 * MS)
        plain = [Terms(each["cap"], each["usual"]) for each in old["terms"]]
        race = again.race(plain, tap_rules(old["rules"]["tie"], False), (0, 1), 2000 * MS)
        taps[1]["tap"], taps[1]["move"] = race.record(), f"tap {first_tap(race)[0]}"

    forged(change, "the clocks or taps")


def test_a_record_that_forgets_a_tap_is_found_out() -> None:
    """Mia taps at 600, Ben at 500 ms; whoever leaves his tap out of the second race is found out in the third."""

    def change(taps: list[dict[str, Any]]) -> None:
        hands, place = Hands.at_whistle([0, 0]), 0
        while not hands.inputs:
            hands = hands.told(taps[place]["tap"]).after(grab.replay(taps[place]["tap"]))
            place += 1
        old = taps[place]["tap"]
        plain = [Terms(each["cap"], each["usual"]) for each in old["terms"]]
        empty = Hands(hands.clocks).heard(hands.clocks[0] + 300 * MS, "grab", 0, 300 * MS)
        race = empty.race(plain, tap_rules(old["rules"]["tie"], False), (0, 1), 60_000 * MS)
        taps[place]["tap"], taps[place]["move"] = race.record(), f"tap {first_tap(race)[0]}"

    forged(change, "the clocks or taps")


def test_a_record_that_allows_more_for_a_line_is_found_out() -> None:
    def change(taps: list[dict[str, Any]]) -> None:
        old = taps[1]["tap"]
        hands = Hands.at_whistle([0, 0]).told(taps[0]["tap"]).after(grab.replay(taps[0]["tap"]))
        for at, seat, reported in [(at, seat, what[-1]) for kind, at, seat, *what in old["inputs"] if kind == "grab"]:
            if (at, "grab", seat, reported) not in hands.inputs:
                hands = hands.heard(at, "grab", seat, reported)
        wider = [Terms(each["cap"] + 50 * MS, each["usual"]) for each in old["terms"]]
        race = hands.race(wider, tap_rules(old["rules"]["tie"], False), (0, 1), old["now"] + 200 * MS)
        taps[1]["tap"], taps[1]["move"] = race.record(), f"tap {first_tap(race)[0]}"

    forged(change, "allowed for the lines")


def test_what_is_agreed_on_races_of_taps() -> None:
    assert tapping(human("Mia"), human("Ben"), strict=True).strict
    assert tapping({**human("Mia"), "handicap": 250}, human("Ben")).seats[0].handicap == 250
    with pytest.raises(SetupError, match="strict"):
        tapping(human("Mia"), human("Ben"), options={"mode": "sudden-death"}, strict=True)
    with pytest.raises(SetupError, match="tie"):
        tapping(human("Mia"), human("Ben"), tie="nobody")
    assert not tapping(human("Mia"), human("Ben"), dice="hand").tapped, "real hands are told, not timed"


def test_a_head_start_is_given_once() -> None:
    """Who gives 500 ms begins half a second later by the clock; from then on only the hands count."""

    async def work(world: World) -> None:
        mia, ben = await two(world, setup=tapping({**human("Mia"), "handicap": 500}, OPEN))
        mia.taps, ben.taps = every(300), every(350)
        await world.until(lambda: mia.actor.table.over or len(taps_of(world, mia.actor)) >= 4)
        assert firsts(world, mia.actor)[:2] == [(1, 350), (1, 700)]
        assert (0, 800) in firsts(world, mia.actor)[:4]

    run(work)
