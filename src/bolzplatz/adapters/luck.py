"""The dice of the environments: one fast stream a match, so that any match of a run can be played again alone."""

from collections.abc import Callable

from bolzplatz.core.drivers import draw_from
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Game, State
from bolzplatz.core.stepping import MOST_PASSED


def settle(state: State, stream: FastStream) -> None:
    """Let chance decide until somebody else does, or the match is over."""
    while state.is_chance_node():
        state.apply_action(draw_from(stream, state).outcome)


class MatchLuck:
    """The matches of the run `seed`, one after the other; `match` is the number of the present one, -1 before.

    >>> from bolzplatz import load_game
    >>> luck = MatchLuck(seed=1)
    >>> state, stream = luck.next_match(load_game("5050"))
    >>> luck.match, state.current_player()
    (0, 0)
    """

    def __init__(self, seed: int) -> None:
        self.seed, self.match = seed, -1

    def next_match(
        self,
        game: Game,
        begin: Callable[[State, FastStream, int], None] = lambda state, stream, _: settle(state, stream),
    ) -> tuple[State, FastStream]:
        """Return the next match at its first decision, and its stream.

        `begin(state, stream, match)` plays on to there. Matches that end before are passed over; OptionError says that
        every one does.
        """
        for _ in range(MOST_PASSED):
            self.match += 1
            state, stream = game.new_initial_state(), FastStream(self.seed, self.match)
            begin(state, stream, self.match)
            if not state.is_terminal():
                return state, stream
        raise OptionError(f"{game.name}: with these options the learner never has anything to decide")
