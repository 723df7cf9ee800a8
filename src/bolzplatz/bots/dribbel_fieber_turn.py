"""The good player of Dribbel-Fieber: everything that the rest of its turn can lead to.

The search goes through every order of free action and cards that leads to a new position (those met before are passed
over), and looks at each end for the better of a shot, with its exact chances, and of leaving the ball where it is. It
belongs to the compiled subset, is too slow without being compiled, and moves the figures on the view it was given.
"""

from typing import Any, Final

from bolzplatz.bots.dribbel_fieber_worth import (
    BLUE_WORTH,
    CARD_WORTH,
    CHAIN,
    GOAL,
    KICK_OFF_WORTH,
    VOLLEY_WORTH,
    ball_worth,
    best_attack,
    coin_worth,
    end_worth,
    places_worth,
    shot_worth,
)
from bolzplatz.core.fast import wrap_mul
from bolzplatz.games.dribbel_fieber.codes import (
    BUY_AT,
    CHASE_AT,
    DISCARD_AT,
    DONE,
    FREE_AT,
    KICK_AT,
    MOVE_AT,
    NO_BUY,
    NO_SHOT,
    NUM_ACTIONS,
    PLACES,
    SHOOT_AT,
    STAY,
    VOLLEYS,
)
from bolzplatz.games.dribbel_fieber.moves import (
    NO_TEAM,
    defence_value,
    figure_may_move,
    has_ball,
    landing,
    shot_value,
    volleys_ready,
)
from bolzplatz.games.dribbel_fieber.pitch import SPACES, turned
from bolzplatz.games.dribbel_fieber.state import (
    BUY,
    CARDS,
    COLOURS,
    CROSS,
    DISCARD_COINS,
    DRIBBLING,
    FIGURES,
    HAND_LIMIT,
    KICK,
    KINDS,
    MAX_PATHS,
    PLAY,
    PRESSING,
    SHORT_PASS,
    SHOT,
    TURNS,
    VOLLEY,
)

# --- the search -------------------------------------------------------------------------------------------------

SLOTS: Final = 1 << 16
PROBES: Final = 8
ROOM: Final = 3 * SLOTS // 4
"""So many positions are looked at at most; hardly ever are there more."""
# Work memory, from NUM_ACTIONS on: the three cards, what the rest of the hand is worth for each set of used cards, all
# positions met (hashed), the queue of those to go on from, and the line of actions that leads to each.
ITERATIONS_AT: Final = NUM_ACTIONS
"""How many iterations the strong player makes; 0: as many as usual."""
CARD_AT: Final = ITERATIONS_AT + 1
REST_AT: Final = CARD_AT + HAND_LIMIT
SLOTS_AT: Final = REST_AT + (1 << HAND_LIMIT)
QUEUE_AT: Final = SLOTS_AT + SLOTS
LINE_AT: Final = QUEUE_AT + ROOM
BEST_AT: Final = LINE_AT + ROOM
MOST_ENDS: Final = 96
END_SIZE: Final = 3
END_KEY: Final = 0
END_LINE: Final = 1
END_WORTH: Final = 2
SEARCH_END: Final = BEST_AT + MOST_ENDS * END_SIZE
NO_LINE: Final = 0
LINE_BITS: Final = 12
LINE_MASK: Final = (1 << LINE_BITS) - 1
"""A line of up to four actions is one number: each action plus one in so many bits, the first one lowest."""
ALL_USED: Final = (1 << HAND_LIMIT) - 1
NONE_YET: Final = -(10**9)
_SPREAD: Final = 0x9E3779B97F4A7C15 - 2**64
_HASH_SHIFT: Final = 40
PIECES: Final = 2 * FIGURES + 1
"""Ten figures and the ball: a position is a number with so many digits in base 40, and the set of used cards on top."""
UNIT: Final = tuple(SPACES**i for i in range(PIECES + 1))
BALL: Final = PIECES - 1


def position_key(v: Any, used: int) -> int:
    """Return figures, ball and used cards as one number."""
    key: int = used * UNIT[PIECES] + v.ball * UNIT[BALL]
    for i in range(BALL):
        key += v.where[i] * UNIT[i]
    return key


def set_position(v: Any, key: int) -> int:
    """Put figures and ball where a number says; return the set of used cards."""
    for i in range(BALL):
        v.where[i] = key % SPACES
        key //= SPACES
    v.ball = key % SPACES
    return key // SPACES


def with_action(line: int, action: int) -> int:
    """Return a line with one more action at its end."""
    shift = 0
    while line >> shift > 0:
        shift += LINE_BITS
    return line | (action + 1) << shift


def note(work: Any, count: int, key: int, line: int) -> int:
    """Queue a position that was not met before and that `line` leads to; return how long the queue is then."""
    slot = (wrap_mul(key, _SPREAD) >> _HASH_SHIFT) & (SLOTS - 1)
    for i in range(PROBES):
        at = SLOTS_AT + ((slot + i) & (SLOTS - 1))
        if work[at] == key + 1:
            return count
        if work[at] == 0:
            work[at] = key + 1
            break
    if count == ROOM:
        return count
    work[QUEUE_AT + count] = key
    work[LINE_AT + count] = line
    return count + 1


def rest_worth(v: Any, o: Any, work: Any, used: int, must_discard: bool, eyes: int) -> int:
    """Return what the cards that are not played are worth: each is kept, or discarded for coins and a new one."""
    total = 0
    least = -NONE_YET
    for slot in range(HAND_LIMIT):
        card = work[CARD_AT + slot]
        if used >> slot & 1 == 1:
            continue
        kept = CARD_WORTH[eyes * KINDS + o.action[card]]
        changed = DISCARD_COINS * coin_worth(v, eyes)
        total += kept if kept > changed else changed
        loss = kept - changed if kept > changed else 0
        if loss < least:
            least = loss
    return total - least if must_discard else total


def lay_out_cards(v: Any, o: Any, seat: int, work: Any, eyes: int) -> int:
    """Lay the hand out in the work memory, with what it is worth; return the set of cards that are used already."""
    held = 0
    for card in range(CARDS):
        for _ in range(v.hand[seat * CARDS + card]):
            work[CARD_AT + held] = card
            held += 1
    used = ALL_USED - ((1 << held) - 1)
    for i in range(1 << HAND_LIMIT):
        if i & used == used:
            work[REST_AT + i] = rest_worth(v, o, work, i, i == used and v.played == 0, eyes)
    return used


def go_on(v: Any, o: Any, seat: int, work: Any, count: int, key: int, used: int, line: int) -> int:
    """Queue all positions to which one more card leads from this one; return how long the queue is then."""
    for slot in range(HAND_LIMIT):
        card = work[CARD_AT + slot]
        if used >> slot & 1 == 1 or (slot > 0 and used >> (slot - 1) & 1 == 0 and work[CARD_AT + slot - 1] == card):
            continue  # used, or like the card before it
        action = o.action[card]
        after = key + (UNIT[PIECES] << slot)
        if SHORT_PASS <= action <= CROSS:
            if has_ball(v, seat):
                count = queue_ways(v, o, seat, work, count, after, line, card, BALL)
            continue
        team = 1 - seat if action == PRESSING else seat
        for piece in range(team * FIGURES, (team + 1) * FIGURES):
            if figure_may_move(v, seat, action, v.where[piece]):
                count = queue_ways(v, o, seat, work, count, after, line, card, piece)
    return count


def queue_ways(v: Any, o: Any, seat: int, work: Any, count: int, key: int, line: int, card: int, piece: int) -> int:
    """Queue the positions to which a card leads with one piece; return how long the queue is then."""
    action = o.action[card]
    start = v.ball if piece == BALL else v.where[piece]
    team = NO_TEAM if piece == BALL else piece // FIGURES
    walls = 1 if action <= DRIBBLING else 0
    unit = UNIT[piece] + (UNIT[BALL] if action == DRIBBLING else 0)
    place = 0 if piece == BALL else piece % FIGURES * SPACES
    for i in range(o.paths[card]):
        space = landing(v, o, seat, team, start, o.path[card * MAX_PATHS + i], walls)
        if space >= 0:
            longer = with_action(line, MOVE_AT + card * PLACES + place + space)
            count = note(work, count, key + (space - start) * unit, longer)
    return count


def queue_first_actions(v: Any, seat: int, work: Any, n: int, used: int) -> int:
    """Queue the positions after each legal chase or free action, or where we stand; return how long the queue is."""
    here = position_key(v, used)
    if v.phase == PLAY:
        return note(work, 0, here, NO_LINE)
    count = 0
    for i in range(n):
        action = work[i]
        if action == STAY:
            count = note(work, count, here, with_action(NO_LINE, action))
        else:
            place = (action - CHASE_AT) * SPACES + v.ball if action < FREE_AT else action - FREE_AT
            piece = seat * FIGURES + place // SPACES
            count = note(
                work, count, here + (place % SPACES - v.where[piece]) * UNIT[piece], with_action(NO_LINE, action)
            )
    return count


def find_ends(v: Any, o: Any, seat: int, work: Any, n: int, best: int, eyes: int) -> int:
    """Go through all that the rest of the turn can lead to, and keep the ends worth most; return how many there are.

    `work` begins with the n legal actions. The keys, lines and worths of up to `best` ends, falling, are at BEST_AT.
    """
    for i in range(SLOTS_AT, SLOTS_AT + SLOTS):
        work[i] = 0
    used = lay_out_cards(v, o, seat, work, eyes)
    volleys = volleys_ready(v, seat)
    count = queue_first_actions(v, seat, work, n, used)
    found = 0
    at = 0
    while at < count:
        key = work[QUEUE_AT + at]
        line = work[LINE_AT + at]
        at += 1
        now_used = set_position(v, key)
        worth = end_worth(v, o, seat, volleys, eyes) + work[REST_AT + now_used]
        found = keep_end(work, found, best, key, line, worth)
        if now_used != ALL_USED:
            count = go_on(v, o, seat, work, count, key, now_used, line)
    return found


def keep_end(work: Any, found: int, best: int, key: int, line: int, worth: int) -> int:
    """Put an end among the best ones if it is one of them, behind those that are worth as much."""
    at = found
    if found == best:
        if worth <= work[BEST_AT + (best - 1) * END_SIZE + END_WORTH]:
            return found
        at = best - 1
    while at > 0 and work[BEST_AT + (at - 1) * END_SIZE + END_WORTH] < worth:
        for i in range(END_SIZE):
            work[BEST_AT + at * END_SIZE + i] = work[BEST_AT + (at - 1) * END_SIZE + i]
        at -= 1
    work[BEST_AT + at * END_SIZE + END_KEY] = key
    work[BEST_AT + at * END_SIZE + END_LINE] = line
    work[BEST_AT + at * END_SIZE + END_WORTH] = worth
    return found + 1 if found < best else found


def search(v: Any, o: Any, seat: int, work: Any, n: int, eyes: int) -> int:
    """Choose a chase, a free action or a card by looking at all that the rest of the turn can lead to."""
    find_ends(v, o, seat, work, n, 1, eyes)
    line = work[BEST_AT + END_LINE]
    return finish_cards(v, o, seat, eyes) if line == NO_LINE else (line & LINE_MASK) - 1


def finish_cards(v: Any, o: Any, seat: int, eyes: int) -> int:
    """Choose what becomes of the cards that are not played: discard the least useful, or be done."""
    worst = -1
    for card in range(CARDS):
        if v.hand[seat * CARDS + card] > 0 and (
            worst < 0 or CARD_WORTH[eyes * KINDS + o.action[card]] < CARD_WORTH[eyes * KINDS + o.action[worst]]
        ):
            worst = card
    gain = NONE_YET if worst < 0 else DISCARD_COINS * coin_worth(v, eyes) - CARD_WORTH[eyes * KINDS + o.action[worst]]
    return DONE if v.played > 0 and gain <= 0 else DISCARD_AT + worst


# --- buying, shooting, kicking ----------------------------------------------------------------------------------


def purchase_worth(v: Any, o: Any, seat: int, card: int, eyes: int) -> int:
    """Return what a Poldi card is worth beyond its price: a volley may help the shot that comes next."""
    action = o.action[KINDS + card]
    if action == VOLLEY:
        ready = volleys_ready(v, seat)
        worth: int = VOLLEY_WORTH[eyes] + end_worth(v, o, seat, ready + 1, eyes) - end_worth(v, o, seat, ready, eyes)
    else:
        worth = BLUE_WORTH[eyes * KINDS + action]
    price: int = o.poldi_price[card]
    return worth - price * coin_worth(v, eyes)


def purchase_choice(v: Any, o: Any, seat: int, actions: Any, n: int, eyes: int) -> int:
    """Choose what to buy, if anything is worth its price."""
    best = NO_BUY
    best_worth = 0
    for i in range(n):
        if actions[i] != NO_BUY:
            worth = purchase_worth(v, o, seat, actions[i] - BUY_AT, eyes)
            if worth > best_worth:
                best = actions[i]
                best_worth = worth
    return best


def goal_kick_worth(v: Any, o: Any, seat: int, eyes: int) -> int:
    """Return what a goal kick of the other side leaves to `seat`, the mean of all colours, each kicked at its best."""
    ball = v.ball
    total = 0
    for colour in range(1, COLOURS + 1):
        best = NONE_YET
        for space in range(SPACES):
            if o.colour[space] == colour and turned(1 - seat, space) < SPACES // 2:
                v.ball = space
                worth = ball_worth(v, o, 1 - seat, eyes)
                if worth > best:
                    best = worth
        total -= best
    v.ball = ball
    return total // COLOURS


def bounce_worth(v: Any, o: Any, seat: int, scored: int, again: int, missed: int, eyes: int) -> int:
    """Return what a bounce-back leaves to `seat`, the mean of all colours; `again`: what a further one would leave."""
    ball = v.ball
    total = 0
    for space in range(SPACES):
        if o.area[turned(1 - seat, space)] == 1:
            v.ball = space
            attack = best_attack(v, o, seat)
            if attack > 0:
                short = defence_value(v, o, seat) - attack - o.bonus[turned(seat, space)]
                total += shot_worth(short if short > 1 else 1, scored, again, missed)
            elif v.turn < TURNS:
                total -= ball_worth(v, o, 1 - seat, eyes)
    v.ball = ball
    return total // COLOURS


def shot_choice(v: Any, o: Any, seat: int, actions: Any, n: int, eyes: int) -> int:
    """Choose the shot that is worth most, or none: goals exactly by the die, the rest by what the position is worth.

    The places of the figures, and what a lost shot pays, are the same in all cases, but for a goal.
    """
    last = v.turn == TURNS
    scored = GOAL if last else GOAL - KICK_OFF_WORTH[eyes] + places_worth(v, o, 1 - seat, eyes)
    quiet = 0 if last else -ball_worth(v, o, 1 - seat, eyes)
    missed = 0 if last else goal_kick_worth(v, o, seat, eyes)
    again = missed
    for _ in range(CHAIN):
        again = bounce_worth(v, o, seat, scored, again, missed, eyes)
    best: int = actions[0]
    best_worth = NONE_YET
    for i in range(n):
        worth = quiet
        if actions[i] != NO_SHOT:
            volleys = (actions[i] - SHOOT_AT) % VOLLEYS
            value = shot_value(v, o, seat, (actions[i] - SHOOT_AT) // VOLLEYS, volleys)
            worth = shot_worth(value, scored, again, missed) - (0 if last else volleys * VOLLEY_WORTH[eyes])
        if worth > best_worth:
            best = actions[i]
            best_worth = worth
    return best


def kick_choice(v: Any, o: Any, seat: int, actions: Any, n: int, eyes: int) -> int:
    """Choose the goal kick after which the own turn is worth most."""
    best: int = actions[0]
    best_worth = NONE_YET
    for i in range(n):
        v.ball = actions[i] - KICK_AT
        worth = ball_worth(v, o, seat, eyes)
        if worth > best_worth:
            best = actions[i]
            best_worth = worth
    return best


def good_choice(v: Any, o: Any, seat: int, actions: Any, n: int, eyes: int) -> int:
    """Choose as the good player does."""
    if n == 1:
        only: int = actions[0]
        return only
    if v.phase == BUY:
        return purchase_choice(v, o, seat, actions, n, eyes)
    if v.phase == SHOT:
        return shot_choice(v, o, seat, actions, n, eyes)
    if v.phase == KICK:
        return kick_choice(v, o, seat, actions, n, eyes)
    return search(v, o, seat, actions, n, eyes)
