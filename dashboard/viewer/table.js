// The table: seats around the middle, clockwise from the top left; the sentence of this step; what may be chosen; the result.

import { h, put } from "./dom.js";
import { CardMaker, suitMark, SUIT_NAMES } from "./cards.js";
import { NineCentre } from "./centre_nine.js";
import { NinesCentre } from "./centre_nines.js";
import { badge, Seat } from "./seat.js";
import { choiceGroups, sentence } from "./words.js";
import { resultCard } from "./result.js";

const CENTRES = { nines: NinesCentre, nine: NineCentre };

/** Parts of a sentence as nodes: text as text, cards and suits drawn. */
export function partNodes(match, parts) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (part.card) return cardInText(match, part.card);
    if (part.suit) return suitMark(part.suit);
    return "";
  });
}

export function cardInText(match, card) {
  const { rank, suit } = match.pack.text(card);
  return h("span", { class: `in-text ${suit ? `text-${suit}` : ""}`, "data-mentions": card, role: "img", "aria-label": match.pack.name(card) }, rank, suit ? suitMark(suit) : null);
}

export function canShow(match) {
  return match.hasTable && match.game in CENTRES;
}

export class Table {
  constructor(match) {
    this.match = match;
    this.maker = new CardMaker(match.pack);
    this.seats = Array.from({ length: match.players }, (_, seat) => new Seat(this.maker, match, seat));
    this.centre = new CENTRES[match.game](this.maker, match);
    this.message = h("div", { class: "message" });
    this.choices = h("div", { class: "choices" });
    this.over = h("div", { class: "over", hidden: true });
    const top = Math.ceil(match.players / 2);
    const elements = this.seats.map((seat) => seat.element);
    this.rows = [h("div", { class: "row", "data-seats": top }, elements.slice(0, top)), h("div", { class: "row", "data-seats": match.players - top }, elements.slice(top).reverse())];
    this.felt = h("div", { class: "felt-inner" }, this.rows[0], h("div", { class: "centre" }, this.centre.element, this.message), this.rows[1]);
    this.element = h("div", { class: "felt", "data-players": match.players, "data-game": match.game }, this.maker.sheet, this.felt, this.choices, this.over);
  }

  /** Marks the seats of a bot that the reader came to watch. */
  mark(bot) {
    for (const { seat, element } of this.seats) element.classList.toggle("me", bot !== null && this.match.name(seat) === bot);
  }

  show(n, who) {
    const { match } = this;
    const step = match.steps[n];
    const scene = match.scene(n, who) ?? this.before();
    const told = match.told(n, who);
    this.element.dataset.step = n;
    this.element.dataset.kind = step.kind;
    this.element.dataset.view = String(who);
    this.felt.classList.toggle("undealt", !match.table(n));
    this.centre.show(scene, n);
    const fresh = new Set(["draw", "forced_draw", "draw_pile", "take_discard"]).has(step.do) ? (told.cards ?? []) : [];
    for (const seat of this.seats) {
      seat.show(scene.hands[seat.seat], scene, {
        actor: step.kind === "event" && step.seat === seat.seat,
        fresh: step.seat === seat.seat ? fresh : [],
        penalty: step.kind === "round_end" ? (step.penalties?.[seat.seat] ?? null) : null,
        tellsWhy: typeof who === "string" || who === seat.seat,
        notes: told.notes.filter((note) => note.seat === seat.seat),
      });
    }
    this.showMessage(n, who);
    this.showChoices(scene);
    const over = step.kind === "result";
    this.over.hidden = !over;
    if (over) put(this.over, resultCard(match));
    return scene;
  }

  /** Before anything is dealt: empty places. */
  before() {
    const hands = this.seats.map(({ seat }) => ({ seat, plays: false, cards: null, size: 0, value: null, total: 0, dealer: false, turn: false, forfeited: false, drawn: null }));
    return { hands, revealed: false, choices: null, turn: null, top: null, discards: 0, stock: 0, reshuffles: 0, activeSuit: null, named: false, direction: 1, goAround: null, phase: null };
  }

  showMessage(n, who) {
    const { seat, parts } = sentence(this.match, n, who);
    const step = this.match.steps[n];
    this.message.dataset.kind = step.kind;
    put(this.message, seat === null || seat === undefined ? null : [badge(seat), h("b", {}, this.match.name(seat)), " "], h("span", {}, ...partNodes(this.match, parts)), step.standin && this.match.knows(who, step.seat) ? h("span", { class: "chip" }, "stand-in") : null);
    if (step.kind === "start") for (const cut of this.match.meta.cuts ?? []) this.message.append(h("div", { class: "cuts" }, "Cut for the deal: ", Object.entries(cut).map(([s, card]) => h("span", { class: "cut" }, badge(Number(s)), cardInText(this.match, card)))));
  }

  showChoices(scene) {
    const { choices } = scene;
    this.choices.classList.toggle("none", !choices);
    if (!choices) return put(this.choices);
    const groups = choiceGroups(choices.actions);
    return put(
      this.choices,
      h("span", { class: "choices-who" }, badge(choices.seat), `${this.match.name(choices.seat)} may`),
      groups.map((group) =>
        h("span", { class: "choice", "data-do": group.do, "data-cards": group.cards.join(" "), "data-suits": group.suits.join("") },
          group.words ? `${group.words} ` : null, group.cards.map((card) => cardInText(this.match, card)),
          group.suits.length ? h("span", { class: "naming", role: "img", "aria-label": `naming ${group.suits.map((x) => SUIT_NAMES[x]).join(", ")}` }, "→", group.suits.map(suitMark)) : null)),
      h("span", { class: "choices-count" }, `${choices.actions.length} legal`),
    );
  }
}
