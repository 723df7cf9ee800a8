"""The coach at the table: each seat's chance to win, and what each move would make of it, the same for all seats.

It speaks only where the game with its options is solved (`solve`). To solve it, or to open its table, takes a while;
that happens in a thread, and until it is done the coach says so.
"""

import logging
from collections import OrderedDict
from threading import RLock, Thread
from typing import Any, Final

from bolzplatz.core.errors import BolzplatzError
from bolzplatz.core.game import Game, State
from bolzplatz.solve import Solution, move_chances, refusal, solve

SOLVING: Final = "solving"
UNKNOWN: Final = "unknown"
READY: Final = "ready"
KEPT: Final = 64
"""Positions whose advice is kept: every browser at a table is told the same."""

_log = logging.getLogger(__name__)


class Coach:
    """Advice for all tables of a process."""

    def __init__(self) -> None:
        self._solutions: dict[Game, Solution | None] = {}
        self._said = OrderedDict[tuple[Any, ...], dict[str, Any]]()
        self._lock = RLock()

    def solution(self, game: Game) -> Solution | None:
        """Return the solved game, or None while it is being solved in a thread; the first call begins with it."""
        with self._lock:
            if game not in self._solutions:
                self._solutions[game] = None
                # A daemon: it must not keep the process from ending.
                Thread(target=self._solve, args=(game,), daemon=True).start()
            return self._solutions[game]

    def _solve(self, game: Game) -> None:
        try:
            solution = solve(game)
            solution.win_chances(game.new_initial_state())  # what has to be compiled is compiled here
        except BolzplatzError:
            _log.exception("%s cannot be solved", game.name)
            return
        with self._lock:
            self._solutions[game] = solution

    def advice(self, state: State) -> dict[str, Any]:
        """Return what the coach says of a position.

        Keys: `state` (READY, SOLVING, or UNKNOWN where these rules are not solved); if READY, `chances` of the seats,
        `moves` of the seat that decides: {move, chance}, the best first, and `prospects` (`solve.solution`).
        """
        if refusal(state.game) is not None:
            return {"state": UNKNOWN}
        solution = self.solution(state.game)
        if solution is None:
            return {"state": SOLVING}
        key = state.key()
        with self._lock:
            if key not in self._said:
                self._said[key] = _advice(solution, state)
                if len(self._said) > KEPT:
                    self._said.popitem(last=False)
            return self._said[key]


def _advice(solution: Solution, state: State) -> dict[str, Any]:
    ranked = sorted(move_chances(solution, state).items(), key=lambda move: -move[1])
    return {
        "state": READY,
        "chances": list(solution.win_chances(state)),
        "moves": [{"move": state.action_to_string(action), "chance": chance} for action, chance in ranked],
        "prospects": solution.prospects(state),
    }


COACH: Final = Coach()
