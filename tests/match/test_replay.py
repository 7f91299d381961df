"""REPLAY.md: what is written, read back, refused, and the canonical record, byte for byte."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ReplayError
from referee.games import registry
from referee.games.match import Fault, Match
from referee.games.shuffler import commitment
from referee.match import replay, shape
from tests.match.playing import document_of, play

NAMES = ["m.json", "m.json.gz", "m.jsonl", "m.jsonl.gz"]


def a_match(game: str = "nine", players: int = 3) -> dict[str, Any]:
    rules = registry.get(game).complete({}, players)
    return document_of(play(game, rules, players, bytes(range(32)), random.Random(1), fault_share=0.003))


# ---------------------------------------------------------------- writing and reading


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    documents = [a_match("nine"), a_match("nines")] if "jsonl" in name else [a_match("nine")]
    assert replay.write(tmp_path / name, documents) == len(documents)
    assert list(replay.read(tmp_path / name)) == documents
    assert list(tmp_path.iterdir()) == [tmp_path / name]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_matches_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder in ("a", "b"):
        replay.write(tmp_path / folder / name, [a_match()])
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_file_holds_plain_json_in_ascii(tmp_path: Path) -> None:
    replay.write(tmp_path / "m.json", [{**a_match(), "match_id": "local/ü/1"}])
    text = (tmp_path / "m.json").read_bytes()
    assert text.isascii()
    assert json.loads(text)["match_id"] == "local/ü/1"


def test_reading_a_list_and_blank_lines(tmp_path: Path) -> None:
    document = a_match()
    (tmp_path / "list.json").write_text(json.dumps([document, document]))
    assert list(replay.read(tmp_path / "list.json")) == [document, document]
    (tmp_path / "m.jsonl").write_text("\n" + json.dumps(document) + "\n\n" + json.dumps(document))
    assert list(replay.read(tmp_path / "m.jsonl")) == [document, document]


def test_reading_streams(tmp_path: Path) -> None:
    document = a_match()
    (tmp_path / "m.jsonl").write_text(json.dumps(document) + "\n{broken")
    matches = replay.read(tmp_path / "m.jsonl")
    assert next(matches) == document  # before the damage further on is met
    with pytest.raises(ReplayError, match="line 2"):
        next(matches)


def test_one_json_holds_one_match(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="jsonl"):
        replay.write(tmp_path / "m.json", [a_match(), a_match()])
    with pytest.raises(ReplayError, match="none"):
        replay.write(tmp_path / "m.json.gz", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_no_number_that_json_lacks_is_written(tmp_path: Path, number: float) -> None:
    document = a_match()
    document["rounds"][0]["events"][0]["ms"] = number
    with pytest.raises(ReplayError, match="JSON"):
        replay.write(tmp_path / "m.jsonl", [a_match(), document])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="cannot be written"):
        replay.write(tmp_path / "no" / "m.json", [a_match()])


def test_only_a_finished_match_has_a_document() -> None:
    game = registry.get("nine")
    with pytest.raises(ValueError, match="finished"):
        document_of(Match(game, game.complete({}, 2), 2, bytes(32)))


def test_the_seed_may_stay_hidden() -> None:
    game = registry.get("nine")
    match = Match(game, game.complete({}, 2), 2, b"s" * 32)
    match.forfeit([Fault(0, "exit", "exit code 0")])
    hidden = document_of(match, reveal=False)
    assert hidden["seed"] is None
    assert hidden["commitment"] == commitment(b"s" * 32) == hashlib.sha256(b"s" * 32).hexdigest()
    assert (b"s" * 32).hex() not in json.dumps(hidden)
    assert document_of(match)["seed"] == (b"s" * 32).hex()


# ---------------------------------------------------------------- bad files

TEXT = json.dumps({"format": "ninefold-replay/1"})
BAD = [
    ("empty", "m.json", b"", "is empty"),
    ("blank", "m.jsonl", b"\n \n", "is empty"),
    ("an empty list", "m.json", b"[]", "is empty"),
    ("cut off", "m.json", TEXT[:-5].encode(), "cut off"),
    ("cut off in a list", "m.json", b'[{"a": 1}, ', "cut off"),
    ("not JSON", "m.json", b"{format}", "not valid JSON"),
    ("two documents", "m.json", b"{} {}", "not valid JSON"),
    ("not UTF-8", "m.json", b'{"format": "\xff"}', "byte 12 is not valid UTF-8"),
    ("UTF-16", "m.json", TEXT.encode("utf-16"), "not valid UTF-8"),
    ("NaN", "m.json", b'{"format": NaN}', "NaN is no number"),
    ("Infinity", "m.json", b'{"format": -Infinity}', "-Infinity is no number"),
    ("too large a number", "m.json", b'{"format": 1e999}', "too large"),
    ("thousands of digits", "m.json", b'{"format": ' + b"9" * 5000 + b"}", "not valid JSON: a number in it has thousands of digits"),
    ("endless empty lines", "m.jsonl.gz", gzip.compress(b"\n" * (64 << 20)), "comes after over 1 MiB that hold no match"),
    ("endless blanks in lines", "m.jsonl", (b" " * 4000 + b"\n") * 1000, "comes after over 1 MiB that hold no match"),
    ("endless empty lists", "m.jsonl.gz", gzip.compress(b"[]\n" * (16 << 20)), "comes after over 1 MiB that hold no match"),
    ("a name twice", "m.json", b'{"format": "x", "format": "ninefold-replay/1"}', "'format' stands twice"),
    ("the last of many names twice", "m.json", b"{" + b", ".join(b'"%d": 0' % n for n in (*range(200_000), 199_999)) + b"}", "'199999' stands twice"),
    ("nested too deeply", "m.json", b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    ("no object", "m.json", b'"replay"', "no Ninefold replay"),
    ("null", "m.json", b"null", "no Ninefold replay"),
    ("without a format", "m.json", b"{}", "no Ninefold replay"),
    ("a format that is no text", "m.json", b'{"format": 1}', "no Ninefold replay"),
    ("foreign", "m.json", b'{"format": "chess/1"}', "its format is 'chess/1'"),
    ("newer", "m.json", b'{"format": "ninefold-replay/2"}', "another release of the league"),
    ("fields missing", "m.json", TEXT.encode(), "field match_id is missing"),
    ("named gz, not packed", "m.json.gz", TEXT.encode(), "no gzip file"),
    ("packed, cut off", "m.jsonl.gz", gzip.compress(TEXT.encode())[:-9], "damaged or cut off"),
    ("packed, damaged", "m.json.gz", gzip.compress(b"x" * 999)[:20] + b"\x07" * 20, "damaged"),
    ("named json, packed", "m.json", gzip.compress(TEXT.encode()), "not valid UTF-8"),
    ("another kind of file", "m.txt", TEXT.encode(), "by its name"),
]


@pytest.mark.parametrize(("name", "content", "says"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_a_bad_file_is_one_sentence(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ReplayError) as caught:
        list(replay.read(tmp_path / name))
    assert says in str(caught.value)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="does not exist"):
        list(replay.read(tmp_path / "m.json"))
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ReplayError, match="cannot be read"):
        list(replay.read(tmp_path / "folder.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_pipe_is_no_file_of_replays(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)  # nobody will ever write to it
    with pytest.raises(ReplayError, match="is a pipe or a device; name a regular file"):
        list(replay.read(tmp_path / name))


def test_what_stands_between_two_matches_counts_anew_after_each(tmp_path: Path) -> None:
    document = a_match()
    line = json.dumps(document) + "\n" * (replay.MOST_UNUSED_BYTES * 2 // 3)
    (tmp_path / "m.jsonl").write_text(line * 3)
    assert list(replay.read(tmp_path / "m.jsonl")) == [document] * 3


def test_no_more_events_than_a_match_may_have(tmp_path: Path) -> None:
    document = a_match()
    events = document["rounds"][0]["events"]
    events += [events[0]] * (shape.MOST_EVENTS - sum(len(r["events"]) + 1 for r in document["rounds"]))
    replay.check(document)
    events.append(events[0])
    with pytest.raises(ReplayError, match="200,001 events and rounds, and a match may have 200,000"):
        replay.check(document)


def test_no_more_notes_at_a_moment_than_a_table_has_seats(tmp_path: Path) -> None:
    document = a_match()
    notes = [{"seat": 0, "round": 0, "event": 2, "text": "so"}] * shape.MOST_NOTES
    document["notes"] = [*notes, {"seat": 0, "round": 0, "event": 3, "text": "so"}]
    replay.check(document)
    document["notes"] += notes[:1]
    with pytest.raises(ReplayError, match="65 notes at round 0, event 2, and a moment may have 64"):
        replay.check(document)


@pytest.mark.parametrize("name", NAMES)
def test_a_huge_document_is_refused_before_it_is_held(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "MOST_BYTES", 1 << 20)
    content = b'{"format": "' + b"x" * (64 << 20) + b'"}'
    (tmp_path / name).write_bytes(gzip.compress(content, 1) if name.endswith("gz") else content)
    with pytest.raises(ReplayError, match="too long: a match may take 1 MiB"):
        list(replay.read(tmp_path / name))


# ---------------------------------------------------------------- types of fields


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        for part in path[:-1]:
            document = document[part]
        document[path[-1]] = value

    return change


WRONG = [
    (("match_id",), 7),
    (("match_id",), "\ud800"),
    (("profile",), False),
    (("clock",), {"bank_ms": 10000, "increment_ms": 100, "charged": "sun"}),
    (("clock",), []),
    (("played",), {"at": 5, "attempt": 1, "machine": "m", "speed": 1}),
    (("played", "speed"), float("nan")),
    (("game",), None),
    (("rules",), []),
    (("rules", "cutoff"), 99.0),
    (("rules", "cutoff"), {"$gt": 0}),
    (("seats",), []),
    (("seats",), {}),
    (("seats", 0, "version"), True),
    (("seats", 0, "digest"), "AB" * 32),
    (("seats", 0, "digest"), "ab" * 32 + "\n"),
    (("commitment",), "0x" + "ab" * 31),
    (("seed",), "ab"),
    (("seed",), 0),
    (("first_dealer",), "0"),
    (("first_dealer",), -1),
    (("cuts",), {}),
    (("rounds",), None),
    (("rounds", 0), 1),
    (("rounds", 0, "kind"), "final"),
    (("rounds", 0, "dealer"), True),
    (("rounds", 0, "seats"), "012"),
    (("rounds", 0, "deal"), []),
    (("rounds", 0, "deal", "hands"), []),
    (("rounds", 0, "deal", "hands", "0"), "5C"),
    (("rounds", 0, "deal", "hands", "x"), []),
    (("rounds", 0, "deal", "upcard"), ["5C"]),
    (("rounds", 0, "deal", "stock", 0), 5),
    (("rounds", 0, "events"), {}),
    (("rounds", 0, "events", 0), None),
    (("rounds", 0, "events", 0, "seat"), 1.0),
    (("rounds", 0, "events", 0, "seat"), 10**30),
    (("rounds", 0, "events", 0, "do"), ["play"]),
    (("rounds", 0, "events", 0, "ms"), "fast"),
    (("rounds", 0, "events", 0, "ms"), True),
    (("rounds", 0, "events", 0, "cpu_ms"), [1]),
    (("rounds", 0, "events", 0, "cards"), "5C"),
    (("rounds", 0, "events", 0, "suit"), 3),
    (("rounds", 0, "events", 0, "standin"), 1),
    (("rounds", 0, "end"), None),
    (("rounds", 0, "end", "by"), "0"),
    (("rounds", 0, "end", "penalties"), [0, 1]),
    (("rounds", 0, "end", "penalties", "0"), None),
    (("rounds", 0, "end", "totals", 0), "0"),
    (("result",), None),
    (("result", "places", 0), 1.0),
    (("notes",), None),
    (("notes",), [{"seat": 0, "round": 0, "event": 0, "text": "x" * 201}]),
    (("faults",), [{"seat": 0}]),
    (
        ("faults",),
        [
            {
                "seat": 0,
                "round": 0,
                "event": 0,
                "kind": "boredom",
                "detail": "",
                "ms": None,
                "cpu_ms": None,
                "limit_ms": None,
            }
        ],
    ),
    (
        ("faults",),
        [
            {
                "seat": 0,
                "round": 0,
                "event": 0,
                "kind": "exit",
                "detail": "",
                "ms": "1",
                "cpu_ms": None,
                "limit_ms": None,
            }
        ],
    ),
]


@pytest.mark.parametrize(
    ("path", "value"), WRONG, ids=[f"{'.'.join(map(str, path))}={str(value)[:20]!r}" for path, value in WRONG]
)
def test_a_field_of_another_type_is_named(path: tuple[Any, ...], value: Any) -> None:
    document = copy.deepcopy(a_match())
    put(*path, value=value)(document)
    with pytest.raises(ReplayError) as caught:
        replay.check(document)
    named = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path[:2]).lstrip(".")
    assert named in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", [name for name in a_match() if name != "format"])
def test_a_missing_field_is_named(name: str) -> None:
    document = a_match()
    del document[name]
    with pytest.raises(ReplayError, match=f"field {name} is missing"):
        replay.check(document)


def test_unknown_fields_are_ignored() -> None:
    replay.check({**a_match(), "comment": {"deep": [float("nan")]}})


# ---------------------------------------------------------------- the canonical record


def test_canonical_record_worked_out_by_hand() -> None:
    """Two bots, of which one never started: no rounds, and everything else is on one line."""
    game = registry.get("nine")
    match = Match(game, game.complete({}, 2), 2, bytes(32), start_faults=[Fault(1, "start", "never connected", 5.0)])
    seats = [{"bot": "ä", "version": 1, "digest": "0" * 64}, {"bot": "b", "version": 2, "digest": "1" * 64}]
    document = document_of(match, seats=seats)
    expected = (
        '{"commitment":"66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925",'
        '"faults":[{"event":0,"kind":"start","round":0,"seat":1}],"first_dealer":0,"format":"ninefold-replay/1",'
        '"game":"nine","result":{"places":[1,2],"totals":[0,0]},"rounds":[],'
        '"rules":{"cutoff":99,"first_dealer":"seat","max_goarounds":100,"overcall":"forbidden","skin":"numbered","teams":0},'
        '"seats":[{"bot":"\\u00e4","digest":"' + "0" * 64 + '","version":1},'
        '{"bot":"b","digest":"' + "1" * 64 + '","version":2}]}'
    ).encode()
    assert replay.canonical(document) == expected
    assert replay.canonical_sha256(document) == hashlib.sha256(expected).hexdigest()


def test_canonical_record_leaves_out_what_may_differ() -> None:
    document = a_match()
    changed = copy.deepcopy(document)
    changed.update(match_id="local/x", profile="nine/standard", clock=None, played=None, seed=None, notes=[], other=1)
    for played in changed["rounds"]:
        for event in played["events"]:
            event.setdefault("standin", False)
            event.update(ms=99, cpu_ms=None)
        for hand in played["end"]["hands"].values():
            hand.reverse()
    for fault in changed["faults"]:
        fault.update(detail="another", ms=1, cpu_ms=2, limit_ms=3)
    changed["faults"].reverse()
    assert replay.canonical(changed) == replay.canonical(document)


CANONICAL_CHANGES = [
    put("first_dealer", value=1),
    put("commitment", value="0" * 64),
    put("rules", "cutoff", value=98),
    put("seats", 0, "version", value=2),
    put("result", "places", 0, value=9),
    put("rounds", 0, "events", 0, "seat", value=0),
    put("rounds", 0, "events", 0, "standin", value=True),
    put("rounds", 0, "end", "totals", 0, value=999),
    put("rounds", 0, "deal", "upcard", value="??"),
]


@pytest.mark.parametrize("change", CANONICAL_CHANGES)
def test_canonical_record_keeps_everything_else(change: Callable[[dict[str, Any]], None]) -> None:
    document = a_match()
    changed = copy.deepcopy(document)
    change(changed)
    assert replay.canonical_sha256(changed) != replay.canonical_sha256(document)


def test_pack_order_is_rank_within_suit_then_zeros() -> None:
    assert replay.pack_order(["X2", "AD", "KC", "2C", "X1", "2C"]) == ["2C", "2C", "KC", "AD", "X1", "X2"]
