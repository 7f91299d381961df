"""`compile.py [FOLDER…]`, run while the base image is made: pycs for all, never checked against their source.

Also takes every set-user-id and set-group-id bit away, which a pulled base may have.
"""

import compileall
import os
import py_compile
import stat
import sys
import sysconfig

UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH


def main() -> int:
    for top in ("/usr", "/opt"):
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                mode = os.lstat(path).st_mode
                if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                    os.chmod(path, mode & 0o755)
    for folder in sys.argv[1:] or ["/opt/ninefold", sysconfig.get_path("stdlib")]:
        # Not all of a library need compile: some carry templates or files for other Python versions.
        compileall.compile_dir(folder, quiet=2, workers=2, invalidation_mode=UNCHECKED)
    return 0 if os.path.isdir("/opt/ninefold/lib/grpc/__pycache__") else 1


if __name__ == "__main__":
    sys.exit(main())
