"""Players between a child and best play, for solved games: they see what each move is worth, and slip.

A move that gives the chance x away is chosen in proportion to exp(-x / knob): softmax on exact values with one knob,
in units of `ONE`. For each game and level the knob is set so that under the standard rules a decision gives away, in
the mean over matches of that level against itself, what `GIVEN_AWAY` says (`simulate.grading` finds knobs and checks
them). A decision is a choice between two moves at least.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bolzplatz.solve.turn_kernels import ONE

GRADED: Final = ("casual", "adult", "keen")
"""The graded levels, weakest first."""
GIVEN_AWAY: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "bar-bolz": {"casual": 0.01, "adult": 0.005, "keen": 0.002},
        "5050": {"casual": 0.005, "adult": 0.002, "keen": 0.001},
    }
)
"""The chance to win that a decision of theirs costs in the mean; a match of 5050 has some twenty of each side."""

FINENESS: Final = 64
"""Entries of the table for each knob that a move gives away."""
FULL: Final = 1 << 20
"""The weight of a best move; the weights of all moves together stay below 2**31."""
WEIGHTS: Final = tuple(round(FULL * math.exp(-entry / FINENESS)) for entry in range(14 * FINENESS))
"""Weights by what is given away; whole numbers, so that every machine chooses alike."""


def weight_of(loss: int, knob: int) -> int:
    """Return the weight of a move that gives away `loss` of ONE, by a player with this knob; function of the subset."""
    entry = loss * FINENESS // knob
    if entry >= len(WEIGHTS):
        return 0
    return WEIGHTS[entry]


def knob(share: float) -> int:
    """Return a knob in units of ONE."""
    return round(share * ONE)
