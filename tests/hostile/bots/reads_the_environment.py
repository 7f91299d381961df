"""Looks through its environment and that of its first process, and plays on."""

import os

from _deed import at_third_decision, found


def deed():
    ours = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_CTYPE", "HOSTNAME", "PWD"}
    ours |= {name for name in os.environ if name.startswith(("PYTHON", "GRPC_", "OPENBLAS_", "NINEFOLD_SOCKET"))}
    with open("/proc/1/environ", "rb") as file:
        first = {entry.split(b"=")[0].decode() for entry in file.read().split(b"\0") if entry}
    found((set(os.environ) | first) - ours)


at_third_decision(deed)
