"""Looks for its own control group, the host's and other seats', and plays on."""

import os

from _deed import at_third_decision, found


def deed():
    with open("/proc/self/cgroup") as file:
        seen = [line for line in file if line.strip().rpartition(":")[2] != "/"]
    seen += [place for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/cgroup", "/run/cgroup") if os.path.exists(place)]
    found(seen)


at_third_decision(deed)
