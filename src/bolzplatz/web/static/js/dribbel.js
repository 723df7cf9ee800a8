// @ts-check
/**
 * Tapping at the table of Dribbel-Fieber: a card, a figure, a square. It knows no rule: the table says which moves there
 * are (`data-plan`), each with its card, what moves, from where and to where; this module only narrows them down.
 *
 * A square that is not among them is asked for all the same: the table refuses it, and says why.
 *
 * @typedef {{m: string, card: string, piece: string, from: string, to: string, n: number, via: string[]}} Choice
 * @typedef {{seat: number, phase: string, choices: Choice[], pieces: Record<string, {label: string, side: string, n: number}>,
 *   tries: Record<string, string>, throws: boolean, texts: Record<string, string>}} Plan
 */

import { play as sound } from "./sound.js";

/** A text of more letters has smaller ones in the line below the heading. */
const LONG = 34;
/** Columns and rows that an arrow key goes on: upright, and where the pitch lies. @type {Record<string, [number, number]>} */
const UPRIGHT = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
/** @type {Record<string, [number, number]>} */
const LYING = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/**
 * @param {Record<string, string>} _words
 * @param {(message: {type: string, [key: string]: any}) => void} act sends a command
 * @param {(text: string) => void} say lets a screen reader say something
 */
export function dribbel(_words, act, say) {
  /** @type {Plan | null} */
  let plan = null;
  /** The card in hand that was tapped, by its text, and its button. */
  let card = "";
  let cardId = "";
  let piece = "";
  let offered = "";
  /** The curtain that was lifted; it hangs again in the next turn. */
  let lifted = "";
  /** What the table asks, as it came. */
  let asked = "";

  const find = (/** @type {string} */ id) => document.getElementById(id);
  const table = () => /** @type {HTMLElement} */ (find("table"));
  const all = (/** @type {string} */ selector) => /** @type {HTMLElement[]} */ (Array.from(document.querySelectorAll(selector)));
  /** The moves that what was tapped so far leaves. */
  const pool = () => (plan?.choices ?? []).filter((each) => each.card === card);
  const pieces = (/** @type {Choice[]} */ list) => [...new Set(list.map((each) => each.piece))];

  function refresh() {
    const root = table();
    plan = root.dataset.plan ? JSON.parse(root.dataset.plan) : null;
    card = cardId = piece = offered = "";
    asked = find("asked")?.textContent ?? "";
    if (root.dataset.curtain && root.dataset.curtain === lifted) root.classList.remove("curtained");
    if (root.classList.contains("curtained")) find("lift")?.focus({ preventScroll: true });
    render();
  }

  /** @param {HTMLElement} button */
  function press(button) {
    const kind = button.dataset.act;
    if (kind === "lift") lift();
    else if (kind === "cell") tapCell(button.dataset.space ?? "", button);
    else if (kind === "card") tapCard(button);
    else if (kind === "offer") tapOffer(button);
    else if (kind === "buy") send(`buy ${offered}`);
    else if (kind === "shooter" || kind === "volley") pick(button);
    else if (kind === "shoot") shoot();
    else if (kind === "pick") picked(button);
  }

  function lift() {
    lifted = table().dataset.curtain ?? "";
    table().classList.remove("curtained");
    find("card-0")?.focus({ preventScroll: true });
  }

  /** @param {string} move @param {boolean} [thrown] */
  function send(move, thrown = false) {
    if (!plan) return;
    sound("tick");
    act({ type: "do", seat: plan.seat, moves: [move], throw: thrown && plan.throws });
  }

  // --- cards and figures ---

  /** @param {HTMLElement} button */
  function tapCard(button) {
    sound("tick");
    if (!plan || plan.phase !== "cards") {
      tell(button.dataset.said ?? "");
      return;
    }
    const again = cardId === button.id;
    card = again ? "" : button.dataset.card ?? "";
    cardId = again ? "" : button.id;
    piece = "";
    const movable = pieces(pool());
    // What cannot be chosen otherwise is chosen.
    if (movable.length === 1) [piece] = movable;
    render();
    const name = button.dataset.said ?? "";
    if (!card) tell(asked);
    else tell(fill(plan.texts[!movable.length ? "useless" : piece ? "card" : "which"], { card: name }));
  }

  /** @param {string} space @param {HTMLElement} button */
  function tapCell(space, button) {
    const moves = pool();
    if (!plan || !moves.length) {
      tell(button.dataset.label ?? "");
      return;
    }
    // A kick is of the ball, which need not be taken first: it may go to the very space where it lies.
    const taken = plan.phase === "kick" ? "ball" : piece;
    const mine = moves.find((each) => each.piece === taken && each.to === space);
    if (mine) {
      send(mine.m);
      return;
    }
    const here = pieces(moves.filter((each) => each.from === space));
    const ways = moves.filter((each) => each.to === space);
    if (piece && !here.length && !ways.length) {
      attempt(space);
    } else if (here.length === 1 && (!ways.length || piece !== here[0])) {
      choose(here[0]);
    } else if (here.length > 1) {
      ask(here.map((each) => ({ piece: each, move: "" })));
    } else if (ways.length === 1) {
      send(ways[0].m);
    } else if (ways.length) {
      ask(ways.map((each) => ({ piece: each.piece, move: each.m })));
    } else {
      tell(button.dataset.label ?? "");
    }
  }

  /** Take a figure; where it can do one thing only, that is done. @param {string} id */
  function choose(id) {
    if (!plan) return;
    const ways = pool().filter((each) => each.piece === id);
    if (plan.phase === "chase" && ways.length === 1) {
      send(ways[0].m);
      return;
    }
    piece = piece === id ? "" : id;
    sound("tick");
    render();
    tell(piece ? fill(plan.texts.where, { piece: plan.pieces[piece]?.label ?? "" }) : asked);
  }

  /** Ask the table for a move that it did not name, so that it says why it cannot be. @param {string} space */
  function attempt(space) {
    const text = card ? plan?.tries[card] : plan?.phase === "free" ? "free {figure} {space}" : "";
    if (!plan || !text) return;
    act({ type: "do", seat: plan.seat, moves: [fill(text, { figure: String(plan.pieces[piece]?.n ?? ""), space })], throw: false });
  }

  // --- several figures on one square ---

  /** @param {{piece: string, move: string}[]} list */
  function ask(list) {
    if (!plan) return;
    const box = find("choices");
    box?.replaceChildren(...list.map(({ piece: id, move }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "pick";
      button.id = `pick-${id}`;
      button.dataset.act = "pick";
      button.dataset.piece = id;
      button.dataset.move = move;
      button.setAttribute("aria-label", plan?.pieces[id]?.label ?? "");
      const picture = find(id)?.querySelector("svg")?.cloneNode(true);
      if (picture) button.append(picture);
      return button;
    }));
    box?.parentElement?.classList.add("asking");
    tell(plan.texts.figures);
    if (document.activeElement?.matches(":focus-visible")) /** @type {HTMLElement} */ (box?.firstElementChild)?.focus();
  }

  /** @param {HTMLElement} button */
  function picked(button) {
    const { piece: id, move } = button.dataset;
    const from = plan?.choices.find((each) => each.piece === id)?.from;
    closePicks();
    if (move) send(move);
    else {
      choose(id ?? "");
      if (from) find(`cell-${from}`)?.focus({ preventScroll: true });
    }
  }

  function closePicks() {
    const box = find("choices");
    box?.replaceChildren();
    box?.parentElement?.classList.remove("asking");
  }

  // --- buying and shooting ---

  /** @param {HTMLElement} button */
  function tapOffer(button) {
    sound("tick");
    const buy = find("buy");
    const number = button.id.replace("offer-", "");
    const buying = plan?.phase === "buy";
    offered = buying && button.dataset.move && offered !== number ? number : "";
    for (const each of all(".poldicard")) each.setAttribute("aria-pressed", String(each.id === `offer-${offered}`));
    if (buy) {
      buy.hidden = !offered;
      buy.textContent = offered ? button.dataset.buy ?? "" : "";
      if (offered && document.activeElement?.matches(":focus-visible")) buy.focus();
    }
    tell(buying && !button.dataset.move ? `${button.dataset.said}: ${plan?.texts.dear}` : button.dataset.said ?? "");
  }

  /** Choose who shoots, or with how many volleys. @param {HTMLElement} button */
  function pick(button) {
    sound("tick");
    all(`[data-act=${button.dataset.act}]`).forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
    const chosen = (/** @type {string} */ kind, /** @type {string} */ name) => find("shots")?.querySelector(`[data-act=${kind}][aria-pressed=true]`)?.getAttribute(`data-${name}`);
    for (const shot of all(".dshot[data-figure]")) {
      const figure = chosen("shooter", "figure") ?? shot.dataset.figure;
      const volleys = chosen("volley", "volleys") ?? shot.dataset.volleys;
      shot.hidden = shot.dataset.figure !== figure || shot.dataset.volleys !== volleys;
      if (!shot.hidden) say(shot.querySelector("p.hidden")?.textContent ?? "");
    }
  }

  function shoot() {
    const move = all(".dshot[data-figure]:not([hidden])")[0]?.dataset.move;
    if (move) send(move, true);
  }

  // --- what the page shows of it ---

  function render() {
    const moves = plan ? pool() : [];
    const movable = pieces(moves);
    const chosen = moves.filter((each) => each.piece === piece);
    /** @type {Record<string, number>} */
    const lit = Object.fromEntries(chosen.map((each) => [each.to, each.n]));
    const may = new Set(card || plan?.phase === "kick" ? moves.map((each) => each.to) : []);
    const via = new Set(chosen.flatMap((each) => each.via));
    const counts = chosen.some((each) => each.n > 1);
    for (const cell of all(".cell")) {
      const space = cell.dataset.space ?? "";
      cell.classList.toggle("lit", space in lit || (plan?.phase === "kick" && may.has(space)));
      cell.classList.toggle("may", !piece && may.has(space));
      cell.classList.toggle("via", via.has(space) && !(space in lit));
      cell.classList.toggle("source", Boolean(piece) && chosen[0]?.from === space);
      const step = cell.querySelector(".step");
      if (step) step.textContent = counts && space in lit ? String(lit[space]) : "";
    }
    for (const figure of all(".fig")) {
      figure.classList.toggle("can", movable.includes(figure.id));
      figure.classList.toggle("chosen", figure.id === piece);
    }
    find("matchball")?.classList.toggle("can", movable.includes("ball"));
    all("[data-act=card]").forEach((each) => each.setAttribute("aria-pressed", String(each.id === cardId)));
    find("hint")?.toggleAttribute("hidden", Boolean(card || piece));
    closePicks();
  }

  /** Say something in the line below the heading, and to screen readers. @param {string} text */
  function tell(text) {
    const line = find("asked");
    if (line) line.textContent = text;
    line?.classList.toggle("long", text.length > LONG);
    say(text);
  }

  /** @param {string} text @param {Record<string, string>} places */
  function fill(text, places) {
    return text.replace(/\{(\w+)\}/g, (_, name) => places[name] ?? "");
  }

  // --- the keyboard: one square is reached by Tab, the others by arrows, as the pitch lies on the screen ---

  addEventListener("keydown", (event) => {
    const cell = event.target instanceof HTMLElement && event.target.matches("#pitch .cell") ? event.target : null;
    const from = find("cell-a1")?.getBoundingClientRect();
    const to = find("cell-a2")?.getBoundingClientRect();
    if (!cell || !from || !to || !event.key.startsWith("Arrow")) return;
    const [columns, rows] = (Math.abs(to.left - from.left) > Math.abs(to.top - from.top) ? LYING : UPRIGHT)[event.key];
    const at = (/** @type {string} */ letter) => Number(new RegExp(`at-${letter}(\\d)`).exec(cell.className)?.[1]);
    const next = document.querySelector(`#pitch .cell.at-c${at("c") + columns}.at-r${at("r") + rows}`);
    event.preventDefault();
    if (!(next instanceof HTMLElement)) return;
    all("#pitch .cell").forEach((each) => { each.tabIndex = each === next ? 0 : -1; });
    next.focus();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !plan) return;
    find("moves")?.removeAttribute("open");
    card = cardId = piece = "";
    render();
    tell(asked);
  });

  refresh();
  return { refresh, press };
}
