"""Where hostile bots play: the production sandbox over one image that holds all of them, and a look at what is left.

A seat's image is `<image id>#<bot>`; everything but the command is as the league starts it.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docker.errors import NotFound

from referee.match.fixture import Clock, FixtureResult, FixtureSpec, MatchSpec, SeatSpec
from referee.match.sitting import Machine, decompress, play_fixture
from referee.match.verify import verify
from referee.sandbox.build import BotSource, build_bot, command
from referee.sandbox.cage import Room
from referee.sandbox.container import ContainerHandle, ContainerSandbox
from referee.sandbox.engine import Engine
from referee.sandbox.handle import SeatLaunch
from referee.sandbox.image import ensure_base
from referee.sandbox.limits import Limits
from referee.sandbox.rundir import RunDir
from referee.service.local import complete_rules
from referee.service.seat import open_seat

BOTS = Path(__file__).parent / "bots"
CLOCK = Clock(1000, 10)
RULES = ("match_end=rounds", "rounds=2")
SEED = bytes([227]) * 32
"""Seat 1, playing first actions, ends the second round by a decision of its own: it goes out with a nine."""


def names() -> list[str]:
    """All bots there are, by file name without the parts that they share."""
    return sorted(path.stem for path in BOTS.glob("[!_]*.py"))


def runtime_of(bot: str) -> str:
    return "stdio" if os.access(BOTS / f"{bot}.py", os.X_OK) else "python"


def build(engine: Engine, league: str) -> str:
    """The image of all bots, made as a bot's image is."""
    base = ensure_base(engine, print)
    files = tuple(sorted(path.name for path in BOTS.glob("*.py")))
    return build_bot(Room.new(engine, base, league, Limits()), BotSource("hostile", BOTS, files, "python", "harmless.py")).image


@dataclass
class Left:
    """What one container could leave behind, noted while it runs."""

    name: str
    uid: int
    cgroups: set[Path]
    folder: Path
    root: str


class Arena(ContainerSandbox):
    """`changes` are put over Docker's HostConfig: what a test takes away."""

    def __init__(self, engine: Engine, league: str, image: str, limits: Limits | None = None, **changes: Any) -> None:
        super().__init__(engine, league, limits)
        self.host = self.host | changes
        self.image = image
        self.left: list[Left] = []
        self.wall = False
        """Bots are charged wall time, as if processor time could not be read."""

    def config(self, seat: SeatLaunch) -> dict[str, Any]:
        image, _, bot = seat.image.partition("#")
        config = super().config(replace(seat, image=image))
        if self.host["NetworkMode"] != "none":
            config.pop("NetworkDisabled")
        return config | {"Cmd": command(seat.runtime, f"{bot}.py")}

    async def launch(self, seat: SeatLaunch) -> ContainerHandle:
        handle = await super().launch(seat)
        self.left.append(await self._note(handle, seat))
        if self.wall:
            handle.cpu_ns = lambda: None  # type: ignore[method-assign]
        return handle

    async def _note(self, handle: ContainerHandle, seat: SeatLaunch) -> Left:
        try:
            inspected = await self.engine.call(self.engine.api.inspect_container, handle.name)
            root, uid = inspected["GraphDriver"]["Data"].get("MergedDir", ""), int(inspected["Config"]["User"].split(":")[0])
        except Exception:  # it may be gone already
            root, uid = "", -1
        where = handle._readings.where if handle._readings is not None else None
        groups = {where.cpuacct, where.cpu, where.memory, where.freezer} if where is not None else set()
        return Left(handle.name, uid, groups, seat.folder, root)

    def leftovers(self) -> list[str]:
        """Everything that is still there of the containers launched so far, in words."""
        if self._left():  # a process that has ended is there until its parent has looked
            time.sleep(1)
        return self._left()

    def _left(self) -> list[str]:
        found = []
        mounted = Path("/proc/self/mountinfo").read_text()
        users = _users()
        for left in self.left:
            try:
                self.engine.api.inspect_container(left.name)
                found.append(f"container {left.name}")
            except NotFound:
                pass
            found += [f"cgroup {group}" for group in left.cgroups if group.exists()]
            found += [f"process {pid} of {left.name}" for pid in users.get(left.uid, ())]
            if left.folder.exists():
                found.append(f"folder {left.folder}")
            if left.root and left.root in mounted:
                found.append(f"mount {left.root}")
        return found


def _users() -> dict[int, list[int]]:
    """The processes of each user on this machine."""
    found: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                found.setdefault(entry.stat().st_uid, []).append(int(entry.name))
            except OSError:
                continue
    return found


@dataclass
class Outcome:
    """What came of one fixture."""

    result: FixtureResult
    replays: list[dict[str, Any]]
    leftovers: list[str] = field(default_factory=list)

    def log(self, seat: int = 1, match: int = 0) -> str:
        return self.result.matches[match].seats[seat].log.decode("utf-8", "replace")

    def rounds(self, match: int = 0) -> list[list[dict[str, Any]]]:
        """The events of each round without times: what two matches have in common."""
        times = {"ms", "cpu_ms"}
        return [[{k: v for k, v in event.items() if k not in times} for event in played["events"]] for played in self.replays[match]["rounds"]]


async def play(
    arena: Arena,
    run_dir: RunDir,
    bots: Sequence[str],
    *,
    clock: Clock = CLOCK,
    rules: Sequence[str] = RULES,
    matches: int = 1,
    seed: bytes = SEED,
    start_seconds: float | None = None,
    within: float = 240,
    runtime: Callable[[str], str] = runtime_of,
) -> Outcome:
    """The fixture of these bots, to its end and verified; all seats go by the names of harmless bots."""
    complete: Mapping[str, Any] = complete_rules("nines", None, list(rules), len(bots))[0]
    limits = arena.limits if start_seconds is None else replace(arena.limits, start_seconds=start_seconds)
    seats = tuple(SeatSpec(f"seat{n}", 1, "00" * 32, f"{arena.image}#{bot}", runtime(bot)) for n, bot in enumerate(bots))
    specs = tuple(MatchSpec(f"hostile/1/1/{n}", seed[:31] + bytes([n])) for n in range(1, matches + 1))
    spec = FixtureSpec("hostile/1/1", 1, "nines", complete, None, seats, specs, clock)
    images = [(seat.image, seat.runtime) for seat in seats]
    opened = open_seat(arena, limits, run_dir.seat_folder, "hostile/1/1/1", images)
    async with asyncio.timeout(within):
        result = await play_fixture(spec, opened, Machine("test"))
    replays = [decompress(match.replay) for match in result.matches]
    for document in replays:
        json.dumps(document, allow_nan=False)
        verify(document)
    return Outcome(result, replays)
