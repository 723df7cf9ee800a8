"""The strong player of Dribbel-Fieber: information-set Monte Carlo tree search over the rest of its turn.

The branches of the tree are the ends of the turn that are worth most to its fitted eyes, the best first; the more often
the root is visited, the more of them are open (progressive widening). One iteration draws the hidden cards anew
(`resample`), chooses a branch, plays the turn out by the rules, lets the turns that follow be answered with the best
that a narrow search finds in the hand that its side was dealt, and evaluates where the last of them ends. Attack dice
are not thrown but counted by their chances. Values are chances to win, a tie counting half, in POINTS-ths.

The n-th visit of every branch draws the same cards, so that branches differ by what is done in them and not by luck.
What the search finds in a branch counts as much as what the evaluation saw there at once: they err in different ways.
Over 350 ends of 70 positions, each played on 36 times, either told as much as the other of what came of an end.
All functions but `merge` belong to the compiled subset.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

from bolzplatz.bots.dribbel_fieber_turn import (
    ALL_USED,
    BALL,
    BEST_AT,
    CARD_AT,
    END_KEY,
    END_LINE,
    END_SIZE,
    END_WORTH,
    ITERATIONS_AT,
    LINE_BITS,
    LINE_MASK,
    MOST_ENDS,
    NO_LINE,
    NONE_YET,
    PIECES,
    REST_AT,
    SEARCH_END,
    UNIT,
    find_ends,
    finish_cards,
    kick_choice,
    lay_out_cards,
    position_key,
    purchase_choice,
    set_position,
    shot_choice,
    with_action,
)
from bolzplatz.bots.dribbel_fieber_worth import (
    BOUNCE_WORTH,
    CARD_WORTH,
    CLASSES,
    FITTED,
    GOAL,
    GOAL_KICK_WORTH,
    KICK_OFF_WORTH,
    NEAR_WORTH,
    NO_SHOT_HERE,
    PLACE_WORTH,
    VOLLEY_WORTH,
    ball_worth,
    class_of,
    coin_worth,
    last_worth,
    places_worth,
    shot_short,
    shot_worth,
    worth_given,
)
from bolzplatz.core.fast import below, start_stream
from bolzplatz.core.kernels import apply, draw_outcome, legal
from bolzplatz.games.dribbel_fieber.codes import CHASE_AT, FREE_AT, MOVE_AT, PLACES, STAY
from bolzplatz.games.dribbel_fieber.moves import (
    NO_TEAM,
    figure_may_move,
    has_ball,
    in_opposing_area,
    landing,
    volleys_ready,
)
from bolzplatz.games.dribbel_fieber.pitch import SPACES, turned
from bolzplatz.games.dribbel_fieber.play import resample
from bolzplatz.games.dribbel_fieber.state import (
    BUY,
    CARDS,
    CHASE,
    CROSS,
    DIE_FACES,
    DRIBBLING,
    FIGURES,
    HAND_LIMIT,
    KICK,
    KINDS,
    MAX_PATHS,
    OVER,
    PLAY,
    POLDIS,
    PRESSING,
    ROLL,
    SHORT_PASS,
    SHOT,
    TURNS,
)

# --- chances to win -----------------------------------------------------------------------------------------------

POINTS: Final = 100_000
SPREAD: Final = 0.48
"""Standard deviation of the goal difference of one turn."""
STEP: Final = 50
FAR: Final = 4000
CELLS: Final = 2 * FAR // STEP + 1
TRUST: Final = (0, 6, 8, 10)
"""How many tenths of a position's worth, which looks four turns ahead, count with that many turns left."""


def _chances() -> tuple[int, ...]:
    """Return the chance to win at turns left * CELLS + (goals ahead in thousandths + FAR) / STEP."""
    found = []
    for left in range(TURNS + 1):
        for cell in range(CELLS):
            ahead = (cell * STEP - FAR) / GOAL
            if left == 0:
                found.append(POINTS * (1 + (ahead > 0.5) - (ahead < -0.5)) // 2)
            else:
                found.append(round(POINTS * (1 + math.erf(ahead / (SPREAD * math.sqrt(2 * left)))) / 2))
    return tuple(found)


CHANCES: Final = _chances()


def chance_to_win(left: int, ahead: int, worth: int) -> int:
    """Return a side's chance to win that is so many goals ahead in a position of that worth, `left` turns to go."""
    tenths = TRUST[left] if left < len(TRUST) else 10
    over_all = GOAL * ahead + worth * tenths // 10 + FAR
    if over_all < 0:
        over_all = 0
    if over_all >= 2 * FAR:
        over_all = 2 * FAR - 1
    cell = left * CELLS + over_all // STEP
    below_it: int = CHANCES[cell]
    return below_it + (CHANCES[cell + 1] - below_it) * (over_all % STEP) // STEP


# --- work memory --------------------------------------------------------------------------------------------------

WHOLE: Final = 6**6
"""The weight of an iteration; what is left of it after the goals that were counted goes on."""
BRANCHES: Final = MOST_ENDS
ANSWERS: Final = 2
"""Turns that follow the own one: the other side's, and the own next one, which ends in an evaluation."""
FIRST_BRANCHES: Final = 3
EXPLORE: Final = 700
ITERATIONS: Final = 3000
"""Of a decision in mass play, what a core does in about a tenth of a second."""
BEAM: Final = 6
"""Positions from which an answer goes on, after each card."""
SAVED_AT: Final = SEARCH_END
SAVED: Final = 256
WEIGHT_AT: Final = SAVED_AT + SAVED
GAINED_AT: Final = WEIGHT_AT + 1
REPLY_AT: Final = GAINED_AT + 1
REPLY_LINE_AT: Final = REPLY_AT + 1
REPLY_WORTH_AT: Final = REPLY_AT + 2
BEAM_AT: Final = REPLY_AT + 3
"""Two generations of positions, each of END_SIZE numbers."""
BRANCH_AT: Final = BEAM_AT + 2 * BEAM * END_SIZE
"""The branches of the root: what is done, how often it was tried, the sum of what came of it, and by how much the
evaluation alone likes it less than the first one."""
BRANCH_SIZE: Final = 4
DOES: Final = 0
VISITS: Final = 1
SUM: Final = 2
BEHIND: Final = 3
COUNT_AT: Final = BRANCH_AT + BRANCHES * BRANCH_SIZE
TOTAL_AT: Final = COUNT_AT + 1
TREE_END: Final = TOTAL_AT + 1


def exchange(a: Any, work: Any, at: int, size: int, save: int) -> int:
    """Copy an array into the work memory, or back; return where the next one goes."""
    for i in range(size):
        if save == 1:
            work[at + i] = a[i]
        else:
            a[i] = work[at + i]
    return at + size


def exchange_arrays(v: Any, work: Any, save: int) -> int:
    """Copy all arrays of a view that is seen into the work memory, or back; return where numbers go."""
    at = exchange(v.where, work, SAVED_AT, 2 * FIGURES, save)
    at = exchange(v.goals, work, at, 2, save)
    at = exchange(v.coins, work, at, 2, save)
    at = exchange(v.hand, work, at, 2 * CARDS, save)
    at = exchange(v.held, work, at, 2, save)
    at = exchange(v.known, work, at, 2 * CARDS, save)
    at = exchange(v.discard, work, at, 2 * CARDS, save)
    return exchange(v.poldi, work, at, POLDIS, save)


def save_view(v: Any, work: Any) -> None:
    """Keep a view in the work memory; piles are empty in it."""
    at = exchange_arrays(v, work, 1)
    work[at] = v.phase
    work[at + 1] = v.turn
    work[at + 2] = v.attacker
    work[at + 3] = v.ball
    work[at + 4] = v.played
    work[at + 5] = v.bought
    work[at + 6] = v.shots
    work[at + 7] = v.shooter
    work[at + 8] = v.shot_value
    work[at + 9] = v.colour


def restore_view(v: Any, work: Any) -> None:
    """Bring a view back as it was kept."""
    at = exchange_arrays(v, work, 0)
    v.phase = work[at]
    v.turn = work[at + 1]
    v.attacker = work[at + 2]
    v.ball = work[at + 3]
    v.played = work[at + 4]
    v.bought = work[at + 5]
    v.shots = work[at + 6]
    v.shooter = work[at + 7]
    v.shot_value = work[at + 8]
    v.colour = work[at + 9]


# --- playing on by the rules --------------------------------------------------------------------------------------


def go(v: Any, o: Any, action: int) -> None:
    """Carry out one action or outcome."""
    apply(v, o, action, None)


def play_line(v: Any, o: Any, line: int) -> None:
    """Carry out a line, then see to the cards that are left."""
    seat = v.attacker
    left = line
    while left > 0:
        go(v, o, (left & LINE_MASK) - 1)
        left >>= LINE_BITS
    while v.phase == PLAY:
        go(v, o, finish_cards(v, o, seat, FITTED))


def quick_choice(v: Any, o: Any, seat: int, work: Any) -> int:
    """Choose as the good player would with fitted eyes, where it need not search."""
    n = legal(v, o, seat, work)
    if n == 1:
        only: int = work[0]
        return only
    if v.phase == BUY:
        return purchase_choice(v, o, seat, work, n, FITTED)
    ball = v.ball
    pick = shot_choice(v, o, seat, work, n, FITTED) if v.phase == SHOT else kick_choice(v, o, seat, work, n, FITTED)
    v.ball = ball
    return pick


def finish_turn(v: Any, o: Any, me: int, work: Any, rng: Any) -> None:
    """Play on from the purchase to the end of the turn; goals are counted by their chances, and none is scored."""
    while (v.phase >= BUY and v.phase != OVER) or v.phase < CHASE:
        if v.phase == ROLL:
            roll_without_goal(v, o, me, work, rng)
        elif v.phase == BUY or v.phase == SHOT:
            go(v, o, quick_choice(v, o, v.attacker, work))
        elif v.phase == KICK:
            go(v, o, quick_choice(v, o, 1 - v.attacker, work))
        else:
            go(v, o, draw_outcome(v, o, rng, work))


def roll_without_goal(v: Any, o: Any, me: int, work: Any, rng: Any) -> None:
    """Count the goals among the faces of the attack die, and go on with one of the other faces."""
    others = v.shot_value if v.shot_value < DIE_FACES else DIE_FACES
    part = work[WEIGHT_AT] * (DIE_FACES - others) // DIE_FACES
    work[WEIGHT_AT] -= part
    work[GAINED_AT] += part * goal_chance(v, me)
    go(v, o, below(rng, others))


def goal_chance(v: Any, me: int) -> int:
    """Return the chance to win of `me` if the attacker scores now."""
    left = TURNS - v.turn
    sign = 1 if v.attacker == me else -1
    ahead = v.goals[me] - v.goals[1 - me] + sign
    return chance_to_win(left, ahead, holdings(v, me) - sign * KICK_OFF_WORTH[FITTED])


def holdings(v: Any, me: int) -> int:
    """Return what coins and volleys of `me` are worth, less those of the other side."""
    coins = v.coins[me] - v.coins[1 - me]
    ready: int = volleys_ready(v, me) - volleys_ready(v, 1 - me)
    worth: int = coins * coin_worth(v, FITTED) + ready * VOLLEY_WORTH[FITTED]
    return worth


def hand_worth(v: Any, o: Any, seat: int) -> int:
    """Return what the cards in a hand are worth."""
    total = 0
    for card in range(CARDS):
        if v.hand[seat * CARDS + card] > 0:
            total += v.hand[seat * CARDS + card] * CARD_WORTH[FITTED * KINDS + o.action[card]]
    return total


# --- the answer ---------------------------------------------------------------------------------------------------


def answer(v: Any, o: Any, seat: int, work: Any) -> None:
    """Find about the best that `seat`, whose turn begins, can do: a search that goes on from a few positions alone.

    REPLY_AT: key, line, worth.
    """
    work[REPLY_WORTH_AT] = NONE_YET
    used = lay_out_cards(v, o, seat, work, FITTED)
    volleys = volleys_ready(v, seat)
    last = v.turn == TURNS
    places = places_worth(v, o, 1 - seat, FITTED)
    near = ball_worth(v, o, 1 - seat, FITTED)
    here = position_key(v, used)
    n = legal(v, o, seat, work)
    count = 0
    old = BEAM_AT
    new = BEAM_AT + BEAM * END_SIZE
    for i in range(n):
        action = work[i]
        if action == STAY:
            count = weigh(v, o, seat, work, old, count, volleys, last, here, NO_LINE, action, used, places, near)
        else:
            place = (action - CHASE_AT) * SPACES + v.ball if action < FREE_AT else action - FREE_AT
            piece = seat * FIGURES + place // SPACES
            start = v.where[piece]
            to = place % SPACES
            closer = near + near_change(v, o, 1 - seat, piece, start, to)
            better = places + place_change(o, 1 - seat, piece, start, to)
            v.where[piece] = to
            key = here + (to - start) * UNIT[piece]
            count = weigh(v, o, seat, work, old, count, volleys, last, key, NO_LINE, action, used, better, closer)
            v.where[piece] = start
    for _ in range(HAND_LIMIT):
        fresh = 0
        for i in range(count):
            key = work[old + i * END_SIZE + END_KEY]
            line = work[old + i * END_SIZE + END_LINE]
            now_used = set_position(v, key)
            if now_used != ALL_USED:
                fresh = widen(v, o, seat, work, new, fresh, volleys, last, key, line, now_used)
        count = fresh
        swap = old
        old = new
        new = swap


def widen(
    v: Any, o: Any, seat: int, work: Any, at: int, count: int, volleys: int, last: bool, key: int, line: int, used: int
) -> int:
    """Weigh all positions to which one more card leads from this one; return how many are in the new generation."""
    places = places_worth(v, o, 1 - seat, FITTED)
    near = ball_worth(v, o, 1 - seat, FITTED)
    for slot in range(HAND_LIMIT):
        card = work[CARD_AT + slot]
        if used >> slot & 1 == 1 or (slot > 0 and used >> (slot - 1) & 1 == 0 and work[CARD_AT + slot - 1] == card):
            continue
        action = o.action[card]
        after = key + (UNIT[PIECES] << slot)
        now_used = used | 1 << slot
        base = MOVE_AT + card * PLACES
        if SHORT_PASS <= action <= CROSS:
            if has_ball(v, seat):
                ball = v.ball
                for i in range(o.paths[card]):
                    to = landing(v, o, seat, NO_TEAM, ball, o.path[card * MAX_PATHS + i], 0)
                    if to >= 0:
                        v.ball = to
                        count = weigh(
                            v, o, seat, work, at, count, volleys, last, after + (to - ball) * UNIT[BALL], line,
                            base + to, now_used, places, ball_worth(v, o, 1 - seat, FITTED),
                        )  # fmt: skip
                        v.ball = ball
            continue
        team = 1 - seat if action == PRESSING else seat
        walls = 0 if action == PRESSING else 1
        for figure in range(FIGURES):
            piece = team * FIGURES + figure
            start = v.where[piece]
            if not figure_may_move(v, seat, action, start):
                continue
            ball = v.ball
            for i in range(o.paths[card]):
                to = landing(v, o, seat, team, start, o.path[card * MAX_PATHS + i], walls)
                if to < 0:
                    continue
                better = places + place_change(o, 1 - seat, piece, start, to)
                closer = near + near_change(v, o, 1 - seat, piece, start, to)
                v.where[piece] = to
                there = after + (to - start) * UNIT[piece]
                if action == DRIBBLING:
                    v.ball = to
                    there += (to - ball) * UNIT[BALL]
                    closer = ball_worth(v, o, 1 - seat, FITTED)
                does = base + figure * SPACES + to
                count = weigh(v, o, seat, work, at, count, volleys, last, there, line, does, now_used, better, closer)
                v.where[piece] = start
                v.ball = ball
    return count


def place_change(o: Any, mover: int, piece: int, start: int, to: int) -> int:
    """Return by how much a move of one figure changes what the places are worth to the side that moves next."""
    team = piece // FIGURES
    side = 0 if team == mover else CLASSES
    table = (side + class_of(o, piece % FIGURES)) * SPACES
    return PLACE_WORTH[table + turned(team, to)] - PLACE_WORTH[table + turned(team, start)]


def near_change(v: Any, o: Any, mover: int, piece: int, start: int, to: int) -> int:
    """Return by how much a move of one figure changes what the place of the ball is worth to the side that is next."""
    team = piece // FIGURES
    side = 0 if team == mover else CLASSES
    table = (side + class_of(o, piece % FIGURES)) * SPACES
    ball = turned(team, v.ball)
    before: int = NEAR_WORTH[(table + turned(team, start)) * SPACES + ball]
    return NEAR_WORTH[(table + turned(team, to)) * SPACES + ball] - before


def weigh(
    v: Any, o: Any, seat: int, work: Any, at: int, count: int, volleys: int, last: bool, key: int, line: int,
    action: int, used: int, places: int, near: int,
) -> int:  # fmt: skip
    """Weigh the position as an end, and keep it in the new generation if it is among the best; return how many are."""
    worth = worth_given(v, o, seat, volleys, places, near, FITTED) + work[REST_AT + used]
    ending = last_worth(v, o, seat, volleys) if last else worth
    if ending > work[REPLY_WORTH_AT]:
        work[REPLY_WORTH_AT] = ending
        work[REPLY_AT] = key
        work[REPLY_LINE_AT] = with_action(line, action)
    least = -NONE_YET
    where = 0
    for i in range(count):
        if work[at + i * END_SIZE + END_KEY] == key:
            return count
        if work[at + i * END_SIZE + END_WORTH] < least:
            least = work[at + i * END_SIZE + END_WORTH]
            where = i
    if count < BEAM:
        where = count
    elif worth <= least:
        return count
    work[at + where * END_SIZE + END_KEY] = key
    work[at + where * END_SIZE + END_LINE] = with_action(line, action)
    work[at + where * END_SIZE + END_WORTH] = worth
    return count + 1 if count < BEAM else count


def end_chance(v: Any, o: Any, me: int, seat: int, rest: int) -> int:
    """Return the chance to win of `me` if `seat` ends its turn here, with a shot or without, as it likes best."""
    sign = 1 if seat == me else -1
    left = TURNS - v.turn
    ahead = sign * (v.goals[me] - v.goals[1 - me])
    held = sign * holdings(v, me) + rest - hand_worth(v, o, 1 - seat)
    places = places_worth(v, o, 1 - seat, FITTED)
    best = chance_to_win(left, ahead, held - places - ball_worth(v, o, 1 - seat, FITTED))
    short = shot_short(v, o, seat)
    if short != NO_SHOT_HERE:
        if in_opposing_area(v, o, seat):
            best = -1
        for spent in range(volleys_ready(v, seat) + 1):
            kept = held - spent * VOLLEY_WORTH[FITTED]
            scored = chance_to_win(left, ahead + 1, kept - KICK_OFF_WORTH[FITTED])
            missed = chance_to_win(left, ahead, kept - places - GOAL_KICK_WORTH[FITTED])
            again = chance_to_win(left, ahead, kept - places - BOUNCE_WORTH[FITTED])
            worth = shot_worth(short - spent if short - spent > 1 else 1, scored, again, missed)
            if worth > best:
                best = worth
    return best if seat == me else POINTS - best


# --- the tree -----------------------------------------------------------------------------------------------------


def plant(v: Any, o: Any, seat: int, work: Any, n: int) -> None:
    """Lay out the root: its branches are the best ends of this turn, or the legal actions where nothing is searched."""
    save_view(v, work)
    count = n
    if CHASE <= v.phase <= PLAY:
        count = find_ends(v, o, seat, work, n, BRANCHES, FITTED)
        for i in range(count):
            work[BRANCH_AT + i * BRANCH_SIZE + DOES] = work[BEST_AT + i * END_SIZE + END_LINE]
            work[BRANCH_AT + i * BRANCH_SIZE + BEHIND] = promise(v, seat, work, 0) - promise(v, seat, work, i)
    else:
        for i in range(count):
            work[BRANCH_AT + i * BRANCH_SIZE + DOES] = with_action(NO_LINE, work[i])
            work[BRANCH_AT + i * BRANCH_SIZE + BEHIND] = 0
    for i in range(count):
        work[BRANCH_AT + i * BRANCH_SIZE + VISITS] = 0
        work[BRANCH_AT + i * BRANCH_SIZE + SUM] = 0
    work[COUNT_AT] = count
    work[TOTAL_AT] = 0
    restore_view(v, work)


def promise(v: Any, seat: int, work: Any, end: int) -> int:
    """Return the chance to win that the evaluation sees in one of the best ends."""
    ahead = v.goals[seat] - v.goals[1 - seat]
    return chance_to_win(TURNS - v.turn, ahead, work[BEST_AT + end * END_SIZE + END_WORTH])


def whole_root(x: int) -> int:
    """Return the square root, rounded down."""
    root = 0
    bit = 1 << 20
    while bit > 0:
        if (root + bit) * (root + bit) <= x:
            root += bit
        bit >>= 1
    return root


def select(work: Any) -> int:
    """Return the branch to try: the first that was not tried among those that are open, else the most promising."""
    total = work[TOTAL_AT]
    root = whole_root(total)
    wide = FIRST_BRANCHES + root
    if wide > work[COUNT_AT]:
        wide = work[COUNT_AT]
    best = 0
    best_value = NONE_YET
    for i in range(wide):
        at = BRANCH_AT + i * BRANCH_SIZE
        if work[at + VISITS] == 0:
            return i
        value = work[at + SUM] // work[at + VISITS] - work[at + BEHIND] + EXPLORE * root // (1 + work[at + VISITS])
        if value > best_value:
            best = i
            best_value = value
    return best


def think(v: Any, o: Any, seat: int, work: Any, rng: Any, seed: int, count: int) -> None:
    """Do so many iterations from the planted root."""
    for _ in range(count):
        branch = select(work)
        at = BRANCH_AT + branch * BRANCH_SIZE
        restore_view(v, work)
        start_stream(rng, seed, work[at + VISITS])
        resample(v, o, seat, rng)
        work[at + SUM] += iterate(v, o, seat, work, rng, work[at + DOES])
        work[at + VISITS] += 1
        work[TOTAL_AT] += 1
    restore_view(v, work)


def iterate(v: Any, o: Any, me: int, work: Any, rng: Any, line: int) -> int:
    """Do what a branch says, play the turn out, and return the chance to win after the answer."""
    work[WEIGHT_AT] = WHOLE
    work[GAINED_AT] = 0
    if CHASE <= v.phase <= PLAY:
        play_line(v, o, line)
    else:
        go(v, o, line - 1)
    finish_turn(v, o, me, work, rng)
    for _ in range(ANSWERS - 1):
        if v.phase != OVER:
            key = position_key(v, 0)
            answer(v, o, v.attacker, work)
            set_position(v, key)
            play_line(v, o, work[REPLY_LINE_AT])
            finish_turn(v, o, me, work, rng)
    if v.phase == OVER:
        chance = chance_to_win(0, v.goals[me] - v.goals[1 - me], 0)
    else:
        seat = v.attacker
        answer(v, o, seat, work)
        used = set_position(v, work[REPLY_AT])
        chance = end_chance(v, o, me, seat, work[REST_AT + used])
    total: int = work[GAINED_AT] + work[WEIGHT_AT] * chance
    return total // WHOLE


def verdict(v: Any, o: Any, seat: int, work: Any) -> int:
    """Return the action with which the branch begins that was tried most."""
    best = 0
    for i in range(1, work[COUNT_AT]):
        a = BRANCH_AT + i * BRANCH_SIZE
        b = BRANCH_AT + best * BRANCH_SIZE
        if work[a + VISITS] > work[b + VISITS]:
            best = i
    line = work[BRANCH_AT + best * BRANCH_SIZE + DOES]
    return finish_cards(v, o, seat, FITTED) if line == NO_LINE else (line & LINE_MASK) - 1


def strong_choice(v: Any, o: Any, seat: int, work: Any, n: int, rng: Any) -> int:
    """Choose as the strong player does, with a fixed number of iterations."""
    if n == 1:
        only: int = work[0]
        return only
    seed = below(rng, 1 << 30)
    stream = rng[0]
    plant(v, o, seat, work, n)
    think(v, o, seat, work, rng, seed, work[ITERATIONS_AT] if work[ITERATIONS_AT] > 0 else ITERATIONS)
    rng[0] = stream
    return verdict(v, o, seat, work)


def merge(trees: Sequence[Any]) -> None:
    """Add up what the branches of equal trees came to, in the first one's memory; runs interpreted, on arrays."""
    first = trees[0]
    for i in range(first[COUNT_AT]):
        for at in (BRANCH_AT + i * BRANCH_SIZE + VISITS, BRANCH_AT + i * BRANCH_SIZE + SUM):
            first[at] = sum(tree[at] for tree in trees)
