"""From throw to throw: turns, periods, the count, penalties and races, and who has won. All in the compiled subset.

A side throws as one: each of its members in seat order. With five goals a side makes its three throws before the next
side begins; in a match the sides take turns throw by throw. `State.turn` counts these turns: it is the clock of the
period. Penalties and shoot-outs are one machine: shots wait in `State.penalties` and are served in the order of the
period. Races are one as well: taker against keeper, or all who are in a sudden death.
"""

from typing import Any

from bolzplatz.core.events import emit
from bolzplatz.core.nodes import NOBODY
from bolzplatz.games.gooaaaaal.state import (
    AIM,
    BALL_PLACED,
    COIN,
    DECIDE,
    E_COIN,
    E_DEAD_HEAT,
    E_GOALS,
    E_LEVEL,
    E_LINE,
    E_NO_DICE,
    E_OFFSIDE_COUNTS,
    E_PENALTY,
    E_PENALTY_GOAL,
    E_PENALTY_SAVED,
    E_PERIOD,
    E_QUARTER_ALONE,
    E_QUARTER_LOST,
    E_SHARED,
    E_SHOOT_OUT,
    E_SUDDEN_BALL,
    E_SUDDEN_DEATH,
    E_TEAM_WIN,
    E_WIN,
    EXTRA,
    FIRST,
    FIVE_GOALS,
    GO_ON,
    GOALS_TO_WIN,
    HAND,
    HEAT_COIN,
    HEAT_SAVED,
    KEEPER_PLACED,
    LAST_LYING,
    MATCH,
    MATCH_SHOTS,
    MAX_DICE,
    NEXT_EXTRA,
    NEXT_PERIOD,
    NEXT_SHOT,
    NEXT_SHOTS,
    NEXT_SUDDEN,
    NEXT_TURN,
    OFFSIDE_ASIDE,
    OUT,
    OVER,
    PERIOD,
    QUARTER_ASIDE,
    QUARTER_ASIDE_NEW,
    QUARTERS_OF_BALL,
    RACE,
    SCOPE_MATCH,
    SCOPE_THROW,
    SECOND,
    SHOOT_OUT,
    SHOTS,
    STAGE_DONE,
    SUDDEN,
    TAP,
    THROW,
    THROWS,
    TIE_DRAW,
    TIE_PERIOD,
    Setup,
    State,
    count_dice,
    facing,
    first_die,
    left_of,
    opponent_of,
    side_of,
    tidy,
)


def settle(s: State, o: Setup, log: Any) -> None:
    """Go on until somebody throws, tosses or decides, or the game is over."""
    while s.phase > OVER:
        if s.phase == NEXT_TURN:
            next_turn(s, o, log)
        elif s.phase == NEXT_SHOT:
            next_penalty(s, o, log)
        else:
            finish_stage(s, o, log)


# --- turns of a period ------------------------------------------------------------------------------------------


def start_game(s: State, o: Setup) -> None:
    """Set up the first node of the mode that is played (gooaaaaal §10 to §13)."""
    for seat in range(o.seats):
        s.contender[seat] = 1
    if o.mode == FIVE_GOALS or o.mode == MATCH:
        start_period(s, o, FIRST, 0, None)
    elif o.mode == SHOOT_OUT:
        start_shots(s, o, o.shots, None)
    else:
        start_sudden_death(s, o, None)
    settle(s, o, None)


def start_period(s: State, o: Setup, stage: int, starter: int, log: Any) -> None:
    """Begin three throws each: all dice back in the hand but those that a red card took (gooaaaaal §8, §10, §11)."""
    s.stage = stage
    s.starter = starter
    s.turn = 0
    for seat in range(o.seats):
        s.stopped[seat] = 0
        if o.yellow_scope != SCOPE_MATCH:
            s.yellow[seat] = 0
        take_dice(s, o, seat)
    emit(log, E_PERIOD, starter * o.members, PERIOD if o.mode == FIVE_GOALS else stage, 0, 0)
    s.phase = NEXT_TURN


def take_dice(s: State, o: Setup, seat: int) -> None:
    """Take all dice that are still in the game into the hand."""
    for die in range(o.dice):
        s.dice[seat * MAX_DICE + die] = OUT if (s.removed[seat] >> die) & 1 == 1 else HAND
    tidy(s, o, seat)


def throw_number(s: State, o: Setup) -> int:
    """Return which of its throws, from 0, the turn that is on brings (gooaaaaal §10, §11, §15)."""
    if o.mode == FIVE_GOALS:
        return s.turn % (THROWS * o.members) // o.members
    return s.turn // o.seats


def seat_at(s: State, o: Setup, turn: int) -> int:
    """Return whose turn it is: side after side with five goals, throw after throw in a match (gooaaaaal §10, §11)."""
    side = turn // (THROWS * o.members) if o.mode == FIVE_GOALS else turn // o.members % o.sides
    return (s.starter + side) % o.sides * o.members + turn % o.members


def throws_to_come(s: State, o: Setup, seat: int) -> int:
    """Return how many throws a seat may still make in this period after the turn that is on."""
    if s.stopped[seat] == 1:
        return 0
    found = 0
    for turn in range(s.turn + 1, THROWS * o.seats):
        if seat_at(s, o, turn) == seat:
            found += 1
    return found


def next_turn(s: State, o: Setup, log: Any) -> None:
    """Let the next seat throw that has a throw and dice left; after the last turn count (gooaaaaal §2, §11)."""
    while s.turn < THROWS * o.seats:
        seat = seat_at(s, o, s.turn)
        if s.stopped[seat] == 0:
            free_last_quarter(s, o, seat, log)
            if count_dice(s, o, seat, HAND) > 0:
                s.mover = seat
                s.phase = THROW
                return
            emit(log, E_NO_DICE, seat, throw_number(s, o) + 1, 0, 0)
            if may_take_back(s, o, seat):
                s.mover = seat
                s.phase = DECIDE
                return
        s.turn += 1
    count_goals(s, o, log)


def may_take_back(s: State, o: Setup, seat: int) -> bool:
    """Say whether a seat with nothing to throw has a quarter in the middle, and a throw to come (gooaaaaal §15)."""
    return first_die(s, o, seat, QUARTER_ASIDE) >= 0 and throws_to_come(s, o, seat) > 0


def free_last_quarter(s: State, o: Setup, seat: int, log: Any) -> None:
    """Take a quarter back that is the last die a single player could throw: it may not lie aside (gooaaaaal §5)."""
    if o.members == 1 and count_dice(s, o, seat, HAND) == 0:
        die = first_die(s, o, seat, QUARTER_ASIDE)
        if die >= 0:
            s.dice[die] = HAND
            tidy(s, o, seat)
            emit(log, E_QUARTER_ALONE, seat, 0, 0, 0)


def finish_throw(s: State, o: Setup, log: Any) -> None:
    """Take the dice that lie there into the hand, then ask whether to throw on, or go on (gooaaaaal §2)."""
    seat = s.mover
    for die in range(seat * MAX_DICE, seat * MAX_DICE + o.dice):
        if s.dice[die] <= LAST_LYING:
            s.dice[die] = HAND
        elif s.dice[die] == QUARTER_ASIDE_NEW:
            s.dice[die] = QUARTER_ASIDE
    s.last = 0
    s.loose = 0
    s.spirit = 0
    s.chained = 0
    if o.yellow_scope == SCOPE_THROW:
        s.yellow[seat] = 0
    if throw_number(s, o) + 1 == THROWS:
        end_throws(s, o, seat, log)
        return
    single_quarter = o.members == 1 and first_die(s, o, seat, QUARTER_ASIDE) >= 0
    tidy(s, o, seat)
    if single_quarter or count_dice(s, o, seat, HAND) > 0:
        s.phase = GO_ON
    else:
        end_turn(s)


def end_throws(s: State, o: Setup, seat: int, log: Any) -> None:
    """End a seat's throws: a quarter without a partner is lost, but in a team another one may come (gooaaaaal §5)."""
    die = first_die(s, o, seat, QUARTER_ASIDE)
    if o.members == 1 and die >= 0:
        s.dice[die] = HAND
        emit(log, E_QUARTER_LOST, seat, 0, 0, 0)
    tidy(s, o, seat)
    end_turn(s)


def end_turn(s: State) -> None:
    """Let the next turn follow."""
    s.turn += 1
    s.phase = NEXT_TURN


# --- the count --------------------------------------------------------------------------------------------------


def count_goals(s: State, o: Setup, log: Any) -> None:
    """Count the goals of a period, then shoot its penalties (gooaaaaal §3, §5, §7)."""
    for seat in range(o.seats):
        goals = 0
        for line in range(o.lines):
            goals += count_line(s, o, seat, line, log)
        s.goals[seat] += goals
        if goals > 0:
            emit(log, E_GOALS, seat, goals, side_goals(s, o, side_of(o, seat)), 0)
    for seat in range(o.seats):
        if o.members > 1 and first_die(s, o, seat, QUARTER_ASIDE) >= 0:
            emit(log, E_QUARTER_LOST, seat, 0, 0, 0)
    for seat in range(o.seats):
        take_dice(s, o, seat)
    s.mover = 0
    s.turn = 0
    s.kick = 0
    s.phase = NEXT_SHOT


def count_line(s: State, o: Setup, seat: int, line: int, log: Any) -> int:
    """Return the goals of a seat on one line, and tell how they came about (gooaaaaal §3, §7)."""
    balls = count_dice(s, o, seat, BALL_PLACED + line)
    if balls == 0:
        return 0
    other = facing(o, seat, line)
    cancelled = cancelled_balls(s, o, seat, line)
    if cancelled > 0:
        emit(log, E_OFFSIDE_COUNTS, other, seat, cancelled, 0)
    emit(log, E_LINE, seat, other, balls - cancelled, keepers_against(s, o, seat, line))
    goals = line_goals(s, o, seat, line)
    if o.by_difference == 1:
        s.conceded[other] += goals
    return goals


def cancelled_balls(s: State, o: Setup, seat: int, line: int) -> int:
    """Return how many balls of a line the off-sides cancel that the opponent has kept aside (gooaaaaal §7)."""
    if o.offside_at_count == 0:
        return 0
    balls = count_dice(s, o, seat, BALL_PLACED + line)
    return min(balls, count_dice(s, o, facing(o, seat, line), OFFSIDE_ASIDE))


def keepers_against(s: State, o: Setup, seat: int, line: int) -> int:
    """Return the keepers that face a seat on a line: the left of one player is the right of the other (§3, §14)."""
    return count_dice(s, o, facing(o, seat, line), KEEPER_PLACED + (1 - line if o.ring == 1 else 0))


def line_goals(s: State, o: Setup, seat: int, line: int) -> int:
    """Return the goals on one line: each ball counts that no keeper faces there (gooaaaaal §3, §14)."""
    balls = count_dice(s, o, seat, BALL_PLACED + line) - cancelled_balls(s, o, seat, line)
    return max(0, balls - keepers_against(s, o, seat, line))


def side_goals(s: State, o: Setup, side: int) -> int:
    """Return the goals of a side: the sum over its members (gooaaaaal §15)."""
    goals = 0
    for seat in range(side * o.members, (side + 1) * o.members):
        goals += s.goals[seat]
    return goals


def side_standing(s: State, o: Setup, side: int) -> int:
    """Return what the winner is found by: goals, or in a ring goals less those let in (gooaaaaal §14, §17)."""
    return side_goals(s, o, side) - s.conceded[side * o.members]


# --- penalties and races ----------------------------------------------------------------------------------------


def seat_of_kick(s: State, o: Setup, place: int) -> int:
    """Return the seat at a place in the order of penalties: the starter first, the sides in turn (gooaaaaal §5)."""
    return (s.starter + place % o.sides) % o.sides * o.members + place // o.sides


def next_penalty(s: State, o: Setup, log: Any) -> None:
    """Let the next seat shoot that has a penalty left; after the last one the period is over (gooaaaaal §5, §12)."""
    for i in range(o.seats):
        place = (s.kick + i) % o.seats
        seat = seat_of_kick(s, o, place)
        if s.penalties[seat] > 0:
            s.penalties[seat] -= 1
            s.kick = place
            s.taker = seat
            if o.ring == 1 and s.stage != SHOTS:
                s.phase = AIM
            else:
                start_penalty(s, o, shot_keeper(s, o, seat), log)
            return
    s.kick = 0
    s.phase = STAGE_DONE


def shot_keeper(s: State, o: Setup, taker: int) -> int:
    """Return who keeps the goal: the opposite player, in a ring the next one who shoots as well (gooaaaaal §12)."""
    if o.ring == 0:
        return opponent_of(o, taker)
    keeper = left_of(o, taker)
    while s.contender[keeper] == 0:
        keeper = left_of(o, keeper)
    return keeper


def start_penalty(s: State, o: Setup, keeper: int, log: Any) -> None:
    """Let taker and keeper throw against each other (gooaaaaal §12)."""
    s.keeper = keeper
    s.racing[s.taker] = 1
    s.racing[keeper] = 1
    emit(log, E_PENALTY, s.taker, keeper, 0, 0)
    start_race(s, o)


def start_race(s: State, o: Setup) -> None:
    """Give everybody who races their dice, with no quarter aside yet (gooaaaaal §12, §13)."""
    for seat in range(o.seats):
        if s.racing[seat] == 1:
            take_race_dice(s, o, seat)
    s.phase = RACE if o.tapped == 0 else TAP
    s.mover = first_racer(s)


def tap(s: State, o: Setup, outcome: int) -> None:
    """Let the one throw whose hand was next (gooaaaaal §12)."""
    s.mover = coin_seat(s, outcome)
    pick_up(s, o, s.mover)
    s.phase = RACE


def finish_tap(s: State, o: Setup, log: Any) -> None:
    """Look after the throw of one hand whether its ball is together: no other one can be first then (gooaaaaal §12)."""
    if count_dice(s, o, s.mover, QUARTER_ASIDE) >= QUARTERS_OF_BALL:
        end_race(s, o, s.mover, log)
    else:
        s.phase = TAP
        s.mover = first_racer(s)


def take_race_dice(s: State, o: Setup, seat: int) -> None:
    """Take the dice of the game; one that a red card took comes back where four quarters need it (gooaaaaal §12)."""
    at = seat * MAX_DICE
    take_dice(s, o, seat)
    useful = 0
    for die in range(o.dice):
        if s.dice[at + die] == HAND and o.has_quarter[die] == 1:
            useful += 1
    for die in range(o.dice):
        if useful < QUARTERS_OF_BALL and s.dice[at + die] == OUT and o.has_quarter[die] == 1:
            s.dice[at + die] = HAND
            useful += 1
    if o.four_shoot == 1:
        useful = 0
        for die in range(o.dice):
            if s.dice[at + die] == HAND:
                if useful < QUARTERS_OF_BALL and o.has_quarter[die] == 1:
                    useful += 1
                else:
                    s.dice[at + die] = OUT
    tidy(s, o, seat)


def first_racer(s: State) -> int:
    """Return who throws first at each throw of a race: the taker, or the first seat of a sudden death."""
    if s.stage != SUDDEN:
        return s.taker
    seat = 0
    while s.racing[seat] == 0:
        seat += 1
    return seat


def next_racer(s: State, o: Setup, seat: int) -> int:
    """Return who throws after that seat at the same throw of a race, or NOBODY after the last one."""
    if s.stage != SUDDEN:
        return s.keeper if seat == s.taker else NOBODY
    for other in range(seat + 1, o.seats):
        if s.racing[other] == 1:
            return other
    return NOBODY


def finish_race_throw(s: State, o: Setup, log: Any) -> None:
    """Look who has a ball together once all have thrown; the first one wins (gooaaaaal §12, §13)."""
    first_side = NOBODY
    winner = NOBODY
    dead_heat = False
    for seat in range(o.seats):
        if s.racing[seat] == 1 and count_dice(s, o, seat, QUARTER_ASIDE) >= QUARTERS_OF_BALL:
            if winner == NOBODY:
                winner = seat
                first_side = side_of(o, seat)
            elif side_of(o, seat) != first_side:
                dead_heat = True
    if dead_heat:
        settle_dead_heat(s, o, log)
    elif winner == NOBODY:
        for seat in range(o.seats):
            if s.racing[seat] == 1:
                pick_up(s, o, seat)
        s.mover = first_racer(s)
    else:
        end_race(s, o, winner, log)


def pick_up(s: State, o: Setup, seat: int) -> None:
    """Take the dice without a quarter into the hand again (gooaaaaal §12)."""
    for die in range(seat * MAX_DICE, seat * MAX_DICE + o.dice):
        if s.dice[die] <= LAST_LYING:
            s.dice[die] = HAND
    tidy(s, o, seat)


def settle_dead_heat(s: State, o: Setup, log: Any) -> None:
    """Repeat the race among those who were first together, or as the option dead_heat says (gooaaaaal §12, §13)."""
    emit(log, E_DEAD_HEAT, NOBODY, 0, 0, 0)
    if o.dead_heat == HEAT_SAVED and s.stage != SUDDEN:
        end_race(s, o, s.keeper, log)
        return
    last_side = NOBODY
    for seat in range(o.seats):
        if s.racing[seat] == 1:
            complete = count_dice(s, o, seat, QUARTER_ASIDE) >= QUARTERS_OF_BALL
            if o.dead_heat == HEAT_COIN:
                s.racing[seat] = 1 if complete and side_of(o, seat) != last_side else 0
                if s.racing[seat] == 1:
                    last_side = side_of(o, seat)
            elif o.ring == 1:
                s.racing[seat] = 1 if complete else 0
    if o.dead_heat == HEAT_COIN:
        for seat in range(o.seats):
            take_dice(s, o, seat)
        s.phase = COIN
        s.mover = 0
    else:
        start_race(s, o)


def toss_coin(s: State, o: Setup, outcome: int, log: Any) -> None:
    """Give the race to one of those who were first together (gooaaaaal §12)."""
    winner = coin_seat(s, outcome)
    emit(log, E_COIN, winner, 0, 0, 0)
    end_race(s, o, winner, log)


def coin_seat(s: State, outcome: int) -> int:
    """Return the seat that an outcome of the coin, or of a tap, names: those who race are counted in seat order."""
    seat = 0
    found = s.racing[0] - 1
    while found < outcome:
        seat += 1
        found += s.racing[seat]
    return seat


def end_race(s: State, o: Setup, winner: int, log: Any) -> None:
    """Write the goal down, or the save, and go on (gooaaaaal §12, §13)."""
    taker = s.taker
    keeper = s.keeper
    s.taker = 0
    s.keeper = 0
    s.mover = 0
    for seat in range(o.seats):
        s.racing[seat] = 0
        take_dice(s, o, seat)
    if s.stage == SUDDEN:
        s.goals[winner] += 1
        emit(log, E_SUDDEN_BALL, winner, 0, 0, 0)
        end_game(s, o, log)
        return
    if winner == taker:
        s.goals[taker] += 1
        if o.by_difference == 1:
            s.conceded[keeper] += 1
        emit(log, E_PENALTY_GOAL, taker, side_goals(s, o, side_of(o, taker)), 0, 0)
    else:
        emit(log, E_PENALTY_SAVED, keeper, taker, 0, 0)
    s.kick = (s.kick + 1) % o.seats
    s.phase = NEXT_SHOT


# --- what follows -----------------------------------------------------------------------------------------------


def finish_stage(s: State, o: Setup, log: Any) -> None:
    """Go on after a period or a shoot-out, or end the game (gooaaaaal §10 to §13)."""
    if o.mode == FIVE_GOALS:
        finish_five_goals(s, o, log)
    elif s.stage == FIRST:
        start_period(s, o, SECOND, (s.starter + 1) % o.sides, log)
    elif leading_sides(s, o) == 1:
        end_game(s, o, log)
    elif s.stage == SECOND:
        emit(log, E_LEVEL, NOBODY, NEXT_EXTRA, 0, 0)
        start_period(s, o, EXTRA, (s.starter + 1) % o.sides, log)
    elif s.stage == EXTRA:
        emit(log, E_LEVEL, NOBODY, NEXT_SHOTS, 0, 0)
        start_shots(s, o, MATCH_SHOTS, log)
    else:
        emit(log, E_LEVEL, NOBODY, NEXT_SUDDEN, 0, 0)
        start_sudden_death(s, o, log)


def finish_five_goals(s: State, o: Setup, log: Any) -> None:
    """End the game once somebody has five goals; level ones play on, or as five_goals_tie says (gooaaaaal §10)."""
    reached = False
    for side in range(o.sides):
        if side_goals(s, o, side) >= GOALS_TO_WIN:
            reached = True
    if reached:
        if leading_sides(s, o) == 1 or o.five_goals_tie == TIE_DRAW:
            end_game(s, o, log)
            return
        emit(log, E_LEVEL, NOBODY, NEXT_PERIOD if o.five_goals_tie == TIE_PERIOD else NEXT_SUDDEN, 0, 0)
        if o.five_goals_tie != TIE_PERIOD:
            start_sudden_death(s, o, log)
            return
    start_period(s, o, FIRST, (s.starter + 1) % o.sides, log)


def leading_sides(s: State, o: Setup) -> int:
    """Return how many of the sides that can still win lead together."""
    best = best_standing(s, o)
    count = 0
    for side in range(o.sides):
        if leads(s, o, side, best):
            count += 1
    return count


def best_standing(s: State, o: Setup) -> int:
    """Return the best standing among the sides that can still win."""
    best = -(10**9)
    for side in range(o.sides):
        if s.contender[side * o.members] == 1 and side_standing(s, o, side) > best:
            best = side_standing(s, o, side)
    return best


def leads(s: State, o: Setup, side: int, best: int) -> bool:
    """Say whether a side can still win and has the best standing."""
    return s.contender[side * o.members] == 1 and side_standing(s, o, side) == best


def keep_leaders(s: State, o: Setup) -> None:
    """Leave only those in the game who lead: nobody else can win any more (gooaaaaal §11, §14)."""
    best = best_standing(s, o)
    for seat in range(o.seats):
        if side_standing(s, o, side_of(o, seat)) != best:
            s.contender[seat] = 0


def start_shots(s: State, o: Setup, shots: int, log: Any) -> None:
    """Give each side its penalties, spread over its members, side 0 first (gooaaaaal §11, §12)."""
    keep_leaders(s, o)
    s.stage = SHOTS
    s.starter = 0
    s.kick = 0
    for seat in range(o.seats):
        take_dice(s, o, seat)
        if s.contender[seat] == 1:
            member = seat % o.members
            s.penalties[seat] = (shots - member + o.members - 1) // o.members if member < shots else 0
    emit(log, E_SHOOT_OUT, NOBODY, shots, 0, 0)
    s.phase = NEXT_SHOT


def start_sudden_death(s: State, o: Setup, log: Any) -> None:
    """Let all who are level race for one ball (gooaaaaal §13)."""
    keep_leaders(s, o)
    s.stage = SUDDEN
    s.starter = 0
    for seat in range(o.seats):
        s.racing[seat] = s.contender[seat]
        take_dice(s, o, seat)
    emit(log, E_SUDDEN_DEATH, NOBODY, 0, 0, 0)
    start_race(s, o)


def end_game(s: State, o: Setup, log: Any) -> None:
    """Say who has won (gooaaaaal §10 to §15)."""
    s.phase = OVER
    best = best_standing(s, o)
    shared = leading_sides(s, o) > 1
    for side in range(o.sides):
        if leads(s, o, side, best):
            seat = side * o.members
            if shared:
                emit(log, E_SHARED, seat, side_goals(s, o, side), 0, 0)
            elif o.members > 1:
                emit(log, E_TEAM_WIN, NOBODY, side, side_goals(s, o, side), side_goals(s, o, 1 - side))
            else:
                emit(log, E_WIN, seat, side_goals(s, o, side), 0, 0)


def winners(s: State, o: Setup, out: Any) -> None:
    """The side with the best standing wins; level ones share it (gooaaaaal §10 to §15)."""
    best = best_standing(s, o)
    for seat in range(o.seats):
        out[seat] = 1 if s.phase == OVER and leads(s, o, side_of(o, seat), best) else 0


def scores(s: State, o: Setup, out: Any) -> None:
    """Goals; those of the side in a team (gooaaaaal §3, §15)."""
    for seat in range(o.seats):
        out[seat] = side_goals(s, o, side_of(o, seat))
