"""Seeds and tokens do not show where a value or a fault of the database is printed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from referee import logs
from referee.cli.client import Address
from referee.cli.doctor import _broker, _store
from referee.cli.output import say_error
from referee.errors import NinefoldError
from referee.match.fixture import MatchResult, MatchSpec
from referee.match.seat import MatchStart
from referee.settings import Settings, load
from referee.store.blobs import Blobs
from referee.store.commands.tournaments import NewTournament
from referee.store.engine import Store
from referee.store.models import Token, Tournament
from referee.tournament.seeds import SeedChain
from referee.wording import masked
from worker.conductor import Conductor

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "5ec2e7" * 10
VALUES = [
    MatchSpec("cup/1/1/1", SECRET.encode()),
    MatchResult("cup/1/1/1", "c", SECRET.encode(), 1, 1, ()),
    MatchStart("nines", {}, None, 0, 2, "c", SECRET.encode(), 1000, 0, "wall", 1),
    SeedChain("c", SECRET.encode(), ()),
    NewTournament("cup", "nines", {}, seed=SECRET.encode()),
    Address("localhost:1", SECRET, False, None, "here"),
    Settings(
        Path("/"), database_url=f"postgresql+psycopg://u:{SECRET}@h/d", broker_url=f"redis://:{SECRET}@h", blob_url=f"s3://k:{SECRET}@b"
    ),
    Token(user_id=1, token_sha256=SECRET, created_at=NOW),
    Tournament(
        name="cup",
        game="nines",
        rules={},
        commitment="c",
        master_seed=SECRET,
        state="open",
        progress_at=NOW,
        created_at=NOW,
    ),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_secret_is_not_shown_with_what_holds_it(value: object) -> None:
    assert SECRET not in f"{value!r} {value!s}"


def test_a_fault_of_the_database_does_not_tell_the_parameters(store_url: str) -> None:
    store = Store(store_url)
    try:
        with pytest.raises(DBAPIError) as fault, store.engine.connect() as connection:
            connection.execute(text("SELECT :seed FROM nowhere"), {"seed": SECRET})
        assert "nowhere" in str(fault.value)
        assert SECRET not in str(fault.value)
    finally:
        store.close()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://:p@queue.example/0", "redis://…@queue.example/0"),
        ("amqp://u:p@h:1//", "amqp://…@h:1//"),
        ("postgresql+psycopg://u:a/b@c@h/d?sslmode=require", "postgresql+psycopg://…@h/d?sslmode=require"),
        ("postgresql+psycopg://u@h/d?password=p&sslmode=require", "postgresql+psycopg://…@h/d?password=…&sslmode=require"),
        ("cannot reach redis://h/0?password=p; see conductor@vm", "cannot reach redis://h/0?password=…; see conductor@vm"),
        ("http://h/page?match=cup/1", "http://h/page?match=cup/1"),
    ],
)
def test_of_an_address_the_password_is_left_out(text: str, shown: str) -> None:
    assert masked(text) == shown


URLS = [
    ("database_url", f"postgresql+psycopg://u:{SECRET}@127.0.0.1:1/d"),
    ("database_url", f"postgresql+psycopg://u@127.0.0.1:1/d?password={SECRET}"),
    ("broker_url", f"redis://:{SECRET}@127.0.0.1:1/0"),
    ("broker_url", f"redis://127.0.0.1:1/0?password={SECRET}"),
    ("broker_url", f"amqp://u:{SECRET}@127.0.0.1:1//"),
]


@pytest.mark.parametrize(("name", "url"), URLS)
def test_what_the_doctor_finds_tells_no_password(
    name: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"NINEFOLD_{name.upper()}", url)
    logs.configure()
    settings = load(tmp_path)
    found = _store(settings) if name == "database_url" else _broker(settings)
    structlog.reset_defaults()
    assert [finding.ok for finding in found] == [False]
    assert "127.0.0.1:1" in found[0].found
    assert SECRET not in f"{found} {''.join(capfd.readouterr())}"


@pytest.mark.parametrize(
    ("name", "url", "says"),
    [
        ("database_url", f"postgresql+psycopg://u:{SECRET}@more@h/d", "written %40"),
        ("database_url", f"postgresql+psycopg://u:{SECRET}/more@h/d", "written %40"),
        ("database_url", f"postgresql+psycopg://u:{SECRET}@h:port/d", "no such host or port"),
        ("database_url", f"postgresql+psycopg://u:{SECRET}@[::1/d", "no such host or port"),
        ("broker_url", f"redis://:{SECRET}/more@h/0", "written %40"),
        ("broker_url", f"redis://:{SECRET}@h:99999/0", "no such host or port"),
        ("broker_url", f"redis:u:{SECRET}@h", "it must be redis://"),
        ("broker_url", f"http://u:{SECRET}@h", "it must be redis://"),
    ],
)
def test_an_address_that_is_refused_tells_no_password(
    name: str, url: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"NINEFOLD_{name.upper()}", url)
    with pytest.raises(NinefoldError) as refused:
        load(tmp_path)
    assert says in str(refused.value)
    assert f"setting '{name}' cannot be" in str(refused.value)
    assert SECRET not in str(refused.value)


def test_neither_errors_nor_logs_tell_the_password_of_an_address(capfd: pytest.CaptureFixture[str]) -> None:
    url = f"redis://:{SECRET}@queue.example/0"
    logs.configure()
    log = structlog.get_logger()
    log.warning("broker_unreachable", error=f"no answer from {url}")
    try:
        raise ConnectionError(f"no answer from {url}")
    except ConnectionError as error:
        log.exception("tick_failed")
        say_error(error)
    structlog.reset_defaults()
    told = "".join(capfd.readouterr())
    assert told.count("queue.example") == 3
    assert SECRET not in told


def test_blobs_that_cannot_be_reached_tell_no_password(tmp_path: Path) -> None:
    with pytest.raises(NinefoldError) as refused:
        Blobs(Settings(tmp_path, blob_url=f"nowhere://u:{SECRET}@h/blobs"))
    assert "blob_url 'nowhere://…@h/blobs' cannot be used" in str(refused.value)
    assert SECRET not in str(refused.value)


def test_what_is_wrong_with_the_broker_is_told_without_its_password(store: Store, tmp_path: Path) -> None:
    conductor = Conductor(store, Settings(tmp_path))

    def fail() -> None:
        raise ConnectionError(f"no answer from redis://:{SECRET}@queue.example/0")

    conductor._with_broker(fail)
    assert "queue.example" in conductor.broker_trouble
    assert SECRET not in conductor.broker_trouble
