"""Bots with their versions, and submissions on their way."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, false, func, or_, select

from referee.errors import NotFound
from referee.store.engine import Store
from referee.store.models import Bot, Entry, Submission, Tournament, User, Version
from referee.store.rows import key_of
from referee.store.states import ENDED, SubmissionState, VersionState


def bots(store: Store, *, owner: str = "", game: str = "", after: str = "", limit: int = 1_000) -> list[dict[str, Any]]:
    """Bots by name, each with its latest admitted version (None if it has none), from the name `after` on."""

    def work(session: Session) -> list[dict[str, Any]]:
        query = (
            select(Bot, User.name)
            .join(User, col(User.id) == col(Bot.owner_id))
            .where(col(Bot.name) > after)
            .order_by(col(Bot.name))
            .limit(limit)
        )
        if owner:
            query = query.where(User.name == owner)
        found = session.exec(query).all()
        versions: dict[int, Version] = {}
        ids = [key_of(bot) for bot, _ in found]
        for version in session.exec(
            select(Version)
            .where(col(Version.bot_id).in_(ids), Version.state == VersionState.ADMITTED)
            .order_by(col(Version.number))
        ):
            versions[version.bot_id] = version
        rows = [_line(bot, name, versions.get(key_of(bot))) for bot, name in found]
        return [row for row in rows if not game or game in row["games"]]

    return store.fetch(work)


def newest(store: Store, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """State and stage of the newest version of these bots, whatever became of it; none for those without."""

    def work(session: Session) -> dict[str, tuple[str, str]]:
        query = (
            select(Bot.name, Version.state, Version.stage)
            .join(Version, col(Version.bot_id) == col(Bot.id))
            .where(col(Bot.name).in_(names))
            .order_by(col(Version.number))
        )
        return {name: (state, stage) for name, state, stage in session.exec(query)}

    return store.fetch(work)


def bot(store: Store, name: str) -> dict[str, Any]:
    """One bot with all its versions, newest first; `NotFound` names what was looked for."""

    def work(session: Session) -> dict[str, Any]:
        row = session.exec(
            select(Bot, User.name).join(User, col(User.id) == col(Bot.owner_id)).where(Bot.name == name)
        ).one_or_none()
        if row is None:
            raise NotFound("bot", name)
        found, owner = row
        versions = session.exec(
            select(Version).where(Version.bot_id == found.id).order_by(col(Version.number).desc())
        ).all()
        active = next((version for version in versions if version.state == VersionState.ADMITTED), None)
        return {**_line(found, owner, active), "versions": [_version(version) for version in versions]}

    return store.fetch(work)


def images_in_use(store: Store) -> set[str]:
    """Ids of the images that may still be started (see `versions_in_use`)."""
    return store.fetch(lambda session: {version.image for version in versions_in_use(session) if version.image})


def versions_in_use(session: Session, *, retired_since: datetime | None = None) -> list[Version]:
    """Versions that may still be started: for each game the newest of bots not retired, since that is what the next
    tournament takes, and whatever is entered in a tournament that has not ended. Bots retired since that moment count
    as not retired."""
    active = or_(col(Bot.retired_at).is_(None), col(Bot.retired_at) >= retired_since if retired_since else false())
    found: dict[int, Version] = {}
    taken: set[tuple[int, str]] = set()
    for version in session.exec(
        select(Version)
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .where(active, Version.state == VersionState.ADMITTED)
        .order_by(col(Version.bot_id), col(Version.number).desc())
    ):
        games = {(version.bot_id, game) for game in version.games} - taken
        if games:
            taken |= games
            found[key_of(version)] = version
    entered = (
        select(Version)
        .join(Entry, col(Entry.version_id) == col(Version.id))
        .join(Tournament, col(Tournament.id) == col(Entry.tournament_id))
        .where(col(Tournament.state).not_in(ENDED))
    )
    found |= {key_of(version): version for version in session.exec(entered)}
    return list(found.values())


def submission(store: Store, submission_id: int) -> dict[str, Any]:
    """Where an upload stands: stage, reason, place in the queue (1 is next, 0 no longer waiting)."""

    def work(session: Session) -> dict[str, Any]:
        row = session.get(Submission, submission_id)
        if row is None:
            raise NotFound("submission", submission_id)
        return _submission(session, row)

    return store.fetch(work)


def submissions(store: Store, *, owner: str = "", bot: str = "", limit: int = 50) -> list[dict[str, Any]]:
    """Uploads, newest first."""

    def work(session: Session) -> list[dict[str, Any]]:
        query = select(Submission).order_by(col(Submission.id).desc()).limit(limit)
        if owner:
            query = query.join(User, col(User.id) == col(Submission.owner_id)).where(User.name == owner)
        if bot:  # an upload that names another's bot is none of that bot's
            query = query.outerjoin(Bot, col(Bot.name) == col(Submission.name))
            own = or_(col(Bot.id).is_(None), col(Bot.owner_id) == col(Submission.owner_id))
            query = query.where(Submission.name == bot, own)
        return [_submission(session, row) for row in session.exec(query)]

    return store.fetch(work)


def waiting_submissions(store: Store, *, limit: int = 50) -> list[int]:
    """The uploads that wait, the next one first."""
    query = (
        select(Submission.id)
        .where(Submission.state == SubmissionState.WAITING)
        .order_by(col(Submission.id))
        .limit(limit)
    )
    return store.fetch(lambda session: [int(key) for key in session.exec(query) if key is not None])


def _line(bot: Bot, owner: str, version: Version | None) -> dict[str, Any]:
    return {
        "name": bot.name,
        "owner": owner,
        "created_at": bot.created_at,
        "retired_at": bot.retired_at,
        "retire_reason": bot.retire_reason,
        "version": version.number if version else None,
        "digest": version.digest if version else None,
        "games": version.games if version else [],
        "runtime": version.runtime if version else None,
    }


def _version(row: Version) -> dict[str, Any]:
    return {
        "version": row.number,
        "state": row.state,
        "stage": row.stage,
        "reason": row.reason,
        "digest": row.digest,
        "games": row.games,
        "runtime": row.runtime,
        "image": row.image,
        "image_bytes": row.image_bytes,
        "content_digest": row.content_digest,
        "build_log": row.build_log,
        "source": row.source,
        "created_at": row.created_at,
        "progress_at": row.progress_at,
    }


def _submission(session: Session, row: Submission) -> dict[str, Any]:
    place = 0
    if row.state == SubmissionState.WAITING:
        ahead = select(func.count()).select_from(Submission)
        ahead = ahead.where(Submission.state == SubmissionState.WAITING, col(Submission.id) < key_of(row))
        place = int(session.exec(ahead).one()) + 1
    owner = session.get(User, row.owner_id)
    version = session.get(Version, row.version_id) if row.version_id else None
    return {
        "submission": row.id,
        "owner": owner.name if owner else "",
        "name": row.name,
        "version": version.number if version else None,
        "state": row.state,
        "stage": row.stage,
        "reason": row.reason,
        "queue_place": place,
        "created_at": row.created_at,
        "progress_at": row.progress_at,
        "ended_at": row.ended_at,
        "build_log": row.build_log,
        "archive_bytes": row.archive_bytes,
    }
