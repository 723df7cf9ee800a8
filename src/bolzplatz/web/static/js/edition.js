// @ts-check
/**
 * The editor of editions: fields and a board to paint on become the text of an edition, and the other way round. What
 * is right the server alone knows; it names the field, and the reason is shown beside it.
 *
 * @typedef {{title: string, pitch: {colours: string[], rows: string[], area: string[], goal: string, kick_off: string, bonus: string[]},
 *   figures: {start: string[], attack: (number|string)[]}, free_action: {arrows: string[]},
 *   cards: Record<string, {count: number|string, arrows: string[]}>,
 *   poldi: {number: number|string, price: number|string, card: string, arrows?: string[]}[], coins: {ones: number|string, twos: number|string}}} Data
 */

import { keep, read } from "./settings.js";

const KEPT = "bolzplatz.edition";
/** What is typed, right or not: whoever comes back goes on with it. */
const DRAFT = "bolzplatz.edition.draft";
const TYPING_MS = 250;
const ROWS = 8;
const FIGURES = 5;
const COLUMNS = "abcde";

const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const field = (/** @type {string} */ id) => /** @type {HTMLInputElement | HTMLSelectElement} */ (find(id));
const all = (/** @type {string} */ selector) => /** @type {HTMLElement[]} */ (Array.from(document.querySelectorAll(selector)));
const form = /** @type {HTMLFormElement} */ (find("edition"));
const words = /** @type {Record<string, string>} */ (JSON.parse(document.body.dataset.words ?? "{}"));
const names = /** @type {{name: string, word: string}[]} */ (JSON.parse(form.dataset.colours ?? "[]"));
const shapes = Array.from(/** @type {HTMLTemplateElement} */ (find("shapes")).content.children);
const cards = all(".ecard[data-field^='cards.']").map((each) => (each.dataset.field ?? "").replace("cards.", ""));
const poldis = all(".epoldi").length;

/** What is painted on the board: places of colours (-1: none) by space, and signs. @type {Record<string, number>} */
let colour = {};
let area = new Set();
let goal = "";
let kickOff = "";
/** @type {string[]} */
let start = [];

/** A whole number, or what stands there instead: the server says what is wrong with it. @param {string} id @returns {number | string} */
const number = (id) => (/^-?\d{1,9}$/.test(field(id).value.trim()) ? Number(field(id).value) : field(id).value);
const ways = (/** @type {string} */ text) => text.toUpperCase().split(",").map((way) => way.trim().split(/\s+/).join(" ")).filter((way) => way);
const dieColours = () => Array.from({ length: 6 }, (_, n) => field(`colour-${n}`).value);
/** The same space as blue sees it. @param {string} space */
const turned = (space) => `${COLUMNS[4 - COLUMNS.indexOf(space[0])]}${ROWS + 1 - Number(space[1])}`;

// --- from the page to an edition, and back ---

/** @returns {Data} */
function collect() {
  const colours = dieColours();
  const word = (/** @type {string} */ space) => colours[colour[space]] ?? "-";
  return {
    title: field("e-title").value,
    pitch: {
      colours,
      rows: Array.from({ length: ROWS }, (_, n) => Array.from(COLUMNS, (column) => word(`${column}${ROWS - n}`)).join(" ")),
      area: /** @type {string[]} */ ([...area]).sort(),
      goal,
      kick_off: kickOff,
      bonus: [0, 1, 2, 3].map((n) => field(`bonus-${n}`).value),
    },
    figures: { start: [...start], attack: Array.from({ length: FIGURES }, (_, n) => number(`attack-${n + 1}`)) },
    free_action: { arrows: ways(field("arrows-free").value) },
    cards: Object.fromEntries(cards.map((name) => [name, { count: number(`count-${name}`), arrows: ways(field(`arrows-${name}`).value) }])),
    poldi: Array.from({ length: poldis }, (_, n) => {
      const own = ways(field(`own-${n}`).value);
      return { number: number(`number-${n}`), price: number(`price-${n}`), card: field(`card-${n}`).value, ...(own.length ? { arrows: own } : {}) };
    }),
    coins: { ones: number("ones"), twos: number("twos") },
  };
}

/** @param {Data} data */
function fill(data) {
  field("e-title").value = data.title;
  data.pitch.colours.forEach((name, n) => { field(`colour-${n}`).value = name; });
  colour = {};
  data.pitch.rows.forEach((row, n) => row.split(/\s+/).forEach((name, i) => {
    colour[`${COLUMNS[i]}${ROWS - n}`] = data.pitch.colours.indexOf(name);
  }));
  area = new Set(data.pitch.area);
  goal = data.pitch.goal;
  kickOff = data.pitch.kick_off;
  start = [...data.figures.start];
  data.pitch.bonus.forEach((row, n) => { field(`bonus-${n}`).value = row; });
  data.figures.attack.forEach((value, n) => { field(`attack-${n + 1}`).value = String(value); });
  field("arrows-free").value = data.free_action.arrows.join(", ");
  for (const name of cards) {
    field(`arrows-${name}`).value = data.cards[name].arrows.join(", ");
    field(`count-${name}`).value = String(data.cards[name].count);
  }
  data.poldi.forEach((card, n) => {
    field(`number-${n}`).value = String(card.number);
    field(`price-${n}`).value = String(card.price);
    field(`card-${n}`).value = card.card;
    field(`own-${n}`).value = (card.arrows ?? []).join(", ");
  });
  field("ones").value = String(data.coins.ones);
  field("twos").value = String(data.coins.twos);
  paint();
  all("[data-card]").forEach((input) => void sketch(/** @type {HTMLInputElement} */ (input)));
}

// --- the board ---

function paint() {
  const colours = dieColours();
  colours.forEach((name, n) => {
    for (const id of [`die-mark-${n}`, `tool-mark-${n}`]) find(id).setAttribute("class", `mark mark--${name}`);
    find(`tool-word-${n}`).textContent = wordOf(name);
  });
  for (const button of all(".espace")) {
    const space = button.dataset.space ?? "";
    const mark = shapes[colour[space]]?.cloneNode(true) ?? shapes[0].cloneNode(true);
    if (mark instanceof Element) {
      mark.setAttribute("class", `mark mark--${colours[colour[space]]}`);
      mark.toggleAttribute("hidden", !(colour[space] >= 0));
      button.querySelector(".mark")?.replaceWith(mark);
    }
    button.classList.toggle("in-area", area.has(space));
    button.classList.toggle("mirrored", area.has(turned(space)));
    const figures = start.flatMap((each, n) => (each === space ? [String(n + 1)] : []));
    const signs = [...(goal === space ? [words.goal] : []), ...(kickOff === space ? [words.kick_off] : [])];
    button.querySelector(".e-signs")?.replaceChildren(
      ...signs.map((text) => sign(text.slice(0, 1).toUpperCase(), "sign")), ...figures.map((text) => sign(text, "")),
    );
    const said = [wordOf(colours[colour[space]]), area.has(space) ? words.area : "", ...signs, ...figures].filter((text) => text);
    button.setAttribute("aria-label", `${space}: ${said.join(", ") || "–"}`);
  }
}

const wordOf = (/** @type {string | undefined} */ name) => names.find((each) => each.name === name)?.word ?? "";

/** @param {string} text @param {string} kind */
function sign(text, kind) {
  const mark = document.createElement("i");
  mark.textContent = text;
  mark.className = kind;
  return mark;
}

/** @param {string} space */
function stroke(space) {
  const tool = new FormData(form).get("tool");
  const [kind, n] = String(tool).split(/-(.*)/);
  if (kind === "colour") colour[space] = Number(n);
  else if (kind === "area" && !area.delete(space)) area.add(space);
  else if (kind === "goal") goal = space;
  else if (kind === "kick_off") kickOff = space;
  else if (kind === "figure") start[Number(n) - 1] = space;
  paint();
  keep(DRAFT, collect());
}

find("board").addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest(".espace") : null;
  if (button instanceof HTMLElement) stroke(button.dataset.space ?? "");
});

find("board").addEventListener("keydown", (event) => {
  const step = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -5, ArrowDown: 5 })[event.key];
  const spaces = all(".espace");
  const at = spaces.indexOf(/** @type {HTMLElement} */ (event.target));
  if (!step || at < 0) return;
  event.preventDefault();
  const next = spaces[at + step];
  if (!next) return;
  spaces.forEach((each) => { each.tabIndex = each === next ? 0 : -1; });
  next.focus();
});

// --- pictures of what is typed ---

/** @param {HTMLInputElement} input */
async function sketch(input) {
  const own = /^poldi-(\d+)$/.exec(input.dataset.card ?? "");
  const card = own ? field(`card-${own[1]}`).value : input.dataset.card ?? "";
  // A Poldi card without arrows of its own has those of its action.
  const text = own && !input.value.trim() && card !== "volley" ? field(`arrows-${card}`).value : input.value;
  const box = find(`${input.id}-picture`);
  if (card === "volley") {
    box.replaceChildren();
    box.classList.remove("wrong");
    return;
  }
  const asked = `${card} ${text}`;
  input.dataset.asked = asked;
  const answer = await (await fetch(`/edition/arrows?card=${encodeURIComponent(card)}&arrows=${encodeURIComponent(text)}`)).json();
  if (input.dataset.asked !== asked) return;
  box.classList.toggle("wrong", !answer.ok);
  box.title = answer.reason ?? "";
  if (!answer.ok) {
    box.replaceChildren();
    return;
  }
  const made = document.createElement("template");
  made.innerHTML = answer.svg;
  box.replaceChildren(made.content);
}

let typing = 0;
form.addEventListener("input", (event) => {
  const input = event.target;
  if (!(input instanceof HTMLInputElement || input instanceof HTMLSelectElement)) return;
  if (input.id.startsWith("colour-")) paint();
  clearTimeout(typing);
  keep(DRAFT, collect());
  typing = setTimeout(() => {
    if (input instanceof HTMLInputElement && input.dataset.card) void sketch(input);
    all("[data-card^='poldi-']").forEach((each) => {
      const n = each.dataset.card?.replace("poldi-", "");
      if (input.id === `card-${n}` || input.id === `arrows-${field(`card-${n}`).value}`) void sketch(/** @type {HTMLInputElement} */ (each));
    });
  }, TYPING_MS);
});

// --- checking, saving, playing, loading ---

/** @param {string} text @returns {Promise<any>} */
async function ask(text) {
  if (text.length > Number(form.dataset.max)) return { ok: false, field: "edition", reason: words.too_long };
  const answer = await fetch("/edition/check", { method: "POST", body: new URLSearchParams({ edition: text }) });
  return answer.ok ? answer.json() : { ok: false, field: "edition", reason: words.too_long };
}

/** Show a fault beside its field: that of the innermost place that the page has. @param {{field: string, reason: string, rule?: string} | null} fault */
function blame(fault) {
  all(".field-fault").forEach((each) => each.remove());
  all(".is-wrong").forEach((each) => each.classList.remove("is-wrong"));
  const box = find("fault-edition");
  box.hidden = true;
  if (!fault) return;
  let place = fault.field;
  let holder = document.querySelector(`[data-field="${CSS.escape(place)}"]`);
  while (!holder && place) {
    place = place.replace(/(\.[^.[]*|\[\d+\])$/, "") === place ? "" : place.replace(/(\.[^.[]*|\[\d+\])$/, "");
    holder = document.querySelector(`[data-field="${CSS.escape(place)}"]`);
  }
  const said = holder && holder !== box ? document.createElement("p") : box;
  said.textContent = `${fault.field}: ${fault.reason}${fault.rule ? ` (${fault.rule})` : ""}`;
  said.hidden = false;
  if (said !== box) {
    said.className = "field-fault";
    holder?.append(said);
    holder?.classList.add("is-wrong");
  }
  said.scrollIntoView({ block: "center" });
  const input = holder?.querySelector("input:not([type=radio], [type=file]), select");
  if (input instanceof HTMLElement && said !== box) input.focus({ preventScroll: true });
}

/** Check what is on the page; null where it is not right. */
async function check() {
  const text = JSON.stringify(collect());
  const answer = await ask(text);
  blame(answer.ok ? null : answer);
  find("verdict").textContent = answer.ok ? `${words.right} ${answer.digest}` : words.wrong;
  if (!answer.ok) return null;
  keep(KEPT, { title: answer.title, text: answer.toml });
  return answer;
}

find("check").addEventListener("click", () => void check());
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await check();
  if (!answer) return;
  field("edition-text").value = answer.toml;
  form.submit();
});
find("play").addEventListener("click", async () => {
  if (await check()) location.assign("/new/dribbel-fieber?with=computer&edition=own");
});

field("edition-file").addEventListener("change", async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const file = input.files?.[0];
  if (!file) return;
  // Four bytes at most for a character; nothing bigger is even read.
  const answer = file.size > 4 * Number(form.dataset.max) ? { ok: false, field: "edition", reason: words.too_long } : await ask(await file.text());
  input.value = "";
  blame(answer.ok ? null : { field: "edition", reason: `${answer.field}: ${answer.reason}`, rule: answer.rule });
  find("verdict").textContent = answer.ok ? `${words.right} ${answer.digest}` : words.wrong;
  if (!answer.ok) return;
  fill(answer.data);
  keep(DRAFT, answer.data);
});

// --- where to begin: with the edition that was asked for, else with what was typed last ---

function begin() {
  fill(JSON.parse(form.dataset.edition ?? "{}"));
  const typed = /** @type {Data | null} */ (read(DRAFT, null));
  if (!typed || new URLSearchParams(location.search).has("from")) return;
  try {
    fill(typed);
  } catch {
    fill(JSON.parse(form.dataset.edition ?? "{}")); // kept by another version of this page
    return;
  }
  find("verdict").textContent = words.typed_last;
  document.querySelector(".toolbar [aria-current]")?.removeAttribute("aria-current");
}

begin();
