"""Whole matches through the accessible tree alone: everything is found by its role and name, as a screen reader has it.

No ids, no classes, no order in the page, no pointer: what has no name here cannot be played by those who hear the page.
"""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitor
from tests.test_offers import TWO_GOALS

Visit = Callable[..., Visitor]
MOST_STEPS = 200
FACES = {"pass": "through pass"}


def says(page: Page) -> Locator:
    """The heading that says whose turn it is."""
    return page.get_by_role("heading", level=1)


def told(page: Page) -> Locator:
    """The lines of what happened."""
    return page.get_by_role("list", name="What happened").get_by_role("listitem")


def choose_game(page: Page, game: str) -> None:
    page.goto("/")
    page.get_by_role("region", name=game).get_by_role("link", name="Together at this device").click()
    expect(says(page)).to_have_text(game)
    page.get_by_role("textbox", name="Name").first.fill("Mia")
    page.get_by_role("group").filter(has_text="Rules and pace").first.get_by_text("Rules and pace").click()
    page.get_by_role("combobox", name="Who begins?").select_option("Mia")


def kick_off(page: Page) -> None:
    page.get_by_role("button", name="Kick off").click()
    page.wait_for_url(re.compile("/t/"))  # until the page is loaded, its scripts with it


def test_a_match_with_real_dice(visit: Visit) -> None:
    page = visit().page()
    choose_game(page, "Die Bar-Bolz-Bande")
    page.get_by_role("radio", name="Our own dice").check()
    kick_off(page)
    expect(says(page)).to_have_text("Mia attacks")
    faces = page.get_by_role("group", name="Tap what the die shows")
    lines = 0
    for face in TWO_GOALS:
        # The table asks for the next one once it has told what came up.
        faces.get_by_role("button", name=FACES.get(face, face), exact=True).click()
        expect(told(page)).not_to_have_count(lines)
        lines = told(page).count()
    expect(page.get_by_role("heading", name="Mia wins!")).to_be_visible()
    expect(page.get_by_role("region", name="Mia", exact=True)).to_contain_text("2 goals")
    expect(page.get_by_role("button", name="Play again")).to_be_visible()


def test_a_match_with_checked_dice(visit: Visit) -> None:
    """The heading says what is to be done; it stays so until somebody does it, since only this page plays."""
    page = visit().page()
    choose_game(page, "5050")
    for name in ("How many points bring the last round?", "From how many points may you stop?"):
        page.get_by_role("spinbutton", name=name).fill("50")
    kick_off(page)
    expect(says(page)).to_have_text("Mia throws")
    # Once dice are chosen, both say what they would do: "Stop, write 200", "Throw 4 dice".
    throw = page.get_by_role("button", name=re.compile(r"^Throw \d"))
    stop = page.get_by_role("button", name=re.compile("^Stop, write"))
    for _ in range(MOST_STEPS):
        expect(says(page)).to_have_text(re.compile(r"(throws|chooses dice|stop or throw on\?)$|^Full time$"))
        saying, lines = says(page).inner_text(), told(page).count()
        if saying == "Full time":
            break
        if saying.endswith("throws"):
            throw.click()
            expect(says(page)).not_to_have_text(saying)
            continue
        if saying.endswith("chooses dice"):  # where there is one way to choose, the dice are put aside already
            page.get_by_role("group", name="How to count them").get_by_role("button").first.click()
        expect(throw).to_be_enabled()
        if stop.is_visible():
            stop.click()
            expect(says(page)).not_to_have_text(saying)
        else:
            # Three pairs or a straight must be confirmed: the same seat may have to choose again.
            throw.click()
            expect(told(page)).not_to_have_count(lines)
            page.reload()
            expect(says(page)).to_be_visible()
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("wins!$"))).to_be_visible()
    page.get_by_role("button", name="Check the dice").click()
    checking = page.get_by_role("dialog")
    expect(checking.get_by_role("heading", name=re.compile(r"\d+ throws are right$"))).to_be_visible()
    expect(checking).to_contain_text("Dice with 6 sides")
