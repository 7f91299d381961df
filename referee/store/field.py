"""The field of a tournament and its schedule: what planning and conducting need of a draft or a running one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, select

from referee.store.engine import Store
from referee.store.models import Entry, Tournament
from referee.store.queries.tournaments import find
from referee.store.states import EntryState, TournamentState
from referee.tournament.schedule import Schedule

DEFAULT_CAP = 100
"""Blocks a pair is dealt at most until it is separated, unless the organiser says otherwise."""


@dataclass(frozen=True, slots=True)
class Field:
    """Who plays under which settings; `bots[n]`, `owners[n]` and `entry_ids[n]` belong to the entry numbered n."""

    tournament_id: int
    tournament: str
    bots: tuple[str, ...]
    owners: tuple[str, ...]
    entry_ids: tuple[int, ...]
    withdrawn: frozenset[int]
    table_size: int
    sides: int | None
    blocks: int
    matches_per_fixture: int
    same_author: str
    max_sets: int | None
    until_separated: dict[str, Any] | None

    @property
    def most_blocks(self) -> int:
        """Blocks that a set of bots is dealt at most: `blocks`, or the cap where play goes on until all is certain."""
        if self.until_separated is None:
            return self.blocks
        return max(self.blocks, int(self.until_separated.get("max_blocks") or DEFAULT_CAP))

    def schedule(self) -> Schedule:
        """The schedule of this field, the same every time; `UsageError` if there is none, such as for too few bots."""
        return Schedule(
            len(self.bots),
            self.table_size,
            self.most_blocks,
            sides=self.sides,
            owners=self.owners if self.same_author == "apart" else None,
            max_sets=self.max_sets,
        )


def field(store: Store, tournament: str) -> Field:
    """The field of a tournament: frozen once it has started, before that whoever is entered now."""
    return store.fetch(lambda session: field_of(session, find(session, tournament)))


def field_of(session: Session, row: Tournament) -> Field:
    """The field of a tournament at hand."""
    query = select(Entry).where(Entry.tournament_id == row.id).order_by(col(Entry.bot))
    if row.state == TournamentState.DRAFT:
        entries = [entry for entry in session.exec(query) if entry.state == EntryState.ENTERED]
    else:
        entries = sorted(
            (entry for entry in session.exec(query) if entry.number is not None), key=lambda entry: entry.number or 0
        )
    return Field(
        tournament_id=row.id or 0,
        tournament=row.name,
        bots=tuple(entry.bot for entry in entries),
        owners=tuple(str(entry.owner_id) for entry in entries),
        entry_ids=tuple(entry.id or 0 for entry in entries),
        withdrawn=frozenset(n for n, entry in enumerate(entries) if entry.state == EntryState.WITHDRAWN),
        table_size=row.table_size,
        sides=int(row.rules.get("teams") or 0) or None,
        blocks=row.blocks,
        matches_per_fixture=row.matches_per_fixture,
        same_author=row.same_author,
        max_sets=row.options.get("max_sets"),
        until_separated=row.until_separated,
    )
