"""What the decisions of a computer player cost, measured on best play; and the knobs of graded players (`bots.graded`).

    python -m bolzplatz.simulate.grading 5050 1000

finds the knob of each graded level of a solved game, from that many matches of the level against itself.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bolzplatz.bots import chooser, level_index, memory_of, pick_action, players_of
from bolzplatz.bots.graded import GIVEN_AWAY, GRADED, knob
from bolzplatz.bots.plugins import plugged_in
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.engine import Engine
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.solve import Solution, solve

CHOICES: Final = 2**32
"""Added to a match's number, for the stream from which players choose: not that of the dice."""
BOUNDS: Final = (0.002, 0.5)
"""Between these a knob is looked for."""
ROUNDS: Final = 9
"""Each halves what is left between them, in the logarithm: a hundredth of the knob at last."""

Chooser = Callable[[State, int, FastStream], int]
"""Returns the action of a seat that has several."""


@dataclass(frozen=True, slots=True)
class Apart:
    """A match taken apart: the result of seat 0, how much of it came from moves, and what each decision gave away."""

    result: float
    by_moves: float
    losses: tuple[float, ...]


def player_of(game: Game, level: str, memory: Sequence[int] | None = None) -> Chooser:
    """Return a level as a function; what it knows of best play can be given."""
    if level in plugged_in(game.name):
        return lambda state, seat, stream: pick_action(game, state, seat, level, stream)
    known = memory_of(game, (level,)) if memory is None else memory
    engine, number = Engine(game, chooser(game.name, (level,)), memory=known), level_index(game.name, level)

    def choose(state: State, seat: int, stream: FastStream) -> int:
        engine.load(state)
        return engine.choose(seat, number, stream)

    return choose


def decisions(state: State, choose: Chooser, seed: int, match: int) -> Iterator[int]:
    """Play a match to its end, all seats by one player; yield at each real decision the action that is taken next."""
    driver, choices = FastDriver(seed, match), FastStream(seed, match + CHOICES)
    while not state.is_terminal():
        seat = state.current_player()
        if seat < 0:
            state.apply_action(driver.draw(state).outcome)
            continue
        legal = state.legal_actions()
        action = legal[0]
        if len(legal) > 1:
            action = choose(state, seat, choices)
            yield action
        state.apply_action(action)


def take_apart(solution: Solution, level: str, seed: int, match: int, choose: Chooser | None = None) -> Apart:
    """Play a match of a level against itself, and take it apart."""
    state = solution.game.new_initial_state()
    by_moves, losses = 0.0, []
    for action in decisions(state, choose or player_of(solution.game, level), seed, match):
        seat, before = state.current_player(), solution.win_chances(state)
        moved = state.clone()
        moved.apply_action(action)
        after = solution.win_chances(moved)
        by_moves += after[0] - before[0]
        losses.append(before[seat] - after[seat])
    return Apart(solution.win_chances(state)[0], by_moves, tuple(losses))


def mean_loss(
    solution: Solution, level: str, matches: int, seed: int = 1, memory: Sequence[int] | None = None
) -> tuple[float, float]:
    """Return what a decision of a level gives away in matches against itself, and the standard error of that."""
    choose = player_of(solution.game, level, memory)
    played = [take_apart(solution, level, seed, match, choose).losses for match in range(matches)]
    decisions = sum(len(losses) for losses in played)
    mean = math.fsum(math.fsum(losses) for losses in played) / decisions
    off = math.fsum((math.fsum(losses) - mean * len(losses)) ** 2 for losses in played)
    return mean, math.sqrt(off) / decisions


def find_knob(solution: Solution, level: str, matches: int, seed: int = 1) -> float:
    """Return the knob with which a graded level gives away what it should, with the same dice for every try."""
    game, low, high = solution.game, *map(math.log, BOUNDS)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        memory = players_of(game.name).memory(game, (knob(math.exp(middle)),) * len(GRADED))
        if mean_loss(solution, level, matches, seed, memory)[0] < GIVEN_AWAY[game.name][level]:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


def main() -> None:
    """Print the knobs of a game."""
    from bolzplatz.games import load_game

    solution = solve(load_game(sys.argv[1]))
    for level in GRADED:
        print(level, f"{find_knob(solution, level, int(sys.argv[2])):.5f}", flush=True)


if __name__ == "__main__":
    main()
