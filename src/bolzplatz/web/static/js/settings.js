// @ts-check
/**
 * What a person set on this browser: how fast things move, sound, day or night. Kept in local storage where there is
 * one, in memory otherwise; the light is a cookie, so that the server can draw the page in it at once.
 *
 * @typedef {{speed: "slow" | "normal" | "instant", sound: "on" | "off", mode?: string, aloud: "on" | "off", mute: "on" | "off"}} Settings
 */

const KEY = "bolzplatz.settings";
const SPEEDS = { slow: 1.6, normal: 1, instant: 0 };

/** @type {Settings} */
const settings = { speed: "normal", sound: "on", aloud: "off", mute: "off", ...read(KEY, {}) };

/** Read a JSON value from local storage. @param {string} key @param {any} otherwise @returns {any} */
export function read(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "") ?? otherwise;
  } catch {
    return otherwise;
  }
}

let forgetful = false;
let tell = () => {};

/** Call `listener` once if this browser keeps nothing, now or as soon as that shows. @param {() => void} listener */
export function whenForgetful(listener) {
  tell = listener;
  if (forgetful) tell();
}

/** Keep a JSON value; a browser that refuses storage (private windows may have none, or it is full) forgets it with the
 * page, and says so once. @param {string} key @param {any} value */
export function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    if (forgetful) return;
    forgetful = true;
    tell();
  }
}

/** @returns {Settings} */
export const current = () => settings;

/** @param {keyof Settings} name @param {string} value */
export function set(name, value) {
  Object.assign(settings, { [name]: value });
  keep(KEY, settings);
}

/** What durations are multiplied by; 0: everything at once. */
export const pace = () => SPEEDS[settings.speed] ?? 1;

/** Whether the person asked the system for less motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The light in which the page is shown now. @returns {"day" | "night"} */
export function light() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "day" || chosen === "night") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "night" : "day";
}

/** @param {string} value */
export function setLight(value) {
  document.documentElement.dataset.theme = value;
  document.cookie = `theme=${value}; path=/; max-age=31536000; samesite=lax`;
}
