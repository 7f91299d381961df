"""What the dashboard's server hands out, and what it does not: headers, downloads, secrets."""

from __future__ import annotations

import gzip
import json
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from dashboard import assets, exports, launch, security
from referee.match.verify import verify
from referee.settings import Settings


def get(url: str, **headers: str) -> tuple[int, Any, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def test_every_answer_carries_the_policy(address: str) -> None:
    for path in (
        "/",
        "/standings",
        "/assets/none.js",
        f"/assets/{assets.viewer_name()}",
        "/data/steps/none/1/1/1.json",
        "/_stcore/health",
    ):
        _, headers, _ = get(address + path)
        assert headers["content-security-policy"] == security.POLICY, path
        assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe-eval" not in security.POLICY
    assert "http" not in security.POLICY


def test_the_viewer_is_cached_for_ever_under_its_hash_and_compressed(address: str) -> None:
    status, headers, body = get(f"{address}/assets/{assets.viewer_name()}", **{"accept-encoding": "gzip"})
    assert status == 200
    assert "immutable" in headers["cache-control"]
    assert gzip.decompress(body).decode() == assets.viewer_js()
    assert len(body) < 45_000
    assert get(f"{address}/assets/viewer-0000000000000000.js")[0] == 404


def test_downloads_are_the_replay_and_a_page_that_plays(address: str) -> None:
    status, headers, body = get(f"{address}/data/replay/spring-cup/1/1/1.json", **{"accept-encoding": "gzip"})
    assert status == 200
    assert headers["content-disposition"] == 'attachment; filename="spring-cup_1_1_1.json"'
    document = json.loads(gzip.decompress(body))
    verify(document)
    status, _, page = get(f"{address}/data/replay/spring-cup/1/1/1.html")
    assert status == 200
    assert b"ninefold-steps/1" in page
    status, _, steps = get(f"{address}/data/steps/spring-cup/1/1/1.json")
    assert json.loads(steps)["match_id"] == "spring-cup/1/1/1"
    status, _, table = get(f"{address}/data/standings/spring-cup.csv")
    assert status == 200
    assert table.decode().splitlines()[1].split(",")[1] == "greedy"
    assert get(f"{address}/data/crosstable/spring-cup.json")[0] == 200


def test_the_match_list_as_json_page_by_page(address: str) -> None:
    seen: list[str] = []
    path = "/data/matches/spring-cup.json?limit=70"
    while path:
        status, headers, body = get(address + path)
        assert (status, headers["content-type"]) == (200, "application/json")
        page = json.loads(body)
        seen += [row["match_id"] for row in page["matches"]]
        path = page["next"]
    assert len(seen) == len(set(seen)) == 180
    row = page["matches"][-1]
    assert set(row) == {"key", "replay", "seed_revealed", "seats", *exports.MATCH}
    assert set(row["seats"][0]) == set(exports.SEAT), "public facts only"
    assert get(address + row["replay"])[0] == 200
    page = json.loads(get(f"{address}/data/matches/spring-cup.json?bot=sleepy&cause=crash&since=2020-01-01")[2])
    assert {seat["cause"] for row in page["matches"] for seat in row["seats"] if seat["bot"] == "sleepy"} == {"crash"}
    for wrong in ("limit=0", "limit=201", "before=x", "since=today", "since=2026-W01-1", "until=20260101xx", "tournament=x", "bot=", "until=2026-13-01"):
        status, _, body = get(f"{address}/data/matches/spring-cup.json?{wrong}")
        assert status == (200 if wrong == "bot=" else 400), wrong
        assert b"Traceback" not in body
    assert get(f"{address}/data/matches/none.json")[0] == 404
    assert get(f"{address}/data/matches/spring-cup.json?bot=none")[0] == 404


def test_the_seeds_to_take_away_check_a_replay(address: str) -> None:
    from referee.tournament.seeds import commitment

    chain = json.loads(get(f"{address}/data/seeds/spring-cup.json")[2])
    assert commitment(bytes.fromhex(chain["master_seed"])) == chain["commitment"]
    assert json.loads(get(f"{address}/data/seeds/summer-league.json")[2])["master_seed"] is None
    assert get(f"{address}/data/seeds/none.json")[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "/data/steps/none/1/1/1.json",
        "/data/replay/summer-league/6/5/1.json",
        "/data/standings/none.csv",
        "/data/replay/../../etc/passwd.json",
    ],
)
def test_what_does_not_exist_is_a_sentence(address: str, path: str) -> None:
    status, _, body = get(address + path)
    if status == 200:  # Streamlit answers unknown paths with its own page
        assert b"<!doctype html>" in body.lower()
    else:
        assert status in (400, 404)
        assert b"Traceback" not in body
        assert status == 400 or b"there is no" in body


def test_nothing_private_is_handed_out(address: str, league: Path) -> None:
    """Seeds of open blocks, logs, values sent, paths of the machine: in no answer of any route."""
    assert json.loads(get(f"{address}/data/replay/summer-league/6/4/1.json")[2])["seed"] is None
    assert json.loads(get(f"{address}/data/replay/summer-league/1/1/1.json")[2])["seed"]
    for path in (
        "/data/replay/spring-cup/1/1/1.json",
        "/data/replay/spring-cup/5/1/1.json",
        "/data/steps/spring-cup/5/1/1.json",
        "/data/standings/spring-cup.json",
        "/data/matches/spring-cup.json",
        "/data/matches/summer-league.json",
    ):
        body = get(address + path)[2]
        for secret in (b"TOP-SECRET-MOVE", b"PRIVATE-LOG-LINE", str(league).encode(), b"nf_"):
            assert secret not in body, (path, secret)


def test_closed_doors(address: str) -> None:
    for path in ("/_stcore/metrics", "/app/static/x", "/media/x"):
        assert get(address + path)[0] in (403, 404) or b"<!doctype html>" in get(address + path)[2].lower()
    assert get(f"{address}/_stcore/metrics")[0] == 404
    assert upgraded(address) == 101
    assert upgraded(address, host="evil.example") == 403
    assert upgraded(address, origin="http://evil.example") == 403


def upgraded(address: str, host: str = "", origin: str = "") -> int:
    """The status with which the server answers a browser that asks for the websocket."""
    port = int(address.rsplit(":", 1)[1])
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host or f'127.0.0.1:{port}'}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: streamlit",
        f"Origin: {origin or address}",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return int(connection.recv(200).split()[1])


def test_the_launch_command_states_every_safe_setting(tmp_path: Path) -> None:
    settings = Settings(tmp_path, port=9999)
    options = launch.options(settings)
    for name, value in {
        "server.address": "127.0.0.1",
        "server.enableXsrfProtection": "true",
        "server.enableCORS": "true",
        "server.enableStaticServing": "false",
        "server.enableAgentApi": "false",
        "server.allowedHosts": ("localhost", "127.0.0.1"),
        "browser.gatherUsageStats": "false",
        "client.showErrorDetails": "none",
        "client.showErrorLinks": "false",
        "client.toolbarMode": "viewer",
        "runner.postScriptGC": "false",
    }.items():
        assert options[name] == value
    from streamlit import config

    known = set(config.get_config_options())
    assert set(options) <= known
    assert "--server.port=9999" in launch.command(settings)
    assert launch.environment(settings)["NINEFOLD_DATA"] == str(tmp_path)
