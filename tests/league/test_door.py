"""The referee's own socket is taken away while the league runs: the league helps itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.league.running import SAMPLES, Ninefold, wait_for


def test_a_referee_whose_socket_was_removed_is_started_anew_and_plays(tmp_path: Path) -> None:
    league = Ninefold(tmp_path / "data", DOCKER_HOST="unix:///nowhere")
    league.up("--sandbox", "shipped")
    try:
        for bot in ("both/random", "nines/greedy"):
            league.ok("bot", "submit", str(SAMPLES / bot))
        before = json.loads((league.data / "league.json").read_text())
        shutil.rmtree(Path(before["referee"].removeprefix("unix:")).parent)

        def door() -> Path | None:
            try:
                now = json.loads((league.data / "league.json").read_text())
            except FileNotFoundError:
                return None
            socket = Path(now["referee"].removeprefix("unix:"))
            return socket if now["pid"] != before["pid"] and socket.is_socket() else None

        wait_for(door, within=60)
        league.ok("tournament", "create", "cup", "--game", "nines", "--all", "--blocks", "1", "--matches-per-fixture", "1")
        league.ok("tournament", "start", "cup")
        assert league.json("tournament", "watch", "cup")["tournament"]["done_matches"] == 2
    finally:
        league.down()
