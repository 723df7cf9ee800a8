"""A race in which each tap throws, in the browser: two devices, one keyboard for two, against the computer."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from bolzplatz.core.record import read_record, verify_record
from bolzplatz.games import load_game
from tests.browser.conftest import PHONE, Visitor
from tests.browser.play import expect_heard, layout_faults, listen, verified
from tests.browser.test_gooaaaaal import pick
from tests.browser.test_screens import accessible
from tests.browser.together import come, kick_off, sit, there

Visit = Callable[..., Visitor]
RACE_MS = 60_000
TAPS = """(ms) => {
  const finger = { bubbles: true, cancelable: true, pointerId: 7, pointerType: "touch", button: 0 };
  setInterval(() => {
    const pad = document.querySelector("[data-tap]:not([aria-disabled='true'], .is-held)");
    pad?.dispatchEvent(new PointerEvent("pointerdown", finger));
  }, ms);
}"""
"""A hand that taps as soon as its dice lie there, at most every so many ms."""


def new_race(page: Page, how: str) -> str:
    """Set up a sudden death as a race of taps; return its address."""
    page.goto(f"/new/gooaaaaal?with={how}")
    pick(page, "o-mode", "sudden-death")
    expect(page.locator("#handicap-0")).to_be_hidden()
    pick(page, "o-penalty_model", "tap-race")
    expect(page.locator("#handicap-0")).to_be_visible()
    expect(page.locator("label:visible [name=strict]")).to_have_count(2 if how == "people" else 0)
    page.locator("#handicap-0").select_option("250")
    page.locator("#start").click()
    there(page)
    return page.url


def get_ready(page: Page, hands: int = 1) -> None:
    """Let all hands at a page be ready, once it asks."""
    expect(page.locator("[data-ready]")).to_have_count(hands)
    assert layout_faults(page) == []
    for hand in page.locator("[data-ready]").all():
        hand.click()


def test_two_devices_race_tap_by_tap(visit: Visit, tmp_path: Path) -> None:
    mia, ben = visit(PHONE).page(), visit().page()
    address = new_race(mia, "friends")
    come(ben, address)
    sit(ben, "Ben")
    kick_off(mia, ben)
    assert accessible(mia) == []
    listen(mia, "#count")
    for page, ms in ((mia, 330), (ben, 370)):
        page.evaluate(TAPS, ms)
        get_ready(page)
    expect_heard(mia, "#count", "^three$")
    mia.wait_for_selector("[data-tap]:not([aria-disabled='true'])")
    assert layout_faults(mia) == []
    for page in (mia, ben):
        page.wait_for_selector("#rematch", timeout=RACE_MS)
    verified(mia, tmp_path / "race.bolz")
    record = read_record((tmp_path / "race.bolz").read_bytes())
    taps = [move for move in record.moves if move.startswith("tap")]
    assert taps
    assert record.moves[::2] == tuple(taps), "each tap has its throw"
    assert verify_record(record, load_game).ok


def test_two_people_at_one_keyboard(visit: Visit) -> None:
    page = visit().page()
    new_race(page, "device")
    get_ready(page, 2)
    page.wait_for_selector("[data-tap]:not([aria-disabled='true'])")
    keys = [pad.get_attribute("data-key") or "" for pad in page.locator("[data-tap]").all()]
    assert len(set(keys)) == 2
    for _ in range(2000):
        if page.locator("#rematch").count():
            break
        for key in keys:
            page.keyboard.press(key)
    expect(page.locator("#result-title")).to_be_visible()
