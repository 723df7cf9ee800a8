"""Matches by the interpreted rules, for players that no compiled code can ask: the plugged-in ones.

Thousands of times slower than compiled matches, and otherwise the same: a match draws its dice, and lets the computer
players that ship with Bolzplatz choose, from the very stream that the compiled one uses.
"""

from collections.abc import Sequence

from bolzplatz.bots import pick_action, pick_outcome
from bolzplatz.core.drivers import draw_from
from bolzplatz.core.engine import Matches
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS


def play_plainly(game: Game, policies: Sequence[str], count: int, seed: int, first: int, limit: int) -> Matches:
    """Play matches first … first+count-1 of the run `seed`, as `Engine.play` does; `policies` has a level a seat.

    Raises PlayerError where a plugged-in player fails.
    """
    import numpy as np

    seats = game.num_players
    matches = Matches(*(np.zeros(shape, dtype=np.int64) for shape in ((count,), (count, seats), (count, seats))))
    for row in range(count):
        state, stream = game.new_initial_state(), FastStream(seed, first + row)
        while not state.is_terminal() and state.move_number() < limit:
            _step(state, policies, stream)
        matches.steps[row] = state.move_number() if state.is_terminal() else -1
        matches.won[row] = [result > 0 for result in state.returns()]
        matches.scores[row] = state.scores()
    return matches


def _step(state: State, policies: Sequence[str], stream: FastStream) -> None:
    game, player = state.game, state.current_player()
    if player == CHANCE:
        outcome = pick_outcome(game, state, policies, stream)
        state.apply_action(draw_from(stream, state).outcome if outcome is None else outcome)
    elif player == SIMULTANEOUS:
        state.apply_actions([pick_action(game, state, seat, level, stream) for seat, level in enumerate(policies)])
    else:
        state.apply_action(pick_action(game, state, player, policies[player], stream))
