"""The Docker engine dies in mid-match: a void, not a loss. The engine is a private one, in a folder of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.errors import PlatformFault
from referee.service.host import Platform

pytestmark = [pytest.mark.docker, pytest.mark.skipif(os.geteuid() != 0, reason="an engine of its own needs root")]

PATIENT = """
import time
from botkit import Bot, run

class Patient(Bot):
    def act(self, view, legal):
        time.sleep(0.2)
        return legal[0]

run(Patient())
"""


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


@pytest.fixture
def engine() -> Iterator[PrivateEngine]:
    if shutil.which("dockerd") is None or shutil.which("containerd") is None:
        pytest.skip("dockerd and containerd are not installed here")
    private = PrivateEngine(Path(tempfile.mkdtemp(prefix="nf-engine-")))
    try:
        private.start()
        yield private
    finally:
        private.stop()


def test_an_engine_that_dies_in_mid_match_is_our_fault(cage: Any, engine: PrivateEngine, monkeypatch: Any) -> None:
    images: list[str] = []
    made = type(cage)._images

    async def images_here(house: Any, platform: Platform, bots: Any) -> list[str]:
        """Built by the machine's engine, played by the private one."""
        images[:] = await made(house, platform, bots)
        for image in images:
            await asyncio.to_thread(engine.load, image)
        await platform.close()
        monkeypatch.setenv("DOCKER_HOST", engine.host)
        platform.__init__(platform.config)  # type: ignore[misc]
        return images

    monkeypatch.setattr(type(cage), "_images", images_here)
    playing = asyncio.Event()

    async def during(platform: Platform, spec: Any) -> None:
        client = platform.engine
        assert client is not None
        while len(await client.call(client.api.containers)) < 2:
            await asyncio.sleep(0.1)
        await asyncio.sleep(1.0)
        playing.set()
        engine.dockerd.kill()

    with pytest.raises(PlatformFault) as void:
        cage.play(PATIENT, PATIENT, during=during)
    assert playing.is_set(), str(void.value)
    assert void.value.cause == "docker"
