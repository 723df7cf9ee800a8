"""5050 for three players, solved: everybody makes the most of the own chance to win.

With three, a position's worth is a chance for each seat. Best play is an equilibrium: each seat chooses what is best
for itself, knowing that the others do so, and of choices that are level for it the one that is best for the seat that
plays next. That settles all three chances, but at a few scores where choices chase each other
(`triple_kernels.solve_triple`); there they are fixed, and the table tells what that gives away.

A turn is the same graph as with two (`solve.turns`). Between turns a position is who is to move and three scores, a
triple. When all three bust in turn, they are back at the same triple; so triples are solved from the highest sum down,
the three turns at one triple together (`triple_kernels.solve_triple`). On one core that takes some 9 seconds to 500
points, 45 seconds to 1,000 and hours to 5,050. So long a run is begun by those who ask for it, not by a table whose
coach is curious.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.game import Game
from bolzplatz.core.spec import show_value
from bolzplatz.solve import triple_kernels, turn_kernels
from bolzplatz.solve.fifty_fifty import (
    SolvedTurns,
    last_round,
    lead_cap_of,
    memory_of,
    steps_of,
    too_far,
    turn_of,
)
from bolzplatz.solve.layers import LayeredRun
from bolzplatz.solve.solution import Estimate, Progress, SolveError, say_nothing
from bolzplatz.solve.tables import Table, TableError, identity_of, read_table, table_path
from bolzplatz.solve.triple_kernels import F_LOSS, F_SIZE, F_TRIPLE
from bolzplatz.solve.turn_kernels import (
    FIRST,
    H_NEXT,
    H_VALUE,
    ONE,
    S_CLOSING,
    S_FIXED,
    S_FIXED_COUNT,
    S_LAST,
    S_LEAD_CAP,
    S_TRIPLES,
    THIRD,
)
from bolzplatz.solve.turns import TurnGraph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUICK_STEPS: Final = 10
"""Steps to the target up to which a solution takes ten seconds at most, so that anybody may ask for it."""
SEATS: Final = 3
SHARES: Final = 64
"""A layer is cut into so many pieces, but none has less than LEAST triples."""
LEAST: Final = 8
SAMPLE: Final = 96
"""Triples that are solved to see how long all of them take."""
NOTHING: Final = -1
"""Stands where nothing is told of a triple."""
GOLDEN: Final = 0.6180339887498949
"""Multiples of it, without their whole parts, lie evenly."""


def refusal(game: Game) -> str | None:
    """Return why this variant is never solved, None where it can be."""
    return too_far(game)


def too_long(game: Game) -> str | None:
    """Return why this variant is solved for those only who ask for a long run; None where it is done soon, or done."""
    steps = -(-game.setup.target // 50)
    if steps <= QUICK_STEPS or table_path(identity(game)).exists():
        return None
    given = "".join(f" --set {name}={show_value(value)}" for name, value in game.changed_options().items())
    return (
        f"5050 for three to {game.setup.target:,} points is not solved here; "
        f"`bolzplatz solve 5050{given}` says how long that takes"
    )


@lru_cache(maxsize=64)
def identity(game: Game) -> dict[str, Any]:
    """Return what a table of this game must say of itself."""
    kernels = (triple_kernels.solve_triples, triple_kernels.solve_closing, turn_kernels.solve_last)
    return identity_of(game, (turn_of, TurnGraph.memory, *kernels))


class FiftyFiftyThree(SolvedTurns):
    """5050 for three players, solved.

    Attributes:
        triples: chances out of ONE by scores in steps in the order of the round, (seat to move, which, n, n, n): of
            that seat (which 0), and of the one after it (which 1).
        closing: likewise of the second seat in the last round, and the third one.
        fixed: triples with fixed choices (`triple_kernels.F_SIZE` integers each), see there.
    """

    runs = (H_VALUE, H_NEXT)

    def __init__(self, game: Game, turn: TurnGraph, table: Table) -> None:
        self.triples, self.closing, self.fixed = (table.arrays[name] for name in ("triples", "closing", "fixed"))
        super().__init__(game, turn, table, triple_kernels.prepare_triple, lead_cap_of(table.arrays["last"]))

    def tables(self) -> "dict[int, NDArray[np.int64]]":
        """Return the tables of all triples and of the last round."""
        return {S_TRIPLES: self.triples, S_CLOSING: self.closing, S_FIXED: self.fixed}

    def memory(self, lead_cap: int | None = None) -> "NDArray[np.int64]":
        """Return the tables and a turn to work out, as the kernel and computer players want them."""
        memory = super().memory(lead_cap)
        memory[S_FIXED_COUNT] = len(self.fixed)
        return memory

    def facts(self) -> dict[str, Any]:
        """Return the figures of the solved game, JSON-able."""
        starter, second = (int(chance) for chance in self.triples[FIRST, :, 0, 0, 0])
        return {
            "starter": starter / ONE,
            "second": second / ONE,
            "third": (ONE - starter - second) / ONE,
            "positions": self.triples.size // 2,
            "triples_with_fixed_choices": len(self.fixed),
            "given_away_there": int(self.fixed[:, F_LOSS].max(initial=0)) / ONE,
            **super().facts(),
        }


def solve(
    game: Game,
    progress: Progress = say_nothing,
    workers: int | None = None,
    clock: Callable[[], float] = time.monotonic,
    long: bool = True,
) -> FiftyFiftyThree:
    """Return the solved game, from its table where there is a sound one.

    Ctrl-C leaves what is done in a file beside the table, and the next call goes on from there.

    Args:
        game: 5050 for three players.
        progress: told how far it is.
        workers: how many threads solve; as many as there are cores where None. The table does not depend on it.
        clock: seconds, for saving now and then.
        long: whether it may take hours.

    Raises SolveError for a target too far away, and where it would take long and may not.
    """
    if reason := refusal(game):
        raise SolveError(reason)
    turn, names = turn_of(game), identity(game)
    with contextlib.suppress(TableError):
        return FiftyFiftyThree(game, turn, read_table(table_path(names), names))
    if not long and steps_of(game, turn) > QUICK_STEPS:
        raise SolveError(f"5050 for three to {game.setup.target:,} points is not solved here")
    return FiftyFiftyThree(game, turn, _Run(game, turn, names, workers, progress, clock).solve())


def estimate(game: Game, workers: int | None = None, clock: Callable[[], float] = time.perf_counter) -> Estimate:
    """Return what it takes to solve a variant: a sample of triples is solved, between scores whose worth is made up.

    Raises SolveError for a target too far away.
    """
    if reason := refusal(game):
        raise SolveError(reason)
    run = _Run(game, turn_of(game), identity(game), workers, say_nothing, time.monotonic)
    if run.path.exists():
        return Estimate(0.0, run.workers, run.path.stat().st_size, 1.0)
    return run.estimate(clock)


def new_memory(game: Game, turn: TurnGraph) -> "NDArray[np.int64]":
    """Return the memory of a solution of which nothing is known but the chance to get k steps in one turn."""
    import numpy as np

    n, last = steps_of(game, turn), last_round(turn)
    lead_cap = lead_cap_of(last) if game.setup.finish_round else 0
    tables = {
        S_TRIPLES: np.zeros((SEATS, 2, n, n, n), dtype=np.int64),
        S_CLOSING: np.zeros((2 * n - 1, lead_cap + 1, 2), dtype=np.int64),
        S_LAST: last,
    }
    return memory_of(game, turn, lead_cap, tables)


def turn_memories(game: Game, turn: TurnGraph, lead_cap: int) -> "tuple[NDArray[np.int64], ...]":
    """Return the memories of three turns for the kernels."""
    return tuple(turn.memory(steps_of(game, turn) + lead_cap + 1, True) for _ in range(SEATS))


@lru_cache(maxsize=1)
def _at_work(game: Game, lead_cap: int) -> tuple[Any, Any]:
    """Return what a worker of a cluster keeps of a game: memories for turns to copy, and the compiled kernel."""
    return turn_memories(game, turn_of(game), lead_cap), compile_functions((triple_kernels.solve_triples,))


def solve_afar(game: Game, known: Any, triples: Any) -> tuple[Any, Any]:
    """Solve triples of one sum on a worker; return their chances, (6, triples), and what is told of each."""
    blank, code = _at_work(game, int(known[S_LEAD_CAP]))
    # A worker may have several threads.
    memories = tuple(memory.copy() for memory in blank)
    known, told = known.copy(), _new_rows(len(triples))
    code.solve_triples(memories, known, triples, told.ravel())
    return _triples_in(known)[:, triples], told


def _new_rows(count: int) -> "NDArray[np.int64]":
    """Return rows for what is told of so many triples; of most, nothing."""
    import numpy as np

    return np.full((count, F_SIZE), NOTHING, dtype=np.int64)


def _triples_in(known: Any) -> Any:
    """Return the table of triples in a solution's memory, (6, n · n · n)."""
    return known[known[S_TRIPLES] : known[S_CLOSING]].reshape(2 * SEATS, -1)


class _Run(LayeredRun):
    """One run of the solver: a layer is all triples of one sum of scores."""

    def __init__(
        self,
        game: Game,
        turn: TurnGraph,
        names: dict[str, Any],
        workers: int | None,
        progress: Progress,
        clock: Callable[[], float],
    ) -> None:
        self.n = steps_of(game, turn)
        super().__init__(names, 3 * self.n - 2, workers, progress, clock)
        self.game, self.turn = game, turn
        self.code = compile_functions((triple_kernels.solve_triples, triple_kernels.solve_closing))
        self.known = new_memory(game, turn)
        self.fixed = _new_rows(0)
        self.noting = Lock()
        self.resume()

    def arrays(self) -> dict[str, "NDArray[np.int64]"]:
        """Return the tables of triples and of the last round, and triples with fixed choices."""
        last, at = self.known[self.known[S_LAST] :], self.known[S_CLOSING]
        return {
            "triples": _triples_in(self.known).reshape(SEATS, 2, self.n, self.n, self.n),
            "closing": self.known[at : self.known[S_LAST]].reshape(2 * self.n - 1, -1, 2),
            "last": last,
            "fixed": self.fixed,
        }

    def take_in(self, saved: "dict[str, NDArray[np.int64]]") -> None:
        """Take in the arrays of an earlier run."""
        self._note(saved["fixed"])
        super().take_in({**saved, "fixed": self.fixed})

    def solve(self) -> Table:
        """Solve what is left and write the table (`LayeredRun.solve`)."""
        if self.game.setup.finish_round and not self.arrays()["closing"].any():
            self.progress(self.share_done(), "solving the last round")
            with ThreadPoolExecutor(self.workers) as pool:
                list(pool.map(self._solve_closing, range(2 * self.n - 1)))
            with contextlib.suppress(OSError):
                self.save()
        return super().solve()

    def _solve_closing(self, row: int) -> None:
        with self.memories() as memories:
            self.code.solve_closing(memories[0], self.known, row)

    def share_done(self) -> float:
        """Return how much of the triples is done."""
        return float((_triples_in(self.known)[0] != 0).mean())

    def pieces(self) -> Iterator["NDArray[np.int64]"]:
        """Yield the triples of the next sum, some at a time."""
        import numpy as np

        i, j = np.divmod(np.arange(self.n * self.n, dtype=np.int64), self.n)
        k = self.left - 1 - i - j
        triples = ((i * self.n + j) * self.n + k)[(k >= 0) & (k < self.n)]
        size = max(LEAST, -(-len(triples) // SHARES))
        for begin in range(0, len(triples), size):
            yield triples[begin : begin + size]

    def new_memories(self) -> "tuple[NDArray[np.int64], ...]":
        """Return memories for the turns of three seats."""
        return turn_memories(self.game, self.turn, int(self.known[S_LEAD_CAP]))

    def solve_piece(self, piece: "NDArray[np.int64]") -> None:
        """Solve a piece on a thread and write it down."""
        told = _new_rows(len(piece))
        with self.memories() as memories:
            self.code.solve_triples(memories, self.known, piece, told.ravel())
        self._note(told)

    def job(self, piece: "NDArray[np.int64]") -> Any:
        """Return what a worker of a cluster is to do for a piece."""
        from joblib import delayed

        return delayed(solve_afar)(self.game, self.known, piece)

    def write_down(self, piece: "NDArray[np.int64]", found: Any) -> None:
        """Write down what such a worker has found."""
        chances, told = found
        _triples_in(self.known)[:, piece] = chances
        self._note(told)

    def _note(self, told: "NDArray[np.int64]") -> None:
        """Keep what is told of triples with fixed choices, in their order.

        A layer that was stopped half-way is done once more: of each triple one row is kept.
        """
        import numpy as np

        with self.noting:
            rows = np.concatenate([self.fixed, told[told[:, F_TRIPLE] != NOTHING]])
            self.fixed = rows[np.unique(rows[:, F_TRIPLE], return_index=True)[1]]

    def estimate(self, clock: Callable[[], float]) -> Estimate:
        """Measure a sample on all threads, and say what is left to do."""
        import numpy as np

        done, cube = self.share_done(), self.n**3
        size = 8 * sum(array.size for array in self.arrays().values())
        self._make_up()
        numbers = np.arange(1, SAMPLE + 1)
        sample = (numbers * GOLDEN % 1 * cube).astype(np.int64)
        rows = (numbers[: 2 * self.workers] * GOLDEN % 1 * (2 * self.n - 1)).astype(np.int64)
        self.solve_piece(sample[:1])  # compiles, or loads, the kernel
        with ThreadPoolExecutor(self.workers) as pool:
            began = clock()
            list(pool.map(self.solve_piece, sample.reshape(-1, 1)))
            of_triples = (clock() - began) / len(sample) * cube
            began = clock()
            list(pool.map(self._solve_closing, rows.tolist()))
            of_closing = (clock() - began) / len(rows) * (2 * self.n - 1) if done == 0 else 0.0
        return Estimate(of_triples * (1 - done) + of_closing, self.workers, size, done)

    def _make_up(self) -> None:
        """Make up what scores are worth, smooth and not absurd: e-fold for a quarter of the way."""
        import numpy as np

        n, places = self.n, np.arange(SEATS).reshape(SEATS, 1, 1, 1)
        worth = np.exp(4 * np.indices((n, n, n)) / n)
        triples = self.arrays()["triples"]
        for role in range(FIRST, THIRD + 1):
            shares = worth * np.where(places == role, 1.5, 1.0)
            shares = shares / shares.sum(axis=0)
            for which in (0, 1):
                triples[role, which] = shares[(role + which) % SEATS] * ONE
        self.arrays()["closing"][:] = ONE // 10
