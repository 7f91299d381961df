"""Every method of every service behind both doors is sent what is no message, and messages with random fields: nothing
crashes, memory stays bounded, and no answer tells of the inside. A method that is added is fuzzed without being named."""

from __future__ import annotations

import importlib
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor, ServiceDescriptor
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import protos.ninefold.v1 as contract
from protos.ninefold.v1 import league_pb2 as pb
from tests.league.conftest import Served

ROUNDS = 3
"""Of these the first warms up; memory is compared after it."""
EACH = 6
"""Messages a method gets in one round, from each caller."""
MOST_KIB = 24_000
INSIDE = ("Traceback", "sqlalchemy", "psycopg", "sqlite", "site-packages", '.py"', "/work", "/tmp", "/root", "0x7f")
SEAT = {"ninefold.v1.Table"}
"""Served on a seat's own socket to one bot: its frames are fuzzed in tests/table and tests/hostile."""
INFRASTRUCTURE = {"grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}


def services_of_the_contract() -> dict[str, ServiceDescriptor]:
    """Every service in our protos, by name."""
    found: dict[str, ServiceDescriptor] = {}
    for path in Path(contract.__path__[0]).glob("*_pb2.py"):
        module = importlib.import_module(f"{contract.__name__}.{path.stem}")
        found |= {service.full_name: service for service in module.DESCRIPTOR.services_by_name.values()}
    return found


def served_by(channel: grpc.Channel) -> dict[str, ServiceDescriptor]:
    """Every service that a server says it has."""
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = descriptor_pool.DescriptorPool(database)
    return {name: pool.FindServiceByName(name) for name in database.get_services()}


@dataclass
class Fuzzer:
    """Sends rubbish, and remembers which methods it was sent to and which of them answered at all."""

    channel: grpc.Channel
    rng: random.Random
    sent: set[str]
    known: set[str]

    def fuzz(self, service: ServiceDescriptor, metadata: list[tuple[str, str]], count: int = EACH) -> None:
        for method in service.methods:
            for _ in range(count):
                self.once(method, metadata)

    def once(self, method: MethodDescriptor, metadata: list[tuple[str, str]]) -> None:
        name = f"/{method.containing_service.full_name}/{method.name}"
        self.sent.add(name)
        kind = ("stream" if method.client_streaming else "unary") + ("_stream" if method.server_streaming else "_unary")
        body = [self.body(method) for _ in range(self.rng.randrange(3) if method.client_streaming else 1)]
        request: Any = iter(body) if method.client_streaming else body[0]
        call = getattr(self.channel, kind)(name, request_serializer=lambda b: b, response_deserializer=lambda b: b)
        try:
            answer = call(request, timeout=5, metadata=metadata)
            if method.server_streaming:
                for _ in zip(range(3), answer, strict=False):
                    continue
                answer.cancel()
            self.known.add(name)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                self.known.add(name)
            text = error.details() or ""
            assert not any(word in text for word in INSIDE), f"{name}: {text}"

    def body(self, method: MethodDescriptor) -> bytes:
        choice = self.rng.random()
        if choice < 0.25:
            return self.rng.randbytes(self.rng.randrange(400))
        if choice < 0.3:
            return bytes([self.rng.randrange(256)]) * self.rng.randrange(1, 50_000)  # deep or long in one field
        made = noise(self.rng, method.input_type).SerializeToString()
        if choice < 0.5 and made:  # nearly right
            at = self.rng.randrange(len(made))
            return made[:at] + self.rng.randbytes(1) + made[at + self.rng.randrange(2) :]
        return bytes(made)


def noise(rng: random.Random, kind: Any, depth: int = 0) -> Any:
    """A message of that kind with random values in random fields, inside other messages, lists and maps too."""
    message = message_factory.GetMessageClass(kind)()
    for field in kind.fields:
        if rng.random() < 0.4 or depth > 3:
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            value = field.message_type.fields_by_name["value"]
            for _ in range(rng.randrange(3) if value.message_type is None else 0):
                getattr(message, field.name)[scalar(rng, field.message_type.fields_by_name["key"])] = scalar(rng, value)
        elif field.message_type is not None:
            inner = noise(rng, field.message_type, depth + 1)
            target = getattr(message, field.name)
            target.add().CopyFrom(inner) if field.is_repeated else target.CopyFrom(inner)
        elif field.is_repeated:
            getattr(message, field.name).extend(scalar(rng, field) for _ in range(rng.randrange(4)))
        else:
            setattr(message, field.name, scalar(rng, field))
    return message


WORDS = ("anna-bot", "anna", "olga", "cup", "start", "cancel", "nines", "1/1/1", "../../etc/passwd", "'; DROP TABLE users; --", "%s%n", "\x00", "🂡" * 9)


def scalar(rng: random.Random, field: FieldDescriptor) -> Any:
    if field.type == field.TYPE_STRING:
        if rng.random() < 0.5:
            return rng.choice(WORDS)
        return "".join(chr(rng.choice([rng.randrange(32, 127), rng.randrange(128, 0xD7FF)])) for _ in range(rng.randrange(60)))
    if field.type == field.TYPE_BYTES:
        return rng.randbytes(rng.randrange(60))
    if field.type == field.TYPE_BOOL:
        return rng.random() < 0.5
    if field.type == field.TYPE_ENUM:
        return rng.choice([value.number for value in field.enum_type.values])
    if field.type in (field.TYPE_DOUBLE, field.TYPE_FLOAT):
        return rng.choice([0.0, -1.5, 1e30, float("nan"), float("inf")])
    signed = field.type in (field.TYPE_INT32, field.TYPE_INT64, field.TYPE_SINT32, field.TYPE_SINT64)
    return rng.choice([0, 1, 2, -1 if signed else 3, 2**31 - 1])


def memory_kib(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS")))


@pytest.fixture
def inner(served: Served) -> str:
    """The door that only this machine's worker uses."""
    return str(json.loads((served.data / "league.json").read_text())["referee"])


EXPECTED = {
    "outer": {"ninefold.v1.League", *INFRASTRUCTURE},
    "inner": {"ninefold.v1.Referee", "ninefold.v1.Builder", "ninefold.v1.League", *INFRASTRUCTURE},
}


@pytest.mark.parametrize("name", ["outer", "inner"])
def test_every_method_of_every_service_is_fuzzed(served: Served, inner: str, name: str) -> None:
    """What reflection shows, and everything in the contract besides, whether it is meant to be behind this door or not."""
    rng = random.Random(9)
    callers = ["", "nf_wrong", served.tokens["anna"], served.tokens["olga"], served.tokens["vera"]]
    with grpc.insecure_channel(inner if name == "inner" else served.address) as channel:
        shown = served_by(channel)
        assert set(shown) == EXPECTED[name]
        everything = {**services_of_the_contract(), **shown}
        fuzzer = Fuzzer(channel, rng, set(), set())
        before = 0
        for number in range(ROUNDS):
            for service in everything.values():
                for token in callers if service.full_name == "ninefold.v1.League" and name == "outer" else callers[:1]:
                    fuzzer.fuzz(service, [("authorization", f"Bearer {token}")] if token else [], 2 if token else EACH)
            if number == 0:
                before = memory_kib(served.process.pid)
        assert fuzzer.sent == {f"/{s.full_name}/{m.name}" for s in everything.values() for m in s.methods}
        here = {f"/{service.full_name}/{method.name}" for service in shown.values() for method in service.methods}
        assert here <= fuzzer.known
        beyond = {"/ninefold.v1.Referee/Watch"} if name == "outer" else set()
        assert fuzzer.known - here == beyond, "nothing else of the contract answers here"
    assert served.process.poll() is None
    assert memory_kib(served.process.pid) - before < MOST_KIB
    with served.as_("anna") as league:
        assert league.read("About", pb.AboutRequest())["api"] == "ninefold.v1"
        assert league.read("ListBots", pb.ListBotsRequest(mine=True))[0]["name"] == "anna-bot"


def test_every_service_of_the_contract_is_behind_a_door() -> None:
    assert set(services_of_the_contract()) == (EXPECTED["outer"] | EXPECTED["inner"] | SEAT) - INFRASTRUCTURE


@pytest.mark.parametrize("size", [2 << 20, 64 << 20])
def test_a_message_that_is_too_large_is_refused_without_being_kept(served: Served, size: int) -> None:
    before = memory_kib(served.process.pid)
    with served.as_("anna") as league:
        for _ in range(3):
            with pytest.raises(grpc.RpcError) as refused:
                league._channel.unary_unary("/ninefold.v1.League/ListBots", lambda b: b, lambda b: b)(b"\0" * size, timeout=20)
            assert refused.value.code() in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)
    assert memory_kib(served.process.pid) - before < MOST_KIB
