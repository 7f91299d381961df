"""How a container is locked: what Docker is told for each of them, whoever runs in it (bots, builds, probes)."""

from __future__ import annotations

import os
from typing import Any

from referee.sandbox.limits import MIB, Limits, seccomp_profile

MASKED = (
    "/sys",
    *("/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq", "/proc/pressure"),
    *("/proc/scsi", "/proc/sys", "/proc/tty", "/proc/dynamic_debug"),
    *("/proc/buddyinfo", "/proc/cgroups", "/proc/cmdline", "/proc/config.gz", "/proc/consoles", "/proc/crypto"),
    *("/proc/diskstats", "/proc/dma", "/proc/interrupts", "/proc/iomem", "/proc/ioports", "/proc/kallsyms"),
    *("/proc/kcore", "/proc/key-users", "/proc/keys", "/proc/latency_stats", "/proc/loadavg", "/proc/locks"),
    *("/proc/mdstat", "/proc/meminfo", "/proc/misc", "/proc/modules", "/proc/mtrr", "/proc/pagetypeinfo"),
    *("/proc/partitions", "/proc/sched_debug", "/proc/schedstat", "/proc/slabinfo", "/proc/softirqs"),
    *("/proc/swaps", "/proc/timer_list", "/proc/timer_stats", "/proc/uptime", "/proc/vmallocinfo", "/proc/vmstat"),
    "/proc/zoneinfo",
)
"""What tells of the machine: all of /sys, and of /proc what is neither a process's own nor constant.

A number that one container moves and another reads would be a wire between them. Runtimes find less and go on: they
fall back to system calls, or to their defaults. Only /proc/stat stays, without which Node's `os.cpus()` crashes. A path
that this kernel does not have is passed over.
"""
READONLY = ("/proc/sysrq-trigger",)
SECCOMP = f"seccomp={seccomp_profile()}"


def host_config(limits: Limits, runtime: str = "runc") -> dict[str, Any]:
    """Docker's HostConfig for a locked container with nothing mounted: no network, no capability, nothing writable but
    /tmp and /dev/shm, a list of system calls, and within `limits`."""
    tmpfs = f"rw,noexec,nosuid,nodev,size={limits.tmp_mib}m,nr_inodes={limits.tmp_inodes},mode=1777"
    return {
        "Runtime": runtime,
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "Tmpfs": {"/tmp": tmpfs},  # noqa: S108
        "ShmSize": limits.shm_mib * MIB,
        "Memory": limits.memory_bytes,
        "MemorySwap": limits.memory_bytes,  # memory and swap together: no swap
        "MemorySwappiness": 0 if os.path.exists("/sys/fs/cgroup/memory") else None,
        "PidsLimit": limits.pids if runtime == "runc" else 4 * limits.pids + 128,  # gVisor needs threads of its own
        "CpuPeriod": 100_000,
        "CpuQuota": int(limits.cpus * 100_000),
        "Ulimits": [
            {"Name": "nofile", "Soft": limits.files, "Hard": limits.files},
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "memlock", "Soft": 65536, "Hard": 65536},
            {"Name": "msgqueue", "Soft": 0, "Hard": 0},
            {"Name": "rtprio", "Soft": 0, "Hard": 0},
        ],
        "CapDrop": ["ALL"],
        "Privileged": False,
        "SecurityOpt": ["no-new-privileges:true", SECCOMP],
        "IpcMode": "private",
        "CgroupnsMode": "private",
        "MaskedPaths": list(MASKED),
        "ReadonlyPaths": list(READONLY),
        "OomScoreAdj": 500,  # when the whole machine runs out, bots go before the engine and the referee
        "LogConfig": {"Type": "none", "Config": {}},  # we read the stream ourselves: nothing reaches the disk
        "RestartPolicy": {"Name": "no", "MaximumRetryCount": 0},
    }
