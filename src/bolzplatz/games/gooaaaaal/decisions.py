"""Decisions: what may be done with a throw, why not, and what it does. All in the compiled subset.

Action ids stand in the order in which things are done within a throw, kind after kind (`Setup.at_…`). An action below
`State.last` comes too late: so each play has one name. A re-throw starts afresh.
"""

from typing import Any, Final

from bolzplatz.core.events import emit
from bolzplatz.games.gooaaaaal.flow import end_turn, finish_throw, start_penalty
from bolzplatz.games.gooaaaaal.state import (
    AIM,
    BALL,
    BALL_PLACED,
    COIN,
    DECIDE,
    E_BALL_AGAINST,
    E_BALL_PLACED,
    E_FREE_KICK,
    E_JOKER,
    E_KEEPER_AGAINST,
    E_KEEPER_PLACED,
    E_OFFSIDE,
    E_OFFSIDE_ASIDE,
    E_QUARTER_ASIDE,
    E_QUARTER_BACK,
    E_QUARTER_LOST,
    E_RED_DIE,
    E_RED_PENALTY,
    E_REMOVED,
    E_STOP,
    E_SUPPORTERS,
    GO_ON,
    HAND,
    JOKER,
    KEEPER,
    KEEPER_PLACED,
    KICK,
    LOOSE,
    LOOSE_ASIDE,
    MAX_DICE,
    OFFSIDE,
    OFFSIDE_ASIDE,
    OUT,
    OVER,
    QUARTER,
    QUARTER_ASIDE,
    QUARTER_ASIDE_NEW,
    QUARTER_USED,
    R_AIM_FIRST,
    R_CHAIN,
    R_COIN,
    R_DECIDE_FIRST,
    R_DIE_OUT,
    R_GO_ON_FIRST,
    R_JOKER_FACE,
    R_JOKER_PAIRS,
    R_JOKER_SUPPORTER,
    R_LAST_DIE,
    R_LOWEST,
    R_NO_BALL,
    R_NO_JOKER,
    R_NO_KEEPER,
    R_NO_KICK,
    R_NO_OFFSIDE,
    R_NO_OPPOSING_BALL,
    R_NO_QUARTER,
    R_NO_RED,
    R_NOT_ASIDE,
    R_NOT_NOW,
    R_NOT_YOURS,
    R_ONE_SUPPORTER,
    R_ORDER,
    R_OVER,
    R_PAIRED,
    R_PLACED,
    R_RACE,
    R_RED_FIRST,
    R_REMOVE_FIRST,
    R_SECOND_JOKER,
    R_STAYS_ASIDE,
    R_TAP,
    R_THROW_FIRST,
    R_TOO_FEW_DICE,
    RACE,
    RED,
    REMOVE,
    SPIRIT_JOKER,
    SUPPORTER,
    TAP,
    THROW,
    USED,
    YELLOW,
    Setup,
    State,
    count_dice,
    dice_in_game,
    facing,
    first_die,
    lying_dice,
    opponent_of,
    tidy,
    use_up_quarters,
)
from bolzplatz.games.gooaaaaal.throws import add_quarters, show_yellow, waiting_quarter

JOKER_OTHERS: Final = (SUPPORTER, QUARTER, OFFSIDE, YELLOW, RED, KICK)
"""What a joker may be played as besides ball and keeper, in the order of the actions; the bonuses come last."""
JOKER_MAIN: Final = 2
"""So many of them in an edition without bonuses."""


def decider(s: State, o: Setup) -> int:
    """Return the seat that decides in the phases that ask somebody (gooaaaaal §2, §8, §14)."""
    if s.phase == REMOVE:
        return opponent_of(o, s.mover)
    return s.taker if s.phase == AIM else s.mover


# --- what is legal ----------------------------------------------------------------------------------------------


def legal(s: State, o: Setup, seat: int, out: Any) -> int:
    """List the legal actions, ascending: those that nothing stands against (gooaaaaal §2 to §9, §14)."""
    if s.phase < DECIDE or s.phase == OVER or seat != decider(s, o):
        return 0
    if s.phase == GO_ON:
        out[0] = o.at_done + 1
        out[1] = o.at_done + 2
        return 2
    if s.phase == AIM:
        out[0] = o.at_aim
        out[1] = o.at_aim + 1
        return 2
    if s.phase == REMOVE:
        return list_allowed(s, o, o.at_remove, o.at_kick, out, 0)
    count = list_allowed(s, o, s.last, o.at_joker, out, 0)
    if joker_die(s, o, seat) >= 0:
        count = list_allowed(s, o, max(s.last, o.at_joker), o.at_offside, out, count)
    if o.bonus == 1:
        count = list_allowed(s, o, max(s.last, o.at_offside), o.at_remove, out, count)
        if first_die(s, o, seat, KICK) >= 0:
            count = list_allowed(s, o, max(s.last, o.at_kick), o.at_done, out, count)
    return list_allowed(s, o, o.at_done, o.at_done + 1, out, count)


def list_allowed(s: State, o: Setup, first: int, end: int, out: Any, count: int) -> int:
    """Add the actions from `first` to below `end` that nothing stands against, and return how many there are now."""
    for action in range(first, end):
        if action_refusal(s, o, action) == 0:
            out[count] = action
            count += 1
    return count


def refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why an action is not possible now, 0 if it is (gooaaaaal §2 to §9, §14)."""
    if s.phase == OVER:
        return R_OVER
    if s.phase == THROW:
        return R_THROW_FIRST
    if s.phase == RACE:
        return R_RACE
    if s.phase == COIN:
        return R_COIN
    if s.phase == TAP:
        return R_TAP
    if seat != decider(s, o):
        return R_NOT_YOURS
    if s.phase == GO_ON:
        return 0 if o.at_done < action <= o.at_done + 2 else R_GO_ON_FIRST
    if s.phase == AIM:
        return 0 if action >= o.at_aim else R_AIM_FIRST
    if s.phase == REMOVE:
        return action_refusal(s, o, action) if o.at_remove <= action < o.at_kick else R_REMOVE_FIRST
    if action >= o.at_aim or o.at_remove <= action < o.at_kick:
        return R_NOT_NOW
    if action > o.at_done:
        return R_DECIDE_FIRST
    return R_ORDER if action < s.last else action_refusal(s, o, action)


def action_refusal(s: State, o: Setup, action: int) -> int:
    """Say what stands against an action of a throw, its order apart, or against the removal of a die."""
    if joker_waits(s, o) and joker_choice(o, action) != o.joker_supporter:
        return R_SECOND_JOKER
    if action < o.at_keeper:
        return place_refusal(s, o, action % o.slots, BALL, R_NO_BALL)
    if action < o.at_aside:
        return place_refusal(s, o, (action - o.at_keeper) % o.slots, KEEPER, R_NO_KEEPER)
    if action < o.at_return:
        return aside_refusal(s, o, action - o.at_aside)
    if action < o.at_again:
        return return_refusal(s, o, action - o.at_return)
    if action < o.at_joker:
        return again_refusal(s, o)
    if action < o.at_offside:
        return joker_refusal(s, o, joker_choice(o, action), (action - o.at_joker) % o.slots)
    if action < o.at_keep_offside:
        return offside_refusal(s, o, action - o.at_offside)
    if action < o.at_red:
        return place_refusal(s, o, action - o.at_keep_offside, OFFSIDE, R_NO_OFFSIDE)
    if action < o.at_remove:
        return red_refusal(s, o, action - o.at_red)
    if action < o.at_kick:
        return remove_refusal(s, o, action - o.at_remove)
    if action < o.at_done:
        return kick_refusal(s, o, action - o.at_kick + 1)
    return R_RED_FIRST if s.reds > 0 else 0


def named_die(s: State, o: Setup, seat: int, slot: int, place: int) -> int:
    """Return the index of the die that an action means: the one it names, or the first in that place."""
    return seat * MAX_DICE + slot if o.named == 1 else first_die(s, o, seat, place)


def lower_twin(s: State, o: Setup, die: int) -> int:
    """Return the index of the next lower die that is alike and in the same place, or -1: it has the better name."""
    at = die - die % MAX_DICE
    for other in range(die - 1, at - 1, -1):
        if s.dice[other] == s.dice[die] and o.kind_of[other - at] == o.kind_of[die - at]:
            return other
    return -1


def place_refusal(s: State, o: Setup, slot: int, face: int, missing: int) -> int:
    """A die that is placed or put aside must show that face (gooaaaaal §2, §7); of equal ones the lowest is named."""
    die = named_die(s, o, s.mover, slot, face)
    if die < 0 or s.dice[die] != face:
        return missing
    return R_LOWEST if o.named == 1 and lower_twin(s, o, die) >= 0 else 0


def aside_refusal(s: State, o: Setup, slot: int) -> int:
    """A quarter without a partner may be put aside, but not the last die of a single player (gooaaaaal §5, §15)."""
    die = named_die(s, o, s.mover, slot, QUARTER_USED)
    paired = die >= 0 and s.dice[die] == QUARTER_USED
    refused = place_refusal(s, o, slot, QUARTER, R_PAIRED if paired else R_NO_QUARTER)
    if refused != 0:
        return refused
    return R_LAST_DIE if o.members == 1 and lying_dice(s, o, s.mover) == 1 else 0


def return_refusal(s: State, o: Setup, slot: int) -> int:
    """A quarter that lay aside during this throw may be taken back (gooaaaaal §5)."""
    die = named_die(s, o, s.mover, slot, QUARTER_ASIDE)
    if die >= 0 and s.dice[die] == QUARTER_ASIDE:
        return 0
    return R_STAYS_ASIDE if first_die(s, o, s.mover, QUARTER_ASIDE_NEW) >= 0 else R_NOT_ASIDE


def again_refusal(s: State, o: Setup) -> int:
    """Two supporters or more may be thrown again (gooaaaaal §4)."""
    if count_dice(s, o, s.mover, SUPPORTER) < 2:
        return R_ONE_SUPPORTER
    return R_CHAIN if s.chained == 1 else 0


def joker_die(s: State, o: Setup, seat: int) -> int:
    """Return the index of the first die that may be played as a joker, or -1 (gooaaaaal §6, §9)."""
    die = first_die(s, o, seat, JOKER)
    if die < 0 and s.spirit > 0:
        die = first_die(s, o, seat, SPIRIT_JOKER)
    return die


def joker_choice(o: Setup, action: int) -> int:
    """Return which of the faces and lines that a joker may be played as an action means, -1 for any other action."""
    return (action - o.at_joker) // o.slots if o.at_joker <= action < o.at_offside else -1


def joker_waits(s: State, o: Setup) -> bool:
    """Say whether a joker was just played as the first of two supporters: the second one follows (gooaaaaal §9)."""
    return joker_choice(o, s.last) == o.joker_supporter and count_dice(s, o, s.mover, SUPPORTER) == 1


def joker_follows(s: State, o: Setup, die: int) -> bool:
    """Say whether another joker may be played right after this one, as the same face."""
    spirit = s.spirit - (1 if s.dice[die] == SPIRIT_JOKER else 0)
    for other in range(die + 1, die - die % MAX_DICE + o.dice):
        if s.dice[other] == JOKER or (s.dice[other] == SPIRIT_JOKER and spirit > 0):
            twin = lower_twin(s, o, other)
            if o.named == 0 or twin < 0 or twin == die:
                return True
    return False


def joker_face(o: Setup, choice: int) -> int:
    """Return the face that a joker is played as."""
    if choice < o.lines:
        return BALL
    return KEEPER if choice < 2 * o.lines else JOKER_OTHERS[choice - 2 * o.lines]


def joker_refusal(s: State, o: Setup, choice: int, slot: int) -> int:
    """A joker may be any face that does something then (gooaaaaal §6, §9)."""
    die = s.mover * MAX_DICE + slot if o.named == 1 else joker_die(s, o, s.mover)
    if die < 0 or not (s.dice[die] == JOKER or (s.dice[die] == SPIRIT_JOKER and s.spirit > 0)):
        return R_NO_JOKER
    if o.named == 1 and lower_twin(s, o, die) >= 0:
        return R_LOWEST
    face = joker_face(o, choice)
    if o.joker_any == 0 and face != BALL and face != KEEPER and face != QUARTER:
        return R_JOKER_FACE
    if face == SUPPORTER:
        if s.chained == 1:
            return R_CHAIN
        alone = count_dice(s, o, s.mover, SUPPORTER) == 0 and not joker_follows(s, o, die)
        return R_JOKER_SUPPORTER if alone else 0
    if face == QUARTER:
        return joker_quarter_refusal(s, o)
    return 0


def joker_quarter_refusal(s: State, o: Setup) -> int:
    """A joker as a quarter joins one that waits, else it is put aside as any quarter would be (gooaaaaal §5, §9)."""
    if s.loose == LOOSE_ASIDE:
        return R_JOKER_PAIRS
    if s.loose == LOOSE or waiting_quarter(s, o, s.mover) >= 0:
        return 0
    return R_LAST_DIE if o.members == 1 and lying_dice(s, o, s.mover) == 1 else 0


def offside_die(s: State, o: Setup, seat: int) -> int:
    """Return the index of the off-side that is used next, one that lay aside first, or -1 (gooaaaaal §7)."""
    die = first_die(s, o, seat, OFFSIDE_ASIDE)
    return die if die >= 0 else first_die(s, o, seat, OFFSIDE)


def offside_refusal(s: State, o: Setup, slot: int) -> int:
    """An off-side takes a placed ball of the opponent (gooaaaaal §7)."""
    if offside_die(s, o, s.mover) < 0:
        return R_NO_OFFSIDE
    die = named_die(s, o, opponent_of(o, s.mover), slot, BALL_PLACED)
    if die < 0 or s.dice[die] != BALL_PLACED:
        return R_NO_OPPOSING_BALL
    return R_LOWEST if o.named == 1 and lower_twin(s, o, die) >= 0 else 0


def red_refusal(s: State, o: Setup, choice: int) -> int:
    """A red card is a penalty, or a die of the opponent if enough are left for all cards that wait (gooaaaaal §8)."""
    if s.reds == 0:
        return R_NO_RED
    spare = dice_in_game(s, o, opponent_of(o, s.mover)) - o.min_dice
    return R_TOO_FEW_DICE if choice == 1 and spare < s.reds else 0


def remove_refusal(s: State, o: Setup, number: int) -> int:
    """The opponent gives up any die that is still in the game; of equal ones the lowest is named (gooaaaaal §8)."""
    die = opponent_of(o, s.mover) * MAX_DICE + number
    if number >= o.dice or s.dice[die] == OUT:
        return R_DIE_OUT
    return R_LOWEST if lower_twin(s, o, die) >= 0 else 0


def kick_refusal(s: State, o: Setup, chosen: int) -> int:
    """A free kick throws dice that are not placed; of equal ones the lowest are named (gooaaaaal §9)."""
    if first_die(s, o, s.mover, KICK) < 0:
        return R_NO_KICK
    at = s.mover * MAX_DICE
    for die in range(o.dice):
        if (chosen >> die) & 1 == 1:
            place = s.dice[at + die]
            if place == OUT:
                return R_DIE_OUT
            if BALL_PLACED <= place < QUARTER_ASIDE:
                return R_PLACED
            twin = lower_twin(s, o, at + die)
            if twin >= 0 and (chosen >> (twin - at)) & 1 == 0:
                return R_LOWEST
    return 0


# --- what it does -----------------------------------------------------------------------------------------------


def decide(s: State, o: Setup, action: int, log: Any) -> None:
    """Carry out a decision (gooaaaaal §2 to §9, §14)."""
    if s.phase == GO_ON:
        throw_on_or_stop(s, o, action, log)
    elif s.phase == AIM:
        line = action - o.at_aim
        start_penalty(s, o, facing(o, s.taker, line), log)
    elif s.phase == REMOVE:
        remove_die(s, o, action - o.at_remove, log)
    elif action == o.at_done:
        finish_throw(s, o, log)
    else:
        s.last = action
        use_die(s, o, action, log)


def use_die(s: State, o: Setup, action: int, log: Any) -> None:
    """Carry out one item of a throw."""
    if action < o.at_keeper:
        die = named_die(s, o, s.mover, action % o.slots, BALL)
        place_die(s, o, die, BALL, action // o.slots, log)
    elif action < o.at_aside:
        die = named_die(s, o, s.mover, (action - o.at_keeper) % o.slots, KEEPER)
        place_die(s, o, die, KEEPER, (action - o.at_keeper) // o.slots, log)
    elif action < o.at_return:
        s.dice[named_die(s, o, s.mover, action - o.at_aside, QUARTER)] = QUARTER_ASIDE_NEW
        s.loose = LOOSE_ASIDE
        use_up_quarters(s, o, s.mover)
        emit(log, E_QUARTER_ASIDE, s.mover, 0, 0, 0)
    elif action < o.at_again:
        s.dice[named_die(s, o, s.mover, action - o.at_return, QUARTER_ASIDE)] = QUARTER_USED
        emit(log, E_QUARTER_BACK, s.mover, 0, 0, 0)
    elif action < o.at_joker:
        throw_supporters(s, o, log)
    elif action < o.at_offside:
        play_joker(s, o, joker_choice(o, action), (action - o.at_joker) % o.slots, log)
    else:
        use_bonus(s, o, action, log)
    tidy(s, o, s.mover)


def place_die(s: State, o: Setup, die: int, face: int, line: int, log: Any) -> None:
    """Lay a ball or a keeper on a line, for good (gooaaaaal §2, §14)."""
    s.dice[die] = (BALL_PLACED if face == BALL else KEEPER_PLACED) + line
    if o.ring == 1:
        emit(log, E_BALL_AGAINST if face == BALL else E_KEEPER_AGAINST, s.mover, facing(o, s.mover, line), 0, 0)
    else:
        emit(log, E_BALL_PLACED if face == BALL else E_KEEPER_PLACED, s.mover, 0, 0, 0)


def throw_supporters(s: State, o: Setup, log: Any) -> None:
    """Take all supporters into the hand and throw them again (gooaaaaal §4)."""
    emit(log, E_SUPPORTERS, s.mover, count_dice(s, o, s.mover, SUPPORTER), 0, 0)
    for die in range(s.mover * MAX_DICE, s.mover * MAX_DICE + o.dice):
        if s.dice[die] == SUPPORTER:
            s.dice[die] = HAND
    s.chained = 1 - o.supporter_chain
    start_rethrow(s)


def start_rethrow(s: State) -> None:
    """Throw the dice in the hand at once; afterwards everything may be done afresh."""
    s.phase = THROW
    s.again = 1
    s.last = 0
    if s.loose == LOOSE_ASIDE:
        s.loose = 0


def play_joker(s: State, o: Setup, choice: int, slot: int, log: Any) -> None:
    """Give a joker its face; it takes effect at once (gooaaaaal §6, §9)."""
    die = s.mover * MAX_DICE + slot if o.named == 1 else joker_die(s, o, s.mover)
    if s.dice[die] == SPIRIT_JOKER:
        s.spirit -= 1
    face = joker_face(o, choice)
    s.dice[die] = face
    emit(log, E_JOKER, s.mover, face, 0, 0)
    if face == BALL:
        place_die(s, o, die, BALL, choice, log)
    elif face == KEEPER:
        place_die(s, o, die, KEEPER, choice - o.lines, log)
    elif face == SUPPORTER:
        if count_dice(s, o, s.mover, SUPPORTER) >= 2:
            throw_supporters(s, o, log)
    elif face == QUARTER:
        if s.loose == LOOSE or waiting_quarter(s, o, s.mover) >= 0:
            add_quarters(s, o, 1, log)
        else:
            s.dice[die] = QUARTER_ASIDE_NEW
            emit(log, E_QUARTER_ASIDE, s.mover, 0, 0, 0)
    elif face == YELLOW:
        show_yellow(s, log)
    elif face == RED:
        s.reds += 1


def use_bonus(s: State, o: Setup, action: int, log: Any) -> None:
    """Carry out an off-side, a red card or a free kick (gooaaaaal §7 to §9)."""
    if action < o.at_keep_offside:
        call_offside(s, o, action - o.at_offside, log)
    elif action < o.at_red:
        s.dice[named_die(s, o, s.mover, action - o.at_keep_offside, OFFSIDE)] = OFFSIDE_ASIDE
        emit(log, E_OFFSIDE_ASIDE, s.mover, 0, 0, 0)
    elif action == o.at_red:
        s.reds -= 1
        s.penalties[s.mover] += 1
        emit(log, E_RED_PENALTY, s.mover, s.penalties[s.mover], 0, 0)
    elif action < o.at_remove:
        s.reds -= 1
        s.phase = REMOVE
        emit(log, E_RED_DIE, s.mover, opponent_of(o, s.mover), 0, 0)
    else:
        kick_free(s, o, action - o.at_kick + 1, log)


def call_offside(s: State, o: Setup, slot: int, log: Any) -> None:
    """Take a ball from the line: both dice are thrown again by their owners, if they still throw (gooaaaaal §7)."""
    other = opponent_of(o, s.mover)
    s.dice[named_die(s, o, other, slot, BALL_PLACED)] = HAND
    s.dice[offside_die(s, o, s.mover)] = USED
    tidy(s, o, other)
    emit(log, E_OFFSIDE, s.mover, other, 0, 0)


def remove_die(s: State, o: Setup, number: int, log: Any) -> None:
    """Take a die out until the end of the game (gooaaaaal §8). Equal dice have no numbers: there the count is kept."""
    other = opponent_of(o, s.mover)
    s.dice[other * MAX_DICE + number] = OUT
    if o.named == 1:
        s.removed[other] += 1 << number
    else:
        s.removed[other] = 2 * s.removed[other] + 1
    tidy(s, o, other)
    s.phase = DECIDE
    emit(log, E_REMOVED, other, dice_in_game(s, o, other), 0, 0)


def kick_free(s: State, o: Setup, chosen: int, log: Any) -> None:
    """Throw the chosen dice at once. A free kick die among them is the one that is used up (gooaaaaal §9)."""
    at = s.mover * MAX_DICE
    used = first_die(s, o, s.mover, KICK)
    thrown = 0
    for die in range(o.dice):
        if (chosen >> die) & 1 == 1:
            if s.dice[at + die] == KICK:
                used = -1
            s.dice[at + die] = HAND
            thrown += 1
    if used >= 0:
        s.dice[used] = USED
    s.spirit = min(s.spirit, count_dice(s, o, s.mover, SPIRIT_JOKER))
    if s.loose == LOOSE and first_die(s, o, s.mover, QUARTER) < 0:
        s.loose = 0
    s.chained = 0
    emit(log, E_FREE_KICK, s.mover, thrown, 0, 0)
    start_rethrow(s)


def throw_on_or_stop(s: State, o: Setup, action: int, log: Any) -> None:
    """Throw on when the turn comes round, or do without the other throws of this period (gooaaaaal §2)."""
    if action == o.at_done + 2:
        seat = s.mover
        s.stopped[seat] = 1
        emit(log, E_STOP, seat, 0, 0, 0)
        die = first_die(s, o, seat, QUARTER_ASIDE)
        if o.members == 1 and die >= 0:
            s.dice[die] = HAND
            tidy(s, o, seat)
            emit(log, E_QUARTER_LOST, seat, 0, 0, 0)
    end_turn(s)
