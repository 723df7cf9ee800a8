"""Puzzles: positions of solved games in which what comes naturally is far from best.

    python -m bolzplatz.simulate.puzzles

searches the matches of a graded player for them and writes the package's file of puzzles; a day's puzzle is one of
that file, chosen by its date. A puzzle holds all that is told about it, so that nothing has to be solved to show one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Final

from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import FastStream, mix64
from bolzplatz.core.game import Game, State
from bolzplatz.games import load_game
from bolzplatz.simulate.grading import CHOICES, Chooser, player_of
from bolzplatz.solve import Solution, move_chances, solve

FILE: Final = "puzzles.json"
NATURAL: Final = {"5050": ("good",), "bar-bolz": ("child", "good")}
"""Whose moves count as what comes naturally: those that look at points, not at the chance to win."""
PLAYER: Final = "adult"
"""Whose matches are searched: they come to odd positions, but not to silly ones."""
LEAST: Final = 0.02
"""Chance to win that the natural move must give away at least."""
CLEAR: Final = 0.002
"""By so much the best move must be better than the next one: then there is one answer."""
DECIDED: Final = (0.05, 0.95)
"""Outside these chances of the best move a match is as good as over, and nobody wants to think."""
WANTED: Final = 300
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


def search(solution: Solution, matches: int, seed: int = SEED) -> Iterator[Puzzle]:
    """Yield the puzzles in that many matches of a graded player against itself."""
    game = solution.game
    play, naturals = player_of(game, PLAYER), [player_of(game, level) for level in NATURAL[game.name]]
    for match in range(matches):
        state, driver, stream = game.new_initial_state(), FastDriver(seed, match), FastStream(seed, match + CHOICES)
        while not state.is_terminal():
            seat = state.current_player()
            if seat < 0:
                state.apply_action(driver.draw(state).outcome)
                continue
            legal = state.legal_actions()
            if len(legal) > 1 and (puzzle := _puzzle_at(solution, state, naturals)) is not None:
                yield puzzle
            state.apply_action(play(state, seat, stream) if len(legal) > 1 else legal[0])


def _puzzle_at(solution: Solution, state: State, naturals: Sequence[Chooser]) -> Puzzle | None:
    """Return the puzzle that a position makes, if it makes one."""
    seat, chances = state.current_player(), move_chances(solution, state)
    first, second = sorted(chances.values(), reverse=True)[:2]
    if not (DECIDED[0] < first < DECIDED[1] and first - second > CLEAR):
        return None
    natural = min((choose(state, seat, FastStream(0)) for choose in naturals), key=lambda action: chances[action])
    if first - chances[natural] < LEAST:
        return None
    told = {state.action_to_string(action): round(chance, 6) for action, chance in chances.items()}
    game = state.game
    position = game.layout.to_dict(state._data)
    changed = {
        option.name: game.options[option.name]
        for option in game.spec.options
        if game.options[option.name] != option.check(game.name, option.default)
    }
    return Puzzle(game.name, changed, position, state.action_to_string(natural), told)


def _variants() -> Iterator[tuple[Game, int, int]]:
    """Yield what is searched: games, how many matches of each, and how many puzzles are wanted of it."""
    yield load_game("5050"), 300, WANTED * 4 // 5
    free = ("10", "foul", "offside", "penalty")
    for chosen in product((False, True), repeat=len(free)):
        faces = ",".join(["5", *(face for face, dark in zip(free, chosen, strict=True) if dark)])
        yield load_game("bar-bolz", black_faces=faces), 60, WANTED // 5 // 2 ** len(free) + 1


def collect() -> list[Puzzle]:
    """Search everywhere; return the costliest of each variant, mixed."""
    found: list[Puzzle] = []
    for game, matches, wanted in _variants():
        seen = {_look(puzzle): puzzle for puzzle in search(solve(game), matches)}
        found += sorted(seen.values(), key=lambda puzzle: -puzzle.cost)[:wanted]
        print(f"{game!r}: {len(seen)} found", flush=True)
    return sorted(found, key=lambda puzzle: mix64(hash_of(puzzle)))


def _look(puzzle: Puzzle) -> tuple[Any, ...]:
    """Return what makes two puzzles look alike: the same choice of moves, and the same two of them in question."""
    return (
        puzzle.natural,
        puzzle.best,
        tuple(puzzle.chances),
        puzzle.position.get("points"),
        puzzle.position.get("fouls"),
    )


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
