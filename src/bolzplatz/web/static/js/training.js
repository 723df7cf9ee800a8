// @ts-check
/**
 * The training corner: rounds against oneself. The server deals them with what is right in each; this page shows them,
 * measures from the frame with the cards to the touch, and keeps what came of it in this browser.
 *
 * @typedef {{cards: string[], right: string[], why: Record<string, {why: string, striker: number | null, keeper: number | null}>}} Round
 * @typedef {{at: number, mean: number | null, errors: number, rounds: number, players: number, pro: boolean}} Go
 */

import { keep, pace, read } from "./settings.js";
import { play as sound, unlock } from "./sound.js";

const STORE = "bolzplatz.training";
const MOST_KEPT = 60;
const SHOWN = 20;
const SILENCE_MS = [700, 1900];
const PATIENCE_MS = 5000;
const LOOK_MS = 1500;
const LEAST_PACE = 0.2;
const PIECES = ["black", "red"];
const KEYS = /** @type {Record<string, string>} */ ({ ArrowLeft: "black", ArrowRight: "red", ArrowDown: "none", " ": "none" });
/** The plot, in its own units. */
const PLOT = { left: 56, right: 590, top: 14, bottom: 222 };
const SVG = "http://www.w3.org/2000/svg";

const body = document.body;
const words = /** @type {Record<string, string>} */ (JSON.parse(body.dataset.words ?? "{}"));
const names = /** @type {Record<string, string>} */ (JSON.parse(body.dataset.cards ?? "{}"));
const levels = /** @type {Record<string, number>} */ (JSON.parse(body.dataset.levels ?? "{}"));
const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const buttons = () => /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-piece]"));
const form = /** @type {HTMLFormElement} */ (find("begin"));

/** @param {string} text @param {Record<string, unknown>} places */
const fill = (text, places) => text.replace(/\{(\w+)\}/g, (_, name) => String(places[name]));
const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(2).replace(".", words.point) + " s";
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

// --- one go ---

/** What a press answers now. @type {((piece: string, at: number) => void) | null} */
let listening = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  unlock();
  void play();
});

async function play() {
  const chosen = new FormData(form);
  const [players, pro] = [Number(chosen.get("players")), chosen.get("pro") === "yes"];
  const answer = await fetch(`/training/wilde-kerle/rounds?players=${players}&pro=${pro ? "yes" : "no"}`);
  if (!answer.ok) return;
  const rounds = /** @type {Round[]} */ (await answer.json());
  form.hidden = true;
  find("lead").hidden = true;
  buttons().forEach((button) => { button.disabled = false; });
  find("row").scrollIntoView({ block: "nearest" });
  const times = [];
  let errors = 0;
  for (const [i, round] of rounds.entries()) {
    const { good, ms } = await playRound(round, `${i + 1} / ${rounds.length}`);
    if (!good) errors += 1;
    else if (ms !== null) times.push(ms);
    await pause(LOOK_MS * Math.max(LEAST_PACE, pace()));
  }
  buttons().forEach((button) => { button.disabled = true; });
  form.hidden = false;
  const mean = times.length ? times.reduce((sum, ms) => sum + ms, 0) / times.length : null;
  keep(STORE, [...past(), { at: Date.now(), mean, errors, rounds: rounds.length, players, pro }].slice(-MOST_KEPT));
  find("outcome").textContent = fill(words.done, { mean: mean === null ? "–" : seconds(mean), errors, n: rounds.length });
  render();
}

/**
 * Show one round and wait for the hand. A reach before the cards lie open is a false start: it counts as wrong.
 * @param {Round} round @param {string} place @returns {Promise<{good: boolean, ms: number | null}>}
 */
async function playRound(round, place) {
  lay(round.cards.map(() => "back"));
  find("outcome").textContent = place;
  find("outcome").dataset.tone = "";
  const [shortest, longest] = SILENCE_MS;
  const early = await press(shortest + Math.random() * (longest - shortest));
  if (early) return judge(round, "early", null);
  const shown = await new Promise((resolve) => requestAnimationFrame((now) => {
    lay(round.cards);
    resolve(now);
  }));
  sound("tick");
  const hand = await press(PATIENCE_MS);
  return judge(round, hand?.piece ?? "none", hand ? hand.at - shown : null);
}

/** Wait for a press, at most so long. @param {number} ms @returns {Promise<{piece: string, at: number} | null>} */
function press(ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(null), ms);
    /** @param {{piece: string, at: number} | null} what */
    const done = (what) => {
      clearTimeout(timer);
      listening = null;
      resolve(what);
    };
    listening = (piece, at) => done({ piece, at });
  });
}

/** @param {Round} round @param {string} piece @param {number | null} ms */
function judge(round, piece, ms) {
  const good = piece === "none" ? !round.right.length : round.right.includes(piece);
  const why = PIECES.map((colour) => {
    const { why: kind, ...values } = round.why[colour];
    return `${words[colour]}: ${fill(words[kind], values)}`;
  });
  const first = piece === "early" ? words.early : good ? words[piece === "none" ? "still" : "right"] : words.wrong;
  find("outcome").textContent = [ms === null || piece === "none" ? first : `${first} ${seconds(ms)}`, ...why].join(" · ");
  find("outcome").dataset.tone = good ? "good" : "calm";
  if (good) sound(piece === "none" ? "good" : "goal");
  return { good, ms: piece === "none" ? null : ms };
}

/** @param {string[]} cards */
function lay(cards) {
  find("row").replaceChildren(...cards.map((card) => {
    const item = document.createElement("li");
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "kcard");
    svg.setAttribute("viewBox", "0 0 100 136");
    svg.setAttribute("aria-hidden", "true");
    svg.append(draw("use", { href: `#c-${card}` }));
    const said = document.createElement("span");
    said.className = "hidden";
    said.textContent = names[card];
    item.append(svg, said);
    return item;
  }));
}

addEventListener("pointerdown", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-piece]") : null;
  if (button instanceof HTMLButtonElement && !button.disabled && event.button === 0) hit(button, event.timeStamp);
});
addEventListener("keydown", (event) => {
  if (!listening || event.repeat) return;
  const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.piece : undefined;
  const piece = KEYS[event.key] && !(focus && event.key === " ") ? KEYS[event.key] : ["Enter", " "].includes(event.key) ? focus : undefined;
  if (!piece) return;
  event.preventDefault();
  hit(/** @type {HTMLElement} */ (document.querySelector(`[data-piece="${piece}"]`)), event.timeStamp);
});

/** @param {HTMLElement} button @param {number} at */
function hit(button, at) {
  if (!listening) return;
  button.classList.add("is-held");
  setTimeout(() => button.classList.remove("is-held"), 300);
  listening(button.dataset.piece ?? "", at);
}

// --- what came of it ---

/** @returns {Go[]} */
function past() {
  const stored = read(STORE, []);
  return Array.isArray(stored) ? stored.filter((go) => go && Number.isFinite(go.at) && Number.isFinite(go.errors) && go.rounds > 0) : [];
}

find("forget").addEventListener("click", () => {
  keep(STORE, []);
  render();
});

function render() {
  const all = past();
  const gos = all.slice(-SHOWN);
  find("progress").hidden = !gos.length;
  if (!gos.length) return;
  const last = gos[gos.length - 1];
  find("summary").textContent = fill(words.summary, { n: all.length, mean: last.mean === null ? "–" : seconds(last.mean), errors: last.errors, of: last.rounds });
  find("past").replaceChildren(...gos.slice().reverse().map((go) => {
    const row = document.createElement("tr");
    const cells = [new Date(go.at).toLocaleString(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" }), go.mean === null ? "–" : seconds(go.mean), `${go.errors} / ${go.rounds}`];
    row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  }));
  plot(gos);
}

/** Draw the mean times as a line, the errors as bars, and what computer players take beside them. @param {Go[]} gos */
function plot(gos) {
  const means = gos.flatMap(({ mean }) => (mean === null ? [] : [mean]));
  const most = Math.max(2500, ...means) * 1.05;
  const x = (/** @type {number} */ i) => (PLOT.left + (PLOT.right - PLOT.left) * (i + 0.5) / gos.length);
  const y = (/** @type {number} */ ms) => PLOT.bottom - (PLOT.bottom - PLOT.top) * ms / most;
  const parts = [];
  for (let tick = 0; tick < most; tick += 500) {
    parts.push(draw("path", { class: "p-grid", d: `M${PLOT.left} ${y(tick)}H${PLOT.right}` }), text(`${(tick / 1000).toFixed(1).replace(".", words.point)} s`, PLOT.left - 8, y(tick) + 5, "p-tick p-right"));
  }
  for (const [level, ms] of Object.entries(levels)) parts.push(draw("path", { class: "p-level", d: `M${PLOT.left} ${y(ms)}H${PLOT.right}` }), text(level, PLOT.right - 4, y(ms) - 4, "p-note p-right"));
  const width = Math.min(26, (PLOT.right - PLOT.left) / gos.length - 4);
  gos.forEach((go, i) => {
    const height = 60 * go.errors / go.rounds;
    parts.push(draw("rect", { class: "p-errors", x: x(i) - width / 2, y: PLOT.bottom - height, width, height }));
    parts.push(text(String(go.errors), x(i), PLOT.bottom + 20, "p-tick p-middle"));
  });
  const line = gos.flatMap((go, i) => (go.mean === null ? [] : [`${x(i)} ${y(go.mean)}`]));
  if (line.length) parts.push(draw("path", { class: "p-line", d: `M${line.join("L")}` }));
  gos.forEach((go, i) => { if (go.mean !== null) parts.push(draw("circle", { class: "p-dot", cx: x(i), cy: y(go.mean), r: 6 })); });
  find("plot").replaceChildren(...parts);
}

/** @param {string} name @param {Record<string, string | number>} attributes */
function draw(name, attributes) {
  const part = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => part.setAttribute(key, String(value)));
  return part;
}

/** @param {string} words @param {number} x @param {number} y @param {string} kind */
function text(words, x, y, kind) {
  const part = draw("text", { class: kind, x, y });
  part.textContent = words;
  return part;
}

lay(["back", "back", "back"]);
render();
