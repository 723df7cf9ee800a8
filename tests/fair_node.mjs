// Runs the page's part in the dice (static/js/fair.js) under Node, with a local storage that can be lost or refuse.
// One JSON call a line on stdin, one JSON result a line on stdout.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const kept = new Map();
let refuses = false;
globalThis.localStorage = {
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => {
    if (refuses) throw new Error("QuotaExceededError");
    kept.set(key, value);
  },
  removeItem: (key) => kept.delete(key),
};

const folder = pathToFileURL(`${process.argv[2]}/js/`);
const { Fair } = await import(new URL("fair.js", folder).href);
const settings = await import(new URL("settings.js", folder).href);

let fair = null;
let sent = [];
let told = 0;
settings.whenForgetful(() => { told += 1; });

const calls = {
  /** A page is loaded, as the table knows its browser. */
  load: (table, who) => { fair = new Fair(table, who, (message) => sent.push(message)); },
  forget: () => kept.clear(),
  refuse: () => { refuses = true; },
  told: () => told,
  tip: (who, version) => fair.tip(who, version),
  opening: (message) => fair.opening(message),
  ask: (request) => fair.ask(request),
  entry: (entry) => fair.entry(entry),
  contributes: () => fair.contributes,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  sent = [];
  let result;
  try {
    result = { gives: calls[name](...args) ?? null, sent };
  } catch (error) {
    result = { alarm: error.what ?? String(error), sent };
  }
  console.log(JSON.stringify(result));
}
