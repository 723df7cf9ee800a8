"""GOOAAAAAL! in the browser: whole matches by mouse, a period by keys, real dice, every kind of screen."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bolzplatz.web.language import LANGUAGES
from tests.browser.conftest import LAPTOP, PHONE, Visitor
from tests.browser.play import layout_faults, moved_on, new_table, press, verified, version
from tests.browser.test_screens import accessible

Visit = Callable[..., Visitor]
Look = Callable[[Page], None]
NEXT = "#act, #removing, #rematch, #enter-1"


def pick(page: Page, name: str, value: str) -> None:
    """Choose an answer of the form; where it lies under the button that stays in sight does not matter."""
    page.locator(f'[name="{name}"][value="{value}"]').evaluate("answer => answer.click()")


def waits(page: Page) -> str:
    """Wait until somebody at this browser is asked for something, and say for what."""
    page.wait_for_selector("[data-wire=open]")
    page.wait_for_selector(NEXT)
    asked: str = page.evaluate(
        "next => document.querySelector('.gtray.choosing') ? 'choose' : document.querySelector(next).id", NEXT
    )
    return asked


def choose(page: Page) -> None:
    """Lay everything on the line that may go there; with several neighbours by turns left and right."""
    for turn in range(12):
        open_ones = page.locator(
            '.useful[aria-pressed="false"]:is([data-face="ball"], [data-face="keeper"], [data-face="joker"])'
        )
        if not open_ones.count():
            return
        open_ones.first.click()
        chips = page.locator("[data-act=use]")
        if chips.count():
            chips.nth(turn % 2).click()
    raise AssertionError("dice cannot be laid")


def step(page: Page, look: Look = lambda _: None) -> bool:
    """Do what is asked for, as a person with a mouse would; False when the match is over."""
    asked = waits(page)
    look(page)
    if asked == "rematch":
        return False
    if asked == "removing":
        press(page, page.locator("#tray button").first)
        return True
    if asked == "choose":
        choose(page)
        look(page)
        if page.locator("#second.cheers:not([hidden])").count():
            press(page, page.locator("#second"))
            return True
    press(page, page.locator("#act"))
    return True


def play(page: Page, look: Look = lambda _: None, most: int = 500) -> None:
    for _ in range(most):
        if not step(page, look):
            return
    raise AssertionError(f"no winner after {most} steps")


def pairs_are_right(page: Page) -> None:
    """The balls that fly into the goal are as many as the rules count: no keeper is before them."""
    # Read in one go, until it fits: the computer may move at any moment. In a ring the sentence tells of the lower one
    # alone, of what flies upwards.
    page.wait_for_function(
        """() => {
            const pitch = document.querySelector("#pitch");
            if (!pitch || document.querySelector(".is-recap, .cancelled, .filled")) return true;
            const where = document.querySelector("#ring") ? ".col.up .goalline" : ".goalline";
            const seen = (line) => getComputedStyle(line).visibility === "visible";
            const flying = [...document.querySelectorAll(where)].filter(seen).length;
            const said = pitch.querySelector(":scope > p.hidden")?.textContent ?? "";
            const counts = [...said.matchAll(/goals as it stands (\\d+)/g)].map((found) => Number(found[1]));
            return flying === counts.reduce((sum, count) => sum + count, 0);
        }"""
    )


def test_five_goals_with_four_dice(visit: Visit, tmp_path: Path) -> None:
    page = visit(PHONE).page()
    new_table(page, "gooaaaaal", "people")
    looks = 0

    def look(_: Page) -> None:
        nonlocal looks
        pairs_are_right(page)
        if looks % 5 == 0:
            assert layout_faults(page) == []
        looks += 1

    play(page, look)
    assert layout_faults(page) == []
    # Read once the result is there: nothing moves any more.
    expect(page.locator("#result")).to_be_visible()
    goals = [int(text) for text in re.findall(r": (\d+) goals", page.locator("#score-said").text_content() or "")]
    assert max(goals) >= 5
    verified(page, tmp_path / "match.bolz")


def test_the_match_with_nine_dice_against_the_computer(visit: Visit, tmp_path: Path) -> None:
    page = visit(LAPTOP).page()
    new_table(page, "gooaaaaal", "computer", **{"o-edition": "nine", "o-mode": "match"})
    play(page, pairs_are_right)
    verified(page, tmp_path / "match.bolz")


def test_a_ring_of_three_at_one_device(visit: Visit, tmp_path: Path) -> None:
    page = visit(PHONE).page()
    page.goto("/new/gooaaaaal?with=people")
    page.locator("#add-seat").click()
    # A ring has four dice each, and no shoot-out of two.
    expect(page.locator("[name=o-edition]:visible, label:visible [name=o-edition]")).to_have_count(2)
    expect(page.locator("label:visible [name=o-mode]")).to_have_count(2)
    pick(page, "o-mode", "match")
    page.locator("#start").click()
    play(page, pairs_are_right)
    assert layout_faults(page) == []
    # The ring, or the race that decided a draw.
    expect(page.locator(".node:nth-child(3), .racer:nth-child(2)")).to_have_count(1)
    verified(page, tmp_path / "match.bolz")


def test_what_is_offered_fits_together(visit: Visit) -> None:
    page = visit(LAPTOP).page()
    page.goto("/new/gooaaaaal?with=people")

    def offered(editions: int, modes: int, sides: int) -> None:
        for name, count in (("o-edition", editions), ("o-mode", modes), ("sides", sides)):
            expect(page.locator(f"label:visible [name={name}]")).to_have_count(count)

    offered(4, 4, 0)
    pick(page, "o-edition", "nine")
    pick(page, "o-mode", "shoot-out")
    for _ in range(2):
        page.locator("#add-seat").click()
    # Four people: a ring at first, so nine dice and the shoot-out are gone, and no longer chosen.
    offered(2, 2, 2)
    expect(page.locator("[name=o-edition]:checked")).to_have_value(re.compile("^(junior|four)$"))
    pick(page, "sides", "teams")
    offered(4, 4, 2)
    pick(page, "o-edition", "nine")
    page.locator("#start").click()
    waits(page)
    expect(page.locator(".other")).to_have_count(4)
    for size in (PHONE, LAPTOP):
        page.set_viewport_size(size)
        assert layout_faults(page) == []


def test_a_throw_by_keys_alone(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "gooaaaaal", "people")
    laid = 0
    for turn in range(60):
        if turn >= 12 and laid:
            break
        asked = waits(page)
        before = version(page)
        if asked == "choose" and page.locator("#tray button:not(.flash)").count():
            # A supporter would be thrown again at once; any other die is lifted by its number, the next by an arrow.
            die = page.locator("#tray button:not(.flash)").first.get_attribute("data-die") or "0"
            page.keyboard.press(str(int(die) + 1))
            if page.locator("[data-act=use]").count():
                page.keyboard.press("Enter")  # the first of several uses has the focus
            expect(page.locator(f"#dice-{die}")).to_be_focused()
            laid += page.locator(f'#dice-{die}[aria-pressed="true"]').count()
            page.keyboard.press("ArrowRight")
            if page.locator("button.d.useful:focus:not(.flash, #dice-" + die + ")").count():
                page.keyboard.press("Space")
        for _tab in range(40):
            if page.evaluate("document.activeElement.id") == "act":
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        moved_on(page, before)
    assert laid > 0
    waits(page)  # what the last throw brought is told by then
    page.keyboard.press("s")
    expect(page.get_by_role("status")).to_have_text(re.compile("Kim: [0-9]+ goals"))


# --- real dice ----------------------------------------------------------------------------------------------------


def enter(page: Page, letters: str) -> None:
    """Tap what real dice show."""
    page.wait_for_selector("#enter-1")
    for letter in letters:
        page.locator(f'[data-act=face][data-face="{letter}"]').click()
    press(page, page.locator("#enter-done"))
    page.wait_for_selector('#tray:not([data-landing="yes"]), #race, #result', state="attached")


def lay(page: Page, *faces: str) -> None:
    for face in faces:
        page.locator(f'.useful[data-face="{face}"][aria-pressed="false"]').first.click()


def test_real_dice_are_laid_in_any_order(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "gooaaaaal", "people", dice="hand")
    # A mistyped die is taken back.
    page.locator('[data-act=face][data-face="W"]').click()
    page.locator("#enter-back").click()
    enter(page, "KBBW")
    waits(page)
    # The keeper first, though the rules name balls first; a tap more takes one back.
    lay(page, "keeper", "ball", "ball")
    page.locator('[data-face="ball"][aria-pressed="true"]').first.click()
    expect(page.locator("#pitch .open.filled")).to_have_count(2)
    lay(page, "ball")
    expect(page.locator("#act")).to_have_text("Throw 1 die")
    assert layout_faults(page) == []
    press(page, page.locator("#act"))
    enter(page, "W")  # nothing to decide: the throw ends by itself
    press(page, page.locator("#act"))
    enter(page, "S")
    # Robin: one keeper, then two supporters are thrown again for nothing.
    enter(page, "KSSW")
    waits(page)
    lay(page, "keeper")
    expect(page.locator("#second")).to_have_text("2 supporters again!")
    press(page, page.locator("#second"))
    enter(page, "BW")
    waits(page)
    lay(page, "ball")
    press(page, page.locator("#act"))
    enter(page, "WW")
    press(page, page.locator("#act"))
    enter(page, "WW")
    # Two balls and a keeper against a ball and a keeper: one goal for Kim, none for Robin. The count stays in sight.
    expect(page.locator("#score-said")).to_have_text("Kim: 1 goals. Robin: 0 goals.")
    expect(page.locator(".recap")).to_be_visible()
    expect(page.locator(".col.up.has-ball")).to_have_count(2)
    expect(page.locator(".col.up.has-ball.has-keeper")).to_have_count(1)
    expect(page.locator("#turn")).to_contain_text("Robin")


def test_the_nine_real_dice_with_cards_joker_and_free_kick(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "gooaaaaal", "people", dice="hand", **{"o-edition": "nine", "o-mode": "match"})
    # Nine dice are entered together, though the table asks for them in two parts. Nothing to decide: Robin follows.
    enter(page, "WWWWWWWWW")
    expect(page.locator("#turn")).to_have_text("Robin throws")
    enter(page, "BWWWWWWWW")
    waits(page)
    lay(page, "ball")
    press(page, page.locator("#act"))
    enter(page, "BKJRFWWQO")
    assert waits(page) == "choose"
    assert layout_faults(page) == []
    page.locator('[data-face="joker"]').click()
    page.locator("[data-act=use]", has_text="keeper").click()
    lay(page, "ball", "keeper", "quarter", "offside")
    page.locator("[data-act=use]", has_text="keep for later").click()
    assert layout_faults(page) == []
    expect(page.locator("#act")).to_have_text("Red card: penalty")
    expect(page.locator("#second")).to_have_text("Red card: one die off")
    press(page, page.locator("#second"))
    # The other one gives up a die of the own nine.
    assert waits(page) == "removing"
    expect(page.locator("#turn")).to_have_text("Red card for Robin")
    press(page, page.locator("#tray button").first)
    assert waits(page) == "choose"
    page.locator('[data-face="kick"]').click()
    expect(page.locator("#act")).to_have_text(re.compile(r"Free kick: \d dice"))
    page.locator('[data-face="wide"]').first.click()
    expect(page.locator("#act")).to_have_text("Free kick: 3 dice")
    assert layout_faults(page) == []
    press(page, page.locator("#act"))
    enter(page, "BBW")
    waits(page)
    lay(page, "ball", "ball")
    press(page, page.locator("#act"))
    # Robin has eight dice left, one of them on the line; an off-side takes one of the three balls away.
    expect(page.locator("#turn")).to_have_text("Robin throws")
    enter(page, "OWWWWWW")
    waits(page)
    page.locator('[data-face="offside"]').click()
    page.locator("[data-act=use]", has_text="take a ball away").click()
    press(page, page.locator("#act"))
    expect(page.locator("#log")).to_contain_text("Off-side! Robin takes a ball of Kim")
    waits(page)
    expect(page.locator("#pitch > p.hidden")).to_contain_text("balls 2")


def test_a_dead_heat_shows_the_photo_of_the_finish(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "gooaaaaal", "people", dice="hand", **{"o-mode": "sudden-death"})
    enter(page, "QQQW")
    expect(page.locator(".racer").first.locator(".wedge.in")).to_have_count(3)
    enter(page, "QQQQ")
    expect(page.locator("#result")).to_have_count(1)
    page.goto("/")
    new_table(page, "gooaaaaal", "people", dice="hand", **{"o-mode": "sudden-death"})
    enter(page, "QQQQ")
    enter(page, "QQQQ")
    expect(page.locator("#photo")).to_be_visible()
    assert layout_faults(page) == []
    assert accessible(page) == []


# --- every kind of screen -----------------------------------------------------------------------------------------


def screens(page: Page) -> Iterator[str]:
    """Go through the kinds of screens, with real dice so that each one comes up."""
    names = {"name-0": "Maximilian-Alexander"}
    new_table(page, "gooaaaaal", "people", dice="hand", **names)
    yield "entering"
    enter(page, "BKSS")
    waits(page)
    yield "supporters"
    lay(page, "ball", "keeper")
    yield "laid"
    press(page, page.locator("#act"))
    yield "entering again"
    new_table(page, "gooaaaaal", "people", dice="hand", **names, **{"o-edition": "nine", "o-mode": "match"})
    yield "entering nine"
    enter(page, "BWWWWWWWW")
    waits(page)
    lay(page, "ball")
    press(page, page.locator("#act"))
    enter(page, "JRFWWQOYB")
    waits(page)
    yield "nine dice"
    page.locator('[data-face="joker"]').click()
    yield "the faces of a joker"
    press(page, page.locator("#second"))
    waits(page)
    yield "a die to be given up"
    new_table(page, "gooaaaaal", "people", **names, **{"o-mode": "shoot-out"})
    press(page, page.locator("#act"))
    waits(page)
    yield "race"
    page.goto("/new/gooaaaaal?with=people")
    page.locator("#name-0").fill("Maximilian-Alexander")
    for _ in range(7):
        page.locator("#add-seat").click()
    pick(page, "dice", "hand")
    page.locator("#start").click()
    waits(page)
    yield "a ring of nine, entering"
    enter(page, "BKWQ")
    waits(page)
    page.locator('[data-face="ball"]').click()
    yield "a ring of nine, left or right"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_in_three_languages(visit: Visit, language: str) -> None:
    page = visit(PHONE, language=language).page()
    for screen in screens(page):
        for width, height in ((360, 640), (1280, 800)):
            page.set_viewport_size({"width": width, "height": height})
            assert layout_faults(page) == [], f"{screen} at {width}×{height}"
        page.set_viewport_size(PHONE)
        assert accessible(page) == [], screen
