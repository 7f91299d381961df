"""What an organiser does with a tournament: create, enter, start, pause, resume, cancel, withdraw."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session, col, select

from referee.errors import Conflict, NotFound, StoreError, UsageError
from referee.match.fixture import Clock
from referee.store.commands import quotas
from referee.store.commands.endings import active_entries, end_unplayed, fixtures_with, settle, sides
from referee.store.commands.transaction import audit, of, once, the_bot, the_tournament
from referee.store.engine import Store, now
from referee.store.models import Bot, Entry, Fixture, Tournament, User, Version
from referee.store.rows import key_of
from referee.store.states import ENDED, LIVE, EntryState, FixtureState, TournamentState, VersionState
from referee.tournament import seeds
from referee.wording import counted

TOURNAMENT_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
MOST_NAMED = 10
"""So many bots that cannot play are named in one sentence; the others are counted."""


@dataclass(frozen=True, slots=True)
class NewTournament:
    """What `create_tournament` needs. `rules` are complete; `seed` empty means one drawn at random."""

    name: str
    game: str
    rules: Mapping[str, Any]
    profile: str | None = None
    table_size: int = 2
    blocks: int = 4
    matches_per_fixture: int = 5
    clock: Clock = field(default_factory=Clock)
    same_author: str = ""
    format: str = "round-robin"
    kind: str = "league"
    seed: bytes = field(default=b"", repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    until_separated: Mapping[str, Any] | None = None


def create_tournament(
    store: Store, new: NewTournament, *, by: str, bots: Sequence[str] = (), request_id: str = ""
) -> int:
    """The tournament takes entries, these bots are in it, and its master seed is committed; its id.

    `Conflict` if the name is taken or one of the bots cannot be entered: then there is no tournament. `QuotaExceeded`
    if it is a challenge and the account `by` has made too many.
    """
    _check(new)
    master = new.seed or secrets.token_bytes(32)

    def work(session: Session) -> int:
        if session.exec(select(Tournament).where(Tournament.name == new.name)).first() is not None:
            raise Conflict(f"tournament {new.name!r} exists already", "choose another name")
        if new.kind == "challenge":
            author = session.exec(select(User).where(User.name == by).with_for_update()).one_or_none()
            if author is not None:
                quotas.demand_challenge(session, author)
        at = now(session)
        row = Tournament(
            name=new.name,
            kind=new.kind,
            format=new.format,
            game=new.game,
            rules=dict(new.rules),
            profile=new.profile,
            table_size=new.table_size,
            blocks=new.blocks,
            matches_per_fixture=new.matches_per_fixture,
            bank_ms=new.clock.bank_ms,
            increment_ms=new.clock.increment_ms,
            same_author=new.same_author or ("apart" if new.table_size > 2 else "free"),
            options=dict(new.options),
            until_separated=dict(new.until_separated) if new.until_separated is not None else None,
            commitment=hashlib.sha256(master).hexdigest(),
            master_seed=master.hex(),
            seed_chosen=bool(new.seed),
            state=TournamentState.DRAFT,
            stage="entry open",
            progress_at=at,
            created_by=by,
            created_at=at,
        )
        session.add(row)
        session.flush()
        audit(session, by, "tournament create", new.name, game=new.game, seed_chosen=bool(new.seed))
        refused = []
        for bot in dict.fromkeys(bots):
            try:
                _enter(session, row, bot, by)
            except StoreError as error:
                refused.append(str(error))
        if refused:
            raise Conflict(f"tournament {new.name!r} is not created: {'; '.join(refused)}")
        return key_of(row)

    whose = bots if new.kind == "challenge" else ()  # a challenge has its name from its request id
    return int(once(store, of("create_tournament", new.name, *whose), request_id, work))


def enter(store: Store, tournament: str, bot: str, *, by: str, request_id: str = "") -> None:
    """The bot is entered; which version plays is settled at the start. Entering twice changes nothing."""

    def work(session: Session) -> None:
        _enter(session, the_tournament(session, tournament), bot, by)

    once(store, of("enter", tournament, bot), request_id, work)


def _enter(session: Session, row: Tournament, bot: str, by: str) -> None:
    """The bot is entered in the tournament, whose row is locked or new."""
    found = the_bot(session, bot)
    if row.state != TournamentState.DRAFT:
        raise Conflict(f"tournament {row.name!r} is {row.state}: entries are closed")
    if found.retired_at is not None:
        raise Conflict(f"bot {bot!r} is retired", "submit a new version under another name or take the retirement back")
    if _latest(session, found, row.game) is None:
        raise Conflict(f"bot {bot!r} has no admitted version that plays {row.game}", "submit one first")
    entry = _entry(session, row, bot)
    if entry is None:
        entry = Entry(
            tournament_id=key_of(row),
            bot_id=key_of(found),
            bot=bot,
            owner_id=found.owner_id,
            state=EntryState.ENTERED,
            entered_at=now(session),
        )
    elif entry.state == EntryState.ENTERED:
        return
    entry.state, entry.reason, entry.withdrawn_at = EntryState.ENTERED, "", None
    session.add(entry)
    audit(session, by, "tournament enter", row.name, bot=bot)


def start(store: Store, tournament: str, *, by: str, request_id: str = "") -> None:
    """The field is frozen with the latest admitted versions, the salt known, and play begins. Twice changes nothing.

    A bot without a working version is withdrawn with a reason. `Conflict` if too few are left for one table.
    """

    def work(session: Session) -> None:
        row = the_tournament(session, tournament)
        if row.state in (TournamentState.RUNNING, TournamentState.PAUSED):
            return
        if row.state in ENDED:
            raise Conflict(f"tournament {tournament!r} is {row.state} and cannot be started again", "create a new one")
        at = now(session)
        entries = session.exec(
            select(Entry)
            .where(Entry.tournament_id == row.id, Entry.state == EntryState.ENTERED)
            .order_by(col(Entry.bot))
        ).all()
        frozen: list[Entry] = []
        out: list[str] = []
        for entry in entries:
            bot = session.get(Bot, entry.bot_id)
            version = _latest(session, bot, row.game) if bot is not None and bot.retired_at is None else None
            if version is None:
                entry.state, entry.withdrawn_at = EntryState.WITHDRAWN, at
                retired = bot is not None and bot.retired_at is not None
                entry.reason = "the bot is retired" if retired else "the bot has no working version"
                out.append(f"{entry.bot!r} ({'retired' if retired else 'no working version'})")
            else:
                entry.version_id, entry.version, entry.digest = version.id, version.number, version.digest
                frozen.append(entry)
        if len(frozen) < sides(row):
            raise Conflict(
                f"tournament {tournament!r} has {counted(len(frozen), 'bot')} that can play and a table needs "
                f"{sides(row)}{_not_playing(out)}",
                "enter more bots",
            )
        for number, entry in enumerate(sorted(frozen, key=lambda entry: entry.bot)):
            entry.number = number
        session.add_all(entries)
        row.salt = seeds.salt([bytes.fromhex(entry.digest) for entry in frozen]).hex()
        row.state, row.stage, row.started_at, row.progress_at = TournamentState.RUNNING, "playing", at, at
        session.add(row)
        audit(session, by, "tournament start", tournament, entries=len(frozen))

    once(store, of("start", tournament), request_id, work)


def _not_playing(out: Sequence[str]) -> str:
    """Those who are entered and cannot play, named after a sentence that counts who can."""
    more = f" and {len(out) - MOST_NAMED} more" if len(out) > MOST_NAMED else ""
    return f" (entered and unable to play: {', '.join(out[:MOST_NAMED])}{more})" if out else ""


def pause(store: Store, tournament: str, *, by: str, reason: str = "", request_id: str = "") -> None:
    """No fixture of the tournament begins any more; those being played end in their time. Twice changes nothing."""

    def work(session: Session) -> None:
        row = _playing(session, tournament, "paused")
        if row.state == TournamentState.PAUSED:
            return
        row.state, row.stage, row.reason = TournamentState.PAUSED, "paused", reason
        row.progress_at = now(session)
        session.add(row)
        for fixture in session.exec(
            select(Fixture).where(Fixture.tournament_id == row.id, Fixture.state == FixtureState.QUEUED)
        ):
            fixture.state, fixture.queued_at = FixtureState.PLANNED, None
            session.add(fixture)
        audit(session, by, "tournament pause", tournament, reason)

    once(store, of("pause", tournament), request_id, work)


def resume(store: Store, tournament: str, *, by: str, request_id: str = "") -> None:
    """A paused tournament plays on. Resuming twice changes nothing."""

    def work(session: Session) -> None:
        row = _playing(session, tournament, "resumed")
        if row.state == TournamentState.RUNNING:
            return
        row.state, row.stage, row.reason = TournamentState.RUNNING, "playing", ""
        row.progress_at = now(session)
        session.add(row)
        audit(session, by, "tournament resume", tournament)

    once(store, of("resume", tournament), request_id, work)


def cancel(store: Store, tournament: str, *, by: str, reason: str = "", request_id: str = "") -> None:
    """The tournament is over at once: whatever was not finished never will be. Cancelling twice changes nothing."""

    def work(session: Session) -> None:
        row = the_tournament(session, tournament)
        if row.state == TournamentState.CANCELLED:
            return
        if row.state == TournamentState.DONE:
            raise Conflict(f"tournament {tournament!r} is done; finished records never change")
        why = reason or f"the tournament was cancelled by {by}"
        for fixture in session.exec(
            select(Fixture)
            .where(Fixture.tournament_id == row.id, col(Fixture.state).in_(LIVE))
            .order_by(col(Fixture.id))
        ).all():
            end_unplayed(session, row, fixture, state=FixtureState.CANCELLED, cause="cancelled", reason=why)
        row.cancelled_fixtures += (
            max((row.total_fixtures or 0) - row.planned_fixtures, 0) if not row.schedule_done else 0
        )
        row.state, row.stage, row.reason, row.schedule_done = TournamentState.CANCELLED, "ended", why, True
        row.ended_at = row.progress_at = now(session)
        session.add(row)
        audit(session, by, "tournament cancel", tournament, reason)

    once(store, of("cancel", tournament), request_id, work)


def cancel_challenges(store: Store, author: str, *, by: str) -> list[str]:
    """The challenges that this author made are over at once; the names of those that were not before."""

    def made(session: Session) -> list[str]:
        query = select(Tournament.name).where(Tournament.kind == "challenge", Tournament.created_by == author)
        return list(session.exec(query.where(col(Tournament.state).not_in(ENDED))))

    names = store.fetch(made)
    for name in names:
        cancel(store, name, by=by, reason=f"{author} was banned")
    return names


def withdraw(store: Store, tournament: str, bot: str, *, by: str, reason: str = "", request_id: str = "") -> None:
    """The bot plays no further fixture here: those not begun are cancelled with a reason, all records stay as they are.

    With too few left for a table the tournament ends. Withdrawing twice changes nothing."""

    def work(session: Session) -> None:
        row = the_tournament(session, tournament)
        entry = _entry(session, row, bot)
        if entry is None:
            raise NotFound(f"entry in {tournament!r} called", bot)
        if entry.state == EntryState.WITHDRAWN:
            return
        if row.state in ENDED:
            raise Conflict(f"tournament {tournament!r} is {row.state}; finished records never change")
        why = reason or f"{bot} was withdrawn"
        entry.state, entry.reason, entry.withdrawn_at = EntryState.WITHDRAWN, why, now(session)
        session.add(entry)
        states = (FixtureState.PLANNED, FixtureState.QUEUED, FixtureState.PARKED)
        for fixture in fixtures_with(session, key_of(row), key_of(entry), states):
            end_unplayed(session, row, fixture, state=FixtureState.CANCELLED, cause="withdrawn", reason=why)
        settle(session, row)
        audit(session, by, "tournament withdraw", tournament, reason, bot=bot)

    once(store, of("withdraw", tournament, bot), request_id, work)


def remaining(session: Session, tournament: Tournament) -> int:
    """How many entries still play."""
    return active_entries(session, key_of(tournament))


def _check(new: NewTournament) -> None:
    if not TOURNAMENT_NAME.fullmatch(new.name):
        raise UsageError(
            f"tournament name {new.name!r} cannot be used; use lower-case letters, digits and '-', at most 63"
        )
    for what, value, low, high in (
        ("table size", new.table_size, 2, 6),
        ("number of blocks", new.blocks, 1, 100_000),
        ("number of matches a fixture", new.matches_per_fixture, 1, 1_000),
    ):
        if not low <= value <= high:
            raise UsageError(f"the {what} cannot be {value}; choose {low} to {high}")
    if new.same_author not in ("", "apart", "free"):
        raise UsageError(f"same-author cannot be {new.same_author!r}; use apart or free")
    if new.seed and len(new.seed) != 32:
        raise UsageError(f"a master seed has 32 bytes (64 hex digits), not {len(new.seed)}")


def _playing(session: Session, name: str, what: str) -> Tournament:
    row = the_tournament(session, name)
    if row.state not in (TournamentState.RUNNING, TournamentState.PAUSED):
        raise Conflict(f"tournament {name!r} is {row.state} and cannot be {what}")
    return row


def _entry(session: Session, tournament: Tournament, bot: str) -> Entry | None:
    return session.exec(select(Entry).where(Entry.tournament_id == tournament.id, Entry.bot == bot)).one_or_none()


def _latest(session: Session, bot: Bot, game: str) -> Version | None:
    query = (
        select(Version)
        .where(Version.bot_id == bot.id, Version.state == VersionState.ADMITTED)
        .order_by(col(Version.number).desc())
    )
    return next((version for version in session.exec(query) if game in version.games), None)
