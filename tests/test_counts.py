"""Counts as proofs: numbers of sequences, positions and throws (tests/data/counts.txt), counted in two ways.

The engine counts every line of the file by walking over the rules. The same numbers come from closed formulas and from
small implementations below, written from the rules and not from the program.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from math import comb, prod
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import bolzplatz
from bolzplatz.core.drivers import outcome_of_faces
from bolzplatz.core.game import Game, State

FILE = Path(__file__).parent / "data" / "counts.txt"
MOST_STATES = 100_000


class Line(NamedTuple):
    """One line of the file: game, options, what is counted, the number."""

    game: str
    options: str
    what: str
    number: int

    def values(self) -> dict[str, str]:
        return dict(pair.split("=") for pair in self.options.split() if pair != "-")

    def load(self) -> Game:
        return bolzplatz.load_game(self.game, **self.values())


def read_lines() -> list[Line]:
    rows = (line for line in FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    return [
        Line(game, options, what, int(number)) for game, options, what, number in (re.split(" {2,}", r) for r in rows)
    ]


LINES = read_lines()


# --- counted by the engine --------------------------------------------------------------------------------------


def children(state: State) -> Iterator[State]:
    if state.is_simultaneous_node():
        legal = [state.legal_actions(seat) for seat in range(state.game.num_players)]
        for joint in itertools.product(*legal):
            child = state.clone()
            child.apply_actions(joint)
            yield child
    else:
        for action in state.legal_actions():
            child = state.clone()
            child.apply_action(action)
            yield child


def engine_sequences(game: Game, length: int) -> int:
    @cache
    def count(state: State, left: int) -> int:
        if left == 1 and state.is_simultaneous_node():
            return prod(len(state.legal_actions(seat)) for seat in range(game.num_players))
        if left == 1:
            return len(state.legal_actions())
        return sum(count(child, left - 1) for child in children(state)) if left else 1

    return count(game.new_initial_state(), length)


def engine_states(game: Game) -> int:
    first = game.new_initial_state()
    seen, waiting = {first.key()}, [first]
    while waiting and len(seen) < MOST_STATES:
        for child in children(waiting.pop()):
            if child.key() not in seen:
                seen.add(child.key())
                waiting.append(child)
    return len(seen)


@cache
def engine_throws(kind: str, dice: int) -> int:
    """Ordered throws of 5050 with so many dice left, of which a kind is true."""
    state = bolzplatz.load_game("5050", threshold=2000).new_initial_state()
    for i in range(6 - dice):
        state.play(f"throw 1{'2346666'[: 5 - i]}", "keep 1")
    counts: Counter[int] = Counter(
        outcome_of_faces(state, faces).outcome for faces in itertools.product(range(6), repeat=dice)
    )
    found = 0
    for outcome, ordered in counts.items():
        child = state.clone()
        child.apply_action(outcome)
        keeps = {child.action_to_string(action) for action in child.legal_actions()}
        kinds = {
            "different": True,
            "nothing usable": child.roller() == 1,
            "straight": "keep 123456" in keeps,
            "three pairs": "keep pairs" in keeps,
            "two triples": "keep pairs" not in keeps and any(re.fullmatch(r"keep (\d)\1\1 (\d)\2\2", k) for k in keeps),
            "one keep": len(keeps) == 1 and child.roller() is None,
        }
        found += kinds[kind] and (1 if kind == "different" else ordered)
    return found


def counted_by_engine(line: Line) -> int:
    word, _, rest = line.what.partition(" ")
    if word == "sequences":
        return engine_sequences(line.load(), int(rest))
    if word == "states":
        return engine_states(line.load())
    assert (line.game, word) == ("5050", "throws")
    kind, _, dice = rest.rpartition(" ")
    return engine_throws(kind, int(dice))


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.game} {line.options} {line.what}")
def test_the_engine_counts(line):
    assert counted_by_engine(line) == line.number


# --- counted without the engine ---------------------------------------------------------------------------------

Moves = Callable[[Any], list[Hashable]]


def count_sequences(first: Hashable, moves: Moves, length: int) -> int:
    """Number of ways to make so many steps."""
    ways: Counter[Hashable] = Counter({first: 1})
    for _ in range(length):
        following: Counter[Hashable] = Counter()
        for position, count in ways.items():
            for after in moves(position):
                following[after] += count
        ways = following
    return ways.total()


def count_positions(first: Hashable, moves: Moves) -> int:
    seen, waiting = {first}, [first]
    while waiting:
        fresh = set(moves(waiting.pop())) - seen
        seen |= fresh
        waiting += fresh
    return len(seen)


# Bar-Bolz-Bande: (what happens next, points, fouls, attacker, goals) of a single match.


def bar_bolz_moves(position: Any) -> list[Hashable]:
    event, points, fouls, attacker, goals = position

    def over_to_other(goals: tuple[int, int] = goals) -> Hashable:
        return ("won", attacker, goals) if max(goals) == 2 else ("roll", 0, 0, 1 - attacker, goals)

    def goal() -> Hashable:
        own, other = goals[attacker] + 1, goals[1 - attacker]
        return over_to_other((own, other) if attacker == 0 else (other, own))

    def go_on(event: str, points: int = points, fouls: int = fouls) -> Hashable:
        return (event, points, fouls, attacker, goals)

    if event == "referee":
        return [go_on("roll", fouls=fouls + 1), over_to_other()]
    if event == "offer":
        return [go_on("shot"), go_on("roll")]
    if event == "forced":
        return [go_on("shot")]
    if event == "shot":
        return [over_to_other(), goal()]
    sums = [points + gain for gain in (5, 10, 20)]
    after: list[Hashable] = [go_on("roll", s) if s < 50 else goal() if s == 50 else over_to_other() for s in sums]
    after.append(go_on("referee") if fouls < 2 else over_to_other())
    after += [over_to_other(), go_on("offer")] if points >= 30 else [go_on("roll")] * 2
    return after


def bar_bolz(position: Any) -> list[Hashable]:
    return [] if position[0] == "won" else bar_bolz_moves(position)


def bar_bolz_forced(position: Any) -> list[Hashable]:
    """The same with penalties that must be taken."""
    found = bar_bolz(position)
    return [("forced", *after[1:]) if after[0] == "offer" else after for after in found]  # type: ignore[index]


KICK_OFF = ("roll", 0, 0, 0, (0, 0))

# 5050: (what happens next, seat, dice, points of this set, points before, to confirm, last round runs, throw).


def multisets(dice: int) -> Iterator[tuple[int, ...]]:
    """Dice by face, of all throws of so many dice."""
    for faces in itertools.combinations_with_replacement(range(6), dice):
        yield tuple(faces.count(face) for face in range(6))


class Fifty(NamedTuple):
    """The options of 5050 that matter here. Any points written reach a low target; the usual one is out of reach."""

    threshold: int = 350
    low_target: bool = False
    seats: int = 2
    most_turned: int = 3
    six_alike_pairs: bool = True
    joined: bool = False

    @cache  # noqa: B019 - a few rule sets, kept as long as the tests run
    def keeps(self, thrown: tuple[int, ...]) -> list[tuple[int, int, bool]]:
        """Dice aside, points, to be confirmed: one for each way to put dice of a throw aside."""
        triples = [range(0, count + 1, 3) for count in (thrown[1], thrown[2], thrown[3], thrown[5])]
        found = []
        for ones, fives, turned, *rest in itertools.product(range(7), range(7), range(4), *triples):
            if ones > thrown[0] or fives + 2 * turned > thrown[4] or turned > self.most_turned:
                continue
            dice = ones + fives + turned + sum(rest)
            together = ones + turned if self.joined else ones
            points = together // 3 * 1000 + together % 3 * 100 + (0 if self.joined else turned * 100)
            points += fives // 3 * 500 + fives % 3 * 50
            points += sum(count // 3 * face * 100 for count, face in zip(rest, (2, 3, 4, 6), strict=True))
            if dice:
                found.append((dice, points, False))
        if sum(thrown) == 6:
            found += [(6, 1500, True)] * (max(thrown) == 1)
            even = all(count % 2 == 0 for count in thrown)
            found += [(6, 1500, True)] * (even and (self.six_alike_pairs or max(thrown) < 6))
        return found

    def moves(self, position: Any) -> list[Hashable]:
        event, seat, dice, points, before, confirm, last, thrown = position
        if event == "over":
            return []
        following = (seat + 1) % self.seats

        def next_turn(last: bool) -> Hashable:
            if last and following == 0:
                return ("over", 0, 0, 0, 0, False, True, None)
            return ("throw", following, 6, 0, 0, False, last, None)

        def throw_on() -> Hashable:
            if dice == 0:
                return ("throw", seat, 6, 0, before + points, confirm, last, None)
            return ("throw", seat, dice, points, before, confirm, last, None)

        if event == "throw":
            throws = [(thrown, self.keeps(thrown)) for thrown in multisets(dice)]
            return [("keep", *position[1:7], thrown) if keeps else next_turn(last) for thrown, keeps in throws]
        if event == "stop":
            return [next_turn(last or self.low_target), throw_on()]
        after: list[Hashable] = []
        for laid, gained, must_confirm in self.keeps(thrown):
            total, left = points + gained, dice - laid
            if must_confirm:
                after.append(("throw", seat, 6, 0, before + total, True, last, None))
            elif total >= self.threshold:
                after.append(("stop", seat, left, total, before, False, last, None))
            elif left == 0:
                after.append(("throw", seat, 6, 0, before + total, confirm, last, None))
            else:
                after.append(("throw", seat, left, total, before, confirm, last, None))
        return after


FIRST_THROW = ("throw", 0, 6, 0, 0, False, False, None)


def fifty_of(line: Line) -> Fifty:
    given = line.values()
    known = {"threshold", "target", "players", "max_conversions", "six_kind_is_three_pairs", "converted_one_in_triple"}
    assert given.keys() <= known
    assert given.get("target", "5050") in ("50", "5050")
    return Fifty(
        int(given.get("threshold", 350)),
        given.get("target") == "50",
        int(given.get("players", 2)),
        int(given.get("max_conversions", 3)),
        given.get("six_kind_is_three_pairs") != "false",
        given.get("converted_one_in_triple") == "true",
    )


def contest_states(matches: int, attack_positions: int) -> int:
    """Positions of a team contest with so many matches, an even number, and a decider.

    A side has two goals for each match won and up to one for each match lost: (w + 1)(l + 1) standings after w matches
    won and l lost, comb(k + 3, 3) after k matches.
    """
    running = sum(comb(k + 3, 3) for k in range(matches))
    half = matches // 2
    ties = half + 1
    # The last match may be won by either side with one goal or none against it; some of these results are ties.
    last = 4 * comb(matches + 2, 3) - 2 * sum(
        own == other + against for own in range(half + 1) for other in range(half) for against in (0, 1)
    )
    return (running + ties) * attack_positions + last + 4 * ties


ATTACK = 10 * 3 + 10 * 2 + 4 * 3 + 4 * 3
"""Positions of an attack: ten totals below 50, with none to two fouls; a referee's throw after the first two fouls; a
penalty offered, and one shot, with 30 to 45 points."""
BOTH = 2 * 2 * 2
"""Each of them for two attackers and goals of 0 or 1 on both sides."""
FORMULAS = {
    ("bar-bolz", "-"): ATTACK * BOTH + 4,  # ends: 2:0, 2:1, 1:2, 0:2
    ("bar-bolz", "penalty_optional=false"): ATTACK * BOTH + 4,
    # Matches won so far: 0:0, 1:0, 0:1, 1:1; ends: the winner's 2:0 or 2:1 in the last match, after 1:0 or 1:1.
    ("bar-bolz", "series=3"): 4 * ATTACK * BOTH + 2 * 2 * 2,
    # Played to the end, 2:0 and 0:2 go on as well; ends: four results of the last match after three standings.
    ("bar-bolz", "series=3 stop_when_decided=false"): 6 * ATTACK * BOTH + 4 * 3,
    ("bar-bolz", "teams=2v2"): contest_states(4, ATTACK * BOTH),
}


# Die wilden Fußballkerle: cards of the first round, then what every hand does.

ONCE_AND_TWICE = {"16-14": (2 * 6, 2 * 12), "10-20": (2 * 6, 2 * 12), "15-15": (2 * 6, 2 * 12)}
"""Card types that lie in each deck once and twice: 30 cards of 18 types in each of two colours are 6 and 12."""
HAND = 5
"""A hand stays, reaches for one figure, or for one and then the other."""


def wilde_kerle_sequences(line: Line, length: int) -> int:
    given = line.values()
    once, twice = ONCE_AND_TWICE[given.get("deck", "16-14")]
    once += 4 if given.get("pro") == "true" else 0
    players = int(given.get("players", 3))
    assert given.keys() <= {"deck", "pro", "players"}
    assert length <= players + 1
    cards = min(length, players)
    # Words of so many letters in which no type comes up more often than it lies in the deck: how many types come up
    # twice, which, where, and what stands in the other places.
    words = sum(
        comb(twice, pairs)
        * prod(comb(cards - 2 * pair, 2) for pair in range(pairs))
        * prod(once + twice - pairs - other for other in range(cards - 2 * pairs))
        for pairs in range(cards // 2 + 1)
    )
    return words * HAND ** (players * (length - cards))


# GOOAAAAAL!: what may be done first with a throw of four dice, and the beginning of a race.


def first_decisions(faces: tuple[str, ...], lines: int) -> int:
    """Ways to go on after a first throw: lay on one of the lines, put a quarter aside, throw again, jokers, done."""
    ball, keeper, supporter, quarter, _, spirit = (faces.count(face) for face in "BKSQWT")
    jokers = 2 * lines + 2 if spirit == len(faces) else 0
    return 1 + lines * ((ball > 0) + (keeper > 0)) + quarter % 2 + (supporter >= 2) + jokers


def race_sequences(length: int) -> int:
    """Throws of a penalty: the taker's, the keeper's, and one of whoever is next with the dice that are left."""
    showing = [comb(4 - quarters + 4, 4) for quarters in range(5)]
    following = [
        showing[taker] * showing[keeper] * (comb(9, 5) if 4 in (taker, keeper) else comb(4 - taker + 5, 5))
        for taker in range(5)
        for keeper in range(5)
    ]
    return {1: sum(showing), 2: sum(showing) ** 2, 3: sum(following)}[length]


def gooaaaaal_sequences(line: Line, length: int) -> int:
    given = line.values()
    if given.get("mode") == "shoot-out":
        return race_sequences(length)
    if given.get("edition") == "nine":
        return prod((21, 21, 6, 21, 21)[:length])
    throws = list(itertools.combinations_with_replacement("BKSQWT", 4))
    lines = 2 if "players" in given else 1
    return len(throws) if length == 1 else sum(first_decisions(faces, lines) for faces in throws)


def dribbel_fieber_sequences(length: int) -> int:
    """The coin, three cards each of nine (3, 2, 2, 1, 1 alike), then Poldi cards from twelve that differ."""

    def drawn(cards: int) -> int:
        kinds = itertools.product(range(5), repeat=cards)
        return sum(all(hand.count(kind) <= most for kind, most in enumerate((3, 2, 2, 1, 1))) for hand in kinds)

    red, blue = min(length - 1, 3), min(max(length - 4, 0), 3)
    return 2 * drawn(red) * drawn(blue) * prod(range(12, 12 - max(length - 7, 0), -1))


def counted_apart(line: Line) -> int:
    word, _, rest = line.what.partition(" ")
    if line.game == "dribbel-fieber":
        return dribbel_fieber_sequences(int(rest))
    if line.game == "gooaaaaal":
        return gooaaaaal_sequences(line, int(rest))
    if line.game == "wilde-kerle":
        return wilde_kerle_sequences(line, int(rest))
    if line.game == "bar-bolz" and word == "states":
        return FORMULAS[line.game, line.options]
    if line.game == "bar-bolz":
        moves = bar_bolz_forced if line.options == "penalty_optional=false" else bar_bolz
        assert line.options in ("-", "penalty_optional=false")
        return count_sequences(KICK_OFF, moves, int(rest))
    if word == "sequences":
        return count_sequences(FIRST_THROW, fifty_of(line).moves, int(rest))
    kind, _, dice = rest.rpartition(" ")
    throws = [Counter(faces) for faces in itertools.product(range(1, 7), repeat=int(dice))]
    shapes = [sorted(throw.values()) for throw in throws]
    useless = [not {1, 5} & set(throw) and max(throw.values()) < 3 for throw in throws]
    pairs = [len(throw) <= 3 and all(count % 2 == 0 for count in throw.values()) for throw in throws]
    if kind == "different":
        return comb(int(dice) + 5, 5)
    if kind == "nothing usable":
        return sum(bad and not (int(dice) == 6 and two) for bad, two in zip(useless, pairs, strict=True))
    if kind == "one keep":
        thrown = Counter(tuple(throw[face] for face in range(1, 7)) for throw in throws)
        return sum(count for dice_by_face, count in thrown.items() if len(Fifty().keeps(dice_by_face)) == 1)
    return {
        "straight": shapes.count([1] * 6),
        "three pairs": sum(pairs),
        "two triples": shapes.count([3, 3]),
    }[kind]


@pytest.mark.parametrize(
    "line",
    [line for line in LINES if line.game in ("bar-bolz", "5050", "gooaaaaal", "wilde-kerle")],
    ids=lambda line: f"{line.game} {line.options} {line.what}",
)
def test_the_rules_alone_give_the_same_number(line):
    assert counted_apart(line) == line.number


def test_the_formulas_and_the_small_implementation_agree():
    assert count_positions(KICK_OFF, bar_bolz) == FORMULAS["bar-bolz", "-"]
    assert count_positions(KICK_OFF, bar_bolz_forced) == FORMULAS["bar-bolz", "penalty_optional=false"]


def test_keeps_of_a_throw_by_a_closed_formula():
    """Some of the ones, triples of the others, fives kept plain or turned; not nothing at all."""
    for dice in range(1, 7):
        for thrown in multisets(dice):
            fives = sum(thrown[4] - 2 * turned + 1 for turned in range(thrown[4] // 2 + 1))
            triples = prod(1 + thrown[face] // 3 for face in (1, 2, 3, 5))
            special = dice == 6 and (max(thrown) == 1) + all(count % 2 == 0 for count in thrown)
            assert len(Fifty().keeps(thrown)) == (thrown[0] + 1) * fives * triples - 1 + special


def test_every_line_says_where_its_number_comes_from():
    text = FILE.read_text(encoding="utf-8")
    for block in text.strip().split("\n\n"):
        assert block.startswith("#"), block
    assert len(LINES) == len({(line.game, line.options, line.what) for line in LINES}) > 20
