"""Plays as the harmless bot does, after 20 ms of work a decision: the opponent whose processor time is compared."""

from botkit import Bot, run


class Working(Bot):
    def act(self, view, legal):
        total = 0
        for number in range(150_000):
            total += number * number
        return legal[0]


run(Working())
