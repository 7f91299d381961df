"""What the dashboard asks of the store beside what others ask: filters by day and table, schedule, balance, stopping."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from referee.store.commands import fixtures
from referee.store.engine import Store
from referee.store.models import Match
from referee.store.queries import balance, clocks, laid_out, matches
from referee.store.queries.matches import MatchFilter
from referee.store.rows import table
from tests.store import league as small

NOON = datetime(2026, 5, 10, 12, tzinfo=UTC)


def play(store: Store, name: str = "cup", leave: int = 0) -> None:
    """All fixtures of the tournament are played, all but the last `leave`."""
    small.lay_out(store, name)
    waiting = small.fixture_ids(store, name)
    for fixture_id in waiting[: len(waiting) - leave]:
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
        assert spec is not None
        assert fixtures.record_fixture(store, spec, small.play(spec))


def test_matches_between_two_days_and_at_tables_of_a_size(store: Store) -> None:
    small.league(store)  # three bots, two blocks a pair, two matches a fixture: 24 matches
    play(store)
    keys = sorted(row["key"] for row in matches.matches(store))
    rows = table(Match)

    def spread(session: object) -> None:
        for i, key in enumerate(keys):  # four matches a day, from the tenth on; two neighbours recorded out of order
            day = i // 4 + (1 if i == 7 else 0) - (1 if i == 8 else 0)
            session.execute(update(rows).where(rows.c.id == key).values(ended_at=NOON + timedelta(days=day)))  # type: ignore[attr-defined]

    store.write(spread)
    midnight = NOON.replace(hour=0)

    def found(**wanted: object) -> list[int]:
        return [keys.index(row["key"]) for row in matches.matches(store, MatchFilter(**wanted))]  # type: ignore[arg-type]

    assert found(since=midnight + timedelta(days=5)) == [23, 22, 21, 20]
    assert found(until=midnight + timedelta(days=1)) == [3, 2, 1, 0]
    assert found(since=midnight + timedelta(days=1), until=midnight + timedelta(days=2)) == [8, 6, 5, 4]
    assert found(since=midnight + timedelta(days=2), until=midnight + timedelta(days=3)) == [11, 10, 9, 7]
    assert found(since=midnight + timedelta(days=9)) == []
    of_a = found(bot="a", since=midnight + timedelta(days=5))
    assert of_a == [k for k in found(bot="a") if k >= 20]
    assert len(found(players=2)) == len(found(players=2, game="nines", tournament="cup")) == 24
    assert found(players=3) == found(players=2, game="nine") == found(tournament="cup", players=4) == []
    assert clocks.clocks(store, ["cup", "none"]) == {"cup": (10_000, 100)}


@pytest.mark.parametrize("slack", [0, 1_000])
def test_the_day_is_found_by_halving(store: Store, monkeypatch: pytest.MonkeyPatch, slack: int) -> None:
    """With the slack taken away the key alone must be right, gaps in the keys and all."""
    from referee.store.queries import moments

    monkeypatch.setattr(moments, "SLACK", slack)
    small.league(store)
    play(store)
    keys = sorted(row["key"] for row in matches.matches(store))
    rows = table(Match)

    def hourly(session: object) -> None:
        for i, key in enumerate(keys):
            session.execute(update(rows).where(rows.c.id == key).values(ended_at=NOON + timedelta(hours=i)))  # type: ignore[attr-defined]

    store.write(hourly)
    for i in range(-1, 26):
        wanted = MatchFilter(since=NOON + timedelta(hours=i), until=NOON + timedelta(hours=i + 3))
        shown = [keys.index(row["key"]) for row in matches.matches(store, wanted)]
        assert shown == [k for k in range(23, -1, -1) if i <= k < i + 3], i


def test_the_schedule_page_by_page_is_every_block_once(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    seen, block, starts = [], 1, []
    while block is not None:
        page = laid_out.laid_out(store, "cup", block=block, limit=6)
        seen += [row["fixture_id"] for row in page["fixtures"]]
        starts.append(block)
        assert len(page["fixtures"]) <= 6
        block = page["later"]
    assert seen == [f"cup/{b}/{s}" for b in range(1, 7) for s in (1, 2)]
    assert starts == [1, 4]
    assert laid_out.laid_out(store, "cup", block=4, limit=6)["earlier"] == 1
    assert laid_out.laid_out(store, "cup", block=6, limit=6)["earlier"] == 3
    assert laid_out.laid_out(store, "cup", block=1)["earlier"] is None
    assert laid_out.laid_out(store, "cup", block=99)["fixtures"] == []


def test_balance_by_hand(store: Store) -> None:
    """Three bots in pairs: each pair two blocks of two fixtures of two matches; so eight matches a pair, sixteen a bot."""
    small.league(store)
    assert balance.balance(store, "cup")["played"] == dict.fromkeys(balance.WHATS)
    play(store, leave=2)
    found = balance.balance(store, "cup")
    even = {"reason": ""}
    assert (found["sets"], found["passes"], found["complete"]) == (3, 2, True)
    assert found["planned"] == {
        "blocks": {"least": 4, "most": 4, **even},
        "pairs": {"least": 2, "most": 2, **even},
        "seats": {"least": 4, "most": 4, **even},
        "left": {"least": 2, "most": 2, **even},  # around a table of two each follows the other, once a block
    }
    assert found["played"]["pairs"] == {"least": 4, "most": 8, "reason": "it is still being played"}
    assert found["played"]["blocks"] == {"least": 12, "most": 16, "reason": "it is still being played"}
    assert found["played"]["seats"]["most"] - found["played"]["seats"]["least"] == 0
    for fixture_id in small.fixture_ids(store, "cup"):
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
        assert spec is not None
        fixtures.record_fixture(store, spec, small.play(spec))
    played = balance.balance(store, "cup")["played"]
    assert played["blocks"] == {"least": 16, "most": 16, **even}
    assert played["pairs"] == {"least": 8, "most": 8, **even}
    assert played["seats"] == {"least": 8, "most": 8, **even}
    assert played["left"] == {"least": 4, "most": 4, **even}


def test_a_field_too_small_says_why(store: Store) -> None:
    from referee.store.commands import tournaments

    small.author(store)
    tournaments.create_tournament(
        store, tournaments.NewTournament(name="draft", game="nines", rules=small.RULES), by="o"
    )
    found = balance.balance(store, "draft")
    assert found["sets"] is None
    assert "0 are entered" in found["reason"]


def test_what_is_certain_is_counted_while_it_plays_until_separated(store: Store) -> None:
    small.league(store, until_separated={"max_blocks": 9})
    assert balance.stopping(store, "cup")["certain"] == 0
    play(store)
    found = balance.stopping(store, "cup")
    assert (found["least_blocks"], found["most_blocks"], found["pairs"]) == (2, 9, 3)
    assert found["certain"] + len(found["undecided"]) == 3
    assert all(pair["passes"] <= 9 for pair in found["undecided"])
    small.create(store, ["a", "b"], "plain")
    assert balance.stopping(store, "plain") is None
