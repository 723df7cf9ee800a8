"""The compiled engine of a game: its rules linked with the kernels, jitted, and driven from Python.

NumPy and Numba are imported here and in `core.compiled` only, and only when an engine is made.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from bolzplatz.core import kernels
from bolzplatz.core.compiled import Function, compile_functions
from bolzplatz.core.declare import Seen, layout_of
from bolzplatz.core.events import RawEvent, drain, new_log
from bolzplatz.core.fast import RNG_SIZE, FastStream, wrap64
from bolzplatz.core.forms import MAX_DRAWN
from bolzplatz.core.game import Entry, Game, State
from bolzplatz.core.spec import Rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_LIMIT = 1_000_000
"""Steps after which a match is given up where a caller names no limit."""


class Matches(NamedTuple):
    """Results of n matches: `steps` (n,), -1 where the limit came first; `won` (n, seats), 0/1; `scores` (n, seats)."""

    steps: "NDArray[np.int64]"
    won: "NDArray[np.int64]"
    scores: "NDArray[np.int64]"


def links_of(
    rules: Rules, choose: Function | None = None, draw_chance: Function | None = None, hides: bool = False
) -> dict[str, Function]:
    """Return a game's functions under the names by which the kernels call them; `hides`: some fields are not open."""
    links = {f.name: getattr(rules, f.name) for f in fields(rules)}
    links["apply_joint"] = rules.apply_joint or kernels.no_joint_node
    links["choose"] = choose or kernels.choose_uniformly
    links["draw_chance"] = draw_chance or kernels.draw_as_usual
    links["look_as"] = kernels.look_masked if hides else kernels.look_open
    return links


_PLAYING = (kernels.play_many, kernels.apply_at, kernels.apply_joint_at, kernels.look_at)
_CHOOSING = (kernels.choose_at,)


@lru_cache(maxsize=32)
def _namespace(
    functions: tuple[Function, ...],
    rules: Rules,
    choose: Function | None,
    draw_chance: Function | None,
    hides: bool,
    boundscheck: bool,
) -> Any:
    return compile_functions(functions, links_of(rules, choose, draw_chance, hides), boundscheck)


def work_of(choose: Function | None) -> int:
    """Return how much work memory computer players ask for: `WORK` integers, by their module (`bots`)."""
    work: int = choose.__globals__.get("WORK", 0) if choose is not None else 0
    return work


class Engine:
    """Compiled rules of one game with its options, working on one state record.

    Args:
        game: the game.
        choose: the computer players, a function of the compiled subset (`bots`); any legal action where None.
        draw_chance: their part in chance nodes (`core.kernels`), of the compiled subset too; the weights where None.
        memory: what they find at the beginning of their work memory, such as a table of solved positions.
        boundscheck: check every index at run time; slow, for tests.
    """

    def __init__(
        self,
        game: Game,
        choose: Callable[..., int] | None = None,
        draw_chance: Callable[..., int] | None = None,
        memory: "Sequence[int] | NDArray[np.int64]" = (),
        boundscheck: bool = False,
    ) -> None:
        import numpy as np

        self.game = game
        hides = any(field.seen_by is not Seen.EVERYONE for field in game.layout.fields)
        self._parts = (game.rules, choose, draw_chance, hides, boundscheck)
        room = game.num_actions + max(work_of(choose), len(memory))
        self.states = np.zeros(3, dtype=game.layout.dtype())
        seen = np.array([game.layout.seen_entries(seat) for seat in range(game.num_players)], dtype=np.int64)
        lowest = np.array(game.layout.lowest_entries(), dtype=np.int64)
        self._view = (self.states, self.states.view(np.int64).reshape(3, -1), seen, lowest)
        setups = np.zeros(1, dtype=layout_of(game.spec.setup).dtype())
        layout_of(game.spec.setup).to_record(game.setup, setups[0])
        self.setup: Any = setups[0]
        self._actions = np.zeros(room, dtype=np.int64)
        self._actions[game.num_actions : game.num_actions + len(memory)] = memory
        self._log = np.array(new_log(), dtype=np.int64)
        self.load(game.new_initial_state())

    @cached_property
    def _code(self) -> Any:
        return _namespace(_PLAYING, *self._parts)

    @property
    def view(self) -> Any:
        """What kernels get of the states: the records, and how they are masked (`core.kernels.look_masked`)."""
        return self._view

    def new_work(self) -> "NDArray[np.int64]":
        """Return room for legal actions and work memory, for kernels that let computer players choose."""
        return self._actions.copy()

    def load(self, state: State) -> None:
        """Copy a state's data into the record; matches start from it as well."""
        self.game.layout.to_record(state._data, self.states[1])
        self.states[0] = self.states[1]

    def data(self) -> Any:
        """Return the record as the interpreted dataclass."""
        return self.game.layout.from_record(self.states[0])

    def apply(self, entry: Entry) -> list[RawEvent]:
        """Apply a legal action or a possible outcome, or one action a seat; return the events, all with step 0."""
        if isinstance(entry, tuple):
            import numpy as np

            self._code.apply_joint_at(self.states, self.setup, np.array(entry, dtype=np.int64), self._log)
        else:
            self._code.apply_at(self.states, self.setup, entry, self._log)
        events = drain(self._log.tolist(), 0)
        self._log[0] = 0
        return events

    def look(self, seat: int) -> tuple[int, list[int]]:
        """Return the player to act and the legal actions of a seat; none where it has nothing to decide."""
        player, count = self._code.look_at(self.states, self.setup, seat, self._actions)
        return int(player), [int(action) for action in self._actions[:count]]

    def choose(self, seat: int, level: int, stream: FastStream) -> int:
        """Return the action that a computer player chooses for `seat`, which decides at the loaded state."""
        import numpy as np

        rng = np.array(stream.rng, dtype=np.int64)
        code = _namespace(_CHOOSING, *self._parts)
        action = int(code.choose_at(self._view, self.setup, level, seat, self._actions, rng))
        stream.rng[:] = [int(word) for word in rng]
        return action

    def play(
        self, count: int, seed: int, first: int = 0, levels: Sequence[int] | None = None, limit: int = DEFAULT_LIMIT
    ) -> Matches:
        """Play matches first … first+count-1 of the run `seed` from the loaded state.

        Args:
            count: how many matches.
            seed: any integer; a match's draws depend on seed and match number alone.
            first: number of the first match.
            levels: each seat's computer player as `choose` numbers them; 0 for all where None.
            limit: steps after which a match is given up.

        Raises ValueError unless `levels` has one entry a seat.
        """
        import numpy as np

        seats = self.game.num_players
        if levels is not None and len(levels) != seats:
            raise ValueError(f"{len(levels)} levels for {seats} seats")
        matches = Matches(*(np.zeros(shape, dtype=np.int64) for shape in ((count,), (count, seats), (count, seats))))
        rng, drawn, joint = (np.zeros(size, dtype=np.int64) for size in (RNG_SIZE, MAX_DRAWN, seats))
        buffers = (rng, self._actions.copy(), drawn, joint)
        chosen = np.array(levels if levels is not None else [0] * seats, dtype=np.int64)
        self._code.play_many(self._view, self.setup, chosen, wrap64(seed), first, limit, buffers, *matches)
        return matches
