"""Makes and opens devices of the machine, and plays on."""

import os

from _deed import at_third_decision, found, works


def deed():
    attempts = {"mknod": lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)), "char": lambda: os.mknod("/tmp/mem", 0o20600, os.makedev(1, 1))}
    for name in ("mem", "kmsg", "port", "kvm", "fuse", "sda", "vda", "nvme0n1", "loop0", "loop-control", "net/tun", "dri/card0", "uinput", "vhost-net", "userfaultfd"):
        attempts[name] = lambda name=name: os.close(os.open(f"/dev/{name}", os.O_RDONLY))
    usual = {"null", "zero", "full", "random", "urandom", "tty", "console", "ptmx", "pts", "shm", "mqueue", "fd", "stdin", "stdout", "stderr", "core"}
    found(set(os.listdir("/dev")) - usual | {name for name, attempt in attempts.items() if works(attempt)})


at_third_decision(deed)
