"""Matches with the same dice for both sides of a comparison, in plain functions of the compiled subset.

What a seat throws depends on the number of the pair, the seat, its turn and the throw within the turn, and on nothing
that anybody chose: whoever sits there gets the same dice for the same throw. Choices come from a stream of their own.
"""

from typing import Any, Final

from bolzplatz.core.fast import mix64, start_stream, wrap_add, wrap_mul
from bolzplatz.core.kernels import draw_outcome
from bolzplatz.core.nodes import CHANCE, SIMULTANEOUS, TERMINAL

MOST_THROWS: Final = 1 << 20
"""Throws of a turn that are kept apart."""
MOST_TURNS: Final = 1 << 30


def _not_linked(*_arguments: Any) -> Any:
    raise NotImplementedError("kernels run only when linked to a game")


player_to_act = legal = choose = draw_chance = look_as = apply = apply_joint = roller = winners = _not_linked


def start_throw(rng: Any, seed: int, pair: int, seat: int, turn: int, throw: int) -> None:
    """Set `rng` to the dice of one throw; `seat` is -1 where nobody throws."""
    start_stream(rng, seed, pair)
    start_stream(rng, mix64(wrap_add(rng[0], seat)), wrap_add(wrap_mul(turn, MOST_THROWS), throw))


def count_throw(at: Any, seat: int) -> None:
    """Count a throw of `seat`: `at` holds the last thrower, the throws of its turn, and each seat's turns.

    A turn ends when somebody else throws. Where nobody throws, as with a pile of cards, no turn ends.
    """
    if seat >= 0 and seat != at[0]:
        at[0] = seat
        at[1] = -1
        at[2 + seat] += 1
    at[1] += 1


def play_paired(
    view: Any, o: Any, levels: Any, seed: int, choices: int, first: int, limit: int, buffers: Any, won: Any
) -> int:
    """Play the matches of pairs first, first+1, … with one seating; return how many were given up.

    Args:
        view: as in `core.kernels.play_many`; a match starts from states[1].
        levels: each seat's computer player.
        seed: of the dice.
        choices: seed of what the players choose.
        first: number of the first pair.
        limit: steps after which a match is given up.
        buffers: six int64 arrays: dice, choices, legal actions, drawn faces, joint choices, counts of turns.
        won: (pairs, seats), out: 1 for a winner.
    """
    states = view[0]
    dice, rng, actions, drawn, joint, at = buffers
    given_up = 0
    for i in range(len(won)):
        states[0] = states[1]
        s = states[0]
        start_stream(rng, choices, first + i)
        at[:] = 0
        at[0] = -1
        steps = 0
        player = player_to_act(s, o)
        while player != TERMINAL and steps < limit:
            steps += 1
            if player == CHANCE:
                outcome = draw_chance(levels, s, o, rng, drawn)
                if outcome < 0:
                    seat = roller(s, o)
                    count_throw(at, seat)
                    start_throw(dice, seed, first + i, seat, at[2 + max(seat, 0)], at[1])
                    outcome = draw_outcome(s, o, dice, drawn)
                apply(s, o, outcome, None)
            elif player == SIMULTANEOUS:
                for seat in range(o.seats):
                    count = legal(s, o, seat, actions)
                    joint[seat] = choose(levels[seat], look_as(s, view, seat), o, seat, actions, count, rng)
                apply_joint(s, o, joint, None)
            else:
                count = legal(s, o, player, actions)
                apply(s, o, choose(levels[player], look_as(s, view, player), o, player, actions, count, rng), None)
            player = player_to_act(s, o)
        if player != TERMINAL:
            given_up += 1
        winners(s, o, won[i])
    return given_up
