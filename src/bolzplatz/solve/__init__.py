"""Exact answers: games and variants whose best play is known, and what follows from it.

    from bolzplatz import load_game
    from bolzplatz.solve import move_chances, solve
    solution = solve(load_game("5050"))
    solution.win_chances(state)          # of every seat, when everybody plays best
    move_chances(solution, state)        # of the seat that decides, after each of its moves

Generic pieces: `graph` (all positions of a game through its compiled rules, valued by backward induction and Newton
steps), `exact` (the same in fractions), `turns` (one turn as a graph), `tables` (files of what is solved).
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from types import ModuleType
from typing import Final

from bolzplatz.core.game import Game
from bolzplatz.solve.solution import (
    Estimate,
    Progress,
    Solution,
    SolveError,
    best_moves,
    expected_chances,
    move_chances,
    say_nothing,
)

__all__ = [
    "Estimate",
    "Progress",
    "Solution",
    "SolveError",
    "best_moves",
    "estimate",
    "expected_chances",
    "move_chances",
    "refusal",
    "say_nothing",
    "solve",
]

_SOLVERS: Final = {
    "5050": "bolzplatz.solve.fifty_fifty",
    "5050 for 3": "bolzplatz.solve.fifty_fifty_three",
    "bar-bolz": "bolzplatz.solve.bar_bolz",
    "gooaaaaal": "bolzplatz.solve.gooaaaaal",
}
"""By the game's name, or by that and how many play."""


def _solver(game: Game) -> ModuleType | None:
    """Return the module that solves a game, if any."""
    name = _SOLVERS.get(f"{game.name} for {game.num_players}") or _SOLVERS.get(game.name)
    return None if name is None else importlib.import_module(name)


def refusal(game: Game, long: bool = False) -> str | None:
    """Return why a game with its options is not solved, None where it is.

    `long`: whether a run of hours is welcome; else a variant that takes one is solved only where its table is there.
    """
    solver = _solver(game)
    if solver is None:
        known = sorted({name.partition(" ")[0] for name in _SOLVERS})
        return f"{game.name}: no solver knows this game; solved are {' and '.join(known)}"
    reason: str | None = solver.refusal(game)
    if reason is None and not long and hasattr(solver, "too_long"):
        reason = solver.too_long(game)
    return reason


def estimate(game: Game, workers: int | None = None) -> Estimate | None:
    """Return what it takes to solve a game, by a sample; None where that is a minute at most. Raises SolveError."""
    if reason := refusal(game, long=True):
        raise SolveError(reason)
    measure: Callable[[Game, int | None], Estimate] | None = getattr(_solver(game), "estimate", None)
    return None if measure is None else measure(game, workers)


@dataclass(slots=True)
class _Place:
    """Where this process keeps a game's solution; whoever holds the lock solves it."""

    solution: Solution | None = None
    lock: Lock = field(default_factory=Lock)


@lru_cache(maxsize=8)
def _kept(game: Game) -> _Place:
    """Return the place of a game."""
    del game
    return _Place()


def solve(game: Game, progress: Progress = say_nothing, workers: int | None = None, long: bool = False) -> Solution:
    """Return the solved game, from memory or its table where it has been solved before.

    A thread that asks for what another one is solving waits for it. Ctrl-C ends a long run; the next call goes on from
    where it was. `long`: whether it may take hours. Raises SolveError (see `refusal`).
    """
    kept = _kept(game)
    with kept.lock:
        if kept.solution is None:
            if reason := refusal(game, long):
                raise SolveError(reason)
            solver = _solver(game)
            assert solver is not None
            # Only a solver of long runs asks.
            more = {"long": long} if hasattr(solver, "too_long") else {}
            solution: Solution = solver.solve(game, progress, workers, **more)
            kept.solution = solution
        return kept.solution
