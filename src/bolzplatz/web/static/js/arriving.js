// @ts-check
/**
 * Pages whose answer is still being worked out: the page is asked for again until it is there. A form of rules is
 * answered at once when something in it is changed.
 */

const PAUSE_MS = 3000;
/** Whoever asks for too much is told to wait, and asks less often. */
const LONG_PAUSE_MS = 6000;
const TOO_MUCH = 429;

/** What was asked for last: answers to earlier questions are not shown. */
let asked = 0;

/** Ask for the page of this address and show its answer. @param {string} address @param {number} number */
async function look(address, number) {
  const answer = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
  if (number !== asked) return;
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [old, fresh] = [document.getElementById("arriving"), page.getElementById("arriving")];
    if (number !== asked || !old || !fresh) return;
    if (old.innerHTML !== fresh.innerHTML) old.innerHTML = fresh.innerHTML;
    old.dataset.state = fresh.dataset.state;
  }
  again(answer?.status === TOO_MUCH ? LONG_PAUSE_MS : PAUSE_MS);
}

/** Ask again after a while, as long as the answer is not there. @param {number} [pause] */
function again(pause = PAUSE_MS) {
  const number = asked;
  if (document.getElementById("arriving")?.dataset.state !== "ready") {
    setTimeout(() => { if (number === asked) void look(location.href, number); }, pause);
  }
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("whatif"));

function ask() {
  if (!form) return;
  const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
  const address = `${form.action}?${query}`;
  history.replaceState(null, "", address);
  asked += 1;
  const shown = document.getElementById("arriving");
  if (shown) shown.dataset.state = "waiting";
  void look(address, asked);
}

form?.addEventListener("change", ask);
// What a slider stands at is told while it moves; the question is asked when it is let go.
form?.addEventListener("input", (event) => {
  const slider = event.target;
  if (!(slider instanceof HTMLInputElement) || slider.type !== "range") return;
  const told = form.querySelector(`output[for="${slider.id}"]`);
  if (told) told.textContent = slider.value;
});
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
again();
