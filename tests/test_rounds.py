"""Rounds in which all move at once, as the log of a table tells them: deals, secret choices, real cards, steps back."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import permutations
from typing import Any

import pytest

import bolzplatz
from bolzplatz.core import sealed
from bolzplatz.core.fast import FastStream
from bolzplatz.core.grab import RaceRules, Terms
from bolzplatz.core.record import Verification, read_record, verify_record
from bolzplatz.core.sealed_throw import deal_size, dealt_moves, order_of_hands, sealed_form
from bolzplatz.table.commands import (
    REWIND,
    Arm,
    AskLot,
    Choose,
    Do,
    Enter,
    OpenCards,
    OwnThrow,
    Propose,
    Raced,
    Refused,
    Substitute,
    Together,
    Undo,
)
from bolzplatz.table.company import GONE, Company
from bolzplatz.table.frames import Viewer, build_frame, plan_replay
from bolzplatz.table.handling import handle
from bolzplatz.table.setup import TableSetup
from bolzplatz.table.table import (
    WAIT_BOT,
    WAIT_CHOOSE,
    WAIT_CONTRIBUTE,
    WAIT_GRAB,
    WAIT_HANDS,
    WAIT_OVER,
    WAIT_READY,
    WAIT_THROW,
)
from tests.table_kit import OWNER, Stored, bot, human, picture, setup_of
from tests.test_record_undo import VERDICT, in_node

KERLE = "wilde-kerle"
PEOPLE = (human("Mia"), human("Ben"), human("Zoë"))


def thinking(*seats: dict[str, Any], **options: Any) -> TableSetup:
    return setup_of(KERLE, *(seats or (human("Mia"), human("Ben"), bot("Robo", "adult"))), **options)


def racing(*seats: dict[str, Any], **more: Any) -> TableSetup:
    return TableSetup.from_dict({"game": KERLE, "pace": "grab", "seats": list(seats or PEOPLE), **more})


def until(stored: Stored, kind: str) -> Stored:
    while stored.table.waiting.kind != kind:
        assert stored.table.waiting.kind != WAIT_OVER
        stored.step(stored.table.version)
    return stored


def checked(stored: Stored) -> Verification:
    return verify_record(read_record(stored.table.record().encode()), bolzplatz.load_game)


def arm(stored: Stored) -> None:
    """Let a race begin."""
    count = len(stored.table.owners)
    terms = tuple(asdict(Terms(40_000, 2_000)) for _ in range(count))
    assert stored.do(Arm(stored.table.version, terms, asdict(RaceRules()), 700_000, ())) is None


def refused(stored: Stored, command: Any) -> str:
    found = stored.do(command)
    assert isinstance(found, Refused), f"{command} was carried out"
    return found.reason


# --- deals ----------------------------------------------------------------------------------------------------------


def chances_by_hand(state: Any, seats: int) -> dict[tuple[str, ...], float]:
    """Return the chance of each deal of a round, node by node by the rules' own weights."""
    found: dict[tuple[str, ...], float] = {}

    def walk(at: Any, dealt: tuple[str, ...], chance: float) -> None:
        if len(dealt) == seats:
            found[dealt] = found.get(dealt, 0.0) + chance
            return
        for outcome, probability in at.chance_outcomes():
            child = at.clone()
            child.apply_action(outcome)
            walk(child, (*dealt, at.action_to_string(outcome)), chance * float(probability))

    walk(state, (), 1.0)
    return found


def near_the_end(rounds_left: int, half: int, **options: Any) -> Any:
    """Return a match with a few rounds of a half to come; in the last one the end card is among the rest."""
    game, luck = bolzplatz.load_game(KERLE, **options), FastStream(5)
    state = game.new_initial_state()
    while True:
        data = state._data
        if state.is_chance_node():
            weights = [(outcome, weight) for outcome, weight in state.chance_weights() if outcome != 40]
            state.apply_action(weights[luck.weighted([weight for _, weight in weights])][0])
        else:
            state.apply_actions([0, 0, 0])
        if state._data.half == half and state.is_chance_node() and data.left == 3 * rounds_left:
            return state


@pytest.mark.parametrize(
    ("half", "options", "taken_out"),
    [(1, {}, 0), (1, {"pro": True}, 4), (3, {}, 1), (2, {"end_in_second_half": True}, 1), (3, {"pro": True}, 1)],
)
def test_one_shuffle_deals_with_the_chances_of_the_rules(half: int, options: dict[str, Any], taken_out: int) -> None:
    state = near_the_end(1, half, **options)
    chances = chances_by_hand(state, 3)
    assert sum(chances.values()) == pytest.approx(1)
    assert sum(state._data.unseen) == 3 + taken_out
    luck, throws, size = FastStream(11), 6_000, deal_size(state)
    found: Counter[tuple[str, ...]] = Counter()
    for _ in range(throws):
        order = list(range(size))
        for i in range(size - 1, 0, -1):
            j = luck.below(i + 1)
            order[i], order[j] = order[j], order[i]
        found[tuple(dealt_moves(state, order))] += 1
    assert set(found) <= {deal for deal, chance in chances.items() if chance > 0}
    chi = sum((found[deal] - throws * chance) ** 2 / (throws * chance) for deal, chance in chances.items())
    freedom = len(chances) - 1
    assert chi < freedom + 4 * (2 * freedom) ** 0.5


def test_the_size_of_a_deal_tells_only_what_lies_open() -> None:
    state = bolzplatz.load_game(KERLE, pro=True).new_initial_state()
    assert sealed_form(state) == ("deck", 64 + 60)
    state = bolzplatz.load_game(KERLE).new_initial_state()
    assert sealed_form(state) == ("deck", 60)
    order = list(range(60))
    assert dealt_moves(state, order) == ["Kb5", "Kb5", "Kb6"]
    for wrong in ([], order[:-1], [*order[:-1], 0], [*order, 60]):
        with pytest.raises(ValueError, match="no order"):
            dealt_moves(state, wrong)
    # In the middle of a deal no other one begins, and a box that is not known is not dealt from.
    assert deal_size(state.play("Kb5")) == 0
    assert deal_size(bolzplatz.load_game(KERLE, deck="any").new_initial_state()) == 0


@pytest.mark.parametrize(
    ("handicaps", "order"),
    [((0, 0, 0), (2, 0, 1)), ((500, 0, 0), (2, 1, 0)), ((0, 500, 100), (0, 2, 1)), ((9, 9, 9), (2, 0, 1))],
)
def test_head_starts_come_before_the_lot(handicaps: Sequence[int], order: Sequence[int]) -> None:
    state = bolzplatz.load_game(KERLE).replay(["Kb5", "Kb5", "Kb6", "red red red"])
    drawn = state.string_to_action("order 2 0 1")
    text = state.action_to_string(order_of_hands(state, drawn, handicaps))
    assert text == " ".join(["order", *map(str, order)])


def test_every_order_comes_from_as_many_lots() -> None:
    state = bolzplatz.load_game(KERLE).replay(["Kb5", "Kb5", "Kb6", "red red red"])
    counts = Counter(order_of_hands(state, outcome, (0, 300, 0)) for outcome in range(6))
    texts = {state.action_to_string(outcome): count for outcome, count in counts.items()}
    assert texts == {"order 0 2 1": 3, "order 2 0 1": 3}
    assert len(list(permutations(range(3)))) == 6


# --- secret choices ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "setup",
    [
        lambda: thinking(),
        lambda: thinking(human("Mia"), human("Ben"), bot("Robo", "child"), bot("Roba", "expert"), pro=True),
        lambda: thinking({**human("Mia"), "handicap": 400}, *PEOPLE[1:], tie="right-grabs"),
        lambda: thinking(*(bot(name, "adult") for name in ("Robo", "Roba", "Robi")), end_in_second_half=True),
    ],
)
def test_a_match_of_secret_choices_is_kept_and_proves_itself(setup: Any) -> None:
    stored = Stored.new(setup())
    while not stored.table.over:
        stored.step(stored.table.version)
        if len(stored.entries) % 41 == 0 or stored.table.over:
            assert picture(stored.reloaded()) == picture(stored.table)
    found = checked(stored)
    assert found.ok, found.faults
    handicaps = stored.table.handicaps
    for verdict in stored.table.rounds.verdicts:
        assert [handicaps[seat] for seat in verdict["order"]] == sorted(handicaps[seat] for seat in verdict["order"])
        assert verdict["how"] == "over"
    moves = [move for move in stored.table.moves() if not move.startswith("order")]
    rounds = [move for move in moves if " " in move]
    assert [verdict["wishes"] for verdict in stored.table.rounds.verdicts] == [move.split() for move in rounds]


def test_who_took_what_is_what_the_rules_say() -> None:
    stored = Stored.new(thinking(*PEOPLE))
    while not stored.table.over:
        stored.step(stored.table.version)
    events = stored.table.state.events()
    for verdict in stored.table.rounds.verdicts:
        steps = range(verdict["step"], verdict["end"])
        told = {e.data["piece"]: e.seat for e in events if e.step in steps and e.kind == "takes"}
        assert {piece: seat for piece, seat in verdict["taken"].items() if seat is not None} == told
        assert {hand["piece"]: hand["seat"] for hand in verdict["hands"] if hand["took"]} == told


def test_a_choice_may_be_changed_until_all_have_chosen() -> None:
    stored = until(Stored.new(thinking(*PEOPLE)), WAIT_CHOOSE)
    n = stored.table.rounds.n
    assert stored.table.choosing == [0, 1, 2]
    assert stored.do(Choose("a", n, 0, "red", OWNER)) is None
    assert stored.do(Choose("b", n, 0, "black>red", OWNER)) is None
    assert stored.table.choosing == [1, 2]
    assert refused(stored, Choose("c", n - 1, 1, "red", OWNER)) == "not_now"
    assert refused(stored, Choose("d", n, 1, "blue", OWNER)) == "illegal"
    assert refused(stored, Choose("e", n, 1, "red", "another browser")) == "not_yours"
    assert refused(stored, Do("f", stored.table.version, 1, ("red",), False)) == "not_now"
    assert refused(stored, Together(stored.table.version, {})) == "not_now"
    for seat in (1, 2):
        assert stored.do(Choose(f"g{seat}", n, seat, "none", OWNER)) is None
    assert refused(stored, Choose("h", n, 0, "none", OWNER)) == "not_now"
    assert stored.table.waiting.kind == WAIT_BOT
    assert stored.do(Together(stored.table.version, {})) is None
    assert stored.table.rounds.verdicts[-1]["wishes"] == ["black>red", "none", "none"]
    assert refused(stored, Undo("i", stored.table.version)) == "no_undo"


def test_no_frame_depends_on_cards_that_lie_face_down_or_on_choices_of_others() -> None:
    """Two tables that differ in what nobody may know are shown alike, to every seat and to a spectator."""
    for setup in (thinking(*PEOPLE), racing()):
        tables = [Stored.new(setup, deck) for deck in (b"1" * 32, b"2" * 32)]
        for stored in tables:
            until(stored, WAIT_READY)
        assert tables[0].table.rounds.dealt != tables[1].table.rounds.dealt
        assert frames(tables[0]) == frames(tables[1])
        if setup.pace == "grab":
            for stored in tables:
                arm(stored)
            assert tables[0].table.waiting.kind == WAIT_GRAB
            assert frames(tables[0]) == frames(tables[1])
            for stored in tables:
                assert stored.do(AskLot(stored.table.version, (0, 2))) is None
            assert frames(tables[0]) == frames(tables[1])
            requests = [asdict(stored.table.request) for stored in tables if stored.table.request is not None]
            assert [(request["form"], request["n"]) for request in requests] == [("order", 2)] * 2
    tables = [until(Stored.new(thinking(*PEOPLE)), WAIT_CHOOSE) for _ in range(2)]
    for stored, wish in zip(tables, ("red", "none"), strict=True):
        assert stored.do(Choose("a", stored.table.rounds.n, 1, wish, OWNER)) is None
    assert frames(tables[0]) == frames(tables[1])
    assert tables[0].table.sealed is not None
    assert tables[1].table.sealed is not None
    # The head of the log is public: it does not know the choice yet either.
    assert tables[0].table.sealed.head == tables[1].table.sealed.head


def frames(stored: Stored) -> list[dict[str, Any]]:
    """Return what all pages are shown, and the replays that are allowed; the six words follow from the opening."""
    table, company = stored.table, Company()
    shown = [build_frame(table, seats, 0).to_dict() for seats in ((), (0,), (1,), (2,), (0, 1, 2))]
    assert company.clock is None
    return [{name: value for name, value in each.items() if name != "words"} for each in shown]


def test_a_computer_chooses_for_somebody_who_is_gone() -> None:
    setup = thinking(*PEOPLE)
    stored = until(Stored.new(setup), WAIT_CHOOSE)
    stored.table.owners = (OWNER, "browser of ben", OWNER)
    stored.do(Choose("a", stored.table.rounds.n, 0, "red", OWNER))
    stored.do(Choose("b", stored.table.rounds.n, 2, "none", OWNER))
    assert stored.table.choosing == [1]
    company = Company(presence={"browser of ben": GONE})
    entries = handle(stored.table, Substitute("c", 1, True, OWNER), 2000.0, company)
    assert isinstance(entries, list)
    stored.table.absorb(entries)
    assert stored.table.level_of(1) == "adult"
    assert stored.table.waiting.kind == WAIT_BOT
    assert stored.do(Together(stored.table.version, {1: 2})) is None
    assert stored.table.moves()[-1] == "red black none"


def test_the_clock_runs_for_all_who_still_choose_and_a_substitute_stays_for_that_round() -> None:
    setup = replace(thinking(*PEOPLE), turn_seconds=30)
    stored = until(Stored.new(setup), WAIT_CHOOSE)
    table, ben = stored.table, "browser of ben"
    table.owners = (OWNER, ben, OWNER)
    clock = table.turn_clock(0.0)
    assert clock is not None
    assert clock.seats == (0, 1, 2)
    assert clock.began == stored.entries[-1].at  # when the cards were laid open
    stored.do(Choose("a", table.rounds.n, 0, "red", OWNER))
    stored.do(Choose("b", table.rounds.n, 2, "none", OWNER))
    left = table.turn_clock(0.0)
    assert left == replace(clock, seats=(1,))  # the same time goes on
    late = clock.began + 40
    for now, helped in ((late - 0.1, False), (late, True)):
        entries = handle(table, Substitute("c", 1, True, OWNER), now, Company(clock=left))
        assert isinstance(entries, list) is helped
    assert isinstance(entries, list)
    table.absorb(entries)
    assert table.substitutes == {1: True}
    assert table.turn_clock(0.0) is None
    stored.do(Together(table.version, {1: 2}))
    until(stored, WAIT_READY)
    assert table.substitutes == {}  # the next round is Ben's own again


# --- steps back, the end by agreement, playing on ---------------------------------------------------------------------


def test_a_step_back_deals_anew_and_the_proof_keeps_both() -> None:
    stored = until(Stored.new(thinking(*PEOPLE)), WAIT_CHOOSE)
    first = stored.table.moves()
    while len(stored.table.rounds.verdicts) < 3:
        stored.step(stored.table.version)
    until(stored, WAIT_READY)
    verdicts, turns = stored.table.rounds.verdicts, [turn.step for turn in stored.table.turns]
    assert turns == [verdicts[0]["step"], verdicts[1]["step"], verdicts[2]["step"], verdicts[2]["end"]]
    # From the middle of a round it goes back to where its cards were dealt.
    for step in (verdicts[1]["step"] + 1, 0):
        assert stored.do(Propose(f"back to {step}", REWIND, step, owner=OWNER)) is None
        assert stored.table.rounds.dealt == ()
        assert picture(stored.reloaded()) == picture(stored.table)
    assert stored.table.moves() == []
    assert stored.table.rounds.verdicts == []
    until(stored, WAIT_CHOOSE)
    assert stored.table.moves() != first
    assert stored.do(Propose("now", REWIND, 0, owner=OWNER)) is None
    until(stored, WAIT_READY)
    assert stored.do(Propose("end", "end", owner=OWNER)) is None
    assert stored.table.over
    found = checked(stored)
    assert found.ok, found.faults
    text = stored.table.record()
    (answer,) = in_node(VERDICT, [text])
    assert answer["fits"]
    assert answer["proof"]
    notes = [note.to_json() for note in found.notes if note.kind == "rewound"]
    assert answer["notes"] == notes
    assert [note["count"] for note in notes] == voided(stored)


def voided(stored: Stored) -> list[int]:
    """Count the draws that each step back took away: all from the deal of the round on that it goes back to."""
    alive: list[tuple[int, str]] = []
    found = []
    for entry in stored.entries:
        if entry.kind == "draw":
            alive.append((entry.seq, entry.body["draw"]["purpose"]))
        elif entry.kind == "undo":
            deals = [i for i, (seq, purpose) in enumerate(alive) if purpose == "deal" and seq < entry.body["from"]]
            found.append(len(alive) - deals[-1])
            del alive[deals[-1] :]
    return found


def test_a_record_can_be_replayed_step_by_step_with_its_verdicts() -> None:
    stored = Stored.new(thinking())
    while not stored.table.over:
        stored.step(stored.table.version)
    table = stored.table
    for verdict in table.rounds.verdicts[:4]:
        shown = plan_replay(table, (0,), verdict["end"], None, Viewer())()
        assert shown.round is not None
        assert shown.round["last"] == verdict
        assert shown.waiting["seat"] is None
        before = plan_replay(table, (0,), verdict["end"] - 1, None, Viewer())()
        assert before.round is not None
        assert before.round["last"] != verdict
        assert table.whole_step(verdict["step"] + 1) == verdict["step"]
        assert table.whole_step(verdict["end"]) == verdict["end"]


def test_a_match_is_played_on_from_between_two_rounds() -> None:
    first = Stored.new(thinking(*PEOPLE))
    while len(first.table.rounds.verdicts) < 3:
        first.step(first.table.version)
    end = first.table.rounds.verdicts[1]["end"]
    begun = {"table": "table-0", "moves": first.table.moves()[:end]}
    seats = [asdict(seat) for seat in first.table.setup.seats]
    stored = Stored.new(TableSetup.from_dict({"game": KERLE, "seats": seats, "given": begun}))
    while len(stored.table.rounds.verdicts) < 2:
        stored.step(stored.table.version)
    assert stored.table.rounds.verdicts[0]["step"] == end
    assert stored.do(Propose("end", "end", owner=OWNER)) is None
    found = checked(stored)
    assert found.ok, found.faults
    assert [(note.kind, note.count) for note in found.notes if note.kind == "given"] == [("given", end)]
    assert picture(stored.reloaded()) == picture(stored.table)


def test_chains_are_renewed_between_rounds_and_never_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed, "CHAIN_LENGTH", 9)
    stored = Stored.new(thinking(*PEOPLE))
    while len(stored.table.rounds.verdicts) < 12:
        stored.step(stored.table.version)
    kinds = [entry.kind for entry in stored.entries]
    assert kinds.count("renewal") >= 2
    for place, kind in enumerate(kinds):
        if kind == "renewal":
            assert kinds[place - 1] in ("together", "draw")
            assert stored.entries[place - 1].body.get("draw", {}).get("purpose") != "deal"


# --- races, as far as the log goes ----------------------------------------------------------------------------------


def test_a_race_is_asked_for_in_its_order_only() -> None:
    stored = until(Stored.new(racing()), WAIT_READY)
    version = stored.table.version
    for early in (AskLot(version, (0, 1)), Raced(version, None), Together(version, {}), OwnThrow(version)):
        assert refused(stored, early) == "not_now"
    assert refused(stored, Arm(version - 1, (), {}, 0, ())) == "stale"
    arm(stored)
    version = stored.table.version
    for late in (Arm(version, (), {}, 0, ()), OpenCards(version)):
        assert refused(stored, late) == "not_now"
    assert stored.do(AskLot(version, (2, 0))) is None
    assert refused(stored, Raced(stored.table.version, None)) == "not_now"
    assert refused(stored, Propose("back", REWIND, 0, owner=OWNER)) in ("not_now", "no_step")
    stored.contribute()
    (lot,) = stored.table.rounds.lots
    assert sorted(lot) == [0, 2]
    assert stored.do(Raced(stored.table.version, None)) is None
    assert stored.table.rounds.verdicts[-1]["how"] == "interrupted"
    assert stored.table.waiting.kind == WAIT_BOT


# --- real cards and hands ---------------------------------------------------------------------------------------------


def by_hand() -> Stored:
    return Stored.new(setup_of(KERLE, *PEOPLE, dice="hand", deck="any"))


def enter(stored: Stored, text: str) -> Refused | None:
    return stored.do(Enter(f"enter {stored.table.version}", stored.table.version, text, (0, 1, 2)))


def test_a_real_box_is_told_and_the_table_says_who_scored() -> None:
    stored = by_hand()
    assert stored.table.waiting.kind == WAIT_THROW
    frame = build_frame(stored.table, (0, 1, 2), 0)
    assert frame.mine
    # RULINGS, by hand: every printed card is accepted at any time, whatever rules were agreed on.
    assert {"Sb9", "Krw", "Kb12", "END"} <= set(frame.outcomes)
    assert len(frame.outcomes) == 36 + 4 + 1
    # K01: black goal (10 beats 8), red none.
    assert enter(stored, "Sb10 Kr8 Kr5") is None
    assert stored.table.waiting.kind == WAIT_HANDS
    assert build_frame(stored.table, (0, 1, 2), 0).outcomes == []
    assert enter(stored, "black none red") is None
    assert stored.table.state.scores() == [6, 5, 3]
    verdict = stored.table.rounds.verdicts[-1]
    assert (verdict["pace"], verdict["taken"], verdict["order"]) == ("hand", {"black": 0, "red": 2}, [0, 2])
    assert (verdict["n"], verdict["step"], verdict["end"]) == (1, 0, 5)
    assert enter(stored, "Sb10 Sb10 Sb10") is None  # any printed card, as often as the box has it
    assert enter(stored, "none none none") is None
    assert [(each["n"], each["step"]) for each in stored.table.rounds.verdicts] == [(1, 0), (3, 5)]
    assert picture(stored.reloaded()) == picture(stored.table)


@pytest.mark.parametrize("text", ["Sb10 Kr8", "Sb10 Kr8 Kr5 Kr5", "Sb10 Kr8 Kr99", "", "Sb10 Kr8 red", "END"])
def test_cards_that_cannot_lie_there_are_refused(text: str) -> None:
    stored = by_hand()
    found = enter(stored, text)
    assert isinstance(found, Refused)
    assert (found.reason, stored.table.version) == ("illegal", 0)


@pytest.mark.parametrize(
    "text", ["red red none", "red>black none none", "red none", "red none none none", "blue none none", "order 0 1 2"]
)
def test_hands_that_cannot_be_are_refused(text: str) -> None:
    stored = by_hand()
    assert enter(stored, "Sb10 Kr8 Kr5") is None
    found = enter(stored, text)
    assert isinstance(found, Refused)
    assert (found.reason, stored.table.version) == ("illegal", 1)


def test_what_was_entered_is_corrected_and_the_log_keeps_both() -> None:
    stored = by_hand()
    assert enter(stored, "Sb10 Kr8 Kr5") is None
    assert enter(stored, "black none red") is None
    assert stored.do(Undo("a", stored.table.version, (0,))) is None
    assert stored.table.waiting.kind == WAIT_HANDS
    assert stored.table.rounds.verdicts == []
    assert enter(stored, "none black none") is None
    assert stored.table.state.scores() == [5, 6, 5]
    assert stored.do(Undo("b", stored.table.version, (0,))) is None
    assert stored.do(Undo("c", stored.table.version, (0,))) is None
    assert stored.table.waiting.kind == WAIT_THROW
    assert stored.table.moves() == []
    assert [entry.kind for entry in stored.entries] == ["hand", "hand", "undo", "hand", "undo", "undo"]
    assert picture(stored.reloaded()) == picture(stored.table)


def test_the_end_card_of_a_real_box_ends_the_match() -> None:
    stored = by_hand()
    while stored.table.state._data.half < 3:
        assert enter(stored, "Kb5 Kb5 Kb5" if stored.table.waiting.kind == WAIT_THROW else "none none none") is None
    assert enter(stored, "Kb5 END Kb6") is None
    assert enter(stored, "red none none") is None
    assert stored.table.over
    assert stored.table.state.scores() == [1, 5, 5]


def test_an_end_card_that_comes_early_ends_the_match_and_a_whistle_counts() -> None:
    stored = by_hand()
    assert enter(stored, "Sbw Kr8 Sr9") is None
    assert enter(stored, "black none red") is None  # black whistled: no goal; red scores, no black keeper lies there
    assert stored.table.state.scores() == [3, 5, 6]
    assert enter(stored, "Kb5 END Sr9") is None
    assert enter(stored, "none none red") is None
    assert stored.table.over
    assert stored.table.state.scores() == [3, 5, 2]


def test_nothing_waits_for_a_draw_with_real_cards() -> None:
    stored = by_hand()
    assert stored.table.request is None
    assert stored.table.waiting.kind not in (WAIT_CONTRIBUTE, WAIT_READY)
    assert refused(stored, OpenCards(0)) == "not_now"
