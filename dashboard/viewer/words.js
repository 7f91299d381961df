// A step in words: as parts for the list and the table, as plain text for those who listen.

import { SUIT_NAMES } from "./cards.js";

export const seatLabel = (seat) => seat + 1;

const ENDINGS = {
  out: (name) => `${name} is out`,
  call: (name) => `${name} called`,
  deadlock: () => "deadlock, nobody can move",
  max_turns: () => "the limit of turns is reached",
  max_goarounds: () => "the limit of go-arounds is reached",
  forfeit: () => "stopped by a forfeit",
};

const FAULTS = {
  start: "did not start",
  illegal: "illegal move",
  malformed: "malformed answer",
  protocol: "broke the protocol",
  timeout: "out of time",
  memory: "out of memory",
  crash: "crashed",
  exit: "exited early",
};

export const faultWords = (kind) => FAULTS[kind] ?? kind;

/** A time as people read it; "–" if unknown, never blank. */
export function time(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}

export function joined(texts) {
  if (texts.length < 2) return texts.join("");
  return `${texts.slice(0, -1).join(", ")} and ${texts[texts.length - 1]}`;
}

export function roundName(match, index) {
  const round = match.meta.rounds?.[index];
  if (!round) return `Round ${index + 1}`;
  return round.kind === "playoff" ? `Playoff ${round.round}` : `Round ${round.round}`;
}

export function winners(match) {
  const places = match.meta.result?.places ?? [];
  const forfeited = new Set(match.meta.result?.forfeited ?? []);
  return places.flatMap((place, seat) => (place === 1 && !forfeited.has(seat) ? [seat] : []));
}

function faultText(fault) {
  const limits = [];
  if (fault.ms !== null && fault.ms !== undefined) limits.push(`after ${time(fault.ms)}`);
  if (fault.limit_ms !== null && fault.limit_ms !== undefined) limits.push(`limit ${time(fault.limit_ms)}`);
  return `forfeits: ${faultWords(fault.kind)}${fault.detail ? ` (${fault.detail})` : ""}${limits.length ? `, ${limits.join(", ")}` : ""}`;
}

/** Step n for this onlooker as {seat, parts}: strings, {card}, {suit}. Sentences about the match as a whole have seat null. */
export function sentence(match, n, who) {
  const step = match.steps[n];
  const told = match.told(n, who);
  switch (step.kind) {
    case "start":
      return { seat: null, parts: [`${match.players} seats, ${match.meta.profile ?? match.game}`] };
    case "deal": {
      const dealer = step.table?.dealer;
      return { seat: null, parts: [dealer === undefined ? roundName(match, step.round) : `${roundName(match, step.round)}: ${match.name(dealer)} deals`] };
    }
    case "round_end": {
      const penalties = Object.values(step.penalties ?? {});
      const ending = ENDINGS[step.reason]?.(step.seat === null ? "" : match.name(step.seat)) ?? String(step.reason ?? "");
      return { seat: null, parts: [`${roundName(match, step.round)} ends: ${ending}`, ...(penalties.length ? [` (${penalties.map((p) => `+${p}`).join(" ")})`] : [])] };
    }
    case "result": {
      const first = winners(match).map((seat) => match.name(seat));
      const unique = match.teams ? [...new Set(first)] : first;
      return { seat: null, parts: [unique.length === 0 ? "Match over: nobody wins" : unique.length === 1 ? `Match over: ${unique[0]} wins` : `Match over: ${joined(unique)} share the win`] };
    }
    case "fault": {
      const fault = match.meta.faults?.[step.fault];
      // the others at the table are told that a seat forfeits, not why (F4)
      return { seat: step.seat, parts: [fault && (who === "public" || match.knows(who, step.seat)) ? faultText(fault) : "forfeits"] };
    }
    default:
      return { seat: step.seat, parts: told.parts };
  }
}

function spokenPart(match, part) {
  if (typeof part === "string") return part;
  if (part.card) return match.pack.name(part.card);
  if (part.suit) return SUIT_NAMES[part.suit] ?? part.suit;
  return "";
}

/** Step n as one plain sentence: "greedy plays nine of hearts, naming diamonds". */
export function spoken(match, n, who) {
  const { seat, parts } = sentence(match, n, who);
  const text = parts.map((part) => spokenPart(match, part)).join("");
  return seat === null || seat === undefined ? text : `${match.name(seat)} ${text}`;
}

const DO_WORDS = {
  keep: "keep it",
  accept: "let the skip stand",
  call: "call Nine",
  draw_pile: "draw from the pile",
  take_discard: "take the discard",
};

/** What a seat may do, grouped for reading: one entry per set of cards, with the suits it may name. */
export function choiceGroups(actions) {
  const groups = new Map();
  for (const action of actions) {
    const key = `${action.do} ${(action.cards ?? []).join(" ")}`;
    if (!groups.has(key)) groups.set(key, { do: action.do, cards: action.cards ?? [], suits: [], words: DO_WORDS[action.do] ?? (action.do === "name_suit" ? "name" : "") });
    if (action.suit) groups.get(key).suits.push(action.suit);
  }
  return [...groups.values()];
}
