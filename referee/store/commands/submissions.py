"""Uploads on their way to a version: submitted, claimed, named, admitted or refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from referee.errors import Conflict, NotFound, QuotaExceeded, Refused
from referee.match.fixture import PARKING_CAUSES
from referee.store.commands import quotas
from referee.store.commands.accounts import quota_of
from referee.store.commands.transaction import audit, of, once, the_bot
from referee.store.engine import Store, now
from referee.store.models import AuditRecord, Bot, Setting, Submission, User, Version
from referee.store.retention import noted
from referee.store.rows import key_of
from referee.store.states import SubmissionState, VersionState
from referee.wording import counted

LEASE_SECONDS = 60.0
LIVE = (SubmissionState.WAITING, SubmissionState.RUNNING)
OUR_FAILURES = 3
"""A build that failed this often by our fault is given up, so that it cannot hold the queue."""


@dataclass(frozen=True, slots=True)
class ClaimedSubmission:
    """An upload that one worker is dealing with; it is theirs while `attempt` is the current one."""

    submission_id: int
    attempt: int
    owner: str
    name: str
    archive: str


def submit(
    store: Store, owner_id: int, archive: str, archive_bytes: int, *, name: str = "", request_id: str = ""
) -> int:
    """The upload waits its turn; its id. Raises `QuotaExceeded`, or `Conflict` while submissions are frozen."""

    def work(session: Session) -> int:
        user = session.get(User, owner_id, with_for_update=True)  # what is counted stays true until it is committed
        if user is None:
            raise NotFound("user", owner_id)
        frozen = session.get(Setting, "submissions_frozen")
        if frozen is not None:
            raise Conflict(
                f"submissions are frozen: {frozen.value.get('reason') or 'no reason given'}", "try again later"
            )
        quotas.demand_submission(session, user, archive_bytes)
        at = now(session)
        row = Submission(
            owner_id=owner_id,
            name=name,
            archive=archive,
            archive_bytes=archive_bytes,
            state=SubmissionState.WAITING,
            stage="queue",
            created_at=at,
            progress_at=at,
        )
        session.add(row)
        session.flush()
        return key_of(row)

    return int(once(store, of("submit", archive), request_id, work))


def claim_submission(
    store: Store, submission_id: int, *, worker: str, lease_seconds: float = LEASE_SECONDS
) -> ClaimedSubmission | None:
    """The waiting upload belongs to `worker` for `lease_seconds`; None if it is not waiting (any more)."""

    def work(session: Session) -> ClaimedSubmission | None:
        row = _locked(session, submission_id)
        if row is None or row.state != SubmissionState.WAITING:
            return None
        at = now(session)
        row.state, row.stage, row.reason = SubmissionState.RUNNING, "unpack", ""
        row.attempt += 1
        row.lease_owner, row.lease_expires_at, row.progress_at = worker, at + timedelta(seconds=lease_seconds), at
        session.add(row)
        owner = session.get(User, row.owner_id)
        return ClaimedSubmission(submission_id, row.attempt, owner.name if owner else "", row.name, row.archive)

    return store.write(work)


def progress_submission(
    store: Store, claim: ClaimedSubmission, stage: str, *, reason: str = "", lease_seconds: float = LEASE_SECONDS
) -> bool:
    """The upload's stage is known and its lease renewed; False if it is no longer this worker's, which must stop."""

    def work(session: Session) -> bool:
        row = _held(session, claim)
        if row is None:
            return False
        at = now(session)
        row.stage, row.reason, row.progress_at = stage, reason, at
        row.lease_expires_at = at + timedelta(seconds=lease_seconds)
        session.add(row)
        version = session.get(Version, row.version_id) if row.version_id else None
        if version is not None:
            version.stage, version.progress_at = stage, at
            session.add(version)
        return True

    return store.write(work, patience=None)


def name_submission(
    store: Store, claim: ClaimedSubmission, *, name: str, digest: str, games: list[str], runtime: str, source: str = ""
) -> tuple[str, int] | None:
    """The upload is a version of the bot `name`, building; (name, number), None if it is no longer this worker's.

    `Refused` if the name belongs to another author or the author has no room for one more bot.
    """

    def work(session: Session) -> tuple[str, int] | None:
        row = _held(session, claim)
        if row is None:
            return None
        at = now(session)
        bot = session.exec(select(Bot).where(Bot.name == name).with_for_update()).one_or_none()
        if bot is None:
            user = session.get(User, row.owner_id)
            limit = quota_of(session, user)["bots"] if user else 0
            have = session.exec(
                select(func.count()).select_from(Bot).where(Bot.owner_id == row.owner_id, col(Bot.retired_at).is_(None))
            ).one()
            if have >= limit:
                raise Refused("manifest", str(QuotaExceeded("bots", limit)), "retire one you no longer need")
            bot = Bot(name=name, owner_id=row.owner_id, created_at=at)
            session.add(bot)
            session.flush()
        elif bot.owner_id != row.owner_id:
            raise Refused("manifest", f"the name {name!r} belongs to another author", "choose another name in bot.toml")
        version = session.get(Version, row.version_id) if row.version_id else None
        if version is None or version.bot_id != bot.id:
            last = session.exec(select(func.max(Version.number)).where(Version.bot_id == bot.id)).one()
            version = Version(
                bot_id=key_of(bot),
                number=(last or 0) + 1,
                digest=digest,
                state=VersionState.BUILDING,
                stage="manifest",
                progress_at=at,
                created_at=at,
                games=games,
                runtime=runtime,
                source=source or row.archive,
            )
            session.add(version)
            session.flush()
        row.bot_id, row.version_id, row.name, row.progress_at = bot.id, version.id, name, at
        session.add(row)
        return name, version.number

    return store.write(work, patience=None)


def admit_submission(
    store: Store,
    claim: ClaimedSubmission,
    *,
    image: str,
    image_bytes: int = 0,
    digest: str = "",
    content_digest: str = "",
    build_log: str = "",
    reason: str = "",
) -> bool:
    """The version can be entered from now on; False if the upload was no longer this worker's.

    An image larger than its author's quota is refused instead, at `build`.
    """

    def work(session: Session) -> bool:
        row = _held(session, claim)
        if row is None:
            done = session.get(Submission, claim.submission_id)
            return done is not None and done.attempt == claim.attempt and done.state == SubmissionState.ADMITTED
        version = session.get(Version, row.version_id) if row.version_id else None
        if version is None:
            raise Conflict(f"submission {claim.submission_id} has no version yet", "name it first")
        owner = session.get(User, row.owner_id)
        limit = quota_of(session, owner)["image_mib"] if owner else 0
        if image_bytes > limit * 2**20:
            size = f"the bot's own part of its image has {image_bytes / 2**20:,.1f} MiB and your quota is {limit} MiB"
            _refuse(session, row, "build", f"{size}; depend on less, or ask an organiser for more", build_log)
            return False
        at = now(session)
        version.state, version.stage, version.reason = VersionState.ADMITTED, "admitted", reason
        version.image, version.content_digest, version.build_log = image, content_digest, build_log
        version.image_bytes = image_bytes
        version.digest = digest or version.digest  # with the dependencies, known only now
        version.progress_at = at
        _end(row, SubmissionState.ADMITTED, "admitted", reason, build_log, at)
        session.add(version)
        session.add(row)
        return True

    return store.write(work, patience=None)


def refuse_submission(store: Store, claim: ClaimedSubmission, *, stage: str, reason: str, build_log: str = "") -> bool:
    """The upload was refused at `stage`; the last good version stays active. False if it was not this worker's."""

    def work(session: Session) -> bool:
        row = _held(session, claim)
        if row is None:
            done = session.get(Submission, claim.submission_id)
            return done is not None and done.attempt == claim.attempt and done.state == SubmissionState.REFUSED
        _refuse(session, row, stage, reason, build_log)
        return True

    return store.write(work, patience=None)


def release_submission(store: Store, claim: ClaimedSubmission, *, cause: str, reason: str) -> bool:
    """Our failure: the upload waits again, nothing is held against its author. After `OUR_FAILURES` failures of the
    parking causes it ends as refused, with the reason, and the author may send it again."""

    def work(session: Session) -> bool:
        row = _held(session, claim)
        if row is None:
            return False
        _release(session, row, cause, reason)
        return True

    return store.write(work, patience=None)


def expire_submissions(store: Store, *, grace_seconds: float = 0.0) -> int:
    """Uploads whose worker fell silent wait again; how many."""

    def work(session: Session) -> int:
        limit = now(session) - timedelta(seconds=grace_seconds)
        rows = session.exec(
            select(Submission)
            .where(Submission.state == SubmissionState.RUNNING, col(Submission.lease_expires_at) < limit)
            .order_by(col(Submission.id))
            .with_for_update()
        ).all()
        for row in rows:
            _release(session, row, "lease_lost", f"worker {row.lease_owner} fell silent")
        return len(rows)

    return store.write(work)


def set_retired(
    store: Store, bot: str, retired: bool, *, by: str, organiser: bool = True, reason: str = "", request_id: str = ""
) -> None:
    """The bot is entered in nothing new, or may be again; what it plays and has played stays.

    `Conflict` if it was retired for so long that retention has removed its image; a new version brings it back. Also if
    somebody else retired it, an organiser then, and `by` is none.
    """

    def work(session: Session) -> None:
        row = the_bot(session, bot)
        if (row.retired_at is not None) == retired:
            return
        if not retired:
            if not organiser and (other := _retired_by(session, bot)) != by:
                why = row.retire_reason or "no reason given"
                raise Conflict(f"{bot!r} was retired by {other} ({why}); ask an organiser")
            _check_image(session, row)
        row.retired_at, row.retire_reason = (now(session), reason) if retired else (None, "")
        session.add(row)
        audit(session, by, "bot retire" if retired else "bot unretire", bot, reason)

    once(store, of("retire" if retired else "unretire", bot), request_id, work)


def _retired_by(session: Session, bot: str) -> str:
    query = select(AuditRecord.actor).where(AuditRecord.target == bot, AuditRecord.action == "bot retire")
    return session.exec(query.order_by(col(AuditRecord.id).desc())).first() or ""


def _check_image(session: Session, bot: Bot) -> None:
    builds = noted(session).get("builds")
    if (
        builds is None
        or bot.retired_at is None
        or bot.retired_at >= (before := datetime.fromisoformat(builds["before"]))
    ):
        return
    newest = session.exec(
        select(func.max(Version.progress_at)).where(Version.bot_id == bot.id, Version.state == VersionState.ADMITTED)
    ).one()
    if newest is not None and newest < before:
        raise Conflict(
            f"the image of {bot.name!r} was removed by retention after {counted(builds['days'], 'day')} of retirement",
            "submit the bot again, then take the retirement back",
        )


def _locked(session: Session, submission_id: int) -> Submission | None:
    return session.exec(select(Submission).where(Submission.id == submission_id).with_for_update()).one_or_none()


def _held(session: Session, claim: ClaimedSubmission) -> Submission | None:
    row = _locked(session, claim.submission_id)
    if row is None or row.state != SubmissionState.RUNNING or row.attempt != claim.attempt:
        return None
    return row


def _end(row: Submission, state: str, stage: str, reason: str, build_log: str, at: datetime) -> None:
    row.state, row.stage, row.reason, row.build_log = state, stage, reason, build_log
    row.ended_at = row.progress_at = at
    row.lease_owner, row.lease_expires_at = "", None


def _refuse(session: Session, row: Submission, stage: str, reason: str, build_log: str) -> None:
    at = now(session)
    version = session.get(Version, row.version_id) if row.version_id else None
    if version is not None:
        version.state, version.stage, version.reason = VersionState.REFUSED, stage, reason
        version.build_log, version.progress_at = build_log, at
        session.add(version)
    _end(row, SubmissionState.REFUSED, stage, reason, build_log, at)
    session.add(row)


def _release(session: Session, row: Submission, cause: str, reason: str) -> None:
    failures = int(row.details.get("our_failures", 0)) + (cause in PARKING_CAUSES)
    row.details = {**row.details, "our_failures": failures}
    if failures >= OUR_FAILURES:
        _refuse(
            session, row, row.stage, f"the league itself failed {failures} times ({cause}: {reason}); send it again", ""
        )
        return
    row.state, row.stage, row.reason = SubmissionState.WAITING, "queue", f"waiting again: {cause}: {reason}"
    row.lease_owner, row.lease_expires_at, row.progress_at = "", None, now(session)
    session.add(row)
