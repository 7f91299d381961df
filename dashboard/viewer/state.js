// A match as steps (referee/match/steps.py, format ninefold-steps/1), folded into what lies on the table at any step, and into
// what one onlooker may see of it. Pure: no document, no window; tests run it in node.
//
// An onlooker `who` is "open" (all hands), "public" (a spectator) or a seat number from 0.

import { Pack } from "./cards.js";

export const FORMAT = "ninefold-steps/1";
const SNAPSHOT_EVERY = 32;

export class Unreadable extends Error {}

function withSet(table, set) {
  if (!set) return table;
  const next = { ...table, ...set };
  if (set.hands) next.hands = { ...table.hands, ...set.hands };
  if (set.hand_values) next.hand_values = { ...table.hand_values, ...set.hand_values };
  return next;
}

export class Match {
  constructor(document) {
    if (!document || typeof document !== "object") throw new Unreadable("There is no match in this data.");
    if (document.format !== FORMAT) {
      const text = typeof document.format === "string" ? document.format.slice(0, 60) : "no format";
      throw new Unreadable(`This match was written by another release of the league (${text}); this viewer reads ${FORMAT}. Update the league, or open the JSON file itself.`);
    }
    this.meta = document;
    this.game = document.game;
    this.seats = document.seats ?? [];
    this.players = document.players ?? this.seats.length;
    this.rules = document.rules ?? {};
    this.teams = document.teams ?? null;
    this.hasTable = document.has_table !== false;
    this.pack = new Pack(document.faces, this.rules.skin);
    this.steps = [];
    this.snapshots = [];
    this.last = null;
    this.append(document);
  }

  /** Steps that arrived (at once, or while the match is running); lists about the match replace the older ones. */
  append(part) {
    for (const name of ["result", "faults", "notes", "rounds", "actions", "played"]) if (part[name] !== undefined) this.meta[name] = part[name];
    for (const step of part.steps ?? []) {
      if (step.table) this.last = step.table;
      else this.last = withSet(this.last, step.set);
      if (this.steps.length % SNAPSHOT_EVERY === 0) this.snapshots.push(this.last);
      this.steps.push(step);
    }
    this.passedOver = new Map();
  }

  get end() {
    return this.steps.length - 1;
  }

  /** Where watching begins: the first deal, for before it the table is empty. */
  get opening() {
    return Math.max(0, this.steps.findIndex((step) => step.kind === "deal"));
  }

  get finished() {
    return this.end >= 0 && this.steps[this.end].kind === "result";
  }

  /** The whole table after step n, or null before the first deal. */
  table(n) {
    const from = Math.floor(n / SNAPSHOT_EVERY);
    let table = this.snapshots[from];
    for (let i = from * SNAPSHOT_EVERY + 1; i <= n; i++) table = this.steps[i].table ?? withSet(table, this.steps[i].set);
    return table;
  }

  /** Whether all hands lie open to everyone after step n: from the end of a round to the next deal. */
  revealed(n) {
    for (let i = n; i >= 0; i--) {
      const kind = this.steps[i].kind;
      if (kind === "round_end") return true;
      if (kind === "deal" || kind === "event" || kind === "start") return false;
    }
    return false;
  }

  knows(who, seat) {
    return who === "open" || who === seat;
  }

  /** False for steps that this onlooker cannot know to have happened. */
  visible(n, who) {
    const step = this.steps[n];
    return !step.secret || this.knows(who, step.seat);
  }

  /** Indices of the steps this onlooker sees, in order. */
  visibleSteps(who) {
    if (!this.passedOver.has(who)) {
      const list = [];
      for (let i = 0; i < this.steps.length; i++) if (this.visible(i, who)) list.push(i);
      this.passedOver.set(who, list);
    }
    return this.passedOver.get(who);
  }

  /** The nearest step at or before n that this onlooker sees. */
  settle(n, who) {
    let i = Math.max(0, Math.min(n, this.end));
    while (i > 0 && !this.visible(i, who)) i--;
    return i;
  }

  /** Step n as this onlooker may know it: parts of the sentence and open cards. */
  told(n, who) {
    const step = this.steps[n];
    const inside = this.knows(who, step.seat);
    return {
      parts: (inside ? null : step.closed_text_parts) ?? step.text_parts ?? [],
      cards: step.private && !inside ? [] : (step.cards ?? []),
      notes: (step.notes ?? []).map((i) => this.meta.notes[i]).filter((note) => this.knows(who, note.seat)),
    };
  }

  /** The decision that follows step n, if this onlooker may see the hand it is about. */
  choices(n, who) {
    if (n < 0) return null;
    const table = this.table(n);
    if (!table || table.turn === null || table.turn === undefined || !this.knows(who, table.turn)) return null;
    for (let i = n + 1; i < this.steps.length; i++) {
      const step = this.steps[i];
      if (step.kind === "fault") continue;
      if (!step.legal || step.seat !== table.turn) return null;
      return { seat: step.seat, actions: step.legal.map((a) => this.meta.actions[a]), step: i };
    }
    return null;
  }

  /** The table after step n as this onlooker sees it. `cards` of a hand is null where it lies face down. */
  scene(n, who) {
    const table = this.table(n);
    if (!table) return null;
    const revealed = this.revealed(n) && !this.meta.closed;
    const choices = revealed ? null : this.choices(n, who);
    // whose turn it is follows from the cards in hand (a drawn card that fits, a pair that can be answered): told only with the hand
    const turn = table.turn !== null && this.knows(who, table.turn) ? table.turn : null;
    const hands = [];
    for (let seat = 0; seat < this.players; seat++) {
      const cards = table.hands[seat];
      const open = revealed || this.knows(who, seat);
      hands.push({
        seat,
        plays: cards !== undefined,
        cards: cards && open ? cards : null,
        size: cards ? cards.length : 0,
        value: cards && open ? (table.hand_values?.[seat] ?? null) : null,
        total: table.totals[seat],
        dealer: table.dealer === seat,
        turn: turn === seat,
        forfeited: (table.forfeited ?? []).includes(seat),
        drawn: turn === seat && table.turn === seat ? (table.drawn ?? null) : null,
      });
    }
    return {
      hands,
      revealed,
      choices,
      turn,
      top: table.top ?? null,
      discards: table.discards,
      stock: table.stock,
      reshuffles: table.reshuffles ?? 0,
      activeSuit: table.active_suit ?? null,
      named: table.named ?? false,
      direction: table.direction ?? 1,
      goAround: table.go_around ?? null,
      phase: turn === null ? null : table.phase,
    };
  }

  /** Up to `count` cards that lie under the top discard, nearest first; all of them were played openly. */
  underTop(n, count) {
    const pile = [];
    const events = [];
    for (let i = n; i >= 0 && events.length < 60; i--) {
      const step = this.steps[i];
      events.push(step);
      if (step.kind === "deal" || step.do === "reshuffle") break;
    }
    for (const step of events.reverse()) {
      if (step.kind === "deal") pile.push(step.table.top);
      else if (step.do === "reshuffle") pile.splice(0, pile.length, this.table(this.steps.indexOf(step)).top);
      else if (step.do === "play" || step.do === "discard") pile.push(...step.cards);
      else if (step.do === "take_discard") pile.pop();
    }
    return pile.filter(Boolean).slice(0, -1).slice(-count).reverse();
  }

  /** What makes step n worth jumping to, for this onlooker: a list of kinds, most telling first. */
  marks(n, who) {
    const step = this.steps[n];
    const marks = [];
    if (step.kind === "fault") marks.push("fault");
    if (step.kind === "round_end") marks.push("round");
    if (step.kind === "result") marks.push("result");
    if (step.do === "call") marks.push("call");
    if (step.do === "reshuffle") marks.push("reshuffle");
    if (step.do === "forced_draw" || step.do === "skip") marks.push("power");
    if (this.game === "nines") {
      if (step.do === "name_suit" || (step.do === "play" && step.cards[0][0] === "9")) marks.push("nine");
      if (step.do === "play" && step.set?.hands?.[step.seat]?.length === 1) marks.push("last");
    } else if (this.game === "nine") {
      if (step.do === "discard" && step.cards.length > 1) marks.push("nine");
      if (step.do === "discard" && step.set?.hands?.[step.seat]?.length === 0) marks.push("last");
    }
    if (this.told(n, who).notes.length) marks.push("note");
    return marks;
  }

  /** The next step after n, in direction 1 or -1, that this onlooker sees and that has a mark; n if there is none. */
  nextMark(n, direction, who) {
    for (let i = n + direction; i >= 0 && i <= this.end; i += direction) {
      if (this.visible(i, who) && this.marks(i, who).some((m) => m !== "power")) return i;
    }
    return n;
  }

  /** Index in `rounds` of the round that step n belongs to (the last for the result, 0 for the start). */
  roundOf(n) {
    const rounds = this.meta.rounds ?? [];
    let index = 0;
    for (let i = 0; i < rounds.length; i++) if (rounds[i].step <= n) index = i;
    return index;
  }

  nextRound(n, direction) {
    const starts = (this.meta.rounds ?? []).map((r) => r.step);
    if (direction > 0) return starts.find((step) => step > n) ?? this.end;
    return [...starts].reverse().find((step) => step < n) ?? 0;
  }

  name(seat) {
    return this.seats[seat]?.bot ?? `seat ${seat + 1}`;
  }

  team(seat) {
    return this.teams ? this.teams.findIndex((seats) => seats.includes(seat)) : null;
  }
}
