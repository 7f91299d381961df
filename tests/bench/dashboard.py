"""How the dashboard behaves under load: `python -m tests.bench.dashboard [--matches 10000 1000000] [--viewers 1 50]`.

For each size of the league and each number of viewers, who speak Streamlit's own protocol over a websocket: how long a
page takes from asking to its last word (median and the slowest in twenty) when all ask at one moment, the same asked
again at once by everybody, what it costs the server's process in processor time, and how much memory the server has
grown by for each viewer. Then the viewers go about at their ease, a page every few seconds each, as pages refresh.
"""

from __future__ import annotations

import argparse
import asyncio
import os
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

REFRESH_SECONDS = 5.0
FORGOTTEN_SECONDS = 2.2
"""What was read is kept for two seconds."""
PAGES = {
    "overview": ("", ""),
    "standings": ("standings", ""),
    "h2h": ("h2h", ""),
    "tournament": ("tournament", ""),
    "matches": ("matches", ""),
    "matches of a day": ("matches", "from=2026-01-01&to=2026-01-02"),
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


class Server:
    """The dashboard's process that listens on the port: what it has taken."""

    def __init__(self, address: str) -> None:
        port = address.rsplit(":", 1)[1]
        self.place = next(
            path.parent
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if f"--server.port={port}".encode() in path.read_bytes().split(b"\0")
        )

    def memory_mib(self) -> float:
        """Resident memory."""
        lines = (self.place / "status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def cpu_seconds(self) -> float:
        """Processor time so far; unlike the clock it does not count what others on this machine do."""
        fields = (self.place / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(address: str, count: int, rounds: int, seconds: float) -> None:
    """Prints, page by page, what so many viewers get who all ask at one moment, then what a crowd at its ease gets."""
    server = Server(address)
    cold = Viewer(address)
    await cold.open()
    first_times = {name: (await cold.run(page, query))[0] for name, (page, query) in PAGES.items()}
    await cold.close()
    before = server.memory_mib()
    viewers = [Viewer(address) for _ in range(count)]
    for viewer in viewers:
        await viewer.open()
    for name, (page, query) in PAGES.items():
        await asyncio.sleep(FORGOTTEN_SECONDS)  # nothing is remembered
        spent = server.cpu_seconds()
        first = await asyncio.gather(*(viewer.run(page, query) for viewer in viewers))
        again = [found for _ in range(rounds) for found in await asyncio.gather(*(v.run(page, query) for v in viewers))]
        spent = 1000 * (server.cpu_seconds() - spent) / (count * (rounds + 1))
        print(
            f"  {name:18} first ever {1000 * first_times[name]:6.0f} ms   all at once {_line([t for t, _ in first])}   "
            f"again {_line([t for t, _ in again])}   cpu {spent:5.0f} ms   {first[0][1] / 1024:5.0f} KiB"
        )
    grown = server.memory_mib() - before
    spent, began = server.cpu_seconds(), time.perf_counter()
    found = await asyncio.gather(*(stroll(viewer, i, seconds) for i, viewer in enumerate(viewers)))
    share = (server.cpu_seconds() - spent) / (time.perf_counter() - began)
    calm = [t for times in found for t in times]
    print(
        f"  at ease, each a page every {REFRESH_SECONDS:.0f} s: {_line(calm)}, {100 * share:.0f}% of one processor\n"
        f"  memory {server.memory_mib():.0f} MiB, {grown / count:.2f} MiB more for each of {count}"
    )
    for viewer in viewers:
        await viewer.close()


async def stroll(viewer: Viewer, number: int, seconds: float) -> list[float]:
    """The viewer goes from page to page, as pages that refresh themselves do: one every few seconds, out of step."""
    pages, taken = list(PAGES.values()), []
    await asyncio.sleep(REFRESH_SECONDS * (number % 50) / 50)
    for turn in range(int(seconds / REFRESH_SECONDS)):
        page, query = pages[(number + turn // 2) % len(pages)]
        spent, _ = await viewer.run(page, query)
        taken.append(spent)
        await asyncio.sleep(max(0.0, REFRESH_SECONDS - spent))
    return taken


def _line(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"{1000 * statistics.median(ordered):7.0f} ms (p95 {1000 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]:.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--bots", type=int, default=1_000)
    parser.add_argument("--viewers", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=30, help="how long the crowd at its ease is watched")
    parser.add_argument(
        "--data", type=Path, help="a league filled before by `tests.bench.league.fill`; nothing is filled"
    )
    arguments = parser.parse_args()
    if arguments.data:
        with serving(arguments.data) as address:
            for count in arguments.viewers:
                print(f"\n{arguments.data}, {count} viewer{'s' if count > 1 else ''}", flush=True)
                asyncio.run(measure(address, count, arguments.rounds, arguments.seconds))
        return
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
                    asyncio.run(measure(address, count, arguments.rounds, arguments.seconds))
        store.close()


if __name__ == "__main__":
    main()
