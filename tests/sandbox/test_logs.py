"""Logs stay under their limit and show the cut; frames are put together whatever pieces they come in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.sandbox.logs import CappedLog, FrameReader


def test_what_fits_is_kept_whole():
    log = CappedLog(10)
    log.add(b"01234")
    log.add(b"56789")
    assert (log.text(), log.full) == (b"0123456789", False)


def test_beginning_and_end_are_kept_and_the_cut_is_visible():
    log = CappedLog(10)
    for digit in range(20):
        log.add(b"%x" % (digit % 16))
    assert log.full
    assert log.text() == b"01234\n[... 10 bytes cut here ...]\nf0123"


@given(st.lists(st.binary(max_size=300)), st.integers(2, 200))
def test_head_and_tail_are_right_for_any_pieces(pieces, limit):
    log, whole = CappedLog(limit), b"".join(pieces)
    for piece in pieces:
        log.add(piece)
    if len(whole) <= limit:
        assert (log.text(), log.full) == (whole, False)
    else:
        tail = limit // 2
        head = limit - tail
        assert log.text() == whole[:head] + b"\n[... %d bytes cut here ...]\n" % (len(whole) - limit) + whole[-tail:]


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=50))), st.lists(st.integers(1, 20)))
def test_frames_come_out_whole_however_they_are_cut(frames, cuts):
    wire = b"".join(bytes([n, 0, 0, 0]) + len(data).to_bytes(4, "big") + data for n, data in frames)
    reader, got, at = FrameReader(), {1: b"", 2: b""}, 0
    for size in [*cuts, len(wire)]:
        for stream, piece in reader.feed(wire[at : at + size]):
            got[stream] += piece
        at += size
    assert got == {n: b"".join(data for m, data in frames if m == n) for n in (1, 2)}
