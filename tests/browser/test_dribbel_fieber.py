"""Dribbel-Fieber in the browser: turns by mouse and by keys, two devices and their secrets, real cards, editions."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bolzplatz.games.dribbel_fieber.edition import read_edition
from bolzplatz.web.language import LANGUAGES
from tests.browser.conftest import LAPTOP, PHONE, Visitor
from tests.browser.play import at_rest, layout_faults, moved_on, press, verified, version
from tests.browser.test_screens import accessible
from tests.browser.together import come, kick_off, sit, there, turn_of

Visit = Callable[..., Visitor]
CARDS = ("running", "dribbling", "short-pass", "cross", "pressing")


def begin(page: Page, against: str, **answers: str) -> None:
    """Set a table up through the form; the first seat is red."""
    page.goto(f"/new/dribbel-fieber?with={against}")
    for name, value in answers.items():
        field = page.locator(f'[name="{name}"]').first
        if field.get_attribute("type") == "radio":
            page.locator(f'[name="{name}"][value="{value}"]').evaluate("answer => answer.click()")
        else:
            field.evaluate("(field, value) => { field.value = value; }", value)  # it may be folded away
    page.locator("#start").click()


def plan(page: Page) -> dict[str, Any]:
    """Return what the page was told about the moves of whoever decides at it."""
    found: dict[str, Any] = json.loads(page.locator("#table").get_attribute("data-plan") or "{}")
    return found


def asked(page: Page) -> str:
    """Wait until somebody at this browser is asked for something, and return the phase; `over` at the end."""
    page.wait_for_selector("[data-wire=open]")
    # The computer player may have to get ready first.
    page.wait_for_selector("#table[data-mine=yes], #result", timeout=120_000)
    if page.locator("#result").count():
        return "over"
    if page.locator("#table.curtained").count():
        page.locator("#lift").click()
    found = re.search(r"phase-(\w+)", page.locator("#table").get_attribute("class") or "")
    assert found is not None
    return found[1]


def tap_way(page: Page, choice: dict[str, Any]) -> None:
    """Tap a figure (or the ball) where it is, and where it shall go."""
    before, piece, told = version(page), choice["piece"], plan(page)
    ways = [each for each in told["choices"] if each["piece"] == piece]
    lit = page.locator(f'.cell.lit[data-space="{choice["to"]}"]')
    if not (lit.count() and page.locator(f".fig.chosen#{piece}, #matchball.can").count()):
        page.locator(f"#cell-{choice['from']}").click()
        if page.locator(f"#pick-{piece}").count():
            page.locator(f"#pick-{piece}").click()
    # Who chases the ball and has one way only has gone it by now.
    if told["phase"] != "chase" or len(ways) > 1:
        page.locator(f"#cell-{choice['to']}").click()
    moved_on(page, before)


def take_turn(page: Page, look: Callable[[Page, str], None] = lambda _page, _phase: None) -> str:
    """Do what is asked for, as a person who plays forward would; return the phase."""
    phase = asked(page)
    look(page, phase)
    if phase == "over":
        return phase
    if phase == "cards" and page.locator("#act").count() == 0:
        moves = plan(page)["choices"]
        if moves:
            forward = 1 if plan(page)["seat"] == 0 else -1
            best = max(moves, key=lambda each: (each["card"] != "pressing", forward * int(each["to"][1])))
            page.locator(f'[data-act=card][data-card="{best["card"]}"]').first.click()
            look(page, "card chosen")
            tap_way(page, best)
        else:
            press(page, page.locator("[id^=discard]").first)
    elif phase in ("chase", "free"):
        tap_way(page, plan(page)["choices"][0])
    elif phase == "kick":
        press(page, page.locator(".cell.lit").first)
    elif phase == "buy" and page.locator(".buyable").count():
        page.locator(".buyable").first.click()
        look(page, "buying")
        press(page, page.locator("#buy"))
    else:
        press(page, page.locator("#act"))
    return phase


def hurry(page: Page) -> None:
    """Do as little as the rules allow, to come to the end soon."""
    phase = asked(page)
    if phase == "cards" and page.locator("#act").count() == 0:
        press(page, page.locator("[id^=discard]").first)
    elif phase == "chase":
        tap_way(page, plan(page)["choices"][0])
    elif phase == "kick":
        press(page, page.locator(".cell.lit").first)
    else:
        press(page, page.locator("#act"))


RAIL = """rail => {
  const parts = [...rail.querySelectorAll('.dname, .dcounts li, .poldicard, .turns')];
  const boxes = parts.map((e) => e.getBoundingClientRect());
  return boxes.slice(1).filter((box, i) => box.top < boxes[i].bottom - 1).length;
}"""
"""How many parts of the rail lie over the one above them."""


def test_turns_against_the_computer_by_mouse(visit: Visit) -> None:
    page = visit(PHONE).page()
    begin(page, "computer")
    asked(page)
    for width, height in ((320, 568), (320, 640), (360, 560), (360, 640)):
        page.set_viewport_size({"width": width, "height": height})
        at_rest(page)
        assert page.locator(".drail").evaluate(RAIL) == 0, f"at {width}×{height}"
    looked: set[str] = set()

    def look(page: Page, phase: str) -> None:
        if phase not in looked:
            looked.add(phase)
            assert layout_faults(page) == [], phase
            at_rest(page)
            box = page.locator("#cell-a1").bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 60

    for _ in range(60):
        if take_turn(page, look) == "over" or page.locator("#turns .turn--done").count() >= 7:
            break
    assert {"cards", "card chosen"} <= looked
    expect(page.locator("#turns .turn--done:nth-child(7), #result")).not_to_have_count(0)
    expect(page.locator("#other-hand")).to_have_count(0)


def test_a_decision_is_taken_back_until_something_is_drawn(visit: Visit) -> None:
    page = visit().page()
    begin(page, "computer")
    while asked(page) != "cards":
        take_turn(page)
    hand = hand_of(page)
    assert len(hand) == 3
    press(page, page.locator("[id^=discard]").first)
    expect(page.locator(".hface")).to_have_count(2)
    press(page, page.locator("#undo"))
    expect(page.locator(".hface")).to_have_count(3)
    assert hand_of(page) == hand
    press(page, page.locator("[id^=discard]").first)
    press(page, page.locator("#act"))  # done
    if asked(page) == "buy":
        press(page, page.locator("#act"))
    asked(page)
    # A card was drawn: what is known stays known.
    expect(page.locator("#undo")).to_have_count(0)


def test_a_turn_by_keys_and_what_can_be_heard(visit: Visit) -> None:
    page = visit(LAPTOP).page()
    begin(page, "computer")
    while asked(page) != "cards":
        take_turn(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Kim plays cards")
    page.keyboard.press("1")
    expect(page.locator("#card-0")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#card-0")).to_have_attribute("aria-pressed", "false")
    # On a wide screen the pitch lies: forward is to the right.
    page.locator("#cell-c1").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#cell-c2:focus, #cell-c7:focus")).to_have_count(1)
    page.set_viewport_size(PHONE)
    at_rest(page)
    page.keyboard.press("ArrowUp")
    expect(page.locator("#cell-c3:focus, #cell-c6:focus")).to_have_count(1)
    # All moves stand in a list of buttons with words.
    page.locator("#moves summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#moves[open]")).to_have_count(1)
    texts = page.locator("#moves button").all_inner_texts()
    assert len(texts) == len(set(texts)) >= 3
    assert any(text.startswith("Discard") for text in texts)
    before = version(page)
    page.locator("#moves button", has_text="Discard").first.focus()
    page.keyboard.press("Enter")
    moved_on(page, before)
    expect(page.get_by_role("status")).to_have_text(re.compile("discards"))
    page.keyboard.press("s")
    expect(page.get_by_role("status")).to_have_text(re.compile("Kim: 0 goals, 4 coins, 2 cards in the hand"))


# --- secrets ------------------------------------------------------------------------------------------------------


def hand_of(page: Page) -> list[str]:
    found: list[str] = page.locator(".hface").evaluate_all("all => all.map((each) => each.dataset.card)")
    return found


def listen(page: Page, heard: list[str]) -> None:
    """Keep all that the table sends to a page."""
    page.on("websocket", lambda wire: wire.on("framereceived", lambda text: heard.append(str(text))))


def test_two_devices_and_a_big_pitch_keep_the_hands_apart_to_the_end(visit: Visit, tmp_path: Path) -> None:
    """What the other one holds is in no byte that a device was sent; the pitch on the laptop shows neither hand.

    So it is up to the result of the match, whose record is right.
    """
    ann, ben, wall = visit(PHONE).page(), visit(PHONE).page(), visit(LAPTOP).page()
    heard: dict[str, list[str]] = {"ann": [], "ben": [], "wall": []}
    for name, page in (("ann", ann), ("ben", ben), ("wall", wall)):
        listen(page, heard[name])
    begin(ann, "friends", **{"name-0": "Ann", "o-start_coins": "7"})
    there(ann)
    address = ann.url
    come(ben, address)
    sit(ben, "Ben")
    wall.goto(f"{address}?show=pitch")
    kick_off(ann, ben)
    for _ in range(40):
        acting = turn_of((ann, ben))
        assert acting is not None
        if acting.locator(".turn--done").count() >= 2:
            break
        take_turn(acting)
    wall.wait_for_selector(f"#table[data-version='{version(ann)}']")
    expect(wall.locator("#pitch")).to_be_visible()
    expect(wall.locator(".hface")).to_have_count(0)
    assert len(hand_of(ann)) + len(hand_of(ben)) >= 3
    for _ in range(300):
        acting = turn_of((ann, ben))
        if acting is None:
            break
        hurry(acting)
    for page in (ann, ben, wall):
        expect(page.locator("#result")).to_be_visible()
    expect(ann.locator(".turn--done")).to_have_count(12)
    # When all is over the hands are opened; nobody may know them before.
    assert any("result-title" in message and "data-card" in message for message in heard["wall"])
    heard = {name: list(takewhile(lambda text: "result-title" not in text, texts)) for name, texts in heard.items()}
    # A card in a hand has its picture in the DOM of its owner alone: `data-card` is written for hands only.
    seen = {name: sum("data-card" in str(message) for message in messages) for name, messages in heard.items()}
    assert seen["wall"] == 0
    assert min(seen["ann"], seen["ben"]) > 0
    for name, other in (("ann", "Ben"), ("ben", "Ann")):
        drawn = [text for message in heard[name] for text in re.findall(r"You draw [^.]*", str(message))]
        assert drawn, name
        assert not any(f"{other} draws {card}" in str(message) for message in heard[name] for card in CARDS)
    assert not any("You draw" in str(message) for message in heard["wall"])
    assert layout_faults(wall, table=False) == []
    verified(ann, tmp_path / "match.bolz")


def test_one_device_has_a_curtain_between_the_hands(visit: Visit) -> None:
    page = visit(PHONE).page()
    begin(page, "people")
    page.wait_for_selector("#lift")
    first = page.locator("#curtain-name").inner_text()
    expect(page.locator("#card-0")).to_be_hidden()
    assert accessible(page) == []
    page.locator("#lift").click()
    expect(page.locator("#card-0")).to_be_visible()
    for _ in range(12):
        if page.locator("#table.curtained").count():
            break
        take_turn(page)
        page.wait_for_selector("#table[data-mine=yes]")
    expect(page.locator("#curtain-name")).to_be_visible()
    expect(page.locator("#curtain-name")).not_to_have_text(first)
    # Nobody reads in the log what the other one drew.
    assert "You draw" not in (page.locator("#log").text_content() or "")


# --- real cards and dice ------------------------------------------------------------------------------------------


def enter(page: Page, *texts: str) -> None:
    """Tap what real cards and dice showed."""
    for text in texts:
        asked(page)
        press(page, page.locator(f'[data-act=hand][data-text="{text}"]'))


def screens(page: Page) -> Iterator[str]:
    """Go through the kinds of screens with a real box, so that each one comes up."""
    names = {"name-0": "Maximilian-Alexander", "name-1": "Robin"}
    begin(page, "people", dice="hand", **names)
    asked(page)
    yield "the coin"
    enter(page, "coin red")
    asked(page)
    yield "drawing"
    # Nobody has counted real cards: three crosses in a hand are no fault.
    enter(page, "draw cross", "draw cross", "draw dribbling", "draw running", "draw running", "draw pressing")
    enter(page, "offer 150", "offer 140", "offer 333")
    asked(page)
    yield "free action"
    page.locator("#cell-c4").click()
    yield "which of two figures"
    # The table says why something cannot be, and names the paragraph.
    page.locator("#pick-f-0-3").click()
    page.locator("#cell-c6").click()
    expect(page.locator("#notice")).to_contain_text("(dribbel-fieber §3)")
    page.keyboard.press("Escape")
    press(page, page.locator("#act"))
    asked(page)
    yield "cards"
    page.locator("[data-card=cross]").first.click()
    yield "where to"
    press(page, page.locator("#cell-c6"))
    # The ball is lost, but Maximilian may go on playing: a figure without the ball cannot dribble.
    press(page, page.locator("#discard-1"))
    press(page, page.locator("#act"))
    asked(page)
    yield "buying"
    page.locator("#offer-150").click()
    yield "bought"
    press(page, page.locator("#buy"))
    enter(page, "draw running", "draw running", "offer 120")
    asked(page)
    yield "the ball is chased"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_with_a_real_box_in_three_languages(visit: Visit, language: str) -> None:
    page = visit(PHONE, language=language).page()
    for screen in screens(page):
        for size in (PHONE, {"width": 390, "height": 844}, LAPTOP):
            page.set_viewport_size(size)
            assert layout_faults(page) == [], f"{screen} at {size['width']}×{size['height']}"
        page.set_viewport_size(PHONE)
        if screen in ("the coin", "which of two figures", "where to", "bought"):
            assert accessible(page) == [], screen


# --- editions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_editor_in_three_languages(visit: Visit, language: str) -> None:
    page = visit(PHONE, language=language).page()
    page.goto("/edition")
    expect(page.locator("#arrows-cross-picture svg")).to_be_visible()
    assert accessible(page) == []
    for size in (PHONE, LAPTOP):
        page.set_viewport_size(size)
        assert layout_faults(page, table=False) == []


def test_the_editor_from_the_first_field_to_the_table(visit: Visit, tmp_path: Path) -> None:
    page = visit(PHONE, language="de").page()
    page.goto("/edition")
    expect(page.locator("#arrows-cross-picture svg")).to_be_visible()
    # What is wrong is said beside the field.
    page.locator("#price-1").fill("-2")
    page.locator("#check").click()
    expect(page.locator('[data-field="poldi[1]"] .field-fault')).to_have_text(
        "poldi[1].price: -2 ist negativ (dribbel-fieber §11)"
    )
    page.locator("#price-1").fill("")
    page.locator("#check").click()
    expect(page.locator('[data-field="poldi[1]"] .field-fault')).to_contain_text("eine ganze Zahl")
    page.locator("#price-1").fill("3")
    page.locator("input[value=colour-0]").evaluate("tool => tool.click()")
    page.locator("#space-c4").click()
    page.locator("#check").click()
    expect(page.locator('[data-field="pitch.rows"] .field-fault')).to_contain_text("19 farbige Felder")
    page.locator("input[value=colour--1]").evaluate("tool => tool.click()")
    page.locator("#space-c4").click()
    # A picture of each symbol while it is typed.
    page.locator("#arrows-cross").fill("F F F, B")
    expect(page.locator("#arrows-cross-picture .ar-head")).to_have_count(2)
    page.locator("#arrows-cross").fill("F F, sideways")
    expect(page.locator("#arrows-cross-picture.wrong")).to_be_visible()
    page.locator("#arrows-cross").fill("F F, B B, FL FL")
    page.locator("#e-title").fill("Grandma’s <box>")
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(tmp_path / "edition.toml")
    edition = read_edition((tmp_path / "edition.toml").read_text(encoding="utf-8"))
    assert (edition.title, edition.poldi[1].price) == ("Grandma’s <box>", 3)
    # The file comes back in, and a table is played with it.
    page.goto("/edition?from=diagonals")
    page.locator("#edition-file").set_input_files(tmp_path / "edition.toml")
    expect(page.locator("#e-title")).to_have_value("Grandma’s <box>")
    expect(page.locator("#arrows-cross")).to_have_value("F F, B B, FL FL")
    page.locator("#play").click()
    page.wait_for_selector("#ownbox:not([hidden])")
    page.locator("#start").click()
    page.wait_for_selector("[data-wire=open]")
    expect(page.locator("#score-said")).to_contain_text(f"Grandma’s <box> ({edition.digest()})")


def test_who_comes_back_to_the_editor_goes_on_with_what_was_typed(visit: Visit) -> None:
    """Right or wrong, checked or not: twelve cards are not typed twice."""
    page = visit(PHONE).page()
    page.goto("/edition")
    expect(page.locator("#arrows-cross-picture svg")).to_be_visible()
    page.locator("#price-3").fill("-7")
    page.locator("#e-title").fill("Attic box")
    page.locator("#arrows-cross").fill("F F, FL")
    page.locator("input[value=colour--1]").evaluate("tool => tool.click()")
    page.locator("#space-b1").click()
    page.reload()
    expect(page.locator("#verdict")).to_have_text("You go on with what you typed last.")
    expect(page.locator("#e-title")).to_have_value("Attic box")
    expect(page.locator("#price-3")).to_have_value("-7")
    expect(page.locator("#arrows-cross-picture .ar-head")).to_have_count(2)
    expect(page.locator("#space-b1")).to_have_attribute("aria-label", re.compile("^b1: penalty area"))
    # One that ships begins anew where it is asked for.
    page.goto("/edition?from=placeholder")
    expect(page.locator("#e-title")).to_have_value("Bolzplatz placeholder")
    # What another version of the page has kept does no harm.
    page.evaluate("localStorage.setItem('bolzplatz.edition.draft', '{\"title\": \"odd\"}')")
    page.goto("/edition")
    expect(page.locator("#e-title")).to_have_value("Bolzplatz placeholder")
    expect(page.locator("#verdict")).to_have_text("")


def test_files_that_are_no_editions_are_refused(visit: Visit, tmp_path: Path) -> None:
    page = visit().page()
    page.goto("/edition")
    for content, said in (("x" * 30_000, "too big"), ("[[", "TOML"), ('title = "a"', "missing")):
        (tmp_path / "file.toml").write_text(content)
        page.locator("#edition-file").set_input_files(tmp_path / "file.toml")
        expect(page.locator("#fault-edition")).to_contain_text(said)
    expect(page.locator("#e-title")).to_have_value("Bolzplatz placeholder")
