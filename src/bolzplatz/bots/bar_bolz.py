"""Computer players for Bar-Bolz-Bande. The only decision of the game is whether an offered penalty is taken."""

from collections.abc import Sequence
from typing import Any, Final

from bolzplatz.bots.graded import FULL, GRADED, knob, weight_of
from bolzplatz.core.fast import below
from bolzplatz.core.game import Game
from bolzplatz.games.bar_bolz import DECLINE, TAKE, side_of
from bolzplatz.solve.turn_kernels import ONE

LEVELS: Final = ("random", "child", *GRADED, "good", "optimal")
SOLVED: Final = (*GRADED, "optimal")
RANDOM: Final = 0
CHILD: Final = 1
CASUAL: Final = 2
GOOD: Final = 5
OPTIMAL: Final = 6
KNOBS: Final = (knob(0.119), knob(0.0795), knob(0.0545))
"""Of the graded levels, on the chance that the attack becomes a goal."""

FOULS: Final = 3
"""An attack goes on with up to two fouls."""
STEP: Final = 5
ROW: Final = 10 * FOULS
"""Entries of each side in the memory, by steps of points and by fouls: what it brings to take a penalty, of ONE."""
GAINS: Final = DECLINE + 1 + len(KNOBS)
"""Where they begin, behind the legal actions and the knobs."""


def memory(game: Game, knobs: Sequence[int] = KNOBS) -> list[int]:
    """Return what players know who know best play: how much better than to roll on a penalty is for each attacker.

    `knobs` are those of the graded levels.
    """
    from bolzplatz.solve import solve
    from bolzplatz.solve.bar_bolz import BarBolz

    solution = solve(game)
    assert isinstance(solution, BarBolz)
    entries = [0] * (2 * ROW)
    for side, attack in solution.attacks.items():
        for points, fouls, gain in attack.gains():
            entries[side * ROW + points // STEP * FOULS + fouls] = round(gain * ONE)
    return [*knobs, *entries]


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal answers actions[:n]: take comes first, decline second where it is allowed.

    A random player draws lots, a child would rather roll on, a good player shoots: with three dark faces a shot scores
    half the time, and rolling on never does better than .367 (bar-bolz §5). The optimal player knows where rolling on
    is better, which it may be with fewer dark faces; graded players know as well, and slip.
    """
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    elif level == CHILD:
        pick = actions[n - 1]
    elif level != GOOD and n > 1:
        gain = actions[GAINS + side_of(o, seat) * ROW + v.points // STEP * FOULS + v.fouls]
        takes = gain >= 0
        if level != OPTIMAL:
            worse = weight_of(abs(gain), actions[DECLINE + 1 + level - CASUAL])
            if below(rng, FULL + worse) >= FULL:
                takes = not takes
        pick = TAKE if takes else DECLINE
    else:
        pick = actions[0]
    return pick
