"""Computer players of 5050.

The child takes all points that lie there and stops as soon as it may. The good player looks one step ahead of a simple
one, who keeps with care but stops as soon as it may: each keep, and throwing on, is worth what the turn would bring if
the simple player finished it. That value is linear in the points at risk, so two small tables hold it: the chance to
get over the hurdle, and the points still to come, for each number of dice and of points missing. They are computed from
the game's own lists of throws when this module is loaded. In the last round the good player goes for the win instead.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots.graded import GRADED, knob, weight_of
from bolzplatz.core.fast import below
from bolzplatz.core.game import Game
from bolzplatz.games.fifty_fifty import (
    FIRST_THROW,
    GO,
    KEEP_DICE,
    KEEP_POINTS,
    NUM_ACTIONS,
    STOP,
    STRAIGHT,
    THROW_KEEPS,
    THROW_KEEPS_AT,
    THROW_WEIGHT,
    Setup,
    State,
    keep_points,
    may_close,
    winning_seat,
)
from bolzplatz.solve.triple_kernels import prepare_triple
from bolzplatz.solve.turn_kernels import CLOSING, LAST, S_UNIT, prepare_turn, stop_value, value_place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS: Final = ("random", "child", *GRADED, "good", "optimal")
SOLVED: Final = (*GRADED, "optimal")
COMPILED: Final = SOLVED
"""To work out a turn takes a moment."""
RANDOM: Final = 0
CHILD: Final = 1
CASUAL: Final = 2
GOOD: Final = 5
OPTIMAL: Final = 6
KNOBS: Final = (knob(0.0220), knob(0.0086), knob(0.0050))
"""Of the graded levels, on the chance to win."""
SOLVED_AT: Final = NUM_ACTIONS + len(KNOBS)
"""Where the solved game begins, behind the legal actions and the knobs."""

STEP: Final = 50
"""All points are multiples of this."""
STEPS: Final = 12
"""The tables know up to this many steps missing; whoever needs more is taken to need so much."""
HURDLE_STEPS: Final = 7
"""The usual hurdle of 350; with another one the tables are a fair guess."""
SCALE: Final = 1 << 16
"""Chances are integers out of this."""
SWEEPS: Final = 4
"""A turn may go through several sets of six dice; the tables have settled after so many rounds."""
USUAL: Final = 400
"""Points that the simple player takes to be at risk when it compares chance with gain."""


Choice = tuple[int, int, bool]
"""Dice laid aside, steps gained, and whether they must be confirmed."""


def _choices(count: int) -> dict[tuple[Choice, ...], int]:
    """Return what throws of `count` dice offer, each with its weight: the most points for each number of dice aside."""
    found: dict[tuple[Choice, ...], int] = {}
    for throw in range(FIRST_THROW[count], FIRST_THROW[count + 1]):
        best: dict[tuple[int, bool], int] = {}
        for keep in THROW_KEEPS[THROW_KEEPS_AT[throw] : THROW_KEEPS_AT[throw + 1]]:
            kind = (KEEP_DICE[keep], keep >= STRAIGHT)
            best[kind] = max(best.get(kind, 0), KEEP_POINTS[keep] // STEP)
        choices = tuple((laid, steps, confirm) for (laid, confirm), steps in best.items())
        found[choices] = found.get(choices, 0) + THROW_WEIGHT[throw]
    return found


def _outlook() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return chance and gain, in SCALE and SCALE * STEP, of the simple player at dice * (STEPS + 1) + steps missing.

    With T points at risk and a throw to come, the turn is worth chance * T + gain to it. With nothing missing it
    throws once more all the same: that is what throwing on is compared with.
    """
    chance = [[1.0] * (STEPS + 1) for _ in range(7)]
    gain = [[0.0] * (STEPS + 1) for _ in range(7)]
    offers = [_choices(count) for count in range(7)]

    def finish(dice: int, missing: int, choice: Choice) -> tuple[float, float]:
        laid, steps, confirm = choice
        left, short = dice - laid, missing - steps
        if confirm or (left == 0 and short > 0):
            left, short = 6, min(max(HURDLE_STEPS, short), STEPS)
        if short <= 0:
            return 1.0, steps
        return chance[left][short], chance[left][short] * steps + gain[left][short]

    for _ in range(SWEEPS):
        for dice in range(1, 7):
            for missing in range(STEPS + 1):
                ends = [
                    (weight, max((finish(dice, missing, choice) for choice in choices), key=_worth))
                    for choices, weight in offers[dice].items()
                    if choices
                ]
                chance[dice][missing] = sum(weight * end[0] for weight, end in ends) / 6**dice
                gain[dice][missing] = sum(weight * end[1] for weight, end in ends) / 6**dice
    flat_chance = [round(SCALE * entry) for row in chance for entry in row]
    flat_gain = [round(SCALE * STEP * entry) for row in gain for entry in row]
    return tuple(flat_chance), tuple(flat_gain)


def _worth(end: tuple[float, float]) -> float:
    return end[0] * USUAL / STEP + end[1]


CHANCE_TO_STOP, GAIN_TO_COME = _outlook()


def most_points(o: Setup, actions: Any, n: int) -> int:
    """Return the keep that brings most; of equal ones the one that lays most dice aside."""
    best: int = actions[0]
    for i in range(1, n):
        points = keep_points(o, actions[i])
        best_points = keep_points(o, best)
        if points > best_points or (points == best_points and KEEP_DICE[actions[i]] > KEEP_DICE[best]):
            best = actions[i]
    return best


def entry_of(dice: int, missing: int) -> int:
    """Return the place in the tables for this many dice and points missing."""
    steps = (missing + STEP - 1) // STEP
    if steps < 0:
        steps = 0
    return dice * (STEPS + 1) + (steps if steps < STEPS else STEPS)


def needed_to_lead(v: State, o: Setup, seat: int) -> int:
    """Return the points this turn must bring in the last round to be ahead when it ends, 0 before (5050 §10, §11)."""
    if v.last_round == 0:
        return 0
    best = winning_seat(v, o)
    if best == seat:
        return 0
    # Level scores fall to the seat that comes earlier in the order of the game.
    behind = (best - o.first) % o.seats < (seat - o.first) % o.seats
    return v.written[best] - v.written[seat] + (1 if behind else 0)


def worth_of_going(o: Setup, dice: int, set_points: int, at_risk: int, need: int) -> int:
    """Return what throwing `dice` dice (none left: all six) is worth: points, or a chance where `need` is asked."""
    missing = o.threshold - set_points
    if dice == 0:
        dice = 6
        missing = o.threshold
    if need == 0:
        at = entry_of(dice, missing)
        return (CHANCE_TO_STOP[at] * at_risk + GAIN_TO_COME[at]) // SCALE
    if need - at_risk > missing:
        missing = need - at_risk
    return CHANCE_TO_STOP[entry_of(dice, missing)]


def worth_of_stopping(at_risk: int, need: int) -> int:
    """Return what it is worth to stop, to be compared with `worth_of_going`."""
    if need == 0:
        return at_risk
    return SCALE + at_risk if at_risk >= need else 0


def stops(v: State, o: Setup, seat: int, need: int) -> bool:
    """Say whether the good player stops where it may: at once if that wins, in a last round never while behind."""
    at_risk = v.earlier_points + v.set_points
    if at_risk < need:
        return False
    if may_close(v, o) and (need > 0 or v.written[seat] + at_risk >= o.target):
        return True
    return at_risk >= worth_of_going(o, v.dice, v.set_points, at_risk, 0)


def best_keep(v: State, o: Setup, actions: Any, n: int, need: int) -> int:
    """Return the keep after which the turn is worth most."""
    best: int = actions[0]
    best_worth = -1
    for i in range(n):
        set_points = v.set_points + keep_points(o, actions[i])
        at_risk = v.earlier_points + set_points
        worth = worth_of_going(o, v.dice - KEEP_DICE[actions[i]], set_points, at_risk, need)
        if actions[i] < STRAIGHT and set_points >= o.threshold:
            stop_worth = worth_of_stopping(at_risk, need)
            if stop_worth > worth:
                worth = stop_worth
        if worth > best_worth:
            best_worth = worth
            best = actions[i]
    return best


def memory(game: Game, knobs: Sequence[int] = KNOBS) -> "NDArray[np.int64]":
    """Return what players know who know best play: the tables of the solved game and room to work out a turn.

    `knobs` are those of the graded levels; they come first.
    """
    import numpy as np

    from bolzplatz.solve import solve
    from bolzplatz.solve.fifty_fifty import SolvedTurns

    solution = solve(game)
    assert isinstance(solution, SolvedTurns)
    return np.concatenate([np.array(knobs, dtype=np.int64), solution.memory()])


def worth_of_keep(v: State, o: Setup, m: Any, cap: int, keep: int) -> int:
    """Return what the prepared turn is worth after a keep."""
    unit = m[SOLVED_AT + S_UNIT]
    set_points = v.set_points + keep_points(o, keep)
    at_risk = (v.earlier_points + set_points) // unit
    dice = v.dice - KEEP_DICE[keep]
    may_stop = 1 if keep < STRAIGHT and set_points >= o.threshold else 0
    if dice == 0:
        dice = 6
        set_points = 0
    worth: int = m[value_place(m, SOLVED_AT, cap, at_risk, dice, set_points // unit, may_stop)]
    return worth


def worth_of_throwing(v: State, o: Setup, m: Any, cap: int) -> int:
    """Return what the prepared turn is worth if it goes on where one may stop."""
    at_risk = (v.earlier_points + v.set_points) // m[SOLVED_AT + S_UNIT]
    dice = v.dice
    set_points = v.set_points
    if dice == 0:
        dice = 6
        set_points = 0
    worth: int = m[value_place(m, SOLVED_AT, cap, at_risk, dice, set_points // m[SOLVED_AT + S_UNIT], 0)]
    return worth


def prepare(v: State, o: Setup, seat: int, actions: Any) -> int:
    """Work out the turn that `seat` is in; return its cap. The solved game lies behind the legal actions."""
    unit = actions[SOLVED_AT + S_UNIT]
    # Seats count from the one that begins: FIRST, SECOND, THIRD.
    role = (seat - o.first) % o.seats
    if v.last_round == 1:
        role = LAST if role == o.seats - 1 else CLOSING
    first = v.written[o.first] // unit
    second = v.written[(o.first + 1) % o.seats] // unit
    if o.seats == 3:
        cap: int = prepare_triple(actions, SOLVED_AT, role, first, second, v.written[(o.first + 2) % 3] // unit)
    else:
        cap = prepare_turn(actions, SOLVED_AT, role, first, second)
    return cap


def worth_of(v: State, o: Setup, m: Any, cap: int, action: int) -> int:
    """Return what the prepared turn is worth after a legal action, out of ONE."""
    if action == STOP:
        stopped: int = stop_value(m, SOLVED_AT, cap, (v.earlier_points + v.set_points) // m[SOLVED_AT + S_UNIT])
        return stopped
    if action == GO:
        return worth_of_throwing(v, o, m, cap)
    return worth_of_keep(v, o, m, cap, action)


def best_action(v: State, o: Setup, seat: int, actions: Any, n: int) -> int:
    """Return the best of the legal actions[:n], the first one where several are."""
    cap = prepare(v, o, seat, actions)
    best: int = actions[0]
    best_worth = worth_of(v, o, actions, cap, best)
    for i in range(1, n):
        worth = worth_of(v, o, actions, cap, actions[i])
        if worth > best_worth:
            best_worth = worth
            best = actions[i]
    return best


def graded_action(v: State, o: Setup, seat: int, actions: Any, n: int, knob: int, rng: Any) -> int:
    """Draw one of the legal actions[:n], the likelier the better it is (`bots.graded`)."""
    cap = prepare(v, o, seat, actions)
    best = worth_of(v, o, actions, cap, actions[0])
    for i in range(1, n):
        best = max(best, worth_of(v, o, actions, cap, actions[i]))
    total = 0
    for i in range(n):
        total += weight_of(best - worth_of(v, o, actions, cap, actions[i]), knob)
    rest = below(rng, total)
    i = 0
    weight = weight_of(best - worth_of(v, o, actions, cap, actions[0]), knob)
    while rest >= weight:
        rest -= weight
        i += 1
        weight = weight_of(best - worth_of(v, o, actions, cap, actions[i]), knob)
    pick: int = actions[i]
    return pick


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal actions[:n]."""
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    elif level == OPTIMAL:
        pick = best_action(v, o, seat, actions, n)
    elif level == CHILD:
        pick = STOP if actions[0] == STOP else most_points(o, actions, n)
    elif level < GOOD:
        pick = graded_action(v, o, seat, actions, n, actions[NUM_ACTIONS + level - CASUAL], rng)
    elif actions[0] == STOP:
        pick = STOP if stops(v, o, seat, needed_to_lead(v, o, seat)) else GO
    else:
        pick = best_keep(v, o, actions, n, needed_to_lead(v, o, seat))
    return pick
