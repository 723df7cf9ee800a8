// @ts-check
/**
 * The wire to the table: one socket that comes back by itself, commands that are sent again until they are answered.
 *
 * A command keeps its id when it is repeated, and the table never carries out an id twice.
 *
 * @typedef {{type: string, [key: string]: any}} Message
 */

const FIRST_DELAY = 400;
const LONGEST_DELAY = 5000;
/** A phone that slept, or came to another network, may hold a wire that leads nowhere, and is told so only after minutes:
 * if nothing at all comes for so long after something was asked, the wire is given up. */
const DEAD_MS = 10000;
/** So long may a try to connect take. */
const TRY_MS = 30000;

export class Link {
  /**
   * @param {string} path
   * @param {{hello: () => Message, message: (message: Message) => void, state: (open: boolean) => void}} owner
   */
  constructor(path, owner) {
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.owner = owner;
    this.delay = FIRST_DELAY;
    /** Commands that have no answer yet, by id. @type {Map<string, {message: Message, done: (answer: Message) => void}>} */
    this.pending = new Map();
    /** @type {WebSocket | null} */
    this.socket = null;
    /** Whether to stay away once the wire is gone. */
    this.left = false;
    this.again = 0;
    /** When something came last. */
    this.heard = Date.now();
    /** Runs out when the wire is to be given up; 0: nothing is waited for. */
    this.patience = 0;
    this.connect();
    // A phone that wakes up, or a network that is back: no need to wait for the next try.
    for (const event of ["online", "pageshow"]) addEventListener(event, () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
  }

  /** Try again now, if the wire is gone; if it has long been silent, ask whether anybody is there. */
  hurry() {
    if (this.left) return;
    if (this.socket === null) {
      clearTimeout(this.again);
      this.connect();
    } else if (Date.now() - this.heard > DEAD_MS) {
      this.greet();
    }
  }

  /** Ask for all that this page lacks, and again for what has no answer: the table forgets what it was about to say. */
  greet() {
    this.send(this.owner.hello());
    this.pending.forEach(({ message }) => this.send(message));
    this.expect(DEAD_MS);
  }

  /** Give the wire up unless something comes in time. @param {number} ms */
  expect(ms) {
    if (this.patience || this.left || this.socket === null) return;
    this.patience = setTimeout(() => {
      const socket = this.socket;
      this.lose();
      socket?.close();
      this.connect();
    }, ms);
  }

  /** Something has come, or nothing is waited for any more. */
  relax() {
    clearTimeout(this.patience);
    this.patience = 0;
  }

  /** The wire is gone. */
  lose() {
    this.relax();
    this.socket = null;
    this.owner.state(false);
  }

  /** Try no more: the table has said goodbye. */
  leave() {
    this.left = true;
    this.relax();
  }

  connect() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.expect(TRY_MS);
    socket.addEventListener("open", () => {
      if (this.socket !== socket) return;
      this.relax();
      this.delay = FIRST_DELAY;
      this.owner.state(true);
      this.greet();
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.socket === socket) this.receive(JSON.parse(data));
    });
    socket.addEventListener("close", () => {
      if (this.left || this.socket !== socket) return;
      this.lose();
      this.again = setTimeout(() => this.connect(), this.delay);
      this.delay = Math.min(LONGEST_DELAY, this.delay * 1.7);
    });
  }

  /** @param {Message} message */
  receive(message) {
    this.heard = Date.now();
    this.relax();
    if (message.type === "answer") {
      const waiting = this.pending.get(message.id);
      if (waiting) {
        this.pending.delete(message.id);
        waiting.done(message);
        return;
      }
    }
    this.owner.message(message);
  }

  /** Send now if the wire is there. @param {Message} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Send a command and wait for its answer, however long the wire is gone. @param {Message} message @returns {Promise<Message>} */
  command(message) {
    const id = newId();
    const whole = { ...message, id };
    return new Promise((done) => {
      this.pending.set(id, { message: whole, done });
      this.send(whole);
      this.expect(DEAD_MS);
    });
  }
}

/** `crypto.randomUUID` is missing on plain http in a home network. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
