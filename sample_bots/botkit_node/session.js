// One sitting at the table: dials the seat's socket and calls the bot for what comes along the stream.
"use strict";
const path = require("node:path");
const util = require("node:util");
const grpc = require("@grpc/grpc-js");
const protobuf = require("protobufjs/light");
const { penalty } = require("./cards.js");
const { named } = require("./names.js");

const root = protobuf.Root.fromJSON(require("./protos.json"));
const ToBot = root.lookupType("ninefold.v1.ToBot");
const FromBot = root.lookupType("ninefold.v1.FromBot");
// Plain objects with every field of the protocol present; optional ones are null, bytes a Buffer.
const PLAIN = { defaults: true, arrays: true, objects: true, longs: Number };
const HERE = __dirname + path.sep;
const fieldsOf = (...types) => types.flatMap((type) => Object.keys(root.lookupType(`ninefold.v1.${type}`).fields));
const FIELDS = {
  NinesView: fieldsOf("NinesView"),
  NineView: fieldsOf("NineView"),
  // A bot for both games may read what only the other game's have.
  Action: [...new Set(fieldsOf("NinesAction", "NineAction")), "penalty_shed"],
  Event: ["seat", ...new Set(fieldsOf("NinesEvent", "NineEvent"))],
  RoundStart: fieldsOf("RoundStart"),
  RoundEnd: fieldsOf("RoundEnd"),
  MatchEnd: fieldsOf("MatchEnd"),
};
const known = (kind, object) => named(kind, object, FIELDS[kind]);

/** What is told to the author: their own file and line first, none of our frames. */
function explain(error, session) {
  const stack = error && error.stack ? String(error.stack) : util.inspect(error);
  const ours = (line) => /^ +at /.test(line) && (line.includes(HERE) || /\(?node:|node_modules/.test(line));
  console.error(stack.split("\n").filter((line) => !ours(line)).join("\n"));
  if (!session.hook) return;
  const moment = `ninefold: this was match ${session.bot.match}` + (session.round ? `, round ${session.round}` : "");
  if (session.hook !== "act") console.error(`${moment}, in ${session.hook}`);
  else {
    console.error(`${moment}, decision ${session.turn.decision}`);
    console.error(`ninefold: view: ${JSON.stringify(session.turn.view)}`);
    console.error(`ninefold: legal: ${listed(session.turn.legal)}`);
  }
}

function text(action) {
  return [action.do, ...action.cards, ...(action.suit ? ["naming", action.suit] : [])].join(" ");
}

function listed(legal) {
  return legal.map((action, index) => `[${index}] ${text(action)}`).join(", ");
}

/** The message of the one game that is set, with its own fields on top. */
function ofGame(message) {
  const game = message.nines || message.nine || {};
  return { ...(message.seat === undefined ? {} : { seat: message.seat }), ...game, ...(message.forfeit ? { do: "forfeit" } : {}) };
}

class Session {
  constructor(bot) {
    this.bot = bot;
    this.round = 0;
    this.turn = null;
    this.hook = "";
  }

  /** Calls one of the bot's methods, and remembers which. */
  call(hook, ...values) {
    this.hook = hook;
    return this.bot[hook](...values);
  }

  /** The bot has been told; returns the Choice where one is asked for. */
  take(message) {
    const bot = this.bot;
    if (message.turn) return this.answer(message.turn);
    if (message.match_start) this.begin(message.match_start);
    if (message.round_start) {
      this.round = message.round_start.round;
      this.turn = null;
      bot.events = [];
      this.call("roundStart", known("RoundStart", message.round_start));
    }
    if (message.round_end) {
      this.observe(message.round_end.events);
      this.turn = null;
      const hands = message.round_end.hands.map((hand) => hand.cards);
      this.call("roundEnd", known("RoundEnd", { ...message.round_end, hands }));
    }
    if (message.match_end) {
      this.round = 0;
      this.call("matchEnd", known("MatchEnd", message.match_end));
    }
    return null;
  }

  begin(start) {
    const rules = Object.fromEntries(Object.entries(start.rules).map(([name, value]) => [name, JSON.parse(value)]));
    Object.assign(this.bot, {
      game: start.game, rules, profile: start.profile, seat: start.seat, players: start.players, match: start.match,
      commitment: start.commitment, events: [],
    });
    this.bot._seed(start.bot_seed);
    this.bot._setClock(start.clock && { ...start.clock, left_ms: start.clock.left_ms || start.clock.bank_ms });
    this.round = 0;
    this.call("matchStart");
  }

  observe(events) {
    for (const message of events) {
      const event = known("Event", ofGame(message));
      this.bot.events.push(event);
      this.call("observe", event);
    }
  }

  answer(turn) {
    const bot = this.bot;
    bot._setClock(turn.clock);
    const view = known(turn.view.nine ? "NineView" : "NinesView", ofGame(turn.view));
    const legal = turn.legal.map((message) => {
      const action = known("Action", ofGame(message));
      action.penalty_shed = penalty(action.cards, bot.game, bot.rules);
      return Object.freeze(action);
    });
    this.turn = { decision: turn.decision, view, legal };
    this.observe(turn.events);
    const chosen = this.call("act", view, legal);
    const choice = { decision: turn.decision, note: bot._takeNote() };
    const index = Number.isInteger(chosen) ? chosen : legal.indexOf(chosen);
    if (index >= 0 && index < legal.length) return { ...choice, index };
    if (chosen && typeof chosen === "object" && typeof chosen.do === "string") {
      const { do: verb, cards = [], suit = "" } = chosen;
      const same = legal.findIndex((a) => a.do === verb && a.cards.join() === [...cards].join() && (a.suit || "") === (suit || ""));
      if (same >= 0) return { ...choice, index: same };
      const sorted = (action) => [action.do, ...[...action.cards].sort(), action.suit || ""].join();
      if (!legal.some((a) => sorted(a) === sorted({ do: verb, cards, suit }))) this.tell(text({ do: verb, cards, suit }));
      return { ...choice, action: { [bot.game]: bot.game === "nine" ? { do: verb, cards } : { do: verb, cards, suit: suit || "" } } };
    }
    if (Number.isInteger(chosen) && chosen >= 0 && chosen < 2 ** 32) {
      this.tell(String(chosen));
      return { ...choice, index: chosen };
    }
    const shown = chosen instanceof Promise ? "a Promise (act must not be async)" : util.inspect(chosen, { depth: 1 }).slice(0, 200);
    const error = new Error(`act returned ${shown}; return one of legal, or its index`);
    error.stack = `${error.name}: ${error.message}`;
    throw error;
  }

  /** What is not legal is told, and sent for the referee to judge. */
  tell(what) {
    console.error(`ninefold: act returned ${what} at decision ${this.turn.decision}, which is not legal; legal were: ${listed(this.turn.legal)}`);
  }
}

/** The bot plays its whole sitting; the process ends with 0 at Goodbye, with 1 when the bot fails or the table is lost. */
function play(bot, address, client) {
  const session = new Session(bot);
  const channel = new grpc.Client(address, grpc.credentials.createInsecure(), { "grpc.enable_http_proxy": 0, "grpc.enable_retries": 0 });
  const stream = channel.makeBidiStreamRequest(
    "/ninefold.v1.Table/Play",
    (message) => Buffer.from(FromBot.encode(message).finish()),
    (bytes) => ToBot.toObject(ToBot.decode(bytes), PLAIN),
    new grpc.Metadata({ waitForReady: true }),
  );
  const fail = (error) => {
    explain(error, session);
    process.exit(1);
  };
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  let over = false;
  const send = (message) => stream.write(FromBot.fromObject(message));
  stream.on("data", (message) => {
    if (message.goodbye) {
      over = true;
      stream.end();
      channel.close();
      return;
    }
    let choice;
    try {
      choice = session.take(message);
    } catch (error) {
      fail(error);
    }
    if (choice) send({ choice });
  });
  const lost = (why) => {
    if (over) return;
    console.error(`ninefold: the table is gone: ${why}`);
    process.exit(1);
  };
  stream.on("error", (error) => lost(error.message));
  stream.on("end", () => lost("the stream ended without a Goodbye"));
  send({ hello: { client } });
}

module.exports = { play };
