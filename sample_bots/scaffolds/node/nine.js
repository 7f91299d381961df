// {{name}}: plays Nine. Start here: decide better when to call, and what to take.
const { Bot, run, value } = require("ninefold");

class MyBot extends Bot {
  act(view, legal) {
    const choice = (verb) => legal.find((action) => action.do === verb);
    if (view.phase === "discard") {
      return legal.reduce((best, action) => (action.penalty_shed > best.penalty_shed ? action : best));
    }
    if (choice("call") && this.penalty(view.hand) <= Math.min(9, 2 * Math.min(...view.hand_sizes))) return choice("call");
    const top = value(view.top);
    const paired = top > 4 && view.hand.some((card) => value(card) === top);
    if ((top <= 2 || paired) && choice("take_discard")) return choice("take_discard");
    return choice("draw_pile") || legal.at(-1);
  }
}

run(new MyBot());
