"""What a seat may choose to do: the same shape in both games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botkit.cards import Card
from botkit.names import has_no


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a seat may choose. Equal when `do`, `cards` and `suit` are.

    `do` in Nines: `play`, `keep`, `accept`, `name_suit`; in Nine: `call`, `draw_pile`, `take_discard`, `discard`.
    `suit` is the suit that is named, else None. Of several `cards` the last lies on top.
    """

    do: str
    cards: tuple[Card, ...] = ()
    suit: str | None = None
    penalty_shed: int = field(default=0, compare=False, repr=False)
    """Penalty that leaves the hand with `cards`, by the rules of this match; 0 for all that sheds nothing."""

    if not TYPE_CHECKING:  # a checker shall know the fields alone

        def __getattr__(self, name: str) -> Any:
            """Called for what there is not."""
            raise has_no(self, name, (*self.__slots__, "card"))

    @property
    def card(self) -> Card | None:
        """The card that will lie on top of the discard pile, None if no card is discarded."""
        return self.cards[-1] if self.cards else None

    def __str__(self) -> str:
        text = " ".join((self.do, *self.cards))
        return f"{text} naming {self.suit}" if self.suit else text
