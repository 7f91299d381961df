// Stock and discard pile, in both games.

import { h, put, setText } from "./dom.js";

export class Pile {
  constructor(maker, stockName, topName) {
    this.maker = maker;
    this.stockName = stockName;
    this.stockCards = h("div", { class: "stack" });
    this.stockLabel = h("div", { class: "pile-label" });
    this.stock = h("div", { class: "pile stock" }, this.stockCards, this.stockLabel);
    this.topCards = h("div", { class: "stack" });
    this.topLabel = h("div", { class: "pile-label" });
    this.discard = h("div", { class: "pile discard" }, this.topCards, this.topLabel);
    this.topName = topName;
  }

  show(scene, under, fanned = false) {
    this.stock.dataset.count = scene.stock;
    this.discard.dataset.count = scene.discards;
    const thickness = scene.stock === 0 ? 0 : Math.min(3, 1 + Math.floor(scene.stock / 12));
    if (thickness !== this.thickness) {
      this.thickness = thickness;
      put(this.stockCards, thickness === 0 ? h("div", { class: "empty-pile" }, "empty") : Array.from({ length: thickness }, (_, i) => h("div", { class: `layer layer-${i}` }, this.maker.back())));
    }
    setText(this.stockLabel, `${scene.stock} in ${this.stockName}`);
    const key = `${scene.top} ${under.join(" ")} ${fanned}`;
    if (key !== this.key) {
      this.key = key;
      const below = [...under].reverse().map((card, i) => {
        const face = this.maker.card(card, "under");
        face.removeAttribute("data-card");
        face.dataset.under = card;
        return h("div", { class: `layer tilt-${(under.length - i) % 4}`, style: fanned ? { "--fan": String(under.length - i) } : null }, face);
      });
      this.discard.classList.toggle("fanned", fanned);
      put(this.topCards, below, scene.top ? h("div", { class: "layer top" }, this.maker.card(scene.top)) : h("div", { class: "empty-pile" }, "empty"));
    }
    setText(this.topLabel, this.topName + (scene.discards > 1 ? ` of ${scene.discards}` : ""));
  }
}
