"""A table server small enough to read: plays one script against whoever dials, so botkit can be tested alone."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from protos.ninefold.v1 import games_pb2, table_pb2
from protos.ninefold.v1.table_pb2_grpc import TableServicer, add_TableServicer_to_server

ROOT = Path(__file__).resolve().parents[2]
SEED = bytes(range(32))


class Gone(Exception):
    """The bot ended its stream."""


@dataclass
class Seat:
    """The referee's end of one seat's stream."""

    requests: object
    context: grpc.aio.ServicerContext
    decisions: int = 0
    answers: list[table_pb2.Choice] = field(default_factory=list)

    async def receive(self) -> table_pb2.FromBot:
        message = await self.context.read()
        if message is grpc.aio.EOF:
            raise Gone
        return message

    async def send(self, **message: object) -> None:
        await self.context.write(table_pb2.ToBot(**message))

    async def welcome(self) -> str:
        hello = (await self.receive()).hello
        await self.send(welcome=table_pb2.Welcome(protocol=1, max_message_bytes=65536, note_characters=200))
        return hello.client

    async def match_start(
        self, game: str, rules: Mapping[str, str], seat: int = 0, players: int = 2, match: int = 1, clock: bool = True
    ) -> None:
        start = table_pb2.MatchStart(
            game=game,
            rules=rules,
            seat=seat,
            players=players,
            match=match,
            bot_seed=SEED,
            commitment="00" * 32,
            profile=f"{game}/x",
        )
        if clock:
            start.clock.CopyFrom(table_pb2.Clock(bank_ms=10_000, increment_ms=100, left_ms=10_000, charged_as="cpu"))
        self.decisions = 0
        await self.send(match_start=start)

    async def ask(
        self, view: games_pb2.View, legal: Sequence[games_pb2.Action], events: Sequence[games_pb2.Event] = ()
    ) -> table_pb2.Choice:
        self.decisions += 1
        clock = table_pb2.Clock(bank_ms=10_000, increment_ms=100, left_ms=9_000, charged_ms=1, charged_as="cpu")
        await self.send(
            turn=table_pb2.Turn(decision=self.decisions, view=view, legal=legal, events=events, clock=clock)
        )
        choice = (await self.receive()).choice
        self.answers.append(choice)
        return choice

    async def goodbye(self, reason: str = "done") -> None:
        await self.send(goodbye=table_pb2.Goodbye(reason=reason))


Script = Callable[[Seat], Awaitable[None]]


class FakeTable(TableServicer):
    """Plays its script once, on the first stream."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def Play(self, requests: object, context: grpc.aio.ServicerContext) -> None:
        seat = Seat(requests, context)
        try:
            await self.script(seat)
        except Gone:
            pass
        except Exception as error:
            if not self.done.done():
                self.done.set_exception(error)
            return
        if not self.done.done():
            self.done.set_result(None)


@dataclass
class Played:
    """What a bot process left behind."""

    code: int
    out: str
    err: str


def environment(socket: Path, **more: str) -> dict[str, str]:
    """What a bot's process is started with."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "sample_bots")])
    return {**os.environ, "PYTHONPATH": path, "NINEFOLD_SOCKET": f"unix:{socket}", **more}


async def sit(script: Script, command: Sequence[str], socket: Path, timeout_s: float = 60.0, **more: str) -> Played:
    """The command played the script to its end (or left before); what it printed and its exit code."""
    server = grpc.aio.server()
    table = FakeTable(script)
    add_TableServicer_to_server(table, server)
    server.add_insecure_port(f"unix:{socket}")
    await server.start()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=environment(socket, **more))
    try:
        out, err = await asyncio.wait_for(process.communicate(), timeout_s)
    except TimeoutError:
        process.kill()
        raise
    finally:
        await server.stop(0.1)
    if table.done.done():
        table.done.result()
    return Played(process.returncode if process.returncode is not None else -1, out.decode(), err.decode())


def play(script: Script, bot: str | Path | Sequence[str], tmp_path: Path, **more: str) -> Played:
    """`sit` for a test that is no coroutine: `bot` is a script's text, its path, or a whole command."""
    if isinstance(bot, str):
        path = tmp_path / "bot.py"
        path.write_text(bot)
        bot = path
    command = [sys.executable, str(bot)] if isinstance(bot, Path) else list(bot)
    return asyncio.run(sit(script, command, tmp_path / "s", **more))


# ------------------------------------------------------------------ one small position of each game

NINES_RULES = {"decks": "1", "draw": '"one"', "hard_nines": "false", "cutoff": "100"}


def nines_view(**changes: object) -> games_pb2.View:
    """Seat 0 of two holds 9S AC QH on an upcard 7H."""
    fields: dict[str, object] = {
        "seat": 0, "hand": ["AC", "QH", "9S"], "upcard": "7H", "active_suit": "H", "discards": [games_pb2.Discard(card="7H", suit="")],
        "hand_sizes": [3, 3], "stock_size": 45, "direction": 1, "dealer": 1, "scores": [0, 0], "round": 1, "players": [0, 1],
        "phase": "turn",
    }  # fmt: skip
    return games_pb2.View(nines=games_pb2.NinesView(**(fields | changes)))


def nines_action(do: str, *cards: str, suit: str = "") -> games_pb2.Action:
    return games_pb2.Action(nines=games_pb2.NinesAction(do=do, cards=cards, suit=suit))


NINES_LEGAL = [nines_action("play", "QH"), *(nines_action("play", "9S", suit=suit) for suit in "CDHS")]


async def nines_start(seat: Seat, rules: Mapping[str, str] = NINES_RULES, **match: object) -> None:
    """The stream stands before the first decision of a match of Nines."""
    await seat.welcome()
    await seat.match_start("nines", rules, **match)
    await nines_deal(seat)


async def nines_deal(seat: Seat, number: int = 1) -> None:
    await seat.send(
        round_start=table_pb2.RoundStart(
            round=number, dealer=1, players=[0, 1], hand=["9S", "AC", "QH"], upcard="7H", scores=[0, 0]
        )
    )
