"""Computer players for Bar-Bolz-Bande. The only decision of the game is whether an offered penalty is taken."""

from typing import Any, Final

from bolzplatz.core.fast import below

LEVELS: Final = ("random", "child", "good")
RANDOM: Final = 0
CHILD: Final = 1


def choose(level: int, v: Any, o: Any, seat: int, actions: Any, n: int, rng: Any) -> int:
    """Choose one of the legal answers actions[:n]: take comes first, decline second where it is allowed.

    A random player draws lots, a child would rather roll on, a good player shoots: with three dark faces a shot scores
    half the time, and rolling on never does better than .367 (bar-bolz §5).
    """
    if level == RANDOM:
        pick: int = actions[below(rng, n)]
    elif level == CHILD:
        pick = actions[n - 1]
    else:
        pick = actions[0]
    return pick
