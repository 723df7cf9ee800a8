"""Whole matches in the browser: by mouse, by keyboard alone, on a small phone, with real dice."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bolzplatz.core.record import read_record, verify_record
from bolzplatz.games import load_game
from tests.browser.conftest import LAPTOP, PHONE, Visitor
from tests.browser.play import (
    expect_good_check,
    expect_points,
    layout_faults,
    moved_on,
    new_table,
    play_on,
    play_to_the_end,
    points_written,
    press,
    ready,
    version,
)

Visit = Callable[..., Visitor]
TARGET = 1200
"""Points to play for where a match to the end is to be seen: a few turns each."""


def looks_right(page: Page) -> None:
    assert layout_faults(page) == []


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("game", ["bar-bolz", "5050"])
def test_a_match_against_the_computer(visit: Visit, tmp_path: Path, game: str, size: dict[str, int]) -> None:
    page = visit(size).page()
    new_table(page, game, "computer", **({"o-target": "1500"} if game == "5050" else {}))
    play_to_the_end(page, looks_right)

    # Who won, and why, in words; the winner is who the record names.
    title = page.locator("#result-title").inner_text()
    names = page.locator(".plate .name" if game == "bar-bolz" else ".player .name").all_inner_texts()
    assert title in [f"{name} wins!" for name in names]
    with page.expect_download() as download:
        page.locator("#record").click()
    saved = tmp_path / "match.bolz"
    download.value.save_as(saved)
    record = read_record(saved.read_bytes())
    found = verify_record(record, load_game)
    assert found.ok, found.faults
    scores = [int(text) for text in record.result.split()]
    assert title == f"{record.seats[scores.index(max(scores))]} wins!"

    # The page's own check counts the same throws as the verifier in Python.
    assert expect_good_check(page) == len(found.draws)

    # Again, at a new table with the same people.
    before = page.url
    page.locator("#rematch").click()
    page.wait_for_url(lambda url: url != before and "/t/" in url)
    ready(page)
    looks_right(page)


def test_a_game_of_5050_to_the_last_round(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "5050", "people", **{"o-target": str(TARGET)})
    last_round = False

    def look(_: Page) -> None:
        nonlocal last_round
        last_round = last_round or page.locator("#lastround").count() > 0

    play_to_the_end(page, look)
    written = points_written(page)
    assert max(written) >= TARGET
    winner = page.locator(".player .name").all_inner_texts()[written.index(max(written))]
    expect(page.locator("#result h2")).to_have_text(f"{winner} wins!")
    # The first seat began: the second one had a last turn, announced by a banner, unless it was the one to get there.
    assert last_round or written[0] < TARGET


@pytest.mark.parametrize("game", ["bar-bolz", "5050"])
def test_a_match_by_keyboard_alone(visit: Visit, game: str) -> None:
    page = visit().page()
    page.goto("/")
    _tab_to(page, f'a[href="/new/{game}?with=people"]')
    page.keyboard.press("Enter")
    page.wait_for_selector("#newtable")
    if game == "5050":
        _tab_to(page, "details.fold > summary")
        page.keyboard.press("Enter")
        _tab_to(page, "#o-target")
        page.keyboard.press("Control+A")
        page.keyboard.type("1000")
    _tab_to(page, "#start")
    page.keyboard.press("Enter")
    page.wait_for_selector("#table")
    for step in range(400):
        first = ready(page)
        if first.get_attribute("id") == "rematch":
            break
        _act_by_keys(page, walk=step % 2 == 0)
    expect(page.locator("#result h2")).to_be_visible()
    _tab_to(page, "#check")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict .good")).to_be_visible()


def _tab_to(page: Page, selector: str) -> None:
    """Press Tab until the element has the focus; a person would give up sooner."""
    for _ in range(80):
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab")


def _act_by_keys(page: Page, walk: bool) -> None:
    """Make the next decision; dice are found by arrows (`walk`) or by their numbers."""
    before = version(page)
    if page.locator(".tray.choosing").count():
        place = page.locator(".d[data-die]:not(.useless)").first.get_attribute("data-die")
        if walk:
            _tab_to(page, ".d[data-die]")
            while page.evaluate("document.activeElement.dataset.die") != place:
                page.keyboard.press("ArrowRight" if int(place or 0) else "ArrowLeft")
            page.keyboard.press("Space")
        else:
            page.keyboard.press(str(int(place or 0) + 1))
        _tab_to(page, "#stop:not([aria-disabled]), #throw:not([aria-disabled])")
    else:
        _tab_to(page, "#act, #act-take, #throw, #stop:not([aria-disabled])")
    page.keyboard.press("Enter")
    moved_on(page, before)


def test_bar_bolz_with_real_dice(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "bar-bolz", "people", dice="hand")
    looks_right(page)

    def enter(label: str) -> None:
        press(page, page.locator(".facebtn", has_text=label))
        looks_right(page)

    # A slip of the finger is taken back; the log keeps both.
    enter("penalty")
    press(page, page.locator("#undo"))
    # The rulebook's attack with a warning, a yellow card and a goal at exactly 50.
    for label in ("through pass", "foul", "light", "through pass", "foul", "light"):
        enter(label)
    expect(page.locator("#card-yellow")).to_have_attribute("class", "card card--yellow at-0")
    enter("10")
    expect(page.locator("#half-0 .net.scored")).to_have_count(1)
    # Past the goal: 5 + 10 + 10 + 10 + 20 = 55.
    for label in ("5", "10", "10", "10", "through pass"):
        enter(label)
    expect(page.locator(".net.scored")).to_have_count(1)
    # A penalty with a dark face.
    for label in ("10", "through pass", "penalty"):
        enter(label)
    press(page, page.locator("#act-take"))
    enter("dark")
    expect(page.locator("#result h2")).to_have_text("Kim wins!")
    expect(page.locator("#result p")).to_have_text("Two goals: 2:0.")
    expect(page.locator("#check")).to_have_count(0)
    expect(page.locator("#log")).to_contain_text("taken back")


def test_5050_with_real_dice(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "5050", "people", dice="hand")

    def throw(faces: str) -> None:
        for face in faces:
            page.locator(f"#enter-{face}").click()
        looks_right(page)
        press(page, page.locator("#enter-done"))

    # A mistyped die is taken back before it counts.
    page.locator("#enter-6").click()
    page.locator("#enter-back").click()
    throw("333524")
    page.locator('.d[data-face="3"]').first.click()
    expect(page.locator("#set-points")).to_have_text("300")
    expect(page.locator("#stop")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#stop")).to_have_text("50 more to stop")
    page.locator('.d[data-face="5"]').click()
    expect(page.locator("#set-points")).to_have_text("350")
    press(page, page.locator("#stop"))
    expect_points(page, [350, 0])
    # Nothing counts: the turn passes by itself.
    throw("223466")
    expect_points(page, [350, 0])
    expect(page.locator("#turn")).to_contain_text("Kim")


def test_play_goes_on_after_reload_and_in_a_second_tab(visit: Visit) -> None:
    visitor = visit()
    page = visitor.page()
    new_table(page, "bar-bolz", "people")
    for _ in range(4):
        play_on(page)
    ready(page)
    told = page.locator("#turn").inner_text(), page.locator("#score-said").text_content()
    page.reload()
    ready(page)
    expect(page.locator("#turn")).to_have_text(told[0])
    expect(page.locator("#score-said")).to_have_text(told[1] or "")
    second = visitor.page()
    second.goto(page.url)
    ready(second)
    # Either tab may act; the other follows. The last match check finds nothing amiss in either.
    for turn in range(12):
        playing, watching = (page, second) if turn % 2 else (second, page)
        playing.bring_to_front()
        if not play_on(playing):
            break
        ready(playing)
        watching.wait_for_selector(f"#table[data-version='{version(playing)}']")
    page.bring_to_front()
    play_to_the_end(page)
    assert expect_good_check(page) > 0
    second.bring_to_front()
    ready(second)
    assert expect_good_check(second) > 0
