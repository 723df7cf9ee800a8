// @ts-check
/**
 * Choosing dice at the table of 5050. What may be put aside, and what it brings, stands in the page (`data-keeps`);
 * this module only finds the entry that fits the dice that were tapped.
 *
 * @typedef {{label: string, balls: number | null, odds: string, said?: string}} ThrowButton
 * @typedef {{move: string, faces: string, turned: number, all: boolean, points: number, total: number, set_points: number,
 *   lift: string, may_stop: boolean, stop: string, throw: ThrowButton, name: string}} Keep
 */

import { calm } from "./settings.js";
import { play as sound } from "./sound.js";
import { moveTo } from "./stage.js";

const RING_MS = 2000;
const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Record<string, string>} words
 * @param {(message: {type: string, [key: string]: any}) => void} act sends a command
 * @param {(text: string) => void} say lets a screen reader say something
 */
export function fiftyFifty(words, act, say) {
  /** What may be put aside of the throw that lies there. @type {Keep[]} */
  let keeps = [];
  /** Places of the dice that are lifted, in the order in which they were tapped. @type {number[]} */
  let lifted = [];
  /** @type {Keep | null} */
  let chosen = null;
  /** Faces entered by hand. @type {string[]} */
  let entered = [];
  /** @type {(() => void) | null} */
  let takeBack = null;
  /** Lifted dice lie over other parts of the page: they move when the tray's size changes, for whatever reason. */
  const sizes = new ResizeObserver(() => lay());

  const tray = () => /** @type {HTMLElement} */ (document.getElementById("tray"));
  const dice = () => Array.from(/** @type {NodeListOf<HTMLElement>} */ (tray().querySelectorAll(".d[data-die]")));
  const faceOf = (/** @type {number} */ place) => dice()[place].dataset.face ?? "";

  function refresh() {
    takeBack?.();
    keeps = JSON.parse(tray().dataset.keeps ?? "[]");
    lifted = [];
    chosen = null;
    entered = [];
    sizes.disconnect();
    sizes.observe(tray());
    // The last turns stand at the bottom of the pad.
    const pad = document.querySelector(".pad-sheet");
    if (pad) pad.scrollTop = pad.scrollHeight;
    dice().forEach((die) => {
      die.setAttribute("aria-pressed", "false");
      die.classList.remove("as-one", "is-back");
      moveTo(die);
    });
    render();
    renderEntered();
  }

  /** @param {HTMLElement} button */
  function press(button) {
    const kind = button.dataset.act;
    if (kind === "die") tap(Number(button.dataset.die));
    else if (kind === "pick") choose(keeps[Number(button.dataset.pick)]);
    else if (kind === "stop") stop(button);
    else if (kind === "go") go(Number(button.dataset.seat));
    else if (kind === "face") enter(button.dataset.face ?? "");
    else if (kind === "face-back") enter(null);
    else if (kind === "faces") act({ type: "hand", text: `throw ${[...entered].sort().join("")}` });
  }

  // --- dice are lifted and laid back ---

  /** Lift a die, with the others that it needs to count; or lay one back, with those that count no longer.
   * @param {number} place */
  function tap(place) {
    if (takeBack) return;
    const up = lifted.includes(place);
    const wish = up ? lifted.filter((each) => each !== place) : [...lifted, place];
    const found = up ? largestWithin(wish, place) : smallestAround(wish);
    sound("tick");
    if (found === null && !up) {
      explain(dice()[place].classList.contains("useless") ? words.useless : words.not_together);
      return;
    }
    lifted = found ?? [];
    const fitting = fits();
    chosen = fitting.find((keep) => !keep.turned) ?? fitting[0] ?? null;
    render();
    if (chosen) say(`${chosen.name}: ${chosen.points}. ${chosen.stop}`);
  }

  /** The keeps that take exactly the lifted dice. */
  function fits() {
    const faces = lifted.map(faceOf).sort().join("");
    return keeps.filter((keep) => keep.faces === faces);
  }

  /** The fewest dice that hold `wish` and count, or null. @param {number[]} wish @returns {number[] | null} */
  function smallestAround(wish) {
    const faces = wish.map(faceOf);
    const around = keeps.filter((keep) => holds(keep.faces, faces)).sort((a, b) => a.faces.length - b.faces.length);
    return around.length ? pick(around[0].faces, wish) : null;
  }

  /** The most dice of `wish` that still count without the one laid back, or null. @param {number[]} wish @param {number} back */
  function largestWithin(wish, back) {
    const within = keeps.filter((keep) => holds(wish.map(faceOf).join(""), Array.from(keep.faces)));
    within.sort((a, b) => b.faces.length - a.faces.length);
    return within.length ? pick(within[0].faces, wish.filter((place) => place !== back)) : null;
  }

  /** Whether `faces` holds all of `part`. @param {string} faces @param {string[]} part */
  function holds(faces, part) {
    const rest = Array.from(faces);
    return part.every((face) => {
      const at = rest.indexOf(face);
      if (at >= 0) rest.splice(at, 1);
      return at >= 0;
    });
  }

  /** Places that show `faces`, those in `first` before others. @param {string} faces @param {number[]} first */
  function pick(faces, first) {
    const order = [...first, ...dice().map((_, place) => place).filter((place) => !first.includes(place))];
    const places = /** @type {number[]} */ ([]);
    for (const face of faces) {
      const place = order.find((each) => faceOf(each) === face && !places.includes(each));
      if (place !== undefined) places.push(place);
    }
    return order.filter((place) => places.includes(place));
  }

  /** @param {Keep} keep */
  function choose(keep) {
    if (takeBack) return;
    lifted = pick(keep.faces, lifted);
    chosen = keep;
    sound("tick");
    render();
  }

  // --- what the page shows of the choice ---

  function render() {
    if (!tray().classList.contains("choosing")) return;
    renderSums();
    renderChoices();
    lay();
  }

  /** Lay every die where it belongs: the lifted ones over the places aside, the others where they fell. */
  function lay() {
    if (!tray().classList.contains("choosing")) return;
    let socket = Number(tray().dataset.aside);
    let turned = chosen?.turned ?? 0;
    let back = turned;
    const fives = lifted.filter((place) => faceOf(place) === "5");
    dice().forEach((die) => {
      if (!lifted.includes(Number(die.dataset.die))) moveTo(die);
      die.setAttribute("aria-pressed", String(lifted.includes(Number(die.dataset.die))));
      die.classList.remove("as-one", "is-back");
      show(die, die.dataset.face ?? "");
    });
    for (const place of lifted) {
      const die = dice()[place];
      const late = fives.length - fives.indexOf(place) <= 2 * (chosen?.turned ?? 0) && faceOf(place) === "5";
      if (late && turned > 0) {
        turned -= 1;
        die.classList.add("as-one");
        show(die, "1");
      } else if (late && back > 0) {
        back -= 1;
        die.classList.add("is-back");
        moveTo(die);
        continue;
      }
      moveTo(die, socket);
      socket += 1;
    }
  }

  function renderSums() {
    const risk = /** @type {HTMLElement} */ (document.getElementById("risk"));
    risk.textContent = String(chosen?.total ?? risk.dataset.was);
    const points = /** @type {HTMLElement} */ (document.getElementById("set-points"));
    points.textContent = String(chosen?.set_points ?? points.dataset.was);
    const ball = /** @type {HTMLElement} */ (document.getElementById("hurdle-ball"));
    ball.setAttribute("transform", chosen?.lift ?? ball.dataset.was ?? "");
    document.getElementById("hurdle")?.classList.toggle("cleared", Boolean(chosen?.may_stop));
    const stopper = /** @type {HTMLElement} */ (document.getElementById("stop"));
    const thrower = /** @type {HTMLElement} */ (document.getElementById("throw"));
    enable(stopper, Boolean(chosen?.may_stop), chosen ? chosen.stop : words.choose_first);
    enable(thrower, chosen !== null, words.choose_first);
    label(stopper, chosen?.stop ?? words.stop);
    label(thrower, chosen?.throw.label ?? words.throw_on);
    thrower.dataset.said = chosen?.throw.said ?? "";
    const lost = chosen?.throw.balls ?? 0;
    thrower.querySelectorAll(".odd").forEach((ball, i) => {
      ball.classList.toggle("odd--lost", i + 1 <= lost);
      ball.classList.toggle("odd--half", i < lost && lost < i + 1);
    });
    thrower.querySelector(".odds")?.classList.toggle("odds--none", (chosen?.throw.balls ?? null) === null);
    /** @type {HTMLElement} */ (thrower.querySelector(".b-odds")).textContent = chosen?.throw.odds ?? "";
    /** @type {HTMLElement} */ (document.getElementById("picked-text")).textContent = chosen ? `${chosen.name} · ${chosen.points}` : "";
  }

  /** Buttons for what cannot be told from the dice alone, and one that takes the most. */
  function renderChoices() {
    const fitting = fits();
    const offers = fitting.length > 1 ? fitting : lifted.length ? [] : keeps.slice(0, 1);
    const chips = offers.map((keep) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "chip";
      chip.id = `pick-${keeps.indexOf(keep)}`;
      chip.dataset.act = "pick";
      chip.dataset.pick = String(keeps.indexOf(keep));
      chip.textContent = `${keep.name} · ${keep.points}`;
      if (fitting.length > 1) chip.setAttribute("aria-pressed", String(keep === chosen));
      return chip;
    });
    const focus = document.activeElement?.id;
    document.getElementById("choices")?.replaceChildren(...chips);
    if (focus?.startsWith("pick-")) (document.getElementById(focus) ?? document.getElementById("throw"))?.focus();
    /** @type {HTMLElement} */ (document.getElementById("picked-text")).hidden = fitting.length > 1;
  }

  /** @param {HTMLElement} button @param {boolean} on @param {string} why */
  function enable(button, on, why) {
    if (on) button.removeAttribute("aria-disabled");
    else button.setAttribute("aria-disabled", "true");
    button.dataset.why = on ? "" : why;
  }

  /** @param {HTMLElement} button @param {string} text */
  function label(button, text) {
    /** @type {HTMLElement} */ (button.querySelector(".b-label")).textContent = text;
  }

  /** @param {string} text */
  function explain(text) {
    const line = /** @type {HTMLElement} */ (document.getElementById("picked-text"));
    line.hidden = false;
    line.textContent = text;
    say(text);
  }

  /** Turn a die to a face. @param {HTMLElement} die @param {string} face */
  function show(die, face) {
    die.querySelector("use")?.setAttribute("href", `#d-${face}`);
  }

  // --- stop and go ---

  /** @param {number} seat */
  function go(seat) {
    if (takeBack) return;
    const moves = chosen ? [chosen.move, ...(chosen.may_stop ? ["go"] : [])] : ["go"];
    act({ type: "do", seat, moves, throw: tray().dataset.dice === "sealed" });
  }

  /** Stop is sent after two seconds, in which it may be taken back: what is written stays written.
   * @param {HTMLElement} button */
  function stop(button) {
    if (takeBack) {
      takeBack();
      return;
    }
    const before = button.querySelector(".b-label")?.textContent ?? "";
    const ring = drawRing();
    button.append(ring);
    button.classList.add("ringing");
    label(button, words.take_back);
    const timer = setTimeout(() => {
      takeBack?.();
      act({ type: "do", seat: Number(button.dataset.seat), moves: [...(chosen ? [chosen.move] : []), "stop"], throw: false });
    }, RING_MS);
    takeBack = () => {
      clearTimeout(timer);
      ring.remove();
      button.classList.remove("ringing");
      label(button, before);
      takeBack = null;
    };
  }

  function drawRing() {
    const ring = document.createElementNS(SVG, "svg");
    ring.setAttribute("class", "ring");
    ring.setAttribute("viewBox", "0 0 40 40");
    ring.setAttribute("aria-hidden", "true");
    const circle = document.createElementNS(SVG, "circle");
    circle.setAttribute("cx", "20");
    circle.setAttribute("cy", "20");
    circle.setAttribute("r", "16");
    circle.setAttribute("pathLength", "100");
    circle.setAttribute("stroke-dasharray", "100");
    ring.append(circle);
    if (!calm()) circle.animate([{ strokeDashoffset: 0 }, { strokeDashoffset: 100 }], { duration: RING_MS, fill: "forwards" });
    return ring;
  }

  // --- dice by hand ---

  /** @param {string | null} face null: the last one was wrong */
  function enter(face) {
    const count = Number(tray().dataset.enter);
    if (face === null) entered.pop();
    else if (entered.length < count) entered.push(face);
    sound("tick");
    renderEntered();
  }

  function renderEntered() {
    const count = Number(tray().dataset.enter);
    if (!count) return;
    tray().querySelectorAll(".place").forEach((place, i) => {
      place.classList.toggle("awaits", i < count && !entered[i]);
      const use = place.querySelector(".entered use");
      if (use) use.setAttribute("href", entered[i] ? `#d-${entered[i]}` : "#f-blank");
      place.classList.toggle("filled", Boolean(entered[i]));
    });
    const done = /** @type {HTMLElement} */ (document.getElementById("enter-done"));
    enable(done, entered.length === count, words.all_dice);
    document.getElementById("enter-back")?.toggleAttribute("disabled", !entered.length);
    const said = /** @type {HTMLElement} */ (document.getElementById("entered-said"));
    said.textContent = entered.length ? entered.join(" ") : "";
  }

  refresh();
  return { refresh, press };
}
