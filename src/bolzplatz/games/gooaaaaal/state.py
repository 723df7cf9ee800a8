"""What a match of GOOAAAAAL! is made of: faces, where a die can be, phases, setup and state.

A die is one integer: in the hand, lying with a face, placed on a line, put aside, or out of the game. Where all dice
are alike they are kept in ascending order (`tidy`), so that equal positions are equal states; dice that differ keep
their numbers.
"""

from typing import Final

from bolzplatz.core.declare import declare, number, numbers, per_seat

NAME: Final = "gooaaaaal"
MAX_SEATS: Final = 9
MAX_DICE: Final = 9
THROWS: Final = 3
"""Throws of each player in a period."""
GOALS_TO_WIN: Final = 5
QUARTERS_OF_BALL: Final = 4
MATCH_SHOTS: Final = 2
"""Shots of each side when a match is still level after the extra period."""

# Faces, in the order in which throws are written.
BALL: Final = 1
KEEPER: Final = 2
SUPPORTER: Final = 3
QUARTER: Final = 4
WIDE: Final = 5
SPIRIT: Final = 6
OFFSIDE: Final = 7
YELLOW: Final = 8
RED: Final = 9
JOKER: Final = 10
KICK: Final = 11
FACES: Final = 11
LETTERS: Final = "-BKSQWTOYRJF"
"""The letter of each face, by its number."""

# Where a die is. 1 to 11: it lies there after a throw and shows that face.
HAND: Final = 0
USED: Final = 12
"""An off-side or a free kick that has had its effect."""
SPIRIT_JOKER: Final = 13
"""A spirit face of a complete team spirit: a joker, as long as `State.spirit` lasts."""
QUARTER_USED: Final = 14
"""A quarter that counts no more: one of two that became a penalty, or one that was taken back."""
LAST_LYING: Final = 14
BALL_PLACED: Final = 15
"""On the line to the left, or on the only one; the next number: to the right."""
KEEPER_PLACED: Final = 17
QUARTER_ASIDE: Final = 19
QUARTER_ASIDE_NEW: Final = 20
"""Put aside in this very throw: it stays for the next one."""
OFFSIDE_ASIDE: Final = 21
OUT: Final = 22

# What comes next. Up to TAP nobody decides.
THROW: Final = 0
RACE: Final = 1
COIN: Final = 2
TAP: Final = 3
"""Somebody's hand is next in a race: the clock decides it, or a lot where no clock is."""
DECIDE: Final = 4
GO_ON: Final = 5
REMOVE: Final = 6
AIM: Final = 7
OVER: Final = 8
# Between two nodes, never seen outside: `flow.settle` goes on from there.
NEXT_TURN: Final = 9
NEXT_SHOT: Final = 10
STAGE_DONE: Final = 11

# Modes, and stages of a game.
FIVE_GOALS: Final = 0
MATCH: Final = 1
SHOOT_OUT: Final = 2
SUDDEN_DEATH: Final = 3
FIRST: Final = 0
SECOND: Final = 1
EXTRA: Final = 2
SHOTS: Final = 3
SUDDEN: Final = 4

# Values of options.
SCOPE_HALF: Final = 0
SCOPE_THROW: Final = 1
SCOPE_MATCH: Final = 2
TIE_PERIOD: Final = 0
TIE_SUDDEN: Final = 1
TIE_DRAW: Final = 2
HEAT_REPEAT: Final = 0
HEAT_SAVED: Final = 1
HEAT_COIN: Final = 2

NEXT_EXTRA: Final = 0
NEXT_SHOTS: Final = 1
NEXT_SUDDEN: Final = 2
NEXT_PERIOD: Final = 3
"""What follows on level scores, as events tell it."""
PERIOD: Final = 5
"""How events call a period of five goals, where a match has its halves."""

LOOSE: Final = 1
"""A quarter of this throw lies there without a partner."""
LOOSE_ASIDE: Final = 2
"""It was put aside since the last throw or re-throw."""


@declare
class Setup:
    """The options as integers, the dice, and where each kind of action begins."""

    seats: int = number(2, MAX_SEATS, "players")
    sides: int = number(2, MAX_SEATS, "sides: two, or each player of a ring")
    members: int = number(1, 4, "players of a side; the seats of side 0 come first")
    ring: int = number(0, 1, "1: individuals in a ring, with a line to the left and one to the right")
    lines: int = number(1, 2, "lines of each player")
    mode: int = number(0, 3, "five goals, match, shoot-out, sudden death")
    bonus: int = number(0, 1, "1: an edition with bonus faces")
    supporter_chain: int = number(0, 1, "1: supporters that come up again may be thrown again")
    spirit_on_rethrow: int = number(0, 1, "1: team spirit also counts in a re-throw")
    joker_any: int = number(0, 1, "1: a joker may be any face, else ball, keeper or quarter")
    offside_at_count: int = number(0, 1, "1: off-sides aside cancel balls at the count")
    yellow_scope: int = number(0, 2, "how long a yellow card is remembered: half, throw, match")
    min_dice: int = number(1, MAX_DICE, "a red card takes no die from who has only so many")
    five_goals_tie: int = number(0, 2, "five goals, level: another period, sudden death, draw")
    tapped: int = number(0, 1, "1: in a race each throws whenever it taps, else all throw together")
    dead_heat: int = number(0, 2, "both complete in the same throw: repeat, saved, coin")
    four_shoot: int = number(0, 1, "1: a shoot-out is played with four dice each")
    shots: int = number(2, 5, "shots of each side in a shoot-out")
    by_difference: int = number(0, 1, "1: in a ring goals let in are taken off when the winner is found")
    dice: int = number(4, MAX_DICE, "dice of each player")
    named: int = number(0, 1, "1: dice differ, so that moves name them by number")
    kind_of: list[int] = numbers(0, MAX_DICE, "dice with the same number here are alike", MAX_DICE)
    group_of: list[int] = numbers(0, MAX_DICE, "dice with the same number here are thrown at one node", MAX_DICE)
    die_sides: list[int] = numbers(0, FACES, "how many faces a die has", MAX_DICE)
    kinds: list[int] = numbers(0, FACES, "how many different faces a die has", MAX_DICE)
    kind_face: list[int] = numbers(0, FACES, "the different faces of each die, ascending", MAX_DICE * FACES)
    kind_weight: list[int] = numbers(0, FACES, "how often a die has each of them", MAX_DICE * FACES)
    has_quarter: list[int] = numbers(0, 1, "1: a die with a quarter on it", MAX_DICE)
    side_kind: list[int] = numbers(0, FACES, "which of its different faces each side of a die is", MAX_DICE * FACES)
    slots: int = number(1, MAX_DICE, "actions of each kind: one a die where dice differ, else one")
    joker_supporter: int = number(2, 4, "which of the ways to play a joker is the supporter")
    at_keeper: int = number(0, 999, "first action of each kind, in the order of a throw; place B begins at 0")
    at_aside: int = number(0, 999, "aside Q")
    at_return: int = number(0, 999, "return Q")
    at_again: int = number(0, 999, "rethrow S")
    at_joker: int = number(0, 999, "joker")
    at_offside: int = number(0, 999, "off-side")
    at_keep_offside: int = number(0, 999, "aside O")
    at_red: int = number(0, 999, "red penalty, then red die")
    at_remove: int = number(0, 999, "remove")
    at_kick: int = number(0, 999, "free-kick, by the set of dice")
    at_done: int = number(0, 999, "done, then throw-on, then stop")
    at_aim: int = number(0, 999, "penalty left, then penalty right")
    actions: int = number(0, 999, "number of actions")


@declare
class State:
    """A position. Everybody sees everything."""

    phase: int = number(0, OVER, "what is next: throw, race, coin, tap, decide, go on or stop, remove a die, aim, over")
    stage: int = number(0, SUDDEN, "first half or period, second half, extra period, shoot-out, sudden death")
    starter: int = number(0, MAX_SEATS - 1, "side that begins this period")
    turn: int = number(0, THROWS * MAX_SEATS, "turns of this period that are over")
    mover: int = number(0, MAX_SEATS - 1, "seat whose turn it is, or that throws in a race")
    last: int = number(0, 999, "lowest action that the order within a throw still allows")
    landed: int = number(0, 16**MAX_DICE, "faces of this throw so far, as hexadecimal digits; 0 once it is complete")
    again: int = number(0, 1, "1: the dice in the hand are a re-throw")
    chained: int = number(0, 1, "1: supporters were thrown again and may not be once more (supporter_chain)")
    loose: int = number(0, 2, "1: a quarter lies there without a partner, 2: it was put aside since the last throw")
    spirit: int = number(0, MAX_DICE, "jokers left from a team spirit")
    reds: int = number(0, 999, "red cards of the mover that are still to be used")
    taker: int = number(0, MAX_SEATS - 1, "penalty taker")
    keeper: int = number(0, MAX_SEATS - 1, "goalkeeper of a penalty")
    kick: int = number(0, MAX_SEATS - 1, "place in the order of penalties where the next taker is looked for")
    dice: list[int] = per_seat(0, OUT, "where each die is", MAX_SEATS, MAX_DICE)
    removed: list[int] = per_seat(0, 2**MAX_DICE - 1, "dice out of the game, one bit each", MAX_SEATS)
    stopped: list[int] = per_seat(0, 1, "1: has stopped for this period", MAX_SEATS)
    yellow: list[int] = per_seat(0, 1, "yellow cards that wait for a second one", MAX_SEATS)
    penalties: list[int] = per_seat(0, 10**6, "penalties still to be shot", MAX_SEATS)
    goals: list[int] = per_seat(0, 10**6, "goals", MAX_SEATS)
    conceded: list[int] = per_seat(0, 10**6, "goals let in, where they count (multi_score)", MAX_SEATS)
    contender: list[int] = per_seat(0, 1, "1: can still win", MAX_SEATS)
    racing: list[int] = per_seat(0, 1, "1: throws in the race that is on", MAX_SEATS)


# Kinds of events: their places in EVENTS.
E_PERIOD: Final = 0
E_THROW: Final = 1
E_RETHROW: Final = 2
E_SPIRIT: Final = 3
E_PENALTY_WON: Final = 4
E_PARTNER_QUARTER: Final = 5
E_YELLOW: Final = 6
E_SECOND_YELLOW: Final = 7
E_RED: Final = 8
E_BALL_PLACED: Final = 9
E_KEEPER_PLACED: Final = 10
E_BALL_AGAINST: Final = 11
E_KEEPER_AGAINST: Final = 12
E_QUARTER_ASIDE: Final = 13
E_QUARTER_BACK: Final = 14
E_QUARTER_ALONE: Final = 15
E_QUARTER_LOST: Final = 16
E_SUPPORTERS: Final = 17
E_JOKER: Final = 18
E_OFFSIDE: Final = 19
E_OFFSIDE_ASIDE: Final = 20
E_RED_PENALTY: Final = 21
E_RED_DIE: Final = 22
E_REMOVED: Final = 23
E_FREE_KICK: Final = 24
E_STOP: Final = 25
E_NO_DICE: Final = 26
E_OFFSIDE_COUNTS: Final = 27
E_LINE: Final = 28
E_GOALS: Final = 29
E_PENALTY: Final = 30
E_RACE_THROW: Final = 31
E_PENALTY_GOAL: Final = 32
E_PENALTY_SAVED: Final = 33
E_DEAD_HEAT: Final = 34
E_COIN: Final = 35
E_LEVEL: Final = 36
E_SHOOT_OUT: Final = 37
E_SUDDEN_DEATH: Final = 38
E_SUDDEN_BALL: Final = 39
E_WIN: Final = 40
E_TEAM_WIN: Final = 41
E_SHARED: Final = 42

# Reasons to refuse: their places in REFUSALS.
R_OVER: Final = 1
R_NOT_YOURS: Final = 2
R_THROW_FIRST: Final = 3
R_RACE: Final = 4
R_COIN: Final = 5
R_REMOVE_FIRST: Final = 6
R_AIM_FIRST: Final = 7
R_GO_ON_FIRST: Final = 8
R_NOT_NOW: Final = 9
R_ORDER: Final = 10
R_LOWEST: Final = 11
R_NO_BALL: Final = 12
R_NO_KEEPER: Final = 13
R_NO_QUARTER: Final = 14
R_PAIRED: Final = 15
R_LAST_DIE: Final = 16
R_NOT_ASIDE: Final = 17
R_STAYS_ASIDE: Final = 18
R_ONE_SUPPORTER: Final = 19
R_CHAIN: Final = 20
R_NO_JOKER: Final = 21
R_JOKER_FACE: Final = 22
R_JOKER_SUPPORTER: Final = 23
R_JOKER_PAIRS: Final = 24
R_NO_OFFSIDE: Final = 25
R_NO_OPPOSING_BALL: Final = 26
R_NO_RED: Final = 27
R_TOO_FEW_DICE: Final = 28
R_DIE_OUT: Final = 29
R_NO_KICK: Final = 30
R_PLACED: Final = 31
R_RED_FIRST: Final = 32
R_DECIDE_FIRST: Final = 33
R_SECOND_JOKER: Final = 34
R_TAP: Final = 35


# --- small helpers: the compiled subset -------------------------------------------------------------------------


def opponent_of(o: Setup, seat: int) -> int:
    """Return the seat opposite: in teams each member plays the opposite one (gooaaaaal §15)."""
    return seat + o.members if seat < o.members else seat - o.members


def left_of(o: Setup, seat: int) -> int:
    """Return the neighbour to the left, whose turn follows (gooaaaaal §14)."""
    return seat + 1 if seat + 1 < o.seats else 0


def right_of(o: Setup, seat: int) -> int:
    """Return the neighbour to the right (gooaaaaal §14)."""
    return seat - 1 if seat > 0 else o.seats - 1


def side_of(o: Setup, seat: int) -> int:
    """Return the side of a seat: a team, or each player alone."""
    return seat // o.members


def facing(o: Setup, seat: int, line: int) -> int:
    """Return whom a seat faces on its line: 0 the only one or the left one, 1 the right one."""
    if o.ring == 0:
        return opponent_of(o, seat)
    return left_of(o, seat) if line == 0 else right_of(o, seat)


def count_dice(s: State, o: Setup, seat: int, place: int) -> int:
    """Return how many dice of a seat are in that place."""
    at = seat * MAX_DICE
    found = 0
    for die in range(at, at + o.dice):
        if s.dice[die] == place:
            found += 1
    return found


def first_die(s: State, o: Setup, seat: int, place: int) -> int:
    """Return the index of a seat's first die in that place, or -1."""
    at = seat * MAX_DICE
    for die in range(at, at + o.dice):
        if s.dice[die] == place:
            return die
    return -1


def use_up_quarters(s: State, o: Setup, seat: int) -> None:
    """Let no quarter that lies there count any more: none of them is without a partner (gooaaaaal §5)."""
    for die in range(seat * MAX_DICE, seat * MAX_DICE + o.dice):
        if s.dice[die] == QUARTER:
            s.dice[die] = QUARTER_USED


def lying_dice(s: State, o: Setup, seat: int) -> int:
    """Return how many dice lie there, neither placed nor put aside: they would be thrown next."""
    at = seat * MAX_DICE
    found = 0
    for die in range(at, at + o.dice):
        if s.dice[die] <= LAST_LYING:
            found += 1
    return found


def dice_in_game(s: State, o: Setup, seat: int) -> int:
    """Return how many dice no red card has taken (gooaaaaal §8)."""
    return o.dice - count_dice(s, o, seat, OUT)


def tidy(s: State, o: Setup, seat: int) -> None:
    """Put a seat's dice in ascending order where all are alike: equal positions are equal states then."""
    if o.named == 1:
        return
    at = seat * MAX_DICE
    for i in range(at + 1, at + o.dice):
        place = s.dice[i]
        j = i
        while j > at and s.dice[j - 1] > place:
            s.dice[j] = s.dice[j - 1]
            j -= 1
        s.dice[j] = place
