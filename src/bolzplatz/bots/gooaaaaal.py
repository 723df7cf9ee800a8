"""Computer players of GOOAAAAAL!.

The child lays every ball and never thinks of keepers; in a ring, with two neighbours to watch, it overlooks its
supporters, too. The good player lays by need: a ball if it can still beat the
keepers it faces, a keeper if there is a ball to save; what may come it leaves out of account. The strong player weighs
every way to lay the dice of a throw by what the rest of the period is worth then (`gooaaaaal_outlook`). The optimal
player looks its move up in the solved game; it is there for two with four equal dice (`solve.gooaaaaal`).

How much room there is: with four dice each, best play against a good player that also lays a keeper for a ball that may
come would win 54.8 % of matches at most, by exact calculation over all throws of the periods. So that player was no
step below the strong one; against this one best play wins 63.2 % of matches and 81.2 % of games to five goals.
"""

from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots.gooaaaaal_outlook import NONE, OUTLOOK_ROOM, allowed, plan_throw
from bolzplatz.core.fast import below
from bolzplatz.core.game import Game
from bolzplatz.games.gooaaaaal.decisions import joker_choice, joker_face
from bolzplatz.games.gooaaaaal.flow import keepers_against, throws_to_come
from bolzplatz.games.gooaaaaal.state import (
    AIM,
    BALL,
    BALL_PLACED,
    FIVE_GOALS,
    GO_ON,
    HAND,
    KEEPER,
    KEEPER_PLACED,
    LAST_LYING,
    MAX_DICE,
    QUARTER,
    REMOVE,
    TAP,
    Setup,
    State,
    count_dice,
    facing,
    lying_dice,
)
from bolzplatz.solve.gooaaaaal_kernels import best_throw_action

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVELS: Final = ("random", "child", "good", "strong", "optimal")
SOLVED: Final = ("optimal",)
COMPILED: Final = SOLVED
"""To work out a turn takes a moment."""
RANDOM: Final = 0
CHILD: Final = 1
GOOD: Final = 2
OPTIMAL: Final = 4

WORK: Final = OUTLOOK_ROOM
"""The solved game lies behind it."""

TAP_MS: Final = (1600, 1000, 750, 600, 600)
"""What the hand of a level needs from its dice to the next tap, on average; a person who hurries needs 300 to 600."""
TAPS_AN_HOUR: Final = 3_600_000
"""Milliseconds in it: what a mean time comes to as a rate."""
TAP_SPREAD: Final = 4
"""The quickest tap takes a quarter less than the average, the slowest a quarter more."""


def memory(game: Game) -> "NDArray[np.int64]":
    """Return what the optimal player knows, behind the work memory of the strong one."""
    import numpy as np

    from bolzplatz.solve import solve
    from bolzplatz.solve.gooaaaaal import Gooaaaaal

    solution = solve(game)
    assert isinstance(solution, Gooaaaaal)
    return np.concatenate([np.zeros(OUTLOOK_ROOM, dtype=np.int64), solution.memory()])


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal actions[:n]."""
    if level == RANDOM or v.phase == AIM:
        pick: int = actions[below(rng, n)]
    elif level == OPTIMAL:
        pick = best_throw_action(actions, o.actions + OUTLOOK_ROOM, v, o)
    elif n == 1 or v.phase == GO_ON:
        pick = actions[0]
    elif v.phase == REMOVE:
        pick = give_up_die(v, o, seat, actions, n)
    elif level == CHILD:
        pick = child_choice(v, o, actions, n, rng)
    elif level == GOOD:
        pick = good_choice(v, o, seat, actions, n)
    else:
        pick = plan_throw(v, o, seat, actions, n)
    return pick


def give_up_die(v: State, o: Setup, seat: int, actions: Any, n: int) -> int:
    """Give up a die in the hand if there is one, else a keeper, a ball last."""
    best: int = actions[0]
    best_place = -1
    for i in range(n):
        place = v.dice[seat * MAX_DICE + actions[i] - o.at_remove]
        if place == HAND:
            place = MAX_DICE * MAX_DICE
        if place > best_place:
            best = actions[i]
            best_place = place
    return best


def child_choice(v: State, o: Setup, actions: Any, n: int, rng: Any) -> int:
    """Lay every ball, anywhere, take what is for free, and shoot penalties; keepers are no fun."""
    pick = allowed(actions, n, 0, o.at_keeper)
    if pick >= 0 and o.lines == 2:
        pick = actions[below(rng, 2)] if allowed(actions, n, pick + 1, o.at_keeper) > 0 else pick
    if pick < 0:
        pick = allowed(actions, n, o.at_aside, o.at_return)
    if pick < 0 and o.ring == 0:
        pick = allowed(actions, n, o.at_again, o.at_joker)
    if pick < 0:
        pick = allowed(actions, n, o.at_joker, o.at_joker + o.lines * o.slots)
    if pick < 0:
        pick = allowed(actions, n, o.at_offside, o.at_remove)
    if pick < 0 and actions[n - 1] > o.at_kick:
        pick = actions[n - 2]
    return pick if pick >= 0 else o.at_done


def good_choice(v: State, o: Setup, seat: int, actions: Any, n: int) -> int:
    """Lay what is needed, then take all that helps.

    In a ring that plays to five goals a die aside is worth more in the hand: it has two lines to find a place on.
    """
    pick = needed(v, o, seat, actions, n)
    if pick < 0 and throws_to_come(v, o, seat) > 0 and (o.ring == 0 or o.mode != FIVE_GOALS):
        pick = allowed(actions, n, o.at_aside, o.at_return)
    if pick < 0:
        pick = allowed(actions, n, o.at_again, o.at_joker)
    if pick < 0:
        pick = joker_to_play(v, o, seat, actions, n)
    if pick < 0:
        pick = allowed(actions, n, o.at_offside, o.at_red)
    if pick < 0:
        pick = allowed(actions, n, o.at_red + 1, o.at_remove)
    if pick < 0:
        pick = allowed(actions, n, o.at_red, o.at_remove)
    if pick < 0 and allowed(actions, n, o.at_kick, o.at_done) >= 0:
        pick = kick_all(v, o, seat)
    return pick if pick >= 0 else o.at_done


def needed(v: State, o: Setup, seat: int, actions: Any, n: int) -> int:
    """Return the first action that lays a ball or keeper where it is needed most, or NONE."""
    best = NONE
    best_need = 0
    for i in range(n):
        if actions[i] < o.at_aside:
            if actions[i] < o.at_keeper:
                need = ball_need(v, o, seat, actions[i] // o.slots)
            else:
                need = keeper_need(v, o, seat, (actions[i] - o.at_keeper) // o.slots)
            if need > best_need:
                best = actions[i]
                best_need = need
    return best


def ball_need(v: State, o: Setup, seat: int, line: int) -> int:
    """Return how much a ball is needed on a line: not at all where it cannot beat the keepers any more."""
    ahead = count_dice(v, o, seat, BALL_PLACED + line) - keepers_against(v, o, seat, line)
    if ahead + lying_dice(v, o, seat) <= 0:
        return 0
    return 20 + ahead


def keeper_need(v: State, o: Setup, seat: int, line: int) -> int:
    """Return how much a keeper is needed on a line: while balls are there to save; of those to come it never thinks."""
    other = facing(o, seat, line)
    balls = count_dice(v, o, other, BALL_PLACED + (1 - line if o.ring == 1 else 0))
    open_balls = balls - count_dice(v, o, seat, KEEPER_PLACED + line)
    return 10 + open_balls if open_balls > 0 else 0


def joker_to_play(v: State, o: Setup, seat: int, actions: Any, n: int) -> int:
    """Play a joker as a ball or keeper that is needed, else as a quarter; NONE if neither is possible."""
    best = NONE
    best_need = 0
    for i in range(n):
        if o.at_joker <= actions[i] < o.at_offside:
            choice = joker_choice(o, actions[i])
            face = joker_face(o, choice)
            need = 1 if face == QUARTER else 0
            if face == BALL:
                need = ball_need(v, o, seat, choice)
            elif face == KEEPER:
                need = keeper_need(v, o, seat, choice - o.lines)
            if need > best_need:
                best = actions[i]
                best_need = need
    return best


def kick_all(v: State, o: Setup, seat: int) -> int:
    """Return the free kick that throws every die that lies there."""
    chosen = 0
    for die in range(o.dice):
        if v.dice[seat * MAX_DICE + die] <= LAST_LYING:
            chosen += 1 << die
    return o.at_kick + chosen - 1


def reaction_ms(level: int, v: State, o: Setup, action: int, rng: Any) -> int:
    """Draw the time from the dice to the next tap in a race in which each tap throws, in milliseconds."""
    mean = TAP_MS[level]
    return mean - mean // TAP_SPREAD + below(rng, 2 * mean // TAP_SPREAD + 1)


def draw_chance(levels: Any, s: State, o: Setup, rng: Any, drawn: Any) -> int:
    """Draw whose hand is the next to tap: the quicker a level, the more often; -1 for dice, which fall as usual."""
    if s.phase != TAP:
        return -1
    total = 0
    for seat in range(o.seats):
        if s.racing[seat] == 1:
            total += TAPS_AN_HOUR // TAP_MS[levels[seat]]
    rest = below(rng, total)
    outcome = 0
    for seat in range(o.seats):
        if s.racing[seat] == 1:
            rest -= TAPS_AN_HOUR // TAP_MS[levels[seat]]
            if rest < 0:
                return outcome
            outcome += 1
    return outcome
