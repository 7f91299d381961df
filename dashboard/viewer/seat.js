// One seat: who sits there, the hand as far as the onlooker may see it, what it counts, and what happens to it just now.

import { h, put, setText, icon } from "./dom.js";
import { sortHand } from "./cards.js";
import { faultWords, seatLabel } from "./words.js";

const CARDS_A_ROW = 10;

export const TEAM_NAMES = ["A", "B", "C"];

export function badge(seat) {
  return h("span", { class: `badge seat-${seat}`, title: `seat ${seat} in the record` }, String(seatLabel(seat)));
}

export class Seat {
  constructor(maker, match, seat) {
    this.maker = maker;
    this.match = match;
    this.seat = seat;
    const who = match.seats[seat] ?? {};
    const team = match.team(seat);
    this.count = h("span", { class: "count" });
    this.total = h("span", { class: "total" });
    this.flags = h("span", { class: "flags" });
    this.hand = h("div", { class: "hand" });
    this.bubble = h("div", { class: "bubble", hidden: true });
    this.element = h(
      "section",
      { class: "seat", "data-seat": seat },
      h("header", {}, badge(seat), h("span", { class: "name", title: who.version ? `${match.name(seat)}@${who.version}` : match.name(seat) }, match.name(seat)), team !== null && team >= 0 ? h("span", { class: `team team-${team}` }, `team ${TEAM_NAMES[team] ?? team + 1}`) : null, this.flags, this.total),
      this.hand,
      this.count,
      this.bubble,
    );
  }

  /** `hand` as in Match.scene; `now`: {actor, penalty, marked, notes} of this very step. */
  show(hand, scene, now) {
    const { element } = this;
    element.dataset.size = hand.size;
    element.dataset.total = hand.total;
    element.dataset.open = hand.cards !== null;
    element.classList.toggle("acts", now.actor);
    element.classList.toggle("turn", hand.turn);
    element.classList.toggle("out", !hand.plays);
    element.classList.toggle("forfeited", hand.forfeited);
    this.showFlags(hand);
    this.showHand(hand, scene, now);
    setText(this.total, String(hand.total));
    this.total.title = "penalty points so far";
    const count = !hand.plays ? "not in this round" : `${hand.size} ${hand.size === 1 ? "card" : "cards"}`;
    const worth = hand.value === null || !hand.plays ? "" : ` · ${this.match.game === "nine" ? "total" : "worth"} ${hand.value}`;
    const penalty = now.penalty === null ? "" : ` · +${now.penalty}`;
    const fault = hand.forfeited ? (this.match.meta.faults ?? []).find((f) => f.seat === this.seat) : null;
    const forfeit = hand.forfeited ? ` · forfeited${fault && now.tellsWhy ? `: ${faultWords(fault.kind)}` : ""}` : "";
    setText(this.count, count + worth + penalty + forfeit);
    this.count.classList.toggle("scored", now.penalty !== null);
    element.setAttribute("aria-label", `Seat ${seatLabel(this.seat)}, ${this.match.name(this.seat)}: ${count}${worth}, ${hand.total} ${hand.total === 1 ? "point" : "points"}`);
    this.showNotes(now.notes);
  }

  showFlags(hand) {
    const key = [hand.dealer, hand.turn, hand.forfeited, hand.size === 1 && hand.plays].join();
    if (key === this.flagKey) return;
    this.flagKey = key;
    put(
      this.flags,
      hand.dealer ? h("span", { class: "chip dealer", title: "dealer of this round" }, "D") : null,
      hand.forfeited ? h("span", { class: "chip bad", title: "forfeited", role: "img", "aria-label": "forfeited" }, icon("fault")) : null,
      hand.size === 1 && hand.plays && this.match.game === "nines" ? h("span", { class: "chip warn" }, "last card") : null,
      hand.turn ? h("span", { class: "chip to-act" }, "to act") : null,
    );
  }

  showHand(hand, scene, now) {
    const legal = new Set();
    if (scene.choices?.seat === this.seat) for (const action of scene.choices.actions) for (const card of action.cards ?? []) legal.add(card);
    const choosing = legal.size > 0;
    const drawn = new Set([...(hand.drawn ? [hand.drawn] : []), ...now.fresh]);
    const cards = hand.cards ? sortHand(hand.cards, this.match.game) : null;
    const key = cards ? `${cards.join()}|${[...legal].join()}|${[...drawn].join()}` : `back ${hand.size}`;
    if (key === this.handKey) return;
    this.handKey = key;
    const faces = cards
      ? cards.map((code) => {
          const extra = `${choosing ? (legal.has(code) ? "legal" : "idle") : ""} ${drawn.has(code) ? "fresh" : ""}`;
          drawn.delete(code);
          return this.maker.card(code, extra);
        })
      : Array.from({ length: hand.size }, () => this.maker.back());
    const rows = Math.max(1, Math.ceil(faces.length / CARDS_A_ROW));
    const length = Math.ceil(faces.length / rows);
    put(this.hand, Array.from({ length: rows }, (_, r) => h("div", { class: "hand-row" }, faces.slice(r * length, (r + 1) * length).map((face) => h("div", { class: "slot" }, face)))));
  }

  showNotes(notes) {
    this.bubble.hidden = notes.length === 0;
    if (notes.length) setText(this.bubble, notes.map((note) => note.text).join(" / "));
  }
}
