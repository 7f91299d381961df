"""Calls only when nobody else is likely to be as low: weighs the others' hand sizes and the cards they took."""

from botkit import Bot, nine_total, run


class Cautious(Bot):
    def act(self, view, legal):
        choices = {action.do: action for action in legal}
        mine = nine_total(view.hand)
        if view.phase == "discard":
            return max(legal, key=lambda a: a.penalty_shed)
        rivals = [
            s for s in range(self.players) if s != self.seat and not (view.teams and (s - self.seat) % view.teams == 0)
        ]
        if "call" in choices and mine <= 9 and mine < min(self.guess(view, seat) for seat in rivals) - 1:
            return choices["call"]
        held = [*view.hand, view.top]
        after = nine_total(held) - max(sum(c.value for c in held if c.value == value) for value in range(14))
        return choices["take_discard"] if after < mine or "draw_pile" not in choices else choices["draw_pile"]

    def guess(self, view, seat):
        """What that seat holds, more or less: the cards it took and kept, and low cards for the rest."""
        discarded = {d.card for d in view.discards if d.seat == seat}
        kept = [t.card for t in view.taken if t.seat == seat and t.card not in discarded]
        unknown = max(0, view.hand_sizes[seat] - len(kept))
        return nine_total(kept) + unknown * max(2.0, 6.0 - 0.6 * view.turns_taken[seat])


run(Cautious())
