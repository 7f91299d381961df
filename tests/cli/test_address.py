"""Where a league listens, as somebody writes it: understood, or refused in one sentence that says how to write it."""

from __future__ import annotations

import json
import socket
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from protos.ninefold.v1 import league_pb2 as pb
from referee.cli.client import Address, League, address, credentials_path, find
from referee.errors import Unreachable, UsageError
from tests.league.conftest import serve, stop
from tests.services import free_port


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("127.0.0.1:7010", "127.0.0.1:7010"),
        ("localhost", "localhost:7009"),
        ("[::1]:7010", "[::1]:7010"),
        ("[::1]", "[::1]:7009"),
        ("http://[::1]:7010", "[::1]:7010"),
        ("https://[2001:db8::1]:7010", "[2001:db8::1]:7010"),
        ("https://league.example", "league.example:7009"),
    ],
)
def test_an_address_is_read_as_it_is_meant(written: str, target: str) -> None:
    assert address(written, "", None, "NINEFOLD_SERVER").target == target


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("::1", "an IPv6 address in brackets"),
        ("::1:7009", "an IPv6 address in brackets"),
        ("[::1", "an IPv6 address in brackets"),
        ("::1]:7009", "an IPv6 address in brackets"),
        ("https://[", "write https://host:port"),
        ("https://", "write https://host:port"),
        ("ftp://league.example", "write https://host:port"),
        ("https://league\n.example", "write https://host:port"),
        ("localhost:99999", "has no valid port"),
        ("localhost:x", "has no valid port"),
        ("[::1]:-1", "has no valid port"),
        ("[2001:db8::1]:7009", "would send the token in plain text; write https://[2001:db8::1]:7009"),
    ],
)
def test_what_is_no_address_is_refused_in_a_sentence(written: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        address(written, "nf_x", None, "NINEFOLD_SERVER")
    assert says in str(refused.value)
    assert str(refused.value).startswith(f"NINEFOLD_SERVER: {written!r}")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A league that runs here by its data folder, and nothing in the environment."""
    for name in ("NINEFOLD_SERVER", "NINEFOLD_TOKEN", "NINEFOLD_CA", "NINEFOLD_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    data.mkdir()
    (data / "owner.token").write_text("nf_owner\n")
    told = {"address": "127.0.0.1:7009", "referee": "unix:/x", "token_file": str(data / "owner.token")}
    (data / "league.json").write_text(json.dumps(told))
    return data


def test_a_token_of_the_environment_is_who_calls_the_league_of_the_data_folder(home, monkeypatch):
    assert find(home).token == "nf_owner"
    monkeypatch.setenv("NINEFOLD_TOKEN", "nf_anna")
    assert find(home).token == "nf_anna"
    assert find(home).target == "127.0.0.1:7009"
    (home / "owner.token").unlink()  # an author need not be able to read it
    assert find(home).token == "nf_anna"
    monkeypatch.setenv("NINEFOLD_TOKEN", "")
    with pytest.raises(Unreachable):
        find(home)


def test_a_token_of_the_environment_goes_before_the_one_that_login_kept(home, monkeypatch):
    (home / "league.json").unlink()
    monkeypatch.setenv("NINEFOLD_DATA", str(home))
    kept = credentials_path()
    kept.parent.mkdir(parents=True)
    kept.write_text('server = "127.0.0.1:7010"\ntoken = "nf_kept"\n')
    assert find().token == "nf_kept"
    monkeypatch.setenv("NINEFOLD_TOKEN", "nf_anna")
    assert (find().target, find().token) == ("127.0.0.1:7010", "nf_anna")


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        ('server = "127.0.0.1:7010"', "it has no token"),
        ("server = = 3", "cannot be read"),
        (f"server = {'1' * 5000}", "a number in it has thousands of digits"),
        ("a = " + "[" * 20_000, "cannot be read"),
    ],
)
def test_what_login_kept_and_somebody_damaged_is_one_sentence(home, monkeypatch, kept, says):
    (home / "league.json").unlink()
    monkeypatch.setenv("NINEFOLD_DATA", str(home))
    credentials_path().parent.mkdir(parents=True)
    credentials_path().write_text(kept)
    with pytest.raises(UsageError, match=says) as refused:
        find()
    assert "write it anew with `ninefold login`" in str(refused.value)


def has_ipv6() -> bool:
    try:
        with closing(socket.socket(socket.AF_INET6)) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6 loopback")
@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_a_league_listens_on_an_ipv6_address(tmp_path: Path, host: str) -> None:
    metrics = free_port()
    env = {"NINEFOLD_HOST": host, "NINEFOLD_METRICS_HOST": host, "NINEFOLD_METRICS_PORT": str(metrics)}
    process, where = serve(tmp_path, "--sandbox", "shipped", env=env)
    try:
        assert where.startswith("[::1]:")
        told = address(where, "", None, "test")
        assert told == Address(where, "", False, None, "test")
        with League(told) as league:
            assert league.read("About", pb.AboutRequest())["api"] == "ninefold.v1"
        with urllib.request.urlopen(f"http://[::1]:{metrics}/metrics", timeout=10) as page:
            assert b"ninefold_capacity" in page.read()
    finally:
        assert stop(process) == 0
