"""Plays the first legal action: what every other bot here does, but for its deed."""

from botkit import Bot, run


class Harmless(Bot):
    def act(self, view, legal):
        return legal[0]


run(Harmless())
