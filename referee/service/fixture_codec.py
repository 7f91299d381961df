"""Fixtures and their results between the frozen data of `referee.match.fixture` and the referee service's messages."""

from __future__ import annotations

import json
from collections.abc import Sequence

from protos.ninefold.v1 import referee_pb2 as pb
from referee.errors import PlatformFault, UsageError
from referee.match.fixture import (
    Clock,
    FixtureResult,
    FixtureSpec,
    MatchResult,
    MatchSpec,
    SeatResult,
    SeatSpec,
)

SEED_BYTES = 32
MAX_MESSAGE = 64 * 1024 * 1024
"""Of the referee service: a match's replay and the logs of six bots are the largest that passes."""


def encode_spec(spec: FixtureSpec) -> pb.FixtureSpec:
    return pb.FixtureSpec(
        fixture_id=spec.fixture_id,
        attempt=spec.attempt,
        game=spec.game,
        rules_json=json.dumps(dict(spec.rules), sort_keys=True),
        profile=spec.profile or "",
        seats=[
            pb.SeatSpec(
                bot=s.bot,
                version=s.version,
                digest=s.digest,
                image=s.image,
                runtime=s.runtime,
                content_digest=s.content_digest,
            )
            for s in spec.seats
        ],
        matches=[pb.MatchSpec(match_id=m.match_id, seed=m.seed) for m in spec.matches],
        bank_ms=spec.clock.bank_ms,
        increment_ms=spec.clock.increment_ms,
    )


def decode_spec(message: pb.FixtureSpec) -> FixtureSpec:
    """The fixture asked for; `UsageError` says what in it cannot be played."""
    try:
        rules = json.loads(message.rules_json or "{}")
    except ValueError as error:
        raise UsageError(f"rules_json of fixture {message.fixture_id!r} is no JSON: {error}") from None
    if not isinstance(rules, dict):
        raise UsageError(f"rules_json of fixture {message.fixture_id!r} must be an object")
    if not message.matches or not message.seats:
        raise UsageError(
            f"fixture {message.fixture_id!r} has no match or no seat; give at least one match and two seats"
        )
    for match in message.matches:
        if len(match.seed) != SEED_BYTES:
            raise UsageError(
                f"the seed of match {match.match_id!r} has {len(match.seed)} bytes; it must have {SEED_BYTES}"
            )
    return FixtureSpec(
        message.fixture_id,
        message.attempt,
        message.game,
        rules,
        message.profile or None,
        tuple(
            SeatSpec(s.bot, s.version, s.digest, s.image, s.runtime or "python", s.content_digest)
            for s in message.seats
        ),
        tuple(MatchSpec(m.match_id, m.seed) for m in message.matches),
        Clock(message.bank_ms, message.increment_ms),
    )


def encode_match(result: MatchResult) -> pb.FixtureUpdate:
    return pb.FixtureUpdate(
        match=pb.MatchResult(
            match_id=result.match_id,
            canonical_sha256=result.canonical_sha256,
            replay=result.replay,
            rounds=result.rounds,
            plies=result.plies,
            seats=[
                pb.SeatResult(
                    seat=s.seat,
                    place=s.place,
                    points=s.points,
                    penalty=s.penalty,
                    cause=s.cause,
                    detail=s.detail,
                    sent=s.sent,
                    decisions=s.decisions,
                    wall_ms=s.wall_ms,
                    cpu_ms=s.cpu_ms,
                    log=s.log,
                    log_cut=s.log_cut,
                )
                for s in result.seats
            ],
        )
    )


def decode_match(message: pb.MatchResult) -> MatchResult:
    return MatchResult(
        message.match_id,
        message.canonical_sha256,
        message.replay,
        message.rounds,
        message.plies,
        tuple(
            SeatResult(
                seat=s.seat,
                place=s.place,
                points=s.points,
                penalty=s.penalty,
                cause=s.cause,
                detail=s.detail,
                sent=s.sent,
                decisions=s.decisions,
                wall_ms=s.wall_ms if s.HasField("wall_ms") else None,
                cpu_ms=s.cpu_ms if s.HasField("cpu_ms") else None,
                log=s.log,
                log_cut=s.log_cut,
            )
            for s in message.seats
        ),
    )


def finished(spec: FixtureSpec, message: pb.Finished, matches: Sequence[MatchResult]) -> FixtureResult:
    """The whole result, once all of its parts have come; `PlatformFault` if one is missing."""
    if [m.match_id for m in matches] != [m.match_id for m in spec.matches]:
        raise PlatformFault(
            "internal", f"fixture {spec.fixture_id}: {len(matches)} of {len(spec.matches)} matches came"
        )
    return FixtureResult(spec.fixture_id, spec.attempt, message.machine, message.speed, tuple(matches))


def void(fault: PlatformFault) -> pb.FixtureUpdate:
    return pb.FixtureUpdate(void=pb.Void(cause=fault.cause, reason=fault.reason))
