"""Option `skin` as display data: the face of every card on screen (K1.2). Changes no rule and no record.

A face is what is printed on the card: `corner` (its index), `suit` (C D H S, or empty where none is printed), `kind`
(`number`, `court`, `joker`, `trump`, `excuse`) and `name` in words, for screen readers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from referee.games.nine.cards import CODES, NUMBERS


@dataclass(frozen=True, slots=True)
class Face:
    """What is printed on one card."""

    corner: str
    suit: str
    kind: str
    name: str


_SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
_FRENCH = {1: ("A", "ace"), 11: ("J", "jack"), 12: ("Q", "queen"), 13: ("K", "king")}
_TAROT = {11: ("V", "valet"), 12: ("C", "cavalier"), 13: ("D", "dame")}


def _numbered(value: int, suit: str) -> Face:
    """The number itself; the four suits only tell equal cards apart."""
    return Face(str(value), suit, "number", f"{value} of {_SUITS[suit]}" if suit else "0")


def _french(value: int, suit: str) -> Face:
    """Fifty-two cards and two jokers for the zeros."""
    if not suit:
        return Face("0", "", "joker", "joker")
    corner, name = _FRENCH.get(value, (str(value), str(value)))
    return Face(corner, suit, "court" if value > 10 else "number", f"{name} of {_SUITS[suit]}")


def _tarot(value: int, suit: str) -> Face:
    """Ranks 1 to 10, valet, cavalier, dame; the excuse and the first trump for the zeros."""
    corner, name = _TAROT.get(value, (str(value), str(value)))
    return Face(corner, suit, "court" if value > 10 else "number", f"{name} of {_SUITS[suit]}")


def _pack(skin: str) -> dict[str, Face]:
    make = {"numbered": _numbered, "french": _french, "tarot": _tarot}[skin]
    faces: dict[str, Face] = {}
    for code in CODES:
        if code and code[0] != "X":
            faces[code] = make(NUMBERS[code] // 4, code[1])
    if skin == "tarot":
        faces |= {"X1": Face("*", "", "excuse", "the excuse"), "X2": Face("1", "", "trump", "trump 1")}
    else:
        faces |= {"X1": make(0, ""), "X2": make(0, "")}
    return faces


SKINS: dict[str, dict[str, Face]] = {skin: _pack(skin) for skin in ("numbered", "french", "tarot")}
"""Skin -> card code -> face; all 54 cards of K1.1."""


def faces(skin: str) -> dict[str, dict[str, str]]:
    """The faces of a skin as JSON: card code -> corner, suit, kind, name."""
    return {code: asdict(face) for code, face in SKINS[skin].items()}
