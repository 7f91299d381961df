"""Seeds that nobody can choose: the chain from a committed master seed to each match and each bot.

    master (32 secret bytes)  --SHA-256-->  commitment, published before entries close
    salt       = SHA-256 of the entered bots' 32-byte digests, sorted and concatenated, known when entries close
    match seed = HMAC-SHA-256(master, salt + utf8("block/<b>/match/<m>")), b and m from 1
    bot seed   = SHA-256(match seed + utf8("seat/<s>/bot")), s from 0

All seatings of a block share their match seeds: that is what makes the deals duplicate.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from referee.errors import ReplayError, UsageError

SEED_BYTES = 32
LOCAL_SALT = bytes(SEED_BYTES)
"""The salt of matches outside a league (`play --seed`)."""


class SeedChainError(ReplayError):
    """A published seed does not follow from the master seed, or the master not from its commitment."""

    def __init__(self, link: str, found: str, expected: str) -> None:
        super().__init__(link, found, expected)
        self.link, self.found, self.expected = link, found, expected

    def __str__(self) -> str:
        return (
            f"{self.link} is {self.found}, but the seeds give {self.expected}; "
            "this record does not belong to this master seed"
        )


@dataclass(frozen=True, slots=True)
class SeedChain:
    """What an export needs so that anyone can check each seed: `digests` are those of all entries at the start."""

    commitment: str
    master: bytes = field(repr=False)
    digests: tuple[bytes, ...]

    @property
    def salt(self) -> bytes:
        """The salt of these entries."""
        return salt(self.digests)

    def match_seed(self, block: int, match: int) -> bytes:
        """The seed of match `match` of block `block` (both from 1)."""
        return match_seed(self.master, self.salt, block, match)


def commitment(seed: bytes) -> str:
    """The SHA-256 of a seed (RULES.md S1), as 64 hexadecimal digits."""
    return hashlib.sha256(_whole(seed, "a seed")).hexdigest()


def salt(digests: Iterable[bytes]) -> bytes:
    """The salt of a tournament between bots with these digests, whatever the order they are given in."""
    return hashlib.sha256(b"".join(sorted(_whole(digest, "a digest") for digest in digests))).digest()


def match_seed(master: bytes, salt: bytes, block: int, match: int) -> bytes:
    """The secret seed of match `match` of block `block` (both from 1), the same in every seating of the block."""
    if block < 1 or match < 1:
        raise UsageError(f"blocks and matches are numbered from 1, so block {block} match {match} has no seed")
    _whole(salt, "a salt")
    path = f"block/{block}/match/{match}".encode()
    return hmac.new(_whole(master, "a master seed"), salt + path, hashlib.sha256).digest()


def bot_seed(match_seed: bytes, seat: int) -> bytes:
    """The seed that the bot at `seat` (from 0) is given for its own choices in a match."""
    return hashlib.sha256(_whole(match_seed, "a match seed") + f"seat/{seat}/bot".encode()).digest()


def verify_chain(chain: SeedChain, match_id: str, seed: bytes, match_commitment: str, digests: Sequence[bytes]) -> None:
    """A replay's seed is the one its tournament had to use, and its bots were entered; else raises `SeedChainError`.

    `match_id` is `<tournament>/<block>/<seating>/<match>`; `seed`, `match_commitment` and the bots' `digests` are the
    replay's. That the cards follow from the seed is for the replay's own verification.
    """
    _same("the master seed's commitment", chain.commitment, commitment(chain.master))
    block, match = numbers(match_id)
    _same(f"the seed of match {match_id}", seed.hex(), chain.match_seed(block, match).hex())
    _same(f"the commitment of match {match_id}", match_commitment, commitment(seed))
    entered = frozenset(chain.digests)
    for seat, digest in enumerate(digests):
        if digest not in entered:
            raise SeedChainError(f"seat {seat} of match {match_id}", digest.hex(), "no entry with that digest")


def numbers(match_id: str) -> tuple[int, int]:
    """The block and match numbers in a match id of a league; raises `UsageError` if it has none."""
    parts = match_id.rsplit("/", 3)
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() for part in parts[1:]):
        raise UsageError(
            f"match id {match_id!r} names no block and match; expected <tournament>/<block>/<seating>/<match>"
        )
    return int(parts[1]), int(parts[3])


def _same(link: str, found: str, expected: str) -> None:
    if not hmac.compare_digest(found.encode(), expected.encode()):
        raise SeedChainError(link, found, expected)


def _whole(value: bytes, what: str) -> bytes:
    if len(value) != SEED_BYTES:
        raise UsageError(f"{what} has {len(value)} bytes; it must have {SEED_BYTES}")
    return value
