// @ts-check
/**
 * Choosing what each die does at the table of GOOAAAAAL! Nothing is sent before the throw is done with: people tap in
 * any order, the rules name moves in one. What a die may do stands in the page (`data-uses`), with the place of the move
 * in that order; this module sorts, numbers and sends.
 *
 * @typedef {{use: string, move: string, rank: number, spot: string, limit: string, inner: boolean, picture: string,
 *   label: string, kind?: number}} Use
 * @typedef {{seat: number, named: boolean, last: boolean, single: boolean, same: boolean, sealed: boolean, in_hand: number, again: boolean,
 *   supporters: number, reds: string[], targets: string[][], limits: Record<string, number>, stop: boolean,
 *   texts: Record<string, string>}} Plan
 */

import { play as sound } from "./sound.js";
import { Taps } from "./taps.js";

const LETTERS = "BKSQWTOYRJF";
const SVG = "http://www.w3.org/2000/svg";
/** Uses that leave a die on the line or aside: it is not thrown again. */
const STAYS = ["ball", "keeper", "aside", "keep"];

/**
 * @param {Record<string, string>} words
 * @param {(message: {type: string, [key: string]: any}) => void} act sends a command
 * @param {(text: string) => void} say lets a screen reader say something
 * @param {import("./link.js").Link} link
 */
export function gooaaaaal(words, act, say, link) {
  /** @type {Plan | null} */
  let plan = null;
  /** What is to be done with each die, in the order in which they were tapped. @type {Map<HTMLElement, Use>} */
  let chosen = new Map();
  /** The die whose choice is open. @type {HTMLElement | null} */
  let asking = null;
  /** Dice of a free kick, while it is chosen. @type {Set<HTMLElement>} */
  let kicked = new Set();
  /** Cells whose dice fall next. @type {string[]} */
  let fresh = [];
  /** Letters entered by hand, and those of a throw in parts that are still to be sent. @type {string[]} */
  let entered = [];
  /** @type {string[]} */
  let rest = [];

  const find = (/** @type {string} */ id) => document.getElementById(id);
  const tray = () => find("tray");
  const dice = () => Array.from(/** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#tray .d[data-uses]")));
  const usesOf = (/** @type {HTMLElement} */ die) => /** @type {Use[]} */ (JSON.parse(die.dataset.uses ?? "[]"));
  const placeOf = (/** @type {HTMLElement} */ die) => die.dataset.place ?? "";
  const lying = () => dice().filter((die) => placeOf(die) !== "aside");

  // --- a race in which each tap throws ---

  const table = () => /** @type {HTMLElement} */ (find("table"));
  const pads = () => Array.from(/** @type {NodeListOf<HTMLElement>} */ (table().querySelectorAll("[data-tap]")));
  /** The word of the countdown, 0 for the silence, null where nothing is counted. @type {number | null} */
  let countdown = null;
  /** Hands that have tapped and wait for their dice. @type {Set<number>} */
  const throwing = new Set();

  const grab = new Taps((message) => link.command(message), (message) => link.send(message), {
    onCountdown: (word) => {
      countdown = word;
      showRace();
      if (word) sound("tick");
    },
    onWhistle: () => {
      countdown = null;
      throwing.clear();
      showRace();
      sound("whistle");
      say(find("race")?.dataset.go ?? "");
    },
    onDice: lay,
    onRefused: (answer) => say(words[`refused_${answer.reason}`] ?? words.refused),
  });

  /** Lay the dice that a tap threw, all at once. @param {number} seat @param {string[]} faces @param {number} quarters */
  function lay(seat, faces, quarters) {
    throwing.delete(seat);
    const cells = Array.from(/** @type {NodeListOf<HTMLElement>} */ (table().querySelectorAll(`[id^="race-${seat}-"]`)));
    cells.forEach((cell, i) => {
      cell.hidden = i >= faces.length;
      if (cell.hidden) return;
      cell.classList.toggle("hit", faces[i] === "quarter");
      cell.querySelector("use")?.setAttribute("href", `#f-g-${faces[i]}`);
    });
    find(`build-${seat}`)?.querySelectorAll(".wedge").forEach((wedge, i) => wedge.classList.toggle("in", i < quarters));
    sound(faces.includes("quarter") ? "good" : "tick");
    showRace();
  }

  /** @param {HTMLElement} pad @param {number} at the event's time stamp */
  async function tapPad(pad, at) {
    const seat = Number(pad.dataset.tap);
    if (!grab.on || throwing.has(seat)) return;
    throwing.add(seat);
    sound("kick");
    showRace();
    const answer = await grab.tap(seat, at);
    if (answer.ok) return;
    throwing.delete(seat);
    if (answer.reason === "too_soon") hasty(seat);
    showRace();
  }

  /** Say for a moment that a hand was quicker than anybody sees. @param {number} seat */
  function hasty(seat) {
    const pad = find(`tap-${seat}`);
    pad?.classList.add("is-hasty");
    pad?.addEventListener("animationend", () => pad.classList.remove("is-hasty"), { once: true });
    say(words.refused_too_soon);
  }

  /** Show what only this page knows of the race: the count, and whose dice are in the air. */
  function showRace() {
    const line = find("count");
    line?.classList.toggle("is-on", countdown !== null);
    if (line) line.textContent = countdown === null ? "" : JSON.parse(line.dataset.words ?? "[]")[countdown];
    table().classList.toggle("is-counting", countdown !== null);
    for (const pad of pads()) {
      const seat = Number(pad.dataset.tap);
      pad.classList.toggle("is-held", throwing.has(seat));
      pad.setAttribute("aria-disabled", String(!grab.on));
      table().querySelectorAll(`[id^="race-${seat}-"]`).forEach((cell) => cell.classList.toggle("flies", throwing.has(seat)));
    }
  }

  addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    const pad = /** @type {HTMLElement | null} */ (event.target.closest("[data-tap]"));
    if (pad) void tapPad(pad, event.timeStamp);
  }, true);

  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const pad = pads().find((each) => each.dataset.key === event.key.toUpperCase()) ?? null;
    if (!pad) return;
    event.preventDefault();
    event.stopPropagation();
    void tapPad(pad, event.timeStamp);
  }, true);

  // A screen reader clicks without a pointer and without a key.
  addEventListener("click", (event) => {
    const pad = event.target instanceof Element ? event.target.closest("[data-tap]") : null;
    if (pad instanceof HTMLElement && event.detail === 0) void tapPad(pad, event.timeStamp);
  });

  /** @param {HTMLElement} button */
  function ready(button) {
    const on = button.getAttribute("aria-pressed") !== "true";
    grab.ready(Number(button.dataset.ready), on, matchMedia("(pointer: coarse)").matches ? "touch" : "mouse");
    button.setAttribute("aria-pressed", String(on));
    sound("tick");
  }

  // --- the dice of a throw ---

  function refresh() {
    if (find("count")) showRace();
    else countdown = null;
    const box = tray();
    plan = box?.dataset.plan ? JSON.parse(box.dataset.plan) : null;
    chosen = new Map();
    kicked = new Set();
    asking = null;
    entered = [];
    const landing = box?.dataset.landing;
    if (landing) fresh.forEach((id) => find(id)?.classList.add("inhand"));
    else fresh = Array.from(document.querySelectorAll("#tray .inhand"), (cell) => cell.id);
    render();
    renderEntered();
    const auto = document.getElementById("table")?.dataset.auto;
    // Only once the page has taken the new state over whole: a command is made on what it shows.
    if (auto) queueMicrotask(() => act(JSON.parse(auto)));
    else if (rest.length) queueMicrotask(sendPart);
  }

  /** @param {HTMLElement} button */
  function press(button) {
    const kind = button.dataset.act;
    if (kind === "die") tap(button);
    else if (kind === "use") take(Number(button.dataset.use));
    else if (kind === "all") takeAll();
    else if (kind === "commit") commit("on");
    else if (kind === "second") second();
    else if (kind === "face") enter(button);
    else if (kind === "face-back") enter(null);
    else if (kind === "ready") ready(button);
    else if (kind === "faces") {
      rest = entered;
      sendPart();
    }
  }

  // --- what a die does ---

  /** @param {HTMLElement} die */
  function tap(die) {
    if (!plan) return;
    sound("tick");
    if (kicked.size || isKicking()) {
      tapInKick(die);
    } else if (chosen.has(die)) {
      chosen.delete(die);
      asking = null;
    } else if (die.dataset.face === "supporter" && plan.again) {
      again();
      return;
    } else {
      const uses = usesOf(die);
      if (!uses.length) {
        asking = null;
        explain(plan.texts[`no_${die.dataset.face}`] ?? plan.texts.no_use);
        return;
      }
      asking = uses.length > 1 ? die : null;
      if (uses.length === 1) put(die, uses[0]);
    }
    render();
  }

  /** @param {number} number */
  function take(number) {
    if (!asking) return;
    const die = asking;
    asking = null;
    put(die, usesOf(die)[number]);
    render();
    die.focus({ preventScroll: true });
  }

  /** Lay every ball and keeper on the only line. */
  function takeAll() {
    for (const die of dice()) {
      const use = usesOf(die).find(({ move }) => move.startsWith("place"));
      if (use && !chosen.has(die)) put(die, use);
    }
    sound("tick");
    render();
  }

  /** @param {HTMLElement} die @param {Use} use */
  function put(die, use) {
    if (!plan) return;
    if (use.limit) {
      const same = [...chosen].filter(([, each]) => each.limit === use.limit);
      if (same.length >= plan.limits[use.limit]) {
        if (!same.length) return;
        chosen.delete(same[0][0]);
      }
    }
    chosen.set(die, use);
    if (use.use === "kick") kicked = new Set(lying().filter((each) => !chosen.has(each) || each === die));
    // The last die may not lie aside, and a joker takes the quarter where it lies.
    for (const [each, { use: how }] of [...chosen]) {
      const joined = [...chosen.values()].some(({ move }) => move === "joker Q");
      if (how === "aside" && (joined || (plan.single && leftover() === 0))) {
        chosen.delete(each);
        explain(plan.texts[joined ? "joined" : "last_aside"]);
      }
    }
    say(`${die.getAttribute("aria-label")}: ${use.label}`);
  }

  const isKicking = () => [...chosen.values()].some(({ use }) => use === "kick");

  /** @param {HTMLElement} die */
  function tapInKick(die) {
    const use = chosen.get(die);
    if (use?.use === "kick") {
      chosen.delete(die);
      kicked.clear();
    } else if (use) {
      explain(plan?.texts.placed ?? "");
    } else if (kicked.has(die)) {
      if (kicked.size > 1) kicked.delete(die);
    } else {
      kicked.add(die);
    }
  }

  /** How many dice are thrown next, as it is chosen. */
  function leftover() {
    const staying = [...chosen].filter(([die, { use, move }]) => placeOf(die) !== "aside" && STAYS.includes(use) && move !== "joker Q").length;
    const back = [...chosen].filter(([die]) => placeOf(die) === "aside").length;
    return lying().length - staying + back + (plan?.in_hand ?? 0);
  }

  /** Whether a quarter lies aside after this throw: then a single player may throw on even with no other die. */
  function quarterAside() {
    return dice().some((die) => die.dataset.face === "quarter"
      && (placeOf(die) === "aside" ? !chosen.has(die) : chosen.get(die)?.use === "aside"));
  }

  // --- from taps to moves ---

  /** The moves in the order of the rules; of dice that are alike the lowest numbers are named.
   * @param {number} [most] moves of a higher rank are left out */
  function moves(most = Infinity) {
    const uses = spread().filter(([, use]) => use.rank <= most && use.use !== "kick").sort(([, a], [, b]) => a.rank - b.rank);
    const free = numbers();
    const targets = (plan?.targets ?? []).map((balls) => [...balls]);
    /** @type {{rank: number, text: string, number: number}[]} */
    const named = [];
    for (const [die, use] of uses) {
      if (use.use === "offside" && use.move === "off-side") {
        // Of balls whose dice are alike the lowest number is named, and all of them in ascending order.
        const text = targets[use.kind ?? 0]?.shift() ?? use.move;
        named.push({ rank: use.rank, text, number: Number(text.split(" ")[1]) || 0 });
        continue;
      }
      const number = Number(free.get(die.dataset.group ?? "")?.shift());
      named.push({ rank: use.rank, text: plan?.named ? `${use.move} ${number}` : use.move, number });
    }
    return named.sort((a, b) => a.rank - b.rank || a.number - b.number).map(({ text }) => text);
  }

  /** The choices, with off-sides that lie aside used first, as the rules have it: a new one is kept in their place. */
  function spread() {
    const kept = dice().filter((die) => placeOf(die) === "aside" && die.dataset.face === "offside" && !chosen.has(die));
    return [...chosen].flatMap(/** @returns {[HTMLElement, Use][]} */ ([die, use]) => {
      const keep = usesOf(die).find((each) => each.use === "keep");
      return use.use === "offside" && keep && kept.pop() ? [[die, use], [die, keep]] : [[die, use]];
    });
  }

  /** The numbers of the dice that are alike and lie alike, ascending. */
  function numbers() {
    /** @type {Map<string, number[]>} */
    const free = new Map();
    for (const die of dice()) {
      const group = die.dataset.group ?? "";
      free.set(group, [...(free.get(group) ?? []), Number(die.dataset.number)].sort((a, b) => a - b));
    }
    return free;
  }

  function again() {
    if (!plan) return;
    const before = moves(399);
    go([...before, "rethrow S"], true);
  }

  function kick() {
    if (!plan) return;
    const before = moves();
    const free = numbers();
    // Dice that are used otherwise are named before those of the free kick.
    for (const die of chosen.keys()) if (chosen.get(die)?.use !== "kick") free.get(die.dataset.group ?? "")?.shift();
    const named = [...kicked].map((die) => Number(free.get(die.dataset.group ?? "")?.shift())).sort((a, b) => a - b);
    const signs = [...kicked].map((die) => die.dataset.sign ?? "").sort((a, b) => (a < b ? -1 : 1)).join("");
    go([...before, `free-kick ${plan.named ? named.join(" ") : signs}`], true);
  }

  /** Send what is chosen, and end the throw if nothing more is to be decided in it. @param {"on" | "stop"} how */
  function commit(how) {
    if (!plan) return;
    if (isKicking()) kick();
    else if (plan.reds.length) go([...moves(), plan.reds[0]], false);
    else if (inner()) go(moves(), false);
    else {
      const asked = goesOn();
      const end = asked ? [how === "stop" ? "stop" : "throw-on"] : [];
      go([...moves(), "done", ...end], asked && how === "on" && plan.same);
    }
  }

  /** @param {string[]} made @param {boolean} thrown whether a throw follows at once: nobody asks for that of real dice */
  function go(made, thrown) {
    if (plan) act({ type: "do", seat: plan.seat, moves: made, throw: thrown && plan.sealed });
  }

  const inner = () => [...chosen.values()].some((use) => use.inner);
  const goesOn = () => Boolean(plan && !plan.last && (leftover() > 0 || (plan.single && quarterAside())));

  function second() {
    if (!plan) return;
    if (offersAgain()) again();
    else if (plan.reds.length > 1) go([...moves(), plan.reds[1]], false);
    else commit("stop");
  }

  const offersAgain = () => Boolean(plan?.again && !isKicking());

  // --- what the page shows of it ---

  function render() {
    if (!plan) return;
    document.querySelectorAll("#pitch .open").forEach((place) => {
      place.classList.remove("filled");
      place.parentElement?.classList.remove(place instanceof SVGElement && place.dataset.open?.startsWith("ball") ? "has-ball" : "has-keeper");
    });
    for (const die of dice()) {
      const use = chosen.get(die);
      die.setAttribute("aria-pressed", String(Boolean(use) || kicked.has(die)));
      die.classList.toggle("asking", die === asking);
      die.classList.toggle("in-kick", kicked.has(die));
      const mark = die.querySelector(".mark");
      if (mark) mark.replaceChildren(...(use ? [picture(use)] : []));
      if (use?.spot) fill(use.spot);
    }
    renderChoices();
    renderButtons();
  }

  /** Fill the next place on a line that glows. @param {string} spot */
  function fill(spot) {
    const place = document.querySelector(`#pitch .open[data-open="${spot}"]:not(.filled)`);
    if (!place) return;
    place.classList.add("filled");
    place.parentElement?.classList.add(spot.startsWith("ball") ? "has-ball" : "has-keeper");
  }

  /** A small sign on the die: where it goes. @param {Use} use */
  function picture(use) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", "icon");
    const way = use.move.endsWith("left") ? "left" : use.move.endsWith("right") ? "right" : "up";
    const name = use.use === "ball" || use.use === "keeper" ? `i-${way}` : use.use === "return" ? "i-undo" : "i-check";
    const mark = document.createElementNS(SVG, "use");
    mark.setAttribute("href", `#${name}`);
    svg.append(mark);
    return svg;
  }

  function renderChoices() {
    const choices = /** @type {HTMLElement} */ (find("choices"));
    const text = /** @type {HTMLElement} */ (find("picked-text"));
    if (!plan) return;
    text.textContent = "";
    const chips = asking
      ? usesOf(asking).map((use, i) => chip("use", use.label, String(i), use.picture))
      : restToPlace() > 1 ? [chip("all", plan.texts.all, "", "g-ball")] : [];
    const focus = document.activeElement;
    const keyboard = focus instanceof HTMLElement && (focus === asking || choices.contains(focus)) && focus.matches(":focus-visible");
    choices.replaceChildren(...chips);
    if (keyboard && asking) chips[0]?.focus();
    else if (keyboard) find("act")?.focus();
    if (isKicking()) text.textContent = plan.texts.kick_choose;
    else if (asking) text.textContent = asksBall() ? plan.texts.which_ball : "";
    else if (plan.reds.length) text.textContent = plan.texts.red_last;
    else if (!chosen.size && dice().some((die) => usesOf(die).length)) text.textContent = plan.texts.tap;
  }

  /** Whether the open choice is which ball an off-side takes: balls on several kinds of dice lie there. */
  const asksBall = () => asking?.dataset.face === "offside" && (plan?.targets.length ?? 0) > 1;

  /** Balls and keepers that may go to the only line and are not chosen yet. */
  const restToPlace = () => dice().filter((die) => !chosen.has(die) && usesOf(die).length === 1 && usesOf(die)[0].move.startsWith("place")).length;

  /** @param {string} kind @param {string} label @param {string} number @param {string} face */
  function chip(kind, label, number, face) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = kind === "use" && face && (asking?.dataset.face !== "offside" || asksBall()) ? "chip chip--face" : "chip";
    button.dataset.act = kind;
    button.dataset.use = number;
    button.id = `${kind}-${number}`;
    if (face) {
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 100 100");
      svg.setAttribute("aria-hidden", "true");
      const use = document.createElementNS(SVG, "use");
      use.setAttribute("href", `#f-${face}`);
      svg.append(use);
      button.append(svg);
    }
    const text = document.createElement("span");
    text.textContent = label;
    button.append(text);
    return button;
  }

  function renderButtons() {
    const main = find("act");
    const other = find("second");
    if (!plan || !main || !other) return;
    const count = leftover();
    let [first, aside] = ["", ""];
    if (isKicking()) first = counted("kick", kicked.size);
    else if (plan.reds.length) [first, aside] = [plan.texts[plan.reds[0].replace(" ", "_")], plan.reds[1] ? plan.texts[plan.reds[1].replace(" ", "_")] : ""];
    else if (inner()) first = plan.texts.play;
    else if (!goesOn()) first = plan.texts.done;
    else [first, aside] = [plan.same ? counted("throw", Math.max(1, count)) : plan.texts.on, plan.stop ? plan.texts.stop : ""];
    if (offersAgain()) aside = counted("again", plan.supporters);
    label(main, first);
    label(other, aside);
    other.hidden = !aside;
    // One button stands out: supporters cost nothing.
    main.classList.toggle("btn--go", !offersAgain());
    other.classList.toggle("btn--go", offersAgain());
    other.classList.toggle("cheers", offersAgain());
    find("pair")?.classList.toggle("alone", !aside);
  }

  /** @param {string} key @param {number} n */
  function counted(key, n) {
    return (n === 1 && plan?.texts[`${key}_one`]) || (plan?.texts[key] ?? "").replace("{n}", String(n));
  }

  /** @param {HTMLElement} button @param {string} text */
  function label(button, text) {
    /** @type {HTMLElement} */ (button.querySelector(".b-label")).textContent = text;
  }

  /** @param {string} text */
  function explain(text) {
    render();
    const line = find("picked-text");
    if (line) line.textContent = text;
    say(text);
  }

  // --- dice by hand ---

  /** @param {HTMLElement | null} button null: the last one was wrong */
  function enter(button) {
    const count = Number(tray()?.dataset.enter);
    if (!button) entered.pop();
    else if (entered.length < count) entered.push(button.dataset.face ?? "");
    sound("tick");
    renderEntered();
  }

  function renderEntered() {
    const box = tray();
    const count = Number(box?.dataset.enter);
    if (!box || !count) return;
    const places = Array.from(document.querySelectorAll("#tray .inhand, .racer.acts .rd")).slice(0, count);
    places.forEach((place, i) => {
      place.querySelector(".die use")?.setAttribute("href", entered[i] ? pictureOf(entered[i]) : "#f-blank");
      place.classList.toggle("filled", Boolean(entered[i]));
      place.classList.toggle("awaits", i === entered.length);
    });
    const done = find("enter-done");
    if (done) {
      done.toggleAttribute("aria-disabled", false);
      if (entered.length < count) done.setAttribute("aria-disabled", "true");
      done.dataset.why = entered.length < count ? words.all_dice : "";
    }
    find("enter-back")?.toggleAttribute("disabled", !entered.length);
    const text = find("picked-text");
    if (text) text.textContent = entered.map((letter) => faceButton(letter)?.getAttribute("aria-label")).join(", ");
  }

  const faceButton = (/** @type {string} */ letter) => /** @type {HTMLElement | null} */ (document.querySelector(`[data-act=face][data-face="${letter}"]`));
  const pictureOf = (/** @type {string} */ letter) => `#f-${faceButton(letter)?.dataset.picture ?? "blank"}`;

  /** Send as many dice as the table asks for now; the rest follows when it asks again. */
  function sendPart() {
    const part = Number(tray()?.dataset.part);
    if (!part) {
      rest = [];
      return;
    }
    const now = rest.slice(0, part).sort((a, b) => LETTERS.indexOf(a) - LETTERS.indexOf(b));
    rest = rest.slice(part);
    act({ type: "hand", text: `throw ${now.join("")}` });
  }

  refresh();
  return { refresh, press, grab };
}
