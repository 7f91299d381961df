"""S1 to S6: byte for byte, against plain readings of RULES.md and against one frozen example."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import sys

import pytest

from referee.games.base import Action
from referee.games.match import Match
from referee.games.nines import GAME
from referee.games.shuffler import Shuffler, commitment
from referee.games.standin import pick

SEED = bytes(range(32))


def word(seed: bytes, label: str, index: int) -> int:
    """S2, read literally: one word of the stream."""
    block = hashlib.sha256(seed + label.encode("utf-8") + struct.pack(">I", index // 8)).digest()
    return int.from_bytes(block[index % 8 * 4 : index % 8 * 4 + 4], "big")


def shuffled(seed: bytes, label: str, cards: list[int]) -> list[int]:
    """S3, read literally."""
    cards, index = list(cards), 0
    for i in range(len(cards) - 1, 0, -1):
        while word(seed, label, index) >= 2**32 // (i + 1) * (i + 1):
            index += 1
        j = word(seed, label, index) % (i + 1)
        index += 1
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def test_s1_commitment() -> None:
    assert commitment(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("label", ["round/1/deal", "cut/12", "playoff/2/reshuffle/3"])
def test_s2_stream(label: str) -> None:
    words = Shuffler(SEED)._words(label)
    assert [next(words) for _ in range(40)] == [word(SEED, label, index) for index in range(40)]


@pytest.mark.parametrize("cards", [0, 1, 2, 3, 8, 9, 10, 16, 17, 18, 52, 54, 104, 128, 129, 130, 300])
def test_s3_shuffle(cards: int) -> None:
    assert Shuffler(SEED).shuffle("round/1/deal", range(cards)) == shuffled(SEED, "round/1/deal", [*range(cards)])


@pytest.mark.parametrize(("number", "passed_over"), [(22043, 0), (23118, 1)])
def test_s3_two_packs_by_a_stream_with_high_bytes(number: int, passed_over: int) -> None:
    """One in 40,000 streams has the bytes that make the quick way look closer, one in a million a word too high."""
    label = f"round/{number}/deal"
    words = [word(SEED, label, index) for index in range(104)]
    assert b"\xff\xff\xff" in struct.pack(">104I", *words)
    too_high = [high >= 2**32 // size * size for high, size in zip(words, range(104, 1, -1), strict=False)]
    assert sum(too_high) == passed_over
    assert Shuffler(SEED).shuffle(label, range(104)) == shuffled(SEED, label, [*range(104)])


def test_s3_words_that_favour_are_passed_over() -> None:
    """Nearly every word of this stream is too high for most sizes: the quick way must notice, and go word by word."""

    class High(Shuffler):
        def _words(self, label):
            return iter([2**32 - 1 if index % 11 else index for index in range(11 * 60)])

    class Sha:
        def __init__(self, data: bytes) -> None:
            pass

        def digest(self) -> bytes:
            return b"\xff\xff\xff\xff" * 8

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("referee.games.shuffler.sha256", Sha)
        pile = High(SEED).shuffle("x", range(5))
    # below 5: word 0, j = 0; below 4, which divides 2^32, no word is too high: 2^32 - 1, j = 3;
    # below 3: words up to the eleventh are too high, then 11, j = 2; below 2: 2^32 - 1, j = 1
    assert pile == [4, 1, 2, 3, 0]


def test_s3_below_takes_the_next_word_where_one_is_too_high() -> None:
    n = 2**31 + 1  # every other word is too high
    passed_over = 0
    for number in range(40):
        label = f"seat/0/standin/{number}"
        index = 0
        while word(SEED, label, index) >= 2**32 // n * n:
            index += 1
        passed_over += index
        assert Shuffler(SEED).below(label, n) == word(SEED, label, index) % n
    assert passed_over > 5


def test_s3_the_last_is_the_top() -> None:
    deal = Match(GAME, GAME.complete({}, 2), 2, SEED).round.deal()
    pile = shuffled(SEED, "round/1/deal", [*range(52)])
    assert deal["hands"]["1"][0] == "A23456789TJQK"[pile[-1] % 13] + "CDHS"[pile[-1] // 13]


S4 = [(1, [*range(52)]), (2, [*range(52), *range(52)])]  # pack order, a second pack after the first


@pytest.mark.parametrize(("decks", "pack"), S4)
def test_s4_before_a_shuffle(decks: int, pack: list[int]) -> None:
    from referee.cards import NUMBER, PACK

    assert PACK[:3] == ("AC", "2C", "3C")
    assert PACK[12:14] == ("KC", "AD")
    deal = Match(GAME, GAME.complete({"decks": decks}, 5), 5, SEED).round.deal()
    dealt = [card for number in range(5) for card in (deal["hands"][str((1 + seat) % 5)][number] for seat in range(5))]
    assert [NUMBER[card] for card in [*deal["stock"], deal["upcard"], *dealt[::-1]]] == shuffled(
        SEED, "round/1/deal", pack
    )


class Recorder(Shuffler):
    labels: list[str]

    def shuffle(self, label, cards):
        self.labels.append(label)
        return super().shuffle(label, cards)

    def below(self, label, n):
        self.labels.append(label)
        return super().below(label, n)


def test_s5_labels() -> None:
    rules = GAME.complete(
        {"first_dealer": "cut", "ties": "playoff", "match_end": "rounds", "rounds": 2, "max_turns": 1}, 4
    )
    seen: set[str] = set()
    for number in range(60):
        shuffler = Recorder(number.to_bytes(32, "big"))
        shuffler.labels = []
        match = Match(GAME, rules, 4, b"", shuffler=shuffler)
        while match.turn is not None:
            match.choose(match.legal()[0])
        assert shuffler.labels[0] == "cut/1"
        assert [label for label in shuffler.labels if label.startswith("round")][:2] == ["round/1/deal", "round/2/deal"]
        seen |= set(shuffler.labels)
    assert {"cut/2", "playoff/1/deal"} <= seen


def test_s5_reshuffles_count_anew_each_round() -> None:
    shuffler = Recorder(SEED)
    shuffler.labels = []
    match = Match(GAME, GAME.complete({"draw": "until_playable", "cutoff": 400}, 6), 6, b"", shuffler=shuffler)
    while match.turn is not None:
        match.choose(match.legal()[-1])
    reshuffles = [label for label in shuffler.labels if "reshuffle" in label]
    assert len({label.split("/")[1] for label in reshuffles if label.endswith("/1")}) >= 2
    assert reshuffles[0].split("/")[2:] == ["reshuffle", "1"]


@pytest.mark.parametrize(("seat", "decision", "n"), [(0, 1, 2), (1, 1, 2), (3, 17, 11), (5, 2, 60)])
def test_s6_standin(seat: int, decision: int, n: int) -> None:
    legal = [Action("play", (str(index),)) for index in range(n)]
    expected = word(SEED, f"seat/{seat}/standin/{decision}", 0) % n
    assert pick(Shuffler(SEED), seat, decision, legal) is legal[expected]


def test_s6_frozen_example() -> None:
    """So that S1 to S3 can be followed in another language: a seed, and what comes of it."""
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
    assert Shuffler(SEED).shuffle("round/1/deal", range(10)) == [4, 7, 3, 9, 8, 2, 1, 5, 6, 0]


@pytest.mark.parametrize("hash_seed", ["0", "1", "12345"])
def test_s1_the_same_in_any_process(hash_seed: str) -> None:
    program = (
        "from referee.games.nines import GAME\nfrom referee.games.match import Match, Fault\nimport json, hashlib\n"
        "m = Match(GAME, GAME.complete({'decks': 2, 'stacking_nines': True, 'ties': 'playoff'}, 5), 5, bytes(32),"
        " start_faults=[Fault(3, 'start', '')])\n"
        "while m.turn is not None: m.choose(m.legal()[-1])\n"
        "print(hashlib.sha256(json.dumps(m.document()).encode()).hexdigest())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    )
    match = Match(GAME, GAME.complete(GAME.profile("nines/stacking", 5) | {"ties": "playoff"}, 5), 5, bytes(32))
    assert len(run.stdout.strip()) == 64
    assert match.round is not None
    _outputs.add(run.stdout)
    assert len(_outputs) == 1


_outputs: set[str] = set()
