"""A league that is reached over a network: TLS, tokens, dropped connections, limits, version skew, metrics."""

from __future__ import annotations

import hashlib
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from protos.ninefold.v1 import league_pb2 as pb
from referee.cli.client import Address, League, address
from referee.errors import Unreachable, UsageError
from referee.settings import Settings
from referee.store.commands import accounts
from referee.store.schema import open_store
from tests.league.conftest import serve, stop
from tests.league.running import Ninefold
from tests.services import certificate, free_port


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    data = tmp_path_factory.mktemp("remote")
    cert, key = certificate(data)
    store = open_store(Settings(data))
    accounts.add_user(store, "anna", "author", by="test")
    token = accounts.create_token(store, "anna", by="test")
    store.close()
    metrics = free_port()
    process, where = serve(
        data, "--sandbox", "shipped",
        env={"NINEFOLD_TLS_CERT": str(cert), "NINEFOLD_TLS_KEY": str(key), "NINEFOLD_METRICS_PORT": str(metrics)},
    )  # fmt: skip
    yield {"data": data, "where": where, "cert": cert, "token": token, "metrics": metrics, "process": process}
    assert stop(process) == 0


def test_the_command_line_over_tls(remote: dict[str, Any], tmp_path: Path) -> None:
    config = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "share")}
    line = Ninefold(tmp_path / "none", **config)
    del line.env["NINEFOLD_DATA"]
    known = {"NINEFOLD_SERVER": f"https://{remote['where']}", "NINEFOLD_CA": str(remote["cert"])}
    assert line.run("bot", "list", env={**known, "NINEFOLD_TOKEN": remote["token"]}).returncode == 0
    wrong = line.run("bot", "list", env={**known, "NINEFOLD_TOKEN": "nf_no"})
    assert (wrong.returncode, "does not know this token" in wrong.stderr) == (1, True)
    plain = line.run("bot", "list", env={**known, "NINEFOLD_SERVER": f"http://{remote['where']}", "NINEFOLD_CA": "", "NINEFOLD_TOKEN": remote["token"]})
    assert plain.returncode == 3
    untrusted = line.run("bot", "list", env={**known, "NINEFOLD_CA": "", "NINEFOLD_TOKEN": remote["token"]})
    assert untrusted.returncode == 3
    assert remote["token"] not in untrusted.stderr + plain.stderr

    done = line.run("login", f"https://{remote['where']}", "--ca", str(remote["cert"]), "--token", remote["token"])
    assert done.returncode == 0, done.stderr
    kept = tmp_path / "config" / "ninefold" / "credentials.toml"
    assert oct(kept.stat().st_mode & 0o777) == "0o600"
    assert line.run("bot", "list").returncode == 0


def test_a_token_never_leaves_this_machine_in_plain_text() -> None:
    with pytest.raises(UsageError, match="plain text"):
        address("league.example:7009", "nf_x", None, "test")
    with pytest.raises(UsageError, match="no address"):
        address("ftp://league.example", "nf_x", None, "test")


def league_of(remote: dict[str, Any]) -> League:
    return League(Address(remote["where"], remote["token"], True, remote["cert"], "test"))


def test_an_upload_goes_on_after_a_dropped_connection(remote: dict[str, Any]) -> None:
    archive = os.urandom(900_000)
    key = pb.UploadKey(sha256=hashlib.sha256(archive).hexdigest(), size=len(archive))

    def broken() -> Iterator[pb.SubmitPart]:
        yield pb.SubmitPart(key=key, request_id="one")
        yield pb.SubmitPart(data=archive[:300_000])
        raise ConnectionError("the line is cut here")

    with league_of(remote) as league:
        with pytest.raises(grpc.RpcError):
            league.stub.Submit(broken(), timeout=20, metadata=league.metadata)
        offset = league.call("UploadOffset", key).offset
        assert offset in (0, 300_000)

        def rest() -> Iterator[pb.SubmitPart]:
            yield pb.SubmitPart(key=key, offset=offset, request_id="one")
            for at in range(offset, len(archive), 200_000):
                yield pb.SubmitPart(data=archive[at : at + 200_000])

        first = league.call("Submit", rest(), seconds=30)

        def again() -> Iterator[pb.SubmitPart]:
            yield pb.SubmitPart(key=key, request_id="one")
            for at in range(0, len(archive), 200_000):
                yield pb.SubmitPart(data=archive[at : at + 200_000])

        assert league.call("Submit", again(), seconds=30).submission == first.submission


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([pb.SubmitPart(key=pb.UploadKey(sha256="x", size=1))], "64 hex digits"),
        ([pb.SubmitPart(key=pb.UploadKey(sha256="a" * 64, size=1 << 40))], "the limit is"),
        ([pb.SubmitPart(key=pb.UploadKey(sha256="b" * 64, size=3)), pb.SubmitPart(data=b"12345")], "announced"),
        ([pb.SubmitPart(key=pb.UploadKey(sha256="c" * 64, size=3)), pb.SubmitPart(data=b"123")], "damaged"),
        ([pb.SubmitPart(key=pb.UploadKey(sha256="d" * 64, size=3), offset=2), pb.SubmitPart(data=b"3")], "goes on at byte 0"),
        ([pb.SubmitPart(key=pb.UploadKey(sha256="../../etc/passwd", size=3))], "64 hex digits"),
        ([], "nothing was sent"),
    ],
    ids=["no digest", "too large", "more than announced", "damaged", "a gap", "a path", "nothing"],
)  # fmt: skip
def test_odd_uploads_are_refused(remote: dict[str, Any], parts: list[Any], says: str) -> None:
    with league_of(remote) as league, pytest.raises(grpc.RpcError) as refused:
        league.stub.Submit(iter(parts), timeout=20, metadata=league.metadata)
    assert says in refused.value.details()


def test_quota_says_when_it_clears(remote: dict[str, Any]) -> None:
    with league_of(remote) as league:
        sentence = ""
        for number in range(12):
            data = str(number).encode()
            key = pb.UploadKey(sha256=hashlib.sha256(data).hexdigest(), size=len(data))
            try:
                league.stub.Submit(iter([pb.SubmitPart(key=key), pb.SubmitPart(data=data)]), timeout=20, metadata=league.metadata)
            except grpc.RpcError as error:
                assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                sentence = error.details()
                break
    assert "quota" in sentence


def test_version_skew_is_named(remote: dict[str, Any]) -> None:
    with league_of(remote) as league, pytest.raises(grpc.RpcError) as skew:
        method = league._channel.unary_unary("/ninefold.v1.League/CallOfTomorrow", lambda m: b"", lambda b: b)
        method(b"", timeout=10, metadata=league.metadata)
    league.version = "0.1.0"
    assert "does not know this call" in str(league.explained(skew.value))


def test_metrics_can_be_scraped(remote: dict[str, Any]) -> None:
    text = urllib.request.urlopen(f"http://127.0.0.1:{remote['metrics']}/metrics", timeout=20).read().decode()
    for name in ("ninefold_matches_total", "ninefold_decisions_total", "ninefold_queue{", "ninefold_store_up 1.0", "ninefold_disk_free_bytes"):
        assert name in text
    assert "anna" not in text


def test_nobody_answers_is_exit_3() -> None:
    with pytest.raises(Unreachable, match="does not answer"), League(Address(f"127.0.0.1:{free_port()}", "x", False, None, "test")) as league:
        league.call("About", pb.AboutRequest(), seconds=5)
