"""Computer players for Bar-Bolz-Bande. The only decision of the game is whether an offered penalty is taken."""

from typing import Any, Final

from bolzplatz.core.fast import below
from bolzplatz.core.game import Game
from bolzplatz.games.bar_bolz import DECLINE, TAKE, side_of

LEVELS: Final = ("random", "child", "good", "optimal")
SOLVED: Final = ("optimal",)
RANDOM: Final = 0
CHILD: Final = 1
OPTIMAL: Final = 3

FOULS: Final = 3
"""An attack goes on with up to two fouls."""
STEP: Final = 5
ROW: Final = 10 * FOULS
"""Entries of each side in the memory: 1 where a penalty is best declined, by steps of points and by fouls."""


def memory(game: Game) -> list[int]:
    """Return what the optimal player knows: where each side's attacker should decline a penalty."""
    from bolzplatz.solve import solve
    from bolzplatz.solve.bar_bolz import BarBolz

    solution = solve(game)
    assert isinstance(solution, BarBolz)
    entries = [0] * (2 * ROW)
    for side, attack in solution.attacks.items():
        for points, fouls in attack.declines():
            entries[side * ROW + points // STEP * FOULS + fouls] = 1
    return entries


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal answers actions[:n]: take comes first, decline second where it is allowed.

    A random player draws lots, a child would rather roll on, a good player shoots: with three dark faces a shot scores
    half the time, and rolling on never does better than .367 (bar-bolz §5). The optimal player knows where rolling on
    is better, which it may be with fewer dark faces.
    """
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    elif level == CHILD:
        pick = actions[n - 1]
    elif level == OPTIMAL and n > 1:
        at = DECLINE + 1 + side_of(o, seat) * ROW + v.points // STEP * FOULS + v.fouls
        pick = DECLINE if actions[at] == 1 else TAKE
    else:
        pick = actions[0]
    return pick
