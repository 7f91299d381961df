"""Uses up more than its bank between MatchStart and its first turn."""

from _deed import spin
from botkit import Bot, run


class Early(Bot):
    def match_start(self):
        spin(1.5)

    def act(self, view, legal):
        return legal[0]


run(Early())
