"""Plays any legal action, both games."""

from botkit import Bot, run


class Random(Bot):
    def act(self, view, legal):
        return self.rng.choice(legal)


run(Random())
