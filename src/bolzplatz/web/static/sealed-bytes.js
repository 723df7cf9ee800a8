// @ts-check
/**
 * What sealed draws are made of: SHA-256 and HMAC, canonical JSON, and reading of values that nobody vouches for.
 *
 * SHA-256 is written out because a page on plain http has no `crypto.subtle`. Section numbers are those of
 * `docs/sealed-draws.md`.
 *
 * @typedef {Uint8Array} Bytes
 * @typedef {Bytes | string | number | null} Field what may enter a hash: null as nothing, a number as decimal digits
 */

export const PROTOCOL = "sealed-draws-1";
const MAX_DEPTH = 64;

/** A value or message that the protocol refuses; `what` is a stable code, `where` the field (§12). */
export class SealedError extends Error {
  /** @param {string} what @param {string} where */
  constructor(what, where, expected = "", found = "") {
    super(`${where} (${what}): expected ${expected || "nothing"}, found ${found || "nothing"}`);
    this.what = what;
    this.where = where;
    this.expected = expected;
    this.found = found;
  }
}

/** @type {(what: string, where: string, expected?: string, found?: string) => never} */
export function refuse(what, where, expected, found) {
  throw new SealedError(what, where, expected, found);
}

// --- SHA-256 and HMAC (FIPS 180-4, RFC 2104) ---

const K = new Uint32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const schedule = new Uint32Array(64);

/** @type {(x: number, by: number) => number} */
const rotated = (x, by) => (x >>> by) | (x << (32 - by));

/** @type {(data: Bytes) => Bytes} */
export function sha256(data) {
  const padded = new Uint8Array((data.length + 72) & ~63);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29));
  view.setUint32(padded.length - 4, data.length << 3);
  const state = Uint32Array.from(START);
  const w = schedule;
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const t1 = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const t2 = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setUint32(4 * i, word));
  return new Uint8Array(out.buffer);
}

/** @type {(...parts: Bytes[]) => Bytes} */
function join(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** @type {(key: Bytes, data: Bytes) => Bytes} */
export function hmac(key, data) {
  const block = join(key.length > 64 ? sha256(key) : key, new Uint8Array(64)).subarray(0, 64);
  const inner = sha256(join(block.map((byte) => byte ^ 0x36), data));
  return sha256(join(block.map((byte) => byte ^ 0x5c), inner));
}

// --- Tagged hashes (§2) ---

const encoder = new TextEncoder();

/** The purpose, the table id and the fields, each behind its length. @type {(...fields: Field[]) => Bytes} */
function pack(purpose, table, ...fields) {
  const parts = [`bolzplatz ${PROTOCOL} ${purpose}`, table, ...fields].map((field) =>
    field instanceof Uint8Array ? field : encoder.encode(field === null ? "" : String(field)));
  const out = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    out.set(part, at + 4);
    at += 4 + part.length;
  }
  return out;
}

/** @type {(purpose: string, table: string, ...fields: Field[]) => Bytes} */
export const taggedHash = (...fields) => sha256(pack(...fields));
/** @type {(key: Bytes, purpose: string, table: string, ...fields: Field[]) => Bytes} */
export const taggedMac = (key, ...fields) => hmac(key, pack(...fields));
/** 32 fresh bytes. @type {() => Bytes} */
export const newSecret = () => crypto.getRandomValues(new Uint8Array(32));

/** @type {(bytes: Bytes) => string} */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
/** @type {(text: string) => Bytes} */
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
/** @type {(a: Bytes, b: Bytes) => boolean} */
export const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

// --- Canonical JSON (§1) ---

/** Order of code points, which is not the order of UTF-16 units. @type {(a: string, b: string) => number} */
function byCodePoint(a, b) {
  const [x, y] = [Array.from(a), Array.from(b)];
  const at = x.findIndex((sign, i) => sign !== y[i]);
  if (at < 0 || at >= y.length) return x.length - y.length;
  return Number(x[at].codePointAt(0)) - Number(y[at].codePointAt(0));
}

/** The one text of a JSON value: sorted keys, no blanks, whole numbers only.
 * @type {(value: any, where?: string, depth?: number) => string} */
export function canonicalJson(value, where = "json", depth = 0) {
  if (depth > MAX_DEPTH) refuse("shape", where, `at most ${MAX_DEPTH} levels`, "more");
  if (typeof value === "string") {
    if (/[\ud800-\udfff]/u.test(value)) refuse("shape", where, "text without unpaired surrogates", "one");
    return JSON.stringify(value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (Number.isSafeInteger(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, where, depth + 1)).join(",")}]`;
  if (!isObject(value)) refuse("shape", where, "JSON with text keys and whole numbers below 2**53", "another value");
  const fields = Object.keys(value).sort(byCodePoint)
    .map((key) => `${canonicalJson(key, where, depth)}:${canonicalJson(value[key], where, depth + 1)}`);
  return `{${fields.join(",")}}`;
}

/** Read canonical JSON; any other spelling of the same value is refused. @type {(text: string) => any} */
export function readCanonical(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("shape", "json", "canonical JSON in UTF-8", "something else");
  }
  if (canonicalJson(value) !== text) refuse("shape", "json", "canonical JSON", "another spelling");
  return value;
}

// --- Reading untrusted values: each gives the value back or refuses it ---

/** An untrusted value, cut short, for a fault message. @type {(value: any) => string} */
export function show(value) {
  try {
    return Array.from(canonicalJson(value)).slice(0, 80).join("");
  } catch {
    return "?";
  }
}

/** @type {(value: any) => boolean} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @type {(value: any, where: string, names: string[]) => any} */
export function readFields(value, where, names) {
  const found = isObject(value) ? Object.keys(value) : [];
  const fits = found.length === names.length && names.every((name) => found.includes(name));
  return fits ? value : refuse("shape", where, `the fields ${names.join(", ")}`, show(value));
}

/** @type {(value: any, where: string) => Bytes} */
export function readHex(value, where) {
  const fits = typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
  return fits ? fromHex(value) : refuse("shape", where, "64 hex digits", show(value));
}

/** @type {(value: any, where: string) => string} */
export function readText(value, where) {
  return typeof value === "string" && value ? value : refuse("shape", where, "text", show(value));
}

/** @type {(value: any, where: string, low?: number, high?: number) => number} */
export function readCount(value, where, low = 0, high = Number.MAX_SAFE_INTEGER) {
  const fits = Number.isSafeInteger(value) && value >= low && value <= high;
  return fits ? value : refuse("shape", where, `a number from ${low} to ${high}`, show(value));
}

/** @type {(value: any, where: string) => any[]} */
export function readList(value, where) {
  return Array.isArray(value) ? value : refuse("shape", where, "a list", show(value));
}

/** @type {(value: any, where: string) => any} */
export function readObject(value, where) {
  return isObject(value) ? value : refuse("shape", where, "an object", show(value));
}
