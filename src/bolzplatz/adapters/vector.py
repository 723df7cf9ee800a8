"""Thousands of matches stepped in one compiled call, into arrays that the caller owns.

`VectorMatches` needs no framework; `adapters.gymnasium` puts it behind Gymnasium's interface. Row i of a run with seed
s plays its k-th match on the chance stream (s + i, k), so that any match of any row can be played again alone, as
`adapters.gymnasium.MatchEnv` with seed s + i does.

    matches = VectorMatches(load_game("5050"), 4096, opponent="child")
    arrays = matches.arrays()
    matches.reset(arrays, seed=1)
    while True:
        matches.step(choose(arrays.observations, arrays.masks), arrays)
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.adapters.observation import pieces, size_of
from bolzplatz.bots import chance_drawer, chooser, level_index, memory_of, usual_level
from bolzplatz.bots.plugins import plugged_in
from bolzplatz.core import stepping
from bolzplatz.core.compiled import Function, compile_functions
from bolzplatz.core.declare import Seen, layout_of
from bolzplatz.core.engine import links_of, work_of
from bolzplatz.core.errors import OptionError, shorten
from bolzplatz.core.fast import RNG_SIZE, wrap64
from bolzplatz.core.forms import MAX_DRAWN
from bolzplatz.core.game import Game
from bolzplatz.core.spec import Rules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEXT_STEP: Final = stepping.NEXT_STEP
SAME_STEP: Final = stepping.SAME_STEP
DISABLED: Final = stepping.DISABLED
USUAL: Final = "usual"
"""Names the level that plays where none is named."""
MAX_STEPS: Final = 10_000
"""Decisions of the learner after which a match is given up where a caller says nothing else."""


@dataclass(slots=True)
class Arrays:
    """What a step writes, one row a match; n rows, w entries of an observation, a actions, s seats.

    Attributes:
        observations: (n, w) int64, what the seat sees that decides now (`adapters.observation`).
        masks: (n, a) int8, 1 for each action that it may choose; all 0 in a row whose match is over.
        rewards: (n,) float64, of the seat that decided: 0 until the match is over.
        terminated: (n,) bool, the match is over.
        truncated: (n,) bool, the match was given up after `max_steps` decisions.
        illegal: (n,) bool, the match is over because the action was not legal.
        returns: (n, s) float64, every seat's result of the row's last match that ended.
        seats: (n,) int64, the seat that observes and decides.
        finals: (n, w) int64, observation at the end of the row's last match; written in SAME_STEP only.
    """

    observations: "NDArray[np.int64]"
    masks: "NDArray[np.int8]"
    rewards: "NDArray[np.float64]"
    terminated: "NDArray[np.bool_]"
    truncated: "NDArray[np.bool_]"
    illegal: "NDArray[np.bool_]"
    returns: "NDArray[np.float64]"
    seats: "NDArray[np.int64]"
    finals: "NDArray[np.int64]"

    def parts(self) -> "tuple[NDArray[Any], ...]":
        """Return all arrays in the order of their names above."""
        return tuple(getattr(self, field.name) for field in fields(self))


@lru_cache(maxsize=32)
def _namespace(rules: Rules, choose: Function | None, draw_chance: Function | None, hides: bool) -> Any:
    links = links_of(rules, choose, draw_chance, hides)
    if hides:
        links["look_as"] = stepping.look_row
    return compile_functions((stepping.step_rows,), links)


def levels_of(game: Game, opponent: str | Sequence[str]) -> list[str]:
    """Return the computer player of each seat, from one for all or one a seat; raises OptionError.

    `usual` is the level that plays where none is named: `good`, or the best of a game that has no such level.
    The learner's own seat has one as well: where hands race, the learner's are as fast as that player's.
    """
    if not isinstance(opponent, str | Sequence) or not all(isinstance(name, str) for name in opponent):
        raise OptionError(f"{game.name}: opponent is {shorten(opponent)}; a level for all, or one a seat")
    names = [opponent] * game.num_players if isinstance(opponent, str) else list(opponent)
    if len(names) != game.num_players:
        raise OptionError(
            f"{game.name}: {len(names)} opponents for {game.num_players} seats; one for all, or one a seat"
        )
    names = [usual_level(game.name) if name == USUAL else name for name in names]
    for name in names:
        level_index(game.name, name)
    return names


def check_seat(game: Game, seat: int | None) -> None:
    """Raise OptionError for a seat that the game does not have."""
    try:
        fits = seat is None or 0 <= operator.index(seat) < game.num_players
    except TypeError:
        fits = False
    if not fits:
        raise OptionError(f"{game.name}: there is no seat {shorten(seat)}; seats run from 0 to {game.num_players - 1}")


def check_most(game: Game, name: str, most: int | None) -> None:
    """Raise OptionError unless a match may go on for at least one decision; None: for as many as it takes."""
    try:
        fits = most is None or operator.index(most) >= 1
    except TypeError:
        fits = False
    if not fits:
        raise OptionError(f"{game.name}: {name} is {shorten(most)}; a whole number from 1 on")


class VectorMatches:
    """Matches of one game side by side.

    Args:
        game: the game with its options.
        count: how many matches.
        opponent: level of the computer players, one for all seats or one a seat; None: the learner decides for every
            seat in turn (not where all choose at once).
        seat: the learner's seat; None: seat k modulo seats in the k-th match of a row.
        autoreset: when a row whose match is over begins the next one: NEXT_STEP, SAME_STEP, or DISABLED, where the
            caller resets it.
        max_steps: decisions of the learner after which a match is given up.

    Raises OptionError for an unknown level or seat, or a game in which one learner cannot decide for all.
    """

    def __init__(
        self,
        game: Game,
        count: int,
        opponent: str | Sequence[str] | None = USUAL,
        seat: int | None = 0,
        autoreset: int = NEXT_STEP,
        max_steps: int = MAX_STEPS,
    ) -> None:
        import numpy as np

        if count < 1:
            raise ValueError("at least one match is needed")
        check_seat(game, seat)
        check_most(game, "max_steps", max_steps)
        if opponent is None and game.rules.apply_joint is not None:
            raise OptionError(f"{game.name}: all choose at once, so one learner cannot decide for every seat in turn")
        self.game, self.count, self.autoreset, self.max_steps = game, count, autoreset, max_steps
        seats = game.num_players
        memory: Sequence[int] = ()
        if opponent is None:
            self._learner, choose, draw_chance, levels = stepping.EVERY_SEAT, None, None, [0] * seats
        else:
            self._learner = stepping.BY_TURNS if seat is None else seat
            names = levels_of(game, opponent)
            if strangers := set(names) & set(plugged_in(game.name)):
                raise OptionError(f"{game.name}: {', '.join(sorted(strangers))} is plugged in, not compiled code")
            choose, draw_chance = chooser(game.name, names), chance_drawer(game.name)
            levels, memory = [level_index(game.name, name) for name in names], memory_of(game, names)
        hides = any(field.seen_by is not Seen.EVERYONE for field in game.layout.fields)
        self._code = _namespace(game.rules, choose, draw_chance, hides)
        states = np.zeros(count + 2, dtype=game.layout.dtype())
        game.layout.to_record(game.new_initial_state()._data, states[count])
        seen = np.array([game.layout.seen_entries(place) for place in range(seats)], dtype=np.int64)
        lowest = np.array(game.layout.lowest_entries(), dtype=np.int64)
        self._world = (states, states.view(np.int64).reshape(count + 2, -1), seen, lowest)
        setups = np.zeros(1, dtype=layout_of(game.spec.setup).dtype())
        layout_of(game.spec.setup).to_record(game.setup, setups[0])
        self._setup: Any = setups[0]
        self._tally = np.zeros((count, stepping.TALLY_SIZE), dtype=np.int64)
        rngs = np.zeros((count, RNG_SIZE), dtype=np.int64)
        self._allowed = np.zeros((count, game.num_actions), dtype=np.int8)
        self._book = (self._tally, rngs, np.array(levels, dtype=np.int64), *pieces(game), _worth(seats), self._allowed)
        width = size_of(game)
        shapes = ((count, width), (count, game.num_actions), *[(count,)] * 4, (count, seats), (count,), (count, width))
        types = (np.int64, np.int8, np.float64, *[np.bool_] * 3, np.float64, np.int64, np.int64)
        self._shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            field.name: (shape, np.dtype(dtype))
            for field, shape, dtype in zip(fields(Arrays), shapes, types, strict=True)
        }
        self._known: tuple[Any, ...] = (None,) * len(fields(Arrays))
        self._blocks: tuple[NDArray[np.int8], ...] = ()
        self._steps = np.full(count, stepping.DO_STEP, dtype=np.int64)
        room = (game.num_actions + max(work_of(choose), len(memory)), MAX_DRAWN, seats, seats)
        self._memory = tuple(np.zeros(size, dtype=np.int64) for size in room)
        self._memory[0][game.num_actions : game.num_actions + len(memory)] = memory

    def arrays(self) -> Arrays:
        """Return arrays of the right shapes for `reset` and `step`; a caller may bring its own instead."""
        import numpy as np

        made: dict[str, Any] = {name: np.zeros(shape, dtype=dtype) for name, (shape, dtype) in self._shapes.items()}
        return Arrays(**made)

    def reset(
        self, arrays: Arrays, seed: int | Sequence[int | None] | None = None, which: "NDArray[np.bool_] | None" = None
    ) -> None:
        """Begin a match in every row, or in those that `which` (n,) marks, and write observations, masks and seats.

        Args:
            arrays: where to write.
            seed: row i begins match 0 of seed + i, or of its own where there is one a row; None, for all or for a row:
                its next match.
            which: the rows to reset; all where None.

        Raises ValueError for another number of seeds or marks than of rows.
        """
        import numpy as np

        marked = np.ones(self.count, dtype=np.bool_) if which is None else np.asarray(which, dtype=np.bool_)
        if marked.shape != (self.count,):
            raise ValueError(f"{marked.shape} marks for {self.count} rows")
        seeds: list[int | None] = [None] * self.count
        if seed is not None:
            seeds = list(seed) if isinstance(seed, Sequence | np.ndarray) else list(range(seed, seed + self.count))
        if len(seeds) != self.count:
            raise ValueError(f"{len(seeds)} seeds for {self.count} rows")
        first = np.array([each is not None for each in seeds])
        wrapped = np.array([wrap64(operator.index(each or 0)) for each in seeds], dtype=np.int64)
        self._tally[marked & first, stepping.ROW_SEED] = wrapped[marked & first]
        begin = np.where(first, stepping.DO_BEGIN_FIRST, stepping.DO_BEGIN_NEXT)
        self._run(np.where(marked, begin, stepping.DO_REST), np.zeros(self.count, dtype=np.int64), arrays)
        if self._tally[marked, stepping.ROW_DONE].any():
            raise OptionError(f"{self.game.name}: with these options the learner never has anything to decide")

    def step(self, actions: "NDArray[np.integer[Any]]", arrays: Arrays) -> None:
        """Carry out one action a row and write all that `arrays` holds.

        An action that is not legal ends the match: its seat gets -1, and `illegal` says so. Raises ValueError for
        another shape than (n,), for arrays that do not fit, and where a row that is over was not reset although that
        is left to the caller.
        """
        import numpy as np

        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        if chosen.shape != (self.count,):
            raise ValueError(f"actions of shape {chosen.shape} for {self.count} rows")
        if self.autoreset == DISABLED and self._tally[:, stepping.ROW_DONE].any():
            raise ValueError("a match is over: reset its row first")
        self._run(self._steps, chosen, arrays)

    def _run(self, orders: "NDArray[np.int64]", chosen: "NDArray[np.int64]", arrays: Arrays) -> None:
        parts = arrays.parts()
        if any(part is not known for part, known in zip(parts, self._known, strict=True)):
            self._check(arrays)
            self._known = parts
            whole = self.count // stepping.BLOCK
            block = stepping.BLOCK * self.game.num_actions
            rows = (masks[: whole * stepping.BLOCK] for masks in (arrays.masks, self._allowed))
            self._blocks = tuple(each.reshape(whole, block) for each in rows)
        rules = (self._learner, self.autoreset, self.max_steps)
        self._code.step_rows(
            orders, chosen, self._world, self._setup, self._book, self._memory, parts, self._blocks, rules
        )

    def _check(self, arrays: Arrays) -> None:
        """Raise ValueError for an array that compiled code would write beyond, or not into."""
        for name, (shape, dtype) in self._shapes.items():
            given = getattr(arrays, name)
            fits = (given.shape, given.dtype) == (shape, dtype)
            if not fits or not given.flags.c_contiguous or not given.flags.writeable:
                raise ValueError(f"{name}: an array of {dtype}, contiguous and writable, of shape {shape} is needed")


def _worth(seats: int) -> "NDArray[np.float64]":
    """Return what losing and winning are worth where so many of all seats win, (seats + 1, 2), as `State.returns`."""
    import numpy as np

    worth = np.zeros((seats + 1, 2), dtype=np.float64)
    for winners in range(1, seats):
        worth[winners] = -1 / (seats - winners), 1 / winners
    return worth
