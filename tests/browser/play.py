"""How a test plays: set a table up as a person would, look at the screen, press what it offers."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from bolzplatz.core.record import read_record, verify_record
from bolzplatz.games import load_game
from tests.browser.conftest import PATIENCE_MS

FAULTS = """async (table) => {
  const root = document.documentElement;
  const seen = {visibilityProperty: true, opacityProperty: true};
  const shown = (e) => e.checkVisibility(seen) && e.getClientRects().length;
  const name = (e) => `${e.tagName}#${e.id}.${e.className} ${(e.textContent || e.value || '').trim().slice(0, 20)}`;

  const onPages = (faults) => {
    if (root.scrollWidth > root.clientWidth) faults.push(`sideways scroll: ${root.scrollWidth} > ${root.clientWidth}`);
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) faults.push(`id ${id} occurs twice`);
    const top = document.querySelector('dialog[open]') || document.body;
    const targets = top.querySelectorAll('button, a[href], input:not([type=hidden]), select, summary');
    const boxes = [...targets].filter(shown).map((e) => [e, (e.closest('label') || e).getBoundingClientRect()]);
    for (const [e, box] of boxes) {
      const inText = e.matches('p a, li a') && e.parentElement.textContent.trim() !== e.textContent.trim();
      const size = `${box.width.toFixed()}x${box.height.toFixed()}`;
      if (!inText && (box.width < 43 || box.height < 43)) faults.push(`small target ${size}: ${name(e)}`);
      if (box.left < -1 || box.right > root.clientWidth + 1) faults.push(`out of sight: ${name(e)}`);
    }
    // What is scrolled out of a box of its own lies over nothing.
    const scrolling = '.lobby, .side, .people, .sheet';
    const seenPart = ([e, box]) => {
      let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
      for (let up = e.parentElement.closest(scrolling); up; up = up.parentElement.closest(scrolling)) {
        const own = up.getBoundingClientRect();
        [left, top] = [Math.max(left, own.left), Math.max(top, own.top)];
        [right, bottom] = [Math.min(right, own.right), Math.min(bottom, own.bottom)];
      }
      return [e, {left, top, right, bottom}];
    };
    boxes.forEach((each, i) => { boxes[i] = seenPart(each); });
    for (let i = 0; i < boxes.length; i += 1) for (let j = i + 1; j < boxes.length; j += 1) {
      const [[a, p], [b, q]] = [boxes[i], boxes[j]];
      if (a.contains(b) || b.contains(a)) continue;
      if (a.closest('.start') || b.closest('.start')) continue;
      const side = document.querySelector('.log-open .side, .pad-open .pad, .more[open] .sheet, #result');
      if (side && (side.contains(a) !== side.contains(b))) continue;
      const x = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (Math.min(x, y, p.bottom - p.top, q.bottom - q.top) > 2)
        faults.push(`overlap of ${name(a)} and ${name(b)} by ${x.toFixed()}x${y.toFixed()}`);
    }
  };

  const onTables = (faults) => {
    const height = root.clientHeight;
    if (root.scrollHeight > height) faults.push('the table scrolls');
    for (const e of document.querySelectorAll('#actions button, #result button, .d[data-die]')) {
      if (!e.checkVisibility({visibilityProperty: true})) continue;
      const box = e.getBoundingClientRect();
      if (box.bottom > height + 1 || box.top < -1) faults.push(`below the screen: ${e.id}`);
    }
    for (const e of document.querySelectorAll('#actions .btn, .says h1, .says p, .sum b, .player b')) {
      if (e.scrollWidth > e.clientWidth + 1) faults.push(`text does not fit: ${e.id || e.className} ${e.textContent}`);
    }
  };

  // What moves, and a new size of the window, may take some frames to come to rest; a fault is what stays.
  const begun = performance.now();
  for (let frame = 0; ; frame += 1) {
    const faults = [];
    onPages(faults);
    if (table) onTables(faults);
    if (!faults.length || (frame >= 60 && performance.now() - begun > 3000)) return faults;
    await new Promise((done) => requestAnimationFrame(done));
  }
}"""

REST = """async (patience) => {
  const ends = (moving) => moving.effect?.getComputedTiming().endTime !== Infinity;
  const moves = () => document.getAnimations().some((each) => each.playState === "running" && ends(each));
  const boxes = () => JSON.stringify([...document.body.querySelectorAll("*")].map((e) => e.getBoundingClientRect()));
  const begun = performance.now();
  for (let before = ""; ;) {
    await new Promise((done) => requestAnimationFrame(done));
    const now = moves() ? "" : boxes();
    if (now && now === before) return;
    before = now;
    if (performance.now() - begun > patience) throw new Error("the page does not come to rest");
  }
}"""

SAYS = """(selector) => {
  const line = document.querySelector(selector);
  const said = (window.said ??= {});
  said[selector] = [];
  const hear = () => said[selector].push(line.textContent);
  new MutationObserver(hear).observe(line, { childList: true, characterData: true, subtree: true });
}"""

READY = "#act, #act-take, #throw, #rematch, #enter-1, .kready, #enter"


def new_table(page: Page, game: str, against: str, **answers: str) -> None:
    """Set a table up through the form; answers are its fields by name, such as `o-target`. The first seat begins."""
    page.goto(f"/new/{game}?with={against}")
    fill_form(page, answers)
    page.locator("#start").click()
    ready(page)


def fill_form(page: Page, answers: Mapping[str, str]) -> None:
    """Unfold the form of a new table and answer it."""
    page.locator("details.fold > summary").click()
    for name, value in ({"begins": "0"} | dict(answers)).items():
        field = page.locator(f'[name="{name}"]').first
        if name == "begins" and field.is_hidden():
            continue  # where all move at once, nobody begins
        if field.evaluate("e => e.tagName") == "SELECT":
            field.select_option(value)
        elif field.get_attribute("type") == "radio":
            page.locator(f'[name="{name}"][value="{value}"]').check(force=True)
        else:
            field.fill(value)


def at_rest(page: Page) -> None:
    """Wait until nothing moves any more: what has just been pressed may still glide to its place, or fade in.

    Before anything is measured. For pages of people who want less motion, where nothing moves for ever.
    """
    page.evaluate(REST, PATIENCE_MS)


def listen(page: Page, selector: str) -> None:
    """Keep everything that a line of the page says from now on, however shortly it stands there."""
    page.evaluate(SAYS, selector)


def expect_heard(page: Page, selector: str, words: str) -> None:
    """Wait until a line to which the test listens has said what fits an expression, now or before."""
    heard = "([selector, words]) => window.said[selector].some((text) => new RegExp(words, 'u').test(text))"
    page.wait_for_function(heard, arg=[selector, words])


def layout_faults(page: Page, table: bool = True) -> list[str]:
    """Say what lies over something else, sticks out of the screen, or is too small to hit."""
    faults: list[str] = page.evaluate(FAULTS, table)
    return faults


def ready(page: Page) -> Locator:
    """Wait until this browser may do something, and return what it may press first."""
    page.wait_for_selector("[data-wire=open]")
    page.wait_for_selector(READY)
    return page.locator(READY).first


def press(page: Page, what: Locator) -> None:
    """Press something, and wait until the table has moved on because of it."""
    what.wait_for()
    before = version(page)
    what.click()
    moved_on(page, before)


def version(page: Page) -> str:
    """Return the version of the table that the page shows."""
    return page.locator("#table").get_attribute("data-version") or ""


def moved_on(page: Page, before: str) -> None:
    """Wait until the table shows another version."""
    page.wait_for_selector(f"#table:not([data-version='{before}'])")


def play_on(page: Page, look: Callable[[Page], None] = lambda _: None) -> bool:
    """Make one decision or throw as a person with a mouse would; False when the match is over."""
    first = ready(page)
    look(page)
    if first.get_attribute("id") == "rematch":
        return False
    if page.locator(".tray.choosing").count():
        choose_dice(page)
        look(page)
        return True
    press(page, first)
    return True


def choose_dice(page: Page) -> None:
    """Take everything that counts, stop as soon as it is allowed, else throw on."""
    page.locator(".chip").first.click()
    stop = page.locator("#stop")
    if stop.get_attribute("aria-disabled") is None:
        press(page, stop)
    else:
        press(page, page.locator("#throw"))


def play_to_the_end(page: Page, look: Callable[[Page], None] = lambda _: None, most: int = 600) -> None:
    """Play until somebody has won."""
    for _ in range(most):
        if not play_on(page, look):
            return
    raise AssertionError(f"no winner after {most} steps")


def points_written(page: Page) -> list[int]:
    """Return the points of all players of 5050, as they stand now."""
    return [int(text) for text in page.locator(".player b").all_inner_texts()]


def expect_points(page: Page, points: Sequence[int]) -> None:
    """Wait until the players of 5050 have these points."""
    expect(page.locator(".player b")).to_have_text([str(each) for each in points])


def expect_good_check(page: Page) -> int:
    """Check the dice on the page and return how many throws were right."""
    page.locator("#check").click()
    expect(page.locator("#verdict .good")).to_be_visible()
    found = re.search(r"\d+", page.locator("#verdict .good h2").inner_text())
    assert found is not None
    page.locator("[data-close=checking]").click()
    return int(found[0])


def verified(page: Page, path: Path) -> None:
    """The winner on the page is who the record names, and the record is right."""
    title = page.locator("#result-title").inner_text()
    with page.expect_download() as download:
        page.locator("#record").click()
    download.value.save_as(path)
    record = read_record(path.read_bytes())
    found = verify_record(record, load_game)
    assert found.ok, found.faults
    scores = [int(text) for text in record.result.split()]
    best = [name for name, score in zip(record.seats, scores, strict=True) if score == max(scores)]
    assert len(best) == len(scores) or all(name in title for name in best), "a tie has no winner"
    assert expect_good_check(page) == len(found.draws)
