// The middle of a table of Nine: draw pile, discards with the last combination fanned out, go-around, and the call.

import { h, setText } from "./dom.js";
import { Pile } from "./pile.js";

export class NineCentre {
  constructor(maker, match) {
    this.match = match;
    this.pile = new Pile(maker, "draw pile", "top discard");
    this.round = h("div", { class: "medal go-around" });
    this.note = h("div", { class: "medal-name" });
    this.element = h("div", { class: "centre-piles" }, this.pile.stock, this.pile.discard, h("div", { class: "pile suit-box" }, this.round, this.note));
  }

  show(scene, n) {
    const step = this.match.steps[n];
    const combination = step.do === "discard" ? step.cards.length - 1 : 0;
    this.pile.show(scene, this.match.underTop(n, Math.max(combination, 2)), combination > 0);
    const called = step.do === "call" || (step.kind === "round_end" && step.reason === "call");
    this.round.classList.toggle("called", called);
    this.round.dataset.goAround = scene.goAround ?? "";
    setText(this.round, called ? "Nine!" : String(scene.goAround ?? "–"));
    setText(this.note, called ? "called" : "go-around");
  }
}
