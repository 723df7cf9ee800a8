// @ts-check
/**
 * Check a record in the browser alone: every chain link, every throw, and what the browser itself saw of the match.
 *
 * @typedef {{kind: string, k: number | null, who: string[], count: number | null}} Note
 */

import { sha256 } from "../sealed-bytes.js";
import { readCanonical, toHex, verifyProof } from "../sealed.js";

const MAGIC = "Bolzplatz record 1\n";

/** Take a `.bolz` file apart: its text, its moves, how many of them were given, and the proof block. @param {Uint8Array} bytes */
export function takeApart(bytes) {
  const whole = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (!whole.startsWith(MAGIC) || !whole.endsWith("\n")) throw new Error("record");
  const at = whole.lastIndexOf("\n\n") + 2;
  const last = whole.slice(at, -1);
  if (!last.startsWith("{")) return { moves: movesOf(whole), given: givenOf(whole), proof: null, digest: "", written: "" };
  const text = whole.slice(0, at);
  const block = readCanonical(last);
  const written = toHex(sha256(new TextEncoder().encode(text)));
  return { moves: movesOf(text), given: givenOf(text), proof: block.proof, digest: block.text, written };
}

/** @param {string} text */
function movesOf(text) {
  return (text.split("\n\n")[1] ?? "").split("\n").filter((line) => line);
}

/** The number of moves that were given: the match was played on from there. @param {string} text */
function givenOf(text) {
  return Number(/^given: ([1-9][0-9]{0,8})$/m.exec(text.split("\n\n")[0])?.[1] ?? 0);
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
  if (verdict.faces.length) box.append(bars(verdict.faces, words));
  place.replaceChildren(box);
}

/** @param {Uint8Array} bytes @param {Record<string, string>} words @param {{compare: (proof: any) => Note[]} | null} fair */
function judge(bytes, words, fair) {
  const bad = (/** @type {string} */ title, /** @type {string[]} */ lines = []) => ({ good: false, title, lines, faces: /** @type {number[]} */ ([]) });
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
    return bad(words.check_wrong, [fill(words.check_fault, { entry: entry === null ? "–" : entry + 1, what, where })]);
  }
  const proven = provenMoves(record.proof.entries);
  if (proven.wrong) return bad(words.check_wrong, [fill(words.check_fault, { entry: proven.wrong, what: "undo", where: "entry.undo" })]);
  const wrong = wrongMove(record.moves, record.given, proven.moves);
  if (wrong) return bad(words.check_wrong, [fill(words.check_move, { n: wrong })]);
  if (record.digest !== record.written) return bad(words.check_wrong, [words.check_text]);
  const seen = fair ? fair.compare(record.proof) : [];
  const serious = seen.filter((note) => note.kind !== "left-out");
  const given = record.given ? [{ kind: "given", k: null, who: [], count: record.given }] : [];
  const seats = /** @type {{name: string}[]} */ (record.proof.opening.seats);
  const faces = report.draws.flatMap((draw) => draw.faces ?? []);
  return {
    good: !serious.length,
    title: serious.length ? words.check_other : fill(words.check_right, { n: report.draws.length }),
    lines: [...[...report.notes, ...given, ...proven.notes, ...seen].map((note) => noteText(note, words, seats)), fair && !serious.length ? words.check_seen : words.check_rules],
    faces,
  };
}

/** @param {Note} note @param {Record<string, string>} words @param {{name: string}[]} seats */
function noteText(note, words, seats) {
  const text = words[`note_${note.kind.replaceAll("-", "_")}`] ?? note.kind;
  const who = note.who.map((name) => seats[Number(/^seat-(\d+)$/.exec(name)?.[1] ?? -1)]?.name ?? name);
  return fill(text, { k: note.k, who: who.join(", "), n: note.count });
}

/** How often each side came up. @param {number[]} faces @param {Record<string, string>} words */
function bars(faces, words) {
  const sides = Math.max(6, ...faces);
  const counts = Array.from({ length: sides }, (_, side) => faces.filter((face) => face === side + 1).length);
  const figure = document.createElement("figure");
  figure.className = "bars";
  figure.append(Object.assign(document.createElement("figcaption"), { textContent: fill(words.check_sides, { n: faces.length }) }));
  counts.forEach((count, side) => {
    const row = document.createElement("label");
    const meter = document.createElement("meter");
    Object.assign(meter, { max: Math.max(...counts), value: count });
    row.append(`${side + 1}`, meter, `${count}`);
    figure.append(row);
  });
  return figure;
}

/** @param {string} text @param {Record<string, unknown>} places */
function fill(text, places) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(places[name]));
}
