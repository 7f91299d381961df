"""What a game is: its options, its rounds, its scoring. `registry.py` is the only list of games.

A game is a set of pure rules: no I/O, no clock, no global randomness. Everything random comes from a `Shuffler` that
the caller hands in (S2-S6), so the same seed and the same decisions give the same match on any machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from referee.cards import CODES
from referee.errors import InvalidRules, UsageError
from referee.games.options import Options
from referee.wording import meant

Rules = Mapping[str, Any]
"""Every option of a game with the value played, defaults too; made by `Game.complete`, never by hand."""

Json = Any


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a seat may choose. Instances are interned by their game, so legal lists share them.

    `cards` and `suit` are as in the replay file; `do` is the verb of the replay's events.
    """

    do: str
    cards: tuple[str, ...] = ()
    suit: str | None = None
    key: int = field(default=-1, compare=False, repr=False)
    """The game's own number of an interned action; -1 for one made by hand, which `Round.resolve` interns."""

    def to_json(self) -> dict[str, Json]:
        """The action as in the replay file, without what merely follows from it."""
        document: dict[str, Json] = {"do": self.do}
        if self.cards:
            document["cards"] = list(self.cards)
        if self.suit is not None:
            document["suit"] = self.suit
        return document

    def __str__(self) -> str:
        text = " ".join((self.do, *self.cards))
        return f"{text} naming {self.suit}" if self.suit is not None else text


class RoundEnd(NamedTuple):
    """How a round ended. `hands` and `penalties` are by seat, for the seats that played it."""

    reason: str
    by: int | None
    hands: Mapping[int, tuple[str, ...]]
    penalties: Mapping[int, int]


class ShufflerLike(Protocol):
    """The only source of randomness (S2, S3)."""

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        """The cards in shuffled order; the last is the top of the pile."""
        ...

    def below(self, label: str, n: int) -> int:
        """A number below `n`, from block 0 of the label's stream."""
        ...


class Round(ABC):
    """One deal being played out; mutable, cheap to `clone` for searching.

    After construction and after every `apply`, all steps that nobody decides have been made (draws that must be kept,
    passes, the only legal action), so either `turn` names a seat with two or more legal actions, or `end` is set.
    """

    __slots__ = ("end", "forfeited", "turn")

    turn: int | None
    """The seat that must choose now; None once the round has ended."""
    end: RoundEnd | None
    forfeited: frozenset[int]
    """Seats that have forfeited, as views show them (F4); the match sets it when it changes."""

    @abstractmethod
    def legal(self) -> tuple[Action, ...]:
        """All legal actions of the seat to act, without doubles, in the order of S7; two or more."""

    @abstractmethod
    def resolve(self, action: Action) -> Action:
        """The action as it will be played (equal cards, order of a pair).

        `IllegalAction` names the exact rule if it is not legal."""

    @abstractmethod
    def apply(self, action: Action) -> int:
        """The action (from `legal()` or `resolve()`) is played, and everything that follows from it; the index in
        `events()` of the event that the choice itself became."""

    @abstractmethod
    def stop(self) -> None:
        """The round ends here with reason `forfeit`: no penalties (F2)."""

    @abstractmethod
    def events(self) -> list[dict[str, Json]]:
        """Everything that happened so far, as REPLAY's events without times, in order of play."""

    @abstractmethod
    def event_count(self) -> int: ...

    @abstractmethod
    def deal(self) -> dict[str, Json]:
        """The replay's `deal`: hands in the order dealt, upcard, stock (last = next drawn)."""

    @abstractmethod
    def view(self, seat: int) -> Any:
        """The whole legal view of `seat` (N8, K6): the game's frozen View, by an allow-list."""

    @abstractmethod
    def visible(self, seat: int, start: int = 0) -> list[dict[str, Json]]:
        """The events from index `start` on as `seat` may know them, in order, without those it may not know of."""

    @abstractmethod
    def clone(self) -> Round:
        """An independent copy; applying to one never changes the other."""


class Game(ABC):
    """One game: policy as data, and rounds by its rules."""

    name: str
    turn_rule: str
    """The number of the rule that says whose turn it is, for `IllegalAction`."""
    citations: Mapping[str, str] = {}
    """The rule's number by what a verifier compares: every `do` of the replay's events, and `profile`, `round`,
    `playoff`, `dealer`, `end`, `hands`, `penalties`, `totals`, `over`, `places`. What is missing is cited as REPLAY."""
    codes: Sequence[str] = CODES
    """The text form of a card by the number that the game's shuffles have for it."""
    options: Options
    profiles: Mapping[str, Mapping[str, Any]]
    """Named profile (`nines/strict`) -> the options that differ from the defaults."""

    @abstractmethod
    def complete(self, options: Mapping[str, Any], players: int) -> Rules:
        """All options with their values, or `InvalidRules` naming option, value and what is allowed."""

    @abstractmethod
    def start_round(
        self,
        rules: Rules,
        *,
        number: int,
        kind: str,
        seats: tuple[int, ...],
        players: int,
        dealer: int,
        totals: Sequence[int],
        forfeited: frozenset[int],
        shuffler: ShufflerLike,
    ) -> Round:
        """A round dealt from its label (S5) and advanced to its first real choice. `kind` is `round` or `playoff`."""

    @abstractmethod
    def add_up(self, rules: Rules, totals: Sequence[int], penalties: Mapping[int, int]) -> list[int]:
        """Match totals after a round (N5.1, K4.1)."""

    @abstractmethod
    def is_over(self, rules: Rules, totals: Sequence[int], rounds: int) -> bool:
        """Whether the match ends after `rounds` rounds with these totals (N5.2, K4.2), playoffs aside."""

    @abstractmethod
    def sides(self, rules: Rules, players: int) -> tuple[tuple[int, ...], ...]:
        """The sides of the table: one tuple of seats each; single seats, or teams."""

    def profile(self, name: str, players: int) -> Mapping[str, Any]:
        """The options of a named profile; `UsageError` names the profiles there are."""
        try:
            return self.profiles[name]
        except KeyError:
            near = meant(name, self.profiles)
            raise UsageError(
                f"there is no profile {name!r}{near}; the profiles are: {', '.join(self.profiles)}"
            ) from None

    def profile_of(self, rules: Rules, players: int) -> str | None:
        """The first profile whose rules are exactly `rules`, None if it has no name."""
        for name in self.profiles:
            try:
                if self.complete(self.profile(name, players), players) == rules:
                    return name
            except InvalidRules:  # a profile that this number of players cannot play
                continue
        return None

    def playoff(self, rules: Rules) -> bool:
        """Whether equal lowest totals are decided by playoff rounds (N5.4)."""
        return False
