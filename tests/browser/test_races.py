"""Whoever's hand is first: two browsers race, one of them behind a line of 120 ms each way; one device for three."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bolzplatz.core import grab
from bolzplatz.core.grab import MS, TIE_ONE_DEVICE
from tests.browser.conftest import Server, Visitor
from tests.browser.slow_line import SlowLine
from tests.browser.together import come, kick_off, sit, there

DELAY = 0.12
QUICK_MS, SLOW_MS = 600, 675
MOST_ROUNDS = 15

GRABS_AFTER = """([piece, ms]) => new Promise((done) => {
  const cards = () => document.querySelectorAll("[data-card-of][data-card]").length;
  const press = () => setTimeout(() => {
    const target = document.querySelector(`[data-grab="${piece}"]`);
    const finger = { bubbles: true, pointerId: 7, pointerType: "touch", button: 0 };
    target?.dispatchEvent(new PointerEvent("pointerdown", finger));
    dispatchEvent(new PointerEvent("pointerup", finger));
    done(Boolean(target));
  }, ms);
  const seen = new MutationObserver(() => {
    if (!document.querySelector("#table[data-waiting=grab]") || !cards()) return;
    seen.disconnect();
    press();
  });
  seen.observe(document.getElementById("table"), { subtree: true, attributes: true, childList: true });
})"""
"""Grab a piece so many ms after the cards were laid on the table, as a hand would; measured by the page itself."""


@pytest.fixture
def slow(server: Server) -> Iterator[SlowLine]:
    line = SlowLine(server.url, DELAY)
    yield line
    line.close()


def races(store: Path) -> list[dict[str, Any]]:
    """Return the records of all races that the store has."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        rows = connection.execute("SELECT body FROM entries WHERE kind = 'race' ORDER BY seq").fetchall()
    return [race for (body,) in rows if (race := json.loads(body)["race"]) is not None]


def new_race(page: Page) -> str:
    """Set a race up for two people on two devices and a child of a computer; return its address."""
    page.goto("/new/wilde-kerle?with=friends")
    page.locator("#name-0").fill("Mia")
    page.locator('[name="kind-2"][value="bot-child"]').check(force=True)
    page.locator("#name-2").fill("Robo")
    page.locator('[name="pace"][value="grab"]').check(force=True)
    page.locator("#start").click()
    there(page)
    return page.url


def get_ready(*pages: Page) -> str:
    """Let everybody say that they are ready, once the page shows that it is time; return the round's number."""
    for page in pages:
        page.wait_for_selector("#table[data-waiting=ready] [data-ready]")
    number = pages[0].locator("#table").get_attribute("data-round") or ""
    for page in pages:
        page.locator("[data-ready]").click()
    return number


def test_the_slow_lines_quicker_hand_wins(server: Server, slow: SlowLine, visit: Callable[..., Visitor]) -> None:
    mia, ben = visit().page(), visit(url=slow.url).page()
    address = new_race(mia)
    come(ben, address.replace(server.url, slow.url))
    sit(ben, "Ben")
    kick_off(mia, ben)
    for _ in range(MOST_ROUNDS):
        before, played = len(races(server.store)), get_ready(mia, ben)
        for page, ms in ((mia, SLOW_MS), (ben, QUICK_MS)):
            page.evaluate(f"() => {{ window.grabbed = ({GRABS_AFTER})(['red', {ms}]); }}")
        for page in (mia, ben):
            page.wait_for_selector(f"#table[data-waiting=ready]:not([data-round='{played}'])")
        record = races(server.store)[before]
        race = grab.replay(record)
        found = {made.seat: made for made in race.grabs if made.piece == "red" and made.status == grab.COUNTED}
        others = [made.time for seat, made in found.items() if seat != 1]
        if set(found) >= {0, 1} and found[1].time + race.rules.tie < min(others):
            assert race.settled["red"].holder == 1, "the quicker hand did not win"
            if found[0].arrived < found[1].arrived:
                break
    else:
        pytest.fail("this machine could not be quick enough to tell the hands apart")
    # The packet of the quicker hand came later, and what the line took was allowed for.
    assert found[1].elapsed is not None
    assert found[1].elapsed - found[1].accepted >= 2 * DELAY * 1000 * MS - 15 * MS
    for page in (mia, ben):
        expect(page.locator("#review .handbar.took[data-hand-of='1']")).to_be_visible()


def test_three_people_around_one_device(server: Server, visit: Callable[..., Visitor]) -> None:
    """Fingers of three people land on one page; who was first is known to the millisecond."""
    page = visit({"width": 1024, "height": 768}).page()
    page.goto("/new/wilde-kerle?with=device")
    page.locator('[name="pace"][value="grab"]').check(force=True)
    page.locator("#start").click()
    there(page)
    page.wait_for_selector("#table[data-waiting=ready] [data-ready='2']")
    # The hands of the page itself: the round does not wait for a test.
    page.evaluate("""() => {
      const finger = (seat) => ({ bubbles: true, pointerId: 10 + seat, pointerType: "touch", button: 0 });
      const disc = (seat, piece) => document.querySelector(`[data-grab="${piece}"][data-seat="${seat}"]`);
      const reach = (seat, piece) => disc(seat, piece).dispatchEvent(new PointerEvent("pointerdown", finger(seat)));
      const wait = (ms) => new Promise((done) => setTimeout(done, ms));
      const seen = new MutationObserver(async () => {
        if (!document.querySelector("#table[data-waiting=grab] [data-card-of='2'][data-card]")) return;
        seen.disconnect();
        await wait(400);
        reach(2, "black");
        await wait(40);
        reach(0, "black");
        reach(1, "red");
      });
      seen.observe(document.getElementById("table"), { subtree: true, attributes: true, childList: true });
    }""")
    for seat in range(3):
        page.locator(f"[data-ready='{seat}']").click()
    expect(page.locator("#review .handbar.took")).to_have_count(2)
    (race,) = races(server.store)
    assert race["rules"]["tie"] == TIE_ONE_DEVICE
    holders = {each["piece"]: each["holder"] for each in race["settled"]}
    assert holders == {"black": 2, "red": 1}
