"""PettingZoo: every seat is an agent, turn by turn (`env`), and all at once where the game is so (`parallel_env`).

    from bolzplatz.adapters import pettingzoo
    env = pettingzoo.env("5050", players=3, render_mode="ansi")

or, once this module is imported, by PettingZoo's own registry: `make("aec", "Bolzplatz/5050-v0", players=3)`.

Agents are `player_0`, `player_1`, … in seat order. Observations are dicts: `observation` as in `adapters.observation`,
`action_mask` with 1 for each legal action, all 0 for an agent that has nothing to decide. Dice and cards belong to the
step; they follow from the seed. All agents get their reward when the match ends (`State.returns`). Where all choose at
once, `env` asks them in seat order and nobody sees the others' choices.

The number in an environment's name is its version: it goes up when observations, actions or rewards change.
"""

from typing import Any, Final

try:
    import pettingzoo
except ImportError:
    from bolzplatz.adapters.extras import missing

    raise missing("PettingZoo", "rl") from None
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pettingzoo.utils import wrappers

from bolzplatz.adapters import observation
from bolzplatz.adapters.luck import MatchLuck, settle
from bolzplatz.adapters.picture import PICTURE, draw
from bolzplatz.adapters.vector import check_most
from bolzplatz.core.declare import Layout
from bolzplatz.core.errors import IllegalActionError, OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import SIMULTANEOUS
from bolzplatz.games import game_names, game_spec, load_game

VERSION: Final = "v0"
RENDER_MODES: Final = ("human", "ansi", PICTURE)
Observed = dict[str, NDArray[Any]]


def env_name(game: str) -> str:
    """Return an environment's name.

    >>> env_name("bar-bolz")
    'bolzplatz_bar-bolz_v0'
    """
    return f"bolzplatz_{game}_{VERSION}"


def env(name: str, max_cycles: int | None = None, render_mode: str | None = None, **options: Any) -> Any:
    """Return the turn-by-turn environment of a game, in PettingZoo's usual wrappers: an illegal action loses.

    Args:
        name: of the game.
        max_cycles: decisions (where all choose at once: rounds of them) after which the match is truncated.
        render_mode: None, `human` (prints the board), `ansi` (returns it) or `rgb_array` (a picture of it).
        options: of the game.

    Raises OptionError for an unknown game, option or mode.
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(name, max_cycles, render_mode, **options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class _Seats:
    """What both kinds of environment share: agents, spaces, dice and pictures of one game."""

    def __init__(self, game: str, max_cycles: int | None, render_mode: str | None, options: dict[str, Any]) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise OptionError(f"{game}: render_mode is {render_mode!r}; allowed: none, {', '.join(RENDER_MODES)}")
        self.game: Game = load_game(game, **options)
        check_most(self.game, "max_cycles", max_cycles)
        self.max_cycles, self.render_mode = max_cycles, render_mode
        self.names = [f"player_{seat}" for seat in range(self.game.num_players)]
        low, high = observation.bounds(self.game)
        self.observation_spaces = {name: self._space(low, high) for name in self.names}
        self.action_spaces = {name: spaces.Discrete(self.game.num_actions) for name in self.names}
        self.state_space = _state_space(self.game.layout)
        self._luck: MatchLuck | None = None
        self._match: State | None = None

    @property
    def match(self) -> State:
        """The match as it stands; raises Gymnasium's ResetNeeded where none has begun."""
        if self._match is None:
            raise ResetNeeded("no match has begun: call reset first")
        return self._match

    def _space(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> spaces.Dict:
        mask = spaces.Box(0, 1, (self.game.num_actions,), dtype=np.int8)
        return spaces.Dict({"observation": spaces.Box(low, high, dtype=np.int64), "action_mask": mask})

    def begin(self, seed: int | None) -> FastStream:
        """Begin the next match, where somebody decides, and return its dice; match 0 of the run where a seed is given.

        Matches that end before anybody has anything to decide are passed over.
        """
        if seed is not None or self._luck is None:
            self._luck = MatchLuck(int(np.random.SeedSequence(seed).entropy))  # type: ignore[arg-type]
        self._match, stream = self._luck.next_match(self.game)
        return stream

    def observe(self, state: State, seat: int, decides: bool) -> Observed:
        """Return what a seat sees, and what it may choose if it decides."""
        mask = observation.mask(state, seat) if decides else np.zeros(self.game.num_actions, dtype=np.int8)
        return {"observation": observation.observe(state, seat), "action_mask": mask}

    def whole(self, state: State) -> NDArray[np.int64]:
        """Return every entry of the state, hidden ones included: for learners that train with it."""
        return np.array(self.game.layout.key(state._data), dtype=np.int64)

    def rewards(self, state: State) -> dict[str, float]:
        """Return every agent's result."""
        return dict(zip(self.names, state.returns(), strict=True))

    def render(self, state: State) -> Any:
        """Show the board in the mode that was asked for."""
        if self.render_mode == PICTURE:
            return draw(state, self.names)
        if self.render_mode == "human":
            print(state)
            return None
        return str(state) if self.render_mode == "ansi" else None


def _state_space(layout: Layout) -> spaces.Box:
    low = [field.low for field in layout.fields for _ in range(field.length or 1)]
    high = [field.high for field in layout.fields for _ in range(field.length or 1)]
    return spaces.Box(np.array(low), np.array(high), dtype=np.int64)


class raw_env(pettingzoo.AECEnv[str, Observed, int]):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name for it
    """The turn-by-turn environment without wrappers; see `env`."""

    def __init__(
        self, name: str, max_cycles: int | None = None, render_mode: str | None = None, **options: Any
    ) -> None:
        super().__init__()
        self._seats = _Seats(name, max_cycles, render_mode, options)
        self.render_mode = render_mode
        self.metadata = {
            "name": env_name(name),
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = list(self._seats.names)
        self.observation_spaces = self._seats.observation_spaces
        self.action_spaces = self._seats.action_spaces
        self.state_space = self._seats.state_space

    @property
    def match(self) -> State:
        """The match as it stands."""
        return self._seats.match

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return an agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return an agent's action space."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin the next match, or match 0 of a new seed."""
        self._stream = self._seats.begin(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._cycles = 0
        self._chosen: list[int] = []
        self.agent_selection = self._to_choose()

    def _to_choose(self) -> str:
        """Return the agent to decide; when the match is over, the first one that is still to be told."""
        player = self.match.current_player()
        if player == SIMULTANEOUS:
            player = len(self._chosen)
        return self.possible_agents[player] if player >= 0 else self.agents[0]

    def step(self, action: int | None) -> None:
        """Carry out the action of `agent_selection`, and throws that follow; None once it is done for."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._apply(int(action))  # type: ignore[arg-type]
        limit = self._seats.max_cycles
        if self.match.is_terminal():
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = self._seats.rewards(self.match)
        elif limit is not None and self._cycles >= limit:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self._to_choose()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _apply(self, action: int) -> None:
        if self.match.is_simultaneous_node():
            self._chosen.append(action)
            if len(self._chosen) < len(self.possible_agents):
                return
            self.match.apply_actions(self._chosen)
            self._chosen = []
        else:
            self.match.apply_action(action)
        self._cycles += 1
        settle(self.match, self._stream)

    def observe(self, agent: str) -> Observed:
        """Return what an agent sees; its mask marks what it may choose if it is the one to decide."""
        decides = agent == self.agent_selection and not self.terminations[agent] and not self.truncations[agent]
        return self._seats.observe(self.match, self.possible_agents.index(agent), decides)

    def state(self) -> NDArray[np.int64]:
        """Return every entry of the state, hidden ones included."""
        return self._seats.whole(self.match)

    def render(self) -> Any:
        """Show the board; see `env`."""
        return self._seats.render(self.match)


class parallel_env(pettingzoo.ParallelEnv[str, Observed, int]):  # type: ignore[misc]  # noqa: N801 - PettingZoo's name
    """The environment of a game in which all choose at once, all agents in one step; see `env`.

    Raises OptionError for a game in which seats take turns. `step` raises IllegalActionError for an illegal action.
    """

    def __init__(
        self, name: str, max_cycles: int | None = None, render_mode: str | None = None, **options: Any
    ) -> None:
        self._seats = _Seats(name, max_cycles, render_mode, options)
        if self._seats.game.rules.apply_joint is None:
            raise OptionError(f"{name}: seats take turns; use env")
        self.render_mode = render_mode
        self.metadata = {"name": env_name(name), "render_modes": list(RENDER_MODES), "render_fps": 2}
        self.possible_agents = list(self._seats.names)
        self.agents: list[str] = []
        self.observation_spaces = self._seats.observation_spaces
        self.action_spaces = self._seats.action_spaces
        self.state_space = self._seats.state_space

    @property
    def match(self) -> State:
        """The match as it stands."""
        return self._seats.match

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return an agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return an agent's action space."""
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> tuple[dict[str, Observed], dict[str, dict[str, Any]]]:
        """Begin the next match, or match 0 of a new seed."""
        self._stream = self._seats.begin(seed)
        self.agents = self.possible_agents[:]
        self._cycles = 0
        return self._observe(), {agent: {} for agent in self.agents}

    def _observe(self) -> dict[str, Observed]:
        decide = not self.match.is_terminal()
        return {agent: self._seats.observe(self.match, seat, decide) for seat, agent in enumerate(self.possible_agents)}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observed], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Carry out one action of every agent, and what follows."""
        if missing := [agent for agent in self.possible_agents if agent not in actions]:
            raise IllegalActionError(str(actions), f"all choose at once; no action for {', '.join(missing)}")
        self.match.apply_actions([int(actions[agent]) for agent in self.possible_agents])
        settle(self.match, self._stream)
        self._cycles += 1
        over = self.match.is_terminal()
        limit = self._seats.max_cycles
        cut = not over and limit is not None and self._cycles >= limit
        told = self.agents
        if over or cut:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        rewards = self._seats.rewards(self.match)
        return self._observe(), rewards, dict.fromkeys(told, over), dict.fromkeys(told, cut), {a: {} for a in told}

    def state(self) -> NDArray[np.int64]:
        """Return every entry of the state, hidden ones included."""
        return self._seats.whole(self.match)

    def render(self) -> Any:
        """Show the board; see `env`."""
        return self._seats.render(self.match)


def register() -> None:
    """Make every game known to PettingZoo's registry; importing this module has done so already."""
    for name in game_names():
        kinds = (
            {"aec": "env"} if game_spec(name).rules.apply_joint is None else {"aec": "env", "parallel": "parallel_env"}
        )
        for kind, entry in kinds.items():
            registry = pettingzoo.aec_registry if kind == "aec" else pettingzoo.parallel_registry
            name_there = f"Bolzplatz/{name}-{VERSION}"
            if name_there not in registry:
                pettingzoo.register(kind, name_there, f"{__name__}:{entry}", kwargs={"name": name})


register()
