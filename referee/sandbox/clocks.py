"""Can the clocks work here? They charge the processor time of a container's own cgroup, which must be readable."""

from __future__ import annotations

import contextlib
from pathlib import Path

from referee.sandbox.cgroup import Readings
from referee.sandbox.container import ContainerSandbox, visible
from referee.sandbox.owner import owned

FIX = (
    "bots are charged wall time until it can; a referee in a container needs the host's processes (pid: host) and "
    "/sys/fs/cgroup, read-only, and with cgroup v2 the host's cgroup namespace too"
)


def clocks(sandbox: ContainerSandbox, base: str) -> tuple[bool, str]:
    """Whether the processor time of a container can be read from here, and what was found (blocking; half a second)."""
    engine = sandbox.engine
    config = {"Image": base, "Cmd": ["sleep", "60"], "Labels": owned(sandbox.league), "NetworkDisabled": True}
    config["HostConfig"] = {**sandbox.host, "Tmpfs": {}}
    name = str(engine.blocking(engine.api.create_container_from_config, config)["Id"])
    try:
        engine.blocking(engine.api.start, name)
        pid = int(engine.blocking(engine.api.inspect_container, name)["State"]["Pid"])
        if not Path(f"/proc/{pid}").exists() or not visible(pid, name):
            return False, f"process {pid} of a container is not visible here"
        try:
            readings = Readings.of(pid)
        except (OSError, KeyError, ValueError) as error:
            return False, f"the cgroup of a container cannot be read ({type(error).__name__}: {error})"
        with contextlib.closing(readings):
            used = readings.cpu_ns()
            return used > 0, f"cgroup v{readings.where.version}; {used / 1e6:.0f} ms used by a container that sleeps"
    finally:
        engine.blocking(engine.remove_container, name)
