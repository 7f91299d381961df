// The middle of a table of Nines: stock, upcard on its pile, the suit to match, the direction of play.

import { h, put, setText, icon } from "./dom.js";
import { suitMark, SUIT_NAMES } from "./cards.js";
import { Pile } from "./pile.js";

export class NinesCentre {
  constructor(maker, match) {
    this.match = match;
    this.pile = new Pile(maker, "stock", "upcard");
    this.suit = h("div", { class: "medal" });
    this.suitName = h("div", { class: "medal-name" });
    this.direction = h("div", { class: "direction" });
    this.element = h("div", { class: "centre-piles" }, this.pile.stock, this.pile.discard, h("div", { class: "pile suit-box" }, this.suit, this.suitName), match.rules.powers ? this.direction : null);
  }

  show(scene, n) {
    this.pile.show(scene, this.match.underTop(n, 3));
    const suit = scene.activeSuit;
    this.suit.dataset.suit = suit ?? "";
    this.suit.classList.toggle("named", scene.named);
    if (this.shown !== suit) put(this.suit, suit ? suitMark(suit) : h("span", { class: "unnamed" }, "?"));
    this.shown = suit;
    setText(this.suitName, suit ? `${SUIT_NAMES[suit]}${scene.named ? ", named" : ""}` : "to be named");
    if (this.match.rules.powers) {
      this.direction.dataset.direction = scene.direction;
      const words = scene.direction === 1 ? "clockwise" : "reversed";
      if (this.way !== words) put(this.direction, icon("clockwise"), h("span", {}, words));
      this.direction.classList.toggle("reversed", scene.direction !== 1);
      this.way = words;
    }
  }
}
