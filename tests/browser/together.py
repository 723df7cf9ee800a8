"""How several people on several devices play: a room, a link, a code, and whose turn it is."""

from collections.abc import Callable, Sequence

from playwright.sync_api import Page

from tests.browser.play import READY, fill_form, moved_on, play_on, version

SETTLED = ", ".join(f"#strip[data-waits={waits}]" for waits in ("throw", "decide", "over"))


def open_room(page: Page, game: str, name: str, **answers: str) -> str:
    """Open a room with one free seat through the form, and return its address. The first seat begins."""
    page.goto(f"/new/{game}?with=friends")
    page.locator("#name-0").fill(name)
    fill_form(page, answers)
    page.locator("#start").click()
    there(page)
    return page.url


def there(page: Page) -> None:
    """Wait until the page listens to its table."""
    page.wait_for_selector("[data-wire=open]")


def come(page: Page, address: str) -> None:
    """Come to a table by its link."""
    page.goto(address)
    there(page)


def come_by_code(page: Page, code: str) -> None:
    """Come to a table by the code that somebody said."""
    page.goto("/")
    page.locator("#code").fill(code)
    page.locator("#bycode button").click()
    there(page)


def sit(page: Page, name: str) -> None:
    """Sit down at the first free seat."""
    page.locator("#nickname").fill(name)
    page.locator("[data-with=nickname]").first.click()
    page.wait_for_selector(".chair.is-mine")


def kick_off(host: Page, *others: Page) -> None:
    """Begin, and wait until everybody sees the table."""
    host.wait_for_selector("#act:not([aria-disabled])")
    host.locator("#act").click()
    for page in (host, *others):
        page.wait_for_selector("#table:not(.table--lobby)")


def turn_of(seats: Sequence[Page]) -> Page | None:
    """Wait until a person is to act and all pages show it; return that person's page, None when the match is over."""
    while True:
        shown = [settled(page) for page in seats]
        newest = max(shown, key=int)
        if set(shown) == {newest}:
            break
        for page, old in zip(seats, shown, strict=True):
            if old != newest:
                moved_on(page, old)
    strip = seats[0].locator("#strip")
    if strip.get_attribute("data-waits") == "over":
        return None
    return seats[int(strip.get_attribute("data-seat") or 0)]


def settled(page: Page) -> str:
    """Wait until a page shows that somebody is to act, or that it is over; return the version that it shows."""
    page.wait_for_selector(SETTLED, state="attached")
    return version(page)


def play_together(seats: Sequence[Page], steps: int = 600, look: Callable[[Page], None] = lambda _: None) -> bool:
    """Let everybody play in turn, each on the own device; False when the match is over."""
    for _ in range(steps):
        page = turn_of(seats)
        if page is None:
            return False
        play_on(page, look)
    return True


def act_of(page: Page) -> str | None:
    """Return what this browser may press first now, without waiting."""
    found = page.locator(READY)
    return found.first.get_attribute("id") if found.count() else None
