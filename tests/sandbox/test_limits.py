"""The policy object and the list of system calls, as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.sandbox.limits import Limits, seccomp_profile
from referee.settings import Settings, load

DOCUMENTED = [
    ("cpus", 1.0),
    ("memory_mib", 256),
    ("pids", 64),
    ("files", 256),
    ("tmp_mib", 64),
    ("shm_mib", 1),
    ("log_kib", 256),
    ("archive_mib", 20),
    ("unpacked_mib", 100),
    ("unpacked_files", 2000),
    ("dependencies_mib", 200),
    ("build_seconds", 300),
    ("start_seconds", 20),
]


@pytest.mark.parametrize(("name", "value"), DOCUMENTED)
def test_defaults_are_the_documented_ones(name, value):
    assert getattr(Limits(), name) == value


def test_the_base_image_is_one_of_two(tmp_path, monkeypatch):
    assert not load(tmp_path).pull_base
    monkeypatch.setenv("NINEFOLD_BASE_IMAGE", "pull")
    assert load(tmp_path).pull_base
    monkeypatch.setenv("NINEFOLD_BASE_IMAGE", "alpine")
    with pytest.raises(UsageError, match="'base_image' cannot be 'alpine'; it is 'debian' or 'pull'"):
        load(tmp_path)


def test_settings_change_limits_by_name():
    limits = Limits.of(Settings(Path("/nowhere"), limits={"memory_mib": 512, "cpus": 0.5}))
    assert (limits.memory_mib, limits.cpus, limits.pids) == (512, 0.5, 64)
    with pytest.raises(UsageError, match="limit_memory"):
        Limits.of(Settings(Path("/nowhere"), limits={"memory": 512}))


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"memory_mib": 1}, "limit_memory_mib"),
        ({"memory_mib": 256 * 1024 * 1024}, "limit_memory_mib"),
        ({"cpus": 0}, "limit_cpus"),
        ({"tmp_mib": 300}, "limit_tmp_mib"),
        ({"pids": 4}, "limit_pids"),
    ],
)
def test_a_limit_that_cannot_work_is_refused_by_name(values, named):
    with pytest.raises(UsageError, match=named):
        Limits(**values)


PROFILE = json.loads(seccomp_profile())
ALLOWED = {name: rule for rule in PROFILE["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
# What Docker's default allows to nobody, or only with a capability that our containers do not have.
PRIVILEGED = """
    acct add_key afs_syscall bdflush bpf break chroot clock_adjtime64 clock_settime clock_settime64 create_module
    delete_module fanotify_init finit_module fsconfig fsmount fsopen fspick get_kernel_syms get_mempolicy getpmsg gtty
    init_module ioperm iopl kcmp kexec_file_load kexec_load keyctl lookup_dcookie lsm_get_self_attr lsm_set_self_attr
    mbind migrate_pages mount mount_setattr move_mount move_pages nfsservctl open_by_handle_at open_tree
    perf_event_open pidfd_getfd pivot_root process_madvise query_module quotactl quotactl_fd reboot request_key
    security set_mempolicy set_mempolicy_home_node setdomainname sethostname setns settimeofday stime swapoff swapon
    sysfs syslog tuxcall umount umount2 unshare uselib userfaultfd ustat vhangup vm86 vm86old vserver _sysctl
""".split()  # noqa: SIM905 - a list to read
CLOSED_BESIDES = """
    ptrace process_vm_readv process_vm_writev io_uring_setup io_uring_enter io_uring_register mq_open mq_unlink
    socketcall ipc modify_ldt name_to_handle_at landlock_create_ruleset memfd_secret msgget
    io_setup io_submit io_getevents io_destroy fadvise64 fadvise64_64 readahead mincore cachestat preadv2 pwritev2
    sync syncfs sync_file_range
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", PRIVILEGED + CLOSED_BESIDES)
def test_system_call_is_closed(name):
    assert name not in ALLOWED


def test_everything_not_named_is_refused():
    assert PROFILE["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {rule["action"] for rule in PROFILE["syscalls"]} == {"SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"}
    assert all(not rule.get("includes") and not rule.get("excludes") for rule in PROFILE["syscalls"])


def test_conditional_calls_keep_their_conditions():
    families = [rule["args"][0]["value"] for rule in PROFILE["syscalls"] if rule["names"] == ["socket"]]
    assert sorted(families) == [1, 2, 10]
    (clone,) = [rule for rule in PROFILE["syscalls"] if rule["names"] == ["clone"]]
    new_namespaces = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
    assert clone["args"] == [{"index": 0, "value": new_namespaces, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}]
    (clone3,) = [rule for rule in PROFILE["syscalls"] if rule["names"] == ["clone3"]]
    assert (clone3["action"], clone3["errnoRet"]) == ("SCMP_ACT_ERRNO", 38)


def allowed(name, value):
    """Whether the profile lets `name` through with that value of the one argument that its rules look at."""
    rules = [rule for rule in PROFILE["syscalls"] if rule["names"] == [name]]
    assert {rule["args"][0]["op"] for rule in rules} == {"SCMP_CMP_MASKED_EQ"}
    return any(value & rule["args"][0]["value"] == rule["args"][0]["valueTwo"] for rule in rules)


@pytest.mark.parametrize("high", [0, 1 << 32, 0xFFFFFFFF << 32], ids=hex)  # the kernel looks at 32 bits
def test_what_is_looked_at_in_an_argument_is_what_the_kernel_looks_at(high):
    assert [n for n in range(16) if not allowed("setrlimit", high + n)] == [0, 15]  # RLIMIT_CPU, RLIMIT_RTTIME
    closed = {9, 12, 20, 21, 22, 23, 25, 100, 101}
    assert not [n for n in closed if allowed("madvise", high + n)]
    assert all(allowed("madvise", high + n) for n in (0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19))
    assert not allowed("prctl", high + 67)
    assert all(allowed("prctl", high + n) for n in (1, 4, 15, 22, 38, 0x53564D41))


def test_only_64_bit_system_calls():
    assert [arch["subArchitectures"] for arch in PROFILE["archMap"]] == [[], []]
