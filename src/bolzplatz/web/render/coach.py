"""What the coach says on the page: chances as ten balls, a sentence on the best move, percents for experts."""

import math
from collections.abc import Mapping
from typing import Any, Final

from bolzplatz.core.texts import game_texts
from bolzplatz.games.dribbel_fieber import NAME as DRIBBEL_FIEBER
from bolzplatz.games.gooaaaaal.state import NAME as GOOAAAAAL
from bolzplatz.table.coaching import READY
from bolzplatz.table.frames import Frame
from bolzplatz.web.language import Catalogue
from bolzplatz.web.render import dribbel_fieber, gooaaaaal

KIDS: Final = "kids"
"""The mode in which games are counted in tens."""
MOST_MOVES: Final = 4
"""Moves that are listed, the best first."""
NEAR: Final = 0.005
"""Moves that differ by less are said to be as good."""


def advice(frame: Frame, t: Catalogue) -> dict[str, Any] | None:
    """Return the coach's part of the page: `said`, and `moves` or `seats` as rows; None where there is no coach.

    A move that is not as good as the best one says by how much: `behind`, in percentage points.
    """
    if frame.coach is None:
        return None
    if frame.coach["state"] != READY:
        key = f"coach.{frame.coach['state']}"
        return {"said": t(key if t.has(key) else f"coaching.{frame.coach['state']}"), "moves": [], "seats": []}
    moves = frame.coach["moves"]
    if len(moves) > 1:
        rows = [
            _row(t, label(move["move"], frame, t), move["chance"], move.get("error")) for move in moves[:MOST_MOVES]
        ]
        for row, move in zip(rows, moves, strict=False):
            behind = moves[0]["chance"] - move["chance"]
            row["best"] = behind < max(NEAR, _doubt(moves[0], move))
            if not row["best"]:
                row["behind"] = t.number(-100 * behind, 0 if "error" in move else 1)
        return {"said": " ".join(_said(frame, moves, t)), "moves": rows, "seats": []}
    names = [player["name"] for player in frame.players]
    rows = [_row(t, *each) for each in zip(names, frame.coach["chances"], strict=True)]
    rows += [_row(t, t(f"coach.{name}"), chance) for name, chance in frame.coach["prospects"].items()]
    return {"said": "", "moves": [], "seats": rows}


def label(move: str, frame: Frame, t: Catalogue) -> str:
    """Return a move as the table's own buttons name it."""
    game = frame.setup["game"]
    if game == DRIBBEL_FIEBER:
        return dribbel_fieber.move_label(move, frame, game_texts(DRIBBEL_FIEBER, t.language), t)
    if game == GOOAAAAAL and not t.has(f"coach.move.{move}"):
        return gooaaaaal.move_label(move, game_texts(GOOAAAAAL, t.language))
    return move_label(move, t)


def move_label(move: str, t: Catalogue) -> str:
    """Return a move in a few words; dice to be kept are named by their numbers."""
    tokens = move.removeprefix("keep ")
    return t(f"coach.move.{tokens}") if t.has(f"coach.move.{tokens}") else tokens.replace("55>1", t("coach.move.55"))


def _row(t: Catalogue, label: str, chance: float, error: float | None = None) -> dict[str, Any]:
    lost = balls_lost(chance)
    percent = t.number(100 * chance, 1) if error is None else f"{100 * chance:.0f} ± {max(1, round(100 * error))}"
    balls = t.number(10 - lost, int(lost % 1 > 0))
    return {"label": label, "lost": lost, "balls": balls, "percent": f"{percent} %", "best": False, "behind": ""}


def _doubt(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return how far apart two moves must be to be told from one another; 0 where both are exact."""
    return float(math.hypot(one.get("error", 0.0), other.get("error", 0.0)))


def balls_lost(chance: float) -> float:
    """Return how many of ten balls stand for not winning, in halves; what can happen shows half a ball at least."""
    lost = 10 - round(20 * chance) / 2
    if 0 < chance < 1:
        lost = min(9.5, max(0.5, lost))
    return lost


def _said(frame: Frame, moves: list[Mapping[str, Any]], t: Catalogue) -> list[str]:
    """Return the sentence on the best move, and why it is, or how far off all this may be."""
    coach = frame.coach or {}
    said = [_sentence(frame, moves, t)]
    apart = max(NEAR, _doubt(moves[0], moves[1]))
    if coach["why"] is not None and moves[0]["chance"] - moves[1]["chance"] >= apart:
        key, places = coach["why"]
        said.append(t(f"why.{frame.setup['game']}.{key}", **places))
    if "error" in moves[0]:
        off = max(1, round(100 * moves[0]["error"]))
        said.append(t("coaching.played", n=coach["matches"], m=off))
    return said


def _sentence(frame: Frame, moves: list[Mapping[str, Any]], t: Catalogue) -> str:
    """Say which move is best and by how much, out of a hundred games."""
    best, second = moves[0], moves[1]
    first, other = (label(move["move"], frame, t) for move in (best, second))
    kids = frame.setup["mode"] == KIDS
    n, m = (round((10 if kids else 100) * move["chance"]) for move in (best, second))
    if best["chance"] - second["chance"] < max(NEAR, _doubt(best, second)) or n == m:
        return t("coach.level", move=first, other=other)
    return t("coaching.best_of_ten" if kids else "coach.best", move=first, n=n, other=other, m=m)
