"""What the viewer draws is what the rules engine says: at every step, in every view, read from the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from referee.match.steps import steps, views
from referee.match.verify import follow
from tests.dashboard import samples

pytestmark = pytest.mark.browser

READING = (Path(__file__).parent / "reading.js").read_text(encoding="utf-8")
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def walk(page: Any, view: str) -> list[dict[str, Any]]:
    page.evaluate(READING)
    return page.evaluate("view => window.reading.walk(view)", view)


def engine_views(document: dict[str, Any]) -> dict[tuple[int, int], dict[int, Any]]:
    """Every seat's view by the engine at every decision, by round and number of events before it."""
    found: dict[tuple[int, int], dict[int, Any]] = {}

    def watch(match: Any) -> None:
        seats = document["rounds"][match.rounds_finished]["seats"]
        found[match.rounds_finished, match.round.event_count()] = {
            seat: (match.round.view(seat), match.round.turn, match.round.legal()) for seat in seats
        }

    follow(document, watch)
    return found


def check_open_table(shown: dict[str, Any], at: dict[int, Any], document: dict[str, Any]) -> None:
    """The table with all hands open, against the engine's own views of all seats."""
    for seat, (view, turn, legal) in at.items():
        drawn = shown["seats"][str(seat)]
        assert drawn["faces"] == sorted(view.hand)
        assert drawn["backs"] == 0
        assert drawn["total"] == view.scores[seat]
        assert drawn["dealer"] == (seat == view.dealer)
        assert drawn["toAct"] == (seat == turn)
        assert f"{len(view.hand)} card" in drawn["count"]
        playable = {card for action in legal for card in action.cards} if seat == turn else set()
        assert set(drawn["legal"]) == playable & set(view.hand)
    check_middle(shown, next(iter(at.values()))[0], document)
    groups: dict[str, list[str]] = {}
    for action in next(iter(at.values()))[2]:
        groups.setdefault(f"{action.do} {' '.join(action.cards)}".strip(), []).append(action.suit or "")
    assert [" ".join(choice.split()) for choice in shown["choices"]] == [
        " ".join(f"{name} {''.join(suits)}".split()) for name, suits in groups.items()
    ]


def check_middle(shown: dict[str, Any], view: Any, document: dict[str, Any]) -> None:
    if document["game"] == "nines":
        assert shown["top"] == view.upcard
        assert shown["stock"] == view.stock_size
        assert shown["suit"] == SUITS.get(view.active_suit)
        if document["rules"]["powers"]:
            assert shown["direction"] == str(view.direction)
    else:
        assert (shown["top"] or "") == view.top
        assert shown["stock"] == view.draw_pile_size
        assert shown["goAround"] == str(view.go_around)


def place(step: dict[str, Any]) -> tuple[int, int] | None:
    """Round and number of events after this step, where it is within a round."""
    if step["kind"] not in ("deal", "event"):
        return None
    return step["round"], step["event"] + 1


@pytest.mark.parametrize("number", range(len(samples.PROFILES)), ids=samples.PROFILES)
def test_table_is_the_engines_and_closed_views_hide(number: int, offline: Any) -> None:
    document = samples.of_every_profile()[number]
    told = steps(document)
    engine = engine_views(document)
    page = offline(told, reduced_motion="reduce")
    shown = walk(page, "open")
    assert [table["step"] for table in shown] == list(range(len(told["steps"])))
    compared = 0
    for table in shown:
        step = told["steps"][table["step"]]
        assert table["shownStep"] == table["step"]
        if (at := engine.get(place(step) or (-1, -1))) is not None:
            check_open_table(table, at, document)
            compared += 1
        if step["kind"] == "round_end":
            end = document["rounds"][step["round"]]["end"]
            for seat, hand in end["hands"].items():
                assert table["seats"][seat]["faces"] == sorted(hand)
                assert f"+{end['penalties'][seat]}" in table["seats"][seat]["count"]
            assert [table["seats"][str(s)]["total"] for s in range(told["players"])] == end["totals"]
    assert compared == len(engine)
    last = shown[-1]["result"]
    assert {row["seat"]: (row["place"], row["total"]) for row in last} == {
        seat: (document["result"]["places"][seat], document["result"]["totals"][seat])
        for seat in range(told["players"])
    }
    seats = range(told["players"])
    for view in [
        "public",
        *map(str, seats if told["players"] < 4 else (number % len(seats), (number + 2) % len(seats))),
    ]:
        check_closed_view(walk(page, view), view, told, engine)


def check_closed_view(
    shown: list[dict[str, Any]], view: str, told: dict[str, Any], engine: dict[tuple[int, int], dict[int, Any]]
) -> None:
    """A closed view shows exactly what its seat may see: own hand, sizes, public facts; and no other card anywhere."""
    me = None if view == "public" else int(view)
    expected = [i for i, step in enumerate(told["steps"]) if not step.get("secret") or step["seat"] == me]
    assert [table["step"] for table in shown] == expected
    for table in shown:
        step = told["steps"][table["step"]]
        at = engine.get(place(step) or (-1, -1))
        if at is not None:
            for seat, (seen, turn, _) in at.items():
                drawn = table["seats"][str(seat)]
                if seat == me:
                    assert drawn["faces"] == sorted(seen.hand)
                    assert drawn["toAct"] == (turn == me)
                else:
                    assert drawn["faces"] == []
                    assert drawn["backs"] == len(seen.hand)
                    assert not drawn["toAct"]
                    assert drawn["legal"] == []
            mine = at.get(me) if me is not None else None
            assert bool(table["choices"]) == (mine is not None and mine[1] == me)
    check_nothing_hidden_is_mentioned(shown, me, told)


def check_nothing_hidden_is_mentioned(shown: list[dict[str, Any]], me: int | None, told: dict[str, Any]) -> None:
    """The list spans several steps, so what it may name is everything public or own up to a few rows on; the table and
    the spoken line may name only what is known now."""
    public: list[set[str]] = []
    now: set[str] = set()
    revealed: set[str] = set()
    for step in told["steps"]:
        if step["kind"] == "deal":
            now, revealed = {step["table"]["top"]}, set()
            if me is not None:
                now |= set(step["table"]["hands"].get(str(me), ()))
        if step["kind"] == "event" and (not step.get("private") or step["seat"] == me):
            now |= set(step.get("cards", ()))
        if step["kind"] == "round_end":
            revealed = {card for hand in told_hands(told, step) for card in hand}
        public.append(now | revealed)
    names = {card: face["name"] for card, face in (told["faces"] or {}).items()}
    for table in shown:
        at = table["step"]
        cards = {card for seat in table["seats"].values() for card in seat["faces"]}
        assert cards <= public[at] | {table["top"]}, f"step {at} shows {cards - public[at]}"
        cut = {card for cut in told["cuts"] for card in cut.values()}
        ever = cut.union(*public[max(0, at - 40) : at + 40])
        assert set(table["mentioned"]) <= ever, f"around step {at}: {set(table['mentioned']) - ever}"
        step = told["steps"][at]
        if step.get("private") and step["seat"] != me:
            assert not any(names[card] in table["spoken"] for card in step["cards"] if card in names)
            assert " of " not in table["spoken"]
            assert "draw" in table["spoken"]


def told_hands(told: dict[str, Any], end: dict[str, Any]) -> list[list[str]]:
    """The hands that lie open when the round ends, folded from the steps."""
    entry = told["rounds"][end["round"]]
    hands = dict(told["steps"][entry["step"]]["table"]["hands"])
    for step in told["steps"][entry["step"] : entry["last"] + 1]:
        hands |= step.get("set", {}).get("hands", {})
    return list(hands.values())


def test_seat_views_are_those_of_views(offline: Any) -> None:
    """`steps.views`, what a bot was really sent, and the drawn seat view agree on hand, sizes and middle."""
    document = samples.played("nines/powers", 3, 5)
    told = steps(document)
    page = offline(told, reduced_motion="reduce")
    for seat in range(3):
        for table in walk(page, str(seat))[2:40:6]:
            view = views(document, table["step"]).get(str(seat))
            if (
                view is None
                or told["steps"][table["step"]]["kind"] != "event"
                or table["seats"][str(seat)]["toAct"] is False
            ):
                continue
            assert table["seats"][str(seat)]["faces"] == sorted(view["hand"])
            assert table["stock"] == view["stock_size"]
            assert [
                sum((table["seats"][str(s)]["backs"], len(table["seats"][str(s)]["faces"]))) for s in range(3)
            ] == view["hand_sizes"]
