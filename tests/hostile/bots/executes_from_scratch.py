"""Copies a program into the folders it can write to and executes it there, and plays on."""

import os
import shutil
import subprocess

from _deed import at_third_decision, found, works


def deed():
    seen = []
    for folder in ("/tmp", "/dev/shm"):
        path = f"{folder}/program"
        if works(lambda path=path: shutil.copy("/usr/bin/env", path)):
            os.chmod(path, 0o755)
            if works(lambda path=path: subprocess.run([path, "true"], check=True)):
                seen.append(path)
    found(seen)


at_third_decision(deed)
