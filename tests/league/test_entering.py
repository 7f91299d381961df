"""What a tournament cannot be started with is told while it is filled, with the option that would do."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from referee.cli.main import app
from referee.settings import Settings
from referee.store.commands import accounts
from referee.store.schema import open_store
from tests.league.conftest import admit


def test_bots_of_one_author_at_one_table(served: Any) -> None:
    store = open_store(Settings(served.data))
    dora = accounts.add_user(store, "dora", "author", by="test")
    for name in ("dora-one", "dora-two", "dora-three"):
        admit(store, dora, name, ["nines"])
    store.close()
    env = {"NINEFOLD_SERVER": served.address, "NINEFOLD_TOKEN": served.tokens["olga"]}

    def said(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["tournament", *arguments], env=env)
        assert done.exit_code == 0, done.output
        return done.stderr.strip()

    cannot = "cannot start yet: two bots of one author do not meet at a table there, it takes 3 authors and"
    said("create", "three", "--game", "nines", "--table-size", "3", "--bots", "dora-one,dora-two")
    told = said("enter", "three", "dora-three")
    assert told.startswith(f"three {cannot} 1 author entered")
    assert told.endswith("create it with --same-author free")
    assert f"{cannot} 2 authors entered" in said("enter", "three", "bert-bot")
    started = CliRunner().invoke(app, ["tournament", "start", "three"], env=env)
    assert started.exit_code == 2
    assert started.stderr.strip().endswith("create the tournament with --same-author free")
    names = "dora-one,dora-two,dora-three"
    assert cannot in said("create", "more", "--game", "nines", "--table-size", "3", "--bots", names)
    assert said("create", "spaced", "--game", "nines", "--clock", "5+0", "--bots", " dora-one , dora-two,") == ""
    assert "5 s for a match and nothing more" in said("create", "short", "--game", "nines", "--clock", "5")
    free = ("--table-size", "3", "--same-author", "free", "--bots", names)
    assert said("create", "free", "--game", "nines", *free) == ""
    assert said("create", "two", "--game", "nines", "--bots", "dora-one,dora-two") == ""


def test_an_odd_number_of_matches_of_a_challenge_is_told_before_they_are_played(served: Any) -> None:
    env = {"NINEFOLD_SERVER": served.address, "NINEFOLD_TOKEN": served.tokens["anna"]}

    def said(matches: str) -> str:
        arguments = ["challenge", "anna-bot", "bert-bot", "--no-wait", "--matches", matches]
        done = CliRunner().invoke(app, arguments, env=env)
        assert done.exit_code == 0, done.output
        return done.stderr.strip()

    assert said("3") == "4 matches are played instead of 3: every deal from both sides"
    assert said("4") == ""
