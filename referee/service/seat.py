"""A bot at a seat, as the driver sees it: a process or container behind a stream, and who is to blame when it fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from protos.ninefold.v1 import table_pb2
from referee.errors import BotFault, PlatformFault
from referee.games.base import Action
from referee.match.clock import FIRST_LOOK_MS, Overrun, Reading, StartClock
from referee.match.seat import (
    MAX_MESSAGE_BYTES,
    MAX_STALE_ANSWERS,
    NOTE_CHARACTERS,
    Answer,
    MatchEnd,
    MatchStart,
    RoundEnd,
    RoundStart,
    SeatLog,
    Turn,
    shortened,
)
from referee.sandbox.handle import ExitReport, Sandbox, SeatHandle, SeatLaunch
from referee.sandbox.limits import Limits
from referee.service import table_codec as codec
from referee.service.table import TableServer

EVIDENCE_S = 2.0
"""What a bot may use, of processor time or of idling, to end once its stream is lost: then how it ended counts."""
REPORT_S = 30.0
"""How long to wait for the report of an exit where the process is known to have ended."""
LOOK_S = 0.1
MEMORY_LOOK_S = 0.5
"""How often to ask whether the kernel killed a process of the seat that is not its main one."""
WHERE_S, WHERE_LOOK_S = 0.1, 0.005
"""How long a bot that is about to be killed has to print where it is, and how often to look whether it has."""
OF_BOTKIT = "botkit/"
"""How the Hello of a bot begins that prints where it is when asked."""
GOODBYE_S = 0.5
"""What a bot has after Goodbye to end by itself, so that its last words are kept."""


class RemoteSeat:
    """`SeatClient` over the table protocol. `folder` is new, empty and this seat's own."""

    def __init__(self, launch: SeatLaunch, sandbox: Sandbox, limits: Limits) -> None:
        self.seat = launch.seat
        self.answer: Answer | None = None
        self.failing = False
        self._launch, self._sandbox, self._limits = launch, sandbox, limits
        self._news: Callable[[], None] = _nobody
        self._server = TableServer(launch.folder, self)
        self._handle: SeatHandle | None = None
        self._greeted = asyncio.Event()  # also set by failing, so that the start notices
        self._fault: BotFault | PlatformFault | None = None
        self._exit: asyncio.Task[ExitReport] | None = None
        self._memory_look: asyncio.TimerHandle | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._hello = ""
        self._ending = False
        self._game = ""
        self._start: MatchStart | None = None
        self._issued = 0
        self._open = False
        self._usual = b""
        self._stale = 0

    # ---- what the driver asks for

    def listen(self, news: Callable[[], None]) -> None:
        self._news = news

    async def start(self) -> None:
        await self._server.open()
        self._handle = await self._sandbox.launch(self._launch)
        clock = StartClock(self.look(), self._limits.start_seconds * 1000)
        self._exit = asyncio.ensure_future(self._handle.wait())
        self._exit.add_done_callback(self._ended)
        while not self._greeted.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._greeted.wait(), FIRST_LOOK_MS / 1000)
            if self.failing:
                raise self._as_start(await self.verdict())
            if self._greeted.is_set():
                break
            verdict = clock.look(self.look())
            if isinstance(verdict, Overrun):
                detail = f"not ready within {verdict.limit_ms / 1000:g} s ({_START_CLOCKS[verdict.clock]})"
                raise BotFault(self.seat, "start", detail, "", verdict.ms, verdict.cpu_ms, verdict.limit_ms)
            if verdict is not None:
                raise PlatformFault("internal", f"seat {self.seat} did not start: {verdict}")
        self._look_at_memory()

    def reading(self) -> Reading:
        cpu = self._handle.cpu_ns() if self._handle is not None else None
        return Reading(time.monotonic() * 1000, None if cpu is None else cpu / 1e6)

    def look(self) -> Reading:
        handle = self._handle
        if handle is None:
            return self.reading()
        delayed = handle.stalled_ns() / 1e6
        return self.reading()._replace(delayed_ms=delayed, late_ms=handle.late_ns() / 1e6)

    def match_start(self, message: MatchStart) -> None:
        self._start, self._game, self._stale = message, message.game, 0
        self._server.send(codec.match_start(message))

    def round_start(self, message: RoundStart) -> None:
        self._server.send(codec.round_start(message))

    def ask(self, turn: Turn) -> None:
        start = self._start
        assert start is not None
        self._issued += 1
        self._open = True
        encoder = codec.encoder_of(start.game)
        self._server.send(encoder.turn(self._issued, turn, start.bank_ms, start.increment_ms, start.charged_as))
        self._usual = codec.indexed(self._issued)

    def withdraw(self) -> None:
        self._open = False
        self.answer = None

    def round_end(self, message: RoundEnd) -> None:
        self._server.send(codec.encoder_of(self._game).round_end(message))

    def match_end(self, message: MatchEnd) -> None:
        self._server.send(codec.match_end(message))

    def pause(self) -> None:
        if self._handle is not None:
            self._handle.freeze()

    def resume(self) -> None:
        if self._handle is not None:
            self._handle.thaw()

    def log(self) -> SeatLog:
        return SeatLog(*self._handle.take_log()) if self._handle is not None else SeatLog()

    async def tell_where(self) -> None:
        """A bot that owes an answer, or its Hello, has printed where it is, into its own log; 0.1 s at most.

        Only Python's are asked, once botkit has said Hello or before anyone has: others need not know the signal.

        A C function that loops is told as well: the signal's handler is none of Python's (`faulthandler`).
        """
        handle = self._handle
        knows = self._hello.startswith(OF_BOTKIT) if self._hello else self._launch.runtime == "python"
        if handle is None or not (self._open or not self._hello) or self.failing or not knows:
            return
        before = handle.printed
        if not handle.ask_where():
            return
        for _ in range(round(WHERE_S / WHERE_LOOK_S)):
            await asyncio.sleep(WHERE_LOOK_S)
            if handle.printed > before:
                await asyncio.sleep(WHERE_LOOK_S)  # it comes in several pieces
                return

    async def stop(self, reason: str) -> None:
        if self._stopping is None:
            self._stopping = asyncio.ensure_future(self._stop(reason))
        await asyncio.shield(self._stopping)

    # ---- what the stream tells

    def received(self, data: bytes) -> bool:
        """A message of the bot is judged; only the answer to the open decision is kept."""
        at = self.reading()
        if self._open and data[:-1] == self._usual and data[-1] < 0x80:  # the very bytes of an index, nothing else
            return self._answered(data[-1], "", at)
        if len(data) > MAX_MESSAGE_BYTES:
            return self._broke("protocol", f"a message over {MAX_MESSAGE_BYTES} bytes", f"{len(data)} bytes")
        try:
            message = codec.from_bot(data)
        except ValueError as error:
            return self._broke("malformed", str(error), shortened(data[:100]))
        which = message.WhichOneof("message")
        if which == "choice":
            return self._chosen(message.choice, at)
        if which != "hello":
            return self._broke("malformed", "a message that is neither Hello nor Choice", shortened(data[:100]))
        if self._hello:
            return self._broke("protocol", "a second Hello", shortened(message.hello.client))
        self._hello = message.hello.client[:NOTE_CHARACTERS] or "unknown"
        self._server.send(codec.welcome(self._limits))
        self._greeted.set()
        return True

    def violated(self, detail: str) -> None:
        self._broke("protocol", detail)

    def lost(self) -> None:
        self._fail()

    def _chosen(self, choice: table_pb2.Choice, at: Reading) -> bool:
        if choice.decision != self._issued or not self._open:
            return self._not_open(choice)
        try:
            pick = codec.pick(self._game, choice)
        except ValueError as error:
            return self._broke("malformed", "an answer that is no action", shortened(f"{error}: {choice}"))
        return self._answered(pick, choice.note, at)

    def _answered(self, pick: int | Action, note: str, at: Reading) -> bool:
        if self._handle is not None and self._handle.out_of_memory:
            self._fail()  # while it decided: this answer does not count any more
            return False
        self._open = False
        self.answer = Answer(pick, note, at)
        self._news()
        return True

    def _not_open(self, choice: table_pb2.Choice) -> bool:
        """An answer to an older decision is dropped and counted, one to a decision never issued is a fault."""
        if not 0 < choice.decision <= self._issued:
            return self._broke("protocol", "a decision id never issued", f"decision {choice.decision}")
        self._stale += 1
        if self._stale > MAX_STALE_ANSWERS:
            return self._broke("protocol", f"more than {MAX_STALE_ANSWERS} answers to decisions already answered")
        return True

    # ---- failing

    def _broke(self, kind: str, detail: str, sent: str = "") -> bool:
        if self._fault is None:
            self._fault = BotFault(self.seat, kind, detail, sent)
        self._fail()
        return False

    def _fail(self) -> None:
        if self._ending:
            return
        self.failing = True
        self._greeted.set()
        self._news()

    def _ended(self, exit_: asyncio.Task[ExitReport]) -> None:
        if not exit_.cancelled():
            exit_.exception()  # looked at by verdict()
            self._fail()

    def _look_at_memory(self) -> None:
        handle = self._handle
        if handle is None or self.failing or self._ending:
            return
        if handle.out_of_memory:
            self._fail()
        else:
            loop = asyncio.get_running_loop()
            self._memory_look = loop.call_later(MEMORY_LOOK_S, self._look_at_memory)

    async def verdict(self) -> BotFault:
        """Memory before all else, then what the bot sent, then how it ended; in doubt it was us."""
        if self._handle is not None and self._handle.out_of_memory and self._fault is None:
            self._fault = BotFault(self.seat, "memory", f"over {self._limits.memory_mib} MiB")
        if self._fault is None:
            self._fault = await self._judge_end()
        if isinstance(self._fault, PlatformFault):
            raise self._fault
        return self._fault

    async def _judge_end(self) -> BotFault | PlatformFault:
        assert self._exit is not None
        if not await self._has_ended():
            return BotFault(
                self.seat, "protocol", f"broke off its stream, or sent a message over {MAX_MESSAGE_BYTES} bytes"
            )
        await asyncio.wait([self._exit], timeout=REPORT_S)  # a busy engine is slow to say how
        if not self._exit.done():
            return PlatformFault("docker", f"seat {self.seat} has ended and the engine does not say how")
        try:
            report = self._exit.result()
        except PlatformFault as fault:
            return fault
        return judge_exit(self.seat, report, self._limits)

    async def _has_ended(self) -> bool:
        """Whether the bot ends, given the time that takes on a machine busy with others."""
        assert self._exit is not None
        clock = StartClock(self.look(), EVIDENCE_S * 1000)
        while not self._exit.done():
            if self._handle is not None and not self._handle.running:
                return True
            if clock.look(self.look()) is not None:
                return False
            await asyncio.wait([self._exit], timeout=LOOK_S)
        return True

    def _as_start(self, fault: BotFault) -> BotFault:
        """A bot that ends before its Hello has failed to start, however it ended; memory and protocol stay."""
        if fault.kind not in {"crash", "exit"}:
            return fault
        return BotFault(self.seat, "start", f"{fault.detail} before it was ready", fault.sent)

    # ---- the end

    async def _stop(self, reason: str) -> None:
        self._ending = True
        if self._memory_look is not None:
            self._memory_look.cancel()
        handle = self._handle
        try:
            if reason == "forfeit":
                await self.tell_where()
            if handle is not None and not self.failing and reason != "forfeit":
                handle.thaw()
                self._server.send(codec.goodbye(reason))
                if self._exit is not None:
                    await asyncio.wait([self._exit], timeout=GOODBYE_S)
        finally:
            if handle is not None:
                with suppress(PlatformFault):  # a void is noticed where it matters; here nothing more can be done
                    await handle.close()
            if self._exit is not None:
                self._exit.cancel()
            await self._server.close()


_START_CLOCKS = {"cpu": "processor time", "wall": "wall time", "idle": "idle time"}


def judge_exit(seat: int, report: ExitReport, limits: Limits) -> BotFault | PlatformFault:
    """Whose fault an end is: the bot's only on evidence from its own container."""
    if report.memory == "limit":
        return BotFault(seat, "memory", f"over {limits.memory_mib} MiB")
    if report.memory == "host":
        return PlatformFault("host_memory", f"seat {seat}: {report}")
    if report.outside:
        return PlatformFault("docker", f"seat {seat}: {report}")
    if report.ours or (report.code is None and report.signal is None):
        return PlatformFault("internal", f"seat {seat}: {report}")
    kind = "exit" if report.code == 0 and report.signal is None else "crash"
    return BotFault(seat, kind, str(report))


def _nobody() -> None:
    """Nobody listens before the first match."""


def open_seat(
    sandbox: Sandbox, limits: Limits, new_folder: Callable[[], Path], fixture: str, images: list[tuple[str, str]]
) -> Callable[[int], RemoteSeat]:
    """How the seats of one fixture are opened; `images` are image and runtime by seat."""

    def opened(seat: int) -> RemoteSeat:
        image, runtime = images[seat]
        return RemoteSeat(SeatLaunch(image, new_folder(), fixture, seat, runtime), sandbox, limits)

    return opened
