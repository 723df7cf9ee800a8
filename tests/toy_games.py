"""Two small games to test the core: Pig (a published optimum, one die) and Duel (hidden cards, one joint node)."""

from typing import Any, Final

from bolzplatz.core.declare import Seen, declare, number, per_seat
from bolzplatz.core.events import emit
from bolzplatz.core.forms import dice, weighted
from bolzplatz.core.game import Game
from bolzplatz.core.nodes import CHANCE, NOBODY, SIMULTANEOUS, TERMINAL
from bolzplatz.core.spec import Arg, EventKind, GameSpec, Notation, Option, Options, Refusal, Rules, Unreadable

# --- Pig: throw for points, a one loses them, 100 wins (Neller and Presser 2004) ------------------------------

ROLL: Final = 0
HOLD: Final = 1


@declare
class PigSetup:
    seats: int = number(2, 2, "players")
    target: int = number(1, 1000, "points to win")


@declare
class PigState:
    throwing: int = number(0, 1, "1 while the die is in the air")
    mover: int = number(0, 1, "whose turn")
    at_risk: int = number(0, 1000, "points of this turn")
    banked: list[int] = per_seat(0, 1000, "points held", seats=2)


def pig_begin(s: Any, o: Any) -> None:
    s.mover = 0


def pig_player(s: Any, o: Any) -> int:
    if s.banked[0] >= o.target or s.banked[1] >= o.target:
        return TERMINAL
    return CHANCE if s.throwing else s.mover


def pig_roller(s: Any, o: Any) -> int:
    return s.mover


def pig_legal(s: Any, o: Any, seat: int, out: Any) -> int:
    out[0] = ROLL
    out[1] = HOLD
    return 2 if s.at_risk > 0 else 1


def pig_refusal(s: Any, o: Any, seat: int, action: int) -> int:
    return 1 if action == HOLD and s.at_risk == 0 else 0


def pig_count(s: Any, o: Any) -> int:
    return 6


def pig_weight(s: Any, o: Any, outcome: int) -> int:
    return 1


def pig_form(s: Any, o: Any) -> int:
    return dice(1, 6)


def pig_outcome(s: Any, o: Any, drawn: Any) -> int:
    return drawn[0]


def pig_apply(s: Any, o: Any, action: int, log: Any) -> None:
    if s.throwing:
        s.throwing = 0
        emit(log, 0, s.mover, action + 1, 0, 0)
        if action == 0:
            s.at_risk = 0
            s.mover = 1 - s.mover
        else:
            s.at_risk += action + 1
    elif action == ROLL:
        s.throwing = 1
    else:
        s.banked[s.mover] += s.at_risk
        s.at_risk = 0
        s.mover = 1 - s.mover


def pig_winners(s: Any, o: Any, out: Any) -> None:
    for seat in range(2):
        out[seat] = 1 if s.banked[seat] >= o.target else 0


def pig_scores(s: Any, o: Any, out: Any) -> None:
    for seat in range(2):
        out[seat] = s.banked[seat]


def _read(texts: tuple[str, ...], text: str) -> int:
    if text not in texts:
        raise Unreadable("no such move")
    return texts.index(text)


def _pig_encode(options: Options) -> PigSetup:
    return PigSetup(2, int(options["target"] or 0))


PIG = GameSpec(
    name="pig",
    title="Pig",
    source="Neller and Presser 2004",
    rules_version="1",
    min_players=2,
    max_players=2,
    perfect_information=True,
    options=(Option("target", int, 100, "-", "points to win", low=1, high=1000),),
    encode=_pig_encode,
    state=PigState,
    setup=PigSetup,
    rules=Rules(
        pig_begin, pig_player, pig_roller, pig_legal, pig_refusal, pig_count, pig_weight, pig_form, pig_outcome,
        pig_apply, pig_winners, pig_scores,
    ),
    notation=Notation(
        lambda s, o, seat, action: ("roll", "hold")[action],
        lambda s, o, outcome: str(outcome + 1),
        lambda s, o, seat, text: _read(("roll", "hold"), text),
        lambda s, o, text: _read(("1", "2", "3", "4", "5", "6"), text),
    ),
    num_actions=lambda o: 2,
    max_chance_outcomes=lambda o: 6,
    max_length=lambda o: None,
    events=(EventKind("threw", "pig §1", (Arg("face"),)),),
    refusals=(Refusal("fine", "", ""), Refusal("nothing_to_hold", "pig §2", "there are no points to hold")),
    board=lambda s, o: f"Pig {s.banked} +{s.at_risk}",
)  # fmt: skip

# --- Duel: each seat gets one hidden card of 0..4 from one pile, all then say high or low; right calls score --------


@declare
class DuelSetup:
    seats: int = number(2, 4, "players")


@declare
class DuelState:
    dealt: int = number(0, 4, "cards dealt")
    done: int = number(0, 1, "1 when all have called")
    pile: int = number(0, 10**5, "remaining cards, one decimal digit a value", seen_by=Seen.NOBODY)
    card: list[int] = per_seat(0, 5, "card held plus one", seats=4, seen_by=Seen.OWNER)
    points: list[int] = per_seat(0, 1, "points", seats=4)


def duel_begin(s: Any, o: Any) -> None:
    s.pile = 22222


def duel_player(s: Any, o: Any) -> int:
    if s.dealt < o.seats:
        return CHANCE
    return TERMINAL if s.done else SIMULTANEOUS


def duel_roller(s: Any, o: Any) -> int:
    return NOBODY


def duel_legal(s: Any, o: Any, seat: int, out: Any) -> int:
    out[0] = 0
    out[1] = 1
    return 2


def duel_refusal(s: Any, o: Any, seat: int, action: int) -> int:
    return 0


def duel_count(s: Any, o: Any) -> int:
    return 5


def duel_place(value: int) -> int:
    place = 1
    for _ in range(value):
        place *= 10
    return place


def duel_weight(s: Any, o: Any, outcome: int) -> int:
    return s.pile // duel_place(outcome) % 10


def duel_form(s: Any, o: Any) -> int:
    return weighted()


def duel_outcome(s: Any, o: Any, drawn: Any) -> int:
    return 0


def duel_apply(s: Any, o: Any, action: int, log: Any) -> None:
    s.pile -= duel_place(action)
    s.card[s.dealt] = action + 1
    emit(log, 0, s.dealt, action, 0, 0)
    s.dealt += 1


def duel_apply_joint(s: Any, o: Any, actions: Any, log: Any) -> None:
    s.done = 1
    for seat in range(o.seats):
        high = 1 if s.card[seat] > 3 else 0
        s.points[seat] = 1 if actions[seat] == high else 0
        emit(log, 1, seat, actions[seat], 0, 0)


def duel_winners(s: Any, o: Any, out: Any) -> None:
    for seat in range(o.seats):
        out[seat] = s.points[seat]


def duel_scores(s: Any, o: Any, out: Any) -> None:
    for seat in range(o.seats):
        out[seat] = s.points[seat]


DUEL = GameSpec(
    name="duel",
    title="Duel",
    source="made up for tests",
    rules_version="1",
    min_players=2,
    max_players=4,
    perfect_information=False,
    options=(Option("players", int, 3, "-", "players", low=2, high=4),),
    encode=lambda options: DuelSetup(int(options["players"] or 0)),
    state=DuelState,
    setup=DuelSetup,
    rules=Rules(
        duel_begin, duel_player, duel_roller, duel_legal, duel_refusal, duel_count, duel_weight, duel_form,
        duel_outcome, duel_apply, duel_winners, duel_scores, duel_apply_joint,
    ),
    notation=Notation(
        lambda s, o, seat, action: ("low", "high")[action],
        lambda s, o, outcome: f"card {outcome}",
        lambda s, o, seat, text: _read(("low", "high"), text),
        lambda s, o, text: _read(tuple(f"card {i}" for i in range(5)), text),
    ),
    num_actions=lambda o: 2,
    max_chance_outcomes=lambda o: 5,
    max_length=lambda o: o.seats + 1,
    events=(
        EventKind("dealt", "duel §1", (Arg("card"),), seat_only=True),
        EventKind("called", "duel §2", (Arg("call"),)),
    ),
    refusals=(Refusal("fine", "", ""),),
    board=lambda s, o: f"Duel {s.points[: o.seats]}",
)  # fmt: skip


GAME = PIG
"""Lets a Pig state travel to another process: games are found by the module of their rules."""


def pig(**options: Any) -> Game:
    return Game(PIG, options)


def duel(**options: Any) -> Game:
    return Game(DUEL, options)
