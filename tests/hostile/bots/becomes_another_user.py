"""Becomes root or another user, by call or by set-user-id file, and plays on."""

import os
import stat

from _deed import at_third_decision, call, found, in_child


def deed():
    attempts = {
        "setuid": lambda: os.setuid(0),
        "setgid": lambda: os.setgid(0),
        "setreuid": lambda: os.setreuid(0, 0),
        "setgroups": lambda: os.setgroups([0]),
        "another": lambda: os.setuid(os.getuid() + 1),
        "chown": lambda: os.chown("/tmp", 0, 0),
        "personality": lambda: call(135, 0x0040000),
    }
    seen = [name for name, attempt in attempts.items() if in_child(attempt)]
    if os.getuid() < 1000 or os.getgid() < 1000:
        seen.append(f"uid {os.getuid()} gid {os.getgid()}")
    with open("/proc/self/status") as file:
        seen += [line.strip() for line in file if line.startswith("Cap") and int(line.split()[1], 16)]
    for top, _, names in os.walk("/usr"):
        seen += [f"{top}/{name}" for name in names if (s := os.lstat(f"{top}/{name}")).st_mode & (stat.S_ISUID | stat.S_ISGID) and stat.S_ISREG(s.st_mode)]
    found(seen)


at_third_decision(deed)
