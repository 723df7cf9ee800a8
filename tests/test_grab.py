"""The arbiter of grabbing: recorded rounds, its promises on made-up ones, its verdicts played by the game's rules."""

import itertools
import json
import random
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.grabbing import shares
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bolzplatz
from bolzplatz.core import grab
from bolzplatz.core.grab import MS, Conduct, GrabError, Link, Race, RaceRules, Terms, replay, send_delays, tie_window

ANY_TIME = 60_000 * MS


def link_of(*trips: int) -> Link:
    """A link with these round trips, in milliseconds, 100 ms apart."""
    link = Link()
    for number, trip in enumerate(trips):
        link = link.heard(number * 100 * MS, trip * MS)
    return link


def race_of(*caps: int, **rules: Any) -> Race:
    """A race of seats with these caps, in milliseconds, to whom the cards are sent at 0."""
    race = Race(tuple(Terms(cap * MS, cap * MS) for cap in caps), RaceRules(**rules))
    for seat in range(len(caps)):
        race.sent(seat, 0)
    return race


def grab_at(race: Race, seat: int, piece: str, arrives: float, reported: float | None = None) -> grab.Grab:
    return race.grab(seat, piece, round(arrives * MS), None if reported is None else round(reported * MS))


# --- links --------------------------------------------------------------------------------------------------------


def test_link_keeps_the_smallest_of_half_a_minute():
    link = Link().heard(0, 20 * MS).heard(10_000 * MS, 50 * MS).heard(20_000 * MS, 40 * MS)
    assert link.smallest == 20 * MS
    assert link.heard(30_000 * MS, 60 * MS).smallest == 20 * MS
    assert link.heard(30_001 * MS, 60 * MS).smallest == 40 * MS
    assert link.heard(90_000 * MS, 60 * MS).pings == ((90_000 * MS, 60 * MS),)


def test_link_figures():
    link = link_of(80, 100, 90, 85, 95, 88, 92, 86, 84, 700)
    assert (link.smallest, link.usual, link.spread) == (80 * MS, 88 * MS, 20 * MS), "one stray ping says nothing"
    assert not link.weak
    assert link_of(30, 500, 30, 400, 30).weak, "it jumps about"
    assert link_of(501, 502).weak
    assert not link_of(500, 500).weak
    assert [link_of(trip).bars for trip in (10, 60, 120, 250, 500)] == [4, 3, 2, 1, 0]
    assert not Link().known
    assert not link_of(10, 10, 10).known
    assert link_of(10, 10, 10, 10).known


def test_cards_are_sent_so_that_all_see_them_at_once():
    links = {0: link_of(20), 1: link_of(240), 2: link_of(100)}
    delays = send_delays(links)
    assert {seat: delays[seat] + links[seat].smallest // 2 for seat in links} == dict.fromkeys(links, 120 * MS)
    assert min(delays.values()) == 0
    assert send_delays({0: link_of(20), 1: link_of(900)}) == {0: 250 * MS, 1: 0}, "nobody waits longer than 250 ms"
    assert send_delays({}) == {}


def test_silence_is_of_unknown_length():
    assert grab.silence(lambda n: 0) == 600 * MS
    assert grab.silence(lambda n: n - 1) == 1800 * MS


def test_cap_is_the_line_and_40_ms_and_never_above_250():
    assert Terms.of(link_of(30, 80), Conduct()).cap == 70 * MS
    assert Terms.of(link_of(210), Conduct()).cap == 250 * MS
    assert Terms.of(link_of(211), Conduct()).cap == 250 * MS
    assert Terms.of(link_of(900), Conduct()).usual == 250 * MS
    assert Terms.here() == Terms(0, 0)
    for handicap in (-1, 1501 * MS):
        with pytest.raises(GrabError):
            Terms.of(link_of(30), Conduct(), handicap)


def test_reports_that_are_too_good_again_and_again_lose_the_margin():
    honest, liar = Conduct(), Conduct()
    for margin in (10, -20, 45, 30, -5, 60, 20, 31):
        honest = honest.after(margin * MS)
    for number in range(6):
        assert not liar.doubted, number
        liar = liar.after(31 * MS).after(None)
    assert liar.doubted
    assert not honest.doubted
    assert Terms.of(link_of(100), liar).cap == 100 * MS
    for _ in range(12):
        liar = liar.after(0)
    assert not liar.doubted, "it is forgotten in time"


def test_tie_window_grows_where_mice_and_fingers_meet():
    assert tie_window(["mouse", "mouse"]) == 25 * MS
    assert tie_window(["mouse", "touch", "mouse"]) == 35 * MS
    assert tie_window(["touch", "touch"], one_device=True) == 8 * MS
    with pytest.raises(GrabError):
        RaceRules(tie=100 * MS)
    with pytest.raises(GrabError):
        RaceRules(tie_rule="loudest")


# --- what a report is worth ---------------------------------------------------------------------------------------

times = st.integers(-500 * MS, 5000 * MS)
reports = st.none() | st.integers(-(10**12), 10**12)


@given(st.integers(0, 250 * MS), times, reports)
def test_reports_count_within_bounds_only(cap, elapsed, reported):
    accepted = Terms(cap, 0).accept(elapsed, reported, strict=False)
    assert elapsed - cap <= accepted <= elapsed
    if reported is not None and elapsed - cap <= reported <= elapsed:
        assert accepted == reported
    if reported is None:
        assert accepted == elapsed


@given(st.integers(0, 250 * MS), st.integers(0, 250 * MS), times, reports, st.integers(0, 1000 * MS), st.booleans())
def test_delaying_never_makes_a_reaction_quicker(cap, usual, elapsed, reported, delay, strict):
    terms = Terms(cap, usual)
    assert terms.accept(elapsed + delay, reported, strict) >= terms.accept(elapsed, reported, strict)


def test_strict_mode_believes_nothing():
    terms = Terms(90 * MS, 70 * MS)
    for reported in (None, 1, 400 * MS, 10**9):
        assert terms.accept(500 * MS, reported, strict=True) == 430 * MS


# --- recorded rounds ----------------------------------------------------------------------------------------------


def test_a_slow_line_with_the_quicker_hand_wins():
    """Measured with 120 ms more each way on one seat: its grab comes later, and took 192 ms longer in all."""
    slow, quick = Terms.of(link_of(240, 242, 245), Conduct()), Terms.of(link_of(1, 1, 2), Conduct())
    race = Race((slow, quick))
    race.sent(0, 0)
    race.sent(1, 120 * MS - 500)
    grab_at(race, 1, "black", 119.5 + 557.5, 556.5)
    race.look(700 * MS)
    assert race.settled == {}, "the slow seat is waited for"
    grab_at(race, 0, "black", 749.1, 501.1)
    race.look(ANY_TIME)
    assert race.settled["black"].holder == 0
    assert race.grabs[1].accepted == 501_100
    assert race.verdict == grab.Verdict(("black", "black"), (0, 1))
    assert race.verdict.order_text == "order 0 1"


def test_a_lie_helps_as_far_as_the_cap_and_no_farther():
    race = race_of(60, 60)
    grab_at(race, 0, "red", 900, 845)
    assert grab_at(race, 1, "red", 950, 1).accepted == 890 * MS
    assert grab_at(race, 1, "black", 960, 10**6).accepted == 960 * MS
    race.look(ANY_TIME)
    assert race.settled["red"].holder == 0


def test_false_starts_do_not_count_and_hold_the_hand_back():
    race = race_of(40, 40)
    assert grab_at(race, 0, "black", 149, 149).status == grab.FALSE
    assert grab_at(race, 0, "black", 398, 398).status == grab.HELD_BACK
    assert grab_at(race, 0, "black", 399, 399).status == grab.COUNTED
    assert grab_at(race, 1, "red", 1000, 149).accepted == 960 * MS
    race.look(ANY_TIME)
    assert race.verdict.wishes == ("black", "red")


def test_a_grab_before_the_cards_is_a_false_start():
    race = Race((Terms(0, 0),) * 2)
    assert grab_at(race, 0, "black", 0, 500).status == grab.FALSE
    race.sent(0, 10)
    race.sent(1, 10)
    race.look(ANY_TIME)
    assert race.verdict.wishes == ("none", "none")


def test_forged_grabs_are_refused():
    race = race_of(0, 0)
    for seat, piece, reported in ((2, "red", 1), (-1, "red", 1), (0, "blue", 1), (0, "red", "1"), (0, "red", 1.5)):
        with pytest.raises(GrabError):
            race.grab(seat, piece, 1000 * MS, reported)  # type: ignore[arg-type]
    with pytest.raises(GrabError):
        race.grab(0, "red", 1000 * MS, True)
    assert race.grabs == []


def test_doubled_late_and_second_grabs_are_noted_and_change_nothing():
    race = race_of(0, 0, 0)
    grab_at(race, 0, "black", 500)
    assert grab_at(race, 0, "black", 510).status == grab.DOUBLED
    race.look(900 * MS)
    assert race.settled["black"].holder == 0
    assert grab_at(race, 0, "red", 901).status == grab.HAS_ONE
    assert grab_at(race, 1, "black", 902).status == grab.LATE
    race.keep_still(1, 903 * MS)
    assert grab_at(race, 1, "red", 904).status == grab.STILL
    race.look(ANY_TIME)
    assert grab_at(race, 2, "red", 70_000).status == grab.LATE
    assert race.verdict.wishes == ("black", "none", "none")
    assert race.verdict.order_text is None


def test_no_clock_runs_backwards():
    race = race_of(0, 0)
    grab_at(race, 0, "black", 800)
    made = grab_at(race, 1, "black", 500)
    assert (made.arrived, made.accepted) == (800 * MS, 800 * MS)
    race.look(100 * MS)
    assert race.next_time is not None


def test_verdict_falls_as_soon_as_nobody_could_be_quicker():
    race = race_of(0, 100, 60)
    grab_at(race, 0, "black", 500, 500)
    # Seat 1's report could lie 100 ms below its arrival, and 25 ms more would be level.
    assert race.next_time == 625 * MS + 1
    race.look(625 * MS)
    assert race.settled == {}
    race.look(625 * MS + 1)
    assert race.settled["black"] == grab.Settlement("black", 0, 625 * MS + 1)


def test_verdict_never_waits_longer_than_250_ms():
    race = Race((Terms(0, 0), Terms(250 * MS, 250 * MS)))
    race.sent(0, 0)
    race.sent(1, 250 * MS)
    grab_at(race, 0, "black", 500)
    assert race.next_time == 750 * MS
    race.look(750 * MS)
    assert race.settled["black"].holder == 0


def test_who_vanishes_in_the_verdict_window_is_not_waited_for_but_its_grab_stands():
    race = race_of(0, 200, 200)
    grab_at(race, 0, "black", 500)
    grab_at(race, 1, "red", 520, 480)
    race.leave(1, 530 * MS)
    race.leave(2, 540 * MS)
    race.look(540 * MS)
    assert race.settled["black"] == grab.Settlement("black", 0, 540 * MS)
    assert race.settled["red"].holder == 1
    assert race.closed_at == 540 * MS


def test_who_comes_back_is_waited_for_again():
    race = race_of(0, 200)
    race.leave(1, 300 * MS)
    race.come_back(1, 400 * MS)
    grab_at(race, 0, "black", 500)
    assert race.next_time == 725 * MS + 1


def test_a_seat_whose_cards_are_not_sent_yet_is_waited_for():
    race = Race((Terms(0, 0), Terms(0, 0)))
    race.sent(0, 0)
    race.keep_still(0, 10 * MS)
    race.look(200 * MS)
    assert race.closed_at is None


def test_second_piece_goes_to_a_beaten_hand():
    """Both reach for black, Ben is beaten, turns to red, and is quicker there than Ida."""
    race = race_of(60, 60, 60)
    grab_at(race, 0, "black", 950, 900)
    grab_at(race, 1, "black", 980, 940)
    grab_at(race, 1, "red", 1300, 1250)
    grab_at(race, 2, "red", 1330, 1280)
    race.look(ANY_TIME)
    assert {piece: gone.holder for piece, gone in race.settled.items()} == {"black": 0, "red": 1}
    assert race.verdict == grab.Verdict(("black", "black>red", "red"), (0, 1, 2))


def test_second_piece_goes_to_whoever_reaches_for_it_first():
    """Ben turns to red too late: Ida has been there, and the order of the hands must say so."""
    race = race_of(60, 60, 60)
    grab_at(race, 0, "black", 950, 900)
    grab_at(race, 1, "black", 980, 940)
    grab_at(race, 2, "red", 1250, 1200)
    grab_at(race, 1, "red", 1270, 1230)
    race.look(ANY_TIME)
    assert race.verdict == grab.Verdict(("black", "black>red", "red"), (0, 2, 1))


def test_a_hand_is_not_at_both_pieces_at_once():
    race = race_of(0, 0)
    grab_at(race, 0, "black", 900)
    assert grab_at(race, 0, "red", 901).time == 1000 * MS
    grab_at(race, 1, "red", 960)
    race.look(ANY_TIME)
    assert {piece: gone.holder for piece, gone in race.settled.items()} == {"black": 0, "red": 1}


def level_race(**rules: Any) -> Race:
    race = race_of(10, 10, 10, **rules)
    grab_at(race, 2, "black", 1005, 1000)
    grab_at(race, 0, "black", 1025, 1020)
    grab_at(race, 1, "black", 1030, 1026)
    race.look(ANY_TIME)
    return race


def test_hands_within_the_window_are_parted_by_lot():
    race = level_race()
    assert race.lot == ("black", (2, 0)), "26 ms are no tie"
    assert race.next_time is None
    assert race.closed_at is None
    for wrong in ((0,), (0, 1), (0, 2, 1), ()):
        with pytest.raises(GrabError):
            race.cast(wrong, ANY_TIME)
    race.cast((0, 2), ANY_TIME)
    assert race.settled["black"] == grab.Settlement("black", 0, ANY_TIME, (0, 2))
    race.look(2 * ANY_TIME)
    assert race.verdict == grab.Verdict(("black", "black", "black"), (0, 2, 1))
    with pytest.raises(GrabError):
        race.cast((0, 2), 2 * ANY_TIME)


def test_or_nobody_gets_the_piece():
    race = level_race(tie_rule="nobody")
    assert race.settled["black"].holder is None
    assert race.verdict == grab.Verdict(("none", "none", "none"), ())


def test_or_the_grab_that_came_in_first_has_it():
    assert level_race(tie_rule="arrival").verdict.order == (2, 0, 1)


@pytest.mark.parametrize(("chips", "lot", "holder"), [((3, 9, 4), None, 0), ((4, 0, 3), None, 2), ((3, 0, 3), 1, None)])
def test_or_whoever_has_fewer_chips(chips, lot, holder):
    race = Race(tuple(Terms(0, 0, chips=count) for count in chips), RaceRules(tie_rule="chips"))
    for seat in range(3):
        race.sent(seat, 0)
    for seat, time in ((2, 1000), (0, 1020), (1, 1100)):
        grab_at(race, seat, "black", time)
    race.look(ANY_TIME)
    assert (race.lot is not None) == bool(lot)
    assert race._holder("black") == holder


def test_a_head_start_is_added_and_waited_for():
    """Papa gives Mia half a second: her 1.4 s beat his 1.0 s."""
    race = Race((Terms(0, 0, handicap=500 * MS), Terms(0, 0)))
    for seat in range(2):
        race.sent(seat, 0)
    grab_at(race, 0, "black", 1000)
    race.look(1400 * MS)
    assert race.settled == {}
    grab_at(race, 1, "black", 1400)
    race.look(ANY_TIME)
    assert race.verdict.order == (1, 0)


def test_round_without_a_grab_ends_at_its_limit_or_when_all_keep_still():
    race = race_of(0, 40)
    assert race.next_time == 8040 * MS
    race.keep_still(0, 1000 * MS)
    race.keep_still(1, 1500 * MS)
    race.look(1500 * MS)
    assert race.closed_at == 1500 * MS
    assert race.verdict == grab.Verdict(("none", "none"), ())
    endless = race_of(0, 40, limit=None)
    assert endless.next_time is None
    with pytest.raises(GrabError):
        _ = endless.verdict
    grab_at(endless, 0, "red", 20_000)
    endless.look(ANY_TIME)
    assert endless.verdict.wishes == ("red", "none")


def test_other_piece_stays_for_a_last_call():
    race = race_of(0, 0)
    grab_at(race, 0, "black", 1000)
    race.look(1025 * MS + 1)
    assert race.settled["black"].at == 1025 * MS + 1
    assert race.next_time == 2525 * MS + 1
    assert grab_at(race, 1, "red", 2525).status == grab.COUNTED
    race.look(ANY_TIME)
    assert race.verdict.order == (0, 1)


def test_thinking_mode_orders_hands_by_head_start():
    wishes = ["red", "none", "black", "red>black", "black"]
    assert grab.handicap_order(wishes, [500, 0, 0, 500, 100]) == [(2,), (4,), (0, 3)]


def test_margins_are_measured_against_the_usual_round_trip():
    race = Race((Terms(140 * MS, 110 * MS), Terms(60 * MS, 20 * MS), Terms(0, 0)))
    for seat in range(3):
        race.sent(seat, 0)
    grab_at(race, 0, "black", 1000, 860)
    grab_at(race, 1, "black", 1000, 985)
    grab_at(race, 2, "black", 1000)
    assert race.margins() == {0: 30 * MS, 1: -5 * MS}


# --- promises, on made-up rounds ----------------------------------------------------------------------------------

hand = st.fixed_dictionaries(
    {
        "seat": st.integers(0, 4),
        "piece": st.sampled_from(grab.PIECES),
        "reaction": st.integers(100, 2500).map(lambda ms: ms * MS),
        "trip": st.integers(1, 400).map(lambda ms: ms * MS),
        "lie": st.sampled_from((0, 0, 0, -400, -60, 30, 500, None)),
    }
)
seat_terms = st.builds(
    Terms,
    cap=st.integers(0, 250).map(lambda ms: ms * MS),
    usual=st.integers(0, 250).map(lambda ms: ms * MS),
    handicap=st.sampled_from((0, 0, 0, 300 * MS)),
    chips=st.integers(0, 5),
)
made_up = st.fixed_dictionaries(
    {
        "terms": st.lists(seat_terms, min_size=5, max_size=5),
        "sent": st.lists(st.integers(0, 250).map(lambda ms: ms * MS), min_size=5, max_size=5),
        "hands": st.lists(hand, max_size=9),
        "leaves": st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2500).map(lambda ms: ms * MS)), max_size=2),
        "still": st.lists(st.tuples(st.integers(0, 4), st.integers(300, 2500).map(lambda ms: ms * MS)), max_size=3),
        "luck": st.permutations(range(5)),
        "rules": st.builds(
            RaceRules,
            tie=st.sampled_from((0, 8 * MS, 25 * MS)),
            tie_rule=st.sampled_from(grab.TIE_RULES),
            strict=st.booleans(),
        ),
    }
)


one_hand = {"reaction": 1000 * MS, "trip": 10 * MS, "lie": 0}
tied = {
    "terms": [Terms(0, 0)] * 5,
    "sent": [0] * 5,
    "hands": [
        {**one_hand, "seat": 0, "piece": "black"},
        {**one_hand, "seat": 1, "piece": "black"},
        {**one_hand, "seat": 0, "piece": "red", "reaction": 1100 * MS},
        {**one_hand, "seat": 1, "piece": "red", "reaction": 1100 * MS},
    ],
    "leaves": [],
    "still": [],
    "luck": [4, 3, 2, 1, 0],
    "rules": RaceRules(tie=25 * MS, tie_rule=grab.BY_LOT),
}
"""A lot for black, and red for whoever did not get it: seldom made up, so it is always among the examples."""


def run(round_: dict[str, Any], looks: random.Random | None = None, names: list[int] | None = None) -> Race:
    """Play a made-up round; `looks`: look at random times between; `names`: the seats' numbers, changed."""
    names = names or list(range(5))
    terms = [round_["terms"][names.index(seat)] for seat in range(5)]
    race = Race(tuple(terms), round_["rules"])
    entries: list[tuple[int, int, Any]] = []
    for seat, at in enumerate(round_["sent"]):
        entries.append((at, len(entries), lambda at, seat=seat: race.sent(names[seat], at)))
    for one in round_["hands"]:
        arrives = round_["sent"][one["seat"]] + one["reaction"] + one["trip"]
        reported = None if one["lie"] is None else one["reaction"] + one["lie"] * MS
        call = (names[one["seat"]], one["piece"], reported)
        entries.append((arrives, len(entries), lambda at, call=call: race.grab(call[0], call[1], at, call[2])))
    for kind, method in (("leaves", race.leave), ("still", race.keep_still)):
        for seat, at in round_[kind]:
            entries.append((at, len(entries), lambda at, seat=seat, method=method: method(names[seat], at)))
    waiting = sorted(entries, key=lambda entry: entry[:2])
    for number, (at, _, call) in enumerate(waiting):
        call(at)
        soon = waiting[number + 1][0] if number + 1 < len(waiting) else at
        settle_lot(race, round_, names, at)
        if looks is not None and soon > at:
            race.look(looks.randrange(at, soon))
            settle_lot(race, round_, names, race._now)
    for later in range(1, 4):
        race.look(later * ANY_TIME)
        settle_lot(race, round_, names, later * ANY_TIME)
    return race


def settle_lot(race: Race, round_: dict[str, Any], names: list[int], at: int) -> None:
    if race.lot is not None:
        race.cast(sorted(race.lot[1], key=lambda seat: round_["luck"].index(names.index(seat))), at)


def holders(race: Race) -> dict[str, int | None]:
    return {piece: gone.holder for piece, gone in race.settled.items()}


many = settings(max_examples=300, deadline=None)


@many
@given(made_up)
@example(tied)
def test_rounds_end_and_their_record_holds(round_):
    race = run(round_)
    assert race.closed_at is not None
    record = json.loads(json.dumps(race.record()))
    again = replay(record)
    assert again.record() == race.record()
    assert race.verdict == again.verdict


@many
@given(made_up, st.permutations(range(5)))
def test_nothing_depends_on_the_numbers_of_the_seats(round_, names):
    race, other = run(round_), run(round_, names=list(names))
    assert {piece: names[seat] if seat is not None else None for piece, seat in holders(race).items()} == holders(other)
    assert [names[seat] for seat in race.verdict.order] == list(other.verdict.order)
    assert [other.verdict.wishes[names[seat]] for seat in range(5)] == list(race.verdict.wishes)
    assert other.closed_at == race.closed_at


@many
@given(made_up, st.integers(0, 99))
def test_nothing_depends_on_when_one_looks(round_, seed):
    # A lot is cast when it is seen to be needed, and that is an input: here all rounds are parted without one.
    round_ = {**round_, "rules": replace(round_["rules"], tie_rule="arrival")}
    race, other = run(round_), run(round_, looks=random.Random(seed))
    assert race.record()["settled"] == other.record()["settled"]
    assert race.record()["verdict"] == other.record()["verdict"]
    assert race.closed_at == other.closed_at


@many
@given(made_up)
def test_served_by_the_rules_of_the_game_everybody_gets_what_was_settled(round_):
    verdict = run(round_).verdict
    state = bolzplatz.load_game("wilde-kerle", players=5).new_initial_state()
    state.play("Sb14", "Sr14", "Kb5", "Kr5", "Kr6", " ".join(verdict.wishes))
    if verdict.order_text is not None:
        state.play(verdict.order_text)
    taken = {event.data["piece"]: event.seat for event in state.events() if event.kind == "takes"}
    assert taken == {piece: seat for piece, seat in holders(run(round_)).items() if seat is not None}


@many
@given(made_up)
def test_everybody_who_could_still_be_quicker_is_waited_for(round_):
    race = run(round_)
    rules, terms = race.rules, race.terms
    gone = {seat for seat, at in round_["leaves"]} | {seat for seat, at in round_["still"]}
    before: list[grab.Settlement] = []
    for piece, settlement in race.settled.items():
        hands = [made for made in race.grabs if made.piece == piece and made.status == grab.COUNTED]
        tried = [made for made in hands if made.seat not in {other.holder for other in before}]
        best = min(tried, key=lambda made: made.time)
        if settlement.holder is not None:
            won = next(made for made in tried if made.seat == settlement.holder)
            assert won.time <= best.time + rules.tie, "the quickest has it, or one who is level"
        since = min(made.arrived for made in tried)
        most = [0, *(terms[best.seat].handicap - term.handicap for term in terms)]
        earlier = [other.at for other in before]
        before.append(settlement)
        if not settlement.tied:
            assert settlement.at <= max([since + 250 * MS + max(most), *earlier, best.arrived])
        for seat in set(range(5)) - gone - {made.seat for made in race.grabs if made.status == grab.COUNTED}:
            elapsed = settlement.at - round_["sent"][seat]
            too_late = terms[seat].lowest(elapsed, rules.strict) + terms[seat].handicap > best.time + rules.tie
            assert too_late or settlement.at >= min(made.arrived for made in hands) + 250 * MS


@many
@given(
    made_up,
    hand.filter(lambda one: one["reaction"] >= 400 * MS),
    st.integers(0, 300),
    st.integers(-2000, 2000),
)
def test_neither_lies_nor_delays_bring_a_piece(round_, mine, delay, lie):
    """Whoever gets a piece by delaying or by any report gets it as well by the lowest believed one, at once.

    Except that whoever is so quick that it would be a false start does well to wait.
    """
    rules = replace(round_["rules"], tie_rule="lots")
    others = [{**one, "piece": "black"} for one in round_["hands"] if one["seat"] != mine["seat"]]
    quiet = {**round_, "leaves": [], "still": [], "rules": rules}
    trick = {**mine, "piece": "black", "trip": mine["trip"] + delay * MS, "lie": lie}
    if holders(run({**quiet, "hands": [*others, trick]})).get("black") == mine["seat"]:
        elapsed = mine["reaction"] + mine["trip"]
        lowest = max(elapsed - round_["terms"][mine["seat"]].cap, grab.FALSE_START)
        best = {**mine, "piece": "black", "lie": (lowest - mine["reaction"]) // MS}
        assert holders(run({**quiet, "hands": [*others, best]}))["black"] == mine["seat"]


@many
@given(
    st.lists(st.integers(300, 2500), min_size=3, max_size=5, unique=True),
    st.lists(st.integers(0, 105), min_size=5, max_size=5),
    st.data(),
)
def test_honest_seats_get_what_their_hands_deserve(reactions, halves, data):
    """Whatever the lines are, within their measured bounds: the first hand has the piece, or is level with it."""
    links = {seat: link_of(2 * halves[seat]) for seat in range(len(reactions))}
    delays = send_delays(links)
    race = Race(tuple(Terms.of(link, Conduct()) for link in links.values()))
    arrivals = []
    for seat, reaction in enumerate(reactions):
        extra = data.draw(st.integers(0, 40))
        arrivals.append((delays[seat] + (2 * halves[seat] + reaction + extra) * MS, seat))
    for seat in sorted(delays, key=delays.__getitem__):
        race.sent(seat, delays[seat])
    for at, seat in sorted(arrivals):
        race.grab(seat, "red", at, reactions[seat] * MS)
    race.look(ANY_TIME)
    close = {seat for seat, reaction in enumerate(reactions) if reaction <= min(reactions) + 25}
    if len(close) == 1:
        assert {race.settled["red"].holder} == close
    else:
        assert race.lot is not None
        assert set(race.lot[1]) == close


# --- the audit ----------------------------------------------------------------------------------------------------


def record_of_a_round() -> dict[str, Any]:
    race = race_of(0, 60, 40)
    grab_at(race, 0, "black", 900, 880)
    grab_at(race, 1, "black", 940, 890)
    race.look(1200 * MS)
    race.cast((1, 0), 1300 * MS)
    race.leave(2, 1500 * MS)
    race.look(ANY_TIME)
    return json.loads(json.dumps(race.record()))


def test_a_record_is_whole_numbers_and_texts():
    def numbers(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [number for entry in value.values() for number in numbers(entry)]
        return [n for entry in value for n in numbers(entry)] if isinstance(value, list) else [value]

    record = record_of_a_round()
    assert all(value is None or isinstance(value, int | str) for value in numbers(record))
    assert record["verdict"] == {"wishes": ["black", "black", "none"], "order": [1, 0]}
    assert replay(record).verdict.order == (1, 0)


def test_a_changed_record_is_found_out():
    def change(record: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
        changed = json.loads(json.dumps(record))
        place = changed
        for step in path[:-1]:
            place = place[step]
        value = place[path[-1]]
        place[path[-1]] = value + 7 * MS if isinstance(value, int) else "red" if value == "black" else None
        return changed

    record = record_of_a_round()
    paths = [
        ("inputs", 3, 1),
        ("inputs", 4, 4),
        ("inputs", 3, 3),
        ("inputs", 5, 2),
        ("grabs", 0, "accepted"),
        ("settled", 0, "holder"),
        ("closed_at",),
        ("verdict", "order"),
        ("verdict",),
        ("inputs",),
    ]
    for path in paths:
        with pytest.raises(GrabError):
            replay(change(record, path))
    with pytest.raises(GrabError):
        replay({})


# --- right and wrong, on model lines ------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", ["LAN", "fibre v mobile", "EU v overseas"])
def test_less_than_one_verdict_in_a_hundred_is_wrong_when_cards_are_read(pair):
    wrong, lots = shares("race", "reading", pair, 3000)
    assert wrong < 0.01
    assert 0.02 < lots < 0.055


def test_the_model_shows_what_the_rules_are_for():
    """Shares of wrong verdicts as measured elsewhere: a third by arrival on a mobile line, a tenth of that strictly."""
    measured = {
        ("arrival", "quick", "fibre v mobile"): 0.33,
        ("arrival", "quick", "EU v overseas"): 0.41,
        ("arrival", "reading", "fibre v mobile"): 0.10,
        ("strict", "quick", "fibre v mobile"): 0.09,
        ("strict", "reading", "fibre v mobile"): 0.023,
        ("common", "quick", "fibre v mobile"): 0.19,
        ("common", "reading", "EU v overseas"): 0.07,
        ("reports", "quick", "LAN"): 0.029,
        ("reports", "quick", "EU v overseas"): 0.027,
    }
    for (rule, task, pair), share in measured.items():
        wrong, _ = shares(rule, task, pair, 1500)
        assert abs(wrong - share) < 0.04, (rule, task, pair)


def test_every_pair_of_pieces_and_hands_is_covered_by_the_made_up_rounds():
    """The strategies reach what matters: lots, second wishes, late hands, false starts."""
    seen: set[str] = set()

    @settings(max_examples=400, deadline=None, database=None, derandomize=True)
    @given(made_up)
    @example(tied)
    def collect(round_):
        race = run(round_)
        seen.update(made.status for made in race.grabs)
        seen.update(wish for wish in race.verdict.wishes)
        seen.update("lot" for settlement in race.settled.values() if settlement.tied)
        seconds = [seat for seat, wish in enumerate(race.verdict.wishes) if ">" in wish]
        seen.update("second" for seat in seconds if race._holder(race.verdict.wishes[seat].split(">")[1]) == seat)

    collect()
    assert seen >= {"counted", "false start", "held back", "doubled", "has one", "late", "kept still"}
    assert seen >= {"none", "red", "black", "red>black", "black>red", "lot", "second"}


def test_order_text_needs_two_hands():
    for hands in itertools.permutations(range(3), 2):
        assert grab.Verdict(("red",) * 3, hands).order_text == f"order {hands[0]} {hands[1]}"
    assert grab.Verdict(("red", "none", "none"), (0,)).order_text is None
