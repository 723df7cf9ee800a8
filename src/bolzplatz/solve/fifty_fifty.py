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
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.game import Game, State
from bolzplatz.games import fifty_fifty as rules
from bolzplatz.games.fifty_fifty import KEEPING, OVER, STOPPING, go_on
from bolzplatz.solve import turn_kernels as kernels
from bolzplatz.solve.layers import LayeredRun
from bolzplatz.solve.solution import Progress, SolveError, final_chances, say_nothing
from bolzplatz.solve.tables import Table, TableError, identity_of, read_table, table_path
from bolzplatz.solve.turn_kernels import CLOSING, LAST, ONE
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
        return f"5050 is solved for two players and for three, not for {game.num_players}"
    return too_far(game)


def too_far(game: Game) -> str | None:
    """Return why this target is out of reach, None where it is not."""
    if game.setup.target > MOST_STEPS * 50:
        return f"5050 is solved for targets up to {MOST_STEPS * 50:,}, not for {game.setup.target:,}"
    return None


class SolvedTurns:
    """A solved 5050 for any number of seats: turns are worked out when somebody asks for one, and kept for a while.

    A subclass says where its tables belong in the memory of its kernel.
    """

    runs: tuple[int, ...] = (kernels.H_VALUE,)
    """What is worked out of a turn: chances of the seats from the one that takes it on; the last one has the rest."""

    def __init__(self, game: Game, turn: TurnGraph, table: Table, prepare: Callable[..., int], lead_cap: int) -> None:
        self._game, self.turn, self.table = game, turn, table
        self.steps = steps_of(game, turn)
        self.last = table.arrays["last"]
        self._prepare = getattr(compile_functions((prepare,)), prepare.__name__)
        self._memory = self.memory(lead_cap)
        self._turns = OrderedDict[tuple[int, ...], "list[NDArray[np.int64]]"]()
        # A turn is worked out in one memory, and compiled code lets other threads run meanwhile.
        self._lock = Lock()

    def tables(self) -> "dict[int, NDArray[np.int64]]":
        """Return the tables that the kernel reads, by where it finds their places in the memory."""
        raise NotImplementedError

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self._game

    def memory(self, lead_cap: int | None = None) -> "NDArray[np.int64]":
        """Return the tables and a turn to work out, as the kernel and computer players want them.

        `lead_cap`: from which lead on more makes no difference; that of the solver where None.
        """
        import numpy as np

        if lead_cap is None:
            lead_cap = lead_cap_of(self.last)
        row = 1 + max(key[1] for key in self.turn.class_of) // self.turn.unit
        classes = np.full(7 * row, -1, dtype=np.int64)
        for (dice, points, _), kind in self.turn.class_of.items():
            place = dice * row + points // self.turn.unit
            if classes[place] not in (-1, kind):
                raise SolveError("5050: what waits for its confirmation changes the prospects of a turn")
            classes[place] = kind
        memory = memory_of(self._game, self.turn, lead_cap, {kernels.S_LAST: self.last, **self.tables()})
        turn = self.turn.memory(room_of(self._game, self.steps, lead_cap), kernels.H_NEXT in self.runs)
        memory[kernels.S_CLASS], memory[kernels.S_CLASS_ROW] = len(memory), row
        memory[kernels.S_TURN] = len(memory) + len(classes)
        return np.concatenate([memory, classes, turn])

    def turn_values(self, role: int, *scores: int) -> "NDArray[np.int64]":
        """Return what a turn is worth to the seat that takes it, out of ONE: (steps at risk + 1, 2 · classes).

        Args:
            role: FIRST for the seat that began, SECOND and THIRD for the others, LAST for the last one in the last
                round, CLOSING for the second one of three there.
            scores: of all seats in the order of the round, in steps; in the last round only differences matter.

        The columns of class c are 2c, throw now, and 2c + 1, the better of that and to stop.
        """
        return self._worked_out(role, *scores)[0]

    def _worked_out(self, *key: int) -> "list[NDArray[np.int64]]":
        """Return the runs of a turn, each as `turn_values` has it."""
        with self._lock:
            if key not in self._turns:
                cap = int(self._prepare(self._memory, 0, *key))
                turn, width = self._memory[self._memory[kernels.S_TURN] :], 2 * self.turn.classes
                begins = [int(turn[run]) for run in self.runs]
                self._turns[key] = [turn[at : at + (cap + 1) * width].reshape(-1, width).copy() for at in begins]
                if len(self._turns) > KEPT_TURNS:
                    self._turns.popitem(last=False)
            self._turns.move_to_end(key)
            return self._turns[key]

    def win_chances(self, state: State) -> tuple[float, ...]:
        """Return each seat's chance to win from this position when everybody plays best."""
        data, seats = state._data, self._game.num_players
        if data.phase == OVER:
            return final_chances(state)
        worth = self._worth(data)
        return tuple(worth[(seat - data.mover) % seats] / ONE for seat in range(seats))

    def _worth(self, data: Any) -> tuple[int, ...]:
        """Return the chances out of ONE of the seats from the one on whose turn it is on."""
        if data.phase == KEEPING:
            # The own chance counts, then that of the seat that plays next (`turn_kernels`).
            return max(self._worth(after) for after in self._keeps(data))
        seats, opening = self._game.num_players, self._game.setup.first
        scores = [data.written[(opening + place) % seats] // self.turn.unit for place in range(seats)]
        role = (data.mover - opening) % seats
        if data.last_round:
            role = LAST if role == seats - 1 else CLOSING
        stopping = data.phase == STOPPING
        if stopping:
            data = self._game.layout.copy(data)
            go_on(data, self._game.setup, None)
        key, at_risk = read_turn(data)
        runs = self._worked_out(role, *scores)
        place = min(at_risk // self.turn.unit, len(runs[0]) - 1), 2 * self.turn.class_of[key] + stopping
        found = [int(run[place]) for run in runs]
        if role == LAST and max(scores[:-1]) - scores[-1] + 1 >= len(self.last):
            # Nobody makes up for such a lead, though what is at risk may look like it where the table ends.
            found = [0, *(int(run[0, 0]) for run in runs[1:])]
        return (*found, ONE - sum(found))

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
            "best_turn_points": blind[0],
            "best_turn_bust": blind[1],
            "fewest_turns_alone": fewest_turns(self.turn, self.steps),
            "turn_classes": self.turn.classes,
            "table": str(self.table.path),
            "table_bytes": self.table.path.stat().st_size,
            "provenance": self.table.header["provenance"],
        }


def memory_of(
    game: Game, turn: TurnGraph, lead_cap: int, tables: "dict[int, NDArray[np.int64]]"
) -> "NDArray[np.int64]":
    """Return the tables of a solution in one run of integers behind their header, with no turn in it."""
    import numpy as np

    header = np.zeros(kernels.S_SIZE, dtype=np.int64)
    at = kernels.S_SIZE
    for place, part in tables.items():
        header[place] = at
        at += part.size
    header[kernels.S_STEPS], header[kernels.S_UNIT] = steps_of(game, turn), turn.unit
    header[kernels.S_LAST_SIZE] = tables[kernels.S_LAST].size
    header[kernels.S_LEAD_CAP] = lead_cap if game.setup.finish_round else 0
    header[kernels.S_ROLE] = kernels.NO_ROLE
    return np.concatenate([header, *(part.ravel() for part in tables.values())])


def room_of(game: Game, steps: int, lead_cap: int) -> int:
    """Return the most steps at risk that a turn is worked out for."""
    return steps + TAIL + (lead_cap + 1 if game.num_players > 2 else 1)


class FiftyFifty(SolvedTurns):
    """5050 for two players, solved."""

    def __init__(self, game: Game, turn: TurnGraph, table: Table) -> None:
        self.first, self.second = table.arrays["first"], table.arrays["second"]
        super().__init__(game, turn, table, kernels.prepare_turn, len(table.arrays["last"]) - 1)

    def tables(self) -> "dict[int, NDArray[np.int64]]":
        """Return the tables of both seats."""
        return {kernels.S_FIRST: self.first, kernels.S_SECOND: self.second}

    def facts(self) -> dict[str, Any]:
        """Return the figures of the solved game, JSON-able."""
        return {
            "starter": float(self.first[0, 0]) / ONE,
            "second_to_move_at_0_0": float(self.second[0, 0]) / ONE,
            "positions": int(self.first.size + self.second.size),
            **super().facts(),
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
    with contextlib.suppress(TableError):
        return FiftyFifty(game, turn, read_table(table_path(names), names))
    return FiftyFifty(game, turn, _Run(game, turn, names, workers, progress, clock).solve())


def turn_memories(turn: TurnGraph, n: int) -> "tuple[NDArray[np.int64], ...]":
    """Return the memories of both seats' turns for the kernels, with n steps to the target."""
    return turn.memory(n + TAIL), turn.memory(n)


@lru_cache(maxsize=1)
def _turn_memories(game: Game) -> tuple[Any, int, Any]:
    """Return what a worker keeps of a game: memories for both seats' turns to copy, the steps, the compiled kernel."""
    turn = turn_of(game)
    n = steps_of(game, turn)
    return turn_memories(turn, n), n, compile_functions((kernels.solve_pairs,))


def solve_piece(game: Game, known: Any, total: int, begin: int, end: int) -> tuple[list[int], list[int]]:
    """Solve the pairs of scores i + j = total with begin <= i < end on a worker; return both seats' chances.

    `known` has the tables of both seats' turns so far, of the last round, and the largest lead that counts.
    """
    blank, n, code = _turn_memories(game)
    # A worker may have several threads.
    memories = tuple(memory.copy() for memory in blank)
    first, second, last, lead_cap = known
    first, second = first.copy(), second.copy()
    if code.solve_pairs(memories, n, (first, second, last), total, begin, end, lead_cap) >= kernels.MOST_ROUNDS:
        raise SolveError(f"5050: the values of scores with the sum {total} do not settle")
    places = [i * n + total - i for i in range(begin, end)]
    return [int(first[place]) for place in places], [int(second[place]) for place in places]


def last_round(turn: TurnGraph) -> "NDArray[np.int64]":
    """Return the chances to get k steps or more in one turn, k up to TAIL."""
    import numpy as np

    last = np.zeros(TAIL + 1, dtype=np.int64)
    compile_functions((kernels.solve_last,)).solve_last(turn.memory(TAIL), last)
    return last


class _Run(LayeredRun):
    """One run of the solver: a layer is all pairs of one sum of both scores."""

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

        self.n = steps_of(game, turn)
        super().__init__(names, 2 * self.n - 1, workers, progress, clock)
        self.game, self.turn = game, turn
        self.code = compile_functions((kernels.solve_pairs,))
        self.last = last_round(turn)
        self.lead_cap = lead_cap_of(self.last) if game.setup.finish_round else 0
        self.first, self.second = (np.zeros((self.n, self.n), dtype=np.int64) for _ in range(2))
        self.tables = (self.first.ravel(), self.second.ravel(), self.last)
        self.resume()

    def arrays(self) -> dict[str, "NDArray[np.int64]"]:
        """Return the tables of both seats and of the last round."""
        return {"first": self.first, "second": self.second, "last": self.last}

    def share_done(self) -> float:
        """Return how much of the pairs is done."""
        return float((self.first != 0).mean())

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield the first scores of the next sum, some at a time: begin and end."""
        low, high = max(0, self.left - self.n), min(self.n, self.left)
        for begin in range(low, high, PIECE):
            yield begin, min(begin + PIECE, high)

    def new_memories(self) -> "tuple[NDArray[np.int64], ...]":
        """Return memories for the turns of both seats."""
        return turn_memories(self.turn, self.n)

    def solve_piece(self, piece: tuple[int, int]) -> None:
        """Solve a piece on a thread and write it down."""
        with self.memories() as memories:
            rounds = self.code.solve_pairs(memories, self.n, self.tables, self.left - 1, *piece, self.lead_cap)
        if rounds >= kernels.MOST_ROUNDS:
            raise SolveError(f"5050: the values of scores with the sum {self.left - 1} do not settle")

    def job(self, piece: tuple[int, int]) -> Any:
        """Return what a worker of a cluster is to do for a piece."""
        from joblib import delayed

        return delayed(solve_piece)(self.game, (*self.tables, self.lead_cap), self.left - 1, *piece)

    def write_down(self, piece: tuple[int, int], found: Any) -> None:
        """Write down what such a worker has found."""
        for i, *pair in zip(range(*piece), *found, strict=True):
            self.first[i, self.left - 1 - i], self.second[i, self.left - 1 - i] = pair
