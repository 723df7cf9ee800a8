// @ts-check
/**
 * Taps before the page's scripts have come: kept, shown as heard, and repeated once these are there.
 *
 * A plain script in the head, so that it is there before the first button. Modules have run when the document is ready.
 */
(() => {
  /** What was tapped, in order; who taps again because nothing happens means one tap. @type {Set<HTMLElement>} */
  const tapped = new Set();

  const keep = (/** @type {Event} */ event) => {
    const button = event.target instanceof Element ? event.target.closest("button[type=button]") : null;
    if (!(button instanceof HTMLElement)) return;
    tapped.add(button);
    button.classList.add("is-heard");
  };

  addEventListener("click", keep);
  addEventListener("DOMContentLoaded", () => {
    removeEventListener("click", keep);
    tapped.forEach((button) => {
      button.classList.remove("is-heard");
      button.click();
    });
  });
})();
