"""Die wilden Fußballkerle in a browser: by thinking, by keys, at one device, with a real box; the training corner."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from bolzplatz.web.language import LANGUAGES
from tests.browser.conftest import LAPTOP, PHONE, Visitor
from tests.browser.play import at_rest, expect_good_check, expect_heard, layout_faults, listen, new_table
from tests.browser.test_screens import accessible

Visit = Callable[..., Visitor]


def waits(page: Page, *kinds: str) -> str:
    """Wait until the table waits for one of these, and say for which."""
    found = page.wait_for_selector(", ".join(f"#table[data-waiting={kind}]" for kind in kinds))
    assert found is not None
    return found.get_attribute("data-waiting") or ""


def open_cards(page: Page) -> list[str]:
    return page.locator("#arc [data-card]").evaluate_all("hands => hands.map((hand) => hand.dataset.card)")


def scores(cards: list[str], colour: str, other: str) -> bool:
    """Whether a colour scores, as the rulebook says it."""
    strikers = [int(card[2:]) for card in cards if card[:2] == f"S{colour}"]
    keepers = [int(card[2:]) for card in cards if card[:2] == f"K{other}"]
    return bool(strikers) and max(strikers) > max(keepers, default=0)


def right_wish(cards: list[str]) -> str:
    if "END" in cards:
        return "none"
    black, red = scores(cards, "b", "r"), scores(cards, "r", "b")
    return "black>red" if black and red else "black" if black else "red" if red else "none"


def chips(page: Page) -> list[int]:
    return [int(text) for text in page.locator("[data-chips] > b").all_inner_texts()]


def expect_chips(page: Page, *chips: int) -> None:
    expect(page.locator("[data-chips] > b")).to_have_text([str(each) for each in chips])


def next_cards(page: Page) -> list[str]:
    page.locator(".kready").click()
    waits(page, "choose")
    return open_cards(page)


def choose(page: Page, wish: str) -> str:
    page.locator(f'[data-wish="{wish}"]').click()
    return waits(page, "ready", "over")


def test_a_whole_match_by_thinking(visit: Visit) -> None:
    """Whoever is always right never loses a chip; the review says who scores; the deals can be checked afterwards."""
    page = visit(PHONE).page()
    new_table(page, "wilde-kerle", "computer", **{"o-end_in_second_half": "true"})
    expect_chips(page, 5, 5, 5)
    rounds = 0
    while waits(page, "ready", "over") == "ready":
        before = chips(page)
        cards = next_cards(page)
        assert len(cards) == 3
        over = choose(page, right_wish(cards)) == "over"
        rounds += 1
        # The last round is told by the log: nothing lies under the card with the result.
        expect(page.locator("#review")).to_be_visible(visible=not over)
        after = chips(page)
        assert after[0] >= before[0]
        assert all(-4 <= now - then <= 1 for now, then in zip(after, before, strict=True))
        if not over:
            goals = [scores(cards, "b", "r"), scores(cards, "r", "b")]
            words = page.locator("#review .judged p > b:first-child")
            expect(words).to_have_text(["Goal!" if goal else "No goal" for goal in goals])
            # Who keeps still where nobody scores is praised for it.
            spotted = not any(goals) and page.locator("#review .holder").count() == 0
            expect(page.locator("#review .praise.is-good")).to_have_count(1 if spotted else 0)
        if rounds == 3:
            assert layout_faults(page) == []
    assert 21 <= rounds <= 40
    best = max(chips(page))
    expect(page.locator("#result-title")).to_have_text(re.compile("wins?!"))
    expect(page.locator("#result p")).to_contain_text(str(best))
    for size in (LAPTOP, PHONE):
        page.set_viewport_size(size)
        assert layout_faults(page) == []
    assert expect_good_check(page) >= rounds


def test_rounds_by_keys_alone(visit: Visit) -> None:
    """One heading says who acts, one region what happened; the focus goes where the next thing is to be done."""
    page = visit(LAPTOP, language="de").page()
    new_table(page, "wilde-kerle", "computer")
    expect(page.get_by_role("heading", level=1)).to_have_text("Kim, bereit?")
    expect(page.get_by_role("status")).to_have_count(1)
    page.locator(".kready").focus()
    for wish, tabs in (("black", 0), ("red", 1), ("none", 0)):
        page.keyboard.press("Enter")
        waits(page, "choose")
        expect(page.get_by_role("heading", level=1)).to_have_text("Kim: Wer trifft?")
        expect(page.get_by_role("status")).to_have_text(re.compile("Kim deckt auf: (schwarzer|roter)"))
        expect(page.locator("#fig-black")).to_be_focused()
        for _ in range(tabs):
            page.keyboard.press("Tab")
        if wish == "none":
            page.locator("#wish-none").focus()
        expect(page.locator(f'[data-wish="{wish}"]')).to_be_focused()
        page.keyboard.press("Enter")
        waits(page, "ready")
        expect(page.get_by_role("status")).to_have_text(re.compile("(Tor|Kein Tor) für Schwarz"))
        expect(page.locator(".kready")).to_be_focused()
    page.keyboard.press("s")
    expect(page.get_by_role("status")).to_have_text(re.compile(r"Kim: \d+ Chips\."))


def test_people_at_one_device_choose_behind_a_curtain(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "wilde-kerle", "people")
    page.locator(".kready").click()
    for name, wish in (("Kim", "black"), ("Robin", "red"), ("Charlie", "none")):
        expect(page.locator("#unveil")).to_have_text(f"I am {name}")
        # Nothing can be pressed through the curtain, nor reached by keys.
        expect(page.locator(f'[data-wish="{wish}"]')).to_have_attribute("inert", "")
        page.locator("#unveil").click()
        expect(page.locator("#turn")).to_have_text(f"{name}: who scores?")
        expect(page.locator(".fig.is-held, .fig[aria-pressed=true]")).to_have_count(0)
        page.locator(f'[data-wish="{wish}"]').click()
    waits(page, "ready")
    expect(page.locator("#review .holder .name")).to_have_text(["Kim", "Robin"])


def enter_cards(page: Page, *cards: str) -> None:
    for card in cards:
        page.locator(f"#group-{card[:2]}").click()
        page.locator(f"#value-{card[2:]}").click()
        expect(page.locator(f'#arc [data-card="{card}"]').first).to_be_visible()


def take(page: Page, piece: str, seat: int) -> None:
    """Say that somebody has a figure."""
    page.locator(f"label:has(#took-{piece}-{seat})").click()
    expect(page.locator(f"#took-{piece}-{seat}")).to_be_checked()


def test_the_real_box_says_who_scored_and_keeps_chips(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "wilde-kerle", "people", dice="hand", **{"o-pro": "true"})
    enter_cards(page, "Sb9", "Kr8", "Kb12")
    # A mistyped card is taken back.
    page.locator("#enter-back").click()
    expect(page.locator("#enter-done")).to_have_attribute("aria-disabled", "true")
    enter_cards(page, "Krw")
    page.locator("#enter-done").click()
    waits(page, "hands")
    take(page, "black", 1)
    # One hand, one figure: red goes to Robin, so black is given back.
    take(page, "red", 1)
    expect(page.locator("#took-black-none")).to_be_checked()
    take(page, "black", 0)
    page.locator("#act").click()
    waits(page, "throw")
    # The red keeper's whistle stops black; red has no striker: both were wrong.
    expect_chips(page, 3, 3, 5)
    expect(page.locator("#review .judged--black")).to_contain_text("whistle: offside")
    expect(page.locator("#review .judged--red")).to_contain_text("no striker")
    enter_cards(page, "Sb10", "Kr8", "Kb5")
    page.locator("#enter-done").click()
    waits(page, "hands")
    take(page, "black", 2)
    page.locator("#act").click()
    waits(page, "throw")
    expect_chips(page, 3, 3, 6)


def test_real_cards_leave_no_seat_to_the_computer(visit: Visit) -> None:
    """What does not fit together is not offered: no computer grabs real cards, and nobody counts them."""
    page = visit(PHONE).page()
    page.goto("/new/wilde-kerle?with=computer")
    page.locator("details.fold > summary").click()
    expect(page.locator('label:visible [name="o-deck"]')).to_have_count(3)
    of_races, head_start = page.locator("label:visible [name=tie]"), page.locator("select:visible[name=handicap-0]")
    expect(of_races).to_have_count(0)
    expect(head_start).to_have_count(1)
    page.locator("[name=pace][value=grab]").check(force=True)
    expect(of_races).to_have_count(4)
    page.locator("[name=dice][value=hand]").check(force=True)
    kinds = page.locator("label:visible [name=kind-1]")
    expect(kinds).to_have_count(2)
    assert kinds.evaluate_all("all => all.map((e) => e.value)") == ["human", "open"]
    expect(page.locator('label:visible [name="o-deck"], label:visible [name=pace]')).to_have_count(0)
    expect(head_start).to_have_count(0)
    page.locator("#start").click()
    page.wait_for_selector("#enter")


# --- every kind of screen -----------------------------------------------------------------------------------------


def screens(page: Page) -> Iterator[str]:
    """Go through the kinds of screens."""
    names = {"name-0": "Maximilian-Alexander"}
    new_table(page, "wilde-kerle", "computer", **names)
    next_cards(page)
    yield "choosing"
    choose(page, "none")
    yield "reviewed"
    new_table(page, "wilde-kerle", "people", dice="hand", **names, **{"o-pro": "true"})
    enter_cards(page, "Sb14", "Kr8")
    page.locator("#group-Kr").click()
    yield "real cards"
    page.locator("#value-w").click()
    page.locator("#enter-done").click()
    waits(page, "hands")
    yield "who took what"
    take(page, "black", 0)
    page.locator("#act").click()
    waits(page, "throw")
    yield "real cards, reviewed"
    page.goto("/new/wilde-kerle?with=people")
    for _ in range(2):
        page.locator("#add-seat").click()
    page.locator("[name=pace][value=grab]").check(force=True)
    page.locator("#start").click()
    page.wait_for_selector('[data-ready="4"]')
    yield "five at one device"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_in_three_languages(visit: Visit, language: str) -> None:
    page = visit(PHONE, language=language).page()
    for screen in screens(page):
        # Five people with half-discs want a tablet. Words are longest in German.
        sizes = [(768, 1024)] if screen == "five at one device" else [(360, 640)]
        if language == "de":
            sizes += [(640, 360), (1280, 800)]
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            assert layout_faults(page) == [], f"{screen} at {width}×{height}"
        assert accessible(page) == [], screen
        page.set_viewport_size(PHONE)


def test_figures_stand_still_left_and_right_and_fill_the_lower_part(visit: Visit) -> None:
    page = visit(PHONE).page()
    new_table(page, "wilde-kerle", "computer")
    boxes = []
    for phase in range(3):
        if phase == 1:
            next_cards(page)
        elif phase == 2:
            choose(page, "none")
        at_rest(page)
        black, red = page.locator("#fig-black, #fig-red").evaluate_all(
            "all => all.map((e) => e.getBoundingClientRect().toJSON())"
        )
        assert min(black["width"], red["width"]) >= 0.4 * 360
        assert black["x"] + black["width"] <= red["x"]
        assert min(black["height"], red["height"]) >= 0.42 * 640
        boxes.append([round(box[side]) for box in (black, red) for side in ("x", "y", "width", "height")])
    assert boxes[0] == boxes[1] == boxes[2]


# --- the training corner ------------------------------------------------------------------------------------------

TRAINING: list[tuple[list[str], list[str], list[tuple[str, int | None, int]]]] = [
    (["Sb10", "Kr8", "Kb5"], ["black"], [("goal", 10, 8), ("no_striker", None, 5)]),
    (["Sb9", "Kr9", "Kb5"], [], [("equal", 9, 9), ("no_striker", None, 5)]),
    (["Sr14", "Kb12", "Kr5"], ["red"], [("no_striker", None, 5), ("goal", 14, 12)]),
]
"""Cards, what is right, and for black and red why: the verdict, striker and keeper."""


HANDS = """(hands) => {
  const row = document.getElementById("row");
  const press = () => {
    const card = Object.keys(hands).find((each) => row.querySelector(`use[href="#c-${each}"]`));
    if (!card) return;
    const target = document.getElementById(`grab-${hands[card]}`);
    delete hands[card];
    setTimeout(() => target.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, button: 0 })), 200);
  };
  new MutationObserver(press).observe(row, { childList: true, subtree: true });
}"""
"""Reach for a figure as soon as certain cards lie there: the round waits a few seconds only, a test may need more."""


def test_the_training_corner_measures_judges_and_remembers(visit: Visit) -> None:
    page = visit(PHONE).page()
    judged = [
        {
            piece: {"why": why, "striker": striker, "keeper": keeper}
            for piece, (why, striker, keeper) in zip(("black", "red"), verdicts, strict=True)
        }
        for _, _, verdicts in TRAINING
    ]
    rounds = [
        {"cards": cards, "right": right, "why": why} for (cards, right, _), why in zip(TRAINING, judged, strict=True)
    ]
    page.route("**/training/wilde-kerle/rounds*", lambda route: route.fulfill(json=rounds))
    page.add_init_script("Math.random = () => 0")
    page.goto("/training/wilde-kerle")
    assert layout_faults(page, table=False) == []
    assert accessible(page) == []
    listen(page, "#outcome")
    page.evaluate(HANDS, {"Sb10": "black", "Sb9": "none", "Sr14": "black"})
    page.locator("#go").click()
    expect(page.locator("#outcome")).to_have_text(re.compile(r"^Mean time \d\.\d\d s, errors 1 of 3\.$"))
    for words in (
        r"Right! \d\.\d\d s · Black: 10 beats 8 · Red: no striker",
        "No goal, well spotted! · Black: 9 equals 9 · Red: no striker",
        r"Not this time\. \d\.\d\d s · Black: no striker · Red: 14 beats 12",
    ):
        expect_heard(page, "#outcome", f"^{words}$")
    page.reload()
    expect(page.locator("#past tr")).to_have_count(1)
    expect(page.locator("#past td").last).to_have_text("1 / 3")
    expect(page.locator("#plot .p-dot")).to_have_count(1)
    kept = json.loads(page.evaluate("localStorage.getItem('bolzplatz.training')"))
    assert [(go["errors"], go["rounds"], go["players"], go["pro"]) for go in kept] == [(1, 3, 3, False)]
    assert accessible(page) == []
    page.locator("#forget").click()
    expect(page.locator("#progress")).to_be_hidden()
