"""Computer players of Dribbel-Fieber.

The random player draws lots. The child shoots whenever it may, with all it has, and otherwise runs at the ball: forward
with it, to it without it, and it buys the dearest card that it can pay.
"""

from typing import Any, Final

from bolzplatz.core.fast import below
from bolzplatz.games.dribbel_fieber.codes import (
    BUY_AT,
    DISCARD_AT,
    DONE,
    FREE_AT,
    KICK_AT,
    MOVE_AT,
    NO_BUY,
    NO_SHOT,
    PLACES,
    SHOOT_AT,
    STAY,
    VOLLEYS,
)
from bolzplatz.games.dribbel_fieber.moves import attack_value, crowd
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, SPACES, turned
from bolzplatz.games.dribbel_fieber.state import (
    DRIBBLING,
    FIGURES,
    PRESSING,
    RUNNING,
)

LEVELS: Final = ("random", "child")
RANDOM: Final = 0
CHILD: Final = 1

TO_THE_BALL: Final = 10
"""What a child likes: figures at the ball, a little; to move the ball forward, more; its own shots, most."""
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
    return TO_THE_BALL * (steps_between(start, v.ball) - steps_between(place % SPACES, v.ball))


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


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal actions[:n]."""
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    else:
        pick = child_choice(v, o, seat, actions, n, rng)
    return pick
