"""Every error that Ninefold raises on purpose, on one screen.

Three blames are kept apart to the end: the bot's (`RulesError`, `BotFault`), the upload's (`Refused`),
and ours (`PlatformFault`). Fields travel in `args`, so an error survives a process boundary; the sentence is in
`__str__` and says what happened, with which value, and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from referee.wording import counted


class NinefoldError(Exception):
    """Anything that Ninefold raises on purpose; `str()` is one sentence fit for a user."""


class UsageError(NinefoldError):
    """A caller asked for something that makes no sense: exit code 2."""


class InvalidRules(UsageError):
    """An option of a game is unknown, out of range, or does not go with another."""

    def __init__(self, option: str, value: object, allowed: str) -> None:
        super().__init__(option, value, allowed)
        self.option, self.value, self.allowed = option, value, allowed

    def __str__(self) -> str:
        return f"option {self.option!r} cannot be {self.value!r}: {self.allowed}"


class RulesError(NinefoldError):
    """A seat did something the rules do not allow."""


class IllegalAction(RulesError):
    """A seat chose an action that its state does not allow; the match driver decides what follows."""

    def __init__(self, seat: int, action: str, rule: str, reason: str, legal: Sequence[str]) -> None:
        super().__init__(seat, action, rule, reason, tuple(legal))
        self.seat, self.action, self.rule, self.reason, self.legal = seat, action, rule, reason, tuple(legal)

    def __str__(self) -> str:
        return (
            f"seat {self.seat} chose {self.action}, not legal under {self.rule} ({self.reason}); "
            f"choose one of: {', '.join(self.legal)}"
        )


class BotFault(NinefoldError):
    """A bot failed on evidence from its own container; its seat forfeits the match.

    `kind` is one of `start illegal malformed protocol timeout memory crash exit`; `detail` names the rule or limit
    (public); `sent` is what the bot sent, shortened, for its owner only.
    """

    def __init__(
        self,
        seat: int,
        kind: str,
        detail: str,
        sent: str = "",
        ms: float | None = None,
        cpu_ms: float | None = None,
        limit_ms: float | None = None,
    ) -> None:
        super().__init__(seat, kind, detail, sent, ms, cpu_ms, limit_ms)
        self.seat, self.kind, self.detail, self.sent = seat, kind, detail, sent
        self.ms, self.cpu_ms, self.limit_ms = ms, cpu_ms, limit_ms

    def __str__(self) -> str:
        return f"seat {self.seat} forfeits ({self.kind}): {self.detail}"


class Refused(NinefoldError):
    """An upload was refused at `stage` (`unpack manifest dependencies build trial`): exit code 1."""

    def __init__(self, stage: str, reason: str, fix: str = "") -> None:
        super().__init__(stage, reason, fix)
        self.stage, self.reason, self.fix = stage, reason, fix

    def __str__(self) -> str:
        return f"refused at {self.stage}: {self.reason}" + (f"; {self.fix}" if self.fix else "")


class PlatformFault(NinefoldError):
    """Our own failure: the fixture is void and played again on the same deals; no bot loses anything.

    `cause` is one of `docker guarantee internal host_memory lease_lost shutdown`.
    """

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(cause, reason)
        self.cause, self.reason = cause, reason

    def __str__(self) -> str:
        return f"{self.cause}: {self.reason}"


class ReplayError(NinefoldError):
    """A replay file cannot be read, or does not follow from its seed and decisions."""


class Unreachable(NinefoldError):
    """The league cannot be reached: exit code 3."""


class StoreError(NinefoldError):
    """Something about the league's records: exit code 1 unless a subclass says otherwise."""


LISTED = {
    "bot": "`ninefold bot list` shows what there is",
    "tournament": "`ninefold tournament list` shows what there is",
    "fixture": "`ninefold replay list` shows which have been played",
    "match": "`ninefold replay list` shows what has been played",
    "replay of match": "`ninefold replay list` shows what has been played",
    "user": "`ninefold user list` shows who is there",
    "token": "`ninefold token list` shows what there is",
}
"""Where the names of things of a kind can be looked up."""


class NotFound(StoreError):
    """Nothing of that kind has that name, or the caller may not know of it: the sentence is the same."""

    def __init__(self, kind: str, name: object) -> None:
        super().__init__(kind, name)
        self.kind, self.name = kind, name

    def __str__(self) -> str:
        return f"{self.what}; {LISTED.get(self.kind, 'check the spelling')}"

    @property
    def what(self) -> str:
        """That it is not there, without what to do."""
        return f"there is no {self.kind} {str(self.name)!r}"


class Removed(NotFound):
    """It was there once, and retention has removed it: the league keeps such things for `days` days."""

    def __init__(self, kind: str, name: object, days: float) -> None:
        super().__init__(kind, name)
        self.args, self.days = (kind, name, days), days

    def __str__(self) -> str:
        return f"the {self.kind} {str(self.name)!r} was removed by retention after {counted(self.days, 'day')}"


class Silent(NotFound):
    """A bot that played printed nothing: there is no log, and there has never been one."""

    def __str__(self) -> str:
        return f"{self.kind} printed nothing in match {str(self.name)!r}"


class Conflict(StoreError):
    """A command does not go with the state things are in; nothing was changed."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what, fix)
        self.what, self.fix = what, fix

    def __str__(self) -> str:
        return self.what + (f"; {self.fix}" if self.fix else "")


class QuotaExceeded(StoreError):
    """An author has used up an allowance; `quota` is its name among the settings.

    `clears_at` (ISO 8601, UTC) says when there is room again; empty if only an organiser can make some.
    """

    _COUNTED: ClassVar[Mapping[str, tuple[str, str]]] = {
        "archive_mib": ("MiB an archive", "MiB an archive"),
        "bots": ("bot", "bots"),
        "challenges_at_once": ("challenge at once", "challenges at once"),
        "challenges_per_hour": ("challenge per hour", "challenges per hour"),
        "queued_builds": ("build at once", "builds at once"),
        "submissions_per_day": ("submission per day", "submissions per day"),
        "submissions_per_hour": ("submission per hour", "submissions per hour"),
    }

    def __init__(self, quota: str, limit: int, clears_at: str = "") -> None:
        super().__init__(quota, limit, clears_at)
        self.quota, self.limit, self.clears_at = quota, limit, clears_at

    def __str__(self) -> str:
        allowance = counted(self.limit, *self._COUNTED.get(self.quota, (self.quota, self.quota)))
        when = f"there is room again at {self.clears_at}, and " if self.clears_at else ""
        return (
            f"the quota of {allowance} is used up; {when}an organiser can raise it: "
            f"`ninefold admin quota USER {self.quota}=N`"
        )


class StoreBusy(StoreError):
    """The database is locked by another program or away; the same command may work a little later."""

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(place, detail)
        self.place, self.detail = place, detail

    def __str__(self) -> str:
        return f"the store {self.place} is busy or away ({self.detail}); end what holds it and try again"


class StoreFault(StoreError):
    """The database refused something it should have taken; our own failure."""

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(place, detail)
        self.place, self.detail = place, detail

    def __str__(self) -> str:
        return f"the store {self.place} failed ({self.detail}); the log has the details"


class SchemaMismatch(StoreError):
    """The store was written by an earlier release (upgrade it) or by a later one (use that release)."""

    def __init__(self, place: str, found: str, needed: str, newer: bool) -> None:
        super().__init__(place, found, needed, newer)
        self.place, self.found, self.needed, self.newer = place, found, needed, newer

    def __str__(self) -> str:
        if self.newer:
            return (
                f"the store {self.place} has schema {self.found}, written by a later release than this one "
                f"(which knows {self.needed}); use that release"
            )
        return (
            f"the store {self.place} has schema {self.found} and this release needs {self.needed}; "
            "run `ninefold store upgrade` (all data is kept)"
        )
