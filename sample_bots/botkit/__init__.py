"""botkit: what a contestant imports. `class MyBot(Bot)` with `act(view, legal)`, then `run(MyBot())`.

It needs grpcio and protobuf only, and nothing of the referee.
"""

from botkit.actions import Action
from botkit.bot import Bot
from botkit.cards import CARDS, RANKS, SUITS, Card, nine_total, nines_penalty, pack
from botkit.events import Event, MatchEnd, RoundEnd, RoundStart
from botkit.running import __version__, run
from botkit.views import Discard, NinesView, NineView, Taken, View

__all__ = [
    "CARDS",
    "RANKS",
    "SUITS",
    "Action",
    "Bot",
    "Card",
    "Discard",
    "Event",
    "MatchEnd",
    "NineView",
    "NinesView",
    "RoundEnd",
    "RoundStart",
    "Taken",
    "View",
    "__version__",
    "nine_total",
    "nines_penalty",
    "pack",
    "run",
]
