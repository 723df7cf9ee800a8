"""Puzzles: positions of solved games in which what comes naturally is far from best.

    python -m bolzplatz.simulate.puzzles

searches the matches of a graded player for them and writes the package's file of puzzles; a day's puzzle is one of
that file, chosen by its date. A puzzle holds all that is told about it, so that nothing has to be solved to show one.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Final

from bolzplatz.core.fast import FastStream, mix64
from bolzplatz.core.game import Game, State
from bolzplatz.games import load_game
from bolzplatz.simulate.grading import Chooser, decisions, player_of
from bolzplatz.solve import Solution, move_chances, solve

FILE: Final = "puzzles.json"
NATURAL: Final = ("good", "child")
"""Whose moves count as what comes naturally: those that look at points, not at the chance to win."""
PLAYER: Final = "adult"
"""Whose matches are searched: they come to odd positions, but not to silly ones."""
LEAST: Final = 0.01
"""Chance to win that the natural move must give away at least."""
CLEAR: Final = 0.002
"""By so much the best move must be better than the next one: then there is one answer."""
DECIDED: Final = (0.05, 0.95)
"""Outside these chances of the best move a match is as good as over, and nobody wants to think."""
SEED: Final = 5050


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with one decision.

    Attributes:
        game: name of the game.
        options: those of its options that are not at their defaults.
        position: the declared fields of the state, by name.
        natural: the move that comes naturally, in notation.
        chances: the chance to win after each legal move, in notation.
    """

    game: str
    options: Mapping[str, Any]
    position: Mapping[str, Any]
    natural: str
    chances: Mapping[str, float]

    @property
    def best(self) -> str:
        """The best move."""
        return max(self.chances, key=lambda move: self.chances[move])

    @property
    def cost(self) -> float:
        """What the natural move gives away."""
        return self.chances[self.best] - self.chances[self.natural]

    def state(self) -> State:
        """Return the position, without a history."""
        game = load_game(self.game, **self.options)
        return State(game, game.layout.from_dict(dict(self.position)))


@cache
def all_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles of the package, in the order of days."""
    text = (files("bolzplatz") / FILE).read_text(encoding="utf-8")
    return tuple(Puzzle(**puzzle) for puzzle in json.loads(text))


def puzzle_of(day: date) -> Puzzle:
    """Return the puzzle of a day: the same everywhere, and another one on the next day."""
    puzzles = all_puzzles()
    return puzzles[day.toordinal() % len(puzzles)]


# --- finding them -------------------------------------------------------------------------------------------------


def search(solution: Solution, matches: int, seed: int = SEED) -> Iterator[tuple[str, Puzzle]]:
    """Yield the puzzles in that many matches of a graded player against itself, each with whose move is natural."""
    game = solution.game
    play, naturals = player_of(game, PLAYER), {level: player_of(game, level) for level in NATURAL}
    for match in range(matches):
        state = game.new_initial_state()
        for _ in decisions(state, play, seed, match):
            yield from _puzzles_at(solution, state, naturals)


def _puzzles_at(solution: Solution, state: State, naturals: Mapping[str, Chooser]) -> Iterator[tuple[str, Puzzle]]:
    """Yield the puzzles that a position makes, if it makes any."""
    seat, chances = state.current_player(), move_chances(solution, state)
    first, second = sorted(chances.values(), reverse=True)[:2]
    if not (DECIDED[0] < first < DECIDED[1] and first - second > CLEAR):
        return
    told = {state.action_to_string(action): round(chance, 6) for action, chance in chances.items()}
    game = state.game
    position = game.layout.to_dict(state._data)
    for level, choose in naturals.items():
        natural = choose(state, seat, FastStream(0))
        if first - chances[natural] >= LEAST:
            yield level, Puzzle(game.name, game.changed_options(), position, state.action_to_string(natural), told)


def _variants() -> Iterator[tuple[Game, int, int]]:
    """Yield what is searched: games, how many matches of each, and how many puzzles are wanted for each natural one."""
    yield load_game("5050"), 900, 120
    free = ("10", "foul", "offside", "penalty")
    for chosen in product((False, True), repeat=len(free)):
        faces = ",".join(["5", *(face for face, dark in zip(free, chosen, strict=True) if dark)])
        yield load_game("bar-bolz", black_faces=faces), 60, 2


def collect() -> list[Puzzle]:
    """Search everywhere; return the costliest of each variant, mixed."""
    found: dict[Any, Puzzle] = {}
    for game, matches, wanted in _variants():
        seen: dict[str, dict[Any, Puzzle]] = {level: {} for level in NATURAL}
        for level, puzzle in search(solve(game), matches):
            seen[level].setdefault(_look(puzzle), puzzle)
        for puzzles in seen.values():
            for puzzle in sorted(puzzles.values(), key=lambda puzzle: -puzzle.cost)[:wanted]:
                found.setdefault((puzzle.game, str(puzzle.options), str(puzzle.position)), puzzle)
        print(f"{game!r}: {[len(puzzles) for puzzles in seen.values()]}, {len(found)} in all", flush=True)
    return sorted(found.values(), key=lambda puzzle: mix64(hash_of(puzzle)))


def _look(puzzle: Puzzle) -> tuple[Any, ...]:
    """Return what makes two puzzles look alike: the same moves, the same two of them in question, a like standing."""
    place = puzzle.position
    if puzzle.game == "5050":
        risk = place["set_points"] + place["earlier_points"]
        standing = (place["dice"], risk // 200, *(points // 1000 for points in place["written"]))
    else:
        standing = (place["points"], place["fouls"])
    return puzzle.natural, puzzle.best, tuple(puzzle.chances), standing


def hash_of(puzzle: Puzzle) -> int:
    """Return a number that is the same on every machine."""
    return int.from_bytes(json.dumps(asdict(puzzle), sort_keys=True).encode()[-64:], "big") % 2**63


def main() -> None:
    """Write the file."""
    lines = [json.dumps(asdict(puzzle), separators=(",", ":")) for puzzle in collect()]
    path = Path(str(files("bolzplatz") / FILE))
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} puzzles in {path}, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
