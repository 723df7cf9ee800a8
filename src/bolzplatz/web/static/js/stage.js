// @ts-check
/**
 * The show between two states: dice that fall, pieces that move, calls across the table. A tap skips it.
 *
 * It plays the cues of a frame (see `web/render`) over the old state; then the page shows the new one.
 *
 * @typedef {{at: string, face: string, dark: boolean, turn: number}} FallingDie
 * @typedef {{do: string, dice?: FallingDie[], fresh?: boolean, on?: string, name?: string, value?: string, ms?: number, text?: string,
 *   tone?: string, faces?: string, from?: string, to?: string, count?: number}} Cue
 */

import { calm, pace } from "./settings.js";
import { play as sound } from "./sound.js";

const FALL = 700;
const FADE = 120;
const SVG = "http://www.w3.org/2000/svg";
const PLAIN = "M17 3H83A14 14 0 0 1 97 17V83A14 14 0 0 1 83 97H17A14 14 0 0 1 3 83V17A14 14 0 0 1 17 3z";
const NOTCHED = "M17 3H72L97 28V83A14 14 0 0 1 83 97H17A14 14 0 0 1 3 83V17A14 14 0 0 1 17 3z";
/** How a cube turns to bring each side to the front; the first side is the one that came up. */
const SIDES = ["", "rotateY(90deg)", "rotateY(180deg)", "rotateY(-90deg)", "rotateX(90deg)", "rotateX(-90deg)"];

const stage = /** @type {HTMLElement} */ (document.getElementById("stage"));
const banner = /** @type {HTMLElement} */ (document.getElementById("banner"));

let skipping = false;
/** Animations and waits that a tap ends. @type {Set<() => void>} */
const running = new Set();

/** Whether something is being shown. */
export const busy = () => running.size > 0;

/** End what is being shown, and show the rest of this frame at once. */
export function skip() {
  skipping = true;
  running.forEach((end) => end());
}

/** The show that is on. */
let newest = 0;

/** Play cues one after the other; whatever is left of an earlier show is dropped. @param {Cue[]} cues */
export async function play(cues) {
  skipping = false;
  newest += 1;
  const own = newest;
  for (const cue of cues) {
    if (own !== newest) return;
    if (skipping || pace() === 0) settle(cue);
    else await (CUES[cue.do] ?? CUES.wait)(cue);
  }
}

/** Take everything off the stage. */
export function clear() {
  stage.replaceChildren();
  document.querySelectorAll(".thrown").forEach((spot) => spot.classList.remove("thrown"));
}

/** Carry out what a cue leaves behind, without showing how. @param {Cue} cue */
function settle(cue) {
  const element = cue.do === "set" ? document.getElementById(cue.on ?? "") : null;
  if (cue.name === "text" && element) element.textContent = cue.value ?? "";
  else element?.setAttribute(cue.name ?? "", cue.value ?? "");
}

/** @param {number} ms */
function wait(ms) {
  if (skipping) return Promise.resolve();
  return /** @type {Promise<void>} */ (new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      running.delete(end);
      resolve();
    };
    const timer = setTimeout(end, ms * pace());
    running.add(end);
  }));
}

/** @param {Element} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} options */
function animate(element, frames, options) {
  const moving = element.animate(frames, { fill: "both", ...options });
  const end = () => moving.finish();
  running.add(end);
  return moving.finished.catch(() => undefined).then(() => running.delete(end));
}

/** @type {Record<string, (cue: Cue) => Promise<unknown>>} */
const CUES = {
  throw: fall,
  async set(cue) {
    settle(cue);
    await wait(calm() ? FADE : cue.ms ?? 0);
  },
  async say(cue) {
    await call(cue.text ?? "", cue.tone ?? "calm", cue.ms ?? 900);
  },
  async sound(cue) {
    sound(cue.name ?? "");
  },
  async wait(cue) {
    await wait(cue.ms ?? 0);
  },
  lift,
  walk,
};

/** Draw one side of a die. @param {string} face @param {boolean} dark @param {string} prefix */
function picture(face, dark, prefix) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 100");
  svg.setAttribute("class", dark ? "die die--dark" : "die");
  const body = document.createElementNS(SVG, "path");
  body.setAttribute("class", "die-body");
  body.setAttribute("d", dark ? NOTCHED : PLAIN);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${prefix}-${face}`);
  svg.append(body, use);
  return svg;
}

/** The other five sides of a die, for the tumbling. @param {HTMLElement} spot @param {FallingDie} die */
function otherSides(spot, die) {
  /** @type {{face: string, dark: boolean}[]} */
  const all = spot.dataset.faces ? JSON.parse(spot.dataset.faces) : ["1", "2", "3", "4", "5", "6"].map((face) => ({ face, dark: false }));
  return all.filter(({ face }) => face !== die.face);
}

/** Let dice fall: they tumble in from the cup or from above and come to rest on what they show. @param {Cue} cue */
async function fall(cue) {
  clear();
  sound("dice");
  const cup = document.getElementById("cup");
  const from = cup?.getBoundingClientRect();
  cup?.classList.add("emptied");
  document.querySelectorAll(".shaking").forEach((element) => element.classList.remove("shaking"));
  const falling = (cue.dice ?? []).filter(({ at }) => !cue.fresh || document.getElementById(at)?.classList.contains("inhand"));
  const dice = falling.map((die, i) => flying(die, i, from));
  await Promise.all(dice.filter((done) => done));
  document.getElementById("watching")?.classList.add("done");
  sound("land");
}

/** @param {FallingDie} die @param {number} number @param {DOMRect | undefined} from */
function flying(die, number, from) {
  const spot = document.getElementById(die.at);
  if (!spot) return null;
  const target = (spot.querySelector(".d, .die") ?? spot);
  const size = target instanceof HTMLElement ? target.offsetWidth : target.getBoundingClientRect().width;
  const box = spot.getBoundingClientRect();
  const holder = document.createElement("div");
  holder.className = "flying";
  Object.assign(holder.style, {
    width: `${size}px`, height: `${size}px`,
    left: `${box.left + (box.width - size) / 2}px`, top: `${box.top + (box.height - size) / 2}px`,
  });
  const rest = document.createElement("div");
  rest.className = spot.dataset.faces ? "" : `rest lie-${die.turn}`;
  const cube = document.createElement("div");
  cube.className = "cube";
  const prefix = spot.dataset.faces ? "f" : "d";
  [die, ...otherSides(spot, die)].forEach(({ face, dark }, side) => {
    const plate = document.createElement("div");
    plate.className = "face";
    plate.style.transform = `${SIDES[side]} translateZ(${size / 2}px)`;
    plate.append(picture(face, dark, prefix));
    cube.append(plate);
  });
  rest.append(cube);
  holder.append(rest);
  stage.append(holder);
  spot.classList.add("thrown");
  if (calm()) return animate(holder, [{ opacity: 0 }, { opacity: 1 }], { duration: FADE });
  const dx = from ? from.left + from.width / 2 - box.left - box.width / 2 : (number % 2 ? 1 : -1) * size * 0.3;
  const dy = from ? from.top + from.height / 2 - box.top - box.height / 2 : -Math.min(box.top + size, size * 2.2);
  const spin = number % 2 ? -1 : 1;
  const timing = { duration: (FALL - 30 * number) * pace(), delay: 30 * number * pace() };
  const flat = `translateZ(${-size / 2}px)`;
  return Promise.all([
    animate(holder, [
      { transform: `translate(${dx}px, ${dy}px) scale(0.7)`, easing: "cubic-bezier(.3,.2,.6,1)" },
      { transform: `translate(${dx * 0.35}px, ${dy * 0.35 - size * 0.5}px) scale(1.25)`, offset: 0.35, easing: "cubic-bezier(.4,0,.8,.6)" },
      { transform: `translate(${dx * -0.04}px, 0) scale(1)`, offset: 0.66, easing: "cubic-bezier(.2,.6,.4,1)" },
      { transform: `translate(0, ${-size * 0.22}px) scale(1.05)`, offset: 0.8, easing: "cubic-bezier(.5,0,.8,.5)" },
      { transform: "none" },
    ], timing),
    animate(cube, [
      { transform: `${flat} rotateX(${spin * 620}deg) rotateY(${spin * -470}deg) rotateZ(${spin * 200}deg)` },
      { transform: `${flat} rotateX(${spin * 160}deg) rotateY(${spin * -100}deg) rotateZ(${spin * 40}deg)`, offset: 0.66 },
      { transform: `${flat} rotateX(0) rotateY(0) rotateZ(0)`, offset: 0.92 },
      { transform: flat },
    ], { ...timing, easing: "linear" }),
  ]);
}

/** Let chips walk from one element to another, one after the other. @param {Cue} cue */
async function walk(cue) {
  const from = document.getElementById(cue.from ?? "")?.getBoundingClientRect();
  const to = document.getElementById(cue.to ?? "")?.getBoundingClientRect();
  if (!from || !to) return;
  sound("tick");
  const x = to.left + to.width / 2 - from.left - from.width / 2;
  const y = to.top + to.height / 2 - from.top - from.height / 2;
  const way = calm() ? [{ opacity: 0 }, { opacity: 1 }] : [{ transform: "none" }, { transform: `translate(${x / 2}px, ${y / 2 - 30}px)` }, { transform: `translate(${x}px, ${y}px)` }];
  const walking = Array.from({ length: cue.count ?? 1 }, (_, i) => {
    const chip = document.createElementNS(SVG, "svg");
    chip.setAttribute("viewBox", "0 0 40 30");
    chip.setAttribute("class", "chipwalk kchip--1");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", "#k-chip");
    chip.append(use);
    Object.assign(chip.style, { left: `${from.left + from.width / 2 - 18}px`, top: `${from.top + from.height / 2 - 14}px` });
    stage.append(chip);
    return animate(chip, way, { duration: (calm() ? FADE : 520) * pace(), delay: 140 * i * pace(), easing: "ease-in-out" }).then(() => chip.remove());
  });
  await Promise.all(walking);
}

/** Show which dice a seat puts aside, where its player is not the one who taps. @param {Cue} cue */
async function lift(cue) {
  const dice = Array.from(/** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#tray .d[data-face]")));
  if (dice.some((die) => die.getAttribute("aria-pressed") === "true")) return;
  let sockets = document.querySelectorAll("#aside .lies").length;
  const wanted = cue.faces === "*" ? dice.map((die) => die.dataset.face) : Array.from(cue.faces ?? "");
  for (const face of wanted) {
    const die = dice.find((each) => each.dataset.face === face && each.getAttribute("aria-pressed") !== "true");
    if (!die) continue;
    die.setAttribute("aria-pressed", "true");
    moveTo(die, sockets);
    sockets += 1;
  }
  await wait(calm() ? 500 : 650);
}

/** Move a die from the tray over one of the places aside; without a number back to where it lies.
 * @param {HTMLElement} die @param {number} [socket] */
export function moveTo(die, socket) {
  die.style.transform = "";
  const place = socket === undefined ? null : document.getElementById(`socket-${socket}`);
  if (!place) return;
  const home = /** @type {HTMLElement} */ (die.parentElement).getBoundingClientRect();
  const goal = place.getBoundingClientRect();
  const scale = goal.width / die.offsetWidth;
  const x = goal.left + goal.width / 2 - home.left - home.width / 2;
  const y = goal.top + goal.height / 2 - home.top - home.height / 2;
  die.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
}

/** A strip across the table. @param {string} text @param {string} tone @param {number} ms */
async function call(text, tone, ms) {
  const strip = /** @type {HTMLElement} */ (banner.firstElementChild);
  strip.textContent = text;
  banner.dataset.tone = tone;
  banner.hidden = false;
  if (tone === "goal" && !calm()) confetti(30);
  const still = [{ opacity: 0 }, { opacity: 1 }];
  const jump = [
    { opacity: 0, transform: "scale(0.4) rotate(-9deg)" },
    { opacity: 1, transform: "scale(1.1) rotate(2deg)", offset: 0.6 },
    { opacity: 1, transform: "scale(1) rotate(-2deg)" },
  ];
  await animate(strip, calm() ? still : jump, { duration: (calm() ? FADE : 260) * pace(), easing: "ease-out" });
  await wait(ms);
  if (!skipping) await animate(strip, [{ opacity: 1 }, { opacity: 0 }], { duration: FADE * pace() });
  banner.hidden = true;
}

/** Bits of paper from the stands. @param {number} count */
export function confetti(count) {
  if (calm() || pace() === 0) return;
  for (let i = 0; i < count; i += 1) {
    const bit = document.createElement("i");
    bit.className = `bit bit--${i % 4}`;
    bit.style.left = `${(i * 61) % 100}%`;
    bit.style.top = "-30px";
    banner.append(bit);
    const drift = ((i * 37) % 80) - 40;
    bit.animate(
      [{ transform: "none" }, { transform: `translate(${drift}px, ${innerHeight + 60}px) rotate(${(i % 2 ? 1 : -1) * 540}deg)` }],
      { duration: 1500 + ((i * 83) % 900), delay: (i * 29) % 300, easing: "cubic-bezier(.3,.1,.7,1)" },
    ).finished.then(() => bit.remove(), () => bit.remove());
  }
}
