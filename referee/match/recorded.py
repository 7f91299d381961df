"""Shuffles read from a replay instead of a seed, for as long as the seed is not revealed (S1).

What is read is checked for what can be known without the seed: that each pile has exactly the cards that went in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from referee import cards as pack
from referee.games.base import Action, Json
from referee.games.match import Match


class NotRecordedError(Exception):
    """The replay has no such shuffle, or not of these cards; the text says which."""


class RecordedShuffler:
    """Gives each shuffle as the replay recorded it. `codes` is the text form of the game's card numbers."""

    def __init__(self, document: Mapping[str, Json], codes: Sequence[str]) -> None:
        self._document, self._codes = document, codes
        self._rounds = {f"{played['kind']}/{played['round']}": played for played in document["rounds"]}
        self.match: Match | None = None
        self.decision: Callable[[], Action] | None = None
        """Tells what the stand-in chose, by the replay; set by who re-executes the match."""

    def shuffle(self, label: str, cards: Sequence[int]) -> list[int]:
        """The pile as recorded under `label` (S5); `NotRecordedError` if it is not, or not of these cards."""
        if label.startswith("cut/"):
            return self._cut(int(label[4:]), cards)
        name, what = label.rsplit("/deal", 1)[0].split("/reshuffle/")[0], label
        played = self._rounds.get(name)
        if played is None:
            raise NotRecordedError(f"there is no {name.replace('/', ' ')}")
        if "/reshuffle/" in label:
            number = int(label.rsplit("/", 1)[1])
            piles = [event.get("stock", []) for event in played["events"] if event["do"] == "reshuffle"]
            if number > len(piles):
                raise NotRecordedError(f"reshuffle {number} of the round is missing")
            return self._numbers(piles[number - 1], cards, what)
        return self._numbers(_undealt(played), cards, what)

    def below(self, label: str, n: int) -> int:
        """The stand-in's choice as recorded (S6), as index into the legal actions."""
        assert self.match is not None
        assert self.decision is not None
        legal = self.match.round.legal() if self.match.round is not None else ()
        action = self.decision()
        if action not in legal:
            raise NotRecordedError(f"a stand-in plays an action as it is listed (S7), not {action}")
        return legal.index(action)

    def _cut(self, number: int, cards: Sequence[int]) -> list[int]:
        cuts = self._document.get("cuts") or []
        if number > len(cuts):
            raise NotRecordedError(f"cut {number} is missing")
        drawn = [cuts[number - 1][seat] for seat in sorted(cuts[number - 1], key=int)]
        top = [pack.NUMBER.get(card, -1) for card in drawn]
        if len(set(top)) < len(top) or not set(top) <= set(cards):
            raise NotRecordedError(f"cut {number} does not show cards of one pack")
        return [card for card in cards if card not in top] + top[::-1]

    def _numbers(self, pile: Sequence[str], cards: Sequence[int], label: str) -> list[int]:
        left: dict[str, list[int]] = {}
        for card in cards:
            left.setdefault(self._codes[card], []).append(card)
        numbers = [left[card].pop() if left.get(card) else -1 for card in pile]
        if -1 in numbers or len(numbers) != len(cards):
            raise NotRecordedError(f"the cards of {label} are not exactly those that were shuffled")
        return numbers


def _undealt(played: Mapping[str, Json]) -> list[str]:
    """The shuffled pack that a deal came from: stock, upcard, and the hands taken back one card at a time."""
    deal, seats, dealer = played["deal"], played["seats"], played["dealer"]
    order = [seat for seat in seats if seat > dealer] + [seat for seat in seats if seat <= dealer]
    hands = [deal["hands"].get(str(seat), []) for seat in order]
    dealt = [hand[turn] for turn in range(max(map(len, hands), default=0)) for hand in hands if turn < len(hand)]
    upcard = [deal["upcard"]] if deal.get("upcard") else []
    return [*deal.get("stock", []), *upcard, *reversed(dealt)]
