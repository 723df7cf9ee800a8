// @ts-check
/**
 * The puzzle of the day: what was answered first is kept in this browser alone, and counted.
 *
 * @typedef {Record<string, "yes" | "no">} Answers by day, whether the first answer was a good one
 */

import { keep, read } from "./settings.js";

const STORE = "bolzplatz.puzzles";
const MOST_KEPT = 1000;

const { puzzle = "", good, solved = "" } = document.body.dataset;
const answers = /** @type {Answers} */ (read(STORE, {}));

if (good && !answers[puzzle]) {
  answers[puzzle] = good === "yes" ? "yes" : "no";
  keep(STORE, Object.fromEntries(Object.entries(answers).sort().slice(-MOST_KEPT)));
}
if (good) document.getElementById("verdict")?.focus();

const days = Object.values(answers);
const tally = document.getElementById("tally");
if (tally && days.length) {
  const right = days.filter((answer) => answer === "yes").length;
  tally.textContent = solved.replace("{n}", String(right)).replace("{of}", String(days.length));
  tally.hidden = false;
}
