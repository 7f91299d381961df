"""Mounts, unmounts and moves file systems, and plays on."""

import os

from _deed import at_third_decision, call, found, in_child


def deed():
    os.mkdir("/tmp/here")
    attempts = {
        "tmpfs": lambda: call(165, b"none", b"/tmp/here", b"tmpfs", 0, 0),
        "bind": lambda: call(165, b"/bot", b"/tmp/here", b"", 4096, 0),
        "proc": lambda: call(165, b"none", b"/tmp/here", b"proc", 0, 0),
        "remount": lambda: call(165, b"none", b"/", b"", 32 | 4096, 0),
        "umount": lambda: call(166, b"/run/ninefold", 2),
        "pivot_root": lambda: call(155, b"/tmp", b"/tmp/here"),
        "chroot": lambda: os.chroot("/tmp"),
        "fsopen": lambda: call(430, b"tmpfs", 0),
        "open_tree": lambda: call(428, -100, b"/bot", 1),
        "move_mount": lambda: call(429, -100, b"/bot", -100, b"/tmp/here", 0),
        "mount_setattr": lambda: call(442, -100, b"/", 0, 0, 0),
    }
    found(name for name, attempt in attempts.items() if in_child(attempt))


at_third_decision(deed)
