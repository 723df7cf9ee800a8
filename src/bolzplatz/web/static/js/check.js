// @ts-check
/**
 * Check a record in the browser alone: every chain link, every throw, and what the browser itself saw of the match.
 *
 * @typedef {{kind: string, k: number | null, who: string[], count: number | null}} Note
 */

import { sha256 } from "../sealed-bytes.js";
import { readCanonical, toHex, verifyProof } from "../sealed.js";

const MAGIC = "Bolzplatz record 1\n";

/** Take a `.bolz` file apart: its text, its moves, and the proof block. @param {Uint8Array} bytes */
function takeApart(bytes) {
  const whole = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (!whole.startsWith(MAGIC) || !whole.endsWith("\n")) throw new Error("record");
  const at = whole.lastIndexOf("\n\n") + 2;
  const last = whole.slice(at, -1);
  if (!last.startsWith("{")) return { moves: movesOf(whole), proof: null, digest: "", written: "" };
  const text = whole.slice(0, at);
  const block = readCanonical(last);
  return { moves: movesOf(text), proof: block.proof, digest: block.text, written: toHex(sha256(new TextEncoder().encode(text))) };
}

/** @param {string} text */
function movesOf(text) {
  return (text.split("\n\n")[1] ?? "").split("\n").filter((line) => line);
}

/** What is wrong with the moves as written, against the proven log; empty if nothing. @param {string[]} moves @param {any} proof */
function wrongMove(moves, proof) {
  const logged = proof.entries.filter((/** @type {any} */ entry) => "draw" in entry || "move" in entry);
  if (logged.length !== moves.length) return moves.length + 1;
  const at = logged.findIndex((/** @type {any} */ entry, /** @type {number} */ i) => "move" in entry && entry.move !== moves[i]);
  return at < 0 ? 0 : at + 1;
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
    const { entry, what, where } = report.fault;
    return bad(words.check_wrong, [fill(words.check_fault, { entry: entry === null ? "–" : entry + 1, what, where })]);
  }
  const wrong = wrongMove(record.moves, record.proof);
  if (wrong) return bad(words.check_wrong, [fill(words.check_move, { n: wrong })]);
  if (record.digest !== record.written) return bad(words.check_wrong, [words.check_text]);
  const seen = fair ? fair.compare(record.proof) : [];
  const serious = seen.filter((note) => note.kind !== "left-out");
  const faces = report.draws.flatMap((draw) => draw.faces ?? []);
  return {
    good: !serious.length,
    title: serious.length ? words.check_other : fill(words.check_right, { n: report.draws.length }),
    lines: [...[...report.notes, ...seen].map((note) => noteText(note, words)), fair && !serious.length ? words.check_seen : words.check_rules],
    faces,
  };
}

/** @param {Note} note @param {Record<string, string>} words */
function noteText(note, words) {
  const text = words[`note_${note.kind.replaceAll("-", "_")}`] ?? note.kind;
  return fill(text, { k: note.k, who: note.who.join(", "), n: note.count });
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
