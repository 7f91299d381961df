"""A tournament and a bot given the wrong way round: the sentence says which is which."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from protos.ninefold.v1 import league_pb2 as pb
from referee.cli.main import app


def test_a_tournament_and_a_bot_the_wrong_way_round(served: Any) -> None:
    with served.as_("olga") as olga:
        olga.call("CreateTournament", pb.NewTournament(name="turned", game="nines"))
    env = {"NINEFOLD_SERVER": served.address, "NINEFOLD_TOKEN": served.tokens["olga"]}

    def said(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["tournament", *arguments], env=env)
        assert done.exit_code in (1, 2), done.output
        return done.stderr.strip()

    which = "'turned' is the tournament and 'anna-bot' the bot; write `ninefold tournament"
    assert said("withdraw", "turned", "anna-bot") == f"ninefold: {which} withdraw anna-bot turned`"
    assert said("enter", "anna-bot", "turned") == f"ninefold: {which} enter turned anna-bot`"
    assert said("enter", "turned", "nosuch") == "ninefold: there is no bot 'nosuch'; `ninefold bot list` shows what there is"
