"""{{name}}: plays Nine. Start here: decide better when to call, and what to take."""

from botkit import Bot, nine_total, run


class MyBot(Bot):
    def act(self, view, legal):
        choices = {action.do: action for action in legal}
        if view.phase == "discard":
            return max(legal, key=lambda action: action.penalty_shed)
        if "call" in choices and nine_total(view.hand) <= min(9, 2 * min(view.hand_sizes)):
            return choices["call"]
        if "take_discard" in choices and view.top.value <= 2:
            return choices["take_discard"]  # a low card, or one of a value held: it leaves with its like
        if any(card.value == view.top.value and card.value > 4 for card in view.hand):
            return choices.get("take_discard", legal[0])
        return choices.get("draw_pile", legal[-1])


if __name__ == "__main__":
    run(MyBot())
