// A card that was just played or drawn flies to its place: shows at a glance who did it. Not for those who asked for less motion.

/** Animates the cards of step n, which the table already shows, from where they came. */
export function flyCards(table, match, n, who, duration) {
  if (window.matchMedia?.("(prefers-reduced-motion: reduce)").matches) return;
  const step = match.steps[n];
  const root = table.element;
  const seat = root.querySelector(`[data-seat="${step.seat}"] .hand`);
  if (!seat || typeof seat.animate !== "function") return;
  const top = root.querySelector(".discard .top .card");
  const moves = [];
  if (step.do === "play" || step.do === "discard") moves.push([top, seat]);
  else if (step.do === "draw" || step.do === "forced_draw" || step.do === "draw_pile" || step.do === "take_discard") {
    const source = root.querySelector(step.do === "take_discard" ? ".discard" : ".stock");
    const fresh = [...seat.querySelectorAll(".fresh")];
    const cards = fresh.length ? fresh : [...seat.querySelectorAll(".card")].slice(-(step.count ?? 1));
    for (const card of cards) moves.push([card, source]);
  }
  for (const [card, source] of moves) {
    if (!card || !source) continue;
    const from = source.getBoundingClientRect();
    const to = card.getBoundingClientRect();
    const dx = from.left + from.width / 2 - to.left - to.width / 2;
    const dy = from.top + from.height / 2 - to.top - to.height / 2;
    card.animate([{ transform: `translate(${dx}px, ${dy}px) scale(.82)`, zIndex: 5 }, { transform: "none", zIndex: 5 }], { duration: Math.min(320, duration), easing: "cubic-bezier(.2,.7,.2,1)" });
  }
}
