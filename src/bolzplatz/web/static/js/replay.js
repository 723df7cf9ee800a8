// @ts-check
/** A match seen again: one step after the other, from one perspective. Every step comes from the server as it was. */

import { Idiomorph } from "../vendor/idiomorph.js";
import { copy } from "./friends.js";
import { current } from "./settings.js";
import * as sound from "./sound.js";
import * as stage from "./stage.js";

const BETWEEN_MS = 900;
const TOLD_MS = 4000;
const HIDE = "hide";

const body = document.body;
const words = /** @type {Record<string, string>} */ (JSON.parse(body.dataset.words ?? "{}"));
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const slider = /** @type {HTMLInputElement} */ (element("slider"));
const seenBy = /** @type {HTMLSelectElement} */ (element("seen-by"));
const hide = /** @type {HTMLInputElement} */ (element("hide"));

/** The step that was asked for last; the page shows `shown` until it has come. */
let step = Number(body.dataset.step);
let shown = step;
const steps = Number(body.dataset.steps);
let playing = false;
/** The newest request: an older one that comes in later is dropped. */
let asked = 0;
/** Requests go one after the other: a slider that is drawn along asks for where it is, not for all that it passed. */
let line = Promise.resolve();
let told = 0;

/** Show a step; with its animation if it is the next one. @param {number} wanted @param {boolean} [anew] */
async function go(wanted, anew = false) {
  const to = Math.max(0, Math.min(steps, wanted));
  if (to === step && !anew) return;
  asked += 1;
  const mine = asked;
  const forward = to === step + 1;
  step = to;
  place();
  const address = `/t/${body.dataset.table}/replay/${to}?as=${encodeURIComponent(seenBy.value)}`;
  const request = line.then(() => mine === asked ? fetch(address) : null);
  line = request.then(() => {}, () => {});
  const answer = await request;
  if (!answer || mine !== asked) return;
  if (!answer.ok) {
    pause();
    notice(words.refused);
    step = shown;
    place();
    return;
  }
  const frame = await answer.json();
  if (mine !== asked) return;
  stage.skip();
  if (forward && !anew) await stage.play(frame.cues);
  if (mine !== asked) return;
  Idiomorph.morph(element("table"), frame.html, { morphStyle: "outerHTML" });
  stage.clear();
  write(frame.log);
  shown = to;
  tell();
  const lines = frame.lines.map((/** @type {{text: string}} */ line) => line.text);
  element("live").textContent = [`${element("where").textContent}:`, ...lines, element("turn").textContent].join(" ");
}

/** @param {{kind: string, rule: string, text: string}[]} lines */
function write(lines) {
  const log = element("log");
  log.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.dataset.kind = line.kind;
    item.title = line.rule;
    item.textContent = line.text;
    return item;
  }));
  log.scrollTop = log.scrollHeight;
}

/** Say in words which step is shown. */
function tell() {
  element("where").textContent = (hide.checked ? body.dataset.only : body.dataset.of ?? "")?.replace("{n}", String(shown)).replace("{of}", String(steps)) ?? "";
}

/** Say where we are going: on the slider, in the address and in the link. */
function place() {
  const link = /** @type {HTMLInputElement} */ (element("link"));
  const seen = seenBy.value ? `&as=${encodeURIComponent(seenBy.value)}` : "";
  const hidden = hide.checked ? `&${HIDE}=1` : "";
  slider.value = String(step);
  slider.hidden = hide.checked;
  element("last").hidden = hide.checked;
  /** @type {HTMLInputElement} */ (element("on-step")).value = String(step);
  link.value = `${link.dataset.base}?step=${step}${seen}${hidden}`;
  history.replaceState(null, "", `?step=${step}${seen}${hidden}`);
}

async function play() {
  playing = true;
  button();
  if (step === steps) await go(0);
  while (playing && step < steps) {
    await go(step + 1);
    await new Promise((done) => setTimeout(done, current().speed === "instant" ? BETWEEN_MS / 3 : BETWEEN_MS));
  }
  pause();
}

function pause() {
  playing = false;
  button();
}

function button() {
  const play = element("play");
  play.setAttribute("aria-pressed", String(playing));
  play.classList.toggle("is-playing", playing);
}

/** Fold the sheet with the rarer buttons away; the keyboard goes back to where it was opened. */
function fold() {
  const more = /** @type {HTMLDetailsElement} */ (element("more"));
  if (more.open && more.contains(document.activeElement)) more.querySelector("summary")?.focus();
  more.open = false;
}

/** @param {string} text */
function notice(text) {
  const line = element("notice");
  line.textContent = text;
  line.hidden = false;
  clearTimeout(told);
  told = setTimeout(() => { line.hidden = true; }, TOLD_MS);
}

/** @type {Record<string, () => void>} */
const DOES = {
  first: () => { pause(); void go(0); },
  back: () => { pause(); void go(step - 1); },
  next: () => { pause(); void go(step + 1); },
  last: () => { pause(); void go(steps); },
  play: () => { if (playing) pause(); else void play(); },
};
/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const stepper = target?.closest("button[data-step]");
  if (stepper instanceof HTMLElement) DOES[stepper.dataset.step ?? ""]?.();
  if (target?.closest("#copy")) void copy(/** @type {HTMLInputElement} */ (element("link")), words, notice);
  const opener = target?.closest("[data-open]");
  if (opener instanceof HTMLElement && opener.dataset.open) body.classList.add(`${opener.dataset.open}-open`);
  const closer = target?.closest("[data-close]");
  if (closer instanceof HTMLElement && closer.dataset.close) body.classList.remove(`${closer.dataset.close}-open`);
});

addEventListener("pointerdown", (event) => {
  sound.unlock();
  if (event.target instanceof Element && !event.target.closest("#player")) fold();
});

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    body.classList.remove("log-open", "pad-open");
    fold();
  }
  const target = event.target instanceof HTMLElement ? event.target : body;
  if (target.matches("select, input[type=text]") || (event.key === " " && target.matches("button, summary, input, a"))) return;
  const does = KEYS[event.key];
  if (!does || (does === "last" && hide.checked)) return;
  event.preventDefault();
  DOES[does]();
});

slider.addEventListener("input", () => { pause(); void go(Number(slider.value)); });
seenBy.addEventListener("change", () => { void go(step, true); });
hide.addEventListener("change", () => { place(); tell(); });

hide.checked = new URLSearchParams(location.search).has(HIDE);
place();
tell();
element("log").scrollTop = element("log").scrollHeight;
