"""What may be done in Dribbel-Fieber: legal actions, and for all others the reason why not.

Both come from the same few functions: `landing` follows one way of a symbol, and the lists and refusals ask it. All
functions belong to the compiled subset (`core.spec`); paragraphs are those of docs/rules/dribbel-fieber.*.md.
"""

from typing import Any, Final

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
    R_BUY_NOW,
    R_CHASE_NOW,
    R_COIN_FIRST,
    R_COLOUR_FIRST,
    R_DIE_FIRST,
    R_DRAW_FIRST,
    R_FREE_NO_ARROW,
    R_FREE_NOW,
    R_FULL,
    R_FULL_PASSING,
    R_KICK_NOW,
    R_LEGAL,
    R_MUST_SHOOT,
    R_NO_ARROW,
    R_NO_POSSESSION,
    R_NO_SUCH_MOVE,
    R_NO_VOLLEYS,
    R_NOT_AT_BALL,
    R_NOT_COLOUR,
    R_NOT_IN_HAND,
    R_NOT_NEAREST,
    R_NOT_ON_OFFER,
    R_NOT_OWN_HALF,
    R_NOT_SHARED,
    R_NOT_YOURS,
    R_OFFER_FIRST,
    R_OVER,
    R_OWN_HALF,
    R_PLAY_NOW,
    R_PLAY_ONE,
    R_SHOT_NO_BALL,
    R_SHOT_NOW,
    R_TOO_DEAR,
    R_WALL,
    R_WITHOUT_BALL,
    SHOOT_AT,
    STAY,
    VOLLEYS,
)
from bolzplatz.games.dribbel_fieber.pitch import DIRECTIONS, GOES_FORWARD, HALF, NEXT_SPACE, OFF_PITCH, SPACES, turned
from bolzplatz.games.dribbel_fieber.state import (
    BUY,
    CAPACITY,
    CARDS,
    CHASE,
    COIN,
    CROSS,
    DRAW,
    FACE_UP,
    FIGURES,
    FREE,
    FREE_SYMBOL,
    KEEPER,
    KEEPER_DEFENCE,
    KICK,
    LEAVE_FORWARD,
    MAX_PATHS,
    OFFER,
    ON_OFFER,
    OVER,
    PLAY,
    POLDIS,
    PRESSING,
    ROLL,
    RUNNING,
    SHORT_PASS,
    SHOT,
    VOLLEY,
    Setup,
    State,
)

NO_SEAT: Final = -1
NO_TEAM: Final = -1
"""Whose figure moves when the ball does."""


# --- where everything is ----------------------------------------------------------------------------------------


def crowd(s: State, team: int, space: int) -> int:
    """Count the figures of a team on a space (dribbel-fieber §2)."""
    count = 0
    for figure in range(FIGURES):
        if s.where[team * FIGURES + figure] == space:
            count += 1
    return count


def has_ball(s: State, seat: int) -> bool:
    """Say whether a side has a figure on the ball's space (dribbel-fieber §2)."""
    return crowd(s, seat, s.ball) > 0


def landing(s: State, o: Setup, seat: int, team: int, start: int, path: int, walls: int) -> int:
    """Return the space where a way ends, or minus the reason why it cannot be gone (dribbel-fieber §2).

    `seat` has played the symbol, and it is seen from there; a figure of `team` moves, or the ball (NO_TEAM). Walls stop
    runs and dribbles alone. Room is asked for at the end, and under an option on the way.
    """
    here = turned(seat, start)
    left = path
    while left > 0:
        direction = (left & 15) - 1
        left >>= 4
        there = NEXT_SPACE[here * DIRECTIONS + direction]
        if there == OFF_PITCH:
            return -R_NO_ARROW
        if walls == 1 and GOES_FORWARD[direction] == 1:
            post = here if o.wall_rule == LEAVE_FORWARD else there
            if crowd(s, 1 - seat, turned(seat, post)) == CAPACITY:
                return -R_WALL
        here = there
        passing = left > 0 and team != NO_TEAM and o.capacity_in_passing == 1
        if passing and crowd(s, team, turned(seat, here)) == CAPACITY:
            return -R_FULL_PASSING
    space = turned(seat, here)
    if team != NO_TEAM and crowd(s, team, space) >= CAPACITY:
        return -R_FULL
    return space


def path_end(seat: int, start: int, path: int) -> int:
    """Return the space to which a way leads, whatever stands there, or OFF_PITCH."""
    here = turned(seat, start)
    left = path
    while left > 0 and here != OFF_PITCH:
        here = NEXT_SPACE[here * DIRECTIONS + (left & 15) - 1]
        left >>= 4
    return OFF_PITCH if here == OFF_PITCH else turned(seat, here)


def chase_distance(s: State, o: Setup, seat: int, figure: int) -> int:
    """Return how far a figure is from the ball (dribbel-fieber §3)."""
    start = turned(seat, s.where[seat * FIGURES + figure])
    return o.distance[start * SPACES + turned(seat, s.ball)]


def nearest_distance(s: State, o: Setup, seat: int) -> int:
    """Return how far the side's nearest figure is from the ball (dribbel-fieber §3)."""
    nearest = SPACES
    for figure in range(FIGURES):
        steps = chase_distance(s, o, seat, figure)
        if steps < nearest:
            nearest = steps
    return nearest


def volleys_ready(s: State, seat: int) -> int:
    """Count the volleys that lie face up before a side (dribbel-fieber §8)."""
    count = 0
    for card in range(POLDIS):
        if s.poldi[card] == FACE_UP + seat:
            count += 1
    return count


def in_opposing_half(s: State, seat: int) -> bool:
    """Say whether the ball lies in the half that the side attacks (dribbel-fieber §6)."""
    return turned(seat, s.ball) >= HALF


def in_opposing_area(s: State, o: Setup, seat: int) -> bool:
    """Say whether the ball lies in the penalty area that the side attacks (dribbel-fieber §6)."""
    return o.area[turned(1 - seat, s.ball)] == 1


def attack_value(s: State, o: Setup, seat: int, figure: int, volleys: int) -> int:
    """Add up the attack value of a shot (dribbel-fieber §6)."""
    return o.attack[figure] + o.bonus[turned(seat, s.ball)] + volleys


def defence_value(s: State, o: Setup, seat: int) -> int:
    """Add up what the other side sets against a shot of `seat`: the keeper's 7 or 0, and 1 a defender (§6)."""
    other = 1 - seat
    keeper = s.where[other * FIGURES + KEEPER]
    guarded = keeper == s.ball and in_opposing_area(s, o, seat)
    value = KEEPER_DEFENCE if guarded or keeper == turned(other, o.goal) else 0
    for figure in range(KEEPER + 1, FIGURES):
        if s.where[other * FIGURES + figure] == s.ball:
            value += 1
    return value


def shot_value(s: State, o: Setup, seat: int, figure: int, volleys: int) -> int:
    """Return what the die must exceed: defence less attack, never below 1 (dribbel-fieber §6)."""
    value = defence_value(s, o, seat) - attack_value(s, o, seat, figure, volleys)
    return value if value > 1 else 1


def decider(s: State) -> int:
    """Return the seat that decides now, NO_SEAT where nobody does: the attacker, at a goal kick the defender."""
    if CHASE <= s.phase <= SHOT:
        return s.attacker
    return 1 - s.attacker if s.phase == KICK else NO_SEAT


# --- legal actions ----------------------------------------------------------------------------------------------


def legal(s: State, o: Setup, seat: int, out: Any) -> int:
    """List what a seat may do now, ascending (dribbel-fieber §3 to §7)."""
    if seat != decider(s):
        return 0
    if s.phase == PLAY:
        return list_cards(s, o, seat, out)
    if s.phase == CHASE:
        return list_chasers(s, o, seat, out)
    if s.phase == FREE:
        return list_free_actions(s, o, seat, out)
    if s.phase == BUY:
        return list_purchases(s, o, seat, out)
    if s.phase == SHOT:
        return list_shots(s, o, seat, out)
    return list_goal_kicks(s, o, seat, out)


def insert(out: Any, first: int, n: int, action: int) -> int:
    """Put an action into the ascending entries first..n-1 of a list unless it is there; return how long it is then."""
    at = n
    while at > first and out[at - 1] > action:
        at -= 1
    if at > first and out[at - 1] == action:
        return n
    for i in range(n, at, -1):
        out[i] = out[i - 1]
    out[at] = action
    return n + 1


def list_chasers(s: State, o: Setup, seat: int, out: Any) -> int:
    """List the figures that are nearest to the ball (dribbel-fieber §3)."""
    nearest = nearest_distance(s, o, seat)
    n = 0
    for figure in range(FIGURES):
        if chase_distance(s, o, seat, figure) == nearest:
            out[n] = CHASE_AT + figure
            n += 1
    return n


def list_ways(
    s: State, o: Setup, seat: int, symbol: int, team: int, start: int, walls: int, base: int, out: Any, n: int
) -> int:
    """List the spaces to which a symbol leads from `start`, as actions base + space; return the new length."""
    first = n
    for i in range(o.paths[symbol]):
        space = landing(s, o, seat, team, start, o.path[symbol * MAX_PATHS + i], walls)
        if space >= 0:
            n = insert(out, first, n, base + space)
    return n


def list_free_actions(s: State, o: Setup, seat: int, out: Any) -> int:
    """List the free actions, and staying (dribbel-fieber §3)."""
    n = 0
    for figure in range(FIGURES):
        start = s.where[seat * FIGURES + figure]
        base = FREE_AT + figure * SPACES
        n = list_ways(s, o, seat, FREE_SYMBOL, seat, start, o.wall_blocks_free_action, base, out, n)
    out[n] = STAY
    return n + 1


def list_cards(s: State, o: Setup, seat: int, out: Any) -> int:
    """List what the cards in the hand can do, to discard them, and to be done after one (dribbel-fieber §4)."""
    n = 0
    for card in range(CARDS):
        if s.hand[seat * CARDS + card] > 0:
            n = list_card(s, o, seat, card, out, n)
    for card in range(CARDS):
        if s.hand[seat * CARDS + card] > 0:
            out[n] = DISCARD_AT + card
            n += 1
    if s.played > 0:
        out[n] = DONE
        n += 1
    return n


def list_card(s: State, o: Setup, seat: int, card: int, out: Any, n: int) -> int:
    """List what one card can do on the pitch; return the new length (dribbel-fieber §4)."""
    action = o.action[card]
    base = MOVE_AT + card * PLACES
    if SHORT_PASS <= action <= CROSS:
        if has_ball(s, seat):
            n = list_ways(s, o, seat, card, NO_TEAM, s.ball, 0, base, out, n)
        return n
    team = 1 - seat if action == PRESSING else seat
    walls = 0 if action == PRESSING else 1
    for figure in range(FIGURES):
        start = s.where[team * FIGURES + figure]
        if figure_may_move(s, seat, action, start):
            n = list_ways(s, o, seat, card, team, start, walls, base + figure * SPACES, out, n)
    return n


def figure_may_move(s: State, seat: int, action: int, start: int) -> bool:
    """Say whether an action can be done with a figure from this space: a run always, a dribble with the ball, pressing
    where both teams stand (dribbel-fieber §4)."""
    if action == RUNNING:
        return True
    if action == PRESSING:
        return crowd(s, seat, start) > 0
    return start == s.ball


def list_purchases(s: State, o: Setup, seat: int, out: Any) -> int:
    """List the Poldi cards on offer that the seat can pay, and buying nothing (dribbel-fieber §5)."""
    n = 0
    for card in range(POLDIS):
        if s.poldi[card] == ON_OFFER and o.poldi_price[card] <= s.coins[seat]:
            out[n] = BUY_AT + card
            n += 1
    out[n] = NO_BUY
    return n + 1


def list_shots(s: State, o: Setup, seat: int, out: Any) -> int:
    """List who may shoot with how many volleys, and not to shoot where that is allowed (dribbel-fieber §6, §8)."""
    n = 0
    if in_opposing_half(s, seat):
        ready = volleys_ready(s, seat)
        for figure in range(FIGURES):
            if s.where[seat * FIGURES + figure] == s.ball:
                for volleys in range(ready + 1):
                    out[n] = SHOOT_AT + figure * VOLLEYS + volleys
                    n += 1
    if n == 0 or not in_opposing_area(s, o, seat):
        out[n] = NO_SHOT
        n += 1
    return n


def list_goal_kicks(s: State, o: Setup, seat: int, out: Any) -> int:
    """List the spaces of the rolled colour in the defender's half (dribbel-fieber §7)."""
    n = 0
    for space in range(SPACES):
        if o.colour[space] == s.colour and turned(seat, space) < HALF:
            out[n] = KICK_AT + space
            n += 1
    return n


# --- reasons to refuse ------------------------------------------------------------------------------------------


def refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why an action is not allowed now, R_LEGAL if it is (dribbel-fieber §2 to §9)."""
    waiting = waits_for(s)
    if waiting != R_LEGAL:
        return waiting
    if seat != decider(s):
        return R_NOT_YOURS
    if s.phase == PLAY:
        return play_refusal(s, o, seat, action)
    if s.phase == CHASE:
        return chase_refusal(s, o, seat, action)
    if s.phase == FREE:
        return free_refusal(s, o, seat, action)
    if s.phase == BUY:
        return buy_refusal(s, o, seat, action)
    if s.phase == SHOT:
        return shot_refusal(s, o, seat, action)
    return kick_refusal(s, o, seat, action)


def waits_for(s: State) -> int:
    """Say what must come up before anybody decides, R_LEGAL if somebody decides now (dribbel-fieber §1, §5 to §9)."""
    if CHASE <= s.phase <= SHOT or s.phase == KICK:
        return R_LEGAL
    if s.phase == OVER:
        return R_OVER
    if s.phase == COIN:
        return R_COIN_FIRST
    if s.phase == DRAW:
        return R_DRAW_FIRST
    if s.phase == OFFER:
        return R_OFFER_FIRST
    return R_DIE_FIRST if s.phase == ROLL else R_COLOUR_FIRST


def chase_refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why a figure may not chase the ball (dribbel-fieber §3)."""
    figure = action - CHASE_AT
    if figure < 0 or figure >= FIGURES:
        return R_CHASE_NOW
    return R_LEGAL if chase_distance(s, o, seat, figure) == nearest_distance(s, o, seat) else R_NOT_NEAREST


def way_refusal(s: State, o: Setup, seat: int, symbol: int, team: int, start: int, walls: int, space: int) -> int:
    """Say why a symbol does not lead from `start` to `space`, R_LEGAL if one of its ways does (dribbel-fieber §2)."""
    reason = R_NO_ARROW
    for i in range(o.paths[symbol]):
        path = o.path[symbol * MAX_PATHS + i]
        if path_end(seat, start, path) == space:
            found = landing(s, o, seat, team, start, path, walls)
            if found >= 0:
                return R_LEGAL
            reason = -found
    return reason


def free_refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why a free action is not possible (dribbel-fieber §2, §3)."""
    if action == STAY:
        return R_LEGAL
    place = action - FREE_AT
    if place < 0 or place >= PLACES:
        return R_FREE_NOW
    start = s.where[seat * FIGURES + place // SPACES]
    reason = way_refusal(s, o, seat, FREE_SYMBOL, seat, start, o.wall_blocks_free_action, place % SPACES)
    return R_FREE_NO_ARROW if reason == R_NO_ARROW else reason


def play_refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why a card cannot be used like this (dribbel-fieber §2, §4)."""
    if action == DONE:
        return R_LEGAL if s.played > 0 else R_PLAY_ONE
    if action < MOVE_AT or action > DONE:
        return R_PLAY_NOW
    if action >= DISCARD_AT:
        return R_LEGAL if s.hand[seat * CARDS + action - DISCARD_AT] > 0 else R_NOT_IN_HAND
    card = (action - MOVE_AT) // PLACES
    if s.hand[seat * CARDS + card] == 0:
        return R_NOT_IN_HAND
    return move_refusal(s, o, seat, card, (action - MOVE_AT) % PLACES)


def move_refusal(s: State, o: Setup, seat: int, card: int, place: int) -> int:
    """Say why a card's symbol cannot bring figure or ball to a space (dribbel-fieber §2, §4)."""
    action = o.action[card]
    figure = place // SPACES
    space = place % SPACES
    if action == VOLLEY:
        return R_NO_SUCH_MOVE
    if SHORT_PASS <= action <= CROSS:
        if figure > 0:
            return R_NO_SUCH_MOVE
        if not has_ball(s, seat):
            return R_NO_POSSESSION
        return way_refusal(s, o, seat, card, NO_TEAM, s.ball, 0, space)
    if action == PRESSING:
        start = s.where[(1 - seat) * FIGURES + figure]
        if not figure_may_move(s, seat, action, start):
            return R_NOT_SHARED
        return way_refusal(s, o, seat, card, 1 - seat, start, 0, space)
    start = s.where[seat * FIGURES + figure]
    if not figure_may_move(s, seat, action, start):
        return R_WITHOUT_BALL
    return way_refusal(s, o, seat, card, seat, start, 1, space)


def buy_refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why a Poldi card cannot be bought (dribbel-fieber §5)."""
    if action == NO_BUY:
        return R_LEGAL
    card = action - BUY_AT
    if card < 0 or card >= POLDIS:
        return R_BUY_NOW
    if s.poldi[card] != ON_OFFER:
        return R_NOT_ON_OFFER
    return R_LEGAL if o.poldi_price[card] <= s.coins[seat] else R_TOO_DEAR


def shot_refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why a shot, or no shot, is not possible (dribbel-fieber §6, §8)."""
    if action < SHOOT_AT or action > NO_SHOT:
        return R_SHOT_NOW
    possible = has_ball(s, seat) and in_opposing_half(s, seat)
    if action == NO_SHOT:
        return R_MUST_SHOOT if possible and in_opposing_area(s, o, seat) else R_LEGAL
    if not possible:
        return R_OWN_HALF if has_ball(s, seat) else R_SHOT_NO_BALL
    if s.where[seat * FIGURES + (action - SHOOT_AT) // VOLLEYS] != s.ball:
        return R_NOT_AT_BALL
    return R_LEGAL if (action - SHOOT_AT) % VOLLEYS <= volleys_ready(s, seat) else R_NO_VOLLEYS


def kick_refusal(s: State, o: Setup, seat: int, action: int) -> int:
    """Say why the ball cannot be kicked to a space (dribbel-fieber §7)."""
    space = action - KICK_AT
    if space < 0 or action >= NUM_ACTIONS:
        return R_KICK_NOW
    if o.colour[space] != s.colour:
        return R_NOT_COLOUR
    return R_LEGAL if turned(seat, space) < HALF else R_NOT_OWN_HALF
