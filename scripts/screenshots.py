"""`make docs`: play a little at a real server and keep pictures of it under docs/screenshots.

usage: python scripts/screenshots.py
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import ARGUMENTS, CHROMIUM, LAPTOP, PHONE, Server  # noqa: E402
from tests.browser.play import new_table, play_on, play_to_the_end  # noqa: E402
from tests.browser.test_dribbel_fieber import asked, begin, plan, take_turn  # noqa: E402
from tests.browser.test_kerle import next_cards  # noqa: E402

PICTURES = ROOT / "docs" / "screenshots"
SIZES = {"laptop": LAPTOP, "phone": PHONE}
GAMES = {"bar-bolz": 9, "5050": 8}
"""Moves after which the picture is taken."""


def visit(browser: Browser, url: str, size: str) -> Page:
    """Return a page of a new visitor, English, without motion, so that pictures are of rest."""
    context = browser.new_context(base_url=url, viewport=SIZES[size], reduced_motion="reduce", locale="en")
    page = context.new_page()
    page.goto("/")
    page.evaluate("localStorage.setItem('bolzplatz.settings', JSON.stringify({speed: 'instant'}))")
    return page


def keep(page: Page, name: str) -> None:
    """Take one picture of what is on the screen."""
    page.wait_for_timeout(300)
    page.screenshot(path=str(PICTURES / f"{name}.png"))
    print(f"docs/screenshots/{name}.png")


def dribbel(page: Page, size: str) -> None:
    """Take pictures of Dribbel-Fieber: a card that was tapped in the third turn, and the editor of editions."""
    begin(page, "computer")
    while asked(page) != "cards" or page.locator(".turn--done").count() < 2 or not plan(page)["choices"]:
        take_turn(page)
    page.locator(f'[data-act=card][data-card="{plan(page)["choices"][0]["card"]}"]').first.click()
    keep(page, f"dribbel-fieber-{size}")
    page.goto("/edition")
    page.locator("#arrows-pressing-picture svg").wait_for()
    keep(page, f"edition-{size}")


def kerle(page: Page, size: str) -> None:
    """Take pictures of Die wilden Fußballkerle: cards that lie open, a race after its end, the training corner."""
    new_table(page, "wilde-kerle", "computer")
    next_cards(page)
    keep(page, f"wilde-kerle-{size}")
    new_table(page, "wilde-kerle", "computer", pace="grab")
    page.locator(".kready").click()
    page.locator("#arc [data-card]").first.wait_for()
    page.wait_for_timeout(700)
    page.locator("#fig-red").click()
    page.locator("#review .handbar").first.wait_for()
    # A machine that is busy taking pictures has an uneven line; that is no picture of the game.
    page.locator(".kweak").evaluate_all("notes => notes.forEach((note) => note.remove())")
    keep(page, f"wilde-kerle-race-{size}")
    page.goto("/training/wilde-kerle")
    keep(page, f"training-{size}")


def main() -> None:
    """Take all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "tables.sqlite3")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for size in SIZES:
            page = visit(browser, server.url, size)
            page.goto("/")
            keep(page, f"home-{size}")
            page.goto("/new/5050?with=computer")
            keep(page, f"new-{size}")
            for game, moves in GAMES.items():
                page = visit(browser, server.url, size)
                new_table(page, game, "computer")
                for _ in range(moves):
                    play_on(page)
                keep(page, f"{game}-{size}")
            dribbel(visit(browser, server.url, size), size)
            kerle(visit(browser, server.url, size), size)
            page = visit(browser, server.url, size)
            new_table(page, "bar-bolz", "computer")
            play_to_the_end(page)
            keep(page, f"end-{size}")
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
