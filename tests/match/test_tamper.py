"""A replay that was changed is refused, and the refusal says where, by which rule, and what was expected.

Each row changes one thing in one of the shared vectors. `rule` is the rule cited; None where the change may show as one
of several. With `blind` the change is found without the seed too.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from referee.errors import ReplayError
from referee.match import replay
from referee.match.steps import steps
from referee.match.verify import Discrepancy, verify
from tests.games.replaying import CONFORMANCE

Document = dict[str, Any]


@cache
def vectors(name: str) -> tuple[Document, ...]:
    return tuple(replay.read(CONFORMANCE / f"{name}.jsonl.gz"))


def pick(name: str, fits: Callable[[Document], bool] = lambda document: True) -> Document:
    return copy.deepcopy(next(document for document in vectors(name) if fits(document)))


def where(document: Document, fits: Callable[[dict[str, Any]], bool]) -> tuple[int, int] | None:
    """Round and index of the first event that fits."""
    for index, played in enumerate(document["rounds"]):
        for at, event in enumerate(played["events"]):
            if fits(event):
                return index, at
    return None


def has(**fields: Any) -> Callable[[Document], bool]:
    return lambda document: where(document, like(**fields)) is not None


def like(**fields: Any) -> Callable[[dict[str, Any]], bool]:
    return lambda event: all(event.get(name) == value for name, value in fields.items())


def events(document: Document, place: tuple[int, int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document["rounds"][place[0]]["events"]
    return found


@dataclass(frozen=True)
class Kind:
    name: str
    source: Callable[[], Document]
    change: Callable[[Document], tuple[int | None, int | None] | None]
    """Changes the document; gives round and event of the first discrepancy, or None where that is left open."""
    rule: str | None
    blind: bool = True


KINDS: list[Kind] = []


def kind(name: str, source: Callable[[], Document], rule: str | None, *, blind: bool = True) -> Any:
    def register(change: Callable[[Document], Any]) -> Any:
        KINDS.append(Kind(name, source, change, rule, blind))
        return change

    return register


def strict() -> Document:
    return pick("nines-profiles")


def standard() -> Document:
    return pick("nine-profiles", lambda document: len(document["seats"]) == 3)


# ---------------------------------------------------------------- head


@kind("another commitment", strict, "S1", blind=False)
def _(document: Document) -> Any:
    document["commitment"] = "0" * 64
    return None, None


@kind("another seed", strict, "S1", blind=False)
def _(document: Document) -> Any:
    document["seed"] = "0" * 64
    return None, None


@kind("another seed with its commitment", strict, "S4", blind=False)
def _(document: Document) -> Any:
    document["seed"], document["commitment"] = (
        "00" * 32,
        "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925",
    )
    return 0, None


@kind("a profile of other rules", strict, "N7")
def _(document: Document) -> Any:
    document["profile"] = "nines/hard"
    return None, None


@kind("a profile that does not exist", standard, "K8")
def _(document: Document) -> Any:
    document["profile"] = "nine/gold"
    return None, None


@kind("a profile for another number of players", standard, "K8")
def _(document: Document) -> Any:
    document["profile"] = "nine/teams"
    return None, None


@kind("an option left out", strict, "REPLAY")
def _(document: Document) -> Any:
    del document["rules"]["hard_nines"]
    return None, None


def nine_left() -> Document:
    return pick(
        "nines-profiles", lambda document: document["profile"] == "nines/strict" and "9" in str(last_hands(document))
    )


def last_hands(document: Document) -> list[str]:
    return [card[0] for hand in document["rounds"][0]["end"]["hands"].values() for card in hand]


@kind("an option changed", lambda: {**nine_left(), "profile": None}, "N5.1")
def _(document: Document) -> Any:
    document["rules"]["hard_nines"] = True


@kind("a lower cutoff", lambda: {**strict(), "profile": None}, "N5.2")
def _(document: Document) -> Any:
    document["rules"]["cutoff"] = 1
    return 1, None


@kind("a higher cutoff", lambda: {**standard(), "profile": None}, "K4.2")
def _(document: Document) -> Any:
    document["rules"]["cutoff"] = 1000
    return len(document["rounds"]), None


@kind("another first dealer", strict, "N1.4")
def _(document: Document) -> Any:
    document["first_dealer"] = 1
    return None, None


def folk() -> Document:
    return pick("nines-profiles", lambda document: document["rules"]["first_dealer"] == "cut")


@kind("another card cut", folk, "N1.4", blind=False)
def _(document: Document) -> Any:
    cut = document["cuts"][0]
    cut["0"] = next(card for card in ("KS", "KH", "KD", "KC", "QC", "QD") if card not in cut.values())
    return None, None


@kind("a cut too many", folk, "N1.4")
def _(document: Document) -> Any:
    document["cuts"].append(document["cuts"][0])
    return None, None


@kind("a cut missing", folk, "N1.4")
def _(document: Document) -> Any:
    document["cuts"].pop()
    return None, None


@kind("cuts where nobody cuts", strict, "N1.4")
def _(document: Document) -> Any:
    document["cuts"] = []
    return None, None


# ---------------------------------------------------------------- rounds


@kind("another dealer", strict, "N1.3")
def _(document: Document) -> Any:
    document["rounds"][1]["dealer"] ^= 1
    return 1, None


@kind("another dealer of the first round", standard, "N1.4")
def _(document: Document) -> Any:
    document["rounds"][0]["dealer"] = 1
    return 0, None


@kind("another number of a round", standard, "K4.2")
def _(document: Document) -> Any:
    document["rounds"][0]["round"] = 2


@kind("a round called a playoff", standard, "K4.2")
def _(document: Document) -> Any:
    document["rounds"][0]["kind"] = "playoff"


@kind("another seat at the table", standard, None)
def _(document: Document) -> Any:
    document["rounds"][0]["seats"] = [0, 1]


@kind("two rounds exchanged", standard, None)
def _(document: Document) -> Any:
    rounds = document["rounds"]
    rounds[0], rounds[1] = rounds[1], rounds[0]


@kind("the last round left out", standard, "K4.2")
def _(document: Document) -> Any:
    document["rounds"].pop()
    return len(document["rounds"]), None


@kind("a round too many", standard, "K4.2")
def _(document: Document) -> Any:
    document["rounds"].append(document["rounds"][-1])
    return len(document["rounds"]) - 1, None


def playoff() -> Document:
    return pick("nines-rare", lambda document: document["rounds"][-1]["kind"] == "playoff")


@kind("a playoff left out", playoff, None)
def _(document: Document) -> Any:
    document["rounds"].pop()


@kind("a playoff by others", playoff, None)
def _(document: Document) -> Any:
    last = document["rounds"][-1]
    last["seats"] = [seat + 1 for seat in last["seats"]]
    return len(document["rounds"]) - 1, None


# ---------------------------------------------------------------- deals


@kind("two cards dealt exchanged", strict, "S4", blind=False)
def _(document: Document) -> Any:
    hands = document["rounds"][0]["deal"]["hands"]
    hands["0"][0], hands["1"][0] = hands["1"][0], hands["0"][0]
    return 0, None


@kind("another order of a hand", strict, "S4", blind=False)
def _(document: Document) -> Any:
    document["rounds"][0]["deal"]["hands"]["0"].reverse()
    return 0, None


@kind("another upcard", standard, "S4", blind=False)
def _(document: Document) -> Any:
    deal = document["rounds"][0]["deal"]
    deal["upcard"], deal["stock"][0] = deal["stock"][0], deal["upcard"]
    return 0, None


@kind("another order of the stock", standard, "S4", blind=False)
def _(document: Document) -> Any:
    stock = document["rounds"][0]["deal"]["stock"]
    stock[0], stock[1] = stock[1], stock[0]
    return 0, None


@kind("a card twice in the deal", standard, "S4")
def _(document: Document) -> Any:
    stock = document["rounds"][0]["deal"]["stock"]
    stock[0] = stock[1]
    return 0, None


@kind("a card missing from the stock", standard, "S4")
def _(document: Document) -> Any:
    document["rounds"][0]["deal"]["stock"].pop(0)
    return 0, None


@kind("a hand too many", strict, "S4")
def _(document: Document) -> Any:
    document["rounds"][0]["deal"]["hands"]["5"] = []
    return 0, None


@kind("no stock", strict, "S4")
def _(document: Document) -> Any:
    del document["rounds"][0]["deal"]["stock"]
    return 0, None


# ---------------------------------------------------------------- events


@kind("a card that is not held", strict, None)
def _(document: Document) -> Any:
    place = where(document, like(do="play"))
    assert place is not None
    event = events(document, place)[place[1]]
    deal = document["rounds"][0]["deal"]
    other = next(card for card in deal["stock"] if card[0] != "9" and (card[0], card[1]) != tuple(event["cards"][0]))
    event["cards"], _suit = [other], event.pop("suit", None)
    return place


@kind("a nine without a suit", lambda: pick("nines-profiles", has(do="play", suit="H")), "N3.1")
def _(document: Document) -> Any:
    place = where(document, like(do="play", suit="H"))
    assert place is not None
    del events(document, place)[place[1]]["suit"]
    return place


@kind("a suit that is none", lambda: pick("nines-profiles", has(do="play", suit="H")), None)
def _(document: Document) -> Any:
    place = where(document, like(do="play", suit="H"))
    assert place is not None
    events(document, place)[place[1]]["suit"] = "X"
    return place


@kind("a suit with a card that is no nine", strict, None)
def _(document: Document) -> Any:
    place = where(document, lambda event: event["do"] == "play" and "suit" not in event)
    assert place is not None
    events(document, place)[place[1]]["suit"] = "H"


@kind("another drawn card", strict, None)
def _(document: Document) -> Any:
    place = where(document, like(do="draw"))
    assert place is not None
    event = events(document, place)[place[1]]
    event["cards"] = ["AC" if event["cards"] != ["AC"] else "2C"]
    return place


@kind("a draw left out", strict, None)
def _(document: Document) -> Any:
    place = where(document, like(do="draw"))
    assert place is not None
    del events(document, place)[place[1]]


@kind("a draw by another seat", strict, None)
def _(document: Document) -> Any:
    place = where(document, like(do="draw"))
    assert place is not None
    events(document, place)[place[1]]["seat"] ^= 1
    return place


@kind("a play by another seat", standard, "K1.3")
def _(document: Document) -> Any:
    events(document, (0, 0))[0]["seat"] = 2
    return 0, 0


@kind("drawing by choice", strict, "N2.2")
def _(document: Document) -> Any:
    place = where(document, lambda event: event["do"] == "play" and "ms" in event)
    assert place is not None
    event = events(document, place)[place[1]]
    event.update(do="draw", cards=[document["rounds"][place[0]]["deal"]["stock"][-1]])
    event.pop("suit", None)
    return place


@kind("an event that does not exist", standard, "K2")
def _(document: Document) -> Any:
    events(document, (0, 0))[0]["do"] = "shout"
    return 0, 0


@kind("two events exchanged", standard, None)
def _(document: Document) -> Any:
    row = events(document, (0, 0))
    row[0], row[1] = row[1], row[0]
    return 0, 0


@kind("the last event left out", standard, "K1.3")
def _(document: Document) -> Any:
    row = events(document, (0, 0))
    row.pop()
    return 0, len(row)


@kind("an event too many", standard, None)
def _(document: Document) -> Any:
    row = events(document, (0, 0))
    row.append(dict(row[-1]))
    return 0, len(row) - 1


@kind("an event twice", standard, "K2.1")
def _(document: Document) -> Any:
    row = events(document, (0, 0))
    row.insert(0, dict(row[0]))
    return 0, 1


@kind("no events", standard, "K1.3")
def _(document: Document) -> Any:
    document["rounds"][0]["events"] = []
    return 0, 0


@kind("a pass too many", strict, None)
def _(document: Document) -> Any:
    row = events(document, (0, 0))
    row.insert(2, {"seat": row[2]["seat"], "do": "pass"})


@kind("drawn from the other pile", standard, None)
def _(document: Document) -> Any:
    place = where(document, like(do="draw_pile"))
    assert place is not None
    events(document, place)[place[1]]["do"] = "take_discard"


@kind("another card drawn from the pile", standard, "K2.1")
def _(document: Document) -> Any:
    place = where(document, like(do="draw_pile"))
    assert place is not None
    event = events(document, place)[place[1]]
    event["card"] = "X1" if event["card"] != "X1" else "X2"
    return place


@kind("a combination that is none", standard, "K2.2")
def _(document: Document) -> Any:
    place = where(document, like(do="discard"))
    assert place is not None
    hand = document["rounds"][place[0]]["deal"]["hands"][str(events(document, place)[place[1]]["seat"])]
    events(document, place)[place[1]]["cards"] = [hand[0], next(card for card in hand if card[0] != hand[0][0])]
    return place


def run() -> Document:
    return pick("nine-rare", lambda document: where(document, is_run) is not None)


def is_run(event: dict[str, Any]) -> bool:
    return event["do"] == "discard" and len(event["cards"]) == 5


@kind("a run in another order", run, "K2.3")
def _(document: Document) -> Any:
    place = where(document, is_run)
    assert place is not None
    events(document, place)[place[1]]["cards"].reverse()
    return place


@kind("a call by nobody's leave", lambda: pick("nine-profiles", has(do="call")), None)
def _(document: Document) -> Any:
    row = events(document, (0, 0))
    row[0] = {"seat": row[0]["seat"], "do": "call", "total": 5, "ms": 0, "cpu_ms": None}
    return 0, 0


@kind("another total called", lambda: pick("nine-profiles", has(do="call")), "K3.1")
def _(document: Document) -> Any:
    place = where(document, like(do="call"))
    assert place is not None
    events(document, place)[place[1]]["total"] += 1
    return place


def reshuffled(name: str) -> Callable[[], Document]:
    return lambda: pick(name, has(do="reshuffle"))


@kind("another order of a new pile", reshuffled("nine-rare"), "S4", blind=False)
def _(document: Document) -> Any:
    place = where(document, like(do="reshuffle"))
    assert place is not None
    stock = events(document, place)[place[1]]["stock"]
    stock[0], stock[1] = stock[1], stock[0]
    return place


@kind("other cards in a new pile", reshuffled("nine-rare"), None)
def _(document: Document) -> Any:
    place = where(document, like(do="reshuffle"))
    assert place is not None
    stock = events(document, place)[place[1]]["stock"]
    stock[0] = stock[1]


@kind("a reshuffle left out", reshuffled("nines-rare"), None)
def _(document: Document) -> Any:
    place = where(document, like(do="reshuffle"))
    assert place is not None
    del events(document, place)[place[1]]


@kind("a reshuffle too many", reshuffled("nine-rare"), None)
def _(document: Document) -> Any:
    place = where(document, like(do="reshuffle"))
    assert place is not None
    row = events(document, place)
    row.insert(place[1] + 1, dict(row[place[1]]))


@kind("a skip left out", lambda: pick("nines-options", has(do="skip")), None)
def _(document: Document) -> Any:
    place = where(document, like(do="skip"))
    assert place is not None
    del events(document, place)[place[1]]


@kind("a skip of another seat", lambda: pick("nines-options", has(do="skip")), None)
def _(document: Document) -> Any:
    place = where(document, like(do="skip"))
    assert place is not None
    event = events(document, place)[place[1]]
    event["seat"] = (event["seat"] + 1) % len(document["seats"])
    return place


@kind("a forced draw of one card less", lambda: pick("nines-options", has(do="forced_draw")), "N6.2")
def _(document: Document) -> Any:
    place = where(document, like(do="forced_draw"))
    assert place is not None
    events(document, place)[place[1]]["cards"].pop()
    return place


@kind("an accepted skip without accept", lambda: pick("nines-rare", has(do="accept")), None)
def _(document: Document) -> Any:
    place = where(document, like(do="accept"))
    assert place is not None
    del events(document, place)[place[1]]
    return place


@kind("a pair of which one is no nine", lambda: pick("nines-rare", lambda document: pairs(document) is not None), None)
def _(document: Document) -> Any:
    place = pairs(document)
    assert place is not None
    events(document, place)[place[1]]["cards"][0] = "8C"
    return place


def pairs(document: Document) -> tuple[int, int] | None:
    return where(document, lambda event: event["do"] == "play" and len(event["cards"]) == 2)


@kind("cards on an event that has none", strict, "REPLAY")
def _(document: Document) -> Any:
    place = where(document, like(do="draw"))
    assert place is not None
    events(document, place)[place[1]]["suit"] = "H"
    return place


@kind("a decision without its time", standard, "REPLAY")
def _(document: Document) -> Any:
    del events(document, (0, 0))[0]["ms"]
    return 0, 0


@kind("a decision without its processor time", standard, "REPLAY")
def _(document: Document) -> Any:
    del events(document, (0, 0))[0]["cpu_ms"]
    return 0, 0


@kind("a time that is no number", standard, None)
def _(document: Document) -> Any:
    events(document, (0, 0))[0]["ms"] = "fast"


# ---------------------------------------------------------------- ends of rounds


@kind("another penalty", strict, "N5.1")
def _(document: Document) -> Any:
    penalties = document["rounds"][0]["end"]["penalties"]
    penalties["1"] += 1
    return 0, None


@kind("penalties exchanged", standard, "K3.2")
def _(document: Document) -> Any:
    penalties = document["rounds"][0]["end"]["penalties"]
    low, high = min(penalties, key=penalties.__getitem__), max(penalties, key=penalties.__getitem__)
    penalties[low], penalties[high] = penalties[high], penalties[low]
    return 0, None


@kind("a penalty of nobody", standard, "K3.2")
def _(document: Document) -> Any:
    document["rounds"][0]["end"]["penalties"]["3"] = 0
    return 0, None


@kind("another total", standard, "K4.1")
def _(document: Document) -> Any:
    document["rounds"][0]["end"]["totals"][0] += 1
    return 0, None


@kind(
    "ninety that stays ninety", lambda: pick("nine-rare", lambda document: "exact-90/" in document["match_id"]), "K4.1"
)
def _(document: Document) -> Any:
    before = [0] * len(document["seats"])
    for index, played in enumerate(document["rounds"]):
        for seat, total in enumerate(before):
            if total + played["end"]["penalties"][str(seat)] == 90:
                played["end"]["totals"][seat] = 90
                return index, None
        before = played["end"]["totals"]
    raise AssertionError("nobody came to ninety")


@kind("another reason", strict, "N5.1")
def _(document: Document) -> Any:
    document["rounds"][0]["end"]["reason"] = "deadlock"
    return 0, None


@kind("another winner of the round", strict, "N5.1")
def _(document: Document) -> Any:
    document["rounds"][0]["end"]["by"] ^= 1
    return 0, None


@kind("a winner where there is none", lambda: pick("nine-rare", lambda d: "max-goarounds-1/" in d["match_id"]), "K3.1")
def _(document: Document) -> Any:
    document["rounds"][0]["end"]["by"] = 0
    return 0, None


@kind("another last hand", standard, "K3.1")
def _(document: Document) -> Any:
    hands = document["rounds"][0]["end"]["hands"]
    seat = next(seat for seat, hand in hands.items() if hand)
    hands[seat][0] = "9H" if hands[seat][0] != "9H" else "9S"
    return 0, None


@kind("a last hand left out", standard, "K3.1")
def _(document: Document) -> Any:
    document["rounds"][0]["end"]["hands"].pop("1")
    return 0, None


@kind("a last hand too many", standard, "K3.1")
def _(document: Document) -> Any:
    document["rounds"][0]["end"]["hands"]["3"] = []
    return 0, None


# ---------------------------------------------------------------- result


@kind("another place", strict, "N5.5")
def _(document: Document) -> Any:
    document["result"]["places"].reverse()
    return None, None


@kind("places of teams by seat", lambda: pick("nine-profiles", lambda d: d["rules"]["teams"] == 2), "K4.2")
def _(document: Document) -> Any:
    totals = document["result"]["totals"]
    document["result"]["places"] = [1 + sum(other < total for other in totals) for total in totals]
    return None, None


@kind("another final total", standard, "K4.1")
def _(document: Document) -> Any:
    document["result"]["totals"][1] -= 1
    return None, None


@kind("a place too many", standard, "K4.2")
def _(document: Document) -> Any:
    document["result"]["places"].append(4)
    return None, None


# ---------------------------------------------------------------- forfeits


def forfeit(what: str, fits: Callable[[Document], bool] = lambda document: True) -> Callable[[], Document]:
    return lambda: pick("forfeits", lambda document: what in document["match_id"] and fits(document))


def plays_on(document: Document) -> bool:
    return where(document, like(standin=True)) is not None


@kind("a fault left out", forfeit("nines/forfeit/middle/01"), None)
def _(document: Document) -> Any:
    document["faults"] = []


@kind("a fault of another seat", forfeit("nine/forfeit/middle", plays_on), None)
def _(document: Document) -> Any:
    fault = document["faults"][0]
    fault["seat"] = (fault["seat"] + 1) % len(document["seats"])


@kind("a fault of nobody", forfeit("nine/forfeit/middle"), "F1")
def _(document: Document) -> Any:
    document["faults"][0]["seat"] = 9
    return None, None


@kind("a fault twice", forfeit("nine/forfeit/middle"), "F1")
def _(document: Document) -> Any:
    document["faults"].append(dict(document["faults"][0]))
    return None, None


@kind("a fault one event earlier", forfeit("nine/forfeit/middle", plays_on), None)
def _(document: Document) -> Any:
    document["faults"][0]["event"] -= 1


@kind("a fault where nobody was asked", forfeit("nines/forfeit/middle", lambda d: len(d["seats"]) > 2), None)
def _(document: Document) -> Any:
    fault = document["faults"][0]
    fault["event"] = len(document["rounds"][fault["round"]]["events"]) + 5


@kind("a fault after the match", standard, "F1")
def _(document: Document) -> Any:
    place = len(document["rounds"]), 0
    document["faults"] = [
        {
            "seat": 0,
            "round": place[0],
            "event": 0,
            "kind": "exit",
            "detail": "",
            "ms": None,
            "cpu_ms": None,
            "limit_ms": None,
        }
    ]
    return place


@kind("a start fault in the middle", forfeit("nine/forfeit/middle"), "F1")
def _(document: Document) -> Any:
    fault = document["faults"][0]
    fault["kind"] = "start"
    return fault["round"], fault["event"]


@kind("a fault put upon a bot that did not fail", lambda: pick("nine-profiles", lambda d: len(d["seats"]) == 2), None)
def _(document: Document) -> Any:
    document["faults"] = [
        {"seat": 0, "round": 0, "event": 0, "kind": "exit", "detail": "", "ms": None, "cpu_ms": None, "limit_ms": None}
    ]


@kind("a stand-in's flag left out", forfeit("nine/forfeit/middle", plays_on), "S6")
def _(document: Document) -> Any:
    place = where(document, like(standin=True))
    assert place is not None
    del events(document, place)[place[1]]["standin"]
    return place


@kind("a stand-in's flag on a bot's choice", standard, "S6")
def _(document: Document) -> Any:
    events(document, (0, 0))[0]["standin"] = True
    return 0, 0


@kind("a stand-in's flag where nobody chose", forfeit("nines/forfeit/middle", plays_on), "S6")
def _(document: Document) -> Any:
    out = {fault["seat"]: (fault["round"], fault["event"]) for fault in document["faults"]}
    for index, played in enumerate(document["rounds"]):
        for at, event in enumerate(played["events"]):
            failed = out.get(event["seat"])
            if failed is not None and (index, at) >= failed and event["do"] == "draw" and not event.get("standin"):
                event["standin"] = True
                return index, at
    raise AssertionError("the stand-in never drew")


@kind("another choice of a stand-in", forfeit("nine/forfeit/middle", plays_on), None, blind=False)
def _(document: Document) -> Any:
    place = where(document, lambda event: event.get("standin") is True and event["do"] == "draw_pile")
    assert place is not None
    event = events(document, place)[place[1]]
    event["do"] = "take_discard"
    return place


@kind("the forfeited seat placed first", forfeit("nine/forfeit/forfeited-leader"), "F3")
def _(document: Document) -> Any:
    totals = document["result"]["totals"]
    document["result"]["places"] = [1 + sum(other < total for other in totals) for total in totals]
    return None, None


@kind("penalties in a round that a forfeit stopped", forfeit("nine/forfeit/at-once/00"), None)
def _(document: Document) -> Any:
    document["rounds"][-1]["end"]["penalties"]["0"] = 25
    return len(document["rounds"]) - 1, None


@kind("a round after the match was decided", forfeit("nines/forfeit/never-started/00"), "F2")
def _(document: Document) -> Any:
    document["rounds"] = [strict()["rounds"][0]]
    return 0, None


@kind("a note about no moment of the match", standard, "REPLAY")
def _(document: Document) -> Any:
    document["notes"] = [{"seat": 0, "round": 0, "event": 10_000, "text": "hello"}]
    return None, None


# ---------------------------------------------------------------- the tests


def test_there_are_enough_kinds() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 30


@pytest.mark.parametrize("tampered", KINDS, ids=[kind.name for kind in KINDS])
def test_a_changed_replay_is_refused(tampered: Kind) -> None:
    document = tampered.source()
    if document["profile"] is not None or "an option" not in tampered.name:
        assert verify(document) == ()
    before = json.dumps(document)
    place = tampered.change(document)
    assert json.dumps(document) != before
    with pytest.raises(ReplayError) as caught:
        verify(document)
    assert str(caught.value).isprintable()
    if isinstance(caught.value, Discrepancy):
        if place is not None:
            assert (caught.value.round, caught.value.event) == place
        if tampered.rule is not None:
            assert caught.value.rule == tampered.rule
        assert caught.value.found != caught.value.expected
    else:
        assert place is None
    if tampered.blind:
        with pytest.raises(ReplayError):
            verify({**document, "seed": None})


@pytest.mark.parametrize("name", ["nines-mixes", "nine-mixes"])
def test_every_card_of_a_match_is_held_to(name: str) -> None:
    """Any one card, anywhere in the record of a match, changed to another: found every time."""
    document = min(vectors(name), key=lambda document: len(json.dumps(document)))
    spots: list[tuple[Any, Any]] = []

    def collect(value: Any, keys: tuple[Any, ...]) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                collect(inner, (*keys, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                collect(inner, (*keys, index))
        elif isinstance(value, str) and len(value) == 2 and value[1] in "CDHS12":
            spots.append((keys, value))

    collect(document["rounds"], ("rounds",))
    assert len(spots) > 60
    for keys, card in spots[:: max(1, len(spots) // 150)]:
        changed = copy.deepcopy(document)
        inner: Any = changed
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = "2D" if card != "2D" else "3D"
        with pytest.raises(Discrepancy):
            verify(changed)


VALUES: list[Any] = [None, True, 0, 1, -1, 5, 10**18, 1.5, "", "0", "9H", "XX", "play", "\x00", [], {}, [[]], {"0": 1}]


@pytest.mark.parametrize("name", ["nines-mixes", "nine-mixes", "forfeits"])
def test_any_damage_is_one_sentence_and_never_a_traceback(name: str) -> None:
    """Fields set to nonsense, entries left out, doubled or exchanged: verified or refused, and shown all the same."""
    rng = random.Random(11)
    sources = sorted(vectors(name), key=lambda document: len(json.dumps(document)))[10:40]
    refused: list[str] = []
    for _ in range(250):
        document = copy.deepcopy(rng.choice(sources))
        for _ in range(rng.choice([1, 1, 2, 5])):
            damage(document, rng)
        if rng.random() < 0.4:
            document["seed"] = None
        try:
            verify(document)
        except ReplayError as error:
            refused.append(str(error))
        try:
            told = steps(document)
            json.dumps(told, allow_nan=False)
        except ReplayError:
            pass
    assert len(refused) > 150
    assert all(text.isprintable() for text in refused)


def damage(document: Document, rng: random.Random) -> None:
    inner: Any = document
    while True:
        key = rng.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        deeper = inner[key]
        if isinstance(deeper, dict | list) and deeper and rng.random() < 0.85:
            inner = deeper
            continue
        how = rng.random()
        if how < 0.6:
            inner[key] = rng.choice(VALUES)
        elif how < 0.8:
            del inner[key]
        elif isinstance(inner, list):
            inner.insert(rng.randrange(len(inner) + 1), deeper)
        else:
            inner[str(rng.randrange(8))] = deeper
        return
