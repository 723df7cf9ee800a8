"""5050 for two players, solved for the chance to win.

One turn is the same graph at every score (`solve.turns`). Between turns a position is who is to move and both scores:
with 5050 as the target 101 · 101 for the seat that began, and as many for the other. A turn leads to higher scores,
or by a bust to the same ones with the other seat to move, which a bust leads back from. So pairs of scores are solved
from the highest sum down, both seats' turns at one pair together (`turn_kernels.solve_pair`). In the last round the
second seat needs one step more than the first one's lead; that is a table of its own.
"""

import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from queue import SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.game import Game, State
from bolzplatz.core.workplace import on_cluster
from bolzplatz.games import fifty_fifty as rules
from bolzplatz.games.fifty_fifty import KEEPING, OVER, STOPPING, go_on
from bolzplatz.solve import turn_kernels as kernels
from bolzplatz.solve.solution import Progress, SolveError, final_chances, say_nothing
from bolzplatz.solve.tables import Table, TableError, identity_of, provenance, read_table, table_path, write_table
from bolzplatz.solve.turn_kernels import FIRST, LAST, ONE, SECOND
from bolzplatz.solve.turns import TurnGraph, turn_graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_STEPS: Final = 200
"""Steps to the target up to which a solution is tried: time grows with their third power, 101 take some 15 s, and any
table whose coach or computer player wants to know best play can ask for it."""
TAIL: Final = 600
"""Steps up to which the last round is tabled; nobody ever gets more in one turn (chance below 1e-14)."""
LEAD_CHANCE: Final = ONE // 10**6
"""A lead that one turn makes up with no more than this chance counts as any larger one.

Nobody throws on with such a lead; it only comes about where a long run of combinations forbids to stop, so that the
error is this chance times one as small again.
"""
SAVE_SECONDS: Final = 5.0
PIECE: Final = 8
"""Pairs of scores that one thread solves at a time."""
KEPT_TURNS: Final = 256
"""Turns whose values a solution keeps at hand."""


def read_turn(data: Any) -> tuple[tuple[int, int, int], int]:
    """Tell of a position before a throw what matters, and the points at risk."""
    return (data.dice, data.set_points, data.to_confirm), data.earlier_points + data.set_points


def turn_of(game: Game) -> TurnGraph:
    """Return the graph of a turn with these options."""
    return turn_graph(
        game, read_turn, lambda data: go_on(data, game.setup, None), lambda data: bool(data.phase == STOPPING)
    )


def steps_of(game: Game, turn: TurnGraph) -> int:
    """Return how many steps of points the target is away."""
    target: int = game.setup.target
    return -(-target // turn.unit)


def lead_cap_of(last: "NDArray[np.int64]") -> int:
    """Return the lead from which on the other seat's chances in the last round count as those of any larger one."""
    return int((last > LEAD_CHANCE).sum())


def refusal(game: Game) -> str | None:
    """Return why this variant is not solved, None where it is."""
    if game.num_players != 2:
        return f"5050 is solved for two players, not for {game.num_players}"
    if game.setup.target > MOST_STEPS * 50:
        return f"5050 is solved for targets up to {MOST_STEPS * 50:,}, not for {game.setup.target:,}"
    return None


class FiftyFifty:
    """5050 for two players, solved."""

    def __init__(self, game: Game, turn: TurnGraph, table: Table) -> None:
        self._game, self.turn, self.table = game, turn, table
        self.steps = steps_of(game, turn)
        arrays = table.arrays
        self.first, self.second, self.last = arrays["first"], arrays["second"], arrays["last"]
        self._code = compile_functions((kernels.prepare_turn,))
        self._memory = self.memory(len(self.last) - 1)
        self._turns = OrderedDict[tuple[int, int, int], "NDArray[np.int64]"]()
        # A turn is worked out in one memory, and compiled code lets other threads run meanwhile.
        self._lock = Lock()

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._game

    def memory(self, lead_cap: int | None = None) -> "NDArray[np.int64]":
        """Return the tables and a turn to work out, as `turn_kernels.prepare_turn` and computer players want them.

        `lead_cap`: from which lead on more makes no difference; that of the solver where None.
        """
        import numpy as np

        if lead_cap is None:
            lead_cap = lead_cap_of(self.last)

        turn = self.turn.memory(self.steps + len(self.last))
        row = 1 + max(key[1] for key in self.turn.class_of) // self.turn.unit
        classes = np.full(7 * row, -1, dtype=np.int64)
        for (dice, points, _), kind in self.turn.class_of.items():
            place = dice * row + points // self.turn.unit
            if classes[place] not in (-1, kind):
                raise SolveError("5050: what waits for its confirmation changes the prospects of a turn")
            classes[place] = kind
        header = np.zeros(kernels.S_SIZE, dtype=np.int64)
        parts = {
            kernels.S_FIRST: self.first.ravel(),
            kernels.S_SECOND: self.second.ravel(),
            kernels.S_LAST: self.last,
            kernels.S_CLASS: classes,
            kernels.S_TURN: turn,
        }
        at = kernels.S_SIZE
        for place, part in parts.items():
            header[place] = at
            at += len(part)
        header[kernels.S_STEPS], header[kernels.S_UNIT] = self.steps, self.turn.unit
        header[kernels.S_LAST_SIZE], header[kernels.S_CLASS_ROW] = len(self.last), row
        header[kernels.S_LEAD_CAP] = lead_cap if self._game.setup.finish_round else 0
        header[kernels.S_ROLE] = kernels.NO_ROLE
        return np.concatenate([header, *parts.values()])

    def turn_values(self, role: int, first: int, second: int) -> "NDArray[np.int64]":
        """Return what a turn is worth to the seat that takes it, out of ONE: (steps at risk + 1, 2 · classes).

        Args:
            role: FIRST for the seat that began, SECOND for the other one, LAST for that one in the last round.
            first, second: the scores in steps; in the last round only their difference matters.

        The columns of class c are 2c, throw now, and 2c + 1, the better of that and to stop.
        """
        key = (role, first, second)
        with self._lock:
            if key not in self._turns:
                cap = int(self._code.prepare_turn(self._memory, 0, *key))
                turn = self._memory[self._memory[kernels.S_TURN] :]
                at, width = int(turn[kernels.H_VALUE]), 2 * self.turn.classes
                self._turns[key] = turn[at : at + (cap + 1) * width].reshape(cap + 1, width).copy()
                if len(self._turns) > KEPT_TURNS:
                    self._turns.popitem(last=False)
            self._turns.move_to_end(key)
            return self._turns[key]

    def win_chances(self, state: State) -> tuple[float, ...]:
        """Return each seat's chance to win from this position when both play best."""
        data = state._data
        if data.phase == OVER:
            return final_chances(state)
        chance = self._mover_worth(data) / ONE
        return (chance, 1 - chance) if data.mover == 0 else (1 - chance, chance)

    def _mover_worth(self, data: Any) -> int:
        """Return what a position is worth to the seat whose turn it is, out of ONE."""
        if data.phase == KEEPING:
            return max(self._mover_worth(after) for after in self._keeps(data))
        opening = self._game.setup.first
        first, second = (data.written[seat] // self.turn.unit for seat in (opening, 1 - opening))
        role = FIRST if data.mover == opening else LAST if data.last_round else SECOND
        stopping = data.phase == STOPPING
        if stopping:
            data = self._game.layout.copy(data)
            go_on(data, self._game.setup, None)
        key, at_risk = read_turn(data)
        values = self.turn_values(role, first, second)
        steps = at_risk // self.turn.unit
        if role == LAST and first - second + 1 >= len(self.last):
            return 0
        return int(values[min(steps, len(values) - 1), 2 * self.turn.class_of[key] + stopping])

    def _keeps(self, data: Any) -> Iterator[Any]:
        """Yield the data of the position after each legal keep."""
        legal = [0] * self._game.num_actions
        for action in legal[: rules.legal(data, self._game.setup, data.mover, legal)]:
            after = self._game.layout.copy(data)
            rules.apply(after, self._game.setup, action, None)
            yield after

    def prospects(self, _state: State) -> dict[str, float]:
        """Return nothing: in 5050 the chances to win say it all."""
        return {}

    def facts(self) -> dict[str, Any]:
        """Return the figures of the solved game, JSON-able."""
        blind = best_turn(self.turn)
        return {
            "starter": float(self.first[0, 0]) / ONE,
            "second_to_move_at_0_0": float(self.second[0, 0]) / ONE,
            "best_turn_points": blind[0],
            "best_turn_bust": blind[1],
            "fewest_turns_alone": fewest_turns(self.turn, self.steps),
            "positions": int(self.first.size + self.second.size),
            "turn_classes": self.turn.classes,
            "table": str(self.table.path),
            "table_bytes": self.table.path.stat().st_size,
            "provenance": self.table.header["provenance"],
        }


def best_turn(turn: TurnGraph) -> tuple[float, float]:
    """Return the points that a single turn brings on average when only points count, and how often it busts then."""
    steps = 2 * TAIL
    memory = turn.memory(steps)
    point = ONE >> 12
    stop = int(memory[kernels.H_STOP])
    memory[stop : stop + steps + 1] = [t * point for t in range(steps + 1)]
    code = compile_functions((kernels.sweep_turn,))
    code.sweep_turn(memory, 0, steps, 0)
    points = memory[memory[kernels.H_VALUE]] / point * turn.unit
    return float(points), float(memory[memory[kernels.H_BUST]] / ONE)


def fewest_turns(turn: TurnGraph, steps: int) -> float:
    """Return how many turns a player alone needs on average, at the least, to write that many steps of points.

    A bust leads back to the same score: at each a few Newton steps, from the nearest score to the target down.
    """
    memory, code = turn.memory(steps), compile_functions((kernels.sweep_turn,))
    stop, value, bust = (int(memory[place]) for place in (kernels.H_STOP, kernels.H_VALUE, kernels.H_BUST))
    one_turn = ONE >> 10
    worth = [0]
    """What it is worth, at so many steps to go: minus the turns."""
    for left in range(1, steps + 1):
        # Nobody stops with nothing at risk.
        memory[stop : stop + left + 1] = [-ONE, *(worth[left - t] for t in range(1, left + 1))]
        guess = worth[-1] - one_turn
        for _ in range(kernels.MOST_ROUNDS):
            code.sweep_turn(memory, 0, left, guess)
            off = int(memory[value]) - one_turn - guess
            if abs(off) <= kernels.SETTLED:
                break
            guess += int(off / (1 - memory[bust] / ONE))
        worth.append(guess)
    return -worth[-1] / one_turn


# --- solving ------------------------------------------------------------------------------------------------------


def identity(game: Game) -> dict[str, Any]:
    """Return what a table of this game must say of itself."""
    return identity_of(game, (turn_of, TurnGraph.memory, kernels.solve_pairs, kernels.solve_last))


def solve(
    game: Game,
    progress: Progress = say_nothing,
    workers: int | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> FiftyFifty:
    """Return the solved game, from its table where there is a sound one.

    Ctrl-C leaves what is done in a file beside the table, and the next call goes on from there.

    Args:
        game: 5050 for two players.
        progress: told how far it is.
        workers: how many threads solve; as many as there are cores where None. The table does not depend on it.
        clock: seconds, for saving now and then.

    Raises SolveError for more players or a target too far away.
    """
    if reason := refusal(game):
        raise SolveError(reason)
    turn, names = turn_of(game), identity(game)
    path = table_path(names)
    with contextlib.suppress(TableError):
        return FiftyFifty(game, turn, read_table(path, names))
    run = _Run(game, turn, names, workers, progress, clock)
    run.solve()
    return FiftyFifty(game, turn, read_table(path, names))


@lru_cache(maxsize=1)
def _turn_memories(game: Game) -> tuple[Any, int, Any]:
    """Return what a worker keeps of a game: memories for both seats' turns, the steps, the compiled kernel."""
    turn = turn_of(game)
    n = steps_of(game, turn)
    return (turn.memory(n + TAIL), turn.memory(n)), n, compile_functions((kernels.solve_pairs,))


def solve_piece(game: Game, known: Any, total: int, begin: int, end: int) -> tuple[list[int], list[int]]:
    """Solve the pairs of scores i + j = total with begin <= i < end on a worker; return both seats' chances.

    `known` has the tables of both seats' turns so far, of the last round, and the largest lead that counts.
    """
    memories, n, code = _turn_memories(game)
    first, second, last, lead_cap = known
    first, second = first.copy(), second.copy()
    if code.solve_pairs(memories, n, (first, second, last), total, begin, end, lead_cap) >= kernels.MOST_ROUNDS:
        raise SolveError(f"5050: the values of scores with the sum {total} do not settle")
    places = [i * n + total - i for i in range(begin, end)]
    return [int(first[place]) for place in places], [int(second[place]) for place in places]


class _Run:
    """One run of the solver: sums of both scores from the highest down, all pairs of one sum side by side."""

    def __init__(
        self,
        game: Game,
        turn: TurnGraph,
        names: dict[str, Any],
        workers: int | None,
        progress: Progress,
        clock: Callable[[], float],
    ) -> None:
        import numpy as np
        from joblib import cpu_count

        self.game = game
        self.names, self.progress, self.clock = names, progress, clock
        self.path = table_path(names)
        self.partial = self.path.with_suffix(".part")
        self.workers = workers or cpu_count()
        self.n = steps_of(game, turn)
        self.code = compile_functions((kernels.solve_pairs, kernels.solve_last))
        self.last = np.zeros(TAIL + 1, dtype=np.int64)
        self.code.solve_last(turn.memory(TAIL), self.last)
        self.lead_cap = lead_cap_of(self.last) if game.setup.finish_round else 0
        self.first, self.second = (np.zeros((self.n, self.n), dtype=np.int64) for _ in range(2))
        self.tables = (self.first.ravel(), self.second.ravel(), self.last)
        self.next_sum = 2 * self.n - 2
        self.rounds = 0
        self.memories: SimpleQueue[Any] = SimpleQueue()
        for _ in range(self.workers):
            self.memories.put((turn.memory(self.n + TAIL), turn.memory(self.n)))
        with contextlib.suppress(TableError):
            saved = read_table(self.partial, names).arrays
            self.first[:], self.second[:] = saved["first"], saved["second"]
            self.next_sum = int(saved["next_sum"][0])

    def solve(self) -> None:
        """Solve what is left and write the table."""
        resumed, saved = self.next_sum < 2 * self.n - 2, self.clock()
        began = saved
        try:
            with ThreadPoolExecutor(self.workers) as pool:
                while self.next_sum >= 0:
                    self.progress(self._share_done(), "solving")
                    low, high = max(0, self.next_sum - self.n + 1), min(self.n, self.next_sum + 1)
                    # Compiled pairs hold no lock, and pairs of one sum do not need each other.
                    begins = range(low, high, PIECE)
                    if on_cluster():
                        self._solve_afar(begins)
                    else:
                        list(pool.map(self._solve_piece, begins))
                    self.next_sum -= 1
                    if self.clock() - saved > SAVE_SECONDS:
                        self._save()
                        saved = self.clock()
        except KeyboardInterrupt:
            self._save()
            raise
        made_by = provenance(seconds=round(self.clock() - began, 1), workers=self.workers, resumed=resumed)
        write_table(self.path, self.names, made_by, self._arrays())
        self.partial.unlink(missing_ok=True)
        self.progress(1.0, "solved")

    def _solve_piece(self, begin: int) -> None:
        end = min(begin + PIECE, self.n, self.next_sum + 1)
        memories = self.memories.get()
        try:
            rounds = self.code.solve_pairs(memories, self.n, self.tables, self.next_sum, begin, end, self.lead_cap)
        finally:
            self.memories.put(memories)
        if rounds >= kernels.MOST_ROUNDS:
            raise SolveError(f"5050: the values of scores with the sum {self.next_sum} do not settle")

    def _solve_afar(self, begins: range) -> None:
        """Let the workers of a cluster solve pieces, and write down what they found."""
        from joblib import Parallel, delayed

        known = (*self.tables, self.lead_cap)
        jobs = [
            delayed(solve_piece)(self.game, known, self.next_sum, begin, min(begin + PIECE, self.n, self.next_sum + 1))
            for begin in begins
        ]
        for begin, (first, second) in zip(begins, Parallel(n_jobs=-1)(jobs), strict=True):
            for place, pair in enumerate(zip(first, second, strict=True)):
                i = begin + place
                self.first[i, self.next_sum - i], self.second[i, self.next_sum - i] = pair

    def _share_done(self) -> float:
        return float((self.first != 0).mean())

    def _arrays(self) -> dict[str, "NDArray[np.int64]"]:
        return {"first": self.first, "second": self.second, "last": self.last}

    def _save(self) -> None:
        import numpy as np

        next_sum = np.array([self.next_sum], dtype=np.int64)
        write_table(self.partial, self.names, provenance(), {**self._arrays(), "next_sum": next_sum})
