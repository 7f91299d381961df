"""`probe.py` in a container locked like a bot's: tries what must not work, and reports a line of JSON for each try.

It judges nothing: the referee compares the findings with the limits it set. The most destructive tries come last and in
children, so that the findings get out.
"""

import ctypes
import errno
import json
import os
import platform
import resource
import socket
import stat
import sys
import threading
import time

CALLS = {  # name: number on x86-64, on arm64
    "unshare": (272, 97),
    "setns": (308, 268),
    "ptrace": (101, 117),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "open_by_handle_at": (304, 265),
    "process_vm_readv": (310, 270),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "fsopen": (430, 430),
    "clone3": (435, 435),
    "io_setup": (206, 0),
    "fadvise64": (221, 223),
    "mincore": (27, 232),
    "setrlimit(RLIMIT_CPU)": (160, 164),
}
CLONE_NEWUSER = 0x10000000
libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    checks = (user, status, calls, families, network, writing, tmp, shm, mounts, processes, privileged, seat, files)
    for check in checks:
        try:
            tell(check.__name__, check())
        except Exception as error:
            tell(check.__name__, {"error": f"{type(error).__name__}: {error}"})
    tell("cpu", cpu())
    tell("pids", pids())
    tell("memory", memory(int(sys.argv[1])))


def tell(name: str, finding: object) -> None:
    """One line at a time: under some runtimes the last tries end the whole container."""
    print(json.dumps({name: finding}), flush=True)


def user() -> dict:
    return {"uid": os.getuid(), "euid": os.geteuid(), "gid": os.getgid(), "groups": os.getgroups()}


def status() -> dict:
    wanted = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    with open("/proc/self/status") as file:
        pairs = (line.split(":", 1) for line in file)
        return {key: value.strip() for key, value in pairs if key in wanted}


def calls() -> dict:
    """Each in a child of its own: one that works may well change the process that makes it."""
    column = 0 if platform.machine() == "x86_64" else 1
    results = {name: in_child(numbers[column], CLONE_NEWUSER * (name == "unshare")) for name, numbers in CALLS.items()}
    results["clone(CLONE_NEWUSER)"] = in_child((56, 220)[column], CLONE_NEWUSER | 17)
    return results


def in_child(number: int, argument: int) -> str:
    child = os.fork()
    if child == 0:
        done = libc.syscall(number, argument, 0, 0, 0, 0)
        os._exit(0 if done >= 0 else ctypes.get_errno())
    status = os.waitpid(child, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    return "done" if code <= 0 else errno.errorcode.get(code, str(code))


def families() -> dict:
    results = {}
    for name, number in (("netlink", 16), ("packet", 17), ("vsock", 40), ("alg", 38), ("xdp", 44), ("inet", 2)):
        try:
            socket.socket(number, socket.SOCK_STREAM if number in (2, 40) else socket.SOCK_RAW, 0).close()
            results[name] = "done"
        except OSError as error:
            results[name] = errno.errorcode.get(error.errno or 0, str(error))
    return results


def network() -> dict:
    results: dict = {"interfaces": interfaces()}
    for name, address in (("internet", "198.51.100.1"), ("bridge", "172.17.0.1"), ("metadata", "169.254.169.254")):
        with socket.socket() as probe:
            probe.settimeout(1)
            results[name] = errno.errorcode.get(probe.connect_ex((address, 80)), "other")
    return results


def interfaces() -> list:
    with open("/proc/net/dev") as file:
        return [line.split(":")[0].strip() for line in file.readlines()[2:]]


def writing() -> dict:
    results = {}
    for folder in (
        "/",
        "/bot",
        "/deps",
        "/opt/ninefold",
        "/usr/bin",
        "/etc",
        "/run",
        "/run/ninefold",
        "/dev",
        "/proc/sys",
    ):
        try:
            with open(f"{folder}/written", "w"):
                results[folder] = "done"
        except OSError as error:
            results[folder] = errno.errorcode.get(error.errno or 0, str(error))
    try:
        os.chmod("/usr/bin/env", 0o777)  # noqa: S103
        results["chmod"] = "done"
    except OSError as error:
        results["chmod"] = errno.errorcode.get(error.errno or 0, str(error))
    return results


def tmp() -> dict:
    size = os.statvfs("/tmp")  # noqa: S108
    with open("/tmp/run", "wb") as out, open("/usr/bin/env", "rb") as source:  # noqa: S108
        out.write(source.read())
    os.chmod("/tmp/run", 0o755)  # noqa: S103, S108
    return {"mib": size.f_blocks * size.f_frsize / 2**20, "inodes": size.f_files, "exec": executes("/tmp/run")}  # noqa: S108


def executes(path: str) -> str:
    child = os.fork()
    if child == 0:
        try:
            os.execv(path, [path, "true"])  # noqa: S606
        except OSError as error:
            os._exit(error.errno or 1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return "done" if code == 0 else errno.errorcode.get(code, str(code))


def shm() -> dict:
    size = os.statvfs("/dev/shm")  # noqa: S108
    return {"mib": size.f_blocks * size.f_frsize / 2**20}


def mounts() -> dict:
    with open("/proc/self/mountinfo") as file:
        lines = [line.split() for line in file]
    return {
        "read_only": any(line[4] == "/" and "ro" in line[5].split(",") for line in lines),
        "points": {line[4]: line[line.index("-") + 1] for line in lines},
        "docker": os.path.exists("/var/run/docker.sock"),
    }


def processes() -> list:
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())


def privileged() -> list:
    found = []
    for top, folders, names in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(top, name) not in ("/proc", "/sys")]
        for name in names:
            mode = os.lstat(os.path.join(top, name)).st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                found.append(os.path.join(top, name))
    return found


def seat() -> dict:
    path = os.environ["NINEFOLD_SOCKET"]
    with socket.socket(socket.AF_UNIX) as dialled:
        dialled.settimeout(5)
        answer = dialled.connect_ex(path)
    return {"folder": os.listdir(os.path.dirname(path)), "connect": errno.errorcode.get(answer, "done")}


def files() -> dict:
    opened = []
    try:
        while len(opened) < 100_000:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        reason = errno.errorcode.get(error.errno or 0, str(error))
    else:
        reason = "done"
    for fd in opened:
        os.close(fd)
    return {"opened": len(opened), "stopped": reason, "core": resource.getrlimit(resource.RLIMIT_CORE)[1]}


def cpu() -> dict:
    """Four processes spin for 0.4 s."""
    children = []
    began = time.monotonic()
    for _ in range(4):
        child = os.fork()
        if child == 0:
            while time.monotonic() < began + 0.4:
                pass
            os._exit(0)
        children.append(child)
    used = 0.0
    for child in children:
        usage = os.wait4(child, 0)[2]
        used += usage.ru_utime + usage.ru_stime
    return {"used": used, "wall": time.monotonic() - began}


def memory(limit_mib: int) -> dict:
    """A child takes memory until it is killed, and says how far it came."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        kept = []
        for taken in range(8, 4 * limit_mib, 8):
            kept.append(bytearray(b"x") * (8 << 20))
            os.write(writer, b"%d\n" % taken)
        os._exit(0)
    os.close(writer)
    with open(reader) as file:
        reached = file.read().split()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {"reached_mib": int(reached[-1]) if reached else 0, "code": code}


def pids() -> dict:
    """How many threads fit, started by a child, because they end with it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        stop = threading.Event()
        started = 0
        try:
            while started < 20_000:
                threading.Thread(target=stop.wait, daemon=True).start()
                started += 1
        except RuntimeError:
            pass
        os.write(writer, b"%d" % started)
        os._exit(0)
    os.close(writer)
    with open(reader) as file:
        started = int(file.read() or 0)
    os.waitpid(child, 0)
    return {"threads": started}


if __name__ == "__main__":
    main()
