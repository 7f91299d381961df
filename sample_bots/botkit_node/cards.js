// Cards are their codes, "9S" or "X1"; here is what a code is worth.
"use strict";

const RANKS = "A23456789TJQK";
const SUITS = "CDHS";

/** Value of a card in Nine, 0 to 13 (K1.1). */
function value(card) {
  return RANKS.indexOf(card[0]) + 1;
}

/** What the cards cost at the end of a round: Nines N5.1 (a nine 25 with hard_nines, N6.4), Nine K3.1. */
function penalty(cards, game, rules = {}) {
  let sum = 0;
  for (const card of cards) {
    if (game === "nine") sum += value(card);
    else if (card[0] === "9") sum += rules.hard_nines ? 25 : 15;
    else sum += Math.min(value(card), 10);
  }
  return sum;
}

module.exports = { RANKS, SUITS, value, penalty };
