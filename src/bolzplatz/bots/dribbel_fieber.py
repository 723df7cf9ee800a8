"""Computer players of Dribbel-Fieber.

The random player draws lots. The child shoots whenever it may, with all it has, and otherwise runs at the ball: forward
with it, to it without it, and it buys the dearest card that it can pay.

The good player searches the whole rest of its turn: every order of free action and cards that leads to a new position
(those met before are passed over), and at each end the better of a shot, with its exact chances, and of leaving the
ball where it is. What a position is worth to the side that moves next is a sum of small tables in dribbel_fieber.toml,
in thousandths of a goal. The search is a function of the compiled subset, too slow without being compiled; it moves the
figures on the view that it was given.
"""

import tomllib
from importlib.resources import files
from typing import Any, Final

from bolzplatz.core.fast import below, wrap_mul
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
    attack_value,
    crowd,
    defence_value,
    figure_may_move,
    has_ball,
    in_opposing_area,
    in_opposing_half,
    landing,
    shot_value,
    volleys_ready,
)
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, ROWS, SPACES, turned
from bolzplatz.games.dribbel_fieber.state import (
    BUY,
    CARDS,
    COLOURS,
    CROSS,
    DIE_FACES,
    DISCARD_COINS,
    DRIBBLING,
    FIGURES,
    HAND_LIMIT,
    KEEPER,
    KICK,
    KINDS,
    MAX_PATHS,
    PLAY,
    PRESSING,
    RUNNING,
    SHORT_PASS,
    SHOT,
    TURNS,
    VOLLEY,
)

LEVELS: Final = ("random", "child", "good")
RANDOM: Final = 0
CHILD: Final = 1
COMPILED: Final = ("good",)

# --- the child --------------------------------------------------------------------------------------------------

TO_THE_BALL: Final = 10
"""What a child likes: each step toward the ball, to get there, to move the ball forward a row."""
THERE: Final = 5
FORWARD: Final = 100
NOTHING: Final = 1
"""Staying, being done with cards, buying nothing: better than any step back, worse than any step on."""


def steps_between(a: int, b: int) -> int:
    """Return how many spaces lie between two spaces, along columns and rows."""
    return abs(a % COLUMNS - b % COLUMNS) + abs(a // COLUMNS - b // COLUMNS)


def rows_gained(seat: int, start: int, space: int) -> int:
    """Return how many rows a way leads toward the opposing goal."""
    return turned(seat, space) // COLUMNS - turned(seat, start) // COLUMNS


def child_run(v: Any, seat: int, place: int) -> int:
    """Return what a run is worth to a child: how much nearer it brings the figure to the ball."""
    start = v.where[seat * FIGURES + place // SPACES]
    if start == v.ball:
        return -TO_THE_BALL
    left = steps_between(place % SPACES, v.ball)
    return TO_THE_BALL * (steps_between(start, v.ball) - left) + (THERE if left == 0 else 0)


def child_move(v: Any, o: Any, seat: int, card: int, place: int) -> int:
    """Return what a card on the pitch is worth to a child; a pass must reach somebody."""
    action = o.action[card]
    space = place % SPACES
    if action == RUNNING:
        return child_run(v, seat, place)
    if action == PRESSING:
        return NOTHING - 1
    gained: int = FORWARD * rows_gained(seat, v.ball, space)
    if action != DRIBBLING and crowd(v, seat, space) == 0:
        gained -= 2 * FORWARD
    return gained


def child_worth(v: Any, o: Any, seat: int, action: int) -> int:
    """Return what an action is worth to a child."""
    if FREE_AT <= action < STAY:
        return child_run(v, seat, action - FREE_AT)
    if MOVE_AT <= action < DISCARD_AT:
        return child_move(v, o, seat, (action - MOVE_AT) // PLACES, (action - MOVE_AT) % PLACES)
    if BUY_AT <= action < NO_BUY:
        price: int = o.poldi_price[action - BUY_AT]
        return NOTHING + 1 + price
    if SHOOT_AT <= action < NO_SHOT:
        figure = (action - SHOOT_AT) // VOLLEYS
        return FORWARD + attack_value(v, o, seat, figure, (action - SHOOT_AT) % VOLLEYS)
    if action >= KICK_AT:
        return FORWARD + turned(seat, action - KICK_AT) // COLUMNS
    return 0 if DISCARD_AT <= action < DONE else NOTHING


def child_choice(v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose what is worth most to a child, by lot where several things are."""
    best: int = actions[0]
    best_worth = child_worth(v, o, seat, best)
    equal = 1
    for i in range(1, n):
        worth = child_worth(v, o, seat, actions[i])
        if worth > best_worth:
            best = actions[i]
            best_worth = worth
            equal = 1
        elif worth == best_worth:
            equal += 1
            if below(rng, equal) == 0:
                best = actions[i]
    return best


# --- what a position is worth -----------------------------------------------------------------------------------

_DATA: Final[dict[str, Any]] = tomllib.loads(
    (files("bolzplatz.bots") / "dribbel_fieber.toml").read_text(encoding="utf-8")
)
GOAL: Final = 1000
CHAIN: Final = 4
"""So many bounce-backs in a row are counted; each further one is six times as rare at least."""
CLASSES: Final = 4
"""Figures are told apart by what they are good for: the keeper, then attack values 1, 2, 3."""
NEAR_ROWS: Final = 3
"""Beyond so many rows, and two columns, the distance from the ball does not matter."""
NEAR_COLUMNS: Final = 2


def _by_space(table: list[list[int]]) -> list[int]:
    """Spread a table of rows and columns from the middle over the spaces that a side sees."""
    return [table[space // COLUMNS][abs(space % COLUMNS - COLUMNS // 2)] for space in range(SPACES)]


def _flat_places() -> tuple[int, ...]:
    """Return what each figure is worth on each space, at (other * CLASSES + class) * SPACES + space as it sees it."""
    tables = [_DATA[side][ROWS * i : ROWS * (i + 1)] for side in ("own", "other") for i in range(CLASSES)]
    return tuple(worth for table in tables for worth in _by_space(table))


def _flat_distances() -> tuple[int, ...]:
    """Return what being near the ball is worth, at ((other * CLASSES + class) * SPACES + space) * SPACES + ball."""
    rows = 2 * NEAR_ROWS + 1
    found = []
    for side in ("near_own", "near_other"):
        for kind in range(CLASSES):
            table = _DATA[side][rows * kind : rows * (kind + 1)]
            for space in range(SPACES):
                for ball in range(SPACES):
                    ahead = space // COLUMNS - ball // COLUMNS
                    aside = min(abs(space % COLUMNS - ball % COLUMNS), NEAR_COLUMNS)
                    found.append(table[max(-NEAR_ROWS, min(NEAR_ROWS, ahead)) + NEAR_ROWS][aside])
    return tuple(found)


BALL_WORTH: Final = tuple(_by_space(_DATA["ball"]))
PLACE_WORTH: Final = _flat_places()
NEAR_WORTH: Final = _flat_distances()
CARD_WORTH: Final[tuple[int, ...]] = tuple(_DATA["cards"])
"""What it is worth to hold a card of each kind when the next turn begins."""
MEAN_CARD: Final[int] = _DATA["mean_card"]
BLUE_WORTH: Final[tuple[int, ...]] = tuple(_DATA["blue"])
"""What it is worth to have bought a card of each kind."""
COIN_WORTH: Final[int] = _DATA["coin"]
"""At the start of the match; in the end coins buy nothing."""
VOLLEY_WORTH: Final[int] = _DATA["volley"]
KICK_OFF_WORTH: Final[int] = _DATA["kick_off"]
"""To the side that kicks off."""
GOAL_KICK_WORTH: Final[int] = _DATA["goal_kick"]
"""To the side that takes it, apart from what the places of the figures are worth."""
BOUNCE_WORTH: Final[int] = _DATA["bounce"]
"""To the defender, if nobody can shoot again, apart from what the places of the figures are worth."""


def coin_worth(v: Any) -> int:
    """Return what a coin is worth as late as it is."""
    worth: int = COIN_WORTH * (TURNS - v.turn) // TURNS
    return worth


def class_of(o: Any, figure: int) -> int:
    """Return the class of a figure: 0 for the keeper, else its attack value."""
    attack: int = o.attack[figure]
    return 0 if figure == KEEPER else attack


def places_worth(v: Any, o: Any, mover: int) -> int:
    """Return what the places of all figures are worth to the side that moves next, wherever the ball is."""
    total = 0
    for team in range(2):
        side = 0 if team == mover else CLASSES
        for figure in range(FIGURES):
            space = turned(team, v.where[team * FIGURES + figure])
            total += PLACE_WORTH[(side + class_of(o, figure)) * SPACES + space]
    return total


def ball_worth(v: Any, o: Any, mover: int) -> int:
    """Return what the place of the ball is worth to the side that moves next: by itself, and near to whom."""
    total = BALL_WORTH[turned(mover, v.ball)]
    for team in range(2):
        side = 0 if team == mover else CLASSES
        ball = turned(team, v.ball)
        for figure in range(FIGURES):
            space = turned(team, v.where[team * FIGURES + figure])
            total += NEAR_WORTH[((side + class_of(o, figure)) * SPACES + space) * SPACES + ball]
    return total


def shot_worth(value: int, scored: int, again: int, missed: int) -> int:
    """Return what a shot with this value is worth by its exact chances: a goal, a bounce-back, a miss (§6)."""
    over = DIE_FACES - value if value < DIE_FACES else 0
    equal = 1 if value <= DIE_FACES else 0
    return (over * scored + equal * again + (DIE_FACES - over - equal) * missed) // DIE_FACES


def best_attack(v: Any, o: Any, seat: int) -> int:
    """Return the highest attack value of a figure of the side that is at the ball, 0 if none is."""
    best: int = 0
    for figure in range(FIGURES):
        if v.where[seat * FIGURES + figure] == v.ball and o.attack[figure] > best:
            best = o.attack[figure]
    return best


def end_worth(v: Any, o: Any, seat: int, volleys: int) -> int:
    """Return what it is worth to `seat` to end its turn here, shooting or not, whichever it would rather or must.

    A rough guess of what follows a bounce-back or a miss will do here; `shot_choice` knows it better.
    """
    last = v.turn == TURNS
    places = 0 if last else places_worth(v, o, 1 - seat)
    attack = best_attack(v, o, seat) if in_opposing_half(v, seat) else 0
    if attack == 0:
        return 0 if last else -places - ball_worth(v, o, 1 - seat)
    missed = 0 if last else -places - GOAL_KICK_WORTH
    again = 0 if last else -places - BOUNCE_WORTH
    short = defence_value(v, o, seat) - attack - o.bonus[turned(seat, v.ball)]
    scored = GOAL if last else GOAL - KICK_OFF_WORTH
    best = shot_worth(short if short > 1 else 1, scored, again, missed)
    for spent in range(1, volleys + 1):
        if short - spent >= 1:
            worth = shot_worth(short - spent, scored, again, missed) - (0 if last else spent * VOLLEY_WORTH)
            if worth > best:
                best = worth
    if not last and not in_opposing_area(v, o, seat):
        quiet = -places - ball_worth(v, o, 1 - seat)
        if quiet > best:
            best = quiet
    return best


# --- the search -------------------------------------------------------------------------------------------------

SLOTS: Final = 1 << 16
PROBES: Final = 8
ROOM: Final = 3 * SLOTS // 4
"""So many positions are looked at at most; hardly ever are there more."""
# Work memory, from NUM_ACTIONS on: the three cards, what the rest of the hand is worth for each set of used cards, all
# positions met (hashed), the queue of those to go on from, and which action each of them began with.
CARD_AT: Final = NUM_ACTIONS
REST_AT: Final = CARD_AT + HAND_LIMIT
SLOTS_AT: Final = REST_AT + (1 << HAND_LIMIT)
QUEUE_AT: Final = SLOTS_AT + SLOTS
ROOT_AT: Final = QUEUE_AT + ROOM
WORK: Final = ROOT_AT + ROOM - NUM_ACTIONS
NO_ROOT: Final = -1
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


def note(work: Any, count: int, key: int, root: int) -> int:
    """Queue a position that was not met before and that `root` led to; return how long the queue is then."""
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
    work[ROOT_AT + count] = root
    return count + 1


def rest_worth(v: Any, o: Any, work: Any, used: int, must_discard: bool) -> int:
    """Return what the cards that are not played are worth: each is kept, or discarded for coins and a new one."""
    total = 0
    least = -NONE_YET
    for slot in range(HAND_LIMIT):
        card = work[CARD_AT + slot]
        if used >> slot & 1 == 1:
            total += MEAN_CARD
            continue
        kept = CARD_WORTH[o.action[card]]
        changed = MEAN_CARD + DISCARD_COINS * coin_worth(v)
        total += kept if kept > changed else changed
        loss = kept - changed if kept > changed else 0
        if loss < least:
            least = loss
    return total - least if must_discard else total


def prepare(v: Any, o: Any, seat: int, work: Any) -> int:
    """Lay out the work memory for a search; return the set of cards that are used already."""
    for i in range(SLOTS_AT, SLOTS_AT + SLOTS):
        work[i] = 0
    held = 0
    for card in range(CARDS):
        for _ in range(v.hand[seat * CARDS + card]):
            work[CARD_AT + held] = card
            held += 1
    used = ALL_USED - ((1 << held) - 1)
    for i in range(1 << HAND_LIMIT):
        if i & used == used:
            work[REST_AT + i] = rest_worth(v, o, work, i, i == used and v.played == 0)
    return used


def go_on(v: Any, o: Any, seat: int, work: Any, count: int, key: int, used: int, root: int) -> int:
    """Queue all positions to which one more card leads from this one; return how long the queue is then."""
    for slot in range(HAND_LIMIT):
        card = work[CARD_AT + slot]
        if used >> slot & 1 == 1 or (slot > 0 and used >> (slot - 1) & 1 == 0 and work[CARD_AT + slot - 1] == card):
            continue  # used, or like the card before it
        action = o.action[card]
        after = key + (UNIT[PIECES] << slot)
        if SHORT_PASS <= action <= CROSS:
            if has_ball(v, seat):
                count = queue_ways(v, o, seat, work, count, after, root, card, BALL)
            continue
        team = 1 - seat if action == PRESSING else seat
        for piece in range(team * FIGURES, (team + 1) * FIGURES):
            if figure_may_move(v, seat, action, v.where[piece]):
                count = queue_ways(v, o, seat, work, count, after, root, card, piece)
    return count


def queue_ways(v: Any, o: Any, seat: int, work: Any, count: int, key: int, root: int, card: int, piece: int) -> int:
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
            first = MOVE_AT + card * PLACES + place + space if root == NO_ROOT else root
            count = note(work, count, key + (space - start) * unit, first)
    return count


def queue_first_actions(v: Any, seat: int, work: Any, n: int, used: int) -> int:
    """Queue the positions after each legal chase or free action, or where we stand; return how long the queue is."""
    here = position_key(v, used)
    if v.phase == PLAY:
        return note(work, 0, here, NO_ROOT)
    count = 0
    for i in range(n):
        action = work[i]
        if action == STAY:
            count = note(work, count, here, action)
        else:
            place = (action - CHASE_AT) * SPACES + v.ball if action < FREE_AT else action - FREE_AT
            piece = seat * FIGURES + place // SPACES
            count = note(work, count, here + (place % SPACES - v.where[piece]) * UNIT[piece], action)
    return count


def search(v: Any, o: Any, seat: int, work: Any, n: int) -> int:
    """Choose a chase, a free action or a card by looking at all that the rest of the turn can lead to.

    `work` begins with the n legal actions; see above for what lies behind them.
    """
    used = prepare(v, o, seat, work)
    volleys = volleys_ready(v, seat)
    count = queue_first_actions(v, seat, work, n, used)
    best = NO_ROOT
    best_worth = NONE_YET
    at = 0
    while at < count:
        key = work[QUEUE_AT + at]
        root = work[ROOT_AT + at]
        at += 1
        now_used = set_position(v, key)
        worth = end_worth(v, o, seat, volleys) + work[REST_AT + now_used]
        if worth > best_worth:
            best = root
            best_worth = worth
        if now_used != ALL_USED:
            count = go_on(v, o, seat, work, count, key, now_used, root)
    return finish_cards(v, o, work, used) if best == NO_ROOT else best


def finish_cards(v: Any, o: Any, work: Any, used: int) -> int:
    """Choose what becomes of the cards that are not played: discard the least useful, or be done."""
    worst = -1
    for slot in range(HAND_LIMIT):
        if used >> slot & 1 == 0:
            card = work[CARD_AT + slot]
            if worst < 0 or CARD_WORTH[o.action[card]] < CARD_WORTH[o.action[worst]]:
                worst = card
    gain = NONE_YET if worst < 0 else MEAN_CARD + DISCARD_COINS * coin_worth(v) - CARD_WORTH[o.action[worst]]
    return DONE if v.played > 0 and gain <= 0 else DISCARD_AT + worst


# --- buying, shooting, kicking ----------------------------------------------------------------------------------


def purchase_worth(v: Any, o: Any, seat: int, card: int) -> int:
    """Return what a Poldi card is worth beyond its price: a volley may help the shot that comes next."""
    action = o.action[KINDS + card]
    if action == VOLLEY:
        ready = volleys_ready(v, seat)
        worth: int = VOLLEY_WORTH + end_worth(v, o, seat, ready + 1) - end_worth(v, o, seat, ready)
    else:
        worth = BLUE_WORTH[action]
    price: int = o.poldi_price[card]
    return worth - price * coin_worth(v)


def purchase_choice(v: Any, o: Any, seat: int, actions: Any, n: int) -> int:
    """Choose what to buy, if anything is worth its price."""
    best = NO_BUY
    best_worth = 0
    for i in range(n):
        if actions[i] != NO_BUY:
            worth = purchase_worth(v, o, seat, actions[i] - BUY_AT)
            if worth > best_worth:
                best = actions[i]
                best_worth = worth
    return best


def goal_kick_worth(v: Any, o: Any, seat: int) -> int:
    """Return what a goal kick of the other side leaves to `seat`, the mean of all colours, each kicked at its best."""
    ball = v.ball
    total = 0
    for colour in range(1, COLOURS + 1):
        best = NONE_YET
        for space in range(SPACES):
            if o.colour[space] == colour and turned(1 - seat, space) < SPACES // 2:
                v.ball = space
                worth = ball_worth(v, o, 1 - seat)
                if worth > best:
                    best = worth
        total -= best
    v.ball = ball
    return total // COLOURS


def bounce_worth(v: Any, o: Any, seat: int, scored: int, again: int, missed: int) -> int:
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
                total -= ball_worth(v, o, 1 - seat)
    v.ball = ball
    return total // COLOURS


def shot_choice(v: Any, o: Any, seat: int, actions: Any, n: int) -> int:
    """Choose the shot that is worth most, or none: goals exactly by the die, the rest by what the position is worth.

    The places of the figures, and what a lost shot pays, are the same in all cases, but for a goal.
    """
    last = v.turn == TURNS
    scored = GOAL if last else GOAL - KICK_OFF_WORTH + places_worth(v, o, 1 - seat)
    quiet = 0 if last else -ball_worth(v, o, 1 - seat)
    missed = 0 if last else goal_kick_worth(v, o, seat)
    again = missed
    for _ in range(CHAIN):
        again = bounce_worth(v, o, seat, scored, again, missed)
    best: int = actions[0]
    best_worth = NONE_YET
    for i in range(n):
        worth = quiet
        if actions[i] != NO_SHOT:
            volleys = (actions[i] - SHOOT_AT) % VOLLEYS
            value = shot_value(v, o, seat, (actions[i] - SHOOT_AT) // VOLLEYS, volleys)
            worth = shot_worth(value, scored, again, missed) - (0 if last else volleys * VOLLEY_WORTH)
        if worth > best_worth:
            best = actions[i]
            best_worth = worth
    return best


def kick_choice(v: Any, o: Any, seat: int, actions: Any, n: int) -> int:
    """Choose the goal kick after which the own turn is worth most."""
    best: int = actions[0]
    best_worth = NONE_YET
    for i in range(n):
        v.ball = actions[i] - KICK_AT
        worth = ball_worth(v, o, seat)
        if worth > best_worth:
            best = actions[i]
            best_worth = worth
    return best


def good_choice(v: Any, o: Any, seat: int, actions: Any, n: int) -> int:
    """Choose as the good player does."""
    if n == 1:
        only: int = actions[0]
        return only
    if v.phase == BUY:
        return purchase_choice(v, o, seat, actions, n)
    if v.phase == SHOT:
        return shot_choice(v, o, seat, actions, n)
    if v.phase == KICK:
        return kick_choice(v, o, seat, actions, n)
    return search(v, o, seat, actions, n)


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal actions[:n]; `v` is what the seat may see, and the good player works on it."""
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    elif level == CHILD:
        pick = child_choice(v, o, seat, actions, n, rng)
    else:
        pick = good_choice(v, o, seat, actions, n)
    return pick
