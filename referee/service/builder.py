"""The Builder service: judges uploads for the worker of this machine, one after another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import structlog

from protos.ninefold.v1 import build_pb2 as pb
from protos.ninefold.v1 import build_pb2_grpc
from referee.errors import PlatformFault
from referee.service.images import Images
from referee.service.judge import Admitted, Judge, Named, Rejected, Stage, Update

SERVICE = "ninefold.v1.Builder"
log = structlog.get_logger(__name__)


class BuilderServicer(build_pb2_grpc.BuilderServicer):
    """`ninefold.v1.Builder` over a `Judge`."""

    def __init__(
        self, judge: Judge, trouble: Callable[[], str] = lambda: "", images: Images | None = None, at_once: int = 1
    ) -> None:
        """`images` is where the image of an admitted bot is kept for other machines; None where there are no images."""
        self._judge, self._trouble, self._images = judge, trouble, images
        self._turn = asyncio.Semaphore(at_once)

    async def Build(self, request: pb.BuildRequest, context: Any) -> AsyncIterator[pb.BuildUpdate]:  # noqa: N802
        if why := self._trouble():
            yield pb.BuildUpdate(void=pb.BuildVoid(cause="guarantee", reason=why))
            return
        if self._turn.locked():
            yield pb.BuildUpdate(stage=pb.Stage(stage="queue", text="another build is going on"))
        async with self._turn:
            updates = self._judge.judge(Path(request.archive), request.name, request.job or "trial")
            try:
                async for update in updates:
                    message = encoded(update)
                    if isinstance(update, Admitted) and request.keep_image and self._images is not None:
                        kept = await self._images.keep(update.image)
                        message.admitted.content_digest = kept.content_digest
                        message.admitted.image_bytes = kept.own_bytes
                    yield message
            except PlatformFault as fault:
                yield pb.BuildUpdate(void=pb.BuildVoid(cause=fault.cause, reason=fault.reason))
            except Exception as error:
                log.exception("a build failed by our fault", job=request.job)
                yield pb.BuildUpdate(
                    void=pb.BuildVoid(cause="internal", reason=f"{type(error).__name__}: {error}"[:500])
                )
            finally:
                await updates.aclose()  # type: ignore[attr-defined]


def encoded(update: Update) -> pb.BuildUpdate:
    """The update as it goes over the wire."""
    match update:
        case Stage():
            return pb.BuildUpdate(stage=pb.Stage(stage=update.stage, text=update.text))
        case Named():
            m = update.manifest
            return pb.BuildUpdate(named=pb.Named(name=m.name, games=m.games, runtime=m.runtime, digest=update.digest))
        case Admitted():
            return pb.BuildUpdate(admitted=pb.Admitted(image=update.image, digest=update.digest, log=update.log))
        case Rejected():
            r = update.refused
            return pb.BuildUpdate(rejected=pb.Rejected(stage=r.stage, reason=r.reason, fix=r.fix, log=update.log))
