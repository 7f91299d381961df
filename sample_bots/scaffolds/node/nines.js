// {{name}}: plays Nines. Start here: change `worth` and see what wins more.
const { Bot, run } = require("ninefold");

class MyBot extends Bot {
  act(view, legal) {
    const length = { C: 0, D: 0, H: 0, S: 0 };
    for (const card of view.hand) if (card[0] !== "9") length[card[1]] += 1;
    const worth = (action) => {
      if (action.do === "keep" || action.do === "accept") return -5;
      if (action.do === "name_suit") return length[action.suit];
      const card = action.cards.at(-1);
      const saved = card[0] === "9" && view.hand.length > 3 ? 12 : 0; // a nine goes on anything: keep it while you can
      return action.penalty_shed + length[action.suit || card[1]] - saved;
    };
    return legal.reduce((best, action) => (worth(action) > worth(best) ? action : best));
  }
}

run(new MyBot());
