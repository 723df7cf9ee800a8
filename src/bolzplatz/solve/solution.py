"""What a solved game can be asked, whatever solved it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bolzplatz.core.drivers import enumerate_outcomes
from bolzplatz.core.errors import BolzplatzError
from bolzplatz.core.game import Game, State

Progress = Callable[[float, str], None]
"""Told the share that is done, 0 to 1, and what is being done."""
LEVEL: Final = 1e-12
"""Chances that differ by less are level: rounding."""


class SolveError(BolzplatzError):
    """A game or variant that cannot be solved; one clear line."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a long run takes.

    Attributes:
        seconds: until it is done, from now on.
        workers: on so many threads.
        table_bytes: how large the table is.
        done: the share that earlier runs have done, 0 to 1; 1 where the table is there.
    """

    seconds: float
    workers: int
    table_bytes: int
    done: float


class Solution(Protocol):
    """A game whose best play is known."""

    @property
    def game(self) -> Game:
        """The game with its options."""
        ...

    def win_chances(self, state: State) -> tuple[float, ...]:
        """Return each seat's chance to win from this position when everybody plays best."""
        ...

    def prospects(self, state: State) -> dict[str, float]:
        """Return what else is known of a position, by name: chances that people ask for."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return the figures of the solved game, JSON-able."""
        ...


def say_nothing(_share: float, _what: str) -> None:
    """Report no progress."""


def move_chances(solution: Solution, state: State) -> dict[int, float]:
    """Return for each legal action of the seat that decides its chance to win after it; empty elsewhere."""
    seat = state.current_player()
    chances = {}
    if seat >= 0:
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            chances[action] = solution.win_chances(after)[seat]
    return chances


def best_moves(chances: dict[int, float]) -> list[int]:
    """Return the actions that are best, more than one where they are level."""
    best = max(chances.values())
    return [action for action, chance in chances.items() if chance >= best - LEVEL]


def expected_chances(solution: Solution, state: State) -> tuple[float, ...]:
    """Return each seat's chance to win at a chance node, as the mean over all outcomes."""
    totals = [0.0] * state.game.num_players
    for _, probability, after in enumerate_outcomes(state):
        for seat, chance in enumerate(solution.win_chances(after)):
            totals[seat] += float(probability) * chance
    return tuple(totals)


def final_chances(state: State) -> tuple[float, ...]:
    """Return each seat's share in the win of a match that is over; even shares where nobody has won."""
    won = [float(value > 0) for value in state.returns()]
    if not any(won):
        return (1 / len(won),) * len(won)
    return tuple(won)
