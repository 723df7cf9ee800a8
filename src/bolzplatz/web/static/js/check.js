// @ts-check
/**
 * Check a record in the browser alone: every chain link, every throw, headers and moves against the proof, and what the
 * browser itself saw of the match. The page holds no rules: what only they can tell is left to `bolzplatz verify`, and said.
 *
 * @typedef {{kind: string, k: number | null, who: string[], count: number | null}} Note
 * @typedef {{sides: number, throws: number, counts: number[], low: number, high: number}} Frequency
 */

import { sha256 } from "../sealed-bytes.js";
import { readCanonical, toHex, verifyProof } from "../sealed.js";

const MAGIC = "Bolzplatz record 1\n";
const SEALED_DICE = "sealed draws";
/** Half of a normal distribution's middle 99 %, in standard deviations. */
const Z_99 = 2.5758;

/** Take a `.bolz` file apart: headers, moves, how many of them were given, and the proof block. @param {Uint8Array} bytes */
export function takeApart(bytes) {
  const whole = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (!whole.startsWith(MAGIC) || !whole.endsWith("\n")) throw new Error("record");
  const at = whole.lastIndexOf("\n\n") + 2;
  const last = whole.slice(at, -1);
  const headers = headersOf(whole);
  const given = Number(headers.get("given") ?? 0);
  if (!last.startsWith("{")) return { headers, moves: movesOf(whole), given, proof: null, digest: "", written: "" };
  const text = whole.slice(0, at);
  const block = readCanonical(last);
  const written = toHex(sha256(new TextEncoder().encode(text)));
  return { headers, moves: movesOf(text), given, proof: block.proof, digest: block.text, written };
}

/** The lines `key: value` before the first empty one, each key once. @param {string} text */
function headersOf(text) {
  const headers = /** @type {Map<string, string>} */ (new Map());
  for (const line of text.split("\n\n")[0].split("\n").slice(1)) {
    const [, key, value] = /^(.+?): (.*)$/.exec(line) ?? [];
    if (key === undefined || headers.has(key)) throw new Error("record");
    headers.set(key, value);
  }
  // The number of moves that were given: the match was played on from there.
  if (!/^[1-9][0-9]{0,8}$/.test(headers.get("given") ?? "1")) throw new Error("record");
  return headers;
}

/** @param {string} text */
function movesOf(text) {
  return (text.split("\n\n")[1] ?? "").split("\n").filter((line) => line);
}

/** The first header that is not as the opening record has it; "" if all are. How many moves were given, and the result, are
 * not in it. `core/record.py` compares the same. @param {Map<string, string>} headers @param {any} opening */
export function wrongHeader(headers, opening) {
  const proven = new Map([
    ["game", opening.game],
    ["rules", opening.rules_version],
    ...(headers.has("data") ? [["data", opening.data_digest]] : []),
    ...Object.entries(opening.options).map(([name, value]) => [`option ${name}`, value === null ? "none" : String(value)]),
    ...opening.seats.map((/** @type {any} */ seat, /** @type {number} */ i) => [`seat ${i}`, seat.name]),
    ["dice", SEALED_DICE],
  ]);
  const named = [...headers.keys()].filter((key) => key !== "given" && key !== "result");
  return [...proven.keys(), ...named].find((key) => proven.get(key) !== headers.get(key)) ?? "";
}

/**
 * The moves that stand by the proven log, null for a throw, and notes on throws that were taken back; `wrong` is the place
 * of an entry that takes back what is not there, counted from 1. `core/proven.py` finds the same.
 * @param {any[]} entries
 */
export function provenMoves(entries) {
  const moves = /** @type {{move: string | null, k: number | null}[]} */ ([]);
  const notes = /** @type {Note[]} */ ([]);
  /** The last deal, while its cards lie face down. @type {number | null} */
  let dealt = null;
  for (const [index, entry] of entries.entries()) {
    if ("draw" in entry) {
      if (entry.draw.purpose === "deal") dealt = entry.draw.k;
      else if (entry.draw.purpose !== "lot") moves.push({ move: null, k: entry.draw.k });
    } else if ("move" in entry || "cards" in entry) {
      for (const [place, card] of (entry.cards ?? []).entries()) moves.push({ move: card, k: place ? null : dealt });
      if (entry.race === null) notes.push({ kind: "broken-off", k: null, who: [], count: moves.length });
      for (const move of [entry.move, entry.order]) if (typeof move === "string") moves.push({ move, k: null });
      if (entry.cards) dealt = null;
    } else if (entry.tap === null) {
      notes.push({ kind: "broken-off", k: null, who: [], count: moves.length });
    } else if ("undo" in entry) {
      const kept = entry.undo;
      if (!Number.isInteger(kept) || kept < 0 || kept > moves.length) return { moves: [], notes, wrong: index + 1 };
      const draws = [...moves.splice(kept).map(({ k }) => k), dealt].flatMap((k) => (k === null ? [] : [k]));
      if (draws.length) notes.push({ kind: "rewound", k: Math.max(...draws), who: [], count: draws.length });
      dealt = null;
    }
  }
  return { moves: moves.map(({ move }) => move), notes, wrong: 0 };
}

/** The first move that is not as the proven log has it, counted from 1; 0 if all are. Throws are for `verify` to replay.
 * @param {string[]} moves @param {number} given @param {(string | null)[]} proven */
export function wrongMove(moves, given, proven) {
  if (given > moves.length) return moves.length + 1;
  const at = proven.findIndex((move, i) => given + i >= moves.length || (move !== null && move !== moves[given + i]));
  if (at >= 0) return given + at + 1;
  return moves.length > given + proven.length ? given + proven.length + 1 : 0;
}

/**
 * Check a record and say what was found.
 * @param {HTMLElement} place
 * @param {Uint8Array} bytes
 * @param {Record<string, string>} words
 * @param {{compare: (proof: any) => Note[]} | null} fair what this browser saw of the match
 */
export function showVerdict(place, bytes, words, fair) {
  const verdict = judge(bytes, words, fair);
  const box = document.createElement("div");
  box.className = `verdict ${verdict.good ? "good" : "bad"}`;
  const title = document.createElement("h2");
  title.textContent = `${verdict.good ? "✓" : "✗"} ${verdict.title}`;
  const list = document.createElement("ul");
  list.append(...verdict.lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  box.append(title, list);
  box.append(...verdict.frequencies.map((each) => bars(each, words)));
  place.replaceChildren(box);
}

/** @param {Uint8Array} bytes @param {Record<string, string>} words @param {{compare: (proof: any) => Note[]} | null} fair */
export function judge(bytes, words, fair) {
  const bad = (/** @type {string} */ title, /** @type {string[]} */ lines = []) =>
    ({ good: false, title, lines, frequencies: /** @type {Frequency[]} */ ([]) });
  const atFault = (/** @type {number | null} */ entry, /** @type {string} */ what, /** @type {string} */ where) =>
    bad(words.check_wrong, [fill(words.check_fault, { entry: entry ?? "–", what: words[`fault_${what.replaceAll("-", "_")}`], where })]);
  let record;
  try {
    record = takeApart(bytes);
  } catch {
    return bad(words.check_no_record);
  }
  if (record.proof === null) return bad(words.check_not_provable, [words.check_by_hand]);
  const report = verifyProof(record.proof);
  if (report.fault) {
    const { entry, what, where } = /** @type {{entry: number | null, what: string, where: string}} */ (report.fault);
    return atFault(entry === null ? null : entry + 1, what, where);
  }
  const header = wrongHeader(record.headers, record.proof.opening);
  if (header) return bad(words.check_wrong, [fill(words.check_header, { header })]);
  const proven = provenMoves(record.proof.entries);
  if (proven.wrong) return atFault(proven.wrong, "undo", "entry.undo");
  const wrong = wrongMove(record.moves, record.given, proven.moves);
  if (wrong) return bad(words.check_wrong, [fill(words.check_move, { n: wrong })]);
  if (record.digest !== record.written) return bad(words.check_wrong, [words.check_text]);
  const seen = fair ? fair.compare(record.proof) : [];
  const serious = seen.filter((note) => note.kind !== "left-out");
  const given = record.given ? [{ kind: "given", k: null, who: [], count: record.given }] : [];
  const seats = /** @type {{name: string}[]} */ (record.proof.opening.seats);
  const notes = [...report.notes, ...given, ...proven.notes, ...seen].map((note) => noteText(note, words, seats));
  return {
    good: !serious.length,
    title: serious.length ? words.check_other : fill(words.check_right, { n: report.draws.length }),
    lines: [...notes, ...(fair && !serious.length ? [words.check_seen] : []), words.check_rules],
    frequencies: frequenciesOf(report.draws, record.proof.entries),
  };
}

/** @param {Note} note @param {Record<string, string>} words @param {{name: string}[]} seats */
function noteText(note, words, seats) {
  const text = words[`note_${note.kind.replaceAll("-", "_")}`];
  const who = note.who.map((name) => seats[Number(/^seat-(\d+)$/.exec(name)?.[1] ?? -1)]?.name ?? name);
  return fill(text, { k: note.k, who: who.join(", "), n: note.count });
}

/**
 * How often each side of each kind of die came up, and between which counts 99 of 100 such runs would lie. Decks, orders and
 * weighted draws have no sides.
 * @param {{entry: number, faces: number[] | null}[]} draws @param {any[]} entries
 */
function frequenciesOf(draws, entries) {
  const faces = /** @type {Map<number, number[]>} */ (new Map());
  for (const draw of draws) {
    const sides = Number(/^d([0-9]+)$/.exec(entries[draw.entry].draw.form)?.[1] ?? 0);
    if (sides && draw.faces) faces.set(sides, [...(faces.get(sides) ?? []), ...draw.faces]);
  }
  return [...faces].sort(([a], [b]) => a - b).map(([sides, came]) => frequency(sides, came));
}

/** @param {number} sides @param {number[]} came @returns {Frequency} */
function frequency(sides, came) {
  const mean = came.length / sides;
  const spread = Z_99 * Math.sqrt(came.length * (1 / sides) * (1 - 1 / sides));
  const counts = Array.from({ length: sides }, (_, side) => came.filter((face) => face === side + 1).length);
  return { sides, throws: came.length, counts, low: Math.max(0, Math.ceil(mean - spread)), high: Math.floor(mean + spread) };
}

/** @param {Frequency} shown @param {Record<string, string>} words */
function bars({ sides, throws, counts, low, high }, words) {
  const figure = document.createElement("figure");
  figure.className = "bars";
  const line = (/** @type {string} */ tag, /** @type {string} */ textContent) => Object.assign(document.createElement(tag), { textContent });
  figure.append(line("figcaption", fill(words.check_sides, { sides, n: throws, low, high })));
  const outside = (/** @type {number} */ count) => count < low || count > high;
  counts.forEach((count, side) => {
    const row = document.createElement("label");
    const meter = document.createElement("meter");
    Object.assign(meter, { max: Math.max(high, ...counts), value: count });
    row.append(`${side + 1}`, meter, `${count}${outside(count) ? " !" : ""}`);
    figure.append(row);
  });
  if (counts.some(outside)) figure.append(line("p", `! ${words.check_outside}`));
  return figure;
}

/** @param {string} text @param {Record<string, unknown>} places */
function fill(text, places) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(places[name]));
}
