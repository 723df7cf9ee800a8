// @ts-check
/**
 * The table's page: shows frames, sends what a person presses, and holds no rule of any game.
 *
 * Frames wait in a queue; each is first played (`stage.js`) over the old state and then morphed in.
 *
 * @typedef {import("./link.js").Message} Message
 */

import { Idiomorph } from "../vendor/idiomorph.js";
import { showVerdict } from "./check.js";
import { Fair } from "./fair.js";
import { dribbel } from "./dribbel.js";
import { fiftyFifty } from "./fifty.js";
import { gooaaaaal } from "./gooaaaaal.js";
import { friends, speaks } from "./friends.js";
import { kerle } from "./kerle.js";
import { roving, shortcuts } from "./keys.js";
import { Link } from "./link.js";
import { current, keep, light, read, set, setLight, whenForgetful } from "./settings.js";
import * as sound from "./sound.js";
import * as stage from "./stage.js";

const MOST_QUEUED = 3;
const RECENT = "bolzplatz.recent";
const PRESS_MS = 800;
const BACK_MS = 2500;
const TOLD_MS = 4000;
const LONG_MS = 10000;

const body = document.body;
const table = body.dataset.table ?? "";
/** What the page says by itself, in the reader's language. @type {Record<string, string>} */
const words = JSON.parse(body.dataset.words ?? "{}");
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const root = () => element("table");

let version = Number(root().dataset.version);
let sending = false;
let mine = root().dataset.mine === "yes";
/** @type {Message[]} */
const queue = [];
let showing = false;
/** The last throw that was checked here. */
let sealed = { k: 0, good: true };

const fair = new Fair(table, body.dataset.who || null, (message) => link.send(/** @type {Message} */ (message)));
/** Pages of games on which people choose before they send. */
const CHOOSING = { "5050": fiftyFifty, gooaaaaal, "dribbel-fieber": dribbel, "wilde-kerle": kerle };
/** That of this game; there is none before its pieces are on the table. @type {{refresh: () => void, press: (button: HTMLElement) => void, grab?: import("./grab.js").Grab} | null} */
let taps = null;

/** Once the match has begun, let people choose. */
function lay() {
  const game = /** @type {keyof typeof CHOOSING} */ (root().dataset.game);
  if (!taps && !document.getElementById("lobby")) taps = CHOOSING[game]?.(words, act, say, link) ?? null;
}

const around = friends({ words, send: ask, tell: (message) => link.send(message), notice, say });
let title = body.dataset.title ?? "";
/** Whether the wire was there before: coming back is worth a word, the first time is not. */
let wired = false;
/** The page for a big screen stays one: what everybody may see. */
const onlyPitch = "big" in body.dataset ? "?show=pitch" : "";
const link = new Link(`/t/${table}/ws${onlyPitch}`, {
  hello: () => ({ type: "hello", have: version, draws: body.dataset.sealed ? fair.draws : 0 }),
  message: receive,
  state: (open) => {
    body.dataset.wire = open ? "open" : "gone";
    if (open && wired) notice(words.back_online, BACK_MS);
    else notice(open ? "" : words.reconnecting);
    wired ||= open;
    if (open && document.hidden) link.send({ type: "seen", hidden: true });
    if (open) tellSpeed();
  },
});
lay();

/** Let the table know how fast this person wants to see the computer move. */
function tellSpeed() {
  link.send({ type: "speed", speed: current().speed });
}

// --- what comes in ---

/** @param {Message} message */
function receive(message) {
  if (message.type === "frame") {
    if (message.waiting.for === "tip" && message.who) fair.tip(message.who, message.version);
    taps?.grab?.frame(message);
    queue.push(message);
    void show();
  } else if (taps?.grab?.message(message)) {
    return; // it runs beside the frames, and waits for none
  } else if (message.type === "resync") {
    link.greet();
  } else if (message.type === "trouble") {
    notice(message.reason === "ready" ? "" : why(message));
  } else if (message.type === "emote") {
    around.call(message);
  } else if (message.type === "bye") {
    link.leave();
    notice(words[`bye_${message.reason}`] ?? words[`bye_${message.reason.split("_").slice(0, 2).join("_")}`] ?? message.text);
  } else if (body.dataset.sealed) {
    guarded(message);
  }
}

/** The messages of the sealed draws. Whatever does not fit is shown, never passed over. @param {Message} message */
function guarded(message) {
  try {
    if (message.type === "opening") {
      if (fair.opening(/** @type {any} */ (message))) notice(words.only_watches, LONG_MS);
      void tellWords(message.words);
      markShare();
    } else if (message.type === "ask") {
      fair.ask(message.request);
    } else if (message.type === "drawn") {
      const found = fair.entry(message.entry);
      if (found === null) void tellWords(message.words);
      else tick(found, message.throw);
    }
  } catch (fault) {
    seal(`${words.not_right} ${fault instanceof Error ? fault.message : fault}`, false);
  }
}

/** Let the page know whether this browser has a share in the dice. */
function markShare() {
  if (body.dataset.sealed) body.classList.toggle("contributes", fair.contributes);
}

/** @param {{k: number, faces: number[] | null, leftOut: boolean}} found @param {any} thrown */
function tick(found, thrown) {
  sealed = { k: found.k, good: !found.leftOut };
  // The protocol counts the sides of a die from 1, the table from 0.
  if (thrown.hidden || !thrown.drawn) {
    seal(fill(words.checked, { k: found.k }), !found.leftOut);
    return;
  }
  const same = JSON.stringify(found.faces) === JSON.stringify(thrown.drawn.map((/** @type {number} */ side) => side + 1));
  if (!same) seal(words.other_dice, false);
  else seal(fill(found.leftOut ? words.left_out : words.checked, { k: found.k }), !found.leftOut);
}

/** @param {string} text @param {boolean} good */
function seal(text, good) {
  const line = element("seal");
  if (line.classList.contains("bad") && good) return;
  line.hidden = false;
  line.classList.toggle("bad", !good);
  /** @type {HTMLElement} */ (line.querySelector("span")).textContent = text;
  if (!good) sealed.good = false;
}

/** Stamp the throw that is shown, once it has been checked. */
function stamp() {
  const mark = document.getElementById("stamp");
  mark?.classList.toggle("given", sealed.good && sealed.k > 0 && mark.dataset.k === String(sealed.k));
}

/** Show the six words as this browser reckons them, and say so if the table names others. @param {string[]} told */
async function tellWords(told) {
  const own = await fair.words();
  if (told.join() !== own.join()) seal(words.other_words, false);
  if (!own.length) return;
  element("aloud").hidden = false;
  /** @type {HTMLElement} */ (element("sixwords").querySelector("b")).textContent = own.join(" ");
}

// --- what is shown ---

async function show() {
  if (showing) return;
  showing = true;
  for (let frame = queue.shift(); frame; frame = queue.shift()) {
    if (queue.length < MOST_QUEUED && !document.hidden) await stage.play(frame.version === version ? [] : frame.cues);
    change(frame);
  }
  showing = false;
}

/** What a person is typing, has typed or has unfolded stays as it is when the table is drawn anew. */
const MORPH = {
  callbacks: {
    beforeNodeMorphed: (/** @type {Node} */ old) => !(old instanceof HTMLInputElement && (old.id === "nickname" || isTypedIn(old))),
    beforeAttributeUpdated: (/** @type {string} */ name, /** @type {Element} */ node) => !(name === "open" && node instanceof HTMLDetailsElement),
  },
};

/** Whether a person is typing there. (Idiomorph's `ignoreActiveValue` would leave a pressed button as it is, too.)
 * @param {HTMLInputElement} input */
const isTypedIn = (input) => input === document.activeElement && !["radio", "checkbox"].includes(input.type);

/** @param {Message} frame */
function change(frame) {
  const focus = document.activeElement?.id;
  const keyboard = document.activeElement?.matches(":focus-visible") ?? false;
  const wasMine = mine;
  if (frame.version === version && !["room", "ready"].includes(frame.waiting.for)) {
    // Only what surrounds the match has changed: dice that are being chosen stay where they are.
    Idiomorph.morph(element("strip"), frame.strip, { morphStyle: "outerHTML", ...MORPH });
  } else {
    Idiomorph.morph(root(), frame.html, { morphStyle: "outerHTML", ...MORPH });
    stage.clear();
    sending = false;
    lay();
    taps?.refresh();
  }
  Idiomorph.morph(element("people"), frame.people, { morphStyle: "outerHTML", ...MORPH });
  const moved = frame.version !== version;
  version = frame.version;
  mine = frame.mine;
  title = frame.title;
  stamp();
  if (moved) log(frame.lines);
  // A figure stays where it is when there is nothing to grab; the keyboard does not stay with it.
  const place = document.getElementById(focus ?? "");
  if (keyboard && focus && (!place || place.matches(".fig[aria-disabled]"))) astray = true;
  else if (document.activeElement?.id !== "open-settings") astray = false;
  if (astray) astray = !focusMain();
  around.cue(mine && frame.waiting.for !== "over", title);
  around.shown();
  markShare();
  if (mine && !wasMine && frame.waiting.for !== "over") sound.play("turn");
  if (moved && frame.waiting.for === "over" && frame.since < frame.version && frame.lines.length) stage.confetti(60);
  if (frame.rematch) leaveFor(frame.rematch);
  else remember();
}

/** Whether the keyboard waits at the settings, because there was nothing to be done when its place went away. */
let astray = false;

/** Put the keyboard where the next thing is to be done; false: there is nothing yet. */
function focusMain() {
  const next = root().querySelector("#act, #act-take, #throw:not([aria-disabled]), .choosing .d:not(.useless), #enter-1, #rematch, #nickname, .kready, .fig[data-act]:not([inert]), #unveil, .is-acting .hface, .is-acting .cell[tabindex='0']");
  const place = next instanceof HTMLElement ? next : element("open-settings");
  place.focus({ preventScroll: true });
  return next !== null;
}

/** Write new sentences into the log, and let a screen reader say them. @param {{step: number, kind: string, text: string, rule: string}[]} lines */
function log(lines) {
  if (!lines.length) return;
  const list = element("log");
  for (const line of lines) {
    const item = document.createElement("li");
    item.dataset.kind = line.kind;
    item.textContent = line.text;
    item.title = line.rule;
    list.append(item);
  }
  list.scrollTop = list.scrollHeight;
  element("live").textContent = [...lines.map((line) => line.text), element("turn").textContent].join(" ");
}

/** @param {string} text */
function say(text) {
  // The same sentence twice is read twice only if the region changes in between.
  element("live").textContent = "";
  requestAnimationFrame(() => { element("live").textContent = text; });
}

let noticed = 0;

/** Say something for a while, or without a time until something else is said. @param {string} text @param {number} [ms] */
function notice(text, ms) {
  const line = element("notice");
  line.textContent = text;
  line.hidden = !text;
  clearTimeout(noticed);
  if (ms) noticed = setTimeout(() => notice(body.dataset.wire === "gone" ? words.reconnecting : ""), ms);
}

/** @param {string} text @param {Record<string, unknown>} places */
function fill(text, places) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(places[name]));
}

// --- what goes out ---

let leaving = false;

/**
 * Go to the next match's table. Answer and frame both name it: a second call would break off the first one's load.
 * @param {string} next
 */
function leaveFor(next) {
  if (leaving) return;
  leaving = true;
  location.assign(`/t/${next}${onlyPitch}`);
}

/** Send a command made on what is shown now. @param {Message} message */
async function act(message) {
  if (sending) return;
  sending = true;
  root().querySelectorAll("#cup, .half.acts .diespot").forEach((spot) => spot.classList.toggle("shaking", Boolean(message.throw)));
  const answer = await link.command({ ...message, version });
  if (answer.ok) {
    forgive();
    if (answer.table) leaveFor(answer.table);
    return;
  }
  sending = false;
  root().querySelectorAll(".shaking").forEach((spot) => spot.classList.remove("shaking"));
  if (answer.reason === "stale") return;
  refuse(answer);
}

/** Ask for something that is not a move; it may be asked while a move is on its way. Returns whether it was done.
 * @param {Message} message @returns {Promise<boolean>} */
async function ask(message) {
  const answer = await link.command(message);
  if (answer.ok) forgive();
  else refuse(answer);
  return answer.ok;
}

/** @param {Message} answer */
function refuse(answer) {
  refused = why(answer);
  notice(refused, TOLD_MS);
}

/** Why something was refused last. */
let refused = "";

/** What was refused before is done now: the reason stands there no longer. */
function forgive() {
  if (refused && element("notice").textContent === refused) notice("");
  refused = "";
}

/** Say in the reader's language why something is refused: the game's own reason first, with the paragraph of its rules.
 * @param {Message} answer */
function why(answer) {
  const text = words[`illegal_${answer.code}`] ?? words[`refused_${answer.reason}`] ?? words.refused;
  return answer.rule ? `${text} (${answer.rule})` : text;
}

/** @param {HTMLElement} button */
function press(button) {
  const { act: kind, seat, moves, text } = button.dataset;
  if (button.getAttribute("aria-disabled") === "true") {
    if (button.dataset.why) notice(button.dataset.why, TOLD_MS);
    return;
  }
  if (kind === "throw") void act({ type: "do", seat: Number(seat), moves: [], throw: true });
  else if (kind === "hand") void act({ type: "hand", text });
  else if (kind === "undo") void act({ type: "undo" });
  else if (kind === "rematch") void act({ type: "rematch" });
  else if (kind === "move") void act({ type: "do", seat: Number(seat), moves: JSON.parse(moves ?? "[]"), throw: "throw" in button.dataset });
  else taps?.press(button);
}

// Buttons of the game act on press: children's taps often slide off before the finger is lifted. The click that
// follows is dropped; a click without a press before it comes from a keyboard or a screen reader.
let pressed = -PRESS_MS;
/** Whether a press is held: the click comes when the finger is lifted, however late that is. */
let holding = false;

addEventListener("pointerdown", (event) => {
  sound.unlock();
  if (stage.busy()) {
    stage.skip();
    pressed = event.timeStamp;
    holding = true;
    return;
  }
  const button = event.target instanceof Element ? event.target.closest("[data-act]") : null;
  if (!(button instanceof HTMLElement) || event.button !== 0) return;
  pressed = event.timeStamp;
  holding = true;
  press(button);
});

addEventListener("pointerup", (event) => {
  if (holding) pressed = event.timeStamp;
  holding = false;
});

addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const button = target?.closest("[data-act]");
  // A click without a pointer (detail 0) comes from a keyboard, however soon after a press.
  if (button instanceof HTMLElement && (event.detail === 0 || event.timeStamp - pressed > PRESS_MS)) {
    if (stage.busy()) stage.skip();
    press(button);
  }
  const opener = target?.closest("[data-open]");
  if (opener instanceof HTMLElement) open(opener.dataset.open ?? "");
  const closer = target?.closest("[data-close]");
  if (closer instanceof HTMLElement) close(closer.dataset.close ?? "");
});

// --- drawers, dialogs, settings ---

/** @param {string} name */
function open(name) {
  if (name === "log" || name === "pad") {
    body.classList.add(`${name}-open`);
    element(name === "log" ? "log-side" : "pad").querySelector("button")?.focus();
    element("log").scrollTop = element("log").scrollHeight;
  } else if (name === "check") {
    void check();
  } else {
    /** @type {HTMLDialogElement} */ (element("settings")).close();
    /** @type {HTMLDialogElement} */ (element(name)).showModal();
  }
}

/** @param {string} name */
function close(name) {
  if (name === "log" || name === "pad") {
    body.classList.remove(`${name}-open`);
    document.getElementById(`open-${name}`)?.focus();
  } else {
    /** @type {HTMLDialogElement} */ (element(name)).close();
  }
}

async function check() {
  const dialog = /** @type {HTMLDialogElement} */ (element("checking"));
  element("verdict").replaceChildren();
  dialog.showModal();
  const answer = await fetch(`/t/${table}/record.bolz`).catch(() => null);
  if (answer?.ok) {
    showVerdict(element("verdict"), new Uint8Array(await answer.arrayBuffer()), words, fair);
    return;
  }
  dialog.close();
  notice(body.dataset.wire === "gone" ? words.reconnecting : words.refused, TOLD_MS);
}

body.dataset.mode = current().mode ?? body.dataset.mode;
element("aloud-setting").hidden = !speaks();

for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#settings input[type=radio]"))) {
  const name = /** @type {"speed" | "sound" | "mode" | "aloud" | "mute" | "theme"} */ (input.name);
  input.checked = input.value === (name === "theme" ? light() : name === "mode" ? body.dataset.mode : current()[name]);
  input.addEventListener("change", () => {
    if (name === "theme") setLight(input.value);
    else set(name, input.value);
    if (name === "mode") body.dataset.mode = input.value;
    if (name === "speed") tellSpeed();
    sound.unlock();
  });
}

shortcuts({
  die: (number) => {
    const button = root().querySelector(`[data-key="${number}"], .choosing #dice-${number - 1}`);
    if (button instanceof HTMLElement) {
      button.focus();
      press(button);
    }
  },
  score: () => say(element("score-said").textContent ?? ""),
  last: () => say(element("log").lastElementChild?.textContent ?? ""),
  odds: () => say(document.getElementById("throw")?.dataset.said ?? ""),
  help: () => open("keys"),
  escape: () => ["log", "pad"].filter((name) => body.classList.contains(`${name}-open`)).forEach(close),
});
roving();

/** Keep this table among those that the first page offers to go on with. */
function remember() {
  const recent = read(RECENT, []).filter((/** @type {{table: string}} */ each) => each.table !== table);
  keep(RECENT, [{ table, title }, ...recent].slice(0, 6));
}

remember();
markShare();
whenForgetful(() => notice(words.forgets, LONG_MS));
element("log").scrollTop = element("log").scrollHeight;
