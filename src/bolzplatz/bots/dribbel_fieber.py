"""Computer players of Dribbel-Fieber.

The random player draws lots. The child shoots whenever it may, with all it has, and otherwise runs at the ball: forward
with it, to it without it, and it buys the dearest card that it can pay. The good player (`dribbel_fieber_turn`) looks
at all that the rest of its turn can lead to, and trusts an evaluation (`dribbel_fieber_worth`). The strong player
(`dribbel_fieber_tree`) goes on to what may follow, over many deals of what it cannot see.
"""

from typing import Any, Final

from bolzplatz.bots.dribbel_fieber_tree import TREE_END, merge, plant, strong_choice, think, verdict
from bolzplatz.bots.dribbel_fieber_turn import good_choice
from bolzplatz.bots.dribbel_fieber_worth import PLAIN
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
    NUM_ACTIONS,
    PLACES,
    SHOOT_AT,
    STAY,
    VOLLEYS,
)
from bolzplatz.games.dribbel_fieber.moves import attack_value, crowd
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, SPACES, turned
from bolzplatz.games.dribbel_fieber.state import DRIBBLING, FIGURES, PRESSING, RUNNING

LEVELS: Final = ("random", "child", "good", "strong")
RANDOM: Final = 0
CHILD: Final = 1
STRONG: Final = 3
COMPILED: Final = ("good", "strong")
SEARCHING: Final = ("strong",)
LIGHT: Final = LEVELS[:STRONG]
"""The levels that `choose_lightly` knows."""
WORK: Final = TREE_END - NUM_ACTIONS

__all__ = [
    "COMPILED",
    "LEVELS",
    "LIGHT",
    "SEARCHING",
    "WORK",
    "choose",
    "choose_lightly",
    "merge",
    "plant",
    "think",
    "verdict",
]

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


def choose_lightly(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose as `choose` does for all levels but the strong one: this is compiled in a small part of the time."""
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    elif level == CHILD:
        pick = child_choice(v, o, seat, actions, n, rng)
    else:
        pick = good_choice(v, o, seat, actions, n, PLAIN)
    return pick


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal actions[:n]; `v` is what the seat may see, and searches work on it."""
    if level == STRONG:
        pick: int = strong_choice(v, o, seat, actions, n, rng)
    else:
        pick = choose_lightly(level, v, o, seat, actions, n, rng)
    return pick
