"""Services that tests need: a missing one skips on a developer's machine and fails in CI, where it never skips."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

import pytest

pytest_plugins = ("tests.services",)

CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def _has_docker() -> bool:
    import docker

    try:
        docker.from_env(timeout=10).ping()
    except Exception:
        return False
    return True


PROBES = {
    "docker": ("a Docker engine (DOCKER_HOST or /var/run/docker.sock)", _has_docker),
    "postgres": ("PostgreSQL's server programs", lambda: bool(shutil.which("pg_ctl") or _debian_pg())),
    "redis": ("redis-server", lambda: bool(shutil.which("redis-server"))),
    "rabbitmq": ("rabbitmq-server", lambda: bool(shutil.which("rabbitmq-server"))),
    "browser": ("Chromium (/usr/bin/chromium)", lambda: os.path.exists("/usr/bin/chromium")),
}


def _debian_pg() -> str:
    found = subprocess.run(["sh", "-c", "ls -d /usr/lib/postgresql/*/bin/pg_ctl 2>/dev/null | tail -n 1"], capture_output=True, text=True)
    return found.stdout.strip()


_present: dict[str, bool] = {}
_ended: list[int] = []
"""The exit code, once all tests have ended."""


def pytest_configure(config: pytest.Config) -> None:
    """What leagues of tests note of themselves is not noted among the developer's own."""
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="nf-state-")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    _ended.append(int(exitstatus))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """All has been told, so the process ends here: threads of gRPC that a failed test has left would hold it for ever."""
    shutil.rmtree(os.environ.pop("XDG_STATE_HOME", ""), ignore_errors=True)
    if _ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_ended[-1])


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name, (what, probe) in PROBES.items():
        if item.get_closest_marker(name) is None:
            continue
        if name not in _present:
            _present[name] = probe()
        if not _present[name]:
            if CI:
                pytest.fail(f"{what} is missing; CI must have it", pytrace=False)
            pytest.skip(f"{what} is missing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("-m"):
        return
    kept = [item for item in items if item.get_closest_marker("long") is None]
    config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long") is not None])
    items[:] = kept
