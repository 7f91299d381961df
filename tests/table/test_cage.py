"""Real containers: both games at every table size, isolation as the kernel tells it, and all that each bot was sent."""

from __future__ import annotations

import asyncio
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from protos.ninefold.v1 import table_pb2
from referee.service.host import Platform
from referee.service.table import TableServer

pytestmark = pytest.mark.docker

CARD = re.compile(r"[A2-9TJQK][CDHS]|X[12]")
BOTS = {"nines": ["greedy", "random", "suit-keeper"], "nine": ["caller", "random", "cautious"]}
PATIENT = """
import time
from botkit import Bot, run

class Patient(Bot):
    def act(self, view, legal):
        time.sleep(0.1)
        return legal[0]

run(Patient())
"""


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("game", ["nines", "nine"])
def test_every_table_size_and_what_each_bot_is_sent(cage: Any, game: str, players: int, monkeypatch: Any) -> None:
    sent: dict[str, list[bytes]] = defaultdict(list)
    send = TableServer.send

    def recording(server: TableServer, message: bytes) -> None:
        sent[str(server.folder)].append(message)
        send(server, message)

    monkeypatch.setattr(TableServer, "send", recording)
    bots = [BOTS[game][seat % 3] for seat in range(players)]
    rules = {"nines": {2: {"powers": True}, 5: {"decks": 2, "stacking_nines": True}}, "nine": {4: {"teams": 2}}}
    played = cage.play(*bots, game=game, rules=rules[game].get(players, {}))
    (replay,) = played.replays
    assert replay["faults"] == []
    assert replay["clock"]["charged"] == "cpu"
    assert all(seat.cpu_ms is not None and seat.cpu_ms > 0 for seat in played.matches[0].seats)
    assert len(sent) == players
    for seat, folder in enumerate(sorted(sent, key=lambda name: int(Path(name).name))):
        knows_only_its_own(seat, sent[folder], replay)


def knows_only_its_own(seat: int, messages: list[bytes], replay: dict[str, Any]) -> None:
    """No card was sent to `seat` before it could know it (N8, K6), and no seed at all."""
    seed = bytes.fromhex(replay["seed"])
    rounds = iter(replay["rounds"])
    events: list[dict[str, Any]] = []
    mine: list[int] = []
    known: set[str] = set()
    asked = 0
    for raw in messages:
        assert seed not in raw
        assert seed.hex().encode() not in raw
        message = table_pb2.ToBot.FromString(raw)
        which = message.WhichOneof("message")
        if which == "round_start":
            played = next(rounds)
            events, asked = played["events"], 0
            mine = [i for i, e in enumerate(events) if e["seat"] == seat and "ms" in e]
            dealt = played["deal"]["hands"].get(str(seat), [])
            assert list(message.round_start.hand) == dealt
            known = {*dealt, played["deal"]["upcard"]}
        elif which == "turn":
            moment = mine[asked]
            asked += 1
            allowed = known | public_or_own(seat, events[:moment])
            assert cards_in(message.turn) <= allowed, (seat, message.turn)
            assert len(message.turn.legal) >= 2
        elif which == "round_end":
            hands = {card for hand in played["end"]["hands"].values() for card in hand}
            assert cards_in(message.round_end) <= known | public_or_own(seat, events) | hands
            assert asked == len(mine)
        else:
            assert cards_in(message) == set()
    assert next(rounds, None) is None


def public_or_own(seat: int, events: list[dict[str, Any]]) -> set[str]:
    """The cards that these events show to `seat`."""
    shown: set[str] = set()
    for event in events:
        hidden = event["do"] in {"draw", "forced_draw", "draw_pile", "reshuffle"}
        if event["do"] != "reshuffle" and (not hidden or event["seat"] == seat):
            shown.update(event.get("cards", ()))
            if "card" in event:
                shown.add(event["card"])
    return shown


def cards_in(message: Any) -> set[str]:
    """Every card code in any text of a message, at any depth."""
    found: set[str] = set()
    for field, value in message.ListFields():
        if field.name in {"rules", "commitment", "profile", "game", "bot_seed"}:
            continue
        items = list(value.values()) if hasattr(value, "values") else value if hasattr(value, "__len__") and not isinstance(value, str | bytes) else [value]
        for item in items:
            if isinstance(item, str):
                found.update(CARD.findall(item) if CARD.fullmatch(item) else ())
            elif hasattr(item, "ListFields"):
                found |= cards_in(item)
    return found


def test_each_bot_lies_in_its_own_cgroup_and_network_namespace(cage: Any, league: str) -> None:
    seen: list[tuple[str, str, str]] = []

    async def during(platform: Platform, spec: Any) -> None:
        import docker

        api = docker.from_env().api
        for _ in range(300):
            await asyncio.sleep(0.1)
            found = api.containers(filters={"label": [f"ninefold={league}"]})
            if len(found) == 3:
                break
        for container in found:
            pid = api.inspect_container(container["Id"])["State"]["Pid"]
            groups = Path(f"/proc/{pid}/cgroup").read_text()
            assert container["Id"] in groups
            seen.append((container["Id"], groups, os.readlink(f"/proc/{pid}/ns/net")))

    cage.play(PATIENT, PATIENT, PATIENT, rules={"max_goarounds": 5, "cutoff": 1}, during=during)
    assert len({id_ for id_, _, _ in seen}) == 3
    assert len({groups for _, groups, _ in seen}) == 3
    networks = {network for _, _, network in seen}
    assert len(networks) == 3
    assert os.readlink("/proc/self/ns/net") not in networks


def test_the_same_seed_gives_the_same_records(cage: Any) -> None:
    runs = [cage.play("random", "caller", "cautious", matches=2) for _ in range(2)]
    first, second = ([m.canonical_sha256 for m in run.matches] for run in runs)
    assert first == second
    assert len(set(first)) == 2


def test_a_container_and_a_process_give_the_same_records(cage: Any, plain: Any) -> None:
    there, here = cage.play("random", "greedy", game="nines"), plain.play("random", "greedy", game="nines")
    assert there.matches[0].canonical_sha256 == here.matches[0].canonical_sha256


def test_a_container_removed_by_hand_is_no_bots_loss(cage: Any, league: str) -> None:
    from referee.errors import PlatformFault

    async def during(platform: Platform, spec: Any) -> None:
        import docker

        api = docker.from_env().api
        while len(found := api.containers(filters={"label": [f"ninefold={league}"]})) < 2:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)
        api.remove_container(found[0]["Id"], force=True)

    with pytest.raises(PlatformFault) as void:
        cage.play(PATIENT, PATIENT, during=during)
    assert void.value.cause == "docker"
    cage.nothing_left()
