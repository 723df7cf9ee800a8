// @ts-check
/** The keyboard: single letters as lichess has them, and arrows that walk through a group of dice or faces. */

/**
 * @param {{die: (number: number) => void, score: () => void, last: () => void, odds: () => void, help: () => void,
 *   escape: () => void}} does
 */
export function shortcuts(does) {
  const keys = /** @type {Record<string, () => void>} */ ({ s: does.score, l: does.last, o: does.odds, "?": does.help });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") does.escape();
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target instanceof HTMLElement && event.target.matches("input, select, textarea")) return;
    const action = keys[event.key.toLowerCase()];
    if (action) action();
    else if (/^[1-9]$/.test(event.key)) does.die(Number(event.key));
    else return;
    event.preventDefault();
  });
}

const STEPS = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowLeft: -1 });

/** In a group marked `data-rove` one button is reached by Tab, the others by arrows. */
export function roving() {
  addEventListener("keydown", (event) => {
    const group = event.target instanceof HTMLElement ? event.target.closest("[data-rove]") : null;
    if (!(group instanceof HTMLElement) || !event.key.startsWith("Arrow")) return;
    const buttons = Array.from(/** @type {NodeListOf<HTMLElement>} */ (group.querySelectorAll("button:not([disabled])")));
    const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
    const row = Number(group.dataset.rove);
    const step = STEPS[event.key] ?? (event.key === "ArrowDown" ? row : -row);
    const next = buttons[at + step];
    event.preventDefault();
    if (!next) return;
    buttons.forEach((button) => { button.tabIndex = button === next ? 0 : -1; });
    next.focus();
  });
}
