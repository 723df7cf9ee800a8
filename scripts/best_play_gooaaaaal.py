"""How well the computer players of GOOAAAAAL! can be beaten at all: best play of a match with four dice each, exactly.

    python scripts/best_play_gooaaaaal.py

A period is a game of perfect information with few positions: how many balls and keepers each player has laid, whether a
quarter lies aside, how many penalties wait, whose throw it is. Backward induction over every throw gives the best reply
to a computer player, whose choices come from the player itself. One thing is left out: a joker thrown again as a
supporter, which is hardly ever worth it.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial
from typing import Any

import numpy as np

import bolzplatz
from bolzplatz.bots import pick_action
from bolzplatz.core.fast import FastStream
from bolzplatz.games.gooaaaaal.state import (
    BALL,
    BALL_PLACED,
    DECIDE,
    KEEPER,
    KEEPER_PLACED,
    LOOSE,
    MAX_DICE,
    QUARTER,
    QUARTER_ASIDE,
    QUARTER_ASIDE_NEW,
    SPIRIT_JOKER,
    THROWS,
    WIDE,
)

DICE = 4
MOST_PENALTIES = 4
"""Penalties that wait are told apart up to this."""
MOST_LEAD = 6
Place = tuple[int, int, int]
"""Balls and keepers that are laid, 1 if a quarter lies aside."""
Thrown = tuple[int, int, int, int, int, int]
"""Balls, keepers and jokers that lie there, penalties won, 1 for a quarter without a partner, 1 if one still waits."""
PLACES: list[Place] = [each for each in product(range(DICE + 1), range(DICE + 1), range(2)) if sum(each) <= DICE]
Values = np.ndarray[Any, np.dtype[np.float64]]
"""The chance to win by the own place, the other's place, the own penalties, the other's."""


@cache
def faces(dice: int) -> dict[tuple[int, ...], float]:
    """Return the chance of each number of balls, keepers, supporters, quarters, wides and spirits."""
    found: dict[tuple[int, ...], float] = {}
    for throw in combinations_with_replacement(range(6), dice):
        counts = tuple(throw.count(face) for face in range(6))
        ways = factorial(dice)
        for count in counts:
            ways //= factorial(count)
        found[counts] = ways / 6**dice
    return found


@cache
def throws(free: int, waiting: int) -> dict[Thrown, float]:
    """Return what a throw comes to once all supporters have been thrown again, with its chances."""
    done: defaultdict[Thrown, float] = defaultdict(float)
    open_ones = {((0, 0, 0, 0, 0, waiting), free): 1.0}
    while open_ones:
        following: defaultdict[tuple[Thrown, int], float] = defaultdict(float)
        for ((balls, keepers, jokers, won, loose, waits), dice), chance in open_ones.items():
            for (b, k, s, q, _, t), more in faces(dice).items():
                total = q + loose + waits if q else 0
                thrown = (
                    balls + b,
                    keepers + k,
                    jokers + (dice - 1 if t == dice >= 2 else 0),
                    won + total // 2,
                    total % 2 if q else loose,
                    0 if total >= 2 else waits,
                )
                # What is less likely than this changes nothing: supporters may come up for ever.
                if s >= 2 and chance * more > 1e-12:
                    following[thrown, s] += chance * more
                else:
                    done[thrown] += chance * more
        open_ones = dict(following)
    return dict(done)


def free_dice(place: Place) -> tuple[int, int]:
    """Return how many dice are thrown, and whether a quarter waits: the last die may not lie aside."""
    free = DICE - sum(place)
    return (1, 0) if free == 0 and place[2] else (free, place[2])


@cache
def ways(place: Place, thrown: Thrown) -> tuple[tuple[int, int], ...]:
    """Return every way to lay a throw, as the place that it leads to and the penalties won."""
    balls, keepers, jokers, won, loose, waits = thrown
    free, waited = free_dice(place)
    lying = free + waited - waits
    found = set()
    for as_quarter in range(min(jokers, 2) + 1):
        partners = as_quarter + loose + waits if as_quarter else 0
        aside = {partners % 2} if partners else {0, waits}
        for x, y in product(range(balls + jokers - as_quarter + 1), range(keepers + jokers - as_quarter + 1)):
            if max(0, x - balls) + max(0, y - keepers) > jokers - as_quarter:
                continue
            left = lying + waits - x - y
            for quarter in aside | ({1} if loose and not partners and left >= 2 else set()):
                after = (place[0] + x, place[1] + y, quarter)
                if left >= quarter and after in PLACES:
                    found.add((PLACES.index(after), won + partners // 2))
    return tuple(sorted(found))


@cache
def choice(level: str, turn: int, place: Place, other: Place, thrown: Thrown) -> tuple[int, int]:
    """Return how a computer player lays a throw: the place that it leads to and the penalties won."""
    balls, keepers, jokers, won, loose, waits = thrown
    state = bolzplatz.load_game("gooaaaaal", mode="match").new_initial_state()
    data: Any = state._data
    free, waited = free_dice(place)
    lying = [BALL] * balls + [KEEPER] * keepers + [QUARTER] * loose + [SPIRIT_JOKER] * (jokers + (jokers > 0))
    lying += [WIDE] * (free + waited - waits - len(lying))
    own = lying + [BALL_PLACED] * place[0] + [KEEPER_PLACED] * place[1] + [QUARTER_ASIDE] * waits
    seat = turn % 2
    theirs = [BALL_PLACED] * other[0] + [KEEPER_PLACED] * other[1] + [QUARTER_ASIDE] * other[2]
    data.dice[MAX_DICE * seat : MAX_DICE * seat + DICE] = sorted(own)
    data.dice[MAX_DICE * (1 - seat) : MAX_DICE * (1 - seat) + DICE] = sorted([0] * (DICE - sum(other)) + theirs)
    data.phase, data.turn, data.mover, data.loose, data.spirit = DECIDE, turn, seat, LOOSE * loose, jokers
    stream = FastStream(1)
    while True:
        action = pick_action(state.game, state, seat, level, stream)
        if state.action_to_string(action) == "done":
            break
        state.apply_action(action)
    dice = list(data.dice[MAX_DICE * seat : MAX_DICE * seat + DICE])
    aside = sum(die in (QUARTER_ASIDE, QUARTER_ASIDE_NEW) for die in dice)
    after = (dice.count(BALL_PLACED), dice.count(KEEPER_PLACED), aside)
    return PLACES.index(after), won + int(data.penalties[seat])


def shifted(values: Values, penalties: int) -> Values:
    """Return the values with so many more own penalties."""
    return values[:, :, np.minimum(np.arange(MOST_PENALTIES + 1) + penalties, MOST_PENALTIES)]


def before_throw(level: str | None, turn: int, after: Values) -> Values:
    """Return the values before the throw of one player, best play where no level is named."""
    values = np.zeros_like(after)
    more = [shifted(after, penalties) for penalties in range(DICE + 1)]
    others = np.arange(len(PLACES))
    for number, place in enumerate(PLACES):
        free, waiting = free_dice(place)
        if not free:
            values[number] = after[number]
            continue
        for thrown, chance in throws(free, waiting).items():
            if level is None:
                best = [more[min(won, DICE)][to] for to, won in ways(place, thrown)]
                values[number] += chance * np.maximum.reduce(best)
            else:
                chosen = [choice(level, turn, place, other, thrown) for other in PLACES]
                rows = [more[min(won, DICE)][to, other] for (to, won), other in zip(chosen, others, strict=True)]
                values[number] += chance * np.array(rows)
    return values


def turned(values: Values) -> Values:
    """Return the same chances as the other player sees them."""
    return 1 - values.transpose(1, 0, 3, 2)


def period(first: str | None, second: str | None, worth: Callable[[int], float]) -> float:
    """Return the chance of whoever throws first to win; `worth` is that of its goals of a period, less the other's."""
    values = np.zeros((len(PLACES), len(PLACES), MOST_PENALTIES + 1, MOST_PENALTIES + 1))
    for (i, own), (j, other) in product(enumerate(PLACES), repeat=2):
        lead = max(0, own[0] - other[1]) - max(0, other[0] - own[1])
        for a, b in product(range(MOST_PENALTIES + 1), repeat=2):
            # Each penalty is a race of two alike: a goal half the time.
            scored = {(x, y): comb(a, x) * comb(b, y) / 2 ** (a + b) for x in range(a + 1) for y in range(b + 1)}
            values[i, j, a, b] = sum(chance * worth(lead + x - y) for (x, y), chance in scored.items())
    for turn in range(2 * THROWS - 1, -1, -1):
        values = turned(before_throw(second, turn, turned(values))) if turn % 2 else before_throw(first, turn, values)
    return float(values[0, 0, 0, 0])


def match(first: str | None, second: str | None) -> float:
    """Return the chance of whoever throws first in the first half to win a match; None: plays best."""
    extra = period(first, second, lambda lead: 0.5 if lead == 0 else float(lead > 0))
    ahead = {
        lead: 1 - period(second, first, lambda more, lead=lead: 1 - (extra if lead == more else float(lead > more)))
        for lead in range(-MOST_LEAD, MOST_LEAD + 1)
    }
    return period(first, second, lambda lead: ahead[max(-MOST_LEAD, min(MOST_LEAD, lead))])


def paired(better: str | None, weaker: str | None) -> float:
    """Return the share of matches that one wins against the other, in either seat equally often."""
    return (match(better, weaker) + 1 - match(weaker, better)) / 2


def main() -> None:
    """Work out and print."""
    for better, weaker in ((None, "good"), ("good", "child"), (None, "child")):
        print(f"{better or 'best play'} against {weaker}: {100 * paired(better, weaker):.2f} %", flush=True)


if __name__ == "__main__":
    main()
