"""What the match driver knows of a seat: the `SeatClient` protocol and the messages that pass.

A scripted seat in a test, a bot as a plain process and a bot in a container look alike from here. Messages are plain
data in the words of the game; what they look like on a wire is the client's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from referee.errors import BotFault
from referee.games.base import Action, Json, Rules
from referee.match.clock import Reading

NOTE_CHARACTERS = 200
MAX_MESSAGE_BYTES = 64 * 1024
MAX_STALE_ANSWERS = 100
"""Answers to decisions that are no longer open, in one match: so many are dropped, one more is a fault."""


@dataclass(frozen=True, slots=True)
class MatchStart:
    """A match begins for one seat; nothing in it helps to know the deal."""

    game: str
    rules: Rules
    profile: str | None
    seat: int
    players: int
    commitment: str
    bot_seed: bytes = field(repr=False)
    bank_ms: int
    increment_ms: int
    charged_as: str
    match: int
    """1-based, within the sitting."""


@dataclass(frozen=True, slots=True)
class RoundStart:
    """A round has been dealt; `hand` is the seat's own, empty when it does not play this round."""

    round: int
    playoff: bool
    dealer: int
    players: tuple[int, ...]
    hand: tuple[str, ...]
    upcard: str
    scores: Sequence[int]
    cuts: Sequence[Mapping[int, str]]


class Turn(NamedTuple):
    """The seat must choose. `events` are those since its last Turn, or since the round began, as it may know them."""

    view: Any
    legal: tuple[Action, ...]
    events: list[dict[str, Json]]
    left_ms: float
    charged_ms: float


class RoundEnd(NamedTuple):
    """A round has ended and all hands are shown. Lists are by seat; a seat that did not play has no cards and 0.

    All but `events`, the last, is the same for every seat.
    """

    reason: str
    by: int | None
    hands: tuple[tuple[str, ...], ...]
    penalties: tuple[int, ...]
    totals: tuple[int, ...]
    events: list[dict[str, Json]]


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """The match is over; lists are by seat, `forfeited` names seats."""

    places: tuple[int, ...]
    totals: tuple[int, ...]
    forfeited: tuple[int, ...]


class Answer(NamedTuple):
    """The answer to the open decision: an index into its legal actions, or an action. `at` is when it came."""

    pick: int | Action
    note: str
    at: Reading


@dataclass(frozen=True, slots=True)
class SeatLog:
    """What the bot printed since the last time it was asked for; `cut` if more was printed than is kept."""

    text: bytes = b""
    cut: bool = False


class SeatClient(Protocol):
    """One bot at one seat, for one sitting. Sending never blocks and never fails: trouble is told through `listen`.

    A client keeps a bounded amount per seat whatever the bot sends: at most the one `answer` to the open decision.
    """

    answer: Answer | None
    """The answer to the open decision, until the driver takes it (and sets None)."""
    failing: bool
    """The bot has failed, or seems to; `verdict()` says how."""

    def listen(self, news: Callable[[], None]) -> None:
        """From now on `news()` is called whenever `answer` or `failing` has been set."""

    async def start(self) -> None:
        """The bot has said Hello. Raises `BotFault` if it failed to, `PlatformFault` if we did."""

    def reading(self) -> Reading:
        """Wall and processor time now; cheap, made twice for every decision."""

    def look(self) -> Reading:
        """The same, with the delays."""

    def match_start(self, message: MatchStart) -> None: ...

    def round_start(self, message: RoundStart) -> None: ...

    def ask(self, turn: Turn) -> None:
        """A decision is open from now on; an answer to an older one is dropped and counted."""

    def withdraw(self) -> None:
        """No decision is open any more: the match ended while the seat was asked."""

    def round_end(self, message: RoundEnd) -> None: ...

    def match_end(self, message: MatchEnd) -> None: ...

    async def verdict(self) -> BotFault:
        """Why the seat is failing, on evidence; raises `PlatformFault` if the evidence points to us."""

    def pause(self) -> None:
        """The bot gets no processor time until `resume`, where that can be done."""

    def resume(self) -> None: ...

    def log(self) -> SeatLog:
        """What the bot printed since the last call."""

    async def stop(self, reason: str) -> None:
        """The seat is told Goodbye (`done`, `forfeit`, `shutdown`); nothing of it is left. Never raises."""


def shortened(value: object, limit: int = 200) -> str:
    """At most `limit` characters of what a bot sent, on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[:limit] + "…"
