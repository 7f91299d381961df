"""The Docker engine, as the environment names it (DOCKER_HOST): blocking calls in threads, failures as ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

import docker
import requests
from docker.errors import DockerException, NotFound
from docker.utils import kwargs_from_env

from referee.errors import PlatformFault

P = ParamSpec("P")
T = TypeVar("T")
LABEL = "ninefold"
"""Label key of everything we make; its value is the league's id."""


class Engine:
    """One connection pool to the Docker engine, used from one asyncio loop and by blocking callers alike.

    Nothing is forked; every call has a timeout. `close` waits for removals that are still going on.
    """

    def __init__(self, timeout: float = 60, threads: int = 8) -> None:
        try:
            self.api = docker.APIClient(version="auto", timeout=int(timeout), **kwargs_from_env())
        except (DockerException, requests.RequestException, OSError) as error:
            raise PlatformFault(
                "docker", f"the Docker engine does not answer ({_reason(error)}); start it, or set DOCKER_HOST"
            ) from None
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="docker")
        self._background: set[asyncio.Task[None]] = set()

    def blocking(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of one call of the SDK; `PlatformFault("docker")` for anything that goes wrong in it."""
        try:
            return function(*args, **kwargs)
        except (DockerException, requests.RequestException, OSError) as error:
            raise PlatformFault("docker", _reason(error)) from error

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same, in a thread of this engine's own pool, so that the loop goes on."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: self.blocking(function, *args, **kwargs))

    def detach(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """`work` runs to its end even if whoever asked for it is cancelled; `close` waits for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def remove_container(self, name: str) -> None:
        """No container of that name or id is left, whatever it was doing (blocking; repeats harmlessly)."""
        try:
            self.api.remove_container(name, force=True, v=True)
        except NotFound:
            return
        except docker.errors.APIError as error:
            # 409: another removal of the same container is already in progress, which is what we want
            if error.status_code != 409 or "already in progress" not in str(error):
                raise

    async def close(self) -> None:
        """Removals are done, threads ended, connections closed."""
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)
        self._threads.shutdown(wait=True)
        self.api.close()


def _reason(error: BaseException) -> str:
    explanation = getattr(error, "explanation", None)
    return " ".join(str(explanation or error).split()) or type(error).__name__
