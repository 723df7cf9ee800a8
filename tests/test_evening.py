"""The whole evening: sums over matches that come out exactly, who was luckiest, and the page of a room."""

import json
import random

import pytest

from bolzplatz import RecordError, load_game
from bolzplatz.cli.main import main
from bolzplatz.core.record import read_record, record_of, write_record
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.solve import solve
from bolzplatz.table.evening import evening_of, match_of
from bolzplatz.web import evening as page
from bolzplatz.web.language import catalogue


def played(name, names, seed, **options):
    """A record of a match of random choices."""
    game, luck = load_game(name, **options), random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(luck.choice(state.legal_actions()))
    return read_record(write_record(record_of(state, names, "by hand")).encode())


@pytest.fixture(scope="module")
def matches():
    pairs = [("Mia", "Ben"), ("Ben", "Mia"), ("Mia", "Pia")]
    return [match_of(played("bar-bolz", names, seed), solve) for seed, names in enumerate(pairs)]


def test_what_was_won_is_start_luck_and_moves(matches):
    evening = evening_of(matches)
    assert {person.name: person.matches for person in evening.people} == {"Mia": 3, "Ben": 2, "Pia": 1}
    for person in evening.people:
        assert abs(person.rest) < 1e-9
        assert person.won_known == pytest.approx(person.won)
    assert sum(person.won for person in evening.people) == pytest.approx(3)
    assert sum(person.luck for person in evening.people) == pytest.approx(0, abs=1e-9)


def test_luck_is_added_up_over_the_matches(matches):
    evening = evening_of(matches)
    mia = next(person for person in evening.people if person.name == "Mia")
    assert mia.luck == pytest.approx(sum(match.balances[match.names.index("Mia")].luck for match in matches))
    assert evening.people == sorted(evening.people, key=lambda person: -person.luck)
    assert evening.luckiest is evening.people[0]


def test_matches_of_unsolved_games_are_counted_and_no_more():
    record = played("5050", ("Mia", "Ben", "Pia"), 3, players=3, target=600)
    evening = evening_of([match_of(record, solve)])
    assert [person.known for person in evening.people] == [0, 0, 0]
    assert sum(person.won for person in evening.people) == 1
    assert evening.luckiest is None
    assert not evening.pending


def test_a_match_that_is_being_solved_is_pending():
    evening = evening_of([match_of(played("bar-bolz", ("Mia", "Ben"), 1), lambda _game: None)])
    assert evening.pending
    assert evening.luckiest is None


def test_a_match_that_is_not_over_is_none_of_the_evening():
    game = load_game("bar-bolz")
    record = read_record(
        write_record(record_of(game.new_initial_state().play("10"), ("Mia", "Ben"), "by hand")).encode()
    )
    with pytest.raises(RecordError, match="not over"):
        match_of(record, solve)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_who_was_luckiest(matches, language):
    t, evening = catalogue(language), evening_of(matches)
    shown = page.told(evening, t)
    assert evening.people[0].name in shown["said"]
    assert len(shown["matches"]) == 3
    assert [person["name"] for person in shown["people"]] == [person.name for person in evening.people]
    assert page.told(evening_of([]), t)["said"] == t("evening.nothing")


def test_the_command_looks_at_an_evening(tmp_path, capsys):
    files, luck = [], 0.0
    for seed, names in enumerate([("Mia", "Ben"), ("Ben", "Mia")]):
        record = played("bar-bolz", names, seed)
        files.append(str(tmp_path / f"{seed}.bolz"))
        (tmp_path / f"{seed}.bolz").write_text(write_record(record), encoding="utf-8")
        luck += match_of(record, solve).balances[names.index("Mia")].luck
    assert main(["coach", *files, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    mia = next(person for person in told["people"] if person["name"] == "Mia")
    assert mia["luck"] == pytest.approx(luck)
    assert main(["coach", *files]) == 0
    assert f"Luckiest of the evening: {told['luckiest']}" in capsys.readouterr().out
    assert main(["coach", files[0], str(tmp_path / "none.bolz")]) == 2
    assert main(["coach", *files, "--plot", "x.svg"]) == 2
