"""The public interface: `Game` and `State`, the same for every game, over the rules that a `GameSpec` declares.

Words and constants are OpenSpiel's (https://github.com/google-deepmind/open_spiel). A state owns its data: clones share
nothing, and two states are equal when their declared fields and options are, whatever led to them.
"""

import importlib
import json
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn, Self

from bolzplatz.core.declare import Layout, layout_of
from bolzplatz.core.errors import IllegalActionError, SeatError, StateError, shorten
from bolzplatz.core.events import RawEvent, drain, new_log
from bolzplatz.core.fast import FastStream
from bolzplatz.core.forms import FORM_HIDDEN, form_kind
from bolzplatz.core.nodes import CHANCE, NOBODY, SIMULTANEOUS, TERMINAL
from bolzplatz.core.spec import GameSpec, OptionValue, Unreadable, fill_options, show_value

Entry = int | tuple[int, ...]
"""What the history keeps of one step: an action or outcome id, or one action a seat at a simultaneous node."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, as a seat may see it.

    Attributes:
        step: index of the history entry that caused it.
        kind: its name in the game's list of events, the key of its text.
        seat: whom it concerns, or None for the whole table.
        data: its arguments, JSON-able.
        rule: the paragraph that it carries out, such as `5050 §4`.
    """

    step: int
    kind: str
    seat: int | None
    data: dict[str, Any]
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dict."""
        return {"step": self.step, "kind": self.kind, "seat": self.seat, "data": dict(self.data), "rule": self.rule}


class Game:
    """One game with its options filled in; makes states and reads them back.

    >>> from bolzplatz import load_game
    >>> game = load_game("bar-bolz", series=3)
    >>> game.options["series"], game.options["penalty_optional"]
    (3, True)
    >>> game.replay(["pass", "10", "penalty"]).legal_actions()
    [0, 1]

    Attributes:
        spec: what the game declares about itself.
        options: every option with its value.
        setup: the options as the integers that rules read.
    """

    def __init__(self, spec: GameSpec, options: dict[str, object]) -> None:
        self.spec = spec
        self.options: dict[str, OptionValue] = spec.complete(fill_options(spec.name, spec.options, options))
        self.setup = spec.encode(self.options)
        self.rules = spec.rules
        self.layout: Layout = layout_of(spec.state)
        self.name = spec.name
        self.rules_version = spec.rules_version
        self.num_players: int = self.setup.seats
        self.num_actions: int = spec.num_actions(self.setup)
        self.max_chance_outcomes: int = spec.max_chance_outcomes(self.setup)
        self.max_length: int | None = spec.max_length(self.setup)
        self._identity = (spec.name, spec.rules_version, tuple(sorted(self.options.items())))

    def new_initial_state(self) -> "State":
        """Return the state before the first move or throw."""
        data = self.spec.state()
        self.rules.begin(data, self.setup)
        return State(self, data)

    def replay(self, history: Iterable[str]) -> "State":
        """Return the state after these moves, as `State.history` wrote them; raises IllegalActionError."""
        state = self.new_initial_state()
        state.play(*history)
        return state

    def state_from_json(self, text: str) -> "State":
        """Read what `State.to_json` wrote; raises StateError where it is broken or belongs to another game."""
        try:
            saved = json.loads(text)
            identity = (saved["game"], saved["rules_version"], tuple(sorted(saved["options"].items())))
            history, fields, start = saved["history"], saved["fields"], saved.get("start")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
            raise StateError(f"not a saved state of {self.name}: {type(fault).__name__} at {fault}") from None
        if identity != self._identity:
            raise StateError(f"saved under {identity}, this game is {self._identity}")
        try:
            state = self.new_initial_state() if start is None else State(self, self.layout.from_dict(start), drawn=True)
            for entry in history:
                state._apply_entry(tuple(entry) if isinstance(entry, list) else entry)
            data = self.layout.from_dict(fields)
        except (ValueError, TypeError, AttributeError) as fault:
            raise StateError(f"saved state of {self.name}: {fault}") from None
        if data != state._data:
            raise StateError(f"saved state of {self.name}: its fields do not follow from its history")
        return state

    def changed_options(self) -> dict[str, OptionValue]:
        """Return the options that are not at their defaults, in their order."""
        return {
            option.name: self.options[option.name]
            for option in self.spec.options
            if self.options[option.name] != option.check(self.name, option.default)
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        changed = (f"{name}={show_value(value)}" for name, value in self.changed_options().items())
        return f"Game({', '.join([self.name, *changed])})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_game, (self.rules.begin.__module__, self.options)


def _unpickle_game(module: str, options: dict[str, object]) -> Game:
    """Load a game again by the module of its rules, so that games travel to worker processes."""
    return Game(importlib.import_module(module).GAME, options)


def _whole(action: int) -> int:
    """Return an action id as Python's own whole number; raises IllegalActionError for anything else."""
    try:
        return int(operator.index(action))  # `index` leaves True a truth value, which a saved state would then show
    except TypeError:
        raise IllegalActionError(str(action), "an action id is a whole number") from None


class State:
    """A position of a match with its history. Not safe to share between threads while it changes.

    >>> from bolzplatz import load_game
    >>> state = load_game("5050").new_initial_state().play("throw 112355")
    >>> [state.action_to_string(action) for action in state.legal_actions()][:3]
    ['keep 55>1', 'keep 5', 'keep 5 5']
    >>> state.play("stop")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    bolzplatz.core.errors.IllegalActionError: 'stop' is refused: at least one die of every throw is ... (5050 §4)
    >>> state.play("keep 1 1 5 5").scores(), state.roller(), len(state.chance_outcomes())
    ([0, 0], 0, 21)
    >>> state.chance_outcomes()[0]
    (0, Fraction(1, 36))
    >>> state == state.game.state_from_json(state.to_json()) == state.game.replay(state.history())
    True
    """

    __slots__ = ("_data", "_events", "_history", "_log", "_start", "_told", "game")

    def __init__(self, game: Game, data: Any, drawn: bool = False) -> None:
        self.game = game
        self._data = data
        self._start = game.layout.copy(data) if drawn else None
        """Where the history begins if not at the first node: what `resample` drew."""
        self._history: list[Entry] = []
        self._events: list[RawEvent] = []
        self._told: list[Event] = []
        """The first of `_events` as they are told; the rest is read when somebody asks."""
        self._log = new_log()

    # --- whose turn, and what is possible ---------------------------------------------------------------------

    def current_player(self) -> int:
        """Return the seat that decides (0 and up), or CHANCE, SIMULTANEOUS or TERMINAL."""
        return self.game.rules.player_to_act(self._data, self.game.setup)

    def is_chance_node(self) -> bool:
        """Return whether dice, cards or a coin decide next."""
        return self.current_player() == CHANCE

    def is_simultaneous_node(self) -> bool:
        """Return whether all seats choose at once."""
        return self.current_player() == SIMULTANEOUS

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return self.current_player() == TERMINAL

    def roller(self) -> int | None:
        """Return the seat that throws at a chance node; None for a deck, a coin, an order, or no chance node."""
        if self.current_player() != CHANCE:
            return None
        seat = self.game.rules.roller(self._data, self.game.setup)
        return None if seat == NOBODY else seat

    def drawer(self) -> int | None:
        """Return the seat that draws a card which it alone may know; None where no such card is drawn."""
        drawer = self.game.spec.drawer
        if drawer is None or self.current_player() != CHANCE or form_kind(self.chance_form()) != FORM_HIDDEN:
            return None
        return drawer(self._data, self.game.setup)

    def chance_form(self) -> int:
        """Return the physical form of a chance node, packed (`core.forms`); raises ValueError elsewhere."""
        self._need_chance_node()
        return self.game.rules.chance_form(self._data, self.game.setup)

    def _need_chance_node(self) -> None:
        if self.current_player() != CHANCE:
            raise ValueError("no chance node: somebody decides here, or the match is over")

    def _check_seat(self, seat: int | None) -> None:
        """Raise SeatError for a seat that the game does not have."""
        try:
            fits = seat is None or 0 <= operator.index(seat) < self.game.num_players
        except TypeError:
            fits = False
        if not fits:
            raise SeatError(f"there is no seat {shorten(seat)}: seats run from 0 to {self.game.num_players - 1}")

    def legal_actions(self, seat: int | None = None) -> list[int]:
        """Return the legal action ids, ascending; outcome ids at a chance node, nothing when the match is over.

        At a simultaneous node `seat` must be given; elsewhere another seat than the one to act has no actions.
        Raises SeatError where it is missing or does not exist.
        """
        self._check_seat(seat)
        player = self.current_player()
        if player == TERMINAL:
            return []
        if player == CHANCE:
            return [outcome for outcome, _ in self.chance_weights()] if seat is None else []
        if player == SIMULTANEOUS:
            if seat is None:
                raise SeatError("all seats choose at this node: name one, legal_actions(seat)")
            player = seat
        elif seat not in (None, player):
            return []
        out = [0] * self.game.num_actions
        return out[: self.game.rules.legal(self._data, self.game.setup, player, out)]

    def chance_weights(self) -> list[tuple[int, int]]:
        """Return each possible outcome of a chance node with its integer weight; raises ValueError elsewhere."""
        self._need_chance_node()
        rules, s, o = self.game.rules, self._data, self.game.setup
        weights = ((outcome, rules.chance_weight(s, o, outcome)) for outcome in range(rules.chance_count(s, o)))
        return [(outcome, weight) for outcome, weight in weights if weight > 0]

    def chance_outcomes(self) -> list[tuple[int, Fraction]]:
        """Return each possible outcome of a chance node with its exact probability; they sum to one.

        Raises ValueError at other nodes.
        """
        weights = self.chance_weights()
        total = sum(weight for _, weight in weights)
        return [(outcome, Fraction(weight, total)) for outcome, weight in weights]

    # --- notation ---------------------------------------------------------------------------------------------

    def action_to_string(self, action: int, seat: int | None = None) -> str:
        """Write an action or chance outcome of this node; a simultaneous node needs the seat as well.

        Raises IllegalActionError for an id that is none here, SeatError for a seat that does not exist.
        """
        action = _whole(action)
        player = self.current_player()
        notation, s, o = self.game.spec.notation, self._data, self.game.setup
        if player == CHANCE:
            self._check_outcome(action)
            return notation.outcome_text(s, o, action)
        if player == TERMINAL:
            self._refuse_at_the_end(str(action))
        if not 0 <= action < self.game.num_actions:
            raise IllegalActionError(str(action), f"action ids run from 0 to {self.game.num_actions - 1}")
        return notation.action_text(s, o, self._deciding_seat(seat), action)

    def string_to_action(self, text: str, seat: int | None = None) -> int:
        """Read a move that is legal here; raises IllegalActionError that names reason and rule otherwise."""
        if not isinstance(text, str):
            raise IllegalActionError(repr(text), "a move is a text")
        player = self.current_player()
        if player == TERMINAL:
            self._refuse_at_the_end(text)
        if player == CHANCE:
            return self._read_outcome(text)
        return self._read_decision(text, self._deciding_seat(seat))

    def _deciding_seat(self, seat: int | None) -> int:
        self._check_seat(seat)
        player = self.current_player()
        if player != SIMULTANEOUS:
            return player
        if seat is None:
            raise SeatError("all seats choose at this node: name one")
        return seat

    def _read_outcome(self, text: str) -> int:
        notation, s, o = self.game.spec.notation, self._data, self.game.setup
        try:
            outcome = notation.read_outcome(s, o, text)
        except Unreadable as unread:
            self._refuse_as_decision(text)
            raise IllegalActionError(text, f"{unread}; {self._asks()}") from None
        self._check_outcome(outcome, text)
        return outcome

    def _refuse_as_decision(self, text: str) -> None:
        """Where a decision is named at a chance node, say which rule stands against it."""
        rules, notation, s, o = self.game.rules, self.game.spec.notation, self._data, self.game.setup
        seat = max(rules.roller(s, o), 0)
        try:
            code = rules.refusal(s, o, seat, notation.read_action(s, o, seat, text))
        except Unreadable:
            return
        self._refuse(text, code)

    def _read_decision(self, text: str, seat: int) -> int:
        notation, s, o = self.game.spec.notation, self._data, self.game.setup
        try:
            action = notation.read_action(s, o, seat, text)
        except Unreadable as unread:
            codes = [refusal.name for refusal in self.game.spec.refusals]
            self._refuse(text, codes.index(unread.refusal) if unread.refusal else 0)
            raise IllegalActionError(text, f"{unread}; {self._asks()}") from None
        self._refuse(text, self.game.rules.refusal(s, o, seat, action))
        return action

    def _asks(self) -> str:
        """Say what this node waits for, with a few examples."""
        if self.current_player() == SIMULTANEOUS:
            return "every seat chooses here"
        texts = [self.action_to_string(action) for action in self.legal_actions()]
        some = ", ".join(texts[:6]) + (", …" if len(texts) > 6 else "")
        return f"expected here: {some}"

    def _refuse(self, text: str, code: int) -> None:
        if code:
            refusal = self.game.spec.refusals[code]
            raise IllegalActionError(text, refusal.text, refusal.rule, refusal.name)

    def _refuse_at_the_end(self, text: str) -> NoReturn:
        """Refuse whatever is tried when the match is over, by the rule that ends it."""
        self._refuse(text, self.game.rules.refusal(self._data, self.game.setup, 0, 0))
        raise IllegalActionError(text, "the match is over")

    def _check_outcome(self, outcome: int, text: str | None = None) -> None:
        rules, s, o = self.game.rules, self._data, self.game.setup
        count = rules.chance_count(s, o)
        if not 0 <= outcome < count:
            raise IllegalActionError(text or str(outcome), f"outcome ids run from 0 to {count - 1} here")
        if rules.chance_weight(s, o, outcome) <= 0:
            # What stands against deciding here is the paragraph that asks for chance instead.
            code = rules.refusal(s, o, max(rules.roller(s, o), 0), 0)
            rule = self.game.spec.refusals[code].rule if code else "notation"
            raise IllegalActionError(text or str(outcome), "this cannot come up here", rule, "impossible")

    # --- moving on --------------------------------------------------------------------------------------------

    def apply_action(self, action: int) -> None:
        """Carry out a decision or a chance outcome; raises IllegalActionError and changes nothing if it is refused."""
        action = _whole(action)
        rules, s, o = self.game.rules, self._data, self.game.setup
        player = rules.player_to_act(s, o)
        if player >= 0:
            code = rules.refusal(s, o, player, action) if 0 <= action < self.game.num_actions else -1
            if code < 0:
                raise IllegalActionError(str(action), f"action ids run from 0 to {self.game.num_actions - 1}")
            if code:
                self._refuse(self.action_to_string(action), code)
        elif player == CHANCE:
            self._check_outcome(action)
        elif player == TERMINAL:
            self._refuse_at_the_end(str(action))
        else:
            raise IllegalActionError(str(action), "all seats choose at this node: use apply_actions")
        rules.apply(s, o, action, self._log)
        self._note(action)

    def apply_actions(self, actions: Sequence[int]) -> None:
        """Carry out a simultaneous node: one action a seat, in seat order; all or nothing."""
        rules, s, o = self.game.rules, self._data, self.game.setup
        chosen = tuple(_whole(action) for action in actions)
        if self.current_player() != SIMULTANEOUS or rules.apply_joint is None:
            raise IllegalActionError(str(chosen), "one seat decides at this node, or nobody: use apply_action")
        if len(chosen) != self.game.num_players:
            raise IllegalActionError(str(chosen), f"{self.game.num_players} actions expected, one a seat")
        for seat, action in enumerate(chosen):
            if not 0 <= action < self.game.num_actions:
                raise IllegalActionError(str(action), f"action ids run from 0 to {self.game.num_actions - 1}")
            self._refuse(self.action_to_string(action, seat), rules.refusal(s, o, seat, action))
        rules.apply_joint(s, o, chosen, self._log)
        self._note(chosen)

    def _note(self, entry: Entry) -> None:
        if self._log[0]:
            self._events += drain(self._log, len(self._history))
        self._history.append(entry)

    def _apply_entry(self, entry: Entry) -> None:
        if isinstance(entry, tuple):
            self.apply_actions(entry)
        else:
            self.apply_action(entry)

    def play(self, *moves: str) -> Self:
        """Carry out moves in notation, in order, decisions and chance outcomes alike; all or nothing.

        A simultaneous node takes one string with a word for each seat. Returns the state itself.
        """
        trial = self.clone()
        for move in moves:
            if trial.current_player() == SIMULTANEOUS and isinstance(move, str):
                trial._play_joint_now(move.split(" "))
            else:
                trial.apply_action(trial.string_to_action(move))
        self._become(trial)
        return self

    def play_joint(self, moves: Sequence[str]) -> Self:
        """Carry out a simultaneous node in notation, one move a seat; all or nothing."""
        if self.current_player() != SIMULTANEOUS:
            raise IllegalActionError(str(moves), "one seat decides at this node, or nobody: use play")
        self._play_joint_now(list(moves))
        return self

    def _play_joint_now(self, moves: list[str]) -> None:
        if len(moves) != self.game.num_players:
            raise IllegalActionError(str(moves), f"{self.game.num_players} moves expected, one a seat")
        self.apply_actions([self.string_to_action(move, seat) for seat, move in enumerate(moves)])

    def _become(self, other: "State") -> None:
        self._data, self._history = other._data, other._history
        self._events, self._told = other._events, other._told

    # --- results ----------------------------------------------------------------------------------------------

    def returns(self) -> list[float]:
        """Return each seat's result; they sum to 0. W winners of n get 1/W each, the others -1/(n-W) each."""
        won = [0] * self.game.num_players
        self.game.rules.winners(self._data, self.game.setup, won)
        winners, losers = sum(won), len(won) - sum(won)
        if not winners or not losers or not self.is_terminal():
            return [0.0] * len(won)
        return [1 / winners if seat_won else -1 / losers for seat_won in won]

    def scores(self) -> list[int]:
        """Return each seat's score in the game's own count, in every state."""
        out = [0] * self.game.num_players
        self.game.rules.scores(self._data, self.game.setup, out)
        return out

    # --- what a seat may see ----------------------------------------------------------------------------------

    def masked(self, seat: int | None) -> Any:
        """Return a copy of the data in which all that `seat` may not see is blanked: what computer players get."""
        self._check_seat(seat)
        return self.game.layout.masked(self._data, seat)

    def resample(self, seat: int | None, stream: FastStream) -> "State":
        """Return a whole state that `seat`, or a spectator (None), must think possible, drawn by its chances.

        It is made from the masked state alone, so that nothing hidden can have a part in it, and its history and events
        begin there, since earlier ones would tell. Raises ValueError for a game that hides something and does not say
        how.
        """
        data, fill = self.masked(seat), self.game.spec.resample
        if fill is not None:
            fill(data, self.game.setup, NOBODY if seat is None else seat, stream.rng)
        elif not self.game.spec.perfect_information:
            raise ValueError(f"{self.game.name} does not say how to draw what is hidden")
        return State(self.game, data, drawn=True)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """Return what that seat may see, or a spectator (None), as a JSON-able dict.

        Keys: game, rules_version, options, players, seat, current_player, roller, legal_actions (texts; only for the
        seat that decides), scores, terminal, returns, fields (declared fields, by allow-list) and shown (the game's own
        derived values). Raises SeatError for a seat that does not exist, as everything does that takes a seat.
        """
        game, player = self.game, self.current_player()
        masked = self.masked(seat)
        decides = player == seat or (player == SIMULTANEOUS and seat is not None)
        return {
            "game": game.name,
            "rules_version": game.rules_version,
            "options": dict(game.options),
            "players": game.num_players,
            "seat": seat,
            "current_player": player,
            "roller": self.roller(),
            "legal_actions": [self.action_to_string(a, seat) for a in self.legal_actions(seat)] if decides else [],
            "scores": self.scores(),
            "terminal": player == TERMINAL,
            "returns": self.returns(),
            "fields": game.layout.visible(self._data, seat, game.num_players),
            "shown": game.spec.shown(masked, game.setup),
        }

    def observation(self, seat: int) -> list[int]:
        """Return the integers that the seat observes, laid out by `game.layout.observation_planes(players)`."""
        self._check_seat(seat)
        return self.game.layout.observation(self._data, seat, self.game.num_players)

    def events(self, seat: int | None = None) -> list[Event]:
        """Return what happened so far, as far as that seat, or a spectator (None), may see it."""
        self._check_seat(seat)
        kinds = self.game.spec.events
        self._told += [
            Event(
                raw.step,
                kinds[raw.kind].name,
                None if raw.seat == NOBODY else raw.seat,
                {arg.name: arg.decode(value) for arg, value in zip(kinds[raw.kind].args, raw[3:], strict=False)},
                kinds[raw.kind].rule,
            )
            for raw in self._events[len(self._told) :]
        ]
        return [
            event
            for event, raw in zip(self._told, self._events, strict=True)
            if not kinds[raw.kind].seat_only or raw.seat == seat
        ]

    # --- copies, saving, comparing ----------------------------------------------------------------------------

    def history(self) -> list[str]:
        """Return the full log as strings, hidden things included: for the server, never for a seat.

        That of a resampled state begins where it was drawn.
        """
        game, start = self.game, self._start
        state = game.new_initial_state() if start is None else State(game, game.layout.copy(start))
        texts = []
        for entry in self._history:
            if isinstance(entry, tuple):
                texts.append(" ".join(state.action_to_string(action, seat) for seat, action in enumerate(entry)))
            else:
                texts.append(state.action_to_string(entry))
            state._apply_entry(entry)
        return texts

    def entries(self) -> tuple[Entry, ...]:
        """Return the full log as ids, one action a seat where all chose at once: for the server, never for a seat."""
        return tuple(self._history)

    def move_number(self) -> int:
        """Return how many entries the history has."""
        return len(self._history)

    def clone(self) -> "State":
        """Return an independent copy."""
        copy = State(self.game, self.game.layout.copy(self._data))
        copy._start = self._start
        copy._history = self._history.copy()
        copy._events = self._events.copy()
        copy._told = self._told.copy()
        return copy

    def __copy__(self) -> "State":
        return self.clone()

    def __deepcopy__(self, _memo: dict[int, Any]) -> "State":
        return self.clone()

    def to_json(self) -> str:
        """Return everything about the state, hidden things included, as JSON text."""
        game = self.game
        told: dict[str, Any] = {
            "game": game.name,
            "rules_version": game.rules_version,
            "options": game.options,
            "history": self._history,
            "fields": game.layout.to_dict(self._data),
        }
        if self._start is not None:
            told["start"] = game.layout.to_dict(self._start)
        return json.dumps(told, ensure_ascii=False)

    def key(self) -> tuple[Any, ...]:
        """Return a hashable value: two states are equal exactly when their keys are."""
        return (*self.game._identity, self.game.layout.key(self._data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.game == other.game and bool(self._data == other._data)

    def __hash__(self) -> int:
        return hash(self.key())

    def __str__(self) -> str:
        return self.game.spec.board(self._data, self.game.setup)

    def __repr__(self) -> str:
        return f"<State of {self.game!r} after {len(self._history)} entries>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_state, (self.game, self.to_json())


def _unpickle_state(game: Game, text: str) -> State:
    return game.state_from_json(text)
