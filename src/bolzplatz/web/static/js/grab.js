// @ts-check
/**
 * Rounds in which all move at once, on this page: pings back, "ready", 3-2-1, the reveal in one frame, hands with times.
 *
 * It knows no rule and no verdict. What it measures is the time from the frame that showed the cards to the touch; the
 * server believes that only within the bounds of what it measured itself (docs: fair grabbing).
 *
 * @typedef {{name: string, role: string, colour: string | null, value: number | null}} Card
 * @typedef {import("./link.js").Message} Message
 */

/** Time for a first measure of the line, if "ready" came before it. */
const AGAIN_MS = 150;

export class Grab {
  /**
   * @param {(message: Message) => Promise<Message>} send sends a command and waits for its answer
   * @param {(message: Message) => void} tell sends without an answer
   * @param {{onCountdown?: (word: number | null) => void, onReveal?: (cards: Card[]) => void,
   *   onTaken?: (piece: string, seat: number | null) => void, onVerdict?: (last: any, round: any) => void,
   *   onRefused?: (answer: Message) => void}} screen
   */
  constructor(send, tell, screen) {
    this.send = send;
    this.tell = tell;
    this.screen = screen;
    /** `frame.round` of the last frame. @type {any} */
    this.round = null;
    /** The cards of the running round, null before they lie open and after the verdict. @type {Card[] | null} */
    this.cards = null;
    /** The round whose cards these are. */
    this.open = 0;
    /** When the frame with the cards was on the screen, by the clock of events; null before. @type {number | null} */
    this.shown = null;
    /** The seats that want to be ready. @type {Map<number, string>} */
    this.wanted = new Map();
    this.timer = 0;
  }

  /** The number of the round; before the first frame has come, that of the round which the page was loaded with. */
  get number() {
    return this.round?.n ?? Number(document.getElementById("table")?.dataset.round);
  }

  /** Take a message from the table; false: it is for somebody else. @param {Message} message */
  message(message) {
    if (message.type === "ping") this.tell({ type: "pong", n: message.n });
    else if (message.type === "count") this.count(message.words, message.ms);
    else if (message.type === "cards") this.reveal(message.round, message.cards);
    else if (message.type === "taken") this.screen.onTaken?.(message.piece, message.seat);
    else return false;
    return true;
  }

  /** Take in what a frame says of the round, before it is shown. @param {Message} frame */
  frame(frame) {
    const before = this.round, round = frame.round ?? null, number = this.number;
    this.round = round;
    if (!round || round.n !== number) this.wanted.clear();
    if (this.cards && (round?.n !== this.open || frame.waiting.for !== "grab")) {
      this.cards = null;
      this.shown = null;
    }
    const last = round?.last;
    if (before && last && last.n !== before.last?.n) this.screen.onVerdict?.(last, round);
  }

  /** Say 3, 2, 1 and then that it is silent; nothing more where it is broken off. @param {number} words @param {number} ms */
  count(words, ms) {
    clearTimeout(this.timer);
    this.screen.onCountdown?.(words || null);
    if (!words) return;
    const next = (/** @type {number} */ word) => {
      this.timer = setTimeout(() => {
        this.screen.onCountdown?.(word);
        if (word) next(word - 1);
      }, ms);
    };
    next(words - 1);
  }

  /** Show the cards in the next frame, and note when they were seen. @param {number} round @param {Card[]} cards */
  reveal(round, cards) {
    clearTimeout(this.timer);
    this.open = round;
    requestAnimationFrame(() => {
      if (this.open !== round) return;
      this.cards = cards;
      this.screen.onReveal?.(cards);
      // The frame that is drawn now is on the screen when the next one begins.
      requestAnimationFrame((time) => { if (this.open === round) this.shown = time; });
    });
  }

  /** @param {number} seat @param {boolean} on @param {string} pointer touch, mouse, pen or key */
  ready(seat, on, pointer) {
    const kind = pointer === "touch" || pointer === "key" ? pointer : "mouse";
    if (on) this.wanted.set(seat, kind);
    else this.wanted.delete(seat);
    void this.say(seat, on, kind);
  }

  /** @param {number} seat @param {boolean} on @param {string} pointer */
  async say(seat, on, pointer) {
    const round = this.number;
    const answer = await this.send({ type: "ready", round, seat, on, pointer });
    if (answer.ok) return;
    if (answer.reason === "no_link" && on) {
      // The line has not been measured yet: that takes less than a second.
      setTimeout(() => { if (this.wanted.get(seat) === pointer && this.number === round) void this.say(seat, on, pointer); }, AGAIN_MS);
    } else {
      this.screen.onRefused?.(answer);
    }
  }

  /** A hand is on a piece. @param {number} seat @param {string} piece black or red @param {number} at the event's time stamp */
  press(seat, piece, at) {
    const seen = this.shown !== null && this.open === this.number;
    const reaction = seen ? Math.max(0, Math.round((at - /** @type {number} */ (this.shown)) * 1000)) : null;
    void this.send({ type: "grab", round: this.number, seat, piece, reaction });
  }

  /** No goal: this hand keeps still. @param {number} seat */
  still(seat) {
    void this.send({ type: "still", round: this.number, seat });
  }

  /** Choose in secret. @param {number} seat @param {string} wish */
  async choose(seat, wish) {
    const answer = await this.send({ type: "choose", round: this.number, seat, wish });
    if (!answer.ok) this.screen.onRefused?.(answer);
  }
}
