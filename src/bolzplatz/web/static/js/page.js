// @ts-check
/** The pages around the table: day and night, the tables left open, the team sheet, the check of a file. */

import { keep, light, read, setLight } from "./settings.js";

const LOOKS = 10;
const NAME = "bolzplatz.name";
const RECENT = "bolzplatz.recent";
/** An edition has at most 20,000 characters. */
const OWN_BYTES = 80000;

const find = (/** @type {string} */ id) => document.getElementById(id);

find("theme")?.addEventListener("click", () => setLight(light() === "day" ? "night" : "day"));

// --- home: go on where you left ---

const goOn = find("goon");
const recent = /** @type {{table: string, title: string}[]} */ (read(RECENT, []));
if (goOn && recent.length) {
  const list = /** @type {HTMLElement} */ (goOn.querySelector("ul"));
  for (const { table, title } of recent) {
    const link = document.createElement("a");
    link.className = "btn btn--small";
    link.href = `/t/${encodeURIComponent(table)}`;
    link.textContent = title;
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  goOn.hidden = false;
}

// --- a new table ---

const form = find("newtable");
if (form instanceof HTMLFormElement) teamSheet(form);

/** @param {HTMLFormElement} form */
function teamSheet(form) {
  const seats = /** @type {HTMLElement} */ (find("seats"));
  const spare = /** @type {HTMLTemplateElement} */ (find("spare"));
  const begins = /** @type {HTMLSelectElement} */ (find("begins"));
  /** Names to offer, by kind of seat. @type {Record<string, string[]>} */
  const names = JSON.parse(form.dataset.names ?? "{}");
  const [least, most] = [Number(form.dataset.least), Number(form.dataset.most)];
  const rows = () => Array.from(/** @type {NodeListOf<HTMLElement>} */ (seats.querySelectorAll(".seat")));
  const nameOf = (/** @type {HTMLElement} */ row) => /** @type {HTMLInputElement} */ (row.querySelector(".name"));

  /** The first name of that kind which nobody has. @param {string} kind */
  function free(kind) {
    const taken = rows().map((row) => nameOf(row).value);
    const offered = names[kind] ?? [];
    return offered.find((name) => !taken.includes(name)) ?? `${offered[0]} ${rows().length}`;
  }

  function tidy() {
    const all = rows();
    all.forEach((row) => { /** @type {HTMLElement} */ (row.querySelector(".drop")).hidden = all.length <= least || row !== all[all.length - 1]; });
    /** @type {HTMLButtonElement} */ (find("add-seat")).disabled = all.length >= most;
    const teams = all.length > 2;
    find("teamline")?.toggleAttribute("hidden", !teams);
    const waits = all.some((row) => form.elements.namedItem(`kind-${row.dataset.seat}`) instanceof RadioNodeList
      && /** @type {RadioNodeList} */ (form.elements.namedItem(`kind-${row.dataset.seat}`)).value === "open");
    const says = find("start-says");
    if (says) says.textContent = (waits ? says.dataset.room : says.dataset.start) ?? "";
    form.querySelectorAll(".teams-only").forEach((line) => line.toggleAttribute("hidden", !teams));
    offer(form, all.length);
    const first = begins.value;
    const label = (/** @type {number} */ i) => nameOf(all[i]).value || (nameOf(all[i]).dataset.open ?? "");
    begins.replaceChildren(begins.options[0], ...all.map((_, i) => new Option(label(i), String(i))));
    begins.value = first;
    if (begins.selectedIndex < 0) begins.value = "lots";
  }

  find("add-seat")?.addEventListener("click", () => {
    const index = rows().length;
    const row = /** @type {HTMLElement} */ (/** @type {DocumentFragment} */ (spare.content.cloneNode(true)).firstElementChild);
    row.dataset.seat = String(index);
    row.querySelectorAll("[name], [id], [for]").forEach((part) => {
      for (const attribute of ["name", "id", "for"]) {
        const value = part.getAttribute(attribute);
        if (value) part.setAttribute(attribute, value.replace("-N", `-${index}`));
      }
    });
    const shirt = /** @type {Element} */ (row.querySelector(".kit"));
    shirt.replaceWith(/** @type {Element} */ (shirts[index % LOOKS].cloneNode(true)));
    nameOf(row).value = free("human");
    /** @type {HTMLElement} */ (row.querySelector(".person")).textContent = form.dataset.here ?? "";
    seats.append(row);
    tidy();
    nameOf(row).select();
  });

  form.addEventListener("click", (event) => {
    const drop = event.target instanceof Element ? event.target.closest(".drop") : null;
    if (!drop) return;
    drop.closest(".seat")?.remove();
    tidy();
  });

  form.addEventListener("change", (event) => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement)) return;
    if (!input.name.startsWith("kind-")) {
      offer(form, rows().length);
      return;
    }
    // A name that was only offered goes with the kind of seat; one that was typed stays.
    const name = nameOf(/** @type {HTMLElement} */ (input.closest(".seat")));
    name.disabled = input.value === "open";
    name.placeholder = name.disabled ? name.dataset.open ?? "" : "";
    if (name.disabled) name.value = "";
    else if (!name.value) name.value = free(input.value);
    else if (Object.values(names).flat().some((offered) => offered === name.value)) {
      name.value = "";
      name.value = free(input.value);
    }
    tidy();
  });

  seats.addEventListener("input", tidy);
  form.addEventListener("submit", () => {
    const mine = nameOf(rows()[0]);
    keep(NAME, /** @type {HTMLInputElement} */ (form.elements.namedItem("kind-0"))?.value === "human" ? mine.value : read(NAME, ""));
  });

  const shirts = Array.from(/** @type {HTMLTemplateElement} */ (find("shirts")).content.children);
  // A rule out of bounds must not be refused where nobody sees it.
  form.addEventListener("invalid", (event) => {
    /** @type {Element} */ (event.target).closest("details")?.setAttribute("open", "");
  }, true);

  // A name that may be the reason of a refusal is not offered again.
  if (form.parentElement?.querySelector(".fault")) keep(NAME, "");
  const known = read(NAME, "");
  if (known && rows().slice(1).every((row) => nameOf(row).value !== known)) nameOf(rows()[0]).value = known;
  tidy();
}

/** Show the questions and answers that fit what was chosen so far; what is hidden is not sent.
 * @param {HTMLFormElement} form @param {number} seats */
function offer(form, seats) {
  const chosen = (/** @type {string} */ name) => /** @type {HTMLInputElement | null} */ (form.querySelector(`[name="${name}"]:checked:enabled`))?.value ?? "";
  // In the page's order: an answer may hide a later one.
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-when]"))) {
    const even = seats > 2 && seats % 2 === 0 && seats <= 8;
    const pair = seats === 2 || (even && chosen("sides") === "teams");
    const facts = [even ? "even" : "", pair ? "pair" : "ring", `mode-${chosen("o-mode")}`, ["nine", "collector"].includes(chosen("o-edition")) ? "bonus" : "",
      `dice-${chosen("dice")}`, `pace-${chosen("pace")}`, `seats-${seats}`,
      chosen("dice") === "sealed" && chosen("o-penalty_model") === "tap-race" ? "taps" : ""];
    const fits = facts.includes(part.dataset.when ?? "");
    part.hidden = !fits;
    const inputs = Array.from(/** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (part.querySelectorAll("input, select")));
    inputs.forEach((input) => { input.disabled = !fits; });
    const group = part.matches("label") ? part.closest("fieldset") : null;
    if (!fits && group && inputs.some((input) => input instanceof HTMLInputElement && input.checked)) {
      /** @type {HTMLInputElement} */ (group.querySelector("label:not([hidden]) input")).checked = true;
    }
  }
}

// --- an edition of one's own: from the editor, or from a file ---

const ownBox = find("ownbox");
if (ownBox) ownEdition(ownBox);

/** @param {HTMLElement} box */
function ownEdition(box) {
  const text = /** @type {HTMLTextAreaElement} */ (find("own-edition"));
  const says = /** @type {HTMLElement} */ (find("own-says"));
  const own = /** @type {HTMLInputElement} */ (document.querySelector("[name=o-edition][value=own]"));

  function show() {
    text.disabled = !own.checked;
    box.hidden = !own.checked;
  }

  const kept = read("bolzplatz.edition", { title: "", text: "" });
  if (kept.text && !text.value) [text.value, says.textContent] = [kept.text, kept.title];
  if (new URLSearchParams(location.search).get("edition") === "own" && kept.text) {
    own.checked = true;
    own.closest("details")?.setAttribute("open", "");
  }
  show();
  form?.addEventListener("change", show);
  find("own-file")?.addEventListener("change", async (event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const file = input.files?.[0];
    if (!file) return;
    // What is far too big is not even read; what is wrong is said by the table.
    text.value = file.size > OWN_BYTES ? "" : await file.text();
    says.textContent = file.name;
    own.checked = true;
    show();
  });
}

// --- the check of a record ---

find("file")?.addEventListener("change", async (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const file = input.files?.[0];
  if (!file) return;
  const bytes = new Uint8Array(await file.arrayBuffer());
  // Whoever chooses the same file again, because it has changed, is answered again.
  input.value = "";
  const { showVerdict } = await import("./check.js");
  showVerdict(/** @type {HTMLElement} */ (find("verdict")), bytes, JSON.parse(document.body.dataset.words ?? "{}"), null);
});
