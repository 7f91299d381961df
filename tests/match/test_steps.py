"""What the viewer is told: folded step by step it is the table as the rules have it, and nothing is told twice."""

from __future__ import annotations

import copy
import json
import random
import types
from collections import Counter
from functools import cache
from typing import Any

import pytest

from referee.errors import ReplayError
from referee.games import registry
from referee.match import replay
from referee.match import steps as story
from referee.match.verify import follow
from tests.games.replaying import CONFORMANCE
from tests.match.playing import document_of, mix, play

FILES = [
    "forfeits",
    *(f"{game}-{group}" for game in ("nine", "nines") for group in ("mixes", "options", "profiles", "rare")),
]
ALWAYS = {"kind", "round", "event", "seat", "text_parts"}


@cache
def _file(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(replay.read(CONFORMANCE / f"{name}.jsonl.gz"))


def vectors(name: str, every: int = 1) -> list[dict[str, Any]]:
    return copy.deepcopy(list(_file(name)[::every]))


def fold(told: dict[str, Any]) -> list[dict[str, Any] | None]:
    """The table of each step, as the schema says to make it."""
    tables: list[dict[str, Any] | None] = []
    table: dict[str, Any] | None = None
    for step in told["steps"]:
        if "table" in step:
            table = copy.deepcopy(step["table"])
        for name, value in step.get("set", {}).items():
            assert table is not None
            if name in ("hands", "hand_values"):
                table = {**table, name: {**table[name], **value}}
            else:
                table = {**table, name: value}
        tables.append(table)
    return tables


def index_of(told: dict[str, Any]) -> dict[tuple[int, Any], int]:
    return {
        (step["round"], step["event"]): number for number, step in enumerate(told["steps"]) if step["kind"] != "fault"
    }


@pytest.mark.parametrize("name", FILES)
def test_folding_gives_the_table_of_the_rules(name: str) -> None:
    """At every decision the folded table is what the engine has, and at the end of a round the hands that were shown."""
    for document in vectors(name, every=19):
        told = story.steps(document)
        tables, place = fold(told), index_of(told)
        seen: list[tuple[int, int]] = []

        def watch(match: Any, tables=tables, place=place, seen=seen, document=document) -> None:
            state = match.round
            at = match.rounds_finished, state.event_count() - 1
            seen.append(at)
            if len(seen) > 60 and len(seen) % 7:
                return  # long matches are looked at here and there
            table = tables[place[at]]
            view = state.view(state.turn).to_json()
            assert table["turn"] == state.turn
            assert table["phase"] == view["phase"]
            assert (table["drawn"] or "") == view["drawn"]
            assert table["top"] == (view.get("upcard", view.get("top")) or None)
            assert table["stock"] == view.get("stock_size", view.get("draw_pile_size"))
            assert table["totals"] == view["scores"]
            assert table["dealer"] == view["dealer"]
            assert table["reshuffles"] == view["reshuffles"]
            for own in ("direction", "turns_taken", "go_around"):
                assert table.get(own) == view.get(own)
            if "active_suit" in view:
                assert (table["active_suit"] or "") == view["active_suit"]
            for seat, hand in table["hands"].items():
                assert Counter(hand) == Counter(state.view(int(seat)).hand)
            cards = 54 if document["game"] == "nine" else 52 * document["rules"]["decks"]
            assert sum(map(len, table["hands"].values())) + table["stock"] + table["discards"] == cards

        follow(document, watch)
        assert told["problem"] is None
        assert len(seen) == sum("legal" in step for step in told["steps"])
        for index, played in enumerate(document["rounds"]):
            table = tables[place[index, "end"]]
            assert table is not None
            assert {seat: Counter(hand) for seat, hand in table["hands"].items()} == {
                seat: Counter(hand) for seat, hand in played["end"]["hands"].items()
            }
            assert table["totals"] == played["end"]["totals"]
            assert (table["phase"], table["turn"]) == ("over", None)
            if played["end"]["reason"] in ("max_goarounds", "deadlock", "max_turns"):
                assert table["hand_values"] == played["end"]["penalties"]


@pytest.mark.parametrize("name", FILES)
def test_steps_tell_the_whole_replay(name: str) -> None:
    for document in vectors(name, every=23):
        told = story.steps(document)
        steps = told["steps"]
        assert told["format"] == "ninefold-steps/1"
        assert [step["kind"] for step in steps if step["kind"] in ("start", "result")] == ["start", "result"]
        assert steps[-1]["totals"] == document["result"]["totals"]
        assert steps[-1]["places"] == document["result"]["places"]
        by_round = [
            [step for step in steps if step["round"] == index and step["kind"] == "event"]
            for index in range(len(document["rounds"]))
        ]
        for played, mine, entry in zip(document["rounds"], by_round, told["rounds"], strict=True):
            assert [(step["seat"], step["do"]) for step in mine] == [
                (event["seat"], event["do"]) for event in played["events"]
            ]
            assert [step["event"] for step in mine] == list(range(len(mine)))
            assert steps[entry["step"]]["kind"] == "deal"
            assert steps[entry["last"]]["kind"] == "round_end"
            assert steps[entry["last"]]["penalties"] == played["end"]["penalties"]
            for step, event in zip(mine, played["events"], strict=True):
                assert step.get("standin", False) is event.get("standin", False)
                assert [step.get("ms"), "ms" in step] == [event.get("ms"), "ms" in event]
                assert ("legal" in step) is ("ms" in event or event.get("standin", False))
                if "cards" in event or "card" in event:
                    assert step["cards"] == event.get("cards", [event.get("card")])
        assert [steps[fault["step"]]["fault"] for fault in told["faults"]] == list(range(len(told["faults"])))
        assert sorted(told["result"]["forfeited"]) == sorted(fault["seat"] for fault in document["faults"])
        for step in steps:
            assert set(step) >= ALWAYS
            assert all(isinstance(part, str) or set(part) in ({"card"}, {"suit"}) for part in step["text_parts"])
            assert "table" not in step or step["kind"] == "deal"
        assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_legal_lists_are_those_the_bots_got() -> None:
    document = vectors("nines-mixes")[3]
    told = story.steps(document)
    legal: list[list[dict[str, Any]]] = []
    follow(document, lambda match: legal.append([action.to_json() for action in match.round.legal()]))
    decisions = [step for step in told["steps"] if "legal" in step]
    assert [[told["actions"][index] for index in step["legal"]] for step in decisions] == legal
    assert sum("chosen" in step for step in decisions) > len(decisions) / 2
    for step in decisions:
        if "chosen" not in step:  # a pair the other way round
            assert len(step["cards"]) == 2
            continue
        chosen = told["actions"][step["chosen"]]
        assert chosen["do"] == step["do"]
        assert chosen.get("suit") == step.get("suit")
    assert len({json.dumps(action) for action in told["actions"]}) == len(told["actions"])


@pytest.mark.parametrize("name", ["nines-options", "nine-options"])
def test_what_others_may_not_know_is_marked(name: str) -> None:
    """An event of which another seat is told less, or nothing, is private or secret, and no other is."""
    for document in vectors(name, every=20):
        told, place = story.steps(document), None
        place = index_of(told)
        last: dict[int, Any] = {}
        follow(document, lambda match, last=last: last.__setitem__(match.rounds_finished, match.round))
        for index, state in last.items():
            for at, event in enumerate(state.events()):
                step = told["steps"][place[index, at]]
                others = [seat for seat in range(len(document["seats"])) if seat != event["seat"]]
                seen = state.visible(others[0], at)[:1] if at < len(state.events()) else []
                hidden = not seen or seen[0]["do"] != event["do"] or seen[0]["seat"] != event["seat"]
                if event["do"] in ("keep", "accept"):
                    assert hidden
                    assert step["secret"]
                    assert step["closed_text_parts"] == []
                elif event["do"] != "reshuffle":
                    less = seen[0].get("cards", seen[0].get("card")) != event.get("cards", event.get("card"))
                    assert step.get("private", False) is less
                    assert ("closed_text_parts" in step) is less
                    if less:
                        assert step["count"] == len(step["cards"])
                        assert not any(isinstance(part, dict) for part in step["closed_text_parts"])


def test_steps_stay_small() -> None:
    longest = max(
        vectors("nines-rare"), key=lambda document: max(len(played["events"]) for played in document["rounds"])
    )
    assert max(len(played["events"]) for played in longest["rounds"]) > 2000
    assert len(json.dumps(story.steps(longest), separators=(",", ":"))) < 5_000_000


def test_a_match_with_faults_and_notes() -> None:
    rng = random.Random(5)
    rules = registry.get("nine").complete({"max_goarounds": 4}, 4)
    match = play("nine", rules, 4, bytes(32), rng, fault_share=0.02)
    document = document_of(match)
    last = len(document["rounds"][0]["events"])
    document["notes"] = [
        {"seat": 1, "round": 0, "event": 0, "text": "first"},
        {"seat": 2, "round": 0, "event": last, "text": "after the last"},
    ]
    told = story.steps(document)
    first, second = (told["steps"][note["step"]] for note in told["notes"])
    assert (first["round"], first["event"], first["notes"]) == (0, 0, [0])
    assert (second["event"], second["notes"]) == ("end", [1])


def test_skins_come_with_the_steps() -> None:
    tarot = next(document for document in _file("nine-options") if document["rules"]["skin"] == "tarot")
    faces = story.steps(tarot)["faces"]
    assert faces["KH"] == {"corner": "D", "suit": "H", "kind": "court", "name": "dame of hearts"}
    assert len(faces) == 54
    assert story.steps(vectors("nines-profiles", every=99)[0])["faces"] is None


def test_views_are_what_the_bots_got() -> None:
    document = vectors("nines-mixes")[1]
    told = story.steps(document)
    decisions = [number for number, step in enumerate(told["steps"]) if "legal" in step]
    got: list[dict[str, Any]] = []
    follow(document, lambda match: got.append(match.round.view(match.round.turn).to_json()))
    for number, view in list(zip(decisions, got, strict=True))[:40]:
        assert story.views(document, number - 1)[str(view["seat"])] == view
    assert story.views(document, 0) == {}
    assert story.views(document, 10**9) == {}


def test_a_replay_that_does_not_verify_is_shown_with_its_problem() -> None:
    document = vectors("nine-mixes")[0]
    document["rounds"][0]["events"][1]["cards"] = ["KH", "2D"]
    told = story.steps(document)
    assert "event 1" in told["problem"]
    assert told["steps"][-1]["kind"] == "result"
    with pytest.raises(ReplayError):
        story.steps({**document, "format": "ninefold-replay/2"})
    for document in vectors("nines-mixes", every=8):
        rng = random.Random(1)
        for played in document["rounds"]:
            rng.shuffle(played["events"])
            for event in played["events"][::3]:
                event.pop(rng.choice(["cards", "suit", "stock"]), None)
        assert story.steps(document)["problem"]  # and no traceback


def test_an_unrevealed_seed_is_no_hindrance() -> None:
    document = vectors("nines-mixes")[2]
    assert story.steps({**document, "seed": None})["steps"] == story.steps(document)["steps"]


def test_a_game_without_a_table_is_a_list_of_events(monkeypatch: pytest.MonkeyPatch) -> None:
    document = vectors("nine-mixes")[0]
    monkeypatch.setattr(story, "table_of", lambda game: None)
    told = story.steps(document)
    assert told["has_table"] is False
    assert told["faces"] is None
    assert not any("table" in step or "set" in step for step in told["steps"])
    draw = next(step for step in told["steps"] if step.get("do") == "draw_pile")
    assert draw["text_parts"] == ["draw pile ", {"card": draw["cards"][0]}]


def test_table_of_finds_each_games_own() -> None:
    for name in registry.names():
        assert isinstance(story.table_of(name), types.ModuleType)


def test_random_matches_of_both_games_have_steps() -> None:
    for source in range(15):
        rng = random.Random(source)
        game = rng.choice(["nine", "nines"])
        options, players = mix(rng, game)
        rules = registry.get(game).complete(options, players)
        document = document_of(play(game, rules, players, rng.randbytes(32), rng, fault_share=rng.choice([0, 0.05])))
        told = story.steps(document)
        assert told["problem"] is None
        fold(told)
