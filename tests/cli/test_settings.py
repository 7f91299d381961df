"""Settings that cannot be meant: each is refused in one sentence that names it, its value and what is allowed."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee import settings as module
from referee.cli.main import app
from referee.errors import UsageError
from referee.sandbox.limits import Limits
from referee.settings import Settings, load


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting but those of the test."""
    for name in [name for name in os.environ if name.startswith("NINEFOLD_")]:
        monkeypatch.delenv(name)


def refused(folder: Path, toml: str = "") -> str:
    """The one sentence that says why nothing is done."""
    if toml:
        (folder / "ninefold.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(folder)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


BAD = (
    ("keep_logs_days", "-1", "0–36500, where 0 is for ever"),
    ("keep_logs_days", "nan", "a finite number"),
    ("keep_replays_days", "1000000", "0–36500, where 0 is for ever"),
    ("keep_builds_days", "-0.5", "0–36500"),
    ("keep_builds_days", "inf", "a finite number"),
    ("workers", "0", "1–1024"),
    ("workers", "-3", "1–1024"),
    ("workers", "100000", "1–1024"),
    ("workers", "2.5", "a whole number"),
    ("calls_at_once", "0", "1–1000000"),
    ("wrong_tokens", "0", "1–1000000"),
    ("port", "70000", "0–65535"),
    ("grpc_port", "-1", "0–65535"),
    ("metrics_port", "65536", "0–65535"),
    ("port", "", "a whole number"),
    ("port", "9" * 5000, "a whole number"),
    ("lease_seconds", "-1", "1–86400"),
    ("lease_seconds", "nan", "a finite number"),
    ("window", "0", "1–1000"),
    ("keep_images", "-1", "0–100000"),
    ("blob_grace_hours", "0", "0.0002–876000"),
    ("tidy_seconds", "0", "1–2592000"),
    ("log_mib", "0", "0.01–102400"),
    ("limit_cpus", "nan", "a finite number"),
    ("limit_pids", "1e999", "a finite number"),
    ("host", "", "it must be a host name"),
    ("host", "127.0.0.1:7009", "without a port"),
    ("host", "[::1]:7009", "without a port"),
    ("host", "[::1", "a host name or an address"),
    ("host", "http://here", "a host name or an address"),
    ("metrics_host", "::1]", "a host name or an address"),
    ("public_address", "::1:7009", "an IPv6 address in brackets"),
    ("broker_url", "nonsense", "it must be redis://…"),
    ("broker_url", "http://queue", "it must be redis://…"),
    ("database_url", "nonsense", "it must be postgresql+psycopg://… or sqlite:///…"),
    ("database_url", "mysql://db/ninefold", "it must be postgresql+psycopg://… or sqlite:///…"),
    ("base_image", "alpine", "it is 'debian' or 'pull'"),
    ("public_address", "league.example", "it must be host:port"),
    ("referee_address", "7009", "it must be host:port"),
    ("machine", "two\nlines", "a text on one line"),
)


@pytest.mark.parametrize(("name", "value", "allowed"), BAD, ids=[f"{name}={value[:12]!r}" for name, value, _ in BAD])
def test_a_value_that_cannot_be_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, allowed: str
) -> None:
    monkeypatch.setenv(f"NINEFOLD_{name.upper()}", value)
    sentence = refused(tmp_path)
    assert sentence.startswith(f"setting {name!r} cannot be {value!r}"[:60])
    assert allowed in sentence
    assert len(sentence) < 250


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("port = [1]", "cannot be [1]: a whole number"),
        ("port = inf", "cannot be inf: a whole number"),
        ("port = 8501.5", "cannot be 8501.5: a whole number"),
        ("workers = true", "cannot be True: a whole number"),
        ("lease_seconds = {a = 1}", "cannot be {'a': 1}: a finite number"),
        ("log_mib = false", "cannot be False: a finite number"),
        ("limit_cpus = [2]", "cannot be [2]: a finite number"),
        ("machine = 7", "cannot be 7: a text"),
        (f"lease_seconds = 1{'0' * 400}", "a finite number"),
        (f"workers = 0x{'f' * 5000}", "cannot be a number that long: it must lie in 1–1024"),
        (f"workers = {'9' * 5000}", "is not valid TOML (a number in it has thousands of digits)"),
        (f"workers = {'[' * 100_000}", "is not valid TOML"),
    ],
)
def test_a_value_of_another_type_in_the_file(tmp_path: Path, line: str, allowed: str) -> None:
    assert allowed in refused(tmp_path, line)


def test_the_command_says_it_and_ends_with_two(tmp_path: Path) -> None:
    (tmp_path / "ninefold.toml").write_text("port = [1]", encoding="utf-8")
    done = CliRunner().invoke(app, ["up", "--data", str(tmp_path)])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "setting 'port' cannot be [1]: a whole number is needed" in done.stderr


def test_a_password_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, url in (("database_url", "mysql://ninefold:s3cret@db/x"), ("broker_url", "mqtt://u:s3cret@queue")):
        with monkeypatch.context() as patch:
            patch.setenv(f"NINEFOLD_{name.upper()}", url)
            sentence = refused(tmp_path)
        assert "s3cret" not in sentence
        assert url.partition(":")[0] + "://…@" in sentence


def test_two_ports_are_two(tmp_path: Path) -> None:
    assert "'port' and 'grpc_port' cannot both be 7009" in refused(tmp_path, "port = 7009")
    (tmp_path / "ninefold.toml").write_text("port = 0\ngrpc_port = 0", encoding="utf-8")
    assert load(tmp_path).port == 0


@pytest.mark.parametrize(("one", "other"), [("tls_cert", "tls_key"), ("tls_key", "tls_cert")])
def test_a_certificate_and_its_key_come_together(tmp_path: Path, one: str, other: str) -> None:
    sentence = refused(tmp_path, f'{one} = "/etc/x.pem"')
    assert sentence.startswith(f"setting {one!r} is '/etc/x.pem' but {other!r} is not set")
    (tmp_path / "ninefold.toml").write_text(f'{one} = "/etc/x.pem"\n{other} = "/etc/y.pem"', encoding="utf-8")
    assert getattr(load(tmp_path), other) == "/etc/y.pem"


def test_the_file_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "ninefold.toml").mkdir()
    assert refused(tmp_path) == f"{tmp_path}/ninefold.toml cannot be read (Is a directory); correct it or remove it"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keep_logs_days", "2.3e-05"), ("keep_replays_days", "0"), ("keep_builds_days", "36500"), ("keep_images", "0"),
        ("blob_grace_hours", str(1 / 3600)), ("tidy_seconds", "1"), ("log_mib", "0.02"), ("lease_seconds", "8.0"),
        ("port", "0"), ("grpc_port", "0"), ("workers", "32"), ("database_url", ""), ("broker_url", ""),
        ("database_url", "postgresql+psycopg://ninefold:p@db.example/ninefold"), ("database_url", "sqlite:////x.db"),
        ("broker_url", "redis://queue.example/0"), ("broker_url", "amqp://guest:guest@127.0.0.1:5672//"),
        ("host", "::1"), ("host", "fe80::1%eth0"), ("host", "league.example"), ("metrics_host", "0.0.0.0"),
        ("public_address", "[2001:db8::1]:7009"), ("public_address", "referee:7009"), ("referee_address", "unix:/run/x.sock"), ("limit_cpus", "0.5"),
    ],
)  # fmt: skip
def test_what_is_documented_or_small_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"NINEFOLD_{name.upper()}", value)
    found = load(tmp_path)
    assert name.startswith("limit_") or str(getattr(found, name)) in (value, f"{value}.0")


def test_every_number_has_a_range_that_allows_its_default() -> None:
    numbers = {f.name: f.default for f in fields(Settings) if f.type in ("int", "float")}
    assert set(module.RANGES) == set(numbers)
    for name, (low, high, _) in module.RANGES.items():
        assert low <= numbers[name] <= high, name


def test_the_data_folder_is_named_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(Path("league")).data_dir == tmp_path / "league"
    monkeypatch.setenv("NINEFOLD_DATA", "other")
    assert load().data_dir == tmp_path / "other"
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="relative to a folder that is gone"):
        load(Path("league"))


def test_the_nearest_name_is_told(tmp_path: Path) -> None:
    assert "unknown setting 'wokers' (did you mean 'workers'?); known are" in refused(tmp_path, "wokers = 2")
    with pytest.raises(UsageError, match=r"'limit_memory_mb' is unknown \(did you mean 'limit_memory_mib'\?\)"):
        Limits.of(Settings(tmp_path, limits={"memory_mb": 64}))
    for arguments, near in ((["tournamet", "list"], "tournament"), (["bot", "lst"], "list"), (["up", "--prot"], "--port")):
        done = CliRunner().invoke(app, arguments)
        assert (done.exit_code, near in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("written", "outer", "page"),
    [
        ("::1", "[::1]:7009", "http://[::1]:8501"),
        ("[::1]", "[::1]:7009", "http://[::1]:8501"),
        ("127.0.0.1", "127.0.0.1:7009", "http://127.0.0.1:8501"),
    ],
)
def test_an_ipv6_address_has_brackets_where_a_port_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, outer: str, page: str
) -> None:
    monkeypatch.setenv("NINEFOLD_HOST", written)
    monkeypatch.setenv("NINEFOLD_METRICS_HOST", written)
    settings = load(tmp_path)
    assert (settings.outer, settings.page) == (outer, page)
    assert settings.metrics_host == settings.host == written.strip("[]")
