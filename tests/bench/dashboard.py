"""How the dashboard behaves under load: `python -m tests.bench.dashboard [--matches 10000 1000000] [--viewers 1 50]`.

For each size of the league and each number of viewers at once, who speak Streamlit's own protocol over a websocket:
how long a page takes from asking to its last word (median and the slowest in twenty), the same asked again at once by
everybody (what a refresh costs), and how much memory the server has grown by for each viewer.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from referee.settings import Settings
from referee.store.schema import open_store
from tests.bench import league
from tests.dashboard.serving import serving

PAGES = {
    "overview": ("", ""),
    "standings": ("standings", ""),
    "h2h": ("h2h", ""),
    "tournament": ("tournament", ""),
    "matches": ("matches", ""),
    "matches of a bot": ("matches", "bot=bot00001"),
    "bot": ("bot", "name=bot00001"),
}


class Viewer:
    """One browser's worth of protocol: a session that runs pages and reads until the script has finished."""

    def __init__(self, address: str) -> None:
        self.url = address.replace("http://", "ws://") + "/_stcore/stream"
        self.origin = address

    async def open(self) -> None:
        self.socket = await websockets.connect(
            self.url, origin=self.origin, subprotocols=["streamlit"], max_size=None, open_timeout=120
        )

    async def run(self, page: str, query: str) -> tuple[float, int]:
        """Seconds until the page has said its last word, and the bytes it took."""
        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.query_string = query
        started, size = time.perf_counter(), 0
        await self.socket.send(message.SerializeToString())
        while True:
            data = await self.socket.recv()
            size += len(data)
            forward = ForwardMsg()
            forward.ParseFromString(data)
            if forward.WhichOneof("type") == "script_finished":
                return time.perf_counter() - started, size

    async def close(self) -> None:
        await self.socket.close()


def memory_mib(port: str) -> float:
    """Resident memory of the server that listens on the port."""
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = status.read_bytes().split(b"\0")
            if f"--server.port={port}".encode() in words:
                line = next(x for x in (status.parent / "status").read_text().splitlines() if x.startswith("VmRSS"))
                return int(line.split()[1]) / 1024
        except (OSError, StopIteration):
            continue
    return float("nan")


async def measure(address: str, count: int, rounds: int) -> None:
    port = address.rsplit(":", 1)[1]
    warm = Viewer(address)
    await warm.open()
    for page, query in PAGES.values():
        await warm.run(page, query)
    await warm.close()
    before = memory_mib(port)
    viewers = [Viewer(address) for _ in range(count)]
    for viewer in viewers:
        await viewer.open()
    for name, (page, query) in PAGES.items():
        first = await asyncio.gather(*(viewer.run(page, query) for viewer in viewers))
        again = [found for _ in range(rounds) for found in await asyncio.gather(*(v.run(page, query) for v in viewers))]
        print(
            f"  {name:18} {_line([t for t, _ in first])}   again {_line([t for t, _ in again])}   {first[0][1] / 1024:7.0f} KiB"
        )
    grown = memory_mib(port) - before
    print(f"  memory {memory_mib(port):.0f} MiB, {grown / count:.2f} MiB more for each of {count}")
    for viewer in viewers:
        await viewer.close()


def _line(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"{1000 * statistics.median(ordered):7.0f} ms (p95 {1000 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]:.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--bots", type=int, default=1_000)
    parser.add_argument("--viewers", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Settings(Path(folder)))
        league.populate(store, arguments.bots)
        done = 0
        for matches in sorted(arguments.matches):
            blocks = matches // (2 * league.MATCHES)
            league.fill(store, arguments.bots, done + 1, blocks, lambda line: print(f"  {line}", end="\r", flush=True))
            done = blocks
            with serving(Path(folder)) as address:
                for count in arguments.viewers:
                    print(f"\n{matches:,} matches of {arguments.bots:,} bots, {count} viewer{'s' if count > 1 else ''}")
                    asyncio.run(measure(address, count, arguments.rounds))
        store.close()


if __name__ == "__main__":
    main()
