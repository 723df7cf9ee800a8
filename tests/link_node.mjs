// Runs the page's wire to the table (static/js/link.js) under Node, with sockets and a clock of the test's.
// One JSON call a line on stdin, one JSON result a line on stdout: how many sockets there were, what the newest one was
// told since the last call, whether the page takes the wire for open, and what was answered.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

let now = 0;
let timers = [];
Date.now = () => now;
globalThis.setTimeout = (run, ms) => {
  const timer = { run, due: now + ms };
  timers.push(timer);
  return timer;
};
globalThis.clearTimeout = (timer) => { timers = timers.filter((each) => each !== timer); };

const listening = {};
globalThis.location = { protocol: "http:", host: "table.test" };
globalThis.addEventListener = (kind, heard) => { listening[kind] = heard; };
globalThis.document = { hidden: false, addEventListener: globalThis.addEventListener };

const sockets = [];
globalThis.WebSocket = class {
  static OPEN = 1;

  constructor() {
    Object.assign(this, { readyState: 0, told: [], heard: {} });
    sockets.push(this);
  }

  addEventListener(kind, heard) { this.heard[kind] = heard; }

  send(text) { this.told.push(JSON.parse(text)); }

  close() { this.readyState = 2; }
};

const { Link } = await import(new URL("link.js", pathToFileURL(`${process.argv[2]}/js/`)).href);
let open = false;
const answers = [];
const link = new Link("/ws", {
  hello: () => ({ type: "hello" }),
  message: () => {},
  state: (now) => { open = now; },
});
const newest = () => sockets[sockets.length - 1];

const calls = {
  /** The newest socket is there. */
  opens: () => {
    newest().readyState = 1;
    newest().heard.open();
  },
  /** A socket hears a message; the first one has the number 0. */
  hears: (socket, message) => sockets[socket].heard.message({ data: JSON.stringify(message) }),
  /** A socket is gone at last. */
  closes: (socket) => {
    sockets[socket].readyState = 3;
    sockets[socket].heard.close();
  },
  command: (message) => { void link.command(message).then((answer) => answers.push(answer)); },
  /** The table says goodbye. */
  leaves: () => link.leave(),
  /** The page is looked at again. */
  wakes: () => listening.visibilitychange(),
  /** Time passes; while a device sleeps, nothing runs. */
  passes: (ms, asleep) => {
    now += ms;
    if (asleep) return;
    const due = timers.filter((timer) => timer.due <= now);
    timers = timers.filter((timer) => timer.due > now);
    due.forEach((timer) => timer.run());
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  calls[name](...args);
  await Promise.resolve();
  console.log(JSON.stringify({ sockets: sockets.length, told: newest().told.splice(0), open, answers }));
}
