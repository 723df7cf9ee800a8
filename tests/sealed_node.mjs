// Runs the JavaScript implementation of sealed draws for the Python tests: calls as JSON on stdin, results on stdout.
// The calls are those of `run` in sealed_calls.py; a refusal gives {"refused": code, "where": field}.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/`);
const parts = ["sealed-bytes.js", "sealed-draws.js", "sealed.js"].map((name) => import(new URL(name, folder).href));
const sealed = Object.assign({}, ...(await Promise.all(parts)));
const { fromHex, toHex } = sealed;

const field = (value) => (typeof value === "object" && value !== null ? fromHex(value.hex) : value);
const request = (data) => ({ ...data, head: fromHex(data.head) });
const values = (data) => new Map(Object.entries(data).map(([who, value]) => [who, fromHex(value)]));
const text = (value) => (value instanceof Uint8Array ? toHex(value) : value);

function attempt(action) {
  try {
    return action();
  } catch (error) {
    if (error instanceof sealed.SealedError) return { refused: error.what, where: error.where };
    throw error;
  }
}

const calls = {
  sha256: (data) => toHex(sealed.sha256(fromHex(data))),
  sha256_repeated: (unit, count) => toHex(sealed.sha256(fromHex(unit.repeat(count)))),
  hmac: (key, data) => toHex(sealed.hmac(fromHex(key), fromHex(data))),
  canonical: (value) => sealed.canonicalJson(value),
  read: (data) => sealed.readCanonical(data),
  hash: (purpose, table, ...fields) => toHex(sealed.taggedHash(purpose, table, ...fields.map(field))),
  mac: (key, purpose, table, ...fields) => toHex(sealed.taggedMac(fromHex(key), purpose, table, ...fields.map(field))),
  in_order: (names) => sealed.inOrder(names),
  chain: (secret, table, who, start, steps) => {
    const chain = sealed.makeChain(fromHex(secret), table, who, start);
    return steps.map((step) => toHex(chain[step]));
  },
  words: (table, head, list) => sealed.sixWords(table, fromHex(head), list),
  seed: (table, asked, server, answers) => toHex(sealed.drawSeed(table, request(asked), fromHex(server), values(answers))),
  faces: (key, table, first, form, n) => sealed.drawFaces(new sealed.Stream(fromHex(key), table, first), form, n),
  verify: (proof) => sealed.verifyProof(proof),
  verify_text: (data) => sealed.verifyProof(sealed.readCanonical(data)).fault,
  contributor: (state, steps) => {
    let saved = null;
    const keep = (next) => { saved = JSON.stringify(next); };
    let self = sealed.Contributor.fromJSON(state, keep);
    const results = steps.map(([method, ...args]) => attempt(() => {
      if (method === "reload") self = sealed.Contributor.fromJSON(JSON.parse(saved), keep);
      else return text(self[method](...args));
      return null;
    }));
    return { results, state: JSON.parse(JSON.stringify(self)) };
  },
};

const results = JSON.parse(readFileSync(0, "utf8")).map(([name, ...args]) => attempt(() => calls[name](...args)));
process.stdout.write(JSON.stringify(results));
