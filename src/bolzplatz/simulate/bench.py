"""How strong is one computer player against another? By matches in pairs: changed seats, same dice for the same throw.

What a seat throws in a pair depends on seat, turn and throw alone (`pair_kernels`), so that most of the luck is the
same for both players; how often one wins is then known from fewer matches. The players choose from a stream of their
own, another one in each match. A test (`sequential`) stops when it knows who is stronger.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import chance_drawer, chooser, level_fault, level_index, memory_of, pick_action, pick_outcome
from bolzplatz.bots.plugins import digest_of_player, plugged_in
from bolzplatz.core.compiled import compile_functions, constants_of, reachable
from bolzplatz.core.drivers import draw_from
from bolzplatz.core.engine import DEFAULT_LIMIT, Engine, links_of
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import RNG_SIZE, FastStream, wrap64
from bolzplatz.core.forms import MAX_DRAWN
from bolzplatz.core.game import Game
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS
from bolzplatz.simulate.pair_kernels import count_throw, play_paired, start_throw
from bolzplatz.simulate.run import sides_of
from bolzplatz.simulate.sequential import STEPS, Play

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHOICES: Final = (0x5EED, 0xC401CE)
"""What the players of the first and of the second match of a pair choose from, beside the seed."""


def digest_of(game: Game, kernel: Callable[..., Any] = play_paired, players: Sequence[str] = ()) -> str:
    """Return the digest of all code and numbers that decide a match which `kernel` plays.

    `players`: who plays; of those that are plugged in, what is known of their code counts (`bots.plugins`).
    """
    links = links_of(game.rules, chooser(game.name), chance_drawer(game.name), hides=True)
    functions = list(reachable((kernel,), links).values())
    sources = sorted({function.__code__.co_filename for function in functions})
    digest = hashlib.sha256(repr((game.options, sorted(constants_of(functions).items()))).encode())
    for source in sources:
        digest.update(Path(source).read_bytes())
    for player in sorted({*players} & {*plugged_in(game.name)}):
        digest.update(f"{player} {digest_of_player(game.name, player)}".encode())
    return digest.hexdigest()[:16]


def check_players(game: Game, players: Sequence[str]) -> None:
    """Raise OptionError unless two such players can be compared in this game."""
    if len(sides_of(game)) != 2:
        raise OptionError(f"{game.name}: two players are compared in a game of two sides, not of {len(sides_of(game))}")
    for player in players:
        if reason := level_fault(game, player):
            raise OptionError(f"{game.name}: {reason}")


def pairs_of(game: Game, strong: str, weak: str, seed: int, limit: int = DEFAULT_LIMIT) -> Play:
    """Return what plays pairs of matches of two computer players of a game of two sides; compiled where it can be.

    It travels to worker processes, which get ready for themselves; players that are plugged in stay in this one.
    """
    play = partial(_play_pairs, game, strong, weak, wrap64(seed), limit)
    play(0, 0)  # compiles before anybody looks at the clock
    return play


def _play_pairs(
    game: Game, strong: str, weak: str, seed: int, limit: int, first: int, pairs: int
) -> tuple[list[int], float]:
    """Play so many pairs from a number on; return the counts of their results for `strong`, and the seconds."""
    sides = sides_of(game)
    seats = {seat: side for side, members in enumerate(sides) for seat in members}
    seatings = [[(strong, weak)[seats[seat] ^ turned] for seat in range(game.num_players)] for turned in (0, 1)]
    plain = bool({strong, weak} & set(plugged_in(game.name)))
    kernel = None if plain else _kernel_of(game, strong, weak)
    began, counts = time.perf_counter(), [0] * STEPS
    won = [
        _plain(game, seatings[turned], seed, CHOICES[turned], first, pairs, limit)
        if kernel is None
        else _compiled(kernel, game, seatings[turned], seed, CHOICES[turned], first, pairs, limit)
        for turned in (0, 1)
    ]
    ahead, behind = (_margin(each, sides) for each in won)
    for quarters in (ahead - behind + 2).tolist():
        counts[quarters] += 1
    return counts, time.perf_counter() - began


_Kernel = tuple[Any, Callable[..., int], Callable[..., int] | None, Sequence[int]]
"""The compiled code of pairs, and with what an engine is made: `choose`, `draw` and the players' memory."""


@lru_cache(maxsize=4)
def _kernel_of(game: Game, strong: str, weak: str) -> _Kernel:
    """Compile what plays pairs of two players; once in each process."""
    choose, draw = chooser(game.name, (strong, weak)), chance_drawer(game.name)
    hides = any(0 in game.layout.seen_entries(seat) for seat in range(game.num_players))
    code = compile_functions((play_paired,), links_of(game.rules, choose, draw, hides))
    return code, choose, draw, memory_of(game, (strong, weak))


def _compiled(
    kernel: _Kernel, game: Game, seating: Sequence[str], seed: int, choices: int, first: int, pairs: int, limit: int
) -> "NDArray[np.int64]":
    """Play matches by compiled code."""
    import numpy as np

    code, choose, draw, memory = kernel
    engine = Engine(game, choose, draw, memory)  # records and memory of its own for every thread
    won = np.zeros((pairs, game.num_players), dtype=np.int64)
    sizes = (RNG_SIZE, RNG_SIZE, None, MAX_DRAWN, game.num_players, 2 + game.num_players)
    buffers = tuple(engine.new_work() if size is None else np.zeros(size, dtype=np.int64) for size in sizes)
    levels = np.array([level_index(game.name, level) for level in seating], dtype=np.int64)
    code.play_paired(engine.view, engine.setup, levels, seed, seed ^ choices, first, limit, buffers, won)
    return won


def _margin(won: "NDArray[np.int64]", sides: Sequence[Sequence[int]]) -> "NDArray[np.int64]":
    """Return 1 for each match that the first side won, -1 where the second did, 0 where none or both."""
    return won[:, sides[0][0]] - won[:, sides[1][0]]


def _plain(
    game: Game, seating: Sequence[str], seed: int, choices: int, first: int, pairs: int, limit: int
) -> "NDArray[np.int64]":
    """Play matches by the interpreted rules, as `play_paired` does: for players that no compiled code can ask."""
    import numpy as np

    won = np.zeros((pairs, game.num_players), dtype=np.int64)
    for row in range(pairs):
        state, stream, dice = game.new_initial_state(), FastStream(seed ^ choices, first + row), FastStream(0)
        at = [-1] + [0] * (1 + game.num_players)
        while not state.is_terminal() and state.move_number() < limit:
            player = state.current_player()
            if player == CHANCE:
                outcome = pick_outcome(game, state, seating, stream)
                if outcome is None:
                    seat = game.rules.roller(state._data, game.setup)
                    count_throw(at, seat)
                    start_throw(dice.rng, seed, first + row, seat, at[2 + max(seat, 0)], at[1])
                    outcome = draw_from(dice, state).outcome
                state.apply_action(outcome)
            elif player == SIMULTANEOUS:
                moves = [pick_action(game, state, seat, level, stream) for seat, level in enumerate(seating)]
                state.apply_actions(moves)
            else:
                state.apply_action(pick_action(game, state, player, seating[player], stream))
        won[row] = [result > 0 for result in state.returns()]
    return won
