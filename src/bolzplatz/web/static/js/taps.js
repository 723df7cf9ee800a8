// @ts-check
/**
 * A race in which each tap throws, on this page: the whistle, taps with times, dice that lie there at once.
 *
 * Getting ready, 3-2-1 and the measure of the line are those of grabbing (`grab.js`). What is measured is the time from
 * the frame in which a hand's own dice lay there (at first: the whistle) to its next tap.
 *
 * @typedef {import("./link.js").Message} Message
 */

import { Grab } from "./grab.js";

export class Taps extends Grab {
  /**
   * @param {(message: Message) => Promise<Message>} send
   * @param {(message: Message) => void} tell
   * @param {{onCountdown?: (word: number | null) => void, onWhistle?: () => void, onRefused?: (answer: Message) => void,
   *   onDice?: (seat: number, faces: string[], quarters: number) => void}} race what the page does; both are shown at once
   */
  constructor(send, tell, race) {
    super(send, tell, race);
    this.race = race;
    /** When a seat's dice were on the screen; not there while they are on their way. @type {Map<number, number>} */
    this.lie = new Map();
    /** The race that was whistled on. */
    this.whistled = 0;
  }

  /** @param {Message} message */
  message(message) {
    if (message.type === "whistle") this.whistle(message.round);
    else if (message.type === "dice") this.dice(message.seat, message.faces, message.quarters);
    else return super.message(message);
    return true;
  }

  /** @param {Message} frame */
  frame(frame) {
    super.frame(frame);
    // While chains are renewed in the middle of a race, frames tell nothing of it; it goes on afterwards.
    if (frame.waiting.for !== "tip" && frame.round?.n !== this.whistled) {
      this.whistled = 0;
      this.lie.clear();
    }
  }

  /** Whether hands may tap. */
  get on() {
    return this.whistled !== 0;
  }

  /** @param {number} round */
  whistle(round) {
    clearTimeout(this.timer);
    this.whistled = round;
    this.lie.clear();
    requestAnimationFrame(() => {
      this.race.onWhistle?.();
      requestAnimationFrame((time) => { if (this.whistled === round) this.since = time; });
    });
  }

  /** When the whistle was on the screen. @type {number | null} */
  since = null;

  /** @param {number} seat @param {string[]} faces @param {number} quarters */
  dice(seat, faces, quarters) {
    requestAnimationFrame(() => {
      this.race.onDice?.(seat, faces, quarters);
      requestAnimationFrame((time) => this.lie.set(seat, time));
    });
  }

  /** A hand taps; whether it is one that counts is found out by the table. @param {number} seat @param {number} at */
  async tap(seat, at) {
    const from = this.lie.get(seat) ?? this.since;
    const reaction = from === null ? null : Math.max(0, Math.round((at - from) * 1000));
    return this.send({ type: "tap", round: this.number, seat, reaction });
  }
}
