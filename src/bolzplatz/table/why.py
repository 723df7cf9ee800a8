"""Why a move is the best one, as the key of a sentence and what is filled in; the sentences are texts of the pages.

A reason compares the best move with another one in what everybody at the table can see and count: points, dice, how
many throws of a hundred have nothing usable, how often a shot goes in, balls and keepers that face each other. It does
not prove the move best; the chances to win do, and they are told beside it.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from bolzplatz.core.game import State
from bolzplatz.solve import Solution
from bolzplatz.solve.dribbel_fieber import shots_refusal, value_shots
from bolzplatz.table import why_gooaaaaal
from bolzplatz.table.why_gooaaaaal import Reason

FEW: Final = 30
"""Throws of a hundred that have nothing usable: up to so many a throw is said to be cheap."""


def reason(solution: Solution | None, state: State, best: str, other: str) -> Reason | None:
    """Return why `best` is better than `other` where a seat decides between them; None where there is nothing to say.

    The key belongs to the text `why.<game>.<key>`.

    Args:
        solution: of the game; None where it is not solved.
        state: the position.
        best, other: two legal moves, in notation.
    """
    say = _REASONS.get(state.game.name)
    return None if say is None else say(solution, state, best, other)


# --- 5050 ---------------------------------------------------------------------------------------------------------


def _of_fifty_fifty(_solution: Solution | None, state: State, best: str, other: str) -> Reason | None:
    view = state.view()
    shown, seat = view["shown"], state.current_player()
    if {best, other} == {"stop", "go"}:
        return _stop_or_go(shown, view["scores"], seat, best)
    first, second = (shown["keeps"].get(move.removeprefix("keep ")) for move in (best, other))
    if first is None or second is None:
        return None
    if first["may_stop"] and not second["may_stop"]:
        return "may_stop", {"hurdle": shown["hurdle"]}
    fails, others_fail = (_of_hundred(keep["bust"]) for keep in (first, second))
    places = {"dice": first["dice_next"], "other": second["dice_next"], "fails": fails, "others_fail": others_fail}
    if fails < others_fail:
        return "dice", places
    more = first["points"] - second["points"]
    if more <= 0:
        return None
    return ("points" if others_fail < fails else "only_points"), {"more": more, **places}


def _stop_or_go(shown: Mapping[str, Any], scores: list[int], seat: int, best: str) -> Reason:
    points, fails, dice = shown["at_risk"], _of_hundred(shown["bust"]), shown["dice_next"]
    rivals = max(score for place, score in enumerate(scores) if place != seat)
    places = {"points": points, "fails": fails, "dice": dice, "rivals": rivals}
    if shown["last_round"]:
        return ("enough" if best == "stop" else "behind"), places
    if best == "stop":
        return "bank", places
    return ("cheap" if fails <= FEW else "race"), places


def _of_hundred(bust: str) -> int:
    return round(100 * Fraction(bust))


# --- Bar-Bolz-Bande -----------------------------------------------------------------------------------------------


def _of_bar_bolz(solution: Solution | None, state: State, best: str, other: str) -> Reason | None:
    if solution is None:
        return None
    goals, others = _goals_of_hundred(solution, state, best, other)
    return best, {"goals": goals, "others": others}


def _goals_of_hundred(solution: Solution, state: State, *moves: str) -> list[int]:
    """Return how often of a hundred times each move becomes a goal."""
    return [round(100 * solution.prospects(state.clone().play(move)).get("goal", 0.0)) for move in moves]


# --- Dribbel-Fieber -----------------------------------------------------------------------------------------------


def _of_dribbel_fieber(solution: Solution | None, state: State, best: str, other: str) -> Reason | None:
    if solution is not None:
        goals, others = _goals_of_hundred(solution, state, best, other)
    elif shots_refusal(state) is None:
        chances = value_shots(state).moves
        goals, others = (round(100 * chances[state.string_to_action(move)]) for move in (best, other))
    else:
        return None
    return ("goals", {"goals": goals, "others": others}) if goals > others else None


_REASONS: Final[Mapping[str, Callable[[Solution | None, State, str, str], Reason | None]]] = {
    "5050": _of_fifty_fifty,
    "bar-bolz": _of_bar_bolz,
    "dribbel-fieber": _of_dribbel_fieber,
    "gooaaaaal": lambda _solution, state, best, other: why_gooaaaaal.reason(state, best, other),
}
