// Cards drawn by us as SVG. Each face is a <symbol>, made when first needed and then only referred to, so that a step is cheap
// to draw and a change of suit colours costs nothing: colours are CSS variables (--suit-C and so on).

import { s } from "./dom.js";

export const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANKS = "A23456789TJQK";
const RANK_NAMES = ["ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"];

/** Suits in a box of 100 x 100. */
const SUITS = {
  H: "M50 91C22 66 5 49 5 30 5 15 16 6 28 6 38 6 46 12 50 22 54 12 62 6 72 6 84 6 95 15 95 30 95 49 78 66 50 91Z",
  D: "M50 3C58 22 71 38 87 50 71 62 58 78 50 97 42 78 29 62 13 50 29 38 42 22 50 3Z",
  S: "M50 3C59 21 95 38 95 63 95 76 85 83 75 83 66 83 58 78 54 69 54 82 59 91 67 97L33 97C41 91 46 82 46 69 42 78 34 83 25 83 15 83 5 76 5 63 5 38 41 21 50 3Z",
  C: "M29 26a21 21 0 1 1 42 0a21 21 0 0 1 -8 16.500a21 21 0 1 1 -9.500 29.500C54 84 59 92 67 97L33 97C41 92 46 84 46.500 72a21 21 0 1 1 -9.500 -29.500a21 21 0 0 1 -8 -16.500Z",
};

const PIPS = {
  A: [[50, 70]],
  2: [[50, 27], [50, 113]],
  3: [[50, 27], [50, 70], [50, 113]],
  4: [[36, 27], [64, 27], [36, 113], [64, 113]],
  5: [[36, 27], [64, 27], [50, 70], [36, 113], [64, 113]],
  6: [[36, 27], [64, 27], [36, 70], [64, 70], [36, 113], [64, 113]],
  7: [[36, 27], [64, 27], [50, 48.500], [36, 70], [64, 70], [36, 113], [64, 113]],
  8: [[36, 27], [64, 27], [50, 48.500], [36, 70], [64, 70], [50, 91.500], [36, 113], [64, 113]],
  9: [[36, 27], [64, 27], [36, 55.700], [64, 55.700], [50, 70], [36, 84.300], [64, 84.300], [36, 113], [64, 113]],
  T: [[36, 27], [64, 27], [50, 41.300], [36, 55.700], [64, 55.700], [36, 84.300], [64, 84.300], [50, 98.700], [36, 113], [64, 113]],
};

/** The value of a card in Nine (K1.1): 0 to 13. */
export function nineValue(card) {
  return card[0] === "X" ? 0 : RANKS.indexOf(card[0]) + 1;
}

function ordinary(card) {
  const rank = card[0];
  return { corner: rank === "T" ? "10" : rank, suit: card[1], kind: "JQK".includes(rank) ? "court" : "number", name: `${RANK_NAMES[RANKS.indexOf(rank)]} of ${SUIT_NAMES[card[1]]}` };
}

/** How the cards of one match look: faces of its skin as steps.py gives them, or the ordinary pack. */
export class Pack {
  constructor(faces, skin) {
    this.faces = faces ?? {};
    this.numbered = Boolean(faces) && skin === "numbered";
  }

  face(card) {
    return this.faces[card] ?? ordinary(card);
  }

  /** Short text as {rank, suit}; suit is null where it means nothing. */
  text(card) {
    const face = this.face(card);
    const words = { joker: "Joker", excuse: "Excuse", trump: "Trump 1" }[face.kind];
    if (this.numbered) return { rank: face.corner, suit: null };
    return words ? { rank: words, suit: null } : { rank: face.corner, suit: face.suit };
  }

  /** The card in words, for those who listen: "nine of hearts". */
  name(card) {
    return this.face(card).name;
  }
}

/** Sorts a hand as people hold it: Nines by suit, then rank; Nine by value. */
export function sortHand(cards, game) {
  const key = game === "nine" ? (c) => nineValue(c) * 10 + "CDHS".indexOf(c[1]) : (c) => "SHCD".indexOf(c[1]) * 20 + RANKS.indexOf(c[0]);
  return [...cards].sort((a, b) => key(a) - key(b));
}

/** A suit as a small drawing that stands in a line of text. */
export function suitMark(suit) {
  return s("svg", { viewBox: "0 0 100 100", class: `suit suit-${suit}`, role: "img", "aria-label": SUIT_NAMES[suit] }, s("path", { d: SUITS[suit] }));
}

function pip(suit, x, y, size, turned = false) {
  const k = size / 100;
  const place = `translate(${x} ${y})${turned ? " rotate(180)" : ""} scale(${k}) translate(-50 -50)`;
  return s("path", { d: SUITS[suit], transform: place, style: null, class: `pip-${suit}` });
}

function corner(label, suit, colourClass) {
  const wide = label.length > 1;
  const make = () => [
    s("text", { x: 14, y: 25, class: `index ${colourClass}`, "font-size": wide ? 22 : 26, "text-anchor": "middle", textLength: wide ? 22 : null, lengthAdjust: wide ? "spacingAndGlyphs" : null }, label),
    suit ? pip(suit, 14, 38, 17) : null,
  ];
  return [s("g", {}, ...make()), s("g", { transform: "rotate(180 50 70)" }, ...make())];
}

function paper() {
  return s("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "paper" });
}

// ---- court cards: one half figure, turned for the other half

const head = () => [
  s("path", { d: "M42 52h16v9H42z", class: "skin" }),
  s("path", { d: "M40 38c0-9 20-9 20 0v8c0 9-5 13-10 13s-10-4-10-13z", class: "skin ink" }),
  s("path", { d: "M44 44h3.200M52.800 44H56M48.500 51.500h3", class: "line" }),
];

const FIGURES = {
  J: () => [
    s("path", { d: "M37.500 40c0 9-1.500 15-4.500 18l7 1c2-3 2.500-7 2-12zM62.500 40c0 9 1.500 15 4.500 18l-7 1c-2-3-2.500-7-2-12z", class: "gold ink" }),
    ...head(),
    s("path", { d: "M36 38c0-4 3-6 4-8 6-4 16-4 21-1 3 2 4 5 3 9-8-3-20-3-28 0z", class: "robe ink" }),
    s("path", { d: "M60 31c4-6 9-8 12-7-1 5-4 9-10 11z", class: "gold ink" }),
  ],
  Q: () => [
    s("path", { d: "M39 35c-5 5-6 17-7.500 26 4 1 8 0 10-2V42zM61 35c5 5 6 17 7.500 26-4 1-8 0-10-2V42z", class: "gold ink" }),
    ...head(),
    s("path", { d: "M40 38c2-5 6-7 10-7s8 2 10 7c-4-3-6-3.500-10-3.500S44 35 40 38z", class: "gold ink" }),
    s("path", { d: "M38.500 33 36 22l7 5 7-7 7 7 7-5-2.500 11c-7-3-16-3-23 0z", class: "robe ink" }),
    s("path", { d: "M36 21.500h.1M50 19.500h.1M64 21.500h.1", class: "pearl" }),
  ],
  K: () => [
    s("path", { d: "M39 38c-3 3-4 10-4 16l6 5V42zM61 38c3 3 4 10 4 16l-6 5V42z", class: "shade ink" }),
    ...head(),
    s("path", { d: "M40 46c0 11 3 18 10 19 7-1 10-8 10-19-1 3-3 4-5 4.200-3-1.500-7-1.500-10 0-2-.200-4-1.200-5-4.200z", class: "shade ink" }),
    s("path", { d: "M47.500 53h5", class: "lip" }),
    s("path", { d: "M38 36 35.500 22l8 5.500L50 18l6.500 9.500 8-5.500L62 36c-7-2.500-17-2.500-24 0z", class: "gold ink" }),
    s("path", { d: "M38.300 34.500c7-2.300 16.400-2.300 23.400 0", class: "jewel" }),
  ],
  // the cavalier of the tarot pack: a rider's head beside that of a horse
  V: () => [
    s("path", { d: "M30 70c0-14 1-22 6-28l-1-6 5 3c5 1 8 5 10 11l3 6-5 4-6-3c-2 4-2 8-1 13z", class: "horse ink" }),
    s("path", { d: "M39.500 45.500h.1", class: "pearl" }),
    s("g", { transform: "translate(11 -2)" }, ...head(), s("path", { d: "M37 39c0-12 26-12 26 0-8-2.500-18-2.500-26 0z", class: "robe ink" }), s("path", { d: "M50 30c-1-6-6-9-10-8 1 4 5 7 10 8z", class: "gold ink" })),
  ],
};

function courtHalf(kind, suit) {
  return [
    s("path", { d: "M29 70V66c4-6 12-9 21-9s17 3 21 9v4z", class: "robe" }),
    s("path", { d: "M44 58.500 50 70l6-11.500-6 3z", class: "gold" }),
    s("path", { d: "M29 66c4-6 10-8 15-8.200L40 70M71 66c-4-6-10-8-15-8.200L60 70", class: "trim" }),
    ...FIGURES[kind](),
    pip(suit, 35.5, 25, 13),
  ];
}

function court(kind, suit) {
  return [
    s("rect", { x: 27, y: 14, width: 46, height: 112, rx: 3, class: "court-ground" }),
    s("g", { class: `court court-${suit}` }, s("g", {}, ...courtHalf(kind, suit)), s("g", { transform: "rotate(180 50 70)" }, ...courtHalf(kind, suit))),
    s("path", { d: "M27 70h46", class: "court-belt" }),
    s("rect", { x: 27, y: 14, width: 46, height: 112, rx: 3, class: "court-frame" }),
  ];
}

function pips(card) {
  const [rank, suit] = card;
  const size = rank === "A" ? 42 : 18.5;
  const places = PIPS[rank].map(([x, y]) => pip(suit, x, y, size, y > 71));
  return rank === "9" ? [s("rect", { x: 5, y: 5, width: 90, height: 130, rx: 6, class: "nine-ring" }), ...places] : places;
}

function jester(label) {
  const half = () => [
    s("path", { d: "M32 48C26 34 30 24 38 22c4 6 6 10 7 16 1-8 3-14 8-19 6 6 8 12 7 20 3-6 6-9 11-11 5 7 3 15-4 22-10-4-25-5-35-2z", class: "robe ink" }),
    s("path", { d: "M38 21.500h.1M53 18.500h.1M71 27.500h.1", class: "bell" }),
    s("path", { d: "M38 49c0 12 5 18 12 18s12-6 12-18c-8-2-16-2-24 0z", class: "skin ink" }),
    s("path", { d: "M45 54h2M54 54h2M46 60c2.500 2 6 2 8 0", class: "line" }),
  ];
  return [
    s("g", { class: "court court-X" }, s("g", {}, ...half()), s("g", { transform: "rotate(180 50 70)" }, ...half())),
    s("text", { x: 12, y: 20, class: "index ink-text", "font-size": 15, "text-anchor": "middle" }, label),
    s("g", { transform: "rotate(180 50 70)" }, s("text", { x: 12, y: 20, class: "index ink-text", "font-size": 15, "text-anchor": "middle" }, label)),
  ];
}

function trump() {
  return [
    s("rect", { x: 22, y: 14, width: 56, height: 112, rx: 4, class: "trump-frame" }),
    s("path", { d: "M50 36 58 60 83 60 63 75 70 99 50 85 30 99 37 75 17 60 42 60Z", transform: "translate(50 70) scale(.62) translate(-50 -69)", class: "trump-star" }),
    s("text", { x: 50, y: 34, class: "index ink-text", "font-size": 20, "text-anchor": "middle" }, "1"),
    s("g", { transform: "rotate(180 50 70)" }, s("text", { x: 50, y: 34, class: "index ink-text", "font-size": 20, "text-anchor": "middle" }, "1")),
    ...corner("1", null, "ink-text"),
  ];
}

// ---- the numbered skin of Nine: value in large figures; the darker and warmer the band, the more the card costs

const NUMBER_HUES = ["#0f766e", "#12766f", "#177270", "#1f6c73", "#296578", "#345d7c", "#42547e", "#514a7e", "#61417a", "#713a72", "#803466", "#8c3058", "#942e4a", "#98303c"];

function numbered(value, suit) {
  const colour = NUMBER_HUES[value];
  const label = String(value);
  const index = () => s("text", { x: 15, y: 25, class: "index", "font-size": label.length > 1 ? 20 : 26, "text-anchor": "middle", textLength: label.length > 1 ? 20 : null, lengthAdjust: label.length > 1 ? "spacingAndGlyphs" : null, style: { fill: colour } }, label);
  return [
    s("circle", { cx: 50, cy: 70, r: 30, style: { fill: colour } }),
    s("circle", { cx: 50, cy: 70, r: 33.5, class: "number-ring", style: { stroke: colour } }),
    s("text", { x: 50, y: label.length > 1 ? 83.5 : 86, class: "number", "font-size": label.length > 1 ? 38 : 46, "text-anchor": "middle" }, label),
    value === 6 || value === 9 ? s("path", { d: "M40 93h20", class: "number-bar" }) : null,
    s("path", { d: "M33 16h34M33 124h34", class: "number-line", style: { stroke: colour } }),
    ...[0, 180].map((turn) => s("g", { transform: `rotate(${turn} 50 70)` }, index(), suit ? s("path", { d: SUITS[suit], transform: "translate(15 37) scale(.12) translate(-50 -50)", class: "number-suit" }) : null)),
  ];
}

function backFace() {
  const lines = [];
  // a lattice cut to the inner frame by arithmetic: clip paths and patterns by url() are unreliable inside a shadow root
  const [x0, y0, x1, y1] = [9, 9, 91, 131];
  for (let c = x0 - y1; c <= x1 - y0; c += 10.25) {
    const top = Math.max(y0, x0 - c), bottom = Math.min(y1, x1 - c);
    if (bottom > top) lines.push(`M${top + c} ${top}L${bottom + c} ${bottom}`, `M${100 - top - c} ${top}L${100 - bottom - c} ${bottom}`);
  }
  return [
    s("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "back-edge" }),
    s("rect", { x: 6, y: 6, width: 88, height: 128, rx: 6, class: "back-ground" }),
    s("path", { d: lines.join(""), class: "back-lattice" }),
    s("rect", { x: 9, y: 9, width: 82, height: 122, rx: 4, class: "back-frame" }),
    s("circle", { cx: 50, cy: 70, r: 21, class: "back-seal" }),
    s("path", { d: "M50 54a10.500 10.500 0 1 0 5.500 19.400c-.8 4-3.600 7-8.500 8.600l1.500 4c9-2.600 12.500-9.500 12.500-21A10.800 10.800 0 0 0 50 54zm0 4.600a6 6 0 1 1 0 12 6 6 0 0 1 0-12z", class: "back-nine", transform: "translate(-.2 0)" }),
  ];
}

function drawFace(card, pack) {
  const face = pack.face(card);
  if (pack.numbered) return [paper(), ...numbered(Number(face.corner), face.suit)];
  if (face.kind === "joker" || face.kind === "excuse") return [paper(), ...jester(face.corner === "*" ? "★" : face.corner)];
  if (face.kind === "trump") return [paper(), ...trump()];
  // the tarot's three courts stand for the values of jack, queen and king; its middle one rides
  const figure = { J: "J", Q: face.corner === "C" ? "V" : "Q", K: face.corner === "D" ? "Q" : "K" }[card[0]];
  return [paper(), ...(face.kind === "court" ? court(figure, face.suit) : pips(card)), ...corner(face.corner, face.suit, `index-${face.suit}`)];
}

/** Makes card elements for one viewer; `sheet` is the hidden SVG that holds the symbols and must be in the same tree. */
export class CardMaker {
  constructor(pack) {
    this.pack = pack;
    this.sheet = s("svg", { class: "card-sheet", "aria-hidden": "true", width: 0, height: 0 });
    this.known = new Set();
  }

  symbol(name, draw) {
    const id = `nf-card-${name}`;
    if (!this.known.has(name)) {
      this.known.add(name);
      this.sheet.append(s("symbol", { id, viewBox: "0 0 100 140" }, ...draw()));
    }
    return `#${id}`;
  }

  /** A face. `data-card` carries its code: tests read the table from it. */
  card(code, extra = "") {
    const href = this.symbol(code, () => drawFace(code, this.pack));
    return s("svg", { viewBox: "0 0 100 140", class: `card ${extra}`, "data-card": code, role: "img", "aria-label": this.pack.name(code) }, s("use", { href }));
  }

  /** A back: no attribute says which card it is, because the page does not know. */
  back(extra = "") {
    return s("svg", { viewBox: "0 0 100 140", class: `card back ${extra}`, "aria-hidden": "true" }, s("use", { href: this.symbol("back", backFace) }));
  }
}
