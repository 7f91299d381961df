"""Readings of both cgroup versions, from text recorded on real machines; nothing here needs either."""

from __future__ import annotations

import pytest

from referee.sandbox import cgroup

V1_PROC = """\
10:misc:/
9:pids:/docker/4f1c
8:freezer:/docker/4f1c
7:memory:/docker/4f1c
6:cpuset:/docker/4f1c
4:cpu,cpuacct:/docker/4f1c
0::/system.slice/containerd.service
"""
V1_MOUNTS = """\
32 25 0:28 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw
33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:11 - cgroup cgroup rw,cpu,cpuacct
34 25 0:30 / /sys/fs/cgroup/memory rw,nosuid shared:12 - cgroup cgroup rw,memory
35 25 0:31 / /sys/fs/cgroup/freezer rw,nosuid shared:13 - cgroup cgroup rw,freezer
36 25 0:32 / /proc rw - proc proc rw
"""
V2_PROC = "0::/system.slice/docker-4f1c.scope\n"
V2_MOUNTS = "29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V2_CPU_STAT = b"""\
usage_usec 1234567
user_usec 1000000
system_usec 234567
core_sched.force_idle_usec 0
nr_periods 120
nr_throttled 17
throttled_usec 456789
nr_bursts 0
burst_usec 0
"""
V1_CPU_STAT = b"nr_periods 120\nnr_throttled 17\nthrottled_time 456789000\n"
V2_EVENTS = b"low 0\nhigh 0\nmax 41\noom 2\noom_kill 1\noom_group_kill 0\n"
V1_OOM = b"oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"


def test_v1_folders_are_found_by_controller():
    found = cgroup.groups(V1_PROC, cgroup.mounts(V1_MOUNTS))
    assert found.version == 1
    assert str(found.cpuacct) == str(found.cpu) == "/sys/fs/cgroup/cpu,cpuacct/docker/4f1c"
    assert str(found.memory) == "/sys/fs/cgroup/memory/docker/4f1c"
    assert str(found.freezer) == "/sys/fs/cgroup/freezer/docker/4f1c"


def test_v2_folder_is_one_for_all():
    found = cgroup.groups(V2_PROC, cgroup.mounts(V2_MOUNTS))
    assert found.version == 2
    assert {str(found.cpuacct), str(found.memory), str(found.freezer)} == {
        "/sys/fs/cgroup/system.slice/docker-4f1c.scope"
    }


def test_neither_version_is_a_key_error():
    with pytest.raises(KeyError):
        cgroup.groups(V1_PROC, cgroup.mounts("36 25 0:32 / /proc rw - proc proc rw\n"))


def test_numbers_of_both_versions():
    assert cgroup.usage_ns(V2_CPU_STAT) == 1_234_567_000
    assert cgroup.throttled_ns(V2_CPU_STAT) == cgroup.throttled_ns(V1_CPU_STAT) == 456_789_000
    assert cgroup.waiting_ns(b"81923847 5123456 731\n") == 5_123_456
    assert cgroup.keyed(V1_OOM)["oom_kill"] == cgroup.keyed(V2_EVENTS)["oom_kill"] == 1


def test_v2_readings_from_files(tmp_path):
    (tmp_path / "cpu.stat").write_bytes(V2_CPU_STAT)
    (tmp_path / "memory.events").write_bytes(V2_EVENTS.replace(b"oom_kill 1", b"oom_kill 0"))
    (tmp_path / "cgroup.freeze").write_bytes(b"0")
    (tmp_path / "cgroup.procs").write_bytes(b"")
    readings = cgroup.Readings(cgroup.Groups(2, *[tmp_path] * 4))
    assert readings.cpu_ns() == 1_234_567_000
    assert readings.throttled_ns() == 456_789_000
    assert readings.poll_memory() == 0
    (tmp_path / "memory.events").write_bytes(V2_EVENTS)
    assert readings.poll_memory() == 1
    assert readings.limit_hits == 43
    assert readings.freeze(True)
    assert (tmp_path / "cgroup.freeze").read_bytes() == b"1"
    assert readings.freeze(False)
    assert (tmp_path / "cgroup.freeze").read_bytes() == b"0"
    readings.close()
    assert readings.cpu_ns() == 1_234_567_000, "the last value stays"
    assert readings.freeze(True) is False


def test_v1_readings_from_files(tmp_path):
    for name, text in (
        ("cpuacct.usage", b"987654321\n"),
        ("cpu.stat", V1_CPU_STAT),
        ("memory.oom_control", V1_OOM),
        ("memory.failcnt", b"0\n"),  # stays 0 on newer kernels
        ("memory.max_usage_in_bytes", b"268431360\n"),
        ("memory.limit_in_bytes", b"268435456\n"),
        ("freezer.state", b"THAWED"),
        ("cgroup.procs", b""),
    ):
        (tmp_path / name).write_bytes(text)
    readings = cgroup.Readings(cgroup.Groups(1, *[tmp_path] * 4))
    assert readings.cpu_ns() == 987_654_321
    assert readings.throttled_ns() == 456_789_000
    assert (readings.poll_memory(), readings.limit_hits) == (1, 1)
    assert readings.freeze(True)
    assert (tmp_path / "freezer.state").read_bytes() == b"FROZEN"
    readings.close()


def test_waiting_of_ended_threads_is_kept(tmp_path, monkeypatch):
    waits, times = cgroup.Waits(), {b"1": 10, b"2": 5}
    monkeypatch.setattr(cgroup.os, "listdir", lambda path: list(times))

    class File:
        def __init__(self, path, *rest, **more):
            self.tid = path.split(b"/")[-2]

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def read(self, size):
            return b"0 %d 0" % times[self.tid]

    monkeypatch.setattr(cgroup, "open", File, raising=False)
    assert waits.read([b"1"]) == 15
    del times[b"2"]
    times[b"1"] = 12
    assert waits.read([b"1"]) == 17
