"""Verifying: every shared vector holds, every match played holds, and what cannot be checked is named."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from referee.cli.replay import app
from referee.errors import ReplayError
from referee.games import registry
from referee.match import replay
from referee.match.verify import WITHOUT_SEED, Discrepancy, verify
from tests.games.replaying import CONFORMANCE
from tests.match.playing import document_of, mix, play

REPLAYS = sorted(
    path for path in CONFORMANCE.glob("*.jsonl.gz") if path.name.split(".")[0] not in ("decisions", "sequences")
)
PROFILES = [(game, name) for game in registry.names() for name in registry.get(game).profiles]


def documents(name: str) -> Iterator[dict[str, Any]]:
    return replay.read(CONFORMANCE / f"{name}.jsonl.gz")


def test_there_are_vectors() -> None:
    assert [path.name.split(".")[0] for path in REPLAYS] == [
        "forfeits",
        *(f"{game}-{group}" for game in ("nine", "nines") for group in ("mixes", "options", "profiles", "rare")),
    ]


@pytest.mark.parametrize("path", REPLAYS, ids=[path.name.split(".")[0] for path in REPLAYS])
def test_every_vector_verifies_with_and_without_its_seed(path: Path) -> None:
    count = 0
    for document in replay.read(path):
        assert verify(document) == ()
        assert verify({**document, "seed": None}) == WITHOUT_SEED
        count += 1
    assert count >= 57


@pytest.mark.parametrize(("game", "profile"), PROFILES, ids=[name for _, name in PROFILES])
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(source=st.integers(0, 2**32))
def test_a_match_of_a_profile_verifies(game: str, profile: str, source: int) -> None:
    rng = random.Random(source)
    rules = registry.get(game)
    players = {"nine/teams": rng.choice([4, 6])}.get(profile, rng.randint(2, 6))
    if rules.profile(profile, players).get("decks") == 2:
        players = rng.choice([5, 6])
    complete = rules.complete(rules.profile(profile, players), players)
    match = play(game, complete, players, rng.randbytes(32), rng, fault_share=rng.choice([0, 0, 0.01]))
    document = document_of(match, profile=profile)
    assert verify(document) == ()
    again = json.loads(json.dumps(document, allow_nan=False))
    assert verify(again) == ()
    assert replay.canonical(again) == replay.canonical(document)


@pytest.mark.parametrize("game", ["nines", "nine"])
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(source=st.integers(0, 2**32))
def test_a_match_of_any_mix_verifies(game: str, source: int) -> None:
    rng = random.Random(source)
    options, players = mix(rng, game)
    rules = registry.get(game).complete(options, players)
    match = play(game, rules, players, rng.randbytes(32), rng, fault_share=rng.choice([0, 0.01, 0.2]))
    document = document_of(match)
    assert verify(document) == ()
    assert verify({**document, "seed": None}) == WITHOUT_SEED


def test_notes_and_unknown_fields_do_not_disturb() -> None:
    document = next(documents("nines-profiles"))
    document["notes"] = [{"seat": 0, "round": 0, "event": 3, "text": "a plan"}]
    document["of a later minor release"] = {"anything": [1, 2]}
    document["rounds"][0]["events"][0]["comment"] = "kept by somebody"
    assert verify(document) == ()


def test_unknown_game_and_option_are_one_sentence() -> None:
    document = next(documents("nine-profiles"))
    with pytest.raises(ReplayError, match=r"no game 'go'.*nines, nine"):
        verify({**document, "game": "go"})
    with pytest.raises(ReplayError, match="skin.*gold.*numbered"):
        verify({**document, "rules": {**document["rules"], "skin": "gold"}})


def test_discrepancy_names_everything() -> None:
    document = next(documents("nines-profiles"))
    document["rounds"][1]["end"]["penalties"]["0"] += 1
    with pytest.raises(Discrepancy) as caught:
        verify(document)
    error = caught.value
    assert (error.match_id, error.round, error.event, error.rule) == (document["match_id"], 1, None, "N5.1")
    right, wrong = (document["rounds"][1]["end"]["penalties"]["0"] - add for add in (1, 0))
    assert f'"0": {wrong}' in error.found
    assert f'"0": {right}' in error.expected
    for part in (document["match_id"], "round 1", "N5.1", "end.penalties", error.found, error.expected):
        assert part in str(error)


def test_messages_from_strangers_files_are_plain_text() -> None:
    document = next(documents("nines-profiles"))
    document["match_id"] = "local/\x1b[2J\u202e"
    document["rounds"][0]["end"]["reason"] = "\x07out"
    with pytest.raises(Discrepancy) as caught:
        verify(document)
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


# ---------------------------------------------------------------- the command


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["verify", *arguments])


def test_command_verifies_many_files(tmp_path: Path) -> None:
    some = [document for _, document in zip(range(5), documents("nine-mixes"), strict=False)]
    names = [tmp_path / name for name in ("a.jsonl", "b.jsonl.gz", "c.json", "d.json.gz")]
    for path in names:
        replay.write(path, some if ".jsonl" in path.name else some[:1])
    result = run(*map(str, names))
    assert result.exit_code == 0, result.output
    assert "12 matches verified" in result.output


def test_command_names_the_first_discrepancy_and_exits_1(tmp_path: Path) -> None:
    good, bad = (document for _, document in zip(range(2), documents("nine-mixes"), strict=False))
    bad["rounds"][0]["end"]["totals"][0] += 1
    replay.write(tmp_path / "two.jsonl", [good, bad])
    result = run(str(tmp_path / "two.jsonl"))
    assert result.exit_code == 1
    assert bad["match_id"] in result.output
    assert "K4.1" in result.output
    assert good["match_id"] not in result.output
    assert "Traceback" not in result.output


def test_command_json(tmp_path: Path) -> None:
    good, bad = (document for _, document in zip(range(2), documents("nine-mixes"), strict=False))
    bad["rounds"][0]["dealer"] = (bad["rounds"][0]["dealer"] + 1) % len(bad["seats"])
    replay.write(tmp_path / "two.jsonl", [{**good, "seed": None}, bad])
    result = run("--json", str(tmp_path / "two.jsonl"))
    first, second, summary = (json.loads(line) for line in result.stdout.splitlines())
    assert result.exit_code == 1
    assert first["problem"] is None
    assert first["unchecked"] == list(WITHOUT_SEED)
    assert second["discrepancy"]["round"] == 0
    assert second["discrepancy"]["field"] == "dealer"
    assert summary == {"matches": 2, "failed": 1, "unchecked": sorted(WITHOUT_SEED), "repeated": 0}


def test_command_says_what_an_unrevealed_seed_leaves_open(tmp_path: Path) -> None:
    replay.write(tmp_path / "one.json", [{**next(documents("nine-mixes")), "seed": None}])
    result = run(str(tmp_path / "one.json"))
    assert result.exit_code == 0
    assert "not revealed" in result.output
    assert "S2-S6" in result.output


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b'{"format": 1}', b"\xff\xfe", b'{"format":"ninefold-replay/2"}']
)
def test_command_tells_of_a_bad_file_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    result = run(str(path))
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0].count("bad.json") == 1
    assert "Traceback" not in result.output


def test_show_prints_every_step_and_hides_what_a_seat_may_not_see() -> None:
    path = str(CONFORMANCE / "nine-mixes.jsonl.gz")
    everything = CliRunner().invoke(app, ["show", path, "--match", "3"])
    assert everything.exit_code == 0
    assert "draws " in everything.output
    assert "draws a card" not in everything.output
    seat = CliRunner().invoke(app, ["show", path, "--match", "3", "--seat", "1"])
    assert "draws a card" in seat.output
    assert CliRunner().invoke(app, ["show", path, "--match", "no such"]).exit_code == 1
    assert CliRunner().invoke(app, ["show", path, "--seat", "9"]).exit_code == 2


def test_a_folder_without_replays_is_no_success(tmp_path: Path) -> None:
    export = tmp_path / "export"
    (export / "replays").mkdir(parents=True)
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "seeds.json").write_text('{"commitment": "", "master_seed": "", "digests": []}')
    (tmp_path / "bare" / "standings.json").write_text("[]")
    for folder in (export, tmp_path / "bare"):
        done = run(str(folder))
        assert done.exit_code == 1
        assert f"{folder} holds no replay, so nothing was verified" in done.output
        assert "0 matches read, 1 problem." in done.output
