"""What a table plays by: options and seats, worked out once for all rounds of a match."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.base import Rules
from referee.games.nines.moves import CARDS, TOPS
from referee.games.nines.options import UNTIL_PLAYABLE
from referee.games.nines.scoring import HARD, PLAIN

DRAWS_TWO, SKIPS, REVERSES = 1, 2, 3
POWERS = tuple({0: DRAWS_TWO, 10: SKIPS, 11: REVERSES}.get(card % 13, 0) for card in TOPS)
"""By the key of a play: what its card does to the next player; an ace, a jack or a queen, nothing else (N6.2)."""
NO_POWERS = (0,) * len(TOPS)


class Law:
    """The rules of a round and who plays it, in the form in which `NinesRound` asks for them; never changed."""

    __slots__ = ("dealing", "dealt", "flags", "left", "pack", "players", "points", "right", "rules", "seats")

    def __init__(self, rules: Rules, seats: tuple[int, ...], players: int) -> None:
        """`seats` play, of a match of `players`; `rules` are complete."""
        self.rules, self.seats, self.players = rules, seats, players
        left, right = [-1] * players, [-1] * players
        for seat, following in zip(seats, seats[1:] + seats[:1], strict=True):
            left[seat], right[following] = following, seat
        self.left, self.right = tuple(left), tuple(right)
        """By seat, the next to play clockwise, and the next the other way (N1.3, N6.2); -1 for who does not play."""
        self.pack = tuple(range(CARDS)) * rules["decks"]  # S4
        each = 7 if len(seats) <= 4 else 5  # N1.2
        self.dealt = each * len(seats)
        """How many cards are dealt to all seats together."""
        of_place = [slice(-1 - place, -1 - self.dealt, -len(seats)) for place in range(len(seats))]
        self.dealing = {
            dealer: tuple(zip(seats[place + 1 :] + seats[: place + 1], of_place, strict=True))
            for place, dealer in enumerate(seats)
        }
        """By dealer, the seats in the order in which they are dealt to, and the part of the pile that each is given,
        one card at a time from the top (N1.2)."""
        self.points: Sequence[int] = HARD if rules["hard_nines"] else PLAIN
        two_packs = rules["decks"] == 2
        effects = POWERS if rules["powers"] else NO_POWERS if two_packs else ()
        self.flags = (rules["draw"] == UNTIL_PLAYABLE, rules["no_nine_out"], two_packs, effects, rules["max_turns"])
        """What each turn asks for. The fourth: powers by key of a play; empty where no play does anything to the next
        player, neither by a power nor as a pair of nines."""
