"""Computer players of Die wilden Fußballkerle: human hands in two numbers, what they reach for and when.

A player looks at one colour, then at the other, judges each rightly or wrongly, and reaches for what it takes to score.
The model, and every level's numbers, are in wilde_kerle.toml. `choose` draws what the hand does. When the time matters,
`reaction_ms` draws it given what the hand does: mood and first colour are drawn anew in proportion to how likely they
lead to that wish, which gives time and wish the same joint chances as drawing both at once. So nothing has to be
remembered between the joint node and the order of the hands, and at the table the same function says when a computer's
hand moves. Only open cards are looked at.
"""

import math
import tomllib
from importlib.resources import files
from statistics import NormalDist
from typing import Any, Final

from bolzplatz.core.fast import below
from bolzplatz.games.wilde_kerle import (
    BLACK,
    BLACK_THEN_RED,
    FIRST_PIECE,
    GROUP_OF,
    KEEPER,
    NO_PIECE,
    NONE,
    ONLY_BLACK,
    ONLY_RED,
    OPEN_GOAL,
    RED_THEN_BLACK,
    SECOND_PIECE,
    SORTING,
    STRIKER,
    WHISTLE,
    Setup,
    State,
    end_card_lies_open,
    top_value,
    verdict_on,
)

LEVELS: Final = ("random", "child", "casual", "adult", "keen", "expert")
RANDOM: Final = 0

_DATA: Final[dict[str, Any]] = tomllib.loads((files("bolzplatz.bots") / "wilde_kerle.toml").read_text(encoding="utf-8"))
_COLUMNS: Final = (
    "base_ms",
    "card_ms",
    "near_ms",
    "sigma_ms",
    "tau_ms",
    "error",
    "near_error",
    "whistle_error",
    "end_error",
    "hurry_saves",
    "hurry_costs",
)
HAND_BASE: Final = 0
HAND_CARD: Final = 1
HAND_NEAR: Final = 2
HAND_SIGMA: Final = 3
HAND_TAU: Final = 4
HAND_ERROR: Final = 5
HAND_NEAR_ERROR: Final = 6
HAND_WHISTLE_ERROR: Final = 7
HAND_END_ERROR: Final = 8
HAND_SAVES: Final = 9
HAND_COSTS: Final = 10
HAND_WIDTH: Final = len(_COLUMNS)
HANDS: Final[tuple[int, ...]] = tuple(_DATA[level].get(column, 0) for level in LEVELS for column in _COLUMNS)
"""The numbers of all levels, level by level."""

MEAN_MS: Final[dict[str, int]] = {level: _DATA[level]["mean_ms"] for level in LEVELS if "mean_ms" in _DATA[level]}
"""How long each level takes on average to reach for a colour that scores, with three players and the usual deck."""
FLOOR_MS: Final = int(_DATA["floor_ms"])
RANDOM_SPREAD_MS: Final = int(_DATA["random"]["until_ms"]) - FLOOR_MS
PER_MILLE: Final = 1000
WORST_ERROR: Final = 500
"""Nobody judges worse than by tossing a coin."""
MOODS: Final = 3
LATENT: Final = 2 * MOODS
"""A mood and the colour that is looked at first: 2 * mood + colour."""

STEPS: Final = 1024
"""Quantiles of the two parts of the time, in thousandths: of the normal and of the exponential distribution."""
NORMAL: Final = tuple(round(1000 * NormalDist().inv_cdf((i + 0.5) / STEPS)) for i in range(STEPS))
EXPONENTIAL: Final = tuple(round(-1000 * math.log((i + 0.5) / STEPS)) for i in range(STEPS))
PHOTO_FINISH: Final = 1 << 20
"""Equal milliseconds are parted by chance."""


def trait(level: int, column: int) -> int:
    """Return one number of a level."""
    return HANDS[level * HAND_WIDTH + column]


def choose(level: int, v: State, o: Setup, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose what the hand does: one of the wishes actions[:n], all of which are always legal (wilde-kerle §4)."""
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
        return pick
    return choose_in_mood(level, v, o, below(rng, LATENT), rng)


def choose_in_mood(level: int, v: State, o: Setup, latent: int, rng: Any) -> int:
    """Choose what the hand does in a mood and with a colour to look at first: 2 * mood + colour."""
    mood = latent // 2
    first = latent % 2
    if end_card_lies_open(v, o) and below(rng, PER_MILLE) >= chance_to_overlook(level, mood):
        return NONE
    sees_first = below(rng, PER_MILLE) < chance_to_see(level, v, o, first, mood)
    sees_second = below(rng, PER_MILLE) < chance_to_see(level, v, o, 1 - first, mood)
    if sees_first and sees_second:
        return BLACK_THEN_RED if first == BLACK else RED_THEN_BLACK
    if sees_first or sees_second:
        return ONLY_BLACK if (first == BLACK) == sees_first else ONLY_RED
    return NONE


def hurried(level: int, error: int, mood: int) -> int:
    """Return a chance of an error, per mille, in a mood."""
    error = error * (PER_MILLE + mood * trait(level, HAND_COSTS)) // PER_MILLE
    return error if error < WORST_ERROR else WORST_ERROR


def chance_to_overlook(level: int, mood: int) -> int:
    """Return the chance, per mille, to overlook the end card."""
    return hurried(level, trait(level, HAND_END_ERROR), mood)


def chance_to_see(level: int, v: State, o: Setup, colour: int, mood: int) -> int:
    """Return the chance, per mille, that a player takes a colour to score, rightly or wrongly."""
    striker = top_value(v, o, STRIKER, colour)
    keeper = top_value(v, o, KEEPER, 1 - colour)
    error = trait(level, HAND_ERROR)
    if striker == WHISTLE or (striker > 0 and keeper == WHISTLE):
        error = trait(level, HAND_WHISTLE_ERROR)
    elif striker > 0 and keeper > 0:
        error += trait(level, HAND_NEAR_ERROR) // (1 + abs(striker - keeper))
    error = hurried(level, error, mood)
    return PER_MILLE - error if verdict_on(striker, keeper) <= OPEN_GOAL else error


def duel_ms(level: int, v: State, o: Setup, colour: int) -> int:
    """Return the time to judge a colour: for each card to compare, and more for close values."""
    striker = top_value(v, o, STRIKER, colour)
    if striker == 0:
        return 0
    keeper = top_value(v, o, KEEPER, 1 - colour)
    ms = 0
    for seat in range(o.seats):
        card = v.open[seat] - 1
        if card >= 0 and (GROUP_OF[card] == 2 * STRIKER + colour or GROUP_OF[card] == 2 * KEEPER + 1 - colour):
            ms += trait(level, HAND_CARD)
    if striker < WHISTLE and 0 < keeper < WHISTLE:
        ms += trait(level, HAND_NEAR) // (1 + abs(striker - keeper))
    return ms


def latent_weight(level: int, v: State, o: Setup, wish: int, latent: int) -> int:
    """Return how likely a wish is when the player is in this mood and looks at this colour first, up to a factor."""
    mood = latent // 2
    first = latent % 2
    wants_both = SECOND_PIECE[wish] != NO_PIECE
    if wants_both and FIRST_PIECE[wish] != first:
        return 0
    sees_first = chance_to_see(level, v, o, first, mood)
    sees_second = chance_to_see(level, v, o, 1 - first, mood)
    if FIRST_PIECE[wish] != first:
        sees_first = PER_MILLE - sees_first
    elif not wants_both:
        sees_second = PER_MILLE - sees_second
    weight = sees_first * sees_second
    if end_card_lies_open(v, o):
        weight *= chance_to_overlook(level, mood)
    return weight


def reaction_ms(level: int, v: State, o: Setup, wish: int, rng: Any) -> int:
    """Draw the time from the reveal to the hand on the piece, in milliseconds, given what the hand reaches for.

    Args:
        level: the computer player.
        v: what the seat sees: the open cards are looked at.
        o: the setup.
        wish: what `choose` chose, not NONE.
        rng: of `core.fast.below`.
    """
    if level == RANDOM:
        return FLOOR_MS + below(rng, RANDOM_SPREAD_MS)
    total = 0
    for latent in range(LATENT):
        total += latent_weight(level, v, o, wish, latent)
    latent = 0
    if total > 0:
        rest = below(rng, total)
        weight = latent_weight(level, v, o, wish, 0)
        while rest >= weight:
            rest -= weight
            latent += 1
            weight = latent_weight(level, v, o, wish, latent)
    return ms_in_mood(level, v, o, wish, latent, rng)


def steady_ms(level: int, v: State, o: Setup, wish: int, latent: int) -> int:
    """Return the time in a mood and with a colour to look at first, in milliseconds, but for its random part."""
    mood = latent // 2
    first = latent % 2
    ms = trait(level, HAND_BASE) + duel_ms(level, v, o, first)
    if FIRST_PIECE[wish] != first:
        ms += duel_ms(level, v, o, 1 - first)
    return ms * (PER_MILLE - mood * trait(level, HAND_SAVES)) // PER_MILLE


def ms_in_mood(level: int, v: State, o: Setup, wish: int, latent: int, rng: Any) -> int:
    """Draw the time in a mood and with a colour to look at first, in milliseconds."""
    ms = steady_ms(level, v, o, wish, latent)
    ms += trait(level, HAND_SIGMA) * NORMAL[below(rng, STEPS)] // 1000
    ms += trait(level, HAND_TAU) * EXPONENTIAL[below(rng, STEPS)] // 1000
    return ms if ms > FLOOR_MS else FLOOR_MS


def draw_chance(levels: Any, s: State, o: Setup, rng: Any, drawn: Any) -> int:
    """Draw the order of the hands from their reaction times; -1 for the cards, which come as usual.

    `drawn` has room for `core.forms.MAX_DRAWN` integers.
    """
    if s.phase != SORTING:
        return -1
    hands = 0
    for seat in range(o.seats):
        drawn[seat] = -1
        if s.wish[seat] != NONE:
            hands += 1
            ms = reaction_ms(levels[seat], s, o, s.wish[seat], rng)
            drawn[seat] = ms * PHOTO_FINISH + below(rng, PHOTO_FINISH)
    order = 0
    for waiting in range(hands, 0, -1):
        quickest = -1
        place = 0
        hand = 0
        for seat in range(o.seats):
            if drawn[seat] >= 0:
                if quickest < 0 or drawn[seat] < drawn[quickest]:
                    quickest = seat
                    place = hand
                hand += 1
        drawn[quickest] = -1
        order = order * waiting + place
    return order
