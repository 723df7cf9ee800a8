"""A table among friends: who may do what, what the log keeps of it, and that folding it gives what was seen live."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import bolzplatz
from bolzplatz.core import sealed
from bolzplatz.core.record import read_record, replay_record, verify_record
from bolzplatz.core.sealed import Contributor, new_secret
from bolzplatz.table.commands import (
    Add,
    Agree,
    Back,
    Do,
    Enter,
    Fill,
    Move,
    Propose,
    Rematch,
    Rename,
    Renew,
    Rise,
    Settle,
    Sit,
    Start,
    Substitute,
    Undo,
    Witness,
)
from bolzplatz.table.company import GONE, HERE
from bolzplatz.table.frames import ALL, Viewer, build_frame, perspectives, plan_replay
from bolzplatz.table.handling import MOST_WITNESSES
from bolzplatz.table.setup import Given, TableSetup
from bolzplatz.table.table import (
    PROPOSAL_SECONDS,
    WAIT_BOT,
    WAIT_CONTRIBUTE,
    WAIT_DECIDE,
    WAIT_OVER,
    WAIT_ROOM,
    WAIT_THROW,
    WAIT_TIP,
)
from tests import hidden_game
from tests.friends_kit import ANN, BEN, CLEO, DAN, Friends, fill_bot, open_seat, seats_taken
from tests.table_kit import bot, human, picture, setup_of


@pytest.fixture(autouse=True)
def short_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 2)


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden_game.bring(monkeypatch)


def room(
    *seats: dict[str, Any], game: str = "5050", dice: str = "sealed", turn_seconds: int = 0, **options: Any
) -> Friends:
    """A room with these seats; without any: Ann, and two that wait."""
    sits = seats or (human("Ann"), open_seat(), open_seat())
    fields = {"game": game, "seats": list(sits), "dice": dice, "turn_seconds": turn_seconds, "options": options}
    return Friends.new(TableSetup.from_dict(fields))


def three(**more: Any) -> Friends:
    """Ann, Ben and Cleo, each at a browser of their own, with the match opened."""
    friends = seats_taken(room(**{"target": 1000, **more}), [(BEN, "Ben"), (CLEO, "Cleo")])
    return friends if friends.table.by_hand else friends.open()


def names(friends: Friends) -> list[str]:
    return [seat.name for seat in friends.table.setup.seats]


def proven(friends: Friends) -> Any:
    found = verify_record(read_record(friends.table.record().encode()), bolzplatz.load_game)
    assert found.ok, found.faults
    return found


# --- the room before the match --------------------------------------------------------------------------------


def test_people_sit_down_change_seats_and_get_up_before_the_start() -> None:
    friends = room()
    assert friends.table.waiting.kind == WAIT_ROOM
    friends.sit(BEN, 1, " Ben ")
    assert friends.refused(Sit("x", 1, "Cleo", CLEO)) == "taken"
    assert friends.refused(Sit("x", 2, "bEN", CLEO)) == "same_name"
    assert friends.refused(Sit("x", 2, "<b>", CLEO)) == "bad_name"
    assert friends.refused(Sit("x", 9, "Cleo", CLEO)) == "not_yours"
    friends.sit(CLEO, 2, "Cleo")
    assert friends.table.owners == (ANN, BEN, CLEO)
    assert friends.refused(Move("x", 1, 2, BEN)) == "taken"
    assert friends.do(Rise("a", 2, CLEO)) is None
    assert names(friends) == ["Ann", "Ben", ""]
    assert friends.do(Move("b", 1, 2, BEN)) is None
    assert names(friends) == ["Ann", "", "Ben"]
    assert friends.table.owners == (ANN, None, BEN)
    assert friends.table.setup.seats[2].look == 1  # the colour moves along
    assert friends.do(Rename("c", 2, "Benno", BEN)) is None
    assert friends.refused(Rename("x", 0, "Anna", BEN)) == "not_yours"
    friends.sit(BEN, 1, "Bo")  # a second person at Ben's device
    assert friends.table.seats_of(BEN) == (1, 2)
    assert picture(friends.reloaded()) == picture(friends.table)


def test_the_host_fills_seats_moves_people_and_starts() -> None:
    friends = room()
    friends.sit(BEN, 1, "Ben")
    for command in (fill_bot("x", 2, BEN), Add("x", BEN), Start("x", BEN), Fill("x", 2, "none", owner=BEN)):
        assert friends.refused(command) == "not_host"
    assert friends.refused(Start("x", ANN)) == "seats_open"
    assert friends.refused(fill_bot("x", 1)) == "taken"
    assert friends.refused(fill_bot("x", 2, level="godlike")) == "not_offered"
    assert friends.do(fill_bot("a", 2)) is None
    assert friends.do(Rename("b", 2, "Roba", ANN)) is None
    assert friends.do(Move("c", 0, 1, ANN)) is None  # the host lets two change places
    assert names(friends) == ["Ben", "Ann", "Roba"]
    assert friends.table.owners == (BEN, ANN, None)
    assert friends.do(Fill("d", 2, "human", name="Tom", owner=ANN)) is None
    assert friends.table.seats_of(ANN) == (1, 2)
    assert friends.do(Rise("e", 0, ANN)) is None  # the host frees somebody's seat
    assert friends.do(Add("f", ANN)) is None
    assert friends.table.setup.options["players"] == 4
    assert friends.do(Fill("g", 0, "none", owner=ANN)) is None
    assert friends.do(Fill("h", 2, "none", owner=ANN)) is None
    assert names(friends) == ["Ann", "Tom"]
    assert friends.do(Start("i", ANN)) is None
    assert friends.table.waiting.kind == WAIT_TIP
    for command in (Sit("x", 0, "Zoe", DAN), Rise("x", 1, ANN), Start("x", ANN), Add("x", ANN)):
        assert friends.refused(command) == "started"
    assert picture(friends.reloaded()) == picture(friends.table)


def test_a_table_has_as_many_seats_as_its_game() -> None:
    friends = room(human("Ann"), open_seat(), game="bar-bolz", penalty_optional=False)
    assert friends.refused(Fill("x", 1, "none", owner=ANN)) in ("seat_count", "bad_option")
    first = room(human("Ann"), open_seat(), open_seat(), first=2)
    assert first.do(Fill("a", 1, "none", owner=ANN)) is None
    assert first.table.setup.options["first"] == 0  # who was to begin is not there any more
    assert first.table.setup.options["players"] == 2


def test_who_is_gone_hands_the_host_on_and_the_log_says_so() -> None:
    friends = room()
    friends.sit(BEN, 1, "Ben")
    friends.presence[ANN] = GONE
    assert friends.refused(fill_bot("x", 2, ANN)) == "not_host"
    assert friends.do(fill_bot("a", 2, BEN)) is None
    assert friends.kinds()[-2:] == ["host", "filled"]
    assert friends.table.host == BEN
    friends.presence[ANN] = HERE
    assert friends.refused(Start("x", ANN)) == "not_host"
    friends.start(BEN)
    assert picture(friends.reloaded()) == picture(friends.table)


def test_a_table_without_open_seats_begins_at_once_unless_it_is_a_room() -> None:
    assert room(human("Ann"), human("Ben")).table.waiting.kind == WAIT_TIP
    setup = TableSetup.from_dict({"game": "5050", "seats": [human("Ann"), human("Ben")], "room": True})
    assert Friends.new(setup).table.waiting.kind == WAIT_ROOM
    with pytest.raises(bolzplatz.core.errors.BolzplatzError, match="open"):
        TableSetup.from_dict({"game": "5050", "seats": [human("Ann"), open_seat()], "room": False})


# --- several browsers contribute to the dice ------------------------------------------------------------------


def test_every_browser_contributes_once_however_many_seats_it_has() -> None:
    friends = room(human("Ann"), human("Al"), open_seat(), bot("Robo"), target=600)
    friends.sit(BEN, 2, "Ben")
    friends.do(Witness("w", True, CLEO))
    friends.start()
    expected = {"seat-0": ANN, "seat-2": BEN, "witness-1": CLEO}
    assert friends.table.expected_tips == expected
    friends.open()
    assert friends.table.contributors == expected
    assert set(friends.last("opened").body["opening"]["tips"]) == {"server", *expected}
    friends.throw()
    draw = friends.last("draw").body["draw"]
    assert set(draw["values"]) == set(expected)
    assert draw["absent"] == []
    assert friends.table.silent == ()
    while friends.table.waiting.kind != WAIT_OVER:
        friends.step(choice=len(friends.entries))
    found = proven(friends)
    assert {note.kind for note in found.notes} == {"no-chain"}  # the second person at a browser, and the computer
    assert all(guard.compare(friends.table.sealed.proof(closed=True)) == () for guard in friends.guards.values())  # type: ignore[union-attr]


def test_each_browsers_value_changes_the_dice() -> None:
    seen = set()
    for silent in ((), (BEN,), (CLEO,), (BEN, CLEO)):
        friends = three()
        friends.step()
        friends.draw(silent)
        throw = friends.table.last_throw
        assert throw is not None
        assert set(throw["absent"]) == {"seat-1" if owner == BEN else "seat-2" for owner in silent}
        seen.add(tuple(throw["drawn"]))
    assert len(seen) == 4


def test_who_does_not_send_a_tip_is_left_out_and_noted() -> None:
    friends = seats_taken(room(target=1000), [(BEN, "Ben"), (CLEO, "Cleo")]).open(silent=[BEN])
    assert friends.table.silent == (1,)
    assert friends.table.happenings[-1] | {"version": 0} == {"version": 0, "step": 0, "kind": "opened", "silent": [1]}
    friends.throw()
    assert set(friends.last("draw").body["draw"]["values"]) == {"seat-0", "seat-2"}
    assert [note.who for note in proven(friends).notes if note.kind == "no-chain"] == [("seat-1",)]


def test_who_has_no_part_may_ask_for_new_chains_and_takes_part_from_then_on() -> None:
    friends = seats_taken(room(target=1000), [(BEN, "Ben"), (CLEO, "Cleo")]).open(silent=[BEN])
    friends.throw()
    assert friends.refused(Renew("x", ANN)) == "has_part"
    assert friends.refused(Renew("x", DAN)) == "not_yours"
    assert friends.do(Renew("a", BEN)) is None
    assert friends.table.waiting.kind == WAIT_TIP
    assert friends.refused(Renew("x", BEN)) == "not_now"
    friends.guards[BEN].join("seat-1", new_secret())
    friends.open()
    assert friends.table.silent == ()
    told = friends.table.happenings[-1]
    assert (told["kind"], told["joined"], told["dropped"]) == ("renewed", ["seat-1"], [])
    friends.throw()
    assert set(friends.last("draw").body["draw"]["values"]) == {"seat-0", "seat-1", "seat-2"}
    notes = {note.kind: note for note in proven(friends).notes}
    assert notes["joined"].who == ("seat-1",)
    assert picture(friends.reloaded()) == picture(friends.table)


def test_a_browser_that_lost_its_storage_comes_back_with_fresh_chains() -> None:
    friends = three()
    friends.throw()
    lost = Contributor(friends.table.id)  # all that it knows now is what it is shown
    lost.open(friends.last("opened").body["opening"])
    lost.accept(friends.last("draw").body)
    friends.guards[BEN] = lost
    assert friends.refused(Renew("x", BEN)) == "has_part"  # nobody knows yet that it cannot answer
    while friends.table.waiting.kind != WAIT_CONTRIBUTE:
        friends.step()
    friends.draw(silent=[BEN])
    assert friends.do(Renew("a", BEN)) is None
    lost.join("seat-1", new_secret())
    friends.open()
    friends.throw()
    assert friends.last("draw").body["draw"]["absent"] == []
    assert lost.compare(friends.table.sealed.proof(closed=False)) == ()  # type: ignore[union-attr]


def test_used_up_chains_do_not_stop_a_table_that_one_browser_left_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "CHAIN_LENGTH", 3)
    friends = three()
    while friends.table.waiting.kind != WAIT_TIP:
        friends.step(silent=[ANN])
    friends.open(silent=[ANN])  # the first browser is gone for good
    assert set(friends.table.contributors) == {"seat-1", "seat-2"}
    friends.presence[ANN] = GONE
    friends.do(Substitute("s", 0, True, BEN))
    for _ in range(3):
        friends.throw()
    assert "dropped" in {note.kind for note in proven(friends).notes}


def test_spectators_may_be_witnesses_until_the_opening() -> None:
    friends = room()
    assert friends.refused(Witness("x", True, ANN)) == "not_now"
    assert friends.do(Witness("a", True, DAN)) is None
    assert friends.refused(Witness("x", True, DAN)) == "not_now"
    assert friends.do(Witness("b", False, DAN)) is None
    for number in range(MOST_WITNESSES):
        assert friends.do(Witness(f"c{number}", True, f"browser {number}")) is None
    assert friends.refused(Witness("x", True, DAN)) == "too_many"
    friends.sit(BEN, 1, "Ben")
    friends.sit(CLEO, 2, "Cleo")
    friends.start().open()
    assert len(friends.table.contributors) == 3 + MOST_WITNESSES
    assert friends.refused(Witness("x", True, DAN)) == "not_now"
    frame = build_frame(friends.table, (), 0, Viewer("browser 0"))
    assert (frame.witness, frame.who, frame.seat) == (True, "witness-1", None)


# --- substitutes and time -------------------------------------------------------------------------------------


def test_the_others_let_a_computer_play_on_until_the_person_is_back() -> None:
    friends = three()
    friends.until(WAIT_THROW, seat=1)
    assert friends.refused(Substitute("x", 1, True, ANN)) == "not_gone"
    friends.presence[BEN] = GONE
    for owner, seat in ((BEN, 1), (DAN, 1), (ANN, 0), (ANN, 7)):
        assert friends.refused(Substitute("x", seat, True, owner)) == "not_yours"
    assert friends.table.waiting.kind == WAIT_THROW  # never by itself
    assert friends.do(Substitute("a", 1, True, CLEO)) is None
    assert (friends.table.waiting.kind, friends.table.waiting.seat) == (WAIT_BOT, 1)
    assert friends.table.level_of(1) == "good"
    assert friends.refused(Substitute("x", 1, True, ANN)) == "not_gone"
    friends.until(WAIT_THROW, seat=2)
    assert all(
        entry.body["by"] == "computer"
        for entry in friends.entries
        if entry.body.get("move") and entry.body["seat"] == 1
    )
    friends.presence[BEN] = HERE
    assert 1 in friends.table.substitutes  # until the person says so
    assert friends.do(Back("b", BEN)) is None
    assert friends.refused(Back("x", BEN)) == "not_now"
    friends.until(WAIT_THROW, seat=1)
    assert picture(friends.reloaded()) == picture(friends.table)
    assert [told["on"] for told in friends.table.happenings if told["kind"] == "substitute"] == [True, False]


def test_the_first_command_of_the_person_ends_the_substitute() -> None:
    friends = three()
    friends.until(WAIT_THROW, seat=1)
    friends.presence[BEN] = GONE
    friends.do(Substitute("a", 1, True, ANN))
    assert friends.do(Do("b", friends.table.version, 1, (), True)) is None
    assert friends.kinds()[-2:] == ["substitute", "throw"]
    assert friends.table.substitutes == {}
    friends.presence[BEN] = GONE
    friends.draw()
    assert friends.do(Substitute("c", 1, True, ANN)) is None
    assert friends.do(Substitute("d", 1, False, CLEO)) is None  # those who asked for it may end it, too
    assert friends.table.substitutes == {}


def test_when_the_time_is_up_the_others_may_hand_over_this_one_turn() -> None:
    friends = three(turn_seconds=30)
    friends.until(WAIT_THROW, seat=1)
    began = friends.now
    for waited, reason in ((0, "not_gone"), (39.9, "not_gone")):
        friends.now = began + waited
        assert friends.refused(Substitute("x", 1, True, ANN)) == reason
    friends.now = began + 40
    clock = friends.company.clock
    assert clock is not None
    assert (clock.seats, clock.left(began + 12), clock.state(began + 31), clock.state(began + 40)) == (
        (1,),
        18,
        "grace",
        "over",
    )
    assert friends.table.waiting.kind == WAIT_THROW  # nothing happens by itself
    assert friends.do(Substitute("a", 1, True, CLEO)) is None
    assert friends.table.substitutes == {1: True}
    friends.until(WAIT_THROW, seat=2)
    assert friends.table.substitutes == {}
    friends.until(WAIT_THROW, seat=1)
    assert friends.refused(Substitute("x", 1, True, ANN)) == "not_gone"  # a new turn, new time
    assert picture(friends.reloaded()) == picture(friends.table)


def test_the_clock_of_a_turn_begins_with_it_and_not_before_a_restart() -> None:
    friends = three(turn_seconds=60)
    friends.until(WAIT_THROW, seat=0)
    friends.now += 50
    friends.throw()
    while friends.table.waiting.seat == 0 and friends.table.waiting.kind == WAIT_BOT:
        friends.step()
    if friends.table.waiting.seat == 0:
        clock = friends.table.turn_clock(0.0)
        assert clock is not None
        assert clock.began == friends.now - 50  # the same turn goes on
    assert friends.table.turn_clock(9999.0).began == 9999.0  # type: ignore[union-attr]
    without = three()
    without.until(WAIT_THROW, seat=0)
    assert without.table.turn_clock(0.0) is None


# --- taking back, and going back by agreement -----------------------------------------------------------------


def decision_of(friends: Friends, seat: int) -> None:
    """Play until that seat has a real choice."""
    while friends.table.waiting.kind != WAIT_DECIDE or friends.table.waiting.seat != seat:
        friends.step()


def test_an_own_decision_is_taken_back_until_the_dice_fall() -> None:
    friends = three()
    decision_of(friends, 1)
    before = friends.table.state.clone()
    assert friends.table.undo_start((1,)) is None  # the last thing was a throw
    friends.step(choice=0)
    assert friends.table.undo_start((0,)) is None
    assert friends.refused(Undo("x", friends.table.version, (0, 2))) == "no_undo"
    assert friends.do(Undo("a", friends.table.version, (1,))) is None
    assert friends.table.state == before
    assert friends.kinds()[-2:] == ["action", "undo"]
    friends.step(choice=1)
    friends.step()
    if friends.table.asked:
        assert friends.refused(Undo("x", friends.table.version, (1,))) == "no_undo"  # the throw is asked for
    friends.throw()
    assert friends.refused(Undo("x", friends.table.version, (1,))) == "no_undo"
    assert picture(friends.reloaded()) == picture(friends.table)
    proven(friends)


def test_nothing_is_taken_back_over_what_another_has_done() -> None:
    friends = three(dice="hand")
    friends.step()
    while friends.table.waiting.seat != 1:
        friends.step()
    assert friends.table.undo_start((0,)) is not None
    assert friends.do(Enter("a", friends.table.version, "throw 112346", (1,))) is None
    assert friends.table.undo_start((0,)) is None
    assert friends.table.undo_start((1,)) == len(friends.entries)


def test_real_dice_are_entered_by_those_who_throw_them() -> None:
    friends = seats_taken(room(human("Ann"), open_seat(), bot("Robo"), dice="hand"), [(BEN, "Ben")])
    for seats in ((1,), ()):
        assert friends.refused(Enter("x", friends.table.version, "throw 112346", seats)) == "not_yours"
        assert not build_frame(friends.table, seats, 0).mine
    assert build_frame(friends.table, (0,), 0).mine
    assert friends.do(Enter("a", friends.table.version, "throw 22336", (0,))) is not None  # five dice are no throw
    assert friends.do(Enter("b", friends.table.version, "throw 222346", (0,))) is None
    friends.until(WAIT_THROW, seat=2)
    for seats in ((0,), (1,)):
        assert build_frame(friends.table, seats, 0).mine  # anybody throws for the computer
    assert not build_frame(friends.table, (), 0).mine
    assert friends.do(Enter("c", friends.table.version, "throw 111346", (1,))) is None


def test_the_host_goes_back_when_all_who_are_there_agree() -> None:
    friends = three()
    for _ in range(3):
        friends.throw()
    states = [friends.table.state.clone()]
    target = next(turn for turn in friends.table.turns if turn.step)
    thrown = friends.table.sealed.k  # type: ignore[union-attr]
    assert friends.refused(Propose("x", "rewind", target.step, owner=BEN)) == "not_host"
    assert friends.refused(Propose("x", "rewind", 999, owner=ANN)) == "no_step"
    assert friends.do(Propose("a", "rewind", 1, owner=ANN)) is None
    n = friends.table.version
    assert friends.refused(Agree("x", n, True, DAN)) == "not_yours"
    assert friends.refused(Agree("x", n, True, ANN)) == "not_yours"
    assert friends.refused(Agree("x", n + 5, True, BEN)) == "no_proposal"
    assert friends.refused(Propose("x", "end", owner=BEN)) == "not_now"  # one question at a time
    assert friends.do(Agree("b", n, True, BEN)) is None
    assert friends.table.state == states[0]  # not all have agreed yet
    assert friends.refused(Agree("x", n, True, BEN)) == "not_now"
    assert friends.do(Agree("c", n, True, CLEO)) is None
    assert friends.table.state.move_number() == 1
    assert friends.table.proposal is None
    assert friends.table.sealed.k == thrown  # type: ignore[union-attr]  # draws are not forgotten
    for _ in range(2):
        friends.throw()
    found = proven(friends)
    (note,) = [each for each in found.notes if each.kind == "rewound"]
    assert note.k == thrown
    assert note.count == thrown - 1
    assert picture(friends.reloaded()) == picture(friends.table)
    told = next(each for each in friends.table.happenings if each["kind"] == "rewound")
    assert told["draws"] == thrown - 1
    while friends.table.waiting.kind != WAIT_OVER:
        friends.step(choice=len(friends.entries))
    assert proven(friends).ok
    record = read_record(friends.table.record().encode())
    assert replay_record(record, bolzplatz.load_game) == friends.table.state
    assert all(guard.compare(friends.table.sealed.proof(closed=True)) == () for guard in friends.guards.values())  # type: ignore[union-attr]
    assert friends.refused(Propose("x", "rewind", 1, owner=ANN)) == "not_now"  # what was hidden is open now


def test_one_no_is_enough_and_the_proposer_takes_it_back_and_time_ends_it() -> None:
    friends = three()
    friends.throw()
    for teller, yes in ((CLEO, False), (ANN, False)):
        assert friends.do(Propose(friends.tap(), "rewind", 0, owner=ANN)) is None
        n = friends.table.version
        assert friends.do(Agree(friends.tap(), n, yes, teller)) is None
        assert friends.table.proposal is None
        assert friends.refused(Agree("x", n, True, BEN)) == "no_proposal"
    assert friends.do(Propose("a", "rewind", 0, owner=ANN)) is None
    friends.now += PROPOSAL_SECONDS
    assert friends.refused(Agree("x", friends.table.version, True, BEN)) == "no_proposal"
    assert build_frame(friends.table, (0,), 0, Viewer(ANN, friends.company, friends.now)).proposal is None
    assert friends.do(Propose("b", "end", owner=BEN)) is None  # a new one may be asked


def test_who_is_gone_is_not_asked_but_one_must_agree() -> None:
    friends = three()
    friends.throw()
    friends.presence[CLEO] = GONE
    assert friends.do(Propose("a", "rewind", 0, owner=ANN)) is None
    frame = build_frame(friends.table, (1,), 0, Viewer(BEN, friends.company, friends.now))
    assert frame.proposal is not None
    assert (frame.proposal["by"], frame.proposal["asked"], frame.proposal["you"]) == (0, [1], "asked")
    assert friends.do(Agree("b", friends.table.version, True, BEN)) is None
    assert friends.table.state.move_number() == 0
    friends.throw()
    friends.presence[BEN] = GONE
    assert friends.refused(Propose("x", "rewind", 0, owner=ANN)) == "nobody_to_ask"
    assert friends.refused(Propose("x", "end", owner=ANN)) == "nobody_to_ask"


def test_a_question_is_settled_when_the_last_who_had_not_answered_is_gone() -> None:
    friends = three()
    friends.throw()
    assert friends.do(Propose("a", "end", owner=ANN)) is None
    assert friends.refused(Settle()) == "not_now"
    assert friends.do(Agree("b", friends.table.version, True, BEN)) is None
    assert not friends.table.settled(friends.now, friends.company)
    friends.presence[CLEO] = GONE
    assert friends.table.settled(friends.now, friends.company)
    assert friends.do(Settle()) is None
    assert friends.table.ended


def test_alone_at_the_table_one_goes_back_at_once() -> None:
    friends = room(human("Ann"), bot("Robo"), target=1000).open()
    friends.throw()
    assert friends.do(Propose("a", "rewind", 0, owner=ANN)) is None
    assert friends.table.state.move_number() == 0
    friends.throw()
    assert [note.kind for note in proven(friends).notes if note.kind == "rewound"] == ["rewound"]
    assert friends.do(Propose("b", "end", owner=ANN)) is None
    assert friends.table.waiting.kind == WAIT_OVER


def test_a_draw_that_is_asked_for_is_made_before_anything_goes_back() -> None:
    friends = three()
    friends.throw()
    assert friends.do(Propose("a", "rewind", 0, owner=ANN)) is None
    n = friends.table.version
    friends.do(Agree("b", n, True, BEN))
    while not friends.table.asked:
        friends.step()
    assert friends.refused(Agree("x", n, True, CLEO)) == "not_now"
    friends.draw()
    assert friends.do(Agree("c", n, True, CLEO)) is None
    assert friends.table.state.move_number() == 0
    proven(friends)


def test_the_match_ends_by_agreement_and_a_rematch_follows() -> None:
    friends = three()
    friends.throw()
    assert friends.refused(Propose("x", "end", owner=DAN)) == "not_yours"
    assert friends.do(Propose("a", "end", owner=CLEO)) is None
    n = friends.table.version
    friends.do(Agree("b", n, True, ANN))
    assert friends.do(Agree("c", n, True, BEN)) is None
    assert friends.table.waiting.kind == WAIT_OVER
    frame = build_frame(friends.table, (0,), 0)
    assert frame.ended
    assert frame.result is not None
    assert frame.result["winners"] == []
    assert read_record(friends.table.record().encode()).result == "unfinished"
    proven(friends)
    version = friends.table.version
    assert friends.refused(Do("x", version, 0, (), True)) == "not_now"
    assert friends.refused(Undo("x", version, (0,))) == "no_undo"
    assert friends.refused(Substitute("x", 1, True, ANN)) == "not_now"
    following = friends.table.next_setup()
    assert not following.room
    assert [seat.name for seat in following.seats] == ["Ann", "Ben", "Cleo"]
    assert friends.do(Rematch("r", "table-2")) is None
    assert picture(friends.reloaded()) == picture(friends.table)


# --- a seat on another device ---------------------------------------------------------------------------------


def test_a_seat_moves_to_another_device_of_the_same_person() -> None:
    friends = three()
    friends.throw()
    assert friends.refused(Propose("x", "seat", seat=1, name="Benno", owner=CLEO)) == "not_yours"
    assert friends.refused(Propose("x", "seat", seat=1, name="Ann", owner=DAN)) == "same_name"
    assert friends.do(Propose("a", "seat", seat=1, name="Benno", owner=DAN)) is None
    n = friends.table.version
    assert friends.refused(Agree("x", n, True, ANN)) == "not_yours"  # it is Ben's to give away
    assert friends.do(Agree("b", n, True, BEN)) is None
    assert friends.table.owners == (ANN, DAN, CLEO)
    assert names(friends) == ["Ann", "Benno", "Cleo"]
    assert friends.table.silent == (1,)
    assert friends.table.contributor_name(DAN) == "witness-100"  # Ben's browser would take seat-1 for its own
    assert friends.table.contributor_name(BEN) is None
    assert friends.do(Renew("c", DAN)) is None
    friends.guards[DAN] = Contributor(friends.table.id)
    friends.guards[DAN].open(friends.last("opened").body["opening"])
    for entry in friends.entries:
        if entry.kind == "draw":
            friends.guards[DAN].accept(entry.body)
    friends.guards[DAN].join("witness-100", new_secret())
    friends.open()
    assert friends.table.contributors == {"seat-0": ANN, "witness-100": DAN, "seat-2": CLEO}
    assert friends.table.silent == ()
    assert not friends.guards[BEN].contributing
    friends.throw()
    assert "Benno" not in friends.table.record()  # the record says what the opening says
    proven(friends)
    assert picture(friends.reloaded()) == picture(friends.table)


def test_the_seat_of_somebody_who_is_gone_is_the_others_to_give() -> None:
    friends = three()
    friends.presence[BEN] = GONE
    friends.do(Substitute("s", 1, True, ANN))
    assert friends.do(Propose("a", "seat", seat=1, name="Dan", owner=DAN)) is None
    n = friends.table.version
    assert friends.refused(Agree("x", n, True, BEN)) == "not_yours"
    friends.do(Agree("b", n, True, ANN))
    assert friends.table.owners[1] == BEN
    assert friends.do(Agree("c", n, True, CLEO)) is None
    assert friends.table.owners[1] == DAN
    assert friends.table.substitutes == {}


def test_nobody_takes_the_seat_of_one_who_plays_alone() -> None:
    friends = room(human("Ann"), bot("Robo"), target=1000).open()
    friends.presence[ANN] = GONE
    assert friends.refused(Propose("x", "seat", seat=0, name="Dan", owner=DAN)) == "nobody_to_ask"
    assert friends.refused(Propose("x", "seat", seat=1, name="Dan", owner=DAN)) == "not_yours"  # the computer's


# --- hidden things --------------------------------------------------------------------------------------------


@pytest.fixture
def dealt(cards: None) -> Friends:
    friends = seats_taken(
        Friends.new(setup_of("cards", human("Ann"), open_seat(), open_seat())), [(BEN, "Ben"), (CLEO, "Cleo")]
    )
    friends.until(WAIT_DECIDE, seat=0)
    return friends


def test_cards_come_from_a_sealed_deck_that_opens_at_the_end(dealt: Friends) -> None:
    draws = [entry.body["draw"] for entry in dealt.entries if entry.kind == "draw"]
    assert [draw["form"] for draw in draws[:6]] == ["deck"] * 6
    assert all(draw["faces"] is None for draw in draws[:6])
    hidden = dealt.table.throw_before(6)
    assert hidden is not None
    assert (hidden["hidden"], hidden["move"], hidden["drawn"], hidden["faces"]) == (True, None, None, None)
    assert not dealt.table.record_is_open
    salted = [entry for entry in dealt.table.sealed.entries if "move" in entry]  # type: ignore[union-attr]
    dealt.step()
    salted = [entry for entry in dealt.table.sealed.entries if "move" in entry]  # type: ignore[union-attr]
    assert all(len(entry["salt"]) == 64 for entry in salted)
    while dealt.table.waiting.kind != WAIT_OVER:
        dealt.step(choice=len(dealt.entries))
    assert dealt.table.record_is_open
    found = verify_record(read_record(dealt.table.record().encode()), hidden_game.load)
    assert found.ok, found.faults
    assert picture(dealt.reloaded()) == picture(dealt.table)


def test_what_shows_its_seat_no_new_card_is_taken_back(dealt: Friends) -> None:
    before = dealt.table.state.to_json()
    assert dealt.do(Do("a", dealt.table.version, 0, ("play 1",), False)) is None
    # The card goes back into the hand where it lay: that is no news to its seat.
    assert dealt.do(Undo("x", dealt.table.version, (0,))) is None
    assert dealt.table.state.to_json() == before
    assert dealt.do(Do("d", dealt.table.version, 0, ("play 1",), False)) is None
    dealt.until(WAIT_DECIDE, seat=1)
    assert dealt.do(Do("b", dealt.table.version, 1, ("pass",), False)) is None
    assert dealt.do(Undo("c", dealt.table.version, (1,))) is None  # a pass shows nothing
    assert dealt.table.waiting.seat == 1


def test_hands_are_opened_only_if_all_agree_whether_they_are_there_or_not(dealt: Friends) -> None:
    assert build_frame(dealt.table, (0,), 0).hands is None
    dealt.presence[CLEO] = GONE
    assert dealt.do(Propose("a", "open_hands", owner=ANN)) is None
    n = dealt.table.version
    dealt.do(Agree("b", n, True, BEN))
    assert not dealt.table.open_hands
    assert perspectives(dealt.table, (0,)) == [None, 0]
    assert dealt.do(Agree("c", n, True, CLEO)) is None
    assert dealt.table.open_hands
    frame = build_frame(dealt.table, (), 0)
    assert frame.hands is not None
    assert [set(view["fields"]["hand"]) for view in frame.hands] == [{0}, {1}, {2}]
    assert "pile" not in str(frame.hands)
    assert dealt.refused(Propose("x", "open_hands", owner=ANN)) == "not_now"
    assert perspectives(dealt.table, ()) == [None, 0, 1, 2]


def test_nothing_is_opened_where_nothing_is_hidden() -> None:
    assert three().refused(Propose("x", "open_hands", owner=ANN)) == "not_now"


def test_open_hands_may_be_agreed_on_before_the_match(cards: None) -> None:
    setup = TableSetup.from_dict({"game": "cards", "seats": [human("Ann"), open_seat()], "open_hands": True})
    friends = seats_taken(Friends.new(setup), [(BEN, "Ben")])
    friends.until(WAIT_DECIDE)
    assert build_frame(friends.table, (), 0).hands is not None


def test_the_replay_shows_each_step_as_each_seat_saw_it(dealt: Friends) -> None:
    lived = []
    while dealt.table.waiting.kind != WAIT_OVER:
        dealt.step(choice=len(dealt.entries))
        lived.append((dealt.table.state.move_number(), [dealt.table.state.view(seat) for seat in range(3)]))
    table = dealt.table
    assert perspectives(table, ()) == [None, 0, 1, 2, ALL]
    for step, views in lived:
        for seat in range(3):
            frame = plan_replay(table, (), step, seat, Viewer())()
            assert frame.view | {"legal_actions": []} == views[seat] | {"legal_actions": []}
            assert frame.replay == {
                "step": step,
                "steps": table.state.move_number(),
                "perspective": seat,
                "perspectives": [None, 0, 1, 2, ALL],
            }
    everything = plan_replay(table, (), table.state.move_number(), ALL, Viewer())()
    dealt_cards = {event["data"]["card"] for event in everything.log if event["kind"] == "dealt"}
    assert len(dealt_cards) == 6
    assert set(everything.view["fields"]["hand"]) == {0, 1, 2}
    assert sum(everything.view["fields"]["pile"]) == 2
    steps = [plan_replay(table, (), step, ALL, Viewer())().events for step in range(1, table.state.move_number() + 1)]
    assert [event for events in steps for event in events] == everything.log
    assert all(event["step"] == number for number, events in enumerate(steps) for event in events)
    public = plan_replay(table, (), 6, None, Viewer())()
    assert public.log == []
    assert plan_replay(table, (), 0, None, Viewer())().events == []


def test_while_the_match_goes_on_everybody_sees_only_the_own_side_again(dealt: Friends) -> None:
    assert perspectives(dealt.table, (1, 2)) == [None, 1, 2]
    assert perspectives(dealt.table, ()) == [None]


def test_where_nothing_is_hidden_every_side_is_open() -> None:
    assert perspectives(three().table, ()) == [None, 0, 1, 2]


# --- playing on from a position -------------------------------------------------------------------------------


def test_a_match_is_played_on_from_a_position() -> None:
    first = three()
    for _ in range(4):
        first.throw()
    moves = first.table.moves()
    setup = replace(first.table.setup, given=Given("table-1", tuple(moves[:5])))
    friends = Friends.new(TableSetup.from_dict(setup.to_dict() | {"room": False}))
    assert friends.table.state == bolzplatz.load_game("5050", players=3, target=1000).replay(moves[:5])
    friends.table.id = "table-2"
    friends.open()
    assert build_frame(friends.table, (0,), 0).given == {"table": "table-1", "step": 5}
    friends.throw()
    assert friends.refused(Propose("x", "rewind", 4, owner=ANN)) == "no_step"  # not behind the beginning
    assert friends.do(Propose("a", "rewind", 5, owner=ANN)) is None
    assert friends.table.moves() == moves[:5]
    friends.throw()
    found = proven(friends)
    assert [(note.kind, note.count) for note in found.notes if note.kind in ("given", "rewound")] == [
        ("given", 5),
        ("rewound", 1),
    ]
    assert Friends.new(friends.table.setup).table.steps_since(0) == 5
    events = build_frame(friends.table, (0,), friends.table.version - 1).events
    assert all(event["step"] >= 5 for event in events)
    assert picture(friends.reloaded()) == picture(friends.table)
    assert "given" not in friends.table.next_setup().to_dict() or friends.table.next_setup().given is None


@pytest.mark.parametrize(
    "given",
    [
        5,
        {},
        {"table": "t"},
        {"table": "t", "moves": "keep 1"},
        {"table": "t", "moves": ["dance"]},
        {"table": 1, "moves": []},
    ],
)
def test_a_position_that_the_rules_do_not_reach_is_refused(given: Any) -> None:
    with pytest.raises(bolzplatz.core.errors.BolzplatzError) as caught:
        TableSetup.from_dict({"game": "5050", "seats": [human("Ann"), human("Ben")], "given": given})
    assert "given" in str(caught.value)


# --- damage ---------------------------------------------------------------------------------------------------


def damages(friends: Friends) -> Iterator[list[Any]]:
    for i, entry in enumerate(friends.entries):
        if entry.kind in ("joined", "started", "opened", "substitute", "seat_taken", "agreed", "undo"):
            yield [*friends.entries[:i], replace(entry, body={}), *friends.entries[i + 1 :]]
            yield [*friends.entries[:i], replace(entry, kind="unheard of"), *friends.entries[i + 1 :]]


def test_damaged_entries_among_friends_are_named() -> None:
    friends = three()
    friends.throw()
    friends.presence[BEN] = GONE
    friends.do(Substitute("s", 1, True, ANN))
    friends.do(Propose("a", "rewind", 0, owner=ANN))
    friends.do(Agree("b", friends.table.version, True, CLEO))
    friends.do(Propose("c", "seat", seat=1, name="Dan", owner=DAN))
    n = friends.table.version
    friends.do(Agree("d", n, True, ANN))
    friends.do(Agree("e", n, True, CLEO))
    count = 0
    entries = friends.entries
    for damaged in damages(friends):
        friends.entries = damaged
        if damaged[next(i for i, (a, b) in enumerate(zip(damaged, entries, strict=True)) if a != b)].kind == "started":
            continue  # has no details that could be missing
        count += 1
        with pytest.raises(bolzplatz.core.errors.BolzplatzError, match="damaged at entry") as caught:
            friends.reloaded()
        assert "\n" not in str(caught.value)
    assert count > 10
