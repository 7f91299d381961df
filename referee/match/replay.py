"""The replay file: one finished match as one JSON document, written, read back, and reduced to its canonical record.

Reading is made for files from strangers: sizes are capped, JSON is strict (no NaN, no Infinity, no name twice), every
field has its type before anyone uses it, and whatever is wrong is one sentence, a `ReplayError`.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, NoReturn

from referee.cards import CODES
from referee.errors import ReplayError
from referee.games.base import Json
from referee.games.match import Match
from referee.games.shuffler import commitment
from referee.wording import unread

FORMAT = "ninefold-replay/1"
FAMILY = "ninefold-replay/"
SUFFIXES = (".json", ".json.gz", ".jsonl", ".jsonl.gz")
MOST_BYTES = 32 << 20
"""Longest document that is read, in bytes of JSON after unpacking; a long match of six takes under one million."""
MOST_UNUSED_BYTES = 1 << 20
"""So much may stand between two documents of a file that holds several, such as empty lines and empty lists."""

CANONICAL = ("format", "game", "rules", "seats", "commitment", "first_dealer", "cuts", "rounds", "result", "faults")
"""The fields of a canonical record."""
TIMES = frozenset({"ms", "cpu_ms", "limit_ms"})

_PLACE_IN_PACK = {code: place for place, code in enumerate(CODES)}


def document(
    match: Match,
    *,
    match_id: str,
    profile: str | None,
    clock: Mapping[str, Json] | None,
    played: Mapping[str, Json] | None,
    seats: Sequence[Mapping[str, Json]],
    notes: Sequence[Mapping[str, Json]] = (),
    reveal: bool = True,
) -> dict[str, Json]:
    """The finished match as a replay document; `reveal` false leaves the seed out (S1).

    `seats` are `bot`, `version`, `digest` by seat; `clock` and `played` as in REPLAY.md or None.
    """
    if not match.finished:
        raise ValueError("only a finished match has a replay")
    return {
        "format": FORMAT,
        "match_id": match_id,
        "profile": profile,
        "clock": dict(clock) if clock is not None else None,
        "played": dict(played) if played is not None else None,
        "game": match.game.name,
        "rules": dict(match.rules),
        "seats": [dict(seat) for seat in seats],
        "commitment": commitment(match.seed),
        "seed": match.seed.hex() if reveal else None,
        **match.document(),
        "notes": [dict(note) for note in notes],
    }


# ---------------------------------------------------------------- canonical record


def pack_order(cards: Iterable[str]) -> list[str]:
    """The cards in the order of S4, two equal ones beside each other."""
    return sorted(cards, key=lambda card: (_PLACE_IN_PACK.get(card, len(CODES)), card))


def canonical(document: Mapping[str, Json]) -> bytes:
    """The canonical record: what two runs of the same match have in common, byte for byte."""
    record = {name: document[name] for name in CANONICAL if name in document}
    record["rounds"] = [
        {
            **played,
            "events": [_without_times(event) for event in played["events"]],
            "end": {
                **played["end"],
                "hands": {seat: pack_order(hand) for seat, hand in played["end"]["hands"].items()},
            },
        }
        for played in document["rounds"]
    ]
    faults = sorted(document["faults"], key=lambda fault: (fault["round"], fault["event"], fault["seat"]))
    record["faults"] = [
        {name: value for name, value in _without_times(fault).items() if name != "detail"} for fault in faults
    ]
    return _strict_json(record, sort_keys=True).encode("ascii")


def canonical_sha256(document: Mapping[str, Json]) -> str:
    """The SHA-256 of the canonical record, hex."""
    return sha256(canonical(document)).hexdigest()


def _without_times(event: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: value for name, value in event.items() if name not in TIMES and not (name == "standin" and value is False)
    }


def _strict_json(value: Json, *, sort_keys: bool = False) -> str:
    """Compact JSON in ASCII; `ReplayError` for what JSON has no form for, such as NaN."""
    try:
        return json.dumps(value, sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (ValueError, TypeError) as error:
        reason = f"{error}; every value is text, a finite number, or a list or object of such"
        raise ReplayError(f"the match cannot be written as JSON: {reason}") from None


# ---------------------------------------------------------------- writing


def write(path: str | os.PathLike[str], documents: Iterable[Mapping[str, Json]]) -> int:
    """The documents are in the file, which appears whole or not at all; how many there were.

    One match for `.json`, one per line for `.jsonl`, either with `.gz`. The same documents give the same bytes.
    """
    path = Path(path)
    suffix = _suffix(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    count = 0
    try:
        with partial.open("wb") as raw:
            packed = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) if suffix.endswith(".gz") else None
            out: IO[bytes] = packed or raw  # type: ignore[assignment]
            for document in documents:
                if count and suffix.startswith(".json") and not suffix.startswith(".jsonl"):
                    raise ReplayError(
                        f"{path.name} holds one match; name the file .jsonl or .jsonl.gz to write several"
                    )
                out.write(_strict_json(document).encode("ascii") + b"\n")
                count += 1
            if packed is not None:
                packed.close()
        if not count and not suffix.startswith(".jsonl"):
            raise ReplayError(f"{path.name} would hold no match: there is none to write")
        partial.replace(path)
    except OSError as error:
        raise ReplayError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)
    return count


def _suffix(path: Path) -> str:
    name = path.name.lower()
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    if path.is_dir():
        raise ReplayError(f"{path} is a folder; name one replay file in it")
    raise ReplayError(f"{path} is no replay file by its name; it should end in one of {', '.join(SUFFIXES)}")


# ---------------------------------------------------------------- reading


def read(path: str | os.PathLike[str]) -> Iterator[dict[str, Json]]:
    """Each match of the file, in order, one in memory at a time; every field has the type that REPLAY.md gives it.

    `ReplayError` says in one sentence what is wrong: damaged, cut off, foreign, or written by a newer league.
    """
    path = Path(path)
    if not path.exists():
        raise ReplayError(f"{path} does not exist; name a replay file, or a folder of them")
    suffix = _suffix(path)
    if not path.is_file() and not path.is_dir():
        raise ReplayError(f"{path} is a pipe or a device; name a regular file that holds replays")
    found, unused = False, 0
    try:
        with path.open("rb") as raw:
            unpacked: Any = gzip.GzipFile(fileobj=raw) if suffix.endswith(".gz") else raw
            for where, text in _texts(path, unpacked, lines=suffix.startswith(".jsonl")):
                unused += len(text)
                for document in _documents(where, text):
                    found, unused = True, 0
                    check(document, where)
                    yield document
                if unused > MOST_UNUSED_BYTES and suffix.startswith(".jsonl"):
                    raise ReplayError(f"{where} comes after over {MOST_UNUSED_BYTES >> 20} MiB that hold no match")
    except (EOFError, zlib.error):
        raise ReplayError(f"{path} is damaged or cut off: its compressed data end too early or do not fit") from None
    except gzip.BadGzipFile:
        raise ReplayError(f"{path} is not compressed, or damaged: it is named .gz and is no gzip file") from None
    except OSError as error:
        raise ReplayError(f"{path} cannot be read: {error.strerror or error}") from None
    if not found:
        raise ReplayError(f"{path} is empty: it holds no match")


def _texts(path: Path, stream: BufferedReader, *, lines: bool) -> Iterator[tuple[str, bytes]]:
    """The file's pieces of JSON, which may be blank, with a name for messages: its lines, or all of it."""
    number = 0
    while text := (stream.readline if lines else stream.read)(MOST_BYTES + 1):
        number += 1
        where = f"{path}, line {number}" if lines else str(path)
        if len(text) > MOST_BYTES:
            raise ReplayError(f"{where} is too long: a match may take {MOST_BYTES >> 20} MiB of JSON")
        yield where, text


def _documents(where: str, text: bytes) -> Sequence[Any]:
    """The documents of one piece of JSON: one, or a list of them; none if it is blank."""
    if not text.strip():
        return ()
    try:
        parsed = json.loads(
            text.decode("utf-8-sig"), parse_constant=_not_json, parse_float=_finite, object_pairs_hook=_no_name_twice
        )
    except UnicodeDecodeError as error:
        raise ReplayError(f"{where} is damaged: byte {error.start} is not valid UTF-8") from None
    except json.JSONDecodeError as error:
        end = len(text.rstrip()) <= error.pos + 1 or "Unterminated" in error.msg
        cut = "cut off" if end else "not valid JSON"
        raise ReplayError(f"{where} is {cut}: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ReplayError(f"{where} is no replay: it is nested too deeply") from None
    except ValueError as error:  # raised by the hooks, and for numbers of thousands of digits
        raise ReplayError(f"{where} is not valid JSON: {unread(error, 200)}") from None
    return parsed if isinstance(parsed, list) else [parsed]


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large for a number")
    return number


def _no_name_twice(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    named = dict(pairs)
    if len(named) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {twice[:40]!r} stands twice in one object")
    return named


def check(document: Any, where: str = "the replay") -> None:
    """Nothing happens if this is a replay of the format we know and each field has its type; else `ReplayError`."""
    if not isinstance(document, dict) or not isinstance(document.get("format"), str):
        raise ReplayError(f"{where} is no Ninefold replay: there is no text in field `format`")
    kind = document["format"]
    if kind != FORMAT:
        if kind.startswith(FAMILY):
            other = f"has format {kind[:40]!r}, made by another release of the league"
            raise ReplayError(f"{where} {other}; this one reads {FORMAT}")
        raise ReplayError(f"{where} is no Ninefold replay: its format is {kind[:40]!r}, not {FORMAT!r}")
    from referee.match.shape import first_fault  # heavy to import, and a match that is played needs none of it

    fault = first_fault(document)
    if fault is not None:
        raise ReplayError(f"{where}: {fault}")
