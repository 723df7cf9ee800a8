// @ts-check
/**
 * Die wilden Fußballkerle: be ready, see the cards, grab or keep still; choose in secret; tell what a real box shows.
 *
 * It holds no rule. Who was first is found out by the server with `grab.js`; here are hands, keys and what they touch.
 * People who share a device have two half-discs each, and fingers are told apart by where they land.
 */

import { Grab } from "./grab.js";
import { play as sound } from "./sound.js";

/** Who lets go sooner has tapped, and is ready until the next tap; who holds is ready as long as that. */
const HOLD_MS = 350;
/** Keys of one person alone: the figures stand left and right. */
const ARROWS = /** @type {Record<string, string>} */ ({ ArrowLeft: "black", ArrowRight: "red" });

/**
 * @param {Record<string, string>} words @param {(message: any) => void} act @param {(text: string) => void} say
 * @param {import("./link.js").Link} link
 */
export function kerle(words, act, say, link) {
  const table = () => /** @type {HTMLElement} */ (document.getElementById("table"));
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement | null} */ (table().querySelector(selector));
  const all = (/** @type {string} */ selector) => /** @type {HTMLElement[]} */ (Array.from(table().querySelectorAll(selector)));
  const own = () => (table().dataset.own ?? "").split(" ").filter(Boolean).map(Number);
  const seatOf = (/** @type {HTMLElement} */ button) => Number(button.dataset.seat ?? button.dataset.ready ?? button.dataset.still);

  /** Fingers and buttons of mice that are down: since when, and whose readiness they hold. @type {Map<number, {at: number, seat: number | null}>} */
  const down = new Map();
  let pointer = "key";
  /** The word of the countdown: 3, 2, 1, 0 for the silence, from which on nobody needs to hold anything. @type {number | null} */
  let counted = null;
  /** Figures that are gone, with who has them (null: nobody). @type {Map<string, number | null>} */
  const taken = new Map();
  /** The person who said that only they look. */
  let unveiled = "";
  /** Cards of the real box that were tapped, in seat order. @type {string[]} */
  let entered = [];
  let group = "";

  const grab = new Grab((message) => link.command(message), (message) => link.send(message), {
    onCountdown: count,
    onReveal: (cards) => {
      count(null);
      lay(cards);
      sound("tick");
    },
    onTaken: (piece, seat) => {
      taken.set(piece, seat);
      showTaken();
    },
    onVerdict: () => taken.clear(),
    onRefused: (answer) => say(words[`refused_${answer.reason}`] ?? words.refused),
  });

  // --- cards ---

  /** Put cards on the table, all at once. @param {{name: string, role: string, colour: string | null, value: number | null}[]} cards */
  function lay(cards) {
    const spoken = JSON.parse(find("#arc")?.dataset.words ?? "{}");
    cards.forEach((card, seat) => {
      show(seat, card.name);
      const said = document.getElementById(`said-${seat}`);
      const value = card.value ?? (card.role === "end" ? "" : spoken.whistle);
      if (said) said.textContent = `${spoken[card.colour ?? ""] ?? ""} ${spoken[card.role] ?? ""} ${value}`.trim();
    });
  }

  /** @param {number} seat @param {string} name */
  function show(seat, name) {
    const hand = find(`[data-card-of="${seat}"]`);
    if (hand) hand.dataset.card = name;
    all(`[data-card-of="${seat}"] .kcard use, [data-mirror-of="${seat}"] use`).forEach((use) => use.setAttribute("href", `#c-${name}`));
  }

  // --- ready, 3, 2, 1 ---

  /** @param {number | null} word null when it is broken off, or over */
  function count(word) {
    counted = word;
    showCount();
    if (word !== null) sound(word ? "tick" : "whistle");
  }

  function showCount() {
    const line = find("#count");
    table().classList.toggle("is-counting", counted !== null);
    line?.classList.toggle("is-on", counted !== null);
    if (line) line.textContent = counted === null ? "" : JSON.parse(line.dataset.words ?? "[]")[counted];
  }

  /** @param {HTMLElement} button */
  function ready(button) {
    const seat = seatOf(button);
    const shared = table().classList.contains("is-shared");
    const on = button.getAttribute("aria-pressed") !== "true";
    const holder = [...down.values()].pop();
    if (table().dataset.pace !== "grab") {
      own().forEach((each) => grab.ready(each, on, pointer));
    } else {
      if (holder && on && !shared) holder.seat = seat;
      grab.ready(seat, on, pointer);
    }
    button.setAttribute("aria-pressed", String(on));
    sound("tick");
  }

  // Who lets go before the silence is not ready after all.
  for (const kind of ["pointerup", "pointercancel"]) {
    addEventListener(kind, (event) => {
      const id = /** @type {PointerEvent} */ (event).pointerId;
      const { at = 0, seat = null } = down.get(id) ?? {};
      down.delete(id);
      if (seat === null || event.timeStamp - at < HOLD_MS || counted === 0 || grab.cards) return;
      grab.ready(seat, false, pointer);
      find(`[data-ready="${seat}"]`)?.setAttribute("aria-pressed", "false");
    });
  }

  // --- hands ---

  /** @param {HTMLElement | null} piece @param {number} at */
  function reach(piece, at) {
    if (!piece) return;
    grab.press(seatOf(piece), piece.dataset.grab ?? "", at);
    piece.classList.add("is-held");
    sound("kick");
  }

  addEventListener("pointerdown", (event) => {
    down.set(event.pointerId, { at: event.timeStamp, seat: null });
    pointer = event.pointerType;
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    reach(/** @type {HTMLElement | null} */ (event.target.closest("[data-grab]")), event.timeStamp);
  }, true);

  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const piece = keyed(event.key);
    pointer = "key";
    if (!piece) return;
    event.preventDefault();
    event.stopPropagation();
    if (piece.dataset.grab && table().dataset.waiting === "grab") reach(piece, event.timeStamp);
    else find(`[data-ready="${piece.dataset.seat}"]`)?.click();
  }, true);

  /** The figure or half-disc that a key stands for. @param {string} key */
  function keyed(key) {
    if (table().classList.contains("is-shared")) {
      const cap = all("[data-grab] kbd").find((each) => each.textContent === key.toUpperCase());
      return /** @type {HTMLElement | null} */ (cap?.closest("[data-grab]") ?? null);
    }
    const focus = document.activeElement;
    if (focus instanceof HTMLElement && focus.dataset.grab && ["Enter", " "].includes(key)) return focus;
    return ARROWS[key] ? find(`[data-grab="${ARROWS[key]}"]`) : null;
  }

  /** A figure that is gone is gone for everybody; who was first is said by the verdict. */
  function showTaken() {
    taken.forEach((_, piece) => all(`#fig-${piece}, .disc--${piece}`).forEach((each) => {
      each.dataset.held = "yes";
      each.setAttribute("aria-disabled", "true");
    }));
  }

  // --- the real box ---

  /** @param {string} card */
  function enter(card) {
    if (entered.length >= hands()) return;
    entered.push(card);
    group = "";
    sound("tick");
    renderEntered();
    say(document.getElementById("enter-done")?.hasAttribute("aria-disabled") ? card : `${entered.join(" ")}`);
  }

  const hands = () => all("[data-card-of]").length;

  function renderEntered() {
    if (!find("#enter")) {
      entered = [];
      return;
    }
    entered.forEach((card, seat) => show(seat, card));
    find("#review")?.classList.toggle("is-past", entered.length > 0);
    all("[data-card-of]").forEach((hand, seat) => {
      hand.classList.toggle("is-next", seat === entered.length);
      hand.classList.toggle("is-old", seat >= entered.length);
    });
    const chosen = find(`#group-${group || "none"}`);
    all(".kgroup[data-group]").forEach((each) => each.setAttribute("aria-pressed", String(each === chosen)));
    const offered = (chosen?.dataset.values ?? "").split(" ");
    all(".kvalue").forEach((each) => enable(each, offered.includes(each.dataset.value ?? "")));
    enable(/** @type {HTMLElement} */ (find("#enter-done")), entered.length === hands());
  }

  /** @param {HTMLElement} button @param {boolean} on */
  function enable(button, on) {
    if (on) button.removeAttribute("aria-disabled");
    else button.setAttribute("aria-disabled", "true");
  }

  /** Who holds which figure, as the joint move of all seats. */
  function judge() {
    const taken = /** @type {[string, string][]} */ (["black", "red"].map((piece) => {
      const input = /** @type {HTMLInputElement | null} */ (find(`[name="took-${piece}"]:checked`));
      return [piece, input?.value ?? ""];
    }));
    const wishes = all("[data-card-of]").map((_, seat) => taken.find(([, who]) => who === String(seat))?.[0] ?? "none");
    act({ type: "hand", text: wishes.join(" ") });
  }

  // One hand holds one figure: whoever takes the second gives the first one back.
  addEventListener("change", (event) => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement) || !input.name.startsWith("took-") || !input.value) return;
    const other = input.name === "took-black" ? "red" : "black";
    const same = /** @type {HTMLInputElement | null} */ (find(`[name="took-${other}"][value="${input.value}"]`));
    if (same?.checked) /** @type {HTMLInputElement} */ (find(`#took-${other}-none`)).checked = true;
  });

  // --- what is pressed ---

  /** @param {HTMLElement} button */
  function press(button) {
    const { act: kind, wish = "", value = "", card = "" } = button.dataset;
    if (kind === "ready") ready(button);
    else if (kind === "wish") choose(button, wish);
    else if (kind === "still") keepStill(button);
    else if (kind === "unveil") unveil();
    else if (kind === "group") group = button.dataset.group ?? "";
    else if (kind === "value") enter(group + value);
    else if (kind === "card") enter(card);
    else if (kind === "back") entered.pop();
    else if (kind === "enter") act({ type: "hand", text: entered.join(" ") });
    else if (kind === "judge") judge();
    if (find("#enter")) renderEntered();
  }

  /** @param {HTMLElement} button @param {string} wish */
  function choose(button, wish) {
    grab.choose(seatOf(button), wish);
    sound("tick");
  }

  /** @param {HTMLElement} button */
  function keepStill(button) {
    grab.still(seatOf(button));
    button.setAttribute("aria-pressed", "true");
    sound("good");
  }

  function unveil() {
    unveiled = find("#veil")?.dataset.veil ?? "";
    refresh();
    find("#fig-black")?.focus({ preventScroll: true });
  }

  /** After the server drew the table anew: what only this page knows is shown again. */
  function refresh() {
    if (grab.cards) lay(grab.cards);
    if (table().dataset.waiting !== "ready" && table().dataset.waiting !== "grab") counted = null;
    showCount();
    showTaken();
    const veil = find("#veil");
    veil?.classList.toggle("is-off", veil.dataset.veil === unveiled);
    all(".fig, .kwishes .btn").forEach((button) => button.toggleAttribute("inert", Boolean(veil) && veil?.dataset.veil !== unveiled));
    renderEntered();
  }

  refresh();
  return { refresh, press, grab };
}
