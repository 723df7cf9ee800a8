"""Every screen in three languages: accessible (axe), nothing over anything else, from a small phone to a wide desk."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from bolzplatz.web.language import LANGUAGES
from tests.browser.conftest import LAPTOP, PHONE, Visitor
from tests.browser.play import (
    at_rest,
    choose_dice,
    layout_faults,
    moved_on,
    new_table,
    play_to_the_end,
    press,
    ready,
    version,
)

Visit = Callable[..., Visitor]
ON_ITS_SIDE = {"width": 640, "height": 360}
"""A small phone on its side."""
WIDTHS = [(320, 640), (360, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080)]
GAME_PAGES = ["/new/bar-bolz?with=people", "/new/5050?with=computer", "/rules/bar-bolz", "/rules/5050"]
READING = ["/", *GAME_PAGES, "/dice", "/check", "/t/nowhere"]


def accessible(page: Page) -> list[str]:
    """Return what axe finds wrong with what is shown, once nothing fades in or glides any more."""
    at_rest(page)
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:120]}" for each in found for node in each["nodes"]]


@contextmanager
def missing_page(visitor: Visitor, path: str) -> Iterator[None]:
    """Chromium writes every 404 into the console; for the page that is missing on purpose that is right."""
    yield
    if path == "/t/nowhere":
        visitor.complaints = [text for text in visitor.complaints if "404" not in text]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", READING)
def test_pages_around_the_table(visit: Visit, path: str, language: str) -> None:
    for light in ("light", "dark"):
        visitor = visit(language=language, color_scheme=light)
        page = visitor.page()
        with missing_page(visitor, path):
            page.goto(path)
        if page.locator("details.fold").count():
            page.locator("details.fold > summary").click()
        assert accessible(page) == []
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        assert layout_faults(page, table=False) == [], f"at {width}×{height}"


def bar_bolz_screens(page: Page) -> Iterator[str]:
    """Go through the states of the Bar-Bolz table, with real dice so that each one comes up."""
    new_table(page, "bar-bolz", "people", dice="hand", **{"name-0": "Maximilian-Alexander", "o-series": "3"})
    yield "attack"

    def enter(*keys: int) -> None:
        for key in keys:
            press(page, page.locator(f"#enter-{key}"))

    # The keys are the faces in their order: 5, 10, through pass, foul, offside, penalty; light before dark.
    enter(4)
    yield "referee"
    enter(1)
    yield "warned"
    enter(3, 2, 6)
    yield "penalty offered"
    press(page, page.locator("#act-take"))
    yield "penalty shot"
    for goal in range(3):
        if goal:
            enter(3, 3, 2)
            if goal == 2:
                break
        else:
            enter(2)
        enter(3, 3, 3)
    yield "second match"


def fifty_screens(page: Page) -> Iterator[str]:
    """Go through the states of the 5050 table."""
    new_table(page, "5050", "people", dice="hand", **{"name-0": "Maximilian-Alexander", "o-target": "1500"})
    yield "entering"

    def throw(faces: str) -> None:
        for face in faces:
            page.locator(f"#enter-{face}").click()
        press(page, page.locator("#enter-done"))

    throw("155234")
    yield "choosing"
    page.locator('.d[data-face="5"]').first.click()
    page.locator('.d[data-face="5"]').nth(1).click()
    yield "two fives: a choice"
    page.locator(".chip", has_text="→").click()
    yield "one of them as a one"
    press(page, page.locator("#throw"))
    throw("12346")
    yield "forced"
    press(page, page.locator("#undo"))
    page.locator("#open-settings").click()
    yield "settings"
    page.locator("[data-open=keys]").click()
    yield "keys"
    page.keyboard.press("Escape")
    throw("12345")
    choose_dice(page)
    page.wait_for_selector("#enter-1")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("screens", [bar_bolz_screens, fifty_screens])
def test_tables(visit: Visit, screens: Callable[[Page], Iterator[str]], language: str) -> None:
    page = visit(PHONE, language=language).page()
    for screen in screens(page):
        for width, height in ((360, 640), (640, 360), (390, 844), (1280, 800), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            assert layout_faults(page) == [], f"{screen} at {width}×{height}"
        page.set_viewport_size({"width": 360, "height": 640})
        assert accessible(page) == [], screen


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["bar-bolz", "5050"])
def test_full_time_and_the_drawers(visit: Visit, game: str, language: str) -> None:
    page = visit(PHONE, language=language).page()
    new_table(page, game, "people", **({"o-target": "350"} if game == "5050" else {}))
    for drawer in ("log", "pad") if game == "5050" else ("log",):
        page.locator(f"#open-{drawer}").click()
        assert layout_faults(page, table=False) == []
        assert accessible(page) == []
        page.locator(f"[data-close={drawer}]").click()
    play_to_the_end(page)
    assert layout_faults(page) == []
    assert accessible(page) == []
    page.locator("#check").click()
    expect(page.locator("#verdict .good")).to_be_visible()
    assert accessible(page) == []
    page.emulate_media(color_scheme="dark")
    page.locator("[data-close=checking]").click()
    assert accessible(page) == []


def test_ten_people_fit_on_a_phone(visit: Visit) -> None:
    page = visit(PHONE, language="de").page()
    page.goto("/new/5050?with=people")
    for _ in range(8):
        page.locator("#add-seat").click()
    expect(page.locator("#add-seat")).to_be_disabled()
    page.locator("#name-3").fill("Maximilian-Alexander")
    page.locator("#start").click()
    ready(page)
    for size in (PHONE, LAPTOP):
        page.set_viewport_size(size)
        assert layout_faults(page) == []
    assert accessible(page) == []


def test_whose_turn_it_is_and_what_happened_can_be_heard(visit: Visit) -> None:
    """One heading says whose turn it is; one polite region says what happened; every button has a name."""
    page = visit(language="de").page()
    new_table(page, "bar-bolz", "people", dice="hand")
    expect(page.get_by_role("heading", level=1)).to_have_text("Kim greift an")
    expect(page.get_by_role("status")).to_have_count(1)
    press(page, page.get_by_role("button", name="Steilpass"))
    expect(page.get_by_role("status")).to_have_text("Kim würfelt einen Steilpass. Punkte: 20. Kim greift an")
    page.keyboard.press("s")
    expect(page.get_by_role("status")).to_have_text(re.compile("Kim: 0 Tore.*20 Punkte"))
    page.keyboard.press("l")
    expect(page.get_by_role("status")).to_have_text("Kim würfelt einen Steilpass. Punkte: 20.")
    expect(page.locator("[role=img]")).to_have_count(0)


def test_a_tap_before_the_scripts_have_come_counts(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "bar-bolz", "people", dice="hand")
    before = version(page)
    held: list[Route] = []
    page.route("**/js/table.js", lambda route: held.append(route))
    page.reload(wait_until="commit")
    for _ in range(2):  # the second one out of impatience
        page.locator("#enter-2").click()
    expect(page.locator("#enter-2")).to_have_class(re.compile("is-heard"))
    assert version(page) == before
    held[0].continue_()
    moved_on(page, before)
    expect(page.locator("#score-said")).to_contain_text("10 points")


def test_a_phone_on_its_side_shows_the_whole_table(visit: Visit) -> None:
    page = visit(ON_ITS_SIDE, language="de").page()
    new_table(page, "gooaaaaal", "people", **{"name-0": "Maximilian-Alexander"})
    assert layout_faults(page) == []
    press(page, page.locator("#act"))
    ready(page)  # whatever was thrown: dice to choose from, or nothing but to throw on
    at_rest(page)
    assert layout_faults(page) == []
    page.goto("/new/dribbel-fieber?with=people")
    page.locator("#start").click()
    page.locator("#lift").click()
    expect(page.locator("#card-0, .cell.may").first).to_be_visible()
    assert layout_faults(page) == []
