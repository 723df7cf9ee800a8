"""Chance drivers: who supplies the outcome at a chance node. Rules never draw anything themselves.

A *source* supplies raw draws (fast: `FastStream`; verifiable: `core.sealed`); `draw_from` turns them into the outcome
of a node in its physical form and keeps the faces. Scripted outcomes and outcomes entered by hand skip the source.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from bolzplatz.core.errors import IllegalActionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.forms import FORM_DICE, form_count, form_kind, form_sides
from bolzplatz.core.game import State


class Draw(NamedTuple):
    """A chance outcome and the faces that led to it: integers from 0, one a die; none where nothing was thrown."""

    outcome: int
    faces: tuple[int, ...] = ()


class Source(Protocol):
    """Where raw draws come from."""

    def dice(self, count: int, sides: int) -> list[int]:
        """Throw `count` dice; faces are 0..sides-1."""
        ...

    def weighted(self, weights: Sequence[int]) -> int:
        """Draw an index with chances in proportion to the weights."""
        ...


class Driver(Protocol):
    """Anything that decides chance nodes."""

    def draw(self, state: State) -> Draw:
        """Return what comes up at the chance node `state`, which is not changed; raises ValueError elsewhere."""
        ...


def draw_from(source: Source, state: State) -> Draw:
    """Draw the outcome of a chance node from raw draws."""
    form = state.chance_form()
    if form_kind(form) == FORM_DICE:
        faces = source.dice(form_count(form), form_sides(form))
        return outcome_of_faces(state, faces)
    outcomes = state.chance_weights()
    return Draw(outcomes[source.weighted([weight for _, weight in outcomes])][0])


def outcome_of_faces(state: State, faces: Sequence[int]) -> Draw:
    """Return the outcome that thrown faces mean at this node; raises ValueError where they do not fit its form."""
    form = state.chance_form()
    fits = form_kind(form) == FORM_DICE and len(faces) == form_count(form)
    if not fits or any(not 0 <= face < form_sides(form) for face in faces):
        raise ValueError(f"faces {list(faces)} do not fit the throw that is asked for")
    return Draw(state.game.rules.outcome_of(state._data, state.game.setup, list(faces)), tuple(faces))


class FastDriver:
    """Draws of match `match` of the run `seed`, the same as compiled mass play draws them."""

    def __init__(self, seed: int, match: int = 0) -> None:
        self.source = FastStream(seed, match)

    def draw(self, state: State) -> Draw:
        """Return what comes up."""
        return draw_from(self.source, state)


def _read_outcome(state: State, text: str) -> Draw:
    if not state.is_chance_node():
        raise ValueError("no chance node: somebody decides here, or the match is over")
    return Draw(state.string_to_action(text))


class ScriptedDriver:
    """Outcomes from a list of texts in notation, in order; raises IndexError when the list is used up.

    >>> from bolzplatz import load_game
    >>> state = load_game("bar-bolz").new_initial_state()
    >>> ScriptedDriver(["pass", "foul"]).draw(state)
    Draw(outcome=2, faces=())
    """

    def __init__(self, outcomes: Sequence[str]) -> None:
        self._waiting = list(outcomes)

    def draw(self, state: State) -> Draw:
        """Return the next outcome of the list."""
        draw = _read_outcome(state, self._waiting[0])
        del self._waiting[0]
        return draw


class ByHandDriver:
    """Outcomes that people enter after throwing real dice.

    Args:
        ask: called with the state, returns the outcome in notation.
        refuse: told about an entry that cannot be read or cannot come up; then `ask` is called again.
    """

    def __init__(self, ask: Callable[[State], str], refuse: Callable[[IllegalActionError], None]) -> None:
        self._ask, self._refuse = ask, refuse

    def draw(self, state: State) -> Draw:
        """Ask until an outcome comes that is possible here."""
        while True:
            try:
                return _read_outcome(state, self._ask(state))
            except IllegalActionError as error:
                self._refuse(error)


def enumerate_outcomes(state: State) -> Iterator[tuple[int, Fraction, State]]:
    """Yield each outcome of a chance node with its exact probability and the state after it."""
    for outcome, probability in state.chance_outcomes():
        child = state.clone()
        child.apply_action(outcome)
        yield outcome, probability, child
