// @ts-check
/**
 * Short sounds, made on the spot with Web Audio: no files, nothing before the first tap, silent when switched off.
 */

import { current } from "./settings.js";

/** @type {AudioContext | null} */
let audio = null;
/** @type {AudioBuffer | null} */
let hiss = null;

/** Browsers let a page sound only after a tap: call this on each one, it acts on the first. */
export function unlock() {
  if (audio || current().sound === "off" || !("AudioContext" in window)) return;
  audio = new AudioContext();
  hiss = audio.createBuffer(1, audio.sampleRate / 2, audio.sampleRate);
  const data = hiss.getChannelData(0);
  for (let i = 0; i < data.length; i += 1) data[i] = Math.random() * 2 - 1;
}

/** @param {string} name */
export function play(name) {
  if (!audio || current().sound === "off") return;
  SOUNDS[name]?.(audio.currentTime + 0.01);
}

/** A volume that rises at once and dies away. @param {number} at @param {number} length @param {number} volume */
function envelope(at, length, volume) {
  const gain = /** @type {AudioContext} */ (audio).createGain();
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(volume, at + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  gain.connect(/** @type {AudioContext} */ (audio).destination);
  return gain;
}

/** @param {number} at @param {number} from @param {number} to @param {number} length @param {number} volume @param {OscillatorType} [type] */
function tone(at, from, to, length, volume, type = "sine") {
  const wave = /** @type {AudioContext} */ (audio).createOscillator();
  wave.type = type;
  wave.frequency.setValueAtTime(from, at);
  wave.frequency.exponentialRampToValueAtTime(to, at + length);
  wave.connect(envelope(at, length, volume));
  wave.start(at);
  wave.stop(at + length);
}

/** @param {number} at @param {number} pitch @param {number} length @param {number} volume @param {BiquadFilterType} [type] */
function noise(at, pitch, length, volume, type = "bandpass") {
  const source = /** @type {AudioContext} */ (audio).createBufferSource();
  source.buffer = hiss;
  const filter = /** @type {AudioContext} */ (audio).createBiquadFilter();
  filter.type = type;
  filter.frequency.value = pitch;
  filter.Q.value = 1.4;
  source.connect(filter).connect(envelope(at, length, volume));
  source.start(at, Math.random() * 0.2, length);
}

/** @type {Record<string, (at: number) => void>} */
const SOUNDS = {
  dice: (at) => [0, 0.09, 0.16, 0.27, 0.33, 0.46, 0.58].forEach((late, i) => {
    noise(at + late, 2200 + 300 * (i % 3), 0.05, 0.32 - 0.03 * i);
    tone(at + late, 240 - 12 * i, 120, 0.05, 0.18, "triangle");
  }),
  land: (at) => { tone(at, 170, 70, 0.12, 0.4, "triangle"); noise(at, 900, 0.06, 0.2); },
  tick: (at) => { tone(at, 520, 380, 0.06, 0.15, "triangle"); noise(at, 3000, 0.03, 0.08); },
  kick: (at) => { tone(at, 150, 48, 0.18, 0.6); noise(at, 500, 0.07, 0.25); },
  whistle: (at) => [0, 0.14].forEach((late, i) => {
    for (let shake = 0; shake < 6; shake += 1) tone(at + late + shake * 0.018 * (1 + i), 2350 + 170 * (shake % 2), 2300, 0.05, 0.1, "square");
  }),
  goal: (at) => {
    noise(at, 1400, 0.38, 0.3, "highpass");
    [392, 523, 659, 784].forEach((pitch, i) => tone(at + 0.06 * i, pitch, pitch, 0.3, 0.16, "triangle"));
  },
  good: (at) => [523, 784].forEach((pitch, i) => tone(at + 0.08 * i, pitch, pitch, 0.2, 0.15, "triangle")),
  ohh: (at) => [[260, 150], [390, 225], [520, 300]].forEach(([from, to], i) => tone(at, from, to, 0.4, 0.14 / (i + 1), "sawtooth")),
  write: (at) => [0, 0.07, 0.13, 0.2].forEach((late) => noise(at + late, 4200, 0.06, 0.12, "highpass")),
  turn: (at) => [659, 880].forEach((pitch, i) => tone(at + 0.1 * i, pitch, pitch, 0.18, 0.12)),
};
