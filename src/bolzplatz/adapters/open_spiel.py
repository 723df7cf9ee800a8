"""OpenSpiel: importing this module registers every game as `bolzplatz_<name>`, with underscores.

    import pyspiel
    import bolzplatz.adapters.open_spiel
    game = pyspiel.load_game("bolzplatz_5050(players=3,target=2000)")

All chance is explicit: no node of any game has more outcomes than can be listed, and the type says so. Parameters are
the game's options and two more, which make small games for exact algorithms. `none` is an option that is off; a text
that is empty is the option's default, and `+` stands for the comma that would end it in a game string.

    start    moves in notation, parted by `;`, that are made before the game begins
    horizon  so many entries of the history after the start the game is over, level if it is not decided; 0: never

The observation tensor is that of `adapters.observation`, plane by plane, as float32. The information state is a string:
of a game that hides nothing its whole history, else what the seat saw change and what it chose. A tensor has a size, so
there is one of the information state where a game has a `horizon`, and the type of such a game says so (`Memory`).

States and what a seat sees of them are told as structs, `to_struct` and `to_observation_struct`, and as `to_json` and
`to_dict`; `game.new_initial_state` takes what they tell of a state. OpenSpiel's own struct classes belong to its C++
games: Python can make none of them, so `Struct` has their methods.
"""

import json
from typing import Any, Final

try:
    import pyspiel
except ImportError:
    from bolzplatz.adapters.extras import missing

    raise missing("OpenSpiel", "openspiel") from None
import numpy as np

from bolzplatz.adapters import observation
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Entry, Game, State
from bolzplatz.core.spec import GameSpec, Option
from bolzplatz.games import game_names, game_spec, load_game

START: Final = "start"
HORIZON: Final = "horizon"
UNBOUNDED: Final = 10**6
"""Longest history that is promised where the rules set no bound."""


def short_name(game: str) -> str:
    """Return the name under which a game is registered.

    >>> short_name("dribbel-fieber")
    'bolzplatz_dribbel_fieber'
    """
    return f"bolzplatz_{game.replace('-', '_')}"


def game_type(spec: GameSpec, bounded: bool = False) -> Any:
    """Return the `pyspiel.GameType` of a game; `bounded`: it has a horizon, and so a tensor of what is remembered."""
    kinds = pyspiel.GameType
    joint, hidden = spec.rules.apply_joint is not None, not spec.perfect_information
    return kinds(
        short_name=short_name(spec.name),
        long_name=spec.title,
        dynamics=kinds.Dynamics.SIMULTANEOUS if joint else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if hidden else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=spec.max_players,
        min_num_players=spec.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=bounded,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={option.name: _parameter(option) for option in spec.options} | {START: "", HORIZON: 0},
    )


def _parameter(option: Option) -> str | int | bool:
    """Return an option's default as a parameter that pyspiel can write and read back."""
    if option.default is None:
        return "none"
    return "" if option.kind is str and not option.choices else option.default


def options_of(params: dict[str, Any]) -> dict[str, Any]:
    """Return the options that parameters of a game mean; those that are left to their defaults are left out.

    >>> options_of({"target": 500, "black_faces": "5+foul", "schedule": ""})
    {'target': 500, 'black_faces': '5,foul'}
    """
    read = {name: value.replace("+", ",") if isinstance(value, str) else value for name, value in params.items()}
    return {name: value for name, value in read.items() if value != ""}


class BolzplatzGame(pyspiel.Game):  # type: ignore[misc]
    """One game with its parameters; `match_game` is the game behind it."""

    name = ""
    kind: Any = None

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.start = tuple(move.strip() for move in given.pop(START, "").split(";") if move.strip())
        self.horizon = int(given.pop(HORIZON, 0))
        if self.horizon < 0:
            raise OptionError(f"{self.name}: {HORIZON} is {self.horizon}; so many entries, or 0 for no end", HORIZON)
        self.match_game: Game = load_game(self.name, **options_of(given))
        bound = self.match_game.max_length or UNBOUNDED
        info = pyspiel.GameInfo(
            num_distinct_actions=self.match_game.num_actions,
            max_chance_outcomes=self.match_game.max_chance_outcomes,
            num_players=self.match_game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=min(bound, self.horizon) if self.horizon else bound,
        )
        super().__init__(game_type(self.match_game.spec, bounded=self.horizon > 0), info, params or {})

    def new_initial_state(self, told: "str | dict[str, Any] | None" = None) -> "BolzplatzState":
        """Return the state after the moves of `start`, or the one that is told: `to_json`, `to_dict` or `to_struct`."""
        if isinstance(told, dict):
            told = json.dumps(told, ensure_ascii=False)
        match = self.match_game.replay(self.start) if told is None else self.match_game.state_from_json(told)
        return BolzplatzState(self, match, self.horizon)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the text that pyspiel loads again: the classes of games are made here, and have no place."""
        return load_again, (str(self),)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "Observer | Memory":
        """Return an observer of this game; it takes no parameters."""
        if params:
            raise ValueError(f"no parameters for observations; passed {params}")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.perfect_recall and self.horizon:
            return Memory(self.match_game, self.horizon)
        return Observer(self.match_game, kind)


def load_again(text: str) -> Any:
    """Load a game by its string; a process that unpickles one may not have registered our games before."""
    return pyspiel.load_game(text)


class Struct(dict[str, Any]):
    """What is told of a state, of a view or of a move: a dict with the methods of OpenSpiel's structs."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a plain dict."""
        return dict(self)

    def to_json(self) -> str:
        """Return it as JSON text."""
        return json.dumps(self, ensure_ascii=False)


class BolzplatzState(pyspiel.State):  # type: ignore[misc]
    """A state; `match` is the `bolzplatz.State` behind it."""

    def __init__(self, game: BolzplatzGame, match: State, horizon: int) -> None:
        super().__init__(game)
        self.match = match
        self._end = match.move_number() + horizon if horizon else None
        hides = not match.game.spec.perfect_information
        self._begin = match.move_number()
        self._seen: list[list[int]] | None = [match.observation(seat) for seat in _seats(match)] if hides else None
        self._notes: list[list[str]] = [[str(seen)] for seen in self._seen or ()]
        self._memory: list[list[list[int]]] = [[] for _ in self._seen or ()]

    def current_player(self) -> int:
        """Return the player to act, or pyspiel's numbers for chance, all at once, and the end."""
        return int(pyspiel.PlayerId.TERMINAL) if self._cut() else self.match.current_player()

    def _cut(self) -> bool:
        return self._end is not None and self.match.move_number() >= self._end

    def is_terminal(self) -> bool:
        """Return whether the match is over, or the horizon reached."""
        return self._cut() or self.match.is_terminal()

    def _legal_actions(self, player: int) -> list[int]:
        return self.match.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return every outcome with its probability."""
        return [(outcome, float(chance)) for outcome, chance in self.match.chance_outcomes()]

    def _apply_action(self, action: int) -> None:
        player = self.match.current_player()
        self.match.apply_action(action)
        self._note({player: action} if player >= 0 else {})

    def _apply_actions(self, actions: list[int]) -> None:
        self.match.apply_actions(actions)
        self._note(dict(enumerate(actions)))

    def _note(self, chosen: dict[int, int]) -> None:
        """Write down what each seat chose and what it sees changed: its information state."""
        if self._seen is None:
            return
        for seat, before in enumerate(self._seen):
            now = self.match.observation(seat)
            changed = [f"{i}={new}" for i, (old, new) in enumerate(zip(before, now, strict=True)) if old != new]
            own = [f"!{chosen[seat]}"] if seat in chosen else []
            if own or changed:
                self._notes[seat].append(" ".join(own + changed))
                self._memory[seat].append([chosen.get(seat, -1) + 1, *now])
            self._seen[seat] = now

    def information_of(self, player: int) -> str:
        """Return all that a player has seen and chosen so far."""
        if self._seen is None:
            return f"{player}: {' '.join(map(str, self.match.entries()))}"
        return f"{player}: {'; '.join(self._notes[player])}"

    def remembered(self, player: int) -> list[list[int]]:
        """Return what `information_of` says in numbers, a row for each entry of the history that the player noticed.

        In a game that hides nothing a row holds the entry, one number a seat where all choose at once, each one more
        than the action or outcome; else the player's own choice, 0 for none, and what it saw then.
        """
        if self._seen is not None:
            return self._memory[player]
        return [[action + 1 for action in _all_of(entry)] for entry in self.match.entries()[self._begin :]]

    def _action_to_string(self, player: int, action: int) -> str:
        return self.match.action_to_string(action, player if player >= 0 else None)

    def returns(self) -> list[float]:
        """Return each player's result, 0 while the match is not over."""
        return self.match.returns()

    def resample_from_infostate(self, player: int, sampler: Any) -> "BolzplatzState":
        """Return a state that a player must think possible, drawn by its chances; `sampler()` is uniform in [0, 1).

        Where nothing is hidden that is this state. Else what the others remember is unknown there, and the history
        that pyspiel keeps is still the true one.
        """
        drawn: BolzplatzState = self.clone()
        if self.match.game.spec.perfect_information:
            return drawn
        moves = self.match.move_number()
        drawn.match = self.match.resample(player, FastStream(int(sampler() * 2**62)))
        if drawn._end is not None:
            drawn._end -= moves
        if drawn._seen is not None:
            drawn._seen = [drawn.match.observation(seat) for seat in _seats(drawn.match)]
            drawn._notes = [
                list(self._notes[seat]) if seat == player else [str(drawn._seen[seat])] for seat in _seats(drawn.match)
            ]
            drawn._memory = [list(self._memory[seat]) if seat == player else [] for seat in _seats(drawn.match)]
        return drawn

    def to_json(self) -> str:
        """Return everything about the state as JSON text: `bolzplatz.State.to_json`."""
        return self.match.to_json()

    def to_dict(self) -> dict[str, Any]:
        """Return what `to_json` says, as a dict."""
        told: dict[str, Any] = json.loads(self.to_json())
        return told

    def to_struct(self) -> Struct:
        """Return what `to_json` says, as a struct."""
        return Struct(self.to_dict())

    def to_observation_struct(self, player: int | None = None) -> Struct:
        """Return what a player may see, the one to act if none is named: `bolzplatz.State.view`."""
        return Struct(self.match.view(self.current_player() if player is None else player))

    def action_to_struct(self, player: int, action: int | None = None) -> Struct:
        """Return an action of a player, or of the one to act, in notation: {"move": …}."""
        who, what = (self.current_player(), player) if action is None else (player, action)
        return Struct({"move": self._action_to_string(who, what)})

    def __str__(self) -> str:
        return str(self.match)


def _seats(match: State) -> range:
    return range(match.game.num_players)


def _all_of(entry: Entry) -> tuple[int, ...]:
    return entry if isinstance(entry, tuple) else (entry,)


class Memory:
    """The information state as a tensor: who one is, then a row for each entry of the history that one noticed.

    What a row holds is said at `BolzplatzState.remembered`; rows that are still to come are 0.
    """

    def __init__(self, game: Game, horizon: int) -> None:
        seats = game.num_players
        joint = seats if game.rules.apply_joint is not None else 1
        width = joint if game.spec.perfect_information else observation.size_of(game)
        self.tensor = np.zeros(seats + horizon * width, dtype=np.float32)
        self.dict: dict[str, Any] = {
            "player": self.tensor[:seats],
            "remembered": self.tensor[seats:].reshape(horizon, width),
        }

    def set_from(self, state: BolzplatzState, player: int) -> None:
        """Write what a player remembers into `tensor`."""
        self.tensor[:] = 0
        self.dict["player"][player] = 1
        for row, told in enumerate(state.remembered(player)):
            self.dict["remembered"][row, : len(told)] = told

    def string_from(self, state: BolzplatzState, player: int) -> str:
        """Return what a player remembers as a string."""
        return state.information_of(player)


class Observer:
    """What a player observes, as pyspiel asks for it: `tensor`, its named parts in `dict`, and a string.

    With perfect recall the string is the information state; the tensor is the present observation in any case.
    """

    def __init__(self, game: Game, kind: Any) -> None:
        self._recalls = kind.perfect_recall
        private = kind.private_info != pyspiel.PrivateInfoType.NONE
        hides = not game.spec.perfect_information
        # Who one is belongs to what one knows alone, in a game where anybody knows anything alone.
        own = {
            plane.name for plane in observation.planes(game) if plane.own or (hides and plane.name == observation.SEAT)
        }
        planes = [plane for plane in observation.planes(game) if (private if plane.name in own else kind.public_info)]
        self._places = [place for plane in planes for place in range(plane.offset, plane.offset + plane.size)]
        self.tensor = np.zeros(len(self._places), dtype=np.float32)
        self.dict: dict[str, Any] = {}
        at = 0
        for plane in planes:
            self.dict[plane.name] = self.tensor[at : at + plane.size]
            at += plane.size
        self._planes = planes

    def set_from(self, state: BolzplatzState, player: int) -> None:
        """Write what a player sees into `tensor`."""
        self.tensor[:] = observation.observe(state.match, player)[self._places]

    def string_from(self, state: BolzplatzState, player: int) -> str:
        """Return what a player sees, or with perfect recall has seen, as a string."""
        if self._recalls:
            return state.information_of(player)
        seen = observation.observe(state.match, player)
        return " ".join(f"{plane.name}:{','.join(map(str, seen[plane.entries]))}" for plane in self._planes)


def register() -> None:
    """Make every game known to OpenSpiel; importing this module has done so already."""
    for name in game_names():
        if short_name(name) not in pyspiel.registered_names():
            kind = game_type(game_spec(name))
            pyspiel.register_game(kind, type(f"Game_{name}", (BolzplatzGame,), {"name": name, "kind": kind}))


register()
