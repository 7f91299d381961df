"""What the probe makes of findings recorded under gVisor (Debian's runsc, --fsgofer-host-uds): nothing here needs it."""

from __future__ import annotations

from referee.sandbox.limits import Limits
from referee.sandbox.probe import CHECKS

GVISOR = {
    "runtime": "runsc",
    "pids_limit": 384,
    "ended": {"code": 137, "out_of_memory": False},
    "user": {"uid": 1700032320, "euid": 1700032320, "gid": 1700032320, "groups": [1700032320]},
    "status": {"CapInh": "0", "CapPrm": "0", "CapEff": "0", "CapBnd": "0", "Seccomp": "0"},
    "calls": {"unshare": "done", "ptrace": "done", "mount": "EPERM", "clone3": "ENOSYS"},
    "families": {"netlink": "done", "packet": "EPERM", "vsock": "EAFNOSUPPORT", "inet": "done"},
    "network": {"interfaces": ["lo"], "internet": "EHOSTUNREACH", "bridge": "EHOSTUNREACH", "metadata": "EHOSTUNREACH"},
    "writing": {"/": "EROFS", "/etc": "EROFS"},
    "tmp": {"mib": 64, "inodes": 0, "exec": "EACCES"},
    "shm": {"mib": 1},
    "mounts": {"read_only": True, "points": {"/": "9p", "/tmp": "tmpfs", "/run/ninefold": "9p"}, "docker": False},
    "processes": [1, 21],
    "privileged": [],
    "seat": {"folder": ["seat.sock"], "connect": "done"},
    "files": {"opened": 253, "stopped": "EMFILE", "core": 0},
    "cpu": {"used": 0.79, "wall": 0.46},
}


def missing(findings):
    return {name for name, judge in CHECKS.items() if not judge(findings, Limits())[0]}


def test_gvisor_gives_every_guarantee_with_its_last_tries_ending_the_container():
    assert missing(GVISOR) == set()


def test_the_same_findings_do_not_do_under_runc():
    plain = GVISOR | {"runtime": "runc", "pids": {"threads": 63}, "memory": {"reached_mib": 240, "code": -9}}
    assert missing(plain) == {"scratch space", "cpus", "seccomp", "process namespace"}


def test_a_socket_that_cannot_be_dialled_is_missed():
    assert missing(GVISOR | {"seat": {"folder": ["seat.sock"], "connect": "ECONNREFUSED"}}) == {"seat socket"}
