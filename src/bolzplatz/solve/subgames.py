"""Games of which only parts are solved: what such a part can be asked, and which game has some."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

from bolzplatz.core.errors import IllegalActionError, RecordError
from bolzplatz.core.game import Game, State
from bolzplatz.games.dribbel_fieber import NAME as DRIBBEL_FIEBER
from bolzplatz.solve.dribbel_fieber import DribbelFieber, LastTurns
from bolzplatz.solve.solution import Solution


class Figures(Protocol):
    """A game of which something is known exactly."""

    @property
    def game(self) -> Game:
        """The game with its options."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return the figures, JSON-able."""
        ...


class SubGames(Solution, Protocol):
    """A game whose best play is known at some positions; elsewhere its answers raise SolveError."""

    @property
    def title(self) -> str:
        """What is solved, in a few words."""
        ...

    def refusal(self, state: State) -> str | None:
        """Return why best play is not known at a position, None where it is."""
        ...


_LAST_TURNS: Final = LastTurns()
"""Of all editions and options together, as they fill the memory of one process."""


@lru_cache(maxsize=8)
def sub_games(game: Game) -> SubGames | None:
    """Return what is solved of a game that is not solved as a whole; None where nothing is."""
    return DribbelFieber(game, _LAST_TURNS) if game.name == DRIBBEL_FIEBER else None


def known_from(parts: SubGames, moves: Sequence[str]) -> int | None:
    """Return after how many moves of a match best play is known to its end; None where it is not.

    Raises RecordError that names the move which the rules refuse.
    """
    state, known = parts.game.new_initial_state(), None
    for number, move in enumerate(moves):
        if parts.refusal(state) is not None:
            known = None
        elif known is None:
            known = number
        try:
            state.play(move)
        except IllegalActionError as fault:
            raise RecordError(f"move {number + 1}", str(fault)) from None
    return known
