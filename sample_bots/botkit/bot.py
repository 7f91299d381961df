"""What an author writes: a class with `act`, and any of the hooks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from botkit.actions import Action
from botkit.cards import nine_total, nines_penalty
from botkit.events import Event, MatchEnd, RoundEnd, RoundStart
from botkit.views import View

if TYPE_CHECKING:
    from random import Random

    from botkit.knowledge import NineKnowledge, NinesKnowledge

NOTE_CHARACTERS = 200


class Bot:
    """A seat at the table. Write `act`; the hooks do nothing unless you write them too.

    One object plays all matches of a sitting, so what a bot keeps in `self` lasts from match to match; a sitting's
    matches are against the same seats. There is no `__init__` to call.
    """

    game: str = ""
    """`nines` or `nine`."""
    rules: Mapping[str, Any] = MappingProxyType({})
    """Every option of this match with the value played, defaults too; `{}` before the first match."""
    profile: str = ""
    """The named profile of the rules, such as `nines/strict`; empty for any other mix."""
    seat: int = -1
    players: int = 0
    match: int = 0
    """Number of the match within this sitting, from 1."""
    commitment: str = ""
    """SHA-256 of the match's secret seed, hex (S1)."""
    events: Sequence[Event] = ()
    """Everything that happened in this round so far, as this seat may know it."""
    start: RoundStart
    """How this round was dealt."""

    _bot_seed: bytes = b""
    _rng: Random | None = None
    _notes: Sequence[str] = ()
    _left_ms: float | None = None
    _clock: bytes = b""
    _wall: bool = False
    _asked_at: float = 0.0
    _known: NinesKnowledge | NineKnowledge | None = None
    _known_start: RoundStart | None = None
    _known_upto: int = 0

    def act(self, view: View, legal: Sequence[Action]) -> Action | int:
        """Choose: return one of `legal` (two or more actions, in the order of S7), or its index."""
        raise NotImplementedError(f"{type(self).__name__} must define act(self, view, legal) and return one of legal")

    def match_start(self) -> None:
        """A match begins: `self.game`, `self.rules`, `self.seat`, `self.players` and `self.rng` are set."""

    def round_start(self, start: RoundStart) -> None:
        """A round was dealt."""

    def observe(self, event: Event) -> None:
        """Something happened since this seat was last asked, its own doings included."""

    def round_end(self, end: RoundEnd) -> None:
        """A round is over: all hands, penalties and totals are known."""

    def match_end(self, end: MatchEnd) -> None:
        """A match is over: places are known. The next begins at once, and its clock counts what is still done here."""

    @property
    def rng(self) -> Random:
        """Random numbers seeded by the referee for this seat and match: a bot that uses no others is reproducible."""
        if self._rng is None:
            if not self._bot_seed:
                raise RuntimeError("self.rng is seeded when a match starts: use it in match_start or later")
            from random import Random

            self._rng = Random(self._bot_seed)
        return self._rng

    @property
    def known(self) -> Any:
        """What follows from this round's events: a `botkit.knowledge.NinesKnowledge` or `NineKnowledge`, up to date."""
        from botkit.knowledge import knowledge

        if self._known is None or self._known_start is not self.start:
            self._known, self._known_upto = knowledge(self.game, self.start, self.seat, self.rules), 0
            self._known_start = self.start
        for event in self.events[self._known_upto :]:
            self._known.observe(event)
        self._known_upto = len(self.events)
        return self._known

    def time_left(self) -> float:
        """Milliseconds of processor time left for this match, now.

        What the referee said when it asked, less what this process has used since; processes a bot starts count too,
        but are not in this number. Infinite where there is no clock.
        """
        if self._clock:
            from botkit import wire

            self._left_ms, self._clock = wire.left_ms(self._clock), b""
        if self._left_ms is None:
            return float("inf")
        now = time.perf_counter() if self._wall else time.process_time()
        return self._left_ms - 1000.0 * (now - self._asked_at)

    def note(self, text: object) -> None:
        """The text marks this moment in the replay: it goes with the next answer, 200 characters of it at most."""
        self._notes = [*self._notes, str(text)]

    def penalty(self, cards: Iterable[str]) -> int:
        """What these cards would cost if the round ended now, by the rules of this match (N5.1, N6.4, K3.1)."""
        if self.game == "nine":
            return nine_total(cards)
        return nines_penalty(cards, bool(self.rules.get("hard_nines")))

    # What follows is called by botkit itself.

    def _begin_match(
        self,
        *,
        game: str,
        rules: Mapping[str, Any],
        profile: str,
        seat: int,
        players: int,
        match: int,
        commitment: str,
        bot_seed: bytes,
    ) -> None:
        """Everything that `match_start` may rely on is set, and nothing of the last match is left."""
        self.game, self.rules, self.profile, self.seat, self.players = game, rules, profile, seat, players
        self.match, self.commitment, self._bot_seed, self._rng = match, commitment, bot_seed, None
        self._notes, self.events = (), ()

    def _set_clock(self, left_ms: float | None, wall: bool) -> None:
        """`time_left` counts down from here."""
        self._left_ms, self._wall, self._clock = left_ms, wall, b""
        self._asked_at = time.perf_counter() if wall else time.process_time()

    def _ask_clock(self, clock: bytes) -> None:
        """`time_left` counts down from what this Clock of a Turn says, which is read when it is asked for."""
        self._clock = clock
        if not clock:
            self._left_ms = None
        self._asked_at = time.perf_counter() if self._wall else time.process_time()

    def _take_note(self) -> str:
        """Notes since the last answer, in one text; they are taken away."""
        if not self._notes:
            return ""
        text, self._notes = "; ".join(self._notes)[:NOTE_CHARACTERS], ()
        return text
