"""One sitting at the table: dials the seat's socket, and calls the bot for what comes along the stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import grpc

from botkit import mistakes, wire
from botkit.actions import Action
from botkit.bot import Bot
from botkit.views import View
from protos.ninefold.v1 import table_pb2
from protos.ninefold.v1.table_pb2_grpc import TableStub

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

    async def play(self, address: str, client: str) -> str:
        """The sitting has been played to its Goodbye; returns its reason. `TableLost` if the stream ends before."""
        async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
            call = TableStub(channel).Play(wait_for_ready=True)  # type: ignore[no-untyped-call]
            try:
                await call.write(table_pb2.FromBot(hello=table_pb2.Hello(client=client)))
                message = await asyncio.wait_for(call.read(), WELCOME_WITHIN_S)
                while message is not grpc.aio.EOF:  # type: ignore[attr-defined]
                    if message.WhichOneof("message") == "goodbye":
                        await call.done_writing()
                        return str(message.goodbye.reason)
                    choice = self.take(message)
                    if choice is not None:
                        await call.write(table_pb2.FromBot(choice=choice))
                    message = await call.read()
            except grpc.aio.AioRpcError as error:
                raise TableLost(f"{error.code().name}: {error.details()}") from None
            except asyncio.InvalidStateError:
                raise TableLost(str(await call.details())) from None
            except TimeoutError:
                raise TableLost(f"no Welcome came within {WELCOME_WITHIN_S:.0f} s at {address}") from None
            raise TableLost(f"the stream ended without a Goodbye ({await call.details() or 'no reason given'})")

    def take(self, message: table_pb2.ToBot) -> table_pb2.Choice | None:
        """The bot has been told; the answer, where one is asked for."""
        which = message.WhichOneof("message")
        if which == "turn":
            return self.answer(message.turn)
        if which == "round_start":
            self.view, self.legal = None, ()
            self.round, self.playoff = message.round_start.round, message.round_start.playoff
            self.bot.start = self.decoder.round_start(message.round_start)
            self.bot.events = []
            self.bot.round_start(self.bot.start)
        elif which == "round_end":
            self.observe(message.round_end.events)
            self.view, self.legal = None, ()
            self.bot.round_end(wire.round_end(message.round_end))
        elif which == "match_start":
            self.begin(message.match_start)
        elif which == "match_end":
            self.round = 0
            self.bot.match_end(wire.match_end(message.match_end))
        return None

    def begin(self, start: table_pb2.MatchStart) -> None:
        """The bot knows the match's rules, its seat and its seed."""
        rules = {name: json.loads(value) for name, value in start.rules.items()}
        self.decoder = wire.Decoder(start.game, bool(rules.get("hard_nines")))
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
        self.clock(start)
        self.bot.match_start()

    def clock(self, message: table_pb2.Turn | table_pb2.MatchStart) -> None:
        """`time_left` counts from what the referee says is left."""
        if not message.HasField("clock"):
            self.bot._set_clock(None, wall=False)
        elif isinstance(message, table_pb2.MatchStart) and not message.clock.left_ms:
            self.bot._set_clock(float(message.clock.bank_ms), wall=message.clock.charged_as == "wall")
        else:
            self.bot._set_clock(message.clock.left_ms, wall=message.clock.charged_as == "wall")

    def observe(self, events: Sequence[object]) -> None:
        """The bot was shown the events one by one."""
        bot = self.bot
        hook = None if type(bot).observe is Bot.observe and "observe" not in bot.__dict__ else bot.observe
        for event in self.decoder.events(events):  # type: ignore[arg-type]
            bot.events.append(event)  # type: ignore[attr-defined]
            if hook is not None:
                hook(event)

    def answer(self, turn: table_pb2.Turn) -> table_pb2.Choice:
        """What the bot chose, as an index where it is legal, as the action it returned where it is not."""
        self.clock(turn)
        self.decision = turn.decision
        self.view, self.legal = self.decoder.view(turn.view), self.decoder.legal(turn.legal)
        self.observe(turn.events)
        chosen = self.bot.act(self.view, self.legal)
        mistakes.check_note(self.bot)
        choice = table_pb2.Choice(decision=turn.decision, note=self.bot._take_note())
        if isinstance(chosen, Action):
            try:
                choice.index = self.legal.index(chosen)
            except ValueError:
                self.send_anyway(choice, chosen)
        elif isinstance(chosen, int) and not isinstance(chosen, bool):
            if not 0 <= chosen < len(self.legal):
                mistakes.say(mistakes.not_legal(chosen, turn.decision, self.legal, self.bot.act))
            try:
                choice.index = chosen
            except ValueError:
                raise mistakes.wrong_return(chosen, turn.decision, self.legal, self.bot.act) from None
        else:
            raise mistakes.wrong_return(chosen, turn.decision, self.legal, self.bot.act)
        return choice

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
        """Where the sitting stands, for the log of a failure."""
        if not self.bot.match:
            return ""
        text = f"this was match {self.bot.match}, seat {self.bot.seat} of {self.bot.players}"
        if self.round:
            text += f", {'playoff' if self.playoff else 'round'} {self.round}"
        if self.view is not None:
            text += f", decision {self.decision}\nbotkit: view: {json.dumps(self.view.to_json())}"
            text += f"\nbotkit: legal: {mistakes.listed(self.legal)}"
        return text
