"""Lists, tables and exports: filters, paging, the crosstable by hand, ratings with a watermark, and pages without matches."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import Session, select

from referee.errors import NotFound
from referee.store.commands import fixtures, ratings
from referee.store.engine import Store, now
from referee.store.models import Tournament
from referee.store.queries import bots, crosstable, matches, replays, standings, status
from referee.store.queries import tournaments as pages
from tests.store import league as small


def play_all(store: Store, **options: Any) -> None:
    small.lay_out(store)
    for fixture_id in small.fixture_ids(store):
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
        assert spec is not None
        assert fixtures.record_fixture(store, spec, small.play(spec, **options))


def test_every_page_works_before_the_first_match(store: Store) -> None:
    assert pages.tournaments(store) == []
    assert matches.matches(store) == []
    assert bots.bots(store) == []
    assert status.status(store)["problems"] == []
    small.league(store)
    assert [row["mean_margin"] for row in standings.standings(store, "cup")] == [None, None, None]
    assert crosstable.crosstable(store, "cup")["cells"] == []
    assert standings.ratings(store, "cup") is None
    assert standings.rating_history(store, "a") == []
    assert standings.record(store, "a") == {"seats": [], "opponents": []}
    assert matches.fault_counts(store, "a") == []
    assert list(replays.replays(store, "cup")) == []
    assert replays.bot_logs(store, "a") == []
    for missing in (
        lambda: standings.standings(store, "nope"),
        lambda: bots.bot(store, "nope"),
        lambda: matches.matches(store, matches.MatchFilter(bot="nope")),
        lambda: replays.replay(store, "cup/1/1/1"),
    ):
        with pytest.raises(NotFound):
            missing()


def test_paging_shows_each_match_once(store: Store) -> None:
    small.league(store, matches_per_fixture=3)
    play_all(store)
    seen: list[str] = []
    before = 0
    while page := matches.matches(store, before=before, limit=7):
        assert len(page) <= 7
        seen += [row["match_id"] for row in page]
        before = page[-1]["key"]
    assert len(seen) == len(set(seen)) == 36
    assert seen[0].startswith("cup/")


def test_filters_go_together(store: Store) -> None:
    small.league(store)
    play_all(store, faults={("a", 1): "timeout", ("b", 1): "timeout", ("c", 2): "illegal"})

    def count(**wanted: Any) -> int:
        return len(matches.matches(store, matches.MatchFilter(**wanted)))

    assert count() == 24
    assert count(bot="a") == 16
    assert count(bot="a", opponent="b") == 8
    assert count(bot="a", opponent="b", cause="timeout") == 4  # once each, though both failed
    assert count(cause="timeout") == 12
    assert count(cause="illegal") == 8
    assert count(cause="completed") == 4
    assert count(faults=True) == 20
    assert count(faults=True, bot="c", tournament="cup") == 16
    assert count(tournament="cup", cause="illegal", bot="c") == 8
    assert count(game="nines") == 24
    assert count(game="nine") == 0
    assert count(cause="crash") == 0


def test_crosstable_and_record_against_a_count_by_hand(store: Store) -> None:
    small.league(store, bots="ab", blocks=3)
    play_all(store)
    rows = matches.matches(store)
    margins: dict[str, list[int]] = {}
    wins = 0.0
    for row in rows:
        penalty = {seat["bot"]: seat["penalty"] for seat in row["seats"]}
        margins.setdefault(row["match_id"].split("/")[1], []).append(penalty["b"] - penalty["a"])
        wins += 1.0 if penalty["a"] < penalty["b"] else 0.5 if penalty["a"] == penalty["b"] else 0.0
    everything = [margin for block in margins.values() for margin in block]
    mean = sum(everything) / len(everything)
    table = crosstable.crosstable(store, "cup")
    a = next(i for i, bot in enumerate(table["bots"]) if bot["bot"] == "a")
    cell = next(cell for cell in table["cells"] if cell["row"] == a)
    assert (cell["matches"], cell["blocks"], cell["score"]) == (12, 3, pytest.approx(wins / 12))
    assert cell["margin"] == pytest.approx(mean)
    deviations = [sum(block) - mean * len(block) for block in margins.values()]
    error = (sum(d * d for d in deviations) * 3 / 2) ** 0.5 / 12
    assert cell["high"] - cell["margin"] == pytest.approx(4.302653 * error)  # t at 97.5 % with 2 degrees of freedom
    mirror = next(cell for cell in table["cells"] if cell["row"] != a)
    assert (mirror["margin"], mirror["low"]) == (-cell["margin"], pytest.approx(-cell["high"]))
    record = standings.record(store, "a")
    assert record["opponents"][0]["matches"] == 12
    assert [seat["matches"] for seat in record["seats"]] == [6, 6]
    assert sum(seat["points"] for seat in record["seats"]) == wins


def test_ratings_carry_what_they_include(store: Store) -> None:
    small.league(store)
    assert ratings.due_ratings(store) == []
    play_all(store)
    assert ratings.due_ratings(store) == ["cup"]
    assert ratings.due_ratings(store) == []  # asked for a moment ago
    data = ratings.rating_data(store, "cup")
    assert data is not None
    assert (data.watermark, data.sides, len(data.rows)) == (24, 2, 6)
    rows = [
        {"entry": entry, "rating": 1500.0, "low": 1.0, "high": 2.0, "provisional": True, "blocks": 4}
        for entry in data.entries
    ]
    assert ratings.store_ratings(store, data, rows)
    assert not ratings.store_ratings(store, data, rows)
    assert ratings.rating_data(store, "cup") is None
    assert standings.standings(store, "cup")[0]["rating"] == 1500.0
    assert standings.rating_history(store, "a")[0]["watermark"] == 24


@pytest.mark.parametrize(
    ("rated", "seconds_ago", "due"),
    [(980, 11, True), (981, 11, False), (980, 9, False), (999, 299, False), (999, 301, True), (1000, 301, False)],
)
def test_ratings_are_fitted_when_there_is_enough_to_change_them(
    store: Store, rated: int, seconds_ago: int, due: bool
) -> None:
    small.league(store)

    def so_far(session: Session) -> None:
        cup = session.exec(select(Tournament).where(Tournament.name == "cup")).one()
        cup.done_matches, cup.rating_watermark = 1000, rated
        cup.rating_requested_at = now(session) - timedelta(seconds=seconds_ago)
        session.add(cup)

    store.write(so_far)
    assert ratings.due_ratings(store) == ["cup"] * due
    assert ratings.due_ratings(store) == []


def test_a_tournament_that_has_ended_is_rated_at_once(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    *most, last = small.fixture_ids(store)
    for fixture_id in most:
        spec = fixtures.claim_fixture(store, fixture_id, worker="w", machine="m1")
        assert spec is not None
        fixtures.record_fixture(store, spec, small.play(spec))
    assert ratings.due_ratings(store) == ["cup"]
    assert ratings.due_ratings(store) == []
    spec = fixtures.claim_fixture(store, last, worker="w", machine="m1")
    assert spec is not None
    fixtures.record_fixture(store, spec, small.play(spec))
    assert small.state(store) == "done"
    assert ratings.due_ratings(store) == ["cup"]
    assert ratings.due_ratings(store) == []


def test_exports_are_strictly_valid_json(store: Store) -> None:
    small.league(store)
    play_all(store)
    documents = list(replays.replays(store, "cup", page=5))
    assert len(documents) == 24
    everything = [
        documents,
        standings.standings(store, "cup"),
        crosstable.crosstable(store, "cup"),
        replays.seed_chain(store, "cup"),
    ]
    json.dumps(everything, allow_nan=False)
    chain = replays.seed_chain(store, "cup")
    assert chain["master_seed"] == bytes(32).hex()
    assert len(chain["digests"]) == 3
    assert all(document["seed"] for document in documents)


def test_names_from_bots_come_back_letter_for_letter(store: Store) -> None:
    small.league(store)
    small.lay_out(store)
    spec = fixtures.claim_fixture(store, small.fixture_ids(store)[0], worker="w", machine="m1")
    assert spec is not None
    hostile = "<script>=1+1 \x00 \ud800 :smile: **bold** 🂡".encode("utf-8", "surrogatepass")
    assert fixtures.record_fixture(store, spec, small.play(spec, log=hostile))
    assert replays.logs(store, f"{spec.fixture_id}/1")[0].data == hostile
    assert "<script>=1+1" in replays.bot_logs(store, spec.seats[0].bot, limit=1)[0].text
