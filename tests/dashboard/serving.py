"""The real dashboard server on a free port, for tests and screenshots."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dashboard import launch
from referee.settings import Settings


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(data_dir: Path, **settings_of_it: Any) -> Iterator[str]:
    """The dashboard of the league in `data_dir`, as `ninefold up` starts it; its address."""
    settings = Settings(data_dir, port=free_port(), **settings_of_it)
    log = (data_dir.parent / f"dashboard-{settings.port}.log").open("w+")
    process = subprocess.Popen(
        launch.command(settings), env=launch.environment(settings), stdout=log, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{settings.port}"
    try:
        for _ in range(600):
            if process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2).read()
                break
            except OSError:
                time.sleep(0.1)
        if process.poll() is not None:
            log.seek(0)
            raise RuntimeError(f"the dashboard ended with {process.returncode}:\n{log.read()}")
        yield address
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.close()
