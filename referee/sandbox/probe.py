"""Does this machine's sandbox hold what it promises? Tried from inside, at worker start."""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.errors import PlatformFault
from referee.sandbox.cage import CageFlood, CageTimeout, Room
from referee.sandbox.container import FIRST_UID, SOCKET_FOLDER, UIDS, ContainerSandbox
from referee.sandbox.handle import SOCKET_NAME, SeatLaunch
from referee.sandbox.limits import Limits
from referee.sandbox.rootfs import HOME
from referee.sandbox.rundir import RunDir
from referee.sandbox.warm import layers, warm


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One promise of the sandbox: whether it holds on this machine, and what was found."""

    name: str
    held: bool
    evidence: str


Finding = Callable[[Mapping[str, Any], Limits], tuple[bool, str]]
CLOSED = {"EPERM", "ENOSYS", "EACCES", "EINVAL"}
"""What a closed system call may answer; EINVAL only from gVisor, which does not know some of them."""
ENGINE_MOUNTS = {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf"}
"""Files that Docker makes itself for each container."""


def probe(sandbox: ContainerSandbox, base: str) -> list[Guarantee]:
    """Every guarantee with what a probe container found, in the order of `CHECKS` (blocking; about 2 s).

    The base image is in memory afterwards, where this machine lets us read it (`referee.sandbox.warm`).
    The container has exactly a seat's configuration. `PlatformFault("docker")` when it cannot be run at all.
    """
    runs = sandbox.engine.blocking(sandbox.engine.api.info).get("Runtimes", {})
    if sandbox.runtime not in runs:
        known = ", ".join(sorted(runs))
        return [Guarantee("runtime", False, f"the engine does not know {sandbox.runtime!r} (it knows {known})")]
    for layer in layers(sandbox.engine.blocking(sandbox.engine.api.inspect_image, base)):
        warm(layer)
    found = _findings(sandbox, base)
    guarantees = [Guarantee("runtime", True, sandbox.runtime)]
    for name, judge in CHECKS.items():
        try:
            held, evidence = judge(found, sandbox.limits)
        except (KeyError, TypeError, ValueError) as error:
            held, evidence = False, f"the probe could not tell ({found.get(name, error)!r})"
        guarantees.append(Guarantee(name, held, evidence))
    driver = sandbox.host["LogConfig"]["Type"]
    kept = f"the engine keeps no log (driver {driver}), the referee {sandbox.limits.log_kib} KiB a match"
    guarantees.append(Guarantee("log size", driver == "none", kept))
    return guarantees


def demand(guarantees: list[Guarantee]) -> None:
    """Nothing, if all are held; else `PlatformFault("guarantee")` naming each that is not: exit code 4."""
    missing = [f"{g.name} ({g.evidence})" for g in guarantees if not g.held]
    if missing:
        raise PlatformFault("guarantee", f"this machine's sandbox does not give: {'; '.join(missing)}")


def _findings(sandbox: ContainerSandbox, base: str) -> dict[str, Any]:
    run_dir = RunDir(sandbox.league)
    listener = socket.socket(socket.AF_UNIX)
    try:
        folder = run_dir.seat_folder()
        listener.bind(str(folder / SOCKET_NAME))
        os.chmod(folder / SOCKET_NAME, 0o666)  # noqa: S103 - the folder above is closed to others
        listener.listen(4)
        host = sandbox.config(SeatLaunch(base, folder, "probe", 0))["HostConfig"]
        room = Room.new(sandbox.engine, base, sandbox.league, sandbox.limits, sandbox.runtime)
        room = replace(room, deadline=time.monotonic() + 60)
        out = io.BytesIO()
        command = ["python3.11", f"/{HOME}/probe.py", str(sandbox.limits.memory_mib)]
        try:
            finished = room.run(command, out, room.log, host=host, purpose="probe")
        except (CageTimeout, CageFlood):
            raise PlatformFault("docker", "the probe container did not end within 60 s") from None
        findings: dict[str, Any] = {}
        for line in out.getvalue().splitlines():
            with contextlib.suppress(ValueError):  # cut off in the middle
                findings |= json.loads(line)
        if "user" not in findings:
            said = room.log.text().decode("utf-8", "replace").strip()[-300:]
            raise PlatformFault("docker", f"the probe container gave no findings: {said or 'it said nothing'}")
        findings["runtime"], findings["pids_limit"] = sandbox.runtime, host["PidsLimit"]
        findings["ended"] = {"code": finished.code, "out_of_memory": finished.out_of_memory}
        return findings
    finally:
        with contextlib.suppress(OSError):
            listener.close()
        run_dir.remove()


def _network(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    seen = dict(found["network"])
    interfaces = [name for name in seen.pop("interfaces") if name not in {"lo", "tunl0", "sit0", "ip6tnl0", "gre0"}]
    closed = all(answer in {"ENETUNREACH", "EHOSTUNREACH", "EPERM", "EACCES"} for answer in seen.values())
    return not interfaces and closed, f"interfaces beyond loopback: {interfaces or 'none'}; connecting: {seen}"


def _read_only(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    written = [place for place, answer in found["writing"].items() if answer == "done"]
    mounted = "read-only" if found["mounts"]["read_only"] else "writable"
    return found["mounts"]["read_only"] and not written, f"mounted {mounted}; could write to {written or 'nothing'}"


def _tmp(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    seen = found["tmp"]
    # gVisor keeps no count of inodes; each of them is memory of the container
    inodes = 0 < seen["inodes"] <= limits.tmp_inodes or (found["runtime"] == "runsc" and seen["inodes"] == 0)
    held = seen["mib"] <= limits.tmp_mib and inodes and seen["exec"] == "EACCES"
    return held, f"{seen['mib']:g} MiB, {seen['inodes']} inodes, executing a file in it: {seen['exec']}"


def _shm(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    return found["shm"]["mib"] <= limits.shm_mib, f"{found['shm']['mib']:g} MiB"


def _memory(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    ended = found["ended"]
    if found["runtime"] == "runsc" and "memory" not in found and (ended["out_of_memory"] or ended["code"] == 137):
        return True, f"the container was ended when a child of it took more than {limits.memory_mib} MiB"  # gVisor
    seen = found["memory"]
    held = seen["code"] == -9 and 0 < seen["reached_mib"] <= limits.memory_mib
    return (
        held,
        f"a child took {seen['reached_mib']} MiB and ended with {seen['code']}; the limit is {limits.memory_mib}",
    )


def _pids(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    if found["runtime"] == "runsc" and "pids" not in found and "cpu" in found:  # its kernel shares the limit, and ends
        return True, f"the container was ended when it needed more than {found['pids_limit']} threads of the host"
    threads = found["pids"]["threads"]
    most = found["pids_limit"] if found["runtime"] == "runsc" else limits.pids
    return 0 < threads < most, f"{threads} threads could be started beside the first"


def _cpus(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    used, wall = found["cpu"]["used"], found["cpu"]["wall"]
    if found["runtime"] == "runsc":  # its own count of processor time includes time spent waiting
        return True, f"a quota of {limits.cpus:g} processors is set on the container, as for any runtime"
    allowed = limits.cpus * (wall + 0.1) * 1.2  # the quota is given in slices of 100 ms
    return used <= allowed, f"four spinning processes used {used:.2f} s in {wall:.2f} s"


def _files(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    seen = found["files"]
    held = seen["stopped"] == "EMFILE" and seen["opened"] <= limits.files and seen["core"] == 0
    return held, f"{seen['opened']} files could be opened; core files up to {seen['core']} bytes"


def _capabilities(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    sets = {key: value for key, value in found["status"].items() if key.startswith("Cap")}
    return len(sets) >= 4 and not any(int(value, 16) for value in sets.values()), str(sets)


def _no_new_privileges(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    value = found["status"].get("NoNewPrivs", "unknown")  # gVisor's /proc does not tell, and it has no set-user-id
    return value == "1" or (value == "unknown" and not found["privileged"]), f"NoNewPrivs {value}"


def _seccomp(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    open_calls = [name for name, answer in found["calls"].items() if answer not in CLOSED]
    families = [name for name, answer in found["families"].items() if name != "inet" and answer == "done"]
    if found["runtime"] == "runsc":  # answered by gVisor's own kernel; none of them reaches the host's
        open_calls, families = [], [name for name in families if name != "netlink"]
    mode = found["status"].get("Seccomp", "0")
    held = not open_calls and not families
    return held, f"mode {mode}; calls that are open: {open_calls or 'none'}; socket families: {families or 'none'}"


def _user(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    seen = found["user"]
    held = all(FIRST_UID <= seen[key] < FIRST_UID + UIDS for key in ("uid", "euid", "gid"))
    return held and set(seen["groups"]) <= {seen["gid"]}, f"uid {seen['uid']}, groups {seen['groups']}"


def _mounts(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    points, kernel = found["mounts"]["points"], {"proc", "sysfs", "tmpfs", "devpts", "mqueue", "cgroup", "cgroup2"}
    kernel |= {"devtmpfs", "dev"}
    foreign = [
        point
        for point, kind in points.items()
        if point not in ENGINE_MOUNTS | {"/", SOCKET_FOLDER} and kind not in kernel and not point.startswith("/proc/")
    ]
    return not foreign and not found["mounts"]["docker"], f"beside the seat's folder: {foreign or 'nothing'}"


def _seat(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    seen = found["seat"]
    held = seen["folder"] == [SOCKET_NAME] and seen["connect"] == "done"
    return held, f"the seat's folder holds {seen['folder']}; dialling its socket: {seen['connect']}"


def _processes(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    seen = found["processes"]  # gVisor may still list a child of the probe's own
    held = seen == [1] or (found["runtime"] == "runsc" and seen[:1] == [1] and len(seen) < 5)
    return held, f"it sees the processes {seen[:10]}"


def _setuid(found: Mapping[str, Any], limits: Limits) -> tuple[bool, str]:
    return found["privileged"] == [], f"set-user-id files: {found['privileged'] or 'none'}"


CHECKS: dict[str, Finding] = {
    "network": _network,
    "read-only root": _read_only,
    "scratch space": _tmp,
    "shared memory": _shm,
    "memory": _memory,
    "processes": _pids,
    "cpus": _cpus,
    "files": _files,
    "capabilities": _capabilities,
    "no-new-privileges": _no_new_privileges,
    "seccomp": _seccomp,
    "user": _user,
    "mounts": _mounts,
    "seat socket": _seat,
    "process namespace": _processes,
    "set-user-id": _setuid,
}
