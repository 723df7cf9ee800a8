"""The puzzle of the day: sound positions with one best move, the same for everybody, in words and as a command."""

import json
import re
from datetime import date, timedelta

import pytest

from bolzplatz.cli.main import main
from bolzplatz.core.texts import LANGUAGES
from bolzplatz.simulate.puzzles import CLEAR, LEAST, all_puzzles, puzzle_of, search
from bolzplatz.solve import move_chances, solve
from bolzplatz.web.language import catalogue
from bolzplatz.web.puzzle import OFFERED, read_day, told

DAY = date(2026, 11, 30)


def answered(capsys, *arguments):
    code = main(list(arguments))
    return code, capsys.readouterr()


def test_every_puzzle_is_a_position_with_one_best_move():
    for puzzle in all_puzzles():
        state = puzzle.state()
        legal = [state.action_to_string(action) for action in state.legal_actions()]
        assert list(puzzle.chances) == legal
        first, second = sorted(puzzle.chances.values(), reverse=True)[:2]
        assert first - second > CLEAR - 2e-6
        assert puzzle.cost > LEAST - 2e-6
        assert puzzle.natural in legal


def test_chances_are_those_of_the_solution():
    """Of Bar-Bolz here; of 5050, whose table takes half a minute, in the long tests."""
    check([puzzle for puzzle in all_puzzles() if puzzle.game == "bar-bolz"][:6])


@pytest.mark.long
def test_chances_of_5050_are_those_of_the_solution():
    check([puzzle for puzzle in all_puzzles() if puzzle.game == "5050"])


def check(puzzles):
    for puzzle in puzzles:
        state = puzzle.state()
        exact = {state.action_to_string(a): chance for a, chance in move_chances(solve(state.game), state).items()}
        assert puzzle.chances == pytest.approx(exact, abs=1e-6)


def test_the_search_finds_positions_in_which_what_comes_naturally_is_bad():
    from bolzplatz import load_game

    solution = solve(load_game("5050", target=500))
    found = list(search(solution, 3))
    assert found
    for level, puzzle in found:
        state = puzzle.state()
        chances = move_chances(solution, state)
        natural = state.string_to_action(puzzle.natural)
        assert max(chances.values()) - chances[natural] >= LEAST
        assert level in ("good", "child")


def test_a_day_has_its_puzzle_and_the_next_day_another_one():
    days = [DAY + timedelta(days=n) for n in range(len(all_puzzles()))]
    assert [puzzle_of(day) for day in days] == [puzzle_of(day) for day in days]
    assert len({id(puzzle_of(day)) for day in days}) == len(all_puzzles())


def test_days():
    assert read_day(None, DAY) == DAY
    assert read_day("2026-11-29", DAY) == DAY - timedelta(days=1)
    assert read_day("2026-12-01", DAY) is None
    for text in ("yesterday", "0001-01-01", "9999-12-31", "2026-02-30"):
        assert read_day(text, DAY) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_puzzle_is_told_with_a_reason(language):
    """Every position and every answer has words; a place without a number would raise KeyError."""
    t, reasons = catalogue(language), set()
    for number, puzzle in enumerate(all_puzzles()):
        day = next(d for d in (DAY + timedelta(days=n) for n in range(400)) if puzzle_of(d) is puzzle)
        if puzzle.game == "bar-bolz" and number % 4:
            continue  # their chances are worked out anew for the reason
        shown = told(day, None, t)
        assert shown["answer"] is None
        offered = [move["move"] for move in shown["moves"]]
        assert {puzzle.best, puzzle.natural} <= set(offered)
        assert len(offered) == min(OFFERED, len(puzzle.chances))
        right, wrong = (told(day, move, t)["answer"] for move in (puzzle.best, puzzle.natural))
        assert right["good"]
        assert not wrong["good"]
        assert right["rows"][0]["best"]
        assert sum(row["mine"] for row in wrong["rows"]) == 1
        reasons.add(wrong["lines"][1] if len(wrong["lines"]) > 1 else "")
    assert len(reasons) > 50


def test_reasons_count_what_can_be_counted():
    """Throws without anything usable, against the numbers that the rules page tells: 3 dice 27.8 %, 2 dice 44.4 %."""
    t, seen = catalogue("en"), 0
    for puzzle in all_puzzles():
        day = next(d for d in (DAY + timedelta(days=n) for n in range(400)) if puzzle_of(d) is puzzle)
        if puzzle.game != "5050":
            continue
        for line in told(day, puzzle.natural, t)["answer"]["lines"]:
            if found := re.search(r"(\d+) of 100 throws with (\d) dice", line):
                seen += 1
                assert int(found[1]) == {1: 67, 2: 44, 3: 28, 4: 16, 5: 8, 6: 2}[int(found[2])]
    assert seen > 20


def test_the_command(capsys):
    puzzle = puzzle_of(DAY)
    code, out = answered(capsys, "puzzle", "--date", "2026-11-30", "--json")
    assert code == 0
    shown = json.loads(out.out)
    assert shown["moves"] == list(puzzle.chances)
    assert "best" not in shown
    assert answered(capsys, "puzzle", "--date", "2026-11-30", "--answer", puzzle.best)[0] == 0
    code, out = answered(capsys, "puzzle", "--date", "2026-11-30", "--answer", puzzle.natural, "--lang", "de")
    assert code == 1
    assert "Diesmal nicht" in out.out
    assert answered(capsys, "puzzle", "--date", "2026-11-30")[0] == 0
    assert answered(capsys, "puzzle", "--date", "tomorrow")[0] == 2
    code, out = answered(capsys, "puzzle", "--answer", "dance")
    assert code == 2
    assert "no move here" in out.err
