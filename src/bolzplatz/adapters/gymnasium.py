"""Gymnasium: one learner against computer players, alone (`MatchEnv`) or in thousands of matches (`MatchesVectorEnv`).

    import gymnasium, bolzplatz.adapters.gymnasium
    env = gymnasium.make("Bolzplatz/5050-v0", opponent="child", target=2000)
    many = gymnasium.make_vec("Bolzplatz/5050-v0", num_envs=4096, opponent="child", target=2000)

Observations are those of `adapters.observation`. `info["action_mask"]` marks the legal actions, `info["seat"]` says
which seat the learner has, `info["illegal"]` that the match is over because an action was not legal: it loses. The
reward comes at the end: 1 for the only winner, the others share -1, and the like (`State.returns`). What the computer
players and the dice do in between belongs to the step. Matches that end before the learner has anything to decide are
passed over.

Computer players may be of any level, and in `MatchEnv` plugged-in ones too (`bots.plugins`). One that searches thinks
in `MatchEnv` as long as it does at a table, by the clock, so that there not even the seed decides what it plays.

The number in an id is the version of the environment: it goes up when observations, actions or rewards change.
"""

from collections.abc import Sequence
from typing import Any, Final

try:
    import gymnasium
except ImportError:
    from bolzplatz.adapters.extras import missing

    raise missing("Gymnasium", "rl") from None
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from bolzplatz.adapters import observation
from bolzplatz.adapters.luck import MatchLuck
from bolzplatz.adapters.picture import PICTURE, draw
from bolzplatz.adapters.vector import (
    DISABLED,
    MAX_STEPS,
    NEXT_STEP,
    SAME_STEP,
    USUAL,
    Arrays,
    VectorMatches,
    check_most,
    check_seat,
    levels_of,
)
from bolzplatz.bots import pick_action, pick_outcome
from bolzplatz.core.drivers import draw_from
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS, TERMINAL
from bolzplatz.games import game_names, load_game

VERSION: Final = "v0"
_MODES: Final = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}
Observation = NDArray[np.int64]
Info = dict[str, Any]


def observation_space(game: Game) -> spaces.Space[Observation]:
    """Return the space of a seat's observations: a `Box` of integers."""
    low, high = observation.bounds(game)
    box: spaces.Space[Observation] = spaces.Box(low, high, dtype=np.int64)
    return box


class MatchEnv(gymnasium.Env[Observation, np.int64]):
    """One learner at one seat of a match, against computer players.

    The k-th match after `reset(seed=s)` draws its dice from the stream (s, k), as a row of `MatchesVectorEnv` does.

    Args:
        game: name of the game.
        opponent: level of the computer players, one for all seats or one a seat; `usual`: `good`, or the best of a game
            that has no such level.
        seat: the learner's seat; None: seat k modulo seats in the k-th match.
        max_steps: decisions of the learner after which a match is given up (`truncated`).
        render_mode: None, `ansi` (the board as text) or `rgb_array` (a picture of it, (640, 640, 3)).
        options: of the game.

    Raises OptionError for an unknown game, option, level or seat.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", PICTURE], "render_fps": 2}  # noqa: RUF012 - Gymnasium's way

    def __init__(
        self,
        game: str,
        opponent: str | Sequence[str] = USUAL,
        seat: int | None = 0,
        max_steps: int = MAX_STEPS,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise OptionError(f"{game}: render_mode is {render_mode!r}; allowed: none, ansi, {PICTURE}")
        self.game = load_game(game, **options)
        check_seat(self.game, seat)
        check_most(self.game, "max_steps", max_steps)
        self.levels = levels_of(self.game, opponent)
        self.seat, self.max_steps, self.render_mode = seat, max_steps, render_mode
        self.observation_space = observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._luck: MatchLuck | None = None
        self._over = True
        self.state: State = self.game.new_initial_state()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begin the next match, or match 0 of a new seed."""
        super().reset(seed=seed, options=options)
        if seed is not None or self._luck is None:
            self._luck = MatchLuck(self.np_random_seed if seed is None else seed)
        self._luck.next_match(self.game, self._begin)
        self._taken, self._over = 0, False
        return self._observe(), self._info()

    def _begin(self, state: State, stream: FastStream, match: int) -> None:
        self.state, self._stream = state, stream
        self._learner = match % self.game.num_players if self.seat is None else self.seat
        self._go_on(None)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, Info]:
        """Carry out an action, and all that follows until the learner decides again."""
        if self._over:
            raise gymnasium.error.ResetNeeded("the match is over: call reset first")
        self._taken += 1
        if action not in self.state.legal_actions(self._learner):
            self._over = True
            return self._observe(), -1.0, True, False, self._info(illegal=True)
        self._go_on(int(action))
        terminated = self.state.is_terminal()
        truncated = not terminated and self._taken >= self.max_steps
        self._over = terminated or truncated
        return self._observe(), self.state.returns()[self._learner], terminated, truncated, self._info()

    def _go_on(self, action: int | None) -> None:
        """Carry out the learner's action, if any, then throws and computer players, until the learner decides."""
        state = self.state
        while (player := state.current_player()) != TERMINAL:
            if player == CHANCE:
                outcome = pick_outcome(self.game, state, self.levels, self._stream)
                state.apply_action(draw_from(self._stream, state).outcome if outcome is None else outcome)
            elif player not in (SIMULTANEOUS, self._learner):
                state.apply_action(self._pick(player))
            elif action is None:
                return
            elif player == SIMULTANEOUS:
                seats = range(self.game.num_players)
                state.apply_actions([action if seat == self._learner else self._pick(seat) for seat in seats])
                action = None
            else:
                state.apply_action(action)
                action = None

    def _pick(self, seat: int) -> int:
        return pick_action(self.game, self.state, seat, self.levels[seat], self._stream)

    def _observe(self) -> Observation:
        return observation.observe(self.state, self._learner)

    def _info(self, illegal: bool = False) -> Info:
        return {"action_mask": self.action_masks(), "seat": self._learner, "illegal": illegal}

    def action_masks(self) -> NDArray[np.int8]:
        """Return 1 for each legal action, all 0 when the match is over; learners with masks ask by this name."""
        if self._over:
            return np.zeros(self.game.num_actions, dtype=np.int8)
        return observation.mask(self.state, self._learner)

    def render(self) -> Any:
        """Return the board as text in mode `ansi`, a picture of it in mode `rgb_array`."""
        if self.render_mode == PICTURE:
            names = [f"{level} {seat}" for seat, level in enumerate(self.levels)]
            names[self._learner] = "learner"
            return draw(self.state, names)
        return str(self.state) if self.render_mode == "ansi" else None


class MatchesVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Thousands of matches of one game, stepped in compiled code.

    Row i plays what `MatchEnv` plays after `reset(seed=seed + i)`. What `step` and `reset` return are the same arrays
    every time (`arrays`); with `copy=True` they are copies.

    Args:
        game: name of the game.
        num_envs: how many matches.
        opponent: as in `MatchEnv`, or None: the learner decides for every seat in turn; `info["seat"]` says for which,
            the reward is that of the seat that decided, and `info["returns"]` has every seat's.
        seat: as in `MatchEnv`.
        autoreset_mode: when a match that is over is followed by the next one.
        max_steps: as in `MatchEnv`.
        copy: return copies.
        options: of the game.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - Gymnasium declares it so

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponent: str | Sequence[str] | None = USUAL,
        seat: int | None = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_steps: int = MAX_STEPS,
        copy: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise OptionError(f"{game}: matches side by side are not rendered; make a single one for that")
        self.game = load_game(game, **options)
        self.num_envs, self.copy = num_envs, copy
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.matches = VectorMatches(self.game, num_envs, opponent, seat, _MODES[self.autoreset_mode], max_steps)
        self.arrays: Arrays = self.matches.arrays()
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeded = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin the next match in every row, or in those that `options["reset_mask"]` marks; with a seed, match 0.

        Of several seeds, one a row, those that are None begin the row's next match.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        if not self._seeded and seed is None:
            seed = self._any_seed()
        elif not self._seeded and isinstance(seed, Sequence | np.ndarray):
            seed = [self._any_seed() if each is None else each for each in seed]
        self._seeded = True
        self.matches.reset(self.arrays, seed, (options or {}).get("reset_mask"))
        return self._out(self.arrays.observations), self._info()

    def step(self, actions: NDArray[np.int64]) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Carry out one action a row."""
        arrays = self.arrays
        self.matches.step(actions, arrays)
        info = self._info()
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            over = arrays.terminated | arrays.truncated
            if over.any():
                info |= {"final_obs": self._out(arrays.finals), "_final_obs": over}
                info |= {"final_info": self._final_info(over), "_final_info": over}
        done = (self._out(array) for array in (arrays.rewards, arrays.terminated, arrays.truncated))
        rewards, terminated, truncated = done
        return self._out(arrays.observations), rewards, terminated, truncated, info

    def _any_seed(self) -> int:
        return int(self.np_random.integers(2**63))

    def _info(self) -> Info:
        arrays = self.arrays
        found: dict[str, NDArray[Any]] = {
            "action_mask": arrays.masks,
            "seat": arrays.seats,
            "illegal": arrays.illegal,
            "returns": arrays.returns,
        }
        return {name: self._out(array) for name, array in found.items()}

    def _final_info(self, over: NDArray[np.bool_]) -> Info:
        """Return the infos of the matches that are over as Gymnasium gathers those of single ones; 0 elsewhere."""
        arrays = self.arrays
        found: dict[str, NDArray[Any]] = {
            "action_mask": np.zeros_like(arrays.masks),
            "seat": np.where(over, arrays.finals[:, 0], 0),
            "illegal": arrays.illegal & over,
            "returns": np.where(over[:, None], arrays.returns, 0.0),
        }
        return found | {f"_{name}": over for name in found}

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array


def env_id(name: str) -> str:
    """Return the id of a game.

    >>> env_id("bar-bolz")
    'Bolzplatz/bar-bolz-v0'
    """
    return f"Bolzplatz/{name}-{VERSION}"


def register() -> None:
    """Make every game known to Gymnasium; importing this module has done so already."""
    for name in game_names():
        if env_id(name) not in gymnasium.registry:
            gymnasium.register(
                env_id(name),
                entry_point=f"{__name__}:MatchEnv",
                vector_entry_point=f"{__name__}:MatchesVectorEnv",
                kwargs={"game": name},
            )


register()
