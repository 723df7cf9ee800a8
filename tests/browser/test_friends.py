"""Friends on many devices: they come by link and code, play, lose the wire, come back, help out, agree, look back."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocket, expect

from bolzplatz.web.language import LANGUAGES
from tests.browser.conftest import LAPTOP, PHONE, Server, Visitor
from tests.browser.play import (
    choose_dice,
    expect_good_check,
    expect_heard,
    layout_faults,
    listen,
    moved_on,
    points_written,
    press,
    ready,
    version,
)
from tests.browser.test_screens import accessible
from tests.browser.together import (
    come,
    come_by_code,
    kick_off,
    open_room,
    play_together,
    sit,
    there,
    turn_of,
)
from tests.table_kit import PATIENCE

Visit = Callable[..., Visitor]
GONE_SECONDS = 31


class Wiretap:
    """Everything that a person's pages were sent: sockets and documents."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.heard: list[str] = []

    def page(self) -> Page:
        page = self.visitor.page()
        page.on("websocket", self._listen)
        page.on("response", lambda answer: self.heard.append(json.dumps(answer.headers)))
        return page

    def _listen(self, wire: WebSocket) -> None:
        wire.on("framereceived", lambda data: self.heard.append(data if isinstance(data, str) else data.decode()))

    def token(self) -> str:
        return next(each["value"] for each in self.visitor.context.cookies() if each["name"] == "browser")


def two_in_a_room(visit: Visit, game: str, **answers: str) -> tuple[Page, Page]:
    """Return the pages of Mia, who is the host, and Ben, who has come by the link; the match has begun."""
    mia, ben = visit(LAPTOP).page(), visit(PHONE).page()
    come(ben, open_room(mia, game, "Mia", **answers))
    sit(ben, "Ben")
    kick_off(mia, ben)
    return mia, ben


@pytest.mark.parametrize("game", ["bar-bolz", "5050"])
def test_a_match_on_two_devices_with_a_spectator(visit: Visit, game: str) -> None:
    taps = [Wiretap(visit(size)) for size in (LAPTOP, PHONE, PHONE)]
    mia, ben, eve = (tap.page() for tap in taps)
    address = open_room(mia, game, "Mia", **({"o-target": "700"} if game == "5050" else {}))
    code = mia.locator(".code b").inner_text()
    come_by_code(ben, code)
    sit(ben, "Ben")
    come(eve, mia.locator("#link").input_value())
    expect(mia.locator("#turn")).to_have_text("Everybody is here")
    kick_off(mia, ben, eve)
    looked: set[str] = set()

    def look(page: Page) -> None:
        asked = page.locator("#asked").inner_text()
        if asked not in looked:
            looked.add(asked)
            assert [layout_faults(each) for each in (mia, ben, eve)] == [[], [], []]
        # A spectator is never offered anything to do.
        expect(eve.locator("#actions button")).to_have_count(0)

    play_together((mia, ben), look=look)
    titles = [page.locator("#result-title").inner_text() for page in (mia, ben, eve)]
    assert titles[0] in ("Mia wins!", "Ben wins!")
    assert len(set(titles)) == 1
    if game == "5050":
        assert points_written(mia) == points_written(ben) == points_written(eve)
    # Each browser has checked the same throws for itself, with a share of its own in each.
    assert expect_good_check(mia) == expect_good_check(ben) > 0

    # The room goes on: everybody is at the new table, in the same seats, and the old link leads there.
    ben.locator("#rematch").click()
    for page in (mia, ben, eve):
        page.wait_for_url(lambda url: url != address and "/t/" in url)
        there(page)
    assert len({page.url for page in (mia, ben, eve)}) == 1
    kick_off_if_asked(mia)
    late = visit(PHONE).page()
    come(late, address)
    late.wait_for_url(mia.url)
    play_together((mia, ben), 2)

    # Nobody's browser was ever sent what makes another browser the owner of its seat.
    for tap in taps:
        assert len(tap.heard) > 20
        for other in taps:
            if other is not tap:
                assert not any(other.token() in text for text in tap.heard)


def kick_off_if_asked(host: Page) -> None:
    """A match that is played on begins at once, unless the host has to begin it."""
    host.wait_for_selector("#table:not(.table--lobby), .table--lobby #act:not([aria-disabled])")
    if host.locator(".table--lobby").count():
        host.locator("#act").click()
        host.wait_for_selector("#table:not(.table--lobby)")


def test_a_seat_survives_reload_tabs_and_loss_of_the_wire(visit: Visit, server: Server) -> None:
    visitors = visit(LAPTOP), visit(PHONE)
    mia, ben = (visitor.page() for visitor in visitors)
    come(ben, open_room(mia, "5050", "Mia"))
    sit(ben, "Ben")
    kick_off(mia, ben)
    seats = (mia, ben)
    actor = somebody_chooses(seats)

    # Reloaded: the same dice, and they can be chosen.
    dice = faces(actor)
    actor.reload()
    there(actor)
    ready(actor)
    assert faces(actor) == dice

    # A second tab of the same seat sees the same; what is done in one is shown in the other.
    second = actor.context.new_page()
    come(second, actor.url)
    ready(second)
    before = version(actor)
    choose_dice(second)
    moved_on(actor, before)
    second.close()

    # The server restarts while Ben has no network: Mia is back first, and sees that he is not.
    ben.context.set_offline(True)
    server.stop()
    expect(mia.locator("#notice")).to_have_text(re.compile("Trying again"))
    listen(mia, "#notice")
    server.start()
    there(mia)
    expect_heard(mia, "#notice", "^Back at the table.$")
    expect(mia.locator("#person-1 .here")).to_have_text(re.compile("reconnecting|not looking"))
    ben.context.set_offline(False)
    there(ben)
    expect(mia.locator("#person-1 .here")).to_have_text("here")
    assert play_together(seats, 3)
    for visitor in visitors:
        # Chromium itself writes every failed connection into the console.
        visitor.complaints = [text for text in visitor.complaints if "WebSocket connection to" not in text]


def faces(page: Page) -> list[str]:
    """Return what the dice show that lie before somebody who chooses."""
    found: list[str] = page.locator(".tray.choosing .d[data-face]").evaluate_all(
        "all => all.map((e) => e.dataset.face)"
    )
    return found


def somebody_chooses(seats: tuple[Page, Page]) -> Page:
    """Throw until somebody has dice to choose from, and return that person's page."""
    while True:
        actor = turn_of(seats)
        assert actor is not None
        ready(actor)
        if actor.locator(".tray.choosing").count():
            return actor
        press(actor, actor.locator("#throw"))


def test_a_computer_plays_on_for_somebody_who_is_gone(visit: Visit, server: Server) -> None:
    mia, ben_visitor = visit(LAPTOP).page(), visit(PHONE)
    ben = ben_visitor.page()
    # A series: one match might be over before he is back.
    address = open_room(mia, "bar-bolz", "Mia", **{"o-series": "3"})
    come(ben, address)
    sit(ben, "Ben")
    kick_off(mia, ben)
    ben.close()
    expect(mia.locator("#person-1 .here")).to_have_text("reconnecting …")
    server.ahead += GONE_SECONDS
    stranger = visit(PHONE).page()
    come(stranger, address)
    expect(mia.locator(".word")).to_contain_text("Ben is gone.")
    # Never by itself, and not by somebody who only watches.
    expect(stranger.locator(".word .btn")).to_have_count(0)
    assert layout_faults(mia) == []
    assert accessible(mia) == []
    mia.get_by_role("button", name="Let the computer play for Ben until they are back").click()
    expect(mia.locator("#person-1")).to_contain_text("the computer plays")
    for _ in range(6):
        press(mia, ready(mia))

    ben = ben_visitor.page()
    come(ben, address)
    # It still has its secret: late is not silent, so nothing but coming back is offered.
    expect(ben.locator(".word:visible")).to_have_count(1)
    expect(ben.locator(".word:visible")).to_contain_text("The computer plays for Ben.")
    assert layout_faults(ben) == []
    assert accessible(ben) == []
    ben.get_by_role("button", name="I'm back").click()
    expect(ben.locator(".word:visible")).to_have_count(0)
    expect(mia.locator("#person-1")).not_to_contain_text("the computer plays")
    expect(mia.locator("#log")).to_contain_text("Ben plays again.")
    play_together((mia, ben), 3)


def test_going_back_and_ending_need_everybody(visit: Visit) -> None:
    mia, ben = two_in_a_room(visit, "bar-bolz")
    play_together((mia, ben), 4)
    turn_of((mia, ben))
    told = mia.locator("#log li").count()
    thrown = int(mia.locator("#stamp").get_attribute("data-k") or 0)
    mia.locator("#asks summary").click()
    mia.locator("#ask-rewind").select_option(index=0)
    mia.locator("#ask-rewind-go").click()
    question = ben.locator(".word")
    expect(question).to_contain_text("Mia wants to go back to a turn")
    assert layout_faults(ben) == []
    question.get_by_role("button", name="No").click()
    expect(mia.locator("#log")).to_contain_text("That was declined.")
    mia.locator("#ask-rewind-go").click()
    question.get_by_role("button", name="Agree").click()
    expect(mia.locator("#log")).to_contain_text("By agreement")
    # The log keeps both: what was played, and that it was taken back.
    assert mia.locator("#log li").count() > told
    play_together((mia, ben), 2)

    ben.locator("#open-log").click()
    ben.locator("#asks summary").click()
    ben.get_by_role("button", name="End the match now").click()
    ben.keyboard.press("Escape")
    mia.get_by_role("button", name="Agree").click()
    for page in (mia, ben):
        expect(page.locator("#result-title")).to_have_text("Ended by agreement")
        assert layout_faults(page) == []
    # The throws that were taken back are still in the proof, beside those that came after them.
    assert expect_good_check(mia) == expect_good_check(ben) > thrown > 0


def test_calls_are_heard_unless_muted_and_a_page_in_the_background_is_told(visit: Visit) -> None:
    mia, ben = two_in_a_room(visit, "5050", turn="60")
    listen(ben, "#calls")
    mia.locator("#emote-luck").click()
    expect_heard(ben, "#calls", "^Mia: Good luck!$")
    ben.locator("#open-settings").click()
    ben.locator('[name=mute][value="on"]').check(force=True)
    ben.locator("[data-close=settings]").click()
    expect(ben.locator(".call")).to_have_count(0)
    listen(mia, "#calls")
    listen(ben, "#calls")
    mia.locator("#emote-wow").click()
    expect_heard(mia, "#calls", "Mia: Wow!$")
    # What comes after the call is there: the call was not shown.
    play_together((mia, ben), 1)
    turn_of((mia, ben))
    assert "Wow" not in str(ben.evaluate("window.said['#calls']"))
    # Who is waited for sees it in the title and on the badge; the clock of the turn is shown to both.
    actor = turn_of((mia, ben))
    assert actor is not None
    ready(actor)
    expect(actor).to_have_title(re.compile("^● Your turn"))
    expect(actor.locator("link[rel=icon]")).to_have_attribute("href", "/static/svg/icon-turn.svg")
    for page in (mia, ben):
        expect(page.locator("#clock-left")).to_have_text(re.compile(r"^(1:00|0:\d\d)$"))
    # Both name the same six words.
    mia.locator("#aloud summary").click()
    ben.locator("#open-log").click()
    ben.locator("#aloud summary").click()
    expect(mia.locator("#sixwords")).to_have_text(re.compile(r"^\s*(\S+\s+){5}\S+\s*$"))
    expect(ben.locator("#sixwords")).to_have_text(mia.locator("#sixwords").inner_text())


def test_a_match_is_seen_again_and_played_on(visit: Visit) -> None:
    mia, ben = two_in_a_room(visit, "bar-bolz")
    play_together((mia, ben), 3)
    turn_of((mia, ben))
    table = mia.url
    mia.goto(f"{table}/replay?step=1")
    where = mia.locator("#where")
    expect(where).to_have_text("step 1 of 3")
    after_one = mia.locator("#score-said").text_content() or ""
    mia.keyboard.press("ArrowRight")
    expect(where).to_have_text("step 2 of 3")
    mia.keyboard.press("End")
    expect(where).to_have_text("step 3 of 3")
    mia.keyboard.press("Home")
    expect(mia.locator("#log li")).to_have_text(
        ["Die Bar-Bolz-Bande: Mia, Ben. Every throw is sealed and can be checked."]
    )
    mia.locator("#slider").fill("1")
    expect(where).to_have_text("step 1 of 3")
    expect(mia.locator("#score-said")).to_have_text(after_one)
    mia.locator("#play").click()
    expect(where).to_have_text("step 3 of 3")
    mia.locator("#back").click()
    mia.locator("#more summary").click()
    mia.locator("#seen-by").select_option("1")
    mia.locator("#hide").check()
    expect(where).to_have_text("step 2")
    link = mia.locator("#link").input_value()
    assert "step=2&as=1" in link
    shared = visit(PHONE).page()
    shared.goto(link)
    expect(shared.locator("#where")).to_have_text("step 2")
    said = shared.locator("#score-said").text_content() or ""
    # Play on from there: a new table that stands as the old one stood.
    shared.locator("#play-on").click()
    shared.wait_for_url(lambda url: "/replay" not in url)
    there(shared)
    assert shared.url != table
    kick_off_if_asked(shared)
    ready(shared)
    expect(shared.locator("#score-said")).to_have_text(said)
    press(shared, ready(shared))


def test_a_lost_share_is_given_anew_and_a_witness_has_one(visit: Visit, server: Server) -> None:
    mia, ben, eve = visit(LAPTOP).page(), visit(PHONE).page(), visit(PHONE).page()
    address = open_room(mia, "bar-bolz", "Mia")
    come(ben, address)
    come(eve, address)
    eve.locator("#witness").click()
    eve.wait_for_selector("#witness[aria-pressed=true]")
    sit(ben, "Ben")
    kick_off(mia, ben, eve)
    play_together((mia, ben), 1)
    expect(mia.locator("#people")).to_contain_text("witnesses of the dice: 1")
    turn_of((mia, ben))

    # A browser that forgot its secret watches, says so, and has a share again from the new chains on.
    server.patience = 4.0
    ben.evaluate("localStorage.clear()")
    ben.reload()
    there(ben)
    play_together((mia, ben), 1)
    turn_of((mia, ben))
    server.patience = PATIENCE
    ben.get_by_role("button", name="Give it a share").click()
    expect(mia.locator("#log")).to_contain_text("The dice are sealed anew.")
    expect(ben.locator(".word:visible")).to_have_count(0)
    play_together((mia, ben), 2)
    turn_of((mia, ben))
    for page in (mia, ben, eve):
        expect(page.locator("#seal.bad")).to_have_count(0)
    expect(ben.locator(".word:visible")).to_have_count(0)


def test_by_keyboard_alone(visit: Visit) -> None:
    mia, ben = visit(LAPTOP).page(), visit(LAPTOP).page()
    address = open_room(mia, "bar-bolz", "Mia")
    come(ben, address)

    def tab_to(page: Page, wanted: str) -> None:
        for _ in range(60):
            if page.evaluate("document.activeElement?.id") == wanted:
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{wanted} is not reached")

    tab_to(ben, "nickname")
    ben.keyboard.type("Ben")
    ben.keyboard.press("Enter")
    mia.wait_for_selector("#act:not([aria-disabled])")
    # A new name that is refused does not stay in its field, and the reason goes once another one is taken.
    name = ben.locator("#rename-1")
    listen(ben, "#notice")
    name.fill("<b>")
    name.press("Enter")
    expect_heard(ben, "#notice", "letters")
    expect(name).to_have_value("Ben")
    name.fill("Zoë")
    name.press("Enter")
    expect(mia.locator("#chair-1 b")).to_have_text("Zoë")
    expect(ben.locator("#notice")).to_be_hidden()
    tab_to(mia, "act")
    mia.keyboard.press("Enter")
    ben.wait_for_selector("#table:not(.table--lobby)")
    for _ in range(3):
        actor = turn_of((mia, ben))
        assert actor is not None
        what = ready(actor)
        before = version(actor)
        tab_to(actor, str(what.get_attribute("id")))
        actor.keyboard.press("Enter")
        moved_on(actor, before)


@pytest.mark.parametrize("language", LANGUAGES)
def test_screens_among_friends(visit: Visit, language: str) -> None:
    """The home page's code, the room of host and guest, the people at the table, the match seen again."""
    mia, ben = visit(LAPTOP, language=language).page(), visit(PHONE, language=language).page()

    def good(page: Page, what: str, table: bool = True) -> None:
        for size in (PHONE, LAPTOP):
            page.set_viewport_size(size)
            assert layout_faults(page, table) == [], f"{what} at {size}"
            if size is PHONE:
                assert accessible(page) == [], what

    address = open_room(mia, "5050", "Maximilian-Alexande", turn="30")
    mia.locator("#add").click()
    mia.wait_for_selector("#chair-2")
    # Not every level plays among three.
    simple = "all => all.findIndex((each) => each.dataset.send.includes('child'))"
    mia.locator("#kind-2").select_option(index=mia.locator("#kind-2 option").evaluate_all(simple))
    mia.wait_for_selector(".chair--bot")
    come(ben, address)
    good(mia, "room of the host", table=False)
    good(ben, "room of a guest", table=False)
    sit(ben, "Bartholomäus-Fritz")
    kick_off(mia, ben)
    turn_of((mia, ben))
    good(ben, "playing")
    ben.set_viewport_size(PHONE)
    ben.locator("#open-log").click()
    ben.locator("#asks summary").click()
    ben.locator("#aloud summary").click()
    assert accessible(ben) == []
    assert layout_faults(ben, table=False) == []
    ben.locator("#ask-end").click()
    expect(mia.locator(".word [data-send*='agree']").first).to_be_visible()
    good(mia, "asked")
    mia.goto(f"{address}/replay")
    good(mia, "replay", table=False)
    mia.locator("#more summary").click()
    good(mia, "replay, unfolded", table=False)
