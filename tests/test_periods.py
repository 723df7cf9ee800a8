"""GOOAAAAAL! period by period against what races must bring, and against the scores of the same matches."""

import pytest

from bolzplatz import OptionError, State, load_game
from bolzplatz.simulate import periods
from bolzplatz.simulate.periods import Periods, count_periods

MATCHES = 150


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[State]:
    """Collect the matches that are played."""
    kept: list[State] = []
    play = periods._play

    def keeping(*what: object) -> State:
        kept.append(play(*what))  # type: ignore[arg-type]
        return kept[-1]

    monkeypatch.setattr(periods, "_play", keeping)
    return kept


def total(found: Periods) -> int:
    lines = sum(goals * count for goals, count in found.goals.counts.items())
    return lines + found.scored.count + found.sudden.count


@pytest.mark.parametrize("mode", ["five-goals", "match"])
def test_the_goals_counted_are_the_scores(ends: list[State], mode: str) -> None:
    found = count_periods(load_game("gooaaaaal", mode=mode), "good", MATCHES, seed=5)
    assert total(found) == sum(sum(end.scores()) for end in ends)
    assert found.beginner.count == sum(end.returns()[0] > 0 for end in ends)
    assert sum(length * count for length, count in found.lengths.counts.items()) == sum(e.move_number() for e in ends)
    # Half of the penalties are goals, and 5.20 % of the throws that end a race end it for both (four dice).
    assert abs(found.scored.share - 0.5) < 4 * (0.25 / found.scored.of) ** 0.5
    assert abs(found.dead_heats.share - 0.052) < 4 * (0.052 * 0.948 / found.dead_heats.of) ** 0.5


def test_a_match_has_two_halves_and_a_third_period_only_where_it_is_level(ends: list[State]) -> None:
    found = count_periods(load_game("gooaaaaal", mode="match"), "child", 60, seed=2)
    assert set(found.periods.counts) == {2, 3}
    assert found.periods.counts[3] == found.level.count
    assert found.sudden.count <= found.level.count
    assert found.penalties.total == found.goals.total == 2 * 60 + found.level.count


def test_penalties_of_a_shoot_out_belong_to_no_period(ends: list[State]) -> None:
    found = count_periods(load_game("gooaaaaal", mode="match"), "random", 40, seed=4)
    shot = sum(event.kind == "shoot_out" for end in ends for event in end.events())
    assert shot > 0
    won = sum(event.data["number"] for end in ends for event in end.events() if event.kind == "penalty_won")
    assert sum(number * count for number, count in found.penalties.counts.items()) == won
    assert found.scored.of == won + 4 * shot, "two shots each"


@pytest.mark.parametrize("game", [load_game("5050"), load_game("gooaaaaal", mode="shoot-out")], ids=repr)
def test_only_what_has_periods_is_counted(game) -> None:
    with pytest.raises(OptionError, match="have periods"):
        count_periods(game, "good", 1, seed=1)
