"""`fetch.py BYTES` in a container with a network: a bot's dependencies, fetched and not run; a tar of them on stdout.

BYTES of JSON come on stdin: `runtime`, for Python `requirements` and `constraints`, for Node `package` and `lock`.
Everything that is printed goes to stderr, which is the author's build log.
"""

import json
import os
import subprocess
import sys
import tarfile

WORK = "/tmp/fetch"  # noqa: S108 - a tmpfs of this container


def main() -> int:
    job = json.loads(sys.stdin.buffer.read(int(sys.argv[1])))
    os.makedirs(WORK)
    if job["runtime"] == "node":
        code = node(job)
        top, name = f"{WORK}/node_modules", "node_modules"
    else:
        code = python(job)
        top, name = f"{WORK}/wheels", "wheels"
    if code == 0:
        with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as out:
            if os.path.isdir(top):
                out.add(top, name)
        sys.stdout.buffer.flush()
    return code


def python(job: dict) -> int:
    write("requirements.txt", "\n".join(job["requirements"]))
    write("constraints.txt", "\n".join(job["constraints"]))
    command = [sys.executable, "-m", "pip", "download", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", f"{WORK}/wheels"]
    command += ["-r", f"{WORK}/requirements.txt", "-c", f"{WORK}/constraints.txt"]
    return run(command, {"PYTHONPATH": "/opt/ninefold/tools"})


def node(job: dict) -> int:
    write("package.json", json.dumps(job["package"]))
    npm = ["node", "/opt/ninefold/node/lib/node_modules/npm/bin/npm-cli.js"]
    if job.get("lock"):
        write("package-lock.json", json.dumps(job["lock"]))
        command = [*npm, "ci"]
    else:
        command = [*npm, "install"]
    command += ["--ignore-scripts", "--omit=dev", "--no-bin-links", "--no-audit", "--no-fund", "--no-update-notifier"]
    return run([*command, "--cache=/tmp/npm", "--logs-max=0", "--loglevel=warn"], {})


def write(name: str, text: str) -> None:
    with open(f"{WORK}/{name}", "w", encoding="utf-8") as file:
        file.write(text + "\n")


def run(command: list[str], more: dict[str, str]) -> int:
    done = subprocess.run(command, cwd=WORK, stdin=subprocess.DEVNULL, stdout=sys.stderr, env={**os.environ, **more})
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
