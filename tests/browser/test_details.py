"""What makes it good to play at: dice that fall and can be skipped, stopping with a way back, sound, odds, checks."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import PHONE, Server, Visitor
from tests.browser.play import at_rest, expect_points, moved_on, new_table, play_to_the_end, press, ready, version

Visit = Callable[..., Visitor]


def throw_by_hand(page: Page, faces: str) -> None:
    for face in faces:
        page.locator(f"#enter-{face}").click()
    press(page, page.locator("#enter-done"))


def die(page: Page, face: int, place: int = 0) -> None:
    """Tap one of the dice that show a face."""
    page.locator(f'.d[data-face="{face}"]').nth(place).click()


# --- dice that fall -----------------------------------------------------------------------------------------------


HOLD = """
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, timing) {
  const held = animate.call(this, frames, timing);
  held.pause();
  return held;
};
"""
"""What is animated hangs in the air until a tap ends it: a test may look at it as long as it likes."""


def hanging(visit: Visit) -> Page:
    """Return a page on which dice fall slowly, and stop in the air."""
    visitor = visit(speed="slow", reduced_motion="no-preference")
    visitor.context.add_init_script(HOLD)
    return visitor.page()


@pytest.mark.parametrize(("game", "count"), [("bar-bolz", 1), ("5050", 6)])
def test_dice_fall_and_a_tap_skips(visit: Visit, game: str, count: int) -> None:
    page = hanging(visit)
    new_table(page, game, "people")
    page.locator("#act, #throw").click()
    cubes = page.locator("#stage .cube")
    expect(cubes).to_have_count(count)
    falls = cubes.evaluate_all(
        "all => all.map((e) => e.getAnimations().map((each) => each.effect.getTiming().duration > 0))"
    )
    assert falls == [[True]] * count
    # While they fall the table shows the state before; the tap shows what came of it at once.
    before = version(page)
    page.mouse.click(5, 300)
    moved_on(page, before)
    expect(cubes).to_have_count(0)


def test_dice_come_to_rest_on_what_was_thrown(visit: Visit) -> None:
    """The front of each tumbling die is the face that lies there in the end, place by place."""
    page = hanging(visit)
    new_table(page, "5050", "people")
    page.locator("#throw").click()
    expect(page.locator("#stage .cube")).to_have_count(6)
    fronts = page.locator("#stage .cube").evaluate_all(
        "cubes => cubes.map((cube) => cube.querySelector('use').getAttribute('href').at(-1))"
    )
    # One throw in five has a single way out, which is played by itself: what lies there first is what was thrown.
    page.evaluate(
        """() => {
          const faces = () => [...document.querySelectorAll(".d[data-face]")].map((die) => die.dataset.face);
          const seen = new MutationObserver(() => { window.lying ??= faces(); });
          seen.observe(document.getElementById("table"), { attributeFilter: ["data-version"] });
        }"""
    )
    page.mouse.click(5, 300)
    page.wait_for_function("() => window.lying")
    expect(page.locator("#stage .cube")).to_have_count(0)
    # A throw in which nothing counts (one in 43) passes the turn.
    assert page.evaluate("window.lying") in (fronts, [])


def test_less_motion_is_a_cross_fade(visit: Visit) -> None:
    page = visit(speed="slow", reduced_motion="reduce").page()
    new_table(page, "bar-bolz", "people")
    # What is animated is noted as it begins: a cross-fade is over in an instant.
    page.evaluate(
        """() => {
          window.animated = [];
          const animate = Element.prototype.animate;
          Element.prototype.animate = function (frames, timing) {
            window.animated.push([this.className, frames.flatMap(Object.keys), timing.duration]);
            return animate.call(this, frames, timing);
          };
        }"""
    )
    press(page, page.locator("#act"))
    ready(page)
    animated = page.evaluate("window.animated")
    assert ["flying", ["opacity", "opacity"], 120] in animated
    assert not [names for _, names, _ in animated if "transform" in names]


def test_the_speed_is_remembered(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "bar-bolz", "people")
    page.locator("#open-settings").click()
    expect(page.locator('[name="speed"][value="instant"]')).to_be_checked()
    page.locator('[name="speed"][value="slow"]').check(force=True)
    page.reload()
    page.locator("#open-settings").click()
    expect(page.locator('[name="speed"][value="slow"]')).to_be_checked()


# --- 5050: choosing, stopping -------------------------------------------------------------------------------------


def test_tapping_lifts_what_belongs_together(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "5050", "people", dice="hand")
    throw_by_hand(page, "333254")
    lifted = page.locator('.d[aria-pressed="true"]')
    # One three counts nothing alone: all three are lifted.
    die(page, 3, 1)
    expect(lifted).to_have_count(3)
    expect(page.locator("#risk")).to_have_text("300")
    expect(page.locator("#stop")).to_have_text("50 more to stop")
    # A die that counts nothing stays, and says why.
    die(page, 4)
    expect(lifted).to_have_count(3)
    expect(page.locator("#picked-text")).to_have_text("This die counts nothing here.")
    die(page, 5)
    expect(page.locator("#stop")).to_have_text("Stop, write 350")
    # Laying one of the three back takes the others along.
    die(page, 3)
    expect(lifted).to_have_count(1)
    expect(page.locator("#risk")).to_have_text("50")
    # Lifted dice lie over the places aside.
    at_rest(page)
    apart = page.evaluate(
        """() => {
          const corner = (selector) => document.querySelector(selector).getBoundingClientRect();
          const [lies, socket] = [corner('.d[data-face="5"]'), corner("#socket-0")];
          return Math.max(Math.abs(lies.x - socket.x), Math.abs(lies.y - socket.y));
        }"""
    )
    assert apart < 12


def test_what_the_dice_do_not_tell_is_asked(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "5050", "people", dice="hand")
    # Two fives: 50 each, or one of them as a one and the other free again; worth the same, but a die apart.
    throw_by_hand(page, "155234")
    die(page, 5, 0)
    die(page, 5, 1)
    chips = page.locator(".chip")
    expect(chips).to_have_count(2)
    expect(page.locator("#throw .b-label")).to_have_text("Throw 4 dice")
    chips.filter(has_text="→").click()
    expect(page.locator("#throw .b-label")).to_have_text("Throw 5 dice")
    expect(page.locator(".d.as-one")).to_have_count(1)
    expect(page.locator(".d.is-back")).to_have_count(1)
    press(page, page.locator("#throw"))
    expect(page.locator("#aside .turned")).to_have_count(1)
    # Six alike: two triples, or three pairs to be confirmed.
    press(page, page.locator("#undo"))
    press(page, page.locator("#undo"))
    throw_by_hand(page, "444444")
    die(page, 4, 0)
    expect(page.locator("#risk")).to_have_text("400")
    die(page, 4, 5)
    page.locator(".chip", has_text="three pairs").click()
    expect(page.locator("#risk")).to_have_text("1500")
    expect(page.locator("#stop")).to_have_text("must be confirmed")
    expect(page.locator("#stop")).to_have_attribute("aria-disabled", "true")
    page.locator(".chip", has_text="4 4 4 + 4 4 4").click()
    expect(page.locator("#stop")).to_have_text("Stop, write 800")


def test_a_padlock_hangs_on_what_must_be_confirmed(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "5050", "people", dice="hand")
    throw_by_hand(page, "123456")
    page.locator(".chip", has_text="straight").click()
    press(page, page.locator("#throw"))
    expect(page.locator(".padlock")).to_be_visible()
    expect(page.locator("#risk")).to_have_text("1500")
    throw_by_hand(page, "333524")
    page.locator(".chip").first.click()
    press(page, page.locator("#stop"))
    expect_points(page, [1850, 0])


def test_a_stop_can_be_taken_back_for_two_seconds(visit: Visit) -> None:
    page = visit().page()
    page.clock.install()
    new_table(page, "5050", "people", dice="hand")
    throw_by_hand(page, "333524")
    page.locator(".chip").first.click()
    page.clock.pause_at("2100-01-01")
    page.locator("#stop").click()
    expect(page.locator("#stop .ring")).to_be_visible()
    expect(page.locator("#stop")).to_have_text("Take back")
    page.clock.run_for(1900)
    page.locator("#stop").click()
    expect(page.locator("#stop")).to_have_text("Stop, write 350")
    page.clock.run_for(5000)
    expect_points(page, [0, 0])
    before = version(page)
    page.locator("#stop").click()
    page.clock.run_for(1999)
    assert version(page) == before
    page.clock.run_for(2)
    moved_on(page, before)
    expect_points(page, [350, 0])


def test_odds_stand_on_the_button_as_balls(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "5050", "people", mode="expert")
    # Six dice: 2.3 % of all throws bring nothing.
    expect(page.locator("#throw .odd--lost")).to_have_count(0)
    expect(page.locator("#throw .odd--half")).to_have_count(1)
    expect(page.locator("#throw .b-odds")).to_have_text("2 % nothing")
    page.keyboard.press("o")
    expect(page.get_by_role("status")).to_have_text("Of 100 such throws about 2 bring nothing.")


def test_real_dice_come_without_odds(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "5050", "people", dice="hand")
    throw_by_hand(page, "123456")
    die(page, 1)
    expect(page.locator("#throw .odds")).to_be_hidden()


# --- Bar-Bolz -----------------------------------------------------------------------------------------------------


def test_it_is_clear_who_throws(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "bar-bolz", "people", dice="hand")
    acting = page.locator(".half.acts")
    expect(acting).to_have_id("half-0")
    press(page, page.locator(".facebtn", has_text="foul"))
    expect(acting).to_have_id("half-1")
    expect(page.locator("#half-1 .whistle")).to_be_visible()
    expect(page.locator("#turn")).to_have_text("Robin is the referee")
    press(page, page.locator(".facebtn", has_text="dark"))
    expect(page.locator("#turn")).to_have_text("Robin attacks")
    expect(acting).to_have_id("half-1")
    expect(page.locator(".whistle")).to_have_count(0)


def test_a_penalty_turns_the_view_and_leaves_two_buttons(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "bar-bolz", "people", dice="hand")
    for face in ("10", "through pass", "penalty"):
        press(page, page.locator(".facebtn", has_text=face))
    expect(page.locator("#mouth")).to_be_visible()
    expect(page.locator("#lane")).to_have_count(0)
    expect(page.locator("#actions button")).to_have_text(["Take it!", "Play on"])
    press(page, page.locator("#act-decline"))
    expect(page.locator("#lane")).to_be_visible()


# --- sound --------------------------------------------------------------------------------------------------------

COUNT_AUDIO = """
window.contexts = 0;
const Real = window.AudioContext;
window.AudioContext = class extends Real { constructor() { super(); window.contexts += 1; } };
"""


def test_no_sound_before_the_first_tap_and_none_when_switched_off(visit: Visit) -> None:
    visitor = visit()
    visitor.context.add_init_script(COUNT_AUDIO)
    page = visitor.page()
    new_table(page, "bar-bolz", "people", dice="hand")
    assert page.evaluate("window.contexts") == 0
    press(page, page.locator("#enter-1"))
    assert page.evaluate("window.contexts") == 1
    page.locator("#open-settings").click()
    page.locator('[name="sound"][value="off"]').check(force=True)
    page.keyboard.press("Escape")
    page.reload()
    ready(page)
    press(page, page.locator("#enter-1"))
    assert page.evaluate("window.contexts") == 0


# --- dice that can be checked -------------------------------------------------------------------------------------


def test_every_throw_earns_its_tick(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "bar-bolz", "people")
    for throw in range(1, 6):
        while page.locator("#act-take").count():
            press(page, page.locator("#act-take"))
            ready(page)
        press(page, ready(page))
        ready(page)
        expect(page.locator("#stamp.given")).to_have_text(f"throw {throw}")
        expect(page.locator("#seal")).to_have_text(f"Throw {throw} checked by this browser")


def forging(page: Page, pattern: str, change: Callable[[re.Match[str]], str]) -> None:
    """Put somebody dishonest between this page and its table: what matches in a result is changed."""

    def between(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            text = str(message)
            route.send(re.sub(pattern, change, text) if '"type":"drawn"' in text else text)

        server.on_message(pass_on)

    page.route_web_socket(re.compile("/ws$"), between)


def test_a_table_that_shows_another_die_is_found_out(visit: Visit) -> None:
    page = visit().page()
    forging(page, r'"drawn":\[(\d)', lambda found: f'"drawn":[{(int(found[1]) + 1) % 6}')
    new_table(page, "bar-bolz", "people")
    press(page, ready(page))
    expect(page.locator("#seal.bad")).to_have_text("The table showed other dice than this browser reckoned.")
    expect(page.locator("#stamp.given")).to_have_count(0)


def test_a_table_that_opens_another_secret_is_found_out(visit: Visit) -> None:
    page = visit().page()
    forging(page, r'"server":"(.)', lambda found: '"server":"' + ("1" if found[1] == "0" else "0"))
    new_table(page, "bar-bolz", "people")
    press(page, ready(page))
    expect(page.locator("#seal.bad")).to_contain_text("The dice do not add up")
    expect(page.locator("#stamp.given")).to_have_count(0)


def test_a_saved_record_is_checked_in_the_browser_alone(visit: Visit, server: Server, tmp_path: Path) -> None:
    visitor = visit()
    page = visitor.page()
    new_table(page, "bar-bolz", "people")
    play_to_the_end(page)
    with page.expect_download() as download:
        page.locator("#record").click()
    good = tmp_path / "match.bolz"
    download.value.save_as(good)
    page.goto("/check")
    sent: list[str] = []
    visitor.context.on("request", lambda request: sent.append(request.url))

    def check(data: bytes) -> str:
        path = tmp_path / "chosen.bolz"
        path.write_bytes(data)
        page.locator("#file").set_input_files(path)
        title = page.locator("#verdict .verdict h2")
        expect(title).to_be_visible()
        said = title.inner_text()
        page.locator("#verdict").evaluate("e => e.replaceChildren()")
        return said

    data = good.read_bytes()
    assert re.fullmatch(r"✓ All \d+ throws are right", check(data))
    assert "✗" in check(data.replace(b"seat 0: Kim", b"seat 0: Tim"))
    place = data.index(b'"server":"', data.index(b'"draw"')) + 12
    assert "✗" in check(data[:place] + (b"1" if data[place : place + 1] == b"0" else b"0") + data[place + 1 :])
    assert check(data[: data.rindex(b"\n\n") + 2]) == "✗ This record proves nothing"
    assert check(b"hello") == "✗ This is no Bolzplatz record, or it is damaged."
    # Only our own scripts were fetched for it, and nothing was sent.
    assert [url for url in sent if not url.startswith(f"{server.url}/static/")] == []


def test_dice_by_hand_have_nothing_to_check(visit: Visit) -> None:
    page = visit().page()
    new_table(page, "bar-bolz", "people", dice="hand")
    press(page, page.locator("#enter-1"))
    expect(page.locator("#stamp.given")).to_have_count(0)
    expect(page.locator("#seal")).to_be_hidden()


# --- how it speaks ------------------------------------------------------------------------------------------------

LISTEN = """
window.spoken = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; this.lang = ""; } };
Object.defineProperty(window, "speechSynthesis", {
  configurable: true,
  value: { cancel() {}, speak(said) { window.spoken.push([said.lang, said.text]); } },
});
"""


def test_what_is_asked_is_read_aloud_and_words_grow_for_children(visit: Visit) -> None:
    visitor = visit(PHONE, language="de")
    visitor.context.add_init_script(LISTEN)
    page = visitor.page()
    new_table(page, "bar-bolz", "people", dice="hand")

    def choose(name: str, value: str) -> None:
        page.locator("#open-settings").click()
        page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
        page.keyboard.press("Escape")

    size = "parseFloat(getComputedStyle(document.getElementById('turn')).fontSize)"
    room = page.locator("body")
    expect(room).to_have_attribute("data-mode", "normal")
    press(page, page.locator(".facebtn", has_text="Foul"))
    assert page.evaluate("window.spoken") == []  # nobody asked for it
    normal = page.evaluate(size)
    choose("mode", "kids")
    expect(room).to_have_attribute("data-mode", "kids")
    # With less motion, too, a new size takes a frame.
    page.wait_for_function(f"normal => {size} > normal", arg=normal)
    choose("aloud", "on")
    press(page, page.locator(".facebtn", has_text="hell").first)
    expect(page.locator("#turn")).to_have_text("Kim greift an")
    ((language, text),) = page.evaluate("window.spoken")
    assert language == "de"
    assert text == f"Kim greift an. {page.locator('#asked').text_content()}"
    # Both are remembered by this browser, at every table.
    page.reload()
    ready(page)
    expect(room).to_have_attribute("data-mode", "kids")
    page.locator("#open-settings").click()
    expect(page.locator('[name="aloud"][value="on"]')).to_be_checked()
    page.locator('[name="mode"][value="expert"]').check(force=True)
    expect(room).to_have_attribute("data-mode", "expert")


def test_a_form_says_what_is_wrong_and_forgets_a_bad_name(visit: Visit) -> None:
    """A rule out of bounds is shown where it was folded away; a refused name is not offered again."""
    visitor = visit()
    page = visitor.page()
    page.goto("/new/5050?with=computer")
    fold = page.locator("details.fold")
    fold.locator("summary").click()
    page.locator("[name=o-target]").fill("3")
    fold.locator("summary").click()
    expect(fold).not_to_have_attribute("open", "")
    page.locator("#start").click()
    expect(fold).to_have_attribute("open", "")
    page.locator("[name=o-target]").fill("2000")
    page.locator("#name-0").fill("<Zoë>")
    page.locator("#start").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.locator("form[action='/language'] button").first.click()
    page.wait_for_url("**/new/5050")
    expect(page.locator("#name-0")).not_to_have_value("<Zoë>")
    # The browser itself complains of the answer 422; that is right.
    visitor.complaints[:] = [text for text in visitor.complaints if "422" not in text]
