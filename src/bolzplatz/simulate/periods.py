"""GOOAAAAAL! period by period: goals, penalties, who profits from the first throw, and how matches end.

Mass play (`simulate.run`) knows how matches end, not what happens within them. This plays matches move by move and
reads the events that they tell.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bolzplatz.bots import pick_action
from bolzplatz.core.drivers import draw_from
from bolzplatz.core.errors import OptionError
from bolzplatz.core.fast import FastStream
from bolzplatz.core.game import Event, Game, State
from bolzplatz.games.gooaaaaal.state import NAME
from bolzplatz.simulate.statistics import Distribution, Share


@dataclass(frozen=True)
class Periods:
    """What was counted.

    Attributes:
        matches: how many were played.
        goals: goals on the lines in each period, of all sides together.
        penalties: penalties won in each period, of all sides together; those of a shoot-out do not count.
        scored: penalties that were goals, out of all, those of a shoot-out too.
        dead_heats: throws in which two balls were complete at once, out of all throws in which one was.
        periods: periods of a match.
        beginner: matches won by the side, or in a ring the player, that throws first in the first period.
        level: matches still level after the last regular period: after the second half, or at five goals.
        sudden: matches that a sudden death decided.
        lengths: moves and throws of a match.
    """

    matches: int
    goals: Distribution
    penalties: Distribution
    scored: Share
    dead_heats: Share
    periods: Distribution
    beginner: Share
    level: Share
    sudden: Share
    lengths: Distribution


def count_periods(game: Game, level: str, matches: int, seed: int) -> Periods:
    """Let players of one level play so many matches, each with dice of its own, and count.

    Raises OptionError for an unknown level, another game than GOOAAAAAL!, and a mode without periods.
    """
    if game.name != NAME or game.options["mode"] not in ("five-goals", "match"):
        raise OptionError(f"{NAME}: only five-goals and match have periods")
    goals, penalties, periods, lengths = Counter[int](), Counter[int](), Counter[int](), Counter[int]()
    kinds, beginner, level_ones, sudden = Counter[str](), 0, 0, 0
    for number in range(matches):
        end = _play(game, level, seed, number)
        events = end.events()
        told = list(_by_period(events))
        seen = Counter(event.kind for event in events)
        goals.update(line for line, _ in told)
        penalties.update(shot for _, shot in told)
        periods[len(told)] += 1
        lengths[end.move_number()] += 1
        kinds += seen
        beginner += end.returns()[0] > 0
        level_ones += seen["level"] > 0
        sudden += seen["sudden_death"] > 0
    shots = kinds["penalty_goal"] + kinds["penalty_saved"]
    return Periods(
        matches,
        Distribution(goals),
        Distribution(penalties),
        Share(kinds["penalty_goal"], shots),
        Share(kinds["dead_heat"], shots + kinds["sudden_ball"] + kinds["dead_heat"]),
        Distribution(periods),
        Share(beginner, matches),
        Share(level_ones, matches),
        Share(sudden, matches),
        Distribution(lengths),
    )


def _play(game: Game, level: str, seed: int, number: int) -> State:
    """Play one match to its end."""
    dice, luck = FastStream(seed, 2 * number), FastStream(seed, 2 * number + 1)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(draw_from(dice, state).outcome)
        else:
            state.apply_action(pick_action(game, state, state.current_player(), level, luck))
    return state


def _by_period(events: Iterable[Event]) -> Iterable[tuple[int, int]]:
    """Yield for each period the goals on its lines and the penalties that it brought."""
    goals = penalties = 0
    for event in events:
        if event.kind == "goals":
            goals += int(event.data["goals"])
        elif event.kind == "penalty":
            penalties += 1
        elif event.kind in ("period", "shoot_out", "sudden_death"):
            yield goals, penalties
            if event.kind != "period":
                return
            goals = penalties = 0
    yield goals, penalties
