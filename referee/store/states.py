"""Words of the store: every state a row can be in. They are plain strings in the database, so SQL stays readable."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What an account may do; an organiser may do everything an author may."""

    AUTHOR = "author"
    ORGANISER = "organiser"


class SubmissionState(StrEnum):
    """Where an upload stands. Waiting and running are live; the other two are final."""

    WAITING = "waiting"
    RUNNING = "running"
    ADMITTED = "admitted"
    REFUSED = "refused"


class VersionState(StrEnum):
    """Where a version of a bot stands; only an admitted one can be entered."""

    BUILDING = "building"
    ADMITTED = "admitted"
    REFUSED = "refused"


class TournamentState(StrEnum):
    """A draft takes entries; running and paused ones have a frozen field; done and cancelled never change again."""

    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class EntryState(StrEnum):
    """An entry plays until it is withdrawn."""

    ENTERED = "entered"
    WITHDRAWN = "withdrawn"


class FixtureState(StrEnum):
    """Planned (in the window), queued (a message was sent), running (leased), parked (for the organiser), or final."""

    PLANNED = "planned"
    QUEUED = "queued"
    RUNNING = "running"
    PARKED = "parked"
    DONE = "done"
    CANCELLED = "cancelled"
    DROPPED = "dropped"


class MatchState(StrEnum):
    """Only finished matches have rows: done ones count, the others say why they were never played to an end."""

    DONE = "done"
    CANCELLED = "cancelled"
    DROPPED = "dropped"


class MachineState(StrEnum):
    """A machine that stepped back is given nothing to play until its probe is clean again."""

    READY = "ready"
    STEPPED_BACK = "stepped_back"


LIVE = (FixtureState.PLANNED, FixtureState.QUEUED, FixtureState.RUNNING, FixtureState.PARKED)
"""States a fixture can leave."""
PENDING = (FixtureState.PLANNED, FixtureState.QUEUED)
"""States in which a fixture has not been claimed."""
ENDED = (TournamentState.DONE, TournamentState.CANCELLED)

POINT = 120
"""Units of one match point: a share of opponents placed behind, ties half, is a whole number of these at any table."""
