"""Pages of best play: the puzzle of the day, what-if, the evening of a room."""

import re
from collections.abc import Callable
from datetime import date

import pytest
from playwright.sync_api import Page, expect

from bolzplatz.core.texts import LANGUAGES
from bolzplatz.simulate.puzzles import puzzle_of
from bolzplatz.web.language import catalogue
from bolzplatz.web.puzzle import read_day
from bolzplatz.web.render.coach import move_label
from tests.browser.conftest import LAPTOP, PHONE, Visitor
from tests.browser.play import fill_form, layout_faults, new_table, play_to_the_end, ready
from tests.browser.test_screens import ON_ITS_SIDE, accessible

Visit = Callable[..., Visitor]
TODAY = date(2030, 1, 1)
COMPILING_MS = 120_000
"""How long the server may take for the first match of its life on a machine that has compiled nothing yet."""
DAYS = ("2026-11-02", "2026-11-03")


def fits(page: Page) -> None:
    for size in (PHONE, LAPTOP):
        page.set_viewport_size(size)
        assert layout_faults(page, table=False) == [], str(size)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_puzzle_is_answered_by_keyboard(visit: Visit, language: str) -> None:
    page, t = visit(language=language, color_scheme="dark" if language == "de" else "light").page(), catalogue(language)
    page.goto(f"/puzzle?date={DAYS[0]}")
    assert accessible(page) == []
    fits(page)
    puzzle = puzzle_of(read_day(DAYS[0], TODAY))
    page.get_by_role("button", name=move_label(puzzle.natural, t), exact=True).press("Enter")
    verdict = page.locator("#verdict")
    expect(verdict).to_be_focused()
    expect(verdict).to_contain_text(move_label(puzzle.best, t))
    expect(page.locator("#tally")).to_have_text(t("puzzle.solved", n=0, of=1))
    assert accessible(page) == []
    fits(page)

    # Whoever answers again, rightly now, has not solved it; the next puzzle counts.
    page.goto(f"/puzzle?date={DAYS[0]}&move={puzzle.best}")
    expect(page.locator("#tally")).to_have_text(t("puzzle.solved", n=0, of=1))
    page.goto(f"/puzzle?date={DAYS[1]}&move={puzzle_of(read_day(DAYS[1], TODAY)).best}")
    expect(page.locator("#tally")).to_have_text(t("puzzle.solved", n=1, of=2))


def test_a_puzzle_needs_no_script(visit: Visit) -> None:
    page, t = visit(java_script_enabled=False).page(), catalogue("en")
    page.goto("/")
    page.get_by_role("link", name=t("puzzle.link")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("puzzle.title"))
    page.goto(f"/puzzle?date={DAYS[0]}")
    puzzle = puzzle_of(read_day(DAYS[0], TODAY))
    page.get_by_role("button", name=move_label(puzzle.best, t), exact=True).click()
    expect(page.locator("#verdict")).to_have_text(t("puzzle.right", move=move_label(puzzle.best, t)))


def test_what_if_is_answered_by_itself(visit: Visit) -> None:
    page, t = visit().page(), catalogue("en")
    page.goto("/rules/bar-bolz")
    page.get_by_role("link", name=t("whatif.link")).click()
    answer = page.locator("#arriving")
    expect(answer).to_contain_text(t("whatif.same"), timeout=COMPILING_MS)
    expect(answer).to_contain_text("52.72 %")
    assert accessible(page) == []
    fits(page)
    slider = page.get_by_role("slider", name=t("options.bar-bolz.series.label"))
    slider.press("ArrowRight")
    expect(page.locator("output[for=slide-series]")).to_have_text("3")
    expect(answer).to_contain_text("51.37 %")
    expect(page).to_have_url(re.compile("series=3"))
    page.reload()
    expect(answer).to_contain_text("51.37 %")
    expect(slider).to_have_value("3")


def test_the_evening_of_a_room(visit: Visit) -> None:
    page, t = visit(PHONE).page(), catalogue("en")
    new_table(page, "bar-bolz", "computer")
    play_to_the_end(page)
    page.locator("#evening").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("evening.title"))
    expect(page.locator("#arriving")).to_have_attribute("data-state", "ready")
    expect(page.locator("#said")).to_contain_text("matches")
    expect(page.locator(".figures").first.locator("tbody tr")).to_have_count(2)
    assert accessible(page) == []
    fits(page)
    page.get_by_role("link", name=t("evening.back")).click()
    expect(page.locator("#result")).to_be_visible()


def test_how_a_match_went(visit: Visit) -> None:
    """From the end of a match to its curve, from there to a position, and playing on from it."""
    page, t = visit(PHONE).page(), catalogue("en")
    new_table(page, "bar-bolz", "computer")
    play_to_the_end(page)
    assert layout_faults(page) == []
    page.locator("#afterwards").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(t("afterwards.title"))
    expect(page.locator("#arriving")).to_have_attribute("data-state", "ready", timeout=COMPILING_MS)
    expect(page.locator(".curve")).to_be_visible()
    expect(page.locator(".figures tbody tr")).to_have_count(2)
    assert accessible(page) == []
    fits(page)
    moves = page.locator(".costly li")
    # Whether anybody gave something away is up to the dice.
    if moves.count():
        moves.first.get_by_role("link").click()
        expect(page.locator("#slider")).to_be_visible()
        page.go_back()
        moves.first.get_by_role("button").click()
        ready(page)
    else:
        expect(page.locator("#arriving")).to_contain_text(t("afterwards.none"))


def test_what_the_coach_finds_out_comes_by_itself(visit: Visit) -> None:
    """Three play 5050, which nobody has solved: the coach plays on, and nobody has to touch anything meanwhile."""
    page, t = visit(LAPTOP).page(), catalogue("en")
    page.goto("/new/5050?with=people")
    page.locator("#add-seat").click()
    fill_form(page, {"coach": "yes", "o-target": "1000"})
    page.locator("#start").click()
    ready(page)
    coach = page.locator("#coach")
    expect(coach).to_be_visible()
    expect(coach).not_to_contain_text(t("coach.solving"), timeout=COMPILING_MS)
    expect(coach.locator(".coach-rows li")).to_have_count(3)
    assert accessible(page) == []
    # Where all this lies in a drawer, the chance of who throws stands below the head line, and hides nothing.
    expect(page.locator("#whisper")).to_be_hidden()
    for size in (PHONE, ON_ITS_SIDE):
        page.set_viewport_size(size)
        expect(page.locator("#whisper")).to_contain_text(coach.locator(".coach-rows b").first.text_content() or "?")
        expect(page.locator("#whisper .odds")).to_be_visible()
        assert layout_faults(page) == [], str(size)
