"""The seed chain, worked out step by step with hashlib, and what its verification finds."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

import pytest

from referee.errors import UsageError
from referee.tournament import seeds
from referee.tournament.seeds import SeedChain, SeedChainError

MASTER = bytes(range(32))
DIGESTS = (b"\x02" * 32, b"\x01" * 32)
SALT = hashlib.sha256(b"\x01" * 32 + b"\x02" * 32).digest()
SEED = hmac.new(MASTER, SALT + b"block/3/match/2", hashlib.sha256).digest()


def test_chain_as_the_design_writes_it() -> None:
    chain = SeedChain(seeds.commitment(MASTER), MASTER, DIGESTS)
    assert chain.commitment == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"  # sha256sum
    assert chain.salt == SALT
    assert chain.match_seed(3, 2) == SEED
    assert seeds.bot_seed(SEED, 1) == hashlib.sha256(SEED + b"seat/1/bot").digest()
    assert bytes(32) == seeds.LOCAL_SALT


def test_the_order_of_entries_does_not_matter() -> None:
    assert seeds.salt(reversed(DIGESTS)) == seeds.salt(DIGESTS)


def test_a_true_replay_passes_in_every_seating() -> None:
    chain = SeedChain(seeds.commitment(MASTER), MASTER, DIGESTS)
    for seating in (1, 2):
        seeds.verify_chain(chain, f"spring/cup/3/{seating}/2", SEED, hashlib.sha256(SEED).hexdigest(), DIGESTS)


def test_each_broken_link_is_named() -> None:
    chain = SeedChain(seeds.commitment(MASTER), MASTER, DIGESTS)
    promise = hashlib.sha256(SEED).hexdigest()
    for broken, match_id, seed, committed, digests, link in [
        (replace(chain, master=b"\x07" * 32), "t/3/1/2", SEED, promise, DIGESTS, "the master seed's commitment"),
        (replace(chain, digests=DIGESTS[:1]), "t/3/1/2", SEED, promise, DIGESTS, "the seed of match t/3/1/2"),
        (chain, "t/3/1/1", SEED, promise, DIGESTS, "the seed of match t/3/1/1"),
        (chain, "t/3/1/2", SEED, "0" * 64, DIGESTS, "the commitment of match t/3/1/2"),
        (chain, "t/3/1/2", SEED, promise, (b"\x03" * 32,), "seat 0 of match t/3/1/2"),
    ]:
        with pytest.raises(SeedChainError) as found:
            seeds.verify_chain(broken, match_id, seed, committed, digests)
        assert found.value.link == link
        assert link in str(found.value)


@pytest.mark.parametrize("match_id", ["local/x", "t/1/2", "t/a/1/1", "t/1/1/-2"])
def test_ids_without_numbers_are_refused(match_id: str) -> None:
    with pytest.raises(UsageError, match="names no block and match"):
        seeds.numbers(match_id)


def test_numbers_start_at_one_and_seeds_are_whole() -> None:
    with pytest.raises(UsageError, match="numbered from 1"):
        seeds.match_seed(MASTER, SALT, 0, 1)
    with pytest.raises(UsageError, match="a seed has 31 bytes"):
        seeds.commitment(b"x" * 31)
