// @ts-check
/**
 * This browser's part in the dice: it gives its share to each throw, and checks each result before it earns a tick.
 *
 * What it knows is kept in local storage under the table's id, and read anew before each step, so that two tabs of one
 * seat never contradict each other.
 */

import { Contributor, newSecret, sixWords, toHex } from "../sealed.js";
import { keep, read } from "./settings.js";

const LIST = "bolzplatz.sealed";
const KEPT = 40;

export class Fair {
  /**
   * @param {string} table
   * @param {string | null} who name of this browser in the protocol, null for a spectator
   * @param {(message: object) => void} send
   */
  constructor(table, who, send) {
    this.table = table;
    this.who = who;
    this.send = send;
    this.key = `bolzplatz.sealed.${table}`;
    /** Where there is no storage. @type {object | null} */
    this.memory = null;
    /** The log head that the six words are made of. @type {Uint8Array | null} */
    this.spoken = null;
    /** Whether this page asked for a share in new chains, which have not come yet. */
    this.joining = false;
  }

  /** @returns {Contributor} */
  guard() {
    const save = (/** @type {object} */ state) => {
      this.memory = state;
      keep(this.key, state);
    };
    const kept = read(this.key, this.memory);
    if (kept) return Contributor.fromJSON(kept, save);
    return new Contributor(this.table, this.who, this.who === null ? null : newSecret(), save);
  }

  /** The number of the last draw that was checked here. */
  get draws() {
    return this.guard().k;
  }

  /** Whether this browser can give shares to the throws of now. */
  get contributes() {
    return this.guard().contributing;
  }

  /** Seal this browser's secret: before the match opens, and when chains are made anew. @param {string} who its name in the protocol @param {number} version of the frame that asks */
  tip(who, version) {
    let guard = this.guard();
    if (guard.opening !== null && guard.who === null) {
      guard.join(who, newSecret());
      this.joining = true;
    } else if (guard.opening === null && guard.who !== who) {
      // Seats may have changed since this page was drawn.
      guard = new Contributor(this.table, who, newSecret(), guard.save);
    }
    if (guard.who !== who || guard.secret === null) return;
    this.who = who;
    guard.save(guard.toJSON());
    this.remember();
    this.send({ type: "tip", tip: toHex(guard.tip()), version });
  }

  /** Take the opening record, and the entries that this browser missed. Returns whether a browser that plays can only
   * watch the dice from now on: its share is not in the record, or it has forgotten it.
   * @param {{opening: any, entries: any[]}} message */
  opening({ opening, entries }) {
    let guard = this.guard();
    const watches = guard.opening === null && !this.isMine(opening, guard);
    // The match was opened elsewhere: here it can only be watched.
    if (watches) guard = new Contributor(this.table, null, null, guard.save);
    this.spoken = guard.open(opening);
    entries.forEach((entry) => this.entry(entry));
    return watches && this.who !== null && !this.contributes;
  }

  /** @param {any} opening @param {Contributor} guard */
  isMine(opening, guard) {
    return guard.who !== null && opening.tips?.[guard.who] === toHex(guard.tip());
  }

  /** Give this browser's share to a throw. @param {any} request */
  ask(request) {
    const guard = this.guard();
    if (!guard.contributing) return;
    this.send({ type: "value", k: request.k, head: request.head, value: toHex(guard.answer(request)) });
  }

  /** Check one entry of the log; returns what the dice are by this browser's own reckoning.
   * @param {any} entry @returns {{k: number, faces: number[] | null, leftOut: boolean} | null} */
  entry(entry) {
    const guard = this.guard();
    if ("renewal" in entry) {
      if (this.forgot(entry, guard)) {
        [guard.who, guard.secret, guard.since] = [null, null, 0];
      }
      this.joining = false;
      this.spoken = guard.renew(entry);
      return null;
    }
    return guard.accept(entry);
  }

  /** Whether the new chains hold a share that this browser gave and then forgot: it lost its storage in between, and has
   * offered another one since. No harm is done, but here the dice can only be watched. @param {any} entry @param {Contributor} guard */
  forgot(entry, guard) {
    const came = guard.who !== null && guard.since === guard.k && (guard.k > 0 || this.joining);
    const own = entry.renewal.tips?.[guard.who ?? ""];
    return came && own !== undefined && own !== toHex(guard.tip());
  }

  /** The words to compare aloud, by this browser's own reckoning. @returns {Promise<string[]>} */
  async words() {
    if (this.spoken === null) return [];
    const list = await (await fetch("/words.txt")).text();
    return sixWords(this.table, this.spoken, list.split(/\s+/).filter((word) => word));
  }

  /** Compare a finished proof with all that was seen here. @param {any} proof */
  compare(proof) {
    return this.guard().compare(proof);
  }

  /** Forget the oldest tables, so that the storage never fills up. */
  remember() {
    const list = read(LIST, []).filter((/** @type {string} */ table) => table !== this.table);
    list.push(this.table);
    for (const table of list.splice(0, Math.max(0, list.length - KEPT))) localStorage.removeItem(`bolzplatz.sealed.${table}`);
    keep(LIST, list);
  }
}
