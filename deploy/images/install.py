"""`install.py BYTES ENTRY` in the locked cage, without network: wheels installed, all compiled; a tar of it on stdout.

BYTES of tar come on stdin: `wheels/` and `bot/`. Back go `deps/` and the compiled files of `bot/`. If the bot's ENTRY
file, or what it imports of its own, does not compile, that is said on stdout instead and the exit code is 65.
Nothing of the bot or its dependencies is run: wheels have no install step, and compiling executes nothing.
"""

import compileall
import io
import os
import py_compile
import subprocess
import sys
import tarfile

from syntax import mistake

WORK = "/tmp/install"  # noqa: S108 - a tmpfs of this container
NOT_COMPILED = 65


def main() -> int:
    given = sys.stdin.buffer.read(int(sys.argv[1]))
    with tarfile.open(fileobj=io.BytesIO(given)) as archive:
        archive.extractall(WORK)  # noqa: S202 - written by the referee, names checked; 3.11.2 knows no filters
    os.makedirs(f"{WORK}/bot", exist_ok=True)
    if wrong := mistake(f"{WORK}/bot", sys.argv[2]):
        sys.stdout.buffer.write(wrong.encode("utf-8", "replace"))
        return NOT_COMPILED
    wheels = sorted(os.listdir(f"{WORK}/wheels")) if os.path.isdir(f"{WORK}/wheels") else []
    if wheels:
        command = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile", "--no-cache-dir"]
        command += ["--disable-pip-version-check", "--no-input", "--progress-bar=off", "--root-user-action=ignore"]
        command += ["--target", f"{WORK}/deps", *(f"{WORK}/wheels/{name}" for name in wheels)]
        environment = {**os.environ, "PYTHONPATH": "/opt/ninefold/tools"}
        done = subprocess.run(command, cwd=WORK, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment)
        if done.returncode:
            return done.returncode
    sys.stdout = sys.stderr  # compileall reports on stdout, and a file that cannot be compiled is only reported
    for name in ("deps", "bot"):
        if os.path.isdir(f"{WORK}/{name}"):
            compileall.compile_dir(
                f"{WORK}/{name}",
                quiet=1 if name == "bot" else 2,
                maxlevels=40,
                stripdir=WORK,
                prependdir="/",
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
    with tarfile.open(fileobj=sys.__stdout__.buffer, mode="w|") as out:
        if os.path.isdir(f"{WORK}/deps"):
            out.add(f"{WORK}/deps", "deps")
        for folder, _, files in os.walk(f"{WORK}/bot"):
            for name in files:
                if folder.endswith("/__pycache__"):
                    path = os.path.join(folder, name)
                    out.add(path, os.path.relpath(path, WORK))
    return 0


if __name__ == "__main__":
    sys.exit(main())
