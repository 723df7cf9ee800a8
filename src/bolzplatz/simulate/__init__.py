"""Mass play: millions of matches between computer players, counted, summed up with intervals, and drawn.

    from bolzplatz import load_game
    from bolzplatz.simulate import simulate
    result = simulate(load_game("5050"), ["good", "child"], matches=1_000_000, seed=7)

The same seed gives the same numbers for any number of workers: a match depends on the seed and its own number alone,
and all that is added up are whole numbers.
"""

from bolzplatz.simulate.results import PolicyResult, Seating, SeatResult, SimulationResult
from bolzplatz.simulate.run import seat_policies, simulate
from bolzplatz.simulate.statistics import Distribution, Share

__all__ = [
    "Distribution",
    "PolicyResult",
    "SeatResult",
    "Seating",
    "Share",
    "SimulationResult",
    "seat_policies",
    "simulate",
]
