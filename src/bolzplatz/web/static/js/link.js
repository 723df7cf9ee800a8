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
    this.connect();
    // A phone that wakes up, or a network that is back: no need to wait for the next try.
    for (const event of ["online", "pageshow"]) addEventListener(event, () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
  }

  /** Try again now, if the wire is gone. */
  hurry() {
    if (this.socket !== null || this.left) return;
    clearTimeout(this.again);
    this.connect();
  }

  /** Try no more: the table has said goodbye. */
  leave() {
    this.left = true;
  }

  connect() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.addEventListener("open", () => {
      this.delay = FIRST_DELAY;
      this.owner.state(true);
      this.send(this.owner.hello());
      this.pending.forEach(({ message }) => this.send(message));
    });
    socket.addEventListener("message", ({ data }) => this.receive(JSON.parse(data)));
    socket.addEventListener("close", () => {
      this.socket = null;
      if (this.left) return;
      this.owner.state(false);
      this.again = setTimeout(() => this.connect(), this.delay);
      this.delay = Math.min(LONGEST_DELAY, this.delay * 1.7);
    });
  }

  /** @param {Message} message */
  receive(message) {
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
    });
  }
}

/** `crypto.randomUUID` is missing on plain http in a home network. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
