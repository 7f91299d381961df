// What a contestant imports: class MyBot extends Bot with act(view, legal), then run(new MyBot()).
// Field names are those of the protocol (games.proto); README.md beside this file has them all.
"use strict";
const { RANKS, SUITS, penalty, value } = require("./cards.js");
const { version } = require("./package.json");

const NOTE_CHARACTERS = 200;

/** A seat at the table. One object plays all matches of a sitting. */
class Bot {
  game = "";
  rules = {};
  profile = "";
  seat = -1;
  players = 0;
  match = 0;
  commitment = "";
  events = [];
  #state = null;
  #notes = [];
  #left = null;
  #asked = 0;
  #wall = false;

  /** Return one of `legal` (two or more actions), or its index. */
  act(view, legal) {
    throw new Error(`${this.constructor.name} must define act(view, legal) and return one of legal`);
  }
  /** A match begins: game, rules, seat and players are set. */
  matchStart() {}
  /** A round was dealt. */
  roundStart(start) {}
  /** Something happened since this seat was last asked, its own doings included. */
  observe(event) {}
  /** A round is over: all hands, penalties and totals are known. */
  roundEnd(end) {}
  /** A match is over: places are known. */
  matchEnd(end) {}

  /** A number from 0 up to 1, seeded by the referee for this seat and match: use it and the bot is reproducible. */
  random() {
    const s = this.#state; // sfc32
    if (!s) throw new Error("random() is seeded when a match starts: use it in matchStart or later");
    const t = (s[0] + s[1] + s[3]) | 0;
    s[3] = (s[3] + 1) | 0;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = (s[2] + (s[2] << 3)) | 0;
    s[2] = ((s[2] << 21) | (s[2] >>> 11)) + t | 0;
    return (t >>> 0) / 4294967296;
  }

  /** Milliseconds of processor time left for this match, now; Infinity where there is no clock. */
  timeLeft() {
    return this.#left === null ? Infinity : this.#left - (this.#now() - this.#asked);
  }

  /** The text marks this moment in the replay: it goes with the next answer, 200 characters of it at most. */
  note(text) {
    this.#notes.push(String(text));
  }

  /** What these cards would cost if the round ended now, by the rules of this match. */
  penalty(cards) {
    return penalty(cards, this.game, this.rules);
  }

  #now() {
    if (this.#wall) return performance.now();
    const used = process.cpuUsage();
    return (used.user + used.system) / 1000;
  }

  _seed(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#state = bytes.byteLength >= 16 ? [0, 4, 8, 12].map((at) => view.getInt32(at)) : [1, 2, 3, 4];
    this.#notes = [];
    for (let i = 0; i < 16; i++) this.random();
  }

  _setClock(clock) {
    this.#left = clock ? clock.left_ms : null;
    this.#wall = Boolean(clock && clock.charged_as === "wall");
    this.#asked = this.#now();
  }

  _takeNote() {
    const text = this.#notes.join("; ").slice(0, NOTE_CHARACTERS);
    this.#notes = [];
    return text;
  }
}

/** The bot plays its whole sitting at the table named by NINEFOLD_SOCKET; then the process ends. */
function run(bot) {
  const instance = typeof bot === "function" ? new bot() : bot;
  const refuse = (why) => {
    console.error(`ninefold: ${why}`);
    process.exit(1);
  };
  if (!(instance instanceof Bot)) refuse("run() needs a Bot: write class MyBot extends Bot and run(new MyBot())");
  if (instance.act === Bot.prototype.act) refuse(`${instance.constructor.name} has no act: define act(view, legal)`);
  const address = process.env.NINEFOLD_SOCKET || "";
  if (!address) refuse("NINEFOLD_SOCKET is not set: no table to sit at; try `ninefold play . random`");
  require("./session.js").play(instance, address.startsWith("/") ? `unix:${address}` : address, `ninefold/${version} node`);
}

module.exports = { Bot, run, penalty, value, RANKS, SUITS };
