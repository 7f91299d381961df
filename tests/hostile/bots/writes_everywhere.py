"""Tries to write into every folder there is, and to change its own code, and plays on."""

import os

from _deed import at_third_decision, found, works


def deed():
    may = ("/tmp", "/dev/shm")
    written = []
    for top, folders, _ in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(top, name) not in ("/proc", *may)]
        try:
            with open(os.path.join(top, "written"), "w"):
                written.append(top)
        except OSError:
            continue
    for path in (__file__, "/usr/bin/python3.11", "/etc/hosts", "/etc/resolv.conf", "/etc/hostname", "/etc/passwd"):
        if works(lambda path=path: open(path, "r+")) or works(lambda path=path: os.chmod(path, 0o777)):
            written.append(path)
    if not os.statvfs("/").f_flag & os.ST_RDONLY:
        written.append("the root is not mounted read-only")
    found(written)


at_third_decision(deed)
