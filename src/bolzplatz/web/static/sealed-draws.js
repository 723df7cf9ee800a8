// @ts-check
/**
 * What is sealed and drawn: chains, the opening record, requests, draws, and what is known of every chain.
 *
 * Section numbers are those of `docs/sealed-draws.md`.
 *
 * @typedef {Uint8Array} Bytes
 * @typedef {{k: number, purpose: string, seat: number | null, form: string, n: number, head: Bytes}} Asked
 * @typedef {Asked & {expected: string[]}} Request
 * @typedef {Map<string, Bytes>} Values by contributor
 * @typedef {{request: Request, server: Bytes, values: Values, absent: string[], faces: number[] | null}} Draw
 * @typedef {{k: number, head: Bytes, tips: Values}} Renewal
 * @typedef {{table: string, seats: number, restarts: number, tips: Values, deck: Bytes, digest: Bytes}} Opening
 */

import {
  PROTOCOL, canonicalJson, readCount, readFields, readHex, readList, readObject, readText, refuse, same, show,
  taggedHash, taggedMac, toHex,
} from "./sealed-bytes.js";

export const CHAIN_LENGTH = 4096;
const [MAX_COUNT, MAX_WEIGHTS, WORD_ROUNDS, WORD_RANGE] = [1024, 8192, 4096, 2 ** 32];

// --- Contributors and their chains (§3) ---

/** Server, seats, witnesses, each by number. @type {(names: Iterable<string>) => string[]} */
export function inOrder(names) {
  const rank = (/** @type {string} */ name) => {
    const [kind, number] = name.split("-");
    return ["server", "seat", "witness"].indexOf(kind) * 10000 + Number(number ?? 0);
  };
  return [...names].sort((a, b) => rank(a) - rank(b));
}

/** @type {(name: any, where: string) => string} */
function readName(name, where) {
  const fits = typeof name === "string" && /^(server|(seat|witness)-(0|[1-9][0-9]{0,3}))$/.test(name);
  return fits ? name : refuse("shape", where, "server, seat-N or witness-N", show(name));
}

/** Contributors without the server, each once and in order. @type {(value: any, where: string) => string[]} */
function readNames(value, where) {
  const names = readList(value, where).map((name) => readName(name, where));
  const ordered = names.join() === inOrder(new Set(names)).join();
  const fits = ordered && !names.includes("server");
  return fits ? names : refuse("shape", where, "contributors, each once and in order", show(value));
}

/** The value of draw k - 1 that belongs to that of draw k.
 * @type {(table: string, who: string, k: number, value: Bytes) => Bytes} */
const chainLink = (table, who, k, value) => taggedHash("chain", table, who, k, value);

/** The tip at 0, the values for draws start + 1 to start + 4096 at 1 to 4096.
 * @type {(secret: Bytes, table: string, who: string, start: number) => Bytes[]} */
export function makeChain(secret, table, who, start) {
  const values = [taggedHash("chain end", table, who, start, secret)];
  for (let k = start + CHAIN_LENGTH; k > start; k--) values.push(chainLink(table, who, k, values[values.length - 1]));
  return values.reverse();
}

// --- The opening record (§4) ---

/** @type {(value: any, where: string, seats: number) => Values} */
function readTips(value, where, seats) {
  const names = inOrder(Object.keys(readObject(value, where)).map((name) => readName(name, where)));
  const tips = new Map(names.map((name) => [name, readHex(value[name], where)]));
  if (!tips.has("server")) refuse("tips", where, "a tip of the server", names.join(", "));
  if (new Set(Object.values(value)).size < names.length) refuse("tips", where, "no two tips alike", "a copied tip");
  const beyond = names.find((name) => name.startsWith("seat-") && Number(name.slice(5)) >= seats);
  if (beyond) refuse("tips", where, `seats below ${seats}`, beyond);
  return tips;
}

/** @type {(value: any) => Opening} */
export function readOpening(value) {
  const texts = ["table", "game", "rules_version", "data_digest"];
  const names = ["protocol", ...texts, "options", "seats", "tips", "deck", "restarts"];
  const { protocol, table, options, seats, restarts, ...data } = readFields(value, "opening", names);
  const text = canonicalJson(value, "opening");
  if (protocol !== PROTOCOL) refuse("protocol", "opening.protocol", PROTOCOL, show(protocol));
  for (const name of texts) readText(value[name], `opening.${name}`);
  readObject(options, "opening.options");
  for (const seat of readList(seats, "opening.seats")) readObject(seat, "opening.seats");
  const tips = readTips(data.tips, "opening.tips", seats.length);
  const deck = readHex(data.deck, "opening.deck");
  readCount(restarts, "opening.restarts");
  return { table, seats: seats.length, restarts, tips, deck, digest: taggedHash("opening", table, text) };
}

/** The words that players compare aloud, from a list of 2048.
 * @type {(table: string, head: Bytes, wordList: string[]) => string[]} */
export function sixWords(table, head, wordList) {
  let slow = head;
  for (let i = 0; i < WORD_ROUNDS; i++) slow = taggedHash("words", table, slow);
  const bits = Array.from(slow.subarray(0, 9), (byte) => byte.toString(2).padStart(8, "0")).join("");
  return [0, 11, 22, 33, 44, 55].map((at) => wordList[parseInt(bits.slice(at, at + 11), 2)]);
}

// --- From a seed to faces (§6 to §8) ---

/** Numbers from a key: its own bytes (block 0), then HMAC(key; 1), HMAC(key; 2), … */
export class Stream {
  /** @param {Bytes} key @param {string} table */
  constructor(key, table, block = 0) {
    this.key = key;
    this.table = table;
    this.block = block;
    this.bytes = /** @type {Bytes} */ (new Uint8Array(0));
    this.at = 0;
  }

  byte() {
    if (this.at === this.bytes.length) {
      this.bytes = this.block ? taggedMac(this.key, "stream", this.table, this.block) : this.key;
      [this.block, this.at] = [this.block + 1, 0];
    }
    return this.bytes[this.at++];
  }

  word() {
    return ((this.byte() << 24) | (this.byte() << 16) | (this.byte() << 8) | this.byte()) >>> 0;
  }

  /** 1 to `sides`, which are 2 to 252. @type {(sides: number) => number} */
  die(sides) {
    let byte = this.byte();
    while (byte >= 256 - (256 % sides)) byte = this.byte();
    return 1 + (byte % sides);
  }

  /** 0 to n - 1, n up to 2**32. @type {(n: number) => number} */
  below(n) {
    let word = this.word();
    while (word >= WORD_RANGE - (WORD_RANGE % n)) word = this.word();
    return word % n;
  }

  /** An index, in proportion to whole weights. @type {(weights: number[]) => number} */
  weighted(weights) {
    let ticket = this.below(weights.reduce((sum, weight) => sum + weight, 0));
    return weights.findIndex((weight) => (ticket -= weight) < 0);
  }

  /** 0 to n - 1 shuffled by Fisher and Yates. @type {(n: number) => number[]} */
  order(n) {
    const things = Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [things[i], things[j]] = [things[j], things[i]];
    }
    return things;
  }
}

const NUMBER = "(?:0|[1-9][0-9]{0,9})";
const FORM = new RegExp(`^(?:(d|below )(${NUMBER})|(weighted )(${NUMBER}(?:,${NUMBER})*)|(order|deck))$`);

/** @type {(form: string, where?: string) => {kind: string, numbers: number[]}} */
export function readForm(form, where = "form") {
  const match = FORM.exec(form) ?? [];
  const kind = (match[1] ?? match[3] ?? match[5] ?? "").trim();
  const numbers = (match[2] ?? match[4] ?? "").split(",").filter(Boolean).map(Number);
  const sum = numbers.reduce((total, each) => total + each, 0);
  const fits = kind === "d" ? sum >= 2 && sum <= 252
    : kind === "below" || kind === "weighted" ? sum >= 1 && sum <= WORD_RANGE && numbers.length <= MAX_WEIGHTS
    : kind !== "";
  return fits ? { kind, numbers }
    : refuse("shape", where, "d2 to d252, below N, weighted A,B,…, order or deck", show(form));
}

/** @type {(stream: Stream, form: string, n: number) => number[]} */
export function drawFaces(stream, form, n) {
  const { kind, numbers } = readForm(form);
  if (kind === "order" || kind === "deck") return stream.order(n);
  return Array.from({ length: n }, () => {
    if (kind === "d") return stream.die(numbers[0]);
    return kind === "below" ? stream.below(numbers[0]) : stream.weighted(numbers);
  });
}

/** R_k; an absent contributor enters with an empty value.
 * @type {(table: string, request: Request, server: Bytes, values: Values) => Bytes} */
export function drawSeed(table, { k, purpose, seat, form, n, head, expected }, server, values) {
  const asked = expected.flatMap((who) => [who, values.get(who) ?? null]);
  return taggedMac(server, "draw", table, k, purpose, seat, form, n, head, ...asked);
}

/** What a draw yields; null for a deck whose secret is not given.
 * @type {(table: string, draw: Draw, deckSecret: Bytes | null) => number[] | null} */
function facesOf(table, { request, server, values }, deckSecret) {
  const { k, form, n } = request;
  const seed = drawSeed(table, request, server, values);
  if (form !== "deck") return drawFaces(new Stream(seed, table), form, n);
  return deckSecret && drawFaces(new Stream(taggedMac(deckSecret, "shuffle", table, k, seed), table, 1), form, n);
}

// --- Requests, draws, renewals as they are sent and logged (§5, §9) ---

const ASKED = ["k", "purpose", "seat", "form", "n", "head"];

/** @type {(data: any, where: string) => Asked} */
function readAsked(data, where) {
  const [k, purpose] = [readCount(data.k, `${where}.k`, 1), readText(data.purpose, `${where}.purpose`)];
  const seat = data.seat === null ? null : readCount(data.seat, `${where}.seat`);
  const form = readText(data.form, `${where}.form`);
  readForm(form, `${where}.form`);
  const n = readCount(data.n, `${where}.n`, 1, MAX_COUNT);
  return { k, purpose, seat, form, n, head: readHex(data.head, `${where}.head`) };
}

/** @type {(value: any) => Request} */
export function readRequest(value) {
  const data = readFields(value, "request", [...ASKED, "expected"]);
  canonicalJson(data, "request");
  const expected = readNames(data.expected, "request.expected");
  return { ...readAsked(data, "request"), expected };
}

/** @type {(table: string, request: Request) => string} */
export function requestDigest(table, request) {
  return toHex(taggedHash("request", table, canonicalJson({ ...request, head: toHex(request.head) })));
}

/** @type {(table: string, entry: any) => string} */
export const resultDigest = (table, entry) => toHex(taggedHash("result", table, canonicalJson(entry)));

/** @type {(entry: any) => Draw} */
export function readDraw(entry) {
  const { draw } = readFields(entry, "entry", ["draw"]);
  const data = readFields(draw, "draw", [...ASKED, "server", "values", "absent", "faces"]);
  const asked = readAsked(data, "draw");
  const server = readHex(data.server, "draw.server");
  const names = Object.keys(readObject(data.values, "draw.values")).map((name) => readName(name, "draw.values"));
  const present = readNames(inOrder(names), "draw.values");
  const values = new Map(present.map((name) => [name, readHex(data.values[name], `draw.values.${name}`)]));
  const absent = readNames(data.absent, "draw.absent");
  if (absent.some((who) => values.has(who))) refuse("shape", "draw.absent", "nobody who answered", absent.join(", "));
  const faces = data.faces === null ? null : readList(data.faces, "draw.faces");
  faces?.forEach((face) => readCount(face, "draw.faces"));
  return { request: { ...asked, expected: inOrder([...present, ...absent]) }, server, values, absent, faces };
}

/** @type {(entry: any, seats: number) => Renewal} */
export function readRenewal(entry, seats) {
  const data = readFields(readFields(entry, "entry", ["renewal"]).renewal, "renewal", ["k", "head", "tips"]);
  const [k, head] = [readCount(data.k, "renewal.k"), readHex(data.head, "renewal.head")];
  return { k, head, tips: readTips(data.tips, "renewal.tips", seats) };
}

/** @type {(table: string, head: Bytes, entry: any) => Bytes} */
export const nextHead = (table, head, entry) => taggedHash("log", table, head, canonicalJson(entry, "entry"));

// --- What is known of the chains (§10) ---

/** The last known value of every chain and the number of the last draw. */
export class Commitments {
  /** @param {string} table @param {number} seats @param {Values} tips */
  constructor(table, seats, tips, k = 0) {
    this.table = table;
    this.seats = seats;
    this.k = k;
    this.start = k;
    /** @type {Map<string, [number, Bytes]>} */
    this.known = new Map([...tips].map(([who, tip]) => [who, [k, tip]]));
  }

  get contributors() {
    return inOrder(this.known.keys()).filter((who) => who !== "server");
  }

  /** @type {(request: Request, where: string) => void} */
  checkRequest({ k, seat, expected }, where) {
    const [next, end] = [this.k + 1, this.start + CHAIN_LENGTH];
    if (k !== next) refuse("order", `${where}.k`, `${next}`, `${k}`);
    if (k > end) refuse("used-up", `${where}.k`, `at most ${end}`, `${k}`);
    if (seat !== null && seat >= this.seats) refuse("shape", `${where}.seat`, `a seat below ${this.seats}`, `${seat}`);
    const [asked, found] = [this.contributors.join(", "), expected.join(", ")];
    if (asked !== found) refuse("contributors", where, asked, found);
  }

  /** Check the next draw in full, remember its values, return its faces.
   * @type {(draw: Draw, deckSecret?: Bytes | null) => number[] | null} */
  take(draw, deckSecret = null) {
    const { k, form } = draw.request;
    this.checkRequest(draw.request, "draw");
    const values = new Map([["server", draw.server], ...draw.values]);
    for (const [who, value] of values) {
      const [last, known] = this.known.get(who) ?? [k, value];
      let back = value;
      for (let at = k; at > last; at--) back = chainLink(this.table, who, at, back);
      const where = who === "server" ? "draw.server" : `draw.values.${who}`;
      if (!same(back, known)) refuse("link", where, `a value that hashes to that of draw ${last}`, toHex(value));
    }
    const faces = facesOf(this.table, draw, deckSecret);
    const shown = form === "deck" ? null : faces;
    const right = canonicalJson(draw.faces) === canonicalJson(shown);
    if (!right) refuse("faces", "draw.faces", show(shown), show(draw.faces));
    this.k = k;
    for (const [who, value] of values) this.known.set(who, [k, value]);
    return faces;
  }

  /** Whether these very chains are in use, and none of their draws has been made. @type {(renewal: Renewal) => boolean} */
  justRenewed({ k, tips }) {
    const entries = [...this.known];
    return tips.size === entries.length && entries.every(([who, [at, value]]) => at === k && tips.has(who) && same(value, tips.get(who) ?? value));
  }

  /** The commitments after a renewal. @type {(renewal: Renewal) => Commitments} */
  renewed({ k, tips }) {
    if (k !== this.k) refuse("order", "renewal.k", `${this.k}`, `${k}`);
    return new Commitments(this.table, this.seats, tips, k);
  }
}
