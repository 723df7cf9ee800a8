// @ts-check
/**
 * The table among friends, on this page's side: sitting down and the other commands that carry their whole message,
 * calls of the others, the clock, cues for a page that nobody looks at, the link to copy.
 *
 * Buttons say what they send: `data-send` is the message, `data-with` the id of the field with a name, `data-choice`
 * that of a choice. Nothing is shown before the table has confirmed it.
 *
 * @typedef {import("./link.js").Message} Message
 */

import { current, keep, read } from "./settings.js";

const NAME = "bolzplatz.name";
const CALL_MS = 4000;
const TICK_MS = 1000;
const ICON = "/static/svg/icon.svg";
const ICON_TURN = "/static/svg/icon-turn.svg";
const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {{words: Record<string, string>, send: (message: Message) => Promise<boolean>, tell: (message: Message) => void,
 *   notice: (text: string, ms?: number) => void, say: (text: string) => void}} page
 */
export function friends(page) {
  const find = (/** @type {string} */ id) => document.getElementById(id);
  const { words } = page;
  let clockSeen = "";
  let clockEnds = 0;
  let spoken = "";

  addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const sender = target?.closest("[data-send]");
    if (sender instanceof HTMLButtonElement) press(sender);
    const copier = target?.closest("[data-copy]");
    if (copier instanceof HTMLElement) void copy(/** @type {HTMLInputElement} */ (find(copier.dataset.copy ?? "")), words, page.notice);
  });

  addEventListener("change", (event) => {
    const input = event.target;
    if (input instanceof HTMLSelectElement && "fill" in input.dataset) {
      void page.send(JSON.parse(input.selectedOptions[0].dataset.send ?? "{}"));
    } else if (input instanceof HTMLInputElement && input.dataset.rename) {
      void rename(input);
    }
  });

  /** Where a new name is refused, the one that counts is shown again. @param {HTMLInputElement} input */
  async function rename(input) {
    const done = await page.send({ type: "rename", seat: Number(input.dataset.rename), name: input.value.trim() });
    if (!done && input !== document.activeElement) input.value = input.defaultValue;
  }

  addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    if (event.target.id === "nickname") document.querySelector("[data-with=nickname]")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    else if (event.target.dataset.rename) event.target.blur();
  });

  /** @param {HTMLButtonElement} button */
  function press(button) {
    if (button.getAttribute("aria-disabled") === "true") {
      page.notice(button.dataset.why ?? "", CALL_MS);
      return;
    }
    const message = JSON.parse(button.dataset.send ?? "{}");
    const choice = find(button.dataset.choice ?? "");
    if (choice instanceof HTMLSelectElement) message[message.what === "seat" ? "seat" : "step"] = Number(choice.value);
    const field = find(button.dataset.with ?? "");
    if (field instanceof HTMLInputElement) {
      message.name = field.value.trim();
      if (!message.name) {
        field.focus();
        page.notice(words.refused_no_name, CALL_MS);
        return;
      }
      if (field.dataset.prefill) keep(NAME, message.name);
      else field.value = "";
    }
    void page.send(message);
  }

  /** Offer the name that this person had last. */
  function prefill() {
    const field = find("nickname");
    if (field instanceof HTMLInputElement && field.dataset.prefill && !field.value && field !== document.activeElement) field.value = read(NAME, "");
  }

  /** Show what somebody calls out, unless this person does not want to see it. @param {Message} message */
  function call(message) {
    if (current().mute === "on") return;
    const calls = /** @type {HTMLElement} */ (find("calls"));
    const line = document.createElement("p");
    line.className = "call paper";
    const icon = document.createElementNS(SVG, "svg");
    icon.setAttribute("class", "icon");
    icon.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#e-${message.emote}`);
    icon.append(use);
    const said = words.says.replace("{name}", message.name).replace("{text}", words[`emote_${message.emote}`] ?? "");
    line.append(icon, said);
    calls.append(line);
    page.say(said);
    if (calls.childElementCount > 3) calls.firstElementChild?.remove();
    setTimeout(() => line.remove(), CALL_MS);
  }

  /** Let the clock run on between two frames. */
  function tick() {
    const clock = find("clock");
    if (!clock) return;
    const seen = `${document.getElementById("table")?.dataset.version} ${clock.dataset.left} ${clock.className}`;
    if (seen !== clockSeen) {
      clockSeen = seen;
      clockEnds = performance.now() + Number(clock.dataset.left) * TICK_MS;
    }
    const left = Math.max(0, Math.ceil((clockEnds - performance.now()) / TICK_MS));
    const face = find("clock-left");
    if (face) face.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    clock.classList.toggle("is-short", left <= 10);
  }
  setInterval(tick, TICK_MS);

  /** Say outside the page whether this person is waited for. @param {boolean} mine @param {string} title */
  function cue(mine, title) {
    document.title = mine ? `● ${words.your_turn} – ${title}` : title;
    document.querySelector("link[rel=icon]")?.setAttribute("href", mine ? ICON_TURN : ICON);
    const turn = find("turn")?.textContent ?? "";
    if (current().aloud === "on" && turn !== spoken) aloud(`${turn}. ${find("asked")?.textContent ?? ""}`);
    spoken = turn;
  }

  document.addEventListener("visibilitychange", () => page.tell({ type: "seen", hidden: document.hidden }));
  prefill();
  return { call, cue, shown: () => { prefill(); tick(); } };
}

/** Whether this browser can read aloud. */
export const speaks = () => "speechSynthesis" in window;

/** @param {string} text */
export function aloud(text) {
  if (!speaks()) return;
  const said = new SpeechSynthesisUtterance(text);
  said.lang = document.documentElement.lang;
  speechSynthesis.cancel();
  speechSynthesis.speak(said);
}

/** Copy what a field holds; on plain http the browser has no clipboard, then the field is selected for the person.
 * @param {HTMLInputElement} field @param {Record<string, string>} words @param {(text: string, ms?: number) => void} notice */
export async function copy(field, words, notice) {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    notice(words.copied, CALL_MS);
  } catch {
    notice(words.copy_by_hand, CALL_MS);
  }
}
