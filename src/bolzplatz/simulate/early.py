"""What early grabbing pays in Die wilden Fußballkerle: chips a round against how much a player hurries.

One player hurries more and more, the others play as their level does; each deal is the first of a fresh stack, so that
deals are independent. Two hands that do not look at all are there for comparison: one that always takes the black
figure as early as a person can, and one that never takes any.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from bolzplatz.bots import level_index
from bolzplatz.bots.wilde_kerle import FLOOR_MS, LATENT, MOODS, choose_in_mood, ms_in_mood
from bolzplatz.core.drivers import FastDriver
from bolzplatz.core.fast import RNG_SIZE, below, start_stream
from bolzplatz.core.game import Game, State
from bolzplatz.games.wilde_kerle import NONE, ONLY_BLACK, WISHES
from bolzplatz.simulate.statistics import Z_99, Share

BLIND: Final = "blind"
STILL: Final = "still"
STEPS: Final = (0, 1, 2, 3, 4, 6, 8, 10)
"""Steps of hurry; players themselves have the first three."""
PHOTO_FINISH: Final = 1 << 20
"""Equal milliseconds are parted by chance."""
GUEST: Final = 0
"""The seat that hurries: whoever is first does not depend on seats."""


@dataclass(frozen=True, slots=True)
class Early:
    """What one way to grab brought.

    Attributes:
        hurry: the step of hurry, or BLIND, or STILL.
        chips: mean change of chips a round.
        reach: half the width of its 99 % interval.
        took: share of rounds in which the hand got a figure.
        right: share of the figures it got whose colour had scored.
        mean_ms: mean time of its reaches, None without any.
    """

    hurry: int | str
    chips: float
    reach: float
    took: Share
    right: Share
    mean_ms: float | None


def early_grabbing(game: Game, level: str, rounds: int, seed: int, steps: Sequence[int] = STEPS) -> list[Early]:
    """Return what each way to grab brings one player among others of that level; OptionError: unknown level.

    All ways meet the same deals and the same hands of the others.
    """
    skill = level_index(game.name, level)
    ways: list[int | str] = [*steps, BLIND, STILL]
    return [_play(game, skill, way, rounds, seed) for way in ways]


def _play(game: Game, level: int, way: int | str, rounds: int, seed: int) -> Early:
    changes, took, right, times = [], 0, 0, []
    for number in range(rounds):
        state = _deal(game, seed, number)
        ways = [way if seat == GUEST else None for seat in range(game.num_players)]
        hands = [_hand(state, level, each, seed, number, seat) for seat, each in enumerate(ways)]
        if hands[GUEST][0] != NONE:
            times.append(hands[GUEST][1])
        before = state.scores()[GUEST]
        state.play_joint([WISHES[wish] for wish, *_ in hands])
        if state.is_chance_node() and sum(wish != NONE for wish, *_ in hands) > 1:
            reaching = [seat for seat, (wish, *_) in enumerate(hands) if wish != NONE]
            state.play("order " + " ".join(map(str, sorted(reaching, key=lambda seat: hands[seat][1:]))))
        changes.append(state.scores()[GUEST] - before)
        took += any(event.kind == "takes" and event.seat == GUEST for event in state.events())
        right += any(event.kind == "right" and event.seat == GUEST for event in state.events())
    mean = sum(changes) / rounds
    spread = sqrt(sum((change - mean) ** 2 for change in changes) / rounds)
    mean_ms = sum(times) / len(times) if times else None
    return Early(way, mean, Z_99 * spread / sqrt(rounds), Share(took, rounds), Share(right, took), mean_ms)


def _deal(game: Game, seed: int, number: int) -> State:
    """Return a match whose first cards lie open."""
    state, driver = game.new_initial_state(), FastDriver(seed=seed, match=number)
    while state.is_chance_node():
        state.apply_action(driver.draw(state).outcome)
    return state


def _hand(state: State, level: int, way: int | str | None, seed: int, number: int, seat: int) -> tuple[int, int, int]:
    """Return what a hand reaches for, when (milliseconds), and its luck in a photo finish.

    `way` is None for a hand that does as its level does.
    """
    rng: list[Any] = [0] * RNG_SIZE
    start_stream(rng, seed, ~(number * state.game.num_players + seat))
    luck = below(rng, PHOTO_FINISH)
    if way == STILL:
        return NONE, 0, luck
    if way == BLIND:
        return ONLY_BLACK, FLOOR_MS, luck
    seen, setup = state.masked(seat), state.game.setup
    colour, mood = below(rng, LATENT // MOODS), below(rng, MOODS)
    latent = 2 * (mood if way is None else int(way)) + colour
    wish = choose_in_mood(level, seen, setup, latent, rng)
    return wish, ms_in_mood(level, seen, setup, wish, latent, rng) if wish != NONE else 0, luck
