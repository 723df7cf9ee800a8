"""How strong is one computer player against another? By matches in pairs: changed seats, same dice for the same throw.

What a seat throws in a pair depends on seat, turn and throw alone (`pair_kernels`), so that most of the luck is the
same for both players; how often one wins is then known from fewer matches. The players choose from a stream of their
own, another one in each match. A test (`sequential`) stops when it knows who is stronger.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.bots import chance_drawer, chooser, level_fault, level_index, memory_of, pick_action, pick_outcome
from bolzplatz.bots.plugins import plugged_in
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


def digest_of(game: Game, kernel: Callable[..., Any] = play_paired) -> str:
    """Return the digest of all code and numbers that decide a match which `kernel` plays."""
    links = links_of(game.rules, chooser(game.name), chance_drawer(game.name), hides=True)
    functions = list(reachable((kernel,), links).values())
    sources = sorted({function.__code__.co_filename for function in functions})
    digest = hashlib.sha256(repr((game.options, sorted(constants_of(functions).items()))).encode())
    for source in sources:
        digest.update(Path(source).read_bytes())
    return digest.hexdigest()[:16]


def check_players(game: Game, players: Sequence[str]) -> None:
    """Raise OptionError unless two such players can be compared in this game."""
    if len(sides_of(game)) != 2:
        raise OptionError(f"{game.name}: two players are compared in a game of two sides, not of {len(sides_of(game))}")
    for player in players:
        if reason := level_fault(game, player):
            raise OptionError(f"{game.name}: {reason}")


def pairs_of(game: Game, strong: str, weak: str, seed: int, limit: int = DEFAULT_LIMIT) -> Play:
    """Return what plays pairs of matches of two computer players of a game of two sides; compiled where it can be."""
    sides, seed = sides_of(game), wrap64(seed)
    seats = {seat: side for side, members in enumerate(sides) for seat in members}
    seatings = [[(strong, weak)[seats[seat] ^ turned] for seat in range(game.num_players)] for turned in (0, 1)]
    if {strong, weak} & set(plugged_in(game.name)):
        return _counted(lambda i, first, pairs: _plain(game, seatings[i], seed, CHOICES[i], first, pairs, limit), sides)
    memory = memory_of(game, (strong, weak))
    choose, draw = chooser(game.name, (strong, weak)), chance_drawer(game.name)
    links = links_of(game.rules, choose, draw, any(0 in game.layout.seen_entries(seat) for seat in seats))
    code = compile_functions((play_paired,), links)
    numbers = [[level_index(game.name, level) for level in seating] for seating in seatings]

    def play(turned: int, first: int, pairs: int) -> "NDArray[np.int64]":
        import numpy as np

        engine = Engine(game, choose, draw, memory)  # records and memory of its own for every thread
        won = np.zeros((pairs, game.num_players), dtype=np.int64)
        sizes = (RNG_SIZE, RNG_SIZE, None, MAX_DRAWN, game.num_players, 2 + game.num_players)
        buffers = tuple(engine.new_work() if size is None else np.zeros(size, dtype=np.int64) for size in sizes)
        levels = np.array(numbers[turned], dtype=np.int64)
        code.play_paired(
            engine.view, engine.setup, levels, seed, seed ^ CHOICES[turned], first, limit, buffers, won
        )  # fmt: skip
        return won

    play(0, 0, 0)  # compiles before anybody looks at the clock
    return _counted(play, sides)


def _counted(play: Callable[[int, int, int], "NDArray[np.int64]"], sides: Sequence[Sequence[int]]) -> Play:
    """Return a function that plays pairs and counts their results, of one that plays one seating."""

    def count(first: int, pairs: int) -> tuple[list[int], float]:
        began = time.perf_counter()
        ahead, behind = (_margin(play(turned, first, pairs), sides) for turned in (0, 1))
        counts = [0] * STEPS
        for quarters in (ahead - behind + 2).tolist():
            counts[quarters] += 1
        return counts, time.perf_counter() - began

    return count


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
