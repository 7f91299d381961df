"""Sheds the most penalty it can, whatever comes next."""

from botkit import Bot, run


class Greedy(Bot):
    def act(self, view, legal):
        return max(legal, key=lambda a: a.penalty_shed)


run(Greedy())
