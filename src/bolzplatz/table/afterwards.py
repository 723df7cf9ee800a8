"""One match looked at afterwards, as far as best play is known of it: chances to win, luck, what moves gave away."""

from collections.abc import Callable
from typing import Any

from bolzplatz.core.game import Game
from bolzplatz.core.record import Record
from bolzplatz.solve import Solution, SolveError, refusal
from bolzplatz.solve.coach import Analysis, analyse
from bolzplatz.solve.subgames import known_from, sub_games


def can_look_at(game: Game) -> bool:
    """Say whether best play of a game is known, or that of a part of it."""
    return refusal(game) is None or sub_games(game) is not None


def look_at(
    game: Game,
    record: Record,
    solved: Callable[[Any], Solution],
    progress: Callable[[int], None] = lambda _done: None,
) -> Analysis:
    """Take a match apart: the whole of it, or its end where only that is solved.

    Args:
        game: the game that the record was played with (`core.record.load_recorded_game`).
        record: of the match, which need not be over.
        solved: returns the solution of a game that can be solved.
        progress: told how many moves are done.

    Raises SolveError where best play is known nowhere in the match, RecordError for a move that the rules refuse.
    """
    parts, given = sub_games(game), record.given
    if parts is not None:
        known = known_from(parts, record.moves)
        if known is None:
            raise SolveError("best play is known in the last turn only, and the match does not come to that")
        try:
            return analyse(parts, record.moves, max(given, known), progress)
        except SolveError as fault:  # too many positions
            raise SolveError(f"the last turn is not known: {fault}") from None
    if reason := refusal(game):
        raise SolveError(reason)
    return analyse(solved(game), record.moves, given, progress)
