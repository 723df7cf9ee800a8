"""The puzzle of the day in words: the position, the moves to choose from, and what is said of an answer."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from bolzplatz.core.game import State
from bolzplatz.simulate.puzzles import CLEAR, Puzzle, all_puzzles, puzzle_of
from bolzplatz.solve.bar_bolz import BarBolz
from bolzplatz.table.why import reason
from bolzplatz.web.language import Catalogue
from bolzplatz.web.render.coach import balls_lost, move_label

FIRST_DAY: Final = date(2026, 1, 1)
"""There were no puzzles before."""
OFFERED: Final = 6
"""Moves to choose from; a throw may allow dozens, most of them like one another."""


def read_day(text: str | None, today: date) -> date | None:
    """Return the day that is asked for, today where none is; None for a day to come, or without a puzzle."""
    if not text:
        return today
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if FIRST_DAY <= day <= today else None


def told(day: date, answer: str | None, t: Catalogue) -> dict[str, Any]:
    """Return what the page shows.

    Args:
        day: whose puzzle it is.
        answer: a move of the puzzle in notation; None or another text: not answered yet.
        t: the words.
    """
    puzzle = puzzle_of(day)
    state = puzzle.state()
    moves = offered(puzzle)
    number = all_puzzles().index(puzzle)
    return {
        "game": puzzle.game,
        "number": number,
        "count": len(all_puzzles()),
        "day": day.isoformat(),
        "date": t("puzzle.date", y=day.year, m=f"{day.month:02}", d=f"{day.day:02}"),
        "scene": _SCENES[puzzle.game](state, t),
        "moves": [{"move": move, "label": move_label(move, t)} for move in moves],
        "answer": None if answer not in puzzle.chances else _answered(puzzle, state, moves, str(answer), t),
    }


def offered(puzzle: Puzzle) -> list[str]:
    """Return the moves to choose from, in the order of the rules: the best, the natural one, and the next best."""
    ranked = sorted(puzzle.chances, key=lambda move: -puzzle.chances[move])
    chosen = {puzzle.best, puzzle.natural}
    chosen |= set([move for move in ranked if move not in chosen][: OFFERED - len(chosen)])
    return [move for move in puzzle.chances if move in chosen]


def _answered(puzzle: Puzzle, state: State, moves: list[str], answer: str, t: Catalogue) -> dict[str, Any]:
    best, chances = puzzle.best, puzzle.chances
    cost = chances[best] - chances[answer]
    places = {"move": move_label(answer, t), "best": move_label(best, t)}
    key = "right" if answer == best else "as_good" if cost <= CLEAR else "wrong"
    why = why_of(puzzle, state, answer if key == "wrong" else puzzle.natural)
    lines = [t(f"puzzle.{key}", **places)]
    if key == "wrong":
        lines.append(t("puzzle.costs", n=max(1, round(100 * cost))))
    if why:
        lines.append(t(f"why.{puzzle.game}.{why[0]}", **why[1]))
    if answer != puzzle.natural:
        lines.append(t("puzzle.natural", move=move_label(puzzle.natural, t)))
    return {
        "move": answer,
        "best": best,
        "good": key != "wrong",
        "verdict": lines[0],
        "lines": lines[1:],
        "rows": [
            {
                "label": move_label(move, t),
                "lost": balls_lost(chances[move]),
                "balls": f"{10 - balls_lost(chances[move]):g}",
                "percent": f"{t.number(100 * chances[move], 1)} %",
                "best": move == best,
                "mine": move == answer,
            }
            for move in sorted({*moves, answer}, key=lambda move: -chances[move])
        ],
        "more": len(set(chances) - {*moves, answer}),
    }


def why_of(puzzle: Puzzle, state: State, other: str) -> tuple[str, Mapping[str, int]] | None:
    """Return why the best move is better than another one."""
    # Of Bar-Bolz the chances of a goal are worked out anew, which takes a moment; 5050 needs none.
    solution: Any = BarBolz(state.game) if puzzle.game == "bar-bolz" else None
    return reason(solution, state, puzzle.best, other)


# --- positions ----------------------------------------------------------------------------------------------------


def _fifty_fifty(state: State, t: Catalogue) -> dict[str, Any]:
    view, seat = state.view(), state.current_player()
    shown = view["shown"]
    lines = [t("puzzle.target", n=state.game.options["target"], hurdle=shown["hurdle"])]
    lines.append(t("puzzle.began" if seat == state.game.setup.first else "puzzle.began_other"))
    if shown["last_round"]:
        lines.append(t("puzzle.last_round"))
    return {
        "thrown": shown["dice_thrown"],
        "aside": [
            {"face": 5 if die["turned"] else die["face"], "turned": die["turned"]} for die in shown["dice_aside"]
        ],
        "scores": [
            (
                t("puzzle.you"),
                t("puzzle.points", n=f"{view['scores'][seat]:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")),
            ),
            (
                t("puzzle.other"),
                t("puzzle.points", n=f"{view['scores'][1 - seat]:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")),
            ),
        ],
        "risk": t("puzzle.at_risk", n=shown["at_risk"]),
        "lines": lines,
    }


def _bar_bolz(state: State, t: Catalogue) -> dict[str, Any]:
    view, seat = state.view(), state.current_player()
    shown = view["shown"]
    faces = ", ".join(t(f"bar-bolz.face.{face}") for face in shown["black_faces"][seat])
    return {
        "thrown": [],
        "aside": [],
        "scores": [
            (t("puzzle.you"), str(shown["goals"][seat])),
            (t("puzzle.other"), str(shown["goals"][1 - seat])),
        ],
        "risk": t("puzzle.attack", n=shown["points"], card=t(f"puzzle.card_{shown['card']}")),
        "lines": [t("puzzle.penalty"), t("puzzle.faces", faces=faces)],
    }


_SCENES: Final = {"5050": _fifty_fifty, "bar-bolz": _bar_bolz}
