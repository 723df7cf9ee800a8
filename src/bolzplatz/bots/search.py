"""Searches that use the time they are given, on all cores: how a level thinks at the table.

A module of computer players that can do so has, of the compiled subset, `plant(v, o, seat, work, n)`, which lays out
the root of a tree in the work memory, `think(v, o, seat, work, rng, seed, count)`, which does so many iterations, and
`verdict(v, o, seat, work)`, the action; and `merge(trees)`, which adds the trees up in the first one's memory. It names
its levels that search in `SEARCHING`. Always TREES trees grow, each with luck of its own, so that the same stream and
the same number of iterations give the same action on every machine.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, Final

from bolzplatz.core.compiled import compile_functions
from bolzplatz.core.declare import layout_of
from bolzplatz.core.engine import links_of, work_of
from bolzplatz.core.fast import RNG_SIZE, FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.core.spec import Rules

TREES: Final = 2
"""One for each core that a small machine has."""
CHUNK: Final = 128
"""Iterations between two looks at the clock."""
SEEDS: Final = 2**30


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a search may think: so many seconds, or so many iterations of each tree."""

    seconds: float = 0.8
    iterations: int | None = None


@lru_cache(maxsize=8)
def _code(rules: Rules, players: ModuleType) -> Any:
    """Compile a search."""
    return compile_functions((players.plant, players.think, players.verdict), links_of(rules))


class _Tree:
    """One tree: a view of its own to walk on, its work memory, its luck."""

    def __init__(self, code: Any, setup: Any, game: Game, view: Any, seat: int, actions: list[int], work: int) -> None:
        import numpy as np

        views = np.zeros(1, dtype=game.layout.dtype())
        game.layout.to_record(view, views[0])
        self._code, self._at, self.iterations = code, (views[0], setup, seat), 0
        self.work = np.zeros(game.num_actions + work, dtype=np.int64)
        self.work[: len(actions)] = actions
        self._rng = np.zeros(RNG_SIZE, dtype=np.int64)
        code.plant(*self._at, self.work, len(actions))

    def grow(self, seed: int, budget: Budget, until: float) -> None:
        """Do iterations until the budget is used up; one chunk at least."""
        while True:
            count = CHUNK if budget.iterations is None else min(CHUNK, budget.iterations - self.iterations)
            self._code.think(*self._at, self.work, self._rng, seed, count)
            self.iterations += count
            if self.iterations == budget.iterations or (budget.iterations is None and time.perf_counter() >= until):
                return

    def verdict(self) -> int:
        """Return the action that the tree speaks for."""
        return int(self._code.verdict(*self._at, self.work))


def search_action(
    game: Game, players: ModuleType, state: State, seat: int, stream: FastStream, budget: Budget
) -> tuple[int, int]:
    """Return the action that a search chooses for `seat`, which decides here, and how many iterations it made."""
    import numpy as np

    until = time.perf_counter() + budget.seconds
    code = _code(game.rules, players)
    setups = np.zeros(1, dtype=layout_of(game.spec.setup).dtype())
    layout_of(game.spec.setup).to_record(game.setup, setups[0])
    actions, view = state.legal_actions(seat), state.masked(seat)
    work = work_of(players.choose)
    trees = [_Tree(code, setups[0], game, view, seat, actions, work) for _ in range(TREES)]
    seeds = [stream.below(SEEDS) for _ in trees]
    with ThreadPoolExecutor(TREES, thread_name_prefix="bolzplatz-search") as threads:
        for grown in [threads.submit(tree.grow, seed, budget, until) for tree, seed in zip(trees, seeds, strict=True)]:
            grown.result()
    players.merge([tree.work for tree in trees])
    return trees[0].verdict(), sum(tree.iterations for tree in trees)
