"""Rounds for the training corner: dealt by the rules, with what is right in each. The page only measures and counts."""

from collections.abc import Callable
from typing import Any, Final

from bolzplatz.games import load_game

GAME: Final = "wilde-kerle"
ROUNDS: Final = 10
"""So many make one go; a half has more."""


def deal(players: int, deck: str, pro: bool, below: Callable[[int], int]) -> list[dict[str, Any]]:
    """Deal the first rounds of a half.

    Args:
        players: how many cards lie open in each round.
        deck: the option `deck`, not `any`.
        pro: whether whistles may come.
        below: draws from 0..n-1.

    Returns:
        Rounds with `cards` (names), `right` (pieces that score) and `why` (for each piece the verdict of the rules).

    Raises:
        OptionError: for options that the game does not have.
    """
    game = load_game(GAME, players=players, deck=deck, pro=pro)
    state, rounds = game.new_initial_state(), list[dict[str, Any]]()
    while len(rounds) < ROUNDS:
        while state.is_chance_node():
            weights = state.chance_weights()
            drawn = below(sum(weight for _, weight in weights))
            for outcome, weight in weights:
                drawn -= weight
                if drawn < 0:
                    state.apply_action(outcome)
                    break
        cards = [card["name"] for card in state.view()["shown"]["cards"]]
        state.play_joint(["none"] * players)
        verdict = state.view()["shown"]["verdict"]
        rounds.append(
            {
                "cards": cards,
                "right": [piece for piece, judged in verdict.items() if judged["goal"]],
                "why": verdict,
            }
        )
    return rounds
