"""`python -m botkit.stdio PROGRAM [ARGUMENT…]`: a bot in any language, over its stdin and stdout.

The launcher speaks gRPC with the table. Each message of the table is one line of JSON on the program's stdin:
protobuf's JSON mapping of `ToBot` under the field names of `table.proto`, such as
`{"turn": {"decision": 1, "view": …, "legal": […]}}`. Fields without a value are written too, except messages and fields
marked `optional`; `bytes` are base64.

After a `turn`, and only then, the program writes one line: a `Choice`, such as `{"index": 3}` (`legal` from 0), or
`{"action": {"nines": {"do": "play", "cards": ["QH"]}}, "note": "why"}`. `decision` may be left out. A line that is no
JSON object is kept as log. stderr is log too. The launcher ends with the program's exit code.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from botkit import mistakes
from botkit.running import SOCKET_VARIABLE, __version__, fewer_threads, socket_address

if TYPE_CHECKING:
    from protos.ninefold.v1 import table_pb2

MESSAGE_BYTES = 64 * 1024
END_WITHIN_S = 2.0
WRITTEN_CHARACTERS = 120
"""So much of an answer that picks nothing goes along with it."""


class ProgramEnded(Exception):
    """The program is gone; `code` is what the launcher ends with."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Launcher:
    """Carries one sitting's messages between a stream and a program."""

    def __init__(self, program: subprocess.Popen[bytes]) -> None:
        self.program = program
        self.decision = 0
        self.waiting = False
        self.told = False
        self.taken_as_log = b""
        """The program's last line since it was asked, if that was no answer."""

    async def connect(self) -> None:
        """The program's pipes can be read and written without blocking, and its end is noticed at once."""
        loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[int] = loop.create_future()
        loop.add_signal_handler(signal.SIGCHLD, self.look)
        loop.add_signal_handler(signal.SIGUSR1, self.tell_where)
        self.look()
        self.lines = asyncio.StreamReader(limit=MESSAGE_BYTES)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self.lines), self.program.stdout)
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, self.program.stdin)
        self.pipe = asyncio.StreamWriter(transport, protocol, None, loop)

    def look(self) -> None:
        """The program's exit code is known if it has ended."""
        code = self.program.poll()
        if code is not None and not self.ended.done():
            self.ended.set_result(code if code >= 0 else 128 - code)

    async def tell(self, message: table_pb2.ToBot) -> None:
        """The message stands on the program's stdin."""
        from google.protobuf.json_format import MessageToDict

        document = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
        if message.HasField("turn"):
            self.decision, self.waiting, self.taken_as_log = message.turn.decision, True, b""
        try:
            self.pipe.write(json.dumps(document, separators=(",", ":")).encode() + b"\n")
            await self.pipe.drain()
        except (BrokenPipeError, ConnectionResetError):
            return  # it closed its stdin or is ending; its exit, its answer or the clock says which

    async def reply(self) -> table_pb2.Choice:
        """The program's next answer; `ProgramEnded` if it ends instead. Other lines are log."""
        while True:
            line = await self.line()
            document = _object(line)
            if document is None:
                self.keep(line)
            elif not self.waiting and "decision" not in document:
                mistakes.say(f"the program answered without being asked: {mistakes.shorten(document)}")
            else:
                self.waiting = False
                return self.choice(document)

    async def line(self) -> bytes:
        """The next line of the program's stdout. A line too long for an answer is passed to the log piece by piece."""
        while True:
            try:
                return await self.lines.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                if error.partial:
                    return error.partial
                raise ProgramEnded(await self.ended) from None
            except asyncio.LimitOverrunError as error:
                piece = await self.lines.readexactly(max(error.consumed, 1))
                if piece.lstrip().startswith(b"{"):
                    mistakes.say(f"an answer is longer than {MESSAGE_BYTES} bytes: {mistakes.shorten(piece)}")
                    raise ProgramEnded(1) from None
                self.keep(piece)

    def keep(self, line: bytes) -> None:
        """The line stands in the log; the author is told once why it is there."""
        if not line.strip():
            return
        self.taken_as_log = line
        try:
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
        except OSError:
            return
        if not self.told:
            self.told = True
            mistakes.say(
                "the line above came on stdout and is no JSON object, so it is kept as log (use stderr for logs)"
            )

    def instead(self) -> str:
        """What the program wrote where an answer was waited for, in words; empty if nothing is known."""
        if not self.waiting or not self.taken_as_log:
            return ""
        line = mistakes.shorten(self.taken_as_log.decode("utf-8", "replace").strip())
        return f'its last line {line} is no JSON object, so it was taken as log; write one such as {{"index": 0}}'

    def tell_where(self) -> None:
        """The log says what the program owes; the referee asks (SIGUSR1) when its time is up, before it kills it."""
        if self.waiting:
            nothing = "it wrote no line since it was asked (is its output flushed, and does the line end?)"
            mistakes.say(f"the program has not answered decision {self.decision}: {self.instead() or nothing}")

    def choice(self, document: dict[str, Any]) -> table_pb2.Choice:
        """The answer as the protocol writes it; one that picks nothing is told, and sent to be judged with what the
        program wrote as its note: so it stands in the referee's record too."""
        from google.protobuf.json_format import ParseDict, ParseError

        from protos.ninefold.v1 import table_pb2

        try:
            choice: table_pb2.Choice = ParseDict({"decision": self.decision, **document}, table_pb2.Choice())
        except ParseError:
            choice = table_pb2.Choice(decision=self.decision)
            what = f"{mistakes.shorten(document)} is no answer to decision {self.decision}: {_wrong(document)}"
            mistakes.say(f'{what}; write {{"index": n}}, n being a place in legal from 0, or {{"action": …}}')
        else:
            if choice.WhichOneof("pick") is None:
                text = f"{mistakes.shorten(document)} answers decision {self.decision} with nothing"
                mistakes.say(f'{text}: write {{"index": n}} or {{"action": …}}')
        if choice.WhichOneof("pick") is None:
            written = json.dumps(document)
            more = "…" if len(written) > WRITTEN_CHARACTERS else ""
            choice.note = f"it wrote {written[:WRITTEN_CHARACTERS]}{more}"
        return choice

    async def end(self) -> int:
        """The program has ended, by itself or killed; what it still wrote is in the log."""
        self.pipe.close()
        try:
            code = await asyncio.wait_for(asyncio.shield(self.ended), END_WITHIN_S)
        except TimeoutError:
            self.program.kill()
            await self.ended
            code = 0
        return code


def _wrong(document: dict[str, Any]) -> str:
    """What makes an answer one that cannot be read."""
    unknown = [name for name in document if name not in ("decision", "index", "action", "note")]
    if unknown:
        return f"an answer has no field {mistakes.shorten(unknown[0])}"
    if "index" in document and "action" in document:
        return "it holds both index and action"
    kinds = {"index": int, "decision": int, "note": str}
    for name, kind in kinds.items():
        if name in document and type(document[name]) is not kind:
            called = "a text" if kind is str else "a whole number"
            return f"its {name} is {mistakes.shorten(document[name])} and must be {called}"
    return "its action is written unlike those in legal" if "action" in document else "a number in it is out of range"


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(line)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


async def carry(launcher: Launcher, address: str) -> int:
    """The sitting was carried to its end; the exit code of the launcher."""
    fewer_threads()
    import grpc

    from botkit.session import CHANNEL_OPTIONS
    from protos.ninefold.v1 import table_pb2
    from protos.ninefold.v1.table_pb2_grpc import TableStub

    async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        call = TableStub(channel).Play(wait_for_ready=True)  # type: ignore[no-untyped-call]

        async def to_program() -> None:
            await call.write(table_pb2.FromBot(hello=table_pb2.Hello(client=f"botkit/{__version__} stdio")))
            while (message := await call.read()) is not grpc.aio.EOF:  # type: ignore[attr-defined]
                await launcher.tell(message)
                if message.HasField("goodbye"):
                    await call.done_writing()
                    return
            raise ConnectionError("the stream ended without a Goodbye")

        async def to_table() -> None:
            while True:
                await call.write(table_pb2.FromBot(choice=await launcher.reply()))

        down, up = asyncio.ensure_future(to_program()), asyncio.ensure_future(to_table())
        await asyncio.wait([down, up], return_when=asyncio.FIRST_COMPLETED)
        said_goodbye = down.done() and down.exception() is None
        code = await launcher.end() if said_goodbye else 1
        up.cancel()
        down.cancel()
        errors = await asyncio.gather(up, down, return_exceptions=True)
    for error in () if said_goodbye else errors:  # first the program's end: it explains a stream that broke
        if isinstance(error, ProgramEnded):
            why = f": {launcher.instead()}" if launcher.instead() else ""
            mistakes.say(f"the program ended with exit code {error.code}{_signal_of(error.code)}{why}")
            return error.code
        if isinstance(error, Exception):
            mistakes.say(f"the table is gone: {error}")
            return 1
    return code


def _signal_of(code: int) -> str:
    """The name of the signal that an exit code stands for, as shells count it."""
    try:
        return f" ({signal.Signals(code - 128).name})" if code > 128 else ""
    except ValueError:
        return ""


def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """The program runs with its stdin and stdout in our hands; `BotMistake` if it cannot be started."""
    environment = {name: value for name, value in os.environ.items() if name != SOCKET_VARIABLE}
    program = os.path.abspath(command[0])
    try:
        return subprocess.Popen(
            [program, *command[1:]],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=os.path.dirname(program),
        )
    except OSError as error:
        raise mistakes.BotMistake(f"{program} cannot be executed: {_why_not(program, error)}") from None


def _why_not(program: str, error: OSError) -> str:
    """Why the system does not run the file, and what to do."""
    try:
        with open(program, "rb") as file:
            head = file.read(200)
    except OSError:
        return str(error.strerror) if os.path.exists(program) else "it does not exist; correct entry in bot.toml"
    if isinstance(error, PermissionError):
        return f"it lacks the permission; run chmod +x {program}"
    if head.startswith(b"#!"):
        named = head[2:].split(b"\n")[0].decode("utf-8", "replace").strip()
        return f"its first line names {named or 'nothing'}, which is not here; correct that line"
    if b"\0" in head or head.startswith(b"\x7fELF"):
        missing = isinstance(error, FileNotFoundError)  # the loader that it asks for
        return (
            "it needs libraries that are not here; link it with -static" if missing else "compile it for this machine"
        )
    return "no first line says what runs it; begin it with one such as #!/usr/bin/env python3"


def main(arguments: Sequence[str]) -> int:
    """One sitting was played by the program; returns its exit code."""
    if not arguments:
        mistakes.say("usage: python -m botkit.stdio PROGRAM [ARGUMENT…]")
        return 2
    try:
        address = socket_address()
        program = start(arguments)  # before the channel exists: nothing that holds one is ever forked
    except mistakes.BotMistake as error:
        mistakes.say(str(error))
        return 1

    async def sitting() -> int:
        launcher = Launcher(program)
        await launcher.connect()
        return await carry(launcher, address)

    try:
        return asyncio.run(sitting())
    except KeyboardInterrupt:
        return 130
    finally:
        if program.poll() is None:
            program.kill()


if __name__ == "__main__":
    mistakes.leave(main(sys.argv[1:]))
