"""What this league is, and how it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from protos.ninefold.v1 import league_pb2
from referee.games import registry
from referee.service.league.calls import Call, Caller, League, Needs
from referee.store.queries import status as queries
from referee.version import VERSION

STARTED = datetime.now(UTC)
"""When this program did."""


def about(league: League, caller: Caller, request: Any) -> Any:
    """Version, calls spoken, games played."""
    return {"version": VERSION, "api": league_pb2.DESCRIPTOR.package, "games": list(registry.names())}


def status(league: League, caller: Caller, request: Any) -> Any:
    """What is alive, stuck or queued; `deep` also recomputes standings from the records."""
    found = queries.status(league.store, serving_since=STARTED)
    if league.blobs.near:  # else as measured when last tidied
        sizes = league.blobs.sizes()
        found["disk"] |= {"blobs": len(sizes), "blob_bytes": sum(sizes.values()), "blobs_at": found["at"]}
    if request.deep:
        found["problems"] += queries.deep(league.store)
    return found if caller.organiser else _for_authors(found)


def _for_authors(found: dict[str, Any]) -> dict[str, Any]:
    """The status without what tells a stranger where the league runs: processes, addresses, what the probe found."""
    services = [row | {"pid": None, "reason": "", "details": {}} for row in found["services"]]
    machines = [row | {"referee": "", "reason": "", "probe": {}} for row in found["machines"]]
    count = len(found["problems"])
    told = [f"{count} of what an organiser sees is not well; ask one"] if count else []
    return found | {"services": services, "machines": machines, "problems": told}


CALLS: Mapping[str, Call] = {
    "About": Call(Needs.NOBODY, about),
    "Status": Call(Needs.ACCOUNT, status),
}
