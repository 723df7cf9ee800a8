"""How good is a move where nobody knows exactly? The match is played on from it many times, and the wins are counted.

All seats go on as the good computer player does. Moves are compared with the same dice. What the seat that decides
cannot see is drawn anew each time, by its chances (`State.resample`), so that nothing hidden has a part in the answer.
At first every move is tried a little, then the better half twice as much, and so on.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bolzplatz.bots import chance_drawer, chooser, level_index, memory_of
from bolzplatz.bots.search import Budget
from bolzplatz.core.engine import Engine
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL: Final = "good"
BATCH: Final = 8
"""Matches that are played on from one guess at what is hidden."""
FIRST: Final = 2
"""Batches of each move at first."""
LEAST_MOVES: Final = 3
"""Moves that are kept to the end."""
LIMIT: Final = 20_000
"""Steps after which a match counts as won by nobody."""
Z_95: Final = 1.959964


@dataclass(slots=True)
class Tried:
    """What came of a move: matches, and sums of each seat's share in the win and of its square for the mover."""

    matches: int
    shares: list[float]
    squares: float

    def mean(self, seat: int) -> float:
        """Return the mean share of a seat."""
        return self.shares[seat] / self.matches

    def error(self, seat: int) -> float:
        """Return half the 95 % interval of the mean share; a win and a loss more keep it from being nothing."""
        n = self.matches + 2
        mean, squares = (self.shares[seat] + 1) / n, (self.squares + 1) / n
        return Z_95 * math.sqrt(max(0.0, squares - mean * mean) / n)


@dataclass(frozen=True, slots=True)
class Judged:
    """What playing on says of a position.

    Attributes:
        chances: each seat's chance to win, after the best move where somebody decides.
        moves: for each legal action the chance of the seat that decides, and half its 95 % interval; the best first.
        matches: how many were played.
    """

    chances: tuple[float, ...]
    moves: dict[int, tuple[float, float]]
    matches: int


@lru_cache(maxsize=4)
def _engine(game: Game) -> Engine:
    return Engine(game, chooser(game.name, (LEVEL,)), chance_drawer(game.name), memory_of(game, (LEVEL,)))


def judge(
    state: State, seed: int, budget: Budget | None = None, clock: Callable[[], float] = time.perf_counter
) -> Judged:
    """Play on from a position, or from after each move of the seat that decides.

    Not for two threads at once. Where no seat decides, only what everybody sees is used.

    Args:
        state: the position; no joint one, and not over.
        seed: of all matches.
        budget: so many seconds, or so many rounds of trying; a round is begun only within the time.
        clock: seconds.
    """
    budget = budget or Budget()
    until, seat = clock() + budget.seconds, state.current_player()
    actions: list[int | None] = [*state.legal_actions()] if seat >= 0 else [None]
    tried = {action: Tried(0, [0.0] * state.game.num_players, 0.0) for action in actions}
    live, batches, begun, rounds = list(tried), FIRST, 0, 0
    while True:
        for action in live:
            _try(state, action, tried[action], seed, begun, batches)
        begun, rounds = begun + batches, rounds + 1
        if rounds == budget.iterations or (budget.iterations is None and clock() >= until):
            break
        if seat >= 0:
            live.sort(key=lambda action: -tried[action].mean(seat))
            live = live[: max(LEAST_MOVES, len(live) // 2)]
        batches *= 2
    best = max(live, key=lambda action: tried[action].mean(max(seat, 0)))
    found = tried[best]
    ranked = sorted(actions, key=lambda action: (action not in live, -tried[action].mean(max(seat, 0))))
    moves = {each: (tried[each].mean(seat), tried[each].error(seat)) for each in ranked if each is not None}
    chances = tuple(found.mean(each) for each in range(state.game.num_players))
    return Judged(chances, moves, sum(each.matches for each in tried.values()))


def _try(state: State, action: int | None, tried: Tried, seed: int, begun: int, batches: int) -> None:
    """Play on after a move, with a guess of its own at what is hidden for each batch."""
    seat = state.current_player()
    guesses = batches if not state.game.spec.perfect_information else 1
    count = BATCH * batches // guesses
    for guess in range(guesses):
        number = begun + guess
        seer = seat if seat >= 0 else None
        after = state.clone() if state.game.spec.perfect_information else state.resample(seer, FastStream(seed, number))
        if action is not None:
            after.apply_action(action)
        shares = _play(after, count, seed, number * BATCH)
        tried.matches += count
        for each in range(state.game.num_players):
            tried.shares[each] += float(shares[:, each].sum())
        tried.squares += float((shares[:, max(seat, 0)] ** 2).sum())


def _play(state: State, count: int, seed: int, first: int) -> "NDArray[np.float64]":
    """Return each seat's share in the win of so many matches, (matches, seats); even shares where nobody won."""
    import numpy as np

    engine, game = _engine(state.game), state.game
    engine.load(state)
    won = engine.play(count, seed, first, [level_index(game.name, LEVEL)] * game.num_players, LIMIT).won
    winners = won.sum(axis=1, keepdims=True)
    return np.where(winners > 0, won / np.maximum(1, winners), 1 / game.num_players)
