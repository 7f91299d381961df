"""Calls as soon as it may; until then it keeps its hand as low as it can."""

from botkit import Bot, nine_total, run


class Caller(Bot):
    def act(self, view, legal):
        calls = [a for a in legal if a.do == "call" and nine_total(view.hand) <= 9]
        if calls:
            return calls[0]
        if view.phase == "draw":
            wanted = "take_discard" if self.total_after(view.hand, view.top) < nine_total(view.hand) else "draw_pile"
            return next((a for a in legal if a.do == wanted), legal[-1])
        return max(legal, key=lambda a: a.penalty_shed)

    def total_after(self, hand, card):
        """The total left after taking a card and discarding the best group of equal values."""
        held = [*hand, card]
        return nine_total(held) - max(sum(c.value for c in held if c.value == value) for value in range(14))


run(Caller())
