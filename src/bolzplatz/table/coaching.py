"""The coach at the table: each seat's chance to win, and what each move would make of it, the same for all seats.

Where the game with its options is solved (`solve`), or just this part of it (`solve.subgames`), it knows; else, and
until then, it plays on many times (`bots.playouts`) and says how far off it may be. All that takes a while, and happens
in threads; until then the coach says that it is at work, and whoever listens is told when it is done. Where things are
hidden it speaks to the seat that decides alone, of what that seat may know. It has nothing to say where seats move at
once.
"""

import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock, RLock, Thread
from typing import Any, Final

from bolzplatz.bots.playouts import judge
from bolzplatz.bots.search import Budget
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import SIMULTANEOUS
from bolzplatz.solve import Solution, SolveError, move_chances, refusal, solve
from bolzplatz.solve.subgames import sub_games
from bolzplatz.table.why import reason
from bolzplatz.table.why_gooaaaaal import Reason

SOLVING: Final = "solving"
UNKNOWN: Final = "unknown"
HIDDEN: Final = "hidden"
UNCOUNTED: Final = "uncounted"
ANY: Final = "any"
"""The value of `dice` or `deck` for a real box that nobody has counted."""
READY: Final = "ready"
PLAYED_ON: Final = "played on"
KEPT: Final = 1024
"""Positions whose advice is kept, more than there are tables: every browser at a table is told the same."""
VARIANTS_KEPT: Final = 8
"""Games with their options whose solution is kept, as many as `solve` itself keeps: a table reads it anew from disk."""
MOST_SOLVING: Final = 8
"""Variants that wait to be solved; for others the coach plays on until there is room."""
FAILED: Final = "failed"
MOST_WAITING: Final = 16
"""Positions that wait to be played on from; the oldest are given up, as their tables have moved on."""
SEED: Final = 2026
THINKING: Final = Budget(seconds=1.0)
BEFORE_THROWS: Final = 0.15
"""The part of this time that a position gets in which nobody decides."""

_log = logging.getLogger(__name__)


def can_coach(game: Game) -> bool:
    """Say whether the coach has anything to say of a game."""
    return game.spec.rules.apply_joint is None


def has_odds(state: State) -> bool:
    """Say whether the chances of what comes are known: nobody knows those of real dice or cards that are not counted.

    Where the rest of a match hangs on neither, as with a shot of Dribbel-Fieber, they are.
    """
    options, parts = state.game.options, sub_games(state.game)
    if ANY not in (options.get("dice"), options.get("deck")):
        return True
    return parts is not None and parts.refusal(state) is None


class Coach:
    """Advice for all tables of a process."""

    def __init__(self, thinking: Budget = THINKING) -> None:
        self._solutions = OrderedDict[Game, Solution | str]()
        """By game, the one that was asked for last at the end; SOLVING, or FAILED: for those the coach plays on."""
        self._said = OrderedDict[tuple[Any, ...], dict[str, Any]]()
        self._lock = RLock()
        self._solving = Lock()
        """One game is solved after the other: tables of many variants must not take the whole machine."""
        self._thinking = thinking
        self._waiting = OrderedDict[tuple[Any, ...], State]()
        self._player: Thread | None = None
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Let `listener` be called, from a thread, whenever more is known; return what ends that."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            try:
                listener()
            except RuntimeError:  # the loop of that table is closed
                continue

    def solution(self, game: Game) -> Solution | None:
        """Return the solved game, or None while it is being solved in a thread; the first call begins with it.

        Raises SolveError where that failed.
        """
        with self._lock:
            if game not in self._solutions:
                if list(self._solutions.values()).count(SOLVING) >= MOST_SOLVING:
                    return None
                self._solutions[game] = SOLVING
                # A daemon: it must not keep the process from ending.
                Thread(target=self._solve, args=(game,), daemon=True).start()
            self._solutions.move_to_end(game)
            found = self._solutions[game]
        if found == FAILED:
            raise SolveError(f"{game.name} could not be solved here")
        return None if isinstance(found, str) else found

    def _found(self, game: Game, solution: Solution | str) -> None:
        """Keep what became of a game, and forget those that nobody has asked for the longest."""
        with self._lock:
            self._solutions[game] = solution
            done = [each for each, kept in self._solutions.items() if kept != SOLVING]
            for each in done[:-VARIANTS_KEPT]:
                del self._solutions[each]
        self._tell()

    def _solve(self, game: Game) -> None:
        try:
            with self._solving:
                solution = solve(game)
            solution.win_chances(game.new_initial_state())  # what has to be compiled is compiled here
        except Exception:
            _log.exception("%s cannot be solved", game.name)
            self._found(game, FAILED)
            return
        self._found(game, solution)

    def advice(self, state: State, seats: Sequence[int] = ()) -> dict[str, Any]:
        """Return what the coach says of a position to a browser that plays `seats`.

        Keys: `state` (READY, SOLVING while it is at work, HIDDEN where only the seat that decides may be told, UNKNOWN
        where it knows nothing, UNCOUNTED where nobody knows the odds); if READY, `chances` of the seats, `moves` of the
        seat that decides: {move, chance}, the best first, and `error` where the chance comes from playing on;
        `prospects` (`solve.solution`); `why` the first one is the best: a key and its numbers (`table.why`), or None.
        """
        if not can_coach(state.game) or state.current_player() == SIMULTANEOUS:
            return {"state": UNKNOWN}
        if not has_odds(state):
            return {"state": UNCOUNTED}
        if not state.game.spec.perfect_information and list(seats) != [state.current_player()]:
            # Nor where several people share a browser: the other one would read the hand in it.
            return {"state": HIDDEN}
        if refusal(state.game) is not None:
            return self._played_on(state)
        try:
            solution = self.solution(state.game)
        except SolveError:
            solution = None
        if solution is None:  # that may take minutes; what playing on shows is better than nothing
            return self._played_on(state)
        key = state.key()
        with self._lock:
            if key not in self._said:
                self._keep(key, _exact(solution, state))
            return self._said[key]

    def _keep(self, key: tuple[Any, ...], advice: dict[str, Any]) -> None:
        self._said[key] = advice
        if len(self._said) > KEPT:
            self._said.popitem(last=False)

    def _played_on(self, state: State) -> dict[str, Any]:
        key = (PLAYED_ON, *state.key())
        with self._lock:
            if key in self._said:
                return self._said[key]
            if key not in self._waiting:
                self._waiting[key] = state.clone()
                if len(self._waiting) > MOST_WAITING:
                    self._waiting.popitem(last=False)
            if self._player is None:
                self._player = Thread(target=self._play, args=(), daemon=True)
                self._player.start()
            # A thread that is done at once, as in tests, has the answer already.
            return self._said.get(key, {"state": SOLVING})

    def _play(self) -> None:
        """Play on from the positions that wait, the newest first."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._player = None
                    return
                key, state = self._waiting.popitem()
            try:
                advice = _worked_out(state, self._thinking)
            except Exception:  # the thread must go on: it is the only one, for all tables
                _log.exception("%r cannot be played on", state)
                advice = {"state": UNKNOWN}
            with self._lock:
                self._keep(key, advice)
            self._tell()


def _exact(solution: Solution, state: State) -> dict[str, Any]:
    chances = solution.win_chances(state)  # first: the graph of this position holds those after its moves
    ranked = sorted(move_chances(solution, state).items(), key=lambda move: -move[1])
    moves = [{"move": state.action_to_string(action), "chance": chance} for action, chance in ranked]
    return {
        "state": READY,
        "chances": list(chances),
        "moves": moves,
        "prospects": solution.prospects(state),
        "why": _why(solution, state, moves),
    }


def _worked_out(state: State, thinking: Budget) -> dict[str, Any]:
    """Return exact advice where just this part of the game is solved, else what playing on shows."""
    parts = sub_games(state.game)
    if parts is not None and parts.refusal(state) is None:
        with contextlib.suppress(SolveError):  # a turn with too many positions
            return _exact(parts, state)
    return _by_playing(state, thinking)


def _why(solution: Solution | None, state: State, moves: Sequence[Mapping[str, Any]]) -> Reason | None:
    """Return why the first move is better than the second one."""
    return reason(solution, state, moves[0]["move"], moves[1]["move"]) if len(moves) > 1 else None


def _by_playing(state: State, thinking: Budget) -> dict[str, Any]:
    if state.is_chance_node():  # nobody waits for what is said before a throw
        thinking = replace(thinking, seconds=thinking.seconds * BEFORE_THROWS)
    judged = judge(state, SEED, thinking)
    moves = [
        {"move": state.action_to_string(action), "chance": chance, "error": error}
        for action, (chance, error) in judged.moves.items()
    ]
    return {
        "state": READY,
        "chances": list(judged.chances),
        "moves": moves,
        "prospects": {},
        "why": _why(None, state, moves),
        "matches": judged.matches,
    }


COACH: Final = Coach()
