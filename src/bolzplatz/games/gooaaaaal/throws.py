"""Chance nodes: what is thrown, what it weighs, and what follows from it. All in the compiled subset.

Equal dice are thrown at one node; where dice differ a throw takes several, in the order of the table. The faces gather
in `State.landed` until the throw is complete, and only then they take effect.
"""

from typing import Any

from bolzplatz.core.events import emit
from bolzplatz.core.forms import dice, weighted
from bolzplatz.core.nodes import NOBODY
from bolzplatz.games.gooaaaaal.dice import (
    BINOMIAL,
    COLUMNS,
    highest_kind,
    throw_rank,
    throw_weight,
    thrown_count,
    thrown_die,
)
from bolzplatz.games.gooaaaaal.flow import finish_race_throw, finish_tap, next_racer, tap, throw_number, toss_coin
from bolzplatz.games.gooaaaaal.state import (
    COIN,
    DECIDE,
    E_PARTNER_QUARTER,
    E_PENALTY_WON,
    E_RACE_THROW,
    E_RED,
    E_RETHROW,
    E_SECOND_YELLOW,
    E_SPIRIT,
    E_THROW,
    E_YELLOW,
    FACES,
    HAND,
    LOOSE,
    MAX_DICE,
    QUARTER,
    QUARTER_ASIDE,
    QUARTER_ASIDE_NEW,
    RACE,
    RED,
    SPIRIT,
    SPIRIT_JOKER,
    TAP,
    WIDE,
    YELLOW,
    Setup,
    State,
    count_dice,
    first_die,
    side_of,
    tidy,
    use_up_quarters,
)


def roller(s: State, o: Setup) -> int:
    """Return who throws: each player the own dice (gooaaaaal §2, §12)."""
    return NOBODY if names_seat(s) else s.mover


def names_seat(s: State) -> bool:
    """Say whether an outcome names one of those who race, and no dice are thrown: a coin, or whose hand is next."""
    return s.phase == COIN or s.phase == TAP


def chance_count(s: State, o: Setup) -> int:
    """Return how many multisets of faces the thrown group has, or how many race where a coin or the clock decides."""
    if names_seat(s):
        count = 0
        for seat in range(o.seats):
            count += s.racing[seat]
        return count
    first = thrown_die(s, o)
    count = thrown_count(s, o, first)
    return BINOMIAL[(o.kinds[first] + count - 1) * COLUMNS + count]


def chance_weight(s: State, o: Setup, outcome: int) -> int:
    """Return the number of ordered throws with these faces (gooaaaaal §16); a coin is fair, all hands are as quick."""
    if names_seat(s):
        return 1
    first = thrown_die(s, o)
    return throw_weight(o, first, outcome, thrown_count(s, o, first))


def chance_form(s: State, o: Setup) -> int:
    """Return the form: the dice of one group, or a lot between those who race."""
    if names_seat(s):
        return weighted()
    first = thrown_die(s, o)
    return dice(thrown_count(s, o, first), o.die_sides[first])


def outcome_of(s: State, o: Setup, drawn: Any) -> int:
    """Return the throw that these sides of the dice show, whatever their order."""
    first = thrown_die(s, o)
    return throw_rank(o, first, drawn, thrown_count(s, o, first))


def land(s: State, o: Setup, outcome: int, log: Any) -> None:
    """Lay a group of dice on the table; the throw takes effect when it is complete (gooaaaaal §2, §12)."""
    if s.phase == COIN:
        toss_coin(s, o, outcome, log)
        return
    if s.phase == TAP:
        tap(s, o, outcome)
        return
    lay_group(s, o, outcome)
    if count_dice(s, o, s.mover, HAND) > 0:
        return
    if s.phase == RACE:
        finish_racer(s, o, log)
    else:
        finish_landing(s, o, log)


def lay_group(s: State, o: Setup, rank: int) -> None:
    """Give the thrown group its faces, ascending in the order of the dice."""
    first = thrown_die(s, o)
    left = thrown_count(s, o, first)
    at = s.mover * MAX_DICE
    kind = o.kinds[first] - 1
    die = o.dice - 1
    unit = 1
    faces = 0
    while left > 0:
        if s.dice[at + die] == HAND and o.group_of[die] == o.group_of[first]:
            kind = highest_kind(rank, left, kind)
            rank -= BINOMIAL[(kind + left - 1) * COLUMNS + left]
            s.dice[at + die] = o.kind_face[first * FACES + kind]
            faces += unit * s.dice[at + die]
            unit *= 16
            left -= 1
        die -= 1
    s.landed = s.landed * unit + faces


def landed_faces(landed: int, face: int) -> int:
    """Return how often a face is among those that landed; of 0, how many landed at all."""
    found = 0
    while landed > 0:
        if face == 0 or landed % 16 == face:
            found += 1
        landed //= 16
    return found


# --- a throw in play --------------------------------------------------------------------------------------------


def finish_landing(s: State, o: Setup, log: Any) -> None:
    """Let a complete throw take effect: spirit, quarters, cards; then its thrower decides (gooaaaaal §5, §6, §8)."""
    landed = s.landed
    thrown = landed_faces(landed, 0)
    spirits = landed_faces(landed, SPIRIT)
    emit(log, E_THROW if s.again == 0 else E_RETHROW, s.mover, landed, throw_number(s, o) + 1, 0)
    if spirits > 0:
        join_spirit(s, o, thrown, spirits, log)
    quarters = landed_faces(landed, QUARTER)
    if quarters > 0:
        add_quarters(s, o, quarters, log)
    for _ in range(landed_faces(landed, YELLOW)):
        show_yellow(s, log)
    for _ in range(landed_faces(landed, RED)):
        s.reds += 1
        emit(log, E_RED, s.mover, 0, 0, 0)
    s.landed = 0
    s.again = 0
    s.last = 0
    s.phase = DECIDE
    tidy(s, o, s.mover)


def join_spirit(s: State, o: Setup, thrown: int, spirits: int, log: Any) -> None:
    """All dice thrown show it, two at least: all but one are jokers. Otherwise it is wide (gooaaaaal §6)."""
    complete = thrown == spirits and thrown >= 2 and (s.again == 0 or o.spirit_on_rethrow == 1)
    at = s.mover * MAX_DICE
    for die in range(at, at + o.dice):
        if s.dice[die] == SPIRIT:
            s.dice[die] = SPIRIT_JOKER if complete else WIDE
    if complete:
        s.spirit += spirits - 1
        emit(log, E_SPIRIT, s.mover, spirits - 1, 0, 0)


def add_quarters(s: State, o: Setup, new: int, log: Any) -> None:
    """Join new quarters with those that wait: two are a penalty, and both dice come back (gooaaaaal §5, §15).

    Of an odd number that lie there together any one may be the one without a partner.
    """
    waiting = waiting_quarter(s, o, s.mover)
    total = new + (1 if s.loose == LOOSE else 0) + (1 if waiting >= 0 else 0)
    s.loose = LOOSE if total % 2 == 1 else 0
    if total < 2:
        return
    s.penalties[s.mover] += total // 2
    emit(log, E_PENALTY_WON, s.mover, total // 2, s.penalties[s.mover], 0)
    if waiting >= 0:
        partner = waiting // MAX_DICE
        if partner == s.mover:
            s.dice[waiting] = QUARTER
        else:
            s.dice[waiting] = HAND
            tidy(s, o, partner)
            emit(log, E_PARTNER_QUARTER, s.mover, partner, 0, 0)
    if s.loose == 0:
        use_up_quarters(s, o, s.mover)


def waiting_quarter(s: State, o: Setup, seat: int) -> int:
    """Return the index of the quarter that a side has put aside, or -1: there is never more than one."""
    side = side_of(o, seat)
    for member in range(side * o.members, (side + 1) * o.members):
        die = first_die(s, o, member, QUARTER_ASIDE)
        if die >= 0:
            return die
        die = first_die(s, o, member, QUARTER_ASIDE_NEW)
        if die >= 0:
            return die
    return -1


def show_yellow(s: State, log: Any) -> None:
    """Note a yellow card; the second one is a red one (gooaaaaal §8)."""
    if s.yellow[s.mover] == 0:
        s.yellow[s.mover] = 1
        emit(log, E_YELLOW, s.mover, 0, 0, 0)
    else:
        s.yellow[s.mover] = 0
        s.reds += 1
        emit(log, E_SECOND_YELLOW, s.mover, 0, 0, 0)


# --- a throw in a race ------------------------------------------------------------------------------------------


def finish_racer(s: State, o: Setup, log: Any) -> None:
    """Put the quarters aside by themselves and let the next one throw (gooaaaaal §12)."""
    at = s.mover * MAX_DICE
    for die in range(at, at + o.dice):
        if s.dice[die] == QUARTER:
            s.dice[die] = QUARTER_ASIDE
    tidy(s, o, s.mover)
    emit(log, E_RACE_THROW, s.mover, s.landed, count_dice(s, o, s.mover, QUARTER_ASIDE), 0)
    s.landed = 0
    if o.tapped == 1:
        finish_tap(s, o, log)
        return
    seat = next_racer(s, o, s.mover)
    if seat == NOBODY:
        finish_race_throw(s, o, log)
    else:
        s.mover = seat
