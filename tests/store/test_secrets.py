"""Seeds and tokens do not show where a value or a fault of the database is printed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from referee.cli.client import Address
from referee.match.fixture import MatchResult, MatchSpec
from referee.match.seat import MatchStart
from referee.store.commands.tournaments import NewTournament
from referee.store.engine import Store
from referee.store.models import Token, Tournament
from referee.tournament.seeds import SeedChain

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = "5ec2e7" * 10
VALUES = [
    MatchSpec("cup/1/1/1", SECRET.encode()),
    MatchResult("cup/1/1/1", "c", SECRET.encode(), 1, 1, ()),
    MatchStart("nines", {}, None, 0, 2, "c", SECRET.encode(), 1000, 0, "wall", 1),
    SeedChain("c", SECRET.encode(), ()),
    NewTournament("cup", "nines", {}, seed=SECRET.encode()),
    Address("localhost:1", SECRET, False, None, "here"),
    Token(user_id=1, token_sha256=SECRET, created_at=NOW),
    Tournament(
        name="cup",
        game="nines",
        rules={},
        commitment="c",
        master_seed=SECRET,
        state="open",
        progress_at=NOW,
        created_at=NOW,
    ),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_secret_is_not_shown_with_what_holds_it(value: object) -> None:
    assert SECRET not in f"{value!r} {value!s}"


def test_a_fault_of_the_database_does_not_tell_the_parameters(store_url: str) -> None:
    store = Store(store_url)
    try:
        with pytest.raises(DBAPIError) as fault, store.engine.connect() as connection:
            connection.execute(text("SELECT :seed FROM nowhere"), {"seed": SECRET})
        assert "nowhere" in str(fault.value)
        assert SECRET not in str(fault.value)
    finally:
        store.close()
