"""The rules pages: alike in each language, every ruling answered, every option told, every sum and chance right."""

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from bolzplatz.core.spec import show_value
from bolzplatz.games import game_spec

PAGES = Path(__file__).parent.parent / "docs" / "rules"
LANGUAGES = ("en", "de", "fr")
RULINGS = {
    "bar-bolz": [f"B-{n}" for n in range(1, 21)],
    "5050": [f"F-{n}" for n in range(1, 31)],
    "dribbel-fieber": [f"D-{n}" for n in range(1, 56)],
    "gooaaaaal": [f"G-{n}" for n in range(1, 54)],
    "wilde-kerle": [f"K-{n}" for n in range(1, 27)],
}
LAST = {game: 17 if game == "gooaaaaal" else 12 for game in RULINGS}
"""The paragraph with the options and the answers to all questions: the last one."""
every_page = pytest.mark.parametrize(
    ("game", "language"), [(game, language) for game in RULINGS for language in LANGUAGES]
)
every_game = pytest.mark.parametrize("game", RULINGS)


def page(game: str, language: str) -> str:
    return (PAGES / f"{game}.{language}.md").read_text(encoding="utf-8")


def paragraph(game: str, language: str, number: int) -> str:
    return page(game, language).split(f"\n## §{number} ")[1].split("\n## §")[0]


def tables(text: str) -> list[list[list[str]]]:
    """All tables of a text, each a list of rows, each a list of cells."""
    found: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [table for table in found if table]


def percentages(text: str) -> list[str]:
    return [number.replace(",", ".") for number in re.findall(r"(\d+[.,]\d) %", text)]


@every_page
def test_paragraphs_run_from_1_to_the_last(game: str, language: str) -> None:
    headings = re.findall(r"^## §(\d+) \S", page(game, language), re.MULTILINE)
    assert headings == [str(n) for n in range(1, LAST[game] + 1)]


@every_page
def test_every_ruling_is_answered_once_and_told_in_paragraphs_that_exist(game: str, language: str) -> None:
    answers = tables(paragraph(game, language, LAST[game]))[1]
    assert [row[0] for row in answers[2:]] == RULINGS[game]
    for ruling, question, answer, told_in in answers[2:]:
        assert question.endswith("?"), ruling
        assert answer, ruling
        assert set(re.findall(r"§(\d+)", told_in)) <= {str(n) for n in range(1, LAST[game])}, ruling


@every_page
def test_every_option_is_told_with_its_default(game: str, language: str) -> None:
    told = {row[0].strip("`"): row[2].strip("`") for row in tables(paragraph(game, language, LAST[game]))[0][2:]}
    assert told == {option.name: show_value(option.default) for option in game_spec(game).options}


@every_page
def test_tables_are_even(game: str, language: str) -> None:
    for table in tables(page(game, language)):
        assert len({len(row) for row in table}) == 1, table[0]


@every_game
def test_languages_have_the_same_tables(game: str) -> None:
    shapes = [[(len(table), len(table[0])) for table in tables(page(game, language))] for language in LANGUAGES]
    assert shapes[0] == shapes[1] == shapes[2]


@every_page
def test_sums_are_right(game: str, language: str) -> None:
    sums = re.findall(r"(\d+(?: \+ \d+)+) = (\d+)", page(game, language).replace("\n", " "))
    assert len(sums) >= 5
    for terms, total in sums:
        assert sum(map(int, terms.split(" + "))) == int(total), terms


@every_game
def test_paragraphs_that_the_code_cites_exist(game: str) -> None:
    spec = game_spec(game)
    rules = [item.rule for item in (*spec.events, *spec.refusals)] + [option.ruling for option in spec.options]
    cited = {number for rule in rules for number in re.findall(rf"{game} §(\d+)", rule)}
    assert cited
    assert cited <= {str(n) for n in range(1, LAST[game] + 1)}


def goal_chance(dark: int) -> Fraction:
    """Chance that an attack becomes a goal when every penalty is taken and `dark` of six faces are dark."""

    @cache
    def chance(points: int, fouls: int) -> Fraction:
        if points >= 50:
            return Fraction(points == 50)
        total = sum(chance(points + gain, fouls) for gain in (5, 10, 20))
        if fouls < 2:
            total += Fraction(6 - dark, 6) * chance(points, fouls + 1)
        counting = 6
        if points < 30:
            counting -= 2  # offside and penalty change nothing: as if not thrown
        else:
            total += Fraction(dark, 6)
        return Fraction(total) / counting

    return chance(0, 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_chances_of_a_goal(language: str) -> None:
    exact = [f"{float(100 * goal_chance(dark)):.1f}" for dark in range(1, 6)]
    assert percentages(paragraph("bar-bolz", language, 11)) == exact


def usable(dice: tuple[int, ...]) -> bool:
    counts = Counter(dice)
    if 1 in counts or 5 in counts or max(counts.values()) >= 3:
        return True
    return len(dice) == 6 and sorted(counts.values()) == [2, 2, 2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_chances_of_nothing_usable(language: str) -> None:
    exact = []
    for count in range(6, 0, -1):
        throws = list(product(range(1, 7), repeat=count))
        exact.append(f"{100 * sum(not usable(dice) for dice in throws) / len(throws):.1f}")
    assert percentages(paragraph("5050", language, 9)) == exact
