"""What people and programs read: events, refusals, the page's view and the board in a terminal."""

from typing import Any, Final

from bolzplatz.core.spec import Arg, EventKind, Refusal
from bolzplatz.games.gooaaaaal.decisions import decider
from bolzplatz.games.gooaaaaal.dice import thrown_die
from bolzplatz.games.gooaaaaal.flow import (
    best_standing,
    cancelled_balls,
    keepers_against,
    leads,
    line_goals,
    side_goals,
    throw_number,
    throws_to_come,
)
from bolzplatz.games.gooaaaaal.state import (
    AIM,
    BALL_PLACED,
    COIN,
    DECIDE,
    FACES,
    FIVE_GOALS,
    GO_ON,
    HAND,
    JOKER,
    KEEPER_PLACED,
    LETTERS,
    LOOSE,
    MAX_DICE,
    OFFSIDE_ASIDE,
    OUT,
    OVER,
    QUARTER_ASIDE,
    QUARTER_ASIDE_NEW,
    QUARTER_USED,
    QUARTERS_OF_BALL,
    RACE,
    REMOVE,
    SPIRIT_JOKER,
    SUDDEN,
    TAP,
    THROW,
    THROWS,
    USED,
    Setup,
    State,
    count_dice,
    facing,
    side_of,
)

FACE_NAMES: Final = (
    "hand", "ball", "keeper", "supporter", "quarter", "wide", "spirit", "offside", "yellow", "red", "joker", "kick",
)  # fmt: skip
STAGES: Final = ("first", "second", "extra", "shoot_out", "sudden_death")
_FOLLOWS: Final = ("extra_period", "two_shots", "sudden_race", "another_period")


def faces_of(landed: int) -> list[str]:
    """Return the names of the faces of a throw, as events keep them: hexadecimal digits."""
    names = []
    while landed:
        names.append(FACE_NAMES[landed % 16])
        landed //= 16
    return names[::-1]


_faces = Arg("faces", faces_of)
_throw = Arg("throw")
_other = Arg("other")
_goals = Arg("goals")
_total = Arg("total")
_number = Arg("number")

EVENTS: Final = (
    EventKind("period", "gooaaaaal §10", (Arg("stage", (*STAGES, "period").__getitem__),)),
    EventKind("throw", "gooaaaaal §2", (_faces, _throw)),
    EventKind("rethrow", "gooaaaaal §4", (_faces, _throw)),
    EventKind("spirit", "gooaaaaal §6", (_number,)),
    EventKind("penalty_won", "gooaaaaal §5", (_number, _total)),
    EventKind("partner_quarter", "gooaaaaal §15", (_other,)),
    EventKind("yellow", "gooaaaaal §8"),
    EventKind("second_yellow", "gooaaaaal §8"),
    EventKind("red", "gooaaaaal §8"),
    EventKind("ball_placed", "gooaaaaal §2"),
    EventKind("keeper_placed", "gooaaaaal §2"),
    EventKind("ball_against", "gooaaaaal §14", (_other,)),
    EventKind("keeper_against", "gooaaaaal §14", (_other,)),
    EventKind("quarter_aside", "gooaaaaal §5"),
    EventKind("quarter_back", "gooaaaaal §5"),
    EventKind("quarter_alone", "gooaaaaal §5"),
    EventKind("quarter_lost", "gooaaaaal §5"),
    EventKind("supporters", "gooaaaaal §4", (_number,)),
    EventKind("joker", "gooaaaaal §9", (Arg("face", FACE_NAMES.__getitem__),)),
    EventKind("offside", "gooaaaaal §7", (_other,)),
    EventKind("offside_aside", "gooaaaaal §7"),
    EventKind("red_penalty", "gooaaaaal §8", (_total,)),
    EventKind("red_die", "gooaaaaal §8", (_other,)),
    EventKind("removed", "gooaaaaal §8", (_number,)),
    EventKind("free_kick", "gooaaaaal §9", (_number,)),
    EventKind("stop", "gooaaaaal §2"),
    EventKind("no_dice", "gooaaaaal §2", (_throw,)),
    EventKind("offside_counts", "gooaaaaal §7", (_other, _number)),
    EventKind("line", "gooaaaaal §3", (_other, Arg("balls"), Arg("keepers"))),
    EventKind("goals", "gooaaaaal §3", (_goals, _total)),
    EventKind("penalty", "gooaaaaal §12", (_other,)),
    EventKind("race_throw", "gooaaaaal §12", (_faces, _number)),
    EventKind("penalty_goal", "gooaaaaal §12", (_total,)),
    EventKind("penalty_saved", "gooaaaaal §12", (_other,)),
    EventKind("dead_heat", "gooaaaaal §12"),
    EventKind("coin", "gooaaaaal §12"),
    EventKind("level", "gooaaaaal §11", (Arg("follows", _FOLLOWS.__getitem__),)),
    EventKind("shoot_out", "gooaaaaal §12", (_number,)),
    EventKind("sudden_death", "gooaaaaal §13"),
    EventKind("sudden_ball", "gooaaaaal §13"),
    EventKind("win", "gooaaaaal §10", (_goals,)),
    EventKind("team_win", "gooaaaaal §15", (Arg("side", "AB".__getitem__), Arg("own"), Arg("against"))),
    EventKind("shared", "gooaaaaal §10", (_goals,)),
)

REFUSALS: Final = (
    Refusal("legal", "gooaaaaal §2", "nothing stands against it"),
    Refusal("over", "gooaaaaal §10", "the game is over"),
    Refusal("not_yours", "gooaaaaal §2", "somebody else decides now"),
    Refusal("throw_first", "gooaaaaal §2", "the dice are thrown first"),
    Refusal("race", "gooaaaaal §12", "a race is on: dice are thrown, quarters go aside by themselves"),
    Refusal("coin", "gooaaaaal §12", "a coin decides now"),
    Refusal("remove_first", "gooaaaaal §8", "a red card: the opponent takes a die of its own out first"),
    Refusal("aim_first", "gooaaaaal §14", "the penalty is aimed first: penalty left or penalty right"),
    Refusal("go_on_first", "gooaaaaal §2", "this throw is done: throw-on or stop"),
    Refusal("not_now", "gooaaaaal §2", "nobody asks for that now"),
    Refusal("order", "gooaaaaal §2", "within a throw this comes before what has been done already"),
    Refusal("lowest", "gooaaaaal §16", "a die that is alike and lies just so has a lower number: name that one"),
    Refusal("no_ball", "gooaaaaal §2", "no unplaced ball of this throw lies there; what is placed stays placed"),
    Refusal("no_keeper", "gooaaaaal §2", "no unplaced keeper of this throw lies there; what is placed stays placed"),
    Refusal("no_quarter", "gooaaaaal §5", "no quarter of this throw lies there"),
    Refusal(
        "paired",
        "gooaaaaal §5",
        "that quarter counts no more: it became a penalty, was taken back, or another one lies aside",
    ),
    Refusal("last_die", "gooaaaaal §5", "it is the last die left to throw, and no partner waits: it may not lie aside"),
    Refusal("not_aside", "gooaaaaal §5", "no quarter of this player lies aside"),
    Refusal("stays_aside", "gooaaaaal §5", "a quarter put aside in this throw stays there for the next one"),
    Refusal("one_supporter", "gooaaaaal §4", "fewer than two supporters do nothing"),
    Refusal("chain", "gooaaaaal §17", "supporters are thrown again only once here: supporter_chain is off"),
    Refusal("no_joker", "gooaaaaal §9", "no joker lies there that may be played"),
    Refusal("joker_face", "gooaaaaal §17", "a joker is a ball, a keeper or a quarter here: joker_faces is BKQ"),
    Refusal("joker_supporter", "gooaaaaal §4", "a joker as the only supporter would do nothing"),
    Refusal("joker_pairs", "gooaaaaal §9", "the joker takes the quarter where it lies: do not put that aside first"),
    Refusal("no_offside", "gooaaaaal §7", "no off-side lies there"),
    Refusal("no_opposing_ball", "gooaaaaal §7", "the opponent has no such ball on the line"),
    Refusal("no_red", "gooaaaaal §8", "no red card waits to be used"),
    Refusal(
        "too_few_dice",
        "gooaaaaal §8",
        "the opponent has too few dice left for all red cards that wait",
    ),
    Refusal("die_out", "gooaaaaal §8", "that die is out of the game"),
    Refusal("no_kick", "gooaaaaal §9", "no free kick lies there"),
    Refusal("placed", "gooaaaaal §9", "a free kick throws dice that are not placed yet"),
    Refusal("red_first", "gooaaaaal §8", "a red card waits: red penalty or red die"),
    Refusal("decide_first", "gooaaaaal §2", "this throw is still to be decided: end it with done"),
    Refusal("second_joker", "gooaaaaal §9", "one joker is a supporter: now play the second one as a supporter too"),
    Refusal("tap", "gooaaaaal §12", "a race is on: whoever taps first throws next"),
)

_NEXT: Final = ("throw", "race", "coin", "tap", "decide", "go_on", "remove", "aim", "over")
_PLACES: Final = {
    HAND: "hand",
    USED: "used",
    SPIRIT_JOKER: "spirit_joker",
    QUARTER_USED: "used",
    BALL_PLACED: "placed",
    BALL_PLACED + 1: "placed",
    KEEPER_PLACED: "placed",
    KEEPER_PLACED + 1: "placed",
    QUARTER_ASIDE: "aside",
    QUARTER_ASIDE_NEW: "aside",
    OFFSIDE_ASIDE: "aside",
    OUT: "out",
}


def die_face(place: int) -> str | None:
    """Return the name of the face that a die in this place shows, None where it shows none."""
    if 0 < place <= FACES:
        return FACE_NAMES[place]
    return {
        SPIRIT_JOKER: "spirit",
        QUARTER_USED: "quarter",
        BALL_PLACED: "ball",
        BALL_PLACED + 1: "ball",
        KEEPER_PLACED: "keeper",
        KEEPER_PLACED + 1: "keeper",
        QUARTER_ASIDE: "quarter",
        QUARTER_ASIDE_NEW: "quarter",
        OFFSIDE_ASIDE: "offside",
    }.get(place)


def seat_dice(s: State, o: Setup, seat: int) -> list[int]:
    """Return where each die of a seat is."""
    return s.dice[seat * MAX_DICE : seat * MAX_DICE + o.dice]


def shown_die(place: int, number: int) -> dict[str, Any]:
    """Return one die for a page: number from 1, face or None, place, and the line where it is placed."""
    placed = BALL_PLACED <= place < QUARTER_ASIDE
    return {
        "number": number,
        "face": die_face(place),
        "place": _PLACES.get(place, "lying"),
        "line": (place - BALL_PLACED) % 2 if placed else None,
    }


def shown_lines(s: State, o: Setup, seat: int) -> list[dict[str, int]]:
    """Return each line of a seat: whom it faces, what lies there, and the goals if it were counted now."""
    return [
        {
            "other": facing(o, seat, line),
            "balls": count_dice(s, o, seat, BALL_PLACED + line),
            "keepers": count_dice(s, o, seat, KEEPER_PLACED + line),
            "keepers_against": keepers_against(s, o, seat, line),
            "cancelled": cancelled_balls(s, o, seat, line),
            "goals_now": line_goals(s, o, seat, line),
        }
        for line in range(o.lines)
    ]


def throws_left(s: State, o: Setup, seat: int) -> int:
    """Return how many throws a seat still has in this period, the one that is due included."""
    if s.phase not in (THROW, DECIDE, GO_ON, REMOVE):
        return 0
    due = s.phase == THROW and not s.again and seat == s.mover
    return throws_to_come(s, o, seat) + (1 if due else 0)


def shown(s: State, o: Setup) -> dict[str, Any]:
    """Return what a page shows beyond the fields; all seats see the same.

    Keys: `next` (`throw`, `race`, `coin`, `tap`, `decide`, `go_on`, `remove`, `aim`, `over`); `stage` (`first`,
    `second`, `extra`, `shoot_out`, `sudden_death`); `starter` seat; `seat` who throws or decides now, None for a coin,
    a tap or at the end; `throw` its number from 1, None outside a period; `rethrow`; `thrown` {dice: numbers, faces:
    letters that each side of them may show} of the group that is thrown next, else None; `landed` faces of this throw
    so far; `players`, for each seat: side, goals (of the side), own_goals, penalties, yellow, throws_left, stopped,
    dice (see `shown_die`), lines (see `shown_lines`); of the player who decides: `loose_quarter`, `jokers` that may be
    played, `reds` that wait; `race` {taker, keeper (None in a sudden death), racers, quarters by seat, needed, thrown:
    whether one of their dice has fallen} or None;
    `named` whether dice have numbers; `lines` how many each player has; `leaders` the seats that would win now.
    """
    deciding = s.phase in (DECIDE, GO_ON, REMOVE, AIM)
    in_period = s.phase in (THROW, DECIDE, GO_ON, REMOVE)
    best = best_standing(s, o)
    seat = None if s.phase in (COIN, TAP, OVER) else decider(s, o) if deciding else s.mover
    return {
        "next": _NEXT[s.phase],
        "stage": STAGES[s.stage],
        "starter": s.starter * o.members,
        "seat": seat,
        "throw": throw_number(s, o) + 1 if in_period else None,
        "rethrow": bool(s.again),
        "thrown": _shown_thrown(s, o) if s.phase in (THROW, RACE) else None,
        "landed": faces_of(s.landed),
        "players": [
            {
                "side": side_of(o, player),
                "goals": side_goals(s, o, side_of(o, player)),
                "own_goals": s.goals[player],
                "penalties": s.penalties[player],
                "yellow": s.yellow[player],
                "throws_left": throws_left(s, o, player),
                "stopped": bool(s.stopped[player]),
                "dice": [shown_die(place, die + 1) for die, place in enumerate(seat_dice(s, o, player))],
                "lines": shown_lines(s, o, player),
            }
            for player in range(o.seats)
        ],
        "loose_quarter": s.loose == LOOSE,
        "jokers": count_dice(s, o, s.mover, JOKER) + s.spirit if in_period else 0,
        "reds": s.reds,
        "race": _shown_race(s, o) if s.phase in (RACE, COIN, TAP) else None,
        "named": bool(o.named),
        "lines": o.lines,
        "leaders": [player for player in range(o.seats) if leads(s, o, side_of(o, player), best)],
    }


def _shown_thrown(s: State, o: Setup) -> dict[str, Any]:
    first = thrown_die(s, o)
    at = s.mover * MAX_DICE
    numbers = [die + 1 for die in range(o.dice) if s.dice[at + die] == HAND and o.group_of[die] == o.group_of[first]]
    kinds = o.side_kind[first * FACES : first * FACES + o.die_sides[first]]
    return {"dice": numbers, "faces": "".join(LETTERS[o.kind_face[first * FACES + kind]] for kind in kinds)}


def _shown_race(s: State, o: Setup) -> dict[str, Any]:
    racers = [seat for seat in range(o.seats) if s.racing[seat]]
    alone = s.stage == SUDDEN
    return {
        "taker": None if alone else s.taker,
        "keeper": None if alone else s.keeper,
        "racers": racers,
        "quarters": {str(seat): count_dice(s, o, seat, QUARTER_ASIDE) for seat in racers},
        "needed": QUARTERS_OF_BALL,
        "thrown": any(place not in (HAND, OUT) for seat in racers for place in seat_dice(s, o, seat)),
    }


def board(s: State, o: Setup) -> str:
    """Draw the position: goals, the lines as they stand, everybody's dice, and what comes next."""
    lines = [f"GOOAAAAAL!, {_BOARD_STAGE[s.stage] if o.mode != FIVE_GOALS else 'five goals'}"]
    now = None if s.phase in (COIN, TAP, OVER) else decider(s, o) if s.phase > TAP else s.mover
    for seat in range(o.seats):
        goals = side_goals(s, o, side_of(o, seat))
        extra = [f"{s.penalties[seat]} penalties"] * (s.penalties[seat] > 0) + ["yellow card"] * s.yellow[seat]
        note = f" ({', '.join(extra)})" if extra else ""
        lines.append(f"{'>' if seat == now else ' '} seat {seat}  {goals} goals{note}  {_board_dice(s, o, seat)}")
        for line in shown_lines(s, o, seat):
            if line["balls"] or line["keepers"]:
                lines.append(
                    f"    against seat {line['other']}: {line['balls']} balls, {line['keepers']} keepers,"
                    f" {line['goals_now']} goals as it stands"
                )
    return "\n".join([*lines, f"  {_prompt(s, o)}"])


_BOARD_STAGE: Final = ("first half", "second half", "extra period", "shoot-out", "sudden death")


def _board_dice(s: State, o: Setup, seat: int) -> str:
    """Write the dice of a seat: letters that lie there, [placed], (aside), . in the hand, # out of the game."""
    signs = []
    for place in seat_dice(s, o, seat):
        letter = (die_face(place) or "")[:1].upper()
        if 0 < place <= FACES:
            signs.append(LETTERS[place])
        elif BALL_PLACED <= place < QUARTER_ASIDE:
            signs.append(f"[{letter}]")
        elif QUARTER_ASIDE <= place < OUT:
            signs.append(f"({letter})")
        else:
            signs.append({HAND: ".", OUT: "#", SPIRIT_JOKER: "T", QUARTER_USED: "Q"}.get(place, "x"))
    return " ".join(signs)


def _prompt(s: State, o: Setup) -> str:
    if s.phase == OVER:
        best = best_standing(s, o)
        winning = [str(seat) for seat in range(o.seats) if leads(s, o, side_of(o, seat), best)]
        return f"over: seat {' and '.join(winning)} {'wins' if len(winning) == 1 else 'win'}"
    if s.phase == COIN:
        return "a coin decides"
    if s.phase == TAP:
        return "whoever taps first throws"
    if s.phase == RACE:
        return f"race for {QUARTERS_OF_BALL} quarters: seat {s.mover} throws"
    if s.phase == AIM:
        return f"penalty: seat {s.taker} aims left or right"
    throw = f"throw {throw_number(s, o) + 1} of {THROWS}"
    if s.phase == THROW:
        return f"{throw}: seat {s.mover} {'throws again' if s.again else 'throws'}"
    if s.phase == GO_ON:
        return f"{throw} is done: seat {s.mover} throws on or stops"
    if s.phase == REMOVE:
        return f"red card: seat {decider(s, o)} takes a die out"
    return f"{throw}: seat {s.mover} decides"
