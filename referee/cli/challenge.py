"""`ninefold challenge`: unrated matches on the league's machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from protos.ninefold.v1 import league_pb2
from referee.cli.client import League, request_id
from referee.cli.following import watch_until_end
from referee.cli.output import JSON_OPTION, command, note, print_json, say
from referee.wording import counted

app = typer.Typer(add_completion=False)


@app.command()
@command
def challenge(
    bot: Annotated[str, typer.Argument(help="A bot of your own.")],
    opponent: Annotated[str, typer.Argument(help="Any bot of the league.")],
    matches: Annotated[int, typer.Option(help="How many, half of them from each side: one more if odd.")] = 10,
    game: Annotated[str, typer.Option(help="nines or nine; the bot's first otherwise.")] = "",
    profile: Annotated[str, typer.Option()] = "",
    wait: Annotated[bool, typer.Option(help="Watch until it is over.")] = True,
    data: Annotated[Path | None, typer.Option("--data", help="Data folder of the league.")] = None,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Play unrated matches of your bot against another, on the league's machines."""
    request = league_pb2.ChallengeRequest(
        bot=bot, opponent=opponent, matches=matches, game=game, profile=profile, request_id=request_id()
    )
    with League.connect(data) as league:
        made = league.read("Challenge", request)
        played = 2 * made["matches_per_fixture"]
        if played != matches:
            note(f"{counted(played, 'match', 'matches')} are played instead of {matches}: every deal from both sides")
        if wait:
            made = watch_until_end(league, made["name"], quiet=as_json)
    if as_json:
        print_json(made)
    elif not wait:
        say(f"{made['name']}: watch it with ninefold tournament watch {made['name']}")
