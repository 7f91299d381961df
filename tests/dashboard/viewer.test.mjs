// The pure parts of the viewer, in node: folding, hiding, words, addresses. Data: a JSON file of matches as steps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const viewer = new URL(process.env.NINEFOLD_VIEWER);
const load = (name) => import(new URL(name, viewer));
const { Match, Unreadable } = await load("state.js");
const { choiceGroups, sentence, time } = await load("words.js");
const { parse, viewFrom, viewText } = await load("address.js");
const { series } = await load("series.js");
const matches = JSON.parse(readFileSync(process.env.NINEFOLD_STEPS, "utf8"));

const plain = (value) => JSON.parse(JSON.stringify(value));

test("the table at any step, asked in any order, is the plain fold of the steps", () => {
  for (const document of matches) {
    const match = new Match(document);
    const folded = [];
    let table = null;
    for (const step of document.steps) {
      if (step.table) table = plain(step.table);
      else if (step.set) {
        const { hands = {}, hand_values = {}, ...rest } = plain(step.set);
        table = { ...table, ...rest, hands: { ...table?.hands, ...hands }, hand_values: { ...table?.hand_values, ...hand_values } };
      }
      folded.push(plain(table));
    }
    for (let n = folded.length - 1; n >= 0; n -= 3) assert.deepEqual(plain(match.table(n)), folded[n]);
  }
});

test("steps that come in parts give the same match as all at once", () => {
  for (const document of matches) {
    const whole = new Match(document);
    const growing = new Match({ ...document, steps: document.steps.slice(0, 10) });
    for (let i = 10; i < document.steps.length; i += 7) growing.append({ steps: document.steps.slice(i, i + 7) });
    assert.equal(growing.end, whole.end);
    for (let n = 0; n <= whole.end; n += 5) assert.deepEqual(growing.table(n), whole.table(n));
  }
});

test("a closed view holds no card of another hand before it is shown", () => {
  for (const document of matches) {
    const match = new Match(document);
    for (const who of ["public", ...document.seats.keys()]) {
      for (let n = 0; n <= match.end; n++) {
        const scene = match.scene(n, who);
        if (!scene) continue;
        for (const hand of scene.hands) {
          if (hand.seat === who || scene.revealed) continue;
          assert.equal(hand.cards, null);
          assert.equal(hand.value, null);
          assert.equal(hand.drawn, null);
          assert.equal(hand.turn, false);
        }
        if (scene.choices) assert.equal(scene.choices.seat, who);
      }
    }
  }
});

test("whether a drawn card fitted cannot be told from a closed view", () => {
  const strip = (scene) => plain({ ...scene, hands: scene.hands.map((h) => h.size) });
  for (const document of matches.filter((m) => m.game === "nines")) {
    const match = new Match(document);
    document.steps.forEach((step, n) => {
      if (step.do !== "draw") return;
      const scene = match.scene(n, "public");
      assert.equal(scene.turn, null);
      assert.equal(scene.phase, null);
      assert.equal(scene.choices, null);
      assert.ok(strip(scene));
    });
  }
});

test("secret steps are passed over, and settling never lands on one", () => {
  for (const document of matches) {
    const match = new Match(document);
    for (const who of ["public", 0]) {
      const seen = new Set(match.visibleSteps(who));
      document.steps.forEach((step, n) => {
        assert.equal(seen.has(n), !(step.secret && step.seat !== who));
        assert.ok(seen.has(match.settle(n, who)));
        assert.ok(seen.has(match.nextMark(n, 1, who)) || match.nextMark(n, 1, who) === n);
      });
    }
  }
});

test("every step has words, and closed words name no private card", () => {
  for (const document of matches) {
    const match = new Match(document);
    for (let n = 0; n <= match.end; n++) {
      assert.ok(sentence(match, n, "open").parts.length > 0);
      const step = document.steps[n];
      if (step.private) assert.ok(sentence(match, n, "public").parts.every((part) => typeof part === "string"));
    }
  }
});

test("the card under the top one is the one played before it", () => {
  const document = matches.find((m) => m.game === "nines");
  const match = new Match(document);
  const plays = document.steps.map((step, n) => [step, n]).filter(([step]) => step.round === 0 && step.do === "play");
  for (let i = 1; i < Math.min(5, plays.length); i++) assert.equal(match.underTop(plays[i][1], 1)[0], plays[i - 1][0].cards.at(-1));
});

test("plots never show a running total that the onlooker cannot know", () => {
  for (const document of matches) {
    const match = new Match(document);
    const { totals, running } = series(match, 0);
    assert.equal(totals[0].length, document.steps.length);
    for (let seat = 1; seat < match.players; seat++) assert.ok(running[seat].every((value) => value === null));
  }
});

test("choices are grouped by cards, suits together", () => {
  const groups = choiceGroups([{ do: "play", cards: ["9H"], suit: "C" }, { do: "play", cards: ["9H"], suit: "D" }, { do: "play", cards: ["7H"] }, { do: "keep" }]);
  assert.deepEqual(groups.map((g) => [g.do, g.cards.join(), g.suits.join("")]), [["play", "9H", "CD"], ["play", "7H", ""], ["keep", "", ""]]);
});

test("times are never blank", () => {
  assert.deepEqual([0, 3.14159, 42, 1000, 12_345, 90_000, null, undefined].map(time), ["0.0 ms", "3.1 ms", "42 ms", "1.00 s", "12.3 s", "1 min 30 s", "–", "–"]);
});

test("addresses are read in both forms and nonsense is ignored", () => {
  const at = (search, hash = "") => parse({ search, hash });
  assert.deepEqual(at("?match=a/1/1/1&step=42&view=2&round=3"), { match: "a/1/1/1", round: 3, step: 42, view: "2", me: null });
  assert.equal(at("?step=7", "#42").step, 42);
  assert.equal(at("", "#step=9&view=all").step, 9);
  assert.equal(at("?step=-1").step, null);
  assert.equal(at("?step=1e9").step, null);
  assert.equal(viewFrom("7", 4), null);
  assert.equal(viewFrom("<b>", 4), null);
  for (const who of ["open", "public", 0, 3]) assert.equal(viewFrom(viewText(who), 4), who);
});

test("an unknown format is refused in words", () => {
  assert.throws(() => new Match({ format: "x" }), Unreadable);
  assert.throws(() => new Match(null), Unreadable);
});
