"""A small game with secrets, for tests of tables: cards that are dealt face down, a die, cards that are played openly.

Every card has a name of its own that occurs nowhere else, so that a leak can be found in any text by looking for it.
"""

from typing import Any, Final

import pytest

from bolzplatz.core.declare import Seen, declare, number, numbers, per_seat
from bolzplatz.core.events import emit
from bolzplatz.core.forms import dice, hidden
from bolzplatz.core.game import Game
from bolzplatz.core.nodes import CHANCE, NOBODY, TERMINAL
from bolzplatz.core.spec import Arg, EventKind, GameSpec, Notation, Option, Options, Refusal, Rules, Unreadable

CARDS: Final = 8
HELD: Final = 2
SEATS: Final = 4
TURNS: Final = 12
PASS: Final = HELD
DEALT, PLAYED, THREW = 0, 1, 2


def card_name(card: int) -> str:
    """Return a text that stands for one card and for nothing else."""
    return f"zq{card}zq"


@declare
class Setup:
    seats: int = number(2, SEATS, "players")


@declare
class State:
    dealt: int = number(0, SEATS * HELD, "cards dealt")
    thrown: int = number(0, 1, "1 after the throw of this turn")
    mover: int = number(0, SEATS, "whose turn")
    turns: int = number(0, 100, "turns played")
    hand: list[int] = per_seat(0, CARDS, "cards held, plus one", seats=SEATS, each=HELD, seen_by=Seen.OWNER)
    pile: list[int] = numbers(0, 1, "1 for each card that is in the pile", length=CARDS, seen_by=Seen.NOBODY)
    table: list[int] = per_seat(0, CARDS, "last card played, plus one", seats=SEATS)
    points: list[int] = per_seat(0, 1000, "points", seats=SEATS)


def begin(s: Any, o: Any) -> None:
    for card in range(CARDS):
        s.pile[card] = 1


def player_to_act(s: Any, o: Any) -> int:
    if s.dealt < o.seats * HELD:
        return CHANCE
    if s.turns >= TURNS * o.seats:
        return TERMINAL
    return s.mover if s.thrown else CHANCE


def roller(s: Any, o: Any) -> int:
    return NOBODY if s.dealt < o.seats * HELD else s.mover


def legal(s: Any, o: Any, seat: int, out: Any) -> int:
    count = 0
    for place in range(HELD):
        if s.hand[seat * HELD + place]:
            out[count] = place
            count += 1
    out[count] = PASS
    return count + 1


def refusal(s: Any, o: Any, seat: int, action: int) -> int:
    return 0 if action == PASS or s.hand[seat * HELD + action] else 1


def chance_count(s: Any, o: Any) -> int:
    return CARDS if s.dealt < o.seats * HELD else 6


def chance_weight(s: Any, o: Any, outcome: int) -> int:
    return s.pile[outcome] if s.dealt < o.seats * HELD else 1


def chance_form(s: Any, o: Any) -> int:
    return hidden() if s.dealt < o.seats * HELD else dice(1, 6)


def outcome_of(s: Any, o: Any, drawn: Any) -> int:
    return drawn[0]


def apply(s: Any, o: Any, action: int, log: Any) -> None:
    if s.dealt < o.seats * HELD:
        s.pile[action] = 0
        s.hand[s.dealt] = action + 1
        emit(log, DEALT, s.dealt // HELD, action)
        s.dealt += 1
    elif not s.thrown:
        s.thrown = 1
        s.points[s.mover] += action + 1
        emit(log, THREW, s.mover, action + 1)
    else:
        if action != PASS:
            place = s.mover * HELD + action
            s.table[s.mover] = s.hand[place]
            emit(log, PLAYED, s.mover, s.hand[place] - 1)
            s.hand[place] = 0
        s.thrown = 0
        s.turns += 1
        s.mover = (s.mover + 1) % o.seats


def winners(s: Any, o: Any, out: Any) -> None:
    if s.turns >= TURNS * o.seats:
        best = max(s.points)
        for seat in range(o.seats):
            out[seat] = 1 if s.points[seat] == best else 0


def scores(s: Any, o: Any, out: Any) -> None:
    for seat in range(o.seats):
        out[seat] = s.points[seat]


def _read(texts: list[str], text: str) -> int:
    if text not in texts:
        raise Unreadable("no such move")
    return texts.index(text)


MOVES = ["play 1", "play 2", "pass"]


def _outcomes(s: Any, o: Any) -> list[str]:
    return [card_name(card) for card in range(CARDS)] if s.dealt < o.seats * HELD else [str(i + 1) for i in range(6)]


SPEC = GameSpec(
    name="cards",
    title="Cards",
    source="made up for tests",
    rules_version="1",
    min_players=2,
    max_players=SEATS,
    perfect_information=False,
    options=(Option("players", int, 2, "-", "players", low=2, high=SEATS),),
    encode=lambda options: _encode(options),
    state=State,
    setup=Setup,
    rules=Rules(
        begin, player_to_act, roller, legal, refusal, chance_count, chance_weight, chance_form, outcome_of, apply,
        winners, scores,
    ),
    notation=Notation(
        lambda s, o, seat, action: MOVES[action],
        lambda s, o, outcome: _outcomes(s, o)[outcome],
        lambda s, o, seat, text: _read(MOVES, text),
        lambda s, o, text: _read(_outcomes(s, o), text),
    ),
    num_actions=lambda o: HELD + 1,
    max_chance_outcomes=lambda o: CARDS,
    max_length=lambda o: None,
    events=(
        EventKind("dealt", "cards §1", (Arg("card", card_name),), seat_only=True),
        EventKind("played", "cards §2", (Arg("card", card_name),)),
        EventKind("threw", "cards §3", (Arg("face"),)),
    ),
    refusals=(Refusal("fine", "", ""), Refusal("not_held", "cards §2", "there is no such card in the hand")),
    board=lambda s, o: f"Cards {s.points[: o.seats]}",
    shown=lambda s, o: {"hands": [card_name(card - 1) for card in s.hand if card]},
)  # fmt: skip


def _encode(options: Options) -> Setup:
    return Setup(int(options["players"] or 0))


def load(name: str, /, **options: Any) -> Game:
    """Load the game as `bolzplatz.load_game` loads those that ship."""
    assert name == SPEC.name
    return Game(SPEC, options)


def bring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables play it, with computer players that choose at random."""
    from bolzplatz.bots import pick_action
    from bolzplatz.table import service, setup, warmth

    def pick(game: Game, state: Any, seat: int, level: str, stream: Any) -> int:
        if game.name != SPEC.name:
            return pick_action(game, state, seat, level, stream)
        moves = state.legal_actions(seat)
        return int(moves[stream.below(len(moves))])

    monkeypatch.setattr(setup, "load_game", load)
    monkeypatch.setattr(setup, "game_spec", lambda name: SPEC)
    monkeypatch.setattr(setup, "levels", lambda name: ("random", "good"))
    monkeypatch.setattr(setup, "level_fault", lambda game, level: None)
    monkeypatch.setattr(service, "pick_action", pick)
    monkeypatch.setattr(warmth, "starts_slowly", lambda *_: False)
