"""Work out what scores are worth in GOOAAAAAL! and write src/bolzplatz/bots/gooaaaaal.toml anew.

    python scripts/worth_of_scores_gooaaaaal.py [MATCHES]

From each score, with either side to begin, the strong player plays that many matches against itself (4000 where none
are named), by the worths of the last time. By symmetry the chance with i:j and the own side to begin and that with j:i
and the other side are one number.
"""

import sys
from pathlib import Path
from typing import Any

import bolzplatz
from bolzplatz.bots import chooser, level_index
from bolzplatz.core.engine import Engine
from bolzplatz.core.game import Game
from bolzplatz.games.gooaaaaal.flow import settle, start_period
from bolzplatz.games.gooaaaaal.state import FIRST, GOALS_TO_WIN, SECOND

TARGET = Path(__file__).parent.parent / "src" / "bolzplatz" / "bots" / "gooaaaaal.toml"
SPREAD = 6
EDITIONS = ("four", "nine")
Scores = list[tuple[int, int]]
FIVE_GOALS: Scores = [(i, j) for i in range(GOALS_TO_WIN) for j in range(GOALS_TO_WIN)]
LEADS: Scores = [(max(0, lead), max(0, -lead)) for lead in range(-SPREAD, SPREAD + 1)]
HEAD = """\
# What a score is worth in GOOAAAAAL!: the chance of the strong player to win against itself, from mass play
# (scripts/worth_of_scores_gooaaaaal.py). Each row: the other side begins the next period, the own side begins it.
"""


def chance(engine: Engine, game: Game, goals: tuple[int, int], stage: int, starter: int, matches: int) -> float:
    """Return how often side 0 wins from this score."""
    state = game.new_initial_state()
    data: Any = state._data
    data.goals[:2] = goals
    start_period(data, game.setup, stage, starter, None)
    settle(data, game.setup, None)
    engine.load(state)
    strong = level_index(game.name, "strong")
    return float(engine.play(matches, seed=1, levels=[strong, strong]).won[:, 0].mean())


def table(edition: str, mode: str, scores: Scores, stage: int, matches: int) -> list[list[float]]:
    """Return the worth of each score, the other side to begin and the own side to begin."""
    game = bolzplatz.load_game("gooaaaaal", edition=edition, mode=mode)
    engine = Engine(game, chooser("gooaaaaal"))
    rows = [[chance(engine, game, goals, stage, starter, matches) for starter in (1, 0)] for goals in scores]
    for row, (i, j) in zip(rows, scores, strict=True):
        mirrored = rows[scores.index((j, i))]
        row[1] = (row[1] + 1 - mirrored[0]) / 2
        mirrored[0] = 1 - row[1]
    return rows


def main() -> None:
    """Play and write."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    lines = [HEAD]
    for kind, mode, scores, stage, what in (
        ("five-goals", "five-goals", FIVE_GOALS, FIRST, "own goals 0 to 4, within them the other side's 0 to 4"),
        ("second-half", "match", LEADS, SECOND, f"before the second half, own lead from -{SPREAD} to {SPREAD}"),
    ):
        lines += [f"[{kind}]", f"# {what}"]
        for edition in EDITIONS:
            rows = table(edition, mode, scores, stage, matches)
            lines += [f"{edition} = [", *(f"    [{other:.3f}, {own:.3f}]," for other, own in rows), "]"]
        lines.append("")
    TARGET.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
