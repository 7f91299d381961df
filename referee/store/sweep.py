"""Removes the blobs that nothing refers to any more, in two steps, so that nothing wanted is ever lost.

A blob that no row wants is first set aside, where it reads as before, and is gone for good only if no row wants it a
grace later. Whoever is about to refer to it has put it or asked for it just before, which puts it back; a row that was
committed meanwhile puts it back as well. So the one thing that must hold is that a row follows its blob within the
grace. Each step may be broken off anywhere, or done by two at once.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlmodel import Session, col, or_, select

from referee.errors import NinefoldError, StoreFault
from referee.store import retention
from referee.store.blobs import Blobs
from referee.store.commands.submissions import LIVE
from referee.store.engine import Store, now
from referee.store.models import Setting, Submission, Version
from referee.store.queries.bots import versions_in_use
from referee.store.retention import Policy, Stop

log = structlog.get_logger(__name__)
OWNER = "blobs.owner"
IMAGE_FORMAT = "ninefold-image/1"
"""Of the documents that say which layers an image consists of (referee/sandbox/layers.py)."""


@dataclass(frozen=True, slots=True)
class Swept:
    """How many blobs are in their place, how many bytes they take, and how many are gone for good."""

    kept: int
    kept_bytes: int
    removed: int


def tidy(store: Store, blobs: Blobs, policy: Policy, stop: Stop = lambda: False) -> dict[str, object]:
    """What is kept no longer has been removed, and the run is noted for `status`; what was noted.

    Whatever goes wrong with one kind is noted as `trouble`, and the others are removed all the same; raised is only
    that nothing can be noted.
    """
    done: dict[str, object] = {}
    troubles: list[str] = []

    def builds() -> None:
        swept = sweep(store, blobs, policy.builds_days, policy.grace_seconds, stop)
        done.update(blobs=swept.removed, blobs_kept=swept.kept, blob_bytes=swept.kept_bytes)

    def logs() -> None:
        done["logs"] = retention.remove_logs(store, policy.logs_days, stop) if policy.logs_days else 0

    def replays() -> None:
        done["replays"] = retention.remove_replays(store, policy.replays_days, stop) if policy.replays_days else 0

    for remove in (logs, replays, builds):
        try:
            remove()
        except NinefoldError as error:
            log.error("tidy_failed", what=remove.__name__, error=str(error))
            troubles.append(str(error))
        except Exception as error:  # any library of a place for blobs has errors of its own
            log.exception("tidy_failed", what=remove.__name__)
            troubles.append(f"{type(error).__name__}: {error}")

    def work(session: Session) -> None:
        done["at"] = now(session).isoformat()
        retention.note(session, last=done)

    done["trouble"] = "; ".join(dict.fromkeys(troubles))
    store.write(work)
    return done


def sweep(store: Store, blobs: Blobs, days: float, grace_seconds: float, stop: Stop = lambda: False) -> Swept:
    """Blobs of builds that ended more than `days` days ago, and that nothing may start any more, are on their way out.

    0 days: all are kept. `StoreFault` if the blobs are another league's, or one of them cannot be read.
    """
    removed = 0
    if days:
        _ours(store, blobs)
        limit = retention.expire_builds(store, days)
        blobs.clear_parts(max(grace_seconds, 3600.0))
        aside, present = blobs.aside(), blobs.sizes()  # before the rows are read: what comes later is left alone
        wanted = _wanted(store, blobs, limit)
        for since, digest in aside:
            if stop():
                break
            if digest in wanted:
                blobs.put_back(digest)
            elif time.time() - since >= grace_seconds:
                blobs.forget(since, digest)
                removed += 1
        for digest in present:
            if stop():
                break
            if digest not in wanted:
                blobs.set_aside(digest)
    kept = blobs.sizes()
    return Swept(len(kept), sum(kept.values()), removed)


def _wanted(store: Store, blobs: Blobs, limit: datetime) -> set[str]:
    """Every blob that is owed to somebody: of uploads under way or recent, of versions in use or recent."""

    def work(session: Session) -> tuple[set[str], set[str]]:
        versions = {version.id: version for version in versions_in_use(session, retired_since=limit)}
        recent = select(Version).where(col(Version.progress_at) >= limit)
        versions |= {version.id: version for version in session.exec(recent)}
        named = {name for version in versions.values() for name in (version.source, version.build_log)}
        uploads = select(Submission.archive, Submission.build_log).where(
            or_(
                col(Submission.state).in_(LIVE),
                col(Submission.progress_at) >= limit,
                col(Submission.version_id).in_(list(versions)),
            )
        )
        for row in session.exec(uploads):
            named |= set(row)
        return named, {version.content_digest for version in versions.values()}

    named, images = store.fetch(work, patience=30.0)
    for image in images - {""}:
        named |= {image, *_layers(blobs, image)}
    return named - {""}


def _layers(blobs: Blobs, image: str) -> list[str]:
    """The blobs that an image consists of, by the document that describes it."""
    document = json.loads(blobs.get(image))
    if document.get("format") != IMAGE_FORMAT:
        found = document.get("format")
        raise StoreFault(blobs.place, f"blob {image} describes an image in the unknown format {found!r}")
    return [str(digest) for digest, _size in document["layers"]]


def _ours(store: Store, blobs: Blobs) -> None:
    """These blobs are this league's and no other's: two leagues in one place would remove each other's."""

    def work(session: Session) -> str:
        row = session.get(Setting, OWNER) or Setting(key=OWNER, value=secrets.token_hex(16))
        session.add(row)
        return str(row.value)

    league, found = store.write(work), blobs.owner()
    if not found:
        blobs.own(league)
        found = blobs.owner()
    if found != league:
        raise StoreFault(
            blobs.place,
            "these blobs are marked as another league's, so none is removed; give each league a place of its own, or "
            "remove the file `league` there if no other uses it",
        )
