"""A Docker engine of a test's own, so that stopping it, or looking at what it holds, concerns nobody else."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


class PrivateEngine:
    """containerd and dockerd with their own roots, sockets and pid files under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host = f"unix://{folder}/d.sock"
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        c, d = self.folder / "c", self.folder / "d"
        log = (self.folder / "log").open("wb")

        def run(*command: object) -> subprocess.Popen[bytes]:
            process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log)
            self._processes.append(process)
            return process

        run("containerd", "--root", c / "root", "--state", c / "state", "--address", c / "sock")
        self._wait((c / "sock").exists)
        self.dockerd = run(  # in a network of its own: `--bridge none` deletes the docker0 it finds, the machine's own
            "unshare", "--net", "dockerd", "--containerd", c / "sock", "--data-root", d / "data", "--exec-root", d / "exec",
            "--pidfile", d / "pid", "-H", self.host, "--bridge", "none", "--iptables=false", "--ip-forward=false",
            "--ip-masq=false",
        )  # fmt: skip
        self._wait(lambda: subprocess.run(["docker", "-H", self.host, "info"], capture_output=True).returncode == 0)

    def load(self, image: str) -> None:
        """The image of the machine's own engine is here too."""
        save = subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE)
        subprocess.run(["docker", "-H", self.host, "load"], stdin=save.stdout, check=True, capture_output=True)
        assert save.wait() == 0

    def stop(self) -> None:
        """Everything that was started under the folder is gone, and the folder."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if command.startswith(b"/usr/bin/containerd-shim") and str(self.folder).encode() in command:
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.3)
        mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for path in sorted((p for p in mounted if p.startswith(str(self.folder))), reverse=True):
            subprocess.run(["umount", "-l", path], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def _wait(ready: Any) -> None:
        for _ in range(300):
            if ready():
                return
            time.sleep(0.1)
        raise TimeoutError("the private engine did not start")


@contextmanager
def private_engine() -> Iterator[PrivateEngine]:
    """A private engine that runs, for as long as the block lasts."""
    if shutil.which("dockerd") is None or shutil.which("containerd") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("dockerd and containerd are not installed here")
    private = PrivateEngine(Path(tempfile.mkdtemp(prefix="nf-engine-")))
    try:
        private.start()
        yield private
    finally:
        private.stop()
