"""One match at a table: what it waits for, what it refuses, and that folding its log gives what was seen live."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import bolzplatz
from bolzplatz.bots import pick_action
from bolzplatz.core import sealed
from bolzplatz.core.record import read_record, replay_record, verify_record
from bolzplatz.core.sealed import verify_proof
from bolzplatz.table.commands import (
    Contribute,
    Do,
    Enter,
    OwnMove,
    OwnThrow,
    Refused,
    Rematch,
    Tips,
    Undo,
)
from bolzplatz.table.frames import build_frame
from bolzplatz.table.handling import handle
from bolzplatz.table.store import Entry, StoreError
from bolzplatz.table.table import (
    WAIT_BOT,
    WAIT_CONTRIBUTE,
    WAIT_DECIDE,
    WAIT_OVER,
    WAIT_THROW,
    WAIT_TIP,
    Secrets,
    Table,
    Waiting,
)
from tests.table_kit import OWNER, SETUPS, Stored, bot, human, picture, setup_of


@pytest.fixture
def short_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are slow on purpose; where they are not the matter they may be quick."""
    monkeypatch.setattr(sealed, "WORD_ROUNDS", 2)


def by_hand(*moves: str, **options: Any) -> Stored:
    """Return a table of two people with real dice after these throws and decisions of 5050."""
    stored = Stored.new(setup_of("5050", human("Mia"), human("Ben"), dice="hand", **options))
    for i, move in enumerate(moves):
        version, seat = stored.table.version, stored.table.waiting.seat
        if move.startswith("throw"):
            assert stored.do(Enter(f"m{i}", version, move)) is None
        else:
            assert seat is not None
            assert stored.do(Do(f"m{i}", version, seat, (move,), False)) is None
    return stored


# --- sealed dice ----------------------------------------------------------------------------------------------


def test_the_match_opens_with_the_first_browsers_tip() -> None:
    stored = Stored.new(SETUPS["5050"]())
    assert stored.table.waiting == Waiting(WAIT_TIP)
    refused = stored.do(Do("a", 0, 0, (), True))
    assert isinstance(refused, Refused)
    assert refused.reason == "not_now"
    stored.open()
    assert stored.table.waiting == Waiting(WAIT_THROW, 0)
    assert len(stored.table.words) == 6
    opening = stored.entries[0].body["opening"]
    assert set(opening["tips"]) == {"server", "seat-0"}
    assert [seat["name"] for seat in opening["seats"]] == ["Mia", "Robo", "Ben"]
    assert opening["options"]["target"] == 1000
    late = stored.do(Tips({"seat-0": ("another browser", bytes(32))}))
    assert isinstance(late, Refused)
    assert late.reason == "opened_already"


def test_a_copied_tip_is_refused() -> None:
    stored = Stored.new(SETUPS["5050"]())
    server = sealed.make_chain(stored.table.secrets.chain, stored.table.id, sealed.SERVER).tip
    refused = stored.do(Tips({"seat-0": (OWNER, server)}))
    assert isinstance(refused, Refused)
    assert refused.reason == "sealed"
    assert stored.table.waiting == Waiting(WAIT_TIP)


def test_a_throw_is_asked_for_then_drawn_with_the_browsers_value(short_words: None) -> None:
    stored = Stored.new(SETUPS["5050"]()).open()
    assert stored.do(Do("tap", 1, 0, (), True)) is None
    assert stored.table.waiting == Waiting(WAIT_CONTRIBUTE, 0)
    request = stored.table.request
    assert request is not None
    assert (request.k, request.seat, request.form, request.n, request.expected) == (1, 0, "d6", 6, ("seat-0",))
    # A restart here asks for the same draw in the same words.
    again = stored.reloaded().request
    assert again is not None
    assert again.to_json() == request.to_json()
    stored.contribute()
    throw = stored.table.last_throw
    assert throw is not None
    assert throw["absent"] == []
    assert stored.table.state.history() == [throw["move"]]
    assert throw["move"] == "throw " + "".join(sorted(str(side + 1) for side in throw["drawn"]))
    assert list(stored.entries[-1].body["draw"]["values"]) == ["seat-0"]
    assert stored.entries[-1].body["draw"]["faces"] == [side + 1 for side in throw["drawn"]]


def test_the_browsers_value_decides_the_dice(short_words: None) -> None:
    throws = set()
    for present in (True, False):
        stored = Stored.new(SETUPS["5050"]()).open()
        stored.step()
        stored.contribute(present)
        assert stored.table.last_throw is not None
        throws.add(tuple(stored.table.last_throw["drawn"]))
        assert stored.table.last_throw["absent"] == ([] if present else ["seat-0"])
    assert len(throws) == 2


def test_a_wrong_value_is_refused(short_words: None) -> None:
    stored = Stored.new(SETUPS["5050"]()).open()
    stored.step()
    refused = stored.do(Contribute(stored.table.version, {"seat-0": bytes(32)}))
    assert isinstance(refused, Refused)
    assert refused.reason == "sealed"
    stored.contribute()


@pytest.mark.parametrize("name", ["bar-bolz", "5050", "computers alone"])
def test_a_whole_match_proves_itself_and_reloads_at_every_step(name: str, short_words: None) -> None:
    stored = Stored.new(SETUPS[name]())
    while stored.table.waiting.kind != WAIT_OVER:
        stored.step(choice=len(stored.entries))
        if len(stored.entries) % 9 == 0:
            assert picture(stored.reloaded()) == picture(stored.table)
    assert picture(stored.reloaded()) == picture(stored.table)
    record = read_record(stored.table.record().encode())
    found = verify_record(record, bolzplatz.load_game)
    assert found.ok, found.faults
    assert replay_record(record, bolzplatz.load_game) == stored.table.state
    server = stored.table.sealed
    assert server is not None
    assert verify_proof(server.proof(closed=True)).ok
    assert len(found.draws) == sum(entry.kind == "draw" for entry in stored.entries)
    frame = build_frame(stored.table, (0,), 0)
    assert frame.result is not None
    assert frame.result["returns"] == stored.table.state.returns()


def test_used_up_chains_are_renewed(monkeypatch: pytest.MonkeyPatch, short_words: None) -> None:
    monkeypatch.setattr(sealed, "CHAIN_LENGTH", 4)
    stored = Stored.new(SETUPS["bar-bolz"]())
    while stored.table.waiting.kind != WAIT_OVER:
        stored.step()
    renewals = [entry for entry in stored.entries if entry.kind == "renewal"]
    draws = sum(entry.kind == "draw" for entry in stored.entries)
    assert len(renewals) >= draws // 4 - 1 > 0
    assert picture(stored.reloaded()) == picture(stored.table)
    assert verify_record(read_record(stored.table.record().encode()), bolzplatz.load_game).ok


def test_moves_and_throw_in_one_command_are_all_or_nothing(short_words: None) -> None:
    stored = Stored.new(SETUPS["5050"]()).open()
    stored.step()
    stored.contribute()
    while stored.table.waiting.kind != WAIT_DECIDE or stored.table.waiting.seat != 0:
        stored.step()
    before, version = picture(stored.table), stored.table.version
    keep = stored.table.state.action_to_string(stored.table.state.legal_actions()[0])
    refused = stored.do(Do("x", version, 0, (keep, "keep 6 6 6 6"), True))
    assert isinstance(refused, Refused)
    assert picture(stored.table) == before
    trial = stored.table.state.clone().play(keep)
    moves = (keep,) if trial.is_chance_node() else (keep, "go")
    assert stored.do(Do("x", version, 0, moves, True)) is None
    assert [entry.kind for entry in stored.entries[version:]] == ["action"] * len(moves) + ["throw"]
    assert [entry.command for entry in stored.entries[version:]] == [None] * len(moves) + ["x"]
    assert stored.table.applied["x"] == stored.table.version


def test_refusals_name_reason_and_rule(short_words: None) -> None:
    stored = by_hand("throw 123466", "keep 1")
    stored.do(Enter("e", stored.table.version, "throw 22336"))
    assert stored.table.waiting == Waiting(WAIT_THROW, 1)
    stored.do(Enter("f", stored.table.version, "throw 111346"))
    version = stored.table.version
    cases = [
        (Do("a", version, 1, ("keep 5",), False), "illegal", "5050 §4"),
        (Do("b", version, 1, ("stop",), False), "illegal", None),
        (Do("c", version, 0, ("keep 111",), False), "not_now", None),
        (Do("d", version, 1, ("keep 111",), True), "not_now", None),
        (Do("e2", version, 1, (), False), "not_now", None),
        (Do("g", version - 1, 1, ("keep 111",), False), "stale", None),
        (Do("h", version + 1, 1, ("keep 111",), False), "stale", None),
        (Enter("i", version, "throw 1"), "not_now", None),
        (Contribute(version, {}), "not_now", None),
        (OwnThrow(version), "not_now", None),
        (OwnMove(version, 0), "not_now", None),
        (Rematch("j", "next"), "not_now", None),
        (Tips({"seat-0": (OWNER, bytes(32))}), "opened_already", None),
    ]
    before = picture(stored.table)
    for command, reason, rule_text in cases:
        refused = stored.do(command)
        assert isinstance(refused, Refused), command
        assert refused.reason == reason, command
        assert refused.text
        if rule_text is not None:
            assert refused.rule == rule_text
    assert picture(stored.table) == before


# --- what moves by itself -------------------------------------------------------------------------------------


def test_the_only_move_there_is_is_the_tables_own() -> None:
    stored = by_hand("throw 122346")  # one die counts, and it has one name
    assert stored.table.state.legal_actions() == [stored.table.state.string_to_action("keep 1")]
    assert stored.table.waiting == Waiting(WAIT_BOT, 0)
    assert stored.do(OwnMove(1, stored.table.state.legal_actions()[0])) is None
    assert stored.entries[-1].body == {"seat": 0, "move": "keep 1", "by": "forced"}
    two = by_hand("throw 112346")
    assert two.table.waiting == Waiting(WAIT_DECIDE, 0)


def test_a_person_may_be_quicker_than_the_table() -> None:
    stored = by_hand("throw 122346")
    assert stored.do(Do("q", 1, 0, ("keep 1",), False)) is None
    late = stored.do(OwnMove(1, 0))
    assert isinstance(late, Refused)
    assert late.reason == "stale"


def test_people_throw_real_dice_for_the_computer_too() -> None:
    stored = Stored.new(setup_of("5050", bot("Robo"), human("Mia"), dice="hand"))
    assert stored.table.waiting == Waiting(WAIT_THROW, 0)
    assert stored.do(Enter("a", 0, "throw 112346")) is None
    assert stored.table.waiting == Waiting(WAIT_BOT, 0)
    frame = build_frame(stored.table, (1,), 0)
    assert not frame.mine
    stored.step()
    if stored.table.waiting.kind == WAIT_THROW:
        frame = build_frame(stored.table, (1,), 0)
        assert frame.mine
        assert frame.outcomes


def test_the_computers_luck_depends_on_table_and_place_alone() -> None:
    first, again = by_hand("throw 111556"), by_hand("throw 111556")
    seat, game = 0, first.table.state.game
    picks = [
        pick_action(game, table.state, seat, "random", table.bot_stream())
        for table in (first.table, again.table, first.reloaded())
    ]
    assert len(set(picks)) == 1
    elsewhere = Table.fresh("table-2", first.table.setup, first.table.secrets)
    assert elsewhere.bot_stream().below(2**31) != Table.fresh(
        "table-1", first.table.setup, first.table.secrets
    ).bot_stream().below(2**31)


# --- dice by hand, and taking back ----------------------------------------------------------------------------


def test_the_last_entry_by_hand_is_taken_back_and_the_log_keeps_both() -> None:
    stored = by_hand("throw 112346", "keep 1", "throw 22346")
    assert stored.table.waiting.seat == 1  # nothing usable: the turn has passed
    assert stored.do(Undo("u", 3)) is None
    assert stored.table.state == bolzplatz.load_game("5050").replay(["throw 112346", "keep 1"])
    assert [entry.kind for entry in stored.entries] == ["hand", "action", "hand", "undo"]
    assert stored.do(Enter("e", 4, "throw 12346")) is None
    assert stored.table.state.history() == ["throw 112346", "keep 1", "throw 12346"]
    assert picture(stored.reloaded()) == picture(stored.table)
    assert "throw 22346" not in stored.table.record()


def test_undo_goes_back_step_by_step_over_what_the_table_did_itself() -> None:
    stored = by_hand("throw 122346")
    stored.step()  # the table keeps the one
    stored.do(Enter("e", 2, "throw 12346"))
    stored.step()
    histories = []
    while stored.table.undo_start() is not None:
        assert stored.do(Undo(f"u{stored.table.version}", stored.table.version)) is None
        histories.append(stored.table.state.history())
    assert histories == [["throw 122346", "keep 1"], []]
    refused = stored.do(Undo("one too many", stored.table.version))
    assert isinstance(refused, Refused)
    assert refused.reason == "no_undo"


def test_even_the_last_throw_of_the_match_may_be_corrected() -> None:
    stored = by_hand("throw 111234", "keep 111", "stop", target=1000, finish_round=False)
    assert stored.table.waiting == Waiting(WAIT_OVER)
    assert stored.do(Undo("u", stored.table.version)) is None
    assert stored.table.waiting == Waiting(WAIT_DECIDE, 0)


def test_sealed_dice_that_fell_are_not_taken_back(short_words: None) -> None:
    stored = Stored.new(SETUPS["5050"]()).open()
    stored.step()
    stored.contribute()
    refused = stored.do(Undo("u", stored.table.version))
    assert isinstance(refused, Refused)
    assert refused.reason == "no_undo"


# --- frames ---------------------------------------------------------------------------------------------------


def test_a_frame_tells_what_is_new_since_the_version_that_a_page_had() -> None:
    stored = by_hand("throw 112346", "keep 1 1", "throw 1236")
    table = stored.table
    whole = build_frame(table, (0, 1), 0)
    assert whole.events == [event.to_dict() for event in table.state.events(0)]
    assert [event["step"] for event in build_frame(table, (0,), 2).events] == [
        event.step for event in table.state.events(0) if event.step >= 2
    ]
    assert build_frame(table, (0,), table.version).events == []
    assert build_frame(table, (0,), table.version + 5).events == []
    stored.do(Undo("u", 3))
    after = build_frame(stored.table, (0,), 3)
    assert after.events == []  # a page that saw what was taken back is shown the present
    assert after.log_length == len(stored.table.state.events(0))


def test_events_that_were_taken_back_are_not_mixed_with_those_in_their_place() -> None:
    stored = by_hand("throw 112346", "keep 1 1")
    assert stored.do(Undo("u1", 2)) is None
    assert stored.do(Undo("u2", 3)) is None
    for i, text in enumerate(("throw 111346", "keep 111", "go", "throw 234")):
        version = stored.table.version
        command = Enter(f"n{i}", version, text) if text.startswith("throw") else Do(f"n{i}", version, 0, (text,), False)
        assert stored.do(command) is None
    assert build_frame(stored.table, (0,), 1).events == []  # that page saw another first throw
    since_undo = build_frame(stored.table, (0,), 4).events
    assert since_undo == [event.to_dict() for event in stored.table.state.events(0)]


def test_a_frame_belongs_to_its_browser() -> None:
    table = by_hand("throw 112346").table
    acting, other, spectator = (build_frame(table, seats, 0) for seats in ((0, 1), (1,), ()))
    assert (acting.seat, acting.mine, acting.legal) == (0, True, ["keep 1", "keep 1 1"])
    assert (other.seat, other.mine, other.legal, other.view["legal_actions"]) == (1, False, [], [])
    assert (spectator.seat, spectator.mine, spectator.legal, spectator.can_undo) == (None, False, [], False)
    assert acting.can_undo
    assert acting.draw is not None
    assert (acting.draw["by"], acting.draw["move"], acting.draw["seat"]) == ("hand", "throw 112346", 0)
    assert acting.to_dict()["players"][1]["name"] == "Ben"


def test_a_real_card_is_entered_where_the_one_sits_that_draws_it() -> None:
    setup = setup_of("dribbel-fieber", human("Mia"), human("Ben"), dice="hand", deck="any")
    table = Table.fresh("table-1", setup, Secrets(bytes(32), bytes(32), ("mia", "ben"), "mia"))
    stored = Stored(table)
    stored.do(Enter("coin", table.version, "coin red", (1,)))  # a coin belongs to nobody
    drew = set()
    while (seat := table.state.drawer()) is not None:
        entry = table.state.action_to_string(table.state.legal_actions()[0])
        refused = handle(table, Enter("x", table.version, entry, (1 - seat,)), 0.0)
        assert isinstance(refused, Refused)
        assert refused.reason == "not_yours"
        frames = [build_frame(table, (each,), table.version) for each in (seat, 1 - seat)]
        assert [bool(frame.outcomes) for frame in frames] == [True, False]
        stored.do(Enter(f"card {table.version}", table.version, entry, (seat,)))
        drew.add(seat)
    assert drew == {0, 1}


def test_a_frame_offers_the_throws_that_dice_by_hand_may_show() -> None:
    frame = build_frame(by_hand("throw 112346", "keep 1 1").table, (0, 1), 0)
    assert frame.dice == {"count": 4, "sides": 6}
    assert len(frame.outcomes) == 126  # multisets of four dice: C(9, 4)
    assert "throw 1236" in frame.outcomes


# --- the next match -------------------------------------------------------------------------------------------


def test_the_winner_of_5050_begins_the_next_match_and_everybody_keeps_the_seat() -> None:
    stored = by_hand("throw 112346", "keep 1 1", "throw 2346", "throw 111234", "keep 111", "stop", target=1000)
    assert stored.table.waiting == Waiting(WAIT_OVER)
    following = stored.table.next_setup()
    assert following.options["first"] == 1
    assert replace(following, options=stored.table.setup.options) == stored.table.setup
    assert stored.do(Rematch("r", "table-2")) is None
    assert stored.table.rematch == "table-2"
    twice = stored.do(Rematch("r2", "table-3"))
    assert isinstance(twice, Refused)


# --- damage ---------------------------------------------------------------------------------------------------


def damages(entries: list[Entry]) -> Iterator[tuple[int, list[Entry]]]:
    """Yield logs with one thing wrong, and the number of the first entry that can show it."""
    for i, entry in enumerate(entries):
        yield entry.seq, [*entries[:i], replace(entry, kind="miracle"), *entries[i + 1 :]]
        yield entry.seq, [*entries[:i], replace(entry, body={}), *entries[i + 1 :]] if entry.kind != "throw" else []
        if "move" in entry.body:
            wrong = replace(entry, body={**entry.body, "move": "keep 6 6 6"})
            yield entry.seq, [*entries[:i], wrong, *entries[i + 1 :]]
        if "draw" in entry.body:
            faces = [1 + face % 6 for face in entry.body["draw"]["faces"]]
            wrong = replace(entry, body={"draw": {**entry.body["draw"], "faces": faces}})
            yield entry.seq, [*entries[:i], wrong, *entries[i + 1 :]]


@pytest.mark.parametrize("name", ["5050", "5050 by hand"])
def test_a_damaged_log_is_refused_at_the_entry_that_shows_it(name: str, short_words: None) -> None:
    if name == "5050":
        stored = Stored.new(SETUPS[name]()).open()
        while stored.table.version < 12:
            stored.step()
    else:
        stored = by_hand("throw 112346", "keep 1", "throw 12346", "keep 1")
    count = 0
    for seq, entries in damages(stored.entries):
        if not entries:
            continue
        count += 1
        with pytest.raises(StoreError, match=rf"table-1 is damaged at entry {seq} ") as caught:
            stored.reloaded(entries)
        assert "\n" not in str(caught.value)
    assert count > 8


def test_a_damaged_setup_is_refused() -> None:
    stored = by_hand("throw 112346")
    table = stored.table
    for setup, secrets in (
        ({**table.setup.to_dict(), "game": "chess"}, table.secrets.to_dict()),
        (table.setup.to_dict(), {}),
    ):
        with pytest.raises(StoreError, match="table-1 cannot be read"):
            Table.load(sealed_free(setup, secrets))


def sealed_free(setup: dict[str, Any], secrets: dict[str, Any]) -> Any:
    from bolzplatz.table.store import NewTable

    return NewTable("table-1", 0.0, setup, secrets)


# --- anything in any order ------------------------------------------------------------------------------------


MOVES = ["go", "stop", "keep 1", "keep 5", "take", "decline", "throw 111111", "x", "5"]


class AnyOrder(RuleBasedStateMachine):
    """Commands as they come, sensible or not: the log always folds to what is live, and refusals change nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(sealed, "CHAIN_LENGTH", 3)
        self.patch.setattr(sealed, "WORD_ROUNDS", 1)

    def teardown(self) -> None:
        self.patch.undo()

    @initialize(name=st.sampled_from(sorted(SETUPS)))
    def sit_down(self, name: str) -> None:
        self.stored = Stored.new(SETUPS[name]())
        self.history: list[tuple[str, bool]] = []
        """The moves that stand, as this test counts them, each with whether a person made it by hand."""

    @property
    def table(self) -> Table:
        return self.stored.table

    def note(self, since: int) -> None:
        for entry in self.stored.entries[since:]:
            if entry.kind in ("action", "hand"):
                self.history.append((entry.body["move"], entry.kind == "hand" or entry.body["by"] == "person"))
            elif entry.kind == "draw":
                self.history.append((self.table.state.history()[len(self.history)], False))
            elif entry.kind == "undo":
                while not self.history.pop()[1]:
                    pass

    def attempt(self, command: Any) -> Refused | None:
        before, count = picture(self.table), len(self.stored.entries)
        result = handle(self.table, command, 5.0)
        assert picture(self.table) == before, "handling alone changed the table"
        if isinstance(result, Refused):
            return result
        assert [entry.seq for entry in result] == list(range(count + 1, count + 1 + len(result)))
        self.stored.entries += result
        self.table.absorb(result)
        self.note(count)
        return None

    @rule(choice=st.integers(0, 500))
    def go_on(self, choice: int) -> None:
        count = len(self.stored.entries)
        waiting = self.table.waiting
        if waiting.kind == WAIT_THROW and self.table.by_hand:
            outcomes = self.table.state.legal_actions()
            text = self.table.state.action_to_string(outcomes[choice % len(outcomes)])
            assert self.attempt(Enter(f"h{count}", self.table.version, text)) is None
        else:
            self.stored.step(choice)
            self.note(count)

    @rule(present=st.booleans())
    @precondition(lambda self: self.table.waiting.kind == WAIT_CONTRIBUTE)
    def draw(self, present: bool) -> None:
        count = len(self.stored.entries)
        self.stored.contribute(present)
        self.note(count)

    @rule(
        seat=st.integers(0, 3),
        moves=st.lists(st.sampled_from(MOVES)),
        throw=st.booleans(),
        age=st.integers(-2, 2),
    )
    def do_anything(self, seat: int, moves: list[str], throw: bool, age: int) -> None:
        command = Do(f"x{self.table.version}-{age}", self.table.version + age, seat, tuple(moves), throw)
        refused = self.attempt(command)
        assert age == 0 or (refused is not None and refused.reason == "stale")

    @rule(kind=st.integers(0, 5), age=st.integers(-1, 1), text=st.sampled_from(["throw 112346", "pass", "shot black"]))
    def try_anything(self, kind: int, age: int, text: str) -> None:
        version = self.table.version + age
        waiting, chance = self.table.waiting, self.table.state.is_chance_node()
        command: Any = (
            Undo(f"u{version}", version),
            Enter(f"e{version}", version, text),
            OwnThrow(version),
            OwnMove(version, 0),
            Contribute(version, {}),
            Rematch(f"r{version}", "table-2"),
        )[kind]
        refused = self.attempt(command)
        if kind != 5 and age != 0:
            assert refused is not None
            assert refused.reason == "stale"
        if kind == 4 and refused is None:
            assert waiting.kind == WAIT_CONTRIBUTE
            self.stored.browser().accept(self.stored.entries[-1].body)
        if kind == 2 and age == 0:
            assert (refused is None) == (waiting.kind == WAIT_BOT and chance)

    @rule()
    def restart(self) -> None:
        self.stored.table = self.stored.reloaded()

    @invariant()
    def the_log_is_the_truth(self) -> None:
        if not hasattr(self, "stored"):
            return
        assert self.table.version == len(self.stored.entries)
        assert picture(self.stored.reloaded()) == picture(self.table)
        game = self.table.setup.loaded
        assert self.table.state == game.replay(move for move, _ in self.history)
        assert self.table.state.history() == [move for move, _ in self.history]
        for seats in ((), (0,), (0, 2)):
            frame = build_frame(self.table, seats, 0)
            assert not frame.mine or frame.waiting["for"] in (WAIT_THROW, WAIT_DECIDE)


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(
    max_examples=80, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
