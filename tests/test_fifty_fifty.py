"""5050: against a naive referee that works on lists of dice, and what the scenarios cannot express."""

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bolzplatz
from bolzplatz.bots import fifty_fifty as computer
from bolzplatz.bots import pick_action
from bolzplatz.core.engine import Engine
from bolzplatz.core.fast import FastStream
from bolzplatz.core.texts import LANGUAGES, event_text, game_texts
from bolzplatz.games import fifty_fifty as rules

# --- a naive referee, written from the rules ------------------------------------------------------------------------

ORDER = ["111", "222", "333", "444", "555", "666", "1", "5", "55>1"]
VALUE = {"111": 1000, "222": 200, "333": 300, "444": 400, "555": 500, "666": 600, "1": 100, "5": 50, "55>1": 100}
USED = {token: tuple(map(int, token.partition(">")[0])) for token in ORDER}


@cache
def partitions(dice: tuple[int, ...]) -> frozenset[tuple[str, ...]]:
    """All ways to take combinations out of these dice, the empty one among them."""
    found = {()}
    for token in ORDER:
        if not Counter(USED[token]) - Counter(dice):
            rest = tuple(sorted((Counter(dice) - Counter(USED[token])).elements()))
            found |= {tuple(sorted((*others, token), key=ORDER.index)) for others in partitions(rest)}
    return frozenset(found)


def naive_keeps(dice: tuple[int, ...], options: dict[str, Any]) -> dict[str, tuple[int, int, bool]]:
    """Each legal keep of a throw with (points, dice laid aside, must be confirmed): a pile counts at its best."""
    most_turned = options.get("max_conversions")
    best: dict[tuple[tuple[int, ...], int], tuple[int, tuple[str, ...]]] = {}
    for tokens in partitions(dice) - {()}:
        turned = tokens.count("55>1")
        laid = tuple(sorted(die for token in tokens if token != "55>1" for die in USED[token]))
        pile = (laid, turned)
        best[pile] = max(best.get(pile, (0, ())), (sum(VALUE[token] for token in tokens), tokens))
    keeps = {}
    for (laid, turned), (points, tokens) in best.items():
        if most_turned is not None and turned > most_turned:
            continue
        if options.get("converted_one_in_triple") and turned:
            ones = laid.count(1) + turned
            points = sum(VALUE[token] for token in tokens if token not in ("1", "111", "55>1"))
            points += 1000 * (ones // 3) + 100 * (ones % 3)
        keeps["keep " + " ".join(tokens)] = (points, len(laid) + turned, False)
    if sorted(dice) == [1, 2, 3, 4, 5, 6]:
        keeps["keep 123456"] = (1500, 6, True)
    pairs_of = [count // 2 for count in Counter(dice).values() if count % 2 == 0]
    if sum(pairs_of) == 3 and (len(pairs_of) > 1 or options.get("six_kind_is_three_pairs", True)):
        keeps["keep pairs"] = (1500, 6, True)
    return keeps


class Referee:
    """Follows a match by its texts alone and says what is legal and what is written."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        seats, first = options.get("players", 2), options.get("first", 0)
        self.order = [(first + i) % seats for i in range(seats)]
        self.written = [0] * seats
        self.target, self.threshold = options.get("target", 5050), options.get("threshold", 350)
        self.place, self.over = 0, False
        self.start_turn()

    def start_turn(self) -> None:
        self.sets: list[list[int]] = [[]]
        self.hand, self.lying, self.asked = 6, (), False

    @property
    def seat(self) -> int:
        return self.order[self.place]

    def legal(self) -> set[str]:
        if self.lying:
            return set(naive_keeps(self.lying, self.options))
        return {"stop", "go"} if self.asked else set()

    def end_turn(self) -> None:
        reached = max(self.written) >= self.target
        last = self.place == len(self.order) - 1
        self.over = reached and (last or not self.options.get("finish_round", True))
        if not self.over:
            self.place = 0 if last else self.place + 1
            self.start_turn()

    def play(self, text: str) -> None:
        if text.startswith("throw "):
            self.lying = tuple(map(int, text.removeprefix("throw ")))
            if not self.legal():
                self.end_turn()
        elif text == "stop":
            self.written[self.seat] += sum(map(sum, self.sets))
            self.end_turn()
        elif text == "go":
            self.throw_on()
        else:
            points, laid, confirm = naive_keeps(self.lying, self.options)[text]
            self.sets[-1].append(points)
            self.hand, self.lying = self.hand - laid, ()
            self.asked = sum(self.sets[-1]) >= self.threshold and not confirm
            if not self.asked:
                self.throw_on()

    def throw_on(self) -> None:
        self.asked = False
        if self.hand == 0:
            self.hand = 6
            self.sets.append([])

    def winner(self) -> int:
        return max(self.order, key=lambda seat: (self.written[seat], -self.order.index(seat)))


# --- throws and keeps ---------------------------------------------------------------------------------------------

WITH_DICE: dict[int, tuple[str, ...]] = {
    6: (),
    5: ("throw 122346", "keep 1"),
    4: ("throw 112346", "keep 1 1"),
    3: ("throw 222346", "keep 222"),
    2: ("throw 122246", "keep 222 1"),
    1: ("throw 222556", "keep 222 5 5"),
}
"""Moves after which so many dice are thrown."""

OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"max_conversions": 0},
    {"max_conversions": 1, "six_kind_is_three_pairs": False},
    {"max_conversions": 2, "converted_one_in_triple": True},
    {"converted_one_in_triple": True, "six_kind_is_three_pairs": False},
]


def new_state(*moves: str, **options: Any) -> bolzplatz.State:
    return bolzplatz.load_game("5050", **options).new_initial_state().play(*moves)


def legal_texts(state: bolzplatz.State) -> set[str]:
    return {state.action_to_string(action) for action in state.legal_actions()}


@cache
def ordered_throws(count: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=count))


@pytest.mark.parametrize("count", WITH_DICE)
def test_every_throw_has_the_weight_of_its_ordered_throws(count: int) -> None:
    state = new_state(*WITH_DICE[count])
    odds = {state.action_to_string(outcome): odd for outcome, odd in state.chance_outcomes()}
    expected = {"throw " + "".join(map(str, dice)): n for dice, n in ordered_throws(count).items()}
    assert odds == {text: Fraction(n, 6**count) for text, n in expected.items()}
    assert list(odds) == sorted(odds), "outcome ids go by the digits"


@pytest.mark.parametrize(("count", "busts"), [(1, 4), (2, 16), (3, 60), (4, 204), (5, 600), (6, 1080)])
def test_published_chance_of_a_throw_with_nothing_usable(count: int, busts: int) -> None:
    state = new_state(*WITH_DICE[count])
    total = Fraction(0)
    for outcome, odd in state.chance_outcomes():
        after = state.clone()
        after.apply_action(outcome)
        total += odd if after.roller() == 1 else 0
    assert total == Fraction(busts, 6**count)
    assert state.view()["shown"]["bust"] == f"{busts}/{6**count}"


TWO_TRIPLES = {f"keep {a}{a}{a} {b}{b}{b}" for a, b in combinations_with_replacement(range(1, 7), 2)}


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (lambda legal: "keep 123456" in legal, 720),
        (lambda legal: "keep pairs" in legal and not legal & TWO_TRIPLES, 1800 + 450),
        (lambda legal: "keep pairs" in legal and legal & TWO_TRIPLES, 6),
        (lambda legal: legal & TWO_TRIPLES and "keep pairs" not in legal, 300),
    ],
    ids=["straight", "2+2+2 and 4+2", "six alike", "two triples"],
)
def test_published_counts_of_six_dice(wanted: Callable[[set[str]], object], count: int) -> None:
    state = new_state()
    throws = {state.action_to_string(outcome): odd for outcome, odd in state.chance_outcomes()}
    found = sum(odd for text, odd in throws.items() if wanted(legal_texts(new_state(text))))
    assert found == Fraction(count, 6**6)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("count", WITH_DICE)
def test_keeps_of_every_throw(count: int, options: dict[str, Any]) -> None:
    """Legal keeps and their values are those of the naive referee, for all 923 throws."""
    state = new_state(*WITH_DICE[count], **options)
    for outcome in state.legal_actions():
        after = state.clone()
        dice = tuple(map(int, after.action_to_string(outcome).removeprefix("throw ")))
        after.apply_action(outcome)
        expected = naive_keeps(dice, options)
        if not expected:
            assert after.roller() == 1
            continue
        assert legal_texts(after) == set(expected)
        shown = after.view()["shown"]
        assert {f"keep {kept}": points for kept, points in shown["values"].items()} == {
            text: points for text, (points, _, _) in expected.items()
        }
        for text, (_, laid, confirm) in expected.items():
            keep = shown["keeps"][text.removeprefix("keep ")]
            assert keep["dice_next"] == (count - laid or 6)
            assert not (confirm and keep["may_stop"])


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_thrown_dice_in_any_order_are_the_outcome_that_names_them(data: st.DataObject) -> None:
    count = data.draw(st.sampled_from(sorted(WITH_DICE)))
    faces = data.draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
    state = new_state(*WITH_DICE[count])
    rules, setup = state.game.rules, state.game.setup
    outcome = rules.outcome_of(state.masked(None), setup, faces)
    assert state.action_to_string(outcome) == "throw " + "".join(str(face + 1) for face in sorted(faces))


# --- whole matches ------------------------------------------------------------------------------------------------

MATCH_OPTIONS = st.fixed_dictionaries(
    {
        "players": st.integers(2, 10),
        "target": st.sampled_from([50, 1000, 3000]),
        "threshold": st.sampled_from([0, 50, 300, 350, 500]),
        "finish_round": st.booleans(),
        "six_kind_is_three_pairs": st.booleans(),
        "converted_one_in_triple": st.booleans(),
        "max_conversions": st.sampled_from([None, 0, 1, 2, 3]),
        "first": st.integers(0, 1),
    }
)


def check_against(referee: Referee, state: bolzplatz.State) -> None:
    game, fields, shown = state.game, state.view()["fields"], state.view()["shown"]
    assert state.scores() == referee.written
    assert state.is_terminal() == referee.over
    legal = set() if state.roller() is not None else legal_texts(state)
    assert legal == (set() if referee.over else referee.legal())
    data = state.masked(None)
    assert game.layout.faults(data) == []
    mover = referee.seat
    allowed = set() if state.roller() is not None else set(state.legal_actions())
    refusals = {a for a in range(game.num_actions) if game.rules.refusal(data, game.setup, mover, a) == 0}
    assert refusals == allowed, "refused exactly where not listed"
    others = [seat for seat in range(game.num_players) if seat != mover]
    assert all(game.rules.refusal(data, game.setup, seat, a) for seat in others for a in refusals)
    if referee.over:
        assert state.returns()[referee.winner()] == 1.0
        assert sum(state.returns()) == pytest.approx(0)
        return
    assert mover in (state.current_player(), state.roller())
    assert sum(fields["aside"]) + fields["turned"] + fields["dice"] == 6
    assert sum(fields["thrown"]) == (0 if state.roller() is not None else fields["dice"])
    assert shown["at_risk"] == sum(map(sum, referee.sets))
    assert fields["set_points"] == sum(referee.sets[-1])
    assert shown["may_stop"] == ("stop" in legal)


@given(MATCH_OPTIONS, st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_random_matches_agree_with_the_naive_referee(options: dict[str, Any], seed: int) -> None:
    """All throws are equally likely here, so that straights, pairs and six alike come up all the time."""
    state, referee, stream = new_state(**options), Referee(**options), FastStream(seed)
    scores = state.scores()
    for _ in range(250):
        check_against(referee, state)
        if state.is_terminal():
            break
        actions = state.legal_actions()
        text = state.action_to_string(actions[stream.below(len(actions))])
        referee.play(text)
        state.play(text)
        assert all(new >= old for new, old in zip(state.scores(), scores, strict=True)), "points are never taken back"
        scores = state.scores()
    for language in LANGUAGES:
        names = [f"P{seat}" for seat in range(options["players"])]
        for event in state.events():
            assert event_text(game_texts("5050", language), event.to_dict(), names)
            assert re.fullmatch(r"5050 §(2|4|5|6|7|8|9|10|11)", event.rule)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_put_aside_is_told_in_words(language: str) -> None:
    """No reader has to know how moves are written."""
    keep = next(kind for kind in rules.EVENTS if kind.name == "keep")
    kept = keep.args[0].decode
    words = game_texts("5050", language).words
    groups = {group for move in range(len(rules.KEEP_TOKENS)) for group in kept(move)}
    assert {"1", "5+5", "222+222", "55>1+55>1+55>1", "123456", "pairs"} <= groups
    assert [group for group in groups if not re.search("[a-zéü]{2}", words.get(group, ""))] == []


def test_a_turned_pair_of_fives_is_told_in_words() -> None:
    state = new_state()
    state.play("throw 115556", "keep 1 1 5 55>1")
    told = [event_text(game_texts("5050", "en"), event.to_dict(), ["Mia", "Ben"]) for event in state.events()]
    assert told[1] == "Mia puts two ones, a five, two fives as a one aside: 350 points. In this set: 350."


def test_level_scores_fall_to_the_earlier_seat_in_the_order_of_this_game() -> None:
    turn = ("throw 334446", "keep 444", "stop")
    state = new_state(*turn * 3, players=3, first=2, target=400)
    assert state.is_terminal()
    assert state.returns() == [-0.5, -0.5, 1.0]
    assert [(e.kind, e.seat) for e in state.events() if e.kind in ("level", "win")] == [
        ("level", 0),
        ("level", 1),
        ("win", 2),
    ]


def test_positions_compare_without_their_past() -> None:
    """The same dice, points and turn are the same position, whatever came before."""
    bust, write = ("throw 223466",), ("throw 334446", "keep 444", "stop")
    assert new_state(*bust, *write, *bust).key() == new_state(*bust, *bust, *bust, *write, *bust).key()


# --- what is said -------------------------------------------------------------------------------------------------


def said(state: bolzplatz.State, since: int = 0) -> list[tuple[Any, ...]]:
    return [(e.kind, *e.data.values()) for e in state.events() if e.step >= since]


def test_events_of_a_turn_with_everything_in_it() -> None:
    state = new_state(
        "throw 123456", "keep 123456", "throw 112355", "keep 1 1 55>1", "throw 235", "keep 5", target=1000
    )
    assert said(state) == [
        ("throw", "1 2 3 4 5 6"),
        ("keep", ["123456"], 1500, 1500),
        ("must_confirm", "straight", 350),
        ("new_set", 1500, 350),
        ("throw", "1 1 2 3 5 5"),
        ("keep", ["1+1", "55>1"], 300, 300),
        ("turn_fives", 1),
        ("throw", "2 3 5"),
        ("keep", ["5"], 50, 350),
        ("confirm", 350),
    ]
    state.play("go", "throw 15", "keep 1 5", "go", "throw 223466")
    assert said(state, since=6) == [
        ("go", 2, 1850),
        ("throw", "1 5"),
        ("keep", ["1", "5"], 150, 500),
        ("all_aside", 500),
        ("new_set", 2000, 350),
        ("throw", "2 2 3 4 6 6"),
        ("bust", 2000),
    ]
    state.play("throw 111446", "keep 111", "stop")
    assert said(state, since=11) == [
        ("throw", "1 1 1 4 4 6"),
        ("keep", ["111"], 1000, 1000),
        ("hurdle", 1000),
        ("write", 1000, 1000),
        ("win", 1000),
    ]
    assert {e.seat for e in state.events() if e.step < 11} == {0}


def test_the_last_round_is_announced_to_those_who_still_play() -> None:
    state = new_state("throw 111446", "keep 111", "stop", target=1000, players=3)
    assert said(state)[-2:] == [("write", 1000, 1000), ("last_round", 1000)]
    state.play("throw 111446", "keep 111", "stop")
    assert said(state)[-1] == ("write", 1000, 1000), "it is announced once"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_and_refusal_has_its_sentence(language: str) -> None:
    spec, texts = bolzplatz.load_game("5050").spec, game_texts("5050", language)
    assert set(texts.events) == {kind.name for kind in spec.events}
    assert set(texts.refusals) == {refusal.name for refusal in spec.refusals}
    for kind in spec.events:
        places = set(re.findall(r"{(\w+)}", texts.events[kind.name]))
        assert places <= {"name", *(arg.name for arg in kind.args)}
    assert set(texts.words) == set(game_texts("5050", "en").words)


# --- what is refused ----------------------------------------------------------------------------------------------

STRAIGHT = ("throw 123456", "keep 123456")
REFUSED = [
    ((), "keep 1", "throw_first", "5050 §2"),
    ((), "go", "no_choice", "5050 §6"),
    ((), "stop", "below_hurdle", "5050 §6"),
    (("throw 112346",), "stop", "keep_first", "5050 §4"),
    (("throw 112346",), "go", "keep_first", "5050 §4"),
    (("throw 334446", "keep 444"), "keep 444", "kept_already", "5050 §4"),
    (("throw 334446", "keep 444", "go"), "stop", "keep_first", "5050 §4"),
    (("throw 112346",), "keep 5", "not_thrown", "5050 §4"),
    (("throw 112346",), "keep 111", "not_thrown", "5050 §4"),
    (("throw 112346", "keep 1 1", "throw 1346"), "keep 111", "other_throw", "5050 §4"),
    (("throw 223456",), "keep 55>1", "two_fives", "5050 §5"),
    (("throw 235555",), "keep 555 55>1", "two_fives", "5050 §5"),
    (("throw 223456", "keep 5", "throw 22345"), "keep 55>1", "fives_aside", "5050 §5"),
    (("throw 122346", "keep 1", "throw 12345"), "keep 123456", "needs_six", "5050 §3"),
    (("throw 122346", "keep 1", "throw 11223"), "keep pairs", "needs_six", "5050 §3"),
    (("throw 122346",), "keep 123456", "no_straight", "5050 §3"),
    (("throw 111555",), "keep pairs", "no_pairs", "5050 §3"),
    (STRAIGHT, "stop", "confirm_first", "5050 §8"),
    ((*STRAIGHT, "throw 223336", "keep 333"), "stop", "confirm_first", "5050 §8"),
    (("throw 222444", "keep 222 444", "go"), "stop", "new_hurdle", "5050 §7"),
    (("throw 222444", "keep 222 444", "go", "throw 223336", "keep 333"), "stop", "new_hurdle", "5050 §7"),
]


@pytest.mark.parametrize(("moves", "text", "code", "rule"), REFUSED)
def test_refused_with_reason_and_rule(moves: tuple[str, ...], text: str, code: str, rule: str) -> None:
    state = new_state(*moves)
    before = state.to_json()
    with pytest.raises(bolzplatz.IllegalActionError) as refusal:
        state.play(text)
    assert (refusal.value.code, refusal.value.rule) == (code, rule)
    assert state.to_json() == before


def test_refused_by_an_option() -> None:
    for moves, text, code, options in [
        ("throw 555556", "keep 55>1 55>1", "conversion_limit", {"max_conversions": 1}),
        ("throw 333333", "keep pairs", "six_alike", {"six_kind_is_three_pairs": False}),
    ]:
        with pytest.raises(bolzplatz.IllegalActionError) as refusal:
            new_state(moves, **options).play(text)
        assert (refusal.value.code, refusal.value.rule) == (code, "5050 §12")


def test_a_hurdle_of_zero_still_asks_for_a_die_first() -> None:
    with pytest.raises(bolzplatz.IllegalActionError) as refusal:
        new_state(threshold=0).play("stop")
    assert refusal.value.code == "keep_first"
    assert new_state("throw 223456", "keep 5", "stop", threshold=0).scores() == [50, 0]


def test_nothing_goes_when_the_game_is_over() -> None:
    state = new_state("throw 334446", "keep 444", "stop", target=400, finish_round=False)
    game, data = state.game, state.masked(None)
    codes = {game.rules.refusal(data, game.setup, 0, action) for action in range(game.num_actions)}
    assert [game.spec.refusals[code].name for code in codes] == ["game_over"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("keep 1 1 1", "write keep 111"),
        ("keep 5 1", "write keep 1 5"),
        ("keep 5 111", "write keep 111 5"),
        ("keep 1  5", "write keep 1 5"),
        ("keep 55>1 5", "write keep 5 55>1"),
        ("keep 12", "'12' names no dice"),
        ("keep", "after keep comes"),
        ("keep pairs 1", "stands alone"),
        ("keep 111 222 333", "do not lie in one throw"),
        ("take", "a move reads keep"),
        ("throw 112346", "a decision comes before"),
        ("", "a move reads keep"),
    ],
)
def test_unreadable_decisions_get_a_hint(text: str, hint: str) -> None:
    with pytest.raises(bolzplatz.IllegalActionError, match=re.escape(hint)) as refusal:
        new_state("throw 111556").play(text)
    assert refusal.value.rule == "notation"


@pytest.mark.parametrize("text", ["throw", "throw 211346", "throw 11234", "throw 1123467", "throw 112347", "112346"])
def test_unreadable_throws_are_refused(text: str) -> None:
    with pytest.raises(bolzplatz.IllegalActionError) as refusal:
        new_state().play(text)
    assert refusal.value.rule == "notation"


def test_every_action_id_reads_back() -> None:
    game = bolzplatz.load_game("5050")
    notation, data = game.spec.notation, game.new_initial_state().masked(None)
    texts = [notation.action_text(data, game.setup, 0, action) for action in range(game.num_actions)]
    assert [notation.read_action(data, game.setup, 0, text) for text in texts] == list(range(game.num_actions))
    assert texts[-2:] == ["stop", "go"]


def test_no_hurdle_that_six_dice_could_never_clear() -> None:
    assert new_state("throw 111111", "keep 111 111", "stop", threshold=2000).scores() == [2000, 0]
    with pytest.raises(bolzplatz.OptionError, match="threshold"):
        bolzplatz.load_game("5050", threshold=2001)


# --- computer players ---------------------------------------------------------------------------------------------


def choice(state: bolzplatz.State, level: str) -> str:
    seat = state.current_player()
    return state.action_to_string(pick_action(state.game, state, seat, level, FastStream(1)))


@pytest.mark.parametrize(
    ("throw", "expected"),
    [
        ("throw 111556", "keep 111 5 5"),
        ("throw 123456", "keep 123456"),
        ("throw 223344", "keep pairs"),
        ("throw 111111", "keep 111 111"),
        ("throw 222222", "keep pairs"),
        ("throw 223455", "keep 5 5"),
    ],
)
def test_child_takes_all_points(throw: str, expected: str) -> None:
    assert choice(new_state(throw), "child") == expected


def test_child_stops_as_soon_as_it_may() -> None:
    assert choice(new_state("throw 334446", "keep 444"), "child") == "stop"
    assert choice(new_state("throw 222555", "keep 222 555"), "child") == "stop"


def test_good_keeps_dice_back_and_takes_a_free_set_of_six() -> None:
    assert choice(new_state("throw 223455"), "good") == "keep 55>1"
    assert choice(new_state("throw 222555", "keep 222 555"), "good") == "go"
    assert choice(new_state("throw 135556", "keep 555 1"), "good") == "stop"


def test_good_plays_for_the_win_in_the_last_round() -> None:
    reached = ("throw 111446", "keep 111", "stop")
    behind = new_state(*reached, "throw 144666", "keep 666 1", target=1000)
    assert choice(behind, "good") == "go", "700 would lose"
    level = new_state(*reached, "throw 111446", "keep 111", target=1000)
    assert choice(level, "good") == "go", "level scores fall to the earlier seat"
    ahead = new_state(*reached, "throw 111166", "keep 111 1", target=1000)
    assert choice(ahead, "good") == "stop"
    closing = new_state("throw 223466", "throw 111666", "keep 111 666", target=1600)
    assert choice(closing, "good") == "stop", "the last seat of the round wins at once"


@given(MATCH_OPTIONS, st.integers(0, 2**32), st.sampled_from(("random", "child", "good")))
@settings(max_examples=40, deadline=None)
def test_computer_players_choose_legal_actions(options: dict[str, Any], seed: int, level: str) -> None:
    """Those that need no solved game; the others have tests of their own."""
    state, stream = new_state(**options), FastStream(seed)
    for _ in range(150):
        if state.is_terminal():
            break
        actions = state.legal_actions()
        if state.roller() is None:
            chosen = pick_action(state.game, state, state.current_player(), level, stream)
            assert chosen in actions
        else:
            chosen = actions[stream.below(len(actions))]
        state.apply_action(chosen)


def win_share(level: str, other: str, count: int) -> float:
    """Share of matches that `level` wins, in both seats alike."""
    engine = Engine(bolzplatz.load_game("5050"), computer.choose)
    a, b = computer.LEVELS.index(level), computer.LEVELS.index(other)
    first = engine.play(count, seed=1, levels=[a, b]).won[:, 0].sum()
    second = engine.play(count, seed=2, levels=[b, a]).won[:, 1].sum()
    return float(first + second) / (2 * count)


def test_levels_are_ordered() -> None:
    """The best player that ignores the score beats the child in 61 to 64 of 100; `good` also minds the score."""
    assert win_share("good", "child", 5000) > 0.64
    assert win_share("child", "random", 1000) > 0.85
    assert win_share("good", "random", 1000) > 0.90
