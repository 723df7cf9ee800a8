"""Long runs of a solver, layer by layer: positions of one layer do not need each other, only those of layers above.

A layer is cut into pieces, which threads or the workers of a cluster solve side by side. What is done is kept in a file
beside the table, now and then and after Ctrl-C; the next run goes on from there, and finds the same table whatever has
become of the one before.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.core.workplace import on_cluster
from bolzplatz.solve.solution import Progress, SolveError
from bolzplatz.solve.tables import Table, TableError, keep_table, provenance, read_table, table_path, write_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAVE_SECONDS: Final = 5.0
LEFT: Final = "left"
"""Beside the arrays of an unfinished run: how many layers are left."""


class LayeredRun:
    """One run. A solver says what its arrays are, and how a piece of a layer is solved.

    Attributes:
        left: how many layers are left; `left - 1` is the next one.
        workers: how many threads solve.
    """

    def __init__(
        self, names: dict[str, Any], layers: int, workers: int | None, progress: Progress, clock: Callable[[], float]
    ) -> None:
        from joblib import cpu_count

        self.names, self.layers, self.left = names, layers, layers
        self.workers = workers or cpu_count()
        self.progress, self._clock = progress, clock
        self.path = table_path(names)
        self.partial = self.path.with_suffix(".part")
        self._idle = SimpleQueue[Any]()

    # --- what a solver says ---------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, "NDArray[np.int64]"]:
        """Return the arrays of the table as far as they are known."""
        raise NotImplementedError

    def take_in(self, saved: "dict[str, NDArray[np.int64]]") -> None:
        """Take in the arrays of an earlier run."""
        for name, array in self.arrays().items():
            array[...] = saved[name]

    def share_done(self) -> float:
        """Return how much of the positions is done, 0 to 1."""
        raise NotImplementedError

    def pieces(self) -> Iterable[Any]:
        """Return the pieces of the next layer."""
        raise NotImplementedError

    def new_memories(self) -> Any:
        """Return memories for turns in which one thread can work."""
        raise NotImplementedError

    def solve_piece(self, piece: Any) -> None:
        """Solve a piece on a thread and write it down."""
        raise NotImplementedError

    def job(self, piece: Any) -> Any:
        """Return what a worker of a cluster is to do for a piece, as joblib takes it."""
        raise NotImplementedError

    def write_down(self, piece: Any, found: Any) -> None:
        """Write down what such a worker has found."""
        raise NotImplementedError

    # --- the run --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def memories(self) -> Iterator[Any]:
        """Lend memories that no other thread works in meanwhile."""
        try:
            lent = self._idle.get_nowait()
        except Empty:
            lent = self.new_memories()
        try:
            yield lent
        finally:
            self._idle.put(lent)

    def resume(self) -> None:
        """Take in what an earlier run has left, if anything."""
        with contextlib.suppress(TableError):
            saved = read_table(self.partial, self.names).arrays
            self.take_in(saved)
            self.left = int(saved[LEFT][0])

    def solve(self) -> Table:
        """Solve what is left and write the table.

        Raises SolveError where it was interrupted and what is done cannot be kept.
        """
        resumed, saved = self.left < self.layers, self._clock()
        began = saved
        try:
            with ThreadPoolExecutor(self.workers) as pool:
                while self.left > 0:
                    self.progress(self.share_done(), "solving")
                    # Compiled pieces hold no lock.
                    if on_cluster():
                        self._solve_afar()
                    else:
                        list(pool.map(self.solve_piece, self.pieces()))
                    self.left -= 1
                    if self._clock() - saved > SAVE_SECONDS:
                        with contextlib.suppress(OSError):  # a full disk, for one: later there may be room
                            self.save()
                        saved = self._clock()
        except KeyboardInterrupt:
            try:
                self.save()
            except OSError as fault:
                raise SolveError(f"stopped, and what was done is lost: {self.partial}: {fault.strerror}") from None
            raise
        made_by = provenance(seconds=round(self._clock() - began, 1), workers=self.workers, resumed=resumed)
        table = keep_table(self.path, self.names, made_by, self.arrays())
        with contextlib.suppress(OSError):
            self.partial.unlink(missing_ok=True)
        self.progress(1.0, "solved")
        return table

    def _solve_afar(self) -> None:
        from joblib import Parallel

        pieces = list(self.pieces())
        for piece, found in zip(pieces, Parallel(n_jobs=-1)(map(self.job, pieces)), strict=True):
            self.write_down(piece, found)

    def save(self) -> None:
        """Keep what is done for the next run."""
        import numpy as np

        write_table(self.partial, self.names, provenance(), {**self.arrays(), LEFT: np.array([self.left])})
