"""GOOAAAAAL! with four equal dice, solved: its tables and what is read from them, in the compiled subset.

A *record* of a seat is what it has at the beginning or end of a turn: balls and keepers on the line, a quarter aside,
whether it has stopped, penalties won. `seat_record` writes it as one number, `turn_key` a position within a turn. In
the tables records are counted; a *frame* is what the goals are when a period begins. All is seen from the seat that
begins the period (side 0) and the other one (side 1); chances are those of side 0, out of ONE.

The memory `m` holds from `at` on what `solve.gooaaaaal` writes; places are counted from `at`.
"""

from typing import Any, Final

from bolzplatz.games.gooaaaaal.flow import throw_number
from bolzplatz.games.gooaaaaal.state import (
    BALL_PLACED,
    FIRST,
    FIVE_GOALS,
    GOALS_TO_WIN,
    KEEPER_PLACED,
    MAX_DICE,
    QUARTER_ASIDE,
    SECOND,
    THROWS,
    Setup,
    State,
    count_dice,
)
from bolzplatz.solve.part_kernels import Q_VALUE, best_label, find_sorted, sweep_part
from bolzplatz.solve.turn_kernels import ONE

SURE: Final = ONE
"""Chance 1, by a name that computer players do not use for another number."""
PENALTIES: Final = 32
"""More penalties than a seat can win in a period."""
TURNS: Final = 2 * THROWS

K_PART: Final = 0
"""Where the graph of a turn begins (`part_kernels`)."""
K_RECORDS: Final = 1
"""The records, ascending."""
K_COUNT: Final = 2
"""How many there are."""
K_POSITION: Final = 3
"""The place of each record among those that a seat can have after k throws, at k · count + record, or -1."""
K_AFTER: Final = 4
"""How many records a seat can have after k throws."""
K_LIST: Final = 5
"""Those records, at k · count + place."""
K_STATION: Final = 6
"""The node in which a seat with that record throws, at count + record for the last throw; -1: it does not throw."""
K_END: Final = 7
"""The node that ends a turn with that record, or -1."""
K_KEYS: Final = 8
"""The keys of the nodes of a turn, ascending, and how many; then the nodes in that order."""
K_KEY_COUNT: Final = 9
K_KEY_NODE: Final = 10
K_TURNS: Final = 11
"""Which side has each turn of a period."""
K_LAYER: Final = 12
"""Where the table before each turn begins within a frame; the last one is for the count."""
K_FRAME: Final = 13
"""How long a frame is."""
K_TABLE: Final = 14
"""Where the frames are: side 0's chance, by the place of its record · records of side 1 + place of that one's."""
K_LEADS: Final = 15
"""The largest lead before the second half that is tabled."""
K_READY: Final = 16
"""Frame, turn and record of the other side for which the turn is worked out: three numbers."""
K_SIZE: Final = 19
NOT_READY: Final = -1


# --- positions as numbers -----------------------------------------------------------------------------------------


def seat_record(s: State, o: Setup, seat: int) -> int:
    """Return what a seat has between two turns, as one number."""
    balls = count_dice(s, o, seat, BALL_PLACED)
    keepers = count_dice(s, o, seat, KEEPER_PLACED)
    aside = count_dice(s, o, seat, QUARTER_ASIDE)
    lines = (balls * (MAX_DICE + 1) + keepers) * (MAX_DICE + 1) + aside
    return (lines * 2 + s.stopped[seat]) * PENALTIES + s.penalties[seat]


def turn_key(s: State, o: Setup) -> int:
    """Return a position within a turn of the mover as one number: all that its prospects in this turn depend on."""
    key = 1 if throw_number(s, o) + 1 == THROWS else 0
    key = key * 16 + s.phase
    key = ((key * 1024 + s.last) * 2 + s.again) * 2 + s.chained
    key = (key * 4 + s.loose) * 16 + s.spirit
    for die in range(s.mover * MAX_DICE, s.mover * MAX_DICE + o.dice):
        key = key * 32 + s.dice[die]
    return key * PENALTIES + s.penalties[s.mover]


def frame_of(o: Setup, leads: int, stage: int, mine: int, theirs: int) -> int:
    """Return the frame in which a period is played, with the goals of the side that begins and of the other one.

    With five goals, level scores from 4 on are alike where level ones play on: only a difference ends the game. In a
    match only the lead counts, and in first halves and extra periods there is none.
    """
    if o.mode == FIVE_GOALS:
        if mine >= GOALS_TO_WIN:
            mine = GOALS_TO_WIN - 1
            theirs = GOALS_TO_WIN - 1
        return mine * GOALS_TO_WIN + theirs
    if stage == SECOND:
        return 2 + leads + mine - theirs
    return 0 if stage == FIRST else 1


# --- tables -------------------------------------------------------------------------------------------------------


def throws_before(m: Any, at: int, turn: int, side: int) -> int:
    """Return how many throws a side had before a turn."""
    found = 0
    for t in range(turn):
        if m[at + m[at + K_TURNS] + t] == side:
            found += 1
    return found


def table_place(m: Any, at: int, frame: int, turn: int, record: int, other: int) -> int:
    """Return where the table before a turn has the records of side 0 and side 1."""
    count = m[at + K_COUNT]
    mine = throws_before(m, at, turn, 0)
    theirs = throws_before(m, at, turn, 1)
    position = at + m[at + K_POSITION]
    place = m[position + mine * count + record] * m[at + m[at + K_AFTER] + theirs]
    place += m[position + theirs * count + other]
    layer = m[at + m[at + K_LAYER] + turn]
    return at + m[at + K_TABLE] + frame * m[at + K_FRAME] + layer + place  # type: ignore[no-any-return]


def worth_before(m: Any, at: int, frame: int, turn: int, side: int, record: int, other: int) -> int:
    """Return a side's chance before a turn, with its own record and that of the other one."""
    if side == 0:
        return m[table_place(m, at, frame, turn, record, other)]  # type: ignore[no-any-return]
    return SURE - m[table_place(m, at, frame, turn, other, record)]  # type: ignore[no-any-return]


def prepare_throw(m: Any, at: int, frame: int, turn: int, other: int) -> int:
    """Work out a turn against a record of the other side, unless that was the last one; return where it begins."""
    base: int = at + m[at + K_PART]
    if m[at + K_READY] == frame and m[at + K_READY + 1] == turn and m[at + K_READY + 2] == other:
        return base
    count = m[at + K_COUNT]
    side = m[at + m[at + K_TURNS] + turn]
    after = throws_before(m, at, turn, side) + 1
    value = base + m[base + Q_VALUE]
    for i in range(m[at + m[at + K_AFTER] + after]):
        record = m[at + m[at + K_LIST] + after * count + i]
        node = m[at + m[at + K_END] + record]
        if node >= 0:
            m[value + node] = worth_before(m, at, frame, turn + 1, side, record, other)
    sweep_part(m, base)
    m[at + K_READY] = frame
    m[at + K_READY + 1] = turn
    m[at + K_READY + 2] = other
    return base


def fill_turn(m: Any, at: int, frame: int, turn: int) -> None:
    """Write the table before a turn from the one before the next turn."""
    count = m[at + K_COUNT]
    side = m[at + m[at + K_TURNS] + turn]
    mine = throws_before(m, at, turn, side)
    theirs = throws_before(m, at, turn, 1 - side)
    listed = at + m[at + K_LIST]
    stations = at + m[at + K_STATION] + (count if mine + 1 == THROWS else 0)
    for j in range(m[at + m[at + K_AFTER] + theirs]):
        other = m[listed + theirs * count + j]
        base = prepare_throw(m, at, frame, turn, other)
        for i in range(m[at + m[at + K_AFTER] + mine]):
            record = m[listed + mine * count + i]
            node = m[stations + record]
            if node >= 0:
                worth = m[base + m[base + Q_VALUE] + node]
            else:
                worth = worth_before(m, at, frame, turn + 1, side, record, other)
            if side == 0:
                m[table_place(m, at, frame, turn, record, other)] = worth
            else:
                m[table_place(m, at, frame, turn, other, record)] = SURE - worth


def fill_frame(m: Any, at: int, frame: int) -> int:
    """Fill all tables of a frame but that of the count, which is given; return side 0's chance when it begins."""
    m[at + K_READY] = NOT_READY
    for back in range(TURNS):
        fill_turn(m, at, frame, TURNS - 1 - back)
    return m[at + m[at + K_TABLE] + frame * m[at + K_FRAME] + m[at + m[at + K_LAYER]]]  # type: ignore[no-any-return]


# --- a position of a match ----------------------------------------------------------------------------------------


def prepare_position(m: Any, at: int, s: State, o: Setup) -> int:
    """Work out the turn that is on; return its node of this position, or -1 where the tables do not know it."""
    other = find_sorted(m, at + m[at + K_RECORDS], m[at + K_COUNT], seat_record(s, o, 1 - s.mover))
    place = find_sorted(m, at + m[at + K_KEYS], m[at + K_KEY_COUNT], turn_key(s, o))
    if other < 0 or place < 0:
        return -1
    throws = throws_before(m, at, s.turn, 1 - m[at + m[at + K_TURNS] + s.turn])
    if m[at + m[at + K_POSITION] + throws * m[at + K_COUNT] + other] < 0:
        return -1
    frame = frame_of(o, m[at + K_LEADS], s.stage, s.goals[s.starter], s.goals[1 - s.starter])
    prepare_throw(m, at, frame, s.turn, other)
    return m[at + m[at + K_KEY_NODE] + place]  # type: ignore[no-any-return]


def position_worth(m: Any, at: int, s: State, o: Setup) -> int:
    """Return the mover's chance within a turn, or -1 where the tables do not know the position."""
    node = prepare_position(m, at, s, o)
    base = at + m[at + K_PART]
    return m[base + m[base + Q_VALUE] + node] if node >= 0 else -1


def best_throw_action(m: Any, at: int, s: State, o: Setup) -> int:
    """Return the best action of the mover within a turn, or -1 where the tables do not know the position."""
    node = prepare_position(m, at, s, o)
    return best_label(m, at + m[at + K_PART], node) if node >= 0 else -1
