"""How the store behaves as it grows: `python -m tests.bench.league [--matches 1000000] [--bots 1000]`.

Fills a store with 1,000 bots, then with 10,000 and with 1,000,000 matches (no containers; replays of a few bytes, so
that what is measured is the store's own tables), and prints how long a conductor's tick, the standings, a bot's page,
the match list and recording a fixture take at both sizes, and their growth. SQLite, and PostgreSQL with `--postgres
URL` or the server that tests start.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import zstandard
from sqlalchemy import Table, insert, text

from referee.store import schema
from referee.store.commands import fixtures, services
from referee.store.commands.sums import Sums
from referee.store.engine import Store
from referee.store.facts import fact
from referee.store.models import (
    Block,
    BlockPair,
    Bot,
    Entry,
    Fixture,
    Match,
    MatchLog,
    Pair,
    PairSum,
    Replay,
    Seat,
    SeatSum,
    Tournament,
    User,
    Version,
)
from referee.store.queries import bots, matches, standings, status
from referee.store.queries.tournaments import tournament as tournament_page
from referee.store.rows import table
from referee.tournament.pairs import Pairs
from tests.store import league as small
from worker.conductor import Conductor
from worker.planning import Planner

AT = datetime(2026, 1, 1, tzinfo=UTC)
MATCHES = 5
"""Matches a fixture; two fixtures a block."""
NAME = "cup"


def fill(store: Store, bot_count: int, first: int, upto: int, progress: Callable[[str], None]) -> None:
    """Blocks `first` to `upto` (10 matches each) of one round robin are played, in bulk."""
    teamless = Tournament(**_tournament(upto, bot_count))
    pairs = Pairs(bot_count)
    batch: dict[Table, list[dict[str, Any]]] = {}
    sums = Sums()
    replay, log = zstandard.compress(b'{"seed":null}'), zstandard.compress(b"hello")
    began = time.monotonic()
    for number in range(first, upto + 1):
        pair = [entry + 1 for entry in pairs[(number - 1) % pairs.count]]
        _add(
            batch,
            Block,
            id=number,
            tournament_id=1,
            number=number,
            fixtures=2,
            open_fixtures=0,
            machine="m1",
            done_at=AT,
        )
        for seating in (1, 2):
            key = 2 * (number - 1) + seating
            seated = pair if seating == 1 else pair[::-1]
            _add(batch, Fixture, **_fixture(key, number, seating, seated))
            for match in range(1, MATCHES + 1):
                match_key = MATCHES * (key - 1) + match
                draw = hashlib.sha256(b"%d" % match_key).digest()
                penalties = draw[0] % 60 + seated[0] % 7, draw[1] % 60 + seated[1] % 7
                failed = draw[2] < 3
                places = (1, 1) if penalties[0] == penalties[1] else (1, 2) if penalties[0] < penalties[1] else (2, 1)
                if failed:
                    places = (1, 2)
                outcome = [(seated[s], places[s], penalties[s], failed and s == 1) for s in (0, 1)]
                sums.add(fact(teamless, number, seating, match, outcome))
                cause = "timeout" if failed else "completed"
                _add(batch, Match, **_match(match_key, key, number, seating, match, cause, draw.hex()))
                for seat in (0, 1):
                    _add(
                        batch,
                        Seat,
                        **_seat(match_key, seat, seated[seat], places, penalties, cause if seat else "completed"),
                    )
                    _add(batch, MatchLog, match_id=match_key, seat=seat, data=log, cut=False)
                _add(batch, Replay, match_id=match_key, data=replay)
        if number % 2_000 == 0 or number == upto:
            _flush(store, batch)
            done = number - first + 1
            progress(f"{done * 2 * MATCHES:,} matches, {done * 2 * MATCHES / (time.monotonic() - began):,.0f} a second")
    _flush_sums(store, sums, fresh=first == 1)
    _finish(store, upto)


def populate(store: Store, bot_count: int) -> None:
    """There are so many bots of 100 authors, all entered in one running tournament; one worker is alive."""
    batch: dict[Table, list[dict[str, Any]]] = {}
    for user in range(1, 101):
        _add(batch, User, id=user, name=f"user{user}", role="author", created_at=AT, ban_reason="", quota={})
    for bot in range(1, bot_count + 1):
        name, digest = f"bot{bot:05}", hashlib.sha256(b"%d" % bot).hexdigest()
        owner = bot % 100 + 1
        _add(batch, Bot, id=bot, name=name, owner_id=owner, created_at=AT, retire_reason="")
        _add(
            batch, Version, id=bot, bot_id=bot, number=1, digest=digest, state="admitted", stage="admitted", reason="",
            progress_at=AT, created_at=AT, games=["nines"], runtime="python", image="i", image_bytes=1,
            content_digest="", build_log="", source="",
        )  # fmt: skip
        _add(
            batch, Entry, id=bot, tournament_id=1, bot_id=bot, version_id=bot, number=bot - 1, bot=name, version=1,
            digest=digest, owner_id=owner, state="entered", reason="", entered_at=AT,
        )  # fmt: skip
    with store.engine.begin() as connection:
        connection.execute(insert(table(User)), batch.pop(table(User)))
        connection.execute(insert(table(Tournament)), [_tournament(0, bot_count)])
    _flush(store, batch)
    services.beat(store, services.Beat("w", "worker", "m1", 1, slots=4))


def measure(store: Store, folder: Path, repeats: int = 15) -> dict[str, float]:
    """Milliseconds, the median of some runs each."""
    busiest = "bot00001"
    conductor = _silent_conductor(store, folder)
    services.beat(store, services.Beat("w", "worker", "m1", 1, slots=4))
    ids = _live(store, conductor)
    middle = max(row["key"] for row in matches.matches(store, limit=1)) // 2
    # As many rows at both sizes: a bot has 20 matches among the first 10,000.
    of_bot, of_cause = matches.MatchFilter(bot=busiest), matches.MatchFilter(cause="timeout")
    return {
        "conductor tick": _time(lambda: conductor.tick(all_chores=True), repeats),
        "standings": _time(lambda: standings.standings(store, NAME), repeats),
        "bot page": _time(lambda: _bot_page(store, busiest), repeats),
        "match list": _time(lambda: matches.matches(store), repeats),
        "match list, middle": _time(lambda: matches.matches(store, before=middle), repeats),
        "match list of a bot": _time(lambda: matches.matches(store, of_bot, limit=20), repeats),
        "match list of a cause": _time(lambda: matches.matches(store, of_cause, limit=50), repeats),
        "tournament progress": _time(lambda: tournament_page(store, NAME), repeats),
        "status": _time(lambda: status.status(store), repeats),
        "record a fixture": _time(lambda: _record(store, ids), repeats),
    }


def report(name: str, small_: dict[str, float], large: dict[str, float], sizes: tuple[int, int]) -> None:
    """Prints one table: what, at the small size, at the large size, growth."""
    print(f"\n{name}: {'milliseconds at':28} {sizes[0]:>12,} {sizes[1]:>12,} matches   growth")
    for what, before in small_.items():
        print(f"{'':10}{what:30} {before:12.1f} {large[what]:12.1f} {large[what] / max(before, 0.001):15.2f}x")


def run(url: str, bot_count: int, sizes: tuple[int, int]) -> None:
    store = Store(url)
    schema.prepare(store)
    name = "SQLite" if store.sqlite else "PostgreSQL"
    populate(store, bot_count)
    figures = []
    done = 0
    for size in sizes:
        blocks = size // (2 * MATCHES)
        fill(store, bot_count, done + 1, blocks, lambda line: print(f"  {name}: {line}", end="\r", flush=True))
        print()
        done = blocks
        if not store.sqlite:
            with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("ANALYZE"))
        with tempfile.TemporaryDirectory() as folder:
            before = _memory_mib()
            figures.append(measure(store, Path(folder)))
            print(f"  {name}: measuring took {_memory_mib() - before:.1f} MiB more memory")
        _undo(store, blocks)
    report(name, figures[0], figures[1], sizes)
    store.close()


def _time(what: Callable[[], object], repeats: int) -> float:
    what()
    taken = []
    for _ in range(repeats):
        began = time.perf_counter()
        what()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def _memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _bot_page(store: Store, bot: str) -> object:
    page = bots.bot(store, bot), standings.record(store, bot), matches.fault_counts(store, bot)
    return page, matches.matches(store, matches.MatchFilter(bot=bot), limit=20)


def _silent_conductor(store: Store, folder: Path) -> Conductor:
    from referee.settings import Settings

    conductor = Conductor(store, Settings(folder))
    conductor._send = lambda *_: None  # type: ignore[method-assign]
    conductor.planner = Planner(store)
    return conductor


def _live(store: Store, conductor: Conductor) -> Iterator[str]:
    """Fixtures laid out by the conductor that can be claimed; it lays out more when they run short."""
    from referee.store.queries.tournaments import fixtures as rows

    while True:
        for row in rows(store, NAME, states=("planned", "queued")):
            yield row["fixture_id"]
        services.beat(store, services.Beat("w", "worker", "m1", 1, slots=4))
        conductor.tick()


def _record(store: Store, ids: Iterator[str]) -> None:
    spec = fixtures.claim_fixture(store, next(ids), worker="w", machine="m1")
    if spec is not None:
        fixtures.record_fixture(store, spec, small.play(spec))


def _undo(store: Store, blocks: int) -> None:
    """What measuring laid out beyond the filled blocks is gone, so that filling can go on."""
    with store.engine.begin() as connection:
        for model in (MatchLog, Replay, Seat):
            rows = table(model)
            connection.execute(rows.delete().where(rows.c.match_id > blocks * 2 * MATCHES))
        for model, limit in ((Match, blocks * 2 * MATCHES), (Fixture, blocks * 2), (Block, blocks)):
            rows = table(model)
            connection.execute(rows.delete().where(rows.c.id > limit))
        pairs = table(BlockPair)
        connection.execute(pairs.delete().where(pairs.c.block > blocks))
    _finish(store, blocks)


def _finish(store: Store, blocks: int) -> None:
    rows = table(Tournament)
    with store.engine.begin() as connection:
        connection.execute(
            rows.update().values(
                planned_blocks=blocks, planned_fixtures=2 * blocks, done_fixtures=2 * blocks,
                done_matches=2 * MATCHES * blocks, rating_watermark=2 * MATCHES * blocks,
            )
        )  # fmt: skip
        if not store.sqlite:
            for model in (Match, Fixture, Block):
                name = table(model).name
                connection.execute(text(f"SELECT setval('{name}_id_seq', (SELECT max(id) FROM {name}))"))


def _add(batch: dict[Table, list[dict[str, Any]]], model: type[Any], **values: Any) -> None:
    batch.setdefault(table(model), []).append(values)


def _flush(store: Store, batch: dict[Table, list[dict[str, Any]]]) -> None:
    """The rows are in: by COPY on PostgreSQL, by plain statements on SQLite; both are far faster than one by one."""
    connection = store.engine.raw_connection()
    driver: Any = connection.driver_connection
    cursor = driver.cursor()
    if store.sqlite:
        cursor.execute("BEGIN")
    for target, rows in batch.items():
        names = list(rows[0])
        columns = ", ".join(names)
        values = _values(rows, store.sqlite)
        if store.sqlite:
            marks = ", ".join("?" * len(names))
            cursor.executemany(f"INSERT INTO {target.name} ({columns}) VALUES ({marks})", values)
        else:
            with cursor.copy(f"COPY {target.name} ({columns}) FROM STDIN") as copy:
                for value in values:
                    copy.write_row(value)
    if store.sqlite:
        cursor.execute("COMMIT")
    else:
        driver.commit()
    cursor.close()
    connection.close()
    batch.clear()


def _values(rows: list[dict[str, Any]], sqlite: bool) -> Iterator[list[Any]]:
    """The rows as the drivers take them. Every time in here is `AT`, and all rows of a table have the same shape."""
    moment = AT.strftime("%Y-%m-%d %H:%M:%S.%f") + ("" if sqlite else "+00")
    kinds = list(rows[0].values())
    times = [i for i, value in enumerate(kinds) if isinstance(value, datetime)]
    documents = [i for i, value in enumerate(kinds) if isinstance(value, list | dict)]
    for row in rows:
        values = list(row.values())
        for i in times:
            values[i] = moment
        for i in documents:
            values[i] = json.dumps(values[i])
        yield values


def _flush_sums(store: Store, sums: Sums, *, fresh: bool) -> None:
    if not fresh:
        from referee.store.commands.sums import apply

        store.write(lambda session: apply(session, 1, sums))
        return
    batch: dict[Table, list[dict[str, Any]]] = {}
    for model, keys, rows in (
        (SeatSum, ("entry_id", "seat"), sums.seats),
        (PairSum, ("entry_id", "opponent_id", "seat"), sums.pair_seats),
        (BlockPair, ("block", "low_id", "high_id"), sums.block_pairs),
        (Pair, ("low_id", "high_id"), sums.pairs()),
    ):
        names = [c.name for c in table(model).columns if c.name not in keys and c.name != "tournament_id"]
        for key, row in rows.items():
            values = {name: int(row.get(name, 0)) for name in names}
            _add(batch, model, tournament_id=1, **dict(zip(keys, key, strict=True)), **values)
    _flush(store, batch)


def _tournament(blocks: int, bot_count: int) -> dict[str, Any]:
    return {
        "id": 1, "name": NAME, "kind": "league", "format": "round-robin", "game": "nines", "rules": {}, "profile": None,
        "table_size": 2, "blocks": 4, "matches_per_fixture": MATCHES, "bank_ms": 10_000, "increment_ms": 100,
        "same_author": "free", "options": {}, "until_separated": None, "commitment": "0" * 64, "master_seed": "0" * 64,
        "seed_chosen": False, "salt": "0" * 64, "state": "running", "stage": "playing", "reason": "", "progress_at": AT,
        "created_by": "bench", "created_at": AT, "started_at": AT, "ended_at": None, "incomplete": False,
        "planned_blocks": blocks, "planned_fixtures": 2 * blocks, "schedule_done": False,
        "total_fixtures": 4 * bot_count * (bot_count - 1), "done_fixtures": 2 * blocks, "cancelled_fixtures": 0,
        "dropped_fixtures": 0, "done_matches": 2 * MATCHES * blocks, "fault_matches": 0, "rating_watermark": 0,
        "rated_at": None, "rating_requested_at": None,
    }  # fmt: skip


def _fixture(key: int, block: int, seating: int, entries: list[int]) -> dict[str, Any]:
    return {
        "id": key, "tournament_id": 1, "block_id": block, "block": block, "seating": seating, "entries": entries,
        "state": "done", "stage": "ended", "reason": "", "cause": "completed", "progress_at": AT, "created_at": AT,
        "queued_at": AT, "not_before": None, "started_at": AT, "ended_at": AT, "attempt": 1, "lease_owner": "",
        "lease_expires_at": None, "machine": "m1", "referee": "", "voids": 0, "parking_voids": 0,
    }  # fmt: skip


def _match(key: int, fixture: int, block: int, seating: int, number: int, cause: str, sha: str) -> dict[str, Any]:
    return {
        "id": key, "match_id": f"{NAME}/{block}/{seating}/{number}", "fixture_id": fixture, "tournament_id": 1,
        "block": block, "seating": seating, "number": number, "state": "done", "cause": cause, "reason": "",
        "canonical_sha256": sha, "rounds": 10, "plies": 400, "attempt": 1, "machine": "m1", "speed": 1.0, "ended_at": AT,
    }  # fmt: skip


def _seat(
    match: int, seat: int, entry: int, places: tuple[int, int], penalties: tuple[int, int], cause: str
) -> dict[str, Any]:
    ahead = places[seat] < places[1 - seat]
    return {
        "match_id": match, "seat": seat, "entry_id": entry, "bot_id": entry, "place": places[seat],
        "points": 120 if ahead else 60 if places[0] == places[1] else 0, "penalty": penalties[seat], "cause": cause,
        "detail": "", "sent": "", "decisions": 150, "wall_ms": 10.0, "cpu_ms": 5.0,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=1_000)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--postgres", default="", help="address of an empty database; default: a server of its own")
    parser.add_argument("--only", choices=("sqlite", "postgres"))
    arguments = parser.parse_args()
    sizes = (arguments.small, arguments.matches)
    with tempfile.TemporaryDirectory(prefix="ninefold-bench-") as folder:
        Path(folder).chmod(0o755)
        if arguments.only != "postgres":
            run(f"sqlite:///{folder}/league.db", arguments.bots, sizes)
            print(f"  the file has {(Path(folder) / 'league.db').stat().st_size / 2**20:,.0f} MiB")
        if arguments.only == "sqlite":
            return
        if arguments.postgres:
            run(arguments.postgres, arguments.bots, sizes)
            return
        from tests.services import Postgres

        place = Path(folder) / "pg"
        place.mkdir()
        server = Postgres(place)
        server.start()
        try:
            run(server.database(), arguments.bots, sizes)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
