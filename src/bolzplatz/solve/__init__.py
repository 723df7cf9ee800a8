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
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import Final

from bolzplatz.core.game import Game
from bolzplatz.solve.solution import (
    Progress,
    Solution,
    SolveError,
    best_moves,
    expected_chances,
    move_chances,
    say_nothing,
)

__all__ = [
    "Progress",
    "Solution",
    "SolveError",
    "best_moves",
    "expected_chances",
    "move_chances",
    "refusal",
    "say_nothing",
    "solve",
]

_SOLVERS: Final = {
    "5050": "bolzplatz.solve.fifty_fifty",
    "bar-bolz": "bolzplatz.solve.bar_bolz",
    "gooaaaaal": "bolzplatz.solve.gooaaaaal",
}


def refusal(game: Game) -> str | None:
    """Return why a game with its options is not solved, None where it is."""
    if game.name not in _SOLVERS:
        return f"{game.name}: no solver knows this game; solved are {' and '.join(sorted(_SOLVERS))}"
    reason: str | None = importlib.import_module(_SOLVERS[game.name]).refusal(game)
    return reason


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


def solve(game: Game, progress: Progress = say_nothing, workers: int | None = None) -> Solution:
    """Return the solved game, from memory or its table where it has been solved before.

    A thread that asks for what another one is solving waits for it. Ctrl-C ends a long run; the next call goes on from
    where it was. Raises SolveError (see `refusal`).
    """
    kept = _kept(game)
    with kept.lock:
        if kept.solution is None:
            if reason := refusal(game):
                raise SolveError(reason)
            solution: Solution = importlib.import_module(_SOLVERS[game.name]).solve(game, progress, workers)
            kept.solution = solution
        return kept.solution
