"""One sitting at the table: dials the seat's socket, and calls the bot for what comes along the stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import grpc

from botkit import mistakes, wire
from botkit.actions import Action
from botkit.bot import Bot
from botkit.events import Event
from botkit.views import View
from protos.ninefold.v1 import table_pb2

PLAY = "/ninefold.v1.Table/Play"
WELCOME_WITHIN_S = 30.0
CHANNEL_OPTIONS = (
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.service_config_disable_resolution", 1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 500),
)


class TableLost(Exception):
    """The referee went away, or never came; no fault of the bot's."""


class Session:
    """Calls the hooks of one bot, in the order in which the messages of one sitting come."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.decoder = wire.Decoder("nines")
        self.round = 0
        self.playoff = False
        self.decision = 0
        self.view: View | None = None
        self.legal: Sequence[Action] = ()
        self.hook = ""
        """Which of the bot's methods was called last."""

    async def play(self, address: str, client: str) -> str:
        """The sitting has been played to its Goodbye; returns its reason. `TableLost` if the stream ends before."""
        async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
            # Without serialisers: messages pass as bytes, and are parsed no further than they must be.
            call: Any = channel.stream_stream(PLAY)(wait_for_ready=True)  # type: ignore[call-arg]
            try:
                await call.write(table_pb2.FromBot(hello=table_pb2.Hello(client=client)).SerializeToString())
                data = await asyncio.wait_for(call.read(), WELCOME_WITHIN_S)
                while data is not grpc.aio.EOF:  # type: ignore[attr-defined]
                    if data[:1] == wire.TURN:
                        await call.write(self.answer(self.decoder.turn(data)))
                    else:
                        message = table_pb2.ToBot.FromString(data)
                        if message.HasField("goodbye"):
                            await call.done_writing()
                            return str(message.goodbye.reason)
                        self.take(message)
                    data = await call.read()
            except grpc.aio.AioRpcError as error:
                raise TableLost(f"{error.code().name}: {error.details()}") from None
            except asyncio.InvalidStateError:
                raise TableLost(str(await call.details())) from None
            except TimeoutError:
                raise TableLost(f"no Welcome came within {WELCOME_WITHIN_S:.0f} s at {address}") from None
            raise TableLost(f"the stream ended without a Goodbye ({await call.details() or 'no reason given'})")

    def take(self, message: table_pb2.ToBot) -> None:
        """The bot has been told what needs no answer."""
        which = message.WhichOneof("message")
        if which == "round_start":
            self.view, self.legal = None, ()
            self.round, self.playoff = message.round_start.round, message.round_start.playoff
            self.bot.start = self.decoder.round_start(message.round_start)
            self.bot.events = []
            self.hook = "round_start"
            self.bot.round_start(self.bot.start)
        elif which == "round_end":
            self.observe(self.decoder.events(message.round_end.events))
            self.view, self.legal = None, ()
            self.hook = "round_end"
            self.bot.round_end(wire.round_end(message.round_end))
        elif which == "match_start":
            self.begin(message.match_start)
        elif which == "match_end":
            self.round, self.hook = 0, "match_end"
            self.bot.match_end(wire.match_end(message.match_end))

    def begin(self, start: table_pb2.MatchStart) -> None:
        """The bot knows the match's rules, its seat and its seed."""
        rules = {name: json.loads(value) for name, value in start.rules.items()}
        hard_nines = bool(rules.get("hard_nines"))
        if (self.decoder.game, self.decoder.hard_nines) != (start.game, hard_nines):
            self.decoder = wire.Decoder(start.game, hard_nines)
        self.decision, self.round = 0, 0
        self.bot._begin_match(
            game=start.game,
            rules=rules,
            profile=start.profile,
            seat=start.seat,
            players=start.players,
            match=start.match,
            commitment=start.commitment,
            bot_seed=start.bot_seed,
        )
        clock = start.clock
        left_ms = (clock.left_ms or float(clock.bank_ms)) if start.HasField("clock") else None
        self.bot._set_clock(left_ms, wall=clock.charged_as == "wall")
        self.hook = "match_start"
        self.bot.match_start()

    def observe(self, events: Sequence[Event]) -> None:
        """The bot was shown the events one by one."""
        bot = self.bot
        if type(bot).observe is Bot.observe and "observe" not in bot.__dict__:
            bot.events.extend(events)  # type: ignore[attr-defined]
            return
        self.hook = "observe"
        for event in events:
            bot.events.append(event)  # type: ignore[attr-defined]
            bot.observe(event)

    def answer(self, turn: wire.Turn) -> bytes:
        """What the bot chose, as an index where it is legal, as the action it returned where it is not."""
        bot, legal = self.bot, turn.legal
        bot._ask_clock(turn.clock)
        self.decision, self.view, self.legal = turn.decision, turn.view, legal
        self.observe(turn.events)
        self.hook = "act"
        chosen = bot.act(turn.view, legal)
        mistakes.check_note(bot)
        index, note = _index(chosen, legal), bot._take_note()
        if index is not None and not note:
            return wire.choose(turn.decision, index)
        choice = table_pb2.Choice(decision=turn.decision, note=note)
        if index is not None:
            choice.index = index
        elif isinstance(chosen, Action):
            self.send_anyway(choice, chosen)
        elif isinstance(chosen, int) and not isinstance(chosen, bool):
            mistakes.say(mistakes.not_legal(chosen, turn.decision, legal, bot.act))
            try:
                choice.index = chosen
            except ValueError:
                raise mistakes.wrong_return(chosen, turn.decision, legal, bot.act) from None
        else:
            raise mistakes.wrong_return(chosen, turn.decision, legal, bot.act)
        return table_pb2.FromBot(choice=choice).SerializeToString()

    def send_anyway(self, choice: table_pb2.Choice, action: Action) -> None:
        """The choice carries an action that is not in the list: the same cards in another order are fine."""
        same = {(legal.do, tuple(sorted(legal.cards)), legal.suit) for legal in self.legal}
        try:
            known = (action.do, tuple(sorted(action.cards)), action.suit) in same
            choice.action.CopyFrom(wire.encode(self.bot.game, action))
        except TypeError:
            raise mistakes.wrong_return(action, choice.decision, self.legal, self.bot.act) from None
        if not known:
            mistakes.say(mistakes.not_legal(action, choice.decision, self.legal, self.bot.act))

    def moment(self) -> str:
        """Where the sitting stands, for the log of a failure; what was seen and legal only if the bot was choosing."""
        if not self.bot.match:
            return ""
        text = f"this was match {self.bot.match}, seat {self.bot.seat} of {self.bot.players}"
        if self.round:
            text += f", {'playoff' if self.playoff else 'round'} {self.round}"
        if self.hook != "act":
            return f"{text}, in {self.hook}"
        if self.view is not None:
            text += f", decision {self.decision}\nbotkit: view: {json.dumps(self.view.to_json())}"
            text += f"\nbotkit: legal: {mistakes.listed(self.legal)}"
        return text


def _index(chosen: object, legal: Sequence[Action]) -> int | None:
    """The index of what `act` returned; None if it is not legal, or no action at all."""
    if isinstance(chosen, Action):
        for index, action in enumerate(legal):
            if action is chosen:
                return index
        return legal.index(chosen) if chosen in legal else None
    if isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(legal):
        return int(chosen)
    return None
