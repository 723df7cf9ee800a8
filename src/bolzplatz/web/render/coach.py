"""What the coach says on the page: chances as ten balls, a sentence on the best move, percents for experts."""

from collections.abc import Mapping
from typing import Any, Final

from bolzplatz.table.coaching import READY
from bolzplatz.table.frames import Frame
from bolzplatz.web.language import Catalogue

MOST_MOVES: Final = 4
"""Moves that are listed, the best first."""
NEAR: Final = 0.005
"""Moves that differ by less are said to be as good."""


def advice(frame: Frame, t: Catalogue) -> dict[str, Any] | None:
    """Return the coach's part of the page: `said`, and `moves` or `seats` as rows; None where there is no coach."""
    if frame.coach is None:
        return None
    if frame.coach["state"] != READY:
        return {"said": t(f"coach.{frame.coach['state']}"), "moves": [], "seats": []}
    moves = frame.coach["moves"]
    if len(moves) > 1:
        rows = [_row(move_label(move["move"], t), move["chance"]) for move in moves[:MOST_MOVES]]
        for row, move in zip(rows, moves, strict=False):
            row["best"] = moves[0]["chance"] - move["chance"] < NEAR
        return {"said": _sentence(moves, t), "moves": rows, "seats": []}
    names = [player["name"] for player in frame.players]
    rows = [_row(*each) for each in zip(names, frame.coach["chances"], strict=True)]
    rows += [_row(t(f"coach.{name}"), chance) for name, chance in frame.coach["prospects"].items()]
    return {"said": "", "moves": [], "seats": rows}


def move_label(move: str, t: Catalogue) -> str:
    """Return a move in a few words; dice to be kept are named by their numbers."""
    tokens = move.removeprefix("keep ")
    return t(f"coach.move.{tokens}") if t.has(f"coach.move.{tokens}") else tokens.replace("55>1", t("coach.move.55"))


def _row(label: str, chance: float) -> dict[str, Any]:
    lost = balls_lost(chance)
    return {"label": label, "lost": lost, "balls": f"{10 - lost:g}", "percent": f"{100 * chance:.1f} %", "best": False}


def balls_lost(chance: float) -> float:
    """Return how many of ten balls stand for not winning, in halves; what can happen shows half a ball at least."""
    lost = 10 - round(20 * chance) / 2
    if 0 < chance < 1:
        lost = min(9.5, max(0.5, lost))
    return lost


def _sentence(moves: list[Mapping[str, Any]], t: Catalogue) -> str:
    """Say which move is best and by how much, out of a hundred games."""
    best, second = moves[0], moves[1]
    first, other = move_label(best["move"], t), move_label(second["move"], t)
    n, m = (round(100 * move["chance"]) for move in (best, second))
    if best["chance"] - second["chance"] < NEAR or n == m:
        return t("coach.level", move=first, other=other)
    return t("coach.best", move=first, n=n, other=other, m=m)
