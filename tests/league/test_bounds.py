"""Odd numbers and texts without measure, in every field of every call: bad input, said in one short sentence.

What a field is called is never written here: a call or a field that is added is tried without being named.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from protos.ninefold.v1 import league_pb2 as pb
from protos.ninefold.v1 import referee_pb2, referee_pb2_grpc
from referee.service.league.bounds import LARGEST, LONGEST_REASON, LONGEST_TEXT
from referee.store.engine import Store
from tests.league.conftest import Served, people, serve, stop
from tests.league.test_permissions import STREAMS, TABLE

BAD, BROKEN = "INVALID_ARGUMENT", ("INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "UNAVAILABLE")
SHORT = 400
REQUESTS = {row[0]: row[1] for row in TABLE}
UINT32, UINT64 = FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_UINT64
TOO_LARGE = {UINT32: (2**31, 2**32 - 1), UINT64: (2**63, 2**64 - 1)}
HUGE = {UINT32: (2**31 - 1,), UINT64: (2**63 - 1, 2**31, 10**12)}
"""What can be kept: whatever the call makes of it, it does not fail inside."""


@pytest.fixture
def league(store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    store = Store(store_url)
    tokens = people(store)
    store.close()
    process, address = serve(tmp_path, "--sandbox", "shipped", env={"NINEFOLD_DATABASE_URL": store_url, "NINEFOLD_CALLS_AT_ONCE": "100000"})
    yield Served(tmp_path, address, tokens, process)
    assert stop(process) == 0, (tmp_path / "server.log").read_text()


def answer(served: Served, call: str, request: Any) -> tuple[str, str]:
    """The status of the call as an organiser makes it, and its sentence."""
    with served.as_("olga") as league:
        method = getattr(league.stub, call)
        try:
            found = method(iter([request]) if call == "Submit" else request, timeout=20, metadata=league.metadata)
            if call in STREAMS:
                next(found, None)
                found.cancel()
        except grpc.RpcError as error:
            return error.code().name, error.details() or ""
    return "ok", ""


def base(call: str) -> Message:
    made: Message = pb.SubmitPart(key=pb.UploadKey(sha256="a" * 64, size=1)) if call == "Submit" else REQUESTS[call]()
    return made


def fields(message: Any, kinds: tuple[int, ...]) -> Iterator[tuple[Any, FieldDescriptor]]:
    """Where in the message, and in those inside it, a value of these types can be put: the holder and its field."""
    for field in message.DESCRIPTOR.fields:
        inner = field.message_type
        if inner is not None and inner.GetOptions().map_entry:
            if inner.fields_by_name["key"].type in kinds or inner.fields_by_name["value"].type in kinds:
                yield message, field
        elif inner is not None:
            yield from fields(getattr(message, field.name), kinds)
        elif field.type in kinds:
            yield message, field


def put(holder: Any, field: FieldDescriptor, value: Any) -> None:
    target = getattr(holder, field.name)
    if field.message_type is not None:
        of = field.message_type.fields_by_name["value"].type
        target["bots" if isinstance(value, int) else "cutoff"] = value if (of == UINT32) == isinstance(value, int) else 7
    elif field.is_repeated:
        target.append(value)
    else:
        setattr(holder, field.name, value)


def tried(kinds: tuple[int, ...]) -> Iterator[tuple[str, int, str]]:
    """Every call with each of its fields of these types, by number."""
    for call in [*REQUESTS, "Submit"]:
        for number, (_, field) in enumerate(fields(base(call), kinds)):
            yield call, number, field.name


def with_value(call: str, kinds: tuple[int, ...], number: int, value: Any) -> Message:
    message = base(call)
    holder, field = list(fields(message, kinds))[number]
    put(holder, field, value)
    return message


def kind_of(call: str, number: int) -> int:
    field = list(fields(base(call), (UINT32, UINT64)))[number][1]
    return field.message_type.fields_by_name["value"].type if field.message_type is not None else field.type


def test_no_number_breaks_a_call(league: Served) -> None:
    seen = 0
    for call, number, name in tried((UINT32, UINT64)):
        kind = kind_of(call, number)
        for value in TOO_LARGE[kind]:
            code, said = answer(league, call, with_value(call, (UINT32, UINT64), number, value))
            assert (code, str(value) in said) == (BAD, True), f"{call}.{name}={value}: {code} {said}"
            assert len(said) < SHORT
        for value in HUGE[kind]:
            code, said = answer(league, call, with_value(call, (UINT32, UINT64), number, value))
            assert code not in BROKEN, f"{call}.{name}={value}: {code} {said}"
        seen += 1
    assert seen > 20


def test_no_text_breaks_a_call_or_is_echoed_whole(league: Served) -> None:
    seen = 0
    for call, number, name in tried((FieldDescriptor.TYPE_STRING,)):
        for text in ("n" * 20_000, "\U0001f0a1" * 20_000, "a\0b"):
            code, said = answer(league, call, with_value(call, (FieldDescriptor.TYPE_STRING,), number, text))
            assert code == BAD, f"{call}.{name}: {code} {said}"
            assert len(said) < SHORT
        most = LONGEST_REASON if name == "reason" else LONGEST_TEXT
        for text in ("n" * most, "\U0001f0a1" * most):
            code, said = answer(league, call, with_value(call, (FieldDescriptor.TYPE_STRING,), number, text))
            assert code not in BROKEN, f"{call}.{name}: {code} {said}"
        seen += 1
    assert seen > 40
    log = (league.data / "server.log").read_text()
    assert max(map(len, log.splitlines())) < 2_000


def test_a_spectator_gets_no_name_back_whole(served: Served) -> None:
    with grpc.insecure_channel(served.address) as channel:
        watched = referee_pb2_grpc.RefereeStub(channel).Watch(referee_pb2.WatchRequest(fixture_id="n" * 20_000), timeout=10)  # type: ignore[no-untyped-call]
        with pytest.raises(grpc.RpcError) as refused:
            list(watched)
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
    assert len(refused.value.details() or "") < SHORT


def test_every_kind_of_number_in_the_contract_has_a_bound() -> None:
    numbers = {
        field.type
        for message in pb.DESCRIPTOR.message_types_by_name.values()
        for field in message.fields
        if field.cpp_type not in (field.CPPTYPE_STRING, field.CPPTYPE_MESSAGE, field.CPPTYPE_BOOL)
    }
    assert numbers == set(LARGEST)
