// @ts-check
/**
 * Sealed draws, version 1: the browser's own guard over the dice, and a verifier of whole proofs.
 *
 * `docs/sealed-draws.md` is the specification (section numbers are its own), `core/sealed.py` the other implementation;
 * fixed vectors hold both to the same bytes. Runs in browsers and in Node; touches nothing but what it is given.
 *
 * @typedef {Uint8Array} Bytes
 * @typedef {import("./sealed-draws.js").Values} Values
 * @typedef {import("./sealed-draws.js").Opening} Opening
 * @typedef {{kind: string, k: number | null, who: string[], count: number | null}} Note
 */

import {
  PROTOCOL, SealedError, fromHex, readFields, readHex, readList, readObject, refuse, same, show, taggedHash, toHex,
} from "./sealed-bytes.js";
import {
  Commitments, makeChain, nextHead, readDraw, readOpening, readRenewal, readRequest, requestDigest, resultDigest,
} from "./sealed-draws.js";

export { SealedError, fromHex, newSecret, readCanonical, toHex } from "./sealed-bytes.js";
export { sixWords } from "./sealed-draws.js";

// --- The contributor (§5, §11) ---

/** The chain made last: it outlives a `Contributor` that is restored before each call. */
let lastChain = { key: "", values: /** @type {Bytes[]} */ ([]) };

/**
 * One seat's own guard: gives one value per draw for one request and checks every result; without `who` it watches.
 *
 * Send `tip()`, `open` the record that is shown, then `answer` each request and `accept` each entry; after a
 * reconnect accept all missed entries first. `save` gets the whole state before any answer is returned. Where two tabs
 * share a seat, restore from storage before each call.
 */
export class Contributor {
  /**
   * @param {string} table
   * @param {string | null} who
   * @param {Bytes | null} secret
   * @param {(state: object) => void} save
   */
  constructor(table, who = null, secret = null, save = () => {}) {
    this.table = table;
    this.who = who;
    this.secret = secret;
    this.save = save;
    this.opening = /** @type {string | null} */ (null);
    this.commitments = new Commitments(table, 0, new Map());
    /** Per draw: digest of the answered request, digest of the accepted entry. @type {[string, string][]} */
    this.journal = [];
    /** The last draw before this contributor took part: values under its name were not its own until then. */
    this.since = 0;
  }

  get k() {
    return this.commitments.k;
  }

  get contributing() {
    return this.who !== null && this.commitments.known.has(this.who);
  }

  /** Let a watcher take part from the next renewal on: then send `tip()`, and `renew` as everybody does. For a browser
   * that came late, or that lost its secret. @type {(who: string, secret: Bytes) => void} */
  join(who, secret) {
    if (this.who !== null) refuse("contributors", "who", "a watcher", this.who);
    this.needOpening();
    [this.who, this.secret, this.since] = [who, secret, this.k];
    this.save(this.toJSON());
  }

  /** @type {(start: number) => Bytes[]} */
  ownChain(start) {
    if (this.who === null || this.secret === null) return refuse("watcher", "who", "a contributor", "a watcher");
    const key = [this.who, start, toHex(this.secret), this.table].join(" ");
    if (lastChain.key !== key) lastChain = { key, values: makeChain(this.secret, this.table, this.who, start) };
    return lastChain.values;
  }

  /** The commitment to send before the opening, or before a renewal that follows the last accepted draw. */
  tip() {
    return this.ownChain(this.k)[0];
  }

  /** @type {(tips: Values, where: string) => void} */
  checkOwnTip(tips, where) {
    const [mine, found] = [toHex(this.tip()), toHex(tips.get(this.who ?? "") ?? new Uint8Array(0))];
    if (mine !== found) refuse("tips", where, mine, found);
  }

  needOpening() {
    if (this.opening === null) refuse("opening", "opening", "an accepted opening record", "none");
  }

  /** Accept the opening record, once; returns its digest for `sixWords`. @type {(opening: any) => Bytes} */
  open(opening) {
    const record = readOpening(opening);
    const digest = toHex(record.digest);
    if (record.table !== this.table) refuse("opening", "opening.table", this.table, record.table);
    if (this.opening !== null) {
      return digest === this.opening ? record.digest : refuse("opening", "opening", this.opening, digest);
    }
    if (this.who !== null) this.checkOwnTip(record.tips, "opening.tips");
    this.opening = digest;
    this.commitments = new Commitments(this.table, record.seats, record.tips);
    this.save(this.toJSON());
    return record.digest;
  }

  /** Accept a renewal; returns the log head after it for `sixWords`. Without the own tip in it `contributing` is false
   * from then on: say so to the player. The one that was accepted last is accepted again: a reconnect is shown it even if
   * the next draw was answered already. @type {(entry: any) => Bytes} */
  renew(entry) {
    this.needOpening();
    const renewal = readRenewal(entry, this.commitments.seats);
    if (this.commitments.justRenewed(renewal)) return nextHead(this.table, renewal.head, entry);
    if (this.journal.length > this.k) refuse("order", "renewal.k", `the result of draw ${this.k + 1}`, "a renewal");
    if (renewal.tips.has(this.who ?? "") && renewal.k === this.k) this.checkOwnTip(renewal.tips, "renewal.tips");
    this.commitments = this.commitments.renewed(renewal);
    this.save(this.toJSON());
    return nextHead(this.table, renewal.head, entry);
  }

  /** The own value for a request: again for the same request, a refusal for any other of that draw.
   * @type {(request: any) => Bytes} */
  answer(request) {
    this.needOpening();
    const asked = readRequest(request);
    const digest = requestDigest(this.table, asked);
    const start = this.commitments.start;
    const answered = asked.k > start ? this.journal[asked.k - 1]?.[0] : "";
    if (answered && answered !== digest) refuse("other-request", "request", answered, digest);
    if (!answered) {
      this.commitments.checkRequest(asked, "request");
      if (!this.contributing) refuse("watcher", "who", "a contributor", "a watcher");
      this.journal.push([digest, ""]);
    }
    this.save(this.toJSON());
    return this.ownChain(start)[asked.k - start];
  }

  /** Check a result in full; one that was accepted before is accepted again. `leftOut`: the own answer was not used.
   * @type {(entry: any) => {k: number, faces: number[] | null, leftOut: boolean}} */
  accept(entry) {
    this.needOpening();
    const draw = readDraw(entry);
    const k = draw.request.k;
    const [asked, seen] = this.journal[k - 1] ?? ["", ""];
    const [request, result] = [requestDigest(this.table, draw.request), resultDigest(this.table, entry)];
    if (seen && seen !== result) refuse("other-result", "draw", seen, result);
    if (asked && asked !== request) refuse("other-request", "draw", asked, request);
    const mine = draw.values.has(this.who ?? "") && k > this.since;
    if (mine && !asked) refuse("not-mine", `draw.values.${this.who}`, "no value of mine", "one");
    if (!seen) {
      this.commitments.take(draw);
      this.journal[k - 1] = [asked, result];
      this.save(this.toJSON());
    }
    return { k, faces: draw.faces, leftOut: asked !== "" && !mine };
  }

  /** Compare a proof that `verifyProof` found right with what was seen here. @type {(proof: any) => Note[]} */
  compare(proof) {
    const opening = toHex(readOpening(proof.opening).digest);
    const found = opening === this.opening ? [] : [note("other-opening")];
    let last = 0;
    for (const entry of proof.entries) {
      if (!Object.hasOwn(entry, "draw")) continue;
      const draw = readDraw(entry);
      last = draw.request.k;
      const [asked, seen] = this.journal[last - 1] ?? ["", ""];
      const mine = draw.values.has(this.who ?? "") && last > this.since;
      if (asked && asked !== requestDigest(this.table, draw.request)) found.push(note("other-request", last));
      if (seen && seen !== resultDigest(this.table, entry)) found.push(note("other-result", last));
      if (mine && !asked) found.push(note("not-mine", last));
      if (asked && !mine) found.push(note("left-out", last));
    }
    const beyond = this.journal.flatMap(([, seen], i) => (seen && i >= last ? [note("missing", i + 1)] : []));
    return [...found, ...beyond];
  }

  /** Everything, the secret included, for this browser's own storage. */
  toJSON() {
    const { seats, k, start } = this.commitments;
    const values = Array.from(this.commitments.known, ([who, [at, value]]) => [who, [at, toHex(value)]]);
    const known = Object.fromEntries(values);
    const secret = this.secret && toHex(this.secret);
    const journal = this.journal.map((pair) => [...pair]);
    const since = this.since ? { since: this.since } : {};
    return { table: this.table, who: this.who, secret, opening: this.opening, seats, k, start, known, journal, ...since };
  }

  /** Restore what `toJSON` gave. @type {(data: any, save?: (state: object) => void) => Contributor} */
  static fromJSON(data, save) {
    const self = new Contributor(data.table, data.who, data.secret && fromHex(data.secret), save);
    const commitments = new Commitments(data.table, data.seats, new Map(), data.start);
    commitments.k = data.k;
    for (const [who, [at, value]] of Object.entries(data.known)) commitments.known.set(who, [at, fromHex(value)]);
    [self.opening, self.commitments, self.journal, self.since] = [data.opening, commitments, data.journal, data.since ?? 0];
    return self;
  }
}

// --- The verifier (§11, §12) ---

/** @type {(kind: string, k?: number | null, who?: string[], count?: number | null) => Note} */
const note = (kind, k = null, who = [], count = null) => ({ kind, k, who, count });

/** Recompute a whole proof, whatever it holds; the report is that of `verify_proof` in Python. @param {any} proof */
export function verifyProof(proof) {
  const notes = /** @type {Note[]} */ ([]);
  const draws = /** @type {{entry: number, k: number, faces: number[] | null}[]} */ ([]);
  let [index, since] = /** @type {(number | null)[]} */ ([null, null]);
  let head = /** @type {Bytes | null} */ (null);
  const report = (/** @type {object | null} */ fault) =>
    ({ ok: fault === null, fault, notes, draws, head: head && toHex(head) });
  const checkHead = (/** @type {Bytes} */ claimed, /** @type {Bytes} */ right, /** @type {string} */ where) => {
    if (!same(claimed, right)) refuse("head", where, toHex(right), toHex(claimed));
  };
  try {
    const data = readFields(proof, "proof", ["protocol", "opening", "entries", "closing"]);
    if (data.protocol !== PROTOCOL) refuse("protocol", "proof.protocol", PROTOCOL, show(data.protocol));
    const opening = readOpening(data.opening);
    const closing = readClosing(data.closing, opening);
    let commitments = new Commitments(opening.table, opening.seats, opening.tips);
    let right = opening.digest;
    head = right;
    notes.push(...openingNotes(opening));
    for (const [place, entry] of readList(data.entries, "entries").entries()) {
      index = place;
      const next = nextHead(opening.table, right, entry);
      if (Object.hasOwn(readObject(entry, "entry"), "draw")) {
        const draw = readDraw(entry);
        checkHead(draw.request.head, right, "draw.head");
        draws.push({ entry: place, k: draw.request.k, faces: commitments.take(draw, closing?.deck) });
        if (draw.absent.length) notes.push(note("absent", draw.request.k, draw.absent));
        since = place;
      } else if (Object.hasOwn(entry, "renewal")) {
        const renewal = readRenewal(entry, opening.seats);
        checkHead(renewal.head, right, "renewal.head");
        const before = commitments.contributors;
        commitments = commitments.renewed(renewal);
        notes.push(...renewalNotes(renewal.k, before, commitments.contributors));
        since = place;
      }
      head = right = next;
    }
    index = null;
    if (closing) checkHead(closing.head, right, "closing.head");
    else notes.push(note("running"));
    return report(null);
  } catch (error) {
    if (!(error instanceof SealedError)) throw error;
    const { what, where, expected, found } = error;
    return report({ entry: index, since: what === "head" ? since : null, what, where, expected, found });
  }
}

/** @type {(closing: any, opening: Opening) => {deck: Bytes, head: Bytes} | null} */
function readClosing(closing, opening) {
  if (closing === null) return null;
  const data = readFields(closing, "closing", ["deck", "head"]);
  const [deck, head] = [readHex(data.deck, "closing.deck"), readHex(data.head, "closing.head")];
  if (!same(taggedHash("deck", opening.table, deck), opening.deck)) {
    refuse("deck", "closing.deck", "the secret that the opening commits to", data.deck);
  }
  return { deck, head };
}

/** @type {(opening: Opening) => Note[]} */
function openingNotes({ restarts, seats, tips }) {
  const notes = restarts ? [note("restarts", null, [], restarts)] : [];
  if (tips.size === 1) return [...notes, note("server-alone")];
  const silent = Array.from({ length: seats }, (_, seat) => `seat-${seat}`).filter((name) => !tips.has(name));
  return silent.length ? [...notes, note("no-chain", null, silent)] : notes;
}

/** @type {(k: number, before: string[], after: string[]) => Note[]} */
function renewalNotes(k, before, after) {
  const joined = after.filter((who) => !before.includes(who));
  const left = before.filter((who) => !after.includes(who));
  const changes = [note("joined", k, joined), note("dropped", k, left)].filter(({ who }) => who.length);
  return [note("renewed", k), ...changes];
}
