"""A certificate, key or address that the server cannot use: the sentence names it, not another."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import grpc
import pytest

from referee.errors import UsageError
from referee.service import listener
from referee.settings import Settings
from tests.services import certificate


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pem")
    found: dict[str, Path] = {}
    for whose in ("", "other_"):
        (folder / f"of_{whose}").mkdir()
        found[f"{whose}cert"], found[f"{whose}key"] = certificate(folder / f"of_{whose}")
    found |= {name: folder / f"{name}.pem" for name in ("text", "broken", "locked", "missing")}
    found["text"].write_text("nonsense\n", encoding="ascii")
    found["broken"].write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", encoding="ascii")
    lock = [
        "openssl",
        "pkey",
        "-in",
        str(found["key"]),
        "-aes256",
        "-passout",
        "pass:word",
        "-out",
        str(found["locked"]),
    ]
    subprocess.run(lock, check=True, capture_output=True)
    return {name: str(path) for name, path in found.items()} | {"folder": str(folder)}


def listen(settings: Settings) -> int:
    """The port that a server with these settings listens on."""

    async def main() -> int:
        outer = grpc.aio.server()
        try:
            return listener.listen(outer, settings)
        finally:
            await outer.stop(None)

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("cert", "key", "bad", "why"),
    [
        ("text", "key", "text", "of tls_cert is no certificate (PEM)"),
        ("broken", "key", "broken", "of tls_cert is no certificate (PEM)"),
        ("key", "key", "key", "of tls_cert is no certificate (PEM)"),
        ("cert", "text", "text", "of tls_key is no private key (PEM)"),
        ("cert", "cert", "cert", "of tls_key is no private key (PEM)"),
        ("cert", "locked", "locked", "of tls_key is no private key (PEM) without a password"),
        ("cert", "other_key", "other_key", "of tls_key is not the key of the certificate"),
        ("cert", "missing", "missing", "of tls_key cannot be read: No such file or directory"),
        ("folder", "key", "folder", "of tls_cert cannot be read: Is a directory"),
    ],
)
def test_the_bad_file_is_named(files: dict[str, str], tmp_path: Path, cert: str, key: str, bad: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        listen(Settings(tmp_path, grpc_port=0, tls_cert=files[cert], tls_key=files[key]))
    assert str(caught.value).startswith(f"the file {files[bad]} {why}")


def test_a_good_one_is_used(files: dict[str, str], tmp_path: Path) -> None:
    assert listen(Settings(tmp_path, grpc_port=0, tls_cert=files["cert"], tls_key=files["key"])) > 0


def test_an_address_of_another_machine_is_not_called_taken_alone(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"^192\.0\.2\.1:0 cannot be listened on: .* or it is no address of this machine"
    ):
        listen(Settings(tmp_path, host="192.0.2.1", grpc_port=0))
