"""What positions of Dribbel-Fieber are worth to the side that moves next, to the good and the strong player.

All is in thousandths of a goal, and the chances of a shot are exact. The good player has plain eyes: it sees how far up
the pitch the ball lies and whether the keepers are at home, and knows a price for everything else. The strong player's
eyes are fitted: it knows what it is worth where each figure stands, and where it stands to the ball, and what each card
is worth in the hand, from matches that were played for that (dribbel_fieber.toml). `eyes` is PLAIN or FITTED. All
functions belong to the compiled subset.

The good player's eyes are plain on purpose, so that the levels stand well apart: with fitted ones it takes 69 % of the
points from itself with plain ones, and the strong player would be too close above it to be told apart in an evening.
"""

import tomllib
from importlib.resources import files
from typing import Any, Final

from bolzplatz.games.dribbel_fieber.moves import defence_value, in_opposing_area, in_opposing_half
from bolzplatz.games.dribbel_fieber.pitch import COLUMNS, ROWS, SPACES, turned
from bolzplatz.games.dribbel_fieber.state import DIE_FACES, FIGURES, KEEPER, KINDS, TURNS

PLAIN: Final = 0
FITTED: Final = 1
GOAL: Final = 1000
CHAIN: Final = 4
"""So many bounce-backs in a row are counted; each further one is six times as rare at least."""
CLASSES: Final = 4
"""Figures are told apart by what they are good for: the keeper, then attack values 1, 2, 3."""
_DATA: Final[dict[str, Any]] = tomllib.loads(
    (files("bolzplatz.bots") / "dribbel_fieber.toml").read_text(encoding="utf-8")
)
MIDDLE: Final = COLUMNS // 2
SIDES: Final = ("own", "other")


def mirrored(space: int) -> int:
    """Return the space on the other wing."""
    return space + COLUMNS - 1 - 2 * (space % COLUMNS)


def _by_space(table: list[list[int]]) -> list[int]:
    """Spread a table of rows and columns from the middle over the spaces that a side sees."""
    return [table[space // COLUMNS][abs(space % COLUMNS - MIDDLE)] for space in range(SPACES)]


def _flat_places() -> tuple[int, ...]:
    """Return what each figure is worth on each space, at (other * CLASSES + class) * SPACES + space as it sees it."""
    tables = [_DATA[side][ROWS * i : ROWS * (i + 1)] for side in SIDES for i in range(CLASSES)]
    return tuple(worth for table in tables for worth in _by_space(table))


def _flat_distances() -> tuple[int, ...]:
    """Return what a place is worth more by where the ball is.

    That is at ((other * CLASSES + class) * SPACES + space) * SPACES + ball. The data know figures on the left and
    in the middle; those on the right are their mirror images.
    """
    size = ROWS * (MIDDLE + 1)
    found = []
    for side in SIDES:
        for kind in range(CLASSES):
            table = _DATA[f"near_{side}"][size * kind : size * (kind + 1)]
            for space in range(SPACES):
                right = space % COLUMNS > MIDDLE
                row = table[space // COLUMNS * (MIDDLE + 1) + MIDDLE - abs(space % COLUMNS - MIDDLE)]
                found += [row[mirrored(ball) if right else ball] for ball in range(SPACES)]
    return tuple(found)


ROW_WORTH: Final = 10
"""To plain eyes: each row that the ball is nearer to the opposing goal."""
KEEPER_HOME: Final = 120
"""And a keeper in front of its goal."""
BALL_WORTH: Final = tuple(_by_space(_DATA["ball"]))
PLACE_WORTH: Final = _flat_places()
NEAR_WORTH: Final = _flat_distances()
# What follows is there for plain and for fitted eyes.
CARD_WORTH: Final[tuple[int, ...]] = (*[0] * KINDS, *_DATA["cards"])
"""What it is worth to hold a card of each kind, rather than one drawn at random, when the next turn begins."""
BLUE_WORTH: Final[tuple[int, ...]] = (0, 30, 10, 60, 0, *_DATA["blue"])
"""What it is worth to have bought a card of each kind."""
COIN_WORTH: Final[tuple[int, ...]] = (20, _DATA["coin"])
"""At the start of the match; in the end coins buy nothing."""
VOLLEY_WORTH: Final[tuple[int, ...]] = (60, _DATA["volley"])
KICK_OFF_WORTH: Final[tuple[int, ...]] = (250, _DATA["kick_off"])
"""To the side that kicks off."""
GOAL_KICK_WORTH: Final[tuple[int, ...]] = (150, _DATA["goal_kick"])
"""To the side that takes it, apart from what the places of the figures are worth."""
BOUNCE_WORTH: Final[tuple[int, ...]] = (100, _DATA["bounce"])
"""To the defender, if nobody can shoot again, apart from what the places of the figures are worth."""
NO_SHOT_HERE: Final = 99


def coin_worth(v: Any, eyes: int) -> int:
    """Return what a coin is worth as late as it is."""
    worth: int = COIN_WORTH[eyes] * (TURNS - v.turn) // TURNS
    return worth


def class_of(o: Any, figure: int) -> int:
    """Return the class of a figure: 0 for the keeper, else its attack value."""
    attack: int = o.attack[figure]
    return 0 if figure == KEEPER else attack


def places_worth(v: Any, o: Any, mover: int, eyes: int) -> int:
    """Return what the places of all figures are worth to the side that moves next, wherever the ball is."""
    total = 0
    if eyes == PLAIN:
        for team in range(2):
            if turned(team, v.where[team * FIGURES + KEEPER]) == o.goal:
                total += KEEPER_HOME if team == mover else -KEEPER_HOME
        return total
    for team in range(2):
        side = 0 if team == mover else CLASSES
        for figure in range(FIGURES):
            space = turned(team, v.where[team * FIGURES + figure])
            total += PLACE_WORTH[(side + class_of(o, figure)) * SPACES + space]
    return total


def ball_worth(v: Any, o: Any, mover: int, eyes: int) -> int:
    """Return what the place of the ball is worth to the side that moves next: by itself, and near to whom."""
    if eyes == PLAIN:
        return ROW_WORTH * (turned(mover, v.ball) // COLUMNS)
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


def end_worth(v: Any, o: Any, seat: int, volleys: int, eyes: int) -> int:
    """Return what it is worth to `seat` to end its turn here, shooting or not, whichever it would rather or must.

    A rough guess of what follows a bounce-back or a miss will do here; `shot_choice` knows it better.
    """
    if v.turn == TURNS:
        return last_worth(v, o, seat, volleys)
    return worth_given(v, o, seat, volleys, places_worth(v, o, 1 - seat, eyes), ball_worth(v, o, 1 - seat, eyes), eyes)


def shot_short(v: Any, o: Any, seat: int) -> int:
    """Return by how much the best shot from here falls short of the defence; NO_SHOT_HERE where none is possible."""
    attack = best_attack(v, o, seat) if in_opposing_half(v, seat) else 0
    if attack == 0:
        return NO_SHOT_HERE
    short: int = defence_value(v, o, seat) - attack - o.bonus[turned(seat, v.ball)]
    return short


def last_worth(v: Any, o: Any, seat: int, volleys: int) -> int:
    """Return what it is worth to end the last turn of the match here: the chance of a goal."""
    short = shot_short(v, o, seat)
    if short == NO_SHOT_HERE:
        return 0
    value = short - volleys
    return shot_worth(value if value > 1 else 1, GOAL, 0, 0)


def worth_given(v: Any, o: Any, seat: int, volleys: int, places: int, ball: int, eyes: int) -> int:
    """Return what `end_worth` does before the last turn; `places` and `ball` are those worths to the other side."""
    quiet = -places - ball
    short = shot_short(v, o, seat)
    if short == NO_SHOT_HERE:
        return quiet
    missed = -places - GOAL_KICK_WORTH[eyes]
    again = -places - BOUNCE_WORTH[eyes]
    scored = GOAL - KICK_OFF_WORTH[eyes]
    best = shot_worth(short if short > 1 else 1, scored, again, missed)
    for spent in range(1, volleys + 1):
        if short - spent >= 1:
            worth = shot_worth(short - spent, scored, again, missed) - spent * VOLLEY_WORTH[eyes]
            if worth > best:
                best = worth
    return quiet if quiet > best and not in_opposing_area(v, o, seat) else best
