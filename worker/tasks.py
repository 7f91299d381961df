"""Thin tasks: they decide when, the referee decides how, the store decides what counts.

Running one twice changes nothing.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import structlog

from referee.errors import NinefoldError, PlatformFault, Refused, UsageError
from referee.match.fixture import FixtureSpec
from referee.store.commands import fixtures, ratings, submissions
from referee.store.commands.submissions import ClaimedSubmission
from worker.app import app
from worker.context import Context, current
from worker.referee_client import Lost

log = structlog.get_logger(__name__)
RENEW_PART = 4
"""A lease is renewed four times in its span, so three renewals may be late."""


@app.task(name="ninefold.play_fixture")  # type: ignore[untyped-decorator]
def play_fixture(fixture_id: str) -> None:
    """Have one queued fixture played and record it; ids travel, rows do not."""
    context = current()
    if context.stopping.is_set() or context.referee.health().trouble:
        return  # it stays queued; the heartbeat says why, and the conductor gives it to others
    lease = context.settings.lease_seconds
    spec = fixtures.claim_fixture(
        context.store,
        fixture_id,
        worker=context.name,
        machine=context.machine,
        lease_seconds=lease,
        referee=context.address,
    )
    if spec is None:  # final, cancelled, paused, or leased to another worker
        return
    told = log.bind(fixture=spec.fixture_id, attempt=spec.attempt)
    context.playing.add(spec.fixture_id)
    try:
        result = context.referee.run_fixture(spec, _keeper(context, spec), context.stopping)
        recorded = fixtures.record_fixture(context.store, spec, result)
        told.info("recorded" if recorded else "not_ours_any_more", matches=len(result.matches))
    except Lost:
        told.info("lost")
    except PlatformFault as fault:  # our fault: void, played again on the same deals, nobody loses a point
        _void(context, spec, fault.cause, fault.reason)
    except UsageError as error:  # the referee cannot play what it was asked to, or is still playing an old attempt
        _void(context, spec, "internal", str(error))
    except Exception as error:
        told.exception("play_failed")
        _void(context, spec, "internal", f"{type(error).__name__}: {error}")
    finally:
        context.playing.discard(spec.fixture_id)


@app.task(name="ninefold.build_bot")  # type: ignore[untyped-decorator]
def build_bot(submission_id: int) -> None:
    """Have one waiting upload judged: admitted or refused with stage and reason, or waiting again by our fault."""
    context = current()
    if context.stopping.is_set() or context.referee.health().trouble:
        return
    claim = submissions.claim_submission(context.store, submission_id, worker=context.name)
    if claim is None:
        return
    folder = Path(tempfile.mkdtemp(prefix="upload-", dir=_uploads(context)))
    try:
        _build(context, claim, folder)
    except Lost:
        log.info("submission_lost", submission=submission_id)
    except Refused as refused:
        reason = refused.reason + (f"; {refused.fix}" if refused.fix else "")
        submissions.refuse_submission(context.store, claim, stage=refused.stage, reason=reason)
    except PlatformFault as fault:
        context.note_fault(fault.cause, fault.reason)
        submissions.release_submission(context.store, claim, cause=fault.cause, reason=fault.reason)
    except Exception as error:
        log.exception("build_failed", submission=submission_id)
        reason = str(error) if isinstance(error, NinefoldError) else f"{type(error).__name__}: {error}"
        submissions.release_submission(context.store, claim, cause="internal", reason=reason)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@app.task(name="ninefold.rate")  # type: ignore[untyped-decorator]
def rate(tournament: str) -> None:
    """Fit the ratings of a tournament to all results so far, if they are behind."""
    import numpy as np  # here, because a worker that only plays should not carry it

    from referee.tournament.ratings import rate as fit
    from referee.tournament.results import PairColumns

    store = current().store
    data = ratings.rating_data(store, tournament)
    if data is None:
        return
    columns = np.array(data.rows, dtype=np.int64).reshape(-1, 5)
    fitted = fit(
        PairColumns.from_arrays(*(columns[:, i] for i in range(5))),
        sides=data.sides,
        entries=data.entries,
        withdrawn=data.withdrawn,
    )
    rows = [
        {
            "entry": row.entry,
            "rating": row.rating,
            "low": row.low,
            "high": row.high,
            "games": row.games,
            "blocks": row.blocks,
            "provisional": row.provisional,
        }
        for row in fitted.rows.values()
    ]
    ratings.store_ratings(store, data, rows)


def _keeper(context: Context, spec: FixtureSpec) -> Callable[[str], bool]:
    """Renews the lease at signs of life, now and then; False once the fixture is no longer ours."""
    lease = context.settings.lease_seconds
    renewed = time.monotonic()

    def keep(stage: str) -> bool:
        nonlocal renewed
        if time.monotonic() - renewed < lease / RENEW_PART and time.monotonic() - renewed < 5.0:
            return True
        renewed = time.monotonic()
        return fixtures.renew_lease(
            context.store, spec, stage=stage, lease_seconds=lease, give_up=context.stopping.is_set
        )

    return keep


def _void(context: Context, spec: FixtureSpec, cause: str, reason: str) -> None:
    context.note_fault(cause, reason)
    log.warning("void", fixture=spec.fixture_id, attempt=spec.attempt, cause=cause, reason=reason)
    fixtures.void_fixture(context.store, spec, cause=cause, reason=reason)


def _build(context: Context, claim: ClaimedSubmission, folder: Path) -> None:
    archive = folder / "archive"
    with context.blobs.open(claim.archive) as source, archive.open("wb") as target:
        shutil.copyfileobj(source, target)
    with _Renewal(context, claim) as renewal:
        _follow(context, claim, archive, renewal)


class _Renewal:
    """Keeps an upload's lease while its build may be silent for minutes."""

    def __init__(self, context: Context, claim: ClaimedSubmission) -> None:
        self._context, self._claim = context, claim
        self._done = threading.Event()
        self.stage, self.text = "unpack", ""

    def __enter__(self) -> _Renewal:
        threading.Thread(target=self._renew, name="renewal", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def at(self, stage: str, text: str) -> None:
        """The build is at this stage now; raises `Lost` if it is no longer this worker's."""
        self.stage, self.text = stage, text
        if not submissions.progress_submission(self._context.store, self._claim, stage, reason=text):
            raise Lost(self._claim.submission_id)

    def _renew(self) -> None:
        while not self._done.wait(submissions.LEASE_SECONDS / RENEW_PART):
            submissions.progress_submission(self._context.store, self._claim, self.stage, reason=self.text)


def _follow(context: Context, claim: ClaimedSubmission, archive: Path, renewal: _Renewal) -> None:
    """The build's updates are written down as they come, to the verdict."""
    store = context.store
    for update in context.referee.build(str(archive), claim.name, f"s{claim.submission_id}", context.stopping):
        match update.WhichOneof("update"):
            case "stage":
                renewal.at(update.stage.stage, update.stage.text)
            case "named":
                named = submissions.name_submission(
                    store,
                    claim,
                    name=update.named.name,
                    digest=update.named.digest,
                    games=list(update.named.games),
                    runtime=update.named.runtime,
                )
                if named is None:
                    raise Lost(claim.submission_id)
            case "admitted":
                submissions.admit_submission(
                    store,
                    claim,
                    image=update.admitted.image,
                    image_bytes=update.admitted.image_bytes,
                    content_digest=update.admitted.content_digest,
                    digest=update.admitted.digest,
                    build_log=_kept(context, update.admitted.log),
                )
                return
            case "rejected":
                rejected = update.rejected
                submissions.refuse_submission(
                    store,
                    claim,
                    stage=rejected.stage,
                    reason=rejected.reason + (f"; {rejected.fix}" if rejected.fix else ""),
                    build_log=_kept(context, rejected.log),
                )
                return
            case "void":
                raise PlatformFault(update.void.cause, update.void.reason)
    raise PlatformFault("shutdown", "the referee ended the build without a verdict")


def _kept(context: Context, text: bytes) -> str:
    return context.blobs.put(text) if text else ""


def _uploads(context: Context) -> Path:
    folder: Any = context.settings.data_dir / "builds"
    folder.mkdir(parents=True, exist_ok=True)
    return Path(folder)
