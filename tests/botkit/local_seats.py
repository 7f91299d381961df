"""Bots played in this process, without protocol or clock: what `Session` does with messages, done with a `Match`."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import botkit
from botkit.actions import Action
from botkit.bot import Bot
from botkit.cards import CARDS, HARD_POINTS, POINTS, Card
from botkit.events import MatchEnd, RoundEnd
from botkit.views import Discard, NinesView, NineView, Taken

from referee.games import registry
from referee.games.base import Action as Chosen
from referee.games.match import Match
from tests.botkit.table_talk import event, round_start

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = {path.parent.name: path.parent for path in sorted((ROOT / "sample_bots").glob("*/*/bot.toml"))}


def load(folder: Path) -> Callable[[], Bot]:
    """The class of a Python bot's folder, as its script would hand it to `run`."""
    caught: list[Any] = []
    original, botkit.run = botkit.run, caught.append
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("__main__", folder / "bot.py")
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    finally:
        botkit.run = original
        sys.path.remove(str(folder))
    return caught[0] if isinstance(caught[0], type) else type(caught[0])


def view_of(game: str, view: Any) -> NinesView | NineView:
    """botkit's view of what the engine lets a seat see."""
    fields = view._asdict()
    fields["hand"] = tuple(CARDS[code] for code in view.hand)
    fields["drawn"] = CARDS.get(view.drawn)
    fields["discards"] = tuple(Discard(CARDS[d.card], d.seat, getattr(d, "suit", None) or None) for d in view.discards)
    if game == "nine":
        return NineView(
            **(fields | {"top": CARDS.get(view.top), "taken": tuple(Taken(t.seat, CARDS[t.card]) for t in view.taken)})
        )
    return NinesView(**(fields | {"upcard": CARDS[view.upcard]}))


class LocalTable:
    """One sitting of bots in this process."""

    def __init__(self, game: str, options: Mapping[str, Any], bots: Sequence[Bot]) -> None:
        self.game, self.bots = game, bots
        self.rules = registry.get(game).complete(options, len(bots))
        self.matches = 0
        hard = game == "nines" and self.rules["hard_nines"]
        self.points = (
            {code: card.value for code, card in CARDS.items()} if game == "nine" else HARD_POINTS if hard else POINTS
        )

    def play(self, seed: bytes) -> Match:
        """One whole match from that seed."""
        self.matches += 1
        match = Match(registry.get(self.game), self.rules, len(self.bots), seed)
        for seat, bot in enumerate(self.bots):
            own = hashlib.sha256(seed + f"seat/{seat}/bot".encode()).digest()
            bot._begin_match(
                game=self.game,
                rules=self.rules,
                profile="",
                seat=seat,
                players=len(self.bots),
                match=self.matches,
                commitment="",
                bot_seed=own,
            )
            bot._set_clock(None, wall=False)
            bot.match_start()
        dealt = None
        told = [0] * len(self.bots)
        while not match.finished:
            if match.dealt is not dealt:
                self.end_round(dealt, told)
                dealt, told = match.dealt, [0] * len(self.bots)
                for seat, bot in enumerate(self.bots):
                    bot.start, bot.events = round_start(dealt.round, seat, dealt.number, dealt.dealer, dealt.seats), []
                    bot.round_start(bot.start)
            seat = match.turn
            self.tell(dealt, seat, told)
            legal = [
                Action(a.do, tuple(map(Card, a.cards)), a.suit, sum(self.points[c] for c in a.cards))
                for a in match.legal()
            ]
            chosen = self.bots[seat].act(view_of(self.game, match.view(seat)), legal)
            action = legal[chosen] if isinstance(chosen, int) else chosen
            match.choose(match.resolve(Chosen(action.do, tuple(map(str, action.cards)), action.suit)))
        self.end_round(dealt, told)
        for bot in self.bots:
            bot.match_end(MatchEnd(tuple(match.places), tuple(match.totals), ()))
        return match

    def tell(self, dealt: Any, seat: int, told: list[int]) -> None:
        bot = self.bots[seat]
        for document in dealt.round.visible(seat, told[seat]):
            bot.events.append(event(document))
            bot.observe(bot.events[-1])
        told[seat] = dealt.round.event_count()

    def end_round(self, dealt: Any, told: list[int]) -> None:
        if dealt is None:
            return
        end = dealt.round.end
        for seat, bot in enumerate(self.bots):
            self.tell(dealt, seat, told)
            hands = tuple(tuple(map(Card, end.hands.get(s, ()))) for s in range(len(self.bots)))
            penalties = tuple(end.penalties.get(s, 0) for s in range(len(self.bots)))
            bot.round_end(RoundEnd(end.reason, end.by, hands, penalties, tuple(dealt.totals)))
